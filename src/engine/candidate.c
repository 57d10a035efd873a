/* candidate.c - from a value of the reply to one of the target, and back to its place.
 *
 * Invariant: documents made on the way live as long as the attempt.
 */
#include "base/features.h"

#include "engine/candidate.h"

#include "base/limits.h"
#include "engine/text.h"

#define WRAP_NAME    STR("value")
#define WRAP_POINTER STR("/value")

enum status engine_judge_keep(struct engine_judge *judge, struct json_doc *doc)
{
    struct engine_attempt *attempt = judge->attempt;
    if (attempt->doc_count == ENGINE_ATTEMPT_DOCS_MAX) {
        json_doc_free(doc);
        return STATUS_NO_MEMORY;
    }
    attempt->docs[attempt->doc_count++] = doc;
    return STATUS_OK;
}

/* ---- the form of the target
 * ---------------------------------------------------------------------------- */

static enum status candidate_invert(struct engine_judge *judge, struct engine_candidate *candidate)
{
    static const struct {
        unsigned bit;
        enum engine_reading reading;
    } names[] = { { PROJECTION_READ_ENVELOPE, ENGINE_READ_ENVELOPE },
                  { PROJECTION_READ_NULL_ABSENT, ENGINE_READ_NULL_ABSENT },
                  { PROJECTION_READ_KEY_VALUE_MAP, ENGINE_READ_KEY_VALUE_MAP },
                  { PROJECTION_READ_JSON_TEXT, ENGINE_READ_DOUBLE_ENCODED },
                  { PROJECTION_READ_TUPLE, ENGINE_READ_TUPLE } };
    struct projection_value inverted = { 0 };
    if (judge->projection == NULL)
        return STATUS_OK;
    enum status status =
        projection_invert(judge->projection, candidate->reply, judge->alloc, &inverted);
    if (status == STATUS_OK)
        status = engine_judge_keep(judge, inverted.doc);
    if (status != STATUS_OK)
        return status;
    candidate->value = json_doc_root(inverted.doc);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if ((inverted.readings & names[i].bit) != 0)
            engine_ledger_add(&judge->attempt->ledger, names[i].reading);
    }
    return STATUS_OK;
}

/* unwrap_root: a bare value is as good as one in the wrapper. */
static enum status candidate_wrap(struct engine_judge *judge, struct engine_candidate *candidate)
{
    struct json value = candidate->value;
    if (!judge->question->request->unwrap_root ||
        (json_type(value) == JSON_OBJECT && json_exists(json_get(value, WRAP_NAME))))
        return STATUS_OK;
    struct json_options options = JSON_OPTIONS_DEFAULT;
    options.depth_max++;
    options.nodes_max++;
    struct buffer text;
    buffer_init(&text, judge->alloc, LIMIT_JSON_BYTES);
    buffer_append_str(&text, STR("{\"value\":"));
    json_write(value, 0, &text);
    buffer_append_byte(&text, '}');
    struct json_doc *doc = NULL;
    struct error error = { 0 };
    enum status status = buffer_status(&text) == STATUS_OK ? STATUS_OK : STATUS_NO_MEMORY;
    if (status == STATUS_OK)
        status = json_parse(buffer_view(&text), &options, judge->alloc, &doc, &error);
    buffer_release(&text);
    if (status != STATUS_OK)
        return status == STATUS_NO_MEMORY ? status : STATUS_OK;
    status = engine_judge_keep(judge, doc);
    if (status == STATUS_OK) {
        candidate->judged = json_doc_root(doc);
        candidate->is_wrapped = true;
    }
    return status;
}

enum status engine_candidate_make(struct engine_judge *judge, struct json reply,
                                  struct engine_candidate *out_candidate)
{
    *out_candidate = (struct engine_candidate){ .reply = reply, .value = reply };
    out_candidate->ledger_count = judge->attempt->ledger.count;
    enum status status = candidate_invert(judge, out_candidate);
    out_candidate->ledger_count_all = judge->attempt->ledger.count;
    out_candidate->judged = out_candidate->value;
    return status == STATUS_OK ? candidate_wrap(judge, out_candidate) : status;
}

/* ---- back to the reply
 * --------------------------------------------------------------------------------- */

enum status engine_candidate_place(const struct engine_judge *judge,
                                   const struct engine_candidate *candidate, struct str pointer,
                                   struct json *out_place)
{
    *out_place = (struct json){ NULL, NULL };
    if (candidate->is_wrapped) {
        if (!str_starts_with(pointer, WRAP_POINTER)) {
            *out_place = candidate->reply;
            return STATUS_OK;
        }
        pointer = engine_text_skip(pointer, WRAP_POINTER.len);
    }
    if (judge->projection == NULL) {
        *out_place = json_pointer_get(candidate->reply, pointer);
        return STATUS_OK;
    }
    struct buffer there;
    buffer_init(&there, judge->alloc, LIMIT_JSON_BYTES);
    projection_pointer_to_reply(judge->projection, candidate->reply, pointer, &there);
    enum status status = buffer_status(&there);
    if (status == STATUS_OK)
        *out_place = json_pointer_get(candidate->reply, buffer_view(&there));
    buffer_release(&there);
    return status == STATUS_NO_MEMORY ? status : STATUS_OK;
}

/* ---- violations
 * -------------------------------------------------------------------------------------- */

enum status engine_judge_refuse(struct engine_judge *judge, struct str pointer, const char *keyword,
                                const char *message, uint32_t line, uint32_t column)
{
    struct engine_attempt *attempt = judge->attempt;
    struct schema_violation *violation = arena_take_zeroed(&attempt->arena, sizeof(*violation));
    if (violation == NULL)
        return STATUS_NO_MEMORY;
    violation->pointer = arena_copy(&attempt->arena, pointer);
    violation->keyword = arena_copy(&attempt->arena, str_from(keyword));
    violation->message = arena_copy(&attempt->arena, str_from(message));
    violation->line = line;
    violation->column = column;
    if (violation->pointer.ptr == NULL || violation->keyword.ptr == NULL ||
        violation->message.ptr == NULL)
        return STATUS_NO_MEMORY;
    attempt->violations =
        (struct schema_violations){ .arena = &attempt->arena, .items = violation, .count = 1 };
    attempt->verdict = ENGINE_VERDICT_REFUSED;
    return STATUS_OK;
}

/* The validator counts lines in the text of what it judged; the reader of the result wants them in
 * the reply. */
static enum status place_violation(const struct engine_judge *judge,
                                   const struct engine_candidate *candidate,
                                   struct schema_violation *violation)
{
    const struct engine_reply_value *reply = &judge->attempt->value;
    uint32_t line = violation->line, column = violation->column;
    violation->line = 0;
    violation->column = 0;
    if (reply->line == 0 || line == 0 || candidate->reply.doc != reply->doc)
        return STATUS_OK;
    if (candidate->judged.doc != reply->doc) {
        struct json place = { NULL, NULL };
        enum status status = engine_candidate_place(judge, candidate, violation->pointer, &place);
        if (status != STATUS_OK || !json_exists(place))
            return status;
        json_position(json_doc_source(place.doc), json_offset(place), &line, &column);
    }
    violation->line = line + reply->line - 1;
    violation->column = line == 1 ? column + reply->column - 1 : column;
    return STATUS_OK;
}

enum status engine_judge_collect(struct engine_judge *judge,
                                 const struct engine_candidate *candidate)
{
    struct engine_attempt *attempt = judge->attempt;
    attempt->violations = (struct schema_violations){ .arena = &attempt->arena };
    bool is_valid = false;
    enum status status =
        schema_validate(judge->question->request->program, candidate->judged, 0, judge->alloc,
                        &is_valid, &attempt->violations, judge->error);
    if (status != STATUS_OK)
        return status;
    attempt->judged = candidate->judged;
    if (is_valid)
        return STATUS_OK;
    for (uint32_t i = 0; i < attempt->violations.count && status == STATUS_OK; i++)
        status = place_violation(judge, candidate, &attempt->violations.items[i]);
    attempt->verdict = ENGINE_VERDICT_REFUSED;
    return status;
}

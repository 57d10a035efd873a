/* stopped.c - the reason why a reply was stopped, from what had come.
 *
 * Owns: closing what is open, and keeping the violations that nothing could have mended. Leaves to
 * others: stopping (provider). Invariant: the attempt is refused, whatever the text is.
 */
#include "base/features.h"

#include "engine/candidate.h"
#include "engine/markup.h"
#include "model/partial.h"
#include "engine/text.h"

#define NO_CONTINUATION "the reply was stopped: no continuation of it could have been valid"
#define RAN_AWAY        "the reply repeated the same text without end and was stopped"

/* Where the value begins: behind reasoning, at the first bracket. */
static struct str value_text(struct str text)
{
    for (size_t at = 0; at < text.len;) {
        size_t end = engine_markup_reasoning_end(text, at);
        if (end == 0 && (text.ptr[at] == '{' || text.ptr[at] == '['))
            return engine_text_skip(text, at);
        at = end > 0 ? end : at + 1;
    }
    return (struct str){ NULL, 0 };
}

/* A form of the wire that has its type only when it is whole: a map as a list of pairs. */
static bool form_is_open(const struct engine_judge *judge, const struct engine_candidate *candidate,
                         const struct model_partial *partial, struct json place,
                         const struct schema_violation *violation)
{
    return judge->projection != NULL && str_equal(violation->keyword, STR("type")) &&
           json_exists(place) && model_partial_is_open(partial, candidate->reply, place);
}

/* Keeps the violations that are certain; of those inside alternatives only when nothing else is. */
static enum status keep_certain(struct engine_judge *judge,
                                const struct engine_candidate *candidate,
                                const struct model_partial *partial)
{
    struct schema_violations *violations = &judge->attempt->violations;
    uint32_t certain = 0, likely = 0;
    for (uint32_t i = 0; i < violations->count; i++) {
        struct schema_violation violation = violations->items[i];
        struct json place = { NULL, NULL };
        enum status status = engine_candidate_place(judge, candidate, violation.pointer, &place);
        if (status != STATUS_OK)
            return status;
        if (!model_partial_is_certain(partial, candidate->reply, place, &violation) ||
            form_is_open(judge, candidate, partial, place, &violation))
            continue;
        bool is_likely = violation.context.len > 0 && partial->open_depth > 0;
        if (is_likely && certain > 0)
            continue;
        if (!is_likely && certain == 0)
            likely = 0; /* what was kept so far is only likely */
        certain += !is_likely;
        violations->items[likely++] = violation;
    }
    violations->count = likely;
    return STATUS_OK;
}

/* closed is the text with all that was open in it closed. */
static enum status judge_closed(struct engine_judge *judge, struct json closed,
                                const struct model_partial *partial, uint32_t line, uint32_t column)
{
    struct engine_candidate candidate;
    struct engine_attempt *attempt = judge->attempt;
    enum status status = engine_candidate_make(judge, closed, &candidate);
    attempt->value.line = line;
    attempt->value.column = column;
    if (status == STATUS_OK)
        status = engine_judge_collect(judge, &candidate);
    if (status == STATUS_OK)
        status = keep_certain(judge, &candidate, partial);
    attempt->ledger.count = 0;
    return status;
}

static enum status refuse_runaway(struct engine_judge *judge, struct json closed,
                                  const struct model_partial *partial, struct str text)
{
    struct buffer pointer;
    uint32_t line = 1, column = 1;
    buffer_init(&pointer, judge->alloc, LIMIT_JSON_BYTES);
    if (json_exists(closed) && judge->projection == NULL)
        json_pointer_of(model_partial_place(partial, closed), &pointer);
    json_position(text, text.len, &line, &column);
    enum status status = buffer_status(&pointer);
    if (status == STATUS_OK)
        status =
            engine_judge_refuse(judge, buffer_view(&pointer), "runaway", RAN_AWAY, line, column);
    buffer_release(&pointer);
    return status;
}

/* Parses the closed text. *out_closed may not exist. */
static enum status close_text(struct engine_judge *judge, struct str text,
                              struct model_partial *partial, struct json *out_closed)
{
    struct engine_reply_value *value = &judge->attempt->value;
    struct error error = { 0 };
    struct buffer closed;
    enum status status = STATUS_OK;
    *out_closed = (struct json){ NULL, NULL };
    buffer_init(&closed, judge->alloc, LIMIT_JSON_BYTES);
    if (model_partial_close(text, &closed, partial) && buffer_status(&closed) == STATUS_OK)
        status = json_parse(buffer_view(&closed), NULL, judge->alloc, &value->doc, &error);
    if (buffer_status(&closed) == STATUS_NO_MEMORY)
        status = STATUS_NO_MEMORY;
    buffer_release(&closed);
    if (value->doc != NULL)
        *out_closed = json_doc_root(value->doc);
    return status == STATUS_NO_MEMORY ? status : STATUS_OK;
}

/* The text is no JSON, whatever had come. */
static enum status refuse_syntax(struct engine_judge *judge, struct str text)
{
    struct engine_reply_value value;
    struct engine_ledger *ledger = &judge->attempt->ledger;
    uint32_t count = ledger->count;
    enum status status = engine_reply_read(text, ledger, judge->alloc, &value);
    ledger->count = count;
    if (status != STATUS_OK)
        return status;
    json_doc_free(value.doc);
    if (value.doc != NULL)
        return engine_judge_refuse(judge, STR(""), "json", NO_CONTINUATION, 0, 0);
    return engine_judge_refuse(judge, STR(""), "json", value.message, value.line, value.column);
}

enum status engine_judge_stopped(struct engine_judge *judge, struct str text, bool is_runaway)
{
    struct str value = value_text(text);
    struct model_partial partial;
    struct json closed;
    uint32_t line = 1, column = 1;
    enum status status = close_text(judge, value, &partial, &closed);
    if (status != STATUS_OK)
        return status;
    if (is_runaway)
        return refuse_runaway(judge, closed, &partial, text);
    if (!json_exists(closed))
        return refuse_syntax(judge, text);
    json_position(text, text.len - value.len, &line, &column);
    status = judge_closed(judge, closed, &partial, line, column);
    if (status == STATUS_OK && judge->attempt->violations.count == 0)
        status = engine_judge_refuse(judge, STR(""), "json", NO_CONTINUATION, 0, 0);
    return status;
}

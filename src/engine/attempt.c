/* attempt.c - the verdict on one reply.
 *
 * Owns: the order of readings: channel, text, what the value may mean (directly, inside a string,
 * inside one member), mending; and the need object. Leaves to others: finding the value (reply.c),
 * the form that was asked for (candidate.c, projection), single values (mend.c), judging
 * (schema/validate.h). Invariants: what is accepted was judged valid by the validator, never by a
 * reading; what is valid without a reading is taken without it; a reply that was stopped before its
 * end is never accepted.
 */
#include "base/features.h"

#include "engine/attempt.h"

#include <stdio.h>

#include "base/limits.h"
#include "engine/candidate.h"
#include "engine/mend.h"
#include "engine/text.h"

enum {
    ATTEMPT_ARENA_BYTES = 16 << 20,
    ECHO_COMPARE_STEPS = 1000000,
    CANDIDATES_MAX = 5 /* the value itself, and what is inside of strings and single members */
};

void engine_attempt_init(struct engine_attempt *attempt, const struct alloc *alloc)
{
    *attempt = (struct engine_attempt){ .verdict = ENGINE_VERDICT_NONE };
    arena_init(&attempt->arena, alloc, ATTEMPT_ARENA_BYTES);
}

void engine_attempt_clear(struct engine_attempt *attempt)
{
    json_doc_free(attempt->value.doc);
    for (uint32_t i = 0; i < attempt->doc_count; i++)
        json_doc_free(attempt->docs[i]);
    arena_reset(&attempt->arena);
    struct arena arena = attempt->arena;
    *attempt = (struct engine_attempt){ .verdict = ENGINE_VERDICT_NONE, .arena = arena };
    attempt->ledger.arena = &attempt->arena;
}

void engine_attempt_release(struct engine_attempt *attempt)
{
    engine_attempt_clear(attempt);
    arena_release(&attempt->arena);
}

/* ---- one candidate
 * ------------------------------------------------------------------------------------- */

/* {"_need": "what is missing"}: present, a string, not blank. */
static bool read_need(struct engine_judge *judge, struct json value)
{
    struct str name = judge->question->need_name;
    if (name.len == 0 || json_type(value) != JSON_OBJECT)
        return false;
    struct json need = json_get(value, name);
    if (!json_exists(need) || json_type(need) != JSON_STRING ||
        engine_text_is_blank(json_string(need)))
        return false;
    judge->attempt->need = json_string(need);
    judge->attempt->verdict = ENGINE_VERDICT_NEED;
    return true;
}

/* Models that do not know what to answer repeat the schema, which an open target takes for data. */
static bool is_schema_itself(const struct engine_judge *judge, struct json value)
{
    uint64_t budget = ECHO_COMPARE_STEPS;
    return json_equal(value, judge->question->request->program->root, &budget);
}

/* Accepts value if it is an object that the validator finds valid. */
static enum status try_value(struct engine_judge *judge, struct json value)
{
    bool is_valid = false;
    if (json_type(value) != JSON_OBJECT)
        return STATUS_OK;
    enum status status = schema_is_valid(judge->question->request->program, value, 0, judge->alloc,
                                         &is_valid, judge->error);
    if (status != STATUS_OK || !is_valid)
        return status;
    judge->attempt->judged = value;
    if (is_schema_itself(judge, value))
        return engine_judge_refuse(judge, STR(""), "json",
                                   "the reply was the schema itself, expected an object for it", 0,
                                   0);
    judge->attempt->verdict = ENGINE_VERDICT_OK;
    return STATUS_OK;
}

static bool is_decided(const struct engine_judge *judge)
{
    return judge->attempt->verdict != ENGINE_VERDICT_NONE;
}

/* The form that was asked for comes first; whoever answers directly is understood as well. */
static enum status try_candidate(struct engine_judge *judge,
                                 const struct engine_candidate *candidate)
{
    struct engine_ledger *ledger = &judge->attempt->ledger;
    uint32_t count = ledger->count;
    if (read_need(judge, candidate->value))
        return STATUS_OK;
    enum status status = try_value(judge, candidate->judged);
    if (status != STATUS_OK || is_decided(judge) || judge->projection == NULL)
        return status;
    ledger->count = candidate->ledger_count;
    if (read_need(judge, candidate->reply))
        return STATUS_OK;
    status = try_value(judge, candidate->reply);
    if (status == STATUS_OK && !is_decided(judge))
        ledger->count = count;
    return status;
}

/* ---- the next candidate
 * -------------------------------------------------------------------------------- */

/* The JSON text in a string; it may not exist. */
static enum status decode_string(struct engine_judge *judge, struct json string,
                                 struct json *out_inner)
{
    struct str text = engine_text_trim(json_string(string));
    struct error error = { 0 };
    struct json_doc *doc = NULL;
    if (text.len == 0 || memchr("{[\"", text.ptr[0], 3) == NULL ||
        !engine_ledger_allows(&judge->attempt->ledger, ENGINE_READ_DOUBLE_ENCODED))
        return STATUS_OK;
    enum status status = json_parse(text, NULL, judge->alloc, &doc, &error);
    if (status != STATUS_OK)
        return status == STATUS_NO_MEMORY ? status : STATUS_OK;
    *out_inner = json_doc_root(doc);
    return engine_judge_keep(judge, doc);
}

/* The value of a single member whose name the target does not know; it may not exist. */
static struct json open_envelope(const struct engine_judge *judge, struct json value)
{
    const struct json none = { NULL, NULL };
    if (json_type(value) != JSON_OBJECT || json_count(value) != 1 ||
        !engine_ledger_allows(&judge->attempt->ledger, ENGINE_READ_ENVELOPE))
        return none;
    struct json inner = json_first(value);
    const struct schema_program *program = judge->question->request->program;
    const struct schema_op *op = schema_node_find(program, 0, SCHEMA_OP_PROPERTIES);
    for (uint32_t i = 0; op != NULL && i < op->b; i++) {
        if (str_equal(program->properties[op->a + i].name, json_member_name(inner)))
            return none;
    }
    return inner;
}

/* What is inside of value; *out_inner may not exist. */
static enum status next_inside(struct engine_judge *judge, const struct engine_candidate *from,
                               struct json *out_inner)
{
    struct engine_ledger *ledger = &judge->attempt->ledger;
    enum status status = STATUS_OK;
    *out_inner = (struct json){ NULL, NULL };
    if (!engine_ledger_has_room(ledger, 1))
        return STATUS_OK;
    if (json_type(from->reply) == JSON_STRING) {
        status = decode_string(judge, from->reply, out_inner);
        if (json_exists(*out_inner))
            engine_ledger_add(ledger, ENGINE_READ_DOUBLE_ENCODED);
        return status;
    }
    *out_inner = open_envelope(judge, from->reply);
    if (json_exists(*out_inner))
        engine_ledger_add(ledger, ENGINE_READ_ENVELOPE);
    return status;
}

/* ---- all of them
 * --------------------------------------------------------------------------------------- */

static enum status try_mending(struct engine_judge *judge, const struct engine_candidate *candidate)
{
    struct engine_attempt *attempt = judge->attempt;
    struct engine_mend mend = { .program = judge->question->request->program,
                                .ledger = &attempt->ledger,
                                .folds_case = judge->projection != NULL &&
                                              projection_folds_case(judge->projection),
                                .alloc = judge->alloc };
    struct json_doc *doc = NULL;
    if (json_type(candidate->judged) != JSON_OBJECT)
        return STATUS_OK;
    attempt->ledger.count = candidate->ledger_count_all;
    enum status status = engine_mend_value(&mend, candidate->judged, &doc, judge->error);
    if (status != STATUS_OK || doc == NULL)
        return status;
    status = engine_judge_keep(judge, doc);
    return status == STATUS_OK ? try_value(judge, json_doc_root(doc)) : status;
}

/* The candidate whose faults are told: the first that is no string. */
static const struct engine_candidate *told_candidate(const struct engine_candidate *candidates,
                                                     uint32_t count)
{
    uint32_t index = 0;
    while (index + 1 < count && json_type(candidates[index].reply) == JSON_STRING)
        index++;
    return &candidates[index];
}

static enum status judge_value(struct engine_judge *judge, struct json value)
{
    struct engine_candidate candidates[CANDIDATES_MAX];
    struct engine_ledger *ledger = &judge->attempt->ledger;
    enum status status = STATUS_OK;
    uint32_t count = 0;
    while (count < CANDIDATES_MAX && json_exists(value)) {
        struct engine_candidate *candidate = &candidates[count++];
        status = engine_candidate_make(judge, value, candidate);
        if (status == STATUS_OK)
            status = try_candidate(judge, candidate);
        if (status != STATUS_OK || is_decided(judge))
            return status;
        ledger->count = candidate->ledger_count;
        status = next_inside(judge, candidate, &value);
        if (status != STATUS_OK)
            return status;
    }
    for (uint32_t i = 0; i < count; i++) {
        status = try_mending(judge, &candidates[i]);
        if (status != STATUS_OK || is_decided(judge))
            return status;
    }
    const struct engine_candidate *told = told_candidate(candidates, count);
    ledger->count = told->ledger_count_all;
    status = engine_judge_collect(judge, told);
    if (status == STATUS_OK && !is_decided(judge)) /* valid, but no object: not what was promised */
        status = engine_judge_refuse(judge, STR(""), "type", "value must be object",
                                     judge->attempt->value.line, judge->attempt->value.column);
    return status;
}

/* ---- the reply
 * ----------------------------------------------------------------------------------------- */

static enum status refuse_size(struct engine_judge *judge, size_t bytes_max)
{
    char message[ENGINE_REPLY_MESSAGE_BYTES];
    (void)snprintf(message, sizeof(message), "the reply was longer than the limit of %zu bytes",
                   bytes_max);
    return engine_judge_refuse(judge, STR(""), "json", message, 0, 0);
}

/* Where the text came from. False: it is not read, and the attempt is refused. */
static bool read_channel(struct engine_judge *judge, const struct model_reply *reply,
                         enum status *out_status)
{
    struct engine_ledger *ledger = &judge->attempt->ledger;
    enum engine_reading reading = ENGINE_READ_TOOL_ARGUMENTS;
    const char *message = "the reply was the arguments of a tool call, expected text";
    *out_status = STATUS_OK;
    switch (reply->channel) {
    case MODEL_CHANNEL_TEXT: return true;
    case MODEL_CHANNEL_TOOL: break;
    case MODEL_CHANNEL_REASONING:
        reading = ENGINE_READ_REASONING_CHANNEL;
        message =
            "the reply was empty beside its reasoning, expected one JSON object as the answer";
        break;
    }
    if (engine_ledger_allows(ledger, reading)) {
        engine_ledger_add(ledger, reading);
        return true;
    }
    *out_status = engine_judge_refuse(judge, STR(""), "json", message, 0, 0);
    return false;
}

static enum status judge_text(struct engine_judge *judge, struct str text)
{
    struct engine_reply_value *value = &judge->attempt->value;
    enum status status = engine_reply_read(text, &judge->attempt->ledger, judge->alloc, value);
    if (status != STATUS_OK)
        return status;
    if (value->doc == NULL)
        return engine_judge_refuse(judge, STR(""), value->keyword, value->message, value->line,
                                   value->column);
    return judge_value(judge, json_doc_root(value->doc));
}

enum status engine_attempt_judge(struct engine_attempt *attempt,
                                 const struct engine_question *question,
                                 const struct model_reply *reply, const struct alloc *alloc,
                                 struct error *error)
{
    struct engine_judge judge = { attempt, question, reply->projection, alloc, error };
    enum status status = STATUS_OK;
    engine_attempt_clear(attempt);
    attempt->ledger.allowed = engine_readings_of(question->request->readings_refused,
                                                 question->request->readings_allowed);
    if (buffer_status(&reply->text) == STATUS_NO_MEMORY)
        return STATUS_NO_MEMORY;
    if (reply->finish == MODEL_FINISH_ABORTED || reply->finish == MODEL_FINISH_RUNAWAY)
        return engine_judge_stopped(&judge, buffer_view(&reply->text),
                                    reply->finish == MODEL_FINISH_RUNAWAY);
    if (buffer_status(&reply->text) != STATUS_OK)
        return refuse_size(&judge, reply->text.max);
    if (!read_channel(&judge, reply, &status))
        return status;
    return judge_text(&judge, buffer_view(&reply->text));
}

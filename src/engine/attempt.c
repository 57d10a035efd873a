/* attempt.c - the verdict on one reply.
 *
 * Owns: the readings of a value that is not directly what was asked for (a JSON text inside a
 * string, one member around it, the wrapper missing), the need object, and the violations. Leaves
 * to others: finding the value (reply.c), judging it (schema/validate.h). Invariant: what is
 * accepted was judged valid by the validator, never by a reading.
 */
#include "base/features.h"

#include "engine/attempt.h"

#include <stdio.h>

#include "base/limits.h"
#include "engine/text.h"

enum { ATTEMPT_ARENA_BYTES = 16 << 20, ENCODED_DEPTH_MAX = 2 };

struct judge {
    struct engine_attempt *attempt;
    const struct engine_request *request;
    struct str need_name;
    const struct alloc *alloc;
    struct error *error;
};

void engine_attempt_init(struct engine_attempt *attempt, const struct alloc *alloc)
{
    *attempt = (struct engine_attempt){ .verdict = ENGINE_VERDICT_NONE };
    arena_init(&attempt->arena, alloc, ATTEMPT_ARENA_BYTES);
}

void engine_attempt_clear(struct engine_attempt *attempt)
{
    json_doc_free(attempt->value.doc);
    json_doc_free(attempt->wrapped);
    arena_reset(&attempt->arena);
    struct arena arena = attempt->arena;
    *attempt = (struct engine_attempt){ .verdict = ENGINE_VERDICT_NONE, .arena = arena };
}

void engine_attempt_release(struct engine_attempt *attempt)
{
    engine_attempt_clear(attempt);
    arena_release(&attempt->arena);
}

/* ---- violations
 * -------------------------------------------------------------------------------------- */

/* Makes the only violation of the attempt. keyword, pointer and message are copied. */
static enum status refuse_with(struct judge *judge, struct str pointer, const char *keyword,
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

/* The validator counts lines in the value's text; the reader of the result wants them in the reply.
 */
static void place_violations(struct engine_attempt *attempt)
{
    uint32_t line = attempt->value.line, column = attempt->value.column;
    for (uint32_t i = 0; i < attempt->violations.count; i++) {
        struct schema_violation *violation = &attempt->violations.items[i];
        if (line == 0 || violation->line == 0) {
            violation->line = 0;
            violation->column = 0;
            continue;
        }
        if (violation->line == 1)
            violation->column += column - 1;
        violation->line += line - 1;
    }
}

static enum status collect_violations(struct judge *judge, struct json value)
{
    struct engine_attempt *attempt = judge->attempt;
    attempt->violations = (struct schema_violations){ .arena = &attempt->arena };
    bool is_valid = false;
    enum status status = schema_validate(judge->request->program, value, 0, judge->alloc, &is_valid,
                                         &attempt->violations, judge->error);
    if (status != STATUS_OK)
        return status;
    if (is_valid) /* valid without being an object: the schema promised otherwise */
        return refuse_with(judge, STR(""), "type", "value must be object", attempt->value.line,
                           attempt->value.column);
    place_violations(attempt);
    attempt->verdict = ENGINE_VERDICT_REFUSED;
    return STATUS_OK;
}

/* ---- readings
 * ---------------------------------------------------------------------------------------- */

/* {"_need": "what is missing"}: present, a string, not blank. */
static bool read_need(struct judge *judge, struct json value)
{
    if (judge->need_name.len == 0 || json_type(value) != JSON_OBJECT)
        return false;
    struct json need = json_get(value, judge->need_name);
    if (!json_exists(need) || json_type(need) != JSON_STRING ||
        engine_text_is_blank(json_string(need)))
        return false;
    judge->attempt->need = json_string(need);
    judge->attempt->verdict = ENGINE_VERDICT_NEED;
    return true;
}

/* Accepts value if it is an object that the validator finds valid. */
static enum status try_value(struct judge *judge, struct json value)
{
    bool is_valid = false;
    if (json_type(value) != JSON_OBJECT)
        return STATUS_OK;
    enum status status =
        schema_is_valid(judge->request->program, value, 0, judge->alloc, &is_valid, judge->error);
    if (status == STATUS_OK && is_valid) {
        judge->attempt->data = value;
        judge->attempt->verdict = ENGINE_VERDICT_OK;
    }
    return status;
}

/* A string that holds a JSON object or array becomes that value. */
static enum status decode_string(struct judge *judge)
{
    struct engine_reply_value *value = &judge->attempt->value;
    for (int depth = 0; depth < ENCODED_DEPTH_MAX; depth++) {
        struct json root = json_doc_root(value->doc);
        if (json_type(root) != JSON_STRING)
            break;
        struct str text = engine_text_trim(json_string(root));
        if (text.len == 0 || (text.ptr[0] != '{' && text.ptr[0] != '[' && text.ptr[0] != '"'))
            break;
        struct error error = { 0 };
        struct json_doc *doc = NULL;
        enum status status = json_parse(text, NULL, judge->alloc, &doc, &error);
        if (status == STATUS_NO_MEMORY)
            return status;
        if (status != STATUS_OK)
            break;
        json_doc_free(value->doc);
        value->doc = doc;
        value->line = 0;
        value->column = 0;
        engine_reply_repair(value, STR("double-encoded"), STR("low"));
    }
    return STATUS_OK;
}

/* unwrap_root: the bare inner value is as good as the wrapped one. */
static enum status try_bare(struct judge *judge, struct json value)
{
    struct engine_attempt *attempt = judge->attempt;
    if (!judge->request->unwrap_root)
        return STATUS_OK;
    struct json_options options = JSON_OPTIONS_DEFAULT;
    options.depth_max++;
    options.nodes_max++;
    struct buffer text;
    buffer_init(&text, judge->alloc, LIMIT_JSON_BYTES);
    buffer_append_str(&text, STR("{\"value\":"));
    json_write(value, 0, &text);
    buffer_append_byte(&text, '}');
    enum status status = buffer_status(&text) == STATUS_OK ? STATUS_OK : STATUS_NO_MEMORY;
    struct error error = { 0 };
    if (status == STATUS_OK)
        status = json_parse(buffer_view(&text), &options, judge->alloc, &attempt->wrapped, &error);
    buffer_release(&text);
    if (status != STATUS_OK)
        return status == STATUS_NO_MEMORY ? status : STATUS_OK;
    return try_value(judge, json_doc_root(attempt->wrapped));
}

/* One member around the value, under a name that the target does not know. */
static enum status try_envelope(struct judge *judge, struct json value)
{
    if (json_type(value) != JSON_OBJECT || json_count(value) != 1)
        return STATUS_OK;
    struct json inner = json_first(value);
    const struct schema_program *program = judge->request->program;
    const struct schema_op *op = schema_node_find(program, 0, SCHEMA_OP_PROPERTIES);
    for (uint32_t i = 0; op != NULL && i < op->b; i++) {
        if (str_equal(program->properties[op->a + i].name, json_member_name(inner)))
            return STATUS_OK;
    }
    enum status status = STATUS_OK;
    if (!read_need(judge, inner))
        status = try_value(judge, inner);
    if (judge->attempt->verdict != ENGINE_VERDICT_NONE)
        engine_reply_repair(&judge->attempt->value, STR("envelope"), STR("low"));
    return status;
}

static enum status judge_value(struct judge *judge)
{
    enum status status = decode_string(judge);
    if (status != STATUS_OK)
        return status;
    struct json value = json_doc_root(judge->attempt->value.doc);
    if (read_need(judge, value))
        return STATUS_OK;
    enum status (*const readings[])(
        struct judge *, struct json) = { try_value, try_bare, try_envelope, collect_violations };
    for (size_t i = 0; i < sizeof(readings) / sizeof(readings[0]); i++) {
        status = readings[i](judge, value);
        if (status != STATUS_OK || judge->attempt->verdict != ENGINE_VERDICT_NONE)
            return status;
    }
    return STATUS_OK;
}

static enum status refuse_size(struct judge *judge, size_t bytes_max)
{
    char message[ENGINE_REPLY_MESSAGE_BYTES];
    (void)snprintf(message, sizeof(message), "the reply was longer than the limit of %zu bytes",
                   bytes_max);
    return refuse_with(judge, STR(""), "json", message, 0, 0);
}

enum status engine_attempt_judge(struct engine_attempt *attempt,
                                 const struct engine_request *request, struct str need_name,
                                 const struct buffer *reply, const struct alloc *alloc,
                                 struct error *error)
{
    struct judge judge = { attempt, request, need_name, alloc, error };
    engine_attempt_clear(attempt);
    if (buffer_status(reply) == STATUS_NO_MEMORY)
        return STATUS_NO_MEMORY;
    if (buffer_status(reply) != STATUS_OK)
        return refuse_size(&judge, reply->max);
    enum status status = engine_reply_read(buffer_view(reply), alloc, &attempt->value);
    if (status != STATUS_OK)
        return status;
    if (attempt->value.doc == NULL)
        return refuse_with(&judge, STR(""), attempt->value.keyword, attempt->value.message,
                           attempt->value.line, attempt->value.column);
    return judge_value(&judge);
}

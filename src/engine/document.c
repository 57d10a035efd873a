/* document.c - the result and the error as JSON documents.
 *
 * Owns: the field names of the contract (docs/engine.md lists them). Leaves to others: streams,
 * files, colours.
 */
#include "base/features.h"

#include "base/limits.h"
#include "engine/engine.h"
#include "schema/reason.h"

/* Writes members one after the other: a comma before all but the first. */
struct members {
    struct buffer *out;
    bool has_any;
};

static struct members members_begin(struct buffer *out)
{
    buffer_append_byte(out, '{');
    return (struct members){ out, false };
}

static void members_name(struct members *members, const char *name)
{
    if (members->has_any)
        buffer_append_byte(members->out, ',');
    members->has_any = true;
    json_write_string(str_from(name), members->out);
    buffer_append_byte(members->out, ':');
}

static void members_string(struct members *members, const char *name, struct str text)
{
    members_name(members, name);
    json_write_string(text, members->out);
}

static void members_uint(struct members *members, const char *name, uint64_t value)
{
    members_name(members, name);
    buffer_append_uint(members->out, value);
}

static void members_bool(struct members *members, const char *name, bool value)
{
    members_name(members, name);
    buffer_append_str(members->out, value ? STR("true") : STR("false"));
}

static void members_end(struct members *members)
{
    buffer_append_byte(members->out, '}');
}

static const char *status_text(enum engine_status status)
{
    switch (status) {
    case ENGINE_OK: return "ok";
    case ENGINE_NEED_MORE_INPUT: return "need-more-input";
    case ENGINE_STALE: return "stale";
    }
    return "stale";
}

static void write_error_text(const struct schema_violation *violation, struct buffer *out)
{
    struct buffer text;
    buffer_init(&text, out->alloc, LIMIT_JSON_BYTES);
    schema_write_violation(violation, &text);
    if (buffer_status(&text) != STATUS_OK)
        out->status = buffer_status(&text);
    json_write_string(buffer_view(&text), out);
    buffer_release(&text);
}

static void write_violation(const struct schema_violation *violation, struct buffer *out)
{
    struct members members = members_begin(out);
    members_string(&members, "pointer", violation->pointer);
    members_string(&members, "keyword", violation->keyword);
    members_string(&members, "message", violation->message);
    if (violation->schema_pointer.len > 0)
        members_string(&members, "schemaPointer", violation->schema_pointer);
    if (violation->limit.len > 0) {
        members_name(&members, "limit");
        buffer_append_str(out, violation->limit);
    }
    if (violation->hint.len > 0)
        members_string(&members, "hint", violation->hint);
    if (violation->line > 0) {
        members_uint(&members, "line", violation->line);
        members_uint(&members, "column", violation->column);
    }
    members_end(&members);
}

static void write_faults(const struct schema_violations *violations, struct members *members)
{
    struct buffer *out = members->out;
    members_name(members, "errors");
    for (uint32_t i = 0; i < violations->count; i++) {
        buffer_append_byte(out, i == 0 ? '[' : ',');
        write_error_text(&violations->items[i], out);
    }
    buffer_append_str(out, violations->count == 0 ? STR("[]") : STR("]"));
    members_name(members, "violations");
    for (uint32_t i = 0; i < violations->count; i++) {
        buffer_append_byte(out, i == 0 ? '[' : ',');
        write_violation(&violations->items[i], out);
    }
    buffer_append_str(out, violations->count == 0 ? STR("[]") : STR("]"));
}

static void write_usage(const struct engine_usage *usage, struct members *members)
{
    if (usage->model_calls == 0)
        return;
    members_name(members, "usage");
    struct members inner = members_begin(members->out);
    members_uint(&inner, "inputTokens", usage->tokens.input_tokens);
    members_uint(&inner, "outputTokens", usage->tokens.output_tokens);
    members_uint(&inner, "cachedInputTokens", usage->tokens.cached_input_tokens);
    members_uint(&inner, "savedOutputTokens", usage->tokens.saved_output_tokens);
    members_bool(&inner, "estimated", usage->tokens.is_estimated);
    members_uint(&inner, "modelCalls", usage->model_calls);
    members_string(&inner, "model", usage->model);
    members_uint(&inner, "drift", usage->drift_count);
    members_end(&inner);
}

static void write_repair(const struct engine_repair *repair, struct buffer *out)
{
    struct members members = members_begin(out);
    members_string(&members, "name", repair->name);
    members_string(&members, "risk", repair->risk);
    if (repair->has_pointer)
        members_string(&members, "pointer", repair->pointer);
    if (repair->has_span) {
        members_name(&members, "span");
        struct members span = members_begin(out);
        members_uint(&span, "start", repair->span_begin);
        members_uint(&span, "end", repair->span_end);
        members_end(&span);
    }
    members_end(&members);
}

static void write_repairs(const struct engine_result *result, struct members *members)
{
    struct buffer *out = members->out;
    members_name(members, "repairs");
    buffer_append_byte(out, '[');
    for (uint32_t i = 0; i < result->repair_count; i++) {
        if (i > 0)
            buffer_append_byte(out, ',');
        write_repair(&result->repairs[i], out);
    }
    buffer_append_byte(out, ']');
}

static void write_projection(const struct engine_projection_report *projection,
                             struct members *members)
{
    struct buffer *out = members->out;
    if (!projection->exists)
        return;
    members_name(members, "projection");
    struct members inner = members_begin(out);
    members_bool(&inner, "strict", projection->is_strict);
    members_uint(&inner, "rung", projection->rung);
    members_string(&inner, "form", str_from(projection_rung_name(projection->rung)));
    members_name(&inner, "moved");
    buffer_append_byte(out, '[');
    for (uint32_t i = 0; i < projection->move_count; i++) {
        const struct projection_move *move = &projection->moves[i];
        if (i > 0)
            buffer_append_byte(out, ',');
        struct members item = members_begin(out);
        members_string(&item, "pointer", move->pointer);
        members_string(&item, "keyword", move->keyword);
        members_string(&item, "reason", move->reason);
        members_bool(&item, "inWords", move->in_words);
        members_end(&item);
    }
    buffer_append_byte(out, ']');
    members_end(&inner);
}

static void write_report(const struct engine_result *result, struct members *members)
{
    struct buffer *out = members->out;
    members_name(members, "report");
    struct members inner = members_begin(out);
    members_name(&inner, "warnings");
    buffer_append_byte(out, '[');
    for (uint32_t i = 0; i < result->warning_count; i++) {
        if (i > 0)
            buffer_append_byte(out, ',');
        json_write_string(result->warnings[i], out);
    }
    buffer_append_byte(out, ']');
    write_projection(&result->projection, &inner);
    if (result->prompt_tokens > 0)
        members_uint(&inner, "promptTokens", result->prompt_tokens);
    if (result->request_id.len > 0)
        members_string(&inner, "requestId", result->request_id);
    members_end(&inner);
}

static void write_result_compact(const struct engine_result *result, struct buffer *out)
{
    struct members members = members_begin(out);
    members_string(&members, "status", str_from(status_text(result->status)));
    switch (result->status) {
    case ENGINE_OK:
        members_name(&members, "data");
        json_write(result->data, 0, out);
        break;
    case ENGINE_NEED_MORE_INPUT: members_string(&members, "need", result->need); break;
    case ENGINE_STALE: write_faults(&result->violations, &members); break;
    }
    members_string(&members, "schemaOrigin", result->schema_origin);
    members_uint(&members, "iterations", result->iterations);
    write_usage(&result->usage, &members);
    write_repairs(result, &members);
    write_report(result, &members);
    members_end(&members);
}

static void write_error_compact(const struct error *error, struct buffer *out)
{
    struct members outer = members_begin(out);
    members_name(&outer, "error");
    struct members members = members_begin(out);
    members_string(&members, "kind", str_from(status_name(error->status)));
    members_string(&members, "message", str_from(error->message));
    if (error->hint[0] != '\0')
        members_string(&members, "hint", str_from(error->hint));
    if (error->has_pointer)
        members_string(&members, "pointer", str_from(error->pointer));
    if (error->line > 0) {
        members_uint(&members, "line", error->line);
        members_uint(&members, "column", error->column);
    }
    if (error->retry_after_ms >= 0)
        members_uint(&members, "retryAfterMs", (uint64_t)error->retry_after_ms);
    members_end(&members);
    members_end(&outer);
}

/* Appends compact text, which is ours, as it is or indented. */
static void append_indented(struct buffer *compact, unsigned indent, struct buffer *out)
{
    struct json_options options = JSON_OPTIONS_DEFAULT;
    options.bytes_max = LIMIT_JSON_LOCAL_BYTES;
    options.nodes_max = LIMIT_JSON_LOCAL_NODES;
    options.depth_max += 4;
    struct json_doc *doc = NULL;
    struct error error = { 0 };
    if (buffer_status(compact) != STATUS_OK) {
        out->status = buffer_status(compact);
    } else if (indent == 0) {
        buffer_append_str(out, buffer_view(compact));
    } else if (json_parse(buffer_view(compact), &options, out->alloc, &doc, &error) != STATUS_OK) {
        out->status = STATUS_NO_MEMORY;
    } else {
        json_write(json_doc_root(doc), indent, out);
    }
    json_doc_free(doc);
    buffer_release(compact);
}

void engine_write_data(const struct engine_result *result, unsigned indent, struct buffer *out)
{
    if (result->status == ENGINE_OK)
        json_write(result->data, indent, out);
}

void engine_write_result(const struct engine_result *result, unsigned indent, struct buffer *out)
{
    struct buffer compact;
    buffer_init(&compact, out->alloc, LIMIT_JSON_LOCAL_BYTES);
    write_result_compact(result, &compact);
    append_indented(&compact, indent, out);
}

void engine_write_error(const struct error *error, unsigned indent, struct buffer *out)
{
    struct buffer compact;
    buffer_init(&compact, out->alloc, LIMIT_JSON_BYTES);
    write_error_compact(error, &compact);
    append_indented(&compact, indent, out);
}

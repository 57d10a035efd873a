/* anthropic.c - the Messages API of Anthropic.
 *
 * Owns: the body of its request, its stream events, its documents. A block of a reply is told from
 * others by its index; only blocks of text and of the tool count, thinking does not. Leaves to
 * others: URL, headers, errors, what a model takes. Invariant: a stream is complete with
 * message_stop alone.
 */
#include "base/features.h"

#include "provider/protocol_parts.h"

/* ---- request ---- */

static void write_text_block(struct wire *wire, struct str text, bool is_marked)
{
    wire_item(wire);
    wire_string(wire, STR("type"), STR("text"));
    wire_string(wire, STR("text"), text);
    if (is_marked && wire_object(wire, STR("cache_control"))) {
        wire_string(wire, STR("type"), STR("ephemeral"));
        wire_object_end(wire);
    }
    wire_object_end(wire);
}

/* One block a turn; the mark is on the last one, which ends what is the same over calls. */
static void write_system(const struct protocol_call *call, struct wire *wire)
{
    struct str text;
    struct str next;
    uint32_t at = 0;
    if (!protocol_has_system(call) || !wire_array(wire, STR("system")))
        return;
    bool has_next = protocol_text_next(call, NULL, &at, &next);
    while (has_next) {
        text = next;
        has_next = protocol_text_next(call, NULL, &at, &next);
        write_text_block(wire, text, !has_next && protocol_takes(call, PROVIDER_TAKES_CACHE_MARKS));
    }
    wire_array_end(wire);
}

static void write_messages(const struct protocol_call *call, struct wire *wire)
{
    struct protocol_turn turn = { .is_begun = false };
    if (!wire_array(wire, STR("messages")))
        return;
    while (protocol_turn_next(call, &turn)) {
        struct str text;
        uint32_t at = 0;
        wire_item(wire);
        wire_string(wire, STR("role"), protocol_role_word(turn.role));
        if (wire_array(wire, STR("content"))) {
            while (protocol_text_next(call, &turn, &at, &text))
                write_text_block(wire, text, false);
            wire_array_end(wire);
        }
        wire_object_end(wire);
    }
    wire_array_end(wire);
}

static void write_tool(const struct protocol_call *call, struct wire *wire)
{
    if (wire_array(wire, STR("tools"))) {
        wire_item(wire);
        wire_string(wire, STR("name"), call->schema_name);
        wire_string(wire, STR("description"), protocol_tool_words);
        if (call->is_strict)
            wire_bool(wire, STR("strict"), true);
        wire_json(wire, STR("input_schema"), call->schema);
        wire_object_end(wire);
        wire_array_end(wire);
    }
    if (wire_object(wire, STR("tool_choice"))) {
        wire_string(wire, STR("type"), STR("auto"));
        wire_object_end(wire);
    }
}

static void anthropic_write(const struct protocol_call *call, struct buffer *body)
{
    struct wire wire;
    protocol_begin(call, &wire, body);
    wire_string(&wire, STR("model"), call->model);
    protocol_write_limit(call, &wire, STR("max_tokens"));
    protocol_write_sampling(call, &wire, 0);
    if (call->is_streamed)
        wire_bool(&wire, STR("stream"), true);
    write_system(call, &wire);
    write_messages(call, &wire);
    if (protocol_asks_by(call, PROVIDER_BY_SCHEMA) && wire_object(&wire, STR("output_config"))) {
        if (wire_object(&wire, STR("format"))) {
            wire_string(&wire, STR("type"), STR("json_schema"));
            wire_json(&wire, STR("schema"), call->schema);
            wire_object_end(&wire);
        }
        wire_object_end(&wire);
    }
    if (protocol_asks_by(call, PROVIDER_BY_TOOL))
        write_tool(call, &wire);
    wire_end(&wire);
}

/* ---- reply ---- */

static const struct protocol_finish_word finish_words[] = {
    { "end_turn", MODEL_FINISH_STOP },
    { "stop_sequence", MODEL_FINISH_STOP },
    { "tool_use", MODEL_FINISH_STOP },
    { "max_tokens", MODEL_FINISH_LENGTH },
    { "model_context_window_exceeded", MODEL_FINISH_LENGTH },
    { "refusal", MODEL_FINISH_REFUSAL },
    { "pause_turn", MODEL_FINISH_UNKNOWN },
};

static void read_usage(struct protocol_reader *reader, struct json usage)
{
    struct model_usage *out = &reader->reply.usage;
    struct json details = protocol_member(usage, STR("output_tokens_details"));
    uint64_t fresh = 0;
    uint64_t created = 0;
    uint64_t cached = out->cached_input_tokens;
    bool has_input = protocol_count(protocol_member(usage, STR("input_tokens")), &fresh);
    (void)protocol_count(protocol_member(usage, STR("cache_creation_input_tokens")), &created);
    (void)protocol_count(protocol_member(usage, STR("cache_read_input_tokens")), &cached);
    if (has_input && fresh + created + cached > out->input_tokens)
        out->input_tokens = fresh + created + cached;
    out->cached_input_tokens = cached;
    bool has_output =
        protocol_count(protocol_member(usage, STR("output_tokens")), &out->output_tokens);
    (void)protocol_count(protocol_member(details, STR("thinking_tokens")),
                         &reader->reply.reasoning_tokens);
    reader->reply.has_usage |= has_input || has_output;
}

static void read_stop_reason(struct protocol_reader *reader, struct json holder)
{
    struct str word = protocol_word(holder, STR("stop_reason"));
    if (word.len == 0)
        return;
    protocol_finish(reader, finish_words, PROTOCOL_COUNT_OF(finish_words), word);
    if (str_equal(word, STR("tool_use")))
        protocol_expect_tool(reader);
}

/* A block as it begins, or whole. What a tool's block holds at its beginning counts only if no
 * pieces follow. */
static enum status read_block(struct protocol_reader *reader, struct json block, int64_t index,
                              bool is_whole)
{
    struct str type = protocol_word(block, STR("type"));
    struct json input = protocol_member(block, STR("input"));
    if (!protocol_is(block, JSON_OBJECT))
        return protocol_odd(reader, STR("content"));
    if (str_equal(type, STR("text")))
        return protocol_add_content(reader, protocol_member(block, STR("text")), index);
    if (!str_equal(type, STR("tool_use")) || !protocol_begin_tool(reader, index))
        return STATUS_OK;
    if (is_whole)
        return protocol_add_argument_value(reader, input);
    if (json_exists(input) && reader->block.len == 0) {
        json_write(input, 0, &reader->block);
        if (buffer_status(&reader->block) == STATUS_NO_MEMORY)
            return STATUS_NO_MEMORY;
    }
    return STATUS_OK;
}

static enum status read_delta(struct protocol_reader *reader, struct json event, int64_t index)
{
    struct json delta = protocol_member(event, STR("delta"));
    struct str type = protocol_word(delta, STR("type"));
    if (!protocol_is(delta, JSON_OBJECT))
        return protocol_odd(reader, STR("delta"));
    if (str_equal(type, STR("text_delta"))) {
        struct json text = protocol_member(delta, STR("text"));
        if (!protocol_is(text, JSON_STRING))
            return protocol_odd(reader, STR("delta.text"));
        return protocol_add_text(reader, json_string(text), index);
    }
    if (!str_equal(type, STR("input_json_delta")))
        return STATUS_OK;
    struct json piece = protocol_member(delta, STR("partial_json"));
    if (!protocol_is(piece, JSON_STRING))
        return protocol_odd(reader, STR("delta.partial_json"));
    if (!protocol_begin_tool(reader, index))
        return STATUS_OK;
    if (json_string(piece).len > 0)
        buffer_clear(&reader->block);
    return protocol_add_arguments(reader, json_string(piece));
}

/* The input that the tool's block began with, when no pieces came. */
static enum status settle_tool(struct protocol_reader *reader)
{
    enum status status = STATUS_OK;
    if (reader->tool_index >= 0 && reader->reply.text.len == 0)
        status = protocol_add_arguments(reader, buffer_view(&reader->block));
    buffer_clear(&reader->block);
    return status;
}

static enum status read_start(struct protocol_reader *reader, struct json message)
{
    if (!protocol_is(message, JSON_OBJECT))
        return protocol_odd(reader, STR("message"));
    if (reader->reply.text.len > 0 || reader->aside.len > 0)
        return protocol_odd(reader, STR("message_start"));
    protocol_identify(reader, protocol_member(message, STR("id")),
                      protocol_member(message, STR("model")));
    read_usage(reader, protocol_member(message, STR("usage")));
    return STATUS_OK;
}

static enum status anthropic_event(struct protocol_reader *reader, struct str name,
                                   struct json data)
{
    int64_t index = 0;
    enum status status = protocol_index(reader, data, STR("index"), &index);
    if (status != STATUS_OK)
        return status;
    if (str_equal(name, STR("message_start")))
        return read_start(reader, protocol_member(data, STR("message")));
    if (str_equal(name, STR("content_block_start")))
        return read_block(reader, protocol_member(data, STR("content_block")), index, false);
    if (str_equal(name, STR("content_block_delta")))
        return read_delta(reader, data, index);
    if (str_equal(name, STR("content_block_stop")))
        return index == reader->tool_index ? settle_tool(reader) : STATUS_OK;
    if (str_equal(name, STR("message_delta"))) {
        read_stop_reason(reader, protocol_member(data, STR("delta")));
        read_usage(reader, protocol_member(data, STR("usage")));
        return STATUS_OK;
    }
    if (!str_equal(name, STR("message_stop")))
        return STATUS_OK;
    status = settle_tool(reader);
    reader->reply.is_complete = status == STATUS_OK;
    return status;
}

static enum status anthropic_document(struct protocol_reader *reader, struct json document)
{
    struct json content = protocol_member(document, STR("content"));
    int64_t index = 0;
    if (protocol_is(content, JSON_STRING))
        return protocol_odd(reader, STR("content"));
    if (!protocol_is(content, JSON_ARRAY) && !protocol_is_null(content))
        return protocol_odd(reader, STR("content"));
    if (protocol_is_null(content) &&
        !protocol_is(protocol_member(document, STR("stop_reason")), JSON_STRING))
        return protocol_odd(reader, STR("content"));
    protocol_identify(reader, protocol_member(document, STR("id")),
                      protocol_member(document, STR("model")));
    read_usage(reader, protocol_member(document, STR("usage")));
    if (protocol_is(content, JSON_ARRAY)) {
        for (struct json at = json_first(content); json_exists(at); at = json_next(at, content)) {
            enum status status = read_block(reader, at, index++, true);
            if (status != STATUS_OK)
                return status;
        }
    }
    read_stop_reason(reader, document);
    return STATUS_OK;
}

const struct protocol_ops protocol_anthropic = {
    .name = "anthropic",
    .path = { "/v1/messages", 12 },
    .write = anthropic_write,
    .event = anthropic_event,
    .document = anthropic_document,
};

/* openai_chat.c - Chat Completions of OpenAI and of every server that speaks it.
 *
 * Owns: the body of its request, its chunks, its documents. Choice 0 is the reply, others are
 * noted. Leaves to others: URL, headers, errors, what a model or server takes. Invariants: a stream
 * is complete with the data "[DONE]" after a finish_reason; a refusal counts whatever else is said.
 */
#include "base/features.h"

#include "provider/protocol_parts.h"

/* ---- request ---- */

static void write_messages(const struct protocol_call *call, struct wire *wire)
{
    if (!wire_array(wire, STR("messages")))
        return;
    if (protocol_has_system(call)) {
        wire_item(wire);
        wire_string(wire, STR("role"), STR("system"));
        protocol_write_texts(call, NULL, wire, STR("content"));
        wire_object_end(wire);
    }
    protocol_write_turns(call, wire);
    wire_array_end(wire);
}

static void write_format(const struct protocol_call *call, struct wire *wire)
{
    bool by_schema = protocol_asks_by(call, PROVIDER_BY_SCHEMA);
    if (!protocol_has_format(call) || !wire_object(wire, STR("response_format")))
        return;
    wire_string(wire, STR("type"), by_schema ? STR("json_schema") : STR("json_object"));
    if (by_schema && wire_object(wire, STR("json_schema"))) {
        protocol_write_schema(call, wire, STR("schema"));
        wire_object_end(wire);
    }
    wire_object_end(wire);
}

static void write_tool(const struct protocol_call *call, struct wire *wire)
{
    if (wire_array(wire, STR("tools"))) {
        wire_item(wire);
        wire_string(wire, STR("type"), STR("function"));
        if (wire_object(wire, STR("function"))) {
            wire_string(wire, STR("description"), protocol_tool_words);
            protocol_write_schema(call, wire, STR("parameters"));
            wire_object_end(wire);
        }
        wire_object_end(wire);
        wire_array_end(wire);
    }
    wire_string(wire, STR("tool_choice"), STR("auto"));
}

static void chat_write(const struct protocol_call *call, struct buffer *body)
{
    struct wire wire;
    protocol_begin(call, &wire, body);
    wire_string(&wire, STR("model"), call->model);
    write_messages(call, &wire);
    protocol_write_limit(call, &wire, STR("max_tokens"));
    protocol_write_sampling(call, &wire, INT64_MAX);
    if (protocol_takes(call, PROVIDER_TAKES_STORE))
        wire_bool(&wire, STR("store"), false);
    if (call->is_streamed) {
        wire_bool(&wire, STR("stream"), true);
        if (protocol_takes(call, PROVIDER_TAKES_STREAM_USAGE) &&
            wire_object(&wire, STR("stream_options"))) {
            wire_bool(&wire, STR("include_usage"), true);
            wire_object_end(&wire);
        }
    }
    write_format(call, &wire);
    if (protocol_asks_by(call, PROVIDER_BY_TOOL))
        write_tool(call, &wire);
    wire_end(&wire);
}

/* ---- reply ---- */

static const struct protocol_finish_word finish_words[] = {
    { "stop", MODEL_FINISH_STOP },           { "eos", MODEL_FINISH_STOP },
    { "tool_calls", MODEL_FINISH_STOP },     { "function_call", MODEL_FINISH_STOP },
    { "length", MODEL_FINISH_LENGTH },       { "max_tokens", MODEL_FINISH_LENGTH },
    { "model_length", MODEL_FINISH_LENGTH }, { "content_filter", MODEL_FINISH_FILTER },
    { "refusal", MODEL_FINISH_REFUSAL },
};

static const struct protocol_usage_names usage_names = { "prompt_tokens", "prompt_tokens_details",
                                                         "completion_tokens",
                                                         "completion_tokens_details" };

static enum status read_tool_call(struct protocol_reader *reader, struct json call, int64_t place,
                                  bool is_whole)
{
    struct json function = protocol_member(call, STR("function"));
    struct json arguments = protocol_member(function, STR("arguments"));
    int64_t index = place;
    if (!protocol_is(call, JSON_OBJECT))
        return protocol_odd(reader, STR("tool_calls"));
    if (!is_whole) {
        enum status status = protocol_index(reader, call, STR("index"), &index);
        if (status != STATUS_OK)
            return status;
    }
    if (!protocol_begin_tool(reader, index))
        return STATUS_OK;
    if (!is_whole && protocol_is_null(arguments))
        return STATUS_OK;
    return protocol_add_argument_value(reader, arguments);
}

static enum status read_tool_calls(struct protocol_reader *reader, struct json message,
                                   bool is_whole)
{
    struct json calls = protocol_member(message, STR("tool_calls"));
    struct json legacy = protocol_member(message, STR("function_call"));
    if (protocol_is(legacy, JSON_OBJECT) && protocol_begin_tool(reader, 0)) {
        struct json arguments = protocol_member(legacy, STR("arguments"));
        return is_whole || !protocol_is_null(arguments)
                   ? protocol_add_argument_value(reader, arguments)
                   : STATUS_OK;
    }
    if (protocol_is_null(calls))
        return STATUS_OK;
    if (!protocol_is(calls, JSON_ARRAY))
        return protocol_odd(reader, STR("tool_calls"));
    int64_t place = 0;
    for (struct json at = json_first(calls); json_exists(at); at = json_next(at, calls)) {
        enum status status = read_tool_call(reader, at, place++, is_whole);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* message: of a document, or delta: of a chunk. Either may be missing. */
static enum status read_message(struct protocol_reader *reader, struct json message, bool is_whole)
{
    if (protocol_is_null(message))
        return STATUS_OK;
    if (!protocol_is(message, JSON_OBJECT))
        return protocol_odd(reader, is_whole ? STR("message") : STR("delta"));
    if (protocol_word(message, STR("refusal")).len > 0)
        protocol_refuse(reader, STR("refusal"));
    protocol_add_reasoning(reader, protocol_word(message, STR("reasoning_content")));
    protocol_add_reasoning(reader, protocol_word(message, STR("reasoning")));
    enum status status = protocol_add_content(reader, protocol_member(message, STR("content")), 0);
    return status == STATUS_OK ? read_tool_calls(reader, message, is_whole) : status;
}

static enum status read_choice(struct protocol_reader *reader, struct json choice, bool is_whole)
{
    int64_t index = 0;
    if (!protocol_is(choice, JSON_OBJECT))
        return protocol_odd(reader, STR("choices"));
    enum status status = protocol_index(reader, choice, STR("index"), &index);
    if (status != STATUS_OK)
        return status;
    if (index > 0) {
        reader->reply.has_second_choice = true;
        return STATUS_OK;
    }
    status = read_message(reader, protocol_member(choice, is_whole ? STR("message") : STR("delta")),
                          is_whole);
    struct str word = protocol_word(choice, STR("finish_reason"));
    if (status != STATUS_OK || word.len == 0)
        return status;
    protocol_finish(reader, finish_words, PROTOCOL_COUNT_OF(finish_words), word);
    if (str_equal(word, STR("tool_calls")) || str_equal(word, STR("function_call")))
        protocol_expect_tool(reader);
    return STATUS_OK;
}

static enum status read_completion(struct protocol_reader *reader, struct json data, bool is_whole)
{
    struct json choices = protocol_member(data, STR("choices"));
    protocol_identify(reader, protocol_member(data, STR("id")),
                      protocol_member(data, STR("model")));
    protocol_read_usage(reader, protocol_member(data, STR("usage")), &usage_names);
    if (!is_whole && protocol_is_null(choices))
        return STATUS_OK;
    if (!protocol_is(choices, JSON_ARRAY))
        return protocol_odd(reader, STR("choices"));
    for (struct json at = json_first(choices); json_exists(at); at = json_next(at, choices)) {
        enum status status = read_choice(reader, at, is_whole);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static enum status chat_event(struct protocol_reader *reader, struct str name, struct json data)
{
    (void)name;
    return read_completion(reader, data, false);
}

static enum status chat_document(struct protocol_reader *reader, struct json document)
{
    return read_completion(reader, document, true);
}

const struct protocol_ops protocol_chat = {
    .name = "chat",
    .path = { "/chat/completions", 17 },
    .ends_with_done = true,
    .write = chat_write,
    .event = chat_event,
    .document = chat_document,
};

/* gemini.c - generateContent of the Gemini API.
 *
 * Owns: the body of its request, its stream events (each a whole response with increments), its
 * documents, also as an array of such responses. Candidate 0 is the reply, others are noted; parts
 * that are thoughts are not of the answer. Leaves to others: URL, headers, errors, what a model
 * takes. Invariant: there is no terminal event, so a stream is complete only when the transfer
 * ended well after a finishReason.
 */
#include "base/features.h"

#include "provider/protocol_parts.h"

/* ---- request ---- */

static void write_parts(const struct protocol_call *call, const struct protocol_turn *turn,
                        struct wire *wire)
{
    struct str text;
    uint32_t at = 0;
    if (!wire_array(wire, STR("parts")))
        return;
    while (protocol_text_next(call, turn, &at, &text)) {
        wire_item(wire);
        wire_string(wire, STR("text"), text);
        wire_object_end(wire);
    }
    wire_array_end(wire);
}

static void write_contents(const struct protocol_call *call, struct wire *wire)
{
    struct protocol_turn turn = { .is_begun = false };
    if (!wire_array(wire, STR("contents")))
        return;
    while (protocol_turn_next(call, &turn)) {
        wire_item(wire);
        wire_string(wire, STR("role"),
                    turn.role == MODEL_ROLE_ASSISTANT ? STR("model") : STR("user"));
        write_parts(call, &turn, wire);
        wire_object_end(wire);
    }
    wire_array_end(wire);
}

static void write_config(const struct protocol_call *call, struct wire *wire)
{
    const struct wire_rules *rules = call->model_row->rules;
    bool by_schema = protocol_asks_by(call, PROVIDER_BY_SCHEMA);
    if (!wire_object(wire, STR("generationConfig")))
        return;
    protocol_write_limit(call, wire, STR("maxOutputTokens"));
    protocol_write_sampling(call, wire, INT32_MAX);
    if (by_schema || call->mechanism == PROVIDER_BY_JSON_OBJECT)
        wire_string(wire, STR("responseMimeType"), STR("application/json"));
    if (by_schema) {
        bool is_openapi = rules != NULL && rules->has_upper_types;
        wire_json(wire, is_openapi ? STR("responseSchema") : STR("responseJsonSchema"),
                  call->schema);
    }
    wire_object_end(wire);
}

static void write_tool(const struct protocol_call *call, struct wire *wire)
{
    if (wire_array(wire, STR("tools"))) {
        wire_item(wire);
        if (wire_array(wire, STR("functionDeclarations"))) {
            wire_item(wire);
            wire_string(wire, STR("name"), call->schema_name);
            wire_string(wire, STR("description"), protocol_tool_words);
            wire_json(wire, STR("parametersJsonSchema"), call->schema);
            wire_object_end(wire);
            wire_array_end(wire);
        }
        wire_object_end(wire);
        wire_array_end(wire);
    }
    if (wire_object(wire, STR("toolConfig"))) {
        if (wire_object(wire, STR("functionCallingConfig"))) {
            wire_string(wire, STR("mode"), call->is_strict ? STR("VALIDATED") : STR("AUTO"));
            wire_object_end(wire);
        }
        wire_object_end(wire);
    }
}

static void gemini_write(const struct protocol_call *call, struct buffer *body)
{
    struct wire wire;
    protocol_begin(call, &wire, body);
    if (protocol_has_system(call) && wire_object(&wire, STR("systemInstruction"))) {
        write_parts(call, NULL, &wire);
        wire_object_end(&wire);
    }
    write_contents(call, &wire);
    write_config(call, &wire);
    if (protocol_asks_by(call, PROVIDER_BY_TOOL))
        write_tool(call, &wire);
    wire_end(&wire);
}

/* ---- reply ---- */

static const struct protocol_finish_word finish_words[] = {
    { "STOP", MODEL_FINISH_STOP },
    { "MAX_TOKENS", MODEL_FINISH_LENGTH },
    { "SAFETY", MODEL_FINISH_FILTER },
    { "RECITATION", MODEL_FINISH_FILTER },
    { "LANGUAGE", MODEL_FINISH_FILTER },
    { "BLOCKLIST", MODEL_FINISH_FILTER },
    { "PROHIBITED_CONTENT", MODEL_FINISH_FILTER },
    { "SPII", MODEL_FINISH_FILTER },
    { "IMAGE_SAFETY", MODEL_FINISH_FILTER },
    { "IMAGE_PROHIBITED_CONTENT", MODEL_FINISH_FILTER },
    { "IMAGE_RECITATION", MODEL_FINISH_FILTER },
    { "MODEL_ARMOR", MODEL_FINISH_FILTER },
    { "JAILBREAK", MODEL_FINISH_FILTER },
};

/* promptTokenCount includes what was cached, candidatesTokenCount excludes thoughts. */
static void read_usage(struct protocol_reader *reader, struct json usage)
{
    struct protocol_reply *reply = &reader->reply;
    uint64_t visible = 0;
    bool has_input =
        protocol_count(protocol_member(usage, STR("promptTokenCount")), &reply->usage.input_tokens);
    bool has_output = protocol_count(protocol_member(usage, STR("candidatesTokenCount")), &visible);
    has_output |=
        protocol_count(protocol_member(usage, STR("thoughtsTokenCount")), &reply->reasoning_tokens);
    (void)protocol_count(protocol_member(usage, STR("cachedContentTokenCount")),
                         &reply->usage.cached_input_tokens);
    if (visible + reply->reasoning_tokens > reply->usage.output_tokens)
        reply->usage.output_tokens = visible + reply->reasoning_tokens;
    reply->has_usage |= has_input || has_output;
}

static enum status read_part(struct protocol_reader *reader, struct json part, int64_t index)
{
    struct json call = protocol_member(part, STR("functionCall"));
    if (!protocol_is(part, JSON_OBJECT))
        return protocol_odd(reader, STR("parts"));
    if (protocol_is_true(protocol_member(part, STR("thought"))))
        return STATUS_OK;
    if (!protocol_is_null(call)) {
        if (!protocol_is(call, JSON_OBJECT))
            return protocol_odd(reader, STR("functionCall"));
        /* A call is never in pieces: its index only tells it from a second one. */
        if (!protocol_begin_tool(reader, reader->tool_index < 0 ? 0 : 1))
            return STATUS_OK;
        return protocol_add_argument_value(reader, protocol_member(call, STR("args")));
    }
    return protocol_add_content(reader, protocol_member(part, STR("text")), index);
}

static enum status read_candidate(struct protocol_reader *reader, struct json candidate)
{
    struct json content = protocol_member(candidate, STR("content"));
    struct json parts = protocol_member(content, STR("parts"));
    struct str word = protocol_word(candidate, STR("finishReason"));
    int64_t index = 0;
    if (!protocol_is(candidate, JSON_OBJECT))
        return protocol_odd(reader, STR("candidates"));
    enum status status = protocol_index(reader, candidate, STR("index"), &index);
    if (status != STATUS_OK)
        return status;
    if (index > 0) {
        reader->reply.has_second_choice = true;
        return STATUS_OK;
    }
    if (!protocol_is_null(parts) && !protocol_is(parts, JSON_ARRAY))
        return protocol_odd(reader, STR("parts"));
    if (protocol_is(parts, JSON_ARRAY)) {
        for (struct json at = json_first(parts); json_exists(at); at = json_next(at, parts)) {
            status = read_part(reader, at, 0);
            if (status != STATUS_OK)
                return status;
        }
    }
    if (word.len > 0)
        protocol_finish(reader, finish_words, PROTOCOL_COUNT_OF(finish_words), word);
    return STATUS_OK;
}

/* A prompt that was blocked has no candidates. */
static void read_block_reason(struct protocol_reader *reader, struct json feedback)
{
    struct str word = protocol_word(feedback, STR("blockReason"));
    if (word.len == 0 || str_equal(word, STR("BLOCK_REASON_UNSPECIFIED")))
        return;
    protocol_filter(reader, word);
}

static enum status gemini_event(struct protocol_reader *reader, struct str name, struct json data)
{
    struct json candidates = protocol_member(data, STR("candidates"));
    struct json feedback = protocol_member(data, STR("promptFeedback"));
    (void)name;
    protocol_identify(reader, protocol_member(data, STR("responseId")),
                      protocol_member(data, STR("modelVersion")));
    read_usage(reader, protocol_member(data, STR("usageMetadata")));
    read_block_reason(reader, feedback);
    if (protocol_is_null(candidates))
        return STATUS_OK;
    if (!protocol_is(candidates, JSON_ARRAY))
        return protocol_odd(reader, STR("candidates"));
    for (struct json at = json_first(candidates); json_exists(at); at = json_next(at, candidates)) {
        enum status status = read_candidate(reader, at);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* One response, or an array of them: a stream that was not asked for as events. Only such an array
 * needs a finish signal. */
static enum status gemini_document(struct protocol_reader *reader, struct json document)
{
    bool is_stream = protocol_is(document, JSON_ARRAY);
    if (!is_stream) {
        bool is_known = json_exists(protocol_member(document, STR("candidates"))) ||
                        json_exists(protocol_member(document, STR("promptFeedback")));
        return is_known ? gemini_event(reader, STR(""), document)
                        : protocol_odd(reader, STR("candidates"));
    }
    for (struct json at = json_first(document); json_exists(at); at = json_next(at, document)) {
        if (!protocol_is(at, JSON_OBJECT))
            return protocol_odd(reader, STR(""));
        enum status status = gemini_event(reader, STR(""), at);
        if (status != STATUS_OK)
            return status;
    }
    return reader->reply.has_finish ? STATUS_OK : protocol_odd(reader, STR("finishReason"));
}

const struct protocol_ops protocol_gemini = {
    .name = "gemini",
    .path = { "/v1beta/models/{model}:{method}", 31 },
    .method = { "generateContent", 15 },
    .method_streamed = { "streamGenerateContent?alt=sse", 29 },
    .ends_with_transfer = true,
    .write = gemini_write,
    .event = gemini_event,
    .document = gemini_document,
};

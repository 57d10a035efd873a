/* openai_responses.c - the Responses API of OpenAI.
 *
 * Owns: the body of its request, its stream events, its documents. What a part's "done" event, or
 * the response at the end, say in full must be what the pieces before it said: a stream that lost,
 * doubled or reordered an event is not a reply. Leaves to others: URL, headers, errors, what a
 * model takes. Invariant: a stream is complete with response.completed, .incomplete or .failed
 * alone.
 */
#include "base/features.h"

#include "base/hash.h"
#include "provider/protocol_parts.h"

/* ---- request ---- */

static void write_input(const struct protocol_call *call, struct wire *wire)
{
    if (!wire_array(wire, STR("input")))
        return;
    protocol_write_turns(call, wire);
    wire_array_end(wire);
}

static void write_format(const struct protocol_call *call, struct wire *wire)
{
    bool by_schema = protocol_asks_by(call, PROVIDER_BY_SCHEMA);
    if (!protocol_has_format(call) || !wire_object(wire, STR("text")))
        return;
    if (wire_object(wire, STR("format"))) {
        wire_string(wire, STR("type"), by_schema ? STR("json_schema") : STR("json_object"));
        if (by_schema)
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
        wire_string(wire, STR("description"), protocol_tool_words);
        protocol_write_schema(call, wire, STR("parameters"));
        wire_object_end(wire);
        wire_array_end(wire);
    }
    wire_string(wire, STR("tool_choice"), STR("auto"));
}

static void responses_write(const struct protocol_call *call, struct buffer *body)
{
    struct wire wire;
    protocol_begin(call, &wire, body);
    wire_string(&wire, STR("model"), call->model);
    if (protocol_has_system(call))
        protocol_write_texts(call, NULL, &wire, STR("instructions"));
    write_input(call, &wire);
    protocol_write_limit(call, &wire, STR("max_output_tokens"));
    protocol_write_sampling(call, &wire, INT64_MAX);
    if (protocol_takes(call, PROVIDER_TAKES_STORE))
        wire_bool(&wire, STR("store"), false);
    if (call->is_streamed)
        wire_bool(&wire, STR("stream"), true);
    write_format(call, &wire);
    if (protocol_asks_by(call, PROVIDER_BY_TOOL))
        write_tool(call, &wire);
    wire_end(&wire);
}

/* ---- reply ---- */

enum responses_flag {
    RESPONSES_NUMBERED = 1 << 0,  /* a numbered event came */
    RESPONSES_UNORDERED = 1 << 1, /* the numbers mean nothing: different events share one */
};

/* Of "status", and of incomplete_details.reason. */
static const struct protocol_finish_word finish_words[] = {
    { "completed", MODEL_FINISH_STOP },
    { "max_output_tokens", MODEL_FINISH_LENGTH },
    { "max_tokens", MODEL_FINISH_LENGTH },
    { "incomplete", MODEL_FINISH_LENGTH }, /* without a reason */
    { "content_filter", MODEL_FINISH_FILTER },
};

static void finish(struct protocol_reader *reader, struct str word)
{
    protocol_finish(reader, finish_words, PROTOCOL_COUNT_OF(finish_words), word);
}

static const struct protocol_usage_names usage_names = { "input_tokens", "input_tokens_details",
                                                         "output_tokens", "output_tokens_details" };

static enum status read_part(struct protocol_reader *reader, struct json part, int64_t index)
{
    struct str type = protocol_word(part, STR("type"));
    if (!protocol_is(part, JSON_OBJECT))
        return protocol_odd(reader, STR("content"));
    if (str_equal(type, STR("refusal")))
        protocol_refuse(reader, STR("refusal"));
    if (!str_equal(type, STR("output_text")) && !str_equal(type, STR("text")))
        return STATUS_OK;
    return protocol_add_content(reader, protocol_member(part, STR("text")), index);
}

static enum status read_item(struct protocol_reader *reader, struct json item, int64_t index)
{
    struct str type = protocol_word(item, STR("type"));
    struct json content = protocol_member(item, STR("content"));
    if (!protocol_is(item, JSON_OBJECT))
        return protocol_odd(reader, STR("output"));
    if (str_equal(type, STR("function_call"))) {
        if (!protocol_begin_tool(reader, index))
            return STATUS_OK;
        return protocol_add_argument_value(reader, protocol_member(item, STR("arguments")));
    }
    if (!str_equal(type, STR("message")) || protocol_is_null(content))
        return STATUS_OK;
    if (protocol_is(content, JSON_STRING))
        return protocol_add_content(reader, content, index);
    if (!protocol_is(content, JSON_ARRAY))
        return protocol_odd(reader, STR("content"));
    for (struct json at = json_first(content); json_exists(at); at = json_next(at, content)) {
        enum status status = read_part(reader, at, index);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static enum status read_output(struct protocol_reader *reader, struct json response)
{
    struct json output = protocol_member(response, STR("output"));
    int64_t index = 0;
    if (protocol_is_null(output))
        return STATUS_OK;
    if (!protocol_is(output, JSON_ARRAY))
        return protocol_odd(reader, STR("output"));
    for (struct json at = json_first(output); json_exists(at); at = json_next(at, output)) {
        enum status status = read_item(reader, at, index++);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* Everything of a response but its output. */
static void read_frame(struct protocol_reader *reader, struct json response)
{
    struct json details = protocol_member(response, STR("incomplete_details"));
    struct str word = protocol_word(response, STR("status"));
    protocol_identify(reader, protocol_member(response, STR("id")),
                      protocol_member(response, STR("model")));
    protocol_read_usage(reader, protocol_member(response, STR("usage")), &usage_names);
    if (str_equal(word, STR("incomplete")) && protocol_word(details, STR("reason")).len > 0)
        word = protocol_word(details, STR("reason"));
    if (word.len > 0 && !str_equal(word, STR("in_progress")) && !str_equal(word, STR("queued")))
        finish(reader, word);
}

/* TRANSPORT when the response in full, where the end holds it, is not what its pieces said. It is
 * read as if nothing had come before. */
static enum status compare_output(struct protocol_reader *reader, struct json response)
{
    struct protocol_reader whole = *reader;
    whole.tool_index = -1;
    whole.text_index = -1;
    buffer_init(&whole.reply.text, reader->alloc, reader->reply.text.max);
    buffer_init(&whole.aside, reader->alloc, reader->aside.max);
    enum status status = read_output(&whole, response);
    bool has_tool = reader->tool_index >= 0;
    struct str all =
        buffer_view(has_tool || whole.aside.len == 0 ? &whole.reply.text : &whole.aside);
    struct str pieces =
        buffer_view(has_tool || reader->aside.len == 0 ? &reader->reply.text : &reader->aside);
    bool is_same = all.len == 0 || str_equal(all, pieces);
    buffer_release(&whole.reply.text);
    buffer_release(&whole.aside);
    if (status == STATUS_NO_MEMORY)
        return status;
    return status == STATUS_OK && is_same ? STATUS_OK : protocol_odd(reader, STR("output"));
}

/* The end of a stream. */
static enum status read_end(struct protocol_reader *reader, struct str name, struct json data)
{
    struct json response = protocol_member(data, STR("response"));
    if (!protocol_is(response, JSON_OBJECT))
        return protocol_odd(reader, STR("response"));
    read_frame(reader, response);
    if (!reader->reply.has_finish)
        finish(reader, str_equal(name, STR("response.completed")) ? STR("completed") : name);
    bool has_pieces = reader->reply.text.len + reader->aside.len > 0;
    enum status status =
        has_pieces ? compare_output(reader, response) : read_output(reader, response);
    if (status == STATUS_OK)
        reader->reply.is_complete = true;
    return status;
}

/* A part in full: equal to its pieces, or all there is of it. */
static enum status read_done(struct protocol_reader *reader, struct json data, struct str name,
                             struct buffer *text, int64_t index)
{
    struct json whole = protocol_member(data, name);
    bool is_of_tool = reader->tool_index >= 0 && reader->tool_index == index;
    if (!protocol_is(whole, JSON_STRING) || (reader->tool_index >= 0 && !is_of_tool))
        return STATUS_OK;
    struct str all = json_string(whole);
    struct str pieces = buffer_view(text);
    if (reader->part_begin < pieces.len)
        pieces = str_of(pieces.ptr + reader->part_begin, pieces.len - reader->part_begin);
    else
        pieces.len = 0;
    if (pieces.len == 0)
        return is_of_tool ? protocol_add_arguments(reader, all)
                          : protocol_add_text(reader, all, index);
    return str_equal(pieces, all) ? STATUS_OK : protocol_odd(reader, name);
}

/* Whether an event is a copy of the one before; TRANSPORT when it is out of order. Servers whose
 * numbers mean nothing are read without them. */
static enum status read_number(struct protocol_reader *reader, struct json data, bool *out_is_copy)
{
    uint64_t number = 0;
    struct str text = json_doc_source(data.doc);
    uint64_t hash = hash_bytes(text.ptr, text.len, 0);
    *out_is_copy = false;
    if (!protocol_count(protocol_member(data, STR("sequence_number")), &number))
        return STATUS_OK;
    bool is_first = (reader->flags & RESPONSES_NUMBERED) == 0;
    if (!is_first && (reader->flags & RESPONSES_UNORDERED) == 0) {
        *out_is_copy = number == reader->sequence && hash == reader->sequence_hash;
        if (number == reader->sequence && !*out_is_copy)
            reader->flags |= RESPONSES_UNORDERED;
        if (number < reader->sequence)
            return protocol_odd(reader, STR("sequence_number"));
    }
    reader->flags |= RESPONSES_NUMBERED;
    reader->sequence = number;
    reader->sequence_hash = hash;
    return STATUS_OK;
}

static enum status read_delta(struct protocol_reader *reader, struct json data, struct str *out)
{
    struct json delta = protocol_member(data, STR("delta"));
    if (!protocol_is(delta, JSON_STRING))
        return protocol_odd(reader, STR("delta"));
    *out = json_string(delta);
    return STATUS_OK;
}

static enum status responses_event(struct protocol_reader *reader, struct str name,
                                   struct json data)
{
    struct buffer *text = reader->tool_was_sent ? &reader->aside : &reader->reply.text;
    struct str piece;
    int64_t index = 0;
    bool is_copy;
    enum status status = read_number(reader, data, &is_copy);
    if (status == STATUS_OK)
        status = protocol_index(reader, data, STR("output_index"), &index);
    if (status != STATUS_OK || is_copy)
        return status;
    if (str_equal(name, STR("response.output_text.delta"))) {
        status = read_delta(reader, data, &piece);
        return status == STATUS_OK ? protocol_add_text(reader, piece, index) : status;
    }
    if (str_equal(name, STR("response.output_text.done")))
        return read_done(reader, data, STR("text"), text, index);
    if (str_equal(name, STR("response.content_part.added"))) {
        reader->part_begin = text->len;
        return STATUS_OK;
    }
    if (str_equal(name, STR("response.refusal.delta")) ||
        str_equal(name, STR("response.refusal.done"))) {
        protocol_refuse(reader, STR("refusal"));
        return STATUS_OK;
    }
    if (str_equal(name, STR("response.function_call_arguments.delta"))) {
        status = read_delta(reader, data, &piece);
        if (status != STATUS_OK || !protocol_begin_tool(reader, index))
            return status;
        return protocol_add_arguments(reader, piece);
    }
    if (str_equal(name, STR("response.function_call_arguments.done"))) {
        if (!protocol_begin_tool(reader, index))
            return STATUS_OK;
        reader->part_begin = 0;
        return read_done(reader, data, STR("arguments"), &reader->reply.text, index);
    }
    if (str_equal(name, STR("response.created"))) {
        read_frame(reader, protocol_member(data, STR("response")));
        return STATUS_OK;
    }
    if (str_equal(name, STR("response.completed")) || str_equal(name, STR("response.incomplete")) ||
        str_equal(name, STR("response.done")))
        return read_end(reader, name, data);
    return STATUS_OK;
}

static enum status responses_document(struct protocol_reader *reader, struct json document)
{
    if (!protocol_is(protocol_member(document, STR("output")), JSON_ARRAY))
        return protocol_odd(reader, STR("output"));
    enum status status = read_output(reader, document);
    if (status == STATUS_OK)
        read_frame(reader, document);
    return status;
}

const struct protocol_ops protocol_responses = {
    .name = "responses",
    .path = { "/responses", 10 },
    .write = responses_write,
    .event = responses_event,
    .document = responses_document,
};

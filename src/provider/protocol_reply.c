/* protocol_reply.c - filling a reply, whatever the protocol.
 *
 * Owns: which text is the answer (the tool's arguments where a tool was asked for, else the first
 * channel that speaks), which finish stays, counts of tokens, ids. Leaves to others: where in an
 * event things stand. Invariants: nothing but counts changes once the reply is complete; a finish
 * gets worse, never better; counts never go down.
 */
#include "base/features.h"

#include "provider/protocol_parts.h"

/* ---- looking at values ---- */

struct json protocol_member(struct json value, struct str name)
{
    if (!protocol_is(value, JSON_OBJECT))
        return (struct json){ value.doc, NULL };
    return json_get(value, name);
}

bool protocol_is(struct json value, enum json_type type)
{
    return json_exists(value) && json_type(value) == type;
}

bool protocol_is_null(struct json value)
{
    return !json_exists(value) || json_type(value) == JSON_NULL;
}

bool protocol_is_true(struct json value)
{
    return protocol_is(value, JSON_TRUE);
}

struct str protocol_word(struct json value, struct str name)
{
    struct json member = protocol_member(value, name);
    return protocol_is(member, JSON_STRING) ? json_string(member) : STR("");
}

/* More tokens than any reply can have are a mistake of the server, and so is less than none. */
bool protocol_count(struct json value, uint64_t *out_count)
{
    enum { COUNT_DIGITS_MAX = 12 };
    uint64_t count = 0;
    if (!protocol_is(value, JSON_NUMBER) || !json_number_is_plain(value))
        return false;
    struct str text = json_number_text(value);
    if (text.len > COUNT_DIGITS_MAX || text.ptr[0] == '-')
        return false;
    for (size_t i = 0; i < text.len; i++)
        count = count * 10 + (uint64_t)(text.ptr[i] - '0');
    if (count > *out_count)
        *out_count = count;
    return true;
}

enum status protocol_index(struct protocol_reader *reader, struct json holder, struct str name,
                           int64_t *out_index)
{
    uint64_t index = 0;
    struct json value = protocol_member(holder, name);
    if (!protocol_is_null(value) && (!protocol_count(value, &index) || index > PROTOCOL_INDEX_MAX))
        return protocol_odd(reader, name);
    *out_index = (int64_t)index;
    return STATUS_OK;
}

enum status protocol_odd(struct protocol_reader *reader, struct str member)
{
    reader->reply.has_failure = true;
    provider_failure_set(&reader->reply.failure, STATUS_TRANSPORT, false, "protocol", member);
    return STATUS_TRANSPORT;
}

/* ---- text ---- */

static enum status text_append(struct protocol_reader *reader, struct buffer *text,
                               struct str piece)
{
    buffer_append_str(text, piece);
    if (buffer_status(text) != STATUS_REJECTED)
        return buffer_status(text);
    reader->reply.has_failure = true;
    provider_failure_set(&reader->reply.failure, STATUS_TRANSPORT, false, "too-large", STR(""));
    return STATUS_TRANSPORT;
}

enum status protocol_add_text(struct protocol_reader *reader, struct str text, int64_t index)
{
    struct protocol_reply *reply = &reader->reply;
    if (reply->is_complete || text.len == 0)
        return STATUS_OK;
    if (reader->tool_was_sent)
        return text_append(reader, &reader->aside, text);
    if (reader->tool_index >= 0) {
        reply->has_second_choice = true;
        return STATUS_OK;
    }
    if (reader->text_index >= 0 && reader->text_index != index)
        reply->has_second_choice = true;
    reader->text_index = index;
    return text_append(reader, &reply->text, text);
}

enum status protocol_add_content(struct protocol_reader *reader, struct json content, int64_t index)
{
    if (protocol_is_null(content))
        return STATUS_OK;
    if (json_type(content) == JSON_STRING)
        return protocol_add_text(reader, json_string(content), index);
    if (json_type(content) != JSON_ARRAY)
        return protocol_odd(reader, STR("content"));
    for (struct json at = json_first(content); json_exists(at); at = json_next(at, content)) {
        struct str type = protocol_word(at, STR("type"));
        struct str text =
            json_type(at) == JSON_STRING ? json_string(at) : protocol_word(at, STR("text"));
        if (str_equal(type, STR("refusal")))
            protocol_refuse(reader, STR("refusal"));
        if (type.len > 0 && !str_equal(type, STR("text")) && !str_equal(type, STR("output_text")))
            continue;
        enum status status = protocol_add_text(reader, text, index);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* Kept as far as it goes: what is beyond is not missed. */
void protocol_add_reasoning(struct protocol_reader *reader, struct str text)
{
    if (!reader->reply.is_complete && text.len > 0)
        buffer_append_str(&reader->reply.reasoning, text);
}

bool protocol_begin_tool(struct protocol_reader *reader, int64_t index)
{
    struct protocol_reply *reply = &reader->reply;
    bool is_taken = reader->tool_index < 0 && reply->text.len > 0;
    if (reply->is_complete)
        return false;
    if (is_taken || (reader->tool_index >= 0 && reader->tool_index != index)) {
        reply->has_second_choice = true;
        return false;
    }
    reader->tool_index = index;
    reply->channel = MODEL_CHANNEL_TOOL;
    return true;
}

enum status protocol_add_arguments(struct protocol_reader *reader, struct str text)
{
    if (reader->reply.is_complete)
        return STATUS_OK;
    return text_append(reader, &reader->reply.text, text);
}

enum status protocol_add_argument_value(struct protocol_reader *reader, struct json value)
{
    if (!json_exists(value) || reader->reply.is_complete)
        return STATUS_OK;
    if (json_type(value) == JSON_STRING)
        return protocol_add_arguments(reader, json_string(value));
    json_write(value, 0, &reader->reply.text);
    return text_append(reader, &reader->reply.text, STR(""));
}

/* What waited aside is the answer when no tool was called, and so is, as a last resort, what a
 * server put into a member for reasoning. */
enum status protocol_settle_text(struct protocol_reader *reader)
{
    struct protocol_reply *reply = &reader->reply;
    struct buffer *source = reader->tool_index < 0 ? &reader->aside : NULL;
    if (source != NULL && source->len == 0 && reply->text.len == 0 && reply->reasoning.len > 0 &&
        reply->finish != MODEL_FINISH_LENGTH) {
        source = &reply->reasoning;
        reply->channel = MODEL_CHANNEL_REASONING;
    }
    if (source == NULL || source->len == 0)
        return STATUS_OK;
    return text_append(reader, &reply->text, buffer_view(source));
}

/* ---- finish ---- */

static unsigned finish_weight(enum model_finish finish)
{
    switch (finish) {
    case MODEL_FINISH_STOP: return 1;
    case MODEL_FINISH_UNKNOWN: return 2;
    case MODEL_FINISH_LENGTH: return 3;
    case MODEL_FINISH_FILTER: return 4;
    case MODEL_FINISH_REFUSAL: return 5;
    case MODEL_FINISH_ABORTED:
    case MODEL_FINISH_RUNAWAY: return 0;
    }
    return 0;
}

static bool byte_is_word(char byte)
{
    bool is_letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
    return is_letter || (byte >= '0' && byte <= '9') || byte == '_' || byte == '-' || byte == '.';
}

static void finish_set(struct protocol_reader *reader, enum model_finish finish, struct str word)
{
    struct protocol_reply *reply = &reader->reply;
    size_t len = 0;
    if (reply->is_complete)
        return;
    if (reply->has_finish && finish_weight(finish) <= finish_weight(reply->finish))
        return;
    reply->has_finish = true;
    reply->finish = finish;
    for (size_t i = 0; i < word.len && len + 1 < sizeof(reply->finish_word); i++) {
        if (byte_is_word(word.ptr[i]))
            reply->finish_word[len++] = word.ptr[i];
    }
    reply->finish_word[len] = '\0';
}

void protocol_finish(struct protocol_reader *reader, const struct protocol_finish_word *words,
                     size_t count, struct str word)
{
    enum model_finish finish = MODEL_FINISH_UNKNOWN;
    for (size_t i = 0; i < count; i++) {
        if (str_equal(word, str_from(words[i].word)))
            finish = words[i].finish;
    }
    finish_set(reader, finish, word);
}

void protocol_refuse(struct protocol_reader *reader, struct str word)
{
    finish_set(reader, MODEL_FINISH_REFUSAL, word);
}

void protocol_filter(struct protocol_reader *reader, struct str word)
{
    finish_set(reader, MODEL_FINISH_FILTER, word);
}

void protocol_expect_tool(struct protocol_reader *reader)
{
    if (reader->tool_index < 0 && !reader->reply.is_complete)
        reader->reply.tool_was_absent = true;
}

bool protocol_reply_is_starved(const struct protocol_reply *reply)
{
    if (reply->finish != MODEL_FINISH_LENGTH)
        return false;
    for (size_t i = 0; i < reply->text.len; i++) {
        if (reply->text.ptr[i] != ' ' && (reply->text.ptr[i] < '\t' || reply->text.ptr[i] > '\r'))
            return false;
    }
    return true;
}

/* ---- ids ---- */

/* Printable ASCII of the first bytes: it goes into reports. */
static void copy_id(struct json value, char *out, size_t out_size)
{
    size_t len = 0;
    if (!protocol_is(value, JSON_STRING) || out[0] != '\0')
        return;
    struct str text = json_string(value);
    for (size_t i = 0; i < text.len && len + 1 < out_size; i++) {
        if (text.ptr[i] > ' ' && text.ptr[i] < 0x7F)
            out[len++] = text.ptr[i];
    }
    out[len] = '\0';
}

void protocol_identify(struct protocol_reader *reader, struct json id, struct json model)
{
    copy_id(id, reader->reply.id, sizeof(reader->reply.id));
    copy_id(model, reader->reply.served_model, sizeof(reader->reply.served_model));
}

void protocol_read_usage(struct protocol_reader *reader, struct json usage,
                         const struct protocol_usage_names *names)
{
    struct protocol_reply *reply = &reader->reply;
    struct json input = protocol_member(usage, str_from(names->input_details));
    struct json output = protocol_member(usage, str_from(names->output_details));
    bool has_input =
        protocol_count(protocol_member(usage, str_from(names->input)), &reply->usage.input_tokens);
    bool has_output = protocol_count(protocol_member(usage, str_from(names->output)),
                                     &reply->usage.output_tokens);
    (void)protocol_count(protocol_member(input, STR("cached_tokens")),
                         &reply->usage.cached_input_tokens);
    (void)protocol_count(protocol_member(output, STR("reasoning_tokens")),
                         &reply->reasoning_tokens);
    reply->has_usage |= has_input || has_output;
}

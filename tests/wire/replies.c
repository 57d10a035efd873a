/* replies.c - well-formed replies of every protocol. See replies.h. */
#include "base/features.h"

#include "replies.h"

#include "json/json.h"

enum { STORE_BYTES_MAX = 64 << 20, PIECE_BYTES = 7, PIECES_MAX = 24 };

#define MARKER "MARKER-OF-THE-PROVIDER"

static const struct {
    const char *word, *model, *path;
} protocols[WIRE_PROTOCOL_COUNT] = {
    [WIRE_ANTHROPIC] = { "anthropic", "anthropic/claude-sonnet-4-5", "" },
    [WIRE_RESPONSES] = { "responses", "openai/gpt-4.1", "/v1" },
    [WIRE_CHAT] = { "chat", "openai-chat/gpt-4.1", "/v1" },
    [WIRE_COMPAT] = { "compat", "compat/some-model", "/v1" },
    [WIRE_GEMINI] = { "gemini", "gemini/gemini-2.5-flash", "" },
};

const char *wire_model_name(enum wire_protocol protocol)
{
    return protocols[protocol].model;
}

const char *wire_base_path(enum wire_protocol protocol)
{
    return protocols[protocol].path;
}

const char *wire_protocol_word(enum wire_protocol protocol)
{
    return protocols[protocol].word;
}

/* ---- events ---- */

void wire_events_init(struct wire_events *events)
{
    *events = (struct wire_events){ .count = 0 };
    buffer_init(&events->store, alloc_default(), STORE_BYTES_MAX);
}

void wire_events_release(struct wire_events *events)
{
    buffer_release(&events->store);
}

struct str wire_event(const struct wire_events *events, uint32_t index)
{
    size_t end = index + 1 < events->count ? events->begin[index + 1] : events->store.len;
    return str_of(events->store.ptr + events->begin[index], end - events->begin[index]);
}

/* Builds the list anew with `text` in place of `removed` events at index. */
static void events_splice(struct wire_events *events, uint32_t index, uint32_t removed,
                          const struct str *text)
{
    struct wire_events next;
    wire_events_init(&next);
    for (uint32_t i = 0; i <= events->count; i++) {
        if (i == index && text != NULL) {
            next.begin[next.count++] = next.store.len;
            buffer_append_str(&next.store, *text);
        }
        if (i == events->count || (i >= index && i < index + removed))
            continue;
        next.begin[next.count++] = next.store.len;
        buffer_append_str(&next.store, wire_event(events, i));
    }
    wire_events_release(events);
    *events = next;
}

void wire_events_insert(struct wire_events *events, uint32_t index, struct str text)
{
    events_splice(events, index, 0, &text);
}

void wire_events_remove(struct wire_events *events, uint32_t index)
{
    events_splice(events, index, 1, NULL);
}

void wire_events_replace(struct wire_events *events, uint32_t index, struct str text)
{
    events_splice(events, index, 1, &text);
}

static struct buffer *event_begin(struct wire_events *events, const char *name)
{
    events->begin[events->count++] = events->store.len;
    if (name != NULL)
        buffer_printf(&events->store, "event: %s\n", name);
    buffer_append_str(&events->store, STR("data: "));
    return &events->store;
}

static void event_end(struct wire_events *events)
{
    buffer_append_str(&events->store, STR("\n\n"));
}

/* The next piece of the text, of a length that keeps the events few; never through the middle of a
 * code point. */
static struct str take_piece(const struct wire_content *content, struct str *text)
{
    size_t usual = content->text.len / PIECES_MAX + PIECE_BYTES;
    size_t len = text->len < usual ? text->len : usual;
    while (len < text->len && ((unsigned char)text->ptr[len] & 0xC0) == 0x80)
        len++;
    struct str piece = { text->ptr, len };
    *text = str_of(text->ptr + len, text->len - len);
    return piece;
}

/* ---- Anthropic ---- */

static const char *const anthropic_finish[] = { "end_turn", "max_tokens", "refusal", "refusal",
                                                "brand_new" };

static void write_finish(struct buffer *out, const char *const *words, enum wire_finish finish)
{
    if (finish == WIRE_NO_FINISH)
        buffer_append_str(out, STR("null"));
    else
        buffer_printf(out, "\"%s\"", words[finish]);
}

static void anthropic_stream(const struct wire_content *content, struct wire_events *events)
{
    struct str rest = content->text;
    struct buffer *out = event_begin(events, "message_start");
    buffer_append_str(out, STR("{\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"type\":"
                               "\"message\",\"role\":\"assistant\",\"model\":\"claude-x\","
                               "\"content\":[],\"stop_reason\":null"));
    if (!content->no_usage)
        buffer_printf(out, ",\"usage\":{\"input_tokens\":%d,\"output_tokens\":1}",
                      WIRE_INPUT_TOKENS);
    buffer_append_str(out, STR("}}"));
    event_end(events);
    buffer_append_str(event_begin(events, "content_block_start"),
                      STR("{\"type\":\"content_block_start\",\"index\":0,\"content_block\":"
                          "{\"type\":\"text\",\"text\":\"\"}}"));
    event_end(events);
    while (rest.len > 0) {
        out = event_begin(events, "content_block_delta");
        buffer_append_str(out, STR("{\"type\":\"content_block_delta\",\"index\":0,\"delta\":"
                                   "{\"type\":\"text_delta\",\"text\":"));
        json_write_string(take_piece(content, &rest), out);
        buffer_append_str(out, STR("}}"));
        event_end(events);
    }
    buffer_append_str(event_begin(events, "content_block_stop"),
                      STR("{\"type\":\"content_block_stop\",\"index\":0}"));
    event_end(events);
    out = event_begin(events, "message_delta");
    buffer_append_str(out, STR("{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":"));
    write_finish(out, anthropic_finish, content->finish);
    buffer_append_str(out, STR(",\"stop_sequence\":null}"));
    if (!content->no_usage)
        buffer_printf(out, ",\"usage\":{\"output_tokens\":%d}", WIRE_OUTPUT_TOKENS);
    buffer_append_byte(out, '}');
    event_end(events);
    if (content->no_terminal)
        return;
    buffer_append_str(event_begin(events, "message_stop"), STR("{\"type\":\"message_stop\"}"));
    event_end(events);
}

static void anthropic_document(const struct wire_content *content, struct buffer *out)
{
    buffer_append_str(out, STR("{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\","
                               "\"model\":\"claude-x\",\"content\":[{\"type\":\"text\",\"text\":"));
    json_write_string(content->text, out);
    buffer_append_str(out, STR("}],\"stop_reason\":"));
    write_finish(out, anthropic_finish, content->finish);
    if (!content->no_usage)
        buffer_printf(out, ",\"usage\":{\"input_tokens\":%d,\"output_tokens\":%d}",
                      WIRE_INPUT_TOKENS, WIRE_OUTPUT_TOKENS);
    buffer_append_byte(out, '}');
}

/* ---- OpenAI Responses ---- */

static void responses_object(const struct wire_content *content, struct buffer *out)
{
    static const char *const status[] = { "completed",  "incomplete", "completed",
                                          "incomplete", "brand_new",  "completed" };
    bool is_refusal = content->finish == WIRE_REFUSAL;
    buffer_append_str(out, STR("{\"id\":\"resp_1\",\"object\":\"response\",\"model\":\"gpt-x\","));
    buffer_printf(
        out, "\"status\":\"%s\",\"error\":null,\"incomplete_details\":", status[content->finish]);
    if (content->finish == WIRE_LENGTH || content->finish == WIRE_FILTER)
        buffer_printf(out, "{\"reason\":\"%s\"}",
                      content->finish == WIRE_LENGTH ? "max_output_tokens" : "content_filter");
    else
        buffer_append_str(out, STR("null"));
    buffer_append_str(out, STR(",\"output\":[{\"type\":\"message\",\"id\":\"m\",\"role\":"
                               "\"assistant\",\"status\":\"completed\",\"content\":[{\"type\":"));
    buffer_append_str(out, is_refusal ? STR("\"refusal\",\"refusal\":")
                                      : STR("\"output_text\",\"annotations\":[],\"text\":"));
    json_write_string(content->text, out);
    buffer_append_str(out, STR("}]}]"));
    if (!content->no_usage)
        buffer_printf(
            out, ",\"usage\":{\"input_tokens\":%d,\"output_tokens\":%d,\"total_tokens\":%d}",
            WIRE_INPUT_TOKENS, WIRE_OUTPUT_TOKENS, WIRE_INPUT_TOKENS + WIRE_OUTPUT_TOKENS);
    buffer_append_byte(out, '}');
}

static void responses_stream(const struct wire_content *content, struct wire_events *events)
{
    bool is_refusal = content->finish == WIRE_REFUSAL;
    const char *name = is_refusal ? "response.refusal.delta" : "response.output_text.delta";
    struct str rest = content->text;
    unsigned number = 0;
    buffer_printf(event_begin(events, "response.created"),
                  "{\"type\":\"response.created\",\"sequence_number\":%u,\"response\":{\"id\":"
                  "\"resp_1\",\"model\":\"gpt-x\",\"status\":\"in_progress\"}}",
                  number++);
    event_end(events);
    buffer_printf(event_begin(events, "response.output_item.added"),
                  "{\"type\":\"response.output_item.added\",\"sequence_number\":%u,"
                  "\"output_index\":0,\"item\":{\"type\":\"message\",\"id\":\"m\",\"role\":"
                  "\"assistant\",\"content\":[]}}",
                  number++);
    event_end(events);
    while (rest.len > 0) {
        struct buffer *out = event_begin(events, name);
        buffer_printf(out,
                      "{\"type\":\"%s\",\"sequence_number\":%u,\"item_id\":\"m\","
                      "\"output_index\":0,\"content_index\":0,\"delta\":",
                      name, number++);
        json_write_string(take_piece(content, &rest), out);
        buffer_append_byte(out, '}');
        event_end(events);
    }
    if (content->no_terminal)
        return;
    bool is_cut = content->finish == WIRE_LENGTH || content->finish == WIRE_FILTER;
    name = is_cut ? "response.incomplete" : "response.completed";
    struct buffer *out = event_begin(events, name);
    buffer_printf(out, "{\"type\":\"%s\",\"sequence_number\":%u,\"response\":", name, number);
    responses_object(content, out);
    buffer_append_byte(out, '}');
    event_end(events);
}

/* ---- Chat Completions ---- */

static const char *const chat_finish[] = { "stop", "length", "stop", "content_filter",
                                           "brand_new" };

static void chat_usage(const struct wire_content *content, struct buffer *out)
{
    if (!content->no_usage)
        buffer_printf(
            out, ",\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":%d,\"total_tokens\":%d}",
            WIRE_INPUT_TOKENS, WIRE_OUTPUT_TOKENS, WIRE_INPUT_TOKENS + WIRE_OUTPUT_TOKENS);
}

static struct buffer *chat_chunk(struct wire_events *events)
{
    struct buffer *out = event_begin(events, NULL);
    buffer_append_str(out, STR("{\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"model\":"
                               "\"gpt-x\",\"choices\":["));
    return out;
}

static void chat_stream(const struct wire_content *content, struct wire_events *events)
{
    const char *member = content->finish == WIRE_REFUSAL ? "refusal" : "content";
    struct str rest = content->text;
    struct buffer *out = chat_chunk(events);
    buffer_append_str(out, STR("{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},"
                               "\"finish_reason\":null}]}"));
    event_end(events);
    while (rest.len > 0) {
        out = chat_chunk(events);
        buffer_printf(out, "{\"index\":0,\"delta\":{\"%s\":", member);
        json_write_string(take_piece(content, &rest), out);
        buffer_append_str(out, STR("},\"finish_reason\":null}]}"));
        event_end(events);
    }
    out = chat_chunk(events);
    buffer_append_str(out, STR("{\"index\":0,\"delta\":{},\"finish_reason\":"));
    write_finish(out, chat_finish, content->finish);
    buffer_append_str(out, STR("}]}"));
    event_end(events);
    if (!content->no_usage) {
        out = chat_chunk(events);
        buffer_append_byte(out, ']');
        chat_usage(content, out);
        buffer_append_byte(out, '}');
        event_end(events);
    }
    if (content->no_terminal)
        return;
    buffer_append_str(event_begin(events, NULL), STR("[DONE]"));
    event_end(events);
}

static void chat_document(const struct wire_content *content, struct buffer *out)
{
    bool is_refusal = content->finish == WIRE_REFUSAL;
    buffer_append_str(out, STR("{\"id\":\"c1\",\"object\":\"chat.completion\",\"model\":\"gpt-x\","
                               "\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\","));
    buffer_append_str(out, is_refusal ? STR("\"content\":null,\"refusal\":")
                                      : STR("\"refusal\":null,\"content\":"));
    json_write_string(content->text, out);
    buffer_append_str(out, STR("},\"finish_reason\":"));
    write_finish(out, chat_finish, content->finish);
    buffer_append_str(out, STR("}]"));
    chat_usage(content, out);
    buffer_append_byte(out, '}');
}

/* ---- Gemini ---- */

static const char *const gemini_finish[] = { "STOP", "MAX_TOKENS", "SAFETY", "PROHIBITED_CONTENT",
                                             "BRAND_NEW" };

static void gemini_object(struct str text, const struct wire_content *content, bool is_last,
                          struct buffer *out)
{
    buffer_append_str(out, STR("{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":["
                               "{\"text\":"));
    json_write_string(text, out);
    buffer_append_str(out, STR("}]},\"index\":0"));
    if (is_last && content->finish != WIRE_NO_FINISH && !content->no_terminal) {
        buffer_append_str(out, STR(",\"finishReason\":"));
        write_finish(out, gemini_finish, content->finish);
    }
    buffer_append_str(out, STR("}]"));
    if (is_last && !content->no_usage)
        buffer_printf(out,
                      ",\"usageMetadata\":{\"promptTokenCount\":%d,\"candidatesTokenCount\":%d,"
                      "\"totalTokenCount\":%d}",
                      WIRE_INPUT_TOKENS, WIRE_OUTPUT_TOKENS,
                      WIRE_INPUT_TOKENS + WIRE_OUTPUT_TOKENS);
    buffer_append_str(out, STR(",\"modelVersion\":\"gemini-x\",\"responseId\":\"r1\"}"));
}

static void gemini_stream(const struct wire_content *content, struct wire_events *events)
{
    struct str rest = content->text;
    do {
        struct str piece = take_piece(content, &rest);
        gemini_object(piece, content, rest.len == 0, event_begin(events, NULL));
        event_end(events);
    } while (rest.len > 0);
}

/* ---- all ---- */

void wire_reply(enum wire_protocol protocol, bool is_streamed, const struct wire_content *content,
                struct wire_events *events)
{
    if (!is_streamed)
        events->begin[events->count++] = 0;
    switch (protocol) {
    case WIRE_ANTHROPIC:
        if (is_streamed)
            anthropic_stream(content, events);
        else
            anthropic_document(content, &events->store);
        break;
    case WIRE_RESPONSES:
        if (is_streamed)
            responses_stream(content, events);
        else
            responses_object(content, &events->store);
        break;
    case WIRE_CHAT:
    case WIRE_COMPAT:
        if (is_streamed)
            chat_stream(content, events);
        else
            chat_document(content, &events->store);
        break;
    case WIRE_GEMINI:
        if (is_streamed)
            gemini_stream(content, events);
        else
            gemini_object(content->text, content, true, &events->store);
        break;
    case WIRE_PROTOCOL_COUNT: break;
    }
}

void wire_error_body(enum wire_protocol protocol, const char *type, const char *code,
                     const char *param, struct buffer *out)
{
    switch (protocol) {
    case WIRE_ANTHROPIC:
        buffer_printf(out,
                      "{\"type\":\"error\",\"error\":{\"type\":\"%s\",\"message\":\"" MARKER
                      "\"},\"request_id\":\"req_1\"}",
                      type);
        break;
    case WIRE_RESPONSES:
    case WIRE_CHAT:
    case WIRE_COMPAT:
        buffer_printf(out,
                      "{\"error\":{\"message\":\"" MARKER "\",\"type\":\"%s\",\"param\":", type);
        buffer_printf(out, param[0] == '\0' ? "null" : "\"%s\"", param);
        buffer_append_str(out, STR(",\"code\":"));
        buffer_printf(out, code[0] == '\0' ? "null}}" : "\"%s\"}}", code);
        break;
    case WIRE_GEMINI:
        buffer_printf(
            out, "{\"error\":{\"code\":400,\"message\":\"" MARKER "\",\"status\":\"%s\"}}", type);
        break;
    case WIRE_PROTOCOL_COUNT: break;
    }
}

void wire_error_event(enum wire_protocol protocol, const char *type, struct buffer *out)
{
    if (protocol == WIRE_ANTHROPIC)
        buffer_append_str(out, STR("event: error\n"));
    if (protocol == WIRE_RESPONSES) {
        buffer_printf(out,
                      "event: error\ndata: {\"type\":\"error\",\"sequence_number\":9,\"code\":"
                      "\"%s\",\"message\":\"" MARKER "\",\"param\":null}\n\n",
                      type);
        return;
    }
    buffer_append_str(out, STR("data: "));
    wire_error_body(protocol, type, type, "", out);
    buffer_append_str(out, STR("\n\n"));
}

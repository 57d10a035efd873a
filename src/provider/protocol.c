/* protocol.c - the reader around a protocol: status line, what the body is, its end.
 *
 * Owns: the choice between a stream of events and one document, which the first byte of the body
 * decides (content types lie, and "stream" is ignored by some); errors inside of a reply; budgets;
 * the verdict at the end. Leaves to others: the meaning of events (one file a protocol), of errors
 * (failure.c). Invariant: OK comes only from a terminal event, or a document that was whole; a
 * reply that was cut anywhere before is a failure, whatever text it had.
 */
#include "base/features.h"

#include "provider/protocol_parts.h"

enum {
    READER_EVENT_BYTES = 8 * 1024 * 1024, /* an event can hold the whole reply, and the prompt */
    READER_DOCUMENT_BYTES = LIMIT_JSON_BYTES,
    READER_ERROR_BYTES = 64 * 1024,
    READER_REASONING_BYTES = 1024 * 1024,
    READER_EVENTS_MAX = 1000000,
    READER_AFTER_BYTES = 64 * 1024 /* after the terminal event */
};

static bool reader_event(void *state, const struct sse_event *event);

enum status protocol_reader_init(struct protocol_reader *reader, const struct protocol_call *call,
                                 size_t text_max, const struct alloc *alloc)
{
    memset(reader, 0, sizeof(*reader));
    reader->ops = protocol_of(call->provider->protocol);
    reader->alloc = alloc;
    reader->wall_ms = -1;
    reader->schema_was_sent = call->schema.len > 0;
    reader->tool_was_sent = protocol_asks_by(call, PROVIDER_BY_TOOL);
    reader->tool_index = -1;
    reader->text_index = -1;
    reader->reply.finish = MODEL_FINISH_UNKNOWN;
    reader->reply.channel = MODEL_CHANNEL_TEXT;
    provider_failure_set(&reader->reply.failure, STATUS_OK, false, "", STR(""));
    failure_head_read(NULL, -1, &reader->head);
    buffer_init(&reader->reply.text, alloc, text_max);
    buffer_init(&reader->reply.reasoning, alloc, READER_REASONING_BYTES);
    buffer_init(&reader->document, alloc, READER_DOCUMENT_BYTES);
    buffer_init(&reader->aside, alloc, text_max);
    buffer_init(&reader->block, alloc, text_max);
    const struct sse_sink sink = { reader_event, reader };
    sse_init(&reader->sse, &sink, READER_EVENT_BYTES, alloc);
    return STATUS_OK;
}

void protocol_reader_release(struct protocol_reader *reader)
{
    buffer_release(&reader->reply.text);
    buffer_release(&reader->reply.reasoning);
    buffer_release(&reader->document);
    buffer_release(&reader->aside);
    buffer_release(&reader->block);
    sse_release(&reader->sse);
}

/* ---- failures ---- */

static bool reader_is_good(const struct protocol_reader *reader)
{
    return reader->head.http_status >= 200 && reader->head.http_status < 300;
}

static enum status reader_fail(struct protocol_reader *reader, enum status status,
                               bool is_retryable, const char *reason)
{
    reader->reply.has_failure = true;
    provider_failure_set(&reader->reply.failure, status, is_retryable, reason, STR(""));
    return status;
}

/* Whatever ended in a status without words of its own. */
static void reader_settle(struct protocol_reader *reader, enum status status)
{
    reader->status = status;
    if (status == STATUS_NO_MEMORY)
        (void)reader_fail(reader, STATUS_NO_MEMORY, false, "memory");
}

/* What comes after the terminal event cannot spoil the reply. */
static void reader_forgive(struct protocol_reader *reader)
{
    reader->status = STATUS_OK;
    reader->reply.has_failure = false;
    provider_failure_set(&reader->reply.failure, STATUS_OK, false, "", STR(""));
}

/* An error inside of a reply: its status counts as none, unless the error was the whole reply. */
static enum status reader_refuse(struct protocol_reader *reader, struct json body)
{
    struct provider_error_body error;
    struct failure_head head = reader->head;
    if (reader_is_good(reader))
        head.http_status = 0;
    provider_error_read(body, &error);
    provider_failure_classify(&head, &error, reader->schema_was_sent, &reader->reply.failure);
    reader->reply.has_failure = true;
    return reader->reply.failure.kind;
}

/* The value that holds an error, if the reply is one. */
static bool reply_is_error(struct str name, struct json data, struct json *out_error)
{
    struct json error = protocol_member(data, STR("error"));
    *out_error = data;
    if (protocol_is(data, JSON_ARRAY) && json_count(data) > 0) {
        *out_error = json_first(data);
        error = protocol_member(*out_error, STR("error"));
    }
    if (str_equal(name, STR("response.failed"))) {
        *out_error = protocol_member(data, STR("response"));
        return true;
    }
    if (protocol_is(data, JSON_OBJECT) &&
        str_equal(protocol_word(data, STR("status")), STR("failed")))
        return true;
    return str_equal(name, STR("error")) || !protocol_is_null(error);
}

/* ---- events ---- */

static bool data_is_done(struct str data)
{
    const struct str done = STR("[DONE]");
    while (data.len > 0 && (data.ptr[data.len - 1] == ' ' || data.ptr[data.len - 1] == '\n'))
        data.len--;
    while (data.len > 0 && data.ptr[0] == ' ')
        data = str_of(data.ptr + 1, data.len - 1);
    return str_equal(data, done);
}

static enum status read_event(struct protocol_reader *reader, const struct sse_event *event)
{
    struct json_doc *doc = NULL;
    struct json error;
    if (event->data.len == 0)
        return STATUS_OK;
    if (++reader->event_count > READER_EVENTS_MAX)
        return reader_fail(reader, STATUS_TRANSPORT, false, "too-large");
    if (data_is_done(event->data)) {
        if (reader->ops->ends_with_done && reader_is_good(reader))
            reader->reply.is_complete = true;
        return STATUS_OK;
    }
    enum status status = protocol_parse(reader, event->data, &doc);
    if (status != STATUS_OK)
        return status == STATUS_TRANSPORT && !reader_is_good(reader) ? STATUS_OK : status;
    struct json data = json_doc_root(doc);
    struct str name = protocol_word(data, STR("type"));
    if (name.len == 0 || str_equal(event->name, STR("error")))
        name = event->name;
    if (reply_is_error(name, data, &error) && !reader->reply.is_complete)
        status = reader_refuse(reader, error);
    else if (!reader_is_good(reader))
        status = reader_refuse(reader, data);
    else if (!protocol_is(data, JSON_OBJECT))
        status = protocol_odd(reader, STR("data"));
    else
        status = reader->ops->event(reader, name, data);
    json_doc_free(doc);
    return status;
}

static bool reader_event(void *state, const struct sse_event *event)
{
    struct protocol_reader *reader = state;
    reader_settle(reader, read_event(reader, event));
    return reader->status == STATUS_OK;
}

static enum status feed_events(struct protocol_reader *reader, struct str chunk)
{
    enum status status = sse_feed(&reader->sse, chunk, NULL);
    if (reader->status != STATUS_OK)
        return reader->status;
    if (status == STATUS_TRANSPORT)
        return reader_fail(reader, STATUS_TRANSPORT, false, "too-large");
    return status;
}

/* ---- the body ---- */

void protocol_reader_head(struct protocol_reader *reader, const struct http_head *head)
{
    failure_head_read(head, reader->wall_ms, &reader->head);
    if (!reader_is_good(reader))
        reader->document.max = READER_ERROR_BYTES;
}

/* What the body is by its first byte that is neither white space nor of a byte order mark. */
static enum protocol_form form_of(struct str text, char *out_first)
{
    static const char mark[] = "\xEF\xBB\xBF";
    size_t at = 0;
    *out_first = '\0';
    if (text.len > 0 && text.ptr[0] == mark[0]) {
        size_t len = text.len < 3 ? text.len : 3;
        if (memcmp(text.ptr, mark, len) == 0 && len < 3)
            return PROTOCOL_UNDECIDED;
        at = memcmp(text.ptr, mark, len) == 0 ? 3 : 0;
    }
    while (at < text.len && (text.ptr[at] == ' ' || (text.ptr[at] >= '\t' && text.ptr[at] <= '\r')))
        at++;
    if (at == text.len)
        return PROTOCOL_UNDECIDED;
    *out_first = text.ptr[at];
    return text.ptr[at] == '{' || text.ptr[at] == '[' || text.ptr[at] == '<' ? PROTOCOL_DOCUMENT
                                                                             : PROTOCOL_EVENTS;
}

/* Bodies of errors are cut at their bound: their status says enough. */
static enum status keep_document(struct protocol_reader *reader, struct str chunk)
{
    struct buffer *document = &reader->document;
    if (!reader_is_good(reader) && chunk.len > document->max - document->len)
        chunk.len = document->max - document->len;
    buffer_append_str(document, chunk);
    if (buffer_status(document) != STATUS_REJECTED)
        return buffer_status(document);
    return reader_fail(reader, STATUS_TRANSPORT, false, "too-large");
}

static enum status begin_body(struct protocol_reader *reader, struct str chunk)
{
    char first;
    enum status status = keep_document(reader, chunk);
    if (status != STATUS_OK)
        return status;
    reader->form = form_of(buffer_view(&reader->document), &first);
    if (first == '<' && reader_is_good(reader))
        return reader_fail(reader, STATUS_TRANSPORT, false, "html");
    if (reader->form != PROTOCOL_EVENTS)
        return STATUS_OK;
    status = feed_events(reader, buffer_view(&reader->document));
    buffer_clear(&reader->document);
    return status;
}

static enum status take_chunk(struct protocol_reader *reader, struct str chunk)
{
    switch (reader->form) {
    case PROTOCOL_UNDECIDED: return begin_body(reader, chunk);
    case PROTOCOL_EVENTS: return feed_events(reader, chunk);
    case PROTOCOL_DOCUMENT: return keep_document(reader, chunk);
    }
    return STATUS_INTERNAL;
}

bool protocol_reader_body(struct protocol_reader *reader, struct str chunk)
{
    if (reader->status != STATUS_OK)
        return false;
    if (reader->reply.is_complete)
        reader->bytes_after += chunk.len;
    reader_settle(reader, take_chunk(reader, chunk));
    bool goes_on = reader->status == STATUS_OK && reader->bytes_after <= READER_AFTER_BYTES;
    if (reader->reply.is_complete)
        reader_forgive(reader);
    return goes_on;
}

/* ---- the end ---- */

static struct str without_mark(struct str text)
{
    const struct str mark = STR("\xEF\xBB\xBF");
    return str_starts_with(text, mark) ? str_of(text.ptr + mark.len, text.len - mark.len) : text;
}

static enum status read_document(struct protocol_reader *reader)
{
    struct json_doc *doc = NULL;
    struct json error;
    enum status status = protocol_parse(reader, without_mark(buffer_view(&reader->document)), &doc);
    if (status != STATUS_OK)
        return status;
    struct json root = json_doc_root(doc);
    if (reply_is_error(protocol_word(root, STR("type")), root, &error))
        status = reader_refuse(reader, error);
    else
        status = reader->ops->document(reader, root);
    json_doc_free(doc);
    if (status == STATUS_OK)
        reader->reply.is_complete = true;
    return status;
}

/* An event without its empty line was cut: it does not count, as the standard of events says. */
static enum status end_events(struct protocol_reader *reader)
{
    bool is_at_rest = sse_is_at_rest(&reader->sse);
    if (reader->ops->ends_with_transfer && reader->reply.has_finish && is_at_rest)
        reader->reply.is_complete = true;
    if (reader->reply.is_complete)
        return STATUS_OK;
    return reader_fail(reader, STATUS_TRANSPORT, true, "cut-off");
}

static enum status end_good(struct protocol_reader *reader)
{
    switch (reader->form) {
    case PROTOCOL_UNDECIDED: return reader_fail(reader, STATUS_TRANSPORT, true, "empty");
    case PROTOCOL_EVENTS: return end_events(reader);
    case PROTOCOL_DOCUMENT: return read_document(reader);
    }
    return STATUS_INTERNAL;
}

/* The body of an error status, as far as it can be read. */
static enum status end_error(struct protocol_reader *reader)
{
    struct json_doc *doc = NULL;
    struct str text = without_mark(buffer_view(&reader->document));
    enum status status = STATUS_OK;
    if (reader->form == PROTOCOL_EVENTS)
        status = feed_events(reader, STR("\n\n"));
    if (status != STATUS_OK)
        return status;
    if (reader->form == PROTOCOL_DOCUMENT)
        status = protocol_parse(reader, text, &doc);
    if (status == STATUS_NO_MEMORY)
        return status;
    if (doc != NULL)
        (void)reader_refuse(reader, json_doc_root(doc));
    else
        provider_failure_classify(&reader->head, NULL, reader->schema_was_sent,
                                  &reader->reply.failure);
    json_doc_free(doc);
    reader->reply.has_failure = true;
    return reader->reply.failure.kind;
}

static bool transfer_is_good(const struct http_end *end)
{
    return end == NULL || end->outcome == HTTP_DONE;
}

static enum status reader_end(struct protocol_reader *reader, const struct http_end *end)
{
    if (reader->head.http_status == 0 && transfer_is_good(end))
        return reader_fail(reader, STATUS_TRANSPORT, true, "empty");
    if (!reader_is_good(reader) && reader->head.http_status != 0)
        return end_error(reader);
    if (reader->reply.is_complete || transfer_is_good(end)) {
        enum status status = reader->reply.is_complete ? STATUS_OK : end_good(reader);
        if (status != STATUS_OK)
            return status;
        bool needs_finish = reader->form == PROTOCOL_EVENTS && !reader->reply.has_finish;
        return needs_finish ? reader_fail(reader, STATUS_TRANSPORT, true, "no-finish")
                            : protocol_settle_text(reader);
    }
    bool was_answered = reader->head.http_status != 0;
    provider_failure_of_transfer(end, was_answered, &reader->reply.failure);
    if (reader->reply.failure.kind == STATUS_OK)
        return reader_fail(reader, STATUS_TRANSPORT, true, "cut-off");
    reader->reply.has_failure = true;
    return reader->reply.failure.kind;
}

void protocol_reader_end(struct protocol_reader *reader, const struct http_end *end,
                         struct provider_failure *out_failure)
{
    if (reader->status == STATUS_OK)
        reader_settle(reader, reader_end(reader, end));
    if (reader->status == STATUS_OK && reader->reply.text.len == 0 &&
        buffer_status(&reader->reply.reasoning) == STATUS_NO_MEMORY)
        reader_settle(reader, STATUS_NO_MEMORY); /* the answer may have stood there */
    if (reader->status != STATUS_OK)
        reader->reply.is_complete = false;
    *out_failure = reader->reply.failure;
}

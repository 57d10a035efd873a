/* sse.c - server-sent events as they arrive. See sse.h.
 *
 * Owns: cutting the stream into lines and the lines into fields. Leaves to others: what the data
 * means. Invariants: a line that lies in one chunk is read in place and copied only when it ends in
 * a later chunk; what the buffers hold together stays below event_bytes_max; any split of a stream
 * gives the same events.
 */
#include "base/features.h"

#include "net/sse.h"

#define BYTE_ORDER_MARK STR("\xEF\xBB\xBF")

enum { BOM_SETTLED = 4, ID_BYTES_MAX = 1024 };

void sse_init(struct sse_parser *parser, const struct sse_sink *sink, size_t event_bytes_max,
              const struct alloc *alloc)
{
    *parser = (struct sse_parser){ .sink = *sink, .event_bytes_max = event_bytes_max };
    buffer_init(&parser->line, alloc, event_bytes_max);
    buffer_init(&parser->name, alloc, event_bytes_max);
    buffer_init(&parser->data, alloc, event_bytes_max);
    buffer_init(&parser->id, alloc, ID_BYTES_MAX);
}

void sse_release(struct sse_parser *parser)
{
    buffer_release(&parser->line);
    buffer_release(&parser->name);
    buffer_release(&parser->data);
    buffer_release(&parser->id);
}

static enum status buffers_status(const struct sse_parser *parser, struct error *error)
{
    const struct buffer *const buffers[] = { &parser->line, &parser->name, &parser->data };
    for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++) {
        enum status status = buffer_status(buffers[i]);
        if (status == STATUS_REJECTED)
            return error_set(error, STATUS_TRANSPORT,
                             "an event of the stream is longer than the limit of %zu bytes",
                             parser->event_bytes_max);
        if (status != STATUS_OK)
            return error_set(error, status, "out of memory");
    }
    return STATUS_OK;
}

/* An empty line: what was gathered is an event, if it has data. */
static void dispatch(struct sse_parser *parser)
{
    if (parser->has_data) {
        struct sse_event event = { buffer_view(&parser->name), buffer_view(&parser->data),
                                   buffer_view(&parser->id) };
        event.data.len -= event.data.len > 0 ? 1 : 0; /* the LF behind the last line */
        parser->is_stopped = !parser->sink.event(parser->sink.state, &event);
    }
    buffer_clear(&parser->name);
    buffer_clear(&parser->data);
    parser->has_data = false;
}

static void take_id(struct sse_parser *parser, struct str value)
{
    if (value.len > ID_BYTES_MAX || (value.len > 0 && memchr(value.ptr, '\0', value.len) != NULL))
        return;
    buffer_clear(&parser->id);
    buffer_append_str(&parser->id, value);
}

static void take_field(struct sse_parser *parser, struct str name, struct str value)
{
    if (str_equal(name, STR("data"))) {
        buffer_append_str(&parser->data, value);
        buffer_append_byte(&parser->data, '\n');
        parser->has_data = true;
    } else if (str_equal(name, STR("event"))) {
        buffer_clear(&parser->name);
        buffer_append_str(&parser->name, value);
    } else if (str_equal(name, STR("id"))) {
        take_id(parser, value);
    }
}

/* A whole line, without its end. */
static void take_line(struct sse_parser *parser, struct str line)
{
    if (line.len == 0) {
        dispatch(parser);
        return;
    }
    const char *colon = memchr(line.ptr, ':', line.len);
    if (colon == line.ptr) {
        parser->comment_count++;
        return;
    }
    size_t name_len = colon == NULL ? line.len : (size_t)(colon - line.ptr);
    size_t skip = name_len + (colon == NULL ? 0 : 1);
    if (skip < line.len && line.ptr[skip] == ' ')
        skip++;
    take_field(parser, str_of(line.ptr, name_len), str_of(line.ptr + skip, line.len - skip));
}

/* Skips a byte order mark at the very beginning; a part of one that was none becomes text again. */
static struct str skip_mark(struct sse_parser *parser, struct str chunk)
{
    const struct str mark = BYTE_ORDER_MARK;
    while (parser->bom_bytes < mark.len && chunk.len > 0) {
        if (chunk.ptr[0] != mark.ptr[parser->bom_bytes]) {
            buffer_append(&parser->line, mark.ptr, parser->bom_bytes);
            parser->bom_bytes = BOM_SETTLED;
            return chunk;
        }
        parser->bom_bytes++;
        chunk = str_of(chunk.ptr + 1, chunk.len - 1);
    }
    if (parser->bom_bytes == mark.len)
        parser->bom_bytes = BOM_SETTLED;
    return chunk;
}

static size_t line_end(struct str text)
{
    const char *lf = memchr(text.ptr, '\n', text.len);
    size_t len = lf == NULL ? text.len : (size_t)(lf - text.ptr);
    const char *cr = memchr(text.ptr, '\r', len);
    return cr == NULL ? len : (size_t)(cr - text.ptr);
}

/* Takes one line, or what is there of it, off the front of *chunk. */
static void take_front(struct sse_parser *parser, struct str *chunk)
{
    size_t len = line_end(*chunk);
    struct str piece = { chunk->ptr, len };
    if (len == chunk->len) {
        buffer_append_str(&parser->line, piece);
        *chunk = str_of(chunk->ptr + len, 0);
        return;
    }
    parser->after_cr = chunk->ptr[len] == '\r';
    *chunk = str_of(chunk->ptr + len + 1, chunk->len - len - 1);
    if (parser->line.len == 0 && piece.len <= parser->event_bytes_max) {
        take_line(parser, piece);
        return;
    }
    buffer_append_str(&parser->line, piece);
    if (buffer_status(&parser->line) != STATUS_OK)
        return;
    take_line(parser, buffer_view(&parser->line));
    buffer_clear(&parser->line);
}

enum status sse_feed(struct sse_parser *parser, struct str chunk, struct error *error)
{
    enum status status = buffers_status(parser, error);
    if (parser->bom_bytes < BOM_SETTLED)
        chunk = skip_mark(parser, chunk);
    while (status == STATUS_OK && chunk.len > 0 && !parser->is_stopped) {
        if (parser->after_cr && chunk.ptr[0] == '\n')
            chunk = str_of(chunk.ptr + 1, chunk.len - 1);
        parser->after_cr = false;
        if (chunk.len > 0)
            take_front(parser, &chunk);
        status = buffers_status(parser, error);
    }
    return status;
}

bool sse_is_at_rest(const struct sse_parser *parser)
{
    return parser->line.len == 0 && !parser->has_data && parser->name.len == 0 &&
           (parser->bom_bytes == 0 || parser->bom_bytes == BOM_SETTLED);
}

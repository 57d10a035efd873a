/* fuzz_sse.c - laws of the event stream parser for any bytes: a stream in pieces gives the events
 * of the whole; no event is longer than the limit; data holds no CR.
 *
 * The first byte chooses how the rest is cut.
 */
#include "base/features.h"

#include <stdint.h>
#include <stdlib.h>

#include "net/sse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { EVENT_MAX = 256 };

struct digest {
    struct buffer text;
};

static void require(bool condition)
{
    if (!condition)
        abort();
}

static bool on_event(void *state, const struct sse_event *event)
{
    struct digest *digest = state;
    require(event->data.len <= EVENT_MAX && event->name.len <= EVENT_MAX);
    require(event->data.len == 0 || memchr(event->data.ptr, '\r', event->data.len) == NULL);
    buffer_append_str(&digest->text, event->name);
    buffer_append_byte(&digest->text, '\r');
    buffer_append_str(&digest->text, event->data);
    buffer_append_byte(&digest->text, '\r');
    buffer_append_str(&digest->text, event->id);
    buffer_append_byte(&digest->text, '\r');
    return true;
}

static enum status read_stream(struct str stream, size_t step, struct digest *digest)
{
    struct sse_parser parser;
    struct sse_sink sink = { on_event, digest };
    enum status status = STATUS_OK;
    sse_init(&parser, &sink, EVENT_MAX, alloc_default());
    for (size_t at = 0; status == STATUS_OK && at < stream.len; at += step) {
        size_t len = step < stream.len - at ? step : stream.len - at;
        status = sse_feed(&parser, str_of(stream.ptr + at, len), NULL);
    }
    sse_release(&parser);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct digest whole, pieces;
    if (size < 1)
        return 0;
    struct str stream = { (const char *)data + 1, size - 1 };
    buffer_init(&whole.text, alloc_default(), 1 << 24);
    buffer_init(&pieces.text, alloc_default(), 1 << 24);
    enum status a = read_stream(stream, stream.len + 1, &whole);
    enum status b = read_stream(stream, data[0] % 17 + 1, &pieces);
    require(a == b);
    if (a == STATUS_OK)
        require(str_equal(buffer_view(&whole.text), buffer_view(&pieces.text)));
    buffer_release(&whole.text);
    buffer_release(&pieces.text);
    return 0;
}

/* sse.h - server-sent events (WHATWG HTML, section 9.2.6) as they arrive, bounded.
 *
 * Owns: lines over chunk ends, LF, CR and CRLF, the byte order mark, comments, data of several
 * lines, names and ids. Leaves to others: what the data means. An event without its empty line at
 * the end of the stream is dropped, as the standard says. Not recursive, linear, at most
 * event_bytes_max of memory.
 */
#ifndef STRUCTURE_NET_SSE_H
#define STRUCTURE_NET_SSE_H

#include "base/buffer.h"

/* Borrowed for the event. */
struct sse_event {
    struct str name; /* empty: none was given ("message") */
    struct str data; /* lines joined by LF */
    struct str id;   /* last id seen */
};

struct sse_sink {
    bool (*event)(void *state, const struct sse_event *event); /* false: take no more */
    void *state;
};

struct sse_parser {
    struct sse_sink sink;
    struct buffer line; /* of the current line, when it began in an earlier chunk */
    struct buffer name;
    struct buffer data;
    struct buffer id;
    uint64_t comment_count; /* lines that begin with a colon: signs of life */
    bool has_data;
    bool after_cr;
    unsigned bom_bytes; /* of the byte order mark seen so far; 4: it is settled */
    bool is_stopped;
    size_t event_bytes_max;
};

void sse_init(struct sse_parser *parser, const struct sse_sink *sink, size_t event_bytes_max,
              const struct alloc *alloc);
void sse_release(struct sse_parser *parser);

/* Takes the next bytes and calls the sink for every event that they complete. TRANSPORT: an event
 * or a line is beyond the maximum; NO_MEMORY. Failures are final. */
enum status sse_feed(struct sse_parser *parser, struct str chunk, struct error *error);

/* Whether the stream ended between two events. */
bool sse_is_at_rest(const struct sse_parser *parser);

#endif

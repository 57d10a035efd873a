/* buffer.h - a growing run of bytes that is born with a maximum.
 *
 * Owns: its bytes. Failure is sticky: after the first failed append the buffer keeps its contents,
 * ignores further appends and buffer_status says why, so that a sequence of appends is checked once
 * at its end. After every successful append ptr[len] is NUL. Thread rule: one thread at a time.
 */
#ifndef STRUCTURE_BASE_BUFFER_H
#define STRUCTURE_BASE_BUFFER_H

#include <stdint.h>

#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"

struct buffer {
    char *ptr; /* NULL until the first byte */
    size_t len;
    size_t cap;
    size_t max;          /* bytes of content at the most */
    enum status status;  /* STATUS_OK, STATUS_NO_MEMORY, or STATUS_REJECTED when max was hit */
    const struct alloc *alloc;
};

void buffer_init(struct buffer *buffer, const struct alloc *alloc, size_t bytes_max);
void buffer_release(struct buffer *buffer); /* accepts a zeroed or released buffer */
void buffer_clear(struct buffer *buffer);   /* keeps the capacity, clears the status */

void buffer_append(struct buffer *buffer, const void *ptr, size_t len);
void buffer_append_str(struct buffer *buffer, struct str text);
void buffer_append_byte(struct buffer *buffer, char byte);
void buffer_append_uint(struct buffer *buffer, uint64_t value); /* decimal */
void buffer_printf(struct buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Room for len more bytes, or NULL; the caller writes and then adds to len itself. */
char *buffer_reserve(struct buffer *buffer, size_t len);
void buffer_truncate(struct buffer *buffer, size_t len);

static inline enum status buffer_status(const struct buffer *buffer)
{
    return buffer->status;
}

/* Borrowed until the next change. */
static inline struct str buffer_view(const struct buffer *buffer)
{
    return (struct str){ buffer->ptr, buffer->len };
}

#endif

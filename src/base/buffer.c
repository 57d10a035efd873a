/* buffer.c - appending to a bounded run of bytes.
 *
 * Owns: growth and the sticky status. Invariant: ptr is NULL or has cap bytes, len < cap, ptr[len]
 * is NUL after every append, len <= max.
 */
#include "base/features.h"

#include "base/buffer.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/checked.h"

enum { BUFFER_CAP_MIN = 64 };

void buffer_init(struct buffer *buffer, const struct alloc *alloc, size_t bytes_max)
{
    *buffer = (struct buffer){ .alloc = alloc, .max = bytes_max };
}

void buffer_release(struct buffer *buffer)
{
    if (buffer->ptr != NULL)
        alloc_free(buffer->alloc, buffer->ptr, buffer->cap);
    buffer->ptr = NULL;
    buffer->len = 0;
    buffer->cap = 0;
    buffer->status = STATUS_OK;
}

void buffer_clear(struct buffer *buffer)
{
    buffer_truncate(buffer, 0);
    buffer->status = STATUS_OK;
}

static bool buffer_grow(struct buffer *buffer, size_t cap_needed)
{
    size_t cap = buffer->cap < BUFFER_CAP_MIN ? BUFFER_CAP_MIN : buffer->cap;
    while (cap < cap_needed) {
        if (size_multiply_overflows(cap, 2, &cap))
            cap = cap_needed;
    }
    /* Doubling must not reserve more than max can ever use. */
    if (buffer->max < SIZE_MAX && cap > buffer->max + 1)
        cap = cap_needed > buffer->max + 1 ? cap_needed : buffer->max + 1;
    char *ptr = alloc_grow(buffer->alloc, buffer->ptr, buffer->cap, cap);
    if (ptr == NULL) {
        buffer->status = STATUS_NO_MEMORY;
        return false;
    }
    buffer->ptr = ptr;
    buffer->cap = cap;
    return true;
}

char *buffer_reserve(struct buffer *buffer, size_t len)
{
    size_t total;
    if (buffer->status != STATUS_OK)
        return NULL;
    if (size_add_overflows(buffer->len, len, &total) || total == SIZE_MAX || total > buffer->max) {
        buffer->status = STATUS_REJECTED;
        return NULL;
    }
    if (total + 1 > buffer->cap && !buffer_grow(buffer, total + 1))
        return NULL;
    return buffer->ptr + buffer->len;
}

void buffer_append(struct buffer *buffer, const void *ptr, size_t len)
{
    char *room = buffer_reserve(buffer, len);
    if (room == NULL)
        return;
    if (len > 0)
        memcpy(room, ptr, len);
    room[len] = '\0';
    buffer->len += len;
}

void buffer_append_str(struct buffer *buffer, struct str text)
{
    buffer_append(buffer, text.ptr, text.len);
}

void buffer_append_byte(struct buffer *buffer, char byte)
{
    buffer_append(buffer, &byte, 1);
}

void buffer_append_uint(struct buffer *buffer, uint64_t value)
{
    char digits[20];
    size_t begin = sizeof(digits);
    do {
        digits[--begin] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    buffer_append(buffer, digits + begin, sizeof(digits) - begin);
}

void buffer_printf(struct buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int len = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (len < 0) {
        if (buffer->status == STATUS_OK)
            buffer->status = STATUS_NO_MEMORY;
        return;
    }
    char *room = buffer_reserve(buffer, (size_t)len);
    if (room == NULL)
        return;
    va_start(arguments, format);
    (void)vsnprintf(room, (size_t)len + 1, format, arguments);
    va_end(arguments);
    buffer->len += (size_t)len;
}

void buffer_truncate(struct buffer *buffer, size_t len)
{
    if (len >= buffer->len)
        return;
    buffer->len = len;
    buffer->ptr[len] = '\0';
}

/* str.h - a borrowed run of bytes: pointer and length, never NUL-terminated by contract.
 *
 * Owns: the view type that every module passes text in. A str owns nothing; the comment of whoever
 * hands one out names the owner. Bytes are not assumed to be UTF-8 unless the function says so.
 */
#ifndef STRUCTURE_BASE_STR_H
#define STRUCTURE_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct str {
    const char *ptr; /* may be NULL only when len is 0 */
    size_t len;      /* bytes */
};

/* A view of a string literal, without its NUL. */
#define STR(literal) ((struct str){ "" literal, sizeof(literal) - 1 })

static inline struct str str_of(const char *ptr, size_t len)
{
    return (struct str){ ptr, len };
}

/* A view of a NUL-terminated string; NULL is the empty view. */
static inline struct str str_from(const char *text)
{
    return (struct str){ text, text == NULL ? 0 : strlen(text) };
}

static inline bool str_equal(struct str a, struct str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool str_starts_with(struct str text, struct str prefix)
{
    return text.len >= prefix.len &&
           (prefix.len == 0 || memcmp(text.ptr, prefix.ptr, prefix.len) == 0);
}

#endif

/* utf8.h - UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing beyond
 * U+10FFFF. */
#ifndef STRUCTURE_BASE_UTF8_H
#define STRUCTURE_BASE_UTF8_H

#include <stdint.h>

#include "base/str.h"

enum { UTF8_SEQUENCE_BYTES_MAX = 4 };

/* Offset of the first byte of the first malformed or incomplete sequence, text.len when all is
 * well. utf8_valid_prefix is the same, but a sequence that the end of the text cuts is not a fault:
 * its first byte is returned in out_incomplete (text.len when none). */
size_t utf8_check(struct str text);
size_t utf8_valid_prefix(struct str text, size_t *out_incomplete);

/* Decodes the code point at ptr. Returns its bytes (1..4), or 0 for a malformed or cut sequence. */
unsigned utf8_decode(const char *ptr, size_t len, uint32_t *out_code_point);

/* Writes 1..4 bytes; code_point must be a Unicode scalar value. */
unsigned utf8_encode(uint32_t code_point, char out[UTF8_SEQUENCE_BYTES_MAX]);

/* Code points in well-formed text. */
size_t utf8_length(struct str text);

/* Longest prefix of at most bytes_max bytes that does not cut a code point. */
struct str utf8_prefix(struct str text, size_t bytes_max);

#endif

/* text.c - white space and substrings.
 *
 * Owns: what counts as blank. Leaves to others: everything that is about JSON, whose white space is
 * narrower.
 */
#include "base/features.h"

#include "engine/text.h"

#include "base/utf8.h"

/* Unicode White_Space, and the marks of no width that make a text look empty. */
static bool code_point_is_blank(uint32_t code_point)
{
    if (code_point <= 0x20)
        return code_point == 0x20 || (code_point >= 0x09 && code_point <= 0x0D);
    switch (code_point) {
    case 0x85:
    case 0xA0:
    case 0x1680:
    case 0x2028:
    case 0x2029:
    case 0x202F:
    case 0x205F:
    case 0x2060:
    case 0x3000:
    case 0xFEFF: return true;
    default: return code_point >= 0x2000 && code_point <= 0x200D;
    }
}

/* Bytes of the blank code point at the front, 0 when there is none. */
static unsigned blank_bytes(struct str text)
{
    uint32_t code_point;
    unsigned bytes = utf8_decode(text.ptr, text.len, &code_point);
    return bytes > 0 && code_point_is_blank(code_point) ? bytes : 0;
}

/* The same at the back. */
static unsigned blank_bytes_last(struct str text)
{
    for (unsigned bytes = 1; bytes <= UTF8_SEQUENCE_BYTES_MAX && bytes <= text.len; bytes++) {
        unsigned char lead = (unsigned char)text.ptr[text.len - bytes];
        if ((lead & 0xC0) == 0x80)
            continue;
        return blank_bytes(engine_text_skip(text, text.len - bytes)) == bytes ? bytes : 0;
    }
    return 0;
}

struct str engine_text_trim(struct str text)
{
    unsigned bytes;
    while (text.len > 0 && (bytes = blank_bytes(text)) > 0)
        text = engine_text_skip(text, bytes);
    while (text.len > 0 && (bytes = blank_bytes_last(text)) > 0)
        text.len -= bytes;
    return text;
}

bool engine_text_is_blank(struct str text)
{
    unsigned bytes;
    while (text.len > 0 && (bytes = blank_bytes(text)) > 0)
        text = engine_text_skip(text, bytes);
    return text.len == 0;
}

bool engine_text_ends_with(struct str text, struct str suffix)
{
    return text.len >= suffix.len &&
           str_equal(engine_text_skip(text, text.len - suffix.len), suffix);
}

bool engine_text_contains(struct str text, struct str needle)
{
    if (needle.len == 0)
        return true;
    while (text.len >= needle.len) {
        const char *found = memchr(text.ptr, needle.ptr[0], text.len - needle.len + 1);
        if (found == NULL)
            return false;
        text = engine_text_skip(text, (size_t)(found - text.ptr));
        if (str_starts_with(text, needle))
            return true;
        text = engine_text_skip(text, 1);
    }
    return false;
}

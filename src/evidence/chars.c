/* chars.c - classes of characters and scanners.
 *
 * Owns: the tables by block. Invariant: folding keeps the byte length, so that offsets stay.
 */
#include "base/features.h"

#include "evidence/chars.h"

#include "base/utf8.h"

uint32_t char_at(struct str text, size_t offset, unsigned *out_bytes)
{
    uint32_t code_point = 0;
    unsigned bytes = 0;
    if (offset < text.len) {
        unsigned char first = (unsigned char)text.ptr[offset];
        if (first < 0x80) {
            code_point = first;
            bytes = 1;
        } else {
            bytes = utf8_decode(text.ptr + offset, text.len - offset, &code_point);
            if (bytes == 0) {
                code_point = 0xFFFD;
                bytes = 1;
            }
        }
    }
    if (out_bytes != NULL)
        *out_bytes = bytes;
    return code_point;
}

uint32_t char_before(struct str text, size_t offset)
{
    if (offset == 0 || offset > text.len)
        return 0;
    size_t at = offset - 1;
    while (at > 0 && offset - at < UTF8_SEQUENCE_BYTES_MAX &&
           ((unsigned char)text.ptr[at] & 0xC0) == 0x80)
        at--;
    return char_at(text, at, NULL);
}

struct char_range {
    uint32_t first, last;
};

/* Blocks beyond ASCII that hold no letters. */
static const struct char_range not_letters[] = {
    { 0x80, 0xA9 },       { 0xAB, 0xB4 },     { 0xB6, 0xB9 },     { 0xBB, 0xBF },
    { 0xD7, 0xD7 },       { 0xF7, 0xF7 },     { 0x2000, 0x2BFF }, { 0x3000, 0x3004 },
    { 0x3008, 0x3020 },   { 0xFE10, 0xFE6F }, { 0xFF01, 0xFF0F }, { 0xFFFC, 0xFFFD },
    { 0x1F000, 0x1FAFF },
};

bool char_is_letter(uint32_t code_point)
{
    if (code_point < 0x80)
        return (code_point | 0x20) >= 'a' && (code_point | 0x20) <= 'z';
    for (size_t i = 0; i < sizeof(not_letters) / sizeof(not_letters[0]); i++)
        if (code_point >= not_letters[i].first && code_point <= not_letters[i].last)
            return false;
    return true;
}

bool char_is_upper(uint32_t code_point)
{
    if (code_point >= 'A' && code_point <= 'Z')
        return true;
    if (code_point >= 0xC0 && code_point <= 0xDE)
        return code_point != 0xD7;
    if (code_point >= 0x100 && code_point <= 0x17F)
        return code_point % 2 == (code_point >= 0x139 && code_point <= 0x148 ? 1 : 0);
    return (code_point >= 0x391 && code_point <= 0x3A9) ||
           (code_point >= 0x400 && code_point <= 0x42F);
}

bool char_is_space(uint32_t code_point)
{
    return code_point == '\n' || code_point == '\r' || char_is_blank(code_point);
}

bool char_is_blank(uint32_t code_point)
{
    return code_point == ' ' || code_point == '\t' || code_point == 0xA0 || code_point == 0x202F ||
           code_point == 0x3000 || (code_point >= 0x2000 && code_point <= 0x200A);
}

void char_fold(struct str text, char *out)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        unsigned char next = i + 1 < text.len ? (unsigned char)text.ptr[i + 1] : 0;
        if (byte >= 'A' && byte <= 'Z') {
            out[i] = (char)(byte | 0x20);
        } else if (byte == 0xC3 && next >= 0x80 && next <= 0x9E && next != 0x97) {
            out[i++] = (char)byte;
            out[i] = (char)(next + 0x20);
        } else if (byte == 0xD0 && next >= 0x90 && next <= 0xAF) {
            out[i++] = (char)(next < 0xA0 ? 0xD0 : 0xD1);
            out[i] = (char)(next < 0xA0 ? next + 0x20 : next - 0x20);
        } else {
            out[i] = (char)byte;
        }
    }
}

size_t scan_blanks(struct str text, size_t at)
{
    unsigned bytes;
    while (char_is_blank(char_at(text, at, &bytes)))
        at += bytes;
    return at;
}

size_t scan_digits(struct str text, size_t at, unsigned min, unsigned max, uint32_t *out_value)
{
    uint32_t value = 0;
    unsigned count = 0;
    while (at < text.len && char_is_digit((unsigned char)text.ptr[at])) {
        if (++count > max)
            return SCAN_NONE;
        value = value * 10 + (uint32_t)(text.ptr[at++] - '0');
    }
    if (count < min)
        return SCAN_NONE;
    if (out_value != NULL)
        *out_value = value;
    return at;
}

size_t scan_literal(struct str text, size_t at, const char *literal)
{
    for (; *literal != '\0'; literal++, at++) {
        if (at >= text.len)
            return SCAN_NONE;
        char byte = text.ptr[at];
        if (byte >= 'A' && byte <= 'Z')
            byte = (char)(byte | 0x20);
        char wanted = *literal >= 'A' && *literal <= 'Z' ? (char)(*literal | 0x20) : *literal;
        if (byte != wanted)
            return SCAN_NONE;
    }
    return at;
}

size_t scan_word(struct str text, size_t at, const char *literal)
{
    size_t end = scan_literal(text, at, literal);
    if (end == SCAN_NONE || char_is_alnum(char_at(text, end, NULL)))
        return SCAN_NONE;
    return end;
}

size_t scan_any_word(struct str text, size_t at, const char *const *list, unsigned *out_index)
{
    for (unsigned i = 0; list[i] != NULL; i++) {
        size_t end = scan_word(text, at, list[i]);
        if (end != SCAN_NONE) {
            if (out_index != NULL)
                *out_index = i;
            return end;
        }
    }
    return SCAN_NONE;
}

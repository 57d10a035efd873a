/* printable.c - text of unknown origin made fit for a terminal. See printable.h.
 *
 * Owns: which code points are shown. Leaves to others: colours and layout. Invariant: what is
 * appended is well-formed UTF-8 without control characters.
 */
#include "base/features.h"

#include "cli/printable.h"

#include "base/utf8.h"

/* Controls beyond ASCII's first, and what reorders or breaks lines. */
static bool printable_is_hostile(uint32_t c)
{
    return (c >= 0x7F && c < 0xA0) || (c >= 0x202A && c <= 0x202E) ||
           (c >= 0x2066 && c <= 0x2069) || c == 0x2028 || c == 0x2029 || c == 0xFEFF;
}

/* Decodes the next code point, U+FFFD for what must not be shown; at least one byte is used. */
static unsigned printable_next(struct str text, size_t offset, uint32_t *out_code_point)
{
    unsigned used = utf8_decode(text.ptr + offset, text.len - offset, out_code_point);
    if (used == 0) {
        *out_code_point = 0xFFFD;
        return 1;
    }
    if (*out_code_point == '\t')
        *out_code_point = ' ';
    else if (*out_code_point < 0x20 || printable_is_hostile(*out_code_point))
        *out_code_point = 0xFFFD;
    return used;
}

static void printable_put(struct buffer *out, uint32_t code_point)
{
    char bytes[UTF8_SEQUENCE_BYTES_MAX];
    buffer_append(out, bytes, utf8_encode(code_point, bytes));
}

size_t cli_printable_length(struct str text)
{
    size_t count = 0;
    uint32_t code_point;
    for (size_t offset = 0; offset < text.len; count++)
        offset += printable_next(text, offset, &code_point);
    return count;
}

/* Ranges of code points; the blocks that matter, not each unassigned code point in them. */
struct printable_range {
    uint32_t first;
    uint32_t last;
};

static bool printable_in(const struct printable_range *ranges, size_t count, uint32_t code_point)
{
    for (size_t i = 0; i < count; i++)
        if (code_point >= ranges[i].first && code_point <= ranges[i].last)
            return true;
    return false;
}

static unsigned printable_width(uint32_t code_point)
{
    static const struct printable_range marks[] = {
        { 0x0300, 0x036F }, { 0x0483, 0x0489 }, { 0x0591, 0x05BD },   { 0x0610, 0x061A },
        { 0x064B, 0x065F }, { 0x0E31, 0x0E31 }, { 0x0E34, 0x0E3A },   { 0x0E47, 0x0E4E },
        { 0x1AB0, 0x1AFF }, { 0x1DC0, 0x1DFF }, { 0x200B, 0x200F },   { 0x20D0, 0x20FF },
        { 0xFE00, 0xFE0F }, { 0xFE20, 0xFE2F }, { 0x1F3FB, 0x1F3FF }, { 0xE0100, 0xE01EF },
    };
    static const struct printable_range wides[] = {
        { 0x1100, 0x115F },   { 0x2E80, 0x303E },   { 0x3041, 0xA4CF },   { 0xAC00, 0xD7A3 },
        { 0xF900, 0xFAFF },   { 0xFE30, 0xFE6F },   { 0xFF00, 0xFF60 },   { 0xFFE0, 0xFFE6 },
        { 0x1F300, 0x1F64F }, { 0x1F680, 0x1F6FF }, { 0x1F900, 0x1F9FF }, { 0x20000, 0x3FFFD },
    };
    if (code_point < 0x0300)
        return 1;
    if (printable_in(marks, sizeof(marks) / sizeof(marks[0]), code_point))
        return 0;
    return printable_in(wides, sizeof(wides) / sizeof(wides[0]), code_point) ? 2 : 1;
}

size_t cli_printable_columns(struct str text, size_t first, size_t count)
{
    size_t columns = 0;
    size_t index = 0;
    uint32_t code_point;
    for (size_t offset = 0; offset < text.len && index < first + count; index++) {
        offset += printable_next(text, offset, &code_point);
        if (index >= first)
            columns += index == first && first > 0 ? 1 : printable_width(code_point);
    }
    return columns;
}

void cli_printable_append(struct buffer *out, struct str text, size_t first, size_t columns_max)
{
    size_t index = 0;
    size_t shown = 0;
    for (size_t offset = 0; offset < text.len; index++) {
        uint32_t code_point;
        offset += printable_next(text, offset, &code_point);
        if (index < first)
            continue;
        bool cut_here = (index == first && first > 0) ||
                        (columns_max != 0 && shown + 1 == columns_max && offset < text.len);
        printable_put(out, cut_here ? 0x2026 : code_point);
        if (columns_max != 0 && ++shown == columns_max)
            return;
    }
}

void cli_printable_append_tail(struct buffer *out, struct str text, size_t columns_max)
{
    /* No more bytes than the columns can need are looked at. */
    size_t bytes_max = columns_max * UTF8_SEQUENCE_BYTES_MAX;
    if (text.len > bytes_max) {
        text.ptr += text.len - bytes_max;
        text.len = bytes_max;
        while (text.len > 0 && ((unsigned char)text.ptr[0] & 0xC0) == 0x80) {
            text.ptr++;
            text.len--;
        }
    }
    size_t length = cli_printable_length(text);
    cli_printable_append(out, text, length > columns_max ? length - columns_max : 0, columns_max);
}

void cli_printable_append_json(struct buffer *out, struct str json)
{
    size_t begin = 0;
    for (size_t at = 0; at < json.len;) {
        uint32_t code_point = (unsigned char)json.ptr[at];
        unsigned used = 1;
        if (code_point >= 0x80)
            used = utf8_decode(json.ptr + at, json.len - at, &code_point);
        if (used > 0 && code_point >= 0x7F && printable_is_hostile(code_point)) {
            buffer_append(out, json.ptr + begin, at - begin);
            buffer_printf(out, "\\u%04x", (unsigned)code_point);
            begin = at + used;
        }
        at += used == 0 ? 1 : used;
    }
    buffer_append(out, json.ptr + begin, json.len - begin);
}

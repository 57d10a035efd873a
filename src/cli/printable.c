/* printable.c - text of unknown origin made fit for a terminal. See printable.h.
 *
 * Owns: which code points are shown. Leaves to others: colours and layout. Invariant: what is
 * appended is well-formed UTF-8 without control characters.
 */
#include "base/features.h"

#include "cli/printable.h"

#include "base/utf8.h"

/* Decodes the next code point, U+FFFD for what must not be shown; at least one byte is used. */
static unsigned printable_next(struct str text, size_t offset, uint32_t *out_code_point)
{
    unsigned used = utf8_decode(text.ptr + offset, text.len - offset, out_code_point);
    if (used == 0) {
        *out_code_point = 0xFFFD;
        return 1;
    }
    uint32_t c = *out_code_point;
    if (c == '\t')
        *out_code_point = ' ';
    else if (c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x202A && c <= 0x202E) ||
             (c >= 0x2066 && c <= 0x2069) || c == 0x2028 || c == 0x2029 || c == 0xFEFF)
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

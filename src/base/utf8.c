/* utf8.c - checking and converting UTF-8.
 *
 * Owns: the one definition of well-formed text: RFC 3629, table of well-formed sequences in Unicode
 * 3.9. Everything here looks at each byte once; runs of ASCII are skipped a word at a time.
 */
#include "base/features.h"

#include "base/utf8.h"

#define ASCII_MASK UINT64_C(0x8080808080808080)

/* Bytes that the lead byte announces, 0 for one that cannot lead. */
static unsigned utf8_announced(unsigned char lead)
{
    if (lead < 0x80)
        return 1;
    if (lead < 0xc2)
        return 0;
    if (lead < 0xe0)
        return 2;
    if (lead < 0xf0)
        return 3;
    return lead < 0xf5 ? 4 : 0;
}

/* The second byte carries the rules against overlong forms, surrogates and values beyond
 * U+10FFFF. */
static bool utf8_second_fits(unsigned char lead, unsigned char second)
{
    unsigned low = 0x80;
    unsigned high = 0xbf;
    if (lead == 0xe0)
        low = 0xa0;
    else if (lead == 0xed)
        high = 0x9f;
    else if (lead == 0xf0)
        low = 0x90;
    else if (lead == 0xf4)
        high = 0x8f;
    return second >= low && second <= high;
}

/* Bytes of the sequence at bytes[0]; 0 when malformed; *out_cut when all its bytes so far are right
 * but the text ends inside it. */
static unsigned utf8_sequence(const unsigned char *bytes, size_t len, bool *out_cut)
{
    *out_cut = false;
    unsigned announced = len == 0 ? 0 : utf8_announced(bytes[0]);
    if (announced <= 1)
        return announced;
    for (unsigned i = 1; i < announced; i++) {
        if (i == len) {
            *out_cut = true;
            return 0;
        }
        bool fits = i == 1 ? utf8_second_fits(bytes[0], bytes[1]) : (bytes[i] & 0xc0) == 0x80;
        if (!fits)
            return 0;
    }
    return announced;
}

static size_t utf8_skip_ascii(const unsigned char *bytes, size_t at, size_t len)
{
    while (len - at >= 16) {
        uint64_t words[2];
        memcpy(words, bytes + at, sizeof(words));
        if (((words[0] | words[1]) & ASCII_MASK) != 0)
            break;
        at += 16;
    }
    while (at < len && bytes[at] < 0x80)
        at++;
    return at;
}

/* Sequences of two or three bytes whose lead byte puts no rule on the second: most of what is not
 * ASCII. 0 for all else, which utf8_sequence then judges. */
static unsigned utf8_common_sequence(const unsigned char *bytes, size_t len)
{
    unsigned char lead = bytes[0];
    if (len < 3 || (bytes[1] & 0xc0) != 0x80)
        return 0;
    if (lead >= 0xc2 && lead < 0xe0)
        return 2;
    return lead > 0xe0 && lead < 0xf0 && lead != 0xed && (bytes[2] & 0xc0) == 0x80 ? 3 : 0;
}

static size_t utf8_scan(struct str text, bool *out_cut)
{
    const unsigned char *bytes = (const unsigned char *)text.ptr;
    size_t at = 0;
    *out_cut = false;
    while ((at = utf8_skip_ascii(bytes, at, text.len)) < text.len) {
        /* Text in other scripts comes in runs: stay here until the next ASCII byte. */
        do {
            unsigned size = utf8_common_sequence(bytes + at, text.len - at);
            if (size == 0)
                size = utf8_sequence(bytes + at, text.len - at, out_cut);
            if (size == 0)
                return at;
            at += size;
        } while (at < text.len && bytes[at] >= 0x80);
    }
    return at;
}

size_t utf8_check(struct str text)
{
    bool cut;
    return utf8_scan(text, &cut);
}

size_t utf8_valid_prefix(struct str text, size_t *out_incomplete)
{
    bool cut;
    size_t at = utf8_scan(text, &cut);
    *out_incomplete = cut ? at : text.len;
    return cut ? text.len : at;
}

unsigned utf8_decode(const char *ptr, size_t len, uint32_t *out_code_point)
{
    static const unsigned char lead_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
    const unsigned char *bytes = (const unsigned char *)ptr;
    bool cut;
    unsigned size = utf8_sequence(bytes, len, &cut);
    if (size == 0)
        return 0;
    uint32_t code_point = bytes[0] & lead_bits[size];
    for (unsigned i = 1; i < size; i++)
        code_point = code_point << 6 | (bytes[i] & 0x3fu);
    *out_code_point = code_point;
    return size;
}

unsigned utf8_encode(uint32_t code_point, char out[UTF8_SEQUENCE_BYTES_MAX])
{
    if (code_point < 0x80) {
        out[0] = (char)code_point;
        return 1;
    }
    unsigned size = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
    static const unsigned char lead_marks[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    for (unsigned i = size - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code_point & 0x3f));
        code_point >>= 6;
    }
    out[0] = (char)(lead_marks[size] | code_point);
    return size;
}

size_t utf8_length(struct str text)
{
    size_t continuations = 0;
    size_t at = 0;
    for (; text.len - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, text.ptr + at, sizeof(word));
        /* A continuation byte is 10xxxxxx: bit 7 set and bit 6 clear. */
        uint64_t marks = (word >> 7) & (~word >> 6) & UINT64_C(0x0101010101010101);
        continuations += (size_t)((marks * UINT64_C(0x0101010101010101)) >> 56);
    }
    for (; at < text.len; at++)
        continuations += ((unsigned char)text.ptr[at] & 0xc0) == 0x80;
    return text.len - continuations;
}

struct str utf8_prefix(struct str text, size_t bytes_max)
{
    if (text.len <= bytes_max)
        return text;
    size_t end = bytes_max;
    while (end > 0 && bytes_max - end < UTF8_SEQUENCE_BYTES_MAX &&
           ((unsigned char)text.ptr[end] & 0xc0) == 0x80)
        end--;
    return (struct str){ text.ptr, end };
}

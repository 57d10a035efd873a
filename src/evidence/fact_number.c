/* fact_number.c - numbers as people write them, turned into JSON's decimal form exactly.
 *
 * Owns: digits with separators of any country, number words up to ninety-nine, multipliers (k,
 * million), and the currency or percent sign that stands with a number. Digits inside dates, times,
 * addresses and identifiers are kept with doubt.
 */
#include "base/features.h"

#include <stdio.h>

#include "evidence/chars.h"
#include "evidence/facts.h"

enum { NUMBER_BYTES_MAX = 40 };
#define DOUBT_COVERED  2.0
#define DOUBT_GLUED    2.0
#define DOUBT_WORD     0.3
#define DOUBT_WORD_ONE 1.0

static bool is_group_mark(uint32_t c)
{
    return c == '.' || c == ',' || c == '\'' || c == 0x2019 || c == 0xA0 || c == 0x2009 ||
           c == 0x202F;
}

/* Digits in groups of three, or plain, with a fraction. Returns the end. */
static size_t scan_number(struct str text, size_t at)
{
    size_t end = scan_digits(text, at, 1, NUMBER_BYTES_MAX, NULL);
    if (end == SCAN_NONE)
        return SCAN_NONE;
    for (;;) {
        unsigned bytes;
        uint32_t mark = char_at(text, end, &bytes);
        size_t group = is_group_mark(mark) ? scan_digits(text, end + bytes, 3, 3, NULL) : SCAN_NONE;
        if (group == SCAN_NONE)
            break;
        end = group;
    }
    if (end < text.len && (text.ptr[end] == '.' || text.ptr[end] == ',')) {
        size_t fraction = scan_digits(text, end + 1, 1, NUMBER_BYTES_MAX, NULL);
        if (fraction != SCAN_NONE)
            end = fraction;
    }
    return end;
}

/* A decimal while it is read: digits without marks, and how many of them are behind the point. */
struct figure {
    char digits[NUMBER_BYTES_MAX * 2];
    size_t count;
    size_t fraction;
};

/* Which mark is the decimal point? The last one, if it differs from the others or does not cut a
 * group of three. */
static size_t decimal_point_of(struct str written)
{
    size_t last = SCAN_NONE;
    unsigned points = 0;
    unsigned commas = 0;
    for (size_t i = 0; i < written.len; i++) {
        points += written.ptr[i] == '.';
        commas += written.ptr[i] == ',';
        if (written.ptr[i] == '.' || written.ptr[i] == ',')
            last = i;
    }
    if (last == SCAN_NONE)
        return SCAN_NONE;
    if (points > 0 && commas > 0)
        return last;
    if (points + commas > 1)
        return SCAN_NONE;
    bool group = written.len - last - 1 == 3 && last <= 3 && written.ptr[0] != '0';
    return written.ptr[last] == ',' && group ? SCAN_NONE : last;
}

static bool figure_read(struct str written, struct figure *out)
{
    size_t point = decimal_point_of(written);
    out->count = 0;
    out->fraction = 0;
    for (size_t i = 0; i < written.len; i++) {
        if (!char_is_digit((unsigned char)written.ptr[i]))
            continue;
        if (out->count == NUMBER_BYTES_MAX)
            return false;
        out->digits[out->count++] = written.ptr[i];
        out->fraction += point != SCAN_NONE && i > point;
    }
    return true;
}

/* Writes the shortest plain decimal form: no leading zeros, no trailing zeros behind the point. */
static size_t figure_write(const struct figure *figure, bool negative, unsigned shift, char *out)
{
    size_t fraction = figure->fraction > shift ? figure->fraction - shift : 0;
    size_t zeros = shift > figure->fraction ? shift - figure->fraction : 0;
    size_t end = figure->count;
    size_t begin = 0;
    size_t len = 0;
    for (; fraction > 0 && figure->digits[end - 1] == '0'; end--)
        fraction--;
    while (begin + 1 + fraction < end && figure->digits[begin] == '0')
        begin++;
    if (negative)
        out[len++] = '-';
    for (size_t i = begin; i < end; i++) {
        if (i + fraction == end)
            out[len++] = '.';
        out[len++] = figure->digits[i];
    }
    for (; zeros > 0; zeros--)
        out[len++] = '0';
    return len;
}

/* "k", "million", ... after a number: powers of ten, 0 for none. */
static unsigned multiplier_at(struct str text, size_t at, size_t *out_end)
{
    static const struct {
        const char *word;
        unsigned shift;
        bool glued; /* directly behind the digits */
    } list[] = { { "k", 3, true },        { "bn", 9, true },   { "thousand", 3, false },
                 { "million", 6, false }, { "mio", 6, false }, { "mn", 6, false },
                 { "billion", 9, false }, { "m", 6, true } };
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        size_t begin = list[i].glued ? at : scan_blanks(text, at);
        size_t end = scan_word(text, begin, list[i].word);
        bool is_metre = list[i].word[0] == 'm' && list[i].word[1] == '\0' && end != SCAN_NONE &&
                        text.ptr[begin] == 'm';
        if (end != SCAN_NONE && !is_metre) {
            *out_end = end;
            return list[i].shift;
        }
    }
    *out_end = at;
    return 0;
}

static struct str currency_around(struct str text, size_t begin, size_t end)
{
    size_t ignored;
    size_t before = begin;
    while (before > 0 && (text.ptr[before - 1] == ' ' || text.ptr[before - 1] == '\n'))
        before--;
    for (unsigned bytes = 1; bytes <= 3 && bytes <= before; bytes++) {
        struct str code = facts_currency_at(text, before - bytes, &ignored);
        bool is_code = code.len > 0 && ignored == before &&
                       (bytes < 3 || !char_is_letter(char_before(text, before - 3)));
        if (is_code)
            return code;
    }
    return facts_currency_at(text, scan_blanks(text, end), &ignored);
}

/* Part of an identifier: letters or joining marks stand at it. Units behind a number do not count.
 */
static bool is_glued(struct str text, size_t begin, size_t end)
{
    static const char *const units[] = { "k",  "m",  "g",  "kg", "km", "cm", "mm",  "mg",  "ml",
                                         "l",  "s",  "h",  "ms", "st", "nd", "rd",  "th",  "w",
                                         "v",  "m2", "x",  "am", "pm", "c",  "f",   "min", "gb",
                                         "mb", "tb", "hz", "pt", "px", "kw", "kwh", "ghz", NULL };
    uint32_t before = char_before(text, begin);
    unsigned bytes;
    uint32_t after = char_at(text, end, &bytes);
    if (char_is_letter(before))
        return true;
    if ((before == '-' || before == '/' || before == '_' || before == '#') && begin > 1 &&
        char_is_alnum(char_before(text, begin - 1)))
        return true;
    if (char_is_letter(after))
        return scan_any_word(text, end, units, NULL) == SCAN_NONE;
    if (after != '-' && after != '/' && after != '_')
        return false;
    uint32_t next = char_at(text, end + 1, NULL);
    return char_is_alnum(next) && !(after == '-' && next >= 'a' && next <= 'z');
}

static bool is_percent_at(struct str text, size_t at)
{
    at = scan_blanks(text, at);
    return (at < text.len && text.ptr[at] == '%') || scan_word(text, at, "percent") != SCAN_NONE ||
           scan_word(text, at, "per cent") != SCAN_NONE;
}

static void add_figure(struct facts *facts, struct evidence_fact *fact, const struct figure *figure,
                       bool negative, unsigned shift)
{
    char value[NUMBER_BYTES_MAX * 3];
    fact->value = str_of(value, figure_write(figure, negative, shift, value));
    fact->is_decimal = memchr(value, '.', fact->value.len) != NULL;
    facts_add(facts, fact);
}

/* A sign belongs to the number when nothing but a blank or a bracket stands before it. */
static bool is_negative(struct str text, size_t begin)
{
    uint32_t sign = char_before(text, begin);
    if (sign != '-' && sign != 0x2212)
        return false;
    uint32_t before = char_before(text, begin - (sign == '-' ? 1 : 3));
    return before == 0 || char_is_space(before) || before == '(' || before == ':';
}

static size_t read_digits(struct facts *facts, size_t at)
{
    struct str text = facts->text->text;
    struct figure figure;
    size_t end = scan_number(text, at);
    if (end == SCAN_NONE)
        return scan_digits(text, at, 1, UINT32_MAX, NULL);
    if (!figure_read(str_of(text.ptr + at, end - at), &figure))
        return end;
    size_t after;
    unsigned shift = multiplier_at(text, end, &after);
    struct evidence_fact fact = { .begin = (uint32_t)at,
                                  .end = (uint32_t)end,
                                  .kind = EVIDENCE_NUMBER };
    fact.doubt = (facts_cover(facts, at, end) ? DOUBT_COVERED : 0.0) +
                 (is_glued(text, at, end) && shift == 0 ? DOUBT_GLUED : 0.0);
    fact.currency = currency_around(text, at, after);
    fact.is_cents = figure.fraction == 2;
    fact.is_percent = is_percent_at(text, end);
    fact.multiplied = shift > 0;
    bool negative = is_negative(text, at);
    add_figure(facts, &fact, &figure, negative, 0);
    if (shift > 0) {
        fact.multiplied = -1;
        add_figure(facts, &fact, &figure, negative, shift);
    }
    return end;
}

static const char *const small_words[] = {
    "zero",     "one",     "two",     "three",     "four",     "five",     "six",
    "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",   "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", NULL
};
static const char *const times_words[] = { "once", "twice", "thrice", NULL };
static const char *const tens_words[] = { "twenty",  "thirty", "forty",  "fifty", "sixty",
                                          "seventy", "eighty", "ninety", NULL };

static size_t read_word(struct facts *facts, size_t at)
{
    struct str text = facts->text->text;
    char value[8];
    unsigned number;
    size_t end = scan_any_word(text, at, small_words, &number);
    if (end == SCAN_NONE && (end = scan_any_word(text, at, times_words, &number)) != SCAN_NONE) {
        number++;
    } else if (end == SCAN_NONE) {
        unsigned tens;
        end = scan_any_word(text, at, tens_words, &tens);
        if (end == SCAN_NONE)
            return SCAN_NONE;
        number = (tens + 2) * 10;
        unsigned ones;
        size_t more = end < text.len && text.ptr[end] == '-'
                          ? scan_any_word(text, end + 1, small_words, &ones)
                          : SCAN_NONE;
        if (more != SCAN_NONE && ones >= 1 && ones <= 9) {
            number += ones;
            end = more;
        }
    }
    int len = snprintf(value, sizeof(value), "%u", number);
    struct evidence_fact fact = { .begin = (uint32_t)at,
                                  .end = (uint32_t)end,
                                  .kind = EVIDENCE_NUMBER,
                                  .value = str_of(value, (size_t)len),
                                  .is_word = true,
                                  .doubt = number <= 1 ? DOUBT_WORD_ONE : DOUBT_WORD };
    facts_add(facts, &fact);
    return end;
}

void facts_read_numbers(struct facts *facts)
{
    struct str text = facts->text->text;
    size_t at = 0;
    while (at < text.len) {
        unsigned bytes;
        uint32_t first = char_at(text, at, &bytes);
        uint32_t before = char_before(text, at);
        size_t end = SCAN_NONE;
        if (char_is_digit(first) && !char_is_digit(before))
            end = read_digits(facts, at);
        else if (char_is_letter(first) && !char_is_alnum(before))
            end = read_word(facts, at);
        at = end == SCAN_NONE ? at + bytes : end;
    }
}

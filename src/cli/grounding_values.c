/* grounding_values.c - finding numbers and dates in a text by value, however they are written
 * there.
 *
 * Owns: the spellings that are understood. Leaves to others: words. Invariant: a number is compared
 * as an exact decimal, and every byte that is looked at is taken from the budget.
 */
#include "base/features.h"

#include "cli/grounding_match.h"

enum { NUMBER_SPELLING_BYTES = 64 };

static bool byte_is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool byte_is_letter(char byte)
{
    return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
}

/* ---- numbers
 * --------------------------------------------------------------------------------------- */

/* End of the run of digits and separators that begins at offset; a separator counts between digits
 * only. */
static size_t number_end(struct str text, size_t offset)
{
    size_t end = offset;
    while (end < text.len && (byte_is_digit(text.ptr[end]) ||
                              ((text.ptr[end] == ',' || text.ptr[end] == '.' ||
                                text.ptr[end] == '\'' || text.ptr[end] == ' ') &&
                               end + 1 < text.len && byte_is_digit(text.ptr[end + 1]))))
        end++;
    return end;
}

/* Copies digits of spelling, dropping `thousands` (0: none) and turning `point` into '.'. False if
 * the spelling is not of that kind: groups of three after each thousands mark, one point at most.
 */
static bool number_read(struct str spelling, char thousands, char point, char *out, size_t *out_len)
{
    size_t len = 0;
    size_t group = 0;
    bool grouped = false;
    bool pointed = false;
    if (spelling.len + 1 > NUMBER_SPELLING_BYTES)
        return false;
    for (size_t i = 0; i < spelling.len; i++) {
        char byte = spelling.ptr[i];
        if (byte_is_digit(byte)) {
            out[len++] = byte;
            group++;
            continue;
        }
        if (pointed || (grouped && group != 3) || (!grouped && byte == thousands && group > 3))
            return false;
        if (byte == point) {
            pointed = true;
            out[len++] = '.';
        } else if (byte == thousands) {
            grouped = true;
        } else {
            return false;
        }
        group = 0;
    }
    if (grouped && !pointed && group != 3)
        return false;
    *out_len = len;
    return true;
}

static bool number_equals(const struct decimal *wanted, struct str digits)
{
    /* JSON numbers have no leading zeros. */
    while (digits.len > 1 && digits.ptr[0] == '0' && digits.ptr[1] != '.') {
        digits.ptr++;
        digits.len--;
    }
    struct decimal found = decimal_from(digits);
    struct decimal magnitude = *wanted;
    magnitude.negative = false;
    return decimal_compare(&magnitude, &found) == 0;
}

static bool number_spelling_equals(const struct decimal *wanted, struct str spelling)
{
    static const char kinds[][2] = { { 0, '.' },   { 0, ',' },   { ',', '.' }, { '.', ',' },
                                     { ' ', '.' }, { ' ', ',' }, { '\'', '.' } };
    char digits[NUMBER_SPELLING_BYTES];
    size_t len;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (number_read(spelling, kinds[i][0], kinds[i][1], digits, &len) &&
            number_equals(wanted, str_of(digits, len)))
            return true;
    }
    return false;
}

static bool number_find_word(struct grounding_text *text, const struct decimal *wanted,
                             struct grounding_span *out)
{
    static const char *const words[] = { "zero", "one",    "two",   "three", "four",
                                         "five", "six",    "seven", "eight", "nine",
                                         "ten",  "eleven", "twelve" };
    int64_t value;
    if (!decimal_to_int64(wanted, &value) || value < 0 || value > 12)
        return false;
    return grounding_find_words(text, str_from(words[value]), GROUNDING_CASE, out);
}

bool grounding_find_number(struct grounding_text *text, struct str number,
                           struct grounding_span *out, bool *out_exact)
{
    struct decimal wanted = decimal_from(number);
    struct str source = text->text;
    for (size_t begin = 0; begin < source.len && text->steps_left > 0; begin++) {
        text->steps_left--;
        if (!byte_is_digit(source.ptr[begin]) ||
            (begin > 0 &&
             (byte_is_digit(source.ptr[begin - 1]) || byte_is_letter(source.ptr[begin - 1]))))
            continue;
        bool negative = begin > 0 && source.ptr[begin - 1] == '-' &&
                        (begin == 1 || !byte_is_digit(source.ptr[begin - 2]));
        size_t end = number_end(source, begin);
        /* The longest reading first: "3,200" before "3"; "14, 3" is two numbers whatever the
         * reading. */
        while (end > begin) {
            struct str spelling = str_of(source.ptr + begin, end - begin);
            if (number_spelling_equals(&wanted, spelling) &&
                (negative == wanted.negative || !wanted.negative)) {
                *out = (struct grounding_span){ begin - (wanted.negative ? 1 : 0), end };
                *out_exact =
                    str_equal(str_of(source.ptr + out->begin, out->end - out->begin), number);
                return true;
            }
            do
                end--;
            while (end > begin && source.ptr[end] != ' ');
        }
        begin = number_end(source, begin);
    }
    *out_exact = false;
    return number_find_word(text, &wanted, out);
}

/* ---- dates
 * ----------------------------------------------------------------------------------------- */

struct date {
    unsigned year, month, day;
};

struct date_reader {
    struct str text;
    size_t offset;
};

/* Up to digits_max digits; false when there is none, or one more follows. */
static bool date_number(struct date_reader *reader, unsigned digits_max, unsigned *out)
{
    unsigned value = 0;
    unsigned digits = 0;
    while (reader->offset < reader->text.len && byte_is_digit(reader->text.ptr[reader->offset]) &&
           digits <= digits_max) {
        value = value * 10 + (unsigned)(reader->text.ptr[reader->offset++] - '0');
        digits++;
    }
    *out = value;
    return digits > 0 && digits <= digits_max;
}

static bool date_skip(struct date_reader *reader, const char *any_of)
{
    size_t begin = reader->offset;
    while (reader->offset < reader->text.len && reader->text.ptr[reader->offset] != '\0' &&
           strchr(any_of, reader->text.ptr[reader->offset]) != NULL)
        reader->offset++;
    return reader->offset > begin;
}

static bool date_take_word(struct date_reader *reader, const char *word, size_t len)
{
    struct str text = reader->text;
    if (text.len - reader->offset < len)
        return false;
    for (size_t i = 0; i < len; i++) {
        char byte = text.ptr[reader->offset + i];
        if ((byte >= 'A' && byte <= 'Z' ? byte + 32 : byte) != word[i])
            return false;
    }
    if (reader->offset + len < text.len && byte_is_letter(text.ptr[reader->offset + len]))
        return false;
    reader->offset += len;
    return true;
}

/* An English month, whole or by its first three letters. */
static bool date_month(struct date_reader *reader, unsigned *out)
{
    static const char *const names[] = { "january",   "february", "march",    "april",
                                         "may",       "june",     "july",     "august",
                                         "september", "october",  "november", "december" };
    for (unsigned i = 0; i < 12; i++) {
        if (date_take_word(reader, names[i], strlen(names[i])) ||
            date_take_word(reader, names[i], 3)) {
            *out = i + 1;
            return true;
        }
    }
    return false;
}

static void date_ordinal(struct date_reader *reader)
{
    static const char *const endings[] = { "st", "nd", "rd", "th" };
    for (size_t i = 0; i < 4; i++) {
        if (date_take_word(reader, endings[i], 2))
            return;
    }
}

/* A year after a day and a month; without one, *out is 0 and the reader stays. */
static void date_year(struct date_reader *reader, unsigned *out)
{
    struct date_reader ahead = *reader;
    *out = 0;
    (void)date_skip(&ahead, " ,");
    if (date_number(&ahead, 4, out) && *out >= 1000)
        *reader = ahead;
    else
        *out = 0;
}

/* "14 May 2026", "14th of May", "May 14, 2026". */
static bool date_read_words(struct date_reader *reader, struct date *out)
{
    bool month_first = date_month(reader, &out->month);
    if (month_first)
        (void)date_skip(reader, " .");
    if (!date_number(reader, 2, &out->day))
        return false;
    date_ordinal(reader);
    if (!month_first) {
        (void)date_skip(reader, " .");
        if (date_take_word(reader, "of", 2))
            (void)date_skip(reader, " ");
        if (!date_month(reader, &out->month))
            return false;
        if (reader->offset < reader->text.len && reader->text.ptr[reader->offset] == '.')
            reader->offset++;
    }
    date_year(reader, &out->year);
    return true;
}

/* Three numbers with '.', '/' or '-' between; which is which is settled against the wanted date. */
static bool date_read_numbers(struct date_reader *reader, const struct date *wanted)
{
    unsigned parts[3];
    for (unsigned i = 0; i < 3; i++) {
        if (!date_number(reader, 4, &parts[i]))
            return false;
        if (i < 2 && !date_skip(reader, "./-"))
            return false;
    }
    unsigned short_year = wanted->year % 100;
    if (parts[0] == wanted->year)
        return parts[1] == wanted->month && parts[2] == wanted->day;
    if (parts[2] != wanted->year && parts[2] != short_year)
        return false;
    return (parts[0] == wanted->day && parts[1] == wanted->month) ||
           (parts[0] == wanted->month && parts[1] == wanted->day);
}

static bool date_has_year_elsewhere(struct grounding_text *text, unsigned year)
{
    char digits[] = { (char)('0' + year / 1000 % 10), (char)('0' + year / 100 % 10),
                      (char)('0' + year / 10 % 10), (char)('0' + year % 10) };
    struct grounding_span span;
    return grounding_find_words(text, str_of(digits, sizeof(digits)), GROUNDING_EXACT, &span);
}

bool grounding_find_date(struct grounding_text *text, struct str date, struct grounding_span *out)
{
    struct date_reader reader = { date, 0 };
    struct date wanted;
    if (date.len < 10 || date.ptr[4] != '-' || date.ptr[7] != '-' ||
        !date_number(&reader, 4, &wanted.year))
        return false;
    reader.offset = 5;
    if (!date_number(&reader, 2, &wanted.month))
        return false;
    reader.offset = 8;
    if (!date_number(&reader, 2, &wanted.day))
        return false;
    for (size_t begin = 0; begin < text->text.len && text->steps_left > 0; begin++) {
        text->steps_left--;
        char byte = text->text.ptr[begin];
        char before = begin > 0 ? text->text.ptr[begin - 1] : ' ';
        if ((!byte_is_digit(byte) && !byte_is_letter(byte)) || byte_is_digit(before) ||
            byte_is_letter(before))
            continue;
        struct date found = { 0, 0, 0 };
        struct date_reader words = { text->text, begin };
        struct date_reader numbers = { text->text, begin };
        bool by_words = date_read_words(&words, &found) && found.day == wanted.day &&
                        found.month == wanted.month &&
                        (found.year == wanted.year ||
                         (found.year == 0 && date_has_year_elsewhere(text, wanted.year)));
        if (by_words || (byte_is_digit(byte) && date_read_numbers(&numbers, &wanted))) {
            *out = (struct grounding_span){ begin, by_words ? words.offset : numbers.offset };
            return true;
        }
    }
    return false;
}

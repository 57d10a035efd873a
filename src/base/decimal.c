/* decimal.c - reading, ordering and dividing exact decimal values.
 *
 * Owns: the canonical form (no leading or trailing zeros among the significant digits), on which
 * equality is equality of fields. Leaves to others: the grammar of numbers. Invariant: a value
 * whose digits fit coefficient is never big, so that equal values are stored alike whatever way
 * they were written.
 */
#include "base/features.h"

#include "base/decimal.h"

#include "base/decimal_big.h"
#include "base/hash.h"
#include "base/wide.h"

#define EXPONENT_MAX (INT64_C(1) << 62)

enum { WORD_DIGITS_MAX = 20 };

/* Significant digits in order, wherever they are kept. */
struct digit_cursor {
    const char *at;
    const char *end;
    char word[WORD_DIGITS_MAX];
};

static void digit_cursor_init(struct digit_cursor *cursor, const struct decimal *value)
{
    if (value->is_big) {
        cursor->at = value->digits.ptr;
        cursor->end = value->digits.ptr + value->digits.len;
        return;
    }
    cursor->end = cursor->word + WORD_DIGITS_MAX;
    char *begin = cursor->word + WORD_DIGITS_MAX;
    for (uint64_t word = value->coefficient; word > 0; word /= 10)
        *--begin = (char)('0' + word % 10);
    cursor->at = begin;
}

/* -1 after the last digit. */
static int digit_cursor_next(struct digit_cursor *cursor)
{
    if (cursor->at < cursor->end && *cursor->at == '.')
        cursor->at++;
    return cursor->at < cursor->end ? *cursor->at++ - '0' : -1;
}

static int64_t exponent_clamp(int64_t exponent)
{
    if (exponent > EXPONENT_MAX)
        return EXPONENT_MAX;
    return exponent < -EXPONENT_MAX ? -EXPONENT_MAX : exponent;
}

/* The digits after e or E, with their sign; saturates. */
static int64_t exponent_read(const char *at, const char *end)
{
    int64_t exponent = 0;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    for (; at < end; at++) {
        if (exponent >= EXPONENT_MAX / 10) {
            exponent = EXPONENT_MAX;
            break;
        }
        exponent = exponent * 10 + (*at - '0');
    }
    return negative ? -exponent : exponent;
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* Sets coefficient and digit_count, or the big form, from the span of the significant digits. */
static void decimal_read_digits(struct decimal *value, const char *begin, const char *end)
{
    uint64_t word = 0;
    uint32_t count = 0;
    bool fits = true;
    for (const char *at = begin; at < end; at++) {
        if (*at == '.')
            continue;
        uint64_t digit = (uint64_t)(*at - '0');
        count++;
        if (count >= WORD_DIGITS_MAX && fits)
            fits = !__builtin_mul_overflow(word, 10, &word) &&
                   !__builtin_add_overflow(word, digit, &word);
        else
            word = word * 10 + digit;
    }
    value->digit_count = count;
    value->is_big = !fits;
    value->coefficient = fits ? word : 0;
    if (!fits)
        value->digits = str_of(begin, (size_t)(end - begin));
}

struct decimal decimal_from(struct str text)
{
    struct decimal value = { 0 };
    const char *at = text.ptr;
    const char *end = text.ptr + text.len;
    const char *first = NULL; /* first significant digit */
    const char *last = NULL;  /* one after the last one that is not zero */
    const char *point = NULL;
    bool negative = at < end && *at == '-';
    if (negative)
        at++;
    for (; at < end && (is_digit(*at) || *at == '.'); at++) {
        if (*at == '.') {
            point = at;
        } else if (*at != '0') {
            first = first == NULL ? at : first;
            last = at + 1;
        }
    }
    if (first == NULL)
        return value;
    const char *mantissa_end = at;
    int64_t exponent = at < end ? exponent_read(at + 1, end) : 0;
    /* Digits between the point and the last significant one: negative when that one is behind
     * it. */
    if (point == NULL)
        exponent += mantissa_end - last;
    else
        exponent += last <= point ? point - last : point + 1 - last;
    value.negative = negative;
    value.exponent = exponent_clamp(exponent);
    decimal_read_digits(&value, first, last);
    return value;
}

struct decimal decimal_from_int(int64_t number)
{
    struct decimal value = { 0 };
    uint64_t word = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    if (word == 0)
        return value;
    for (; word % 10 == 0; word /= 10)
        value.exponent++;
    value.negative = number < 0;
    value.coefficient = word;
    for (; word > 0; word /= 10)
        value.digit_count++;
    return value;
}

/* 10^exponent for 0..19. */
static uint64_t power_of_ten(unsigned exponent)
{
    uint64_t power = 1;
    for (; exponent > 0; exponent--)
        power *= 10;
    return power;
}

static int words_compare_aligned(const struct decimal *a, const struct decimal *b)
{
    struct wide left = { 0, a->coefficient };
    struct wide right = { 0, b->coefficient };
    if (a->digit_count < b->digit_count)
        left = wide_multiply(left.low, power_of_ten(b->digit_count - a->digit_count));
    else
        right = wide_multiply(right.low, power_of_ten(a->digit_count - b->digit_count));
    return wide_compare(left, right);
}

/* Orders 0.d1d2d3... of both: the exponents of their first digits are known to be equal. */
static int digits_compare(const struct decimal *a, const struct decimal *b)
{
    if (!a->is_big && !b->is_big)
        return words_compare_aligned(a, b);
    struct digit_cursor left;
    struct digit_cursor right;
    digit_cursor_init(&left, a);
    digit_cursor_init(&right, b);
    for (;;) {
        int left_digit = digit_cursor_next(&left);
        int right_digit = digit_cursor_next(&right);
        if (left_digit != right_digit)
            return left_digit < right_digit ? -1 : 1;
        if (left_digit < 0)
            return 0;
    }
}

int decimal_compare(const struct decimal *a, const struct decimal *b)
{
    if (a->digit_count == 0 || b->digit_count == 0 || a->negative != b->negative) {
        int left = a->digit_count == 0 ? 0 : a->negative ? -1 : 1;
        int right = b->digit_count == 0 ? 0 : b->negative ? -1 : 1;
        return (left > right) - (left < right);
    }
    int64_t left_magnitude = a->exponent + a->digit_count;
    int64_t right_magnitude = b->exponent + b->digit_count;
    int order;
    if (left_magnitude != right_magnitude)
        order = left_magnitude < right_magnitude ? -1 : 1;
    else
        order = digits_compare(a, b);
    return a->negative ? -order : order;
}

bool decimal_is_integer(const struct decimal *value)
{
    return value->exponent >= 0;
}

/* divisor / gcd(divisor, 10^shift). */
static uint64_t word_without_tens(uint64_t divisor, uint64_t shift)
{
    uint64_t left = shift;
    for (; left > 0 && divisor % 2 == 0; left--)
        divisor /= 2;
    for (left = shift; left > 0 && divisor % 5 == 0; left--)
        divisor /= 5;
    return divisor;
}

static uint64_t digits_modulo_word(const struct decimal *value, uint64_t divisor)
{
    if (!value->is_big)
        return value->coefficient % divisor;
    struct digit_cursor cursor;
    uint64_t remainder = 0;
    digit_cursor_init(&cursor, value);
    for (int digit = digit_cursor_next(&cursor); digit >= 0; digit = digit_cursor_next(&cursor))
        (void)wide_divide(wide_add(wide_multiply(remainder, 10), (unsigned)digit), divisor,
                          &remainder);
    return remainder;
}

static bool big_from_digits(struct decimal_big *big, const struct decimal *value)
{
    struct digit_cursor cursor;
    if (value->digit_count > DECIMAL_BIG_DIGITS_MAX)
        return false;
    digit_cursor_init(&cursor, value);
    decimal_big_init(big);
    int digit = digit_cursor_next(&cursor);
    while (digit >= 0) {
        uint64_t chunk = 0;
        unsigned count = 0;
        for (; digit >= 0 && count < 19; count++, digit = digit_cursor_next(&cursor))
            chunk = chunk * 10 + (unsigned)digit;
        decimal_big_multiply_add(big, power_of_ten(count), chunk);
    }
    return true;
}

/* With v = m * 10^shift relative to the divisor d: d divides m * 10^shift exactly if d / gcd(d,
 * 10^shift) divides m. So no power of ten is ever built. */
bool decimal_is_multiple(const struct decimal *value, const struct decimal *divisor,
                         bool *out_known)
{
    *out_known = true;
    if (value->digit_count == 0)
        return true;
    /* The digits of value do not end in zero, so they have no factor of ten to spare. */
    if (value->exponent < divisor->exponent)
        return false;
    uint64_t shift = (uint64_t)value->exponent - (uint64_t)divisor->exponent;
    if (!divisor->is_big)
        return digits_modulo_word(value, word_without_tens(divisor->coefficient, shift)) == 0;
    struct decimal_big dividend_big;
    struct decimal_big divisor_big;
    if (!big_from_digits(&dividend_big, value) || !big_from_digits(&divisor_big, divisor)) {
        *out_known = false;
        return false;
    }
    decimal_big_remove_tens(&divisor_big, shift);
    return decimal_big_divides(&divisor_big, &dividend_big);
}

uint64_t decimal_hash(const struct decimal *value, uint64_t seed)
{
    uint64_t fields[3] = { value->coefficient, (uint64_t)value->exponent, value->negative };
    uint64_t hash = hash_bytes(fields, sizeof(fields), seed);
    if (!value->is_big)
        return hash;
    struct digit_cursor cursor;
    unsigned char block[64];
    size_t len = 0;
    digit_cursor_init(&cursor, value);
    for (int digit = digit_cursor_next(&cursor); digit >= 0; digit = digit_cursor_next(&cursor)) {
        block[len++] = (unsigned char)digit;
        if (len == sizeof(block)) {
            hash = hash_bytes(block, len, hash);
            len = 0;
        }
    }
    return hash_bytes(block, len, hash);
}

/* The integer part of the magnitude; false when it needs more than a word. */
static bool magnitude_truncated(const struct decimal *value, uint64_t *out)
{
    int64_t integer_digits = value->digit_count == 0 ? 0 : value->exponent + value->digit_count;
    struct digit_cursor cursor;
    uint64_t word = 0;
    if (integer_digits > WORD_DIGITS_MAX)
        return false;
    digit_cursor_init(&cursor, value);
    for (; integer_digits > 0; integer_digits--) {
        int digit = digit_cursor_next(&cursor);
        if (__builtin_mul_overflow(word, 10, &word) ||
            __builtin_add_overflow(word, digit < 0 ? 0u : (unsigned)digit, &word))
            return false;
    }
    *out = word;
    return true;
}

bool decimal_to_int64(const struct decimal *value, int64_t *out)
{
    uint64_t word;
    if (!decimal_is_integer(value) || !magnitude_truncated(value, &word))
        return false;
    if (value->negative ? word > (uint64_t)INT64_MAX + 1 : word > INT64_MAX)
        return false;
    if (!value->negative)
        *out = (int64_t)word;
    else
        *out = word == 0 ? 0 : -(int64_t)(word - 1) - 1;
    return true;
}

uint64_t decimal_to_uint64_saturated(const struct decimal *value)
{
    uint64_t word;
    if (value->negative)
        return 0;
    return magnitude_truncated(value, &word) ? word : UINT64_MAX;
}

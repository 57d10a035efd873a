/* decimal_big.c - divisibility of long integers without long division.
 *
 * Owns: integers of at most LIMIT_JSON_DIGITS decimal digits, on the caller's stack. Divisibility
 * is decided from the low end (Hensel, "exact division"): modulo 2^64 an odd divisor has an
 * inverse, so each word of the only possible quotient follows from the lowest word that is left,
 * and the divisor divides if nothing stays.
 */
#include "base/features.h"

#include "base/decimal_big.h"

#include <string.h>

#include "base/wide.h"

void decimal_big_init(struct decimal_big *big)
{
    big->count = 0;
}

void decimal_big_multiply_add(struct decimal_big *big, uint64_t factor, uint64_t addend)
{
    uint64_t carry = addend;
    for (size_t i = 0; i < big->count; i++) {
        struct wide product = wide_add(wide_multiply(big->words[i], factor), carry);
        big->words[i] = product.low;
        carry = product.high;
    }
    if (carry > 0)
        big->words[big->count++] = carry;
}

static void big_trim(struct decimal_big *big)
{
    while (big->count > 0 && big->words[big->count - 1] == 0)
        big->count--;
}

static uint64_t big_modulo_word(const struct decimal_big *big, uint64_t divisor)
{
    uint64_t remainder = 0;
    for (size_t i = big->count; i-- > 0;)
        (void)wide_divide((struct wide){ remainder, big->words[i] }, divisor, &remainder);
    return remainder;
}

static void big_divide_word(struct decimal_big *big, uint64_t divisor)
{
    uint64_t remainder = 0;
    for (size_t i = big->count; i-- > 0;) {
        struct wide part = { remainder, big->words[i] };
        big->words[i] = wide_divide(part, divisor, &remainder);
    }
    big_trim(big);
}

static uint64_t big_trailing_zero_bits(const struct decimal_big *big)
{
    size_t word = 0;
    while (word + 1 < big->count && big->words[word] == 0)
        word++;
    return big->count == 0 ? 0 : 64 * (uint64_t)word + (unsigned)__builtin_ctzll(big->words[word]);
}

/* bits is at most big_trailing_zero_bits. */
static void big_shift_right(struct decimal_big *big, uint64_t bits)
{
    size_t words = (size_t)(bits / 64);
    unsigned rest = (unsigned)(bits % 64);
    if (big->count == 0)
        return;
    memmove(big->words, big->words + words, (big->count - words) * sizeof(big->words[0]));
    big->count -= words;
    if (rest > 0) {
        for (size_t i = 0; i < big->count; i++) {
            uint64_t above = i + 1 < big->count ? big->words[i + 1] : 0;
            big->words[i] = big->words[i] >> rest | above << (64 - rest);
        }
    }
    big_trim(big);
}

void decimal_big_remove_tens(struct decimal_big *big, uint64_t shift)
{
    /* Large powers first: 14,000 fives would otherwise be as many passes over 500 words. */
    static const struct {
        unsigned exponent;
        uint64_t power;
    } fives[] = {
        { 27, UINT64_C(7450580596923828125) },
        { 9, UINT64_C(1953125) },
        { 3, UINT64_C(125) },
        { 1, UINT64_C(5) },
    };
    uint64_t twos = big_trailing_zero_bits(big);
    big_shift_right(big, twos < shift ? twos : shift);
    for (size_t i = 0; i < sizeof(fives) / sizeof(fives[0]); i++) {
        while (shift >= fives[i].exponent && big_modulo_word(big, fives[i].power) == 0) {
            big_divide_word(big, fives[i].power);
            shift -= fives[i].exponent;
        }
    }
}

/* The inverse of an odd word modulo 2^64; each Newton step doubles the bits that are right. */
static uint64_t word_inverse(uint64_t odd)
{
    uint64_t inverse = odd; /* right in 3 bits */
    for (unsigned bits = 3; bits < 64; bits *= 2)
        inverse *= 2 - odd * inverse;
    return inverse;
}

/* dividend -= (quotient * divisor) << (64 * offset), in the width words of dividend. */
static void big_subtract_multiple(uint64_t *dividend, size_t width, size_t offset,
                                  const struct decimal_big *divisor, uint64_t quotient)
{
    uint64_t carry = 0;
    size_t at = offset;
    for (size_t i = 0; i < divisor->count && at < width; i++, at++) {
        struct wide product = wide_add(wide_multiply(divisor->words[i], quotient), carry);
        carry = product.high + (dividend[at] < product.low);
        dividend[at] -= product.low;
    }
    for (; carry > 0 && at < width; at++) {
        uint64_t before = dividend[at];
        dividend[at] -= carry;
        carry = before < carry;
    }
}

bool decimal_big_divides(struct decimal_big *divisor, struct decimal_big *dividend)
{
    uint64_t twos = big_trailing_zero_bits(divisor);
    if (dividend->count == 0)
        return true;
    if (big_trailing_zero_bits(dividend) < twos)
        return false;
    big_shift_right(divisor, twos);
    big_shift_right(dividend, twos);
    if (dividend->count < divisor->count)
        return false;
    /* A quotient of this many words times the divisor fits one word more than the dividend. */
    size_t quotient_words = dividend->count - divisor->count + 1;
    size_t width = dividend->count + 1;
    dividend->words[dividend->count] = 0;
    uint64_t inverse = word_inverse(divisor->words[0]);
    for (size_t i = 0; i < quotient_words; i++)
        big_subtract_multiple(dividend->words, width, i, divisor, dividend->words[i] * inverse);
    for (size_t i = quotient_words; i < width; i++) {
        if (dividend->words[i] != 0)
            return false;
    }
    return true;
}

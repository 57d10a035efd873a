/* decimal_big.h - the few operations on long integers that exact divisibility needs. Private to
 * base. */
#ifndef STRUCTURE_BASE_DECIMAL_BIG_H
#define STRUCTURE_BASE_DECIMAL_BIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"

enum {
    DECIMAL_BIG_DIGITS_MAX = LIMIT_JSON_DIGITS,
    /* 19 decimal digits fit 64 bits with room to spare; one word more for the working of
     * division. */
    DECIMAL_BIG_WORDS = DECIMAL_BIG_DIGITS_MAX / 19 + 3
};

struct decimal_big {
    size_t count;                      /* words in use; the last one is not zero */
    uint64_t words[DECIMAL_BIG_WORDS]; /* least significant first */
};

void decimal_big_init(struct decimal_big *big); /* zero */

/* big = big * factor + addend. The caller keeps to DECIMAL_BIG_DIGITS_MAX digits. */
void decimal_big_multiply_add(struct decimal_big *big, uint64_t factor, uint64_t addend);

/* big = big / gcd(big, 10^shift). big is not zero. */
void decimal_big_remove_tens(struct decimal_big *big, uint64_t shift);

/* divisor (not zero) divides dividend. Uses up both. */
bool decimal_big_divides(struct decimal_big *divisor, struct decimal_big *dividend);

#endif

/* decimal.h - JSON numbers as the exact decimal values that they are; no binary floating point
 * anywhere.
 *
 * A decimal is (-1)^negative * digits * 10^exponent. Digits that fit 64 bits live in one word;
 * longer ones stay in the borrowed text. All operations are exact and cost at most the digits that
 * are written: nothing materialises 10^exponent. Source: RFC 8259 section 6 for the grammar.
 */
#ifndef STRUCTURE_BASE_DECIMAL_H
#define STRUCTURE_BASE_DECIMAL_H

#include <stdint.h>

#include "base/str.h"

struct decimal {
    bool negative;        /* false for zero: -0 equals 0 */
    bool is_big;          /* more significant digits than coefficient holds */
    uint64_t coefficient; /* without trailing zeros; 0 only for zero; unused when is_big */
    /* is_big: borrowed span of the source from first to last significant digit, may hold one '.' */
    struct str digits;
    uint32_t digit_count; /* significant digits, trailing zeros removed; 0 for zero */
    int64_t exponent;     /* of the last significant digit; saturated at +-2^62 */
};

/* text must be a JSON number (checked by the JSON parser); digits borrow from it. */
struct decimal decimal_from(struct str text);
struct decimal decimal_from_int(int64_t value);

/* <0, 0, >0. Total order on values. */
int decimal_compare(const struct decimal *a, const struct decimal *b);
bool decimal_is_integer(const struct decimal *value);

/* value is an integer multiple of divisor (> 0). Exact. *out_known is set to false, and false
 * returned, when divisor needs more than 64 bits and either has more than LIMIT_JSON_DIGITS digits;
 * else it is true. */
bool decimal_is_multiple(const struct decimal *value, const struct decimal *divisor,
                         bool *out_known);

/* Equal values have equal hashes. */
uint64_t decimal_hash(const struct decimal *value, uint64_t seed);

/* True and the value if it is an integer in range. Saturating form for keyword limits: negative
 * gives 0, too large UINT64_MAX. */
bool decimal_to_int64(const struct decimal *value, int64_t *out);
uint64_t decimal_to_uint64_saturated(const struct decimal *value);

#endif

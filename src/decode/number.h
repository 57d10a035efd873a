/* number.h - which decimal texts a number leaf may take: an automaton over digits that is exact.
 *
 * Policy: canonical decimals without exponents, no leading zeros, no "-0", a bounded count of
 * digits. A set is two intervals of magnitudes (negative, non-negative) and a step, all integers at
 * the scale 10^fraction_max, so that "can this prefix still become a member" is integer arithmetic.
 * Private to src/decode.
 */
#ifndef STRUCTURE_DECODE_NUMBER_H
#define STRUCTURE_DECODE_NUMBER_H

#include <stdint.h>

#include "base/decimal.h"

__extension__ typedef unsigned __int128 number_word;

enum {
    NUMBER_DIGITS_MAX = 36,     /* digits that a number_word holds with room for a carry */
    NUMBER_INTEGER_DIGITS = 15, /* before the point, unless a bound needs more */
    NUMBER_FRACTION_DIGITS = 6, /* after the point, unless a bound or a divisor needs more */
    NUMBER_TEXT_MAX = 40
};

struct number_set {
    number_word step; /* at scale, at least 1 */
    number_word negative_min,
        negative_max; /* magnitudes of the negative members; min > max: none */
    number_word positive_min, positive_max; /* of zero and the positive members */
    uint8_t fraction_max;
    uint8_t integer_max;
};

enum number_phase { NUMBER_START, NUMBER_SIGN, NUMBER_INTEGER, NUMBER_POINT, NUMBER_FRACTION };

struct number_at {
    number_word digits;
    uint8_t phase; /* enum number_phase */
    uint8_t integer_count, fraction_count;
    bool negative;
};

/* Constraints as read from a schema; a set is made of them in one go. */
struct number_bounds {
    struct decimal lower, upper;
    bool has_lower, has_upper, lower_exclusive, upper_exclusive;
    bool integers_only;
    const struct decimal *divisors[4];
    uint32_t divisor_count;
};

/* False when no admissible text exists within NUMBER_DIGITS_MAX digits. */
bool number_set_from(const struct number_bounds *bounds, struct number_set *out_set);

/* Advances by one byte if some member continues that way. */
bool number_step(const struct number_set *set, struct number_at *at, unsigned char byte);
bool number_is_complete(const struct number_set *set, const struct number_at *at);

/* Equal values have equal hashes whatever their trailing zeros. */
uint64_t number_hash(const struct number_at *at);
uint64_t number_hash_text(struct str text, bool *out_ok);

/* Shortest text that completes the number to a member for which is_taken (may be NULL) says no.
 * Returns its length, or SIZE_MAX when there is none. */
size_t number_close(const struct number_set *set, const struct number_at *at,
                    bool (*is_taken)(const void *context, uint64_t hash), const void *context,
                    char out[NUMBER_TEXT_MAX]);

/* Members, at the most UINT32_MAX. */
uint32_t number_set_count(const struct number_set *set);

/* The decimal text (no exponent) is a member and within the digit policy. */
bool number_set_has_text(const struct number_set *set, struct str text);

#endif

/* number.c - exact decimal prefixes under bounds and divisors.
 *
 * Owns the arithmetic of struct number_set. Invariant: a prefix is accepted only if a member of the
 * set begins with it, so a number can always be finished.
 */
#include "base/features.h"

#include "decode/number.h"

static number_word power_of_ten(unsigned exponent)
{
    number_word value = 1;
    while (exponent-- > 0)
        value *= 10;
    return value;
}

static number_word word_gcd(number_word a, number_word b)
{
    while (b != 0) {
        number_word rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* ---- from the schema's decimals
 * -------------------------------------------------------------------- */

/* Up to 36 leading digits of a decimal as an integer; *exponent of the last one taken; *cut if some
 * were left. */
static number_word decimal_leading(const struct decimal *value, int64_t *exponent, bool *cut)
{
    *exponent = value->exponent;
    *cut = false;
    if (!value->is_big)
        return value->coefficient;
    number_word word = 0;
    uint32_t taken = 0;
    for (size_t i = 0; i < value->digits.len && taken < NUMBER_DIGITS_MAX; i++) {
        char c = value->digits.ptr[i];
        if (c >= '0' && c <= '9' && taken < value->digit_count) {
            word = word * 10 + (unsigned)(c - '0');
            taken++;
        }
    }
    *exponent += (int64_t)value->digit_count - (int64_t)taken;
    *cut = value->digit_count > taken;
    return word;
}

/* Magnitude at 10^scale, rounded towards zero; *exact says whether it was. False: too large. */
static bool decimal_scaled(const struct decimal *value, unsigned scale, number_word *out,
                           bool *exact)
{
    int64_t exponent;
    bool cut;
    number_word word = decimal_leading(value, &exponent, &cut);
    *exact = !cut;
    number_word limit = power_of_ten(NUMBER_DIGITS_MAX);
    if (exponent < -(int64_t)NUMBER_DIGITS_MAX * 4)
        exponent = -(int64_t)NUMBER_DIGITS_MAX * 4;
    for (exponent += scale; exponent < 0 && word != 0; exponent++) {
        if (word % 10 != 0)
            *exact = false;
        word /= 10;
    }
    for (; exponent > 0 && word != 0; exponent--) {
        if (word >= limit / 10)
            return false;
        word *= 10;
    }
    *out = word;
    return word < limit;
}

static unsigned decimal_fraction_digits(const struct decimal *value)
{
    if (value->exponent >= 0)
        return 0;
    return value->exponent < -18 ? 18 : (unsigned)-value->exponent;
}

static unsigned decimal_integer_digits(const struct decimal *value)
{
    int64_t digits = (int64_t)value->digit_count + value->exponent;
    if (value->digit_count == 0 || digits < 0)
        return 0;
    return digits > NUMBER_DIGITS_MAX ? NUMBER_DIGITS_MAX : (unsigned)digits;
}

static unsigned max_unsigned(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

static bool bounds_step(const struct number_bounds *bounds, struct number_set *set)
{
    number_word one = bounds->integers_only ? power_of_ten(set->fraction_max) : 1;
    set->step = one;
    for (uint32_t i = 0; i < bounds->divisor_count; i++) {
        number_word divisor;
        bool exact;
        if (!decimal_scaled(bounds->divisors[i], set->fraction_max, &divisor, &exact) || !exact ||
            divisor == 0)
            return false;
        number_word factor = divisor / word_gcd(set->step, divisor);
        if (factor > power_of_ten(NUMBER_DIGITS_MAX) / set->step)
            return false;
        set->step *= factor;
    }
    return true;
}

/* The least magnitude not below the bound (or above it), or the greatest not above. */
static bool bound_inner(const struct decimal *bound, bool exclusive, bool least, unsigned scale,
                        number_word *out, bool *none)
{
    bool exact;
    *none = false;
    if (!decimal_scaled(bound, scale, out, &exact))
        return false;
    if (least) {
        if (!exact || exclusive)
            *out += 1;
    } else if (exact && exclusive) {
        *none = *out == 0;
        *out -= *none ? 0 : 1;
    }
    return true;
}

static void set_clear_negative(struct number_set *set)
{
    set->negative_min = 1;
    set->negative_max = 0;
}

static void set_clear_positive(struct number_set *set)
{
    set->positive_min = 1;
    set->positive_max = 0;
}

static void apply_lower(const struct number_bounds *bounds, struct number_set *set)
{
    bool none;
    number_word word;
    const struct decimal *lower = &bounds->lower;
    if (lower->negative) {
        if (bound_inner(lower, bounds->lower_exclusive, false, set->fraction_max, &word, &none)) {
            if (word < set->negative_max)
                set->negative_max = word;
        }
        return;
    }
    set_clear_negative(set);
    if (!bound_inner(lower, bounds->lower_exclusive, true, set->fraction_max, &word, &none))
        set_clear_positive(set);
    else if (word > set->positive_min)
        set->positive_min = word;
}

static void apply_upper(const struct number_bounds *bounds, struct number_set *set)
{
    bool none;
    number_word word;
    const struct decimal *upper = &bounds->upper;
    if (!upper->negative) {
        if (bound_inner(upper, bounds->upper_exclusive, false, set->fraction_max, &word, &none)) {
            if (none)
                set_clear_positive(set);
            else if (word < set->positive_max)
                set->positive_max = word;
        }
        return;
    }
    set_clear_positive(set);
    if (!bound_inner(upper, bounds->upper_exclusive, true, set->fraction_max, &word, &none))
        set_clear_negative(set);
    else if (word > set->negative_min)
        set->negative_min = word;
}

static unsigned bounds_fraction_digits(const struct number_bounds *bounds)
{
    unsigned digits = 0;
    if (bounds->integers_only && bounds->divisor_count == 0)
        return 0;
    for (uint32_t i = 0; i < bounds->divisor_count; i++)
        digits = max_unsigned(digits, decimal_fraction_digits(bounds->divisors[i]));
    if (bounds->divisor_count > 0)
        return digits;
    digits = NUMBER_FRACTION_DIGITS;
    if (bounds->has_lower)
        digits =
            max_unsigned(digits, decimal_fraction_digits(&bounds->lower) + bounds->lower_exclusive);
    if (bounds->has_upper)
        digits =
            max_unsigned(digits, decimal_fraction_digits(&bounds->upper) + bounds->upper_exclusive);
    return digits > 18 ? 18 : digits;
}

static bool set_range_has(const struct number_set *set, bool negative, number_word low,
                          number_word high);

bool number_set_from(const struct number_bounds *bounds, struct number_set *out_set)
{
    struct number_set set = { .fraction_max = (uint8_t)bounds_fraction_digits(bounds) };
    unsigned digits = NUMBER_INTEGER_DIGITS;
    if (bounds->has_lower)
        digits = max_unsigned(digits, decimal_integer_digits(&bounds->lower) + 1);
    if (bounds->has_upper)
        digits = max_unsigned(digits, decimal_integer_digits(&bounds->upper));
    for (uint32_t i = 0; i < bounds->divisor_count; i++)
        digits = max_unsigned(digits, decimal_integer_digits(bounds->divisors[i]) + 1);
    if (digits > (unsigned)NUMBER_DIGITS_MAX - set.fraction_max)
        digits = (unsigned)NUMBER_DIGITS_MAX - set.fraction_max;
    set.integer_max = (uint8_t)digits;
    if (!bounds_step(bounds, &set))
        return false;
    set.positive_max = power_of_ten(digits + set.fraction_max) - 1;
    set.negative_min = 1;
    set.negative_max = set.positive_max;
    if (bounds->has_lower)
        apply_lower(bounds, &set);
    if (bounds->has_upper)
        apply_upper(bounds, &set);
    number_word all = power_of_ten(NUMBER_DIGITS_MAX);
    if (!set_range_has(&set, true, 0, all) && !set_range_has(&set, false, 0, all))
        return false;
    *out_set = set;
    return true;
}

/* ---- prefixes
 * -------------------------------------------------------------------------------------- */

/* Narrows [low, high] to the members of that sign; *low becomes the least one. */
static bool set_range_narrow(const struct number_set *set, bool negative, number_word *low,
                             number_word *high)
{
    number_word min = negative ? set->negative_min : set->positive_min;
    number_word max = negative ? set->negative_max : set->positive_max;
    if (*low < min)
        *low = min;
    if (*high > max)
        *high = max;
    if (*low > *high)
        return false;
    if (set->step > 1)
        *low = (*low + set->step - 1) / set->step * set->step;
    return *low <= *high;
}

static bool set_range_has(const struct number_set *set, bool negative, number_word low,
                          number_word high)
{
    return set_range_narrow(set, negative, &low, &high);
}

/* Some member begins with these digits. */
static bool at_is_completable(const struct number_set *set, const struct number_at *at)
{
    if (at->phase == NUMBER_POINT || at->phase == NUMBER_FRACTION) {
        number_word unit = power_of_ten((unsigned)(set->fraction_max - at->fraction_count));
        return set_range_has(set, at->negative, at->digits * unit, (at->digits + 1) * unit - 1);
    }
    unsigned more_max = at->digits == 0 ? 0 : (unsigned)(set->integer_max - at->integer_count);
    number_word unit = power_of_ten(set->fraction_max);
    for (unsigned more = 0; more <= more_max; more++, unit *= 10) {
        if (set_range_has(set, at->negative, at->digits * unit, (at->digits + 1) * unit - 1))
            return true;
    }
    return false;
}

static bool at_add_digit(const struct number_set *set, struct number_at *at, unsigned digit)
{
    if (at->phase == NUMBER_POINT || at->phase == NUMBER_FRACTION) {
        if (at->fraction_count >= set->fraction_max)
            return false;
        at->fraction_count++;
        at->phase = NUMBER_FRACTION;
    } else {
        bool leading_zero = at->phase == NUMBER_INTEGER && at->digits == 0;
        if (leading_zero || at->integer_count >= set->integer_max)
            return false;
        at->integer_count++;
        at->phase = NUMBER_INTEGER;
    }
    at->digits = at->digits * 10 + digit;
    return at_is_completable(set, at);
}

bool number_step(const struct number_set *set, struct number_at *at, unsigned char byte)
{
    struct number_at next = *at;
    if (byte >= '0' && byte <= '9') {
        if (!at_add_digit(set, &next, (unsigned)(byte - '0')))
            return false;
    } else if (byte == '-' && at->phase == NUMBER_START) {
        next.phase = NUMBER_SIGN;
        next.negative = true;
        if (!set_range_has(set, true, 0, power_of_ten(NUMBER_DIGITS_MAX)))
            return false;
    } else if (byte == '.' && at->phase == NUMBER_INTEGER && set->fraction_max > 0) {
        next.phase = NUMBER_POINT;
        if (!at_is_completable(set, &next))
            return false;
    } else {
        return false;
    }
    *at = next;
    return true;
}

bool number_is_complete(const struct number_set *set, const struct number_at *at)
{
    if (at->phase != NUMBER_INTEGER && at->phase != NUMBER_FRACTION)
        return false;
    number_word value =
        at->digits * power_of_ten((unsigned)(set->fraction_max - at->fraction_count));
    return set_range_has(set, at->negative, value, value);
}

/* ---- hashes
 * ---------------------------------------------------------------------------------------- */

uint64_t number_hash(const struct number_at *at)
{
    number_word digits = at->digits;
    unsigned fraction = at->fraction_count;
    while (fraction > 0 && digits % 10 == 0) {
        digits /= 10;
        fraction--;
    }
    uint64_t hash = 0x9E3779B97F4A7C15u ^ (at->negative ? 0x5bd1e995u : 0u);
    hash = (hash ^ (uint64_t)digits) * 0x100000001B3u;
    hash = (hash ^ (uint64_t)(digits >> 64)) * 0x100000001B3u;
    return (hash ^ fraction) * 0x100000001B3u;
}

/* Reads a decimal without exponent of at most NUMBER_DIGITS_MAX digits. */
static bool at_from_text(struct str text, struct number_at *out_at)
{
    struct number_at at = { .phase = NUMBER_START };
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '-' && i == 0) {
            at.negative = true;
        } else if (c == '.') {
            at.phase = NUMBER_POINT;
        } else if (c < '0' || c > '9' ||
                   at.integer_count + at.fraction_count >= NUMBER_DIGITS_MAX) {
            return false;
        } else {
            at.digits = at.digits * 10 + (unsigned)(c - '0');
            at.phase = at.phase >= NUMBER_POINT ? NUMBER_FRACTION : NUMBER_INTEGER;
            at.integer_count = (uint8_t)(at.integer_count + (at.phase == NUMBER_INTEGER));
            at.fraction_count = (uint8_t)(at.fraction_count + (at.phase == NUMBER_FRACTION));
        }
    }
    *out_at = at;
    return true;
}

uint64_t number_hash_text(struct str text, bool *out_ok)
{
    struct number_at at;
    *out_ok = at_from_text(text, &at);
    return *out_ok ? number_hash(&at) : 0;
}

bool number_set_has_text(const struct number_set *set, struct str text)
{
    struct number_at at = { .phase = NUMBER_START };
    for (size_t i = 0; i < text.len; i++) {
        if (!number_step(set, &at, (unsigned char)text.ptr[i]))
            return false;
    }
    return number_is_complete(set, &at);
}

/* ---- closing
 * --------------------------------------------------------------------------------------- */

struct close_search {
    const struct number_set *set;
    const struct number_at *at;
    bool (*is_taken)(const void *context, uint64_t hash);
    const void *context;
    char *out;
};

enum {
    NUMBER_TRIES_MAX = 300
}; /* more than a state remembers, so a free value is found if there is one */

/* Writes the last `integers` + `fractions` digits of value, with a point between if the point is
 * new. */
static size_t write_tail(number_word value, unsigned integers, unsigned fractions, bool point,
                         char *out)
{
    size_t len = integers + fractions + (point ? 1u : 0u);
    size_t end = len;
    for (unsigned i = 0; i < fractions; i++, value /= 10)
        out[--end] = (char)('0' + (unsigned)(value % 10));
    if (point)
        out[--end] = '.';
    for (unsigned i = 0; i < integers; i++, value /= 10)
        out[--end] = (char)('0' + (unsigned)(value % 10));
    return len;
}

/* A free member that has exactly so many further digits. */
static bool search_exact(const struct close_search *search, bool negative, unsigned integers,
                         unsigned fractions, size_t *len)
{
    const struct number_at *at = search->at;
    const struct number_set *set = search->set;
    unsigned scale = (unsigned)(set->fraction_max - at->fraction_count) - fractions;
    number_word unit = power_of_ten(scale), span = power_of_ten(integers + fractions);
    number_word low = at->digits * span, high = (at->digits + 1) * span - 1;
    if (at->integer_count == 0) {
        high = span - 1;
        low = integers > 1 ? power_of_ten(integers - 1 + fractions) : 0;
    }
    low *= unit;
    high *= unit;
    number_word stride = set->step / word_gcd(set->step, unit) * unit;
    if (!set_range_has(set, negative, low, high))
        return false;
    number_word min = negative ? set->negative_min : set->positive_min;
    number_word max = negative ? set->negative_max : set->positive_max;
    low = low < min ? min : low;
    high = high > max ? max : high;
    number_word value = (low + stride - 1) / stride * stride;
    for (unsigned tries = 0; value <= high && tries < NUMBER_TRIES_MAX; tries++, value += stride) {
        struct number_at whole = { .digits = value / unit, .negative = negative };
        whole.fraction_count = (uint8_t)(at->fraction_count + fractions);
        if (search->is_taken != NULL && search->is_taken(search->context, number_hash(&whole)))
            continue;
        bool point = fractions > 0 && at->phase < NUMBER_POINT;
        *len = write_tail(whole.digits, integers, fractions, point, search->out);
        return true;
    }
    return false;
}

/* All ways to spend exactly `cost` bytes on digits and a point. */
static bool search_cost(const struct close_search *search, bool negative, unsigned cost,
                        size_t *len)
{
    const struct number_at *at = search->at;
    unsigned fraction_room = (unsigned)(search->set->fraction_max - at->fraction_count);
    if (at->phase >= NUMBER_POINT) {
        bool fits = cost <= fraction_room && (cost > 0 || at->phase == NUMBER_FRACTION);
        return fits && search_exact(search, negative, 0, cost, len);
    }
    bool zero = at->integer_count > 0 && at->digits == 0;
    unsigned integer_room = zero ? 0 : (unsigned)(search->set->integer_max - at->integer_count);
    unsigned least = at->integer_count == 0 ? 1 : 0;
    if (cost >= least && cost <= integer_room && search_exact(search, negative, cost, 0, len))
        return true;
    for (unsigned integers = least; integers + 2 <= cost && integers <= integer_room; integers++) {
        unsigned fractions = cost - integers - 1;
        if (fractions <= fraction_room && search_exact(search, negative, integers, fractions, len))
            return true;
    }
    return false;
}

size_t number_close(const struct number_set *set, const struct number_at *at,
                    bool (*is_taken)(const void *context, uint64_t hash), const void *context,
                    char out[NUMBER_TEXT_MAX])
{
    struct close_search search = { set, at, is_taken, context, out };
    struct close_search signed_search = search;
    signed_search.out = out + 1;
    size_t len;
    for (unsigned cost = 0; cost < NUMBER_TEXT_MAX - 1; cost++) {
        if (search_cost(&search, at->negative, cost, &len))
            return len;
        if (at->phase == NUMBER_START && cost > 0 &&
            search_cost(&signed_search, true, cost - 1, &len)) {
            out[0] = '-';
            return len + 1;
        }
    }
    return SIZE_MAX;
}

uint32_t number_set_count(const struct number_set *set)
{
    number_word total = 0, all = power_of_ten(NUMBER_DIGITS_MAX);
    for (int sign = 0; sign < 2; sign++) {
        number_word low = 0, high = all;
        if (set_range_narrow(set, sign == 1, &low, &high))
            total += (high - low) / set->step + 1;
    }
    return total > UINT32_MAX ? UINT32_MAX : (uint32_t)total;
}

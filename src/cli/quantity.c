/* quantity.c - numbers, durations and sizes as a person writes them. See quantity.h.
 *
 * Owns: their grammar, without locale and without wrap-around. Leaves to others: what they are for.
 */
#include "base/features.h"

#include "cli/quantity.h"

#include <inttypes.h>
#include <string.h>

enum { QUANTITY_FRACTION_DIGITS_MAX = 9 };

struct quantity_unit {
    const char *name;
    uint64_t factor;
};

/* The leading digits of text; *out_rest follows them. False when there are none or they do not fit.
 */
static bool quantity_digits(const char *text, uint64_t *out, const char **out_rest)
{
    uint64_t value = 0;
    const char *digit = text;
    for (; *digit >= '0' && *digit <= '9'; digit++) {
        uint64_t next = (uint64_t)(*digit - '0');
        if (value > (UINT64_MAX - next) / 10)
            return false;
        value = value * 10 + next;
    }
    *out = value;
    *out_rest = digit;
    return digit != text;
}

static bool quantity_with_unit(const char *text, const struct quantity_unit *units, uint64_t *out)
{
    const char *rest;
    uint64_t value;
    if (!quantity_digits(text, &value, &rest))
        return false;
    for (; units->name != NULL; units++) {
        if (strcmp(units->name, rest) == 0)
            return !__builtin_mul_overflow(value, units->factor, out);
    }
    return false;
}

enum status cli_quantity_count(const char *option, const char *text, uint64_t min, uint64_t max,
                               uint64_t *out, struct error *error)
{
    const char *rest;
    uint64_t value;
    if (quantity_digits(text, &value, &rest) && *rest == '\0' && value >= min && value <= max) {
        *out = value;
        return STATUS_OK;
    }
    if (max == UINT64_MAX)
        return error_set(error, STATUS_INVALID_REQUEST,
                         "option --%s takes a whole number from %" PRIu64 " on", option, min);
    return error_set(error, STATUS_INVALID_REQUEST,
                     "option --%s takes a whole number from %" PRIu64 " to %" PRIu64, option, min,
                     max);
}

enum status cli_quantity_duration_ms(const char *option, const char *text, int64_t *out_ms,
                                     struct error *error)
{
    static const struct quantity_unit units[] = {
        { "ms", 1 }, { "s", 1000 }, { "m", 60 * 1000 }, { "h", 60 * 60 * 1000 }, { NULL, 0 }
    };
    uint64_t value;
    if (quantity_with_unit(text, units, &value) && value >= 1 && value <= 24ull * 60 * 60 * 1000) {
        *out_ms = (int64_t)value;
        return STATUS_OK;
    }
    return error_set(error, STATUS_INVALID_REQUEST,
                     "option --%s takes a duration such as 500ms, 30s or 2m, at most 24h", option);
}

enum status cli_quantity_size(const char *option, const char *text, uint64_t max,
                              uint64_t *out_bytes, struct error *error)
{
    static const struct quantity_unit units[] = {
        { "", 1 }, { "K", 1024 }, { "M", 1024 << 10 }, { "G", 1024 << 20 }, { NULL, 0 }
    };
    uint64_t value;
    if (quantity_with_unit(text, units, &value) && value >= 1 && value <= max) {
        *out_bytes = value;
        return STATUS_OK;
    }
    return error_set(error, STATUS_INVALID_REQUEST,
                     "option --%s takes a size such as 4096, 64K or 4M, at most %" PRIu64 " bytes",
                     option, max);
}

enum status cli_quantity_fraction(const char *option, const char *text, double min, double max,
                                  double *out, struct error *error)
{
    const char *rest;
    uint64_t whole;
    if (quantity_digits(text, &whole, &rest)) {
        double value = (double)whole;
        double place = 1;
        unsigned digits = 0;
        if (*rest == '.') {
            for (rest++; *rest >= '0' && *rest <= '9' && digits < QUANTITY_FRACTION_DIGITS_MAX;
                 digits++) {
                place /= 10;
                value += place * (*rest++ - '0');
            }
        }
        if (*rest == '\0' && value >= min && value <= max) {
            *out = value;
            return STATUS_OK;
        }
    }
    return error_set(error, STATUS_INVALID_REQUEST, "option --%s takes a number from %g to %g",
                     option, min, max);
}

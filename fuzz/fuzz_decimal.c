/* fuzz_decimal.c - laws of exact numbers, on any two JSON numbers that a space separates. */
#include "base/features.h"

#include <assert.h>
#include <string.h>

#include "base/decimal.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at;
}

/* RFC 8259 section 6; NULL when there is no number. */
static const char *skip_number(const char *at, const char *end)
{
    at += at < end && *at == '-';
    const char *begin = at;
    at = skip_digits(at, end);
    if (at == begin || (*begin == '0' && at > begin + 1))
        return NULL;
    if (at < end && *at == '.') {
        begin = ++at;
        at = skip_digits(at, end);
        if (at == begin)
            return NULL;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        at += at < end && (*at == '+' || *at == '-');
        begin = at;
        at = skip_digits(at, end);
        if (at == begin)
            return NULL;
    }
    return at;
}

static void check_pair(const struct decimal *a, const struct decimal *b)
{
    int order = decimal_compare(a, b);
    bool known;
    assert(decimal_compare(a, a) == 0);
    assert((order > 0) - (order < 0) == (decimal_compare(b, a) < 0) - (decimal_compare(b, a) > 0));
    if (order == 0)
        assert(decimal_hash(a, 1) == decimal_hash(b, 1));
    if (b->digit_count > 0 && !b->negative) {
        bool multiple = decimal_is_multiple(a, b, &known);
        if (multiple && decimal_is_integer(b))
            assert(decimal_is_integer(a));
        if (known && order == 0)
            assert(multiple);
    }
    int64_t number;
    if (decimal_to_int64(a, &number)) {
        struct decimal back = decimal_from_int(number);
        assert(decimal_compare(a, &back) == 0);
    }
    (void)decimal_to_uint64_saturated(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *begin = (const char *)data;
    const char *end = begin + size;
    (void)utf8_check(str_of(begin, size));
    const char *first_end = skip_number(begin, end);
    if (first_end == NULL || first_end == end || *first_end != ' ')
        return 0;
    const char *second_end = skip_number(first_end + 1, end);
    if (second_end == NULL)
        return 0;
    struct decimal a = decimal_from(str_of(begin, (size_t)(first_end - begin)));
    struct decimal b = decimal_from(str_of(first_end + 1, (size_t)(second_end - first_end - 1)));
    check_pair(&a, &b);
    check_pair(&b, &a);
    return 0;
}

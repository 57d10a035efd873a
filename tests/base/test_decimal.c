/* test_decimal.c - exact values of JSON numbers: ordering, equality, divisibility, conversion. */
#include "base/features.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/control.h"
#include "base/decimal.h"
#include "base/limits.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct decimal dec(const char *text)
{
    return decimal_from(str_from(text));
}

/* Ascending classes of equal values: every pair is compared both ways and equal ones must hash
 * alike. */
static const struct {
    const char *text;
    unsigned rank;
} ordered[] = {
    { "-1e1000000", 0 },
    { "-18446744073709551616", 1 },
    { "-9223372036854775808", 2 },
    { "-1.5", 3 },
    { "-15e-1", 3 },
    { "-0.15E+1", 3 },
    { "-1e-400", 4 },
    { "-1e-999999999999", 5 },
    { "0", 6 },
    { "-0", 6 },
    { "0.000", 6 },
    { "-0.0e99999999999999999999999", 6 },
    { "1e-999999999999", 7 },
    { "1e-400", 8 },
    { "1e-399", 9 },
    { "0.1", 10 },
    { "1e-1", 10 },
    { "0.10000000000000000000000000", 10 },
    { "0.10000000000000000000000001", 11 },
    { "0.3", 12 },
    { "1", 13 },
    { "1.0", 13 },
    { "1e0", 13 },
    { "10e-1", 13 },
    { "0.000001e6", 13 },
    { "1.00000000000000000000001", 14 },
    { "9007199254740992", 15 },
    { "9007199254740993", 16 },
    { "9007199254740993.0", 16 },
    { "9223372036854775807", 17 },
    { "9223372036854775808", 18 },
    { "18446744073709551614.9", 19 },
    { "18446744073709551615", 20 },
    { "1844674407370955161500e-2", 20 },
    { "18446744073709551616", 21 },
    { "18446744073709551616.000", 21 },
    { "1844674407370955161.6e1", 21 },
    { "18446744073709551616.1", 22 },
    { "18446744073709551617", 23 },
    { "99999999999999999999", 24 },
    { "100000000000000000000", 25 },
    { "1e20", 25 },
    { "100000000000000000000.00000000000000000001", 26 },
    { "9.727837981879871e26", 27 },
    { "972783798187987100000000000.0", 27 },
    { "972783798187987123879878123.18878137", 28 },
    { "98249283749234923498293171823948729348710298301928331", 29 },
    { "1e400", 30 },
    { "1e1000000", 31 },
    { "1e999999999999", 32 },
};

static void test_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(ordered); i++) {
        struct decimal a = dec(ordered[i].text);
        for (size_t j = 0; j < COUNT(ordered); j++) {
            struct decimal b = dec(ordered[j].text);
            int order = decimal_compare(&a, &b);
            int want = (ordered[i].rank > ordered[j].rank) - (ordered[i].rank < ordered[j].rank);
            if ((order > 0) - (order < 0) != want)
                fail_msg("%s <> %s: %d", ordered[i].text, ordered[j].text, order);
            if ((decimal_hash(&a, 7) == decimal_hash(&b, 7)) != (want == 0))
                fail_msg("hashes of %s and %s", ordered[i].text, ordered[j].text);
        }
    }
}

static const struct {
    const char *text;
    bool is_integer;
} integers[] = {
    { "1", true },           { "1.0", true },         { "1e308", true },
    { "-0", true },          { "0.0", true },         { "1.5e1", true },
    { "1.5", false },        { "15e-1", false },      { "150e-1", true },
    { "1e-1", false },       { "100e-2", true },      { "1e999999999999", true },
    { "1e-999999999999", false },
    { "18446744073709551616.5", false },
    { "18446744073709551616.50e1", true },
    { "123456789012345678901234567890.0000", true },
};

static void test_integer(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(integers); i++) {
        struct decimal value = dec(integers[i].text);
        if (decimal_is_integer(&value) != integers[i].is_integer)
            fail_msg("%s", integers[i].text);
    }
}

static const struct {
    const char *value;
    const char *divisor;
    bool is_multiple;
} multiples[] = {
    { "0", "0.1", true },
    { "-0.0", "123456789012345678901234567890", true },
    { "10", "2", true },
    { "7", "2", false },
    { "-8", "2", true },
    { "4.5", "1.5", true },
    { "35", "1.5", false },
    { "0.0075", "0.0001", true },
    { "0.00751", "0.0001", false },
    { "19.99", "0.01", true },
    { "0.07", "0.01", true },
    { "0.3", "0.1", true },
    { "0.35", "0.1", false },
    { "12391239123", "1e-8", true },
    { "1e308", "0.123456789", false },
    { "1e308", "0.5", true },
    { "1e1000000", "7", false },
    { "7e1000000", "7", true },
    { "1e1000000", "0.0078125", true },
    { "1e999999999999", "1e-999999999999", true },
    { "1e-999999999999", "1e999999999999", false },
    { "9007199254740993", "9007199254740992", false },
    { "9007199254740992", "2", true },
    { "18446744073709551615", "5", true },
    { "18446744073709551615", "18446744073709551615", true },
    { "18446744073709551616", "18446744073709551616", true },
    { "36893488147419103232", "18446744073709551616", true },
    { "36893488147419103233", "18446744073709551616", false },
    { "18446744073709551616", "36893488147419103232", false },
    { "1e40", "18446744073709551616", false },
    { "1e64", "18446744073709551616", true },
    { "1e63", "18446744073709551616", false },
    { "1e28", "37252902984619140625", true }, /* 5^28 > 2^64 */
    { "1e27", "37252902984619140625", false },
    { "98249283749234923498293171823948729348710298301928331", "3", false },
    { "121932631137021795226185032733622923332237463801111263526900",
      "123456789012345678901234567890", true },
    { "121932631137021795226185032733622923332237463801111263526901",
      "123456789012345678901234567890", false },
    { "-1.21932631137021795226185032733622923332237463801111263526900e23",
      "0.00000123456789012345678901234567890", true },
    { "-1.21932631137021795226185032733622923332237463801111263526900e22",
      "0.00000123456789012345678901234567890", false },
    { "1e5000", "99999999999999999999999999", false },
};

static void test_multiple(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(multiples); i++) {
        struct decimal value = dec(multiples[i].value);
        struct decimal divisor = dec(multiples[i].divisor);
        bool known = false;
        bool is_multiple = decimal_is_multiple(&value, &divisor, &known);
        if (!known || is_multiple != multiples[i].is_multiple)
            fail_msg("%s by %s", multiples[i].value, multiples[i].divisor);
    }
}

static char *digits_repeat(char digit, size_t count)
{
    char *text = malloc(count + 1);
    assert_non_null(text);
    memset(text, digit, count);
    text[count] = '\0';
    return text;
}

/* (10^n - 1) / (10^m - 1) is an integer exactly if m divides n. */
static void test_multiple_of_repunits(void **state)
{
    (void)state;
    static const unsigned counts[][2] = {
        { 10000, 100 }, { 10000, 5000 }, { 10000, 4999 }, { 9999, 3333 },
        { 9998, 3333 }, { 10000, 10000 }, { 9999, 10000 }, { 10000, 7 },
    };
    for (size_t i = 0; i < COUNT(counts); i++) {
        char *nines = digits_repeat('9', counts[i][0]);
        char *fewer = digits_repeat('9', counts[i][1]);
        struct decimal value = dec(nines);
        struct decimal divisor = dec(fewer);
        bool known;
        assert_int_equal(decimal_is_multiple(&value, &divisor, &known),
                         counts[i][0] % counts[i][1] == 0);
        assert_true(known);
        free(nines);
        free(fewer);
    }
}

static void test_multiple_gives_up(void **state)
{
    (void)state;
    char *nines = digits_repeat('9', LIMIT_JSON_DIGITS + 1);
    struct decimal value = dec(nines);
    struct decimal divisor = dec("123456789012345678901");
    bool known = true;
    assert_false(decimal_is_multiple(&value, &divisor, &known));
    assert_false(known);
    divisor = dec("9"); /* by a word there is no limit */
    assert_true(decimal_is_multiple(&value, &divisor, &known));
    assert_true(known);
    free(nines);
}

/* Small numbers against plain integer arithmetic. */
static void test_against_integers(void **state)
{
    (void)state;
    struct rng_seeded seeded;
    struct rng rng = rng_from_seed(&seeded, 42);
    for (unsigned i = 0; i < 20000; i++) {
        char text[2][48];
        int64_t scaled[2];
        for (unsigned j = 0; j < 2; j++) {
            int64_t word = (int64_t)(rng.next(rng.state) % 20001) - 10000;
            unsigned places = (unsigned)(rng.next(rng.state) % 4);
            static const int64_t scale[] = { 1000, 100, 10, 1 };
            scaled[j] = word * scale[places];
            snprintf(text[j], sizeof(text[j]), "%lldE-%u", (long long)word, places);
        }
        struct decimal a = dec(text[0]);
        struct decimal b = dec(text[1]);
        int order = decimal_compare(&a, &b);
        assert_int_equal(order, (scaled[0] > scaled[1]) - (scaled[0] < scaled[1]));
        bool known;
        if (scaled[1] > 0)
            assert_int_equal(decimal_is_multiple(&a, &b, &known), scaled[0] % scaled[1] == 0);
    }
}

static const struct {
    const char *text;
    bool fits;
    int64_t value;
    uint64_t saturated;
} conversions[] = {
    { "0", true, 0, 0 },
    { "-0.0", true, 0, 0 },
    { "2.0", true, 2, 2 },
    { "1e0", true, 1, 1 },
    { "1.5", false, 0, 1 },
    { "-3", true, -3, 0 },
    { "12e2", true, 1200, 1200 },
    { "9223372036854775807", true, INT64_MAX, INT64_MAX },
    { "9223372036854775808", false, 0, UINT64_C(9223372036854775808) },
    { "-9223372036854775808", true, INT64_MIN, 0 },
    { "-9223372036854775809", false, 0, 0 },
    { "18446744073709551615", false, 0, UINT64_MAX },
    { "18446744073709551616", false, 0, UINT64_MAX },
    { "1e19", false, 0, UINT64_C(10000000000000000000) },
    { "1e20", false, 0, UINT64_MAX },
    { "1e999999999999", false, 0, UINT64_MAX },
    { "1e-999999999999", false, 0, 0 },
    { "7.00000000000000000000000000000001", false, 0, 7 },
    { "0.00000000000000000000000000000001234567890123456789012345", false, 0, 0 },
};

static void test_conversions(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(conversions); i++) {
        struct decimal value = dec(conversions[i].text);
        int64_t number = 77;
        if (decimal_to_int64(&value, &number) != conversions[i].fits)
            fail_msg("%s fits", conversions[i].text);
        if (number != (conversions[i].fits ? conversions[i].value : 77))
            fail_msg("%s as int64", conversions[i].text);
        if (decimal_to_uint64_saturated(&value) != conversions[i].saturated)
            fail_msg("%s saturated", conversions[i].text);
    }
}

static void test_from_int(void **state)
{
    (void)state;
    static const int64_t numbers[] = { 0, 1, -1, 10, -1000, 123456, INT64_MAX, INT64_MIN };
    for (size_t i = 0; i < COUNT(numbers); i++) {
        char text[32];
        snprintf(text, sizeof(text), "%lld", (long long)numbers[i]);
        struct decimal from_text = dec(text);
        struct decimal from_int = decimal_from_int(numbers[i]);
        int64_t back;
        assert_int_equal(decimal_compare(&from_text, &from_int), 0);
        assert_int_equal(from_text.digit_count, from_int.digit_count);
        assert_true(decimal_hash(&from_text, 1) == decimal_hash(&from_int, 1));
        assert_true(decimal_to_int64(&from_int, &back) && back == numbers[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_integer),
        cmocka_unit_test(test_multiple),
        cmocka_unit_test(test_multiple_of_repunits),
        cmocka_unit_test(test_multiple_gives_up),
        cmocka_unit_test(test_against_integers),
        cmocka_unit_test(test_conversions),
        cmocka_unit_test(test_from_int),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

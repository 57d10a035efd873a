/* test_wide.c - products and quotients in 128 bits: known values, and the portable form against the
 * compiler's where it has one.
 */
#include "base/features.h"

#include "test.h"

#include "base/wide.h"

static const struct product {
    uint64_t a, b, high, low;
} products[] = {
    { 0, UINT64_MAX, 0, 0 },
    { 1, UINT64_MAX, 0, UINT64_MAX },
    { UINT64_MAX, UINT64_MAX, UINT64_MAX - 1, 1 },
    { UINT64_C(1) << 32, UINT64_C(1) << 32, 1, 0 },
    { UINT64_C(0xFFFFFFFF), UINT64_C(0xFFFFFFFF), 0, UINT64_C(0xFFFFFFFE00000001) },
    { UINT64_C(0x100000001), UINT64_C(0xFFFFFFFFFFFFFFFF), UINT64_C(0x100000000),
      UINT64_C(0xFFFFFFFEFFFFFFFF) },
    { UINT64_C(10000000000000000000), 10, 5, UINT64_C(7766279631452241920) },
};

static void multiplies(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(products) / sizeof(products[0]); i++) {
        const struct product *row = &products[i];
        struct wide native = wide_multiply(row->a, row->b);
        struct wide portable = wide_multiply_portable(row->b, row->a);
        assert_true(native.high == row->high && native.low == row->low);
        assert_true(portable.high == row->high && portable.low == row->low);
    }
}

/* A product divided by one of its factors is the other one, with what was added as the rest. */
static void divides_what_it_multiplied(void **state)
{
    (void)state;
    uint64_t a = UINT64_C(0x9E3779B97F4A7C15);
    uint64_t b = 3;
    for (unsigned i = 0; i < 5000; i++) {
        a = a * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        b = b * UINT64_C(2862933555777941757) + UINT64_C(3037000493);
        uint64_t divisor = (b >> (i % 64)) | 1;
        uint64_t added = a % divisor;
        struct wide value = wide_add(wide_multiply(a, divisor), added);
        struct wide other = wide_multiply_portable(a, divisor);
        uint64_t rest = 0;
        assert_int_equal(wide_compare(value, wide_add(other, added)), 0);
        assert_true(wide_divide(value, divisor, &rest) == a);
        assert_true(rest == added);
        assert_true(wide_divide_portable(value, divisor, &rest) == a);
        assert_true(rest == added);
    }
}

static void orders(void **state)
{
    (void)state;
    assert_int_equal(wide_compare((struct wide){ 1, 0 }, (struct wide){ 0, UINT64_MAX }), 1);
    assert_int_equal(wide_compare((struct wide){ 7, 1 }, (struct wide){ 7, 2 }), -1);
    assert_int_equal(wide_compare((struct wide){ 7, 2 }, (struct wide){ 7, 2 }), 0);
    struct wide carried = wide_add((struct wide){ 0, UINT64_MAX }, 1);
    assert_true(carried.high == 1 && carried.low == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multiplies),
        cmocka_unit_test(divides_what_it_multiplied),
        cmocka_unit_test(orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_alloc.c - each block carries its size in front, so that a wrong size_old is seen when it is
 * given back.
 *
 * Owns: the header before each block. Invariant: a request that fails changes nothing but the
 * counters.
 */
#include "base/features.h"

#include "test.h"

#include "test_alloc.h"

#include <stdalign.h>
#include <stdlib.h>

struct block_header {
    alignas(max_align_t) size_t size;
};

static bool test_alloc_must_fail(struct test_alloc *test)
{
    test->requests++;
    bool fails = test->fail_at != 0 &&
                 (test->fail_from_then_on ? test->requests >= test->fail_at
                                          : test->requests == test->fail_at);
    test->failures += fails;
    return fails;
}

static void test_alloc_count(struct test_alloc *test, size_t size_old, size_t size_new)
{
    test->blocks_alive += (size_new > 0) - (size_t)(size_old > 0);
    test->bytes_alive += size_new - size_old;
    if (test->bytes_alive > test->bytes_peak)
        test->bytes_peak = test->bytes_alive;
}

static void *test_alloc_resize(void *state, void *ptr, size_t size_old, size_t size_new)
{
    struct test_alloc *test = state;
    struct block_header *old = ptr == NULL ? NULL : (struct block_header *)ptr - 1;
    size_t size_known = old == NULL ? 0 : old->size;
    if (size_old != size_known)
        fail_msg("size_old is %zu for a block of %zu bytes", size_old, size_known);
    if (size_new == 0) {
        test_alloc_count(test, size_known, 0);
        free(old);
        return NULL;
    }
    if (test_alloc_must_fail(test) || size_new > SIZE_MAX - sizeof(*old))
        return NULL;
    /* Always moves, so that pointers kept across a growth are caught by the address sanitizer. */
    struct block_header *block = malloc(sizeof(*block) + size_new);
    if (block == NULL)
        return NULL;
    block->size = size_new;
    if (old != NULL)
        memcpy(block + 1, old + 1, size_known < size_new ? size_known : size_new);
    free(old);
    test_alloc_count(test, size_known, size_new);
    return block + 1;
}

void test_alloc_init(struct test_alloc *test)
{
    *test = (struct test_alloc){ .alloc = { test_alloc_resize, test } };
}

void test_alloc_assert_empty(const struct test_alloc *test)
{
    if (test->blocks_alive != 0 || test->bytes_alive != 0)
        fail_msg("%zu blocks with %zu bytes are still alive (request %llu of %llu was to fail%s)",
                 test->blocks_alive, test->bytes_alive, (unsigned long long)test->fail_at,
                 (unsigned long long)test->requests,
                 test->fail_from_then_on ? ", and all later" : "");
}

void test_alloc_failures(test_alloc_scenario *scenario, void *context)
{
    struct test_alloc test;
    test_alloc_init(&test);
    scenario(&test, context);
    test_alloc_assert_empty(&test);
    for (unsigned from_then_on = 0; from_then_on < 2; from_then_on++) {
        uint64_t n = 0;
        do {
            test_alloc_init(&test);
            test.fail_at = ++n;
            test.fail_from_then_on = from_then_on != 0;
            scenario(&test, context);
            test_alloc_assert_empty(&test);
        } while (test.failures > 0);
    }
}

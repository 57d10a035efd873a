/* test_alloc.h - an allocator that watches and fails on demand.
 *
 * Owns: the count of living bytes and blocks, and the check that the size handed back equals the
 * size taken. A mismatch fails the running test at once.
 */
#ifndef STRUCTURE_TEST_ALLOC_H
#define STRUCTURE_TEST_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"

struct test_alloc {
    struct alloc alloc;      /* what the code under test is given */
    uint64_t requests;       /* allocations and growths so far */
    uint64_t fail_at;        /* 1-based request that fails; 0 for none */
    bool fail_from_then_on;  /* fail every later request too */
    uint64_t failures;       /* requests that were made to fail */
    size_t blocks_alive;
    size_t bytes_alive;
    size_t bytes_peak;
};

/* alloc.state points to test: do not move it. */
void test_alloc_init(struct test_alloc *test);

/* Nothing is alive any more. */
void test_alloc_assert_empty(const struct test_alloc *test);

/* Runs the scenario without failures and then for n = 1, 2, ... with the n-th request failing, once
 * alone and once with all later ones, until a run asks for fewer than n blocks. The scenario frees
 * all it took, copes with failure, and asserts its own result when test->failures is 0. */
typedef void test_alloc_scenario(struct test_alloc *test, void *context);
void test_alloc_failures(test_alloc_scenario *scenario, void *context);

#endif

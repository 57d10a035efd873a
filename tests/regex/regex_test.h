/* regex_test.h - what the tests of patterns share. */
#ifndef STRUCTURE_REGEX_TEST_H
#define STRUCTURE_REGEX_TEST_H

#include "test.h"

#include "base/limits.h"
#include "regex/program.h"
#include "regex/regex.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A pattern that compiles; simulated when `simulated`. */
static inline struct regex *test_compile(struct str pattern, bool simulated)
{
    struct regex_budget budget = regex_budget_default();
    struct regex *regex = NULL;
    struct error error;
    error_clear(&error);
    if (simulated)
        budget.build_steps = 0;
    enum status status = regex_compile(pattern, alloc_default(), &budget, &regex, NULL, &error);
    if (status != STATUS_OK)
        fail_msg("%.*s: %s", (int)pattern.len, pattern.ptr, error.message);
    if (simulated)
        assert_null(regex->table.next);
    return regex;
}

static inline bool test_matches(const struct regex *regex, struct str text)
{
    uint64_t steps = UINT64_MAX;
    bool matches = false;
    uint64_t before = steps;
    /* The step limit of one search is for hostile texts; those here stay below it. */
    assert_int_equal(regex_matches(regex, text, alloc_default(), &steps, &matches), STATUS_OK);
    assert_true(steps < before);
    return matches;
}

#endif

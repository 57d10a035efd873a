/* test_memory.c - every allocation of compiling, checking and matching may fail. */
#include "base/features.h"

#include "regex_test.h"

#include "test_alloc.h"

static const struct scenario {
    const char *pattern;
    const char *text;
    bool simulated;
    bool matches;
} scenarios[] = {
    { "^(?<a>[\\w.-]+)@(?:(?<b>x|y|\xc3\xa9){1,3}\\.)+[^\\d]{2,}$", "me@x.y.zz", false, true },
    { "\\bfoo(?:\\p{Lu}|[\xce\xb1-\xcf\x89])\\b", "a fooX b", true, true },
    { "((((((((((((((((((a))))))))))))))))))", "b", false, false },
    { "^(?!a|\\p{sc=Greek})(?=(?i:b).)[a-z]+$", "ba", false, true },
    { "(?<=a(?=b))(?i:\\b)b", "ab", false, false },
    { "(?<=(?<!x)a)[bc]", "xa ab", false, true },
    { "^(?<\xc3\xa9>a|b)(?:(?=(c))\\2)*?(?<=c)\\k<\xc3\xa9>(?i:\\1)$", "acca", false, false },
    { "^([ab])+?(?!\\1)(?:x|y){2,9}\\1$", "abxyxyb", false, true },
    { "^literal", "literal", false, true },
    { "^.{2,70000}$", "literal", false, true },
    { "[bdfhjlnprtvxz1357acegikmoqsuwy0-9_-]{3,40}", "ab", false, false },
};

static void compile_and_match(struct test_alloc *test, void *context)
{
    const struct scenario *scenario = context;
    struct regex_budget budget = regex_budget_default();
    struct regex *regex = NULL;
    struct error error;
    bool matches = false;
    uint64_t steps = UINT64_MAX;
    error_clear(&error);
    if (scenario->simulated)
        budget.build_steps = 0;
    struct str pattern = str_from(scenario->pattern);
    enum status status = regex_check(pattern, &test->alloc, &error);
    if (status == STATUS_OK)
        status = regex_compile(pattern, &test->alloc, &budget, &regex, NULL, &error);
    if (status == STATUS_OK)
        status = regex_matches(regex, str_from(scenario->text), &test->alloc, &steps, &matches);
    if (status == STATUS_OK)
        assert_int_equal(matches, scenario->matches);
    else
        assert_int_equal(status, STATUS_NO_MEMORY);
    if (test->failures == 0)
        assert_int_equal(status, STATUS_OK);
    regex_free(regex, &test->alloc);
    test_alloc_assert_empty(test);
}

static void failing_allocations(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(scenarios); i++)
        test_alloc_failures(compile_and_match, (void *)(uintptr_t)&scenarios[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(failing_allocations) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

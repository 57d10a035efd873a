/* test_equal.c - equality and hash: exact numbers, objects without order, budgets. */
#include "base/features.h"

#include "json_test.h"

#include <stdlib.h>

#include "test_alloc.h"

/* Values with the same class are equal, all others differ. */
static const struct {
    const char *text;
    unsigned equal_class;
} values[] = {
    { "null", 0 },
    { "true", 1 },
    { "false", 2 },
    { "0", 3 },
    { "-0", 3 },
    { "0.0", 3 },
    { "0e10", 3 },
    { "1", 4 },
    { "1.0", 4 },
    { "10e-1", 4 },
    { "0.1E1", 4 },
    { "9007199254740992", 5 },
    { "9007199254740993", 6 },
    { "9007199254740993.0", 6 },
    { "123456789012345678901234567890", 7 },
    { "12345678901234567890123456789e1", 7 },
    { "\"\"", 8 },
    { "\"a\"", 9 },
    { "\"\\u0061\"", 9 },
    { "\"1\"", 10 },
    { "[]", 11 },
    { "{}", 12 },
    { "[1,2]", 13 },
    { "[1.0,2e0]", 13 },
    { "[2,1]", 14 },
    { "[[1],2]", 15 },
    { "[1,[2]]", 16 },
    { "{\"a\":1,\"b\":2}", 17 },
    { "{\"b\":2,\"a\":1}", 17 },
    { "{\"\\u0062\":2.0,\"a\":1}", 17 },
    { "{\"a\":2,\"b\":1}", 18 },
    { "{\"a\":1}", 19 },
    { "{\"a\":1,\"c\":2}", 20 },
    { "{\"a\":{\"b\":[1,{\"c\":2,\"d\":3}]},\"e\":4}", 21 },
    { "{\"e\":4,\"a\":{\"b\":[1.0,{\"d\":3,\"c\":2}]}}", 21 },
    { "{\"e\":4,\"a\":{\"b\":[1.0,{\"d\":2,\"c\":3}]}}", 22 },
    { "[null]", 23 },
    { "[false]", 24 },
    { "[0]", 25 },
    { "[{}]", 26 },
    { "[[]]", 27 },
    { "{\"a\":[]}", 28 },
    { "{\"a\":{}}", 29 },
    { "{\"a\":null}", 30 },
};

static void compares_every_pair(void **state)
{
    (void)state;
    struct json_doc *docs[COUNT(values)];
    for (size_t i = 0; i < COUNT(values); i++)
        docs[i] = parse_ok(str_from(values[i].text));
    for (size_t i = 0; i < COUNT(values); i++) {
        for (size_t k = 0; k < COUNT(values); k++) {
            struct json a = json_doc_root(docs[i]);
            struct json b = json_doc_root(docs[k]);
            bool are_equal = values[i].equal_class == values[k].equal_class;
            uint64_t budget = 1000;
            if (json_equal(a, b, &budget) != are_equal ||
                (json_hash(a, 7) == json_hash(b, 7)) != are_equal)
                fail_msg("%s and %s", values[i].text, values[k].text);
            assert_int_not_equal(budget, 0);
        }
    }
    for (size_t i = 0; i < COUNT(values); i++)
        json_doc_free(docs[i]);
}

/* An object of count members and one with them in reverse order; *text is freed by the caller. */
static struct json_doc *object_of(unsigned count, bool is_reversed, unsigned changed)
{
    size_t size = (size_t)count * 32 + 3;
    char *text = malloc(size);
    assert_non_null(text);
    size_t len = 0;
    text[len++] = '{';
    for (unsigned i = 0; i < count; i++) {
        unsigned k = is_reversed ? count - 1 - i : i;
        len += (size_t)snprintf(text + len, size - len, "%s\"key%u\":%u", i == 0 ? "" : ",", k,
                                k == changed ? 0 : k + 1);
    }
    text[len++] = '}';
    struct json_doc *doc = parse_ok(str_of(text, len));
    free(text);
    return doc;
}

static void finds_members_in_any_order(void **state)
{
    (void)state;
    static const unsigned counts[] = { 2, 5, 16, 17, 100, 20000 };
    for (size_t i = 0; i < COUNT(counts); i++) {
        unsigned count = counts[i];
        struct json_doc *a = object_of(count, false, count);
        struct json_doc *b = object_of(count, true, count);
        struct json_doc *c = object_of(count, true, count / 2);
        uint64_t budget = 100 + 20 * (uint64_t)count;
        assert_true(json_equal(json_doc_root(a), json_doc_root(b), &budget));
        assert_int_not_equal(budget, 0);
        budget = 100 + 20 * (uint64_t)count;
        assert_false(json_equal(json_doc_root(a), json_doc_root(c), &budget));
        assert_int_not_equal(budget, 0);
        assert_int_equal(json_hash(json_doc_root(a), 1), json_hash(json_doc_root(b), 1));
        assert_int_not_equal(json_hash(json_doc_root(a), 1), json_hash(json_doc_root(c), 1));
        json_doc_free(a);
        json_doc_free(b);
        json_doc_free(c);
    }
}

static void stops_when_the_budget_is_used_up(void **state)
{
    (void)state;
    struct json_doc *a = parse_ok(STR("{\"a\":[1,2,3],\"b\":{\"c\":4,\"d\":5}}"));
    struct json_doc *b = parse_ok(STR("{\"b\":{\"d\":5,\"c\":4},\"a\":[1,2,3]}"));
    bool has_ended = false;
    for (uint64_t steps = 0; steps < 100; steps++) {
        uint64_t budget = steps;
        bool is_equal = json_equal(json_doc_root(a), json_doc_root(b), &budget);
        assert_true(is_equal || budget == 0);
        assert_true(is_equal || !has_ended);
        has_ended = is_equal;
    }
    assert_true(has_ended);
    json_doc_free(a);
    json_doc_free(b);
}

static void copes_with_failed_allocation(struct test_alloc *test, void *context)
{
    (void)context;
    struct outcome a = parse_whole(
        STR("[{\"a\":[{\"b\":1,\"c\":2}],\"d\":3},"
            "{\"1\":1,\"2\":1,\"3\":1,\"4\":1,\"5\":1,\"6\":1,\"7\":1,\"8\":1,\"9\":1,"
            "\"10\":1,\"11\":1,\"12\":1,\"13\":1,\"14\":1,\"15\":1,\"16\":1,\"17\":1}]"),
        NULL, &test->alloc);
    struct json_doc *b = parse_ok(
        STR("[{\"d\":3,\"a\":[{\"c\":2,\"b\":1}]},"
            "{\"17\":1,\"1\":1,\"2\":1,\"3\":1,\"4\":1,\"5\":1,\"6\":1,\"7\":1,\"8\":1,\"9\":1,"
            "\"10\":1,\"11\":1,\"12\":1,\"13\":1,\"14\":1,\"15\":1,\"16\":1}]"));
    if (a.status == STATUS_OK) {
        uint64_t budget = 10000;
        bool is_equal = json_equal(json_doc_root(a.doc), json_doc_root(b), &budget);
        assert_true(is_equal || (test->failures > 0 && budget == 0));
    }
    outcome_release(&a);
    json_doc_free(b);
}

static void survives_failed_allocations(void **state)
{
    (void)state;
    test_alloc_failures(copes_with_failed_allocation, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compares_every_pair),
        cmocka_unit_test(finds_members_in_any_order),
        cmocka_unit_test(stops_when_the_budget_is_used_up),
        cmocka_unit_test(survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

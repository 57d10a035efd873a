/* test_limits.c - every limit of JSON texts: met, and passed by one. */
#include "base/features.h"

#include "json_test.h"

#include <stdlib.h>

#include "test_alloc.h"

static struct json_options defaults(void)
{
    struct json_options options = JSON_OPTIONS_DEFAULT;
    return options;
}

static void assert_refused(struct str text, const struct json_options *options, const char *message)
{
    struct outcome outcome = parse_whole(text, options, alloc_default());
    assert_int_equal(outcome.status, STATUS_INVALID_REQUEST);
    assert_string_equal(outcome.error.message, message);
}

static void assert_accepted(struct str text, const struct json_options *options)
{
    struct outcome outcome = parse_whole(text, options, alloc_default());
    assert_int_equal(outcome.status, STATUS_OK);
    outcome_release(&outcome);
}

static void bytes(void **state)
{
    (void)state;
    struct json_options options = defaults();
    options.bytes_max = 8;
    assert_accepted(STR("[1,2,34]"), &options);
    assert_refused(STR("[1,2,345]"), &options,
                   "line 1, column 9: more than 8 bytes of text; --max-size sets the limit");
    assert_refused(STR("[1,2,34] "), &options,
                   "line 1, column 9: more than 8 bytes of text; --max-size sets the limit");
    assert_refused(STR("[1,2 34  "), &options,
                   "line 1, column 6: expected ',' or ']' after an item, found a digit");
    options.bytes_max = SIZE_MAX;
    assert_accepted(STR("[1,2,34]"), &options);
}

static void depth(void **state)
{
    (void)state;
    char text[2 * (LIMIT_JSON_DEPTH + 1)];
    memset(text, '[', LIMIT_JSON_DEPTH);
    memset(text + LIMIT_JSON_DEPTH, ']', LIMIT_JSON_DEPTH);
    assert_accepted(str_of(text, (size_t)2 * LIMIT_JSON_DEPTH), NULL);
    memset(text, '[', LIMIT_JSON_DEPTH + 1);
    memset(text + LIMIT_JSON_DEPTH + 1, ']', LIMIT_JSON_DEPTH + 1);
    assert_refused(
        str_of(text, sizeof(text)), NULL,
        "line 1, column 129: more than 128 levels of nesting; --max-depth sets the limit");
    struct json_options options = defaults();
    options.depth_max = 2;
    assert_accepted(STR("{\"a\":[],\"b\":[1]}"), &options);
    assert_refused(STR("{\"a\":[{}]}"), &options,
                   "line 1, column 7: more than 2 levels of nesting; --max-depth sets the limit");
    options.depth_max = 0;
    assert_accepted(STR("1"), &options);
    assert_refused(STR("[]"), &options,
                   "line 1, column 1: more than 0 levels of nesting; --max-depth sets the limit");
}

/* Names are not counted. The place is that of the value, or of the name before it. */
static void nodes(void **state)
{
    (void)state;
    struct json_options options = defaults();
    options.nodes_max = 4;
    assert_accepted(STR("[1,2,3]"), &options);
    assert_accepted(STR("{\"a\":1,\"b\":{},\"c\":3}"), &options);
    assert_accepted(STR("{\"a\":[1,{}]}"), &options);
    assert_refused(STR("[1,2,3,4]"), &options,
                   "line 1, column 8: more than 4 values; --max-nodes sets the limit");
    assert_refused(STR("{\"a\":1,\"b\":{},\"c\":3,\"d\":4}"), &options,
                   "line 1, column 21: more than 4 values; --max-nodes sets the limit");
    assert_refused(STR("{\"a\":[1,{\"b\":2}]}"), &options,
                   "line 1, column 10: more than 4 values; --max-nodes sets the limit");
    options.nodes_max = 0;
    assert_refused(STR("1"), &options,
                   "line 1, column 1: more than 0 values; --max-nodes sets the limit");
}

/* The default number of nodes: in one array, and in objects where half of the nodes are names. */
static void a_million_nodes(void **state)
{
    (void)state;
    static const struct str repeats[] = { { "0,", 2 }, { "{\"a\":0},", 8 }, { "{},", 3 } };
    static const unsigned values[] = { 1, 2, 1 };
    for (size_t i = 0; i < COUNT(repeats); i++) {
        struct str repeat = repeats[i];
        size_t count = (LIMIT_JSON_NODES - 1) / values[i];
        char *text = malloc((count + 2) * repeat.len + 2);
        assert_non_null(text);
        text[0] = '[';
        for (size_t k = 0; k < count + 2; k++)
            memcpy(text + 1 + k * repeat.len, repeat.ptr, repeat.len);
        size_t len = count * repeat.len;
        text[len] = ']';
        assert_accepted(str_of(text, len + 1), NULL);
        text[len] = ',';
        len += 2 * repeat.len;
        text[len] = ']';
        struct outcome outcome = parse_whole(str_of(text, len + 1), NULL, alloc_default());
        assert_int_equal(outcome.status, STATUS_INVALID_REQUEST);
        assert_non_null(strstr(outcome.error.message, "more than 1000000 values"));
        free(text);
    }
}

static void digits(void **state)
{
    (void)state;
    char text[LIMIT_JSON_DIGITS + 3];
    memset(text, '9', sizeof(text));
    assert_accepted(str_of(text, LIMIT_JSON_DIGITS), NULL);
    assert_refused(
        str_of(text, LIMIT_JSON_DIGITS + 1), NULL,
        "line 1, column 1: more than 10000 characters in a number; --max-digits sets the limit");
    struct json_options options = defaults();
    options.digits_max = 4;
    assert_accepted(STR("[-1.5,1e10,1234]"), &options);
    static const char *const longer[] = { "[-1.55]", "[12345]",  "[1e+10]",
                                          "[12345",  "[12345x]", "[1234.]" };
    for (size_t i = 0; i < COUNT(longer); i++)
        assert_refused(
            str_from(longer[i]), &options,
            "line 1, column 2: more than 4 characters in a number; --max-digits sets the limit");
    assert_refused(STR("[123.]"), &options, "line 1, column 6: expected a digit after '.'");
}

/* 100,000 levels end at the limit and cost nothing but the text. */
static void deep_nesting_ends_early(void **state)
{
    (void)state;
    enum { LEVELS = 100000, PAIR = 5 };
    char *text = malloc(LEVELS * PAIR);
    assert_non_null(text);
    memset(text, '[', LEVELS);
    struct test_alloc memory;
    test_alloc_init(&memory);
    struct outcome outcome = parse_whole(str_of(text, LEVELS), NULL, &memory.alloc);
    assert_int_equal(outcome.status, STATUS_INVALID_REQUEST);
    assert_int_equal(outcome.error.column, 129);
    assert_in_range(memory.bytes_peak, LEVELS, 8 * LEVELS);
    test_alloc_assert_empty(&memory);
    for (size_t i = 0; i < LEVELS; i++)
        memcpy(text + i * PAIR, "{\"\":[", PAIR);
    outcome = parse_whole(str_of(text, LEVELS * PAIR), NULL, alloc_default());
    assert_int_equal(outcome.error.column, 64 * PAIR + 1);
    free(text);
}

/* With the limit raised, depth costs no stack in parsing, writing, comparing, hashing, pointing. */
static void deep_nesting_works_when_allowed(void **state)
{
    (void)state;
    enum { LEVELS = 100000 };
    char *text = malloc(2 * LEVELS);
    assert_non_null(text);
    memset(text, '[', LEVELS);
    memset(text + LEVELS, ']', LEVELS);
    struct json_options options = defaults();
    options.depth_max = LEVELS;
    struct outcome outcome = parse_whole(str_of(text, 2 * LEVELS), &options, alloc_default());
    assert_int_equal(outcome.status, STATUS_OK);
    struct json root = json_doc_root(outcome.doc);
    struct buffer out;
    buffer_init(&out, alloc_default(), 2 * LEVELS);
    json_write(root, 0, &out);
    assert_int_equal(buffer_status(&out), STATUS_OK);
    assert_memory_equal(out.ptr, text, 2 * LEVELS);
    buffer_clear(&out);
    struct json innermost = { outcome.doc, root.node + LEVELS - 1 };
    json_pointer_of(innermost, &out);
    assert_int_equal(out.len, 2 * (LEVELS - 1));
    assert_ptr_equal(json_pointer_get(root, buffer_view(&out)).node, innermost.node);
    uint64_t budget = 1000000;
    assert_true(json_equal(root, root, &budget));
    assert_int_equal(json_hash(root, 1), json_hash(root, 1));
    buffer_release(&out);
    outcome_release(&outcome);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes),
        cmocka_unit_test(depth),
        cmocka_unit_test(nodes),
        cmocka_unit_test(a_million_nodes),
        cmocka_unit_test(digits),
        cmocka_unit_test(deep_nesting_ends_early),
        cmocka_unit_test(deep_nesting_works_when_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

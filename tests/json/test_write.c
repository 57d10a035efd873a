/* test_write.c - writing: layout, escaping, kept text; and that what is written parses to the same
 * value. */
#include "base/features.h"

#include "json_test.h"

#include "test_data.h"

static void assert_written(struct json value, unsigned indent, const char *expected)
{
    struct buffer out;
    buffer_init(&out, alloc_default(), 10000);
    json_write(value, indent, &out);
    assert_int_equal(buffer_status(&out), STATUS_OK);
    assert_str(buffer_view(&out), str_from(expected));
    buffer_release(&out);
}

static void compact(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { " null ", "null" },
        { "[ ]", "[]" },
        { "{ }", "{}" },
        { "\t[ 1 , 2.50 ,\n-0 , 1E5, 123456789012345678901234567890 ]",
          "[1,2.50,-0,1E5,123456789012345678901234567890]" },
        { "{\"b\" : {\"a\":[ [] , {} ,[[ ]]]} , \"\" : true}",
          "{\"b\":{\"a\":[[],{},[[]]]},\"\":true}" },
        { "[[[1],[2]],[[3]] ]", "[[[1],[2]],[[3]]]" },
        { "\"\\u0041\\/\\u00e9\\ud83d\\ude00\\u2028\"",
          "\"A/\xC3\xA9\xF0\x9F\x98\x80\xE2\x80\xA8\"" },
        { "\"\\u0000\\u001F\\u0008\\u000c\\n\\r\\t\\\"\\\\\\u007f\"",
          "\"\\u0000\\u001f\\b\\f\\n\\r\\t\\\"\\\\\x7F\"" },
        { "{\"\\u006b\\n\":0}", "{\"k\\n\":0}" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct json_doc *doc = parse_ok(str_from(cases[i][0]));
        assert_written(json_doc_root(doc), 0, cases[i][1]);
        json_doc_free(doc);
    }
}

static void indented(void **state)
{
    (void)state;
    struct json_doc *doc =
        parse_ok(STR("{\"a\":[],\"b\":[1,{\"c\":{}},[[2]]],\"d\":{\"e\":null}}"));
    struct json root = json_doc_root(doc);
    assert_written(
        root, 2,
        "{\n  \"a\": [],\n  \"b\": [\n    1,\n    {\n      \"c\": {}\n    },\n    [\n      [\n"
        "        2\n      ]\n    ]\n  ],\n  \"d\": {\n    \"e\": null\n  }\n}");
    assert_written(json_get(root, STR("d")), 1, "{\n \"e\": null\n}");
    assert_written(json_get(root, STR("a")), 4, "[]");
    json_doc_free(doc);
}

/* Values inside a document: the brackets around them are not theirs. */
static void parts(void **state)
{
    (void)state;
    struct json_doc *doc = parse_ok(STR("{\"a\":[[1,[2]]],\"b\":{\"c\":\"x\"}}"));
    struct json root = json_doc_root(doc);
    assert_written(json_get(root, STR("a")), 0, "[[1,[2]]]");
    assert_written(json_at(json_get(root, STR("a")), 0), 0, "[1,[2]]");
    assert_written(json_pointer_get(root, STR("/a/0/1/0")), 0, "2");
    assert_written(json_get(root, STR("b")), 0, "{\"c\":\"x\"}");
    assert_written(json_pointer_get(root, STR("/b/c")), 0, "\"x\"");
    json_doc_free(doc);
}

static void strings(void **state)
{
    (void)state;
    static const struct {
        struct str text;
        const char *quoted;
    } cases[] = {
        { { "", 0 }, "\"\"" },
        { { "plain", 5 }, "\"plain\"" },
        { { "0123456789abcdef\"0123456789abcdef\n", 34 },
          "\"0123456789abcdef\\\"0123456789abcdef\\n\"" },
        { { "\0\x01", 2 }, "\"\\u0000\\u0001\"" },
        { { "\xC3\xA9\xE2\x80\xA9</script>", 14 }, "\"\xC3\xA9\xE2\x80\xA9</script>\"" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buffer out;
        buffer_init(&out, alloc_default(), 1000);
        json_write_string(cases[i].text, &out);
        assert_str(buffer_view(&out), str_from(cases[i].quoted));
        buffer_release(&out);
    }
}

static void stops_at_the_maximum_of_the_buffer(void **state)
{
    (void)state;
    struct json_doc *doc = parse_ok(STR("[1,\"\\n\",{\"a\":[2]}]"));
    for (size_t max = 0; max < 64; max++) {
        struct buffer out;
        buffer_init(&out, alloc_default(), max);
        json_write(json_doc_root(doc), 1, &out);
        assert_int_equal(buffer_status(&out), max < 38 ? STATUS_REJECTED : STATUS_OK);
        assert_true(out.len <= max);
        buffer_release(&out);
    }
    json_doc_free(doc);
}

/* Parse, write, parse: equal values; write again: the same bytes. */
static void check_round_trip(const char *path, struct str content, void *context)
{
    (void)path;
    (void)context;
    struct outcome first = parse_whole(content, NULL, alloc_default());
    if (first.status != STATUS_OK)
        return;
    for (unsigned indent = 0; indent < 3; indent++) {
        struct buffer written;
        struct buffer again;
        uint64_t budget = 1000000;
        buffer_init(&written, alloc_default(), SIZE_MAX);
        buffer_init(&again, alloc_default(), SIZE_MAX);
        json_write(json_doc_root(first.doc), indent, &written);
        struct json_doc *second = parse_ok(buffer_view(&written));
        assert_true(json_equal(json_doc_root(first.doc), json_doc_root(second), &budget));
        json_write(json_doc_root(second), indent, &again);
        assert_str(buffer_view(&again), buffer_view(&written));
        json_doc_free(second);
        buffer_release(&written);
        buffer_release(&again);
    }
    outcome_release(&first);
}

static void round_trips(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "[[],{},[{}],{\"a\":[]},{\"a\":{\"b\":[1,[2,[3]],4]},\"c\":5}]",
        "{\"\\u0000\":\"\\u0000\",\"\\\\\":[\"\\\"\",\"\\/\"],\"\xC3\xA9\":1e5}",
        " [ 1 , [ ] , [ 2 ] , { } ] ",
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        check_round_trip("", str_from(texts[i]), NULL);
    char folder[TEST_PATH_BYTES];
    if (!test_shared_path(folder, "suites/json-test-suite/test_parsing"))
        test_skip("the shared suite json-test-suite is not there");
    assert_int_not_equal(test_files_visit(folder, check_round_trip, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compact),
        cmocka_unit_test(indented),
        cmocka_unit_test(parts),
        cmocka_unit_test(strings),
        cmocka_unit_test(stops_at_the_maximum_of_the_buffer),
        cmocka_unit_test(round_trips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_yaml.c - YAML documents as JSON texts: values, positions, refusals, growth, failures. */
#include "base/features.h"

#include "test.h"

#include "test_alloc.h"
#include "test_data.h"

#include "cli/yaml.h"
#include "json/json.h"

enum { TEST_BYTES_MAX = 1024 * 1024 };

static enum status convert(const char *yaml, struct buffer *out, struct error *error)
{
    error_clear(error);
    buffer_init(out, alloc_default(), TEST_BYTES_MAX);
    enum status status = cli_yaml_to_json(str_from(yaml), STATUS_INVALID_REQUEST, out, error);
    if (status == STATUS_UNSUPPORTED) {
        buffer_release(out);
        test_skip("built without YAML");
    }
    return status;
}

/* The JSON text as the writer has it on one line. */
static void assert_converts(const char *yaml, const char *json)
{
    struct buffer text;
    struct buffer compact;
    struct error error;
    struct json_doc *document = NULL;
    if (convert(yaml, &text, &error) != STATUS_OK)
        fail_msg("%s: %s", yaml, error.message);
    assert_int_equal(json_parse(buffer_view(&text), NULL, alloc_default(), &document, &error),
                     STATUS_OK);
    buffer_init(&compact, alloc_default(), TEST_BYTES_MAX);
    json_write(json_doc_root(document), 0, &compact);
    assert_string_equal(compact.ptr, json);
    buffer_release(&compact);
    json_doc_free(document);
    buffer_release(&text);
}

static void test_values(void **state)
{
    static const char *const cases[][2] = {
        { "null", "null" },
        { "~", "null" },
        { "a:", "{\"a\":null}" },
        { "- \n- NULL", "[null,null]" },
        { "[true, True, FALSE, yes, on, tRUE]", "[true,true,false,\"yes\",\"on\",\"tRUE\"]" },
        { "[0, -1, 10, +7, 007, -0]", "[0,-1,10,7,7,-0]" },
        { "[1.50, .5, 5., -.5e3, 1E+05, 1e400]", "[1.50,0.5,5,-0.5e3,1E+05,1e400]" },
        { "[0x1F, 0o17, 0xg, 0o8, 0x, 0b1]", "[31,15,\"0xg\",\"0o8\",\"0x\",\"0b1\"]" },
        { "[0xffffffffffffffff]", "[18446744073709551615]" },
        { "[1_000, 1:30, 2020-01-01, ., +, e3, 1e, 1.2.3]",
          "[\"1_000\",\"1:30\",\"2020-01-01\",\".\",\"+\",\"e3\",\"1e\",\"1.2.3\"]" },
        { "123456789012345678901234567890", "123456789012345678901234567890" },
        { "['1', \"true\", 'it''s', \"\\u00e9\\0\\n\"]",
          "[\"1\",\"true\",\"it's\",\"\xC3\xA9\\u0000\\n\"]" },
        { "a: |\n  x\n  y\nb: >\n  x\n  y\n", "{\"a\":\"x\\ny\\n\",\"b\":\"x y\\n\"}" },
        { "200: a\ntrue: b\n'': c\n\"<<\": d",
          "{\"200\":\"a\",\"true\":\"b\",\"\":\"c\",\"<<\":\"d\"}" },
        { "? a\n: b", "{\"a\":\"b\"}" },
        { "a: {b: [1, {c: 2}], d: []}\ne: {}", "{\"a\":{\"b\":[1,{\"c\":2}],\"d\":[]},\"e\":{}}" },
        { "- - 1\n  - 2\n- a: 1\n  b: 2", "[[1,2],{\"a\":1,\"b\":2}]" },
        { "%YAML 1.2\n---\n- 1\n...\n", "[1]" },
        { "\xEF\xBB\xBF"
          "a: 1",
          "{\"a\":1}" },
        { "a: &x {b: \"c \\\" d\\\\\"}\ne: *x\nf: [*x, *x]",
          "{\"a\":{\"b\":\"c \\\" d\\\\\"},\"e\":{\"b\":\"c \\\" d\\\\\"},"
          "\"f\":[{\"b\":\"c \\\" d\\\\\"},{\"b\":\"c \\\" d\\\\\"}]}" },
        { "- &x 1\n- &x 2\n- *x", "[1,2,2]" },
        { "&k a: 1\nb: *k", "{\"a\":1,\"b\":\"a\"}" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_converts(cases[i][0], cases[i][1]);
}

static void test_refusals(void **state)
{
    static const struct {
        const char *yaml, *part;
        uint32_t line, column;
    } cases[] = {
        { "", "no document", 1, 1 },
        { "# nothing", "no document", 2, 1 },
        { "a: 1\n---\nb: 2", "more than one document", 2, 1 },
        { "a: !!str 1", "tags", 1, 4 },
        { "!x {}", "tags", 1, 1 },
        { "- !x []", "tags", 1, 3 },
        { "a: 1\n<<: {b: 2}", "merge keys", 2, 1 },
        { "? [1]\n: 2", "must be a scalar", 1, 3 },
        { "{{a: 1}: 2}", "must be a scalar", 1, 2 },
        { "a: 1\n? \n: 1", "without a name", 2, 2 },
        { "a: &x b\n? *x\n: 1", "alias as the name", 2, 3 },
        { "- *x", "without its anchor", 1, 3 },
        { "&x [*x]", "inside its own anchor", 1, 5 },
        { "- -.INF", "infinity", 1, 3 },
        { "- .nan", "infinity", 1, 3 },
        { "- 0x10000000000000000", "64 bits", 1, 3 },
        { "- 0o7777777777777777777777", "64 bits", 1, 3 },
        { "a: b: c", "mapping values are not allowed", 1, 5 },
        { "[1, 2", "expected ',' or ']'", 2, 1 },
        { "a: \"\\q\"", "unknown escape", 1, 5 },
        { "a: \xFF", "UTF-8", 1, 1 },
        { "a: \x01", "control characters", 1, 1 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct buffer text;
        struct error error;
        assert_int_equal(convert(cases[i].yaml, &text, &error), STATUS_INVALID_REQUEST);
        if (strstr(error.message, cases[i].part) == NULL)
            fail_msg("%s: %s", cases[i].yaml, error.message);
        if (error.line != cases[i].line || error.column != cases[i].column)
            fail_msg("%s: %u:%u", cases[i].yaml, (unsigned)error.line, (unsigned)error.column);
        buffer_release(&text);
    }
}

/* A value stands where it stood. */
static void test_positions(void **state)
{
    static const char yaml[] = "# a comment\n"
                               "server:\n"
                               "  \xC3\xA9t\xC3\xA9: 1\n"
                               "  list:\n"
                               "    - 17\n"
                               "    -   {a: x,  b:   y}\n"
                               "\n"
                               "  text: |\n"
                               "    one\n"
                               "    two\n"
                               "  last: true\n";
    static const struct {
        const char *pointer;
        uint32_t line, column;
    } cases[] = {
        { "/server/\xC3\xA9t\xC3\xA9", 3, 8 },
        { "/server/list", 5, 5 },
        { "/server/list/0", 5, 7 },
        { "/server/list/1", 6, 9 },
        { "/server/list/1/b", 6, 22 },
        { "/server/text", 8, 9 },
        { "/server/last", 11, 9 },
    };
    struct buffer text;
    struct error error;
    struct json_doc *document = NULL;
    (void)state;
    assert_int_equal(convert(yaml, &text, &error), STATUS_OK);
    assert_int_equal(json_parse(buffer_view(&text), NULL, alloc_default(), &document, &error),
                     STATUS_OK);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct json value = json_pointer_get(json_doc_root(document), str_from(cases[i].pointer));
        uint32_t line;
        uint32_t column;
        assert_true(json_exists(value));
        json_position(json_doc_source(document), json_offset(value), &line, &column);
        if (line != cases[i].line || column != cases[i].column)
            fail_msg("%s: %u:%u", cases[i].pointer, (unsigned)line, (unsigned)column);
    }
    json_doc_free(document);
    buffer_release(&text);
}

/* Aliases of aliases: what they stand for doubles until the maximum of the buffer. */
static void test_growth_is_bounded(void **state)
{
    struct buffer yaml;
    struct buffer text;
    struct error error;
    (void)state;
    buffer_init(&yaml, alloc_default(), TEST_BYTES_MAX);
    buffer_append_str(&yaml, STR("- &a0 word\n"));
    for (unsigned i = 1; i < 100; i++)
        buffer_printf(&yaml, "- &a%u [*a%u, *a%u]\n", i, i - 1, i - 1);
    assert_int_equal(convert(yaml.ptr, &text, &error), STATUS_REJECTED);
    buffer_release(&text);
    buffer_release(&yaml);
}

static void assert_refuses_repeated(const char *part, unsigned count, const char *problem)
{
    struct buffer yaml;
    struct buffer text;
    struct error error;
    buffer_init(&yaml, alloc_default(), TEST_BYTES_MAX);
    for (unsigned i = 0; i < count; i++)
        buffer_append_str(&yaml, str_from(part));
    assert_int_equal(convert(yaml.ptr, &text, &error), STATUS_INVALID_REQUEST);
    if (strstr(error.message, problem) == NULL)
        fail_msg("%s", error.message);
    buffer_release(&text);
    buffer_release(&yaml);
}

static void test_limits(void **state)
{
    (void)state;
    assert_refuses_repeated("[", 100000, "YAML: ");
    assert_refuses_repeated("{a: ", 100000, "YAML: ");
    assert_refuses_repeated("- ", 100000, "deeper than 1000");
    assert_refuses_repeated("- &a 1\n", 257, "more than 256 anchors");
}

static void scenario(struct test_alloc *test, void *context)
{
    struct buffer text;
    struct error error = { 0 };
    (void)context;
    buffer_init(&text, &test->alloc, TEST_BYTES_MAX);
    enum status status =
        cli_yaml_to_json(STR("a: &x [1, two]\nb: *x\n"), STATUS_INVALID_REQUEST, &text, &error);
    if (test->failures == 0)
        assert_true(status == STATUS_OK || status == STATUS_UNSUPPORTED);
    else
        assert_int_equal(status, STATUS_NO_MEMORY);
    buffer_release(&text);
}

static void test_memory_fails(void **state)
{
    (void)state;
    test_alloc_failures(scenario, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),    cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_positions), cmocka_unit_test(test_growth_is_bounded),
        cmocka_unit_test(test_limits),    cmocka_unit_test(test_memory_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

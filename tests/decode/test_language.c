/* test_language.c - single texts against single schemas; gaps, forced text, closings, budgets. */
#include "base/features.h"

#include "fixture.h"

struct text_case {
    const char *schema;
    const char *text;
    char verdict; /* 'c' complete, 'p' prefix, 'r' refused */
};

static const struct text_case cases[] = {
    /* order of members, optional ones, closed objects */
    { "{\"properties\":{\"a\":{\"type\":\"null\"},\"b\":{\"type\":\"null\"}},\"type\":\"object\"}",
      "{}", 'c' },
    { "{\"properties\":{\"a\":{\"type\":\"null\"},\"b\":{\"type\":\"null\"}},\"type\":\"object\"}",
      "{\"a\":null,\"b\":null}", 'c' },
    { "{\"properties\":{\"a\":{\"type\":\"null\"},\"b\":{\"type\":\"null\"}},\"type\":\"object\"}",
      "{\"b\":null}", 'c' },
    { "{\"properties\":{\"a\":{\"type\":\"null\"},\"b\":{\"type\":\"null\"}},\"type\":\"object\"}",
      "{\"b\":null,", 'r' },
    { "{\"properties\":{\"a\":{\"type\":\"null\"},\"b\":{\"type\":\"null\"}},\"type\":\"object\"}",
      "{ ", 'r' },
    { "{\"properties\":{\"a\":{\"type\":\"null\"},\"b\":{\"type\":\"null\"}},\"type\":\"object\"}",
      "{\"c", 'r' },
    { "{\"type\":\"object\",\"required\":[\"z\"],\"properties\":{\"a\":{\"type\":\"null\"}}}",
      "{\"a\":null}", 'r' },
    { "{\"type\":\"object\",\"required\":[\"z\"],\"properties\":{\"a\":{\"type\":\"null\"}}}",
      "{\"a\":null,\"z\":1}", 'c' },
    { "{\"type\":\"object\",\"required\":[\"z\"],\"properties\":{\"a\":{\"type\":\"null\"}}}",
      "{\"z\":1}", 'c' },
    /* maps */
    { "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"}}",
      "{\"any\":1,\"other\":2}", 'c' },
    { "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"}}", "{\"any\":1,\"any\"",
      'r' },
    { "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"}}", "{\"any\":\"", 'r' },
    /* strings */
    { "{\"type\":\"string\",\"maxLength\":3}", "\"abc\"", 'c' },
    { "{\"type\":\"string\",\"maxLength\":3}", "\"abcd", 'r' },
    { "{\"type\":\"string\",\"maxLength\":3}", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"", 'c' },
    { "{\"type\":\"string\",\"minLength\":2}", "\"\xc3\xa9\"", 'r' },
    { "{\"type\":\"string\"}", "\"\xc3", 'p' },
    { "{\"type\":\"string\"}", "\"\xc3\"", 'r' },
    { "{\"type\":\"string\"}", "\"\xc0\x80", 'r' },
    { "{\"type\":\"string\"}", "\"\xed\xa0", 'r' },
    { "{\"type\":\"string\"}", "\"\xf4\x90", 'r' },
    { "{\"type\":\"string\"}", "\"a\nb", 'r' },
    { "{\"type\":\"string\"}", "\"a\\n\\u0001b\\/\\\"\\\\\"", 'c' },
    { "{\"type\":\"string\"}", "\"\\u00e", 'r' },
    { "{\"type\":\"string\"}", "\"a  b\"", 'c' },
    { "{\"type\":\"string\"}", "\"a   ", 'r' },
    { "{\"type\":\"string\"}", "\" \"", 'r' },
    { "{\"type\":\"string\",\"maxLength\":1}", "\" ", 'r' },
    { "{\"type\":\"string\"}", "\"\"", 'c' },
    /* numbers */
    { "{\"type\":\"integer\"}", "-0", 'r' },
    { "{\"type\":\"integer\"}", "01", 'r' },
    { "{\"type\":\"integer\"}", "1.0", 'r' },
    { "{\"type\":\"integer\"}", "1e3", 'r' },
    { "{\"type\":\"integer\",\"minimum\":20,\"maximum\":29}", "1", 'r' },
    { "{\"type\":\"integer\",\"minimum\":20,\"maximum\":29}", "2", 'p' },
    { "{\"type\":\"integer\",\"minimum\":20,\"maximum\":29}", "23", 'c' },
    { "{\"type\":\"integer\",\"minimum\":20,\"maximum\":29}", "230", 'r' },
    { "{\"type\":\"number\",\"exclusiveMinimum\":0,\"maximum\":0.5}", "0", 'p' },
    { "{\"type\":\"number\",\"exclusiveMinimum\":0,\"maximum\":0.5}", "0.5", 'c' },
    { "{\"type\":\"number\",\"exclusiveMinimum\":0,\"maximum\":0.5}", "0.51", 'r' },
    { "{\"type\":\"number\",\"multipleOf\":0.01}", "1.25", 'c' },
    { "{\"type\":\"number\",\"multipleOf\":0.01}", "1.250", 'r' },
    { "{\"type\":\"number\",\"multipleOf\":7,\"minimum\":1,\"maximum\":20}", "14", 'c' },
    { "{\"type\":\"number\",\"multipleOf\":7,\"minimum\":1,\"maximum\":20}", "2", 'r' },
    { "{\"type\":\"number\"}", "1.1234567", 'r' },
    { "{\"type\":\"integer\",\"minimum\":100000000000000000000}", "100000000000000000001", 'c' },
    { "{\"type\":\"integer\",\"maximum\":-3}", "-", 'p' },
    { "{\"type\":\"integer\",\"maximum\":-3}", "-2", 'p' },
    { "{\"type\":\"integer\",\"maximum\":-3,\"minimum\":-9}", "-2", 'r' },
    /* literals */
    { "{\"enum\":[1,12,\"a\",null]}", "1", 'c' },
    { "{\"enum\":[1,12,\"a\",null]}", "12", 'c' },
    { "{\"enum\":[1,12,\"a\",null]}", "2", 'r' },
    { "{\"enum\":[1,12,\"a\",null]}", "nul", 'p' },
    { "{\"enum\":[1,2,3,4],\"minimum\":3}", "2", 'r' },
    { "{\"const\":{\"b\":[1],\"a\":2}}", "{\"b\":[1],\"a\":2}", 'c' },
    /* arrays */
    { "{\"type\":\"array\",\"items\":{\"enum\":[1,12]},\"uniqueItems\":true}", "[1,12]", 'c' },
    { "{\"type\":\"array\",\"items\":{\"enum\":[1,12]},\"uniqueItems\":true}", "[1,12,", 'r' },
    { "{\"type\":\"array\",\"items\":{\"enum\":[1,12]},\"uniqueItems\":true}", "[1,1,", 'r' },
    { "{\"type\":\"array\",\"items\":{\"type\":\"string\",\"maxLength\":1},\"uniqueItems\":true}",
      "[\"a\",\"a", 'r' },
    { "{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"uniqueItems\":true}", "[\"/\",\"\\/\"",
      'r' },
    { "{\"type\":\"array\",\"items\":{\"type\":\"number\"},\"uniqueItems\":true}", "[1,1.0,", 'r' },
    { "{\"type\":\"array\",\"items\":{\"type\":\"integer\"},\"minItems\":1,\"maxItems\":2}", "[]",
      'r' },
    { "{\"type\":\"array\",\"items\":{\"type\":\"integer\"},\"minItems\":1,\"maxItems\":2}",
      "[1,2,", 'r' },
    { "{\"type\":\"array\",\"prefixItems\":[{\"type\":\"null\"},{\"type\":\"boolean\"}]}",
      "[null,true]", 'c' },
    { "{\"type\":\"array\",\"prefixItems\":[{\"type\":\"null\"},{\"type\":\"boolean\"}]}",
      "[null,null", 'r' },
    /* formats */
    { "{\"type\":\"string\",\"format\":\"date\"}", "\"2024-02-29\"", 'c' },
    { "{\"type\":\"string\",\"format\":\"date\"}", "\"2023-02-29", 'r' },
    { "{\"type\":\"string\",\"format\":\"date\"}", "\"2023-13", 'r' },
    { "{\"type\":\"string\",\"format\":\"date-time\"}", "\"2024-02-29T23:59:59.5+02:00\"", 'c' },
    { "{\"type\":\"string\",\"format\":\"time\"}", "\"24", 'r' },
    { "{\"type\":\"string\",\"format\":\"uuid\"}", "\"123e4567-e89b-12d3-a456-426614174000\"",
      'c' },
    { "{\"type\":\"string\",\"format\":\"ipv4\"}", "\"256", 'r' },
    { "{\"type\":\"string\",\"format\":\"ipv4\"}", "\"1.2.3.4\"", 'c' },
    { "{\"type\":\"string\",\"format\":\"ipv6\"}", "\"fe80::1:2\"", 'c' },
    { "{\"type\":\"string\",\"format\":\"email\"}", "\"a.b+c@x-y.example\"", 'c' },
    { "{\"type\":\"string\",\"format\":\"email\"}", "\"a..", 'r' },
    { "{\"type\":\"string\",\"format\":\"uri\"}", "\"https://example.com:80/a%20b?q=1#f\"", 'c' },
    { "{\"type\":\"string\",\"format\":\"uri\"}", "\"https://exa mple", 'r' },
    { "{\"type\":\"string\",\"format\":\"duration\"}", "\"P1Y2M3DT4H\"", 'c' },
    { "{\"type\":\"string\",\"format\":\"duration\"}", "\"P1Y2D", 'r' },
    /* alternatives, conjunctions, conditions */
    { "{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"string\",\"maxLength\":2}],\"not\":{\"type\":"
      "\"null\"}}",
      "\"ab\"", 'c' },
    { "{\"allOf\":[{\"minimum\":3},{\"maximum\":4}],\"type\":\"integer\"}", "5", 'r' },
    { "{\"allOf\":[{\"properties\":{\"a\":{\"type\":\"integer\"}}},{\"properties\":{\"a\":{"
      "\"maximum\":4}}}],"
      "\"type\":\"object\"}",
      "{\"a\":5", 'r' },
    { "{\"type\":\"object\",\"properties\":{\"k\":{\"enum\":[\"x\",\"y\"]},\"v\":{\"type\":"
      "\"integer\"}},\"if\":{"
      "\"properties\":{\"k\":{\"const\":\"x\"}},\"required\":[\"k\"]},\"then\":{\"required\":["
      "\"v\"]}}",
      "{\"k\":\"x\"}", 'r' },
    { "{\"type\":\"object\",\"properties\":{\"k\":{\"enum\":[\"x\",\"y\"]},\"v\":{\"type\":"
      "\"integer\"}},\"if\":{"
      "\"properties\":{\"k\":{\"const\":\"x\"}},\"required\":[\"k\"]},\"then\":{\"required\":["
      "\"v\"]}}",
      "{\"k\":\"y\"}", 'c' },
    { "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"null\"},\"b\":{\"type\":\"null\"}},"
      "\"dependentRequired\":{"
      "\"a\":[\"b\"]}}",
      "{\"a\":null}", 'r' },
    { "{\"oneOf\":[{\"type\":\"object\",\"properties\":{\"t\":{\"const\":1},\"x\":{\"type\":"
      "\"null\"}},\"required\":[\"t\","
      "\"x\"]},{\"type\":\"object\",\"properties\":{\"t\":{\"const\":2}},\"required\":[\"t\"]}]}",
      "{\"t\":2}", 'c' },
    { "{\"oneOf\":[{\"type\":\"object\",\"properties\":{\"t\":{\"const\":1},\"x\":{\"type\":"
      "\"null\"}},\"required\":[\"t\","
      "\"x\"]},{\"type\":\"object\",\"properties\":{\"t\":{\"const\":2}},\"required\":[\"t\"]}]}",
      "{\"t\":1}", 'r' },
    { "{\"type\":\"object\",\"properties\":{\"n\":{\"$ref\":\"#\"}}}", "{\"n\":{\"n\":{}}}", 'c' },
};

static void test_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture fixture;
        fixture_init(&fixture, cases[i].schema, NULL, NULL);
        char verdict = fixture_verdict(&fixture, cases[i].text);
        if (verdict != cases[i].verdict)
            fail_msg("%s\n%s: expected %c, got %c", cases[i].schema, cases[i].text,
                     cases[i].verdict, verdict);
        fixture_release(&fixture);
    }
}

static void test_need(void **state)
{
    (void)state;
    struct fixture fixture;
    struct decode_options options = { .need_name = STR("_need") };
    fixture_init(&fixture,
                 "{\"type\":\"object\",\"properties\":{\"n\":{\"anyOf\":[{\"type\":\"null\"},"
                 "{\"$ref\":\"#\"}]}},\"required\":[\"n\"]}",
                 NULL, &options);
    assert_int_equal(fixture_verdict(&fixture, "{\"_need\":\"the year\"}"), 'c');
    assert_int_equal(fixture_verdict(&fixture, "{\"_need\":\"\"}"), 'r');
    assert_int_equal(fixture_verdict(&fixture, "{\"_need\":1"), 'r');
    assert_int_equal(fixture_verdict(&fixture, "{\"n\":{\"_need\""), 'r');
    fixture_release(&fixture);
}

struct gap_case {
    const char *schema, *gaps;
};

static void test_gaps(void **state)
{
    static const struct gap_case gaps[] = {
        { "{\"type\":\"string\",\"maxLength\":3}", "" },
        { "{\"type\":\"array\",\"contains\":{\"type\":\"null\"}}", "/contains\n" },
        { "{\"type\":\"object\",\"properties\":{\"a/"
          "b\":{\"type\":\"string\",\"not\":{\"minLength\":3}}}}",
          "/properties/a~1b/not\n" },
        { "{\"oneOf\":[{\"type\":\"string\",\"maxLength\":3},{\"type\":\"string\",\"minLength\":2}]"
          "}",
          "/oneOf\n" },
        { "{\"oneOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}", "" },
        { "{\"type\":\"array\",\"uniqueItems\":true,\"items\":{\"type\":\"array\"}}",
          "/uniqueItems\n" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof gaps / sizeof gaps[0]; i++) {
        struct fixture fixture;
        fixture_init(&fixture, gaps[i].schema, NULL, NULL);
        struct str found = decode_language_gaps(fixture.language);
        if (!str_equal(found, str_from(gaps[i].gaps)))
            fail_msg("%s: gaps %.*s", gaps[i].schema, (int)found.len, found.ptr);
        fixture_release(&fixture);
    }
}

static void test_endless(void **state)
{
    static const char *const schemas[][2] = {
        { "false", "" },
        { "{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#\"}},\"required\":[\"a\"]}",
          "/properties/a" },
        { "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\",\"minimum\":3,"
          "\"maximum\":2}},"
          "\"required\":[\"a\"]}",
          "/properties/a" },
        { "{\"type\":\"array\",\"items\":{\"enum\":[1,2]},\"uniqueItems\":true,\"minItems\":3}",
          "" },
        { "{\"type\":\"string\",\"minLength\":100000000}", "" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof schemas / sizeof schemas[0]; i++) {
        struct schema_program *program = NULL;
        struct decode_language *language = NULL;
        struct error error;
        error_clear(&error);
        assert_int_equal(
            schema_compile_text(str_from(schemas[i][0]), NULL, alloc_default(), &program, &error),
            STATUS_OK);
        assert_int_equal(decode_language_new(program, NULL, alloc_default(), &language, &error),
                         STATUS_UNSUPPORTED);
        assert_true(error.has_pointer);
        assert_string_equal(error.pointer, schemas[i][1]);
        schema_program_free(program);
    }
}

static void test_forced_and_closing(void **state)
{
    (void)state;
    struct fixture fixture;
    struct buffer out;
    buffer_init(&out, alloc_default(), 4096);
    fixture_init(
        &fixture,
        "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"minLength\":1},"
        "\"when\":{\"type\":\"string\",\"format\":\"date\"},\"n\":{\"type\":\"integer\"}},"
        "\"required\":[\"name\",\"when\"]}",
        NULL, NULL);
    decode_state_forced(fixture.state, &out);
    assert_string_equal(out.ptr, "{\"name\":\"");
    buffer_clear(&out);
    assert_int_equal(decode_state_closing_bytes(fixture.state),
                     strlen("{\"name\":\"x\",\"when\":\"0000-01-01\"}"));
    assert_int_equal(fixture_verdict(&fixture, "{\"name\":\"Jo\",\"wh"), 'p');
    decode_state_closing(fixture.state, &out);
    assert_string_equal(out.ptr, "en\":\"0000-01-01\"}");
    assert_int_equal(decode_state_closing_bytes(fixture.state), out.len);
    assert_true(decode_state_admits(fixture.state, STR("e"), out.len - 1, fixture.scratch));
    assert_false(decode_state_admits(fixture.state, STR("e"), out.len - 2, fixture.scratch));
    assert_false(decode_state_admits(fixture.state, STR("x"), 1000, fixture.scratch));
    buffer_clear(&out);
    assert_int_equal(fixture_verdict(&fixture, "{\"name\":\"Jo\",\"when\":\"2024-02"), 'p');
    decode_state_forced(fixture.state, &out);
    assert_string_equal(out.ptr, "-");
    buffer_release(&out);
    fixture_release(&fixture);
}

/* Names of free members differ in the closing text too, however short they have to be. */
static void test_closing_differs(void **state)
{
    (void)state;
    struct fixture fixture;
    struct buffer out;
    buffer_init(&out, alloc_default(), 4096);
    fixture_init(&fixture,
                 "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"null\"},"
                 "\"propertyNames\":{\"maxLength\":1},\"minProperties\":3}",
                 NULL, NULL);
    decode_state_closing(fixture.state, &out);
    assert_int_equal(fixture_verdict(&fixture, out.ptr), 'c');
    buffer_clear(&out);
    assert_int_equal(fixture_verdict(&fixture, "{\"x\":null,\"a\":nu"), 'p');
    decode_state_closing(fixture.state, &out);
    assert_string_equal(out.ptr, "ll,\"b\":null}");
    buffer_release(&out);
    fixture_release(&fixture);
}

static void test_at(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture,
                 "{\"type\":\"object\",\"properties\":{\"s\":{\"type\":\"string\"},\"n\":{\"type\":"
                 "\"number\"}},"
                 "\"required\":[\"s\",\"n\"]}",
                 NULL, NULL);
    static const struct {
        const char *text;
        enum decode_at at;
    } at[] = {
        { "{\"s", DECODE_AT_STRUCTURE },
        { "{\"s\":", DECODE_AT_STRING_START },
        { "{\"s\":\"", DECODE_AT_STRING_START },
        { "{\"s\":\"a", DECODE_AT_STRING },
        { "{\"s\":\"a\",\"n\":", DECODE_AT_NUMBER_START },
        { "{\"s\":\"a\",\"n\":1", DECODE_AT_NUMBER },
        { "{\"s\":\"a\",\"n\":1}", DECODE_AT_END },
    };
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        fixture_verdict(&fixture, at[i].text);
        assert_int_equal(decode_state_at(fixture.state), at[i].at);
    }
    fixture_verdict(&fixture, "{\"s\":\"a");
    uint32_t node = decode_state_node(fixture.state);
    assert_true(node < fixture.program->node_count);
    assert_true(str_equal(json_member_name(fixture.program->nodes[node].schema), STR("s")));
    fixture_release(&fixture);
}

/* Deep recursion ends at the depth of the language, long before the memory of a state. */
static void test_depth(void **state)
{
    (void)state;
    struct fixture fixture;
    struct buffer text;
    buffer_init(&text, alloc_default(), 4096);
    fixture_init(&fixture, "{\"type\":\"array\",\"items\":{\"$ref\":\"#\"}}", NULL, NULL);
    unsigned depth = 0;
    while (depth < 1000 && decode_state_feed(fixture.state, STR("[")))
        depth++;
    assert_true(depth >= 40 && depth <= 64);
    fixture_verdict(&fixture, "[[[");
    decode_state_closing(fixture.state, &text);
    assert_string_equal(text.ptr, "]]]");
    buffer_release(&text);
    fixture_release(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_need),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_endless),
        cmocka_unit_test(test_forced_and_closing),
        cmocka_unit_test(test_at),
        cmocka_unit_test(test_closing_differs),
        cmocka_unit_test(test_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

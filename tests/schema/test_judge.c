/* test_judge.c - what only the general machine knows: which members and items are evaluated, where
 * dynamic references lead, content in strings, and the limits of all that.
 */
#include "base/features.h"

#include "schema_test.h"

#include "base/limits.h"
#include "schema/judge.h"
#include "schema/output.h"

static const char d2020[] = "https://json-schema.org/draft/2020-12/schema";
static const char d2019[] = "https://json-schema.org/draft/2019-09/schema";
static const char d7[] = "http://json-schema.org/draft-07/schema#";
static const char d4[] = "http://json-schema.org/draft-04/schema#";

static struct schema_program *compile_as(const char *schema, const char *dialect)
{
    const struct schema_options options = { .dialect = str_from(dialect) };
    struct schema_program *program = NULL;
    struct error error;
    error_clear(&error);
    if (schema_compile_text(str_from(schema), &options, alloc_default(), &program, &error) !=
        STATUS_OK)
        fail_msg("%s: %s at %s", schema, error.message, error.pointer);
    return program;
}

static const struct row {
    const char *dialect;
    const char *schema;
    const char *valid; /* instances, one a line */
    const char *invalid;
} rows[] = {
    /* Instructions on one value, which the quick path takes from the judge otherwise. */
    { d2020, "{\"type\":[\"integer\",\"null\"]}", "1\n1.0\nnull\n1e3", "1.5\n\"1\"\n[]\ntrue" },
    { d2020, "{\"enum\":[1,\"a\",[1,{\"b\":2}],null]}", "1.0\n\"a\"\n[1.0,{\"b\":2}]\nnull",
      "2\n\"b\"\n[1]\nfalse" },
    { d2020, "{\"enum\":[0,1,2,3,4,5,6,7,8,9,\"x\",[1],{\"a\":1}]}",
      "9\n\"x\"\n[1]\n{\"a\":1}\n3.0", "10\n\"y\"\n[2]\n{\"a\":2}\ntrue" },
    { d2020, "{\"minimum\":1,\"exclusiveMaximum\":2.5}", "1\n2.4\n\"x\"", "0.9\n2.5" },
    { d2020, "{\"exclusiveMinimum\":1,\"maximum\":2.5}", "1.1\n2.5", "1\n2.51" },
    { d2020, "{\"multipleOf\":0.01}", "19.99\n0\n1e400\n\"x\"", "0.001" },
    { d2020, "{\"minLength\":3,\"maxLength\":4}", "\"abc\"\n\"éééé\"\n\"a\\u00e9b\"\n1",
      "\"ab\"\n\"éé\"\n\"ééééé\"\n\"abcdefghijklmnopqrstuvwxyz\"" },
    { d2020, "{\"pattern\":\"^a+$\"}", "\"aa\"\n1", "\"b\"\n\"\"" },
    { d2020, "{\"minItems\":1,\"maxItems\":2,\"minProperties\":1,\"maxProperties\":2}",
      "[1]\n{\"a\":1}\n\"x\"", "[]\n[1,2,3]\n{}\n{\"a\":1,\"b\":2,\"c\":3}" },
    { d2020, "{\"uniqueItems\":true}",
      "[]\n[1,2,\"1\",[1],{\"a\":1}]\n[1,2,3,4,5,6,7,8,9,10]\n[0,false,null,\"\",[],{},1,2,3]",
      "[1,1.0]\n[{\"a\":1,\"b\":2},{\"b\":2,\"a\":1}]\n[1,2,3,4,5,6,7,8,9,1e0]\n"
      "[[0],[1],[2],[3],[4],[5],[6],[7],[8],[0.0]]" },
    { d2020, "{\"dependentRequired\":{\"a\":[\"b\",\"c\"],\"d\":[]}}",
      "{}\n{\"a\":1,\"b\":1,\"c\":1}\n{\"b\":1}\n{\"d\":1}", "{\"a\":1}\n{\"a\":1,\"b\":1}" },
    /* Evaluated by keywords of the schema itself. */
    { d2020, "{\"properties\":{\"a\":true},\"unevaluatedProperties\":false}", "{}\n{\"a\":1}\n[1]",
      "{\"b\":1}\n{\"a\":1,\"b\":1}" },
    { d2020, "{\"additionalProperties\":{\"type\":\"integer\"},\"unevaluatedProperties\":false}",
      "{\"a\":1,\"b\":2}", "{\"a\":\"x\"}" },
    { d2020, "{\"patternProperties\":{\"^a\":true},\"unevaluatedProperties\":{\"minimum\":3}}",
      "{\"ab\":1,\"b\":3}", "{\"ab\":1,\"b\":2}" },
    /* By subschemas in the same place that are valid, all of them. */
    { d2020,
      "{\"anyOf\":[{\"properties\":{\"a\":{\"type\":\"null\"}},\"required\":[\"a\"]},"
      "{\"properties\":{\"b\":{\"type\":\"null\"}},\"required\":[\"b\"]}],"
      "\"unevaluatedProperties\":false}",
      "{\"a\":null}\n{\"b\":null}\n{\"a\":null,\"b\":null}",
      "{\"a\":null,\"b\":1}\n{\"a\":null,\"c\":1}" },
    { d2020,
      "{\"oneOf\":[{\"required\":[\"a\"],\"properties\":{\"a\":true}},{\"required\":[\"b\"],"
      "\"properties\":{\"b\":true}}],\"unevaluatedProperties\":false}",
      "{\"a\":1}\n{\"b\":1}", "{\"a\":1,\"b\":1}\n{\"a\":1,\"c\":1}" },
    { d2020,
      "{\"if\":{\"properties\":{\"k\":{\"const\":1}},\"required\":[\"k\"]},\"then\":{\"properties\""
      ":{\"x\":true}},\"else\":{\"properties\":{\"y\":true}},\"unevaluatedProperties\":false}",
      "{\"k\":1,\"x\":1}\n{\"y\":1}", "{\"k\":1,\"y\":1}\n{\"k\":2,\"y\":1}\n{\"x\":1}" },
    { d2020, "{\"if\":{\"properties\":{\"k\":true}},\"unevaluatedProperties\":false}", "{\"k\":1}",
      "{\"l\":1}" },
    { d2020,
      "{\"dependentSchemas\":{\"a\":{\"properties\":{\"b\":true}}},\"properties\":{\"a\":true},"
      "\"unevaluatedProperties\":false}",
      "{\"a\":1,\"b\":1}\n{\"a\":1}", "{\"b\":1}" },
    { d2020, "{\"not\":{\"not\":{\"properties\":{\"a\":true}}},\"unevaluatedProperties\":false}",
      "{}", "{\"a\":1}" },
    { d2020,
      "{\"$ref\":\"#/$defs/o\",\"unevaluatedProperties\":false,\"$defs\":{\"o\":{\"allOf\":[{"
      "\"properties\":{\"a\":true}},{\"properties\":{\"b\":true}}]}}}",
      "{\"a\":1,\"b\":1}", "{\"a\":1,\"b\":1,\"c\":1}" },
    /* A subschema that has taken the rest leaves nothing; one beside it sees nothing of it. */
    { d2020, "{\"allOf\":[{\"unevaluatedProperties\":true}],\"unevaluatedProperties\":false}",
      "{\"a\":1}", "" },
    { d2020, "{\"allOf\":[{\"properties\":{\"a\":true}},{\"unevaluatedProperties\":false}]}", "{}",
      "{\"a\":1}" },
    /* Nested values have marks of their own. */
    { d2020,
      "{\"properties\":{\"a\":{\"$ref\":\"#\"}},\"anyOf\":[{\"properties\":{\"b\":true}},{}],"
      "\"unevaluatedProperties\":false}",
      "{\"a\":{\"a\":{\"b\":1},\"b\":2},\"b\":3}", "{\"a\":{\"a\":{\"c\":1}}}" },
    /* Items. */
    { d2020, "{\"prefixItems\":[true],\"unevaluatedItems\":false}", "[]\n[1]\n{\"a\":1}", "[1,2]" },
    { d2020, "{\"items\":true,\"unevaluatedItems\":false}", "[1,2,3]", "" },
    { d2020,
      "{\"allOf\":[{\"prefixItems\":[true]},{\"prefixItems\":[true,true]}],\"unevaluatedItems\":{"
      "\"type\":\"null\"}}",
      "[1,2,null]", "[1,2,3]" },
    { d2020, "{\"contains\":{\"type\":\"string\"},\"unevaluatedItems\":{\"type\":\"integer\"}}",
      "[1,\"a\",2,\"b\"]", "[1,\"a\",null]\n[1]" },
    { d2019, "{\"contains\":{\"type\":\"string\"},\"unevaluatedItems\":{\"type\":\"integer\"}}", "",
      "[1,\"a\",2]" },
    { d2019,
      "{\"items\":[true],\"anyOf\":[{\"items\":[true,{\"const\":1}]},{}],\"unevaluatedItems\":"
      "false}",
      "[0]\n[0,1]", "[0,2]\n[0,1,2]" },
    { d2019, "{\"items\":[true],\"additionalItems\":true,\"unevaluatedItems\":false}", "[1,2]",
      "" },
    /* The same keywords in a long run, where verdicts are remembered. */
    { d2020,
      "{\"allOf\":[{\"$ref\":\"#/$defs/a\"},{\"$ref\":\"#/$defs/a\"}],\"unevaluatedProperties\":"
      "false,\"$defs\":{\"a\":{\"anyOf\":[{\"$ref\":\"#/$defs/b\"},{\"$ref\":\"#/$defs/c\"}]},"
      "\"b\":{\"properties\":{\"b\":{\"const\":1}}},\"c\":{\"properties\":{\"c\":{\"const\":1}}}}}",
      "{\"b\":1,\"c\":1}\n{\"b\":1}", "{\"b\":2,\"c\":1}\n{\"d\":1}" },
    /* Where dynamic references lead: the outermost resource that has the anchor. */
    { d2020,
      "{\"$id\":\"https://a.example/list\",\"$ref\":\"base\",\"$defs\":{\"item\":{"
      "\"$dynamicAnchor\":\"item\",\"type\":\"integer\"},\"base\":{\"$id\":\"base\",\"items\":{"
      "\"$dynamicRef\":\"#item\"},\"$defs\":{\"any\":{\"$dynamicAnchor\":\"item\"}}}}}",
      "[1,2]", "[\"a\"]" },
    { d2020,
      "{\"$id\":\"https://a.example/list\",\"$ref\":\"base\",\"$defs\":{\"item\":{\"$anchor\":"
      "\"item\",\"type\":\"integer\"},\"base\":{\"$id\":\"base\",\"items\":{\"$dynamicRef\":"
      "\"#item\"},\"$defs\":{\"any\":{\"$dynamicAnchor\":\"item\"}}}}}",
      "[1,\"a\"]", "" },
    { d2020,
      "{\"$id\":\"https://a.example/both\",\"properties\":{\"n\":{\"$ref\":\"n\"},\"s\":{\"$ref\":"
      "\"s\"}},\"$defs\":{\"n\":{\"$id\":\"n\",\"$ref\":\"base\",\"$defs\":{\"i\":{"
      "\"$dynamicAnchor\":\"i\",\"type\":\"number\"}}},\"s\":{\"$id\":\"s\",\"$ref\":\"base\","
      "\"$defs\":{\"i\":{\"$dynamicAnchor\":\"i\",\"type\":\"string\"}}},\"base\":{\"$id\":"
      "\"base\",\"items\":{\"$dynamicRef\":\"#i\"},\"$defs\":{\"i\":{\"$dynamicAnchor\":\"i\"}}}}}",
      "{\"n\":[1],\"s\":[\"a\"]}", "{\"n\":[\"a\"]}\n{\"s\":[1]}\n{\"n\":[1],\"s\":[1]}" },
    /* The members that the target of a dynamic reference evaluates. */
    { d2020,
      "{\"$id\":\"https://a.example/strict\",\"$dynamicAnchor\":\"node\",\"$ref\":\"tree\","
      "\"unevaluatedProperties\":false,\"$defs\":{\"tree\":{\"$id\":\"tree\",\"$dynamicAnchor\":"
      "\"node\",\"properties\":{\"data\":true,\"kids\":{\"items\":{\"$dynamicRef\":\"#node\"}}}}}"
      "}",
      "{\"kids\":[{\"data\":1}]}", "{\"kids\":[{\"daat\":1}]}\n{\"data\":1,\"x\":1}" },
    { d2019,
      "{\"$id\":\"https://a.example/strict\",\"$recursiveAnchor\":true,\"$ref\":\"tree\","
      "\"unevaluatedProperties\":false,\"$defs\":{\"tree\":{\"$id\":\"tree\",\"$recursiveAnchor\":"
      "true,\"properties\":{\"data\":true,\"kids\":{\"items\":{\"$recursiveRef\":\"#\"}}}}}}",
      "{\"kids\":[{\"data\":1}]}", "{\"kids\":[{\"daat\":1}]}" },
    { d2019,
      "{\"$id\":\"https://a.example/loose\",\"$ref\":\"tree\",\"unevaluatedProperties\":false,"
      "\"$defs\":{\"tree\":{\"$id\":\"tree\",\"$recursiveAnchor\":true,\"properties\":{\"kids\":{"
      "\"items\":{\"$recursiveRef\":\"#\"}}}}}}",
      "{\"kids\":[{\"daat\":1}]}", "{\"daat\":1}" },
    /* Content is asserted by draft-07. */
    { d7, "{\"contentEncoding\":\"base64\"}",
      "\"\"\n\"YQ==\"\n\"YWI=\"\n\"YWJj\"\n\"+/+/\"\n1\n[\"?\"]",
      "\"YQ=\"\n\"YQ\"\n\"Y===\"\n\"=YQ=\"\n\"YR==\"\n\"YWJ=\"\n\"YQ==YQ==\"\n\"YW-_"
      "\"\n\"YWJj\\n\"" },
    { d7, "{\"contentMediaType\":\"application/json\"}", "\"[1]\"\n\"1\"\n\"{\\\"a\\\":1}\"",
      "\"\"\n\"{\"\n\"[1,]\"" },
    { d7, "{\"contentMediaType\":\"application/json\",\"contentEncoding\":\"base64\"}",
      "\"WzFd\"\n\"MQ==\"", "\"[1]\"\n\"Ww==\"\n\"WzFd=\"" },
    { d2020, "{\"contentMediaType\":\"application/json\",\"contentEncoding\":\"base64\"}", "\"?\"",
      "" },
    /* Draft-04 takes no number with a fraction or exponent for an integer. */
    { d4, "{\"type\":\"integer\"}", "1\n-0", "1.0\n1e2\n1.5" },
    { d4, "{\"type\":[\"integer\",\"number\"]}", "1\n1.0\n1.5", "null" },
    { d4, "{\"properties\":{\"a\":{\"type\":[\"integer\",\"null\"],\"minimum\":1}}}",
      "{\"a\":1}\n{\"a\":null}", "{\"a\":1.0}\n{\"a\":0}" },
};

/* The judge, the quick answer, the reasons and the trace. */
static void judge_line(const struct row *row, const struct schema_program *program, struct str line,
                       bool expected)
{
    struct json_doc *doc = parse_text(line);
    struct json root = json_doc_root(doc);
    struct schema_trace *trace = NULL;
    struct judge judge;
    judge_init(&judge, program, 0, alloc_default(), NULL);
    bool judged = judge_value(&judge, 0, root);
    judge_release(&judge);
    assert_int_equal(schema_trace_new(program, root, 0, alloc_default(), &trace, NULL), STATUS_OK);
    bool traced = schema_trace_is_valid(trace);
    if (judged != expected || traced != expected || judge_root(program, root) != expected)
        fail_msg("%s\n%.*s: judge %d, trace %d", row->schema, (int)line.len, line.ptr, judged,
                 traced);
    schema_trace_free(trace);
    json_doc_free(doc);
}

static void judge_lines(const struct row *row, const char *lines, bool expected)
{
    struct schema_program *program = compile_as(row->schema, row->dialect);
    while (*lines != '\0') {
        size_t len = strcspn(lines, "\n");
        judge_line(row, program, str_of(lines, len), expected);
        lines += len + (lines[len] == '\n');
    }
    schema_program_free(program);
}

static void judges(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        judge_lines(&rows[i], rows[i].valid, true);
        judge_lines(&rows[i], rows[i].invalid, false);
    }
}

/* However few the steps, the answer is the right one or none. */
static void never_guesses(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *lines = *rows[i].invalid == '\0' ? rows[i].valid : rows[i].invalid;
        bool expected = *rows[i].invalid == '\0';
        struct schema_program *program = compile_as(rows[i].schema, rows[i].dialect);
        struct json_doc *doc = parse_text(str_of(lines, strcspn(lines, "\n")));
        enum status status = STATUS_UNSUPPORTED;
        for (uint64_t steps = 1; status != STATUS_OK; steps++) {
            struct judge judge;
            judge_init(&judge, program, steps, alloc_default(), NULL);
            bool valid = judge_value(&judge, 0, json_doc_root(doc));
            status = judge.status;
            judge_release(&judge);
            assert_true(status == STATUS_OK || status == STATUS_UNSUPPORTED);
            assert_int_equal(valid, status == STATUS_OK && expected);
            assert_true(steps < 100000);
        }
        json_doc_free(doc);
        schema_program_free(program);
    }
}

static void names_evaluated_children(void **state)
{
    (void)state;
    static const struct {
        const char *schema;
        const char *instance;
        uint64_t bits;
    } cases[] = {
        { "{\"properties\":{\"b\":true},\"anyOf\":[{\"properties\":{\"a\":true}},{\"properties\":{"
          "\"c\":false}}],\"unevaluatedProperties\":true}",
          "{\"a\":1,\"b\":2,\"c\":3}", 3 },
        { "{\"properties\":{\"b\":true}}", "{\"a\":1,\"b\":2,\"c\":3}", 2 },
        { "{\"contains\":{\"const\":1},\"prefixItems\":[true]}", "[0,1,2,1]", 11 },
        { "{\"allOf\":[{\"unevaluatedItems\":true}]}", "[0,1,2]", 7 },
        { "{}", "[0]", 0 },
        { "{\"items\":true}", "0", 0 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct schema_program *program = compile_as(cases[i].schema, d2020);
        struct json_doc *doc = parse_text(str_from(cases[i].instance));
        uint64_t bits = 0;
        struct judge judge;
        judge_init(&judge, program, 0, alloc_default(), NULL);
        judge_evaluated(&judge, judge_enter(&judge, 0, 0), 0, json_doc_root(doc), &bits);
        assert_int_equal(judge.status, STATUS_OK);
        assert_int_equal(bits, cases[i].bits);
        judge_release(&judge);
        json_doc_free(doc);
        schema_program_free(program);
    }
}

/* More members than a word has bits. */
static void marks_many_children(void **state)
{
    (void)state;
    enum { MEMBERS = 1000 };
    struct buffer text;
    buffer_init(&text, alloc_default(), TEST_TEXT_BYTES);
    buffer_append_byte(&text, '{');
    for (unsigned i = 0; i < MEMBERS; i++)
        buffer_printf(&text, "\"%s%u\":0,", i == MEMBERS - 1 ? "z" : "k", i);
    buffer_append_str(&text, STR("\"last\":1}"));
    struct schema_program *wide = compile_as(
        "{\"patternProperties\":{\"^k\":true},\"unevaluatedProperties\":{\"const\":1}}", d2020);
    assert_false(judge_text(wide, text.ptr));
    *strstr(text.ptr, "z999") = 'k';
    assert_true(judge_text(wide, text.ptr));
    schema_program_free(wide);
    buffer_release(&text);
}

/* A reference that leads back in place only through what was entered: no compiler can know. */
static void stops_a_dynamic_loop(void **state)
{
    (void)state;
    struct schema_program *program = compile_as(
        "{\"$id\":\"https://a.example/a\",\"$dynamicAnchor\":\"x\",\"$ref\":\"b\",\"$defs\":{\"b\":"
        "{\"$id\":\"b\",\"$dynamicRef\":\"#x\",\"$defs\":{\"x\":{\"$dynamicAnchor\":\"x\"}}}}}",
        d2020);
    struct json_doc *doc = parse_text(STR("1"));
    struct schema_trace *trace = NULL;
    struct error error;
    bool valid = false;
    error_clear(&error);
    assert_int_equal(
        schema_is_valid(program, json_doc_root(doc), 0, alloc_default(), &valid, &error),
        STATUS_UNSUPPORTED);
    assert_string_equal(error.message,
                        "judging the instance needs more than 262144 schemas inside each other");
    error_clear(&error);
    assert_int_equal(
        schema_trace_new(program, json_doc_root(doc), 0, alloc_default(), &trace, &error),
        STATUS_UNSUPPORTED);
    json_doc_free(doc);
    schema_program_free(program);
}

/* Resources that may be entered in any order: what they mean counts, not how they were reached. */
static void knows_equal_scopes(void **state)
{
    (void)state;
    enum { RESOURCES = 8, DEPTH = 24 };
    struct buffer text;
    buffer_init(&text, alloc_default(), TEST_TEXT_BYTES);
    buffer_append_str(&text, STR("{\"$id\":\"https://a.example/all\",\"anyOf\":["));
    for (unsigned i = 0; i < RESOURCES; i++)
        buffer_printf(&text, "%s{\"$ref\":\"r%u\"}", i == 0 ? "" : ",", i);
    buffer_append_str(&text, STR("],\"$defs\":{"));
    for (unsigned i = 0; i < RESOURCES; i++)
        buffer_printf(&text,
                      "%s\"%u\":{\"$id\":\"r%u\",\"required\":[\"n\"],\"properties\":{\"n\":{"
                      "\"$ref\":\"all\"},\"d\":{\"$dynamicRef\":\"#x%u\"}},\"$defs\":{\"x\":{"
                      "\"$dynamicAnchor\":\"x%u\"}}}",
                      i == 0 ? "" : ",", i, i, i, i);
    buffer_append_str(&text, STR("}}"));
    struct schema_program *program = compile_as(text.ptr, d2020);
    buffer_clear(&text);
    for (unsigned i = 0; i < DEPTH; i++)
        buffer_append_str(&text, STR("{\"d\":1,\"n\":"));
    buffer_append_str(&text, STR("{}"));
    for (unsigned i = 0; i < DEPTH; i++)
        buffer_append_byte(&text, '}');
    struct json_doc *doc = parse_text(buffer_view(&text));
    struct judge judge;
    judge_init(&judge, program, 0, alloc_default(), NULL);
    assert_false(judge_value(&judge, 0, json_doc_root(doc)));
    assert_int_equal(judge.status, STATUS_OK);
    assert_true(judge.scope_count <= 1 << RESOURCES);
    assert_true(judge.steps_max - judge.steps < 2000000);
    judge_release(&judge);
    json_doc_free(doc);
    schema_program_free(program);
    buffer_release(&text);
}

static bool is_even(void *state, struct str text)
{
    ++*(unsigned *)state;
    return text.len % 2 == 0;
}

static void asks_custom_formats(void **state)
{
    (void)state;
    unsigned calls = 0;
    const struct schema_custom_format format = { STR("even"), is_even, &calls };
    const struct schema_options options = { .format_asserts = true,
                                            .formats = &format,
                                            .format_count = 1 };
    struct schema_program *program = NULL;
    assert_int_equal(schema_compile_text(STR("{\"format\":\"even\"}"), &options, alloc_default(),
                                         &program, NULL),
                     STATUS_OK);
    assert_true(judge_text(program, "\"ab\""));
    assert_true(judge_text(program, "1"));
    assert_true(calls > 0);
    assert_false(judge_text(program, "\"abc\""));
    schema_program_free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judges),
        cmocka_unit_test(never_guesses),
        cmocka_unit_test(names_evaluated_children),
        cmocka_unit_test(marks_many_children),
        cmocka_unit_test(stops_a_dynamic_loop),
        cmocka_unit_test(knows_equal_scopes),
        cmocka_unit_test(asks_custom_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

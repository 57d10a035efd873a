/* test_violations.c - what is said about an invalid instance: one sentence a fault, at the right
 * place, about the alternative that was meant.
 */
#include "base/features.h"

#include "schema_test.h"

/* One line a violation: pointer, keyword, schema pointer, limit, message, hint. */
static const struct row {
    const char *schema;
    const char *instance;
    const char *expected;
} rows[] = {
    { "{\"maximum\":5}", "7", "|maximum|/maximum|5|value must be ≤ 5|\n" },
    { "{\"minimum\":1.50}", "1", "|minimum|/minimum|1.50|value must be ≥ 1.50|\n" },
    { "{\"exclusiveMinimum\":0}", "0",
      "|exclusiveMinimum|/exclusiveMinimum|0|value must be > 0|\n" },
    { "{\"exclusiveMaximum\":9}", "9",
      "|exclusiveMaximum|/exclusiveMaximum|9|value must be < 9|\n" },
    { "{\"multipleOf\":0.01}", "0.001",
      "|multipleOf|/multipleOf|0.01|value must be a multiple of 0.01|\n" },
    { "{\"type\":\"string\"}", "1", "|type|/type|\"string\"|value must be a string|\n" },
    { "{\"type\":\"integer\"}", "1.5", "|type|/type|\"integer\"|value must be an integer|\n" },
    { "{\"type\":\"number\"}", "\"12\"",
      "|type|/type|\"number\"|value must be a number|write the number without quotes\n" },
    { "{\"type\":\"boolean\"}", "\"true\"",
      "|type|/type|\"boolean\"|value must be true or false|write true or false without quotes\n" },
    { "{\"type\":[\"string\",\"null\",\"array\"]}", "1",
      "|type|/type|[\"string\",\"null\",\"array\"]|value must be an array, a string or null|\n" },
    { "{\"minLength\":1}", "\"\"", "|minLength|/minLength|1|length must be ≥ 1 character|\n" },
    { "{\"maxLength\":2}", "\"abc\"", "|maxLength|/maxLength|2|length must be ≤ 2 characters|\n" },
    { "{\"pattern\":\"^a+$\"}", "\"b\"",
      "|pattern|/pattern|\"^a+$\"|value must match pattern \"^a+$\"|\n" },
    { "{\"patternProperties\":{\"^n\":{\"maximum\":1}}}", "{\"n/a\":2,\"b\":2}",
      "/n~1a|maximum|/patternProperties/^n/maximum|1|value must be ≤ 1|\n" },
    { "{\"propertyNames\":{\"pattern\":\"^a\"}}", "{\"b\":1}",
      "/b|pattern|/propertyNames/pattern|\"^a\"|member name must match pattern \"^a\"|\n" },
    { "{\"format\":\"date-time\"}", "\"now\"",
      "|format|/format|\"date-time\"|value must match format \"date-time\"|\n" },
    { "{\"enum\":[\"red\",\"green\"]}", "\"gren\"",
      "|enum|/enum|[\"red\",\"green\"]|value must be one of \"red\", \"green\"|did you mean "
      "\"green\"?\n" },
    { "{\"type\":\"string\",\"enum\":[\"a\"]}", "1", "|enum|/enum|[\"a\"]|value must be \"a\"|\n" },
    { "{\"enum\":[1,2,3,4,5,6,7,8,9]}", "0",
      "|enum|/enum|[1,2,3,4,5,6,7,8,9]|value must be one of 9 listed values|\n" },
    { "{\"const\":{\"a\":1}}", "1", "|const|/const|{\"a\":1}|value must be {\"a\":1}|\n" },
    { "false", "1", "|false|||no value is allowed here|\n" },
    { "{\"not\":{\"type\":\"null\"}}", "null", "|not|/not||value must not be null|\n" },
    { "{\"required\":[\"nights\"]}", "{}",
      "|required|/required|[\"nights\"]|required member \"nights\" is missing|\n" },
    { "{\"properties\":{\"name\":{}},\"required\":[\"name\"],\"additionalProperties\":false}",
      "{\"nmae\":1}",
      "/nmae|additionalProperties|/additionalProperties|false|member \"nmae\" is not allowed|did "
      "you mean \"name\"?\n" },
    { "{\"properties\":{\"name\":{}},\"additionalProperties\":false}", "{\"name\":1,\"nmae\":1}",
      "/nmae|additionalProperties|/additionalProperties|false|member \"nmae\" is not allowed|\n" },
    { "{\"properties\":{\"a\":false}}", "{\"a\":1}",
      "/a|properties|/properties||member \"a\" is not allowed|\n" },
    { "{\"propertyNames\":{\"maxLength\":1}}", "{\"a/b\":1}",
      "/a~1b|maxLength|/propertyNames/maxLength|1|length of the member name must be ≤ 1 "
      "character|\n" },
    { "{\"minProperties\":1}", "{}",
      "|minProperties|/minProperties|1|number of members must be ≥ 1|\n" },
    { "{\"dependentRequired\":{\"a\":[\"b\"]}}", "{\"a\":1}",
      "|dependentRequired|/dependentRequired|{\"a\":[\"b\"]}|member \"b\" is missing, which \"a\" "
      "requires|\n" },
    { "{\"items\":{\"type\":\"integer\"}}", "[1,\"x\",2,null]",
      "/1|type|/items/type|\"integer\"|value must be an integer|\n"
      "/3|type|/items/type|\"integer\"|value must be an integer|\n" },
    { "{\"prefixItems\":[true],\"items\":false}", "[1,2,3]",
      "|items|/items|false|number of items must be ≤ 1|\n" },
    { "{\"minItems\":2}", "[1]", "|minItems|/minItems|2|number of items must be ≥ 2|\n" },
    { "{\"uniqueItems\":true}", "[1,2,1.0]",
      "|uniqueItems|/uniqueItems|true|items must differ, but number 1 and number 3 are equal|\n" },
    { "{\"contains\":{\"const\":1},\"minContains\":2}", "[1]",
      "|minContains|/minContains|2|number of items that match \"contains\" must be ≥ 2|\n" },
    { "{\"contains\":true,\"maxContains\":1}", "[1,2]",
      "|maxContains|/maxContains|1|number of items that match \"contains\" must be ≤ 1|\n" },
    { "{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"properties\":{\"b\":{\"type\":\"null\"}}}}}",
      "{\"b\":1}", "/b|type|/$defs/a/properties/b/type|\"null\"|value must be null|\n" },
    { "{\"if\":{\"type\":\"integer\"},\"then\":{\"minimum\":5}}", "1",
      "|minimum|/then/minimum|5|value must be ≥ 5|\n" },
    /* both bounds, whichever is broken */
    { "{\"minimum\":1,\"exclusiveMaximum\":5}", "0",
      "|minimum|/minimum|1|value must be ≥ 1 and < 5|\n" },
    { "{\"minimum\":1,\"exclusiveMaximum\":5}", "5",
      "|exclusiveMaximum|/exclusiveMaximum|5|value must be ≥ 1 and < 5|\n" },
    { "{\"minLength\":1,\"maxLength\":2}", "\"\"",
      "|minLength|/minLength|1|length must be ≥ 1 and ≤ 2 characters|\n" },
    { "{\"minItems\":1,\"maxItems\":2}", "[]",
      "|minItems|/minItems|1|number of items must be ≥ 1 and ≤ 2|\n" },
    /* what nothing evaluated; names of subschemas are suggested too */
    { "{\"allOf\":[{\"properties\":{\"name\":true}}],\"unevaluatedProperties\":false}",
      "{\"nmae\":1}",
      "/nmae|unevaluatedProperties|/unevaluatedProperties|false|member \"nmae\" is not allowed|did "
      "you mean \"name\"?\n" },
    { "{\"allOf\":[{\"properties\":{\"name\":{\"type\":\"null\"}}}],\"unevaluatedProperties\":"
      "false}",
      "{\"name\":1}", "/name|type|/allOf/0/properties/name/type|\"null\"|value must be null|\n" },
    { "{\"properties\":{\"a\":true},\"unevaluatedProperties\":{\"type\":\"null\"}}", "{\"b\":1}",
      "/b|type|/unevaluatedProperties/type|\"null\"|value must be null|\n" },
    { "{\"contains\":{\"const\":1},\"unevaluatedItems\":false}", "[1,2]",
      "/1|unevaluatedItems|/unevaluatedItems|false|item number 2 is not allowed|\n" },
    /* where a dynamic reference leads */
    { "{\"$id\":\"https://a.example/list\",\"$ref\":\"base\",\"$defs\":{\"item\":{"
      "\"$dynamicAnchor\":\"item\",\"type\":\"integer\"},\"base\":{\"$id\":\"base\",\"items\":{"
      "\"$dynamicRef\":\"#item\"},\"$defs\":{\"any\":{\"$dynamicAnchor\":\"item\"}}}}}",
      "[\"a\"]", "/0|type|/$defs/item/type|\"integer\"|value must be an integer|\n" },
    { "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"contentEncoding\":\"base64\","
      "\"contentMediaType\":\"application/json\"}",
      "\"?\"",
      "|contentEncoding|/contentEncoding|\"base64\"|value must be base64 of a JSON text|\n" },
    { "{\"$schema\":\"http://json-schema.org/draft-04/schema#\",\"type\":\"integer\"}", "1.0",
      "|type|/type|\"integer\"|value must be an integer, written without fraction and "
      "exponent|\n" },
    /* several faults, in the order of the instance, parents not repeated */
    { "{\"properties\":{\"a\":{\"minimum\":1},\"b\":{\"properties\":{\"c\":{\"type\":\"string\"}}}}"
      ",\"required\":[\"d\"]}",
      "{\"b\":{\"c\":1},\"a\":0}",
      "|required|/required|[\"d\"]|required member \"d\" is missing|\n"
      "/b/c|type|/properties/b/properties/c/type|\"string\"|value must be a string|\n"
      "/a|minimum|/properties/a/minimum|1|value must be ≥ 1|\n" },
    /* alternatives: by type */
    { "{\"anyOf\":[{\"type\":\"object\",\"required\":[\"a\"]},{\"type\":\"null\"}]}", "{}",
      "|required|/anyOf/0/required|[\"a\"]|required member \"a\" is missing|\n" },
    { "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}", "1",
      "|anyOf|/anyOf||value must be a string or null|\n" },
    { "{\"oneOf\":[{\"const\":\"a\"},{\"const\":\"b\"}]}", "\"c\"",
      "|oneOf|/oneOf||value must be one of \"a\", \"b\"|\n" },
    { "{\"oneOf\":[{\"minimum\":1},{\"maximum\":5}]}", "3",
      "|oneOf|/oneOf||value must match exactly one of 2 alternatives but matches number 1 and "
      "number 2|\n" },
    { "{\"anyOf\":[{\"minimum\":5},{\"multipleOf\":10}]}", "3",
      "|anyOf|/anyOf||value must match at least one of 2 alternatives|\n" },
    /* by the member that tells them apart */
    { "{\"oneOf\":[{\"properties\":{\"k\":{\"const\":\"cat\"},\"lives\":{\"type\":\"integer\"}},"
      "\"required\":[\"k\",\"lives\"]},"
      "{\"properties\":{\"k\":{\"const\":\"dog\"},\"tail\":{\"type\":\"string\"}},\"required\":["
      "\"k\",\"tail\"]}]}",
      "{\"k\":\"dog\",\"lives\":1,\"tail\":2}",
      "/tail|type|/oneOf/1/properties/tail/type|\"string\"|value must be a string|\n" },
    { "{\"type\":\"object\",\"oneOf\":[{\"properties\":{\"k\":{\"const\":\"cat\"}},\"required\":["
      "\"k\"]},"
      "{\"properties\":{\"k\":{\"const\":\"dog\"}},\"required\":[\"k\"]}]}",
      "{\"k\":\"cow\"}", "/k|oneOf|/oneOf||value must be one of \"cat\", \"dog\"|\n" },
    { "{\"type\":\"object\",\"oneOf\":[{\"properties\":{\"k\":{\"const\":\"cat\"}},\"required\":["
      "\"k\"]},"
      "{\"properties\":{\"k\":{\"const\":\"dog\"}},\"required\":[\"k\"]}]}",
      "{}", "|oneOf|/oneOf||required member \"k\" is missing|\n" },
    { "{\"oneOf\":[{\"properties\":{\"v\":{\"const\":1},\"a\":{\"type\":\"null\"}},"
      "\"additionalProperties\":false},"
      "{\"properties\":{\"v\":{\"const\":2},\"b\":{\"type\":\"null\"}},\"additionalProperties\":"
      "false}]}",
      "{\"v\":2,\"b\":1}", "/b|type|/oneOf/1/properties/b/type|\"null\"|value must be null|\n" },
    /* an optional member with several values does not tell apart */
    { "{\"anyOf\":[{\"properties\":{\"a\":{},\"k\":{\"enum\":[\"x\",\"y\"]}},\"required\":[\"a\"]},"
      "{\"required\":[\"b\"]}]}",
      "{\"a\":1,\"k\":\"z\"}",
      "/k|enum|/anyOf/0/properties/k/enum|[\"x\",\"y\"]|value must be one of \"x\", \"y\"|\n" },
    /* by shape */
    { "{\"anyOf\":[{\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{}},\"required\":[\"a\","
      "\"b\"]},"
      "{\"properties\":{\"c\":{}},\"required\":[\"c\"]}]}",
      "{\"a\":\"x\",\"b\":1}",
      "/a|type|/anyOf/0/properties/a/type|\"integer\"|value must be an integer|\n" },
};

static void describe(const struct schema_violations *violations, struct buffer *out)
{
    for (uint32_t i = 0; i < violations->count; i++) {
        const struct schema_violation *v = &violations->items[i];
        const struct str parts[] = { v->pointer, v->keyword, v->schema_pointer,
                                     v->limit,   v->message, v->hint };
        for (size_t k = 0; k < COUNT(parts); k++) {
            buffer_append_str(out, parts[k]);
            buffer_append_byte(out, k + 1 < COUNT(parts) ? '|' : '\n');
        }
    }
}

static void says_what_is_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct schema_program *program = compile_text(rows[i].schema);
        struct json_doc *doc = parse_text(str_from(rows[i].instance));
        struct arena arena;
        struct buffer out;
        struct schema_violations violations = { .arena = &arena };
        bool valid = true;
        arena_init(&arena, alloc_default(), TEST_ARENA_BYTES);
        buffer_init(&out, alloc_default(), TEST_TEXT_BYTES);
        assert_int_equal(schema_validate(program, json_doc_root(doc), 0, alloc_default(), &valid,
                                         &violations, NULL),
                         STATUS_OK);
        assert_false(valid);
        assert_false(violations.more);
        describe(&violations, &out);
        if (!str_equal(buffer_view(&out), str_from(rows[i].expected)))
            fail_msg("%s: %s\ngives %.*sinstead %s", rows[i].schema, rows[i].instance, (int)out.len,
                     out.ptr, rows[i].expected);
        buffer_release(&out);
        arena_release(&arena);
        json_doc_free(doc);
        schema_program_free(program);
    }
}

static void tells_line_and_column_and_stops_at_the_maximum(void **state)
{
    (void)state;
    struct schema_program *program = compile_text("{\"items\":{\"type\":\"string\"}}");
    struct json_doc *doc = parse_text(STR("[\n  \"a\",\n  \"\xC3\xA9\", 2,\n 3, 4]"));
    struct arena arena;
    struct schema_violations violations = { .arena = &arena, .count_max = 2 };
    bool valid = true;
    arena_init(&arena, alloc_default(), TEST_ARENA_BYTES);
    assert_int_equal(
        schema_validate(program, json_doc_root(doc), 0, alloc_default(), &valid, &violations, NULL),
        STATUS_OK);
    assert_int_equal(violations.count, 2);
    assert_true(violations.more);
    assert_int_equal(violations.items[0].line, 3);
    assert_int_equal(violations.items[0].column, 8);
    assert_int_equal(violations.items[1].line, 4);
    assert_int_equal(violations.items[1].column, 2);
    assert_int_equal(json_type(violations.items[1].value), JSON_NUMBER);
    arena_release(&arena);
    json_doc_free(doc);
    schema_program_free(program);
}

/* The wording of the contract, to the letter. */
static void writes_the_reason_of_the_contract(void **state)
{
    (void)state;
    struct schema_program *program = compile_text(
        "{\"properties\":{\"priority\":{\"maximum\":5},\"tags\":{\"items\":{\"maxLength\":4}},"
        "\"timestamp\":{\"format\":\"date-time\"}},\"required\":[\"id\"]}");
    struct json_doc *doc = parse_text(
        STR("{\"priority\":7,\"tags\":[\"a\",\"b\",\"Camel-Case\"],\"timestamp\":\"soon\"}"));
    struct arena arena;
    struct buffer out;
    struct schema_violations violations = { .arena = &arena };
    bool valid = true;
    arena_init(&arena, alloc_default(), TEST_ARENA_BYTES);
    buffer_init(&out, alloc_default(), TEST_TEXT_BYTES);
    assert_int_equal(
        schema_validate(program, json_doc_root(doc), 0, alloc_default(), &valid, &violations, NULL),
        STATUS_OK);
    schema_write_reason(&violations, true, &out);
    assert_string_equal(
        out.ptr, "The previous output did not conform to the schema:\n"
                 "- (root): required member \"id\" is missing\n"
                 "- /priority: value must be ≤ 5 (was 7)\n"
                 "- /tags/2: length must be ≤ 4 characters (was \"Camel-Case\")\n"
                 "- /timestamp: value must match format \"date-time\"\n"
                 "\n"
                 "Please correct these and try again. Do not change fields that were valid.");
    buffer_clear(&out);
    schema_write_reason(&violations, false, &out);
    assert_null(strstr(out.ptr, "Camel"));
    assert_null(strstr(out.ptr, "(was"));
    buffer_release(&out);
    arena_release(&arena);
    json_doc_free(doc);
    schema_program_free(program);
}

/* 300 long values, each at fault: the text stays within its bounds and keeps its last sentence. */
static void bounds_the_reason(void **state)
{
    (void)state;
    struct schema_program *program = compile_text("{\"items\":{\"maxLength\":1}}");
    struct buffer text;
    struct buffer out;
    struct arena arena;
    struct schema_violations violations = { .arena = &arena, .count_max = 100 };
    bool valid = true;
    buffer_init(&text, alloc_default(), TEST_TEXT_BYTES);
    buffer_init(&out, alloc_default(), TEST_TEXT_BYTES);
    arena_init(&arena, alloc_default(), TEST_ARENA_BYTES);
    for (unsigned i = 0; i < 300; i++) {
        buffer_append_str(&text, i == 0 ? STR("[\"") : STR(",\""));
        for (unsigned k = 0; k < 100; k++)
            buffer_append_str(&text, STR("\xF0\x9F\x92\xA9"));
        buffer_append_str(&text, STR("\""));
    }
    buffer_append_byte(&text, ']');
    struct json_doc *doc = parse_text(buffer_view(&text));
    assert_int_equal(
        schema_validate(program, json_doc_root(doc), 0, alloc_default(), &valid, &violations, NULL),
        STATUS_OK);
    assert_int_equal(violations.count, 100);
    schema_write_reason(&violations, true, &out);
    assert_true(out.len <= 4096);
    assert_non_null(strstr(out.ptr, "\xF0\x9F\x92\xA9…\")"));
    assert_non_null(strstr(out.ptr, "- and more, not listed here\n\nPlease correct these"));
    json_doc_free(doc);
    buffer_release(&text);
    buffer_release(&out);
    arena_release(&arena);
    schema_program_free(program);
}

/* No field for callers, logs and metrics repeats a value of the instance. */
static void never_repeats_values(void **state)
{
    (void)state;
    static const char *const schemas[] = {
        "{\"type\":\"integer\"}",
        "{\"enum\":[\"a\"]}",
        "{\"maxLength\":3}",
        "{\"format\":\"ipv6\"}",
        "{\"not\":{\"type\":\"string\"}}",
        "{\"anyOf\":[{\"maxLength\":1},{\"type\":\"null\"}]}",
        "false",
    };
    for (size_t i = 0; i < COUNT(schemas); i++) {
        struct schema_program *program = compile_text(schemas[i]);
        struct json_doc *doc = parse_text(STR("\"sk-live-0123456789abcdef\""));
        struct arena arena;
        struct buffer out;
        struct schema_violations violations = { .arena = &arena };
        bool valid = true;
        arena_init(&arena, alloc_default(), TEST_ARENA_BYTES);
        buffer_init(&out, alloc_default(), TEST_TEXT_BYTES);
        assert_int_equal(schema_validate(program, json_doc_root(doc), 0, alloc_default(), &valid,
                                         &violations, NULL),
                         STATUS_OK);
        describe(&violations, &out);
        assert_true(violations.count > 0);
        assert_null(strstr(out.ptr, "sk-live"));
        buffer_release(&out);
        arena_release(&arena);
        json_doc_free(doc);
        schema_program_free(program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(tells_line_and_column_and_stops_at_the_maximum),
        cmocka_unit_test(writes_the_reason_of_the_contract),
        cmocka_unit_test(bounds_the_reason),
        cmocka_unit_test(never_repeats_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_keywords.c - every keyword: what it accepts and what it does not, in the dialects that have
 * it.
 */
#include "base/features.h"

#include "schema_test.h"

#define D7  "\"$schema\":\"http://json-schema.org/draft-07/schema#\","
#define D6  "\"$schema\":\"http://json-schema.org/draft-06/schema#\","
#define D4  "\"$schema\":\"http://json-schema.org/draft-04/schema#\","
#define D19 "\"$schema\":\"https://json-schema.org/draft/2019-09/schema\","

/* Instances separated by blanks are valid, those after "|" are not. */
static const struct row {
    const char *schema;
    const char *instances;
} rows[] = {
    { "true", "1 null {} |" },
    { "false", "| 1 null {}" },
    { "{}", "1 null [] |" },
    { "{\"type\":\"null\"}", "null | 0 false \"\" [] {}" },
    { "{\"type\":\"boolean\"}", "true false | 0 null \"true\"" },
    { "{\"type\":\"integer\"}", "1 1.0 1e0 10e-1 1e308 -0 1E400 | 1.5 \"1\" 1e-1 true" },
    { "{\"type\":\"number\"}", "1 1.5 1e-400 | \"1\" null" },
    { "{\"type\":\"string\"}", "\"\" \"1\" | 1 null" },
    { "{\"type\":\"array\"}", "[] [1] | {} \"[]\"" },
    { "{\"type\":\"object\"}", "{} {\"a\":1} | [] null" },
    { "{\"type\":[\"integer\",\"null\"]}", "1 null 2.0 | 1.5 \"\"" },
    { "{\"const\":1}", "1 1.0 1e0 100e-2 | 1.1 true \"1\" 2" },
    { "{\"const\":false}", "false | 0 null \"\" []" },
    { "{\"const\":{\"a\":1,\"b\":[2]}}",
      "{\"b\":[2.0],\"a\":1} | {\"a\":1} {\"a\":1,\"b\":[2],\"c\":0}" },
    { "{\"const\":\"\\u00e9\"}", "\"\xC3\xA9\" | \"e\" \"e\\u0301\"" },
    { "{\"enum\":[1,\"a\",null,[1]]}", "1 1.0 \"a\" null [1] | 2 \"b\" [] false" },
    { "{\"enum\":[]}", "| 1 null" },
    { "{\"enum\":[1,2,3,4,5,6,7,8,9,\"x\",{\"a\":1}]}",
      "9 1.0 \"x\" {\"a\":1.0} | 0 10 \"y\" {\"a\":2}" },
    { "{\"pattern\":\"^a+$\"}", "\"a\" \"aa\" 1 [] | \"\" \"ab\" \"a\\n\"" },
    { "{\"pattern\":\"b\"}", "\"b\" \"abc\" | \"\" \"B\"" },
    { "{\"pattern\":\"^.$\"}", "\"\\ud83d\\ude00\" \"\\u0000\" | \"\" \"\\u2028\"" },
    { "{\"pattern\":\"\\u0000\"}", "\"a\\u0000\" | \"\" \"0\"" },
    { "{\"patternProperties\":{\"^n\":{\"type\":\"number\"},\"x$\":{\"minimum\":3}}}",
      "{} {\"nx\":3,\"a\":null} {\"n\":1} 7 | {\"n\":\"\"} {\"nx\":2} {\"a\":0,\"x\":1}" },
    { "{\"properties\":{\"na\":{\"const\":1}},\"patternProperties\":{\"^n\":{\"type\":\"number\"}},"
      "\"additionalProperties\":false}",
      "{\"na\":1,\"nb\":2} | {\"na\":2} {\"nb\":\"\"} {\"a\":1}" },
    { "{\"propertyNames\":{\"pattern\":\"^[a-z]+$\"}}", "{\"ab\":1} {} | {\"aB\":1} {\"\":1}" },
    { "{\"format\":\"regex\"}", "\"^(?=a)\\\\1(b)$\" 1 | \"(\" \"\\\\-\" \"\\\\A\"" },
    { "{\"minimum\":1}", "1 1.0 2 \"0\" | 0 0.99999999999999999999 -1e400" },
    { "{\"maximum\":9007199254740992}", "9007199254740992 | 9007199254740993" },
    { "{\"exclusiveMinimum\":0.1}", "0.10000000000000000000000001 | 0.1 0.10 1e-1" },
    { "{\"exclusiveMaximum\":3}", "2.9999 | 3 3.0 4" },
    { "{\"multipleOf\":0.01}", "19.99 0.07 0 1e300 \"x\" | 19.995 0.001" },
    { "{\"multipleOf\":1e-8}", "12391239123 |" },
    { "{\"multipleOf\":0.3}", "0.9 | 1 1e308" },
    { "{\"minLength\":2.0}",
      "\"ab\" \"\xF0\x9F\x92\xA9\xF0\x9F\x92\xA9\" 1 | \"a\" \"\xF0\x9F\x92\xA9\"" },
    { "{\"maxLength\":1}", "\"\" \"\xF0\x9F\x92\xA9\" | \"ab\" \"e\\u0301\"" },
    { "{\"minLength\":4294967297}", "| \"a\"" },
    { "{\"format\":\"date\"}", "\"2026-02-28\" 1 | \"2026-02-29\"" },
    { "{\"format\":\"a-format-of-ones-own\"}", "\"anything\" |" },
    { "{\"items\":{\"type\":\"integer\"}}", "[] [1,2] {} | [1,\"2\"]" },
    { "{\"items\":false}", "[] | [1]" },
    { "{\"prefixItems\":[{\"type\":\"integer\"},true]}", "[] [1] [1,\"a\",null] | [\"a\"]" },
    { "{\"prefixItems\":[true],\"items\":{\"type\":\"string\"}}", "[] [1] [1,\"a\"] | [1,2]" },
    { "{" D7 "\"items\":[{\"type\":\"integer\"}],\"additionalItems\":false}",
      "[] [1] | [1,2] [\"a\"]" },
    { "{" D7 "\"items\":{\"type\":\"integer\"},\"additionalItems\":false}", "[1,2] | [\"a\"]" },
    { "{\"contains\":{\"const\":7}}", "[7] [1,7.0] 7 | [] [1]" },
    { "{\"contains\":{\"const\":7},\"minContains\":2,\"maxContains\":3}",
      "[7,7] [7,7,7,1] | [7] [7,7,7,7]" },
    { "{\"contains\":{\"const\":7},\"minContains\":0}", "[] [1] |" },
    { "{" D7 "\"contains\":{\"const\":7}}", "[7,7,7] | [1]" },
    { "{\"minItems\":1,\"maxItems\":2}", "[1] [1,2] \"\" | [] [1,2,3]" },
    { "{\"minItems\":4294967297}", "| [1]" },
    { "{\"uniqueItems\":true}", "[] [1,true,\"1\"] [{\"a\":1},{\"a\":2}] | [1,1.0,2] [[1],[1]]" },
    { "{\"uniqueItems\":true}", "[1,2,3,4,5,6,7,8,9] [0,false,null,\"\",[],{},\"0\",[0],[false],1] "
                                "| [1,2,3,4,5,6,7,8,9,10e-1]" },
    { "{\"uniqueItems\":false}", "[1,1] |" },
    { "{\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":true}}",
      "{} {\"a\":1} {\"c\":\"x\"} [] | {\"a\":\"1\"}" },
    { "{\"properties\":{\"a\":false}}", "{} {\"b\":1} | {\"a\":1}" },
    { "{\"properties\":{\"a\":true},\"additionalProperties\":false}",
      "{} {\"a\":1} | {\"b\":1} {\"a\":1,\"b\":2}" },
    { "{\"additionalProperties\":{\"type\":\"integer\"}}", "{\"x\":1} | {\"x\":\"1\"}" },
    { "{\"propertyNames\":{\"maxLength\":2}}", "{} {\"ab\":1} 1 | {\"abc\":1}" },
    { "{\"propertyNames\":{\"enum\":[\"a\",\"b\"]}}", "{\"a\":1,\"b\":2} | {\"c\":1}" },
    { "{\"propertyNames\":false}", "{} | {\"a\":1}" },
    { "{\"required\":[\"a\",\"b\"]}", "{\"a\":1,\"b\":null} 1 | {} {\"a\":1} {\"a\":1,\"c\":1}" },
    { "{\"required\":[\"\"]}", "{\"\":1} | {}" },
    { "{\"minProperties\":1,\"maxProperties\":2}", "{\"a\":1} [] | {} {\"a\":1,\"b\":1,\"c\":1}" },
    { "{\"dependentRequired\":{\"a\":[\"b\"]}}", "{} {\"b\":1} {\"a\":1,\"b\":1} | {\"a\":1}" },
    { "{\"dependentSchemas\":{\"a\":{\"required\":[\"b\"]}}}", "{} {\"a\":1,\"b\":1} | {\"a\":1}" },
    { "{" D7 "\"dependencies\":{\"a\":[\"b\"],\"c\":{\"maxProperties\":1}}}",
      "{\"c\":1} | {\"a\":1} {\"c\":1,\"d\":1}" },
    { "{\"allOf\":[{\"minimum\":1},{\"maximum\":2}]}", "1 2 \"x\" | 0 3" },
    { "{\"anyOf\":[{\"type\":\"string\"},{\"minimum\":5}]}", "\"a\" 5 null | 4" },
    { "{\"oneOf\":[{\"multipleOf\":2},{\"multipleOf\":3}]}", "2 3 | 1 6 \"x\"" },
    { "{\"not\":{\"type\":\"string\"}}", "1 null | \"a\"" },
    { "{\"if\":{\"minimum\":10},\"then\":{\"multipleOf\":10},\"else\":{\"maximum\":5}}",
      "10 20 5 | 11 6" },
    { "{\"then\":false,\"else\":false}", "1 |" },
    { "{\"if\":false,\"else\":{\"const\":1}}", "1 | 2" },
    { "{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"type\":\"integer\"}}}", "1 | \"a\"" },
    { "{\"$ref\":\"#/$defs/a\",\"maximum\":3,\"$defs\":{\"a\":{\"type\":\"integer\"}}}",
      "3 | 4 1.5" },
    { "{" D7
      "\"$ref\":\"#/definitions/a\",\"maximum\":3,\"definitions\":{\"a\":{\"type\":\"integer\"}}}",
      "4 | 1.5" },
    { "{\"$ref\":\"#/$defs/a%25b~1c%22\",\"$defs\":{\"a%b/c\\\"\":{\"const\":1}}}", "1 | 2" },
    { "{\"properties\":{\"n\":{\"$ref\":\"#\"}},\"additionalProperties\":false}",
      "{\"n\":{\"n\":{}}} | {\"n\":{\"m\":1}}" },
    { "{\"$id\":\"https://e.example/s\",\"$ref\":\"https://e.example/s#/$defs/"
      "a\",\"$defs\":{\"a\":{\"const\":1}}}",
      "1 | 2" },
    { "{\"$id\":\"https://e.example/x/s\",\"$ref\":\"../y/./t\",\"$defs\":{\"a\":{\"$id\":\"/y/"
      "t\",\"const\":1}}}",
      "1 | 2" },
    { "{\"$ref\":\"#here\",\"$defs\":{\"a\":{\"$anchor\":\"here\",\"const\":1}}}", "1 | 2" },
    { "{" D6 "\"$ref\":\"#here\",\"definitions\":{\"a\":{\"$id\":\"#here\",\"const\":1}}}",
      "1 | 2" },
    { "{" D4 "\"id\":\"http://e.example/s\",\"allOf\":[{\"$ref\":\"s#/definitions/"
      "a\"}],\"definitions\":{\"a\":{\"enum\":[1]}}}",
      "1 | 2" },
    { "{" D4 "\"minimum\":1,\"exclusiveMinimum\":true,\"maximum\":3,\"exclusiveMaximum\":false}",
      "2 3 | 1 4" },
    { "{" D19 "\"items\":[{\"const\":1}],\"additionalItems\":{\"const\":2}}",
      "[1,2,2] | [2] [1,1]" },
    { "{\"title\":\"t\",\"description\":\"d\",\"default\":1,\"examples\":[1],\"deprecated\":true,"
      "\"readOnly\":true,"
      "\"writeOnly\":false,\"$comment\":\"c\",\"contentEncoding\":\"base64\",\"contentMediaType\":"
      "\"a/b\","
      "\"contentSchema\":false,\"x-own\":1}",
      "1 \"%\" |" },
};

static void check_instances(const struct row *row)
{
    struct schema_program *program = compile_text(row->schema);
    bool expected = true;
    char word[256];
    for (const char *at = row->instances; *at != '\0';) {
        size_t len = strcspn(at, " ");
        snprintf(word, sizeof(word), "%.*s", (int)len, at);
        if (strcmp(word, "|") == 0)
            expected = false;
        else if (judge_text(program, word) != expected)
            fail_msg("%s: %s is %s", row->schema, word, expected ? "valid" : "invalid");
        at += len + (at[len] == ' ');
    }
    schema_program_free(program);
}

static void judges_by_every_keyword(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        check_instances(&rows[i]);
}

static void leaves_format_alone_when_asked(void **state)
{
    (void)state;
    const struct schema_options options = { .format_asserts = false };
    struct schema_program *program = NULL;
    assert_int_equal(schema_compile_text(STR("{\"format\":\"idn-hostname\"}"), &options,
                                         alloc_default(), &program, NULL),
                     STATUS_OK);
    assert_true(judge_text(program, "\"..\""));
    schema_program_free(program);
}

static void narrows_an_untyped_root_to_objects(void **state)
{
    (void)state;
    const struct schema_options options = { .object_root = true, .format_asserts = true };
    struct schema_program *program = NULL;
    assert_int_equal(schema_compile_text(STR("{\"properties\":{\"a\":true}}"), &options,
                                         alloc_default(), &program, NULL),
                     STATUS_OK);
    assert_int_equal(program->nodes[0].types, SCHEMA_OBJECT);
    assert_true(judge_text(program, "{}"));
    assert_false(judge_text(program, "1"));
    schema_program_free(program);
}

static void marks_required_properties(void **state)
{
    (void)state;
    struct schema_program *program =
        compile_text("{\"required\":[\"b\"],\"properties\":{\"a\":true,\"b\":true}}");
    const struct schema_op *op = schema_node_find(program, 0, SCHEMA_OP_PROPERTIES);
    assert_non_null(op);
    assert_int_equal(op->b, 2);
    assert_false(program->properties[op->a].required);
    assert_true(program->properties[op->a + 1].required);
    assert_null(schema_node_find(program, 0, SCHEMA_OP_TYPE));
    schema_program_free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judges_by_every_keyword),
        cmocka_unit_test(leaves_format_alone_when_asked),
        cmocka_unit_test(narrows_an_untyped_root_to_objects),
        cmocka_unit_test(marks_required_properties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

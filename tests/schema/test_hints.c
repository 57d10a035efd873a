/* test_hints.c - what is said to help: hints, notes, which alternative or condition a fault is told
 * for, the message for a model, the place to look at.
 */
#include "base/features.h"

#include "schema_test.h"

enum { TEST_HINT_ARENA_BYTES = 1 << 20, TEST_HINT_TEXT_BYTES = 1 << 16 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* One line a violation: pointer, hint, note, context. */
static const struct {
    const char *schema;
    const char *instance;
    const char *expected;
} rows[] = {
    /* types and quotes */
    { "{\"type\":\"integer\"}", "\"-12\"", "|write the number without quotes||\n" },
    { "{\"type\":\"integer\"}", "\"1.5\"", "|||\n" },
    { "{\"type\":\"number\"}", "\"1.5\"", "|write the number without quotes||\n" },
    { "{\"type\":\"number\"}", "\"-\"", "|||\n" },
    { "{\"type\":\"boolean\"}", "\"false\"", "|write true or false without quotes||\n" },
    { "{\"type\":\"null\"}", "\"null\"", "|write null without quotes||\n" },
    { "{\"type\":[\"string\",\"null\"]}", "true", "||write the value in quotes|\n" },
    { "{\"type\":[\"string\",\"array\"]}", "true", "|||\n" },
    { "{\"type\":\"string\"}", "[]", "|||\n" },
    { "{\"propertyNames\":{\"enum\":[1]}}", "{\"1\":0}", "/1|||\n" },
    { "{\"enum\":[1,\"a\"]}", "\"1\"", "||write the value without quotes|\n" },
    { "{\"enum\":[true,null,[]]}", "\"null\"", "||write the value without quotes|\n" },
    { "{\"enum\":[\"true\",2]}", "true", "||write the value in quotes|\n" },
    { "{\"enum\":[\"1\"]}", "[1]", "|||\n" },
    { "{\"enum\":[\"a\",\"b\"]}", "\"A\"", "|did you mean \"a\"?||\n" },
    { "{\"enum\":[\"a\",\"b\"]}", "\"c\"", "|||\n" },
    { "{\"anyOf\":[{\"type\":\"string\",\"minLength\":1},{\"type\":\"null\"}]}", "1",
      "||write the value in quotes|\n" },
    /* formats */
    { "{\"format\":\"date\"}", "\"x\"", "||write it as YYYY-MM-DD, a day that exists|\n" },
    { "{\"format\":\"uuid\"}", "\"x\"", "||write it as 8-4-4-4-12 hexadecimal digits|\n" },
    { "{\"format\":\"ipv6\"}", "\"x\"", "|||\n" },
    { "{\"format\":\"hostname\"}", "\"_\"", "|||\n" },
    /* members */
    { "{\"properties\":{\"ab\":{},\"no\":false,\"cd\":{}},\"additionalProperties\":false}",
      "{\"x\":1}", "/x||allowed: \"ab\", \"cd\"|\n" },
    { "{\"properties\":{\"ab\":{}},\"patternProperties\":{\"^q\":{},\"^r\":{}},"
      "\"additionalProperties\":false}",
      "{\"x\":1}", "/x||allowed: \"ab\", names that match \"^q\", \"^r\"|\n" },
    { "{\"patternProperties\":{\"^q\":{}},\"additionalProperties\":false}", "{\"x\":1}",
      "/x||allowed: names that match \"^q\"|\n" },
    { "{\"additionalProperties\":false}", "{\"x\":1}", "/x||no members are allowed here|\n" },
    { "{\"properties\":{\"a1\":{},\"a2\":{},\"a3\":{},\"a4\":{},\"a5\":{},\"a6\":{},\"a7\":{},"
      "\"a8\":{},\"a9\":{}},\"additionalProperties\":false}",
      "{\"x\":1}",
      "/x||allowed: \"a1\", \"a2\", \"a3\", \"a4\", \"a5\", \"a6\", \"a7\", \"a8\" and 1 more|\n" },
    /* items that count */
    { "{\"contains\":{\"type\":\"string\"}}", "[]", "||an item that counts is a string|\n" },
    { "{\"contains\":{\"const\":3}}", "[]", "||an item that counts is 3|\n" },
    { "{\"contains\":{\"title\":\"Lead\",\"minimum\":1}}", "[]",
      "||an item that counts is \"Lead\"|\n" },
    { "{\"contains\":{\"minimum\":1},\"maxContains\":1}", "[1,2]", "|||\n" },
    /* alternatives */
    { "{\"anyOf\":[{\"title\":\"One\",\"minimum\":5},{\"multipleOf\":10},{\"type\":\"number\","
      "\"minimum\":7,\"maximum\":8}]}",
      "3", "||alternatives are 1: \"One\"; 2: a value of any type; 3: a number with limits|\n" },
    { "{\"anyOf\":[{\"required\":[\"a\",\"d\"]},{\"required\":[\"b\",\"c\"]}]}", "{}",
      "||alternatives are 1: an object with members \"a\", \"d\"; 2: an object with members \"b\", "
      "\"c\"|\n" },
    { "{\"anyOf\":[{\"$ref\":\"#/$defs/a\"},{\"required\":[\"b\"]}],\"$defs\":{\"a\":{\"title\":"
      "\"Apple\",\"required\":[\"a\"]}}}",
      "{}", "||alternatives are 1: \"Apple\"; 2: an object with member \"b\"|\n" },
    { "{\"anyOf\":[{\"minimum\":9},{\"minimum\":9.5},{\"minimum\":10},{\"minimum\":11},"
      "{\"minimum\":12},{\"minimum\":13},{\"minimum\":14}]}",
      "1",
      "||alternatives are 1: a value of any type; 2: a value of any type; 3: a value of any type; "
      "4: a value of any type; 5: a value of any type; 6: a value of any type; and 1 more|\n" },
    { "{\"oneOf\":[{\"properties\":{\"k\":{\"const\":\"left\"}},\"required\":[\"k\"]},"
      "{\"properties\":{\"k\":{\"const\":\"right\"}},\"required\":[\"k\"]}]}",
      "{\"k\":\"rihgt\"}", "/k|did you mean \"right\"?||\n" },
    /* a misspelt member tells which */
    { "{\"oneOf\":[{\"properties\":{\"type\":{}},\"additionalProperties\":false},{\"properties\":{"
      "\"ref\":{}},\"required\":[\"ref\"],\"additionalProperties\":false}]}",
      "{\"reff\":1}", "/reff|did you mean \"ref\"?||alternative 2 of 2\n" },
    /* conditions */
    { "{\"if\":{\"minimum\":5},\"then\":{\"maximum\":7}}", "8",
      "|||the case where \"if\" holds\n" },
    { "{\"if\":{\"minimum\":5},\"else\":{\"maximum\":1}}", "3",
      "|||the case where \"if\" does not hold\n" },
    { "{\"dependentSchemas\":{\"a\":{\"required\":[\"b\"]}}}", "{\"a\":1}",
      "|||an object with member \"a\"\n" },
};

static void describe(const struct schema_violations *violations, struct buffer *out)
{
    for (uint32_t i = 0; i < violations->count; i++) {
        const struct schema_violation *v = &violations->items[i];
        const struct str parts[] = { v->pointer, v->hint, v->note, v->context };
        for (size_t k = 0; k < COUNT(parts); k++) {
            buffer_append_str(out, parts[k]);
            buffer_append_byte(out, k + 1 < COUNT(parts) ? '|' : '\n');
        }
    }
}

/* The violations of one instance. */
struct judged {
    struct schema_program *program;
    struct json_doc *doc;
    struct arena arena;
    struct schema_violations violations;
};

static void judge_init(struct judged *judged, const char *schema, const char *instance)
{
    bool valid = true;
    judged->program = compile_text(schema);
    judged->doc = parse_text(str_from(instance));
    judged->violations = (struct schema_violations){ .arena = &judged->arena };
    arena_init(&judged->arena, alloc_default(), TEST_HINT_ARENA_BYTES);
    assert_int_equal(schema_validate(judged->program, json_doc_root(judged->doc), 0,
                                     alloc_default(), &valid, &judged->violations, NULL),
                     STATUS_OK);
    assert_false(valid);
}

static void judge_release(struct judged *judged)
{
    arena_release(&judged->arena);
    json_doc_free(judged->doc);
    schema_program_free(judged->program);
}

static void says_what_to_do(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct judged judged;
        struct buffer out;
        judge_init(&judged, rows[i].schema, rows[i].instance);
        buffer_init(&out, alloc_default(), TEST_HINT_TEXT_BYTES);
        describe(&judged.violations, &out);
        if (!str_equal(buffer_view(&out), str_from(rows[i].expected)))
            fail_msg("%s: %s\ngives %.*sinstead %s", rows[i].schema, rows[i].instance, (int)out.len,
                     out.ptr, rows[i].expected);
        buffer_release(&out);
        judge_release(&judged);
    }
}

static void assert_str(struct str text, const char *expected)
{
    if (!str_equal(text, str_from(expected)))
        fail_msg("%.*s instead of %s", (int)text.len, text.ptr, expected);
}

/* People are told both bounds, a model the one that it broke. */
static void tells_a_model_one_bound(void **state)
{
    (void)state;
    struct judged judged;
    judge_init(&judged, "{\"minimum\":1,\"maximum\":5}", "7");
    assert_int_equal(judged.violations.count, 1);
    assert_str(judged.violations.items[0].message, "value must be ≥ 1 and ≤ 5");
    assert_str(judged.violations.items[0].brief, "value must be ≤ 5");
    judge_release(&judged);
}

static void shows_the_item_that_is_repeated_or_too_many(void **state)
{
    (void)state;
    struct judged judged;
    judge_init(&judged, "{\"uniqueItems\":true,\"prefixItems\":[{},{}],\"items\":false}",
               "[1,\n 1,\n 3]");
    assert_int_equal(judged.violations.count, 2);
    assert_int_equal(judged.violations.items[0].line, 2);
    assert_int_equal(judged.violations.items[1].line, 3);
    assert_int_equal(judged.violations.items[1].column, 2);
    assert_int_equal(judged.violations.items[1].pointer.len, 0);
    judge_release(&judged);
}

static void names_what_is_missing(void **state)
{
    (void)state;
    struct judged judged;
    judge_init(&judged, "{\"required\":[\"a\"],\"minProperties\":1}", "{}");
    assert_int_equal(judged.violations.count, 2);
    for (unsigned i = 0; i < 2; i++) {
        bool is_required = str_equal(judged.violations.items[i].keyword, STR("required"));
        assert_str(judged.violations.items[i].member, is_required ? "a" : "");
    }
    judge_release(&judged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_to_do),
        cmocka_unit_test(tells_a_model_one_bound),
        cmocka_unit_test(shows_the_item_that_is_repeated_or_too_many),
        cmocka_unit_test(names_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

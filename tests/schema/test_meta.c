/* test_meta.c - the built-in meta-schemas against the compiler's own rules: every keyword with
 * values of every kind is refused by both or by none.
 */
#include "base/features.h"

#include "schema_test.h"

static const char *const dialects[] = {
    "https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema",       "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-04/schema",
};

/* References are left out: what they lead to is no matter of the meta-schema. */
static const char *const keywords[] = {
    "$anchor",
    "$comment",
    "$defs",
    "$dynamicAnchor",
    "$id",
    "$recursiveAnchor",
    "$vocabulary",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "definitions",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "deprecated",
    "description",
    "else",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "id",
    "if",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "readOnly",
    "required",
    "then",
    "title",
    "type",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
    "writeOnly",
    "x-other",
};

static const char *const values[] = {
    "null",
    "true",
    "false",
    "0",
    "-0",
    "-1",
    "1",
    "1.0",
    "1e2",
    "0.5",
    "-0.5",
    "1e400",
    "0e5",
    "\"\"",
    "\"a\"",
    "\"_a\"",
    "\"a:b\"",
    "\"#a\"",
    "\"a#\"",
    "\"a b\"",
    "\"(\"",
    "\"string\"",
    "\"urn:x\"",
    "\"urn:x#y\"",
    "[]",
    "[true]",
    "[{}]",
    "[1]",
    "[\"a\"]",
    "[\"a\",\"a\"]",
    "[\"a\",1]",
    "[\"string\",\"null\"]",
    "[\"string\",\"string\"]",
    "[\"string\",\"text\"]",
    "[null]",
    "[[]]",
    "{}",
    "{\"a\":true}",
    "{\"a\":{}}",
    "{\"a\":1}",
    "{\"a\":null}",
    "{\"a\":\"b\"}",
    "{\"a\":[]}",
    "{\"a\":[\"b\"]}",
    "{\"a\":[\"b\",\"b\"]}",
    "{\"a\":[1]}",
    "{\"(\":true}",
    "{\"urn:x\":true}",
    "{\"type\":\"strnig\"}",
    "{\"minimum\":\"1\"}",
    "[{\"minItems\":-1}]",
    "{\"a\":{\"maxLength\":0.5}}",
};

static bool is_one_of(const char *text, const char *const *list)
{
    for (; *list != NULL; list++)
        if (strcmp(text, *list) == 0)
            return true;
    return false;
}

/* Where the rules are not those of the meta-schema, and why. */
static bool differs_on_purpose(const char *dialect, const char *keyword, const char *value)
{
    static const char *const integers[] = { "1.0", "1e2", "0e5", "1e400", NULL };
    static const char *const exclusive[] = { "exclusiveMaximum", "exclusiveMinimum", NULL };
    /* No keyword of 2020-12 any more: like any other name. */
    if (strcmp(dialect, dialects[0]) == 0)
        return strcmp(keyword, "$recursiveAnchor") == 0;
    if (strcmp(dialect, dialects[4]) != 0)
        return false;
    /* Draft-04: an integer may be written with an exponent; a flag without its bound and an "enum"
     * that repeats itself or is empty do no harm; an identifier must be a URI reference. */
    return is_one_of(value, integers) || is_one_of(keyword, exclusive) ||
           strcmp(keyword, "enum") == 0 || strcmp(keyword, "id") == 0;
}

static bool compiles(const char *dialect, const char *text)
{
    struct schema_program *program = NULL;
    const struct schema_options options = { .unknown_keywords = SCHEMA_UNKNOWN_ALLOW,
                                            .dialect = str_from(dialect) };
    enum status status =
        schema_compile_text(str_from(text), &options, alloc_default(), &program, NULL);
    schema_program_free(program);
    return status == STATUS_OK;
}

static struct schema_program *meta_of(const char *dialect)
{
    char text[256];
    struct schema_program *program = NULL;
    const struct schema_options options = { .format_asserts = true };
    (void)snprintf(text, sizeof(text), "{\"$ref\":\"%s\"}", dialect);
    assert_int_equal(schema_compile_text(str_from(text), &options, alloc_default(), &program, NULL),
                     STATUS_OK);
    return program;
}

static void agrees_with_the_rules(void **state)
{
    (void)state;
    unsigned differences = 0;
    for (size_t d = 0; d < COUNT(dialects); d++) {
        struct schema_program *meta = meta_of(dialects[d]);
        for (size_t i = 0; i < COUNT(keywords) * COUNT(values); i++) {
            const char *keyword = keywords[i / COUNT(values)];
            const char *value = values[i % COUNT(values)];
            char text[256];
            (void)snprintf(text, sizeof(text), "{\"%s\":%s}", keyword, value);
            struct json_doc *doc = parse_text(str_from(text));
            bool expected = judge_root(meta, json_doc_root(doc));
            json_doc_free(doc);
            if (compiles(dialects[d], text) == expected ||
                differs_on_purpose(dialects[d], keyword, value))
                continue;
            differences++;
            printf("%s: %s: the meta-schema says %s\n", dialects[d], text,
                   expected ? "valid" : "invalid");
        }
        schema_program_free(meta);
    }
    assert_int_equal(differences, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_compile.c - schemas that are refused: the reason, its pointer and its place; and warnings.
 */
#include "base/features.h"

#include "schema_test.h"

static const struct refusal {
    const char *schema;
    const char *pointer;
    const char *message; /* a part of it */
    const char *hint;    /* a part of it, or NULL for none */
} refusals[] = {
    { "[]", "", "must be an object or a boolean", NULL },
    { "3", "", "must be an object or a boolean", NULL },
    { "{\"requried\":[\"a\"]}", "/requried", "\"requried\" is not a keyword of 2020-12",
      "did you mean \"required\"?" },
    { "{\"wibble\":1}", "/wibble", "not a keyword", "x-" },
    { "{\"additionalItems\":false}", "/additionalItems", "not a keyword", "another dialect" },
    { "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"prefixItems\":[true]}",
      "/prefixItems", "not a keyword of draft-07", "another dialect" },
    { "{\"$schema\":\"https://e.example/mine\"}", "/$schema", "not known", "draft/2020-12" },
    { "{\"$schema\":3}", "/$schema", "must be a string", NULL },
    { "{\"properties\":{\"brand\":{\"type\":\"string\"},\"foo\":\"bar\"}}", "/properties/foo",
      "schemas", NULL },
    { "{\"properties\":[]}", "/properties", "object of schemas", NULL },
    { "{\"$defs\":[]}", "/$defs", "object of schemas", NULL },
    { "{\"type\":\"strin\"}", "/type", "must name", "did you mean \"string\"?" },
    { "{\"type\":[]}", "/type", "empty", NULL },
    { "{\"type\":[\"string\",\"string\"]}", "/type/1", "differ", NULL },
    { "{\"type\":[\"string\",1]}", "/type/1", "must name", NULL },
    { "{\"enum\":1}", "/enum", "array", NULL },
    { "{\"minLength\":1.5}", "/minLength", "not negative", NULL },
    { "{\"minLength\":-1}", "/minLength", "not negative", NULL },
    { "{\"maxItems\":\"1\"}", "/maxItems", "not negative", NULL },
    { "{\"minimum\":\"1\"}", "/minimum", "must be a number", NULL },
    { "{\"exclusiveMinimum\":true}", "/exclusiveMinimum", "must be a number", NULL },
    { "{\"multipleOf\":0}", "/multipleOf", "greater than 0", NULL },
    { "{\"multipleOf\":-0.5}", "/multipleOf", "greater than 0", NULL },
    { "{\"required\":\"a\"}", "/required", "array of strings", NULL },
    { "{\"required\":[\"a\",\"a\"]}", "/required/1", "differ", NULL },
    { "{\"required\":[1]}", "/required/0", "array of strings", NULL },
    { "{\"dependentRequired\":{\"a\":\"b\"}}", "/dependentRequired/a", "array of strings", NULL },
    { "{\"uniqueItems\":1}", "/uniqueItems", "boolean", NULL },
    { "{\"allOf\":[]}", "/allOf", "not be empty", NULL },
    { "{\"allOf\":{}}", "/allOf", "array of schemas", NULL },
    { "{\"anyOf\":[1]}", "/anyOf/0", "schemas", NULL },
    { "{\"not\":1}", "/not", "must be a schema", NULL },
    { "{\"items\":[true]}", "/items", "must be a schema", "prefixItems" },
    { "{\"format\":5}", "/format", "string", NULL },
    { "{\"pattern\":\"(\"}", "/pattern", "a group is not closed (byte 1)", NULL },
    { "{\"pattern\":\"(a{9999}){9999}\"}", "/pattern", "is too large", NULL },
    { "{\"patternProperties\":{\"a**\":true}}", "/patternProperties/a**", "nothing to repeat",
      NULL },
    { "{\"pattern\":5}", "/pattern", "string", NULL },
    { "{\"unevaluatedProperties\":1}", "/unevaluatedProperties", "must be a schema", NULL },
    { "{\"$dynamicRef\":\"#a\"}", "/$dynamicRef", "\"$dynamicRef\" names nothing", NULL },
    { "{\"$dynamicAnchor\":\"1\"}", "/$dynamicAnchor", "plain name", NULL },
    { "{\"$vocabulary\":[]}", "/$vocabulary", "object", NULL },
    { "{\"$vocabulary\":{\"urn:a\":1}}", "/$vocabulary/urn:a", "booleans", NULL },
    { "{\"$defs\":{\"a\":{\"$id\":\"urn:a\",\"$schema\":\"urn:meta\"}}}", "/$defs/a/$schema",
      "not known", "2020-12" },
    { "{\"$schema\":\"https://json-schema.org/draft/2019-09/schema\",\"$recursiveRef\":\"#/a\"}",
      "/$recursiveRef", "\"$recursiveRef\" names nothing", NULL },
    { "{\"$ref\":\"https://json-schema.org/draft/2020-12/schema#/none\"}", "/$ref", "names nothing",
      NULL },
    { "{\"$id\":3}", "/$id", "string", NULL },
    { "{\"$id\":\"#a\"}", "/$id", "no fragment", "$anchor" },
    { "{\"$id\":\"a b\"}", "/$id", "URI reference", NULL },
    { "{\"$anchor\":\"1a\"}", "/$anchor", "plain name", NULL },
    { "{\"$defs\":{\"a\":{\"$id\":\"urn:x\"},\"b\":{\"$id\":\"urn:x\"}}}", "/$defs/b/$id",
      "same identifier", NULL },
    { "{\"$defs\":{\"a\":{\"$anchor\":\"x\"},\"b\":{\"$anchor\":\"x\"}}}", "/$defs/b/$anchor",
      "same anchor", NULL },
    { "{\"$ref\":\"https://h.example/s.json\"}", "/$ref", "leads to https://h.example/s.json,",
      "$defs" },
    { "{\"$ref\":\"file:///etc/passwd\"}", "/$ref", "leads to file:///etc/passwd,", "$defs" },
    { "{\"$ref\":\"address.json#/a\"}", "/$ref", "leads to address.json,", "base" },
    { "{\"$ref\":\"#/$defs/a\"}", "/$ref", "names nothing", NULL },
    { "{\"$ref\":\"#/$defs/a%2fb\",\"$defs\":{\"a\":true}}", "/$ref", "names nothing", NULL },
    { "{\"$ref\":\"#/$defs/%\",\"$defs\":{\"%\":true}}", "/$ref", "names nothing", NULL },
    { "{\"$ref\":\"#/prefixItems/01\",\"prefixItems\":[true,true]}", "/$ref", "names nothing",
      NULL },
    { "{\"$ref\":\"#/minimum\",\"minimum\":1}", "/$ref", "no schema", NULL },
    { "{\"$ref\":\"#/minimum/a\",\"minimum\":1}", "/$ref", "names nothing", NULL },
    { "{\"$ref\":\"#/$defs/~2\",\"$defs\":{\"~2\":true}}", "/$ref", "names nothing", NULL },
    { "{\"$ref\":\"#/$defs/~\",\"$defs\":{\"~\":true}}", "/$ref", "names nothing", NULL },
    { "{\"$ref\":\"#/prefixItems/x\",\"prefixItems\":[1]}", "/prefixItems/0", "schemas", NULL },
    { "{\"$ref\":\"#/prefixItems/017\",\"prefixItems\":[true,true,true,true,true,true,true,true,"
      "true,true,true,true,true,true,true,true,true,true]}",
      "/$ref", "names nothing", NULL },
    { "{\"$ref\":\"#/prefixItems/18\",\"prefixItems\":[true,true,true,true,true,true,true,true,"
      "true,true,true,true,true,true,true,true,true,true]}",
      "/$ref", "names nothing", NULL },
    { "{\"$ref\":\"#/$defs/r\",\"$defs\":{\"a\":{},\"b\":{},\"c\":{},\"d\":{},\"e\":{},\"f\":{},"
      "\"g\":{},\"h\":{},\"i\":{},\"j\":{},\"k\":{},\"l\":{},\"m\":{},\"n\":{},\"o\":{},\"p\":{},"
      "\"q\":{}}}",
      "/$ref", "names nothing", NULL },
    { "{\"$vocabulary\":{\"core\":true}}", "/$vocabulary/core", "absolute URI", NULL },
    { "{\"$vocabulary\":{\"urn:a\":1}}", "/$vocabulary/urn:a", "booleans", NULL },
    { "{\"$anchor\":\"\"}", "/$anchor", "plain name", NULL },
    { "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"items\":[]}", "/items", "empty",
      NULL },
    { "{\"$schema\":\"http://json-schema.org/draft-07/"
      "schema#\",\"allOf\":[{\"$id\":\"#a\"},{\"$id\":"
      "\"#a\"}]}",
      "/allOf/1/$id", "same anchor", NULL },
    { "{\"$ref\":\"#\"}", "/$ref", "consuming", NULL },
    { "{\"allOf\":[{\"$ref\":\"#\"}]}", "/allOf/0/$ref", "consuming", NULL },
    { "{\"anyOf\":[{\"type\":\"string\"},{\"not\":{\"$ref\":\"#\"}}]}", "/anyOf/1/not/$ref",
      "consuming", NULL },
    { "{\"if\":true,\"then\":{\"$ref\":\"#\"}}", "/then/$ref", "consuming", NULL },
    { "{\"dependentSchemas\":{\"a\":{\"$ref\":\"#\"}}}", "/dependentSchemas/a/$ref", "consuming",
      NULL },
    { "{\"$defs\":{\"a\":{\"$ref\":\"#/$defs/b\"},\"b\":{\"$ref\":\"#/$defs/a\"}}}",
      "/$defs/b/$ref", "consuming", NULL },
    { "{\"$schema\":\"http://json-schema.org/draft-04/schema#\",\"required\":[]}", "/required",
      "empty", NULL },
    { "{\"$schema\":\"http://json-schema.org/draft-04/schema#\",\"not\":true}", "/not", "schema",
      NULL },
    { "{\"$schema\":\"http://json-schema.org/draft-04/"
      "schema#\",\"minimum\":1,\"exclusiveMinimum\":2}",
      "/exclusiveMinimum", "boolean", NULL },
};

static void refuses_with_reason_and_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refusals); i++) {
        const struct refusal *row = &refusals[i];
        struct schema_program *program = NULL;
        struct error error;
        error_clear(&error);
        enum status status =
            schema_compile_text(str_from(row->schema), NULL, alloc_default(), &program, &error);
        if (status != STATUS_INVALID_SCHEMA || strcmp(error.pointer, row->pointer) != 0 ||
            strstr(error.message, row->message) == NULL ||
            (row->hint == NULL ? error.hint[0] != '\0' : strstr(error.hint, row->hint) == NULL))
            fail_msg("%s: %d \"%s\" at \"%s\", hint \"%s\"", row->schema, status, error.message,
                     error.pointer, error.hint);
        assert_true(error.has_pointer);
        assert_int_equal(error.line, 1);
        assert_null(program);
    }
}

static void names_line_and_column(void **state)
{
    (void)state;
    struct schema_program *program = NULL;
    struct error error;
    error_clear(&error);
    assert_int_equal(schema_compile_text(STR("{\n  \"type\": \"object\",\n  \"minItems\": -1\n}"),
                                         NULL, alloc_default(), &program, &error),
                     STATUS_INVALID_SCHEMA);
    assert_int_equal(error.line, 3);
    assert_int_equal(error.column, 15);
}

/* Not JSON, or JSON that is no schema document, is the schema's fault. */
static void refuses_texts_that_are_not_json(void **state)
{
    (void)state;
    static const char *const texts[] = { "", "{", "{\"type\":\"string\",}",
                                         "{\"type\":\"string\"} x",
                                         "{\"type\":\"string\",\"type\":\"integer\"}" };
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct schema_program *program = NULL;
        struct error error;
        error_clear(&error);
        assert_int_equal(
            schema_compile_text(str_from(texts[i]), NULL, alloc_default(), &program, &error),
            STATUS_INVALID_SCHEMA);
        assert_int_equal(error.status, STATUS_INVALID_SCHEMA);
        assert_int_equal(error.line, 1);
    }
}

static void wants_an_object_at_the_root(void **state)
{
    (void)state;
    static const struct {
        const char *schema;
        bool right;
    } roots[] = {
        { "{\"type\":\"object\"}", true },
        { "{\"properties\":{}}", true },
        { "{\"required\":[\"a\"]}", true },
        { "{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"type\":\"object\"}}}", true },
        { "{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"properties\":{\"x\":true}}}}", true },
        { "{\"allOf\":[{\"type\":\"object\"}]}", true },
        { "{\"anyOf\":[{\"type\":\"object\"},{\"const\":{}}]}", true },
        { "{}", false },
        { "true", false },
        { "false", false },
        { "{\"type\":\"array\"}", false },
        { "{\"type\":[\"object\",\"null\"]}", false },
        { "{\"anyOf\":[{\"type\":\"object\"},{\"type\":\"null\"}]}", false },
    };
    const struct schema_options options = { .object_root = true, .format_asserts = true };
    for (size_t i = 0; i < COUNT(roots); i++) {
        struct schema_program *program = NULL;
        struct error error;
        error_clear(&error);
        enum status status = schema_compile_text(str_from(roots[i].schema), &options,
                                                 alloc_default(), &program, &error);
        if (status != (roots[i].right ? STATUS_OK : STATUS_INVALID_SCHEMA))
            fail_msg("%s: %d %s", roots[i].schema, status, error.message);
        if (!roots[i].right)
            assert_non_null(strstr(error.hint, "--wrap-root"));
        schema_program_free(program);
    }
}

struct warnings {
    unsigned count;
    struct error last;
};

static void note_warning(void *state, const struct error *warning)
{
    struct warnings *warnings = state;
    warnings->count++;
    warnings->last = *warning;
}

static void warns_instead_when_asked(void **state)
{
    (void)state;
    static const struct {
        const char *schema;
        enum schema_unknown unknown;
        unsigned count;
        const char *pointer;
    } rows[] = {
        { "{\"requried\":1}", SCHEMA_UNKNOWN_WARN, 1, "/requried" },
        { "{\"requried\":1}", SCHEMA_UNKNOWN_ALLOW, 0, "" },
        { "{\"x-requried\":1}", SCHEMA_UNKNOWN_WARN, 0, "" },
        { "{\"enum\":[1,1.0]}", SCHEMA_UNKNOWN_ERROR, 1, "/enum/1" },
        { "{\"enum\":[]}", SCHEMA_UNKNOWN_ERROR, 1, "/enum" },
        { "{\"pattern\":\"^a\\\\-b$\"}", SCHEMA_UNKNOWN_ERROR, 1, "/pattern" },
        { "{\"pattern\":\"^[a\\\\-b]$\"}", SCHEMA_UNKNOWN_ERROR, 0, "" },
        { "{\"patternProperties\":{\"\\\\_\":true}}", SCHEMA_UNKNOWN_ERROR, 1,
          "/patternProperties/\\_" },
        { "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"$ref\":\"#/definitions/a\","
          "\"minimum\":1,\"definitions\":{\"a\":true}}",
          SCHEMA_UNKNOWN_ERROR, 1, "/minimum" },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct warnings warnings = { .count = 0 };
        struct schema_program *program = NULL;
        const struct schema_options options = { .unknown_keywords = rows[i].unknown,
                                                .warn = note_warning,
                                                .warn_state = &warnings };
        assert_int_equal(schema_compile_text(str_from(rows[i].schema), &options, alloc_default(),
                                             &program, NULL),
                         STATUS_OK);
        assert_int_equal(warnings.count, rows[i].count);
        if (warnings.count > 0)
            assert_string_equal(warnings.last.pointer, rows[i].pointer);
        schema_program_free(program);
    }
}

static void takes_a_default_dialect(void **state)
{
    (void)state;
    struct schema_options options = { .dialect = STR("http://json-schema.org/draft-07/schema") };
    struct schema_program *program = NULL;
    assert_int_equal(
        schema_compile_text(STR("{\"items\":[true]}"), &options, alloc_default(), &program, NULL),
        STATUS_OK);
    schema_program_free(program);
    options.dialect = STR("urn:none");
    assert_int_equal(schema_compile_text(STR("{}"), &options, alloc_default(), &program, NULL),
                     STATUS_INVALID_SCHEMA);
}

/* A schema that is referred to from many places is compiled once. */
static void compiles_a_shared_schema_once(void **state)
{
    (void)state;
    struct schema_program *program =
        compile_text("{\"prefixItems\":[{\"$ref\":\"#/$defs/a\"},{\"$ref\":\"#/$defs/"
                     "a\"},{\"$ref\":\"#/$defs/a\"}],"
                     "\"$defs\":{\"a\":{\"type\":\"integer\"}}}");
    assert_int_equal(program->node_count, 5);
    schema_program_free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_with_reason_and_place),
        cmocka_unit_test(names_line_and_column),
        cmocka_unit_test(refuses_texts_that_are_not_json),
        cmocka_unit_test(wants_an_object_at_the_root),
        cmocka_unit_test(warns_instead_when_asked),
        cmocka_unit_test(takes_a_default_dialect),
        cmocka_unit_test(compiles_a_shared_schema_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_typescript.c - the type that small models read. */
#include "base/features.h"

#include "schema_test.h"

#include "schema/typescript.h"

static const struct row {
    const char *schema;
    const char *type;
} rows[] = {
    { "{\"type\":\"string\"}", "string" },
    { "true", "any" },
    { "{}", "any" },
    { "false", "any" },
    { "{\"type\":[\"string\",\"null\"]}", "string | null" },
    { "{\"type\":[\"number\",\"boolean\"]}", "number | boolean" },
    { "{\"minimum\":3}", "number" },
    { "{\"enum\":[\"a b\",1,null]}", "\"a b\" | 1 | null" },
    { "{\"const\":true}", "true" },
    { "{\"type\":\"array\"}", "any[]" },
    { "{\"items\":{\"enum\":[1,2]}}", "(1 | 2)[]" },
    { "{\"items\":{\"type\":[\"integer\",\"null\"]}}", "(integer | null)[]" },
    { "{\"prefixItems\":[{\"type\":\"string\"}],\"items\":{\"type\":\"number\"}}",
      "[string, ...number[]]" },
    { "{\"prefixItems\":[{\"type\":\"string\"}],\"items\":false}", "[string]" },
    { "{\"type\":\"object\"}", "object" },
    { "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}", "string | null" },
    { "{\"allOf\":[{\"$ref\":\"#/$defs/"
      "a\"},{\"required\":[\"x\"]}],\"$defs\":{\"a\":{\"properties\":{\"x\":{\"type\":\"integer\"}}"
      "}}}",
      "{\n  x?: integer,\n} & object" },
    { "{\"properties\":{\"a\":{\"type\":\"integer\",\"minimum\":1,\"exclusiveMaximum\":9,"
      "\"description\":\" The\\n first \"},"
      "\"b c\":{\"type\":\"string\",\"format\":\"date\"},\"gone\":false},\"required\":[\"a\"]}",
      "{\n  // The first; ≥ 1; < 9\n  a: integer,\n  // YYYY-MM-DD\n  \"b c\"?: string,\n}" },
    { "{\"properties\":{\"o\":{\"type\":\"object\",\"properties\":{\"p\":{\"type\":\"null\"}}}}}",
      "{\n  o?: {\n    p?: null,\n  },\n}" },
    { "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"number\"}}",
      "{\n  [name: string]: number,\n}" },
    { "{\"$ref\":\"#/$defs/"
      "tree-node\",\"$defs\":{\"tree-node\":{\"properties\":{\"kids\":{\"items\":{\"$ref\":\"#/"
      "$defs/tree-node\"}}}}}}",
      "type Treenode = {\n  kids?: Treenode[],\n};\nTreenode" },
    { "{\"properties\":{\"next\":{\"$ref\":\"#\"}}}", "type Type = {\n  next?: Type,\n};\nType" },
};

static void writes_types(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct schema_program *program = compile_text(rows[i].schema);
        struct buffer out;
        buffer_init(&out, alloc_default(), TEST_TEXT_BYTES);
        schema_write_typescript(program, &out);
        assert_int_equal(buffer_status(&out), STATUS_OK);
        if (!str_equal(buffer_view(&out), str_from(rows[i].type)))
            fail_msg("%s gives\n%s\ninstead of\n%s", rows[i].schema, out.ptr, rows[i].type);
        buffer_release(&out);
        schema_program_free(program);
    }
}

/* Definitions that double at every level end, and so does an endless description. */
static void bounds_the_text(void **state)
{
    (void)state;
    struct buffer text;
    struct buffer out;
    buffer_init(&text, alloc_default(), TEST_TEXT_BYTES);
    buffer_init(&out, alloc_default(), TEST_TEXT_BYTES);
    buffer_append_str(&text,
                      STR("{\"properties\":{\"a\":{\"$ref\":\"#/$defs/l0\",\"description\":\""));
    for (unsigned i = 0; i < 10000; i++)
        buffer_append_str(&text, STR("word "));
    buffer_append_str(&text, STR("\"}},\"$defs\":{"));
    for (unsigned i = 0; i < 40; i++)
        buffer_printf(&text,
                      "\"l%u\":{\"properties\":{\"x\":{\"$ref\":\"#/$defs/"
                      "l%u\"},\"y\":{\"$ref\":\"#/$defs/l%u\"}}},",
                      i, i + 1, i + 1);
    buffer_append_str(&text, STR("\"l40\":{\"type\":\"string\"}}}"));
    struct schema_program *program = compile_text(text.ptr);
    schema_write_typescript(program, &out);
    assert_int_equal(buffer_status(&out), STATUS_OK);
    assert_true(out.len < 128 * 1024);
    assert_non_null(strstr(out.ptr, "word…\n"));
    buffer_release(&text);
    buffer_release(&out);
    schema_program_free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_types),
        cmocka_unit_test(bounds_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

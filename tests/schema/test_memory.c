/* test_memory.c - every allocation of compiling, judging and explaining may fail: the status says
 * so, nothing is lost, and the next run is right.
 */
#include "base/features.h"

#include "schema_test.h"

#include "schema/typescript.h"
#include "test_alloc.h"

struct scenario {
    const char *schema;
    const char *instance;
    bool valid;
};

static const struct scenario scenarios[] = {
    { "{\"$id\":\"https://e.example/s\",\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#/"
      "$defs/n\"},"
      "\"b\":{\"enum\":[1,2,3,4,5,6,7,8,9,10]},\"c\":{\"uniqueItems\":true}},\"required\":[\"a\"],"
      "\"additionalProperties\":false,\"$defs\":{\"n\":{\"anyOf\":[{\"type\":\"integer\"},{\"$"
      "ref\":\"s#/$defs/l\"}]},"
      "\"l\":{\"$anchor\":\"here\",\"items\":{\"$ref\":\"#here\"}}}}",
      "{\"a\":[[],[[]]],\"b\":10,\"c\":[1,2,3,4,5,6,7,8,9,[10]]}", true },
    { "{\"oneOf\":[{\"properties\":{\"k\":{\"const\":\"a\"},\"v\":{\"minLength\":2}},\"required\":["
      "\"k\"]},"
      "{\"properties\":{\"k\":{\"const\":\"b\"},\"v\":{\"type\":\"array\"}},\"required\":[\"k\"]}]"
      "}",
      "{\"k\":\"a\",\"v\":\"x\",\"w\":0}", false },
    { "{\"items\":{\"properties\":{\"name\":true},\"additionalProperties\":false,\"required\":["
      "\"name\"]}}",
      "[{\"nmae\":1},{\"name\":1,\"x\":2},3]", false },
    { "{\"patternProperties\":{\"^n(a|b){2,3}$\":{\"pattern\":\"^\\\\d+$\"}},"
      "\"additionalProperties\":{\"format\":\"regex\"}}",
      "{\"nab\":\"12\",\"z\":\"(a[b-c])\",\"naa\":\"1x\"}", false },
    { "{\"pattern\":\"^(a|b)*a(a|b){300}c$\"}", "\"abab\"", false },
    { "{\"required\":[1]}", "1", false },
};

static void compile_and_judge(struct test_alloc *test, void *context)
{
    const struct scenario *scenario = context;
    const struct alloc *alloc = &test->alloc;
    struct schema_program *program = NULL;
    struct json_doc *doc = NULL;
    struct arena arena;
    struct buffer text;
    struct error error;
    struct schema_violations violations = { .arena = &arena };
    bool valid = false;
    error_clear(&error);
    arena_init(&arena, alloc, TEST_ARENA_BYTES);
    buffer_init(&text, alloc, TEST_TEXT_BYTES);
    enum status status =
        schema_compile_text(str_from(scenario->schema), NULL, alloc, &program, &error);
    if (status == STATUS_OK)
        status = json_parse(str_from(scenario->instance), NULL, alloc, &doc, &error);
    if (status == STATUS_OK)
        status = schema_is_valid(program, json_doc_root(doc), 0, alloc, &valid, &error);
    if (status == STATUS_OK)
        status =
            schema_validate(program, json_doc_root(doc), 0, alloc, &valid, &violations, &error);
    if (status == STATUS_OK) {
        assert_int_equal(valid, scenario->valid);
        assert_int_equal(valid, violations.count == 0);
        schema_write_typescript(program, &text);
        schema_write_reason(&violations, true, &text);
        status = buffer_status(&text);
    } else {
        assert_int_equal(error.status, status);
        assert_true(error.message[0] != '\0');
    }
    if (test->failures == 0)
        assert_true(status == STATUS_OK || status == STATUS_INVALID_SCHEMA);
    else
        assert_true(status == STATUS_NO_MEMORY || status == STATUS_OK ||
                    status == STATUS_INVALID_SCHEMA);
    buffer_release(&text);
    arena_release(&arena);
    json_doc_free(doc);
    schema_program_free(program);
}

static void survives_every_failure(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(scenarios); i++) {
        struct scenario scenario = scenarios[i];
        test_alloc_failures(compile_and_judge, &scenario);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survives_every_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_memory.c - every allocation of building an index, a language and a state may fail. */
#include "base/features.h"

#include "fixture.h"
#include "test_alloc.h"

static const char schema[] =
    "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"},\"d\":{\"type\":\"string\","
    "\"format\":\"date\"},"
    "\"n\":{\"type\":\"number\"},\"e\":{\"enum\":[\"x\",2]},\"l\":{\"type\":\"array\",\"items\":{"
    "\"$ref\":\"#\"}},"
    "\"p\":{\"type\":\"string\",\"not\":{\"maxLength\":3}}},\"required\":[\"a\"],"
    "\"additionalProperties\":{\"type\":\"null\"},"
    "\"minProperties\":1,\"anyOf\":[{\"required\":[\"n\"]},{\"required\":[\"e\"]}]}";

static void scenario(struct test_alloc *test, void *context)
{
    const struct schema_program *program = context;
    struct ground *ground = NULL;
    struct decode_language *language = NULL;
    struct decode_state *state = NULL;
    struct error error;
    error_clear(&error);
    enum status status =
        ground_new(STR("Three nights, 14 May 2026, at 12.50."), &test->alloc, &ground, &error);
    struct decode_options options = { .ground = ground, .need_name = STR("_need") };
    if (status == STATUS_OK)
        status = decode_language_new(program, &options, &test->alloc, &language, &error);
    if (status == STATUS_OK)
        status = decode_state_new(language, &test->alloc, &state);
    if (status == STATUS_OK) {
        struct buffer out;
        buffer_init(&out, &test->alloc, 4096);
        decode_state_forced(state, &out);
        decode_state_closing(state, &out);
        buffer_release(&out);
        assert_true(decode_state_feed(state, STR("{\"a\":\"Three nights\",\"d\":\"2026")));
    }
    assert_true(status == STATUS_OK || (test->failures > 0 && status == STATUS_NO_MEMORY));
    decode_state_free(state);
    decode_language_free(language);
    ground_free(ground);
}

static void test_failures(void **state)
{
    (void)state;
    struct schema_program *program = NULL;
    struct error error;
    error_clear(&error);
    assert_int_equal(schema_compile_text(str_from(schema), NULL, alloc_default(), &program, &error),
                     STATUS_OK);
    test_alloc_failures(scenario, program);
    schema_program_free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_failures) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_request.c - the request check: what is refused before any model is asked. */
#include "base/features.h"

#include "engine_test.h"

#include "engine/request.h"

#define SCHEMA "{\"type\":\"object\",\"properties\":{\"a\":{}}}"

static enum status check(struct run *run)
{
    struct model_info info = model_info(&run->model.model);
    error_clear(&run->error);
    enum status status =
        engine_call_new(&run->request, &info, 1, run->alloc, &run->call, &run->error);
    engine_call_free(run->call);
    run->call = NULL;
    return status;
}

static void test_prompt_text(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum status status;
    } table[] = {
        { "", STATUS_INVALID_REQUEST },
        { " \t\r\n\v\f", STATUS_INVALID_REQUEST },
        { "\xC2\xA0\xE2\x80\x83\xE3\x80\x80\xE2\x80\xA8\xC2\x85",
          STATUS_INVALID_REQUEST }, /* Unicode spaces */
        { "\xEF\xBB\xBF\xE2\x80\x8B\xE2\x81\xA0",
          STATUS_INVALID_REQUEST }, /* marks without width */
        { "\xE1\x9A\x80\xE2\x80\xAF\xE2\x81\x9F", STATUS_INVALID_REQUEST },
        { " x ", STATUS_OK },
        { "\xE2\x80\x8Bx", STATUS_OK },
        { "\x01", STATUS_OK },
        { "\xE4\xBE\xA1", STATUS_OK },
        { "abc\xFF", STATUS_INVALID_REQUEST },
        { "abc\xE2\x82", STATUS_INVALID_REQUEST },
        { "\xED\xA0\x80", STATUS_INVALID_REQUEST }, /* a surrogate */
        { "\xC0\xAF", STATUS_INVALID_REQUEST },     /* an overlong form */
    };
    struct run run;
    run_init(&run, SCHEMA, NULL, 0);
    for (size_t i = 0; i < COUNT(table); i++) {
        run.request.prompt = str_from(table[i].text);
        assert_int_equal(check(&run), table[i].status);
        assert_int_equal(run.error.status, table[i].status);
    }
    run_release(&run);
}

static void test_place_of_bad_byte(void **state)
{
    (void)state;
    struct run run;
    run_init(&run, SCHEMA, NULL, 0);
    run.request.prompt = STR("line one\nCANARY \xFF");
    assert_int_equal(check(&run), STATUS_INVALID_REQUEST);
    assert_int_equal(run.error.line, 2);
    assert_int_equal(run.error.column, 8);
    assert_null(strstr(run.error.message, "CANARY"));
    run.request.prompt = STR("x");
    run.request.instructions = STR("\xFF");
    assert_int_equal(check(&run), STATUS_INVALID_REQUEST);
    assert_non_null(strstr(run.error.message, "instructions"));
    run_release(&run);
}

static void test_loops(void **state)
{
    (void)state;
    struct run run;
    run_init(&run, SCHEMA, NULL, 0);
    static const uint32_t good[] = { 0, 1, 10 }, bad[] = { 11, UINT32_MAX };
    for (size_t i = 0; i < COUNT(good); i++) {
        run.request.loops_max = good[i];
        assert_int_equal(check(&run), STATUS_OK);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        run.request.loops_max = bad[i];
        assert_int_equal(check(&run), STATUS_INVALID_REQUEST);
        assert_non_null(strstr(run.error.message, "1..10"));
    }
    run_release(&run);
}

static void test_target(void **state)
{
    (void)state;
    struct run run;
    run_init(&run, SCHEMA, NULL, 0);
    run.request.program = NULL;
    assert_int_equal(check(&run), STATUS_INVALID_SCHEMA);
    assert_non_null(strstr(run.error.hint, "--wrap-root"));
    struct schema_program *program = NULL;
    struct error error = { 0 };
    assert_int_equal(
        schema_compile_text(STR("{\"type\":\"array\"}"), NULL, run.alloc, &program, &error),
        STATUS_OK);
    run.request.program = program;
    assert_int_equal(check(&run), STATUS_INVALID_SCHEMA);
    schema_program_free(program);
    run_release(&run);
}

static void test_strictness(void **state)
{
    (void)state;
    struct run run;
    run_init(&run, SCHEMA, NULL, 0);
    run.model.info.capabilities = 0;
    assert_int_equal(check(&run), STATUS_UNSUPPORTED);
    assert_non_null(strstr(run.error.hint, "--no-strict"));
    run.request.require_strict = false;
    assert_int_equal(check(&run), STATUS_OK);
    run_release(&run);
}

static void test_need_name(void **state)
{
    (void)state;
    static const struct {
        const char *schema, *name;
    } table[] = {
        { "{\"type\":\"object\"}", "_need" },
        { "{\"type\":\"object\",\"properties\":{\"_needs\":{}}}", "_need" },
        { "{\"type\":\"object\",\"properties\":{\"_need\":{}}}", "_need_" },
        { "{\"type\":\"object\",\"required\":[\"_need\"]}", "_need_" },
        { "{\"type\":\"object\",\"properties\":{\"a\":{\"properties\":{\"_need\":{}}}}}",
          "_need_" },
        { "{\"type\":\"object\",\"properties\":{\"_need\":{},\"_need_\":{}}}", "_need2" },
        { "{\"type\":\"object\",\"properties\":{\"_need\":{},\"_need_\":{},\"_need2\":{},\"_"
          "need41\":{}}}",
          "_need42" },
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        struct schema_program *program = compile_schema(table[i].schema, alloc_default());
        char name[ENGINE_NEED_NAME_BYTES];
        size_t len = engine_request_need_name(program, name);
        assert_true(str_equal((struct str){ name, len }, str_from(table[i].name)));
        schema_program_free(program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prompt_text), cmocka_unit_test(test_place_of_bad_byte),
        cmocka_unit_test(test_loops),       cmocka_unit_test(test_target),
        cmocka_unit_test(test_strictness),  cmocka_unit_test(test_need_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

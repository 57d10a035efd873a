/* test_extract.c - structure_extract over a scripted model: every end of a call, and memory
 * that fails. */
#include "base/features.h"

#include "api/api_extract.h"

#include "scripted_model.h"
#include "test.h"
#include "test_alloc.h"

#define SCHEMA                                                                                     \
    "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\",\"maximum\":5},"             \
    "\"name\":{\"type\":\"string\"}},\"required\":[\"n\"],\"additionalProperties\":false}"

enum { SCRIPT_MAX = 3 };

struct extract_case {
    const char *label;
    struct scripted_reply script[SCRIPT_MAX];
    uint32_t reply_count;
    uint32_t loops_max;
    bool once;
    enum structure_kind kind;
    enum structure_status status;
    const char *text; /* data, need, the first violation's pointer, or the error's message */
    uint32_t iterations;
};

static const struct extract_case cases[] = {
    { "valid at once",
      { { .text = "{\"name\":\"a\",\"n\":1.0}" } },
      1,
      3,
      false,
      STRUCTURE_OK,
      STRUCTURE_STATUS_OK,
      "{\"n\":1.0,\"name\":\"a\"}",
      1 },
    { "repaired",
      { { .text = "{\"n\":9}" }, { .text = "{\"n\":3}" } },
      2,
      3,
      false,
      STRUCTURE_OK,
      STRUCTURE_STATUS_OK,
      "{\"n\":3}",
      2 },
    { "asks back",
      { { .text = "{\"_need\":\"which n?\"}" } },
      1,
      3,
      false,
      STRUCTURE_OK,
      STRUCTURE_STATUS_NEED_MORE_INPUT,
      "which n?",
      1 },
    { "never conforms",
      { { .text = "{\"n\":9}" }, { .text = "{\"n\":8}" } },
      2,
      2,
      false,
      STRUCTURE_OK,
      STRUCTURE_STATUS_STALE,
      "/n",
      2 },
    { "never conforms, once",
      { { .text = "{\"n\":9}" }, { .text = "{\"n\":8}" } },
      2,
      3,
      true,
      STRUCTURE_SCHEMA_VIOLATION,
      STRUCTURE_STATUS_OK,
      NULL,
      0 },
    { "the model fails",
      { { .failure = STATUS_TRANSPORT } },
      1,
      3,
      false,
      STRUCTURE_TRANSPORT,
      STRUCTURE_STATUS_OK,
      NULL,
      0 },
    { "loops out of range",
      { { .text = "{}" } },
      1,
      11,
      false,
      STRUCTURE_INVALID_REQUEST,
      STRUCTURE_STATUS_OK,
      NULL,
      0 },
    { "no loops",
      { { .text = "{}" } },
      1,
      0,
      false,
      STRUCTURE_INVALID_REQUEST,
      STRUCTURE_STATUS_OK,
      NULL,
      0 },
};

/* A handle around the scripted model, as structure_model_open would make one. */
static structure_model handle_of(struct scripted_model *scripted)
{
    return (structure_model){ .alloc = *alloc_default(),
                              .model = scripted->model,
                              .info = scripted->info,
                              .name = "scripted/one" };
}

static structure_schema *schema_new(void)
{
    structure_schema *schema = NULL;
    assert_int_equal(structure_schema_new(SCHEMA, STRUCTURE_NUL, NULL, NULL, &schema, NULL),
                     STRUCTURE_OK);
    return schema;
}

static structure_request *request_new(const structure_schema *schema)
{
    structure_request *request = structure_request_new(schema, NULL);
    assert_non_null(request);
    assert_int_equal(structure_request_set_prompt(request, "n is three", STRUCTURE_NUL),
                     STRUCTURE_OK);
    return request;
}

static void check_result(const struct extract_case *expected, const structure_result *result)
{
    size_t len = 0;
    assert_int_equal(structure_result_status(result), expected->status);
    assert_int_equal(structure_result_iterations(result), expected->iterations);
    assert_int_equal(structure_result_model_calls(result), expected->iterations);
    assert_non_null(strstr(structure_result_json(result, &len), "\"status\":"));
    assert_int_equal(len, strlen(structure_result_json(result, NULL)));
    const char *data = structure_result_data(result, NULL);
    const char *need = structure_result_need(result);
    const structure_report *report = structure_result_report(result);
    assert_int_equal(data != NULL, expected->status == STRUCTURE_STATUS_OK);
    assert_int_equal(need != NULL, expected->status == STRUCTURE_STATUS_NEED_MORE_INPUT);
    assert_int_equal(report != NULL, expected->status == STRUCTURE_STATUS_STALE);
    if (report != NULL) {
        assert_int_equal(structure_report_is_valid(report), 0);
        assert_int_equal(structure_report_count(report), 1);
        assert_string_equal(structure_report_keyword(report, 0), "maximum");
        assert_string_equal(structure_report_pointer(report, 0), expected->text);
    } else {
        assert_string_equal(data != NULL ? data : need, expected->text);
    }
}

static void test_ends(void **state)
{
    (void)state;
    structure_schema *schema = schema_new();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct scripted_model scripted;
        scripted_model_init(&scripted, cases[i].script, cases[i].reply_count);
        structure_model model = handle_of(&scripted);
        structure_request *request = request_new(schema);
        structure_request_set_loops_max(request, cases[i].loops_max);
        structure_request_set_once(request, cases[i].once ? 1 : 0);
        structure_result *result = NULL;
        structure_error *error = NULL;
        print_message("%s\n", cases[i].label);
        assert_int_equal(structure_extract(&model, request, NULL, &result, &error), cases[i].kind);
        assert_int_equal(result != NULL, cases[i].kind == STRUCTURE_OK);
        assert_int_equal(error != NULL, cases[i].kind != STRUCTURE_OK);
        /* A result needs nothing of what made it. */
        structure_request_free(request);
        if (result != NULL)
            check_result(&cases[i], result);
        else
            assert_int_equal(structure_error_kind(error), cases[i].kind);
        structure_result_free(result);
        structure_error_free(error);
    }
    structure_schema_free(schema);
}

static void test_prompts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t len;
    } refused[] = { { "", 0 }, { " \n", 2 }, { "caf\xe9", 4 } };
    structure_schema *schema = schema_new();
    struct scripted_model scripted;
    scripted_model_init(&scripted, NULL, 0);
    structure_model model = handle_of(&scripted);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        structure_request *request = structure_request_new(schema, NULL);
        structure_result *result = NULL;
        assert_int_equal(structure_request_set_prompt(request, refused[i].text, refused[i].len),
                         STRUCTURE_OK);
        assert_int_equal(structure_extract(&model, request, NULL, &result, NULL),
                         STRUCTURE_INVALID_REQUEST);
        assert_null(result);
        structure_request_free(request);
    }
    assert_int_equal(scripted.calls, 0);
    structure_schema_free(schema);
}

static void test_cancel(void **state)
{
    (void)state;
    static const struct scripted_reply script[] = { { .text = "{\"n\":1}" },
                                                    { .text = "{\"n\":1}" } };
    structure_schema *schema = schema_new();
    structure_request *request = request_new(schema);
    structure_cancel *cancel = structure_cancel_new();
    structure_result *result = NULL;
    structure_error *error = NULL;
    struct scripted_model scripted;
    scripted_model_init(&scripted, script, 2);
    structure_model model = handle_of(&scripted);
    structure_cancel_request(cancel);
    assert_int_equal(structure_extract(&model, request, cancel, &result, &error),
                     STRUCTURE_CANCELLED);
    assert_string_equal(structure_kind_name(structure_error_kind(error)), "cancelled");
    structure_error_free(error);
    structure_cancel_reset(cancel);
    assert_int_equal(structure_extract(&model, request, cancel, &result, NULL), STRUCTURE_OK);
    structure_result_free(result);
    structure_cancel_free(cancel);
    structure_request_free(request);
    structure_schema_free(schema);
}

static void *resize_for_caller(void *state, void *ptr, size_t size_old, size_t size_new)
{
    const struct alloc *alloc = state;
    return alloc->resize(alloc->state, ptr, size_old, size_new);
}

/* Schema, request, call and report on the caller's heap, which may fail at any time. */
static void failing_call(struct test_alloc *test, void *context)
{
    (void)context;
    static const struct scripted_reply script[] = { { .text = "{\"n\":9}" },
                                                    { .text = "{\"n\":8}" } };
    struct structure_allocator allocator = { resize_for_caller, &test->alloc };
    struct scripted_model scripted;
    structure_schema *schema = NULL;
    structure_request *request = NULL;
    structure_result *result = NULL;
    structure_error *error = NULL;
    scripted_model_init(&scripted, script, 2);
    structure_model model = handle_of(&scripted);
    enum structure_kind kind =
        structure_schema_new(SCHEMA, STRUCTURE_NUL, NULL, &allocator, &schema, &error);
    if (kind == STRUCTURE_OK) {
        request = structure_request_new(schema, &allocator);
        kind = request == NULL ? STRUCTURE_INTERNAL
                               : structure_request_set_prompt(request, "text", STRUCTURE_NUL);
    }
    if (kind == STRUCTURE_OK) {
        structure_request_set_loops_max(request, 2);
        kind = structure_extract(&model, request, NULL, &result, &error);
    }
    if (test->failures == 0)
        assert_int_equal(structure_result_status(result), STRUCTURE_STATUS_STALE);
    else
        assert_int_equal(kind == STRUCTURE_OK || kind == STRUCTURE_INTERNAL, 1);
    assert_int_equal(result != NULL, kind == STRUCTURE_OK);
    structure_error_free(error);
    structure_result_free(result);
    structure_request_free(request);
    structure_schema_free(schema);
}

static void test_failing_memory(void **state)
{
    (void)state;
    test_alloc_failures(failing_call, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_prompts),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_live_extract.c - the public interface with the default model: an object, and a thread that
 * loses patience. */
#include "base/features.h"

#include <pthread.h>

#include "structure.h"
#include "test.h"
#include "test_data.h"

static const char schema_text[] =
    "{\"type\":\"object\",\"properties\":{\"hotel\":{\"type\":\"string\"},\"nights\":{\"type\":"
    "\"integer\",\"minimum\":1}},\"required\":[\"hotel\",\"nights\"],\"additionalProperties\":"
    "false}";

static const char prompt[] = "The Seaview Hotel offers you 3 nights from 14 May 2026.";

static structure_model *model;

static int open_model(void **state)
{
    (void)state;
    enum structure_kind kind = structure_model_open(NULL, NULL, NULL, &model, NULL);
    return kind == STRUCTURE_OK || kind == STRUCTURE_NOT_CONFIGURED ? 0 : -1;
}

static void need_model(void)
{
    if (model == NULL)
        test_skip("the default model is not there");
}

static int close_model(void **state)
{
    (void)state;
    structure_model_free(model);
    return 0;
}

static structure_request *request_new(structure_schema **out_schema)
{
    assert_int_equal(structure_schema_new(schema_text, STRUCTURE_NUL, NULL, NULL, out_schema, NULL),
                     STRUCTURE_OK);
    structure_request *request = structure_request_new(*out_schema, NULL);
    assert_int_equal(structure_request_set_prompt(request, prompt, STRUCTURE_NUL), STRUCTURE_OK);
    structure_request_set_model_timeout_ms(request, 0);
    /* Written token by token, so that pieces are told. */
    structure_request_set_grounded(request, STRUCTURE_GROUNDED_OFF);
    return request;
}

static void count_piece(void *state, const char *piece, size_t len)
{
    size_t *bytes = state;
    assert_non_null(piece);
    *bytes += len;
}

static void test_object(void **state)
{
    (void)state;
    need_model();
    size_t streamed = 0;
    structure_schema *schema = NULL;
    structure_result *result = NULL;
    structure_report *report = NULL;
    structure_request *request = request_new(&schema);
    structure_request_set_progress(request, count_piece, &streamed);
    assert_int_equal(structure_extract(model, request, NULL, &result, NULL), STRUCTURE_OK);
    assert_int_equal(structure_result_status(result), STRUCTURE_STATUS_OK);
    const char *data = structure_result_data(result, NULL);
    assert_int_equal(structure_validate(schema, data, STRUCTURE_NUL, 0, &report, NULL),
                     STRUCTURE_OK);
    assert_int_equal(structure_report_is_valid(report), 1);
    assert_true(streamed >= strlen(data));
    assert_true(structure_result_output_tokens(result) > 0);
    assert_true(structure_result_input_tokens(result) > 0);
    assert_true(structure_model_parameter_count(model) > 0);
    assert_int_not_equal(structure_model_name(model)[0], '\0');
    structure_report_free(report);
    structure_result_free(result);
    structure_request_free(request);
    structure_schema_free(schema);
}

/* The other thread asks to stop as soon as the first piece of the reply is there. */
struct impatience {
    pthread_mutex_t lock;
    pthread_cond_t written;
    bool is_written;
    structure_cancel *cancel;
};

static void tell_thread(void *state, const char *piece, size_t len)
{
    struct impatience *impatience = state;
    (void)piece;
    (void)len;
    pthread_mutex_lock(&impatience->lock);
    impatience->is_written = true;
    pthread_cond_signal(&impatience->written);
    pthread_mutex_unlock(&impatience->lock);
}

static void *lose_patience(void *argument)
{
    struct impatience *impatience = argument;
    pthread_mutex_lock(&impatience->lock);
    while (!impatience->is_written)
        pthread_cond_wait(&impatience->written, &impatience->lock);
    pthread_mutex_unlock(&impatience->lock);
    structure_cancel_request(impatience->cancel);
    return NULL;
}

static void test_cancel_from_another_thread(void **state)
{
    (void)state;
    need_model();
    pthread_t thread;
    struct impatience impatience = { .lock = PTHREAD_MUTEX_INITIALIZER,
                                     .written = PTHREAD_COND_INITIALIZER,
                                     .cancel = structure_cancel_new() };
    structure_schema *schema = NULL;
    structure_result *result = NULL;
    structure_request *request = request_new(&schema);
    structure_request_set_progress(request, tell_thread, &impatience);
    assert_int_equal(pthread_create(&thread, NULL, lose_patience, &impatience), 0);
    enum structure_kind kind = structure_extract(model, request, impatience.cancel, &result, NULL);
    tell_thread(&impatience, "", 0); /* nobody waits for a piece that did not come */
    assert_int_equal(pthread_join(thread, NULL), 0);
    /* The reply may have been finished before the other thread got its turn. */
    assert_true(kind == STRUCTURE_CANCELLED || kind == STRUCTURE_OK);
    assert_int_equal(result != NULL, kind == STRUCTURE_OK);
    structure_result_free(result);
    result = NULL;
    structure_cancel_request(impatience.cancel);
    assert_int_equal(structure_extract(model, request, impatience.cancel, &result, NULL),
                     STRUCTURE_CANCELLED);
    /* The model serves the next call. */
    structure_request_set_progress(request, NULL, NULL);
    assert_int_equal(structure_extract(model, request, NULL, &result, NULL), STRUCTURE_OK);
    structure_result_free(result);
    structure_cancel_free(impatience.cancel);
    structure_request_free(request);
    structure_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_object),
        cmocka_unit_test(test_cancel_from_another_thread),
    };
    return cmocka_run_group_tests(tests, open_model, close_model);
}

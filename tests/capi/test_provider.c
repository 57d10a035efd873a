/* test_provider.c - models of providers through the public interface: a call over a socket, what
 * options say, what is refused when a model is opened.
 */
#include "base/features.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "test.h"

#include "fault_server.h"
#include "test_data.h"
#include "structure.h"

#define KEY "sk-of-the-test-0123456789"

static const char reply_good[] =
    "{\"id\":\"c1\",\"model\":\"served\",\"choices\":[{\"index\":0,\"message\":{\"role\":"
    "\"assistant\",\"content\":\"{\\\"n\\\": 3}\"},\"finish_reason\":\"stop\"}],\"usage\":{"
    "\"prompt_tokens\":11,\"completion_tokens\":5,\"total_tokens\":16}}";

static const struct fault_step step_good[] = {
    { FAULT_SEND, { FAULT_JSON_HEAD, sizeof(FAULT_JSON_HEAD) - 1 }, 0, 0 },
    { FAULT_BODY, { reply_good, sizeof(reply_good) - 1 }, 0, 0 },
    { FAULT_END, { NULL, 0 }, 0, 0 },
};
static const struct fault_step step_hang[] = {
    { FAULT_STALL, { NULL, 0 }, 0, 0 },
};
static const struct fault_script script_good = { step_good, FAULT_AT_REQUEST, FAULT_END, 0 };
static const struct fault_script script_hang = { step_hang, FAULT_AT_REQUEST, FAULT_END, 0 };

struct fixture {
    struct fault_server *server;
    structure_model_options *options;
    structure_schema *schema;
    structure_request *request;
    char url[FAULT_URL_BYTES];
};

static void needs_http(void)
{
    if (structure_version_http() == NULL)
        test_skip("built without providers over a network");
}

static void fixture_init(struct fixture *fixture)
{
    static const char schema[] = "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":"
                                 "\"integer\"}},\"required\":[\"n\"]}";
    fixture->server = fault_server_new(NULL);
    assert_non_null(fixture->server);
    (void)fault_server_url(fixture->server, "/v1", fixture->url);
    fixture->options = structure_model_options_new();
    assert_int_equal(
        structure_model_options_set_base_url(fixture->options, fixture->url, STRUCTURE_NUL),
        STRUCTURE_OK);
    structure_model_options_set_stream(fixture->options, 0);
    assert_int_equal(
        structure_schema_new(schema, STRUCTURE_NUL, NULL, NULL, &fixture->schema, NULL),
        STRUCTURE_OK);
    fixture->request = structure_request_new(fixture->schema, NULL);
    assert_int_equal(structure_request_set_prompt(fixture->request, "three", STRUCTURE_NUL),
                     STRUCTURE_OK);
}

static void fixture_release(struct fixture *fixture)
{
    structure_request_free(fixture->request);
    structure_schema_free(fixture->schema);
    structure_model_options_free(fixture->options);
    fault_server_free(fixture->server);
}

static void count_lines(void *state, const char *line)
{
    unsigned *count = state;
    assert_null(strstr(line, KEY));
    assert_null(strstr(line, "three"));
    (*count)++;
}

static void test_a_call(void **state)
{
    (void)state;
    struct fixture fixture;
    structure_model *model = NULL;
    structure_result *result = NULL;
    structure_error *error = NULL;
    struct fault_request asked;
    unsigned lines = 0;
    needs_http();
    fixture_init(&fixture);
    assert_true(fault_server_add(fixture.server, &script_good));
    assert_int_equal(structure_model_options_set_key(fixture.options, KEY, STRUCTURE_NUL),
                     STRUCTURE_OK);
    structure_model_options_set_trace(fixture.options, count_lines, &lines);
    assert_int_equal(
        structure_model_open("openai-chat/gpt-4o", fixture.options, NULL, &model, &error),
        STRUCTURE_OK);
    assert_string_equal(structure_model_name(model), "openai-chat/gpt-4o");
    assert_int_equal(structure_model_context_tokens(model), 128000);
    assert_int_equal(structure_model_parameter_count(model), 0);
    assert_int_equal(structure_extract(model, fixture.request, NULL, &result, &error),
                     STRUCTURE_OK);
    assert_string_equal(structure_result_data(result, NULL), "{\"n\":3}");
    assert_int_equal(structure_result_input_tokens(result), 11);
    assert_int_equal(structure_result_output_tokens(result), 5);
    assert_int_equal(structure_result_model_calls(result), 1);
    assert_true(lines > 0);
    assert_true(fault_server_request(fixture.server, 0, &asked));
    struct str bearer = fault_request_header(&asked, STR("authorization"));
    assert_int_equal(bearer.len, strlen("Bearer " KEY));
    assert_memory_equal(bearer.ptr, "Bearer " KEY, bearer.len);
    structure_result_free(result);
    structure_model_free(model);
    fixture_release(&fixture);
}

/* Where the options say nothing the provider's variables count, and an alias of a catalogue. */
static void test_the_environment_and_a_catalogue(void **state)
{
    (void)state;
    static const char catalogue[] =
        "{\"aliases\":{\"mine\":\"own/m\"},\"providers\":{\"own\":{\"baseUrlVariable\":"
        "\"STRUCTURE_TEST_URL\",\"key\":\"env:STRUCTURE_TEST_KEY\",\"keyHeader\":\"x-key\","
        "\"keyRequired\":true,\"models\":[{\"pattern\":\"m\",\"contextTokens\":7777,"
        "\"parameters\":{\"stream\":false}}]}}}";
    struct fixture fixture;
    structure_model *model = NULL;
    structure_result *result = NULL;
    structure_error *error = NULL;
    struct fault_request asked;
    needs_http();
    fixture_init(&fixture);
    assert_true(fault_server_add(fixture.server, &script_good));
    structure_model_options *options = structure_model_options_new();
    assert_int_equal(
        structure_model_options_set_catalogue(options, catalogue, sizeof(catalogue) - 1),
        STRUCTURE_OK);
    (void)unsetenv("STRUCTURE_TEST_KEY");
    (void)setenv("STRUCTURE_TEST_URL", fixture.url, 1);
    assert_int_equal(structure_model_open("mine", options, NULL, &model, &error),
                     STRUCTURE_NOT_CONFIGURED);
    structure_error_free(error);
    (void)setenv("STRUCTURE_TEST_KEY", KEY, 1);
    assert_int_equal(structure_model_open("mine", options, NULL, &model, NULL), STRUCTURE_OK);
    structure_model_options_free(options); /* nothing is borrowed from them */
    assert_string_equal(structure_model_name(model), "own/m");
    assert_int_equal(structure_model_context_tokens(model), 7777);
    assert_int_equal(structure_extract(model, fixture.request, NULL, &result, NULL), STRUCTURE_OK);
    assert_true(fault_server_request(fixture.server, 0, &asked));
    struct str key = fault_request_header(&asked, STR("x-key"));
    assert_int_equal(key.len, strlen(KEY));
    assert_memory_equal(key.ptr, KEY, key.len);
    structure_result_free(result);
    structure_model_free(model);
    fixture_release(&fixture);
}

struct open_case {
    const char *name, *base_url, *key, *catalogue;
    enum structure_kind kind;
    const char *told; /* in the message or the hint */
};

static void test_what_is_refused(void **state)
{
    (void)state;
    static const struct open_case cases[] = {
        { "opnai/x", NULL, NULL, NULL, STRUCTURE_NOT_CONFIGURED, "openai" },
        { "openai/x", NULL, NULL, NULL, STRUCTURE_NOT_CONFIGURED, "OPENAI_API_KEY" },
        { "compat/x", NULL, NULL, NULL, STRUCTURE_NOT_CONFIGURED, "STRUCTURE_COMPAT_BASE_URL" },
        { "compat", NULL, NULL, NULL, STRUCTURE_NOT_CONFIGURED, "compat/MODEL" },
        { "compat/x", "nonsense", NULL, NULL, STRUCTURE_INVALID_REQUEST, "" },
        { "compat/x", "ftp://host/", NULL, NULL, STRUCTURE_INVALID_REQUEST, "" },
        { "compat/x", "http://h/v1", NULL, "{", STRUCTURE_INVALID_REQUEST, "" },
        { "compat/x", "http://h/v1", NULL, "{\"providers\":{\"p\":{\"keyy\":1}}}",
          STRUCTURE_INVALID_REQUEST, "key" },
        { "p/x", NULL, NULL, "{\"providers\":{\"p\":{\"key\":\"cmd:echo x\"}}}",
          STRUCTURE_UNSUPPORTED, "options" },
    };
    needs_http();
    (void)unsetenv("OPENAI_API_KEY");
    (void)unsetenv("STRUCTURE_COMPAT_BASE_URL");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        structure_model *model = NULL;
        structure_error *error = NULL;
        structure_model_options *options = structure_model_options_new();
        if (cases[i].base_url != NULL)
            assert_int_equal(
                structure_model_options_set_base_url(options, cases[i].base_url, STRUCTURE_NUL),
                STRUCTURE_OK);
        if (cases[i].catalogue != NULL)
            assert_int_equal(
                structure_model_options_set_catalogue(options, cases[i].catalogue, STRUCTURE_NUL),
                STRUCTURE_OK);
        enum structure_kind kind =
            structure_model_open(cases[i].name, options, NULL, &model, &error);
        if (kind != cases[i].kind)
            fail_msg("%s: %d", cases[i].name, (int)kind);
        assert_null(model);
        if (strstr(structure_error_message(error), cases[i].told) == NULL &&
            strstr(structure_error_hint(error), cases[i].told) == NULL)
            fail_msg("%s: %s", cases[i].name, structure_error_message(error));
        structure_error_free(error);
        structure_model_options_free(options);
    }
}

static void test_texts_of_options(void **state)
{
    (void)state;
    static char large[64 * 1024 + 2];
    structure_model_options *options = structure_model_options_new();
    memset(large, 'x', sizeof(large) - 1);
    assert_int_equal(structure_model_options_set_key(options, large, STRUCTURE_NUL),
                     STRUCTURE_INVALID_REQUEST);
    assert_int_equal(structure_model_options_set_key(options, large, 64 * 1024), STRUCTURE_OK);
    assert_int_equal(structure_model_options_set_key(options, "", 0), STRUCTURE_OK);
    assert_int_equal(structure_model_options_set_ca_file(options, "/ca", STRUCTURE_NUL),
                     STRUCTURE_OK);
    assert_int_equal(structure_model_options_set_record_folder(options, "/r", 2), STRUCTURE_OK);
    assert_int_equal(structure_model_options_set_replay_folder(options, "/r", 2), STRUCTURE_OK);
    structure_model_options_free(options);
    structure_model_options_free(NULL);
}

struct canceller {
    struct fault_server *server;
    structure_cancel *cancel;
};

static void *cancel_when_asked(void *argument)
{
    struct canceller *canceller = argument;
    (void)fault_server_await_requests(canceller->server, 1);
    structure_cancel_request(canceller->cancel);
    return NULL;
}

static void test_cancellation(void **state)
{
    (void)state;
    struct fixture fixture;
    structure_model *model = NULL;
    structure_result *result = NULL;
    pthread_t thread;
    needs_http();
    fixture_init(&fixture);
    struct canceller canceller = { fixture.server, structure_cancel_new() };
    assert_true(fault_server_add(fixture.server, &script_hang));
    assert_int_equal(structure_model_open("compat/x", fixture.options, NULL, &model, NULL),
                     STRUCTURE_OK);
    assert_int_equal(pthread_create(&thread, NULL, cancel_when_asked, &canceller), 0);
    assert_int_equal(structure_extract(model, fixture.request, canceller.cancel, &result, NULL),
                     STRUCTURE_CANCELLED);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_null(result);
    structure_cancel_free(canceller.cancel);
    structure_model_free(model);
    fixture_release(&fixture);
}

static void test_the_time_of_a_model_call(void **state)
{
    (void)state;
    struct fixture fixture;
    structure_model *model = NULL;
    structure_result *result = NULL;
    needs_http();
    fixture_init(&fixture);
    assert_true(fault_server_add(fixture.server, &script_hang));
    structure_request_set_model_timeout_ms(fixture.request, 100);
    assert_int_equal(structure_model_open("compat/x", fixture.options, NULL, &model, NULL),
                     STRUCTURE_OK);
    assert_int_equal(structure_extract(model, fixture.request, NULL, &result, NULL),
                     STRUCTURE_DEADLINE);
    structure_model_free(model);
    fixture_release(&fixture);
}

/* complete_json and complete_as: turns of the caller go over as they are, one repair, no asking
 * back. */
struct number {
    int64_t n;
};

static const struct structure_field number_fields[] = {
    { "n", STRUCTURE_FIELD_INT64, STRUCTURE_FIELD_REQUIRED, offsetof(struct number, n), 0, 0, NULL,
      NULL, 0 },
};
static const struct structure_type number_type = {
    "number", sizeof(struct number), number_fields, 1, 0, NULL
};

static const char reply_bad[] =
    "{\"id\":\"c0\",\"model\":\"served\",\"choices\":[{\"index\":0,\"message\":{\"role\":"
    "\"assistant\",\"content\":\"{\\\"n\\\": 1.5}\"},\"finish_reason\":\"stop\"}]}";
static const struct fault_step step_bad[] = {
    { FAULT_SEND, { FAULT_JSON_HEAD, sizeof(FAULT_JSON_HEAD) - 1 }, 0, 0 },
    { FAULT_BODY, { reply_bad, sizeof(reply_bad) - 1 }, 0, 0 },
    { FAULT_END, { NULL, 0 }, 0, 0 },
};
static const struct fault_script script_bad = { step_bad, FAULT_AT_REQUEST, FAULT_END, 0 };

static bool request_holds(struct fault_server *server, uint32_t index, const char *part)
{
    struct fault_request asked;
    assert_true(fault_server_request(server, index, &asked));
    for (size_t i = 0; i + strlen(part) <= asked.body.len; i++) {
        if (memcmp(asked.body.ptr + i, part, strlen(part)) == 0)
            return true;
    }
    return false;
}

static void add_turns(structure_request *request)
{
    static const char *const texts[] = { "Only whole numbers.", "I have two.", "{\"n\":2}",
                                         "One more now." };
    static const enum structure_role roles[] = { STRUCTURE_ROLE_SYSTEM, STRUCTURE_ROLE_USER,
                                                 STRUCTURE_ROLE_ASSISTANT, STRUCTURE_ROLE_USER };
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(structure_request_add_turn(request, roles[i], texts[i], STRUCTURE_NUL),
                         STRUCTURE_OK);
}

static void test_complete(void **state)
{
    struct fixture fixture;
    structure_model *model = NULL;
    structure_result *result = NULL;
    structure_error *error = NULL;
    structure_schema *schema = NULL;
    struct number value = { -1 };
    (void)state;
    needs_http();
    fixture_init(&fixture);
    assert_int_equal(structure_model_options_set_key(fixture.options, KEY, STRUCTURE_NUL),
                     STRUCTURE_OK);
    assert_int_equal(
        structure_model_open("openai-chat/gpt-4o", fixture.options, NULL, &model, &error),
        STRUCTURE_OK);
    assert_int_equal(structure_type_schema(&number_type, NULL, &schema, &error), STRUCTURE_OK);
    structure_request *request = structure_request_new(schema, NULL);
    add_turns(request);
    assert_true(fault_server_add(fixture.server, &script_bad));
    assert_true(fault_server_add(fixture.server, &script_good));
    assert_int_equal(structure_complete_as(model, request, NULL, &number_type, &value, &error),
                     STRUCTURE_OK);
    assert_int_equal(value.n, 3);
    assert_int_equal(fault_server_requests(fixture.server), 2);
    assert_true(
        request_holds(fixture.server, 0, "{\"role\":\"assistant\",\"content\":\"{\\\"n\\\":2}\"}"));
    assert_true(request_holds(fixture.server, 0, "One more now."));
    assert_false(request_holds(fixture.server, 0, "_need"));
    assert_true(request_holds(fixture.server, 1, "1.5"));
    /* Twice wrong: an error, and no value. */
    assert_true(fault_server_add(fixture.server, &script_bad));
    assert_true(fault_server_add(fixture.server, &script_bad));
    assert_int_equal(structure_complete_json(model, request, NULL, &result, &error),
                     STRUCTURE_SCHEMA_VIOLATION);
    assert_null(result);
    assert_int_equal(fault_server_requests(fixture.server), 4);
    assert_null(strstr(structure_error_message(error), "1.5"));
    structure_error_free(error);
    /* Without turns there is nothing to answer. */
    structure_request_clear_turns(request);
    assert_int_equal(structure_complete_json(model, request, NULL, &result, NULL),
                     STRUCTURE_INVALID_REQUEST);
    structure_request_free(request);
    structure_schema_free(schema);
    structure_model_free(model);
    fixture_release(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_call),
        cmocka_unit_test(test_complete),
        cmocka_unit_test(test_the_environment_and_a_catalogue),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_texts_of_options),
        cmocka_unit_test(test_cancellation),
        cmocka_unit_test(test_the_time_of_a_model_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

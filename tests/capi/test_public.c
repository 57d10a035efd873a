/* test_public.c - the public interface from outside: versions, schemas, reports, errors, threads.
 */
#include "base/features.h"

#include <pthread.h>
#include <stdio.h>

#include "structure.h"
#include "test.h"

#define SCHEMA                                                                                     \
    "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\",\"maximum\":5},"             \
    "\"name\":{\"type\":\"string\"}},\"required\":[\"n\"],\"additionalProperties\":false}"

static structure_schema *schema_new(const char *text)
{
    structure_schema *schema = NULL;
    assert_int_equal(structure_schema_new(text, STRUCTURE_NUL, NULL, NULL, &schema, NULL),
                     STRUCTURE_OK);
    return schema;
}

static void test_version(void **state)
{
    (void)state;
    char text[32];
    assert_string_equal(structure_version(), STRUCTURE_VERSION);
    assert_int_equal(structure_version_number(), STRUCTURE_VERSION_NUMBER);
    (void)snprintf(text, sizeof(text), "%d.%d.%d", STRUCTURE_VERSION_MAJOR, STRUCTURE_VERSION_MINOR,
                   STRUCTURE_VERSION_PATCH);
    assert_string_equal(text, STRUCTURE_VERSION);
}

static void test_kinds(void **state)
{
    (void)state;
    static const struct {
        enum structure_kind kind;
        int number;
        const char *name;
    } kinds[] = {
        { STRUCTURE_OK, 0, "ok" },
        { STRUCTURE_INVALID_REQUEST, 2, "invalid-request" },
        { STRUCTURE_INVALID_SCHEMA, 3, "invalid-schema" },
        { STRUCTURE_UNKNOWN_SCHEMA, 4, "unknown-schema" },
        { STRUCTURE_NOT_CONFIGURED, 5, "not-configured" },
        { STRUCTURE_UNSUPPORTED, 6, "unsupported" },
        { STRUCTURE_REJECTED, 7, "rejected" },
        { STRUCTURE_TRANSIENT, 8, "transient" },
        { STRUCTURE_TRANSPORT, 9, "transport" },
        { STRUCTURE_SCHEMA_VIOLATION, 11, "schema-violation" },
        { STRUCTURE_DEADLINE, 12, "deadline" },
        { STRUCTURE_STORE, 13, "store" },
        { STRUCTURE_INTERNAL, 70, "internal" },
        { STRUCTURE_CANCELLED, 130, "cancelled" },
    };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        assert_int_equal(kinds[i].kind, kinds[i].number);
        assert_string_equal(structure_kind_name(kinds[i].kind), kinds[i].name);
    }
}

static void test_nothing_is_freed_safely(void **state)
{
    (void)state;
    structure_error_free(NULL);
    structure_schema_free(NULL);
    structure_schema_options_free(NULL);
    structure_report_free(NULL);
    structure_model_free(NULL);
    structure_model_options_free(NULL);
    structure_request_free(NULL);
    structure_cancel_free(NULL);
    structure_result_free(NULL);
}

static void test_schema_faults(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *pointer; /* NULL: none */
        unsigned line, column;
    } faults[] = {
        { "{\"type\":\n \"objct\"}", "/type", 2, 2 },
        { "{\"requried\":[]}", "/requried", 1, 13 },
        { "{\"$ref\":\"#/$defs/none\"}", "/$ref", 1, 9 },
        { "{\"type\":", NULL, 1, 9 },
    };
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        structure_schema *schema = NULL;
        structure_error *error = NULL;
        assert_int_equal(
            structure_schema_new(faults[i].text, STRUCTURE_NUL, NULL, NULL, &schema, &error),
            STRUCTURE_INVALID_SCHEMA);
        assert_null(schema);
        assert_int_equal(structure_error_kind(error), STRUCTURE_INVALID_SCHEMA);
        assert_int_not_equal(structure_error_message(error)[0], '\0');
        if (faults[i].pointer == NULL)
            assert_null(structure_error_pointer(error));
        else
            assert_string_equal(structure_error_pointer(error), faults[i].pointer);
        assert_int_equal(structure_error_line(error), faults[i].line);
        assert_int_equal(structure_error_column(error), faults[i].column);
        assert_int_equal(structure_error_retry_after_ms(error), -1);
        structure_error_free(error);
        /* Without a place for the error nothing leaks. */
        assert_int_equal(
            structure_schema_new(faults[i].text, STRUCTURE_NUL, NULL, NULL, &schema, NULL),
            STRUCTURE_INVALID_SCHEMA);
    }
}

static void count_warning(void *state, const structure_error *warning)
{
    unsigned *count = state;
    assert_string_equal(structure_error_pointer(warning), "/requried");
    (*count)++;
}

static void test_schema_options(void **state)
{
    (void)state;
    unsigned warnings = 0;
    structure_schema *schema = NULL;
    structure_report *report = NULL;
    structure_schema_options *options = structure_schema_options_new();
    structure_schema_options_set_unknown_keywords(options, STRUCTURE_UNKNOWN_WARN);
    structure_schema_options_set_warning(options, count_warning, &warnings);
    structure_schema_options_set_format_asserts(options, 0);
    assert_int_equal(structure_schema_new("{\"requried\":[],\"format\":\"date\"}", STRUCTURE_NUL,
                                          options, NULL, &schema, NULL),
                     STRUCTURE_OK);
    assert_int_equal(warnings, 1);
    assert_int_equal(structure_validate(schema, "\"never\"", STRUCTURE_NUL, 0, &report, NULL),
                     STRUCTURE_OK);
    assert_int_equal(structure_report_is_valid(report), 1);
    structure_report_free(report);
    structure_schema_free(schema);
    structure_schema_options_set_object_root(options, 1);
    assert_int_equal(
        structure_schema_new("{\"type\":\"string\"}", STRUCTURE_NUL, options, NULL, &schema, NULL),
        STRUCTURE_INVALID_SCHEMA);
    structure_schema_options_free(options);
}

static void test_reports(void **state)
{
    (void)state;
    structure_schema *schema = schema_new(SCHEMA);
    structure_report *report = NULL;
    structure_error *error = NULL;
    assert_int_equal(structure_validate(schema, "{\"n\":1}xyz", 7, 0, &report, NULL), STRUCTURE_OK);
    assert_int_equal(structure_report_is_valid(report), 1);
    assert_int_equal(structure_report_count(report), 0);
    structure_report_free(report);
    report = NULL;
    assert_int_equal(
        structure_validate(schema, "{\"n\":9,\n\"nam\":1}", STRUCTURE_NUL, 0, &report, NULL),
        STRUCTURE_OK);
    structure_schema_free(schema);
    assert_int_equal(structure_report_is_valid(report), 0);
    assert_int_equal(structure_report_count(report), 2);
    assert_int_equal(structure_report_has_more(report), 0);
    assert_string_equal(structure_report_pointer(report, 0), "/n");
    assert_string_equal(structure_report_keyword(report, 0), "maximum");
    assert_string_equal(structure_report_schema_pointer(report, 0), "/properties/n/maximum");
    assert_non_null(strstr(structure_report_message(report, 0), "5"));
    assert_string_equal(structure_report_hint(report, 0), "");
    assert_int_equal(structure_report_line(report, 1), 2);
    assert_int_equal(structure_report_column(report, 1), 1);
    assert_non_null(strstr(structure_report_hint(report, 1), "name"));
    structure_report_free(report);
    report = NULL;
    schema = schema_new("{\"items\":{\"type\":\"null\"}}");
    assert_int_equal(structure_validate(schema, "[1,2,3]", STRUCTURE_NUL, 2, &report, NULL),
                     STRUCTURE_OK);
    assert_int_equal(structure_report_count(report), 2);
    assert_int_equal(structure_report_has_more(report), 1);
    structure_report_free(report);
    report = NULL;
    assert_int_equal(structure_validate(schema, "[1,\n2", STRUCTURE_NUL, 0, &report, &error),
                     STRUCTURE_INVALID_REQUEST);
    assert_null(report);
    assert_int_equal(structure_error_line(error), 2);
    structure_error_free(error);
    structure_schema_free(schema);
}

static void test_missing_model(void **state)
{
    (void)state;
    structure_model *model = NULL;
    structure_error *error = NULL;
    structure_model_options *options = structure_model_options_new();
    structure_model_options_set_threads(options, 1);
    structure_model_options_set_context_max(options, 512);
    enum structure_kind kind =
        structure_model_open("/nonexistent/model.gguf", options, NULL, &model, &error);
    assert_int_equal(kind, structure_version_llama() == NULL ? STRUCTURE_NOT_CONFIGURED
                                                             : STRUCTURE_INVALID_REQUEST);
    assert_null(model);
    assert_int_not_equal(structure_error_message(error)[0], '\0');
    structure_error_free(error);
    structure_model_options_free(options);
}

enum { THREAD_COUNT = 4, THREAD_ROUNDS = 200 };

static void *validate_often(void *argument)
{
    const structure_schema *schema = argument;
    size_t wrong = 0;
    for (unsigned i = 0; i < THREAD_ROUNDS; i++) {
        structure_report *report = NULL;
        const char *text = i % 2 == 0 ? "{\"n\":1}" : "{\"n\":9}";
        if (structure_validate(schema, text, STRUCTURE_NUL, 0, &report, NULL) != STRUCTURE_OK ||
            structure_report_is_valid(report) != (i % 2 == 0 ? 1 : 0))
            wrong++;
        structure_report_free(report);
    }
    return wrong == 0 ? NULL : argument;
}

static void test_schema_is_shared(void **state)
{
    (void)state;
    pthread_t threads[THREAD_COUNT];
    structure_schema *schema = schema_new(SCHEMA);
    for (unsigned i = 0; i < THREAD_COUNT; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, validate_often, schema), 0);
    for (unsigned i = 0; i < THREAD_COUNT; i++) {
        void *wrong = NULL;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    structure_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_nothing_is_freed_safely),
        cmocka_unit_test(test_schema_faults),
        cmocka_unit_test(test_schema_options),
        cmocka_unit_test(test_reports),
        cmocka_unit_test(test_missing_model),
        cmocka_unit_test(test_schema_is_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_validator.c - the validator from outside: documents, resources, formats, verdicts, streams,
 * output forms, annotations, limits, and an allocator that fails.
 */
#include "base/features.h"

#include <pthread.h>

#include "structure.h"
#include "test.h"
#include "test_alloc.h"

#define POINT                                                                                      \
    "{\"$id\":\"https://example.com/point\",\"title\":\"a point\",\"type\":\"object\","            \
    "\"properties\":{\"x\":{\"type\":\"integer\",\"minimum\":0},\"y\":{\"type\":\"integer\"}},"    \
    "\"required\":[\"x\"],\"additionalProperties\":false}"
#define POINTS "{\"items\":{\"$ref\":\"https://example.com/point\"}}"

static structure_document *document_new(const char *text)
{
    structure_document *document = NULL;
    assert_int_equal(structure_document_new(text, STRUCTURE_NUL, NULL, NULL, &document, NULL),
                     STRUCTURE_OK);
    return document;
}

static structure_schema *points_new(void)
{
    structure_schema *schema = NULL;
    structure_resources *resources = structure_resources_new(NULL);
    structure_schema_options *options = structure_schema_options_new();
    assert_int_equal(structure_resources_add(resources, NULL, document_new(POINT), NULL),
                     STRUCTURE_OK);
    structure_schema_options_set_resources(options, resources);
    assert_int_equal(structure_schema_new(POINTS, STRUCTURE_NUL, options, NULL, &schema, NULL),
                     STRUCTURE_OK);
    structure_schema_options_free(options);
    structure_resources_free(resources); /* the schema keeps what it needs */
    return schema;
}

static void assert_verdict(const structure_schema *schema, const char *text, int expected)
{
    int by_text = -1;
    int by_document = -1;
    structure_report *report = NULL;
    structure_document *document = document_new(text);
    assert_int_equal(structure_is_valid(schema, text, STRUCTURE_NUL, NULL, &by_text, NULL),
                     STRUCTURE_OK);
    assert_int_equal(structure_document_is_valid(schema, document, NULL, &by_document, NULL),
                     STRUCTURE_OK);
    assert_int_equal(structure_document_validate(schema, document, NULL, &report, NULL),
                     STRUCTURE_OK);
    structure_document_free(document);
    assert_int_equal(by_text, expected);
    assert_int_equal(by_document, expected);
    assert_int_equal(structure_report_is_valid(report), expected);
    assert_int_equal(structure_report_count(report) == 0, expected);
    structure_report_free(report);
}

static void test_resources(void **state)
{
    (void)state;
    structure_schema *schema = points_new();
    assert_verdict(schema, "[{\"x\":1},{\"x\":0,\"y\":-1}]", 1);
    assert_verdict(schema, "[{\"x\":1},{\"x\":-1}]", 0);
    assert_verdict(schema, "[{\"y\":1}]", 0);
    structure_schema_free(schema);

    structure_error *error = NULL;
    structure_document *document = document_new("{\"type\":\"string\"}");
    structure_resources *resources = structure_resources_new(NULL);
    structure_schema_options *options = structure_schema_options_new();
    assert_int_equal(structure_resources_add(resources, NULL, document, &error),
                     STRUCTURE_INVALID_SCHEMA);
    structure_error_free(error);
    assert_int_equal(structure_resources_add(resources, "relative", document, NULL),
                     STRUCTURE_INVALID_SCHEMA);
    assert_int_equal(structure_resources_add(resources, "urn:example:text", document, NULL),
                     STRUCTURE_OK);
    document = document_new("{\"$ref\":\"urn:example:text\"}");
    assert_int_equal(structure_schema_from_document(document, NULL, NULL, &schema, &error),
                     STRUCTURE_INVALID_SCHEMA);
    assert_string_equal(structure_error_pointer(error), "/$ref");
    structure_error_free(error);
    structure_schema_options_set_resources(options, resources);
    assert_int_equal(structure_schema_from_document(document, options, NULL, &schema, NULL),
                     STRUCTURE_OK);
    assert_verdict(schema, "\"x\"", 1);
    assert_verdict(schema, "1", 0);
    structure_schema_free(schema);
    structure_schema_options_free(options);
    structure_resources_free(resources);
}

static int is_even(void *state, const char *text, size_t len)
{
    (void)text;
    return len % 2 == 0 && *(const int *)state == 42;
}

static int is_odd(void *state, const char *text, size_t len)
{
    return is_even(state, text, len + 1);
}

static void test_formats(void **state)
{
    (void)state;
    int context = 42;
    structure_schema *schema = NULL;
    structure_schema_options *options = structure_schema_options_new();
    assert_int_equal(structure_schema_options_add_format(options, "even", is_even, &context),
                     STRUCTURE_OK);
    assert_int_equal(structure_schema_options_add_format(options, "date", is_even, &context),
                     STRUCTURE_OK);
    for (int i = 0; i < 10; i++)
        assert_int_equal(structure_schema_options_add_format(options, "odd", is_odd, &context),
                         STRUCTURE_OK);
    assert_int_equal(
        structure_schema_new("{\"properties\":{\"e\":{\"format\":\"even\"},\"o\":{\"format\":"
                             "\"odd\"},\"d\":{\"format\":\"date\"}}}",
                             STRUCTURE_NUL, options, NULL, &schema, NULL),
        STRUCTURE_OK);
    structure_schema_options_free(options);
    assert_verdict(schema, "{\"e\":\"ab\",\"o\":\"a\",\"d\":\"xy\"}", 1);
    assert_verdict(schema, "{\"e\":\"abc\"}", 0);
    assert_verdict(schema, "{\"o\":\"\"}", 0);
    assert_verdict(schema, "{\"d\":\"2026-1-01\"}", 0);
    structure_schema_free(schema);
}

static void test_limits(void **state)
{
    (void)state;
    static const char text[] = "[[[1,2,3,12345]]]";
    structure_schema *schema = NULL;
    structure_document *document = NULL;
    structure_validate_options *options = structure_validate_options_new();
    int valid = -1;
    assert_int_equal(structure_schema_new("{\"items\":{\"items\":{\"items\":{\"maximum\":2}}}}",
                                          STRUCTURE_NUL, NULL, NULL, &schema, NULL),
                     STRUCTURE_OK);
    assert_int_equal(structure_is_valid(schema, text, STRUCTURE_NUL, options, &valid, NULL),
                     STRUCTURE_OK);
    assert_int_equal(valid, 0);
    structure_validate_options_set_depth_max(options, 2);
    assert_int_equal(structure_is_valid(schema, text, STRUCTURE_NUL, options, &valid, NULL),
                     STRUCTURE_INVALID_REQUEST);
    structure_validate_options_set_depth_max(options, 3);
    structure_validate_options_set_values_max(options, 6);
    assert_int_equal(structure_document_new(text, STRUCTURE_NUL, options, NULL, &document, NULL),
                     STRUCTURE_INVALID_REQUEST);
    structure_validate_options_set_values_max(options, 7);
    structure_validate_options_set_digits_max(options, 4);
    assert_int_equal(structure_is_valid(schema, text, STRUCTURE_NUL, options, &valid, NULL),
                     STRUCTURE_INVALID_REQUEST);
    structure_validate_options_set_digits_max(options, 5);
    structure_validate_options_set_bytes_max(options, sizeof(text) - 2);
    assert_int_equal(structure_is_valid(schema, text, STRUCTURE_NUL, options, &valid, NULL),
                     STRUCTURE_INVALID_REQUEST);
    structure_validate_options_set_bytes_max(options, sizeof(text) - 1);
    assert_int_equal(structure_document_new(text, STRUCTURE_NUL, options, NULL, &document, NULL),
                     STRUCTURE_OK);
    structure_validate_options_set_violations_max(options, 1);
    structure_report *report = NULL;
    assert_int_equal(structure_document_validate(schema, document, options, &report, NULL),
                     STRUCTURE_OK);
    assert_int_equal(structure_report_count(report), 1);
    assert_int_equal(structure_report_has_more(report), 1);
    structure_report_free(report);
    structure_validate_options_set_last_duplicate(options, 1);
    assert_int_equal(
        structure_is_valid(schema, "{\"a\":1,\"a\":2}", STRUCTURE_NUL, options, &valid, NULL),
        STRUCTURE_OK);
    structure_document_free(document);
    structure_validate_options_free(options);
    structure_schema_free(schema);
}

static void test_streams(void **state)
{
    (void)state;
    static const char text[] = "[{\"x\":1},{\"y\":2,\"x\":-5},{}]";
    structure_schema *schema = points_new();
    structure_stream *stream = NULL;
    structure_report *report = NULL;
    structure_error *error = NULL;
    int invalid = -1;
    size_t fed = 0;
    assert_int_equal(structure_stream_new(schema, NULL, NULL, &stream, NULL), STRUCTURE_OK);
    for (invalid = 0; invalid == 0; fed++)
        assert_int_equal(structure_stream_feed(stream, text + fed, 1, &invalid, NULL),
                         STRUCTURE_OK);
    assert_int_equal(fed, strlen("[{\"x\":1},{\"y\":2,\"x\":-5}"));
    assert_string_equal(structure_stream_pointer(stream), "/1/x");
    assert_int_equal(structure_stream_feed(stream, text + fed, STRUCTURE_NUL, &invalid, NULL),
                     STRUCTURE_OK);
    assert_int_equal(structure_stream_finish(stream, &report, NULL), STRUCTURE_OK);
    structure_stream_free(stream);
    assert_int_equal(structure_report_is_valid(report), 0);
    assert_int_equal(structure_report_count(report), 2);
    assert_string_equal(structure_report_pointer(report, 0), "/1/x");
    assert_string_equal(structure_report_schema_uri(report, 0), "https://example.com/point");
    assert_string_equal(structure_report_schema_pointer(report, 0), "/properties/x/minimum");
    assert_string_equal(structure_report_context(report, 0), "");
    assert_string_equal(structure_report_title(report, 1), "a point");
    structure_report_free(report);

    assert_int_equal(structure_stream_new(schema, NULL, NULL, &stream, NULL), STRUCTURE_OK);
    assert_int_equal(structure_stream_feed(stream, "[{\"x\":1}", STRUCTURE_NUL, &invalid, NULL),
                     STRUCTURE_OK);
    assert_int_equal(invalid, 0);
    assert_string_equal(structure_stream_pointer(stream), "");
    assert_int_equal(structure_stream_feed(stream, "]", 1, &invalid, NULL), STRUCTURE_OK);
    assert_int_equal(structure_stream_finish(stream, &report, NULL), STRUCTURE_OK);
    assert_int_equal(structure_report_is_valid(report), 1);
    structure_report_free(report);
    structure_stream_free(stream);

    assert_int_equal(structure_stream_new(schema, NULL, NULL, &stream, NULL), STRUCTURE_OK);
    assert_int_equal(structure_stream_feed(stream, "[\n1,]", STRUCTURE_NUL, &invalid, &error),
                     STRUCTURE_INVALID_REQUEST);
    assert_int_equal(structure_error_line(error), 2);
    structure_error_free(error);
    structure_stream_free(stream);
    structure_schema_free(schema);
}

static void count_bytes(void *state, const char *text, size_t len)
{
    size_t *count = state;
    assert_true(len > 0 && text[0] == '{' && text[len - 1] == '}');
    *count += len;
}

static void test_output_forms(void **state)
{
    (void)state;
    structure_schema *schema = points_new();
    structure_document *document = document_new("[{\"x\":-1}]");
    char text[4096];
    char cut[8];
    size_t len = 0;
    for (unsigned i = STRUCTURE_OUTPUT_FLAG; i <= STRUCTURE_OUTPUT_HIERARCHICAL; i++) {
        enum structure_output form = (enum structure_output)i;
        int valid = -1;
        size_t count = 0;
        assert_int_equal(structure_document_output(schema, document, form, 0, NULL, count_bytes,
                                                   &count, &valid, NULL),
                         STRUCTURE_OK);
        assert_int_equal(valid, 0);
        assert_int_equal(structure_document_output_text(schema, document, form, 0, NULL, text,
                                                        sizeof(text), &len, NULL),
                         STRUCTURE_OK);
        assert_int_equal(len, count);
        assert_int_equal(strlen(text), count);
        assert_int_equal(form != STRUCTURE_OUTPUT_FLAG, strstr(text, "\"/0/x\"") != NULL);
        assert_int_equal(structure_document_output_text(schema, document, form, 0, NULL, cut,
                                                        sizeof(cut), &len, NULL),
                         STRUCTURE_OK);
        assert_int_equal(len, count);
        assert_memory_equal(cut, text, sizeof(cut) - 1);
        assert_int_equal(cut[sizeof(cut) - 1], '\0');
    }
    assert_int_equal(structure_document_output_text(schema, document, STRUCTURE_OUTPUT_FLAG, 0,
                                                    NULL, NULL, 0, &len, NULL),
                     STRUCTURE_OK);
    assert_int_equal(len, strlen("{\"valid\":false}"));
    structure_document_free(document);
    structure_schema_free(schema);
}

static void test_annotations(void **state)
{
    (void)state;
    structure_schema *schema = points_new();
    structure_document *document = document_new("[{\"x\":1}]");
    structure_annotations *annotations = NULL;
    unsigned titles = 0;
    assert_int_equal(structure_annotations_new(schema, document, NULL, &annotations, NULL),
                     STRUCTURE_OK);
    while (structure_annotations_next(annotations) == 1) {
        if (strcmp(structure_annotations_keyword(annotations), "title") != 0)
            continue;
        titles++;
        assert_string_equal(structure_annotations_value(annotations), "\"a point\"");
        assert_string_equal(structure_annotations_instance_pointer(annotations), "/0");
        assert_string_equal(structure_annotations_schema_location(annotations),
                            "https://example.com/point#");
    }
    assert_int_equal(titles, 1);
    assert_int_equal(structure_annotations_next(annotations), 0);
    structure_annotations_free(annotations);
    structure_document_free(document);
    document = document_new("[1]");
    assert_int_equal(structure_annotations_new(schema, document, NULL, &annotations, NULL),
                     STRUCTURE_OK);
    assert_int_equal(structure_annotations_next(annotations), 0);
    structure_annotations_free(annotations);
    structure_document_free(document);
    structure_schema_free(schema);
}

static void test_nothing_is_freed_safely(void **state)
{
    (void)state;
    structure_document_free(NULL);
    structure_validate_options_free(NULL);
    structure_resources_free(NULL);
    structure_schema_options_free(NULL);
    structure_schema_free(NULL);
    structure_report_free(NULL);
    structure_stream_free(NULL);
    structure_annotations_free(NULL);
    structure_error_free(NULL);
}

/* ---- every allocation may fail --------------------------------------------------------------- */

static void may_fail(enum structure_kind kind)
{
    assert_true(kind == STRUCTURE_OK || kind == STRUCTURE_INTERNAL);
}

static structure_schema *schema_or_null(const struct structure_allocator *allocator)
{
    structure_document *point = NULL;
    structure_schema *schema = NULL;
    structure_schema_options *options = structure_schema_options_new();
    structure_resources *resources = structure_resources_new(allocator);
    int context = 42;
    enum structure_kind kind = resources == NULL ? STRUCTURE_INTERNAL : STRUCTURE_OK;
    (void)structure_schema_options_add_format(options, "even", is_even, &context);
    if (kind == STRUCTURE_OK)
        kind = structure_document_new(POINT, STRUCTURE_NUL, NULL, allocator, &point, NULL);
    if (kind == STRUCTURE_OK)
        kind = structure_resources_add(resources, NULL, point, NULL);
    if (kind == STRUCTURE_OK)
        point = NULL;
    structure_schema_options_set_resources(options, resources);
    if (kind == STRUCTURE_OK)
        kind = structure_schema_new(POINTS, STRUCTURE_NUL, options, allocator, &schema, NULL);
    may_fail(kind);
    structure_document_free(point);
    structure_schema_options_free(options);
    structure_resources_free(resources);
    return schema;
}

static void use_everything(const structure_schema *schema, const structure_document *document,
                           const struct structure_allocator *allocator)
{
    structure_stream *stream = NULL;
    structure_report *report = NULL;
    structure_annotations *annotations = NULL;
    char text[4096];
    size_t len;
    int valid = 0;
    may_fail(structure_document_validate(schema, document, NULL, &report, NULL));
    structure_report_free(report);
    report = NULL;
    may_fail(structure_document_output_text(schema, document, STRUCTURE_OUTPUT_VERBOSE, 2, NULL,
                                            text, sizeof(text), &len, NULL));
    if (structure_annotations_new(schema, document, NULL, &annotations, NULL) == STRUCTURE_OK) {
        while (structure_annotations_next(annotations) == 1)
            valid++;
        structure_annotations_free(annotations);
    }
    if (structure_stream_new(schema, NULL, allocator, &stream, NULL) != STRUCTURE_OK)
        return;
    enum structure_kind kind = structure_stream_feed(stream, "[{\"x\":", 6, &valid, NULL);
    if (kind == STRUCTURE_OK)
        kind = structure_stream_feed(stream, "1.5}]", 5, &valid, NULL);
    if (kind == STRUCTURE_OK)
        kind = structure_stream_finish(stream, &report, NULL);
    may_fail(kind);
    structure_report_free(report);
    structure_stream_free(stream);
}

static void scenario(struct test_alloc *test, void *context)
{
    (void)context;
    const struct structure_allocator allocator = { test->alloc.resize, test->alloc.state };
    structure_document *document = NULL;
    structure_schema *schema = schema_or_null(&allocator);
    if (schema != NULL && structure_document_new("[{\"x\":-1},{\"x\":1}]", STRUCTURE_NUL, NULL,
                                                 &allocator, &document, NULL) == STRUCTURE_OK)
        use_everything(schema, document, &allocator);
    assert_true(document != NULL || test->failures > 0);
    structure_document_free(document);
    structure_schema_free(schema);
}

static void test_memory(void **state)
{
    (void)state;
    test_alloc_failures(scenario, NULL);
}

/* ---- threads --------------------------------------------------------------------------------- */

struct shared {
    const structure_schema *schema;
    const structure_document *good;
    const structure_document *bad;
};

static void *judge_often(void *argument)
{
    const struct shared *shared = argument;
    for (unsigned i = 0; i < 200; i++) {
        int good = 0;
        int bad = 1;
        (void)structure_document_is_valid(shared->schema, shared->good, NULL, &good, NULL);
        (void)structure_document_is_valid(shared->schema, shared->bad, NULL, &bad, NULL);
        if (good != 1 || bad != 0)
            return argument;
    }
    return NULL;
}

static void test_threads_share_schema_and_documents(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    structure_schema *schema = points_new();
    structure_document *good = document_new("[{\"x\":1},{\"x\":2}]");
    structure_document *bad = document_new("[{\"x\":1},{\"x\":null}]");
    struct shared shared = { schema, good, bad };
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, judge_often, &shared), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        void *wrong = NULL;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    structure_document_free(good);
    structure_document_free(bad);
    structure_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resources),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_output_forms),
        cmocka_unit_test(test_annotations),
        cmocka_unit_test(test_nothing_is_freed_safely),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_threads_share_schema_and_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

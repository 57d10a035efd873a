/* test_memory.c - every allocation of parsing and writing fails once and for good: a clean status,
 * no leak. */
#include "base/features.h"

#include "json_test.h"

#include "test_alloc.h"

/* Escapes (pool), more nodes than first estimated, an object beyond the small ones, repeated names.
 */
static size_t make_text(char *text, size_t size)
{
    size_t len = (size_t)snprintf(text, size, "[\"a\\nb\",{\"\\u0078\":1,\"y\":\"\\u00e9\"},{");
    for (unsigned i = 0; i < 100; i++)
        len += (size_t)snprintf(text + len, size - len, "%s\"%u\":%u", i == 0 ? "" : ",", i, i);
    len += (size_t)snprintf(text + len, size - len, "},[");
    for (unsigned i = 0; i < 300; i++)
        len += (size_t)snprintf(text + len, size - len, "%s[]", i == 0 ? "" : ",");
    return len + (size_t)snprintf(text + len, size - len, "],\"%0200d\\t\",{\"d\":1,\"d\":2}]", 0);
}

struct scenario {
    struct str text;
    size_t step; /* 0: parse as a whole */
    struct json_options options;
};

static void parse_and_write(struct test_alloc *test, void *context)
{
    const struct scenario *scenario = context;
    struct outcome outcome = scenario->step == 0
                                 ? parse_whole(scenario->text, &scenario->options, &test->alloc)
                                 : parse_pieces(scenario->text, scenario->step, scenario->step,
                                                &scenario->options, &test->alloc);
    assert_true(outcome.status == STATUS_OK ||
                (test->failures > 0 && outcome.status == STATUS_NO_MEMORY));
    if (outcome.status == STATUS_OK) {
        struct buffer out;
        buffer_init(&out, &test->alloc, 100000);
        json_write(json_doc_root(outcome.doc), 2, &out);
        assert_true(buffer_status(&out) == STATUS_OK ||
                    (test->failures > 0 && buffer_status(&out) == STATUS_NO_MEMORY));
        buffer_release(&out);
    }
    outcome_release(&outcome);
}

static void survives_failed_allocations(void **state)
{
    (void)state;
    static char text[8000];
    static const size_t steps[] = { 0, 1, 7, 1000 };
    struct scenario scenario = { .options = JSON_OPTIONS_DEFAULT };
    scenario.text = str_of(text, make_text(text, sizeof(text)));
    scenario.options.duplicates = JSON_DUPLICATES_LAST;
    for (size_t i = 0; i < COUNT(steps); i++) {
        scenario.step = steps[i];
        test_alloc_failures(parse_and_write, &scenario);
    }
}

/* At most half of what a document keeps is reserve. */
static void documents_are_trimmed(void **state)
{
    (void)state;
    static char text[8000];
    struct json_options options = JSON_OPTIONS_DEFAULT;
    options.duplicates = JSON_DUPLICATES_LAST;
    struct str view = str_of(text, make_text(text, sizeof(text)));
    static const size_t steps[] = { 0, 1, 4000 };
    for (size_t i = 0; i < COUNT(steps); i++) {
        struct test_alloc test;
        test_alloc_init(&test);
        struct outcome outcome =
            steps[i] == 0 ? parse_whole(view, &options, &test.alloc)
                          : parse_pieces(view, steps[i], steps[i], &options, &test.alloc);
        assert_int_equal(outcome.status, STATUS_OK);
        size_t needed = view.len + outcome.doc->node_count * sizeof(struct json_node);
        assert_in_range(test.bytes_alive, needed, 2 * needed + 3 * 4096);
        outcome_release(&outcome);
        test_alloc_assert_empty(&test);
    }
}

static void free_accepts_null(void **state)
{
    (void)state;
    json_doc_free(NULL);
    json_parser_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survives_failed_allocations),
        cmocka_unit_test(documents_are_trimmed),
        cmocka_unit_test(free_accepts_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

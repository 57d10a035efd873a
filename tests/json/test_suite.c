/* test_suite.c - JSONTestSuite: every y accepted, every n refused, every i as docs/json.md decides;
 * and each file split into two at every byte and fed byte by byte, with the same outcome.
 */
#include "base/features.h"

#include "json_test.h"

#include "test_data.h"

/* The i_ files that are accepted; all others are refused. */
static const char *const accepted[] = {
    "i_number_double_huge_neg_exp.json", "i_number_huge_exp.json",
    "i_number_neg_int_huge_exp.json",    "i_number_pos_double_huge_exp.json",
    "i_number_real_neg_overflow.json",   "i_number_real_pos_overflow.json",
    "i_number_real_underflow.json",      "i_number_too_big_neg_int.json",
    "i_number_too_big_pos_int.json",     "i_number_very_big_negative_int.json",
};

/* Refused by default because names repeat; accepted when the last one is asked for. */
static const char *const repeating[] = {
    "y_object_duplicated_key.json",
    "y_object_duplicated_key_and_value.json",
};

struct tally {
    unsigned must;
    unsigned must_not;
    unsigned open;
};

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static bool is_listed(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, list[i]) == 0)
            return true;
    }
    return false;
}

static void check_verdict(const char *path, struct str content, void *context)
{
    struct tally *tally = context;
    const char *name = file_name(path);
    struct json_options last = JSON_OPTIONS_DEFAULT;
    last.duplicates = JSON_DUPLICATES_LAST;
    struct outcome strict = parse_whole(content, NULL, alloc_default());
    struct outcome lenient = parse_whole(content, &last, alloc_default());
    bool is_accepted = name[0] == 'y' || is_listed(name, accepted, COUNT(accepted));
    bool is_repeating = is_listed(name, repeating, COUNT(repeating));
    if ((lenient.status == STATUS_OK) != is_accepted ||
        (strict.status == STATUS_OK) != (is_accepted && !is_repeating))
        fail_msg("%s: status %d, %d: %s", name, strict.status, lenient.status,
                 strict.error.message);
    outcome_release(&strict);
    outcome_release(&lenient);
    *(name[0] == 'y' ? &tally->must : name[0] == 'n' ? &tally->must_not : &tally->open) += 1;
}

static void decides_every_file(void **state)
{
    (void)state;
    char folder[TEST_PATH_BYTES];
    struct tally tally = { 0, 0, 0 };
    if (!test_shared_path(folder, "suites/json-test-suite/test_parsing"))
        test_skip("the shared suite json-test-suite is not there");
    (void)test_files_visit(folder, check_verdict, &tally);
    assert_int_equal(tally.must, 95);
    assert_int_equal(tally.must_not, 188);
    assert_int_equal(tally.open, 35);
}

/* Deeper than the default, within the reach of the option. */
static void accepts_500_levels_when_allowed(void **state)
{
    (void)state;
    char text[1000];
    struct json_options options = JSON_OPTIONS_DEFAULT;
    memset(text, '[', 500);
    memset(text + 500, ']', 500);
    options.depth_max = 500;
    struct outcome outcome = parse_whole(str_of(text, sizeof(text)), &options, alloc_default());
    assert_int_equal(outcome.status, STATUS_OK);
    outcome_release(&outcome);
}

static void check_splits(const char *path, struct str content, void *context)
{
    (void)path;
    (void)context;
    size_t stride = 1 + content.len / 2048;
    struct outcome whole = parse_whole(content, NULL, alloc_default());
    for (size_t at = 1; at < content.len; at += stride) {
        struct outcome pieces = parse_pieces(content, at, content.len, NULL, alloc_default());
        assert_same_outcome(&pieces, &whole);
        outcome_release(&pieces);
    }
    struct outcome bytes = parse_pieces(content, 1, 1, NULL, alloc_default());
    assert_same_outcome(&bytes, &whole);
    outcome_release(&bytes);
    outcome_release(&whole);
}

static void splits_change_nothing(void **state)
{
    (void)state;
    static const char *const folders[] = { "suites/json-test-suite/test_parsing",
                                           "suites/json-test-suite/test_transform" };
    for (size_t i = 0; i < COUNT(folders); i++) {
        char folder[TEST_PATH_BYTES];
        if (!test_shared_path(folder, folders[i]))
            test_skip("the shared suite json-test-suite is not there");
        assert_int_not_equal(test_files_visit(folder, check_splits, NULL), 0);
    }
}

/* The files of test_transform show where parsers change values: ours keeps them, or refuses. */
static void check_transform(const char *path, struct str content, void *context)
{
    (void)context;
    const char *name = file_name(path);
    struct outcome outcome = parse_whole(content, NULL, alloc_default());
    bool is_refused =
        strncmp(name, "object_same_key", 15) == 0 ||
        (strstr(name, "invalid_codepoint") != NULL && strncmp(name, "string_", 7) == 0);
    if ((outcome.status != STATUS_OK) != is_refused)
        fail_msg("%s: status %d: %s", name, outcome.status, outcome.error.message);
    if (outcome.status == STATUS_OK && strncmp(name, "number_", 7) == 0) {
        struct buffer out;
        size_t len = content.len;
        while (len > 0 && content.ptr[len - 1] <= ' ')
            len--;
        buffer_init(&out, alloc_default(), 1000);
        json_write(json_doc_root(outcome.doc), 0, &out);
        assert_str(buffer_view(&out), str_of(content.ptr, len));
        buffer_release(&out);
    }
    outcome_release(&outcome);
}

static void keeps_values_as_they_are(void **state)
{
    (void)state;
    char folder[TEST_PATH_BYTES];
    if (!test_shared_path(folder, "suites/json-test-suite/test_transform"))
        test_skip("the shared suite json-test-suite is not there");
    assert_int_not_equal(test_files_visit(folder, check_transform, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decides_every_file),
        cmocka_unit_test(accepts_500_levels_when_allowed),
        cmocka_unit_test(splits_change_nothing),
        cmocka_unit_test(keeps_values_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

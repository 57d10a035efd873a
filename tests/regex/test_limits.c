/* test_limits.c - every limit of base/limits.h on patterns is hit, and hostile patterns end. */
#include "base/features.h"

#include "regex_test.h"

#include "base/buffer.h"
#include "json/json.h"
#include "test_data.h"

enum { PATTERN_BYTES_MAX = 1 << 23 };

static enum status compile(struct str pattern, struct error *error)
{
    struct regex *regex = NULL;
    error_clear(error);
    enum status status = regex_compile(pattern, alloc_default(), NULL, &regex, NULL, error);
    regex_free(regex, alloc_default());
    return status;
}

static void append(struct buffer *out, const char *text, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        buffer_append_str(out, str_from(text));
}

/* The limit's number of groups is well, one more is refused. */
static void check_edge(const char *open, const char *middle, const char *close, unsigned limit,
                       const char *message)
{
    struct error error;
    struct buffer pattern;
    for (unsigned over = 0; over < 2; over++) {
        buffer_init(&pattern, alloc_default(), PATTERN_BYTES_MAX);
        append(&pattern, open, limit + over);
        append(&pattern, middle, 1);
        append(&pattern, close, limit + over);
        enum status status = compile(buffer_view(&pattern), &error);
        assert_int_equal(status, over == 0 ? STATUS_OK : STATUS_UNSUPPORTED);
        assert_string_equal(error.message, over == 0 ? "" : message);
        buffer_release(&pattern);
    }
}

static void too_many_bytes(void **state)
{
    (void)state;
    struct error error;
    struct buffer pattern;
    buffer_init(&pattern, alloc_default(), PATTERN_BYTES_MAX);
    append(&pattern, "a", LIMIT_REGEX_BYTES + 1);
    assert_int_equal(compile(buffer_view(&pattern), &error), STATUS_UNSUPPORTED);
    assert_string_equal(error.message, "the pattern has too many bytes: the limit is 262144");
    assert_int_equal(regex_check(buffer_view(&pattern), alloc_default(), NULL), STATUS_UNSUPPORTED);
    buffer_release(&pattern);
}

static void depth(void **state)
{
    (void)state;
    check_edge("(?:", "a", ")", LIMIT_REGEX_DEPTH, "groups are nested too deep: the limit is 1000");
}

static void names(void **state)
{
    (void)state;
    struct buffer pattern;
    for (unsigned over = 0; over < 2; over++) {
        struct error error;
        buffer_init(&pattern, alloc_default(), PATTERN_BYTES_MAX);
        for (unsigned i = 0; i < LIMIT_REGEX_NAMES + over; i++)
            buffer_printf(&pattern, "(?<n%u>)", i);
        assert_int_equal(compile(buffer_view(&pattern), &error),
                         over == 0 ? STATUS_OK : STATUS_UNSUPPORTED);
        buffer_release(&pattern);
    }
}

static void instructions(void **state)
{
    (void)state;
    static const char *const patterns[] = {
        "a{300000}",
        "a{2147483647}",
        "a{18446744073709551617}",
        "a{1,18446744073709551617}",
        "a{99999999999999999999999999,}",
        "(?:x{0,1000}){0,1000}",
        "((((a{50}){50}){50}){50}){50}",
        "(?:(?:[a-z]{64}){64}){80}",
        "(a{9999}){9999}",
        "(?:\\p{L}{100}){100}",
        "(a{9999}){0}(?:a{299000}){0}(?:(?:a{100000}b|c){0}){0}(?:a{299999}){2}",
    };
    struct error error;
    for (size_t i = 0; i < COUNT(patterns); i++) {
        assert_int_equal(compile(str_from(patterns[i]), &error), STATUS_UNSUPPORTED);
        assert_string_equal(error.message,
                            "the pattern is too large: beyond 300000 instructions once its "
                            "repetitions are written out");
    }
    assert_int_equal(compile(STR("(?:(?:){294967295})*x"), &error), STATUS_OK);
    assert_int_equal(compile(STR("a{290000}"), &error), STATUS_OK);
}

/* Patterns that shrink again are bounded by what was written, and a schema's patterns together. */
static void budget_of_writes(void **state)
{
    (void)state;
    struct regex_budget budget = regex_budget_default();
    struct regex *regex = NULL;
    unsigned compiled = 0;
    while (regex_compile(STR("(?:a{100000}){0}b"), alloc_default(), &budget, &regex, NULL, NULL) ==
           STATUS_OK) {
        regex_free(regex, alloc_default());
        regex = NULL;
        compiled++;
        assert_true(compiled < 100);
    }
    assert_true(compiled > 10);
}

/* Beyond the budget of a table a pattern is simulated, with the same verdicts. */
static void simulated(void **state)
{
    (void)state;
    struct regex *regex = test_compile(STR("^(a|b)*a(a|b){20}$"), false);
    assert_null(regex->table.next);
    assert_true(test_matches(regex, STR("bbabbbbbbbbbbbbbbbbbbbb")));
    assert_false(test_matches(regex, STR("bbbbbbbbbbbbbbbbbbbbbbb")));
    regex_free(regex, alloc_default());
    regex = test_compile(STR("^(a|b)*a(a|b){5}$"), false);
    assert_non_null(regex->table.next);
    regex_free(regex, alloc_default());
}

static void steps(void **state)
{
    (void)state;
    for (int simulated = 0; simulated < 2; simulated++) {
        struct regex *regex = test_compile(STR("(?:a|b)*c"), simulated == 1);
        bool matches;
        uint64_t steps = 100;
        char text[4000];
        memset(text, 'a', sizeof(text));
        assert_int_equal(
            regex_matches(regex, str_of(text, sizeof(text)), alloc_default(), &steps, &matches),
            STATUS_UNSUPPORTED);
        steps = 1000000;
        assert_int_equal(
            regex_matches(regex, str_of(text, sizeof(text)), alloc_default(), &steps, &matches),
            STATUS_OK);
        assert_false(matches);
        regex_free(regex, alloc_default());
    }
}

/* Work grows with the text, not with its square. */
static void linear(void **state)
{
    (void)state;
    static const char *const patterns[] = { "(a+)+$",   "^(a|aa)+$",   "(x+x+)+y",
                                            "(.*)*=.*", "^(.*a){12}$", "^((a*)*)*$" };
    enum { SHORT = 1000, LONG = 10 * SHORT };
    static char text[LONG];
    memset(text, 'a', sizeof(text));
    text[SHORT - 1] = '!';
    text[LONG - 1] = '!';
    for (size_t i = 0; i < COUNT(patterns); i++) {
        struct regex *regex = test_compile(str_from(patterns[i]), true);
        uint64_t left[2] = { UINT64_MAX, UINT64_MAX };
        bool matches;
        assert_int_equal(regex_matches(regex, str_of(text + LONG - SHORT, SHORT), alloc_default(),
                                       &left[0], &matches),
                         STATUS_OK);
        assert_false(matches);
        text[SHORT - 1] = 'a';
        assert_int_equal(
            regex_matches(regex, str_of(text, LONG), alloc_default(), &left[1], &matches),
            STATUS_OK);
        assert_false(matches);
        assert_true(UINT64_MAX - left[1] < 12 * (UINT64_MAX - left[0]));
        regex_free(regex, alloc_default());
    }
}

/* ---- hostile patterns from the field --------------------------------------------------------- */

static void append_input(struct json value, struct buffer *out)
{
    if (json_type(value) == JSON_STRING) {
        buffer_append_str(out, json_string(value));
        return;
    }
    struct json list = json_get(value, STR("cat"));
    if (!json_exists(list)) { /* {"gen": "alternation" | "patterns_concurrent"} */
        if (json_exists(json_get(value, STR("each"))))
            buffer_append_str(out, json_string(json_get(value, STR("each"))));
        else
            append(out, "abcdefghijkl|", 100000);
        return;
    }
    for (struct json v = json_first(list); json_exists(v); v = json_next(v, list)) {
        struct decimal count = json_number(json_at(v, 1));
        for (uint64_t i = decimal_to_uint64_saturated(&count); i > 0; i--)
            buffer_append_str(out, json_string(json_at(v, 0)));
    }
}

struct tally {
    unsigned judged;
    unsigned limited;
};

static const char *outcome_of(struct str pattern, struct str text, struct error *error)
{
    struct regex *regex = NULL;
    error_clear(error);
    enum status status = regex_compile(pattern, alloc_default(), NULL, &regex, NULL, error);
    if (status == STATUS_INVALID_SCHEMA)
        return "reject";
    if (status != STATUS_OK)
        return "limit";
    uint64_t steps = UINT64_MAX;
    bool matches = false;
    status = regex_matches(regex, text, alloc_default(), &steps, &matches);
    regex_free(regex, alloc_default());
    return status != STATUS_OK ? "limit" : matches ? "match" : "nomatch";
}

static void judge_attack(struct json line, struct tally *tally)
{
    struct json input = json_get(line, STR("input"));
    struct json expected = json_get(line, STR("expected"));
    struct str verdict = json_string(json_get(expected, STR("verdict")));
    struct buffer pattern;
    struct buffer text;
    struct error error;
    buffer_init(&pattern, alloc_default(), PATTERN_BYTES_MAX);
    buffer_init(&text, alloc_default(), PATTERN_BYTES_MAX);
    append_input(json_get(input, STR("pattern")), &pattern);
    append_input(json_get(input, STR("subject")), &text);
    assert_int_equal(buffer_status(&pattern), STATUS_OK);
    const char *outcome = outcome_of(buffer_view(&pattern), buffer_view(&text), &error);
    bool limited = strcmp(outcome, "limit") == 0;
    bool accepts_limit = str_equal(verdict, STR("match_or_limit")) ||
                         str_equal(verdict, STR("nomatch_or_limit")) ||
                         str_equal(verdict, STR("reject")) || str_equal(verdict, STR("any"));
    bool right =
        limited ? accepts_limit
                : str_starts_with(verdict, str_from(outcome)) || str_equal(verdict, STR("any"));
    if (!right) {
        struct str id = json_string(json_get(line, STR("id")));
        fail_msg("%.*s: %s, not %.*s (%s)", (int)id.len, id.ptr, outcome, (int)verdict.len,
                 verdict.ptr, error.message);
    }
    tally->judged++;
    tally->limited += limited;
    buffer_release(&pattern);
    buffer_release(&text);
}

static void attacks(void **state)
{
    (void)state;
    char path[TEST_PATH_BYTES];
    if (!test_shared_path(path, "cases/attacks.jsonl"))
        test_skip("no shared cases");
    struct str content = test_file_read(path);
    struct tally tally = { 0 };
    for (size_t at = 0; at < content.len;) {
        const char *end = memchr(content.ptr + at, '\n', content.len - at);
        size_t len = end == NULL ? content.len - at : (size_t)(end - content.ptr) - at;
        struct json_doc *doc = NULL;
        if (json_parse(str_of(content.ptr + at, len), NULL, alloc_default(), &doc, NULL) ==
            STATUS_OK) {
            struct json line = json_doc_root(doc);
            if (str_equal(json_string(json_get(line, STR("surface"))), STR("regex")))
                judge_attack(line, &tally);
            json_doc_free(doc);
        }
        at += len + 1;
    }
    test_file_free(content);
    print_message("%u judged, of these %u by a limit\n", tally.judged, tally.limited);
    assert_true(tally.judged > 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_many_bytes),
        cmocka_unit_test(depth),
        cmocka_unit_test(names),
        cmocka_unit_test(instructions),
        cmocka_unit_test(budget_of_writes),
        cmocka_unit_test(simulated),
        cmocka_unit_test(steps),
        cmocka_unit_test(linear),
        cmocka_unit_test(attacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

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

/* Back-references go back, and give up: never a verdict, never without end. */
static void backtracking_ends(void **state)
{
    (void)state;
    static const char *const patterns[] = { "^(a+)+\\1b$", "(?:(a)|b|a)*\\1c", "(?=(a*)*b)\\1",
                                            "^(?:(?:a|a)*)*(b)\\1$" };
    enum { BYTES = 5000 };
    static char text[BYTES];
    memset(text, 'a', sizeof(text));
    for (size_t i = 0; i < COUNT(patterns); i++) {
        struct regex *regex = test_compile(str_from(patterns[i]), false);
        bool matches;
        uint64_t steps = 100000;
        assert_int_equal(
            regex_matches(regex, str_of(text, BYTES), alloc_default(), &steps, &matches),
            STATUS_UNSUPPORTED);
        assert_int_equal(steps, 0);
        steps = UINT64_MAX;
        enum status status =
            regex_matches(regex, str_of(text, BYTES), alloc_default(), &steps, &matches);
        assert_true(status == STATUS_UNSUPPORTED || !matches);
        assert_true(UINT64_MAX - steps <= LIMIT_REGEX_STEPS);
        regex_free(regex, alloc_default());
    }
}

/* What is put aside is bounded too. */
static void frames(void **state)
{
    (void)state;
    enum { BYTES = LIMIT_REGEX_FRAMES + 1 };
    struct regex *regex = test_compile(STR("^(a)\\1[^]*$"), false);
    struct buffer text;
    bool matches = false;
    buffer_init(&text, alloc_default(), BYTES + 3);
    append(&text, "aa", 1);
    append(&text, "b", BYTES);
    struct str view = buffer_view(&text);
    uint64_t steps = UINT64_MAX;
    assert_int_equal(regex_matches(regex, view, alloc_default(), &steps, &matches),
                     STATUS_UNSUPPORTED);
    assert_int_equal(
        regex_matches(regex, str_of(view.ptr, BYTES / 4), alloc_default(), &steps, &matches),
        STATUS_OK);
    assert_true(matches);
    buffer_release(&text);
    regex_free(regex, alloc_default());
}

static void captures(void **state)
{
    (void)state;
    struct error error;
    struct buffer pattern;
    for (unsigned over = 0; over < 2; over++) {
        buffer_init(&pattern, alloc_default(), PATTERN_BYTES_MAX);
        append(&pattern, "()", LIMIT_REGEX_CAPTURES - 1 + over);
        append(&pattern, "\\1", 1);
        assert_int_equal(compile(buffer_view(&pattern), &error),
                         over == 0 ? STATUS_OK : STATUS_UNSUPPORTED);
        buffer_release(&pattern);
    }
    assert_string_equal(error.message,
                        "a pattern with back-references has too many groups: the limit is 1000");
}

static void ranges(void **state)
{
    (void)state;
    struct error error;
    struct buffer pattern;
    buffer_init(&pattern, alloc_default(), PATTERN_BYTES_MAX);
    append(&pattern, "\\p{L}", 1000);
    assert_int_equal(compile(buffer_view(&pattern), &error), STATUS_UNSUPPORTED);
    assert_string_equal(error.message,
                        "the character classes have too many ranges: the limit is 500000");
    buffer_release(&pattern);
    buffer_init(&pattern, alloc_default(), PATTERN_BYTES_MAX);
    append(&pattern, "[", 1);
    append(&pattern, "\\p{L}\\P{sc=Greek}\\w\\D", 10000);
    append(&pattern, "]", 1);
    assert_int_equal(compile(buffer_view(&pattern), &error), STATUS_OK);
    buffer_release(&pattern);
}

/* Where a limit of the table is hit, the pattern is simulated: more cells than a state can tell,
 * lookaheads that are nested or open too often. */
static void tables(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        bool has_table;
        const char *text;
        bool matches;
    } rows[] = {
        { "^(?:[a-z]{2}[0-9]){300}x", true, "aa0", false },
        { "^(?:[a-c][d-f][g-i][j-l][m-o][p-r][s-u][v-x][yz]){500}1", false, "adgjmpsvy", false },
        { "^(?=(?=(?=(?=(?=a)))))a", true, "a", true },
        { "^(?=(?=(?=(?=(?=(?=(?=(?=(?=a)))))))))a", false, "a", true },
        { "^(?=.(?=.(?=.(?=.(?=.(?=.(?=.(?=.(?=.(?=.a))))))))))", true, "bbbbbbbbbba", true },
        { "^(?=.(?=.(?=.(?=.(?=.(?=.(?=.(?=.(?=.(?=.a))))))))))", true, "bbbbbbbbbbba", false },
        { "^(?:(?=.{20}a)[ab])+", false, "bbbbbbbbbbbbbbbbbbbba", true },
        { "^(?:(?=.{20}a)[ab])+", false, "bbbbbbbbbbbbbbbbbbbbb", false },
        { "^(?:(?!.{9}a.b)(?=.{4}[ab]|.{7}c)[abc])+c{3}$", false, "bbbccc", false },
        { "(?:(?=a.{30}b)|(?=b.{40}c)|(?=c.{50}d))[abc](?=x)", false, "abcabc", false },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct regex *regex = test_compile(str_from(rows[i].pattern), false);
        if ((regex->table.next != NULL) != rows[i].has_table)
            fail_msg("%s: %u cells", rows[i].pattern, (unsigned)regex->table.cell_count);
        if (test_matches(regex, str_from(rows[i].text)) != rows[i].matches)
            fail_msg("%s on %s", rows[i].pattern, rows[i].text);
        regex_free(regex, alloc_default());
    }
}

/* The states that a long text meets, and what happens when they are too many: the same verdicts. */
static void long_texts(void **state)
{
    (void)state;
    enum { BYTES = 60000 };
    static char text[BYTES];
    struct regex *regex = test_compile(STR("^(a|b)*a(a|b){20}c?$"), false);
    assert_int_equal(regex->shape, REGEX_SHAPE_SIMULATED);
    for (int random = 0; random < 2; random++) {
        uint32_t number = 1;
        for (size_t i = 0; i < BYTES; i++) {
            number = number * 1103515245 + 12345;
            text[i] = (random == 1 ? number >> 20 : i) % 2 == 0 ? 'a' : 'b';
        }
        for (int at_place = 0; at_place < 2; at_place++) {
            text[BYTES - 21] = at_place == 1 ? 'a' : 'b';
            assert_int_equal(test_matches(regex, str_of(text, BYTES)), at_place);
        }
        text[BYTES - 2] = '!';
        assert_false(test_matches(regex, str_of(text, BYTES)));
        uint64_t steps = 5;
        bool matches;
        assert_int_equal(
            regex_matches(regex, str_of(text, BYTES), alloc_default(), &steps, &matches),
            STATUS_UNSUPPORTED);
        steps = random == 1 ? 30000 : 500;
        assert_int_equal(
            regex_matches(regex, str_of(text, BYTES), alloc_default(), &steps, &matches),
            STATUS_UNSUPPORTED);
    }
    regex_free(regex, alloc_default());
}

static uint64_t steps_of(const struct regex *regex, struct str text)
{
    uint64_t left = UINT64_MAX;
    bool matches = true;
    assert_int_equal(regex_matches(regex, text, alloc_default(), &left, &matches), STATUS_OK);
    assert_false(matches);
    return UINT64_MAX - left;
}

/* Work grows with the text, not with its square, by either engine. */
static void linear(void **state)
{
    (void)state;
    static const char *const patterns[] = {
        "(a+)+$",          "^(a|aa)+$",        "(x+x+)+y",       "(.*)*=.*",      "^(.*a){12}$",
        "^((a*)*)*$",      "(?=(?:a+)+b)c",    "(?:(?=a*b)a)+c", "(?<=(a|a)*b)a", "(?<!a+|b)a!!",
        "^(?!.*aa!b)a*b$", "(?:a?){30}a{30}b", "\\b(?:a+)+\\b$", "^(?=a*!)a*$",   "(?i:a|A)*b",
    };
    enum { SHORT = 10000, LONG = 10 * SHORT };
    static char text[LONG];
    memset(text, 'a', sizeof(text));
    text[SHORT - 1] = '!';
    text[LONG - 1] = '!';
    for (size_t i = 0; i < COUNT(patterns) * 2; i++) {
        struct regex *regex = test_compile(str_from(patterns[i / 2]), i % 2 == 1);
        uint64_t few = steps_of(regex, str_of(text + LONG - SHORT, SHORT));
        text[SHORT - 1] = 'a';
        uint64_t many = steps_of(regex, str_of(text, LONG));
        if (many >= 12 * few)
            fail_msg("%s: %lu steps, then %lu", patterns[i / 2], (unsigned long)few,
                     (unsigned long)many);
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
        cmocka_unit_test(backtracking_ends),
        cmocka_unit_test(frames),
        cmocka_unit_test(captures),
        cmocka_unit_test(ranges),
        cmocka_unit_test(tables),
        cmocka_unit_test(long_texts),
        cmocka_unit_test(linear),
        cmocka_unit_test(attacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

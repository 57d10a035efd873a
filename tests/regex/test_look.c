/* test_look.c - lookaround, back-references, modifiers: by every engine that can judge them. */
#include "base/features.h"

#include "regex_test.h"

static const struct row {
    const char *pattern;
    const char *text;
    bool matches;
} rows[] = {
    /* lookahead */
    { "^(?!foo)[a-z]+$", "foo", false },
    { "^(?!foo)[a-z]+$", "foox", false },
    { "^(?!foo)[a-z]+$", "fo", true },
    { "^(?!foo$)[a-z]+$", "foox", true },
    { "^(?=.{3,5}$)(?!.*--)[a-z-]+$", "ab", false },
    { "^(?=.{3,5}$)(?!.*--)[a-z-]+$", "abc", true },
    { "^(?=.{3,5}$)(?!.*--)[a-z-]+$", "abcdef", false },
    { "^(?=.{3,5}$)(?!.*--)[a-z-]+$", "a--b", false },
    { "^((?!foo).)*$", "a foe", true },
    { "^((?!foo).)*$", "a foo", false },
    { "^((?!foo).)*$", "fo", true },
    { "a(?=b)", "ac ab", true },
    { "a(?=b)", "ac a", false },
    { "a(?!b)", "ab", false },
    { "a(?!b)", "aba", true },
    { "(?=a)(?=b)", "ab", false },
    { "^(?=a)(?=.b)", "ab", true },
    { "^(?!(?!a))b?", "a", true },
    { "^(?!(?!a))b?", "b", false },
    { "^(?=a(?=b(?=c)))", "abc", true },
    { "^(?=a(?=b(?=c)))", "abd", false },
    { "^(?:(?=ab)a|(?=ac)a)*b?$", "ab", true },
    { "^(?:(?=a|b)[ab])+$", "abab", true },
    { "(?=\\bfoo)", "a foo", true },
    { "(?=\\bfoo)", "afoo", false },
    { "x(?=$)", "ax", true },
    { "x(?=$)", "xa", false },
    { "(?!^)a", "a", false },
    { "(?!^)a", "ba", true },
    { "(?=)", "", true },
    { "(?!)", "a", false },
    { "^(?=\xc3\xa9+$)..$", "\xc3\xa9\xc3\xa9", true },
    { "^(?=\xc3\xa9+$)..$", "\xc3\xa9z", false },
    { "(?!^)(?!$)", "\xc3\xa9", false },
    { "(?!^)(?!$)", "\xc3\xa9z", true },
    /* lookbehind */
    { "(?<=x)y", "xy", true },
    { "(?<=x)y", "yx", false },
    { "(?<!x)y", "xy", false },
    { "(?<!x)y", "y", true },
    { "(?<=^|,)a(?=,|$)", "b,a", true },
    { "(?<=^|,)a(?=,|$)", "b,ab", false },
    { "(?<=\\$\\d+\\.)\\d", "$10.5", true },
    { "(?<=\\$\\d+\\.)\\d", "10.5", false },
    { "(?<=(?<!a)b)c", "abc", false },
    { "(?<=(?<!a)b)c", "bbc", true },
    { "(?<=\xc3\xa9.)z", "\xc3\xa9\xf0\x9f\x98\x80z", true },
    { "(?<=[\xc3\xa9\xf0\x9f\x98\x80-\xf0\x9f\x98\x82])z", "\xf0\x9f\x98\x81z", true },
    { "(?<=[\xc3\xa9\xf0\x9f\x98\x80-\xf0\x9f\x98\x82])z", "\xf0\x9f\x98\x83z", false },
    { "(?<=a(?=b))b", "ab", true },
    { "(?<=\\bfoo)x", "a foox", true },
    { "(?<=\\bfoo)x", "afoox", false },
    { "^.(?<![\\ud800-\\udfff])$", "\xf0\x9f\x98\x80", true },
    /* back-references */
    { "^(a+)b\\1$", "aabaa", true },
    { "^(a+)b\\1$", "aaba", false },
    { "(?<n>a)\\k<n>", "aa", true },
    { "(?<n>a)\\k<n>", "ab", false },
    { "\\k<n>(?<n>a)", "a", true },
    { "\\1(a)", "a", true },
    { "^(?:(a)|b)*\\1$", "ab", true },
    { "^(?:(a)|b)*\\1$", "aba", false },
    { "^(?:(a)|b){2}\\1$", "baa", true },
    { "^(?:(a)|b){2}\\1$", "ba", false },
    { "^(a\\1)$", "a", true },
    { "^(?=(a+))a*b\\1$", "aaba", false },
    { "^(?=(a+))a*b\\1$", "aabaa", true },
    { "(?=(a+))a*b\\1", "baaabac", true },
    { "^(?!.*(.).*\\1)[abc]+$", "abca", false },
    { "^(?!.*(.).*\\1)[abc]+$", "cab", true },
    { "(?!(a)b)\\1$", "ab", true },
    { "(?<=\\1(a))b", "aab", true },
    { "(?<=\\1(a))b", "ab", false },
    { "(?<=(a)\\1)b", "ab", true },
    { "(?<=([ab]+)([bc]+))$", "abc", true },
    { "^(?:(a)|b{0}){0,2}\\1$", "a", false },
    { "^(?:(a)|b{0}){0,2}\\1$", "aa", true },
    { "^(?:(x)?a){2}\\1$", "xaa", true },
    { "^(?:(x)?a){2}\\1$", "axax", true },
    { "^(?:(x)?a){2}\\1$", "axa", false },
    { "^(.)(.)(.)\\3\\2\\1$", "\xc3\xa9zaaz\xc3\xa9", true },
    { "^(a*?)\\1b$", "aab", true },
    { "^(a*?)\\1b$", "aaab", false },
    { "^(a?\?)\\1$", "aa", true },
    { "\\b(\\w+) \\1\\b", "the the", true },
    { "\\b(\\w+) \\1\\b", "the then", false },
    { "\\B(b)\\1", "abb", true },
    { "\\B(b)\\1", "bb", false },
    { "^(a)\\1|^(b)$", "b", true },
    { "()\\1*?$", "xyz", true },
    { "(?:(?=(\\d+))\\1)+x", "12x", true },
    { "^(z)((a+)?(b+)?(c))*\\5$", "zaacbbbcacc", true },
    /* modifiers */
    { "^(?i:abc)$", "aBC", true },
    { "^(?i:a)b$", "Ab", true },
    { "^(?i:a)b$", "AB", false },
    { "^(?i:a(?-i:b))c$", "Abc", true },
    { "^(?i:a(?-i:b))c$", "ABc", false },
    { "^(?i:[a-c])$", "B", true },
    { "^(?i:[^b])$", "B", false },
    { "^(?i:\xc3\x9f)$", "\xe1\xba\x9e", true },
    { "^(?i:s)$", "\xc5\xbf", true },
    { "^(?i:\\w)$", "\xc5\xbf", true },
    { "^(?i:\\W)$", "\xc5\xbf", false },
    { "^\\w$", "\xc5\xbf", false },
    { "^(?i:k)$", "\xe2\x84\xaa", true },
    { "^(?i:\\p{Lu})$", "a", true },
    { "^(?i:\\P{Lu})$", "A", true },
    { "^(?i:\xce\xa3)$", "\xcf\x82", true },
    { "^(?i:i)$", "\xc4\xb0", false },
    { "^(?i:(ab)\\1)$", "abAB", true },
    { "^(?i:(\xe2\x84\xaa)\\1)$", "kK", true },
    { "^(ab)(?i:\\1)$", "abAB", true },
    { "^(ab)\\1$", "abAB", false },
    { "(?<=(?i:\\1(a)))b", "Aab", true },
    { "(?<=(?i:\\1(\xc3\xa9)))b",
      "\xc3\x89\xc3\xa9"
      "b",
      true },
    { "(?<=(?i:\\1(\xc3\xa9)))b",
      "\xc3\xa9"
      "b",
      false },
    { "(?i:\\bs)", "-\xc5\xbf", true },
    { "(?i:\\bs)", "a\xc5\xbf", false },
    { "(?i:\\Bs)", "a\xc5\xbf", true },
    { "(?m:^b$)", "a\nb\nc", true },
    { "(?m:^b$)", "a\nbc", false },
    { "^b$", "a\nb\nc", false },
    { "^(?s:.)$", "\n", true },
    { "^(?s:a(?-s:.))$", "a\n", false },
    /* properties */
    { "^\\p{Script=Greek}$", "\xce\xb1", true },
    { "^\\p{Script=Greek}$", "a", false },
    { "^\\p{sc=Grek}\\p{scx=Grek}$", "\xce\xb1\xcd\x82", true },
    { "^\\p{sc=Grek}$", "\xcd\x82", false },
    { "^\\P{scx=Deva}$", "\xe0\xa5\xa4", false },
    { "^\\P{sc=Deva}$", "\xe0\xa5\xa4", true },
    { "^\\p{Emoji}$", "\xf0\x9f\x98\x80", true },
    { "^\\p{Emoji_Presentation}$", "1", false },
    { "^\\p{AHex}+$", "aF09", true },
    { "^\\p{Alphabetic}$", "\xe2\x85\xa0", true },
    { "^[\\p{Hex}\\P{ASCII}]+$", "a\xc3\xa9", true },
    { "^[^\\p{White_Space}]$", "\xc2\x85", false },
    { "^\\p{Uppercase}\\p{Lowercase}$", "Aa", true },
    { "^\\p{ID_Start}\\p{IDC}*$", "a1", true },
};

static void check(const struct row *row, bool simulated)
{
    struct regex *regex = test_compile(str_from(row->pattern), simulated);
    if (test_matches(regex, str_from(row->text)) != row->matches)
        fail_msg("%s on %s, shape %d", row->pattern, row->text, (int)regex->shape);
    regex_free(regex, alloc_default());
}

static void verdicts(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int simulated = 0; simulated < 2; simulated++)
            check(&rows[i], simulated == 1);
}

/* What an automaton can do it does: guards become part of the table. */
static void shapes(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        enum regex_shape shape;
    } expected[] = {
        { "", REGEX_SHAPE_ALWAYS },
        { ".*", REGEX_SHAPE_ALWAYS },
        { "a*", REGEX_SHAPE_ALWAYS },
        { "^", REGEX_SHAPE_ALWAYS },
        { "(?=)", REGEX_SHAPE_ALWAYS },
        { "(?!)", REGEX_SHAPE_NEVER },
        { "[]", REGEX_SHAPE_NEVER },
        { "a^", REGEX_SHAPE_NEVER },
        { "^abc$", REGEX_SHAPE_EQUAL },
        { "^ab\xc3\xa9", REGEX_SHAPE_PREFIX },
        { "\\.json$", REGEX_SHAPE_SUFFIX },
        { "^[a-z]*$", REGEX_SHAPE_RUN },
        { "^.{1,100000}$", REGEX_SHAPE_RUN },
        { "^[^]$", REGEX_SHAPE_RUN },
        { "^\\w+$", REGEX_SHAPE_RUN },
        { "^\\p{L}+$", REGEX_SHAPE_TABLE },
        { "^(?:ab)*$", REGEX_SHAPE_TABLE },
        { "^(?!foo)[a-z]+$", REGEX_SHAPE_TABLE },
        { "^((?!foo).)*$", REGEX_SHAPE_TABLE },
        { "(?<=a)b", REGEX_SHAPE_SIMULATED },
        { "^(a|b)*a(a|b){20}$", REGEX_SHAPE_SIMULATED },
        { "(a)\\1", REGEX_SHAPE_BACKTRACKING },
    };
    for (size_t i = 0; i < COUNT(expected); i++) {
        struct regex *regex = test_compile(str_from(expected[i].pattern), false);
        if (regex->shape != expected[i].shape)
            fail_msg("%s: shape %d", expected[i].pattern, (int)regex->shape);
        regex_free(regex, alloc_default());
    }
}

/* Runs count code points, not bytes, and know what `.` leaves out. */
static void runs(void **state)
{
    (void)state;
    static const struct row texts[] = {
        { "^.{2,3}$", "\xc3\xa9", false },
        { "^.{2,3}$", "\xc3\xa9\xc3\xa9\xf0\x9f\x98\x80", true },
        { "^.{2,3}$", "abcd", false },
        { "^.{2,}$", "abcd\xe2\x80\xa8", false },
        { "^.{2,}$", "abcd\xe2\x80\xa7", true },
        { "^.{2,}$",
          "\xe2\x80\xa9"
          "ab",
          false },
        { "^.{2,}$", "a\rb", false },
        { "^[a-z]{2}$", "ab", true },
        { "^[a-z]{2}$", "a\xc3\xa9", false },
        { "^[a-z]$", "ab", false },
        { "^[^a]{0,2}$", "", true },
        { "^[^a]{0,2}$", "b\xe2\x80\xa8", true },
        { "^[^a]{0,2}$", "ba", false },
        { "^[^\\u{100}]$", "\xc4\x80", false },
        { "^[^\\u{100}]$", "\xc4\x81", true },
        { "^\xc3\xa9$", "\xc3\xa9", true },
        { "^\xc3\xa9", "\xc3\xa8", false },
        { "\xc3\xa9$", "ab\xc3\xa9", true },
        { "\xc3\xa9$", "\xa9", false },
        { "^\\ud800$", "", false },
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        check(&texts[i], false);
}

/* The empty text may be nowhere. */
static void text_nowhere(void **state)
{
    (void)state;
    static const struct row texts[] = {
        { "()\\1", "", true },     { "(a?)(?i:\\1)", "", true },
        { "(?<=a)|^$", "", true }, { "^(a|b)*a(a|b){20}$", "", false },
        { "^\\w*$", "", true },    { "a$", "", false },
        { "^ab", "", false },      { "^(?!a)$", "", true },
        { "^\\d{2}-", "", false },
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct regex *regex = test_compile(str_from(texts[i].pattern), false);
        assert_int_equal(test_matches(regex, str_of(NULL, 0)), texts[i].matches);
        regex_free(regex, alloc_default());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(verdicts), cmocka_unit_test(shapes),
                                        cmocka_unit_test(runs), cmocka_unit_test(text_nowhere) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

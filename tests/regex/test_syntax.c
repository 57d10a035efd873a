/* test_syntax.c - which patterns are well-formed, and which are tolerated. */
#include "base/features.h"

#include "regex_test.h"

enum verdict {
    WELL_FORMED,
    TOLERATED, /* refused by ECMA-262 with `u`, read as the mark with a note */
    SYNTAX
};

static const struct row {
    const char *pattern;
    enum verdict verdict;
} rows[] = {
    { "a", WELL_FORMED },
    { "(", SYNTAX },
    { "(a", SYNTAX },
    { "a)", SYNTAX },
    { ")", SYNTAX },
    { "(?", SYNTAX },
    { "(?:", SYNTAX },
    { "(?:a", SYNTAX },
    { "(?a)", SYNTAX },
    { "(?#c)", SYNTAX },
    { "(?i:a)", WELL_FORMED },
    { "(?-i:a)", WELL_FORMED },
    { "(?ims:a)", WELL_FORMED },
    { "(?i-ms:a)", WELL_FORMED },
    { "(?i-:a)", WELL_FORMED },
    { "(?-:a)", SYNTAX },
    { "(?ii:a)", SYNTAX },
    { "(?i-i:a)", SYNTAX },
    { "(?i--s:a)", SYNTAX },
    { "(?u:a)", SYNTAX },
    { "(?i)a", SYNTAX },
    { "(?i", SYNTAX },
    { "(?:a)(?<n>b)|(?<n>c)", SYNTAX },
    { "(?>a)", SYNTAX },
    { "(?P<n>a)", SYNTAX },
    { "(?<n", SYNTAX },
    { "(?<n>", SYNTAX },
    { "(?<n>a", SYNTAX },
    { "(?<>a)", SYNTAX },
    { "(?<1>a)", SYNTAX },
    { "(?<a-b>c)", SYNTAX },
    { "(?<n>a)(?<n>b)", SYNTAX },
    { "(?<\\u0061>x)(?<a>y)", SYNTAX },
    { "(?<\\u{61}b>x)(?<ab>y)", SYNTAX },
    { "(?<\\n>a)", SYNTAX },
    { "(?<\303\251>a)", WELL_FORMED },
    { "(?<a\\u200d>b)", WELL_FORMED },
    { "(?<\\u200d>b)", SYNTAX },
    { "*", SYNTAX },
    { "+", SYNTAX },
    { "?", SYNTAX },
    { "*a", SYNTAX },
    { "+a", SYNTAX },
    { "?a", SYNTAX },
    { "a**", SYNTAX },
    { "a*+", SYNTAX },
    { "a++", SYNTAX },
    { "a?+", SYNTAX },
    { "a???", SYNTAX },
    { "foo**", SYNTAX },
    { "(*a)", SYNTAX },
    { "(?:*)", SYNTAX },
    { "|*", SYNTAX },
    { "^*", SYNTAX },
    { "$+", SYNTAX },
    { "\\b+", SYNTAX },
    { "\\B?", SYNTAX },
    { "^{2}times$", SYNTAX },
    { "{2}", SYNTAX },
    { "a{2}{3}", SYNTAX },
    { "a{", SYNTAX },
    { "a{1", SYNTAX },
    { "a{1,", SYNTAX },
    { "a{1,2", SYNTAX },
    { "a{,5}", SYNTAX },
    { "a{a}", SYNTAX },
    { "a{2,1}", SYNTAX },
    { "a{1,2}", WELL_FORMED },
    { "a{99999999999999999999,1}", SYNTAX },
    { "{", SYNTAX },
    { "}", SYNTAX },
    { "a}", SYNTAX },
    { "{}", SYNTAX },
    { "[", SYNTAX },
    { "[a", SYNTAX },
    { "[a-", SYNTAX },
    { "[a-]", WELL_FORMED },
    { "[z-a]", SYNTAX },
    { "[a-a]", WELL_FORMED },
    { "[\\d-a]", SYNTAX },
    { "[a-\\d]", SYNTAX },
    { "[\\d-\\w]", SYNTAX },
    { "[\\d-]", WELL_FORMED },
    { "[-\\d]", WELL_FORMED },
    { "[--a]", WELL_FORMED },
    { "]", SYNTAX },
    { "a]", SYNTAX },
    { "[]]", SYNTAX },
    { "[[]", WELL_FORMED },
    { "[[:alpha:]]", SYNTAX },
    { "[^]", WELL_FORMED },
    { "[]", WELL_FORMED },
    { "[^", SYNTAX },
    { "[\\", SYNTAX },
    { "\\", SYNTAX },
    { "a\\", SYNTAX },
    { "\\a", SYNTAX },
    { "\\e", SYNTAX },
    { "\\z", SYNTAX },
    { "\\Z", SYNTAX },
    { "\\A", SYNTAX },
    { "\\Q", SYNTAX },
    { "\\E", SYNTAX },
    { "\\G", SYNTAX },
    { "\\h", SYNTAX },
    { "\\H", SYNTAX },
    { "\\R", SYNTAX },
    { "\\X", SYNTAX },
    { "\\K", SYNTAX },
    { "\\N", SYNTAX },
    { "\\i", SYNTAX },
    { "\\y", SYNTAX },
    { "\\\303\251", SYNTAX },
    { "\\ ", SYNTAX },
    { "\\c", SYNTAX },
    { "\\c1", SYNTAX },
    { "\\c_", SYNTAX },
    { "\\cA", WELL_FORMED },
    { "[\\c]", SYNTAX },
    { "[\\cA]", WELL_FORMED },
    { "\\x", SYNTAX },
    { "\\x1", SYNTAX },
    { "\\x1g", SYNTAX },
    { "\\xAf", WELL_FORMED },
    { "\\u", SYNTAX },
    { "\\u1", SYNTAX },
    { "\\u12", SYNTAX },
    { "\\u123", SYNTAX },
    { "\\u123g", SYNTAX },
    { "\\u1234", WELL_FORMED },
    { "\\u{", SYNTAX },
    { "\\u{}", SYNTAX },
    { "\\u{1", SYNTAX },
    { "\\u{g}", SYNTAX },
    { "\\u{110000}", SYNTAX },
    { "\\u{10FFFF}", WELL_FORMED },
    { "\\u{000000000000000000041}", WELL_FORMED },
    { "\\u{D800}", WELL_FORMED },
    { "\\ud800", WELL_FORMED },
    { "\\udc00", WELL_FORMED },
    { "\\ud800\\u", SYNTAX },
    { "\\0", WELL_FORMED },
    { "\\00", SYNTAX },
    { "\\01", SYNTAX },
    { "\\09", SYNTAX },
    { "\\0a", WELL_FORMED },
    { "\\1", SYNTAX },
    { "\\8", SYNTAX },
    { "\\9", SYNTAX },
    { "\\2(a)", SYNTAX },
    { "[\\1]", SYNTAX },
    { "[\\0]", WELL_FORMED },
    { "[\\00]", SYNTAX },
    { "[\\B]", SYNTAX },
    { "[\\b]", WELL_FORMED },
    { "[\\k]", SYNTAX },
    { "[\\e]", SYNTAX },
    { "[\\z]", SYNTAX },
    { "\\k", SYNTAX },
    { "\\k<", SYNTAX },
    { "\\k<>", SYNTAX },
    { "\\k<x>", SYNTAX },
    { "\\k<x", SYNTAX },
    { "(?<x>a)\\k<y>", SYNTAX },
    { "\\p", SYNTAX },
    { "\\p{", SYNTAX },
    { "\\p{}", SYNTAX },
    { "\\p{L", SYNTAX },
    { "\\pL", SYNTAX },
    { "\\p{L}", WELL_FORMED },
    { "\\P{L}", WELL_FORMED },
    { "[\\p{L}]", WELL_FORMED },
    { "\\p{l}", SYNTAX },
    { "\\p{ L}", SYNTAX },
    { "\\p{L }", SYNTAX },
    { "\\p{Foo}", SYNTAX },
    { "\\p{gc=L}", WELL_FORMED },
    { "\\p{gc=}", SYNTAX },
    { "\\p{=L}", SYNTAX },
    { "\\p{gc=Foo}", SYNTAX },
    { "\\p{General_Category=Letter}", WELL_FORMED },
    { "\\p{Any}", WELL_FORMED },
    { "\\p{ASCII}", WELL_FORMED },
    { "\\p{Assigned}", WELL_FORMED },
    { "\\p{ASCII=Y}", SYNTAX },
    { "\\p{Any=L}", SYNTAX },
    { "\\p{IsL}", SYNTAX },
    { "\\p{^L}", SYNTAX },
    { "[a-\\p{L}]", SYNTAX },
    { "\\^", WELL_FORMED },
    { "\\$", WELL_FORMED },
    { "\\\\", WELL_FORMED },
    { "\\.", WELL_FORMED },
    { "\\*", WELL_FORMED },
    { "\\+", WELL_FORMED },
    { "\\?", WELL_FORMED },
    { "\\(", WELL_FORMED },
    { "\\)", WELL_FORMED },
    { "\\[", WELL_FORMED },
    { "\\]", WELL_FORMED },
    { "\\{", WELL_FORMED },
    { "\\}", WELL_FORMED },
    { "\\|", WELL_FORMED },
    { "\\/", WELL_FORMED },
    { "[\\-]", WELL_FORMED },
    { "a|", WELL_FORMED },
    { "|", WELL_FORMED },
    { "||", WELL_FORMED },
    { "()", WELL_FORMED },
    { "(|)", WELL_FORMED },
    { "(?:)", WELL_FORMED },
    { "(?:|a)", WELL_FORMED },
    { ".", WELL_FORMED },
    { "[.]", WELL_FORMED },
    { "(?=a)*", SYNTAX },
    { "(?!a)+", SYNTAX },
    { "(?<=a)*", SYNTAX },
    { "(?<!a){2}", SYNTAX },
    { "\\-", TOLERATED },
    { "\\_", TOLERATED },
    { "\\:", TOLERATED },
    { "\\#", TOLERATED },
    { "\\@", TOLERATED },
    { "\\!", TOLERATED },
    { "\\\"", TOLERATED },
    { "\\'", TOLERATED },
    { "\\%", TOLERATED },
    { "\\&", TOLERATED },
    { "\\,", TOLERATED },
    { "\\;", TOLERATED },
    { "\\<", TOLERATED },
    { "\\=", TOLERATED },
    { "\\>", TOLERATED },
    { "\\`", TOLERATED },
    { "\\~", TOLERATED },
    { "[\\_]", TOLERATED },
    { "[\\:\\@]", TOLERATED },
    { "a\\-b", TOLERATED },
    { "(?=a)", WELL_FORMED },
    { "(?!a)", WELL_FORMED },
    { "(?<=a)", WELL_FORMED },
    { "(?<!a)", WELL_FORMED },
    { "^(?!.*x)", WELL_FORMED },
    { "(?=(?=a))", WELL_FORMED },
    { "(a)\\1", WELL_FORMED },
    { "\\1(a)", WELL_FORMED },
    { "(?<n>a)\\k<n>", WELL_FORMED },
    { "\\k<n>(?<n>a)", WELL_FORMED },
    { "(?:a)(b)\\1", WELL_FORMED },
    { "\\1*(a)", WELL_FORMED },
    { "\\p{Alphabetic}", WELL_FORMED },
    { "\\p{Script=Greek}", WELL_FORMED },
    { "\\p{sc=Grek}", WELL_FORMED },
    { "\\P{scx=Latin}", WELL_FORMED },
    { "\\p{Emoji}", WELL_FORMED },
    { "[\\p{White_Space}]", WELL_FORMED },
    { "\\p{space}", WELL_FORMED },
    { "\\p{Script}", SYNTAX },
    { "\\p{sc}", SYNTAX },
    { "\\p{Latin}", SYNTAX },
    { "\\p{sc=latin}", SYNTAX },
    { "\\p{sc=L}", SYNTAX },
    { "\\p{Emoji=Y}", SYNTAX },
    { "\\p{emoji}", SYNTAX },
    { "\\p{Other_Alphabetic}", SYNTAX },
    { "\\p{RGI_Emoji}", SYNTAX },
    { "\\p{scx=Zyyy}", WELL_FORMED },
    { "(?<\xc3\xa9t\xc3\xa9>a)", WELL_FORMED },
    { "(?<a\xe2\x80\x8d>a)", WELL_FORMED },
    { "(?<\xe2\x80\x8d>a)", SYNTAX },
    { "(?<\xf0\x9f\x98\x80>a)", SYNTAX },
    { "(?<1a>a)", SYNTAX },
    { "(?<a1>a)", WELL_FORMED },
};

static enum verdict verdict_of(const char *pattern, struct error *error)
{
    struct regex *regex = NULL;
    struct regex_notes notes = { 0 };
    error_clear(error);
    enum status status =
        regex_compile(str_from(pattern), alloc_default(), NULL, &regex, &notes, error);
    regex_free(regex, alloc_default());
    if (status == STATUS_OK)
        return notes.tolerated_escapes ? TOLERATED : WELL_FORMED;
    assert_int_equal(error->status, status);
    assert_int_equal(status, STATUS_INVALID_SCHEMA);
    return SYNTAX;
}

static void verdicts(void **state)
{
    (void)state;
    struct error error;
    for (size_t i = 0; i < COUNT(rows); i++) {
        enum verdict verdict = verdict_of(rows[i].pattern, &error);
        if (verdict != rows[i].verdict)
            fail_msg("%s: verdict %d, not %d", rows[i].pattern, verdict, rows[i].verdict);
    }
}

/* The strict check tolerates nothing. */
static void strict_check(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        bool well_formed = rows[i].verdict == WELL_FORMED;
        enum status status = regex_check(str_from(rows[i].pattern), alloc_default(), NULL);
        if (status != (well_formed ? STATUS_OK : STATUS_INVALID_SCHEMA))
            fail_msg("%s: status %d", rows[i].pattern, status);
    }
}

/* A fault is told with its place, and never with the pattern's text. */
static void messages(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        const char *message;
    } faults[] = {
        { "ab**",
          "not an ECMA-262 regular expression: a quantifier has nothing to repeat (byte 3)" },
        { "secret(", "not an ECMA-262 regular expression: a group is not closed (byte 7)" },
        { "x\\A", "not an ECMA-262 regular expression: an escape that is not defined (byte 2)" },
        { "x)", "not an ECMA-262 regular expression: \")\" closes no group (byte 1)" },
        { "(?=a)*",
          "not an ECMA-262 regular expression: a quantifier has nothing to repeat (byte 5)" },
        { "\\p{Secret}",
          "not an ECMA-262 regular expression: a property that ECMA-262 does not know (byte 10)" },
        { "\xff", "not an ECMA-262 regular expression: the text is not UTF-8 (byte 0)" },
    };
    struct error error;
    for (size_t i = 0; i < COUNT(faults); i++) {
        assert_int_equal(verdict_of(faults[i].pattern, &error), SYNTAX);
        assert_string_equal(error.message, faults[i].message);
    }
}

/* A tolerated escape means the mark. */
static void tolerated(void **state)
{
    (void)state;
    struct regex *regex = test_compile(STR("^a\\-\\_[\\:\\@]$"), false);
    assert_true(test_matches(regex, STR("a-_@")));
    assert_false(test_matches(regex, STR("a-_\\")));
    regex_free(regex, alloc_default());
}

/* Every prefix of a pattern is judged without harm. */
static void prefixes(void **state)
{
    (void)state;
    static const char pattern[] =
        "^(?<na\\u{6d}e>[^\\d\\-\\u{1F600}a-z]{2,3}?|\\p{gc=Lu}\\ud83d\\ude00\\x41\\cA)*(?=a|(?!b))"
        "\\k<name>\\1\\b$";
    assert_int_equal(regex_check(str_from(pattern), alloc_default(), NULL), STATUS_OK);
    for (size_t len = 0; len < sizeof(pattern); len++) {
        enum status status = regex_check(str_of(pattern, len), alloc_default(), NULL);
        assert_true(status == STATUS_OK || status == STATUS_INVALID_SCHEMA);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts),  cmocka_unit_test(strict_check), cmocka_unit_test(messages),
        cmocka_unit_test(tolerated), cmocka_unit_test(prefixes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_facts.c - typed values in prose: what is found, where, and in which form. */
#include "base/features.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "evidence/text.h"
#include "test_alloc.h"

struct fact_case {
    const char *text;
    enum evidence_kind kind;
    const char *values; /* of that kind, in order, joined by blanks */
};

static const struct fact_case cases[] = {
    { "from 14 May 2026 to 18 May 2026", EVIDENCE_DATE, "2026-05-14 2026-05-18" },
    { "from 14 to 18 May 2026", EVIDENCE_DATE, "2026-05-14 2026-05-18" },
    { "May 14-18, 2026", EVIDENCE_DATE, "2026-05-14 2026-05-18" },
    { "28 December to 3 January 2027", EVIDENCE_DATE, "2026-12-28 2027-01-03" },
    { "on May 3rd, 2026, not on the 4th", EVIDENCE_DATE, "2026-05-03" },
    { "the 2nd of June 2026", EVIDENCE_DATE, "2026-06-02" },
    { "14.05.2026 and 2026/05/15", EVIDENCE_DATE, "2026-05-14 2026-05-15" },
    { "05/14/2026 05/06/2026", EVIDENCE_DATE, "2026-05-14 2026-05-06" },
    { "14/05/2026 05/06/2026", EVIDENCE_DATE, "2026-05-14 2026-06-05" },
    { "on 3 March; last year was 2025", EVIDENCE_DATE, "2025-03-03" },
    { "30 February 2026, 31.04.2026", EVIDENCE_DATE, "" },
    { "29 February 2024 but not 29 February 2025", EVIDENCE_DATE, "2024-02-29" },
    { "12. M\xC3\xA4rz 2026", EVIDENCE_DATE, "2026-03-12" },
    { "on 3 March", EVIDENCE_DATE, "" }, /* no year anywhere */
    { "at 8.30 am, 14:05, 9 pm and 12 am", EVIDENCE_TIME, "08:30 14:05 21:00 00:00" },
    { "noon, but not 25:10 or 13 pm", EVIDENCE_TIME, "12:00" },
    { "2026-10-04T02:14:00Z", EVIDENCE_DATE_TIME, "2026-10-04T02:14:00Z" },
    { "2026-10-04 02:14", EVIDENCE_DATE_TIME, "2026-10-04T02:14:00Z" },
    { "2026-10-04T02:14:09.5+0200", EVIDENCE_DATE_TIME, "2026-10-04T02:14:09.5+02:00" },
    { "1,250.50", EVIDENCE_NUMBER, "1250.5" },
    { "1.250,50 EUR", EVIDENCE_NUMBER, "1250.5" },
    { "1'250'000", EVIDENCE_NUMBER, "1250000" },
    { "1\xC2\xA0"
      "250",
      EVIDENCE_NUMBER, "1250" },
    { "0,75 and 2,500", EVIDENCE_NUMBER, "0.75 2500" },
    { "00871 -12 3.10", EVIDENCE_NUMBER, "871 -12 3.1" },
    { "three of twenty-one, twice", EVIDENCE_NUMBER, "3 21 2" },
    { "call (303) 555-0188 or +44 20 7946 0018", EVIDENCE_PHONE,
      "(303) 555-0188 +44 20 7946 0018" },
    { "on 2026-05-14, 1,250.50 or 4711", EVIDENCE_PHONE, "" },
    { "85.5 million", EVIDENCE_NUMBER, "85.5 85500000" },
    { "5k or 5 km", EVIDENCE_NUMBER, "5 5000 5" },
    { "(see a.b+c@mail.example.org.)", EVIDENCE_EMAIL, "a.b+c@mail.example.org" },
    { "@here, x@y, 5 @ 3.50", EVIDENCE_EMAIL, "" },
    { "at https://example.org/a?b=1, then", EVIDENCE_URI, "https://example.org/a?b=1" },
    { "\xE2\x82\xAC"
      "12 or 5 GBP or ten dollars",
      EVIDENCE_CURRENCY, "EUR GBP USD" },
};

static struct evidence_text *read_text(const char *source, const struct alloc *alloc)
{
    struct evidence_text *text = NULL;
    struct error error;
    error_clear(&error);
    assert_int_equal(evidence_text_new(str_from(source), alloc, &text, &error), STATUS_OK);
    return text;
}

static void test_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct evidence_text *text = read_text(cases[i].text, alloc_default());
        struct buffer found;
        buffer_init(&found, alloc_default(), 1024);
        for (uint32_t k = 0; k < text->fact_count; k++) {
            const struct evidence_fact *fact = &text->facts[k];
            assert_true(fact->begin < fact->end && fact->end <= text->text.len);
            if (fact->kind != cases[i].kind || fact->doubt >= 2.0)
                continue;
            if (found.len > 0)
                buffer_append_byte(&found, ' ');
            buffer_append_str(&found, fact->value);
        }
        buffer_append_byte(&found, '\0');
        if (strcmp(found.ptr, cases[i].values) != 0)
            fail_msg("\"%s\": %s instead of %s", cases[i].text, found.ptr, cases[i].values);
        buffer_release(&found);
        evidence_text_free(text);
    }
}

static void test_number_surroundings(void **state)
{
    (void)state;
    struct evidence_text *text = read_text("EUR 129.50 plus 19 % and A-4711", alloc_default());
    const struct evidence_fact *price = NULL;
    const struct evidence_fact *rate = NULL;
    const struct evidence_fact *code = NULL;
    for (uint32_t i = 0; i < text->fact_count; i++) {
        const struct evidence_fact *fact = &text->facts[i];
        price = str_equal(fact->value, STR("129.5")) ? fact : price;
        rate = str_equal(fact->value, STR("19")) ? fact : rate;
        code = str_equal(fact->value, STR("4711")) ? fact : code;
    }
    assert_non_null(price);
    assert_non_null(rate);
    assert_non_null(code);
    assert_true(str_equal(price->currency, STR("EUR")));
    assert_true(price->is_cents && price->is_decimal && !price->is_percent);
    assert_true(rate->is_percent && rate->currency.len == 0);
    assert_true(code->doubt >= 2.0);
    evidence_text_free(text);
}

struct words_case {
    const char *text;
    const char *words; /* "/" between sentences */
};

static const struct words_case words_cases[] = {
    { "Dr. Eve O'Neil left. She came back!", "Dr Eve O'Neil left/She came back" },
    { "e-mail a@b.org; cost $4.50", "e-mail a@b.org/cost $4.50" },
    { "one\ntwo", "one/two" },
    { "1,250 m and 3, 4", "1,250 m and 3 4" },
    { "left \xE2\x80\x93 right", "left/right" },
    { "", "" },
    { " .,;!", "" },
};

static void test_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(words_cases) / sizeof(words_cases[0]); i++) {
        struct evidence_text *text = read_text(words_cases[i].text, alloc_default());
        struct buffer found;
        buffer_init(&found, alloc_default(), 1024);
        for (uint32_t k = 0; k < text->word_count; k++) {
            const struct evidence_word *word = &text->words[k];
            if (k > 0)
                buffer_append_byte(&found, word->sentence == word[-1].sentence ? ' ' : '/');
            buffer_append_str(&found, evidence_slice(text, word->begin, word->end));
            assert_int_equal(evidence_word_at(text, word->begin), k);
        }
        buffer_append_byte(&found, '\0');
        assert_string_equal(found.ptr, words_cases[i].words);
        buffer_release(&found);
        evidence_text_free(text);
    }
}

/* Long runs of what readers look at take time in proportion to their length. */
static void test_hostile(void **state)
{
    (void)state;
    static const char *const pieces[] = { "9",        "1 May ", "a@",   "http://", "1,", "$",
                                          "\xC3\xA9", "12:",    "and ", "- ",      "\n", "2026-" };
    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        struct buffer source;
        buffer_init(&source, alloc_default(), 1 << 20);
        for (unsigned k = 0; k < 20000; k++)
            buffer_append_str(&source, str_from(pieces[i]));
        struct evidence_text *text = NULL;
        struct error error;
        error_clear(&error);
        assert_int_equal(evidence_text_new(buffer_view(&source), alloc_default(), &text, &error),
                         STATUS_OK);
        evidence_text_free(text);
        buffer_release(&source);
    }
}

/* NUL is a mark like any other: nothing reads on over it. */
static void test_nul(void **state)
{
    (void)state;
    static const struct str sources[] = { { "2026\00005\00014", 10 },
                                          { "020\0007946\0000958", 12 } };
    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
        struct evidence_text *text = NULL;
        assert_int_equal(evidence_text_new(sources[i], alloc_default(), &text, NULL), STATUS_OK);
        for (uint32_t k = 0; k < text->fact_count; k++)
            assert_int_equal(text->facts[k].kind, EVIDENCE_NUMBER);
        evidence_text_free(text);
    }
}

static void test_lines(void **state)
{
    (void)state;
    struct evidence_text *text = NULL;
    assert_int_equal(evidence_text_new(STR("ab\n\ncd\n"), alloc_default(), &text, NULL), STATUS_OK);
    static const uint32_t begins[] = { 0, 0, 0, 3, 4, 4, 4, 7 };
    static const uint32_t ends[] = { 2, 2, 2, 3, 6, 6, 6, 7 };
    for (uint32_t at = 0; at < 8; at++) {
        assert_int_equal(evidence_line_begin(text, at), begins[at]);
        assert_int_equal(evidence_line_end(text, at), ends[at]);
    }
    evidence_text_free(text);
}

static void scenario_read(struct test_alloc *test, void *context)
{
    struct evidence_text *text = NULL;
    struct error error;
    error_clear(&error);
    enum status status = evidence_text_new(str_from(context), &test->alloc, &text, &error);
    if (test->failures == 0)
        assert_int_equal(status, STATUS_OK);
    else
        assert_true(status == STATUS_NO_MEMORY || status == STATUS_OK);
    evidence_text_free(text);
    test_alloc_assert_empty(test);
}

static void test_memory(void **state)
{
    (void)state;
    static char source[] = "On 14 May 2026 at 9 am three guests paid EUR 1,250.50 to a@b.example, "
                           "see https://b.example/x.";
    test_alloc_failures(scenario_read, source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values), cmocka_unit_test(test_number_surroundings),
        cmocka_unit_test(test_words),  cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_memory), cmocka_unit_test(test_nul),
        cmocka_unit_test(test_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

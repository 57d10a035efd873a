/* test_records.c - lists and records: where items begin, and which parts of a text are alike. */
#include "base/features.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "evidence/list.h"
#include "evidence/record.h"
#include "evidence/span.h"

static struct evidence_text *read_text(const char *source)
{
    struct evidence_text *text = NULL;
    struct error error;
    error_clear(&error);
    assert_int_equal(evidence_text_new(str_from(source), alloc_default(), &text, &error),
                     STATUS_OK);
    return text;
}

static uint32_t end_of(const struct evidence_text *text, const char *part)
{
    const char *at = strstr(text->text.ptr, part);
    assert_non_null(at);
    return (uint32_t)(at - text->text.ptr + (ptrdiff_t)strlen(part));
}

struct next_case {
    const char *text, *item, *next; /* next: the word that begins the next item, NULL: none */
    bool is_last;
};

static const struct next_case next_cases[] = {
    { "sauna, pool and parking", "sauna", "pool", false },
    { "sauna, pool and parking", "pool", "parking", true },
    { "sauna, pool, and parking", "pool", "parking", false },
    { "sauna, pool and parking.", "parking", NULL, false },
    { "flour (250 g), sugar", "flour", "sugar", false },
    { "- tea\n- milk", "tea", "milk", false },
    { "1. tea.\n2. milk", "tea", "milk", false },
    { "tea\nmilk", "tea", NULL, false },
    { "red / green", "red", "green", false },
};

static void test_list_next(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(next_cases) / sizeof(next_cases[0]); i++) {
        struct evidence_text *text = read_text(next_cases[i].text);
        uint32_t word = 0;
        bool is_last;
        bool found = evidence_list_next(text, end_of(text, next_cases[i].item), &word, &is_last);
        assert_int_equal(found, next_cases[i].next != NULL);
        if (found) {
            struct str next = evidence_slice(text, text->words[word].begin, text->words[word].end);
            assert_true(str_equal(next, str_from(next_cases[i].next)));
            assert_int_equal(is_last, next_cases[i].is_last);
        }
        evidence_text_free(text);
    }
}

static void test_list_strength(void **state)
{
    (void)state;
    struct evidence_text *text = read_text("We bring tea, milk, bread and jam. Nobody objected.");
    assert_true(evidence_list_strength(text, 2) > evidence_list_strength(text, 4));
    assert_true(evidence_list_strength(text, 7) == 0.0); /* Nobody */
    assert_true(evidence_list_continues(text, 3));
    assert_false(evidence_list_continues(text, 2));
    evidence_text_free(text);
}

struct record_case {
    const char *text;
    struct evidence_needs needs;
    unsigned count;
    const char *second; /* how the second record begins */
};

static const struct record_case record_cases[] = {
    { "Offers\n\nCasa Rio - 88 EUR\nHotel Mar - 119 EUR\nPensao Flor - 61 EUR\n\nCity tax applies.",
      { .numbers = 1, .strings = 1 },
      3,
      "Hotel Mar" },
    { "Bought today: milk 1.20, bread 3.10, eggs 2.80.",
      { .numbers = 1, .strings = 1 },
      3,
      "bread" },
    { "Speakers are Ann Lee (Acme), Bo Cy (Initech) and Di Ek (Hooli).",
      { .strings = 2 },
      3,
      "Bo Cy" },
    { "Name: A\nAge: 3\n\nName: B\nAge: 5", { .numbers = 1, .strings = 1 }, 2, "Name: B" },
    { "Nothing to see here.", { .numbers = 1, .strings = 1 }, 0, NULL },
};

static void find_records(const struct evidence_text *text, const struct evidence_needs *needs,
                         struct arena *arena, struct evidence_records *out)
{
    struct evidence_leaf leaf;
    struct evidence_scope scope = { .begin = 0, .end = (uint32_t)text->text.len };
    struct str path[] = { STR("items") };
    evidence_leaf_init(&leaf, path, 1, STR(""), arena);
    struct evidence_view view = { text, &leaf, &scope, NULL, NULL };
    evidence_records_find(&view, needs, arena, out);
}

static void test_records(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(record_cases) / sizeof(record_cases[0]); i++) {
        struct evidence_text *text = read_text(record_cases[i].text);
        struct evidence_records records;
        struct arena arena;
        arena_init(&arena, alloc_default(), 1 << 20);
        find_records(text, &record_cases[i].needs, &arena, &records);
        if (records.count != record_cases[i].count)
            fail_msg("\"%s\": %u records", record_cases[i].text, records.count);
        if (records.count > 1) {
            struct str second = evidence_slice(text, records.items[1].begin, records.items[1].end);
            assert_true(str_starts_with(second, str_from(record_cases[i].second)));
        }
        arena_release(&arena);
        evidence_text_free(text);
    }
}

static void test_table_cells(void **state)
{
    (void)state;
    struct evidence_text *text = read_text(
        "Article      Qty   Price\nLamp         2     19.90\nDesk         1     230.00\n");
    struct str keys[] = { STR("article"), STR("price") };
    struct evidence_needs needs = { .numbers = 1, .strings = 1, .keys = keys, .key_count = 2 };
    struct evidence_records records;
    struct arena arena;
    arena_init(&arena, alloc_default(), 1 << 20);
    find_records(text, &needs, &arena, &records);
    assert_int_equal(records.count, 2);
    assert_int_equal(records.items[0].cell_count, 3);
    const struct evidence_cell *cell = &records.items[1].cells[2];
    assert_true(str_equal(evidence_slice(text, cell->begin, cell->end), STR("230.00")));
    assert_true(str_equal(cell->words[0].text, STR("price")));
    arena_release(&arena);
    evidence_text_free(text);
}

/* The place that a leaf's name speaks for wins over the others of its kind. */
struct prior_case {
    const char *text, *name, *best;
    enum evidence_kind kind;
};

static const struct prior_case prior_cases[] = {
    { "Invoice date: 03.03.2026. Please pay by 02.04.2026.", "invoiceDate", "2026-03-03",
      EVIDENCE_DATE },
    { "Total due      54.00\nTip      5.00", "tip", "5", EVIDENCE_NUMBER },
    { "We stay from 14 May 2026 to 18 May 2026.", "check_out", "2026-05-18", EVIDENCE_DATE },
    { "12 guests stayed 3 nights for 450 EUR", "nights", "3", EVIDENCE_NUMBER },
    { "12 guests stayed 3 nights for 450 EUR", "total_price", "450", EVIDENCE_NUMBER },
    { "level=error code=502 duration_ms=87", "code", "502", EVIDENCE_NUMBER },
    { "rated 4.6 out of 5 by 310 users", "rating", "4.6", EVIDENCE_NUMBER },
};

static void test_prior(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(prior_cases) / sizeof(prior_cases[0]); i++) {
        struct evidence_text *text = read_text(prior_cases[i].text);
        struct evidence_scope scope = { .begin = 0, .end = (uint32_t)text->text.len };
        struct evidence_leaf leaf;
        struct arena arena;
        struct str path[] = { str_from(prior_cases[i].name) };
        double best = -1e9;
        struct str value = STR("");
        arena_init(&arena, alloc_default(), 1 << 20);
        evidence_leaf_init(&leaf, path, 1, STR(""), &arena);
        struct evidence_view view = { text, &leaf, &scope, NULL, NULL };
        for (uint32_t k = 0; k < text->fact_count; k++) {
            double prior = evidence_fact_prior(&view, &text->facts[k]);
            if (text->facts[k].kind == prior_cases[i].kind && prior > best) {
                best = prior;
                value = text->facts[k].value;
            }
        }
        if (!str_equal(value, str_from(prior_cases[i].best)))
            fail_msg("%s in \"%s\": %.*s", prior_cases[i].name, prior_cases[i].text, (int)value.len,
                     value.ptr);
        arena_release(&arena);
        evidence_text_free(text);
    }
}

static void test_boolean(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_true;
    } boolean_cases[] = { { "Breakfast is included.", true },
                          { "Room only, no breakfast.", false },
                          { "The price comes without breakfast, but parking is free.", false } };
    for (size_t i = 0; i < 3; i++) {
        struct evidence_text *text = read_text(boolean_cases[i].text);
        struct evidence_scope scope = { .begin = 0, .end = (uint32_t)text->text.len };
        struct evidence_leaf leaf;
        struct arena arena;
        struct str path[] = { STR("breakfast_included") };
        arena_init(&arena, alloc_default(), 1 << 20);
        evidence_leaf_init(&leaf, path, 1, STR(""), &arena);
        struct evidence_view view = { text, &leaf, &scope, NULL, NULL };
        assert_int_equal(evidence_boolean_prior(&view) > 0.0, boolean_cases[i].is_true);
        arena_release(&arena);
        evidence_text_free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list_next), cmocka_unit_test(test_list_strength),
        cmocka_unit_test(test_records),   cmocka_unit_test(test_table_cells),
        cmocka_unit_test(test_prior),     cmocka_unit_test(test_boolean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

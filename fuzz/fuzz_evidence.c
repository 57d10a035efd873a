/* fuzz_evidence.c - laws of reading a prompt: words, lines and facts lie within the text and in
 * order, facts hold what their kind promises, priors are numbers, records and list items lie within
 * the text.
 *
 * The first line of an input that has several names the leaf.
 */
#include "base/features.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "evidence/list.h"
#include "evidence/record.h"
#include "evidence/span.h"
#include "schema/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_BYTES_MAX = 1 << 14, PLACES_MAX = 64 };

/* assert may be compiled out. */
static void require(bool condition)
{
    if (!condition)
        abort();
}

static void check_words(const struct evidence_text *text)
{
    for (uint32_t i = 0; i < text->word_count; i++) {
        const struct evidence_word *word = &text->words[i];
        require(word->begin < word->end && word->end <= text->text.len);
        require(i == 0 || (word - 1)->end <= word->begin);
        require(i == 0 || (word - 1)->sentence <= word->sentence);
        require(word->repeats >= 1);
        require(evidence_word_at(text, word->begin) == i);
        require(utf8_check(evidence_slice(text, word->begin, word->end)) ==
                word->end - word->begin);
    }
}

static void check_lines(const struct evidence_text *text)
{
    for (uint32_t at = 0; at <= text->text.len; at++) {
        uint32_t begin = evidence_line_begin(text, at);
        uint32_t end = evidence_line_end(text, at);
        require(begin <= at && at <= end && end <= text->text.len);
        require(begin == 0 || text->text.ptr[begin - 1] == '\n');
        require(end == text->text.len || text->text.ptr[end] == '\n');
        require(memchr(text->text.ptr + begin, '\n', end - begin) == NULL);
    }
}

static void check_fact(const struct evidence_text *text, const struct evidence_fact *fact)
{
    require(fact->begin < fact->end && fact->end <= text->text.len && fact->value.len > 0);
    require(fact->doubt >= 0.0);
    switch (fact->kind) {
    case EVIDENCE_DATE: require(schema_format_matches(SCHEMA_FORMAT_DATE, fact->value)); break;
    case EVIDENCE_TIME: require(fact->value.len == 5 && fact->value.ptr[2] == ':'); break;
    case EVIDENCE_CURRENCY: require(fact->value.len == 3); break;
    case EVIDENCE_NUMBER:
    case EVIDENCE_PHONE:
    case EVIDENCE_DATE_TIME:
    case EVIDENCE_EMAIL:
    case EVIDENCE_URI: break;
    }
    require(memchr(fact->value.ptr, '\0', fact->value.len) == NULL);
}

static void check_facts(const struct evidence_view *view)
{
    const struct evidence_text *text = view->text;
    for (uint32_t i = 0; i < text->fact_count; i++) {
        check_fact(text, &text->facts[i]);
        require(i == 0 || text->facts[i - 1].begin <= text->facts[i].begin);
        if (i < PLACES_MAX)
            require(isfinite(evidence_fact_prior(view, &text->facts[i])));
    }
}

static void check_runs(const struct evidence_view *view)
{
    const struct evidence_text *text = view->text;
    for (uint32_t first = 0; first < text->word_count && first < PLACES_MAX; first++) {
        uint32_t last = evidence_run_last(view, first);
        struct evidence_span span = evidence_run_span(text, first, last);
        uint32_t next;
        bool is_last;
        require(first <= last && last < text->word_count && last - first < RUN_WORDS_MAX);
        require(span.begin < span.end && span.end <= text->text.len);
        require(isfinite(evidence_run_start_prior(view, first, first % 2 == 0)));
        require(isfinite(evidence_run_end_prior(view, first, last, first % 2 == 0)));
        if (evidence_list_next(text, span.end, &next, &is_last))
            require(next < text->word_count && text->words[next].begin >= span.end);
    }
}

static void check_records(const struct evidence_view *view, struct arena *arena)
{
    static const struct str values[] = { { "red", 3 }, { "a-b", 3 } };
    static const struct str keys[] = { { "name", 4 }, { "price", 5 } };
    struct evidence_records records;
    struct evidence_needs needs = { .keys = keys, .key_count = 2 };
    for (unsigned shape = 0; shape < 4; shape++) {
        needs.numbers = shape % 2;
        needs.strings = shape / 2;
        needs.enums[0].values = values;
        needs.enums[0].count = 2;
        needs.enum_count = shape == 3;
        evidence_records_find(view, &needs, arena, &records);
        require(records.count <= RECORDS_MAX && records.count != 1);
        for (unsigned i = 0; i < records.count; i++) {
            require(records.items[i].begin <= records.items[i].end);
            require(records.items[i].end <= view->text->text.len);
            require(i == 0 || records.items[i - 1].end <= records.items[i].begin);
        }
    }
}

static void check_text(const struct evidence_text *text, struct str name)
{
    struct arena arena;
    struct evidence_leaf leaf;
    struct str path[] = { STR("items"), name };
    struct evidence_scope scope = { .begin = 0, .end = (uint32_t)text->text.len };
    struct evidence_view view = { text, &leaf, &scope, NULL, NULL };
    arena_init(&arena, alloc_default(), 1 << 26);
    evidence_leaf_init(&leaf, path, 2, STR("the price from the first day"), &arena);
    check_words(text);
    check_lines(text);
    check_facts(&view);
    check_runs(&view);
    check_records(&view, &arena);
    require(isfinite(evidence_boolean_prior(&view)));
    require(isfinite(evidence_literal_prior(&view, name)));
    arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str source = { (const char *)data, size };
    struct evidence_text *text = NULL;
    if (size > INPUT_BYTES_MAX || utf8_check(source) != size)
        return 0;
    const char *feed = size == 0 ? NULL : memchr(data, '\n', size);
    struct str name = feed == NULL ? STR("name") : str_of(source.ptr, (size_t)(feed - source.ptr));
    require(evidence_text_new(source, alloc_default(), &text, NULL) == STATUS_OK);
    check_text(text, name);
    evidence_text_free(text);
    return 0;
}

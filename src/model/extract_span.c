/* extract_span.c - a free string: the run of words that the evidence and the model agree on.
 *
 * First the beginnings are ranked by evidence and by the model's probability of their first token;
 * then the best few are followed by the model to each of their ends.
 */
#include "base/features.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "evidence/chars.h"
#include "evidence/span.h"
#include "model/extractor.h"

enum {
    SPAN_STARTS = 6,
    SPAN_TOKENS_MAX = 24,
    SPAN_SAME_WORDS = 4,
    SPAN_RESULTS_MAX = SPAN_STARTS * RUN_WORDS_MAX
};
/* An optional string is left out when neither the evidence nor its score reaches this. */
#define EVIDENCE_OPTIONAL_MIN 0.5
#define SCORE_OPTIONAL_MIN    (-2.5)

struct start {
    uint32_t first, last; /* words of the longest run */
    double prior;
    double score;
    struct str run;
};

static int by_score(const void *left, const void *right)
{
    const struct start *a = left;
    const struct start *b = right;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

static struct start start_at(const struct evidence_view *view, uint32_t first, bool is_item)
{
    struct start start = { .first = first, .last = evidence_run_last(view, first) };
    struct evidence_span span = evidence_run_span(view->text, first, start.last);
    start.prior = evidence_run_start_prior(view, first, is_item);
    start.run = evidence_slice(view->text, span.begin, span.end);
    return start;
}

/* Words from the beginning of the scope on, as far as they may lie in it. */
static uint32_t scope_words(const struct evidence_text *text, const struct evidence_scope *scope,
                            uint32_t *out_first)
{
    *out_first = evidence_word_at(text, scope->begin);
    uint32_t last = evidence_word_at(text, scope->end);
    return text->word_count == 0 ? 0 : last - *out_first + 1;
}

/* All beginnings of the scope, or the one that is given. */
static unsigned starts_collect(struct extractor *x, const struct evidence_view *view, bool is_item,
                               const uint32_t *only, struct start **out)
{
    unsigned count = 0;
    uint32_t first;
    uint32_t words = scope_words(x->text, view->scope, &first);
    *out = arena_take_array(&x->leaf_arena, only != NULL ? 1 : words + 1u, sizeof(**out));
    if (*out == NULL) {
        x->status = error_set(x->error, STATUS_NO_MEMORY, "no memory for reading the prompt");
        return 0;
    }
    if (only != NULL) {
        (*out)[0] = start_at(view, *only, is_item);
        return 1;
    }
    for (uint32_t i = first; i < first + words; i++)
        if (evidence_in_scope(view, x->text->words[i].begin))
            (*out)[count++] = start_at(view, i, is_item);
    return count;
}

/* Adds the model's opinion of each first token. */
static void starts_score(struct extractor *x, struct start *starts, unsigned count)
{
    const struct model_scorer *scorer = x->job->scorer;
    int32_t *tokens = arena_take_array(&x->leaf_arena, count + 1u, sizeof(*tokens));
    float *log_probs = arena_take_array(&x->leaf_arena, count + 1u, sizeof(*log_probs));
    if (tokens == NULL || log_probs == NULL) {
        x->status = error_set(x->error, STATUS_NO_MEMORY, "no memory for reading the prompt");
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        tokens[i] = model_scorer_first_token(scorer, utf8_prefix(starts[i].run, 48), x->job->alloc);
        if (tokens[i] < 0)
            tokens[i] = 0;
    }
    x->status = scorer->ops->next(scorer->state, tokens, count, log_probs, x->error);
    for (unsigned i = 0; x->status == STATUS_OK && i < count; i++)
        starts[i].score = starts[i].prior + (double)log_probs[i];
}

/* The best beginnings, those that read the same for some words only once. */
static unsigned starts_select(const struct evidence_text *text, struct start *starts,
                              unsigned count)
{
    unsigned kept = 0;
    qsort(starts, count, sizeof(*starts), by_score);
    for (unsigned i = 0; i < count && kept < SPAN_STARTS; i++) {
        bool again = false;
        uint32_t last = starts[i].first + SPAN_SAME_WORDS - 1;
        struct evidence_span head =
            evidence_run_span(text, starts[i].first, last < starts[i].last ? last : starts[i].last);
        for (unsigned k = 0; k < kept && !again; k++) {
            uint32_t other_last = starts[k].first + SPAN_SAME_WORDS - 1;
            struct evidence_span other = evidence_run_span(
                text, starts[k].first, other_last < starts[k].last ? other_last : starts[k].last);
            again = str_equal(evidence_slice(text, head.begin, head.end),
                              evidence_slice(text, other.begin, other.end));
        }
        if (!again)
            starts[kept++] = starts[i];
    }
    return kept;
}

/* Tokens with which a string may end. */
static unsigned terminators(const struct model_scorer *scorer, const struct alloc *alloc,
                            int32_t *out)
{
    static const char *const texts[] = { "\",", "\"}", "\"", "\"]", ".\"" };
    unsigned count = 0;
    for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        int32_t token = model_scorer_first_token(scorer, str_from(texts[i]), alloc);
        bool again =
            token < 0 || (texts[i][0] == '.' &&
                          model_vocabulary_text(scorer->vocabulary, (uint32_t)token).len < 2);
        for (unsigned k = 0; k < count; k++)
            again = again || out[k] == token;
        if (!again)
            out[count++] = token;
    }
    return count;
}

/* The run as a JSON string, white space runs as single blanks. */
static struct str run_json(struct extractor *x, struct evidence_span span)
{
    char *copy = arena_take(&x->leaf_arena, span.end - span.begin + 1u);
    size_t len = 0;
    unsigned bytes;
    if (copy == NULL)
        return str_of(NULL, 0);
    for (uint32_t at = span.begin; at < span.end; at += bytes) {
        uint32_t c = char_at(x->text->text, at, &bytes);
        if (!char_is_space(c)) {
            memcpy(copy + len, x->text->text.ptr + at, bytes);
            len += bytes;
        } else if (len > 0 && copy[len - 1] != ' ') {
            copy[len++] = ' ';
        }
    }
    buffer_clear(&x->scratch);
    json_write_string(str_of(copy, len), &x->scratch);
    return arena_copy(&x->leaf_arena, buffer_view(&x->scratch));
}

/* Every end of a followed run at which a token ends too. */
static unsigned ends_collect(struct extractor *x, const struct evidence_view *view,
                             const struct start *start, const struct model_path *path, bool is_item,
                             struct choice *out)
{
    uint32_t begin = evidence_run_span(x->text, start->first, start->first).begin;
    unsigned count = 0;
    uint32_t point = 0;
    for (uint32_t last = start->first; last <= start->last; last++) {
        uint32_t end = x->text->words[last].end;
        while (point < path->point_count && path->points[point].bytes < end - begin)
            point++;
        if (point == path->point_count)
            break;
        if (path->points[point].bytes != end - begin)
            continue;
        double model =
            (double)path->points[point].log_prob + (double)path->points[point].log_prob_end;
        out[count++] =
            (struct choice){ .prior = start->prior,
                             .score = start->prior + model +
                                      evidence_run_end_prior(view, start->first, last, is_item),
                             .evidence = start->prior,
                             .span = evidence_run_span(x->text, start->first, last) };
    }
    return count;
}

static int by_choice_score(const void *left, const void *right)
{
    const struct choice *a = left;
    const struct choice *b = right;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return (a->span.begin > b->span.begin) - (a->span.begin < b->span.begin);
}

static unsigned starts_follow(struct extractor *x, const struct evidence_view *view,
                              const struct start *starts, unsigned count, bool is_item,
                              struct choice *out)
{
    const struct model_scorer *scorer = x->job->scorer;
    struct model_path_point points[SPAN_STARTS][SPAN_TOKENS_MAX + 1];
    struct model_path paths[SPAN_STARTS];
    struct str runs[SPAN_STARTS];
    int32_t ends[8];
    unsigned found = 0;
    for (unsigned i = 0; i < count; i++) {
        runs[i] = starts[i].run;
        paths[i] = (struct model_path){ points[i], SPAN_TOKENS_MAX + 1, 0 };
    }
    unsigned end_count = terminators(scorer, x->job->alloc, ends);
    x->status = scorer->ops->paths(scorer->state, runs, count, ends, end_count, paths, x->error);
    for (unsigned i = 0; x->status == STATUS_OK && i < count; i++)
        found += ends_collect(x, view, &starts[i], &paths[i], is_item, out + found);
    qsort(out, found, sizeof(*out), by_choice_score);
    return found;
}

static enum extracted write_best_run(struct extractor *x, const struct evidence_view *view,
                                     struct choice *choices, unsigned count, bool required,
                                     struct evidence_span *out_span)
{
    for (unsigned i = 0; i < count; i++) {
        double evidence =
            required ? 0.0 : evidence_prior(view, choices[i].span.begin, choices[i].span.end);
        if (!required && evidence < EVIDENCE_OPTIONAL_MIN && choices[i].score < SCORE_OPTIONAL_MIN)
            continue;
        choices[i].json = run_json(x, choices[i].span);
        if (choices[i].json.ptr != NULL && extractor_write_choice(x, &choices[i])) {
            *out_span = choices[i].span;
            return EXTRACTED;
        }
        if (x->status != STATUS_OK)
            return EXTRACTED_STUCK;
    }
    return EXTRACTED_ABSENT;
}

enum extracted extract_span(struct extractor *x, const struct target *target, bool required,
                            bool is_item, const uint32_t *only, struct evidence_span *out_span)
{
    const struct model_scorer *scorer = x->job->scorer;
    struct evidence_leaf leaf;
    struct evidence_view view;
    struct start *starts;
    struct choice choices[SPAN_RESULTS_MAX];
    extractor_view(x, target, &leaf, &view);
    unsigned count = starts_collect(x, &view, is_item, only, &starts);
    if (count == 0 || x->status != STATUS_OK)
        return x->status == STATUS_OK ? EXTRACTED_ABSENT : EXTRACTED_STUCK;
    size_t len = x->opening.len;
    buffer_append_byte(&x->opening, '"');
    x->status = scorer->ops->set(scorer->state, buffer_view(&x->opening), x->error);
    buffer_truncate(&x->opening, len);
    if (x->status == STATUS_OK)
        starts_score(x, starts, count);
    if (x->status != STATUS_OK)
        return EXTRACTED_STUCK;
    count = starts_select(x->text, starts, count);
    count = starts_follow(x, &view, starts, count, is_item, choices);
    if (x->status != STATUS_OK)
        return EXTRACTED_STUCK;
    return write_best_run(x, &view, choices, count, required, out_span);
}

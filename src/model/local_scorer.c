/* local_scorer.c - weighing candidates with the context of libllama.
 *
 * Owns: the candidates of a round as a tree of tokens, so that shared beginnings are evaluated
 * once, in batches that may stop between. Candidate number i is sequence i + 1 of the KV cache,
 * which begins as a copy of sequence 0 (the prompt and the context) and is dropped after the round;
 * sequence 0 is never written by a round.
 */
#include "base/features.h"

#include "model/local_llama.h"

#if STRUCTURE_HAVE_LLAMA

#include <math.h>

#include "base/limits.h"
#include "model/scores.h"

enum { ROUND_CANDIDATES = LOCAL_SEQUENCES - 1 };

/* One token of one or more candidates. Parents come before their children. */
struct branch {
    int32_t token;
    uint32_t depth;  /* tokens between the context and this one */
    uint64_t owners; /* bit i: candidate i of the round */
};

/* What a round is to compute: the tokens of candidate i are tokens[begins[i]] up to begins[i +
 * 1]. */
struct round {
    struct local *local;
    struct local_scorer *scorer;
    const int32_t *tokens;
    const size_t *begins;
    uint32_t count;        /* candidates, at most ROUND_CANDIDATES */
    bool last_too;         /* the last token of each is evaluated as well */
    struct branch *branches;
    uint32_t branch_count;
    uint32_t *ways;        /* the branch of every token, by its place in tokens */
    /* Takes the scores after token `at` (counted from 0) of candidate i. */
    void (*take)(void *state, uint32_t candidate, uint32_t at, const float *scores, float log_sum);
    void *state;
};

static enum status scorer_no_memory(struct error *error)
{
    return error_set(error, STATUS_NO_MEMORY, "no memory for weighing candidates");
}

static uint32_t round_evaluated(const struct round *round, uint32_t candidate)
{
    size_t count = round->begins[candidate + 1] - round->begins[candidate];
    if (!round->last_too && count > 0)
        count--;
    return (uint32_t)(count < MODEL_SCORER_TOKENS_MAX ? count : MODEL_SCORER_TOKENS_MAX);
}

/* The earlier candidate that shares the longest beginning, and its length. */
static uint32_t round_shared(const struct round *round, uint32_t candidate, uint32_t *out_other)
{
    uint32_t longest = 0, own = round_evaluated(round, candidate);
    const int32_t *tokens = round->tokens + round->begins[candidate];
    for (uint32_t other = 0; other < candidate; other++) {
        const int32_t *others = round->tokens + round->begins[other];
        uint32_t len = 0, limit = round_evaluated(round, other);
        limit = limit < own ? limit : own;
        while (len < limit && tokens[len] == others[len])
            len++;
        if (len > longest) {
            longest = len;
            *out_other = other;
        }
    }
    return longest;
}

static void round_plant(struct round *round)
{
    round->branch_count = 0;
    for (uint32_t candidate = 0; candidate < round->count; candidate++) {
        uint32_t other = 0, shared = round_shared(round, candidate, &other);
        uint32_t count = round_evaluated(round, candidate);
        for (uint32_t at = 0; at < count; at++) {
            size_t place = round->begins[candidate] + at;
            uint32_t branch = round->branch_count;
            if (at < shared)
                branch = round->ways[round->begins[other] + at];
            else
                round->branches[round->branch_count++] =
                    (struct branch){ round->tokens[place], at, 0 };
            round->branches[branch].owners |= UINT64_C(1) << candidate;
            round->ways[place] = branch;
        }
    }
}

static void round_fill(const struct round *round, uint32_t first, uint32_t count,
                       struct llama_batch *batch)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct branch *branch = &round->branches[first + i];
        int32_t owner_count = 0;
        for (uint32_t candidate = 0; candidate < round->count; candidate++)
            if ((branch->owners >> candidate & 1) != 0)
                batch->seq_id[i][owner_count++] = (llama_seq_id)candidate + 1;
        batch->n_seq_id[i] = owner_count;
        batch->token[i] = branch->token;
        batch->pos[i] = (llama_pos)(round->local->kept.count + branch->depth);
        batch->logits[i] = 1;
    }
    batch->n_tokens = (int32_t)count;
}

/* Hands the scores of a batch to the candidates that go through its branches. */
static enum status round_give(const struct round *round, uint32_t first, uint32_t count,
                              struct error *error)
{
    struct local *local = round->local;
    for (uint32_t i = 0; i < count; i++) {
        const struct branch *branch = &round->branches[first + i];
        const float *scores = llama_get_logits_ith(local->context, (int32_t)i);
        if (scores == NULL)
            return error_set(error, STATUS_INTERNAL, "the local model gave no scores");
        float log_sum = model_scores_log_sum(scores, local->vocabulary.count);
        for (uint32_t candidate = 0; candidate < round->count; candidate++)
            if ((branch->owners >> candidate & 1) != 0)
                round->take(round->state, candidate, branch->depth, scores, log_sum);
    }
    return STATUS_OK;
}

static enum status round_evaluate(const struct round *round, struct error *error)
{
    struct local *local = round->local;
    enum status status = STATUS_OK;
    for (uint32_t first = 0; status == STATUS_OK && first < round->branch_count;
         first += LOCAL_BATCH) {
        uint32_t count = round->branch_count - first;
        count = count < LOCAL_BATCH ? count : LOCAL_BATCH;
        round_fill(round, first, count, &round->scorer->batch);
        status = local_context_decode(local, &round->scorer->batch, error);
        if (status == STATUS_OK)
            status = round_give(round, first, count, error);
    }
    return status;
}

static enum status round_run(struct round *round, struct error *error)
{
    round_plant(round);
    if (round->branch_count == 0)
        return STATUS_OK;
    llama_memory_t memory = llama_get_memory(round->local->context);
    for (uint32_t candidate = 0; candidate < round->count; candidate++)
        llama_memory_seq_cp(memory, 0, (llama_seq_id)candidate + 1, -1, -1);
    enum status status = round_evaluate(round, error);
    for (uint32_t candidate = 0; candidate < round->count; candidate++)
        (void)llama_memory_seq_rm(memory, (llama_seq_id)candidate + 1, -1, -1);
    return status;
}

/* How many candidates from `first` on fit one round. At least one: it is cut to fit. */
static uint32_t round_size(const struct local_scorer *scorer, uint32_t first, uint32_t count)
{
    uint32_t size = 0, tokens = 0;
    while (first + size < count && size < ROUND_CANDIDATES) {
        size_t len = scorer->begins[first + size + 1] - scorer->begins[first + size];
        len = len < MODEL_SCORER_TOKENS_MAX ? len : MODEL_SCORER_TOKENS_MAX;
        if (size > 0 && tokens + len > LOCAL_SCORER_CELLS)
            break;
        tokens += (uint32_t)len;
        size++;
    }
    return size;
}

/* ---- the context ----------------------------------------------------------------------------- */

static bool scorer_tokenise(void *state, struct str text, struct model_tokens *out)
{
    const struct local_scorer *scorer = state;
    struct model_tokeniser tokeniser = local_tokeniser(scorer->local);
    return tokeniser.run(tokeniser.state, text, out);
}

static enum status scorer_set(void *state, struct str context, struct error *error)
{
    struct local_scorer *scorer = state;
    model_tokens_truncate(&scorer->context, scorer->prompt_count);
    if (!scorer_tokenise(scorer, context, &scorer->context))
        return scorer_no_memory(error);
    return STATUS_OK;
}

/* Brings the cache in step with the context and keeps the scores after it. */
static enum status scorer_sync(struct local_scorer *scorer, struct error *error)
{
    struct local *local = scorer->local;
    size_t common = model_tokens_common(&local->kept, &scorer->context);
    if (scorer->has_scores && common == local->kept.count && common == scorer->context.count)
        return STATUS_OK;
    scorer->has_scores = false;
    if (scorer->context.count + 1 > local->info.context_tokens)
        return error_set(error, STATUS_REJECTED,
                         "the reply does not fit the %u tokens of the model's context",
                         (unsigned)local->info.context_tokens);
    common = common == scorer->context.count ? common - 1 : common;
    local_context_forget(local, common);
    common = local->kept.count; /* some kinds of memory forget more */
    enum status status =
        local_context_reserve(local, (uint32_t)scorer->context.count, error);
    if (status == STATUS_OK && local->kept.count < common)
        common = local->kept.count;
    if (status == STATUS_OK)
        status = local_context_extend(local, scorer->context.items + common,
                                      scorer->context.count - common, error);
    if (status != STATUS_OK)
        return status;
    const float *scores = local_context_scores(local);
    if (scores == NULL)
        return error_set(error, STATUS_INTERNAL, "the local model gave no scores");
    memcpy(scorer->scores, scores, local->vocabulary.count * sizeof(*scores));
    scorer->log_sum = model_scores_log_sum(scores, local->vocabulary.count);
    scorer->has_scores = true;
    return STATUS_OK;
}

static float scorer_log_prob(const struct local_scorer *scorer, int32_t token)
{
    return scorer->scores[token] - scorer->log_sum;
}

static enum status scorer_next(void *state, const int32_t *tokens, size_t count,
                               float *out_log_probs, struct error *error)
{
    struct local_scorer *scorer = state;
    enum status status = scorer_sync(scorer, error);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        out_log_probs[i] = scorer_log_prob(scorer, tokens[i]);
    return status;
}

/* ---- candidates ------------------------------------------------------------------------------ */

/* Tokenises the candidates, each with the terminator behind it. */
static bool scorer_prepare(struct local_scorer *scorer, const struct str *candidates, size_t count,
                           struct str terminator)
{
    if (count >= UINT32_MAX)
        return false;
    if (count + 1 > scorer->begins_cap) {
        size_t *begins = alloc_grow(scorer->local->alloc, scorer->begins,
                                    scorer->begins_cap * sizeof(*scorer->begins),
                                    (count + 1) * sizeof(*scorer->begins));
        if (begins == NULL)
            return false;
        scorer->begins = begins;
        scorer->begins_cap = count + 1;
    }
    model_tokens_truncate(&scorer->candidates, 0);
    for (size_t i = 0; i < count; i++) {
        scorer->begins[i] = scorer->candidates.count;
        buffer_clear(&scorer->text);
        buffer_append_str(&scorer->text, candidates[i]);
        buffer_append_str(&scorer->text, terminator);
        if (buffer_status(&scorer->text) != STATUS_OK ||
            !scorer_tokenise(scorer, buffer_view(&scorer->text), &scorer->candidates))
            return false;
    }
    scorer->begins[count] = scorer->candidates.count;
    model_tokens_truncate(&scorer->ways, 0);
    return model_tokens_reserve(&scorer->ways, scorer->candidates.count + 1);
}

/* Runs rounds over all prepared candidates; out_first is told where each round begins. */
static enum status scorer_rounds(struct local_scorer *scorer, size_t count, struct round *round,
                                 uint32_t *out_first, struct error *error)
{
    struct local *local = scorer->local;
    enum status status = STATUS_OK;
    size_t branches_max = LOCAL_SCORER_CELLS + MODEL_SCORER_TOKENS_MAX;
    struct branch *branches = alloc_get(local->alloc, branches_max * sizeof(*branches));
    if (branches == NULL)
        return scorer_no_memory(error);
    round->local = local;
    round->scorer = scorer;
    round->tokens = scorer->candidates.items;
    round->ways = (uint32_t *)scorer->ways.items;
    round->branches = branches;
    for (uint32_t first = 0; status == STATUS_OK && first < count; first += round->count) {
        round->begins = scorer->begins + first;
        round->count = round_size(scorer, first, (uint32_t)count);
        *out_first = first;
        status = round_run(round, error);
    }
    alloc_free(local->alloc, branches, branches_max * sizeof(*branches));
    return status;
}

struct summing {
    const struct local_scorer *scorer;
    float *log_probs;
    uint32_t first; /* candidate of the round at hand */
};

static void summing_take(void *state, uint32_t candidate, uint32_t at, const float *scores,
                         float log_sum)
{
    const struct summing *summing = state;
    size_t index = summing->first + candidate;
    size_t next = summing->scorer->begins[index] + at + 1;
    if (next < summing->scorer->begins[index + 1])
        summing->log_probs[index] +=
            scores[summing->scorer->candidates.items[next]] - log_sum;
}

static enum status scorer_score(void *state, const struct str *candidates, size_t count,
                                struct str terminator, float *out_log_probs, struct error *error)
{
    struct local_scorer *scorer = state;
    struct summing summing = { .scorer = scorer, .log_probs = out_log_probs };
    struct round round = { .take = summing_take, .state = &summing };
    enum status status = scorer_sync(scorer, error);
    if (status != STATUS_OK)
        return status;
    if (!scorer_prepare(scorer, candidates, count, terminator))
        return scorer_no_memory(error);
    for (size_t i = 0; i < count; i++) {
        bool empty = scorer->begins[i] == scorer->begins[i + 1];
        out_log_probs[i] =
            empty ? 0 : scorer_log_prob(scorer, scorer->candidates.items[scorer->begins[i]]);
    }
    return scorer_rounds(scorer, count, &round, &summing.first, error);
}

struct walking {
    const struct local_scorer *scorer;
    struct model_path *paths;
    const int32_t *terminators;
    size_t terminator_count;
    uint32_t first; /* candidate of the round at hand */
};

static float walking_end(const struct walking *walking, const float *scores, float log_sum)
{
    float sum = -INFINITY;
    for (size_t i = 0; i < walking->terminator_count; i++)
        sum = model_scores_log_add(sum, scores[walking->terminators[i]] - log_sum);
    return sum;
}

/* Point `at + 1` of a candidate: its own probability was set by the point before. */
static void walking_point(const struct walking *walking, size_t index, uint32_t point,
                          const float *scores, float log_sum)
{
    struct model_path *path = &walking->paths[index];
    size_t next = walking->scorer->begins[index] + point;
    path->points[point].log_prob_end = walking_end(walking, scores, log_sum);
    if (next >= walking->scorer->begins[index + 1] || point + 1 >= path->point_max ||
        point >= MODEL_SCORER_TOKENS_MAX)
        return;
    int32_t token = walking->scorer->candidates.items[next];
    struct str text =
        model_vocabulary_text(&walking->scorer->local->vocabulary, (uint32_t)token);
    path->points[point + 1] = (struct model_path_point){
        path->points[point].bytes + (uint32_t)text.len,
        path->points[point].log_prob + scores[token] - log_sum, -INFINITY
    };
    path->point_count = point + 2;
}

static void walking_take(void *state, uint32_t candidate, uint32_t at, const float *scores,
                         float log_sum)
{
    const struct walking *walking = state;
    walking_point(walking, walking->first + candidate, at + 1, scores, log_sum);
}

/* Cuts the prepared candidates to the points that there is room for. */
static void scorer_cut(struct local_scorer *scorer, const struct model_path *paths, size_t count)
{
    int32_t *items = scorer->candidates.items;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        size_t begin = scorer->begins[i], len = scorer->begins[i + 1] - begin;
        if (len > paths[i].point_max - 1)
            len = paths[i].point_max - 1;
        memmove(items + kept, items + begin, len * sizeof(*items));
        scorer->begins[i] = kept;
        kept += len;
    }
    scorer->begins[count] = kept;
    scorer->candidates.count = kept;
}

static enum status scorer_paths(void *state, const struct str *candidates, size_t count,
                                const int32_t *terminators, size_t terminator_count,
                                struct model_path *paths, struct error *error)
{
    struct local_scorer *scorer = state;
    struct walking walking = { scorer, paths, terminators, terminator_count, 0 };
    struct round round = { .last_too = true, .take = walking_take, .state = &walking };
    enum status status = scorer_sync(scorer, error);
    if (status != STATUS_OK)
        return status;
    if (!scorer_prepare(scorer, candidates, count, STR("")))
        return scorer_no_memory(error);
    scorer_cut(scorer, paths, count);
    for (size_t i = 0; i < count; i++) {
        paths[i].points[0] = (struct model_path_point){ 0, 0, 0 };
        paths[i].point_count = 1;
        walking_point(&walking, i, 0, scorer->scores, scorer->log_sum);
    }
    return scorer_rounds(scorer, count, &round, &walking.first, error);
}

/* ---- life cycle ------------------------------------------------------------------------------ */

static enum status scorer_distribution(void *state, const float **out_scores, struct error *error)
{
    struct local_scorer *scorer = state;
    enum status status = scorer_sync(scorer, error);
    if (status == STATUS_OK)
        *out_scores = scorer->scores;
    return status;
}

static const struct model_scorer_ops scorer_ops = {
    .tokenise = scorer_tokenise,
    .set = scorer_set,
    .next = scorer_next,
    .score = scorer_score,
    .paths = scorer_paths,
    .distribution = scorer_distribution,
};

enum status local_scorer_init(struct local_scorer *scorer, struct local *local,
                              struct model_scorer *out_scorer, struct error *error)
{
    *scorer = (struct local_scorer){ .local = local, .prompt_count = local->prompt.count };
    model_tokens_init(&scorer->context, local->alloc);
    model_tokens_init(&scorer->candidates, local->alloc);
    model_tokens_init(&scorer->ways, local->alloc);
    buffer_init(&scorer->text, local->alloc, LIMIT_PROMPT_BYTES);
    scorer->scores = alloc_get(local->alloc, local->vocabulary.count * sizeof(float));
    if (scorer->scores == NULL || !model_tokens_reserve(&scorer->context, local->prompt.count)) {
        local_scorer_release(scorer);
        return scorer_no_memory(error);
    }
    memcpy(scorer->context.items, local->prompt.items,
           local->prompt.count * sizeof(*local->prompt.items));
    scorer->context.count = local->prompt.count;
    scorer->batch = llama_batch_init(LOCAL_BATCH, 0, LOCAL_SEQUENCES);
    *out_scorer = (struct model_scorer){ &scorer_ops, scorer, &local->vocabulary };
    return STATUS_OK;
}

void local_scorer_release(struct local_scorer *scorer)
{
    const struct alloc *alloc = scorer->local == NULL ? NULL : scorer->local->alloc;
    if (alloc == NULL)
        return;
    if (scorer->batch.token != NULL)
        llama_batch_free(scorer->batch);
    if (scorer->scores != NULL)
        alloc_free(alloc, scorer->scores, scorer->local->vocabulary.count * sizeof(float));
    if (scorer->begins != NULL)
        alloc_free(alloc, scorer->begins, scorer->begins_cap * sizeof(*scorer->begins));
    model_tokens_release(&scorer->context);
    model_tokens_release(&scorer->candidates);
    model_tokens_release(&scorer->ways);
    buffer_release(&scorer->text);
    *scorer = (struct local_scorer){ .local = NULL };
}

#endif

/* sampler.c - greedy choice and seeded draws under an admission.
 *
 * Greedy goes in three steps, each the exact answer if it answers: the best of all; the best of a
 * bounded heap over the tokens whose first byte may come; a scan of those that asks only about
 * improvements. A draw throws refused tokens out and draws again, which leaves the distribution
 * over the admissible ones as it is.
 */
#include "base/features.h"

#include "model/sampler.h"

#include <math.h>

enum {
    SAMPLER_HEAP = 128,         /* candidates in order before a scan */
    SAMPLER_DRAWS = 8,          /* before the first bytes are looked at */
    SAMPLER_DRAWS_BY_BYTE = 64  /* before every token is asked about */
};

struct candidate {
    float score;
    uint32_t token;
};

void model_sampler_init(struct model_sampler *sampler, const struct model_vocabulary *vocabulary,
                        const struct alloc *alloc)
{
    *sampler = (struct model_sampler){ .vocabulary = vocabulary, .alloc = alloc };
}

void model_sampler_release(struct model_sampler *sampler)
{
    if (sampler->weights != NULL)
        alloc_free(sampler->alloc, sampler->weights, sampler->vocabulary->count * sizeof(float));
    sampler->weights = NULL;
}

bool model_sampler_begin(struct model_sampler *sampler, double temperature, uint64_t seed)
{
    sampler->temperature = temperature > 0 ? temperature : 0;
    sampler->chance = rng_from_seed(&sampler->chance_state, seed);
    if (sampler->temperature > 0 && sampler->weights == NULL)
        sampler->weights =
            alloc_get(sampler->alloc, sampler->vocabulary->count * sizeof(float));
    return sampler->temperature == 0 || sampler->weights != NULL;
}

static bool sampler_admits(struct model_sampler *sampler, const struct model_admission *admission,
                           uint32_t token)
{
    sampler->asked++;
    return admission->token(admission->state, token);
}

/* The order of candidates: higher score, then lower number. Scores that are not numbers come
 * last. */
static bool candidate_before(struct candidate a, struct candidate b)
{
    if (a.score > b.score)
        return true;
    if (a.score < b.score)
        return false;
    return a.token < b.token;
}

static float score_of(const float *scores, uint32_t token)
{
    return scores[token] == scores[token] ? scores[token] : -INFINITY;
}

/* ---- greedy ---------------------------------------------------------------------------------- */

/* The best token that is not reserved; false when all are. */
static bool greedy_best(const struct model_vocabulary *vocabulary, const float *scores,
                        uint32_t *out_token)
{
    float best = -INFINITY;
    bool found = false;
    for (uint32_t token = 0; token < vocabulary->count; token++) {
        if (scores[token] > best && vocabulary->kinds[token] != MODEL_TOKEN_RESERVED) {
            best = scores[token];
            *out_token = token;
            found = true;
        }
    }
    return found;
}

/* heap[0] is the last in order of those kept. */
static void heap_sift(struct candidate *heap, uint32_t count, uint32_t at)
{
    for (;;) {
        uint32_t last = at, left = 2 * at + 1, right = left + 1;
        if (left < count && candidate_before(heap[last], heap[left]))
            last = left;
        if (right < count && candidate_before(heap[last], heap[right]))
            last = right;
        if (last == at)
            return;
        struct candidate kept = heap[at];
        heap[at] = heap[last];
        heap[last] = kept;
        at = last;
    }
}

static void heap_offer(struct candidate *heap, uint32_t *count, struct candidate offered)
{
    if (*count == SAMPLER_HEAP) {
        if (!candidate_before(offered, heap[0]))
            return;
        heap[0] = offered;
        heap_sift(heap, *count, 0);
        return;
    }
    heap[(*count)++] = offered;
    if (*count == SAMPLER_HEAP)
        for (uint32_t at = SAMPLER_HEAP / 2; at-- > 0;)
            heap_sift(heap, *count, at);
}

/* Turns the heap (or the unordered short list) into descending order. */
static void heap_sort(struct candidate *heap, uint32_t count)
{
    for (uint32_t at = count / 2; at-- > 0;)
        heap_sift(heap, count, at);
    for (uint32_t left = count; left > 1; left--) {
        struct candidate last = heap[0];
        heap[0] = heap[left - 1];
        heap[left - 1] = last;
        heap_sift(heap, left - 1, 0);
    }
}

/* The first admissible one of the heap's candidates; *out_more: tokens beyond the heap were not
 * looked at. */
static bool greedy_heap(struct model_sampler *sampler, const float *scores,
                        const struct model_admission *admission, const bool *bytes,
                        uint32_t refused, uint32_t *out_token, bool *out_more)
{
    const struct model_vocabulary *vocabulary = sampler->vocabulary;
    struct candidate heap[SAMPLER_HEAP];
    uint32_t count = 0;
    for (unsigned byte = 0; byte < 256; byte++) {
        if (!bytes[byte])
            continue;
        for (uint32_t i = vocabulary->by_byte_first[byte]; i < vocabulary->by_byte_first[byte + 1];
             i++) {
            uint32_t token = vocabulary->by_byte[i];
            heap_offer(heap, &count, (struct candidate){ score_of(scores, token), token });
        }
    }
    for (uint32_t i = 0; i < vocabulary->end_count; i++) {
        uint32_t token = vocabulary->ends[i];
        heap_offer(heap, &count, (struct candidate){ score_of(scores, token), token });
    }
    *out_more = count == SAMPLER_HEAP;
    heap_sort(heap, count);
    for (uint32_t i = 0; i < count; i++) {
        if (heap[i].token != refused && sampler_admits(sampler, admission, heap[i].token)) {
            *out_token = heap[i].token;
            return true;
        }
    }
    return false;
}

static bool greedy_scan(struct model_sampler *sampler, const float *scores,
                        const struct model_admission *admission, const bool *bytes,
                        uint32_t *out_token)
{
    const struct model_vocabulary *vocabulary = sampler->vocabulary;
    struct candidate best = { 0, 0 };
    bool found = false;
    for (unsigned byte = 0; byte < 256; byte++) {
        if (!bytes[byte])
            continue;
        for (uint32_t i = vocabulary->by_byte_first[byte]; i < vocabulary->by_byte_first[byte + 1];
             i++) {
            uint32_t token = vocabulary->by_byte[i];
            struct candidate offered = { score_of(scores, token), token };
            if ((!found || candidate_before(offered, best)) &&
                sampler_admits(sampler, admission, token)) {
                best = offered;
                found = true;
            }
        }
    }
    *out_token = best.token;
    return found;
}

static void admissible_bytes(const struct model_admission *admission, bool bytes[256])
{
    for (unsigned byte = 0; byte < 256; byte++)
        bytes[byte] = admission->byte(admission->state, (unsigned char)byte);
}

static bool choose_greedy(struct model_sampler *sampler, const float *scores,
                          const struct model_admission *admission, uint32_t *out_token)
{
    bool bytes[256], more;
    uint32_t best = UINT32_MAX;
    if (greedy_best(sampler->vocabulary, scores, &best) &&
        sampler_admits(sampler, admission, best)) {
        *out_token = best;
        return true;
    }
    admissible_bytes(admission, bytes);
    if (greedy_heap(sampler, scores, admission, bytes, best, out_token, &more))
        return true;
    return more && greedy_scan(sampler, scores, admission, bytes, out_token);
}

/* ---- draws ----------------------------------------------------------------------------------- */

#define DRAW_EXCLUDED (-1.0F)   /* the weight of a token that is out */
#define DRAW_DISTANCE_MAX 40.0F /* what is less likely than e^-40 times the best is not drawn */

/* Weights relative to the best token that is left; returns their sum. */
static double draw_weights(struct model_sampler *sampler, const float *scores)
{
    uint32_t count = sampler->vocabulary->count;
    float *weights = sampler->weights, best = -INFINITY;
    float scale = (float)(1 / sampler->temperature);
    double sum = 0;
    for (uint32_t token = 0; token < count; token++)
        if (scores[token] > best && weights[token] != DRAW_EXCLUDED)
            best = scores[token];
    for (uint32_t token = 0; token < count; token++) {
        float distance = (best - scores[token]) * scale;
        if (weights[token] == DRAW_EXCLUDED)
            continue;
        /* False for what is no number. */
        weights[token] = distance < DRAW_DISTANCE_MAX ? expf(-distance) : 0;
        sum += (double)weights[token];
    }
    return isfinite(best) ? sum : 0;
}

static void draw_begin(struct model_sampler *sampler)
{
    const struct model_vocabulary *vocabulary = sampler->vocabulary;
    for (uint32_t token = 0; token < vocabulary->count; token++)
        sampler->weights[token] =
            vocabulary->kinds[token] == MODEL_TOKEN_RESERVED ? DRAW_EXCLUDED : 0;
}

/* One draw by weight; false when nothing has weight. */
static bool draw_one(struct model_sampler *sampler, double sum, uint32_t *out_token)
{
    uint64_t word = sampler->chance.next(sampler->chance.state);
    double rest = (double)(word >> 11) * 0x1p-53 * sum;
    bool found = false;
    if (sum <= 0)
        return false;
    for (uint32_t token = 0; token < sampler->vocabulary->count; token++) {
        double weight = (double)sampler->weights[token];
        if (weight <= 0)
            continue;
        *out_token = token;
        found = true;
        if (rest < weight)
            break;
        rest -= weight;
    }
    return found;
}

/* Draws until one is admissible, at most `draws` times; refused tokens are excluded. */
static bool draw_until(struct model_sampler *sampler, const struct model_admission *admission,
                       unsigned draws, double sum, uint32_t *out_token)
{
    for (unsigned i = 0; i < draws; i++) {
        if (!draw_one(sampler, sum, out_token))
            return false;
        if (sampler_admits(sampler, admission, *out_token))
            return true;
        sum -= (double)sampler->weights[*out_token];
        sampler->weights[*out_token] = DRAW_EXCLUDED;
    }
    return false;
}

static void draw_keep_bytes(struct model_sampler *sampler, const bool *bytes)
{
    const struct model_vocabulary *vocabulary = sampler->vocabulary;
    for (uint32_t token = 0; token < vocabulary->count; token++) {
        struct str text = model_vocabulary_text(vocabulary, token);
        if (text.len > 0 && !bytes[(unsigned char)text.ptr[0]])
            sampler->weights[token] = DRAW_EXCLUDED;
    }
}

static void draw_keep_admissible(struct model_sampler *sampler,
                                 const struct model_admission *admission)
{
    for (uint32_t token = 0; token < sampler->vocabulary->count; token++)
        if (sampler->weights[token] != DRAW_EXCLUDED &&
            !sampler_admits(sampler, admission, token))
            sampler->weights[token] = DRAW_EXCLUDED;
}

static bool choose_drawn(struct model_sampler *sampler, const float *scores,
                         const struct model_admission *admission, uint32_t *out_token)
{
    bool bytes[256];
    draw_begin(sampler);
    if (draw_until(sampler, admission, SAMPLER_DRAWS, draw_weights(sampler, scores), out_token))
        return true;
    admissible_bytes(admission, bytes);
    draw_keep_bytes(sampler, bytes);
    if (draw_until(sampler, admission, SAMPLER_DRAWS_BY_BYTE, draw_weights(sampler, scores),
                   out_token))
        return true;
    draw_keep_admissible(sampler, admission);
    /* All that is left is admissible; it has no weight when no score is a number. */
    return draw_one(sampler, draw_weights(sampler, scores), out_token) ||
           choose_greedy(sampler, scores, admission, out_token);
}

bool model_sampler_choose(struct model_sampler *sampler, const float *scores,
                          const struct model_admission *admission, uint32_t *out_token)
{
    if (sampler->temperature > 0)
        return choose_drawn(sampler, scores, admission, out_token);
    return choose_greedy(sampler, scores, admission, out_token);
}

/* test_sampler.c - the choice under an admission against the choice that asks about every token. */
#include "base/features.h"

#include "model/sampler.h"

#include <math.h>

#include "test.h"
#include "test_alloc.h"

enum { COUNT = 2000 }; /* more than the sampler's ordered candidates, so that it has to scan */

/* Tokens write their number in base 26, so that all first letters occur. Token 7 ends, 8 is
 * reserved. */
static void build(struct model_vocabulary *vocabulary, uint32_t count)
{
    assert_int_equal(model_vocabulary_init(vocabulary, count, alloc_default(), NULL), STATUS_OK);
    for (uint32_t token = 0; token < count; token++) {
        char text[2] = { (char)('a' + token % 26), (char)('a' + token / 26 % 26) };
        enum model_token_kind kind = token == 7   ? MODEL_TOKEN_END
                                     : token == 8 ? MODEL_TOKEN_RESERVED
                                                  : MODEL_TOKEN_TEXT;
        model_vocabulary_add(vocabulary, kind, str_of(text, sizeof(text)));
    }
    assert_int_equal(model_vocabulary_finish(vocabulary, NULL), STATUS_OK);
}

struct scripted {
    const struct model_vocabulary *vocabulary;
    bool admitted[COUNT];
    uint32_t asked;
};

static bool scripted_token(void *state, uint32_t token)
{
    struct scripted *scripted = state;
    scripted->asked++;
    assert_int_not_equal(model_vocabulary_kind(scripted->vocabulary, token), MODEL_TOKEN_RESERVED);
    return scripted->admitted[token];
}

static bool scripted_byte(void *state, unsigned char byte)
{
    const struct scripted *scripted = state;
    for (uint32_t token = 0; token < scripted->vocabulary->count; token++) {
        struct str text = model_vocabulary_text(scripted->vocabulary, token);
        if (text.len > 0 && scripted->admitted[token] && (unsigned char)text.ptr[0] == byte)
            return true;
    }
    return false;
}

static struct model_admission admission_of(struct scripted *scripted)
{
    return (struct model_admission){ scripted_token, scripted_byte, scripted };
}

static bool oracle(const struct scripted *scripted, const float *scores, uint32_t *out_token)
{
    bool found = false;
    float best = 0;
    for (uint32_t token = 0; token < scripted->vocabulary->count; token++) {
        float score = isnan(scores[token]) ? -INFINITY : scores[token];
        if (model_vocabulary_kind(scripted->vocabulary, token) == MODEL_TOKEN_RESERVED ||
            !scripted->admitted[token] || (found && !(score > best)))
            continue;
        best = score;
        *out_token = token;
        found = true;
    }
    return found;
}

static float random_score(struct rng *chance)
{
    uint64_t word = chance->next(chance->state);
    if (word % 97 == 0)
        return NAN;
    if (word % 89 == 0)
        return -INFINITY;
    return (float)((double)(word >> 32) / 1e8) - (float)(word % 3); /* with equals now and then */
}

static void test_greedy_is_the_best_admissible(void **state)
{
    (void)state;
    static float scores[COUNT];
    struct model_vocabulary vocabulary;
    struct model_sampler sampler;
    struct rng_seeded seeded;
    struct rng chance = rng_from_seed(&seeded, 1);
    build(&vocabulary, COUNT);
    model_sampler_init(&sampler, &vocabulary, alloc_default());
    assert_true(model_sampler_begin(&sampler, 0, 0));
    for (unsigned round = 0; round < 400; round++) {
        static struct scripted scripted;
        uint32_t wanted = UINT32_MAX, got = UINT32_MAX;
        scripted.vocabulary = &vocabulary;
        for (uint32_t token = 0; token < COUNT; token++) {
            scores[token] = round % 7 == 6 ? NAN : random_score(&chance);
            /* From everything admissible to one token in two thousand to none. */
            scripted.admitted[token] =
                chance.next(chance.state) % COUNT < (round % 50 == 49 ? 0 : 1u << (round % 12));
        }
        struct model_admission admission = admission_of(&scripted);
        bool exists = oracle(&scripted, scores, &wanted);
        assert_int_equal(model_sampler_choose(&sampler, scores, &admission, &got), exists);
        if (exists)
            assert_int_equal(got, wanted);
    }
    model_sampler_release(&sampler);
    model_vocabulary_release(&vocabulary);
}

/* The usual case: the likeliest token is admissible and nothing else is asked. */
static void test_greedy_asks_once(void **state)
{
    (void)state;
    float scores[20] = { 0 };
    struct model_vocabulary vocabulary;
    struct model_sampler sampler;
    static struct scripted scripted;
    uint32_t token;
    build(&vocabulary, 20);
    scripted = (struct scripted){ .vocabulary = &vocabulary };
    scripted.admitted[3] = true;
    scores[3] = 2;
    scores[8] = 9; /* reserved: never chosen, never asked about */
    model_sampler_init(&sampler, &vocabulary, alloc_default());
    assert_true(model_sampler_begin(&sampler, -1, 0));
    struct model_admission admission = admission_of(&scripted);
    assert_true(model_sampler_choose(&sampler, scores, &admission, &token));
    assert_int_equal(token, 3);
    assert_int_equal(scripted.asked, 1);
    model_vocabulary_release(&vocabulary);
}

/* Draws follow the softmax over the admissible tokens: chi-square over many draws with a fixed
 * seed. */
static void test_draws_follow_the_masked_distribution(void **state)
{
    (void)state;
    enum { SMALL = 60, DRAWS = 20000 };
    float scores[SMALL];
    double weights[SMALL], sum = 0, chi = 0;
    unsigned seen[SMALL] = { 0 }, kinds = 0;
    struct model_vocabulary vocabulary;
    struct model_sampler sampler;
    static struct scripted scripted;
    build(&vocabulary, SMALL);
    scripted = (struct scripted){ .vocabulary = &vocabulary };
    for (uint32_t token = 0; token < SMALL; token++) {
        scores[token] = (float)(token % 5);
        scripted.admitted[token] = token % 10 == 1 || token == 7;
        weights[token] = scripted.admitted[token] ? exp((double)scores[token] / 0.7) : 0;
        sum += weights[token];
    }
    model_sampler_init(&sampler, &vocabulary, alloc_default());
    assert_true(model_sampler_begin(&sampler, 0.7, 5));
    for (unsigned draw = 0; draw < DRAWS; draw++) {
        uint32_t token;
        struct model_admission admission = admission_of(&scripted);
        assert_true(model_sampler_choose(&sampler, scores, &admission, &token));
        assert_true(scripted.admitted[token]);
        seen[token]++;
    }
    for (uint32_t token = 0; token < SMALL; token++) {
        if (!scripted.admitted[token])
            continue;
        double wanted = DRAWS * weights[token] / sum;
        chi += (seen[token] - wanted) * (seen[token] - wanted) / wanted;
        kinds++;
    }
    assert_int_equal(kinds, 7);
    assert_true(chi < 22.5); /* 6 degrees of freedom, p = 0.001 */
    model_sampler_release(&sampler);
    model_vocabulary_release(&vocabulary);
}

static void test_draws_are_seeded_and_always_find(void **state)
{
    (void)state;
    static float scores[COUNT];
    struct model_vocabulary vocabulary;
    struct model_sampler sampler;
    static struct scripted scripted;
    uint32_t first[20], token;
    build(&vocabulary, COUNT);
    scripted = (struct scripted){ .vocabulary = &vocabulary };
    for (uint32_t i = 0; i < COUNT; i++)
        scripted.admitted[i] = true;
    model_sampler_init(&sampler, &vocabulary, alloc_default());
    struct model_admission admission = admission_of(&scripted);
    for (unsigned round = 0; round < 2; round++) {
        assert_true(model_sampler_begin(&sampler, 1.0, 42));
        for (unsigned i = 0; i < 20; i++) {
            assert_true(model_sampler_choose(&sampler, scores, &admission, &token));
            if (round == 0)
                first[i] = token;
            assert_int_equal(token, first[i]);
        }
    }
    /* One admissible token whose weight is too small to be a number. */
    memset(scripted.admitted, 0, sizeof(scripted.admitted));
    scripted.admitted[1500] = true;
    scores[1500] = -1e30F;
    assert_true(model_sampler_choose(&sampler, scores, &admission, &token));
    assert_int_equal(token, 1500);
    scripted.admitted[1500] = false;
    assert_false(model_sampler_choose(&sampler, scores, &admission, &token));
    for (uint32_t i = 0; i < COUNT; i++)
        scores[i] = NAN;
    scripted.admitted[3] = true;
    assert_true(model_sampler_choose(&sampler, scores, &admission, &token));
    assert_int_equal(token, 3);
    model_sampler_release(&sampler);
    model_vocabulary_release(&vocabulary);
}

static void test_no_memory_for_draws(void **state)
{
    (void)state;
    struct model_vocabulary vocabulary;
    struct model_sampler sampler;
    struct test_alloc test;
    test_alloc_init(&test);
    test.fail_at = 1;
    build(&vocabulary, 20);
    model_sampler_init(&sampler, &vocabulary, &test.alloc);
    assert_true(model_sampler_begin(&sampler, 0, 1));
    assert_false(model_sampler_begin(&sampler, 1, 1));
    assert_true(model_sampler_begin(&sampler, 1, 1));
    model_sampler_release(&sampler);
    test_alloc_assert_empty(&test);
    model_vocabulary_release(&vocabulary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_greedy_is_the_best_admissible),
        cmocka_unit_test(test_greedy_asks_once),
        cmocka_unit_test(test_draws_follow_the_masked_distribution),
        cmocka_unit_test(test_draws_are_seeded_and_always_find),
        cmocka_unit_test(test_no_memory_for_draws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_local_scorer.c - weighing candidates with the default model: three ways to ask for the same
 * probability agree, whatever is asked beside it. Skipped where libllama or the model is not there.
 */
#include "base/features.h"

#include <math.h>
#include <stdio.h>

#include "model/local_llama.h"
#include "test.h"
#include "test_data.h"

#if STRUCTURE_HAVE_LLAMA

enum { CANDIDATES = 150, POINTS = 12 };

static struct model model;

static const char *const prompt_text = "The capital of France is Paris. The capital of Italy is";

struct asking {
    struct local_scorer local_scorer;
    struct model_scorer scorer;
    struct local *local;
    struct control control;
};

static void need_model(void)
{
    if (model.ops == NULL)
        test_skip("the default model is not installed");
}

static void asking_begin(struct asking *asking, const struct cancel *cancel)
{
    struct model_message message = { MODEL_ROLE_USER, MODEL_PURPOSE_TEXT, str_from(prompt_text) };
    struct model_request request = { .messages = &message, .message_count = 1 };
    uint64_t cached;
    *asking = (struct asking){ .local = model.state };
    asking->control = (struct control){ clock_system(), INT64_MAX, cancel };
    asking->local->control = &asking->control;
    asking->local->stopped = STATUS_OK;
    assert_int_equal(local_prompt(asking->local, &request, NULL), STATUS_OK);
    assert_int_equal(local_context_reserve(asking->local, 300, NULL), STATUS_OK);
    assert_int_equal(local_context_read(asking->local, 1, NULL, &cached, NULL), STATUS_OK);
    assert_int_equal(
        local_scorer_init(&asking->local_scorer, asking->local, &asking->scorer, NULL), STATUS_OK);
}

static void asking_end(struct asking *asking)
{
    local_scorer_release(&asking->local_scorer);
    local_scorer_release(&asking->local_scorer);
    asking->local->control = NULL;
    asking->local->stopped = STATUS_OK;
}

static void set(struct asking *asking, const char *context)
{
    assert_int_equal(asking->scorer.ops->set(asking->scorer.state, str_from(context), NULL),
                     STATUS_OK);
}

static float score(struct asking *asking, const char *candidate, const char *terminator)
{
    struct str text = str_from(candidate);
    float log_prob = 0;
    assert_int_equal(asking->scorer.ops->score(asking->scorer.state, &text, 1,
                                               str_from(terminator), &log_prob, NULL),
                     STATUS_OK);
    return log_prob;
}

/* Quantised arithmetic rounds otherwise in batches of another size. */
static void assert_close(float a, float b)
{
    if (!(fabsf(a - b) < 0.02F + 0.03F * fabsf(a)))
        fail_msg("%f and %f differ", (double)a, (double)b);
}

/* The chain rule by hand: each token asked for after the context that ends with the one before. */
static void test_sum_of_single_steps(void **state)
{
    (void)state;
    static const char *const steps[] = { "{\"city\":\"", "Rome", "\"", "," };
    struct asking asking;
    char context[64] = "";
    float sum = 0;
    need_model();
    asking_begin(&asking, NULL);
    for (size_t i = 1; i < 4; i++) {
        (void)strncat(context, steps[i - 1], sizeof(context) - strlen(context) - 1);
        set(&asking, context);
        int32_t token =
            model_scorer_first_token(&asking.scorer, str_from(steps[i]), alloc_default());
        float log_prob = 0;
        assert_true(token >= 0);
        assert_int_equal(asking.scorer.ops->next(asking.scorer.state, &token, 1, &log_prob, NULL),
                         STATUS_OK);
        assert_true(log_prob < 0);
        assert_close(score(&asking, steps[i], ""), log_prob);
        sum += log_prob;
    }
    set(&asking, steps[0]);
    float rome = score(&asking, "Rome", "\",");
    if (fabsf(rome - sum) > 0.3F) /* the terminator may be one token */
        assert_true(rome < 0 && sum < 0);
    assert_true(rome > score(&asking, "Bananas", "\","));
    assert_int_equal(model_scorer_first_token(&asking.scorer, STR(""), alloc_default()), -1);
    asking_end(&asking);
}

/* More candidates than a round has, with shared beginnings, equal ones and an empty one. */
static void test_many_as_one_by_one(void **state)
{
    (void)state;
    static char texts[CANDIDATES][40];
    struct str candidates[CANDIDATES];
    float log_probs[CANDIDATES];
    struct asking asking;
    need_model();
    for (int i = 0; i < CANDIDATES; i++) {
        (void)snprintf(texts[i], sizeof(texts[i]), "%s %d %s", i % 3 == 0 ? "Rome and" : "Paris",
                       i / 7 * 13, i % 5 == 0 ? "is the old town" : "");
        candidates[i] = i == 77 ? STR("") : str_from(texts[i]);
    }
    asking_begin(&asking, NULL);
    set(&asking, "{\"city\":\"");
    assert_int_equal(asking.scorer.ops->score(asking.scorer.state, candidates, CANDIDATES,
                                              STR("\"}"), log_probs, NULL),
                     STATUS_OK);
    for (int i = 0; i < CANDIDATES; i += 7)
        assert_close(log_probs[i], score(&asking, i == 77 ? "" : texts[i], "\"}"));
    assert_true(log_probs[77] < 0);
    assert_int_equal(
        asking.scorer.ops->score(asking.scorer.state, NULL, 0, STR(""), NULL, NULL), STATUS_OK);
    /* The context is as it was. */
    float again = score(&asking, "Rome", "\"");
    set(&asking, "{\"city\":\"");
    assert_close(score(&asking, "Rome", "\""), again);
    asking_end(&asking);
}

static void test_paths_agree_with_scores(void **state)
{
    (void)state;
    static const char *const texts[] = { "Rome", "Rome, the eternal city of seven hills", "",
                                         "Ro" };
    struct str candidates[4];
    struct model_path paths[4];
    struct model_path_point points[4][POINTS];
    struct asking asking;
    need_model();
    asking_begin(&asking, NULL);
    set(&asking, "{\"city\":\"");
    int32_t quote = model_scorer_first_token(&asking.scorer, STR("\""), alloc_default());
    for (size_t i = 0; i < 4; i++) {
        candidates[i] = str_from(texts[i]);
        paths[i] = (struct model_path){ points[i], i == 1 ? 5 : POINTS, 0 };
    }
    assert_int_equal(asking.scorer.ops->paths(asking.scorer.state, candidates, 4, &quote, 1, paths,
                                              NULL),
                     STATUS_OK);
    for (size_t i = 0; i < 4; i++) {
        const struct model_path *path = &paths[i];
        const struct model_path_point *last = &path->points[path->point_count - 1];
        char beginning[64] = "";
        assert_in_range(path->point_count, 1, path->point_max);
        assert_int_equal(path->points[0].bytes, 0);
        assert_true(path->points[0].log_prob == 0);
        memcpy(beginning, texts[i], last->bytes);
        assert_close(last->log_prob, score(&asking, beginning, ""));
        assert_true(last->log_prob_end < 0);
        if (i != 1)
            assert_int_equal(last->bytes, strlen(texts[i]));
    }
    assert_int_equal(paths[1].point_count, 5);
    assert_int_equal(paths[2].point_count, 1);
    /* Ending at once is what the quote alone is worth. */
    assert_close(paths[2].points[0].log_prob_end, score(&asking, "\"", ""));
    assert_close(paths[0].points[0].log_prob_end, paths[2].points[0].log_prob_end);
    assert_close(paths[0].points[1].log_prob, paths[1].points[1].log_prob);
    asking_end(&asking);
}

static void test_cancelled_between(void **state)
{
    (void)state;
    struct cancel cancel = { .requested = false };
    struct asking asking;
    struct str candidate = STR("Rome is the town that all roads lead to");
    struct error error;
    float before, log_prob;
    need_model();
    asking_begin(&asking, &cancel);
    set(&asking, "{\"city\":\"");
    before = score(&asking, "Rome is", "\"");
    atomic_store(&cancel.requested, true);
    error_clear(&error);
    assert_int_equal(asking.scorer.ops->score(asking.scorer.state, &candidate, 1, STR("\""),
                                              &log_prob, &error),
                     STATUS_CANCELLED);
    assert_int_equal(error.status, STATUS_CANCELLED);
    atomic_store(&cancel.requested, false);
    assert_close(score(&asking, "Rome is", "\""), before);
    asking_end(&asking);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sum_of_single_steps),
        cmocka_unit_test(test_many_as_one_by_one),
        cmocka_unit_test(test_paths_agree_with_scores),
        cmocka_unit_test(test_cancelled_between),
    };
    struct model_local_options options = { .threads = 1 };
    struct error error;
    error_clear(&error);
    if (model_local_open(&options, alloc_default(), NULL, &model, &error) != STATUS_OK &&
        error.status != STATUS_NOT_CONFIGURED)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    model_free(&model);
    return failed;
}

#else

int main(void)
{
    return 77; /* skipped: built without libllama */
}

#endif

/* test_driver.c - time and stopping, on the virtual clock of the scripted model. */
#include "base/features.h"

#include "engine_test.h"

#define SCHEMA                                                                                     \
    "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}},\"required\":[\"a\"]}"
#define GOOD "{\"a\":1}"
#define BAD  "{}"

struct time_case {
    const char *label;
    struct scripted_reply script[3];
    int64_t deadline_ms, timeout_ms, cancel_at_ms;
    enum status status;
    uint32_t calls; /* model calls begun */
    int64_t now_ms; /* at the end */
    const char *message;
};

#define NEVER INT64_MAX

static const struct time_case cases[] = {
    { "in time", { { .text = GOOD, .delay_ms = 90 } }, 100, 0, NEVER, STATUS_OK, 1, 90, "" },
    { "deadline in the first call",
      { { .text = GOOD, .delay_ms = 500 } },
      100,
      0,
      NEVER,
      STATUS_DEADLINE,
      1,
      100,
      "" },
    { "deadline in the repair",
      { { .text = BAD, .delay_ms = 60 }, { .text = GOOD, .delay_ms = 60 } },
      100,
      0,
      NEVER,
      STATUS_DEADLINE,
      2,
      100,
      "" },
    { "no call after the deadline",
      { { .text = BAD, .delay_ms = 100 }, { .text = GOOD } },
      100,
      0,
      NEVER,
      STATUS_DEADLINE,
      1,
      100,
      "" },
    { "deadline before the first call",
      { { .text = GOOD } },
      0,
      0,
      NEVER,
      STATUS_DEADLINE,
      0,
      0,
      "the deadline of the call" },
    { "limit of one model call",
      { { .text = GOOD, .delay_ms = 500 } },
      1000,
      50,
      NEVER,
      STATUS_DEADLINE,
      1,
      50,
      "within 50 ms" },
    { "each model call has its own limit",
      { { .text = BAD, .delay_ms = 40 },
        { .text = BAD, .delay_ms = 40 },
        { .text = GOOD, .delay_ms = 40 } },
      1000,
      50,
      NEVER,
      STATUS_OK,
      3,
      120,
      "" },
    { "the nearer one of the two",
      { { .text = GOOD, .delay_ms = 500 } },
      30,
      50,
      NEVER,
      STATUS_DEADLINE,
      1,
      30,
      "stopped" },
    { "cancelled while writing",
      { { .text = GOOD, .delay_ms = 500 } },
      NEVER,
      0,
      200,
      STATUS_CANCELLED,
      1,
      200,
      "" },
    { "cancelled between the iterations",
      { { .text = BAD, .delay_ms = 20 }, { .text = GOOD, .delay_ms = 20 } },
      NEVER,
      0,
      20,
      STATUS_CANCELLED,
      1,
      20,
      "" },
    { "cancellation wins over the deadline",
      { { .text = GOOD, .delay_ms = 500 } },
      100,
      0,
      100,
      STATUS_CANCELLED,
      1,
      100,
      "" },
};

static void test_time(void **state)
{
    (void)state;
    size_t wrong = 0;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct time_case *expected = &cases[i];
        struct run run;
        run_init(&run, SCHEMA, expected->script, COUNT(expected->script));
        run.deadline_ms = expected->deadline_ms;
        run.model_timeout_ms = expected->timeout_ms;
        run.model.cancel_at_ms = expected->cancel_at_ms;
        run_go(&run);
        bool is_right = run.status == expected->status && run.model.calls == expected->calls &&
                        run.model.now_ms == expected->now_ms &&
                        strstr(run.error.message, expected->message) != NULL;
        if (!is_right)
            print_error("%s: %s after %u calls at %lld: %s\n", expected->label,
                        status_name(run.status), run.model.calls, (long long)run.model.now_ms,
                        run.error.message);
        wrong += !is_right;
        run_release(&run);
    }
    assert_int_equal(wrong, 0);
}

/* Partial usage of a failed model call is charged. */
static void test_usage_of_failures(void **state)
{
    (void)state;
    static const struct scripted_reply script[] = {
        { .text = BAD,
          .usage = { .input_tokens = 7, .output_tokens = 3, .cached_input_tokens = 1 } },
        { .failure = STATUS_TRANSPORT, .usage = { .input_tokens = 5, .output_tokens = 2 } },
    };
    struct run run;
    run_init(&run, SCHEMA, script, COUNT(script));
    run_go(&run);
    assert_int_equal(run.status, STATUS_TRANSPORT);
    const struct engine_usage *usage = engine_call_usage(run.call);
    assert_int_equal(usage->tokens.input_tokens, 12);
    assert_int_equal(usage->tokens.output_tokens, 5);
    assert_int_equal(usage->tokens.cached_input_tokens, 1);
    assert_int_equal(usage->model_calls, 2);
    run_release(&run);
}

struct hooks {
    uint32_t iterations, refusals, violations, loops_max;
};

static void on_iteration(void *state, uint32_t iteration, uint32_t loops_max)
{
    struct hooks *hooks = state;
    hooks->iterations++;
    hooks->loops_max = loops_max;
    assert_int_equal(iteration, hooks->iterations);
}

static void on_refused(void *state, uint32_t iteration, const struct schema_violations *violations)
{
    struct hooks *hooks = state;
    hooks->refusals++;
    hooks->violations += violations->count;
    assert_int_equal(iteration, hooks->iterations);
}

static struct hooks drive_with_hooks(const struct scripted_reply *script, uint32_t count,
                                     enum engine_policy policy)
{
    struct run run;
    struct hooks hooks = { 0 };
    run_init(&run, SCHEMA, script, count);
    run.request.policy = policy;
    struct model_info info = model_info(&run.model.model);
    struct control control = scripted_control(&run.model, INT64_MAX);
    struct engine_driver driver = { .model = &run.model.model,
                                    .control = &control,
                                    .iteration = on_iteration,
                                    .refused = on_refused,
                                    .state = &hooks };
    assert_int_equal(engine_call_new(&run.request, &info, 1, run.alloc, &run.call, &run.error),
                     STATUS_OK);
    (void)engine_drive(run.call, &driver, NULL);
    run_release(&run);
    return hooks;
}

static void test_hooks(void **state)
{
    (void)state;
    static const struct scripted_reply good_last[] = { { .text = BAD },
                                                       { .text = "x" },
                                                       { .text = GOOD } };
    static const struct scripted_reply stale[] = { { .text = BAD },
                                                   { .text = BAD },
                                                   { .text = BAD } };
    static const struct scripted_reply cut[] = { { .text = BAD },
                                                 { .text = GOOD, .finish = MODEL_FINISH_LENGTH } };
    static const struct scripted_reply need[] = { { .text = "{\"_need\":\"x\"}" } };
    struct hooks hooks = drive_with_hooks(good_last, 3, ENGINE_POLICY_LOOP);
    assert_int_equal(hooks.iterations, 3);
    assert_int_equal(hooks.refusals, 2);
    assert_int_equal(hooks.violations, 2);
    assert_int_equal(hooks.loops_max, 3);
    hooks = drive_with_hooks(stale, 3, ENGINE_POLICY_LOOP);
    assert_int_equal(hooks.refusals, 3);
    hooks = drive_with_hooks(stale, 3, ENGINE_POLICY_ONCE);
    assert_int_equal(hooks.iterations, 2);
    assert_int_equal(hooks.refusals, 2);
    hooks = drive_with_hooks(cut, 2, ENGINE_POLICY_LOOP);
    assert_int_equal(hooks.refusals, 1);
    hooks = drive_with_hooks(need, 1, ENGINE_POLICY_LOOP);
    assert_int_equal(hooks.refusals, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_time),
                                        cmocka_unit_test(test_usage_of_failures),
                                        cmocka_unit_test(test_hooks) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

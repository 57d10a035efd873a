/* test_simulation.c - random scripts in virtual time, and what must hold whatever happens.
 *
 * Each seed is one call: replies of every kind, failures, delays, a cancellation and a deadline at
 * random points. A failure prints its seed; STRUCTURE_SEEDS sets how many are run.
 */
#include "base/features.h"

#include "engine_test.h"

#define CANARY "CANARY-5fd1"
#define SCHEMA                                                                                     \
    "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"minLength\":2},\"n\":{"  \
    "\"type\":"                                                                                    \
    "\"integer\",\"minimum\":0,\"maximum\":99},\"kind\":{\"enum\":[\"a\",\"b\"]},\"tags\":{"       \
    "\"type\":"                                                                                    \
    "\"array\",\"items\":{\"type\":\"string\",\"maxLength\":20},\"maxItems\":3,\"uniqueItems\":"   \
    "true}},"                                                                                      \
    "\"required\":[\"name\",\"n\"],\"additionalProperties\":false}"

enum { SEEDS_DEFAULT = 3000, SCRIPT_MAX = 12, DELAY_MAX_MS = 400, TIME_MAX_MS = 2500 };

/* Texts of replies; every value that a caller must not see in a message is the canary. */
static const char *const valid_values[] = {
    "{\"name\":\"" CANARY "\",\"n\":7}",
    "{\"n\":1.0,\"name\":\"" CANARY "\",\"tags\":[\"" CANARY "\"],\"kind\":\"b\"}",
};
static const char *const invalid_values[] = {
    "{}",
    "{\"name\":\"" CANARY "\",\"n\":100}",
    "{\"name\":\"" CANARY "\",\"n\":\"" CANARY "\"}",
    "{\"name\":\"" CANARY "\",\"n\":1,\"kind\":\"" CANARY "\"}",
    "{\"name\":\"" CANARY "\",\"n\":1,\"tags\":[\"" CANARY "\",\"" CANARY "\"]}",
    "{\"name\":\"" CANARY "\",\"n\":1,\"tags\":[\"" CANARY CANARY "\"]}",
    "{\"name\":\"" CANARY "\",\"n\":1,\"extra\":\"" CANARY "\"}",
    "{\"name\":\"" CANARY "\",\"n\":1,\"n\":2}",
    "[\"" CANARY "\"]",
    "\"" CANARY "\"",
    "null",
};
static const char *const need_values[] = { "{\"_need\":\"" CANARY "\"}", "{\"_need\":\"\"}" };

struct simulation {
    struct rng rng;
    struct rng_seeded word;
    struct run run;
    struct scripted_reply script[SCRIPT_MAX];
    struct buffer texts[SCRIPT_MAX];
    uint32_t count;
    bool is_wrong;
};

static uint64_t draw(struct simulation *simulation, uint64_t below)
{
    return simulation->rng.next(simulation->rng.state) % below;
}

static const char *draw_value(struct simulation *simulation)
{
    uint64_t kind = draw(simulation, 10);
    if (kind < 3)
        return valid_values[draw(simulation, COUNT(valid_values))];
    if (kind < 9)
        return invalid_values[draw(simulation, COUNT(invalid_values))];
    return need_values[draw(simulation, COUNT(need_values))];
}

/* A reply around value: bare, marked up, cut, doubled, or not a value at all. */
static void draw_text(struct simulation *simulation, struct buffer *out)
{
    const char *value = draw_value(simulation);
    switch (draw(simulation, 9)) {
    case 0: buffer_printf(out, "```json\n%s\n```", value); break;
    case 1: buffer_printf(out, "<think>%s</think>\n%s", draw_value(simulation), value); break;
    case 2: buffer_printf(out, "Sure, %s: %s That is all.", CANARY, value); break;
    case 3: buffer_append(out, value, draw(simulation, strlen(value) + 1)); break;
    case 4: buffer_printf(out, "%s\n%s", value, draw_value(simulation)); break;
    case 5:
        for (uint64_t i = draw(simulation, 300); i > 0; i--)
            buffer_append_byte(out, (char)draw(simulation, 256));
        break;
    case 6: buffer_printf(out, "{\"answer\":%s}", value); break;
    default: buffer_append_str(out, str_from(value)); break;
    }
}

static enum model_finish draw_finish(struct simulation *simulation)
{
    static const enum model_finish rare[] = { MODEL_FINISH_LENGTH,  MODEL_FINISH_REFUSAL,
                                              MODEL_FINISH_FILTER,  MODEL_FINISH_UNKNOWN,
                                              MODEL_FINISH_ABORTED, MODEL_FINISH_RUNAWAY };
    uint64_t kind = draw(simulation, 40);
    return kind < COUNT(rare) ? rare[kind] : MODEL_FINISH_STOP;
}

static enum status draw_failure(struct simulation *simulation)
{
    static const enum status failures[] = { STATUS_TRANSPORT, STATUS_TRANSIENT, STATUS_REJECTED,
                                            STATUS_NO_MEMORY };
    return draw(simulation, 20) == 0 ? failures[draw(simulation, COUNT(failures))] : STATUS_OK;
}

static void draw_script(struct simulation *simulation)
{
    simulation->count = SCRIPT_MAX;
    for (uint32_t i = 0; i < SCRIPT_MAX; i++) {
        buffer_init(&simulation->texts[i], alloc_default(), 1 << 16);
        draw_text(simulation, &simulation->texts[i]);
        simulation->script[i] =
            (struct scripted_reply){ .bytes = buffer_view(&simulation->texts[i]),
                                     .finish = draw_finish(simulation),
                                     .channel = draw(simulation, 8) == 0 ? MODEL_CHANNEL_TOOL
                                                                         : MODEL_CHANNEL_TEXT,
                                     .failure = draw_failure(simulation),
                                     .delay_ms = (int64_t)draw(simulation, DELAY_MAX_MS),
                                     .usage = { .input_tokens = draw(simulation, 1000),
                                                .output_tokens = draw(simulation, 100),
                                                .cached_input_tokens = draw(simulation, 10) } };
    }
}

/* A call must not begin another model call once it was stopped. */
static void check_begin(void *state, const struct model_request *request)
{
    struct simulation *simulation = state;
    const struct run *run = &simulation->run;
    if (atomic_load(&run->model.cancel.requested) || run->model.now_ms >= run->deadline_ms)
        simulation->is_wrong = true;
    if (request->need_name.len > 0 && run->request.policy == ENGINE_POLICY_ONCE)
        simulation->is_wrong = true;
    for (uint32_t i = 0; i < request->message_count; i++) {
        if (request->messages[i].text.len == 0)
            simulation->is_wrong = true;
    }
}

static void draw_setting(struct simulation *simulation)
{
    struct run *run = &simulation->run;
    run->request.prompt = STR("The text with " CANARY " in it.");
    run->request.loops_max = (uint32_t)draw(simulation, LIMIT_LOOPS_MAX + 1);
    run->request.policy = draw(simulation, 4) == 0 ? ENGINE_POLICY_ONCE : ENGINE_POLICY_LOOP;
    if (draw(simulation, 3) == 0)
        run->model.cancel_at_ms = (int64_t)draw(simulation, TIME_MAX_MS);
    if (draw(simulation, 3) == 0)
        run->deadline_ms = (int64_t)draw(simulation, TIME_MAX_MS);
    if (draw(simulation, 3) == 0)
        run->model_timeout_ms = 1 + (int64_t)draw(simulation, DELAY_MAX_MS);
    if (draw(simulation, 3) == 0)
        run->model.info.context_tokens = (uint32_t)draw(simulation, 4000);
    run->request.tokens_auto = draw(simulation, 2) == 0;
    if (draw(simulation, 4) == 0)
        run->request.readings_refused = (unsigned)draw(simulation, UINT32_MAX);
    if (draw(simulation, 4) == 0)
        run->request.readings_allowed = (unsigned)draw(simulation, UINT32_MAX);
    run->model.observe = check_begin;
    run->model.observe_state = simulation;
}

/* ---- what must hold
 * ----------------------------------------------------------------------------------- */

static bool has_canary(const char *text)
{
    return strstr(text, CANARY) != NULL;
}

static bool usage_is_right(const struct run *run)
{
    const struct engine_usage *usage = engine_call_usage(run->call);
    return usage->tokens.input_tokens == run->model.usage_sum.input_tokens &&
           usage->tokens.output_tokens == run->model.usage_sum.output_tokens &&
           usage->tokens.cached_input_tokens == run->model.usage_sum.cached_input_tokens &&
           usage->model_calls == run->model.calls;
}

static bool result_is_right(struct run *run, const struct engine_result *result)
{
    uint32_t loops_max = run->request.loops_max == 0 ? LIMIT_LOOPS_DEFAULT : run->request.loops_max;
    if (run->request.policy == ENGINE_POLICY_ONCE)
        loops_max = 2;
    if (result->iterations == 0 || result->iterations > loops_max)
        return false;
    bool is_valid = false;
    enum model_finish finish = run->model.replies[run->model.calls - 1].finish;
    switch (result->status) {
    case ENGINE_OK:
        /* what was cut or stopped is never an answer */
        return (finish == MODEL_FINISH_STOP || finish == MODEL_FINISH_UNKNOWN) &&
               json_type(result->data) == JSON_OBJECT &&
               schema_is_valid(run->program, result->data, 0, run->alloc, &is_valid, &run->error) ==
                   STATUS_OK &&
               is_valid;
    case ENGINE_NEED_MORE_INPUT:
        return run->request.policy == ENGINE_POLICY_LOOP && result->need.len > 0;
    case ENGINE_STALE:
        return run->request.policy == ENGINE_POLICY_LOOP && result->iterations == loops_max &&
               result->violations.count > 0 && !has_canary(run->result.ptr);
    }
    return false;
}

static bool end_is_right(struct run *run)
{
    const struct engine_result *result = engine_call_result(run->call);
    const struct error *error = engine_call_error(run->call);
    enum engine_action_kind kind = engine_call_next(run->call).kind;
    if ((result == NULL) == (error == NULL) || buffer_status(&run->result) != STATUS_OK)
        return false;
    if (kind != (result != NULL ? ENGINE_ACTION_DONE : ENGINE_ACTION_FAILED))
        return false;
    if (run->model.now_ms - SCRIPTED_STEP_MS > run->deadline_ms)
        return false;
    if (error != NULL)
        return error->status != STATUS_OK && run->status == error->status &&
               !has_canary(run->result.ptr);
    return result_is_right(run, result);
}

static bool simulate(uint64_t seed, uint32_t ends[5])
{
    struct simulation simulation = { .is_wrong = false };
    struct run *run = &simulation.run;
    simulation.rng = rng_from_seed(&simulation.word, seed);
    draw_script(&simulation);
    run_init(run, SCHEMA, simulation.script, simulation.count);
    draw_setting(&simulation);
    run_go(run);
    bool is_right =
        !simulation.is_wrong && run->call != NULL && usage_is_right(run) && end_is_right(run);
    const struct engine_result *result = is_right ? engine_call_result(run->call) : NULL;
    if (is_right)
        ends[result != NULL                           ? (unsigned)result->status
             : run->status == STATUS_SCHEMA_VIOLATION ? 4
                                                      : 3]++;
    if (!is_right)
        print_error("seed %llu: %.*s\n", (unsigned long long)seed, (int)run->result.len,
                    run->result.ptr);
    run_release(run);
    for (uint32_t i = 0; i < SCRIPT_MAX; i++)
        buffer_release(&simulation.texts[i]);
    return is_right;
}

static void test_seeds(void **state)
{
    (void)state;
    const char *setting = getenv("STRUCTURE_SEEDS");
    uint64_t seeds = setting == NULL ? SEEDS_DEFAULT : strtoull(setting, NULL, 10);
    uint32_t ends[5] = { 0 };
    uint64_t wrong = 0;
    for (uint64_t seed = 1; seed <= seeds; seed++)
        wrong += !simulate(seed, ends);
    print_message("%llu seeds: %u ok, %u need, %u stale, %u failed, %u schema-violation\n",
                  (unsigned long long)seeds, ends[0], ends[1], ends[2], ends[3], ends[4]);
    assert_int_equal(wrong, 0);
    for (size_t i = 0; i < COUNT(ends) && seeds >= SEEDS_DEFAULT; i++)
        assert_true(ends[i] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_seeds) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

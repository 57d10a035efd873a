/* test_simulation.c - calls over every protocol in virtual time, with everything drawn from a seed:
 * replies, failures, delays, cancellations, deadlines; and one call stopped at every point.
 *
 * What must hold whatever happens: every call ends once; what is ok validates and came whole; a
 * call that was cancelled or whose deadline passed sends nothing more; the wait that a provider
 * asks for is kept; a refusal is final; requests are counted exactly; nothing told holds a key, a
 * prompt or a provider's words. A failure prints its seed; STRUCTURE_SEEDS sets how many are run.
 */
#include "base/features.h"

#include "wire_test.h"

#include <stdio.h>
#include <stdlib.h>

#include "engine/flight.h"
#include "simulated_http.h"

enum {
    SEEDS_DEFAULT = 400,
    CALLS_MAX = 24,
    TIME_MAX_MS = 3000,
    FAR_MS = 60000,
    PROMPT_BYTES = 96,
    BODIES_MAX = 4096,
    BODY_BYTES_MAX = 1 << 20,
    RESULT_BYTES_MAX = 1 << 20,
    STEPS_MAX = 4000
};

/* What the world knows of one call. */
struct sim_call {
    struct sim_world *world;
    struct engine_call *call;
    struct flight_call *flight;
    char prompt[PROMPT_BYTES];
    int64_t deadline_ms, cancel_ms; /* cancel_ms -1: never */
    int64_t not_before_ms;          /* as a provider asked */
    uint32_t requests, ends;
    bool is_cancelled, is_final; /* no more requests are allowed */
    bool was_whole;              /* the last answer */
    bool was_spoilt;             /* one of them: its counts may be, too */
    bool is_ok;
};

struct sim_world {
    struct rng rng;
    struct rng_seeded word;
    struct wire_client client;
    struct simulated_http *http;
    struct flight *flight;
    enum wire_protocol protocol;
    bool is_streamed;
    struct sim_call calls[CALLS_MAX];
    uint32_t call_count, ended;
    struct buffer bodies[BODIES_MAX];
    uint32_t body_count;
    const uint8_t
        *script; /* kinds of answers in turn instead of drawn ones; its last one repeats */
    uint32_t script_count;
    const char *fault; /* the first thing that was wrong */
};

static uint64_t draw(struct sim_world *world, uint64_t below)
{
    return world->rng.next(world->rng.state) % below;
}

static void is_wrong(struct sim_world *world, const char *what)
{
    if (world->fault == NULL)
        world->fault = what;
}

/* ---- answers ---- */

enum answer_kind {
    ANSWER_GOOD,
    ANSWER_INVALID,
    ANSWER_HALF,
    ANSWER_FENCED,
    ANSWER_NEED,
    ANSWER_BLANK,
    ANSWER_LENGTH,
    ANSWER_REFUSAL,
    ANSWER_CUT,
    ANSWER_SPOILT,
    ANSWER_BUSY,
    ANSWER_BUSY_UNTIL,
    ANSWER_DOWN,
    ANSWER_UNAUTHORIZED,
    ANSWER_UNPAID,
    ANSWER_BROKEN,
    ANSWER_STALLED,
    ANSWER_SILENT,
    ANSWER_KIND_COUNT
};

static struct buffer *body_new(struct sim_world *world)
{
    assert_true(world->body_count < BODIES_MAX);
    struct buffer *body = &world->bodies[world->body_count++];
    buffer_init(body, alloc_default(), BODY_BYTES_MAX);
    return body;
}

static void answer_reply(struct sim_world *world, struct str text, enum wire_finish finish,
                         struct simulated_answer *out)
{
    struct wire_events events;
    struct buffer *body = body_new(world);
    wire_events_init(&events);
    wire_reply(world->protocol, world->is_streamed,
               &(struct wire_content){ .text = text, .finish = finish }, &events);
    buffer_append_str(body, buffer_view(&events.store));
    wire_events_release(&events);
    out->body = buffer_view(body);
}

static void answer_error(struct sim_world *world, int status, const char *type,
                         const char *google_type, struct simulated_answer *out)
{
    struct buffer *body = body_new(world);
    wire_error_body(world->protocol, world->protocol == WIRE_GEMINI ? google_type : type, "", "",
                    body);
    out->status = status;
    out->body = buffer_view(body);
}

/* Without a whole reply: no head, or half a body. */
static void answer_broken(struct sim_world *world, struct simulated_answer *out)
{
    static const enum http_outcome outcomes[] = { HTTP_UNREACHABLE,     HTTP_TLS_FAILED,
                                                  HTTP_CONNECT_TIMEOUT, HTTP_RESET,
                                                  HTTP_PROTOCOL,        HTTP_HEAD_TOO_LARGE };
    out->status = 0;
    out->body = STR("");
    out->outcome = outcomes[draw(world, sizeof(outcomes) / sizeof(outcomes[0]))];
}

static void answer_cut(struct sim_world *world, struct simulated_answer *out)
{
    out->body.len = (size_t)draw(world, out->body.len);
    out->outcome = draw(world, 2) == 0 && world->is_streamed ? HTTP_DONE : HTTP_RESET;
}

static void answer_spoilt(struct sim_world *world, struct simulated_answer *out)
{
    char *bytes = world->bodies[world->body_count - 1].ptr;
    bytes[draw(world, out->body.len)] = (char)draw(world, 256);
}

static void answer_as(struct sim_world *world, struct sim_call *call, enum answer_kind kind,
                      struct simulated_answer *out)
{
    int64_t now_ms = http_now_ms(&world->client.http);
    call->was_whole = true;
    switch (kind) {
    case ANSWER_GOOD: answer_reply(world, STR(WIRE_DATA), WIRE_STOP, out); break;
    case ANSWER_INVALID: answer_reply(world, STR(WIRE_DATA_BAD), WIRE_STOP, out); break;
    case ANSWER_HALF: answer_reply(world, STR("{\"actor\":\"Mi"), WIRE_STOP, out); break;
    case ANSWER_FENCED:
        answer_reply(world, STR("```json\n" WIRE_DATA "\n```"), WIRE_STOP, out);
        break;
    case ANSWER_NEED:
        answer_reply(world, STR("{\"_need\":\"the priority\"}"), WIRE_STOP, out);
        break;
    case ANSWER_BLANK: answer_reply(world, STR(" \n"), WIRE_STOP, out); break;
    case ANSWER_LENGTH: answer_reply(world, STR(WIRE_DATA), WIRE_LENGTH, out); break;
    case ANSWER_REFUSAL: answer_reply(world, STR(WIRE_DATA), WIRE_REFUSAL, out); break;
    case ANSWER_CUT:
        answer_reply(world, STR(WIRE_DATA), WIRE_STOP, out);
        answer_cut(world, out);
        call->was_whole = false;
        break;
    case ANSWER_SPOILT:
        answer_reply(world, STR(WIRE_DATA), WIRE_STOP, out);
        answer_spoilt(world, out);
        call->was_spoilt = true;
        break;
    case ANSWER_BUSY:
        answer_error(world, 429, "rate_limit_error", "RESOURCE_EXHAUSTED", out);
        break;
    case ANSWER_BUSY_UNTIL:
        answer_error(world, 429, "rate_limit_error", "RESOURCE_EXHAUSTED", out);
        out->headers[out->header_count++] =
            (struct http_header){ STR("Retry-After"), STR("1"), false };
        call->not_before_ms = now_ms + out->head_delay_ms + 1000;
        break;
    case ANSWER_DOWN: answer_error(world, 503, "overloaded_error", "UNAVAILABLE", out); break;
    case ANSWER_UNAUTHORIZED:
        answer_error(world, 401, "authentication_error", "UNAUTHENTICATED", out);
        break;
    case ANSWER_UNPAID:
        answer_error(world, 402, "billing_error", "FAILED_PRECONDITION", out);
        break;
    case ANSWER_BROKEN:
        answer_broken(world, out);
        call->was_whole = false;
        break;
    case ANSWER_STALLED:
        answer_reply(world, STR(WIRE_DATA), WIRE_STOP, out);
        out->piece_delay_ms = FAR_MS;
        call->was_whole = false;
        break;
    case ANSWER_SILENT:
        answer_reply(world, STR(WIRE_DATA), WIRE_STOP, out);
        out->head_delay_ms = FAR_MS;
        call->was_whole = false;
        break;
    case ANSWER_KIND_COUNT: break;
    }
    if (kind == ANSWER_UNAUTHORIZED || kind == ANSWER_UNPAID || kind == ANSWER_REFUSAL)
        call->is_final = true;
}

static struct sim_call *call_of(struct sim_world *world, struct str body)
{
    static const char mark[] = "call-number-";
    for (size_t i = 0; i + sizeof(mark) < body.len; i++) {
        if (memcmp(body.ptr + i, mark, sizeof(mark) - 1) == 0)
            return &world->calls[strtoul(body.ptr + i + sizeof(mark) - 1, NULL, 10) % CALLS_MAX];
    }
    return NULL;
}

static void check_start(struct sim_world *world, struct sim_call *call,
                        const struct http_request *request)
{
    int64_t now_ms = http_now_ms(&world->client.http);
    if (call->is_cancelled)
        is_wrong(world, "a request after the cancellation");
    if (call->ends > 0)
        is_wrong(world, "a request after the end");
    if (call->is_final)
        is_wrong(world, "a request after a refusal");
    if (now_ms >= call->deadline_ms)
        is_wrong(world, "a request after the deadline");
    if (request->deadline_ms > call->deadline_ms)
        is_wrong(world, "a request that may outlive the deadline");
    if (now_ms < call->not_before_ms)
        is_wrong(world, "a request before the provider's Retry-After");
}

static void answer(void *state, const struct http_request *request,
                   struct simulated_answer *out_answer)
{
    struct sim_world *world = state;
    struct sim_call *call = call_of(world, request->body);
    *out_answer = (struct simulated_answer){ .status = 200,
                                             .head_delay_ms = (int64_t)draw(world, 200),
                                             .piece_bytes = 1 + draw(world, 300),
                                             .piece_delay_ms = (int64_t)draw(world, 20),
                                             .outcome = HTTP_DONE };
    if (call == NULL) {
        is_wrong(world, "a request of no call");
        return;
    }
    check_start(world, call, request);
    uint32_t turn = call->requests++;
    enum answer_kind kind = ANSWER_GOOD;
    if (world->script != NULL)
        kind = (enum answer_kind)
                   world->script[turn < world->script_count ? turn : world->script_count - 1];
    else if (draw(world, 4) != 0)
        kind = (enum answer_kind)draw(world, ANSWER_KIND_COUNT);
    answer_as(world, call, kind, out_answer);
}

/* ---- ends ---- */

static void check_usage(struct sim_world *world, const struct sim_call *call)
{
    const struct engine_usage *usage = engine_call_usage(call->call);
    uint64_t most = (uint64_t)call->requests * WIRE_INPUT_TOKENS;
    if (usage->model_calls != call->requests)
        is_wrong(world, "requests were counted wrongly");
    if (!call->was_spoilt && !usage->tokens.is_estimated &&
        (usage->tokens.input_tokens % WIRE_INPUT_TOKENS != 0 || usage->tokens.input_tokens > most))
        is_wrong(world, "tokens were counted wrongly");
}

static void check_result(struct sim_world *world, struct sim_call *call)
{
    const struct engine_result *result = engine_call_result(call->call);
    struct buffer text;
    bool is_valid = false;
    buffer_init(&text, alloc_default(), RESULT_BYTES_MAX);
    engine_write_result(result, 0, &text);
    wire_assert_private(buffer_view(&text), "result");
    buffer_release(&text);
    call->is_ok = result->status == ENGINE_OK;
    if (!call->is_ok)
        return;
    if (schema_is_valid(world->client.program, result->data, 0, alloc_default(), &is_valid, NULL) !=
            STATUS_OK ||
        !is_valid)
        is_wrong(world, "an invalid value is ok");
    if (!call->was_whole)
        is_wrong(world, "a reply that was not whole is ok");
}

static void on_done(void *state, struct engine_call *engine_call)
{
    struct sim_call *call = state;
    struct sim_world *world = call->world;
    const struct error *error = engine_call_error(engine_call);
    int64_t now_ms = http_now_ms(&world->client.http);
    world->ended++;
    if (++call->ends != 1)
        is_wrong(world, "a call ended twice");
    if (now_ms > call->deadline_ms)
        is_wrong(world, "a call outlived its deadline");
    if (call->is_cancelled && (error == NULL || error->status != STATUS_CANCELLED))
        is_wrong(world, "a cancelled call did not end so");
    if ((error == NULL) == (engine_call_result(engine_call) == NULL))
        is_wrong(world, "neither a result nor an error, or both");
    check_usage(world, call);
    if (error != NULL) {
        wire_assert_private(str_from(error->message), "message");
        wire_assert_private(str_from(error->hint), "hint");
    } else {
        check_result(world, call);
    }
}

/* ---- worlds ---- */

static void world_open(struct sim_world *world, uint64_t seed)
{
    struct http_client http;
    const struct simulated_http_options options = { answer, world };
    world->rng = rng_from_seed(&world->word, seed);
    world->protocol = (enum wire_protocol)draw(world, WIRE_PROTOCOL_COUNT);
    world->is_streamed = draw(world, 2) == 0;
    world->http = simulated_http_new(&options, &http);
    assert_non_null(world->http);
    struct wire_setting setting = { world->protocol, world->is_streamed, 3, 50, 400, &world->rng };
    wire_client_open_over(&world->client, &http, &setting);
    assert_int_equal(flight_new(&world->client.http, alloc_default(), &world->flight), STATUS_OK);
}

static void world_close(struct sim_world *world)
{
    flight_free(world->flight);
    for (uint32_t i = 0; i < world->call_count; i++)
        engine_call_free(world->calls[i].call);
    wire_client_close(&world->client);
    for (uint32_t i = 0; i < world->body_count; i++)
        buffer_release(&world->bodies[i]);
    free(world);
}

static struct sim_call *world_start(struct sim_world *world, int64_t model_ms, int64_t deadline_ms)
{
    struct sim_call *call = &world->calls[world->call_count];
    struct error error = { 0 };
    *call = (struct sim_call){ .world = world, .deadline_ms = deadline_ms, .cancel_ms = -1 };
    (void)snprintf(call->prompt, PROMPT_BYTES, "call-number-%u. Mike broke it. %s",
                   world->call_count, WIRE_MARKER_TEXT);
    struct engine_request request = wire_request(&world->client, str_from(call->prompt));
    struct model_info info = model_info(&world->client.model);
    const struct flight_sink sink = { on_done, call };
    assert_int_equal(
        engine_call_new(&request, &info, world->call_count, alloc_default(), &call->call, &error),
        STATUS_OK);
    assert_int_equal(flight_start(world->flight, call->call,
                                  provider_exchange_options(&world->client.model), model_ms,
                                  deadline_ms, &sink, &call->flight, &error),
                     STATUS_OK);
    world->call_count++;
    return call;
}

static void cancel(struct sim_world *world, struct sim_call *call)
{
    call->is_cancelled = true;
    flight_cancel(world->flight, call->flight);
}

static int64_t cancel_due(struct sim_world *world)
{
    int64_t next_ms = INT64_MAX;
    int64_t now_ms = http_now_ms(&world->client.http);
    for (uint32_t i = 0; i < world->call_count; i++) {
        struct sim_call *call = &world->calls[i];
        if (call->cancel_ms < 0 || call->ends > 0)
            continue;
        if (call->cancel_ms <= now_ms)
            cancel(world, call);
        else if (call->cancel_ms < next_ms)
            next_ms = call->cancel_ms;
    }
    return next_ms;
}

static void check_rest(struct sim_world *world)
{
    if (world->ended != world->call_count || flight_count(world->flight) != 0)
        is_wrong(world, "a call did not end");
    if (simulated_http_open(world->http) != 0)
        is_wrong(world, "a transfer was left open");
}

static bool simulate(uint64_t seed, uint64_t ends[2])
{
    struct sim_world *world = calloc(1, sizeof(*world));
    assert_non_null(world);
    world_open(world, seed);
    for (uint64_t count = 1 + draw(world, CALLS_MAX - 1); count > 0; count--) {
        int64_t deadline_ms = draw(world, 3) == 0 ? (int64_t)draw(world, TIME_MAX_MS) : FAR_MS;
        int64_t model_ms = draw(world, 3) == 0 ? 1 + (int64_t)draw(world, TIME_MAX_MS) : 0;
        struct sim_call *call = world_start(world, model_ms, deadline_ms);
        if (draw(world, 3) == 0)
            call->cancel_ms = (int64_t)draw(world, TIME_MAX_MS);
    }
    for (uint32_t i = 0; i < STEPS_MAX * CALLS_MAX && flight_count(world->flight) > 0; i++)
        flight_run(world->flight, cancel_due(world));
    check_rest(world);
    for (uint32_t i = 0; i < world->call_count; i++)
        ends[world->calls[i].is_ok ? 0 : 1]++;
    const char *fault = world->fault;
    if (fault != NULL)
        print_error("seed %llu, %s, %s: %s\n", (unsigned long long)seed,
                    wire_protocol_word(world->protocol), world->is_streamed ? "stream" : "whole",
                    fault);
    world_close(world);
    return fault == NULL;
}

static void test_seeds(void **state)
{
    const char *setting = getenv("STRUCTURE_SEEDS");
    uint64_t seeds = setting == NULL ? SEEDS_DEFAULT : strtoull(setting, NULL, 10);
    uint64_t ends[2] = { 0 }, wrong = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= seeds; seed++)
        wrong += !simulate(seed, ends);
    print_message("%llu seeds: %llu calls ok, %llu not\n", (unsigned long long)seeds,
                  (unsigned long long)ends[0], (unsigned long long)ends[1]);
    assert_int_equal(wrong, 0);
    assert_true(ends[0] > 0 && ends[1] > 0);
}

/* ---- one call, stopped at every point ---- */

static const uint8_t long_script[] = { ANSWER_BUSY_UNTIL, ANSWER_INVALID, ANSWER_DOWN, ANSWER_CUT,
                                       ANSWER_GOOD };

/* Runs so many steps, then cancels; or lets the deadline pass. Returns the steps that were taken;
 * *out_ms: when it ended. */
static uint32_t stop_at(uint64_t seed, uint32_t steps, int64_t deadline_ms, int64_t *out_ms)
{
    struct sim_world *world = calloc(1, sizeof(*world));
    uint32_t taken = 0;
    assert_non_null(world);
    world->script = long_script;
    world->script_count = sizeof(long_script);
    world_open(world, seed);
    struct sim_call *call = world_start(world, 0, deadline_ms);
    for (; taken < steps && flight_count(world->flight) > 0; taken++)
        flight_run(world->flight, INT64_MAX);
    if (flight_count(world->flight) > 0)
        cancel(world, call);
    check_rest(world);
    if (deadline_ms == FAR_MS && !call->is_cancelled && !call->is_ok)
        is_wrong(world, "the call was not answered");
    if (world->fault != NULL)
        print_error("seed %llu, stopped after %u steps, deadline %lld: %s\n",
                    (unsigned long long)seed, taken, (long long)deadline_ms, world->fault);
    assert_null(world->fault);
    *out_ms = http_now_ms(&world->client.http);
    world_close(world);
    return taken;
}

static void test_cancelled_at_every_point(void **state)
{
    enum { SEEDS = 20 };
    uint32_t points = 0;
    int64_t end_ms;
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint32_t all = stop_at(seed, STEPS_MAX, FAR_MS, &end_ms);
        assert_true(all > sizeof(long_script) && all < STEPS_MAX);
        for (uint32_t steps = 0; steps <= all; steps++, points++)
            (void)stop_at(seed, steps, FAR_MS, &end_ms);
    }
    print_message("%u points of cancellation\n", points);
}

static void test_deadline_at_every_moment(void **state)
{
    enum { SEEDS = 10, STEP_MS = 7 };
    int64_t end_ms, unused;
    uint32_t moments = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        (void)stop_at(seed, STEPS_MAX, FAR_MS, &end_ms);
        for (int64_t deadline_ms = 0; deadline_ms <= end_ms; deadline_ms += STEP_MS, moments++)
            (void)stop_at(seed, STEPS_MAX, deadline_ms, &unused);
    }
    print_message("%u deadlines\n", moments);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_cancelled_at_every_point),
        cmocka_unit_test(test_deadline_at_every_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

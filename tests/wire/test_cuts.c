/* test_cuts.c - every recorded reply cut, reset and stalled at every byte, over real sockets: no
 * false success, and exactly one end of every call. Many calls are in flight at once. */
#include "base/features.h"

#include "wire_test.h"

#include <stdio.h>
#include <stdlib.h>

#include "engine/flight.h"

enum { IN_FLIGHT_MAX = 100, CALL_MS = 30000, SILENCE_MS = 400, PROMPT_BYTES = 64, WAYS = 3 };

static const enum fault_step_kind ways[WAYS] = { FAULT_CLOSE, FAULT_RESET, FAULT_STALL };

/* One good answer, and a script for every place and way of cutting it. */
struct recording {
    struct fault_answers answers;
    struct fault_script *scripts; /* [place * WAYS + way]; the last ones are not cut */
    uint32_t place_count;
};

/* The prompt says which script is wanted: "cut N." */
static const struct fault_script *choose(void *state, const struct fault_request *request)
{
    static const char mark[] = "cut-number-";
    struct recording *recording = state;
    for (size_t i = 0; i + sizeof(mark) < request->body.len; i++) {
        if (memcmp(request->body.ptr + i, mark, sizeof(mark) - 1) == 0)
            return &recording->scripts[strtoul(request->body.ptr + i + sizeof(mark) - 1, NULL, 10)];
    }
    return NULL;
}

static void recording_make(struct recording *recording, enum wire_protocol protocol,
                           bool is_streamed)
{
    fault_answers_init(&recording->answers, protocol, is_streamed);
    struct fault_answer *good = fault_answer_good(&recording->answers);
    recording->place_count = (uint32_t)good->bytes.len + 1;
    recording->scripts = calloc((size_t)recording->place_count * WAYS, sizeof(struct fault_script));
    assert_non_null(recording->scripts);
    for (uint32_t i = 0; i < recording->place_count * WAYS; i++) {
        recording->scripts[i] = good->script;
        if (i / WAYS < good->bytes.len) {
            recording->scripts[i].cut = ways[i % WAYS];
            recording->scripts[i].cut_after = i / WAYS;
        }
    }
}

static void recording_release(struct recording *recording)
{
    free(recording->scripts);
    fault_answers_release(&recording->answers);
}

struct run {
    struct wire_client client;
    struct flight *flight;
    uint32_t script_count, next, ended, good, false_successes;
    char (*prompts)[PROMPT_BYTES];
};

struct item {
    struct run *run;
    struct engine_call *call;
    uint32_t script;
};

static void on_done(void *state, struct engine_call *call)
{
    struct item *item = state;
    struct run *run = item->run;
    const struct engine_result *result = engine_call_result(call);
    bool is_whole = item->script / WAYS == run->script_count / WAYS - 1;
    run->ended++;
    if (result != NULL && result->status == ENGINE_OK) {
        if (is_whole)
            run->good++;
        else {
            run->false_successes++;
            print_error("a false success: script %u, way %u, of %u\n", item->script / WAYS,
                        item->script % WAYS, run->script_count / WAYS);
        }
    }
    engine_call_free(call);
    free(item);
}

static void start_next(struct run *run)
{
    struct error error = { 0 };
    struct item *item = calloc(1, sizeof(*item));
    assert_non_null(item);
    *item = (struct item){ .run = run, .script = run->next };
    char *prompt = run->prompts[run->next];
    (void)snprintf(prompt, PROMPT_BYTES, "cut-number-%u. Mike broke the build.", run->next);
    struct engine_request request = wire_request(&run->client, str_from(prompt));
    request.loops_max = 1;
    struct model_info info = model_info(&run->client.model);
    struct flight_sink sink = { on_done, item };
    struct flight_call *started = NULL;
    assert_int_equal(
        engine_call_new(&request, &info, run->next, alloc_default(), &item->call, &error),
        STATUS_OK);
    int64_t now_ms = http_now_ms(&run->client.http);
    assert_int_equal(flight_start(run->flight, item->call,
                                  provider_exchange_options(&run->client.model), 0,
                                  now_ms + CALL_MS, &sink, &started, &error),
                     STATUS_OK);
    run->next++;
}

static void cut_everywhere(enum wire_protocol protocol, bool is_streamed)
{
    struct recording recording;
    recording_make(&recording, protocol, is_streamed);
    struct fault_server_options options = { .choose = choose,
                                            .state = &recording,
                                            .keep_no_journal = true };
    struct fault_server *server = fault_server_new(&options);
    assert_non_null(server);
    struct run run = { .script_count = recording.place_count * WAYS };
    run.prompts = calloc(run.script_count, sizeof(*run.prompts));
    assert_non_null(run.prompts);
    struct wire_setting setting = { protocol, is_streamed, 1, 1, SILENCE_MS, NULL };
    wire_client_open(&run.client, server, &setting);
    assert_int_equal(flight_new(&run.client.http, alloc_default(), &run.flight), STATUS_OK);
    while (run.ended < run.script_count) {
        while (run.next < run.script_count && flight_count(run.flight) < IN_FLIGHT_MAX)
            start_next(&run);
        flight_run(run.flight, http_now_ms(&run.client.http) + CALL_MS);
    }
    flight_free(run.flight);
    wire_client_close(&run.client);
    fault_server_free(server);
    print_message("%s %s: %u calls, %u false successes\n", wire_protocol_word(protocol),
                  is_streamed ? "stream" : "whole", run.ended, run.false_successes);
    assert_int_equal(run.false_successes, 0);
    assert_true(run.good >= 1); /* on a busy machine silence may end a good one */
    free(run.prompts);
    recording_release(&recording);
}

static void test_streams(void **state)
{
    (void)state;
    for (int protocol = 0; protocol < WIRE_PROTOCOL_COUNT; protocol++)
        cut_everywhere((enum wire_protocol)protocol, true);
}

static void test_documents(void **state)
{
    (void)state;
    for (int protocol = 0; protocol < WIRE_PROTOCOL_COUNT; protocol++)
        cut_everywhere((enum wire_protocol)protocol, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

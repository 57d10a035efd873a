/* test_matrix.c - every fault of faults.c, for every protocol, streamed and whole, over real
 * sockets: the documented kind of error, the documented number of requests, no false success, and
 * no marker of a key, a prompt or a provider's body in anything that is told. */
#include "base/features.h"

#include "wire_test.h"

#include <stdio.h>

enum { CALL_MS = 60000, SILENCE_MS = 10000, STALL_MS = 300, RESULT_BYTES_MAX = 16 << 20 };

#define PROMPT STR("Mike broke the build today, priority 3. " WIRE_MARKER_TEXT)

struct play {
    struct fault_answers answers;
    uint32_t request_count;
};

static const struct fault_script *choose(void *state, const struct fault_request *request)
{
    struct play *play = state;
    uint32_t index = play->request_count++;
    (void)request;
    if (index >= play->answers.count)
        index = play->answers.count - 1;
    return &play->answers.items[index].script;
}

/* What became of one call. */
struct outcome {
    int status; /* enum status, or FAULT_STATUS_STALE */
    bool has_data;
    bool is_good; /* the data is that of the good reply */
    struct engine_usage usage;
    struct error error;
};

static void look_at_result(struct engine_call *call, struct outcome *out)
{
    struct buffer text;
    const struct engine_result *result = engine_call_result(call);
    buffer_init(&text, alloc_default(), RESULT_BYTES_MAX);
    out->has_data = result->status == ENGINE_OK;
    if (out->has_data) {
        engine_write_data(result, 0, &text);
        out->is_good = str_equal(buffer_view(&text), STR(WIRE_DATA));
        buffer_clear(&text);
    } else {
        out->status = FAULT_STATUS_STALE;
    }
    engine_write_result(result, 0, &text);
    wire_assert_private(buffer_view(&text), "result");
    buffer_release(&text);
}

static struct outcome run(struct wire_client *client)
{
    struct outcome out = { .status = STATUS_OK };
    struct engine_request request = wire_request(client, PROMPT);
    struct model_info info = model_info(&client->model);
    struct engine_call *call = NULL;
    const struct clock *clock = clock_system();
    struct control control = { .clock = clock,
                               .deadline_ms = clock->now_ms(clock->state) + CALL_MS };
    struct engine_driver driver = { .model = &client->model, .control = &control };
    assert_int_equal(engine_call_new(&request, &info, 1, alloc_default(), &call, &out.error),
                     STATUS_OK);
    out.status = (int)engine_drive(call, &driver, &out.error);
    out.usage = *engine_call_usage(call);
    if (out.status == STATUS_OK)
        look_at_result(call, &out);
    engine_call_free(call);
    wire_assert_private(str_from(out.error.message), "message");
    wire_assert_private(str_from(out.error.hint), "hint");
    return out;
}

/* Tokens are those that the provider counted, once for every reply, or are marked as estimated. */
static bool usage_is_as_documented(const struct fault_case *fault, const struct outcome *out)
{
    const struct model_usage *tokens = &out->usage.tokens;
    switch (fault->usage) {
    case FAULT_COUNTS_NONE: return tokens->input_tokens == 0 && tokens->output_tokens == 0;
    case FAULT_COUNTS_ONE:
        return tokens->input_tokens == WIRE_INPUT_TOKENS &&
               tokens->output_tokens == WIRE_OUTPUT_TOKENS && !tokens->is_estimated;
    case FAULT_COUNTS_ALL:
        return tokens->input_tokens == (uint64_t)out->usage.model_calls * WIRE_INPUT_TOKENS &&
               tokens->output_tokens == (uint64_t)out->usage.model_calls * WIRE_OUTPUT_TOKENS &&
               !tokens->is_estimated;
    case FAULT_STOPS:
        return tokens->is_estimated && tokens->output_tokens > WIRE_OUTPUT_TOKENS &&
               tokens->output_tokens < (uint64_t)out->usage.model_calls * WIRE_OUTPUT_TOKENS;
    case FAULT_ESTIMATES: return tokens->input_tokens > 0 && tokens->is_estimated;
    }
    return false;
}

static bool is_as_documented(const struct fault_case *fault, const struct outcome *out,
                             uint32_t requests)
{
    bool wants_data = fault->outcome == STATUS_OK;
    return out->status == fault->outcome && out->has_data == wants_data &&
           (!wants_data || out->is_good) && requests >= fault->requests_min &&
           requests <= fault->requests_max && out->usage.model_calls == requests &&
           usage_is_as_documented(fault, out);
}

static bool play_one(const struct fault_case *fault, enum wire_protocol protocol, bool is_streamed)
{
    struct play play = { .request_count = 0 };
    struct wire_client client;
    fault_answers_init(&play.answers, protocol, is_streamed);
    fault->build(&play.answers);
    struct fault_server_options options = { .choose = choose, .state = &play };
    struct fault_server *server = fault_server_new(&options);
    assert_non_null(server);
    /* Only who waits for nothing waits shortly: the rest must not depend on how busy a machine is.
     */
    bool stalls = strncmp(fault->name, "stalled", strlen("stalled")) == 0;
    struct wire_setting setting = { protocol, is_streamed, 3, 1, stalls ? STALL_MS : SILENCE_MS,
                                    NULL };
    wire_client_open(&client, server, &setting);
    struct outcome out = run(&client);
    wire_client_close(&client);
    uint32_t requests = fault_server_requests(server);
    bool is_right = is_as_documented(fault, &out, requests);
    if (!is_right)
        print_error("%s, %s, %s: status %d (expected %d), data %d, good %d, requests %u (%u to "
                    "%u), told %u, tokens %llu and %llu%s; %s\n",
                    fault->name, wire_protocol_word(protocol), is_streamed ? "stream" : "whole",
                    out.status, fault->outcome, out.has_data, out.is_good, requests,
                    fault->requests_min, fault->requests_max, out.usage.model_calls,
                    (unsigned long long)out.usage.tokens.input_tokens,
                    (unsigned long long)out.usage.tokens.output_tokens,
                    out.usage.tokens.is_estimated ? " estimated" : "", out.error.message);
    fault_server_free(server);
    fault_answers_release(&play.answers);
    return is_right;
}

static void test_every_fault(void **state)
{
    uint32_t played = 0, wrong = 0;
    (void)state;
    for (uint32_t i = 0; i < fault_case_count; i++) {
        for (int protocol = 0; protocol < WIRE_PROTOCOL_COUNT; protocol++) {
            for (int mode = 0; mode < 2; mode++) {
                enum fault_modes bit = mode == 0 ? FAULT_IN_STREAM : FAULT_IN_WHOLE;
                if ((fault_cases[i].modes & bit) == 0 ||
                    (fault_cases[i].except & 1u << protocol) != 0)
                    continue;
                played++;
                wrong += !play_one(&fault_cases[i], (enum wire_protocol)protocol, mode == 0);
            }
        }
    }
    print_message("%u kinds of fault, %u played, %u wrong\n", fault_case_count, played, wrong);
    assert_true(fault_case_count >= 60);
    assert_int_equal(wrong, 0);
}

static void add_good(struct fault_answers *answers)
{
    (void)fault_answer_good(answers);
}

/* The same machinery says OK, and counts tokens, when nothing is wrong. */
static void test_nothing_wrong(void **state)
{
    static const struct fault_case good = { "good", FAULT_IN_BOTH,    add_good, STATUS_OK, 1,
                                            1,      FAULT_COUNTS_ONE, 0 };
    (void)state;
    for (int protocol = 0; protocol < WIRE_PROTOCOL_COUNT; protocol++) {
        assert_true(play_one(&good, (enum wire_protocol)protocol, true));
        assert_true(play_one(&good, (enum wire_protocol)protocol, false));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_wrong),
        cmocka_unit_test(test_every_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

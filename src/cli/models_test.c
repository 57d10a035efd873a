/* models_test.c - `structure models test`: one tiny real call, and what of it works.
 *
 * Owns: the question, the report. Leaves to others: the call (engine), the wire. Invariant: exactly
 * one call is made, of at most two iterations; the text that is sent holds nothing of the person's.
 */
#include "base/features.h"

#include <inttypes.h>

#include "base/limits.h"
#include "cli/models.h"
#include "cli/quantity.h"
#include "cli/report.h"
#include "engine/driver.h"
#include "schema/compile.h"

static const char test_schema[] =
    "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\",\"description\":\"the city "
    "that the text names\"},\"year\":{\"type\":\"integer\",\"minimum\":1900}},\"required\":["
    "\"city\",\"year\"],\"additionalProperties\":false}";
static const char test_prompt[] = "The conference of 2024 was held in Lisbon.";

enum { TEST_TOKENS = 256, TEST_LOOPS = 2 };

enum test_id { TEST_BASE_URL, TEST_CA_FILE, TEST_TIMEOUT, TEST_NO_STREAM, TEST_SHOW_VALUES };

struct test_settings {
    const char *base_url;
    const char *ca_file;
    int64_t timeout_ms;
    bool no_stream;
    bool show_values;
};

static const struct cli_option test_options[] = {
    { "base-url", 0, TEST_BASE_URL, "URL", "endpoint of that provider for this call" },
    { "ca-file", 0, TEST_CA_FILE, "FILE", "certificates to trust in place of the system's" },
    { "timeout", 0, TEST_TIMEOUT, "D", "time for one model call, default 30s, local 2m" },
    { "no-stream", 0, TEST_NO_STREAM, NULL, "ask the provider for the whole reply at once" },
    { "show-values", 0, TEST_SHOW_VALUES, NULL,
      "let words on stderr contain what the provider wrote" },
};

static enum status test_apply(void *state, unsigned id, const char *value, struct error *error)
{
    struct test_settings *settings = state;
    switch ((enum test_id)id) {
    case TEST_BASE_URL: settings->base_url = value; break;
    case TEST_CA_FILE: settings->ca_file = value; break;
    case TEST_TIMEOUT:
        return cli_quantity_duration_ms("timeout", value, &settings->timeout_ms, error);
    case TEST_NO_STREAM: settings->no_stream = true; break;
    case TEST_SHOW_VALUES: settings->show_values = true; break;
    }
    return STATUS_OK;
}

/* What is known at the end of the call. */
struct test_run {
    struct cli *cli;
    const struct test_settings *settings;
    struct cli_config config;
    struct cli_model_choice choice;
    struct model model;
    struct model_info info;
    struct schema_program *program;
    struct engine_call *call;
    const char *source;
    int64_t begun_ms, first_ms, ended_ms; /* first: of the reply's text; 0: none came */
    uint32_t pieces;
};

static int64_t test_now_ms(void)
{
    const struct clock *clock = clock_system();
    return clock->now_ms(clock->state);
}

static void test_on_trace(void *state, const char *line)
{
    struct test_run *run = state;
    cli_say(run->cli, CLI_LEVEL_STEP, "%s", line);
}

static void test_on_text(void *state, struct str piece)
{
    struct test_run *run = state;
    if (piece.len > 0 && run->pieces++ == 0)
        run->first_ms = test_now_ms();
}

static enum status test_open(struct test_run *run, const char *name, struct error *error)
{
    struct schema_options schema = { .object_root = true, .format_asserts = true };
    struct cli_model_options options = {
        .base_url = run->settings->base_url,
        .ca_file = run->settings->ca_file,
        .no_stream = run->settings->no_stream,
        .show_values = run->settings->show_values,
        .trace = test_on_trace,
        .trace_state = run,
    };
    enum status status = cli_config_open(NULL, run->cli->alloc, &run->config, &run->source, error);
    if (status == STATUS_OK)
        status = cli_model_choose(&run->config, name, &run->choice, error);
    if (status != STATUS_OK)
        return status;
    run->info = cli_model_info(&run->choice);
    status =
        schema_compile_text(str_from(test_schema), &schema, run->cli->alloc, &run->program, error);
    if (status == STATUS_OK)
        status = cli_model_open(run->cli, &run->config, &run->choice, &options, NULL, &run->model,
                                error);
    if (status == STATUS_OK)
        run->info = model_info(&run->model);
    return status;
}

static enum status test_call(struct test_run *run, struct error *error)
{
    struct control control = { clock_system(), INT64_MAX, run->cli->cancel };
    struct model_sink sink = { NULL, test_on_text, run };
    struct engine_request request = {
        .prompt = str_from(test_prompt),
        .program = run->program,
        .schema_origin = STR("inline"),
        .loops_max = TEST_LOOPS,
        .tokens_max = TEST_TOKENS,
        .temperature = -1,
    };
    int64_t default_ms = run->choice.provider != NULL ? LIMIT_MODEL_CALL_MS : LIMIT_LOCAL_CALL_MS;
    struct engine_driver driver = {
        .model = &run->model,
        .control = &control,
        .model_timeout_ms = run->settings->timeout_ms > 0 ? run->settings->timeout_ms : default_ms,
        .sink = &sink,
    };
    enum status status =
        engine_call_new(&request, &run->info, 1, run->cli->alloc, &run->call, error);
    run->begun_ms = test_now_ms();
    if (status == STATUS_OK)
        status = engine_drive(run->call, &driver, error);
    run->ended_ms = test_now_ms();
    return status;
}

/* ---- the report ---- */

static bool test_is_strict(const struct test_run *run, const struct engine_result *result)
{
    return run->choice.provider == NULL ||
           (result->projection.exists && result->projection.is_strict);
}

static bool test_is_streamed(const struct test_run *run)
{
    return run->pieces > 0 && run->first_ms > 0 && !run->settings->no_stream &&
           (run->choice.row == NULL || (run->choice.row->parameters & PROVIDER_TAKES_STREAM) != 0);
}

static const char *test_status(enum engine_status status)
{
    switch (status) {
    case ENGINE_OK: return "ok";
    case ENGINE_NEED_MORE_INPUT: return "need-more-input";
    case ENGINE_STALE: return "stale";
    }
    return "stale";
}

static void test_words(struct buffer *text, const struct test_run *run,
                       const struct engine_result *result)
{
    const struct engine_usage *usage = &result->usage;
    buffer_printf(text, "%.*s\n", (int)run->info.name.len, run->info.name.ptr);
    buffer_append_str(text, STR("  answers:        yes\n  authentication: "));
    buffer_append_str(text, run->choice.provider == NULL ? STR("not needed\n") : STR("ok\n"));
    buffer_append_str(text, STR("  strict output:  "));
    if (!test_is_strict(run, result))
        buffer_append_str(text, STR("no, the schema was asked for in words\n"));
    else if (run->choice.provider == NULL)
        buffer_append_str(text, STR("yes\n"));
    else
        buffer_printf(text, "yes (form of the schema: %s)\n",
                      projection_rung_name(result->projection.rung));
    buffer_printf(text, "  streaming:      %s", test_is_streamed(run) ? "yes" : "no");
    if (run->first_ms > 0)
        buffer_printf(text, ", first text after %" PRId64 " ms", run->first_ms - run->begun_ms);
    buffer_printf(text, "\n  result:         %s, %" PRIu32 " iteration%s, %" PRIu32 " request%s\n",
                  test_status(result->status), result->iterations,
                  result->iterations == 1 ? "" : "s", usage->model_calls,
                  usage->model_calls == 1 ? "" : "s");
    buffer_printf(
        text,
        "  time:           %" PRId64 " ms\n  tokens:         %" PRIu64 " in, %" PRIu64 " out\n",
        run->ended_ms - run->begun_ms, usage->tokens.input_tokens, usage->tokens.output_tokens);
}

static void test_json(struct buffer *text, const struct test_run *run,
                      const struct engine_result *result)
{
    const struct engine_usage *usage = &result->usage;
    buffer_append_str(text, STR("{\"model\":"));
    json_write_string(run->info.name, text);
    buffer_printf(text, ",\"status\":\"%s\",\"strict\":%s,\"streaming\":%s",
                  test_status(result->status), test_is_strict(run, result) ? "true" : "false",
                  test_is_streamed(run) ? "true" : "false");
    if (result->projection.exists)
        buffer_printf(text, ",\"rung\":\"%s\"", projection_rung_name(result->projection.rung));
    if (run->first_ms > 0)
        buffer_printf(text, ",\"firstTextMs\":%" PRId64, run->first_ms - run->begun_ms);
    buffer_printf(text,
                  ",\"totalMs\":%" PRId64 ",\"iterations\":%" PRIu32 ",\"modelCalls\":%" PRIu32
                  ",\"inputTokens\":%" PRIu64 ",\"outputTokens\":%" PRIu64 "}\n",
                  run->ended_ms - run->begun_ms, result->iterations, usage->model_calls,
                  usage->tokens.input_tokens, usage->tokens.output_tokens);
}

static int test_tell(struct test_run *run)
{
    const struct engine_result *result = engine_call_result(run->call);
    struct buffer text;
    buffer_init(&text, run->cli->alloc, MODELS_BYTES_MAX);
    if (run->cli->json)
        test_json(&text, run, result);
    else
        test_words(&text, run, result);
    cli_output_append(&run->cli->out, buffer_view(&text));
    buffer_release(&text);
    switch (result->status) {
    case ENGINE_OK: return CLI_EXIT_OK;
    case ENGINE_NEED_MORE_INPUT: return CLI_EXIT_NEED_MORE_INPUT;
    case ENGINE_STALE: return CLI_EXIT_STALE;
    }
    return CLI_EXIT_STALE;
}

static int test_run(struct cli *cli, const void *options, const struct cli_operands *operands)
{
    struct test_run run = { .cli = cli, .settings = options };
    struct error error = { 0 };
    enum status status = STATUS_OK;
    if (operands->count > 1)
        status = error_set(&error, STATUS_INVALID_REQUEST, "models test takes one NAME");
    if (status == STATUS_OK)
        status = test_open(&run, operands->count == 1 ? operands->items[0] : NULL, &error);
    if (status == STATUS_OK)
        status = test_call(&run, &error);
    int code = status == STATUS_OK ? test_tell(&run) : cli_fail(cli, run.source, &error);
    engine_call_free(run.call);
    schema_program_free(run.program);
    model_free(&run.model);
    cli_config_release(&run.config);
    return code;
}

const struct command command_models_test = {
    .name = "models test",
    .usage = "[NAME] [options]",
    .summary = "Ask a model one small question and show what works.",
    .details = "NAME is what -m of extract takes; without it the model is the one that extract "
               "would ask. A few hundred tokens are spent. The exit code says what failed: 5 no "
               "key, 7 refused, 8 try later, 9 not reached.",
    .options = test_options,
    .option_count = sizeof(test_options) / sizeof(test_options[0]),
    .defaults = &(const struct test_settings){ .timeout_ms = 0 },
    .options_size = sizeof(struct test_settings),
    .apply = test_apply,
    .run = test_run,
};

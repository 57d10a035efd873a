/* command_extract.c - `structure extract`: text and schema in, one valid object out.
 *
 * Owns: reading what the person named, in an order that finds a fault before it costs anything
 * (options, schema, prompt, request, model), and running the call. Leaves to others: options
 * (extract_options.c), the call (engine), telling its end (extract_tell.c).
 */
#include "base/features.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/limits.h"
#include "cli/dry_run.h"
#include "cli/extract.h"
#include "cli/input.h"
#include "cli/interrupt.h"
#include "cli/model_source.h"
#include "cli/extract_progress.h"
#include "cli/schema_source.h"
#include "engine/driver.h"
#include "engine/request.h"
#include "provider/provider.h"

enum { EXTRACT_DOCUMENT_BYTES = 64 * 1024 * 1024 };

struct extract_run {
    struct cli *cli;
    const struct extract_settings *settings;
    struct extract_progress progress;
    struct cli_schema schema;
    struct cli_text prompt;
    struct cli_text instructions;
    struct cli_config config;
    struct cli_model_choice choice;
    struct model_info info;
    struct model model;
    struct engine_call *call;
    const char *source; /* file that an error is about, or NULL */
};

static enum status extract_usage(struct error *error, const char *message, const char *hint)
{
    (void)error_set(error, STATUS_INVALID_REQUEST, "%s", message);
    error_hint(error, "%s", hint);
    return STATUS_INVALID_REQUEST;
}

/* Where the prompt comes from: TEXT, a path, or stdin; exactly one. */
static enum status extract_check(const struct extract_settings *settings,
                                 const struct cli_operands *operands, const char **out_path,
                                 struct error *error)
{
    bool text_is_stdin = operands->count == 1 && cli_input_is_stdin(operands->items[0]);
    if (settings->schema == NULL)
        return extract_usage(error, "no target given", "name the schema with -s SCHEMA");
    if (operands->count > 1)
        return extract_usage(error, "extract takes one TEXT",
                             "put the text in quotes, or in a file with -f");
    if (operands->count == 1 && settings->prompt_file != NULL)
        return extract_usage(error, "the prompt is given twice, as TEXT and with -f",
                             "leave one of them out");
    *out_path = settings->prompt_file;
    if (*out_path == NULL && (text_is_stdin || operands->count == 0))
        *out_path = "-";
    if (operands->count == 0 && settings->prompt_file == NULL && isatty(STDIN_FILENO) == 1)
        return extract_usage(error, "no prompt given", "give TEXT, -f FILE, or pipe the text in");
    unsigned stdin_uses = *out_path != NULL && cli_input_is_stdin(*out_path) ? 1 : 0;
    stdin_uses += cli_input_is_stdin(settings->schema) ? 1 : 0;
    stdin_uses +=
        settings->instructions != NULL && strcmp(settings->instructions, "@-") == 0 ? 1 : 0;
    if (stdin_uses > 1)
        return extract_usage(error, "standard input is named twice",
                             "give the prompt, the schema or the instructions as a file");
    return STATUS_OK;
}

static enum status extract_read_argument(struct cli *cli, const char *argument,
                                         struct cli_text *out, struct error *error)
{
    out->name = "<argument>";
    buffer_init(&out->bytes, cli->alloc, LIMIT_PROMPT_BYTES);
    buffer_append_str(&out->bytes, str_from(argument));
    if (buffer_status(&out->bytes) != STATUS_OK)
        return error_set(error,
                         buffer_status(&out->bytes) == STATUS_NO_MEMORY ? STATUS_NO_MEMORY
                                                                        : STATUS_INVALID_REQUEST,
                         "the text is larger than the limit of %u bytes", LIMIT_PROMPT_BYTES);
    return STATUS_OK;
}

static enum status extract_read_texts(struct extract_run *run, const struct cli_operands *operands,
                                      const char *path, struct error *error)
{
    static const struct cli_input_limit limit = { LIMIT_PROMPT_BYTES, NULL,
                                                  STATUS_INVALID_REQUEST };
    const char *instructions = run->settings->instructions;
    enum status status =
        path != NULL ? cli_input_read(path, &limit, run->cli->alloc, &run->prompt, error)
                     : extract_read_argument(run->cli, operands->items[0], &run->prompt, error);
    if (status != STATUS_OK || instructions == NULL)
        return status;
    if (instructions[0] == '@')
        return cli_input_read(instructions + 1, &limit, run->cli->alloc, &run->instructions, error);
    return extract_read_argument(run->cli, instructions, &run->instructions, error);
}

static enum status extract_load_schema(struct extract_run *run, struct error *error)
{
    struct schema_options options = { .unknown_keywords = run->settings->unknown,
                                      .object_root = true,
                                      .format_asserts = true };
    static const char wrapped[] = "/properties/value";
    enum status status = cli_schema_load(run->cli, run->settings->schema, &options,
                                         run->settings->wrap_root, &run->schema, error);
    if (status != STATUS_OK) {
        run->source = run->schema.name;
        if (run->settings->wrap_root) {
            /* Positions count in the wrapped text; pointers can be told in the person's own. */
            size_t skip = strncmp(error->pointer, wrapped, sizeof(wrapped) - 1) == 0
                              ? sizeof(wrapped) - 1
                              : 0;
            memmove(error->pointer, error->pointer + skip, strlen(error->pointer + skip) + 1);
            error->line = 0;
        }
    }
    return status;
}

static struct engine_request extract_request(const struct extract_run *run)
{
    const struct extract_settings *settings = run->settings;
    return (struct engine_request){
        .prompt = buffer_view(&run->prompt.bytes),
        .program = run->schema.program,
        .schema_origin = STR("inline"),
        .instructions = buffer_view(&run->instructions.bytes),
        .policy = settings->once ? ENGINE_POLICY_ONCE : ENGINE_POLICY_LOOP,
        .loops_max = settings->loops_max,
        .tokens_max = settings->tokens_max,
        .tokens_auto = settings->tokens_auto,
        .grounded = settings->grounded,
        .temperature = settings->temperature,
        .has_seed = settings->has_seed,
        .seed = settings->seed,
        .require_strict = !settings->no_strict,
        .unwrap_root = settings->wrap_root,
    };
}

static void extract_on_trace(void *state, const char *line)
{
    struct extract_run *run = state;
    cli_say(run->cli, CLI_LEVEL_STEP, "%s", line);
}

/* Which model is meant; nothing is opened. */
static enum status extract_choose_model(struct extract_run *run, struct error *error)
{
    enum status status = cli_config_open(NULL, run->cli->alloc, &run->config, &run->source, error);
    if (run->config.project[0] != '\0')
        cli_say(run->cli, CLI_LEVEL_STEP, "%s is not read: only the person's own configuration is",
                run->config.project);
    if (status == STATUS_OK)
        status = cli_model_choose(&run->config, run->settings->model, &run->choice, error);
    if (status != STATUS_OK)
        return status;
    if (!run->choice.is_known)
        cli_say(run->cli, CLI_LEVEL_STEP,
                "note: no row names the model \"%.*s\"; what every model of %.*s takes is assumed",
                (int)run->choice.model.len, run->choice.model.ptr,
                (int)run->choice.provider->id.len, run->choice.provider->id.ptr);
    run->info = cli_model_info(&run->choice);
    return STATUS_OK;
}

static void extract_say_model(struct extract_run *run)
{
    const struct model_info *info = &run->info;
    if (run->choice.provider == NULL)
        cli_say(run->cli, CLI_LEVEL_STEP,
                "model: %.*s, %" PRIu64 " parameters, context of %" PRIu32 " tokens",
                (int)info->name.len, info->name.ptr, info->parameter_count, info->context_tokens);
    else
        cli_say(run->cli, CLI_LEVEL_STEP, "model: %.*s (from %s), strict output: %s",
                (int)info->name.len, info->name.ptr, run->choice.origin,
                (info->capabilities & MODEL_STRICT_OUTPUT) != 0    ? "yes"
                : (info->capabilities & MODEL_STRICT_UNKNOWN) != 0 ? "to be tried"
                                                                   : "no");
}

/* A dry run does without a default local model that cannot be had, and says so. */
static enum status extract_open_model(struct extract_run *run, const struct model_sink *sink,
                                      struct error *error)
{
    const struct extract_settings *settings = run->settings;
    struct cli_model_options options = {
        .base_url = settings->base_url,
        .ca_file = settings->ca_file,
        .record = settings->dry_run ? NULL : settings->record,
        .replay = settings->dry_run ? NULL : settings->replay,
        .no_stream = settings->no_stream,
        .show_values = settings->show_values,
        .without_key = settings->dry_run,
        .trace = extract_on_trace,
        .trace_state = run,
    };
    enum status status =
        cli_model_open(run->cli, &run->config, &run->choice, &options, sink, &run->model, error);
    if (status == STATUS_NOT_CONFIGURED && settings->dry_run && run->choice.provider == NULL &&
        run->choice.path.len == 0) {
        cli_warn(run->cli, NULL, error);
        error_clear(error);
        return STATUS_OK;
    }
    if (status == STATUS_OK) {
        run->info = model_info(&run->model);
        extract_say_model(run);
    }
    return status;
}

static void extract_on_iteration(void *state, uint32_t iteration, uint32_t loops_max)
{
    struct extract_run *run = state;
    cli_say(run->cli, CLI_LEVEL_STEP, "iteration %" PRIu32 " of %" PRIu32, iteration, loops_max);
    extract_progress_iteration(&run->progress, iteration, loops_max);
    if (run->choice.provider != NULL)
        extract_progress_wait(&run->progress);
}

static void extract_on_refused(void *state, uint32_t iteration,
                               const struct schema_violations *violations)
{
    struct extract_run *run = state;
    cli_say(run->cli, CLI_LEVEL_STEP, "iteration %" PRIu32 ": the reply does not conform",
            iteration);
    extract_say_violations(run->cli, CLI_LEVEL_STEP, run->settings, violations);
}

static enum status extract_drive(struct extract_run *run, const struct control *control,
                                 const struct model_sink *sink, struct error *error)
{
    int64_t default_ms = run->choice.provider != NULL ? LIMIT_MODEL_CALL_MS : LIMIT_LOCAL_CALL_MS;
    struct engine_driver driver = {
        .model = &run->model,
        .control = control,
        .model_timeout_ms = run->settings->timeout_ms > 0 ? run->settings->timeout_ms : default_ms,
        .sink = sink,
        .iteration = extract_on_iteration,
        .refused = extract_on_refused,
        .state = run,
    };
    return engine_drive(run->call, &driver, error);
}

static enum status extract_dry_run(struct extract_run *run, struct error *error)
{
    struct buffer text;
    buffer_init(&text, run->cli->alloc, EXTRACT_DOCUMENT_BYTES);
    enum status status =
        run->choice.provider != NULL
            ? cli_dry_run_append_provider(run->call, &run->model, &text, error)
            : cli_dry_run_append(run->call, &run->info, run->cli->alloc, &text, error);
    if (status == STATUS_OK)
        extract_append_document(run->cli, buffer_view(&text));
    buffer_release(&text);
    return status;
}

static struct control extract_control(const struct extract_run *run)
{
    const struct clock *clock = clock_system();
    int64_t span_ms = run->settings->deadline_ms;
    return (struct control){ clock,
                             span_ms == 0 ? INT64_MAX : clock->now_ms(clock->state) + span_ms,
                             run->cli->cancel };
}

/* Everything after the inputs are read, with the progress line shown. */
static enum status extract_call(struct extract_run *run, struct error *error)
{
    struct control control = extract_control(run);
    struct engine_request request = extract_request(run);
    struct model_sink sink = extract_progress_sink(&run->progress);
    enum status status = extract_choose_model(run, error);
    if (status == STATUS_OK)
        status = engine_request_check(&request, &run->info, error);
    if (status == STATUS_OK)
        status = extract_open_model(run, &sink, error);
    if (status == STATUS_OK)
        status = engine_call_new(&request, &run->info, 1, run->cli->alloc, &run->call, error);
    if (status == STATUS_OK && run->settings->dry_run)
        status = extract_dry_run(run, error);
    else if (status == STATUS_OK)
        status = extract_drive(run, &control, &sink, error);
    return status;
}

static int extract_run(struct cli *cli, const void *options, const struct cli_operands *operands)
{
    struct extract_run run = { .cli = cli, .settings = options };
    struct error error = { 0 };
    const char *path = NULL;
    int code = CLI_EXIT_OK;
    enum status status = extract_check(run.settings, operands, &path, &error);
    if (status == STATUS_OK)
        status = extract_load_schema(&run, &error);
    if (status == STATUS_OK)
        status = extract_read_texts(&run, operands, path, &error);
    if (status == STATUS_OK) {
        extract_progress_begin(&run.progress, cli, run.settings->show_values);
        status = extract_call(&run, &error);
        extract_progress_end(&run.progress);
    }
    if (status != STATUS_OK) {
        cli->json = cli->json || run.settings->result;
        code = cli_fail(cli, run.source, &error);
    } else if (!run.settings->dry_run) {
        code = extract_tell(cli, run.settings, engine_call_result(run.call),
                            buffer_view(&run.prompt.bytes));
    }
    const struct error *not_stored = provider_record_error(&run.model);
    if (not_stored != NULL)
        cli_warn(cli, NULL, not_stored);
    engine_call_free(run.call);
    model_free(&run.model);
    cli_config_release(&run.config);
    cli_schema_release(&run.schema);
    cli_text_release(&run.prompt);
    cli_text_release(&run.instructions);
    return code;
}

const struct command command_extract = {
    .name = "extract",
    .usage = "[TEXT] [-f FILE] -s SCHEMA [options]",
    .summary = "Turn free text into one JSON object that is valid for a schema.",
    .details = "The prompt is TEXT, or FILE, or standard input when neither is given and it is no "
               "terminal. "
               "The object goes to stdout. A question of the model for missing input (exit code "
               "10) and the "
               "faults of a reply that never conformed (exit code 11) go to stderr.",
    .options = extract_options,
    .option_count = EXTRACT_OPTION_COUNT,
    .defaults = &extract_defaults,
    .options_size = sizeof(struct extract_settings),
    .apply = extract_apply,
    .run = extract_run,
};

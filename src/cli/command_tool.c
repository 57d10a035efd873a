/* command_tool.c - `structure tool`: definitions for those who call a provider themselves.
 *
 * Owns: which form is meant, and which members of a request carry a schema. Leaves to others: the
 * tool's words (tool_definition.c), the projection, the bodies of requests (provider). Invariant:
 * what is printed for a schema is what `extract` would send for it.
 */
#include "base/features.h"

#include "base/limits.h"
#include "cli/extract.h"
#include "cli/model_source.h"
#include "cli/schema_source.h"
#include "cli/tool_definition.h"
#include "projection/projection.h"
#include "provider/protocol.h"

enum { TOOL_BYTES_MAX = 16 * 1024 * 1024 };

enum tool_id { TOOL_FOR, TOOL_SCHEMA, TOOL_NAME, TOOL_STRICTLY };

struct tool_settings {
    const char *target;
    const char *schema;
    const char *name;
    bool strictly;
};

static const struct cli_option tool_options[] = {
    { "for", 0, TOOL_FOR, "WHOM",
      "openai, openai-chat, anthropic, gemini or mcp; with -s any provider or provider/model" },
    { "schema", 's', TOOL_SCHEMA, "SCHEMA",
      "the form of this schema for that provider, in place of the tool's definition" },
    { "name", 'n', TOOL_NAME, "NAME", "the schema's name in that form, default result" },
    { "exact", 0, TOOL_STRICTLY, NULL,
      "refuse a schema that does not go over unchanged in meaning" },
};

static enum status tool_apply(void *state, unsigned id, const char *value, struct error *error)
{
    struct tool_settings *settings = state;
    (void)error;
    switch ((enum tool_id)id) {
    case TOOL_FOR: settings->target = value; break;
    case TOOL_SCHEMA: settings->schema = value; break;
    case TOOL_NAME: settings->name = value; break;
    case TOOL_STRICTLY: settings->strictly = true; break;
    }
    return STATUS_OK;
}

static enum status tool_usage(struct error *error, const char *message, const char *hint)
{
    (void)error_set(error, STATUS_INVALID_REQUEST, "%s", message);
    error_hint(error, "%s", hint);
    return STATUS_INVALID_REQUEST;
}

/* ---- the form of a schema ---- */

struct tool_run {
    struct cli *cli;
    const struct tool_settings *settings;
    struct cli_config config;
    struct cli_model_choice choice;
    struct cli_schema schema;
    struct projection *projection;
    const char *source;
};

static bool name_is_good(struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!is_letter && !(c >= '0' && c <= '9') && c != '-' && c != '_')
            return false;
    }
    return name.len > 0 && name.len <= 64;
}

/* The provider and row that are meant; a provider without a default model has its last row. */
static enum status tool_choose(struct tool_run *run, struct error *error)
{
    const char *name = run->settings->target;
    const struct provider_row *row = catalogue_provider(run->config.catalogue, str_from(name));
    if (row == NULL || row->default_model.len > 0) {
        enum status status = cli_model_choose(&run->config, name, &run->choice, error);
        if (status == STATUS_OK && run->choice.provider == NULL)
            return tool_usage(error, "a model in this process takes the schema itself",
                              "name a provider with --for");
        return status;
    }
    run->choice.provider = row;
    run->choice.model = STR("MODEL");
    run->choice.row = catalogue_model(row, run->choice.model, &run->choice.is_known);
    return STATUS_OK;
}

static enum status tool_project(struct tool_run *run, struct error *error)
{
    const struct provider_model *row = run->choice.row;
    bool takes_schema = row->mechanism == PROVIDER_BY_SCHEMA || row->mechanism == PROVIDER_BY_TOOL;
    struct projection_options options = {
        .program = run->schema.program,
        .rules = row->rules,
        .rung = PROJECTION_FULL,
    };
    if (!takes_schema) {
        (void)error_set(error, STATUS_UNSUPPORTED, "%.*s/%.*s takes no schema",
                        (int)run->choice.provider->id.len, run->choice.provider->id.ptr,
                        (int)run->choice.model.len, run->choice.model.ptr);
        return STATUS_UNSUPPORTED;
    }
    enum status status = projection_new(&options, run->cli->alloc, &run->projection, error);
    if (status == STATUS_OK && run->settings->strictly && !projection_is_exact(run->projection)) {
        (void)error_set(error, STATUS_UNSUPPORTED,
                        "the schema does not go over as it is: something is left to the validator");
        error_hint(error, "without --exact, -v says what");
        return STATUS_UNSUPPORTED;
    }
    return status;
}

static void tool_say_moves(struct tool_run *run)
{
    uint32_t count;
    const struct projection_move *moves = projection_moves(run->projection, &count);
    for (uint32_t i = 0; i < count; i++)
        cli_say(run->cli, CLI_LEVEL_STEP, "%.*s: %.*s: %.*s%s", (int)moves[i].pointer.len,
                moves[i].pointer.ptr, (int)moves[i].keyword.len, moves[i].keyword.ptr,
                (int)moves[i].reason.len, moves[i].reason.ptr,
                moves[i].in_words ? "; said in words" : "");
}

/* Members of a request that carry the schema; of generationConfig only some of its own. */
static bool member_is_form(struct str name)
{
    static const char *const members[] = { "response_format",    "text",
                                           "output_config",      "tools",
                                           "tool_choice",        "responseMimeType",
                                           "responseJsonSchema", "responseSchema",
                                           "generationConfig",   NULL };
    for (unsigned i = 0; members[i] != NULL; i++) {
        if (str_equal(name, str_from(members[i])))
            return true;
    }
    return false;
}

/* The members of body that carry the schema; those of its generationConfig with braces around. */
static void form_append(struct buffer *out, struct json body)
{
    bool is_first = true;
    buffer_append_byte(out, '{');
    for (struct json value = json_first(body); json_exists(value); value = json_next(value, body)) {
        struct str name = json_member_name(value);
        if (!member_is_form(name))
            continue;
        if (!is_first)
            buffer_append_byte(out, ',');
        is_first = false;
        json_write_string(name, out);
        buffer_append_byte(out, ':');
        json_write(value, 0, out);
    }
    buffer_append_byte(out, '}');
}

/* The same for a whole request: one level is looked into. */
static void request_form_append(struct buffer *out, struct json body)
{
    struct json inner = json_get(body, STR("generationConfig"));
    if (!json_exists(inner) || json_type(inner) != JSON_OBJECT) {
        form_append(out, body);
        return;
    }
    buffer_append_str(out, STR("{\"generationConfig\":"));
    form_append(out, inner);
    buffer_append_byte(out, '}');
}

static enum status tool_form_append(struct tool_run *run, struct buffer *out, struct error *error)
{
    const char *name = run->settings->name;
    struct model_message message = { MODEL_ROLE_USER, MODEL_PURPOSE_TEXT, STR("TEXT") };
    struct protocol_call call = {
        .provider = run->choice.provider,
        .model_row = run->choice.row,
        .model = run->choice.model,
        .messages = &message,
        .message_count = 1,
        .mechanism = run->choice.row->mechanism,
        .schema = projection_schema(run->projection),
        .schema_name = name == NULL ? STR("result") : str_from(name),
        .is_strict = run->choice.row->rules->is_strict,
        .tokens_max = LIMIT_TOKENS_DEFAULT,
        .temperature = -1,
    };
    struct json_doc *doc = NULL;
    struct buffer body;
    buffer_init(&body, run->cli->alloc, TOOL_BYTES_MAX);
    protocol_of(run->choice.provider->protocol)->write(&call, &body);
    enum status status = buffer_status(&body);
    if (status == STATUS_OK)
        status = json_parse(buffer_view(&body), NULL, run->cli->alloc, &doc, error);
    if (status == STATUS_OK)
        request_form_append(out, json_doc_root(doc));
    json_doc_free(doc);
    buffer_release(&body);
    if (status == STATUS_OK)
        return STATUS_OK;
    return error_set(error, status, "the form of the schema cannot be written");
}

static enum status tool_schema(struct tool_run *run, struct buffer *out, struct error *error)
{
    struct schema_options options = { .object_root = true, .format_asserts = true };
    struct str name = run->settings->name == NULL ? STR("result") : str_from(run->settings->name);
    bool is_mcp = strcmp(run->settings->target, "mcp") == 0;
    if (!name_is_good(name))
        return tool_usage(error, "the name is none that providers take",
                          "it has 1 to 64 letters, digits, - and _");
    enum status status =
        cli_schema_load(run->cli, run->settings->schema, &options, false, &run->schema, error);
    if (status != STATUS_OK) {
        run->source = run->schema.name;
        return status;
    }
    if (is_mcp) {
        struct buffer text;
        buffer_init(&text, run->cli->alloc, TOOL_BYTES_MAX);
        json_write(run->schema.program->root, 0, &text);
        tool_of_schema_append(out, name, buffer_view(&text));
        buffer_release(&text);
        return STATUS_OK;
    }
    status = cli_config_open(NULL, run->cli->alloc, &run->config, &run->source, error);
    if (status == STATUS_OK)
        status = tool_choose(run, error);
    if (status == STATUS_OK)
        status = tool_project(run, error);
    if (status == STATUS_OK) {
        tool_say_moves(run);
        status = tool_form_append(run, out, error);
    }
    return status;
}

/* ---- the command ---- */

static enum status tool_definition(const struct tool_settings *settings, struct buffer *out,
                                   struct error *error)
{
    static const char *const forms[] = {
        "openai", "openai-chat", "anthropic", "gemini", "mcp", NULL
    };
    unsigned form;
    if (settings->name != NULL || settings->strictly)
        return tool_usage(error, "--name and --exact are about a schema",
                          "give one with -s SCHEMA");
    enum status status = cli_option_choice("for", settings->target, forms, &form, error);
    if (status == STATUS_OK)
        tool_definition_append(out, (enum tool_form)form);
    return status;
}

static int tool_run(struct cli *cli, const void *options, const struct cli_operands *operands)
{
    struct tool_run run = { .cli = cli, .settings = options };
    struct error error = { 0 };
    struct buffer text;
    int code = CLI_EXIT_OK;
    enum status status = STATUS_OK;
    buffer_init(&text, cli->alloc, TOOL_BYTES_MAX);
    if (operands->count > 0)
        status = tool_usage(&error, "tool takes no operand", "name the provider with --for");
    else if (run.settings->target == NULL)
        status = tool_usage(&error, "no provider given",
                            "--for openai, openai-chat, anthropic, gemini or mcp");
    else if (run.settings->schema == NULL)
        status = tool_definition(run.settings, &text, &error);
    else
        status = tool_schema(&run, &text, &error);
    if (status == STATUS_OK && buffer_status(&text) != STATUS_OK)
        status = error_set(&error, STATUS_NO_MEMORY, "out of memory");
    if (status == STATUS_OK)
        extract_append_document(cli, buffer_view(&text));
    else
        code = cli_fail(cli, run.source, &error);
    projection_free(run.projection);
    cli_schema_release(&run.schema);
    cli_config_release(&run.config);
    buffer_release(&text);
    return code;
}

const struct command command_tool = {
    .name = "tool",
    .usage = "--for WHOM [-s SCHEMA [-n NAME]]",
    .summary = "Print the definition of this tool, or of a schema, in a provider's form.",
    .details = "Without -s: structure itself as a tool that a model can call. With -s: the members "
               "of a request that ask that provider for an object of the schema, after what it "
               "does not take was put into words; -v says what that was.",
    .options = tool_options,
    .option_count = sizeof(tool_options) / sizeof(tool_options[0]),
    .defaults = &(const struct tool_settings){ .target = NULL },
    .options_size = sizeof(struct tool_settings),
    .apply = tool_apply,
    .run = tool_run,
};

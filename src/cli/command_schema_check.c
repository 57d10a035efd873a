/* command_schema_check.c - `structure schema check`: is this a schema, without storing it.
 *
 * Owns: which rules apply (as `validate` would, or as `extract` would). Leaves to others: judging
 * the schema.
 */
#include "base/features.h"

#include "cli/cli.h"
#include "cli/input.h"
#include "cli/report.h"
#include "cli/schema_source.h"

enum { CHECK_BYTES_MAX = 4 * 1024 * 1024 };

enum check_id { CHECK_FOR, CHECK_DIALECT, CHECK_UNKNOWN };

enum check_purpose { CHECK_FOR_VALIDATE, CHECK_FOR_EXTRACT };

static const struct cli_option check_options[] = {
    { "for", 0, CHECK_FOR, "COMMAND",
      "validate (default), or extract: an object root and no unknown keyword" },
    { "dialect", 0, CHECK_DIALECT, "URI", "the dialect where $schema is absent, default 2020-12" },
    { "unknown-keywords", 0, CHECK_UNKNOWN, "POLICY",
      "allow, warn or error; default as the command has it" },
};

struct check_settings {
    enum check_purpose purpose;
    bool has_unknown;
    enum schema_unknown unknown;
    struct str dialect;
};

static const struct check_settings check_defaults = { .purpose = CHECK_FOR_VALIDATE };

static enum status check_apply(void *state, unsigned id, const char *value, struct error *error)
{
    static const char *const purposes[] = { "validate", "extract", NULL };
    struct check_settings *settings = state;
    enum status status = STATUS_OK;
    unsigned choice = 0;
    switch ((enum check_id)id) {
    case CHECK_FOR:
        status = cli_option_choice("for", value, purposes, &choice, error);
        settings->purpose = (enum check_purpose)choice;
        break;
    case CHECK_DIALECT: settings->dialect = str_from(value); break;
    case CHECK_UNKNOWN:
        status = cli_option_choice("unknown-keywords", value, cli_unknown_choices, &choice, error);
        settings->unknown = (enum schema_unknown)choice;
        settings->has_unknown = true;
        break;
    }
    return status;
}

/* Warnings of a check with --json are part of its document. */
static void check_collect(void *state, const struct error *warning)
{
    struct buffer *warnings = state;
    buffer_append_str(warnings, warnings->len == 0 ? STR("{") : STR(",{"));
    cli_error_members_append(warnings, warning);
    buffer_append_byte(warnings, '}');
}

static int check_run(struct cli *cli, const void *options, const struct cli_operands *operands)
{
    const struct check_settings *settings = options;
    struct error error = { 0 };
    struct cli_schema schema = { 0 };
    struct buffer warnings;
    bool for_extract = settings->purpose == CHECK_FOR_EXTRACT;
    struct schema_options compile = {
        .unknown_keywords = settings->has_unknown ? settings->unknown
                            : for_extract         ? SCHEMA_UNKNOWN_ERROR
                                                  : SCHEMA_UNKNOWN_WARN,
        .object_root = for_extract,
        .format_asserts = true,
        .dialect = settings->dialect,
        .warn = cli->json ? check_collect : NULL,
        .warn_state = &warnings,
    };
    if (operands->count != 1) {
        (void)error_set(&error, STATUS_INVALID_REQUEST, "schema check takes one FILE");
        error_hint(&error, "structure help schema check");
        return cli_fail(cli, NULL, &error);
    }
    buffer_init(&warnings, cli->alloc, CHECK_BYTES_MAX);
    enum status status = cli_schema_load(cli, operands->items[0], &compile, false, &schema, &error);
    int code = CLI_EXIT_OK;
    if (status != STATUS_OK) {
        code = cli_fail(cli, schema.name, &error);
    } else if (cli->json) {
        cli_output_append(&cli->out, STR("{\"valid\":true,\"warnings\":["));
        cli_output_append(&cli->out, buffer_view(&warnings));
        cli_output_append(&cli->out, STR("]}\n"));
    } else {
        cli_say(cli, CLI_LEVEL_NOTE, "%s: the schema is valid", schema.name);
    }
    buffer_release(&warnings);
    cli_schema_release(&schema);
    return code;
}

const struct command command_schema_check = {
    .name = "schema check",
    .usage = "FILE [--for COMMAND]",
    .summary = "Judge a schema without storing it.",
    .details = "FILE is a file, - or JSON text that begins with {. Checked are the dialect, the "
               "form of every "
               "keyword, references, patterns and limits; warnings name what is tolerated.",
    .options = check_options,
    .option_count = sizeof(check_options) / sizeof(check_options[0]),
    .defaults = &check_defaults,
    .options_size = sizeof(check_defaults),
    .apply = check_apply,
    .run = check_run,
};

/* commands.c - the table of commands, the options that all of them take, and the exit codes.
 *
 * Owns: what `structure help` lists. Leaves to others: each command's own table and work.
 */
#include "base/features.h"

#include "cli/cli.h"

enum common_id {
    COMMON_HELP,
    COMMON_VERSION,
    COMMON_JSON,
    COMMON_OUT,
    COMMON_QUIET,
    COMMON_VERBOSE,
    COMMON_COLOR
};

const struct cli_option cli_common_options[] = {
    { NULL, 'o', COMMON_OUT, "FILE", "write the data to FILE, whole or not at all" },
    { "json", 0, COMMON_JSON, NULL, "reports and errors as one JSON document on stdout" },
    { "quiet", 'q', COMMON_QUIET, NULL, "only errors on stderr" },
    { "verbose", 'v', COMMON_VERBOSE, NULL,
      "one line a step; twice: everything that is not content" },
    { "color", 0, COMMON_COLOR, "WHEN", "auto, always or never; NO_COLOR is honoured" },
    { "help", 'h', COMMON_HELP, NULL, "this help" },
    /* Only before the command: the last row, left out of cli_common_option_count. */
    { "version", 'V', COMMON_VERSION, NULL, "the version" },
};
const size_t cli_common_option_count =
    sizeof(cli_common_options) / sizeof(cli_common_options[0]) - 1;

const struct command *const cli_commands[] = {
#if STRUCTURE_HAVE_EXTRACT
    &command_extract,
#endif
    &command_validate,    &command_schema_check,
#if STRUCTURE_HAVE_EXTRACT
    &command_models_list, &command_models_test,  &command_tool, &command_codegen,
#endif
    &command_version,     &command_help,         NULL,
};

int cli_exit_code(enum status status)
{
    switch (status) {
    case STATUS_OK: return CLI_EXIT_OK;
    case STATUS_INVALID_REQUEST: return 2;
    case STATUS_INVALID_SCHEMA: return 3;
    case STATUS_UNKNOWN_SCHEMA: return 4;
    case STATUS_NOT_CONFIGURED: return 5;
    case STATUS_UNSUPPORTED: return 6;
    case STATUS_REJECTED: return 7;
    case STATUS_TRANSIENT: return 8;
    case STATUS_TRANSPORT: return 9;
    case STATUS_SCHEMA_VIOLATION: return 11;
    case STATUS_DEADLINE: return 12;
    case STATUS_STORE: return 13;
    case STATUS_NO_MEMORY:
    case STATUS_INTERNAL: return 70;
    case STATUS_CANCELLED: return 130;
    }
    return 70;
}

enum status cli_common_apply(void *state, unsigned id, const char *value, struct error *error)
{
    static const char *const colors[] = { "auto", "always", "never", NULL };
    struct cli *cli = state;
    unsigned choice = 0;
    enum status status = STATUS_OK;
    switch ((enum common_id)id) {
    case COMMON_HELP: cli->help = true; break;
    case COMMON_VERSION: cli->version = true; break;
    case COMMON_JSON: cli->json = true; break;
    case COMMON_OUT: cli->out_path = value; break;
    case COMMON_QUIET: cli->verbosity = -1; break;
    case COMMON_VERBOSE: cli->verbosity = cli->verbosity < 1 ? 1 : 2; break;
    case COMMON_COLOR:
        status = cli_option_choice("color", value, colors, &choice, error);
        cli->color = (enum cli_color)choice;
        break;
    }
    return status;
}

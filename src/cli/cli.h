/* cli.h - what the commands of the program share: the context of one run, the exit codes, the
 * command table.
 *
 * Owns: struct cli and struct command. Leaves to others: parsing options (option.h), data on stdout
 * (output.h), words on stderr (report.h). Invariant: only output.c writes data, only report.c and
 * progress.c write words.
 */
#ifndef STRUCTURE_CLI_CLI_H
#define STRUCTURE_CLI_CLI_H

#include "base/control.h"
#include "base/status.h"
#include "cli/option.h"
#include "cli/output.h"

/* The exit codes that are no error kind; those of the kinds come from cli_exit_code. */
enum cli_exit {
    CLI_EXIT_OK = 0,
    CLI_EXIT_NEGATIVE = 1,
    CLI_EXIT_NEED_MORE_INPUT = 10,
    CLI_EXIT_STALE = 11
};

enum cli_color { CLI_COLOR_AUTO, CLI_COLOR_ALWAYS, CLI_COLOR_NEVER };

struct cli_progress;

/* One run of the program. Options are filled while the command line is read. */
struct cli {
    const struct alloc *alloc;
    const struct cancel *cancel;   /* set by SIGINT and SIGTERM */
    struct cli_output out;         /* data: stdout or the file of -o */
    struct cli_progress *progress; /* the line being shown, NULL when there is none */
    int verbosity;                 /* -1: -q, 0, 1: -v, 2: -vv */
    enum cli_color color;
    bool json;            /* --json */
    bool help;            /* -h, --help */
    bool version;         /* -V, --version; before the command only */
    const char *out_path; /* -o; NULL: stdout */
};

/* A command: its words and its options are data, so that parsing, help and suggestions cannot
 * disagree. */
struct command {
    const char *name;    /* "extract", "schema check" */
    const char *usage;   /* what follows the name */
    const char *summary; /* one line */
    const char *details; /* a paragraph of `help`, or NULL */
    const struct cli_option *options;
    size_t option_count;
    const void *defaults; /* start value of the command's own options */
    size_t options_size;
    cli_option_apply apply;
    int (*run)(struct cli *cli, const void *options, const struct cli_operands *operands);
};

extern const struct command command_extract;
extern const struct command command_validate;
extern const struct command command_schema_check;
extern const struct command command_models_list;
extern const struct command command_models_test;
extern const struct command command_tool;
extern const struct command command_codegen;
extern const struct command command_version;
extern const struct command command_help;

/* All commands in the order of the help; NULL ends the table. */
extern const struct command *const cli_commands[];

/* The options that every command takes, and their apply function over struct cli. */
extern const struct cli_option cli_common_options[];
extern const size_t cli_common_option_count; /* without --version, which is for no command */
enum status cli_common_apply(void *state, unsigned id, const char *value, struct error *error);

int cli_exit_code(enum status status);

/* The command that words (of count) name: NULL and *error when none. *out_used: how many words were
 * its name. */
const struct command *cli_command_find(char *const *words, size_t count, size_t *out_used,
                                       struct error *error);

/* Appends the help of one command, or of the program when command is NULL, to the data. */
void cli_help_write(struct cli *cli, const struct command *command);

#endif

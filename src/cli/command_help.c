/* command_help.c - `structure help` and finding a command by its words.
 *
 * Owns: the layout of help, made from the command table. Leaves to others: the words in that table.
 * Invariant: what the parser takes is what the help shows.
 */
#include "base/features.h"

#include <stdint.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/report.h"

enum { HELP_COLUMNS = 80, HELP_INDENT = 28, HELP_BYTES_MAX = 256 * 1024, HELP_WORD_BYTES = 64 };

/* Commands of the contract that this version does not have yet, named so that nobody looks for a
 * typing error. */
static const char *const help_later[] = { "infer",       "schema list",   "schema show",
                                          "schema add",  "schema remove", "schema diff",
                                          "schema test", "models pull",   "config",
                                          "codegen",     "batch",         "serve",
                                          "mcp",         "insights",      NULL };

/* name is words[0], or words[0] and words[1]; *out_used says how many. */
static bool command_is_named(const char *name, char *const *words, size_t count, size_t *out_used)
{
    size_t first = strlen(words[0]);
    if (strncmp(name, words[0], first) != 0)
        return false;
    *out_used = 1;
    if (name[first] == '\0')
        return true;
    *out_used = 2;
    return name[first] == ' ' && count > 1 && strcmp(name + first + 1, words[1]) == 0;
}

/* The first word of a command of two words: "schema", "models". */
static bool command_is_group(const char *name, const char *word)
{
    size_t len = strlen(word);
    return strncmp(name, word, len) == 0 && name[len] == ' ';
}

static void command_unknown(char *const *words, size_t count, struct error *error)
{
    char name[HELP_WORD_BYTES];
    const char *best = NULL;
    size_t distance = SIZE_MAX;
    bool group = false;
    for (size_t i = 0; cli_commands[i] != NULL; i++)
        group = group || command_is_group(cli_commands[i]->name, words[0]);
    if (group && count > 1)
        (void)snprintf(name, sizeof(name), "%s %s", words[0], words[1]);
    else
        (void)snprintf(name, sizeof(name), "%s", words[0]);
    for (size_t i = 0; help_later[i] != NULL; i++) {
        size_t used;
        if (command_is_named(help_later[i], words, count, &used)) {
            (void)error_set(error, STATUS_UNSUPPORTED, "the command \"%s\" is not built yet",
                            help_later[i]);
            error_hint(error, "structure help lists what this version does");
            return;
        }
    }
    for (size_t i = 0; cli_commands[i] != NULL; i++)
        cli_nearest_try(name, cli_commands[i]->name, &best, &distance);
    (void)error_set(error, STATUS_INVALID_REQUEST, "unknown command \"%s\"", name);
    if (best != NULL)
        error_hint(error, "did you mean: structure %s", best);
    else
        error_hint(error, "structure help lists the commands");
}

const struct command *cli_command_find(char *const *words, size_t count, size_t *out_used,
                                       struct error *error)
{
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        if (command_is_named(cli_commands[i]->name, words, count, out_used))
            return cli_commands[i];
    }
    /* The first word of two, alone or before an option, means the first command that begins so. */
    for (size_t i = 0; (count == 1 || words[1][0] == '-') && cli_commands[i] != NULL; i++) {
        if (command_is_group(cli_commands[i]->name, words[0])) {
            *out_used = 1;
            return cli_commands[i];
        }
    }
    command_unknown(words, count, error);
    return NULL;
}

/* Appends words, wrapped, every line after the first behind indent blanks; column is where the text
 * begins. */
static void help_wrap(struct buffer *out, const char *words, size_t column, size_t indent)
{
    bool first = true;
    while (*words != '\0') {
        size_t len = strcspn(words, " ");
        if (!first && column + 1 + len > HELP_COLUMNS) {
            buffer_printf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            buffer_append_byte(out, ' ');
            column++;
        }
        buffer_append(out, words, len);
        column += len;
        words += len + (words[len] == ' ' ? 1 : 0);
        first = false;
    }
    buffer_append_byte(out, '\n');
}

static void help_options(struct buffer *out, const struct cli_option *options, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct cli_option *option = &options[i];
        size_t begin = out->len;
        if (option->letter != 0)
            buffer_printf(out, "  -%c", option->letter);
        else
            buffer_append_str(out, STR("    "));
        if (option->name != NULL)
            buffer_printf(out, "%s--%s", option->letter != 0 ? ", " : "  ", option->name);
        if (option->argument != NULL)
            buffer_printf(out, " %s", option->argument);
        size_t used = out->len - begin;
        if (used + 2 > HELP_INDENT)
            buffer_printf(out, "\n%*s", (int)HELP_INDENT, "");
        else
            buffer_printf(out, "%*s", (int)(HELP_INDENT - used), "");
        help_wrap(out, option->help, HELP_INDENT, HELP_INDENT);
    }
}

static void help_command(struct buffer *out, const struct command *command)
{
    buffer_printf(out, "structure %s%s%s\n\n", command->name, command->usage[0] == '\0' ? "" : " ",
                  command->usage);
    help_wrap(out, command->summary, 0, 0);
    if (command->details != NULL) {
        buffer_append_byte(out, '\n');
        help_wrap(out, command->details, 0, 0);
    }
    if (command->option_count > 0) {
        buffer_append_str(out, STR("\nOptions\n"));
        help_options(out, command->options, command->option_count);
    }
    buffer_append_str(out, STR("\nOptions of every command\n"));
    help_options(out, cli_common_options, cli_common_option_count);
}

static void help_program(struct buffer *out)
{
    buffer_append_str(
        out, STR("structure COMMAND [options]\n\n"
                 "Free text and a JSON Schema in, one valid JSON object out, or a precise reason "
                 "why not.\n\nCommands\n"));
    for (size_t i = 0; cli_commands[i] != NULL; i++)
        buffer_printf(out, "  %-14s  %s\n", cli_commands[i]->name, cli_commands[i]->summary);
    buffer_append_str(out, STR("\nstructure help COMMAND shows a command's options.\n\n"
                               "Options of every command\n"));
    help_options(out, cli_common_options, cli_common_option_count + 1);
    buffer_append_str(
        out, STR("\nExit codes\n"
                 "  0 done, all valid        1 not valid              2 invalid-request\n"
                 "  3 invalid-schema         4 unknown-schema         5 not-configured\n"
                 "  6 unsupported            7 rejected               8 transient\n"
                 "  9 transport             10 need-more-input       11 stale, schema-violation\n"
                 " 12 deadline              13 store, or the output could not be written\n"
                 " 70 internal             130 cancelled\n"));
}

void cli_help_write(struct cli *cli, const struct command *command)
{
    struct buffer text;
    buffer_init(&text, cli->alloc, HELP_BYTES_MAX);
    if (command == NULL)
        help_program(&text);
    else
        help_command(&text, command);
    cli_output_append(&cli->out, buffer_view(&text));
    buffer_release(&text);
}

static int help_run(struct cli *cli, const void *options, const struct cli_operands *operands)
{
    (void)options;
    struct error error = { 0 };
    size_t used = 0;
    const struct command *command = NULL;
    if (operands->count > 0) {
        command = cli_command_find(operands->items, operands->count, &used, &error);
        if (command == NULL)
            return cli_fail(cli, NULL, &error);
    }
    cli_help_write(cli, command);
    return CLI_EXIT_OK;
}

const struct command command_help = {
    .name = "help",
    .usage = "[COMMAND]",
    .summary = "Show the commands, or the options of one.",
    .run = help_run,
};

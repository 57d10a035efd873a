/* main.c - one run of the program: signals, the command line, the command, the end of its data.
 *
 * Owns: the order of these steps and the exit code. Leaves to others: everything in between.
 * Invariant: data that a command appended is written or reported as not written, whatever the
 * command's outcome.
 */
#include "base/features.h"

#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/private.h"
#include "cli/report.h"

/* Runs command with arguments that follow its name. */
static int command_start(struct cli *cli, const struct command *command, char **arguments,
                         size_t count)
{
    struct error error = { 0 };
    struct cli_operands operands = { 0 };
    void *options = NULL;
    size_t used;
    int code = 0;
    /* A slot more, so that sizes are never 0. */
    size_t operands_size = (count + 1) * sizeof(*operands.items);
    operands.items = alloc_get(cli->alloc, operands_size);
    options = alloc_get(cli->alloc, command->options_size + 1);
    if (operands.items == NULL || options == NULL) {
        (void)error_set(&error, STATUS_NO_MEMORY, "out of memory");
        code = cli_fail(cli, NULL, &error);
        goto out;
    }
    if (command->options_size > 0)
        memcpy(options, command->defaults, command->options_size);
    struct cli_option_set sets[] = {
        { command->options, command->option_count, command->apply, options },
        { cli_common_options, cli_common_option_count, cli_common_apply, cli },
    };
    enum status status =
        cli_option_parse(sets, 2, arguments, count, false, &operands, &used, &error);
    if (status == STATUS_OK && cli->out_path != NULL && !cli->help)
        status = cli_output_open(&cli->out, cli->out_path, cli->alloc, &error);
    if (status != STATUS_OK) {
        if (error.hint[0] == '\0')
            error_hint(&error, "structure help %s", command->name);
        code = cli_fail(cli, NULL, &error);
    } else if (cli->help) {
        cli_help_write(cli, command);
    } else {
        code = command->run(cli, options, &operands);
    }
out:
    alloc_free(cli->alloc, operands.items, operands_size);
    alloc_free(cli->alloc, options, command->options_size + 1);
    return code;
}

/* Reads the options before the command, finds it and runs it. */
static int main_run(struct cli *cli, char **arguments, size_t count)
{
    struct error error = { 0 };
    struct cli_operands none = { 0 };
    struct cli_option_set set = { cli_common_options, cli_common_option_count + 1, cli_common_apply,
                                  cli };
    size_t begin = 0;
    size_t name_words = 0;
    enum status status = cli_option_parse(&set, 1, arguments, count, true, &none, &begin, &error);
    if (status != STATUS_OK) {
        if (error.hint[0] == '\0')
            error_hint(&error, "structure help");
        return cli_fail(cli, NULL, &error);
    }
    if (cli->version)
        return command_start(cli, &command_version, arguments + begin, 0);
    if (begin == count && cli->help) {
        cli_help_write(cli, NULL);
        return CLI_EXIT_OK;
    }
    if (begin == count) {
        (void)error_set(&error, STATUS_INVALID_REQUEST, "no command given");
        error_hint(&error, "structure help lists the commands");
        return cli_fail(cli, NULL, &error);
    }
    const struct command *command =
        cli_command_find(arguments + begin, count - begin, &name_words, &error);
    if (command == NULL)
        return cli_fail(cli, NULL, &error);
    begin += name_words;
    return command_start(cli, command, arguments + begin, count - begin);
}

int main(int argc, char **argv)
{
    struct cli cli = { .alloc = alloc_default(), .cancel = cli_interrupt_install() };
    struct error error = { 0 };
    cli_keep_private();
    (void)cli_output_open(&cli.out, NULL, cli.alloc, &error);
    int code = main_run(&cli, argv + 1, argc > 0 ? (size_t)(argc - 1) : 0);
    if (cli_output_commit(&cli.out, &error) != STATUS_OK) {
        cli.json = false; /* stdout is what failed */
        code =
            error.message[0] == '\0' ? cli_exit_code(error.status) : cli_fail(&cli, NULL, &error);
    }
    return code;
}

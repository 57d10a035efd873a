/* option.h - command-line options from a table: parsing, operands, and the nearest name for a wrong
 * one.
 *
 * Owns: the grammar of options (--name VALUE, --name=VALUE, -nVALUE, grouped flags, "--" ends them,
 * "-" is an operand, options and operands in any order). Leaves to others: what an option means
 * (the apply function).
 */
#ifndef STRUCTURE_CLI_OPTION_H
#define STRUCTURE_CLI_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/status.h"

struct cli_option {
    const char *name;     /* long form without dashes; NULL: only the letter */
    char letter;          /* 0: only the name */
    unsigned id;          /* given to apply */
    const char *argument; /* its name in the help; NULL: a flag */
    const char *help;     /* one sentence, or two */
};

/* Stores one option; value is NULL for a flag, else an argument of the process. */
typedef enum status (*cli_option_apply)(void *state, unsigned id, const char *value,
                                        struct error *error);

struct cli_option_set {
    const struct cli_option *options;
    size_t count;
    cli_option_apply apply;
    void *state;
};

/* Arguments that are no options, in order; they borrow from the process's arguments. */
struct cli_operands {
    char **items;
    size_t count;
};

/* Reads arguments[0 .. count). With stop_at_operand it ends before the first operand; *out_used
 * says how many were read. operands->items has room for count entries. */
enum status cli_option_parse(const struct cli_option_set *sets, size_t set_count, char **arguments,
                             size_t count, bool stop_at_operand, struct cli_operands *operands,
                             size_t *out_used, struct error *error);

/* The candidate that a person most likely meant by word, or NULL. names is ended by NULL. */
const char *cli_nearest(const char *word, const char *const *names);

/* Remembers the best candidate over several tables. Start with best NULL and distance SIZE_MAX. */
void cli_nearest_try(const char *word, const char *name, const char **best, size_t *distance);

/* One of choices (ended by NULL) by its name: its index in *out, else INVALID_REQUEST naming them
 * all. */
enum status cli_option_choice(const char *option, const char *value, const char *const *choices,
                              unsigned *out, struct error *error);

#endif

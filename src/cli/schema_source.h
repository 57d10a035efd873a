/* schema_source.h - a schema as the person named it, compiled, with its warnings told. */
#ifndef STRUCTURE_CLI_SCHEMA_SOURCE_H
#define STRUCTURE_CLI_SCHEMA_SOURCE_H

#include "cli/cli.h"
#include "schema/compile.h"

/* Choices of --unknown-keywords in the order of enum schema_unknown. */
extern const char *const cli_unknown_choices[];

struct cli_schema {
    struct schema_program *program;
    const char *name; /* for messages; borrowed from the command line */
};

/* Reads and compiles the document argument. Warnings go to stderr, or to options->warn when it is
 * set. On failure out->name is set if the text could be read, so that the message can name it. */
enum status cli_schema_load(struct cli *cli, const char *argument,
                            const struct schema_options *options, bool wrap_root,
                            struct cli_schema *out, struct error *error);
void cli_schema_release(struct cli_schema *schema);

#endif

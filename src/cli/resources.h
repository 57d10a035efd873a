/* resources.h - the documents that --resource names: a library for the compiler. */
#ifndef STRUCTURE_CLI_RESOURCES_H
#define STRUCTURE_CLI_RESOURCES_H

#include "cli/cli.h"
#include "schema/library.h"

/* Reads each argument (FILE, or URI=FILE) into a new library; without any, *out_library is NULL.
 * On failure *out_name is the file to name in the message, or NULL. */
enum status cli_resources_load(const struct cli *cli, const char *const *arguments, size_t count,
                               struct schema_library **out_library, const char **out_name,
                               struct error *error);

#endif

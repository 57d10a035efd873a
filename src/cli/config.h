/* config.h - what the machine and the person configured for models: providers, rules, aliases, the
 * default model.
 */
#ifndef STRUCTURE_CLI_CONFIG_H
#define STRUCTURE_CLI_CONFIG_H

#include "cli/cli.h"
#include "cli/input.h"
#include "json/json.h"
#include "provider/catalogue.h"

enum { CLI_CONFIG_PATH_BYTES = 4096 };

struct cli_config_file {
    char path[CLI_CONFIG_PATH_BYTES]; /* empty: there is none */
    struct cli_text text;
    struct json_doc *doc; /* NULL: no file, or an empty one */
};

/* files[0] is the machine's, files[1] the person's, which wins. */
struct cli_config {
    struct cli_config_file files[2];
    struct catalogue *catalogue;
    struct str model;                    /* of the nearest file that has one, or empty */
    const char *model_origin;            /* its path */
    char project[CLI_CONFIG_PATH_BYTES]; /* a project's file, which is not read; or empty */
};

/* folders: of the machine ("/etc/structure") and of the person; NULL: the usual ones, the person's
 * file then is $STRUCTURE_CONFIG where that is set. In each, config.yaml, config.yml or
 * config.json. On failure *out_source names the file, *error has line and pointer. To be released
 * in any case. */
enum status cli_config_open(const char *const folders[2], const struct alloc *alloc,
                            struct cli_config *out, const char **out_source, struct error *error);
void cli_config_release(struct cli_config *config);

/* The file that says something at pointer, or NULL: built in. */
const char *cli_config_origin(const struct cli_config *config, struct str pointer);

#endif

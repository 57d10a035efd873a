/* model_source.h - a model as the person named it: chosen, and opened.
 *
 * Owns: the order in which a name is looked for, where the base URL and the key come from. Leaves
 * to others: the catalogue, loading, the wire.
 */
#ifndef STRUCTURE_CLI_MODEL_SOURCE_H
#define STRUCTURE_CLI_MODEL_SOURCE_H

#include "cli/config.h"
#include "model/model.h"
#include "provider/provider.h"

/* What a name means. */
struct cli_model_choice {
    const struct provider_row *provider; /* NULL: a model in this process */
    struct str model;                    /* as the provider names it */
    struct str path;                     /* in this process: a file; empty: the default one */
    const struct provider_model *row;
    bool is_known;      /* the row names the model */
    const char *origin; /* "-m", "STRUCTURE_MODEL", a configuration's path, or "default" */
};

struct cli_model_options {
    const char *base_url; /* --base-url, or NULL */
    const char *ca_file;
    const char *record;
    const char *replay;
    bool no_stream;
    bool show_values;
    bool without_key; /* nothing is to be sent */
    void (*trace)(void *state, const char *line);
    void *trace_state;
};

/* name NULL: $STRUCTURE_MODEL, else the configuration's model, else the alias "default".
 * NOT_CONFIGURED with the nearest name when it means nothing. Views into name, the environment and
 * config. */
enum status cli_model_choose(const struct cli_config *config, const char *name,
                             struct cli_model_choice *out_choice, struct error *error);

/* The base URL of a provider and where it comes from: "--base-url", a variable's name, a
 * configuration's path, "default", or "" (there is none). */
struct str cli_model_base_url(const struct cli_config *config, const struct provider_row *row,
                              const char *option, struct str *out_origin);

/* What is known of it before it is opened: enough to check a request. */
struct model_info cli_model_info(const struct cli_model_choice *choice);

/* Loads it, or reads its key and makes ready. sink: progress of loading, may be NULL. */
enum status cli_model_open(struct cli *cli, const struct cli_config *config,
                           const struct cli_model_choice *choice,
                           const struct cli_model_options *options, const struct model_sink *sink,
                           struct model *out_model, struct error *error);

/* Appends url without a name and a password in it. */
void cli_url_append(struct buffer *out, struct str url);

#endif

/* extract.h - the options of `extract` and telling how a call ended. Private to the command's
 * files. */
#ifndef STRUCTURE_CLI_EXTRACT_H
#define STRUCTURE_CLI_EXTRACT_H

#include "cli/cli.h"
#include "cli/report.h"
#include "engine/engine.h"
#include "schema/compile.h"

struct extract_settings {
    const char *prompt_file;
    const char *schema;
    const char *model;
    const char *base_url;
    const char *ca_file;
    const char *record;
    const char *replay;
    const char *instructions;
    uint32_t loops_max;
    uint32_t tokens_max;
    bool tokens_auto;
    int64_t timeout_ms;  /* 0: the default of that kind of model */
    int64_t deadline_ms; /* 0: none */
    double temperature;  /* negative: the model's default */
    uint64_t seed;
    bool has_seed;
    bool once;
    bool no_strict;
    bool no_stream;
    bool result;
    bool grounding;
    bool dry_run;
    bool wrap_root;
    bool show_values;
    enum model_grounded grounded;
    enum schema_unknown unknown;
};

enum { EXTRACT_OPTION_COUNT = 26 };
extern const struct cli_option extract_options[EXTRACT_OPTION_COUNT];
extern const struct extract_settings extract_defaults;

enum status extract_apply(void *state, unsigned id, const char *value, struct error *error);

/* Tells the result of a call that ended without error; returns the exit code. */
int extract_tell(struct cli *cli, const struct extract_settings *settings,
                 const struct engine_result *result, struct str prompt);

/* Says the violations of a refused reply, one a line, values only with --show-values. */
void extract_say_violations(struct cli *cli, enum cli_level level,
                            const struct extract_settings *settings,
                            const struct schema_violations *violations);

/* Appends a document that was written on one line, indented as out wants it, and a newline. */
void extract_append_document(struct cli *cli, struct str text);

#endif

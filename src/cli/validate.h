/* validate.h - what the parts of `structure validate` share: its settings and one run.
 *
 * command_validate.c owns the options and the walk over files, validate_lines.c that over lines,
 * validate_instance.c judging one text and telling the outcome.
 */
#ifndef STRUCTURE_CLI_VALIDATE_H
#define STRUCTURE_CLI_VALIDATE_H

#include "base/arena.h"
#include "cli/cli.h"
#include "cli/scratch.h"
#include "schema/compile.h"
#include "schema/output.h"

enum { VALIDATE_RESOURCES_MAX = 1024 };

enum validate_form {
    VALIDATE_HUMAN, /* a block a fault, on stderr */
    VALIDATE_FLAG,  /* from here on to HIERARCHICAL in the order of enum schema_output_form */
    VALIDATE_BASIC,
    VALIDATE_DETAILED,
    VALIDATE_VERBOSE,
    VALIDATE_LIST,
    VALIDATE_HIERARCHICAL,
    VALIDATE_SARIF, /* one document over all instances */
    VALIDATE_REPORT /* --json: one document over all instances */
};

struct validate_settings {
    const char *schema;
    const char *resources[VALIDATE_RESOURCES_MAX]; /* FILE or URI=FILE */
    size_t resource_count;
    bool lines;
    bool has_form;
    enum validate_form form;
    uint32_t errors_max;
    struct schema_options compile;
    struct json_options json; /* bytes_max 0: as is usual for files, or for lines */
};

struct validate_run {
    struct cli *cli;
    const struct validate_settings *settings;
    const struct schema_program *program;
    enum validate_form form;
    struct json_options json;
    struct cli_scratch scratch; /* document and judge of one instance */
    struct arena arena;         /* violations of one instance */
    struct buffer document;     /* of a machine form */
    struct error error;         /* of one instance; clear between them */
    bool is_begun;              /* an instance was told */
    bool is_first_result;       /* of a SARIF log */
    uint64_t judged;            /* instances, those included that could not be */
    uint64_t invalid;
    uint64_t unjudged;
    int code; /* the worst so far */
};

/* Judges one text and tells the outcome. lines_above: lines of the file before it. */
void validate_instance(struct validate_run *run, const char *name, uint32_t lines_above,
                       struct str text);

/* Tells why an instance could not be judged. */
void validate_instance_failed(struct validate_run *run, const char *name, uint32_t lines_above,
                              const struct error *error);

/* Judges each line of a file. CANCELLED, or why the file cannot be read on. */
enum status validate_lines(struct validate_run *run, const char *path, struct error *error);

#endif

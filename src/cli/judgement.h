/* judgement.h - the outcome for one instance of `validate`, and the forms in which it is told. */
#ifndef STRUCTURE_CLI_JUDGEMENT_H
#define STRUCTURE_CLI_JUDGEMENT_H

#include "cli/cli.h"
#include "schema/validate.h"

enum cli_form {
    CLI_FORM_HUMAN, /* a block a fault */
    CLI_FORM_REPORT /* --json: one document over all instances */
};

struct cli_judgement {
    const char *name;     /* of the file */
    bool is_line;         /* one line of a file, with --lines */
    uint32_t lines_above; /* lines of the file before this instance */
    struct str source;
    bool is_valid;
    const struct schema_violations *violations; /* when not valid */
    const struct error *error;                  /* when it could not be judged, else NULL */
};

/* Appends or says the judgement. is_first: no instance was told before (for the commas of a
 * report). */
void cli_judgement_tell(struct cli *cli, enum cli_form form, const struct cli_judgement *judgement,
                        bool is_first);

/* Appends one violation as an object of the report: pointer, keyword, message, ... */
void cli_violation_append(struct buffer *out, const struct schema_violation *violation,
                          uint32_t lines_above);

#endif

/* report.h - words on stderr, and errors as the contract words them.
 *
 * Owns: verbosity, colour, the form of an error. Leaves to others: data (output.h). Thread rule:
 * the main thread only.
 */
#ifndef STRUCTURE_CLI_REPORT_H
#define STRUCTURE_CLI_REPORT_H

#include "cli/cli.h"

/* Verbosity that a line needs to be seen. */
enum cli_level {
    CLI_LEVEL_ERROR = -1,
    CLI_LEVEL_NOTE = 0,
    CLI_LEVEL_STEP = 1,
    CLI_LEVEL_DETAIL = 2
};

/* One line on stderr: "structure: " and the words. */
void cli_say(struct cli *cli, enum cli_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Text as it is, errors included, after a progress line was cleared. */
void cli_say_text(struct cli *cli, enum cli_level level, struct str text);

/* "structure: KIND: SOURCE:LINE:COLUMN POINTER: MESSAGE" and the next step, or with --json the
 * error document as data. source (a file name, may be NULL) is where the fault is. Returns the exit
 * code. */
int cli_fail(struct cli *cli, const char *source, const struct error *error);

/* The same words for a tolerated fault: "structure: warning: ...". */
void cli_warn(struct cli *cli, const char *source, const struct error *warning);

/* Appends "SOURCE:LINE:COLUMN POINTER: " of what is known, nothing when nothing is. */
void cli_place_append(struct buffer *out, const char *source, const struct error *error);

/* The message without the position that it may begin with, where that is told anyway. */
struct str cli_message(const struct error *error);

/* Appends the members of an error object without braces: "kind":...,"message":... */
void cli_error_members_append(struct buffer *out, const struct error *error);

bool cli_use_color(const struct cli *cli);

#endif

/* progress.h - one line on a person's terminal that says what is going on, rewritten in place.
 *
 * Owns: that line. It appears only when stderr is a capable terminal and the person did not ask for
 * quiet, and is gone at the end. Leaves to others: what it says (extract_progress.h,
 * lines_progress.h).
 */
#ifndef STRUCTURE_CLI_PROGRESS_H
#define STRUCTURE_CLI_PROGRESS_H

#include "cli/cli.h"

enum { CLI_PROGRESS_LINE_BYTES = 4096 };

struct cli_progress {
    struct cli *cli;
    bool is_enabled;
    bool is_shown;
    int64_t begun_ms;
    int64_t drawn_ms; /* when the line was last drawn */
};

/* Registers itself as cli->progress; cli_progress_end clears the line and takes it back. */
void cli_progress_begin(struct cli_progress *progress, struct cli *cli);
void cli_progress_end(struct cli_progress *progress);

/* Whether it is time to draw again; at most some twenty times a second. *out_columns: the room. */
bool cli_progress_is_due(struct cli_progress *progress, unsigned *out_columns);
void cli_progress_draw(struct cli_progress *progress, struct str line);

void cli_progress_clear(struct cli_progress *progress);

#endif

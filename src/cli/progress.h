/* progress.h - one line on a person's terminal that says what is going on, rewritten in place.
 *
 * Owns: that line. It appears only when stderr is a capable terminal and the person did not ask for
 * quiet, and is gone at the end. The reply's text is part of it only with --show-values.
 */
#ifndef STRUCTURE_CLI_PROGRESS_H
#define STRUCTURE_CLI_PROGRESS_H

#include "cli/cli.h"
#include "model/model.h"

enum { CLI_PROGRESS_PHASE_BYTES = 64, CLI_PROGRESS_TAIL_BYTES = 2048 };

struct cli_progress {
    struct cli *cli;
    bool is_enabled;
    bool is_shown;
    bool show_values;
    int64_t drawn_ms;   /* when the line was last drawn */
    uint32_t iteration; /* 0 before the first */
    uint32_t loops_max;
    uint64_t piece_count; /* pieces of reply in this iteration, about one a token */
    int permille;         /* of the phase, -1 when unknown */
    char phase[CLI_PROGRESS_PHASE_BYTES];
    char tail[CLI_PROGRESS_TAIL_BYTES]; /* the end of the reply so far */
    size_t tail_len;
};

/* Registers itself as cli->progress; cli_progress_end clears the line and takes it back. */
void cli_progress_begin(struct cli_progress *progress, struct cli *cli, bool show_values);
void cli_progress_end(struct cli_progress *progress);

void cli_progress_clear(struct cli_progress *progress);

/* Callbacks for models and drivers; state is the progress. */
struct model_sink cli_progress_sink(struct cli_progress *progress);
void cli_progress_iteration(void *state, uint32_t iteration, uint32_t loops_max);

#endif

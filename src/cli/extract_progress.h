/* extract_progress.h - what the progress line says while a model works.
 *
 * Owns: the words. Leaves to others: the line itself (progress.h). The reply's text is part of it
 * only with --show-values.
 */
#ifndef STRUCTURE_CLI_EXTRACT_PROGRESS_H
#define STRUCTURE_CLI_EXTRACT_PROGRESS_H

#include "cli/progress.h"
#include "model/model.h"

enum { EXTRACT_PROGRESS_PHASE_BYTES = 64, EXTRACT_PROGRESS_TAIL_BYTES = 2048 };

struct extract_progress {
    struct cli_progress line;
    bool show_values;
    uint32_t iteration; /* 0 before the first */
    uint32_t loops_max;
    uint64_t piece_count; /* pieces of reply in this iteration, about one a token */
    int permille;         /* of the phase, -1 when unknown */
    char phase[EXTRACT_PROGRESS_PHASE_BYTES];
    char tail[EXTRACT_PROGRESS_TAIL_BYTES]; /* the end of the reply so far */
    size_t tail_len;
};

void extract_progress_begin(struct extract_progress *progress, struct cli *cli, bool show_values);
void extract_progress_end(struct extract_progress *progress);

/* Callbacks for models and drivers; state is the progress. */
struct model_sink extract_progress_sink(struct extract_progress *progress);
void extract_progress_wait(struct extract_progress *progress);
void extract_progress_iteration(void *state, uint32_t iteration, uint32_t loops_max);

#endif

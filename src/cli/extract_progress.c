/* extract_progress.c - what the progress line says while a model works. See extract_progress.h. */
#include "base/features.h"

#include "cli/extract_progress.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/printable.h"

static void progress_line_append(const struct extract_progress *progress, struct buffer *line,
                                 unsigned columns)
{
    if (progress->iteration > 0)
        buffer_printf(line, "iteration %" PRIu32 " of %" PRIu32 ": ", progress->iteration,
                      progress->loops_max);
    if (progress->piece_count == 0) {
        buffer_append_str(line, str_from(progress->phase));
        if (progress->permille >= 0)
            buffer_printf(line, " %d %%", progress->permille / 10);
        return;
    }
    buffer_printf(line, "writing, %" PRIu64 " tokens", progress->piece_count);
    if (!progress->show_values)
        return;
    buffer_append_str(line, STR(": "));
    size_t used = line->len;
    if (used + 1 < columns)
        cli_printable_append_tail(line, str_of(progress->tail, progress->tail_len),
                                  columns - used - 1);
}

static void progress_draw(struct extract_progress *progress)
{
    unsigned columns;
    if (!cli_progress_is_due(&progress->line, &columns))
        return;
    struct buffer line;
    buffer_init(&line, progress->line.cli->alloc, CLI_PROGRESS_LINE_BYTES);
    progress_line_append(progress, &line, columns);
    cli_progress_draw(&progress->line, buffer_view(&line));
    buffer_release(&line);
}

static void progress_on_phase(void *state, const char *what, int permille)
{
    struct extract_progress *progress = state;
    (void)snprintf(progress->phase, sizeof(progress->phase), "%s", what);
    progress->permille = permille;
    progress_draw(progress);
}

static void progress_on_text(void *state, struct str piece)
{
    struct extract_progress *progress = state;
    progress->piece_count++;
    if (piece.len > EXTRACT_PROGRESS_TAIL_BYTES) {
        piece.ptr += piece.len - EXTRACT_PROGRESS_TAIL_BYTES;
        piece.len = EXTRACT_PROGRESS_TAIL_BYTES;
    }
    if (progress->tail_len + piece.len > EXTRACT_PROGRESS_TAIL_BYTES) {
        size_t kept = (EXTRACT_PROGRESS_TAIL_BYTES - piece.len) / 2;
        kept = kept < progress->tail_len ? kept : progress->tail_len;
        memmove(progress->tail, progress->tail + progress->tail_len - kept, kept);
        progress->tail_len = kept;
    }
    if (piece.len > 0)
        memcpy(progress->tail + progress->tail_len, piece.ptr, piece.len);
    progress->tail_len += piece.len;
    progress_draw(progress);
}

void extract_progress_wait(struct extract_progress *progress)
{
    progress_on_phase(progress, "waiting for the provider", -1);
}

void extract_progress_begin(struct extract_progress *progress, struct cli *cli, bool show_values)
{
    memset(progress, 0, sizeof(*progress));
    cli_progress_begin(&progress->line, cli);
    progress->show_values = show_values;
    progress->permille = -1;
}

void extract_progress_end(struct extract_progress *progress)
{
    cli_progress_end(&progress->line);
}

struct model_sink extract_progress_sink(struct extract_progress *progress)
{
    return (struct model_sink){ progress_on_phase, progress_on_text, progress };
}

void extract_progress_iteration(void *state, uint32_t iteration, uint32_t loops_max)
{
    struct extract_progress *progress = state;
    progress->iteration = iteration;
    progress->loops_max = loops_max;
    progress->piece_count = 0;
    progress->tail_len = 0;
    progress->phase[0] = '\0';
    progress->permille = -1;
}

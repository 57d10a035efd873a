/* progress.c - the progress line. See progress.h.
 *
 * Owns: drawing, at most some twenty times a second. Leaves to others: what happens. Invariant:
 * nothing is written unless is_enabled.
 */
#include "base/features.h"

#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/printable.h"
#include "cli/terminal.h"

enum { PROGRESS_INTERVAL_MS = 50, PROGRESS_LINE_BYTES = 4096 };

#define PROGRESS_ERASE "\r\033[K"

static int64_t progress_now_ms(void)
{
    const struct clock *clock = clock_system();
    return clock->now_ms(clock->state);
}

static void progress_write(struct str text)
{
    ssize_t count = write(STDERR_FILENO, text.ptr, text.len);
    (void)count; /* a lost progress line is no loss */
}

static void progress_line_append(const struct cli_progress *progress, struct buffer *line,
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

static void progress_draw(struct cli_progress *progress)
{
    if (!progress->is_enabled)
        return;
    int64_t now_ms = progress_now_ms();
    if (progress->is_shown && now_ms - progress->drawn_ms < PROGRESS_INTERVAL_MS)
        return;
    struct buffer line;
    struct buffer text;
    unsigned columns = cli_terminal_columns(STDERR_FILENO);
    buffer_init(&line, progress->cli->alloc, PROGRESS_LINE_BYTES);
    buffer_init(&text, progress->cli->alloc, PROGRESS_LINE_BYTES);
    progress_line_append(progress, &line, columns);
    buffer_append_str(&text, STR(PROGRESS_ERASE));
    cli_printable_append(&text, buffer_view(&line), 0, columns - 1);
    progress_write(buffer_view(&text));
    buffer_release(&line);
    buffer_release(&text);
    progress->drawn_ms = now_ms;
    progress->is_shown = true;
}

static void progress_on_phase(void *state, const char *what, int permille)
{
    struct cli_progress *progress = state;
    (void)snprintf(progress->phase, sizeof(progress->phase), "%s", what);
    progress->permille = permille;
    progress_draw(progress);
}

static void progress_on_text(void *state, struct str piece)
{
    struct cli_progress *progress = state;
    progress->piece_count++;
    if (piece.len > CLI_PROGRESS_TAIL_BYTES) {
        piece.ptr += piece.len - CLI_PROGRESS_TAIL_BYTES;
        piece.len = CLI_PROGRESS_TAIL_BYTES;
    }
    if (progress->tail_len + piece.len > CLI_PROGRESS_TAIL_BYTES) {
        size_t kept = (CLI_PROGRESS_TAIL_BYTES - piece.len) / 2;
        kept = kept < progress->tail_len ? kept : progress->tail_len;
        memmove(progress->tail, progress->tail + progress->tail_len - kept, kept);
        progress->tail_len = kept;
    }
    if (piece.len > 0)
        memcpy(progress->tail + progress->tail_len, piece.ptr, piece.len);
    progress->tail_len += piece.len;
    progress_draw(progress);
}

void cli_progress_begin(struct cli_progress *progress, struct cli *cli, bool show_values)
{
    memset(progress, 0, sizeof(*progress));
    progress->cli = cli;
    progress->show_values = show_values;
    progress->permille = -1;
    progress->is_enabled = cli->verbosity >= 0 && cli_terminal_is_capable(STDERR_FILENO);
    cli->progress = progress;
}

void cli_progress_clear(struct cli_progress *progress)
{
    if (progress->is_shown)
        progress_write(STR(PROGRESS_ERASE));
    progress->is_shown = false;
}

void cli_progress_end(struct cli_progress *progress)
{
    cli_progress_clear(progress);
    progress->cli->progress = NULL;
}

struct model_sink cli_progress_sink(struct cli_progress *progress)
{
    return (struct model_sink){ progress_on_phase, progress_on_text, progress };
}

void cli_progress_iteration(void *state, uint32_t iteration, uint32_t loops_max)
{
    struct cli_progress *progress = state;
    progress->iteration = iteration;
    progress->loops_max = loops_max;
    progress->piece_count = 0;
    progress->tail_len = 0;
    progress->phase[0] = '\0';
    progress->permille = -1;
}

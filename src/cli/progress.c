/* progress.c - the progress line: when it is drawn, and that it goes away. See progress.h.
 *
 * Invariant: nothing is written unless is_enabled.
 */
#include "base/features.h"

#include "cli/progress.h"

#include <unistd.h>

#include "cli/printable.h"
#include "cli/terminal.h"

enum { PROGRESS_INTERVAL_MS = 50 };

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

void cli_progress_begin(struct cli_progress *progress, struct cli *cli)
{
    *progress = (struct cli_progress){ .cli = cli, .begun_ms = progress_now_ms() };
    progress->is_enabled = cli->verbosity >= 0 && cli_terminal_is_capable(STDERR_FILENO);
    cli->progress = progress;
}

void cli_progress_end(struct cli_progress *progress)
{
    cli_progress_clear(progress);
    progress->cli->progress = NULL;
}

bool cli_progress_is_due(struct cli_progress *progress, unsigned *out_columns)
{
    if (!progress->is_enabled)
        return false;
    int64_t now_ms = progress_now_ms();
    if (progress->is_shown && now_ms - progress->drawn_ms < PROGRESS_INTERVAL_MS)
        return false;
    progress->drawn_ms = now_ms;
    *out_columns = cli_terminal_columns(STDERR_FILENO);
    return true;
}

void cli_progress_draw(struct cli_progress *progress, struct str line)
{
    struct buffer text;
    buffer_init(&text, progress->cli->alloc, CLI_PROGRESS_LINE_BYTES);
    buffer_append_str(&text, STR(PROGRESS_ERASE));
    cli_printable_append(&text, line, 0, cli_terminal_columns(STDERR_FILENO) - 1);
    progress_write(buffer_view(&text));
    buffer_release(&text);
    progress->is_shown = true;
}

void cli_progress_clear(struct cli_progress *progress)
{
    if (progress->is_shown)
        progress_write(STR(PROGRESS_ERASE));
    progress->is_shown = false;
}

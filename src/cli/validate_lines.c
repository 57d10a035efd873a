/* validate_lines.c - `structure validate --lines`: a file of any size, one instance a line.
 *
 * Owns: the walk over the lines and its progress. Leaves to others: reading (input.h) and each
 * instance (validate_instance.c). Invariant: memory does not grow with the file, and a line that
 * cannot be judged does not hide the others.
 */
#include "base/features.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/input.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/validate.h"

enum { LINES_BAR_COLUMNS = 20, LINES_UNIT_BYTES = 16 };

/* "12.3 MB": three digits and a unit, in powers of 1000. */
static const char *lines_short(char *out, uint64_t value, const char *unit)
{
    static const char prefixes[] = { '\0', 'k', 'M', 'G', 'T', 'P', 'E' };
    double number = (double)value;
    size_t power = 0;
    while (number >= 999.5 && power + 1 < sizeof(prefixes)) {
        number /= 1000;
        power++;
    }
    int decimals = power == 0 || number >= 99.95 ? 0 : 1;
    (void)snprintf(out, LINES_UNIT_BYTES, "%.*f %.*s%s", decimals, number, power == 0 ? 0 : 1,
                   &prefixes[power], unit);
    return out;
}

static void lines_bar_append(struct buffer *line, double part)
{
    unsigned full = (unsigned)(part * LINES_BAR_COLUMNS);
    buffer_append_byte(line, '[');
    for (unsigned i = 0; i < LINES_BAR_COLUMNS; i++)
        buffer_append_byte(line, i < full ? '#' : '.');
    buffer_printf(line, "] %d %%  ", (int)(part * 100));
}

static void lines_progress_draw(struct cli_progress *progress, const struct validate_run *run,
                                const struct cli_lines *lines)
{
    unsigned columns;
    char number[LINES_UNIT_BYTES];
    struct buffer line;
    if (!cli_progress_is_due(progress, &columns))
        return;
    int64_t elapsed_ms = progress->drawn_ms - progress->begun_ms;
    uint64_t rate = elapsed_ms > 0 ? lines->number * UINT64_C(1000) / (uint64_t)elapsed_ms : 0;
    buffer_init(&line, run->cli->alloc, CLI_PROGRESS_LINE_BYTES);
    if (lines->bytes_total > 0 && lines->bytes_read <= lines->bytes_total)
        lines_bar_append(&line, (double)lines->bytes_read / (double)lines->bytes_total);
    buffer_append_str(&line, str_from(lines_short(number, lines->bytes_read, "B")));
    if (lines->bytes_total > 0)
        buffer_printf(&line, " of %s", lines_short(number, lines->bytes_total, "B"));
    buffer_printf(&line, ", %s", lines_short(number, lines->number, ""));
    buffer_printf(&line, "lines, %s", lines_short(number, rate, "lines/s"));
    buffer_printf(&line, ", %" PRIu64 " invalid", run->invalid);
    if (run->unjudged > 0)
        buffer_printf(&line, ", %" PRIu64 " not judged", run->unjudged);
    cli_progress_draw(progress, buffer_view(&line));
    buffer_release(&line);
}

static bool lines_is_blank(struct str line)
{
    for (size_t i = 0; i < line.len; i++) {
        if (line.ptr[i] != ' ' && line.ptr[i] != '\t' && line.ptr[i] != '\r')
            return false;
    }
    return true;
}

static void lines_refuse_long(struct validate_run *run, const struct cli_lines *lines)
{
    struct error error = { 0 };
    (void)error_set(&error, STATUS_INVALID_REQUEST,
                    "the line is longer than the limit of %zu bytes", run->json.bytes_max);
    error_hint(&error, "raise the limit with --max-size");
    error_at_line(&error, 1, 1);
    validate_instance_failed(run, lines->name, lines->number - 1, &error);
}

static enum status lines_cancelled(const struct cli_lines *lines, struct error *error)
{
    return error_set(error, STATUS_CANCELLED, "cancelled after line %" PRIu32, lines->number);
}

static enum status lines_walk(struct validate_run *run, struct cli_lines *lines,
                              struct cli_progress *progress, struct error *error)
{
    uint64_t bytes_seen = 0;
    for (;;) {
        struct str line;
        bool too_long;
        bool more;
        enum status status = cli_lines_next(lines, &line, &too_long, &more, error);
        if (status == STATUS_OK && !more && cli_interrupt_is_requested())
            return lines_cancelled(lines, error);
        if (status != STATUS_OK || !more)
            return status;
        if (too_long)
            lines_refuse_long(run, lines);
        else if (!lines_is_blank(line))
            validate_instance(run, lines->name, lines->number - 1, line);
        if (lines->bytes_read != bytes_seen)
            lines_progress_draw(progress, run, lines);
        bytes_seen = lines->bytes_read;
        if (cli_interrupt_is_requested())
            return lines_cancelled(lines, error);
        if (run->cli->out.failed_errno != 0)
            return STATUS_OK; /* nobody reads on; told at the end of the program */
    }
}

enum status validate_lines(struct validate_run *run, const char *path, struct error *error)
{
    struct cli_lines lines;
    struct cli_progress progress;
    enum status status = cli_lines_open(&lines, path, run->json.bytes_max, run->cli->alloc, error);
    if (status != STATUS_OK)
        return status;
    cli_progress_begin(&progress, run->cli);
    status = lines_walk(run, &lines, &progress, error);
    cli_progress_end(&progress);
    cli_say(run->cli, CLI_LEVEL_STEP, "%s: %" PRIu32 " lines", lines.name, lines.number);
    cli_lines_close(&lines);
    return status;
}

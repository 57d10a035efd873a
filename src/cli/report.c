/* report.c - words on stderr, and errors as the contract words them. See report.h.
 *
 * Owns: writing to stderr. Leaves to others: data. Invariant: a line is written by one call, so
 * that lines of several processes do not mix.
 */
#include "base/features.h"

#include "cli/report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/printable.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "json/json.h"

enum { REPORT_BYTES_MAX = 4 * 1024 * 1024, REPORT_LINE_BYTES = 2048 };

bool cli_use_color(const struct cli *cli)
{
    const char *no_color = getenv("NO_COLOR");
    switch (cli->color) {
    case CLI_COLOR_ALWAYS: return true;
    case CLI_COLOR_NEVER: return false;
    case CLI_COLOR_AUTO: break;
    }
    return (no_color == NULL || no_color[0] == '\0') && cli_terminal_is_capable(STDERR_FILENO);
}

void cli_say_text(struct cli *cli, enum cli_level level, struct str text)
{
    if (cli->verbosity < (int)level)
        return;
    if (cli->progress != NULL)
        cli_progress_clear(cli->progress);
    while (text.len > 0) {
        ssize_t count = write(STDERR_FILENO, text.ptr, text.len);
        if (count <= 0)
            return; /* nobody to tell */
        text.ptr += count;
        text.len -= (size_t)count;
    }
}

void cli_say(struct cli *cli, enum cli_level level, const char *format, ...)
{
    char words[REPORT_LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(words, sizeof(words), format, arguments);
    va_end(arguments);
    struct buffer line;
    buffer_init(&line, cli->alloc, REPORT_BYTES_MAX);
    buffer_append_str(&line, STR("structure: "));
    cli_printable_append(&line, str_from(words), 0, 0);
    buffer_append_byte(&line, '\n');
    cli_say_text(cli, level, buffer_view(&line));
    buffer_release(&line);
}

void cli_place_append(struct buffer *out, const char *source, const struct error *error)
{
    size_t begin = out->len;
    if (source != NULL)
        cli_printable_append(out, str_from(source), 0, 0);
    if (error->line != 0) {
        if (source == NULL)
            buffer_append_str(out, STR("line "));
        else
            buffer_append_byte(out, ':');
        buffer_append_uint(out, error->line);
        buffer_append_byte(out, ':');
        buffer_append_uint(out, error->column);
    }
    if (error->has_pointer && error->pointer[0] != '\0') {
        if (out->len > begin)
            buffer_append_byte(out, ' ');
        cli_printable_append(out, str_from(error->pointer), 0, 0);
    }
    if (out->len > begin)
        buffer_append_str(out, STR(": "));
}

struct str cli_message(const struct error *error)
{
    struct str message = str_from(error->message);
    const char *at = error->message;
    if (error->line == 0 || !str_starts_with(message, STR("line ")))
        return message;
    at += strlen("line ");
    at += strspn(at, "0123456789");
    if (strncmp(at, ", column ", strlen(", column ")) != 0)
        return message;
    at += strlen(", column ");
    at += strspn(at, "0123456789");
    return str_starts_with(str_from(at), STR(": ")) ? str_from(at + 2) : message;
}

void cli_error_members_append(struct buffer *out, const struct error *error)
{
    buffer_printf(out, "\"kind\":\"%s\",\"message\":", status_name(error->status));
    json_write_string(cli_message(error), out);
    if (error->hint[0] != '\0') {
        buffer_append_str(out, STR(",\"hint\":"));
        json_write_string(str_from(error->hint), out);
    }
    if (error->has_pointer) {
        buffer_append_str(out, STR(",\"pointer\":"));
        json_write_string(str_from(error->pointer), out);
    }
    if (error->line != 0)
        buffer_printf(out, ",\"line\":%" PRIu32 ",\"column\":%" PRIu32, error->line, error->column);
    if (error->retry_after_ms >= 0)
        buffer_printf(out, ",\"retryAfterMs\":%" PRId64, error->retry_after_ms);
}

static void report_json(struct cli *cli, const char *source, const struct error *error)
{
    struct buffer text;
    buffer_init(&text, cli->alloc, REPORT_BYTES_MAX);
    buffer_append_str(&text, STR("{\"error\":{"));
    cli_error_members_append(&text, error);
    if (source != NULL) {
        buffer_append_str(&text, STR(",\"source\":"));
        json_write_string(str_from(source), &text);
    }
    buffer_append_str(&text, STR("}}\n"));
    cli_output_append(&cli->out, buffer_view(&text));
    buffer_release(&text);
}

static void report_words(struct cli *cli, enum cli_level level, const char *kind,
                         const char *escape, const char *source, const struct error *error)
{
    bool color = cli_use_color(cli);
    struct buffer text;
    buffer_init(&text, cli->alloc, REPORT_BYTES_MAX);
    buffer_printf(&text, "structure: %s%s%s: ", color ? escape : "", kind, color ? "\033[0m" : "");
    cli_place_append(&text, source, error);
    cli_printable_append(&text, cli_message(error), 0, 0);
    buffer_append_byte(&text, '\n');
    if (error->hint[0] != '\0') {
        buffer_append_str(&text, STR("  "));
        cli_printable_append(&text, str_from(error->hint), 0, 0);
        buffer_append_byte(&text, '\n');
    }
    cli_say_text(cli, level, buffer_view(&text));
    buffer_release(&text);
}

int cli_fail(struct cli *cli, const char *source, const struct error *error)
{
    if (cli->json)
        report_json(cli, source, error);
    else
        report_words(cli, CLI_LEVEL_ERROR, status_name(error->status), "\033[1;31m", source, error);
    return cli_exit_code(error->status);
}

void cli_warn(struct cli *cli, const char *source, const struct error *warning)
{
    report_words(cli, CLI_LEVEL_NOTE, "warning", "\033[1;33m", source, warning);
}

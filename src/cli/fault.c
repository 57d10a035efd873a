/* fault.c - a violation as a block for a person. See fault.h.
 *
 * Owns: layout. Leaves to others: wording of violations. Invariant: no line is wider than the
 * terminal except the first, and a long source line costs no more than its visible part.
 */
#include "base/features.h"

#include "cli/fault.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/utf8.h"
#include "cli/printable.h"

enum { FAULT_GUTTER_COLUMNS = 9, FAULT_LIMIT_COLUMNS = 60 };

/* The visible part of the line around an offset. */
struct fault_window {
    struct str text;
    size_t first;  /* code points of text left out at its beginning */
    size_t caret;  /* code points of text before the value */
    size_t length; /* code points of the value on this line, at least 1 */
};

static bool fault_is_newline(char byte)
{
    return byte == '\n' || byte == '\r';
}

static struct fault_window fault_window_find(struct str source, size_t offset, size_t end,
                                             size_t width)
{
    struct fault_window window = { .length = 1 };
    size_t reach = width * UTF8_SEQUENCE_BYTES_MAX;
    size_t begin = offset;
    while (begin > 0 && offset - begin < reach && !fault_is_newline(source.ptr[begin - 1]))
        begin--;
    while (begin < offset && ((unsigned char)source.ptr[begin] & 0xC0) == 0x80)
        begin++;
    size_t stop = offset;
    while (stop < source.len && stop - offset < reach && !fault_is_newline(source.ptr[stop]))
        stop++;
    window.text = str_of(source.ptr + begin, stop - begin);
    window.caret = cli_printable_length(str_of(source.ptr + begin, offset - begin));
    if (window.caret > width * 2 / 3)
        window.first = window.caret - width / 3;
    if (end > stop)
        end = stop;
    if (end > offset)
        window.length = cli_printable_length(str_of(source.ptr + offset, end - offset));
    size_t room = width - (window.caret - window.first);
    if (window.length > room)
        window.length = room;
    return window;
}

static void fault_source_append(struct buffer *out, const struct cli_fault_view *view,
                                const struct schema_violation *violation)
{
    size_t offset = json_offset(violation->value);
    size_t end = json_end_offset(violation->value);
    enum json_type type = json_type(violation->value);
    if (type == JSON_OBJECT || type == JSON_ARRAY)
        end = offset + 1;
    size_t width =
        view->columns > FAULT_GUTTER_COLUMNS + 20 ? view->columns - FAULT_GUTTER_COLUMNS : 20;
    struct fault_window window = fault_window_find(view->source, offset, end, width);
    buffer_printf(out, "%6" PRIu32 " | ", violation->line + view->lines_above);
    cli_printable_append(out, window.text, window.first, width);
    buffer_printf(out, "\n       | %*s%s", (int)(window.caret - window.first), "",
                  view->color ? "\033[1;31m" : "");
    for (size_t i = 0; i < window.length; i++)
        buffer_append_byte(out, '^');
    buffer_append_str(out, view->color ? STR("\033[0m\n") : STR("\n"));
}

static void fault_headline_append(struct buffer *out, const struct cli_fault_view *view,
                                  const struct schema_violation *violation)
{
    if (view->color)
        buffer_append_str(out, STR("\033[1m"));
    cli_printable_append(out, str_from(view->name), 0, 0);
    if (violation->line != 0)
        buffer_printf(out, ":%" PRIu32 ":%" PRIu32, violation->line + view->lines_above,
                      violation->column);
    if (violation->pointer.len > 0) {
        buffer_append_byte(out, ' ');
        cli_printable_append(out, violation->pointer, 0, 0);
    }
    buffer_append_str(out, view->color ? STR(":\033[0m ") : STR(": "));
    cli_printable_append(out, violation->message, 0, 0);
    buffer_append_str(out, STR(" (expected "));
    if (violation->limit.len > 0) {
        cli_printable_append(out, violation->keyword, 0, 0);
        buffer_append_byte(out, ' ');
        cli_printable_append(out, violation->limit, 0, FAULT_LIMIT_COLUMNS);
    } else {
        buffer_append_str(out, STR("by "));
        cli_printable_append(out, violation->schema_pointer, 0, 0);
    }
    buffer_append_str(out, STR(")\n"));
}

void cli_fault_append(struct buffer *out, const struct cli_fault_view *view,
                      const struct schema_violation *violation)
{
    fault_headline_append(out, view, violation);
    if (json_exists(violation->value) && violation->line != 0)
        fault_source_append(out, view, violation);
    if (violation->hint.len > 0) {
        buffer_append_str(out, STR("  hint: "));
        cli_printable_append(out, violation->hint, 0, 0);
        buffer_append_byte(out, '\n');
    }
}

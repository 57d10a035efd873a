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

enum { FAULT_GUTTER_COLUMNS = 9, FAULT_LIMIT_COLUMNS = 60, FAULT_TEXT_COLUMNS = 200 };

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

/* What the caret points at: a member's name, or the value, of containers the bracket. */
static struct str fault_span(const struct schema_violation *violation)
{
    struct json value = violation->value;
    const char *source = json_doc_source(value.doc).ptr;
    uint32_t type = json_node_type(value.node);
    if (violation->at_name) {
        const struct json_node *name = type == JSON_NODE_NAME ? value.node : value.node - 1;
        return str_of(source + name->offset - 1, (size_t)name->length + 2);
    }
    size_t begin = json_offset(value);
    bool is_container = type == JSON_OBJECT || type == JSON_ARRAY;
    return str_of(source + begin, is_container ? 1 : json_end_offset(value) - begin);
}

static void fault_source_append(struct buffer *out, const struct cli_fault_view *view,
                                const struct schema_violation *violation)
{
    struct str span = fault_span(violation);
    size_t offset = (size_t)(span.ptr - json_doc_source(violation->value.doc).ptr);
    size_t end = offset + span.len;
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

/* How much of it there is, where that is at fault; the source line shows the rest. */
static void fault_found_append(struct buffer *out, const struct schema_violation *violation)
{
    static const struct {
        const char *keyword;
        const char *unit;
    } counts[] = {
        { "minItems", "item" },        { "maxItems", "item" },       { "minProperties", "member" },
        { "maxProperties", "member" }, { "minLength", "character" }, { "maxLength", "character" },
    };
    struct json value = violation->value;
    if (!json_exists(value))
        return;
    uint32_t type = json_node_type(value.node);
    if (str_equal(violation->keyword, STR("type")) && type != JSON_NODE_NAME)
        buffer_printf(out, ", found %s", json_type_name((enum json_type)type));
    for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        if (!str_equal(violation->keyword, str_from(counts[i].keyword)))
            continue;
        bool is_text = type == JSON_STRING || type == JSON_NODE_NAME;
        size_t count = is_text ? utf8_length(json_string(value)) : json_count(value);
        buffer_printf(out, ", found %zu %s%s", count, counts[i].unit, count == 1 ? "" : "s");
    }
}

static void fault_line_append(struct buffer *out, const char *label, struct str text)
{
    if (text.len == 0)
        return;
    buffer_append_str(out, str_from(label));
    cli_printable_append(out, text, 0, FAULT_TEXT_COLUMNS);
    buffer_append_byte(out, '\n');
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
    fault_found_append(out, violation);
    buffer_append_str(out, STR(")\n"));
}

void cli_fault_append(struct buffer *out, const struct cli_fault_view *view,
                      const struct schema_violation *violation)
{
    fault_headline_append(out, view, violation);
    if (json_exists(violation->value) && violation->line != 0)
        fault_source_append(out, view, violation);
    fault_line_append(out, "  judged as ", violation->context);
    fault_line_append(out, "  schema: ", violation->title);
    fault_line_append(out, "  hint: ", violation->hint);
}

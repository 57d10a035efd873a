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
#include "schema/shorten.h"

enum {
    FAULT_GUTTER_COLUMNS = 9,
    FAULT_LIMIT_COLUMNS = 60,
    FAULT_TEXT_COLUMNS = 200,
    FAULT_MEMBERS_MAX = 8 /* missing members that are named */
};

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

struct str cli_fault_span(const struct schema_violation *violation)
{
    struct json place = violation->place;
    const char *source = json_doc_source(place.doc).ptr;
    uint32_t type = json_node_type(place.node);
    if (violation->at_name)
        return str_of(source + place.node->offset - 1, (size_t)place.node->length + 2);
    size_t begin = json_offset(place);
    bool is_container = type == JSON_OBJECT || type == JSON_ARRAY;
    return str_of(source + begin, is_container ? 1 : json_end_offset(place) - begin);
}

static void fault_source_append(struct buffer *out, const struct cli_fault_view *view,
                                const struct schema_violation *violation)
{
    struct str span = cli_fault_span(violation);
    size_t offset = (size_t)(span.ptr - json_doc_source(violation->place.doc).ptr);
    size_t end = offset + span.len;
    size_t width =
        view->columns > FAULT_GUTTER_COLUMNS + 20 ? view->columns - FAULT_GUTTER_COLUMNS : 20;
    struct fault_window window = fault_window_find(view->source, offset, end, width);
    buffer_printf(out, "%6" PRIu32 " | ", violation->line + view->lines_above);
    cli_printable_append(out, window.text, window.first, width);
    size_t before = cli_printable_columns(window.text, window.first, window.caret - window.first);
    size_t under = cli_printable_columns(window.text, window.caret, window.length);
    buffer_printf(out, "\n       | %*s%s", (int)before, "", view->color ? "\033[1;31m" : "");
    for (size_t i = 0; i < under || i == 0; i++)
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
        { "minItems", "item" },        { "maxItems", "item" },        { "minProperties", "member" },
        { "maxProperties", "member" }, { "minLength", "character" },  { "maxLength", "character" },
        { "items", "item" },           { "additionalItems", "item" },
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
        if (!is_text && type != JSON_ARRAY && type != JSON_OBJECT)
            continue;
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

/* How many violations from the first on are members that are missing in the same object. */
static uint32_t fault_group(const struct schema_violation *violations, uint32_t count)
{
    uint32_t group = 1;
    while (group < count && violations[0].member.len > 0 && violations[group].member.len > 0 &&
           violations[group].value.node == violations[0].value.node &&
           str_equal(violations[group].schema_pointer, violations[0].schema_pointer))
        group++;
    return group;
}

static void fault_members_append(struct buffer *out, const struct schema_violation *violations,
                                 uint32_t count)
{
    struct buffer text;
    buffer_init(&text, out->alloc, out->max);
    buffer_append_str(&text, STR("required members "));
    for (uint32_t i = 0; i < count && i < FAULT_MEMBERS_MAX; i++) {
        if (i > 0)
            buffer_append_str(&text, i + 1 == count ? STR(" and ") : STR(", "));
        schema_append_short_string(violations[i].member, &text);
    }
    if (count > FAULT_MEMBERS_MAX)
        buffer_printf(&text, " and %" PRIu32 " more", count - FAULT_MEMBERS_MAX);
    buffer_append_str(&text, STR(" are missing"));
    cli_printable_append(out, buffer_view(&text), 0, 0);
    if (buffer_status(&text) != STATUS_OK && buffer_status(out) == STATUS_OK)
        out->status = buffer_status(&text);
    buffer_release(&text);
}

static void fault_place_append(struct buffer *out, const struct cli_fault_view *view,
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
}

static void fault_expected_append(struct buffer *out, const struct schema_violation *violation)
{
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

/* Where in the schema, unless the first line says so, and what that schema calls itself. */
static void fault_schema_append(struct buffer *out, const struct schema_violation *violation)
{
    bool is_told = violation->limit.len == 0;
    if (is_told && violation->title.len == 0)
        return;
    buffer_append_str(out, STR("  schema: "));
    if (!is_told)
        cli_printable_append(out, violation->schema_pointer, 0, FAULT_TEXT_COLUMNS);
    if (violation->title.len > 0) {
        buffer_append_str(out, is_told ? STR("") : STR(", "));
        cli_printable_append(out, violation->title, 0, FAULT_TEXT_COLUMNS);
    }
    buffer_append_byte(out, '\n');
}

uint32_t cli_fault_append(struct buffer *out, const struct cli_fault_view *view,
                          const struct schema_violation *violations, uint32_t count)
{
    const struct schema_violation *violation = &violations[0];
    uint32_t group = fault_group(violations, count);
    fault_place_append(out, view, violation);
    if (group > 1)
        fault_members_append(out, violations, group);
    else
        cli_printable_append(out, violation->message, 0, 0);
    fault_expected_append(out, violation);
    if (json_exists(violation->place) && violation->line != 0)
        fault_source_append(out, view, violation);
    fault_line_append(out, "  judged as ", violation->context);
    fault_schema_append(out, violation);
    fault_line_append(out, "  hint: ", violation->hint.len > 0 ? violation->hint : violation->note);
    return group;
}

/* output_list.c - list and hierarchical: the forms of the newer output specification.
 *
 * Owns: the unit of a subschema with the errors and annotations of its keywords. Leaves to others:
 * locations and values (output_walk.c). Annotations stand where they count; those of a subschema
 * that failed are shown as dropped, those of one that is valid below a failure are left out, since
 * nothing would tell them from those that count.
 */
#include "base/features.h"

#include "schema/output_walk.h"

/* A map of keywords is begun with its first member. */
static void map_key(struct walk *walk, const char *map, bool *is_open, struct str keyword)
{
    if (!*is_open) {
        walk_key(walk, str_from(map));
        walk_open(walk, '{');
    }
    *is_open = true;
    walk_key(walk, keyword);
}

static void unit_write_notes(struct walk *walk, uint32_t number)
{
    const struct trace_unit *units = walk->trace->units;
    const struct trace_unit *unit = &units[number];
    bool is_open = false;
    if (unit->valid && !unit->is_real)
        return;
    for (uint32_t i = number + 1; i < unit->end; i = units[i].end) {
        bool is_shown = units[i].note != TRACE_NOTE_NONE && (!unit->valid || units[i].is_real);
        if (!is_shown)
            continue;
        map_key(walk, unit->valid ? "annotations" : "droppedAnnotations", &is_open, units[i].token);
        walk_write_note(walk->trace, i, walk->out);
    }
    if (is_open)
        walk_close(walk, '}');
}

/* The keyword of a fault in the schema itself, as in `false`, is the empty string. */
static void unit_write_errors(struct walk *walk, uint32_t number)
{
    const struct trace_unit *units = walk->trace->units;
    bool is_open = false;
    if (units[number].fault != SCHEMA_NONE) {
        map_key(walk, "errors", &is_open, STR(""));
        json_write_string(walk_message(walk, number), walk->out);
    }
    for (uint32_t i = number + 1; i < units[number].end; i = units[i].end) {
        if (units[i].fault == SCHEMA_NONE)
            continue;
        map_key(walk, "errors", &is_open, units[i].token);
        json_write_string(walk_message(walk, i), walk->out);
    }
    if (is_open)
        walk_close(walk, '}');
}

static void unit_write(struct walk *walk)
{
    uint32_t number = walk_top(walk)->unit;
    walk_put_bool(walk, "valid", walk->trace->units[number].valid);
    walk_put_string(walk, "evaluationPath", buffer_view(&walk->path));
    walk_put_string(walk, "schemaLocation", walk_location(walk));
    walk_put_string(walk, "instanceLocation", buffer_view(&walk->instance));
    unit_write_errors(walk, number);
    unit_write_notes(walk, number);
}

void output_write_list(struct walk *walk)
{
    const struct schema_trace *trace = walk->trace;
    walk_open(walk, '{');
    walk_put_bool(walk, "valid", schema_trace_is_valid(trace));
    walk_key(walk, STR("details"));
    walk_open(walk, '[');
    for (uint32_t i = 0; i < trace->unit_count; i++) {
        while (walk_is_past(walk, i))
            walk_leave(walk);
        if (!walk_enter(walk, i))
            return;
        if (trace->units[i].kind != TRACE_SCHEMA)
            continue;
        walk_item(walk);
        walk_open(walk, '{');
        unit_write(walk);
        walk_close(walk, '}');
    }
    walk_close(walk, ']');
    walk_close(walk, '}');
}

void output_write_hierarchical(struct walk *walk)
{
    const struct schema_trace *trace = walk->trace;
    for (uint32_t i = 0; i < trace->unit_count; i++) {
        while (walk_is_past(walk, i))
            walk_leave_shown(walk);
        if (!walk_enter(walk, i))
            return;
        if (trace->units[i].kind != TRACE_SCHEMA)
            continue;
        walk_show(walk, "details");
        unit_write(walk);
    }
    while (walk->level_count > 0)
        walk_leave_shown(walk);
}

/* output.c - the output forms of 2019-09 and 2020-12 (core section 12), and the choice of a form.
 *
 * Owns: which units flag, basic, detailed and verbose show. Leaves to others: list and hierarchical
 * (output_list.c), locations and values (output_walk.c). Basic lists what is at fault, not the
 * keywords that only pass it on; detailed drops units that say nothing and puts an only child in
 * the place of a unit that says nothing else; verbose shows every unit.
 */
#include "base/features.h"

#include "schema/output_walk.h"
#include "schema/validate.h"

static const char *const form_names[] = {
    [SCHEMA_OUTPUT_FLAG] = "flag",         [SCHEMA_OUTPUT_BASIC] = "basic",
    [SCHEMA_OUTPUT_DETAILED] = "detailed", [SCHEMA_OUTPUT_VERBOSE] = "verbose",
    [SCHEMA_OUTPUT_LIST] = "list",         [SCHEMA_OUTPUT_HIERARCHICAL] = "hierarchical",
};

bool schema_output_form_from(struct str name, enum schema_output_form *out_form)
{
    for (unsigned i = 0; i < sizeof(form_names) / sizeof(form_names[0]); i++) {
        if (!str_equal(name, str_from(form_names[i])))
            continue;
        *out_form = (enum schema_output_form)i;
        return true;
    }
    return false;
}

const char *schema_output_form_name(enum schema_output_form form)
{
    return form_names[form];
}

/* ---- one unit -------------------------------------------------------------------------------- */

/* What a unit adds to those below it: a fault of its own or an annotation. */
static bool unit_speaks(const struct trace_unit *unit)
{
    return unit->is_real ? unit->note != TRACE_NOTE_NONE : unit->fault != SCHEMA_NONE;
}

/* The absolute location is left out where it would be no more than the path. */
static void unit_write(struct walk *walk, bool with_error)
{
    uint32_t number = walk_top(walk)->unit;
    const struct trace_unit *unit = &walk->trace->units[number];
    struct str location = walk_location(walk);
    walk_put_bool(walk, "valid", unit->valid);
    walk_put_string(walk, "keywordLocation", buffer_view(&walk->path));
    if (location.ptr[0] != '#' || walk_top(walk)->is_behind_reference)
        walk_put_string(walk, "absoluteKeywordLocation", location);
    walk_put_string(walk, "instanceLocation", buffer_view(&walk->instance));
    if (with_error && !unit->valid)
        walk_put_string(walk, "error", walk_message(walk, number));
    if (unit->is_real && unit->note != TRACE_NOTE_NONE) {
        walk_key(walk, STR("annotation"));
        walk_write_note(walk->trace, number, walk->out);
    }
}

/* ---- basic ----------------------------------------------------------------------------------- */

static void output_write_basic(struct walk *walk)
{
    const struct schema_trace *trace = walk->trace;
    bool valid = schema_trace_is_valid(trace);
    walk_open(walk, '{');
    walk_put_bool(walk, "valid", valid);
    walk_key(walk, valid ? STR("annotations") : STR("errors"));
    walk_open(walk, '[');
    for (uint32_t i = 0; i < trace->unit_count; i++) {
        while (walk_is_past(walk, i))
            walk_leave(walk);
        if (!walk_enter(walk, i))
            return;
        const struct trace_unit *unit = &trace->units[i];
        if (!(valid ? unit->is_real : unit->is_cause) || !unit_speaks(unit))
            continue;
        walk_item(walk);
        walk_open(walk, '{');
        unit_write(walk, true);
        walk_close(walk, '}');
    }
    walk_close(walk, ']');
    walk_close(walk, '}');
}

/* ---- detailed and verbose -------------------------------------------------------------------- */

/* counts[i] becomes SCHEMA_NONE where unit i has no place of its own, else how many units are shown
 * right below it. From the last to the first, so that children are known before their parents. */
static void detailed_count(const struct schema_trace *trace, uint32_t *counts)
{
    bool valid = schema_trace_is_valid(trace);
    memset(counts, 0, trace->unit_count * sizeof(*counts));
    for (uint32_t i = trace->unit_count; i-- > 0;) {
        const struct trace_unit *unit = &trace->units[i];
        bool decides = valid ? unit->is_real : unit->is_cause;
        bool speaks = decides && unit_speaks(unit);
        bool is_passed = speaks || counts[i] > 0;
        if (is_passed && unit->parent != SCHEMA_NONE)
            counts[unit->parent]++;
        if (!speaks && counts[i] < 2)
            counts[i] = SCHEMA_NONE;
    }
}

static void output_write_tree(struct walk *walk, const uint32_t *counts)
{
    const struct schema_trace *trace = walk->trace;
    for (uint32_t i = 0; i < trace->unit_count; i++) {
        while (walk_is_past(walk, i))
            walk_leave_shown(walk);
        if (!walk_enter(walk, i))
            return;
        if (counts != NULL && counts[i] == SCHEMA_NONE)
            continue;
        uint32_t above = walk_top(walk)->shown;
        bool valid = above == 0 || trace->units[walk->levels[above - 1].unit].valid;
        bool is_leaf = counts == NULL ? trace->units[i].end == i + 1 : counts[i] == 0;
        walk_show(walk, valid ? "annotations" : "errors");
        unit_write(walk, is_leaf || trace->units[i].fault != SCHEMA_NONE);
    }
    while (walk->level_count > 0)
        walk_leave_shown(walk);
}

static void output_write_detailed(struct walk *walk)
{
    size_t bytes = walk->trace->unit_count * sizeof(uint32_t);
    uint32_t *counts = alloc_get(walk->alloc, bytes);
    if (counts == NULL) {
        walk->status = STATUS_NO_MEMORY;
        return;
    }
    detailed_count(walk->trace, counts);
    size_t begin = walk->out->len;
    output_write_tree(walk, counts);
    alloc_free(walk->alloc, counts, bytes);
    if (walk->out->len > begin || walk_status(walk) != STATUS_OK)
        return;
    if (walk_enter(walk, 0)) { /* valid, and nothing to say */
        walk_show(walk, "");
        unit_write(walk, false);
        walk_leave_shown(walk);
    }
}

/* ---- any form -------------------------------------------------------------------------------- */

static void output_write_flag(struct walk *walk)
{
    walk_open(walk, '{');
    walk_put_bool(walk, "valid", schema_trace_is_valid(walk->trace));
    walk_close(walk, '}');
}

enum status schema_output_write(const struct schema_trace *trace, enum schema_output_form form,
                                unsigned indent, struct buffer *out, struct error *error)
{
    struct walk walk;
    walk_init(&walk, trace, indent, out);
    switch (form) {
    case SCHEMA_OUTPUT_FLAG: output_write_flag(&walk); break;
    case SCHEMA_OUTPUT_BASIC: output_write_basic(&walk); break;
    case SCHEMA_OUTPUT_DETAILED: output_write_detailed(&walk); break;
    case SCHEMA_OUTPUT_VERBOSE: output_write_tree(&walk, NULL); break;
    case SCHEMA_OUTPUT_LIST: output_write_list(&walk); break;
    case SCHEMA_OUTPUT_HIERARCHICAL: output_write_hierarchical(&walk); break;
    }
    enum status status = walk_status(&walk);
    walk_release(&walk);
    if (status == STATUS_UNSUPPORTED)
        return error_set(error, status, "the output is larger than %zu bytes", out->max);
    return status == STATUS_OK ? status : error_set(error, status, "out of memory");
}

enum status schema_output(const struct schema_program *program, struct json instance,
                          enum schema_output_form form, unsigned indent, uint64_t steps_max,
                          const struct alloc *alloc, struct buffer *out, bool *out_valid,
                          struct error *error)
{
    struct schema_trace *trace = NULL;
    struct trace_unit unit = { .valid = false };
    struct schema_trace verdict = { .program = program, .alloc = alloc, .units = &unit };
    enum status status;
    if (form == SCHEMA_OUTPUT_FLAG)
        status = schema_is_valid(program, instance, steps_max, alloc, &unit.valid, error);
    else
        status = schema_trace_new(program, instance, steps_max, alloc, &trace, error);
    const struct schema_trace *written = trace == NULL ? &verdict : trace;
    if (status == STATUS_OK)
        status = schema_output_write(written, form, indent, out, error);
    if (status == STATUS_OK)
        *out_valid = schema_trace_is_valid(written);
    schema_trace_free(trace);
    return status;
}

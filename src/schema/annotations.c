/* annotations.c - the annotations of a valid instance, one after the other.
 *
 * Owns: the order, and the strings of the one that was handed out last. Leaves to others: which
 * keywords annotate (trace_apply.c, trace_notes.c).
 */
#include "base/features.h"

#include "schema/output_walk.h"

enum { ANNOTATION_BYTES_MAX = 1 << 26 };

struct schema_annotations {
    struct walk walk;
    struct buffer value;
    uint32_t next; /* unit */
};

enum status schema_annotations_new(const struct schema_trace *trace,
                                   struct schema_annotations **out_walk)
{
    struct schema_annotations *walk = alloc_get(trace->alloc, sizeof(*walk));
    if (walk == NULL)
        return STATUS_NO_MEMORY;
    walk_init(&walk->walk, trace, 0, NULL);
    buffer_init(&walk->value, trace->alloc, ANNOTATION_BYTES_MAX);
    walk->next = schema_trace_is_valid(trace) ? 0 : trace->unit_count;
    *out_walk = walk;
    return STATUS_OK;
}

/* The unit on top is a keyword: the schema that holds it is one level up, and its location the
 * beginning of the keyword's. */
static struct str annotation_schema(const struct walk *walk)
{
    const struct walk_level *level = walk_top(walk);
    return str_of(walk->location.ptr + level->location_begin,
                  level->location_len - level->location_begin);
}

bool schema_annotations_next(struct schema_annotations *walk, struct schema_annotation *out,
                             enum status *out_status)
{
    const struct schema_trace *trace = walk->walk.trace;
    for (; walk->next < trace->unit_count; walk->next++) {
        const struct trace_unit *unit = &trace->units[walk->next];
        while (walk_is_past(&walk->walk, walk->next))
            walk_leave(&walk->walk);
        if (!walk_enter(&walk->walk, walk->next))
            break;
        if (!unit->is_real || unit->note == TRACE_NOTE_NONE)
            continue;
        buffer_clear(&walk->value);
        walk_write_note(trace, walk->next, &walk->value);
        if (buffer_status(&walk->value) != STATUS_OK)
            break;
        *out = (struct schema_annotation){
            .instance_location = buffer_view(&walk->walk.instance),
            .schema_location = annotation_schema(&walk->walk),
            .keyword = unit->token,
            .value = buffer_view(&walk->value),
        };
        walk->next++;
        return true;
    }
    *out_status = walk_status(&walk->walk);
    if (*out_status == STATUS_OK && buffer_status(&walk->value) != STATUS_OK)
        *out_status = STATUS_NO_MEMORY;
    return false;
}

void schema_annotations_free(struct schema_annotations *walk)
{
    if (walk == NULL)
        return;
    const struct alloc *alloc = walk->walk.alloc;
    walk_release(&walk->walk);
    buffer_release(&walk->value);
    alloc_free(alloc, walk, sizeof(*walk));
}

/* output_walk.h - a walk over the units of a trace that knows where it is, and the JSON text that
 * comes of it. Private to output*.c and annotations.c. */
#ifndef STRUCTURE_SCHEMA_OUTPUT_WALK_H
#define STRUCTURE_SCHEMA_OUTPUT_WALK_H

#include "schema/trace.h"

/* A unit that the walk is in. */
struct walk_level {
    size_t path_len; /* of the unit above */
    size_t instance_len;
    size_t location_len;
    size_t location_begin;
    uint32_t unit;
    uint32_t shown;    /* number of the innermost level, this or above, that has an object, + 1 */
    bool has_children; /* the list of its children was begun */
    bool is_behind_reference;
};

struct walk {
    const struct schema_trace *trace;
    const struct alloc *alloc;
    struct buffer *out;
    struct buffer path;     /* evaluation path */
    struct buffer instance; /* instance location */
    struct buffer location; /* absolute locations, one behind the other */
    struct buffer scratch;
    struct walk_level *levels;
    uint32_t level_count;
    uint32_t level_capacity;
    enum status status; /* NO_MEMORY; besides the statuses of the buffers */
    unsigned indent;
    unsigned depth;
    bool is_fresh; /* nothing was written into the innermost container */
};

void walk_init(struct walk *walk, const struct schema_trace *trace, unsigned indent,
               struct buffer *out);
void walk_release(struct walk *walk);
enum status walk_status(const struct walk *walk);

static inline struct walk_level *walk_top(const struct walk *walk)
{
    return &walk->levels[walk->level_count - 1];
}

/* Units are entered in their order, after those that ended were left. */
bool walk_enter(struct walk *walk, uint32_t unit);
void walk_leave(struct walk *walk);
static inline bool walk_is_past(const struct walk *walk, uint32_t unit)
{
    return walk->level_count > 0 && walk->trace->units[walk_top(walk)->unit].end <= unit;
}

/* Of the unit on top. */
struct str walk_location(const struct walk *walk);

/* ---- JSON text ------------------------------------------------------------------------------- */

void walk_open(struct walk *walk, char bracket);
void walk_close(struct walk *walk, char bracket);
void walk_item(struct walk *walk); /* what comes next in an array */
void walk_key(struct walk *walk, struct str name);
void walk_put_bool(struct walk *walk, const char *name, bool value);
void walk_put_string(struct walk *walk, const char *name, struct str value);

/* The value of a unit's annotation. */
void walk_write_note(const struct schema_trace *trace, uint32_t unit, struct buffer *out);

/* A sentence on why the unit is invalid, until the next call. */
struct str walk_message(struct walk *walk, uint32_t unit);

/* ---- trees ----------------------------------------------------------------------------------- */

/* The object of the unit on top is begun inside that of the innermost one that has one. */
void walk_show(struct walk *walk, const char *children);
/* Leaves the unit on top and ends its object, if it has one. */
void walk_leave_shown(struct walk *walk);

/* output_list.c */
void output_write_list(struct walk *walk);
void output_write_hierarchical(struct walk *walk);

#endif

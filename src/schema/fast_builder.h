/* fast_builder.h - the quick program while it grows. Private to src/schema/fast*.c. */
#ifndef STRUCTURE_SCHEMA_FAST_BUILDER_H
#define STRUCTURE_SCHEMA_FAST_BUILDER_H

#include "schema/fast_program.h"
#include "schema/vector.h"

struct fast_builder {
    const struct schema_program *program;
    struct arena *arena; /* of the program: what stays */
    const struct alloc *alloc;
    bool failed;           /* for want of memory */
    uint32_t *map;         /* semantic node → quick node + 1 */
    struct vector sources; /* uint32_t: semantic node of each quick node; also the work list */
    struct vector nodes;   /* struct fast_node */
    struct vector ops;     /* struct fast_op */
    struct vector children;
    struct vector bounds;
    struct vector plans;
    struct vector string_sets;
    struct vector depends;
    struct vector filters;
};

/* NULL when memory is used up, now or before. */
void *fast_push(struct fast_builder *builder, struct vector *vector);

/* The quick node of a semantic node, through aliases; it is built later. */
uint32_t fast_node_for(struct fast_builder *builder, uint32_t node);

/* A copy with readable bytes behind it. */
struct fast_name fast_name_of(struct fast_builder *builder, struct str text);

/* A table over count names (stride bytes apart), at most a quarter full. */
const struct fast_slot *fast_slots_for(struct fast_builder *builder, const struct fast_name *names,
                                       size_t stride, uint32_t count, uint32_t *out_mask);

/* Takes a number of items from the program's arena, zeroed; NULL when memory is used up. */
void *fast_take(struct fast_builder *builder, size_t count, size_t size);

#define FAST_ALL_KINDS UINT16_MAX

uint16_t fast_class_kinds(enum fast_class class);
/* The kinds that a semantic node may accept at all, and those of which it asks no more. */
uint16_t fast_accepts(const struct fast_builder *builder, uint32_t node);
uint16_t fast_accepts_at_once(const struct fast_builder *builder, uint32_t node);
bool fast_is_trivial(const struct fast_builder *builder, uint32_t node);

/* fast_members.c: the plan of a node with keywords about members. */
uint32_t fast_plan_for(struct fast_builder *builder, uint32_t node);

/* fast_union.c: what tells objects of the alternatives apart; SCHEMA_NONE when nothing does.
 * branches are semantic nodes. */
uint32_t fast_filter_for(struct fast_builder *builder, const uint32_t *branches, uint32_t count);

#endif

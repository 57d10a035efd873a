/* fast_builder.h - the quick program while it grows. Private to src/schema/fast*.c. */
#ifndef STRUCTURE_SCHEMA_FAST_BUILDER_H
#define STRUCTURE_SCHEMA_FAST_BUILDER_H

#include "schema/fast_program.h"
#include "schema/vector.h"

/* Semantic nodes that all apply to the same value, aliases seen through, trivial ones left out. */
enum { FAST_SOURCE_NODES = 4 };

struct fast_source {
    uint32_t nodes[FAST_SOURCE_NODES];
    uint32_t count;
};

/* Groups of nodes that may become one quick node each. */
enum { FAST_GROUPS_MAX = 1024 };

struct fast_builder {
    const struct schema_program *program;
    struct arena *arena; /* of the program: what stays */
    const struct alloc *alloc;
    bool failed;           /* for want of memory */
    uint32_t *map;         /* semantic node → quick node + 1 */
    uint32_t *plan_map;    /* semantic node → plan of its members + 1 */
    struct vector sources; /* struct fast_source of each quick node; also the work list */
    struct vector groups;  /* uint32_t: quick nodes with more than one source */
    struct vector nodes;   /* struct fast_node */
    struct vector ops;     /* struct fast_op */
    struct vector children;
    struct vector bounds;
    struct vector plans;
    struct vector string_sets;
    struct vector word_sets;
    struct vector depends;
    struct vector filters;
};

/* NULL when memory is used up, now or before. */
void *fast_push(struct fast_builder *builder, struct vector *vector);

/* The quick node of a semantic node, through aliases; it is built later. */
uint32_t fast_node_for(struct fast_builder *builder, uint32_t node);

/* Adds a node unless it is there or trivial; there must be room. */
void fast_source_add(const struct fast_builder *builder, struct fast_source *source, uint32_t node);
uint32_t fast_node_of(struct fast_builder *builder, const struct fast_source *source);

/* The pattern matches every text. */
bool fast_pattern_is_trivial(const struct fast_builder *builder, uint32_t pattern);

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

/* fast_places.c: false when there is no such table, or memory is used up. */
bool fast_places_for(struct fast_builder *builder, const uint32_t *hashes, uint32_t count,
                     struct fast_places *out_places);

/* fast_members.c: one plan of those of several nodes; the first one alone may have more than names.
 * SCHEMA_NONE when the judge must look. */
uint32_t fast_plan_for(struct fast_builder *builder, const uint32_t *nodes, uint32_t count);

/* Orders nodes so that those whose plans may become one come first; returns how many. */
uint32_t fast_plans_join(const struct fast_builder *builder, uint32_t *nodes, uint32_t count);

/* fast_union.c: what tells objects of the alternatives apart; SCHEMA_NONE when nothing does.
 * branches are semantic nodes. */
uint32_t fast_filter_for(struct fast_builder *builder, const uint32_t *branches, uint32_t count);

#endif

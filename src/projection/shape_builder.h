/* shape_builder.h - what the parts of the shape builder share. Private to src/projection.
 *
 * shape.c owns the nodes and the table of conjunctions, shape_place.c the alternatives of a place,
 * shape_leaf.c, shape_array.c and shape_object.c one form each.
 */
#ifndef STRUCTURE_PROJECTION_SHAPE_BUILDER_H
#define STRUCTURE_PROJECTION_SHAPE_BUILDER_H

#include "projection/fits.h"
#include "projection/shape.h"

enum {
    CONJUNCTION_MAX = 48, /* subschemas that apply to one value; more: the place is free */
    BRANCHES_MAX = 64,    /* alternatives of one place */
    BRANCH_TAKEN_MAX = 12,
    SHAPE_NODES_MAX = 100000,
    SHAPE_TUPLE_MAX = 64,
    SHAPE_VALUES_MAX = 20000 /* of one enum */
};

struct conjunction {
    uint32_t nodes[CONJUNCTION_MAX]; /* those that say something */
    uint32_t count;
    uint8_t types;
    bool overflows;
};

struct branch {
    struct conjunction all;
    uint32_t taken[BRANCH_TAKEN_MAX];
    uint32_t taken_count;
};

struct shape_builder {
    struct shape *shape;
    const struct schema_program *program;
    const struct wire_rules *rules;
    struct fits fits;
    uint32_t *slots; /* open addressing: place number + 1 by conjunction and form */
    uint32_t slot_count;
    uint32_t filled;         /* nodes before are filled */
    uint32_t work;           /* member and pattern tests so far */
    struct branch *branches; /* BRANCHES_MAX */
    struct error *error;
    enum status status; /* sticky */
};

static inline bool builder_failed(const struct shape_builder *builder)
{
    return builder->status != STATUS_OK;
}

void builder_no_memory(struct shape_builder *builder);
void *builder_array(struct shape_builder *builder, uint32_t count, size_t size);

/* Adds a node with all that applies in place with it. */
void conjunction_add(struct shape_builder *builder, struct conjunction *all, uint32_t node);

/* The place of a conjunction; SHAPE_NEVER when nothing can be valid. `source` is the node before
 * references were followed. */
uint32_t builder_place(struct shape_builder *builder, const struct conjunction *all);
uint32_t builder_place_of(struct shape_builder *builder, uint32_t node);
/* One form of a branch. */
uint32_t builder_part(struct shape_builder *builder, const struct branch *branch,
                      enum shape_kind kind, bool has_values);
/* Any of the places: itself when there is one, SHAPE_NEVER when there is none. */
uint32_t builder_any(struct shape_builder *builder, const uint32_t *places, uint32_t count);
/* A place of any value. */
uint32_t builder_free(struct shape_builder *builder);
/* A string without further constraints, or with a pattern. */
uint32_t builder_string(struct shape_builder *builder, uint32_t pattern);

/* Fill a place, or one form of it. The node at index has its nodes, kind and taken. */
void builder_fill_place(struct shape_builder *builder, uint32_t index);
void builder_fill_leaf(struct shape_builder *builder, uint32_t index);
void builder_fill_values(struct shape_builder *builder, uint32_t index);
void builder_fill_array(struct shape_builder *builder, uint32_t index);
void builder_fill_object(struct shape_builder *builder, uint32_t index);

/* Facts and what is only said in words, from the instructions of a filled node that speak of
 * `types`. */
void builder_facts(struct shape_builder *builder, uint32_t index, uint8_t types);

/* Instructions of a node's conjunction with an opcode:
 *
 *     for (struct op_cursor at = { 0 }; op_next(builder, node, OPCODE, &at);) ... at.op ...
 */
struct op_cursor {
    uint32_t item;
    uint32_t index;
    uint32_t node;
    const struct schema_op *op;
};
bool op_next(const struct shape_builder *builder, const uint32_t *nodes, uint32_t count,
             enum schema_opcode opcode, struct op_cursor *cursor);

#endif

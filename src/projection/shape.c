/* shape.c - nodes of a shape, and the table that finds the place of a conjunction again.
 *
 * Owns: the nodes, their memory, the order of filling. Leaves to others: what fills a node
 * (shape_place.c and the forms). Invariants: a conjunction has one place, so recursion of the
 * schema ends as a cycle of the graph; nodes are filled in the order in which they were met, so
 * nothing recurses.
 */
#include "base/features.h"

#include "projection/shape_builder.h"

#include "base/checked.h"
#include "base/hash.h"
#include "base/limits.h"

/* ---- memory ---------------------------------------------------------------------------------- */

void builder_no_memory(struct shape_builder *builder)
{
    if (builder->status == STATUS_OK)
        builder->status = error_set(builder->error, STATUS_NO_MEMORY, "out of memory");
}

void *builder_array(struct shape_builder *builder, uint32_t count, size_t size)
{
    void *items = arena_take_array(builder->shape->arena, count, size);
    if (items == NULL)
        builder_no_memory(builder);
    return items;
}

struct shape_node *shape_push(struct shape *shape)
{
    if (shape->count == shape->capacity) {
        uint32_t wanted = shape->capacity == 0 ? 32 : shape->capacity * 2;
        struct shape_node *grown = alloc_grow(
            shape->alloc, shape->nodes, shape->capacity * sizeof(*grown), wanted * sizeof(*grown));
        if (grown == NULL)
            return NULL;
        shape->nodes = grown;
        shape->capacity = wanted;
    }
    struct shape_node *node = &shape->nodes[shape->count++];
    *node = (struct shape_node){ .key = SHAPE_NO_NODE,
                                 .value = SHAPE_NO_NODE,
                                 .key_pattern = SCHEMA_NONE };
    for (unsigned i = 0; i < FACT_COUNT; i++)
        node->facts[i].op = SCHEMA_NONE;
    return node;
}

void shape_release(struct shape *shape)
{
    alloc_free(shape->alloc, shape->nodes, shape->capacity * sizeof(*shape->nodes));
    shape->nodes = NULL;
    shape->count = 0;
    shape->capacity = 0;
}

/* ---- looking at nodes ------------------------------------------------------------------------ */

bool shape_child(const struct shape_node *node, uint32_t index, uint32_t *out_child)
{
    *out_child = SHAPE_NO_NODE;
    if (index < node->member_count) {
        *out_child = node->members[index].node;
        return true;
    }
    index -= node->member_count;
    if (index < node->part_count) {
        *out_child = node->parts[index];
        return true;
    }
    index -= node->part_count;
    if (index == 0)
        *out_child = node->key;
    else if (index == 1)
        *out_child = node->value;
    return index < 2;
}

void shape_make_free(const struct shape *shape, struct shape_node *node, enum shape_why why)
{
    node->kind = wire_keeps(shape->rules, WIRE_EMPTY_SCHEMA) ? SHAPE_FREE : SHAPE_TEXT;
    node->why = (uint8_t)why;
    node->members = NULL;
    node->member_count = 0;
    node->parts = NULL;
    node->part_count = 0;
    node->key = SHAPE_NO_NODE;
    node->value = SHAPE_NO_NODE;
    node->rest_count = 0;
    node->values = NULL;
    node->value_count = 0;
    for (unsigned i = 0; i < FACT_COUNT; i++)
        node->facts[i].op = SCHEMA_NONE;
}

bool op_next(const struct shape_builder *builder, const uint32_t *nodes, uint32_t count,
             enum schema_opcode opcode, struct op_cursor *cursor)
{
    for (; cursor->item < count; cursor->item++, cursor->index = 0) {
        const struct schema_node *row = &builder->program->nodes[nodes[cursor->item]];
        while (cursor->index < row->op_count) {
            const struct schema_op *op = &builder->program->ops[row->op_first + cursor->index++];
            if (op->opcode == opcode) {
                cursor->node = nodes[cursor->item];
                cursor->op = op;
                return true;
            }
        }
    }
    return false;
}

/* ---- conjunctions ---------------------------------------------------------------------------- */

/* Where a dynamic reference leads when it can lead to one place only. */
static uint32_t dynamic_target(const struct schema_program *program, const struct schema_op *op)
{
    for (uint32_t i = 0; i < program->dynamic_anchor_count; i++) {
        const struct schema_dynamic_anchor *row = &program->dynamic_anchors[i];
        if (row->anchor == op->b && row->node != op->a)
            return SCHEMA_NONE;
    }
    return op->a;
}

static bool op_is_followed(const struct schema_program *program, const struct schema_op *op)
{
    return op->opcode == SCHEMA_OP_REF || op->opcode == SCHEMA_OP_ALL_OF ||
           (op->opcode == SCHEMA_OP_DYNAMIC_REF && dynamic_target(program, op) != SCHEMA_NONE);
}

/* Says nothing itself: all that applies are the nodes that it leads to. */
static bool node_only_refers(const struct schema_program *program, uint32_t node)
{
    const struct schema_node *row = &program->nodes[node];
    if (row->types != SCHEMA_ANY)
        return false;
    for (uint32_t i = 0; i < row->op_count; i++) {
        if (!op_is_followed(program, &program->ops[row->op_first + i]))
            return false;
    }
    return true;
}

struct conjunction_walk {
    uint32_t seen[CONJUNCTION_MAX * 4];
    uint32_t count;
    bool overflows;
};

static void walk_add(struct conjunction_walk *walk, uint32_t node)
{
    for (uint32_t i = 0; i < walk->count; i++) {
        if (walk->seen[i] == node)
            return;
    }
    if (walk->count == CONJUNCTION_MAX * 4)
        walk->overflows = true;
    else
        walk->seen[walk->count++] = node;
}

static void walk_op(struct conjunction_walk *walk, const struct schema_program *program,
                    const struct schema_op *op)
{
    if (op->opcode == SCHEMA_OP_ALL_OF) {
        for (uint32_t i = 0; i < op->b && !walk->overflows; i++)
            walk_add(walk, program->children[op->a + i]);
    } else if (op_is_followed(program, op)) {
        walk_add(walk, op->a);
    }
}

static void conjunction_append(struct conjunction *all, const struct schema_program *program,
                               uint32_t node)
{
    for (uint32_t i = 0; i < all->count; i++) {
        if (all->nodes[i] == node)
            return;
    }
    if (all->count == CONJUNCTION_MAX) {
        all->overflows = true;
        return;
    }
    all->nodes[all->count++] = node;
    all->types &= program->nodes[node].types;
}

void conjunction_add(struct shape_builder *builder, struct conjunction *all, uint32_t node)
{
    const struct schema_program *program = builder->program;
    struct conjunction_walk walk = { .count = 0 };
    walk_add(&walk, node);
    for (uint32_t i = 0; i < walk.count; i++) {
        const struct schema_node *row = &program->nodes[walk.seen[i]];
        if (!node_only_refers(program, walk.seen[i]))
            conjunction_append(all, program, walk.seen[i]);
        for (uint32_t k = 0; k < row->op_count; k++)
            walk_op(&walk, program, &program->ops[row->op_first + k]);
    }
    all->overflows = all->overflows || walk.overflows;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* A node is found again by its conjunction and by what it was made as. */
struct node_key {
    const uint32_t *nodes;
    uint32_t count;
    uint32_t form;
};

static uint32_t key_hash(const struct node_key *key)
{
    uint64_t hash =
        hash_bytes(key->nodes, key->count * sizeof(*key->nodes), hash_process_seed() + key->form);
    return (uint32_t)(hash ^ hash >> 32);
}

static bool key_fits(const struct shape_node *node, const struct node_key *key)
{
    return node->mark == key->form && node->node_count == key->count &&
           (key->count == 0 ||
            memcmp(node->nodes, key->nodes, key->count * sizeof(*key->nodes)) == 0);
}

static bool table_grow(struct shape_builder *builder)
{
    uint32_t wanted = builder->slot_count == 0 ? 256 : builder->slot_count * 2;
    uint32_t *slots = alloc_get(builder->shape->alloc, wanted * sizeof(*slots));
    if (slots == NULL) {
        builder_no_memory(builder);
        return false;
    }
    memset(slots, 0, wanted * sizeof(*slots));
    for (uint32_t i = 0; i < builder->shape->count; i++) {
        const struct shape_node *node = &builder->shape->nodes[i];
        struct node_key key = { node->nodes, node->node_count, node->mark };
        uint32_t at = key_hash(&key) & (wanted - 1);
        while (slots[at] != 0)
            at = (at + 1) & (wanted - 1);
        slots[at] = i + 1;
    }
    alloc_free(builder->shape->alloc, builder->slots, builder->slot_count * sizeof(*slots));
    builder->slots = slots;
    builder->slot_count = wanted;
    return true;
}

/* The slot of a key: the one that holds it, or the empty one where it belongs. */
static uint32_t *table_slot(struct shape_builder *builder, const struct node_key *key)
{
    uint32_t at = key_hash(key) & (builder->slot_count - 1);
    while (builder->slots[at] != 0 &&
           !key_fits(&builder->shape->nodes[builder->slots[at] - 1], key))
        at = (at + 1) & (builder->slot_count - 1);
    return &builder->slots[at];
}

/* What a node is found by lies in `mark` until the shape is built. */
enum { FORM_PLACE = 0, FORM_VALUES = 32, FORM_FREE = 64, FORM_STRING = 65, FORM_ANY = 66 };

static uint32_t builder_node(struct shape_builder *builder, const uint32_t *nodes, uint32_t count,
                             uint32_t form, bool *out_is_new)
{
    struct node_key key = { nodes, count, form };
    *out_is_new = false;
    if (builder_failed(builder) ||
        (builder->shape->count * 2 >= builder->slot_count && !table_grow(builder)))
        return 0;
    uint32_t *slot = table_slot(builder, &key);
    if (*slot != 0)
        return *slot - 1;
    uint32_t *copy = builder_array(builder, count, sizeof(*copy));
    struct shape_node *node = builder_failed(builder) ? NULL : shape_push(builder->shape);
    if (node == NULL) {
        builder_no_memory(builder);
        return 0;
    }
    if (count > 0)
        memcpy(copy, nodes, count * sizeof(*copy));
    node->nodes = copy;
    node->node_count = count;
    node->mark = form;
    node->source = count > 0 ? nodes[0] : 0;
    *slot = builder->shape->count;
    *out_is_new = true;
    return builder->shape->count - 1;
}

uint32_t builder_place(struct shape_builder *builder, const struct conjunction *all)
{
    bool is_new;
    if (all->types == 0)
        return SHAPE_NEVER;
    if (all->count == 0)
        return builder_free(builder);
    uint32_t index = builder_node(builder, all->nodes, all->count, FORM_PLACE, &is_new);
    if (is_new && (all->overflows || builder->shape->count > SHAPE_NODES_MAX))
        shape_make_free(builder->shape, &builder->shape->nodes[index], SHAPE_WHY_LARGE);
    return index;
}

uint32_t builder_place_of(struct shape_builder *builder, uint32_t node)
{
    struct conjunction all = { .types = SCHEMA_ANY };
    conjunction_add(builder, &all, node);
    return builder_place(builder, &all);
}

uint32_t builder_part(struct shape_builder *builder, const struct branch *branch,
                      enum shape_kind kind, bool has_values)
{
    bool is_new;
    uint32_t form = (has_values ? FORM_VALUES : 0) + (uint32_t)kind;
    uint32_t index = builder_node(builder, branch->all.nodes, branch->all.count, form, &is_new);
    if (!is_new || builder_failed(builder))
        return index;
    uint32_t *taken = builder_array(builder, branch->taken_count, sizeof(*taken));
    if (taken == NULL)
        return index;
    if (branch->taken_count > 0)
        memcpy(taken, branch->taken, branch->taken_count * sizeof(*taken));
    struct shape_node *node = &builder->shape->nodes[index];
    node->kind = (uint8_t)kind;
    node->taken = taken;
    node->taken_count = branch->taken_count;
    return index;
}

uint32_t builder_free(struct shape_builder *builder)
{
    bool is_new;
    uint32_t index = builder_node(builder, NULL, 0, FORM_FREE, &is_new);
    if (is_new)
        shape_make_free(builder->shape, &builder->shape->nodes[index], SHAPE_WHY_ANY);
    return index;
}

uint32_t builder_string(struct shape_builder *builder, uint32_t pattern)
{
    bool is_new;
    uint32_t index = builder_node(builder, &pattern, 1, FORM_STRING, &is_new);
    if (!is_new)
        return index;
    struct shape_node *node = &builder->shape->nodes[index];
    node->kind = SHAPE_STRING;
    node->key_pattern = pattern;
    node->node_count = 0; /* found by the pattern once only, which costs a node at the most */
    node->source = 0;
    return index;
}

uint32_t builder_any(struct shape_builder *builder, const uint32_t *places, uint32_t count)
{
    uint32_t kept[BRANCHES_MAX];
    uint32_t kept_count = 0;
    bool is_new;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = 0;
        while (k < kept_count && kept[k] != places[i])
            k++;
        if (k == kept_count && places[i] < SHAPE_NEVER && kept_count < BRANCHES_MAX)
            kept[kept_count++] = places[i];
    }
    if (kept_count < 2)
        return kept_count == 0 ? SHAPE_NEVER : kept[0];
    uint32_t index = builder_node(builder, kept, kept_count, FORM_ANY, &is_new);
    if (!is_new || builder_failed(builder))
        return index;
    uint32_t *parts = builder_array(builder, kept_count, sizeof(*parts));
    if (parts == NULL)
        return index;
    memcpy(parts, kept, kept_count * sizeof(*parts));
    struct shape_node *node = &builder->shape->nodes[index];
    node->kind = SHAPE_UNION;
    node->parts = parts;
    node->part_count = kept_count;
    return index;
}

/* ---- building -------------------------------------------------------------------------------- */

static void builder_fill(struct shape_builder *builder, uint32_t index)
{
    struct shape_node *node = &builder->shape->nodes[index];
    bool has_values = node->mark >= FORM_VALUES && node->mark < FORM_FREE;
    switch ((enum shape_kind)node->kind) {
    case SHAPE_OPEN: builder_fill_place(builder, index); return;
    case SHAPE_FREE:
        if (node->mark == (uint32_t)SHAPE_FREE) {
            shape_make_free(builder->shape, node, SHAPE_WHY_ANY);
            builder_facts(builder, index, SCHEMA_ANY);
        }
        return;
    case SHAPE_UNION:
    case SHAPE_PAIRS:
    case SHAPE_TUPLE: return;
    case SHAPE_OBJECT: builder_fill_object(builder, index); return;
    case SHAPE_ARRAY: builder_fill_array(builder, index); return;
    case SHAPE_TEXT:
    case SHAPE_NULL:
    case SHAPE_BOOLEAN:
    case SHAPE_INTEGER:
    case SHAPE_NUMBER:
    case SHAPE_STRING:
        if (has_values)
            builder_fill_values(builder, index);
        else if (node->mark < FORM_FREE && node->kind != SHAPE_TEXT)
            builder_fill_leaf(builder, index);
        return;
    }
}

static bool place_takes_null(struct shape_builder *builder, uint32_t index)
{
    const struct shape_node *node = &builder->shape->nodes[index];
    if (node->mark != FORM_ANY)
        return fits_all(&builder->fits, node->nodes, node->node_count, fits_null(&builder->fits));
    for (uint32_t i = 0; i < node->node_count; i++) {
        const struct shape_node *part = &builder->shape->nodes[node->nodes[i]];
        if (part->mark == FORM_ANY ||
            fits_all(&builder->fits, part->nodes, part->node_count, fits_null(&builder->fits)))
            return true;
    }
    return false;
}

static void builder_finish(struct shape_builder *builder)
{
    struct shape *shape = builder->shape;
    if (!builder_failed(builder) && (!shape_flatten(shape) || !shape_settle(shape)))
        builder_no_memory(builder);
    for (uint32_t i = 0; i < shape->count && !builder_failed(builder); i++) {
        for (uint32_t k = 0; k < shape->nodes[i].member_count; k++) {
            struct shape_member *member = &shape->nodes[i].members[k];
            member->takes_null = place_takes_null(builder, member->node);
        }
    }
    /* A synthetic union's nodes are places, no nodes of the program. */
    for (uint32_t i = 0; i < shape->count; i++) {
        if (shape->nodes[i].mark == FORM_ANY)
            shape->nodes[i].node_count = 0;
        shape->nodes[i].mark = 0;
    }
    if (!builder_failed(builder) && fits_status(&builder->fits) != STATUS_OK)
        builder_no_memory(builder);
}

enum status shape_build(struct shape *shape, struct error *error)
{
    struct shape_builder builder = {
        .shape = shape, .program = shape->program, .rules = shape->rules, .error = error
    };
    builder.branches = alloc_get(shape->alloc, BRANCHES_MAX * sizeof(*builder.branches));
    if (builder.branches == NULL ||
        fits_init(&builder.fits, shape->program, shape->alloc) != STATUS_OK)
        builder_no_memory(&builder);
    if (!builder_failed(&builder))
        shape->root = builder_place_of(&builder, 0);
    if (!builder_failed(&builder) && shape->root == SHAPE_NEVER) {
        shape->root = shape->count;
        struct shape_node *node = shape_push(shape);
        if (node == NULL)
            builder_no_memory(&builder);
        else
            shape_make_free(shape, node, SHAPE_WHY_NEVER);
    }
    for (; builder.filled < shape->count && !builder_failed(&builder); builder.filled++)
        builder_fill(&builder, builder.filled);
    if (!builder_failed(&builder))
        builder_finish(&builder);
    fits_release(&builder.fits);
    alloc_free(shape->alloc, builder.slots, builder.slot_count * sizeof(*builder.slots));
    alloc_free(shape->alloc, builder.branches, BRANCHES_MAX * sizeof(*builder.branches));
    return builder.status;
}

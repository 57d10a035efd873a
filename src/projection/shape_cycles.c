/* shape_cycles.c - recursion: where it leads back, and what stands there when the wire takes none.
 *
 * Owns: walks of the graph that find the edges leading back, and the unrolled copy. Leaves to
 * others: definitions (fit.c). Invariant: without the edges leading back the graph has no cycle;
 * an unrolled shape has none at all. Not recursive.
 */
#include "base/features.h"

#include "projection/cycles.h"

enum { UNROLL_NODES_MAX = 200000 };

struct cycle_frame {
    uint32_t node;
    uint32_t child;
};

struct cycle_walk {
    const struct shape *shape;
    uint8_t *colors; /* 0 new, 1 open, 2 done */
    struct cycle_frame *frames;
    uint32_t frame_count;
};

bool cycles_walk(const struct shape *shape, cycles_edge *edge, cycles_done *done, void *state)
{
    struct cycle_walk walk = { .shape = shape };
    walk.colors = alloc_get(shape->alloc, shape->count);
    walk.frames = alloc_get(shape->alloc, shape->count * sizeof(*walk.frames));
    bool is_good = walk.colors != NULL && walk.frames != NULL;
    if (is_good) {
        memset(walk.colors, 0, shape->count);
        walk.colors[shape->root] = 1;
        walk.frames[walk.frame_count++] = (struct cycle_frame){ shape->root, 0 };
    }
    while (is_good && walk.frame_count > 0) {
        struct cycle_frame *top = &walk.frames[walk.frame_count - 1];
        uint32_t child, index = top->child++;
        if (!shape_child(&shape->nodes[top->node], index, &child)) {
            walk.colors[top->node] = 2;
            if (done != NULL)
                done(state, top->node);
            walk.frame_count--;
            continue;
        }
        if (child == SHAPE_NO_NODE)
            continue;
        if (edge != NULL)
            edge(state, top->node, index, child, walk.colors[child] == 1);
        if (walk.colors[child] == 0) {
            walk.colors[child] = 1;
            walk.frames[walk.frame_count++] = (struct cycle_frame){ child, 0 };
        }
    }
    alloc_free(shape->alloc, walk.colors, shape->count);
    alloc_free(shape->alloc, walk.frames, shape->count * sizeof(*walk.frames));
    return is_good;
}

/* ---- unrolling ------------------------------------------------------------------------------- */

struct unroll {
    struct shape *shape;
    uint32_t count; /* nodes of one level; text of node i is at levels * count + i */
    uint32_t levels;
    bool has_cycle;
    bool failed;
};

static void unroll_find(void *state, uint32_t parent, uint32_t index, uint32_t child, bool is_back)
{
    (void)parent, (void)index, (void)child;
    ((struct unroll *)state)->has_cycle |= is_back;
}

static void *unroll_copy(struct unroll *unroll, const void *items, uint32_t count, size_t size)
{
    void *copy = arena_take_array(unroll->shape->arena, count, size);
    if (copy == NULL)
        unroll->failed = true;
    else if (count > 0)
        memcpy(copy, items, count * size);
    return copy;
}

static bool unroll_push_copy(struct unroll *unroll, uint32_t node)
{
    struct shape_node *to = shape_push(unroll->shape);
    if (to == NULL)
        return false;
    *to = unroll->shape->nodes[node];
    to->members = unroll_copy(unroll, to->members, to->member_count, sizeof(*to->members));
    to->parts = unroll_copy(unroll, to->parts, to->part_count, sizeof(*to->parts));
    return !unroll->failed;
}

static void node_set_child(struct shape_node *node, uint32_t index, uint32_t child)
{
    if (index < node->member_count) {
        node->members[index].node = child;
        return;
    }
    index -= node->member_count;
    if (index < node->part_count)
        node->parts[index] = child;
    else if (index == node->part_count)
        node->key = child;
    else
        node->value = child;
}

/* The walk is over the first level, whose edges are changed last. */
static void unroll_edge(void *state, uint32_t parent, uint32_t index, uint32_t child, bool is_back)
{
    struct unroll *unroll = state;
    for (uint32_t level = unroll->levels; level-- > 1;) {
        uint32_t to = is_back ? (level + 1) * unroll->count + child : level * unroll->count + child;
        node_set_child(&unroll->shape->nodes[level * unroll->count + parent], index, to);
    }
}

struct back_edges {
    struct unroll *unroll;
    uint32_t *items; /* triples */
    uint32_t count, capacity;
};

static void back_edge_note(void *state, uint32_t parent, uint32_t index, uint32_t child,
                           bool is_back)
{
    struct back_edges *edges = state;
    const struct alloc *alloc = edges->unroll->shape->alloc;
    unroll_edge(edges->unroll, parent, index, child, is_back);
    if (!is_back || edges->unroll->failed)
        return;
    if (edges->count + 3 > edges->capacity) {
        uint32_t wanted = edges->capacity == 0 ? 48 : edges->capacity * 2;
        uint32_t *grown = alloc_grow(alloc, edges->items, edges->capacity * sizeof(*grown),
                                     wanted * sizeof(*grown));
        if (grown == NULL) {
            edges->unroll->failed = true;
            return;
        }
        edges->items = grown;
        edges->capacity = wanted;
    }
    edges->items[edges->count++] = parent;
    edges->items[edges->count++] = index;
    edges->items[edges->count++] = child;
}

static bool unroll_levels(struct unroll *unroll)
{
    struct shape *shape = unroll->shape;
    for (uint32_t level = 1; level <= unroll->levels; level++) {
        for (uint32_t i = 0; i < unroll->count; i++) {
            if (!unroll_push_copy(unroll, i))
                return false;
        }
    }
    for (uint32_t i = unroll->levels * unroll->count; i < shape->count; i++)
        shape_make_free(shape, &shape->nodes[i], SHAPE_WHY_RECURSIVE);
    struct back_edges edges = { .unroll = unroll };
    bool is_good = cycles_walk(shape, back_edge_note, NULL, &edges) && !unroll->failed;
    for (uint32_t i = 0; is_good && i < edges.count; i += 3)
        node_set_child(&shape->nodes[edges.items[i]], edges.items[i + 1],
                       unroll->count + edges.items[i + 2]);
    alloc_free(shape->alloc, edges.items, edges.capacity * sizeof(*edges.items));
    return is_good;
}

enum status shape_unroll(struct shape *shape, struct error *error)
{
    bool is_taken =
        wire_takes(shape->rules, WIRE_REF) && wire_takes(shape->rules, WIRE_REF_RECURSIVE);
    struct unroll unroll = { .shape = shape, .count = shape->count, .levels = 2 };
    if (is_taken)
        return STATUS_OK;
    if (!cycles_walk(shape, unroll_find, NULL, &unroll))
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    if (!unroll.has_cycle)
        return STATUS_OK;
    if (unroll.count > UNROLL_NODES_MAX / 3 || shape->rung >= PROJECTION_NO_UNIONS)
        unroll.levels = 1;
    if (!unroll_levels(&unroll) || !shape_settle(shape))
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    return STATUS_OK;
}

/* judge_memory.c - what the judge remembers: verdicts, and the scopes of dynamic references.
 *
 * Owns: the table of verdicts, keyed by instance value, node and scope; the tree of scopes. Leaves
 * to others: when to ask (judge.c). Invariants: a scope is the sequence of resources that gave an
 * anchor its first meaning, so entering a resource that changes no meaning keeps the number, and
 * equal numbers give equal verdicts; when the table is full nothing new is remembered, which costs
 * time, never a verdict.
 */
#include "base/features.h"

#include "schema/judge_frame.h"

enum {
    MEMORY_VERDICTS_MIN = 256,
    MEMORY_VERDICTS_MAX = 1 << 21, /* slots */
    MEMORY_SCOPES_MIN = 16,
    MEMORY_SCOPES_MAX = 1 << 16
};

struct judge_verdict {
    const struct json_node *value; /* NULL: empty */
    uint32_t node;
    uint32_t scope;
    uint32_t collection; /* that came here last */
    bool valid;
};

/* A resource entered in the scope `parent`. */
struct judge_scope {
    uint32_t parent;
    uint32_t resource;
    uint32_t first; /* scopes entered from this one; 0: none */
    uint32_t next;
};

/* ---- verdicts -------------------------------------------------------------------------------- */

static struct judge_verdict *memory_slot(const struct judge *judge, const struct json_node *value,
                                         uint32_t node, uint32_t scope)
{
    uint32_t mask = judge->verdict_slots - 1;
    uint64_t mix = ((uintptr_t)value / 16 * UINT64_C(0x9E3779B97F4A7C15)) ^
                   ((node + (uint64_t)scope * 0x10001) * UINT64_C(0xC2B2AE3D27D4EB4F));
    for (uint32_t at = (uint32_t)(mix >> 29);; at++) {
        struct judge_verdict *slot = &judge->verdicts[at & mask];
        if (slot->value == NULL ||
            (slot->value == value && slot->node == node && slot->scope == scope))
            return slot;
    }
}

bool judge_remembers(const struct judge *judge, uint32_t node)
{
    uint8_t flags = judge->program->internal->flags[node];
    if (judge->remembers_all || (flags & SCHEMA_NODE_KEPT) != 0)
        return true;
    return judge->steps < judge->remember_below && (flags & SCHEMA_NODE_SHARED) != 0;
}

enum outcome judge_recall(const struct judge *judge, uint32_t scope, uint32_t node,
                          struct json value)
{
    if (judge->verdict_count == 0)
        return OUTCOME_PENDING;
    const struct judge_verdict *slot = memory_slot(judge, value.node, node, scope);
    if (slot->value == NULL)
        return OUTCOME_PENDING;
    return slot->valid ? OUTCOME_VALID : OUTCOME_INVALID;
}

static bool memory_grow_verdicts(struct judge *judge)
{
    uint32_t old_slots = judge->verdict_slots;
    struct judge_verdict *old = judge->verdicts;
    uint32_t slots = old_slots == 0 ? MEMORY_VERDICTS_MIN : old_slots * 2;
    struct judge_verdict *verdicts = alloc_get(judge->alloc, slots * sizeof(*verdicts));
    if (verdicts == NULL) {
        judge_no_memory(judge);
        return false;
    }
    memset(verdicts, 0, slots * sizeof(*verdicts));
    judge->verdicts = verdicts;
    judge->verdict_slots = slots;
    for (uint32_t i = 0; i < old_slots; i++)
        if (old[i].value != NULL)
            *memory_slot(judge, old[i].value, old[i].node, old[i].scope) = old[i];
    alloc_free(judge->alloc, old, old_slots * sizeof(*old));
    return true;
}

void judge_remember(struct judge *judge, uint32_t scope, uint32_t node, struct json value,
                    bool valid)
{
    if (judge->verdict_count >= MEMORY_VERDICTS_MAX / 2)
        return;
    if (judge->verdict_count >= judge->verdict_slots / 2 && !memory_grow_verdicts(judge))
        return;
    struct judge_verdict *slot = memory_slot(judge, value.node, node, scope);
    if (slot->value == NULL)
        judge->verdict_count++;
    *slot =
        (struct judge_verdict){ .value = value.node, .node = node, .scope = scope, .valid = valid };
}

bool judge_visits_first(struct judge *judge, uint32_t scope, uint32_t node, struct json value,
                        uint32_t collection)
{
    if (judge->verdict_count == 0)
        return true;
    struct judge_verdict *slot = memory_slot(judge, value.node, node, scope);
    if (slot->value == NULL)
        return true;
    bool is_first = slot->collection != collection;
    slot->collection = collection;
    return is_first;
}

void judge_forget_verdicts(struct judge *judge)
{
    if (judge->verdict_count > 0)
        memset(judge->verdicts, 0, judge->verdict_slots * sizeof(*judge->verdicts));
    judge->verdict_count = 0;
}

void judge_release_memory(struct judge *judge)
{
    alloc_free(judge->alloc, judge->verdicts, judge->verdict_slots * sizeof(*judge->verdicts));
    alloc_free(judge->alloc, judge->scopes, judge->scope_capacity * sizeof(*judge->scopes));
}

/* ---- scopes ---------------------------------------------------------------------------------- */

/* The first row of a resource whose anchor is not below `anchor`. */
static const struct schema_dynamic_anchor *scope_row(const struct schema_program *program,
                                                     uint32_t resource, uint32_t anchor)
{
    uint32_t begin = 0;
    uint32_t end = program->dynamic_anchor_count;
    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2;
        const struct schema_dynamic_anchor *row = &program->dynamic_anchors[middle];
        if (row->resource < resource || (row->resource == resource && row->anchor < anchor))
            begin = middle + 1;
        else
            end = middle;
    }
    const struct schema_dynamic_anchor *row = &program->dynamic_anchors[begin];
    bool found = begin < program->dynamic_anchor_count && row->resource == resource;
    return found ? row : NULL;
}

/* Where the outermost resource with that anchor has it, or SCHEMA_NONE. */
static uint32_t scope_find(struct judge *judge, uint32_t scope, uint32_t anchor)
{
    uint32_t node = SCHEMA_NONE;
    for (; scope != 0 && judge_charge(judge, 1); scope = judge->scopes[scope].parent) {
        uint32_t resource = judge->scopes[scope].resource;
        const struct schema_dynamic_anchor *row = scope_row(judge->program, resource, anchor);
        if (row != NULL && row->anchor == anchor)
            node = row->node;
    }
    return node;
}

/* True if some anchor of the resource means nothing yet. */
static bool scope_adds(struct judge *judge, uint32_t scope, uint32_t resource)
{
    const struct schema_program *program = judge->program;
    const struct schema_dynamic_anchor *end =
        program->dynamic_anchors + program->dynamic_anchor_count;
    const struct schema_dynamic_anchor *row = scope_row(program, resource, 0);
    for (; row != NULL && row < end && row->resource == resource; row++)
        if (scope_find(judge, scope, row->anchor) == SCHEMA_NONE)
            return true;
    return false;
}

static bool scope_reserve(struct judge *judge)
{
    if (judge->scope_count < judge->scope_capacity)
        return true;
    struct judge_scope *scopes = judge_grow(judge, judge->scopes, &judge->scope_capacity,
                                            MEMORY_SCOPES_MIN, sizeof(*scopes));
    if (scopes == NULL)
        return false;
    judge->scopes = scopes;
    if (judge->scope_count == 0)
        judge->scopes[judge->scope_count++] = (struct judge_scope){ .resource = SCHEMA_NONE };
    return true;
}

uint32_t judge_enter(struct judge *judge, uint32_t scope, uint32_t node)
{
    if (judge->program->dynamic_anchor_count == 0)
        return 0;
    uint32_t resource = judge->program->nodes[node].resource;
    if (scope != 0 && judge->scopes[scope].resource == resource)
        return scope;
    if (!scope_adds(judge, scope, resource) || !scope_reserve(judge))
        return scope;
    uint32_t at = judge->scopes[scope].first;
    while (at != 0 && judge->scopes[at].resource != resource && judge_charge(judge, 1))
        at = judge->scopes[at].next;
    if (at != 0)
        return at;
    if (judge->scope_count == MEMORY_SCOPES_MAX) {
        if (judge->status == STATUS_OK)
            judge->status =
                error_set(judge->error, STATUS_UNSUPPORTED,
                          "judging the instance enters schemas in more than %d different orders",
                          MEMORY_SCOPES_MAX);
        return scope;
    }
    at = judge->scope_count++;
    judge->scopes[at] = (struct judge_scope){ .parent = scope,
                                              .resource = resource,
                                              .next = judge->scopes[scope].first };
    judge->scopes[scope].first = at;
    return at;
}

uint32_t judge_dynamic_target(struct judge *judge, uint32_t scope, const struct schema_op *op)
{
    uint32_t node = scope_find(judge, scope, op->b);
    return node == SCHEMA_NONE ? op->a : node;
}

/* judge_memory.c - the verdicts that the judge remembers.
 *
 * Owns: the table of verdicts, keyed by instance value, node and scope. Leaves to others: when to
 * ask (judge.c), what a scope is (judge_scope.c). Invariant: when the table is full nothing new is
 * remembered, which costs time, never a verdict.
 */
#include "base/features.h"

#include "schema/judge_frame.h"

enum {
    MEMORY_VERDICTS_MIN = 256,
    MEMORY_VERDICTS_MAX = 1 << 21 /* slots: 48 MiB */
};

struct judge_verdict {
    const struct json_node *value; /* NULL: empty */
    uint32_t node;
    uint32_t scope;
    uint32_t collection; /* that came here last */
    bool valid;
};

static struct judge_verdict *verdict_slot(const struct judge *judge, const struct json_node *value,
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
    const struct judge_verdict *slot = verdict_slot(judge, value.node, node, scope);
    if (slot->value == NULL)
        return OUTCOME_PENDING;
    return slot->valid ? OUTCOME_VALID : OUTCOME_INVALID;
}

static bool verdict_grow(struct judge *judge)
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
            *verdict_slot(judge, old[i].value, old[i].node, old[i].scope) = old[i];
    alloc_free(judge->alloc, old, old_slots * sizeof(*old));
    return true;
}

void judge_remember(struct judge *judge, uint32_t scope, uint32_t node, struct json value,
                    bool valid)
{
    if (judge->verdict_count >= MEMORY_VERDICTS_MAX / 2)
        return;
    if (judge->verdict_count >= judge->verdict_slots / 2 && !verdict_grow(judge))
        return;
    struct judge_verdict *slot = verdict_slot(judge, value.node, node, scope);
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
    struct judge_verdict *slot = verdict_slot(judge, value.node, node, scope);
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

void judge_release_verdicts(struct judge *judge)
{
    alloc_free(judge->alloc, judge->verdicts, judge->verdict_slots * sizeof(*judge->verdicts));
}

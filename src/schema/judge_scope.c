/* judge_scope.c - what dynamic references mean where the judge is.
 *
 * Owns: the scopes. Leaves to others: which scope a frame is in (judge.c). A scope says for each
 * anchor which node it leads to: that of the outermost resource entered so far that has the anchor
 * (2020-12 core section 8.2.3.2; $recursiveAnchor of 2019-09 is one more anchor). Invariant: there
 * is one scope for one meaning of all anchors, so that equal numbers mean equal verdicts, and
 * entering a resource that changes no meaning keeps the number.
 *
 * All scopes lie in one array of words: the heads of the buckets of a hash table, then for each
 * scope the next one of its bucket (0: none) and the nodes that the anchors lead to.
 */
#include "base/features.h"

#include "schema/judge_frame.h"

enum {
    SCOPE_BUCKETS = 64,
    SCOPE_WORDS_MIN = 256,
    SCOPE_WORDS_MAX = 1 << 22 /* 16 MiB */
};

static uint32_t *scope_at(const struct judge *judge, uint32_t scope)
{
    return judge->scope_words + SCOPE_BUCKETS + (size_t)scope * (1 + judge->scope_anchors);
}

/* The first row of a resource, or NULL; the others follow it. */
static const struct schema_dynamic_anchor *scope_rows(const struct schema_program *program,
                                                      uint32_t resource)
{
    uint32_t begin = 0;
    uint32_t end = program->dynamic_anchor_count;
    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2;
        if (program->dynamic_anchors[middle].resource < resource)
            begin = middle + 1;
        else
            end = middle;
    }
    bool found = begin < program->dynamic_anchor_count &&
                 program->dynamic_anchors[begin].resource == resource;
    return found ? &program->dynamic_anchors[begin] : NULL;
}

/* Room for one more scope behind the last. */
static bool scope_reserve(struct judge *judge)
{
    uint64_t wanted =
        SCOPE_BUCKETS + ((uint64_t)judge->scope_count + 1) * (1 + judge->scope_anchors);
    if (wanted > SCOPE_WORDS_MAX)
        return judge_exceeds(judge, "meanings of dynamic references", SCOPE_WORDS_MAX);
    while (judge->scope_capacity < wanted) {
        uint32_t *grown = judge_grow(judge, judge->scope_words, &judge->scope_capacity,
                                     SCOPE_WORDS_MIN, sizeof(*grown));
        if (grown == NULL)
            return false;
        judge->scope_words = grown;
    }
    return true;
}

/* Scope 0, in which no anchor means anything. */
static bool scope_begin(struct judge *judge)
{
    const struct schema_program *program = judge->program;
    for (uint32_t i = 0; i < program->dynamic_anchor_count; i++)
        if (program->dynamic_anchors[i].anchor >= judge->scope_anchors)
            judge->scope_anchors = program->dynamic_anchors[i].anchor + 1;
    if (!scope_reserve(judge))
        return false;
    memset(judge->scope_words, 0, SCOPE_BUCKETS * sizeof(*judge->scope_words));
    uint32_t *row = scope_at(judge, judge->scope_count++);
    row[0] = 0;
    for (uint32_t i = 0; i < judge->scope_anchors; i++)
        row[1 + i] = SCHEMA_NONE;
    return true;
}

/* The number of the scope that was written behind the last: its own, unless there is one like it.
 */
static uint32_t scope_settle(struct judge *judge)
{
    uint32_t *row = scope_at(judge, judge->scope_count);
    size_t bytes = judge->scope_anchors * sizeof(*row);
    uint32_t hash = 0;
    for (uint32_t i = 0; i < judge->scope_anchors; i++)
        hash = (hash ^ row[1 + i]) * UINT32_C(0x9E3779B1);
    uint32_t *bucket = &judge->scope_words[hash >> 16 & (SCOPE_BUCKETS - 1)];
    for (uint32_t at = *bucket; at != 0; at = scope_at(judge, at)[0])
        if (!judge_charge(judge, 1) || memcmp(scope_at(judge, at) + 1, row + 1, bytes) == 0)
            return at;
    row[0] = *bucket;
    *bucket = judge->scope_count;
    return judge->scope_count++;
}

uint32_t judge_enter(struct judge *judge, uint32_t scope, uint32_t node)
{
    const struct schema_program *program = judge->program;
    if (program->dynamic_anchor_count == 0)
        return 0;
    const struct schema_dynamic_anchor *end =
        program->dynamic_anchors + program->dynamic_anchor_count;
    uint32_t resource = program->nodes[node].resource;
    const struct schema_dynamic_anchor *first = scope_rows(program, resource);
    bool adds = false;
    if (first == NULL || (judge->scope_count == 0 && !scope_begin(judge)))
        return scope;
    for (const struct schema_dynamic_anchor *row = first; row < end && row->resource == resource;
         row++)
        adds = adds || scope_at(judge, scope)[1 + row->anchor] == SCHEMA_NONE;
    if (!adds || !judge_charge(judge, 1 + judge->scope_anchors) || !scope_reserve(judge))
        return scope;
    uint32_t *entered = scope_at(judge, judge->scope_count);
    memcpy(entered, scope_at(judge, scope), (1 + judge->scope_anchors) * sizeof(*entered));
    for (const struct schema_dynamic_anchor *row = first; row < end && row->resource == resource;
         row++)
        if (entered[1 + row->anchor] == SCHEMA_NONE)
            entered[1 + row->anchor] = row->node;
    return scope_settle(judge);
}

uint32_t judge_dynamic_target(const struct judge *judge, uint32_t scope, const struct schema_op *op)
{
    if (judge->scope_count == 0 || op->b >= judge->scope_anchors)
        return op->a;
    uint32_t node = scope_at(judge, scope)[1 + op->b];
    return node == SCHEMA_NONE ? op->a : node;
}

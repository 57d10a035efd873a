/* fast_union.c - what tells the alternatives of a union of objects apart.
 *
 * Owns: filters: for each member name that some branch knows, the set of branches (a bit each) that
 * its value leaves possible, by the kind of the value and by the strings a branch lists; the
 * branches that allow other names; the branches that require a name. One pass over the members then
 * intersects these sets, and mostly one branch or none is left to be run. A filter only ever drops
 * branches that would fail; what it does not look into stays possible. Invariant: at most
 * FAST_FILTER_BRANCHES branches and required names, else there is no filter.
 */
#include "base/features.h"

#include "schema/fast_builder.h"

#include <stdio.h>

enum {
    UNION_DEPTH_MAX = 8,
    UNION_STEPS_MAX = 64, /* nodes that are looked into for one branch */
    UNION_PLANS_MAX = 8,
    UNION_KEYS_MAX = 4096,
    UNION_VALUES_MAX = 64
};

/* The member plans that an object of one branch must satisfy. */
struct union_branch {
    const struct schema_plan *plans[UNION_PLANS_MAX];
    uint32_t plan_count;
    uint32_t steps;
};

struct union_build {
    struct fast_builder *builder;
    struct union_branch *branches;
    uint32_t branch_count;
    struct vector keys;   /* struct fast_filter_key */
    struct vector values; /* struct fast_filter_value */
    uint64_t closed;      /* branches that forbid unknown names */
    uint32_t *slots;      /* key numbers + 1, while building */
    uint32_t slot_mask;
};

/* ---- branches -------------------------------------------------------------------------------- */

/* References and allOf are conditions too; more of them than fit are left to the run. */
static void branch_collect(const struct fast_builder *builder, uint32_t node,
                           struct union_branch *branch, unsigned depth)
{
    const struct schema_program *program = builder->program;
    if (branch->steps++ >= UNION_STEPS_MAX)
        return;
    node = program->internal->alias[node];
    if (program->internal->plans[node] != NULL && branch->plan_count < UNION_PLANS_MAX)
        branch->plans[branch->plan_count++] = program->internal->plans[node];
    const struct schema_op *ops = schema_node_ops(program, node);
    for (uint32_t i = 0; depth < UNION_DEPTH_MAX && i < program->nodes[node].op_count; i++) {
        if (ops[i].opcode == SCHEMA_OP_REF)
            branch_collect(builder, ops[i].a, branch, depth + 1);
        if (ops[i].opcode == SCHEMA_OP_ALL_OF)
            for (uint32_t k = 0; k < ops[i].b && branch->steps < UNION_STEPS_MAX; k++)
                branch_collect(builder, program->children[ops[i].a + k], branch, depth + 1);
    }
}

static bool plan_is_closed(const struct fast_builder *builder, const struct schema_plan *plan)
{
    return plan->additional != SCHEMA_NONE && plan->pattern_count == 0 &&
           builder->program->internal->narrow_types[plan->additional] == 0;
}

/* ---- keys ------------------------------------------------------------------------------------ */

static uint64_t branches_below(uint32_t count)
{
    return count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

static struct fast_filter_key *union_key(struct union_build *build, const struct schema_key *key)
{
    uint32_t at = key->hash & build->slot_mask;
    for (; build->slots[at] != 0; at = (at + 1) & build->slot_mask) {
        struct fast_filter_key *found = vector_at(&build->keys, build->slots[at] - 1);
        if (found->name.hash == key->hash &&
            str_equal(str_of(found->name.ptr, found->name.len), key->name))
            return found;
    }
    build->slots[at] = build->keys.count + 1;
    struct fast_filter_key *added = fast_push(build->builder, &build->keys);
    if (added == NULL)
        return NULL;
    added->name = fast_name_of(build->builder, key->name);
    if (build->builder->failed)
        return NULL;
    added->required_bit = SCHEMA_NONE;
    added->other_strings = UINT64_MAX;
    added->other_numbers = UINT64_MAX;
    for (unsigned kind = 0; kind < FAST_KINDS; kind++)
        added->by_kind[kind] = UINT64_MAX;
    return added;
}

/* The enum of a property, unless it is long. */
static const struct schema_op *union_enum(const struct fast_builder *builder, uint32_t node)
{
    const struct schema_program *program = builder->program;
    const struct schema_op *op =
        schema_node_find(program, program->internal->alias[node], SCHEMA_OP_ENUM);
    if (op == NULL || op->b > UNION_VALUES_MAX)
        return NULL;
    return op;
}

/* The kinds of the values that a property takes. */
static uint16_t union_kinds(const struct fast_builder *builder, uint32_t node)
{
    uint16_t kinds = fast_accepts(builder, node);
    const struct schema_op *op = union_enum(builder, node);
    if (op == NULL)
        return kinds;
    uint16_t listed = 0;
    for (uint32_t i = 0; i < op->b; i++) {
        enum fast_class class = fast_class_of(fast_kind(builder->program->values[op->a + i].node));
        if (class == FAST_SCALAR)
            listed |= (uint16_t)(1u << fast_kind(builder->program->values[op->a + i].node));
        else
            listed |= fast_class_kinds(class);
    }
    return kinds & listed;
}

/* Every integer that the enum lists fits a word, so that its text can be written. */
static bool union_numbers_are_words(const struct fast_builder *builder, const struct schema_op *op)
{
    for (uint32_t i = 0; i < op->b; i++) {
        struct json value = builder->program->values[op->a + i];
        if (json_type(value) != JSON_NUMBER)
            continue;
        struct decimal number = json_number(value);
        int64_t word;
        if (decimal_is_integer(&number) && !decimal_to_int64(&number, &word))
            return false;
    }
    return true;
}

static void union_add_property(struct union_build *build, struct fast_filter_key *key,
                               uint32_t branch, uint32_t node)
{
    uint64_t bit = UINT64_C(1) << branch;
    uint16_t kinds = union_kinds(build->builder, node);
    for (unsigned kind = 0; kind < FAST_KINDS; kind++)
        if ((kinds >> kind & 1) == 0)
            key->by_kind[kind] &= ~bit;
    const struct schema_op *op = union_enum(build->builder, node);
    if (op == NULL)
        return;
    key->other_strings &= ~bit;
    if (union_numbers_are_words(build->builder, op))
        key->other_numbers &= ~bit;
}

static void union_add_plan(struct union_build *build, uint32_t branch,
                           const struct schema_plan *plan)
{
    for (uint32_t i = 0; i < plan->key_count && !build->builder->failed; i++) {
        struct fast_filter_key *key = union_key(build, &plan->keys[i]);
        if (key == NULL)
            return;
        if (plan->keys[i].required != SCHEMA_NONE)
            key->required_by |= UINT64_C(1) << branch;
        if (plan->keys[i].node != SCHEMA_NONE)
            union_add_property(build, key, branch, plan->keys[i].node);
    }
}

/* A closed branch does not take the names that it lacks. */
static void union_close(struct union_build *build, uint32_t branch, const struct schema_plan *plan)
{
    uint64_t bit = UINT64_C(1) << branch;
    build->closed |= bit;
    for (uint32_t i = 0; i < build->keys.count; i++) {
        struct fast_filter_key *key = vector_at(&build->keys, i);
        uint32_t found =
            schema_plan_find(plan, str_of(key->name.ptr, key->name.len), key->name.hash);
        if (found != SCHEMA_NONE && plan->keys[found].node != SCHEMA_NONE)
            continue;
        for (unsigned kind = 0; kind < FAST_KINDS; kind++)
            key->by_kind[kind] &= ~bit;
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

/* The branches whose list for a key has that value, or that list nothing. */
static void union_add_text(struct union_build *build, struct fast_filter_key *key, uint32_t branch,
                           struct str text, bool is_number)
{
    for (uint32_t i = key->value_first; i < build->values.count; i++) {
        struct fast_filter_value *value = vector_at(&build->values, i);
        if (value->is_number == is_number &&
            str_equal(str_of(value->name.ptr, value->name.len), text)) {
            value->branches |= UINT64_C(1) << branch;
            return;
        }
    }
    struct fast_filter_value *added = fast_push(build->builder, &build->values);
    if (added == NULL)
        return;
    added->name = fast_name_of(build->builder, text);
    if (build->builder->failed)
        return;
    added->is_number = is_number;
    added->branches = (is_number ? key->other_numbers : key->other_strings) | UINT64_C(1) << branch;
    key->value_count++;
}

static void union_add_value(struct union_build *build, struct fast_filter_key *key, uint32_t branch,
                            struct json value)
{
    enum { WORD_TEXT_BYTES = 24 };
    char text[WORD_TEXT_BYTES];
    int64_t word;
    if (json_type(value) == JSON_STRING)
        union_add_text(build, key, branch, json_string(value), false);
    if (json_type(value) != JSON_NUMBER)
        return;
    struct decimal number = json_number(value);
    if (!decimal_to_int64(&number, &word))
        return;
    int len = snprintf(text, sizeof(text), "%lld", (long long)word);
    union_add_text(build, key, branch, str_of(text, (size_t)len), true);
}

static void union_fill_values(struct union_build *build, struct fast_filter_key *key)
{
    const struct schema_program *program = build->builder->program;
    key->value_first = build->values.count;
    for (uint32_t b = 0; b < build->branch_count; b++) {
        const struct union_branch *branch = &build->branches[b];
        for (uint32_t p = 0; p < branch->plan_count; p++) {
            const struct schema_plan *plan = branch->plans[p];
            uint32_t found =
                schema_plan_find(plan, str_of(key->name.ptr, key->name.len), key->name.hash);
            if (found == SCHEMA_NONE || plan->keys[found].node == SCHEMA_NONE)
                continue;
            const struct schema_op *op = union_enum(build->builder, plan->keys[found].node);
            for (uint32_t i = 0; op != NULL && i < op->b && !build->builder->failed; i++)
                union_add_value(build, key, b, program->values[op->a + i]);
        }
    }
}

/* ---- the filter ------------------------------------------------------------------------------ */

static bool union_number_required(struct union_build *build, struct fast_filter *filter)
{
    uint32_t *required = fast_take(build->builder, FAST_FILTER_BRANCHES, sizeof(*required));
    uint32_t count = 0;
    if (required == NULL)
        return false;
    for (uint32_t i = 0; i < build->keys.count; i++) {
        struct fast_filter_key *key = vector_at(&build->keys, i);
        if (key->required_by == 0 || count == FAST_FILTER_BRANCHES)
            continue;
        key->required_bit = count;
        filter->required |= UINT64_C(1) << count;
        required[count++] = i;
    }
    filter->required_keys = required;
    return true;
}

static uint32_t union_finish(struct union_build *build)
{
    struct fast_builder *builder = build->builder;
    struct fast_filter filter = { .all = branches_below(build->branch_count) };
    filter.open = filter.all & ~build->closed;
    for (uint32_t i = 0; i < build->keys.count && !builder->failed; i++)
        union_fill_values(build, vector_at(&build->keys, i));
    if (!union_number_required(build, &filter))
        return SCHEMA_NONE;
    struct fast_filter_key *keys = fast_take(builder, build->keys.count, sizeof(*keys));
    struct fast_filter_value *values = fast_take(builder, build->values.count, sizeof(*values));
    if (values == NULL)
        return SCHEMA_NONE;
    if (build->keys.count > 0)
        memcpy(keys, build->keys.items, build->keys.count * sizeof(*keys));
    if (build->values.count > 0)
        memcpy(values, build->values.items, build->values.count * sizeof(*values));
    filter.keys = keys;
    filter.values = values;
    filter.slots =
        fast_slots_for(builder, &keys->name, sizeof(*keys), build->keys.count, &filter.slot_mask);
    uint32_t index = builder->filters.count;
    struct fast_filter *row = fast_push(builder, &builder->filters);
    if (row == NULL)
        return SCHEMA_NONE;
    *row = filter;
    return index;
}

static uint32_t union_build(struct union_build *build, const uint32_t *branches)
{
    uint32_t keys = 0;
    for (uint32_t i = 0; i < build->branch_count; i++) {
        branch_collect(build->builder, branches[i], &build->branches[i], 0);
        for (uint32_t p = 0; p < build->branches[i].plan_count; p++)
            keys += build->branches[i].plans[p]->key_count;
    }
    if (keys == 0 || keys > UNION_KEYS_MAX)
        return SCHEMA_NONE;
    uint32_t slots = schema_slots_for(keys);
    build->slots = alloc_get(build->builder->alloc, slots * sizeof(*build->slots));
    if (build->slots == NULL) {
        build->builder->failed = true;
        return SCHEMA_NONE;
    }
    memset(build->slots, 0, slots * sizeof(*build->slots));
    build->slot_mask = slots - 1;
    for (uint32_t i = 0; i < build->branch_count; i++)
        for (uint32_t p = 0; p < build->branches[i].plan_count; p++)
            union_add_plan(build, i, build->branches[i].plans[p]);
    for (uint32_t i = 0; i < build->branch_count && !build->builder->failed; i++)
        for (uint32_t p = 0; p < build->branches[i].plan_count; p++)
            if (plan_is_closed(build->builder, build->branches[i].plans[p]))
                union_close(build, i, build->branches[i].plans[p]);
    uint32_t filter = build->builder->failed ? SCHEMA_NONE : union_finish(build);
    alloc_free(build->builder->alloc, build->slots, slots * sizeof(*build->slots));
    return filter;
}

uint32_t fast_filter_for(struct fast_builder *builder, const uint32_t *branches, uint32_t count)
{
    struct union_build build = { .builder = builder, .branch_count = count };
    if (count > FAST_FILTER_BRANCHES || builder->failed)
        return SCHEMA_NONE;
    size_t bytes = count * sizeof(*build.branches);
    build.branches = alloc_get(builder->alloc, bytes);
    if (build.branches == NULL) {
        builder->failed = true;
        return SCHEMA_NONE;
    }
    memset(build.branches, 0, bytes);
    build.keys.item_size = sizeof(struct fast_filter_key);
    build.values.item_size = sizeof(struct fast_filter_value);
    uint32_t filter = union_build(&build, branches);
    vector_release(&build.keys, builder->alloc);
    vector_release(&build.values, builder->alloc);
    alloc_free(builder->alloc, build.branches, bytes);
    return filter;
}

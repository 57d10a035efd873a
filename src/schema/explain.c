/* explain.c - which faults an invalid instance has: one each, the cause rather than its parents.
 *
 * Owns: the walk from the root down through everything that was judged invalid. Leaves to others:
 * the choice among alternatives (explain_choice.c), verdicts (judge.c, which remembers all of them
 * here), words (message.c). The walk is a work list, not a recursion; both the list and the faults
 * are bounded. Every verdict is asked for at most once per (node, value), so the whole costs about
 * as much as judging with all keywords.
 */
#include "base/features.h"

#include "schema/explain_walk.h"

#include "base/limits.h"
#include "schema/suggest.h"

enum {
    EXPLAIN_WORK_MAX = 4096,   /* pairs of node and value to look at */
    EXPLAIN_FAULTS_MAX = 1024, /* faults before the first ones are chosen */
    EXPLAIN_IN_PLACE_MAX = 64  /* nodes whose names are */
};

/* ---- collecting ------------------------------------------------------------------------------ */

static void explain_no_memory(struct explain *explain)
{
    if (explain->judge->status == STATUS_OK)
        explain->judge->status = STATUS_NO_MEMORY;
}

struct fault *explain_add(struct explain *explain, enum fault_kind kind, uint32_t node,
                          const struct schema_op *op, struct json value)
{
    explain->found = true;
    if (explain->faults.count == EXPLAIN_FAULTS_MAX) {
        explain->more = true;
        return &explain->spare;
    }
    struct fault *fault = vector_push(&explain->faults, explain->judge->alloc);
    if (fault == NULL) {
        explain_no_memory(explain);
        return &explain->spare;
    }
    *fault = (struct fault){
        .kind = (uint8_t)kind, .node = node, .op = op, .value = value, .choice = explain->now.choice
    };
    return fault;
}

void explain_push(struct explain *explain, uint32_t node, struct json value,
                  const struct fault_choice *choice)
{
    node = explain->program->internal->alias[node];
    uint32_t scope = judge_enter(explain->judge, explain->now.scope, node);
    explain->found = true;
    for (uint32_t i = explain->work.count; i-- > 0;) {
        const struct explain_work *work = vector_at(&explain->work, i);
        if (work->node == node && work->value.node == value.node && work->scope == scope)
            return;
    }
    if (explain->work.count == EXPLAIN_WORK_MAX) {
        explain->more = true;
        return;
    }
    struct explain_work *work = vector_push(&explain->work, explain->judge->alloc);
    if (work == NULL)
        explain_no_memory(explain);
    else
        *work = (struct explain_work){
            .value = value, .choice = *choice, .node = node, .scope = scope
        };
}

bool explain_judge(struct explain *explain, uint32_t node, struct json value)
{
    return judge_value_in(explain->judge, explain->now.scope, node, value);
}

/* Pushes what is invalid. */
static void explain_check(struct explain *explain, uint32_t node, struct json value)
{
    if (!explain_judge(explain, node, value) && explain->judge->status == STATUS_OK)
        explain_push(explain, node, value, &explain->now.choice);
}

bool explain_is_false(const struct explain *explain, uint32_t node)
{
    const struct schema_node *row =
        &explain->program->nodes[explain->program->internal->alias[node]];
    return row->types == 0 && row->op_count == 0;
}

/* ---- members --------------------------------------------------------------------------------- */

/* Offers the names that a node knows and the object does not have. */
static void explain_offer_names(const struct schema_plan *plan, struct json object,
                                struct suggestion *suggestion)
{
    for (uint32_t i = 0; i < plan->key_count; i++) {
        struct suggestion trial = *suggestion;
        suggestion_offer(&trial, plan->keys[i].name);
        if (trial.distance < suggestion->distance &&
            !json_exists(json_get(object, plan->keys[i].name)))
            *suggestion = trial;
    }
}

/* The next of the nodes that judge the same value as one of those listed; each is listed once. */
static uint32_t explain_list_in_place(const struct schema_program *program, uint32_t node,
                                      uint32_t *nodes, uint32_t count)
{
    const struct schema_op *ops = schema_node_ops(program, node);
    for (uint32_t i = 0; i < program->nodes[node].op_count; i++) {
        uint32_t child;
        bool in_place;
        for (uint32_t k = 0; schema_op_child(program, &ops[i], k, &child, &in_place); k++) {
            if (!in_place || child == SCHEMA_NONE || count == EXPLAIN_IN_PLACE_MAX)
                continue;
            child = program->internal->alias[child];
            uint32_t at = 0;
            while (at < count && nodes[at] != child)
                at++;
            nodes[at] = child;
            count += at == count;
        }
    }
    return count;
}

/* The known name that the member's name was probably meant to be: known to the node, or with
 * everywhere to those that judge the object too. */
static struct str explain_near_name(struct explain *explain, uint32_t node, bool everywhere,
                                    struct json object, struct str name)
{
    const struct schema_plan *const *plans = explain->program->internal->plans;
    uint32_t nodes[EXPLAIN_IN_PLACE_MAX] = { node };
    uint32_t count = 1;
    struct suggestion suggestion;
    suggestion_init(&suggestion, name);
    if (explain->suggestions == EXPLAIN_SUGGESTIONS_MAX)
        return suggestion.best;
    explain->suggestions++;
    for (uint32_t i = 0; i < count; i++) {
        const struct schema_plan *plan = plans[nodes[i]];
        if (plan != NULL && plan->key_count <= EXPLAIN_CANDIDATES_MAX)
            explain_offer_names(plan, object, &suggestion);
        if (everywhere)
            count = explain_list_in_place(explain->program, nodes[i], nodes, count);
    }
    return suggestion.best;
}

static bool explain_pattern_matches(struct explain *explain, const struct schema_plan *plan,
                                    uint32_t index, struct json member)
{
    const struct schema_pattern_property *row =
        &explain->program->pattern_properties[plan->pattern_first + index];
    bool matches = judge_finds(explain->judge, row->pattern, json_member_name(member));
    if (matches)
        explain_check(explain, row->node, member);
    return matches;
}

static void explain_member(struct explain *explain, uint32_t node, const struct schema_plan *plan,
                           struct json object, struct json member)
{
    uint32_t key = SCHEMA_NONE;
    if (plan->key_count > 0)
        key = schema_plan_find(plan, json_member_name(member), json_member_hash(member));
    bool matched = key != SCHEMA_NONE && plan->keys[key].node != SCHEMA_NONE;
    if (matched && explain_is_false(explain, plan->keys[key].node)) {
        const struct schema_op *op = schema_node_find(explain->program, node, SCHEMA_OP_PROPERTIES);
        explain_add(explain, FAULT_UNKNOWN, node, op, member)->name = json_member_name(member);
    } else if (matched) {
        explain_check(explain, plan->keys[key].node, member);
    }
    for (uint32_t i = 0; i < plan->pattern_count; i++)
        matched = explain_pattern_matches(explain, plan, i, member) || matched;
    if (!matched && plan->additional != SCHEMA_NONE) {
        if (explain_is_false(explain, plan->additional)) {
            const struct schema_op *op =
                schema_node_find(explain->program, node, SCHEMA_OP_ADDITIONAL);
            struct fault *fault = explain_add(explain, FAULT_UNKNOWN, node, op, member);
            fault->name = json_member_name(member);
            fault->near = explain_near_name(explain, node, false, object, fault->name);
        } else {
            explain_check(explain, plan->additional, member);
        }
    }
    if (plan->property_names != SCHEMA_NONE)
        explain_check(explain, plan->property_names, (struct json){ member.doc, member.node - 1 });
}

/* A member that was misspelt is one fault, not a missing and an unknown one. */
static bool explain_is_misspelt(const struct explain *explain, uint32_t first_fault,
                                struct str name)
{
    for (uint32_t i = first_fault; i < explain->faults.count; i++) {
        const struct fault *fault = vector_at(&explain->faults, i);
        if (fault->kind == FAULT_UNKNOWN && str_equal(fault->near, name))
            return true;
    }
    return false;
}

static void explain_members(struct explain *explain, uint32_t node, struct json object)
{
    const struct schema_plan *plan = explain->program->internal->plans[node];
    const struct schema_op *required = schema_node_find(explain->program, node, SCHEMA_OP_REQUIRED);
    uint32_t first_fault = explain->faults.count;
    for (struct json v = json_first(object); json_exists(v); v = json_next(v, object)) {
        if (!judge_charge(explain->judge, 1))
            return;
        explain_member(explain, node, plan, object, v);
    }
    for (uint32_t i = 0; required != NULL && i < required->b; i++) {
        struct str name = explain->program->names[required->a + i];
        if (json_exists(judge_member(explain->judge, object, name)) ||
            explain->judge->status != STATUS_OK || explain_is_misspelt(explain, first_fault, name))
            continue;
        explain_add(explain, FAULT_MISSING, node, required, object)->name = name;
    }
}

static void explain_dependent(struct explain *explain, uint32_t node, const struct schema_op *op,
                              struct json object)
{
    const struct str *names = explain->program->names;
    if (!json_exists(judge_member(explain->judge, object, names[op->a])))
        return;
    for (uint32_t i = op->b; i < op->b + op->c; i++) {
        if (json_exists(judge_member(explain->judge, object, names[i])))
            continue;
        struct fault *fault = explain_add(explain, FAULT_DEPENDENT, node, op, object);
        fault->name = names[i];
        fault->other = names[op->a];
    }
}

/* ---- items ----------------------------------------------------------------------------------- */

static void explain_items(struct explain *explain, uint32_t node, const struct schema_op *op,
                          struct json array)
{
    uint32_t index = 0;
    bool is_prefix = op->opcode == SCHEMA_OP_PREFIX_ITEMS;
    for (struct json v = json_first(array); json_exists(v); v = json_next(v, array), index++) {
        if (is_prefix ? index >= op->b : index < op->b)
            continue;
        if (!is_prefix && explain_is_false(explain, op->a)) {
            struct fault *fault = explain_add(explain, FAULT_EXTRA_ITEM, node, op, array);
            fault->first = op->b;
            fault->place = v;
            return;
        }
        explain_check(explain, is_prefix ? explain->program->children[op->a + index] : op->a, v);
    }
}

static void explain_contains(struct explain *explain, uint32_t node, const struct schema_op *op,
                             struct json array)
{
    uint32_t count = 0;
    for (struct json v = json_first(array); json_exists(v); v = json_next(v, array))
        count += explain_judge(explain, op->a, v);
    if (count < op->b)
        explain_add(explain, FAULT_TOO_FEW, node, op, array)->first = op->b;
    else if (count > op->c)
        explain_add(explain, FAULT_TOO_MANY, node, op, array)->first = op->c;
}

static uint32_t explain_index_of(struct json array, struct json item)
{
    uint32_t index = 0;
    for (struct json v = json_first(array); json_exists(v) && v.node != item.node;
         v = json_next(v, array))
        index++;
    return index;
}

static void explain_twins(struct explain *explain, uint32_t node, const struct schema_op *op,
                          struct json array)
{
    struct json first;
    struct json second;
    if (!judge_find_twins(explain->judge, array, &first, &second))
        return;
    struct fault *fault = explain_add(explain, FAULT_TWINS, node, op, array);
    fault->first = explain_index_of(array, first);
    fault->second = explain_index_of(array, second);
    fault->place = second;
}

/* ---- what nothing evaluated ------------------------------------------------------------------ */

static void explain_left(struct explain *explain, uint32_t node, const struct schema_op *op,
                         struct json container, struct json child, uint32_t index)
{
    bool is_member = op->opcode == SCHEMA_OP_UNEVALUATED_PROPERTIES;
    if (!explain_is_false(explain, op->a)) {
        explain_check(explain, op->a, child);
        return;
    }
    struct fault *fault =
        explain_add(explain, is_member ? FAULT_UNKNOWN : FAULT_LEFT_ITEM, node, op, child);
    fault->first = index;
    if (!is_member)
        return;
    fault->name = json_member_name(child);
    fault->near = explain_near_name(explain, node, true, container, fault->name);
}

/* Only when all else is right in the node is it known what is evaluated. */
static void explain_unevaluated(struct explain *explain, uint32_t node, const struct schema_op *op,
                                struct json value)
{
    struct judge *judge = explain->judge;
    size_t bytes = (json_count(value) / 64 + 1) * sizeof(uint64_t);
    uint64_t *bits = explain->found ? NULL : alloc_get(judge->alloc, bytes);
    uint32_t index = 0;
    if (bits == NULL) {
        if (!explain->found)
            explain_no_memory(explain);
        return;
    }
    memset(bits, 0, bytes);
    judge_evaluated(judge, explain->now.scope, node, value, bits);
    for (struct json v = json_first(value); json_exists(v) && judge->status == STATUS_OK;
         v = json_next(v, value), index++)
        if ((bits[index / 64] >> (index % 64) & 1) == 0)
            explain_left(explain, node, op, value, v, index);
    alloc_free(judge->alloc, bits, bytes);
}

/* ---- one node -------------------------------------------------------------------------------- */

/* The enum value that a string was probably meant to be. */
static struct str explain_near_value(struct explain *explain, const struct schema_op *op,
                                     struct json value)
{
    struct suggestion suggestion = { .best = { NULL, 0 } };
    if (schema_type_of(value) != SCHEMA_STRING || op->b > EXPLAIN_CANDIDATES_MAX ||
        explain->suggestions == EXPLAIN_SUGGESTIONS_MAX)
        return suggestion.best;
    explain->suggestions++;
    suggestion_init(&suggestion, json_string(value));
    for (uint32_t i = op->a; i < op->a + op->b; i++)
        if (json_type(explain->program->values[i]) == JSON_STRING)
            suggestion_offer(&suggestion, json_string(explain->program->values[i]));
    return suggestion.best;
}

static void explain_flat(struct explain *explain, uint32_t node, const struct schema_op *op,
                         struct json value)
{
    if (judge_flat_op(explain->judge, op, value) || explain->judge->status != STATUS_OK)
        return;
    struct fault *fault = explain_add(explain, FAULT_OP, node, op, value);
    if (op->opcode == SCHEMA_OP_ENUM)
        fault->near = explain_near_value(explain, op, value);
}

/* As explain_check, told for a condition. */
static void explain_check_for(struct explain *explain, struct fault_choice choice, uint32_t node,
                              struct json value)
{
    struct fault_choice outer = explain->now.choice;
    explain->now.choice = choice;
    explain_check(explain, node, value);
    explain->now.choice = outer;
}

static void explain_if(struct explain *explain, uint32_t node, const struct schema_op *op,
                       struct json value)
{
    bool condition = explain_judge(explain, op->a, value);
    uint32_t branch = condition ? op->b : op->c;
    const struct fault_choice choice = { op, node, condition ? 0 : 1 };
    if (branch != SCHEMA_NONE && explain->judge->status == STATUS_OK)
        explain_check_for(explain, choice, branch, value);
}

static void explain_op(struct explain *explain, uint32_t node, const struct schema_op *op,
                       struct json value)
{
    struct judge *judge = explain->judge;
    switch ((enum schema_opcode)op->opcode) {
    case SCHEMA_OP_TYPE:
    case SCHEMA_OP_ENUM:
    case SCHEMA_OP_MINIMUM:
    case SCHEMA_OP_MAXIMUM:
    case SCHEMA_OP_MULTIPLE_OF:
    case SCHEMA_OP_MIN_LENGTH:
    case SCHEMA_OP_MAX_LENGTH:
    case SCHEMA_OP_PATTERN:
    case SCHEMA_OP_FORMAT:
    case SCHEMA_OP_CONTENT:
    case SCHEMA_OP_MIN_ITEMS:
    case SCHEMA_OP_MAX_ITEMS:
    case SCHEMA_OP_MIN_PROPERTIES:
    case SCHEMA_OP_MAX_PROPERTIES: explain_flat(explain, node, op, value); return;
    case SCHEMA_OP_UNIQUE_ITEMS: explain_twins(explain, node, op, value); return;
    case SCHEMA_OP_DEPENDENT_REQUIRED: explain_dependent(explain, node, op, value); return;
    case SCHEMA_OP_PREFIX_ITEMS:
    case SCHEMA_OP_ITEMS: explain_items(explain, node, op, value); return;
    case SCHEMA_OP_CONTAINS: explain_contains(explain, node, op, value); return;
    case SCHEMA_OP_PROPERTIES:
    case SCHEMA_OP_PATTERN_PROPERTIES:
    case SCHEMA_OP_ADDITIONAL:
    case SCHEMA_OP_PROPERTY_NAMES:
    case SCHEMA_OP_REQUIRED: explain_members(explain, node, value); return;
    case SCHEMA_OP_DEPENDENT_SCHEMA:
        if (json_exists(judge_member(judge, value, explain->program->names[op->a])))
            explain_check_for(explain, (struct fault_choice){ op, node, 0 }, op->b, value);
        return;
    case SCHEMA_OP_REF: explain_check(explain, op->a, value); return;
    case SCHEMA_OP_ALL_OF:
        for (uint32_t i = op->a; i < op->a + op->b; i++)
            explain_check(explain, explain->program->children[i], value);
        return;
    case SCHEMA_OP_ANY_OF:
    case SCHEMA_OP_ONE_OF: explain_alternatives(explain, node, op, value); return;
    case SCHEMA_OP_NOT:
        if (explain_judge(explain, op->a, value))
            explain_add(explain, FAULT_OP, node, op, value);
        return;
    case SCHEMA_OP_IF: explain_if(explain, node, op, value); return;
    case SCHEMA_OP_DYNAMIC_REF:
        explain_check(explain, judge_dynamic_target(judge, explain->now.scope, op), value);
        return;
    case SCHEMA_OP_UNEVALUATED_ITEMS:
    case SCHEMA_OP_UNEVALUATED_PROPERTIES: explain_unevaluated(explain, node, op, value); return;
    }
}

/* The type is wrong: that is the only fault, told by the values where they are listed. */
static void explain_type(struct explain *explain, uint32_t node, struct json value)
{
    const struct schema_op *values = schema_node_find(explain->program, node, SCHEMA_OP_ENUM);
    const struct schema_op *type = schema_node_find(explain->program, node, SCHEMA_OP_TYPE);
    if (values != NULL)
        explain_add(explain, FAULT_OP, node, values, value);
    else if (type != NULL)
        explain_add(explain, FAULT_OP, node, type, value);
    else if (explain->program->nodes[node].types == 0)
        explain_add(explain, FAULT_FALSE, node, NULL, value);
    else
        explain_add(explain, FAULT_TYPE, node, NULL, value)->types =
            explain->program->nodes[node].types;
}

static void explain_node(struct explain *explain, uint32_t node, struct json value)
{
    const struct schema_node *row = &explain->program->nodes[node];
    const struct schema_op *op = schema_node_ops(explain->program, node);
    const struct schema_op *end = op + row->op_count;
    const struct schema_plan *plan = explain->program->internal->plans[node];
    uint8_t bit = schema_type_of(value);
    explain->found = false;
    if ((row->types & bit) == 0) {
        explain_type(explain, node, value);
        return;
    }
    while (op < end && explain->judge->status == STATUS_OK) {
        bool is_plan = op->opcode >= SCHEMA_OP_PROPERTIES && op->opcode <= SCHEMA_OP_REQUIRED;
        if ((op->types & bit) != 0)
            explain_op(explain, node, op, value);
        op += is_plan ? plan->op_count : 1;
    }
}

/* ---- the list -------------------------------------------------------------------------------- */

static size_t explain_offset(const struct fault *fault)
{
    struct json value = json_exists(fault->place) ? fault->place : fault->value;
    return json_node_type(value.node) == JSON_NODE_NAME ? value.node->offset : json_offset(value);
}

/* Stable, by place in the instance. */
static void explain_sort(struct vector *faults)
{
    for (uint32_t i = 1; i < faults->count; i++) {
        struct fault fault = *(struct fault *)vector_at(faults, i);
        uint32_t at = i;
        for (; at > 0 && explain_offset(vector_at(faults, at - 1)) > explain_offset(&fault); at--)
            memcpy(vector_at(faults, at), vector_at(faults, at - 1), sizeof(fault));
        memcpy(vector_at(faults, at), &fault, sizeof(fault));
    }
}

static enum status explain_write(struct explain *explain, struct schema_violations *violations)
{
    uint32_t max = violations->count_max == 0 ? LIMIT_VIOLATIONS : violations->count_max;
    uint32_t count = explain->faults.count < max ? explain->faults.count : max;
    struct schema_violation *items = arena_take_array(violations->arena, count, sizeof(*items));
    if (items == NULL)
        return STATUS_NO_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        enum status status =
            schema_fault_write(explain->program, vector_at(&explain->faults, i),
                               explain->judge->alloc, violations->arena, &items[i]);
        if (status != STATUS_OK)
            return status;
    }
    violations->items = items;
    violations->count = count;
    violations->more = explain->more || explain->faults.count > count;
    return STATUS_OK;
}

static void explain_walk(struct explain *explain, struct json instance)
{
    if ((explain->program->nodes[0].types & schema_type_of(instance)) == 0)
        explain_type(explain, 0, instance);
    else
        explain_push(explain, 0, instance, &explain->now.choice);
    for (uint32_t i = 0; i < explain->work.count && explain->judge->status == STATUS_OK; i++) {
        explain->now = *(struct explain_work *)vector_at(&explain->work, i);
        explain_node(explain, explain->now.node, explain->now.value);
    }
}

void schema_explain(struct judge *judge, struct json instance, struct schema_violations *violations)
{
    struct explain explain = {
        .judge = judge,
        .program = judge->program,
        .work = { .item_size = sizeof(struct explain_work) },
        .faults = { .item_size = sizeof(struct fault) },
    };
    struct error *error = judge->error;
    judge->error = NULL;
    judge->steps = judge->steps_max;
    judge_remember_all(judge);
    explain_walk(&explain, instance);
    /* The verdict stands; a budget that is used up only makes the list shorter. */
    if (judge->status == STATUS_UNSUPPORTED) {
        judge->status = STATUS_OK;
        explain.more = true;
    }
    if (judge->status == STATUS_OK && explain.faults.count == 0)
        explain_add(&explain, FAULT_NO_BRANCH, 0, NULL, instance);
    if (judge->status == STATUS_OK) {
        explain_sort(&explain.faults);
        judge->status = explain_write(&explain, violations);
    }
    if (judge->status == STATUS_NO_MEMORY)
        (void)error_set(error, STATUS_NO_MEMORY, "out of memory");
    judge->error = error;
    vector_release(&explain.work, judge->alloc);
    vector_release(&explain.faults, judge->alloc);
}

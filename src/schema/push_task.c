/* push_task.c - what the schema still asks of the values that are open. See push_task.h.
 *
 * Owns: how tasks follow from tasks, and what makes a branch fail. Leaves to others: the walk over
 * the document (push.c), verdicts on complete values (judge.c). Invariant: a branch fails only for
 * what no continuation of the text can repair.
 */
#include "base/features.h"

#include "schema/push_task.h"

enum {
    PUSH_LEVEL_TASKS_MAX = 256, /* of one open value */
    PUSH_UNIQUE_ITEMS_MAX = 64, /* compared when they are complete; the others at the array's end */
    PUSH_BRANCHES_MAX = 1 << 16
};

/* ---- branches -------------------------------------------------------------------------------- */

/* False also when the steps are used up: the task is then left out. */
static bool branch_is_live(struct schema_push *push, uint32_t branch)
{
    while (judge_charge(&push->judge, 1) && !push->branches[branch].is_dead) {
        if (branch == 0)
            return true;
        branch = push->groups[push->branches[branch].group].owner;
    }
    return false;
}

/* The place of the fault: the innermost level, or its child in progress. */
static void push_point(struct schema_push *push, bool at_child)
{
    uint32_t count = push->level_count - (at_child ? 0 : 1);
    buffer_clear(&push->pointer);
    for (uint32_t i = 1; i < count; i++) {
        const struct push_level *level = &push->levels[i];
        if (level->is_object)
            json_pointer_append(
                &push->pointer,
                json_node_text(push->text.doc, push->text.doc->nodes + level->cursor));
        else
            json_pointer_append_index(&push->pointer, level->child);
    }
}

static void branch_kill(struct schema_push *push, uint32_t branch, bool at_child)
{
    while (!push->branches[branch].is_dead) {
        push->branches[branch].is_dead = true;
        if (branch == 0) {
            push->is_invalid = true;
            push_point(push, at_child);
            return;
        }
        struct push_group *group = &push->groups[push->branches[branch].group];
        group->alive--;
        if (group->alive > 0)
            return;
        branch = group->owner;
    }
}

/* ---- tasks ----------------------------------------------------------------------------------- */

bool push_add_task(struct schema_push *push, uint32_t node, uint32_t scope, uint32_t branch)
{
    const struct schema_internal *internal = push->program->internal;
    const struct push_level *level = push_top(push);
    if ((internal->flags[node] & SCHEMA_NODE_TRIVIAL) != 0)
        return true;
    if (push->task_count - level->task_first >= 2 * PUSH_LEVEL_TASKS_MAX)
        return true; /* left out */
    if (!push_reserve(push, (void **)&push->tasks, push->task_count, &push->task_capacity,
                      sizeof(*push->tasks)))
        return false;
    push->tasks[push->task_count++] = (struct push_task){
        .node = internal->alias[node], .scope = scope, .branch = branch, .children_max = SCHEMA_NONE
    };
    return true;
}

/* A task on the same value as the task it follows from, unless it is there already. */
static void task_add_in_place(struct schema_push *push, uint32_t node, uint32_t scope,
                              uint32_t branch)
{
    const struct push_level *level = push_top(push);
    node = push->program->internal->alias[node];
    if (push->task_count - level->task_first >= PUSH_LEVEL_TASKS_MAX)
        return;
    for (uint32_t i = level->task_first; i < push->task_count; i++) {
        const struct push_task *task = &push->tasks[i];
        if (task->node == node && task->branch == branch && task->scope == scope)
            return;
    }
    (void)judge_charge(&push->judge, 1 + (push->task_count - level->task_first) / 8);
    (void)push_add_task(push, node, scope, branch);
}

static void task_add_group(struct schema_push *push, const struct schema_op *op, uint32_t scope,
                           uint32_t owner)
{
    const struct push_level *level = push_top(push);
    uint32_t used = push->task_count - level->task_first;
    if (op->b > PUSH_LEVEL_TASKS_MAX - used || op->b > PUSH_BRANCHES_MAX - push->branch_count)
        return;
    if (!push_reserve(push, (void **)&push->groups, push->group_count, &push->group_capacity,
                      sizeof(*push->groups)))
        return;
    uint32_t group = push->group_count++;
    push->groups[group] = (struct push_group){ .owner = owner, .alive = op->b };
    for (uint32_t i = 0; i < op->b; i++) {
        if (!push_reserve(push, (void **)&push->branches, push->branch_count,
                          &push->branch_capacity, sizeof(*push->branches)))
            return;
        uint32_t branch = push->branch_count++;
        push->branches[branch] = (struct push_branch){ .group = group };
        task_add_in_place(push, push->program->children[op->a + i], scope, branch);
    }
}

/* What one instruction asks of the same value. */
static void task_follow(struct schema_push *push, struct push_task task, const struct schema_op *op)
{
    const uint32_t *children = push->program->children;
    if (op->opcode == SCHEMA_OP_REF)
        task_add_in_place(push, op->a, task.scope, task.branch);
    else if (op->opcode == SCHEMA_OP_DYNAMIC_REF)
        task_add_in_place(push, judge_dynamic_target(&push->judge, task.scope, op), task.scope,
                          task.branch);
    else if (op->opcode == SCHEMA_OP_ANY_OF || op->opcode == SCHEMA_OP_ONE_OF)
        task_add_group(push, op, task.scope, task.branch);
    for (uint32_t i = 0; op->opcode == SCHEMA_OP_ALL_OF && i < op->b; i++)
        task_add_in_place(push, children[op->a + i], task.scope, task.branch);
}

void push_open_tasks(struct schema_push *push, uint8_t bit)
{
    const struct schema_program *program = push->program;
    struct push_level *level = push_top(push);
    for (uint32_t i = level->task_first; i < push->task_count && !push->is_invalid; i++) {
        struct push_task *task = &push->tasks[i];
        if (!branch_is_live(push, task->branch))
            continue;
        if ((program->internal->narrow_types[task->node] & bit) == 0) {
            branch_kill(push, task->branch, false);
            continue;
        }
        task->scope = judge_enter(&push->judge, task->scope, task->node);
        const struct schema_op *op = schema_node_ops(program, task->node);
        for (const struct schema_op *end = op + program->nodes[task->node].op_count; op < end;
             op++) {
            bool is_maximum =
                op->opcode == SCHEMA_OP_MAX_ITEMS || op->opcode == SCHEMA_OP_MAX_PROPERTIES;
            if ((op->types & bit) == 0 || !judge_charge(&push->judge, 1))
                continue;
            task = &push->tasks[i]; /* may have moved */
            if (is_maximum && op->a < task->children_max)
                task->children_max = op->a;
            if (op->opcode == SCHEMA_OP_UNIQUE_ITEMS)
                task->is_unique = level->is_unique = true;
            task_follow(push, *task, op);
        }
    }
    push_top(push)->task_count = push->task_count - push_top(push)->task_first;
}

/* ---- the next child -------------------------------------------------------------------------- */

/* The level's tasks that count, one after the other; the child must fit the most that is allowed.
 */
static bool level_task(struct schema_push *push, uint32_t index, struct push_task *out)
{
    const struct push_level *level = push_top(push);
    *out = push->tasks[level->task_first + index];
    if (!branch_is_live(push, out->branch))
        return false;
    if (level->child < out->children_max)
        return true;
    branch_kill(push, out->branch, true);
    return false;
}

/* A task on the child. A schema that takes nothing fails before its value is there. */
static void child_add(struct schema_push *push, uint32_t node, const struct push_task *task)
{
    if (push->program->internal->narrow_types[node] == 0)
        branch_kill(push, task->branch, true);
    else
        (void)push_add_task(push, node, task->scope, task->branch);
}

static void item_follow(struct schema_push *push, const struct push_task *task)
{
    const struct schema_program *program = push->program;
    uint32_t index = push_top(push)->child;
    const struct schema_op *op = schema_node_ops(program, task->node);
    for (const struct schema_op *end = op + program->nodes[task->node].op_count; op < end; op++) {
        if (op->opcode == SCHEMA_OP_PREFIX_ITEMS && index < op->b)
            child_add(push, program->children[op->a + index], task);
        else if (op->opcode == SCHEMA_OP_ITEMS && index >= op->b)
            child_add(push, op->a, task);
    }
}

void push_begin_item(struct schema_push *push)
{
    struct push_task task;
    for (uint32_t i = 0; i < push_top(push)->task_count && !push->is_invalid; i++)
        if (level_task(push, i, &task))
            item_follow(push, &task);
}

/* Patterns that the name matches; true if there was one. */
static bool member_patterns(struct schema_push *push, const struct schema_plan *plan,
                            struct str text, const struct push_task *task)
{
    bool is_matched = false;
    for (uint32_t i = 0; i < plan->pattern_count; i++) {
        const struct schema_pattern_property *row =
            &push->program->pattern_properties[plan->pattern_first + i];
        if (!judge_charge(&push->judge, 1 + text.len / 64))
            return true; /* not known */
        bool matches = judge_finds(&push->judge, row->pattern, text);
        if (push->judge.status != STATUS_OK)
            return true;
        if (matches)
            child_add(push, row->node, task);
        is_matched = is_matched || matches;
    }
    return is_matched;
}

static void member_follow(struct schema_push *push, const struct push_task *task, struct json name)
{
    const struct schema_plan *plan = push->program->internal->plans[task->node];
    struct str text = json_node_text(name.doc, name.node);
    bool is_known = false;
    if (plan == NULL)
        return;
    if (plan->key_count > 0) {
        uint32_t key = schema_plan_find(plan, text, json_key_hash(text));
        is_known = key != SCHEMA_NONE && plan->keys[key].node != SCHEMA_NONE;
        if (is_known)
            child_add(push, plan->keys[key].node, task);
    }
    is_known = member_patterns(push, plan, text, task) || is_known;
    if (!is_known && plan->additional != SCHEMA_NONE)
        child_add(push, plan->additional, task);
    if (plan->property_names == SCHEMA_NONE || push->judge.status != STATUS_OK)
        return;
    bool is_valid = judge_value_in(&push->judge, task->scope, plan->property_names, name);
    if (!is_valid && push->judge.status == STATUS_OK)
        branch_kill(push, task->branch, true);
}

void push_begin_member(struct schema_push *push, struct json name)
{
    struct push_task task;
    for (uint32_t i = 0; i < push_top(push)->task_count && !push->is_invalid; i++)
        if (level_task(push, i, &task))
            member_follow(push, &task, name);
}

/* ---- the child in progress ------------------------------------------------------------------- */

static uint32_t child_task_first(struct schema_push *push)
{
    return push_top(push)->task_first + push_top(push)->task_count;
}

void push_expect_types(struct schema_push *push, uint8_t types)
{
    for (uint32_t i = child_task_first(push); i < push->task_count && !push->is_invalid; i++) {
        const struct push_task *task = &push->tasks[i];
        if ((push->program->internal->narrow_types[task->node] & types) == 0 &&
            branch_is_live(push, task->branch))
            branch_kill(push, task->branch, true);
    }
}

void push_expect_length(struct schema_push *push, uint32_t points)
{
    for (uint32_t i = child_task_first(push); i < push->task_count && !push->is_invalid; i++) {
        const struct push_task *task = &push->tasks[i];
        const struct schema_op *op =
            schema_node_find(push->program, task->node, SCHEMA_OP_MAX_LENGTH);
        if (op != NULL && op->a < points && branch_is_live(push, task->branch))
            branch_kill(push, task->branch, true);
    }
}

/* ---- complete values ------------------------------------------------------------------------- */

/* False only when it is known that the value does not satisfy the node. */
static bool task_holds(struct schema_push *push, const struct push_task *task, struct json value)
{
    struct judge *judge = &push->judge;
    if ((push->program->internal->narrow_types[task->node] & schema_type_of(value)) == 0)
        return false;
    return judge_value_in(judge, task->scope, task->node, value) || judge->status != STATUS_OK;
}

void push_judge_child(struct schema_push *push, struct json value)
{
    for (uint32_t i = child_task_first(push); i < push->task_count && !push->is_invalid; i++) {
        const struct push_task *task = &push->tasks[i];
        if (branch_is_live(push, task->branch) && !task_holds(push, task, value))
            branch_kill(push, task->branch, true);
    }
}

/* Whether an earlier item of the innermost level, an array, equals the one that is complete. */
static bool item_has_twin(struct schema_push *push, struct json value)
{
    struct json item = { value.doc, value.doc->nodes + push_top(push)->container + 1 };
    while (item.node < value.node && judge_charge(&push->judge, 1)) {
        if (judge_equal(&push->judge, item, value))
            return push->judge.status == STATUS_OK;
        item.node = json_node_after(item.node);
    }
    return false;
}

void push_judge_twins(struct schema_push *push, struct json value)
{
    const struct push_level *level = push_top(push);
    if (push->is_invalid || !level->is_unique || level->child >= PUSH_UNIQUE_ITEMS_MAX ||
        !item_has_twin(push, value))
        return;
    for (uint32_t i = 0; i < level->task_count && !push->is_invalid; i++) {
        const struct push_task *task = &push->tasks[level->task_first + i];
        if (task->is_unique && branch_is_live(push, task->branch))
            branch_kill(push, task->branch, true);
    }
}

/* What the children, each judged when it was complete, did not settle. */
static bool op_is_settled_late(const struct schema_op *op)
{
    switch ((enum schema_opcode)op->opcode) {
    case SCHEMA_OP_CONTAINS:
    case SCHEMA_OP_DEPENDENT_SCHEMA:
    case SCHEMA_OP_ONE_OF:
    case SCHEMA_OP_NOT:
    case SCHEMA_OP_IF:
    case SCHEMA_OP_UNEVALUATED_ITEMS:
    case SCHEMA_OP_UNEVALUATED_PROPERTIES: return true;
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
    case SCHEMA_OP_PREFIX_ITEMS:
    case SCHEMA_OP_ITEMS:
    case SCHEMA_OP_MIN_ITEMS:
    case SCHEMA_OP_MAX_ITEMS:
    case SCHEMA_OP_UNIQUE_ITEMS:
    case SCHEMA_OP_PROPERTIES:
    case SCHEMA_OP_PATTERN_PROPERTIES:
    case SCHEMA_OP_ADDITIONAL:
    case SCHEMA_OP_PROPERTY_NAMES:
    case SCHEMA_OP_REQUIRED:
    case SCHEMA_OP_MIN_PROPERTIES:
    case SCHEMA_OP_MAX_PROPERTIES:
    case SCHEMA_OP_DEPENDENT_REQUIRED:
    case SCHEMA_OP_REF:
    case SCHEMA_OP_ALL_OF:
    case SCHEMA_OP_ANY_OF:
    case SCHEMA_OP_DYNAMIC_REF: break;
    }
    return false;
}

/* Whether an instruction that looks at the value alone, or `required`, holds. */
static bool op_holds(struct schema_push *push, const struct schema_op *op, struct json value)
{
    struct judge *judge = &push->judge;
    if (op->opcode == SCHEMA_OP_REQUIRED) {
        for (uint32_t i = 0; i < op->b; i++) {
            struct json member = judge_member(judge, value, push->program->names[op->a + i]);
            if (!json_exists(member) && judge->status == STATUS_OK)
                return false;
        }
        return true;
    }
    bool is_flat = op->opcode == SCHEMA_OP_ENUM || op->opcode == SCHEMA_OP_MIN_ITEMS ||
                   op->opcode == SCHEMA_OP_UNIQUE_ITEMS || op->opcode == SCHEMA_OP_MIN_PROPERTIES ||
                   op->opcode == SCHEMA_OP_DEPENDENT_REQUIRED;
    return !is_flat || judge_flat_op(judge, op, value) || judge->status != STATUS_OK;
}

static bool task_ends_well(struct schema_push *push, const struct push_task *task,
                           struct json value)
{
    const struct schema_program *program = push->program;
    uint8_t bit = schema_type_of(value);
    const struct schema_op *first = schema_node_ops(program, task->node);
    const struct schema_op *end = first + program->nodes[task->node].op_count;
    for (const struct schema_op *op = first; op < end; op++)
        if ((op->types & bit) != 0 && op_is_settled_late(op))
            return task_holds(push, task, value);
    for (const struct schema_op *op = first; op < end; op++) {
        if ((op->types & bit) == 0 || !judge_charge(&push->judge, 1))
            continue;
        if (!op_holds(push, op, value))
            return false;
    }
    return true;
}

void push_judge_level(struct schema_push *push, struct json value)
{
    struct push_level *level = push_top(push);
    for (uint32_t i = 0; i < level->task_count && !push->is_invalid; i++) {
        const struct push_task *task = &push->tasks[level->task_first + i];
        if (branch_is_live(push, task->branch) && !task_ends_well(push, task, value))
            branch_kill(push, task->branch, false);
    }
}

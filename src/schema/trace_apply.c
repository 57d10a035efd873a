/* trace_apply.c - what each instruction applies, and what that comes to.
 *
 * Owns: the order in which schemas are applied, verdict, fault and kind of annotation of a keyword.
 * Leaves to others: applying (trace.c), flat instructions (judge_flat.c). Invariant: trace_next
 * gives every schema that the specification has the keyword apply, whatever came of those before.
 */
#include "base/features.h"

#include "schema/dialect.h"
#include "schema/trace.h"

enum trace_part { PART_FIRST, PART_THEN, PART_ELSE };

enum { TRACE_NAME_BYTES_PER_STEP = 64 };

struct str trace_keyword_of(const struct trace_run *run, const struct trace_frame *frame)
{
    switch ((enum trace_part)frame->part) {
    case PART_THEN: return STR("then");
    case PART_ELSE: return STR("else");
    case PART_FIRST: break;
    }
    uint32_t node = run->trace->units[frame->unit].node;
    return schema_op_keyword(run->trace->program, node, frame->op);
}

/* ---- the schema that comes next -------------------------------------------------------------- */

static struct json value_of(struct trace_run *run, const struct trace_frame *frame)
{
    return trace_schema_unit(run, frame)->instance;
}

/* The child of the value that comes next goes into the step. */
static void take_child(struct trace_run *run, struct trace_frame *frame, struct trace_step *step)
{
    *step = (struct trace_step){
        .instance = frame->at, .index = SCHEMA_NONE, .item = frame->item, .node = frame->op->a
    };
    frame->at = json_next(frame->at, value_of(run, frame));
    frame->item++;
}

static bool next_in_place(struct trace_run *run, struct trace_frame *frame, uint32_t node,
                          struct trace_step *step)
{
    if (frame->index++ > 0)
        return false;
    *step = (struct trace_step){ .instance = value_of(run, frame),
                                 .index = SCHEMA_NONE,
                                 .item = trace_schema_unit(run, frame)->item,
                                 .node = node };
    return true;
}

static bool next_of_list(struct trace_run *run, struct trace_frame *frame, struct trace_step *step)
{
    uint32_t index = frame->index;
    if (index == frame->op->b)
        return false;
    frame->index = 0;
    (void)next_in_place(run, frame, run->trace->program->children[frame->op->a + index], step);
    frame->index = index + 1;
    step->index = index;
    return true;
}

static bool next_if(struct trace_run *run, struct trace_frame *frame, struct trace_step *step)
{
    uint32_t node = frame->op->a;
    if (frame->part != PART_FIRST)
        node = frame->part == PART_THEN ? frame->op->b : frame->op->c;
    return next_in_place(run, frame, node, step);
}

static bool next_dependent(struct trace_run *run, struct trace_frame *frame,
                           struct trace_step *step)
{
    struct str name = run->trace->program->names[frame->op->a];
    if (frame->index == 0 && !json_exists(judge_member(&run->judge, value_of(run, frame), name)))
        return false;
    if (!next_in_place(run, frame, frame->op->b, step))
        return false;
    step->token = name;
    return true;
}

static bool next_item(struct trace_run *run, struct trace_frame *frame, struct trace_step *step)
{
    const struct schema_op *op = frame->op;
    bool is_prefix = op->opcode == SCHEMA_OP_PREFIX_ITEMS;
    uint32_t first = op->opcode == SCHEMA_OP_ITEMS ? op->b : 0;
    while (json_exists(frame->at) && judge_charge(&run->judge, 1)) {
        uint32_t item = frame->item;
        if (is_prefix && item >= op->b)
            return false;
        take_child(run, frame, step);
        if (item < first)
            continue;
        if (is_prefix) {
            step->node = run->trace->program->children[op->a + item];
            step->index = item;
        }
        return true;
    }
    return false;
}

/* The node that `properties` has for the member, or SCHEMA_NONE. */
static uint32_t property_of(struct trace_run *run, const struct trace_frame *frame,
                            struct json member)
{
    uint32_t node = trace_schema_unit(run, frame)->node;
    const struct schema_plan *plan = run->trace->program->internal->plans[node];
    uint32_t key = schema_plan_find(plan, json_member_name(member), json_member_hash(member));
    return key == SCHEMA_NONE ? SCHEMA_NONE : plan->keys[key].node;
}

static bool pattern_finds(struct trace_run *run, uint32_t row, struct str name)
{
    uint32_t pattern = run->trace->program->pattern_properties[row].pattern;
    return judge_charge(&run->judge, 1 + name.len / TRACE_NAME_BYTES_PER_STEP) &&
           judge_finds(&run->judge, pattern, name);
}

static bool next_property(struct trace_run *run, struct trace_frame *frame, struct trace_step *step)
{
    while (json_exists(frame->at) && judge_charge(&run->judge, 1)) {
        take_child(run, frame, step);
        step->node = property_of(run, frame, step->instance);
        step->token = json_member_name(step->instance);
        if (step->node != SCHEMA_NONE)
            return true;
    }
    return false;
}

/* Every pattern for a member, then the next member. */
static bool next_pattern_property(struct trace_run *run, struct trace_frame *frame,
                                  struct trace_step *step)
{
    const struct schema_program *program = run->trace->program;
    while (json_exists(frame->at) && judge_charge(&run->judge, 1)) {
        for (; frame->index < frame->op->b; frame->index++) {
            uint32_t row = frame->op->a + frame->index;
            if (!pattern_finds(run, row, json_member_name(frame->at)))
                continue;
            *step = (struct trace_step){
                .instance = frame->at,
                .token = program->patterns[program->pattern_properties[row].pattern].source,
                .index = SCHEMA_NONE,
                .item = frame->item,
                .node = program->pattern_properties[row].node,
            };
            frame->index++;
            return true;
        }
        take_child(run, frame, step);
        frame->index = 0;
    }
    return false;
}

static bool next_additional(struct trace_run *run, struct trace_frame *frame,
                            struct trace_step *step)
{
    const struct schema_internal *internal = run->trace->program->internal;
    const struct schema_plan *plan = internal->plans[trace_schema_unit(run, frame)->node];
    while (json_exists(frame->at) && judge_charge(&run->judge, 1)) {
        take_child(run, frame, step);
        bool is_known = property_of(run, frame, step->instance) != SCHEMA_NONE;
        for (uint32_t i = 0; i < plan->pattern_count && !is_known; i++)
            is_known =
                pattern_finds(run, plan->pattern_first + i, json_member_name(step->instance));
        if (!is_known)
            return true;
    }
    return false;
}

static bool next_name(struct trace_run *run, struct trace_frame *frame, struct trace_step *step)
{
    if (!json_exists(frame->at))
        return false;
    take_child(run, frame, step);
    step->instance.node--;
    return true;
}

static bool next_unevaluated(struct trace_run *run, struct trace_frame *frame,
                             struct trace_step *step)
{
    if (frame->index == 0 && !trace_mark(run, frame))
        return false;
    frame->index = 1;
    while (json_exists(frame->at) && judge_charge(&run->judge, 1)) {
        bool is_left = !trace_is_marked(run, frame);
        take_child(run, frame, step);
        if (is_left)
            return true;
    }
    return false;
}

static bool next_of_op(struct trace_run *run, struct trace_frame *frame, struct trace_step *step)
{
    const struct schema_op *op = frame->op;
    switch ((enum schema_opcode)op->opcode) {
    case SCHEMA_OP_PREFIX_ITEMS:
    case SCHEMA_OP_ITEMS:
    case SCHEMA_OP_CONTAINS: return next_item(run, frame, step);
    case SCHEMA_OP_PROPERTIES: return next_property(run, frame, step);
    case SCHEMA_OP_PATTERN_PROPERTIES: return next_pattern_property(run, frame, step);
    case SCHEMA_OP_ADDITIONAL: return next_additional(run, frame, step);
    case SCHEMA_OP_PROPERTY_NAMES: return next_name(run, frame, step);
    case SCHEMA_OP_UNEVALUATED_ITEMS:
    case SCHEMA_OP_UNEVALUATED_PROPERTIES: return next_unevaluated(run, frame, step);
    case SCHEMA_OP_DEPENDENT_SCHEMA: return next_dependent(run, frame, step);
    case SCHEMA_OP_REF:
    case SCHEMA_OP_NOT: return next_in_place(run, frame, op->a, step);
    case SCHEMA_OP_DYNAMIC_REF:
        return next_in_place(run, frame, judge_dynamic_target(&run->judge, frame->scope, op), step);
    case SCHEMA_OP_ALL_OF:
    case SCHEMA_OP_ANY_OF:
    case SCHEMA_OP_ONE_OF: return next_of_list(run, frame, step);
    case SCHEMA_OP_IF: return next_if(run, frame, step);
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
    case SCHEMA_OP_UNIQUE_ITEMS:
    case SCHEMA_OP_REQUIRED:
    case SCHEMA_OP_MIN_PROPERTIES:
    case SCHEMA_OP_MAX_PROPERTIES:
    case SCHEMA_OP_DEPENDENT_REQUIRED: return false;
    }
    return false;
}

bool trace_next(struct trace_run *run, struct trace_frame *frame, struct trace_step *out_step)
{
    return next_of_op(run, frame, out_step) && run->judge.status == STATUS_OK;
}

/* ---- what it comes to ------------------------------------------------------------------------ */

static struct trace_unit *keyword_of(struct trace_run *run, const struct trace_frame *frame)
{
    return &run->trace->units[frame->keyword];
}

static struct fault fault_of(struct trace_run *run, const struct trace_frame *frame,
                             enum fault_kind kind)
{
    return (struct fault){
        .value = value_of(run, frame),
        .op = frame->op,
        .node = trace_schema_unit(run, frame)->node,
        .kind = (uint8_t)kind,
    };
}

static void finish_fault(struct trace_run *run, const struct trace_frame *frame,
                         const struct fault *fault)
{
    if (keyword_of(run, frame)->fault == SCHEMA_NONE)
        (void)trace_fail(run, frame->keyword, fault);
}

static void finish_if_not(struct trace_run *run, const struct trace_frame *frame, bool valid,
                          enum fault_kind kind)
{
    const struct fault fault = fault_of(run, frame, kind);
    if (!valid && run->judge.status == STATUS_OK)
        finish_fault(run, frame, &fault);
}

/* Every schema applied has to accept; what they say is enough. */
static void finish_all(struct trace_run *run, const struct trace_frame *frame, enum trace_note note)
{
    struct trace_unit *unit = keyword_of(run, frame);
    const struct schema_program *program = run->trace->program;
    unit->valid = unit->valid && frame->fails == 0;
    if (unit->valid && program->nodes[unit->node].dialect >= DIALECT_2019)
        unit->note = (uint8_t)note;
}

static void finish_required(struct trace_run *run, const struct trace_frame *frame)
{
    struct fault fault = fault_of(run, frame, FAULT_MISSING);
    for (uint32_t i = 0; i < frame->op->b; i++) {
        fault.name = run->trace->program->names[frame->op->a + i];
        if (json_exists(judge_member(&run->judge, fault.value, fault.name)))
            continue;
        finish_fault(run, frame, &fault);
        return;
    }
}

static void finish_dependent_required(struct trace_run *run, const struct trace_frame *frame)
{
    const struct schema_op *op = frame->op;
    const struct str *names = run->trace->program->names;
    struct fault fault = fault_of(run, frame, FAULT_DEPENDENT);
    fault.other = names[op->a];
    if (!json_exists(judge_member(&run->judge, fault.value, fault.other)))
        return;
    for (uint32_t i = op->b; i < op->b + op->c; i++) {
        fault.name = names[i];
        if (json_exists(judge_member(&run->judge, fault.value, fault.name)))
            continue;
        finish_fault(run, frame, &fault);
        return;
    }
}

static uint32_t item_number(struct json item, struct json array)
{
    uint32_t number = 0;
    for (struct json v = json_first(array); v.node != item.node; v = json_next(v, array))
        number++;
    return number;
}

static void finish_unique(struct trace_run *run, const struct trace_frame *frame)
{
    struct fault fault = fault_of(run, frame, FAULT_TWINS);
    struct json first;
    struct json second;
    if (!judge_find_twins(&run->judge, fault.value, &first, &second))
        return;
    fault.first = item_number(first, fault.value);
    fault.second = item_number(second, fault.value);
    finish_fault(run, frame, &fault);
}

static void finish_one_of(struct trace_run *run, const struct trace_frame *frame)
{
    struct fault fault = fault_of(run, frame, FAULT_TWO_BRANCHES);
    fault.first = frame->first_fit;
    fault.second = frame->second_fit;
    if (frame->fits > 1)
        finish_fault(run, frame, &fault);
    else
        finish_if_not(run, frame, frame->fits == 1, FAULT_NO_BRANCH);
}

/* minContains or maxContains has a unit of its own where the schema has it. */
static void finish_bound(struct trace_run *run, struct trace_frame *frame, struct str keyword,
                         bool valid, const struct fault *fault)
{
    struct json schema = run->trace->program->nodes[fault->node].schema;
    if (!json_exists(json_get(schema, keyword)))
        return;
    uint32_t unit = trace_keyword(run, frame, keyword);
    if (unit == SCHEMA_NONE || valid)
        return;
    trace_schema_unit(run, frame)->valid = false;
    (void)trace_fail(run, unit, fault);
}

static void finish_contains(struct trace_run *run, struct trace_frame *frame)
{
    const struct schema_op *op = frame->op;
    struct fault fault = fault_of(run, frame, FAULT_TOO_FEW);
    fault.first = op->b;
    if (frame->fits == 0 && op->b > 0)
        finish_fault(run, frame, &fault);
    else if (run->trace->program->nodes[fault.node].dialect == DIALECT_2020)
        keyword_of(run, frame)->note = TRACE_NOTE_MATCHES;
    uint8_t dialect = run->trace->program->nodes[fault.node].dialect;
    if (dialect < DIALECT_2019)
        return;
    finish_bound(run, frame, STR("minContains"), frame->fits >= op->b, &fault);
    fault.kind = FAULT_TOO_MANY;
    fault.first = op->c;
    finish_bound(run, frame, STR("maxContains"), frame->fits <= op->c, &fault);
}

static void finish_if(struct trace_run *run, struct trace_frame *frame)
{
    if (frame->part != PART_FIRST)
        finish_all(run, frame, TRACE_NOTE_NONE);
    else if ((frame->fits > 0 ? frame->op->b : frame->op->c) != SCHEMA_NONE)
        frame->part = frame->fits > 0 ? PART_THEN : PART_ELSE;
}

static void finish_flat(struct trace_run *run, const struct trace_frame *frame)
{
    bool valid = judge_flat_op(&run->judge, frame->op, value_of(run, frame));
    finish_if_not(run, frame, valid, FAULT_OP);
}

/* An asserted format is an annotation as well. */
static void finish_format(struct trace_run *run, const struct trace_frame *frame)
{
    finish_flat(run, frame);
    struct trace_unit *unit = keyword_of(run, frame);
    unit->annotation = json_get(run->trace->program->nodes[unit->node].schema, unit->token);
    if (unit->valid && json_exists(unit->annotation))
        unit->note = TRACE_NOTE_VALUE;
}

void trace_finish(struct trace_run *run, struct trace_frame *frame)
{
    bool is_applied = frame->fits + frame->fails > 0;
    run->word_count = frame->word_first;
    switch ((enum schema_opcode)frame->op->opcode) {
    case SCHEMA_OP_PREFIX_ITEMS:
        finish_all(run, frame, is_applied ? TRACE_NOTE_LAST : TRACE_NOTE_NONE);
        return;
    case SCHEMA_OP_UNEVALUATED_ITEMS:
    case SCHEMA_OP_ITEMS:
        finish_all(run, frame, is_applied ? TRACE_NOTE_TRUE : TRACE_NOTE_NONE);
        return;
    case SCHEMA_OP_UNEVALUATED_PROPERTIES:
    case SCHEMA_OP_PROPERTIES:
    case SCHEMA_OP_PATTERN_PROPERTIES:
    case SCHEMA_OP_ADDITIONAL: finish_all(run, frame, TRACE_NOTE_NAMES); return;
    case SCHEMA_OP_PROPERTY_NAMES:
    case SCHEMA_OP_DEPENDENT_SCHEMA:
    case SCHEMA_OP_REF:
    case SCHEMA_OP_DYNAMIC_REF:
    case SCHEMA_OP_ALL_OF: finish_all(run, frame, TRACE_NOTE_NONE); return;
    case SCHEMA_OP_IF: finish_if(run, frame); return;
    case SCHEMA_OP_ANY_OF: finish_if_not(run, frame, frame->fits > 0, FAULT_NO_BRANCH); return;
    case SCHEMA_OP_ONE_OF: finish_one_of(run, frame); return;
    case SCHEMA_OP_NOT: finish_if_not(run, frame, frame->fits == 0, FAULT_OP); return;
    case SCHEMA_OP_CONTAINS: finish_contains(run, frame); return;
    case SCHEMA_OP_REQUIRED: finish_required(run, frame); return;
    case SCHEMA_OP_DEPENDENT_REQUIRED: finish_dependent_required(run, frame); return;
    case SCHEMA_OP_UNIQUE_ITEMS: finish_unique(run, frame); return;
    case SCHEMA_OP_FORMAT: finish_format(run, frame); return;
    case SCHEMA_OP_TYPE:
    case SCHEMA_OP_ENUM:
    case SCHEMA_OP_MINIMUM:
    case SCHEMA_OP_MAXIMUM:
    case SCHEMA_OP_MULTIPLE_OF:
    case SCHEMA_OP_MIN_LENGTH:
    case SCHEMA_OP_MAX_LENGTH:
    case SCHEMA_OP_PATTERN:
    case SCHEMA_OP_CONTENT:
    case SCHEMA_OP_MIN_ITEMS:
    case SCHEMA_OP_MAX_ITEMS:
    case SCHEMA_OP_MIN_PROPERTIES:
    case SCHEMA_OP_MAX_PROPERTIES: finish_flat(run, frame); return;
    }
}

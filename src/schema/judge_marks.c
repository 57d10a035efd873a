/* judge_marks.c - which members or items a node evaluates, and what applies to the others.
 *
 * Owns: unevaluatedItems, unevaluatedProperties, and the collecting run that they start: frames
 * over the same value that go through a valid node again and mark what its keywords evaluate, in
 * the node itself and in the subschemas that are valid in the same place. Leaves to others:
 * verdicts, which it asks the judge for where the node's own verdict does not imply them; most are
 * remembered. Invariants: only valid nodes are collected from, so failed branches and `not` give
 * nothing; one collection goes into a node once, so it is linear in the nodes and in the children;
 * judging itself never collects, so schemas without these keywords pay nothing and verdicts stay
 * what they are.
 */
#include "base/features.h"

#include "schema/dialect.h"
#include "schema/judge_frame.h"

/* ---- marks ----------------------------------------------------------------------------------- */

bool frame_start_marks(struct judge *judge, struct judge_frame *frame)
{
    uint32_t count = json_count(frame->value);
    if (!frame_reserve_words(judge, frame, count + JUDGE_MARKS_HEAD * JUDGE_WORD_BITS))
        return false;
    frame->marks = frame->word_first;
    judge->words[frame->marks] = count;
    judge->words[frame->marks + 1] = ++judge->collections;
    return true;
}

static uint64_t marks_left(const struct judge *judge, const struct judge_frame *frame)
{
    return judge->words[frame->marks];
}

static bool marks_has(const struct judge *judge, const struct judge_frame *frame, uint32_t child)
{
    const uint64_t *bits = judge->words + frame->marks + JUDGE_MARKS_HEAD;
    return (bits[child / JUDGE_WORD_BITS] >> (child % JUDGE_WORD_BITS) & 1) != 0;
}

static void marks_add(struct judge *judge, const struct judge_frame *frame, uint32_t child)
{
    if (marks_has(judge, frame, child))
        return;
    uint64_t *bits = judge->words + frame->marks + JUDGE_MARKS_HEAD;
    bits[child / JUDGE_WORD_BITS] |= UINT64_C(1) << (child % JUDGE_WORD_BITS);
    judge->words[frame->marks]--;
}

/* Children number first to end - 1, as far as there are such. */
static enum outcome marks_add_range(struct judge *judge, const struct judge_frame *frame,
                                    uint32_t first, uint32_t end)
{
    uint32_t count = json_count(frame->value);
    if (end > count)
        end = count;
    if (first < end && !judge_charge(judge, end - first))
        return OUTCOME_FAILED;
    for (uint32_t i = first; i < end; i++)
        marks_add(judge, frame, i);
    return OUTCOME_VALID;
}

/* ---- other nodes on the same value ----------------------------------------------------------- */

/* Goes through a node that is known to be valid, unless it has nothing to mark. */
static enum outcome collect_from(struct judge *judge, struct judge_frame *frame, uint32_t node)
{
    const struct schema_internal *internal = judge->program->internal;
    if (frame->waiting) {
        frame->waiting = false;
        return OUTCOME_VALID;
    }
    node = internal->alias[node];
    if ((internal->flags[node] & (SCHEMA_NODE_FLAT | SCHEMA_NODE_TYPED)) != 0)
        return OUTCOME_VALID;
    uint32_t scope = judge_enter(judge, frame->scope, node);
    uint32_t collection = (uint32_t)judge->words[frame->marks + 1];
    if (!judge_visits_first(judge, scope, node, frame->value, collection))
        return OUTCOME_VALID;
    frame->waiting = true;
    judge->pending = (struct judge_request){
        .value = frame->value,
        .node = node,
        .scope = scope,
        .marks = frame->marks,
        .collects = true,
    };
    return OUTCOME_PENDING;
}

static enum outcome collect_all_of(struct judge *judge, struct judge_frame *frame)
{
    const struct schema_op *op = frame->op;
    for (; frame->index < op->b; frame->index++) {
        uint32_t node = judge->program->children[op->a + frame->index];
        enum outcome outcome = collect_from(judge, frame, node);
        if (outcome != OUTCOME_VALID)
            return outcome;
    }
    return OUTCOME_VALID;
}

/* From each alternative that is valid; of oneOf there is one. */
static enum outcome collect_alternatives(struct judge *judge, struct judge_frame *frame)
{
    const struct schema_op *op = frame->op;
    for (; frame->index < op->b; frame->index++) {
        uint32_t node = judge->program->children[op->a + frame->index];
        if (frame->phase == 0) {
            enum outcome outcome = frame_child(judge, frame, node, frame->value);
            if (outcome > OUTCOME_VALID)
                return outcome;
            if (outcome == OUTCOME_INVALID)
                continue;
            frame->phase = 1;
        }
        enum outcome outcome = collect_from(judge, frame, node);
        if (outcome != OUTCOME_VALID || op->opcode == SCHEMA_OP_ONE_OF)
            return outcome;
        frame->phase = 0;
    }
    return OUTCOME_VALID;
}

static enum outcome collect_if(struct judge *judge, struct judge_frame *frame)
{
    const struct schema_op *op = frame->op;
    enum outcome outcome;
    if (frame->phase == 0) {
        outcome = frame_child(judge, frame, op->a, frame->value);
        if (outcome > OUTCOME_VALID)
            return outcome;
        frame->index = outcome == OUTCOME_VALID ? op->b : op->c;
        frame->phase = outcome == OUTCOME_VALID ? 1 : 2;
    }
    if (frame->phase == 1) {
        outcome = collect_from(judge, frame, op->a);
        if (outcome != OUTCOME_VALID)
            return outcome;
        frame->phase = 2;
    }
    return frame->index == SCHEMA_NONE ? OUTCOME_VALID : collect_from(judge, frame, frame->index);
}

static enum outcome collect_dependent(struct judge *judge, struct judge_frame *frame)
{
    const struct schema_op *op = frame->op;
    if (!frame->waiting &&
        !json_exists(judge_member(judge, frame->value, judge->program->names[op->a])))
        return OUTCOME_VALID;
    return collect_from(judge, frame, op->b);
}

static enum outcome collect_dynamic_ref(struct judge *judge, struct judge_frame *frame)
{
    uint32_t node = SCHEMA_NONE;
    if (!frame->waiting)
        node = judge_dynamic_target(judge, frame->scope, frame->op);
    return judge->status == STATUS_OK ? collect_from(judge, frame, node) : OUTCOME_FAILED;
}

/* ---- members and items ----------------------------------------------------------------------- */

static enum outcome collect_properties(struct judge *judge, struct judge_frame *frame)
{
    const struct schema_plan *plan = judge->program->internal->plans[frame->node];
    uint32_t child = 0;
    if (!judge_charge(judge, json_count(frame->value)))
        return OUTCOME_FAILED;
    for (struct json v = json_first(frame->value); json_exists(v); v = json_next(v, frame->value)) {
        uint32_t key = schema_plan_find(plan, json_member_name(v), json_member_hash(v));
        if (key != SCHEMA_NONE && plan->keys[key].node != SCHEMA_NONE)
            marks_add(judge, frame, child);
        child++;
    }
    return OUTCOME_VALID;
}

static bool collect_matches(struct judge *judge, const struct schema_op *op, struct str name)
{
    for (uint32_t i = op->a; i < op->a + op->b; i++) {
        uint32_t pattern = judge->program->pattern_properties[i].pattern;
        if (!judge_charge(judge, 1 + name.len / JUDGE_WORD_BITS))
            return false;
        if (judge_finds(judge, pattern, name))
            return true;
    }
    return false;
}

static enum outcome collect_pattern_properties(struct judge *judge, struct judge_frame *frame)
{
    uint32_t child = 0;
    for (struct json v = json_first(frame->value); json_exists(v); v = json_next(v, frame->value)) {
        if (!marks_has(judge, frame, child) &&
            collect_matches(judge, frame->op, json_member_name(v)))
            marks_add(judge, frame, child);
        if (judge->status != STATUS_OK)
            return OUTCOME_FAILED;
        child++;
    }
    return judge_charge(judge, child + 1) ? OUTCOME_VALID : OUTCOME_FAILED;
}

/* Only 2020-12 takes what `contains` found for evaluated. */
static enum outcome collect_contains(struct judge *judge, struct judge_frame *frame)
{
    if (judge->program->nodes[frame->node].dialect != DIALECT_2020)
        return OUTCOME_VALID;
    frame_start(frame);
    while (json_exists(frame->at)) {
        if (frame->waiting || !marks_has(judge, frame, frame->index)) {
            enum outcome outcome = frame_child(judge, frame, frame->op->a, frame->at);
            if (outcome > OUTCOME_VALID)
                return outcome;
            if (outcome == OUTCOME_VALID)
                marks_add(judge, frame, frame->index);
        }
        if (!judge_charge(judge, 1))
            return OUTCOME_FAILED;
        frame->index++;
        frame->at = json_next(frame->at, frame->value);
    }
    return OUTCOME_VALID;
}

/* ---- every instruction ----------------------------------------------------------------------- */

enum outcome frame_collect(struct judge *judge, struct judge_frame *frame)
{
    const struct schema_op *op = frame->op;
    if (!frame->waiting && marks_left(judge, frame) == 0)
        return OUTCOME_VALID;
    switch ((enum schema_opcode)op->opcode) {
    case SCHEMA_OP_PROPERTIES: return collect_properties(judge, frame);
    case SCHEMA_OP_PATTERN_PROPERTIES: return collect_pattern_properties(judge, frame);
    case SCHEMA_OP_ADDITIONAL:
    case SCHEMA_OP_UNEVALUATED_ITEMS:
    case SCHEMA_OP_UNEVALUATED_PROPERTIES: return marks_add_range(judge, frame, 0, SCHEMA_NONE);
    case SCHEMA_OP_PREFIX_ITEMS: return marks_add_range(judge, frame, 0, op->b);
    case SCHEMA_OP_ITEMS: return marks_add_range(judge, frame, op->b, SCHEMA_NONE);
    case SCHEMA_OP_CONTAINS: return collect_contains(judge, frame);
    case SCHEMA_OP_DEPENDENT_SCHEMA: return collect_dependent(judge, frame);
    case SCHEMA_OP_REF: return collect_from(judge, frame, op->a);
    case SCHEMA_OP_DYNAMIC_REF: return collect_dynamic_ref(judge, frame);
    case SCHEMA_OP_ALL_OF: return collect_all_of(judge, frame);
    case SCHEMA_OP_ANY_OF:
    case SCHEMA_OP_ONE_OF: return collect_alternatives(judge, frame);
    case SCHEMA_OP_IF: return collect_if(judge, frame);
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
    case SCHEMA_OP_PROPERTY_NAMES:
    case SCHEMA_OP_REQUIRED:
    case SCHEMA_OP_MIN_PROPERTIES:
    case SCHEMA_OP_MAX_PROPERTIES:
    case SCHEMA_OP_DEPENDENT_REQUIRED:
    case SCHEMA_OP_NOT: break;
    }
    return OUTCOME_VALID;
}

/* ---- the children that are left -------------------------------------------------------------- */

/* Phase 0 has the node's marks collected, phase 1 judges children without one. */
enum outcome frame_unevaluated(struct judge *judge, struct judge_frame *frame)
{
    const struct schema_op *op = frame->op;
    const struct schema_internal *internal = judge->program->internal;
    if (frame->phase == 0 && !frame->waiting) {
        if (json_count(frame->value) == 0 ||
            (internal->flags[internal->alias[op->a]] & SCHEMA_NODE_TRIVIAL) != 0)
            return OUTCOME_VALID;
        if (!frame_start_marks(judge, frame))
            return OUTCOME_FAILED;
        frame->waiting = true;
        judge->pending = (struct judge_request){
            .value = frame->value,
            .node = frame->node,
            .scope = frame->scope,
            .marks = frame->marks,
            .collects = true,
            .skips_unevaluated = true,
        };
        return OUTCOME_PENDING;
    }
    if (frame->phase == 0) {
        frame->waiting = false;
        frame->phase = 1;
        frame_start(frame);
    }
    for (; json_exists(frame->at); frame->at = json_next(frame->at, frame->value)) {
        if (frame->waiting || !marks_has(judge, frame, frame->index)) {
            enum outcome outcome = frame_child(judge, frame, op->a, frame->at);
            if (outcome != OUTCOME_VALID)
                return outcome;
        }
        if (!judge_charge(judge, 1))
            return OUTCOME_FAILED;
        frame->index++;
    }
    return OUTCOME_VALID;
}

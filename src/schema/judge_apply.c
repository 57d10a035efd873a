/* judge_apply.c - the instructions that judge other nodes: members, items, alternatives,
 * references.
 *
 * Owns: where a frame goes on inside such an instruction. Leaves to others: frames themselves
 * (judge.c), flat instructions (judge_flat.c), what unevaluatedItems and unevaluatedProperties
 * apply to (judge_marks.c). Invariant: an instruction that asked for a verdict is entered again
 * with `waiting` set, and everything else it needs to go on lies in its frame.
 */
#include "base/features.h"

#include "schema/judge_frame.h"

/* ---- members --------------------------------------------------------------------------------- */

static void frame_see_required(struct judge *judge, struct judge_frame *frame, uint32_t required,
                               bool is_few)
{
    uint64_t *word = &frame->seen;
    if (!is_few)
        word = &judge->words[frame->word_first + required / JUDGE_WORD_BITS];
    uint64_t bit = UINT64_C(1) << (required % JUDGE_WORD_BITS);
    if ((*word & bit) == 0)
        frame->count--;
    *word |= bit;
}

/* Which key the member is; `started` then means: judged by a property or pattern. */
static void frame_look_up(struct judge *judge, struct judge_frame *frame,
                          const struct schema_plan *plan)
{
    frame->index = 0;
    frame->key = SCHEMA_NONE;
    if (plan->key_count > 0)
        frame->key =
            schema_plan_find(plan, json_member_name(frame->at), json_member_hash(frame->at));
    if (frame->key == SCHEMA_NONE)
        return;
    const struct schema_key *key = &plan->keys[frame->key];
    if (key->required != SCHEMA_NONE)
        frame_see_required(judge, frame, key->required, plan->required_count <= JUDGE_WORD_BITS);
    if (key->node == SCHEMA_NONE)
        frame->key = SCHEMA_NONE;
}

enum member_phase {
    MEMBER_LOOK_UP,
    MEMBER_PROPERTY,
    MEMBER_PATTERNS,
    MEMBER_ADDITIONAL,
    MEMBER_NAME
};

/* The patterns from frame->index on. `key` becomes 0 once one matched, so that the member is not
 * additional. */
static enum outcome frame_patterns(struct judge *judge, struct judge_frame *frame,
                                   const struct schema_plan *plan)
{
    for (; frame->index < plan->pattern_count; frame->index++) {
        const struct schema_pattern_property *row =
            &judge->program->pattern_properties[plan->pattern_first + frame->index];
        if (!frame->waiting) {
            struct str name = json_member_name(frame->at);
            if (!judge_charge(judge, 1 + name.len / JUDGE_WORD_BITS))
                return OUTCOME_FAILED;
            bool matches = judge_finds(judge, row->pattern, name);
            if (judge->status != STATUS_OK)
                return OUTCOME_FAILED;
            if (!matches)
                continue;
            frame->key = 0;
        }
        enum outcome outcome = frame_child(judge, frame, row->node, frame->at);
        if (outcome != OUTCOME_VALID)
            return outcome;
    }
    return OUTCOME_VALID;
}

/* A member of the common kind: no patterns, no propertyNames, and a verdict that needs no frame.
 * PENDING: it takes the long way. */
static enum outcome frame_member_now(struct judge *judge, struct judge_frame *frame,
                                     const struct schema_plan *plan)
{
    if (!judge_charge(judge, 1))
        return OUTCOME_FAILED;
    frame_look_up(judge, frame, plan);
    uint32_t node = frame->key == SCHEMA_NONE ? plan->additional : plan->keys[frame->key].node;
    if (node == SCHEMA_NONE)
        return OUTCOME_VALID;
    node = judge->program->internal->alias[node];
    return judge_now(judge, judge_enter(judge, frame->scope, node), node, frame->at);
}

/* One member through the phases from frame->phase on. */
static enum outcome frame_member(struct judge *judge, struct judge_frame *frame,
                                 const struct schema_plan *plan)
{
    enum outcome outcome = OUTCOME_VALID;
    if (frame->phase == MEMBER_LOOK_UP) {
        if (!judge_charge(judge, 1))
            return OUTCOME_FAILED;
        frame_look_up(judge, frame, plan);
        frame->phase = MEMBER_PROPERTY;
    }
    if (frame->phase == MEMBER_PROPERTY) {
        if (frame->key != SCHEMA_NONE)
            outcome = frame_child(judge, frame, plan->keys[frame->key].node, frame->at);
        if (outcome != OUTCOME_VALID)
            return outcome;
        frame->phase = MEMBER_PATTERNS;
    }
    if (frame->phase == MEMBER_PATTERNS) {
        outcome = frame_patterns(judge, frame, plan);
        if (outcome != OUTCOME_VALID)
            return outcome;
        frame->phase = MEMBER_ADDITIONAL;
    }
    if (frame->phase == MEMBER_ADDITIONAL) {
        if (frame->key == SCHEMA_NONE && plan->additional != SCHEMA_NONE)
            outcome = frame_child(judge, frame, plan->additional, frame->at);
        if (outcome != OUTCOME_VALID)
            return outcome;
        frame->phase = MEMBER_NAME;
    }
    if (plan->property_names == SCHEMA_NONE)
        return OUTCOME_VALID;
    struct json name = { frame->at.doc, frame->at.node - 1 };
    return frame_child(judge, frame, plan->property_names, name);
}

static enum outcome frame_members(struct judge *judge, struct judge_frame *frame,
                                  const struct schema_plan *plan)
{
    if (!frame->started) {
        frame->started = true;
        frame->seen = 0;
        frame->count = plan->required_count;
        frame->at = json_first(frame->value);
        if (plan->required_count > json_count(frame->value))
            return OUTCOME_INVALID;
        if (plan->required_count > JUDGE_WORD_BITS &&
            !frame_reserve_words(judge, frame, plan->required_count))
            return OUTCOME_FAILED;
    }
    bool is_simple = plan->pattern_count == 0 && plan->property_names == SCHEMA_NONE;
    while (json_exists(frame->at)) {
        enum outcome outcome = OUTCOME_PENDING;
        if (is_simple && frame->phase == MEMBER_LOOK_UP) {
            outcome = frame_member_now(judge, frame, plan);
            frame->phase = MEMBER_PROPERTY;
        }
        if (outcome == OUTCOME_PENDING)
            outcome = frame_member(judge, frame, plan);
        if (outcome != OUTCOME_VALID)
            return outcome;
        frame->phase = MEMBER_LOOK_UP;
        frame->at = json_next(frame->at, frame->value);
    }
    return frame->count == 0 ? OUTCOME_VALID : OUTCOME_INVALID;
}

/* ---- items ----------------------------------------------------------------------------------- */

static enum outcome frame_prefix_items(struct judge *judge, struct judge_frame *frame)
{
    const struct schema_op *op = frame->op;
    frame_start(frame);
    while (frame->index < op->b && json_exists(frame->at)) {
        enum outcome outcome =
            frame_child(judge, frame, judge->program->children[op->a + frame->index], frame->at);
        if (outcome != OUTCOME_VALID)
            return outcome;
        frame->index++;
        frame->at = json_next(frame->at, frame->value);
    }
    return OUTCOME_VALID;
}

static enum outcome frame_items(struct judge *judge, struct judge_frame *frame)
{
    const struct schema_op *op = frame->op;
    frame_start(frame);
    while (frame->index < op->b && json_exists(frame->at)) {
        frame->index++;
        frame->at = json_next(frame->at, frame->value);
    }
    while (json_exists(frame->at)) {
        enum outcome outcome = frame_child(judge, frame, op->a, frame->at);
        if (outcome != OUTCOME_VALID)
            return outcome;
        if (!judge_charge(judge, 1))
            return OUTCOME_FAILED;
        frame->at = json_next(frame->at, frame->value);
    }
    return OUTCOME_VALID;
}

static enum outcome frame_contains(struct judge *judge, struct judge_frame *frame)
{
    const struct schema_op *op = frame->op;
    frame_start(frame);
    while (json_exists(frame->at)) {
        if (frame->count >= op->b && op->c == SCHEMA_NONE)
            return OUTCOME_VALID;
        enum outcome outcome = frame_child(judge, frame, op->a, frame->at);
        if (outcome > OUTCOME_VALID)
            return outcome;
        if (!judge_charge(judge, 1))
            return OUTCOME_FAILED;
        frame->count += outcome == OUTCOME_VALID;
        if (frame->count > op->c)
            return OUTCOME_INVALID;
        frame->at = json_next(frame->at, frame->value);
    }
    return frame->count >= op->b ? OUTCOME_VALID : OUTCOME_INVALID;
}

/* ---- alternatives ---------------------------------------------------------------------------- */

enum judge_tag judge_tag_of(struct judge *judge, const struct schema_tag *tag, struct json value)
{
    if (tag->count == 0 || json_type(value) != JSON_OBJECT)
        return JUDGE_TAG_NONE;
    struct json member = judge_member(judge, value, tag->name);
    if (!json_exists(member))
        return tag->required ? JUDGE_TAG_DIFFERS : JUDGE_TAG_NONE;
    for (uint32_t i = tag->first; i < tag->first + tag->count; i++)
        if (judge_equal(judge, member, judge->program->values[i]))
            return JUDGE_TAG_FITS;
    return JUDGE_TAG_DIFFERS;
}

/* An alternative that its tag rules out needs no frame. */
static enum outcome frame_alternative(struct judge *judge, struct judge_frame *frame,
                                      uint32_t child)
{
    const struct schema_tag *tag = &judge->program->internal->tags[child];
    if (!frame->waiting && judge_tag_of(judge, tag, frame->value) == JUDGE_TAG_DIFFERS)
        return judge->status == STATUS_OK ? OUTCOME_INVALID : OUTCOME_FAILED;
    return frame_child(judge, frame, judge->program->children[child], frame->value);
}

static enum outcome frame_all_of(struct judge *judge, struct judge_frame *frame)
{
    const struct schema_op *op = frame->op;
    for (; frame->index < op->b; frame->index++) {
        enum outcome outcome =
            frame_child(judge, frame, judge->program->children[op->a + frame->index], frame->value);
        if (outcome != OUTCOME_VALID)
            return outcome;
    }
    return OUTCOME_VALID;
}

static enum outcome frame_any_of(struct judge *judge, struct judge_frame *frame)
{
    const struct schema_op *op = frame->op;
    for (; frame->index < op->b; frame->index++) {
        enum outcome outcome = frame_alternative(judge, frame, op->a + frame->index);
        if (outcome != OUTCOME_INVALID)
            return outcome;
    }
    return OUTCOME_INVALID;
}

static enum outcome frame_one_of(struct judge *judge, struct judge_frame *frame)
{
    const struct schema_op *op = frame->op;
    for (; frame->index < op->b; frame->index++) {
        enum outcome outcome = frame_alternative(judge, frame, op->a + frame->index);
        if (outcome > OUTCOME_VALID)
            return outcome;
        frame->count += outcome == OUTCOME_VALID;
        if (frame->count > 1)
            return OUTCOME_INVALID;
    }
    return frame->count == 1 ? OUTCOME_VALID : OUTCOME_INVALID;
}

static enum outcome frame_not(struct judge *judge, struct judge_frame *frame)
{
    enum outcome outcome = frame_child(judge, frame, frame->op->a, frame->value);
    if (outcome > OUTCOME_VALID)
        return outcome;
    return outcome == OUTCOME_VALID ? OUTCOME_INVALID : OUTCOME_VALID;
}

static enum outcome frame_if(struct judge *judge, struct judge_frame *frame)
{
    const struct schema_op *op = frame->op;
    if (frame->phase == 0) {
        enum outcome outcome = frame_child(judge, frame, op->a, frame->value);
        if (outcome > OUTCOME_VALID)
            return outcome;
        frame->phase = 1;
        frame->index = outcome == OUTCOME_VALID ? op->b : op->c;
    }
    return frame->index == SCHEMA_NONE ? OUTCOME_VALID
                                       : frame_child(judge, frame, frame->index, frame->value);
}

static enum outcome frame_dependent_schema(struct judge *judge, struct judge_frame *frame)
{
    const struct schema_op *op = frame->op;
    if (!frame->waiting &&
        !json_exists(judge_member(judge, frame->value, judge->program->names[op->a])))
        return judge->status == STATUS_OK ? OUTCOME_VALID : OUTCOME_FAILED;
    return frame_child(judge, frame, op->b, frame->value);
}

static enum outcome frame_dynamic_ref(struct judge *judge, struct judge_frame *frame)
{
    uint32_t node = SCHEMA_NONE;
    if (!frame->waiting)
        node = judge_dynamic_target(judge, frame->scope, frame->op);
    return judge->status == STATUS_OK ? frame_child(judge, frame, node, frame->value)
                                      : OUTCOME_FAILED;
}

/* ---- every instruction ----------------------------------------------------------------------- */

enum outcome frame_apply(struct judge *judge, struct judge_frame *frame)
{
    const struct schema_op *op = frame->op;
    switch ((enum schema_opcode)op->opcode) {
    case SCHEMA_OP_PREFIX_ITEMS: return frame_prefix_items(judge, frame);
    case SCHEMA_OP_ITEMS: return frame_items(judge, frame);
    case SCHEMA_OP_CONTAINS: return frame_contains(judge, frame);
    case SCHEMA_OP_PROPERTIES:
    case SCHEMA_OP_PATTERN_PROPERTIES:
    case SCHEMA_OP_ADDITIONAL:
    case SCHEMA_OP_PROPERTY_NAMES:
    case SCHEMA_OP_REQUIRED:
        return frame_members(judge, frame, judge->program->internal->plans[frame->node]);
    case SCHEMA_OP_DEPENDENT_SCHEMA: return frame_dependent_schema(judge, frame);
    case SCHEMA_OP_REF: return frame_child(judge, frame, op->a, frame->value);
    case SCHEMA_OP_ALL_OF: return frame_all_of(judge, frame);
    case SCHEMA_OP_ANY_OF: return frame_any_of(judge, frame);
    case SCHEMA_OP_ONE_OF: return frame_one_of(judge, frame);
    case SCHEMA_OP_DYNAMIC_REF: return frame_dynamic_ref(judge, frame);
    case SCHEMA_OP_UNEVALUATED_ITEMS:
    case SCHEMA_OP_UNEVALUATED_PROPERTIES: return frame_unevaluated(judge, frame);
    case SCHEMA_OP_NOT: return frame_not(judge, frame);
    case SCHEMA_OP_IF: return frame_if(judge, frame);
    case SCHEMA_OP_TYPE:
        if (judge_is_tested(op))
            return OUTCOME_VALID;
        break;
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
    case SCHEMA_OP_MIN_PROPERTIES:
    case SCHEMA_OP_MAX_PROPERTIES:
    case SCHEMA_OP_DEPENDENT_REQUIRED: break;
    }
    return judge_flat_op(judge, op, frame->value) ? OUTCOME_VALID : OUTCOME_INVALID;
}

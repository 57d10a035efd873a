/* judge.c - frames: one node applied to one instance value, with the place where it goes on.
 *
 * Owns: the run loop and the instructions that judge other nodes. Leaves to others: flat
 * instructions (judge_flat.c), reasons (explain.c). Invariants: a frame that needs another node's
 * verdict stops at the same instruction with `waiting` set and is entered there again with the
 * result; a node reached over several edges is judged at most once for an instance value once the
 * run has become long, which keeps nested alternatives polynomial.
 */
#include "base/features.h"

#include "schema/judge.h"

#include "base/checked.h"
#include "base/limits.h"

enum {
    JUDGE_WORDS_MIN = 32,
    JUDGE_FRAMES_MAX =
        1 << 18, /* frames of nested schemas; 128 levels of instance need far fewer */
    JUDGE_VERDICTS_MIN = 256,
    JUDGE_VERDICTS_MAX = 1 << 21, /* remembered verdicts; beyond, nothing new is remembered */
    JUDGE_SHORT_RUN = 2048,       /* steps before verdicts are remembered: short runs do without */
    JUDGE_WORD_BITS = 64
};

enum outcome { OUTCOME_INVALID, OUTCOME_VALID, OUTCOME_PENDING, OUTCOME_FAILED };

struct judge_verdict {
    const struct json_node *value; /* NULL: empty */
    uint32_t node;
    bool valid;
};

/* ---- resources ------------------------------------------------------------------------------- */

static void judge_no_memory(struct judge *judge)
{
    if (judge->status == STATUS_OK)
        judge->status = error_set(judge->error, STATUS_NO_MEMORY, "out of memory");
}

bool judge_charge(struct judge *judge, uint64_t steps)
{
    if (judge->steps >= steps && judge->steps > 0) {
        judge->steps -= steps;
        return true;
    }
    judge->steps = 0;
    if (judge->status == STATUS_OK) {
        judge->status = error_set(judge->error, STATUS_UNSUPPORTED,
                                  "judging the instance takes more than %llu steps",
                                  (unsigned long long)judge->steps_max);
        error_hint(judge->error,
                   "simplify nested alternatives in the schema, or raise the step limit");
    }
    return false;
}

/* Doubles an array of items. NULL when memory is used up. */
static void *judge_grow(struct judge *judge, void *items, uint32_t *capacity, uint32_t minimum,
                        size_t size)
{
    uint32_t wanted = *capacity == 0 ? minimum : *capacity * 2;
    void *grown = alloc_grow(judge->alloc, items, *capacity * size, wanted * size);
    if (grown == NULL)
        judge_no_memory(judge);
    else
        *capacity = wanted;
    return grown;
}

/* ---- remembered verdicts --------------------------------------------------------------------- */

static struct judge_verdict *judge_slot(const struct judge *judge, const struct json_node *value,
                                        uint32_t node)
{
    uint32_t mask = judge->verdict_slots - 1;
    uint64_t mix = ((uintptr_t)value / 16 * UINT64_C(0x9E3779B97F4A7C15)) ^
                   (node * UINT64_C(0xC2B2AE3D27D4EB4F));
    for (uint32_t at = (uint32_t)(mix >> 29);; at++) {
        struct judge_verdict *slot = &judge->verdicts[at & mask];
        if (slot->value == NULL || (slot->value == value && slot->node == node))
            return slot;
    }
}

static bool judge_remembers(const struct judge *judge, uint32_t node)
{
    if (judge->remembers_all)
        return true;
    return judge->steps < judge->remember_below &&
           (judge->program->internal->flags[node] & SCHEMA_NODE_SHARED) != 0;
}

static enum outcome judge_recall(const struct judge *judge, uint32_t node, struct json value)
{
    if (judge->verdict_count == 0)
        return OUTCOME_PENDING;
    const struct judge_verdict *slot = judge_slot(judge, value.node, node);
    if (slot->value == NULL)
        return OUTCOME_PENDING;
    return slot->valid ? OUTCOME_VALID : OUTCOME_INVALID;
}

static bool judge_grow_verdicts(struct judge *judge)
{
    uint32_t old_slots = judge->verdict_slots;
    struct judge_verdict *old = judge->verdicts;
    uint32_t slots = old_slots == 0 ? JUDGE_VERDICTS_MIN : old_slots * 2;
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
            *judge_slot(judge, old[i].value, old[i].node) = old[i];
    alloc_free(judge->alloc, old, old_slots * sizeof(*old));
    return true;
}

static void judge_remember(struct judge *judge, uint32_t node, struct json value, bool valid)
{
    if (judge->verdict_count >= JUDGE_VERDICTS_MAX / 2)
        return;
    if (judge->verdict_count >= judge->verdict_slots / 2 && !judge_grow_verdicts(judge))
        return;
    struct judge_verdict *slot = judge_slot(judge, value.node, node);
    if (slot->value == NULL)
        judge->verdict_count++;
    *slot = (struct judge_verdict){ value.node, node, valid };
}

/* ---- judging without a frame ----------------------------------------------------------------- */

static void judge_note_failure(struct judge *judge, struct json value)
{
    size_t offset =
        json_node_type(value.node) == JSON_NODE_NAME ? value.node->offset : json_offset(value);
    if (offset > judge->farthest)
        judge->farthest = offset;
}

static enum outcome judge_flat(struct judge *judge, const struct schema_node *node,
                               struct json value, uint8_t bit)
{
    const struct schema_op *op = judge->program->ops + node->op_first;
    const struct schema_op *end = op + node->op_count;
    for (; op < end; op++) {
        if (op->opcode == SCHEMA_OP_TYPE || (op->types & bit) == 0)
            continue;
        if (!judge_charge(judge, 1))
            return OUTCOME_FAILED;
        if (!judge_flat_op(judge, op, value)) {
            judge_note_failure(judge, value);
            return judge->status == STATUS_OK ? OUTCOME_INVALID : OUTCOME_FAILED;
        }
    }
    return OUTCOME_VALID;
}

/* The verdict if it takes no frame, else PENDING. node is no alias. */
static enum outcome judge_now(struct judge *judge, uint32_t node, struct json value)
{
    const struct schema_node *row = &judge->program->nodes[node];
    uint8_t flags = judge->program->internal->flags[node];
    if ((flags & SCHEMA_NODE_TRIVIAL) != 0)
        return OUTCOME_VALID;
    uint8_t bit = schema_type_of(value);
    if ((judge->program->internal->narrow_types[node] & bit) == 0) {
        judge_note_failure(judge, value);
        return judge_charge(judge, 1) ? OUTCOME_INVALID : OUTCOME_FAILED;
    }
    if ((flags & SCHEMA_NODE_TYPED) != 0)
        return OUTCOME_VALID;
    if ((flags & SCHEMA_NODE_FLAT) != 0)
        return judge_flat(judge, row, value, bit);
    return judge_remembers(judge, node) ? judge_recall(judge, node, value) : OUTCOME_PENDING;
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* The first frames lie in the judge itself. */
static bool frame_grow(struct judge *judge)
{
    bool is_inline = judge->frames == judge->inline_frames;
    uint32_t capacity = judge->frame_capacity * 2;
    struct judge_frame *frames = alloc_grow(judge->alloc, is_inline ? NULL : judge->frames,
                                            is_inline ? 0 : judge->frame_capacity * sizeof(*frames),
                                            capacity * sizeof(*frames));
    if (frames == NULL) {
        judge_no_memory(judge);
        return false;
    }
    if (is_inline)
        memcpy(frames, judge->inline_frames, sizeof(judge->inline_frames));
    judge->frames = frames;
    judge->frame_capacity = capacity;
    return true;
}

static bool frame_push(struct judge *judge, uint32_t node, struct json value)
{
    if (judge->frame_count == JUDGE_FRAMES_MAX) {
        judge->status =
            error_set(judge->error, STATUS_UNSUPPORTED,
                      "judging the instance nests schemas deeper than %d", JUDGE_FRAMES_MAX);
        return false;
    }
    if (judge->frame_count == judge->frame_capacity && !frame_grow(judge))
        return false;
    const struct schema_node *row = &judge->program->nodes[node];
    const struct schema_op *op = judge->program->ops + row->op_first;
    judge->frames[judge->frame_count++] = (struct judge_frame){
        .value = value,
        .op = op,
        .end = op + row->op_count,
        .node = node,
        .word_first = judge->word_count,
        .bit = schema_type_of(value),
    };
    return true;
}

static void frame_pop(struct judge *judge, bool valid)
{
    const struct judge_frame *frame = &judge->frames[--judge->frame_count];
    judge->word_count = frame->word_first;
    judge->result = valid;
    if (judge_remembers(judge, frame->node))
        judge_remember(judge, frame->node, frame->value, valid);
}

/* The verdict of another node: at once, or when the frame is entered again. */
static enum outcome frame_child(struct judge *judge, struct judge_frame *frame, uint32_t node,
                                struct json value)
{
    if (frame->waiting) {
        frame->waiting = false;
        return judge->result ? OUTCOME_VALID : OUTCOME_INVALID;
    }
    node = judge->program->internal->alias[node];
    enum outcome outcome = judge_now(judge, node, value);
    if (outcome == OUTCOME_PENDING) {
        frame->waiting = true;
        judge->pending_node = node;
        judge->pending_value = value;
    }
    return outcome;
}

static void frame_next_op(struct judge_frame *frame, uint32_t ops)
{
    frame->op += ops;
    frame->index = 0;
    frame->count = 0;
    frame->phase = 0;
    frame->started = false;
}

/* ---- members --------------------------------------------------------------------------------- */

static bool frame_reserve_words(struct judge *judge, struct judge_frame *frame, uint32_t bits)
{
    uint32_t words = (bits + JUDGE_WORD_BITS - 1) / JUDGE_WORD_BITS;
    while (judge->word_capacity - judge->word_count < words) {
        uint64_t *grown = judge_grow(judge, judge->words, &judge->word_capacity,
                                     words + JUDGE_WORDS_MIN, sizeof(*grown));
        if (grown == NULL)
            return false;
        judge->words = grown;
    }
    frame->word_first = judge->word_count;
    memset(judge->words + judge->word_count, 0, words * sizeof(*judge->words));
    judge->word_count += words;
    return true;
}

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
    return judge_now(judge, judge->program->internal->alias[node], frame->at);
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

static void frame_start_items(struct judge_frame *frame)
{
    if (frame->started)
        return;
    frame->started = true;
    frame->at = json_first(frame->value);
}

static enum outcome frame_prefix_items(struct judge *judge, struct judge_frame *frame)
{
    const struct schema_op *op = frame->op;
    frame_start_items(frame);
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
    frame_start_items(frame);
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
    frame_start_items(frame);
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

/* ---- the machine ----------------------------------------------------------------------------- */

static enum outcome frame_op(struct judge *judge, struct judge_frame *frame)
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
    case SCHEMA_OP_DYNAMIC_REF:
    case SCHEMA_OP_UNEVALUATED_ITEMS:
    case SCHEMA_OP_UNEVALUATED_PROPERTIES: return OUTCOME_VALID; /* not emitted yet */
    case SCHEMA_OP_NOT: return frame_not(judge, frame);
    case SCHEMA_OP_IF: return frame_if(judge, frame);
    case SCHEMA_OP_TYPE: return OUTCOME_VALID; /* the node's type bits were tested before */
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
    case SCHEMA_OP_DEPENDENT_REQUIRED:
        return judge_flat_op(judge, op, frame->value) ? OUTCOME_VALID : OUTCOME_INVALID;
    }
    return OUTCOME_INVALID;
}

/* Instructions of the frame on top until it ends or needs another node. */
static enum outcome frame_run(struct judge *judge, struct judge_frame *frame)
{
    while (frame->op < frame->end) {
        if ((frame->op->types & frame->bit) == 0) {
            frame_next_op(frame, 1);
            continue;
        }
        if (!frame->waiting && !judge_charge(judge, 1))
            return OUTCOME_FAILED;
        enum outcome outcome = frame_op(judge, frame);
        if (judge->status != STATUS_OK)
            return OUTCOME_FAILED;
        if (outcome != OUTCOME_VALID)
            return outcome;
        const struct schema_plan *plan = judge->program->internal->plans[frame->node];
        uint8_t opcode = frame->op->opcode;
        bool is_plan = opcode >= SCHEMA_OP_PROPERTIES && opcode <= SCHEMA_OP_REQUIRED;
        frame_next_op(frame, is_plan ? plan->op_count : 1);
    }
    return OUTCOME_VALID;
}

bool judge_value(struct judge *judge, uint32_t node, struct json value)
{
    node = judge->program->internal->alias[node];
    enum outcome outcome = judge_now(judge, node, value);
    if (outcome != OUTCOME_PENDING)
        return outcome == OUTCOME_VALID && judge->status == STATUS_OK;
    if (!frame_push(judge, node, value))
        return false;
    while (judge->frame_count > 0) {
        struct judge_frame *frame = &judge->frames[judge->frame_count - 1];
        outcome = frame_run(judge, frame);
        if (outcome == OUTCOME_FAILED)
            break;
        if (outcome == OUTCOME_PENDING) {
            if (!frame_push(judge, judge->pending_node, judge->pending_value))
                break;
            continue;
        }
        if (outcome == OUTCOME_INVALID)
            judge_note_failure(judge, frame->value);
        frame_pop(judge, outcome == OUTCOME_VALID);
        if (judge->status != STATUS_OK)
            break;
    }
    judge->frame_count = 0;
    judge->word_count = 0;
    return judge->status == STATUS_OK && judge->result;
}

struct json judge_member(struct judge *judge, struct json object, struct str name)
{
    if (!judge_charge(judge, 1 + json_count(object) / 8))
        return (struct json){ object.doc, NULL };
    return json_get(object, name);
}

void judge_remember_all(struct judge *judge)
{
    judge->remembers_all = true;
}

void judge_init(struct judge *judge, const struct schema_program *program, uint64_t steps_max,
                const struct alloc *alloc, struct error *error)
{
    if (steps_max == 0)
        steps_max = LIMIT_VALIDATE_STEPS;
    memset(judge, 0, offsetof(struct judge, inline_frames));
    judge->program = program;
    judge->alloc = alloc;
    judge->error = error;
    judge->status = STATUS_OK;
    judge->steps = steps_max;
    judge->steps_max = steps_max;
    judge->remember_below = steps_max > JUDGE_SHORT_RUN ? steps_max - JUDGE_SHORT_RUN : 0;
    judge->frames = judge->inline_frames;
    judge->frame_capacity = JUDGE_FRAMES_INLINE;
    judge->farthest = 0;
}

void judge_release(struct judge *judge)
{
    if (judge->frames != judge->inline_frames)
        alloc_free(judge->alloc, judge->frames, judge->frame_capacity * sizeof(*judge->frames));
    alloc_free(judge->alloc, judge->words, judge->word_capacity * sizeof(*judge->words));
    alloc_free(judge->alloc, judge->verdicts, judge->verdict_slots * sizeof(*judge->verdicts));
    alloc_free(judge->alloc, judge->items, judge->item_slots * sizeof(*judge->items));
}

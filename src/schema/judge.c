/* judge.c - frames: one node applied to one instance value, with the place where it goes on.
 *
 * Owns: the run loop, the frames and their memory, the budget. Leaves to others: instructions that
 * judge other nodes (judge_apply.c) or none (judge_flat.c), which children are evaluated
 * (judge_marks.c), what is remembered (judge_memory.c), where dynamic references lead
 * (judge_scope.c), reasons (explain.c). Invariants: a frame
 * that needs another one stops at the same instruction with `waiting` set and is entered there
 * again with the result; a node reached over several edges is judged at most once for an instance
 * value and a scope once the run has become long, which keeps nested alternatives linear.
 */
#include "base/features.h"

#include "schema/judge_frame.h"

#include "base/checked.h"
#include "base/limits.h"

enum {
    JUDGE_WORDS_MIN = 32,
    JUDGE_WORDS_MAX = 1 << 22, /* 32 MiB: bits of all frames together */
    JUDGE_FRAMES_MAX =
        1 << 18,           /* frames of nested schemas; 128 levels of instance need far fewer */
    JUDGE_SHORT_RUN = 2048 /* steps before verdicts are remembered: short runs do without */
};

/* ---- resources ------------------------------------------------------------------------------- */

void judge_no_memory(struct judge *judge)
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

bool judge_exceeds(struct judge *judge, const char *what, int limit)
{
    if (judge->status == STATUS_OK)
        judge->status = error_set(judge->error, STATUS_UNSUPPORTED,
                                  "judging the instance needs more than %d %s", limit, what);
    return false;
}

void *judge_grow(struct judge *judge, void *items, uint32_t *capacity, uint32_t minimum,
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
        if (judge_is_tested(op) || (op->types & bit) == 0)
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

enum outcome judge_now(struct judge *judge, uint32_t scope, uint32_t node, struct json value)
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
    return judge_remembers(judge, node) ? judge_recall(judge, scope, node, value) : OUTCOME_PENDING;
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

static bool is_unevaluated(uint8_t opcode)
{
    return opcode == SCHEMA_OP_UNEVALUATED_ITEMS || opcode == SCHEMA_OP_UNEVALUATED_PROPERTIES;
}

static bool frame_push(struct judge *judge, const struct judge_request *request)
{
    if (judge->frame_count == JUDGE_FRAMES_MAX)
        return judge_exceeds(judge, "schemas inside each other", JUDGE_FRAMES_MAX);
    if (judge->frame_count == judge->frame_capacity && !frame_grow(judge))
        return false;
    const struct schema_node *row = &judge->program->nodes[request->node];
    const struct schema_op *op = judge->program->ops + row->op_first;
    const struct schema_op *end = op + row->op_count;
    while (request->skips_unevaluated && end > op && is_unevaluated(end[-1].opcode))
        end--;
    judge->frames[judge->frame_count++] = (struct judge_frame){
        .value = request->value,
        .op = op,
        .end = end,
        .node = request->node,
        .word_first = judge->word_count,
        .scope = request->scope,
        .marks = request->marks,
        .bit = schema_type_of(request->value),
        .collects = request->collects,
    };
    return true;
}

static void frame_pop(struct judge *judge, bool valid)
{
    const struct judge_frame *frame = &judge->frames[--judge->frame_count];
    judge->word_count = frame->word_first;
    judge->result = valid;
    if (!frame->collects && judge_remembers(judge, frame->node))
        judge_remember(judge, frame->scope, frame->node, frame->value, valid);
}

enum outcome frame_child(struct judge *judge, struct judge_frame *frame, uint32_t node,
                         struct json value)
{
    if (frame->waiting) {
        frame->waiting = false;
        return judge->result ? OUTCOME_VALID : OUTCOME_INVALID;
    }
    node = judge->program->internal->alias[node];
    uint32_t scope = judge_enter(judge, frame->scope, node);
    enum outcome outcome = judge_now(judge, scope, node, value);
    if (outcome == OUTCOME_PENDING) {
        frame->waiting = true;
        judge->pending = (struct judge_request){ .value = value, .node = node, .scope = scope };
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

bool frame_reserve_words(struct judge *judge, struct judge_frame *frame, uint32_t bits)
{
    uint32_t words = bits / JUDGE_WORD_BITS + 1;
    judge->word_count = frame->word_first;
    if (words > JUDGE_WORDS_MAX - judge->word_count)
        return judge_exceeds(judge, "words of marks", JUDGE_WORDS_MAX);
    if (!judge_charge(judge, words))
        return false;
    while (judge->word_capacity - judge->word_count < words) {
        uint64_t *grown = judge_grow(judge, judge->words, &judge->word_capacity,
                                     words + JUDGE_WORDS_MIN, sizeof(*grown));
        if (grown == NULL)
            return false;
        judge->words = grown;
    }
    memset(judge->words + judge->word_count, 0, words * sizeof(*judge->words));
    judge->word_count += words;
    return true;
}

/* ---- the machine ----------------------------------------------------------------------------- */

/* Instructions of the frame on top until it ends or needs another one. */
static enum outcome frame_run(struct judge *judge, struct judge_frame *frame)
{
    while (frame->op < frame->end) {
        if ((frame->op->types & frame->bit) == 0) {
            frame_next_op(frame, 1);
            continue;
        }
        if (!frame->waiting && !judge_charge(judge, 1))
            return OUTCOME_FAILED;
        enum outcome outcome =
            frame->collects ? frame_collect(judge, frame) : frame_apply(judge, frame);
        if (judge->status != STATUS_OK)
            return OUTCOME_FAILED;
        if (outcome != OUTCOME_VALID)
            return outcome;
        const struct schema_plan *plan = judge->program->internal->plans[frame->node];
        uint8_t opcode = frame->op->opcode;
        bool is_plan =
            !frame->collects && opcode >= SCHEMA_OP_PROPERTIES && opcode <= SCHEMA_OP_REQUIRED;
        frame_next_op(frame, is_plan ? plan->op_count : 1);
    }
    return OUTCOME_VALID;
}

/* From the one frame on the stack until it has ended. */
static void judge_run(struct judge *judge)
{
    while (judge->frame_count > 0 && judge->status == STATUS_OK) {
        struct judge_frame *frame = &judge->frames[judge->frame_count - 1];
        enum outcome outcome = frame_run(judge, frame);
        if (outcome == OUTCOME_FAILED)
            break;
        if (outcome == OUTCOME_PENDING) {
            const struct judge_request request = judge->pending;
            (void)frame_push(judge, &request);
            continue;
        }
        if (outcome == OUTCOME_INVALID)
            judge_note_failure(judge, frame->value);
        frame_pop(judge, outcome == OUTCOME_VALID);
    }
    judge->frame_count = 0;
    judge->word_count = 0;
}

bool judge_value_in(struct judge *judge, uint32_t scope, uint32_t node, struct json value)
{
    node = judge->program->internal->alias[node];
    scope = judge_enter(judge, scope, node);
    if (judge->status != STATUS_OK)
        return false;
    enum outcome outcome = judge_now(judge, scope, node, value);
    if (outcome != OUTCOME_PENDING)
        return outcome == OUTCOME_VALID && judge->status == STATUS_OK;
    const struct judge_request request = { .value = value, .node = node, .scope = scope };
    if (frame_push(judge, &request))
        judge_run(judge);
    return judge->status == STATUS_OK && judge->result;
}

bool judge_value(struct judge *judge, uint32_t node, struct json value)
{
    return judge_value_in(judge, 0, node, value);
}

void judge_evaluated(struct judge *judge, uint32_t scope, uint32_t node, struct json value,
                     uint64_t *bits)
{
    const struct judge_request request = {
        .value = value, .node = node, .scope = scope, .collects = true, .skips_unevaluated = true
    };
    if (judge->status != STATUS_OK || !frame_push(judge, &request))
        return;
    if (frame_start_marks(judge, &judge->frames[0]))
        judge_run(judge);
    judge->frame_count = 0;
    judge->word_count = 0;
    if (judge->status == STATUS_OK)
        memcpy(bits, judge->words + JUDGE_MARKS_HEAD,
               (json_count(value) + JUDGE_WORD_BITS - 1) / JUDGE_WORD_BITS * sizeof(*bits));
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
    judge_release_verdicts(judge);
    alloc_free(judge->alloc, judge->scope_words,
               judge->scope_capacity * sizeof(*judge->scope_words));
    alloc_free(judge->alloc, judge->items, judge->item_slots * sizeof(*judge->items));
}

/* trace.c - a program run over an instance to the end, with a unit for everything that happens.
 *
 * Owns: the run loop, its frames, and the tree. Leaves to others: which schemas an instruction
 * applies (trace_apply.c), annotations (trace_notes.c), flat instructions (judge_flat.c).
 * Invariants: nothing is cut short and nothing remembered, so the verdict is arrived at apart from
 * the judge's shortcuts and must be the same; a frame that waits for another is entered again at
 * the same instruction; the number of units bounds the memory.
 */
#include "base/features.h"

#include "base/limits.h"
#include "schema/trace.h"

enum { TRACE_UNITS_MIN = 64, TRACE_FRAMES_MIN = 16 };

/* ---- memory ---------------------------------------------------------------------------------- */

static bool trace_no_memory(struct trace_run *run)
{
    if (run->judge.status == STATUS_OK)
        run->judge.status = error_set(run->judge.error, STATUS_NO_MEMORY, "out of memory");
    return false;
}

/* Room for one more item of an array that has `count`. */
static void *trace_reserve(struct trace_run *run, void *items, uint32_t count, uint32_t *capacity,
                           uint32_t minimum, size_t size)
{
    if (count < *capacity)
        return items;
    uint32_t wanted = *capacity == 0 ? minimum : *capacity * 2;
    void *grown = alloc_grow(run->trace->alloc, items, *capacity * size, wanted * size);
    if (grown == NULL)
        (void)trace_no_memory(run);
    else
        *capacity = wanted;
    return grown;
}

/* A valid unit at the end, or SCHEMA_NONE. */
static uint32_t trace_open(struct trace_run *run, const struct trace_unit *unit)
{
    struct schema_trace *trace = run->trace;
    if (!judge_charge(&run->judge, 1))
        return SCHEMA_NONE;
    if (trace->unit_count == LIMIT_TRACE_UNITS) {
        run->judge.status = error_set(run->judge.error, STATUS_UNSUPPORTED,
                                      "the trace has more than %u units", LIMIT_TRACE_UNITS);
        error_hint(run->judge.error, "ask for the flag form, which takes no trace");
        return SCHEMA_NONE;
    }
    struct trace_unit *units = trace_reserve(run, trace->units, trace->unit_count,
                                             &trace->unit_capacity, TRACE_UNITS_MIN, sizeof(*unit));
    if (units == NULL)
        return SCHEMA_NONE;
    trace->units = units;
    units[trace->unit_count] = *unit;
    return trace->unit_count++;
}

bool trace_fail(struct trace_run *run, uint32_t unit, const struct fault *fault)
{
    struct schema_trace *trace = run->trace;
    trace->units[unit].valid = false;
    struct fault *row = vector_push(&trace->faults, trace->alloc);
    if (row == NULL)
        return trace_no_memory(run);
    *row = *fault;
    trace->units[unit].fault = trace->faults.count - 1;
    return true;
}

uint32_t trace_keyword(struct trace_run *run, const struct trace_frame *frame, struct str keyword)
{
    const struct trace_unit *schema = trace_schema_unit(run, frame);
    const struct trace_unit unit = {
        .instance = schema->instance,
        .token = keyword,
        .index = SCHEMA_NONE,
        .item = schema->item,
        .parent = frame->unit,
        .end = run->trace->unit_count + 1,
        .node = schema->node,
        .fault = SCHEMA_NONE,
        .kind = TRACE_KEYWORD,
        .valid = true,
    };
    return trace_open(run, &unit);
}

/* ---- frames ---------------------------------------------------------------------------------- */

static bool trace_is_reference(const struct trace_frame *parent)
{
    return parent != NULL &&
           (parent->op->opcode == SCHEMA_OP_REF || parent->op->opcode == SCHEMA_OP_DYNAMIC_REF);
}

/* Applies a schema; parent is NULL for the root. */
static void trace_push(struct trace_run *run, const struct trace_frame *parent,
                       const struct trace_step *step)
{
    const struct schema_node *row = &run->trace->program->nodes[step->node];
    const struct schema_op *ops = run->trace->program->ops + row->op_first;
    const struct trace_unit unit = {
        .instance = step->instance,
        .token = step->token,
        .index = step->index,
        .item = step->item,
        .parent = parent == NULL ? SCHEMA_NONE : parent->keyword,
        .node = step->node,
        .fault = SCHEMA_NONE,
        .kind = TRACE_SCHEMA,
        .valid = true,
        .is_reference = trace_is_reference(parent),
    };
    uint32_t scope = judge_enter(&run->judge, parent == NULL ? 0 : parent->scope, step->node);
    uint32_t opened = trace_open(run, &unit);
    struct trace_frame *frames =
        trace_reserve(run, run->frames, run->frame_count, &run->frame_capacity, TRACE_FRAMES_MIN,
                      sizeof(*frames));
    if (frames == NULL || opened == SCHEMA_NONE || run->judge.status != STATUS_OK) {
        run->frames = frames == NULL ? run->frames : frames;
        return;
    }
    run->frames = frames;
    run->frames[run->frame_count++] = (struct trace_frame){
        .op = ops,
        .end = ops + row->op_count,
        .unit = opened,
        .keyword = SCHEMA_NONE,
        .scope = scope,
        .word_first = run->word_count,
        .bit = schema_type_of(step->instance),
    };
}

/* The schema's own types say more than a `type` keyword where it is false, or was narrowed. */
static void trace_check_types(struct trace_run *run, const struct trace_frame *frame)
{
    struct schema_trace *trace = run->trace;
    const struct trace_unit *unit = trace_schema_unit(run, frame);
    const struct schema_node *node = &trace->program->nodes[unit->node];
    if ((node->types & frame->bit) != 0 || !unit->valid)
        return;
    uint8_t opcode =
        unit->parent == SCHEMA_NONE ? SCHEMA_OP_TYPE : trace->units[unit->parent].opcode;
    bool is_extra = opcode == SCHEMA_OP_ADDITIONAL || opcode == SCHEMA_OP_UNEVALUATED_PROPERTIES;
    struct fault fault = {
        .value = unit->instance,
        .node = unit->node,
        .types = node->types,
        .kind = node->types != 0 ? FAULT_TYPE : FAULT_FALSE,
    };
    if (node->types == 0 && is_extra) {
        fault.kind = FAULT_UNKNOWN;
        fault.name = json_member_name(unit->instance);
    }
    (void)trace_fail(run, frame->unit, &fault);
}

/* The schema is done: its verdict goes to the keyword that applied it. */
static void trace_pop(struct trace_run *run)
{
    struct schema_trace *trace = run->trace;
    struct trace_frame *frame = &run->frames[run->frame_count - 1];
    trace_check_types(run, frame);
    trace_annotate(run, frame);
    trace->units[frame->unit].end = trace->unit_count;
    bool fits = trace->units[frame->unit].valid;
    run->frame_count--;
    if (run->frame_count == 0)
        return;
    struct trace_frame *parent = &run->frames[run->frame_count - 1];
    if (fits && parent->fits < 2)
        *(parent->fits == 0 ? &parent->first_fit : &parent->second_fit) =
            trace->units[frame->unit].index;
    parent->fits += fits;
    parent->fails += !fits;
}

/* ---- the machine ----------------------------------------------------------------------------- */

/* One keyword may take several instructions: they share its unit. */
static bool trace_open_keyword(struct trace_run *run, struct trace_frame *frame)
{
    struct str keyword = trace_keyword_of(run, frame);
    uint32_t open = frame->keyword;
    if (open == SCHEMA_NONE || !str_equal(run->trace->units[open].token, keyword)) {
        open = trace_keyword(run, frame, keyword);
        if (open == SCHEMA_NONE)
            return false;
        run->trace->units[open].opcode = frame->op->opcode;
    }
    frame->keyword = open;
    frame->started = true;
    frame->at = (struct json){ NULL, NULL };
    if ((frame->bit & (SCHEMA_ARRAY | SCHEMA_OBJECT)) != 0)
        frame->at = json_first(trace_schema_unit(run, frame)->instance);
    frame->item = 0;
    frame->index = 0;
    frame->fits = 0;
    frame->fails = 0;
    return true;
}

static void trace_close_keyword(struct trace_run *run, struct trace_frame *frame)
{
    uint8_t part = frame->part;
    run->trace->units[frame->keyword].end = run->trace->unit_count;
    trace_finish(run, frame);
    if (!run->trace->units[frame->keyword].valid)
        run->trace->units[frame->unit].valid = false;
    frame->started = false;
    if (frame->part == part) {
        frame->part = 0;
        frame->op++;
    }
}

/* The frame on top until it ends or applies another schema. */
static void trace_go_on(struct trace_run *run)
{
    struct trace_frame *frame = &run->frames[run->frame_count - 1];
    struct trace_step step;
    while (frame->op < frame->end && run->judge.status == STATUS_OK) {
        if ((frame->op->types & frame->bit) == 0) {
            frame->op++;
            continue;
        }
        if (!frame->started && !trace_open_keyword(run, frame))
            return;
        if (trace_next(run, frame, &step)) {
            const struct trace_frame parent = *frame;
            trace_push(run, &parent, &step);
            return;
        }
        if (run->judge.status == STATUS_OK)
            trace_close_keyword(run, frame);
    }
    if (run->judge.status == STATUS_OK)
        trace_pop(run);
}

/* A member name is no value to annotate. */
static void trace_find_effects(struct schema_trace *trace)
{
    for (uint32_t i = 0; i < trace->unit_count; i++) {
        struct trace_unit *unit = &trace->units[i];
        bool is_root = unit->parent == SCHEMA_NONE;
        unit->is_real = unit->valid && unit->opcode != SCHEMA_OP_PROPERTY_NAMES &&
                        (is_root || trace->units[unit->parent].is_real);
        unit->is_cause = !unit->valid && (is_root || trace->units[unit->parent].is_cause);
    }
}

enum status schema_trace_new(const struct schema_program *program, struct json instance,
                             uint64_t steps_max, const struct alloc *alloc,
                             struct schema_trace **out_trace, struct error *error)
{
    struct schema_trace *trace = alloc_get(alloc, sizeof(*trace));
    if (trace == NULL)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    *trace = (struct schema_trace){ .program = program, .alloc = alloc };
    trace->faults.item_size = sizeof(struct fault);
    struct trace_run run = { .trace = trace };
    judge_init(&run.judge, program, steps_max, alloc, error);
    const struct trace_step root = { .instance = instance, .index = SCHEMA_NONE };
    trace_push(&run, NULL, &root);
    while (run.frame_count > 0 && run.judge.status == STATUS_OK)
        trace_go_on(&run);
    enum status status = run.judge.status;
    alloc_free(alloc, run.frames, run.frame_capacity * sizeof(*run.frames));
    alloc_free(alloc, run.words, run.word_capacity * sizeof(*run.words));
    judge_release(&run.judge);
    if (status != STATUS_OK) {
        schema_trace_free(trace);
        return status;
    }
    trace_find_effects(trace);
    *out_trace = trace;
    return STATUS_OK;
}

bool schema_trace_is_valid(const struct schema_trace *trace)
{
    return trace->units[0].valid;
}

void schema_trace_free(struct schema_trace *trace)
{
    if (trace == NULL)
        return;
    const struct alloc *alloc = trace->alloc;
    alloc_free(alloc, trace->units, trace->unit_capacity * sizeof(*trace->units));
    vector_release(&trace->faults, alloc);
    alloc_free(alloc, trace, sizeof(*trace));
}

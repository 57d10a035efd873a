/* trace.h - what happened at every keyword: the tree of units that the output forms are written
 * from. Private to src/schema.
 *
 * Units lie in one array in the order of evaluation; the units below one follow it up to its `end`.
 * A schema unit is a schema applied to an instance value, its children are units of keywords; a
 * keyword unit is a keyword of that schema, its children are the schemas that it applied.
 */
#ifndef STRUCTURE_SCHEMA_TRACE_H
#define STRUCTURE_SCHEMA_TRACE_H

#include "schema/explain.h"
#include "schema/output.h"
#include "schema/vector.h"

enum trace_kind { TRACE_SCHEMA, TRACE_KEYWORD };

/* Where the value of a unit's annotation comes from. */
enum trace_note {
    TRACE_NOTE_NONE,
    TRACE_NOTE_VALUE,  /* the keyword's value in the schema */
    TRACE_NOTE_NAMES,  /* names of the members that the keyword was applied to */
    TRACE_NOTE_LAST,   /* number of the last item it was applied to; true if that is the last */
    TRACE_NOTE_TRUE,   /* it was applied to an item */
    TRACE_NOTE_MATCHES /* numbers of the items that matched; true if all did */
};

struct trace_unit {
    struct json instance;
    struct json annotation; /* TRACE_NOTE_VALUE */
    struct str token;       /* step of the evaluation path that leads here; ptr NULL: none */
    uint32_t index;         /* the step is this number instead, unless SCHEMA_NONE */
    uint32_t item;          /* number of the instance value in its container */
    uint32_t parent;        /* SCHEMA_NONE: the root */
    uint32_t end;           /* one past the last unit below */
    uint32_t node;          /* the schema applied; of a keyword: that which holds it */
    uint32_t fault;         /* faults[] index, or SCHEMA_NONE: valid, or only units below fail */
    uint8_t kind;           /* enum trace_kind */
    uint8_t note;           /* enum trace_note */
    uint8_t opcode;         /* of a keyword with an instruction */
    bool valid;
    bool is_real;      /* its annotations count: it and all above are valid, and about a value */
    bool is_cause;     /* the instance fails here: it and all above are invalid */
    bool is_reference; /* a schema that is not part of the keyword's value */
};

struct schema_trace {
    const struct schema_program *program;
    const struct alloc *alloc;
    struct trace_unit *units;
    uint32_t unit_count;
    uint32_t unit_capacity;
    struct vector faults; /* struct fault */
};

static inline const struct fault *trace_fault(const struct schema_trace *trace, uint32_t unit)
{
    return vector_at(&trace->faults, trace->units[unit].fault);
}

/* A run in progress (trace.c). */
struct trace_run;

/* One schema applied to one instance value, with the place where it goes on. */
struct trace_frame {
    const struct schema_op *op;
    const struct schema_op *end;
    struct json at;     /* member or item that comes next */
    uint32_t unit;      /* of the schema */
    uint32_t keyword;   /* unit of the keyword in progress, or SCHEMA_NONE */
    uint32_t item;      /* number of `at` */
    uint32_t index;     /* child or pattern in progress */
    uint32_t fits;      /* schemas applied that accepted */
    uint32_t fails;     /* that did not */
    uint32_t first_fit; /* numbers of the first two that accepted */
    uint32_t second_fit;
    uint32_t scope;
    uint32_t word_first; /* marks of unevaluated* */
    uint8_t bit;         /* type of the instance value */
    uint8_t part;        /* of an instruction that stands for two keywords */
    bool started;
};

/* A schema to apply next. */
struct trace_step {
    struct json instance;
    struct str token;
    uint32_t node;
    uint32_t index;
    uint32_t item;
};

struct trace_run {
    struct schema_trace *trace;
    struct judge judge; /* flat instructions, steps, scopes */
    struct trace_frame *frames;
    uint32_t frame_count;
    uint32_t frame_capacity;
    uint64_t *words; /* marks, a bit for each child of a value */
    uint32_t word_count;
    uint32_t word_capacity;
};

static inline struct trace_unit *trace_schema_unit(struct trace_run *run,
                                                   const struct trace_frame *frame)
{
    return &run->trace->units[frame->unit];
}

/* trace.c: a fault of a unit, which becomes invalid. False when memory is used up. */
bool trace_fail(struct trace_run *run, uint32_t unit, const struct fault *fault);
/* A valid keyword unit below the frame's schema, or SCHEMA_NONE. */
uint32_t trace_keyword(struct trace_run *run, const struct trace_frame *frame, struct str keyword);

/* trace_apply.c: the schemas that an instruction applies, one a call; false when there are no more,
 * or on failure. */
bool trace_next(struct trace_run *run, struct trace_frame *frame, struct trace_step *out_step);
/* What the keyword comes to once they were applied; may use the part of the frame to go on. */
void trace_finish(struct trace_run *run, struct trace_frame *frame);
/* The keyword that the instruction stands for in this part of it. */
struct str trace_keyword_of(const struct trace_run *run, const struct trace_frame *frame);

/* trace_notes.c: which children of the value the units below the frame's schema evaluated, as bits
 * until the frame's keyword ends; and a unit for each keyword that only annotates. */
bool trace_mark(struct trace_run *run, struct trace_frame *frame);
bool trace_is_marked(const struct trace_run *run, const struct trace_frame *frame);
void trace_annotate(struct trace_run *run, const struct trace_frame *frame);

#endif

/* explain.h - the reasons for a negative verdict. Private to src/schema. */
#ifndef STRUCTURE_SCHEMA_EXPLAIN_H
#define STRUCTURE_SCHEMA_EXPLAIN_H

#include "schema/judge.h"
#include "schema/validate.h"

/* What kind of sentence a fault becomes; most are told by the instruction alone. */
enum fault_kind {
    FAULT_OP,          /* the instruction on the value */
    FAULT_FALSE,       /* nothing is allowed here */
    FAULT_TYPE,        /* a type narrowed without `type` */
    FAULT_MISSING,     /* the required member `name` is missing */
    FAULT_DEPENDENT,   /* the member `name` is missing beside `other` */
    FAULT_UNKNOWN,     /* the member is not allowed */
    FAULT_EXTRA_ITEM,  /* items beyond the first `first` are not allowed */
    FAULT_LEFT_ITEM,   /* item number `first` is not allowed */
    FAULT_TOO_FEW,     /* contains below minContains */
    FAULT_TOO_MANY,    /* contains beyond maxContains */
    FAULT_TWINS,       /* uniqueItems: items number `first` and `second` are equal */
    FAULT_NO_TYPE,     /* alternatives: none takes the type; `types` are those taken */
    FAULT_NO_VALUE,    /* alternatives: all list values, this is none of them */
    FAULT_NO_BRANCH,   /* alternatives: none fits and none is likelier than the others */
    FAULT_TWO_BRANCHES /* oneOf: alternatives number `first` and `second` fit */
};

/* The alternative that a fault is told for: the innermost one that was taken to be meant, or the
 * condition that brought its schema into play. */
struct fault_choice {
    const struct schema_op *op; /* anyOf, oneOf, if, dependentSchemas; NULL: none */
    uint32_t node;              /* that has it */
    uint32_t index;             /* of the alternative; of `if` 0: it holds, 1: it does not */
};

/* One fault as found, before it is put into words. */
struct fault {
    struct json value;          /* what is at fault: an instance value or a member name */
    struct json place;          /* the part of it to look at; if it does not exist, all of it */
    const struct schema_op *op; /* NULL: the node itself */
    struct str name;            /* of a member, by kind */
    struct str other;
    struct str near; /* the name or value that was probably meant, or no bytes */
    struct fault_choice choice;
    uint32_t node;
    uint32_t first;
    uint32_t second;
    uint8_t types;
    uint8_t kind; /* enum fault_kind */
};

/* Appends to violations what is wrong with the instance, which was judged invalid. Failures are in
 * the judge's status. */
void schema_explain(struct judge *judge, struct json instance,
                    struct schema_violations *violations);

/* message.c: the words. schema_fault_message appends the sentence alone; schema_fault_write fills
 * everything, strings go to the arena. */
void schema_fault_message(const struct schema_program *program, const struct fault *fault,
                          struct buffer *out);
/* "a string or null". */
void schema_append_types(uint8_t types, struct buffer *out);

/* What a schema, or the one that it refers to, calls itself: its title, else one line of its
 * description; or empty. */
struct str schema_title(const struct schema_program *program, uint32_t node);

/* hint.c: what was probably meant, or nothing; for whoever must mend it, a model too. */
void schema_fault_hint(const struct fault *fault, struct buffer *out);

/* What the schema allows there, or nothing; for people. */
void schema_fault_note(const struct schema_program *program, const struct fault *fault,
                       struct buffer *out);

/* message.c again: all of a violation. */
enum status schema_fault_write(const struct schema_program *program, const struct fault *fault,
                               const struct alloc *alloc, struct arena *arena,
                               struct schema_violation *out_violation);

#endif

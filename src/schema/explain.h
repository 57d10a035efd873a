/* explain.h - the reasons for a negative verdict. Private to src/schema. */
#ifndef STRUCTURE_SCHEMA_EXPLAIN_H
#define STRUCTURE_SCHEMA_EXPLAIN_H

#include "schema/judge.h"
#include "schema/validate.h"

/* What kind of sentence a fault becomes; most are told by the instruction alone. */
enum fault_kind {
    FAULT_OP,            /* the instruction on the value */
    FAULT_FALSE,         /* nothing is allowed here */
    FAULT_TYPE,          /* a type narrowed without `type` */
    FAULT_MISSING,       /* required: the member `name` is missing */
    FAULT_DEPENDENT,     /* dependentRequired: `name` is missing */
    FAULT_UNKNOWN,       /* additionalProperties: false */
    FAULT_NAME,          /* propertyNames */
    FAULT_EXTRA_ITEM,    /* items: false */
    FAULT_TOO_FEW,       /* contains below minContains */
    FAULT_TOO_MANY,      /* contains beyond maxContains */
    FAULT_NO_BRANCH,     /* anyOf, oneOf: none fits and none is likelier than the others */
    FAULT_TWO_BRANCHES   /* oneOf: more than one fits */
};

/* One fault as found, before it is put into words. */
struct fault {
    struct json value; /* what is at fault */
    const struct schema_op *op; /* NULL: the node itself */
    struct str name;   /* of a member, by kind */
    struct str hint;   /* a nearby name */
    uint32_t node;
    uint32_t child;    /* of an alternative that fits as well, by kind */
    uint32_t count;    /* items found, by kind */
    uint8_t kind;      /* enum fault_kind */
};

/* Appends to violations what is wrong with the instance, which was judged invalid. Failures are in the judge's
 * status. */
void schema_explain(struct judge *judge, struct json instance, struct schema_violations *violations);

/* message.c: the words. Memory comes from the arena; {NULL,0} strings when it is used up. */
void schema_violation_write(const struct schema_program *program, const struct fault *fault,
                            const struct alloc *alloc, struct arena *arena,
                            struct schema_violation *out_violation, enum status *out_status);

#endif

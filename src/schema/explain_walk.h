/* explain_walk.h - the walk in search of faults, as the files of explain*.c share it. */
#ifndef STRUCTURE_SCHEMA_EXPLAIN_WALK_H
#define STRUCTURE_SCHEMA_EXPLAIN_WALK_H

#include "schema/explain.h"
#include "schema/vector.h"

enum {
    EXPLAIN_SUGGESTIONS_MAX = 16,  /* misspelt names and values looked up for one instance */
    EXPLAIN_CANDIDATES_MAX = 2048, /* with how many one is compared */
    EXPLAIN_TRIALS_MAX = 64        /* misspelt names looked up to choose among alternatives */
};

/* A node that does not accept the value. */
struct explain_work {
    struct json value;
    struct fault_choice choice;
    uint32_t node;
    uint32_t scope; /* inside the node */
};

struct explain {
    struct judge *judge;
    const struct schema_program *program;
    struct explain_work now; /* what is being looked at */
    struct vector work;      /* struct explain_work */
    struct vector faults;    /* struct fault */
    struct fault spare;      /* what is written when there is no room */
    uint32_t suggestions;
    uint32_t trials; /* suggestions made to choose among alternatives */
    bool found;      /* something was found at fault in the node */
    bool more;
};

/* explain.c: a new fault of the list, to be completed; where there is no room, one that is dropped.
 */
struct fault *explain_add(struct explain *explain, enum fault_kind kind, uint32_t node,
                          const struct schema_op *op, struct json value);

/* Looks at a node and value later, unless they are on the list already. */
void explain_push(struct explain *explain, uint32_t node, struct json value,
                  const struct fault_choice *choice);

/* The verdict, where the walk is now. */
bool explain_judge(struct explain *explain, uint32_t node, struct json value);

/* The schema `false`. */
bool explain_is_false(const struct explain *explain, uint32_t node);

/* explain_choice.c: anyOf or oneOf did not accept the value. */
void explain_alternatives(struct explain *explain, uint32_t node, const struct schema_op *op,
                          struct json value);

#endif

/* validate.h - is this instance valid for that program, and if not, why.
 *
 * The verdict comes first at full speed; only an invalid instance is run again to collect
 * violations. Work is metered: when the step budget is used up the answer is UNSUPPORTED, never a
 * guess. Not recursive.
 */
#ifndef STRUCTURE_SCHEMA_VALIDATE_H
#define STRUCTURE_SCHEMA_VALIDATE_H

#include "base/arena.h"
#include "schema/program.h"

/* One fault. Strings are in the list's arena. No field carries the instance's value; `value`
 * points to it for the one consumer that may show it (the reason for the model). */
struct schema_violation {
    struct str pointer; /* of the instance value, RFC 6901 */
    struct str keyword; /* "maximum"; "json" and "runaway" are made by the engine */
    struct str message; /* "value must be ≥ 1 and ≤ 5": what is wrong, without the value */
    struct str schema_pointer; /* of the keyword in the schema document */
    struct str limit;          /* the keyword's value as JSON text when short, else empty */
    struct str hint;           /* "did you mean \"name\"?" or empty */
    struct json value;         /* the offending value; may not exist */
    uint32_t line, column;     /* of the value, or of its name; 1-based, 0 when unknown */
    bool at_name;              /* the member's name is at fault, not its value */
    struct str context;        /* "alternative 2 of 3, chosen by member \"kind\"", or empty */
    struct str title;          /* of the schema that is violated, or its description, or empty */
    struct str schema_uri;     /* of the resource that schema_pointer is in; the program's */
    struct json place;         /* what line and column are of: the value, its name, an item of it */
    struct str member;         /* the required member that is missing, or empty */
    struct str note;           /* without a hint: what is allowed there, or empty; for people */
    struct str brief;          /* "value must be ≤ 5": the message for a model, or empty */
};

struct schema_violations {
    struct arena *arena; /* the caller's; set before the call */
    uint32_t count_max;  /* how many to collect; 0 means LIMIT_VIOLATIONS */
    struct schema_violation *items;
    uint32_t count;
    bool more; /* there were more faults than count_max */
};

/* Verdict only. steps_max 0: LIMIT_VALIDATE_STEPS. UNSUPPORTED when the budget is used up;
 * NO_MEMORY. */
enum status schema_is_valid(const struct schema_program *program, struct json instance,
                            uint64_t steps_max, const struct alloc *alloc, bool *out_valid,
                            struct error *error);

/* Verdict and, when invalid, at least one violation: one per fault, the root cause rather than
 * its parents; for anyOf/oneOf the faults of the branch that the author most likely meant. */
enum status schema_validate(const struct schema_program *program, struct json instance,
                            uint64_t steps_max, const struct alloc *alloc, bool *out_valid,
                            struct schema_violations *violations, struct error *error);

#endif

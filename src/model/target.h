/* target.h - what a schema node asks for, as far as extraction from a text follows it.
 *
 * Looks through references, allOf and alternatives of which all but one are null. What it does not
 * see (conditions, negations, counts) is left to the decoder's state and to the validator.
 */
#ifndef STRUCTURE_MODEL_TARGET_H
#define STRUCTURE_MODEL_TARGET_H

#include "schema/program.h"

enum { TARGET_PARTS_MAX = 16 };

struct target {
    uint32_t node;
    unsigned types;                   /* admissible type bits */
    uint32_t parts[TARGET_PARTS_MAX]; /* the node and what applies with it */
    unsigned part_count;
    const struct schema_op *literals; /* SCHEMA_OP_ENUM, or NULL */
    const struct schema_op
        *branches; /* anyOf or oneOf with several branches that are not null, or NULL */
    enum schema_format format;
    struct str description; /* may be empty */
    bool is_derived;        /* "x-derived": true: the value need not stand in the text */
};

/* Always fills; a target with more than TARGET_PARTS_MAX parts is cut, which only costs evidence.
 */
void target_read(const struct schema_program *program, uint32_t node, struct target *out);

/* The instruction of some part, or NULL. */
const struct schema_op *target_find(const struct schema_program *program,
                                    const struct target *target, enum schema_opcode opcode);

/* A member of an object target, numbered from 0 in the order of the schema; false behind the last.
 */
struct target_member {
    struct str name;
    uint32_t node;
    bool required;
    bool repeats; /* an earlier part has it already */
};
bool target_member_at(const struct schema_program *program, const struct target *target,
                      uint32_t index, struct target_member *out);

#endif

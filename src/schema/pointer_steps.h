/* pointer_steps.h - the steps of JSON Pointers through one schema after the other. Private to
 * src/schema.
 *
 * Owns: an index of the large containers that pointers led through. A schema of many definitions
 * that are all referred to would cost their square otherwise.
 */
#ifndef STRUCTURE_SCHEMA_POINTER_STEPS_H
#define STRUCTURE_SCHEMA_POINTER_STEPS_H

#include "base/buffer.h"
#include "json/json.h"
#include "schema/hash_index.h"
#include "schema/vector.h"

struct pointer_steps {
    const struct alloc *alloc;
    struct hash_index index;
    struct vector rows; /* struct pointer_step_row */
    struct buffer name; /* of the member that is looked for */
};

void pointer_steps_init(struct pointer_steps *steps, const struct alloc *alloc);
void pointer_steps_release(struct pointer_steps *steps);

/* The child of a value that the next token, escaped, names. A handle that does not exist when there
 * is none. False when memory is used up. */
bool pointer_step(struct pointer_steps *steps, struct json at, struct str token,
                  struct json *out_child);

#endif

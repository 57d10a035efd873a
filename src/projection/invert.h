/* invert.h - from the wire's form back to the target's. Private to src/projection. */
#ifndef STRUCTURE_PROJECTION_INVERT_H
#define STRUCTURE_PROJECTION_INVERT_H

#include "projection/shape.h"

/* Appends the value that the reply's value means at the place `node`; adds to *readings. Errors:
 * NO_MEMORY, also in the buffer's status. */
enum status invert_value(const struct shape *shape, uint32_t node, struct json value,
                         struct buffer *out, unsigned *readings);

/* Appends where in the reply's value the target's pointer leads. */
void invert_pointer(const struct shape *shape, uint32_t node, struct json value, struct str pointer,
                    struct buffer *out);

#endif

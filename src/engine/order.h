/* order.h - a valid value, rewritten with its members in the order of the schema. */
#ifndef STRUCTURE_ENGINE_ORDER_H
#define STRUCTURE_ENGINE_ORDER_H

#include "engine/engine.h"

/* Appends value, which is valid for the program's root: members in the order of the schema, then of
 * the reply; number text kept, strings escaped minimally. NO_MEMORY also when out fails. */
enum status engine_order_write(const struct schema_program *program, struct json value,
                               const struct alloc *alloc, struct buffer *out);

#endif

/* vector.h - a growing array of equal items, used while a program is built. Private to src/schema.
 *
 * Owns: its items. An item pointer is good until the next push. Counts stay below SCHEMA_NONE.
 */
#ifndef STRUCTURE_SCHEMA_VECTOR_H
#define STRUCTURE_SCHEMA_VECTOR_H

#include <stdint.h>

#include "base/alloc.h"

struct vector {
    char *items;
    uint32_t count;
    uint32_t capacity;
    size_t item_size;
};

/* Room for one more item, zeroed; NULL when memory is used up. */
void *vector_push(struct vector *vector, const struct alloc *alloc);
void vector_release(struct vector *vector, const struct alloc *alloc);

static inline void *vector_at(const struct vector *vector, uint32_t index)
{
    return vector->items + (size_t)index * vector->item_size;
}

#endif

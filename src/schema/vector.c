/* vector.c - growth by doubling with checked sizes. */
#include "base/features.h"

#include "schema/vector.h"

#include <string.h>

#include "base/checked.h"

enum { VECTOR_ITEMS_MIN = 16 };

void *vector_push(struct vector *vector, const struct alloc *alloc)
{
    if (vector->count == vector->capacity) {
        if (vector->capacity > UINT32_MAX / 4)
            return NULL;
        uint32_t capacity = vector->capacity == 0 ? VECTOR_ITEMS_MIN : vector->capacity * 2;
        size_t size;
        if (size_multiply_overflows(capacity, vector->item_size, &size))
            return NULL;
        char *items =
            alloc_grow(alloc, vector->items, (size_t)vector->capacity * vector->item_size, size);
        if (items == NULL)
            return NULL;
        vector->items = items;
        vector->capacity = capacity;
    }
    void *item = vector_at(vector, vector->count++);
    memset(item, 0, vector->item_size);
    return item;
}

void vector_release(struct vector *vector, const struct alloc *alloc)
{
    alloc_free(alloc, vector->items, (size_t)vector->capacity * vector->item_size);
    vector->items = NULL;
    vector->count = 0;
    vector->capacity = 0;
}

/* hash_index.h - from a hash to the numbers of the items that have it, while a program is built.
 * Private to src/schema.
 *
 * Owns: its slots. Whether an item is the one looked for is the caller's to compare.
 */
#ifndef STRUCTURE_SCHEMA_HASH_INDEX_H
#define STRUCTURE_SCHEMA_HASH_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"

struct hash_index_slot {
    uint32_t hash;
    uint32_t item; /* + 1; 0: empty */
};

struct hash_index {
    struct hash_index_slot *slots;
    uint32_t slot_count; /* a power of two, or 0 */
    uint32_t count;
};

/* False when memory is used up. */
bool hash_index_add(struct hash_index *index, const struct alloc *alloc, uint32_t hash,
                    uint32_t item);

/* The next item with that hash, or UINT32_MAX. *cursor is 0 at first. */
uint32_t hash_index_next(const struct hash_index *index, uint32_t hash, uint32_t *cursor);

void hash_index_release(struct hash_index *index, const struct alloc *alloc);

#endif

/* hash_index.c - see hash_index.h. Open addressing, at most half full; items are never removed. */
#include "base/features.h"

#include "schema/hash_index.h"

#include <string.h>

enum { HASH_INDEX_SLOTS_MIN = 16 };

static void hash_index_put(struct hash_index_slot *slots, uint32_t mask, uint32_t hash,
                           uint32_t item)
{
    uint32_t at = hash & mask;
    while (slots[at].item != 0)
        at = (at + 1) & mask;
    slots[at] = (struct hash_index_slot){ hash, item };
}

static bool hash_index_grow(struct hash_index *index, const struct alloc *alloc)
{
    uint32_t count = index->slot_count == 0 ? HASH_INDEX_SLOTS_MIN : index->slot_count * 2;
    struct hash_index_slot *slots = alloc_get(alloc, (size_t)count * sizeof(*slots));
    if (slots == NULL)
        return false;
    memset(slots, 0, (size_t)count * sizeof(*slots));
    for (uint32_t i = 0; i < index->slot_count; i++)
        if (index->slots[i].item != 0)
            hash_index_put(slots, count - 1, index->slots[i].hash, index->slots[i].item);
    hash_index_release(index, alloc);
    index->slots = slots;
    index->slot_count = count;
    return true;
}

bool hash_index_add(struct hash_index *index, const struct alloc *alloc, uint32_t hash,
                    uint32_t item)
{
    if (index->count >= index->slot_count / 2 && !hash_index_grow(index, alloc))
        return false;
    index->count++;
    hash_index_put(index->slots, index->slot_count - 1, hash, item + 1);
    return true;
}

uint32_t hash_index_next(const struct hash_index *index, uint32_t hash, uint32_t *cursor)
{
    if (index->slot_count == 0)
        return UINT32_MAX;
    for (;;) {
        const struct hash_index_slot *slot =
            &index->slots[(hash + (*cursor)++) & (index->slot_count - 1)];
        if (slot->item == 0)
            return UINT32_MAX;
        if (slot->hash == hash)
            return slot->item - 1;
    }
}

void hash_index_release(struct hash_index *index, const struct alloc *alloc)
{
    alloc_free(alloc, index->slots, (size_t)index->slot_count * sizeof(*index->slots));
    index->slots = NULL;
    index->slot_count = 0;
}

/* member.h - the hash of member names, and sorted references to them.
 *
 * Private to src/json. The hash multiplies two masked words into 128 bits and folds; it is keyed,
 * but nothing relies on hashes differing.
 */
#ifndef STRUCTURE_JSON_MEMBER_H
#define STRUCTURE_JSON_MEMBER_H

#include "base/hash.h"
#include "base/wide.h"
#include "json/json.h"

enum { MEMBER_HASH_BLOCK = 16 };

static inline void member_seeds(uint64_t out_seeds[2])
{
    uint64_t seed = hash_process_seed();
    out_seeds[0] = seed;
    out_seeds[1] = seed * UINT64_C(0x9E3779B97F4A7C15) ^ seed >> 31;
}

static inline uint32_t member_fold(uint64_t a, uint64_t b, uint64_t more)
{
    struct wide product = wide_multiply(a, b ^ more << 32);
    return (uint32_t)product.high ^ (uint32_t)product.low;
}

/* A name of at most MEMBER_HASH_BLOCK bytes is read as one block whose bytes beyond len are masked:
 * that many must be readable. */
static inline uint32_t member_hash(const uint64_t seeds[2], const char *ptr, size_t len)
{
    static const unsigned char mask[2 * MEMBER_HASH_BLOCK] = {
        255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    };
    uint64_t words[2];
    uint64_t masks[2];
    memcpy(words, ptr, sizeof(words));
    if (len <= MEMBER_HASH_BLOCK) {
        memcpy(masks, mask + MEMBER_HASH_BLOCK - len, sizeof(masks));
        return member_fold((words[0] & masks[0]) ^ seeds[0], (words[1] & masks[1]) ^ seeds[1], len);
    }
    if (len > 2 * MEMBER_HASH_BLOCK)
        return (uint32_t)hash_bytes(ptr, len, seeds[0]);
    uint32_t first = member_fold(words[0] ^ seeds[0], words[1] ^ seeds[1], len);
    memcpy(words, ptr + len - MEMBER_HASH_BLOCK, sizeof(words));
    return member_fold(words[0] ^ seeds[1], words[1] ^ seeds[0], first);
}

struct member_ref {
    struct str name; /* decoded */
    uint32_t hash;
    uint32_t place; /* of the name node, in nodes from the object's own */
};

/* References to the members of an object of count members. */
void member_refs_fill(struct member_ref *refs, struct json object);

/* By hash, length, bytes, place. In place, not recursive, O(n log n) whatever the names are. */
void member_refs_sort(struct member_ref *refs, size_t count);

/* The reference to a name, or NULL. */
const struct member_ref *member_refs_find(const struct member_ref *refs, size_t count,
                                          struct str name, uint32_t hash);

#endif

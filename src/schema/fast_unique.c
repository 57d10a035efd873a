/* fast_unique.c - `uniqueItems` in linear time.
 *
 * Owns: the table of items seen. Few items are compared pairwise; many are hashed by value, so that
 * only items with equal hashes are compared. Invariant: equality is that of the specification
 * (json_equal); what it costs is taken from the fuel.
 */
#include "base/features.h"

#include "schema/fast_run.h"

enum { UNIQUE_PAIRWISE_MAX = 8, UNIQUE_TEXT_STEP = 64 };

struct unique_slot {
    uint32_t hash;
    uint32_t at; /* node of the item, counted from the array's own; 0 is empty */
};

/* FAST_VALID: they are equal. */
static enum fast_verdict unique_equal(struct fast_run *run, const struct json_node *a,
                                      const struct json_node *b)
{
    uint32_t type = json_node_type(a);
    if (type != json_node_type(b))
        return FAST_INVALID;
    if (type == JSON_STRING)
        return str_equal(json_node_text(run->doc, a), json_node_text(run->doc, b)) ? FAST_VALID
                                                                                   : FAST_INVALID;
    uint64_t budget = run->fuel;
    bool equal = json_equal((struct json){ run->doc, a }, (struct json){ run->doc, b }, &budget);
    if (budget == 0)
        return FAST_UNKNOWN;
    run->fuel = budget;
    return equal ? FAST_VALID : FAST_INVALID;
}

static enum fast_verdict unique_pairwise(struct fast_run *run, const struct json_node *array,
                                         uint32_t count)
{
    const struct json_node *items[UNIQUE_PAIRWISE_MAX];
    const struct json_node *at = array + 1;
    for (uint32_t i = 0; i < count; i++) {
        items[i] = at;
        for (uint32_t k = 0; k < i; k++) {
            enum fast_verdict equal = unique_equal(run, items[k], at);
            if (equal != FAST_INVALID)
                return equal == FAST_VALID ? FAST_INVALID : FAST_UNKNOWN;
        }
        at = json_node_after(at);
    }
    return FAST_VALID;
}

/* FAST_VALID: the item is new and is in the table now. */
static enum fast_verdict unique_add(struct fast_run *run, const struct json_node *array,
                                    const struct json_node *item, struct unique_slot *slots,
                                    uint32_t mask)
{
    uint64_t wide = schema_value_hash((struct json){ run->doc, item });
    uint32_t hash = (uint32_t)(wide ^ wide >> 32);
    uint32_t at = hash & mask;
    for (; slots[at].at != 0; at = (at + 1) & mask) {
        if (slots[at].hash != hash)
            continue;
        enum fast_verdict equal = unique_equal(run, array + slots[at].at, item);
        if (equal != FAST_INVALID)
            return equal == FAST_VALID ? FAST_INVALID : FAST_UNKNOWN;
    }
    slots[at] = (struct unique_slot){ hash, (uint32_t)(item - array) };
    return FAST_VALID;
}

enum fast_verdict fast_run_unique(struct fast_run *run, const struct json_node *array)
{
    struct json value = { run->doc, array };
    uint32_t count = json_count(value);
    if (!fast_charge(run, count + (json_end_offset(value) - json_offset(value)) / UNIQUE_TEXT_STEP))
        return FAST_UNKNOWN;
    if (count <= UNIQUE_PAIRWISE_MAX)
        return unique_pairwise(run, array, count);
    uint32_t slot_count = schema_slots_for(count);
    size_t bytes = slot_count * sizeof(struct unique_slot);
    struct unique_slot *slots = alloc_get(run->alloc, bytes);
    if (slots == NULL)
        return FAST_UNKNOWN;
    memset(slots, 0, bytes);
    enum fast_verdict verdict = FAST_VALID;
    const struct json_node *item = array + 1;
    for (uint32_t i = 0; i < count && verdict == FAST_VALID; i++) {
        verdict = unique_add(run, array, item, slots, slot_count - 1);
        item = json_node_after(item);
    }
    alloc_free(run->alloc, slots, bytes);
    return verdict;
}

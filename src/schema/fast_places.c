/* fast_places.c - tables of names without collisions.
 *
 * Owns: the search for the moves of a table. Names fall into groups by the low bits of their hash;
 * the largest groups are placed first, each at the first move that leaves its names a free place.
 * Hashes are keyed, so that nobody can choose names that make the search long; two names with the
 * same hash, of which one in four thousand million pairs is, have no such table.
 */
#include "base/features.h"

#include "schema/fast_builder.h"

enum { PLACES_SHIFTS = 5, PLACES_GROWTHS = 4, PLACES_MOVES = 256, PLACES_GROUP_MAX = 32 };

/* One attempt, over memory that is cleared for it. */
struct places_search {
    const uint32_t *hashes;
    uint32_t count;
    uint32_t size;        /* of the table; a power of two */
    uint32_t group_count; /* likewise */
    uint8_t *moves;
    uint8_t *taken;  /* a byte for each place */
    uint32_t *order; /* of names, by group */
    uint32_t *heads; /* where the names of a group begin in order, and one more */
};

static void places_group(const struct places_search *search)
{
    uint32_t *heads = search->heads;
    memset(heads, 0, (search->group_count + 1) * sizeof(*heads));
    for (uint32_t i = 0; i < search->count; i++)
        heads[(search->hashes[i] & (search->group_count - 1)) + 1]++;
    for (uint32_t i = 0; i < search->group_count; i++)
        heads[i + 1] += heads[i];
    for (uint32_t i = search->count; i-- > 0;) {
        uint32_t group = search->hashes[i] & (search->group_count - 1);
        search->order[--heads[group + 1]] = i;
    }
    /* Each head has moved down to the begin of its group; the last one is the end. */
    memmove(heads, heads + 1, search->group_count * sizeof(*heads));
    heads[search->group_count] = search->count;
}

/* Takes the places of a group at one move, or none of them. */
static bool places_try(const struct places_search *search, uint32_t group, uint32_t shift,
                       uint32_t move)
{
    uint32_t begin = search->heads[group];
    uint32_t end = search->heads[group + 1];
    for (uint32_t i = begin; i < end; i++) {
        uint32_t hash = search->hashes[search->order[i]];
        uint32_t place = ((hash >> shift) + move) & (search->size - 1);
        if (search->taken[place] != 0) {
            while (i-- > begin) {
                hash = search->hashes[search->order[i]];
                search->taken[((hash >> shift) + move) & (search->size - 1)] = 0;
            }
            return false;
        }
        search->taken[place] = 1;
    }
    return true;
}

static bool places_try_group(const struct places_search *search, uint32_t group, uint32_t shift)
{
    for (uint32_t move = 0; move < PLACES_MOVES; move++)
        if (places_try(search, group, shift, move)) {
            search->moves[group] = (uint8_t)move;
            return true;
        }
    return false;
}

static bool places_try_shift(const struct places_search *search, uint32_t shift)
{
    memset(search->taken, 0, search->size);
    for (uint32_t wanted = PLACES_GROUP_MAX; wanted > 0; wanted--)
        for (uint32_t group = 0; group < search->group_count; group++) {
            uint32_t count = search->heads[group + 1] - search->heads[group];
            bool is_due = count == wanted || (wanted == PLACES_GROUP_MAX && count > wanted);
            if (is_due && !places_try_group(search, group, shift))
                return false;
        }
    return true;
}

/* One size of table; *out_shift when it was found. */
static bool places_try_size(struct fast_builder *builder, struct places_search *search,
                            uint32_t *out_shift)
{
    static const uint8_t shifts[PLACES_SHIFTS] = { 9, 13, 5, 16, 11 };
    size_t words = search->count + search->group_count + 1;
    uint8_t *scratch = alloc_get(builder->alloc, words * sizeof(uint32_t) + search->size);
    bool found = false;
    search->moves = fast_take(builder, search->group_count, 1);
    if (scratch == NULL || search->moves == NULL) {
        builder->failed = true;
    } else {
        search->order = (uint32_t *)(void *)scratch;
        search->heads = search->order + search->count;
        search->taken = scratch + words * sizeof(uint32_t);
        places_group(search);
        for (unsigned i = 0; i < PLACES_SHIFTS && !found; i++) {
            *out_shift = shifts[i];
            found = places_try_shift(search, shifts[i]);
        }
    }
    alloc_free(builder->alloc, scratch, words * sizeof(uint32_t) + search->size);
    return found;
}

bool fast_places_for(struct fast_builder *builder, const uint32_t *hashes, uint32_t count,
                     struct fast_places *out_places)
{
    struct places_search search = { .hashes = hashes, .count = count, .size = 1 };
    while (search.size < 2 * count)
        search.size *= 2;
    for (unsigned i = 0; i < PLACES_GROWTHS && !builder->failed; i++) {
        uint32_t shift = 0;
        search.group_count = search.size < 8 ? 1 : search.size / 4;
        if (places_try_size(builder, &search, &shift)) {
            *out_places = (struct fast_places){ search.moves, search.group_count - 1,
                                                search.size - 1, shift };
            return true;
        }
        search.size *= 2;
    }
    return false;
}

/* ledger.h - the readings that were applied to one reply.
 *
 * Owns: the list and its bound. Invariant: nothing is applied that is not in the list: a reading
 * that finds no room is not carried out.
 */
#ifndef STRUCTURE_ENGINE_LEDGER_H
#define STRUCTURE_ENGINE_LEDGER_H

#include "base/arena.h"
#include "engine/engine.h"

enum { ENGINE_LEDGER_MAX = 64 };

struct engine_ledger {
    struct arena *arena; /* of the pointers */
    unsigned allowed;    /* bits of enum engine_reading */
    struct engine_repair items[ENGINE_LEDGER_MAX];
    uint32_t count;
};

static inline bool engine_ledger_allows(const struct engine_ledger *ledger,
                                        enum engine_reading reading)
{
    return (ledger->allowed & engine_reading_bit(reading)) != 0;
}

/* Room for count more readings. */
static inline bool engine_ledger_has_room(const struct engine_ledger *ledger, uint32_t count)
{
    return count <= ENGINE_LEDGER_MAX - ledger->count;
}

/* Adds a reading of the whole reply, once. Without room it is dropped: ask before. */
void engine_ledger_add(struct engine_ledger *ledger, enum engine_reading reading);
/* The same, of what stood at text[begin, end); the span is counted in code points. */
void engine_ledger_add_span(struct engine_ledger *ledger, enum engine_reading reading,
                            struct str text, size_t begin, size_t end);
/* Adds a reading of the value at pointer, which is copied. NO_MEMORY. */
enum status engine_ledger_add_value(struct engine_ledger *ledger, enum engine_reading reading,
                                    struct str pointer);

#endif

/* refusals.h - the values that were refused so far in a call, for models that would repeat
 * themselves. */
#ifndef STRUCTURE_ENGINE_REFUSALS_H
#define STRUCTURE_ENGINE_REFUSALS_H

#include "base/arena.h"
#include "base/limits.h"
#include "engine/engine.h"

enum { ENGINE_REFUSALS_MAX = LIMIT_LOOPS_MAX * LIMIT_VIOLATIONS, ENGINE_REFUSAL_BYTES = 4096 };

struct engine_refusals {
    struct model_refusal items[ENGINE_REFUSALS_MAX];
    uint32_t count;
};

/* Adds the values that the violations blame, each pair of pointer and value once; texts are copied
 * to arena. A value longer than ENGINE_REFUSAL_BYTES is left out. NO_MEMORY. */
enum status engine_refusals_add(struct engine_refusals *refusals,
                                const struct schema_violations *violations, struct arena *arena);

#endif

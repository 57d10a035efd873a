/* drift.h - what was valid and came back changed after a repair. */
#ifndef STRUCTURE_ENGINE_DRIFT_H
#define STRUCTURE_ENGINE_DRIFT_H

#include "engine/engine.h"

/* Scalars of before that no violation touches and that after does not have, equal, in the same
 * place. A list that was cut off (violations->more) says nothing about the others: 0. */
uint32_t engine_drift_count(struct json before, const struct schema_violations *violations,
                            struct json after);

#endif

/* ladder.h - the rules that a rung leaves. Private to src/projection. */
#ifndef STRUCTURE_PROJECTION_LADDER_H
#define STRUCTURE_PROJECTION_LADDER_H

#include "projection/projection.h"

/* rules as the rung has them; JSON_ONLY has none. */
struct wire_rules ladder_rules(const struct wire_rules *rules, enum projection_rung rung);

#endif

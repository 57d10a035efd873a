/* cycles.h - walks of a shape's graph in depth. Private to src/projection. */
#ifndef STRUCTURE_PROJECTION_CYCLES_H
#define STRUCTURE_PROJECTION_CYCLES_H

#include "projection/shape.h"

/* Called for each edge that is met (each once), with whether it leads back to a node that is open;
 * and for each node when all its children are done. */
typedef void cycles_edge(void *state, uint32_t parent, uint32_t index, uint32_t child,
                         bool is_back);
typedef void cycles_done(void *state, uint32_t node);

/* From the root. Either may be NULL. False: memory is used up. */
bool cycles_walk(const struct shape *shape, cycles_edge *edge, cycles_done *done, void *state);

#endif

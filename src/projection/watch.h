/* watch.h - the schema of every text that may still become an answer. Private to src/projection. */
#ifndef STRUCTURE_PROJECTION_WATCH_H
#define STRUCTURE_PROJECTION_WATCH_H

#include "projection/shape.h"

/* *out_program NULL: it cannot be said as a schema. NO_MEMORY. */
enum status watch_build(struct shape *shape, struct schema_program **out_program);

#endif

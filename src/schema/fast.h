/* fast.h - the quick verdict: a second program, made for speed, beside the semantic one. Private to
 * src/schema.
 *
 * Owns: the interface. fast_build.c turns nodes into instructions sorted by the type of the
 * instance, fast_union.c finds what tells alternatives apart, fast_run.c runs. What it does not
 * know (dynamic references, marks of evaluated members, very deep or very long work) it leaves to
 * the judge by saying so. It never explains.
 *
 * Thread rule: the program is constant; any number of threads may run it.
 */
#ifndef STRUCTURE_SCHEMA_FAST_H
#define STRUCTURE_SCHEMA_FAST_H

#include "schema/internal.h"

struct schema_fast;

enum fast_verdict {
    FAST_INVALID,
    FAST_VALID,
    FAST_UNKNOWN /* ask the judge */
};

/* Builds into the arena of the program, whose tables are complete. NULL when memory is used up:
 * every verdict is then the judge's. */
const struct schema_fast *schema_fast_build(const struct schema_program *program,
                                            struct arena *arena, const struct alloc *alloc);

/* fast may be NULL. alloc is asked for scratch memory by large `uniqueItems` and simulated patterns
 * only. */
enum fast_verdict schema_fast_run(const struct schema_fast *fast, struct json instance,
                                  const struct alloc *alloc);

#endif

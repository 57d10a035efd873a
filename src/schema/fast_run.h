/* fast_run.h - the state of one quick run. Private to src/schema/fast*.c. */
#ifndef STRUCTURE_SCHEMA_FAST_RUN_H
#define STRUCTURE_SCHEMA_FAST_RUN_H

#include "schema/fast_program.h"

struct fast_run {
    const struct schema_fast *fast;
    const struct json_doc *doc;
    const struct alloc *alloc;
    uint64_t fuel;
};

/* False when that much is not left. */
static inline bool fast_charge(struct fast_run *run, uint64_t fuel)
{
    if (run->fuel < fuel + 1)
        return false;
    run->fuel -= fuel + 1;
    return true;
}

/* fast_unique.c: whether all items differ. */
enum fast_verdict fast_run_unique(struct fast_run *run, const struct json_node *array);

#endif

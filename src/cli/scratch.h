/* scratch.h - an allocator whose memory is used again for every instance.
 *
 * Owns: one block, from which pieces are cut one after the other; cli_scratch_reset makes all of it
 * free again. What does not fit comes from the heap, and the block grows for the next time, to
 * SCRATCH_BYTES_MAX at most. With AddressSanitizer every piece comes from the heap. Invariant:
 * whatever was taken is freed, or forgotten, before the reset. Thread rule: one thread at a time.
 */
#ifndef STRUCTURE_CLI_SCRATCH_H
#define STRUCTURE_CLI_SCRATCH_H

#include "base/alloc.h"

struct cli_scratch {
    struct alloc alloc; /* to be handed out; its state is the scratch */
    const struct alloc *heap;
    char *block;
    size_t size;
    size_t used;
    size_t missed; /* bytes that did not fit since the last reset */
};

void cli_scratch_init(struct cli_scratch *scratch, const struct alloc *heap);
void cli_scratch_release(struct cli_scratch *scratch);
void cli_scratch_reset(struct cli_scratch *scratch);

#endif

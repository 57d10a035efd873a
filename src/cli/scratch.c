/* scratch.c - an allocator whose memory is used again for every instance. See scratch.h. */
#include "base/features.h"

#include "cli/scratch.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define SCRATCH_IS_CHECKED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SCRATCH_IS_CHECKED true
#endif
#endif
#ifndef SCRATCH_IS_CHECKED
#define SCRATCH_IS_CHECKED false
#endif

enum { SCRATCH_ALIGN = 16, SCRATCH_BYTES_MAX = 8 * 1024 * 1024 };

static size_t scratch_round(size_t size)
{
    return (size + SCRATCH_ALIGN - 1) & ~(size_t)(SCRATCH_ALIGN - 1);
}

static bool scratch_holds(const struct cli_scratch *scratch, const void *ptr)
{
    uintptr_t at = (uintptr_t)ptr;
    uintptr_t begin = (uintptr_t)scratch->block;
    return at >= begin && at < begin + scratch->size;
}

static void *scratch_take(struct cli_scratch *scratch, size_t size)
{
    size_t left = scratch->size - scratch->used;
    if (size <= left && scratch_round(size) <= left) {
        char *ptr = scratch->block + scratch->used;
        scratch->used += scratch_round(size);
        return ptr;
    }
    if (scratch->missed < SCRATCH_BYTES_MAX)
        scratch->missed += size < SCRATCH_BYTES_MAX ? size : SCRATCH_BYTES_MAX;
    return alloc_get(scratch->heap, size);
}

/* Only the piece that was cut last changes its size in place. */
static void *scratch_resize(void *state, void *ptr, size_t size_old, size_t size_new)
{
    struct cli_scratch *scratch = state;
    if (ptr == NULL)
        return scratch_take(scratch, size_new);
    if (!scratch_holds(scratch, ptr))
        return scratch->heap->resize(scratch->heap->state, ptr, size_old, size_new);
    size_t begin = (size_t)((char *)ptr - scratch->block);
    bool is_last = begin + scratch_round(size_old) == scratch->used;
    if (is_last && size_new <= scratch->size - begin &&
        scratch_round(size_new) <= scratch->size - begin) {
        scratch->used = begin + scratch_round(size_new);
        return size_new == 0 ? NULL : ptr;
    }
    if (size_new == 0)
        return NULL;
    if (size_new <= size_old)
        return ptr;
    void *moved = scratch_take(scratch, size_new);
    if (moved != NULL)
        memcpy(moved, ptr, size_old);
    return moved;
}

void cli_scratch_init(struct cli_scratch *scratch, const struct alloc *heap)
{
    *scratch = (struct cli_scratch){ .alloc = { scratch_resize, scratch }, .heap = heap };
    if (SCRATCH_IS_CHECKED)
        scratch->alloc = *heap;
}

void cli_scratch_release(struct cli_scratch *scratch)
{
    alloc_free(scratch->heap, scratch->block, scratch->size);
    scratch->block = NULL;
    scratch->size = 0;
    scratch->used = 0;
}

void cli_scratch_reset(struct cli_scratch *scratch)
{
    scratch->used = 0;
    size_t size = scratch->size * 2 + scratch->missed;
    if (scratch->missed == 0 || scratch->size == SCRATCH_BYTES_MAX)
        return;
    scratch->missed = 0;
    if (size > SCRATCH_BYTES_MAX)
        size = SCRATCH_BYTES_MAX;
    cli_scratch_release(scratch);
    if (size == 0)
        return;
    scratch->block = alloc_get(scratch->heap, size);
    scratch->size = scratch->block == NULL ? 0 : size; /* without it the heap serves */
}

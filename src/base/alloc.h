/* alloc.h - the allocation seam. Everything in the product allocates through one of these tables,
 * so that a test can fail any allocation and an embedding program can bring its own heap.
 */
#ifndef STRUCTURE_BASE_ALLOC_H
#define STRUCTURE_BASE_ALLOC_H

#include <stddef.h>

struct alloc {
    /* One entry point: ptr NULL allocates, size_new 0 frees (returns NULL), else resizes. size_old
     * is the size given before. Returns NULL on failure and leaves ptr untouched. Alignment as
     * malloc. */
    void *(*resize)(void *state, void *ptr, size_t size_old, size_t size_new);
    void *state;
};

/* The process heap (malloc). Thread-safe, never freed. */
const struct alloc *alloc_default(void);

static inline void *alloc_get(const struct alloc *alloc, size_t size)
{
    return alloc->resize(alloc->state, NULL, 0, size);
}

static inline void *alloc_grow(const struct alloc *alloc, void *ptr, size_t size_old,
                               size_t size_new)
{
    return alloc->resize(alloc->state, ptr, size_old, size_new);
}

static inline void alloc_free(const struct alloc *alloc, void *ptr, size_t size)
{
    if (ptr != NULL)
        (void)alloc->resize(alloc->state, ptr, size, 0);
}

#endif

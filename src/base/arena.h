/* arena.h - memory whose pieces die together: one arena per document, program or call.
 *
 * Owns: a chain of chunks taken from an alloc. Pieces are never freed one by one; arena_reset drops
 * all and keeps the first chunk, arena_release gives everything back. Born with a maximum: beyond
 * bytes_max a take fails like an allocation. Under ASan every piece is its own allocation so that
 * overruns are seen. Thread rule: one thread at a time.
 */
#ifndef STRUCTURE_BASE_ARENA_H
#define STRUCTURE_BASE_ARENA_H

#include <stddef.h>

#include "base/alloc.h"
#include "base/str.h"

struct arena_chunk;

struct arena {
    const struct alloc *alloc;
    struct arena_chunk *chunks; /* newest first */
    char *free_begin;           /* next free byte in the newest chunk */
    char *free_end;
    size_t bytes_taken;         /* of chunks, against bytes_max */
    size_t bytes_max;
};

void arena_init(struct arena *arena, const struct alloc *alloc, size_t bytes_max);
void arena_release(struct arena *arena); /* accepts a zeroed or released arena */
void arena_reset(struct arena *arena);

/* Uninitialised memory aligned for any object, NULL when memory or the maximum is used up. size 0
 * gives a valid unique pointer. arena_take_array checks count * size for overflow. */
void *arena_take(struct arena *arena, size_t size);
void *arena_take_array(struct arena *arena, size_t count, size_t size);
void *arena_take_zeroed(struct arena *arena, size_t size);

/* A copy in the arena, NUL-terminated for the convenience of C interfaces. {NULL,0} on failure. */
struct str arena_copy(struct arena *arena, struct str text);

#endif

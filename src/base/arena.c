/* arena.c - bump allocation out of a chain of growing chunks.
 *
 * Owns: the chunks. Leaves to others: what lies in them. Invariant: bytes_taken is the sum of the
 * sizes of all chunks in the chain (headers included) and never exceeds bytes_max; free_begin is
 * aligned.
 */
#include "base/features.h"

#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>

#include "base/checked.h"

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_ONE_CHUNK_PER_PIECE 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_ONE_CHUNK_PER_PIECE 1
#endif
#endif
#ifndef ARENA_ONE_CHUNK_PER_PIECE
#define ARENA_ONE_CHUNK_PER_PIECE 0
#endif

enum { ARENA_CHUNK_BYTES_MIN = 4096, ARENA_CHUNK_BYTES_MAX = 1 << 20 };

struct arena_chunk {
    struct arena_chunk *next; /* older */
    size_t size;              /* with this header */
    alignas(max_align_t) char bytes[];
};

void arena_init(struct arena *arena, const struct alloc *alloc, size_t bytes_max)
{
    *arena = (struct arena){ .alloc = alloc, .bytes_max = bytes_max };
}

/* Gives back every chunk newer than keep (NULL: all). */
static void arena_drop_until(struct arena *arena, const struct arena_chunk *keep)
{
    while (arena->chunks != keep) {
        struct arena_chunk *chunk = arena->chunks;
        arena->chunks = chunk->next;
        arena->bytes_taken -= chunk->size;
        alloc_free(arena->alloc, chunk, chunk->size);
    }
}

void arena_release(struct arena *arena)
{
    arena_drop_until(arena, NULL);
    arena->free_begin = NULL;
    arena->free_end = NULL;
}

void arena_reset(struct arena *arena)
{
    struct arena_chunk *first = arena->chunks;
    while (first != NULL && first->next != NULL)
        first = first->next;
    if (ARENA_ONE_CHUNK_PER_PIECE)
        first = NULL;
    arena_drop_until(arena, first);
    arena->free_begin = first == NULL ? NULL : first->bytes;
    arena->free_end = first == NULL ? NULL : (char *)first + first->size;
}

/* Doubles from chunk to chunk, so that small arenas stay small and large ones take few calls. */
static size_t arena_chunk_bytes_wanted(const struct arena *arena)
{
    if (ARENA_ONE_CHUNK_PER_PIECE)
        return 0;
    if (arena->bytes_taken < ARENA_CHUNK_BYTES_MIN)
        return ARENA_CHUNK_BYTES_MIN;
    return arena->bytes_taken < ARENA_CHUNK_BYTES_MAX ? arena->bytes_taken : ARENA_CHUNK_BYTES_MAX;
}

static struct arena_chunk *arena_add_chunk(struct arena *arena, size_t size)
{
    size_t needed;
    size_t left = arena->bytes_max - arena->bytes_taken;
    if (size_add_overflows(size, sizeof(struct arena_chunk), &needed) || needed > left)
        return NULL;
    size_t bytes = arena_chunk_bytes_wanted(arena);
    if (bytes > left)
        bytes = left;
    if (bytes < needed)
        bytes = needed;
    struct arena_chunk *chunk = alloc_get(arena->alloc, bytes);
    if (chunk == NULL)
        return NULL;
    chunk->size = bytes;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->bytes_taken += bytes;
    return chunk;
}

void *arena_take(struct arena *arena, size_t size)
{
    const size_t alignment = alignof(max_align_t);
    if (size > SIZE_MAX - alignment)
        return NULL;
    size_t rounded = size == 0 ? alignment : (size + alignment - 1) & ~(alignment - 1);
    if (ARENA_ONE_CHUNK_PER_PIECE) {
        struct arena_chunk *own = arena_add_chunk(arena, size == 0 ? 1 : size);
        return own == NULL ? NULL : own->bytes;
    }
    if ((size_t)(arena->free_end - arena->free_begin) < rounded) {
        struct arena_chunk *chunk = arena_add_chunk(arena, rounded);
        if (chunk == NULL)
            return NULL;
        arena->free_begin = chunk->bytes;
        arena->free_end = (char *)chunk + chunk->size;
    }
    void *piece = arena->free_begin;
    arena->free_begin += rounded;
    return piece;
}

void *arena_take_array(struct arena *arena, size_t count, size_t size)
{
    size_t bytes;
    return size_multiply_overflows(count, size, &bytes) ? NULL : arena_take(arena, bytes);
}

void *arena_take_zeroed(struct arena *arena, size_t size)
{
    void *piece = arena_take(arena, size);
    if (piece != NULL)
        memset(piece, 0, size);
    return piece;
}

struct str arena_copy(struct arena *arena, struct str text)
{
    size_t size;
    char *copy = size_add_overflows(text.len, 1, &size) ? NULL : arena_take(arena, size);
    if (copy == NULL)
        return (struct str){ NULL, 0 };
    if (text.len > 0)
        memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return (struct str){ copy, text.len };
}

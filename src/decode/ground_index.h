/* ground_index.h - the prompt's index as the rest of src/decode sees it.
 *
 * Text is the prompt with white space normalised; a start is an offset in it where a run of words
 * may begin. Starts are ordered by the run that begins there, cut at its limit (end of sentence, 40
 * words), so the starts that continue in one way are an interval. Private to src/decode.
 */
#ifndef STRUCTURE_DECODE_GROUND_INDEX_H
#define STRUCTURE_DECODE_GROUND_INDEX_H

#include "base/arena.h"
#include "decode/ground.h"

enum { GROUND_WORDS_MAX = 40, GROUND_RUN_BYTES_MAX = 480 };

enum ground_kind {
    GROUND_NUMBERS,
    GROUND_DATES,
    GROUND_TIMES,
    GROUND_DATE_TIMES,
    GROUND_EMAILS,
    GROUND_URIS,
    GROUND_UUIDS,
    GROUND_ADDRESSES, /* IPv4 and IPv6 */
    GROUND_KINDS
};

/* A value that the prompt contains, in the form in which JSON would write it (without quotes). */
struct ground_value {
    struct str text;
    uint32_t source, source_end; /* bytes of the prompt as given */
};

struct ground_list {
    const struct ground_value *items;
    uint32_t count;
};

struct ground {
    const struct alloc *alloc;
    struct arena arena;
    struct str prompt;   /* as given, copied */
    struct str text;     /* normalised */
    uint32_t *origin;    /* offset in prompt of each byte of text */
    unsigned char *ends; /* one bit a position: a run may end before it */
    uint32_t *starts;    /* ordered */
    uint16_t *limits;    /* bytes of the longest run, by place in starts */
    uint32_t start_count;
    uint32_t shortest; /* place of the start with the shortest run */
    struct ground_list lists[GROUND_KINDS];
};

/* The starts [*lo, *hi) share `depth` bytes; narrows to those that go on with byte. False: none,
 * unchanged. */
bool ground_narrow(const struct ground *ground, uint32_t *lo, uint32_t *hi, uint32_t depth,
                   unsigned char byte);

/* Some run of [lo, hi) may end after depth bytes. */
bool ground_may_end(const struct ground *ground, uint32_t lo, uint32_t hi, uint32_t depth);

/* A wish for a run that begins as [lo, hi) do up to depth and ends at an admissible place there or
 * further on. */
struct ground_wish {
    uint32_t lo, hi, depth;
    uint64_t hash;   /* of the value so far */
    uint32_t length; /* code points so far */
    uint32_t min_length, max_length;
    bool escaped; /* the next byte must be one that JSON escapes */
    bool (*is_taken)(const void *context, uint64_t hash); /* may be NULL */
    const void *context;
};

/* Finds a start and the length in bytes of its run. Looks at first, then at the others in order,
 * boundedly. */
bool ground_find(const struct ground *ground, const struct ground_wish *wish, uint32_t first,
                 uint32_t *out_start, uint32_t *out_bytes);

/* Bytes that the run's part [from, to) takes inside a JSON string. */
uint32_t ground_escaped_bytes(const struct ground *ground, uint32_t start, uint32_t from,
                              uint32_t to);

/* Fills ground->lists from the prompt (ground_values.c). */
enum status ground_collect(struct ground *ground);

static inline unsigned char ground_byte(const struct ground *ground, uint32_t start, uint32_t depth)
{
    return (unsigned char)ground->text.ptr[ground->starts[start] + depth];
}

#endif

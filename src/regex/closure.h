/* closure.h - which instructions are reached without reading a byte. Private to src/regex.
 *
 * Owns: marks, so that every instruction is reached at most once per place; loops of empty
 * alternatives end there. Thread rule: one thread at a time.
 */
#ifndef STRUCTURE_REGEX_CLOSURE_H
#define STRUCTURE_REGEX_CLOSURE_H

#include "regex/program.h"

/* A place between two bytes. */
struct closure_place {
    bool at_start;
    bool at_end;
    bool word_before;
    bool word_after;
};

struct closure {
    const struct regex *regex;
    const struct alloc *alloc;
    uint32_t *marks; /* generation in which an instruction was reached */
    uint32_t *stack;
    uint32_t *takers; /* reached instructions that read a byte */
    uint32_t taker_count;
    uint32_t generation;
    bool found;     /* REGEX_MATCH was reached */
    uint64_t steps; /* instructions reached so far, in all */
};

/* False when memory is used up. */
bool closure_init(struct closure *closure, const struct regex *regex, const struct alloc *alloc);
void closure_release(struct closure *closure); /* accepts a failed one */

/* A new place; then all instructions that are to be followed. */
void closure_begin(struct closure *closure);
void closure_add(struct closure *closure, uint32_t op, const struct closure_place *place);

#endif

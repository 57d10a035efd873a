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

/* An instruction, and what else must come true for it: the number of a set of open lookaheads, 0
 * for none (table_looks.c). */
struct closure_thread {
    uint32_t op;
    uint32_t open;
};

enum { CLOSURE_BLOCKED = -1 };

/* What a lookaround makes of a thread: the number of its open lookaheads from there on, or
 * CLOSURE_BLOCKED. */
typedef int64_t closure_look(void *context, uint32_t look, uint32_t open,
                             const struct closure_place *place);

struct closure {
    const struct regex *regex;
    const struct alloc *alloc;
    uint32_t *marks; /* generation in which an instruction was reached, with nothing open */
    struct closure_thread *stack;
    struct closure_thread
        *takers; /* reached: they read a byte, or wait at the end of the pattern */
    struct closure_thread *others; /* threads with open lookaheads that were reached */
    uint32_t taker_count;
    uint32_t other_count;
    uint32_t generation;
    closure_look *look; /* NULL: lookarounds hold */
    void *context;
    bool found;       /* REGEX_MATCH was reached, with nothing open */
    bool is_overfull; /* too many threads have open lookaheads */
    uint64_t steps;   /* instructions reached so far, in all */
};

/* False when memory is used up. */
bool closure_init(struct closure *closure, const struct regex *regex, const struct alloc *alloc);
void closure_release(struct closure *closure); /* accepts a failed one */

/* A new place; then all instructions that are to be followed. */
void closure_begin(struct closure *closure);
void closure_add(struct closure *closure, struct closure_thread first,
                 const struct closure_place *place);

#endif

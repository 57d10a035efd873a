/* table_work.h - what the building of a table works with. Private to table.c, table_looks.c, and
 * simulate.c, which builds as much of one as a text needs.
 *
 * Owns: the states found so far and their rows. A state is where the next byte is read, before
 * splits and assertions are followed: those depend on that byte. It has threads with nothing open
 * in ascending order, then those with open lookaheads.
 */
#ifndef STRUCTURE_REGEX_TABLE_WORK_H
#define STRUCTURE_REGEX_TABLE_WORK_H

#include "regex/closure.h"

struct table_state {
    uint32_t first; /* in the pool: instructions, then others as pairs */
    uint32_t count; /* instructions */
    uint32_t other_count;
    bool at_start;
    bool word_before;
    bool is_filled; /* has its row */
};

/* Open lookaheads: for each the state it has come to, twice, and one more if it must not hold. */
struct open_set {
    uint32_t first; /* in the pool */
    uint32_t count;
};

enum { TABLE_OTHERS_MAX = 128, TABLE_OPEN_SETS_MAX = 1024, TABLE_OPEN_MAX = 16 };

struct table_work {
    const struct alloc *alloc;
    const struct regex *regex;
    struct closure closure;
    uint16_t *next; /* rows: REGEX_DEAD, REGEX_FOUND, or REGEX_STATE_FIRST and the state's number */
    uint32_t columns;
    uint8_t classes[256];
    struct table_state *states;
    uint32_t state_count;
    uint32_t state_cap;
    uint32_t row_cap;
    uint32_t *pool;
    size_t pool_count;
    size_t pool_cap;
    size_t bits_first; /* words of bits that may have any; none when first is beyond last */
    size_t bits_last;
    uint64_t *bits; /* the instructions of the state in the making, with nothing open */
    struct closure_thread others[TABLE_OTHERS_MAX]; /* and its other threads, ascending */
    uint32_t other_count;
    struct open_set *open_sets; /* number 0 is the empty one */
    uint32_t open_set_count;
    uint32_t missing;            /* a state whose row is needed first, UINT32_MAX for none */
    uint16_t *slots;             /* hash table: state + 1 */
    uint8_t samples[256];        /* one byte of each class */
    uint64_t column_takers[256]; /* of the state whose row is filled: a bit per thread */
    uint64_t steps_max;
    uint64_t steps; /* beside those of the closure */
    bool is_full;   /* a limit was hit */
    enum status status;
};

/* Does not fail: work->status says what happened. */
void work_init(struct table_work *work, const struct regex *regex, const struct alloc *alloc,
               uint64_t steps_max);
void work_release(struct table_work *work);

/* The state in which a search begins. */
uint16_t work_begin(struct table_work *work);

/* Fills the row of a state, by its number without REGEX_STATE_FIRST, and those it needs. */
void work_complete(struct table_work *work, uint32_t index);

static inline uint64_t work_steps(const struct table_work *work)
{
    return work->steps + work->closure.steps;
}

static inline bool work_goes_on(const struct table_work *work)
{
    return work->status == STATUS_OK && !work->is_full;
}

void work_charge(struct table_work *work, uint64_t steps);
void work_pool(struct table_work *work, uint32_t value); /* appends it */

/* A thread of the state in the making. */
void work_mark(struct table_work *work, uint32_t op);
void work_mark_other(struct table_work *work, struct closure_thread thread);

/* The number of the state in the making, a new one if need be: REGEX_DEAD when it has no threads.
 * Then the next is in the making. */
uint16_t work_state(struct table_work *work, bool at_start, bool word_before);

/* ---- open lookaheads (table_looks.c) --------------------------------------------------------- */

enum { OPEN_FAILED = -1 };

/* A thread meets a lookahead: for closure->look. */
int64_t work_open_look(void *context, uint32_t look, uint32_t open,
                       const struct closure_place *place);

/* What is open behind a column: another set, or OPEN_FAILED. The rows that it needs must be there:
 * work_need says so by work->missing. */
int64_t work_advance_open(struct table_work *work, uint32_t open, uint32_t column);
void work_need(struct table_work *work, uint32_t open);

#endif

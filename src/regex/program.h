/* program.h - a compiled pattern from the inside. Private to src/regex, and read by those who step
 * the automaton themselves.
 *
 * Invariant: jumps are relative, so that a run of instructions may be copied anywhere.
 */
#ifndef STRUCTURE_REGEX_PROGRAM_H
#define STRUCTURE_REGEX_PROGRAM_H

#include "regex/regex.h"

enum regex_opcode {
    REGEX_RANGE, /* a byte of first..last; first > last matches nothing */
    REGEX_SET,   /* a byte of sets[x] */
    REGEX_SPLIT, /* go on with the next instruction and at x */
    REGEX_JUMP,  /* go on at x */
    REGEX_START, /* assertions */
    REGEX_END,
    REGEX_WORD,
    REGEX_NOT_WORD,
    REGEX_MATCH
};

struct regex_op {
    uint8_t opcode; /* enum regex_opcode */
    uint8_t first;
    uint8_t last;
    int32_t x; /* of jumps: relative to this instruction */
};

struct regex_set {
    uint64_t bits[4];
};

/* States that are not in the table: nothing can match any more, and a match was found. */
enum { REGEX_DEAD = 0, REGEX_FOUND = 1, REGEX_STATE_FIRST = 2 };

/* A row per state, a column per class of bytes and a last one for the end of the text, which leads
 * to REGEX_DEAD or REGEX_FOUND. */
struct regex_table {
    uint16_t *next; /* NULL when the pattern is simulated */
    uint32_t state_count;
    uint32_t state_cap;
    uint32_t columns;
    uint16_t start;       /* one of the three kinds of state */
    uint8_t classes[256]; /* column of a byte */
};

static inline uint16_t regex_table_next(const struct regex_table *table, uint32_t state,
                                        uint32_t column)
{
    return table->next[(size_t)(state - REGEX_STATE_FIRST) * table->columns + column];
}

/* A pattern with a table has dropped its instructions. */
struct regex {
    struct regex_op *ops;
    struct regex_set *sets;
    uint32_t op_count;
    uint32_t op_cap;
    uint32_t set_count;
    uint32_t set_cap;
    uint32_t entry; /* first instruction */
    bool has_word;  /* REGEX_WORD or REGEX_NOT_WORD occurs */
    struct regex_table table;
};

static inline bool regex_byte_is_word(uint8_t byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
           (byte >= 'a' && byte <= 'z');
}

static inline bool regex_op_takes(const struct regex *regex, const struct regex_op *op,
                                  uint8_t byte)
{
    if (op->opcode == REGEX_RANGE)
        return byte >= op->first && byte <= op->last;
    return (regex->sets[op->x].bits[byte >> 6] >> (byte & 63) & 1) != 0;
}

/* Fills regex->table, whose memory is the caller's (regex_table_release), or leaves it empty when
 * the budget does not suffice. NO_MEMORY or OK. */
enum status regex_table_build(struct regex *regex, const struct alloc *alloc,
                              struct regex_budget *budget);

void regex_table_release(struct regex_table *table, const struct alloc *alloc);

enum status regex_simulate(const struct regex *regex, struct str text, const struct alloc *alloc,
                           uint64_t *steps, bool *out_matches);

#endif

/* program.h - a compiled pattern from the inside. Private to src/regex, and read by those who step
 * the automaton themselves.
 *
 * Invariant: jumps are relative, so that a run of instructions may be copied anywhere.
 */
#ifndef STRUCTURE_REGEX_PROGRAM_H
#define STRUCTURE_REGEX_PROGRAM_H

#include "regex/regex.h"

enum regex_opcode {
    REGEX_RANGE, /* a byte of first..last; first > last matches nothing; x: leftwards */
    REGEX_SET,   /* a byte of sets[x]; first: leftwards */
    REGEX_SPLIT, /* go on with the next instruction and at x; first: at x by preference */
    REGEX_JUMP,  /* go on at x */
    REGEX_START, /* assertions */
    REGEX_END,
    REGEX_WORD,
    REGEX_NOT_WORD,
    REGEX_LOOK,  /* looks[x] holds here */
    REGEX_MATCH, /* of the pattern, or of a look */
    /* Only in programs that backtrack. */
    REGEX_SAVE,     /* the place into slot x */
    REGEX_PROGRESS, /* the place differs from slot x */
    REGEX_RESET,    /* groups x / REGEX_GROUPS to x % REGEX_GROUPS - 1 have not taken part */
    REGEX_REFERENCE /* what group x took; first: leftwards, last: case is ignored */
};

enum { REGEX_GROUPS = 1 << 15 };

struct regex_op {
    uint8_t opcode; /* enum regex_opcode */
    uint8_t first;
    uint8_t last;
    int32_t x; /* of jumps: relative to this instruction */
};

struct regex_set {
    uint64_t bits[4];
};

/* A lookaround: what follows its first instruction up to REGEX_MATCH. */
struct regex_look {
    uint32_t entry;
    bool is_negative;
    bool is_behind;
    uint32_t node; /* of the tree, while the program is written */
};

/* States that are not in the table: nothing can match any more, and a match was found. */
enum { REGEX_DEAD = 0, REGEX_FOUND = 1, REGEX_STATE_FIRST = 2 };

/* A row per state, a column per class of bytes and a last one for the end of the text, which leads
 * to REGEX_DEAD or REGEX_FOUND. A state is the place of its row, counted from REGEX_STATE_FIRST on,
 * so that a step is one addition and one load. The text must be UTF-8: before a match begins the
 * table takes any byte. */
struct regex_table {
    uint16_t *next; /* NULL when there is no table */
    uint32_t cell_count;
    uint32_t columns;
    uint16_t start;       /* one of the three kinds of state */
    uint8_t classes[256]; /* column of a byte */
};

static inline uint16_t regex_table_next(const struct regex_table *table, uint32_t state,
                                        uint32_t column)
{
    return table->next[state - REGEX_STATE_FIRST + column];
}

/* How a text is searched. */
enum regex_shape {
    REGEX_SHAPE_TABLE,
    REGEX_SHAPE_SIMULATED,
    REGEX_SHAPE_BACKTRACKING, /* back-references */
    REGEX_SHAPE_ALWAYS,       /* every text matches */
    REGEX_SHAPE_NEVER,
    REGEX_SHAPE_EQUAL, /* to regex->literal; or begins or ends with it */
    REGEX_SHAPE_PREFIX,
    REGEX_SHAPE_SUFFIX,
    REGEX_SHAPE_RUN /* the text is a run of code points of one set, see regex->run */
};

/* Which code points beyond ASCII a run may have. */
enum regex_beyond { REGEX_BEYOND_NONE, REGEX_BEYOND_ALL, REGEX_BEYOND_DOT };

struct regex_run {
    uint8_t members[256]; /* 1 for the bytes of the set; those beyond ASCII as `beyond` says */
    uint8_t beyond;       /* enum regex_beyond */
    uint32_t min;         /* code points */
    uint32_t max;         /* UINT32_MAX: any number */
};

/* A pattern that is not simulated and does not backtrack has dropped its instructions. */
struct regex {
    enum regex_shape shape;
    struct regex_table table; /* whatever the shape, if there is one */
    struct regex_run *run;
    char *literal;
    uint32_t literal_bytes;
    struct regex_op *ops;
    struct regex_set *sets;
    struct regex_look *looks; /* one inside another comes after it */
    uint32_t op_count;
    uint32_t op_cap;
    uint32_t set_count;
    uint32_t set_cap;
    uint32_t look_count;
    uint32_t look_cap;
    uint32_t entry;      /* first instruction */
    uint32_t slot_count; /* two per group, one per loop */
    bool is_anchored;    /* matches begin at the start of the text only */
    bool has_word;       /* REGEX_WORD or REGEX_NOT_WORD occurs */
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

/* Fills regex->table or leaves it empty when the budget does not suffice. NO_MEMORY or OK. */
enum status regex_table_build(struct regex *regex, const struct alloc *alloc,
                              struct regex_budget *budget);

/* The search of a text by other means. UNSUPPORTED when the steps do not suffice. */
enum status regex_simulate(const struct regex *regex, struct str text, const struct alloc *alloc,
                           uint64_t *steps, bool *out_matches);
enum status regex_backtrack(const struct regex *regex, struct str text, const struct alloc *alloc,
                            uint64_t *steps, bool *out_matches);

#endif

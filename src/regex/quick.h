/* quick.h - the verdict of the patterns that need no scratch memory, to be inlined where it counts.
 *
 * Owns: the loops over the text. Leaves to others: what must be simulated or backtracks
 * (regex_matches). Invariant: no more than one step per byte. Thread rule: as regex.h.
 */
#ifndef STRUCTURE_REGEX_QUICK_H
#define STRUCTURE_REGEX_QUICK_H

#include "regex/program.h"

enum { REGEX_QUICK_NO, REGEX_QUICK_YES, REGEX_QUICK_UNKNOWN };

static inline bool regex_quick_table(const struct regex_table *table, struct str text)
{
    const uint8_t *bytes = (const uint8_t *)text.ptr;
    const uint16_t *rows = table->next;
    uint32_t state = table->start;
    if (state < REGEX_STATE_FIRST)
        return state == REGEX_FOUND;
    for (size_t i = 0; i < text.len; i++) {
        state = rows[state - REGEX_STATE_FIRST + table->classes[bytes[i]]];
        if (state < REGEX_STATE_FIRST)
            return state == REGEX_FOUND;
    }
    return rows[state - REGEX_STATE_FIRST + table->columns - 1] == REGEX_FOUND;
}

/* Code points when all bytes beyond ASCII are members; UINT32_MAX + 1 and more are never meant. */
static inline bool regex_quick_run(const struct regex_run *run, struct str text)
{
    const uint8_t *at = (const uint8_t *)text.ptr;
    size_t count = 0;
    uint8_t all = 1;
    for (size_t i = 0; i < text.len; i++) {
        all &= run->members[at[i]];
        count += (at[i] & 0xC0) != 0x80;
    }
    if (all == 0 || count < run->min || (count > run->max && run->max != UINT32_MAX))
        return false;
    if (run->beyond != REGEX_BEYOND_DOT || count == text.len)
        return true;
    for (size_t i = 2; i < text.len; i++) /* U+2028 and U+2029 end a line */
        if ((at[i] == 0xA8 || at[i] == 0xA9) && at[i - 1] == 0x80 && at[i - 2] == 0xE2)
            return false;
    return true;
}

static inline int regex_quick_matches(const struct regex *regex, struct str text)
{
    struct str literal = { regex->literal, regex->literal_bytes };
    switch (regex->shape) {
    case REGEX_SHAPE_TABLE: return regex_quick_table(&regex->table, text);
    case REGEX_SHAPE_RUN: return regex_quick_run(regex->run, text);
    case REGEX_SHAPE_EQUAL: return str_equal(text, literal);
    case REGEX_SHAPE_PREFIX: return str_starts_with(text, literal);
    case REGEX_SHAPE_SUFFIX:
        return text.len >= literal.len &&
               str_equal(str_of(text.ptr + text.len - literal.len, literal.len), literal);
    case REGEX_SHAPE_ALWAYS: return REGEX_QUICK_YES;
    case REGEX_SHAPE_NEVER: return REGEX_QUICK_NO;
    case REGEX_SHAPE_SIMULATED:
    case REGEX_SHAPE_BACKTRACKING: break;
    }
    return REGEX_QUICK_UNKNOWN;
}

#endif

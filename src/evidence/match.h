/* match.h - how far two words say the same, and the words in a member name. */
#ifndef STRUCTURE_EVIDENCE_MATCH_H
#define STRUCTURE_EVIDENCE_MATCH_H

#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

/* The stem of a folded word: a view of its beginning. English endings; harmless elsewhere. */
struct str match_stem(struct str lower);

/* 1 equal, 0.95 equal stems, less for a common beginning, 0 unrelated. Both folded. */
double match_words(struct str a, struct str b);

/* A word with the families that it belongs to, one bit each (families.c). */
struct match_word {
    struct str text; /* folded */
    uint64_t families;
};

uint64_t match_families(struct str lower);

static inline struct match_word match_word_of(struct str lower)
{
    return (struct match_word){ lower, match_families(lower) };
}

/* As match_words, and 0.6 for unlike words of one family. */
double match_compare(const struct match_word *a, const struct match_word *b);

/* A function word (the, of, and, ...). */
bool match_is_stop(struct str lower);

/* Splits a name (camelCase, snake_case, kebab-case, plain words) or a sentence into folded words,
 * at most words_max, copied to the arena. Returns how many; words that found no memory are left
 * out. */
unsigned match_split(struct str name, struct arena *arena, struct str *out_words,
                     unsigned words_max);

/* True if word is in a NULL-terminated list of folded words. */
bool match_in(struct str word, const char *const *list);

#endif

/* leaf.h - what is looked for: the words that name a leaf of the target, with weights. */
#ifndef STRUCTURE_EVIDENCE_LEAF_H
#define STRUCTURE_EVIDENCE_LEAF_H

#include "base/arena.h"
#include "base/str.h"
#include "evidence/match.h"

enum { LEAF_WORDS_MAX = 32, LEAF_NAME_WORDS_MAX = 8, LEAF_PATH_MAX = 64 };

struct leaf_word {
    struct match_word word;
    double
        weight; /* 1: of the member's name; less for its description and for the names above it */
};

struct evidence_leaf {
    struct leaf_word words[LEAF_WORDS_MAX];
    unsigned word_count;
    struct str name[LEAF_NAME_WORDS_MAX]; /* all words of the member's name, in order */
    unsigned name_count;
    double weight_sum; /* of the words that weigh half or more, at least 1 */
    bool wants_money;  /* a price, a fee, ... */
    bool wants_low;    /* the first of a pair: from, start, min, check-in, ... */
    bool wants_high;   /* the second: to, end, max, check-out, ... */
};

/* path: member names from the root down to the leaf itself; items of arrays have the name of their
 * array. Words live in the arena. */
void evidence_leaf_init(struct evidence_leaf *leaf, const struct str *path, unsigned path_count,
                        struct str description, struct arena *arena);

/* How well a folded word of a text matches some word of the leaf: match times weight. */
double evidence_leaf_match(const struct evidence_leaf *leaf, const struct match_word *word);

/* Some word of the name or description (weight at least half) is in the list. */
bool evidence_leaf_mentions(const struct evidence_leaf *leaf, const char *const *list);

/* Some word of the name itself is in the list. */
bool evidence_leaf_is_named(const struct evidence_leaf *leaf, const char *const *list);

#endif

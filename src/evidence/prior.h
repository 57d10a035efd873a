/* prior.h - how strongly a place of the prompt speaks for a leaf, before any model is asked.
 *
 * A place is scored by the label in front of it ("Total due: "), by the leaf's words near it in its
 * sentence, by what other leaves took already, and by its own form. Scores are in the unit of
 * natural log-probabilities, so that they add to a model's. The weights were chosen by measurement;
 * see the decision page on small models.
 */
#ifndef STRUCTURE_EVIDENCE_PRIOR_H
#define STRUCTURE_EVIDENCE_PRIOR_H

#include "evidence/leaf.h"
#include "evidence/text.h"

enum { CELL_WORDS_MAX = 6, USES_MAX = 4096 };

/* A cell of a table row and the words of its column's heading. */
struct evidence_cell {
    uint32_t begin, end;
    struct match_word words[CELL_WORDS_MAX];
    unsigned word_count;
};

/* The part of the text that a leaf is looked for in: a record of a list, or all of it. */
struct evidence_scope {
    uint32_t begin, end;
    const struct evidence_cell *cells; /* of the row that the scope is, or NULL */
    unsigned cell_count;
};

/* Places that earlier leaves took. */
struct evidence_span {
    uint32_t begin, end;
};

struct evidence_uses {
    struct evidence_span spans[USES_MAX];
    unsigned count;
};

void evidence_uses_add(struct evidence_uses *uses, uint32_t begin, uint32_t end);

/* The name of another leaf of the target: a label that names it speaks against this one. */
struct evidence_rival {
    struct match_word words[LEAF_NAME_WORDS_MAX];
    unsigned word_count;
};

struct evidence_rivals {
    struct evidence_rival *items;
    unsigned count;
};

/* What a judgement looks at; all borrowed. */
struct evidence_view {
    const struct evidence_text *text;
    const struct evidence_leaf *leaf;
    const struct evidence_scope *scope;
    const struct evidence_uses *uses;     /* NULL: none */
    const struct evidence_rivals *rivals; /* NULL: none; may hold the leaf itself */
};

static inline bool evidence_in_scope(const struct evidence_view *view, uint32_t begin)
{
    return view->scope->begin <= begin && begin < view->scope->end;
}

/* What taking a place again costs. */
#define WEIGHT_USED 3.0

/* An earlier leaf took a place of at most bytes_max bytes that overlaps this one. */
bool evidence_is_used(const struct evidence_view *view, uint32_t begin, uint32_t end,
                      uint32_t bytes_max);

/* Any place, by label and neighbourhood. */
double evidence_prior(const struct evidence_view *view, uint32_t begin, uint32_t end);

/* The bonus of "from ... to ..." for leaves that want one of a pair. */
double evidence_pair_prior(const struct evidence_view *view, uint32_t begin, uint32_t end);

/* A typed fact: the above, its doubt, and for numbers currency, percent and unit. */
double evidence_fact_prior(const struct evidence_view *view, const struct evidence_fact *fact);

/* A value of an enum: 0, or more where the text says it. */
double evidence_literal_prior(const struct evidence_view *view, struct str literal);
/* The scope says the literal. */
bool evidence_literal_said(const struct evidence_view *view, struct str literal);

/* For a boolean: above 0 speaks for true, below for false. */
double evidence_boolean_prior(const struct evidence_view *view);

/* The line before the word's line is a heading with the leaf's words. */
double evidence_heading_match(const struct evidence_view *view, uint32_t word);

#endif

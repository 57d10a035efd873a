/* text.h - a prompt as evidence: its words, sentences and lines, and the facts that it states.
 *
 * Owns: a copy of the text, one array of words in order and one of facts in order. Positions are
 * byte offsets in the text. Nothing here knows a schema: what speaks for which leaf is prior.h.
 * Immutable after evidence_text_new.
 */
#ifndef STRUCTURE_EVIDENCE_TEXT_H
#define STRUCTURE_EVIDENCE_TEXT_H

#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "evidence/match.h"

enum evidence_word_flag {
    EVIDENCE_CAPITAL = 1, /* begins with a capital letter */
    EVIDENCE_DIGIT = 2,   /* begins with a digit */
    EVIDENCE_STOP = 4     /* a function word: the, of, and, ... */
};

struct evidence_word {
    uint32_t begin, end;
    uint32_t sentence;        /* number of the sentence, from 0; a line end also ends one */
    uint32_t repeats;         /* words of the text with the same stem, itself included */
    struct match_word folded; /* of the same length */
    unsigned flags;           /* enum evidence_word_flag */
};

enum evidence_kind {
    EVIDENCE_NUMBER,
    EVIDENCE_DATE,
    EVIDENCE_DATE_TIME,
    EVIDENCE_TIME,
    EVIDENCE_EMAIL,
    EVIDENCE_URI,
    EVIDENCE_CURRENCY,
    EVIDENCE_PHONE
};

/* A typed value that the text states, at its place. */
struct evidence_fact {
    uint32_t begin, end;
    enum evidence_kind kind;
    struct str value;    /* as JSON writes it, without quotes: 2026-05-14, 1250.5, 08:26, EUR */
    double doubt;        /* 0: plainly that; grows with ambiguity */
    struct str currency; /* NUMBER: the ISO code that stands with it, or empty */
    bool is_percent;     /* NUMBER: a percent sign or word follows */
    bool is_word;        /* NUMBER: written as a word ("three") */
    bool is_decimal;     /* NUMBER: not an integer */
    bool is_cents;       /* NUMBER: written with two digits behind the point */
    int8_t multiplied;   /* NUMBER with "million" and the like: 1 as written, -1 multiplied out, 0
                            none */
};

struct evidence_text {
    const struct alloc *alloc;
    struct arena arena;
    struct str text;
    struct str lower; /* the same, case folded, offsets kept */
    struct evidence_word *words;
    uint32_t word_count;
    uint32_t *line_begins; /* in order; the first is 0 */
    uint32_t line_count;
    struct evidence_fact *facts; /* by begin */
    uint32_t fact_count;
};

/* text: well-formed UTF-8. NO_MEMORY only. */
enum status evidence_text_new(struct str text, const struct alloc *alloc,
                              struct evidence_text **out_text, struct error *error);
void evidence_text_free(struct evidence_text *text);

/* Index of the last word that begins at or before offset, 0 when none does. */
uint32_t evidence_word_at(const struct evidence_text *text, uint32_t offset);

/* Index of the first fact that begins at or after offset, fact_count when none does. */
uint32_t evidence_first_fact(const struct evidence_text *text, uint32_t offset);

/* Bytes [begin, end) of the text. */
static inline struct str evidence_slice(const struct evidence_text *text, uint32_t begin,
                                        uint32_t end)
{
    return str_of(text->text.ptr + begin, end - begin);
}

/* Start of the line that offset is in, and its end (the line feed, or the end of the text). */
uint32_t evidence_line_begin(const struct evidence_text *text, uint32_t offset);
uint32_t evidence_line_end(const struct evidence_text *text, uint32_t offset);

#endif

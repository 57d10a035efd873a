/* facts.h - the readers of typed values, each for one kind; private to src/evidence. */
#ifndef STRUCTURE_EVIDENCE_FACTS_H
#define STRUCTURE_EVIDENCE_FACTS_H

#include "evidence/text.h"

/* A growing list of facts in the text's arena. */
struct facts {
    struct evidence_text *text;
    struct evidence_fact *items;
    uint32_t count;
    uint32_t cap;
    unsigned char *covered; /* one bit a byte of the text: a fact (no currency) lies there */
    bool failed;            /* out of memory */
};

#define FACTS_MAX 20000u /* per text; what comes later is not seen */

/* Appends; value is copied. */
void facts_add(struct facts *facts, const struct evidence_fact *fact);

/* Some fact of the list, other than a currency, overlaps [begin, end). */
bool facts_cover(const struct facts *facts, size_t begin, size_t end);

/* Each appends what it finds. Later readers see the facts of earlier ones: numbers come last, since
 * digits inside dates and addresses are doubtful as numbers. */
void facts_read_emails_and_uris(struct facts *facts);
void facts_read_date_times(struct facts *facts);
void facts_read_dates(struct facts *facts);
void facts_read_times(struct facts *facts);
void facts_read_currencies(struct facts *facts);
void facts_read_phones(struct facts *facts);
void facts_read_numbers(struct facts *facts);

/* Runs all readers and hands the list, ordered by place, to the text. */
enum status facts_read(struct evidence_text *text);

/* ISO code of the currency sign, code or word at `at`; empty if none. */
struct str facts_currency_at(struct str text, size_t at, size_t *out_end);

#endif

/* list.h - enumerations in prose and bullets: where the next item begins. */
#ifndef STRUCTURE_EVIDENCE_LIST_H
#define STRUCTURE_EVIDENCE_LIST_H

#include "evidence/text.h"

/* The word with which an enumeration goes on behind an item that ends at offset; false when it does
 * not. out_is_last: it was joined by "and" or the like without a comma, so it is the last one. */
bool evidence_list_next(const struct evidence_text *text, uint32_t offset, uint32_t *out_word,
                        bool *out_is_last);

/* 0: no list begins with this word; up to 1.5 the longer the list of short items that does. */
double evidence_list_strength(const struct evidence_text *text, uint32_t word);

/* The word follows a bullet or an item number. */
bool evidence_list_is_bullet(const struct evidence_text *text, uint32_t word);

/* The word is a later item: a comma, "and" or "or" stands before it in its sentence. */
bool evidence_list_continues(const struct evidence_text *text, uint32_t word);

#endif

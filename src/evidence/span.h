/* span.h - runs of whole words as values of free strings: where they may begin and end, and how
 * natural that is.
 *
 * A run lies within one sentence and has at most RUN_WORDS_MAX words. Scores are in the unit of
 * prior.h.
 */
#ifndef STRUCTURE_EVIDENCE_SPAN_H
#define STRUCTURE_EVIDENCE_SPAN_H

#include "evidence/prior.h"

enum { RUN_WORDS_MAX = 40 };

/* Last word of the longest run that begins with a word. */
uint32_t evidence_run_last(const struct evidence_view *view, uint32_t first);

/* Bytes of the run [first, last]: a plus sign before its first word belongs to it, and so does the
 * point of an abbreviation behind its last ("Ltd."). */
struct evidence_span evidence_run_span(const struct evidence_text *text, uint32_t first,
                                       uint32_t last);

/* What is known when only the beginning is chosen. is_item: an item of a list is looked for. */
double evidence_run_start_prior(const struct evidence_view *view, uint32_t first, bool is_item);

/* What the choice of the end adds. */
double evidence_run_end_prior(const struct evidence_view *view, uint32_t first, uint32_t last,
                              bool is_item);

#endif

/* ground.h - an index of the prompt: which runs of whole words, numbers and dates it contains.
 *
 * Grounded decoding restricts a free string to such runs and a number to one that occurs. The index
 * holds the text with white space normalised to single blanks and an ordered array of word starts,
 * so that "which words may follow" is a narrowing interval. Immutable after ground_new.
 */
#ifndef STRUCTURE_DECODE_GROUND_H
#define STRUCTURE_DECODE_GROUND_H

#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"

struct ground;

/* text: well-formed UTF-8, copied. */
enum status ground_new(struct str text, const struct alloc *alloc, struct ground **out_ground,
                       struct error *error);
void ground_free(struct ground *ground);

#endif

/* grounding.h - --grounding: where in the prompt each leaf of the data occurs, or that it does not.
 */
#ifndef STRUCTURE_CLI_GROUNDING_H
#define STRUCTURE_CLI_GROUNDING_H

#include "json/json.h"

/* Appends the array of spec section 10: one entry a leaf,
 * {"pointer","found","start","end","match"}, offsets in code points of prompt (well-formed UTF-8),
 * half-open. Pointers count from data. Work is metered: a leaf that the budget does not reach is
 * not found. */
void cli_grounding_append(struct buffer *out, struct json data, struct str prompt,
                          const struct alloc *alloc);

#endif

/* pattern.h - which patterns a wire takes. Private to src/projection. */
#ifndef STRUCTURE_PROJECTION_PATTERN_H
#define STRUCTURE_PROJECTION_PATTERN_H

#include "projection/wire_rules.h"

/* Whether the rules take the pattern as it is. */
bool pattern_is_taken(const struct wire_rules *rules, struct str pattern);

/* Appends the pattern as the rules want it written. It must be taken. */
void pattern_text(const struct wire_rules *rules, struct str pattern, struct buffer *out);

#endif

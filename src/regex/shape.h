/* shape.h - patterns so simple that no automaton is needed. Private to src/regex. */
#ifndef STRUCTURE_REGEX_SHAPE_H
#define STRUCTURE_REGEX_SHAPE_H

#include "regex/program.h"
#include "regex/tree.h"

/* Sets the shape of the pattern, and what it needs, if it is such a one; else the shape stays. OK
 * or NO_MEMORY. */
enum status shape_find(struct regex *regex, const struct tree *tree, uint32_t root,
                       const struct alloc *alloc);

#endif

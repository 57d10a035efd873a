/* write.h - from the tree of a pattern to a program. Private to src/regex. */
#ifndef STRUCTURE_REGEX_WRITE_H
#define STRUCTURE_REGEX_WRITE_H

#include "regex/builder.h"
#include "regex/tree.h"

enum write_mode {
    WRITE_AHEAD,    /* every lookaround reads on from where it stands: for tables */
    WRITE_MIRRORED, /* ... comes from the other side and ends where it stands: for simulation */
    WRITE_CAPTURES  /* as WRITE_AHEAD, with groups and loops for a search that backtracks */
};

/* Writes the search, the pattern and its lookarounds to the program of the builder. */
void write_program(struct builder *builder, const struct tree *tree, uint32_t root,
                   enum write_mode mode);

#endif

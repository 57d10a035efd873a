/* runaway.h - when a reply has run away: the same short piece, or white space, over and over.
 *
 * Owns: the one definition, for those who watch a stream and for those who read what came of it.
 * Leaves to others: what to do about it. A reply that is whole and valid is right, however it
 * repeats itself. Invariant: the verdict depends on the bytes, not on how they were cut into
 * pieces.
 */
#ifndef STRUCTURE_MODEL_RUNAWAY_H
#define STRUCTURE_MODEL_RUNAWAY_H

#include "base/str.h"

enum {
    MODEL_RUNAWAY_PERIOD_MAX = 64, /* bytes of the piece */
    MODEL_RUNAWAY_BYTES = 2048,    /* of one piece over and over */
    MODEL_RUNAWAY_BLANKS = 1024,   /* of white space, in any order */
    MODEL_RUNAWAY_STEP = 256       /* bytes between two looks; a run is seen that much later */
};

struct model_runaway {
    char window[MODEL_RUNAWAY_BYTES + MODEL_RUNAWAY_STEP]; /* the last bytes of the text */
    size_t filled;
    size_t unseen; /* of them, since the last look */
    bool is_certain;
};

void model_runaway_init(struct model_runaway *runaway);

/* Takes the next bytes of a text. True: it has run away, and stays so. */
bool model_runaway_feed(struct model_runaway *runaway, struct str chunk);

/* The end of text is such a run. */
bool model_runaway_is_end_of(struct str text);

#endif

/* mendable.h - whether a fault in a reply that is still being written may yet be read away.
 *
 * Owns: the question for whoever watches a stream: a reply must not be stopped for a fault that the
 * reader of whole replies would mend (engine/reading.h): null for an absent member, JSON inside a
 * string, pairs for a map, one member around the value. Leaves to others: mending.
 */
#ifndef STRUCTURE_MODEL_MENDABLE_H
#define STRUCTURE_MODEL_MENDABLE_H

#include "base/alloc.h"
#include "base/str.h"

enum model_mendable {
    MODEL_MENDABLE_NO,   /* the reply may be stopped */
    MODEL_MENDABLE_YES,  /* it is to be read to its end */
    MODEL_MENDABLE_LATER /* not enough of the value is there: ask again with more text */
};

/* text: the reply so far, from its first bracket on; pointer: of the value at fault in it. */
enum model_mendable model_mendable_fault(struct str text, struct str pointer,
                                         const struct alloc *alloc);

#endif

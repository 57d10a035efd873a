/* partial.h - a reply that was stopped in the middle, closed so that it can be judged.
 *
 * Owns: where it was open, and which violations of the closed value no continuation could have
 * mended. Leaves to others: the value itself, which is never an answer.
 */
#ifndef STRUCTURE_MODEL_PARTIAL_H
#define STRUCTURE_MODEL_PARTIAL_H

#include "base/limits.h"
#include "schema/validate.h"

/* What stood at the very end. */
enum model_partial_tail {
    MODEL_TAIL_WHOLE,  /* nothing unfinished but the containers */
    MODEL_TAIL_STRING, /* the beginning of a string */
    MODEL_TAIL_NUMBER, /* digits that may go on */
    MODEL_TAIL_ABSENT  /* a value was to come: null stands in its place */
};

struct model_partial {
    uint32_t open_depth; /* containers that were open: each is the last child of the one before */
    enum model_partial_tail tail;
};

/* Appends the beginning of a JSON value with all that is open in it closed. False: the text is not
 * the beginning of an object or array. Errors are in the buffer's status. */
bool model_partial_close(struct str text, struct buffer *out, struct model_partial *out_partial);

/* The innermost open place of the closed value. */
struct json model_partial_place(const struct model_partial *partial, struct json root);

/* Whether place is a container that was open. */
bool model_partial_is_open(const struct model_partial *partial, struct json root,
                           struct json place);

/* Whether the violation, whose value stands at place in the closed value, would have stayed
 * whatever had come. */
bool model_partial_is_certain(const struct model_partial *partial, struct json root,
                              struct json place, const struct schema_violation *violation);

#endif

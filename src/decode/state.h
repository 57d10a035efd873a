/* state.h - a position inside a text of the language: feed bytes, ask whether it may end, how it
 * can be closed.
 *
 * A state is plain memory of fixed size: copied with decode_state_copy (only the used depth), so
 * that a candidate token is tried on a copy and dropped. Invariant: every reachable state can be
 * closed, and decode_state_closing says by which shortest text.
 */
#ifndef STRUCTURE_DECODE_STATE_H
#define STRUCTURE_DECODE_STATE_H

#include "base/buffer.h"
#include "decode/language.h"

struct decode_state; /* size known only to src/decode */

enum status decode_state_new(const struct decode_language *language, const struct alloc *alloc,
                             struct decode_state **out_state);
void decode_state_free(struct decode_state *state);
void decode_state_reset(struct decode_state *state);
void decode_state_copy(struct decode_state *to,
                       const struct decode_state *from); /* same language */

/* Advances by bytes. False: some byte has no place; the state is then unspecified (use a copy). */
bool decode_state_feed(struct decode_state *state, struct str bytes);

/* The text so far is a whole value of the language. */
bool decode_state_is_complete(const struct decode_state *state);

/* Bytes of the shortest text that completes the value (0 when complete), and that text. */
size_t decode_state_closing_bytes(const struct decode_state *state);
void decode_state_closing(const struct decode_state *state, struct buffer *out);

/* For samplers: after `bytes` the value still goes on or ends, and can then be closed with
 * bytes_left further bytes. A byte-level vocabulary has a token for every byte, so with bytes_left
 * = tokens left after this one the value always closes in time. scratch (same language) is left at
 * the state after the bytes. */
bool decode_state_admits(const struct decode_state *state, struct str bytes, size_t bytes_left,
                         struct decode_state *scratch);

/* Text that must come next whatever the model wants ("\"name\":"), possibly empty. Used to skip
 * model calls. */
void decode_state_forced(const struct decode_state *state, struct buffer *out);

/* What is being written, for samplers that choose among candidates (see ground.h). */
enum decode_at {
    DECODE_AT_STRUCTURE,    /* punctuation, a member name, a literal */
    DECODE_AT_STRING_START, /* a string value may begin here: the next byte is its quote or it was
                               just fed */
    DECODE_AT_STRING,
    DECODE_AT_NUMBER_START,
    DECODE_AT_NUMBER,
    DECODE_AT_END
};
enum decode_at decode_state_at(const struct decode_state *state);
/* The schema node of the leaf being written, or SCHEMA_NONE. */
uint32_t decode_state_node(const struct decode_state *state);

#endif

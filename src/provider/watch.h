/* watch.h - looking at a reply while it is written: can it still become a valid answer?
 *
 * Owns: the push validator over the text of one reply, the detector of runaways, and the estimate
 * of what stopping saves. Leaves to others: stopping. Invariant: in doubt nothing is certain: text
 * that does not begin as a JSON object, that is no JSON, or whose fault a reading would mend
 * (model/mendable.h) is for the engine to read.
 */
#ifndef STRUCTURE_PROVIDER_WATCH_H
#define STRUCTURE_PROVIDER_WATCH_H

#include "model/runaway.h"
#include "projection/projection.h"
#include "schema/push.h"

enum watch_verdict { WATCH_GOES_ON, WATCH_INVALID, WATCH_RUNAWAY };

struct watch {
    struct schema_push *push; /* NULL: validity is not watched */
    const struct alloc *alloc;
    bool has_begun;
    size_t
        ask_again; /* length of text at which a fault that was seen is looked at again; 0: none */
    struct model_runaway runaway;
};

/* program NULL: only runaways are seen. Memory that is short only means that less is seen. */
void watch_init(struct watch *watch, const struct schema_program *program,
                const struct alloc *alloc);
void watch_release(struct watch *watch);

/* Takes what is new in the reply: all of its text from `from` on. */
enum watch_verdict watch_feed(struct watch *watch, struct str text, size_t from);

/* Tokens that the rest of an object would have cost: the required members of the target that are
 * not there yet, each taken to be as long as the ones that are. 0 when nothing can be said. */
uint64_t watch_saved_tokens(const struct schema_program *target, struct str text);

/* Tokens of a text by its length, where the provider did not count. */
uint64_t watch_tokens_of(size_t bytes);

#endif

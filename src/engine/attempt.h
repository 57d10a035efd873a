/* attempt.h - one reply and what became of it: accepted, a need, or violations. */
#ifndef STRUCTURE_ENGINE_ATTEMPT_H
#define STRUCTURE_ENGINE_ATTEMPT_H

#include "base/arena.h"
#include "engine/reply.h"

enum engine_verdict {
    ENGINE_VERDICT_NONE,
    ENGINE_VERDICT_OK,
    ENGINE_VERDICT_NEED,
    ENGINE_VERDICT_REFUSED
};

struct engine_attempt {
    enum engine_verdict verdict;
    struct arena arena;              /* of the violations */
    struct engine_reply_value value; /* with the document, owned */
    struct json_doc *wrapped;        /* a bare value put into the wrapper of unwrap_root; owned */
    struct json data;                /* OK: valid for the program's root */
    struct str need;                 /* NEED: in value's document */
    struct schema_violations violations; /* REFUSED */
};

void engine_attempt_init(struct engine_attempt *attempt, const struct alloc *alloc);
/* Drops the outcome, keeps the attempt usable. */
void engine_attempt_clear(struct engine_attempt *attempt);
void engine_attempt_release(struct engine_attempt *attempt);

/* Judges the text of a reply; one that hit the maximum of its buffer is refused. need_name empty:
 * no need object. Anything but OK ends the call: NO_MEMORY, UNSUPPORTED. */
enum status engine_attempt_judge(struct engine_attempt *attempt,
                                 const struct engine_request *request, struct str need_name,
                                 const struct buffer *reply, const struct alloc *alloc,
                                 struct error *error);

#endif

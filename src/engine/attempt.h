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

enum { ENGINE_ATTEMPT_DOCS_MAX = 24 };

struct engine_attempt {
    enum engine_verdict verdict;
    struct arena arena;                             /* of the violations and the ledger */
    struct engine_ledger ledger;                    /* what was read into the reply */
    struct engine_reply_value value;                /* what stood in the text */
    struct json_doc *docs[ENGINE_ATTEMPT_DOCS_MAX]; /* what readings made of it; owned */
    uint32_t doc_count;
    struct json judged;                  /* OK, REFUSED: in the form of the target; may not exist */
    struct str need;                     /* NEED: in one of the documents */
    struct schema_violations violations; /* REFUSED: pointers of the target's form */
};

void engine_attempt_init(struct engine_attempt *attempt, const struct alloc *alloc);
/* Drops the outcome, keeps the attempt usable. */
void engine_attempt_clear(struct engine_attempt *attempt);
void engine_attempt_release(struct engine_attempt *attempt);

/* What a reply is judged for. */
struct engine_question {
    const struct engine_request *request;
    struct str need_name; /* empty: no need object */
};

/* Judges a reply whose finish signal lets it be read; one that hit the maximum of its buffer, or
 * that was stopped before its end, is refused. Anything but OK ends the call: NO_MEMORY,
 * UNSUPPORTED. */
enum status engine_attempt_judge(struct engine_attempt *attempt,
                                 const struct engine_question *question,
                                 const struct model_reply *reply, const struct alloc *alloc,
                                 struct error *error);

#endif

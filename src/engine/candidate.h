/* candidate.h - private to attempt.c and stopped.c: a value that the reply may mean, and how it is
 * judged.
 *
 * Owns: the way from a value of the reply to one of the target: inverse of the projection, wrapper.
 * Leaves to others: which candidates there are (attempt.c), the verdict (schema).
 */
#ifndef STRUCTURE_ENGINE_CANDIDATE_H
#define STRUCTURE_ENGINE_CANDIDATE_H

#include "engine/attempt.h"

struct engine_judge {
    struct engine_attempt *attempt;
    const struct engine_question *question;
    const struct projection *projection; /* NULL: the target itself was asked for */
    const struct alloc *alloc;
    struct error *error;
};

struct engine_candidate {
    struct json reply;         /* as it stands in the reply, or in a string of it */
    struct json value;         /* through the inverse */
    struct json judged;        /* and in the wrapper of unwrap_root, where it stood without */
    uint32_t ledger_count;     /* readings that led to reply */
    uint32_t ledger_count_all; /* and those of the inverse */
    bool is_wrapped;
};

/* Keeps doc with the attempt; it is freed when there is no room. */
enum status engine_judge_keep(struct engine_judge *judge, struct json_doc *doc);

/* NO_MEMORY. What the inverse did is in the ledger. */
enum status engine_candidate_make(struct engine_judge *judge, struct json reply,
                                  struct engine_candidate *out_candidate);

/* Where the value at pointer of candidate->judged stands in the reply; may not exist. NO_MEMORY. */
enum status engine_candidate_place(const struct engine_judge *judge,
                                   const struct engine_candidate *candidate, struct str pointer,
                                   struct json *out_place);

/* Makes the only violation of the attempt; pointer, keyword and message are copied. */
enum status engine_judge_refuse(struct engine_judge *judge, struct str pointer, const char *keyword,
                                const char *message, uint32_t line, uint32_t column);

/* All faults of candidate->judged, and the attempt is refused; without any it has no verdict. */
enum status engine_judge_collect(struct engine_judge *judge,
                                 const struct engine_candidate *candidate);

/* stopped.c: a reply that was stopped before its end; never accepted. */
enum status engine_judge_stopped(struct engine_judge *judge, struct str text, bool is_runaway);

#endif

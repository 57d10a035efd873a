/* writer.h - writes one reply token by token, given something that scores what may come next.
 *
 * Leaves to others: which tokens may come (guide), which of them is taken (sampler), where scores
 * come from (evaluate). Without a guide any text may come, until the model ends it or the tokens
 * are used up.
 */
#ifndef STRUCTURE_MODEL_WRITER_H
#define STRUCTURE_MODEL_WRITER_H

#include "model/guide.h"
#include "model/model.h"

struct model_writer {
    const struct model_vocabulary *vocabulary;
    struct model_sampler *sampler;  /* begun */
    struct model_guide *guide;      /* NULL: free text */
    uint32_t tokens_max;            /* without a guide; a guide has its own budget */
    const struct model_sink *sink;  /* may be NULL */
    struct model_tokens *tokens;    /* scratch */
    /* Takes in the tokens that were written since (none at first) and gives one score a token of
     * the vocabulary, borrowed until the next evaluation. */
    enum status (*evaluate)(void *state, const int32_t *tokens, size_t count,
                            const float **out_scores, struct error *error);
    void *state;
};

/* Appends to reply->text, sets reply->finish and counts reply->usage.output_tokens. Errors: those
 * of evaluate, NO_MEMORY, REJECTED when reply->text is full. */
enum status model_writer_run(struct model_writer *writer, struct model_reply *reply,
                             struct error *error);

#endif

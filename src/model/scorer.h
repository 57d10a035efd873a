/* scorer.h - the seam through which whole candidates are weighed by a model, after what was written
 * so far.
 *
 * A scorer is a table of functions and a state. It stands for one conversation: the prompt is
 * behind it, the context is what the assistant has written since. Texts are tokenised on their own:
 * nothing in them is read as a special token. All log-probabilities are natural and of the model's
 * raw distribution. Every function may answer CANCELLED, DEADLINE, NO_MEMORY or INTERNAL.
 */
#ifndef STRUCTURE_MODEL_SCORER_H
#define STRUCTURE_MODEL_SCORER_H

#include "model/tokens.h"
#include "model/vocabulary.h"

/* Tokens of one candidate beyond these are not evaluated: its score is that of its beginning. */
#define MODEL_SCORER_TOKENS_MAX 192u

/* After the first tokens of a candidate: point 0 is its beginning. */
struct model_path_point {
    uint32_t bytes;     /* of the candidate, written by these tokens */
    float log_prob;     /* of these tokens after the context */
    float log_prob_end; /* that one of the terminators comes next */
};

struct model_path {
    struct model_path_point *points; /* the caller's */
    uint32_t point_max;              /* at least 1: up to point_max - 1 tokens are evaluated */
    uint32_t point_count;            /* filled */
};

struct model_scorer_ops {
    /* Appends the tokens of text. False: no memory. */
    bool (*tokenise)(void *state, struct str text, struct model_tokens *out);
    /* What the assistant has written; borrowed only for the call. Evaluated when scores are asked
     * for, and only where it differs from the context before. */
    enum status (*set)(void *state, struct str context, struct error *error);
    /* Log-probability of each token coming next. */
    enum status (*next)(void *state, const int32_t *tokens, size_t count, float *out_log_probs,
                        struct error *error);
    /* Log-probability of each candidate followed by the terminator (may be empty): tokens of their
     * joined text, summed. Shared beginnings are evaluated once. */
    enum status (*score)(void *state, const struct str *candidates, size_t count,
                         struct str terminator, float *out_log_probs, struct error *error);
    /* Along each candidate: its probability and that of ending there. terminators: tokens. */
    enum status (*paths)(void *state, const struct str *candidates, size_t count,
                         const int32_t *terminators, size_t terminator_count,
                         struct model_path *paths, struct error *error);
    /* The raw scores of all tokens after the context, one a token; borrowed until the next
     * question. */
    enum status (*distribution)(void *state, const float **out_scores, struct error *error);
};

struct model_scorer {
    const struct model_scorer_ops *ops;
    void *state;
    const struct model_vocabulary *vocabulary; /* what tokens write */
};

/* The first token of text, or -1 when it has none or memory is used up. */
int32_t model_scorer_first_token(const struct model_scorer *scorer, struct str text,
                                 const struct alloc *alloc);

#endif

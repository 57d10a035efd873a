/* sampler.h - chooses the next token from the model's raw scores among those that may come.
 *
 * Greedy (temperature 0): the admissible token of the highest score, the lowest number among
 * equals. Otherwise a seeded draw from the softmax over the admissible tokens. Both ask about the
 * likeliest tokens first and look at the whole vocabulary only when those are refused; the result
 * is as if all were asked.
 */
#ifndef STRUCTURE_MODEL_SAMPLER_H
#define STRUCTURE_MODEL_SAMPLER_H

#include "base/control.h"
#include "model/vocabulary.h"

/* What may come next. `byte` says of a first byte whether any text token that begins with it can be
 * admissible; it may err on the side of true. */
struct model_admission {
    bool (*token)(void *state, uint32_t token);
    bool (*byte)(void *state, unsigned char byte);
    void *state;
};

struct model_sampler {
    const struct model_vocabulary *vocabulary;
    double temperature;        /* 0: greedy */
    struct rng chance;
    struct rng_seeded chance_state; /* what chance points to: a sampler does not move once begun */
    float *weights;            /* scratch, one a token; NULL until a draw needs it */
    const struct alloc *alloc;
    uint64_t asked;            /* tokens about which the admission was asked, for measurement */
};

void model_sampler_init(struct model_sampler *sampler, const struct model_vocabulary *vocabulary,
                        const struct alloc *alloc);
void model_sampler_release(struct model_sampler *sampler);
/* Before each reply. False when memory is used up. */
bool model_sampler_begin(struct model_sampler *sampler, double temperature, uint64_t seed);

/* False: no token is admissible. Scores that are not numbers count as the lowest. */
bool model_sampler_choose(struct model_sampler *sampler, const float *scores,
                          const struct model_admission *admission, uint32_t *out_token);

#endif

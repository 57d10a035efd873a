/* scores.h - raw scores of a vocabulary as log-probabilities. */
#ifndef STRUCTURE_MODEL_SCORES_H
#define STRUCTURE_MODEL_SCORES_H

#include <stddef.h>

/* The logarithm of the sum of the exponentials, to about 1e-5; the log-probability of a token is
 * its score less this. Scores that are not numbers count as nothing; -INFINITY when all are. */
float model_scores_log_sum(const float *scores, size_t count);

/* log(exp(a) + exp(b)) */
float model_scores_log_add(float a, float b);

#endif

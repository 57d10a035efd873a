/* scores.c - the log-sum of a vocabulary's scores. It runs once for every evaluated token. */
#include "base/features.h"

#include "model/scores.h"

#include <math.h>

/* Scores that far below the best add less than 1e-4 for any vocabulary, and most are. */
#define SCORES_DISTANCE_MAX 21.0F

static float scores_max(const float *scores, size_t count)
{
    float even = -INFINITY, odd = -INFINITY;
    for (size_t i = 0; i + 1 < count; i += 2) {
        even = scores[i] > even ? scores[i] : even;
        odd = scores[i + 1] > odd ? scores[i + 1] : odd;
    }
    if (count % 2 == 1)
        even = scores[count - 1] > even ? scores[count - 1] : even;
    return even > odd ? even : odd;
}

float model_scores_log_sum(const float *scores, size_t count)
{
    float max = scores_max(scores, count), sum = 0;
    if (!isfinite(max))
        return max;
    for (size_t i = 0; i < count; i++) {
        float distance = max - scores[i];
        if (distance < SCORES_DISTANCE_MAX) /* false for what is no number */
            sum += expf(-distance);
    }
    return max + logf(sum);
}

float model_scores_log_add(float a, float b)
{
    float high = a > b ? a : b, low = a > b ? b : a;
    if (!isfinite(high))
        return high;
    return high + log1pf(expf(low - high));
}

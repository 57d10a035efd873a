/* retry.h - when to try again: full jitter, Retry-After as a minimum, a budget, a deadline. */
#ifndef STRUCTURE_PROVIDER_RETRY_H
#define STRUCTURE_PROVIDER_RETRY_H

#include <stdatomic.h>

#include "base/control.h"
#include "provider/failure.h"

struct retry_policy {
    uint32_t attempts_max; /* of one model call, the first included */
    int64_t base_ms;       /* of the first wait; doubles */
    int64_t cap_ms;
};

#define RETRY_POLICY_DEFAULT                                                                       \
    {                                                                                              \
        3, 500, 30000                                                                              \
    }

/* A token bucket of one provider and credential: a retry costs 10, a success gives 1 back, so that
 * retries stay a tenth of the calls in the long run. Thread rule: any thread. */
struct retry_budget {
    _Atomic(int32_t) tokens;
};
enum { RETRY_BUDGET_FULL = 100, RETRY_COST = 10 };

void retry_budget_init(struct retry_budget *budget);
void retry_budget_reward(struct retry_budget *budget);

/* Whether attempt number `attempt` (the one that just failed, 1-based) is followed by another, and
 * if so *out_until_ms. False also when the wait would not end before deadline_ms: then nothing is
 * waited for. */
bool retry_decide(const struct retry_policy *policy, struct retry_budget *budget,
                  const struct provider_failure *failure, uint32_t attempt, const struct rng *rng,
                  int64_t now_ms, int64_t deadline_ms, int64_t *out_until_ms);

#endif

/* retry.c - when to try again. See retry.h.
 *
 * Owns: full jitter, the budget, and the rule that nothing is waited for in vain. Source of the
 * numbers: the providers' own clients and gRPC's retry throttling.
 */
#include "base/features.h"

#include "provider/retry.h"

enum { DOUBLINGS_MAX = 20 };

void retry_budget_init(struct retry_budget *budget)
{
    atomic_init(&budget->tokens, RETRY_BUDGET_FULL);
}

void retry_budget_reward(struct retry_budget *budget)
{
    int32_t tokens = atomic_load(&budget->tokens);
    while (tokens < RETRY_BUDGET_FULL &&
           !atomic_compare_exchange_weak(&budget->tokens, &tokens, tokens + 1))
        continue;
}

static bool budget_take(struct retry_budget *budget)
{
    int32_t tokens = atomic_load(&budget->tokens);
    while (tokens >= RETRY_COST) {
        if (atomic_compare_exchange_weak(&budget->tokens, &tokens, tokens - RETRY_COST))
            return true;
    }
    return false;
}

/* Anything from 0 to the doubled base, so that many who failed at once do not come back at once. */
static int64_t jitter(const struct retry_policy *policy, uint32_t attempt, const struct rng *rng)
{
    int64_t span_ms = policy->base_ms;
    for (uint32_t i = 1; i < attempt && i < DOUBLINGS_MAX && span_ms < policy->cap_ms; i++)
        span_ms *= 2;
    if (span_ms > policy->cap_ms)
        span_ms = policy->cap_ms;
    return span_ms <= 0 ? 0 : (int64_t)(rng->next(rng->state) % ((uint64_t)span_ms + 1));
}

bool retry_decide(const struct retry_policy *policy, struct retry_budget *budget,
                  const struct provider_failure *failure, uint32_t attempt, const struct rng *rng,
                  int64_t now_ms, int64_t deadline_ms, int64_t *out_until_ms)
{
    if (!failure->is_retryable || attempt >= policy->attempts_max)
        return false;
    int64_t wait_ms = jitter(policy, attempt, rng);
    if (failure->retry_after_ms > 0)
        wait_ms = failure->retry_after_ms > INT64_MAX - wait_ms ? INT64_MAX
                                                                : failure->retry_after_ms + wait_ms;
    if (wait_ms >= deadline_ms - now_ms)
        return false;
    if (budget != NULL && !budget_take(budget))
        return false;
    *out_until_ms = now_ms + wait_ms;
    return true;
}

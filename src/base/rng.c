/* rng.c - the seeded generator: SplitMix64 (Steele, Lea, Flood 2014). Not for secrets. */
#include "base/features.h"

#include "base/control.h"

static uint64_t rng_seeded_next(void *state)
{
    struct rng_seeded *seeded = state;
    uint64_t word = seeded->word += UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

struct rng rng_from_seed(struct rng_seeded *state, uint64_t seed)
{
    state->word = seed;
    return (struct rng){ rng_seeded_next, state };
}

/* control.h - time, chance and the wish to stop: the seams that make a call deterministic in tests.
 *
 * A control travels with every operation that may take long; the operation asks control_check
 * between steps. Cancellation may be requested from any thread or a signal handler.
 */
#ifndef STRUCTURE_BASE_CONTROL_H
#define STRUCTURE_BASE_CONTROL_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/status.h"

struct clock {
    int64_t (*now_ms)(void *state); /* monotonic milliseconds */
    void *state;
};

struct rng {
    uint64_t (*next)(void *state);
    void *state;
};

const struct clock *clock_system(void);

/* A small seeded generator (SplitMix64) for tests and sampling. */
struct rng_seeded {
    uint64_t word;
};
struct rng rng_from_seed(struct rng_seeded *state, uint64_t seed);

struct cancel {
    atomic_bool requested;
};

struct control {
    const struct clock *clock;    /* never NULL */
    int64_t deadline_ms;          /* on that clock; INT64_MAX for none */
    const struct cancel *cancel;  /* may be NULL */
};

/* STATUS_OK, STATUS_CANCELLED or STATUS_DEADLINE (cancellation wins). Sets no error text. */
enum status control_check(const struct control *control);

#endif

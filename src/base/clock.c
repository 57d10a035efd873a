/* clock.c - the system's monotonic clock behind the clock seam. */
#include "base/features.h"

#include <time.h>

#include "base/control.h"

static int64_t clock_monotonic_ms(void *state)
{
    struct timespec now;
    (void)state;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return 0;
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

const struct clock *clock_system(void)
{
    static const struct clock monotonic = { clock_monotonic_ms, NULL };
    return &monotonic;
}

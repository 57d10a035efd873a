/* local_threads.c - how many threads evaluate: no more than there are processors without work.
 *
 * libllama's threads wait for each other after every operation, and they wait by spinning: one that
 * the system does not run holds up the others for whole time slices. On a busy machine one thread
 * is then many times faster than two. The number does not change any score (see local_context.c).
 */
#include "base/features.h"

#include "model/local_llama.h"

#if STRUCTURE_HAVE_LLAMA

#include <stdio.h>
#include <unistd.h>

enum { LOCAL_THREADS_MAX = 8, LOCAL_THREADS_ASKED_MAX = 512 };

static uint32_t threads_online(void)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online < 1 ? 1 : online > 4096 ? 4096 : (uint32_t)online;
}

/* Tasks that run or wait for a processor, this one included; 1 where the system does not say.
 * proc(5): the fourth field of /proc/loadavg is RUNNABLE/EXISTING. */
static uint32_t threads_runnable(void)
{
    char line[128], *at = line;
    unsigned count = 0;
    FILE *file = fopen("/proc/loadavg", "r");
    if (file == NULL)
        return 1;
    line[0] = '\0';
    if (fgets(line, sizeof(line), file) == NULL)
        line[0] = '\0';
    (void)fclose(file);
    for (unsigned field = 0; field < 3 && at != NULL; field++) {
        at = strchr(at, ' ');
        at = at == NULL ? NULL : at + 1;
    }
    for (; at != NULL && *at >= '0' && *at <= '9' && count < 100000; at++)
        count = count * 10 + (unsigned)(*at - '0');
    return count == 0 ? 1 : count;
}

uint32_t local_threads_max(uint32_t asked)
{
    uint32_t online = threads_online();
    if (asked > 0)
        return asked < LOCAL_THREADS_ASKED_MAX ? asked : LOCAL_THREADS_ASKED_MAX;
    return online < LOCAL_THREADS_MAX ? online : LOCAL_THREADS_MAX;
}

uint32_t local_threads_now(uint32_t max)
{
    uint32_t online = threads_online(), others = threads_runnable() - 1;
    uint32_t left = online > others ? online - others : 1;
    return left < max ? left : max;
}

#endif

/* runaway.c - looks for a run at the end of a window over the text.
 *
 * Owns: the window. Leaves to others: where the text comes from. Invariant: linear in the text; a
 * look costs a few comparisons unless there is a run.
 */
#include "base/features.h"

#include "model/runaway.h"

static bool is_blank(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char byte = text.ptr[i];
        if (byte != ' ' && byte != '\n' && byte != '\t' && byte != '\r')
            return false;
    }
    return true;
}

static struct str last_bytes(struct str text, size_t count)
{
    return (struct str){ text.ptr + (text.len - count), count };
}

bool model_runaway_is_end_of(struct str text)
{
    if (text.len >= MODEL_RUNAWAY_BLANKS && is_blank(last_bytes(text, MODEL_RUNAWAY_BLANKS)))
        return true;
    if (text.len < MODEL_RUNAWAY_BYTES)
        return false;
    struct str tail = last_bytes(text, MODEL_RUNAWAY_BYTES);
    for (size_t period = 1; period <= MODEL_RUNAWAY_PERIOD_MAX; period++) {
        if (memcmp(tail.ptr, tail.ptr + period, tail.len - period) == 0)
            return true;
    }
    return false;
}

void model_runaway_init(struct model_runaway *runaway)
{
    runaway->filled = 0;
    runaway->unseen = 0;
    runaway->is_certain = false;
}

bool model_runaway_feed(struct model_runaway *runaway, struct str chunk)
{
    while (chunk.len > 0 && !runaway->is_certain) {
        size_t count = MODEL_RUNAWAY_STEP - runaway->unseen;
        if (count > chunk.len)
            count = chunk.len;
        if (runaway->filled + count > sizeof(runaway->window)) {
            size_t gone = runaway->filled + count - sizeof(runaway->window);
            memmove(runaway->window, runaway->window + gone, runaway->filled - gone);
            runaway->filled -= gone;
        }
        memcpy(runaway->window + runaway->filled, chunk.ptr, count);
        runaway->filled += count;
        runaway->unseen += count;
        chunk.ptr += count;
        chunk.len -= count;
        if (runaway->unseen < MODEL_RUNAWAY_STEP)
            continue;
        runaway->unseen = 0;
        runaway->is_certain =
            model_runaway_is_end_of((struct str){ runaway->window, runaway->filled });
    }
    return runaway->is_certain;
}

/* control.c - may the operation go on? */
#include "base/features.h"

#include "base/control.h"

#include <stddef.h>

enum status control_check(const struct control *control)
{
    if (control->cancel != NULL &&
        atomic_load_explicit(&control->cancel->requested, memory_order_relaxed))
        return STATUS_CANCELLED;
    if (control->deadline_ms != INT64_MAX &&
        control->clock->now_ms(control->clock->state) >= control->deadline_ms)
        return STATUS_DEADLINE;
    return STATUS_OK;
}

/* ground_values.c - the numbers, dates and addresses that the prompt contains. */
#include "base/features.h"

#include "decode/ground_index.h"

enum status ground_collect(struct ground *ground)
{
    (void)ground;
    return STATUS_OK;
}

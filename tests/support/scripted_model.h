/* scripted_model.h - a model that answers from a script, on a clock of its own.
 *
 * Owns: virtual time, which only passes while the model "writes", and what it was asked.
 * Cancellation and the deadline are obeyed within one step, as the seam demands.
 */
#ifndef STRUCTURE_SCRIPTED_MODEL_H
#define STRUCTURE_SCRIPTED_MODEL_H

#include "model/model.h"

enum { SCRIPTED_STEP_MS = 10, SCRIPTED_MESSAGES_MAX = 32 };

/* One answer. */
struct scripted_reply {
    const char *text; /* NUL-terminated; NULL: bytes counts */
    struct str bytes;
    enum model_finish finish;
    enum status failure; /* not OK: the model fails so, after delay_ms */
    int64_t delay_ms;
    struct model_usage usage;
    enum model_channel channel;
    const struct projection *projection; /* borrowed */
    bool was_strict;
    const char *served_model; /* may be NULL, as the ones below */
    const char *request_id;
    const char *note;
};

struct scripted_model {
    struct model model;
    struct model_info info;
    const struct scripted_reply *replies;
    uint32_t reply_count;

    struct clock clock;
    int64_t now_ms;
    struct cancel cancel;
    int64_t cancel_at_ms; /* INT64_MAX: never */

    /* What happened. */
    uint32_t calls;
    struct model_usage usage_sum;
    int64_t deadline_last_ms; /* that the last call was given */
    void (*observe)(void *state, const struct model_request *request);
    void *observe_state;
};

/* model->model is ready; do not move it. Beyond the script the model fails with STATUS_INTERNAL. */
void scripted_model_init(struct scripted_model *model, const struct scripted_reply *replies,
                         uint32_t count);

/* The control of a call with that deadline (INT64_MAX: none). */
struct control scripted_control(struct scripted_model *model, int64_t deadline_ms);

#endif

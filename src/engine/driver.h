/* driver.h - the blocking driver: runs an engine call against a model until it ends. For the CLI
 * and the C API. */
#ifndef STRUCTURE_ENGINE_DRIVER_H
#define STRUCTURE_ENGINE_DRIVER_H

#include "engine/engine.h"

struct engine_driver {
    const struct model *model;
    const struct control *control; /* clock, deadline of the whole call, cancellation */
    int64_t model_timeout_ms;      /* per model call; 0: none */
    const struct model_sink *sink; /* progress; may be NULL */
    /* Called when an iteration begins (1-based) and when a reply was refused; may be NULL. */
    void (*iteration)(void *state, uint32_t iteration, uint32_t loops_max);
    void (*refused)(void *state, uint32_t iteration, const struct schema_violations *violations);
    void *state;
};

/* Runs call to its end. STATUS_OK: engine_call_result; otherwise *error (a copy of
 * engine_call_error). */
enum status engine_drive(struct engine_call *call, const struct engine_driver *driver,
                         struct error *error);

#endif

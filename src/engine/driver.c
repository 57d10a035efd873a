/* driver.c - the blocking driver: one thread, one call, one model.
 *
 * Owns: time and stopping around each model call. Leaves to others: the loop (engine.c), retries of
 * transport. Invariant: no model call begins after the call was cancelled or its deadline has
 * passed.
 */
#include "base/features.h"

#include "engine/driver.h"

#include "base/limits.h"
#include "engine/call.h"

/* The control of one model call: whatever ends first. */
static struct control control_of_model_call(const struct engine_driver *driver)
{
    struct control control = *driver->control;
    if (driver->model_timeout_ms <= 0)
        return control;
    int64_t now_ms = control.clock->now_ms(control.clock->state);
    if (now_ms < INT64_MAX - driver->model_timeout_ms &&
        now_ms + driver->model_timeout_ms < control.deadline_ms)
        control.deadline_ms = now_ms + driver->model_timeout_ms;
    return control;
}

/* A failure by the clock says which clock: the limit of one model call, or the deadline of the
 * whole. */
static void name_the_clock(const struct engine_driver *driver, struct error *error)
{
    if (error->status != STATUS_DEADLINE || driver->model_timeout_ms <= 0 ||
        control_check(driver->control) != STATUS_OK)
        return;
    error_clear(error);
    error_set(error, STATUS_DEADLINE, "the model did not answer within %lld ms",
              (long long)driver->model_timeout_ms);
    error_hint(error, "raise the limit of one model call with --timeout");
}

static void drive_model_call(struct engine_call *call, const struct engine_driver *driver,
                             const struct model_request *request, const struct alloc *alloc)
{
    struct control control = control_of_model_call(driver);
    struct model_reply reply = { .finish = MODEL_FINISH_UNKNOWN };
    struct error error = { 0 };
    error_clear(&error);
    buffer_init(&reply.text, alloc, LIMIT_REPLY_BYTES);
    enum status status =
        model_generate(driver->model, request, driver->sink, &control, &reply, &error);
    if (status == STATUS_OK) {
        engine_call_on_reply(call, &reply);
    } else {
        if (error.status == STATUS_OK)
            error_set(&error, status, "the model failed (%s)", status_name(status));
        name_the_clock(driver, &error);
        engine_call_on_failure(call, &error, &reply.usage);
    }
    buffer_release(&reply.text);
}

/* The reply was refused: another iteration follows, or the call ended for that reason. */
static bool was_refused(struct engine_call *call)
{
    struct engine_action action = engine_call_next(call);
    switch (action.kind) {
    case ENGINE_ACTION_GENERATE: return true;
    case ENGINE_ACTION_DONE: return engine_call_result(call)->status == ENGINE_STALE;
    case ENGINE_ACTION_FAILED: return engine_call_error(call)->status == STATUS_SCHEMA_VIOLATION;
    }
    return false;
}

enum status engine_drive(struct engine_call *call, const struct engine_driver *driver,
                         struct error *error)
{
    for (;;) {
        uint32_t iteration = call->result.iterations + 1; /* a reply that was cut takes none */
        struct engine_action action = engine_call_next(call);
        if (action.kind != ENGINE_ACTION_GENERATE)
            break;
        enum status status = control_check(driver->control);
        if (status != STATUS_OK) {
            engine_call_on_stop(call, status);
            break;
        }
        if (driver->iteration != NULL)
            driver->iteration(driver->state, iteration, call->loops_max);
        drive_model_call(call, driver, &action.request, call->alloc);
        if (driver->refused != NULL && call->result.iterations == iteration && was_refused(call))
            driver->refused(driver->state, iteration, engine_call_violations(call));
    }
    const struct error *failure = engine_call_error(call);
    if (failure == NULL)
        return STATUS_OK;
    if (error != NULL)
        *error = *failure;
    return failure->status;
}

/* call.c - structure_extract: one blocking call, and what is kept of its result.
 *
 * Leaves to others: the call itself (engine). Invariant: a result borrows nothing from the call,
 * the request or the model.
 */
#include "base/features.h"

#include "api/api_extract.h"
#include "base/limits.h"
#include "engine/driver.h"

enum { CALL_TEXT_BYTES_MAX = 64 * 1024 * 1024 };

structure_cancel *structure_cancel_new(void)
{
    structure_cancel *cancel = alloc_get(alloc_default(), sizeof(*cancel));
    if (cancel != NULL)
        atomic_init(&cancel->cancel.requested, false);
    return cancel;
}

void structure_cancel_free(structure_cancel *cancel)
{
    alloc_free(alloc_default(), cancel, sizeof(*cancel));
}

void structure_cancel_request(structure_cancel *cancel)
{
    atomic_store(&cancel->cancel.requested, true);
}

void structure_cancel_reset(structure_cancel *cancel)
{
    atomic_store(&cancel->cancel.requested, false);
}

static void call_on_text(void *state, struct str piece)
{
    const structure_request *request = state;
    request->progress(request->progress_state, piece.ptr, piece.len);
}

static enum status call_drive(structure_model *model, const structure_request *request,
                              const structure_cancel *cancel, struct engine_call *call,
                              struct error *error)
{
    const struct clock *clock = clock_system();
    struct control control = { clock, INT64_MAX, cancel == NULL ? NULL : &cancel->cancel };
    /* The sink's state is not const; call_on_text only reads. */
    structure_request copy = *request;
    struct model_sink sink = { NULL, call_on_text, &copy };
    int64_t default_ms = model->is_provider ? LIMIT_MODEL_CALL_MS : LIMIT_LOCAL_CALL_MS;
    struct engine_driver driver = {
        .model = &model->model,
        .control = &control,
        .model_timeout_ms = request->model_timeout_ms < 0 ? default_ms : request->model_timeout_ms,
        .sink = request->progress == NULL ? NULL : &sink,
    };
    if (request->deadline_ms > 0)
        control.deadline_ms = clock->now_ms(clock->state) + request->deadline_ms;
    return engine_drive(call, &driver, error);
}

static enum structure_status call_status(enum engine_status status)
{
    switch (status) {
    case ENGINE_OK: return STRUCTURE_STATUS_OK;
    case ENGINE_NEED_MORE_INPUT: return STRUCTURE_STATUS_NEED_MORE_INPUT;
    case ENGINE_STALE: return STRUCTURE_STATUS_STALE;
    }
    return STRUCTURE_STATUS_STALE;
}

static enum status call_keep(const struct engine_result *from, const struct alloc *alloc,
                             structure_result **out_result)
{
    structure_result *result = alloc_get(alloc, sizeof(*result));
    if (result == NULL)
        return STATUS_NO_MEMORY;
    *result = (structure_result){ .alloc = *alloc,
                                  .status = call_status(from->status),
                                  .iterations = from->iterations,
                                  .model_calls = from->usage.model_calls,
                                  .usage = from->usage.tokens };
    buffer_init(&result->data, &result->alloc, CALL_TEXT_BYTES_MAX);
    buffer_init(&result->need, &result->alloc, CALL_TEXT_BYTES_MAX);
    buffer_init(&result->json, &result->alloc, CALL_TEXT_BYTES_MAX);
    enum status status = STATUS_OK;
    if (from->status == ENGINE_OK)
        engine_write_data(from, 0, &result->data);
    else if (from->status == ENGINE_NEED_MORE_INPUT)
        buffer_append_str(&result->need, from->need);
    else
        status = api_report_new(false, &from->violations, &result->alloc, &result->report);
    engine_write_result(from, 0, &result->json);
    if (buffer_status(&result->data) != STATUS_OK || buffer_status(&result->need) != STATUS_OK ||
        buffer_status(&result->json) != STATUS_OK)
        status = STATUS_NO_MEMORY;
    if (status != STATUS_OK) {
        structure_result_free(result);
        return status;
    }
    *out_result = result;
    return STATUS_OK;
}

/* The turns of the caller as the engine takes them; NULL also when there are none. */
static struct model_message *call_turns(const structure_request *request, const struct alloc *alloc)
{
    uint32_t count = request->turn_count;
    struct model_message *turns = count == 0 ? NULL : alloc_get(alloc, count * sizeof(*turns));
    for (uint32_t i = 0; turns != NULL && i < count; i++) {
        const struct api_turn *turn = &request->turns[i];
        struct str text = { request->turn_texts.ptr + turn->begin, turn->len };
        turns[i] = (struct model_message){ turn->role, MODEL_PURPOSE_TEXT, text };
    }
    return turns;
}

enum structure_kind api_call(structure_model *model, const structure_request *request,
                             enum engine_policy policy, const structure_cancel *cancel,
                             structure_result **out_result, structure_error **out_error)
{
    struct error error = { 0 };
    struct engine_call *call = NULL;
    struct engine_request asked = request->request;
    struct alloc alloc = request->alloc;
    struct model_message *turns = call_turns(request, &alloc);
    if (turns == NULL && request->turn_count > 0)
        return api_fail(STATUS_NO_MEMORY, &error, out_error);
    asked.policy = policy;
    asked.prompt = buffer_view(&request->prompt);
    asked.instructions = buffer_view(&request->instructions);
    asked.turns = turns;
    asked.turn_count = request->turn_count;
    enum status status =
        engine_call_new(&asked, &model->info, ++model->call_count, &request->alloc, &call, &error);
    if (status == STATUS_OK)
        status = call_drive(model, request, cancel, call, &error);
    if (status == STATUS_OK)
        status = call_keep(engine_call_result(call), &request->alloc, out_result);
    engine_call_free(call);
    alloc_free(&alloc, turns, request->turn_count * sizeof(*turns));
    return status == STATUS_OK ? STRUCTURE_OK : api_fail(status, &error, out_error);
}

enum structure_kind structure_extract(structure_model *model, const structure_request *request,
                                      const structure_cancel *cancel, structure_result **out_result,
                                      structure_error **out_error)
{
    return api_call(model, request, request->request.policy, cancel, out_result, out_error);
}

void structure_result_free(structure_result *result)
{
    if (result == NULL)
        return;
    struct alloc alloc = result->alloc;
    structure_report_free(result->report);
    buffer_release(&result->data);
    buffer_release(&result->need);
    buffer_release(&result->json);
    alloc_free(&alloc, result, sizeof(*result));
}

enum structure_status structure_result_status(const structure_result *result)
{
    return result->status;
}

/* The bytes of a text of the result, or NULL. */
static const char *result_text(const struct buffer *text, size_t *out_len)
{
    if (text->ptr != NULL && out_len != NULL)
        *out_len = text->len;
    return text->ptr;
}

const char *structure_result_data(const structure_result *result, size_t *out_len)
{
    return result_text(&result->data, out_len);
}

const char *structure_result_need(const structure_result *result)
{
    if (result->status != STRUCTURE_STATUS_NEED_MORE_INPUT)
        return NULL;
    return result->need.ptr == NULL ? "" : result->need.ptr;
}

const structure_report *structure_result_report(const structure_result *result)
{
    return result->report;
}

const char *structure_result_json(const structure_result *result, size_t *out_len)
{
    return result_text(&result->json, out_len);
}

uint32_t structure_result_iterations(const structure_result *result)
{
    return result->iterations;
}

uint32_t structure_result_model_calls(const structure_result *result)
{
    return result->model_calls;
}

uint64_t structure_result_input_tokens(const structure_result *result)
{
    return result->usage.input_tokens;
}

uint64_t structure_result_output_tokens(const structure_result *result)
{
    return result->usage.output_tokens;
}

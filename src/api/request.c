/* request.c - requests: what a call is asked for, kept until it begins.
 *
 * Leaves to others: judging the values (the engine does when a call begins).
 */
#include "base/features.h"

#include "api/api_extract.h"
#include "base/limits.h"

structure_request *structure_request_new(const structure_schema *schema,
                                         const struct structure_allocator *allocator)
{
    struct alloc alloc = api_alloc(allocator);
    structure_request *request = alloc_get(&alloc, sizeof(*request));
    if (request == NULL)
        return NULL;
    *request = (structure_request){
        .alloc = alloc,
        .request = { .program = schema->program,
                     .schema_origin = STR("inline"),
                     .policy = ENGINE_POLICY_LOOP,
                     .loops_max = LIMIT_LOOPS_DEFAULT,
                     .tokens_max = LIMIT_TOKENS_DEFAULT,
                     .grounded = MODEL_GROUNDED_AUTO,
                     .temperature = -1,
                     .require_strict = true },
        .model_timeout_ms = -1,
    };
    /* A byte beyond the limit, so that the engine can refuse with its own words. */
    buffer_init(&request->prompt, &request->alloc, LIMIT_PROMPT_BYTES + 1);
    buffer_init(&request->instructions, &request->alloc, LIMIT_PROMPT_BYTES + 1);
    buffer_init(&request->turn_texts, &request->alloc, LIMIT_PROMPT_BYTES + 1);
    return request;
}

void structure_request_free(structure_request *request)
{
    if (request == NULL)
        return;
    struct alloc alloc = request->alloc;
    buffer_release(&request->prompt);
    buffer_release(&request->instructions);
    buffer_release(&request->turn_texts);
    alloc_free(&alloc, request->turns, request->turn_capacity * sizeof(*request->turns));
    alloc_free(&alloc, request, sizeof(*request));
}

static enum structure_kind request_set_text(struct buffer *kept, const struct alloc *alloc,
                                            struct str text)
{
    struct buffer copy;
    buffer_init(&copy, alloc, LIMIT_PROMPT_BYTES + 1);
    if (text.len > LIMIT_PROMPT_BYTES)
        text.len = LIMIT_PROMPT_BYTES + 1;
    buffer_append_str(&copy, text);
    if (buffer_status(&copy) != STATUS_OK) {
        buffer_release(&copy);
        return STRUCTURE_INTERNAL;
    }
    buffer_release(kept);
    *kept = copy;
    return STRUCTURE_OK;
}

enum structure_kind structure_request_set_prompt(structure_request *request, const char *text,
                                                 size_t len)
{
    return request_set_text(&request->prompt, &request->alloc, api_text(text, len));
}

enum structure_kind structure_request_set_instructions(structure_request *request, const char *text,
                                                       size_t len)
{
    return request_set_text(&request->instructions, &request->alloc, api_text(text, len));
}

void structure_request_set_loops_max(structure_request *request, uint32_t loops)
{
    /* 0 means the default to the engine and is out of range to the caller. */
    request->request.loops_max = loops == 0 ? UINT32_MAX : loops;
}

void structure_request_set_tokens_max(structure_request *request, uint32_t tokens)
{
    request->request.tokens_max = tokens;
}

void structure_request_set_model_timeout_ms(structure_request *request, int64_t timeout_ms)
{
    request->model_timeout_ms = timeout_ms;
}

void structure_request_set_deadline_ms(structure_request *request, int64_t deadline_ms)
{
    request->deadline_ms = deadline_ms;
}

void structure_request_set_temperature(structure_request *request, double temperature)
{
    request->request.temperature = temperature;
}

void structure_request_set_seed(structure_request *request, uint64_t seed)
{
    request->request.has_seed = true;
    request->request.seed = seed;
}

void structure_request_set_grounded(structure_request *request, enum structure_grounded grounded)
{
    switch (grounded) {
    case STRUCTURE_GROUNDED_AUTO: request->request.grounded = MODEL_GROUNDED_AUTO; break;
    case STRUCTURE_GROUNDED_ON: request->request.grounded = MODEL_GROUNDED_ON; break;
    case STRUCTURE_GROUNDED_OFF: request->request.grounded = MODEL_GROUNDED_OFF; break;
    }
}

void structure_request_set_once(structure_request *request, int once)
{
    request->request.policy = once != 0 ? ENGINE_POLICY_ONCE : ENGINE_POLICY_LOOP;
}

void structure_request_set_strict(structure_request *request, int strict)
{
    request->request.require_strict = strict != 0;
}

void structure_request_set_progress(structure_request *request,
                                    void (*progress)(void *state, const char *piece, size_t len),
                                    void *state)
{
    request->progress = progress;
    request->progress_state = state;
}

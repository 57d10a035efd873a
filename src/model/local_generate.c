/* local_generate.c - one reply of a model in this process: its prompt, its language, its budget.
 *
 * What can be refused is refused before anything is evaluated.
 */
#include "base/features.h"

#include "model/local_llama.h"

#if STRUCTURE_HAVE_LLAMA

#include "base/limits.h"
#include "model/extract.h"
#include "model/writer.h"

static bool generate_is_grounded(const struct local *local, const struct model_request *request)
{
    switch (request->grounded) {
    case MODEL_GROUNDED_ON: return true;
    case MODEL_GROUNDED_OFF: return false;
    case MODEL_GROUNDED_AUTO: break;
    }
    return local->info.parameter_count < LOCAL_SMALL_PARAMETERS;
}

static enum status generate_guide(struct local *local, const struct model_request *request,
                                  uint32_t tokens_max, bool grounded, struct model_guide *guide,
                                  struct error *error)
{
    struct model_guide_options options = { .program = request->program,
                                           .need_name = request->need_name,
                                           .source_text = request->source_text,
                                           .grounded = grounded,
                                           .tokens_max = tokens_max };
    return model_guide_init(guide, &options, &local->vocabulary, local_tokeniser(local),
                            local->alloc, error);
}

static enum status generate_evaluate(void *state, const int32_t *tokens, size_t count,
                                     const float **out_scores, struct error *error)
{
    struct local *local = state;
    enum status status = STATUS_OK;
    if (count > 0)
        status = local_context_extend(local, tokens, count, error);
    if (status != STATUS_OK)
        return status;
    *out_scores = local_context_scores(local);
    if (*out_scores == NULL)
        return error_set(error, STATUS_INTERNAL, "the local model gave no scores");
    local->steps++;
    return STATUS_OK;
}

/* Makes room and evaluates the prompt. */
static enum status generate_read(struct local *local, const struct model_request *request,
                                 const struct model_sink *sink, uint32_t tokens_max,
                                 struct model_reply *reply, struct error *error)
{
    if (!model_sampler_begin(&local->sampler, request->temperature,
                             request->has_seed ? request->seed : 0))
        return error_set(error, STATUS_NO_MEMORY, "no memory for sampling");
    enum status status =
        local_context_reserve(local, (uint32_t)local->prompt.count + tokens_max, error);
    if (status == STATUS_OK)
        status = local_context_read(local, request->call_id, sink,
                                    &reply->usage.cached_input_tokens, error);
    return status;
}

static enum status generate_write(struct local *local, const struct model_request *request,
                                  const struct model_sink *sink, struct model_guide *guide,
                                  uint32_t tokens_max, struct model_reply *reply,
                                  struct error *error)
{
    struct model_writer writer = { .vocabulary = &local->vocabulary,
                                   .sampler = &local->sampler,
                                   .guide = guide,
                                   .tokens_max = tokens_max,
                                   .sink = sink,
                                   .tokens = &local->output,
                                   .evaluate = generate_evaluate,
                                   .state = local };
    enum status status = generate_read(local, request, sink, tokens_max, reply, error);
    return status == STATUS_OK ? model_writer_run(&writer, reply, error) : status;
}

/* Leaf by leaf from the prompt; what that cannot write is left to generate_write. */
static enum status generate_extract(struct local *local, const struct model_request *request,
                                    const struct model_sink *sink, uint32_t tokens_max,
                                    struct model_reply *reply, enum model_extracted *out_extracted,
                                    struct error *error)
{
    struct model_guide guide;
    struct local_scorer state;
    struct model_scorer scorer;
    enum status status = generate_guide(local, request, tokens_max, false, &guide, error);
    if (status != STATUS_OK)
        return status;
    status = generate_read(local, request, sink, tokens_max, reply, error);
    if (status == STATUS_OK)
        status = local_scorer_init(&state, local, &scorer, error);
    if (status == STATUS_OK) {
        struct model_extraction extraction = { .scorer = &scorer,
                                               .guide = &guide,
                                               .request = request,
                                               .sampler = &local->sampler,
                                               .sink = sink,
                                               .alloc = local->alloc };
        status = model_extract(&extraction, reply, out_extracted, error);
        local_scorer_release(&state);
    }
    model_guide_release(&guide);
    return status;
}

static enum status generate_run(struct local *local, const struct model_request *request,
                                const struct model_sink *sink, struct model_reply *reply,
                                struct error *error)
{
    struct model_guide guide;
    bool guided = request->program != NULL;
    bool grounded = guided && generate_is_grounded(local, request);
    enum model_extracted extracted = MODEL_EXTRACTED_PART;
    enum status status = local_prompt(local, request, error);
    if (status != STATUS_OK)
        return status;
    uint32_t room = local->info.context_tokens - (uint32_t)local->prompt.count;
    uint32_t tokens_max = request->tokens_max == 0 ? LIMIT_TOKENS_DEFAULT : request->tokens_max;
    if (tokens_max > room)
        tokens_max = room;
    reply->usage.input_tokens = local->prompt.count;
    if (grounded)
        status = generate_extract(local, request, sink, tokens_max, reply, &extracted, error);
    if (status != STATUS_OK || extracted == MODEL_EXTRACTED_WHOLE)
        return status;
    if (guided)
        status = generate_guide(local, request, tokens_max, grounded, &guide, error);
    if (status != STATUS_OK)
        return status;
    status = generate_write(local, request, sink, guided ? &guide : NULL, tokens_max, reply, error);
    if (guided)
        model_guide_release(&guide);
    return status;
}

enum status local_generate(void *state, const struct model_request *request,
                           const struct model_sink *sink, const struct control *control,
                           struct model_reply *reply, struct error *error)
{
    struct local *local = state;
    reply->finish = MODEL_FINISH_UNKNOWN;
    reply->usage = (struct model_usage){ .requests = 1 };
    local->control = control;
    local->stopped = STATUS_OK;
    local->polls = 0;
    enum status status = generate_run(local, request, sink, reply, error);
    local->control = NULL;
    local->stopped = STATUS_OK;
    return status;
}

#endif

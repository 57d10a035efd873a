/* local_generate.c - one reply: read the conversation, then token by token until the value is
 * whole.
 *
 * Leaves to others: which tokens may come (guide), which is chosen (sampler), evaluation
 * (local_context). Without a target schema any text may come, until the model ends it or the tokens
 * are used up.
 */
#include "base/features.h"

#include "model/local_llama.h"

#if STRUCTURE_HAVE_LLAMA

#include "base/limits.h"
#include "base/utf8.h"

/* Models below this many parameters are grounded and prompted as tiny unless asked otherwise. */
#define LOCAL_SMALL_PARAMETERS 1000000000ull

struct generation {
    struct local *local;
    const struct model_request *request;
    const struct model_sink *sink;
    struct model_reply *reply;
    struct error *error;
    struct model_guide guide;
    bool guided;
    uint32_t tokens_left; /* when not guided */
    size_t text_shown;    /* handed to the sink, up to here */
};

static bool admits_any_token(void *state, uint32_t token)
{
    (void)state;
    (void)token;
    return true;
}

static bool admits_any_byte(void *state, unsigned char byte)
{
    (void)state;
    (void)byte;
    return true;
}

static struct model_admission generation_admission(struct generation *generation)
{
    if (generation->guided)
        return model_guide_admission(&generation->guide);
    return (struct model_admission){ admits_any_token, admits_any_byte, NULL };
}

/* Shows whole characters only; the rest waits for the token that completes them. */
static void generation_show(struct generation *generation)
{
    const struct model_sink *sink = generation->sink;
    struct str text = buffer_view(&generation->reply->text);
    size_t incomplete;
    if (sink == NULL || sink->text == NULL)
        return;
    struct str rest = str_of(text.ptr + generation->text_shown, text.len - generation->text_shown);
    (void)utf8_valid_prefix(rest, &incomplete);
    if (incomplete == 0)
        return;
    generation->text_shown += incomplete;
    sink->text(sink->state, str_of(rest.ptr, incomplete));
}

static enum status generation_text_status(const struct generation *generation)
{
    if (buffer_status(&generation->reply->text) == STATUS_REJECTED)
        return error_set(generation->error, STATUS_REJECTED, "the reply is longer than %zu bytes",
                         generation->reply->text.max);
    return error_set(generation->error, STATUS_NO_MEMORY, "no memory for the reply");
}

static bool generation_is_grounded(const struct generation *generation)
{
    switch (generation->request->grounded) {
    case MODEL_GROUNDED_ON: return true;
    case MODEL_GROUNDED_OFF: return false;
    case MODEL_GROUNDED_AUTO: break;
    }
    return generation->local->info.parameter_count < LOCAL_SMALL_PARAMETERS;
}

/* Tokens of the prompt, of the reply, the room for both, and the guide. */
static enum status generation_begin(struct generation *generation)
{
    struct local *local = generation->local;
    const struct model_request *request = generation->request;
    enum status status = local_prompt(local, request, generation->error);
    if (status != STATUS_OK)
        return status;
    uint32_t used = (uint32_t)local->prompt.count;
    uint32_t left = local->info.context_tokens - used;
    uint32_t wanted = request->tokens_max == 0 ? LIMIT_TOKENS_DEFAULT : request->tokens_max;
    if (left > wanted)
        left = wanted;
    generation->tokens_left = left;
    if (request->program != NULL) {
        struct model_guide_options options = { .program = request->program,
                                               .need_name = request->need_name,
                                               .source_text = request->source_text,
                                               .grounded = generation_is_grounded(generation),
                                               .tokens_max = left };
        status = model_guide_init(&generation->guide, &options, &local->vocabulary,
                                  local_tokeniser(local), local->alloc, generation->error);
        if (status != STATUS_OK)
            return status;
        generation->guided = true;
    }
    if (!model_sampler_begin(&local->sampler, request->temperature,
                             request->has_seed ? request->seed : 0))
        return error_set(generation->error, STATUS_NO_MEMORY, "no memory for sampling");
    return local_context_reserve(local, used + left, generation->error);
}

/* Takes the text that must come; *out_done: with it the value is whole. */
static enum status generation_force(struct generation *generation, bool *out_done)
{
    struct local *local = generation->local;
    size_t count = local->output.count;
    if (!generation->guided)
        return STATUS_OK;
    if (!model_guide_take_forced(&generation->guide, &generation->reply->text, &local->output))
        return generation_text_status(generation);
    generation->reply->usage.output_tokens += local->output.count - count;
    *out_done = model_guide_is_final(&generation->guide);
    return STATUS_OK;
}

static enum status generation_close(struct generation *generation)
{
    struct local *local = generation->local;
    model_tokens_truncate(&local->output, 0);
    if (!model_guide_close(&generation->guide, &generation->reply->text, &local->output))
        return generation_text_status(generation);
    generation->reply->usage.output_tokens += local->output.count;
    return STATUS_OK;
}

/* Chooses one token and what must follow it; they are then in local->output. */
static enum status generation_step(struct generation *generation, bool *out_done)
{
    struct local *local = generation->local;
    struct model_reply *reply = generation->reply;
    struct model_admission admission = generation_admission(generation);
    const float *scores = local_context_scores(local);
    uint32_t token;
    model_tokens_truncate(&local->output, 0);
    if (scores == NULL)
        return error_set(generation->error, STATUS_INTERNAL, "the local model gave no scores");
    if (!generation->guided && generation->tokens_left == 0) {
        reply->finish = MODEL_FINISH_LENGTH;
        *out_done = true;
        return STATUS_OK;
    }
    bool chosen = model_sampler_choose(&local->sampler, scores, &admission, &token);
    if (!chosen || model_vocabulary_kind(&local->vocabulary, token) == MODEL_TOKEN_END) {
        *out_done = true;
        return chosen || !generation->guided ? STATUS_OK : generation_close(generation);
    }
    buffer_append_str(&reply->text, model_vocabulary_text(&local->vocabulary, token));
    if (buffer_status(&reply->text) != STATUS_OK)
        return generation_text_status(generation);
    if (!model_tokens_append(&local->output, (int32_t)token))
        return error_set(generation->error, STATUS_NO_MEMORY, "no memory for the reply");
    reply->usage.output_tokens++;
    if (!generation->guided) {
        generation->tokens_left--;
        return STATUS_OK;
    }
    model_guide_take(&generation->guide, token);
    *out_done = model_guide_is_final(&generation->guide);
    return *out_done ? STATUS_OK : generation_force(generation, out_done);
}

static enum status generation_run(struct generation *generation)
{
    struct local *local = generation->local;
    struct model_reply *reply = generation->reply;
    bool done = false;
    enum status status = generation_begin(generation);
    if (status != STATUS_OK)
        return status;
    reply->usage.input_tokens = local->prompt.count;
    status = local_context_read(local, generation->request->call_id, generation->sink,
                                &reply->usage.cached_input_tokens, generation->error);
    model_tokens_truncate(&local->output, 0);
    if (status == STATUS_OK)
        status = generation_force(generation, &done);
    while (status == STATUS_OK && !done) {
        generation_show(generation);
        if (local->output.count > 0)
            status = local_context_extend(local, local->output.items, local->output.count,
                                          generation->error);
        if (status == STATUS_OK)
            status = generation_step(generation, &done);
    }
    if (status == STATUS_OK)
        generation_show(generation);
    return status;
}

enum status local_generate(void *state, const struct model_request *request,
                           const struct model_sink *sink, const struct control *control,
                           struct model_reply *reply, struct error *error)
{
    struct local *local = state;
    struct generation generation = { .local = local,
                                     .request = request,
                                     .sink = sink,
                                     .reply = reply,
                                     .error = error,
                                     .text_shown = reply->text.len };
    reply->finish = MODEL_FINISH_STOP;
    reply->usage = (struct model_usage){ 0, 0, 0 };
    local->control = control;
    local->stopped = STATUS_OK;
    local->polls = 0;
    enum status status = generation_run(&generation);
    local->control = NULL;
    local->stopped = STATUS_OK;
    model_guide_release(&generation.guide);
    return status;
}

#endif

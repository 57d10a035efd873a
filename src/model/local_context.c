/* local_context.c - evaluation: the context of libllama, its KV cache, and stopping in the middle.
 *
 * Owns: what the cache holds (local->kept) in step with libllama. A prompt is read in batches that
 * begin at multiples of LOCAL_BATCH whatever was cached, because the size of a batch shows in the
 * last bits of the scores: the same call gives the same answer, first or later. Only the turns of
 * the same call are reused as written.
 */
#include "base/features.h"

#include "model/local_llama.h"

#if STRUCTURE_HAVE_LLAMA

enum {
    CONTEXT_POLLS = 16, /* callbacks (one a graph node) between two looks at the clock */
    CONTEXT_LOOKS = 8   /* batches between two looks at the load of the machine */
};

static bool context_abort(void *state)
{
    struct local *local = state;
    if (local->control == NULL || local->stopped != STATUS_OK)
        return local->stopped != STATUS_OK;
    if (local->polls++ % CONTEXT_POLLS == 0)
        local->stopped = control_check(local->control);
    return local->stopped != STATUS_OK;
}

void local_context_free(struct local *local)
{
    if (local->context != NULL)
        llama_free(local->context);
    local->context = NULL;
    model_tokens_truncate(&local->kept, 0);
    local->kept_aligned = 0;
}

enum status local_context_reserve(struct local *local, uint32_t tokens, struct error *error)
{
    struct llama_context_params params = llama_context_default_params();
    if (local->context != NULL && llama_n_ctx(local->context) >= tokens + LOCAL_SCORER_CELLS)
        return STATUS_OK;
    local_context_free(local);
    uint64_t room = (uint64_t)tokens + LOCAL_CONTEXT_SLACK + LOCAL_CONTEXT_STEP - 1;
    room -= room % LOCAL_CONTEXT_STEP;
    if (room > local->info.context_tokens)
        room = local->info.context_tokens;
    room += LOCAL_SCORER_CELLS;
    params.n_ctx = (uint32_t)room;
    params.n_seq_max = LOCAL_SEQUENCES;
    params.kv_unified = true;
    params.n_batch = LOCAL_BATCH;
    params.n_ubatch = LOCAL_BATCH;
    params.n_threads = (int32_t)local->threads;
    params.n_threads_batch = (int32_t)local->threads;
    params.no_perf = true;
    /* The fused attention sums in half precision, and in an order that depends on the number of
     * threads; it is not faster on processors. */
    params.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_DISABLED;
    params.abort_callback = context_abort;
    params.abort_callback_data = local;
    local->context = llama_init_from_model(local->llama, params);
    if (local->context == NULL)
        return error_set(error, STATUS_NO_MEMORY,
                         "no memory for a context of %u tokens", (unsigned)room);
    return STATUS_OK;
}

void local_context_forget(struct local *local, size_t count)
{
    llama_memory_t memory = llama_get_memory(local->context);
    if (count < local->kept.count && !llama_memory_seq_rm(memory, 0, (llama_pos)count, -1)) {
        llama_memory_clear(memory, true); /* a kind of memory that cannot go back in part */
        count = 0;
    }
    model_tokens_truncate(&local->kept, count);
    if (local->kept_aligned > count)
        local->kept_aligned = count;
}

static enum status context_stopped(const struct local *local, struct error *error)
{
    return error_set(error, local->stopped,
                     local->stopped == STATUS_CANCELLED ? "the call was cancelled"
                                                        : "the deadline passed");
}

static enum status context_run(struct local *local, struct llama_batch batch, struct error *error)
{
    local->stopped = control_check(local->control);
    if (local->stopped != STATUS_OK)
        return context_stopped(local, error);
    if (local->threads_vary && local->evaluations++ % CONTEXT_LOOKS == 0) {
        int32_t threads = (int32_t)local_threads_now(local->threads);
        llama_set_n_threads(local->context, threads, threads);
    }
    int32_t code = llama_decode(local->context, batch);
    if (code == 0)
        return STATUS_OK;
    if (local->stopped != STATUS_OK)
        return context_stopped(local, error);
    return error_set(error, STATUS_INTERNAL, "the local model failed to evaluate (code %d)",
                     (int)code);
}

enum status local_context_decode(struct local *local, const struct llama_batch *batch,
                                 struct error *error)
{
    return context_run(local, *batch, error);
}

/* Evaluates one batch and remembers it; scores are those after its last token. */
static enum status context_evaluate(struct local *local, const int32_t *tokens, size_t count,
                                    struct error *error)
{
    int32_t copy[LOCAL_BATCH];
    memcpy(copy, tokens, count * sizeof(*tokens));
    if (!model_tokens_reserve(&local->kept, count))
        return error_set(error, STATUS_NO_MEMORY, "no memory for the tokens of the context");
    enum status status =
        context_run(local, llama_batch_get_one(copy, (int32_t)count), error);
    if (status == STATUS_OK) {
        memcpy(local->kept.items + local->kept.count, tokens, count * sizeof(*tokens));
        local->kept.count += count;
        return STATUS_OK;
    }
    /* What an aborted batch left behind is unknown: nothing beyond the batch's beginning is
     * kept. */
    llama_memory_t memory = llama_get_memory(local->context);
    if (!llama_memory_seq_rm(memory, 0, (llama_pos)local->kept.count, -1)) {
        llama_memory_clear(memory, true);
        model_tokens_truncate(&local->kept, 0);
        local->kept_aligned = 0;
    }
    return status;
}

enum status local_context_read(struct local *local, uint64_t call_id, const struct model_sink *sink,
                               uint64_t *out_cached, struct error *error)
{
    const struct model_tokens *prompt = &local->prompt;
    size_t reused = model_tokens_common(&local->kept, prompt);
    bool same_call = call_id == local->kept_call_id;
    if (!same_call && reused > local->kept_aligned)
        reused = local->kept_aligned;
    if (reused == prompt->count)
        reused--;
    if (!same_call || reused <= local->kept_aligned)
        reused -= reused % LOCAL_BATCH;
    local_context_forget(local, reused);
    reused = local->kept.count;
    local->kept_call_id = call_id;
    *out_cached = reused;
    bool aligned = reused <= local->kept_aligned;
    while (local->kept.count < prompt->count) {
        size_t at = local->kept.count, count = LOCAL_BATCH - at % LOCAL_BATCH;
        if (count > prompt->count - at)
            count = prompt->count - at;
        if (sink != NULL && sink->phase != NULL)
            sink->phase(sink->state, "reading", (int)(at * 1000 / prompt->count));
        enum status status = context_evaluate(local, prompt->items + at, count, error);
        if (status != STATUS_OK)
            return status;
        if (aligned && count == LOCAL_BATCH)
            local->kept_aligned = local->kept.count;
    }
    return STATUS_OK;
}

enum status local_context_extend(struct local *local, const int32_t *tokens, size_t count,
                                 struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t at = 0; at < count && status == STATUS_OK; at += LOCAL_BATCH) {
        size_t batch = count - at < LOCAL_BATCH ? count - at : LOCAL_BATCH;
        status = context_evaluate(local, tokens + at, batch, error);
    }
    return status;
}

const float *local_context_scores(struct local *local)
{
    return llama_get_logits_ith(local->context, -1);
}

#endif

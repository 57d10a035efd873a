/* scripted_model.c - see the header. */
#include "base/features.h"

#include "scripted_model.h"

#include <stdio.h>

static int64_t scripted_now_ms(void *state)
{
    struct scripted_model *model = state;
    return model->now_ms;
}

static struct model_info scripted_info(void *state)
{
    struct scripted_model *model = state;
    return model->info;
}

/* Lets time pass in steps; stops early as the control says. */
static enum status scripted_write(struct scripted_model *model, const struct control *control,
                                  int64_t delay_ms)
{
    int64_t end_ms = model->now_ms + delay_ms;
    for (;;) {
        if (model->now_ms >= model->cancel_at_ms)
            atomic_store(&model->cancel.requested, true);
        enum status status = control_check(control);
        if (status != STATUS_OK)
            return status;
        if (model->now_ms >= end_ms)
            return STATUS_OK;
        int64_t step_ms = end_ms - model->now_ms;
        model->now_ms += step_ms < SCRIPTED_STEP_MS ? step_ms : SCRIPTED_STEP_MS;
    }
}

static void scripted_copy(char *to, size_t size, const char *text)
{
    if (text != NULL)
        (void)snprintf(to, size, "%s", text);
}

static enum status scripted_generate(void *state, const struct model_request *request,
                                     const struct model_sink *sink, const struct control *control,
                                     struct model_reply *reply, struct error *error)
{
    struct scripted_model *model = state;
    (void)sink;
    if (model->observe != NULL)
        model->observe(model->observe_state, request);
    model->deadline_last_ms = control->deadline_ms;
    if (model->calls == model->reply_count)
        return error_set(error, STATUS_INTERNAL, "the script is over");
    const struct scripted_reply *next = &model->replies[model->calls++];
    model->usage_sum.input_tokens += next->usage.input_tokens;
    model->usage_sum.output_tokens += next->usage.output_tokens;
    model->usage_sum.cached_input_tokens += next->usage.cached_input_tokens;
    reply->usage = next->usage;
    if (reply->usage.requests == 0)
        reply->usage.requests = 1;
    enum status status = scripted_write(model, control, next->delay_ms);
    if (status != STATUS_OK)
        return error_set(error, status, "the model was stopped");
    if (next->failure != STATUS_OK)
        return error_set(error, next->failure, "the model failed as it was told to");
    buffer_append_str(&reply->text, next->text != NULL ? str_from(next->text) : next->bytes);
    reply->finish = next->finish;
    reply->channel = next->channel;
    reply->projection = next->projection;
    reply->was_strict = next->was_strict;
    scripted_copy(reply->served_model, sizeof(reply->served_model), next->served_model);
    scripted_copy(reply->request_id, sizeof(reply->request_id), next->request_id);
    scripted_copy(reply->notes[0], sizeof(reply->notes[0]), next->note);
    reply->note_count = next->note != NULL;
    return buffer_status(&reply->text) == STATUS_NO_MEMORY
               ? error_set(error, STATUS_NO_MEMORY, "out of memory")
               : STATUS_OK;
}

static void scripted_free(void *state)
{
    (void)state;
}

static const struct model_ops scripted_ops = { "scripted", scripted_info, scripted_generate,
                                               scripted_free };

void scripted_model_init(struct scripted_model *model, const struct scripted_reply *replies,
                         uint32_t count)
{
    *model = (struct scripted_model){ .replies = replies, .reply_count = count };
    model->model = (struct model){ &scripted_ops, model };
    model->info = (struct model_info){ .name = STR("scripted/one"),
                                       .capabilities = MODEL_STRICT_OUTPUT | MODEL_NEED_ALTERNATIVE,
                                       .prompt_style = MODEL_PROMPT_RULES_FIRST };
    model->clock = (struct clock){ scripted_now_ms, model };
    model->cancel_at_ms = INT64_MAX;
    atomic_init(&model->cancel.requested, false);
}

struct control scripted_control(struct scripted_model *model, int64_t deadline_ms)
{
    return (struct control){ &model->clock, deadline_ms, &model->cancel };
}

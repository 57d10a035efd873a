/* writer.c - the loop of choosing, taking and evaluating.
 *
 * Tokens that are certain (forced text) are evaluated together with the token before them; what
 * ends the value is not evaluated at all.
 */
#include "base/features.h"

#include "model/writer.h"

#include "base/utf8.h"

struct writing {
    struct model_writer *writer;
    struct model_reply *reply;
    struct error *error;
    uint32_t tokens_left; /* without a guide */
    size_t text_shown;    /* of reply->text, handed to the sink */
    bool done;
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

static struct model_admission writing_admission(const struct writing *writing)
{
    if (writing->writer->guide != NULL)
        return model_guide_admission(writing->writer->guide);
    return (struct model_admission){ admits_any_token, admits_any_byte, NULL };
}

/* Shows whole characters only; the rest waits for the token that completes them. */
static void writing_show(struct writing *writing)
{
    const struct model_sink *sink = writing->writer->sink;
    struct str text = buffer_view(&writing->reply->text);
    size_t incomplete;
    if (sink == NULL || sink->text == NULL || text.len == writing->text_shown)
        return;
    struct str rest = str_of(text.ptr + writing->text_shown, text.len - writing->text_shown);
    (void)utf8_valid_prefix(rest, &incomplete);
    if (incomplete == 0)
        return;
    writing->text_shown += incomplete;
    sink->text(sink->state, str_of(rest.ptr, incomplete));
}

static enum status writing_failed(const struct writing *writing)
{
    if (buffer_status(&writing->reply->text) == STATUS_REJECTED)
        return error_set(writing->error, STATUS_REJECTED, "the reply is longer than %zu bytes",
                         writing->reply->text.max);
    return error_set(writing->error, STATUS_NO_MEMORY, "no memory for the reply");
}

/* Takes the text that must come. */
static enum status writing_force(struct writing *writing)
{
    struct model_writer *writer = writing->writer;
    size_t count = writer->tokens->count;
    if (writer->guide == NULL)
        return STATUS_OK;
    if (!model_guide_take_forced(writer->guide, &writing->reply->text, writer->tokens))
        return writing_failed(writing);
    writing->reply->usage.output_tokens += writer->tokens->count - count;
    writing->done = model_guide_is_final(writer->guide);
    return STATUS_OK;
}

/* No token is admissible any more: the budget is down to the closing of the value. */
static enum status writing_close(struct writing *writing)
{
    struct model_writer *writer = writing->writer;
    writing->done = true;
    if (writer->guide == NULL)
        return STATUS_OK;
    model_tokens_truncate(writer->tokens, 0);
    if (!model_guide_close(writer->guide, &writing->reply->text, writer->tokens))
        return writing_failed(writing);
    writing->reply->usage.output_tokens += writer->tokens->count;
    return STATUS_OK;
}

static enum status writing_take(struct writing *writing, uint32_t token)
{
    struct model_writer *writer = writing->writer;
    buffer_append_str(&writing->reply->text, model_vocabulary_text(writer->vocabulary, token));
    if (buffer_status(&writing->reply->text) != STATUS_OK ||
        !model_tokens_append(writer->tokens, (int32_t)token))
        return writing_failed(writing);
    writing->reply->usage.output_tokens++;
    if (writer->guide == NULL) {
        writing->tokens_left--;
        return STATUS_OK;
    }
    model_guide_take(writer->guide, token);
    writing->done = model_guide_is_final(writer->guide);
    return writing->done ? STATUS_OK : writing_force(writing);
}

/* One evaluation and the token chosen by it. */
static enum status writing_step(struct writing *writing)
{
    struct model_writer *writer = writing->writer;
    const float *scores;
    uint32_t token;
    if (writer->guide == NULL && writing->tokens_left == 0) {
        writing->reply->finish = MODEL_FINISH_LENGTH;
        writing->done = true;
        return STATUS_OK;
    }
    enum status status = writer->evaluate(writer->state, writer->tokens->items,
                                          writer->tokens->count, &scores, writing->error);
    if (status != STATUS_OK)
        return status;
    model_tokens_truncate(writer->tokens, 0);
    struct model_admission admission = writing_admission(writing);
    if (!model_sampler_choose(writer->sampler, scores, &admission, &token))
        return writing_close(writing);
    if (model_vocabulary_kind(writer->vocabulary, token) == MODEL_TOKEN_END) {
        writing->done = true;
        return STATUS_OK;
    }
    return writing_take(writing, token);
}

enum status model_writer_run(struct model_writer *writer, struct model_reply *reply,
                             struct error *error)
{
    struct writing writing = { .writer = writer,
                               .reply = reply,
                               .error = error,
                               .tokens_left = writer->tokens_max,
                               .text_shown = reply->text.len };
    reply->finish = MODEL_FINISH_STOP;
    model_tokens_truncate(writer->tokens, 0);
    enum status status = writing_force(&writing);
    while (status == STATUS_OK && !writing.done) {
        writing_show(&writing);
        status = writing_step(&writing);
    }
    if (status == STATUS_OK)
        writing_show(&writing);
    return status;
}

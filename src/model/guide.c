/* guide.c - admission of tokens by trial, forced text, and closing within the budget.
 *
 * A token costs at most what its bytes cost, so the length of the closing in bytes bounds its
 * tokens; only when that bound is too rough the closing is written out and counted, for a few
 * candidates a step.
 */
#include "base/features.h"

#include "model/guide.h"

#include "base/limits.h"

enum { GUIDE_COUNTED_MAX = 64 }; /* closings counted in tokens per step, each some microseconds */

static enum status guide_no_memory(struct error *error)
{
    return error_set(error, STATUS_NO_MEMORY, "no memory for constrained decoding");
}

/* Tokens of the shortest closing of state, UINT32_MAX when memory is used up. */
static uint32_t guide_closing_tokens(struct model_guide *guide, const struct decode_state *state)
{
    buffer_clear(&guide->text);
    model_tokens_truncate(&guide->tokens, 0);
    decode_state_closing(state, &guide->text);
    if (buffer_status(&guide->text) != STATUS_OK ||
        !guide->tokeniser.run(guide->tokeniser.state, buffer_view(&guide->text), &guide->tokens) ||
        guide->tokens.count > UINT32_MAX)
        return UINT32_MAX;
    return (uint32_t)guide->tokens.count;
}

/* Whether state can be closed with that many tokens. */
static bool guide_fits(struct model_guide *guide, const struct decode_state *state, uint32_t tokens)
{
    if (decode_state_closing_bytes(state) <= tokens)
        return true;
    if (guide->counted == GUIDE_COUNTED_MAX)
        return false;
    guide->counted++;
    return guide_closing_tokens(guide, state) <= tokens;
}

static enum status guide_check_budget(struct model_guide *guide, uint32_t tokens_max,
                                      struct error *error)
{
    if (guide_fits(guide, guide->now, tokens_max))
        return STATUS_OK;
    uint32_t needed = guide_closing_tokens(guide, guide->now);
    if (needed == UINT32_MAX)
        return guide_no_memory(error);
    error_set(error, STATUS_REJECTED,
              "the shortest value of the schema needs %u output tokens and %u are allowed",
              (unsigned)needed, (unsigned)tokens_max);
    error_hint(error, "allow more with --max-tokens");
    return STATUS_REJECTED;
}

enum status model_guide_init(struct model_guide *guide, const struct model_guide_options *options,
                             const struct model_vocabulary *vocabulary,
                             struct model_tokeniser tokeniser, const struct alloc *alloc,
                             struct error *error)
{
    enum status status = STATUS_OK;
    *guide = (struct model_guide){ .vocabulary = vocabulary,
                                   .tokeniser = tokeniser,
                                   .tokens_left = options->tokens_max };
    buffer_init(&guide->text, alloc, LIMIT_REPLY_BYTES);
    model_tokens_init(&guide->tokens, alloc);
    if (options->grounded)
        status = ground_new(options->source_text, alloc, &guide->ground, error);
    struct decode_options decode = { .need_name = options->need_name, .ground = guide->ground };
    if (status == STATUS_OK)
        status = decode_language_new(options->program, &decode, alloc, &guide->language, error);
    if (status == STATUS_OK)
        status = decode_state_new(guide->language, alloc, &guide->now);
    if (status == STATUS_OK)
        status = decode_state_new(guide->language, alloc, &guide->trial);
    if (status == STATUS_NO_MEMORY)
        (void)guide_no_memory(error);
    if (status == STATUS_OK)
        status = guide_check_budget(guide, options->tokens_max, error);
    if (status != STATUS_OK)
        model_guide_release(guide);
    return status;
}

void model_guide_release(struct model_guide *guide)
{
    decode_state_free(guide->trial);
    decode_state_free(guide->now);
    decode_language_free(guide->language);
    ground_free(guide->ground);
    buffer_release(&guide->text);
    model_tokens_release(&guide->tokens);
    *guide = (struct model_guide){ .tokens_left = 0 };
}

/* ---- admission ------------------------------------------------------------------------------- */

static bool guide_admits_token(void *state, uint32_t token)
{
    struct model_guide *guide = state;
    if (model_vocabulary_kind(guide->vocabulary, token) == MODEL_TOKEN_END)
        return decode_state_is_complete(guide->now);
    if (guide->tokens_left == 0)
        return false;
    decode_state_copy(guide->trial, guide->now);
    return decode_state_feed(guide->trial, model_vocabulary_text(guide->vocabulary, token)) &&
           guide_fits(guide, guide->trial, guide->tokens_left - 1);
}

static bool guide_admits_byte(void *state, unsigned char byte)
{
    struct model_guide *guide = state;
    char text = (char)byte;
    decode_state_copy(guide->trial, guide->now);
    return decode_state_feed(guide->trial, str_of(&text, 1));
}

struct model_admission model_guide_admission(struct model_guide *guide)
{
    guide->counted = 0;
    return (struct model_admission){ guide_admits_token, guide_admits_byte, guide };
}

/* ---- progress -------------------------------------------------------------------------------- */

void model_guide_take(struct model_guide *guide, uint32_t token)
{
    (void)decode_state_feed(guide->now, model_vocabulary_text(guide->vocabulary, token));
    guide->tokens_left--;
}

bool model_guide_take_text(struct model_guide *guide, struct str text, uint32_t *out_tokens)
{
    decode_state_copy(guide->trial, guide->now);
    if (!decode_state_feed(guide->trial, text))
        return false;
    model_tokens_truncate(&guide->tokens, 0);
    if (!guide->tokeniser.run(guide->tokeniser.state, text, &guide->tokens) ||
        guide->tokens.count > guide->tokens_left)
        return false;
    uint32_t count = (uint32_t)guide->tokens.count;
    guide->counted = 0;
    if (!guide_fits(guide, guide->trial, guide->tokens_left - count))
        return false;
    decode_state_copy(guide->now, guide->trial);
    guide->tokens_left -= count;
    *out_tokens = count;
    return true;
}

bool model_guide_admits_value(struct model_guide *guide, struct str value)
{
    static const char behind[] = { ',', '}', ']' };
    for (size_t i = 0; i < sizeof(behind); i++) {
        decode_state_copy(guide->trial, guide->now);
        if (!decode_state_feed(guide->trial, value))
            return false;
        if (decode_state_feed(guide->trial, str_of(&behind[i], 1)))
            return true;
    }
    return false;
}

bool model_guide_is_final(const struct model_guide *guide)
{
    return decode_state_at(guide->now) == DECODE_AT_END && decode_state_is_complete(guide->now);
}

/* Bytes that the first count tokens of the scratch list write. */
static size_t guide_tokens_bytes(const struct model_guide *guide, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += model_vocabulary_text(guide->vocabulary, (uint32_t)guide->tokens.items[i]).len;
    return bytes;
}

/* Moves the first count tokens of the scratch list, which write the first bytes of the scratch
 * text. */
static bool guide_append(struct model_guide *guide, size_t count, size_t bytes,
                         struct buffer *reply, struct model_tokens *out)
{
    if (!model_tokens_reserve(out, count))
        return false;
    memcpy(out->items + out->count, guide->tokens.items, count * sizeof(*out->items));
    out->count += count;
    guide->tokens_left -= count < guide->tokens_left ? (uint32_t)count : guide->tokens_left;
    buffer_append(reply, guide->text.ptr, bytes);
    return buffer_status(reply) == STATUS_OK;
}

bool model_guide_take_forced(struct model_guide *guide, struct buffer *reply,
                             struct model_tokens *out)
{
    buffer_clear(&guide->text);
    decode_state_forced(guide->now, &guide->text);
    if (buffer_status(&guide->text) != STATUS_OK)
        return false;
    struct str forced = buffer_view(&guide->text);
    if (forced.len == 0)
        return true;
    model_tokens_truncate(&guide->tokens, 0);
    if (!guide->tokeniser.run(guide->tokeniser.state, forced, &guide->tokens))
        return false;
    size_t count = guide->tokens.count, bytes = guide_tokens_bytes(guide, count);
    if (bytes != forced.len)
        return true; /* the vocabulary writes this text otherwise: leave it to the model */
    decode_state_copy(guide->trial, guide->now);
    bool final =
        decode_state_feed(guide->trial, forced) && decode_state_at(guide->trial) == DECODE_AT_END;
    if (!final) {
        if (count < 2)
            return true;
        count--;
        bytes = guide_tokens_bytes(guide, count);
        decode_state_copy(guide->trial, guide->now);
        (void)decode_state_feed(guide->trial, str_of(forced.ptr, bytes));
    }
    /* The closing is what would be counted next; it must not disturb the forced text in the
     * scratch. */
    if (count > guide->tokens_left ||
        decode_state_closing_bytes(guide->trial) > guide->tokens_left - count)
        return true;
    decode_state_copy(guide->now, guide->trial);
    return guide_append(guide, count, bytes, reply, out);
}

bool model_guide_close(struct model_guide *guide, struct buffer *reply, struct model_tokens *out)
{
    if (guide_closing_tokens(guide, guide->now) == UINT32_MAX)
        return false;
    (void)decode_state_feed(guide->now, buffer_view(&guide->text));
    return guide_append(guide, guide->tokens.count, guide->text.len, reply, out);
}

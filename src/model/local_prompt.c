/* local_prompt.c - a conversation as the tokens that the model was trained on.
 *
 * The chat template is applied to placeholders; the text around them may contain special tokens,
 * the messages put in their place may not. So no text of a user can open or close a turn.
 */
#include "base/features.h"

#include "model/local_llama.h"

#if STRUCTURE_HAVE_LLAMA

#include <limits.h>
#include <stdio.h>

#include "base/utf8.h"

enum {
    PROMPT_MESSAGES_MAX = 64,
    PROMPT_TEMPLATE_BYTES_MAX = 64 * 1024,
    PROMPT_MARK_BYTES = 16,
    PROMPT_TOKEN_BYTES_USUAL = 8 /* hardly any text has more bytes a token on average */
};

static enum status prompt_no_memory(struct error *error)
{
    return error_set(error, STATUS_NO_MEMORY, "no memory for the tokens of the prompt");
}

static bool prompt_tokenise(const struct llama_vocab *vocab, struct str text, bool special,
                            struct model_tokens *out)
{
    if (text.len == 0)
        return true;
    if (text.len > INT32_MAX || !model_tokens_reserve(out, text.len / 3 + 8))
        return false;
    for (;;) {
        size_t room = out->cap - out->count;
        int32_t room_given = room > INT32_MAX ? INT32_MAX : (int32_t)room;
        int32_t count = llama_tokenize(vocab, text.ptr, (int32_t)text.len, out->items + out->count,
                                       room_given, false, special);
        if (count >= 0) {
            out->count += (size_t)count;
            return true;
        }
        if (count == INT32_MIN || (size_t)-(int64_t)count <= room ||
            !model_tokens_reserve(out, (size_t)-(int64_t)count))
            return false;
    }
}

static bool tokeniser_run(void *state, struct str text, struct model_tokens *out)
{
    const struct local *local = state;
    return prompt_tokenise(local->vocab, text, false, out);
}

struct model_tokeniser local_tokeniser(struct local *local)
{
    return (struct model_tokeniser){ tokeniser_run, local };
}

/* ---- the template ---------------------------------------------------------------------------- */

static const char *role_name(enum model_role role)
{
    switch (role) {
    case MODEL_ROLE_SYSTEM: return "system";
    case MODEL_ROLE_USER: return "user";
    case MODEL_ROLE_ASSISTANT: return "assistant";
    }
    return "user";
}

/* The conversation with "\1N\1" for the text of message N, in the model's template or ChatML. */
static enum status prompt_render(const struct local *local, const struct model_request *request,
                                 struct buffer *out, struct error *error)
{
    struct llama_chat_message messages[PROMPT_MESSAGES_MAX];
    char marks[PROMPT_MESSAGES_MAX][PROMPT_MARK_BYTES];
    const char *template = llama_model_chat_template(local->llama, NULL);
    if (request->message_count > PROMPT_MESSAGES_MAX)
        return error_set(error, STATUS_INVALID_REQUEST,
                         "a conversation has %u messages and the local model takes %d",
                         (unsigned)request->message_count, (int)PROMPT_MESSAGES_MAX);
    for (uint32_t i = 0; i < request->message_count; i++) {
        (void)snprintf(marks[i], sizeof(marks[i]), "\1%u\1", (unsigned)i);
        messages[i].role = role_name(request->messages[i].role);
        messages[i].content = marks[i];
    }
    for (unsigned attempt = 0; attempt < 3; attempt++) {
        char *room = buffer_reserve(out, out->cap < 1024 ? 1024 : out->cap);
        if (room == NULL)
            return prompt_no_memory(error);
        size_t cap = out->cap - 1;
        int32_t len = llama_chat_apply_template(template == NULL ? "chatml" : template, messages,
                                                request->message_count, true, room, (int32_t)cap);
        if (len < 0 && template != NULL) {
            template = NULL; /* one that libllama does not know */
            continue;
        }
        if (len >= 0 && (size_t)len <= cap) {
            out->len = (size_t)len;
            return STATUS_OK;
        }
        if (len < 0 || buffer_reserve(out, (size_t)len) == NULL)
            break;
    }
    return error_set(error, STATUS_INTERNAL, "the chat template of the model cannot be applied");
}

/* Quick verdicts on texts that cannot fit the context: by their size, and by the tokens of their
 * beginning. What is left takes libllama's tokeniser little time, which cannot be interrupted. */
static bool prompt_surely_too_long(struct local *local, const struct model_request *request)
{
    uint64_t bytes = 0, context = local->info.context_tokens;
    for (uint32_t i = 0; i < request->message_count; i++) {
        struct str text = request->messages[i].text;
        bytes += text.len;
        if (bytes / local->vocabulary.bytes_longest > context)
            return true;
        if (text.len / PROMPT_TOKEN_BYTES_USUAL <= context)
            continue;
        model_tokens_truncate(&local->prompt, 0);
        if (!prompt_tokenise(local->vocab, utf8_prefix(text, context * PROMPT_TOKEN_BYTES_USUAL),
                             false, &local->prompt))
            return false; /* the caller finds out why */
        if (local->prompt.count > context)
            return true;
    }
    return false;
}

static enum status prompt_too_long(const struct local *local, uint64_t tokens, bool at_least,
                                   struct error *error)
{
    error_set(error, STATUS_INVALID_REQUEST,
              "the prompt has %s%llu tokens and the model reads and writes %u together",
              at_least ? "more than " : "", (unsigned long long)tokens,
              (unsigned)local->info.context_tokens);
    error_hint(error, "shorten the text, or choose a model with a larger context");
    return STATUS_INVALID_REQUEST;
}

/* A mark at the start of text: its message and its length in bytes; 0 when there is none. */
static size_t prompt_mark(struct str text, uint32_t message_count, uint32_t *out_message)
{
    uint32_t message = 0;
    size_t at = 1;
    while (at < text.len && at < PROMPT_MARK_BYTES && text.ptr[at] >= '0' && text.ptr[at] <= '9')
        message = message * 10 + (uint32_t)(text.ptr[at++] - '0');
    if (at == 1 || at >= text.len || text.ptr[at] != '\1' || message >= message_count)
        return 0;
    *out_message = message;
    return at + 1;
}

static bool prompt_pieces(struct local *local, const struct model_request *request,
                          struct str rendered)
{
    size_t begin = 0, at = 0;
    while (at < rendered.len) {
        uint32_t message;
        size_t mark = 0;
        if (rendered.ptr[at] == '\1')
            mark = prompt_mark(str_of(rendered.ptr + at, rendered.len - at),
                               request->message_count, &message);
        if (mark == 0) {
            at++;
            continue;
        }
        if (!prompt_tokenise(local->vocab, str_of(rendered.ptr + begin, at - begin), true,
                             &local->prompt) ||
            !prompt_tokenise(local->vocab, request->messages[message].text, false, &local->prompt))
            return false;
        at += mark;
        begin = at;
    }
    return prompt_tokenise(local->vocab, str_of(rendered.ptr + begin, at - begin), true,
                           &local->prompt);
}

/* The token that opens every text, unless the template wrote it itself. */
static bool prompt_open(struct local *local, const struct model_request *request,
                        struct str rendered)
{
    llama_token bos = llama_vocab_bos(local->vocab);
    bool wanted = llama_vocab_get_add_bos(local->vocab) && bos != LLAMA_TOKEN_NULL;
    if (wanted && !model_tokens_append(&local->prompt, bos))
        return false;
    if (!prompt_pieces(local, request, rendered))
        return false;
    if (wanted && local->prompt.count > 1 && local->prompt.items[1] == bos) {
        local->prompt.count--;
        memmove(local->prompt.items, local->prompt.items + 1,
                local->prompt.count * sizeof(*local->prompt.items));
    }
    return true;
}

enum status local_prompt(struct local *local, const struct model_request *request,
                         struct error *error)
{
    struct buffer rendered;
    if (prompt_surely_too_long(local, request))
        return prompt_too_long(local, local->info.context_tokens, true, error);
    model_tokens_truncate(&local->prompt, 0);
    buffer_init(&rendered, local->alloc, PROMPT_TEMPLATE_BYTES_MAX);
    enum status status = prompt_render(local, request, &rendered, error);
    if (status == STATUS_OK && !prompt_open(local, request, buffer_view(&rendered)))
        status = prompt_no_memory(error);
    if (status == STATUS_OK && local->prompt.count == 0)
        status = error_set(error, STATUS_INVALID_REQUEST, "the prompt is empty");
    if (status == STATUS_OK && local->prompt.count >= local->info.context_tokens)
        status = prompt_too_long(local, local->prompt.count, false, error);
    buffer_release(&rendered);
    return status;
}

#endif

/* conversation.c - the turns of one call.
 *
 * Owns: their texts and the rule by which they are shortened when the model's context is nearly
 * full: a refused reply is replaced by a note; the turn behind it, which names its violations,
 * always stays.
 */
#include "base/features.h"

#include "engine/conversation.h"

#include "base/utf8.h"
#include "engine/text.h"

enum {
    BYTES_PER_TOKEN = 3,   /* JSON is cut finer than prose */
    TOKENS_PER_MESSAGE = 8 /* what a chat template adds to a turn */
};

#define SHORTENED_REPLY                                                                            \
    STR("(This reply was left out to save room. Its faults are listed in the next message.)")
#define REPLACEMENT STR("\xEF\xBF\xBD")

static enum status append_well_formed(struct buffer *out, struct str text)
{
    while (text.len > 0) {
        size_t bad = utf8_check(text);
        buffer_append(out, text.ptr, bad);
        if (bad == text.len)
            break;
        buffer_append_str(out, REPLACEMENT);
        text = engine_text_skip(text, bad + 1);
    }
    return buffer_status(out);
}

/* utf8_check is linear from the front, so a text of nothing but malformed bytes is still linear in
 * all. */
static struct str copy_well_formed(struct arena *arena, struct str text)
{
    if (utf8_check(text) == text.len)
        return arena_copy(arena, text);
    struct buffer buffer;
    buffer_init(&buffer, arena->alloc, text.len * 3);
    struct str copy = { NULL, 0 };
    if (append_well_formed(&buffer, text) == STATUS_OK)
        copy = arena_copy(arena, buffer_view(&buffer));
    buffer_release(&buffer);
    return copy;
}

enum status engine_conversation_begin(struct engine_conversation *conversation, struct arena *arena,
                                      uint32_t turn_count)
{
    uint32_t capacity = ENGINE_PROMPT_MESSAGES_MAX + turn_count + 2 * LIMIT_LOOPS_MAX;
    *conversation = (struct engine_conversation){ .arena = arena, .capacity = capacity };
    conversation->messages = arena_take_array(arena, capacity, sizeof(conversation->messages[0]));
    return conversation->messages == NULL ? STATUS_NO_MEMORY : STATUS_OK;
}

enum status engine_conversation_add(struct engine_conversation *conversation, enum model_role role,
                                    enum model_purpose purpose, struct str text)
{
    struct str copy = copy_well_formed(conversation->arena, text);
    if (copy.ptr == NULL || conversation->count == conversation->capacity)
        return STATUS_NO_MEMORY;
    conversation->messages[conversation->count++] = (struct model_message){ role, purpose, copy };
    return STATUS_OK;
}

uint64_t engine_conversation_tokens(const struct engine_conversation *conversation)
{
    uint64_t tokens = 0;
    for (uint32_t i = 0; i < conversation->count; i++)
        tokens += conversation->messages[i].text.len / BYTES_PER_TOKEN + TOKENS_PER_MESSAGE;
    return tokens;
}

uint32_t engine_conversation_fit(struct engine_conversation *conversation, uint32_t context_tokens,
                                 uint32_t tokens_max)
{
    uint32_t shortened = 0;
    if (context_tokens == 0)
        return 0;
    for (uint32_t i = conversation->prompt_count; i < conversation->count; i++) {
        if (engine_conversation_tokens(conversation) + tokens_max <= context_tokens)
            break;
        struct model_message *message = &conversation->messages[i];
        if (message->role != MODEL_ROLE_ASSISTANT || message->text.len <= SHORTENED_REPLY.len)
            continue;
        message->text = SHORTENED_REPLY;
        shortened++;
    }
    return shortened;
}

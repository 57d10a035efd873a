/* conversation.h - the turns of one call: the prompt, then each refused reply and what was wrong
 * with it. */
#ifndef STRUCTURE_ENGINE_CONVERSATION_H
#define STRUCTURE_ENGINE_CONVERSATION_H

#include "base/arena.h"
#include "base/limits.h"
#include "engine/engine.h"

enum { ENGINE_PROMPT_MESSAGES_MAX = 4 }; /* besides turns of the caller */

struct engine_conversation {
    struct arena *arena; /* of the call; owns every text */
    struct model_message *messages;
    uint32_t count, capacity;
    uint32_t prompt_count; /* the first turns, which are never shortened */
};

/* Makes room for the first turns, turn_count turns of the caller and all iterations. NO_MEMORY. */
enum status engine_conversation_begin(struct engine_conversation *conversation, struct arena *arena,
                                      uint32_t turn_count);

/* Adds a turn with a copy of text; malformed UTF-8 is replaced by U+FFFD. NO_MEMORY. */
enum status engine_conversation_add(struct engine_conversation *conversation, enum model_role role,
                                    enum model_purpose purpose, struct str text);

/* A cautious estimate of the tokens of all turns. */
uint64_t engine_conversation_tokens(const struct engine_conversation *conversation);

/* Shortens refused replies, oldest first, until the turns and tokens_max fit context_tokens (0:
 * unknown). Returns how many were shortened. */
uint32_t engine_conversation_fit(struct engine_conversation *conversation, uint32_t context_tokens,
                                 uint32_t tokens_max);

#endif

/* prompt.h - the words with which a call begins. */
#ifndef STRUCTURE_ENGINE_PROMPT_H
#define STRUCTURE_ENGINE_PROMPT_H

#include "engine/conversation.h"

/* The text that values are to come from: the prompt, or what the user said in the caller's turns,
 * then copied to arena. NO_MEMORY. */
enum status engine_prompt_source(const struct engine_request *request, struct arena *arena,
                                 struct str *out_text);

/* Adds the first turns for a model of that style: what is the same for many calls comes first.
 * source is what engine_prompt_source gave; need_name empty: the need object is not offered. */
enum status engine_prompt_build(struct engine_conversation *conversation,
                                const struct engine_request *request, enum model_prompt_style style,
                                struct str need_name, struct str source, const struct alloc *alloc);

#endif

/* prompt.h - the words with which a call begins. */
#ifndef STRUCTURE_ENGINE_PROMPT_H
#define STRUCTURE_ENGINE_PROMPT_H

#include "engine/conversation.h"

/* Adds the first turns for a model of that style. need_name empty: the need object is not offered.
 */
enum status engine_prompt_build(struct engine_conversation *conversation,
                                const struct engine_request *request, enum model_prompt_style style,
                                struct str need_name, const struct alloc *alloc);

#endif

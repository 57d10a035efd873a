/* markup.h - what models write around their answer: reasoning blocks, channel marks, markdown
 * fences. */
#ifndef STRUCTURE_ENGINE_MARKUP_H
#define STRUCTURE_ENGINE_MARKUP_H

#include "base/str.h"

/* At text.ptr[at] a reasoning block opens: the offset behind its end (text.len when it never ends),
 * else 0. */
size_t engine_markup_reasoning_end(struct str text, size_t at);

/* At text.ptr[at] stands a mark that makes everything before it reasoning (a closing tag whose
 * opening the template wrote, the beginning of a final channel): the bytes of the mark, else 0. */
size_t engine_markup_reasoning_close(struct str text, size_t at);

/* Takes a fence line ("```json", "~~~") off the end of *before, or the closing fence off *after
 * with what precedes it on trailing lines left in place. The mark's beginning, or its end; NULL
 * when there is none. White space is trimmed. */
const char *engine_markup_fence_before(struct str *before);
const char *engine_markup_fence_after(struct str *after);

#endif

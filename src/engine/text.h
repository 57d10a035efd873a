/* text.h - small questions about UTF-8 text that the engine asks in several places. */
#ifndef STRUCTURE_ENGINE_TEXT_H
#define STRUCTURE_ENGINE_TEXT_H

#include "base/str.h"

/* Nothing but white space (Unicode White_Space and the zero-width marks). text is well-formed
 * UTF-8. */
bool engine_text_is_blank(struct str text);

/* Without leading and trailing white space of that kind. Malformed bytes count as content. */
struct str engine_text_trim(struct str text);

bool engine_text_ends_with(struct str text, struct str suffix);
bool engine_text_contains(struct str text, struct str needle);

/* text without its first `count` bytes; count <= text.len. */
static inline struct str engine_text_skip(struct str text, size_t count)
{
    return (struct str){ count == 0 ? text.ptr : text.ptr + count, text.len - count };
}

#endif

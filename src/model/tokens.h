/* tokens.h - a growing list of token numbers, and the function that makes them from text. */
#ifndef STRUCTURE_MODEL_TOKENS_H
#define STRUCTURE_MODEL_TOKENS_H

#include <stdint.h>

#include "base/alloc.h"
#include "base/str.h"

struct model_tokens {
    int32_t *items; /* NULL until the first token */
    size_t count;
    size_t cap;
    const struct alloc *alloc;
};

void model_tokens_init(struct model_tokens *tokens, const struct alloc *alloc);
void model_tokens_release(struct model_tokens *tokens); /* accepts a zeroed or released list */

/* Room for count more; false when memory is used up. The caller writes and adds to count itself. */
bool model_tokens_reserve(struct model_tokens *tokens, size_t count);
bool model_tokens_append(struct model_tokens *tokens, int32_t token);
void model_tokens_truncate(struct model_tokens *tokens, size_t count);

/* How many tokens both lists begin with. */
size_t model_tokens_common(const struct model_tokens *a, const struct model_tokens *b);

/* Appends the tokens of plain text, in which nothing is read as a special token. False: no
 * memory, or text that the vocabulary cannot write. */
struct model_tokeniser {
    bool (*run)(void *state, struct str text, struct model_tokens *out);
    void *state;
};

#endif

/* tokens.c - growth of token lists. Invariant: count <= cap, items has room for cap numbers. */
#include "base/features.h"

#include "model/tokens.h"

#include "base/checked.h"

enum { TOKENS_CAP_MIN = 64 };

void model_tokens_init(struct model_tokens *tokens, const struct alloc *alloc)
{
    *tokens = (struct model_tokens){ .alloc = alloc };
}

void model_tokens_release(struct model_tokens *tokens)
{
    if (tokens->items != NULL)
        alloc_free(tokens->alloc, tokens->items, tokens->cap * sizeof(*tokens->items));
    *tokens = (struct model_tokens){ .alloc = tokens->alloc };
}

bool model_tokens_reserve(struct model_tokens *tokens, size_t count)
{
    size_t needed, cap = tokens->cap < TOKENS_CAP_MIN ? TOKENS_CAP_MIN : tokens->cap, bytes;
    if (size_add_overflows(tokens->count, count, &needed))
        return false;
    if (needed <= tokens->cap)
        return true;
    while (cap < needed) {
        if (size_multiply_overflows(cap, 2, &cap))
            return false;
    }
    if (size_multiply_overflows(cap, sizeof(*tokens->items), &bytes))
        return false;
    int32_t *items =
        alloc_grow(tokens->alloc, tokens->items, tokens->cap * sizeof(*tokens->items), bytes);
    if (items == NULL)
        return false;
    tokens->items = items;
    tokens->cap = cap;
    return true;
}

bool model_tokens_append(struct model_tokens *tokens, int32_t token)
{
    if (!model_tokens_reserve(tokens, 1))
        return false;
    tokens->items[tokens->count++] = token;
    return true;
}

void model_tokens_truncate(struct model_tokens *tokens, size_t count)
{
    if (count < tokens->count)
        tokens->count = count;
}

size_t model_tokens_common(const struct model_tokens *a, const struct model_tokens *b)
{
    size_t i = 0;
    while (i < a->count && i < b->count && a->items[i] == b->items[i])
        i++;
    return i;
}

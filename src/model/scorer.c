/* scorer.c - what every scorer does alike. */
#include "base/features.h"

#include "model/scorer.h"

int32_t model_scorer_first_token(const struct model_scorer *scorer, struct str text,
                                 const struct alloc *alloc)
{
    struct model_tokens tokens;
    model_tokens_init(&tokens, alloc);
    bool done = scorer->ops->tokenise(scorer->state, text, &tokens);
    int32_t token = done && tokens.count > 0 ? tokens.items[0] : -1;
    model_tokens_release(&tokens);
    return token;
}

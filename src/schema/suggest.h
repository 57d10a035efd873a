/* suggest.h - "did you mean": the nearest of some names. Private to src/schema. */
#ifndef STRUCTURE_SCHEMA_SUGGEST_H
#define STRUCTURE_SCHEMA_SUGGEST_H

#include "base/str.h"

struct suggestion {
    struct str given;
    struct str best;   /* borrowed from the candidates; no bytes when nothing is near */
    unsigned distance; /* of best; exclusive bound of what is still better */
};

void suggestion_init(struct suggestion *suggestion, struct str given);
void suggestion_offer(struct suggestion *suggestion, struct str candidate);

static inline bool suggestion_found(const struct suggestion *suggestion)
{
    return suggestion->best.len > 0;
}

#endif

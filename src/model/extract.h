/* extract.h - writes a grounded reply leaf by leaf: the text proposes values, the model chooses
 * among them.
 *
 * For small models. Each leaf of the target gets candidates from the prompt (evidence/), ranked by
 * what stands around them; the model's scorer weighs the best whole candidates, and the winner is
 * written. Every piece is fed through the guide, so that the reply is in the language of the schema
 * whatever was chosen. A required value of which the text has none ends the walk with the need
 * object where that is offered.
 */
#ifndef STRUCTURE_MODEL_EXTRACT_H
#define STRUCTURE_MODEL_EXTRACT_H

#include "model/guide.h"
#include "model/model.h"
#include "model/scorer.h"

/* All borrowed. */
struct model_extraction {
    const struct model_scorer *scorer;
    struct model_guide *guide; /* ungrounded, at its beginning */
    const struct model_request *request;
    struct model_sampler *sampler; /* begun; writes derived leaves */
    const struct model_sink *sink; /* may be NULL */
    const struct alloc *alloc;
};

enum model_extracted {
    MODEL_EXTRACTED_WHOLE, /* the reply is complete */
    MODEL_EXTRACTED_PART /* the rest is to be written token by token, from where the guide stands */
};

/* Appends to reply->text and counts its output tokens. Errors: those of the scorer, NO_MEMORY. */
enum status model_extract(const struct model_extraction *extraction, struct model_reply *reply,
                          enum model_extracted *out_extracted, struct error *error);

#endif

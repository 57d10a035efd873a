/* guide.h - walks the language of a call with tokens: which may come, which must, and how the reply
 * ends in time.
 *
 * Owns: the compiled language, the prompt's index, the position in the text, the token budget.
 * Leaves to others: scores and the choice among admissible tokens. Invariant: the text so far and
 * the tokens of its shortest closing fit the budget, so that a reply is always a whole value.
 */
#ifndef STRUCTURE_MODEL_GUIDE_H
#define STRUCTURE_MODEL_GUIDE_H

#include "decode/language.h"
#include "decode/state.h"
#include "model/sampler.h"
#include "model/tokens.h"

struct model_guide {
    struct ground *ground; /* NULL: ungrounded */
    struct decode_language *language;
    struct decode_state *now;
    struct decode_state *trial; /* a copy on which candidates are tried */
    const struct model_vocabulary *vocabulary;
    struct model_tokeniser tokeniser;
    uint32_t tokens_left;       /* of the budget */
    uint32_t counted;           /* closings counted in tokens in this step */
    struct buffer text;         /* scratch */
    struct model_tokens tokens; /* scratch */
};

struct model_guide_options {
    const struct schema_program *program;
    struct str need_name;
    struct str source_text;
    bool grounded;
    uint32_t tokens_max;
};

/* Errors of decode_language_new and ground_new; REJECTED when the shortest value needs more than
 * tokens_max. */
enum status model_guide_init(struct model_guide *guide, const struct model_guide_options *options,
                             const struct model_vocabulary *vocabulary,
                             struct model_tokeniser tokeniser, const struct alloc *alloc,
                             struct error *error);
void model_guide_release(struct model_guide *guide); /* accepts a zeroed or released one */

/* The admission for the sampler: text tokens that keep the invariant, END tokens when the value
 * is whole. */
struct model_admission model_guide_admission(struct model_guide *guide);

/* Takes an admissible text token. */
void model_guide_take(struct model_guide *guide, uint32_t token);

/* Takes a piece of text if the language and the budget admit it, and says how many tokens it has.
 */
bool model_guide_take_text(struct model_guide *guide, struct str text, uint32_t *out_tokens);

/* Would the text be admitted here as a whole value, with more of the reply behind it? */
bool model_guide_admits_value(struct model_guide *guide, struct str value);

/* The value is whole and nothing can follow. */
bool model_guide_is_final(const struct model_guide *guide);

/* Takes the text that must come whatever the model wants and appends it to reply and its tokens
 * to out. The last of those tokens is left to the model, which may know one that reaches
 * further; unless the text ends the value. False: no memory. */
bool model_guide_take_forced(struct model_guide *guide, struct buffer *reply,
                             struct model_tokens *out);

/* Ends the value by its shortest closing, appended to reply and out. False: no memory. */
bool model_guide_close(struct model_guide *guide, struct buffer *reply, struct model_tokens *out);

#endif

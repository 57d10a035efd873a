/* extract_derived.c - a leaf with "x-derived": the model writes it token by token, within the
 * language.
 *
 * Owns: knowing where the value ends, since the model's tokens may reach beyond it; such tokens are
 * not admitted.
 */
#include "base/features.h"

#include "evidence/chars.h"
#include "model/extractor.h"

enum { DERIVED_TOKENS_MAX = 160 };

/* Where a scalar that is being written stands. */
struct scalar {
    bool begun;
    bool is_string;
    bool escaped;
    bool done;
};

struct derived {
    struct extractor *x;
    struct model_admission guide;
    struct scalar at;
};

/* Moves over bytes; false when some lie behind the value. */
static bool scalar_feed(struct scalar *scalar, struct str bytes)
{
    for (size_t i = 0; i < bytes.len; i++) {
        char byte = bytes.ptr[i];
        if (scalar->done || (!scalar->is_string && char_in(",}] \n", byte)))
            return false;
        scalar->begun = true;
        if (scalar->escaped)
            scalar->escaped = false;
        else if (scalar->is_string && byte == '\\')
            scalar->escaped = true;
        else if (byte == '"') {
            scalar->done = scalar->is_string;
            scalar->is_string = true;
        }
    }
    return true;
}

/* What stands behind a number or a word and ends it. */
static bool scalar_ends(const struct scalar *scalar, struct str bytes)
{
    return scalar->begun && !scalar->is_string && bytes.len > 0 && char_in(",}] \n", bytes.ptr[0]);
}

static bool derived_token(void *state, uint32_t token)
{
    struct derived *derived = state;
    struct scalar trial = derived->at;
    const struct model_guide *guide = derived->x->job->guide;
    struct str text = model_vocabulary_text(guide->vocabulary, token);
    return model_vocabulary_kind(guide->vocabulary, token) == MODEL_TOKEN_TEXT &&
           (scalar_ends(&trial, text) || scalar_feed(&trial, text)) &&
           derived->guide.token(derived->guide.state, token);
}

static bool derived_byte(void *state, unsigned char byte)
{
    struct derived *derived = state;
    struct scalar trial = derived->at;
    char first = (char)byte;
    struct str text = str_of(&first, 1);
    return (scalar_ends(&trial, text) || scalar_feed(&trial, text)) &&
           derived->guide.byte(derived->guide.state, byte);
}

/* One token; false when the value ended or nothing is admissible. */
static bool derived_step(struct derived *derived, size_t begin)
{
    struct extractor *x = derived->x;
    const struct model_scorer *scorer = x->job->scorer;
    const float *scores = NULL;
    uint32_t token;
    size_t len = x->opening.len;
    buffer_append(&x->opening, x->reply->text.ptr + begin, x->reply->text.len - begin);
    x->status = scorer->ops->set(scorer->state, buffer_view(&x->opening), x->error);
    buffer_truncate(&x->opening, len);
    if (x->status == STATUS_OK)
        x->status = scorer->ops->distribution(scorer->state, &scores, x->error);
    if (x->status != STATUS_OK)
        return false;
    derived->guide = model_guide_admission(x->job->guide);
    struct model_admission admission = { derived_token, derived_byte, derived };
    if (!model_sampler_choose(x->job->sampler, scores, &admission, &token))
        return false;
    struct str text = model_vocabulary_text(x->job->guide->vocabulary, token);
    derived->at.done = scalar_ends(&derived->at, text);
    if (derived->at.done)
        return false;
    (void)scalar_feed(&derived->at, text);
    model_guide_take(x->job->guide, token);
    buffer_append_str(&x->reply->text, text);
    x->reply->usage.output_tokens++;
    return !derived->at.done;
}

enum extracted extract_derived(struct extractor *x)
{
    struct derived derived = { .x = x };
    size_t begin = x->reply->text.len;
    unsigned steps = 0;
    while (steps < DERIVED_TOKENS_MAX && derived_step(&derived, begin))
        steps++;
    if (x->status != STATUS_OK)
        return EXTRACTED_STUCK;
    if (derived.at.is_string && !derived.at.done)
        derived.at.done = extractor_put(x, STR("\""));
    bool whole = x->reply->text.len > begin && (!derived.at.is_string || derived.at.done);
    return whole ? EXTRACTED : EXTRACTED_ABSENT;
}

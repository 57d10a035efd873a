/* local_llama.h - the state of a model in this process, shared by the files that work on it.
 * Private to src/model; empty without libllama. */
#ifndef STRUCTURE_MODEL_LOCAL_LLAMA_H
#define STRUCTURE_MODEL_LOCAL_LLAMA_H

#include "model/local.h"

#if STRUCTURE_HAVE_LLAMA

#include <llama.h>

#include "model/guide.h"
#include "model/sampler.h"
#include "model/scorer.h"
#include "model/tokens.h"
#include "model/vocabulary.h"

/* Tokens evaluated at once while reading a prompt. Cached prompts are reused in whole batches,
 * so that an answer does not depend on what was asked before; small enough to lose little by
 * that. */
#define LOCAL_BATCH 64u
#define LOCAL_CONTEXT_DEFAULT_MAX 8192u
/* Candidates weighed at once, less one, and the tokens of one round of them; room for these is kept
 * beyond the context of the conversation. */
#define LOCAL_SEQUENCES 64u
#define LOCAL_SCORER_CELLS 1024u
/* The context has room for what a call needs, for the turns that may follow, in whole steps: its
 * memory is cleared when it is made, so that a large one costs time. */
#define LOCAL_CONTEXT_SLACK 512u
#define LOCAL_CONTEXT_STEP 1024u
/* Models below this many parameters are prompted and, unless asked otherwise, grounded as tiny. */
#define LOCAL_SMALL_PARAMETERS 1000000000ull

struct local {
    const struct alloc *alloc;
    struct llama_model *llama;
    const struct llama_vocab *vocab;
    struct llama_context *context; /* NULL until the first call */
    struct model_vocabulary vocabulary;
    struct model_sampler sampler;
    struct buffer name;
    struct model_info info;
    uint32_t threads;           /* at most */
    bool threads_vary;          /* with the load of the machine */
    uint32_t evaluations;       /* batches, to look at the load now and then */

    struct model_tokens kept;   /* what the KV cache holds, in order */
    size_t kept_aligned;        /* of these, read in whole batches from the beginning */
    uint64_t kept_call_id;      /* the call that wrote the rest */
    struct model_tokens prompt; /* of the request at hand */
    struct model_tokens output; /* to be evaluated next */

    /* The request at hand, for the abort callback. */
    const struct control *control;
    uint32_t polls;
    enum status stopped;
    uint64_t steps;             /* evaluations that gave scores, since loading */
};

/* local_prompt.c: appends the conversation in the model's own chat template to local->prompt.
 * Text of messages is never read as special tokens. INVALID_REQUEST when it is longer than the
 * context, NO_MEMORY. */
enum status local_prompt(struct local *local, const struct model_request *request,
                         struct error *error);
/* Appends the tokens of plain text. */
struct model_tokeniser local_tokeniser(struct local *local);

/* A scorer of candidates after local->prompt, for the time of one reply. */
struct local_scorer {
    struct local *local;
    size_t prompt_count;
    struct model_tokens context;    /* the prompt and what was written since */
    bool has_scores;                /* those after the context, as kept in: */
    float *scores;
    float log_sum;
    struct model_tokens candidates; /* of the question at hand, one after the other */
    size_t *begins;                 /* count + 1 places in candidates */
    size_t begins_cap;
    struct model_tokens ways;       /* scratch as long as candidates */
    struct buffer text;             /* scratch */
    struct llama_batch batch;
};

/* local_scorer.c */
enum status local_scorer_init(struct local_scorer *scorer, struct local *local,
                              struct model_scorer *out_scorer, struct error *error);
void local_scorer_release(struct local_scorer *scorer); /* accepts a released one */

/* local_context.c: makes room for that many tokens, at most info.context_tokens. */
enum status local_context_reserve(struct local *local, uint32_t tokens, struct error *error);
/* Reads local->prompt, reusing the cache; afterwards scores are there. *out_cached: tokens not
 * read again. */
enum status local_context_read(struct local *local, uint64_t call_id, const struct model_sink *sink,
                               uint64_t *out_cached, struct error *error);
/* Evaluates tokens that follow; afterwards scores are there. */
enum status local_context_extend(struct local *local, const int32_t *tokens, size_t count,
                                 struct error *error);
const float *local_context_scores(struct local *local);
/* Forgets what follows the first count tokens, or more where a kind of memory cannot do that. */
void local_context_forget(struct local *local, size_t count);
/* Evaluates a batch of other sequences than the conversation's. */
enum status local_context_decode(struct local *local, const struct llama_batch *batch,
                                 struct error *error);
void local_context_free(struct local *local);

/* local_threads.c: the most threads to use (asked 0: by the processors), and how many now. */
uint32_t local_threads_max(uint32_t asked);
uint32_t local_threads_now(uint32_t max);

/* local_generate.c */
enum status local_generate(void *state, const struct model_request *request,
                           const struct model_sink *sink, const struct control *control,
                           struct model_reply *reply, struct error *error);

#endif
#endif

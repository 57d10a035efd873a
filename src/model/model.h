/* model.h - the model seam: whoever answers a conversation, in this process or behind a wire.
 *
 * A model is a table of functions and a state. The engine never calls it: it emits a request and
 * consumes a reply; drivers stand between. Text handed to the sink is for progress only; the reply
 * is what counts.
 */
#ifndef STRUCTURE_MODEL_MODEL_H
#define STRUCTURE_MODEL_MODEL_H

#include "base/buffer.h"
#include "base/control.h"
#include "projection/projection.h"
#include "schema/program.h"

enum model_role { MODEL_ROLE_SYSTEM, MODEL_ROLE_USER, MODEL_ROLE_ASSISTANT };

/* What a turn is for: a model may leave out or replace some of them. */
enum model_purpose {
    MODEL_PURPOSE_RULES,  /* stable over calls */
    MODEL_PURPOSE_MANUAL, /* the same schema, the same manual: cacheable */
    MODEL_PURPOSE_SCHEMA, /* the schema in words; may be left out where the wire carries it */
    MODEL_PURPOSE_TEXT,   /* the caller's text, or a turn of a conversation that the caller holds */
    MODEL_PURPOSE_REPLY,  /* a refused reply */
    MODEL_PURPOSE_REASON  /* what was wrong with it */
};

struct model_message {
    enum model_role role;
    enum model_purpose purpose;
    struct str text; /* borrowed for the call */
};

/* What a model can do; data, not code. */
enum model_capability {
    MODEL_STRICT_OUTPUT = 1 << 0,    /* enforces the schema while writing */
    MODEL_NEED_ALTERNATIVE = 1 << 1, /* can offer the need object beside the target */
    MODEL_STRICT_UNKNOWN = 1 << 2    /* may enforce it: nobody knows before it was asked */
};

/* How the conversation is worded for it. */
enum model_prompt_style {
    MODEL_PROMPT_RULES_FIRST, /* system: rules, manual; user: text. For capable models */
    MODEL_PROMPT_TEXT_FIRST   /* one user turn: text, task, TypeScript-like type. For tiny models */
};

struct model_info {
    struct str name;       /* "local/SmolLM2-135M-Instruct", owned by the model */
    unsigned capabilities; /* enum model_capability bits */
    enum model_prompt_style prompt_style;
    uint64_t parameter_count; /* 0 when unknown */
    uint32_t context_tokens;  /* 0 when unknown */
};

enum model_grounded { MODEL_GROUNDED_AUTO, MODEL_GROUNDED_ON, MODEL_GROUNDED_OFF };

/* A value that an earlier reply of the call had and that was refused. */
struct model_refusal {
    struct str pointer;    /* RFC 6901, of the value in the reply */
    struct str value_text; /* the value as compact JSON */
};

/* One reply is asked for. Everything is borrowed until generate returns. A model that keeps work
 * between the iterations of a call (KV cache, compiled language) recognises them by call_id. */
struct model_request {
    uint64_t call_id;
    const struct model_message *messages;
    uint32_t message_count;
    const struct schema_program *program; /* the target; NULL: free text */
    struct str need_name;                 /* empty: no need alternative */
    struct str source_text;               /* the caller's prompt, for grounding */
    enum model_grounded grounded;
    uint32_t tokens_max; /* output tokens */
    double temperature;  /* negative: the model's default */
    bool has_seed;
    uint64_t seed;
    bool require_strict; /* structure.requireProviderStrictOutput: UNSUPPORTED rather than a prompt
                          */
    /* Refused in all earlier iterations, each pair once: for a model that would otherwise repeat
     * itself. */
    const struct model_refusal *refusals;
    uint32_t refusal_count;
};

enum model_finish {
    MODEL_FINISH_STOP,
    MODEL_FINISH_LENGTH, /* cut at tokens_max */
    MODEL_FINISH_REFUSAL,
    MODEL_FINISH_FILTER,
    MODEL_FINISH_UNKNOWN, /* the reply is whole, the provider gave no reason */
    MODEL_FINISH_ABORTED, /* stopped by us: no continuation could have been valid */
    MODEL_FINISH_RUNAWAY  /* stopped by us: the same text over and over, or endless white space */
};

/* Where the text of a reply came from. */
enum model_channel {
    MODEL_CHANNEL_TEXT,     /* the reply's text */
    MODEL_CHANNEL_TOOL,     /* arguments of a tool call */
    MODEL_CHANNEL_REASONING /* the only text there was stood in a reasoning member */
};

struct model_usage {
    uint64_t input_tokens; /* all of them, cached ones included */
    uint64_t output_tokens;
    uint64_t cached_input_tokens;
    uint64_t saved_output_tokens; /* an estimate: what an aborted reply would have cost besides */
    uint32_t requests; /* sent for this reply, refused and repeated ones included */
    bool is_estimated; /* the provider gave no usage (an aborted stream): counted from the text */
};

enum { MODEL_NOTES_MAX = 8, MODEL_NOTE_BYTES = 256, MODEL_ID_BYTES = 128 };

struct model_reply {
    struct buffer text; /* initialised by the caller with its maximum, released by the caller */
    enum model_finish finish;
    enum model_channel channel;
    struct model_usage usage;
    /* The form in which it was asked for: its inverse leads to the target's value. Owned by the
     * model, valid until its next generate or its end; NULL: the target itself was asked for. */
    const struct projection *projection;
    bool was_strict;                   /* the schema was sent to be enforced */
    char served_model[MODEL_ID_BYTES]; /* as the provider names it, or "" */
    char request_id[MODEL_ID_BYTES];   /* the provider's, or "" */
    /* For `report.warnings`: what a person should know. No content, no keys. */
    char notes[MODEL_NOTES_MAX][MODEL_NOTE_BYTES];
    uint32_t note_count;
};

/* Progress, all optional: phase ("loading the model", 0..1000 permille or -1), and text as it is
 * written. */
struct model_sink {
    void (*phase)(void *state, const char *what, int permille);
    void (*text)(void *state, struct str piece);
    void *state;
};

struct model_ops {
    const char *name;
    struct model_info (*info)(void *state);
    /* Blocks. STATUS_OK: *reply is filled, whatever its finish. Otherwise *error says why, and
     * nothing is charged but reply->usage. CANCELLED and DEADLINE within one token. Not
     * re-entrant per model. */
    enum status (*generate)(void *state, const struct model_request *request,
                            const struct model_sink *sink, const struct control *control,
                            struct model_reply *reply, struct error *error);
    void (*free)(void *state);
};

struct model {
    const struct model_ops *ops;
    void *state;
};

static inline struct model_info model_info(const struct model *model)
{
    return model->ops->info(model->state);
}

static inline enum status model_generate(const struct model *model,
                                         const struct model_request *request,
                                         const struct model_sink *sink,
                                         const struct control *control, struct model_reply *reply,
                                         struct error *error)
{
    return model->ops->generate(model->state, request, sink, control, reply, error);
}

/* Accepts a zeroed model. */
static inline void model_free(struct model *model)
{
    if (model->ops != NULL)
        model->ops->free(model->state);
    model->ops = NULL;
    model->state = NULL;
}

#endif

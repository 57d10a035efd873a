/* engine.h - one call as a state machine without I/O: it emits actions and consumes events.
 *
 * Owns: the request check, the content loop with its iterations, the conversation, reading replies,
 * the need path, the reason given to the model, and the result. Leaves to others: models (drivers
 * stand between), time (events), compiling (the caller hands a program), printing. Invariant: a
 * call ends exactly once, as a result or as an error; what is OK validates against the program.
 */
#ifndef STRUCTURE_ENGINE_ENGINE_H
#define STRUCTURE_ENGINE_ENGINE_H

#include "engine/reading.h"
#include "model/model.h"
#include "schema/validate.h"

enum engine_policy {
    ENGINE_POLICY_LOOP, /* spec section 4 */
    ENGINE_POLICY_ONCE  /* complete_json: no need path, exactly one repair, else SCHEMA_VIOLATION */
};

/* Borrowed until the call is freed. */
struct engine_request {
    struct str prompt;                    /* well-formed UTF-8, not blank */
    const struct schema_program *program; /* root describes an object */
    struct str schema_origin;             /* "inline" */
    struct str instructions;              /* extra rules (manual), or empty */
    /* A conversation that the caller holds, in place of the prompt (which then is empty): roles and
     * texts, each as the prompt must be; the last turn is the user's. NULL: the prompt counts. */
    const struct model_message *turns;
    uint32_t turn_count; /* at most LIMIT_TURNS_MAX */
    enum engine_policy policy;
    uint32_t loops_max;  /* 1..10; 0: default 3 */
    uint32_t tokens_max; /* per reply; 0: default 1024 */
    bool tokens_auto;    /* a reply that was cut there is asked for once more with a higher limit */
    unsigned readings_refused; /* bits of enum engine_reading: of risk none or low, not wanted */
    unsigned readings_allowed; /* of risk meaning, wanted */
    enum model_grounded grounded;
    double temperature; /* negative: model's default */
    bool has_seed;
    uint64_t seed;
    bool require_strict; /* structure.requireProviderStrictOutput */
    bool unwrap_root;    /* --wrap-root: data is the member "value" of the reply */
};

enum engine_status { ENGINE_OK, ENGINE_NEED_MORE_INPUT, ENGINE_STALE };

struct engine_usage {
    struct model_usage tokens; /* the sums; estimated when one of them is */
    uint32_t model_calls;      /* requests that were sent, refused and repeated ones included */
    uint32_t drift_count;      /* values that were valid and came back changed after a repair */
    struct str model;          /* that answered last, as the provider names it where it does */
};

struct engine_repair {
    struct str name;    /* "fence", "prose", "reasoning", ... spec section 10 */
    struct str risk;    /* "none", "low", "meaning" */
    struct str pointer; /* has_pointer: of the value in the data */
    bool has_pointer;
    bool has_span;
    size_t span_begin, span_end; /* of what was taken off, code points of the reply, half-open */
};

/* How the schema went to the model that answered last. */
struct engine_projection_report {
    bool exists;    /* false: the model takes the target itself, or none at all */
    bool is_strict; /* it was sent to be enforced */
    enum projection_rung rung;
    const struct projection_move *moves; /* what the wire schema does not say as the target does */
    uint32_t move_count;
};

/* Owned by the call. */
struct engine_result {
    enum engine_status status;
    struct json
        data; /* ENGINE_OK; member order: the schema's, then the reply's (see engine_write_data) */
    struct str need;                     /* ENGINE_NEED_MORE_INPUT */
    struct schema_violations violations; /* ENGINE_STALE: of the last iteration */
    struct str schema_origin;
    uint32_t iterations;
    struct engine_usage usage;
    const struct engine_repair *repairs;
    uint32_t repair_count;
    const struct str *warnings;
    uint32_t warning_count;
    struct engine_projection_report projection;
    uint64_t prompt_tokens; /* of the last model call, as the provider counted; 0: unknown */
    struct str request_id;  /* the provider's, of the last reply; or empty */
};

struct engine_call;

enum engine_action_kind {
    ENGINE_ACTION_GENERATE, /* ask the model; answer with engine_call_on_reply or
                               engine_call_on_failure */
    ENGINE_ACTION_DONE,     /* engine_call_result */
    ENGINE_ACTION_FAILED    /* engine_call_error */
};

struct engine_action {
    enum engine_action_kind kind;
    struct model_request request; /* GENERATE; borrowed until the next event */
};

/* Checks the request (INVALID_REQUEST, UNSUPPORTED) and prepares the first action. call_id names
 * the call to the model. */
enum status engine_call_new(const struct engine_request *request, const struct model_info *info,
                            uint64_t call_id, const struct alloc *alloc,
                            struct engine_call **out_call, struct error *error);
void engine_call_free(struct engine_call *call);

/* What to do now. Repeating it without an event gives the same action. */
struct engine_action engine_call_next(struct engine_call *call);

/* Events. Each ends the pending GENERATE; after DONE or FAILED they are ignored. reply is borrowed
 * for the call. */
void engine_call_on_reply(struct engine_call *call, const struct model_reply *reply);
void engine_call_on_failure(struct engine_call *call, const struct error *error,
                            const struct model_usage *usage);
void engine_call_on_stop(struct engine_call *call, enum status why); /* CANCELLED or DEADLINE */

const struct engine_result *engine_call_result(const struct engine_call *call); /* after DONE */
const struct error *engine_call_error(const struct engine_call *call);          /* after FAILED */
/* Usage so far, valid in every state. */
const struct engine_usage *engine_call_usage(const struct engine_call *call);
/* Faults of the last reply when it was refused, else NULL; valid until the next event. */
const struct schema_violations *engine_call_violations(const struct engine_call *call);

/* Appends data as the contract wants it: member order of the schema, then the reply's; number text
 * kept. */
void engine_write_data(const struct engine_result *result, unsigned indent, struct buffer *out);
/* Appends the whole result document (--result): field names of spec section 2 and section 10. */
void engine_write_result(const struct engine_result *result, unsigned indent, struct buffer *out);
/* Appends {"error":{...}}. */
void engine_write_error(const struct error *error, unsigned indent, struct buffer *out);

#endif

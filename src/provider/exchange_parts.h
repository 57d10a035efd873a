/* exchange_parts.h - private to src/provider/exchange*.c: the state of one exchange. */
#ifndef STRUCTURE_PROVIDER_EXCHANGE_PARTS_H
#define STRUCTURE_PROVIDER_EXCHANGE_PARTS_H

#include "base/arena.h"
#include "provider/exchange.h"
#include "provider/watch.h"

enum { EXCHANGE_NAME_BYTES = 64, EXCHANGE_STALE_MAX = 3 };

/* How the next request asks. Every refusal that blames something changes one of these, never
 * back, so that no request is sent twice as it was. */
struct exchange_plan {
    enum provider_mechanism mechanism;
    bool is_strict; /* the schema is sent to be enforced */
    enum projection_rung rung;
    unsigned omit; /* enum provider_parameter bits */
    bool use_other_limit_name;
    bool is_streamed;
};

enum exchange_state {
    EXCHANGE_STATE_SENDING,
    EXCHANGE_STATE_WAITING,
    EXCHANGE_STATE_DONE,
    EXCHANGE_STATE_FAILED
};

struct exchange {
    const struct alloc *alloc;
    struct exchange_options options;
    const struct model_request *request;
    struct model_reply *reply;
    int64_t deadline_ms;
    enum exchange_state state;
    struct exchange_plan plan;
    uint64_t memory_key;
    struct projection *projection;
    struct model_message *messages; /* those of the request that are sent */
    uint32_t message_count;
    struct buffer words; /* what the projection has to say, one more turn */
    char schema_name[EXCHANGE_NAME_BYTES];
    struct protocol_request written;
    struct http_request http;
    struct protocol_reader reader; /* of the pending request */
    struct watch watch;
    enum watch_verdict verdict;
    bool is_answered;     /* bytes of the pending reply have come */
    size_t watched, told; /* of the reply's text */
    uint32_t attempt;     /* of the same request, 1-based */
    uint32_t requests;    /* sent in all */
    uint32_t stale_count;
    int64_t until_ms;
    struct model_usage spent; /* by earlier requests of the exchange */
    struct error error;
};

/* ---- exchange_request.c: making requests ---- */

/* The first plan, and whether the model can do what is asked (UNSUPPORTED). */
enum status exchange_plan_begin(struct exchange *exchange, struct error *error);
/* Projects, writes and arms the request of the plan. */
enum status exchange_write(struct exchange *exchange, int64_t now_ms, struct error *error);
/* The prompt and the limit fit into the model's context. */
enum status exchange_check_context(const struct exchange *exchange, struct error *error);

/* ---- exchange_ladder.c: what a refusal changes ---- */

/* Changes the plan by what failure blames. False: there is nothing left to change. */
bool exchange_plan_change(struct exchange *exchange, const struct provider_failure *failure);
uint64_t exchange_memory_key(const struct exchange *exchange);
void exchange_memory_recall(const struct exchange_memory *memory, uint64_t key,
                            struct exchange_plan *plan);
void exchange_memory_keep(struct exchange_memory *memory, uint64_t key,
                          const struct exchange_plan *plan);

/* One line for -v. */
void exchange_trace(const struct exchange *exchange, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif

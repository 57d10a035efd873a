/* exchange.h - one model call over a wire as a state machine without I/O: attempts, waits, ladder.
 *
 * Owns: the projection and its ladder, the request of every attempt, reading its reply, the watch
 * that stops a reply which cannot become valid, whether and when to try again, and what was spent.
 * Leaves to others: bytes on the wire (net), time (events), judging the value (engine).
 *
 * Invariants: one action is pending at a time; it ends exactly once; a request that blamed its
 * schema is never sent again as it was; nothing of an earlier attempt gets into a later one's text;
 * no attempt begins after the deadline; the sum of usage holds every attempt that was sent.
 */
#ifndef STRUCTURE_PROVIDER_EXCHANGE_H
#define STRUCTURE_PROVIDER_EXCHANGE_H

#include "provider/protocol.h"
#include "provider/retry.h"

/* What worked for a schema and a model: remembered between calls. */
struct exchange_memory;

struct exchange_options {
    const struct provider_row *provider; /* borrowed for the exchange, as everything here */
    const struct provider_model *model_row;
    struct str model;
    struct str base_url;
    struct str key;
    struct str ca_file;
    struct str proxy;
    struct str pool; /* who may share connections: provider and a hash of the key */
    const struct retry_policy *retry;  /* NULL: the default one */
    struct retry_budget *retry_budget; /* of this provider and credential; may be NULL */
    struct exchange_memory *memory;    /* may be NULL */
    const struct rng *rng;             /* jitter */
    int64_t (*wall_ms)(void *state);   /* for Retry-After dates; may be NULL */
    void *wall_state;
    bool stream;                                /* where the model takes it */
    bool abort_early;                           /* the watch */
    bool show_values;                           /* errors may hold the provider's own text */
    int64_t connect_ms, first_byte_ms, idle_ms; /* 0: defaults of limits.h */
    /* One line a step for -v and -vv; no content, no keys. May be NULL. */
    void (*trace)(void *state, const char *line);
    void *trace_state;
};

struct exchange;

enum exchange_action_kind {
    EXCHANGE_SEND, /* start this request; then tell head, body, end */
    EXCHANGE_WAIT, /* until until_ms (Retry-After, backoff); then tell exchange_on_time */
    EXCHANGE_DONE,
    EXCHANGE_FAILED
};

struct exchange_action {
    enum exchange_action_kind kind;
    const struct http_request *request; /* SEND: borrowed until its end */
    int64_t until_ms;                   /* WAIT */
};

/* request is borrowed until the exchange is freed. deadline_ms and now_ms: the driver's clock. The
 * text of the reply goes to reply->text, which the caller initialised. UNSUPPORTED (strict output
 * is required and the model has none; no projection), NO_MEMORY. */
enum status exchange_new(const struct exchange_options *options,
                         const struct model_request *request, int64_t now_ms, int64_t deadline_ms,
                         struct model_reply *reply, const struct alloc *alloc,
                         struct exchange **out_exchange, struct error *error);
void exchange_free(struct exchange *exchange); /* accepts NULL */

/* Repeating it without an event gives the same action. */
struct exchange_action exchange_next(const struct exchange *exchange);

/* Events of the pending SEND. body: false means that the transfer is to be stopped (end follows
 * with HTTP_STOPPED). */
void exchange_on_head(struct exchange *exchange, const struct http_head *head);
bool exchange_on_body(struct exchange *exchange, struct str chunk, int64_t now_ms);
void exchange_on_end(struct exchange *exchange, const struct http_end *end, int64_t now_ms);
/* The request could not be started at all. */
void exchange_on_start_failed(struct exchange *exchange, const struct error *error);
/* Of the pending WAIT. */
void exchange_on_time(struct exchange *exchange, int64_t now_ms);
/* In any state: CANCELLED or DEADLINE. A pending transfer is the driver's to cancel; was_sent:
 * there was one. What had come is accounted. */
void exchange_on_stop(struct exchange *exchange, enum status why, bool was_sent);

/* New text of the reply since the last call of this function, for progress. */
struct str exchange_take_text(struct exchange *exchange);
const struct error *exchange_error(const struct exchange *exchange); /* FAILED */
/* The projection of the last attempt; the exchange's. exchange_take_projection moves it out. */
struct projection *exchange_take_projection(struct exchange *exchange);

/* ---- memory of rungs ---- */

enum status exchange_memory_new(const struct alloc *alloc, struct exchange_memory **out_memory);
void exchange_memory_free(struct exchange_memory *memory);

/* Writes what the first SEND would be, for --dry-run: url, headers without secrets, body as JSON,
 * projection report. One JSON object. */
enum status exchange_describe(const struct exchange_options *options,
                              const struct model_request *request, const struct alloc *alloc,
                              struct buffer *out, struct error *error);

#endif

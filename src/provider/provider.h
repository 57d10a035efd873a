/* provider.h - a model behind a wire, as the model seam wants it.
 *
 * Owns: the key, the HTTP client and the exchange memory of one provider and credential; running an
 * exchange to its end on the calling thread. Leaves to others: reading configuration (the key comes
 * as a value). A model serves one call at a time; models over one http client share its thread.
 */
#ifndef STRUCTURE_PROVIDER_PROVIDER_H
#define STRUCTURE_PROVIDER_PROVIDER_H

#include "provider/exchange.h"

struct provider_options {
    const struct catalogue *catalogue; /* must outlive the model */
    const struct provider_row *provider;
    struct str model;    /* copied, as every text here */
    struct str base_url; /* empty: the row's */
    struct str key;
    struct str ca_file; /* empty: the row's, else the system's */
    struct str proxy;
    const struct http_client *http;             /* borrowed; NULL: one of its own */
    struct str record_folder;                   /* --record; empty: none */
    struct str replay_folder;                   /* --replay; then no network is used */
    const struct retry_policy *retry;           /* NULL: default */
    const struct rng *rng;                      /* borrowed, for jitter; NULL: one of its own */
    int64_t connect_ms, first_byte_ms, idle_ms; /* 0: defaults of limits.h */
    bool no_stream;
    bool no_early_abort;
    bool show_values;
    void (*trace)(void *state, const char *line);
    void *trace_state;
};

/* NOT_CONFIGURED (no key where one is required, no base URL; the message names the variable),
 * INVALID_REQUEST (the base URL is none), UNSUPPORTED (built without libcurl), NO_MEMORY. */
enum status provider_open(const struct provider_options *options, const struct alloc *alloc,
                          struct model *out_model, struct error *error);

/* What is known of the model before it is opened: enough to check a request. */
struct model_info provider_model_info(const struct provider_row *provider, struct str model);

/* The options of an exchange with this model, for drivers that run many at once (engine/flight.h);
 * NULL if model is not one of provider_open. */
const struct exchange_options *provider_exchange_options(const struct model *model);
const struct http_client *provider_http(const struct model *model);
/* Whether an exchange could not be stored in the record folder, which disturbs no call; or NULL. */
const struct error *provider_record_error(const struct model *model);

/* What --dry-run prints (exchange_describe with this model's options). */
enum status provider_describe(const struct model *model, const struct model_request *request,
                              struct buffer *out, struct error *error);

#endif

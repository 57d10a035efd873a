/* flight.h - many calls in flight on one thread: engine calls and exchanges over one HTTP client.
 *
 * Owns: which call waits for what, timers of waits and deadlines, and telling each end once.
 * Leaves to others: the loop of the content stage (engine.c), a model call (provider/exchange.h),
 * sockets (net). Memory per call is what the call itself needs and a few hundred bytes. Invariant:
 * every started call ends exactly once, through its done. Thread rule: the http client's thread.
 */
#ifndef STRUCTURE_ENGINE_FLIGHT_H
#define STRUCTURE_ENGINE_FLIGHT_H

#include "engine/engine.h"
#include "provider/exchange.h"

struct flight;
struct flight_call;

struct flight_sink {
    /* The call ended; engine_call_result or engine_call_error say how. It may be freed here, and
     * new calls may be started. */
    void (*done)(void *state, struct engine_call *call);
    void *state;
};

/* http is borrowed. */
enum status flight_new(const struct http_client *http, const struct alloc *alloc,
                       struct flight **out_flight);
void flight_free(struct flight *flight); /* cancels what is in flight, without done */

/* Takes the call in; it stays the caller's. exchange: options of its model, borrowed. model_ms: of
 * one model call, 0: none; deadline_ms: of the whole, on the client's clock. */
enum status flight_start(struct flight *flight, struct engine_call *call,
                         const struct exchange_options *exchange, int64_t model_ms,
                         int64_t deadline_ms, const struct flight_sink *sink,
                         struct flight_call **out_call, struct error *error);
/* Ends it with CANCELLED (done is called from within). */
void flight_cancel(struct flight *flight, struct flight_call *call);

uint32_t flight_count(const struct flight *flight);
/* Delivers events until something happened or now is until_ms. */
void flight_run(struct flight *flight, int64_t until_ms);

#endif

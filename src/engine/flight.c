/* flight.c - many calls in flight on one thread. See flight.h.
 *
 * Owns: one record a call, the heap of the moments at which waits and deadlines end, and the order
 * of events. Leaves to others: everything that a call does. Invariants: a record is in the list
 * from its start to its done; done is told outside of every event of the call, so that whoever is
 * told may free the call and start others.
 */
#include "base/features.h"

#include "engine/flight.h"

#include "base/limits.h"

struct flight_call {
    struct flight *flight;
    struct flight_call *previous, *next;
    struct engine_call *call;
    const struct exchange_options *options;
    struct flight_sink sink;
    struct engine_action action; /* the pending GENERATE; its request is borrowed by exchange */
    struct exchange *exchange;
    struct http_transfer *transfer;
    struct projection *projection; /* of the reply that is judged */
    struct model_reply reply;
    int64_t model_ms, deadline_ms;
    int64_t due_ms; /* of a wait, or of the deadline */
    uint32_t slot;
    bool is_model_deadline; /* the exchange's deadline is that of the model call */
};

struct flight {
    struct http_client http;
    const struct alloc *alloc;
    struct flight_call *calls;
    struct flight_call **heap; /* by due_ms */
    uint32_t count, cap;
};

/* ---- heap ---- */

static void heap_put(struct flight *flight, uint32_t slot, struct flight_call *item)
{
    flight->heap[slot] = item;
    item->slot = slot;
}

static void heap_up(struct flight *flight, uint32_t slot)
{
    struct flight_call *item = flight->heap[slot];
    while (slot > 0 && flight->heap[(slot - 1) / 2]->due_ms > item->due_ms) {
        heap_put(flight, slot, flight->heap[(slot - 1) / 2]);
        slot = (slot - 1) / 2;
    }
    heap_put(flight, slot, item);
}

static void heap_down(struct flight *flight, uint32_t slot)
{
    struct flight_call *item = flight->heap[slot];
    for (;;) {
        uint32_t child = 2 * slot + 1;
        if (child >= flight->count)
            break;
        if (child + 1 < flight->count &&
            flight->heap[child + 1]->due_ms < flight->heap[child]->due_ms)
            child++;
        if (flight->heap[child]->due_ms >= item->due_ms)
            break;
        heap_put(flight, slot, flight->heap[child]);
        slot = child;
    }
    heap_put(flight, slot, item);
}

static void heap_move(struct flight_call *item, int64_t due_ms)
{
    item->due_ms = due_ms;
    heap_up(item->flight, item->slot);
    heap_down(item->flight, item->slot);
}

static bool heap_add(struct flight *flight, struct flight_call *item)
{
    if (flight->count == flight->cap) {
        uint32_t cap = flight->cap == 0 ? 16 : flight->cap * 2;
        void *grown = alloc_grow(flight->alloc, flight->heap, flight->cap * sizeof(*flight->heap),
                                 cap * sizeof(*flight->heap));
        if (grown == NULL)
            return false;
        flight->heap = grown;
        flight->cap = cap;
    }
    heap_put(flight, flight->count++, item);
    heap_up(flight, item->slot);
    return true;
}

static void heap_remove(struct flight *flight, struct flight_call *item)
{
    struct flight_call *last = flight->heap[--flight->count];
    uint32_t slot = item->slot;
    if (last == item)
        return;
    heap_put(flight, slot, last);
    heap_up(flight, slot);
    heap_down(flight, last->slot);
}

/* ---- life cycle ---- */

enum status flight_new(const struct http_client *http, const struct alloc *alloc,
                       struct flight **out_flight)
{
    struct flight *flight = alloc_get(alloc, sizeof(*flight));
    if (flight == NULL)
        return STATUS_NO_MEMORY;
    *flight = (struct flight){ .http = *http, .alloc = alloc };
    *out_flight = flight;
    return STATUS_OK;
}

static void drop_exchange(struct flight_call *item)
{
    if (item->transfer != NULL)
        http_cancel(&item->flight->http, item->transfer);
    item->transfer = NULL;
    exchange_free(item->exchange);
    item->exchange = NULL;
    projection_free(item->projection);
    item->projection = NULL;
    buffer_release(&item->reply.text);
}

static void item_free(struct flight_call *item)
{
    struct flight *flight = item->flight;
    drop_exchange(item);
    heap_remove(flight, item);
    if (item->previous != NULL)
        item->previous->next = item->next;
    else
        flight->calls = item->next;
    if (item->next != NULL)
        item->next->previous = item->previous;
    alloc_free(flight->alloc, item, sizeof(*item));
}

void flight_free(struct flight *flight)
{
    if (flight == NULL)
        return;
    while (flight->calls != NULL)
        item_free(flight->calls);
    alloc_free(flight->alloc, flight->heap, flight->cap * sizeof(*flight->heap));
    alloc_free(flight->alloc, flight, sizeof(*flight));
}

uint32_t flight_count(const struct flight *flight)
{
    return flight->count;
}

static void tell_done(struct flight_call *item)
{
    struct flight_sink sink = item->sink;
    struct engine_call *call = item->call;
    item_free(item);
    sink.done(sink.state, call);
}

/* ---- one model call ---- */

static void item_step(struct flight_call *item);

static void on_head(void *state, const struct http_head *head)
{
    struct flight_call *item = state;
    exchange_on_head(item->exchange, head);
}

static bool on_body(void *state, struct str chunk)
{
    struct flight_call *item = state;
    return exchange_on_body(item->exchange, chunk, http_now_ms(&item->flight->http));
}

static void on_end(void *state, const struct http_end *end)
{
    struct flight_call *item = state;
    item->transfer = NULL;
    exchange_on_end(item->exchange, end, http_now_ms(&item->flight->http));
    item_step(item);
}

/* The deadline that passed was that of one model call, not of the whole. */
static void name_the_clock(const struct flight_call *item, struct error *error)
{
    if (error->status != STATUS_DEADLINE || !item->is_model_deadline)
        return;
    error_clear(error);
    error_set(error, STATUS_DEADLINE, "the model did not answer within %lld ms",
              (long long)item->model_ms);
    error_hint(error, "raise the limit of one model call with --timeout");
}

/* Hands what became of the exchange to the call. */
static void take_answer(struct flight_call *item, bool is_done)
{
    if (is_done) {
        item->projection = exchange_take_projection(item->exchange);
        item->reply.projection = item->projection;
        engine_call_on_reply(item->call, &item->reply);
    } else {
        struct error error = *exchange_error(item->exchange);
        name_the_clock(item, &error);
        engine_call_on_failure(item->call, &error, &item->reply.usage);
    }
    drop_exchange(item);
}

static void begin_exchange(struct flight_call *item)
{
    struct error error = { 0 };
    int64_t now_ms = http_now_ms(&item->flight->http);
    int64_t model_ms = item->model_ms > 0 && now_ms < INT64_MAX - item->model_ms
                           ? now_ms + item->model_ms
                           : INT64_MAX;
    item->is_model_deadline = model_ms < item->deadline_ms;
    int64_t deadline_ms = item->is_model_deadline ? model_ms : item->deadline_ms;
    memset(&item->reply, 0, sizeof(item->reply));
    item->reply.finish = MODEL_FINISH_UNKNOWN;
    buffer_init(&item->reply.text, item->flight->alloc, LIMIT_REPLY_BYTES);
    error_clear(&error);
    if (exchange_new(item->options, &item->action.request, now_ms, deadline_ms, &item->reply,
                     item->flight->alloc, &item->exchange, &error) != STATUS_OK) {
        engine_call_on_failure(item->call, &error, &item->reply.usage);
        buffer_release(&item->reply.text);
    }
}

static void send_request(struct flight_call *item, const struct http_request *request)
{
    struct http_sink sink = { on_head, on_body, on_end, item };
    struct error error = { 0 };
    error_clear(&error);
    heap_move(item, item->deadline_ms);
    if (http_start(&item->flight->http, request, &sink, &item->transfer, &error) != STATUS_OK) {
        item->transfer = NULL;
        exchange_on_start_failed(item->exchange, &error);
    }
}

/* Goes as far as it can without waiting. */
static void item_step(struct flight_call *item)
{
    for (;;) {
        if (item->exchange == NULL) {
            item->action = engine_call_next(item->call);
            if (item->action.kind != ENGINE_ACTION_GENERATE) {
                tell_done(item);
                return;
            }
            begin_exchange(item);
            continue;
        }
        struct exchange_action action = exchange_next(item->exchange);
        switch (action.kind) {
        case EXCHANGE_SEND:
            if (item->transfer != NULL)
                return;
            send_request(item, action.request);
            break;
        case EXCHANGE_WAIT:
            if (http_now_ms(&item->flight->http) < action.until_ms) {
                heap_move(item, action.until_ms < item->deadline_ms ? action.until_ms
                                                                    : item->deadline_ms);
                return;
            }
            exchange_on_time(item->exchange, http_now_ms(&item->flight->http));
            break;
        case EXCHANGE_DONE: take_answer(item, true); break;
        case EXCHANGE_FAILED: take_answer(item, false); break;
        }
    }
}

enum status flight_start(struct flight *flight, struct engine_call *call,
                         const struct exchange_options *exchange, int64_t model_ms,
                         int64_t deadline_ms, const struct flight_sink *sink,
                         struct flight_call **out_call, struct error *error)
{
    struct flight_call *item = alloc_get(flight->alloc, sizeof(*item));
    if (item == NULL)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    memset(item, 0, sizeof(*item));
    item->flight = flight;
    item->call = call;
    item->options = exchange;
    item->sink = *sink;
    item->model_ms = model_ms;
    item->deadline_ms = deadline_ms;
    item->due_ms = http_now_ms(&flight->http); /* its first step is taken by flight_run */
    if (!heap_add(flight, item)) {
        alloc_free(flight->alloc, item, sizeof(*item));
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    }
    item->next = flight->calls;
    if (flight->calls != NULL)
        flight->calls->previous = item;
    flight->calls = item;
    *out_call = item;
    return STATUS_OK;
}

static void item_stop(struct flight_call *item, enum status why)
{
    if (item->exchange != NULL) {
        exchange_on_stop(item->exchange, why, item->transfer != NULL);
        if (item->transfer != NULL)
            http_cancel(&item->flight->http, item->transfer);
        item->transfer = NULL;
    } else {
        engine_call_on_stop(item->call, why);
    }
    item_step(item);
}

void flight_cancel(struct flight *flight, struct flight_call *call)
{
    (void)flight;
    item_stop(call, STATUS_CANCELLED);
}

/* ---- time ---- */

/* Steps whatever is due; true: something was. */
static bool step_due(struct flight *flight)
{
    bool has_stepped = false;
    while (flight->count > 0) {
        struct flight_call *item = flight->heap[0];
        int64_t now_ms = http_now_ms(&flight->http);
        if (item->due_ms > now_ms)
            break;
        has_stepped = true;
        if (now_ms >= item->deadline_ms)
            item_stop(item, STATUS_DEADLINE);
        else
            item_step(item);
    }
    return has_stepped;
}

void flight_run(struct flight *flight, int64_t until_ms)
{
    if (step_due(flight))
        until_ms =
            0; /* something happened: what else is ready is delivered, nothing is waited for */
    else if (flight->count > 0 && flight->heap[0]->due_ms < until_ms)
        until_ms = flight->heap[0]->due_ms;
    http_run(&flight->http, until_ms);
    (void)step_due(flight);
}

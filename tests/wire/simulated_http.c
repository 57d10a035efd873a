/* simulated_http.c - an HTTP client in virtual time. See simulated_http.h. */
#include "base/features.h"

#include "simulated_http.h"

#include <stdlib.h>

struct http_transfer {
    struct http_transfer *next;
    struct http_sink sink;
    struct simulated_answer answer;
    int64_t due_ms;      /* of its next event */
    int64_t deadline_ms; /* of the request */
    int64_t first_byte_ms, idle_ms;
    size_t sent, bytes_max;
    bool has_head, is_busy, is_cancelled;
};

struct simulated_http {
    struct simulated_http_options options;
    struct http_transfer *transfers;
    int64_t now_ms;
    uint32_t open;
    uint64_t events;
};

static int64_t later(int64_t now_ms, int64_t wait_ms)
{
    return wait_ms > INT64_MAX - now_ms ? INT64_MAX : now_ms + wait_ms;
}

static enum status sim_start(void *state, const struct http_request *request,
                             const struct http_sink *sink, struct http_transfer **out_transfer,
                             struct error *error)
{
    struct simulated_http *http = state;
    struct http_transfer *transfer = calloc(1, sizeof(*transfer));
    if (transfer == NULL)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    transfer->sink = *sink;
    transfer->deadline_ms = request->deadline_ms;
    transfer->first_byte_ms = request->first_byte_ms;
    transfer->idle_ms = request->idle_ms;
    transfer->bytes_max = request->body_bytes_max;
    http->options.answer(http->options.state, request, &transfer->answer);
    transfer->due_ms = later(http->now_ms, transfer->answer.head_delay_ms);
    transfer->next = http->transfers;
    http->transfers = transfer;
    http->open++;
    *out_transfer = transfer;
    return STATUS_OK;
}

static void unlink_transfer(struct simulated_http *http, struct http_transfer *transfer)
{
    struct http_transfer **at = &http->transfers;
    while (*at != transfer)
        at = &(*at)->next;
    *at = transfer->next;
    http->open--;
}

static void sim_cancel(void *state, struct http_transfer *transfer)
{
    struct simulated_http *http = state;
    unlink_transfer(http, transfer);
    transfer->is_cancelled = true;
    if (!transfer->is_busy)
        free(transfer);
}

static void end_transfer(struct simulated_http *http, struct http_transfer *transfer,
                         enum http_outcome outcome)
{
    struct http_sink sink = transfer->sink;
    struct http_end end = { .outcome = outcome,
                            .was_sent = outcome != HTTP_UNREACHABLE && outcome != HTTP_TLS_FAILED,
                            .detail = "",
                            .wire_bytes = transfer->sent };
    unlink_transfer(http, transfer);
    free(transfer);
    sink.end(sink.state, &end);
}

static void deliver_head(struct http_transfer *transfer)
{
    const struct http_head head = { transfer->answer.status, transfer->answer.headers,
                                    transfer->answer.header_count };
    transfer->has_head = true;
    transfer->sink.head(transfer->sink.state, &head);
}

static bool deliver_piece(struct http_transfer *transfer)
{
    const struct simulated_answer *answer = &transfer->answer;
    size_t len = answer->body.len - transfer->sent;
    len = len < answer->piece_bytes ? len : answer->piece_bytes;
    struct str piece = { answer->body.ptr + transfer->sent, len };
    transfer->sent += len;
    return transfer->sink.body(transfer->sink.state, piece);
}

/* The limit that passes before the next event, or DONE. */
static enum http_outcome limit_of(const struct http_transfer *transfer, int64_t begun_ms,
                                  int64_t *out_ms)
{
    int64_t limit_ms = transfer->has_head ? transfer->idle_ms : transfer->first_byte_ms;
    int64_t passes_ms = limit_ms > 0 ? later(begun_ms, limit_ms) : INT64_MAX;
    *out_ms = passes_ms < transfer->deadline_ms ? passes_ms : transfer->deadline_ms;
    if (*out_ms >= transfer->due_ms)
        return HTTP_DONE;
    if (transfer->deadline_ms <= passes_ms)
        return HTTP_DEADLINE;
    return transfer->has_head ? HTTP_IDLE_TIMEOUT : HTTP_FIRST_BYTE_TIMEOUT;
}

/* One event, whose moment has come. */
static void deliver(struct simulated_http *http, struct http_transfer *transfer)
{
    int64_t wait_ms =
        transfer->has_head ? transfer->answer.piece_delay_ms : transfer->answer.head_delay_ms;
    int64_t limit_at_ms;
    enum http_outcome limit = limit_of(transfer, transfer->due_ms - wait_ms, &limit_at_ms);
    bool goes_on = true;
    http->events++;
    if (limit != HTTP_DONE) {
        end_transfer(http, transfer, limit);
        return;
    }
    if (transfer->answer.status == 0 ||
        (transfer->has_head && transfer->sent == transfer->answer.body.len)) {
        end_transfer(http, transfer, transfer->answer.outcome);
        return;
    }
    transfer->is_busy = true;
    if (!transfer->has_head)
        deliver_head(transfer);
    else
        goes_on = deliver_piece(transfer);
    transfer->is_busy = false;
    if (transfer->is_cancelled)
        free(transfer);
    else if (!goes_on)
        end_transfer(http, transfer, HTTP_STOPPED);
    else if (transfer->sent > transfer->bytes_max)
        end_transfer(http, transfer, HTTP_BODY_TOO_LARGE);
    else
        transfer->due_ms = later(http->now_ms, transfer->answer.piece_delay_ms);
}

/* When something happens to it: its event, or a limit before that. */
static int64_t moment_of(const struct http_transfer *transfer)
{
    int64_t wait_ms =
        transfer->has_head ? transfer->answer.piece_delay_ms : transfer->answer.head_delay_ms;
    int64_t limit_at_ms;
    enum http_outcome limit = limit_of(transfer, transfer->due_ms - wait_ms, &limit_at_ms);
    return limit == HTTP_DONE ? transfer->due_ms : limit_at_ms;
}

static void sim_run(void *state, int64_t until_ms)
{
    struct simulated_http *http = state;
    struct http_transfer *first = NULL;
    for (struct http_transfer *at = http->transfers; at != NULL; at = at->next) {
        if (first == NULL || moment_of(at) < moment_of(first))
            first = at;
    }
    int64_t moment_ms = first == NULL ? INT64_MAX : moment_of(first);
    if (moment_ms > until_ms) {
        if (until_ms > http->now_ms && until_ms != INT64_MAX)
            http->now_ms = until_ms;
        return;
    }
    if (first == NULL)
        return;
    if (moment_ms > http->now_ms)
        http->now_ms = moment_ms;
    deliver(http, first);
}

static void sim_wake(void *state)
{
    (void)state;
}

static int64_t sim_now_ms(void *state)
{
    const struct simulated_http *http = state;
    return http->now_ms;
}

static void sim_free(void *state)
{
    struct simulated_http *http = state;
    while (http->transfers != NULL)
        sim_cancel(http, http->transfers);
    free(http);
}

struct simulated_http *simulated_http_new(const struct simulated_http_options *options,
                                          struct http_client *out_client)
{
    static const struct http_client_ops ops = { sim_start, sim_cancel, sim_run,
                                                sim_wake,  sim_now_ms, sim_free };
    struct simulated_http *http = calloc(1, sizeof(*http));
    if (http == NULL)
        return NULL;
    http->options = *options;
    *out_client = (struct http_client){ &ops, http };
    return http;
}

uint32_t simulated_http_open(const struct simulated_http *http)
{
    return http->open;
}

uint64_t simulated_http_events(const struct simulated_http *http)
{
    return http->events;
}

/* record_test.h - an HTTP client of the tests that answers from a script, and a log of what came.
 *
 * Owns: one reply for every request, delivered by run in pieces. For tests of what stands in front
 * of a client, without sockets.
 */
#ifndef STRUCTURE_RECORD_TEST_H
#define STRUCTURE_RECORD_TEST_H

#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "net/record.h"
#include "test_alloc.h"
#include "test_data.h"

#define STR_LITERAL(literal)                                                                       \
    {                                                                                              \
        "" literal, sizeof(literal) - 1                                                            \
    }

enum { RECORD_TEST_BODY_MAX = 4096, RECORD_TEST_HEADERS_MAX = 8, RECORD_TEST_WAITING = 8 };

struct answer {
    int status; /* 0: no head */
    struct http_header headers[RECORD_TEST_HEADERS_MAX];
    uint32_t header_count;
    struct str body;
    size_t piece; /* 0: in one */
    enum http_outcome outcome;
};

struct answering {
    const struct answer *answer;
    struct http_sink waiting[RECORD_TEST_WAITING];
    bool is_cancelled[RECORD_TEST_WAITING];
    uint32_t count, cancels;
    bool was_freed, was_woken;
};

static inline enum status answering_start(void *state, const struct http_request *request,
                                          const struct http_sink *sink,
                                          struct http_transfer **out_transfer, struct error *error)
{
    struct answering *answering = state;
    (void)request;
    (void)error;
    assert_true(answering->count < RECORD_TEST_WAITING);
    answering->is_cancelled[answering->count] = false;
    answering->waiting[answering->count] = *sink;
    *out_transfer = (struct http_transfer *)(void *)&answering->waiting[answering->count++];
    return STATUS_OK;
}

static inline void answering_cancel(void *state, struct http_transfer *transfer)
{
    struct answering *answering = state;
    answering->cancels++;
    answering->is_cancelled[(struct http_sink *)(void *)transfer - answering->waiting] = true;
}

static inline void answering_deliver(struct answering *answering, uint32_t index)
{
    const struct answer *answer = answering->answer;
    const struct http_sink *sink = &answering->waiting[index];
    struct http_head head = { answer->status, answer->headers, answer->header_count };
    struct http_end end = { .outcome = answer->outcome, .detail = "as told", .was_sent = true };
    if (answer->status != 0)
        sink->head(sink->state, &head);
    size_t piece = answer->piece > 0 ? answer->piece : answer->body.len;
    for (size_t at = 0; at < answer->body.len; at += piece) {
        size_t len = piece < answer->body.len - at ? piece : answer->body.len - at;
        if (answering->is_cancelled[index])
            return;
        if (!sink->body(sink->state, str_of(answer->body.ptr + at, len)))
            end.outcome = HTTP_STOPPED;
        if (end.outcome == HTTP_STOPPED)
            break;
    }
    if (!answering->is_cancelled[index])
        sink->end(sink->state, &end);
}

static inline void answering_run(void *state, int64_t until_ms)
{
    struct answering *answering = state;
    (void)until_ms;
    uint32_t count = answering->count;
    for (uint32_t i = 0; i < count; i++) {
        if (!answering->is_cancelled[i])
            answering_deliver(answering, i);
    }
    answering->count = 0;
}

static inline void answering_wake(void *state)
{
    struct answering *answering = state;
    answering->was_woken = true;
}

static inline int64_t answering_now_ms(void *state)
{
    (void)state;
    return 42;
}

static inline void answering_free(void *state)
{
    struct answering *answering = state;
    answering->was_freed = true;
}

static inline struct http_client answering_client(struct answering *answering)
{
    static const struct http_client_ops ops = {
        .start = answering_start,
        .cancel = answering_cancel,
        .run = answering_run,
        .wake = answering_wake,
        .now_ms = answering_now_ms,
        .free = answering_free,
    };
    return (struct http_client){ &ops, answering };
}

/* ---- what comes ---- */

struct record_log {
    uint32_t heads, ends;
    int status;
    char request_id[64];
    char body[RECORD_TEST_BODY_MAX];
    size_t body_len;
    enum http_outcome outcome;
    char detail[512];
};

static inline void record_log_head(void *state, const struct http_head *head)
{
    struct record_log *log = state;
    struct str id = http_head_get(head, STR("x-request-id"));
    log->heads++;
    log->status = head->status;
    (void)snprintf(log->request_id, sizeof(log->request_id), "%.*s", (int)id.len, id.ptr);
}

static inline bool record_log_body(void *state, struct str chunk)
{
    struct record_log *log = state;
    assert_int_equal(log->heads, 1);
    assert_true(log->body_len + chunk.len <= sizeof(log->body));
    memcpy(log->body + log->body_len, chunk.ptr, chunk.len);
    log->body_len += chunk.len;
    return true;
}

static inline void record_log_end(void *state, const struct http_end *end)
{
    struct record_log *log = state;
    log->ends++;
    log->outcome = end->outcome;
    (void)snprintf(log->detail, sizeof(log->detail), "%s", end->detail);
}

static inline struct http_sink record_log_sink(struct record_log *log)
{
    return (struct http_sink){ record_log_head, record_log_body, record_log_end, log };
}

/* One transfer, to its end. */
static inline enum status record_log_ask(struct record_log *log, const struct http_client *client,
                                         const struct http_request *request)
{
    struct http_transfer *transfer = NULL;
    struct http_sink sink = record_log_sink(log);
    struct error error;
    memset(log, 0, sizeof(*log));
    enum status status = http_start(client, request, &sink, &transfer, &error);
    if (status == STATUS_OK) {
        assert_int_equal(log->ends, 0);
        http_run(client, 0);
        assert_int_equal(log->ends, 1);
    }
    return status;
}

#endif

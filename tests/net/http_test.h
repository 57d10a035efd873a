/* http_test.h - one transfer of the HTTP client in a test: what is asked, and a log of what came.
 *
 * Owns: the requests that tests begin with, the log of head, bodies and end, and the check that
 * events come in their order. Limits are long where a test waits for something else to happen, and
 * short where the limit itself is what must happen.
 */
#ifndef STRUCTURE_HTTP_TEST_H
#define STRUCTURE_HTTP_TEST_H

#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "fault_output.h"
#include "fault_server.h"
#include "net/http_curl.h"
#include "test_alloc.h"

enum {
    HTTP_TEST_LONG_MS = 20000, /* never reached unless something hangs */
    HTTP_TEST_SHORT_MS = 60,
    HTTP_TEST_BODY_MAX = 4 << 20,
    HTTP_TEST_KEPT_MAX = 64 << 10,
    HTTP_TEST_NAME_BYTES = 64
};

#define STEP(kind, text)                                                                           \
    {                                                                                              \
        kind, STR_LITERAL(text), 0, 0                                                              \
    }
#define STEP_COUNT(kind, text, count)                                                              \
    {                                                                                              \
        kind, STR_LITERAL(text), count, 0                                                          \
    }
#define SCRIPT(name, ...)                                                                          \
    static const struct fault_step name##_steps[] = { __VA_ARGS__, STEP(FAULT_END, "") };          \
    static const struct fault_script name = { .steps = name##_steps, .cut = FAULT_END }
#define SCRIPT_AT(name, when, ...)                                                                 \
    static const struct fault_step name##_steps[] = { __VA_ARGS__, STEP(FAULT_END, "") };          \
    static const struct fault_script name = { .steps = name##_steps,                               \
                                              .moment = when,                                      \
                                              .cut = FAULT_END }

/* What came of one transfer. */
struct http_log {
    const struct http_client *client;
    struct http_transfer *transfer;
    uint32_t heads, bodies, ends;
    int status;
    char type[HTTP_TEST_NAME_BYTES]; /* the content type */
    uint32_t header_count;
    uint64_t body_bytes;
    char kept[HTTP_TEST_KEPT_MAX]; /* the beginning of the body */
    size_t kept_len;
    struct http_end end;
    char detail[256];
    bool stops_at_body, cancels_at_head, cancels_at_body;
    bool is_cancelled;
    struct http_log *cancels; /* another transfer, at the head of this one */
};

static inline void http_log_cancel(struct http_log *log)
{
    log->is_cancelled = true;
    http_cancel(log->client, log->transfer);
}

static inline void http_log_on_head(void *state, const struct http_head *head)
{
    struct http_log *log = state;
    assert_false(log->is_cancelled);
    assert_int_equal(log->heads + log->bodies + log->ends, 0);
    log->heads++;
    log->status = head->status;
    log->header_count = head->header_count;
    struct str type = http_head_get(head, STR("content-type"));
    (void)snprintf(log->type, sizeof(log->type), "%.*s", (int)type.len, type.ptr);
    if (log->cancels_at_head)
        http_log_cancel(log);
    if (log->cancels != NULL && log->cancels->ends == 0)
        http_log_cancel(log->cancels);
}

static inline bool http_log_on_body(void *state, struct str chunk)
{
    struct http_log *log = state;
    assert_false(log->is_cancelled);
    assert_int_equal(log->heads, 1);
    assert_int_equal(log->ends, 0);
    log->bodies++;
    log->body_bytes += chunk.len;
    size_t room = sizeof(log->kept) - log->kept_len;
    size_t len = chunk.len < room ? chunk.len : room;
    memcpy(log->kept + log->kept_len, chunk.ptr, len);
    log->kept_len += len;
    if (log->cancels_at_body)
        http_log_cancel(log);
    return !log->stops_at_body;
}

static inline void http_log_on_end(void *state, const struct http_end *end)
{
    struct http_log *log = state;
    assert_false(log->is_cancelled);
    assert_int_equal(log->ends, 0);
    log->ends++;
    log->end = *end;
    assert_non_null(end->detail);
    (void)snprintf(log->detail, sizeof(log->detail), "%s", end->detail);
    log->end.detail = log->detail;
}

static inline struct str http_log_body(const struct http_log *log)
{
    return str_of(log->kept, log->kept_len);
}

/* A GET without limits that a test would reach. */
static inline struct http_request http_test_request(const struct http_client *client,
                                                    const char *url)
{
    return (struct http_request){ .method = STR("GET"),
                                  .url = str_from(url),
                                  .pool = STR("pool"),
                                  .connect_ms = HTTP_TEST_LONG_MS,
                                  .first_byte_ms = HTTP_TEST_LONG_MS,
                                  .idle_ms = HTTP_TEST_LONG_MS,
                                  .deadline_ms = http_now_ms(client) + HTTP_TEST_LONG_MS,
                                  .body_bytes_max = HTTP_TEST_BODY_MAX };
}

static inline enum status http_log_start(struct http_log *log, const struct http_client *client,
                                         const struct http_request *request)
{
    struct error error = { 0 };
    struct http_sink sink = { http_log_on_head, http_log_on_body, http_log_on_end, log };
    log->client = client;
    return http_start(client, request, &sink, &log->transfer, &error);
}

/* Runs the client until the transfer has ended, or was cancelled. */
static inline void http_log_finish(struct http_log *log)
{
    int64_t until_ms = http_now_ms(log->client) + 2 * HTTP_TEST_LONG_MS;
    while (log->ends == 0 && !log->is_cancelled && http_now_ms(log->client) < until_ms)
        http_run(log->client, until_ms);
    assert_true(log->ends == 1 || log->is_cancelled);
}

/* Runs the client until the head of a reply came. */
static inline void http_log_await_head(struct http_log *log)
{
    int64_t until_ms = http_now_ms(log->client) + HTTP_TEST_LONG_MS;
    while (log->heads == 0 && log->ends == 0 && http_now_ms(log->client) < until_ms)
        http_run(log->client, until_ms);
    assert_int_equal(log->heads, 1);
}

/* Whole transfers. */
static inline void http_log_run(struct http_log *log, const struct http_client *client,
                                const struct http_request *request)
{
    assert_int_equal(http_log_start(log, client, request), STATUS_OK);
    http_log_finish(log);
}

static inline struct http_client http_test_client(const struct alloc *alloc)
{
    struct http_client client = { NULL, NULL };
    struct error error = { 0 };
    assert_int_equal(http_curl_new(NULL, alloc, &client, &error), STATUS_OK);
    return client;
}

/* A server and a client that watch each other. */
struct http_pair {
    struct test_alloc memory;
    struct fault_server *server;
    struct http_client client;
    char url[FAULT_URL_BYTES];
};

static inline void http_pair_open(struct http_pair *pair)
{
    test_alloc_init(&pair->memory);
    pair->server = fault_server_new(NULL);
    assert_non_null(pair->server);
    pair->client = http_test_client(&pair->memory.alloc);
    (void)fault_server_url(pair->server, "/v1/reply", pair->url);
}

static inline void http_pair_close(struct http_pair *pair)
{
    http_client_free(&pair->client);
    test_alloc_assert_empty(&pair->memory);
    fault_server_free(pair->server);
}

static inline struct http_request http_pair_request(const struct http_pair *pair)
{
    return http_test_request(&pair->client, pair->url);
}

#endif

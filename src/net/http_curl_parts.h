/* http_curl_parts.h - private to src/net/http_curl*.c: the client, its pools, one transfer. */
#ifndef STRUCTURE_NET_HTTP_CURL_PARTS_H
#define STRUCTURE_NET_HTTP_CURL_PARTS_H

#include <curl/curl.h>
#include <uv.h>

#include "base/buffer.h"
#include "net/http_curl.h"

enum { HTTP_CURL_HEADERS_MAX = 128, HTTP_CURL_NO_SLOT = -1 };

struct http_curl;

/* Connections of one provider and credential: a multi handle of its own, because libcurl offers a
 * kept connection to every transfer of a multi. */
struct http_curl_pool {
    struct http_curl *client;
    struct http_curl_pool *next;
    CURLM *multi;
    uv_timer_t timer; /* libcurl's own */
    struct str name;
    uint32_t transfers, sockets; /* of it, now */
    uint32_t in_use;             /* depth of actions that will look at it again */
    uint64_t used_at;            /* a count: the higher, the later */
    bool is_blind;               /* a socket is not watched, for memory is short */
};

/* One socket that libcurl asked to watch. */
struct http_curl_socket {
    uv_poll_t poll;
    struct http_curl_pool *pool;
    curl_socket_t fd;
    int events; /* of libuv, that are watched for */
};

struct http_transfer {
    struct http_curl *client;
    struct http_curl_pool *pool;
    struct http_transfer *previous, *next; /* of the client's list */
    CURL *easy;
    struct curl_slist *headers; /* zeroed before it is freed */
    struct str body;            /* a copy, zeroed and freed at the end */
    struct http_sink sink;
    char words[CURL_ERROR_SIZE]; /* libcurl's, for its own ends; not told: they may hold anything */
    struct buffer head;          /* lines of the head that is arriving, without their ends */
    int64_t start_ms, last_ms;   /* begin; last byte received */
    int64_t connect_from_ms;     /* when its turn for a connection of the pool came */
    bool is_connecting;          /* ... has come */
    int64_t connect_ms, first_byte_ms, idle_ms, deadline_ms;
    int64_t due_ms; /* when it must be looked at */
    int slot;       /* in the client's heap of due times */
    uint64_t body_bytes;
    size_t body_bytes_max, head_bytes_max, head_bytes;
    enum http_outcome stopped_as; /* why a callback made libcurl stop; HTTP_DONE: it did not */
    bool has_head;                /* the final head was delivered */
    bool is_late;                 /* started from within a callback: added when libcurl is left */
    bool is_cancelled;            /* from within a callback: removed when libcurl is left */
};

struct http_curl {
    const struct alloc *alloc;
    uv_loop_t own_loop;
    uv_loop_t *loop;
    struct http_curl_pool *pools;
    struct http_transfer *transfers;
    struct http_transfer **heap; /* by due_ms, the soonest first */
    uint32_t heap_count, heap_cap;
    uv_timer_t due_timer, run_timer;
    uv_async_t wake;
    uint32_t handles; /* of libuv, not closed yet */
    uint32_t pool_count;
    uint64_t uses;      /* of pools, so far */
    uint32_t in_curl;   /* depth of calls into libcurl */
    bool has_late;      /* a transfer waits for being removed, or added */
    bool was_delivered; /* an event, or a wake, since run began */
    bool is_closing;
    uint32_t pool_connections_max;
};

/* ---- http_curl.c ---- */

int64_t http_curl_now_ms(const struct http_curl *client);
/* Puts it at its place among the due times. */
void http_curl_reschedule(struct http_transfer *transfer);

/* ---- http_curl_transfer.c ---- */

/* Makes the easy handle. INVALID_REQUEST, NO_MEMORY; the transfer is to be freed in any case. */
enum status http_transfer_prepare(struct http_transfer *transfer,
                                  const struct http_request *request, struct error *error);
/* Frees all that prepare made, and the transfer; its easy handle is in no multi any more. */
void http_transfer_free(struct http_transfer *transfer);
/* How it ended, from libcurl's result. */
struct http_end http_transfer_end(const struct http_transfer *transfer, CURLcode code);
/* When it must be looked at again; when a limit has passed, *out_outcome says which, and else it is
 * HTTP_DONE. */
int64_t http_transfer_due(struct http_transfer *transfer, int64_t now_ms,
                          enum http_outcome *out_outcome);

#endif

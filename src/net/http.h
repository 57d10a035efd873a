/* http.h - HTTP exchanges as a seam: a request goes out, events come in.
 *
 * Owns: the shape of a request, of what arrives, and the closed set of ways in which a transfer
 * ends. Leaves to others: what the bytes mean. Instances: net/http_curl.h (libcurl), net/record.h
 * (a decorator that stores or replays), and scripted ones in tests.
 *
 * What holds for every instance: redirects are never followed; no cookies, netrc, proxy of the
 * environment or authentication of its own; only http and https; bytes are counted after
 * decompression; a transfer ends exactly once, by its end event or by cancel; connections are
 * shared only between requests of the same pool. Thread rule: one client, one thread; http_wake
 * alone may be called from any thread and from a signal handler.
 */
#ifndef STRUCTURE_NET_HTTP_H
#define STRUCTURE_NET_HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"

enum http_version { HTTP_VERSION_AUTO, HTTP_VERSION_1_1, HTTP_VERSION_2 };

struct http_header {
    struct str name;
    struct str value;
    bool is_secret; /* never shown, recorded or traced; its copies are zeroed */
};

/* Everything is copied by http_start. */
struct http_request {
    struct str method; /* "POST" */
    struct str url;
    const struct http_header *headers;
    uint32_t header_count;
    struct str body;
    struct str pool;    /* who may share connections: provider and a hash of its credential */
    struct str ca_file; /* empty: the system's */
    struct str proxy;   /* empty: none */
    enum http_version version;
    int64_t connect_ms;    /* name, connection and TLS together; 0: no limit of its own */
    int64_t first_byte_ms; /* from the request being sent to the status line; 0: none */
    int64_t idle_ms;       /* between two bytes of the reply; 0: none */
    int64_t deadline_ms;   /* of all, on the client's clock; INT64_MAX: none */
    size_t body_bytes_max; /* of the reply, decoded */
    size_t head_bytes_max; /* of all header lines */
};

/* The last (final) response's status line and headers; borrowed for the event. Names as sent. */
struct http_head {
    int status; /* 200 */
    const struct http_header *headers;
    uint32_t header_count;
};

/* Value of the first header of that name, compared without case, or the empty view. */
struct str http_head_get(const struct http_head *head, struct str name);

enum http_outcome {
    HTTP_DONE,        /* the reply is whole: its length or its last chunk was seen */
    HTTP_STOPPED,     /* the sink's body said so */
    HTTP_UNREACHABLE, /* no address, connection refused, no route */
    HTTP_TLS_FAILED,  /* handshake or certificate */
    HTTP_CONNECT_TIMEOUT,
    HTTP_FIRST_BYTE_TIMEOUT,
    HTTP_IDLE_TIMEOUT,
    HTTP_DEADLINE,
    HTTP_RESET, /* the connection broke, or ended before the reply was whole */
    HTTP_BODY_TOO_LARGE,
    HTTP_HEAD_TOO_LARGE,
    HTTP_PROTOCOL, /* what came is not HTTP, or cannot be decoded */
    HTTP_NO_MEMORY,
    HTTP_REPLAY_MISMATCH /* record.h: the store has no such request; detail says what differs */
};

/* "unreachable", "connect-timeout", ... */
const char *http_outcome_name(enum http_outcome outcome);

struct http_end {
    enum http_outcome outcome;
    bool was_sent;       /* a byte of the request may have reached the other side */
    bool was_reused;     /* on a connection that had served before: a reset there is a stale one */
    const char *detail;  /* the library's words for it, without content or keys; never NULL */
    uint64_t wire_bytes; /* received, before decoding */
    int64_t connect_us, first_byte_us, total_us; /* since the start; -1 when not reached */
};

/* Events of one transfer, on the thread that runs the client: head at most once, then bodies, then
 * end exactly once and last. */
struct http_sink {
    void (*head)(void *state, const struct http_head *head);
    bool (*body)(void *state, struct str chunk); /* decoded; false: stop the transfer */
    void (*end)(void *state, const struct http_end *end);
    void *state;
};

struct http_transfer;

struct http_client_ops {
    /* Begins a transfer. No event before it returned. INVALID_REQUEST (the URL cannot be used),
     * NO_MEMORY. *out_transfer is valid until end was delivered or it was cancelled. */
    enum status (*start)(void *state, const struct http_request *request,
                         const struct http_sink *sink, struct http_transfer **out_transfer,
                         struct error *error);
    /* Ends the transfer at once, without an event, and closes its stream. May be called from its
     * own head or body event, not from end. */
    void (*cancel)(void *state, struct http_transfer *transfer);
    /* Waits until something was delivered, http_wake was called, or now_ms reaches until_ms.
     * Returns at once when until_ms has passed, after delivering what is ready. */
    void (*run)(void *state, int64_t until_ms);
    void (*wake)(void *state);
    int64_t (*now_ms)(void *state); /* monotonic; the clock of every deadline of this client */
    void (*free)(void *state);      /* cancels what is left */
};

struct http_client {
    const struct http_client_ops *ops;
    void *state;
};

static inline enum status http_start(const struct http_client *client,
                                     const struct http_request *request,
                                     const struct http_sink *sink,
                                     struct http_transfer **out_transfer, struct error *error)
{
    return client->ops->start(client->state, request, sink, out_transfer, error);
}

static inline void http_cancel(const struct http_client *client, struct http_transfer *transfer)
{
    client->ops->cancel(client->state, transfer);
}

static inline void http_run(const struct http_client *client, int64_t until_ms)
{
    client->ops->run(client->state, until_ms);
}

static inline void http_wake(const struct http_client *client)
{
    client->ops->wake(client->state);
}

static inline int64_t http_now_ms(const struct http_client *client)
{
    return client->ops->now_ms(client->state);
}

/* Accepts a zeroed client. */
static inline void http_client_free(struct http_client *client)
{
    if (client->ops != NULL)
        client->ops->free(client->state);
    client->ops = NULL;
    client->state = NULL;
}

#endif

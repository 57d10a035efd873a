/* fault_server.h - a TCP server in a thread of the test, which answers from scripts, well or badly.
 *
 * Owns: a socket on 127.0.0.1 with a free port, one poll loop for any number of connections, the
 * reading of HTTP/1.1 requests, the playing of scripts, and a journal of what was asked. Leaves to
 * others: TLS, and what an answer means. Needs no cmocka, so that benchmarks can run it too.
 *
 * A script is chosen for every request: by the function `choose` when it is set and returns one,
 * else the next of the queue, else an answer 500. Scripts, steps and their bytes are borrowed until
 * the server is freed. Functions may be called from any one thread beside the server's own;
 * `choose` runs on the server's.
 */
#ifndef STRUCTURE_FAULT_SERVER_H
#define STRUCTURE_FAULT_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum fault_step_kind {
    FAULT_END,        /* of the script: the connection waits for its next request */
    FAULT_SEND,       /* bytes; piece: so many a write */
    FAULT_BODY,       /* ends the head with the length of bytes, then bytes; piece as above */
    FAULT_CHUNK,      /* bytes in chunks of chunked coding; piece: bytes of a chunk (0: 8192) */
    FAULT_LAST_CHUNK, /* its end */
    FAULT_REPEAT,     /* bytes, count times; 0: without end */
    FAULT_GZIP,       /* a gzip file of bytes, without framing */
    FAULT_GZIP_ZEROS, /* a gzip file of count zeros, written as it is sent; about 1/158 of count */
    FAULT_DELAY,      /* count milliseconds */
    FAULT_GATE,       /* until fault_server_open(count) was called */
    FAULT_STALL,      /* nothing more until the client closes */
    FAULT_CLOSE,      /* FIN after everything was sent */
    FAULT_RESET       /* RST after the client's system has everything */
};

struct fault_step {
    enum fault_step_kind kind;
    struct str bytes;
    uint64_t count;
    size_t piece; /* 0: as much as fits */
};

/* When a script begins. */
enum fault_moment {
    FAULT_AT_REQUEST, /* the whole request was read */
    FAULT_AT_HEAD,    /* its head was read; its body is thrown away */
    FAULT_AT_ACCEPT   /* the connection was accepted (scripts of the queue only) */
};

struct fault_script {
    const struct fault_step *steps; /* up to a FAULT_END */
    enum fault_moment moment;
    enum fault_step_kind cut; /* not FAULT_END: after cut_after bytes of output comes this step: */
    size_t cut_after;         /* FAULT_CLOSE, FAULT_RESET or FAULT_STALL */
};

/* The usual beginnings of an answer; a FAULT_BODY, or chunks, are to follow. */
#define FAULT_JSON_HEAD "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
#define FAULT_SSE_HEAD                                                                             \
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

/* What was asked. Views are valid until the server is freed, in `choose` for that call. */
struct fault_request {
    struct str method;
    struct str path; /* with its query */
    struct str head; /* all of it: request line, header lines, without the empty line */
    struct str body;
    uint32_t connection; /* 0, 1, ... in the order in which they were accepted */
    uint32_t index;      /* of the request on its connection */
};

/* Value of the first header line of that name, compared without case; the empty view if none. */
struct str fault_request_header(const struct fault_request *request, struct str name);

struct fault_server_options {
    const struct fault_script *(*choose)(void *state, const struct fault_request *request);
    void *state;
    bool keep_no_journal; /* for long runs: requests are only counted */
};

struct fault_server;

/* options may be NULL. NULL when there is no memory, socket or thread. */
struct fault_server *fault_server_new(const struct fault_server_options *options);
void fault_server_free(struct fault_server *server); /* accepts NULL; closes every connection */

uint16_t fault_server_port(const struct fault_server *server);

enum { FAULT_URL_BYTES = 256 };
/* "http://127.0.0.1:PORT" and path. */
const char *fault_server_url(const struct fault_server *server, const char *path,
                             char out[FAULT_URL_BYTES]);

/* Puts a script behind those that wait. false: no memory. */
bool fault_server_add(struct fault_server *server, const struct fault_script *script);

/* Lets pass every FAULT_GATE with a count of at most level. */
void fault_server_open(struct fault_server *server, uint64_t level);

uint32_t fault_server_connections(struct fault_server *server); /* accepted so far */
uint32_t fault_server_requests(struct fault_server *server);    /* read to their ends so far */
/* One of them by its place; false: there is none. */
bool fault_server_request(struct fault_server *server, uint32_t index,
                          struct fault_request *out_request);

/* Waits until so many requests were read, or connections are over (by either side). false: that
 * took longer than ten seconds. */
bool fault_server_await_requests(struct fault_server *server, uint32_t count);
bool fault_server_await_closed(struct fault_server *server, uint32_t count);

/* A port of 127.0.0.1 on which nobody listens; 0 when none was found. */
uint16_t fault_closed_port(void);

#endif

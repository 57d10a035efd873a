/* simulated_http.h - an HTTP client in virtual time: what comes is drawn by the test, when it comes
 * too.
 *
 * Owns: a clock that moves only in run, the events of every transfer in the order of their moments,
 * and the limits that a real client keeps (first byte, idle, deadline, size). Leaves to others:
 * what a reply says (the test's `answer`). Invariant: as net/http.h has it: one end, never after
 * cancel.
 */
#ifndef STRUCTURE_SIMULATED_HTTP_H
#define STRUCTURE_SIMULATED_HTTP_H

#include "base/buffer.h"
#include "net/http.h"

/* What becomes of one request: a head after head_delay_ms (status 0: none comes), then the body in
 * pieces of piece_bytes, one every piece_delay_ms, then the outcome. */
struct simulated_answer {
    int status;
    int64_t head_delay_ms;
    struct http_header headers[2];
    uint32_t header_count;
    struct str body; /* borrowed until the client is freed */
    size_t piece_bytes;
    int64_t piece_delay_ms;
    enum http_outcome outcome;
};

struct simulated_http_options {
    /* A request begins; what is borrowed from it must be copied. */
    void (*answer)(void *state, const struct http_request *request,
                   struct simulated_answer *out_answer);
    void *state;
};

struct simulated_http;

struct simulated_http *simulated_http_new(const struct simulated_http_options *options,
                                          struct http_client *out_client);
uint32_t simulated_http_open(const struct simulated_http *http);   /* transfers in flight */
uint64_t simulated_http_events(const struct simulated_http *http); /* delivered so far */

#endif

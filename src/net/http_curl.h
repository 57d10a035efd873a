/* http_curl.h - the HTTP client over libcurl's multi interface, driven by sockets and timers of a
 * libuv loop. */
#ifndef STRUCTURE_NET_HTTP_CURL_H
#define STRUCTURE_NET_HTTP_CURL_H

#include "net/http.h"

struct uv_loop_s;

struct http_curl_options {
    struct uv_loop_s *loop;        /* a surface's own loop; NULL: a loop of the client's */
    uint32_t pool_connections_max; /* of one pool, more transfers wait; 0: 256 */
};

/* options NULL: the defaults. UNSUPPORTED when built without libcurl (the hint says how to have
 * it), NO_MEMORY. */
enum status http_curl_new(const struct http_curl_options *options, const struct alloc *alloc,
                          struct http_client *out_client, struct error *error);

/* "libcurl 7.88.1 (OpenSSL/3.0.17, HTTP/2), libuv 1.44.2", or NULL when built without it. */
const char *http_curl_library_version(void);

#endif

/* http_none.c - the HTTP client of a build without libcurl: it says so. */
#include "base/features.h"

#include "net/http_curl.h"

enum status http_curl_new(const struct http_curl_options *options, const struct alloc *alloc,
                          struct http_client *out_client, struct error *error)
{
    (void)options;
    (void)alloc;
    (void)out_client;
    (void)error_set(error, STATUS_UNSUPPORTED,
                    "this build cannot reach providers over a network: it was made without libcurl "
                    "and libuv");
    error_hint(error, "install libcurl4-openssl-dev and libuv1-dev, and build again");
    return STATUS_UNSUPPORTED;
}

const char *http_curl_library_version(void)
{
    return NULL;
}

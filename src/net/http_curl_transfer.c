/* http_curl_transfer.c - one transfer: the options of its easy handle, what arrives, how it ended.
 *
 * Owns: every setopt, the head as it arrives, the limits of head and body, the clocks of one
 * transfer, and the translation of libcurl's results. Leaves to others: pools and the loop
 * (http_curl.c). Invariants: nothing of the environment is used but SSL_CERT_FILE; secrets are
 * zeroed; bytes are counted after decoding; after a callback said stop, no further event comes.
 */
#include "base/features.h"

#include "net/http_curl_parts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    HTTP_STATUS_FINAL_MIN = 200,
    HEADER_NAME_MAX = 256,
    METHOD_MAX = 32,
    DELETE = 0x7F,
    HEADER_LINE_MAX = 16 * 1024,
    MILLISECONDS = 1000
};

/* volatile: not optimised away before free */
static void forget(void *ptr, size_t len)
{
    volatile unsigned char *at = ptr;
    while (len-- > 0)
        *at++ = 0;
}

/* ---- making ---- */

static const char *default_ca_file(void)
{
    static const char *const places[] = { "/etc/ssl/certs/ca-certificates.crt",
                                          "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem" };
    const char *named = getenv("SSL_CERT_FILE");
    if (named != NULL && named[0] != '\0')
        return named;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        if (access(places[i], R_OK) == 0)
            return places[i];
    }
    return NULL;
}

/* A NUL-terminated copy; NULL when there is no memory. */
static char *text_copy(const struct alloc *alloc, struct str text)
{
    char *copy = alloc_get(alloc, text.len + 1);
    if (copy == NULL)
        return NULL;
    if (text.len > 0)
        memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return copy;
}

static void text_free(const struct alloc *alloc, char *copy, size_t len)
{
    if (copy == NULL)
        return;
    forget(copy, len);
    alloc_free(alloc, copy, len + 1);
}

/* RFC 9110, 5.6.2: the bytes of a method or a name. */
static bool text_is_token(struct str text, size_t bytes_max)
{
    static const char marks[] = "!#$%&'*+-.^_`|~";
    for (size_t i = 0; i < text.len; i++) {
        char byte = text.ptr[i];
        bool is_letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
        bool is_digit = byte >= '0' && byte <= '9';
        if (!is_letter && !is_digit && memchr(marks, byte, sizeof(marks) - 1) == NULL)
            return false;
    }
    return text.len > 0 && text.len <= bytes_max;
}

/* A line end or a NUL in a header would be another header. */
static bool header_is_clean(const struct http_header *header)
{
    for (size_t i = 0; i < header->value.len; i++) {
        unsigned char byte = (unsigned char)header->value.ptr[i];
        if ((byte < ' ' && byte != '\t') || byte == DELETE)
            return false;
    }
    return text_is_token(header->name, HEADER_NAME_MAX) &&
           header->name.len + header->value.len <= HEADER_LINE_MAX;
}

static bool add_line(struct http_transfer *transfer, const char *line)
{
    struct curl_slist *list = curl_slist_append(transfer->headers, line);
    if (list == NULL)
        return false;
    transfer->headers = list;
    return true;
}

static enum status add_header(struct http_transfer *transfer, const struct http_header *header,
                              struct error *error)
{
    struct buffer line;
    if (!header_is_clean(header))
        return error_set(error, STATUS_INVALID_REQUEST,
                         "a header of the request holds what no header may hold, or is too long");
    buffer_init(&line, transfer->client->alloc, HEADER_LINE_MAX + 4);
    (void)buffer_reserve(&line, header->name.len + header->value.len + 2); /* in one place only */
    buffer_append_str(&line, header->name);
    buffer_append_str(&line, header->value.len > 0 ? STR(": ") : STR(";"));
    buffer_append_str(&line, header->value);
    bool is_added = buffer_status(&line) == STATUS_OK && add_line(transfer, line.ptr);
    if (line.ptr != NULL)
        forget(line.ptr, line.len);
    buffer_release(&line);
    return is_added ? STATUS_OK : error_set(error, STATUS_NO_MEMORY, "out of memory");
}

static enum status add_headers(struct http_transfer *transfer, const struct http_request *request,
                               struct error *error)
{
    for (uint32_t i = 0; i < request->header_count; i++) {
        enum status status = add_header(transfer, &request->headers[i], error);
        if (status != STATUS_OK)
            return status;
    }
    /* what libcurl would add of its own */
    struct http_head own = { 0, request->headers, request->header_count };
    bool has_type = http_head_get(&own, STR("content-type")).len > 0;
    if (!add_line(transfer, "Expect:") || (!has_type && !add_line(transfer, "Content-Type:")))
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    return STATUS_OK;
}

static CURLUcode url_take(CURLU *parts, const char *url, char **scheme, char **host)
{
    CURLUcode code = curl_url_set(parts, CURLUPART_URL, url, 0);
    if (code == CURLUE_OK)
        code = curl_url_get(parts, CURLUPART_SCHEME, scheme, 0);
    if (code == CURLUE_OK)
        code = curl_url_get(parts, CURLUPART_HOST, host, 0);
    return code;
}

/* Only http and https, a host, and no name or password inside. INVALID_REQUEST, NO_MEMORY. */
static enum status url_check(const char *url)
{
    char *scheme = NULL, *host = NULL, *user = NULL;
    CURLU *parts = curl_url();
    CURLUcode code = parts == NULL ? CURLUE_OUT_OF_MEMORY : url_take(parts, url, &scheme, &host);
    bool is_usable =
        code == CURLUE_OK && (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0);
    if (is_usable) {
        code = curl_url_get(parts, CURLUPART_USER, &user, 0);
        is_usable = code == CURLUE_NO_USER;
    }
    curl_free(scheme);
    curl_free(host);
    curl_free(user);
    curl_url_cleanup(parts);
    if (code == CURLUE_OUT_OF_MEMORY)
        return STATUS_NO_MEMORY;
    return is_usable ? STATUS_OK : STATUS_INVALID_REQUEST;
}

/* Its turn has come: libcurl looks for the name, or opens a socket, when the pool has room. */
static void begin_connecting(struct http_transfer *transfer)
{
    if (transfer->is_connecting)
        return;
    transfer->is_connecting = true;
    transfer->connect_from_ms = http_curl_now_ms(transfer->client);
}

static int on_resolve(void *resolver, void *reserved, void *state)
{
    (void)resolver;
    (void)reserved;
    begin_connecting(state);
    return 0;
}

static curl_socket_t on_open(void *state, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct http_transfer *transfer = state;
    (void)purpose;
    begin_connecting(transfer);
    curl_socket_t fd = socket(address->family, address->socktype, address->protocol);
    if (fd == CURL_SOCKET_BAD)
        return CURL_SOCKET_BAD;
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    transfer->pool->sockets++;
    return fd;
}

static int on_close(void *state, curl_socket_t fd)
{
    struct http_curl_pool *pool = state;
    pool->sockets--;
    return close(fd);
}

static size_t on_header(char *ptr, size_t size, size_t count, void *state);
static size_t on_body(char *ptr, size_t size, size_t count, void *state);

static void set_callbacks(struct http_transfer *transfer)
{
    CURL *easy = transfer->easy;
    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->words);
    curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, on_resolve);
    curl_easy_setopt(easy, CURLOPT_RESOLVER_START_DATA, transfer);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, transfer->pool); /* outlives the transfer */
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
}

static void set_safety(CURL *easy)
{
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    curl_easy_setopt(easy, CURLOPT_UNRESTRICTED_AUTH, 0L);
    curl_easy_setopt(easy, CURLOPT_HTTP09_ALLOWED, 0L);
    curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L); /* a cancelled name look-up is not waited for */
    curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
}

/* With a folder of certificates, as libcurl's default is here, every call reads them anew; a file
 * is read once for all. */
static void set_certificates(CURL *easy, const char *ca_file)
{
    if (ca_file == NULL || ca_file[0] == '\0')
        ca_file = default_ca_file();
    if (ca_file == NULL)
        return;
    curl_easy_setopt(easy, CURLOPT_CAINFO, ca_file);
    curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
}

static void set_version(CURL *easy, enum http_version version)
{
    switch (version) {
    case HTTP_VERSION_AUTO:
        curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
        break;
    case HTTP_VERSION_1_1:
        curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
        break;
    case HTTP_VERSION_2:
        curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
        curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
        break;
    }
}

static bool set_texts(struct http_transfer *transfer, const struct http_request *request)
{
    const struct alloc *alloc = transfer->client->alloc;
    char *method = text_copy(alloc, request->method);
    char *ca_file = text_copy(alloc, request->ca_file);
    char *proxy = text_copy(alloc, request->proxy);
    bool is_set = method != NULL && ca_file != NULL && proxy != NULL;
    if (is_set) {
        set_certificates(transfer->easy, ca_file);
        is_set = curl_easy_setopt(transfer->easy, CURLOPT_CUSTOMREQUEST, method) == CURLE_OK &&
                 curl_easy_setopt(transfer->easy, CURLOPT_PROXY, proxy) == CURLE_OK &&
                 curl_easy_setopt(transfer->easy, CURLOPT_NOPROXY, "") == CURLE_OK;
    }
    text_free(alloc, method, request->method.len);
    text_free(alloc, ca_file, request->ca_file.len);
    text_free(alloc, proxy, request->proxy.len);
    return is_set;
}

static enum status set_url(struct http_transfer *transfer, struct str url, struct error *error)
{
    char *copy = text_copy(transfer->client->alloc, url);
    if (copy == NULL)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    enum status status =
        memchr(copy, '\0', url.len) != NULL ? STATUS_INVALID_REQUEST : url_check(copy);
    if (status == STATUS_INVALID_REQUEST)
        (void)error_set(error, STATUS_INVALID_REQUEST,
                        "the address of the request is no http or https URL without user name");
    else if (status != STATUS_OK || curl_easy_setopt(transfer->easy, CURLOPT_URL, copy) != CURLE_OK)
        status = error_set(error, STATUS_NO_MEMORY, "out of memory");
    text_free(transfer->client->alloc, copy, url.len);
    return status;
}

static bool set_body(struct http_transfer *transfer, struct str body)
{
    char *copy = text_copy(transfer->client->alloc, body);
    if (copy == NULL)
        return false;
    transfer->body = str_of(copy, body.len);
    curl_easy_setopt(transfer->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.len);
    curl_easy_setopt(transfer->easy, CURLOPT_POSTFIELDS, copy);
    return true;
}

enum status http_transfer_prepare(struct http_transfer *transfer,
                                  const struct http_request *request, struct error *error)
{
    transfer->easy = curl_easy_init();
    if (transfer->easy == NULL)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    if (!text_is_token(request->method, METHOD_MAX))
        return error_set(error, STATUS_INVALID_REQUEST, "the method of the request is none");
    enum status status = set_url(transfer, request->url, error);
    if (status == STATUS_OK)
        status = add_headers(transfer, request, error);
    if (status != STATUS_OK)
        return status;
    if ((request->body.len > 0 && !set_body(transfer, request->body)) ||
        !set_texts(transfer, request))
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    set_safety(transfer->easy);
    set_version(transfer->easy, request->version);
    curl_easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, transfer->headers);
    set_callbacks(transfer);
    return STATUS_OK;
}

void http_transfer_free(struct http_transfer *transfer)
{
    const struct alloc *alloc = transfer->client->alloc;
    curl_easy_cleanup(transfer->easy);
    for (struct curl_slist *item = transfer->headers; item != NULL; item = item->next)
        forget(item->data, strlen(item->data));
    curl_slist_free_all(transfer->headers);
    text_free(alloc, (char *)(uintptr_t)transfer->body.ptr, transfer->body.len);
    buffer_release(&transfer->head);
    alloc_free(alloc, transfer, sizeof(*transfer));
}

/* ---- what arrives ---- */

/* Makes libcurl stop this transfer; the first reason counts. */
static size_t stop_as(struct http_transfer *transfer, enum http_outcome outcome)
{
    if (transfer->stopped_as == HTTP_DONE)
        transfer->stopped_as = outcome;
    return 0;
}

static struct str line_trim(struct str line)
{
    while (line.len > 0 && (line.ptr[line.len - 1] == '\r' || line.ptr[line.len - 1] == '\n' ||
                            line.ptr[line.len - 1] == ' ' || line.ptr[line.len - 1] == '\t'))
        line.len--;
    while (line.len > 0 && (line.ptr[0] == ' ' || line.ptr[0] == '\t'))
        line = str_of(line.ptr + 1, line.len - 1);
    return line;
}

/* Cuts the gathered lines into names and values; lines without a colon are left out. */
static uint32_t split_head(struct str lines, struct http_header *headers)
{
    uint32_t count = 0;
    while (lines.len > 0 && count < HTTP_CURL_HEADERS_MAX) {
        const char *end = memchr(lines.ptr, '\n', lines.len);
        size_t len = end == NULL ? lines.len : (size_t)(end - lines.ptr);
        const char *colon = memchr(lines.ptr, ':', len);
        if (colon != NULL) {
            size_t name_len = (size_t)(colon - lines.ptr);
            headers[count++] = (struct http_header){
                .name = str_of(lines.ptr, name_len),
                .value = line_trim(str_of(colon + 1, len - name_len - 1)),
            };
        }
        size_t skip = end == NULL ? len : len + 1;
        lines = str_of(lines.ptr + skip, lines.len - skip);
    }
    return count;
}

/* A sign of life; the first one begins another clock. */
static void touch(struct http_transfer *transfer)
{
    bool is_first = transfer->last_ms == 0;
    transfer->last_ms = http_curl_now_ms(transfer->client);
    if (is_first)
        http_curl_reschedule(transfer);
}

/* Lengths that differ: where the reply ends, and the next one begins, cannot be told. */
static bool lengths_differ(const struct http_head *head)
{
    struct str first = http_head_get(head, STR("content-length"));
    for (uint32_t i = 0; i < head->header_count; i++) {
        struct http_head one = { head->status, &head->headers[i], 1 };
        struct str length = http_head_get(&one, STR("content-length"));
        if (length.len > 0 && !str_equal(length, first))
            return true;
    }
    return false;
}

/* The empty line behind a head. False: the transfer is to stop. */
static bool deliver_head(struct http_transfer *transfer)
{
    struct http_header headers[HTTP_CURL_HEADERS_MAX];
    long status = 0;
    curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status < HTTP_STATUS_FINAL_MIN) {
        buffer_clear(&transfer->head);
        return true;
    }
    struct http_head head = { (int)status, headers,
                              split_head(buffer_view(&transfer->head), headers) };
    if (lengths_differ(&head)) {
        (void)stop_as(transfer, HTTP_PROTOCOL);
        return false;
    }
    transfer->has_head = true;
    transfer->client->was_delivered = true;
    if (transfer->sink.head != NULL)
        transfer->sink.head(transfer->sink.state, &head);
    return !transfer->is_cancelled;
}

static size_t on_header(char *ptr, size_t size, size_t count, void *state)
{
    struct http_transfer *transfer = state;
    size_t len = size * count;
    struct str line = { ptr, len };
    if (transfer->is_cancelled)
        return stop_as(transfer, HTTP_STOPPED);
    touch(transfer);
    transfer->head_bytes += len;
    if (transfer->head_bytes_max > 0 && transfer->head_bytes > transfer->head_bytes_max)
        return stop_as(transfer, HTTP_HEAD_TOO_LARGE);
    if (transfer->has_head)
        return len; /* trailers */
    if (line_trim(line).len == 0)
        return deliver_head(transfer) ? len : stop_as(transfer, HTTP_STOPPED);
    if (str_starts_with(line, STR("HTTP/")))
        buffer_clear(&transfer->head);
    else {
        buffer_append_str(&transfer->head, line_trim(line));
        buffer_append_byte(&transfer->head, '\n');
    }
    return buffer_status(&transfer->head) == STATUS_OK ? len : stop_as(transfer, HTTP_NO_MEMORY);
}

static size_t on_body(char *ptr, size_t size, size_t count, void *state)
{
    struct http_transfer *transfer = state;
    size_t len = size * count;
    if (transfer->is_cancelled)
        return stop_as(transfer, HTTP_STOPPED);
    touch(transfer);
    if (!transfer->has_head) /* of an answer 101, which nobody asked for */
        return stop_as(transfer, HTTP_PROTOCOL);
    transfer->body_bytes += len;
    if (transfer->body_bytes > transfer->body_bytes_max)
        return stop_as(transfer, HTTP_BODY_TOO_LARGE);
    transfer->client->was_delivered = true;
    bool goes_on =
        transfer->sink.body == NULL || transfer->sink.body(transfer->sink.state, str_of(ptr, len));
    if (!goes_on || transfer->is_cancelled)
        return stop_as(transfer, HTTP_STOPPED);
    return len;
}

/* ---- clocks ---- */

static bool is_connected(const struct http_transfer *transfer, int64_t *out_sent_ms)
{
    curl_off_t us = 0;
    curl_easy_getinfo(transfer->easy, CURLINFO_PRETRANSFER_TIME_T, &us);
    *out_sent_ms = transfer->start_ms + us / MILLISECONDS;
    return us > 0;
}

/* The pool has as many connections as it may: this is no connecting that takes too long. */
static bool waits_for_turn(const struct http_transfer *transfer)
{
    int64_t sent_ms = 0;
    return !transfer->is_connecting && !is_connected(transfer, &sent_ms) &&
           transfer->pool->sockets >= transfer->client->pool_connections_max;
}

static int64_t sooner(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The moment `ms` after `from`; INT64_MAX for no limit. */
static int64_t after(int64_t from, int64_t ms)
{
    return ms <= 0 || from > INT64_MAX - ms ? INT64_MAX : from + ms;
}

int64_t http_transfer_due(struct http_transfer *transfer, int64_t now_ms,
                          enum http_outcome *out_outcome)
{
    int64_t limit_ms, again_ms = INT64_MAX, sent_ms = 0;
    enum http_outcome outcome;
    if (waits_for_turn(transfer))
        transfer->connect_from_ms = now_ms;
    if (transfer->last_ms > 0) {
        limit_ms = after(transfer->last_ms, transfer->idle_ms);
        outcome = HTTP_IDLE_TIMEOUT;
    } else if (is_connected(transfer, &sent_ms)) {
        limit_ms = after(sent_ms, transfer->first_byte_ms);
        outcome = HTTP_FIRST_BYTE_TIMEOUT;
    } else { /* nobody tells when it is connected: it is looked at again */
        limit_ms = after(transfer->connect_from_ms, transfer->connect_ms);
        again_ms = after(now_ms, transfer->first_byte_ms);
        outcome = HTTP_CONNECT_TIMEOUT;
    }
    if (transfer->deadline_ms <= limit_ms) {
        limit_ms = transfer->deadline_ms;
        outcome = HTTP_DEADLINE;
    }
    *out_outcome = now_ms >= limit_ms ? outcome : HTTP_DONE;
    return sooner(limit_ms, again_ms);
}

/* ---- ends ---- */

/* Results that are neither here nor CURLE_OK mean that what came cannot be read as HTTP. */
static const struct {
    CURLcode code;
    enum http_outcome outcome;
} outcomes[] = {
    { CURLE_OK, HTTP_DONE },
    { CURLE_COULDNT_RESOLVE_HOST, HTTP_UNREACHABLE },
    { CURLE_COULDNT_RESOLVE_PROXY, HTTP_UNREACHABLE },
    { CURLE_COULDNT_CONNECT, HTTP_UNREACHABLE },
    { CURLE_PROXY, HTTP_UNREACHABLE },
    { CURLE_SSL_CONNECT_ERROR, HTTP_TLS_FAILED },
    { CURLE_PEER_FAILED_VERIFICATION, HTTP_TLS_FAILED },
    { CURLE_SSL_CERTPROBLEM, HTTP_TLS_FAILED },
    { CURLE_SSL_CIPHER, HTTP_TLS_FAILED },
    { CURLE_SSL_CACERT_BADFILE, HTTP_TLS_FAILED },
    { CURLE_SSL_ISSUER_ERROR, HTTP_TLS_FAILED },
    { CURLE_SSL_INVALIDCERTSTATUS, HTTP_TLS_FAILED },
    { CURLE_OPERATION_TIMEDOUT, HTTP_CONNECT_TIMEOUT },
    { CURLE_GOT_NOTHING, HTTP_RESET },
    { CURLE_PARTIAL_FILE, HTTP_RESET },
    { CURLE_RECV_ERROR, HTTP_RESET },
    { CURLE_SEND_ERROR, HTTP_RESET },
    { CURLE_SEND_FAIL_REWIND, HTTP_RESET },
    { CURLE_HTTP2_STREAM, HTTP_RESET },
    { CURLE_OUT_OF_MEMORY, HTTP_NO_MEMORY },
#if LIBCURL_VERSION_NUM >= 0x080600
    { CURLE_TOO_LARGE, HTTP_HEAD_TOO_LARGE },
#endif
};

static int64_t time_of(const struct http_transfer *transfer, CURLINFO which)
{
    curl_off_t us = 0;
    curl_easy_getinfo(transfer->easy, which, &us);
    return us > 0 ? (int64_t)us : -1;
}

/* One result stands for a peer that hangs up in the handshake, as a busy one does, and for one that
 * cannot agree; libcurl's words tell them apart. */
static bool handshake_broke_off(const struct http_transfer *transfer)
{
    static const char *const signs[] = { "SSL_connect: ", "SSL_ERROR_SYSCALL", "unexpected eof",
                                         "Recv failure", "Send failure" };
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
        if (strstr(transfer->words, signs[i]) != NULL)
            return true;
    }
    return false;
}

static enum http_outcome outcome_of(const struct http_transfer *transfer, CURLcode code)
{
    if (transfer->stopped_as != HTTP_DONE)
        return transfer->stopped_as;
    if (code == CURLE_OK && !transfer->has_head)
        return HTTP_RESET; /* libcurl is content with a head that breaks off */
    if (code == CURLE_OUT_OF_MEMORY && !transfer->has_head &&
        time_of(transfer, CURLINFO_STARTTRANSFER_TIME_T) >= 0)
        return HTTP_HEAD_TOO_LARGE; /* what it says of a header line above 100 KiB */
    if (code == CURLE_SSL_CONNECT_ERROR && handshake_broke_off(transfer))
        return HTTP_UNREACHABLE;
    enum http_outcome outcome = HTTP_PROTOCOL;
    for (size_t i = 0; i < sizeof(outcomes) / sizeof(outcomes[0]); i++) {
        if (outcomes[i].code == code)
            outcome = outcomes[i].outcome;
    }
    bool is_connected = time_of(transfer, CURLINFO_PRETRANSFER_TIME_T) >= 0;
    return outcome == HTTP_RESET && !is_connected ? HTTP_UNREACHABLE : outcome; /* of a proxy */
}

struct http_end http_transfer_end(const struct http_transfer *transfer, CURLcode code)
{
    long request_bytes = 0, connects = 0;
    curl_off_t wire_bytes = 0;
    curl_easy_getinfo(transfer->easy, CURLINFO_REQUEST_SIZE, &request_bytes);
    curl_easy_getinfo(transfer->easy, CURLINFO_NUM_CONNECTS, &connects);
    curl_easy_getinfo(transfer->easy, CURLINFO_SIZE_DOWNLOAD_T, &wire_bytes);
    enum http_outcome outcome = outcome_of(transfer, code);
    bool was_sent =
        request_bytes > 0 && time_of(transfer, CURLINFO_PRETRANSFER_TIME_T) >= 0; /* not CONNECT */
    bool is_own = code == CURLE_OK || outcome == HTTP_HEAD_TOO_LARGE ||
                  transfer->stopped_as != HTTP_DONE; /* libcurl has no words for it */
    return (struct http_end){
        .outcome = outcome,
        .was_sent = was_sent,
        .was_reused = was_sent && connects == 0,
        .detail = is_own ? http_outcome_name(outcome) : curl_easy_strerror(code),
        .wire_bytes = (uint64_t)wire_bytes,
        .connect_us = time_of(transfer, CURLINFO_PRETRANSFER_TIME_T),
        .first_byte_us = time_of(transfer, CURLINFO_STARTTRANSFER_TIME_T),
        .total_us = time_of(transfer, CURLINFO_TOTAL_TIME_T),
    };
}

/* test_http_curl.c - every way in which a transfer of the libcurl client ends, over real sockets:
 * whole replies, refusals, every clock, every limit, and replies that break off. */
#include "base/features.h"

#include "http_test.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* libcurl asks for names here: none exists, and nobody outside is asked. */
__attribute__((visibility("default"))) int getaddrinfo(const char *name, const char *service,
                                                       const struct addrinfo *hints,
                                                       struct addrinfo **out)
{
    (void)name;
    (void)service;
    (void)hints;
    *out = NULL;
    return EAI_NONAME;
}

enum { ZEROS = 1 << 30, RSS_KIB_MAX = 96 << 10, CONNECTS = 16, NEVER_READ_BYTES = 16 << 20 };

/* One script, one transfer, changed by the test's own limits. */
static void play(const struct fault_script *script, struct http_log *log,
                 void (*change)(struct http_request *request))
{
    struct http_pair pair;
    http_pair_open(&pair);
    assert_true(fault_server_add(pair.server, script));
    struct http_request request = http_pair_request(&pair);
    if (change != NULL)
        change(&request);
    *log = (struct http_log){ .ends = 0 };
    http_log_run(log, &pair.client, &request);
    http_pair_close(&pair);
}

/* ---- whole replies ---- */

SCRIPT(hello, STEP(FAULT_SEND, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Empty:\r\n"),
       STEP(FAULT_BODY, "{\"a\":1}"));
SCRIPT(chunks, STEP(FAULT_SEND, FAULT_SSE_HEAD),
       { FAULT_CHUNK, STR_LITERAL("data: one\n\ndata: two\n\n"), 0, 3 },
       STEP(FAULT_LAST_CHUNK, ""));
SCRIPT(until_close, STEP(FAULT_SEND, "HTTP/1.1 200 OK\r\n\r\nall of it"), STEP(FAULT_CLOSE, ""));
SCRIPT(early_hints,
       STEP(FAULT_SEND, "HTTP/1.1 103 Early Hints\r\nContent-Type: wrong/one\r\n\r\n"
                        "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\n"),
       STEP(FAULT_BODY, "none"));
SCRIPT(no_body, STEP(FAULT_SEND, "HTTP/1.1 204 No Content\r\n\r\n"));
SCRIPT(squeezed,
       STEP(FAULT_SEND, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: "
                        "gzip\r\nConnection: close\r\n\r\n"),
       STEP(FAULT_GZIP, "plain words"), STEP(FAULT_CLOSE, ""));

static void test_whole(void **state)
{
    (void)state;
    static const struct {
        const struct fault_script *script;
        int status;
        const char *type, *body;
    } table[] = {
        { &hello, 200, "application/json", "{\"a\":1}" },
        { &chunks, 200, "text/event-stream", "data: one\n\ndata: two\n\n" },
        { &until_close, 200, "", "all of it" },
        { &early_hints, 404, "text/plain", "none" },
        { &no_body, 204, "", "" },
        { &squeezed, 200, "text/plain", "plain words" },
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct http_log log;
        play(table[i].script, &log, NULL);
        assert_int_equal(log.end.outcome, HTTP_DONE);
        assert_int_equal(log.heads, 1);
        assert_int_equal(log.status, table[i].status);
        assert_string_equal(log.type, table[i].type);
        assert_int_equal(log.body_bytes, strlen(table[i].body));
        assert_memory_equal(log.kept, table[i].body, log.kept_len);
        assert_true(log.end.was_sent);
        assert_false(log.end.was_reused);
        assert_true(log.end.connect_us >= 0);
        assert_true(log.end.first_byte_us >= log.end.connect_us);
        assert_true(log.end.total_us >= log.end.first_byte_us);
    }
}

static void test_what_is_sent(void **state)
{
    (void)state;
    struct http_pair pair;
    struct http_log log = { .ends = 0 };
    struct fault_request seen;
    const struct http_header headers[] = {
        { STR("Content-Type"), STR("application/json"), false },
        { STR("x-api-key"), STR("secret"), true },
        { STR("x-empty"), STR(""), false },
    };
    http_pair_open(&pair);
    assert_true(fault_server_add(pair.server, &hello));
    struct http_request request = http_pair_request(&pair);
    request.method = STR("POST");
    request.headers = headers;
    request.header_count = 3;
    request.body = str_of("{\"a\":\"\0b\"}", 10);
    http_log_run(&log, &pair.client, &request);
    assert_true(fault_server_request(pair.server, 0, &seen));
    assert_true(str_equal(seen.method, STR("POST")));
    assert_true(str_equal(seen.path, STR("/v1/reply")));
    assert_true(str_equal(seen.body, request.body));
    assert_true(str_equal(fault_request_header(&seen, STR("x-api-key")), STR("secret")));
    assert_true(
        str_equal(fault_request_header(&seen, STR("content-type")), STR("application/json")));
    assert_non_null(strstr(seen.head.ptr, "x-empty:"));
    assert_int_equal(fault_request_header(&seen, STR("expect")).len, 0);
    http_pair_close(&pair);
}

static void test_stopped(void **state)
{
    (void)state;
    struct http_pair pair;
    struct http_log log = { .stops_at_body = true };
    http_pair_open(&pair);
    assert_true(fault_server_add(pair.server, &hello));
    struct http_request request = http_pair_request(&pair);
    http_log_run(&log, &pair.client, &request);
    assert_int_equal(log.end.outcome, HTTP_STOPPED);
    assert_int_equal(log.bodies, 1);
    http_pair_close(&pair);
}

/* ---- no connection ---- */

static void run_url(const char *url, struct http_log *log, int64_t connect_ms)
{
    struct test_alloc memory;
    test_alloc_init(&memory);
    struct http_client client = http_test_client(&memory.alloc);
    struct http_request request = http_test_request(&client, url);
    if (connect_ms > 0)
        request.connect_ms = connect_ms;
    *log = (struct http_log){ .ends = 0 };
    http_log_run(log, &client, &request);
    http_client_free(&client);
    test_alloc_assert_empty(&memory);
}

static void test_unreachable(void **state)
{
    (void)state;
    struct http_log log;
    char url[FAULT_URL_BYTES];
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%u/", fault_closed_port());
    run_url(url, &log, 0);
    assert_int_equal(log.end.outcome, HTTP_UNREACHABLE);
    assert_false(log.end.was_sent);
    assert_int_equal(log.heads, 0);
    run_url("http://no-such-host.example/", &log, 0);
    assert_int_equal(log.end.outcome, HTTP_UNREACHABLE);
    assert_false(log.end.was_sent);
    assert_int_equal(log.end.connect_us, -1);
}

/* A socket whose queue of connections is full: more of them get no answer. */
static int full_listener(int *connects, uint16_t *out_port)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t len = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(listener, 0), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
    for (int i = 0; i < CONNECTS; i++) {
        connects[i] = socket(AF_INET, SOCK_STREAM, 0);
        (void)fcntl(connects[i], F_SETFL, O_NONBLOCK);
        (void)connect(connects[i], (struct sockaddr *)&address, sizeof(address));
    }
    *out_port = ntohs(address.sin_port);
    return listener;
}

SCRIPT_AT(mute, FAULT_AT_ACCEPT, STEP(FAULT_STALL, ""));

static void test_connect_timeout(void **state)
{
    (void)state;
    struct http_log log;
    char url[FAULT_URL_BYTES];
    int connects[CONNECTS];
    uint16_t port;
    int listener = full_listener(connects, &port);
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%u/", port);
    run_url(url, &log, HTTP_TEST_SHORT_MS);
    for (int i = 0; i < CONNECTS; i++)
        (void)close(connects[i]);
    (void)close(listener);
    assert_int_equal(log.end.outcome, HTTP_CONNECT_TIMEOUT);
    assert_false(log.end.was_sent);
    assert_int_equal(log.end.connect_us, -1);

    /* a handshake that nobody answers is a part of connecting */
    struct fault_server *server = fault_server_new(NULL);
    assert_true(fault_server_add(server, &mute));
    (void)snprintf(url, sizeof(url), "https://127.0.0.1:%u/", fault_server_port(server));
    run_url(url, &log, HTTP_TEST_SHORT_MS);
    fault_server_free(server);
    assert_int_equal(log.end.outcome, HTTP_CONNECT_TIMEOUT);
    assert_false(log.end.was_sent);
}

/* ---- clocks ---- */

SCRIPT(silence, STEP(FAULT_STALL, ""));
SCRIPT(half_head, STEP(FAULT_SEND, "HTTP/1.1 200 OK\r\nContent-"), STEP(FAULT_STALL, ""));
SCRIPT(half_body, STEP(FAULT_SEND, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"),
       STEP(FAULT_STALL, ""));
SCRIPT(drip, STEP(FAULT_SEND, FAULT_SSE_HEAD), STEP(FAULT_CHUNK, ":\n"),
       STEP_COUNT(FAULT_DELAY, "", 20), STEP(FAULT_CHUNK, ":\n"), STEP_COUNT(FAULT_DELAY, "", 20),
       STEP(FAULT_CHUNK, ":\n"), STEP_COUNT(FAULT_DELAY, "", 20), STEP(FAULT_CHUNK, ":\n"),
       STEP_COUNT(FAULT_DELAY, "", 20), STEP(FAULT_CHUNK, ":\n"), STEP(FAULT_STALL, ""));

static void first_byte_short(struct http_request *request)
{
    request->first_byte_ms = HTTP_TEST_SHORT_MS;
}

static void idle_short(struct http_request *request)
{
    request->idle_ms = HTTP_TEST_SHORT_MS;
}

static void deadline_short(struct http_request *request)
{
    request->deadline_ms += HTTP_TEST_SHORT_MS - HTTP_TEST_LONG_MS;
}

static void deadline_only(struct http_request *request)
{
    deadline_short(request);
    request->connect_ms = request->first_byte_ms = request->idle_ms = 0;
}

static void test_clocks(void **state)
{
    (void)state;
    static const struct {
        const struct fault_script *script;
        void (*change)(struct http_request *request);
        enum http_outcome outcome;
        uint32_t heads;
    } table[] = {
        { &silence, first_byte_short, HTTP_FIRST_BYTE_TIMEOUT, 0 },
        { &silence, deadline_short, HTTP_DEADLINE, 0 },
        { &silence, deadline_only, HTTP_DEADLINE, 0 },
        { &half_head, idle_short, HTTP_IDLE_TIMEOUT, 0 },
        { &half_body, idle_short, HTTP_IDLE_TIMEOUT, 1 },
        { &half_body, deadline_short, HTTP_DEADLINE, 1 },
        { &drip, deadline_only, HTTP_DEADLINE, 1 },
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct http_log log;
        play(table[i].script, &log, table[i].change);
        if (log.end.outcome != table[i].outcome)
            print_error("row %zu: %s\n", i, http_outcome_name(log.end.outcome));
        assert_int_equal(log.end.outcome, table[i].outcome);
        assert_int_equal(log.heads, table[i].heads);
        assert_true(log.end.was_sent);
    }
}

/* A server that takes the connection and then reads nothing: a body that sockets hold, and one that
 * they do not. */
static void test_never_read(void **state)
{
    (void)state;
    static char body[NEVER_READ_BYTES];
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t len = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(listener, CONNECTS), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
    for (int large = 0; large < 2; large++) {
        struct test_alloc memory;
        struct http_log log = { .ends = 0 };
        char url[FAULT_URL_BYTES];
        test_alloc_init(&memory);
        struct http_client client = http_test_client(&memory.alloc);
        (void)snprintf(url, sizeof(url), "http://127.0.0.1:%u/", ntohs(address.sin_port));
        struct http_request request = http_test_request(&client, url);
        request.method = STR("POST");
        request.body = str_of(body, large != 0 ? sizeof(body) : 10);
        request.first_byte_ms = HTTP_TEST_SHORT_MS;
        http_log_run(&log, &client, &request);
        assert_int_equal(log.end.outcome, HTTP_FIRST_BYTE_TIMEOUT);
        assert_true(log.end.was_sent);
        http_client_free(&client);
        test_alloc_assert_empty(&memory);
    }
    (void)close(listener);
}

static void deadline_past(struct http_request *request)
{
    request->deadline_ms -= 2 * HTTP_TEST_LONG_MS;
}

static void test_deadline_past(void **state)
{
    (void)state;
    struct http_log log;
    play(&hello, &log, deadline_past);
    assert_int_equal(log.end.outcome, HTTP_DEADLINE);
    assert_int_equal(log.heads, 0);
}

/* ---- limits ---- */

SCRIPT(exact, STEP(FAULT_SEND, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"),
       STEP_COUNT(FAULT_REPEAT, "0123456789abcdef", HTTP_TEST_BODY_MAX / 16),
       STEP(FAULT_CLOSE, ""));
SCRIPT(one_more, STEP(FAULT_SEND, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n!"),
       STEP_COUNT(FAULT_REPEAT, "0123456789abcdef", HTTP_TEST_BODY_MAX / 16),
       STEP(FAULT_CLOSE, ""));
SCRIPT(endless_body, STEP(FAULT_SEND, "HTTP/1.1 200 OK\r\n\r\n"), STEP(FAULT_REPEAT, "again and "));
SCRIPT(bomb, STEP(FAULT_SEND, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"),
       STEP_COUNT(FAULT_GZIP_ZEROS, "", ZEROS), STEP(FAULT_CLOSE, ""));
SCRIPT(endless_headers, STEP(FAULT_SEND, "HTTP/1.1 200 OK\r\n"),
       STEP(FAULT_REPEAT, "X-More: and more\r\n"));
SCRIPT(endless_header, STEP(FAULT_SEND, "HTTP/1.1 200 OK\r\nX-More: "),
       STEP(FAULT_REPEAT, "and more "));
SCRIPT(endless_hints, STEP(FAULT_REPEAT, "HTTP/1.1 103 Early Hints\r\nLink: none\r\n\r\n"));
SCRIPT(endless_trailers,
       STEP(FAULT_SEND, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"),
       STEP(FAULT_REPEAT, "X-More: and more\r\n"));

static void test_limits(void **state)
{
    (void)state;
    static const struct {
        const struct fault_script *script;
        enum http_outcome outcome;
        uint64_t bytes_min, bytes_max;
    } table[] = {
        { &exact, HTTP_DONE, HTTP_TEST_BODY_MAX, HTTP_TEST_BODY_MAX },
        { &one_more, HTTP_BODY_TOO_LARGE, 1, HTTP_TEST_BODY_MAX },
        { &endless_body, HTTP_BODY_TOO_LARGE, 1, HTTP_TEST_BODY_MAX },
        { &bomb, HTTP_BODY_TOO_LARGE, 1, HTTP_TEST_BODY_MAX },
        { &endless_headers, HTTP_HEAD_TOO_LARGE, 0, 0 },
        { &endless_header, HTTP_HEAD_TOO_LARGE, 0, 0 },
        { &endless_hints, HTTP_HEAD_TOO_LARGE, 0, 0 },
        { &endless_trailers, HTTP_HEAD_TOO_LARGE, 0, 0 },
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct http_log log;
        play(table[i].script, &log, NULL);
        if (log.end.outcome != table[i].outcome)
            print_error("row %zu: %s (%s)\n", i, http_outcome_name(log.end.outcome), log.detail);
        assert_int_equal(log.end.outcome, table[i].outcome);
        assert_in_range(log.body_bytes, table[i].bytes_min, table[i].bytes_max);
    }
}

static void head_small(struct http_request *request)
{
    request->head_bytes_max = 20;
}

static void test_head_limit(void **state)
{
    (void)state;
    struct http_log log;
    play(&hello, &log, head_small);
    assert_int_equal(log.end.outcome, HTTP_HEAD_TOO_LARGE);
    assert_int_equal(log.heads, 0);
}

/* The largest size of the program so far, which a bomb of 1 GiB would show. */
static void test_bomb_memory(void **state)
{
    (void)state;
    struct http_log log;
    struct rusage before, after;
    assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
    play(&bomb, &log, NULL);
    assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
    assert_int_equal(log.end.outcome, HTTP_BODY_TOO_LARGE);
    assert_true(log.end.wire_bytes < 1 << 20);
    assert_true(after.ru_maxrss - before.ru_maxrss < RSS_KIB_MAX);
}

/* ---- what is no whole reply ---- */

SCRIPT(nothing_at_all, STEP(FAULT_CLOSE, ""));
SCRIPT(reset_at_once, STEP(FAULT_RESET, ""));
SCRIPT(cut_status, STEP(FAULT_SEND, "HTTP/1.1 20"), STEP(FAULT_CLOSE, ""));
SCRIPT(cut_head, STEP(FAULT_SEND, "HTTP/1.1 200 OK\r\nContent-"), STEP(FAULT_CLOSE, ""));
SCRIPT(cut_head_line, STEP(FAULT_SEND, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n"),
       STEP(FAULT_CLOSE, ""));
SCRIPT(cut_length, STEP(FAULT_SEND, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"),
       STEP(FAULT_CLOSE, ""));
SCRIPT(cut_length_all, STEP(FAULT_SEND, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"),
       STEP(FAULT_CLOSE, ""));
SCRIPT(cut_chunk, STEP(FAULT_SEND, FAULT_SSE_HEAD "8\r\nhalf"), STEP(FAULT_CLOSE, ""));
SCRIPT(cut_chunks, STEP(FAULT_SEND, FAULT_SSE_HEAD), STEP(FAULT_CHUNK, "half"),
       STEP(FAULT_CLOSE, ""));
SCRIPT(reset_head, STEP(FAULT_SEND, "HTTP/1.1 200 OK\r\nContent-"), STEP(FAULT_RESET, ""));
SCRIPT(reset_body, STEP(FAULT_SEND, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"),
       STEP(FAULT_RESET, ""));
SCRIPT(reset_open_end, STEP(FAULT_SEND, "HTTP/1.1 200 OK\r\n\r\nhalf"), STEP(FAULT_RESET, ""));
SCRIPT(noise, STEP(FAULT_SEND, "SSH-2.0-OpenSSH\r\n"), STEP(FAULT_CLOSE, ""));
SCRIPT(bad_chunk, STEP(FAULT_SEND, FAULT_SSE_HEAD "zz\r\nwhat\r\n0\r\n\r\n"));
SCRIPT(bad_gzip, STEP(FAULT_SEND, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n"),
       STEP(FAULT_BODY, "no gzip at all"));
SCRIPT(whole_gzip, STEP(FAULT_SEND, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"),
       STEP_COUNT(FAULT_GZIP_ZEROS, "", 100000), STEP(FAULT_CLOSE, ""));
SCRIPT(unknown_encoding, STEP(FAULT_SEND, "HTTP/1.1 200 OK\r\nContent-Encoding: rot13\r\n"),
       STEP(FAULT_BODY, "uryyb"));
SCRIPT(bad_length, STEP(FAULT_SEND, "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nx"),
       STEP(FAULT_CLOSE, ""));
SCRIPT(two_lengths,
       STEP(FAULT_SEND, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxy"),
       STEP(FAULT_CLOSE, ""));
SCRIPT(switching, STEP(FAULT_SEND, "HTTP/1.1 101 Switching\r\nUpgrade: other\r\n\r\nraw bytes"),
       STEP(FAULT_CLOSE, ""));
SCRIPT(only_hints, STEP(FAULT_SEND, "HTTP/1.1 103 Early Hints\r\n\r\n"), STEP(FAULT_CLOSE, ""));

static const struct fault_script cut_gzip_half = { .steps = whole_gzip_steps,
                                                   .cut = FAULT_CLOSE,
                                                   .cut_after = 200 };

static void test_broken(void **state)
{
    (void)state;
    static const struct {
        const struct fault_script *script;
        enum http_outcome outcome;
        uint32_t heads;
    } table[] = {
        { &nothing_at_all, HTTP_RESET, 0 },
        { &reset_at_once, HTTP_RESET, 0 },
        { &cut_status, HTTP_RESET, 0 },
        { &cut_head, HTTP_RESET, 0 },
        { &cut_head_line, HTTP_RESET, 0 },
        { &cut_length, HTTP_RESET, 1 },
        { &cut_length_all, HTTP_RESET, 1 },
        { &cut_chunk, HTTP_RESET, 1 },
        { &cut_chunks, HTTP_RESET, 1 },
        { &reset_head, HTTP_RESET, 0 },
        { &reset_body, HTTP_RESET, 1 },
        { &reset_open_end, HTTP_RESET, 1 },
        { &noise, HTTP_PROTOCOL, 0 },
        { &bad_chunk, HTTP_RESET, 1 }, /* libcurl tells it no better */
        { &bad_gzip, HTTP_PROTOCOL, 1 },
        { &whole_gzip, HTTP_DONE, 1 },
        { &cut_gzip_half, HTTP_DONE, 1 },
        /* nothing says where such a reply ends */ { &unknown_encoding, HTTP_PROTOCOL, 1 },
        { &bad_length, HTTP_PROTOCOL, 0 },
        { &two_lengths, HTTP_PROTOCOL, 0 },
        { &switching, HTTP_PROTOCOL, 0 },
        { &only_hints, HTTP_RESET, 0 },
    };
    int failures = 0;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct http_log log;
        play(table[i].script, &log, NULL);
        if (log.end.outcome != table[i].outcome || log.heads != table[i].heads) {
            print_error("row %zu: %s (%s), %u heads, %u bodies\n", i,
                        http_outcome_name(log.end.outcome), log.detail, log.heads, log.bodies);
            failures++;
        }
    }
    assert_int_equal(failures, 0);
}

/* ---- requests that cannot be sent ---- */

static void test_refused_requests(void **state)
{
    (void)state;
    static const char *const urls[] = { "",
                                        "no url",
                                        "ftp://127.0.0.1/",
                                        "file:///etc/passwd",
                                        "http://user:word@127.0.0.1/",
                                        "http://user@127.0.0.1/",
                                        "http://:word@127.0.0.1/",
                                        "http://127.0.0.1:99999/",
                                        "http://127.0.0.1/a b",
                                        "http://127.0.0.1/a\r\nX-Other: b",
                                        "http://",
                                        "//127.0.0.1/",
                                        "127.0.0.1/" };
    struct test_alloc memory;
    test_alloc_init(&memory);
    struct http_client client = http_test_client(&memory.alloc);
    for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
        struct http_log log = { .ends = 0 };
        struct http_request request = http_test_request(&client, urls[i]);
        if (http_log_start(&log, &client, &request) != STATUS_INVALID_REQUEST)
            fail_msg("%s was taken", urls[i]);
    }
    const struct http_header bad[] = {
        { STR("x-a"), STR("b\r\nx-c: d"), false }, { STR("x-a\nx-b"), STR("c"), false },
        { STR("x-a"), str_of("b\0c", 3), false },  { STR(""), STR("b"), false },
        { STR("x-a: b\tx"), STR("c"), false },
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct http_log log = { .ends = 0 };
        struct http_request request = http_test_request(&client, "http://127.0.0.1/");
        request.headers = &bad[i];
        request.header_count = 1;
        assert_int_equal(http_log_start(&log, &client, &request), STATUS_INVALID_REQUEST);
    }
    static const char *const methods[] = { "", "GET / HTTP/1.1\r\nX-Other: b", "G ET", "GET\n" };
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        struct http_log log = { .ends = 0 };
        struct http_request request = http_test_request(&client, "http://127.0.0.1/");
        request.method = str_from(methods[i]);
        assert_int_equal(http_log_start(&log, &client, &request), STATUS_INVALID_REQUEST);
    }
    http_client_free(&client);
    test_alloc_assert_empty(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_what_is_sent),
        cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_unreachable),
        cmocka_unit_test(test_connect_timeout),
        cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_never_read),
        cmocka_unit_test(test_deadline_past),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_head_limit),
        cmocka_unit_test(test_bomb_memory),
        cmocka_unit_test(test_broken),
        cmocka_unit_test(test_refused_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_http_private.c - what a transfer must not do by itself: follow redirects, keep cookies, read
 * a netrc, take a proxy from the environment, answer a challenge, share connections between pools;
 * and what it may: reuse a connection, and begin again on a new one when a kept one turns out dead.
 */
#include "base/features.h"

#include "http_test.h"

#include <unistd.h>

enum { PATH_BYTES = 512, POOLS = 100 };

SCRIPT(good, STEP(FAULT_SEND, FAULT_JSON_HEAD), STEP(FAULT_BODY, "{}"));

static const struct http_header key[] = { { STR_LITERAL("x-api-key"), STR_LITERAL("secret"),
                                            true } };

/* A POST with a key and a body. */
static struct http_request keyed_request(const struct http_pair *pair)
{
    struct http_request request = http_pair_request(pair);
    request.method = STR("POST");
    request.headers = key;
    request.header_count = 1;
    request.body = STR("the document");
    return request;
}

static struct fault_request seen_request(const struct http_pair *pair, uint32_t index)
{
    struct fault_request seen;
    assert_true(fault_server_request(pair->server, index, &seen));
    return seen;
}

static bool head_has(const struct fault_request *request, const char *name)
{
    return fault_request_header(request, str_from(name)).len > 0;
}

/* ---- nowhere else ---- */

static void test_no_redirects(void **state)
{
    (void)state;
    static const int statuses[] = { 301, 302, 303, 307, 308 };
    struct fault_server *other = fault_server_new(NULL);
    assert_non_null(other);
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        struct http_pair pair;
        struct http_log log = { .ends = 0 };
        char text[PATH_BYTES], url[FAULT_URL_BYTES];
        http_pair_open(&pair);
        (void)snprintf(text, sizeof(text),
                       "HTTP/1.1 %d Elsewhere\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n",
                       statuses[i], fault_server_url(other, "/v1/reply", url));
        const struct fault_step steps[] = { { FAULT_SEND, str_from(text), 0, 0 },
                                            STEP(FAULT_END, "") };
        const struct fault_script script = { .steps = steps, .cut = FAULT_END };
        assert_true(fault_server_add(pair.server, &script));
        struct http_request request = keyed_request(&pair);
        http_log_run(&log, &pair.client, &request);
        assert_int_equal(log.end.outcome, HTTP_DONE);
        assert_int_equal(log.status, statuses[i]);
        assert_int_equal(fault_server_requests(pair.server), 1);
        http_pair_close(&pair);
    }
    assert_int_equal(fault_server_connections(other), 0);
    fault_server_free(other);
}

static void test_no_other_header(void **state)
{
    (void)state;
    struct http_pair pair;
    struct http_log log = { .ends = 0 };
    char want[PATH_BYTES];
    http_pair_open(&pair);
    assert_true(fault_server_add(pair.server, &good));
    struct http_request request = keyed_request(&pair);
    http_log_run(&log, &pair.client, &request);
    struct fault_request seen = seen_request(&pair, 0);
    struct str codings = fault_request_header(&seen, STR("accept-encoding"));
    (void)snprintf(want, sizeof(want),
                   "POST /v1/reply HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nAccept: */*\r\n"
                   "Accept-Encoding: %.*s\r\nx-api-key: secret\r\nContent-Length: 12",
                   fault_server_port(pair.server), (int)codings.len, codings.ptr);
    assert_int_equal(seen.head.len, strlen(want));
    assert_memory_equal(seen.head.ptr, want, seen.head.len);
    http_pair_close(&pair);
}

SCRIPT(cookie, STEP(FAULT_SEND, FAULT_JSON_HEAD "Set-Cookie: a=b; Path=/\r\nSet-Cookie: c=d\r\n"),
       STEP(FAULT_BODY, "{}"));

static void test_no_cookies(void **state)
{
    (void)state;
    struct http_pair pair;
    http_pair_open(&pair);
    for (int i = 0; i < 2; i++) {
        struct http_log log = { .ends = 0 };
        struct http_request request = http_pair_request(&pair);
        assert_true(fault_server_add(pair.server, &cookie));
        http_log_run(&log, &pair.client, &request);
        assert_int_equal(log.end.outcome, HTTP_DONE);
    }
    struct fault_request seen = seen_request(&pair, 1);
    assert_false(head_has(&seen, "cookie"));
    http_pair_close(&pair);
}

SCRIPT(challenge,
       STEP(FAULT_SEND, "HTTP/1.1 401 Who\r\nWWW-Authenticate: Basic realm=\"a\"\r\n"
                        "WWW-Authenticate: Negotiate\r\nWWW-Authenticate: NTLM\r\n"),
       STEP(FAULT_BODY, "who?"));

/* A netrc in the home folder names this very host. */
static void test_no_netrc(void **state)
{
    (void)state;
    char folder[] = "/tmp/structure-netrc-XXXXXX", path[PATH_BYTES], home[PATH_BYTES] = "";
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof(path), "%s/.netrc", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs("machine 127.0.0.1 login someone password word\n"
                "default login someone password word\n",
                file);
    assert_int_equal(fclose(file), 0);
    if (getenv("HOME") != NULL)
        (void)snprintf(home, sizeof(home), "%s", getenv("HOME"));
    assert_int_equal(setenv("HOME", folder, 1), 0);
    assert_int_equal(setenv("NETRC", path, 1), 0);

    struct http_pair pair;
    struct http_log log = { .ends = 0 };
    http_pair_open(&pair);
    assert_true(fault_server_add(pair.server, &challenge));
    struct http_request request = http_pair_request(&pair);
    http_log_run(&log, &pair.client, &request);
    assert_int_equal(log.status, 401);
    assert_int_equal(log.body_bytes, 4);
    assert_int_equal(fault_server_requests(pair.server), 1);
    struct fault_request seen = seen_request(&pair, 0);
    assert_false(head_has(&seen, "authorization"));
    http_pair_close(&pair);

    (void)setenv("HOME", home, 1);
    (void)unsetenv("NETRC");
    (void)unlink(path);
    (void)rmdir(folder);
}

static const char *const proxy_names[] = { "http_proxy",  "HTTP_PROXY", "https_proxy",
                                           "HTTPS_PROXY", "all_proxy",  "ALL_PROXY" };

static void test_proxy(void **state)
{
    (void)state;
    struct fault_server *proxy = fault_server_new(NULL);
    char url[FAULT_URL_BYTES], other[FAULT_URL_BYTES];
    struct http_pair pair;
    struct http_log log = { .ends = 0 }, through = { .ends = 0 };
    assert_non_null(proxy);
    (void)fault_server_url(proxy, "", url);
    for (size_t i = 0; i < sizeof(proxy_names) / sizeof(proxy_names[0]); i++)
        assert_int_equal(setenv(proxy_names[i], url, 1), 0);
    http_pair_open(&pair);
    assert_true(fault_server_add(pair.server, &good));
    struct http_request request = keyed_request(&pair);
    http_log_run(&log, &pair.client, &request);
    assert_int_equal(log.end.outcome, HTTP_DONE);
    assert_int_equal(fault_server_connections(proxy), 0);
    assert_int_equal(fault_server_requests(pair.server), 1);

    /* one that is configured is used, whatever the environment excepts */
    for (size_t i = 0; i < sizeof(proxy_names) / sizeof(proxy_names[0]); i++)
        (void)unsetenv(proxy_names[i]);
    assert_int_equal(setenv("no_proxy", "*", 1), 0);
    assert_int_equal(setenv("NO_PROXY", "*", 1), 0);
    assert_true(fault_server_add(proxy, &good));
    request = keyed_request(&pair);
    request.proxy = str_from(url);
    (void)snprintf(other, sizeof(other), "http://provider.example/v1/reply");
    request.url = str_from(other);
    http_log_run(&through, &pair.client, &request);
    assert_int_equal(through.end.outcome, HTTP_DONE);
    struct fault_request seen;
    assert_true(fault_server_request(proxy, 0, &seen));
    assert_true(str_equal(seen.path, request.url));
    (void)unsetenv("no_proxy");
    (void)unsetenv("NO_PROXY");
    http_pair_close(&pair);
    fault_server_free(proxy);
}

SCRIPT(proxy_refuses,
       STEP(FAULT_SEND, "HTTP/1.1 407 Proxy\r\nProxy-Authenticate: Basic realm=\"a\"\r\n"),
       STEP(FAULT_BODY, "pay"));

/* The request itself, and its key, stay here when a proxy opens no tunnel. */
static void test_proxy_refuses_tunnel(void **state)
{
    (void)state;
    struct fault_server *proxy = fault_server_new(NULL);
    char url[FAULT_URL_BYTES];
    struct http_pair pair;
    struct http_log log = { .ends = 0 };
    assert_non_null(proxy);
    http_pair_open(&pair);
    assert_true(fault_server_add(proxy, &proxy_refuses));
    struct http_request request = keyed_request(&pair);
    request.proxy = str_from(fault_server_url(proxy, "", url));
    request.url = STR("https://provider.example/v1/reply");
    http_log_run(&log, &pair.client, &request);
    assert_int_equal(log.end.outcome, HTTP_UNREACHABLE);
    assert_int_equal(log.heads, 0);
    struct fault_request seen;
    assert_int_equal(fault_server_requests(proxy), 1);
    assert_true(fault_server_request(proxy, 0, &seen));
    assert_true(str_equal(seen.method, STR("CONNECT")));
    assert_false(head_has(&seen, "x-api-key"));
    http_pair_close(&pair);
    fault_server_free(proxy);
}

/* ---- nothing is left behind ---- */

/* Blocks that are given back hold neither key nor document. */
static void *watching_resize(void *state, void *ptr, size_t size_old, size_t size_new)
{
    struct test_alloc *memory = state;
    static const char *const secrets[] = { "secret", "the document" };
    for (size_t s = 0; s < 2; s++) {
        size_t len = strlen(secrets[s]);
        for (size_t i = 0; ptr != NULL && i + len <= size_old; i++)
            assert_memory_not_equal((const char *)ptr + i, secrets[s], len);
    }
    return memory->alloc.resize(memory->alloc.state, ptr, size_old, size_new);
}

static void test_memory_is_zeroed(void **state)
{
    (void)state;
    struct http_pair pair;
    struct http_log log = { .ends = 0 };
    http_pair_open(&pair);
    struct alloc watching = { watching_resize, &pair.memory };
    struct http_client client = http_test_client(&watching);
    assert_true(fault_server_add(pair.server, &good));
    struct http_request request = keyed_request(&pair);
    http_log_run(&log, &client, &request);
    assert_int_equal(log.end.outcome, HTTP_DONE);
    http_client_free(&client);
    http_pair_close(&pair);
}

/* ---- connections that are kept ---- */

static void run_in_pool(struct http_pair *pair, const char *pool, const struct fault_script *script,
                        struct http_log *log)
{
    struct http_request request = keyed_request(pair);
    request.pool = str_from(pool);
    *log = (struct http_log){ .ends = 0 };
    if (script != NULL)
        assert_true(fault_server_add(pair->server, script));
    http_log_run(log, &pair->client, &request);
}

static void test_reuse(void **state)
{
    (void)state;
    struct http_pair pair;
    struct http_log log;
    http_pair_open(&pair);
    run_in_pool(&pair, "one", &good, &log);
    assert_false(log.end.was_reused);
    run_in_pool(&pair, "one", &good, &log);
    assert_int_equal(log.end.outcome, HTTP_DONE);
    assert_true(log.end.was_reused);
    assert_int_equal(fault_server_connections(pair.server), 1);
    run_in_pool(&pair, "two", &good, &log);
    assert_false(log.end.was_reused);
    assert_int_equal(fault_server_connections(pair.server), 2);
    run_in_pool(&pair, "", &good, &log);
    assert_int_equal(fault_server_connections(pair.server), 3);
    http_pair_close(&pair);
}

SCRIPT(large, STEP(FAULT_SEND, FAULT_JSON_HEAD "Content-Length: 16777216\r\n\r\n"),
       STEP_COUNT(FAULT_REPEAT, "0123456789abcdef", 1 << 20));

static void test_no_reuse_after_stop(void **state)
{
    (void)state;
    struct http_pair pair;
    struct http_log log;
    http_pair_open(&pair);
    run_in_pool(&pair, "one", &large, &log);
    assert_int_equal(log.end.outcome, HTTP_BODY_TOO_LARGE);
    run_in_pool(&pair, "one", &good, &log);
    assert_int_equal(log.end.outcome, HTTP_DONE);
    assert_false(log.end.was_reused);
    assert_int_equal(fault_server_connections(pair.server), 2);
    http_pair_close(&pair);
}

SCRIPT(good_then_close, STEP(FAULT_SEND, FAULT_JSON_HEAD), STEP(FAULT_BODY, "{}"),
       STEP(FAULT_CLOSE, ""));
SCRIPT(close_only, STEP(FAULT_CLOSE, ""));
SCRIPT(reset_only, STEP(FAULT_RESET, ""));

/* A kept connection that the other side gave up, before the next request or just as it came: the
 * request goes over a new one. */
static void test_stale(void **state)
{
    (void)state;
    static const struct {
        const struct fault_script *first, *second;
        uint32_t requests;
    } table[] = {
        { &good_then_close, NULL, 2 },
        { &good, &close_only, 3 },
        { &good, &reset_only, 3 },
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct http_pair pair;
        struct http_log log;
        http_pair_open(&pair);
        run_in_pool(&pair, "one", table[i].first, &log);
        if (table[i].second != NULL)
            assert_true(fault_server_add(pair.server, table[i].second));
        run_in_pool(&pair, "one", &good, &log);
        assert_int_equal(log.end.outcome, HTTP_DONE);
        assert_int_equal(log.body_bytes, 2);
        assert_int_equal(fault_server_requests(pair.server), table[i].requests);
        assert_int_equal(fault_server_connections(pair.server), 2);
        struct fault_request seen = seen_request(&pair, table[i].requests - 1);
        assert_true(str_equal(seen.body, STR("the document")));
        http_pair_close(&pair);
    }
}

SCRIPT(half, STEP(FAULT_SEND, FAULT_JSON_HEAD "Content-Length: 9\r\n\r\nhalf"),
       STEP(FAULT_CLOSE, ""));

/* Once a byte of a reply came, or on a new connection, a break is told and nothing is sent again.
 */
static void test_not_sent_again(void **state)
{
    (void)state;
    static const struct {
        const struct fault_script *first, *second;
        bool was_reused;
    } table[] = {
        { &good, &half, true },
        { NULL, &close_only, false },
        { NULL, &reset_only, false },
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct http_pair pair;
        struct http_log log;
        http_pair_open(&pair);
        if (table[i].first != NULL)
            run_in_pool(&pair, "one", table[i].first, &log);
        run_in_pool(&pair, "one", table[i].second, &log);
        assert_int_equal(log.end.outcome, HTTP_RESET);
        assert_true(log.end.was_sent);
        assert_int_equal(log.end.was_reused, table[i].was_reused);
        assert_int_equal(fault_server_requests(pair.server), table[i].first != NULL ? 2 : 1);
        http_pair_close(&pair);
    }
}

/* More pools than are kept: the longest idle ones close their connections. */
static void test_many_pools(void **state)
{
    (void)state;
    struct http_pair pair;
    struct http_log log;
    char name[HTTP_TEST_NAME_BYTES];
    http_pair_open(&pair);
    for (int i = 0; i < POOLS; i++) {
        (void)snprintf(name, sizeof(name), "pool %d", i);
        run_in_pool(&pair, name, &good, &log);
        assert_int_equal(log.end.outcome, HTTP_DONE);
    }
    assert_int_equal(fault_server_connections(pair.server), POOLS);
    assert_true(fault_server_await_closed(pair.server, POOLS - 64));
    (void)snprintf(name, sizeof(name), "pool %d", POOLS - 1);
    run_in_pool(&pair, name, &good, &log);
    assert_true(log.end.was_reused);
    run_in_pool(&pair, "pool 0", &good, &log);
    assert_false(log.end.was_reused);
    http_pair_close(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_redirects),
        cmocka_unit_test(test_no_other_header),
        cmocka_unit_test(test_no_cookies),
        cmocka_unit_test(test_no_netrc),
        cmocka_unit_test(test_proxy),
        cmocka_unit_test(test_proxy_refuses_tunnel),
        cmocka_unit_test(test_memory_is_zeroed),
        cmocka_unit_test(test_reuse),
        cmocka_unit_test(test_no_reuse_after_stop),
        cmocka_unit_test(test_stale),
        cmocka_unit_test(test_not_sent_again),
        cmocka_unit_test(test_many_pools),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

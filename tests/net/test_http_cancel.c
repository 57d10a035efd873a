/* test_http_cancel.c - the client's own life: transfers cancelled in every phase, transfers that
 * begin inside of events, waking from a thread and from a signal, more transfers than connections,
 * a loop of somebody else, and memory that fails, ours and libcurl's. */
#include "base/features.h"

#include "http_test.h"

#include <curl/curl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

enum { CONNECTS = 16, MANY = 6, FEW_CONNECTIONS = 2, CONNECT_MS = 500 };

const char *__lsan_default_suppressions(void);

/* ---- a resolver that answers when it is told to, and then says that there is no such name ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static uint32_t asked, answered;
static bool is_open;

__attribute__((visibility("default"))) int getaddrinfo(const char *name, const char *service,
                                                       const struct addrinfo *hints,
                                                       struct addrinfo **out)
{
    (void)name;
    (void)service;
    (void)hints;
    pthread_mutex_lock(&lock);
    asked++;
    pthread_cond_broadcast(&changed);
    while (!is_open)
        pthread_cond_wait(&changed, &lock);
    answered++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    *out = NULL;
    return EAI_NONAME;
}

static void resolver_await_asked(void)
{
    pthread_mutex_lock(&lock);
    while (asked == answered)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static void resolver_answer_all(void)
{
    pthread_mutex_lock(&lock);
    is_open = true;
    pthread_cond_broadcast(&changed);
    while (answered < asked)
        pthread_cond_wait(&changed, &lock);
    is_open = false;
    pthread_mutex_unlock(&lock);
}

/* ---- libcurl's memory ---- */

static struct {
    uint64_t requests, fail_at;
    int64_t alive;
    bool fails_from_then_on, has_failed;
} curl_memory;

static bool curl_memory_fails(void)
{
    pthread_mutex_lock(&lock);
    uint64_t request = ++curl_memory.requests;
    bool fails = curl_memory.fail_at != 0 &&
                 (curl_memory.fails_from_then_on ? request >= curl_memory.fail_at
                                                 : request == curl_memory.fail_at);
    curl_memory.has_failed |= fails;
    curl_memory.alive += !fails;
    pthread_mutex_unlock(&lock);
    return fails;
}

static void *curl_get(size_t size)
{
    return curl_memory_fails() ? NULL : malloc(size);
}

static void *curl_get_zeroed(size_t count, size_t size)
{
    return curl_memory_fails() ? NULL : calloc(count, size);
}

static void curl_give(void *ptr)
{
    pthread_mutex_lock(&lock);
    curl_memory.alive -= ptr != NULL;
    pthread_mutex_unlock(&lock);
    free(ptr);
}

static void *curl_change(void *ptr, size_t size)
{
    if (curl_memory_fails())
        return NULL;
    pthread_mutex_lock(&lock);
    curl_memory.alive -= ptr != NULL;
    pthread_mutex_unlock(&lock);
    return realloc(ptr, size);
}

static char *curl_copy(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = curl_get(size);
    if (copy != NULL)
        memcpy(copy, text, size);
    return copy;
}

/* ---- phases ---- */

SCRIPT(good, STEP(FAULT_SEND, FAULT_JSON_HEAD), STEP(FAULT_BODY, "{}"));
SCRIPT(silence, STEP(FAULT_STALL, ""));
SCRIPT(head_only, STEP(FAULT_SEND, FAULT_SSE_HEAD), STEP(FAULT_STALL, ""));
SCRIPT(half_head, STEP(FAULT_SEND, "HTTP/1.1 200 OK\r\nContent-Len"), STEP(FAULT_STALL, ""));
SCRIPT_AT(mute, FAULT_AT_ACCEPT, STEP(FAULT_STALL, ""));

enum phase { AT_START, AT_NAME, AT_CONNECT, AT_HANDSHAKE, AT_SENT, AT_HEAD, AT_BODY, AT_REST };

/* A socket whose queue of connections is full, so that another one waits. */
static uint16_t fill_listener(int fds[CONNECTS + 1])
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t len = sizeof(address);
    fds[CONNECTS] = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(fds[CONNECTS], (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(fds[CONNECTS], 0), 0);
    assert_int_equal(getsockname(fds[CONNECTS], (struct sockaddr *)&address, &len), 0);
    for (int i = 0; i < CONNECTS; i++) {
        fds[i] = socket(AF_INET, SOCK_STREAM, 0);
        (void)fcntl(fds[i], F_SETFL, O_NONBLOCK);
        (void)connect(fds[i], (struct sockaddr *)&address, sizeof(address));
    }
    return ntohs(address.sin_port);
}

struct setting {
    struct http_pair pair;
    struct http_log log;
    int fds[CONNECTS + 1];
    char url[FAULT_URL_BYTES];
};

/* What makes the transfer stay in that phase. */
static void prepare(struct setting *setting, enum phase phase)
{
    struct fault_server *server = setting->pair.server;
    (void)snprintf(setting->url, sizeof(setting->url), "%s", setting->pair.url);
    switch (phase) {
    case AT_START: break;
    case AT_NAME: (void)snprintf(setting->url, sizeof(setting->url), "http://slow.example/"); break;
    case AT_CONNECT:
        (void)snprintf(setting->url, sizeof(setting->url), "http://127.0.0.1:%u/",
                       fill_listener(setting->fds));
        break;
    case AT_HANDSHAKE:
        assert_true(fault_server_add(server, &mute));
        (void)snprintf(setting->url, sizeof(setting->url), "https://127.0.0.1:%u/",
                       fault_server_port(server));
        break;
    case AT_SENT: assert_true(fault_server_add(server, &silence)); break;
    case AT_HEAD:
        assert_true(fault_server_add(server, &good));
        setting->log.cancels_at_head = true;
        break;
    case AT_BODY:
        assert_true(fault_server_add(server, &good));
        setting->log.cancels_at_body = true;
        break;
    case AT_REST: assert_true(fault_server_add(server, &head_only)); break;
    }
}

static void run_a_little(const struct http_client *client)
{
    for (int i = 0; i < 8; i++)
        http_run(client, 0);
}

/* Until it is there. */
static void reach(struct setting *setting, enum phase phase)
{
    const struct http_client *client = &setting->pair.client;
    struct fault_server *server = setting->pair.server;
    switch (phase) {
    case AT_START: break;
    case AT_NAME:
        run_a_little(client);
        resolver_await_asked();
        break;
    case AT_CONNECT: run_a_little(client); break;
    case AT_HANDSHAKE:
        while (fault_server_connections(server) == 0)
            http_run(client, http_now_ms(client) + 1);
        run_a_little(client);
        break;
    case AT_SENT:
        while (fault_server_requests(server) == 0)
            http_run(client, http_now_ms(client) + 1);
        break;
    case AT_HEAD:
    case AT_BODY: http_log_finish(&setting->log); break;
    case AT_REST: http_log_await_head(&setting->log); break;
    }
}

static void leave(struct setting *setting, enum phase phase)
{
    if (phase == AT_NAME)
        resolver_answer_all();
    for (int i = 0; phase == AT_CONNECT && i <= CONNECTS; i++)
        (void)close(setting->fds[i]);
}

static void play(enum phase phase, bool by_free)
{
    static struct setting setting;
    struct http_log after = { .ends = 0 };
    memset(&setting, 0, sizeof(setting));
    http_pair_open(&setting.pair);
    prepare(&setting, phase);
    struct http_request request = http_test_request(&setting.pair.client, setting.url);
    assert_int_equal(http_log_start(&setting.log, &setting.pair.client, &request), STATUS_OK);
    reach(&setting, phase);
    if (!by_free) {
        if (!setting.log.is_cancelled)
            http_log_cancel(&setting.log);
        /* the next one works as if nothing had been */
        assert_true(fault_server_add(setting.pair.server, &good));
        request = http_pair_request(&setting.pair);
        http_log_run(&after, &setting.pair.client, &request);
        assert_int_equal(after.end.outcome, HTTP_DONE);
    }
    setting.log.is_cancelled = true; /* no event any more */
    http_pair_close(&setting.pair);
    leave(&setting, phase);
    assert_int_equal(setting.log.ends, 0);
}

static void test_phases(void **state)
{
    (void)state;
    for (enum phase phase = AT_START; phase <= AT_REST; phase++)
        play(phase, false);
}

static void test_free_in_phases(void **state)
{
    (void)state;
    for (enum phase phase = AT_START; phase <= AT_REST; phase++)
        play(phase, true);
}

/* The other side sees the connection close. */
static void test_closes_connection(void **state)
{
    (void)state;
    struct http_pair pair;
    struct http_log log = { .ends = 0 };
    http_pair_open(&pair);
    assert_true(fault_server_add(pair.server, &head_only));
    struct http_request request = http_pair_request(&pair);
    assert_int_equal(http_log_start(&log, &pair.client, &request), STATUS_OK);
    http_log_await_head(&log);
    http_log_cancel(&log);
    assert_true(fault_server_await_closed(pair.server, 1));
    http_pair_close(&pair);
}

/* One event ends another transfer of the same pool. */
static void test_cancel_other(void **state)
{
    (void)state;
    static const struct fault_script *const others[] = { &silence, &half_head, &head_only, &good };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        struct http_pair pair;
        struct http_log one = { .ends = 0 }, two = { .ends = 0 };
        http_pair_open(&pair);
        struct http_request request = http_pair_request(&pair);
        assert_true(fault_server_add(pair.server, others[i]));
        assert_int_equal(http_log_start(&two, &pair.client, &request), STATUS_OK);
        while (fault_server_requests(pair.server) == 0)
            http_run(&pair.client, http_now_ms(&pair.client) + 1);
        one.cancels = &two;
        assert_true(fault_server_add(pair.server, &good));
        http_log_run(&one, &pair.client, &request);
        assert_int_equal(one.end.outcome, HTTP_DONE);
        assert_true(two.is_cancelled || two.ends == 1);
        http_pair_close(&pair);
    }
}

/* ---- transfers out of events ---- */

struct chain {
    struct http_log first, second;
    struct http_request request;
    bool at_head;
};

static void chain_start(struct chain *chain)
{
    assert_int_equal(http_log_start(&chain->second, chain->first.client, &chain->request),
                     STATUS_OK);
}

static void chain_on_head(void *state, const struct http_head *head)
{
    struct chain *chain = state;
    http_log_on_head(&chain->first, head);
    if (chain->at_head)
        chain_start(chain);
}

static bool chain_on_body(void *state, struct str chunk)
{
    struct chain *chain = state;
    return http_log_on_body(&chain->first, chunk);
}

static void chain_on_end(void *state, const struct http_end *end)
{
    struct chain *chain = state;
    http_log_on_end(&chain->first, end);
    if (!chain->at_head)
        chain_start(chain);
}

static void test_start_in_event(void **state)
{
    (void)state;
    for (int at_head = 0; at_head < 2; at_head++) {
        struct http_pair pair;
        struct chain chain = { .at_head = at_head != 0 };
        struct http_sink sink = { chain_on_head, chain_on_body, chain_on_end, &chain };
        struct error error;
        http_pair_open(&pair);
        assert_true(fault_server_add(pair.server, &good));
        assert_true(fault_server_add(pair.server, &good));
        chain.request = http_pair_request(&pair);
        chain.first.client = &pair.client;
        assert_int_equal(
            http_start(&pair.client, &chain.request, &sink, &chain.first.transfer, &error),
            STATUS_OK);
        http_log_finish(&chain.first);
        http_log_finish(&chain.second);
        assert_int_equal(chain.first.end.outcome, HTTP_DONE);
        assert_int_equal(chain.second.end.outcome, HTTP_DONE);
        assert_int_equal(chain.second.body_bytes, 2);
        http_pair_close(&pair);
    }
}

/* ---- waking ---- */

static struct http_client *woken;

static void *wake_later(void *state)
{
    http_wake(state);
    return NULL;
}

static void on_signal(int number)
{
    (void)number;
    http_wake(woken);
}

/* run must come back before its time, or the limit of the test shows it. */
static void run_until_woken(const struct http_client *client)
{
    int64_t until_ms = http_now_ms(client) + 10 * HTTP_TEST_LONG_MS;
    http_run(client, until_ms);
    assert_true(http_now_ms(client) < until_ms);
}

static void test_wake(void **state)
{
    (void)state;
    struct test_alloc memory;
    pthread_t thread;
    test_alloc_init(&memory);
    struct http_client client = http_test_client(&memory.alloc);
    http_wake(&client); /* before */
    run_until_woken(&client);
    assert_int_equal(pthread_create(&thread, NULL, wake_later, &client), 0);
    run_until_woken(&client);
    assert_int_equal(pthread_join(thread, NULL), 0);
    struct sigaction action = { .sa_handler = on_signal }, old;
    woken = &client;
    assert_int_equal(sigaction(SIGALRM, &action, &old), 0);
    (void)alarm(1);
    run_until_woken(&client);
    assert_int_equal(sigaction(SIGALRM, &old, NULL), 0);
    http_run(&client, 0); /* its time has passed: it does not wait */
    http_client_free(&client);
    test_alloc_assert_empty(&memory);
}

/* ---- more transfers than connections ---- */

SCRIPT(gated, STEP_COUNT(FAULT_GATE, "", 1), STEP(FAULT_SEND, FAULT_JSON_HEAD),
       STEP(FAULT_BODY, "{}"));

/* Those that wait for a connection are not connecting: that clock stands still. */
static void test_queue(void **state)
{
    (void)state;
    struct test_alloc memory;
    struct http_curl_options options = { .pool_connections_max = FEW_CONNECTIONS };
    struct http_client client;
    struct http_log logs[MANY], timer = { .ends = 0 };
    struct error error;
    char url[FAULT_URL_BYTES], other_url[FAULT_URL_BYTES];
    struct fault_server *server = fault_server_new(NULL), *other = fault_server_new(NULL);
    test_alloc_init(&memory);
    memset(logs, 0, sizeof(logs));
    assert_int_equal(http_curl_new(&options, &memory.alloc, &client, &error), STATUS_OK);
    struct http_request request =
        http_test_request(&client, fault_server_url(server, "/v1/reply", url));
    request.connect_ms = HTTP_TEST_SHORT_MS;
    for (int i = 0; i < MANY; i++) {
        assert_true(fault_server_add(server, &gated));
        assert_int_equal(http_log_start(&logs[i], &client, &request), STATUS_OK);
    }
    /* a transfer that ends at its deadline is the clock of this test */
    assert_true(fault_server_add(other, &silence));
    request = http_test_request(&client, fault_server_url(other, "/", other_url));
    request.pool = STR("other");
    request.deadline_ms = http_now_ms(&client) + 4 * HTTP_TEST_SHORT_MS;
    http_log_run(&timer, &client, &request);
    assert_int_equal(timer.end.outcome, HTTP_DEADLINE);
    assert_int_equal(fault_server_requests(server), FEW_CONNECTIONS);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(logs[i].ends, 0);
    fault_server_open(server, 1);
    for (int i = 0; i < MANY; i++) {
        http_log_finish(&logs[i]);
        assert_int_equal(logs[i].end.outcome, HTTP_DONE);
    }
    assert_int_equal(fault_server_connections(server), FEW_CONNECTIONS);
    http_client_free(&client);
    test_alloc_assert_empty(&memory);
    fault_server_free(server);
    fault_server_free(other);
}

/* ---- a loop of somebody else ---- */

static void test_foreign_loop(void **state)
{
    (void)state;
    struct test_alloc memory;
    uv_loop_t loop;
    struct http_curl_options options = { .loop = &loop };
    struct http_client one, two;
    struct error error;
    struct http_log log = { .ends = 0 };
    char url[FAULT_URL_BYTES];
    struct fault_server *server = fault_server_new(NULL);
    test_alloc_init(&memory);
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(http_curl_new(&options, &memory.alloc, &one, &error), STATUS_OK);
    assert_int_equal(http_curl_new(&options, &memory.alloc, &two, &error), STATUS_OK);
    assert_true(fault_server_add(server, &good));
    struct http_request request =
        http_test_request(&two, fault_server_url(server, "/v1/reply", url));
    assert_int_equal(http_log_start(&log, &two, &request), STATUS_OK);
    http_client_free(&one);
    while (log.ends == 0)
        (void)uv_run(&loop, UV_RUN_ONCE); /* without http_run */
    assert_int_equal(log.end.outcome, HTTP_DONE);
    assert_int_equal(uv_run(&loop, UV_RUN_NOWAIT), 0); /* an idle client keeps no loop alive */
    http_client_free(&two);
    assert_int_equal(uv_loop_close(&loop), 0);
    test_alloc_assert_empty(&memory);
    fault_server_free(server);
}

/* ---- memory ---- */

static const struct fault_script *choose_good(void *state, const struct fault_request *request)
{
    (void)state;
    (void)request;
    return &good;
}

static const struct http_header header = { STR_LITERAL("x-api-key"), STR_LITERAL("secret"), true };

/* Two transfers of two pools, one after the other. Whether both were whole. */
static bool use_client(const struct alloc *alloc, const char *url)
{
    struct http_client client = { NULL, NULL };
    struct error error;
    uint32_t whole = 0;
    if (http_curl_new(NULL, alloc, &client, &error) != STATUS_OK)
        return false;
    for (int i = 0; i < 2; i++) {
        struct http_log log = { .ends = 0 };
        struct http_request request = http_test_request(&client, url);
        request.method = STR("POST");
        request.body = STR("the document");
        request.headers = &header;
        request.header_count = 1;
        request.pool = i == 0 ? STR("one") : STR("two");
        request.connect_ms = CONNECT_MS;
        enum status status = http_log_start(&log, &client, &request);
        assert_true(status == STATUS_OK || status == STATUS_NO_MEMORY);
        if (status != STATUS_OK)
            continue;
        http_log_finish(&log);
        if (log.end.outcome == HTTP_DONE) {
            assert_int_equal(log.status, 200);
            assert_true(str_equal(http_log_body(&log), STR("{}")));
            whole++;
        } else {
            assert_int_not_equal(log.end.outcome, HTTP_DEADLINE);
        }
    }
    http_client_free(&client);
    return whole == 2;
}

static void memory_scenario(struct test_alloc *test, void *context)
{
    bool is_whole = use_client(&test->alloc, context);
    if (test->failures == 0)
        assert_true(is_whole);
}

static void test_own_memory(void **state)
{
    (void)state;
    struct fault_server_options options = { .choose = choose_good, .keep_no_journal = true };
    char url[FAULT_URL_BYTES];
    struct fault_server *server = fault_server_new(&options);
    (void)fault_server_url(server, "/v1/reply", url);
    test_alloc_failures(memory_scenario, url);
    fault_server_free(server);
}

/* libcurl 7.88 itself loses a connection, and the transfer with it, when the list of connections
 * cannot grow: the clocks end that one. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void)
{
    return "leak:curl_get\nleak:curl_get_zeroed\nleak:curl_change\nleak:curl_copy\n";
}

static void test_curl_memory(void **state)
{
    (void)state;
    struct fault_server_options options = { .choose = choose_good, .keep_no_journal = true };
    char url[FAULT_URL_BYTES];
    struct fault_server *server = fault_server_new(&options);
    (void)fault_server_url(server, "/v1/reply", url);
    assert_true(use_client(alloc_default(), url));
    for (int from_then_on = 0; from_then_on < 2; from_then_on++) {
        uint64_t n = 0;
        do {
            int64_t alive = curl_memory.alive;
            curl_memory.requests = 0;
            curl_memory.has_failed = false;
            curl_memory.fails_from_then_on = from_then_on != 0;
            curl_memory.fail_at = ++n;
            bool is_whole = use_client(alloc_default(), url);
            curl_memory.fail_at = 0;
            assert_true(is_whole || curl_memory.has_failed);
            assert_true(curl_memory.has_failed || curl_memory.alive == alive);
        } while (curl_memory.has_failed);
    }
    fault_server_free(server);
}

static int begin(void **state)
{
    (void)state;
    return curl_global_init_mem(CURL_GLOBAL_DEFAULT, curl_get, curl_give, curl_change, curl_copy,
                                curl_get_zeroed) == CURLE_OK
               ? 0
               : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_phases),
        cmocka_unit_test(test_free_in_phases),
        cmocka_unit_test(test_closes_connection),
        cmocka_unit_test(test_cancel_other),
        cmocka_unit_test(test_start_in_event),
        cmocka_unit_test(test_wake),
        cmocka_unit_test(test_queue),
        cmocka_unit_test(test_foreign_loop),
        cmocka_unit_test(test_own_memory),
        cmocka_unit_test(test_curl_memory),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}

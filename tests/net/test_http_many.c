/* test_http_many.c - many transfers at once: deadlines in their order, every kind of end and
 * cancellations drawn from a seed, and descriptors that run out. */
#include "base/features.h"

#include "http_test.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/control.h"

enum { DEADLINES = 24, STEP_MS = 3, MANY = 48, SEEDS_DEFAULT = 12, POOLS = 3, SPARE = 3 };

SCRIPT(good, STEP(FAULT_SEND, FAULT_JSON_HEAD), STEP(FAULT_BODY, "{}"));
SCRIPT(silence, STEP(FAULT_STALL, ""));

static const struct fault_script *choose_silence(void *state, const struct fault_request *request)
{
    (void)state;
    (void)request;
    return &silence;
}

/* ---- the order of deadlines ---- */

struct ordered {
    struct http_log log;
    const struct http_client *client;
    uint32_t *ended, place;
};

static void ordered_end(void *state, const struct http_end *end)
{
    struct ordered *ordered = state;
    http_log_on_end(&ordered->log, end);
    ordered->place = (*ordered->ended)++;
}

static void test_order(void **state)
{
    (void)state;
    static struct ordered all[DEADLINES];
    struct fault_server_options options = { .choose = choose_silence, .keep_no_journal = true };
    struct fault_server *server = fault_server_new(&options);
    struct test_alloc memory;
    char url[FAULT_URL_BYTES];
    uint32_t ended = 0;
    test_alloc_init(&memory);
    struct http_client client = http_test_client(&memory.alloc);
    struct http_request request =
        http_test_request(&client, fault_server_url(server, "/v1/reply", url));
    int64_t begin_ms = http_now_ms(&client) + HTTP_TEST_SHORT_MS;
    memset(all, 0, sizeof(all));
    for (uint32_t i = 0; i < DEADLINES; i++) {
        struct http_transfer *transfer;
        struct error error;
        struct http_sink sink = { NULL, NULL, ordered_end, &all[i] };
        all[i].ended = &ended;
        /* 0, 7, 14, ...: neither rising nor falling */
        request.deadline_ms = begin_ms + (int64_t)(i * 7 % DEADLINES) * STEP_MS;
        assert_int_equal(http_start(&client, &request, &sink, &transfer, &error), STATUS_OK);
    }
    while (ended < DEADLINES)
        http_run(&client, http_now_ms(&client) + HTTP_TEST_LONG_MS);
    for (uint32_t i = 0; i < DEADLINES; i++) {
        assert_int_equal(all[i].log.end.outcome, HTTP_DEADLINE);
        assert_int_equal(all[i].place, i * 7 % DEADLINES);
    }
    http_client_free(&client);
    test_alloc_assert_empty(&memory);
    fault_server_free(server);
}

/* ---- all at once ---- */

SCRIPT(chunks, STEP(FAULT_SEND, FAULT_SSE_HEAD),
       { FAULT_CHUNK, STR_LITERAL("data: one\n\ndata: two\n\n"), 0, 2 },
       STEP(FAULT_LAST_CHUNK, ""));
SCRIPT(cut, STEP(FAULT_SEND, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"),
       STEP(FAULT_CLOSE, ""));
SCRIPT(broken, STEP(FAULT_SEND, FAULT_SSE_HEAD), STEP(FAULT_CHUNK, "half"), STEP(FAULT_RESET, ""));
SCRIPT(large, STEP(FAULT_SEND, "HTTP/1.1 200 OK\r\n\r\n"), STEP(FAULT_REPEAT, "again and again "));
SCRIPT(half, STEP(FAULT_SEND, FAULT_SSE_HEAD), STEP(FAULT_CHUNK, "half"), STEP(FAULT_STALL, ""));
SCRIPT(noise, STEP(FAULT_SEND, "220 mail ready\r\n"), STEP(FAULT_CLOSE, ""));

/* The path "/N" asks for the script of row N. */
static const struct {
    const struct fault_script *script;
    enum http_outcome outcome;
} kinds[] = {
    { &good, HTTP_DONE },
    { &chunks, HTTP_DONE },
    { &cut, HTTP_RESET },
    { &broken, HTTP_RESET },
    { &large, HTTP_BODY_TOO_LARGE },
    { &half, HTTP_IDLE_TIMEOUT },
    { &silence, HTTP_FIRST_BYTE_TIMEOUT },
    { &noise, HTTP_PROTOCOL },
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static const struct fault_script *choose_kind(void *state, const struct fault_request *request)
{
    (void)state;
    return kinds[request->path.ptr[1] - '0'].script;
}

struct one {
    struct http_log log;
    uint32_t kind;
    bool to_cancel;
};

static void start_one(struct one *one, const struct http_client *client,
                      const struct fault_server *server, const struct rng *rng)
{
    static const char *const pools[POOLS] = { "one", "two", "three" };
    char path[8], url[FAULT_URL_BYTES];
    one->kind = (uint32_t)(rng->next(rng->state) % KINDS);
    (void)snprintf(path, sizeof(path), "/%u", one->kind);
    struct http_request request = http_test_request(client, fault_server_url(server, path, url));
    request.pool = str_from(pools[rng->next(rng->state) % POOLS]);
    request.body_bytes_max = HTTP_TEST_KEPT_MAX;
    if (kinds[one->kind].outcome == HTTP_IDLE_TIMEOUT)
        request.idle_ms = HTTP_TEST_SHORT_MS;
    if (kinds[one->kind].outcome == HTTP_FIRST_BYTE_TIMEOUT)
        request.first_byte_ms = HTTP_TEST_SHORT_MS;
    uint64_t fate = rng->next(rng->state) % 8;
    one->log.cancels_at_head = fate == 0;
    one->log.cancels_at_body = fate == 1;
    one->to_cancel = fate == 2;
    assert_int_equal(http_log_start(&one->log, client, &request), STATUS_OK);
}

static bool is_over(const struct one *one)
{
    return one->log.ends > 0 || one->log.is_cancelled;
}

static void play_seed(uint64_t seed)
{
    static struct one all[MANY];
    struct fault_server_options options = { .choose = choose_kind, .keep_no_journal = true };
    struct fault_server *server = fault_server_new(&options);
    struct http_curl_options few = { .pool_connections_max = 4 };
    struct rng_seeded word;
    struct rng rng = rng_from_seed(&word, seed);
    struct test_alloc memory;
    struct http_client client;
    struct error error;
    uint32_t started = 0, over = 0;
    test_alloc_init(&memory);
    memset(all, 0, sizeof(all));
    assert_int_equal(http_curl_new(&few, &memory.alloc, &client, &error), STATUS_OK);
    while (over < MANY) {
        for (uint32_t i = 0; i < 5 && started < MANY; i++)
            start_one(&all[started++], &client, server, &rng);
        http_run(&client, http_now_ms(&client) + 1 + (int64_t)(rng.next(rng.state) % 5));
        over = 0;
        for (uint32_t i = 0; i < started; i++) {
            if (all[i].to_cancel && !is_over(&all[i]) && rng.next(rng.state) % 4 == 0)
                http_log_cancel(&all[i].log);
            over += is_over(&all[i]);
        }
    }
    http_run(&client, 0);
    http_client_free(&client);
    fault_server_free(server);
    test_alloc_assert_empty(&memory);
    for (uint32_t i = 0; i < MANY; i++) {
        const struct one *one = &all[i];
        if (!one->log.is_cancelled && one->log.end.outcome != kinds[one->kind].outcome)
            fail_msg("seed %llu, transfer %u of kind %u: %s", (unsigned long long)seed, i,
                     one->kind, http_outcome_name(one->log.end.outcome));
    }
}

static void test_all_kinds(void **state)
{
    (void)state;
    const char *wanted = getenv("STRUCTURE_SEEDS");
    uint64_t seeds = wanted == NULL ? SEEDS_DEFAULT : strtoull(wanted, NULL, 10);
    for (uint64_t seed = 1; seed <= seeds; seed++)
        play_seed(seed);
}

/* ---- no descriptors ---- */

/* Leaves so many free. */
static void descriptors_take(rlim_t spare, struct rlimit *old)
{
    int lowest = open("/dev/null", O_RDONLY);
    assert_true(lowest >= 0);
    (void)close(lowest);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, old), 0);
    struct rlimit few = { (rlim_t)lowest + spare, old->rlim_max };
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
}

/* A client that finds no descriptor says so; a transfer that finds none ends, and the next one
 * works when there are some again. */
static void test_descriptors(void **state)
{
    (void)state;
    struct http_pair pair;
    struct http_client none = { NULL, NULL };
    struct http_log log = { .ends = 0 }, after = { .ends = 0 };
    struct error error = { 0 };
    struct rlimit old;
    descriptors_take(0, &old);
    assert_int_equal(http_curl_new(NULL, alloc_default(), &none, &error), STATUS_NO_MEMORY);
    assert_null(none.ops);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
    for (rlim_t spare = 1; spare <= SPARE; spare++) { /* the loop wants some, or all of these */
        descriptors_take(spare, &old);
        if (http_curl_new(NULL, alloc_default(), &none, &error) == STATUS_OK)
            http_client_free(&none);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
    }

    http_pair_open(&pair);
    assert_true(fault_server_add(pair.server, &good));
    struct http_request request = http_pair_request(&pair);
    http_run(&pair.client, 0); /* the loop opens what it needs */
    descriptors_take(0, &old);
    http_log_run(&log, &pair.client, &request);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
    assert_int_equal(log.end.outcome, HTTP_UNREACHABLE);
    http_log_run(&after, &pair.client, &request);
    assert_int_equal(after.end.outcome, HTTP_DONE);
    http_pair_close(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_all_kinds),
        cmocka_unit_test(test_descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* bench_flight.c - many calls in flight in one process: memory and processor time of a call, as
 * ratios to bare libcurl doing the same transfers in the same run.
 *
 * The other side is the tests' fault server in a process of its own: it takes every request, and
 * answers when all have come, so that all are in flight at once. Three ways take turns: libcurl's
 * multi interface over epoll (the floor), the HTTP client of this library, and whole calls: prompt,
 * projection, request, stream, JSON, verdict. All send the same bytes, to new connections, and get
 * the same reply. Reported are the least processor time and the median of memory of some rounds.
 */
#include "base/features.h"

#include <curl/curl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/flight.h"
#include "fault_output.h"
#include "fault_server.h"
#include "net/http_curl.h"
#include "provider/provider.h"
#include "replies.h"
#include "schema/compile.h"

enum {
    CALLS_DEFAULT = 1000,
    CALLS_MAX = 8000,
    ROUNDS = 5,
    SLICE_MS = 2,
    FAR_MS = 120000,
    BODY_BYTES_MAX = 1 << 20,
    EVENTS_MAX = 256,
    PIECE = 256
};

#define SCHEMA                                                                                     \
    "{\"type\":\"object\",\"properties\":{\"actor\":{\"type\":\"string\"},\"priority\":{\"type\":" \
    "\"integer\",\"minimum\":1,\"maximum\":5}},\"required\":[\"actor\",\"priority\"],"             \
    "\"additionalProperties\":false}"
#define PROMPT "Mike broke the build today, priority 3. Write down who it was and how urgent it is."
#define REPLY  "{\"actor\":\"Mike\",\"priority\":3}"

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    (void)fprintf(stderr, "bench_flight: %s\n", what);
    exit(1);
}

/* ---- the other side ---- */

struct other_side {
    pid_t id;
    int tell, hear; /* 1 byte: wait for so many more requests, then open; answered when they came */
    unsigned port;
    uint32_t calls;
};

static const struct fault_step *reply_steps;

static const struct fault_script *choose(void *state, const struct fault_request *request)
{
    static struct fault_script script = { .cut = FAULT_END };
    (void)state;
    (void)request;
    script.steps = reply_steps;
    return &script;
}

/* Waits for a round's requests, says so, waits for the word, and lets the replies go. The gate of
 * the next round is closed again: its level is the round. */
static void serve(const struct other_side *side, struct fault_step *gate)
{
    struct fault_server_options options = { .choose = choose, .keep_no_journal = true };
    struct fault_server *server = fault_server_new(&options);
    require(server != NULL, "no server");
    uint16_t port = fault_server_port(server);
    require(write(side->tell, &port, sizeof(port)) == (ssize_t)sizeof(port), "no pipe");
    char byte;
    for (uint32_t round = 1;; round++) {
        if (read(side->hear, &byte, 1) != 1)
            break;
        gate->count = round; /* the one before it is over */
        while (!fault_server_await_requests(server, round * side->calls))
            continue;
        if (write(side->tell, "a", 1) != 1 || read(side->hear, &byte, 1) != 1)
            break;
        fault_server_open(server, round);
    }
    fault_server_free(server);
    exit(0);
}

static void side_start(struct other_side *side, struct fault_step *gate)
{
    int to[2], from[2];
    uint16_t port = 0;
    require(pipe(to) == 0 && pipe(from) == 0, "no pipe");
    side->id = fork();
    require(side->id >= 0, "no process");
    if (side->id == 0) {
        (void)close(to[1]);
        (void)close(from[0]);
        side->hear = to[0];
        side->tell = from[1];
        serve(side, gate);
    }
    (void)close(to[0]);
    (void)close(from[1]);
    side->tell = to[1];
    side->hear = from[0];
    require(read(side->hear, &port, sizeof(port)) == (ssize_t)sizeof(port), "no server");
    side->port = port;
}

static void side_tell(const struct other_side *side)
{
    require(write(side->tell, "g", 1) == 1, "the server is gone");
}

/* Whether all requests have come. */
static bool side_has_all(const struct other_side *side)
{
    struct timeval none = { 0, 0 };
    fd_set set;
    char byte;
    FD_ZERO(&set);
    FD_SET(side->hear, &set);
    if (select(side->hear + 1, &set, NULL, NULL, &none) <= 0)
        return false;
    require(read(side->hear, &byte, 1) == 1, "the server is gone");
    return true;
}

/* ---- measuring ---- */

struct figures {
    double cpu_us, kib; /* of one call */
};

struct measure {
    const struct other_side *side;
    double cpu_begin;
    size_t heap_begin;
    struct figures figures;
};

static double cpu_us(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static size_t heap_bytes(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static void measure_begin(struct measure *measure, const struct other_side *side)
{
    *measure = (struct measure){ .side = side };
    side_tell(side);
    measure->heap_begin = heap_bytes();
    measure->cpu_begin = cpu_us();
}

/* All are in flight. */
static void measure_flight(struct measure *measure)
{
    measure->figures.kib =
        (double)(heap_bytes() - measure->heap_begin) / 1024 / measure->side->calls;
    side_tell(measure->side);
}

static void measure_end(struct measure *measure)
{
    measure->figures.cpu_us = (cpu_us() - measure->cpu_begin) / measure->side->calls;
}

/* ---- the request that all send: what the first whole call sends ---- */

struct wanted {
    char url[FAULT_URL_BYTES];
    struct buffer body;
    struct curl_slist *lines;
    struct http_header *headers;
    uint32_t header_count;
};

static struct wanted wanted;
static const struct http_client_ops *inner_ops;

static void keep_request(const struct http_request *request)
{
    require(request->url.len < sizeof(wanted.url), "the URL is too long");
    (void)snprintf(wanted.url, sizeof(wanted.url), "%.*s", (int)request->url.len, request->url.ptr);
    buffer_init(&wanted.body, alloc_default(), BODY_BYTES_MAX);
    buffer_append_str(&wanted.body, request->body);
    wanted.headers = calloc(request->header_count + 1, sizeof(*wanted.headers));
    require(wanted.headers != NULL, "out of memory");
    wanted.lines = curl_slist_append(NULL, "Expect:");
    for (uint32_t i = 0; i < request->header_count; i++) {
        char line[512];
        const struct http_header *header = &request->headers[i];
        int name = snprintf(line, sizeof(line), "%.*s: %.*s", (int)header->name.len,
                            header->name.ptr, (int)header->value.len, header->value.ptr);
        require(name > 0 && name < (int)sizeof(line), "a header is too long");
        wanted.lines = curl_slist_append(wanted.lines, line);
        char *copy = strdup(line);
        require(copy != NULL && wanted.lines != NULL, "out of memory");
        wanted.headers[i] =
            (struct http_header){ { copy, header->name.len },
                                  { copy + header->name.len + 2, header->value.len },
                                  header->is_secret };
    }
    wanted.header_count = request->header_count;
}

static enum status keeping_start(void *state, const struct http_request *request,
                                 const struct http_sink *sink, struct http_transfer **out_transfer,
                                 struct error *error)
{
    if (wanted.lines == NULL)
        keep_request(request);
    return inner_ops->start(state, request, sink, out_transfer, error);
}

/* ---- bare libcurl ---- */

struct bare {
    CURLM *multi;
    int epoll;
    int64_t timer_ms; /* -1: none */
    uint64_t bytes;
};

static int64_t now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int bare_socket(CURL *easy, curl_socket_t fd, int what, void *state, void *known)
{
    struct bare *bare = state;
    struct epoll_event event = { .data.fd = fd };
    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        (void)epoll_ctl(bare->epoll, EPOLL_CTL_DEL, fd, NULL);
        return 0;
    }
    event.events = (what != CURL_POLL_OUT ? EPOLLIN : 0) | (what != CURL_POLL_IN ? EPOLLOUT : 0);
    (void)epoll_ctl(bare->epoll, known == NULL ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event);
    curl_multi_assign(bare->multi, fd, bare);
    return 0;
}

static int bare_timer(CURLM *multi, long wait_ms, void *state)
{
    struct bare *bare = state;
    (void)multi;
    bare->timer_ms = wait_ms < 0 ? -1 : now_ms() + wait_ms;
    return 0;
}

static size_t bare_body(char *ptr, size_t size, size_t count, void *state)
{
    struct bare *bare = state;
    (void)ptr;
    bare->bytes += size * count;
    return size * count;
}

static void bare_add(struct bare *bare)
{
    CURL *easy = curl_easy_init();
    require(easy != NULL, "out of memory");
    curl_easy_setopt(easy, CURLOPT_URL, wanted.url);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, wanted.lines);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)wanted.body.len);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, wanted.body.ptr);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, bare_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, bare);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
    require(curl_multi_add_handle(bare->multi, easy) == CURLM_OK, "out of memory");
}

static uint32_t bare_drain(struct bare *bare)
{
    CURLMsg *message;
    int left = 0;
    uint32_t done = 0;
    while ((message = curl_multi_info_read(bare->multi, &left)) != NULL) {
        require(message->data.result == CURLE_OK, "a bare transfer failed");
        CURL *easy = message->easy_handle;
        curl_multi_remove_handle(bare->multi, easy);
        curl_easy_cleanup(easy);
        done++;
    }
    return done;
}

static void bare_step(struct bare *bare, int wait_ms)
{
    struct epoll_event events[EVENTS_MAX];
    int running = 0;
    if (bare->timer_ms >= 0) {
        int64_t left_ms = bare->timer_ms - now_ms();
        wait_ms = left_ms <= 0 ? 0 : left_ms < wait_ms ? (int)left_ms : wait_ms;
    }
    int count = epoll_wait(bare->epoll, events, EVENTS_MAX, wait_ms);
    for (int i = 0; i < count; i++) {
        int flags = ((events[i].events & (EPOLLIN | EPOLLHUP)) != 0 ? CURL_CSELECT_IN : 0) |
                    ((events[i].events & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0) |
                    ((events[i].events & EPOLLERR) != 0 ? CURL_CSELECT_ERR : 0);
        curl_multi_socket_action(bare->multi, events[i].data.fd, flags, &running);
    }
    if (bare->timer_ms >= 0 && bare->timer_ms <= now_ms()) {
        bare->timer_ms = -1;
        curl_multi_socket_action(bare->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
}

static struct figures run_bare(const struct other_side *side)
{
    struct measure measure;
    measure_begin(&measure, side);
    struct bare bare = { .multi = curl_multi_init(), .epoll = epoll_create1(0), .timer_ms = -1 };
    uint32_t done = 0;
    curl_multi_setopt(bare.multi, CURLMOPT_SOCKETFUNCTION, bare_socket);
    curl_multi_setopt(bare.multi, CURLMOPT_SOCKETDATA, &bare);
    curl_multi_setopt(bare.multi, CURLMOPT_TIMERFUNCTION, bare_timer);
    curl_multi_setopt(bare.multi, CURLMOPT_TIMERDATA, &bare);
    for (uint32_t i = 0; i < side->calls; i++)
        bare_add(&bare);
    while (!side_has_all(side))
        bare_step(&bare, SLICE_MS);
    measure_flight(&measure);
    while (done < side->calls) {
        bare_step(&bare, FAR_MS);
        done += bare_drain(&bare);
    }
    curl_multi_cleanup(bare.multi);
    (void)close(bare.epoll);
    measure_end(&measure);
    require(bare.bytes > 0, "no bytes came");
    return measure.figures;
}

/* ---- the HTTP client ---- */

static struct http_client open_client(const struct other_side *side)
{
    struct http_client client = { NULL, NULL };
    struct error error;
    struct http_curl_options options = { .pool_connections_max = side->calls };
    require(http_curl_new(&options, alloc_default(), &client, &error) == STATUS_OK, "no client");
    return client;
}

static void count_end(void *state, const struct http_end *end)
{
    require(end->outcome == HTTP_DONE, "a transfer failed");
    ++*(uint32_t *)state;
}

static struct figures run_client(const struct other_side *side)
{
    struct measure measure;
    struct error error;
    measure_begin(&measure, side);
    struct http_client client = open_client(side);
    uint32_t done = 0;
    const struct http_sink sink = { NULL, NULL, count_end, &done };
    for (uint32_t i = 0; i < side->calls; i++) {
        struct http_transfer *transfer;
        struct http_request request = { .method = STR("POST"),
                                        .url = str_from(wanted.url),
                                        .headers = wanted.headers,
                                        .header_count = wanted.header_count,
                                        .body = buffer_view(&wanted.body),
                                        .pool = STR("pool"),
                                        .connect_ms = FAR_MS,
                                        .first_byte_ms = FAR_MS,
                                        .idle_ms = FAR_MS,
                                        .deadline_ms = http_now_ms(&client) + FAR_MS,
                                        .body_bytes_max = BODY_BYTES_MAX };
        require(http_start(&client, &request, &sink, &transfer, &error) == STATUS_OK,
                "a transfer could not be started");
    }
    while (!side_has_all(side))
        http_run(&client, http_now_ms(&client) + SLICE_MS);
    measure_flight(&measure);
    while (done < side->calls)
        http_run(&client, http_now_ms(&client) + FAR_MS);
    http_client_free(&client);
    measure_end(&measure);
    return measure.figures;
}

/* ---- whole calls ---- */

struct shop {
    struct catalogue *catalogue;
    struct schema_program *program;
    struct model model;
    char base_url[FAULT_URL_BYTES];
};

static void shop_open(struct shop *shop, const struct http_client *client, unsigned port)
{
    struct error error = { 0 };
    struct json none = { NULL, NULL };
    struct schema_options schema = { .object_root = true, .format_asserts = true };
    (void)snprintf(shop->base_url, sizeof(shop->base_url), "http://127.0.0.1:%u%s", port,
                   wire_base_path(WIRE_CHAT));
    require(schema_compile_text(STR(SCHEMA), &schema, alloc_default(), &shop->program, &error) ==
                STATUS_OK,
            "no schema");
    require(catalogue_open(none, alloc_default(), &shop->catalogue, &error) == STATUS_OK,
            "no catalogue");
    struct provider_options options = { .catalogue = shop->catalogue,
                                        .base_url = str_from(shop->base_url),
                                        .http = client,
                                        .key = STR("sk-no-key-at-all"),
                                        .connect_ms = FAR_MS,
                                        .first_byte_ms = FAR_MS,
                                        .idle_ms = FAR_MS };
    require(catalogue_resolve(shop->catalogue, str_from(wire_model_name(WIRE_CHAT)),
                              &options.provider, &options.model, &error) == STATUS_OK &&
                provider_open(&options, alloc_default(), &shop->model, &error) == STATUS_OK,
            "no model");
}

static void shop_close(struct shop *shop)
{
    model_free(&shop->model);
    schema_program_free(shop->program);
    catalogue_free(shop->catalogue);
}

static void count_done(void *state, struct engine_call *call)
{
    const struct engine_result *result = engine_call_result(call);
    require(result != NULL && result->status == ENGINE_OK &&
                engine_call_usage(call)->model_calls == 1,
            "a call failed");
    engine_call_free(call);
    ++*(uint32_t *)state;
}

static void start_call(const struct shop *shop, struct flight *flight, uint32_t *done,
                       int64_t deadline_ms)
{
    struct engine_request request = { .prompt = STR(PROMPT),
                                      .program = shop->program,
                                      .schema_origin = STR("inline"),
                                      .temperature = -1 };
    struct model_info info = model_info(&shop->model);
    struct engine_call *call = NULL;
    struct flight_call *item = NULL;
    struct error error = { 0 };
    const struct flight_sink sink = { count_done, done };
    require(engine_call_new(&request, &info, 1, alloc_default(), &call, &error) == STATUS_OK &&
                flight_start(flight, call, provider_exchange_options(&shop->model), 0, deadline_ms,
                             &sink, &item, &error) == STATUS_OK,
            "a call could not be started");
}

static struct figures run_calls(const struct other_side *side)
{
    struct measure measure;
    struct shop shop;
    struct flight *flight = NULL;
    struct http_client_ops keeping;
    uint32_t done = 0;
    measure_begin(&measure, side);
    struct http_client client = open_client(side);
    inner_ops = client.ops;
    keeping = *client.ops;
    keeping.start = keeping_start;
    client.ops = &keeping;
    shop_open(&shop, &client, side->port);
    require(flight_new(&client, alloc_default(), &flight) == STATUS_OK, "out of memory");
    for (uint32_t i = 0; i < side->calls; i++)
        start_call(&shop, flight, &done, http_now_ms(&client) + FAR_MS);
    while (!side_has_all(side))
        flight_run(flight, http_now_ms(&client) + SLICE_MS);
    measure_flight(&measure);
    while (done < side->calls)
        flight_run(flight, http_now_ms(&client) + FAR_MS);
    flight_free(flight);
    shop_close(&shop);
    http_client_free(&client);
    measure_end(&measure);
    return measure.figures;
}

/* ---- rounds ---- */

struct row {
    const char *name;
    struct figures (*run)(const struct other_side *side);
    struct figures rounds[ROUNDS], best;
};

static int compare_kib(const void *a, const void *b)
{
    double left = ((const struct figures *)a)->kib, right = ((const struct figures *)b)->kib;
    return (left > right) - (left < right);
}

static void row_sum_up(struct row *row)
{
    row->best.cpu_us = row->rounds[0].cpu_us;
    for (int i = 1; i < ROUNDS; i++) {
        if (row->rounds[i].cpu_us < row->best.cpu_us)
            row->best.cpu_us = row->rounds[i].cpu_us;
    }
    qsort(row->rounds, ROUNDS, sizeof(row->rounds[0]), compare_kib);
    row->best.kib = row->rounds[ROUNDS / 2].kib;
}

int main(int argc, char **argv)
{
    struct other_side side = { .calls = CALLS_DEFAULT };
    struct wire_events events;
    struct row rows[] = {
        { .name = "libcurl alone", .run = run_bare },
        { .name = "HTTP client", .run = run_client },
        { .name = "whole calls", .run = run_calls },
    };
    if (argc > 1)
        side.calls = (uint32_t)strtoul(argv[1], NULL, 10);
    require(side.calls > 0 && side.calls <= CALLS_MAX, "usage: bench_flight [CALLS]");
    wire_events_init(&events);
    wire_reply(WIRE_CHAT, true, &(struct wire_content){ .text = STR(REPLY), .finish = WIRE_STOP },
               &events);
    struct fault_step steps[] = { { FAULT_GATE, STR(""), 0, 0 },
                                  { FAULT_SEND, STR(FAULT_SSE_HEAD), 0, 0 },
                                  { FAULT_CHUNK, buffer_view(&events.store), 0, PIECE },
                                  { FAULT_LAST_CHUNK, STR(""), 0, 0 },
                                  { FAULT_END, STR(""), 0, 0 } };
    reply_steps = steps;
    side_start(&side, &steps[0]);
    (void)run_calls(&side); /* says what all are to send, and warms up */
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
            rows[i].rounds[round] = rows[i].run(&side);
    }
    (void)printf("%u calls in flight over HTTP/1.1 without TLS, request %zu bytes, reply %zu\n\n",
                 side.calls, wanted.body.len, events.store.len);
    (void)printf("%-16s %12s %8s %14s %8s\n", "", "KiB a call", "ratio", "CPU us a call", "ratio");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        row_sum_up(&rows[i]);
        (void)printf("%-16s %12.1f %8.2f %14.1f %8.2f\n", rows[i].name, rows[i].best.kib,
                     rows[i].best.kib / rows[0].best.kib, rows[i].best.cpu_us,
                     rows[i].best.cpu_us / rows[0].best.cpu_us);
    }
    (void)kill(side.id, SIGTERM);
    (void)waitpid(side.id, NULL, 0);
    wire_events_release(&events);
    return 0;
}

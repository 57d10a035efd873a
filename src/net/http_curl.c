/* http_curl.c - the HTTP client: pools of connections, sockets and timers of a loop, due times.
 *
 * Owns: one multi handle a pool, the watching of sockets for libcurl, one heap with the next due
 * time of every transfer and the one timer above it, and the order in which things end. Leaves to
 * others: the options and events of one transfer (http_curl_transfer.c). Invariants: no call into
 * libcurl removes a handle while libcurl is above it on the stack: such a removal waits until it
 * was left; an ended transfer is out of every list before its end is told; after free nothing of a
 * loop that belongs to somebody else points to the client.
 */
#include "base/features.h"

#include "net/http_curl_parts.h"

#include <stdio.h>

enum {
    POOL_CONNECTIONS_MAX = 256,
    STREAMS_MAX = 32, /* of one HTTP/2 connection: one loss must not hurt too many calls */
    IDLE_CONNECTIONS_MAX = 64,
    POOLS_MAX = 64, /* each has descriptors of its own; beyond, the longest idle one goes */
    POOL_NAME_MAX = 1024,
    HEAD_BYTES_DEFAULT = 256 * 1024,
    NANOSECONDS = 1000000,
    VERSION_BYTES = 160
};

/* ---- heap of due times ---- */

static void heap_put(struct http_curl *client, uint32_t slot, struct http_transfer *transfer)
{
    client->heap[slot] = transfer;
    transfer->slot = (int)slot;
}

static void heap_up(struct http_curl *client, uint32_t slot)
{
    struct http_transfer *transfer = client->heap[slot];
    while (slot > 0 && client->heap[(slot - 1) / 2]->due_ms > transfer->due_ms) {
        heap_put(client, slot, client->heap[(slot - 1) / 2]);
        slot = (slot - 1) / 2;
    }
    heap_put(client, slot, transfer);
}

static void heap_down(struct http_curl *client, uint32_t slot)
{
    struct http_transfer *transfer = client->heap[slot];
    for (;;) {
        uint32_t child = 2 * slot + 1;
        if (child >= client->heap_count)
            break;
        if (child + 1 < client->heap_count &&
            client->heap[child + 1]->due_ms < client->heap[child]->due_ms)
            child++;
        if (client->heap[child]->due_ms >= transfer->due_ms)
            break;
        heap_put(client, slot, client->heap[child]);
        slot = child;
    }
    heap_put(client, slot, transfer);
}

static bool heap_add(struct http_curl *client, struct http_transfer *transfer)
{
    if (client->heap_count == client->heap_cap) {
        uint32_t cap = client->heap_cap == 0 ? 16 : client->heap_cap * 2;
        void *grown =
            alloc_grow(client->alloc, client->heap, client->heap_cap * sizeof(*client->heap),
                       cap * sizeof(*client->heap));
        if (grown == NULL)
            return false;
        client->heap = grown;
        client->heap_cap = cap;
    }
    heap_put(client, client->heap_count++, transfer);
    heap_up(client, client->heap_count - 1);
    return true;
}

static void heap_remove(struct http_curl *client, struct http_transfer *transfer)
{
    if (transfer->slot == HTTP_CURL_NO_SLOT)
        return;
    uint32_t slot = (uint32_t)transfer->slot;
    struct http_transfer *last = client->heap[--client->heap_count];
    transfer->slot = HTTP_CURL_NO_SLOT;
    if (last == transfer)
        return;
    heap_put(client, slot, last);
    heap_up(client, slot);
    heap_down(client, (uint32_t)last->slot);
}

/* ---- time ---- */

int64_t http_curl_now_ms(const struct http_curl *client)
{
    (void)client;
    return (int64_t)(uv_hrtime() / NANOSECONDS);
}

static void on_due(uv_timer_t *timer);

static void arm_due_timer(struct http_curl *client)
{
    if (client->is_closing)
        return;
    if (client->heap_count == 0 || client->heap[0]->due_ms == INT64_MAX) {
        uv_timer_stop(&client->due_timer);
        return;
    }
    int64_t wait_ms = client->heap[0]->due_ms - http_curl_now_ms(client);
    uv_update_time(client->loop);
    uv_timer_start(&client->due_timer, on_due, wait_ms > 0 ? (uint64_t)wait_ms : 0, 0);
}

void http_curl_reschedule(struct http_transfer *transfer)
{
    struct http_curl *client = transfer->client;
    enum http_outcome outcome;
    if (transfer->slot == HTTP_CURL_NO_SLOT)
        return;
    transfer->due_ms = http_transfer_due(transfer, http_curl_now_ms(client), &outcome);
    heap_up(client, (uint32_t)transfer->slot);
    heap_down(client, (uint32_t)transfer->slot);
    arm_due_timer(client);
}

/* ---- ends ---- */

/* Out of every list; the easy handle leaves its multi. */
static void transfer_detach(struct http_transfer *transfer)
{
    struct http_curl *client = transfer->client;
    curl_multi_remove_handle(transfer->pool->multi, transfer->easy);
    transfer->pool->transfers--;
    heap_remove(client, transfer);
    if (client->heap_count == 0)
        uv_timer_stop(&client->due_timer);
    if (transfer->previous != NULL)
        transfer->previous->next = transfer->next;
    else
        client->transfers = transfer->next;
    if (transfer->next != NULL)
        transfer->next->previous = transfer->previous;
}

static void transfer_finish(struct http_transfer *transfer, CURLcode code)
{
    struct http_end end = http_transfer_end(transfer, code);
    struct http_sink sink = transfer->sink;
    bool is_told = !transfer->is_cancelled;
    struct http_curl *client = transfer->client;
    transfer_detach(transfer);
    http_transfer_free(transfer);
    if (is_told) {
        client->was_delivered = true;
        sink.end(sink.state, &end);
    }
}

/* What had to wait for libcurl being left: whoever was cancelled goes, whoever was started comes. A
 * start that fails is told as an end. Begins anew after each, for an end may do anything. */
static void settle(struct http_curl *client)
{
    while (client->in_curl == 0 && client->has_late) {
        struct http_transfer *late = client->transfers;
        while (late != NULL && !late->is_cancelled && !late->is_late)
            late = late->next;
        client->has_late = late != NULL;
        if (late == NULL)
            return;
        bool is_added =
            !late->is_cancelled && curl_multi_add_handle(late->pool->multi, late->easy) == CURLM_OK;
        late->is_late = false;
        if (!is_added) {
            late->stopped_as = HTTP_NO_MEMORY;
            transfer_finish(late, CURLE_OUT_OF_MEMORY);
        }
    }
}

/* A socket could not be watched, and nothing says whose replies it would have brought: all that are
 * there now end. Those that an end begins are none of them. */
static void fail_all(struct http_curl_pool *pool)
{
    struct http_transfer *transfer = pool->client->transfers;
    pool->is_blind = false;
    for (; transfer != NULL; transfer = transfer->next) {
        if (transfer->pool == pool && !transfer->is_late)
            transfer->stopped_as = HTTP_NO_MEMORY;
    }
    transfer = pool->client->transfers;
    while (transfer != NULL) {
        if (transfer->pool == pool && transfer->stopped_as == HTTP_NO_MEMORY) {
            transfer_finish(transfer, CURLE_OUT_OF_MEMORY);
            transfer = pool->client->transfers; /* an end may do anything */
        } else {
            transfer = transfer->next;
        }
    }
}

/* After every action: what has ended is told. An end may start and cancel others. */
static void drain(struct http_curl_pool *pool)
{
    CURLMsg *message;
    int left = 0;
    settle(pool->client);
    while ((message = curl_multi_info_read(pool->multi, &left)) != NULL) {
        char *state = NULL;
        if (message->msg != CURLMSG_DONE)
            continue;
        CURLcode code = message->data.result;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &state);
        transfer_finish((struct http_transfer *)(void *)state, code);
    }
    if (pool->is_blind)
        fail_all(pool);
}

static void act(struct http_curl_pool *pool, curl_socket_t fd, int events)
{
    int running = 0;
    pool->in_use++;
    pool->client->in_curl++;
    CURLMcode code = curl_multi_socket_action(pool->multi, fd, events, &running);
    pool->client->in_curl--;
    if (code == CURLM_OUT_OF_MEMORY || code == CURLM_INTERNAL_ERROR)
        pool->is_blind = true;
    drain(pool);
    pool->in_use--;
}

static void on_due(uv_timer_t *timer)
{
    struct http_curl *client = timer->data;
    while (client->heap_count > 0) {
        struct http_transfer *transfer = client->heap[0];
        enum http_outcome outcome;
        int64_t now_ms = http_curl_now_ms(client);
        if (transfer->due_ms > now_ms)
            break;
        transfer->due_ms = http_transfer_due(transfer, now_ms, &outcome);
        if (outcome == HTTP_DONE) {
            heap_down(client, 0);
            continue;
        }
        transfer->stopped_as = outcome;
        transfer_finish(transfer, CURLE_OPERATION_TIMEDOUT);
    }
    arm_due_timer(client);
}

/* ---- sockets and libcurl's own timer ---- */

static void on_handle_closed(uv_handle_t *handle)
{
    struct http_curl *client = handle->data;
    client->handles--;
}

static void on_socket_closed(uv_handle_t *handle)
{
    struct http_curl_socket *socket = (struct http_curl_socket *)(void *)handle;
    struct http_curl *client = handle->data;
    client->handles--;
    alloc_free(client->alloc, socket, sizeof(*socket));
}

/* A socket with an error may still hold what came before it: libcurl is to read that, and finds the
 * error itself; libuv has stopped watching. */
static void on_ready(uv_poll_t *poll, int status, int events)
{
    struct http_curl_socket *socket = (struct http_curl_socket *)(void *)poll;
    int flags = 0;
    if (status < 0)
        flags = CURL_CSELECT_IN | CURL_CSELECT_OUT;
    if ((events & UV_READABLE) != 0)
        flags |= CURL_CSELECT_IN;
    if ((events & UV_WRITABLE) != 0)
        flags |= CURL_CSELECT_OUT;
    act(socket->pool, socket->fd, flags);
    if (status < 0 && uv_is_closing((uv_handle_t *)poll) == 0)
        (void)uv_poll_start(poll, socket->events, on_ready);
}

static struct http_curl_socket *socket_new(struct http_curl_pool *pool, curl_socket_t fd)
{
    struct http_curl *client = pool->client;
    struct http_curl_socket *socket = alloc_get(client->alloc, sizeof(*socket));
    if (socket == NULL)
        return NULL;
    *socket = (struct http_curl_socket){ .pool = pool, .fd = fd };
    if (uv_poll_init_socket(client->loop, &socket->poll, fd) != 0) {
        alloc_free(client->alloc, socket, sizeof(*socket));
        return NULL;
    }
    socket->poll.data = client;
    client->handles++;
    return socket;
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *state, void *known)
{
    struct http_curl_pool *pool = state;
    struct http_curl_socket *socket = known;
    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        if (socket != NULL) {
            curl_multi_assign(pool->multi, fd, NULL);
            uv_poll_stop(&socket->poll);
            uv_close((uv_handle_t *)&socket->poll, on_socket_closed);
        }
        return 0;
    }
    if (socket == NULL)
        socket = socket_new(pool, fd);
    if (socket == NULL) { /* an error here would end every transfer of the pool, but not tell it */
        pool->is_blind = true;
        return 0;
    }
    curl_multi_assign(pool->multi, fd, socket);
    socket->events =
        (what != CURL_POLL_OUT ? UV_READABLE : 0) | (what != CURL_POLL_IN ? UV_WRITABLE : 0);
    pool->is_blind |= uv_poll_start(&socket->poll, socket->events, on_ready) != 0;
    return 0;
}

static void on_curl_time(uv_timer_t *timer)
{
    struct http_curl_pool *pool = timer->data;
    act(pool, CURL_SOCKET_TIMEOUT, 0);
}

static int on_timer(CURLM *multi, long wait_ms, void *state)
{
    struct http_curl_pool *pool = state;
    (void)multi;
    if (pool->client->is_closing)
        return 0;
    if (wait_ms < 0)
        return uv_timer_stop(&pool->timer);
    uv_update_time(pool->client->loop);
    return uv_timer_start(&pool->timer, on_curl_time, (uint64_t)wait_ms, 0);
}

/* ---- pools ---- */

static void pool_free_memory(struct http_curl_pool *pool)
{
    const struct alloc *alloc = pool->client->alloc;
    if (pool->name.ptr != NULL)
        alloc_free(alloc, (char *)(uintptr_t)pool->name.ptr, pool->name.len + 1);
    alloc_free(alloc, pool, sizeof(*pool));
}

static void on_pool_closed(uv_handle_t *handle)
{
    struct http_curl_pool *pool = handle->data;
    pool->client->handles--;
    pool_free_memory(pool);
}

/* Closes its connections; its memory goes when libuv has let go of the timer. It has no transfer.
 */
static void pool_close(struct http_curl_pool *pool)
{
    struct http_curl_pool **place = &pool->client->pools;
    while (*place != pool)
        place = &(*place)->next;
    *place = pool->next;
    pool->client->pool_count--;
    curl_multi_cleanup(pool->multi);
    uv_close((uv_handle_t *)&pool->timer, on_pool_closed);
}

/* Makes room for one more, if one is idle. */
static void pools_trim(struct http_curl *client)
{
    struct http_curl_pool *oldest = NULL;
    if (client->pool_count < POOLS_MAX)
        return;
    for (struct http_curl_pool *pool = client->pools; pool != NULL; pool = pool->next) {
        bool is_idle = pool->transfers == 0 && pool->in_use == 0;
        if (is_idle && (oldest == NULL || pool->used_at < oldest->used_at))
            oldest = pool;
    }
    if (oldest != NULL)
        pool_close(oldest);
}

static struct http_curl_pool *pool_new(struct http_curl *client, struct str name)
{
    struct http_curl_pool *pool = alloc_get(client->alloc, sizeof(*pool));
    if (pool == NULL)
        return NULL;
    *pool = (struct http_curl_pool){ .client = client, .multi = curl_multi_init() };
    char *copy = alloc_get(client->alloc, name.len + 1);
    if (copy != NULL) {
        if (name.len > 0)
            memcpy(copy, name.ptr, name.len);
        copy[name.len] = '\0';
        pool->name = str_of(copy, name.len);
    }
    if (pool->multi == NULL || copy == NULL) {
        curl_multi_cleanup(pool->multi);
        pool_free_memory(pool);
        return NULL;
    }
    uv_timer_init(client->loop, &pool->timer);
    pool->timer.data = pool;
    client->handles++;
    curl_multi_setopt(pool->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(pool->multi, CURLMOPT_SOCKETDATA, pool);
    curl_multi_setopt(pool->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(pool->multi, CURLMOPT_TIMERDATA, pool);
    curl_multi_setopt(pool->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS,
                      (long)client->pool_connections_max);
    curl_multi_setopt(pool->multi, CURLMOPT_MAX_HOST_CONNECTIONS,
                      (long)client->pool_connections_max);
    curl_multi_setopt(pool->multi, CURLMOPT_MAXCONNECTS, (long)IDLE_CONNECTIONS_MAX);
    curl_multi_setopt(pool->multi, CURLMOPT_MAX_CONCURRENT_STREAMS, (long)STREAMS_MAX);
    pool->next = client->pools;
    client->pools = pool;
    client->pool_count++;
    return pool;
}

static struct http_curl_pool *pool_of(struct http_curl *client, struct str name)
{
    struct http_curl_pool *pool = client->pools;
    while (pool != NULL && !str_equal(pool->name, name))
        pool = pool->next;
    if (pool == NULL && name.len <= POOL_NAME_MAX) {
        pools_trim(client);
        pool = pool_new(client, name);
    }
    if (pool != NULL)
        pool->used_at = ++client->uses;
    return pool;
}

/* ---- the seam ---- */

static struct http_transfer *transfer_new(struct http_curl *client, struct http_curl_pool *pool,
                                          const struct http_request *request,
                                          const struct http_sink *sink)
{
    struct http_transfer *transfer = alloc_get(client->alloc, sizeof(*transfer));
    if (transfer == NULL)
        return NULL;
    *transfer = (struct http_transfer){
        .client = client,
        .pool = pool,
        .sink = *sink,
        .start_ms = http_curl_now_ms(client),
        .connect_from_ms = http_curl_now_ms(client),
        .connect_ms = request->connect_ms,
        .first_byte_ms = request->first_byte_ms,
        .idle_ms = request->idle_ms,
        .deadline_ms = request->deadline_ms,
        .slot = HTTP_CURL_NO_SLOT,
        .body_bytes_max = request->body_bytes_max,
        .head_bytes_max =
            request->head_bytes_max > 0 ? request->head_bytes_max : HEAD_BYTES_DEFAULT,
        .stopped_as = HTTP_DONE,
    };
    buffer_init(&transfer->head, client->alloc, transfer->head_bytes_max);
    return transfer;
}

static enum status curl_start(void *state, const struct http_request *request,
                              const struct http_sink *sink, struct http_transfer **out_transfer,
                              struct error *error)
{
    struct http_curl *client = state;
    struct http_curl_pool *pool = pool_of(client, request->pool);
    struct http_transfer *transfer =
        pool == NULL ? NULL : transfer_new(client, pool, request, sink);
    if (transfer == NULL)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    enum status status = http_transfer_prepare(transfer, request, error);
    enum http_outcome outcome;
    if (status == STATUS_OK) {
        transfer->due_ms = http_transfer_due(transfer, transfer->start_ms, &outcome);
        transfer->is_late = client->in_curl > 0; /* libcurl takes nothing in while it tells */
        client->has_late |= transfer->is_late;
        if (!heap_add(client, transfer) ||
            (!transfer->is_late && curl_multi_add_handle(pool->multi, transfer->easy) != CURLM_OK))
            status = error_set(error, STATUS_NO_MEMORY, "out of memory");
    }
    if (status != STATUS_OK) {
        heap_remove(client, transfer);
        http_transfer_free(transfer);
        return status;
    }
    transfer->next = client->transfers;
    if (client->transfers != NULL)
        client->transfers->previous = transfer;
    client->transfers = transfer;
    pool->transfers++;
    arm_due_timer(client);
    *out_transfer = transfer;
    return STATUS_OK;
}

static void curl_cancel(void *state, struct http_transfer *transfer)
{
    struct http_curl *client = state;
    transfer->is_cancelled = true;
    client->has_late = true;
    settle(client);
}

static void on_run_time(uv_timer_t *timer)
{
    (void)timer;
}

static void curl_run(void *state, int64_t until_ms)
{
    struct http_curl *client = state;
    client->was_delivered = false;
    uv_run(client->loop, UV_RUN_NOWAIT);
    for (;;) {
        int64_t left_ms = until_ms - http_curl_now_ms(client);
        if (client->was_delivered || left_ms <= 0)
            break;
        uv_update_time(client->loop);
        uv_timer_start(&client->run_timer, on_run_time, (uint64_t)left_ms, 0);
        uv_run(client->loop, UV_RUN_ONCE);
        uv_timer_stop(&client->run_timer);
    }
}

static void on_wake(uv_async_t *async)
{
    struct http_curl *client = async->data;
    client->was_delivered = true;
}

static void curl_wake(void *state)
{
    struct http_curl *client = state;
    uv_async_send(&client->wake);
}

static int64_t curl_now_ms(void *state)
{
    return http_curl_now_ms(state);
}

/* Gives up what libcurl and libuv hold, then waits for libuv to let go. */
static void curl_client_free(void *state)
{
    struct http_curl *client = state;
    client->is_closing = true;
    while (client->transfers != NULL) {
        struct http_transfer *transfer = client->transfers;
        transfer_detach(transfer);
        http_transfer_free(transfer);
    }
    while (client->pools != NULL)
        pool_close(client->pools);
    uv_close((uv_handle_t *)&client->due_timer, on_handle_closed);
    uv_close((uv_handle_t *)&client->run_timer, on_handle_closed);
    uv_close((uv_handle_t *)&client->wake, on_handle_closed);
    while (client->handles > 0)
        uv_run(client->loop, UV_RUN_ONCE);
    if (client->loop == &client->own_loop)
        uv_loop_close(&client->own_loop);
    alloc_free(client->alloc, client->heap, client->heap_cap * sizeof(*client->heap));
    alloc_free(client->alloc, client, sizeof(*client));
}

static const struct http_client_ops curl_ops = {
    .start = curl_start,
    .cancel = curl_cancel,
    .run = curl_run,
    .wake = curl_wake,
    .now_ms = curl_now_ms,
    .free = curl_client_free,
};

/* libuv's only failure here is that of the wake's descriptor. */
static bool client_init_handles(struct http_curl *client)
{
    if (uv_async_init(client->loop, &client->wake, on_wake) != 0)
        return false;
    (void)uv_timer_init(client->loop, &client->due_timer);
    (void)uv_timer_init(client->loop, &client->run_timer);
    client->due_timer.data = client->run_timer.data = client->wake.data = client;
    client->handles = 3;
    uv_unref((uv_handle_t *)&client->wake); /* does not keep a surface's loop alive */
    return true;
}

/* Its own loop, unless there is one, and its handles. */
static bool client_init_loop(struct http_curl *client)
{
    if (client->loop != NULL)
        return client_init_handles(client);
    if (uv_loop_init(&client->own_loop) != 0)
        return false;
    client->loop = &client->own_loop;
    if (client_init_handles(client))
        return true;
    (void)uv_loop_close(&client->own_loop);
    return false;
}

enum status http_curl_new(const struct http_curl_options *options, const struct alloc *alloc,
                          struct http_client *out_client, struct error *error)
{
    static const struct http_curl_options defaults = { NULL, 0 };
    if (options == NULL)
        options = &defaults;
    struct http_curl *client = alloc_get(alloc, sizeof(*client));
    if (client == NULL)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    *client = (struct http_curl){
        .alloc = alloc,
        .loop = options->loop,
        .pool_connections_max = options->pool_connections_max > 0 ? options->pool_connections_max
                                                                  : POOL_CONNECTIONS_MAX,
    };
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK || !client_init_loop(client)) {
        alloc_free(alloc, client, sizeof(*client));
        return error_set(error, STATUS_NO_MEMORY, "the event loop could not be started");
    }
    *out_client = (struct http_client){ &curl_ops, client };
    return STATUS_OK;
}

const char *http_curl_library_version(void)
{
    static char text[VERSION_BYTES];
    const curl_version_info_data *curl = curl_version_info(CURLVERSION_NOW);
    const char *tls = curl->ssl_version == NULL ? "no TLS" : curl->ssl_version;
    const char *http2 = "no HTTP/2";
    if (curl->age >= CURLVERSION_ELEVENTH + 0 && (curl->features & CURL_VERSION_HTTP2) != 0)
        http2 = "HTTP/2";
    (void)snprintf(text, sizeof(text), "libcurl %s (%s, %s), libuv %s", curl->version, tls, http2,
                   uv_version_string());
    return text;
}

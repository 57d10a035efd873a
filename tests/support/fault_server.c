/* fault_server.c - a TCP server that answers from scripts. See fault_server.h.
 *
 * Owns: one thread with one poll loop over all connections. Shared with the test's thread, under
 * one lock: the queue of scripts, the journal, the counters and the level of the gates.
 */
#include "base/features.h"

#include "fault_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "fault_output.h"

enum {
    BACKLOG = 1024,
    INPUT_MAX = 64 << 20,
    READ_BYTES = 64 << 10,
    AWAIT_SECONDS = 10,
    TICK_MS = 1,
    NO_TIMEOUT = -1
};

enum phase {
    PHASE_HEAD,   /* reading a request's head */
    PHASE_BODY,   /* ... its body */
    PHASE_PLAY,   /* playing a script */
    PHASE_CLOSING /* FIN was sent, or the script stalls: waiting for the client */
};

struct connection {
    int fd;
    uint32_t number, request_count;
    enum phase phase;
    char *input;
    size_t input_len, input_cap;
    size_t head_len, body_len;
    bool drops_body; /* of a script that begins at the head */
    struct fault_output output;
    int64_t wait_until_ms; /* of a delay; 0: none */
    bool waits_for_gate;
    bool waits_for_ack; /* of a reset */
};

struct fault_server {
    int listener, wake[2];
    uint16_t port;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct fault_server_options options;
    const struct fault_script **queue;
    uint32_t queue_count, queue_next, queue_cap;
    struct fault_request *journal;
    uint32_t journal_cap, request_count, connection_count, closed_count;
    uint64_t gate_level;
    bool is_stopping;
    struct connection **connections; /* the thread's own */
    uint32_t open_count, open_cap;
};

static const struct fault_step nothing_steps[] = {
    { FAULT_SEND, STR_LITERAL("HTTP/1.1 500 No Script\r\nContent-Length: 0\r\n\r\n"), 0, 0 },
    { FAULT_END, STR_LITERAL(""), 0, 0 },
};
static const struct fault_script nothing = { .steps = nothing_steps, .cut = FAULT_END };

static int64_t now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- requests ---- */

/* The end of the head, or 0. */
static size_t head_end(const char *ptr, size_t len)
{
    for (size_t i = 3; i < len; i++) {
        if (ptr[i] == '\n' && memcmp(ptr + i - 3, "\r\n\r\n", 4) == 0)
            return i + 1;
    }
    return 0;
}

static struct str header_of(struct str head, struct str name)
{
    size_t at = 0;
    while (at < head.len) {
        const char *line = head.ptr + at;
        const char *end = memchr(line, '\n', head.len - at);
        size_t len = end == NULL ? head.len - at : (size_t)(end - line);
        at += len + 1;
        if (len > name.len && line[name.len] == ':' && strncasecmp(line, name.ptr, name.len) == 0) {
            struct str value = { line + name.len + 1, len - name.len - 1 };
            while (value.len > 0 && (value.ptr[0] == ' ' || value.ptr[0] == '\t'))
                value = str_of(value.ptr + 1, value.len - 1);
            while (value.len > 0 &&
                   (value.ptr[value.len - 1] == '\r' || value.ptr[value.len - 1] == ' '))
                value.len--;
            return value;
        }
    }
    return STR("");
}

struct str fault_request_header(const struct fault_request *request, struct str name)
{
    return header_of(request->head, name);
}

static struct fault_request request_view(const struct connection *connection)
{
    struct str head = { connection->input,
                        connection->head_len >= 4 ? connection->head_len - 4 : 0 };
    struct fault_request request = { .head = head,
                                     .body = { connection->input + connection->head_len,
                                               connection->drops_body ? 0 : connection->body_len },
                                     .connection = connection->number,
                                     .index = connection->request_count };
    const char *space = head.len > 0 ? memchr(head.ptr, ' ', head.len) : NULL;
    if (space != NULL) {
        size_t rest = head.len - (size_t)(space + 1 - head.ptr);
        const char *end = memchr(space + 1, ' ', rest);
        request.method = str_of(head.ptr, (size_t)(space - head.ptr));
        request.path = str_of(space + 1, end == NULL ? rest : (size_t)(end - space - 1));
    }
    return request;
}

/* One block holds the texts, so that views stay valid when the journal grows. */
static void journal_add(struct fault_server *server, const struct fault_request *request)
{
    if (server->request_count == server->journal_cap) {
        uint32_t cap = server->journal_cap == 0 ? 16 : server->journal_cap * 2;
        void *grown = realloc(server->journal, cap * sizeof(*server->journal));
        if (grown == NULL)
            return;
        server->journal = grown;
        server->journal_cap = cap;
    }
    char *text = malloc(request->head.len + request->body.len + 1);
    if (text == NULL)
        return;
    if (request->head.len > 0)
        memcpy(text, request->head.ptr, request->head.len);
    if (request->body.len > 0)
        memcpy(text + request->head.len, request->body.ptr, request->body.len);
    struct fault_request *entry = &server->journal[server->request_count];
    *entry = *request;
    entry->head = str_of(text, request->head.len);
    entry->body = str_of(text + request->head.len, request->body.len);
    if (request->method.len > 0)
        entry->method = str_of(text, request->method.len);
    if (request->path.len > 0)
        entry->path = str_of(text + (request->path.ptr - request->head.ptr), request->path.len);
}

/* ---- choosing scripts ---- */

static const struct fault_script *queue_take(struct fault_server *server, enum fault_moment moment)
{
    const struct fault_script *script = NULL;
    pthread_mutex_lock(&server->lock);
    if (server->queue_next < server->queue_count &&
        server->queue[server->queue_next]->moment == moment)
        script = server->queue[server->queue_next++];
    pthread_mutex_unlock(&server->lock);
    return script;
}

static void play(struct connection *connection, const struct fault_script *script)
{
    fault_output_begin(&connection->output, script);
    connection->phase = PHASE_PLAY;
    connection->wait_until_ms = 0;
    connection->waits_for_gate = connection->waits_for_ack = false;
}

/* The request is complete: it goes into the journal, and a script begins. */
static void request_done(struct fault_server *server, struct connection *connection,
                         const struct fault_script *script)
{
    struct fault_request request = request_view(connection);
    if (script == NULL && server->options.choose != NULL)
        script = server->options.choose(server->options.state, &request);
    if (script == NULL)
        script = queue_take(server, FAULT_AT_REQUEST);
    pthread_mutex_lock(&server->lock);
    if (!server->options.keep_no_journal)
        journal_add(server, &request);
    server->request_count++;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
    connection->request_count++;
    size_t used = connection->head_len + (connection->drops_body ? 0 : connection->body_len);
    used = used < connection->input_len ? used : connection->input_len;
    memmove(connection->input, connection->input + used, connection->input_len - used);
    connection->input_len -= used;
    play(connection, script == NULL ? &nothing : script);
}

/* Looks at what was read; true: a script began. */
static bool input_step(struct fault_server *server, struct connection *connection)
{
    if (connection->phase == PHASE_HEAD) {
        connection->head_len = head_end(connection->input, connection->input_len);
        if (connection->head_len == 0)
            return false;
        struct str length =
            header_of(str_of(connection->input, connection->head_len), STR("content-length"));
        char digits[24] = "";
        memcpy(digits, length.ptr, length.len < sizeof(digits) ? length.len : sizeof(digits) - 1);
        connection->body_len = (size_t)strtoull(digits, NULL, 10);
        const struct fault_script *early = queue_take(server, FAULT_AT_HEAD);
        connection->drops_body = early != NULL;
        if (early != NULL) {
            request_done(server, connection, early);
            return true;
        }
        connection->phase = PHASE_BODY;
    }
    if (connection->phase == PHASE_BODY &&
        connection->input_len >= connection->head_len + connection->body_len) {
        request_done(server, connection, NULL);
        return true;
    }
    return false;
}

/* ---- connections ---- */

static void connection_close(struct fault_server *server, uint32_t index)
{
    struct connection *connection = server->connections[index];
    (void)close(connection->fd);
    free(connection->input);
    free(connection);
    server->connections[index] = server->connections[--server->open_count];
    pthread_mutex_lock(&server->lock);
    server->closed_count++;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
}

static void connection_accept(struct fault_server *server)
{
    int one = 1;
    int fd = accept(server->listener, NULL, NULL);
    if (fd < 0)
        return;
    (void)fcntl(fd, F_SETFL, O_NONBLOCK);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    if (server->open_count == server->open_cap) {
        uint32_t cap = server->open_cap == 0 ? 64 : server->open_cap * 2;
        void *grown = realloc(server->connections, cap * sizeof(*server->connections));
        if (grown == NULL) {
            (void)close(fd);
            return;
        }
        server->connections = grown;
        server->open_cap = cap;
    }
    struct connection *connection = calloc(1, sizeof(*connection));
    if (connection == NULL) {
        (void)close(fd);
        return;
    }
    connection->fd = fd;
    pthread_mutex_lock(&server->lock);
    connection->number = server->connection_count++;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
    server->connections[server->open_count++] = connection;
    const struct fault_script *first = queue_take(server, FAULT_AT_ACCEPT);
    if (first != NULL)
        play(connection, first);
}

/* Reads what is there. False: the client has closed, or the connection is broken. */
static bool connection_read(struct fault_server *server, struct connection *connection)
{
    char bytes[READ_BYTES];
    for (;;) {
        ssize_t got = recv(connection->fd, bytes, sizeof(bytes), 0);
        if (got < 0)
            return errno == EAGAIN || errno == EINTR;
        if (got == 0)
            return false;
        if (connection->phase == PHASE_CLOSING || connection->drops_body)
            continue;
        if (connection->input_len + (size_t)got > connection->input_cap) {
            size_t cap = (connection->input_len + (size_t)got) * 2;
            char *grown = cap > INPUT_MAX ? NULL : realloc(connection->input, cap);
            if (grown == NULL)
                return false;
            connection->input = grown;
            connection->input_cap = cap;
        }
        memcpy(connection->input + connection->input_len, bytes, (size_t)got);
        connection->input_len += (size_t)got;
        if (connection->phase != PHASE_PLAY)
            (void)input_step(server, connection);
    }
}

static bool gate_is_open(struct fault_server *server, uint64_t level)
{
    pthread_mutex_lock(&server->lock);
    bool is_open = level <= server->gate_level;
    pthread_mutex_unlock(&server->lock);
    return is_open;
}

/* Everything was taken by the client's system. */
static bool is_acknowledged(const struct connection *connection)
{
    int left = 0;
    return ioctl(connection->fd, SIOCOUTQ, &left) != 0 || left == 0;
}

static void reset_on_close(const struct connection *connection)
{
    struct linger linger = { .l_onoff = 1, .l_linger = 0 };
    (void)setsockopt(connection->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
}

/* A step that is no output. False: the connection is over. */
static bool control_step(struct fault_server *server, struct connection *connection)
{
    const struct fault_step *step = fault_output_step(&connection->output);
    switch (step->kind) {
    case FAULT_END:
        connection->phase = PHASE_HEAD;
        connection->drops_body = false;
        (void)input_step(server, connection);
        return true;
    case FAULT_DELAY:
        if (connection->wait_until_ms == 0)
            connection->wait_until_ms = now_ms() + (int64_t)step->count;
        if (now_ms() >= connection->wait_until_ms) {
            connection->wait_until_ms = 0;
            fault_output_pass(&connection->output);
        }
        return true;
    case FAULT_GATE:
        connection->waits_for_gate = !gate_is_open(server, step->count);
        if (!connection->waits_for_gate)
            fault_output_pass(&connection->output);
        return true;
    case FAULT_STALL: connection->phase = PHASE_CLOSING; return true;
    case FAULT_CLOSE:
        (void)shutdown(connection->fd, SHUT_WR);
        connection->phase = PHASE_CLOSING;
        return true;
    case FAULT_RESET:
        connection->waits_for_ack = !is_acknowledged(connection);
        if (connection->waits_for_ack)
            return true;
        reset_on_close(connection);
        return false;
    case FAULT_SEND:
    case FAULT_BODY:
    case FAULT_CHUNK:
    case FAULT_LAST_CHUNK:
    case FAULT_REPEAT:
    case FAULT_GZIP:
    case FAULT_GZIP_ZEROS: break;
    }
    return true;
}

static bool waits(const struct connection *connection)
{
    return connection->wait_until_ms != 0 || connection->waits_for_gate ||
           connection->waits_for_ack;
}

/* Plays as far as the socket takes it. False: the connection is over. */
static bool connection_play(struct fault_server *server, struct connection *connection)
{
    while (connection->phase == PHASE_PLAY) {
        struct str bytes = fault_output_bytes(&connection->output);
        if (bytes.len == 0) {
            if (!control_step(server, connection))
                return false;
            if (waits(connection))
                return true;
            continue;
        }
        ssize_t sent = send(connection->fd, bytes.ptr, bytes.len, MSG_NOSIGNAL);
        if (sent < 0)
            return errno == EAGAIN || errno == EINTR;
        fault_output_sent(&connection->output, (size_t)sent);
    }
    return true;
}

/* ---- the loop ---- */

static int fill_polls(struct fault_server *server, struct pollfd *polls, uint32_t *out_count)
{
    int timeout = NO_TIMEOUT;
    polls[0] = (struct pollfd){ .fd = server->listener, .events = POLLIN };
    polls[1] = (struct pollfd){ .fd = server->wake[0], .events = POLLIN };
    for (uint32_t i = 0; i < server->open_count; i++) {
        const struct connection *connection = server->connections[i];
        short events = POLLIN;
        if (connection->phase == PHASE_PLAY && !waits(connection))
            events |= POLLOUT;
        if (connection->wait_until_ms != 0 || connection->waits_for_ack)
            timeout = TICK_MS;
        polls[i + 2] = (struct pollfd){ .fd = connection->fd, .events = events };
    }
    *out_count = server->open_count + 2;
    return timeout;
}

static void serve_connections(struct fault_server *server, const struct pollfd *polls)
{
    for (uint32_t i = server->open_count; i-- > 0;) {
        struct connection *connection = server->connections[i];
        short events = polls[i + 2].revents;
        bool lives = true;
        if ((events & (POLLIN | POLLHUP | POLLERR)) != 0)
            lives = connection_read(server, connection);
        if (lives && connection->phase == PHASE_PLAY)
            lives = connection_play(server, connection);
        if (!lives)
            connection_close(server, i);
    }
}

static void *serve(void *state)
{
    struct fault_server *server = state;
    struct pollfd *polls = NULL;
    uint32_t cap = 0;
    for (;;) {
        uint32_t count = 0;
        char bytes[64];
        pthread_mutex_lock(&server->lock);
        bool is_stopping = server->is_stopping;
        pthread_mutex_unlock(&server->lock);
        if (is_stopping)
            break;
        if (server->open_count + 2 > cap) {
            cap = (server->open_count + 2) * 2;
            free(polls);
            polls = malloc(cap * sizeof(*polls));
            if (polls == NULL)
                break;
        }
        int timeout = fill_polls(server, polls, &count);
        (void)poll(polls, count, timeout);
        while (read(server->wake[0], bytes, sizeof(bytes)) > 0)
            continue;
        serve_connections(server, polls);
        if ((polls[0].revents & POLLIN) != 0)
            connection_accept(server);
    }
    free(polls);
    return NULL;
}

/* ---- what a test calls ---- */

static bool listen_anywhere(struct fault_server *server)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t len = sizeof(address);
    server->listener = socket(AF_INET, SOCK_STREAM, 0);
    if (server->listener < 0 ||
        bind(server->listener, (struct sockaddr *)&address, sizeof(address)) != 0 ||
        listen(server->listener, BACKLOG) != 0 ||
        getsockname(server->listener, (struct sockaddr *)&address, &len) != 0)
        return false;
    (void)fcntl(server->listener, F_SETFL, O_NONBLOCK);
    server->port = ntohs(address.sin_port);
    return true;
}

struct fault_server *fault_server_new(const struct fault_server_options *options)
{
    struct fault_server *server = calloc(1, sizeof(*server));
    if (server == NULL)
        return NULL;
    if (options != NULL)
        server->options = *options;
    if (!listen_anywhere(server) || pipe(server->wake) != 0) {
        free(server);
        return NULL;
    }
    (void)fcntl(server->wake[0], F_SETFL, O_NONBLOCK);
    (void)fcntl(server->wake[1], F_SETFL, O_NONBLOCK);
    (void)pthread_mutex_init(&server->lock, NULL);
    (void)pthread_cond_init(&server->changed, NULL);
    if (pthread_create(&server->thread, NULL, serve, server) != 0) {
        free(server);
        return NULL;
    }
    return server;
}

static void wake(struct fault_server *server)
{
    ssize_t written = write(server->wake[1], "x", 1);
    (void)written;
}

void fault_server_free(struct fault_server *server)
{
    if (server == NULL)
        return;
    pthread_mutex_lock(&server->lock);
    server->is_stopping = true;
    pthread_mutex_unlock(&server->lock);
    wake(server);
    (void)pthread_join(server->thread, NULL);
    while (server->open_count > 0)
        connection_close(server, server->open_count - 1);
    (void)close(server->listener);
    (void)close(server->wake[0]);
    (void)close(server->wake[1]);
    for (uint32_t i = 0; !server->options.keep_no_journal && i < server->request_count; i++)
        free((char *)(uintptr_t)server->journal[i].head.ptr);
    free(server->journal);
    free(server->queue);
    free(server->connections);
    (void)pthread_mutex_destroy(&server->lock);
    (void)pthread_cond_destroy(&server->changed);
    free(server);
}

uint16_t fault_server_port(const struct fault_server *server)
{
    return server->port;
}

const char *fault_server_url(const struct fault_server *server, const char *path,
                             char out[FAULT_URL_BYTES])
{
    (void)snprintf(out, FAULT_URL_BYTES, "http://127.0.0.1:%u%s", server->port, path);
    return out;
}

bool fault_server_add(struct fault_server *server, const struct fault_script *script)
{
    bool is_added = true;
    pthread_mutex_lock(&server->lock);
    if (server->queue_count == server->queue_cap) {
        uint32_t cap = server->queue_cap == 0 ? 16 : server->queue_cap * 2;
        void *grown = realloc(server->queue, cap * sizeof(*server->queue));
        is_added = grown != NULL;
        if (is_added) {
            server->queue = grown;
            server->queue_cap = cap;
        }
    }
    if (is_added)
        server->queue[server->queue_count++] = script;
    pthread_mutex_unlock(&server->lock);
    return is_added;
}

void fault_server_open(struct fault_server *server, uint64_t level)
{
    pthread_mutex_lock(&server->lock);
    server->gate_level = level;
    pthread_mutex_unlock(&server->lock);
    wake(server);
}

uint32_t fault_server_connections(struct fault_server *server)
{
    pthread_mutex_lock(&server->lock);
    uint32_t count = server->connection_count;
    pthread_mutex_unlock(&server->lock);
    return count;
}

uint32_t fault_server_requests(struct fault_server *server)
{
    pthread_mutex_lock(&server->lock);
    uint32_t count = server->request_count;
    pthread_mutex_unlock(&server->lock);
    return count;
}

bool fault_server_request(struct fault_server *server, uint32_t index,
                          struct fault_request *out_request)
{
    pthread_mutex_lock(&server->lock);
    bool exists = !server->options.keep_no_journal && index < server->request_count;
    if (exists)
        *out_request = server->journal[index];
    pthread_mutex_unlock(&server->lock);
    return exists;
}

static bool await(struct fault_server *server, const uint32_t *counter, uint32_t count)
{
    struct timespec until;
    int outcome = 0;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += AWAIT_SECONDS;
    pthread_mutex_lock(&server->lock);
    while (*counter < count && outcome == 0)
        outcome = pthread_cond_timedwait(&server->changed, &server->lock, &until);
    bool is_reached = *counter >= count;
    pthread_mutex_unlock(&server->lock);
    return is_reached;
}

bool fault_server_await_requests(struct fault_server *server, uint32_t count)
{
    return await(server, &server->request_count, count);
}

bool fault_server_await_closed(struct fault_server *server, uint32_t count)
{
    return await(server, &server->closed_count, count);
}

uint16_t fault_closed_port(void)
{
    struct fault_server server = { .port = 0 };
    uint16_t port = listen_anywhere(&server) ? server.port : 0;
    if (server.listener >= 0)
        (void)close(server.listener);
    return port;
}

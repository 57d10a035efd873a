/* replay.c - the HTTP client that answers from recordings, without a network. See record.h.
 *
 * Owns: the recordings of a folder and which were used. Leaves to others: their form
 * (record_file.c). Invariants: each recording answers once while equal ones are left, then the last
 * one goes on answering; what is not recorded ends with HTTP_REPLAY_MISMATCH and says what differs.
 */
#include "base/features.h"

#include "net/record.h"
#include "net/record_file.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "base/control.h"

enum { REPLAY_HEADERS_MAX = 128, DETAIL_BYTES = 512, WAIT_MS_MAX = 60000 };

struct http_transfer {
    struct http_transfer *next;
    struct http_sink sink;
    const struct record_exchange *answer; /* NULL: nothing is recorded for it */
    char detail[DETAIL_BYTES];
    bool is_cancelled;
};

/* A recording and its number. */
struct recorded {
    struct record_exchange exchange;
    uint32_t number;
    bool was_used;
};

struct replay {
    struct alloc alloc;
    const struct clock *clock;
    struct recorded *recorded;
    uint32_t count, cap;
    int wake[2]; /* a pipe */
    struct http_transfer *waiting, **last;
    struct http_transfer *delivering;
};

/* The first equal one that was not used, else the last one that was. NO_MEMORY. */
static enum status find_answer(struct replay *replay, const struct record_exchange *request,
                               struct http_transfer *transfer)
{
    struct recorded *used = NULL;
    for (uint32_t i = 0; i < replay->count; i++) {
        struct recorded *recorded = &replay->recorded[i];
        enum record_likeness likeness = record_compare(request, &recorded->exchange);
        if (likeness == RECORD_UNKNOWN)
            return STATUS_NO_MEMORY;
        if (likeness == RECORD_DIFFERENT)
            continue;
        used = recorded;
        if (!recorded->was_used)
            break;
    }
    if (used != NULL) {
        used->was_used = true;
        transfer->answer = &used->exchange;
    }
    return STATUS_OK;
}

static void tell_difference(struct replay *replay, const struct record_exchange *request,
                            struct http_transfer *transfer)
{
    char what[RECORD_DIFFERENCE_BYTES];
    uint32_t best = UINT32_MAX;
    const struct recorded *nearest = NULL;
    for (uint32_t i = 0; i < replay->count; i++) {
        uint32_t distance = record_distance(request, &replay->recorded[i].exchange);
        if (distance < best) {
            best = distance;
            nearest = &replay->recorded[i];
        }
    }
    record_difference(request, &nearest->exchange, &replay->alloc, what);
    (void)snprintf(transfer->detail, sizeof(transfer->detail),
                   "from the nearest one (number %u) it differs in %s", nearest->number, what);
}

static enum status look_up(struct replay *replay, const struct http_request *request,
                           struct http_transfer *transfer)
{
    struct record_exchange asked;
    record_exchange_init(&asked, &replay->alloc);
    record_exchange_request(&asked, request);
    enum status status = record_exchange_status(&asked);
    if (status == STATUS_OK)
        status = record_exchange_parse(&asked, &replay->alloc);
    if (status == STATUS_OK)
        status = find_answer(replay, &asked, transfer);
    if (status == STATUS_OK && transfer->answer == NULL)
        tell_difference(replay, &asked, transfer);
    record_exchange_release(&asked);
    return status;
}

static enum status replay_start(void *state, const struct http_request *request,
                                const struct http_sink *sink, struct http_transfer **out_transfer,
                                struct error *error)
{
    struct replay *replay = state;
    struct http_transfer *transfer = alloc_get(&replay->alloc, sizeof(*transfer));
    if (transfer == NULL)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    *transfer = (struct http_transfer){ .sink = *sink };
    if (look_up(replay, request, transfer) != STATUS_OK) {
        alloc_free(&replay->alloc, transfer, sizeof(*transfer));
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    }
    *replay->last = transfer;
    replay->last = &transfer->next;
    *out_transfer = transfer;
    return STATUS_OK;
}

static void transfer_unlink(struct replay *replay, struct http_transfer *transfer)
{
    struct http_transfer **place = &replay->waiting;
    while (*place != NULL && *place != transfer)
        place = &(*place)->next;
    if (*place == NULL)
        return;
    *place = transfer->next;
    if (replay->last == &transfer->next)
        replay->last = place;
}

static void replay_cancel(void *state, struct http_transfer *transfer)
{
    struct replay *replay = state;
    if (replay->delivering == transfer) {
        transfer->is_cancelled = true;
        return;
    }
    transfer_unlink(replay, transfer);
    alloc_free(&replay->alloc, transfer, sizeof(*transfer));
}

static void deliver_head(const struct http_transfer *transfer)
{
    struct http_header headers[REPLAY_HEADERS_MAX];
    struct http_head head = { transfer->answer->status, headers, 0 };
    struct str lines = buffer_view(&transfer->answer->reply_headers);
    while (lines.len > 0 && head.header_count < REPLAY_HEADERS_MAX) {
        const char *end = memchr(lines.ptr, '\n', lines.len);
        size_t len = end == NULL ? lines.len : (size_t)(end - lines.ptr);
        const char *colon = memchr(lines.ptr, ':', len);
        if (colon != NULL) {
            size_t name = (size_t)(colon - lines.ptr);
            headers[head.header_count++] =
                (struct http_header){ str_of(lines.ptr, name), str_of(colon + 2, len - name - 2),
                                      false };
        }
        lines = str_of(lines.ptr + len + 1, lines.len - len - 1);
    }
    if (transfer->answer->status != 0 && transfer->sink.head != NULL)
        transfer->sink.head(transfer->sink.state, &head);
}

static void deliver(struct replay *replay, struct http_transfer *transfer)
{
    struct http_end end = { .outcome = HTTP_REPLAY_MISMATCH,
                            .detail = transfer->detail,
                            .connect_us = -1,
                            .first_byte_us = -1,
                            .total_us = -1 };
    replay->delivering = transfer;
    if (transfer->answer != NULL) {
        struct str body = buffer_view(&transfer->answer->body);
        end.outcome = transfer->answer->outcome;
        end.detail = http_outcome_name(end.outcome);
        end.was_sent = true;
        deliver_head(transfer);
        if (!transfer->is_cancelled && body.len > 0 && transfer->sink.body != NULL &&
            !transfer->sink.body(transfer->sink.state, body))
            end.outcome = HTTP_STOPPED;
    }
    replay->delivering = NULL;
    if (!transfer->is_cancelled)
        transfer->sink.end(transfer->sink.state, &end);
    alloc_free(&replay->alloc, transfer, sizeof(*transfer));
}

/* Waits for a wake, which is taken from the pipe. */
static void wait_until(struct replay *replay, int64_t until_ms)
{
    char bytes[64];
    struct pollfd pipe_end = { .fd = replay->wake[0], .events = POLLIN };
    int ready = 0;
    int64_t left_ms;
    do {
        left_ms = until_ms - replay->clock->now_ms(replay->clock->state);
        left_ms = left_ms < 0 ? 0 : left_ms;
        ready = poll(&pipe_end, 1, left_ms < WAIT_MS_MAX ? (int)left_ms : WAIT_MS_MAX);
    } while (ready == 0 && left_ms > 0);
    while (read(replay->wake[0], bytes, sizeof(bytes)) > 0)
        continue;
}

static void replay_run(void *state, int64_t until_ms)
{
    struct replay *replay = state;
    if (replay->waiting == NULL)
        wait_until(replay, until_ms);
    while (replay->waiting != NULL) {
        struct http_transfer *transfer = replay->waiting;
        transfer_unlink(replay, transfer);
        deliver(replay, transfer);
    }
}

static void replay_wake(void *state)
{
    struct replay *replay = state;
    ssize_t written = write(replay->wake[1], "w", 1); /* a full pipe wakes as well */
    (void)written;
}

static int64_t replay_now_ms(void *state)
{
    struct replay *replay = state;
    return replay->clock->now_ms(replay->clock->state);
}

static void replay_free(void *state)
{
    struct replay *replay = state;
    struct alloc alloc = replay->alloc;
    while (replay->waiting != NULL)
        replay_cancel(replay, replay->waiting);
    for (uint32_t i = 0; i < replay->count; i++)
        record_exchange_release(&replay->recorded[i].exchange);
    alloc_free(&alloc, replay->recorded, replay->cap * sizeof(*replay->recorded));
    for (int i = 0; i < 2 && replay->wake[i] >= 0; i++)
        (void)close(replay->wake[i]);
    alloc_free(&alloc, replay, sizeof(*replay));
}

static const struct http_client_ops replay_ops = {
    .start = replay_start,
    .cancel = replay_cancel,
    .run = replay_run,
    .wake = replay_wake,
    .now_ms = replay_now_ms,
    .free = replay_free,
};

static bool make_room(struct replay *replay)
{
    if (replay->count < replay->cap)
        return true;
    uint32_t cap = replay->cap == 0 ? 16 : replay->cap * 2;
    void *grown =
        alloc_grow(&replay->alloc, replay->recorded, replay->cap * sizeof(*replay->recorded),
                   cap * sizeof(*replay->recorded));
    if (grown == NULL)
        return false;
    replay->recorded = grown;
    replay->cap = cap;
    return true;
}

/* One file, or none where the folder has none of that number. */
static enum status load_one(struct replay *replay, struct str folder, uint32_t number,
                            struct error *error)
{
    struct recorded recorded = { .number = number };
    bool is_absent = false;
    if (!make_room(replay))
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    enum status status =
        record_file_read(folder, number, &replay->alloc, &recorded.exchange, &is_absent, error);
    if (status == STATUS_OK && !is_absent) {
        status = record_exchange_parse(&recorded.exchange, &replay->alloc);
        if (status != STATUS_OK)
            (void)error_set(error, status, "out of memory");
    }
    if (status == STATUS_OK && !is_absent)
        replay->recorded[replay->count++] = recorded;
    else
        record_exchange_release(&recorded.exchange);
    return status;
}

static enum status load(struct replay *replay, struct str folder, struct error *error)
{
    uint32_t last = record_folder_last(folder);
    for (uint32_t number = 1; number <= last; number++) {
        enum status status = load_one(replay, folder, number, error);
        if (status != STATUS_OK)
            return status;
    }
    if (replay->count > 0)
        return STATUS_OK;
    (void)error_set(error, STATUS_STORE, "there are no recordings in %.*s", (int)folder.len,
                    folder.ptr);
    error_hint(error, "make some with --record");
    return STATUS_STORE;
}

static enum status open_wake(struct replay *replay, struct error *error)
{
    if (pipe(replay->wake) != 0) {
        replay->wake[0] = replay->wake[1] = -1;
        return error_set(error, STATUS_NO_MEMORY, "a pipe could not be opened");
    }
    for (int i = 0; i < 2; i++) {
        (void)fcntl(replay->wake[i], F_SETFL, O_NONBLOCK);
        (void)fcntl(replay->wake[i], F_SETFD, FD_CLOEXEC);
    }
    return STATUS_OK;
}

enum status http_replay_new(struct str folder, const struct alloc *alloc,
                            struct http_client *out_client, struct error *error)
{
    struct replay *replay = alloc_get(alloc, sizeof(*replay));
    if (replay == NULL)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    *replay = (struct replay){ .alloc = *alloc, .clock = clock_system(), .wake = { -1, -1 } };
    replay->last = &replay->waiting;
    enum status status = open_wake(replay, error);
    if (status == STATUS_OK)
        status = load(replay, folder, error);
    if (status != STATUS_OK) {
        replay_free(replay);
        return status;
    }
    *out_client = (struct http_client){ &replay_ops, replay };
    return STATUS_OK;
}

/* replay.c - the HTTP client that answers from recordings, without a network. See record.h.
 *
 * Owns: the recordings of a folder and which were used. Leaves to others: their form
 * (record_file.c). Invariants: each recording answers once while equal ones are left, then the last
 * one goes on answering; what is not recorded ends with HTTP_REPLAY_MISMATCH and says what differs.
 */
#include "base/features.h"

#include "net/record.h"
#include "net/record_file.h"

#include <stdio.h>

#include "base/control.h"

enum { REPLAY_HEADERS_MAX = 128, DETAIL_BYTES = 512 };

struct http_transfer {
    struct http_transfer *next;
    struct http_sink sink;
    const struct record_exchange *answer; /* NULL: nothing is recorded for it */
    char detail[DETAIL_BYTES];
    bool is_cancelled;
};

struct replay {
    struct alloc alloc;
    const struct clock *clock;
    struct record_exchange *exchanges;
    bool *was_used;
    uint32_t count;
    struct http_transfer *waiting, **last;
    struct http_transfer *delivering;
};

static void find_answer(struct replay *replay, const struct record_exchange *request,
                        struct http_transfer *transfer)
{
    char what[RECORD_DIFFERENCE_BYTES], nearest[RECORD_DIFFERENCE_BYTES] = "everything";
    uint32_t best = UINT32_MAX, best_number = 0, used = UINT32_MAX;
    for (uint32_t i = 0; i < replay->count; i++) {
        uint32_t distance = 0;
        if (record_same_request(request, &replay->exchanges[i], &replay->alloc, what, &distance)) {
            if (!replay->was_used[i]) {
                replay->was_used[i] = true;
                transfer->answer = &replay->exchanges[i];
                return;
            }
            used = i;
        } else if (distance < best) {
            best = distance;
            best_number = i + 1;
            memcpy(nearest, what, sizeof(nearest));
        }
    }
    if (used != UINT32_MAX) {
        transfer->answer = &replay->exchanges[used];
        return;
    }
    if (replay->count == 0)
        (void)snprintf(transfer->detail, sizeof(transfer->detail), "nothing is recorded there");
    else
        (void)snprintf(transfer->detail, sizeof(transfer->detail),
                       "no recording has this request; from the nearest one (number %u) it differs "
                       "in %s",
                       best_number, nearest);
}

static enum status replay_start(void *state, const struct http_request *request,
                                const struct http_sink *sink, struct http_transfer **out_transfer,
                                struct error *error)
{
    struct replay *replay = state;
    struct record_exchange asked;
    struct http_transfer *transfer = alloc_get(&replay->alloc, sizeof(*transfer));
    if (transfer == NULL)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    *transfer = (struct http_transfer){ .sink = *sink };
    record_exchange_init(&asked, &replay->alloc);
    record_exchange_request(&asked, request);
    find_answer(replay, &asked, transfer);
    record_exchange_release(&asked);
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

static void replay_run(void *state, int64_t until_ms)
{
    struct replay *replay = state;
    (void)until_ms; /* nothing is ever waited for */
    while (replay->waiting != NULL) {
        struct http_transfer *transfer = replay->waiting;
        transfer_unlink(replay, transfer);
        deliver(replay, transfer);
    }
}

static void replay_wake(void *state)
{
    (void)state;
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
        record_exchange_release(&replay->exchanges[i]);
    alloc_free(&alloc, replay->exchanges, replay->count * sizeof(*replay->exchanges));
    alloc_free(&alloc, replay->was_used, replay->count * sizeof(*replay->was_used));
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

static enum status load(struct replay *replay, struct str folder, struct error *error)
{
    uint32_t count = record_folder_count(folder);
    if (count == 0) {
        (void)error_set(error, STATUS_STORE, "there are no recordings in %.*s", (int)folder.len,
                        folder.ptr);
        error_hint(error, "make some with --record");
        return STATUS_STORE;
    }
    replay->exchanges = alloc_get(&replay->alloc, count * sizeof(*replay->exchanges));
    replay->was_used = alloc_get(&replay->alloc, count * sizeof(*replay->was_used));
    if (replay->exchanges == NULL || replay->was_used == NULL)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    replay->count = count;
    memset(replay->exchanges, 0, count * sizeof(*replay->exchanges));
    memset(replay->was_used, 0, count * sizeof(*replay->was_used));
    for (uint32_t i = 0; i < count; i++) {
        enum status status =
            record_file_read(folder, i + 1, &replay->alloc, &replay->exchanges[i], error);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

enum status http_replay_new(struct str folder, const struct alloc *alloc,
                            struct http_client *out_client, struct error *error)
{
    struct replay *replay = alloc_get(alloc, sizeof(*replay));
    if (replay == NULL)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    *replay = (struct replay){ .alloc = *alloc, .clock = clock_system() };
    replay->last = &replay->waiting;
    enum status status = load(replay, folder, error);
    if (status != STATUS_OK) {
        replay_free(replay);
        return status;
    }
    *out_client = (struct http_client){ &replay_ops, replay };
    return STATUS_OK;
}

/* record.c - the HTTP client that stores what passes through another one. See record.h.
 *
 * Owns: one exchange being recorded, and its file. Leaves to others: the form of the file and the
 * comparison of requests (record_file.c), answering (replay.c). Invariant: a failure to store never
 * disturbs the call; it is kept for whoever asks.
 */
#include "base/features.h"

#include "net/record.h"

#include "net/record_file.h"

struct recorder {
    struct alloc alloc;
    struct http_client inner;
    struct buffer folder;
    struct error error; /* of the last exchange that could not be stored */
    uint32_t last;      /* number of a file of the folder; those up to it are taken */
};

/* A transfer that passes through. */
struct recording {
    struct recorder *recorder;
    struct http_sink sink;
    struct http_transfer *inner;
    struct record_exchange exchange;
    struct buffer secrets; /* a line each, zeroed before it is freed */
};

enum { SECRETS_BYTES = 64 << 10, SECRET_MIN = 6 };

/* A provider may say the key again, in a message for instance: it is looked for when all is there.
 */
static void keep_secrets(struct recording *recording, const struct http_request *request)
{
    size_t total = 0;
    buffer_init(&recording->secrets, &recording->recorder->alloc, SECRETS_BYTES);
    for (uint32_t i = 0; i < request->header_count; i++)
        total += request->headers[i].value.len + 1;
    (void)buffer_reserve(&recording->secrets, total); /* in one place only */
    for (uint32_t i = 0; i < request->header_count; i++) {
        const struct http_header *header = &request->headers[i];
        if (!header->is_secret && !record_name_is_secret(header->name))
            continue;
        buffer_append_str(&recording->secrets, header->value);
        buffer_append_byte(&recording->secrets, '\n');
    }
}

/* "Bearer key" hides key. */
static void hide_secrets(struct recording *recording)
{
    struct str left = buffer_view(&recording->secrets);
    while (left.len > 0) {
        const char *end = memchr(left.ptr, '\n', left.len);
        struct str secret = { left.ptr, (size_t)(end - left.ptr) };
        const char *space = secret.len == 0 ? NULL : memchr(secret.ptr, ' ', secret.len);
        left = str_of(end + 1, left.len - secret.len - 1);
        if (space != NULL)
            secret = str_of(space + 1, secret.len - (size_t)(space + 1 - secret.ptr));
        if (secret.len >= SECRET_MIN)
            record_exchange_hide(&recording->exchange, secret);
    }
}

static void recording_free(struct recording *recording)
{
    struct alloc alloc = recording->recorder->alloc;
    record_exchange_release(&recording->exchange);
    for (size_t i = 0; i < recording->secrets.len; i++)
        ((volatile char *)recording->secrets.ptr)[i] = 0;
    buffer_release(&recording->secrets);
    alloc_free(&alloc, recording, sizeof(*recording));
}

static void on_head(void *state, const struct http_head *head)
{
    struct recording *recording = state;
    record_exchange_head(&recording->exchange, head);
    if (recording->sink.head != NULL)
        recording->sink.head(recording->sink.state, head);
}

static bool on_body(void *state, struct str chunk)
{
    struct recording *recording = state;
    buffer_append_str(&recording->exchange.body, chunk);
    return recording->sink.body == NULL || recording->sink.body(recording->sink.state, chunk);
}

static void on_end(void *state, const struct http_end *end)
{
    struct recording *recording = state;
    struct recorder *recorder = recording->recorder;
    struct http_sink sink = recording->sink;
    recording->exchange.outcome = end->outcome;
    struct error error = { 0 };
    enum status status = buffer_status(&recording->secrets);
    if (status == STATUS_OK) {
        hide_secrets(recording);
        status = record_file_write(buffer_view(&recorder->folder), &recorder->last,
                                   &recording->exchange, &recorder->alloc, &error);
    } else {
        (void)error_set(&error, status, "out of memory");
    }
    if (status != STATUS_OK)
        recorder->error = error;
    recording_free(recording);
    sink.end(sink.state, end);
}

static enum status record_start(void *state, const struct http_request *request,
                                const struct http_sink *sink, struct http_transfer **out_transfer,
                                struct error *error)
{
    struct recorder *recorder = state;
    struct recording *recording = alloc_get(&recorder->alloc, sizeof(*recording));
    if (recording == NULL)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    *recording = (struct recording){ .recorder = recorder, .sink = *sink };
    record_exchange_init(&recording->exchange, &recorder->alloc);
    record_exchange_request(&recording->exchange, request);
    keep_secrets(recording, request);
    struct http_sink passing = { on_head, on_body, on_end, recording };
    enum status status = http_start(&recorder->inner, request, &passing, &recording->inner, error);
    if (status != STATUS_OK) {
        recording_free(recording);
        return status;
    }
    *out_transfer = (struct http_transfer *)(void *)recording;
    return STATUS_OK;
}

static void record_cancel(void *state, struct http_transfer *transfer)
{
    struct recorder *recorder = state;
    struct recording *recording = (struct recording *)(void *)transfer;
    http_cancel(&recorder->inner, recording->inner);
    recording_free(recording);
}

static void record_run(void *state, int64_t until_ms)
{
    struct recorder *recorder = state;
    http_run(&recorder->inner, until_ms);
}

static void record_wake(void *state)
{
    struct recorder *recorder = state;
    http_wake(&recorder->inner);
}

static int64_t record_now_ms(void *state)
{
    struct recorder *recorder = state;
    return http_now_ms(&recorder->inner);
}

static void record_free(void *state)
{
    struct recorder *recorder = state;
    struct alloc alloc = recorder->alloc;
    http_client_free(&recorder->inner);
    buffer_release(&recorder->folder);
    alloc_free(&alloc, recorder, sizeof(*recorder));
}

static const struct http_client_ops record_ops = {
    .start = record_start,
    .cancel = record_cancel,
    .run = record_run,
    .wake = record_wake,
    .now_ms = record_now_ms,
    .free = record_free,
};

enum status http_record_new(struct http_client inner, struct str folder, const struct alloc *alloc,
                            struct http_client *out_client, struct error *error)
{
    enum status status = record_folder_make(folder, error);
    struct recorder *recorder = status == STATUS_OK ? alloc_get(alloc, sizeof(*recorder)) : NULL;
    if (recorder == NULL) {
        http_client_free(&inner);
        return status == STATUS_OK ? error_set(error, STATUS_NO_MEMORY, "out of memory") : status;
    }
    *recorder = (struct recorder){ .alloc = *alloc, .inner = inner };
    error_clear(&recorder->error);
    recorder->last = record_folder_last(folder);
    buffer_init(&recorder->folder, &recorder->alloc, RECORD_PATH_BYTES);
    buffer_append_str(&recorder->folder, folder);
    if (buffer_status(&recorder->folder) != STATUS_OK) {
        record_free(recorder);
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    }
    *out_client = (struct http_client){ &record_ops, recorder };
    return STATUS_OK;
}

const struct error *http_record_error(const struct http_client *client)
{
    if (client->ops != &record_ops)
        return NULL;
    const struct recorder *recorder = client->state;
    return recorder->error.status == STATUS_OK ? NULL : &recorder->error;
}

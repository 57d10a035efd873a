/* provider.c - a model behind a wire, as the model seam wants it. See provider.h.
 *
 * Owns: copies of all options, the key in memory that is zeroed, the HTTP client when none was
 * given, what is remembered between calls, and the loop that runs one exchange on the calling
 * thread. Leaves to others: the exchange itself. Invariants: cancellation is seen within
 * CANCEL_LOOK_MS; a projection lives until the next reply is asked for.
 */
#include "base/features.h"

#include "provider/provider.h"

#include <stdio.h>
#include <time.h>

#include "base/arena.h"
#include "base/hash.h"
#include "net/http_curl.h"
#include "net/record.h"

enum {
    TEXTS_BYTES_MAX = 1 << 20,
    CANCEL_LOOK_MS = 50,
    POOL_HASH_BYTES = 8,
    PHASE_BYTES = 64,
    KEY_BYTES_MAX = 8192
};

struct provider_model_state {
    struct alloc alloc;
    struct arena arena; /* of the texts, but not of the key */
    char *key;
    size_t key_len;
    struct http_client own_http; /* zeroed when the caller gave one */
    const struct http_client *http;
    struct exchange_memory *memory;
    struct retry_policy retry;
    struct retry_budget budget;
    struct rng_seeded seed;
    struct rng rng;
    struct exchange_options options;
    struct str name;               /* "openai/gpt-x" */
    struct projection *projection; /* of the last reply */
};

/* ---- the base URL ---- */

static bool has_byte(struct str text, char byte)
{
    return text.len > 0 && memchr(text.ptr, byte, text.len) != NULL;
}

/* Something between the scheme and the path. */
static bool has_host(struct str url)
{
    size_t at = str_starts_with(url, STR("https://")) ? 8 : 7;
    return url.len > at && url.ptr[at] != '/' && url.ptr[at] != ':';
}

static enum status base_url_check(const struct provider_options *options, struct str url,
                                  struct error *error)
{
    bool is_http = str_starts_with(url, STR("http://"));
    bool is_https = str_starts_with(url, STR("https://"));
    if (url.len == 0) {
        (void)error_set(error, STATUS_NOT_CONFIGURED, "there is no base URL for %.*s",
                        (int)options->provider->id.len, options->provider->id.ptr);
        error_hint(error, "set %.*s, or give --base-url",
                   (int)options->provider->base_url_variable.len,
                   options->provider->base_url_variable.ptr);
        return STATUS_NOT_CONFIGURED;
    }
    if ((!is_http && !is_https) || !has_host(url) || has_byte(url, '@') || has_byte(url, '?') ||
        has_byte(url, '#') || has_byte(url, ' ')) {
        (void)error_set(error, STATUS_INVALID_REQUEST,
                        "the base URL of %.*s is not usable: it must be http:// or https:// with a "
                        "host and a path, without user name, query or fragment",
                        (int)options->provider->id.len, options->provider->id.ptr);
        return STATUS_INVALID_REQUEST;
    }
    return STATUS_OK;
}

static enum status key_check(const struct provider_options *options, struct error *error)
{
    if (options->key.len > KEY_BYTES_MAX)
        return error_set(error, STATUS_INVALID_REQUEST, "the key is longer than %d bytes",
                         KEY_BYTES_MAX);
    if (options->key.len > 0 || !options->provider->key_required || options->replay_folder.len > 0)
        return STATUS_OK;
    (void)error_set(error, STATUS_NOT_CONFIGURED, "there is no key for %.*s",
                    (int)options->provider->id.len, options->provider->id.ptr);
    error_hint(error, "set %.*s", (int)options->provider->key_variable.len,
               options->provider->key_variable.ptr);
    return STATUS_NOT_CONFIGURED;
}

/* ---- opening ---- */

static void forget(char *ptr, size_t len)
{
    volatile char *at = ptr;
    while (len-- > 0)
        *at++ = 0;
}

static bool copy_texts(struct provider_model_state *state, const struct provider_options *options,
                       struct str base_url)
{
    struct exchange_options *to = &state->options;
    struct buffer name;
    buffer_init(&name, &state->alloc, TEXTS_BYTES_MAX);
    buffer_append_str(&name, options->provider->id);
    buffer_append_byte(&name, '/');
    buffer_append_str(&name, options->model);
    state->name = buffer_status(&name) == STATUS_OK ? arena_copy(&state->arena, buffer_view(&name))
                                                    : (struct str){ NULL, 0 };
    buffer_release(&name);
    to->model = arena_copy(&state->arena, options->model);
    to->base_url = arena_copy(&state->arena, base_url);
    to->ca_file = arena_copy(&state->arena, options->ca_file);
    to->proxy = arena_copy(&state->arena, options->proxy);
    state->key_len = options->key.len;
    state->key = alloc_get(&state->alloc, options->key.len + 1);
    if (state->key != NULL && options->key.len > 0)
        memcpy(state->key, options->key.ptr, options->key.len);
    to->key = str_of(state->key, state->key_len);
    return state->name.ptr != NULL && to->model.ptr != NULL && to->base_url.ptr != NULL &&
           to->ca_file.ptr != NULL && to->proxy.ptr != NULL && state->key != NULL;
}

/* Connections are shared by whoever has the same provider, address and key. */
static bool name_pool(struct provider_model_state *state, const struct provider_options *options)
{
    unsigned char digest[32];
    char text[2 * POOL_HASH_BYTES + 1];
    struct buffer name;
    hash_sha256(state->key, state->key_len, digest);
    for (size_t i = 0; i < POOL_HASH_BYTES; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", digest[i]);
    buffer_init(&name, &state->alloc, TEXTS_BYTES_MAX);
    buffer_append_str(&name, options->provider->id);
    buffer_append_byte(&name, ' ');
    buffer_append_str(&name, str_from(text));
    struct str copy = buffer_status(&name) == STATUS_OK
                          ? arena_copy(&state->arena, buffer_view(&name))
                          : (struct str){ NULL, 0 };
    buffer_release(&name);
    state->options.pool = copy;
    return copy.ptr != NULL;
}

static int64_t wall_ms(void *state)
{
    struct timespec now;
    (void)state;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0)
        return -1;
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The client that the model asks through: a recorded one answers, or a real one, maybe recorded. */
static enum status open_http(struct provider_model_state *state,
                             const struct provider_options *options, struct error *error)
{
    enum status status = STATUS_OK;
    if (options->replay_folder.len > 0) {
        status = http_replay_new(options->replay_folder, &state->alloc, &state->own_http, error);
    } else if (options->http != NULL && options->record_folder.len == 0) {
        state->http = options->http;
        return STATUS_OK;
    } else {
        status = http_curl_new(NULL, &state->alloc, &state->own_http, error);
    }
    if (status == STATUS_OK && options->record_folder.len > 0 && options->replay_folder.len == 0) {
        struct http_client inner = state->own_http;
        state->own_http = (struct http_client){ NULL, NULL };
        status =
            http_record_new(inner, options->record_folder, &state->alloc, &state->own_http, error);
    }
    state->http = &state->own_http;
    return status;
}

static void fill_options(struct provider_model_state *state, const struct provider_options *options)
{
    struct exchange_options *to = &state->options;
    to->provider = options->provider;
    to->model_row = catalogue_model(options->provider, options->model, NULL);
    if (options->retry != NULL) {
        state->retry = *options->retry;
        to->retry = &state->retry;
    }
    to->retry_budget = &state->budget;
    to->memory = state->memory;
    to->rng = options->rng != NULL ? options->rng : &state->rng;
    to->wall_ms = wall_ms;
    to->stream = !options->no_stream;
    to->abort_early = !options->no_early_abort;
    to->show_values = options->show_values;
    to->connect_ms = options->connect_ms;
    to->first_byte_ms = options->first_byte_ms;
    to->idle_ms = options->idle_ms;
    to->trace = options->trace;
    to->trace_state = options->trace_state;
}

static void state_free(void *pointer)
{
    struct provider_model_state *state = pointer;
    struct alloc alloc = state->alloc;
    projection_free(state->projection);
    http_client_free(&state->own_http);
    exchange_memory_free(state->memory);
    if (state->key != NULL) {
        forget(state->key, state->key_len);
        alloc_free(&alloc, state->key, state->key_len + 1);
    }
    arena_release(&state->arena);
    alloc_free(&alloc, state, sizeof(*state));
}

static enum status state_fill(struct provider_model_state *state,
                              const struct provider_options *options, struct str base_url,
                              struct error *error)
{
    if (!copy_texts(state, options, base_url) || !name_pool(state, options) ||
        exchange_memory_new(&state->alloc, &state->memory) != STATUS_OK)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    retry_budget_init(&state->budget);
    uint64_t seed = hash_process_seed() ^ (uint64_t)(uintptr_t)state;
    state->rng = rng_from_seed(&state->seed, seed);
    fill_options(state, options);
    return open_http(state, options, error);
}

static const struct model_ops provider_ops;

enum status provider_open(const struct provider_options *options, const struct alloc *alloc,
                          struct model *out_model, struct error *error)
{
    struct str base_url =
        options->base_url.len > 0 ? options->base_url : options->provider->base_url;
    enum status status = base_url_check(options, base_url, error);
    if (status == STATUS_OK)
        status = key_check(options, error);
    if (status != STATUS_OK)
        return status;
    struct provider_model_state *state = alloc_get(alloc, sizeof(*state));
    if (state == NULL)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    memset(state, 0, sizeof(*state));
    state->alloc = *alloc;
    arena_init(&state->arena, &state->alloc, TEXTS_BYTES_MAX);
    status = state_fill(state, options, base_url, error);
    if (status != STATUS_OK) {
        state_free(state);
        return status;
    }
    *out_model = (struct model){ &provider_ops, state };
    return STATUS_OK;
}

/* ---- what is known ---- */

struct model_info provider_model_info(const struct provider_row *provider, struct str model)
{
    const struct provider_model *row = catalogue_model(provider, model, NULL);
    struct model_info info = { .name = model,
                               .prompt_style = MODEL_PROMPT_RULES_FIRST,
                               .context_tokens = row->context_tokens };
    switch (row->strictness) {
    case PROVIDER_STRICT_NO: break;
    case PROVIDER_STRICT_YES: info.capabilities |= MODEL_STRICT_OUTPUT; break;
    case PROVIDER_STRICT_UNKNOWN: info.capabilities |= MODEL_STRICT_UNKNOWN; break;
    }
    info.capabilities |= MODEL_NEED_ALTERNATIVE;
    return info;
}

static struct model_info state_info(void *pointer)
{
    const struct provider_model_state *state = pointer;
    struct model_info info = provider_model_info(state->options.provider, state->options.model);
    info.name = state->name;
    return info;
}

const struct exchange_options *provider_exchange_options(const struct model *model)
{
    if (model->ops != &provider_ops)
        return NULL;
    return &((const struct provider_model_state *)model->state)->options;
}

const struct http_client *provider_http(const struct model *model)
{
    if (model->ops != &provider_ops)
        return NULL;
    return ((const struct provider_model_state *)model->state)->http;
}

const struct error *provider_record_error(const struct model *model)
{
    const struct http_client *http = provider_http(model);
    return http == NULL ? NULL : http_record_error(http);
}

enum status provider_describe(const struct model *model, const struct model_request *request,
                              struct buffer *out, struct error *error)
{
    const struct provider_model_state *state = model->state;
    return exchange_describe(&state->options, request, &state->alloc, out, error);
}

/* ---- one exchange on this thread ---- */

/* What the sink of a transfer sees. */
struct run {
    struct provider_model_state *state;
    struct exchange *exchange;
    const struct model_sink *sink;
    struct http_transfer *transfer; /* NULL: none is pending */
};

static void on_head(void *pointer, const struct http_head *head)
{
    struct run *run = pointer;
    exchange_on_head(run->exchange, head);
}

static bool on_body(void *pointer, struct str chunk)
{
    struct run *run = pointer;
    bool goes_on = exchange_on_body(run->exchange, chunk, http_now_ms(run->state->http));
    if (run->sink != NULL && run->sink->text != NULL) {
        struct str fresh = exchange_take_text(run->exchange);
        if (fresh.len > 0)
            run->sink->text(run->sink->state, fresh);
    }
    return goes_on;
}

static void on_end(void *pointer, const struct http_end *end)
{
    struct run *run = pointer;
    run->transfer = NULL;
    exchange_on_end(run->exchange, end, http_now_ms(run->state->http));
}

static void say(const struct run *run, const char *what)
{
    if (run->sink != NULL && run->sink->phase != NULL)
        run->sink->phase(run->sink->state, what, -1);
}

static void run_send(struct run *run, const struct http_request *request)
{
    struct http_sink sink = { on_head, on_body, on_end, run };
    struct error error = { 0 };
    error_clear(&error);
    say(run, "waiting for the model");
    if (http_start(run->state->http, request, &sink, &run->transfer, &error) != STATUS_OK) {
        run->transfer = NULL;
        exchange_on_start_failed(run->exchange, &error);
    }
}

static void run_wait(struct run *run, int64_t until_ms, int64_t now_ms)
{
    char what[PHASE_BYTES];
    if (now_ms >= until_ms) {
        exchange_on_time(run->exchange, now_ms);
        return;
    }
    (void)snprintf(what, sizeof(what), "trying again in %lld s",
                   (long long)((until_ms - now_ms + 999) / 1000));
    say(run, what);
}

/* Steps until the exchange has ended. */
static void run_all(struct run *run, const struct control *control)
{
    const struct http_client *http = run->state->http;
    for (;;) {
        struct exchange_action action = exchange_next(run->exchange);
        int64_t now_ms = http_now_ms(http);
        int64_t until_ms = now_ms + CANCEL_LOOK_MS;
        if (action.kind == EXCHANGE_DONE || action.kind == EXCHANGE_FAILED)
            return;
        enum status status = control_check(control);
        if (status != STATUS_OK) {
            exchange_on_stop(run->exchange, status, run->transfer != NULL);
            if (run->transfer != NULL)
                http_cancel(http, run->transfer);
            run->transfer = NULL;
            return;
        }
        if (action.kind == EXCHANGE_SEND && run->transfer == NULL) {
            run_send(run, action.request);
            continue;
        }
        if (action.kind == EXCHANGE_WAIT) {
            run_wait(run, action.until_ms, now_ms);
            if (exchange_next(run->exchange).kind != EXCHANGE_WAIT)
                continue;
            if (action.until_ms < until_ms)
                until_ms = action.until_ms;
        }
        http_run(http, until_ms);
    }
}

/* The control's deadline on the client's clock. */
static int64_t deadline_of(const struct control *control, int64_t now_ms)
{
    if (control->deadline_ms == INT64_MAX)
        return INT64_MAX;
    int64_t left_ms = control->deadline_ms - control->clock->now_ms(control->clock->state);
    return now_ms + (left_ms > 0 ? left_ms : 0);
}

static enum status state_generate(void *pointer, const struct model_request *request,
                                  const struct model_sink *sink, const struct control *control,
                                  struct model_reply *reply, struct error *error)
{
    struct provider_model_state *state = pointer;
    struct run run = { .state = state, .sink = sink };
    int64_t now_ms = http_now_ms(state->http);
    projection_free(state->projection);
    state->projection = NULL;
    enum status status =
        exchange_new(&state->options, request, now_ms, deadline_of(control, now_ms), reply,
                     &state->alloc, &run.exchange, error);
    if (status != STATUS_OK)
        return status;
    run_all(&run, control);
    if (exchange_next(run.exchange).kind == EXCHANGE_DONE) {
        state->projection = exchange_take_projection(run.exchange);
        reply->projection = state->projection;
    } else {
        const struct error *failure = exchange_error(run.exchange);
        status = failure->status;
        if (error != NULL)
            *error = *failure;
    }
    exchange_free(run.exchange);
    return status;
}

static const struct model_ops provider_ops = {
    .name = "provider",
    .info = state_info,
    .generate = state_generate,
    .free = state_free,
};

/* exchange_request.c - making the request of a plan.
 *
 * Owns: the choice of the mechanism, the projection, which turns are sent, and the limits of the
 * transfer. Leaves to others: the bytes (protocol.h), what a refusal changes (exchange_ladder.c).
 */
#include "base/features.h"

#include "base/limits.h"
#include "provider/exchange_parts.h"

enum {
    STREAM_BYTES_PER_TOKEN = 1024, /* an event of a few bytes of text is mostly markup */
    CONTEXT_BYTES_PER_TOKEN = 6,   /* fewer tokens than a text of any kind has */
    HEAD_BYTES_MAX = 128 * 1024
};

/* ---- plan ---- */

enum status exchange_plan_begin(struct exchange *exchange, struct error *error)
{
    const struct provider_model *row = exchange->options.model_row;
    struct exchange_plan *plan = &exchange->plan;
    bool may_be_strict = row->strictness != PROVIDER_STRICT_NO && row->rules != NULL;
    *plan = (struct exchange_plan){
        .mechanism = row->mechanism,
        .is_strict = may_be_strict &&
                     (row->mechanism == PROVIDER_BY_SCHEMA || row->mechanism == PROVIDER_BY_TOOL),
        .rung = PROJECTION_FULL,
        .is_streamed = exchange->options.stream && (row->parameters & PROVIDER_TAKES_STREAM) != 0,
    };
    if (!plan->is_strict && exchange->request->require_strict) {
        (void)error_set(error, STATUS_UNSUPPORTED,
                        "the model \"%.*s\" of %.*s cannot enforce a schema while it writes",
                        (int)exchange->options.model.len, exchange->options.model.ptr,
                        (int)exchange->options.provider->id.len,
                        exchange->options.provider->id.ptr);
        error_hint(error, "take it by prompt with --no-strict, or choose another model");
        return STATUS_UNSUPPORTED;
    }
    if (!plan->is_strict)
        plan->rung = PROJECTION_JSON_ONLY;
    exchange_memory_recall(exchange->options.memory, exchange->memory_key, plan);
    return STATUS_OK;
}

static bool sends_schema(const struct exchange_plan *plan)
{
    return plan->rung != PROJECTION_JSON_ONLY &&
           (plan->mechanism == PROVIDER_BY_SCHEMA || plan->mechanism == PROVIDER_BY_TOOL);
}

/* ---- turns ---- */

/* The schema in words costs tokens and says again what the provider itself shows the model. */
static bool turn_is_needed(const struct exchange *exchange, const struct model_message *message)
{
    const struct exchange_plan *plan = &exchange->plan;
    bool is_shown = (exchange->options.model_row->parameters & PROVIDER_SHOWS_SCHEMA) != 0 &&
                    sends_schema(plan) && plan->rung <= PROJECTION_NO_BOUNDS;
    return message->purpose != MODEL_PURPOSE_SCHEMA || !is_shown;
}

static void choose_turns(struct exchange *exchange)
{
    exchange->message_count = 0;
    for (uint32_t i = 0; i < exchange->request->message_count; i++) {
        const struct model_message *message = &exchange->request->messages[i];
        if (turn_is_needed(exchange, message))
            exchange->messages[exchange->message_count++] = *message;
    }
}

enum status exchange_check_context(const struct exchange *exchange, struct error *error)
{
    uint64_t tokens = exchange->request->tokens_max;
    uint32_t context = exchange->options.model_row->context_tokens;
    for (uint32_t i = 0; i < exchange->request->message_count; i++)
        tokens += exchange->request->messages[i].text.len / CONTEXT_BYTES_PER_TOKEN;
    if (context == 0 || tokens <= context)
        return STATUS_OK;
    (void)error_set(error, STATUS_INVALID_REQUEST,
                    "the prompt and the reply's limit of %u tokens need at least %llu tokens, the "
                    "model's context has %u",
                    exchange->request->tokens_max, (unsigned long long)tokens, context);
    error_hint(error, "shorten the text, or choose a model with a larger context");
    return STATUS_INVALID_REQUEST;
}

/* ---- names ---- */

/* The schema's title as a name that every provider takes. */
static void name_schema(struct exchange *exchange)
{
    struct json root = exchange->request->program->root;
    struct json title =
        json_type(root) == JSON_OBJECT ? json_get(root, STR("title")) : (struct json){ NULL, NULL };
    size_t len = 0;
    if (json_exists(title) && json_type(title) == JSON_STRING) {
        struct str text = json_string(title);
        for (size_t i = 0; i < text.len && len + 1 < sizeof(exchange->schema_name); i++) {
            char byte = text.ptr[i];
            bool is_word = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                           (byte >= '0' && byte <= '9');
            if (is_word)
                exchange->schema_name[len++] = byte;
            else if (len > 0 && exchange->schema_name[len - 1] != '_')
                exchange->schema_name[len++] = '_';
        }
    }
    if (len == 0) {
        memcpy(exchange->schema_name, "result", sizeof("result"));
        len = sizeof("result") - 1;
    }
    exchange->schema_name[len] = '\0';
}

/* ---- the request ---- */

static enum status project(struct exchange *exchange, struct error *error)
{
    struct projection_options options = { .program = exchange->request->program,
                                          .rules = exchange->options.model_row->rules,
                                          .need_name = exchange->request->need_name,
                                          .rung = exchange->plan.rung,
                                          .wants_watch = exchange->options.abort_early &&
                                                         exchange->plan.is_strict &&
                                                         exchange->plan.is_streamed };
    enum status status;
    projection_free(exchange->projection);
    exchange->projection = NULL;
    for (;;) {
        status = projection_new(&options, exchange->alloc, &exchange->projection, error);
        if (status != STATUS_UNSUPPORTED)
            return status;
        struct provider_failure failure = { .blame = FAILURE_BLAMES_SCHEMA };
        if (!exchange_plan_change(exchange, &failure))
            return status;
        error_clear(error);
        options.rung = exchange->plan.rung;
    }
}

static uint32_t output_limit(const struct exchange *exchange)
{
    const struct provider_model *row = exchange->options.model_row;
    uint32_t limit = exchange->request->tokens_max;
    limit = limit > UINT32_MAX - row->reasoning_tokens ? UINT32_MAX : limit + row->reasoning_tokens;
    return row->output_tokens_max > 0 && limit > row->output_tokens_max ? row->output_tokens_max
                                                                        : limit;
}

static struct protocol_call describe_call(struct exchange *exchange)
{
    const struct exchange_options *options = &exchange->options;
    const struct exchange_plan *plan = &exchange->plan;
    unsigned parameters = options->model_row->parameters;
    bool takes_temperature = (parameters & PROVIDER_TAKES_TEMPERATURE & ~plan->omit) != 0;
    return (struct protocol_call){
        .provider = options->provider,
        .model_row = options->model_row,
        .model = options->model,
        .base_url = options->base_url,
        .key = options->key,
        .messages = exchange->messages,
        .message_count = exchange->message_count,
        .mechanism = plan->mechanism,
        .schema = sends_schema(plan) ? projection_schema(exchange->projection) : STR(""),
        .schema_name = str_from(exchange->schema_name),
        .schema_words = buffer_view(&exchange->words),
        .is_strict = plan->is_strict,
        .tokens_max = output_limit(exchange),
        .temperature = takes_temperature ? exchange->request->temperature : -1,
        .has_seed = exchange->request->has_seed && (parameters & PROVIDER_TAKES_SEED) != 0 &&
                    (plan->omit & PROVIDER_TAKES_SEED) == 0,
        .seed = exchange->request->seed,
        .is_streamed = plan->is_streamed,
        .omit = plan->omit,
        .use_other_limit_name = plan->use_other_limit_name,
    };
}

static int64_t or_default(int64_t ms, int64_t usual_ms)
{
    return ms > 0 ? ms : usual_ms;
}

static void arm_request(struct exchange *exchange, struct str pool)
{
    const struct exchange_options *options = &exchange->options;
    size_t stream_bytes = (size_t)exchange->request->tokens_max * STREAM_BYTES_PER_TOKEN;
    exchange->http = (struct http_request){
        .method = STR("POST"),
        .url = buffer_view(&exchange->written.url),
        .headers = exchange->written.headers,
        .header_count = exchange->written.header_count,
        .body = buffer_view(&exchange->written.body),
        .pool = pool,
        .ca_file = options->ca_file.len > 0 ? options->ca_file : options->provider->ca_file,
        .proxy = options->proxy.len > 0 ? options->proxy : options->provider->proxy,
        .version = options->provider->http_version,
        .connect_ms = or_default(options->connect_ms, LIMIT_CONNECT_MS),
        .first_byte_ms = or_default(options->first_byte_ms, LIMIT_FIRST_BYTE_MS),
        .idle_ms = or_default(options->idle_ms, LIMIT_IDLE_MS),
        .deadline_ms = exchange->deadline_ms,
        .body_bytes_max = LIMIT_REPLY_BYTES + (exchange->plan.is_streamed ? stream_bytes : 0),
        .head_bytes_max = HEAD_BYTES_MAX,
    };
}

/* The reader and the watch of the request that is sent next. */
static enum status begin_reading(struct exchange *exchange, const struct protocol_call *call)
{
    bool is_watched = exchange->options.abort_early && exchange->plan.is_strict;
    protocol_reader_release(&exchange->reader);
    watch_release(&exchange->watch);
    exchange->watched = exchange->told = 0;
    exchange->is_answered = false;
    exchange->verdict = WATCH_GOES_ON;
    watch_init(&exchange->watch, is_watched ? projection_watch(exchange->projection) : NULL,
               exchange->alloc);
    enum status status =
        protocol_reader_init(&exchange->reader, call, LIMIT_REPLY_BYTES, exchange->alloc);
    exchange->reader.wall_ms = exchange->options.wall_ms == NULL
                                   ? -1
                                   : exchange->options.wall_ms(exchange->options.wall_state);
    return status;
}

enum status exchange_write(struct exchange *exchange, int64_t now_ms, struct error *error)
{
    if (now_ms >= exchange->deadline_ms)
        return error_set(error, STATUS_DEADLINE, "the deadline of the call has passed");
    enum status status = project(exchange, error);
    if (status != STATUS_OK)
        return status;
    choose_turns(exchange);
    name_schema(exchange);
    buffer_clear(&exchange->words);
    buffer_append_str(&exchange->words, projection_words(exchange->projection));
    struct protocol_call call = describe_call(exchange);
    protocol_write(&call, &exchange->written);
    const enum status parts[] = { buffer_status(&exchange->written.url),
                                  buffer_status(&exchange->written.body),
                                  buffer_status(&exchange->written.text),
                                  buffer_status(&exchange->words) };
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (parts[i] == STATUS_NO_MEMORY)
            return error_set(error, STATUS_NO_MEMORY, "out of memory");
        if (parts[i] != STATUS_OK)
            return error_set(error, STATUS_INVALID_REQUEST,
                             "the request cannot be written: it is too large, or a key or header "
                             "holds a control character");
    }
    arm_request(exchange, exchange->options.pool);
    status = begin_reading(exchange, &call);
    if (status != STATUS_OK)
        return error_set(error, status, "out of memory");
    return STATUS_OK;
}

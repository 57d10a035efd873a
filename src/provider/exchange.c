/* exchange.c - one model call over a wire: events in, actions out. See exchange.h.
 *
 * Owns: the states, what follows from the end of a transfer, and what was spent. Leaves to others:
 * making requests (exchange_request.c), simpler ones (exchange_ladder.c), the readers.
 */
#include "base/features.h"

#include "provider/exchange_parts.h"

#include <stdarg.h>
#include <stdio.h>

enum { TRACE_LINE_BYTES = 320, WORDS_BYTES_MAX = 1 << 20 };

static const struct retry_policy default_policy = RETRY_POLICY_DEFAULT;

void exchange_trace(const struct exchange *exchange, const char *format, ...)
{
    char line[TRACE_LINE_BYTES];
    va_list arguments;
    if (exchange->options.trace == NULL)
        return;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    exchange->options.trace(exchange->options.trace_state, line);
}

/* ---- life cycle ---- */

static enum status exchange_begin(struct exchange *exchange, int64_t now_ms, struct error *error)
{
    exchange->memory_key = exchange_memory_key(exchange);
    enum status status = exchange_plan_begin(exchange, error);
    if (status == STATUS_OK)
        status = exchange_check_context(exchange, error);
    if (status == STATUS_OK)
        status = exchange_write(exchange, now_ms, error);
    return status;
}

enum status exchange_new(const struct exchange_options *options,
                         const struct model_request *request, int64_t now_ms, int64_t deadline_ms,
                         struct model_reply *reply, const struct alloc *alloc,
                         struct exchange **out_exchange, struct error *error)
{
    struct exchange *exchange = alloc_get(alloc, sizeof(*exchange));
    if (exchange == NULL)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    memset(exchange, 0, sizeof(*exchange));
    exchange->alloc = alloc;
    exchange->options = *options;
    exchange->request = request;
    exchange->reply = reply;
    exchange->deadline_ms = deadline_ms;
    exchange->attempt = 1;
    error_clear(&exchange->error);
    protocol_request_init(&exchange->written, alloc);
    buffer_init(&exchange->words, alloc, WORDS_BYTES_MAX);
    exchange->messages =
        alloc_get(alloc, (request->message_count + 1u) * sizeof(*exchange->messages));
    enum status status = exchange->messages == NULL
                             ? error_set(error, STATUS_NO_MEMORY, "out of memory")
                             : exchange_begin(exchange, now_ms, error);
    if (status != STATUS_OK) {
        exchange_free(exchange);
        return status;
    }
    *out_exchange = exchange;
    return STATUS_OK;
}

void exchange_free(struct exchange *exchange)
{
    if (exchange == NULL)
        return;
    const struct alloc *alloc = exchange->alloc;
    protocol_reader_release(&exchange->reader);
    protocol_request_release(&exchange->written);
    watch_release(&exchange->watch);
    projection_free(exchange->projection);
    buffer_release(&exchange->words);
    if (exchange->messages != NULL)
        alloc_free(alloc, exchange->messages,
                   (exchange->request->message_count + 1u) * sizeof(*exchange->messages));
    alloc_free(alloc, exchange, sizeof(*exchange));
}

struct exchange_action exchange_next(const struct exchange *exchange)
{
    struct exchange_action action = { .kind = EXCHANGE_FAILED };
    switch (exchange->state) {
    case EXCHANGE_STATE_SENDING:
        action.kind = EXCHANGE_SEND;
        action.request = &exchange->http;
        break;
    case EXCHANGE_STATE_WAITING:
        action.kind = EXCHANGE_WAIT;
        action.until_ms = exchange->until_ms;
        break;
    case EXCHANGE_STATE_DONE: action.kind = EXCHANGE_DONE; break;
    case EXCHANGE_STATE_FAILED: break;
    }
    return action;
}

const struct error *exchange_error(const struct exchange *exchange)
{
    return &exchange->error;
}

struct projection *exchange_take_projection(struct exchange *exchange)
{
    struct projection *projection = exchange->projection;
    exchange->projection = NULL;
    return projection;
}

/* ---- what was spent ---- */

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t prompt_tokens(const struct exchange *exchange)
{
    size_t bytes = exchange->words.len;
    for (uint32_t i = 0; i < exchange->message_count; i++)
        bytes += exchange->messages[i].text.len;
    return watch_tokens_of(bytes);
}

/* Whether the provider began to answer the call itself: a refusal costs nothing. */
static bool is_charged(const struct exchange *exchange)
{
    const struct protocol_reader *reader = &exchange->reader;
    bool is_accepted = reader->head.http_status >= 200 && reader->head.http_status < 300;
    bool is_refusal = reader->form == PROTOCOL_DOCUMENT && reader->reply.has_failure &&
                      reader->reply.failure.kind != STATUS_TRANSPORT;
    return exchange->is_answered && is_accepted && !is_refusal;
}

/* The pending reply's usage; where the provider has not counted, by the length of the texts. */
static struct model_usage usage_of_reply(const struct exchange *exchange)
{
    const struct protocol_reply *reply = &exchange->reader.reply;
    struct model_usage usage = reply->usage;
    bool was_stopped = exchange->verdict != WATCH_GOES_ON || !reply->is_complete;
    if ((!was_stopped && reply->has_usage) || !is_charged(exchange))
        return usage;
    uint64_t written = watch_tokens_of(reply->text.len + reply->reasoning.len);
    usage.is_estimated = true;
    if (usage.output_tokens < written)
        usage.output_tokens = written;
    if (usage.input_tokens == 0)
        usage.input_tokens = prompt_tokens(exchange);
    if (exchange->verdict == WATCH_INVALID)
        usage.saved_output_tokens =
            watch_saved_tokens(exchange->request->program, buffer_view(&reply->text));
    return usage;
}

static void account(struct exchange *exchange)
{
    struct model_usage usage = usage_of_reply(exchange);
    struct model_usage *spent = &exchange->spent;
    spent->input_tokens = sum(spent->input_tokens, usage.input_tokens);
    spent->output_tokens = sum(spent->output_tokens, usage.output_tokens);
    spent->cached_input_tokens = sum(spent->cached_input_tokens, usage.cached_input_tokens);
    spent->saved_output_tokens = sum(spent->saved_output_tokens, usage.saved_output_tokens);
    spent->is_estimated = spent->is_estimated || usage.is_estimated;
    spent->requests = exchange->requests;
    exchange->reply->usage = *spent;
}

/* ---- ends ---- */

static void exchange_fail(struct exchange *exchange)
{
    exchange->state = EXCHANGE_STATE_FAILED;
    exchange->reply->usage.requests = exchange->requests;
}

static void note(struct model_reply *reply, const char *text)
{
    if (reply->note_count < MODEL_NOTES_MAX)
        (void)snprintf(reply->notes[reply->note_count++], MODEL_NOTE_BYTES, "%s", text);
}

static void copy_id(char to[MODEL_ID_BYTES], const char *from)
{
    (void)snprintf(to, MODEL_ID_BYTES, "%s", from);
}

static void note_surprises(struct exchange *exchange)
{
    const struct protocol_reply *from = &exchange->reader.reply;
    char line[MODEL_NOTE_BYTES];
    if (from->has_second_choice)
        note(exchange->reply, "the reply had more than one choice or block; the first was taken");
    if (from->tool_was_absent)
        note(exchange->reply, "the reply announced a tool call that was not there");
    if (exchange->plan.rung != PROJECTION_FULL && exchange->options.model_row->rules != NULL &&
        exchange->plan.is_strict) {
        (void)snprintf(line, sizeof(line), "the provider took a simpler form of the schema (%s)",
                       projection_rung_name(exchange->plan.rung));
        note(exchange->reply, line);
    }
}

/* The pending reply is the answer. */
static void exchange_succeed(struct exchange *exchange)
{
    struct protocol_reply *from = &exchange->reader.reply;
    struct model_reply *to = exchange->reply;
    bool has_text = from->text.len > 0;
    buffer_clear(&to->text);
    buffer_append_str(&to->text, buffer_view(has_text ? &from->text : &from->reasoning));
    if (buffer_status(&to->text) == STATUS_NO_MEMORY) {
        error_set(&exchange->error, STATUS_NO_MEMORY, "out of memory");
        exchange_fail(exchange);
        return;
    }
    to->channel = has_text || from->reasoning.len == 0 ? from->channel : MODEL_CHANNEL_REASONING;
    to->finish = from->has_finish ? from->finish : MODEL_FINISH_UNKNOWN;
    if (exchange->verdict == WATCH_INVALID)
        to->finish = MODEL_FINISH_ABORTED;
    if (exchange->verdict == WATCH_RUNAWAY)
        to->finish = MODEL_FINISH_RUNAWAY;
    to->was_strict = exchange->plan.is_strict;
    copy_id(to->served_model, from->served_model);
    copy_id(to->request_id, from->id);
    note_surprises(exchange);
    if (protocol_reply_is_starved(from))
        note(to, "the limit of output tokens was used up by reasoning, before any text");
    exchange_memory_keep(exchange->options.memory, exchange->memory_key, &exchange->plan);
    if (exchange->options.retry_budget != NULL)
        retry_budget_reward(exchange->options.retry_budget);
    exchange->state = EXCHANGE_STATE_DONE;
    exchange_trace(exchange, "reply: %s, %zu bytes, %llu tokens in, %llu out%s",
                   from->finish_word[0] != '\0' ? from->finish_word : "no finish reason",
                   to->text.len, (unsigned long long)to->usage.input_tokens,
                   (unsigned long long)to->usage.output_tokens,
                   exchange->verdict == WATCH_INVALID   ? ", stopped: it could not become valid"
                   : exchange->verdict == WATCH_RUNAWAY ? ", stopped: it repeated itself"
                                                        : "");
}

/* Writes the request of the changed plan, or fails. */
static void exchange_send_changed(struct exchange *exchange, int64_t now_ms)
{
    exchange->attempt = 1;
    exchange->state = EXCHANGE_STATE_SENDING;
    if (exchange_write(exchange, now_ms, &exchange->error) != STATUS_OK)
        exchange_fail(exchange);
}

/* The strict form was required and the provider takes none of it. */
static void tell_no_strict(struct exchange *exchange, const struct provider_failure *failure)
{
    bool blames_form = failure->blame == FAILURE_BLAMES_STRICT;
    if (!blames_form || !exchange->request->require_strict)
        return;
    error_set(&exchange->error, STATUS_UNSUPPORTED,
              "%.*s does not take a schema to enforce for the model \"%.*s\"",
              (int)exchange->options.provider->id.len, exchange->options.provider->id.ptr,
              (int)exchange->options.model.len, exchange->options.model.ptr);
    error_hint(&exchange->error, "ask for it by prompt with --no-strict");
}

static void tell_failure(struct exchange *exchange, const struct provider_failure *failure)
{
    struct error *error = &exchange->error;
    tell_no_strict(exchange, failure);
    if (error->status != STATUS_OK)
        return;
    struct provider_failure told = *failure;
    if (told.http_status == 0 && told.kind == STATUS_TRANSPORT && told.param[0] == '\0')
        (void)snprintf(told.param, sizeof(told.param), "%.*s", (int)exchange->options.base_url.len,
                       exchange->options.base_url.ptr);
    provider_failure_tell(&told, exchange->options.provider->id,
                          exchange->options.provider->key_variable, error);
    if (exchange->options.show_values && failure->text[0] != '\0')
        error_hint(error, "the provider says: %s", failure->text);
    if (error->status == STATUS_OK)
        error_set(error, STATUS_INTERNAL, "the call failed without a kind");
}

static bool is_stale_connection(const struct exchange *exchange, const struct http_end *end)
{
    return end != NULL && end->outcome == HTTP_RESET && end->was_reused && !exchange->is_answered &&
           exchange->stale_count < EXCHANGE_STALE_MAX;
}

static void exchange_after_failure(struct exchange *exchange,
                                   const struct provider_failure *failure,
                                   const struct http_end *end, int64_t now_ms)
{
    const struct exchange_options *options = &exchange->options;
    const struct retry_policy *policy = options->retry != NULL ? options->retry : &default_policy;
    exchange_trace(exchange, "request %u failed: %s%s%s", exchange->requests,
                   status_name(failure->kind), failure->reason[0] != '\0' ? ", " : "",
                   failure->reason);
    if (exchange_plan_change(exchange, failure)) {
        exchange_trace(exchange, "asking again in another way: %s, schema %s%s",
                       provider_mechanism_name(exchange->plan.mechanism),
                       projection_rung_name(exchange->plan.rung),
                       exchange->plan.is_streamed ? "" : ", not streamed");
        exchange_send_changed(exchange, now_ms);
        return;
    }
    if (is_stale_connection(exchange, end)) {
        exchange->stale_count++;
        exchange->attempt--;
        exchange->until_ms = now_ms;
        exchange->state = EXCHANGE_STATE_WAITING;
        return;
    }
    if (retry_decide(policy, options->retry_budget, failure, exchange->attempt, options->rng,
                     now_ms, exchange->deadline_ms, &exchange->until_ms)) {
        exchange_trace(exchange, "trying again in %lld ms",
                       (long long)(exchange->until_ms - now_ms));
        exchange->state = EXCHANGE_STATE_WAITING;
        return;
    }
    if (end != NULL && end->outcome == HTTP_REPLAY_MISMATCH)
        (void)error_set(&exchange->error, failure->kind,
                        "%.*s: the recording has no such request: %s",
                        (int)options->provider->id.len, options->provider->id.ptr, end->detail);
    tell_failure(exchange, failure);
    exchange_fail(exchange);
}

/* ---- events ---- */

static bool is_pending(const struct exchange *exchange)
{
    return exchange->state == EXCHANGE_STATE_SENDING;
}

void exchange_on_head(struct exchange *exchange, const struct http_head *head)
{
    if (is_pending(exchange))
        protocol_reader_head(&exchange->reader, head);
}

bool exchange_on_body(struct exchange *exchange, struct str chunk, int64_t now_ms)
{
    (void)now_ms;
    if (!is_pending(exchange) || exchange->verdict != WATCH_GOES_ON)
        return false;
    exchange->is_answered = true;
    bool wants_more = protocol_reader_body(&exchange->reader, chunk);
    const struct buffer *text = &exchange->reader.reply.text;
    if (text->len > exchange->watched && !exchange->reader.reply.has_failure) {
        exchange->verdict = watch_feed(&exchange->watch, buffer_view(text), exchange->watched);
        exchange->watched = text->len;
    }
    bool is_ending = exchange->reader.reply.is_complete || exchange->reader.reply.has_finish;
    if (is_ending && exchange->verdict == WATCH_INVALID)
        exchange->verdict = WATCH_GOES_ON; /* nothing is left to be saved */
    return wants_more && exchange->verdict == WATCH_GOES_ON;
}

void exchange_on_end(struct exchange *exchange, const struct http_end *end, int64_t now_ms)
{
    struct provider_failure failure = { .kind = STATUS_OK, .retry_after_ms = -1 };
    if (!is_pending(exchange))
        return;
    exchange->requests++;
    if (exchange->verdict == WATCH_GOES_ON)
        protocol_reader_end(&exchange->reader, end, &failure);
    account(exchange);
    if (failure.kind == STATUS_OK)
        exchange_succeed(exchange);
    else
        exchange_after_failure(exchange, &failure, end, now_ms);
}

void exchange_on_start_failed(struct exchange *exchange, const struct error *error)
{
    if (!is_pending(exchange))
        return;
    exchange->error = *error;
    exchange_fail(exchange);
}

void exchange_on_time(struct exchange *exchange, int64_t now_ms)
{
    if (exchange->state != EXCHANGE_STATE_WAITING)
        return;
    exchange->attempt++;
    exchange->state = EXCHANGE_STATE_SENDING;
    if (exchange_write(exchange, now_ms, &exchange->error) != STATUS_OK)
        exchange_fail(exchange);
}

void exchange_on_stop(struct exchange *exchange, enum status why, bool was_sent)
{
    if (exchange->state == EXCHANGE_STATE_DONE || exchange->state == EXCHANGE_STATE_FAILED)
        return;
    if (is_pending(exchange) && was_sent) {
        exchange->requests++;
        account(exchange);
    }
    error_set(&exchange->error, why,
              why == STATUS_CANCELLED ? "the call was cancelled"
                                      : "the deadline of the call has passed");
    exchange_fail(exchange);
}

struct str exchange_take_text(struct exchange *exchange)
{
    const struct buffer *text = &exchange->reader.reply.text;
    struct str fresh = { text->ptr == NULL ? NULL : text->ptr + exchange->told,
                         text->len - exchange->told };
    exchange->told = text->len;
    return fresh;
}

/* engine.c - one call as a state machine: events in, actions out.
 *
 * Owns: the content loop, its counters, and how a call ends. Leaves to others: reading and judging
 * a reply (attempt.c), the words (prompt.c, feedback.c), the document that is printed (document.c).
 * Invariants: exactly one GENERATE is pending until the call ends; it ends once; a result with
 * status OK holds data that the validator accepted; nothing of a reply or of the prompt gets into
 * an error.
 */
#include "base/features.h"

#include "engine/engine.h"

#include "base/utf8.h"
#include "engine/answer.h"
#include "engine/call.h"
#include "engine/drift.h"
#include "engine/feedback.h"
#include "engine/order.h"
#include "engine/prompt.h"
#include "engine/text.h"
#include "engine/warning.h"
#include "model/runaway.h"

enum {
    FEEDBACK_BYTES_MAX = 64 << 10,
    TOKENS_AUTO_FACTOR = 8,   /* how much higher the limit is after a cut */
    RUNAWAY_KEPT_BYTES = 1024 /* of a reply that ran away, in the conversation */
};

#define WRAP_NAME   STR("value")
#define EMPTY_REPLY STR("(no text)")

/* ---- ends
 * -------------------------------------------------------------------------------------------- */

static void call_finish(struct engine_call *call, enum engine_status status)
{
    call->result.status = status;
    call->state = ENGINE_CALL_DONE;
}

/* The error is filled already, or says what status alone says. */
static void call_fail(struct engine_call *call, enum status status)
{
    call->state = ENGINE_CALL_FAILED;
    if (call->error.status != STATUS_OK)
        return;
    switch (status) {
    case STATUS_NO_MEMORY: error_set(&call->error, status, "out of memory"); return;
    case STATUS_CANCELLED: error_set(&call->error, status, "the call was cancelled"); return;
    case STATUS_DEADLINE:
        error_set(&call->error, status, "the deadline of the call has passed");
        return;
    case STATUS_OK:
    case STATUS_INVALID_REQUEST:
    case STATUS_INVALID_SCHEMA:
    case STATUS_UNKNOWN_SCHEMA:
    case STATUS_NOT_CONFIGURED:
    case STATUS_UNSUPPORTED:
    case STATUS_REJECTED:
    case STATUS_TRANSIENT:
    case STATUS_TRANSPORT:
    case STATUS_SCHEMA_VIOLATION:
    case STATUS_STORE:
    case STATUS_INTERNAL:
        error_set(&call->error, status == STATUS_OK ? STATUS_INTERNAL : status,
                  "the call failed (%s)", status_name(status));
        return;
    }
}

/* ---- life cycle
 * -------------------------------------------------------------------------------------- */

static enum status call_prepare(struct engine_call *call)
{
    const struct engine_request *request = &call->request;
    call->result.schema_origin = arena_copy(
        &call->arena, request->schema_origin.len > 0 ? request->schema_origin : STR("inline"));
    call->result.usage.model = arena_copy(&call->arena, call->info.name);
    if (call->result.schema_origin.ptr == NULL || call->result.usage.model.ptr == NULL)
        return STATUS_NO_MEMORY;
    if (request->policy == ENGINE_POLICY_LOOP)
        call->need_name =
            (struct str){ call->need_name_bytes,
                          engine_request_need_name(request->program, call->need_name_bytes) };
    enum status status = engine_prompt_source(request, &call->arena, &call->source_text);
    if (status == STATUS_OK)
        status = engine_conversation_begin(&call->conversation, &call->arena, request->turn_count);
    if (status != STATUS_OK)
        return status;
    return engine_prompt_build(&call->conversation, request, call->info.prompt_style,
                               call->need_name, call->source_text, call->alloc);
}

static uint32_t loops_of(const struct engine_request *request)
{
    if (request->policy == ENGINE_POLICY_ONCE)
        return ENGINE_ONCE_LOOPS;
    return request->loops_max == 0 ? LIMIT_LOOPS_DEFAULT : request->loops_max;
}

enum status engine_call_new(const struct engine_request *request, const struct model_info *info,
                            uint64_t call_id, const struct alloc *alloc,
                            struct engine_call **out_call, struct error *error)
{
    enum status status = engine_request_check(request, info, error);
    if (status != STATUS_OK)
        return status;
    struct engine_call *call = alloc_get(alloc, sizeof(*call));
    if (call == NULL)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    *call = (struct engine_call){ .alloc = alloc,
                                  .state = ENGINE_CALL_ASKING,
                                  .request = *request,
                                  .info = *info,
                                  .call_id = call_id,
                                  .loops_max = loops_of(request),
                                  .tokens_max = request->tokens_max == 0 ? LIMIT_TOKENS_DEFAULT
                                                                         : request->tokens_max };
    error_clear(&call->error);
    arena_init(&call->arena, alloc, ENGINE_CALL_ARENA_BYTES);
    engine_attempt_init(&call->attempts[0], alloc);
    engine_attempt_init(&call->attempts[1], alloc);
    status = call_prepare(call);
    if (status != STATUS_OK) {
        engine_call_free(call);
        return error_set(error, status, "out of memory");
    }
    *out_call = call;
    return STATUS_OK;
}

void engine_call_free(struct engine_call *call)
{
    if (call == NULL)
        return;
    json_doc_free(call->data);
    engine_attempt_release(&call->attempts[0]);
    engine_attempt_release(&call->attempts[1]);
    arena_release(&call->arena);
    alloc_free(call->alloc, call, sizeof(*call));
}

/* ---- actions
 * ----------------------------------------------------------------------------------------- */

static struct model_request call_request(const struct engine_call *call)
{
    return (struct model_request){ .call_id = call->call_id,
                                   .messages = call->conversation.messages,
                                   .message_count = call->conversation.count,
                                   .program = call->request.program,
                                   .need_name = call->need_name,
                                   .source_text = call->source_text,
                                   .grounded = call->request.grounded,
                                   .tokens_max = call->tokens_max,
                                   .temperature = call->request.temperature,
                                   .has_seed = call->request.has_seed,
                                   .seed = call->request.seed,
                                   .require_strict = call->request.require_strict,
                                   .refusals = call->refusals.items,
                                   .refusal_count = call->refusals.count };
}

struct engine_action engine_call_next(struct engine_call *call)
{
    struct engine_action action = { .kind = ENGINE_ACTION_FAILED };
    switch (call->state) {
    case ENGINE_CALL_ASKING:
        action.kind = ENGINE_ACTION_GENERATE;
        action.request = call_request(call);
        break;
    case ENGINE_CALL_DONE: action.kind = ENGINE_ACTION_DONE; break;
    case ENGINE_CALL_FAILED: break;
    }
    return action;
}

/* ---- one reply
 * --------------------------------------------------------------------------------------- */

static uint64_t add_saturated(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void call_charge(struct engine_call *call, const struct model_usage *usage)
{
    struct model_usage *sum = &call->result.usage.tokens;
    if (usage == NULL)
        return;
    call->result.usage.model_calls += usage->requests;
    sum->input_tokens = add_saturated(sum->input_tokens, usage->input_tokens);
    sum->output_tokens = add_saturated(sum->output_tokens, usage->output_tokens);
    sum->cached_input_tokens = add_saturated(sum->cached_input_tokens, usage->cached_input_tokens);
    sum->saved_output_tokens = add_saturated(sum->saved_output_tokens, usage->saved_output_tokens);
    sum->is_estimated = sum->is_estimated || usage->is_estimated;
    sum->requests = call->result.usage.model_calls;
    call->result.prompt_tokens = usage->input_tokens;
}

/* Who answered, and how it was asked. The projection is the model's until it is asked again. */
static enum status call_note_answer(struct engine_call *call, const struct model_reply *reply)
{
    struct engine_result *result = &call->result;
    enum status status = STATUS_OK;
    if (reply->served_model[0] != '\0' &&
        !str_equal(result->usage.model, str_from(reply->served_model)))
        result->usage.model = arena_copy(&call->arena, str_from(reply->served_model));
    result->request_id = arena_copy(&call->arena, str_from(reply->request_id));
    if (result->usage.model.ptr == NULL || result->request_id.ptr == NULL)
        return STATUS_NO_MEMORY;
    for (uint32_t i = 0; i < reply->note_count && status == STATUS_OK; i++)
        status = engine_warning_add_once(call, str_from(reply->notes[i]));
    if (status == STATUS_OK)
        status = engine_answer_report(reply, &call->arena, &result->projection);
    return status;
}

/* Why there was no room, when it can be told. */
static enum status reject_cut(struct engine_call *call, struct str text)
{
    const char *why = "";
    const char *hint = "raise the limit with --max-tokens (maxTokens)";
    if (engine_text_is_blank(text)) {
        why = " before any text came";
        hint = "raise the limit with --max-tokens (maxTokens): hidden reasoning counts as well";
    } else if (model_runaway_is_end_of(text)) {
        why = "; it repeated the same text without end";
        hint = "ask another model, or allow shorter values in the schema";
    }
    error_set(&call->error, STATUS_REJECTED,
              "output-limit: the reply was cut at the limit of %u tokens%s", call->tokens_max, why);
    error_hint(&call->error, "%s", hint);
    return STATUS_REJECTED;
}

/* The finish signal comes before the text: what was cut or refused is not read. */
static enum status check_finish(struct engine_call *call, const struct model_reply *reply)
{
    switch (reply->finish) {
    case MODEL_FINISH_STOP:
    case MODEL_FINISH_UNKNOWN:
    case MODEL_FINISH_ABORTED:
    case MODEL_FINISH_RUNAWAY: return STATUS_OK;
    case MODEL_FINISH_LENGTH: return reject_cut(call, buffer_view(&reply->text));
    case MODEL_FINISH_REFUSAL:
        return error_set(&call->error, STATUS_REJECTED, "refusal: the model refused to answer");
    case MODEL_FINISH_FILTER:
        return error_set(&call->error, STATUS_REJECTED,
                         "content-filter: the provider's content filter stopped the reply");
    }
    return STATUS_OK;
}

/* A reply that was cut is asked for once more with a higher limit, when the caller allowed it; it
 * takes no iteration. A repetition would only be longer. */
static bool call_ask_longer(struct engine_call *call, const struct model_reply *reply)
{
    if (reply->finish != MODEL_FINISH_LENGTH || !call->request.tokens_auto || call->was_cut ||
        model_runaway_is_end_of(buffer_view(&reply->text)))
        return false;
    call->was_cut = true;
    call->tokens_max = call->tokens_max > UINT32_MAX / TOKENS_AUTO_FACTOR
                           ? UINT32_MAX
                           : call->tokens_max * TOKENS_AUTO_FACTOR;
    return engine_warning_add(call,
                              "a reply was cut at its limit of tokens; it was asked for again with "
                              "a limit of %u",
                              call->tokens_max) == STATUS_OK;
}

static enum status take_data(struct engine_call *call, const struct engine_attempt *attempt)
{
    struct buffer text;
    struct json_options options = JSON_OPTIONS_DEFAULT;
    struct error error = { 0 };
    options.depth_max++; /* the wrapper of unwrap_root */
    options.nodes_max++;
    buffer_init(&text, call->alloc, LIMIT_JSON_BYTES);
    enum status status =
        engine_order_write(call->request.program, attempt->judged, call->alloc, &text);
    if (status == STATUS_OK)
        status = json_parse(buffer_view(&text), &options, call->alloc, &call->data, &error);
    buffer_release(&text);
    if (status == STATUS_NO_MEMORY)
        return status;
    if (status != STATUS_OK)
        return error_set(&call->error, STATUS_INTERNAL, "the data could not be read back");
    call->result.data = json_doc_root(call->data);
    if (call->request.unwrap_root)
        call->result.data = json_get(call->result.data, WRAP_NAME);
    return STATUS_OK;
}

static enum status call_accept(struct engine_call *call, const struct engine_attempt *attempt,
                               enum model_finish finish)
{
    enum status status = take_data(call, attempt);
    if (status == STATUS_OK && finish == MODEL_FINISH_UNKNOWN)
        status = engine_warning_add(
            call, "the provider gave no finish reason; the reply is whole and valid");
    if (status == STATUS_OK)
        status = engine_warning_of_data(call, call->result.data);
    if (status == STATUS_OK)
        call_finish(call, ENGINE_OK);
    return status;
}

static enum status call_ask_caller(struct engine_call *call, const struct engine_attempt *attempt)
{
    call->result.need = arena_copy(&call->arena, attempt->need);
    if (call->result.need.ptr == NULL)
        return STATUS_NO_MEMORY;
    call_finish(call, ENGINE_NEED_MORE_INPUT);
    return STATUS_OK;
}

/* The caller's schema was sent as the member "value": its pointers begin behind it. */
static struct str without_prefix(struct str pointer, struct str prefix)
{
    bool is_below = str_starts_with(pointer, prefix) &&
                    (pointer.len == prefix.len || pointer.ptr[prefix.len] == '/');
    return is_below ? engine_text_skip(pointer, prefix.len) : pointer;
}

static void unwrap_violations(const struct schema_violations *violations)
{
    for (uint32_t i = 0; i < violations->count; i++) {
        struct schema_violation *violation = &violations->items[i];
        violation->pointer = without_prefix(violation->pointer, STR("/value"));
        violation->schema_pointer =
            without_prefix(violation->schema_pointer, STR("/properties/value"));
    }
}

static enum status call_give_up_once(struct engine_call *call,
                                     const struct schema_violations *violations)
{
    struct buffer text;
    buffer_init(&text, call->alloc, ERROR_MESSAGE_BYTES);
    for (uint32_t i = 0; i < violations->count; i++) {
        buffer_append_str(&text, i == 0 ? STR("") : STR(", "));
        buffer_append_str(&text, violations->items[i].pointer);
        buffer_append_str(&text, STR(" ("));
        buffer_append_str(&text, violations->items[i].keyword);
        buffer_append_byte(&text, ')');
    }
    struct str view = buffer_view(&text);
    error_set(&call->error, STATUS_SCHEMA_VIOLATION,
              "the reply still did not conform to the schema after one repair: %.*s", (int)view.len,
              view.len > 0 ? view.ptr : "");
    if (violations->count > 0) {
        error_at_pointer(&call->error, violations->items[0].pointer);
        error_at_line(&call->error, violations->items[0].line, violations->items[0].column);
    }
    buffer_release(&text);
    return STATUS_SCHEMA_VIOLATION;
}

/* A reply that ran away is not shown at its length: models go on where they see repetition. */
static struct str shown_reply(const struct engine_attempt *attempt, struct str reply)
{
    if (engine_text_is_blank(reply))
        return EMPTY_REPLY;
    bool is_runaway = attempt->violations.count > 0 &&
                      str_equal(attempt->violations.items[0].keyword, STR("runaway"));
    return is_runaway ? utf8_prefix(reply, RUNAWAY_KEPT_BYTES) : reply;
}

/* Adds the refused reply and the reason, and makes room for them. */
static enum status call_repair(struct engine_call *call, const struct engine_attempt *attempt,
                               struct str reply)
{
    struct engine_conversation *conversation = &call->conversation;
    bool is_same = call->has_reply_before && str_equal(call->reply_before, reply);
    struct buffer text;
    enum status status = engine_conversation_add(conversation, MODEL_ROLE_ASSISTANT,
                                                 MODEL_PURPOSE_REPLY, shown_reply(attempt, reply));
    if (status != STATUS_OK)
        return status;
    call->reply_before = conversation->messages[conversation->count - 1].text;
    call->has_reply_before = true;
    status = engine_refusals_add(&call->refusals, &attempt->violations, &call->arena);
    if (status != STATUS_OK)
        return status;
    buffer_init(&text, call->alloc, FEEDBACK_BYTES_MAX);
    engine_feedback_write(&attempt->violations, is_same, &text);
    status = buffer_status(&text) == STATUS_OK
                 ? engine_conversation_add(conversation, MODEL_ROLE_USER, MODEL_PURPOSE_REASON,
                                           buffer_view(&text))
                 : STATUS_NO_MEMORY;
    buffer_release(&text);
    uint32_t shortened =
        engine_conversation_fit(conversation, call->info.context_tokens, call->tokens_max);
    if (status == STATUS_OK && shortened > 0)
        status =
            engine_warning_add(call,
                               "%u refused %s left out of the conversation before iteration %u to "
                               "keep within the model's context of %u tokens",
                               shortened, shortened == 1 ? "reply was" : "replies were",
                               call->result.iterations + 1, call->info.context_tokens);
    return status;
}

static enum status call_refuse(struct engine_call *call, const struct engine_attempt *attempt,
                               struct str reply)
{
    if (call->result.iterations < call->loops_max)
        return call_repair(call, attempt, reply);
    if (call->request.unwrap_root)
        unwrap_violations(&attempt->violations);
    if (call->request.policy == ENGINE_POLICY_ONCE)
        return call_give_up_once(call, &attempt->violations);
    call->result.violations = attempt->violations;
    call_finish(call, ENGINE_STALE);
    return STATUS_OK;
}

static void count_drift(struct engine_call *call, const struct engine_attempt *before,
                        const struct engine_attempt *attempt)
{
    if (before->verdict == ENGINE_VERDICT_REFUSED && attempt->verdict != ENGINE_VERDICT_NEED)
        call->result.usage.drift_count +=
            engine_drift_count(before->judged, &before->violations, attempt->judged);
}

/* The pointers of repairs are those of the data. */
static void unwrap_repairs(struct engine_ledger *ledger)
{
    for (uint32_t i = 0; i < ledger->count; i++)
        ledger->items[i].pointer = without_prefix(ledger->items[i].pointer, STR("/value"));
}

static enum status call_read(struct engine_call *call, const struct model_reply *reply)
{
    struct engine_question question = { &call->request, call->need_name };
    enum status status = check_finish(call, reply);
    if (status != STATUS_OK)
        return status;
    struct engine_attempt *before = &call->attempts[call->attempt_index];
    call->attempt_index = 1 - call->attempt_index;
    struct engine_attempt *attempt = &call->attempts[call->attempt_index];
    status = engine_attempt_judge(attempt, &question, reply, call->alloc, &call->error);
    if (status != STATUS_OK)
        return status;
    if (call->request.unwrap_root)
        unwrap_repairs(&attempt->ledger);
    call->result.repairs = attempt->ledger.items;
    call->result.repair_count = attempt->ledger.count;
    count_drift(call, before, attempt);
    switch (attempt->verdict) {
    case ENGINE_VERDICT_OK: return call_accept(call, attempt, reply->finish);
    case ENGINE_VERDICT_NEED: return call_ask_caller(call, attempt);
    case ENGINE_VERDICT_REFUSED: return call_refuse(call, attempt, buffer_view(&reply->text));
    case ENGINE_VERDICT_NONE: break;
    }
    return error_set(&call->error, STATUS_INTERNAL, "a reply was left without a verdict");
}

/* ---- events
 * ------------------------------------------------------------------------------------------ */

void engine_call_on_reply(struct engine_call *call, const struct model_reply *reply)
{
    if (call->state != ENGINE_CALL_ASKING)
        return;
    call_charge(call, &reply->usage);
    enum status status = call_note_answer(call, reply);
    if (status == STATUS_OK && call_ask_longer(call, reply))
        return;
    call->result.iterations++;
    if (status == STATUS_OK)
        status = call_read(call, reply);
    if (status != STATUS_OK)
        call_fail(call, status);
}

void engine_call_on_failure(struct engine_call *call, const struct error *error,
                            const struct model_usage *usage)
{
    if (call->state != ENGINE_CALL_ASKING)
        return;
    call_charge(call, usage);
    call->error = *error;
    call_fail(call, STATUS_INTERNAL);
}

void engine_call_on_stop(struct engine_call *call, enum status why)
{
    if (call->state == ENGINE_CALL_ASKING)
        call_fail(call, why);
}

const struct engine_result *engine_call_result(const struct engine_call *call)
{
    return call->state == ENGINE_CALL_DONE ? &call->result : NULL;
}

const struct error *engine_call_error(const struct engine_call *call)
{
    return call->state == ENGINE_CALL_FAILED ? &call->error : NULL;
}

const struct engine_usage *engine_call_usage(const struct engine_call *call)
{
    return &call->result.usage;
}

const struct schema_violations *engine_call_violations(const struct engine_call *call)
{
    const struct engine_attempt *attempt = &call->attempts[call->attempt_index];
    return attempt->verdict == ENGINE_VERDICT_REFUSED ? &attempt->violations : NULL;
}

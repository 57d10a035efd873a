/* failure.c - what a refusal means: its kind, its blame, whether and when to try again.
 *
 * Owns: the order of the judgement (money first, then the schema and parameters, then codes, then
 * the status) and the message. Leaves to others: the tables (failure_table.c), the shapes of bodies
 * (failure_body.c), heads and times (failure_time.c). Invariants: nothing about money is retried;
 * no text of the provider gets into a message but words that passed failure_copy_word.
 */
#include "base/features.h"

#include "provider/failure.h"

#include <stdio.h>

#include "base/utf8.h"
#include "provider/failure_parts.h"
#include "provider/failure_table.h"

/* ---- words ---- */

static bool byte_is_word(char byte)
{
    bool is_letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
    return is_letter || (byte >= '0' && byte <= '9') ||
           (byte != '\0' && strchr("_.:/-[]", byte) != NULL);
}

/* Keys of the known vendors begin so; a server that echoes one does it in its message, but who
 * knows. */
static bool word_is_key(struct str word)
{
    static const char *const prefixes[] = { "sk-", "sk_", "AIza", "gsk_", "xai-", "hf_", "Bearer" };
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        if (str_starts_with(word, str_from(prefixes[i])))
            return true;
    }
    return false;
}

void failure_copy_word(struct str word, char out[FAILURE_WORD_BYTES])
{
    size_t len = 0;
    out[0] = '\0';
    if (word.len >= FAILURE_WORD_BYTES || word_is_key(word))
        return;
    while (len < word.len && byte_is_word(word.ptr[len])) {
        out[len] = word.ptr[len];
        len++;
    }
    out[len] = '\0';
}

static void copy_text(struct str text, char *out, size_t out_size)
{
    size_t incomplete;
    text = str_of(text.ptr, text.len < out_size ? text.len : out_size - 1);
    text.len = utf8_valid_prefix(text, &incomplete);
    if (incomplete < text.len)
        text.len = incomplete;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        out[i] = (char)(byte < ' ' || byte == 0x7F ? ' ' : byte);
    }
    out[text.len] = '\0';
}

void provider_failure_set(struct provider_failure *failure, enum status kind, bool is_retryable,
                          const char *reason, struct str detail)
{
    *failure = (struct provider_failure){ .kind = kind,
                                          .is_retryable = is_retryable,
                                          .retry_after_ms = -1 };
    failure_copy_word(str_from(reason), failure->reason);
    failure_copy_word(detail, failure->param);
}

/* ---- judgement ---- */

enum { JUDGED_BYTES = 2048 };

/* What the judgement looks at. */
struct evidence {
    int http_status; /* of the head, or a number in place of a code; 0: none */
    struct str code, type;
    struct str param;
    bool schema_was_sent;
    bool says_when;
    char text[JUDGED_BYTES]; /* of the message, in lower case */
    size_t text_len;
};

static struct str evidence_text(const struct evidence *evidence)
{
    return str_of(evidence->text, evidence->text_len);
}

static int status_of_code(struct str code)
{
    if (code.len != 3 || code.ptr[0] < '3' || code.ptr[0] > '5')
        return 0;
    int value = 0;
    for (size_t i = 0; i < code.len; i++) {
        if (code.ptr[i] < '0' || code.ptr[i] > '9')
            return 0;
        value = value * 10 + (code.ptr[i] - '0');
    }
    return value;
}

static void evidence_gather(const struct failure_head *head, const struct provider_error_body *body,
                            bool schema_was_sent, struct evidence *out)
{
    memset(out, 0, sizeof(*out));
    out->http_status = head->http_status;
    out->schema_was_sent = schema_was_sent;
    out->says_when = head->retry_after_ms >= 0;
    if (body == NULL)
        return;
    out->code = body->code;
    out->type = body->type;
    out->param = body->param;
    out->says_when |= body->retry_after_ms >= 0;
    if (out->http_status == 0)
        out->http_status = status_of_code(body->code);
    for (size_t i = 0; i < body->message.len && out->text_len < sizeof(out->text); i++) {
        char byte = body->message.ptr[i];
        out->text[out->text_len++] = byte >= 'A' && byte <= 'Z' ? (char)(byte + 32) : byte;
    }
}

static bool meaning_is(const struct failure_meaning *meaning, const char *reason)
{
    return meaning != NULL && strcmp(meaning->reason, reason) == 0;
}

/* Statuses that say it all. */
static bool status_is_plain(int http_status)
{
    return http_status == 401 || http_status == 402 || http_status == 404 || http_status == 413 ||
           (http_status >= 300 && http_status < 400);
}

/* Statuses of a request that was looked at, or of a server that stumbled over it. */
static bool status_is_of_request(int http_status)
{
    return http_status == 400 || http_status == 422 || http_status == 500 || http_status == 0;
}

static const struct failure_meaning *judge_money(const struct evidence *evidence)
{
    const struct failure_meaning *code = failure_of_word(evidence->code);
    const struct failure_meaning *type = failure_of_word(evidence->type);
    if (meaning_is(code, "quota"))
        return code;
    if (meaning_is(type, "quota"))
        return type;
    const struct failure_meaning *text =
        failure_of_money(evidence_text(evidence), evidence->says_when);
    char word[FAILURE_WORD_BYTES];
    failure_copy_word(evidence->code, word);
    if (text == NULL && strstr(word, "PerDay") != NULL)
        text = failure_of_word(STR("insufficient_quota"));
    return text;
}

/* The meaning of the most specific word: code, type, a word inside of the message. */
static const struct failure_meaning *judge_words(const struct evidence *evidence)
{
    const struct failure_meaning *meaning = failure_of_word(evidence->code);
    if (meaning == NULL)
        meaning = failure_of_word(evidence->type);
    if (meaning == NULL)
        meaning = failure_of_word_in(evidence_text(evidence));
    return meaning;
}

static const struct failure_meaning meaning_schema = { STATUS_REJECTED, false,
                                                       FAILURE_BLAMES_SCHEMA, "schema" };
static const struct failure_meaning meaning_strict = { STATUS_REJECTED, false,
                                                       FAILURE_BLAMES_STRICT, "strict" };
static const struct failure_meaning meaning_parameter = { STATUS_REJECTED, false,
                                                          FAILURE_BLAMES_PARAMETER, "parameter" };
static const struct failure_meaning meaning_stream = { STATUS_REJECTED, false,
                                                       FAILURE_BLAMES_STREAM, "stream" };
static const struct failure_meaning meaning_inside = { STATUS_TRANSIENT, true,
                                                       FAILURE_BLAMES_NOTHING, "in-stream" };
static const struct failure_meaning meaning_status = { STATUS_TRANSPORT, false,
                                                       FAILURE_BLAMES_NOTHING, "status" };

/* A parameter that is named: the schema's own field, the stream, another one. */
static const struct failure_meaning *judge_param(const struct evidence *evidence,
                                                 const struct failure_meaning *word)
{
    bool is_refused = word != NULL && word->blame == FAILURE_BLAMES_PARAMETER;
    if (evidence->param.len == 0)
        return NULL;
    if (failure_param_is_schema(evidence->param)) {
        const struct failure_meaning *text = failure_of_fragment(evidence_text(evidence));
        if (!evidence->schema_was_sent)
            return NULL;
        bool is_strict = text != NULL && text->blame == FAILURE_BLAMES_STRICT;
        if (text != NULL && text->blame == FAILURE_BLAMES_STREAM)
            return text;
        return is_refused || is_strict ? &meaning_strict : &meaning_schema;
    }
    if (!is_refused && !failure_text_refuses(evidence_text(evidence)))
        return NULL;
    return str_equal(evidence->param, STR("stream")) ? &meaning_stream : &meaning_parameter;
}

/* What only the message tells. */
static const struct failure_meaning *judge_text(struct evidence *evidence)
{
    struct str text = evidence_text(evidence);
    const struct failure_meaning *meaning = failure_of_fragment(text);
    bool is_of_schema = meaning != NULL && meaning->blame != FAILURE_BLAMES_NOTHING;
    if (meaning != NULL && (!is_of_schema || evidence->schema_was_sent))
        return meaning;
    struct str param = failure_param_in(text);
    if (param.len > 0 && failure_text_refuses(text)) {
        evidence->param = param;
        return str_starts_with(param, STR("stream")) && !str_equal(param, STR("stream_options"))
                   ? &meaning_stream
                   : &meaning_parameter;
    }
    bool is_bare = text.len == 0 || failure_text_has(text, "contains an invalid argument");
    if (evidence->schema_was_sent && is_bare && str_equal(evidence->type, STR("INVALID_ARGUMENT")))
        return &meaning_schema;
    return NULL;
}

static const struct failure_meaning *judge(struct evidence *evidence)
{
    const struct failure_meaning *meaning = judge_money(evidence);
    const struct failure_meaning *word = judge_words(evidence);
    const struct failure_meaning *by_status = failure_of_status(evidence->http_status);
    if (meaning != NULL)
        return meaning;
    if (status_is_plain(evidence->http_status))
        return by_status;
    if (status_is_of_request(evidence->http_status)) {
        bool is_vague =
            word == NULL || meaning_is(word, "server") || word->blame == FAILURE_BLAMES_PARAMETER;
        meaning = judge_param(evidence, word);
        if (meaning == NULL && is_vague)
            meaning = judge_text(evidence);
    }
    if (meaning == NULL)
        meaning = word;
    if (meaning == NULL)
        meaning = by_status;
    if (meaning != NULL)
        return meaning;
    if (evidence->http_status != 0)
        return &meaning_status;
    return str_equal(evidence->type, STR("invalid_request_error")) ? failure_of_status(400)
                                                                   : &meaning_inside;
}

void provider_failure_classify(const struct failure_head *head,
                               const struct provider_error_body *body, bool schema_was_sent,
                               struct provider_failure *out_failure)
{
    struct evidence evidence;
    evidence_gather(head, body, schema_was_sent, &evidence);
    const struct failure_meaning *meaning = judge(&evidence);
    provider_failure_set(out_failure, meaning->kind, meaning->is_retryable, meaning->reason,
                         evidence.param);
    out_failure->blame = meaning->blame;
    out_failure->http_status = head->http_status;
    out_failure->retry_after_ms = head->retry_after_ms;
    memcpy(out_failure->request_id, head->request_id, sizeof(out_failure->request_id));
    failure_copy_word(evidence.code, out_failure->code);
    failure_copy_word(evidence.type, out_failure->type);
    if (body != NULL) {
        copy_text(body->message, out_failure->text, sizeof(out_failure->text));
        if (out_failure->retry_after_ms < 0)
            out_failure->retry_after_ms = body->retry_after_ms;
        if (out_failure->request_id[0] == '\0')
            failure_copy_word(body->request_id, out_failure->request_id);
    }
    if (meaning->kind == STATUS_TRANSIENT && head->should_retry == 0)
        out_failure->is_retryable = false;
    if (meaning_is(meaning, "request") && head->should_retry == 1) {
        out_failure->kind = STATUS_TRANSIENT;
        out_failure->is_retryable = true;
    }
}

void provider_failure_of_reply(const struct http_head *head, const struct provider_error_body *body,
                               bool schema_was_sent, struct provider_failure *out_failure)
{
    struct failure_head facts;
    failure_head_read(head, -1, &facts);
    provider_failure_classify(&facts, body, schema_was_sent, out_failure);
}

/* ---- transfers ---- */

void provider_failure_of_transfer(const struct http_end *end, bool was_answered,
                                  struct provider_failure *out_failure)
{
    enum status kind = STATUS_TRANSPORT;
    bool is_retryable = false;
    const char *reason = "";
    switch (end->outcome) {
    case HTTP_DONE:
    case HTTP_STOPPED: kind = STATUS_OK; break;
    case HTTP_UNREACHABLE: reason = "unreachable", is_retryable = true; break;
    case HTTP_TLS_FAILED: reason = "tls"; break;
    case HTTP_CONNECT_TIMEOUT: reason = "connect-timeout", is_retryable = true; break;
    case HTTP_FIRST_BYTE_TIMEOUT: reason = "first-byte-timeout", is_retryable = true; break;
    case HTTP_IDLE_TIMEOUT: reason = "idle-timeout", is_retryable = true; break;
    case HTTP_DEADLINE: reason = "deadline", kind = STATUS_DEADLINE; break;
    case HTTP_RESET: reason = was_answered ? "cut-off" : "reset", is_retryable = true; break;
    case HTTP_BODY_TOO_LARGE:
    case HTTP_HEAD_TOO_LARGE: reason = "too-large"; break;
    case HTTP_PROTOCOL: reason = "http"; break;
    case HTTP_NO_MEMORY: reason = "memory", kind = STATUS_NO_MEMORY; break;
    case HTTP_REPLAY_MISMATCH: reason = "replay", kind = STATUS_STORE; break;
    }
    provider_failure_set(out_failure, kind, is_retryable, reason, STR(""));
}

/* ---- words ---- */

enum { TOLD_BYTES = 384 };

/* ", name value" */
static void tell_fact(char *out, size_t out_size, const char *name, const char *value)
{
    size_t len = strlen(out);
    if (value[0] != '\0' && len < out_size)
        (void)snprintf(out + len, out_size - len, "%s%s %s", len == 0 ? "" : ", ", name, value);
}

void provider_failure_tell(const struct provider_failure *failure, struct str provider,
                           struct str key_variable, struct error *error)
{
    const struct failure_reason *reason = failure_reason_of(failure->reason);
    char facts[TOLD_BYTES] = "";
    char status[16] = "";
    if (failure->http_status != 0)
        (void)snprintf(status, sizeof(status), "%d", failure->http_status);
    tell_fact(facts, sizeof(facts), "HTTP", status);
    tell_fact(facts, sizeof(facts), "code", failure->code);
    if (strcmp(failure->type, failure->code) != 0)
        tell_fact(facts, sizeof(facts), "type", failure->type);
    tell_fact(facts, sizeof(facts), failure->http_status == 0 ? "at" : "parameter", failure->param);
    tell_fact(facts, sizeof(facts), "request", failure->request_id);
    (void)error_set(error, failure->kind, "%.*s: %s%s%s%s", (int)provider.len, provider.ptr,
                    reason->words, facts[0] == '\0' ? "" : " (", facts,
                    facts[0] == '\0' ? "" : ")");
    if (error == NULL || error->status != failure->kind)
        return;
    error->retry_after_ms = failure->retry_after_ms;
    bool is_of_key = strcmp(failure->reason, "authentication") == 0 ||
                     strcmp(failure->reason, "permission") == 0;
    if (is_of_key && key_variable.len > 0)
        error_hint(error, "check %.*s", (int)key_variable.len, key_variable.ptr);
    else if (reason->hint[0] != '\0')
        error_hint(error, "%s", reason->hint);
}

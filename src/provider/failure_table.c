/* failure_table.c - which words of a provider mean what.
 *
 * Owns: the tables, compiled 2026-11-30 from the vendors' pages on errors and from bug reports (see
 * docs/providers.md). Codes and types come first, status codes second; parts of messages only where
 * one code stands for several things. Leaves to others: order of the judgement (failure.c).
 * Invariant: a table says nothing about one provider alone that would be wrong for another.
 */
#include "base/features.h"

#include "provider/failure_table.h"

#define NO     STATUS_REJECTED, false, FAILURE_BLAMES_NOTHING
#define LATER  STATUS_TRANSIENT, true, FAILURE_BLAMES_NOTHING
#define SCHEMA STATUS_REJECTED, false, FAILURE_BLAMES_SCHEMA, "schema"
#define STRICT STATUS_REJECTED, false, FAILURE_BLAMES_STRICT, "strict"
#define PARAM  STATUS_REJECTED, false, FAILURE_BLAMES_PARAMETER, "parameter"
#define STREAM STATUS_REJECTED, false, FAILURE_BLAMES_STREAM, "stream"

static const struct failure_word words[] = {
    /* money */
    { "insufficient_quota", { NO, "quota" } },
    { "billing_error", { NO, "quota" } },
    { "billing_not_active", { NO, "quota" } },
    { "billing_hard_limit_reached", { NO, "quota" } },
    { "credit_balance_exhausted", { NO, "quota" } },
    { "credit_balance_too_low", { NO, "quota" } },
    { "insufficient_balance", { NO, "quota" } },
    { "insufficient_credits", { NO, "quota" } },
    { "insufficient_funds", { NO, "quota" } },
    { "payment_required", { NO, "quota" } },
    { "spend_limit_reached", { NO, "quota" } },
    { "spend_limit_exceeded", { NO, "quota" } },
    { "monthly_limit_exceeded", { NO, "quota" } },
    { "account_deactivated", { NO, "permission" } },
    { "access_terminated", { NO, "permission" } },

    /* later */
    { "rate_limit_error", { LATER, "rate-limit" } },
    { "rate_limit_exceeded", { LATER, "rate-limit" } },
    { "rate_limited", { LATER, "rate-limit" } },
    { "too_many_requests", { LATER, "rate-limit" } },
    { "requests", { LATER, "rate-limit" } },
    { "tokens", { LATER, "rate-limit" } },
    { "resource_exhausted", { LATER, "rate-limit" } },
    { "slow_down", { LATER, "overloaded" } },
    { "overloaded_error", { LATER, "overloaded" } },
    { "overloaded", { LATER, "overloaded" } },
    { "server_is_overloaded", { LATER, "overloaded" } },
    { "engine_overloaded", { LATER, "overloaded" } },
    { "capacity_exceeded", { LATER, "overloaded" } },
    { "unavailable", { LATER, "overloaded" } },
    { "unavailable_error", { LATER, "overloaded" } },
    { "service_unavailable", { LATER, "overloaded" } },
    { "service_unavailable_error", { LATER, "overloaded" } },
    { "model_loading", { LATER, "overloaded" } },
    { "api_error", { LATER, "server" } },
    { "server_error", { LATER, "server" } },
    { "internal", { LATER, "server" } },
    { "internal_error", { LATER, "server" } },
    { "internal_server_error", { LATER, "server" } },
    { "internalservererror", { LATER, "server" } },
    { "upstream_error", { LATER, "server" } },
    { "vector_store_timeout", { LATER, "timeout" } },
    { "timeout", { LATER, "timeout" } },
    { "timeout_error", { LATER, "timeout" } },
    { "request_timeout", { LATER, "timeout" } },
    { "deadline_exceeded", { LATER, "timeout" } },
    { "conflict_error", { LATER, "conflict" } },
    { "aborted", { LATER, "conflict" } },
    { "cancelled", { LATER, "server" } },
    { "json_validate_failed", { LATER, "output" } },
    { "tool_use_failed", { LATER, "output" } },

    /* never */
    { "authentication_error", { NO, "authentication" } },
    { "invalid_api_key", { NO, "authentication" } },
    { "api_key_invalid", { NO, "authentication" } },
    { "invalid_authentication", { NO, "authentication" } },
    { "unauthenticated", { NO, "authentication" } },
    { "unauthorized", { NO, "authentication" } },
    { "permission_error", { NO, "permission" } },
    { "permission_denied", { NO, "permission" } },
    { "unsupported_country_region_territory", { NO, "permission" } },
    { "forbidden", { NO, "permission" } },
    { "not_found_error", { NO, "not-found" } },
    { "not_found", { NO, "not-found" } },
    { "model_not_found", { NO, "not-found" } },
    { "deploymentnotfound", { NO, "not-found" } },
    { "notfounderror", { NO, "not-found" } },
    { "context_length_exceeded", { NO, "context" } },
    { "exceed_context_size_error", { NO, "context" } },
    { "string_above_max_length", { NO, "context" } },
    { "request_too_large", { NO, "too-long" } },
    { "content_filter", { NO, "content-filter" } },
    { "content_policy_violation", { NO, "content-filter" } },
    { "moderation", { NO, "content-filter" } },
    { "invalid_prompt", { NO, "content-filter" } },
    { "not_supported_error", { NO, "request" } },
    { "failed_precondition", { NO, "precondition" } },

    /* what the request holds */
    { "invalid_json_schema", { SCHEMA } },
    { "unsupported_keyword", { SCHEMA } },
    { "invalid_schema", { SCHEMA } },
    { "unsupported_parameter", { PARAM } },
    { "unknown_parameter", { PARAM } },
    { "unsupported_value", { PARAM } },
    { "extra_forbidden", { PARAM } },
};

/* Status codes of HTTP, and those that networks in front of servers made up. */
static const struct {
    int from, to;
    struct failure_meaning meaning;
} statuses[] = {
    { 300, 399, { STATUS_TRANSPORT, false, FAILURE_BLAMES_NOTHING, "redirect" } },
    { 401, 401, { NO, "authentication" } },
    { 402, 402, { NO, "quota" } },
    { 403, 403, { NO, "permission" } },
    { 404, 404, { NO, "not-found" } },
    { 408, 408, { LATER, "timeout" } },
    { 409, 409, { LATER, "conflict" } },
    { 413, 413, { NO, "too-long" } },
    { 424, 425, { LATER, "server" } },
    { 429, 429, { LATER, "rate-limit" } },
    { 451, 451, { NO, "content-filter" } },
    { 498, 499, { LATER, "server" } },
    { 400, 499, { NO, "request" } },
    { 501, 501, { NO, "request" } },
    { 505, 505, { NO, "request" } },
    { 503, 503, { LATER, "overloaded" } },
    { 504, 504, { LATER, "timeout" } },
    { 524, 524, { LATER, "timeout" } },
    { 529, 529, { LATER, "overloaded" } },
    { 500, 599, { LATER, "server" } },
};

static const struct failure_fragment money[] = {
    { "credit balance", NULL, { NO, "quota" } },
    { "insufficient balance", NULL, { NO, "quota" } },
    { "insufficient credit", NULL, { NO, "quota" } },
    { "insufficient fund", NULL, { NO, "quota" } },
    { "more credits", NULL, { NO, "quota" } },
    { "prepaid credit", NULL, { NO, "quota" } },
    { "prepayment credit", NULL, { NO, "quota" } },
    { "spend limit", NULL, { NO, "quota" } },
    { "spending limit", NULL, { NO, "quota" } },
    { "spend cap", NULL, { NO, "quota" } },
    { "spending cap", NULL, { NO, "quota" } },
    { "usage limit", "reached", { NO, "quota" } },
    { "usage limit", "regain access", { NO, "quota" } },
    { "billing", "not active", { NO, "quota" } },
    { "billing hard limit", NULL, { NO, "quota" } },
    { "payment required", NULL, { NO, "quota" } },
    { "perday", NULL, { NO, "quota" } },
};

/* Google says this of limits per minute as well, but then it says when. */
static const struct failure_fragment money_unless_told[] = {
    { "plan and billing details", NULL, { NO, "quota" } },
};

/* Of 400, 422 and 500, the first that fits. */
static const struct failure_fragment fragments[] = {
    { "maximum context length", NULL, { NO, "context" } },
    { "context length", "exceed", { NO, "context" } },
    { "context window", "exceed", { NO, "context" } },
    { "context size", "exceed", { NO, "context" } },
    { "prompt is too long", NULL, { NO, "context" } },
    { "input token count", "exceeds", { NO, "context" } },
    { "api key not valid", NULL, { NO, "authentication" } },
    { "api key expired", NULL, { NO, "authentication" } },
    { "streaming", "support", { STREAM } },
    { "json_schema", "not supported with this model", { STRICT } },
    { "json_schema", "is not supported by", { STRICT } },
    { "does not support", "json_schema", { STRICT } },
    { "does not support", "response_format", { STRICT } },
    { "does not support", "structured output", { STRICT } },
    { "does not support", "output_config", { STRICT } },
    { "response_format type is unavailable", NULL, { STRICT } },
    { "response_format", "not supported", { STRICT } },
    { "response_format", "must be", { STRICT } },
    { "has moved to", "text.format", { STRICT } },
    { "structured output", "not supported", { STRICT } },
    { "structured output", "not available", { STRICT } },
    { "output_config", "extra inputs are not permitted", { STRICT } },
    { "output_format", "extra inputs are not permitted", { STRICT } },
    { "json mode is not enabled", NULL, { STRICT } },
    { "tool_choice", "not supported", { STRICT } },
    { "too many states", NULL, { SCHEMA } },
    { "grammar", "too large", { SCHEMA } },
    { "grammar", "parse", { SCHEMA } },
    { "failed to parse grammar", NULL, { SCHEMA } },
    { "grammar compilation", NULL, { SCHEMA } },
    { "peg-native", NULL, { SCHEMA } },
    { "too many", "optional", { SCHEMA } },
    { "too many", "union", { SCHEMA } },
    { "schema", NULL, { SCHEMA } },
    { "additionalproperties", NULL, { SCHEMA } },
};

/* Names of fields that carry the schema: a blame of them, or of a place inside, is the schema's. */
static const char *const schema_params[] = {
    "response_format",
    "text.format",
    "output_config",
    "output_format",
    "tools",
    "generation_config.response_",
    "generationconfig.responseschema",
    "format",
    "generationconfig.responsejsonschema",
};

/* Other parameters that we send, and what rows send besides. */
static const char *const params[] = {
    "max_completion_tokens",
    "max_output_tokens",
    "max_tokens",
    "maxoutputtokens",
    "temperature",
    "top_p",
    "top_k",
    "seed",
    "stream_options",
    "stream",
    "store",
    "reasoning_effort",
    "reasoning",
    "cache_control",
    "thinking",
    "thinkingbudget",
    "thinkinglevel",
    "effort",
    "system_instruction",
    "systeminstruction",
    "parallel_tool_calls",
    "streaming",
};

static const char *const refusals[] = {
    "unsupported parameter",
    "unsupported value",
    "unknown parameter",
    "unknown name",
    "unknown field",
    "unrecognized",
    "not permitted",
    "not supported",
    "does not support",
    "is deprecated",
    "not allowed",
    "not enabled",
    "unexpected",
    "invalid parameter",
    "extra fields",
};

static const struct failure_reason reasons[] = {
    { "quota", "the account has no credit or quota left", "see the account's billing page" },
    { "rate-limit", "the rate limit was reached", "" },
    { "overloaded", "the provider is overloaded", "" },
    { "server", "the provider failed", "" },
    { "timeout", "the provider took too long", "" },
    { "conflict", "the provider was busy with a conflicting request", "" },
    { "output", "the provider refused what its own model wrote", "" },
    { "authentication", "the key was refused", "" },
    { "permission", "the key may not do this", "" },
    { "not-found", "there is no such model or path", "check the model's name and the base URL" },
    { "context", "the prompt is longer than the model's context", "shorten the text" },
    { "too-long", "the request is too large", "shorten the text" },
    { "content-filter", "the provider's content policy refused the prompt", "" },
    { "precondition", "the account does not meet a condition of the provider", "" },
    { "request", "the provider refused the request", "" },
    { "schema", "the provider does not take the schema", "" },
    { "strict", "the provider does not take a schema for the output",
      "allow an answer by prompt: --no-strict" },
    { "parameter", "the provider does not take a parameter", "" },
    { "stream", "the provider does not stream such a reply", "" },
    { "redirect", "the provider redirects to another address, which is never followed",
      "check the base URL" },
    { "status", "the reply has a status that is no answer", "check the base URL" },
    { "in-stream", "the provider failed while it was answering", "" },
    { "html", "the answer is a web page", "check the base URL" },
    { "protocol", "the answer is not of the provider's protocol",
      "check the base URL and the kind of provider" },
    { "damaged", "the answer is not JSON", "" },
    { "empty", "the answer is empty", "" },
    { "cut-off", "the answer was cut off before its end", "" },
    { "no-finish", "the answer ended without a finish signal", "" },
    { "too-large", "the answer is larger than the limit", "" },
    { "unreachable", "cannot connect", "check that the server runs, the network and the base URL" },
    { "tls", "no secure connection", "check the certificate; --ca-file FILE adds an authority" },
    { "connect-timeout", "connecting took too long", "" },
    { "first-byte-timeout", "no answer in time", "" },
    { "idle-timeout", "the answer stopped coming", "" },
    { "reset", "the connection broke", "" },
    { "http", "the answer is not HTTP, or cannot be decoded", "check the base URL" },
    { "deadline", "the time for the call ran out", "" },
    { "replay", "the recording has no such request", "" },
    { "memory", "out of memory", "" },
};

/* ---- looking things up ---- */

#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

static char lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte + ('a' - 'A')) : byte;
}

static bool word_is(struct str word, const char *lower_case)
{
    for (size_t i = 0; i < word.len; i++) {
        if (lower_case[i] == '\0' || lower(word.ptr[i]) != lower_case[i])
            return false;
    }
    return lower_case[word.len] == '\0';
}

bool failure_text_has(struct str text, const char *part)
{
    size_t len = strlen(part);
    for (size_t at = 0; at + len <= text.len; at++) {
        if (memcmp(text.ptr + at, part, len) == 0)
            return true;
    }
    return false;
}

const struct failure_meaning *failure_of_word(struct str word)
{
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        if (word_is(word, words[i].word))
            return &words[i].meaning;
    }
    return NULL;
}

const struct failure_meaning *failure_of_status(int http_status)
{
    for (size_t i = 0; i < COUNT_OF(statuses); i++) {
        if (http_status >= statuses[i].from && http_status <= statuses[i].to)
            return &statuses[i].meaning;
    }
    return NULL;
}

static const struct failure_meaning *find_fragment(const struct failure_fragment *table,
                                                   size_t count, struct str text)
{
    for (size_t i = 0; i < count; i++) {
        if (failure_text_has(text, table[i].fragment) &&
            (table[i].second == NULL || failure_text_has(text, table[i].second)))
            return &table[i].meaning;
    }
    return NULL;
}

const struct failure_meaning *failure_of_money(struct str text, bool says_when)
{
    const struct failure_meaning *meaning = find_fragment(money, COUNT_OF(money), text);
    if (meaning == NULL && !says_when)
        meaning = find_fragment(money_unless_told, COUNT_OF(money_unless_told), text);
    return meaning;
}

const struct failure_meaning *failure_of_word_in(struct str text)
{
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        size_t len = strlen(words[i].word);
        for (size_t at = 1; at + len < text.len; at++) {
            if (text.ptr[at - 1] == '"' && text.ptr[at + len] == '"' &&
                memcmp(text.ptr + at, words[i].word, len) == 0)
                return &words[i].meaning;
        }
    }
    return NULL;
}

const struct failure_meaning *failure_of_fragment(struct str text)
{
    return find_fragment(fragments, COUNT_OF(fragments), text);
}

static bool byte_is_of_name(char byte)
{
    bool is_letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
    return is_letter || (byte >= '0' && byte <= '9') || byte == '_';
}

bool failure_param_is_schema(struct str param)
{
    for (size_t i = 0; i < COUNT_OF(schema_params); i++) {
        size_t len = strlen(schema_params[i]);
        if (param.len < len || !word_is(str_of(param.ptr, len), schema_params[i]))
            continue;
        if (param.len == len || !byte_is_of_name(param.ptr[len]) ||
            schema_params[i][len - 1] == '_')
            return true;
    }
    return false;
}

/* Offset of name as a word of its own, or text.len. */
static size_t find_name(struct str text, const char *name)
{
    size_t len = strlen(name);
    for (size_t at = 0; at + len <= text.len; at++) {
        if (memcmp(text.ptr + at, name, len) == 0 &&
            (at == 0 || !byte_is_of_name(text.ptr[at - 1])) &&
            (at + len == text.len || !byte_is_of_name(text.ptr[at + len])))
            return at;
    }
    return text.len;
}

struct str failure_param_in(struct str text)
{
    struct str found = STR("");
    size_t first = text.len;
    for (size_t i = 0; i < COUNT_OF(params); i++) {
        size_t at = find_name(text, params[i]);
        if (at < first) {
            first = at;
            found = str_from(params[i]);
        }
    }
    return found;
}

bool failure_text_refuses(struct str text)
{
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        if (failure_text_has(text, refusals[i]))
            return true;
    }
    return false;
}

const struct failure_reason *failure_reason_of(const char *reason)
{
    static const struct failure_reason unknown = { "", "the call failed", "" };
    for (size_t i = 0; i < COUNT_OF(reasons); i++) {
        if (strcmp(reasons[i].reason, reason) == 0)
            return &reasons[i];
    }
    return &unknown;
}

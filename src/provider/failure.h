/* failure.h - what a provider's refusal means: its kind, whether trying again can help, and when.
 *
 * Owns: the classification by status code and by the error's own type and code, Retry-After in all
 * its forms, and the message: code, type, parameter and request id, never the provider's text.
 * Which codes mean what is a table in the file, with its source.
 */
#ifndef STRUCTURE_PROVIDER_FAILURE_H
#define STRUCTURE_PROVIDER_FAILURE_H

#include "json/json.h"
#include "net/http.h"

enum { FAILURE_WORD_BYTES = 96, FAILURE_TEXT_BYTES = 1024 };

/* What a failure blames; decides the next request. */
enum failure_blame {
    FAILURE_BLAMES_NOTHING,
    FAILURE_BLAMES_SCHEMA, /* too complex, unknown keyword, bare INVALID_ARGUMENT: a simpler form */
    FAILURE_BLAMES_STRICT, /* the schema field itself is not taken: by prompt, where allowed */
    FAILURE_BLAMES_PARAMETER, /* `param` names a parameter that can be left out or renamed */
    FAILURE_BLAMES_STREAM     /* not together with streaming */
};

struct provider_failure {
    enum status kind;  /* REJECTED, TRANSIENT, TRANSPORT, NOT_CONFIGURED, ...; OK: none */
    bool is_retryable; /* the same request may succeed later */
    enum failure_blame blame;
    int64_t retry_after_ms;        /* minimum; -1: the provider did not say */
    int http_status;               /* 0: not from a status line */
    char type[FAILURE_WORD_BYTES]; /* words of the provider: only [A-Za-z0-9_.:/-] are kept */
    char code[FAILURE_WORD_BYTES];
    char param[FAILURE_WORD_BYTES];
    char request_id[FAILURE_WORD_BYTES];
    char reason[FAILURE_WORD_BYTES]; /* ours: "quota", "authentication", "rate-limit", ... */
    char text[FAILURE_TEXT_BYTES];   /* the provider's message, for --show-values alone */
};

/* What an error reader of a protocol found in a body or in an error event. Views into it. */
struct provider_error_body {
    struct str type, code, param, message, request_id;
    int64_t retry_after_ms; /* google.rpc.RetryInfo; -1 */
    bool is_understood;     /* the body had the protocol's form */
};

/* What the head of a reply says about its failure. */
struct failure_head {
    int http_status; /* 0: there was none, or it was 200 and the error stood inside */
    int64_t retry_after_ms;
    int should_retry; /* x-should-retry: 1, 0, or -1 when it was not there */
    char request_id[FAILURE_WORD_BYTES];
};

/* wall_ms: milliseconds since 1970, for dates; -1: unknown. head may be NULL. */
void failure_head_read(const struct http_head *head, int64_t wall_ms, struct failure_head *out);

/* Finds these members in any of the known shapes: {"error": {...}}, {"error": "text"}, [{...}], an
 * error that is JSON inside a string, {"type": "error", ...}; {"detail": ...}, {"message": ...}.
 * One reader for all protocols. */
void provider_error_read(struct json body, struct provider_error_body *out_body);

/* From a reply with an error status, or from an error inside of a reply with status 200
 * (http_status 0: *body alone). body NULL: there was none that could be read. schema_was_sent: what
 * the request held. */
void provider_failure_classify(const struct failure_head *head,
                               const struct provider_error_body *body, bool schema_was_sent,
                               struct provider_failure *out_failure);
/* The same from a head as it came; NULL: none. */
void provider_failure_of_reply(const struct http_head *head, const struct provider_error_body *body,
                               bool schema_was_sent, struct provider_failure *out_failure);

/* A failure of our own finding: reason is one of failure_table.c, detail (may be empty) a member or
 * a word, which is cleaned and becomes param. */
void provider_failure_set(struct provider_failure *failure, enum status kind, bool is_retryable,
                          const char *reason, struct str detail);

/* From a transfer that did not end well. TRANSPORT or DEADLINE. was_answered: bytes of a reply had
 * come already (a repetition is then a new attempt, nothing is appended). */
void provider_failure_of_transfer(const struct http_end *end, bool was_answered,
                                  struct provider_failure *out_failure);

/* Retry-After: seconds, a date (IMF-fixdate; needs the wall clock), retry-after-ms, RetryInfo.
 * Milliseconds, or -1 when there is none or it makes no sense. */
int64_t provider_retry_after_ms(const struct http_head *head, int64_t wall_ms);

/* The words of an error: kind, message, hint. provider: id of the row; key_variable for 401. */
void provider_failure_tell(const struct provider_failure *failure, struct str provider,
                           struct str key_variable, struct error *error);

#endif

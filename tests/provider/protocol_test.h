/* protocol_test.h - what the tests of the four protocols share: calls, replies, splits and cuts.
 *
 * Fixtures are written with ' where JSON has ", so that they can be read. A reply's outcome is told
 * in one line, which the tables expect: "ok FINISH CHANNEL [FLAG...] |TEXT| IN/OUT/CACHED", or
 * "KIND REASON retry|final [BLAME] [at PARAM]".
 */
#ifndef STRUCTURE_PROTOCOL_TEST_H
#define STRUCTURE_PROTOCOL_TEST_H

#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "provider/protocol.h"
#include "test_alloc.h"

#define EVENT(name, data) "event: " name "\ndata: " data "\n\n"
#define DATA(data)        "data: " data "\n\n"

/* STR where a constant is wanted. */
#define FIXED(literal)                                                                             \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

enum { OUTCOME_BYTES = 2048, REPLY_TEXT_MAX = 64 * 1024 };

/* Whether a fixture is a stream; what was asked for. */
enum reply_ask { ASK_STREAM, ASK_DOCUMENT, ASK_TOOL };

struct reply_case {
    const char *label;
    enum reply_ask ask;
    int status; /* of HTTP; 0: 200 */
    const char *body;
    const char *outcome;
};

struct test_text {
    char *ptr;
    size_t len;
};

/* A copy with " for '. Free ptr. */
static inline struct test_text test_quote(const char *text)
{
    struct test_text quoted = { strdup(text), strlen(text) };
    assert_non_null(quoted.ptr);
    for (size_t i = 0; i < quoted.len; i++) {
        if (quoted.ptr[i] == '\'')
            quoted.ptr[i] = '"';
    }
    return quoted;
}

static inline struct json_doc *test_json(const char *text)
{
    struct json_doc *doc = NULL;
    struct test_text quoted = test_quote(text);
    assert_int_equal(json_parse(str_of(quoted.ptr, quoted.len), NULL, alloc_default(), &doc, NULL),
                     STATUS_OK);
    free(quoted.ptr);
    return doc;
}

static inline const char *finish_name(enum model_finish finish)
{
    static const char *const names[] = { "stop",    "length",  "refusal", "filter",
                                         "unknown", "aborted", "runaway" };
    return names[finish];
}

static inline const char *blame_name(enum failure_blame blame)
{
    static const char *const names[] = { "", " schema", " strict", " parameter", " stream" };
    return names[blame];
}

static inline void tell_failure(const struct provider_failure *failure, char out[OUTCOME_BYTES])
{
    (void)snprintf(out, OUTCOME_BYTES, "%s %s %s%s%s%s", status_name(failure->kind),
                   failure->reason, failure->is_retryable ? "retry" : "final",
                   blame_name(failure->blame), failure->param[0] == '\0' ? "" : " at ",
                   failure->param);
}

static inline void tell_reply(const struct protocol_reply *reply, char out[OUTCOME_BYTES])
{
    static const char *const channels[] = { "text", "tool", "reasoning" };
    (void)snprintf(
        out, OUTCOME_BYTES, "ok %s%s %s%s%s%s |%.*s| %llu/%llu/%llu", finish_name(reply->finish),
        reply->has_finish ? "" : "?", channels[reply->channel],
        reply->has_second_choice ? " second" : "", reply->tool_was_absent ? " absent" : "",
        protocol_reply_is_starved(reply) ? " starved" : "", (int)reply->text.len,
        reply->text.len == 0 ? "" : reply->text.ptr, (unsigned long long)reply->usage.input_tokens,
        (unsigned long long)reply->usage.output_tokens,
        (unsigned long long)reply->usage.cached_input_tokens);
}

/* A call that asks as a case says. */
static inline struct protocol_call test_call(const struct provider_row *provider,
                                             const struct provider_model *model, enum reply_ask ask)
{
    return (struct protocol_call){
        .provider = provider,
        .model_row = model,
        .model = STR("m"),
        .base_url = STR("http://127.0.0.1"),
        .mechanism = ask == ASK_TOOL ? PROVIDER_BY_TOOL : PROVIDER_BY_SCHEMA,
        .schema = STR("{}"),
        .schema_name = STR("answer"),
        .temperature = -1,
        .is_streamed = ask != ASK_DOCUMENT,
    };
}

/* Feeds the pieces of a body ([0, split), then pieces of step bytes up to end) and tells the
 * outcome. */
struct test_run {
    enum provider_protocol protocol;
    const struct reply_case *with;
    struct str body;
    size_t split, step;
    size_t end;
    enum http_outcome how;
    const struct alloc *alloc;
};

static inline void test_read(const struct test_run *run, char out[OUTCOME_BYTES])
{
    const struct provider_row row = { .id = STR("p"), .protocol = run->protocol };
    const struct provider_model model = { .pattern = STR("*") };
    const struct protocol_call call = test_call(&row, &model, run->with->ask);
    const struct http_header headers[] = { { STR("content-type"), STR("text/plain"), false } };
    const struct http_head head = { run->with->status == 0 ? 200 : run->with->status, headers, 1 };
    const struct http_end end = { .outcome = run->how, .was_sent = true, .detail = "" };
    struct protocol_reader reader;
    struct provider_failure failure;
    bool goes_on = true;
    assert_int_equal(protocol_reader_init(&reader, &call, REPLY_TEXT_MAX, run->alloc), STATUS_OK);
    protocol_reader_head(&reader, &head);
    for (size_t at = 0; at < run->end && goes_on;) {
        size_t len = at < run->split ? run->split - at : run->step;
        len = len < run->end - at ? len : run->end - at;
        goes_on = protocol_reader_body(&reader, str_of(run->body.ptr + at, len));
        at += len;
    }
    protocol_reader_end(&reader, &end, &failure);
    assert_int_equal(reader.reply.has_failure, failure.kind != STATUS_OK);
    assert_int_equal(reader.reply.is_complete, failure.kind == STATUS_OK);
    if (failure.kind == STATUS_OK)
        tell_reply(&reader.reply, out);
    else
        tell_failure(&failure, out);
    protocol_reader_release(&reader);
}

/* Up to the bar after the text: what a cut after the end may not change. */
static inline size_t outcome_text_len(const char *outcome)
{
    const char *bar = strrchr(outcome, '|');
    return bar == NULL ? strlen(outcome) : (size_t)(bar - outcome);
}

/* Whole, split everywhere, byte by byte; cut everywhere, by a reset and by a good end: what then
 * counts as a reply is the reply. */
static inline void check_reply(enum provider_protocol protocol, const struct reply_case *with)
{
    char whole[OUTCOME_BYTES];
    char other[OUTCOME_BYTES];
    struct test_text body = test_quote(with->body);
    struct test_run run = { protocol, with,      { body.ptr, body.len }, 0, SIZE_MAX,
                            body.len, HTTP_DONE, alloc_default() };
    struct test_text expected = test_quote(with->outcome);
    test_read(&run, whole);
    if (strcmp(whole, expected.ptr) != 0)
        fail_msg("%s: is      %s\n    expected %s", with->label, whole, expected.ptr);
    for (run.split = 1; run.split < body.len; run.split++) {
        test_read(&run, other);
        if (strcmp(whole, other) != 0)
            fail_msg("%s: split at %zu: %s, not %s", with->label, run.split, other, whole);
    }
    run.split = 0;
    run.step = 1;
    test_read(&run, other);
    assert_string_equal(whole, other);
    run.step = SIZE_MAX;
    for (run.end = 0; run.end < body.len; run.end++) {
        for (int good = 0; good < 2; good++) {
            run.how = good != 0 ? HTTP_DONE : HTTP_RESET;
            test_read(&run, other);
            size_t len = outcome_text_len(whole);
            if (strncmp(other, "ok ", 3) == 0 && strncmp(other, whole, len) != 0)
                fail_msg("%s: cut at %zu: %s, not %s", with->label, run.end, other, whole);
        }
    }
    free(body.ptr);
    free(expected.ptr);
}

static inline void check_replies(enum provider_protocol protocol, const struct reply_case *cases,
                                 size_t count)
{
    for (size_t i = 0; i < count; i++)
        check_reply(protocol, &cases[i]);
}

/* Any failing allocation: the same outcome, or the failure. */
struct test_memory_context {
    enum provider_protocol protocol;
    const struct reply_case *with;
    struct str body;
    const char *expected;
};

static inline void memory_scenario(struct test_alloc *test, void *context)
{
    const struct test_memory_context *with = context;
    char outcome[OUTCOME_BYTES];
    struct test_run run = { with->protocol, with->with,     with->body, 0,
                            SIZE_MAX,       with->body.len, HTTP_DONE,  &test->alloc };
    test_read(&run, outcome);
    if (strcmp(outcome, "internal memory final") != 0)
        assert_memory_equal(outcome, with->expected, outcome_text_len(with->expected));
    else
        assert_true(test->failures > 0);
    test_alloc_assert_empty(test);
}

static inline void check_memory(enum provider_protocol protocol, const struct reply_case *with)
{
    struct test_text body = test_quote(with->body);
    struct test_text expected = test_quote(with->outcome);
    struct test_memory_context context = { protocol, with, { body.ptr, body.len }, expected.ptr };
    test_alloc_failures(memory_scenario, &context);
    free(body.ptr);
    free(expected.ptr);
}

/* ---- requests ---- */

struct request_case {
    const char *label;
    struct protocol_call call; /* without provider and row */
    unsigned parameters;
    const char *limit_name;
    const char *extra; /* JSON with ', or NULL */
    const char *body;  /* expected */
};

static inline void check_request(enum provider_protocol protocol, const struct request_case *with)
{
    struct provider_row row = { .id = STR("p"), .protocol = protocol };
    struct provider_model model = { .pattern = STR("*"), .parameters = with->parameters };
    struct json_doc *extra = with->extra == NULL ? NULL : test_json(with->extra);
    struct protocol_request request;
    struct protocol_call call = with->call;
    struct test_text expected = test_quote(with->body);
    model.output_limit_name = str_from(with->limit_name);
    if (extra != NULL)
        model.extra = json_doc_root(extra);
    call.provider = &row;
    call.model_row = &model;
    if (call.base_url.len == 0)
        call.base_url = STR("https://host");
    if (call.model.len == 0)
        call.model = STR("m");
    if (call.tokens_max == 0)
        call.tokens_max = 100;
    if (call.temperature <= 0)
        call.temperature = -1;
    call.schema_name = STR("answer");
    protocol_request_init(&request, alloc_default());
    protocol_write(&call, &request);
    assert_int_equal(buffer_status(&request.url), STATUS_OK);
    assert_int_equal(buffer_status(&request.body), STATUS_OK);
    if (!str_equal(buffer_view(&request.body), str_of(expected.ptr, expected.len)))
        fail_msg("%s: is\n%.*s\nexpected\n%s", with->label, (int)request.body.len, request.body.ptr,
                 expected.ptr);
    struct json_doc *doc = NULL;
    assert_int_equal(json_parse(buffer_view(&request.body), NULL, alloc_default(), &doc, NULL),
                     STATUS_OK);
    json_doc_free(doc);
    protocol_request_release(&request);
    json_doc_free(extra);
    free(expected.ptr);
}

#endif

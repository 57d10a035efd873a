/* test_failure.c - what a provider's refusal means, when it may be tried again, and what is told.
 */
#include "base/features.h"

#include "test.h"

#include "provider/failure.h"
#include "provider/retry.h"

struct refusal {
    int status;
    const char *header, *value; /* one header line; NULL: none */
    const char *body;           /* with ' for "; NULL: none */
    enum status kind;
    const char *reason;
    bool is_retryable;
    enum failure_blame blame;
    int64_t retry_after_ms;
};

#define WALL_MS 1796083200000 /* 2026-12-01T00:00:00Z */

static const struct refusal refusals[] = {
    { 400, NULL, NULL, "{'error':{'type':'invalid_request_error','message':'prompt is too long'}}",
      STATUS_REJECTED, "context", false, FAILURE_BLAMES_NOTHING, -1 },
    { 400, NULL, NULL, "{'error':{'type':'invalid_request_error','message':'x'}}", STATUS_REJECTED,
      "request", false, FAILURE_BLAMES_NOTHING, -1 },
    { 400, NULL, NULL,
      "{'error':{'type':'invalid_request_error','message':'Your credit balance is too low'}}",
      STATUS_REJECTED, "quota", false, FAILURE_BLAMES_NOTHING, -1 },
    { 400, NULL, NULL,
      "{'error':{'message':'Unsupported parameter','type':'invalid_request_error',"
      "'param':'max_tokens','code':'unsupported_parameter'}}",
      STATUS_REJECTED, "parameter", false, FAILURE_BLAMES_PARAMETER, -1 },
    { 401, NULL, NULL, NULL, STATUS_REJECTED, "authentication", false, FAILURE_BLAMES_NOTHING, -1 },
    { 402, NULL, NULL, NULL, STATUS_REJECTED, "quota", false, FAILURE_BLAMES_NOTHING, -1 },
    { 403, NULL, NULL, NULL, STATUS_REJECTED, "permission", false, FAILURE_BLAMES_NOTHING, -1 },
    { 404, NULL, NULL, NULL, STATUS_REJECTED, "not-found", false, FAILURE_BLAMES_NOTHING, -1 },
    { 408, NULL, NULL, NULL, STATUS_TRANSIENT, "timeout", true, FAILURE_BLAMES_NOTHING, -1 },
    { 409, NULL, NULL, NULL, STATUS_TRANSIENT, "conflict", true, FAILURE_BLAMES_NOTHING, -1 },
    { 413, NULL, NULL, "<html>", STATUS_REJECTED, "too-long", false, FAILURE_BLAMES_NOTHING, -1 },
    { 429, NULL, NULL, NULL, STATUS_TRANSIENT, "rate-limit", true, FAILURE_BLAMES_NOTHING, -1 },
    { 429, "retry-after", "2", NULL, STATUS_TRANSIENT, "rate-limit", true, FAILURE_BLAMES_NOTHING,
      2000 },
    { 429, "Retry-After", "0", NULL, STATUS_TRANSIENT, "rate-limit", true, FAILURE_BLAMES_NOTHING,
      0 },
    { 429, "Retry-After-Ms", "350", NULL, STATUS_TRANSIENT, "rate-limit", true,
      FAILURE_BLAMES_NOTHING, 350 },
    { 429, "retry-after", "Tue, 01 Dec 2026 00:00:30 GMT", NULL, STATUS_TRANSIENT, "rate-limit",
      true, FAILURE_BLAMES_NOTHING, 30000 },
    { 429, "retry-after", "Mon, 30 Nov 2026 00:00:00 GMT", NULL, STATUS_TRANSIENT, "rate-limit",
      true, FAILURE_BLAMES_NOTHING, 0 },
    { 429, "retry-after", "soon", NULL, STATUS_TRANSIENT, "rate-limit", true,
      FAILURE_BLAMES_NOTHING, -1 },
    { 429, "retry-after", "-5", NULL, STATUS_TRANSIENT, "rate-limit", true, FAILURE_BLAMES_NOTHING,
      -1 },
    { 429, "retry-after", "99999999999999999999", NULL, STATUS_TRANSIENT, "rate-limit", true,
      FAILURE_BLAMES_NOTHING, 86400000 },
    { 429, NULL, NULL, "{'error':{'code':'insufficient_quota','message':'x'}}", STATUS_REJECTED,
      "quota", false, FAILURE_BLAMES_NOTHING, -1 },
    { 429, NULL, NULL,
      "{'error':{'code':429,'status':'RESOURCE_EXHAUSTED','details':[{'@type':"
      "'type.googleapis.com/google.rpc.RetryInfo','retryDelay':'7s'}]}}",
      STATUS_TRANSIENT, "rate-limit", true, FAILURE_BLAMES_NOTHING, 7000 },
    { 429, "x-should-retry", "false", NULL, STATUS_TRANSIENT, "rate-limit", false,
      FAILURE_BLAMES_NOTHING, -1 },
    { 500, NULL, NULL, NULL, STATUS_TRANSIENT, "server", true, FAILURE_BLAMES_NOTHING, -1 },
    { 503, NULL, NULL, "{'error':{'code':'server_is_overloaded'}}", STATUS_TRANSIENT, "overloaded",
      true, FAILURE_BLAMES_NOTHING, -1 },
    { 529, NULL, NULL, "{'type':'error','error':{'type':'overloaded_error'}}", STATUS_TRANSIENT,
      "overloaded", true, FAILURE_BLAMES_NOTHING, -1 },
    { 307, NULL, NULL, NULL, STATUS_TRANSPORT, "redirect", false, FAILURE_BLAMES_NOTHING, -1 },
    { 400, NULL, NULL,
      "{'error':{'code':'invalid_json_schema','param':'text.format.schema','message':'x'}}",
      STATUS_REJECTED, "schema", false, FAILURE_BLAMES_SCHEMA, -1 },
};

static struct json_doc *parse(const char *body)
{
    char text[1024];
    struct json_doc *doc = NULL;
    size_t len = body == NULL ? 0 : strlen(body);
    assert_true(len < sizeof(text));
    for (size_t i = 0; i < len; i++)
        text[i] = body[i] == '\'' ? '"' : body[i];
    (void)json_parse(str_of(text, len), NULL, alloc_default(), &doc, NULL);
    return doc;
}

static void classify(const struct refusal *with, struct provider_failure *out)
{
    const struct http_header header = { str_from(with->header), str_from(with->value), false };
    const struct http_head head = { with->status, &header, with->header != NULL };
    struct json_doc *doc = parse(with->body);
    struct provider_error_body body = { .retry_after_ms = -1 };
    struct failure_head read;
    failure_head_read(&head, WALL_MS, &read);
    if (doc != NULL)
        provider_error_read(json_doc_root(doc), &body);
    provider_failure_classify(&read, doc == NULL ? NULL : &body, true, out);
    json_doc_free(doc);
}

static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        const struct refusal *with = &refusals[i];
        struct provider_failure failure;
        classify(with, &failure);
        bool same = failure.kind == with->kind && strcmp(failure.reason, with->reason) == 0 &&
                    failure.is_retryable == with->is_retryable && failure.blame == with->blame &&
                    failure.retry_after_ms == with->retry_after_ms;
        if (!same)
            print_error("row %zu (%d %s %s): kind %d, %s, retry %d, blame %d, after %lld\n", i,
                        with->status, with->value == NULL ? "" : with->value,
                        with->body == NULL ? "" : with->body, (int)failure.kind, failure.reason,
                        failure.is_retryable, (int)failure.blame,
                        (long long)failure.retry_after_ms);
        assert_true(same);
    }
}

/* What is told holds codes, never the provider's sentences. */
static void test_what_is_told(void **state)
{
    const struct refusal with = {
        429,
        NULL,
        NULL,
        "{'error':{'type':'rate_limit_error','code':'rate_limit_exceeded',"
        "'message':'MARK of the text'}}",
        STATUS_TRANSIENT,
        "rate-limit",
        true,
        FAILURE_BLAMES_NOTHING,
        -1
    };
    struct provider_failure failure;
    struct error error = { 0 };
    (void)state;
    classify(&with, &failure);
    error_clear(&error);
    provider_failure_tell(&failure, STR("openai"), STR("OPENAI_API_KEY"), &error);
    assert_int_equal(error.status, STATUS_TRANSIENT);
    assert_non_null(strstr(error.message, "openai"));
    assert_non_null(strstr(error.message, "429"));
    assert_non_null(strstr(error.message, "rate_limit_exceeded"));
    assert_null(strstr(error.message, "MARK"));
    assert_null(strstr(error.hint, "MARK"));
}

/* ---- when to try again ---- */

static const struct retry_policy policy = { 4, 100, 1000 };

static void test_jitter_is_full_and_bounded(void **state)
{
    struct rng_seeded word;
    struct rng rng = rng_from_seed(&word, 1);
    struct provider_failure failure = { .is_retryable = true, .retry_after_ms = -1 };
    static const int64_t spans[] = { 100, 200, 400 };
    (void)state;
    for (uint32_t attempt = 1; attempt <= 3; attempt++) {
        int64_t least = INT64_MAX, most = -1, until;
        for (int i = 0; i < 2000; i++) {
            assert_true(
                retry_decide(&policy, NULL, &failure, attempt, &rng, 5000, INT64_MAX, &until));
            least = until - 5000 < least ? until - 5000 : least;
            most = until - 5000 > most ? until - 5000 : most;
        }
        assert_true(least >= 0 && least < spans[attempt - 1] / 10);
        assert_true(most <= spans[attempt - 1] && most > spans[attempt - 1] * 9 / 10);
    }
    int64_t until;
    assert_false(retry_decide(&policy, NULL, &failure, 4, &rng, 0, INT64_MAX, &until));
    failure.is_retryable = false;
    assert_false(retry_decide(&policy, NULL, &failure, 1, &rng, 0, INT64_MAX, &until));
}

static void test_what_the_provider_asks_is_the_least(void **state)
{
    struct rng_seeded word;
    struct rng rng = rng_from_seed(&word, 2);
    struct provider_failure failure = { .is_retryable = true, .retry_after_ms = 3000 };
    int64_t until;
    (void)state;
    for (int i = 0; i < 500; i++) {
        assert_true(retry_decide(&policy, NULL, &failure, 1, &rng, 1000, INT64_MAX, &until));
        assert_true(until >= 4000 && until <= 4100);
    }
    /* Nothing is waited for in vain. */
    assert_false(retry_decide(&policy, NULL, &failure, 1, &rng, 1000, 4000, &until));
    failure.retry_after_ms = INT64_MAX;
    assert_false(retry_decide(&policy, NULL, &failure, 1, &rng, 1000, INT64_MAX - 1, &until));
}

static void test_the_budget(void **state)
{
    struct rng_seeded word;
    struct rng rng = rng_from_seed(&word, 3);
    struct provider_failure failure = { .is_retryable = true, .retry_after_ms = -1 };
    struct retry_budget budget;
    int64_t until;
    uint32_t retries = 0;
    (void)state;
    retry_budget_init(&budget);
    while (retry_decide(&policy, &budget, &failure, 1, &rng, 0, INT64_MAX, &until))
        retries++;
    assert_int_equal(retries, RETRY_BUDGET_FULL / RETRY_COST);
    for (int i = 0; i < RETRY_COST; i++) {
        assert_false(retry_decide(&policy, &budget, &failure, 1, &rng, 0, INT64_MAX, &until));
        retry_budget_reward(&budget);
    }
    assert_true(retry_decide(&policy, &budget, &failure, 1, &rng, 0, INT64_MAX, &until));
    for (int i = 0; i < 1000; i++)
        retry_budget_reward(&budget);
    assert_int_equal(budget.tokens, RETRY_BUDGET_FULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_what_is_told),
        cmocka_unit_test(test_jitter_is_full_and_bounded),
        cmocka_unit_test(test_what_the_provider_asks_is_the_least),
        cmocka_unit_test(test_the_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_limits.c - the budgets of the engine, each hit from both sides. */
#include "base/features.h"

#include "engine_test.h"

#include "engine/reply.h"

#define SCHEMA                                                                                     \
    "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}},\"required\":[\"a\"]}"

/* head, count times fill, tail; freed by the caller. */
static struct str long_text(const char *head, char fill, size_t count, const char *tail)
{
    size_t head_len = strlen(head), tail_len = strlen(tail);
    char *text = malloc(head_len + count + tail_len + 1);
    assert_non_null(text);
    memcpy(text, head, head_len);
    memset(text + head_len, fill, count);
    memcpy(text + head_len + count, tail, tail_len);
    return (struct str){ text, head_len + count + tail_len };
}

static void text_free(struct str text)
{
    free((char *)(uintptr_t)text.ptr);
}

static void test_reply_bytes(void **state)
{
    (void)state;
    for (int over = 0; over < 2; over++) {
        struct str text =
            long_text("{\"a\":1,\"b\":\"", 'x', LIMIT_REPLY_BYTES - 14 + (size_t)over, "\"}");
        assert_int_equal(text.len, LIMIT_REPLY_BYTES + (size_t)over);
        struct scripted_reply script = { .bytes = text };
        struct run run;
        run_init(&run, SCHEMA, &script, 1);
        run.request.loops_max = 1;
        run_go(&run);
        assert_true(run_has(&run, over ? "\"status\":\"stale\"" : "\"status\":\"ok\""));
        assert_true(!over || run_has(&run, "longer than the limit of 4194304 bytes"));
        run_release(&run);
        struct engine_reply_value value;
        struct engine_ledger ledger = { .allowed = engine_readings_of(0, 0) };
        assert_int_equal(engine_reply_read(text, &ledger, alloc_default(), &value), STATUS_OK);
        assert_true((value.doc == NULL) == (over == 1));
        json_doc_free(value.doc);
        text_free(text);
    }
}

/* Beyond a limit of JSON a reply is a violation, not a failed call. */
static void test_json_limits(void **state)
{
    (void)state;
    static const struct {
        const char *head;
        char fill;
        size_t count;
        const char *tail;
        const char *message;
    } table[] = {
        { "{\"a\":1,\"b\":", '[', LIMIT_JSON_DEPTH, "", "128" },
        { "{\"a\":", '1', LIMIT_JSON_DIGITS + 1, "}", "10000" },
        { "Sure: {\"a\":1,\"b\":", '[', LIMIT_JSON_DEPTH, "", "128" },
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        struct str text = long_text(table[i].head, table[i].fill, table[i].count, table[i].tail);
        struct scripted_reply script = { .bytes = text };
        struct run run;
        run_init(&run, SCHEMA, &script, 1);
        run.request.loops_max = 1;
        run_go(&run);
        assert_true(run_has(&run, "\"status\":\"stale\""));
        assert_true(run_has(&run, "\"keyword\":\"json\"") ||
                    run_has(&run, "\"keyword\":\"runaway\""));
        assert_true(run_has(&run, table[i].message));
        run_release(&run);
        text_free(text);
    }
}

static void test_prompt_bytes(void **state)
{
    (void)state;
    struct str text = long_text("x", ' ', LIMIT_PROMPT_BYTES, "");
    struct run run;
    run_init(&run, SCHEMA, NULL, 0);
    struct model_info info = model_info(&run.model.model);
    run.request.prompt = text;
    assert_int_equal(engine_call_new(&run.request, &info, 1, run.alloc, &run.call, &run.error),
                     STATUS_INVALID_REQUEST);
    assert_non_null(strstr(run.error.message, "16777216"));
    run.request.prompt.len--;
    assert_int_equal(engine_call_new(&run.request, &info, 1, run.alloc, &run.call, NULL),
                     STATUS_OK);
    run_release(&run);
    text_free(text);
}

static void test_tokens_and_loops(void **state)
{
    (void)state;
    struct run run;
    run_init(&run, SCHEMA, NULL, 0);
    struct model_info info = model_info(&run.model.model);
    assert_int_equal(engine_call_new(&run.request, &info, 1, run.alloc, &run.call, NULL),
                     STATUS_OK);
    assert_int_equal(engine_call_next(run.call).request.tokens_max, LIMIT_TOKENS_DEFAULT);
    engine_call_free(run.call);
    run.request.tokens_max = 77;
    assert_int_equal(engine_call_new(&run.request, &info, 1, run.alloc, &run.call, NULL),
                     STATUS_OK);
    assert_int_equal(engine_call_next(run.call).request.tokens_max, 77);
    run_release(&run);
}

/* Ten refused replies: the most that a call can hold. */
static void test_loops_max(void **state)
{
    (void)state;
    struct scripted_reply script[LIMIT_LOOPS_MAX + 1];
    for (size_t i = 0; i < COUNT(script); i++)
        script[i] = (struct scripted_reply){ .text = "{}" };
    struct run run;
    run_init(&run, SCHEMA, script, COUNT(script));
    run.request.loops_max = LIMIT_LOOPS_MAX;
    run_go(&run);
    assert_int_equal(run.model.calls, LIMIT_LOOPS_MAX);
    assert_true(run_has(&run, "\"iterations\":10"));
    run_release(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reply_bytes),  cmocka_unit_test(test_json_limits),
        cmocka_unit_test(test_prompt_bytes), cmocka_unit_test(test_tokens_and_loops),
        cmocka_unit_test(test_loops_max),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

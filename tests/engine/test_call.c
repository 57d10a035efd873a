/* test_call.c - each way in which a call can go: scripts of replies and the document that comes
 * out. */
#include "base/features.h"

#include "engine_test.h"

#define SCHEMA                                                                                     \
    "{\"type\":\"object\",\"properties\":{\"actor\":{\"type\":\"string\"},\"priority\":{\"type\":" \
    "\"integer\",\"minimum\":1,\"maximum\":5}},\"required\":[\"actor\",\"priority\"],"             \
    "\"additionalProperties\":false}"

#define WRAPPED                                                                                    \
    "{\"type\":\"object\",\"properties\":{\"value\":{\"type\":\"array\",\"items\":{\"type\":"      \
    "\"string\"}}},\"required\":[\"value\"],\"additionalProperties\":false}"

#define USAGE(in, out)                                                                             \
    {                                                                                              \
        .input_tokens = (in), .output_tokens = (out)                                               \
    }
#define SAYS(reply)                                                                                \
    {                                                                                              \
        .text = (reply), .usage = USAGE(10, 5)                                                     \
    }
#define ENDS(reply, how)                                                                           \
    {                                                                                              \
        .text = (reply), .finish = (how), .usage = USAGE(10, 5)                                    \
    }
#define FAILS(with)                                                                                \
    {                                                                                              \
        .failure = (with), .usage = USAGE(3, 0)                                                    \
    }

enum { SCRIPT_MAX = 4, PARTS_MAX = 6 };

struct call_case {
    const char *label;
    const char *schema;
    struct scripted_reply script[SCRIPT_MAX];
    uint32_t calls; /* model calls that must have been made */
    enum engine_policy policy;
    uint32_t loops_max;
    bool unwrap_root;
    const char *has[PARTS_MAX]; /* parts of the document */
    const char *has_not[PARTS_MAX];
};

static const struct call_case cases[] = {
    { .label = "valid at once",
      .schema = SCHEMA,
      .script = { SAYS("{\"priority\":3,\"actor\":\"Mike\"}") },
      .calls = 1,
      .has = { "{\"status\":\"ok\",\"data\":{\"actor\":\"Mike\",\"priority\":3},\"schemaOrigin\":"
               "\"inline\","
               "\"iterations\":1,\"usage\":{\"inputTokens\":10,\"outputTokens\":5,"
               "\"cachedInputTokens\":0,"
               "\"savedOutputTokens\":0,\"estimated\":false,\"modelCalls\":1,\"model\":\"scripted/"
               "one\",\"drift\":0},\"repairs\":[],\"report\":{\"warnings\":[],"
               "\"promptTokens\":10}}" } },
    { .label = "number text is kept",
      .schema = "{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"number\"},\"n\":{\"type\":"
                "\"integer\"}}}",
      .script = { SAYS("{\"n\":12345678901234567890123,\"x\":1.50}") },
      .calls = 1,
      .has = { "\"data\":{\"x\":1.50,\"n\":12345678901234567890123}" } },
    { .label = "strings are re-encoded minimally",
      .schema = "{\"type\":\"object\"}",
      .script = { SAYS("{\"a\\u0062\":\"\\u00e9\\/\\u0001\"}") },
      .calls = 1,
      .has = { "\"data\":{\"ab\":\"\xC3\xA9/\\u0001\"}" } },
    { .label = "repair",
      .schema = SCHEMA,
      .script = { SAYS("{\"actor\":\"Mike\",\"priority\":7}"),
                  SAYS("{\"actor\":\"Mike\",\"priority\":5}") },
      .calls = 2,
      .has = { "\"status\":\"ok\"", "\"priority\":5", "\"iterations\":2", "\"modelCalls\":2",
               "\"inputTokens\":20", "\"drift\":0" } },
    { .label = "drift",
      .schema = SCHEMA,
      .script = { SAYS("{\"actor\":\"Mike\",\"priority\":7}"),
                  SAYS("{\"actor\":\"Max\",\"priority\":5}") },
      .calls = 2,
      .has = { "\"status\":\"ok\"", "\"drift\":1" } },
    { .label = "stale with the faults of the last reply",
      .schema = SCHEMA,
      .script = { SAYS("{\"actor\":\"CANARY\",\"priority\":7}"), SAYS("no CANARY"),
                  SAYS("{\"actor\":1,\"priority\":0}") },
      .calls = 3,
      .has = { "\"status\":\"stale\"", "\"pointer\":\"/actor\",\"keyword\":\"type\"",
               "\"pointer\":\"/priority\",\"keyword\":\"minimum\"",
               "\"schemaPointer\":\"/properties/priority/minimum\"", "\"limit\":1",
               "\"iterations\":3" },
      .has_not = { "CANARY", "\"data\"", "\"keyword\":\"maximum\"", "\"json\"" } },
    { .label = "stale because it never was JSON",
      .schema = SCHEMA,
      .script = { SAYS("{\"actor\":\"CANARY\"") },
      .calls = 1,
      .loops_max = 1,
      .has = { "\"status\":\"stale\"", "\"keyword\":\"json\"",
               "\"errors\":[\"(root): the reply was not valid JSON at line 1, column 18: expected",
               "\"line\":1,\"column\":18" },
      .has_not = { "CANARY" } },
    { .label = "position in the reply, not in the value",
      .schema = SCHEMA,
      .script = { SAYS("Here:\n```json\n{\"actor\":\"Mike\",\n \"priority\":9}\n```") },
      .calls = 1,
      .loops_max = 1,
      .has = { "\"line\":4,\"column\":13", "\"name\":\"fence\",\"risk\":\"none\"",
               "\"name\":\"prose\",\"risk\":\"low\"" } },
    { .label = "empty reply",
      .schema = SCHEMA,
      .script = { SAYS(""), SAYS("{\"actor\":\"M\",\"priority\":1}") },
      .calls = 2,
      .has = { "\"status\":\"ok\"" } },

    /* need */
    { .label = "need",
      .schema = SCHEMA,
      .script = { SAYS("{\"_need\":\"the priority\"}") },
      .calls = 1,
      .has = { "{\"status\":\"need-more-input\",\"need\":\"the "
               "priority\",\"schemaOrigin\":\"inline\",\"iterations\":1" },
      .has_not = { "\"data\"", "\"errors\"" } },
    { .label = "need after a refused reply",
      .schema = SCHEMA,
      .script = { SAYS("{\"actor\":\"Mike\"}"),
                  SAYS("```json\n{\"_need\":\"the priority\"}\n```") },
      .calls = 2,
      .has = { "\"status\":\"need-more-input\"", "\"iterations\":2", "\"fence\"" } },
    { .label = "blank need is no need",
      .schema = SCHEMA,
      .script = { SAYS("{\"_need\":\" \\u3000\"}") },
      .calls = 1,
      .loops_max = 1,
      .has = { "\"status\":\"stale\"" } },
    { .label = "need that is no string",
      .schema = SCHEMA,
      .script = { SAYS("{\"_need\":null,\"actor\":\"M\",\"priority\":1}") },
      .calls = 1,
      .loops_max = 1,
      .has = { "\"status\":\"stale\"", "additionalProperties" } },
    { .label = "the target's own _need",
      .schema = "{\"type\":\"object\",\"properties\":{\"_need\":{\"type\":\"string\"}},"
                "\"required\":[\"_need\"]}",
      .script = { SAYS("{\"_need\":\"bread\"}") },
      .calls = 1,
      .has = { "\"status\":\"ok\"", "\"data\":{\"_need\":\"bread\"}" } },
    { .label = "and the name that stands in for it",
      .schema = "{\"type\":\"object\",\"properties\":{\"_need\":{\"type\":\"string\"}},"
                "\"required\":[\"_need\"]}",
      .script = { SAYS("{\"_need_\":\"what is needed\"}") },
      .calls = 1,
      .has = { "\"status\":\"need-more-input\",\"need\":\"what is needed\"" } },
    { .label = "both names taken",
      .schema = "{\"type\":\"object\",\"properties\":{\"_need\":{},\"_need_\":{},\"_need7\":{}},"
                "\"additionalProperties\":false}",
      .script = { SAYS("{\"_need8\":\"x\"}") },
      .calls = 1,
      .has = { "\"need\":\"x\"" } },

    /* readings */
    { .label = "envelope",
      .schema = SCHEMA,
      .script = { SAYS("{\"result\":{\"actor\":\"M\",\"priority\":1}}") },
      .calls = 1,
      .has = { "\"status\":\"ok\",\"data\":{\"actor\":\"M\",\"priority\":1}",
               "{\"name\":\"envelope\",\"risk\":\"low\"}" } },
    { .label = "need in an envelope",
      .schema = SCHEMA,
      .script = { SAYS("{\"result\":{\"_need\":\"x\"}}") },
      .calls = 1,
      .has = { "\"need\":\"x\"", "\"envelope\"" } },
    { .label = "an envelope with an invalid value is not opened",
      .schema = SCHEMA,
      .script = { SAYS("{\"result\":{\"actor\":\"M\",\"priority\":9}}") },
      .calls = 1,
      .loops_max = 1,
      .has = { "\"status\":\"stale\"", "\"pointer\":\"\"" },
      .has_not = { "\"envelope\"" } },
    { .label = "double-encoded",
      .schema = SCHEMA,
      .script = { SAYS("\"{\\\"actor\\\": \\\"M\\\", \\\"priority\\\": 1}\"") },
      .calls = 1,
      .has = { "\"data\":{\"actor\":\"M\",\"priority\":1}",
               "{\"name\":\"double-encoded\",\"risk\":\"low\"}" } },
    { .label = "a string that the schema wants stays one",
      .schema = "{\"type\":\"object\",\"properties\":{\"input\":{\"type\":\"string\"}}}",
      .script = { SAYS("{\"input\":\"{\\\"foo\\\":1}\"}") },
      .calls = 1,
      .has = { "\"data\":{\"input\":\"{\\\"foo\\\":1}\"}", "\"repairs\":[]" } },
    { .label = "null where an object is wanted",
      .schema = SCHEMA,
      .script = { SAYS("null") },
      .calls = 1,
      .loops_max = 1,
      .has = { "\"pointer\":\"\",\"keyword\":\"type\"" } },

    /* --wrap-root */
    { .label = "wrapped",
      .schema = WRAPPED,
      .script = { SAYS("{\"value\":[\"a\",\"b\"]}") },
      .calls = 1,
      .unwrap_root = true,
      .has = { "\"data\":[\"a\",\"b\"]", "\"repairs\":[]" } },
    { .label = "wrapped, answered bare",
      .schema = WRAPPED,
      .script = { SAYS("[\"a\",\"b\"]") },
      .calls = 1,
      .unwrap_root = true,
      .has = { "\"data\":[\"a\",\"b\"]" } },
    { .label = "wrapped and wrong",
      .schema = WRAPPED,
      .script = { SAYS("{\"value\":[\"a\",1]}") },
      .calls = 1,
      .loops_max = 1,
      .unwrap_root = true,
      .has = { "\"pointer\":\"/1\",\"keyword\":\"type\"", "\"schemaPointer\":\"/items/type\"" } },

    { .label = "wrapped: pointers outside of the value stay",
      .schema = WRAPPED,
      .script = { SAYS("{\"value\":[],\"value2\":1}") },
      .calls = 1,
      .loops_max = 1,
      .unwrap_root = true,
      .has = { "\"pointer\":\"/value2\"" } },
    { .label = "wrapped: once",
      .schema = WRAPPED,
      .script = { SAYS("[1]"), SAYS("{\"value\":[\"a\",1]}") },
      .calls = 2,
      .policy = ENGINE_POLICY_ONCE,
      .unwrap_root = true,
      .has = { "\"pointer\":\"/1\"", ": /1 (type)" } },
    { .label = "wrapped: bare replies do not drift",
      .schema = WRAPPED,
      .script = { SAYS("[\"a\",1]"), SAYS("[\"a\",\"b\"]") },
      .calls = 2,
      .unwrap_root = true,
      .has = { "\"data\":[\"a\",\"b\"]", "\"drift\":0" } },

    /* finish signals come first */
    { .label = "cut at the limit, though whole",
      .schema = SCHEMA,
      .script = { ENDS("{\"actor\":\"M\",\"priority\":1}", MODEL_FINISH_LENGTH) },
      .calls = 1,
      .has = { "\"kind\":\"rejected\"", "output-limit", "1024 tokens", "--max-tokens" } },
    { .label = "cut in a repair",
      .schema = SCHEMA,
      .script = { SAYS("x"), ENDS("{\"actor\":\"CANARY", MODEL_FINISH_LENGTH) },
      .calls = 2,
      .has = { "\"kind\":\"rejected\"" },
      .has_not = { "CANARY" } },
    { .label = "refusal",
      .schema = SCHEMA,
      .script = { ENDS("{\"actor\":\"M\",\"priority\":1}", MODEL_FINISH_REFUSAL) },
      .calls = 1,
      .has = { "\"kind\":\"rejected\"", "refusal" } },
    { .label = "content filter",
      .schema = SCHEMA,
      .script = { ENDS("", MODEL_FINISH_FILTER) },
      .calls = 1,
      .has = { "\"kind\":\"rejected\"", "content-filter" } },
    { .label = "no finish reason, valid",
      .schema = SCHEMA,
      .script = { ENDS("{\"actor\":\"M\",\"priority\":1}", MODEL_FINISH_UNKNOWN) },
      .calls = 1,
      .has = { "\"status\":\"ok\"", "no finish reason" } },
    { .label = "no finish reason, cut",
      .schema = SCHEMA,
      .script = { ENDS("{\"actor\":\"M\",\"priority\":1", MODEL_FINISH_UNKNOWN) },
      .calls = 1,
      .loops_max = 1,
      .has = { "\"status\":\"stale\"", "\"json\"" },
      .has_not = { "\"data\"" } },

    /* failures end the call */
    { .label = "transport",
      .schema = SCHEMA,
      .script = { SAYS("x"), FAILS(STATUS_TRANSPORT) },
      .calls = 2,
      .has = { "{\"error\":{\"kind\":\"transport\"" } },
    { .label = "transient",
      .schema = SCHEMA,
      .script = { FAILS(STATUS_TRANSIENT) },
      .calls = 1,
      .has = { "\"kind\":\"transient\"" } },

    /* complete_json */
    { .label = "once: valid",
      .schema = SCHEMA,
      .script = { SAYS("{\"actor\":\"M\",\"priority\":1}") },
      .calls = 1,
      .policy = ENGINE_POLICY_ONCE,
      .has = { "\"status\":\"ok\"" } },
    { .label = "once: one repair",
      .schema = SCHEMA,
      .script = { SAYS("{}"), SAYS("{\"actor\":\"M\",\"priority\":1}") },
      .calls = 2,
      .policy = ENGINE_POLICY_ONCE,
      .has = { "\"status\":\"ok\"" } },
    { .label = "once: no second repair",
      .schema = SCHEMA,
      .script = { SAYS("{}"), SAYS("{\"actor\":\"CANARY\",\"priority\":9}") },
      .calls = 2,
      .policy = ENGINE_POLICY_ONCE,
      .loops_max = 9,
      .has = { "\"kind\":\"schema-violation\"", "/priority (maximum)",
               "\"pointer\":\"/priority\"" },
      .has_not = { "CANARY" } },
    { .label = "once: no need path",
      .schema = SCHEMA,
      .script = { SAYS("{\"_need\":\"x\"}"), SAYS("{\"_need\":\"x\"}") },
      .calls = 2,
      .policy = ENGINE_POLICY_ONCE,
      .has = { "\"kind\":\"schema-violation\"" } },

    /* order */
    { .label = "order through references, allOf, items and branches",
      .schema =
          "{\"$ref\":\"#/$defs/"
          "r\",\"$defs\":{\"r\":{\"type\":\"object\",\"properties\":{\"a\":{},\"list\":{\"items\":"
          "{\"oneOf\":[{\"properties\":{\"t\":{\"const\":\"x\"},\"p\":{},\"q\":{}},\"required\":["
          "\"t\"]},"
          "{\"properties\":{\"t\":{\"const\":\"y\"},\"q\":{},\"p\":{}},\"required\":[\"t\"]}]}}},"
          "\"allOf\":[{\"properties\":{\"z\":{},\"y\":{}}}]}}}",
      .script = { SAYS("{\"n\":0,\"y\":1,\"list\":[{\"p\":1,\"q\":2,\"t\":\"y\"},{\"q\":2,\"p\":1,"
                       "\"t\":\"x\"}],\"z\":2,"
                       "\"a\":3,\"m\":4}") },
      .calls = 1,
      .has = { "\"data\":{\"a\":3,\"list\":[{\"t\":\"y\",\"q\":2,\"p\":1},{\"t\":\"x\",\"p\":1,"
               "\"q\":2}],\"z\":2,\"y\":1,"
               "\"n\":0,\"m\":4}" } },

    /* warnings */
    { .label = "a control character that the text does not have",
      .schema = "{\"type\":\"object\"}",
      .script = { SAYS("{\"f\":[\"ok\",\"B(\\tau)\"]}") },
      .calls = 1,
      .has = { "\"warnings\":[\"/f/1: contains the control character U+0009, which the text does "
               "not\"]" } },
    { .label = "NUL survives",
      .schema = "{\"type\":\"object\"}",
      .script = { SAYS("{\"f\":\"a\\u0000b\"}") },
      .calls = 1,
      .has = { "\"data\":{\"f\":\"a\\u0000b\"}", "U+0000" } },
};

static bool check_case(const struct call_case *expected)
{
    struct run run;
    run_init(&run, expected->schema, expected->script, SCRIPT_MAX);
    run.request.policy = expected->policy;
    run.request.loops_max = expected->loops_max;
    run.request.unwrap_root = expected->unwrap_root;
    run_go(&run);
    bool is_right = run.model.calls == expected->calls;
    for (size_t i = 0; i < PARTS_MAX; i++) {
        if (expected->has[i] != NULL && !run_has(&run, expected->has[i])) {
            print_error("%s: lacks %s\n", expected->label, expected->has[i]);
            is_right = false;
        }
        if (expected->has_not[i] != NULL && run_has(&run, expected->has_not[i]))
            is_right = false;
    }
    if (!is_right)
        print_error("%s: %u calls, %.*s\n", expected->label, run.model.calls,
                    (int)run_text(&run).len, run_text(&run).ptr);
    run_release(&run);
    return is_right;
}

static void test_calls(void **state)
{
    (void)state;
    size_t wrong = 0;
    for (size_t i = 0; i < COUNT(cases); i++)
        wrong += !check_case(&cases[i]);
    assert_int_equal(wrong, 0);
}

/* Remembers the conversation of each call. */
struct memory {
    struct buffer text;
    uint32_t counts[SCRIPT_MAX];
    uint32_t calls;
};

static void remember(void *state, const struct model_request *request)
{
    static const char *const roles[] = { "system", "user", "assistant" };
    struct memory *memory = state;
    memory->counts[memory->calls++] = request->message_count;
    buffer_clear(&memory->text);
    for (uint32_t i = 0; i < request->message_count; i++) {
        buffer_printf(&memory->text, "<%s>", roles[request->messages[i].role]);
        buffer_append_str(&memory->text, request->messages[i].text);
    }
}

static void run_remembered(struct run *run, struct memory *memory)
{
    *memory = (struct memory){ .calls = 0 };
    buffer_init(&memory->text, alloc_default(), 64 << 20);
    run->model.observe = remember;
    run->model.observe_state = memory;
    run_go(run);
}

static bool memory_has(const struct memory *memory, const char *part)
{
    return engine_text_contains(buffer_view(&memory->text), str_from(part));
}

static void test_conversation_grows(void **state)
{
    (void)state;
    static const struct scripted_reply script[] = { SAYS("{\"actor\":\"Mike\",\"priority\":7}"),
                                                    SAYS(""),
                                                    SAYS("{\"actor\":\"\xFFx\",\"priority\":1}") };
    struct run run;
    struct memory memory;
    run_init(&run, SCHEMA, script, COUNT(script));
    run_remembered(&run, &memory);
    assert_int_equal(memory.calls, 3);
    assert_int_equal(memory.counts[0], 3);
    assert_int_equal(memory.counts[1], 5);
    assert_int_equal(memory.counts[2], 7);
    assert_true(memory_has(&memory, "<assistant>{\"actor\":\"Mike\",\"priority\":7}<user>"));
    assert_true(memory_has(
        &memory, "The previous output did not conform to the schema:\n- /priority: value must be "
                 "\xE2\x89\xA4 5 (was 7)\n"));
    assert_true(memory_has(&memory, "<assistant>(no text)<user>"));
    assert_true(memory_has(&memory, "Do not change fields that were valid."));
    assert_true(run_has(&run, "\"status\":\"stale\""));
    buffer_release(&memory.text);
    run_release(&run);
}

static void test_same_reply_twice(void **state)
{
    (void)state;
    static const struct scripted_reply script[] = { SAYS("{}"), SAYS("{}"), SAYS("{ }") };
    struct run run;
    struct memory memory;
    run_init(&run, SCHEMA, script, COUNT(script));
    run_remembered(&run, &memory);
    assert_true(memory_has(&memory, "This output is the same as the one before it."));
    assert_true(run_has(&run, "\"iterations\":3"));
    buffer_release(&memory.text);
    run_release(&run);
}

/* What was refused goes to the model with the request, from all iterations and each once. */
static void keep_refusals(void *state, const struct model_request *request)
{
    struct buffer *out = state;
    buffer_clear(out);
    for (uint32_t i = 0; i < request->refusal_count; i++)
        buffer_printf(out, "%.*s=%.*s;", (int)request->refusals[i].pointer.len,
                      request->refusals[i].pointer.ptr, (int)request->refusals[i].value_text.len,
                      request->refusals[i].value_text.ptr);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct scripted_reply script[] = {
        SAYS("{\"actor\":1,\"priority\":9}"), SAYS("{\"actor\":\"M\",\"priority\":9}"), SAYS("no"),
        SAYS("{\"actor\":[ 1 ],\"priority\":1}"), SAYS("{\"actor\":\"M\",\"priority\":1}")
    };
    struct run run;
    struct buffer seen;
    run_init(&run, SCHEMA, script, COUNT(script));
    buffer_init(&seen, run.alloc, 4096);
    run.request.loops_max = 5;
    run.model.observe = keep_refusals;
    run.model.observe_state = &seen;
    run_go(&run);
    assert_int_equal(run.model.calls, 5);
    assert_string_equal(seen.ptr, "/actor=1;/priority=9;/actor=[1];");
    buffer_release(&seen);
    run_release(&run);
}

/* Old refused replies make room, oldest first, and a warning says so. */
static void test_context_limit(void **state)
{
    (void)state;
    char big[4096];
    for (size_t at = 0; at + 16 < sizeof(big); at += 15) /* no repetition: that is cut anyway */
        (void)snprintf(big + at, 16, "xxxxxxxx %05zu ", at);
    const struct scripted_reply script[] = { SAYS(big), SAYS("{\"actor\":1}"),
                                             SAYS("{\"actor\":\"M\",\"priority\":1}") };
    struct run run;
    struct memory memory;
    run_init(&run, SCHEMA, script, COUNT(script));
    run.request.tokens_max = 100;
    run.model.info.context_tokens = 1300;
    run_remembered(&run, &memory);
    assert_false(memory_has(&memory, "xxxxxxxx"));
    assert_true(memory_has(&memory, "left out to save room"));
    assert_true(memory_has(&memory, "<assistant>{\"actor\":1}"));
    assert_true(memory_has(&memory, "the reply was not valid JSON at line 1, column 1: expected"));
    assert_true(run_has(&run, "\"status\":\"ok\""));
    assert_true(run_has(&run, "1 refused reply was left out of the conversation"));
    buffer_release(&memory.text);
    run_release(&run);
}

/* Events after the end change nothing; the action stays the same. */
static void test_ends_once(void **state)
{
    (void)state;
    struct run run;
    run_init(&run, SCHEMA, NULL, 0);
    struct model_info info = model_info(&run.model.model);
    assert_int_equal(engine_call_new(&run.request, &info, 1, run.alloc, &run.call, &run.error),
                     STATUS_OK);
    assert_int_equal(engine_call_next(run.call).kind, ENGINE_ACTION_GENERATE);
    assert_int_equal(engine_call_next(run.call).kind, ENGINE_ACTION_GENERATE);
    assert_int_equal(engine_call_next(run.call).request.call_id, 1);
    assert_null(engine_call_result(run.call));
    assert_null(engine_call_error(run.call));
    engine_call_on_stop(run.call, STATUS_CANCELLED);
    struct error late = { .status = STATUS_TRANSPORT };
    struct model_reply reply = { .finish = MODEL_FINISH_STOP, .usage = { .output_tokens = 1 } };
    buffer_init(&reply.text, run.alloc, 100);
    buffer_append_str(&reply.text, STR("{\"actor\":\"M\",\"priority\":1}"));
    engine_call_on_failure(run.call, &late, NULL);
    engine_call_on_reply(run.call, &reply);
    engine_call_on_stop(run.call, STATUS_DEADLINE);
    assert_int_equal(engine_call_next(run.call).kind, ENGINE_ACTION_FAILED);
    assert_int_equal(engine_call_error(run.call)->status, STATUS_CANCELLED);
    assert_int_equal(engine_call_usage(run.call)->model_calls, 0);
    assert_null(engine_call_result(run.call));
    buffer_release(&reply.text);
    run_release(&run);
}

static void test_indented_document(void **state)
{
    (void)state;
    static const struct scripted_reply script[] = { SAYS("{\"actor\":\"M\",\"priority\":1}") };
    struct run run;
    run_init(&run, SCHEMA, script, 1);
    run_go(&run);
    struct buffer out;
    buffer_init(&out, run.alloc, 4096);
    engine_write_data(engine_call_result(run.call), 2, &out);
    assert_true(str_equal(buffer_view(&out), STR("{\n  \"actor\": \"M\",\n  \"priority\": 1\n}")));
    buffer_clear(&out);
    engine_write_result(engine_call_result(run.call), 2, &out);
    assert_true(
        engine_text_contains(buffer_view(&out), STR("  \"data\": {\n    \"actor\": \"M\",")));
    buffer_release(&out);
    run_release(&run);
}

static void test_error_document(void **state)
{
    (void)state;
    struct error error = { 0 };
    struct buffer out;
    buffer_init(&out, alloc_default(), 4096);
    error_set(&error, STATUS_TRANSIENT, "try \"later\"");
    error.retry_after_ms = 1500;
    error_at_pointer(&error, STR(""));
    engine_write_error(&error, 0, &out);
    assert_true(
        str_equal(buffer_view(&out),
                  STR("{\"error\":{\"kind\":\"transient\",\"message\":\"try \\\"later\\\"\","
                      "\"pointer\":\"\",\"retryAfterMs\":1500}}")));
    buffer_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_conversation_grows),
        cmocka_unit_test(test_same_reply_twice),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_context_limit),
        cmocka_unit_test(test_ends_once),
        cmocka_unit_test(test_indented_document),
        cmocka_unit_test(test_error_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

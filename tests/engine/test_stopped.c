/* test_stopped.c - replies that were stopped: the reason that is built from what had come. */
#include "base/features.h"

#include "engine_test.h"

#include "model/partial.h"

#define SCHEMA                                                                                     \
    "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"maxLength\":5,"          \
    "\"minLength\":2,\"pattern\":\"^[a-z]+$\"},\"n\":{\"type\":\"integer\",\"minimum\":10},"       \
    "\"tags\":{\"type\":\"array\",\"items\":{\"enum\":[\"aa\",\"bb\"]},\"maxItems\":2,"            \
    "\"minItems\":2},\"inner\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":"              \
    "\"integer\"},\"b\":{\"type\":\"integer\"}},\"required\":[\"a\",\"b\"],"                       \
    "\"additionalProperties\":false}},\"required\":[\"name\",\"n\"],\"additionalProperties\":"     \
    "false}"

enum { PARTS_MAX = 3 };

struct stopped_case {
    const char *label;
    const char *text;
    enum model_finish finish;
    const char *has[PARTS_MAX];
    const char *has_not[PARTS_MAX];
};

static const struct stopped_case cases[] = {
    { .label = "a value of the wrong type",
      .text = "{\"n\":\"",
      .has = { "\"pointer\":\"/n\",\"keyword\":\"type\"", "\"line\":1,\"column\":6" },
      .has_not = { "required" } },
    { .label = "a whole value that is too small",
      .text = "{\"n\": 3, \"na",
      .has = { "\"pointer\":\"/n\",\"keyword\":\"minimum\"" },
      .has_not = { "required" } },
    { .label = "a number that may go on is not too small yet, the member before is wrong",
      .text = "{\"name\": 1,\n \"n\": 3",
      .has = { "\"pointer\":\"/name\",\"keyword\":\"type\"" },
      .has_not = { "minimum" } },
    { .label = "a member that is not known",
      .text = "{\"name\":\"abc\",\"other\":",
      .has = { "\"pointer\":\"/other\",\"keyword\":\"additionalProperties\"" },
      .has_not = { "\"keyword\":\"required\"", "\"keyword\":\"type\"" } },
    { .label = "a member that is not known, before its colon",
      .text = "{\"other\"",
      .has = { "\"pointer\":\"/other\",\"keyword\":\"additionalProperties\"" } },
    { .label = "a string that is too long, and may yet match",
      .text = "{\"name\":\"ABCdefgh",
      .has = { "\"pointer\":\"/name\",\"keyword\":\"maxLength\"" },
      .has_not = { "pattern" } },
    { .label = "a string that ended",
      .text = "{\"name\":\"ABC\",",
      .has = { "\"pointer\":\"/name\",\"keyword\":\"pattern\"" } },
    { .label = "too many items",
      .text = "{\"tags\":[\"aa\",\"bb\",\"a",
      .has = { "\"pointer\":\"/tags\",\"keyword\":\"maxItems\"" },
      .has_not = { "/tags/2" } },
    { .label = "an item that is not allowed; the list may yet grow",
      .text = "{\"tags\":[\"cc\"",
      .has = { "\"pointer\":\"/tags/0\",\"keyword\":\"enum\"" },
      .has_not = { "minItems" } },
    { .label = "a list that ended",
      .text = "{\"tags\":[\"aa\"]",
      .has = { "\"pointer\":\"/tags\",\"keyword\":\"minItems\"" } },
    { .label = "an inner object that ended without a member",
      .text = "```json\n{\"inner\":{\"a\":1},",
      .has = { "\"pointer\":\"/inner\",\"keyword\":\"required\"", "\"line\":2,\"column\":10" } },
    { .label = "an inner object that is open",
      .text = "<think>{</think>{\"inner\":{\"c\":",
      .has = { "\"pointer\":\"/inner/c\"" },
      .has_not = { "required" } },
    { .label = "nothing is certain: said as it is",
      .text = "{\"name\":\"ab\",\"n\":1",
      .has = { "\"pointer\":\"\",\"keyword\":\"json\"", "no continuation" } },
    { .label = "nothing at all", .text = "", .has = { "\"keyword\":\"json\"", "empty" } },
    { .label = "no JSON",
      .text = "{\"name\":tru\"",
      .has = { "\"keyword\":\"json\"", "not valid JSON" } },
    { .label = "a whole and valid value is not accepted when it was stopped",
      .text = "{\"name\":\"abc\",\"n\":10}",
      .has = { "\"status\":\"stale\"", "no continuation" } },

    { .label = "ran away inside of a string",
      .finish = MODEL_FINISH_RUNAWAY,
      .text = "{\"n\":10,\"tags\":[\"aa\",\"x x x x",
      .has = { "\"pointer\":\"/tags/1\",\"keyword\":\"runaway\"", "\"line\":1,\"column\":30" },
      .has_not = { "enum" } },
    { .label = "ran away between members",
      .finish = MODEL_FINISH_RUNAWAY,
      .text = "{\"n\":10,  \n  ",
      .has = { "\"pointer\":\"\",\"keyword\":\"runaway\"" } },
    { .label = "ran away behind a valid value",
      .finish = MODEL_FINISH_RUNAWAY,
      .text = "{\"name\":\"abc\",\"n\":10}      ",
      .has = { "\"status\":\"stale\"", "\"keyword\":\"runaway\"" } },
    { .label = "ran away without JSON",
      .finish = MODEL_FINISH_RUNAWAY,
      .text = "no no no no",
      .has = { "\"pointer\":\"\",\"keyword\":\"runaway\"" } },
};

static bool check_case(const struct stopped_case *expected)
{
    struct scripted_reply script = {
        .text = expected->text,
        .finish = expected->finish == MODEL_FINISH_STOP ? MODEL_FINISH_ABORTED : expected->finish,
        .usage = { .output_tokens = 7, .saved_output_tokens = 30, .is_estimated = true },
    };
    struct run run;
    run_init(&run, SCHEMA, &script, 1);
    run.request.loops_max = 1;
    run_go(&run);
    bool is_right = run_has(&run, "\"status\":\"stale\"") && run_has(&run, "\"iterations\":1") &&
                    run_has(&run, "\"savedOutputTokens\":30,\"estimated\":true") &&
                    run_has(&run, "\"repairs\":[]");
    for (size_t i = 0; i < PARTS_MAX; i++) {
        is_right = is_right && (expected->has[i] == NULL || run_has(&run, expected->has[i]));
        is_right =
            is_right && (expected->has_not[i] == NULL || !run_has(&run, expected->has_not[i]));
    }
    if (!is_right)
        print_error("%s: %.*s\n", expected->label, (int)run.result.len, run.result.ptr);
    run_release(&run);
    return is_right;
}

static void test_table(void **state)
{
    (void)state;
    size_t wrong = 0;
    for (size_t i = 0; i < COUNT(cases); i++)
        wrong += !check_case(&cases[i]);
    assert_int_equal(wrong, 0);
}

/* The model is told, and the next iteration goes on; a run is not shown at its length. */
static void keep_turns(void *state, const struct model_request *request)
{
    struct buffer *out = state;
    buffer_clear(out);
    for (uint32_t i = 0; i < request->message_count; i++)
        buffer_append_str(out, request->messages[i].text);
}

static void test_next_iteration(void **state)
{
    (void)state;
    char text[8000] = "{\"name\":\"";
    for (size_t i = strlen(text); i < sizeof(text) - 1; i++)
        text[i] = 'x';
    const struct scripted_reply script[] = { { .text = text, .finish = MODEL_FINISH_RUNAWAY },
                                             { .text = "{\"n\":\"",
                                               .finish = MODEL_FINISH_ABORTED },
                                             { .text = "{\"name\":\"abc\",\"n\":10}" } };
    struct run run;
    struct buffer turns;
    run_init(&run, SCHEMA, script, COUNT(script));
    buffer_init(&turns, run.alloc, 1 << 20);
    run.model.observe = keep_turns;
    run.model.observe_state = &turns;
    run_go(&run);
    assert_true(run_has(&run, "\"status\":\"ok\""));
    assert_true(run_has(&run, "\"iterations\":3"));
    assert_true(engine_text_contains(buffer_view(&turns), STR("repeated the same text")));
    assert_true(engine_text_contains(buffer_view(&turns), STR("- /n: value must be an integer")));
    assert_true(turns.len < 5000);
    buffer_release(&turns);
    run_release(&run);
}

/* ---- closing
 * -------------------------------------------------------------------------------------------- */

static void test_closing(void **state)
{
    (void)state;
    static const struct {
        const char *text, *closed; /* NULL: not the beginning of a container */
        uint32_t open_depth;
        enum model_partial_tail tail;
    } table[] = {
        { "{", "{}", 1, MODEL_TAIL_WHOLE },
        { "[ ", "[]", 1, MODEL_TAIL_WHOLE },
        { "{\"a", "{}", 1, MODEL_TAIL_WHOLE },
        { "{\"a\"", "{\"a\":null}", 1, MODEL_TAIL_ABSENT },
        { "{\"a\":", "{\"a\": null}", 1, MODEL_TAIL_ABSENT },
        { "{\"a\":t", "{\"a\":true}", 1, MODEL_TAIL_WHOLE },
        { "{\"a\":-", "{\"a\":null}", 1, MODEL_TAIL_ABSENT },
        { "{\"a\":1.", "{\"a\":1}", 1, MODEL_TAIL_NUMBER },
        { "{\"a\":1e+", "{\"a\":1}", 1, MODEL_TAIL_NUMBER },
        { "{\"a\":12", "{\"a\":12}", 1, MODEL_TAIL_NUMBER },
        { "{\"a\":12,", "{\"a\":12}", 1, MODEL_TAIL_WHOLE },
        { "{\"a\":12,\"b", "{\"a\":12}", 1, MODEL_TAIL_WHOLE },
        { "[1,", "[1, null]", 1, MODEL_TAIL_ABSENT },
        { "[\"x\\", "[\"x\"]", 1, MODEL_TAIL_STRING },
        { "[\"x\\u12", "[\"x\"]", 1, MODEL_TAIL_STRING },
        { "[\"x\\ud83d\\udf", "[\"x\"]", 1, MODEL_TAIL_STRING },
        { "[\"x\\u00e9", "[\"x\\u00e9\"]", 1, MODEL_TAIL_STRING },
        { "[\"x\xC3", "[\"x\"]", 1, MODEL_TAIL_STRING },
        { "[\"x\xF0\x9F\x98", "[\"x\"]", 1, MODEL_TAIL_STRING },
        { "[\"x\xC3\xA9", "[\"x\xC3\xA9\"]", 1, MODEL_TAIL_STRING },
        { "[\"x\\\"]", "[\"x\\\"]\"]", 1, MODEL_TAIL_STRING },
        { "[{\"a\":[1,{", "[{\"a\":[1,{}]}]", 4, MODEL_TAIL_WHOLE },
        { "{} and more", "{}", 0, MODEL_TAIL_WHOLE },
        { "", NULL, 0, MODEL_TAIL_WHOLE },
        { "x", NULL, 0, MODEL_TAIL_WHOLE },
        { "{a", NULL, 0, MODEL_TAIL_WHOLE },
        { "{\"a\" 1", NULL, 0, MODEL_TAIL_WHOLE },
        { "[1 2", NULL, 0, MODEL_TAIL_WHOLE },
        { "[1}", NULL, 0, MODEL_TAIL_WHOLE },
        { "[:", NULL, 0, MODEL_TAIL_WHOLE },
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        struct model_partial partial;
        struct buffer out;
        buffer_init(&out, alloc_default(), 4096);
        bool is_closed = model_partial_close(str_from(table[i].text), &out, &partial);
        bool is_right = is_closed == (table[i].closed != NULL) &&
                        (!is_closed || (str_equal(buffer_view(&out), str_from(table[i].closed)) &&
                                        partial.open_depth == table[i].open_depth &&
                                        partial.tail == table[i].tail));
        if (!is_right)
            print_error("%s: %.*s (%u, %d)\n", table[i].text, (int)out.len,
                        out.ptr == NULL ? "" : out.ptr, partial.open_depth, partial.tail);
        assert_true(is_right);
        buffer_release(&out);
    }
}

/* A valid reply cut anywhere: nothing in it is certain, so nothing is blamed. */
static void test_every_cut(void **state)
{
    (void)state;
    static const char text[] = "{\"name\":\"abcd\",\"tags\":[\"aa\",\"bb\"],\"inner\":{\"b\":-12,"
                               "\"a\":34},\"n\":1e1}";
    for (size_t len = 0; len < sizeof(text); len++) {
        struct scripted_reply script = { .bytes = { text, len }, .finish = MODEL_FINISH_ABORTED };
        struct run run;
        run_init(&run, SCHEMA, &script, 1);
        run.request.loops_max = 1;
        run_go(&run);
        if (!run_has(&run, "no continuation") && len > 0)
            print_error("%zu: %.*s\n", len, (int)run.result.len, run.result.ptr);
        assert_true(run_has(&run, len > 0 ? "no continuation" : "empty"));
        run_release(&run);
    }
}

static void scenario_call(struct test_alloc *heap, void *context)
{
    const struct schema_program *program = context;
    const struct scripted_reply script[] = {
        { .text = "{\"tags\":[\"cc\",\"d", .finish = MODEL_FINISH_ABORTED },
        { .text = "{\"tags\":[\"cc\",\"d", .finish = MODEL_FINISH_RUNAWAY },
        { .text = "x{\"tags\":[cc", .finish = MODEL_FINISH_ABORTED },
    };
    struct run run = { .alloc = &heap->alloc, .deadline_ms = INT64_MAX };
    run.request = (struct engine_request){ .prompt = STR("x"), .program = program };
    scripted_model_init(&run.model, script, COUNT(script));
    error_clear(&run.error);
    buffer_init(&run.result, run.alloc, 1 << 20);
    run_go(&run);
    assert_true(heap->failures > 0 ? run.status == STATUS_OK || run.status == STATUS_NO_MEMORY
                                   : run_has(&run, "\"status\":\"stale\""));
    run_release(&run);
}

static void test_memory(void **state)
{
    (void)state;
    struct schema_program *program = compile_schema(SCHEMA, alloc_default());
    test_alloc_failures(scenario_call, program);
    schema_program_free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),   cmocka_unit_test(test_next_iteration),
        cmocka_unit_test(test_closing), cmocka_unit_test(test_every_cut),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

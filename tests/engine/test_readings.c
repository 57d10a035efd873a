/* test_readings.c - the ledger: which readings make a reply valid, what is written down of them,
 * and that nothing is read into a reply that does not stand there. */
#include "base/features.h"

#include "engine_test.h"

#include "engine/ledger.h"

#define SCHEMA                                                                                     \
    "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},\"n\":{\"type\":"         \
    "\"integer\"},\"note\":{\"type\":\"string\"},\"tags\":{\"type\":\"array\",\"items\":{"         \
    "\"type\":\"string\"}},\"map\":{\"type\":\"object\",\"additionalProperties\":{\"type\":"       \
    "\"integer\"}},\"kind\":{\"enum\":[\"Alpha\",\"beta\"]},\"ok\":{\"type\":\"boolean\"},"        \
    "\"inner\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{"          \
    "\"type\":\"integer\"}},\"additionalProperties\":false}},\"required\":[\"name\"],"             \
    "\"additionalProperties\":false}"

#define BIT(reading) (1u << ENGINE_READ_##reading)

struct reading_case {
    const char *label;
    const char *reply;
    enum model_channel channel;
    unsigned refused, allowed;
    const char *data;    /* NULL: refused */
    const char *repairs; /* the member of the result, or a part of the result when refused */
};

static const struct reading_case cases[] = {
    { .label = "valid",
      .reply = "{\"name\":\"x\"}",
      .data = "{\"name\":\"x\"}",
      .repairs = "\"repairs\":[]" },

    /* text: spans are code points of the reply */
    { .label = "fence",
      .reply = "\xC3\xA9:\n```json\n{\"name\":\"x\"}\n```\n\xC3\xA9",
      .data = "{\"name\":\"x\"}",
      .repairs =
          "\"repairs\":[{\"name\":\"fence\",\"risk\":\"none\",\"span\":{\"start\":3,\"end\":"
          "27}},{\"name\":\"prose\",\"risk\":\"low\",\"span\":{\"start\":0,\"end\":2}},{"
          "\"name\":\"trailing-text\",\"risk\":\"low\",\"span\":{\"start\":28,\"end\":29}}]" },
    { .label = "reasoning",
      .reply = " <think>\xC3\xA9</think>{\"name\":\"x\"}",
      .data = "{\"name\":\"x\"}",
      .repairs = "[{\"name\":\"reasoning\",\"risk\":\"none\",\"span\":{\"start\":1,\"end\":17}}]" },
    { .label = "fence refused",
      .reply = "```\n{\"name\":\"x\"}\n```",
      .refused = BIT(FENCE),
      .repairs = "would need the reading \\\"fence\\\"" },
    { .label = "prose refused, fence not",
      .reply = "Here:\n```\n{\"name\":\"x\"}\n```",
      .refused = BIT(PROSE),
      .repairs = "\"prose\\\"" },
    { .label = "control characters refused",
      .reply = "{\"name\":\"x\ny\"}",
      .refused = BIT(CONTROL_CHARACTER),
      .repairs = "not valid JSON" },
    { .label = "control characters",
      .reply = "{\"name\":\"x\ny\"}",
      .data = "{\"name\":\"x\\ny\"}",
      .repairs = "\"control-character\",\"risk\":\"low\"" },

    /* channels */
    { .label = "tool",
      .reply = "{\"name\":\"x\"}",
      .channel = MODEL_CHANNEL_TOOL,
      .data = "{\"name\":\"x\"}",
      .repairs = "[{\"name\":\"tool-arguments\",\"risk\":\"none\"}]" },
    { .label = "tool refused",
      .reply = "{\"name\":\"x\"}",
      .channel = MODEL_CHANNEL_TOOL,
      .refused = BIT(TOOL_ARGUMENTS),
      .repairs = "arguments of a tool call" },
    { .label = "reasoning channel",
      .reply = "{\"name\":\"x\"}",
      .channel = MODEL_CHANNEL_REASONING,
      .repairs = "empty beside its reasoning" },
    { .label = "reasoning channel allowed",
      .reply = "{\"name\":\"x\"}",
      .channel = MODEL_CHANNEL_REASONING,
      .allowed = BIT(REASONING_CHANNEL),
      .data = "{\"name\":\"x\"}",
      .repairs = "[{\"name\":\"reasoning-channel\",\"risk\":\"meaning\"}]" },

    /* the whole value */
    { .label = "envelope",
      .reply = "{\"result\":{\"name\":\"x\"}}",
      .data = "{\"name\":\"x\"}",
      .repairs = "[{\"name\":\"envelope\",\"risk\":\"low\"}]" },
    { .label = "envelope refused",
      .reply = "{\"result\":{\"name\":\"x\"}}",
      .refused = BIT(ENVELOPE),
      .repairs = "\"repairs\":[]" },
    { .label = "envelope in a string in an envelope",
      .reply = "{\"a\":\"{\\\"b\\\":{\\\"name\\\":\\\"x\\\"}}\"}",
      .data = "{\"name\":\"x\"}",
      .repairs = "[{\"name\":\"envelope\",\"risk\":\"low\"},{\"name\":\"double-encoded\",\"risk\":"
                 "\"low\"}]" },
    { .label = "a member that the target knows is no envelope",
      .reply = "{\"inner\":{\"name\":\"x\"}}",
      .repairs = "\"keyword\":\"required\"" },
    { .label = "encoded refused",
      .reply = "\"{\\\"name\\\":\\\"x\\\"}\"",
      .refused = BIT(DOUBLE_ENCODED),
      .repairs = "\"keyword\":\"type\"" },

    /* null for an optional member */
    { .label = "null",
      .reply = "{\"name\":\"x\",\"note\":null,\"n\":1,\"tags\":null}",
      .data = "{\"name\":\"x\",\"n\":1}",
      .repairs = "[{\"name\":\"null-absent\",\"risk\":\"low\",\"pointer\":\"/note\"},{\"name\":"
                 "\"null-absent\",\"risk\":\"low\",\"pointer\":\"/tags\"}]" },
    { .label = "null in an envelope",
      .reply = "{\"x\":{\"name\":\"x\",\"inner\":{\"a\":null}}}",
      .data = "{\"name\":\"x\",\"inner\":{}}",
      .repairs = "\"pointer\":\"/inner/a\"" },
    { .label = "null for an enum",
      .reply = "{\"name\":\"x\",\"kind\":null}",
      .data = "{\"name\":\"x\"}",
      .repairs = "\"pointer\":\"/kind\"" },
    { .label = "null that is required",
      .reply = "{\"name\":null}",
      .repairs = "\"pointer\":\"/name\",\"keyword\":\"type\"" },
    { .label = "null beside a fault",
      .reply = "{\"name\":1,\"note\":null}",
      .repairs = "\"pointer\":\"/note\"" },
    { .label = "null in a list",
      .reply = "{\"name\":\"x\",\"tags\":[null]}",
      .repairs = "\"pointer\":\"/tags/0\"" },
    { .label = "null refused",
      .reply = "{\"name\":\"x\",\"note\":null}",
      .refused = BIT(NULL_ABSENT),
      .repairs = "\"pointer\":\"/note\"" },

    /* JSON in a string */
    { .label = "encoded list and object",
      .reply = "{\"name\":\"[1]\",\"tags\":\" [\\\"a\\\"] \",\"inner\":\"\\\"{\\\\\\\"a\\\\\\\":1}"
               "\\\"\"}",
      .data = "{\"name\":\"[1]\",\"tags\":[\"a\"],\"inner\":{\"a\":1}}",
      .repairs = "[{\"name\":\"double-encoded\",\"risk\":\"low\",\"pointer\":\"/tags\"},{\"name\":"
                 "\"double-encoded\",\"risk\":\"low\",\"pointer\":\"/inner\"}]" },
    { .label = "an encoded list with a null inside of an object",
      .reply = "{\"name\":\"x\",\"inner\":\"{\\\"a\\\":1,\\\"b\\\":null}\"}",
      .data = "{\"name\":\"x\",\"inner\":{\"a\":1}}",
      .repairs = "\"pointer\":\"/inner/b\"" },
    { .label = "a string that only looks like a list",
      .reply = "{\"name\":\"x\",\"tags\":\"[Bracketed Name.esp\"}",
      .repairs = "\"pointer\":\"/tags\",\"keyword\":\"type\"" },
    { .label = "JSON of another type",
      .reply = "{\"name\":\"x\",\"tags\":\"{}\"}",
      .repairs = "\"pointer\":\"/tags\",\"keyword\":\"type\"" },

    /* pairs */
    { .label = "pairs",
      .reply =
          "{\"name\":\"x\",\"map\":[{\"key\":\"a\",\"value\":1},{\"value\":2,\"key\":\"b\\\"\"}]}",
      .data = "{\"name\":\"x\",\"map\":{\"a\":1,\"b\\\"\":2}}",
      .repairs = "[{\"name\":\"key-value-map\",\"risk\":\"low\",\"pointer\":\"/map\"}]" },
    { .label = "a key twice",
      .reply = "{\"name\":\"x\",\"map\":[{\"key\":\"a\",\"value\":1},{\"key\":\"a\",\"value\":2}]}",
      .repairs = "\"pointer\":\"/map\"" },
    { .label = "pairs with more",
      .reply = "{\"name\":\"x\",\"map\":[{\"key\":\"a\",\"value\":1,\"z\":0}]}",
      .repairs = "\"pointer\":\"/map\"" },

    /* only by the caller's leave */
    { .label = "no coercion",
      .reply = "{\"name\":\"x\",\"n\":\"3\"}",
      .repairs = "\"pointer\":\"/n\",\"keyword\":\"type\"" },
    { .label = "coercion",
      .reply = "{\"name\":12.50,\"n\":\"3\",\"ok\":\"true\"}",
      .allowed = BIT(COERCED),
      .data = "{\"name\":\"12.50\",\"n\":3,\"ok\":true}",
      .repairs = "{\"name\":\"coerced\",\"risk\":\"meaning\",\"pointer\":\"/n\"}" },
    { .label = "coercion of what is no number",
      .reply = "{\"name\":\"x\",\"n\":\"3 apples\"}",
      .allowed = BIT(COERCED),
      .repairs = "\"pointer\":\"/n\"" },
    { .label = "coercion that is not valid",
      .reply = "{\"name\":\"x\",\"n\":\"3.5\"}",
      .allowed = BIT(COERCED),
      .repairs = "\"pointer\":\"/n\"" },
    { .label = "no single element",
      .reply = "{\"name\":\"x\",\"tags\":\"a\"}",
      .repairs = "\"pointer\":\"/tags\",\"keyword\":\"type\"" },
    { .label = "single element",
      .reply = "{\"name\":[\"x\"],\"tags\":\"a\"}",
      .allowed = BIT(SINGLE_ELEMENT),
      .data = "{\"name\":\"x\",\"tags\":[\"a\"]}",
      .repairs = "{\"name\":\"single-element\",\"risk\":\"meaning\",\"pointer\":\"/tags\"}" },
    { .label = "two elements",
      .reply = "{\"name\":[\"x\",\"y\"]}",
      .allowed = BIT(SINGLE_ELEMENT),
      .repairs = "\"pointer\":\"/name\"" },
    { .label = "single element, then coercion",
      .reply = "{\"name\":\"x\",\"n\":[\"3\"]}",
      .allowed = BIT(SINGLE_ELEMENT) | BIT(COERCED),
      .data = "{\"name\":\"x\",\"n\":3}",
      .repairs = "\"coerced\"" },

    /* the letter case counts unless the form that was asked for says otherwise */
    { .label = "case of an enum",
      .reply = "{\"name\":\"x\",\"kind\":\"ALPHA\"}",
      .repairs = "\"keyword\":\"enum\"" },
};

static bool check_case(const struct reading_case *expected)
{
    struct scripted_reply script = { .text = expected->reply, .channel = expected->channel };
    struct run run;
    struct buffer data;
    run_init(&run, SCHEMA, &script, 1);
    buffer_init(&data, run.alloc, 1 << 16);
    run.request.loops_max = 1;
    run.request.readings_refused = expected->refused;
    run.request.readings_allowed = expected->allowed;
    run_go(&run);
    buffer_append_str(&data, STR("\"data\":"));
    buffer_append_str(&data, str_from(expected->data));
    buffer_append_str(&data, STR(",\"schemaOrigin\""));
    bool is_right = expected->data == NULL
                        ? run_has(&run, "\"status\":\"stale\"") && run_has(&run, "\"repairs\":[]")
                        : engine_text_contains(run_text(&run), buffer_view(&data));
    is_right = is_right && run_has(&run, expected->repairs);
    if (!is_right)
        print_error("%s: %.*s\n", expected->label, (int)run.result.len, run.result.ptr);
    buffer_release(&data);
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

/* An open target would take its own schema for data. */
static void test_schema_itself(void **state)
{
    (void)state;
    static const char schema[] = "{\"type\":\"object\",\"properties\":{\"a\":{}},\"title\":\"T\"}";
    static const struct {
        const char *reply, *status;
    } table[] = {
        { "{\"properties\":{\"a\":{}},\"type\":\"object\",\"title\":\"T\"}",
          "\"status\":\"stale\"" },
        { "Sure:\n{\"x\":{\"type\":\"object\",\"properties\":{\"a\":{}},\"title\":\"T\"}}",
          "\"status\":\"ok\"" },
        { "{\"type\":\"object\",\"title\":\"T\"}", "\"status\":\"ok\"" },
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        struct scripted_reply script = { .text = table[i].reply };
        struct run run;
        run_init(&run, schema, &script, 1);
        run.request.loops_max = 1;
        run_go(&run);
        assert_true(run_has(&run, table[i].status));
        run_release(&run);
    }
}

static void test_names(void **state)
{
    (void)state;
    for (unsigned reading = 0; reading < ENGINE_READING_COUNT; reading++) {
        struct str name = engine_reading_name((enum engine_reading)reading);
        assert_int_equal(engine_reading_from(name), reading);
        assert_int_equal(engine_reading_risk((enum engine_reading)reading) == ENGINE_RISK_MEANING,
                         (engine_readings_of(0, 0) & (1u << reading)) == 0);
    }
    assert_int_equal(engine_reading_from(STR("guess")), ENGINE_READING_COUNT);
    assert_int_equal(engine_readings_of(UINT32_MAX, 0), 0);
    assert_int_equal(engine_readings_of(UINT32_MAX, UINT32_MAX),
                     BIT(COERCED) | BIT(SINGLE_ELEMENT) | BIT(REASONING_CHANNEL));
}

/* More places than the ledger holds: nothing is done that it could not list. */
static void test_full_ledger(void **state)
{
    (void)state;
    for (int over = 0; over < 2; over++) {
        struct buffer reply;
        struct run run;
        uint32_t places = ENGINE_LEDGER_MAX + (uint32_t)over;
        buffer_init(&reply, alloc_default(), 1 << 16);
        buffer_append_str(&reply, STR("{\"rows\":["));
        for (uint32_t i = 0; i < places; i++)
            buffer_append_str(&reply, i == 0 ? STR("{\"a\":null}") : STR(",{\"a\":null}"));
        buffer_append_str(&reply, STR("]}"));
        struct scripted_reply script = { .bytes = buffer_view(&reply) };
        run_init(&run,
                 "{\"type\":\"object\",\"properties\":{\"rows\":{\"type\":\"array\",\"items\":{"
                 "\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}}}}}}",
                 &script, 1);
        run.request.loops_max = 1;
        run_go(&run);
        assert_true(run_has(&run, over ? "\"status\":\"stale\"" : "\"status\":\"ok\""));
        run_release(&run);
        buffer_release(&reply);
    }
}

/* ---- properties
 * ----------------------------------------------------------------------------------------- */

struct maker {
    struct rng rng;
    struct rng_seeded word;
};

static uint64_t draw(struct maker *maker, uint64_t below)
{
    return maker->rng.next(maker->rng.state) % below;
}

static const char *const values[] = {
    "{\"name\":\"Zo\xC3\xAB\",\"n\":7,\"tags\":[\"a\",\"b c\"]}",
    "{\"name\":\"```json\\n{}\\n```\",\"map\":{\"k\":1}}",
    "{\"name\":\"{\\\"name\\\":\\\"q\\\"}\",\"inner\":{\"a\":1}}",
    "{\"n\":12345678901234567890,\"name\":\"<think>\",\"ok\":false,\"kind\":\"beta\"}",
    "{\"name\":\"tab\\t\\u0000 \\u00e9\"}",
};

enum wrapping { WRAP_FENCE, WRAP_PROSE, WRAP_REASONING, WRAP_ENVELOPE, WRAP_STRING, WRAP_COUNT };

/* out: text in one more wrapping. Value wrappings come before those of text. */
static void wrap(struct maker *maker, enum wrapping wrapping, struct str text, struct buffer *out)
{
    static const char *const prose[] = { "Sure! ", "Here is it:\n", "I used [1] and {that}.\n" };
    static const char *const tails[] = { "", "\nDone [2].", " <|im_end|>" };
    static const char *const names[] = { "result", "data", "output", "" };
    buffer_clear(out);
    switch (wrapping) {
    case WRAP_ENVELOPE:
        buffer_printf(out, "{\"%s\": ", names[draw(maker, COUNT(names))]);
        buffer_append_str(out, text);
        buffer_append_str(out, STR("}"));
        return;
    case WRAP_STRING: json_write_string(text, out); return;
    case WRAP_FENCE:
        buffer_append_str(out, draw(maker, 2) == 0 ? STR("```json\n") : STR("~~~\n"));
        buffer_append_str(out, text);
        buffer_append_str(out, STR("\n```"));
        return;
    case WRAP_REASONING:
        buffer_append_str(out, STR("<think>maybe {\"name\":\"no\"} or {</think>\n"));
        buffer_append_str(out, text);
        return;
    case WRAP_PROSE:
        buffer_append_str(out, str_from(prose[draw(maker, COUNT(prose))]));
        buffer_append_str(out, text);
        buffer_append_str(out, str_from(tails[draw(maker, COUNT(tails))]));
        return;
    case WRAP_COUNT: return;
    }
}

/* A valid value in some wrappings, the ones of the value first (three at the most). */
static const char *make_wrapped(struct maker *maker, struct buffer *text, struct buffer *other)
{
    const char *value = values[draw(maker, COUNT(values))];
    uint64_t inner = draw(maker, 4);
    bool is_string = false;
    buffer_clear(text);
    buffer_append_str(text, str_from(value));
    for (uint64_t i = 0; i < inner; i++) {
        is_string = draw(maker, 2) == 0;
        wrap(maker, is_string ? WRAP_STRING : WRAP_ENVELOPE, buffer_view(text), other);
        struct buffer swap = *text;
        *text = *other;
        *other = swap;
    }
    for (int kind = WRAP_FENCE; kind <= WRAP_REASONING && !is_string; kind++) {
        if (draw(maker, 2) == 0)
            continue;
        wrap(maker, (enum wrapping)kind, buffer_view(text), other);
        struct buffer swap = *text;
        *text = *other;
        *other = swap;
    }
    return value;
}

static uint64_t seed_count(void)
{
    const char *seeds = getenv("STRUCTURE_SEEDS");
    return seeds == NULL ? 2000 : strtoull(seeds, NULL, 10);
}

static void run_reply(struct run *run, struct scripted_reply *script, const struct buffer *text)
{
    *script = (struct scripted_reply){ .bytes = buffer_view(text) };
    run_init(run, SCHEMA, script, 1);
    run->request.loops_max = 1;
    run_go(run);
}

/* However a valid value is wrapped, it comes out; and it has a reading exactly when it was. */
static void test_wrappings(void **state)
{
    (void)state;
    struct buffer text, other;
    buffer_init(&text, alloc_default(), 1 << 20);
    buffer_init(&other, alloc_default(), 1 << 20);
    for (uint64_t seed = 0; seed < seed_count(); seed++) {
        struct maker maker;
        struct run run;
        struct scripted_reply script;
        struct json_doc *want = NULL;
        struct error error = { 0 };
        uint64_t budget = 100000;
        maker.rng = rng_from_seed(&maker.word, seed);
        const char *value = make_wrapped(&maker, &text, &other);
        bool is_plain = str_equal(buffer_view(&text), str_from(value));
        run_reply(&run, &script, &text);
        const struct engine_result *result = engine_call_result(run.call);
        assert_int_equal(json_parse(str_from(value), NULL, alloc_default(), &want, &error),
                         STATUS_OK);
        bool is_right = result != NULL && result->status == ENGINE_OK &&
                        json_equal(result->data, json_doc_root(want), &budget) &&
                        (result->repair_count == 0) == is_plain;
        if (!is_right)
            print_error("seed %llu: %.*s\n -> %.*s\n", (unsigned long long)seed, (int)text.len,
                        text.ptr, (int)run.result.len, run.result.ptr);
        assert_true(is_right);
        json_doc_free(want);
        run_release(&run);
    }
    buffer_release(&text);
    buffer_release(&other);
}

/* Every scalar of data is spelled in the reply, but for escapes. */
static bool is_spelled(struct json data, struct str reply)
{
    struct json stack[64], next[64];
    size_t depth = 1;
    stack[0] = data;
    next[0] = json_first(data);
    while (depth > 0) {
        struct json value = next[depth - 1];
        if (!json_exists(value)) {
            depth--;
            continue;
        }
        next[depth - 1] = json_next(value, stack[depth - 1]);
        enum json_type type = json_type(value);
        if (type == JSON_OBJECT || type == JSON_ARRAY) {
            stack[depth] = value;
            next[depth++] = json_first(value);
        } else if (type == JSON_NUMBER && !engine_text_contains(reply, json_number_text(value))) {
            return false;
        } else if (type == JSON_STRING) {
            /* up to the first byte that may have been escaped */
            struct str text = json_string(value);
            size_t len = 0;
            while (len < text.len && (unsigned char)text.ptr[len] >= 0x20 &&
                   (unsigned char)text.ptr[len] < 0x7F && text.ptr[len] != '"' &&
                   text.ptr[len] != '\\' && text.ptr[len] != '/')
                len++;
            if (!engine_text_contains(reply, (struct str){ text.ptr, len }))
                return false;
        }
    }
    return true;
}

/* Whatever is spoilt in a reply: what comes out validates, and stands in it. */
static void test_nothing_is_invented(void **state)
{
    (void)state;
    struct buffer text, other;
    uint64_t ok = 0;
    buffer_init(&text, alloc_default(), 1 << 20);
    buffer_init(&other, alloc_default(), 1 << 20);
    for (uint64_t seed = 0; seed < 2 * seed_count(); seed++) {
        struct maker maker;
        struct run run;
        struct scripted_reply script;
        maker.rng = rng_from_seed(&maker.word, seed + 1000000);
        (void)make_wrapped(&maker, &text, &other);
        for (uint64_t changes = 1 + draw(&maker, 3); changes > 0 && text.len > 1; changes--) {
            size_t at = (size_t)draw(&maker, text.len);
            if (draw(&maker, 2) == 0)
                buffer_truncate(&text, at);
            else
                text.ptr[at] = "{}[]\",:\\ \n1nt`<>x"[draw(&maker, 17)];
        }
        run_reply(&run, &script, &text);
        const struct engine_result *result = engine_call_result(run.call);
        if (result != NULL && result->status == ENGINE_OK) {
            bool is_valid = false;
            struct error error = { 0 };
            ok++;
            assert_int_equal(
                schema_is_valid(run.program, result->data, 0, alloc_default(), &is_valid, &error),
                STATUS_OK);
            if (!is_valid || !is_spelled(result->data, buffer_view(&text)))
                print_error("seed %llu: %.*s\n -> %.*s\n", (unsigned long long)seed, (int)text.len,
                            text.ptr, (int)run.result.len, run.result.ptr);
            assert_true(is_valid && is_spelled(result->data, buffer_view(&text)));
        }
        run_release(&run);
    }
    assert_true(ok > 0);
    buffer_release(&text);
    buffer_release(&other);
}

/* ---- memory
 * --------------------------------------------------------------------------------------------- */

struct scenario {
    const struct schema_program *program;
    const char *reply;
};

static void scenario_call(struct test_alloc *heap, void *context)
{
    const struct scenario *scenario = context;
    struct scripted_reply script = { .text = scenario->reply };
    struct run run = { .alloc = &heap->alloc, .deadline_ms = INT64_MAX };
    run.request = (struct engine_request){ .prompt = STR("x"),
                                           .program = scenario->program,
                                           .readings_allowed = UINT32_MAX,
                                           .loops_max = 1,
                                           .temperature = -1 };
    scripted_model_init(&run.model, &script, 1);
    error_clear(&run.error);
    buffer_init(&run.result, run.alloc, 1 << 20);
    run_go(&run);
    assert_true(heap->failures > 0 ? run.status == STATUS_OK || run.status == STATUS_NO_MEMORY
                                   : run_has(&run, "\"repairs\":[{"));
    run_release(&run);
}

static void test_memory(void **state)
{
    (void)state;
    struct schema_program *program = compile_schema(SCHEMA, alloc_default());
    static const char *const replies[] = {
        "Sure: {\"x\":\"{\\\"name\\\":\\\"a\\\",\\\"note\\\":null,\\\"tags\\\":\\\"[]\\\"}\"}",
        "{\"name\":\"a\nb\",\"map\":[{\"key\":\"k\",\"value\":\"1\"}],\"n\":[3]}",
    };
    for (size_t i = 0; i < COUNT(replies); i++) {
        struct scenario scenario = { program, replies[i] };
        test_alloc_failures(scenario_call, &scenario);
    }
    schema_program_free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),         cmocka_unit_test(test_names),
        cmocka_unit_test(test_schema_itself), cmocka_unit_test(test_full_ledger),
        cmocka_unit_test(test_wrappings),     cmocka_unit_test(test_nothing_is_invented),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

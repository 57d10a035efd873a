/* test_projected.c - replies to a schema that went over the wire in another form: the target's
 * value comes out, and faults are told in the target's terms. */
#include "base/features.h"

#include "engine_test.h"

/* Every member required, no maps, no union at the root, letter case not promised. */
#define STRICT                                                                                     \
    "{\"date\":\"2026-01-01\",\"source\":\"test\",\"strict\":true,\"mustClose\":true,"             \
    "\"foldsCase\":true,\"enforced\":[\"typeList\",\"enumStrings\",\"enumScalars\",\"const\","     \
    "\"additionalFalse\",\"anyOf\",\"ref\",\"refRecursive\"],\"accepted\":[\"title\","             \
    "\"description\"]}"

#define SCHEMA                                                                                     \
    "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"minLength\":2},"         \
    "\"note\":{\"type\":\"string\"},\"kind\":{\"enum\":[\"Alpha\",\"beta\"]},\"map\":{"            \
    "\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"}},\"list\":{\"type\":"     \
    "\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\","        \
    "\"maximum\":9},\"b\":{\"type\":[\"integer\",\"null\"]}},\"required\":[\"a\"],"                \
    "\"additionalProperties\":false}}},\"required\":[\"name\"],\"additionalProperties\":false}"

struct projected {
    struct arena arena;
    struct json_doc *rules_doc;
    struct wire_rules rules;
    struct schema_program *program;
    struct projection *projection;
};

static void projected_init(struct projected *projected, const char *schema, struct str need_name)
{
    struct error error = { 0 };
    arena_init(&projected->arena, alloc_default(), 1 << 20);
    assert_int_equal(
        json_parse(str_from(STRICT), NULL, alloc_default(), &projected->rules_doc, &error),
        STATUS_OK);
    enum status status = wire_rules_read(STR("test"), json_doc_root(projected->rules_doc),
                                         &projected->arena, &projected->rules, &error);
    if (status != STATUS_OK)
        print_error("rules: %s\n", error.message);
    assert_int_equal(status, STATUS_OK);
    projected->program = compile_schema(schema, alloc_default());
    struct projection_options options = { .program = projected->program,
                                          .rules = &projected->rules,
                                          .need_name = need_name,
                                          .rung = PROJECTION_FULL };
    assert_int_equal(projection_new(&options, alloc_default(), &projected->projection, &error),
                     STATUS_OK);
}

static void projected_release(struct projected *projected)
{
    projection_free(projected->projection);
    schema_program_free(projected->program);
    json_doc_free(projected->rules_doc);
    arena_release(&projected->arena);
}

/* value, which is valid for the target, as the wire has it. Released by the caller. */
static struct buffer wire_form(const struct projected *projected, const char *value)
{
    struct buffer wire;
    struct json_doc *doc = NULL;
    struct error error = { 0 };
    buffer_init(&wire, alloc_default(), 1 << 20);
    assert_int_equal(json_parse(str_from(value), NULL, alloc_default(), &doc, &error), STATUS_OK);
    assert_int_equal(projection_convert(projected->projection, json_doc_root(doc), &wire, &error),
                     STATUS_OK);
    json_doc_free(doc);
    return wire;
}

static void run_projected(struct run *run, const struct projected *projected,
                          struct scripted_reply *script)
{
    script->projection = projected->projection;
    script->was_strict = true;
    run_init(run, SCHEMA, script, 1);
    run->request.loops_max = 1;
    run_go(run);
}

static const char *const values[] = {
    "{\"name\":\"ab\"}",
    "{\"name\":\"ab\",\"note\":\"n\",\"kind\":\"beta\"}",
    "{\"name\":\"ab\",\"map\":{\"x\":1,\"y\":2}}",
    "{\"name\":\"ab\",\"map\":{},\"list\":[]}",
    "{\"name\":\"ab\",\"list\":[{\"a\":1,\"b\":5},{\"a\":2,\"b\":null},{\"a\":3,\"b\":4}]}",
};

static bool has_data(const struct run *run, const char *value)
{
    uint64_t budget = 100000;
    struct json_doc *doc = NULL;
    struct error error = { 0 };
    const struct engine_result *result = engine_call_result(run->call);
    assert_int_equal(json_parse(str_from(value), NULL, alloc_default(), &doc, &error), STATUS_OK);
    bool is_equal = result != NULL && result->status == ENGINE_OK &&
                    json_equal(result->data, json_doc_root(doc), &budget);
    if (!is_equal)
        print_error("%s: %.*s\n", value, (int)run->result.len, run->result.ptr);
    json_doc_free(doc);
    return is_equal;
}

/* In the wire's form, directly, and with text or a string around it. */
static void test_forms(void **state)
{
    (void)state;
    struct projected projected;
    projected_init(&projected, SCHEMA, STR("_need"));
    for (size_t i = 0; i < COUNT(values); i++) {
        struct buffer wire = wire_form(&projected, values[i]);
        struct buffer around, string;
        buffer_init(&around, alloc_default(), 1 << 20);
        buffer_init(&string, alloc_default(), 1 << 20);
        buffer_printf(&around, "```json\n%.*s\n```", (int)wire.len, wire.ptr);
        json_write_string(buffer_view(&wire), &string);
        struct scripted_reply scripts[] = { { .bytes = buffer_view(&wire) },
                                            { .text = values[i] },
                                            { .bytes = buffer_view(&around) },
                                            { .bytes = buffer_view(&string) } };
        for (size_t k = 0; k < COUNT(scripts); k++) {
            struct run run;
            run_projected(&run, &projected, &scripts[k]);
            assert_true(has_data(&run, values[i]));
            assert_true(run_has(&run, "\"projection\":{\"strict\":true,\"rung\":0,\"form\":"));
            assert_int_equal(run_has(&run, "\"double-encoded\""), k == 3);
            assert_int_equal(run_has(&run, "\"fence\""), k == 2);
            run_release(&run);
        }
        buffer_release(&wire);
        buffer_release(&around);
        buffer_release(&string);
    }
    projected_release(&projected);
}

/* The need object in the envelope's form, and alone. */
static void test_need(void **state)
{
    (void)state;
    static const char *const replies[] = { "{\"_need\":\"the name\"}",
                                           "{\"data\":null,\"_need\":\"the name\"}" };
    struct projected projected;
    projected_init(&projected, SCHEMA, STR("_need"));
    for (size_t i = 0; i < COUNT(replies); i++) {
        struct scripted_reply script = { .text = replies[i] };
        struct run run;
        run_projected(&run, &projected, &script);
        if (!run_has(&run, "\"need\":\"the name\""))
            print_error("%s: %.*s\n", replies[i], (int)run.result.len, run.result.ptr);
        assert_true(run_has(&run, "\"need\":\"the name\""));
        run_release(&run);
    }
    projected_release(&projected);
}

/* part is replaced by with, which makes the wire's value invalid. */
static void spoil(struct buffer *wire, const char *part, const char *with)
{
    const char *found = strstr(wire->ptr, part);
    assert_non_null(found);
    struct buffer spoilt;
    size_t begin = (size_t)(found - wire->ptr);
    buffer_init(&spoilt, alloc_default(), 1 << 20);
    buffer_append(&spoilt, wire->ptr, begin);
    buffer_append_str(&spoilt, str_from(with));
    buffer_append_str(&spoilt, engine_text_skip(buffer_view(wire), begin + strlen(part)));
    buffer_release(wire);
    *wire = spoilt;
}

/* Pointers are the target's, lines are the reply's. */
static void test_faults(void **state)
{
    (void)state;
    static const struct {
        const char *value, *part, *with, *has;
    } table[] = {
        { "{\"name\":\"ab\",\"list\":[{\"a\":1},{\"a\":2}]}", "2", "\n\n22",
          "\"pointer\":\"/list/1/a\",\"keyword\":\"maximum\"" },
        { "{\"name\":\"ab\",\"list\":[{\"a\":1},{\"a\":2}]}", "2", "\n\n22",
          "\"line\":3,\"column\":1}" },
        { "{\"name\":\"ab\",\"map\":{\"x\":1,\"yy\":2}}", "2", "\n2.5",
          "\"pointer\":\"/map/yy\",\"keyword\":\"type\"" },
        { "{\"name\":\"ab\"}", "\"ab\"", "\"a\"",
          "\"pointer\":\"/name\",\"keyword\":\"minLength\"" },
        { "{\"name\":\"ab\"}", "\"ab\"", "null", "\"pointer\":\"/name\",\"keyword\":\"type\"" },
    };
    struct projected projected;
    projected_init(&projected, SCHEMA, STR("_need"));
    for (size_t i = 0; i < COUNT(table); i++) {
        struct buffer wire = wire_form(&projected, table[i].value);
        struct run run;
        spoil(&wire, table[i].part, table[i].with);
        struct scripted_reply script = { .bytes = buffer_view(&wire) };
        run_projected(&run, &projected, &script);
        if (!run_has(&run, table[i].has))
            print_error("%zu: %.*s\n%.*s\n", i, (int)wire.len, wire.ptr, (int)run.result.len,
                        run.result.ptr);
        assert_true(run_has(&run, "\"status\":\"stale\""));
        assert_true(run_has(&run, table[i].has));
        run_release(&run);
        buffer_release(&wire);
    }
    projected_release(&projected);
}

/* The letter case, from a provider that does not promise it: one word, or none. */
static void test_case(void **state)
{
    (void)state;
    static const struct {
        const char *with, *has;
    } table[] = {
        { "\"ALPHA\"", "\"data\":{\"name\":\"ab\",\"kind\":\"Alpha\"}" },
        { "\"ALPHA\"", "{\"name\":\"enum-case\",\"risk\":\"low\",\"pointer\":\"/kind\"}" },
        { "\"Alphas\"", "\"keyword\":\"enum\"" },
    };
    struct projected projected;
    projected_init(&projected, SCHEMA, STR("_need"));
    for (size_t i = 0; i < COUNT(table); i++) {
        struct buffer wire = wire_form(&projected, "{\"name\":\"ab\",\"kind\":\"Alpha\"}");
        struct run run;
        spoil(&wire, "\"Alpha\"", table[i].with);
        struct scripted_reply script = { .bytes = buffer_view(&wire) };
        run_projected(&run, &projected, &script);
        assert_true(run_has(&run, table[i].has));
        run_release(&run);
        buffer_release(&wire);
    }
    projected_release(&projected);
}

/* Stopped in the middle: the fault is told in the target's terms, what is open is not blamed. */
static void test_stopped(void **state)
{
    (void)state;
    struct projected projected;
    projected_init(&projected, SCHEMA, STR("_need"));
    struct buffer wire = wire_form(&projected, "{\"name\":\"ab\",\"list\":[{\"a\":1},{\"a\":2}]}");
    spoil(&wire, "2", "22,");
    struct scripted_reply script = { .bytes = { wire.ptr,
                                                (size_t)(strstr(wire.ptr, "22,") - wire.ptr) + 3 },
                                     .finish = MODEL_FINISH_ABORTED };
    struct run run;
    run_projected(&run, &projected, &script);
    assert_true(
        run_has(&run, "\"violations\":[{\"pointer\":\"/list/1/a\",\"keyword\":\"maximum\""));
    assert_false(run_has(&run, "required"));
    run_release(&run);
    /* every cut of a right reply: nothing in it is blamed */
    buffer_release(&wire);
    for (size_t i = 0; i < COUNT(values); i++) {
        wire = wire_form(&projected, values[i]);
        for (size_t len = 1; len <= wire.len; len++) {
            struct scripted_reply cut = { .bytes = { wire.ptr, len },
                                          .finish = MODEL_FINISH_ABORTED };
            run_projected(&run, &projected, &cut);
            if (!run_has(&run, "no continuation"))
                print_error("%.*s: %.*s\n", (int)len, wire.ptr, (int)run.result.len,
                            run.result.ptr);
            assert_true(run_has(&run, "no continuation"));
            run_release(&run);
        }
        buffer_release(&wire);
    }
    projected_release(&projected);
}

struct scenario {
    const struct projected *projected;
    struct str reply;
};

static void scenario_call(struct test_alloc *heap, void *context)
{
    const struct scenario *scenario = context;
    struct scripted_reply script = { .bytes = scenario->reply,
                                     .projection = scenario->projected->projection };
    struct run run = { .alloc = &heap->alloc, .deadline_ms = INT64_MAX };
    run.request = (struct engine_request){ .prompt = STR("x"),
                                           .program = scenario->projected->program,
                                           .loops_max = 1 };
    scripted_model_init(&run.model, &script, 1);
    error_clear(&run.error);
    buffer_init(&run.result, run.alloc, 1 << 20);
    run_go(&run);
    if (heap->failures > 0)
        assert_true(run.status == STATUS_OK || run.status == STATUS_NO_MEMORY);
    else
        assert_int_equal(run.status, STATUS_OK);
    run_release(&run);
}

static void test_memory(void **state)
{
    (void)state;
    struct projected projected;
    projected_init(&projected, SCHEMA, STR("_need"));
    for (int is_spoilt = 0; is_spoilt < 2; is_spoilt++) {
        struct buffer wire = wire_form(&projected, values[4]);
        if (is_spoilt)
            spoil(&wire, "\"ab\"", "\"a\"");
        struct scenario scenario = { &projected, buffer_view(&wire) };
        test_alloc_failures(scenario_call, &scenario);
        buffer_release(&wire);
    }
    projected_release(&projected);
}

/* A question beside data counts: what the model missed it may have made up. A blank one is none. */
static void test_a_question_beside_data(void **state)
{
    static const struct {
        const char *reply, *has;
    } table[] = {
        { "{\"data\":{\"name\":\"ab\"},\"_need\":\"the kind\"}", "\"status\":\"need-more-input\"" },
        { "{\"data\":{\"name\":\"ab\"},\"_need\":\" \"}", "\"status\":\"ok\"" },
        { "{\"data\":{\"name\":\"ab\"},\"_need\":null}", "\"status\":\"ok\"" },
        { "{\"data\":null,\"_need\":\"the name\"}", "\"need\":\"the name\"" },
    };
    (void)state;
    struct projected projected;
    projected_init(&projected, SCHEMA, STR("_need"));
    for (size_t i = 0; i < COUNT(table); i++) {
        struct run run;
        struct scripted_reply script = { .text = table[i].reply };
        run_projected(&run, &projected, &script);
        if (!run_has(&run, table[i].has))
            print_error("%s: %.*s\n", table[i].reply, (int)run.result.len, run.result.ptr);
        assert_true(run_has(&run, table[i].has));
        run_release(&run);
    }
    projected_release(&projected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_need),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_case),
        cmocka_unit_test(test_a_question_beside_data),
        cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

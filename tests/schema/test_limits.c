/* test_limits.c - sizes: what grows must grow in proportion, and what cannot is stopped by a named
 * limit. Steps are counted, not time.
 */
#include "base/features.h"

#include "schema_test.h"

#include "base/limits.h"

enum { BIG_TEXT_BYTES = 1 << 23 };

/* before, count times the item with its number, after. */
static void repeat(struct buffer *out, const char *before, const char *item, unsigned count,
                   const char *after)
{
    buffer_clear(out);
    buffer_append_str(out, str_from(before));
    for (unsigned i = 0; i < count; i++) {
        if (i > 0)
            buffer_append_byte(out, ',');
        for (const char *at = item; *at != '\0'; at++) {
            if (*at == '#')
                buffer_append_uint(out, i);
            else
                buffer_append_byte(out, *at);
        }
    }
    buffer_append_str(out, str_from(after));
    assert_int_equal(buffer_status(out), STATUS_OK);
}

static struct schema_program *compile_buffer(const struct buffer *text)
{
    struct schema_program *program = NULL;
    struct error error;
    error_clear(&error);
    if (schema_compile_text(buffer_view(text), NULL, alloc_default(), &program, &error) !=
        STATUS_OK)
        fail_msg("%s at %s", error.message, error.pointer);
    return program;
}

/* The verdict within so many steps. */
static bool judge_within(const struct schema_program *program, const struct buffer *text,
                         uint64_t steps)
{
    struct json_doc *doc = parse_text(buffer_view(text));
    struct error error;
    bool valid = false;
    error_clear(&error);
    enum status status =
        schema_is_valid(program, json_doc_root(doc), steps, alloc_default(), &valid, &error);
    if (status != STATUS_OK)
        fail_msg("%s", error.message);
    json_doc_free(doc);
    return valid;
}

static void judges_objects_of_1000_properties(void **state)
{
    (void)state;
    struct buffer text;
    buffer_init(&text, alloc_default(), BIG_TEXT_BYTES);
    repeat(&text, "{\"properties\":{", "\"name#\":{\"type\":\"integer\"}", 1000,
           "},\"additionalProperties\":false,\"minProperties\":1000}");
    struct schema_program *program = compile_buffer(&text);
    repeat(&text, "{", "\"name#\":#", 1000, "}");
    assert_true(judge_within(program, &text, 5000));
    repeat(&text, "{", "\"name#\":\"#\"", 1000, "}");
    assert_false(judge_within(program, &text, 5000));
    schema_program_free(program);
    buffer_release(&text);
}

/* More required names than fit one word of bits. */
static void counts_200_required_names(void **state)
{
    (void)state;
    struct buffer text;
    buffer_init(&text, alloc_default(), BIG_TEXT_BYTES);
    repeat(&text, "{\"items\":{\"required\":[", "\"n#\"", 200, "]}}");
    struct schema_program *program = compile_buffer(&text);
    repeat(&text, "[{", "\"n#\":0", 200, "}]");
    assert_true(judge_within(program, &text, 5000));
    repeat(&text, "[{\"m\":0,", "\"n#\":0", 199, "}]");
    assert_false(judge_within(program, &text, 5000));
    schema_program_free(program);
    buffer_release(&text);
}

static void finds_twins_among_20000_items(void **state)
{
    (void)state;
    static const char *const items[] = { "#", "\"text #\"", "{\"a\":#,\"b\":[#,null]}" };
    struct schema_program *program = compile_text("{\"uniqueItems\":true}");
    struct buffer text;
    buffer_init(&text, alloc_default(), BIG_TEXT_BYTES);
    for (size_t i = 0; i < COUNT(items); i++) {
        repeat(&text, "[", items[i], 20000, "]");
        assert_true(judge_within(program, &text, 200000));
        buffer_truncate(&text, text.len - 1);
        buffer_append_byte(&text, ',');
        buffer_append_str(&text, i == 0   ? STR("1.9999e4]")
                                 : i == 1 ? STR("\"text 7\"]")
                                          : STR("{\"b\":[7.0,null],\"a\":7}]"));
        assert_false(judge_within(program, &text, 200000));
    }
    buffer_release(&text);
    schema_program_free(program);
}

static void looks_up_20000_enum_values(void **state)
{
    (void)state;
    struct buffer text;
    buffer_init(&text, alloc_default(), BIG_TEXT_BYTES);
    repeat(&text, "{\"items\":{\"enum\":[", "\"value-#\"", 20000, "]}}");
    struct schema_program *program = compile_buffer(&text);
    repeat(&text, "[", "\"value-#\"", 20000, "]");
    assert_true(judge_within(program, &text, 200000));
    schema_program_free(program);
    buffer_release(&text);
}

/* Alternatives that contain themselves: without memory 3^depth, with it a few hundred steps. */
static void judges_nested_alternatives_once(void **state)
{
    (void)state;
    struct schema_program *program =
        compile_text("{\"oneOf\":[{\"type\":\"object\",\"properties\":{\"c\":{\"$ref\":\"#\"},"
                     "\"x\":{\"const\":1}},\"required\":[\"x\"]},"
                     "{\"type\":\"object\",\"properties\":{\"c\":{\"$ref\":\"#\"},\"x\":{\"const\":"
                     "2}},\"required\":[\"x\"]},"
                     "{\"type\":\"object\",\"properties\":{\"c\":{\"$ref\":\"#\"},\"y\":{\"const\":"
                     "3}},\"required\":[\"c\"]},"
                     "{\"type\":\"object\",\"properties\":{\"c\":{\"$ref\":\"#\"},\"y\":{\"const\":"
                     "4}},\"required\":[\"c\"]},"
                     "{\"const\":0}]}");
    struct buffer text;
    buffer_init(&text, alloc_default(), BIG_TEXT_BYTES);
    for (unsigned i = 0; i < 60; i++)
        buffer_append_str(&text, STR("{\"c\":"));
    buffer_append_byte(&text, '0');
    for (unsigned i = 0; i < 60; i++)
        buffer_append_str(&text, i % 2 == 0 ? STR(",\"y\":3}") : STR(",\"y\":4}"));
    assert_true(judge_within(program, &text, 20000));
    struct json_doc *doc = parse_text(buffer_view(&text));
    assert_true(judge_root(program, json_doc_root(doc)));
    json_doc_free(doc);
    buffer_release(&text);
    schema_program_free(program);
}

/* Thirty levels, each three times the next: 3^30 paths. */
static void judges_a_billion_paths_once(void **state)
{
    (void)state;
    static const char *const combinators[] = { "anyOf", "allOf", "oneOf" };
    for (size_t k = 0; k < COUNT(combinators); k++) {
        struct buffer text;
        buffer_init(&text, alloc_default(), BIG_TEXT_BYTES);
        buffer_append_str(&text, STR("{\"$ref\":\"#/$defs/l0\",\"$defs\":{"));
        for (unsigned i = 0; i < 30; i++)
            buffer_printf(&text,
                          "\"l%u\":{\"%s\":[{\"$ref\":\"#/$defs/l%u\"},{\"$ref\":\"#/$defs/l%u\"},"
                          "{\"$ref\":\"#/$defs/l%u\"}]},",
                          i, combinators[k], i + 1, i + 1, i + 1);
        buffer_append_str(&text, STR("\"l30\":{\"required\":[\"b\"]}}}"));
        struct schema_program *program = compile_buffer(&text);
        buffer_clear(&text);
        buffer_append_str(&text, STR("{\"a\":1}"));
        assert_false(judge_within(program, &text, 20000));
        struct json_doc *doc = parse_text(buffer_view(&text));
        assert_false(judge_root(program, json_doc_root(doc)));
        json_doc_free(doc);
        schema_program_free(program);
        buffer_release(&text);
    }
}

static void follows_a_chain_of_5000_references(void **state)
{
    (void)state;
    struct buffer text;
    buffer_init(&text, alloc_default(), BIG_TEXT_BYTES);
    buffer_append_str(&text, STR("{\"$ref\":\"#/$defs/l0\",\"$defs\":{"));
    for (unsigned i = 0; i < 5000; i++)
        buffer_printf(&text, "\"l%u\":{\"$ref\":\"#/$defs/l%u\"},", i, i + 1);
    buffer_append_str(&text, STR("\"l5000\":{\"type\":\"integer\"}}}"));
    struct schema_program *program = compile_buffer(&text);
    assert_true(judge_text(program, "1"));
    assert_false(judge_text(program, "\"1\""));
    schema_program_free(program);
    buffer_release(&text);
}

/* The same with a keyword beside each reference, so that no link can be skipped: frames. */
static void nests_5000_frames(void **state)
{
    (void)state;
    struct buffer text;
    buffer_init(&text, alloc_default(), BIG_TEXT_BYTES);
    buffer_append_str(&text, STR("{\"$ref\":\"#/$defs/l0\",\"$defs\":{"));
    for (unsigned i = 0; i < 5000; i++)
        buffer_printf(&text, "\"l%u\":{\"$ref\":\"#/$defs/l%u\",\"minimum\":0},", i, i + 1);
    buffer_append_str(&text, STR("\"l5000\":{\"multipleOf\":2}}}"));
    struct schema_program *program = compile_buffer(&text);
    assert_true(judge_text(program, "2"));
    assert_false(judge_text(program, "1"));
    schema_program_free(program);
    buffer_release(&text);
}

/* LIMIT_VALIDATE_STEPS and its option: a budget that is used up is no verdict. */
static void stops_at_the_step_budget(void **state)
{
    (void)state;
    struct schema_program *program = compile_text("{\"items\":{\"items\":{\"minimum\":0}}}");
    struct json_doc *doc =
        parse_text(STR("[[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]]"));
    bool valid = true;
    struct error error;
    error_clear(&error);
    assert_int_equal(
        schema_is_valid(program, json_doc_root(doc), 10, alloc_default(), &valid, &error),
        STATUS_UNSUPPORTED);
    assert_non_null(strstr(error.message, "10 steps"));
    assert_int_equal(schema_is_valid(program, json_doc_root(doc), LIMIT_VALIDATE_STEPS,
                                     alloc_default(), &valid, NULL),
                     STATUS_OK);
    json_doc_free(doc);
    schema_program_free(program);
}

/* LIMIT_SCHEMA_BYTES, LIMIT_JSON_DEPTH: the schema's fault, with the place. */
static void refuses_schemas_beyond_the_limits(void **state)
{
    (void)state;
    struct buffer text;
    struct schema_program *program = NULL;
    struct error error;
    buffer_init(&text, alloc_default(), 2 * LIMIT_SCHEMA_BYTES);
    repeat(&text, "{\"description\":\"", "a long text without an end #", LIMIT_SCHEMA_BYTES / 24,
           "\"}");
    error_clear(&error);
    assert_int_equal(
        schema_compile_text(buffer_view(&text), NULL, alloc_default(), &program, &error),
        STATUS_INVALID_SCHEMA);
    buffer_clear(&text);
    for (unsigned i = 0; i < 50000; i++)
        buffer_append_str(&text, STR("{\"items\":"));
    error_clear(&error);
    assert_int_equal(
        schema_compile_text(buffer_view(&text), NULL, alloc_default(), &program, &error),
        STATUS_INVALID_SCHEMA);
    buffer_release(&text);
}

/* As many references as places they lead to, by name and by index: each is found at once. */
static void follows_20000_references(void **state)
{
    (void)state;
    struct buffer text;
    buffer_init(&text, alloc_default(), LIMIT_SCHEMA_BYTES);
    repeat(&text, "{\"$defs\":{", "\"d~#\":{\"const\":#}", 20000, "},\"anyOf\":[");
    for (unsigned i = 0; i < 20000; i++)
        buffer_printf(&text, "%s{\"$ref\":\"#/$defs/d~0%u\"}", i > 0 ? "," : "", i);
    buffer_append_str(&text, STR("],\"prefixItems\":["));
    for (unsigned i = 0; i < 20000; i++)
        buffer_printf(&text, "%s{\"$ref\":\"#/anyOf/%u\"}", i > 0 ? "," : "", 19999 - i);
    buffer_append_str(&text, STR("]}"));
    struct schema_program *program = compile_buffer(&text);
    assert_int_equal(program->node_count, 1 + 3 * 20000);
    const struct schema_op *any_of = schema_node_find(program, 0, SCHEMA_OP_ANY_OF);
    const struct schema_op *items = schema_node_find(program, 0, SCHEMA_OP_PREFIX_ITEMS);
    for (unsigned i = 0; i < 20000; i++) {
        uint32_t node = program->children[any_of->a + i];
        struct json target =
            program->nodes[schema_node_find(program, node, SCHEMA_OP_REF)->a].schema;
        struct decimal number = json_number(json_get(target, STR("const")));
        assert_int_equal(decimal_to_uint64_saturated(&number), i);
        node = program->children[items->a + 19999 - i];
        assert_int_equal(schema_node_find(program, node, SCHEMA_OP_REF)->a,
                         program->children[any_of->a + i]);
    }
    schema_program_free(program);
    buffer_release(&text);
}

/* Anchors, and dynamic references to each of them; every name has two schemas. */
static void settles_10000_dynamic_anchors(void **state)
{
    (void)state;
    struct buffer text;
    buffer_init(&text, alloc_default(), LIMIT_SCHEMA_BYTES);
    buffer_append_str(&text, STR("{\"$id\":\"https://e.example/\",\"$defs\":{"));
    for (unsigned i = 0; i < 10000; i++)
        buffer_printf(&text,
                      "%s\"a%u\":{\"$dynamicAnchor\":\"a%u\"},"
                      "\"i%u\":{\"$id\":\"i%u\",\"$dynamicAnchor\":\"a%u\"},"
                      "\"r%u\":{\"$dynamicRef\":\"#a%u\"}",
                      i > 0 ? "," : "", i, i, i, i, i, i, i);
    buffer_append_str(&text, STR("}}"));
    struct schema_program *program = compile_buffer(&text);
    assert_int_equal(program->resource_count, 1 + 10000);
    assert_int_equal(program->dynamic_anchor_count, 2 * 10000);
    for (uint32_t i = 1; i < program->dynamic_anchor_count; i++)
        assert_true(program->dynamic_anchors[i - 1].resource <=
                    program->dynamic_anchors[i].resource);
    schema_program_free(program);
    buffer_release(&text);
}

/* Identifiers are bounded one by one and together, however short their own texts are. */
static void bounds_identifiers(void **state)
{
    (void)state;
    struct buffer text;
    struct schema_program *program = NULL;
    struct error error;
    buffer_init(&text, alloc_default(), LIMIT_SCHEMA_BYTES);
    for (unsigned length = 7000; length <= 9000; length += 2000) {
        buffer_clear(&text);
        buffer_append_str(&text, STR("{\"$id\":\"https://e.example/"));
        for (unsigned i = 0; i < length; i++)
            buffer_append_byte(&text, 'a');
        buffer_append_str(&text, STR("/\",\"$defs\":{"));
        for (unsigned i = 0; i < 5000; i++)
            buffer_printf(&text, "%s\"d%u\":{\"$id\":\"%u\"}", i > 0 ? "," : "", i, i);
        buffer_append_str(&text, STR("}}"));
        error_clear(&error);
        assert_int_equal(
            schema_compile_text(buffer_view(&text), NULL, alloc_default(), &program, &error),
            STATUS_INVALID_SCHEMA);
        assert_non_null(strstr(error.message, length < 8192 ? "together" : "longer than 8192"));
    }
    buffer_release(&text);
}

static void count_warning(void *state, const struct error *warning)
{
    unsigned *count = state;
    ++*count;
    assert_int_equal(strstr(warning->hint, "no more are told") != NULL,
                     *count == LIMIT_SCHEMA_WARNINGS);
}

static void tells_the_first_warnings(void **state)
{
    (void)state;
    struct buffer text;
    struct schema_program *program = NULL;
    unsigned count = 0;
    const struct schema_options options = { .unknown_keywords = SCHEMA_UNKNOWN_WARN,
                                            .warn = count_warning,
                                            .warn_state = &count };
    buffer_init(&text, alloc_default(), LIMIT_SCHEMA_BYTES);
    repeat(&text, "{", "\"u#\":0", 10000, "}");
    assert_int_equal(
        schema_compile_text(buffer_view(&text), &options, alloc_default(), &program, NULL),
        STATUS_OK);
    assert_int_equal(count, LIMIT_SCHEMA_WARNINGS);
    schema_program_free(program);
    buffer_release(&text);
}

/* More faults than are looked at: the first ones are told, and that there are more. */
static void tells_the_first_of_10000_faults(void **state)
{
    (void)state;
    struct schema_program *program = compile_text("{\"items\":{\"type\":\"string\"}}");
    struct buffer text;
    struct arena arena;
    struct schema_violations violations = { .arena = &arena };
    bool valid = true;
    buffer_init(&text, alloc_default(), BIG_TEXT_BYTES);
    arena_init(&arena, alloc_default(), TEST_ARENA_BYTES);
    repeat(&text, "[", "#", 10000, "]");
    struct json_doc *doc = parse_text(buffer_view(&text));
    assert_int_equal(
        schema_validate(program, json_doc_root(doc), 0, alloc_default(), &valid, &violations, NULL),
        STATUS_OK);
    assert_int_equal(violations.count, LIMIT_VIOLATIONS);
    assert_true(violations.more);
    assert_true(str_equal(violations.items[0].pointer, STR("/0")));
    assert_true(str_equal(violations.items[19].pointer, STR("/19")));
    json_doc_free(doc);
    arena_release(&arena);
    buffer_release(&text);
    schema_program_free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judges_objects_of_1000_properties),
        cmocka_unit_test(counts_200_required_names),
        cmocka_unit_test(finds_twins_among_20000_items),
        cmocka_unit_test(looks_up_20000_enum_values),
        cmocka_unit_test(judges_nested_alternatives_once),
        cmocka_unit_test(judges_a_billion_paths_once),
        cmocka_unit_test(follows_a_chain_of_5000_references),
        cmocka_unit_test(nests_5000_frames),
        cmocka_unit_test(stops_at_the_step_budget),
        cmocka_unit_test(refuses_schemas_beyond_the_limits),
        cmocka_unit_test(follows_20000_references),
        cmocka_unit_test(settles_10000_dynamic_anchors),
        cmocka_unit_test(bounds_identifiers),
        cmocka_unit_test(tells_the_first_warnings),
        cmocka_unit_test(tells_the_first_of_10000_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

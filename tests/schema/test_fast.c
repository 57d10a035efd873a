/* test_fast.c - the quick verdict is the judge's, or says that it does not know.
 *
 * Generated schemas and instances, the test suite, hostile shapes, and lack of memory.
 */
#include "base/features.h"

#include "schema_test.h"

#include "pairs.h"
#include "schema/fast.h"
#include "schema/judge.h"
#include "test_alloc.h"
#include "test_data.h"

enum { SCHEMAS = 6000, INSTANCES_PER_SCHEMA = 20 };

/* The quick program of a schema in an arena of its own. */
struct quick {
    struct arena arena;
    const struct schema_fast *fast;
};

static void quick_init(struct quick *quick, const struct schema_program *program,
                       const struct alloc *alloc)
{
    arena_init(&quick->arena, alloc, TEST_ARENA_BYTES);
    quick->fast = schema_fast_build(program, &quick->arena, alloc);
}

static bool judge_alone(const struct schema_program *program, struct json instance)
{
    struct judge judge;
    judge_init(&judge, program, 0, alloc_default(), NULL);
    bool valid = (program->nodes[0].types & schema_type_of(instance)) != 0 &&
                 judge_value(&judge, 0, instance);
    assert_int_equal(judge.status, STATUS_OK);
    judge_release(&judge);
    return valid;
}

static enum fast_verdict run(const struct quick *quick, struct json instance)
{
    return schema_fast_run(quick->fast, instance, alloc_default());
}

/* ---- generated ------------------------------------------------------------------------------- */

struct tally {
    unsigned verdicts[3]; /* by enum fast_verdict */
    unsigned refused;     /* schemas */
};

static void assert_same(uint64_t seed, const struct schema_program *program, struct str schema,
                        const struct quick *quick, struct str instance, struct tally *tally)
{
    struct json_doc *doc = parse_text(instance);
    enum fast_verdict quick_verdict = run(quick, json_doc_root(doc));
    bool valid = judge_alone(program, json_doc_root(doc));
    if (quick_verdict != FAST_UNKNOWN && (quick_verdict == FAST_VALID) != valid)
        fail_msg("seed %llu: the judge says %s\nschema: %.*s\ninstance: %.*s",
                 (unsigned long long)seed, valid ? "valid" : "invalid", (int)schema.len, schema.ptr,
                 (int)instance.len, instance.ptr);
    tally->verdicts[quick_verdict]++;
    json_doc_free(doc);
}

static void run_seed(uint64_t seed, bool unevaluated, struct tally *tally)
{
    struct rng_seeded word;
    struct buffer schema;
    struct buffer instance;
    struct pairs pairs = { .rng = rng_from_seed(&word, seed), .unevaluated = unevaluated };
    struct schema_program *program = NULL;
    struct quick quick;
    buffer_init(&schema, alloc_default(), TEST_TEXT_BYTES);
    buffer_init(&instance, alloc_default(), TEST_TEXT_BYTES);
    pairs.out = &schema;
    pair_document(&pairs);
    if (schema_compile_text(buffer_view(&schema), NULL, alloc_default(), &program, NULL) !=
        STATUS_OK) {
        tally->refused++;
        goto out;
    }
    quick_init(&quick, program, alloc_default());
    pairs.out = &instance;
    for (unsigned i = 0; i < INSTANCES_PER_SCHEMA; i++) {
        buffer_clear(&instance);
        pair_instance(&pairs, program->root, program->root, 12);
        assert_same(seed, program, buffer_view(&schema), &quick, buffer_view(&instance), tally);
    }
    arena_release(&quick.arena);
    schema_program_free(program);
out:
    buffer_release(&schema);
    buffer_release(&instance);
}

static void agrees_on_generated_pairs(void **state)
{
    (void)state;
    struct tally tally = { .refused = 0 };
    for (uint64_t seed = 1; seed <= SCHEMAS; seed++)
        run_seed(seed, false, &tally);
    printf("%u valid, %u invalid, %u left to the judge; %u schemas refused\n",
           tally.verdicts[FAST_VALID], tally.verdicts[FAST_INVALID], tally.verdicts[FAST_UNKNOWN],
           tally.refused);
    unsigned pairs = (SCHEMAS - tally.refused) * INSTANCES_PER_SCHEMA;
    assert_true(tally.refused < SCHEMAS / 20);
    assert_true(tally.verdicts[FAST_VALID] > pairs / 5);
    assert_true(tally.verdicts[FAST_INVALID] > pairs / 5);
    assert_true(tally.verdicts[FAST_UNKNOWN] < pairs / 20);
}

static void agrees_where_members_are_unevaluated(void **state)
{
    (void)state;
    struct tally tally = { .refused = 0 };
    for (uint64_t seed = 1000001; seed <= 1000000 + SCHEMAS / 4; seed++)
        run_seed(seed, true, &tally);
    assert_true(tally.verdicts[FAST_VALID] > 0);
    assert_true(tally.verdicts[FAST_INVALID] > 0);
}

/* ---- the suite ------------------------------------------------------------------------------- */

static void agree_on_group(struct json group, const char *dialect, unsigned *count)
{
    struct buffer text;
    struct quick quick;
    struct schema_program *program = NULL;
    const struct schema_options options = {
        .unknown_keywords = SCHEMA_UNKNOWN_ALLOW,
        .format_asserts = true,
        .dialect = str_from(dialect),
    };
    struct json tests = json_get(group, STR("tests"));
    buffer_init(&text, alloc_default(), TEST_TEXT_BYTES);
    json_write(json_get(group, STR("schema")), 0, &text);
    if (schema_compile_text(buffer_view(&text), &options, alloc_default(), &program, NULL) ==
        STATUS_OK) {
        quick_init(&quick, program, alloc_default());
        for (struct json t = json_first(tests); json_exists(t); t = json_next(t, tests)) {
            struct json data = json_get(t, STR("data"));
            enum fast_verdict verdict = run(&quick, data);
            if (verdict == FAST_UNKNOWN)
                continue;
            if ((verdict == FAST_VALID) != judge_alone(program, data))
                fail_msg("%s: %.*s", dialect, (int)buffer_view(&text).len, buffer_view(&text).ptr);
            ++*count;
        }
        arena_release(&quick.arena);
        schema_program_free(program);
    }
    buffer_release(&text);
}

struct suite_visit {
    const char *dialect;
    unsigned count;
};

static void agree_on_file(const char *path, struct str content, void *context)
{
    (void)path;
    struct suite_visit *visit = context;
    struct json_doc *doc = parse_text(content);
    struct json root = json_doc_root(doc);
    for (struct json group = json_first(root); json_exists(group); group = json_next(group, root))
        agree_on_group(group, visit->dialect, &visit->count);
    json_doc_free(doc);
}

static void agrees_on_the_suite(void **state)
{
    (void)state;
    static const char *const folders[][2] = {
        { "draft2020-12", "https://json-schema.org/draft/2020-12/schema" },
        { "draft2020-12/optional", "https://json-schema.org/draft/2020-12/schema" },
        { "draft2020-12/optional/format", "https://json-schema.org/draft/2020-12/schema" },
        { "draft2019-09", "https://json-schema.org/draft/2019-09/schema" },
        { "draft7", "http://json-schema.org/draft-07/schema#" },
        { "draft7/optional", "http://json-schema.org/draft-07/schema#" },
        { "draft6", "http://json-schema.org/draft-06/schema#" },
        { "draft4", "http://json-schema.org/draft-04/schema#" },
        { "draft4/optional", "http://json-schema.org/draft-04/schema#" },
    };
    char path[TEST_PATH_BYTES];
    char relative[256];
    struct suite_visit visit = { .count = 0 };
    if (!test_suite_path(path, "tests"))
        test_skip("the JSON-Schema-Test-Suite is not there");
    for (size_t i = 0; i < COUNT(folders); i++) {
        visit.dialect = folders[i][1];
        (void)snprintf(relative, sizeof(relative), "tests/%s", folders[i][0]);
        assert_true(test_suite_path(path, relative));
        assert_int_not_equal(test_files_visit(path, agree_on_file, &visit), 0);
    }
    printf("%u verdicts the same\n", visit.count);
    assert_true(visit.count > 4000);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static const struct shape {
    const char *schema;
    const char *instance;
    enum fast_verdict verdict;
} shapes[] = {
    { "{\"type\":\"integer\"}", "1.0", FAST_VALID },
    { "{\"type\":\"integer\"}", "1.5", FAST_INVALID },
    { "{\"minimum\":9007199254740993}", "9007199254740992", FAST_INVALID },
    { "{\"maximum\":18446744073709551615}", "18446744073709551616", FAST_INVALID },
    { "{\"exclusiveMaximum\":1e400}", "1e399", FAST_VALID },
    { "{\"multipleOf\":0.01}", "19.99", FAST_VALID },
    { "{\"enum\":[1]}", "1.0", FAST_VALID },
    { "{\"enum\":[\"a\\u0062\"]}", "\"ab\"", FAST_VALID },
    { "{\"const\":{\"a\":[1.0]}}", "{\"a\":[1]}", FAST_VALID },
    { "{\"minLength\":2}", "\"\xF0\x9D\x84\x9E\"", FAST_INVALID },
    { "{\"properties\":{\"ab\":false}}", "{\"a\\u0062\":1}", FAST_INVALID },
    { "{\"required\":[\"a\\u0062\"]}", "{\"ab\":1}", FAST_VALID },
    { "{\"properties\":{\"\":{\"type\":\"null\"}},\"additionalProperties\":false}", "{\"\":null}",
      FAST_VALID },
    { "{\"propertyNames\":{\"enum\":[\"a\"]}}", "{\"b\":1}", FAST_INVALID },
    { "{\"propertyNames\":{\"enum\":[\"a\",\"a\",\"b\"]}}", "{\"c\":1}", FAST_INVALID },
    { "{\"enum\":[\"a\",\"a\"]}", "\"a\"", FAST_VALID },
    { "{\"oneOf\":[{\"required\":[\"a\"]},{\"required\":[\"b\"]}]}", "{\"a\":1,\"b\":1}",
      FAST_INVALID },
    { "{\"items\":{\"$ref\":\"#\"},\"maxItems\":1}", "[[[1,2]]]", FAST_INVALID },
    { "{\"contains\":{\"const\":1},\"maxContains\":1}", "[1,1.0]", FAST_INVALID },
    { "{\"uniqueItems\":true}", "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,1.0]",
      FAST_INVALID },
    { "{\"uniqueItems\":true}", "[{\"a\":1,\"b\":2},{\"b\":2,\"a\":1}]", FAST_INVALID },
};

static void decides_shapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        const struct shape *shape = &shapes[i];
        struct schema_program *program = compile_text(shape->schema);
        struct json_doc *doc = parse_text(str_from(shape->instance));
        struct quick quick;
        quick_init(&quick, program, alloc_default());
        if (run(&quick, json_doc_root(doc)) != shape->verdict)
            fail_msg("%s of %s", shape->schema, shape->instance);
        assert_int_equal(judge_alone(program, json_doc_root(doc)), shape->verdict == FAST_VALID);
        arena_release(&quick.arena);
        json_doc_free(doc);
        schema_program_free(program);
    }
}

/* n times head, middle, n times tail. */
static void write_nested(struct buffer *out, unsigned n, const char *head, const char *middle,
                         const char *tail)
{
    buffer_clear(out);
    for (unsigned i = 0; i < n; i++)
        buffer_append_str(out, str_from(head));
    buffer_append_str(out, str_from(middle));
    for (unsigned i = 0; i < n; i++)
        buffer_append_str(out, str_from(tail));
}

static const struct hostile {
    const char *schema;
    const char *head; /* of the instance, which nests */
    const char *middle;
    const char *tail;
    bool valid;
} hostiles[] = {
    { "{\"items\":{\"$ref\":\"#\"}}", "[", "", "]", true },
    { "{\"type\":\"array\",\"items\":{\"$ref\":\"#\"}}", "[", "1", "]", false },
    /* Two ways at every level. */
    { "{\"anyOf\":[{\"items\":{\"$ref\":\"#\"},\"minItems\":1},{\"items\":{\"$ref\":\"#\"},"
      "\"maxItems\":9}],\"not\":{\"const\":1}}",
      "[", "1", "]", false },
    { "{\"oneOf\":[{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#\"}},\"required\":["
      "\"a\"]},"
      "{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#\"}},\"required\":[\"b\"]},{"
      "\"type\":\"null\"}]}",
      "{\"a\":", "null", ",\"c\":0}", true },
};

/* However deep and however many ways: the whole verdict is right, and takes no long time. */
static void leaves_what_is_deep(void **state)
{
    (void)state;
    static const unsigned depths[] = { 1, 10, 40, 64, 100, 127 };
    struct buffer text;
    buffer_init(&text, alloc_default(), TEST_TEXT_BYTES);
    for (size_t i = 0; i < COUNT(hostiles) * COUNT(depths); i++) {
        const struct hostile *hostile = &hostiles[i / COUNT(depths)];
        struct schema_program *program = compile_text(hostile->schema);
        struct quick quick;
        write_nested(&text, depths[i % COUNT(depths)], hostile->head, hostile->middle,
                     hostile->tail);
        struct json_doc *doc = parse_text(buffer_view(&text));
        quick_init(&quick, program, alloc_default());
        enum fast_verdict verdict = run(&quick, json_doc_root(doc));
        assert_true(verdict == FAST_UNKNOWN || (verdict == FAST_VALID) == hostile->valid);
        assert_int_equal(judge_root(program, json_doc_root(doc)), hostile->valid);
        arena_release(&quick.arena);
        json_doc_free(doc);
        schema_program_free(program);
    }
    buffer_release(&text);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void build_and_run(struct test_alloc *test, void *context)
{
    const struct schema_program *program = context;
    struct json_doc *doc = parse_text(STR(
        "{\"kind\":\"b\",\"list\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,\"a\"],"
        "\"x-1\":\"aaa\",\"k\":\"v7\"}"));
    struct quick quick;
    quick_init(&quick, program, &test->alloc);
    enum fast_verdict verdict = schema_fast_run(quick.fast, json_doc_root(doc), &test->alloc);
    if (test->failures == 0)
        assert_int_equal(verdict, FAST_VALID);
    else
        assert_int_not_equal(verdict, FAST_INVALID);
    arena_release(&quick.arena);
    json_doc_free(doc);
}

static void lacks_memory(void **state)
{
    (void)state;
    struct schema_program *program = compile_text(
        "{\"oneOf\":[{\"properties\":{\"kind\":{\"const\":\"a\"}},\"required\":[\"kind\"]},"
        "{\"properties\":{\"kind\":{\"const\":\"b\"}},\"required\":[\"kind\"]}],"
        "\"properties\":{\"kind\":{\"type\":\"string\"},\"list\":{\"uniqueItems\":true},"
        "\"k\":{\"enum\":[\"v1\",\"v2\",\"v3\",\"v4\",\"v5\",\"v6\",\"v7\",\"v8\",\"v9\"]}},"
        "\"patternProperties\":{\"^x-\":{\"pattern\":\"^a+$\"}},"
        "\"dependentRequired\":{\"kind\":[\"list\"]}}");
    test_alloc_failures(build_and_run, program);
    schema_program_free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decides_shapes),
        cmocka_unit_test(agrees_on_generated_pairs),
        cmocka_unit_test(agrees_where_members_are_unevaluated),
        cmocka_unit_test(agrees_on_the_suite),
        cmocka_unit_test(leaves_what_is_deep),
        cmocka_unit_test(lacks_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

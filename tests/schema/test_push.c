/* test_push.c - a text judged while it arrives: the byte at which a verdict is certain, and the
 * same verdict as for the whole text however it is cut.
 */
#include "base/features.h"

#include "schema_test.h"

#include "pairs.h"
#include "schema/push.h"
#include "test_alloc.h"
#include "test_data.h"

struct certain {
    const char *schema;
    const char *prefix; /* its last byte makes it certain */
    const char *rest;   /* to a complete text, or to one that is no JSON */
    const char *pointer;
};

#define SHAPES                                                                                     \
    "{\"oneOf\":[{\"properties\":{\"k\":{\"const\":\"a\"},\"r\":{\"type\":\"number\"}},"           \
    "\"required\":[\"k\"]},{\"properties\":{\"k\":{\"const\":\"b\"},\"w\":{\"type\":\"number\"}}," \
    "\"required\":[\"k\"]}]}"
#define TREE                                                                                       \
    "{\"properties\":{\"l\":{\"$ref\":\"#\"},\"v\":{\"type\":\"integer\"}},"                       \
    "\"additionalProperties\":false}"

static const struct certain certains[] = {
    /* types, at the first byte of the value */
    { "{\"type\":\"object\"}", "[", "]", "" },
    { "{\"type\":\"object\"}", " \n 1", "", "" },
    { "{\"type\":\"string\"}", "-", "1", "" },
    { "{\"type\":\"string\"}", "{", "}", "" },
    { "{\"type\":[\"null\",\"integer\"]}", "t", "rue", "" },
    { "false", "n", "ull", "" },
    { "false", "{", "\"a\":1}", "" },
    { "{\"properties\":{\"a\":{\"type\":\"integer\"}}}", "{\"b\":1,\"a\":\"", "x\"}", "/a" },
    { "{\"properties\":{\"a\":{\"type\":\"object\"}}}", "{\"a\":[", "]}", "/a" },
    { "{\"items\":{\"enum\":[1,\"x\"]}}", "[1,\"x\",f", "alse]", "/2" },
    { TREE, "{\"l\":{\"l\":{\"v\":1},\"v\":\"", "\"}}", "/l/v" },
    { "{\"prefixItems\":[{\"type\":\"integer\"},{\"type\":\"boolean\"}]}", "[1,\"", "\"]", "/1" },
    { "{\"type\":\"integer\"}", "1.5", "", NULL },
    { "{\"items\":{\"type\":\"integer\"}}", "[2,1.5,", "3]", "/1" },
    /* names, at their closing quote */
    { TREE, "{\"l\":{\"m\"", ":1}}", "/l/m" },
    { "{\"additionalProperties\":false}", "{\"a~/b\"", ":1}", "/a~0~1b" },
    { "{\"patternProperties\":{\"^n\":{}},\"additionalProperties\":false}", "{\"n\":1,\"x\"", ":1}",
      "/x" },
    { "{\"propertyNames\":{\"maxLength\":3}}", "{\"abc\":1,\"abcd\"", ":1}", "/abcd" },
    { "{\"properties\":{\"a\":false}}", "{\"a\"", ":1}", "/a" },
    { "{\"maxProperties\":1}", "{\"a\":1,\"b\"", ":1}", "/b" },
    { "{\"patternProperties\":{\"^n\":{\"type\":\"null\"}}}", "{\"n1\":1", "}", "/n1" },
    /* counts, when one too many begins */
    { "{\"maxItems\":2}", "[1,[],3", "]", "/2" },
    { "{\"items\":{\"maxItems\":0}}", "[[],[[", "]]]", "/1/0" },
    { "{\"prefixItems\":[true],\"items\":false}", "[1,2", "]", "/1" },
    { "{\"maxLength\":3}", "\"abcd", "\"", "" },
    { "{\"maxLength\":3}", "\"a\\u00e9\\n\xC3", "\xA9\"", "" },
    { "{\"maxLength\":1}", "\"\\uD83D\\uDE00\\\\", "u1234\"", "" },
    { "{\"properties\":{\"a\":{\"maxLength\":1}}}", "{\"b\":\"long\",\"a\":\"\xF0\x9F\x98\x80x",
      "\"}", "/a" },
    /* values, when they are complete */
    { "{\"properties\":{\"a\":{\"minimum\":5}}}", "{\"a\":4 ", "}", "/a" },
    { "{\"enum\":[\"red\",\"green\"]}", "\"gree\"", "", "" },
    { "{\"items\":{\"pattern\":\"^a\"}}", "[\"abc\",\"bc\"", "]", "/1" },
    { "{\"items\":{\"format\":\"date\"}}", "[\"2026-02-30\"", "]", "/0" },
    { "{\"items\":{\"const\":{\"a\":1}}}", "[{\"a\":2}", "]", "/0" },
    { "{\"required\":[\"a\",\"b\"]}", "{\"a\":1}", "", "" },
    { "{\"items\":{\"minItems\":1}}", "[[1],[]", "]", "/1" },
    { "{\"items\":{\"minProperties\":1}}", "[{}", "]", "/0" },
    { "{\"items\":{\"uniqueItems\":true}}", "[[1,2],[1,2,1.0]", "]", "/1/2" },
    { "{\"items\":{\"uniqueItems\":true}}", "[[1,2],[1,\"a\",1.0,", "2]]", "/1/2" },
    { "{\"uniqueItems\":true}", "[{\"a\":1},[],{\"a\":1.0}", "]", "/2" },
    { "{\"items\":{\"contains\":{\"type\":\"null\"}}}", "[[1,null],[1]", "]", "/1" },
    { "{\"items\":{\"not\":{\"required\":[\"a\"]}}}", "[{\"b\":1},{\"a\":1}", "]", "/1" },
    { "{\"items\":{\"if\":{\"required\":[\"a\"]},\"then\":{\"required\":[\"b\"]}}}",
      "[{\"a\":1,\"b\":1},{\"a\":1}", "]", "/1" },
    { "{\"items\":{\"dependentRequired\":{\"a\":[\"b\"]}}}", "[{\"a\":1}", "]", "/0" },
    { "{\"items\":{\"dependentSchemas\":{\"a\":{\"maxProperties\":1}}}}", "[{\"a\":1,\"b\":1}", "]",
      "/0" },
    { "{\"properties\":{\"x\":{\"not\":{\"type\":\"integer\"}}}}", "{\"x\":1,", "\"y\":1}", "/x" },
    /* alternatives, with the last branch */
    { SHAPES, "{\"k\":\"c\"", "}", "/k" },
    { SHAPES, "{\"r\":\"x\",\"w\":\"", "y\"}", "/w" },
    { SHAPES, "{\"k\":\"a\",\"w\":null,\"r\":\"", "y\"}", "/r" },
    { SHAPES, "{\"r\":\"x\",\"w\":1}", "", "" },
    { SHAPES, "[", "]", NULL },
    { "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"integer\"}]}", "{", "}", "" },
    { "{\"items\":" SHAPES "}", "[{\"k\":\"a\"},{\"k\":\"b\",\"w\":\"", "\"}]", "/1/w" },
    { "{\"allOf\":[{\"properties\":{\"a\":{\"anyOf\":[{\"properties\":{\"k\":{\"const\":1}}},"
      "{\"properties\":{\"k\":{\"anyOf\":[{\"const\":2},{\"const\":3}]}}}]}}}]}",
      "{\"a\":{\"k\":4}", "}", "/a/k" },
    { "{\"anyOf\":[{\"maxItems\":1},{\"items\":{\"type\":\"null\"}}]}", "[null,1", "]", "/1" },
};

struct fed {
    struct schema_push *push;
    size_t certain_at; /* bytes fed when it became certain, or SIZE_MAX */
    size_t count;
    enum status status;
};

static void feed(struct fed *fed, struct str chunk)
{
    bool invalid = false;
    fed->status = schema_push_feed(fed->push, chunk, &invalid, NULL);
    fed->count += chunk.len;
    if (fed->status == STATUS_OK && invalid && fed->certain_at == SIZE_MAX)
        fed->certain_at = fed->count;
    if (fed->status == STATUS_OK && fed->certain_at != SIZE_MAX)
        assert_true(invalid); /* it stays certain */
}

static struct fed fed_new(const struct schema_program *program, const struct alloc *alloc)
{
    struct fed fed = { .certain_at = SIZE_MAX };
    fed.status = schema_push_new(program, NULL, 0, alloc, &fed.push);
    return fed;
}

/* Feeds text in pieces that end at each multiple of `step` and at `cut`; returns the verdict. */
static bool fed_verdict(const struct schema_program *program, struct str text, size_t cut,
                        size_t step, size_t *out_certain_at)
{
    bool valid = false;
    struct json_doc *doc = NULL;
    struct fed fed = fed_new(program, alloc_default());
    for (size_t at = 0; at < text.len && fed.status == STATUS_OK;) {
        size_t end = at + step - at % step;
        end = at < cut && cut < end ? cut : end;
        end = end < text.len ? end : text.len;
        feed(&fed, str_of(text.ptr + at, end - at));
        at = end;
    }
    assert_int_equal(fed.status, STATUS_OK);
    assert_int_equal(schema_push_finish(fed.push, &valid, &doc, NULL), STATUS_OK);
    assert_true(str_equal(json_doc_source(doc), text));
    if (out_certain_at != NULL)
        *out_certain_at = fed.certain_at;
    assert_false(valid && fed.certain_at != SIZE_MAX);
    json_doc_free(doc);
    schema_push_free(fed.push);
    return valid;
}

static void test_certain_at(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(certains); i++) {
        const struct certain *row = &certains[i];
        struct schema_program *program = compile_text(row->schema);
        struct fed fed = fed_new(program, alloc_default());
        size_t len = strlen(row->prefix);
        for (size_t k = 0; k < len; k++)
            feed(&fed, str_of(row->prefix + k, 1));
        if (row->pointer != NULL && fed.certain_at != len)
            fail_msg("%s: %s: certain after %zu bytes", row->schema, row->prefix, fed.certain_at);
        struct str pointer = schema_push_pointer(fed.push);
        if (row->pointer != NULL && !str_equal(pointer, str_from(row->pointer)))
            fail_msg("%s: %s: at %.*s", row->schema, row->prefix, (int)pointer.len, pointer.ptr);
        feed(&fed, str_from(row->rest));
        bool valid = true;
        struct json_doc *doc = NULL;
        assert_int_equal(schema_push_finish(fed.push, &valid, &doc, NULL), STATUS_OK);
        assert_false(valid);
        json_doc_free(doc);
        schema_push_free(fed.push);
        schema_program_free(program);
    }
}

/* Whatever the cut, the verdict is that of the whole text, and it is never certain too early. */
static void assert_same(const struct schema_program *program, struct str text)
{
    struct json_doc *doc = parse_text(text);
    bool expected = false;
    assert_int_equal(
        schema_is_valid(program, json_doc_root(doc), 0, alloc_default(), &expected, NULL), 0);
    json_doc_free(doc);
    size_t first = SIZE_MAX;
    size_t whole = SIZE_MAX;
    bool by_byte = fed_verdict(program, text, 0, 1, &first);
    bool at_once = fed_verdict(program, text, 0, SIZE_MAX / 2, &whole);
    if (by_byte != expected || at_once != expected)
        fail_msg("%.*s: %d, by byte %d, at once %d", (int)text.len, text.ptr, expected, by_byte,
                 at_once);
    size_t stride = text.len / 200 + 1;
    for (size_t cut = 1; cut < text.len; cut += stride)
        assert_int_equal(fed_verdict(program, text, cut, SIZE_MAX / 2, NULL), expected);
}

static void test_same_verdict(void **state)
{
    (void)state;
    static const char *const texts[][4] = {
        { TREE, "{\"l\":{\"l\":{\"v\":1,\"l\":{}},\"v\":2}}", "{\"l\":{\"l\":{\"v\":1,\"x\":{}}}}",
          "[]" },
        { SHAPES, "{\"k\":\"a\",\"r\":1,\"w\":\"x\"}", "{\"k\":\"b\",\"r\":\"\",\"w\":1}",
          "{\"k\":\"b\",\"w\":[[]]}" },
        { "{\"maxLength\":3}", "\"\\ud83d\\ude00\\ud83d\\ude00\\\\\"", "\"abcd\"", "[\"abcd\"]" },
        { "{\"uniqueItems\":true,\"items\":{\"not\":{\"const\":7}}}", "[1,2,\"1\",[1],[1.5]]",
          "[1,2,1.0]", "[[],7]" },
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct schema_program *program = compile_text(texts[i][0]);
        for (size_t k = 1; k < 4; k++)
            assert_same(program, str_from(texts[i][k]));
        schema_program_free(program);
    }
    for (size_t i = 0; i < COUNT(certains); i++) {
        struct schema_program *program = compile_text(certains[i].schema);
        char text[256];
        (void)snprintf(text, sizeof(text), "%s%s", certains[i].prefix, certains[i].rest);
        assert_same(program, str_from(text));
        schema_program_free(program);
    }
}

/* Every group of a file of the suite that compiles. */
static void visit_suite(const char *path, struct str content, void *context)
{
    (void)path;
    unsigned *count = context;
    struct schema_options options = { .unknown_keywords = SCHEMA_UNKNOWN_ALLOW,
                                      .format_asserts = true };
    struct json_doc *groups = parse_text(content);
    for (struct json group = json_first(json_doc_root(groups)); json_exists(group);
         group = json_next(group, json_doc_root(groups))) {
        struct buffer text;
        struct schema_program *program = NULL;
        buffer_init(&text, alloc_default(), TEST_TEXT_BYTES);
        json_write(json_get(group, STR("schema")), 0, &text);
        bool compiles = schema_compile_text(buffer_view(&text), &options, alloc_default(), &program,
                                            NULL) == STATUS_OK;
        struct json tests = json_get(group, STR("tests"));
        for (struct json test = json_first(tests); compiles && json_exists(test);
             test = json_next(test, tests)) {
            buffer_clear(&text);
            json_write(json_get(test, STR("data")), 0, &text);
            assert_same(program, buffer_view(&text));
            ++*count;
        }
        buffer_release(&text);
        schema_program_free(program);
    }
    json_doc_free(groups);
}

static void test_same_verdict_on_the_suite(void **state)
{
    (void)state;
    char path[TEST_PATH_BYTES];
    unsigned count = 0;
    if (!test_suite_path(path, "tests/draft2020-12"))
        test_skip("the suite is not there");
    (void)test_files_visit(path, visit_suite, &count);
    assert_true(count > 800);
}

/* The instances of one generated schema; returns how many were certain before their end. */
static unsigned pairs_agree(uint64_t seed)
{
    enum { INSTANCES = 6 };
    unsigned early = 0;
    struct buffer text;
    struct rng_seeded word;
    struct pairs pairs = { .rng = rng_from_seed(&word, seed), .unevaluated = seed % 2 == 0 };
    struct schema_program *program = NULL;
    buffer_init(&text, alloc_default(), TEST_TEXT_BYTES);
    pairs.out = &text;
    pair_document(&pairs);
    if (schema_compile_text(buffer_view(&text), NULL, alloc_default(), &program, NULL) == STATUS_OK)
        for (unsigned i = 0; i < INSTANCES; i++) {
            size_t certain_at = SIZE_MAX;
            buffer_clear(&text);
            pair_instance(&pairs, program->root, program->root, 12);
            assert_same(program, buffer_view(&text));
            (void)fed_verdict(program, buffer_view(&text), 0, 1, &certain_at);
            early += certain_at < text.len;
        }
    schema_program_free(program);
    buffer_release(&text);
    return early;
}

static void test_same_verdict_on_generated_pairs(void **state)
{
    (void)state;
    enum { SCHEMAS = 400 };
    unsigned early = 0;
    for (unsigned i = 0; i < SCHEMAS; i++)
        early += pairs_agree(1000 + i);
    print_message("%u of %u instances were invalid before their end\n", early, SCHEMAS * 6);
    assert_true(early > SCHEMAS);
}

static void test_not_json(void **state)
{
    (void)state;
    static const char *const texts[] = { "",    "{",        "[1,]",           "{\"a\":1,\"a\":2}",
                                         "tru", "\"\xff\"", "\xEF\xBB\xBF{}", "1 2",
                                         "nul" };
    struct schema_program *program = compile_text("{\"type\":[\"object\",\"array\"]}");
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct fed fed = fed_new(program, alloc_default());
        bool valid;
        struct json_doc *doc;
        for (size_t k = 0; k < strlen(texts[i]) && fed.status == STATUS_OK; k++)
            feed(&fed, str_of(texts[i] + k, 1));
        if (fed.status == STATUS_OK)
            fed.status = schema_push_finish(fed.push, &valid, &doc, NULL);
        assert_int_equal(fed.status, STATUS_INVALID_REQUEST);
        schema_push_free(fed.push);
    }
    schema_program_free(program);
}

/* With JSON_DUPLICATES_LAST a later member may take the place of a wrong one. */
static void test_duplicates(void **state)
{
    (void)state;
    struct json_options json = JSON_OPTIONS_DEFAULT;
    json.duplicates = JSON_DUPLICATES_LAST;
    struct schema_program *program =
        compile_text("{\"properties\":{\"a\":{\"type\":\"integer\"}}}");
    static const char *const texts[] = { "{\"a\":\"x\",\"a\":1}", "{\"a\":1,\"a\":\"x\"}" };
    for (size_t i = 0; i < 2; i++) {
        struct fed fed = { .certain_at = SIZE_MAX };
        bool valid = false;
        struct json_doc *doc = NULL;
        assert_int_equal(schema_push_new(program, &json, 0, alloc_default(), &fed.push), STATUS_OK);
        for (size_t k = 0; k < strlen(texts[i]); k++)
            feed(&fed, str_of(texts[i] + k, 1));
        assert_int_equal(fed.certain_at, SIZE_MAX);
        assert_int_equal(schema_push_finish(fed.push, &valid, &doc, NULL), STATUS_OK);
        assert_int_equal(valid, i == 0);
        json_doc_free(doc);
        schema_push_free(fed.push);
    }
    schema_program_free(program);
}

/* More alternatives than are followed, and deep nesting of alternatives: later, never differently.
 */
static void test_beyond_the_budget(void **state)
{
    (void)state;
    struct buffer text;
    buffer_init(&text, alloc_default(), TEST_TEXT_BYTES);
    buffer_append_str(&text, STR("{\"items\":{\"$ref\":\"#\"},\"anyOf\":["));
    for (unsigned i = 0; i < 300; i++)
        buffer_printf(&text, "%s{\"properties\":{\"k\":{\"const\":%u}},\"items\":{\"$ref\":\"#\"}}",
                      i == 0 ? "" : ",", i);
    buffer_append_str(&text, STR("]}"));
    struct schema_program *wide = compile_text(text.ptr);
    struct schema_program *deep = compile_text(
        "{\"items\":{\"$ref\":\"#\"},\"anyOf\":[{\"oneOf\":[{\"items\":{\"$ref\":\"#\"}"
        "},{\"not\":{}},{\"type\":\"null\"}]},{\"items\":{\"$ref\":\"#\"}}]}");
    buffer_clear(&text);
    for (unsigned i = 0; i < 100; i++)
        buffer_append_str(&text, STR("[{},"));
    buffer_append_str(&text, STR("{\"k\":300}"));
    for (unsigned i = 0; i < 100; i++)
        buffer_append_byte(&text, ']');
    assert_same(wide, buffer_view(&text));
    assert_same(deep, buffer_view(&text));
    buffer_release(&text);
    schema_program_free(wide);
    schema_program_free(deep);
}

static void scenario(struct test_alloc *test, void *context)
{
    const struct schema_program *program = context;
    static const char text[] = "[{\"k\":\"a\",\"r\":[1,2]},{\"k\":\"b\",\"w\":{\"x\":1.5}}]";
    struct fed fed = fed_new(program, &test->alloc);
    bool valid = true;
    struct json_doc *doc = NULL;
    for (size_t k = 0; k < strlen(text) && fed.status == STATUS_OK; k++)
        feed(&fed, str_of(text + k, 1));
    if (fed.status == STATUS_OK)
        fed.status = schema_push_finish(fed.push, &valid, &doc, NULL);
    if (fed.status == STATUS_OK)
        assert_false(valid);
    else
        assert_int_equal(fed.status, STATUS_NO_MEMORY);
    assert_true(test->failures > 0 || fed.certain_at == 15);
    json_doc_free(doc);
    schema_push_free(fed.push);
}

static void test_memory(void **state)
{
    (void)state;
    struct schema_program *program = compile_text("{\"items\":" SHAPES "}");
    test_alloc_failures(scenario, program);
    schema_program_free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_certain_at),
        cmocka_unit_test(test_same_verdict),
        cmocka_unit_test(test_same_verdict_on_the_suite),
        cmocka_unit_test(test_same_verdict_on_generated_pairs),
        cmocka_unit_test(test_not_json),
        cmocka_unit_test(test_duplicates),
        cmocka_unit_test(test_beyond_the_budget),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

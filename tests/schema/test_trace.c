/* test_trace.c - the trace runs everything to the end and remembers nothing: whatever it says of an
 * instance, the judge and the quick answer must say too. Over the suite and over generated pairs.
 */
#include "base/features.h"

#include "schema_test.h"

#include "base/limits.h"
#include "schema/judge.h"
#include "schema/output.h"
#include "test_alloc.h"
#include "test_data.h"

/* ---- generated schemas and instances --------------------------------------------------------- */

struct maker {
    struct buffer text;
    uint64_t state;
};

static uint32_t make_number(struct maker *maker, uint32_t below)
{
    maker->state = maker->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(maker->state >> 33) % below;
}

static void make_text(struct maker *maker, const char *text)
{
    buffer_append_str(&maker->text, str_from(text));
}

static const char *make_name(struct maker *maker)
{
    static const char *const names[] = { "\"a\"", "\"b\"", "\"ab\"", "\"c\"" };
    return names[make_number(maker, COUNT(names))];
}

static void make_instance(struct maker *maker, unsigned depth)
{
    static const char *const scalars[] = { "null", "true", "false", "0",      "1",       "2",
                                           "1.5",  "1.0",  "\"a\"", "\"ab\"", "\"abc\"", "\"\"" };
    uint32_t kind = make_number(maker, depth == 0 ? 2 : 6);
    if (kind < 2) {
        make_text(maker, scalars[make_number(maker, COUNT(scalars))]);
        return;
    }
    bool is_object = kind > 3;
    uint32_t count = make_number(maker, 4);
    make_text(maker, is_object ? "{" : "[");
    static const char *const names[] = { "\"a\":", "\"b\":", "\"ab\":", "\"c\":" };
    uint32_t first = make_number(maker, COUNT(names));
    for (uint32_t i = 0; i < count; i++) {
        make_text(maker, i == 0 ? "" : ",");
        make_text(maker, is_object ? names[(first + i) % COUNT(names)] : "");
        make_instance(maker, depth - 1);
    }
    make_text(maker, is_object ? "}" : "]");
}

static void make_schema(struct maker *maker, unsigned depth);

static void make_schemas(struct maker *maker, unsigned depth, bool is_map, const char *names)
{
    uint32_t count = 1 + make_number(maker, 3);
    make_text(maker, is_map ? "{" : "[");
    for (uint32_t i = 0; i < count; i++) {
        make_text(maker, i == 0 ? "" : ",");
        if (is_map)
            buffer_printf(&maker->text, "\"%c%s\":", "abc"[i], names);
        make_schema(maker, depth);
    }
    make_text(maker, is_map ? "}" : "]");
}

struct keyword {
    const char *name;
    enum { OF_TEXT, OF_NUMBER, OF_SCHEMA, OF_LIST, OF_MAP, OF_PATTERNS, OF_NAMES } value;
    const char *text;
};

static const struct keyword keywords[] = {
    { "type", OF_TEXT, "\"object\"" },
    { "type", OF_TEXT, "[\"array\",\"integer\",\"string\"]" },
    { "type", OF_TEXT, "[\"object\",\"array\",\"null\"]" },
    { "const", OF_TEXT, "1" },
    { "enum", OF_TEXT, "[\"a\",1,null,{},[]]" },
    { "minimum", OF_NUMBER, NULL },
    { "multipleOf", OF_TEXT, "0.5" },
    { "minLength", OF_NUMBER, NULL },
    { "maxItems", OF_NUMBER, NULL },
    { "minProperties", OF_NUMBER, NULL },
    { "uniqueItems", OF_TEXT, "true" },
    { "required", OF_NAMES, NULL },
    { "dependentRequired", OF_TEXT, "{\"a\":[\"b\"]}" },
    { "title", OF_TEXT, "\"t\"" },
    { "properties", OF_MAP, "" },
    { "properties", OF_MAP, "" },
    { "properties", OF_TEXT, "{\"a\":{\"$dynamicRef\":\"inner#m\"}}" },
    { "patternProperties", OF_PATTERNS, "$" },
    { "additionalProperties", OF_SCHEMA, NULL },
    { "unevaluatedProperties", OF_SCHEMA, NULL },
    { "unevaluatedProperties", OF_TEXT, "false" },
    { "propertyNames", OF_SCHEMA, NULL },
    { "dependentSchemas", OF_MAP, "" },
    { "prefixItems", OF_LIST, NULL },
    { "items", OF_SCHEMA, NULL },
    { "items", OF_TEXT, "{\"$dynamicRef\":\"inner#m\"}" },
    { "contains", OF_SCHEMA, NULL },
    { "minContains", OF_NUMBER, NULL },
    { "maxContains", OF_NUMBER, NULL },
    { "unevaluatedItems", OF_SCHEMA, NULL },
    { "unevaluatedItems", OF_TEXT, "false" },
    { "allOf", OF_LIST, NULL },
    { "anyOf", OF_LIST, NULL },
    { "oneOf", OF_LIST, NULL },
    { "not", OF_SCHEMA, NULL },
    { "if", OF_SCHEMA, NULL },
    { "then", OF_SCHEMA, NULL },
    { "else", OF_SCHEMA, NULL },
    { "$ref", OF_TEXT, "\"root#/$defs/a\"" },
    { "$ref", OF_TEXT, "\"root#/$defs/b\"" },
    { "$ref", OF_TEXT, "\"inner\"" },
    { "$ref", OF_TEXT, "\"outer\"" },
};

static void make_keyword(struct maker *maker, const struct keyword *keyword, unsigned depth)
{
    buffer_printf(&maker->text, "\"%s\":", keyword->name);
    switch (keyword->value) {
    case OF_TEXT: make_text(maker, keyword->text); return;
    case OF_NUMBER: buffer_append_uint(&maker->text, make_number(maker, 3)); return;
    case OF_SCHEMA: make_schema(maker, depth); return;
    case OF_LIST: make_schemas(maker, depth, false, ""); return;
    case OF_MAP:
    case OF_PATTERNS: make_schemas(maker, depth, true, keyword->text); return;
    case OF_NAMES:
        make_text(maker, "[");
        make_text(maker, make_name(maker));
        make_text(maker, "]");
        return;
    }
}

/* Members follow each other in the order of the table, so that none is there twice. */
static void make_schema(struct maker *maker, unsigned depth)
{
    const char *last = "";
    bool is_first = true;
    if (depth == 0 || make_number(maker, 12) == 0) {
        make_text(maker, make_number(maker, 3) == 0 ? "false" : "true");
        return;
    }
    make_text(maker, "{");
    for (size_t i = 0; i < COUNT(keywords); i++) {
        if (make_number(maker, 10) > 0 || strcmp(keywords[i].name, last) == 0)
            continue;
        make_text(maker, is_first ? "" : ",");
        is_first = false;
        last = keywords[i].name;
        make_keyword(maker, &keywords[i], depth - 1);
    }
    make_text(maker, "}");
}

/* Two resources give the anchor another meaning, depending on which is entered first. */
static void make_root(struct maker *maker)
{
    buffer_clear(&maker->text);
    make_text(maker, "{\"$id\":\"https://a.example/root\",\"$defs\":{\"a\":");
    make_schema(maker, 3);
    make_text(maker, ",\"b\":");
    make_schema(maker, 2);
    make_text(maker, ",\"inner\":{\"$id\":\"inner\",\"$dynamicAnchor\":\"m\",\"allOf\":[");
    make_schema(maker, 3);
    make_text(maker, "]},\"outer\":{\"$id\":\"outer\",\"$ref\":\"inner\",\"$defs\":{\"m\":{"
                     "\"$dynamicAnchor\":\"m\",\"anyOf\":[");
    make_schema(maker, 3);
    make_text(maker, "]}}}},\"allOf\":[");
    make_schema(maker, 4);
    make_text(maker, "]");
    if (make_number(maker, 2) == 0)
        make_text(maker, ",\"unevaluatedProperties\":false,\"unevaluatedItems\":{\"type\":"
                         "\"integer\"}");
    make_text(maker, "}");
}

/* ---- three answers --------------------------------------------------------------------------- */

struct answers {
    bool judge;
    bool quick;
    bool trace;
};

static struct answers ask(const struct schema_program *program, struct json instance)
{
    struct answers answers;
    struct judge judge;
    struct schema_trace *trace = NULL;
    judge_init(&judge, program, 0, alloc_default(), NULL);
    answers.judge = judge_value(&judge, 0, instance);
    assert_int_equal(judge.status, STATUS_OK);
    judge_release(&judge);
    assert_int_equal(schema_is_valid(program, instance, 0, alloc_default(), &answers.quick, NULL),
                     STATUS_OK);
    assert_int_equal(schema_trace_new(program, instance, 0, alloc_default(), &trace, NULL),
                     STATUS_OK);
    answers.trace = schema_trace_is_valid(trace);
    schema_trace_free(trace);
    return answers;
}

static void compare(const struct schema_program *program, struct str schema, struct json instance)
{
    const struct answers answers = ask(program, instance);
    if (answers.judge == answers.trace && answers.quick == answers.trace)
        return;
    struct buffer text;
    buffer_init(&text, alloc_default(), TEST_TEXT_BYTES);
    json_write(instance, 0, &text);
    print_error("%.*s\n%.*s\n", (int)schema.len, schema.ptr, (int)text.len, text.ptr);
    fail_msg("judge %d, quick %d, trace %d", answers.judge, answers.quick, answers.trace);
}

static void agrees_on_generated_pairs(void **state)
{
    (void)state;
    enum { SCHEMAS = 3000, INSTANCES = 12 };
    struct maker schema = { .state = 1 };
    struct maker instance = { .state = 2 };
    unsigned pairs = 0;
    buffer_init(&schema.text, alloc_default(), TEST_TEXT_BYTES);
    buffer_init(&instance.text, alloc_default(), TEST_TEXT_BYTES);
    for (unsigned i = 0; i < SCHEMAS; i++) {
        struct schema_program *program = NULL;
        make_root(&schema);
        if (schema_compile_text(buffer_view(&schema.text), NULL, alloc_default(), &program, NULL) !=
            STATUS_OK)
            continue; /* references that lead back to themselves */
        for (unsigned k = 0; k < INSTANCES; k++) {
            buffer_clear(&instance.text);
            make_instance(&instance, 3);
            struct json_doc *doc = parse_text(buffer_view(&instance.text));
            compare(program, buffer_view(&schema.text), json_doc_root(doc));
            json_doc_free(doc);
            pairs++;
        }
        schema_program_free(program);
    }
    print_message("%u pairs\n", pairs);
    assert_true(pairs > SCHEMAS);
    buffer_release(&schema.text);
    buffer_release(&instance.text);
}

/* ---- the suite ------------------------------------------------------------------------------- */

static void compare_group(struct json group, const char *dialect)
{
    const struct schema_options options = { .unknown_keywords = SCHEMA_UNKNOWN_ALLOW,
                                            .dialect = str_from(dialect) };
    struct schema_program *program = NULL;
    struct buffer schema;
    buffer_init(&schema, alloc_default(), TEST_TEXT_BYTES);
    json_write(json_get(group, STR("schema")), 0, &schema);
    struct json tests = json_get(group, STR("tests"));
    if (schema_compile_text(buffer_view(&schema), &options, alloc_default(), &program, NULL) ==
        STATUS_OK) {
        for (struct json t = json_first(tests); json_exists(t); t = json_next(t, tests))
            compare(program, buffer_view(&schema), json_get(t, STR("data")));
        schema_program_free(program);
    }
    buffer_release(&schema);
}

static void compare_file(const char *path, struct str content, void *context)
{
    (void)path;
    struct json_doc *doc = NULL;
    if (json_parse(content, NULL, alloc_default(), &doc, NULL) != STATUS_OK)
        return;
    struct json root = json_doc_root(doc);
    for (struct json group = json_first(root); json_exists(group); group = json_next(group, root))
        compare_group(group, context);
    json_doc_free(doc);
}

static void agrees_on_the_suite(void **state)
{
    (void)state;
    static const struct {
        const char *folder;
        const char *dialect;
    } rows[] = {
        { "draft2020-12", "https://json-schema.org/draft/2020-12/schema" },
        { "draft2020-12/optional", "https://json-schema.org/draft/2020-12/schema" },
        { "draft2019-09", "https://json-schema.org/draft/2019-09/schema" },
        { "draft7", "http://json-schema.org/draft-07/schema#" },
        { "draft7/optional", "http://json-schema.org/draft-07/schema#" },
        { "draft6", "http://json-schema.org/draft-06/schema#" },
        { "draft4", "http://json-schema.org/draft-04/schema#" },
    };
    char path[TEST_PATH_BYTES];
    char relative[256];
    if (!test_suite_path(path, "tests"))
        test_skip("JSON-Schema-Test-Suite is not there");
    for (size_t i = 0; i < COUNT(rows); i++) {
        (void)snprintf(relative, sizeof(relative), "tests/%s", rows[i].folder);
        char dialect[64];
        (void)snprintf(dialect, sizeof(dialect), "%s", rows[i].dialect);
        assert_true(test_suite_path(path, relative));
        assert_int_not_equal(test_files_visit(path, compare_file, dialect), 0);
    }
}

/* ---- limits and memory ----------------------------------------------------------------------- */

/* Each level doubles the units: 2^20 leaves are too many, the judge knows each schema once. */
static void stops_at_the_limit_of_units(void **state)
{
    (void)state;
    struct buffer text;
    struct error error;
    struct schema_trace *trace = NULL;
    error_clear(&error);
    buffer_init(&text, alloc_default(), TEST_TEXT_BYTES);
    buffer_append_str(&text, STR("{\"$ref\":\"#/$defs/0\",\"$defs\":{"));
    for (unsigned i = 0; i < 20; i++)
        buffer_printf(&text,
                      "\"%u\":{\"allOf\":[{\"$ref\":\"#/$defs/%u\"},{\"$ref\":\"#/$defs/%u\"}]},",
                      i, i + 1, i + 1);
    buffer_append_str(&text, STR("\"20\":{\"minimum\":0}}}"));
    struct schema_program *program = compile_text(text.ptr);
    struct json_doc *doc = parse_text(STR("1"));
    assert_int_equal(
        schema_trace_new(program, json_doc_root(doc), 0, alloc_default(), &trace, &error),
        STATUS_UNSUPPORTED);
    assert_null(trace);
    assert_string_equal(error.message, "the trace has more than 1000000 units");
    error_clear(&error);
    assert_int_equal(
        schema_trace_new(program, json_doc_root(doc), 1000, alloc_default(), &trace, &error),
        STATUS_UNSUPPORTED);
    assert_string_equal(error.message, "judging the instance takes more than 1000 steps");
    assert_true(judge_text(program, "1"));
    json_doc_free(doc);
    schema_program_free(program);
    buffer_release(&text);
}

struct pair {
    const char *schema;
    const char *instance;
    bool valid;
};

static void trace_and_judge(struct test_alloc *test, void *context)
{
    const struct pair *pair = context;
    struct schema_program *program = compile_text(pair->schema);
    struct json_doc *doc = parse_text(str_from(pair->instance));
    struct schema_trace *trace = NULL;
    struct judge judge;
    enum status status =
        schema_trace_new(program, json_doc_root(doc), 0, &test->alloc, &trace, NULL);
    assert_int_equal(status, test->failures == 0 ? STATUS_OK : STATUS_NO_MEMORY);
    if (status == STATUS_OK)
        assert_int_equal(schema_trace_is_valid(trace), pair->valid);
    schema_trace_free(trace);
    uint64_t failures = test->failures;
    judge_init(&judge, program, 0, &test->alloc, NULL);
    bool valid = judge_value(&judge, 0, json_doc_root(doc));
    assert_int_equal(judge.status, test->failures == failures ? STATUS_OK : STATUS_NO_MEMORY);
    assert_int_equal(valid, judge.status == STATUS_OK && pair->valid);
    judge_release(&judge);
    json_doc_free(doc);
    schema_program_free(program);
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    static const struct pair pairs[] = {
        { "{\"anyOf\":[{\"properties\":{\"a\":{\"items\":{\"$ref\":\"#\"}}}},{\"required\":[\"z\"]}"
          "],\"unevaluatedProperties\":{\"uniqueItems\":true},\"title\":\"t\"}",
          "{\"a\":[{\"a\":[]},{\"a\":[{\"b\":[1,2,3,4,5,6,7,8,9,10]}]}],\"b\":[1,2]}", true },
        { "{\"$id\":\"https://a.example/"
          "tree\",\"$dynamicAnchor\":\"node\",\"properties\":{\"kids\":"
          "{\"items\":{\"$dynamicRef\":\"#node\"}}},\"unevaluatedProperties\":false}",
          "{\"kids\":[{\"kids\":[{\"kid\":1}]}]}", false },
    };
    for (size_t i = 0; i < COUNT(pairs); i++)
        test_alloc_failures(trace_and_judge, (void *)(uintptr_t)&pairs[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_on_generated_pairs),
        cmocka_unit_test(agrees_on_the_suite),
        cmocka_unit_test(stops_at_the_limit_of_units),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

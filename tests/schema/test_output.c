/* test_output.c - what the output forms say, which annotations there are, and the annotation and
 * output tests of JSON-Schema-Test-Suite.
 */
#include "base/features.h"

#include "schema_test.h"

#include "schema/output.h"
#include "test_alloc.h"
#include "test_data.h"

static const char dialect_2020[] = "https://json-schema.org/draft/2020-12/schema";

static struct schema_program *compile_as(struct str schema, const char *dialect)
{
    const struct schema_options options = { .unknown_keywords = SCHEMA_UNKNOWN_ALLOW,
                                            .dialect = str_from(dialect) };
    struct schema_program *program = NULL;
    struct error error;
    error_clear(&error);
    if (schema_compile_text(schema, &options, alloc_default(), &program, &error) != STATUS_OK)
        fail_msg("%.*s: %s at %s", (int)schema.len, schema.ptr, error.message, error.pointer);
    return program;
}

/* ---- forms ----------------------------------------------------------------------------------- */

static const char point[] =
    "{\"$id\":\"https://a.example/point\",\"title\":\"point\",\"properties\":{\"x\":{\"$ref\":"
    "\"#/$defs/n\"}},\"required\":[\"x\",\"y\"],\"$defs\":{\"n\":{\"minimum\":0,\"default\":1}}}";

static const struct row {
    enum schema_output_form form;
    const char *schema;
    const char *instance;
    const char *output;
} rows[] = {
    { SCHEMA_OUTPUT_FLAG, point, "{\"x\":1,\"y\":2}", "{\"valid\":true}" },
    { SCHEMA_OUTPUT_FLAG, point, "{\"x\":1}", "{\"valid\":false}" },
    { SCHEMA_OUTPUT_BASIC, point, "{\"x\":-1}",
      "{\"valid\":false,\"errors\":[{\"valid\":false,\"keywordLocation\":\"/required\","
      "\"absoluteKeywordLocation\":\"https://a.example/point#/required\",\"instanceLocation\":\"\","
      "\"error\":\"*\"},{\"valid\":false,\"keywordLocation\":\"/properties/x/$ref/minimum\","
      "\"absoluteKeywordLocation\":\"https://a.example/point#/$defs/n/minimum\","
      "\"instanceLocation\":\"/x\",\"error\":\"*\"}]}" },
    { SCHEMA_OUTPUT_BASIC, point, "{\"x\":1,\"y\":2}",
      "{\"valid\":true,\"annotations\":[{\"valid\":true,\"keywordLocation\":\"/properties\","
      "\"absoluteKeywordLocation\":\"https://a.example/point#/properties\",\"instanceLocation\":"
      "\"\",\"annotation\":[\"x\"]},{\"valid\":true,\"keywordLocation\":"
      "\"/properties/x/$ref/default\",\"absoluteKeywordLocation\":"
      "\"https://a.example/point#/$defs/n/default\",\"instanceLocation\":\"/x\",\"annotation\":1},{"
      "\"valid\":true,\"keywordLocation\":\"/title\",\"absoluteKeywordLocation\":"
      "\"https://a.example/point#/title\",\"instanceLocation\":\"\",\"annotation\":\"point\"}]}" },
    { SCHEMA_OUTPUT_DETAILED, "{\"allOf\":[{\"minimum\":2,\"type\":\"string\"}],\"multipleOf\":1}",
      "1",
      "{\"valid\":false,\"keywordLocation\":\"/allOf/0\",\"instanceLocation\":\"\",\"errors\":[{"
      "\"valid\":false,\"keywordLocation\":\"/allOf/0/type\",\"instanceLocation\":\"\",\"error\":"
      "\"*\"},{\"valid\":false,\"keywordLocation\":\"/allOf/0/minimum\",\"instanceLocation\":\"\","
      "\"error\":\"*\"}]}" },
    { SCHEMA_OUTPUT_DETAILED, "{\"properties\":{\"a\":{\"type\":\"null\"}}}", "{\"a\":1}",
      "{\"valid\":false,\"keywordLocation\":\"/properties/a/type\",\"instanceLocation\":\"/a\","
      "\"error\":\"*\"}" },
    { SCHEMA_OUTPUT_DETAILED, "{\"minimum\":0}", "1",
      "{\"valid\":true,\"keywordLocation\":\"\",\"instanceLocation\":\"\"}" },
    { SCHEMA_OUTPUT_DETAILED, "{\"anyOf\":[{\"type\":\"null\"},{\"minimum\":2}]}", "1",
      "{\"valid\":false,\"keywordLocation\":\"/anyOf\",\"instanceLocation\":\"\",\"error\":\"*\","
      "\"errors\":[{\"valid\":false,\"keywordLocation\":\"/anyOf/0/type\",\"instanceLocation\":"
      "\"\",\"error\":\"*\"},{\"valid\":false,\"keywordLocation\":\"/anyOf/1/minimum\","
      "\"instanceLocation\":\"\",\"error\":\"*\"}]}" },
    { SCHEMA_OUTPUT_VERBOSE, "{\"not\":{\"type\":\"null\"},\"title\":\"t\"}", "null",
      "{\"valid\":false,\"keywordLocation\":\"\",\"instanceLocation\":\"\",\"errors\":[{\"valid\":"
      "false,\"keywordLocation\":\"/not\",\"instanceLocation\":\"\",\"error\":\"*\",\"errors\":[{"
      "\"valid\":true,\"keywordLocation\":\"/not\",\"instanceLocation\":\"\",\"annotations\":[{"
      "\"valid\":true,\"keywordLocation\":\"/not/type\",\"instanceLocation\":\"\"}]}]},{\"valid\":"
      "true,\"keywordLocation\":\"/title\",\"instanceLocation\":\"\"}]}" },
    { SCHEMA_OUTPUT_LIST, "{\"title\":\"t\",\"items\":{\"type\":\"null\"},\"maxItems\":1}",
      "[null,0]",
      "{\"valid\":false,\"details\":[{\"valid\":false,\"evaluationPath\":\"\",\"schemaLocation\":"
      "\"#\",\"instanceLocation\":\"\",\"errors\":{\"maxItems\":\"*\"},\"droppedAnnotations\":{"
      "\"title\":\"t\"}},{\"valid\":true,\"evaluationPath\":\"/items\",\"schemaLocation\":"
      "\"#/items\",\"instanceLocation\":\"/0\"},{\"valid\":false,\"evaluationPath\":\"/items\","
      "\"schemaLocation\":\"#/items\",\"instanceLocation\":\"/1\",\"errors\":{\"type\":\"*\"}}]}" },
    { SCHEMA_OUTPUT_LIST, "{\"additionalProperties\":false}", "{\"a/b~\":0}",
      "{\"valid\":false,\"details\":[{\"valid\":false,\"evaluationPath\":\"\",\"schemaLocation\":"
      "\"#\",\"instanceLocation\":\"\"},{\"valid\":false,\"evaluationPath\":"
      "\"/additionalProperties\",\"schemaLocation\":\"#/additionalProperties\","
      "\"instanceLocation\":\"/a~1b~0\",\"errors\":{\"\":\"*\"}}]}" },
    { SCHEMA_OUTPUT_HIERARCHICAL,
      "{\"$ref\":\"#/$defs/a%20b\",\"$defs\":{\"a b\":{\"items\":{\"title\":\"i\"}}}}", "[0]",
      "{\"valid\":true,\"evaluationPath\":\"\",\"schemaLocation\":\"#\",\"instanceLocation\":\"\","
      "\"details\":[{\"valid\":true,\"evaluationPath\":\"/$ref\",\"schemaLocation\":"
      "\"#/$defs/a%20b\",\"instanceLocation\":\"\",\"annotations\":{\"items\":true},\"details\":[{"
      "\"valid\":true,\"evaluationPath\":\"/$ref/items\",\"schemaLocation\":"
      "\"#/$defs/a%20b/items\",\"instanceLocation\":\"/"
      "0\",\"annotations\":{\"title\":\"i\"}}]}]}" },
    { SCHEMA_OUTPUT_HIERARCHICAL, "false", "0",
      "{\"valid\":false,\"evaluationPath\":\"\",\"schemaLocation\":\"#\",\"instanceLocation\":\"\","
      "\"errors\":{\"\":\"*\"}}" },
};

/* The wording is free: "*" stands for any text that is not empty. */
static bool same_output(struct str found, const char *expected)
{
    size_t at = 0;
    for (size_t i = 0; expected[i] != '\0'; i++) {
        if (expected[i] != '*') {
            if (at == found.len || found.ptr[at++] != expected[i])
                return false;
            continue;
        }
        size_t begin = at;
        while (at < found.len && (found.ptr[at] != '"' || found.ptr[at - 1] == '\\'))
            at++;
        if (at == begin)
            return false;
    }
    return at == found.len;
}

static void writes_the_forms(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct schema_program *program = compile_as(str_from(rows[i].schema), dialect_2020);
        struct json_doc *doc = parse_text(str_from(rows[i].instance));
        struct buffer out;
        bool valid = false;
        buffer_init(&out, alloc_default(), TEST_TEXT_BYTES);
        assert_int_equal(schema_output(program, json_doc_root(doc), rows[i].form, 0, 0,
                                       alloc_default(), &out, &valid, NULL),
                         STATUS_OK);
        if (!same_output(buffer_view(&out), rows[i].output))
            fail_msg("row %zu:\n%.*s\nnot\n%s", i, (int)out.len, out.ptr, rows[i].output);
        assert_int_equal(valid, strncmp(out.ptr, "{\"valid\":true", 13) == 0);
        buffer_release(&out);
        json_doc_free(doc);
        schema_program_free(program);
    }
}

/* Indented output is the same document. */
static void indents(void **state)
{
    (void)state;
    struct schema_program *program = compile_as(str_from(point), dialect_2020);
    struct json_doc *doc = parse_text(STR("{\"x\":-1}"));
    for (unsigned form = SCHEMA_OUTPUT_FLAG; form <= SCHEMA_OUTPUT_HIERARCHICAL; form++) {
        struct buffer flat;
        struct buffer indented;
        uint64_t budget = 10000;
        bool valid;
        buffer_init(&flat, alloc_default(), TEST_TEXT_BYTES);
        buffer_init(&indented, alloc_default(), TEST_TEXT_BYTES);
        assert_int_equal(schema_output(program, json_doc_root(doc), (enum schema_output_form)form,
                                       0, 0, alloc_default(), &flat, &valid, NULL),
                         STATUS_OK);
        assert_int_equal(schema_output(program, json_doc_root(doc), (enum schema_output_form)form,
                                       2, 0, alloc_default(), &indented, &valid, NULL),
                         STATUS_OK);
        assert_true(str_starts_with(buffer_view(&indented), STR("{\n  \"valid\": false")));
        struct json_doc *a = parse_text(buffer_view(&flat));
        struct json_doc *b = parse_text(buffer_view(&indented));
        assert_true(json_equal(json_doc_root(a), json_doc_root(b), &budget));
        json_doc_free(a);
        json_doc_free(b);
        buffer_release(&flat);
        buffer_release(&indented);
    }
    json_doc_free(doc);
    schema_program_free(program);
}

static void knows_the_forms_by_name(void **state)
{
    (void)state;
    enum schema_output_form found;
    for (unsigned form = SCHEMA_OUTPUT_FLAG; form <= SCHEMA_OUTPUT_HIERARCHICAL; form++) {
        const char *name = schema_output_form_name((enum schema_output_form)form);
        assert_true(schema_output_form_from(str_from(name), &found));
        assert_int_equal(found, form);
    }
    assert_false(schema_output_form_from(STR("Basic"), &found));
    assert_false(schema_output_form_from(STR(""), &found));
}

static void stops_at_the_maximum_of_the_buffer(void **state)
{
    (void)state;
    struct schema_program *program = compile_as(str_from(point), dialect_2020);
    struct json_doc *doc = parse_text(STR("{\"x\":-1}"));
    struct buffer out;
    struct error error;
    bool valid = true;
    error_clear(&error);
    buffer_init(&out, alloc_default(), 100);
    assert_int_equal(schema_output(program, json_doc_root(doc), SCHEMA_OUTPUT_VERBOSE, 0, 0,
                                   alloc_default(), &out, &valid, &error),
                     STATUS_UNSUPPORTED);
    assert_string_equal(error.message, "the output is larger than 100 bytes");
    assert_true(valid);
    buffer_release(&out);
    json_doc_free(doc);
    schema_program_free(program);
}

static void write_all_forms(struct test_alloc *test, void *context)
{
    const struct row *row = context;
    struct schema_program *program = compile_as(str_from(row->schema), dialect_2020);
    struct json_doc *doc = parse_text(str_from(row->instance));
    struct schema_trace *trace = NULL;
    struct schema_annotations *walk = NULL;
    struct schema_annotation annotation;
    struct buffer out;
    bool valid;
    buffer_init(&out, &test->alloc, TEST_TEXT_BYTES);
    enum status status = schema_output(program, json_doc_root(doc), row->form, 0, 0, &test->alloc,
                                       &out, &valid, NULL);
    assert_int_equal(status, test->failures == 0 ? STATUS_OK : STATUS_NO_MEMORY);
    uint64_t failures = test->failures;
    status = schema_trace_new(program, json_doc_root(doc), 0, &test->alloc, &trace, NULL);
    if (status == STATUS_OK)
        status = schema_annotations_new(trace, &walk);
    while (status == STATUS_OK && schema_annotations_next(walk, &annotation, &status))
        assert_true(annotation.keyword.len > 0);
    assert_int_equal(status, test->failures == failures ? STATUS_OK : STATUS_NO_MEMORY);
    schema_annotations_free(walk);
    schema_trace_free(trace);
    buffer_release(&out);
    json_doc_free(doc);
    schema_program_free(program);
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        test_alloc_failures(write_all_forms, (void *)(uintptr_t)&rows[i]);
}

/* ---- annotations ----------------------------------------------------------------------------- */

/* One line an annotation: instance location, schema location, keyword, value. */
static void list_annotations(const struct schema_program *program, struct json instance,
                             struct buffer *out)
{
    struct schema_trace *trace = NULL;
    struct schema_annotations *walk = NULL;
    struct schema_annotation a;
    enum status status = STATUS_OK;
    buffer_clear(out);
    assert_int_equal(schema_trace_new(program, instance, 0, alloc_default(), &trace, NULL),
                     STATUS_OK);
    assert_int_equal(schema_annotations_new(trace, &walk), STATUS_OK);
    while (schema_annotations_next(walk, &a, &status))
        buffer_printf(out, "%.*s %.*s %.*s %.*s\n", (int)a.instance_location.len,
                      a.instance_location.ptr == NULL ? "" : a.instance_location.ptr,
                      (int)a.schema_location.len, a.schema_location.ptr, (int)a.keyword.len,
                      a.keyword.ptr, (int)a.value.len, a.value.ptr);
    assert_int_equal(status, STATUS_OK);
    schema_annotations_free(walk);
    schema_trace_free(trace);
}

static const struct note_row {
    const char *dialect;
    const char *schema;
    const char *instance;
    const char *annotations;
} note_rows[] = {
    { dialect_2020, "{\"title\":\"t\",\"$comment\":\"c\",\"$defs\":{},\"own\":{\"a\": 1}}", "0",
      " # title \"t\"\n # own {\"a\":1}\n" },
    { dialect_2020, "{\"title\":\"t\",\"minimum\":1}", "0", "" },
    { dialect_2020, "{\"anyOf\":[{\"title\":\"a\",\"minimum\":1},{\"title\":\"b\"}]}", "0",
      " #/anyOf/1 title \"b\"\n" },
    { dialect_2020, "{\"not\":{\"title\":\"a\",\"minimum\":1}}", "0", "" },
    { dialect_2020, "{\"if\":{\"title\":\"a\",\"minimum\":1}}", "1", " #/if title \"a\"\n" },
    { dialect_2020, "{\"propertyNames\":{\"title\":\"n\"}}", "{\"a\":1}", "" },
    { dialect_2020, "{\"patternProperties\":{\"a\":{},\"b\":{}}}", "{\"ab\":1,\"b\":2,\"c\":3}",
      " # patternProperties [\"ab\",\"b\"]\n" },
    { dialect_2020, "{\"properties\":{\"a\":true},\"additionalProperties\":true}",
      "{\"a\":1,\"b\":2}", " # properties [\"a\"]\n # additionalProperties [\"b\"]\n" },
    { dialect_2020, "{\"prefixItems\":[true,true]}", "[1]", " # prefixItems true\n" },
    { dialect_2020, "{\"prefixItems\":[true,true],\"items\":true}", "[1,2,3]",
      " # prefixItems 1\n # items true\n" },
    { dialect_2020, "{\"prefixItems\":[true],\"items\":true}", "[]", "" },
    { dialect_2020, "{\"contains\":{\"minimum\":2}}", "[1,2,3]", " # contains [1,2]\n" },
    { dialect_2020, "{\"contains\":true}", "[1,2]", " # contains true\n" },
    { dialect_2020, "{\"contains\":false,\"minContains\":0}", "[1]", " # contains []\n" },
    { dialect_2020,
      "{\"allOf\":[{\"properties\":{\"a\":true}}],\"unevaluatedProperties\":{\"title\":\"u\"}}",
      "{\"a\":1,\"b\":2}",
      " #/allOf/0 properties [\"a\"]\n # unevaluatedProperties [\"b\"]\n/b "
      "#/unevaluatedProperties title \"u\"\n" },
    { dialect_2020, "{\"contentSchema\":{\"type\":\"null\"}}", "\"\"", "" },
    { dialect_2020, "{\"format\":\"date\"}", "1", " # format \"date\"\n" },
    { "https://json-schema.org/draft/2019-09/schema",
      "{\"items\":[true,true],\"additionalItems\":true,\"contains\":true}", "[1,2,3]",
      " # items 1\n # additionalItems true\n" },
    { "http://json-schema.org/draft-07/schema#",
      "{\"title\":\"t\",\"own\":1,\"properties\":{\"a\":{\"$ref\":\"#/definitions/d\",\"title\":"
      "\"hidden\"}},\"definitions\":{\"d\":{\"description\":\"d\"}}}",
      "{\"a\":1}", "/a #/definitions/d description \"d\"\n # title \"t\"\n" },
};

static void annotates(void **state)
{
    (void)state;
    struct buffer found;
    buffer_init(&found, alloc_default(), TEST_TEXT_BYTES);
    for (size_t i = 0; i < COUNT(note_rows); i++) {
        const struct note_row *row = &note_rows[i];
        struct schema_program *program = compile_as(str_from(row->schema), row->dialect);
        struct json_doc *doc = parse_text(str_from(row->instance));
        list_annotations(program, json_doc_root(doc), &found);
        if (!str_equal(buffer_view(&found), str_from(row->annotations)))
            fail_msg("%s\n%s\nhas\n%.*snot\n%s", row->schema, row->instance, (int)found.len,
                     found.ptr, row->annotations);
        json_doc_free(doc);
        schema_program_free(program);
    }
    buffer_release(&found);
}

/* ---- the annotation tests of the suite ------------------------------------------------------- */

static const struct release {
    const char *dialect;
    unsigned number;
} releases[] = {
    { "http://json-schema.org/draft-04/schema#", 4 },
    { "http://json-schema.org/draft-06/schema#", 6 },
    { "http://json-schema.org/draft-07/schema#", 7 },
    { "https://json-schema.org/draft/2019-09/schema", 2019 },
    { dialect_2020, 2020 },
};

struct suite_run {
    const struct release *release;
    unsigned assertions;
    struct buffer found;
    struct buffer expected;
};

static struct str text_of(struct json object, struct str name)
{
    struct json value = json_get(object, name);
    return json_exists(value) ? json_string(value) : str_of("", 0);
}

/* "6", "<=2019", "=2020", "6,<=2019" */
static bool is_compatible(struct str range, unsigned release)
{
    for (size_t at = 0; at < range.len;) {
        char relation = '>';
        unsigned number = 0;
        for (; at < range.len && range.ptr[at] != ','; at++) {
            if (range.ptr[at] == '<')
                relation = '<';
            else if (range.ptr[at] == '=')
                relation = relation == '<' ? '<' : '=';
            else
                number = number * 10 + (unsigned)(range.ptr[at] - '0');
        }
        at++;
        if ((relation == '>' && release < number) || (relation == '<' && release > number) ||
            (relation == '=' && release != number))
            return false;
    }
    return true;
}

/* The suite points from the root through embedded resources; an absolute location begins at the
 * innermost one. found is a URI, "#" and a pointer. */
static bool is_location(struct json root, struct str expected, struct str found)
{
    struct json value = root;
    struct str id = str_of("", 0);
    size_t begin = 1;
    for (size_t at = 1; at < expected.len;) {
        size_t end = at + 1;
        while (end < expected.len && expected.ptr[end] != '/')
            end++;
        if (json_exists(value))
            value = json_pointer_get(value, str_of(expected.ptr + at, end - at));
        at = end;
        bool has_id = json_exists(value) && json_type(value) == JSON_OBJECT &&
                      json_exists(json_get(value, STR("$id")));
        if (has_id) {
            id = json_string(json_get(value, STR("$id")));
            begin = end;
        }
    }
    const char *hash = memchr(found.ptr, '#', found.len);
    size_t uri = (size_t)(hash - found.ptr);
    return str_equal(str_of(hash + 1, found.len - uri - 1),
                     str_of(expected.ptr + begin, expected.len - begin)) &&
           uri >= id.len && str_equal(str_of(hash - id.len, id.len), id);
}

/* The expected annotations are exactly those of that keyword at that place. */
static void check_assertion(struct suite_run *run, struct json schema, const char *notes,
                            struct json assertion)
{
    struct json expected = json_get(assertion, STR("expected"));
    struct str place = text_of(assertion, STR("location"));
    struct str keyword = text_of(assertion, STR("keyword"));
    unsigned wanted = json_count(expected);
    for (const char *line = notes; *line != '\0'; line = strchr(line, '\n') + 1) {
        const char *at = strchr(line, ' ');
        const char *name = strchr(strchr(line, '#'), ' ') + 1;
        size_t name_len = (size_t)(strchr(name, ' ') - name);
        if (!str_equal(place, str_of(line, (size_t)(at - line))) ||
            !str_equal(keyword, str_of(name, name_len)))
            continue;
        struct json value = { expected.doc, NULL };
        struct str location = str_of(at + 1, (size_t)(name - at - 2));
        for (struct json v = json_first(expected); json_exists(v); v = json_next(v, expected))
            if (is_location(schema, json_member_name(v), location))
                value = v;
        if (!json_exists(value))
            fail_msg("not expected: %.*s", (int)strcspn(line, "\n"), line);
        buffer_clear(&run->expected);
        json_write(value, 0, &run->expected);
        const char *text = name + name_len + 1;
        assert_true(str_equal(buffer_view(&run->expected), str_of(text, strcspn(text, "\n"))));
        wanted--;
    }
    if (wanted != 0)
        fail_msg("%.*s at \"%.*s\" is missing in\n%s", (int)keyword.len, keyword.ptr,
                 (int)place.len, place.ptr, notes);
    run->assertions++;
}

static void check_case(struct suite_run *run, struct json test_case)
{
    if (!is_compatible(text_of(test_case, STR("compatibility")), run->release->number))
        return;
    struct buffer schema;
    buffer_init(&schema, alloc_default(), TEST_TEXT_BYTES);
    json_write(json_get(test_case, STR("schema")), 0, &schema);
    struct schema_program *program = compile_as(buffer_view(&schema), run->release->dialect);
    struct json tests = json_get(test_case, STR("tests"));
    for (struct json t = json_first(tests); json_exists(t); t = json_next(t, tests)) {
        struct json assertions = json_get(t, STR("assertions"));
        list_annotations(program, json_get(t, STR("instance")), &run->found);
        const char *notes = run->found.len == 0 ? "" : run->found.ptr;
        for (struct json a = json_first(assertions); json_exists(a); a = json_next(a, assertions))
            check_assertion(run, json_get(test_case, STR("schema")), notes, a);
    }
    schema_program_free(program);
    buffer_release(&schema);
}

static void check_annotation_file(const char *path, struct str content, void *context)
{
    (void)path;
    struct json_doc *doc = parse_text(content);
    struct json suite = json_get(json_doc_root(doc), STR("suite"));
    for (struct json c = json_first(suite); json_exists(c); c = json_next(c, suite))
        check_case(context, c);
    json_doc_free(doc);
}

static void passes_the_annotation_suite(void **state)
{
    (void)state;
    char path[TEST_PATH_BYTES];
    struct suite_run run = { .assertions = 0 };
    if (!test_suite_path(path, "annotations/tests"))
        test_skip("JSON-Schema-Test-Suite is not there");
    buffer_init(&run.found, alloc_default(), TEST_TEXT_BYTES);
    buffer_init(&run.expected, alloc_default(), TEST_TEXT_BYTES);
    for (size_t i = 0; i < COUNT(releases); i++) {
        run.release = &releases[i];
        assert_int_not_equal(test_files_visit(path, check_annotation_file, &run), 0);
    }
    print_message("%u assertions\n", run.assertions);
    assert_true(run.assertions >= 87);
    buffer_release(&run.found);
    buffer_release(&run.expected);
}

/* ---- the output tests of the suite ----------------------------------------------------------- */

struct output_run {
    const char *dialect;
    struct str output_schema;
    struct json reference; /* {"$ref": the output schema} */
    unsigned checked;
};

/* The next release is read as 2020-12, from which these schemas do not differ. */
static void append_schema(struct buffer *out, struct str schema)
{
    static const char next[] = "\"$schema\":\"https://json-schema.org/v1\"";
    for (size_t i = 0; i < schema.len; i++) {
        if (!str_starts_with(str_of(schema.ptr + i, schema.len - i), str_from(next))) {
            buffer_append_byte(out, schema.ptr[i]);
            continue;
        }
        buffer_printf(out, "\"$schema\":\"%s\"", dialect_2020);
        i += sizeof(next) - 2;
    }
}

static void append_json(struct buffer *out, struct json value)
{
    struct buffer text;
    buffer_init(&text, alloc_default(), TEST_TEXT_BYTES);
    json_write(value, 0, &text);
    append_schema(out, buffer_view(&text));
    buffer_release(&text);
}

/* The output schema itself is embedded, so that the expectation finds it under its URI. */
static void check_output(struct output_run *run, const struct schema_program *program,
                         struct json instance, enum schema_output_form form, struct json wanted)
{
    struct buffer text;
    struct buffer out;
    bool valid;
    buffer_init(&text, alloc_default(), TEST_TEXT_BYTES);
    buffer_init(&out, alloc_default(), TEST_TEXT_BYTES);
    buffer_printf(&text, "{\"$schema\":\"%s\",\"allOf\":[", run->dialect);
    append_json(&text, wanted);
    buffer_append_str(&text, STR("],\"$defs\":{\"output\":"));
    append_schema(&text, run->output_schema);
    buffer_append_str(&text, STR("}}"));
    struct schema_program *expectation = compile_as(buffer_view(&text), run->dialect);
    assert_int_equal(
        schema_output(program, instance, form, 0, 0, alloc_default(), &out, &valid, NULL),
        STATUS_OK);
    struct json_doc *doc = parse_text(buffer_view(&out));
    if (!judge_root(expectation, json_doc_root(doc)))
        fail_msg("%.*s\nis not\n%.*s", (int)out.len, out.ptr, (int)text.len, text.ptr);
    run->checked++;
    json_doc_free(doc);
    schema_program_free(expectation);
    buffer_release(&out);
    buffer_release(&text);
}

/* Every form has to satisfy the output schema, the one that the test names its expectation too. */
static void check_output_group(struct output_run *run, struct json group)
{
    struct buffer schema;
    buffer_init(&schema, alloc_default(), TEST_TEXT_BYTES);
    append_json(&schema, json_get(group, STR("schema")));
    struct schema_program *program = compile_as(buffer_view(&schema), run->dialect);
    struct json tests = json_get(group, STR("tests"));
    for (struct json t = json_first(tests); json_exists(t); t = json_next(t, tests)) {
        struct json data = json_get(t, STR("data"));
        struct json wanted = json_get(t, STR("output"));
        bool is_next = json_exists(json_get(wanted, STR("list")));
        for (struct json v = json_first(wanted); json_exists(v); v = json_next(v, wanted)) {
            enum schema_output_form form;
            assert_true(schema_output_form_from(json_member_name(v), &form));
            check_output(run, program, data, form, v);
        }
        unsigned form = is_next ? SCHEMA_OUTPUT_LIST : SCHEMA_OUTPUT_BASIC;
        unsigned last = is_next ? SCHEMA_OUTPUT_HIERARCHICAL : SCHEMA_OUTPUT_VERBOSE;
        for (; form <= last; form++)
            check_output(run, program, data, (enum schema_output_form)form, run->reference);
    }
    schema_program_free(program);
    buffer_release(&schema);
}

static void check_output_file(const char *path, struct str content, void *context)
{
    (void)path;
    struct json_doc *doc = parse_text(content);
    struct json root = json_doc_root(doc);
    for (struct json group = json_first(root); json_exists(group); group = json_next(group, root))
        check_output_group(context, group);
    json_doc_free(doc);
}

static void passes_the_output_suite(void **state)
{
    (void)state;
    static const struct {
        const char *folder;
        const char *dialect;
        const char *reference;
    } folders[] = {
        { "draft2019-09", "https://json-schema.org/draft/2019-09/schema",
          "{\"$ref\":\"https://json-schema.org/draft/2019-09/output/schema\"}" },
        { "draft2020-12", dialect_2020,
          "{\"$ref\":\"https://json-schema.org/draft/2020-12/output/schema\"}" },
        { "v1", dialect_2020, "{\"$ref\":\"https://json-schema.org/v1/output/schema\"}" },
    };
    char path[TEST_PATH_BYTES];
    char relative[256];
    if (!test_suite_path(path, "output-tests"))
        test_skip("JSON-Schema-Test-Suite is not there");
    for (size_t i = 0; i < COUNT(folders); i++) {
        static const char base[] = "output-tests";
        struct output_run run = { .dialect = folders[i].dialect };
        (void)snprintf(relative, sizeof(relative), "%s/%s/output-schema.json", base,
                       folders[i].folder);
        assert_true(test_suite_path(path, relative));
        struct str text = test_file_read(path);
        struct json_doc *doc = parse_text(text);
        struct json_doc *reference = parse_text(str_from(folders[i].reference));
        struct buffer schema;
        run.reference = json_doc_root(reference);
        buffer_init(&schema, alloc_default(), TEST_TEXT_BYTES);
        json_write(json_doc_root(doc), 0, &schema);
        run.output_schema = buffer_view(&schema);
        (void)snprintf(relative, sizeof(relative), "%s/%s/content", base, folders[i].folder);
        assert_true(test_suite_path(path, relative));
        assert_int_not_equal(test_files_visit(path, check_output_file, &run), 0);
        print_message("%s: %u outputs\n", folders[i].folder, run.checked);
        buffer_release(&schema);
        json_doc_free(reference);
        json_doc_free(doc);
        test_file_free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_the_forms),
        cmocka_unit_test(indents),
        cmocka_unit_test(knows_the_forms_by_name),
        cmocka_unit_test(stops_at_the_maximum_of_the_buffer),
        cmocka_unit_test(survives_failing_allocations),
        cmocka_unit_test(annotates),
        cmocka_unit_test(passes_the_annotation_suite),
        cmocka_unit_test(passes_the_output_suite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

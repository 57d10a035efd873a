/* test_library.c - documents that references reach: libraries, built-in meta-schemas, several
 * dialects and vocabularies, dynamic anchors across documents.
 */
#include "base/features.h"

#include "schema_test.h"

#include "schema/library.h"
#include "test_alloc.h"

struct resource {
    const char *uri; /* NULL: its own $id */
    const char *text;
};

static const struct resource resources[] = {
    { "https://e.example/integer.json", "{\"type\":\"integer\"}" },
    { NULL, "{\"$id\":\"https://e.example/dir/own.json\",\"$defs\":{\"s\":{\"$anchor\":\"s\","
            "\"type\":\"string\"},\"part\":{\"$id\":\"part.json\",\"type\":\"boolean\"}},"
            "\"$ref\":\"#s\"}" },
    { "https://e.example/old.json",
      "{\"$schema\":\"http://json-schema.org/draft-04/schema#\",\"minimum\":3,"
      "\"exclusiveMinimum\":true}" },
    { "https://e.example/tree.json",
      "{\"$id\":\"https://e.example/tree.json\",\"$dynamicAnchor\":\"node\",\"properties\":{"
      "\"children\":{\"items\":{\"$dynamicRef\":\"#node\"}}}}" },
    { "https://e.example/meta-core.json",
      "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$vocabulary\":{"
      "\"https://json-schema.org/draft/2020-12/vocab/core\":true,"
      "\"https://json-schema.org/draft/2020-12/vocab/applicator\":true}}" },
    { "https://e.example/meta-format.json",
      "{\"$vocabulary\":{\"https://json-schema.org/draft/2020-12/vocab/core\":true,"
      "\"https://json-schema.org/draft/2020-12/vocab/format-assertion\":false}}" },
    { "https://e.example/meta-strange.json", "{\"$vocabulary\":{\"urn:strange\":true}}" },
    { "https://e.example/meta-tolerant.json", "{\"$vocabulary\":{\"urn:strange\":false}}" },
    { "https://e.example/meta-of-meta.json",
      "{\"$schema\":\"https://e.example/meta-core.json\",\"$vocabulary\":{"
      "\"https://json-schema.org/draft/2020-12/vocab/validation\":true}}" },
    { "https://e.example/meta-short.json",
      "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$dynamicAnchor\":\"meta\","
      "\"$ref\":\"https://json-schema.org/draft/2020-12/schema\",\"maxProperties\":2}" },
    { "https://e.example/meta-2019.json",
      "{\"$schema\":\"https://json-schema.org/draft/2019-09/schema\",\"$vocabulary\":{"
      "\"https://json-schema.org/draft/2019-09/vocab/format\":true}}" },
    { "https://e.example/meta-2019-not.json",
      "{\"$schema\":\"https://json-schema.org/draft/2019-09/schema\",\"$vocabulary\":{"
      "\"https://json-schema.org/draft/2019-09/vocab/format\":false}}" },
    { "https://e.example/meta-broken.json", "{\"$ref\":\"https://e.example/absent.json\"}" },
    { "https://e.example/meta-loop.json", "{\"$schema\":\"https://e.example/meta-loop.json\"}" },
    { "https://e.example/broken.json", "{\"type\":\"strnig\"}" },
    /* Mentions another document's name and would be refused if it were read. */
    { "https://e.example/mention.json",
      "{\"$id\":\"nested/dir/\",\"$defs\":{\"a\":{\"$id\":\"inner.json\",\"$defs\":{\"b\":{\"$id\":"
      "\"#c\",\"type\":\"null\"}}}},\"enum\":[{\"$id\":\"value.json\"}],\"minimum\":"
      "\"https://e.example/lost.json\"}" },
    { "https://e.example/deep.json",
      "{\"$schema\":\"http://json-schema.org/draft-07/"
      "schema#\",\"allOf\":[{\"definitions\":{\"a\":{"
      "\"$id\":\"deep/er.json\",\"definitions\":{\"b\":{\"$id\":\"#b\",\"const\":1}}}}}]}" },
};

static enum status add(struct schema_library *library, const struct alloc *alloc,
                       const struct resource *row, struct error *error)
{
    struct json_doc *doc = NULL;
    enum status status = json_parse(str_from(row->text), NULL, alloc, &doc, error);
    if (status != STATUS_OK)
        return status;
    struct str uri = row->uri == NULL ? str_of(NULL, 0) : str_from(row->uri);
    status = schema_library_add(library, uri, doc, error);
    if (status != STATUS_OK)
        json_doc_free(doc);
    return status;
}

static struct schema_library *library_of_all(void)
{
    struct schema_library *library = NULL;
    assert_int_equal(schema_library_new(alloc_default(), &library), STATUS_OK);
    for (size_t i = 0; i < COUNT(resources); i++)
        assert_int_equal(add(library, alloc_default(), &resources[i], NULL), STATUS_OK);
    return library;
}

static enum status compile_with(struct schema_library *library, const char *schema,
                                struct schema_program **out_program, struct error *error)
{
    const struct schema_options options = { .library = library,
                                            .unknown_keywords = SCHEMA_UNKNOWN_ALLOW };
    error_clear(error);
    return schema_compile_text(str_from(schema), &options, alloc_default(), out_program, error);
}

static const struct verdict {
    const char *schema;
    const char *valid;
    const char *invalid;
} verdicts[] = {
    { "{\"$ref\":\"https://e.example/integer.json\"}", "7", "\"7\"" },
    { "{\"$id\":\"https://e.example/x.json\",\"$ref\":\"integer.json#\"}", "7", "\"7\"" },
    { "{\"$ref\":\"https://e.example/dir/own.json\"}", "\"a\"", "1" },
    { "{\"$ref\":\"https://e.example/dir/own.json#s\"}", "\"a\"", "1" },
    { "{\"$ref\":\"https://e.example/dir/own.json#/$defs/s\"}", "\"a\"", "1" },
    /* A part of a document that nothing else reaches. */
    { "{\"$ref\":\"https://e.example/dir/part.json\"}", "true", "1" },
    { "{\"$ref\":\"https://e.example/deep/er.json#b\"}", "1", "2" },
    /* A pointer into a part with an identifier of its own, to a place that no keyword names. */
    { "{\"$id\":\"https://e.example/x.json\",\"$defs\":{\"p\":{\"$id\":\"sub/p.json\",\"x-more\":{"
      "\"q\":{\"$ref\":\"r.json\"}},\"$defs\":{\"r\":{\"$id\":\"r.json\",\"const\":5}}}},"
      "\"$ref\":\"#/$defs/p/x-more/q\"}",
      "5", "6" },
    /* Each document in its own dialect. */
    { "{\"$ref\":\"https://e.example/old.json\"}", "4", "3" },
    { "{\"$schema\":\"http://json-schema.org/draft-04/schema#\",\"allOf\":[{\"$ref\":"
      "\"https://e.example/tree.json\"}],\"maximum\":3,\"exclusiveMaximum\":true}",
      "2", "3" },
    { "{\"$defs\":{\"o\":{\"$id\":\"urn:o\",\"$schema\":\"http://json-schema.org/draft-07/"
      "schema#\","
      "\"allOf\":[{\"$ref\":\"#/definitions/a\",\"type\":\"string\"}],\"definitions\":{\"a\":{"
      "\"minimum\":1}}}},\"$ref\":\"urn:o\"}",
      "1", "0" },
    /* The whole tree is strict once the outermost resource says so. */
    { "{\"$id\":\"https://e.example/"
      "strict.json\",\"$dynamicAnchor\":\"node\",\"$ref\":\"tree.json\","
      "\"unevaluatedProperties\":false}",
      "{\"children\":[{\"children\":[]}]}", "{\"children\":[{\"kids\":[]}]}" },
    { "{\"$ref\":\"https://e.example/tree.json\"}", "{\"children\":[{\"kids\":[]}]}", NULL },
    /* Vocabularies. */
    { "{\"$schema\":\"https://e.example/"
      "meta-core.json\",\"minimum\":10,\"properties\":{\"a\":false}}",
      "1", "{\"a\":1}" },
    { "{\"$schema\":\"https://e.example/meta-format.json\",\"format\":\"ipv4\"}", "\"1.2.3.4\"",
      "\"1.2.3\"" },
    { "{\"$schema\":\"https://e.example/meta-tolerant.json\",\"minimum\":10}", "1", NULL },
    { "{\"$schema\":\"https://e.example/meta-of-meta.json\",\"minimum\":10,\"not\":{}}", "11",
      "9" },
    { "{\"$schema\":\"https://e.example/meta-2019.json\",\"format\":\"ipv4\"}", "\"1.2.3.4\"",
      "\"1.2.3\"" },
    { "{\"$schema\":\"https://e.example/meta-2019-not.json\",\"format\":\"ipv4\"}", "\"1.2.3\"",
      NULL },
    { "{\"$schema\":\"https://e.example/meta-short.json\",\"not\":{\"type\":\"null\"}}", "1",
      "null" },
    /* Built-in documents. */
    { "{\"$ref\":\"https://json-schema.org/draft/2020-12/schema\"}", "{\"minLength\":1}",
      "{\"minLength\":-1}" },
    { "{\"$ref\":\"https://json-schema.org/draft/2020-12/schema\"}",
      "{\"items\":{\"items\":{\"type\":\"null\"}}}", "{\"items\":{\"items\":{\"type\":\"nul\"}}}" },
    { "{\"$ref\":\"https://json-schema.org/draft/2019-09/schema\"}",
      "{\"items\":[{\"items\":[true]}]}", "{\"items\":[{\"items\":[1]}]}" },
    { "{\"$ref\":\"http://json-schema.org/draft-07/schema#\"}", "{\"if\":{\"const\":1}}",
      "{\"if\":{\"type\":1}}" },
    { "{\"$ref\":\"http://json-schema.org/draft-06/schema#\"}", "{\"contains\":true}",
      "{\"contains\":1}" },
    { "{\"$ref\":\"http://json-schema.org/draft-04/schema#\"}", "{\"required\":[\"a\"]}",
      "{\"required\":[]}" },
    { "{\"$ref\":\"https://json-schema.org/draft/2020-12/meta/validation\"}", "{\"maxItems\":1}",
      "{\"maxItems\":1.5}" },
};

static void check(const struct schema_program *program, const char *text, bool expected)
{
    struct json_doc *doc = NULL;
    if (text == NULL)
        return;
    assert_int_equal(json_parse(str_from(text), NULL, alloc_default(), &doc, NULL), STATUS_OK);
    if (judge_root(program, json_doc_root(doc)) != expected)
        fail_msg("%s is judged wrongly", text);
    json_doc_free(doc);
}

static void reaches_documents(void **state)
{
    (void)state;
    struct schema_library *library = library_of_all();
    for (size_t i = 0; i < COUNT(verdicts); i++) {
        struct schema_program *program = NULL;
        struct error error;
        if (compile_with(library, verdicts[i].schema, &program, &error) != STATUS_OK)
            fail_msg("%s: %s", verdicts[i].schema, error.message);
        check(program, verdicts[i].valid, true);
        check(program, verdicts[i].invalid, false);
        schema_program_free(program);
    }
    schema_library_unref(library);
}

static const struct fault_row {
    const char *schema;
    const char *pointer;
    const char *message;
} faults[] = {
    { "{\"$ref\":\"https://e.example/none.json\"}", "/$ref", "not known" },
    { "{\"$ref\":\"https://e.example/integer.json#/a\"}", "/$ref", "names nothing" },
    { "{\"$ref\":\"https://e.example/lost.json\"}", "/$ref", "not known" },
    { "{\"$ref\":\"https://e.example/nested/dir/inner.json\"}", "/minimum",
      "(in https://e.example/mention.json)" },
    { "{\"$schema\":\"https://e.example/meta-strange.json\"}", "/$schema", "urn:strange" },
    { "{\"$schema\":\"https://e.example/meta-loop.json\"}", "/$schema", "not known" },
    { "{\"$schema\":\"https://e.example/meta-broken.json\"}", "/$schema", "not known" },
    { "{\"$schema\":\"https://e.example/"
      "meta-short.json\",\"not\":{\"type\":\"null\",\"title\":\"a\","
      "\"description\":\"b\"}}",
      "/not", "the meta-schema says" },
    { "{\"$schema\":\"https://json-schema.org/draft/2019-09/schema\",\"$anchor\":\"_a\"}",
      "/$anchor", "plain name" },
    { "{\"$anchor\":\"a:b\"}", "/$anchor", "plain name" },
    { "{\"properties\":{\"a\":{\"$ref\":\"https://e.example/broken.json\"}}}", "/type",
      "(in https://e.example/broken.json)" },
};

static void names_the_document(void **state)
{
    (void)state;
    struct schema_library *library = library_of_all();
    for (size_t i = 0; i < COUNT(faults); i++) {
        struct schema_program *program = NULL;
        struct error error;
        assert_int_equal(compile_with(library, faults[i].schema, &program, &error),
                         STATUS_INVALID_SCHEMA);
        assert_string_equal(error.pointer, faults[i].pointer);
        if (strstr(error.message, faults[i].message) == NULL)
            fail_msg("%s: %s", faults[i].schema, error.message);
    }
    schema_library_unref(library);
}

static void outlives_its_owner(void **state)
{
    (void)state;
    struct schema_library *library = library_of_all();
    struct schema_program *program = NULL;
    struct error error;
    assert_int_equal(
        compile_with(library, "{\"$ref\":\"https://e.example/dir/own.json\"}", &program, &error),
        STATUS_OK);
    schema_library_unref(library);
    check(program, "\"a\"", true);
    check(program, "1", false);
    schema_program_free(program);
    schema_library_unref(NULL);
    assert_null(schema_library_ref(NULL));
}

static void refuses_what_has_no_place(void **state)
{
    (void)state;
    static const struct resource refused[] = {
        { NULL, "{}" },   { NULL, "{\"$id\":5}" },
        { NULL, "true" }, { "relative.json", "{}" },
        { "#", "{}" },    { "https://e.example/integer.json#", "{}" },
    };
    struct schema_library *library = library_of_all();
    for (size_t i = 0; i < COUNT(refused); i++) {
        struct error error;
        error_clear(&error);
        assert_int_equal(add(library, alloc_default(), &refused[i], &error), STATUS_INVALID_SCHEMA);
        assert_true(error.message[0] != '\0' && error.hint[0] != '\0');
    }
    assert_null(schema_library_find(library, STR("https://e.example/none")));
    assert_non_null(schema_library_find(library, STR("https://e.example/dir/own.json")));
    schema_library_unref(library);
}

/* A dynamic reference that can lead to one place only is a plain one. */
static void settles_what_is_not_dynamic(void **state)
{
    (void)state;
    static const struct {
        const char *schema;
        bool is_dynamic;
    } rows[] = {
        { "{\"$dynamicAnchor\":\"a\",\"properties\":{\"x\":{\"$dynamicRef\":\"#a\"}}}", false },
        { "{\"$anchor\":\"a\",\"properties\":{\"x\":{\"$dynamicRef\":\"#a\"}}}", false },
        { "{\"$dynamicAnchor\":\"a\",\"properties\":{\"x\":{\"$dynamicRef\":\"#a\"},\"y\":{\"$id\":"
          "\"urn:y\",\"$dynamicAnchor\":\"a\"}}}",
          true },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct schema_program *program = NULL;
        struct error error;
        bool found = false;
        assert_int_equal(compile_with(NULL, rows[i].schema, &program, &error), STATUS_OK);
        for (uint32_t k = 0; k < program->op_count; k++)
            found = found || program->ops[k].opcode == SCHEMA_OP_DYNAMIC_REF;
        assert_int_equal(found, rows[i].is_dynamic);
        schema_program_free(program);
    }
}

/* A loop that depends on where the judge comes from cannot be refused beforehand: it ends. */
static void ends_in_dynamic_loops(void **state)
{
    (void)state;
    static const char schema[] =
        "{\"$id\":\"urn:a\",\"$dynamicAnchor\":\"n\",\"$ref\":\"urn:b\",\"$defs\":{\"b\":{\"$id\":"
        "\"urn:b\","
        "\"$dynamicRef\":\"urn:c#n\"},\"c\":{\"$id\":\"urn:c\",\"$dynamicAnchor\":\"n\",\"type\":"
        "\"integer\"}}}";
    struct schema_program *program = NULL;
    struct json_doc *doc = parse_text(STR("5"));
    struct error error;
    bool valid = false;
    assert_int_equal(compile_with(NULL, schema, &program, &error), STATUS_OK);
    assert_int_equal(
        schema_is_valid(program, json_doc_root(doc), 0, alloc_default(), &valid, &error),
        STATUS_UNSUPPORTED);
    assert_non_null(strstr(error.message, "inside each other"));
    schema_program_free(program);
    assert_int_equal(
        compile_with(NULL, "{\"$dynamicAnchor\":\"n\",\"$dynamicRef\":\"#n\"}", &program, &error),
        STATUS_INVALID_SCHEMA);
    json_doc_free(doc);
}

static void adds_and_compiles(struct test_alloc *test, void *context)
{
    const struct alloc *alloc = &test->alloc;
    (void)context;
    struct schema_library *library = NULL;
    struct schema_program *program = NULL;
    if (schema_library_new(alloc, &library) != STATUS_OK)
        return;
    const struct schema_options options = { .library = library };
    enum status status = STATUS_OK;
    for (size_t i = 0; i < 5 && status == STATUS_OK; i++)
        status = add(library, alloc, &resources[i], NULL);
    if (status == STATUS_OK)
        status = schema_compile_text(
            STR("{\"$id\":\"https://e.example/s.json\",\"$dynamicAnchor\":\"node\",\"$ref\":"
                "\"tree.json\",\"allOf\":[{\"$ref\":\"https://e.example/dir/"
                "part.json\"},{\"$ref\":"
                "\"http://json-schema.org/draft-06/schema\"}]}"),
            &options, alloc, &program, NULL);
    if (status == STATUS_OK) {
        schema_program_free(program);
        status = schema_compile_text(
            STR("{\"$schema\":\"https://e.example/meta-core.json\",\"not\":{}}"), &options, alloc,
            &program, NULL);
    }
    assert_int_equal(status, test->failures == 0 ? STATUS_OK : STATUS_NO_MEMORY);
    if (status == STATUS_OK)
        schema_program_free(program);
    schema_library_unref(library);
}

static void survives_every_failure(void **state)
{
    (void)state;
    test_alloc_failures(adds_and_compiles, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reaches_documents),           cmocka_unit_test(names_the_document),
        cmocka_unit_test(outlives_its_owner),          cmocka_unit_test(refuses_what_has_no_place),
        cmocka_unit_test(settles_what_is_not_dynamic), cmocka_unit_test(survives_every_failure),
        cmocka_unit_test(ends_in_dynamic_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_growth.c - the work of a verdict grows with the instance, not with the ways to read it.
 *
 * Work is counted in the judge's own steps, so that the figures are the same on every machine:
 * twice the instance may cost twice the steps and a little more. The work of the quick path is
 * measured elsewhere; it hands over to the judge before it could grow faster.
 */
#include "base/features.h"

#include "schema_test.h"

#include "base/limits.h"
#include "schema/judge.h"

/* Instances of size n. */
typedef void maker(struct buffer *out, unsigned n);

/* {"next":{"next":{}}} */
static void make_chain(struct buffer *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        buffer_append_str(out, STR("{\"next\":"));
    buffer_append_str(out, STR("{}"));
    for (unsigned i = 0; i < n; i++)
        buffer_append_str(out, STR("}"));
}

/* {"k0":0,"k1":1, ...} */
static void make_object(struct buffer *out, unsigned n)
{
    buffer_append_byte(out, '{');
    for (unsigned i = 0; i < n * 16; i++)
        buffer_printf(out, "%s\"k%u\":%u", i == 0 ? "" : ",", i, i);
    buffer_append_byte(out, '}');
}

static void make_array(struct buffer *out, unsigned n)
{
    buffer_append_byte(out, '[');
    for (unsigned i = 0; i < n * 16; i++)
        buffer_printf(out, i % 2 == 0 ? "%s%u" : "%s\"%u\"", i == 0 ? "" : ",", i);
    buffer_append_byte(out, ']');
}

static void make_array_of_objects(struct buffer *out, unsigned n)
{
    buffer_append_byte(out, '[');
    for (unsigned i = 0; i < n; i++)
        buffer_printf(out, "%s{\"kind\":\"c\",\"value\":%u,\"next\":[{\"kind\":\"b\"}]}",
                      i == 0 ? "" : ",", i);
    buffer_append_byte(out, ']');
}

/* A tree of which every node has two children, n of them in all. */
static void make_tree(struct buffer *out, unsigned n)
{
    buffer_append_str(out, STR("{\"children\":["));
    for (unsigned i = 0; i < n; i++)
        buffer_printf(out, "%s{\"data\":%u,\"children\":[{\"data\":1},{\"children\":[]}]}",
                      i == 0 ? "" : ",", i);
    buffer_append_str(out, STR("]}"));
}

static const struct family {
    const char *name;
    maker *make;
    bool valid;
    const char *schema;
} families[] = {
    { "alternatives that all go down", make_chain, true,
      "{\"anyOf\":[{\"properties\":{\"next\":{\"$ref\":\"#\"}},\"required\":[\"x\"]},"
      "{\"properties\":{\"next\":{\"$ref\":\"#\"}},\"required\":[\"y\"]},"
      "{\"properties\":{\"next\":{\"$ref\":\"#\"}}}]}" },
    { "oneOf that all go down", make_chain, false,
      "{\"oneOf\":[{\"properties\":{\"next\":{\"$ref\":\"#\"}}},"
      "{\"properties\":{\"next\":{\"$ref\":\"#\"}},\"required\":[\"y\"]},"
      "{\"properties\":{\"next\":{\"$ref\":\"#\"}},\"minProperties\":0}]}" },
    { "unevaluated members below alternatives", make_chain, true,
      "{\"anyOf\":[{\"properties\":{\"next\":{\"$ref\":\"#\"}}},"
      "{\"additionalProperties\":{\"$ref\":\"#\"}},{\"required\":[\"y\"]}],"
      "\"unevaluatedProperties\":false}" },
    { "unevaluated members at every level of nesting", make_chain, true,
      "{\"allOf\":[{\"$ref\":\"#/$defs/a\"},{\"$ref\":\"#/$defs/b\"}],\"unevaluatedProperties\":{"
      "\"$ref\":\"#\"},\"$defs\":{\"a\":{\"allOf\":[{\"$ref\":\"#/$defs/b\"}],"
      "\"unevaluatedProperties\":{\"$ref\":\"#\"}},\"b\":{\"anyOf\":[{\"$ref\":\"#/$defs/c\"},{"
      "\"required\":[\"no\"]}],\"unevaluatedProperties\":{\"$ref\":\"#\"}},\"c\":{\"minProperties\""
      ":0,\"unevaluatedProperties\":{\"$ref\":\"#\"}}}}" },
    { "if, then, else", make_chain, true,
      "{\"if\":{\"properties\":{\"next\":{\"$ref\":\"#\"}}},\"then\":{\"properties\":{\"next\":{"
      "\"$ref\":\"#\"}}},\"else\":{\"properties\":{\"next\":{\"$ref\":\"#\"}}},"
      "\"unevaluatedProperties\":false}" },
    { "not of not", make_chain, true,
      "{\"not\":{\"not\":{\"properties\":{\"next\":{\"$ref\":\"#\"}}}},\"properties\":{\"next\":{"
      "\"$ref\":\"#\"}}}" },
    { "closed object", make_object, false,
      "{\"properties\":{\"k0\":true,\"k1\":true},\"additionalProperties\":false}" },
    { "unevaluated members of a wide object", make_object, true,
      "{\"anyOf\":[{\"patternProperties\":{\"0$\":true}},{\"patternProperties\":{\"1$\":{\"type\":"
      "\"integer\"}}},{\"properties\":{\"k2\":true}}],\"unevaluatedProperties\":{\"minimum\":0}}" },
    { "unevaluated items of a long array", make_array, true,
      "{\"anyOf\":[{\"contains\":{\"type\":\"string\"}},{\"prefixItems\":[true,true]}],"
      "\"unevaluatedItems\":{\"type\":\"integer\"}}" },
    { "different items", make_array, true, "{\"uniqueItems\":true}" },
    { "different objects", make_array_of_objects, true, "{\"uniqueItems\":true}" },
    { "alternatives told apart by a member", make_array_of_objects, true,
      "{\"items\":{\"oneOf\":[{\"$ref\":\"#/$defs/a\"},{\"$ref\":\"#/$defs/b\"},{\"$ref\":"
      "\"#/$defs/c\"}]},\"$defs\":{\"a\":{\"properties\":{\"kind\":{\"const\":\"a\"}}},\"b\":{"
      "\"properties\":{\"kind\":{\"const\":\"b\"}}},\"c\":{\"properties\":{\"kind\":{\"const\":"
      "\"c\"},\"next\":{\"$ref\":\"#\"}},\"unevaluatedProperties\":{\"type\":\"integer\"}}}}" },
    { "a tree by a dynamic reference", make_tree, true,
      "{\"$id\":\"https://a.example/strict\",\"$dynamicAnchor\":\"node\",\"$ref\":\"tree\","
      "\"unevaluatedProperties\":false,\"$defs\":{\"tree\":{\"$id\":\"tree\",\"$dynamicAnchor\":"
      "\"node\",\"properties\":{\"data\":true,\"children\":{\"items\":{\"$dynamicRef\":\"#node\"}"
      "}}}}}" },
    { "a chain by two dynamic references", make_chain, true,
      "{\"$id\":\"https://a.example/one\",\"$dynamicAnchor\":\"node\",\"anyOf\":[{\"properties\":{"
      "\"next\":{\"$dynamicRef\":\"#node\"}},\"required\":[\"x\"]},{\"$ref\":\"two\"}],\"$defs\":{"
      "\"two\":{\"$id\":\"two\",\"$dynamicAnchor\":\"other\",\"$dynamicRef\":\"#none\",\"$defs\":{"
      "\"none\":{\"$dynamicAnchor\":\"none\",\"properties\":{\"next\":{\"$ref\":\"one\"}}}}}}}" },
};

static uint64_t steps_of(const struct family *family, unsigned n)
{
    struct schema_program *program = compile_text(family->schema);
    struct buffer text;
    struct judge judge;
    buffer_init(&text, alloc_default(), TEST_TEXT_BYTES);
    family->make(&text, n);
    struct json_doc *doc = parse_text(buffer_view(&text));
    judge_init(&judge, program, 0, alloc_default(), NULL);
    bool valid = judge_value(&judge, 0, json_doc_root(doc));
    uint64_t steps = judge.steps_max - judge.steps;
    assert_int_equal(judge.status, STATUS_OK);
    if (valid != family->valid)
        fail_msg("%s: %d", family->name, valid);
    judge_release(&judge);
    json_doc_free(doc);
    buffer_release(&text);
    schema_program_free(program);
    return steps;
}

/* Memory of verdicts begins after a short run, so sizes start where it has begun. */
static void grows_with_the_instance(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(families); i++) {
        bool is_deep = families[i].make == make_chain;
        unsigned n = is_deep ? 60 : 400;
        uint64_t half = steps_of(&families[i], n);
        uint64_t whole = steps_of(&families[i], 2 * n);
        print_message("%-48s %8llu %8llu\n", families[i].name, (unsigned long long)half,
                      (unsigned long long)whole);
        if (whole > 2 * half + half / 5 + 100)
            fail_msg("%s: %llu steps, then %llu", families[i].name, (unsigned long long)half,
                     (unsigned long long)whole);
        assert_true(whole > half || !families[i].valid);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_with_the_instance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

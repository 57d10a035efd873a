/* test_attacks.c - hostile schemas and instances from the field: the right verdict, and an end.
 *
 * Cases that need a keyword that is refused by name are counted, not judged.
 */
#include "base/features.h"

#include "schema_test.h"

#include "test_data.h"

enum { ATTACK_TEXT_BYTES = 1 << 25 };

struct tally {
    unsigned judged;
    unsigned refused;
    unsigned skipped;
};

static struct str text_of(struct json object, const char *name)
{
    struct json value = json_type(object) == JSON_OBJECT ? json_get(object, str_from(name))
                                                         : (struct json){ object.doc, NULL };
    if (!json_exists(value) || json_type(value) != JSON_STRING)
        return str_of(NULL, 0);
    return json_string(value);
}

static uint64_t number_of(struct json object, const char *name, uint64_t otherwise)
{
    struct json value = json_get(object, str_from(name));
    if (!json_exists(value) || json_type(value) != JSON_NUMBER)
        return otherwise;
    struct decimal number = json_number(value);
    return decimal_to_uint64_saturated(&number);
}

/* [text, count] pairs, concatenated. */
static void append_cat(struct json list, struct buffer *out)
{
    for (struct json v = json_first(list); json_exists(v); v = json_next(v, list)) {
        struct decimal count = json_number(json_at(v, 1));
        for (uint64_t i = decimal_to_uint64_saturated(&count); i > 0; i--)
            buffer_append_str(out, json_string(json_at(v, 0)));
    }
}

static void append_laughs(struct json input, struct buffer *out)
{
    uint64_t levels = number_of(input, "levels", 30);
    uint64_t fanout = number_of(input, "fanout", 3);
    struct str combinator = text_of(input, "combinator");
    buffer_append_str(out, STR("{\"$ref\":\"#/$defs/l0\",\"$defs\":{"));
    for (uint64_t i = 0; i < levels; i++) {
        buffer_printf(out, "\"l%lu\":{\"%.*s\":[", (unsigned long)i, (int)combinator.len,
                      combinator.ptr);
        for (uint64_t k = 0; k < fanout; k++)
            buffer_printf(out, "%s{\"$ref\":\"#/$defs/l%lu\"}", k > 0 ? "," : "",
                          (unsigned long)i + 1);
        buffer_append_str(out, STR("]},"));
    }
    buffer_printf(out, "\"l%lu\":{\"type\":\"object\"}}}", (unsigned long)levels);
}

static void append_chain(struct json input, struct buffer *out)
{
    unsigned long length = (unsigned long)number_of(input, "length", 5000);
    buffer_append_str(out, STR("{\"$ref\":\"#/$defs/l0\",\"$defs\":{"));
    for (unsigned long i = 0; i < length; i++)
        buffer_printf(out, "\"l%lu\":{\"$ref\":\"#/$defs/l%lu\"},", i, i + 1);
    buffer_printf(out, "\"l%lu\":{\"type\":\"object\"}}}", length);
}

static void append_enum(struct json input, struct buffer *out)
{
    unsigned long count = (unsigned long)number_of(input, "count", 1000);
    buffer_append_str(out, STR("{\"enum\":["));
    for (unsigned long i = 0; i < count; i++)
        buffer_printf(out, "%s\"%024lu\"", i > 0 ? "," : "", i);
    buffer_append_str(out, STR("]}"));
}

static void append_colliding(struct json input, struct buffer *out)
{
    unsigned long count = (unsigned long)number_of(input, "count", 65536);
    buffer_append_str(out, STR("{\"properties\":{"));
    for (unsigned long i = 0; i < count; i++) {
        buffer_append_str(out, i > 0 ? STR(",\"") : STR("\""));
        for (unsigned bit = 0; bit < 16; bit++)
            buffer_append_str(out, (i >> bit & 1) != 0 ? STR("Aa") : STR("BB"));
        buffer_append_str(out, STR("\":true"));
    }
    buffer_append_str(out, STR("}}"));
}

static void append_nested_anyof(struct json input, struct buffer *out)
{
    unsigned long depth = (unsigned long)number_of(input, "depth", 17);
    unsigned long branches = (unsigned long)number_of(input, "branch", 6);
    buffer_append_str(out, STR("{\"$ref\":\"#/$defs/d0\",\"$defs\":{"));
    for (unsigned long i = 0; i < depth; i++) {
        buffer_printf(out, "\"d%lu\":{\"anyOf\":[", i);
        for (unsigned long k = 0; k < branches; k++)
            buffer_printf(
                out,
                "%s{\"type\":\"object\",\"properties\":{\"p%lu\":{\"$ref\":\"#/$defs/d%lu\"}},"
                "\"required\":[\"p%lu\"]}",
                k > 0 ? "," : "", k, i + 1, k);
        buffer_append_str(out, STR("]},"));
    }
    buffer_printf(out, "\"d%lu\":{\"type\":\"null\"}}}", depth);
}

static void append_nested_if(struct json input, struct buffer *out)
{
    uint64_t depth = number_of(input, "depth", 30);
    for (uint64_t i = 0; i < depth; i++)
        buffer_append_str(
            out, STR("{\"if\":{\"required\":[\"a\"]},\"then\":{\"maxProperties\":9},\"else\":"));
    buffer_append_str(out, STR("true"));
    for (uint64_t i = 0; i < depth; i++)
        buffer_append_byte(out, '}');
}

static void append_objects(struct json input, struct buffer *out)
{
    unsigned long count = (unsigned long)number_of(input, "count", 20000);
    unsigned long keys = (unsigned long)number_of(input, "keys", 20);
    buffer_append_byte(out, '[');
    for (unsigned long i = 0; i < count; i++) {
        buffer_append_str(out, i > 0 ? STR(",{") : STR("{"));
        for (unsigned long k = 0; k < keys; k++)
            buffer_printf(out, "%s\"k%lu\":%lu", k > 0 ? "," : "", k, k + 1 == keys ? i : k);
        buffer_append_byte(out, '}');
    }
    buffer_append_byte(out, ']');
}

static void append_array(struct json input, struct buffer *out)
{
    uint64_t count = number_of(input, "count", 1000);
    buffer_append_byte(out, '[');
    for (uint64_t i = 0; i < count; i++) {
        if (i > 0)
            buffer_append_byte(out, ',');
        json_write(json_get(input, STR("value")), 0, out);
    }
    buffer_append_byte(out, ']');
}

static const struct generator {
    const char *name;
    void (*append)(struct json input, struct buffer *out);
} generators[] = {
    { "laughs", append_laughs },
    { "ref_chain", append_chain },
    { "enum_strings", append_enum },
    { "colliding_keys", append_colliding },
    { "nested_anyof_objects", append_nested_anyof },
    { "nested_if_then_else", append_nested_if },
    { "objects_same_shape", append_objects },
    { "array_const", append_array },
};

static bool append_generated(struct str name, struct json input, struct buffer *out)
{
    for (size_t i = 0; i < COUNT(generators); i++) {
        if (!str_equal(name, str_from(generators[i].name)))
            continue;
        generators[i].append(input, out);
        return true;
    }
    return false;
}

static bool append_schema(struct json input, bool is_schema, struct buffer *out)
{
    if (json_type(input) == JSON_STRING) {
        buffer_append_str(out, json_string(input));
        return is_schema;
    }
    static const char *const names[] = { "json", "schema" };
    for (size_t i = 0; i < COUNT(names); i++) {
        struct json value = json_get(input, str_from(names[i]));
        if (!json_exists(value) || is_schema != (i == 0))
            continue;
        json_write(value, 0, out);
        return true;
    }
    if (text_of(input, "schema_text").ptr != NULL) {
        buffer_append_str(out, text_of(input, "schema_text"));
        return true;
    }
    if (is_schema && json_exists(json_get(input, STR("cat")))) {
        append_cat(json_get(input, STR("cat")), out);
        return true;
    }
    struct str gen = text_of(input, is_schema ? "gen" : "schema_gen");
    return gen.ptr != NULL && append_generated(gen, input, out);
}

static bool append_instance(struct json input, struct buffer *out)
{
    struct str gen = text_of(input, "gen");
    struct json cat = json_get(input, STR("cat"));
    struct json value = json_get(input, STR("instance"));
    if (text_of(input, "instance_text").ptr != NULL)
        buffer_append_str(out, text_of(input, "instance_text"));
    else if (json_exists(value))
        json_write(value, 0, out);
    else if (json_exists(cat))
        append_cat(cat, out);
    else
        return gen.ptr != NULL && append_generated(gen, input, out);
    return true;
}

/* The expected verdict, one of several words, allows this one. */
static bool allows(struct str verdict, bool accepted)
{
    if (str_equal(verdict, STR("any")) || str_equal(verdict, STR("policy")) ||
        str_equal(verdict, STR("reject_or_terminate")))
        return true;
    if (str_equal(verdict, STR("accept_or_limit")) || str_equal(verdict, STR("accept")))
        return accepted;
    return !accepted;
}

static void judge_instance(struct schema_program *program, struct str id, struct str verdict,
                           struct json input)
{
    struct buffer text;
    struct json_doc *doc = NULL;
    buffer_init(&text, alloc_default(), ATTACK_TEXT_BYTES);
    if (append_instance(input, &text)) {
        struct error error;
        error_clear(&error);
        bool accepted =
            json_parse(buffer_view(&text), NULL, alloc_default(), &doc, &error) == STATUS_OK &&
            judge_root(program, json_doc_root(doc));
        if (!allows(verdict, accepted))
            fail_msg("%.*s: accepted %d", (int)id.len, id.ptr, accepted);
    }
    json_doc_free(doc);
    buffer_release(&text);
}

static void judge_attack(struct json attack, struct tally *tally)
{
    struct json input = json_get(attack, STR("input"));
    struct str id = text_of(attack, "id");
    struct str verdict = text_of(json_get(attack, STR("expected")), "verdict");
    bool is_schema = str_equal(text_of(attack, "surface"), STR("schema"));
    struct buffer text;
    struct schema_program *program = NULL;
    struct error error;
    if (!is_schema && !str_equal(text_of(attack, "surface"), STR("instance")))
        return;
    error_clear(&error);
    buffer_init(&text, alloc_default(), ATTACK_TEXT_BYTES);
    if (!append_schema(input, is_schema, &text)) {
        tally->skipped++;
        buffer_release(&text);
        return;
    }
    enum status status =
        schema_compile_text(buffer_view(&text), NULL, alloc_default(), &program, &error);
    bool is_unbuilt = strstr(error.message, "not supported yet") != NULL;
    /* A schema limit is an answer where the case says so. */
    bool is_limit =
        strstr(error.message, "limit") != NULL || strstr(error.message, "larger") != NULL;
    if (status != STATUS_OK && status != STATUS_INVALID_SCHEMA)
        fail_msg("%.*s: status %d", (int)id.len, id.ptr, status);
    if (is_unbuilt)
        tally->refused++;
    else if (is_schema && !allows(verdict, status == STATUS_OK) &&
             !(is_limit && strstr(verdict.ptr, "limit") != NULL))
        fail_msg("%.*s: %s", (int)id.len, id.ptr, status == STATUS_OK ? "accepted" : error.message);
    if (status == STATUS_OK && json_type(input) == JSON_OBJECT)
        judge_instance(program, id, is_schema ? STR("any") : verdict, input);
    tally->judged += !is_unbuilt;
    schema_program_free(program);
    buffer_release(&text);
}

static void withstands_the_attacks(void **state)
{
    (void)state;
    char path[TEST_PATH_BYTES];
    struct tally tally = { 0, 0, 0 };
    if (!test_shared_path(path, "cases/attacks.jsonl"))
        test_skip("the shared cases are not there");
    struct str text = test_file_read(path);
    for (size_t at = 0; at < text.len;) {
        size_t end = at;
        while (end < text.len && text.ptr[end] != '\n')
            end++;
        struct json_doc *doc = parse_text(str_of(text.ptr + at, end - at));
        judge_attack(json_doc_root(doc), &tally);
        json_doc_free(doc);
        at = end + 1;
    }
    test_file_free(text);
    printf("%u judged, %u refused by name, %u left to other tests\n", tally.judged, tally.refused,
           tally.skipped);
    assert_true(tally.judged >= 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(withstands_the_attacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

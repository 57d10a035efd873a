/* test_type.c - tables of C structs by hand: there and back, what does not fit, memory that is
 * short, the schema that fields say.
 */
#include "base/features.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "test.h"
#include "test_alloc.h"

#include "structure.h"

struct tag {
    char *key;
    unsigned char has_weight;
    double weight;
};

struct entry {
    char *name;
    int64_t value;
};

struct person {
    char *name;
    unsigned char has_age;
    int64_t age;
    bool is_here;
    int kind;
    struct tag *tags;
    size_t tags_count;
    char *note;
    struct person *parent;
    struct entry *further;
    size_t further_count;
};

extern const struct structure_type person_type;

static const char *const kinds[] = { "guest", "host" };
static const struct structure_field tag_fields[] = {
    { "key", STRUCTURE_FIELD_STRING, STRUCTURE_FIELD_REQUIRED, offsetof(struct tag, key), 0, 0,
      NULL, NULL, 0 },
    { "weight", STRUCTURE_FIELD_DOUBLE, STRUCTURE_FIELD_NULLABLE, offsetof(struct tag, weight), 0,
      offsetof(struct tag, has_weight), NULL, NULL, 0 },
};
static const struct structure_type tag_type = { "tag", sizeof(struct tag), tag_fields, 2, 0, NULL };
static const struct structure_field entry_fields[] = {
    { "name", STRUCTURE_FIELD_STRING, STRUCTURE_FIELD_REQUIRED, offsetof(struct entry, name), 0, 0,
      NULL, NULL, 0 },
    { "value", STRUCTURE_FIELD_INT64, STRUCTURE_FIELD_REQUIRED, offsetof(struct entry, value), 0, 0,
      NULL, NULL, 0 },
};
static const struct structure_type entry_type = { "entry", sizeof(struct entry), entry_fields, 2, 0,
                                                  NULL };
static const struct structure_field person_fields[] = {
    { "name", STRUCTURE_FIELD_STRING, STRUCTURE_FIELD_REQUIRED, offsetof(struct person, name), 0, 0,
      NULL, NULL, 0 },
    { "age", STRUCTURE_FIELD_INT64, 0, offsetof(struct person, age), 0,
      offsetof(struct person, has_age), NULL, NULL, 0 },
    { "isHere", STRUCTURE_FIELD_BOOL, STRUCTURE_FIELD_REQUIRED, offsetof(struct person, is_here), 0,
      0, NULL, NULL, 0 },
    { "kind", STRUCTURE_FIELD_ENUM, STRUCTURE_FIELD_REQUIRED, offsetof(struct person, kind), 0, 0,
      NULL, kinds, 2 },
    { "tags", STRUCTURE_FIELD_STRUCT, STRUCTURE_FIELD_REQUIRED | STRUCTURE_FIELD_ARRAY,
      offsetof(struct person, tags), offsetof(struct person, tags_count), 0, &tag_type, NULL, 0 },
    { "note", STRUCTURE_FIELD_JSON, STRUCTURE_FIELD_REQUIRED, offsetof(struct person, note), 0, 0,
      NULL, NULL, 0 },
    { "parent", STRUCTURE_FIELD_STRUCT, STRUCTURE_FIELD_POINTER | STRUCTURE_FIELD_NULLABLE,
      offsetof(struct person, parent), 0, 0, &person_type, NULL, 0 },
    { NULL, STRUCTURE_FIELD_STRUCT, STRUCTURE_FIELD_FURTHER, offsetof(struct person, further),
      offsetof(struct person, further_count), 0, &entry_type, NULL, 0 },
};
const struct structure_type person_type = { "person", sizeof(struct person), person_fields, 8, 0,
                                            NULL };

#define ADA                                                                                        \
    "{\"name\":\"Ada\",\"isHere\":true,\"kind\":\"host\",\"tags\":[{\"key\":\"x\",\"weight\":0.1}" \
    ","                                                                                            \
    "{\"key\":\"y\",\"weight\":null},{\"key\":\"z\"}],\"note\":{\"a\":[1,2]},\"parent\":{"         \
    "\"name\":\"Eve\",\"age\":60,\"isHere\":false,\"kind\":\"guest\",\"tags\":[],\"note\":1},"     \
    "\"size\":7}"

static void test_there_and_back(void **state)
{
    struct person ada;
    structure_error *error = NULL;
    char *text = NULL;
    size_t len = 0;
    (void)state;
    assert_int_equal(structure_type_decode(&person_type, ADA, STRUCTURE_NUL, NULL, &ada, &error),
                     STRUCTURE_OK);
    assert_string_equal(ada.name, "Ada");
    assert_int_equal(ada.has_age, STRUCTURE_ABSENT);
    assert_true(ada.is_here);
    assert_int_equal(ada.kind, 1);
    assert_int_equal(ada.tags_count, 3);
    assert_true(ada.tags[0].weight == 0.1 && ada.tags[0].has_weight == STRUCTURE_PRESENT);
    assert_int_equal(ada.tags[1].has_weight, STRUCTURE_NULL);
    assert_int_equal(ada.tags[2].has_weight, STRUCTURE_ABSENT);
    assert_string_equal(ada.note, "{\"a\":[1,2]}");
    assert_int_equal(ada.parent->age, 60);
    assert_int_equal(ada.further_count, 1);
    assert_string_equal(ada.further[0].name, "size");
    assert_int_equal(ada.further[0].value, 7);
    assert_int_equal(structure_type_encode(&person_type, &ada, &text, &len, &error), STRUCTURE_OK);
    assert_string_equal(text, ADA);
    assert_int_equal(len, strlen(ADA));
    structure_text_free(text);
    structure_type_clear(&person_type, NULL, &ada);
    assert_null(ada.name);
    assert_null(ada.parent);
}

static void test_what_does_not_fit(void **state)
{
    static const struct {
        const char *from, *to, *pointer;
    } rows[] = {
        { "\"Ada\"", "1", "/name" },
        { "\"Ada\"", "null", "/name" },
        { "\"Ada\"", "\"A\\u0000\"", "/name" },
        { "\"host\"", "\"Host\"", "/kind" },
        { "true", "1", "/isHere" },
        { "60", "60.5", "/parent/age" },
        { "60", "9223372036854775808", "/parent/age" },
        { "60", "1e99", "/parent/age" },
        { "0.1", "1e999", "/tags/0/weight" },
        { "0.1", "\"1\"", "/tags/0/weight" },
        { "{\"key\":\"z\"}", "{}", "/tags/2" },
        { "{\"key\":\"z\"}", "[]", "/tags/2" },
        { "[]", "{}", "/parent/tags" },
        { ":7", ":\"7\"", "/size" },
        { "\"note\":1", "\"nota\":1", "/parent" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[1024];
        struct person ada;
        structure_error *error = NULL;
        const char *at = strstr(ADA, rows[i].from);
        assert_non_null(at);
        (void)snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - ADA), ADA, rows[i].to,
                       at + strlen(rows[i].from));
        assert_int_equal(
            structure_type_decode(&person_type, text, STRUCTURE_NUL, NULL, &ada, &error),
            STRUCTURE_INVALID_REQUEST);
        assert_string_equal(structure_error_pointer(error), rows[i].pointer);
        assert_null(ada.name);
        assert_null(ada.tags);
        structure_error_free(error);
    }
    struct person unused;
    assert_int_equal(structure_type_decode(&person_type, "{", STRUCTURE_NUL, NULL, &unused, NULL),
                     STRUCTURE_INVALID_REQUEST);
}

static void expect_refused(const struct person *person)
{
    char *text = NULL;
    structure_error *error = NULL;
    assert_int_equal(structure_type_encode(&person_type, person, &text, NULL, &error),
                     STRUCTURE_INVALID_REQUEST);
    assert_true(strlen(structure_error_message(error)) > 0);
    structure_error_free(error);
}

/* A struct filled by hand is not trusted. */
static void test_what_is_not_written(void **state)
{
    char name[] = "A", odd[] = "\xff", note[] = "1", no_json[] = "{";
    struct tag tag = { name, STRUCTURE_PRESENT, 1 };
    struct person good = { .name = name, .note = note, .tags = &tag, .tags_count = 1 };
    struct person bad = good;
    char *text = NULL;
    (void)state;
    assert_int_equal(structure_type_encode(&person_type, &good, &text, NULL, NULL), STRUCTURE_OK);
    structure_text_free(text);
    bad.name = NULL;
    expect_refused(&bad);
    bad.name = odd;
    expect_refused(&bad);
    bad = good;
    bad.note = no_json;
    expect_refused(&bad);
    bad = good;
    bad.kind = 2;
    expect_refused(&bad);
    bad.kind = -1;
    expect_refused(&bad);
    bad = good;
    bad.has_age = STRUCTURE_NULL;
    expect_refused(&bad);
    tag.weight = (double)NAN;
    expect_refused(&good);
    tag.weight = (double)INFINITY;
    expect_refused(&good);
    tag.weight = 1;
    bad = good;
    bad.parent = &bad; /* without end */
    expect_refused(&bad);
}

static void *resize(void *state, void *ptr, size_t size_old, size_t size_new)
{
    const struct alloc *alloc = state;
    return alloc->resize(alloc->state, ptr, size_old, size_new);
}

static void decode_once(struct test_alloc *test, void *context)
{
    struct structure_allocator allocator = { resize, &test->alloc };
    struct person ada;
    (void)context;
    enum structure_kind kind =
        structure_type_decode(&person_type, ADA, STRUCTURE_NUL, &allocator, &ada, NULL);
    assert_int_equal(kind, test->failures == 0 ? STRUCTURE_OK : STRUCTURE_INTERNAL);
    structure_type_clear(&person_type, &allocator, &ada);
}

static void test_memory(void **state)
{
    (void)state;
    test_alloc_failures(decode_once, NULL);
}

static void test_schema_of_fields(void **state)
{
    structure_schema *schema = NULL;
    structure_error *error = NULL;
    int valid = 0;
    (void)state;
    assert_int_equal(structure_type_schema(&person_type, NULL, &schema, &error), STRUCTURE_OK);
    assert_int_equal(structure_is_valid(schema, ADA, STRUCTURE_NUL, NULL, &valid, &error),
                     STRUCTURE_OK);
    assert_true(valid);
    static const char *const invalid[] = {
        "{}",
        "{\"name\":\"A\",\"isHere\":true,\"kind\":\"x\",\"tags\":[],\"note\":1}",
        "{\"name\":\"A\",\"isHere\":true,\"kind\":\"host\",\"tags\":[{}],\"note\":1}",
        "{\"name\":\"A\",\"isHere\":true,\"kind\":\"host\",\"tags\":[],\"note\":1,\"x\":\"1\"}",
        "{\"name\":\"A\",\"isHere\":true,\"kind\":\"host\",\"tags\":[],\"note\":1,\"parent\":{}}",
    };
    for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++) {
        assert_int_equal(
            structure_is_valid(schema, invalid[i], STRUCTURE_NUL, NULL, &valid, &error),
            STRUCTURE_OK);
        assert_false(valid);
    }
    structure_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_and_back),      cmocka_unit_test(test_what_does_not_fit),
        cmocka_unit_test(test_what_is_not_written), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_schema_of_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_wire_rules.c - one object of "rules" read: what is taken, and what is a fault where. */
#include "base/features.h"

#include "test.h"
#include "test_alloc.h"

#include "projection/wire_rules.h"

static enum status rules_read(const struct alloc *alloc, const char *text, struct arena *arena,
                              struct wire_rules *rules, struct json_doc **out_doc,
                              struct error *error)
{
    enum status status = json_parse(str_from(text), NULL, alloc, out_doc, error);
    if (status != STATUS_OK)
        return status;
    return wire_rules_read(STR("some"), json_doc_root(*out_doc), arena, rules, error);
}

static void test_reads_all(void **state)
{
    (void)state;
    static const char text[] =
        "{\"date\":\"2026-11-30\",\"source\":\"x\",\"strict\":true,\"mustClose\":true,"
        "\"writesInOrder\":true,\"foldsCase\":true,\"upperTypes\":true,"
        "\"enforced\":[\"typeList\",\"additionalFalse\",\"unionSiblings\"],"
        "\"accepted\":[\"title\"],\"formats\":[\"date\",\"uuid\"],"
        "\"limits\":{\"properties\":1,\"depth\":2,\"optionalMembers\":3,\"unions\":4,"
        "\"enumValues\":5,\"enumBytes\":6,\"enumLarge\":7,\"nameBytes\":8,\"itemsSum\":9,"
        "\"schemaBytes\":10,\"descriptionBytes\":11,\"patternCount\":12,"
        "\"length\":13},\"noEmptyValues\":true,\"noClasses\":true,"
        "\"definitions\":\"definitions\"}";
    struct arena arena;
    struct wire_rules rules;
    struct json_doc *doc = NULL;
    arena_init(&arena, alloc_default(), 1 << 16);
    assert_int_equal(rules_read(alloc_default(), text, &arena, &rules, &doc, NULL), STATUS_OK);
    assert_int_equal(rules.support[WIRE_TYPE_LIST], WIRE_ENFORCED);
    assert_int_equal(rules.support[WIRE_UNION_SIBLINGS], WIRE_ENFORCED);
    assert_int_equal(rules.support[WIRE_TITLE], WIRE_ACCEPTED);
    assert_int_equal(rules.support[WIRE_CONST], WIRE_REJECTED);
    assert_true(rules.is_strict && rules.must_close && rules.writes_in_order && rules.folds_case &&
                rules.has_upper_types);
    assert_int_equal(rules.limits.properties, 1);
    assert_int_equal(rules.limits.pattern_count, 12);
    assert_int_equal(rules.limits.length, 13);
    assert_true(rules.no_empty_values && rules.no_classes);
    assert_int_equal(rules.limits.enum_large, 7);
    assert_int_equal(rules.format_count, 2);
    assert_true(str_equal(rules.formats[1], STR("uuid")));
    assert_true(str_equal(rules.definitions, STR("definitions")));
    assert_true(str_equal(rules.name, STR("some")));
    json_doc_free(doc);
    arena_release(&arena);
}

static void test_names_there_and_back(void **state)
{
    (void)state;
    for (unsigned i = 0; i < WIRE_FEATURE_COUNT; i++) {
        struct str name = str_from(wire_feature_name((enum wire_feature)i));
        assert_true(name.len > 0);
        assert_int_equal(wire_feature_from(name), i);
    }
    assert_int_equal(wire_feature_from(STR("typelist")), WIRE_FEATURE_COUNT);
    assert_int_equal(wire_feature_from(STR("")), WIRE_FEATURE_COUNT);
}

static void test_faults(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *pointer;
    } rows[] = {
        { "[]", "" },
        { "{}", "" },
        { "{\"date\":\"d\"}", "" },
        { "{\"date\":1}", "/date" },
        { "{\"date\":\"d\",\"source\":\"s\",\"x\":1}", "/x" },
        { "{\"enforced\":{}}", "/enforced" },
        { "{\"enforced\":[\"const\",\"Const\"]}", "/enforced/1" },
        { "{\"enforced\":[\"const\",1]}", "/enforced/1" },
        { "{\"enforced\":[\"const\"],\"accepted\":[\"const\"]}", "/accepted/0" },
        { "{\"strict\":1}", "/strict" },
        { "{\"limits\":[]}", "/limits" },
        { "{\"limits\":{\"dept\":1}}", "/limits/dept" },
        { "{\"limits\":{\"depth\":-1}}", "/limits/depth" },
        { "{\"limits\":{\"depth\":1.5}}", "/limits/depth" },
        { "{\"limits\":{\"depth\":4294967295}}", "/limits/depth" },
        { "{\"limits\":{\"depth\":\"1\"}}", "/limits/depth" },
        { "{\"definitions\":\"defs\"}", "/definitions" },
        { "{\"formats\":\"date\"}", "/formats" },
        { "{\"formats\":[1]}", "/formats/0" },
        { "{\"date\":\"d\",\"source\":\"s\",\"mustClose\":true}", "" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct arena arena;
        struct wire_rules rules;
        struct json_doc *doc = NULL;
        struct error error;
        error_clear(&error);
        arena_init(&arena, alloc_default(), 1 << 16);
        assert_int_equal(rules_read(alloc_default(), rows[i].text, &arena, &rules, &doc, &error),
                         STATUS_INVALID_REQUEST);
        assert_true(error.has_pointer);
        assert_string_equal(error.pointer, rows[i].pointer);
        json_doc_free(doc);
        arena_release(&arena);
    }
}

static void read_once(struct test_alloc *test, void *context)
{
    (void)context;
    struct arena arena;
    struct wire_rules rules;
    struct json_doc *doc = NULL;
    struct error error;
    error_clear(&error);
    arena_init(&arena, &test->alloc, 1 << 16);
    enum status status = rules_read(
        &test->alloc, "{\"date\":\"d\",\"source\":\"s\",\"formats\":[\"date\",\"\\u0064\"]}",
        &arena, &rules, &doc, &error);
    assert_true(status == (test->failures == 0 ? STATUS_OK : STATUS_NO_MEMORY));
    json_doc_free(doc);
    arena_release(&arena);
}

static void test_no_memory(void **state)
{
    (void)state;
    test_alloc_failures(read_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_all),
        cmocka_unit_test(test_names_there_and_back),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_members.c - duplicate names: found in small and large objects, decoded, under both policies.
 */
#include "base/features.h"

#include "json_test.h"

#include <stdlib.h>

/* {"k0":0,"k1":1,...} with the name of one member replaced; free() the result. */
static char *object_text(unsigned count, unsigned replaced, const char *name)
{
    size_t size = (size_t)count * 32 + 64;
    char *text = malloc(size);
    assert_non_null(text);
    size_t len = 0;
    text[len++] = '{';
    for (unsigned i = 0; i < count; i++) {
        const char *comma = i == 0 ? "" : ",";
        if (i == replaced)
            len += (size_t)snprintf(text + len, size - len, "%s\"%s\":%u", comma, name, i);
        else
            len += (size_t)snprintf(text + len, size - len, "%s\"k%u\":%u", comma, i, i);
    }
    text[len++] = '}';
    text[len] = '\0';
    return text;
}

static const unsigned sizes[] = { 2, 3, 8, 17, 63, 64, 65, 66, 200, 1000 };

static void accepts_distinct_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        char *text = object_text(sizes[i], sizes[i], "");
        struct json_doc *doc = parse_ok(str_from(text));
        assert_int_equal(json_count(json_doc_root(doc)), sizes[i]);
        json_doc_free(doc);
        free(text);
    }
}

/* k0 comes again at every place, plain and escaped. */
static void refuses_a_repeated_name(void **state)
{
    (void)state;
    static const char *const names[] = { "k0", "\\u006b0", "k\\u0030" };
    for (size_t i = 0; i < COUNT(sizes); i++) {
        for (unsigned at = 1; at < sizes[i]; at += 1 + sizes[i] / 20) {
            for (size_t n = 0; n < COUNT(names); n++) {
                char *text = object_text(sizes[i], at, names[n]);
                struct outcome outcome = parse_whole(str_from(text), NULL, alloc_default());
                char quoted[32];
                (void)snprintf(quoted, sizeof(quoted), ",\"%s\"", names[n]);
                assert_int_equal(outcome.status, STATUS_INVALID_REQUEST);
                assert_int_equal(outcome.error.column, strstr(text, quoted) + 2 - text);
                free(text);
            }
        }
    }
}

/* The first repetition in the order of the text is reported, wherever its hash falls. */
static void reports_the_first_repetition(void **state)
{
    (void)state;
    struct outcome outcome = parse_whole(
        STR("{\"a\":1,\"b\":2,\"c\":3,\n\"c\":4,\n\"a\":5,\n\"b\":6}"), NULL, alloc_default());
    assert_int_equal(outcome.error.line, 2);
    assert_int_equal(outcome.error.column, 1);
}

static void keeps_the_last_when_asked(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *kept;
    } cases[] = {
        { "{\"a\":1,\"a\":2}", "{\"a\":2}" },
        { "{\"a\":1,\"b\":2,\"a\":3}", "{\"b\":2,\"a\":3}" },
        { "{\"a\":1,\"\\u0061\":[2,3],\"b\":4,\"a\":{}}", "{\"b\":4,\"a\":{}}" },
        { "[{\"a\":[1,2],\"b\":{\"c\":1,\"c\":[]},\"a\":[3,4]},5]",
          "[{\"b\":{\"c\":[]},\"a\":[3,4]},5]" },
        { "{\"x\":{\"a\":1,\"a\":2},\"x\":{\"b\":1,\"c\":{\"d\":1,\"d\":2},\"b\":2},\"y\":0}",
          "{\"x\":{\"c\":{\"d\":2},\"b\":2},\"y\":0}" },
        { "{\"a\":{\"a\":{\"a\":1,\"a\":2},\"a\":3},\"a\":4}", "{\"a\":4}" },
    };
    struct json_options options = JSON_OPTIONS_DEFAULT;
    options.duplicates = JSON_DUPLICATES_LAST;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct outcome outcome = parse_whole(str_from(cases[i].text), &options, alloc_default());
        struct buffer out;
        assert_int_equal(outcome.status, STATUS_OK);
        buffer_init(&out, alloc_default(), 1000);
        json_write(json_doc_root(outcome.doc), 0, &out);
        assert_str(buffer_view(&out), str_from(cases[i].kept));
        buffer_release(&out);
        outcome_release(&outcome);
    }
    for (size_t i = 0; i < COUNT(sizes); i++) {
        char *text = object_text(sizes[i], sizes[i] - 1, "\\u006b0");
        struct outcome outcome = parse_whole(str_from(text), &options, alloc_default());
        assert_int_equal(outcome.status, STATUS_OK);
        struct json root = json_doc_root(outcome.doc);
        struct json value = json_get(root, STR("k0"));
        assert_int_equal(json_count(root), sizes[i] - 1);
        assert_int_equal(strtol(json_number_text(value).ptr, NULL, 10), sizes[i] - 1);
        assert_false(json_exists(json_next(value, root)));
        outcome_release(&outcome);
        free(text);
    }
}

/* The filter of names covers some levels only; below it every object is searched. */
static void finds_repetitions_at_every_depth(void **state)
{
    (void)state;
    enum { LEVELS_MAX = 120 };
    char text[LEVELS_MAX * 24 + 64];
    for (unsigned levels = 0; levels < LEVELS_MAX; levels++) {
        for (unsigned is_repeated = 0; is_repeated < 2; is_repeated++) {
            size_t len = 0;
            for (unsigned i = 0; i < levels; i++)
                len += (size_t)snprintf(text + len, sizeof(text) - len, "{\"x\":0,\"y\":");
            len += (size_t)snprintf(text + len, sizeof(text) - len, "{\"x\":0,\"%s\":1}",
                                    is_repeated ? "x" : "y");
            for (unsigned i = 0; i < levels; i++)
                text[len++] = '}';
            struct outcome outcome = parse_whole(str_of(text, len), NULL, alloc_default());
            assert_int_equal(outcome.status, is_repeated ? STATUS_INVALID_REQUEST : STATUS_OK);
            outcome_release(&outcome);
        }
    }
}

/* Nodes are counted in the text: what is removed has counted. */
static void removed_members_count_against_the_limit(void **state)
{
    (void)state;
    struct json_options options = JSON_OPTIONS_DEFAULT;
    options.duplicates = JSON_DUPLICATES_LAST;
    struct str text = STR("[{\"a\":1,\"a\":2,\"a\":3},{\"a\":1,\"a\":2,\"a\":3},0]");
    options.nodes_max = 10;
    struct outcome outcome = parse_whole(text, &options, alloc_default());
    assert_int_equal(outcome.status, STATUS_OK);
    outcome_release(&outcome);
    options.nodes_max = 9;
    outcome = parse_whole(text, &options, alloc_default());
    assert_int_equal(outcome.status, STATUS_INVALID_REQUEST);
}

/* The filter of small objects is reused without being cleared; its rounds wrap around. */
static void many_small_objects_do_not_disturb_each_other(void **state)
{
    (void)state;
    enum { OBJECTS = 1000 };
    char *text = malloc(OBJECTS * 16 + 32);
    assert_non_null(text);
    size_t len = 0;
    text[len++] = '[';
    for (unsigned i = 0; i < OBJECTS; i++)
        len += (size_t)snprintf(text + len, 32, "{\"a\":1,\"b\":2},");
    memcpy(text + len, "{}]", 4);
    struct json_doc *doc = parse_ok(str_from(text));
    assert_int_equal(json_count(json_doc_root(doc)), OBJECTS + 1);
    json_doc_free(doc);
    memcpy(text + len - 6, "\"a\":2},{}]", 11);
    struct outcome outcome = parse_whole(str_from(text), NULL, alloc_default());
    assert_int_equal(outcome.status, STATUS_INVALID_REQUEST);
    free(text);
}

static void hashes_names_of_every_length(void **state)
{
    (void)state;
    char text[160] = "{\"";
    for (size_t len = 0; len < 100; len++) {
        struct str name = str_of(text + 2, len);
        memset(text + 2, 'n', len);
        memcpy(text + 2 + len, "\":1}", 4);
        struct json_doc *doc = parse_ok(str_of(text, len + 6));
        struct json value = json_first(json_doc_root(doc));
        assert_int_equal(json_member_hash(value), json_key_hash(name));
        assert_true(json_exists(json_get(json_doc_root(doc), name)));
        json_doc_free(doc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_distinct_names),
        cmocka_unit_test(refuses_a_repeated_name),
        cmocka_unit_test(reports_the_first_repetition),
        cmocka_unit_test(keeps_the_last_when_asked),
        cmocka_unit_test(finds_repetitions_at_every_depth),
        cmocka_unit_test(removed_members_count_against_the_limit),
        cmocka_unit_test(many_small_objects_do_not_disturb_each_other),
        cmocka_unit_test(hashes_names_of_every_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

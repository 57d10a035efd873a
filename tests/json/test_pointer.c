/* test_pointer.c - JSON Pointer: the examples of RFC 6901 section 5 and what is not a pointer. */
#include "base/features.h"

#include "json_test.h"

static const char rfc_document[] = "{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/"
                                   "b\":1,\"c%d\":2,\"e^f\":3,\"g|h\":4,\"i\\\\j\":5,\"k\\\"l\":6,"
                                   "\" \":7,\"m~n\":8,\"~1\":9,\"deep\":{\"er\":[[{\"x\":[10]}]]}}";

static const struct {
    const char *pointer;
    const char *source; /* NULL: no such value */
} cases[] = {
    { "", rfc_document },
    { "/foo", "[\"bar\",\"baz\"]" },
    { "/foo/0", "\"bar\"" },
    { "/foo/1", "\"baz\"" },
    { "/", "0" },
    { "/a~1b", "1" },
    { "/c%d", "2" },
    { "/e^f", "3" },
    { "/g|h", "4" },
    { "/i\\j", "5" },
    { "/k\"l", "6" },
    { "/ ", "7" },
    { "/m~0n", "8" },
    { "/~01", "9" },
    { "/deep/er/0/0/x/0", "10" },
    { "foo", NULL },
    { "#/foo", NULL },
    { "/foo/", NULL },
    { "/foo/2", NULL },
    { "/foo/-", NULL },
    { "/foo/00", NULL },
    { "/foo/01", NULL },
    { "/foo/+1", NULL },
    { "/foo/-1", NULL },
    { "/foo/0A", NULL },
    { "/foo/1 ", NULL },
    { "/foo/4294967296", NULL },
    { "/foo/18446744073709551616", NULL },
    { "/foo/0/", NULL },
    { "/foo/0/0", NULL },
    { "/a/b", NULL },
    { "/m~n", NULL },
    { "/m~", NULL },
    { "/m~2n", NULL },
    { "/fo", NULL },
    { "/fooo", NULL },
    { "//", NULL },
};

static void follows(void **state)
{
    (void)state;
    struct json_doc *doc = parse_ok(str_from(rfc_document));
    struct json root = json_doc_root(doc);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct json value = json_pointer_get(root, str_from(cases[i].pointer));
        if (json_exists(value) != (cases[i].source != NULL))
            fail_msg("%s", cases[i].pointer);
        if (!json_exists(value))
            continue;
        size_t begin = json_offset(value);
        assert_str(str_of(rfc_document + begin, json_end_offset(value) - begin),
                   str_from(cases[i].source));
    }
    json_doc_free(doc);
}

static void writes_what_it_follows(void **state)
{
    (void)state;
    struct json_doc *doc = parse_ok(str_from(rfc_document));
    struct json root = json_doc_root(doc);
    struct buffer out;
    buffer_init(&out, alloc_default(), 1000);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct json value = json_pointer_get(root, str_from(cases[i].pointer));
        if (!json_exists(value))
            continue;
        buffer_clear(&out);
        json_pointer_of(value, &out);
        assert_str(buffer_view(&out), str_from(cases[i].pointer));
    }
    for (size_t i = 0; i < doc->node_count; i++) {
        struct json value = { doc, &doc->nodes[i] };
        if (json_node_type(value.node) == JSON_NODE_NAME)
            continue;
        buffer_clear(&out);
        json_pointer_of(value, &out);
        assert_ptr_equal(json_pointer_get(root, buffer_view(&out)).node, value.node);
    }
    buffer_release(&out);
    json_doc_free(doc);
}

static void appends_tokens(void **state)
{
    (void)state;
    struct buffer out;
    buffer_init(&out, alloc_default(), 100);
    json_pointer_append(&out, STR(""));
    json_pointer_append(&out, STR("~/a/~"));
    json_pointer_append(&out, STR("\xC3\xA9"));
    json_pointer_append_index(&out, 0);
    json_pointer_append_index(&out, UINT32_MAX);
    assert_str(buffer_view(&out), STR("//~0~1a~1~0/\xC3\xA9/0/4294967295"));
    buffer_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows),
        cmocka_unit_test(writes_what_it_follows),
        cmocka_unit_test(appends_tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

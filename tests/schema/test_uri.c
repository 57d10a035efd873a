/* test_uri.c - URI references against a base: RFC 3986 sections 5.2 and 5.4. */
#include "base/features.h"

#include "schema_test.h"

#include "schema/uri.h"

static const struct row {
    const char *base; /* NULL: the one of section 5.4 */
    const char *reference;
    const char *expected;
} rows[] = {
    /* Section 5.4.1. */
    { NULL, "g:h", "g:h" },
    { NULL, "g", "http://a/b/c/g" },
    { NULL, "./g", "http://a/b/c/g" },
    { NULL, "g/", "http://a/b/c/g/" },
    { NULL, "/g", "http://a/g" },
    { NULL, "//g", "http://g" },
    { NULL, "?y", "http://a/b/c/d;p?y" },
    { NULL, "g?y", "http://a/b/c/g?y" },
    { NULL, ";x", "http://a/b/c/;x" },
    { NULL, "g;x", "http://a/b/c/g;x" },
    { NULL, "g;x?y", "http://a/b/c/g;x?y" },
    { NULL, "", "http://a/b/c/d;p?q" },
    { NULL, ".", "http://a/b/c/" },
    { NULL, "./", "http://a/b/c/" },
    { NULL, "..", "http://a/b/" },
    { NULL, "../", "http://a/b/" },
    { NULL, "../g", "http://a/b/g" },
    { NULL, "../..", "http://a/" },
    { NULL, "../../", "http://a/" },
    { NULL, "../../g", "http://a/g" },
    /* Section 5.4.2. */
    { NULL, "../../../g", "http://a/g" },
    { NULL, "../../../../g", "http://a/g" },
    { NULL, "/./g", "http://a/g" },
    { NULL, "/../g", "http://a/g" },
    { NULL, "g.", "http://a/b/c/g." },
    { NULL, ".g", "http://a/b/c/.g" },
    { NULL, "g..", "http://a/b/c/g.." },
    { NULL, "..g", "http://a/b/c/..g" },
    { NULL, "./../g", "http://a/b/g" },
    { NULL, "./g/.", "http://a/b/c/g/" },
    { NULL, "g/./h", "http://a/b/c/g/h" },
    { NULL, "g/../h", "http://a/b/c/h" },
    { NULL, "g;x=1/./y", "http://a/b/c/g;x=1/y" },
    { NULL, "g;x=1/../y", "http://a/b/c/y" },
    { NULL, "g?y/./x", "http://a/b/c/g?y/./x" },
    { NULL, "g?y/../x", "http://a/b/c/g?y/../x" },
    { NULL, "http:g", "http:g" },
    /* Bases without a path, without an authority, without anything. */
    { "http://a", "g", "http://a/g" },
    { "http://a?q", "?y", "http://a?y" },
    { "urn:a:b", "urn:c:d", "urn:c:d" },
    { "urn:a:b", "?y", "urn:a:b?y" },
    { "file:///a/b", "c", "file:///a/c" },
    { "", "a/b", "a/b" },
    { "", "", "" },
    { "http://a/b/", "c:d", "c:d" },
    { "http://a/b/", "./c:d", "http://a/b/c:d" },
    { "http://a/b/", "1:d", "http://a/b/1:d" },
};

static void resolves_as_the_rfc_says(void **state)
{
    (void)state;
    struct buffer out;
    struct buffer merged;
    buffer_init(&out, alloc_default(), 1024);
    buffer_init(&merged, alloc_default(), 1024);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *base = rows[i].base == NULL ? "http://a/b/c/d;p?q" : rows[i].base;
        buffer_clear(&out);
        schema_uri_resolve(str_from(base), str_from(rows[i].reference), &out, &merged);
        if (!str_equal(buffer_view(&out), str_from(rows[i].expected)))
            fail_msg("%s against %s: %.*s", rows[i].reference, base, (int)out.len,
                     out.ptr == NULL ? "" : out.ptr);
    }
    buffer_release(&out);
    buffer_release(&merged);
}

static void finds_the_fragment(void **state)
{
    (void)state;
    assert_int_equal(schema_uri_fragment(STR("a#b#c")), 1);
    assert_int_equal(schema_uri_fragment(STR("abc")), 3);
    assert_int_equal(schema_uri_fragment(STR("#")), 0);
    assert_int_equal(schema_uri_fragment(str_of(NULL, 0)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resolves_as_the_rfc_says),
        cmocka_unit_test(finds_the_fragment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_printable.c - hostile characters in data that goes to a terminal: the same JSON document,
 * with escapes.
 */
#include "base/features.h"

#include "test.h"

#include "cli/printable.h"

static const struct {
    const char *json;
    const char *expected;
} rows[] = {
    { "{\"a\":1}\n", "{\"a\":1}\n" },
    { "\"\xC2\x9B"
      "31m\"",
      "\"\\u009b31m\"" },
    { "\"\x7F\"", "\"\\u007f\"" },
    { "\"a\xE2\x80\xAE"
      "b\xE2\x81\xA6\"",
      "\"a\\u202eb\\u2066\"" },
    { "\"\xC3\xA9\xE6\x97\xA5\xF0\x9F\x98\x80\"", "\"\xC3\xA9\xE6\x97\xA5\xF0\x9F\x98\x80\"" },
    { "\xC2\x80\xC2\x9F", "\\u0080\\u009f" },
    { "", "" },
};

static void escapes_what_is_hostile(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct buffer out;
        buffer_init(&out, alloc_default(), 1024);
        cli_printable_append_json(&out, str_from(rows[i].json));
        if (!str_equal(buffer_view(&out), str_from(rows[i].expected)))
            fail_msg("row %zu: %.*s", i, (int)out.len, out.ptr);
        buffer_release(&out);
    }
}

/* Text that a program cut in the middle of a character is passed on as it is. */
static void passes_on_what_is_cut(void **state)
{
    (void)state;
    struct buffer out;
    buffer_init(&out, alloc_default(), 1024);
    cli_printable_append_json(&out, STR("a\xE2\x80"));
    assert_true(str_equal(buffer_view(&out), STR("a\xE2\x80")));
    buffer_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes_what_is_hostile),
        cmocka_unit_test(passes_on_what_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

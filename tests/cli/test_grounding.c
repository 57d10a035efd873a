/* test_grounding.c - where values stand in a text: words, numbers and dates in many spellings. */
#include "base/features.h"

#include <stdio.h>

#include "base/limits.h"
#include "cli/grounding.h"
#include "test.h"

static const struct {
    const char *prompt;
    const char *value; /* JSON text of the one leaf */
    int start, end;    /* code points; -1: not found */
    const char *match;
} cases[] = {
    { "The Seaview Hotel", "\"Seaview\"", 4, 11, "exact" },
    { "a party of art", "\"art\"", 11, 14, "exact" },
    { "a party", "\"art\"", -1, -1, NULL },
    { "caf\xc3\xa9s \xe2\x82\xac"
      "5 caf\xc3\xa9",
      "\"caf\xc3\xa9\"", 9, 13, "exact" },
    { "STRASSE \xc3\x84PFEL", "\"\xc3\xa4pfel\"", 8, 13, "case" },
    { "two\n  words here", "\"two words\"", 0, 11, "space" },
    { "(x)", "\"(x)\"", 0, 3, "exact" },
    { "anything", "\"\"", -1, -1, NULL },
    { "on 2026-05-14.", "\"2026-05-14\"", 3, 13, "exact" },
    { "on 14 May 2026 at", "\"2026-05-14\"", 3, 14, "date" },
    { "on May 14th, 2026", "\"2026-05-14\"", 3, 17, "date" },
    { "the 14th of May, in 2026", "\"2026-05-14\"", 4, 15, "date" },
    { "the 14th of May", "\"2026-05-14\"", -1, -1, NULL },
    { "14 May 2025", "\"2026-05-14\"", -1, -1, NULL },
    { "am 14.5.2026", "\"2026-05-14\"", 3, 12, "date" },
    { "05/14/26", "\"2026-05-14\"", 0, 8, "date" },
    { "14 May 2026, 9:00", "\"2026-05-14T09:00:00Z\"", 0, 11, "date" },
    { "3 nights", "3", 0, 1, "exact" },
    { "three nights", "3", 0, 5, "number" },
    { "in 33 nights", "3", -1, -1, NULL },
    { "EUR 3,200.50 all in", "3200.5", 4, 12, "number" },
    { "3.200,50", "3200.5", 0, 8, "number" },
    { "3 200", "3200", 0, 5, "number" },
    { "1'000'000", "1000000", 0, 9, "number" },
    { "129.50", "129.5", 0, 6, "number" },
    { "129.50", "129.50", 0, 6, "exact" },
    { "1,2500", "12500", -1, -1, NULL },
    { "14, 3", "3", 4, 5, "exact" },
    { "at -7 degrees", "-7", 3, 5, "exact" },
    { "at -7 degrees", "7", 4, 5, "exact" },
    { "007", "7", 0, 3, "number" },
    { "x3", "3", -1, -1, NULL },
    { "12345678901234567890123", "12345678901234567890123", 0, 23, "exact" },
    { "1", "1e400", -1, -1, NULL },
    { "Yes, please", "true", 0, 3, "boolean-word" },
    { "it is true", "true", 6, 10, "boolean-word" },
    { "nothing", "false", -1, -1, NULL },
    { "null", "null", -1, -1, NULL },
};

static void grounding_of(const char *document, const char *prompt, char out[1024])
{
    struct json_doc *doc = NULL;
    struct buffer text;
    buffer_init(&text, alloc_default(), 1023);
    assert_int_equal(json_parse(str_from(document), NULL, alloc_default(), &doc, NULL), STATUS_OK);
    cli_grounding_append(&text, json_doc_root(doc), str_from(prompt), alloc_default());
    assert_int_equal(buffer_status(&text), STATUS_OK);
    memcpy(out, text.ptr, text.len + 1);
    buffer_release(&text);
    json_doc_free(doc);
}

static void test_leaves(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char document[256];
        char expected[256];
        char found[1024];
        (void)snprintf(document, sizeof(document), "{\"a\":%s}", cases[i].value);
        if (cases[i].match == NULL)
            (void)snprintf(expected, sizeof(expected), "[{\"pointer\":\"/a\",\"found\":false}]");
        else
            (void)snprintf(expected, sizeof(expected),
                           "[{\"pointer\":\"/a\",\"found\":true,\"start\":%d,\"end\":%d,"
                           "\"match\":\"%s\"}]",
                           cases[i].start, cases[i].end, cases[i].match);
        grounding_of(document, cases[i].prompt, found);
        if (strcmp(found, expected) != 0)
            print_error("%s in \"%s\"\n", cases[i].value, cases[i].prompt);
        assert_string_equal(found, expected);
    }
}

static void test_pointers(void **state)
{
    (void)state;
    char found[1024];
    grounding_of("{\"a/b\":[{\"x\":\"one\"},[]],\"c\":{}}", "one", found);
    assert_string_equal(found, "[{\"pointer\":\"/a~1b/0/x\",\"found\":true,\"start\":0,\"end\":3,"
                               "\"match\":\"exact\"}]");
    grounding_of("{}", "one", found);
    assert_string_equal(found, "[]");
}

/* Long texts and leaves that nearly match everywhere end in bounded time. */
static void test_hostile_texts(void **state)
{
    (void)state;
    enum { TEXT_BYTES = 200000, VALUE_BYTES = 5000 };
    struct buffer document;
    struct buffer prompt;
    struct buffer out;
    struct json_doc *doc = NULL;
    buffer_init(&document, alloc_default(), LIMIT_JSON_BYTES);
    buffer_init(&prompt, alloc_default(), LIMIT_JSON_BYTES);
    buffer_init(&out, alloc_default(), LIMIT_JSON_BYTES);
    for (unsigned i = 0; i < TEXT_BYTES; i++)
        buffer_append_byte(&prompt, "a "[i % 2]);
    buffer_append_str(&document, STR("[\""));
    for (unsigned i = 0; i < VALUE_BYTES; i++)
        buffer_append_byte(&document, "a "[i % 2]);
    buffer_append_str(&document, STR("b\"]"));
    assert_int_equal(json_parse(buffer_view(&document), NULL, alloc_default(), &doc, NULL),
                     STATUS_OK);
    cli_grounding_append(&out, json_doc_root(doc), buffer_view(&prompt), alloc_default());
    assert_string_equal(out.ptr, "[{\"pointer\":\"/0\",\"found\":false}]");
    json_doc_free(doc);
    buffer_release(&document);
    buffer_release(&prompt);
    buffer_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leaves),
        cmocka_unit_test(test_pointers),
        cmocka_unit_test(test_hostile_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_split.c - a text in pieces gives the document or the error of the whole, at every split. */
#include "base/features.h"

#include "json_test.h"

#include <stdlib.h>

/* Every token, cut everywhere; every kind of fault. */
static const char *const texts[] = {
    " {\"a\" : [ 0 , -1 , 12.5e+10 ,true,false , null ] , \"\\u0062\\n\": {} ,\"c\":[[],[{}]] } "
    "\r\n",
    "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00 \xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80 and "
    "some more text\"",
    "{\"caf\xC3\xA9\":\"\xE6\xBC\xA2\xE5\xAD\x97\",\"caf\\u00e9\":2}",
    "{\"a\":{\"b\":1,\"c\":2,\"b\":3}}",
    "-1234567890.0987654321E-12345",
    "0",
    "-0.0",
    "1e5",
    "[0,00]",
    "[-]",
    "[-x]",
    "[1.x]",
    "[1ex]",
    "[1e+x]",
    "[1.5.5]",
    "[1-2]",
    "[--1]",
    "true",
    "tru",
    "trux",
    "[nulll]",
    "falsy",
    "nan",
    "\"\\ud800\"",
    "\"\\ud800\\n\"",
    "\"\\ud800\\u0041\"",
    "\"\\udfff\"",
    "\"\\u12x4\"",
    "\"\\q\"",
    "\"\\ud800\\ux\"",
    "\"\xE2\x28\xA1\"",
    "\"\xE2\x82\"",
    "\"\xF0\x9F\x98\"",
    "\"\xF0\x9F\x41\x41\"",
    "\"\xED\xA0\x80\"",
    "\"\xC0\x80\"",
    "\"\xF8\x88\x80\x80\x80\"",
    "\"\xE0\x80\x80\"",
    "\"\xF4\x90\x80\x80\"",
    "\"a\x01\"",
    "\"\xE2",
    "\"abc",
    "",
    " ",
    "[",
    "]",
    "{",
    "}",
    "[1",
    "[1,",
    "[1,]",
    "[,",
    "{\"a\"",
    "{\"a\":",
    "{\"a\":1",
    "{\"a\":1,",
    "{\"a\":1,}",
    "{\"a\" 1}",
    "{a:1}",
    "[1 2]",
    "1 2",
    "[] []",
    "[]]",
    "{}}",
    "'a'",
    "\xEF\xBB\xBF[]",
    "\xEF\xBB",
    "\xEF\xBC\x91",
    "[1\xEF\xBB\xBF]",
    "[1\v2]",
};

static void check_all_splits(struct str text, const struct json_options *options)
{
    struct outcome whole = parse_whole(text, options, alloc_default());
    for (size_t first = 0; first <= text.len; first++) {
        struct outcome pieces = parse_pieces(text, first, text.len + 1, options, alloc_default());
        assert_same_outcome(&pieces, &whole);
        outcome_release(&pieces);
    }
    for (size_t step = 1; step < 8; step++) {
        struct outcome pieces = parse_pieces(text, step, step, options, alloc_default());
        assert_same_outcome(&pieces, &whole);
        outcome_release(&pieces);
    }
    outcome_release(&whole);
}

static void splits_change_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++)
        check_all_splits(str_from(texts[i]), NULL);
}

/* Each limit, small enough to be met somewhere in each text. */
static void splits_change_no_limit(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct str text = str_from(texts[i]);
        for (unsigned limit = 0; limit < 16; limit++) {
            struct json_options bytes = JSON_OPTIONS_DEFAULT;
            struct json_options depth = JSON_OPTIONS_DEFAULT;
            struct json_options nodes = JSON_OPTIONS_DEFAULT;
            struct json_options digits = JSON_OPTIONS_DEFAULT;
            bytes.bytes_max = limit * 3;
            depth.depth_max = limit / 4;
            nodes.nodes_max = limit;
            digits.digits_max = limit;
            nodes.duplicates = JSON_DUPLICATES_LAST;
            check_all_splits(text, &bytes);
            check_all_splits(text, &depth);
            check_all_splits(text, &nodes);
            check_all_splits(text, &digits);
        }
    }
}

/* Tokens of several times 100,000 bytes in small pieces: quadratic work would not end in time. */
static void long_tokens_are_scanned_once(void **state)
{
    (void)state;
    enum { BYTES = 400000 };
    char *text = malloc(BYTES);
    assert_non_null(text);
    struct json_options options = JSON_OPTIONS_DEFAULT;
    options.digits_max = BYTES;
    memset(text, '7', BYTES);
    struct outcome number = parse_pieces(str_of(text, BYTES), 1, 1, &options, alloc_default());
    assert_int_equal(number.status, STATUS_OK);
    assert_int_equal(json_number_text(json_doc_root(number.doc)).len, BYTES);
    outcome_release(&number);
    text[0] = '"';
    text[BYTES / 2] = '\\';
    text[BYTES / 2 + 1] = 'n';
    text[BYTES - 1] = '"';
    struct outcome string = parse_pieces(str_of(text, BYTES), 1, 1, &options, alloc_default());
    assert_int_equal(string.status, STATUS_OK);
    assert_int_equal(json_string(json_doc_root(string.doc)).len, BYTES - 3);
    outcome_release(&string);
    free(text);
}

static void stays_failed(void **state)
{
    (void)state;
    struct json_parser *parser = NULL;
    struct json_doc *doc = NULL;
    struct error first = { .status = STATUS_OK };
    struct error second = { .status = STATUS_OK };
    struct error third = { .status = STATUS_OK };
    assert_int_equal(json_parser_new(NULL, alloc_default(), &parser), STATUS_OK);
    assert_int_equal(json_parser_feed(parser, STR("[1,"), &first), STATUS_OK);
    assert_int_equal(json_parser_feed(parser, STR("]"), &first), STATUS_INVALID_REQUEST);
    assert_int_equal(json_parser_feed(parser, STR("2]"), &second), STATUS_INVALID_REQUEST);
    assert_int_equal(json_parser_finish(parser, &doc, &third), STATUS_INVALID_REQUEST);
    assert_string_equal(first.message, second.message);
    assert_string_equal(first.message, third.message);
    assert_null(doc);
    json_parser_free(parser);
}

/* A fault is found with the chunk that holds it, not at the end. */
static void fails_as_soon_as_it_can(void **state)
{
    (void)state;
    static const char *const begins[] = { "{\"a\":tx", "[\"\\x",     "[1,,", "\"\n",
                                          "[01",       "\"\\ud800x", "[-a",  "}" };
    for (size_t i = 0; i < COUNT(begins); i++) {
        struct json_parser *parser = NULL;
        assert_int_equal(json_parser_new(NULL, alloc_default(), &parser), STATUS_OK);
        assert_int_equal(json_parser_feed(parser, str_from(begins[i]), NULL),
                         STATUS_INVALID_REQUEST);
        json_parser_free(parser);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_change_nothing),        cmocka_unit_test(splits_change_no_limit),
        cmocka_unit_test(long_tokens_are_scanned_once), cmocka_unit_test(stays_failed),
        cmocka_unit_test(fails_as_soon_as_it_can),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

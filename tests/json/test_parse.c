/* test_parse.c - what the parser accepts, what it makes of it, and what it says when it refuses. */
#include "base/features.h"

#include "json_test.h"

#include <stdlib.h>

struct refusal {
    struct str text;
    uint32_t line;
    uint32_t column;
    const char *words; /* after the position */
};

static const struct refusal refusals[] = {
    { { "", 0 }, 1, 1, "expected a value, found an empty text" },
    { { " \n ", 3 }, 2, 2, "expected a value, found the end of the text" },
    { { "]", 1 }, 1, 1, "expected a value, found ']'" },
    { { "\xEF\xBB\xBF{}", 5 }, 1, 1, "expected a value, found a byte order mark" },
    { { "[", 1 }, 1, 2, "expected a value or ']' after '[', found the end of the text" },
    { { "[,1]", 4 }, 1, 2, "expected a value or ']' after '[', found ','" },
    { { "[1,]", 4 }, 1, 4, "expected a value after ',', found ']'" },
    { { "[1 2]", 5 }, 1, 4, "expected ',' or ']' after an item, found a digit" },
    { { "[1}", 3 }, 1, 3, "expected ',' or ']' after an item, found '}'" },
    { { "[1\0]", 4 }, 1, 3, "expected ',' or ']' after an item, found a control character" },
    { { "{1:2}", 5 },
      1,
      2,
      "expected a member name in double quotes or '}' after '{', found a digit" },
    { { "{'a':2}", 7 },
      1,
      2,
      "expected a member name in double quotes or '}' after '{', found a single quote" },
    { { "{\"a\":1,}", 8 }, 1, 8, "expected a member name in double quotes after ',', found '}'" },
    { { "{\"a\" 1}", 7 }, 1, 6, "expected ':' after a member name, found a digit" },
    { { "{\"a\":}", 6 }, 1, 6, "expected a value after ':', found '}'" },
    { { "{\"a\":1 \"b\":2}", 13 }, 1, 8, "expected ',' or '}' after a member, found a string" },
    { { "{\"a\":1\r\n,\r\"b\"\n]", 15 }, 4, 1, "expected ':' after a member name, found ']'" },
    { { "1 /* one */", 11 }, 1, 3, "expected nothing after the end of the value, found '/'" },
    { { "[\xC2\xA0]", 4 },
      1,
      2,
      "expected a value or ']' after '[', found a character beyond ASCII" },
    { { "[\x7F]", 3 }, 1, 2, "expected a value or ']' after '[', found a control character" },
    { { "nul", 3 }, 1, 4, "expected the rest of null, true or false before the end of the text" },
    { { "nulL", 4 }, 1, 1, "expected a value; the literals are null, true and false" },
    { { "True", 4 }, 1, 1, "expected a value, found a letter" },
    { { "\"abc", 4 }, 1, 5, "expected '\"' before the end of the text" },
    { { "\"\\", 2 }, 1, 3, "expected '\"' before the end of the text" },
    { { "\"\\ud83d\\ude0", 12 }, 1, 13, "expected '\"' before the end of the text" },
    { { "\"\xE2\x82", 3 }, 1, 3, "expected '\"' before the end of the text" },
    { { "\"a\tb\"", 5 }, 1, 3, "expected control characters in a string to be escaped" },
    { { "\"a\0b\"", 5 }, 1, 3, "expected control characters in a string to be escaped" },
    { { "\"\\x41\"", 6 },
      1,
      2,
      "expected one of \" \\ / b f n r t or u and four hexadecimal digits after '\\'" },
    { { "\"\\u00g0\"", 8 },
      1,
      2,
      "expected one of \" \\ / b f n r t or u and four hexadecimal digits after '\\'" },
    { { "\"\\ud800\"", 8 }, 1, 2, "expected \\u escapes of surrogates in pairs, high before low" },
    { { "\"\\udc00\\ud800\"", 14 },
      1,
      2,
      "expected \\u escapes of surrogates in pairs, high before low" },
    { { "\"\\ud800\\u0041\"", 14 },
      1,
      2,
      "expected \\u escapes of surrogates in pairs, high before low" },
    { { "\"\\ud800\\n\"", 10 },
      1,
      2,
      "expected \\u escapes of surrogates in pairs, high before low" },
    { { "\"\xC3\xA9\xC0\xAF\"", 6 }, 1, 3, "expected well-formed UTF-8 in a string" },
    { { "\"\xED\xA0\x80\"", 5 }, 1, 2, "expected well-formed UTF-8 in a string" },
    { { "\"\xE0\x9F\xBF\"", 5 }, 1, 2, "expected well-formed UTF-8 in a string" },
    { { "\"\xF0\x8F\xBF\xBF\"", 6 }, 1, 2, "expected well-formed UTF-8 in a string" },
    { { "\"\xF4\x90\x80\x80\"", 6 }, 1, 2, "expected well-formed UTF-8 in a string" },
    { { "\"\x80\"", 3 }, 1, 2, "expected well-formed UTF-8 in a string" },
    { { "\"\xFF\"", 3 }, 1, 2, "expected well-formed UTF-8 in a string" },
    { { "01", 2 }, 1, 2, "expected no digit after a leading 0" },
    { { "-01", 3 }, 1, 3, "expected no digit after a leading 0" },
    { { "-", 1 }, 1, 2, "expected the rest of a number before the end of the text" },
    { { "-a", 2 }, 1, 2, "expected a digit after '-'" },
    { { "+1", 2 }, 1, 1, "expected a value, found a punctuation mark" },
    { { ".5", 2 }, 1, 1, "expected a value, found a punctuation mark" },
    { { "[1.]", 4 }, 1, 4, "expected a digit after '.'" },
    { { "1.", 2 }, 1, 3, "expected the rest of a number before the end of the text" },
    { { "[1.e1]", 6 }, 1, 4, "expected a digit after '.'" },
    { { "[1e]", 4 }, 1, 4, "expected a digit in the exponent" },
    { { "[1e+]", 5 }, 1, 5, "expected a digit in the exponent" },
    { { "1e+-1", 5 }, 1, 4, "expected a digit in the exponent" },
    { { "1x", 2 }, 1, 2, "expected nothing after the end of the value, found a letter" },
    { { "{\"a\":1,\"b\":2,\"\\u0061\":3}", 24 },
      1,
      14,
      "this member name is already in the object" },
    { { "{\"\":1,\"\":2}", 11 }, 1, 7, "this member name is already in the object" },
};

static void refuses_and_says_why(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refusals); i++) {
        const struct refusal *refusal = &refusals[i];
        struct outcome outcome = parse_whole(refusal->text, NULL, alloc_default());
        char message[ERROR_MESSAGE_BYTES];
        (void)snprintf(message, sizeof(message), "line %u, column %u: %s", refusal->line,
                       refusal->column, refusal->words);
        assert_int_equal(outcome.status, STATUS_INVALID_REQUEST);
        assert_null(outcome.doc);
        assert_string_equal(outcome.error.message, message);
        assert_int_equal(outcome.error.line, refusal->line);
        assert_int_equal(outcome.error.column, refusal->column);
    }
}

static void hints_at_common_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *hint;
    } cases[] = {
        { "[1,]", "remove the comma before the bracket" },
        { "{\"a\":1,}", "remove the comma before the bracket" },
        { "['a']", "strings stand in double quotes" },
        { "// x\n1", "JSON has no comments" },
        { "\xEF\xBB\xBF{}", "save the text as UTF-8 without a byte order mark" },
        { "[1", "" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct outcome outcome = parse_whole(str_from(cases[i].text), NULL, alloc_default());
        assert_string_equal(outcome.error.hint, cases[i].hint);
    }
}

static void works_without_error_struct(void **state)
{
    (void)state;
    struct json_doc *doc = NULL;
    assert_int_equal(json_parse(STR("[1,"), NULL, alloc_default(), &doc, NULL),
                     STATUS_INVALID_REQUEST);
    assert_null(doc);
}

static void keeps_numbers_as_written(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_plain;
    } numbers[] = {
        { "0", true },      { "-0", true },
        { "7", true },      { "1234567890123456789012345678901234567890", true },
        { "-1.50", false }, { "0.1e-7", false },
        { "1E+2", false },  { "1e400", false },
        { "-0.0", false },  { "10.000000000000000000000000000000001", false },
    };
    for (size_t i = 0; i < COUNT(numbers); i++) {
        char text[128];
        struct str number = str_from(numbers[i].text);
        (void)snprintf(text, sizeof(text), "[%s ,%s]", numbers[i].text, numbers[i].text);
        struct json_doc *doc = parse_ok(str_from(text));
        struct json array = json_doc_root(doc);
        assert_int_equal(json_count(array), 2);
        for (struct json item = json_first(array); json_exists(item);
             item = json_next(item, array)) {
            assert_int_equal(json_type(item), JSON_NUMBER);
            assert_str(json_number_text(item), number);
            assert_int_equal(json_number_is_plain(item), numbers[i].is_plain);
        }
        json_doc_free(doc);
        doc = parse_ok(number);
        assert_str(json_number_text(json_doc_root(doc)), number);
        json_doc_free(doc);
    }
}

static void decodes_strings(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        struct str value;
    } strings[] = {
        { "\"\"", { "", 0 } },
        { "\"a\"", { "a", 1 } },
        { "\"0123456789abcde\"", { "0123456789abcde", 15 } },
        { "\"0123456789abcdef\"", { "0123456789abcdef", 16 } },
        { "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", { "\"\\/\b\f\n\r\t", 8 } },
        { "\"a\\u0000b\"", { "a\0b", 3 } },
        { "\"\\u00e9\\u20AC\\uD83D\\uDE00\"", { "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", 9 } },
        { "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"",
          { "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", 9 } },
        { "\"0123456789abcdef0123456789abcde\\n0123456789abcdef0123456789abcdef\"",
          { "0123456789abcdef0123456789abcde\n0123456789abcdef0123456789abcdef", 64 } },
        { "\"\\uFFFF\\ud7ff\\ue000\"", { "\xEF\xBF\xBF\xED\x9F\xBF\xEE\x80\x80", 9 } },
        { "\"\xF0\x90\x80\x80\xF4\x8F\xBF\xBF\xED\x9F\xBF\xE0\xA0\x80\xC2\x80\"",
          { "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF\xED\x9F\xBF\xE0\xA0\x80\xC2\x80", 16 } },
        { "\"\x7F\"", { "\x7F", 1 } },
    };
    for (size_t i = 0; i < COUNT(strings); i++) {
        struct json_doc *doc = parse_ok(str_from(strings[i].text));
        assert_int_equal(json_type(json_doc_root(doc)), JSON_STRING);
        assert_str(json_string(json_doc_root(doc)), strings[i].value);
        json_doc_free(doc);
    }
}

/* Every length of string and every distance of a special byte from the begin of a block. */
static void finds_the_end_of_strings_of_every_length(void **state)
{
    (void)state;
    char text[96];
    for (size_t len = 0; len < 70; len++) {
        memset(text, 'x', sizeof(text));
        text[0] = '"';
        text[len + 1] = '"';
        struct json_doc *doc = parse_ok(str_of(text, len + 2));
        assert_int_equal(json_string(json_doc_root(doc)).len, len);
        json_doc_free(doc);
        for (size_t at = 1; at <= len; at++) {
            static const char specials[] = { '\x1f', '\0', '\x80', '\xff', '\n', '\\' };
            for (size_t i = 0; i < COUNT(specials); i++) {
                text[at] = specials[i];
                struct outcome outcome = parse_whole(str_of(text, len + 2), NULL, alloc_default());
                assert_int_equal(outcome.status, STATUS_INVALID_REQUEST);
                text[at] = 'x';
            }
        }
    }
}

static void walks_containers(void **state)
{
    (void)state;
    struct json_doc *doc = parse_ok(
        STR(" {\"a\" : [ ] ,\"b\\n\":{\"c\":[1,[2,{}],null]},\n\"d\": true , \"e\":\"x\" } "));
    struct json root = json_doc_root(doc);
    static const char *const names[] = { "a", "b\n", "d", "e" };
    static const enum json_type types[] = { JSON_ARRAY, JSON_OBJECT, JSON_TRUE, JSON_STRING };
    size_t i = 0;
    assert_int_equal(json_type(root), JSON_OBJECT);
    assert_int_equal(json_count(root), 4);
    for (struct json v = json_first(root); json_exists(v); v = json_next(v, root), i++) {
        assert_str(json_member_name(v), str_from(names[i]));
        assert_int_equal(json_member_hash(v), json_key_hash(str_from(names[i])));
        assert_int_equal(json_type(v), types[i]);
        assert_ptr_equal(json_get(root, str_from(names[i])).node, v.node);
    }
    assert_int_equal(i, 4);
    assert_false(json_exists(json_get(root, STR("c"))));
    assert_false(json_exists(json_get(root, STR(""))));
    assert_false(json_exists(json_first(json_get(root, STR("a")))));
    struct json array = json_get(json_get(root, STR("b\n")), STR("c"));
    assert_int_equal(json_count(array), 3);
    assert_int_equal(json_type(json_at(array, 0)), JSON_NUMBER);
    assert_int_equal(json_count(json_at(array, 1)), 2);
    assert_int_equal(json_type(json_at(array, 2)), JSON_NULL);
    assert_false(json_exists(json_at(array, 3)));
    assert_false(json_exists(json_at(array, UINT32_MAX)));
    json_doc_free(doc);
}

static void knows_offsets(void **state)
{
    (void)state;
    struct str text = STR(" { \"a\" : [ 10 , \"s\\n\" ] , \"b\" : -1e5 }  ");
    struct json_doc *doc = parse_ok(text);
    struct json root = json_doc_root(doc);
    struct json array = json_get(root, STR("a"));
    static const char *const spans[] = { "10", "\"s\\n\"" };
    assert_str(json_doc_source(doc), text);
    assert_int_equal(json_offset(root), 1);
    assert_int_equal(json_end_offset(root), text.len - 2);
    for (uint32_t i = 0; i < COUNT(spans); i++) {
        struct json item = json_at(array, i);
        size_t begin = json_offset(item);
        assert_str(str_of(text.ptr + begin, json_end_offset(item) - begin), str_from(spans[i]));
    }
    assert_int_equal(text.ptr[json_offset(array)], '[');
    assert_int_equal(text.ptr[json_end_offset(array) - 1], ']');
    json_doc_free(doc);
}

static void counts_lines_and_code_points(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t offset;
        uint32_t line;
        uint32_t column;
    } positions[] = {
        { "", 0, 1, 1 },
        { "abc", 2, 1, 3 },
        { "abc", 99, 1, 4 },
        { "a\nb", 2, 2, 1 },
        { "a\r\nb", 3, 2, 1 },
        { "a\r\nb", 2, 1, 3 },
        { "a\rb", 2, 2, 1 },
        { "a\r\r\nb", 4, 3, 1 },
        { "\xC3\xA9x", 2, 1, 2 },
        { "\n\n\n", 3, 4, 1 },
        { "a\n\xF0\x9F\x98\x80y", 6, 2, 2 },
    };
    for (size_t i = 0; i < COUNT(positions); i++) {
        uint32_t line = 0;
        uint32_t column = 0;
        json_position(str_from(positions[i].text), positions[i].offset, &line, &column);
        assert_int_equal(line, positions[i].line);
        assert_int_equal(column, positions[i].column);
    }
}

/* Containers much wider than the first estimate of the number of nodes. */
static void grows_with_the_text(void **state)
{
    (void)state;
    enum { ITEMS = 20000 };
    char *text = malloc(2 * ITEMS + 1);
    assert_non_null(text);
    text[0] = '[';
    for (size_t i = 0; i < ITEMS; i++)
        memcpy(text + 1 + 2 * i, "7,", 2);
    text[2 * ITEMS] = ']';
    struct json_doc *doc = parse_ok(str_of(text, 2 * ITEMS + 1));
    assert_int_equal(json_count(json_doc_root(doc)), ITEMS);
    assert_str(json_number_text(json_at(json_doc_root(doc), ITEMS - 1)), STR("7"));
    json_doc_free(doc);
    free(text);
}

static void names_types(void **state)
{
    (void)state;
    static const char *const names[] = { "null",   "boolean", "boolean", "number",
                                         "string", "array",   "object" };
    for (unsigned type = JSON_NULL; type <= JSON_OBJECT; type++)
        assert_string_equal(json_type_name((enum json_type)type), names[type]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_and_says_why),
        cmocka_unit_test(hints_at_common_mistakes),
        cmocka_unit_test(works_without_error_struct),
        cmocka_unit_test(keeps_numbers_as_written),
        cmocka_unit_test(decodes_strings),
        cmocka_unit_test(finds_the_end_of_strings_of_every_length),
        cmocka_unit_test(walks_containers),
        cmocka_unit_test(knows_offsets),
        cmocka_unit_test(counts_lines_and_code_points),
        cmocka_unit_test(grows_with_the_text),
        cmocka_unit_test(names_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

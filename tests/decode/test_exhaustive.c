/* test_exhaustive.c - every text over a small alphabet: accepted exactly if valid and within the
 * policy.
 *
 * The policy (compact, order of the schema, canonical numbers, plain escapes, bounded white space)
 * is stated here once more, independently of the decoder.
 */
#include "base/features.h"

#include "fixture.h"

#include "base/utf8.h"

enum { ALPHABET_MAX = 16, TEXT_MAX = 64 };

struct scope {
    const char *schema;
    const char *alphabet[ALPHABET_MAX]; /* NULL-terminated */
    unsigned length;                    /* letters of a text at most */
    const char *order[3];               /* keys in the order of the schema, NULL-terminated */
};

static const struct scope scopes[] = {
    { "{\"type\":\"number\",\"minimum\":-12.5,\"exclusiveMaximum\":21,\"multipleOf\":0.5}",
      { "-", ".", "0", "1", "2", "5", "e", NULL },
      5,
      { NULL } },
    { "{\"type\":\"integer\",\"minimum\":-2,\"maximum\":113,\"multipleOf\":3}",
      { "-", ".", "0", "1", "2", "3", "9", NULL },
      5,
      { NULL } },
    { "{\"type\":\"string\",\"minLength\":1,\"maxLength\":3}",
      { "\"", "a", " ", "\\", "n", "\xc3", "\xa9", NULL },
      6,
      { NULL } },
    { "{\"enum\":[1,12,\"a\",\"ab\",[1],null]}",
      { "1", "2", "\"", "a", "b", "[", "]", "null", NULL },
      5,
      { NULL } },
    { "{\"type\":\"array\",\"items\":{\"enum\":[1,2,12]},\"uniqueItems\":true,\"minItems\":1,"
      "\"maxItems\":2}",
      { "[", "]", ",", "1", "2", "0", NULL },
      6,
      { NULL } },
    { "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\",\"maximum\":2,\"minimum\":"
      "1},\"b\":{\"const\":1}},"
      "\"required\":[\"b\"],\"additionalProperties\":false}",
      { "{\"a\":", "{\"b\":", ",\"a\":", ",\"b\":", "}", "{}", "1", "2", NULL },
      6,
      { "\"a\":", "\"b\":", NULL } },
    { "{\"type\":\"object\",\"properties\":{\"a\":{\"const\":1},\"b\":{\"const\":1}},"
      "\"minProperties\":1,"
      "\"additionalProperties\":false,\"dependentRequired\":{\"b\":[\"a\"]}}",
      { "{\"a\":", "{\"b\":", ",\"a\":", ",\"b\":", "}", "{}", "1", "2", NULL },
      6,
      { "\"a\":", "\"b\":", NULL } },
    { "{\"anyOf\":[{\"type\":\"object\",\"properties\":{\"a\":{\"const\":1}},"
      "\"additionalProperties\":false},"
      "{\"type\":\"object\",\"properties\":{\"a\":{\"const\":2},\"b\":{\"const\":1}},\"required\":["
      "\"b\"],"
      "\"additionalProperties\":false}]}",
      { "{\"a\":", "{\"b\":", ",\"a\":", ",\"b\":", "}", "{}", "1", "2", NULL },
      6,
      { "\"a\":", "\"b\":", NULL } },
    { "{\"type\":[\"array\",\"integer\"],\"items\":{\"$ref\":\"#\"},\"minimum\":0,\"maximum\":1,"
      "\"maxItems\":2}",
      { "[", "]", ",", "0", "1", NULL },
      6,
      { NULL } },
    { "{\"type\":\"array\",\"items\":{\"type\":\"string\",\"maxLength\":1},\"uniqueItems\":true,"
      "\"minItems\":2,\"maxItems\":2}",
      { "[\"", "\"]", "\",\"", "a", "b", "\"", NULL },
      6,
      { NULL } },
};

/* White space outside strings, redundant escapes, long white space, strings of nothing else. */
static bool policy_admits_strings(const char *text)
{
    bool inside = false, black = false;
    unsigned run = 0, length = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '"') {
            if (inside && length > 0 && !black)
                return false;
            inside = !inside;
            black = false;
            run = length = 0;
            continue;
        }
        if (!inside) {
            if (*at == ' ')
                return false;
            continue;
        }
        bool white = *at == ' ';
        if (*at == '\\') {
            at++;
            white = *at == 'n';
        }
        run = white ? run + 1 : 0;
        black |= !white;
        length++;
        if (run > 2)
            return false;
    }
    return true;
}

/* No exponents, no negative zero. */
static bool policy_admits_numbers(const char *text)
{
    const char *sign = strchr(text, '-');
    bool zero = sign != NULL && sign[1 + strspn(sign + 1, "0.")] == '\0';
    return !zero && strchr(text, 'e') == NULL;
}

/* No integer is written with a fraction when the schema wants integers; members keep their order.
 */
static bool policy_admits(const struct scope *scope, const char *text)
{
    if (strstr(scope->schema, "\"integer\"") != NULL && strchr(text, '.') != NULL)
        return false;
    if (strstr(scope->schema, "0.5") != NULL && strchr(text, '.') != NULL &&
        strlen(strchr(text, '.')) > 2)
        return false;
    bool strings = strchr(text, '"') != NULL;
    if (strings ? !policy_admits_strings(text)
                : strchr(text, ' ') != NULL || !policy_admits_numbers(text))
        return false;
    const char *last = text;
    for (unsigned i = 0; scope->order[i] != NULL; i++) {
        const char *at = strstr(text, scope->order[i]);
        if (at != NULL && at < last)
            return false;
        last = at == NULL ? last : at;
    }
    return true;
}

static bool is_valid(const struct fixture *fixture, struct str text)
{
    struct json_doc *doc = NULL;
    bool valid = false;
    if (utf8_check(text) != text.len ||
        json_parse(text, NULL, alloc_default(), &doc, NULL) != STATUS_OK)
        return false;
    assert_int_equal(
        schema_is_valid(fixture->program, json_doc_root(doc), 0, alloc_default(), &valid, NULL),
        STATUS_OK);
    json_doc_free(doc);
    return valid;
}

/* Counts up through all words over the alphabet. */
static unsigned scope_run(const struct scope *scope)
{
    struct fixture fixture;
    unsigned letters = 0, word[TEXT_MAX] = { 0 }, accepted = 0;
    while (scope->alphabet[letters] != NULL)
        letters++;
    fixture_init(&fixture, scope->schema, NULL, NULL);
    assert_int_equal(decode_language_gaps(fixture.language).len, 0);
    for (unsigned length = 1; length <= scope->length;) {
        char text[TEXT_MAX * 4];
        size_t len = 0;
        for (unsigned i = 0; i < length; i++) {
            size_t letter = strlen(scope->alphabet[word[i]]);
            memcpy(text + len, scope->alphabet[word[i]], letter);
            len += letter;
        }
        text[len] = '\0';
        bool whole = fixture_verdict(&fixture, text) == 'c';
        bool expected = policy_admits(scope, text) && is_valid(&fixture, str_of(text, len));
        if (whole != expected)
            fail_msg("%s\n%s: %s", scope->schema, text, whole ? "accepted" : "not reachable");
        accepted += whole;
        unsigned place = length;
        while (place > 0 && ++word[place - 1] == letters)
            word[--place] = 0;
        length += place == 0;
    }
    fixture_release(&fixture);
    return accepted;
}

static void test_scopes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof scopes / sizeof scopes[0]; i++) {
        unsigned accepted = scope_run(&scopes[i]);
        print_message("%u texts of %s\n", accepted, scopes[i].schema);
        assert_true(accepted > 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_scopes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

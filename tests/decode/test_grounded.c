/* test_grounded.c - what may be quoted from a prompt, and what of a typed leaf the prompt
 * restricts. */
#include "base/features.h"

#include "fixture.h"

#include "base/control.h"
#include "generate.h"

static const char prompt[] = "The  Seaview\tHotel (Old Town) offers three nights from 14 May 2026 "
                             "at EUR 1,250.50. It said \"welcome\"!\n"
                             "Call Ms. Jane O'Neil, jane@example.com, about Smith/Jones' boat. "
                             "Price\nper night: 416.83, minus 5 %.\n\n"
                             "- breakfast and caf\xc3\xa9 cr\xc3\xa8me";

struct quote_case {
    const char *text;
    char verdict;
};

static const struct quote_case quotes[] = {
    { "\"The Seaview Hotel\"", 'c' }, /* white space normalised */
    { "\"Seaview Hotel (Old Town)\"", 'c' },
    { "\"Old Town\"", 'c' }, /* brackets left off */
    { "\"Old Tow\"", 'r' },  /* inside a word */
    { "\"eaview", 'r' },
    { "\"Hotel Seaview", 'r' },
    { "\"welcome\"", 'c' },                 /* quotes left off */
    { "\"It said \\\"welcome\\\"\"", 'c' }, /* or escaped */
    { "\"It said \\\"welcome\\\"!\"", 'c' },
    { "\"It said \\\\", 'r' },
    { "\"It said \"", 'r' },
    { "\"1,250.50\"", 'c' },
    { "\"1,250\"", 'r' },
    { "\"Ms. Jane O'Neil\"", 'c' }, /* an abbreviation ends no sentence */
    { "\"Jane O'Neil, jane@example.com\"", 'c' },
    { "\"Jones\"", 'c' },
    { "\"Smith\"", 'c' },
    { "\"Price per night\"", 'c' }, /* over a line end */
    { "\"boat. Price", 'r' },       /* over a sentence end */
    { "\"5 %. - breakfast", 'r' },
    { "\"breakfast and caf\xc3\xa9 cr\xc3\xa8me\"", 'c' },
    { "\"caf\xc3\xa9\"", 'c' },
    { "\"caf\xc3", 'p' },
    { "\"\"", 'r' },
};

static void test_quotes(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, "{\"type\":\"string\"}", prompt, NULL);
    for (size_t i = 0; i < sizeof quotes / sizeof quotes[0]; i++) {
        char verdict = fixture_verdict(&fixture, quotes[i].text);
        if (verdict != quotes[i].verdict)
            fail_msg("%s: expected %c, got %c", quotes[i].text, quotes[i].verdict, verdict);
    }
    fixture_release(&fixture);
}

struct leaf_case {
    const char *schema, *text;
    char verdict;
};

static const struct leaf_case leaves[] = {
    { "{\"type\":\"number\"}", "1250.5", 'c' },
    { "{\"type\":\"number\"}", "416.83", 'c' },
    { "{\"type\":\"number\"}", "417", 'r' },
    { "{\"type\":\"integer\"}", "3", 'c' },
    { "{\"type\":\"integer\",\"minimum\":1000,\"maximum\":2000}", "1500",
      'c' }, /* nothing fits: free */
    { "{\"type\":\"integer\",\"x-derived\":true}", "417", 'c' },
    { "{\"type\":\"string\",\"x-derived\":true}", "\"anything\"", 'c' },
    { "{\"type\":\"string\",\"format\":\"date\"}", "\"2026-05-14\"", 'c' },
    { "{\"type\":\"string\",\"format\":\"date\"}", "\"2026-05-15", 'r' },
    { "{\"type\":\"string\",\"format\":\"email\"}", "\"jane@example.com\"", 'c' },
    { "{\"type\":\"string\",\"format\":\"email\"}", "\"j@", 'r' },
    { "{\"type\":\"string\",\"format\":\"uuid\"}", "\"123e4567-e89b-12d3-a456-426614174000\"",
      'c' },
    { "{\"type\":\"string\",\"enum\":[\"spa\"]}", "\"spa\"", 'c' },
    { "{\"type\":\"string\",\"maxLength\":8}", "\"The Seav", 'r' },
    { "{\"type\":\"string\",\"maxLength\":8}", "\"Old Town\"", 'c' },
    { "{\"type\":\"string\",\"maxLength\":2,\"minLength\":2}", "\"It\"", 'c' },
    { "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}", "[\"Hotel\",\"Town\"]", 'c' },
    { "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}", "[\"Hotel\",\"Hotel\"", 'r' },
    { "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}", "[\"Hotel\",\"Hotel (Old", 'p' },
    { "{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":"
      "\"string\"}},\"required\":[\"a\"]}}",
      "[{\"a\":\"Hotel\"},{\"a\":\"Hotel\"},", 'r' },
    { "{\"type\":\"array\",\"items\":{\"type\":\"integer\"},\"maxItems\":9}", "[3,3]", 'c' },
};

static void test_leaves(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof leaves / sizeof leaves[0]; i++) {
        struct fixture fixture;
        fixture_init(&fixture, leaves[i].schema, prompt, NULL);
        char verdict = fixture_verdict(&fixture, leaves[i].text);
        if (verdict != leaves[i].verdict)
            fail_msg("%s\n%s: expected %c, got %c", leaves[i].schema, leaves[i].text,
                     leaves[i].verdict, verdict);
        fixture_release(&fixture);
    }
}

/* An array of the words of a short prompt ends when nothing new is left. */
static void test_nothing_new(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}", "red\n\nblue",
                 NULL);
    assert_int_equal(fixture_verdict(&fixture, "[\"red\",\"blue\"]"), 'c');
    assert_int_equal(fixture_verdict(&fixture, "[\"red\",\"blue\","), 'r');
    fixture_release(&fixture);
    fixture_init(&fixture, "{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"minItems\":3}",
                 "red\n\nblue", NULL);
    assert_int_equal(fixture_verdict(&fixture, "[\"red\",\"blue\",\"red\"]"), 'c');
    fixture_release(&fixture);
}

/* The text with white space as the index has it. */
static size_t normalise(const char *text, char *out)
{
    size_t len = 0;
    for (const char *at = text; *at != '\0'; at++) {
        bool white = *at == ' ' || *at == '\t' || *at == '\n';
        if (!white)
            out[len++] = *at;
        else if (len > 0 && out[len - 1] != ' ')
            out[len++] = ' ';
    }
    out[len] = '\0';
    return len;
}

/* Random admissible bytes: every string that comes out is in the prompt, every number is one of its
 * numbers. */
static void test_outputs_are_quotes(void **state)
{
    (void)state;
    struct fixture fixture;
    struct rng_seeded word;
    struct rng rng = rng_from_seed(&word, 7);
    char normal[sizeof prompt];
    normalise(prompt, normal);
    fixture_init(&fixture,
                 "{\"type\":\"object\",\"properties\":{\"s\":{\"type\":\"string\"},\"n\":{\"type\":"
                 "\"number\"}},"
                 "\"required\":[\"s\",\"n\"]}",
                 prompt, NULL);
    for (int round = 0; round < 400; round++) {
        char text[1024] = "";
        size_t len = 0;
        decode_state_reset(fixture.state);
        while (!decode_state_is_complete(fixture.state)) {
            char byte = chance(&rng, 40) ? '"' : (char)(unsigned char)draw(&rng, 256);
            if (!decode_state_admits(fixture.state, str_of(&byte, 1), SIZE_MAX, fixture.scratch))
                continue;
            decode_state_copy(fixture.state, fixture.scratch);
            text[len++] = byte;
            assert_true(len < sizeof text);
        }
        struct json_doc *doc = NULL;
        assert_int_equal(json_parse(str_of(text, len), NULL, alloc_default(), &doc, NULL),
                         STATUS_OK);
        struct str quoted = json_string(json_get(json_doc_root(doc), STR("s")));
        char copy[1024];
        memcpy(copy, quoted.ptr, quoted.len);
        copy[quoted.len] = '\0';
        if (strstr(normal, copy) == NULL)
            fail_msg("not in the prompt: %s", copy);
        struct str number = json_number_text(json_get(json_doc_root(doc), STR("n")));
        static const char *const numbers[] = { "3", "14", "2026", "1250.5", "416.83", "5" };
        bool found = false;
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
            found |= str_equal(number, str_from(numbers[i]));
        if (!found)
            fail_msg("no number of the prompt: %.*s", (int)number.len, number.ptr);
        json_doc_free(doc);
    }
    fixture_release(&fixture);
}

static void test_odd_prompts(void **state)
{
    static const char *const prompts[] = { "",  " \n",          "\"",   "\\",      "...",
                                           "a", "\xe2\x82\xac", "((((", "x\\\"y z" };
    (void)state;
    for (size_t i = 0; i < sizeof prompts / sizeof prompts[0]; i++) {
        struct fixture fixture;
        struct buffer text;
        buffer_init(&text, alloc_default(), 4096);
        fixture_init(
            &fixture,
            "{\"type\":\"object\",\"properties\":{\"s\":{\"type\":\"string\",\"minLength\":1},"
            "\"t\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"minItems\":2}},"
            "\"required\":[\"s\",\"t\"]}",
            prompts[i], NULL);
        decode_state_closing(fixture.state, &text);
        assert_int_equal(fixture_verdict(&fixture, text.ptr), 'c');
        buffer_release(&text);
        fixture_release(&fixture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quotes),      cmocka_unit_test(test_leaves),
        cmocka_unit_test(test_nothing_new), cmocka_unit_test(test_outputs_are_quotes),
        cmocka_unit_test(test_odd_prompts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

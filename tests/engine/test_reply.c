/* test_reply.c - the reply reader: which value a reply holds, what was taken off, and what is
 * refused. */
#include "base/features.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "engine/reply.h"
#include "engine/text.h"
#include "model/runaway.h"
#include "test_alloc.h"

struct reply_case {
    const char *label;
    const char *text;
    const char *value;   /* compact; NULL: refused */
    const char *repairs; /* names in order, blank between; or the keyword of the refusal */
    uint32_t line, column;
    const char *message; /* refused: a part of it */
};

#define JSON_REFUSED NULL, "json"

static const struct reply_case cases[] = {
    /* a text that is JSON is never touched */
    { "plain", "{\"a\":1}", "{\"a\":1}", "", 1, 1, "" },
    { "white space", " \n\t{\"a\":1}\r\n ", "{\"a\":1}", "", 2, 2, "" },
    { "byte order mark", "\xEF\xBB\xBF{\"a\":1}", "{\"a\":1}", "", 1, 2, "" },
    { "no-break space", "\xC2\xA0{\"a\":1}\xC2\xA0", "{\"a\":1}", "", 1, 2, "" },
    { "back-ticks in a string", "{\"a\":\"use `x` and ```y```\"}",
      "{\"a\":\"use `x` and ```y```\"}", "", 1, 1, "" },
    { "fence in a string", "{\"a\":\"```json\\n{}\\n```\"}", "{\"a\":\"```json\\n{}\\n```\"}", "",
      1, 1, "" },
    { "reasoning in a string", "{\"a\":\"<think>x</think>\"}", "{\"a\":\"<think>x</think>\"}", "",
      1, 1, "" },
    { "scalar", "null", "null", "", 1, 1, "" },
    { "array", "[1,2]", "[1,2]", "", 1, 1, "" },
    { "number text", "{\"a\":1.50,\"b\":12345678901234567890}",
      "{\"a\":1.50,\"b\":12345678901234567890}", "", 1, 1, "" },

    /* fences */
    { "fence", "```json\n{\"a\":1}\n```", "{\"a\":1}", "fence", 2, 1, "" },
    { "fence without language", "```\n{\"a\":1}\n```", "{\"a\":1}", "fence", 2, 1, "" },
    { "tildes", "~~~json\n{\"a\":1}\n~~~", "{\"a\":1}", "fence", 2, 1, "" },
    { "opening fence alone", "```json\n{\"a\":1}", "{\"a\":1}", "fence", 2, 1, "" },
    { "closing fence alone", "{\"a\":1}```", "{\"a\":1}", "fence", 1, 1, "" },
    { "fence on one line", "```json {\"a\":1} ```", "{\"a\":1}", "fence", 1, 9, "" },
    { "fence around a fence", "```json\n{\"a\":\"```x```\"}\n```", "{\"a\":\"```x```\"}", "fence",
      2, 1, "" },
    { "junk before the closing fence", "Table:\n```json\n{\"a\":[[1]]}\n\\(end\\)```",
      "{\"a\":[[1]]}", "fence prose trailing-text", 3, 1, "" },
    { "array in a fence", "Here:\n```json\n[1]\n```", "[1]", "fence prose", 3, 1, "" },

    /* prose */
    { "prose before", "Sure! {\"a\":1}", "{\"a\":1}", "prose", 1, 7, "" },
    { "prose after", "{\"a\":1} I hope this helps.", "{\"a\":1}", "trailing-text", 1, 1, "" },
    { "prose around", "Here:\n{\"a\":1}\nDone.", "{\"a\":1}", "prose trailing-text", 2, 1, "" },
    { "brackets in prose", "Lines start with \"I, [\"\n\n{\"a\":1}", "{\"a\":1}", "prose", 3, 1,
      "" },
    { "a reference in prose", "As [1] says {\"a\":1}", "{\"a\":1}", "prose", 1, 13, "" },
    { "braces in prose", "use {name} or {} - no: {\"a\":1}", NULL, "json", 1, 24,
      "several different" },
    { "braces with a word", "use {name}: {\"a\":1}", "{\"a\":1}", "prose", 1, 13, "" },
    { "the same value twice", "{\"a\":1}\n{\"a\": 1.0}", "{\"a\":1}", "trailing-text", 1, 1, "" },
    { "end token", "{\"a\":1}<|im_end|>", "{\"a\":1}", "trailing-text", 1, 1, "" },

    /* raw control characters in strings: each is itself, and positions are lost */
    { "line break in a string", "```json\n{\"a\":\"b\nc\"}\n```", "{\"a\":\"b\\nc\"}",
      "fence control-character", 0, 0, "" },
    { "tab in a string, nothing around it", "{\"a\":\"b\tc\\n\"}", "{\"a\":\"b\\tc\\n\"}",
      "control-character", 0, 0, "" },
    { "line break in a name", "{\"a\nb\":1}", "{\"a\\nb\":1}", "control-character", 0, 0, "" },

    /* reasoning */
    { "think", "<think>{\"a\":0}</think>{\"a\":1}", "{\"a\":1}", "reasoning", 1, 23, "" },
    { "thinking and fence", "<thinking>no { idea</thinking>\n```\n{\"a\":1}\n```", "{\"a\":1}",
      "reasoning fence", 3, 1, "" },
    { "capitals", "<THINK>x</THINK>{\"a\":1}", "{\"a\":1}", "reasoning", 1, 17, "" },
    { "closing tag alone", "let me see {\"a\": ...}\n</think>\n{\"a\":1}", "{\"a\":1}", "reasoning",
      3, 1, "" },
    { "two blocks", "<think>a</think><think>b</think>{\"a\":1}", "{\"a\":1}", "reasoning", 1, 33,
      "" },
    { "reasoning behind the value", "{\"a\":1}<think>{\"a\":2}</think>", "{\"a\":1}",
      "reasoning trailing-text", 1, 1, "" },
    { "other brackets", "[THINK]{\"a\":0}[/THINK]{\"a\":1}", "{\"a\":1}", "reasoning", 1, 23, "" },
    { "channels",
      "<|channel|>analysis<|message|>{\"a\":0}<|end|><|start|>assistant<|channel|>final<|message|>{"
      "\"a\":1}",
      "{\"a\":1}", "reasoning", 1, 90, "" },
    { "lost channel marks", "analysisWe see {\"a\": ...}.assistantfinal{\"a\": 2}", "{\"a\":2}",
      "reasoning", 1, 41, "" },
    { "reasoning never ends", "<think>{\"a\":0}", NULL, "json", 1, 15, "after its reasoning" },
    { "reasoning alone", "<think>x</think>", NULL, "json", 1, 17, "after its reasoning" },
    { "a tag in a broken string", "{\"a\": \"x</think>\", \"b\": {\"c\":1}", NULL, "json", 1, 32,
      "not valid JSON" },

    /* refused */
    { "empty", "", NULL, "json", 1, 1, "empty" },
    { "blank", " \n\xE3\x80\x80", NULL, "json", 1, 1, "empty" },
    { "prose only", "I cannot do that.", NULL, "json", 1, 1, "expected a value" },
    { "labels", "Name: Ann\nAge: 3", NULL, "json", 1, 1, "expected a value" },
    { "two values", "{\"a\":1}\n{\"a\":2}", NULL, "json", 2, 1, "several different" },
    { "quoted and own", "It says {\"a\": 1}. Mine: {\"a\": 250.5}", NULL, "json", 1, 25,
      "several different" },
    { "unclosed", "{\"a\":{\"b\":1}", NULL, "json", 1, 13, "not valid JSON" },
    { "unclosed with a whole value inside", "{\"x\": [{\"a\":1}], \"y\": {\"a\":1}", NULL, "json",
      1, 30, "not valid" },
    { "unclosed in a fence", "```json\n{\"a\":{\"b\":1}\n```", NULL, "json", 3, 1,
      "not valid JSON" },
    { "cut string", "{\"a\":\"b", NULL, "json", 1, 8, "not valid JSON" },
    { "bracket too many", "{\"a\":1}}", NULL, "json", 1, 8, "nothing after the end" },
    { "wrong bracket", "{\"a\": 1]}", NULL, "json", 1, 8, "not valid JSON" },
    { "trailing comma", "{\"a\":1,}", NULL, "json", 1, 8, "member name" },
    { "python", "{'a': None}", NULL, "json", 1, 2, "member name" },
    { "not a number", "{\"a\": NaN.1}", NULL, "json", 1, 7, "not valid JSON" },
    { "names twice", "{\"a\":1,\"a\":2}", NULL, "json", 1, 8, "not valid JSON" },
    { "names twice inside", "[{\"n\":1,\"n\":2}]", NULL, "json", 1, 9, "not valid JSON" },
    { "a backslash before a line break", "Sure {\"a\":\"b\\\nc\"}", NULL, "json", 1, 13,
      "hexadecimal digits" },
    { "stuttered end", "{\"s\": \"x.\"\nx.\"\n.\"\n}", NULL, "json", 2, 1, "not valid JSON" },
    { "typographic quote", "{\"a\": \"v\xE2\x80\x9D, \"b\": 1}", NULL, "json", 1, 13,
      "not valid JSON" },
};

/* A ledger with what is allowed unless a caller says otherwise. */
static struct engine_ledger usual_ledger(void)
{
    return (struct engine_ledger){ .allowed = engine_readings_of(0, 0) };
}

static bool check_case(const struct reply_case *expected)
{
    struct engine_ledger ledger = usual_ledger();
    struct test_alloc heap;
    struct engine_reply_value value;
    test_alloc_init(&heap);
    assert_int_equal(engine_reply_read(str_from(expected->text), &ledger, &heap.alloc, &value),
                     STATUS_OK);
    struct buffer seen, names;
    buffer_init(&seen, &heap.alloc, 4096);
    buffer_init(&names, &heap.alloc, 4096);
    for (uint32_t i = 0; i < ledger.count; i++) {
        buffer_append_str(&names, i == 0 ? STR("") : STR(" "));
        buffer_append_str(&names, ledger.items[i].name);
    }
    buffer_append_str(&names, STR(""));
    if (value.doc != NULL)
        json_write(json_doc_root(value.doc), 0, &seen);
    else
        buffer_append_str(&names, str_from(value.keyword));
    struct str want = str_from(expected->value);
    bool is_right = str_equal(buffer_view(&seen), want) &&
                    str_equal(buffer_view(&names), str_from(expected->repairs)) &&
                    value.line == expected->line && value.column == expected->column &&
                    engine_text_contains(str_from(value.message), str_from(expected->message));
    if (!is_right)
        print_error("%s: got %.*s [%.*s] at %u:%u %s\n", expected->label, (int)seen.len,
                    seen.ptr != NULL ? seen.ptr : "", (int)names.len,
                    names.ptr != NULL ? names.ptr : "", value.line, value.column, value.message);
    json_doc_free(value.doc);
    buffer_release(&seen);
    buffer_release(&names);
    test_alloc_assert_empty(&heap);
    return is_right;
}

static void test_replies(void **state)
{
    (void)state;
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        wrong += !check_case(&cases[i]);
    assert_int_equal(wrong, 0);
}

/* Whatever is cut off a reply with one object, no other value comes out than that object. */
static void test_every_cut(void **state)
{
    (void)state;
    static const char text[] =
        "<think>{\"x\":1}</think>Here:\n```json\n{\"a\":{\"b\":[{\"c\":1},{\"c\":2}]},\"d\":"
        "\"}{\"}\n```\nDone [1].";
    static const char want[] = "{\"a\":{\"b\":[{\"c\":1},{\"c\":2}]},\"d\":\"}{\"}";
    for (size_t len = 0; len < sizeof(text); len++) {
        struct engine_reply_value value;
        struct engine_ledger ledger = usual_ledger();
        struct str part = { text, len };
        assert_int_equal(engine_reply_read(part, &ledger, alloc_default(), &value), STATUS_OK);
        struct buffer seen;
        buffer_init(&seen, alloc_default(), 4096);
        if (value.doc != NULL) {
            json_write(json_doc_root(value.doc), 0, &seen);
            assert_true(str_equal(buffer_view(&seen), str_from(want)));
        }
        assert_true(value.doc != NULL || value.keyword != NULL);
        buffer_release(&seen);
        json_doc_free(value.doc);
    }
}

/* size bytes of pattern over and over. The text is freed by the caller. */
static struct str repeated(const char *pattern, size_t size)
{
    size_t len = strlen(pattern);
    char *text = malloc(size);
    assert_non_null(text);
    for (size_t i = 0; i < size; i++)
        text[i] = pattern[i % len];
    return (struct str){ text, size };
}

/* Texts that make a careless reader quadratic. */
static void test_pathological(void **state)
{
    (void)state;
    static const char *const patterns[] = { "[",        "{",         "{\"a\":",  "[1,",
                                            "{} ",      "\n[",       "<think>",  "</think>",
                                            "`",        "{\"",       "\\",       "[{}\n",
                                            "analysis", "\"",        " ",        "<|end|>",
                                            "\n[1]",    "{\"a\":1}", "\n[[[[1,", "\xE2\x97\x81" };
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
        struct str text = repeated(patterns[i], 1 << 20);
        struct engine_reply_value value;
        struct engine_ledger ledger = usual_ledger();
        assert_int_equal(engine_reply_read(text, &ledger, alloc_default(), &value), STATUS_OK);
        json_doc_free(value.doc);
        free((char *)(uintptr_t)text.ptr);
    }
}

static void test_runaway(void **state)
{
    (void)state;
    static const struct {
        const char *head, *pattern;
        bool is_runaway;
    } table[] = {
        { "{\"a\":\"x ", "\\b", true },
        { "{\"a\":1,", " \n\t", true },
        { "{\"a\":", "1", true },
        { "{\"a\":\"", "the same sentence again. ", true },
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct str tail = repeated(table[i].pattern, 4000);
        size_t head = strlen(table[i].head);
        char *text = malloc(head + tail.len);
        assert_non_null(text);
        memcpy(text, table[i].head, head);
        memcpy(text + head, tail.ptr, tail.len);
        struct engine_reply_value value;
        struct engine_ledger ledger = usual_ledger();
        struct str whole = { text, head + tail.len };
        assert_int_equal(engine_reply_read(whole, &ledger, alloc_default(), &value), STATUS_OK);
        assert_null(value.doc);
        assert_string_equal(value.keyword, "runaway");
        free(text);
        free((char *)(uintptr_t)tail.ptr);
    }
    assert_false(model_runaway_is_end_of(STR("aaaaaaaa")));
}

static void scenario_read(struct test_alloc *heap, void *context)
{
    struct engine_reply_value value;
    struct engine_ledger ledger = usual_ledger();
    enum status status =
        engine_reply_read(*(const struct str *)context, &ledger, &heap->alloc, &value);
    if (heap->failures == 0)
        assert_int_equal(status, STATUS_OK);
    else
        assert_true(status == STATUS_OK || status == STATUS_NO_MEMORY);
    json_doc_free(value.doc);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    struct str texts[] = {
        STR("<think>x</think> Here: {\"a\":\"\\u0041\",\"b\":[1,2]} and {\"a\":\"A\",\"b\":[1,2]}"),
        STR("x {\"a\":1} {\"a\":2}"), STR("x {\"a\":1"), STR("{\"a\":1,\"a\":2}")
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        test_alloc_failures(scenario_read, &texts[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replies),
        cmocka_unit_test(test_every_cut),
        cmocka_unit_test(test_pathological),
        cmocka_unit_test(test_runaway),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

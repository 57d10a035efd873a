/* test_runaway.c - what counts as a reply that ran away, and that the cuts of a stream do not
 * matter. */
#include "base/features.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/runaway.h"

enum { TEXT_BYTES = 6000 };

/* head, then pattern over and over; size bytes in all. */
static void fill(char *text, size_t size, const char *head, const char *pattern)
{
    size_t head_len = strlen(head), len = strlen(pattern);
    for (size_t i = 0; i < size; i++)
        text[i] = i < head_len ? head[i] : pattern[(i - head_len) % len];
}

/* Bytes of text when it was certain, or 0; fed in pieces of that size. */
static size_t certain_at(struct str text, size_t piece)
{
    struct model_runaway runaway;
    model_runaway_init(&runaway);
    for (size_t at = 0; at < text.len; at += piece) {
        size_t len = text.len - at < piece ? text.len - at : piece;
        if (model_runaway_feed(&runaway, (struct str){ text.ptr + at, len }))
            return at + len;
    }
    return 0;
}

static void test_patterns(void **state)
{
    (void)state;
    static const struct {
        const char *head, *pattern;
        size_t bytes_max; /* it must be seen before so many bytes; 0: never */
    } table[] = {
        { "{\"t\":\"x ", "\\b", 4000 },
        { "{\"a\":1,", " ", 1500 },
        { "{\"a\":1,", " \n\t", 1500 },
        { "{\"n\":", "1", 2500 },
        { "", "the same sentence again. ", 2500 },
        { "", "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-+", 2500 },
        /* longer pieces are not looked for */
        { "", "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-+_", 0 },
    };
    char text[TEXT_BYTES];
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        fill(text, sizeof(text), table[i].head, table[i].pattern);
        size_t at = certain_at((struct str){ text, sizeof(text) }, 1);
        assert_true(table[i].bytes_max == 0 ? at == 0 : at > 0 && at <= table[i].bytes_max);
        assert_true(model_runaway_is_end_of((struct str){ text, sizeof(text) }) == (at > 0));
    }
}

/* White space in no order is a run as well; in a text between words it is not. */
static void test_white_space(void **state)
{
    (void)state;
    char text[TEXT_BYTES];
    uint32_t word = 1;
    for (size_t i = 0; i < sizeof(text); i++) {
        word = word * 1664525u + 1013904223u;
        text[i] = " \n\t\r"[word >> 30];
    }
    assert_int_not_equal(certain_at((struct str){ text, sizeof(text) }, 7), 0);
    for (size_t i = 0; i < sizeof(text); i += 1000)
        text[i] = 'x';
    assert_int_equal(certain_at((struct str){ text, sizeof(text) }, 7), 0);
}

/* Ordinary repetition stays below: a table's rule, a list of zeros, an indented document. */
static void test_ordinary(void **state)
{
    (void)state;
    static const char *const patterns[] = { "-", "0,", "    ", "[0,0,0],\n" };
    char text[MODEL_RUNAWAY_BLANKS - 1];
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
        fill(text, sizeof(text), "", patterns[i]);
        assert_int_equal(certain_at((struct str){ text, sizeof(text) }, 64), 0);
        assert_false(model_runaway_is_end_of((struct str){ text, sizeof(text) }));
    }
    assert_false(model_runaway_is_end_of(STR("")));
}

/* The place where it becomes certain does not depend on the pieces. */
static void test_split(void **state)
{
    (void)state;
    char text[TEXT_BYTES];
    fill(text, sizeof(text), "{\"some\":\"value of the text\",\"t\":\"", "ab\\n");
    size_t first = certain_at((struct str){ text, sizeof(text) }, 1);
    assert_int_not_equal(first, 0);
    for (size_t piece = 1; piece <= sizeof(text); piece += piece < 600 ? 1 : 301) {
        size_t at = certain_at((struct str){ text, sizeof(text) }, piece);
        assert_true(at >= first && at < first + piece);
        struct model_runaway runaway;
        model_runaway_init(&runaway);
        assert_false(model_runaway_feed(&runaway, (struct str){ text, first - 1 }));
        assert_true(model_runaway_feed(&runaway, (struct str){ text + first - 1, 1 }));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_white_space),
        cmocka_unit_test(test_ordinary),
        cmocka_unit_test(test_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

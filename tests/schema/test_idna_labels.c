/* test_idna_labels.c - which labels IDNA2008 takes: context, normal form, Bidi, hyphens, marks. */
#include "base/features.h"

#include "test.h"

#include "base/utf8.h"
#include "schema/format.h"

enum { LABEL_POINTS_MAX = 6 };

static const struct {
    uint32_t points[LABEL_POINTS_MAX]; /* up to 0 */
    bool valid;
} labels[] = {
    /* Joiners: after a virama, or (U+200C only) between letters that join around it. */
    { { 0x915, 0x94D, 0x200C, 0x937 }, true },
    { { 0x915, 0x94D, 0x200D, 0x937 }, true },
    { { 0x915, 0x200D, 0x937 }, false },
    { { 0x915, 0x200C, 0x937 }, false },
    { { 0x200C, 0x628 }, false },
    { { 0x200D, 0x628 }, false },
    { { 0x628, 0x200C, 0x628 }, true },
    { { 0x628, 0x200D, 0x628 }, false },
    { { 0x628, 0x64B, 0x200C, 0x64B, 0x628 }, true },
    { { 0x628, 0x200C, 0x627 }, true },
    { { 0x627, 0x200C, 0x628 }, false },
    { { 0x628, 0x200C, 0x5D0 }, false },
    { { 0x628, 0x200C }, false },
    /* Punctuation between, before or after certain letters. */
    { { 'l', 0xB7, 'l' }, true },
    { { 'a', 0xB7, 'l' }, false },
    { { 'l', 0xB7, 'a' }, false },
    { { 'l', 0xB7 }, false },
    { { 0xB7, 'l' }, false },
    { { 0x375, 0x3B1 }, true },
    { { 0x375, 'a' }, false },
    { { 0x3B1, 0x375 }, false },
    { { 0x5D0, 0x5F3 }, true },
    { { 0x5D0, 0x5F4, 0x5D0 }, true },
    { { 0x5F3, 0x5D0 }, false },
    { { 0x627, 0x5F4 }, false },
    { { 0x30FB, 0x30A2 }, true },
    { { 0x3042, 0x30FB }, true },
    { { 0x30FB, 0x4E00 }, true },
    { { 'a', 0x30FB }, false },
    /* Digits of both Arabic rows do not mix. */
    { { 0x627, 0x660, 0x669 }, true },
    { { 0x627, 0x6F0 }, true },
    { { 0x627, 0x660, 0x6F0 }, false },
    { { 0x627, 0x6F0, 0x660 }, false },
    /* Normal form C. */
    { { 0xE9 }, true },
    { { 'e', 0x301 }, false },
    { { 'q', 0x301 }, true },
    { { 'q', 0x307, 0x307 }, true },
    { { 'q', 0x307, 0x323 }, false }, /* marks out of order */
    { { 'e', 0x327, 0x301 }, false }, /* e composes with the first mark */
    { { 'k', 0x30A, 0x301 }, true },  /* nothing composes, the second mark is blocked */
    { { 'a', 0x325, 0x301 }, false },
    { { 0x995, 0x9C7, 0x9BE }, false }, /* a pair of starters */
    { { 0x995, 0x9BE }, true },
    { { 0x1100, 0x1161 }, false },
    { { 0xAC00, 0x11A8 }, false },
    { { 0x958 }, false },
    /* Bidi rule. */
    { { 0x5D0, 'a' }, false },
    { { 'a', 0x5D0 }, false },
    { { 0x5D0, '1' }, true },
    { { 0x627, '1', 0x660 }, false },
    { { 0x660, 0x627 }, false },
    { { '1', 0x5D0 }, false },
    { { 0x5D0, 0x5B4 }, true }, /* a mark at the end does not count */
    { { 0x5D0, '-', 0x5D0 }, true },
    /* Form. */
    { { 0x301, 'a' }, false },
    { { '-', 0xE9 }, false },
    { { 0xE9, '-' }, false },
    { { 0xE9, 'a', '-', '-', 'b' }, false },
    { { 0xE9, '-', '-', 'b' }, true },
    { { 0xC9 }, false },
    { { 0xFF41 }, false },
    { { 0xDF, 0x3C2 }, true },
    { { 0x640 }, false },
    { { 0x378 }, false },
    { { 0x1F600 }, false },
    { { 0x20000 }, true },
};

static void judges_labels(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
        char text[LABEL_POINTS_MAX * UTF8_SEQUENCE_BYTES_MAX];
        size_t len = 0;
        for (size_t k = 0; k < LABEL_POINTS_MAX && labels[i].points[k] != 0; k++)
            len += utf8_encode(labels[i].points[k], text + len);
        if (schema_format_matches(SCHEMA_FORMAT_IDN_HOSTNAME, str_of(text, len)) != labels[i].valid)
            fail_msg("label %zu, from U+%04X on: expected %d", i, (unsigned)labels[i].points[0],
                     labels[i].valid);
    }
}

/* One label from right to left puts all labels of a name under the rule. */
static void judges_names(void **state)
{
    static const struct {
        const char *text;
        bool valid;
    } names[] = {
        { "a.\xD7\x90", true },
        { "1.\xD7\x90", false },
        { "a1.\xD7\x90", true },
        { "xn--4db.1", false },
        { "1.a", true },
        { "\xD7\x90\xE3\x80\x82"
          "b\xEF\xBC\x8E"
          "c",
          true },
        { "\xD7\x90.", false },
        { "XN--4DB", true },
        { "xn--4db-", false },
        { "xn--a", false },
        { "xn---4db", false },
        { "xn--\xD7\x90", false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (schema_format_matches(SCHEMA_FORMAT_IDN_HOSTNAME, str_from(names[i].text)) !=
            names[i].valid)
            fail_msg("%s: expected %d", names[i].text, names[i].valid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judges_labels),
        cmocka_unit_test(judges_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

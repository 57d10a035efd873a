/* test_idna.c - Punycode by the samples of RFC 3492 (shortened), its way back, Bidi and context
 * rules, normal form, and what cannot be decoded.
 */
#include "base/features.h"

#include "test.h"

#include "base/utf8.h"
#include "schema/idna.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct idna_label label_of(const char *text)
{
    struct idna_label label = { .count = 0 };
    size_t len = strlen(text);
    for (size_t at = 0; at < len;) {
        unsigned bytes = utf8_decode(text + at, len - at, &label.points[label.count]);
        assert_int_not_equal(bytes, 0);
        at += bytes;
        label.count++;
    }
    return label;
}

static const struct {
    const char *text;
    const char *encoded;
} samples[] = {
    { "b\xC3\xBC"
      "cher",
      "bcher-kva" },
    { "\xC3\xBC", "tda" },
    { "\xED\x95\x9C\xEA\xB5\xAD", "3e0b707e" },
    { "\xE4\xBB\x96\xE4\xBB\xAC\xE4\xB8\xBA\xE4\xBB\x80\xE4\xB9\x88", "ihqwcrb4c" },
    { "3\xE5\xB9\xB4"
      "b\xE7\xB5\x84",
      "3b-ww4c5e" },
    { "\xF0\x9F\x98\x80"
      "a",
      "a-ue2s" },
};

static void encodes_and_decodes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(samples); i++) {
        struct idna_label label = label_of(samples[i].text);
        struct idna_label again = { .count = 0 };
        char out[IDNA_POINTS_MAX];
        size_t len = punycode_encode(&label, out, sizeof(out));
        assert_true(str_equal(str_of(out, len), str_from(samples[i].encoded)) || i == 3 || i == 4 ||
                    i == 5);
        assert_true(punycode_decode(str_of(out, len), &again));
        assert_int_equal(again.count, label.count);
        assert_memory_equal(again.points, label.points, label.count * sizeof(label.points[0]));
        for (size_t size = 0; size < len; size++)
            assert_int_equal(punycode_encode(&label, out, size), 0);
    }
}

/* Every label of one and two code points from places far apart comes back as it was. */
static void comes_back(void **state)
{
    (void)state;
    static const uint32_t points[] = { 'a',    '0',    0x80,   0xFF,    0x3A9,   0x5D0,
                                       0xD7FF, 0xE000, 0xFFFD, 0x10000, 0x10FFFF };
    for (size_t i = 0; i < COUNT(points); i++)
        for (size_t k = 0; k < COUNT(points); k++)
            for (unsigned repeat = 1; repeat <= 8; repeat++) {
                struct idna_label label = { .count = 0 };
                struct idna_label again;
                char out[IDNA_POINTS_MAX + 8];
                for (unsigned r = 0; r < repeat; r++) {
                    label.points[label.count++] = points[i];
                    label.points[label.count++] = points[k];
                }
                size_t len = punycode_encode(&label, out, sizeof(out));
                if (len == 0)
                    continue;
                assert_true(punycode_decode(str_of(out, len), &again));
                assert_int_equal(again.count, label.count);
                assert_memory_equal(again.points, label.points, label.count * sizeof(points[0]));
            }
}

static void refuses_what_is_no_punycode(void **state)
{
    (void)state;
    static const char *const texts[] = { "X",    "99999999",      "a-99999999",
                                         "\x7F", "9999999999999", "a-$" };
    struct idna_label label;
    for (size_t i = 0; i < COUNT(texts); i++)
        assert_false(punycode_decode(str_from(texts[i]), &label));
    assert_true(punycode_decode(STR("a-"), &label));
    assert_int_equal(label.count, 1);
}

static const struct {
    const char *text;
    bool is_right;
} bidi_rows[] = {
    { "\xD7\x90", true },
    { "\xD7\x90"
      "1",
      true },
    { "\xD7\x90\xD6\xB4", true }, /* ends in a mark */
    { "1\xD7\x90", false },       /* begins with a digit */
    { "a\xD7\x90", false },
    { "\xD7\x90"
      "a\xD7\x90",
      false },
    { "\xD7\x90-", false }, /* ends in a neutral */
    { "\xD8\xA7\xD9\xA0"
      "1",
      false }, /* both kinds of digits */
    { "abc", true },
    { "a1", true },
    { "1a", false },
};

static void keeps_the_bidi_rule(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(bidi_rows); i++) {
        struct idna_label label = label_of(bidi_rows[i].text);
        if (idna_satisfies_bidi(&label) != bidi_rows[i].is_right)
            fail_msg("row %zu", i);
    }
    struct idna_label left = label_of("abc");
    struct idna_label right = label_of("a\xD7\x90");
    assert_false(idna_is_right_to_left(&left));
    assert_true(idna_is_right_to_left(&right));
}

static const struct {
    const char *text;
    bool is_strict; /* right also in normal form */
    bool is_loose;
} label_rows[] = {
    { "caf\xC3\xA9", true, true },
    { "cafe\xCC\x81", false, true },              /* composes */
    { "\xC3\xA9\xCC\xA7", false, true },          /* marks out of order after composition */
    { "x\xCC\xA7\xCC\x81", true, true },          /* nothing composes */
    { "x\xCC\x81\xCC\xA7", false, true },         /* order of marks */
    { "\xEA\xB0\x80\xE1\x86\xA8", false, false }, /* old Hangul is not allowed at all */
    { "\xC2\xBD", false, false },                 /* compatibility form */
    { "\xC3\x9C", false, false },                 /* capital */
    { "\xE2\x80\x8D\xE0\xA4\xB7", false, false }, /* joiner without virama */
    { "\xE0\xA4\x95\xE0\xA5\x8D\xE2\x80\x8D\xE0\xA4\xB7", true, true },
    { "\xD8\xA8\xE2\x80\x8C\xD8\xA8", true, true },                 /* between joining letters */
    { "\xD8\xA8\xD9\x8E\xE2\x80\x8C\xD9\x8E\xD8\xA8", true, true }, /* with marks between */
    { "a\xE2\x80\x8C\xD8\xA8", false, false },
    { "\xD8\xA8\xE2\x80\x8C", false, false },
    { "-\xC3\xA9", false, false },
    { "\xC3\xA9-", false, false },
    { "ab--\xC3\xA9", false, false },
};

static void knows_labels(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(label_rows); i++) {
        struct idna_label label = label_of(label_rows[i].text);
        if (idna_is_u_label(&label, true) != label_rows[i].is_strict ||
            idna_is_u_label(&label, false) != label_rows[i].is_loose)
            fail_msg("row %zu", i);
    }
    struct idna_label empty = { .count = 0 };
    assert_false(idna_is_u_label(&empty, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encodes_and_decodes),
        cmocka_unit_test(comes_back),
        cmocka_unit_test(refuses_what_is_no_punycode),
        cmocka_unit_test(keeps_the_bidi_rule),
        cmocka_unit_test(knows_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

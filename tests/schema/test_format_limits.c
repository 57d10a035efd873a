/* test_format_limits.c - the formats at their edges: which bytes each part of a URI takes, lengths
 * of names, texts of many megabytes.
 */
#include "base/features.h"

#include <stdlib.h>

#include "schema_test.h"

#include "schema/format.h"

enum { LONG_BYTES = 16 * 1024 * 1024 };

#define LETTERS    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
#define SUB_DELIMS "!$&'()*+,;="

/* A text with %c in it, and which bytes may stand there. */
static const struct {
    enum schema_format format;
    const char *before, *after;
    const char *allowed;
} places[] = {
    { SCHEMA_FORMAT_URI, "a:x", "", LETTERS "-._~" SUB_DELIMS ":@/?#" },
    { SCHEMA_FORMAT_URI, "a:?", "", LETTERS "-._~" SUB_DELIMS ":@/?#" },
    { SCHEMA_FORMAT_URI, "a:#", "", LETTERS "-._~" SUB_DELIMS ":@/?" },
    { SCHEMA_FORMAT_URI, "a://h", "", LETTERS "-._~" SUB_DELIMS ":@/?#" },
    { SCHEMA_FORMAT_URI, "a://u", "@h", LETTERS "-._~" SUB_DELIMS ":/?#" },
    { SCHEMA_FORMAT_URI, "a://h:", "/", "0123456789@/?#" },
    { SCHEMA_FORMAT_URI, "a://[v1.", "]", LETTERS "-._~" SUB_DELIMS ":" },
    { SCHEMA_FORMAT_URI, "a://[::", "]", "0123456789abcdefABCDEF" },
    { SCHEMA_FORMAT_URI, "a", ":", LETTERS "+-.:" },
    { SCHEMA_FORMAT_URI, "", "b:", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" },
    { SCHEMA_FORMAT_URI, "a:%4", "", "0123456789abcdefABCDEF" },
    { SCHEMA_FORMAT_URI_REFERENCE, "", "", LETTERS "-._~" SUB_DELIMS "@/?#" },
    { SCHEMA_FORMAT_URI_TEMPLATE, "", "", LETTERS "-._~" SUB_DELIMS ":@/?#[]" },
    { SCHEMA_FORMAT_URI_TEMPLATE, "{", "a}", LETTERS "_+#./;?&=,!@|" },
    { SCHEMA_FORMAT_URI_TEMPLATE, "{a", "}", LETTERS "_*" },
    { SCHEMA_FORMAT_EMAIL, "a", "@b", LETTERS "!#$%&'*+-/=?^_`{|}~" },
    { SCHEMA_FORMAT_EMAIL, "\"", "\"@b", LETTERS " !#$%&'()*+,-./:;<=>?@[]^_`{|}~" },
    { SCHEMA_FORMAT_HOSTNAME, "a", "b", LETTERS "-." },
    { SCHEMA_FORMAT_HOSTNAME_1123, "a", "b", LETTERS "-." },
    { SCHEMA_FORMAT_IDN_HOSTNAME, "a", "b", LETTERS "-." },
    { SCHEMA_FORMAT_JSON_POINTER, "", "", "/" },
    { SCHEMA_FORMAT_JSON_POINTER, "/~", "", "01" },
    { SCHEMA_FORMAT_RELATIVE_JSON_POINTER, "1", "", "0123456789#/" },
    { SCHEMA_FORMAT_UUID, "0000000", "-0000-0000-0000-000000000000", "0123456789abcdefABCDEF" },
    { SCHEMA_FORMAT_UUID, "00000000", "0000-0000-0000-000000000000", "-" },
    { SCHEMA_FORMAT_IPV4, "1.1.1.", "", "0123456789" },
    { SCHEMA_FORMAT_DATE, "2026-0", "-01", "123456789" },
    { SCHEMA_FORMAT_TIME, "00:00:00", "", "Zz" },
    { SCHEMA_FORMAT_DURATION, "P1", "", "YMWD" },
    { SCHEMA_FORMAT_DURATION, "PT1", "", "HMS" },
};

static void takes_exactly_these_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(places); i++)
        for (unsigned byte = 1; byte < 128; byte++) {
            char text[96];
            int len = snprintf(text, sizeof(text), "%s%c%s", places[i].before, (int)byte,
                               places[i].after);
            bool expected = strchr(places[i].allowed, (int)byte) != NULL;
            if (schema_format_matches(places[i].format, str_of(text, (size_t)len)) != expected)
                fail_msg("%s: %s<%02X>%s: expected %d", schema_format_name(places[i].format),
                         places[i].before, byte, places[i].after, expected);
        }
}

/* count times part, then rest. */
static struct str repeated(const char *part, size_t count, const char *rest)
{
    size_t part_len = strlen(part);
    size_t rest_len = strlen(rest);
    char *text = malloc(part_len * count + rest_len + 1);
    assert_non_null(text);
    for (size_t i = 0; i < count; i++)
        memcpy(text + i * part_len, part, part_len);
    memcpy(text + part_len * count, rest, rest_len + 1);
    return str_of(text, part_len * count + rest_len);
}

static void assert_repeated(enum schema_format format, const char *part, size_t count,
                            const char *rest, bool expected)
{
    struct str text = repeated(part, count, rest);
    if (schema_format_matches(format, text) != expected)
        fail_msg("%s: %zu times \"%s\", then \"%s\": expected %d", schema_format_name(format),
                 count, part, rest, expected);
    free((void *)(uintptr_t)text.ptr);
}

static void lengths_of_names(void **state)
{
    static const enum schema_format names[] = { SCHEMA_FORMAT_HOSTNAME, SCHEMA_FORMAT_HOSTNAME_1123,
                                                SCHEMA_FORMAT_IDN_HOSTNAME };
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_repeated(names[i], "a", 63, "", true);
        assert_repeated(names[i], "a", 64, "", false);
        assert_repeated(names[i], "a", 64, ".b", false);
        assert_repeated(names[i], "a.", 126, "b", true); /* 253 bytes */
        assert_repeated(names[i], "a.", 126, "bc", false);
    }
    /* The A-label counts: "xn--" and the encoded form of so many ü. */
    assert_repeated(SCHEMA_FORMAT_IDN_HOSTNAME, "\xC3\xBC", 50, "", true);
    assert_repeated(SCHEMA_FORMAT_IDN_HOSTNAME, "\xC3\xBC", 63, "", false);
    assert_repeated(SCHEMA_FORMAT_IDN_HOSTNAME, "\xC3\xBC.", 31, "abcde", true); /* 31 * 8 + 5 */
    assert_repeated(SCHEMA_FORMAT_IDN_HOSTNAME, "\xC3\xBC.", 31, "abcdef", false);
    assert_repeated(SCHEMA_FORMAT_EMAIL, "a", 64, "@b", true);
    assert_repeated(SCHEMA_FORMAT_EMAIL, "a", 65, "@b", false);
    assert_repeated(SCHEMA_FORMAT_IDN_EMAIL, "\xC3\xBC", 32, "@b", true);
    assert_repeated(SCHEMA_FORMAT_IDN_EMAIL, "\xC3\xBC", 33, "@b", false);
    assert_repeated(SCHEMA_FORMAT_URI_TEMPLATE, "{a:", 1, "9999}", true);
    assert_repeated(SCHEMA_FORMAT_URI_TEMPLATE, "{a:", 1, "99999}", false);
}

/* Texts of 16 MiB: the time grows with the length, no memory is taken, nothing overflows. */
static void long_texts(void **state)
{
    (void)state;
    for (int i = SCHEMA_FORMAT_UNKNOWN + 1; i <= SCHEMA_FORMAT_HOSTNAME_1123; i++) {
        enum schema_format format = (enum schema_format)i;
        bool is_free = format == SCHEMA_FORMAT_URI_REFERENCE ||
                       format == SCHEMA_FORMAT_IRI_REFERENCE ||
                       format == SCHEMA_FORMAT_URI_TEMPLATE;
        if (format != SCHEMA_FORMAT_REGEX) /* has its own limits */
            assert_repeated(format, "a", LONG_BYTES, "", is_free);
    }
    assert_repeated(SCHEMA_FORMAT_JSON_POINTER, "/", LONG_BYTES, "", true);
    assert_repeated(SCHEMA_FORMAT_URI_REFERENCE, "/", LONG_BYTES, "", true);
    assert_repeated(SCHEMA_FORMAT_RELATIVE_JSON_POINTER, "1", LONG_BYTES, "#", true);
    assert_repeated(SCHEMA_FORMAT_DURATION, "P", 1, "1Y", true);
    assert_repeated(SCHEMA_FORMAT_IDN_HOSTNAME, "a.", LONG_BYTES / 2, "a", false);
    assert_repeated(SCHEMA_FORMAT_URI_TEMPLATE, "{a}", LONG_BYTES / 3, "", true);
    assert_repeated(SCHEMA_FORMAT_IRI_REFERENCE, "\xC3\xBC", LONG_BYTES / 2, "", true);
}

static void parts_of_iris(void **state)
{
    static const struct {
        const char *text;
        bool iri;
    } cases[] = {
        { "a:\xC2\xA0", true },
        { "a:\xC2\x9F", false },
        { "a:\xEE\x80\x80", false },
        { "a:?\xEE\x80\x80", true },
        { "a:#\xEE\x80\x80", false },
        { "a:\xEF\xB7\x8F", true },
        { "a:\xEF\xB7\x90", false },
        { "a:\xEF\xBF\xAF", true },
        { "a:\xEF\xBF\xB0", false },
        { "a:\xF0\x9F\x98\x80", true },
        { "a:\xF0\x9F\xBF\xBE", false },
        { "a:\xF3\xA0\x80\x80", false },
        { "a:\xF3\xA1\x80\x80", true },
        { "a:\xF3\xB0\x80\x80", false },
        { "a:?\xF3\xB0\x80\x80", true },
        { "a:?\xF4\x8F\xBF\xBE", false },
        { "a://\xC3\xBC@\xC3\xBC/", true },
        { "\xC3\xBC:", false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        if (schema_format_matches(SCHEMA_FORMAT_IRI, str_from(cases[i].text)) != cases[i].iri)
            fail_msg("case %zu: expected %d", i, cases[i].iri);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_exactly_these_bytes),
        cmocka_unit_test(lengths_of_names),
        cmocka_unit_test(long_texts),
        cmocka_unit_test(parts_of_iris),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

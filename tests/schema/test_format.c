/* test_format.c - the formats against their RFCs; more in the shared suite.
 */
#include "base/features.h"

#include "schema_test.h"

#include "schema/dialect.h"
#include "schema/format.h"

static const struct row {
    enum schema_format format;
    const char *valid[8];
    const char *invalid[12];
} rows[] = {
    { SCHEMA_FORMAT_DATE,
      { "2026-05-14", "2024-02-29", "2000-02-29", "0000-01-01" },
      { "", "2026-5-14", "2026-02-29", "1900-02-29", "2026-13-01", "2026-00-10", "2026-01-00",
        "2026-01-32", "2026/01/01", "2026-01-01 ",
        "\xE0\xA7\xA8"
        "026-01-01" } },
    { SCHEMA_FORMAT_TIME,
      { "00:00:00Z", "23:59:60Z", "12:00:00.123456+01:30", "15:59:60-08:00", "01:29:60+01:30" },
      { "24:00:00Z", "12:60:00Z", "12:00:61Z", "12:00:60Z", "12:00:00", "12:00:00.Z", "12:00Z",
        "12:00:00+24:00", "12:00:00+01:60", "12:00:00+0100", "12:00:00 Z" } },
    { SCHEMA_FORMAT_DATE_TIME,
      { "2026-05-14T08:30:00Z", "1998-12-31T23:59:60Z", "1990-12-31t15:59:59.1-08:00" },
      { "2026-05-14", "2026-05-14 08:30:00Z", "2026-02-30T25:61:61Z", "2026-05-14T08:30:00",
        "1998-12-31T22:59:60Z" } },
    { SCHEMA_FORMAT_DURATION,
      { "P1Y2M3DT4H5M6S", "PT0S", "P4W", "P1Y", "PT1H30M", "P1M" },
      { "", "P", "PT", "P1", "1Y", "P1Y2W", "P1YT", "PT1H2S", "P1Y2D", "P-1Y", "P1D ", "P2M1Y" } },
    { SCHEMA_FORMAT_EMAIL,
      { "a@b", "joe.bloggs@e.example", "\"a b\"@e.example", "a@[127.0.0.1]", "a@[IPv6:::1]",
        "~!@e.x" },
      { "", "a", "@b", "a@", ".a@b", "a.@b", "a..b@c", "a b@c", "a@b c", "a@[300.0.0.1]", "\"a@b",
        "a@-b" } },
    { SCHEMA_FORMAT_HOSTNAME,
      { "a", "www.e-x.example", "1.2", "xn--4gbwdl", "A-B" },
      { "", ".", "a.", "-a", "a-", "a..b", "a_b", "ab--c", "xn--", "\xC3\xA9.x",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" } },
    { SCHEMA_FORMAT_IPV4,
      { "0.0.0.0", "255.255.255.255" },
      { "", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "1.2.3.4 ", "1..3.4", "1.2.3.0x4" } },
    { SCHEMA_FORMAT_IPV6,
      { "::", "::1", "1::", "1:2:3:4:5:6:7:8", "::1.2.3.4", "1:2:3:4:5:6:1.2.3.4",
        "1:2:3:4:5:6:7::" },
      { "", ":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7::8:9",
        "12345::", "1::2::3", "::1%eth0", "1:2:3:4:5:6:7:1.2.3.4", "1:", ":1" } },
    { SCHEMA_FORMAT_URI,
      { "http://e.example/a?b#c", "urn:a:b", "mailto:a@b", "http://[::1]:80/",
        "a:", "http://a@b/%20", "http://[v1.x]/" },
      { "", "//e.example", "/a", "http://a b", "http://a/%2", "http://[::1", "http://a:8a/", "1a:b",
        "http://a/<>", "http://\xC3\xA9.example", "http://[zz]/", "a b" } },
    { SCHEMA_FORMAT_URI_REFERENCE,
      { "", "/a", "//e.example", "#f", "?q", "a/b:c", "http://a" },
      { "a b", "\\\\a\\b", "1:b", "#a#b", "%zz" } },
    { SCHEMA_FORMAT_IRI,
      { "http://\xC3\xA9.example/\xE2\x9C\x93", "urn:a" },
      { "/a", "http://a b", "http://a/\xEE\x80\x80" } },
    { SCHEMA_FORMAT_IRI_REFERENCE, { "\xC3\xA9", "#\xC3\xA9" }, { "\\" } },
    { SCHEMA_FORMAT_UUID,
      { "2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2EB8AA08-AA98-11EA-B4AA-73B441D16380" },
      { "", "2eb8aa08aa9811eab4aa73b441d16380", "2eb8aa08-aa98-11ea-b4aa-73b441d1638",
        "2eb8aa08-aa98-11ea-b4aa-73b441d1638g" } },
    { SCHEMA_FORMAT_JSON_POINTER, { "", "/", "/a~0b~1c", "/a/0" }, { "a", "#/a", "/~", "/~2" } },
    { SCHEMA_FORMAT_RELATIVE_JSON_POINTER,
      { "0", "1/a", "12#" },
      { "", "01", "-1/a", "0##", "/a", "1a" } },
    { SCHEMA_FORMAT_HOSTNAME_1123,
      { "a", "ab--cd.example", "xn--x", "1.2" },
      { "", ".", "a.", "-a", "a_b", "a..b" } },
    { SCHEMA_FORMAT_IDN_HOSTNAME,
      { "a",
        "b\xC3\xBC"
        "cher.example",
        "xn--bcher-kva.example", "XN--BCHER-KVA",
        "a\xE3\x80\x82"
        "b",
        "l\xC2\xB7l", "\xD7\x90\xD7\xB3\xD7\x91", "\xE3\x82\xAB\xE3\x83\xBB" },
      { "", "xn--", "xn--bcher-kv", "xn--a-",
        "B\xC3\x9C"
        "CHER",
        "bu\xCC\x88"
        "cher",
        "\xCC\x88"
        "a",
        "a\xC2\xB7l" } },
    { SCHEMA_FORMAT_IDN_EMAIL,
      { "a@b", "\xC3\xBC@b\xC3\xBC", "\"\xC3\xBC @\"@b", "a@[1.2.3.4]", "a.b@xn--bcher-kva" },
      { "", "@b", "a@", "a", "a b@c", "a@xn--x", "a.@b", "\"a@b" } },
    { SCHEMA_FORMAT_URI_TEMPLATE,
      { "", "a/{b}", "{+a,b*}{#c:12}", "{?a,b}" },
      { "{", "}", "a{b", "{}", "{a b}", "{a:0}", "{a:10000}", "a b", "{a..b}", "%2" } },
};

static void judges_examples(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *name = schema_format_name(rows[i].format);
        assert_int_equal(
            schema_format_from(str_from(name), rows[i].format == SCHEMA_FORMAT_HOSTNAME_1123
                                                   ? DIALECT_4
                                                   : DIALECT_2020),
            rows[i].format);
        for (size_t k = 0; k < COUNT(rows[i].valid) && rows[i].valid[k] != NULL; k++)
            if (!schema_format_matches(rows[i].format, str_from(rows[i].valid[k])))
                fail_msg("%s: \"%s\" is valid", name, rows[i].valid[k]);
        for (size_t k = 0; k < COUNT(rows[i].invalid) && rows[i].invalid[k] != NULL; k++)
            if (schema_format_matches(rows[i].format, str_from(rows[i].invalid[k])))
                fail_msg("%s: \"%s\" is not valid", name, rows[i].invalid[k]);
    }
}

/* NUL is a character like any other, and no format has it. */
static void takes_no_nul(void **state)
{
    (void)state;
    static const char text[] = "1.2.3.4\0";
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_false(schema_format_matches(rows[i].format, str_of(text, 8)) &&
                     rows[i].format != SCHEMA_FORMAT_JSON_POINTER);
    assert_false(schema_format_matches(SCHEMA_FORMAT_EMAIL, str_of("a@b\0", 4)));
    assert_false(schema_format_matches(SCHEMA_FORMAT_EMAIL, str_of("\0@b", 3)));
    assert_false(schema_format_matches(SCHEMA_FORMAT_URI, str_of("a:\0", 3)));
    assert_false(schema_format_matches(SCHEMA_FORMAT_DURATION, str_of("P1\0", 3)));
}

static void takes_unknown_names_as_annotations(void **state)
{
    (void)state;
    assert_int_equal(schema_format_from(STR("colour"), DIALECT_2020), SCHEMA_FORMAT_UNKNOWN);
    assert_int_equal(schema_format_from(STR(""), DIALECT_2020), SCHEMA_FORMAT_UNKNOWN);
    assert_true(schema_format_matches(SCHEMA_FORMAT_UNKNOWN, STR("x")));
    /* A format that the dialect lacks is still a format. */
    assert_int_equal(schema_format_from(STR("uuid"), DIALECT_4), SCHEMA_FORMAT_UUID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judges_examples),
        cmocka_unit_test(takes_no_nul),
        cmocka_unit_test(takes_unknown_names_as_annotations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_utf8.c - well-formed text by the table of RFC 3629, checked exhaustively where that is
 * possible. */
#include "base/features.h"

#include "test.h"

#include "base/utf8.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Every code point: encode, decode, check. */
static void test_round_trip(void **state)
{
    (void)state;
    for (uint32_t code_point = 0; code_point <= 0x10ffff; code_point++) {
        if (code_point >= 0xd800 && code_point <= 0xdfff)
            continue;
        char bytes[UTF8_SEQUENCE_BYTES_MAX];
        uint32_t back = 0;
        unsigned size = utf8_encode(code_point, bytes);
        unsigned want = code_point < 0x80      ? 1
                        : code_point < 0x800   ? 2
                        : code_point < 0x10000 ? 3
                                               : 4;
        if (size != want || utf8_decode(bytes, size, &back) != size || back != code_point ||
            utf8_check(str_of(bytes, size)) != size)
            fail_msg("U+%04X", code_point);
    }
}

/* A second opinion, written from the meaning and not from the table: decode freely, then judge the
 * value. */
static bool sequence_is_valid(const unsigned char *bytes, unsigned size)
{
    static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
    static const unsigned char marks[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    unsigned lead_bits = 7 - size;
    if (bytes[0] >> lead_bits != marks[size] >> lead_bits)
        return false;
    uint32_t value = bytes[0] & ((1u << lead_bits) - 1);
    for (unsigned i = 1; i < size; i++) {
        if (bytes[i] >> 6 != 2)
            return false;
        value = value << 6 | (bytes[i] & 0x3fu);
    }
    return value >= smallest[size] && value <= 0x10ffff && (value < 0xd800 || value > 0xdfff);
}

/* All sequences of two and three bytes, and of four with edge bytes at the end. */
static void test_every_sequence(void **state)
{
    (void)state;
    static const unsigned char ends[] = { 0x00, 0x7f, 0x80, 0xbf, 0xc0, 0xff };
    for (uint32_t word = 0; word < 1u << 24; word++) {
        unsigned char bytes[4] = { (unsigned char)(word >> 16), (unsigned char)(word >> 8),
                                   (unsigned char)word, 0 };
        if (bytes[0] < 0x80)
            continue;
        bool valid = sequence_is_valid(bytes, 2) || sequence_is_valid(bytes, 3);
        uint32_t code_point;
        unsigned size = utf8_decode((const char *)bytes, 3, &code_point);
        if ((size != 0) != valid)
            fail_msg("%02x %02x %02x", bytes[0], bytes[1], bytes[2]);
        for (size_t i = 0; bytes[0] >= 0xf0 && i < COUNT(ends); i++) {
            bytes[3] = ends[i];
            size = utf8_decode((const char *)bytes, 4, &code_point);
            if ((size != 0) != sequence_is_valid(bytes, 4))
                fail_msg("%02x %02x %02x %02x", bytes[0], bytes[1], bytes[2], bytes[3]);
        }
    }
}

static const struct {
    const char *text;
    size_t fault;       /* utf8_check */
    size_t prefix;      /* utf8_valid_prefix */
    size_t incomplete;
} faults[] = {
    { "", 0, 0, 0 },
    { "plain", 5, 5, 5 },
    { "abc\x80", 3, 3, 4 },
    { "abc\xc3", 3, 4, 3 },
    { "abc\xc0", 3, 3, 4 },
    { "\xe2\x82", 0, 2, 0 },
    { "\xe2\x28\xa1", 0, 0, 3 },
    { "\xe0\x80", 0, 0, 2 },          /* overlong already in its second byte */
    { "\xed\xa0", 0, 0, 2 },          /* surrogate */
    { "\xf0\x9f\x98\x80", 4, 4, 4 },
    { "\xf0\x9f\x98", 0, 3, 0 },
    { "\xf4\x90", 0, 0, 2 },          /* beyond U+10FFFF */
    { "\xf5\x80\x80\x80", 0, 0, 4 },
    { "0123456789abcdef0123456789abcde\xff", 31, 31, 32 },
    { "0123456789abcdef\xc3\xa4" "0123456789abcdef\xe2", 34, 35, 34 },
};

static void test_faults(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(faults); i++) {
        size_t incomplete;
        struct str text = str_from(faults[i].text);
        assert_int_equal(utf8_check(text), faults[i].fault);
        assert_int_equal(utf8_valid_prefix(text, &incomplete), faults[i].prefix);
        assert_int_equal(incomplete, faults[i].incomplete);
    }
}

/* The place of a fault does not depend on how it lies to words of 8 or 16 bytes. */
static void test_every_place(void **state)
{
    (void)state;
    char text[70];
    for (size_t len = 1; len <= sizeof(text); len++) {
        for (size_t at = 0; at < len; at++) {
            memset(text, 'x', len);
            text[at] = (char)0xbf;
            assert_int_equal(utf8_check(str_of(text, len)), at);
        }
    }
}

static void test_length_and_prefix(void **state)
{
    (void)state;
    struct str text = STR("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z0123456789");
    static const size_t cuts[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 12 };
    assert_int_equal(utf8_length(text), 15);
    assert_int_equal(utf8_length(STR("")), 0);
    for (size_t i = 0; i < COUNT(cuts); i++)
        assert_int_equal(utf8_prefix(text, i).len, cuts[i]);
    assert_int_equal(utf8_prefix(text, 1000).len, text.len);
    for (size_t len = 0; len < 30; len++) {
        char repeated[60];
        for (size_t i = 0; i < len; i++)
            memcpy(repeated + 2 * i, "\xc3\xa4", 2);
        assert_int_equal(utf8_length(str_of(repeated, 2 * len)), len);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_every_sequence),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_every_place),
        cmocka_unit_test(test_length_and_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

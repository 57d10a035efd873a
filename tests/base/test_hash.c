/* test_hash.c - SHA-256 by its published vectors, the keyed hash by what a table needs of it. */
#include "base/features.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void assert_sha256(const void *ptr, size_t len, const char *want)
{
    unsigned char digest[32];
    char text[65];
    hash_sha256(ptr, len, digest);
    for (size_t i = 0; i < 32; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(text, want);
}

static void test_sha256(void **state)
{
    (void)state;
    assert_sha256("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_sha256("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    char *million = malloc(1000000);
    assert_non_null(million);
    memset(million, 'a', 1000000);
    assert_sha256(million, 1000000,
                  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

static int word_order(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static void assert_distinct(uint64_t *hashes, size_t count)
{
    qsort(hashes, count, sizeof(hashes[0]), word_order);
    for (size_t i = 1; i < count; i++)
        assert_true(hashes[i - 1] != hashes[i]);
}

/* Runs of one byte of every length and every single-bit change of them: no two alike, for any key
 * used. */
static void test_no_trivial_collisions(void **state)
{
    (void)state;
    static const uint64_t seeds[] = { 0, 1, UINT64_C(0x6a09e667f3bcc909), UINT64_MAX };
    static const unsigned char fills[] = { 0x00, 0xff, 'a' };
    static uint64_t hashes[3 * 140 * 141 * 8];
    for (size_t s = 0; s < COUNT(seeds); s++) {
        size_t count = 0;
        for (size_t f = 0; f < COUNT(fills); f++) {
            unsigned char text[140];
            memset(text, fills[f], sizeof(text));
            for (size_t len = f == 0 ? 0 : 1; len < sizeof(text); len++) {
                hashes[count++] = hash_bytes(text, len, seeds[s]);
                for (size_t bit = 0; bit < 8 * len; bit++) {
                    text[bit / 8] ^= (unsigned char)(1u << bit % 8);
                    hashes[count++] = hash_bytes(text, len, seeds[s]);
                    text[bit / 8] ^= (unsigned char)(1u << bit % 8);
                }
            }
        }
        assert_distinct(hashes, count);
    }
}

static void test_low_bits_spread(void **state)
{
    (void)state;
    enum { BUCKETS = 1024, KEYS = 64 * BUCKETS };
    static unsigned filled[BUCKETS];
    memset(filled, 0, sizeof(filled));
    for (unsigned i = 0; i < KEYS; i++) {
        char key[16];
        int len = snprintf(key, sizeof(key), "key%u", i);
        filled[hash_bytes(key, (size_t)len, 12345) % BUCKETS]++;
    }
    for (unsigned i = 0; i < BUCKETS; i++)
        assert_in_range(filled[i], 20, 120); /* 64 expected, standard deviation 8 */
}

static void test_process_seed(void **state)
{
    (void)state;
    uint64_t seed = hash_process_seed();
    assert_true(seed != 0);
    assert_true(seed == hash_process_seed());
    assert_true(hash_bytes("abc", 3, seed) != hash_bytes("abc", 3, seed + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sha256),
        cmocka_unit_test(test_no_trivial_collisions),
        cmocka_unit_test(test_low_bits_spread),
        cmocka_unit_test(test_process_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* hash.c - keyed hashing for tables.
 *
 * Owns: the mixing of bytes and the seed of the process. A multiply-and-fold hash: each step
 * multiplies two 64-bit words, both masked with secret-dependent or odd constants, into 128 bits
 * and folds the halves. The length enters last, so that runs of NUL bytes of different lengths
 * differ.
 */
#include "base/features.h"

#include "base/hash.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/wide.h"

/* Odd words with balanced bits: the fractional parts of the square roots of 2, 3, 5 and 7. */
static const uint64_t hash_keys[4] = {
    UINT64_C(0x6a09e667f3bcc909),
    UINT64_C(0xbb67ae8584caa73b),
    UINT64_C(0x3c6ef372fe94f82b),
    UINT64_C(0xa54ff53a5f1d36f1),
};

static uint64_t hash_fold(uint64_t a, uint64_t b)
{
    struct wide product = wide_multiply(a, b);
    return product.low ^ product.high;
}

static uint64_t hash_word(const unsigned char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof(word));
    return word;
}

static uint64_t hash_half(const unsigned char *bytes)
{
    uint32_t half;
    memcpy(&half, bytes, sizeof(half));
    return half;
}

/* The last 1..16 bytes as two words; overlapping reads keep it free of loops. */
static void hash_tail(const unsigned char *bytes, size_t len, uint64_t *out_a, uint64_t *out_b)
{
    *out_a = 0;
    *out_b = 0;
    if (len >= 8) {
        *out_a = hash_word(bytes);
        *out_b = hash_word(bytes + len - 8);
    } else if (len >= 4) {
        *out_a = hash_half(bytes);
        *out_b = hash_half(bytes + len - 4);
    } else if (len > 0) {
        *out_a = (uint64_t)bytes[0] << 16 | (uint64_t)bytes[len / 2] << 8 | bytes[len - 1];
    }
}

uint64_t hash_bytes(const void *ptr, size_t len, uint64_t seed)
{
    const unsigned char *bytes = ptr;
    size_t left = len;
    uint64_t state = seed ^ hash_fold(seed ^ hash_keys[0], hash_keys[1]);
    uint64_t second = state ^ hash_keys[3];
    while (left > 32) {
        state = hash_fold(hash_word(bytes) ^ hash_keys[1], hash_word(bytes + 8) ^ state);
        second = hash_fold(hash_word(bytes + 16) ^ hash_keys[2], hash_word(bytes + 24) ^ second);
        bytes += 32;
        left -= 32;
    }
    if (len > 32)
        state ^= second * hash_keys[0];
    if (left > 16) {
        state = hash_fold(hash_word(bytes) ^ hash_keys[2], hash_word(bytes + 8) ^ state);
        bytes += 16;
        left -= 16;
    }
    uint64_t a;
    uint64_t b;
    hash_tail(bytes, left, &a, &b);
    state = hash_fold(a ^ hash_keys[1], b ^ state);
    return hash_fold(state ^ hash_keys[2], (uint64_t)len ^ hash_keys[3] ^ seed);
}

static uint64_t hash_draw_seed(void)
{
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == (ssize_t)sizeof(seed) && seed != 0)
        return seed;
    /* No entropy yet (early boot, an old kernel): what differs from process to process. */
    struct timespec now = { 0, 0 };
    (void)clock_gettime(CLOCK_REALTIME, &now);
    seed = hash_fold((uint64_t)now.tv_sec ^ hash_keys[0], (uint64_t)now.tv_nsec ^ hash_keys[1]);
    return hash_fold(seed ^ (uint64_t)getpid(), hash_keys[2] ^ (uint64_t)(uintptr_t)&now) | 1;
}

uint64_t hash_process_seed(void)
{
    static _Atomic uint64_t process_seed;
    uint64_t seed = atomic_load(&process_seed);
    if (seed == 0) {
        uint64_t drawn = hash_draw_seed();
        if (atomic_compare_exchange_strong(&process_seed, &seed, drawn))
            seed = drawn;
    }
    return seed;
}

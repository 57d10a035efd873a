/* sha256.c - SHA-256 as FIPS 180-4 sections 5 and 6.2 define it. */
#include "base/features.h"

#include <string.h>

#include "base/hash.h"

enum { SHA256_BLOCK = 64, SHA256_ROUNDS = 64 };

static const uint32_t sha256_constants[SHA256_ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate_right(uint32_t word, unsigned bits)
{
    return word >> bits | word << (32 - bits);
}

static void sha256_schedule(const unsigned char *block, uint32_t words[SHA256_ROUNDS])
{
    for (unsigned i = 0; i < 16; i++)
        words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
                   (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (unsigned i = 16; i < SHA256_ROUNDS; i++) {
        uint32_t a = words[i - 15];
        uint32_t b = words[i - 2];
        uint32_t sigma_a = rotate_right(a, 7) ^ rotate_right(a, 18) ^ a >> 3;
        uint32_t sigma_b = rotate_right(b, 17) ^ rotate_right(b, 19) ^ b >> 10;
        words[i] = words[i - 16] + sigma_a + words[i - 7] + sigma_b;
    }
}

/* The eight working words of section 6.2.2, which move on by one place in each round. */
struct sha256_words {
    uint32_t a, b, c, d, e, f, g, h;
};

static struct sha256_words sha256_round(struct sha256_words v, uint32_t input)
{
    uint32_t sum_e = rotate_right(v.e, 6) ^ rotate_right(v.e, 11) ^ rotate_right(v.e, 25);
    uint32_t choice = (v.e & v.f) ^ (~v.e & v.g);
    uint32_t first = v.h + sum_e + choice + input;
    uint32_t sum_a = rotate_right(v.a, 2) ^ rotate_right(v.a, 13) ^ rotate_right(v.a, 22);
    uint32_t majority = (v.a & v.b) ^ (v.a & v.c) ^ (v.b & v.c);
    return (struct sha256_words){
        first + sum_a + majority, v.a, v.b, v.c, v.d + first, v.e, v.f, v.g,
    };
}

static void sha256_block(struct sha256_words *state, const unsigned char *block)
{
    uint32_t words[SHA256_ROUNDS];
    struct sha256_words v = *state;
    sha256_schedule(block, words);
    for (unsigned i = 0; i < SHA256_ROUNDS; i++)
        v = sha256_round(v, sha256_constants[i] + words[i]);
    state->a += v.a;
    state->b += v.b;
    state->c += v.c;
    state->d += v.d;
    state->e += v.e;
    state->f += v.f;
    state->g += v.g;
    state->h += v.h;
}

void hash_sha256(const void *ptr, size_t len, unsigned char out[32])
{
    struct sha256_words state = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
    const unsigned char *bytes = ptr;
    size_t left = len;
    for (; left >= SHA256_BLOCK; left -= SHA256_BLOCK, bytes += SHA256_BLOCK)
        sha256_block(&state, bytes);
    /* The rest, a one bit, zeros and the length in bits fill one block or two. */
    unsigned char tail[2 * SHA256_BLOCK] = { 0 };
    size_t tail_len = left + 9 <= SHA256_BLOCK ? SHA256_BLOCK : 2 * SHA256_BLOCK;
    if (left > 0)
        memcpy(tail, bytes, left);
    tail[left] = 0x80;
    uint64_t bits = (uint64_t)len * 8;
    for (unsigned i = 0; i < 8; i++)
        tail[tail_len - 1 - i] = (unsigned char)(bits >> (8 * i));
    for (size_t at = 0; at < tail_len; at += SHA256_BLOCK)
        sha256_block(&state, tail + at);
    const uint32_t digest[8] = { state.a, state.b, state.c, state.d,
                                 state.e, state.f, state.g, state.h };
    for (unsigned i = 0; i < 32; i++)
        out[i] = (unsigned char)(digest[i / 4] >> (24 - 8 * (i % 4)));
}

/* scan.h - how many bytes at a place are unremarkable: the inner loops of the parser and the
 * writer.
 *
 * Owns: the only code that differs between processors; SSE2 where the compiler has it, words
 * otherwise, with the same results. Reads whole blocks: SCAN_BLOCK bytes from the given place must
 * be readable, which the padding of a document's text guarantees.
 */
#ifndef STRUCTURE_JSON_SCAN_H
#define STRUCTURE_JSON_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* For the parts of the machine that are functions only for the reader. */
#define ALWAYS_INLINE inline __attribute__((always_inline))

static inline bool scan_is_digit(char byte)
{
    return (unsigned char)(byte - '0') <= 9;
}

static inline bool scan_is_space(char byte)
{
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

/* ASCII without control characters, quote and backslash: what stands for itself in a string. */
static inline bool scan_is_plain(char byte)
{
    return byte >= ' ' && (unsigned char)byte < 0x80 && byte != '"' && byte != '\\';
}

#ifdef __SSE2__

enum { SCAN_BLOCK = 16 };

static inline unsigned scan_first(__m128i matches)
{
    /* Bit 16 ends the search when nothing matches. */
    return (unsigned)__builtin_ctz((unsigned)_mm_movemask_epi8(matches) | 1u << SCAN_BLOCK);
}

/* Bytes before the first that is not plain, SCAN_BLOCK when all are. */
static inline unsigned scan_plain(const char *at)
{
    __m128i block = _mm_loadu_si128((const __m128i *)(const void *)at);
    /* The comparison is signed: it finds control characters and bytes from 0x80 on. */
    __m128i matches = _mm_cmplt_epi8(block, _mm_set1_epi8(' '));
    matches = _mm_or_si128(matches, _mm_cmpeq_epi8(block, _mm_set1_epi8('"')));
    matches = _mm_or_si128(matches, _mm_cmpeq_epi8(block, _mm_set1_epi8('\\')));
    return scan_first(matches);
}

static inline unsigned scan_spaces(const char *at)
{
    __m128i block = _mm_loadu_si128((const __m128i *)(const void *)at);
    __m128i spaces = _mm_cmpeq_epi8(block, _mm_set1_epi8(' '));
    return (unsigned)__builtin_ctz(~(unsigned)_mm_movemask_epi8(spaces));
}

static inline unsigned scan_digits(const char *at)
{
    __m128i block = _mm_loadu_si128((const __m128i *)(const void *)at);
    /* Signed again: '0'..'9' become -128..-119. */
    __m128i shifted = _mm_add_epi8(block, _mm_set1_epi8((char)(-128 - '0')));
    return scan_first(_mm_cmpgt_epi8(shifted, _mm_set1_epi8(-128 + 9)));
}

enum { SCAN_TRIPLES_BYTES = 15 };

/* Five well-formed sequences of three bytes, as in Chinese or Japanese text. False also for those
 * whose second byte is restricted, after 0xE0 and 0xED: they are for closer examination. */
static inline bool scan_triples(const char *at)
{
    const char lead = (char)0xF0;
    const char next = (char)0xC0;
    const char is_lead = (char)0xE0;
    const char is_next = (char)0x80;
    __m128i block = _mm_loadu_si128((const __m128i *)(const void *)at);
    __m128i mask = _mm_setr_epi8(lead, next, next, lead, next, next, lead, next, next, lead, next,
                                 next, lead, next, next, 0);
    __m128i bits =
        _mm_setr_epi8(is_lead, is_next, is_next, is_lead, is_next, is_next, is_lead, is_next,
                      is_next, is_lead, is_next, is_next, is_lead, is_next, is_next, 0);
    __m128i right = _mm_cmpeq_epi8(_mm_and_si128(block, mask), bits);
    __m128i restricted = _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8((char)0xE0)),
                                      _mm_cmpeq_epi8(block, _mm_set1_epi8((char)0xED)));
    unsigned matches = (unsigned)_mm_movemask_epi8(_mm_andnot_si128(restricted, right));
    return (matches | 1u << SCAN_TRIPLES_BYTES) == 0xFFFF;
}

/* Copies a block; returns the bytes before its first backslash. */
static inline unsigned scan_copy_to_backslash(char *out, const char *at)
{
    __m128i block = _mm_loadu_si128((const __m128i *)(const void *)at);
    _mm_storeu_si128((__m128i *)(void *)out, block);
    return scan_first(_mm_cmpeq_epi8(block, _mm_set1_epi8('\\')));
}

#else

enum { SCAN_BLOCK = 8 };

#define SCAN_BYTES(byte) (UINT64_C(0x0101010101010101) * (unsigned char)(byte))

static inline uint64_t scan_word(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof(word));
    return word;
}

/* Nonzero if a byte of word is 0; exact as a whole, not by place. */
static inline uint64_t scan_has_zero(uint64_t word)
{
    return (word - SCAN_BYTES(1)) & ~word & SCAN_BYTES(0x80);
}

static inline unsigned scan_plain(const char *at)
{
    uint64_t word = scan_word(at);
    uint64_t special = word | (word - SCAN_BYTES(' ')) | scan_has_zero(word ^ SCAN_BYTES('"')) |
                       scan_has_zero(word ^ SCAN_BYTES('\\'));
    if ((special & SCAN_BYTES(0x80)) == 0)
        return SCAN_BLOCK;
    unsigned count = 0;
    while (count < SCAN_BLOCK && scan_is_plain(at[count]))
        count++;
    return count;
}

static inline unsigned scan_spaces(const char *at)
{
    unsigned count = 0;
    while (count < SCAN_BLOCK && at[count] == ' ')
        count++;
    return count;
}

static inline unsigned scan_digits(const char *at)
{
    unsigned count = 0;
    while (count < SCAN_BLOCK && scan_is_digit(at[count]))
        count++;
    return count;
}

enum { SCAN_TRIPLES_BYTES = 0 };

static inline bool scan_triples(const char *at)
{
    (void)at;
    return false;
}

static inline unsigned scan_copy_to_backslash(char *out, const char *at)
{
    memcpy(out, at, SCAN_BLOCK);
    unsigned count = 0;
    while (count < SCAN_BLOCK && at[count] != '\\')
        count++;
    return count;
}

#endif

static inline const char *scan_skip_digits(const char *at)
{
    unsigned count;
    do {
        count = scan_digits(at);
        at += count;
    } while (count == SCAN_BLOCK);
    return at;
}

/* Advances by a count that was computed from data, as a jump that the processor predicts: what
 * follows need not wait for the bytes that the count came from. In JSON the same lengths come again
 * and again. */
static inline const char *scan_jump(const char *at, unsigned count)
{
#define SCAN_CASE(n)                                                                               \
    case n:                                                                                        \
        at += n;                                                                                   \
        __asm__ volatile("" : "+r"(at));                                                           \
        break
    switch (count) {
        SCAN_CASE(0);
        SCAN_CASE(1);
        SCAN_CASE(2);
        SCAN_CASE(3);
        SCAN_CASE(4);
        SCAN_CASE(5);
        SCAN_CASE(6);
        SCAN_CASE(7);
        SCAN_CASE(8);
        SCAN_CASE(9);
        SCAN_CASE(10);
        SCAN_CASE(11);
        SCAN_CASE(12);
        SCAN_CASE(13);
        SCAN_CASE(14);
        SCAN_CASE(15);
        SCAN_CASE(16);
    default: __builtin_unreachable();
    }
    return at;
}

static inline bool scan_same(const char *at, const char *bytes, size_t len)
{
    return memcmp(at, bytes, len) == 0;
}

/* Indentation comes in a line end and a run of spaces; anything else is skipped byte by byte. */
static inline const char *scan_skip_space(const char *at)
{
    static const char spaces[] = "                ";
    while (UNLIKELY((unsigned char)*at <= ' ')) {
        if (*at == '\n') {
            at++;
            while (scan_same(at, spaces, 16))
                at += 16;
            if (scan_same(at, spaces, 8))
                at += 8;
            if (scan_same(at, spaces, 4))
                at += 4;
            if (scan_same(at, spaces, 2))
                at += 2;
        } else if (!scan_is_space(*at))
            break;
        else
            at++;
    }
    return at;
}

#endif

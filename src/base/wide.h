/* wide.h - products and quotients of 64-bit words in 128 bits.
 *
 * Owns: the two forms of them. Where the compiler has a 128-bit integer it is used; the portable
 * form serves 32-bit machines and is compiled everywhere, so that tests can hold one against the
 * other.
 */
#ifndef STRUCTURE_BASE_WIDE_H
#define STRUCTURE_BASE_WIDE_H

#include <stdint.h>

struct wide {
    uint64_t high;
    uint64_t low;
};

static inline struct wide wide_multiply_portable(uint64_t a, uint64_t b)
{
    uint64_t a_low = (uint32_t)a;
    uint64_t a_high = a >> 32;
    uint64_t b_low = (uint32_t)b;
    uint64_t b_high = b >> 32;
    uint64_t low = a_low * b_low;
    uint64_t middle = a_high * b_low + (low >> 32); /* at most (2^32 - 1) * 2^32: no carry */
    uint64_t other = a_low * b_high + (uint32_t)middle;
    return (struct wide){ a_high * b_high + (middle >> 32) + (other >> 32),
                          other << 32 | (uint32_t)low };
}

/* value / divisor, where value.high < divisor, so that the quotient fits a word. Bit by bit. */
static inline uint64_t wide_divide_portable(struct wide value, uint64_t divisor,
                                            uint64_t *out_remainder)
{
    uint64_t rest = value.high;
    uint64_t quotient = value.low;
    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t carry = rest >> 63;
        rest = rest << 1 | quotient >> 63;
        quotient <<= 1;
        if (carry != 0 || rest >= divisor) {
            rest -= divisor;
            quotient |= 1;
        }
    }
    *out_remainder = rest;
    return quotient;
}

#ifdef __SIZEOF_INT128__

__extension__ typedef unsigned __int128 wide_native;

static inline struct wide wide_multiply(uint64_t a, uint64_t b)
{
    wide_native product = (wide_native)a * b;
    return (struct wide){ (uint64_t)(product >> 64), (uint64_t)product };
}

static inline uint64_t wide_divide(struct wide value, uint64_t divisor, uint64_t *out_remainder)
{
    wide_native whole = (wide_native)value.high << 64 | value.low;
    *out_remainder = (uint64_t)(whole % divisor);
    return (uint64_t)(whole / divisor);
}

#else

static inline struct wide wide_multiply(uint64_t a, uint64_t b)
{
    return wide_multiply_portable(a, b);
}

static inline uint64_t wide_divide(struct wide value, uint64_t divisor, uint64_t *out_remainder)
{
    return wide_divide_portable(value, divisor, out_remainder);
}

#endif

static inline struct wide wide_add(struct wide value, uint64_t addend)
{
    uint64_t low = value.low + addend;
    return (struct wide){ value.high + (low < addend), low };
}

/* -1, 0 or 1. */
static inline int wide_compare(struct wide a, struct wide b)
{
    if (a.high != b.high)
        return a.high < b.high ? -1 : 1;
    return (a.low > b.low) - (a.low < b.low);
}

#endif

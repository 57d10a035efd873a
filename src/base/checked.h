/* checked.h - size arithmetic that says when it does not fit. Each returns true on overflow. */
#ifndef STRUCTURE_BASE_CHECKED_H
#define STRUCTURE_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>

static inline bool size_add_overflows(size_t a, size_t b, size_t *out_sum)
{
    return __builtin_add_overflow(a, b, out_sum);
}

static inline bool size_multiply_overflows(size_t a, size_t b, size_t *out_product)
{
    return __builtin_mul_overflow(a, b, out_product);
}

#endif

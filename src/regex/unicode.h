/* unicode.h - general categories of code points. Private to src/regex.
 *
 * Owns: the tables' shape; tools/gen_unicode.py writes their content.
 */
#ifndef STRUCTURE_REGEX_UNICODE_H
#define STRUCTURE_REGEX_UNICODE_H

#include <stddef.h>
#include <stdint.h>

/* Runs of code points of one category, in order: first code point << 8 | category. A run ends where
 * the next begins, the last one at U+10FFFF. */
extern const uint32_t unicode_runs[];
extern const size_t unicode_run_count;

struct unicode_category {
    const char *name;
    uint32_t mask; /* bit per category */
};

/* The values of General_Category, short, long, and aliases, as ECMA-262 spells them. */
extern const struct unicode_category unicode_categories[];
extern const size_t unicode_category_count;

#endif

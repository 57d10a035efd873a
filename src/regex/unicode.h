/* unicode.h - properties, scripts and case folding of code points. Private to src/regex.
 *
 * Owns: the shape of the tables, whose content tools/gen_unicode.py writes, and how to read them.
 *
 * Numbers are texts of digits of five bits, the lowest first; 32 more says that another digit
 * follows. A set is a text of the places where membership changes, each as the distance from the
 * place before; the first place begins it.
 */
#ifndef STRUCTURE_REGEX_UNICODE_H
#define STRUCTURE_REGEX_UNICODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* Pieces of one text: a digit for the category, the length of the run, and so on to U+10FFFF. */
extern const char *const unicode_category_runs[];
extern const size_t unicode_category_run_count;

struct unicode_category {
    const char *name;
    uint32_t mask; /* bit per category */
};

/* The values of General_Category, short, long, and aliases, as ECMA-262 spells them. */
extern const struct unicode_category unicode_categories[];
extern const size_t unicode_category_count;

/* A binary property: the places, and what else they are to be combined with by exclusive or. */
struct unicode_set {
    const char *names;   /* with a space between */
    uint32_t categories; /* a mask */
    int other;           /* an earlier property, -1 for none */
    const char *places;
};

extern const struct unicode_set unicode_binaries[];
extern const size_t unicode_binary_count;

struct unicode_script {
    const char *names;
    const char *places;
    const char *extensions; /* what Script_Extensions has otherwise, by exclusive or */
};

extern const struct unicode_script unicode_scripts[];
extern const size_t unicode_script_count;

/* Simple case folding: for each run of code points with the same distance to what they fold to, the
 * distance of its first from the first of the run before, its length twice and one more if only
 * every second code point is meant, the distance twice and one more if it leads downwards. */
extern const char unicode_folding[];

struct unicode_fold {
    const char *at; /* unicode_folding to begin with, as first is 0 */
    uint32_t first;
    uint32_t count;
    uint32_t step;
    int32_t distance;
};

/* The next run; false at the end. */
bool unicode_fold_next(struct unicode_fold *fold);
uint32_t unicode_fold_of(uint32_t code_point);

/* Reads a number and moves behind it. */
uint32_t unicode_number(const char **at);

/* -1 when there is no such name. */
int unicode_binary_find(struct str name);
int unicode_script_find(struct str name);
uint32_t unicode_category_mask(struct str name); /* 0 when there is none */

#endif

/* charset.h - sets of code points while a pattern is read. Private to src/regex.
 *
 * Owns: its ranges. Failure is sticky, as in base/buffer.h.
 */
#ifndef STRUCTURE_REGEX_CHARSET_H
#define STRUCTURE_REGEX_CHARSET_H

#include <stdint.h>

#include "base/alloc.h"
#include "base/str.h"

enum { CODE_POINT_MAX = 0x10FFFF };

/* Numbers of the properties that may be named in a class: binary ones, then two per script. */
enum { CHARSET_SCRIPT_FIRST = 64, CHARSET_PROPERTY_WORDS = 7 };

struct charset_range {
    uint32_t first;
    uint32_t last; /* inclusive */
};

struct charset {
    const struct alloc *alloc;
    struct charset_range *ranges;
    size_t count;
    size_t cap;
    /* To be added by charset_normalise, a bit each, so that naming one often costs nothing. */
    uint32_t categories;
    uint32_t escapes;
    uint64_t properties[2][CHARSET_PROPERTY_WORDS]; /* as they are, and negated */
    bool has_properties;
    bool failed; /* for want of memory */
};

void charset_init(struct charset *set, const struct alloc *alloc);
void charset_release(struct charset *set);
void charset_clear(struct charset *set);
void charset_add(struct charset *set, uint32_t first, uint32_t last);

/* The escapes `\d`, `\s`, `\w`, with a capital their complement; with ignore_case the letters that
 * fold to a letter of `\w` belong to it. */
void charset_add_escape(struct charset *set, char letter, bool ignore_case);

/* What ends a line, or everything else, as `.` has it. */
void charset_add_line_ends(struct charset *set, bool negated);

/* `\p{name=value}`, value empty for `\p{name}`. False when ECMA-262 has no such property. */
bool charset_add_property(struct charset *set, struct str name, struct str value, bool negated);

/* Sorts and joins the ranges. */
void charset_normalise(struct charset *set);

/* Of a normalised set, which stays normalised. */
void charset_complement(struct charset *set);
void charset_fold(struct charset *set); /* adds all that differs in case only */
bool charset_has(const struct charset *set, uint32_t code_point);

#endif

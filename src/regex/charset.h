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

struct charset_range {
    uint32_t first;
    uint32_t last; /* inclusive */
};

struct charset {
    const struct alloc *alloc;
    struct charset_range *ranges;
    size_t count;
    size_t cap;
    uint32_t categories; /* to be added by charset_normalise, as are escapes: a bit each */
    uint32_t escapes;
    bool failed; /* for want of memory */
};

void charset_init(struct charset *set, const struct alloc *alloc);
void charset_release(struct charset *set);
void charset_clear(struct charset *set);
void charset_add(struct charset *set, uint32_t first, uint32_t last);

/* The escapes `\d`, `\s`, `\w`, with a capital their complement. */
void charset_add_escape(struct charset *set, char letter);

/* `.`: everything but line terminators. */
void charset_add_dot(struct charset *set);

enum charset_property {
    PROPERTY_ADDED,
    PROPERTY_MISSING, /* one of ECMA-262, without a table; values of scripts are not checked */
    PROPERTY_UNKNOWN
};

/* `\p{name=value}`, value empty for `\p{name}`: general categories, Any, ASCII, Assigned. */
enum charset_property charset_add_property(struct charset *set, struct str name, struct str value,
                                           bool negated);

/* Sorts and joins the ranges. What is named many times in one class is added once. */
void charset_normalise(struct charset *set);

/* Of a normalised set. */
void charset_complement(struct charset *set);

/* Takes the surrogates out of a normalised set: no UTF-8 text holds one. */
void charset_drop_surrogates(struct charset *set);

/* Whether a code point may begin or continue a group name (ID_Start, ID_Continue, `$`, `_`). */
bool charset_is_name(uint32_t code_point, bool begins);

#endif

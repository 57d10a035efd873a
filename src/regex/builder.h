/* builder.h - a program that grows at its end. Private to src/regex.
 *
 * Owns: the growth of struct regex. A fragment (an atom, a group) is the run of instructions from
 * where it began to the end of the program. Failure is sticky.
 */
#ifndef STRUCTURE_REGEX_BUILDER_H
#define STRUCTURE_REGEX_BUILDER_H

#include "regex/charset.h"
#include "regex/program.h"

enum { BUILDER_NONE = -1 };

struct builder {
    const struct alloc *alloc;
    struct regex *regex;
    uint64_t writes_left; /* instructions that may still be written or moved */
    bool leftwards;       /* what is written reads the text from right to left */
    enum status status;
    struct error *error;
};

uint32_t builder_count(const struct builder *builder);
void builder_fail(struct builder *builder, enum status status);
void builder_push(struct builder *builder, enum regex_opcode opcode, int32_t x);

/* Alternatives of the fragment at begin: closes the one that began at *alternative and begins the
 * next. *jumps chains the jumps to the end, BUILDER_NONE at first; builder_join resolves them. */
void builder_alternative(struct builder *builder, uint32_t *alternative, int32_t *jumps);
void builder_join(struct builder *builder, int32_t jumps);

/* Repeats the fragment at begin min to max times, BUILDER_UNBOUNDED for any number. When it is
 * checked, it begins with a REGEX_SAVE and ends with a REGEX_PROGRESS, which only the repetitions
 * beyond min keep: they must take something. */
struct builder_repeat {
    uint32_t begin;
    uint32_t min;
    uint32_t max;
    bool is_lazy;
    bool is_checked;
};
#define BUILDER_UNBOUNDED UINT32_MAX
void builder_repeat(struct builder *builder, struct builder_repeat repeat);

void builder_add_look(struct builder *builder, struct regex_look look);

/* One code point of ranges that ascend (encode.c). */
void builder_ranges(struct builder *builder, const struct charset_range *ranges, size_t count);
void builder_code_point(struct builder *builder, uint32_t code_point);

/* One byte of the set. */
void builder_bytes(struct builder *builder, const struct regex_set *set);

#endif

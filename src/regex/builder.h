/* builder.h - a program that grows at its end while the pattern is read. Private to src/regex.
 *
 * Owns: the growth of struct regex. A fragment (an atom, a group) is the run of instructions from
 * where it began to the end of the program: what follows in the pattern follows in the program.
 * Failure is sticky. A builder that only checks writes nothing.
 */
#ifndef STRUCTURE_REGEX_BUILDER_H
#define STRUCTURE_REGEX_BUILDER_H

#include "regex/charset.h"
#include "regex/program.h"

enum { BUILDER_NONE = -1 };
#define BUILDER_UNBOUNDED UINT64_MAX

struct builder {
    const struct alloc *alloc;
    struct regex *regex;  /* NULL: only checking */
    uint64_t writes_left; /* instructions that may still be written or moved */
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

/* Repeats the fragment at begin min to max times. */
void builder_repeat(struct builder *builder, uint32_t begin, uint64_t min, uint64_t max);

/* One code point of the set, which is normalised by this. */
void builder_charset(struct builder *builder, struct charset *set); /* encode.c */
void builder_code_point(struct builder *builder, uint32_t code_point);

/* One byte of the set. */
void builder_bytes(struct builder *builder, const struct regex_set *set);

#endif

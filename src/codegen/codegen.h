/* codegen.h - C structs for a schema: declarations, tables, schema text, decode, encode, free.
 *
 * Owns: what C makes of each place of a schema, names, and the text. Leaves to others: what the
 * tables mean (include/structure.h, chapter 15). Invariants: the text compiles without warnings as
 * C99 to C17, its declarations as C++, whatever names and texts the schema has; work is bounded;
 * not recursive.
 */
#ifndef STRUCTURE_CODEGEN_CODEGEN_H
#define STRUCTURE_CODEGEN_CODEGEN_H

#include "base/buffer.h"
#include "schema/program.h"

struct codegen_options {
    const struct schema_program *program;
    struct str name; /* of the root struct and prefix of all others, made a C identifier; empty:
                        from the schema's title, else "value" */
};

/* Appends one file that is header and implementation. UNSUPPORTED: the root is no object, or there
 * would be too many structs; NO_MEMORY. */
enum status codegen_c(const struct codegen_options *options, const struct alloc *alloc,
                      struct buffer *out, struct error *error);

#endif

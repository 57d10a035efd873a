/* typescript.h - a compiled schema as a TypeScript-like type: the shortest form that small models
 * read well.
 *
 * Descriptions become comments, enums unions of literals, references named types. Bounded output.
 */
#ifndef STRUCTURE_SCHEMA_TYPESCRIPT_H
#define STRUCTURE_SCHEMA_TYPESCRIPT_H

#include "base/buffer.h"
#include "schema/program.h"

/* Appends the type of the root. Errors are in the buffer's status. */
void schema_write_typescript(const struct schema_program *program, struct buffer *out);

#endif

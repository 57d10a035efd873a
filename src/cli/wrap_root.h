/* wrap_root.h - --wrap-root: a schema of any root as the property "value" of an object. */
#ifndef STRUCTURE_CLI_WRAP_ROOT_H
#define STRUCTURE_CLI_WRAP_ROOT_H

#include "base/buffer.h"

/* Appends {"type":"object","properties":{"value":SCHEMA},...} to *out. References of SCHEMA that
 * begin at the root are made to begin at the new place, and its $schema moves to the new root. A
 * text that is no JSON is INVALID_SCHEMA. */
enum status cli_wrap_root(struct str schema, const struct alloc *alloc, struct buffer *out,
                          struct error *error);

#endif

/* content.h - contentEncoding and contentMediaType as assertions (draft-07 section 8). Private to
 * src/schema. */
#ifndef STRUCTURE_SCHEMA_CONTENT_H
#define STRUCTURE_SCHEMA_CONTENT_H

#include "schema/program.h"

/* Whether text is what the bits of enum schema_content ask for. NO_MEMORY. */
enum status schema_content_matches(uint32_t bits, struct str text, const struct alloc *alloc,
                                   bool *out_matches);

#endif

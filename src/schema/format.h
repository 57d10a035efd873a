/* format.h - the formats of JSON Schema 2020-12 section 7.3, each against its RFC. */
#ifndef STRUCTURE_SCHEMA_FORMAT_H
#define STRUCTURE_SCHEMA_FORMAT_H

#include "schema/program.h"

/* The format of that name as the dialect (a bit of enum schema_dialect) has it; where it has none,
 * as any other has it. */
enum schema_format schema_format_from(struct str name, unsigned dialect);
const char *schema_format_name(enum schema_format format);

/* True if text (well-formed UTF-8) has the format; SCHEMA_FORMAT_UNKNOWN accepts everything. */
bool schema_format_matches(enum schema_format format, struct str text);

#endif

/* patterns.h - the one place where schemas meet regular expressions. Private to src/schema.
 *
 * Until src/regex is there, every `pattern`, `patternProperties` and `format: regex` is refused by
 * name.
 */
#ifndef STRUCTURE_SCHEMA_PATTERNS_H
#define STRUCTURE_SCHEMA_PATTERNS_H

#include "base/alloc.h"
#include "base/status.h"
#include "schema/program.h"

bool schema_patterns_are_built(void);

/* INVALID_SCHEMA with the reason, or NO_MEMORY. The caller adds the pointer. */
enum status schema_pattern_compile(struct str source, const struct alloc *alloc,
                                   const struct regex **out_regex, struct error *error);
void schema_pattern_free(const struct regex *regex, const struct alloc *alloc); /* accepts NULL */

/* Finds the pattern anywhere in text. False in *out_known when the engine's own budget was used
 * up. */
bool schema_pattern_matches(const struct regex *regex, struct str text, bool *out_known);

#endif

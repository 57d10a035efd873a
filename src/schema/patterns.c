/* patterns.c - the seam to src/regex.
 *
 * Owns: what a schema needs of a regular expression. Leaves to others: pointers of errors
 * (compile.c).
 */
#include "base/features.h"

#include "schema/patterns.h"

bool schema_patterns_are_built(void)
{
    return false;
}

enum status schema_pattern_compile(struct str source, const struct alloc *alloc,
                                   const struct regex **out_regex, struct error *error)
{
    (void)source;
    (void)alloc;
    *out_regex = NULL;
    return error_set(error, STATUS_INVALID_SCHEMA, "regular expressions are not supported yet");
}

void schema_pattern_free(const struct regex *regex, const struct alloc *alloc)
{
    (void)regex;
    (void)alloc;
}

bool schema_pattern_matches(const struct regex *regex, struct str text, bool *out_known)
{
    (void)regex;
    (void)text;
    *out_known = false;
    return false;
}

/* regex.h - ECMA-262 patterns with the `u` flag.
 *
 * Owns: the interface of src/regex. A pattern is compiled to an automaton over UTF-8 bytes: a table
 * of states where it stays within the build budget, else a program that is simulated, at most its
 * size in steps per byte. Only patterns with back-references are searched by going back, with a
 * budget of steps. quick.h is the same for callers that cannot afford a call.
 *
 * Thread rule: a compiled pattern is constant; any number of threads may match with it.
 */
#ifndef STRUCTURE_REGEX_REGEX_H
#define STRUCTURE_REGEX_REGEX_H

#include "base/alloc.h"
#include "base/status.h"

struct regex;

/* What compiling may still use. Shared by all patterns of a schema, so that many small patterns are
 * bounded together. */
struct regex_budget {
    uint64_t ops;         /* instructions written or moved; beyond it a pattern is refused */
    uint64_t build_steps; /* work on tables of states; beyond it patterns are simulated */
};

struct regex_budget regex_budget_default(void);

struct regex_notes {
    bool tolerated_escapes; /* `\-`, `\_`, ...: not ECMA-262 with `u`, read as that mark */
};

/* INVALID_SCHEMA for a syntax error, UNSUPPORTED for a limit, or NO_MEMORY. budget may be NULL for
 * the default. out_notes may be NULL. The pattern is not kept. */
enum status regex_compile(struct str pattern, const struct alloc *alloc,
                          struct regex_budget *budget, struct regex **out_regex,
                          struct regex_notes *out_notes, struct error *error);
void regex_free(struct regex *regex, const struct alloc *alloc); /* accepts NULL */

/* Whether the syntax is exactly that of `new RegExp(pattern, "u")`: nothing is tolerated.
 * INVALID_SCHEMA when it is not, UNSUPPORTED for a limit, NO_MEMORY. */
enum status regex_check(struct str pattern, const struct alloc *alloc, struct error *error);

/* Whether the pattern is found anywhere in text, which is UTF-8. *steps is what matching may still
 * use and is lowered by what it used; UNSUPPORTED when that does not suffice. alloc is asked for
 * scratch memory only by patterns without a table. */
enum status regex_matches(const struct regex *regex, struct str text, const struct alloc *alloc,
                          uint64_t *steps, bool *out_matches);

#endif

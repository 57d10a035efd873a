/* language.h - the set of texts that a model in this process may write for one call.
 *
 * Built from a compiled schema: compact JSON, members in the schema's order, optional members may
 * be left out, plus (if asked) the need object {"_need": string}. What the language cannot express
 * of a schema is left to the validator and listed by decode_language_gaps. Immutable; shared by all
 * states of the call. It shares no code with the validator beyond the compiled schema, so that each
 * is the other's oracle.
 */
#ifndef STRUCTURE_DECODE_LANGUAGE_H
#define STRUCTURE_DECODE_LANGUAGE_H

#include "decode/ground.h"
#include "schema/program.h"

struct decode_language;

struct decode_options {
    struct str need_name;        /* member of the need object; empty: no need alternative */
    const struct ground *ground; /* the prompt's index, borrowed; NULL: ungrounded */
    uint32_t string_max; /* soft bound for strings without maxLength, code points; 0: default 240 */
    uint32_t items_max;  /* soft bound for arrays without maxItems; 0: default 16 */
    uint32_t depth_max;  /* nesting of the output; 0: default */
};

/* UNSUPPORTED with pointer if no finite text can satisfy what the language covers; NO_MEMORY. */
enum status decode_language_new(const struct schema_program *program,
                                const struct decode_options *options, const struct alloc *alloc,
                                struct decode_language **out_language, struct error *error);
void decode_language_free(struct decode_language *language);

/* Keywords (pointers into the schema) that the language does not follow, one per line; for reports.
 */
struct str decode_language_gaps(const struct decode_language *language);

#endif

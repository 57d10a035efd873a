/* compile.h - schema document → program, or the precise reason why not.
 *
 * Fails closed: a keyword that is not in the dialect is refused by name with its pointer; nothing
 * is ever silently ignored, unless the caller wants it so. No network: a reference resolves inside
 * the document, to a document of the library, or to a built-in meta-schema.
 */
#ifndef STRUCTURE_SCHEMA_COMPILE_H
#define STRUCTURE_SCHEMA_COMPILE_H

#include "schema/program.h"

struct schema_library; /* library.h */

enum schema_unknown { SCHEMA_UNKNOWN_ERROR, SCHEMA_UNKNOWN_WARN, SCHEMA_UNKNOWN_ALLOW };

struct schema_options {
    enum schema_unknown unknown_keywords; /* names that begin with "x-" are annotations */
    bool object_root;    /* refuse a root that is no object (extract) */
    bool format_asserts; /* false: `format` is an annotation */
    struct str dialect;  /* default dialect URI where $schema is absent; empty: 2020-12 */
    struct schema_library *library; /* documents that references may reach; may be NULL */
    const struct schema_custom_format *formats; /* before the built-in ones; copied, names too */
    uint32_t format_count;
    /* Called for each warning (tolerated unknown keyword, tolerated escape, ...); may be NULL.
     * The error struct carries message, hint and pointer and lives only for the call. */
    void (*warn)(void *state, const struct error *warning);
    void *warn_state;
};

/* Compiles document, of which the program takes ownership on success. Errors: INVALID_SCHEMA
 * with pointer, line and column in the schema; UNSUPPORTED never; NO_MEMORY. options NULL: error
 * on unknown keywords, formats asserted, any root. */
enum status schema_compile(struct json_doc *document, const struct schema_options *options,
                           const struct alloc *alloc, struct schema_program **out_program,
                           struct error *error);

/* The same from text: a text that is no JSON is INVALID_SCHEMA with line and column. */
enum status schema_compile_text(struct str text, const struct schema_options *options,
                                const struct alloc *alloc, struct schema_program **out_program,
                                struct error *error);

void schema_program_free(struct schema_program *program);

#endif

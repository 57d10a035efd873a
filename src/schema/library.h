/* library.h - the documents that references of a schema may reach by URI.
 *
 * Owns: the registered documents, counted references to itself. A program that was compiled with a
 * library keeps a reference, so the documents live as long as anyone needs them.
 *
 * Thread rule: adding belongs to one thread and ends before the first compilation; afterwards any
 * number of threads may compile with it.
 */
#ifndef STRUCTURE_SCHEMA_LIBRARY_H
#define STRUCTURE_SCHEMA_LIBRARY_H

#include "base/status.h"
#include "json/json.h"

struct schema_library;

/* With one reference. */
enum status schema_library_new(const struct alloc *alloc, struct schema_library **out_library);
struct schema_library *schema_library_ref(struct schema_library *library); /* accepts NULL */
void schema_library_unref(struct schema_library *library);                 /* accepts NULL */

/* Registers document, which it takes over on success, under uri; without uri under its own `$id`
 * (draft-04: `id`). A fragment that is empty makes no difference. INVALID_SCHEMA: no URI, not
 * absolute, or taken by another document; NO_MEMORY. */
enum status schema_library_add(struct schema_library *library, struct str uri,
                               struct json_doc *document, struct error *error);

/* The document registered under an absolute URI without fragment, or NULL. */
const struct json_doc *schema_library_find(const struct schema_library *library, struct str uri);

#endif

/* library_parts.h - the parts of documents that have identifiers of their own. Private to
 * src/schema.
 *
 * Owns: the URIs, absolute, and which document each lies in. What the documents mean is for the
 * compiler to read: an identifier in a place that is no schema is listed as well.
 */
#ifndef STRUCTURE_SCHEMA_LIBRARY_PARTS_H
#define STRUCTURE_SCHEMA_LIBRARY_PARTS_H

#include "base/arena.h"
#include "schema/hash_index.h"
#include "schema/library.h"
#include "schema/vector.h"

struct library_parts {
    const struct alloc *alloc;
    struct arena arena;
    struct vector rows; /* struct library_part */
    struct hash_index index;
};

struct library_part {
    struct str uri; /* without fragment */
    const struct json_doc *doc;
    struct str doc_uri; /* where that is registered; the same pointer as uri for the document */
};

void library_parts_init(struct library_parts *parts, const struct alloc *alloc);
void library_parts_release(struct library_parts *parts);

/* Lists a document and its parts, all of them or, when memory is used up, none. */
bool library_parts_add(struct library_parts *parts, struct str uri, const struct json_doc *doc);

/* The document of that URI, or, if parts are wanted too, the first part. NULL: none. */
const struct library_part *library_parts_find(const struct library_parts *parts, struct str uri,
                                              bool documents_only);

/* library.c: the same; library may be NULL. */
const struct library_part *library_find(const struct schema_library *library, struct str uri,
                                        bool documents_only);

#endif

/* library_parts.h - the documents of a library one by one. Private to src/schema. */
#ifndef STRUCTURE_SCHEMA_LIBRARY_PARTS_H
#define STRUCTURE_SCHEMA_LIBRARY_PARTS_H

#include "schema/library.h"

struct library_document {
    struct str uri; /* absolute, without fragment */
    uint32_t hash;
    struct json_doc *doc;
};

uint32_t library_count(const struct schema_library *library); /* accepts NULL */
const struct library_document *library_at(const struct schema_library *library, uint32_t index);

#endif

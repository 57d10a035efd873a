/* meta.h - the built-in meta-schemas. Private to src/schema. */
#ifndef STRUCTURE_SCHEMA_META_H
#define STRUCTURE_SCHEMA_META_H

#include <stddef.h>

struct meta_row {
    const char *uri; /* absolute, without fragment */
    const char *text;
};

extern const struct meta_row meta_rows[];
extern const size_t meta_row_count;

#endif

/* uri.h - URI references against a base. Private to src/schema. */
#ifndef STRUCTURE_SCHEMA_URI_H
#define STRUCTURE_SCHEMA_URI_H

#include "base/buffer.h"

/* Appends to out the reference text (without fragment) resolved against base; merged is scratch.
 * Failures are in the status of the buffers. */
void schema_uri_resolve(struct str base_text, struct str text, struct buffer *out,
                        struct buffer *merged);

/* Where the fragment begins, at its number sign; the length where there is none. */
size_t schema_uri_fragment(struct str text);

#endif

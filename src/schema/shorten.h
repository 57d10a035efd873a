/* shorten.h - values in sentences: short, on one line. Private to src/schema. */
#ifndef STRUCTURE_SCHEMA_SHORTEN_H
#define STRUCTURE_SCHEMA_SHORTEN_H

#include "base/buffer.h"
#include "json/json.h"

/* Appends the JSON text of a scalar, cut with "…" after LIMIT_REASON_VALUE_CODE_POINTS code
 * points of its content; a container as "[3 items]" or "{2 members}" unless it is short. */
void schema_append_short(struct json value, struct buffer *out);

/* The same for text that becomes a JSON string. */
void schema_append_short_string(struct str text, struct buffer *out);

#endif

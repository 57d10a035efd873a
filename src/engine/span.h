/* span.h - where, in a text that is not JSON as a whole, a JSON object or array ends.
 *
 * A cheap look at the structure; whether the span is JSON decides the parser. Not recursive.
 */
#ifndef STRUCTURE_ENGINE_SPAN_H
#define STRUCTURE_ENGINE_SPAN_H

#include "base/str.h"

enum engine_span {
    ENGINE_SPAN_VALUE, /* from start to *out_end stands something built like one JSON value */
    ENGINE_SPAN_RAW,   /* the same, but for control characters that stand raw in its strings */
    ENGINE_SPAN_PROSE, /* a bracket of the prose: nothing like JSON follows it */
    ENGINE_SPAN_BROKEN /* JSON was begun (a member name with its colon, an item with its comma) and
                          fails */
};

/* text.ptr[start] is '{' or '['. Takes the bytes that it looks at from *budget; without budget:
 * BROKEN. RAW only with reads_raw. */
enum engine_span engine_span_scan(struct str text, size_t start, bool reads_raw, size_t *budget,
                                  size_t *out_end);

#endif

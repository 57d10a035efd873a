/* reason.h - what the model is told about its reply: spec section 4. */
#ifndef STRUCTURE_SCHEMA_REASON_H
#define STRUCTURE_SCHEMA_REASON_H

#include "base/buffer.h"
#include "schema/validate.h"

/* Appends the complete text, bounded by LIMIT_REASON_COUNT and LIMIT_REASON_BYTES. with_values
 * adds what the model gave ("was 7"): for the model only, never for a caller, a log or a metric. */
void schema_write_reason(const struct schema_violations *violations, bool with_values,
                         struct buffer *out);

/* One violation without value, as in `errors`: "/priority: value must be ≤ 5". The root's
 * pointer is printed as "(root)". */
void schema_write_violation(const struct schema_violation *violation, struct buffer *out);

#endif

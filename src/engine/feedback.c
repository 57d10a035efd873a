/* feedback.c - the reason given to the model, and what to do about it.
 *
 * Owns: the note on a repeated reply. Leaves to others: the wording of the reason
 * (schema/reason.h).
 */
#include "base/features.h"

#include "engine/feedback.h"

#include "schema/reason.h"

void engine_feedback_write(const struct schema_violations *violations, bool is_same,
                           struct buffer *out)
{
    if (is_same)
        buffer_append_str(out, STR("This output is the same as the one before it.\n"));
    schema_write_reason(violations, true, out);
}

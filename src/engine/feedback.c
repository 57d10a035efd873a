/* feedback.c - the reason given to the model, and what to do about it.
 *
 * Owns: the note on a repeated reply. Leaves to others: the wording of the reason (schema/reason.h).
 */
#include "base/features.h"

#include "engine/feedback.h"

void engine_feedback_write(const struct schema_violations *violations, bool is_same, struct buffer *out)
{
    if (is_same)
        buffer_append_str(out, STR("This output is the same as the one before it.\n"));
    buffer_append_str(out, STR("The previous output did not conform to the schema:\n"));
    for (uint32_t i = 0; i < violations->count; i++) {
        buffer_append_str(out, STR("- "));
        buffer_append_str(out, violations->items[i].pointer);
        buffer_append_str(out, STR(": "));
        buffer_append_str(out, violations->items[i].message);
        buffer_append_byte(out, '\n');
    }
    buffer_append_str(out, STR("\nPlease correct these and try again. Do not change fields that were valid."));
}

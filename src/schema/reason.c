/* reason.c - the repair message of a failed iteration.
 *
 * Owns: its exact wording and its bounds. Leaves to others: the sentences of the single violations
 * (message.c). Invariant: the closing sentences are always there, whatever had to be left out.
 */
#include "base/features.h"

#include "schema/reason.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "schema/shorten.h"

/* Bytes of one line; a pointer or pattern beyond that is cut. */
enum { REASON_LINE_BYTES_MAX = 1024, REASON_POINTER_BYTES_MAX = 512 };

static void reason_append_cut(struct str text, size_t bytes_max, struct buffer *out)
{
    struct str head = utf8_prefix(text, bytes_max);
    buffer_append_str(out, head);
    if (head.len < text.len)
        buffer_append_str(out, STR("…"));
}

void schema_write_violation(const struct schema_violation *violation, struct buffer *out)
{
    if (violation->pointer.len == 0)
        buffer_append_str(out, STR("(root)"));
    else
        reason_append_cut(violation->pointer, REASON_POINTER_BYTES_MAX, out);
    buffer_append_str(out, STR(": "));
    struct str message = violation->brief.len > 0 ? violation->brief : violation->message;
    reason_append_cut(message, REASON_LINE_BYTES_MAX, out);
}

/* The value is told where it helps: not for containers, and not where a member or item is the
 * fault. */
static bool reason_shows_value(const struct schema_violation *violation)
{
    if (!json_exists(violation->value))
        return false;
    uint32_t type = json_node_type(violation->value.node);
    if (str_equal(violation->keyword, STR("additionalProperties")) ||
        str_equal(violation->keyword, STR("format")))
        return false;
    return type != JSON_ARRAY && type != JSON_OBJECT;
}

/* Lines of the violations that fit; the rest of out is kept for what follows. */
static uint32_t reason_write_lines(const struct schema_violations *violations, bool with_values,
                                   struct buffer *out, size_t end)
{
    uint32_t written = 0;
    for (; written < violations->count && written < LIMIT_REASON_COUNT; written++) {
        const struct schema_violation *violation = &violations->items[written];
        size_t begin = out->len;
        buffer_append_str(out, STR("- "));
        schema_write_violation(violation, out);
        if (with_values && reason_shows_value(violation)) {
            buffer_append_str(out, STR(" (was "));
            schema_append_short(violation->value, out);
            buffer_append_str(out, STR(")"));
        }
        if (violation->hint.len > 0) {
            buffer_append_str(out, STR("; "));
            reason_append_cut(violation->hint, REASON_LINE_BYTES_MAX, out);
        }
        buffer_append_byte(out, '\n');
        if (out->len > end) {
            buffer_truncate(out, begin);
            break;
        }
    }
    return written;
}

void schema_write_reason(const struct schema_violations *violations, bool with_values,
                         struct buffer *out)
{
    const struct str opening = STR("The previous output did not conform to the schema:\n");
    const struct str more = STR("- and more, not listed here\n");
    const struct str closing =
        STR("\nPlease correct these and try again. Do not change fields that were valid.");
    size_t end = out->len + LIMIT_REASON_BYTES - closing.len - more.len;
    buffer_append_str(out, opening);
    uint32_t written = reason_write_lines(violations, with_values, out, end);
    if (written < violations->count || violations->more)
        buffer_append_str(out, more);
    buffer_append_str(out, closing);
}

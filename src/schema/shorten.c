/* shorten.c - see shorten.h. Quotes stay balanced; control characters come out escaped. */
#include "base/features.h"

#include "schema/shorten.h"

#include "base/limits.h"
#include "base/utf8.h"

/* The first code points of well-formed text. */
static struct str shorten_prefix(struct str text, size_t code_points)
{
    size_t len = 0;
    while (len < text.len && code_points-- > 0) {
        uint32_t code_point;
        unsigned bytes = utf8_decode(text.ptr + len, text.len - len, &code_point);
        len += bytes == 0 ? 1 : bytes;
    }
    return str_of(text.ptr, len);
}

void schema_append_short_string(struct str text, struct buffer *out)
{
    struct str head = shorten_prefix(text, LIMIT_REASON_VALUE_CODE_POINTS);
    json_write_string(head, out);
    if (head.len == text.len || out->len == 0)
        return;
    buffer_truncate(out, out->len - 1);
    buffer_append_str(out, STR("…\""));
}

void schema_append_short(struct json value, struct buffer *out)
{
    uint32_t type = json_node_type(value.node);
    if (type == JSON_STRING || type == JSON_NODE_NAME) {
        schema_append_short_string(json_string(value), out);
        return;
    }
    if (type == JSON_NUMBER) {
        struct str text = json_number_text(value);
        struct str head = shorten_prefix(text, LIMIT_REASON_VALUE_CODE_POINTS);
        buffer_append_str(out, head);
        if (head.len < text.len)
            buffer_append_str(out, STR("…"));
        return;
    }
    uint32_t count = json_count(value);
    bool is_container = type == JSON_ARRAY || type == JSON_OBJECT;
    if (!is_container ||
        json_end_offset(value) - json_offset(value) <= LIMIT_REASON_VALUE_CODE_POINTS) {
        json_write(value, 0, out);
        return;
    }
    const char *unit = type == JSON_ARRAY ? "item" : "member";
    buffer_append_str(out, type == JSON_ARRAY ? STR("[") : STR("{"));
    buffer_printf(out, "%lu %s%s", (unsigned long)count, unit, count == 1 ? "" : "s");
    buffer_append_str(out, type == JSON_ARRAY ? STR("]") : STR("}"));
}

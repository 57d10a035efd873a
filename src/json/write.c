/* write.c - a value as JSON text, compact or indented.
 *
 * Owns: minimal escaping (quote, backslash, control characters; everything else as UTF-8) and
 * layout. Number text and member order are kept. Closing brackets are read from the source text,
 * where they follow the last value of a container, so that writing needs neither recursion nor a
 * stack.
 */
#include "base/features.h"

#include "json/json.h"
#include "json/scan.h"

static void write_escape(unsigned char byte, struct buffer *out)
{
    static const char letters[] = {
        ['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
        ['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't',
    };
    static const char digits[] = "0123456789abcdef";
    if (letters[byte] != '\0') {
        const char escape[] = { '\\', letters[byte] };
        buffer_append(out, escape, sizeof(escape));
        return;
    }
    const char escape[] = { '\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15] };
    buffer_append(out, escape, sizeof(escape));
}

void json_write_string(struct str text, struct buffer *out)
{
    size_t begin = 0; /* of the run that stands for itself */
    size_t at = 0;
    buffer_append_byte(out, '"');
    while (at < text.len) {
        size_t plain =
            text.len - at < SCAN_BLOCK ? scan_is_plain(text.ptr[at]) : scan_plain(text.ptr + at);
        at += plain;
        if (plain != 0)
            continue;
        if ((unsigned char)text.ptr[at] < 0x80) {
            buffer_append(out, text.ptr + begin, at - begin);
            write_escape((unsigned char)text.ptr[at], out);
            begin = at + 1;
        }
        at++;
    }
    if (at > begin)
        buffer_append(out, text.ptr + begin, at - begin);
    buffer_append_byte(out, '"');
}

static void write_line(size_t spaces, struct buffer *out)
{
    static const char blank[] = "                                                                ";
    buffer_append_byte(out, '\n');
    for (size_t len; spaces > 0; spaces -= len) {
        len = spaces < sizeof(blank) - 1 ? spaces : sizeof(blank) - 1;
        buffer_append(out, blank, len);
    }
}

/* A string without escapes is its own minimal form. */
static void write_text(const struct json_doc *doc, const struct json_node *node, struct buffer *out)
{
    if ((node->tag & JSON_NODE_ESCAPED) != 0)
        json_write_string(json_node_text(doc, node), out);
    else
        buffer_append(out, doc->text + node->offset - 1, (size_t)node->length + 2);
}

static void write_leaf(struct json value, struct buffer *out)
{
    switch (json_type(value)) {
    case JSON_NULL:
    case JSON_FALSE:
    case JSON_TRUE:
    case JSON_NUMBER: buffer_append_str(out, json_number_text(value)); break;
    case JSON_STRING: write_text(value.doc, value.node, out); break;
    case JSON_ARRAY: buffer_append_str(out, STR("[]")); break;
    case JSON_OBJECT: buffer_append_str(out, STR("{}")); break;
    }
}

/* Closes the containers that end after value. Returns how many levels stay open. */
static size_t write_closings(struct json value, size_t level, unsigned indent, struct buffer *out)
{
    const char *at = value.doc->text + json_end_offset(value);
    while (level > 0) {
        at = scan_skip_space(at);
        if (*at != ']' && *at != '}')
            break;
        level--;
        if (indent > 0)
            write_line(level * indent, out);
        buffer_append_byte(out, *at);
        at++;
    }
    return level;
}

void json_write(struct json value, unsigned indent, struct buffer *out)
{
    const struct json_node *node = value.node;
    const struct json_node *end = json_node_after(node);
    size_t level = 0;
    while (node < end && buffer_status(out) == STATUS_OK) {
        struct json current = { value.doc, node++ };
        if (json_node_type(current.node) == JSON_NODE_NAME) {
            write_text(value.doc, current.node, out);
            buffer_append(out, ": ", indent > 0 ? 2 : 1);
            continue;
        }
        if (json_count(current) > 0) {
            buffer_append_byte(out, json_type(current) == JSON_OBJECT ? '{' : '[');
            level++;
        } else {
            write_leaf(current, out);
            level = write_closings(current, level, indent, out);
            if (node < end)
                buffer_append_byte(out, ',');
        }
        if (indent > 0 && node < end)
            write_line(level * indent, out);
    }
}

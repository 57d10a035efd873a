/* pointer.c - JSON Pointer (RFC 6901): following one, and writing the one of a value. */
#include "base/features.h"

#include "json/json.h"

#include <assert.h>

/* The token of a pointer without its escapes equals name. A '~' that begins no escape matches
 * nothing. */
static bool token_equals(struct str token, struct str name)
{
    size_t at = 0;
    for (size_t i = 0; i < token.len; i++, at++) {
        char byte = token.ptr[i];
        if (byte == '~') {
            i++;
            if (i == token.len || (token.ptr[i] != '0' && token.ptr[i] != '1'))
                return false;
            byte = token.ptr[i] == '0' ? '~' : '/';
        }
        if (at == name.len || name.ptr[at] != byte)
            return false;
    }
    return at == name.len;
}

/* Digits without a leading zero, below limit. */
static bool token_index(struct str token, uint32_t limit, uint32_t *out_index)
{
    uint64_t index = 0;
    if (token.len == 0 || (token.ptr[0] == '0' && token.len > 1))
        return false;
    for (size_t i = 0; i < token.len; i++) {
        if (token.ptr[i] < '0' || token.ptr[i] > '9')
            return false;
        index = index * 10 + (uint64_t)(token.ptr[i] - '0');
        if (index >= limit)
            return false;
    }
    *out_index = (uint32_t)index;
    return true;
}

static struct json pointer_step(struct json value, struct str token)
{
    uint32_t index;
    if (json_type(value) == JSON_ARRAY && token_index(token, json_count(value), &index))
        return json_at(value, index);
    if (json_type(value) == JSON_OBJECT) {
        for (struct json v = json_first(value); json_exists(v); v = json_next(v, value)) {
            if (token_equals(token, json_member_name(v)))
                return v;
        }
    }
    return (struct json){ value.doc, NULL };
}

struct json json_pointer_get(struct json root, struct str pointer)
{
    struct json value = root;
    size_t at = 0;
    while (at < pointer.len && json_exists(value)) {
        if (pointer.ptr[at] != '/')
            return (struct json){ root.doc, NULL };
        const char *begin = pointer.ptr + at + 1;
        size_t left = pointer.len - at - 1;
        const char *slash = left == 0 ? NULL : memchr(begin, '/', left);
        struct str token = str_of(begin, slash == NULL ? left : (size_t)(slash - begin));
        value = pointer_step(value, token);
        at += 1 + token.len;
    }
    return value;
}

void json_pointer_append(struct buffer *out, struct str token)
{
    size_t begin = 0;
    buffer_append_byte(out, '/');
    for (size_t i = 0; i < token.len; i++) {
        if (token.ptr[i] != '~' && token.ptr[i] != '/')
            continue;
        buffer_append(out, token.ptr + begin, i - begin);
        buffer_append(out, token.ptr[i] == '~' ? "~0" : "~1", 2);
        begin = i + 1;
    }
    if (token.len > begin)
        buffer_append(out, token.ptr + begin, token.len - begin);
}

void json_pointer_append_index(struct buffer *out, uint32_t index)
{
    buffer_append_byte(out, '/');
    buffer_append_uint(out, index);
}

void json_pointer_of(struct json value, struct buffer *out)
{
    struct json container = json_doc_root(value.doc);
    while (container.node != value.node) {
        uint32_t index = 0;
        struct json child = json_first(container);
        while (json_exists(child) && json_node_after(child.node) <= value.node) {
            child = json_next(child, container);
            index++;
        }
        assert(json_exists(child)); /* value belongs to this document */
        if (json_type(container) == JSON_OBJECT)
            json_pointer_append(out, json_member_name(child));
        else
            json_pointer_append_index(out, index);
        container = child;
    }
}

/* value.c - looking at a document: members, items, numbers and positions. */
#include "base/features.h"

#include "json/json.h"

void json_doc_free(struct json_doc *doc)
{
    if (doc == NULL)
        return;
    struct alloc alloc = doc->alloc;
    alloc_free(&alloc, doc->text, doc->text_cap);
    alloc_free(&alloc, doc->pool, doc->pool_cap);
    alloc_free(&alloc, doc, sizeof(*doc) + doc->node_cap * sizeof(doc->nodes[0]));
}

struct json json_doc_root(const struct json_doc *doc)
{
    return (struct json){ doc, doc->nodes };
}

struct str json_doc_source(const struct json_doc *doc)
{
    return str_of(doc->text, doc->text_len);
}

const char *json_type_name(enum json_type type)
{
    switch (type) {
    case JSON_NULL: return "null";
    case JSON_FALSE:
    case JSON_TRUE: return "boolean";
    case JSON_NUMBER: return "number";
    case JSON_STRING: return "string";
    case JSON_ARRAY: return "array";
    case JSON_OBJECT: return "object";
    }
    return "null";
}

struct decimal json_number(struct json value)
{
    return decimal_from(json_number_text(value));
}

struct json json_get(struct json object, struct str name)
{
    for (struct json value = json_first(object); json_exists(value);
         value = json_next(value, object)) {
        const struct json_node *node = value.node - 1;
        bool is_escaped = (node->tag & JSON_NODE_ESCAPED) != 0;
        if (!is_escaped && node->length != name.len)
            continue;
        if (str_equal(json_node_text(object.doc, node), name))
            return value;
    }
    return (struct json){ object.doc, NULL };
}

struct json json_at(struct json array, uint32_t index)
{
    struct json value = json_first(array);
    while (index > 0 && json_exists(value)) {
        value = json_next(value, array);
        index--;
    }
    return value;
}

/* The quotes of a string are outside of its span. */
size_t json_offset(struct json value)
{
    return value.node->offset - (json_type(value) == JSON_STRING ? 1u : 0u);
}

size_t json_end_offset(struct json value)
{
    return (size_t)value.node->offset + value.node->length +
           (json_type(value) == JSON_STRING ? 1u : 0u);
}

void json_position(struct str source, size_t offset, uint32_t *out_line, uint32_t *out_column)
{
    uint32_t line = 1;
    uint32_t column = 1;
    size_t end = offset < source.len ? offset : source.len;
    for (size_t i = 0; i < end; i++) {
        unsigned char byte = (unsigned char)source.ptr[i];
        bool is_line_end =
            byte == '\n' || (byte == '\r' && (i + 1 == source.len || source.ptr[i + 1] != '\n'));
        if (is_line_end) {
            line++;
            column = 1;
        } else if ((byte & 0xC0) != 0x80) {
            column++;
        }
    }
    *out_line = line;
    *out_column = column;
}

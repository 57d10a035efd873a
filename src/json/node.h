/* node.h - the layout of a document in memory and the accessors that the compiler should inline.
 *
 * Owns: struct json_doc and struct json_node. Users outside src/json go through the functions of
 * json.h; the fields are visible only so that walking a document costs no call. Invariants: nodes
 * are in preorder. A container's aux is the number of nodes of its subtree, itself included; every
 * other node is one long. A member is a name node followed by its value's subtree. Relative spans
 * make a subtree position-independent.
 */
#ifndef STRUCTURE_JSON_NODE_H
#define STRUCTURE_JSON_NODE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

enum json_type {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
};

/* Readable bytes after the source text, all NUL, and after the pool. Whoever compares words of a
 * decoded text masks what lies beyond it. */
enum { JSON_PADDING_BYTES = 32 };

/* tag: type in bits 0..2, flags in bit 3, the count of a container from bit 4 on. */
enum {
    JSON_NODE_TYPE = 7,
    JSON_NODE_NAME = 7,    /* the type of a member name; no value has it */
    JSON_NODE_ESCAPED = 8, /* string, name: the decoded text is in the pool */
    JSON_NODE_INTEGER = 8, /* number: neither a fraction nor an exponent is written */
    JSON_NODE_COUNT_SHIFT = 4
};

enum { JSON_POOL_ALIGN = 4 }; /* the unit of pool indices, bytes */

#define JSON_NODE_COUNT_MAX ((UINT32_C(1) << 28) - 1)

struct json_node {
    uint32_t tag;
    uint32_t offset; /* first byte in the source; of a string or name: the byte after its quote */
    uint32_t length; /* bytes in the source; of a string or name: without its quotes */
    uint32_t
        aux; /* container: nodes of the subtree; name: hash; escaped: index of its pool record */
};

/* One block holds this head and the nodes; text and pool are two more. */
struct json_doc {
    struct alloc alloc;
    char *text; /* text_len bytes, then JSON_PADDING_BYTES of NUL */
    size_t text_len;
    size_t text_cap;
    char *pool; /* records of decoded strings: uint32_t length, bytes; 4-byte aligned; or NULL */
    size_t pool_len;
    size_t pool_cap;
    size_t node_count;
    size_t node_cap;
    struct json_node nodes[];
};

static inline uint32_t json_node_type(const struct json_node *node)
{
    return node->tag & JSON_NODE_TYPE;
}

/* The node after the subtree of node. */
static inline const struct json_node *json_node_after(const struct json_node *node)
{
    uint32_t type = json_node_type(node);
    return node + (type == JSON_ARRAY || type == JSON_OBJECT ? node->aux : 1);
}

/* Decoded text of a string or name. */
static inline struct str json_node_text(const struct json_doc *doc, const struct json_node *node)
{
    if ((node->tag & JSON_NODE_ESCAPED) == 0)
        return str_of(doc->text + node->offset, node->length);
    const char *record = doc->pool + (size_t)node->aux * JSON_POOL_ALIGN;
    uint32_t length;
    memcpy(&length, record, sizeof(length));
    return str_of(record + sizeof(length), length);
}

#endif

/* json.h - an immutable JSON document (RFC 8259) and the ways to look at it.
 *
 * A document owns its source text and one flat array of 16-byte nodes in preorder: an object is
 * followed by its members (name node, value subtree, ...), an array by its items. Member order,
 * number text and source offsets are kept; strings without escapes and all numbers are views into
 * the source, so nothing is copied or converted until somebody asks. Handles (struct json) are two
 * words, passed by value, valid as long as the document. A document is read-only after parsing and
 * may be shared between threads.
 */
#ifndef STRUCTURE_JSON_JSON_H
#define STRUCTURE_JSON_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/decimal.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "json/node.h" /* enum json_type; the rest of it is private */

struct json {
    const struct json_doc *doc;
    const struct json_node *node; /* NULL: no such value */
};

/* ---- life cycle ------------------------------------------------------------------------------ */

void json_doc_free(struct json_doc *doc); /* accepts NULL */
struct json json_doc_root(const struct json_doc *doc);
struct str json_doc_source(const struct json_doc *doc); /* owned by the document */

/* ---- values ---------------------------------------------------------------------------------- */

static inline bool json_exists(struct json value)
{
    return value.node != NULL;
}

static inline enum json_type json_type(struct json value)
{
    return (enum json_type)json_node_type(value.node);
}

/* "null", "boolean", "boolean", "number", "string", "array", "object" */
const char *json_type_name(enum json_type type);

/* JSON_STRING only: decoded UTF-8, owned by the document. */
static inline struct str json_string(struct json value)
{
    return json_node_text(value.doc, value.node);
}

/* JSON_NUMBER only: exactly as written, owned by the document. */
static inline struct str json_number_text(struct json value)
{
    return str_of(value.doc->text + value.node->offset, value.node->length);
}

/* JSON_NUMBER only: neither a fraction nor an exponent is written. */
static inline bool json_number_is_plain(struct json value)
{
    return (value.node->tag & JSON_NODE_INTEGER) != 0;
}

struct decimal json_number(struct json value); /* JSON_NUMBER only */

/* Items of an array, members of an object, else 0. */
static inline uint32_t json_count(struct json value)
{
    return value.node->tag >> JSON_NODE_COUNT_SHIFT;
}

/* Iteration over items, or over members; json_member_name gives the name of a value reached so:
 *
 *     for (struct json v = json_first(a); json_exists(v); v = json_next(v, a)) ...
 */
static inline struct json json_first(struct json container)
{
    if (json_count(container) == 0)
        return (struct json){ container.doc, NULL };
    bool is_object = json_type(container) == JSON_OBJECT;
    return (struct json){ container.doc, container.node + (is_object ? 2 : 1) };
}

static inline struct json json_next(struct json value, struct json container)
{
    const struct json_node *after = json_node_after(value.node);
    if (after == container.node + container.node->aux)
        return (struct json){ value.doc, NULL };
    return (struct json){ value.doc, after + (json_type(container) == JSON_OBJECT ? 1 : 0) };
}

static inline struct str json_member_name(struct json member_value)
{
    return json_node_text(member_value.doc, member_value.node - 1);
}

/* Hash of a member name under the seed of the process. Names are hashed while they are parsed. */
uint32_t json_key_hash(struct str name);
uint32_t json_member_hash(struct json member_value);

/* Member by name (decoded), or a handle that does not exist. Linear; the last one of duplicates. */
struct json json_get(struct json object, struct str name);
struct json json_at(struct json array, uint32_t index); /* linear in skipped items */

/* Equality of the JSON Schema specification: numbers by exact value, objects without order. Not
 * recursive; steps are taken from *budget, and when it is used up false is returned and *budget
 * is 0. Memory for objects in different orders comes from the allocator of a's document; without
 * it the budget counts as used up. */
bool json_equal(struct json a, struct json b, uint64_t *budget);
uint64_t json_hash(struct json value, uint64_t seed); /* equal values, equal hashes */

/* ---- positions ------------------------------------------------------------------------------- */

size_t json_offset(struct json value);     /* byte offset of the value in the source */
size_t json_end_offset(struct json value); /* one past its last byte */

/* 1-based line and column in code points of a byte offset. LF, CRLF and CR end a line. */
void json_position(struct str source, size_t offset, uint32_t *out_line, uint32_t *out_column);

/* ---- pointer (RFC 6901) ---------------------------------------------------------------------- */

/* The value at pointer, or a handle that does not exist. Array indices without leading zeros, no
 * "-". */
struct json json_pointer_get(struct json root, struct str pointer);
/* Appends "/" and the escaped token. */
void json_pointer_append(struct buffer *out, struct str token);
void json_pointer_append_index(struct buffer *out, uint32_t index);
/* Appends the pointer of value, which must belong to its document. */
void json_pointer_of(struct json value, struct buffer *out);

/* ---- parsing --------------------------------------------------------------------------------- */

enum json_duplicates { JSON_DUPLICATES_REFUSE, JSON_DUPLICATES_LAST };

struct json_options {
    size_t bytes_max;
    uint32_t depth_max;
    uint32_t nodes_max;
    uint32_t digits_max;
    enum json_duplicates duplicates;
};
#define JSON_OPTIONS_DEFAULT                                                                       \
    {                                                                                              \
        LIMIT_JSON_BYTES, LIMIT_JSON_DEPTH, LIMIT_JSON_NODES, LIMIT_JSON_DIGITS,                   \
            JSON_DUPLICATES_REFUSE                                                                 \
    }

/* Parses one complete text. On failure *error names what was expected and where (line, column, no
 * content) with STATUS_INVALID_REQUEST, or STATUS_NO_MEMORY. options NULL: the defaults. The text
 * is copied. */
enum status json_parse(struct str text, const struct json_options *options,
                       const struct alloc *alloc, struct json_doc **out_doc, struct error *error);

/* The same parser fed in pieces: any split gives the same document or the same error. Once failed
 * it stays failed. json_parser_finish ends the text and hands the document over. */
struct json_parser;
enum status json_parser_new(const struct json_options *options, const struct alloc *alloc,
                            struct json_parser **out_parser);
enum status json_parser_feed(struct json_parser *parser, struct str chunk, struct error *error);
enum status json_parser_finish(struct json_parser *parser, struct json_doc **out_doc,
                               struct error *error);
void json_parser_free(struct json_parser *parser);

/* ---- writing --------------------------------------------------------------------------------- */

/* Appends value. indent 0 writes one line without white space; otherwise that many spaces a level.
 * Number text and member order are kept, strings are escaped minimally. Errors are in the buffer's
 * status. */
void json_write(struct json value, unsigned indent, struct buffer *out);
/* Appends the quoted, minimally escaped form of UTF-8 text. */
void json_write_string(struct str text, struct buffer *out);

#endif

/* parser.h - what the parts of the parser share: its state between chunks and the faults it can
 * find.
 *
 * Private to src/json. parse.c owns the grammar of containers, token.c strings, numbers and
 * literals, member.c names and their uniqueness, fault.c the words.
 */
#ifndef STRUCTURE_JSON_PARSER_H
#define STRUCTURE_JSON_PARSER_H

#include "json/json.h"

/* What the grammar allows next. */
enum json_state {
    STATE_ROOT,
    STATE_ITEM_FIRST, /* a value or ']' */
    STATE_ITEM,       /* a value, after ',' */
    STATE_ITEM_END,   /* ',' or ']' */
    STATE_NAME_FIRST, /* a name or '}' */
    STATE_NAME,       /* a name, after ',' */
    STATE_COLON,
    STATE_MEMBER_VALUE,
    STATE_MEMBER_END, /* ',' or '}' */
    STATE_END         /* nothing but white space */
};

enum json_fault {
    FAULT_NONE, /* in a function that stops: the text ended before the token did */
    FAULT_MEMORY,
    FAULT_UNEXPECTED, /* the state tells what was expected */
    FAULT_BYTES,
    FAULT_DEPTH,
    FAULT_NODES,
    FAULT_DIGITS,
    FAULT_DUPLICATE,
    FAULT_UTF8,
    FAULT_CONTROL,
    FAULT_ESCAPE,
    FAULT_SURROGATE,
    FAULT_LITERAL,
    FAULT_NUMBER_ZERO,
    FAULT_NUMBER_MINUS,
    FAULT_NUMBER_FRACTION,
    FAULT_NUMBER_EXPONENT,
    FAULT_END_IN_STRING,
    FAULT_END_IN_NUMBER,
    FAULT_END_IN_LITERAL
};

#define JSON_NO_CONTAINER UINT32_MAX

/* A filter over the names of an open object: two bits a name; a name whose bits are new is new.
 * Deeper objects do without. */
enum { JSON_FILTER_LEVELS = 32, JSON_FILTER_WORDS = 8 };

struct name_filter {
    uint64_t bits[JSON_FILTER_WORDS];
    bool may_repeat;
};

struct json_parser {
    struct json_options options;
    struct alloc alloc;
    struct json_doc *doc; /* NULL until the first byte and after it was handed over */
    const char *end;      /* of the text so far */
    struct json_node
        *node_limit;    /* with fewer than two nodes before it, parser_more_nodes must be asked */
    bool is_last;       /* no more text comes */
    bool is_repetitive; /* the text is so long that the same names come again and again */
    enum json_state state;
    enum json_fault fault;
    size_t fault_offset;
    size_t at;            /* offset where parsing goes on */
    size_t token_scan;    /* offset where the scan of a cut token goes on, 0 without one */
    unsigned token_state; /* what its scan had found, see token.c */
    uint32_t container; /* index of the innermost open container, or JSON_NO_CONTAINER. While open,
                         * its aux is the index of the next outer one, its length the complete
                         * children of that */
    uint32_t count;     /* complete children of the innermost container */
    uint32_t depth;
    uint32_t node_count;
    uint32_t closed_names;                          /* names in objects that are complete */
    uint32_t removed_nodes;                         /* of repeated members */
    uint64_t seeds[2];                              /* of json_key_hash */
    struct name_filter filters[JSON_FILTER_LEVELS]; /* by depth; set when an object is opened */
};

/* Records a fault; returns NULL for the convenience of functions that return a position. */
const char *parser_fail(struct json_parser *parser, enum json_fault fault, const char *at);

/* The same for a byte that the grammar does not allow at at; with FAULT_NONE if more text may make
 * it right. */
const char *parser_fail_unexpected(struct json_parser *parser, const char *at);

/* Fills *error from the recorded fault. */
enum status parser_report(const struct json_parser *parser, struct error *error);

/* Room in the node array for a name and a value after node, and leave for one more value; the place
 * may move. NULL with the fault recorded at the text position at. */
struct json_node *parser_more_nodes(struct json_parser *parser, struct json_node *node,
                                    const char *at);

/* ---- token.c --------------------------------------------------------------------------------- */

/* Parse the token at the text position at into *node. Return the position after it, or NULL: with
 * FAULT_NONE when the end of the chunk cuts it. A string is known to be plain up to scan; type is
 * JSON_STRING or JSON_NODE_NAME. */
const char *parser_string(struct json_parser *parser, const char *at, const char *scan,
                          struct json_node *node, uint32_t type);
const char *parser_number(struct json_parser *parser, const char *at, struct json_node *node);
const char *parser_literal(struct json_parser *parser, const char *at, struct json_node *node);

/* Goes on with the string, name or number at the text position at, whose last scan was cut. */
const char *parser_resume(struct json_parser *parser, const char *at, struct json_node *node);

/* ---- member.c -------------------------------------------------------------------------------- */

/* Applies the policy on duplicate names to a complete object of two or more members. Returns the
 * end of its nodes, or NULL with the fault. */
struct json_node *parser_unique(struct json_parser *parser, struct json_node *object);

#endif

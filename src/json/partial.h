/* partial.h - what a parser has read so far, in the middle of a text.
 *
 * Owns: the one view into an unfinished document, for those who judge a text while it arrives.
 * Complete values in it are ordinary handles. The head of a container that is still open has
 * neither its count nor its span yet, so only its type may be asked. Invariant: a view holds until
 * the parser is used again, which may move the nodes; their numbers stay, unless repeated members
 * are removed (JSON_DUPLICATES_LAST).
 */
#ifndef STRUCTURE_JSON_PARTIAL_H
#define STRUCTURE_JSON_PARTIAL_H

#include "json/json.h"

#define JSON_PARTIAL_NONE UINT32_MAX

struct json_partial {
    const struct json_doc *doc; /* NULL before the first byte */
    uint32_t node_count;        /* complete values, names, and heads of open containers */
    uint32_t container;         /* number of the innermost open container, or JSON_PARTIAL_NONE */
    struct str token;           /* what is there of a value that is no node yet; empty: none */
};

/* The parser must not have failed. */
void json_parser_look(const struct json_parser *parser, struct json_partial *out);

/* The open container around an open container, or JSON_PARTIAL_NONE. */
uint32_t json_partial_outer(const struct json_partial *partial, uint32_t container);

#endif

/* token.h - the common case of every token, to be inlined into the machine: whole within the text,
 * a string without escapes and non-ASCII, a number without an exponent. Everything else, and every
 * fault, is left to token.c, which decides alone what a token is: these functions only ever agree
 * with it.
 *
 * Private to src/json.
 */
#ifndef STRUCTURE_JSON_TOKEN_H
#define STRUCTURE_JSON_TOKEN_H

#include "json/parser.h"
#include "json/scan.h"

static inline void node_set(struct json_node *node, uint32_t tag, const char *text,
                            const char *begin, const char *end)
{
    node->tag = tag;
    node->offset = (uint32_t)(begin - text);
    node->length = (uint32_t)(end - begin);
    node->aux = 0;
}

/* type is JSON_STRING or JSON_NODE_NAME; at is at a quote. */
static ALWAYS_INLINE const char *token_string(struct json_parser *parser, const char *text,
                                              const char *at, struct json_node *node, uint32_t type)
{
    const char *scan = at + 1;
    unsigned count;
    do {
        count = scan_plain(scan);
        /* The lengths of names in a long text can be predicted, those of values cannot. */
        scan =
            type == JSON_NODE_NAME && parser->is_repetitive ? scan_jump(scan, count) : scan + count;
    } while (UNLIKELY(count == SCAN_BLOCK));
    if (UNLIKELY(*scan != '"'))
        return parser_string(parser, at, scan, node, type);
    node_set(node, type, text, at + 1, scan);
    return scan + 1;
}

/* at is at a digit or '-'. */
static ALWAYS_INLINE const char *token_number(struct json_parser *parser, const char *text,
                                              const char *at, struct json_node *node)
{
    const char *scan = at + (*at == '-');
    uint32_t tag = JSON_NUMBER | JSON_NODE_INTEGER;
    if (UNLIKELY(*scan == '0')) {
        scan++;
        if (UNLIKELY(scan_is_digit(*scan)))
            return parser_number(parser, at, node);
    } else {
        const char *digits = scan;
        while (scan_is_digit(*scan))
            scan++;
        if (UNLIKELY(scan == digits))
            return parser_number(parser, at, node);
    }
    if (*scan == '.') {
        const char *digits = scan + 1;
        scan = scan_skip_digits(digits);
        tag = JSON_NUMBER;
        if (UNLIKELY(scan == digits))
            return parser_number(parser, at, node);
    }
    bool is_common = (*scan | 0x20) != 'e' && scan < parser->end &&
                     (size_t)(scan - at) <= parser->options.digits_max;
    if (UNLIKELY(!is_common))
        return parser_number(parser, at, node);
    node_set(node, tag, text, at, scan);
    return scan;
}

static ALWAYS_INLINE const char *token_value(struct json_parser *parser, const char *text,
                                             const char *at, struct json_node *node)
{
    if (*at == '"')
        return token_string(parser, text, at, node, JSON_STRING);
    if (scan_is_digit(*at) || *at == '-')
        return token_number(parser, text, at, node);
    if (memcmp(at, "true", 4) == 0) {
        node_set(node, JSON_TRUE, text, at, at + 4);
        return at + 4;
    }
    if (memcmp(at, "null", 4) == 0) {
        node_set(node, JSON_NULL, text, at, at + 4);
        return at + 4;
    }
    if (memcmp(at, "false", 5) == 0) {
        node_set(node, JSON_FALSE, text, at, at + 5);
        return at + 5;
    }
    return parser_literal(parser, at, node);
}

#endif

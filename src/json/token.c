/* token.c - strings, numbers and literals: RFC 8259 sections 3, 6 and 7, UTF-8 by RFC 3629.
 *
 * Owns: the grammar inside a token, decoding of escapes into the pool, and the resumption of a
 * token that a chunk cuts. Leaves to parse.c: what may stand where. Invariant: the outcome at every
 * byte depends on the bytes up to it alone, so that any split of the text finds the same token or
 * the same fault; a resumed scan starts where the last one ended, so that the work is linear in the
 * text whatever the split.
 */
#include "base/features.h"

#include "base/checked.h"
#include "base/utf8.h"
#include "json/token.h"

/* Code points of the letters that may follow a backslash, 0 for all other bytes. */
static const char escape_letters[256] = {
    ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
    ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t',
};

enum { UNICODE_ESCAPE_BYTES = 6, SURROGATE_PAIR_BYTES = 12 };

static int hex_digit(char byte)
{
    if (scan_is_digit(byte))
        return byte - '0';
    char letter = (char)(byte | 0x20);
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/* The four digits of a \u escape that begins at at; all are known to be there. */
static uint32_t escape_code(const char *at)
{
    uint32_t code = 0;
    for (unsigned i = 2; i < UNICODE_ESCAPE_BYTES; i++)
        code = code << 4 | (uint32_t)hex_digit(at[i]);
    return code;
}

static bool is_high_surrogate(uint32_t code)
{
    return code >= 0xD800 && code < 0xDC00;
}

static bool is_low_surrogate(uint32_t code)
{
    return code >= 0xDC00 && code < 0xE000;
}

/* Where the text that must match \uXXXX stops to do so: UNICODE_ESCAPE_BYTES when it does all the
 * way. */
static unsigned escape_prefix(const char *at, const char *end)
{
    unsigned count = 0;
    while (count < UNICODE_ESCAPE_BYTES && at + count < end) {
        bool matches = count == 0   ? at[0] == '\\'
                       : count == 1 ? at[1] == 'u'
                                    : hex_digit(at[count]) >= 0;
        if (!matches)
            return count;
        count++;
    }
    return count;
}

/* The escape at at, from its backslash. Returns the position after it, or NULL with the fault,
 * FAULT_NONE when the text ends before it does. */
static const char *escape_scan(struct json_parser *parser, const char *at)
{
    const char *end = parser->end;
    if (at + 1 < end && escape_letters[(unsigned char)at[1]] != 0)
        return at + 2;
    unsigned prefix = escape_prefix(at, end);
    if (prefix < UNICODE_ESCAPE_BYTES)
        return parser_fail(parser, at + prefix < end ? FAULT_ESCAPE : FAULT_NONE, at);
    uint32_t code = escape_code(at);
    if (is_low_surrogate(code))
        return parser_fail(parser, FAULT_SURROGATE, at);
    if (!is_high_surrogate(code))
        return at + UNICODE_ESCAPE_BYTES;
    const char *second = at + UNICODE_ESCAPE_BYTES;
    prefix = escape_prefix(second, end);
    if (prefix < UNICODE_ESCAPE_BYTES)
        return parser_fail(parser, second + prefix < end ? FAULT_SURROGATE : FAULT_NONE, at);
    if (!is_low_surrogate(escape_code(second)))
        return parser_fail(parser, FAULT_SURROGATE, at);
    return at + SURROGATE_PAIR_BYTES;
}

/* Bytes of the well-formed sequence at at, whose first byte is not ASCII; 0 if it is malformed or
 * cut. */
static inline unsigned utf8_sequence(const char *at)
{
    unsigned first = (unsigned char)at[0];
    unsigned second = (unsigned char)at[1] ^ 0x80u;
    unsigned third = (unsigned char)at[2] ^ 0x80u;
    if ((first & 0xF0) == 0xE0) {
        bool is_overlong = first == 0xE0 && second < 0x20;
        bool is_surrogate = first == 0xED && second >= 0x20;
        return (second | third) < 0x40 && !is_overlong && !is_surrogate ? 3 : 0;
    }
    if ((first & 0xE0) == 0xC0)
        return second < 0x40 && first >= 0xC2 ? 2 : 0;
    unsigned fourth = (unsigned char)at[3] ^ 0x80u;
    unsigned plane = (first & 7) << 2 | second >> 4; /* 1..16 are in use */
    bool is_four = (first & 0xF8) == 0xF0 && (second | third | fourth) < 0x40;
    return is_four && plane >= 1 && plane <= 16 ? 4 : 0;
}

/* The text ends inside a string. The scan goes on at at, which begins an escape or a UTF-8
 * sequence. */
static const char *string_cut(struct json_parser *parser, const char *at, bool is_escaped)
{
    if (parser->is_last)
        return parser_fail(parser, FAULT_END_IN_STRING, parser->end);
    parser->token_scan = (size_t)(at - parser->doc->text);
    parser->token_state = is_escaped;
    return NULL;
}

/* Stops at the end of the text or at a byte that no string can contain. */
static const char *string_stop(struct json_parser *parser, const char *at, bool is_escaped)
{
    if (at == parser->end)
        return string_cut(parser, at, is_escaped);
    if ((unsigned char)*at < 0x80)
        return parser_fail(parser, FAULT_CONTROL, at);
    size_t incomplete = 0;
    size_t left = (size_t)(parser->end - at);
    struct str sequence =
        str_of(at, left < UTF8_SEQUENCE_BYTES_MAX ? left : UTF8_SEQUENCE_BYTES_MAX);
    if (utf8_valid_prefix(sequence, &incomplete) == 0 && incomplete != 0)
        return parser_fail(parser, FAULT_UTF8, at);
    return string_cut(parser, at, is_escaped);
}

/* From at to the closing quote of a string. */
static const char *string_scan(struct json_parser *parser, const char *at, bool *is_escaped)
{
    for (;;) {
        unsigned count = scan_plain(at);
        at += count;
        if (count == SCAN_BLOCK)
            continue;
        if (*at == '"')
            return at;
        if (*at == '\\') {
            const char *after = escape_scan(parser, at);
            if (after == NULL)
                return parser->fault != FAULT_NONE ? NULL : string_cut(parser, at, *is_escaped);
            *is_escaped = true;
            at = after;
            continue;
        }
        unsigned bytes = 0;
        while (scan_triples(at)) {
            at += SCAN_TRIPLES_BYTES;
            bytes = 3;
        }
        while ((unsigned char)*at >= 0x80 && (bytes = utf8_sequence(at)) != 0)
            at += bytes;
        if (bytes == 0)
            return string_stop(parser, at, *is_escaped);
    }
}

static bool pool_reserve(struct json_parser *parser, size_t bytes)
{
    struct json_doc *doc = parser->doc;
    size_t needed;
    if (size_add_overflows(doc->pool_len, bytes, &needed))
        return false;
    if (needed <= doc->pool_cap)
        return true;
    size_t cap = doc->pool_cap == 0 ? doc->text_len / 8 : doc->pool_cap * 2;
    if (cap < needed)
        cap = needed;
    char *pool = alloc_grow(&doc->alloc, doc->pool, doc->pool_cap, cap);
    if (pool == NULL)
        return false;
    doc->pool = pool;
    doc->pool_cap = cap;
    return true;
}

/* One escape, which is well-formed. Returns the position after it. */
static const char *escape_decode(const char *at, char **out)
{
    if (at[1] != 'u') {
        *(*out)++ = escape_letters[(unsigned char)at[1]];
        return at + 2;
    }
    uint32_t code = escape_code(at);
    at += UNICODE_ESCAPE_BYTES;
    if (is_high_surrogate(code)) {
        code = 0x10000 + ((code - 0xD800) << 10) + (escape_code(at) - 0xDC00);
        at += UNICODE_ESCAPE_BYTES;
    }
    *out += utf8_encode(code, *out);
    return at;
}

/* Decodes the escapes of a checked string into a record of the pool. No escape is shorter than its
 * text, so the source length is room enough; blocks overrun it by less than JSON_PADDING_BYTES,
 * which stay readable behind the pool. */
static bool string_decode(struct json_parser *parser, const char *at, const char *quote,
                          struct json_node *node)
{
    struct json_doc *doc = parser->doc;
    uint32_t length;
    size_t source_len = (size_t)(quote - at);
    if (!pool_reserve(parser, sizeof(length) + source_len + JSON_PADDING_BYTES + JSON_POOL_ALIGN)) {
        (void)parser_fail(parser, FAULT_MEMORY, at);
        return false;
    }
    char *record = doc->pool + doc->pool_len;
    char *out = record + sizeof(length);
    while (at < quote) {
        unsigned count = scan_copy_to_backslash(out, at);
        if (count >= (size_t)(quote - at)) {
            out += quote - at;
            break;
        }
        at += count;
        out += count;
        if (count < SCAN_BLOCK)
            at = escape_decode(at, &out);
    }
    length = (uint32_t)(out - record - sizeof(length));
    memcpy(record, &length, sizeof(length));
    node->aux = (uint32_t)(doc->pool_len / JSON_POOL_ALIGN);
    size_t record_len = (size_t)(out - record);
    doc->pool_len += (record_len + JSON_POOL_ALIGN - 1) / JSON_POOL_ALIGN * JSON_POOL_ALIGN;
    return true;
}

static const char *string_finish(struct json_parser *parser, const char *at, const char *scan,
                                 bool is_escaped, struct json_node *node, uint32_t type)
{
    const char *begin = at + 1;
    const char *quote = string_scan(parser, scan, &is_escaped);
    if (quote == NULL)
        return NULL;
    node_set(node, type, parser->doc->text, begin, quote);
    if (is_escaped) {
        node->tag |= JSON_NODE_ESCAPED;
        if (!string_decode(parser, begin, quote, node))
            return NULL;
    }
    return quote + 1;
}

const char *parser_string(struct json_parser *parser, const char *at, const char *scan,
                          struct json_node *node, uint32_t type)
{
    return string_finish(parser, at, scan, false, node, type);
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* What was read of a number; a number may end after ZERO, WHOLE, FRACTION and EXPONENT. */
enum number_state {
    NUMBER_BEGIN,
    NUMBER_MINUS,
    NUMBER_ZERO,
    NUMBER_WHOLE,
    NUMBER_POINT,
    NUMBER_FRACTION,
    NUMBER_E,
    NUMBER_E_SIGN,
    NUMBER_EXPONENT,
    NUMBER_STOP /* the byte does not continue the number */
};

static enum number_state number_step(enum number_state state, char byte)
{
    bool is_digit = scan_is_digit(byte);
    bool is_e = byte == 'e' || byte == 'E';
    switch (state) {
    case NUMBER_BEGIN:
        if (byte == '-')
            return NUMBER_MINUS;
        return byte == '0' ? NUMBER_ZERO : is_digit ? NUMBER_WHOLE : NUMBER_STOP;
    case NUMBER_MINUS: return byte == '0' ? NUMBER_ZERO : is_digit ? NUMBER_WHOLE : NUMBER_STOP;
    case NUMBER_ZERO: return byte == '.' ? NUMBER_POINT : is_e ? NUMBER_E : NUMBER_STOP;
    case NUMBER_WHOLE:
        return is_digit ? NUMBER_WHOLE : byte == '.' ? NUMBER_POINT : is_e ? NUMBER_E : NUMBER_STOP;
    case NUMBER_POINT: return is_digit ? NUMBER_FRACTION : NUMBER_STOP;
    case NUMBER_FRACTION: return is_digit ? NUMBER_FRACTION : is_e ? NUMBER_E : NUMBER_STOP;
    case NUMBER_E:
        return is_digit                     ? NUMBER_EXPONENT
               : byte == '+' || byte == '-' ? NUMBER_E_SIGN
                                            : NUMBER_STOP;
    case NUMBER_E_SIGN:
    case NUMBER_EXPONENT: return is_digit ? NUMBER_EXPONENT : NUMBER_STOP;
    case NUMBER_STOP: break;
    }
    return NUMBER_STOP;
}

/* Why the byte after a number in this state is wrong; FAULT_NONE when the number is complete. */
static enum json_fault number_fault(enum number_state state, char byte)
{
    switch (state) {
    case NUMBER_BEGIN: return FAULT_UNEXPECTED;
    case NUMBER_MINUS: return FAULT_NUMBER_MINUS;
    case NUMBER_ZERO: return scan_is_digit(byte) ? FAULT_NUMBER_ZERO : FAULT_NONE;
    case NUMBER_POINT: return FAULT_NUMBER_FRACTION;
    case NUMBER_E:
    case NUMBER_E_SIGN: return FAULT_NUMBER_EXPONENT;
    case NUMBER_WHOLE:
    case NUMBER_FRACTION:
    case NUMBER_EXPONENT:
    case NUMBER_STOP: break;
    }
    return FAULT_NONE;
}

/* Goes on at scan with what was read before it. */
static const char *number_finish(struct json_parser *parser, const char *at, const char *scan,
                                 enum number_state state, struct json_node *node)
{
    const char *text = parser->doc->text;
    enum number_state next;
    while (scan < parser->end && (next = number_step(state, *scan)) != NUMBER_STOP) {
        state = next;
        scan++;
    }
    if ((size_t)(scan - at) > parser->options.digits_max)
        return parser_fail(parser, FAULT_DIGITS, at);
    if (scan == parser->end && !parser->is_last) {
        parser->token_scan = (size_t)(scan - text);
        parser->token_state = state;
        return NULL;
    }
    enum json_fault fault = number_fault(state, *scan);
    if (fault != FAULT_NONE)
        return parser_fail(parser, scan == parser->end ? FAULT_END_IN_NUMBER : fault, scan);
    bool is_integer = state == NUMBER_ZERO || state == NUMBER_WHOLE;
    node_set(node, JSON_NUMBER | (is_integer ? JSON_NODE_INTEGER : 0), text, at, scan);
    return scan;
}

const char *parser_number(struct json_parser *parser, const char *at, struct json_node *node)
{
    return number_finish(parser, at, at, NUMBER_BEGIN, node);
}

/* ---- literals -------------------------------------------------------------------------------- */

const char *parser_literal(struct json_parser *parser, const char *at, struct json_node *node)
{
    static const struct {
        enum json_type type;
        struct str word;
    } literals[] = {
        { JSON_NULL, { "null", 4 } },
        { JSON_FALSE, { "false", 5 } },
        { JSON_TRUE, { "true", 4 } },
    };
    for (size_t i = 0; i < sizeof(literals) / sizeof(literals[0]); i++) {
        struct str word = literals[i].word;
        if (*at != word.ptr[0])
            continue;
        size_t count = 1;
        while (count < word.len && at + count < parser->end && at[count] == word.ptr[count])
            count++;
        if (count < word.len && at + count < parser->end)
            return parser_fail(parser, FAULT_LITERAL, at);
        if (count < word.len)
            return parser_fail(parser, parser->is_last ? FAULT_END_IN_LITERAL : FAULT_NONE,
                               parser->end);
        node_set(node, literals[i].type, parser->doc->text, at, at + word.len);
        return at + word.len;
    }
    return parser_fail_unexpected(parser, at);
}

const char *parser_resume(struct json_parser *parser, const char *at, struct json_node *node)
{
    const char *scan = parser->doc->text + parser->token_scan;
    unsigned state = parser->token_state;
    bool is_name = parser->state == STATE_NAME || parser->state == STATE_NAME_FIRST;
    parser->token_scan = 0;
    if (*at == '"')
        return string_finish(parser, at, scan, state != 0, node,
                             is_name ? JSON_NODE_NAME : JSON_STRING);
    return number_finish(parser, at, scan, (enum number_state)state, node);
}

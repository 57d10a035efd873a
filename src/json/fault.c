/* fault.c - what the parser says when it stops, and where.
 *
 * Owns: the words. They name what was expected, the class of what was found, and line and column;
 * never a part of the text.
 */
#include "base/features.h"

#include "json/parser.h"
#include "json/scan.h"

static const char *const expected_in_state[] = {
    [STATE_ROOT] = "expected a value",
    [STATE_ITEM_FIRST] = "expected a value or ']' after '['",
    [STATE_ITEM] = "expected a value after ','",
    [STATE_ITEM_END] = "expected ',' or ']' after an item",
    [STATE_NAME_FIRST] = "expected a member name in double quotes or '}' after '{'",
    [STATE_NAME] = "expected a member name in double quotes after ','",
    [STATE_COLON] = "expected ':' after a member name",
    [STATE_MEMBER_VALUE] = "expected a value after ':'",
    [STATE_MEMBER_END] = "expected ',' or '}' after a member",
    [STATE_END] = "expected nothing after the end of the value",
};

static bool is_byte_order_mark(const struct json_parser *parser)
{
    return parser->fault_offset == 0 && strncmp(parser->doc->text, "\xEF\xBB\xBF", 3) == 0;
}

static const char *found_name(const struct json_parser *parser)
{
    const struct json_doc *doc = parser->doc;
    unsigned char byte = (unsigned char)doc->text[parser->fault_offset];
    if (parser->fault_offset == doc->text_len)
        return parser->fault_offset == 0 ? "an empty text" : "the end of the text";
    if (is_byte_order_mark(parser))
        return "a byte order mark";
    if (byte >= 0x80)
        return "a character beyond ASCII";
    if (byte < ' ' || byte == 0x7F)
        return "a control character";
    if (scan_is_digit((char)byte))
        return "a digit";
    if ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z')
        return "a letter";
    switch (byte) {
    case '"': return "a string";
    case '\'': return "a single quote";
    case '/': return "'/'";
    case ',': return "','";
    case ':': return "':'";
    case '{': return "'{'";
    case '}': return "'}'";
    case '[': return "'['";
    case ']': return "']'";
    default: return "a punctuation mark";
    }
}

/* What to do about the faults that people make most often; NULL for the others. */
static const char *fault_hint(const struct json_parser *parser)
{
    const struct json_doc *doc = parser->doc;
    char byte = doc->text[parser->fault_offset];
    if (parser->fault == FAULT_DUPLICATE)
        return "keep one of the two members";
    if (parser->fault == FAULT_CONTROL)
        return "write \\n for a line break and \\t for a tab";
    if (parser->fault == FAULT_UTF8)
        return "save the text as UTF-8";
    if (parser->fault != FAULT_UNEXPECTED || parser->fault_offset == doc->text_len)
        return NULL;
    if (byte == '\'')
        return "strings stand in double quotes";
    if (byte == '/' || byte == '#')
        return "JSON has no comments";
    if ((byte == '}' && parser->state == STATE_NAME) ||
        (byte == ']' && parser->state == STATE_ITEM))
        return "remove the comma before the bracket";
    if (is_byte_order_mark(parser))
        return "save the text as UTF-8 without a byte order mark";
    return NULL;
}

/* The words for a fault that is not about a limit; NULL for the others. */
static const char *fault_words(enum json_fault fault)
{
    switch (fault) {
    case FAULT_DUPLICATE: return "this member name is already in the object";
    case FAULT_UTF8: return "expected well-formed UTF-8 in a string";
    case FAULT_CONTROL: return "expected control characters in a string to be escaped";
    case FAULT_ESCAPE:
        return "expected one of \" \\ / b f n r t or u and four hexadecimal digits after '\\'";
    case FAULT_SURROGATE: return "expected \\u escapes of surrogates in pairs, high before low";
    case FAULT_LITERAL: return "expected a value; the literals are null, true and false";
    case FAULT_NUMBER_ZERO: return "expected no digit after a leading 0";
    case FAULT_NUMBER_MINUS: return "expected a digit after '-'";
    case FAULT_NUMBER_FRACTION: return "expected a digit after '.'";
    case FAULT_NUMBER_EXPONENT: return "expected a digit in the exponent";
    case FAULT_END_IN_STRING: return "expected '\"' before the end of the text";
    case FAULT_END_IN_NUMBER: return "expected the rest of a number before the end of the text";
    case FAULT_END_IN_LITERAL:
        return "expected the rest of null, true or false before the end of the text";
    case FAULT_NONE:
    case FAULT_MEMORY:
    case FAULT_UNEXPECTED:
    case FAULT_BYTES:
    case FAULT_DEPTH:
    case FAULT_NODES:
    case FAULT_DIGITS: break;
    }
    return NULL;
}

struct json_limit {
    const char *unit;
    const char *option;
    size_t value;
};

static struct json_limit fault_limit(const struct json_parser *parser)
{
    const struct json_options *options = &parser->options;
    if (parser->fault == FAULT_BYTES)
        return (struct json_limit){ "bytes of text", "--max-size", options->bytes_max };
    if (parser->fault == FAULT_DEPTH)
        return (struct json_limit){ "levels of nesting", "--max-depth", options->depth_max };
    if (parser->fault == FAULT_NODES)
        return (struct json_limit){ "values", "--max-nodes", options->nodes_max };
    return (struct json_limit){ "characters in a number", "--max-digits", options->digits_max };
}

enum status parser_report(const struct json_parser *parser, struct error *error)
{
    if (parser->fault == FAULT_MEMORY)
        return error_set(error, STATUS_NO_MEMORY, "out of memory while parsing JSON");
    if (error == NULL || error->status != STATUS_OK)
        return STATUS_INVALID_REQUEST;
    uint32_t line;
    uint32_t column;
    json_position(json_doc_source(parser->doc), parser->fault_offset, &line, &column);
    const char *words = fault_words(parser->fault);
    if (parser->fault == FAULT_UNEXPECTED) {
        (void)error_set(error, STATUS_INVALID_REQUEST, "line %u, column %u: %s, found %s", line,
                        column, expected_in_state[parser->state], found_name(parser));
    } else if (words != NULL) {
        (void)error_set(error, STATUS_INVALID_REQUEST, "line %u, column %u: %s", line, column,
                        words);
    } else {
        struct json_limit limit = fault_limit(parser);
        (void)error_set(error, STATUS_INVALID_REQUEST,
                        "line %u, column %u: more than %zu %s; %s sets the limit", line, column,
                        limit.value, limit.unit, limit.option);
    }
    const char *hint = fault_hint(parser);
    if (hint != NULL)
        error_hint(error, "%s", hint);
    error_at_line(error, line, column);
    return STATUS_INVALID_REQUEST;
}

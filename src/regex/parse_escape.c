/* parse_escape.c - escapes and character classes.
 *
 * Owns: which escapes `u` allows, and which of the others are tolerated: those of ASCII
 * punctuation, which can only have been meant as that mark.
 */
#include "base/features.h"

#include "regex/parse.h"

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
        return (c | 0x20) - 'a' + 10;
    return -1;
}

/* Exactly count hexadecimal digits at `ahead`, not consumed. */
static bool parse_hex_at(const struct parser *parser, size_t ahead, unsigned count,
                         uint32_t *out_value)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < count; i++) {
        int digit = hex_value(parse_peek(parser, ahead + i));
        if (digit < 0)
            return false;
        value = value << 4 | (uint32_t)digit;
    }
    *out_value = value;
    return true;
}

/* `{...}` of `\u`, behind the brace. */
static uint32_t parse_braced_code_point(struct parser *parser)
{
    uint32_t value = 0;
    size_t begin = parser->at;
    for (int digit; (digit = hex_value(parse_peek(parser, 0))) >= 0; parser->at++) {
        value = value << 4 | (uint32_t)digit;
        if (value > CODE_POINT_MAX) {
            parse_fail(parser, "a code point beyond U+10FFFF");
            return 0;
        }
    }
    if (parser->at == begin || !parse_skip(parser, '}'))
        parse_fail(parser, "an incomplete \"\\u{...}\"");
    return value;
}

uint32_t parse_unicode_escape(struct parser *parser)
{
    uint32_t value = 0;
    uint32_t low;
    parser->at++;
    if (parse_skip(parser, '{'))
        return parse_braced_code_point(parser);
    if (!parse_hex_at(parser, 0, 4, &value)) {
        parse_fail(parser, "\"\\u\" is not followed by four hexadecimal digits");
        return 0;
    }
    parser->at += 4;
    if (value >= 0xD800 && value <= 0xDBFF && parse_peek(parser, 0) == '\\' &&
        parse_peek(parser, 1) == 'u' && parse_hex_at(parser, 2, 4, &low) && low >= 0xDC00 &&
        low <= 0xDFFF) {
        parser->at += 6;
        return 0x10000 + ((value - 0xD800) << 10) + (low - 0xDC00);
    }
    return value;
}

/* One that is its own meaning: syntax characters and, with a note, other ASCII punctuation. */
static uint32_t parse_identity_escape(struct parser *parser)
{
    unsigned char c = (unsigned char)parse_peek(parser, 0);
    bool is_syntax = c != '\0' && strchr("^$\\.*+?()[]{}|/", c) != NULL;
    bool is_mark =
        c > ' ' && c < 0x7F && !(c >= '0' && c <= '9') && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
    if (!is_syntax && (!is_mark || parser->strict)) {
        parse_fail(parser, parser->at == parser->text.len ? "\"\\\" at the end"
                                                          : "an escape that is not defined");
        return 0;
    }
    parser->tolerated = parser->tolerated || !is_syntax;
    parser->at++;
    return c;
}

static uint32_t parse_zero_escape(struct parser *parser)
{
    parser->at++;
    char next = parse_peek(parser, 0);
    if (next >= '0' && next <= '9')
        parse_fail(parser, "an octal escape");
    return 0;
}

static uint32_t parse_control_letter(struct parser *parser)
{
    char letter = parse_peek(parser, 1);
    if ((letter | 0x20) < 'a' || (letter | 0x20) > 'z') {
        parse_fail(parser, "\"\\c\" is not followed by a letter");
        return 0;
    }
    parser->at += 2;
    return (uint32_t)letter % 32;
}

static uint32_t parse_hex_escape(struct parser *parser)
{
    uint32_t value = 0;
    if (!parse_hex_at(parser, 1, 2, &value)) {
        parse_fail(parser, "\"\\x\" is not followed by two hexadecimal digits");
        return 0;
    }
    parser->at += 3;
    return value;
}

uint32_t parse_character_escape(struct parser *parser)
{
    static const char letters[] = "tnvfr";
    static const char controls[] = "\t\n\v\f\r";
    char c = parse_peek(parser, 0);
    const char *letter = c == '\0' ? NULL : strchr(letters, c);
    if (letter != NULL) {
        parser->at++;
        return (uint32_t)controls[letter - letters];
    }
    switch (c) {
    case '0': return parse_zero_escape(parser);
    case 'c': return parse_control_letter(parser);
    case 'x': return parse_hex_escape(parser);
    case 'u': return parse_unicode_escape(parser);
    default: return parse_identity_escape(parser);
    }
}

/* ---- classes --------------------------------------------------------------------------------- */

/* A run of letters, digits and underscores. */
static struct str parse_property_word(struct parser *parser)
{
    size_t begin = parser->at;
    for (;;) {
        char c = parse_peek(parser, 0);
        if (!(c >= '0' && c <= '9') && c != '_' && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z'))
            return str_of(parser->text.ptr + begin, parser->at - begin);
        parser->at++;
    }
}

/* Behind `\p` or `\P`. */
static void parse_property(struct parser *parser, bool negated)
{
    struct str value = { 0 };
    bool has_value = false;
    if (!parse_skip(parser, '{')) {
        parse_fail(parser, "\"\\p\" is not followed by \"{\"");
        return;
    }
    struct str name = parse_property_word(parser);
    if (parse_skip(parser, '=')) {
        has_value = true;
        value = parse_property_word(parser);
    }
    if (name.len == 0 || (has_value && value.len == 0) || !parse_skip(parser, '}')) {
        parse_fail(parser, "an incomplete \"\\p{...}\"");
        return;
    }
    if (!charset_add_property(&parser->set, name, value, negated))
        parse_fail(parser, "a property that ECMA-262 does not know");
}

bool parse_class_escape(struct parser *parser)
{
    char c = parse_peek(parser, 0);
    if (c == '\0' || strchr("dDsSwWpP", c) == NULL)
        return false;
    parser->at++;
    if ((c | 0x20) == 'p')
        parse_property(parser, c == 'P');
    else
        charset_add_escape(&parser->set, c, parser->flags.ignore_case);
    return true;
}

/* A character of a class, or a class escape, which is added at once: then false. */
static bool parse_class_atom(struct parser *parser, uint32_t *out_code_point)
{
    *out_code_point = 0;
    if (!parse_skip(parser, '\\')) {
        *out_code_point = parse_code_point(parser);
        return true;
    }
    if (parse_class_escape(parser))
        return false;
    if (parse_skip(parser, 'b'))
        *out_code_point = '\b';
    else if (parse_skip(parser, '-'))
        *out_code_point = '-';
    else
        *out_code_point = parse_character_escape(parser);
    return true;
}

static void parse_class_range(struct parser *parser)
{
    uint32_t first;
    uint32_t last;
    bool is_character = parse_class_atom(parser, &first);
    bool is_range = parse_peek(parser, 0) == '-' && parse_peek(parser, 1) != ']' &&
                    parser->at + 1 < parser->text.len;
    if (!is_range) {
        if (is_character)
            charset_add(&parser->set, first, first);
        return;
    }
    parser->at++;
    if (!parse_class_atom(parser, &last) || !is_character)
        parse_fail(parser, "a class escape is no end of a range");
    else if (first > last)
        parse_fail(parser, "the ends of a range are out of order");
    else
        charset_add(&parser->set, first, last);
}

/* The members, and with them what differs from them in case only. */
static void set_settle(struct parser *parser)
{
    charset_normalise(&parser->set);
    if (parser->flags.ignore_case)
        charset_fold(&parser->set);
}

uint32_t parse_set_node(struct parser *parser)
{
    if (!parse_ok(parser) || parser->tree->is_muted)
        return 0;
    set_settle(parser);
    return tree_add_set(parser->tree, &parser->set);
}

void parse_class(struct parser *parser)
{
    charset_clear(&parser->set);
    bool negated = parse_skip(parser, '^');
    while (parse_ok(parser) && !parse_skip(parser, ']')) {
        if (parser->at == parser->text.len)
            parse_fail(parser, "a character class is not closed");
        else
            parse_class_range(parser);
    }
    if (!parse_ok(parser) || parser->tree->is_muted)
        return;
    set_settle(parser);
    if (negated)
        charset_complement(&parser->set);
}

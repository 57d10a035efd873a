/* format_uri.c - URI, IRI and URI template syntax.
 *
 * Owns: the grammar of RFC 3986 appendix A (with the additions of RFC 3987 section 2.2) and of RFC
 * 6570 section 2. Leaves to others: resolving references (reference.c). One pass, no backtracking.
 */
#include "base/features.h"

#include "base/utf8.h"
#include "schema/format_parts.h"

enum {
    URI_PLAIN = 1, /* unreserved characters and sub-delims: in every component */
    URI_COLON = 2,
    URI_AT = 4,
    URI_SLASH = 8,
    URI_QUESTION = 16,
    URI_GENERAL = 32, /* the other gen-delims: # [ ] */
    URI_SEGMENTS = URI_PLAIN | URI_COLON | URI_AT | URI_SLASH,
    URI_QUERY = URI_SEGMENTS | URI_QUESTION
};

enum { URI_FIRST = 0x20, URI_COUNT = 0x60 };

/* The kind of each character from 0x20 to 0x7F. */
/* clang-format off */
static const unsigned char uri_kinds[URI_COUNT] = {
    0, 1, 0, 32, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 8, /* 0x20 */
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 0, 1, 0, 16, /* 0x30 */
    4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, /* 0x40 */
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 32, 0, 32, 0, 1, /* 0x50 */
    0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, /* 0x60 */
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 0, /* 0x70 */
};
/* clang-format on */

/* Which characters a component takes besides percent escapes. */
struct uri_class {
    unsigned kinds;     /* URI_... */
    bool international; /* ucschar of RFC 3987 */
    bool is_private;    /* iprivate as well: the query of an IRI */
};

static bool uri_has_kind(char byte, unsigned kinds)
{
    unsigned index = (unsigned char)byte - (unsigned)URI_FIRST;
    return index < URI_COUNT && (uri_kinds[index] & kinds) != 0;
}

static bool uri_is_international(uint32_t code_point, bool with_private)
{
    if (code_point < 0xA0)
        return false;
    if (code_point >= 0xE000 && code_point <= 0xF8FF)
        return with_private;
    if (code_point >= 0xF0000)
        return with_private && (code_point & 0xFFFF) <= 0xFFFD;
    if (code_point >= 0xFDD0 && code_point <= 0xFDEF)
        return false;
    if (code_point >= 0xFFF0 && code_point <= 0xFFFF)
        return false;
    if (code_point >= 0xE0000 && code_point < 0xE1000)
        return false;
    return (code_point & 0xFFFF) <= 0xFFFD;
}

/* Bytes of the character at the beginning of text if the class has it, else 0. */
static size_t uri_character(struct str text, const struct uri_class *class)
{
    char byte = text.ptr[0];
    if (uri_has_kind(byte, class->kinds))
        return 1;
    if (byte == '%')
        return text.len >= 3 && format_is_hex(text.ptr[1]) && format_is_hex(text.ptr[2]) ? 3 : 0;
    if (!class->international || (unsigned char)byte < 0x80)
        return 0;
    uint32_t code_point;
    unsigned len = utf8_decode(text.ptr, text.len, &code_point);
    return uri_is_international(code_point, class->is_private) ? len : 0;
}

static bool uri_is_all(struct str text, const struct uri_class *class)
{
    size_t at = 0;
    while (at < text.len) {
        size_t len = uri_character(str_of(text.ptr + at, text.len - at), class);
        if (len == 0)
            return false;
        at += len;
    }
    return true;
}

/* Bytes before the first stop character. */
static size_t uri_span(struct str text, char stop)
{
    const char *found = text.len > 0 ? memchr(text.ptr, stop, text.len) : NULL;
    return found != NULL ? (size_t)(found - text.ptr) : text.len;
}

/* Bytes of the scheme without its colon, 0 when there is none. */
static size_t uri_scheme(struct str text)
{
    if (text.len == 0 || !format_is_letter(text.ptr[0]))
        return 0;
    size_t len = 1;
    while (len < text.len && (format_is_letter(text.ptr[len]) || format_is_digit(text.ptr[len]) ||
                              text.ptr[len] == '+' || text.ptr[len] == '-' || text.ptr[len] == '.'))
        len++;
    return len < text.len && text.ptr[len] == ':' ? len : 0;
}

/* "v1.x" inside brackets: RFC 3986 IPvFuture. */
static bool uri_is_future_address(struct str text)
{
    static const struct uri_class class = { .kinds = URI_PLAIN | URI_COLON };
    if (text.len < 4 || (text.ptr[0] | 0x20) != 'v')
        return false;
    size_t len = 1;
    while (len < text.len && format_is_hex(text.ptr[len]))
        len++;
    if (len == 1 || len + 1 >= text.len || text.ptr[len] != '.')
        return false;
    struct str rest = format_from(text, len + 1);
    return memchr(rest.ptr, '%', rest.len) == NULL && uri_is_all(rest, &class);
}

static bool uri_is_authority(struct str text, bool international)
{
    struct uri_class userinfo = { URI_PLAIN | URI_COLON, international, false };
    struct uri_class name = { URI_PLAIN, international, false };
    size_t at = uri_span(text, '@');
    if (at < text.len) {
        if (!uri_is_all(str_of(text.ptr, at), &userinfo))
            return false;
        text = format_from(text, at + 1);
    }
    size_t host = uri_span(text, ':');
    if (text.len > 0 && text.ptr[0] == '[') {
        host = uri_span(text, ']');
        if (host == text.len)
            return false;
        struct str inner = str_of(text.ptr + 1, host - 1);
        if (!format_is_ipv6(inner) && !uri_is_future_address(inner))
            return false;
        host++;
    } else if (!uri_is_all(str_of(text.ptr, host), &name)) {
        return false;
    }
    struct str port = format_from(text, host);
    if (port.len > 0 && port.ptr[0] != ':')
        return false;
    for (size_t i = 1; i < port.len; i++)
        if (!format_is_digit(port.ptr[i]))
            return false;
    return true;
}

bool format_is_uri(struct str text, bool reference, bool international)
{
    struct uri_class path = { URI_SEGMENTS, international, false };
    struct uri_class query = { URI_QUERY, international, international };
    struct uri_class fragment = { URI_QUERY, international, false };
    size_t scheme = uri_scheme(text);
    if (scheme > 0)
        text = format_from(text, scheme + 1);
    else if (!reference)
        return false;
    size_t len = uri_span(text, '#');
    if (len < text.len && !uri_is_all(format_from(text, len + 1), &fragment))
        return false;
    text.len = len;
    len = uri_span(text, '?');
    if (len < text.len && !uri_is_all(format_from(text, len + 1), &query))
        return false;
    text.len = len;
    if (str_starts_with(text, STR("//"))) {
        text = format_from(text, 2);
        len = uri_span(text, '/');
        if (!uri_is_authority(str_of(text.ptr, len), international))
            return false;
        return uri_is_all(format_from(text, len), &path);
    }
    /* Without a scheme a colon in the first segment would make one. */
    if (scheme == 0 && uri_span(text, ':') < uri_span(text, '/'))
        return false;
    return uri_is_all(text, &path);
}

/* Bytes of a variable name (RFC 6570 section 2.3), 0 for a fault. */
static size_t template_name(struct str text)
{
    size_t at = 0;
    bool after_character = false;
    while (at < text.len) {
        char byte = text.ptr[at];
        if (byte == '.' && after_character) {
            after_character = false;
            at++;
        } else if (format_is_letter(byte) || format_is_digit(byte) || byte == '_') {
            after_character = true;
            at++;
        } else if (byte == '%' && at + 2 < text.len && format_is_hex(text.ptr[at + 1]) &&
                   format_is_hex(text.ptr[at + 2])) {
            after_character = true;
            at += 3;
        } else {
            break;
        }
    }
    return after_character ? at : 0;
}

/* Bytes of ":" 1..9999 or "*". */
static size_t template_modifier(struct str text)
{
    if (text.len > 0 && text.ptr[0] == '*')
        return 1;
    if (text.len < 2 || text.ptr[0] != ':' || text.ptr[1] < '1' || text.ptr[1] > '9')
        return 0;
    size_t at = 2;
    while (at < text.len && at < 5 && format_is_digit(text.ptr[at]))
        at++;
    return at;
}

/* What lies between the braces. */
static bool template_is_expression(struct str text)
{
    if (text.len > 0 && text.ptr[0] != '\0' && strchr("+#./;?&=,!@|", text.ptr[0]) != NULL)
        text = format_from(text, 1);
    for (;;) {
        size_t len = template_name(text);
        if (len == 0)
            return false;
        text = format_from(text, len);
        text = format_from(text, template_modifier(text));
        if (text.len == 0)
            return true;
        if (text.ptr[0] != ',')
            return false;
        text = format_from(text, 1);
    }
}

bool format_is_uri_template(struct str text)
{
    static const struct uri_class literal = { URI_QUERY | URI_GENERAL, true, true };
    while (text.len > 0) {
        if (text.ptr[0] == '{') {
            size_t len = uri_span(text, '}');
            if (len == text.len || !template_is_expression(str_of(text.ptr + 1, len - 1)))
                return false;
            text = format_from(text, len + 1);
            continue;
        }
        size_t len = uri_character(text, &literal);
        if (len == 0)
            return false;
        text = format_from(text, len);
    }
    return true;
}

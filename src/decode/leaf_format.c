/* leaf_format.c - hand-written byte automata for date, time, duration, email, host, address, URI
 * and UUID.
 *
 * Invariant: after every accepted byte format_close finds a text that completes, within the
 * format's length. Sources: RFC 3339 (dates, times, durations), RFC 5321 (email), RFC 1123 (host
 * names), RFC 3986 (URI), RFC 4291 (IPv6), RFC 9562 (UUID), RFC 6901 (pointers).
 */
#include "base/features.h"

#include "decode/leaf_format.h"

enum {
    EMAIL_MAX = 254,
    EMAIL_LOCAL_MAX = 64,
    LABEL_MAX = 63,
    HOST_MAX = 253,
    URI_MAX = 1000,
    DURATION_MAX = 24
};

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_hex(unsigned char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_one_of(unsigned char c, const char *set)
{
    return c != 0 && strchr(set, c) != NULL;
}

/* ---- date and time
 * --------------------------------------------------------------------------------- */

static unsigned two_digits(const char *text)
{
    return (unsigned)(text[0] - '0') * 10 + (unsigned)(text[1] - '0');
}

static unsigned days_of(const char *date)
{
    static const uint8_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    unsigned month = two_digits(date + 5);
    unsigned year = two_digits(date) * 100 + two_digits(date + 2);
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && leap ? 29 : days[month - 1];
}

/* text[at] may be c in YYYY-MM-DD. */
static bool date_accepts(const char *text, unsigned at, unsigned char c)
{
    if (at == 4 || at == 7)
        return c == '-';
    if (!is_digit(c))
        return false;
    unsigned digit = (unsigned)(c - '0');
    switch (at) {
    case 5: return digit <= 1;
    case 6: return text[5] == '0' ? digit >= 1 : digit <= 2;
    case 8: return digit <= days_of(text) / 10;
    case 9: {
        unsigned day = (unsigned)(text[8] - '0') * 10 + digit;
        return day >= 1 && day <= days_of(text);
    }
    default: return at < 4;
    }
}

/* text[at] may be c in HH:MM:SS, [.digits], Z or ±HH:MM. */
static bool clock_accepts(const char *text, unsigned at, unsigned char c)
{
    if (at == 2 || at == 5)
        return c == ':';
    if (at < 8) {
        if (!is_digit(c))
            return false;
        if (at == 0)
            return c <= '2';
        if (at == 1)
            return text[0] != '2' || c <= '3';
        return at == 4 || at == 7 || c <= '5';
    }
    unsigned end = 8;
    if (at > 8 && text[8] == '.') {
        for (end = 9; end < at && is_digit((unsigned char)text[end]); end++)
            ;
        if (end == at && is_digit(c))
            return at - 9 < 6;
        if (end == at && at == 9)
            return false;
    } else if (at == 8 && c == '.') {
        return true;
    }
    if (at == end)
        return c == 'Z' || c == '+' || c == '-';
    if (text[end] == 'Z')
        return false;
    unsigned zone = at - end - 1;
    if (zone == 2)
        return c == ':';
    if (zone > 4 || !is_digit(c))
        return false;
    if (zone == 0)
        return c <= '2';
    return zone == 1 ? text[end + 1] != '2' || c <= '3' : zone == 4 || c <= '5';
}

static bool clock_is_complete(const char *text, unsigned len)
{
    if (len < 9)
        return false;
    if (text[len - 1] == 'Z')
        return true;
    return len >= 14 && text[len - 3] == ':' && (text[len - 6] == '+' || text[len - 6] == '-');
}

/* ---- short formats kept as text
 * -------------------------------------------------------------------- */

static bool uuid_accepts(unsigned at, unsigned char c)
{
    if (at == 8 || at == 13 || at == 18 || at == 23)
        return c == '-';
    return at < 36 && is_hex(c);
}

/* count: digits of this octet; dots: octets done; state: value of this octet. */
static bool ipv4_step(struct format_at *at, unsigned char c)
{
    if (c == '.') {
        if (at->count == 0 || at->dots == 3)
            return false;
        at->dots++;
        at->count = at->state = 0;
        return true;
    }
    unsigned value = at->state * 10u + (unsigned)(c - '0');
    if (!is_digit(c) || (at->count > 0 && at->state == 0) || value > 255)
        return false;
    at->state = (uint8_t)value;
    at->count++;
    return true;
}

enum { IPV6_COMPRESSED = 1, IPV6_AFTER_COLON = 2, IPV6_AFTER_DOUBLE = 4 };

/* dots: groups begun; count: digits of this group. Groups of hexadecimal digits only, at most one
 * "::". */
static bool ipv6_step(struct format_at *at, unsigned char c)
{
    unsigned groups_max = (at->flags & IPV6_COMPRESSED) ? 7 : 8;
    if (is_hex(c)) {
        if (at->count == 0) {
            if (at->dots >= groups_max || (at->len == 1 && at->flags == IPV6_AFTER_COLON))
                return false;
            at->dots++;
        }
        if (at->count == 4)
            return false;
        at->count++;
        at->flags &= IPV6_COMPRESSED;
        return true;
    }
    if (c != ':' || (at->flags & IPV6_AFTER_DOUBLE))
        return false;
    if (at->flags & IPV6_AFTER_COLON) {
        if ((at->flags & IPV6_COMPRESSED) || at->dots > 7)
            return false;
        at->flags = IPV6_COMPRESSED | IPV6_AFTER_DOUBLE;
        return true;
    }
    if (at->len > 0 && at->dots >= groups_max)
        return false;
    at->count = 0;
    at->flags |= IPV6_AFTER_COLON;
    return true;
}

static bool ipv6_is_complete(const struct format_at *at)
{
    if (at->flags & IPV6_AFTER_DOUBLE)
        return true;
    if (at->flags & IPV6_AFTER_COLON)
        return false;
    return (at->flags & IPV6_COMPRESSED) || at->dots == 8;
}

enum { DURATION_START, DURATION_DATE, DURATION_TIME_START, DURATION_TIME, DURATION_END };

/* flags: the last unit written as its place in "YMD" or "HMS", plus one. Units follow one another
 * directly. */
static bool duration_step(struct format_at *at, unsigned char c)
{
    if (at->len == 0)
        return c == 'P';
    bool in_time = at->state == DURATION_TIME_START || at->state == DURATION_TIME;
    if (at->state == DURATION_END || at->len >= DURATION_MAX)
        return false;
    if (is_digit(c)) {
        if (at->count >= 4 || at->flags == 3)
            return false;
        at->count++;
        return true;
    }
    if (c == 'T' && !in_time && at->count == 0) {
        at->state = DURATION_TIME_START;
        at->flags = 0;
        return true;
    }
    if (at->count == 0)
        return false;
    at->count = 0;
    if (c == 'W' && !in_time && at->flags == 0) {
        at->state = DURATION_END;
        return true;
    }
    const char *units = in_time ? "HMS" : "YMD";
    const char *unit = is_one_of(c, units) ? strchr(units, c) : NULL;
    if (unit == NULL || (at->flags != 0 && unit - units != at->flags))
        return false;
    at->flags = (uint8_t)(unit - units + 1);
    at->state = in_time ? DURATION_TIME : DURATION_DATE;
    return true;
}

/* ---- names
 * ----------------------------------------------------------------------------------------- */

enum { LABEL_PLAIN = 1, LABEL_HYPHEN = 2 }; /* letters only; ends in a hyphen */

/* One byte of a dot-separated host name. count: bytes of this label. */
static bool host_step(struct format_at *at, unsigned char c)
{
    if (c == '.') {
        if (at->count == 0 || (at->flags & LABEL_HYPHEN))
            return false;
        at->dots = (uint8_t)(at->dots + (at->dots < 255));
        at->count = 0;
        at->flags = LABEL_PLAIN;
        return true;
    }
    bool hyphen = c == '-';
    if (!is_letter(c) && !is_digit(c) && !hyphen)
        return false;
    if (at->count >= LABEL_MAX - (hyphen ? 1 : 0) ||
        (hyphen && (at->count == 0 || (at->flags & LABEL_HYPHEN))))
        return false;
    at->count++;
    if (!is_letter(c))
        at->flags &= (uint8_t)~LABEL_PLAIN;
    at->flags = (uint8_t)(hyphen ? at->flags | LABEL_HYPHEN : at->flags & ~LABEL_HYPHEN);
    return true;
}

enum { EMAIL_LOCAL, EMAIL_LOCAL_DOT, EMAIL_DOMAIN };

static bool email_step(struct format_at *at, unsigned char c)
{
    if (at->state == EMAIL_DOMAIN)
        return host_step(at, c);
    if (c == '@') {
        if (at->len == 0 || at->state == EMAIL_LOCAL_DOT)
            return false;
        at->state = EMAIL_DOMAIN;
        at->count = 0;
        at->flags = LABEL_PLAIN;
        return true;
    }
    if (c == '.') {
        if (at->len == 0 || at->state == EMAIL_LOCAL_DOT || at->len + 1 >= EMAIL_LOCAL_MAX)
            return false;
        at->state = EMAIL_LOCAL_DOT;
        return true;
    }
    if (at->len >= EMAIL_LOCAL_MAX ||
        (!is_letter(c) && !is_digit(c) && !is_one_of(c, "!#$%&'*+-=?^_`{|}~")))
        return false;
    at->state = EMAIL_LOCAL;
    return true;
}

static bool email_is_complete(const struct format_at *at)
{
    return at->state == EMAIL_DOMAIN && at->dots > 0 && at->count >= 2 && (at->flags & LABEL_PLAIN);
}

/* ---- URI
 * ------------------------------------------------------------------------------------------- */

enum uri_state {
    URI_START,
    URI_SCHEME,
    URI_COLON,
    URI_SLASH,
    URI_HOST_START,
    URI_HOST,
    URI_PORT_START,
    URI_PORT,
    URI_PATH,
    URI_QUERY,
    URI_FRAGMENT,
    URI_ROOT
};

static bool uri_is_plain(unsigned char c)
{
    return is_letter(c) || is_digit(c) || is_one_of(c, "-._~!$&'()*+,;=:@");
}

/* A byte of path, query or fragment. count: hexadecimal digits still due after a percent sign. */
static bool uri_tail_step(struct format_at *at, unsigned char c)
{
    if (at->count > 0) {
        at->count--;
        return is_hex(c);
    }
    if (c == '#' && at->state != URI_FRAGMENT) {
        at->state = URI_FRAGMENT;
        return true;
    }
    if (c == '?') {
        if (at->state == URI_PATH)
            at->state = URI_QUERY;
        return true;
    }
    if (c == '%')
        at->count = 2;
    return c == '%' || c == '/' || uri_is_plain(c);
}

static bool uri_tail_start(struct format_at *at, unsigned char c)
{
    at->state = URI_PATH;
    at->count = 0;
    return uri_tail_step(at, c);
}

static bool uri_authority_step(struct format_at *at, unsigned char c)
{
    if (is_one_of(c, "/?#"))
        return (at->state == URI_HOST || at->state == URI_PORT) && uri_tail_start(at, c);
    if (at->state == URI_PORT_START || at->state == URI_PORT) {
        at->state = URI_PORT;
        return is_digit(c) && at->count++ < 5;
    }
    if (c == ':' && at->state == URI_HOST) {
        at->state = URI_PORT_START;
        at->count = 0;
        return true;
    }
    bool first = at->state == URI_HOST_START;
    at->state = URI_HOST;
    return is_letter(c) || is_digit(c) || (!first && (c == '-' || c == '.'));
}

static bool uri_step(struct format_at *at, unsigned char c, bool reference)
{
    switch ((enum uri_state)at->state) {
    case URI_START:
        if (reference && c == '/') {
            at->state = URI_ROOT;
            return true;
        }
        if (reference && (c == '?' || c == '#'))
            return uri_tail_start(at, c);
        at->state = URI_SCHEME;
        return is_letter(c);
    case URI_SCHEME:
        if (c == ':') {
            at->state = URI_COLON;
            return true;
        }
        if (is_letter(c) || is_digit(c) || is_one_of(c, "+-."))
            return true;
        return reference && is_one_of(c, "/?#") && uri_tail_start(at, c);
    case URI_COLON:
    case URI_ROOT:
        if (c == '/') {
            bool colon = at->state == URI_COLON;
            at->state = URI_SLASH;
            return colon;
        }
        return (at->state == URI_ROOT || uri_is_plain(c)) && uri_tail_start(at, c);
    case URI_SLASH:
        if (c == '/') {
            at->state = URI_HOST_START;
            return true;
        }
        return uri_is_plain(c) && uri_tail_start(at, c);
    case URI_HOST_START:
    case URI_HOST:
    case URI_PORT_START:
    case URI_PORT: return uri_authority_step(at, c);
    case URI_PATH:
    case URI_QUERY:
    case URI_FRAGMENT: return uri_tail_step(at, c);
    }
    return false;
}

static bool uri_is_complete(const struct format_at *at, bool reference)
{
    switch ((enum uri_state)at->state) {
    case URI_START:
    case URI_COLON:
    case URI_SLASH:
    case URI_HOST_START:
    case URI_PORT_START: return false;
    case URI_SCHEME:
    case URI_ROOT: return reference;
    case URI_HOST:
    case URI_PORT: return true;
    case URI_PATH:
    case URI_QUERY:
    case URI_FRAGMENT: return at->count == 0;
    }
    return false;
}

/* flags: a tilde that awaits its 0 or 1. */
static bool pointer_step(struct format_at *at, unsigned char c)
{
    if (at->flags != 0) {
        at->flags = 0;
        return c == '0' || c == '1';
    }
    if (at->len == 0)
        return c == '/';
    at->flags = c == '~';
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* ---- dispatch
 * -------------------------------------------------------------------------------------- */

/* Formats whose checks are the same, by the strictest of them. */
static enum schema_format format_kind(enum schema_format format)
{
    switch (format) {
    case SCHEMA_FORMAT_IDN_EMAIL: return SCHEMA_FORMAT_EMAIL;
    case SCHEMA_FORMAT_HOSTNAME_1123:
    case SCHEMA_FORMAT_IDN_HOSTNAME: return SCHEMA_FORMAT_HOSTNAME;
    case SCHEMA_FORMAT_IRI: return SCHEMA_FORMAT_URI;
    case SCHEMA_FORMAT_IRI_REFERENCE: return SCHEMA_FORMAT_URI_REFERENCE;
    case SCHEMA_FORMAT_REGEX:
    case SCHEMA_FORMAT_URI_TEMPLATE:
    case SCHEMA_FORMAT_RELATIVE_JSON_POINTER:
    case SCHEMA_FORMAT_UNKNOWN: return SCHEMA_FORMAT_UNKNOWN;
    case SCHEMA_FORMAT_DATE_TIME:
    case SCHEMA_FORMAT_DATE:
    case SCHEMA_FORMAT_TIME:
    case SCHEMA_FORMAT_DURATION:
    case SCHEMA_FORMAT_EMAIL:
    case SCHEMA_FORMAT_HOSTNAME:
    case SCHEMA_FORMAT_IPV4:
    case SCHEMA_FORMAT_IPV6:
    case SCHEMA_FORMAT_URI:
    case SCHEMA_FORMAT_URI_REFERENCE:
    case SCHEMA_FORMAT_UUID:
    case SCHEMA_FORMAT_JSON_POINTER: return format;
    }
    return SCHEMA_FORMAT_UNKNOWN;
}

bool format_is_followed(enum schema_format format)
{
    return format_kind(format) != SCHEMA_FORMAT_UNKNOWN;
}

static bool kind_step(enum schema_format kind, struct format_at *at, unsigned char c)
{
    unsigned len = at->len;
    if (kind == SCHEMA_FORMAT_DATE)
        return len < 10 && date_accepts(at->text, len, c);
    if (kind == SCHEMA_FORMAT_TIME)
        return clock_accepts(at->text, len, c);
    if (kind == SCHEMA_FORMAT_DATE_TIME) {
        if (len < 10)
            return date_accepts(at->text, len, c);
        return len == 10 ? c == 'T' : clock_accepts(at->text + 11, len - 11, c);
    }
    if (kind == SCHEMA_FORMAT_UUID)
        return uuid_accepts(len, c);
    if (kind == SCHEMA_FORMAT_IPV4)
        return ipv4_step(at, c);
    if (kind == SCHEMA_FORMAT_IPV6)
        return ipv6_step(at, c);
    if (kind == SCHEMA_FORMAT_DURATION)
        return duration_step(at, c);
    if (kind == SCHEMA_FORMAT_EMAIL)
        return email_step(at, c);
    if (kind == SCHEMA_FORMAT_HOSTNAME)
        return host_step(at, c);
    if (kind == SCHEMA_FORMAT_JSON_POINTER)
        return pointer_step(at, c);
    return uri_step(at, c, kind == SCHEMA_FORMAT_URI_REFERENCE);
}

static bool kind_is_complete(enum schema_format kind, const struct format_at *at)
{
    if (kind == SCHEMA_FORMAT_DATE)
        return at->len == 10;
    if (kind == SCHEMA_FORMAT_TIME)
        return clock_is_complete(at->text, at->len);
    if (kind == SCHEMA_FORMAT_DATE_TIME)
        return at->len > 11 && clock_is_complete(at->text + 11, at->len - 11u);
    if (kind == SCHEMA_FORMAT_UUID)
        return at->len == 36;
    if (kind == SCHEMA_FORMAT_IPV4)
        return at->dots == 3 && at->count > 0;
    if (kind == SCHEMA_FORMAT_IPV6)
        return ipv6_is_complete(at);
    if (kind == SCHEMA_FORMAT_DURATION)
        return at->count == 0 && (at->state == DURATION_DATE || at->state == DURATION_TIME ||
                                  at->state == DURATION_END);
    if (kind == SCHEMA_FORMAT_EMAIL)
        return email_is_complete(at);
    if (kind == SCHEMA_FORMAT_HOSTNAME)
        return at->count > 0 && !(at->flags & LABEL_HYPHEN);
    if (kind == SCHEMA_FORMAT_JSON_POINTER)
        return at->flags == 0;
    return uri_is_complete(at, kind == SCHEMA_FORMAT_URI_REFERENCE);
}

/* The bytes worth trying next, in the order in which they lead to an end soonest. */
static const char *kind_closers(enum schema_format kind, const struct format_at *at)
{
    if (kind == SCHEMA_FORMAT_DATE || kind == SCHEMA_FORMAT_TIME || kind == SCHEMA_FORMAT_DATE_TIME)
        return "Z0123456789-:T";
    if (kind == SCHEMA_FORMAT_IPV4)
        return ".0";
    if (kind == SCHEMA_FORMAT_IPV6)
        return ":0";
    if (kind == SCHEMA_FORMAT_DURATION)
        return "YWDMHS0PT";
    if (kind == SCHEMA_FORMAT_EMAIL) {
        bool ending = at->state == EMAIL_DOMAIN && at->dots > 0 && (at->flags & LABEL_PLAIN) &&
                      at->count < LABEL_MAX;
        return ending ? "x." : "@.x";
    }
    if (kind == SCHEMA_FORMAT_UUID)
        return "0-";
    return at->state == URI_SCHEME && kind == SCHEMA_FORMAT_URI ? ":x" : "x01";
}

static size_t kind_length_max(enum schema_format kind)
{
    if (kind == SCHEMA_FORMAT_EMAIL)
        return EMAIL_MAX;
    return kind == SCHEMA_FORMAT_HOSTNAME ? HOST_MAX : URI_MAX;
}

static bool kind_advance(enum schema_format kind, struct format_at *at, unsigned char c)
{
    if (!kind_step(kind, at, c))
        return false;
    if (at->len < sizeof at->text)
        at->text[at->len] = (char)c;
    at->len++;
    return true;
}

size_t format_close(enum schema_format format, const struct format_at *at,
                    char out[FORMAT_TEXT_MAX])
{
    enum schema_format kind = format_kind(format);
    struct format_at next = *at;
    size_t len = 0;
    while (len < FORMAT_TEXT_MAX && !kind_is_complete(kind, &next)) {
        const char *closer = kind_closers(kind, &next);
        struct format_at tried = next;
        while (*closer != '\0' && !kind_advance(kind, &tried, (unsigned char)*closer)) {
            tried = next;
            closer++;
        }
        if (*closer == '\0')
            return SIZE_MAX;
        out[len++] = *closer;
        next = tried;
    }
    return len;
}

bool format_step(enum schema_format format, struct format_at *at, unsigned char byte)
{
    enum schema_format kind = format_kind(format);
    struct format_at next = *at;
    char closing[FORMAT_TEXT_MAX];
    if (byte >= 0x80 || !kind_advance(kind, &next, byte))
        return false;
    size_t rest = format_close(format, &next, closing);
    if (rest == SIZE_MAX || next.len + rest > kind_length_max(kind))
        return false;
    *at = next;
    return true;
}

bool format_is_complete(enum schema_format format, const struct format_at *at)
{
    return kind_is_complete(format_kind(format), at);
}

uint32_t format_min_length(enum schema_format format)
{
    struct format_at start = { .flags = format_kind(format) == SCHEMA_FORMAT_HOSTNAME ? LABEL_PLAIN
                                                                                      : 0 };
    char closing[FORMAT_TEXT_MAX];
    return (uint32_t)format_close(format, &start, closing);
}

bool format_has_text(enum schema_format format, struct str text)
{
    struct format_at at = { 0 };
    for (size_t i = 0; i < text.len; i++) {
        if (!format_step(format, &at, (unsigned char)text.ptr[i]))
            return false;
    }
    return format_is_complete(format, &at);
}

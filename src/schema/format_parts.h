/* format_parts.h - the single formats, one function each. Private to src/schema; format.c
 * dispatches.
 *
 * Every function takes well-formed UTF-8 that may hold NUL, reads it once from left to right and
 * allocates nothing.
 */
#ifndef STRUCTURE_SCHEMA_FORMAT_PARTS_H
#define STRUCTURE_SCHEMA_FORMAT_PARTS_H

#include "base/str.h"

static inline bool format_is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static inline bool format_is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

static inline bool format_is_hex(char byte)
{
    return format_is_digit(byte) || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F');
}

static inline struct str format_from(struct str text, size_t offset)
{
    return offset == 0 ? text : str_of(text.ptr + offset, text.len - offset);
}

/* format_time.c: RFC 3339 section 5.6 and appendix A. */
bool format_is_date(struct str text);
bool format_is_time(struct str text);
bool format_is_date_time(struct str text);
bool format_is_duration(struct str text);

/* format_net.c: RFC 5321 section 4.1.2, RFC 1123 section 2.1, RFC 2673 section 3.2, RFC 4291
 * section 2.2. */
bool format_is_email(struct str text);
bool format_is_hostname_1123(struct str text); /* of draft-04 and 06: A-labels are labels */
bool format_is_ipv4(struct str text);
bool format_is_ipv6(struct str text);
/* A mailbox of RFC 5321; international: with RFC 6531's local parts. */
bool format_is_mailbox(struct str text, bool international, bool (*is_domain)(struct str text));
/* As above with hyphens in the third and fourth place kept for A-labels (RFC 5891 section 4.2.3.1).
 */
bool format_is_label(struct str label);

/* format_idn.c: RFC 5890 to 5893, RFC 6531. */
bool format_is_hostname(struct str text);
bool format_is_idn_hostname(struct str text);
bool format_is_idn_email(struct str text);

/* format_uri.c: RFC 3986, RFC 3987, RFC 6570. */
bool format_is_uri(struct str text, bool reference, bool international);
bool format_is_uri_template(struct str text);

#endif

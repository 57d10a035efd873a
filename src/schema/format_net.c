/* format_net.c - names and addresses of the Internet: mailbox, host name, IPv4, IPv6.
 *
 * Owns: the ASCII rules. Leaves to others: A-labels and U-labels (format_idn.c).
 */
#include "base/features.h"

#include "schema/format_parts.h"

enum { HOSTNAME_BYTES_MAX = 253, HOSTNAME_LABEL_BYTES_MAX = 63, MAILBOX_LOCAL_BYTES_MAX = 64 };

bool format_is_ipv4(struct str text)
{
    size_t at = 0;
    for (unsigned part = 0; part < 4; part++) {
        if (part > 0 && (at == text.len || text.ptr[at++] != '.'))
            return false;
        size_t begin = at;
        unsigned value = 0;
        while (at < text.len && at - begin < 3 && format_is_digit(text.ptr[at]))
            value = value * 10 + (unsigned)(text.ptr[at++] - '0');
        if (at == begin || value > 255 || (at - begin > 1 && text.ptr[begin] == '0'))
            return false;
    }
    return at == text.len;
}

/* Hexadecimal digits at the beginning, five at the most. */
static size_t format_hex_run(struct str text)
{
    size_t len = 0;
    while (len < text.len && len < 5 && format_is_hex(text.ptr[len]))
        len++;
    return len;
}

bool format_is_ipv6(struct str text)
{
    unsigned groups = 0;
    bool gap = false;
    if (text.len >= 2 && text.ptr[0] == ':' && text.ptr[1] == ':') {
        gap = true;
        text = format_from(text, 2);
        if (text.len == 0)
            return true;
    }
    while (groups < 8) {
        size_t len = format_hex_run(text);
        if (len < text.len && text.ptr[len] == '.') {
            groups += 2;
            return format_is_ipv4(text) && (gap ? groups < 8 : groups == 8);
        }
        if (len == 0 || len > 4)
            return false;
        groups++;
        text = format_from(text, len);
        if (text.len == 0)
            return gap ? groups < 8 : groups == 8;
        if (text.ptr[0] != ':' || text.len == 1)
            return false;
        text = format_from(text, 1);
        if (text.ptr[0] == ':') {
            if (gap)
                return false;
            gap = true;
            text = format_from(text, 1);
            if (text.len == 0)
                return groups < 8;
        }
    }
    return false;
}

/* A label of letters, digits and inner hyphens. */
static bool format_is_ldh(struct str label)
{
    if (label.len == 0 || label.len > HOSTNAME_LABEL_BYTES_MAX)
        return false;
    for (size_t i = 0; i < label.len; i++)
        if (!format_is_letter(label.ptr[i]) && !format_is_digit(label.ptr[i]) &&
            label.ptr[i] != '-')
            return false;
    return label.ptr[0] != '-' && label.ptr[label.len - 1] != '-';
}

bool format_is_label(struct str label)
{
    if (!format_is_ldh(label))
        return false;
    if (label.len < 4 || label.ptr[2] != '-' || label.ptr[3] != '-')
        return true;
    return label.len > 4 && (label.ptr[0] | 0x20) == 'x' && (label.ptr[1] | 0x20) == 'n';
}

bool format_is_hostname_1123(struct str text)
{
    if (text.len == 0 || text.len > HOSTNAME_BYTES_MAX)
        return false;
    size_t begin = 0;
    for (size_t i = 0; i <= text.len; i++) {
        if (i < text.len && text.ptr[i] != '.')
            continue;
        if (!format_is_ldh(str_of(text.ptr + begin, i - begin)))
            return false;
        begin = i + 1;
    }
    return true;
}

static bool format_is_atom_byte(char byte)
{
    return format_is_letter(byte) || format_is_digit(byte) ||
           (byte != '\0' && strchr("!#$%&'*+-/=?^_`{|}~", byte) != NULL);
}

static bool format_is_ascii(char byte)
{
    return (unsigned char)byte < 0x80;
}

static bool format_is_quoted_byte(char byte, bool international)
{
    return format_is_ascii(byte) ? byte >= ' ' && byte <= '~' : international;
}

/* The local part, as atoms with dots between them or as one quoted string. Returns its bytes, 0
 * for a fault. */
static size_t format_mailbox_local(struct str text, bool international)
{
    size_t at = 0;
    if (text.len > 0 && text.ptr[0] == '"') {
        for (at = 1; at < text.len && text.ptr[at] != '"'; at++) {
            if (text.ptr[at] == '\\')
                at++;
            if (at == text.len || !format_is_quoted_byte(text.ptr[at], international))
                return 0;
        }
        return at < text.len ? at + 1 : 0;
    }
    bool after_atom = false;
    for (; at < text.len; at++) {
        if (text.ptr[at] == '.' && after_atom)
            after_atom = false;
        else if (format_is_atom_byte(text.ptr[at]) ||
                 (international && !format_is_ascii(text.ptr[at])))
            after_atom = true;
        else
            break;
    }
    return after_atom ? at : 0;
}

static bool format_is_address_literal(struct str text)
{
    if (text.len < 3 || text.ptr[0] != '[' || text.ptr[text.len - 1] != ']')
        return false;
    struct str inner = str_of(text.ptr + 1, text.len - 2);
    if (str_starts_with(inner, STR("IPv6:")))
        return format_is_ipv6(format_from(inner, 5));
    return format_is_ipv4(inner);
}

bool format_is_mailbox(struct str text, bool international, bool (*is_domain)(struct str text))
{
    size_t local = format_mailbox_local(text, international);
    if (local == 0 || local > MAILBOX_LOCAL_BYTES_MAX || local + 1 >= text.len ||
        text.ptr[local] != '@')
        return false;
    struct str domain = format_from(text, local + 1);
    return domain.ptr[0] == '[' ? format_is_address_literal(domain) : is_domain(domain);
}

bool format_is_email(struct str text)
{
    return format_is_mailbox(text, false, format_is_hostname);
}

/* format_idn.c - host names with A-labels or U-labels, and mailboxes in any script.
 *
 * Owns: the division of a name into labels, the decoding of A-labels, lengths in the ASCII form.
 * Leaves to others: the rules for one label (idna.c), the ASCII rules (format_net.c). Invariant:
 * reads the text twice at the most (Bidi needs to know of all labels), allocates nothing.
 */
#include "base/features.h"

#include "base/utf8.h"
#include "schema/format_parts.h"
#include "schema/idna.h"

enum { IDN_NAME_BYTES_MAX = 253, IDN_LABEL_BYTES_MAX = 63 };

/* How a name is read. */
struct idn_rules {
    bool is_international; /* U-labels and the separators of IDNA2003 may occur */
    bool is_normal;        /* U-labels must be in normal form C */
};

struct idn_name {
    struct idn_rules rules;
    struct str rest;
    size_t ascii_bytes; /* of the labels so far in their ASCII form, with the dots */
};

static bool idn_is_separator(uint32_t point)
{
    return point == '.' || point == 0x3002 || point == 0xFF0E || point == 0xFF61;
}

static uint32_t idn_lower(uint32_t point)
{
    return point >= 'A' && point <= 'Z' ? point | 0x20 : point;
}

/* Code points up to a separator or the end; ASCII letters become small. False for a fault.
 * *out_more: a separator followed. */
static bool idn_take_label(struct idn_name *name, struct idna_label *label, bool *out_is_ascii,
                           bool *out_more)
{
    label->count = 0;
    *out_is_ascii = true;
    *out_more = false;
    while (name->rest.len > 0) {
        uint32_t point;
        unsigned bytes = utf8_decode(name->rest.ptr, name->rest.len, &point);
        if (bytes == 0 || (point >= 0x80 && !name->rules.is_international))
            return false;
        name->rest = format_from(name->rest, bytes);
        if (idn_is_separator(point)) {
            *out_more = true;
            break;
        }
        if (label->count == IDNA_POINTS_MAX)
            return false;
        *out_is_ascii = *out_is_ascii && point < 0x80;
        label->points[label->count++] = point;
    }
    return label->count > 0;
}

/* An A-label becomes its U-label; it must be what that U-label is encoded to. */
static bool idn_decode(struct idna_label *label, struct str text)
{
    char again[IDN_LABEL_BYTES_MAX];
    if (!punycode_decode(text, label))
        return false;
    bool is_ascii = true;
    for (unsigned i = 0; i < label->count; i++)
        is_ascii = is_ascii && label->points[i] < 0x80;
    size_t len = punycode_encode(label, again, sizeof(again));
    if (is_ascii || len != text.len)
        return false;
    for (size_t i = 0; i < len; i++)
        if (again[i] != (char)idn_lower((unsigned char)text.ptr[i]))
            return false;
    return true;
}

/* A label as it stands in the text → the U-label, or the ASCII label, that it means. */
static bool idn_read_label(struct idn_name *name, struct idna_label *label, bool *out_more)
{
    char ascii[IDN_LABEL_BYTES_MAX];
    bool is_ascii;
    if (!idn_take_label(name, label, &is_ascii, out_more))
        return false;
    if (!is_ascii) {
        size_t bytes = punycode_encode(label, ascii, IDN_LABEL_BYTES_MAX - 4);
        name->ascii_bytes += 4 + bytes;
        return bytes > 0 && idna_is_u_label(label, name->rules.is_normal);
    }
    size_t len = label->count;
    for (size_t i = 0; i < len; i++)
        ascii[i] = (char)label->points[i];
    name->ascii_bytes += len;
    if (!format_is_label(str_of(ascii, len)))
        return false;
    if (len < 4 || idn_lower((unsigned char)ascii[0]) != 'x' || ascii[2] != '-' || ascii[3] != '-')
        return true;
    return idn_decode(label, str_of(ascii + 4, len - 4)) && idna_is_u_label(label, true);
}

/* Every label by itself. *out_bidi: one of them is written from right to left. */
static bool idn_check_labels(struct str text, struct idn_rules rules, bool *out_bidi)
{
    struct idn_name name = { rules, text, 0 };
    struct idna_label label;
    bool more = true;
    *out_bidi = false;
    while (more) {
        if (!idn_read_label(&name, &label, &more))
            return false;
        name.ascii_bytes += more;
        if (name.ascii_bytes > IDN_NAME_BYTES_MAX)
            return false;
        *out_bidi = *out_bidi || idna_is_right_to_left(&label);
    }
    return true;
}

static bool idn_is_name(struct str text, struct idn_rules rules)
{
    struct idn_name name = { rules, text, 0 };
    struct idna_label label;
    bool is_bidi;
    bool more = true;
    if (!idn_check_labels(text, rules, &is_bidi))
        return false;
    while (is_bidi && more)
        if (!idn_read_label(&name, &label, &more) || !idna_satisfies_bidi(&label))
            return false;
    return true;
}

bool format_is_idn_hostname(struct str text)
{
    return idn_is_name(text, (struct idn_rules){ true, true });
}

/* A plain name, as nearly all are: without A-labels and without hyphens that could make one. */
static bool idn_is_plain(struct str text)
{
    for (size_t i = 0; i + 1 < text.len; i++)
        if (text.ptr[i] == '-' && text.ptr[i + 1] == '-')
            return false;
    return format_is_hostname_1123(text);
}

bool format_is_hostname(struct str text)
{
    if (text.len > IDN_NAME_BYTES_MAX)
        return false;
    return idn_is_plain(text) || idn_is_name(text, (struct idn_rules){ false, true });
}

static bool idn_is_mail_domain(struct str text)
{
    return idn_is_name(text, (struct idn_rules){ true, false });
}

bool format_is_idn_email(struct str text)
{
    return format_is_mailbox(text, true, idn_is_mail_domain);
}

/* format.c - the table of the formats: names, dialects, and the function that judges each.
 *
 * Owns: the table, and the formats too small for a file of their own (UUID, JSON Pointer). Leaves
 * to others: whether a schema's format is asserted at all (emit.c). A new format is a row here, an
 * enumerator in program.h and a function in a file of its own; where the model writes, decode has a
 * say too (decode/leaf_format.c).
 */
#include "base/features.h"

#include "schema/format.h"

#include "schema/dialect.h"
#include "schema/format_parts.h"
#include "regex/regex.h"

static bool format_is_uuid(struct str text)
{
    if (text.len != 36)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        bool hyphen = i == 8 || i == 13 || i == 18 || i == 23;
        if (hyphen ? text.ptr[i] != '-' : !format_is_hex(text.ptr[i]))
            return false;
    }
    return true;
}

static bool format_is_json_pointer(struct str text)
{
    if (text.len > 0 && text.ptr[0] != '/')
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '~' &&
            (i + 1 == text.len || (text.ptr[i + 1] != '0' && text.ptr[i + 1] != '1')))
            return false;
    return true;
}

/* Bytes of a number without leading zeros, 0 when there is none. */
static size_t format_natural(struct str text)
{
    size_t len = 0;
    while (len < text.len && format_is_digit(text.ptr[len]))
        len++;
    return len > 1 && text.ptr[0] == '0' ? 0 : len;
}

static bool format_is_relative_json_pointer(struct str text)
{
    size_t len = format_natural(text);
    if (len == 0)
        return false;
    text = format_from(text, len);
    return str_equal(text, STR("#")) || format_is_json_pointer(text);
}

static bool format_is_any_uri(struct str text)
{
    return format_is_uri(text, false, false);
}

static bool format_is_uri_reference(struct str text)
{
    return format_is_uri(text, true, false);
}

static bool format_is_iri(struct str text)
{
    return format_is_uri(text, false, true);
}

static bool format_is_iri_reference(struct str text)
{
    return format_is_uri(text, true, true);
}

/* Callers that have an allocator and a budget ask regex_check themselves. */
static bool format_is_regex(struct str text)
{
    return regex_check(text, alloc_default(), NULL) == STATUS_OK;
}

enum {
    SINCE_2019 = DIALECT_2019 | DIALECT_2020,
    SINCE_7 = DIALECT_7 | SINCE_2019,
    SINCE_6 = DIALECT_6 | SINCE_7,
    SINCE_4 = DIALECT_4 | SINCE_6
};

static const struct format_row {
    const char *name;
    bool (*matches)(struct str text);
    uint8_t dialects; /* bits of enum schema_dialect that define it */
} format_rows[] = {
    [SCHEMA_FORMAT_UNKNOWN] = { "", NULL, 0 },
    [SCHEMA_FORMAT_DATE_TIME] = { "date-time", format_is_date_time, SINCE_4 },
    [SCHEMA_FORMAT_DATE] = { "date", format_is_date, SINCE_7 },
    [SCHEMA_FORMAT_TIME] = { "time", format_is_time, SINCE_7 },
    [SCHEMA_FORMAT_DURATION] = { "duration", format_is_duration, SINCE_2019 },
    [SCHEMA_FORMAT_EMAIL] = { "email", format_is_email, SINCE_4 },
    [SCHEMA_FORMAT_HOSTNAME] = { "hostname", format_is_hostname, SINCE_7 },
    [SCHEMA_FORMAT_IPV4] = { "ipv4", format_is_ipv4, SINCE_4 },
    [SCHEMA_FORMAT_IPV6] = { "ipv6", format_is_ipv6, SINCE_4 },
    [SCHEMA_FORMAT_URI] = { "uri", format_is_any_uri, SINCE_4 },
    [SCHEMA_FORMAT_URI_REFERENCE] = { "uri-reference", format_is_uri_reference, SINCE_6 },
    [SCHEMA_FORMAT_UUID] = { "uuid", format_is_uuid, SINCE_2019 },
    [SCHEMA_FORMAT_JSON_POINTER] = { "json-pointer", format_is_json_pointer, SINCE_6 },
    [SCHEMA_FORMAT_RELATIVE_JSON_POINTER] = { "relative-json-pointer",
                                              format_is_relative_json_pointer, SINCE_7 },
    [SCHEMA_FORMAT_URI_TEMPLATE] = { "uri-template", format_is_uri_template, SINCE_6 },
    [SCHEMA_FORMAT_REGEX] = { "regex", format_is_regex, SINCE_7 },
    [SCHEMA_FORMAT_IDN_EMAIL] = { "idn-email", format_is_idn_email, SINCE_7 },
    [SCHEMA_FORMAT_IDN_HOSTNAME] = { "idn-hostname", format_is_idn_hostname, SINCE_7 },
    [SCHEMA_FORMAT_IRI] = { "iri", format_is_iri, SINCE_7 },
    [SCHEMA_FORMAT_IRI_REFERENCE] = { "iri-reference", format_is_iri_reference, SINCE_7 },
    [SCHEMA_FORMAT_HOSTNAME_1123] = { "hostname", format_is_hostname_1123, DIALECT_4 | DIALECT_6 },
};

enum { FORMAT_ROWS = sizeof(format_rows) / sizeof(format_rows[0]) };

enum schema_format schema_format_from(struct str name, unsigned dialect)
{
    enum schema_format format = SCHEMA_FORMAT_UNKNOWN;
    for (int i = SCHEMA_FORMAT_UNKNOWN + 1; i < FORMAT_ROWS; i++) {
        if (!str_equal(name, str_from(format_rows[i].name)))
            continue;
        if ((format_rows[i].dialects & dialect) != 0)
            return (enum schema_format)i;
        if (format == SCHEMA_FORMAT_UNKNOWN)
            format = (enum schema_format)i;
    }
    return format;
}

const char *schema_format_name(enum schema_format format)
{
    return format_rows[format].name;
}

bool schema_format_matches(enum schema_format format, struct str text)
{
    return format == SCHEMA_FORMAT_UNKNOWN || format_rows[format].matches(text);
}

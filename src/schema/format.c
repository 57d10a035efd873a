/* format.c - names of the formats, and the choice of the function that judges one.
 *
 * Owns: the table of names, and the formats too small for a file of their own (UUID, JSON Pointer).
 * Leaves to others: whether a schema's format is asserted at all (compile.c).
 */
#include "base/features.h"

#include "schema/format.h"

#include "schema/format_parts.h"
#include "regex/regex.h"

static const char *const format_names[] = {
    [SCHEMA_FORMAT_UNKNOWN] = "",
    [SCHEMA_FORMAT_DATE_TIME] = "date-time",
    [SCHEMA_FORMAT_DATE] = "date",
    [SCHEMA_FORMAT_TIME] = "time",
    [SCHEMA_FORMAT_DURATION] = "duration",
    [SCHEMA_FORMAT_EMAIL] = "email",
    [SCHEMA_FORMAT_HOSTNAME] = "hostname",
    [SCHEMA_FORMAT_IPV4] = "ipv4",
    [SCHEMA_FORMAT_IPV6] = "ipv6",
    [SCHEMA_FORMAT_URI] = "uri",
    [SCHEMA_FORMAT_URI_REFERENCE] = "uri-reference",
    [SCHEMA_FORMAT_UUID] = "uuid",
    [SCHEMA_FORMAT_JSON_POINTER] = "json-pointer",
    [SCHEMA_FORMAT_RELATIVE_JSON_POINTER] = "relative-json-pointer",
    [SCHEMA_FORMAT_URI_TEMPLATE] = "uri-template",
    [SCHEMA_FORMAT_REGEX] = "regex",
    [SCHEMA_FORMAT_IDN_EMAIL] = "idn-email",
    [SCHEMA_FORMAT_IDN_HOSTNAME] = "idn-hostname",
    [SCHEMA_FORMAT_IRI] = "iri",
    [SCHEMA_FORMAT_IRI_REFERENCE] = "iri-reference",
};

enum { FORMAT_COUNT = sizeof(format_names) / sizeof(format_names[0]) };

enum schema_format schema_format_from(struct str name)
{
    for (int i = SCHEMA_FORMAT_UNKNOWN + 1; i < FORMAT_COUNT; i++)
        if (str_equal(name, str_from(format_names[i])))
            return (enum schema_format)i;
    return SCHEMA_FORMAT_UNKNOWN;
}

const char *schema_format_name(enum schema_format format)
{
    return format_names[format];
}

bool schema_format_is_built(enum schema_format format)
{
    return format != SCHEMA_FORMAT_IDN_EMAIL && format != SCHEMA_FORMAT_IDN_HOSTNAME;
}

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

bool schema_format_matches(enum schema_format format, struct str text)
{
    switch (format) {
    case SCHEMA_FORMAT_UNKNOWN: return true;
    case SCHEMA_FORMAT_DATE_TIME: return format_is_date_time(text);
    case SCHEMA_FORMAT_DATE: return format_is_date(text);
    case SCHEMA_FORMAT_TIME: return format_is_time(text);
    case SCHEMA_FORMAT_DURATION: return format_is_duration(text);
    case SCHEMA_FORMAT_EMAIL: return format_is_email(text);
    case SCHEMA_FORMAT_HOSTNAME: return format_is_hostname(text);
    case SCHEMA_FORMAT_IPV4: return format_is_ipv4(text);
    case SCHEMA_FORMAT_IPV6: return format_is_ipv6(text);
    case SCHEMA_FORMAT_URI: return format_is_uri(text, false, false);
    case SCHEMA_FORMAT_URI_REFERENCE: return format_is_uri(text, true, false);
    case SCHEMA_FORMAT_UUID: return format_is_uuid(text);
    case SCHEMA_FORMAT_JSON_POINTER: return format_is_json_pointer(text);
    case SCHEMA_FORMAT_RELATIVE_JSON_POINTER: return format_is_relative_json_pointer(text);
    case SCHEMA_FORMAT_URI_TEMPLATE: return format_is_uri_template(text);
    case SCHEMA_FORMAT_IRI: return format_is_uri(text, false, true);
    case SCHEMA_FORMAT_IRI_REFERENCE: return format_is_uri(text, true, true);
    case SCHEMA_FORMAT_REGEX: return regex_check(text, alloc_default(), NULL) == STATUS_OK;
    case SCHEMA_FORMAT_IDN_EMAIL:
    case SCHEMA_FORMAT_IDN_HOSTNAME:
        return true; /* refused by the compiler: schema_format_is_built */
    }
    return true;
}

/* fuzz_format.c - laws of the formats for any text: what a narrower format takes the wider one
 * takes too, addresses are those of inet_pton, letters of host names have no case, a date-time is a
 * date and a time.
 *
 * The first byte chooses the format, the rest is the text.
 */
#include "base/features.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "schema/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* assert may be compiled out. */
static void require(bool condition)
{
    if (!condition)
        abort();
}

static const struct {
    enum schema_format narrow, wide;
} inclusions[] = {
    { SCHEMA_FORMAT_HOSTNAME, SCHEMA_FORMAT_HOSTNAME_1123 },
    { SCHEMA_FORMAT_HOSTNAME, SCHEMA_FORMAT_IDN_HOSTNAME },
    { SCHEMA_FORMAT_EMAIL, SCHEMA_FORMAT_IDN_EMAIL },
    { SCHEMA_FORMAT_URI, SCHEMA_FORMAT_URI_REFERENCE },
    { SCHEMA_FORMAT_URI, SCHEMA_FORMAT_IRI },
    { SCHEMA_FORMAT_URI_REFERENCE, SCHEMA_FORMAT_IRI_REFERENCE },
    { SCHEMA_FORMAT_IRI, SCHEMA_FORMAT_IRI_REFERENCE },
};

static void check_inclusions(enum schema_format format, struct str text)
{
    for (size_t i = 0; i < sizeof(inclusions) / sizeof(inclusions[0]); i++)
        if (inclusions[i].narrow == format)
            require(schema_format_matches(inclusions[i].wide, text));
}

/* text has no NUL. */
static void check_address(enum schema_format format, struct str text, bool matches)
{
    char name[128];
    unsigned char address[16];
    if (text.len >= sizeof(name))
        return;
    if (text.len > 0)
        memcpy(name, text.ptr, text.len);
    name[text.len] = '\0';
    int family = format == SCHEMA_FORMAT_IPV4 ? AF_INET : AF_INET6;
    require((inet_pton(family, name, address) == 1) == matches);
}

static void check_case(enum schema_format format, struct str text)
{
    char *other = malloc(text.len);
    if (other == NULL)
        return;
    for (size_t i = 0; i < text.len; i++) {
        bool is_capital = text.ptr[i] >= 'A' && text.ptr[i] <= 'Z';
        other[i] = (char)(is_capital ? text.ptr[i] | 0x20 : text.ptr[i]);
    }
    require(schema_format_matches(format, str_of(other, text.len)));
    free(other);
}

static void check_date_time(struct str text)
{
    require(schema_format_matches(SCHEMA_FORMAT_DATE, str_of(text.ptr, 10)));
    require(schema_format_matches(SCHEMA_FORMAT_TIME, str_of(text.ptr + 11, text.len - 11)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    enum schema_format format = (enum schema_format)(data[0] % (SCHEMA_FORMAT_HOSTNAME_1123 + 1));
    struct str text = str_of((const char *)data + 1, size - 1);
    if (utf8_check(text) != text.len)
        return 0;
    bool matches = schema_format_matches(format, text);
    require(matches == schema_format_matches(format, text));
    if (matches)
        check_inclusions(format, text);
    if ((format == SCHEMA_FORMAT_IPV4 || format == SCHEMA_FORMAT_IPV6) &&
        memchr(data + 1, '\0', size - 1) == NULL)
        check_address(format, text, matches);
    if (format == SCHEMA_FORMAT_HOSTNAME && matches)
        check_case(format, text);
    if (format == SCHEMA_FORMAT_DATE_TIME && matches)
        check_date_time(text);
    return 0;
}

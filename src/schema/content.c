/* content.c - is a string base64 (RFC 4648 section 4), and is what it says a JSON text?
 *
 * Owns: both questions. Leaves to others: when they are asked. Strict: padding is required, other
 * characters are refused, bits that padding leaves over are zero.
 */
#include "base/features.h"

#include "schema/content.h"

enum { BASE64_GROUP = 4, BASE64_BYTES = 3, BASE64_BITS = 6, BASE64_NONE = 255 };

static uint32_t base64_digit(char byte)
{
    if (byte >= 'A' && byte <= 'Z')
        return (uint32_t)(byte - 'A');
    if (byte >= 'a' && byte <= 'z')
        return (uint32_t)(byte - 'a') + 26;
    if (byte >= '0' && byte <= '9')
        return (uint32_t)(byte - '0') + 52;
    if (byte == '+')
        return 62;
    return byte == '/' ? 63 : BASE64_NONE;
}

/* One group of four digits, the last `padding` of them '='; out may be NULL. */
static bool base64_group(const char *group, unsigned padding, struct buffer *out)
{
    uint32_t bits = 0;
    for (unsigned i = 0; i < BASE64_GROUP; i++) {
        uint32_t digit = i < BASE64_GROUP - padding ? base64_digit(group[i]) : 0;
        if (digit == BASE64_NONE)
            return false;
        bits = bits << BASE64_BITS | digit;
    }
    unsigned bytes = BASE64_BYTES - padding;
    if ((bits & ((UINT32_C(1) << (8 * padding)) - 1)) != 0)
        return false;
    for (unsigned i = 0; i < bytes && out != NULL; i++)
        buffer_append_byte(out, (char)(bits >> (16 - 8 * i) & 255));
    return true;
}

static bool base64_read(struct str text, struct buffer *out)
{
    if (text.len % BASE64_GROUP != 0)
        return false;
    for (size_t i = 0; i < text.len; i += BASE64_GROUP) {
        const char *group = text.ptr + i;
        unsigned padding = 0;
        if (i + BASE64_GROUP == text.len && group[3] == '=')
            padding = group[2] == '=' ? 2 : 1;
        if (!base64_group(group, padding, out))
            return false;
    }
    return true;
}

/* Nesting and digits beyond the usual limits count as no JSON text; member names may repeat. */
static enum status content_is_json(struct str text, const struct alloc *alloc, bool *out_matches)
{
    struct json_options options = JSON_OPTIONS_DEFAULT;
    struct json_doc *doc = NULL;
    options.bytes_max = text.len;
    options.duplicates = JSON_DUPLICATES_LAST;
    enum status status = json_parse(text, &options, alloc, &doc, NULL);
    json_doc_free(doc);
    if (status == STATUS_NO_MEMORY)
        return status;
    *out_matches = status == STATUS_OK;
    return STATUS_OK;
}

enum status schema_content_matches(uint32_t bits, struct str text, const struct alloc *alloc,
                                   bool *out_matches)
{
    bool is_json = (bits & SCHEMA_CONTENT_JSON) != 0;
    bool is_base64 = (bits & SCHEMA_CONTENT_BASE64) != 0;
    enum status status = STATUS_OK;
    struct buffer bytes;
    buffer_init(&bytes, alloc, text.len);
    *out_matches = !is_base64 || base64_read(text, is_json ? &bytes : NULL);
    if (is_json && *out_matches)
        status = buffer_status(&bytes) == STATUS_OK
                     ? content_is_json(is_base64 ? buffer_view(&bytes) : text, alloc, out_matches)
                     : STATUS_NO_MEMORY;
    buffer_release(&bytes);
    return status;
}

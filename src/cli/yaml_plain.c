/* yaml_plain.c - what a scalar without quotes means: the core schema of YAML 1.2 section 10.3.
 *
 * Owns: that schema. Leaves to others: YAML's syntax (yaml.c). Invariant: what is appended is one
 * JSON value.
 */
#include "base/features.h"

#include "cli/yaml.h"

#include "json/json.h"

struct plain_word {
    const char *yaml;
    const char *json; /* NULL: JSON has no such value */
};

static const struct plain_word plain_words[] = {
    { "", "null" },       { "~", "null" },      { "null", "null" },   { "Null", "null" },
    { "NULL", "null" },   { "true", "true" },   { "True", "true" },   { "TRUE", "true" },
    { "false", "false" }, { "False", "false" }, { "FALSE", "false" }, { ".inf", NULL },
    { ".Inf", NULL },     { ".INF", NULL },     { "+.inf", NULL },    { "+.Inf", NULL },
    { "+.INF", NULL },    { "-.inf", NULL },    { "-.Inf", NULL },    { "-.INF", NULL },
    { ".nan", NULL },     { ".NaN", NULL },     { ".NAN", NULL },
};

enum { PLAIN_WORD_COUNT = sizeof(plain_words) / sizeof(plain_words[0]), PLAIN_WORD_BYTES_MAX = 5 };

static const struct plain_word *plain_word_of(struct str text)
{
    if (text.len > PLAIN_WORD_BYTES_MAX)
        return NULL;
    for (size_t i = 0; i < PLAIN_WORD_COUNT; i++)
        if (str_equal(text, str_from(plain_words[i].yaml)))
            return &plain_words[i];
    return NULL;
}

/* Bytes of decimal digits from at on. */
static size_t plain_digits(struct str text, size_t at)
{
    size_t begin = at;
    while (at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9')
        at++;
    return at - begin;
}

static bool plain_has(struct str text, size_t at, const char *bytes)
{
    return at < text.len && text.ptr[at] != '\0' && strchr(bytes, text.ptr[at]) != NULL;
}

/* The parts of [-+]? digits [. digits] [e [-+]? digits] with a digit before the exponent. */
struct plain_number {
    struct str whole, fraction, exponent;
    bool is_negative;
};

static bool plain_number_read(struct str text, struct plain_number *out)
{
    size_t at = plain_has(text, 0, "+-") ? 1 : 0;
    out->is_negative = plain_has(text, 0, "-");
    out->whole = str_of(text.ptr + at, plain_digits(text, at));
    at += out->whole.len;
    out->fraction = out->exponent = STR("");
    if (plain_has(text, at, ".")) {
        at++;
        out->fraction = str_of(text.ptr + at, plain_digits(text, at));
        at += out->fraction.len;
    }
    if (out->whole.len + out->fraction.len == 0)
        return false;
    if (plain_has(text, at, "eE")) {
        size_t begin = at++;
        at += plain_has(text, at, "+-") ? 1 : 0;
        size_t len = plain_digits(text, at);
        if (len == 0)
            return false;
        at += len;
        out->exponent = str_of(text.ptr + begin, at - begin);
    }
    return at == text.len;
}

static void plain_number_write(const struct plain_number *number, struct buffer *out)
{
    struct str whole = number->whole;
    while (whole.len > 1 && whole.ptr[0] == '0')
        whole = str_of(whole.ptr + 1, whole.len - 1);
    if (number->is_negative)
        buffer_append_byte(out, '-');
    buffer_append_str(out, whole.len > 0 ? whole : STR("0"));
    if (number->fraction.len > 0) {
        buffer_append_byte(out, '.');
        buffer_append_str(out, number->fraction);
    }
    buffer_append_str(out, number->exponent);
}

static unsigned plain_digit_value(char byte)
{
    if (byte >= '0' && byte <= '9')
        return (unsigned)(byte - '0');
    byte = (char)(byte | 0x20);
    return byte >= 'a' && byte <= 'f' ? (unsigned)(byte - 'a') + 10 : 16;
}

/* "0o17" and "0x1F". False when the text is neither; *out_fits: within 64 bits. */
static bool plain_radix_read(struct str text, uint64_t *out_value, bool *out_fits)
{
    if (text.len < 3 || text.ptr[0] != '0' || (text.ptr[1] != 'o' && text.ptr[1] != 'x'))
        return false;
    unsigned bits = text.ptr[1] == 'o' ? 3 : 4;
    *out_value = 0;
    *out_fits = true;
    for (size_t i = 2; i < text.len; i++) {
        unsigned digit = plain_digit_value(text.ptr[i]);
        if (digit >= 1u << bits)
            return false;
        *out_fits = *out_fits && *out_value >> (64 - bits) == 0;
        *out_value = *out_value << bits | digit;
    }
    return true;
}

const char *cli_yaml_plain(struct str text, struct buffer *out)
{
    const struct plain_word *word = plain_word_of(text);
    struct plain_number number;
    uint64_t value;
    bool fits;
    if (word != NULL && word->json == NULL)
        return "JSON has no infinity and no \"not a number\"";
    if (word != NULL) {
        buffer_append_str(out, str_from(word->json));
    } else if (plain_number_read(text, &number)) {
        plain_number_write(&number, out);
    } else if (plain_radix_read(text, &value, &fits)) {
        if (!fits)
            return "an octal or hexadecimal number has more than 64 bits";
        buffer_append_uint(out, value);
    } else {
        json_write_string(text, out);
    }
    return NULL;
}

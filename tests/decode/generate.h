/* generate.h - seeded schemas, vocabularies and walks for the tests of src/decode. */
#ifndef STRUCTURE_TEST_DECODE_GENERATE_H
#define STRUCTURE_TEST_DECODE_GENERATE_H

#include "base/buffer.h"
#include "base/control.h"

static inline uint32_t draw(struct rng *rng, uint32_t count)
{
    return (uint32_t)(rng->next(rng->state) >> 33) % count;
}

static inline bool chance(struct rng *rng, uint32_t percent)
{
    return draw(rng, 100) < percent;
}

struct generate {
    struct rng rng;
    struct buffer *out;
    unsigned nodes_left; /* subschemas that may still be begun */
    bool gaps;           /* also keywords that the language leaves to the validator */
};

static inline void generate_schema(struct generate *g, unsigned depth);

static inline void generate_string(struct generate *g)
{
    static const char *const formats[] = {
        "date", "date-time", "time",     "email",    "uuid",         "ipv4",
        "ipv6", "uri",       "hostname", "duration", "json-pointer", "uri-reference"
    };
    buffer_printf(g->out, "{\"type\":\"string\"");
    if (chance(&g->rng, 20)) {
        buffer_printf(g->out, ",\"format\":\"%s\"", formats[draw(&g->rng, 12)]);
        if (chance(&g->rng, 20))
            buffer_printf(g->out, ",\"maxLength\":%u", 36 + draw(&g->rng, 20));
    } else if (chance(&g->rng, 50)) {
        uint32_t least = draw(&g->rng, 4);
        if (chance(&g->rng, 60))
            buffer_printf(g->out, ",\"minLength\":%u", least);
        buffer_printf(g->out, ",\"maxLength\":%u", least + draw(&g->rng, 5));
    }
    if (g->gaps && chance(&g->rng, 20))
        buffer_printf(g->out, ",\"pattern\":\"^[a-f]+$\"");
    buffer_append_byte(g->out, '}');
}

static inline void generate_number(struct generate *g)
{
    bool integer = chance(&g->rng, 50);
    buffer_printf(g->out, "{\"type\":\"%s\"", integer ? "integer" : "number");
    int low = (int)draw(&g->rng, 3000) - 1500;
    if (chance(&g->rng, 60))
        buffer_printf(g->out, ",\"%s\":%d%s", chance(&g->rng, 30) ? "exclusiveMinimum" : "minimum",
                      low, chance(&g->rng, 30) ? ".25" : "");
    if (chance(&g->rng, 60))
        buffer_printf(g->out, ",\"%s\":%d%s", chance(&g->rng, 30) ? "exclusiveMaximum" : "maximum",
                      low + 40 + (int)draw(&g->rng, 2000), chance(&g->rng, 30) ? ".125" : "");
    if (chance(&g->rng, 25)) {
        static const char *const divisors[] = {
            "3", "0.5", "7", "0.01", "10", "2.5", "1e1", "25e-2"
        };
        buffer_printf(g->out, ",\"multipleOf\":%s", divisors[draw(&g->rng, 8)]);
    }
    buffer_append_byte(g->out, '}');
}

static inline void generate_enum(struct generate *g)
{
    static const char *const values[] = {
        "1",     "12",         "1.5",    "-3",         "null",
        "true",  "\"a\"",      "\"ab\"", "\"a\\\"b\"", "\"\\u00e9t\\u00e9\"",
        "[1,2]", "{\"k\":[]}", "\"\"",   "120",        "\"x,y\""
    };
    uint32_t first = draw(&g->rng, 8), count = 1 + draw(&g->rng, 7);
    buffer_printf(g->out, "{\"enum\":[");
    for (uint32_t i = 0; i < count; i++)
        buffer_printf(g->out, "%s%s", i == 0 ? "" : ",", values[first + i]);
    buffer_printf(g->out, "]}");
}

static inline void generate_array(struct generate *g, unsigned depth)
{
    buffer_printf(g->out, "{\"type\":\"array\"");
    if (chance(&g->rng, 20)) {
        buffer_printf(g->out, ",\"prefixItems\":[");
        generate_schema(g, depth);
        buffer_append_byte(g->out, ',');
        generate_schema(g, depth);
        buffer_append_byte(g->out, ']');
    }
    buffer_printf(g->out, ",\"items\":");
    generate_schema(g, depth);
    uint32_t least = draw(&g->rng, 4);
    if (chance(&g->rng, 50))
        buffer_printf(g->out, ",\"minItems\":%u", least);
    if (chance(&g->rng, 50))
        buffer_printf(g->out, ",\"maxItems\":%u", least + draw(&g->rng, 4));
    if (chance(&g->rng, 30))
        buffer_printf(g->out, ",\"uniqueItems\":true");
    if (g->gaps && chance(&g->rng, 10))
        buffer_printf(g->out, ",\"contains\":{\"type\":\"string\"}");
    buffer_append_byte(g->out, '}');
}

static inline void generate_names(struct generate *g, const char *keyword, uint32_t count,
                                  uint32_t percent)
{
    static const char *const names[] = {
        "a", "ab", "name", "na\\\"me", "\\u00e9", "z", "abc", "n"
    };
    bool first = true;
    buffer_printf(g->out, ",\"%s\":[", keyword);
    for (uint32_t i = 0; i < count; i++) {
        if (!chance(&g->rng, percent))
            continue;
        buffer_printf(g->out, "%s\"%s\"", first ? "" : ",", names[i]);
        first = false;
    }
    buffer_append_byte(g->out, ']');
}

static inline void generate_object(struct generate *g, unsigned depth)
{
    static const char *const names[] = {
        "a", "ab", "name", "na\\\"me", "\\u00e9", "z", "abc", "n"
    };
    uint32_t count = draw(&g->rng, 7);
    buffer_printf(g->out, "{\"type\":\"object\"");
    if (count > 0 || chance(&g->rng, 50)) {
        buffer_printf(g->out, ",\"properties\":{");
        for (uint32_t i = 0; i < count; i++) {
            buffer_printf(g->out, "%s\"%s\":", i == 0 ? "" : ",", names[i]);
            generate_schema(g, depth);
        }
        buffer_append_byte(g->out, '}');
    }
    generate_names(g, "required", count + (chance(&g->rng, 10) ? 1 : 0), 40);
    if (chance(&g->rng, 30))
        buffer_printf(g->out, ",\"additionalProperties\":false");
    else if (chance(&g->rng, 30)) {
        buffer_printf(g->out, ",\"additionalProperties\":");
        generate_schema(g, depth);
    }
    if (chance(&g->rng, 15))
        buffer_printf(g->out, ",\"minProperties\":%u", draw(&g->rng, count + 2));
    if (chance(&g->rng, 15))
        buffer_printf(g->out, ",\"maxProperties\":%u", draw(&g->rng, count + 2));
    if (chance(&g->rng, 10))
        buffer_printf(g->out, ",\"propertyNames\":{\"maxLength\":%u}", 1 + draw(&g->rng, 6));
    if (chance(&g->rng, 10))
        buffer_printf(g->out, ",\"dependentRequired\":{\"a\":[\"ab\"],\"name\":[\"a\"]}");
    if (chance(&g->rng, 5))
        buffer_printf(g->out, ",\"not\":{\"required\":[\"ab\"]}");
    if (chance(&g->rng, 10))
        buffer_printf(g->out,
                      ",\"if\":{\"properties\":{\"a\":{\"enum\":[1,true,\"a\"]}}%s},\"then\":{"
                      "\"required\":[\"z\"]}",
                      chance(&g->rng, 50) ? ",\"required\":[\"a\"]" : "");
    buffer_append_byte(g->out, '}');
}

static inline void generate_mix(struct generate *g, unsigned depth)
{
    static const char *const keywords[] = { "anyOf", "oneOf", "allOf", "anyOf" };
    buffer_printf(g->out, "{\"%s\":[", keywords[draw(&g->rng, 4)]);
    uint32_t count = 1 + draw(&g->rng, 3);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            buffer_append_byte(g->out, ',');
        generate_schema(g, depth);
    }
    buffer_printf(g->out, "]}");
}

static inline void generate_schema(struct generate *g, unsigned depth)
{
    static const char *const simple[] = {
        "{\"type\":\"boolean\"}",
        "{\"type\":\"null\"}",
        "true",
        "{}",
        "{\"type\":[\"string\",\"null\"]}",
        "{\"$ref\":\"#/$defs/tree\"}",
        "{\"$ref\":\"#/$defs/list\"}",
        "{\"const\":\"k\"}",
        "{\"type\":[\"integer\",\"string\"],\"minimum\":3,\"maxLength\":2}",
        "{\"not\":{\"type\":[\"object\",\"array\",\"number\"]}}"
    };
    uint32_t kind = draw(&g->rng, 100);
    if (g->nodes_left == 0 || depth == 0) {
        buffer_printf(g->out, "%s", simple[draw(&g->rng, 10)]);
        return;
    }
    g->nodes_left--;
    if (kind < 20)
        generate_string(g);
    else if (kind < 38)
        generate_number(g);
    else if (kind < 46)
        generate_enum(g);
    else if (kind < 60)
        generate_array(g, depth - 1);
    else if (kind < 78)
        generate_object(g, depth - 1);
    else if (kind < 88)
        generate_mix(g, depth - 1);
    else
        buffer_printf(g->out, "%s", simple[draw(&g->rng, 10)]);
}

/* A whole schema with two recursive definitions. */
static inline void generate_document(struct generate *g)
{
    g->nodes_left = 3 + draw(&g->rng, 12);
    buffer_printf(
        g->out,
        "{\"$defs\":{\"tree\":{\"type\":\"object\",\"properties\":{\"v\":{\"type\":\"integer\"},"
        "\"left\":{\"$ref\":\"#/$defs/tree\"},\"kids\":{\"type\":\"array\",\"items\":"
        "{\"$ref\":\"#/$defs/"
        "tree\"}}},\"required\":[\"v\"]},\"list\":{\"anyOf\":[{\"type\":\"null\"},"
        "{\"type\":\"array\",\"prefixItems\":[{\"type\":\"boolean\"},{\"$ref\":\"#/$defs/list\"}],"
        "\"items\":false,\"minItems\":2}]}},\"allOf\":[");
    generate_schema(g, 4);
    buffer_printf(g->out, "]}");
}

/* ---- vocabularies
 * ---------------------------------------------------------------------------------- */

static const char *const generate_pieces[] = {
    "\",",       "\":",     "\":\"", "}]",    "\"}",      "\"]",      "{\"",    "[\"",
    "[{",        "],",      "},",    "},{",   "{}",       "[]",       "true",   "false",
    "null",      "a",       "ab",    "abc",   "name",     "n",        "z",      "x",
    "  ",        " ",       "\xc3",  "\xa9",  "\xc3\xa9", "\xe2\x82", "\xac",   "\xf0\x9f",
    "\x98\x80",  "\\",      "\\n",   "\\u00", "\\\"",     "0",        "1",      "12",
    ".5",        "-",       "1.5",   "2026-", "-02-29",   "T10:",     "00:00Z", "@",
    "http://",   "example", ".com",  "::",    "::1",      "\"a\":",   "\"v\":", "\"kids\":[",
    "\"left\":", "\"k\"",   ",\"",   "9",     "00",       "e1",       "v"
};
enum { GENERATE_PIECES = sizeof generate_pieces / sizeof generate_pieces[0] };

/* Token number index: the pieces, then every byte. */
static inline struct str generate_token(uint32_t index, char *byte)
{
    if (index < GENERATE_PIECES)
        return str_from(generate_pieces[index]);
    *byte = (char)(unsigned char)(index - GENERATE_PIECES);
    return str_of(byte, 1);
}

#endif

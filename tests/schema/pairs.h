/* pairs.h - seeded schemas, and instances that meet their keywords often.
 *
 * Owns: the two generators. Schemas mix keywords of all types in one node, refer to four
 * definitions, which may lead back to each other where an instance is consumed, and draw names and
 * values from the same few, so that keywords meet. An instance follows its schema most of the way.
 */
#ifndef STRUCTURE_TEST_PAIRS_H
#define STRUCTURE_TEST_PAIRS_H

#include "base/buffer.h"
#include "base/control.h"
#include "json/json.h"

enum { PAIRS_DEFINITIONS = 4 };

struct pairs {
    struct rng rng;
    struct buffer *out;
    unsigned nodes_left; /* subschemas that may still be begun */
    unsigned definition; /* in place, only later ones may be referred to */
    bool unevaluated;    /* also unevaluatedItems and unevaluatedProperties */
};

static const char *const pair_names[] = {
    "a",
    "b",
    "ab",
    "kind",
    "x-1",
    "name",
    "\xC3\xA9",
    "na\\\"me",
    "k0",
    "sixteen_bytes__",
    "a_name_of_more_than_sixteen_bytes",
    "a_name_of_more_than_sixteen_bytez",
};

static const char *const pair_values[] = {
    "null",
    "true",
    "false",
    "0",
    "1",
    "2",
    "3",
    "-1",
    "1.0",
    "1.5",
    "1e0",
    "10",
    "-0",
    "0.1",
    "100",
    "1e2",
    "12345678901234567890",
    "9007199254740993",
    "0.30",
    "\"\"",
    "\"a\"",
    "\"b\"",
    "\"ab\"",
    "\"abc\"",
    "\"x-1\"",
    "\"k0\"",
    "\"k7\"",
    "\"k11\"",
    "\"\xC3\xA9\"",
    "\"\\u00e9\"",
    "\"a\\u0062\"",
    "\"\xF0\x9D\x84\x9E\xF0\x9D\x84\x9E\"",
    "\"a string of more than sixteen bytes\"",
    "\"a string of more than sixteen bytez\"",
    "[]",
    "[1]",
    "[1,\"a\"]",
    "{}",
    "{\"a\":1}",
    "{\"b\":[1.0],\"a\":1}",
};

#define PAIR_COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

static inline uint32_t pair_draw(struct pairs *pairs, uint32_t count)
{
    return (uint32_t)(pairs->rng.next(pairs->rng.state) >> 33) % count;
}

static inline bool pair_chance(struct pairs *pairs, uint32_t percent)
{
    return pair_draw(pairs, 100) < percent;
}

static inline const char *pair_name(struct pairs *pairs)
{
    return pair_names[pair_draw(pairs, PAIR_COUNT(pair_names))];
}

static inline const char *pair_value(struct pairs *pairs)
{
    return pair_values[pair_draw(pairs, PAIR_COUNT(pair_values))];
}

/* ---- schemas --------------------------------------------------------------------------------- */

static inline void pair_schema(struct pairs *pairs, unsigned depth, bool in_place);

static inline void pair_list(struct pairs *pairs, unsigned depth, bool in_place)
{
    uint32_t count = 1 + pair_draw(pairs, 3);
    buffer_append_byte(pairs->out, '[');
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            buffer_append_byte(pairs->out, ',');
        pair_schema(pairs, depth, in_place);
    }
    buffer_append_byte(pairs->out, ']');
}

static inline void pair_key(struct pairs *pairs, const char *keyword)
{
    char last = buffer_view(pairs->out).ptr[buffer_view(pairs->out).len - 1];
    buffer_printf(pairs->out, "%s\"%s\":", last == '{' ? "" : ",", keyword);
}

static inline void pair_child(struct pairs *pairs, const char *keyword, unsigned depth,
                              bool in_place)
{
    pair_key(pairs, keyword);
    pair_schema(pairs, depth, in_place);
}

static inline void pair_name_list(struct pairs *pairs, uint32_t percent)
{
    bool first = true;
    buffer_append_byte(pairs->out, '[');
    for (uint32_t i = 0; i < PAIR_COUNT(pair_names); i++) {
        if (!pair_chance(pairs, percent))
            continue;
        buffer_printf(pairs->out, "%s\"%s\"", first ? "" : ",", pair_names[i]);
        first = false;
    }
    buffer_append_byte(pairs->out, ']');
}

static inline void pair_type(struct pairs *pairs)
{
    static const char *const types[] = { "null",   "boolean", "integer", "number",
                                         "object", "string",  "array",   "integer" };
    pair_key(pairs, "type");
    if (pair_chance(pairs, 70))
        buffer_printf(pairs->out, "\"%s\"", types[pair_draw(pairs, 8)]);
    else
        buffer_printf(pairs->out, "[\"%s\",\"%s\"]", types[pair_draw(pairs, 4)],
                      types[4 + pair_draw(pairs, 3)]);
}

static inline void pair_enum(struct pairs *pairs)
{
    if (pair_chance(pairs, 30)) {
        pair_key(pairs, "const");
        buffer_printf(pairs->out, "%s", pair_value(pairs));
        return;
    }
    uint32_t count = pair_draw(pairs, 6);
    pair_key(pairs, "enum");
    buffer_printf(pairs->out, "[%s", pair_value(pairs));
    for (uint32_t i = 0; i < count; i++)
        buffer_printf(pairs->out, ",%s", pair_value(pairs));
    for (uint32_t i = 0; count == 5 && i < 10; i++)
        buffer_printf(pairs->out, ",\"k%u\"", i);
    buffer_append_byte(pairs->out, ']');
}

static inline void pair_number(struct pairs *pairs)
{
    static const char *const limits[] = {
        "0", "1", "1.5", "2", "-1", "3", "0.1", "1e1", "9007199254740993", "12345678901234567890"
    };
    static const char *const keywords[] = { "minimum", "maximum", "exclusiveMinimum",
                                            "exclusiveMaximum" };
    static const char *const divisors[] = { "1", "2", "0.5", "0.1", "3" };
    for (uint32_t i = 0; i < 4; i++)
        if (pair_chance(pairs, 30)) {
            pair_key(pairs, keywords[i]);
            buffer_printf(pairs->out, "%s", limits[pair_draw(pairs, 10)]);
        }
    if (pair_chance(pairs, 30)) {
        pair_key(pairs, "multipleOf");
        buffer_printf(pairs->out, "%s", divisors[pair_draw(pairs, 5)]);
    }
}

static inline void pair_string(struct pairs *pairs)
{
    static const char *const patterns[] = {
        "^a", "b$", "^[a-c]+$", ".", "^k\\\\d+$", "\xC3\xA9", ""
    };
    if (pair_chance(pairs, 50)) {
        pair_key(pairs, "minLength");
        buffer_printf(pairs->out, "%u", pair_draw(pairs, 4));
    }
    if (pair_chance(pairs, 50)) {
        pair_key(pairs, "maxLength");
        buffer_printf(pairs->out, "%u", pair_draw(pairs, 4));
    }
    if (pair_chance(pairs, 40)) {
        pair_key(pairs, "pattern");
        buffer_printf(pairs->out, "\"%s\"", patterns[pair_draw(pairs, 7)]);
    }
    if (pair_chance(pairs, 15)) {
        pair_key(pairs, "format");
        buffer_printf(pairs->out, pair_chance(pairs, 50) ? "\"hostname\"" : "\"regex\"");
    }
}

static inline void pair_properties(struct pairs *pairs, unsigned depth)
{
    bool first = true;
    pair_key(pairs, "properties");
    buffer_append_byte(pairs->out, '{');
    for (uint32_t i = 0; i < PAIR_COUNT(pair_names); i++) {
        if (!pair_chance(pairs, 25))
            continue;
        buffer_printf(pairs->out, "%s\"%s\":", first ? "" : ",", pair_names[i]);
        pair_schema(pairs, depth, false);
        first = false;
    }
    buffer_append_byte(pairs->out, '}');
}

static inline void pair_members(struct pairs *pairs, unsigned depth)
{
    if (pair_chance(pairs, 70))
        pair_properties(pairs, depth);
    if (pair_chance(pairs, 40)) {
        pair_key(pairs, "required");
        pair_name_list(pairs, 10);
    }
    if (pair_chance(pairs, 15)) {
        pair_key(pairs, "patternProperties");
        buffer_printf(pairs->out, "{\"%s\":", pair_chance(pairs, 50) ? "^x-" : "^a|m");
        pair_schema(pairs, depth, false);
        buffer_append_byte(pairs->out, '}');
    }
    if (pair_chance(pairs, 20)) {
        pair_key(pairs, "additionalProperties");
        buffer_printf(pairs->out, "false");
    } else if (pair_chance(pairs, 20)) {
        pair_child(pairs, "additionalProperties", depth, false);
    }
    if (pair_chance(pairs, 10))
        pair_child(pairs, "propertyNames", depth, false);
}

static inline void pair_members_more(struct pairs *pairs, unsigned depth)
{
    if (pair_chance(pairs, 30)) {
        pair_key(pairs, "minProperties");
        buffer_printf(pairs->out, "%u", pair_draw(pairs, 3));
    }
    if (pair_chance(pairs, 30)) {
        pair_key(pairs, "maxProperties");
        buffer_printf(pairs->out, "%u", 1 + pair_draw(pairs, 4));
    }
    if (pair_chance(pairs, 30)) {
        pair_key(pairs, "dependentRequired");
        buffer_printf(pairs->out, "{\"%s\":", pair_name(pairs));
        pair_name_list(pairs, 15);
        buffer_append_byte(pairs->out, '}');
    }
    if (pair_chance(pairs, 30)) {
        pair_key(pairs, "dependentSchemas");
        buffer_printf(pairs->out, "{\"%s\":", pair_name(pairs));
        pair_schema(pairs, depth, true);
        buffer_append_byte(pairs->out, '}');
    }
}

static inline void pair_items(struct pairs *pairs, unsigned depth)
{
    if (pair_chance(pairs, 30)) {
        pair_key(pairs, "prefixItems");
        pair_list(pairs, depth, false);
    }
    if (pair_chance(pairs, 60))
        pair_child(pairs, "items", depth, false);
    if (pair_chance(pairs, 30)) {
        pair_key(pairs, "minItems");
        buffer_printf(pairs->out, "%u", pair_draw(pairs, 3));
    }
    if (pair_chance(pairs, 30)) {
        pair_key(pairs, "maxItems");
        buffer_printf(pairs->out, "%u", 1 + pair_draw(pairs, 12));
    }
    if (pair_chance(pairs, 30)) {
        pair_key(pairs, "uniqueItems");
        buffer_printf(pairs->out, "true");
    }
    if (pair_chance(pairs, 25)) {
        pair_child(pairs, "contains", depth, false);
        if (pair_chance(pairs, 40)) {
            pair_key(pairs, "minContains");
            buffer_printf(pairs->out, "%u", pair_draw(pairs, 3));
        }
        if (pair_chance(pairs, 40)) {
            pair_key(pairs, "maxContains");
            buffer_printf(pairs->out, "%u", pair_draw(pairs, 3));
        }
    }
}

static inline void pair_in_place(struct pairs *pairs, unsigned depth)
{
    static const char *const keywords[] = { "allOf", "anyOf", "oneOf" };
    uint32_t kind = pair_draw(pairs, 10);
    if (kind < 7) {
        pair_key(pairs, keywords[kind % 3]);
        pair_list(pairs, depth, true);
    } else if (kind < 8) {
        pair_child(pairs, "not", depth, true);
    } else {
        pair_child(pairs, "if", depth, true);
        if (pair_chance(pairs, 80))
            pair_child(pairs, "then", depth, true);
        if (pair_chance(pairs, 80))
            pair_child(pairs, "else", depth, true);
    }
}

/* Alternatives that a member tells apart, as authors write them. */
static inline void pair_tagged(struct pairs *pairs, unsigned depth)
{
    uint32_t count = 2 + pair_draw(pairs, 3);
    pair_key(pairs, pair_chance(pairs, 50) ? "oneOf" : "anyOf");
    for (uint32_t i = 0; i < count; i++) {
        buffer_printf(pairs->out,
                      "%s{\"properties\":{\"kind\":{\"const\":%s},\"%s\":", i == 0 ? "[" : ",",
                      pair_values[19 + pair_draw(pairs, 8)], pair_names[pair_draw(pairs, 3)]);
        pair_schema(pairs, depth, false);
        buffer_printf(pairs->out, "}%s}", pair_chance(pairs, 70) ? ",\"required\":[\"kind\"]" : "");
    }
    buffer_append_byte(pairs->out, ']');
}

static inline void pair_reference(struct pairs *pairs, bool in_place)
{
    unsigned first = in_place ? pairs->definition : 0;
    if (first >= PAIRS_DEFINITIONS)
        buffer_printf(pairs->out, "true");
    else
        buffer_printf(pairs->out, "{\"$ref\":\"#/$defs/d%u\"}",
                      first + pair_draw(pairs, PAIRS_DEFINITIONS - first));
}

static inline void pair_keywords(struct pairs *pairs, unsigned depth)
{
    buffer_append_byte(pairs->out, '{');
    if (pair_chance(pairs, 50))
        pair_type(pairs);
    if (pair_chance(pairs, 15))
        pair_enum(pairs);
    if (pair_chance(pairs, 15))
        pair_number(pairs);
    if (pair_chance(pairs, 20))
        pair_string(pairs);
    if (pair_chance(pairs, 40))
        pair_members(pairs, depth);
    if (pair_chance(pairs, 10))
        pair_members_more(pairs, depth);
    if (pair_chance(pairs, 25))
        pair_items(pairs, depth);
    if (pair_chance(pairs, 25))
        pair_in_place(pairs, depth);
    else if (pair_chance(pairs, 15))
        pair_tagged(pairs, depth);
    if (pairs->unevaluated && pair_chance(pairs, 10))
        pair_child(pairs, "unevaluatedProperties", depth, false);
    if (pairs->unevaluated && pair_chance(pairs, 10))
        pair_child(pairs, "unevaluatedItems", depth, false);
    buffer_append_byte(pairs->out, '}');
}

static inline void pair_schema(struct pairs *pairs, unsigned depth, bool in_place)
{
    static const char *const simple[] = { "true",
                                          "{}",
                                          "false",
                                          "{\"type\":\"string\"}",
                                          "{\"type\":\"integer\"}",
                                          "{\"type\":\"number\"}" };
    if (pair_chance(pairs, 15)) {
        pair_reference(pairs, in_place);
    } else if (depth == 0 || pairs->nodes_left == 0 || pair_chance(pairs, 12)) {
        buffer_printf(pairs->out, "%s", simple[pair_draw(pairs, 6)]);
    } else {
        pairs->nodes_left--;
        pair_keywords(pairs, depth - 1);
    }
}

/* A schema with its definitions. */
static inline void pair_document(struct pairs *pairs)
{
    buffer_printf(pairs->out, "{\"$defs\":{");
    for (unsigned i = 0; i < PAIRS_DEFINITIONS; i++) {
        pairs->definition = i + 1;
        pairs->nodes_left = 6;
        buffer_printf(pairs->out, "%s\"d%u\":", i == 0 ? "" : ",", i);
        pair_schema(pairs, 2, true);
    }
    pairs->definition = 0;
    pairs->nodes_left = 16;
    buffer_printf(pairs->out, "},\"allOf\":[");
    pair_schema(pairs, 3, true);
    buffer_printf(pairs->out, "]}");
}

/* ---- instances ------------------------------------------------------------------------------- */

static inline void pair_instance(struct pairs *pairs, struct json root, struct json schema,
                                 unsigned depth);

/* A name, as it is or with an escape that means the same. */
static inline void pair_write_name(struct pairs *pairs, struct str name)
{
    if (name.len > 0 && name.ptr[0] > ' ' && name.ptr[0] < 0x7F && name.ptr[0] != '"' &&
        pair_chance(pairs, 5)) {
        struct buffer rest;
        buffer_init(&rest, alloc_default(), 4096);
        json_write_string(str_of(name.ptr + 1, name.len - 1), &rest);
        buffer_printf(pairs->out, "\"\\u%04x%.*s", (unsigned)name.ptr[0],
                      (int)(buffer_view(&rest).len - 1), buffer_view(&rest).ptr + 1);
        buffer_release(&rest);
        return;
    }
    json_write_string(name, pairs->out);
}

static inline void pair_member(struct pairs *pairs, struct json root, struct str name,
                               struct json schema, unsigned depth, bool *first)
{
    if (!*first)
        buffer_append_byte(pairs->out, ',');
    *first = false;
    pair_write_name(pairs, name);
    buffer_append_byte(pairs->out, ':');
    pair_instance(pairs, root, schema, depth);
}

static inline void pair_object(struct pairs *pairs, struct json root, struct json schema,
                               unsigned depth)
{
    static const struct json nothing = { NULL, NULL };
    bool is_object = json_exists(schema) && json_type(schema) == JSON_OBJECT;
    struct json properties = is_object ? json_get(schema, STR("properties")) : nothing;
    struct json required = is_object ? json_get(schema, STR("required")) : nothing;
    bool first = true;
    buffer_append_byte(pairs->out, '{');
    for (uint32_t i = 0; i < PAIR_COUNT(pair_names); i++) {
        /* The one name with an escape is written as it reads. */
        bool is_quoted = strchr(pair_names[i], '\\') != NULL;
        struct str name = is_quoted ? STR("na\"me") : str_from(pair_names[i]);
        struct json child = json_exists(properties) ? json_get(properties, name) : nothing;
        bool wanted = json_exists(child) && pair_chance(pairs, 70);
        if (json_exists(required))
            for (struct json v = json_first(required); json_exists(v); v = json_next(v, required))
                wanted = wanted || (str_equal(json_string(v), name) && pair_chance(pairs, 95));
        if (wanted || pair_chance(pairs, 6))
            pair_member(pairs, root, name, child, depth, &first);
    }
    buffer_append_byte(pairs->out, '}');
}

static inline void pair_array(struct pairs *pairs, struct json root, struct json schema,
                              unsigned depth)
{
    static const struct json nothing = { NULL, NULL };
    bool is_object = json_exists(schema) && json_type(schema) == JSON_OBJECT;
    struct json items = is_object ? json_get(schema, STR("items")) : nothing;
    struct json prefix = is_object ? json_get(schema, STR("prefixItems")) : nothing;
    uint32_t count = pair_chance(pairs, 10) ? 12 : pair_draw(pairs, 4);
    buffer_append_byte(pairs->out, '[');
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            buffer_append_byte(pairs->out, ',');
        bool in_prefix = json_exists(prefix) && i < json_count(prefix);
        pair_instance(pairs, root, in_prefix ? json_at(prefix, i) : items, depth);
    }
    buffer_append_byte(pairs->out, ']');
}

/* One of the values that the schema lists, or one of the schemas, drawn. */
static inline struct json pair_pick(struct pairs *pairs, struct json list)
{
    return json_at(list, pair_draw(pairs, json_count(list)));
}

/* Writes what the schema lists or what one of its parts asks for; false when there is no such. */
static inline bool pair_follow(struct pairs *pairs, struct json root, struct json schema,
                               unsigned depth)
{
    static const char *const keywords[] = { "allOf", "anyOf", "oneOf" };
    struct json found = json_get(schema, STR("const"));
    if (json_exists(found) && pair_chance(pairs, 90)) {
        json_write(found, 0, pairs->out);
        return true;
    }
    found = json_get(schema, STR("enum"));
    if (json_exists(found) && pair_chance(pairs, 90)) {
        json_write(pair_pick(pairs, found), 0, pairs->out);
        return true;
    }
    found = json_get(schema, STR("$ref"));
    if (json_exists(found)) {
        struct str pointer = json_string(found);
        pair_instance(pairs, root, json_pointer_get(root, str_of(pointer.ptr + 1, pointer.len - 1)),
                      depth);
        return true;
    }
    for (uint32_t i = 0; i < 3; i++) {
        found = json_get(schema, str_from(keywords[i]));
        if (json_exists(found) && json_count(found) > 0 && pair_chance(pairs, 60)) {
            pair_instance(pairs, root, pair_pick(pairs, found), depth);
            return true;
        }
    }
    return false;
}

static inline bool pair_asks_for(struct pairs *pairs, struct json schema, const char *type,
                                 const char *keyword, const char *other)
{
    struct json types = json_get(schema, STR("type"));
    if (json_exists(types) && json_type(types) == JSON_ARRAY)
        types = pair_pick(pairs, types);
    if (json_exists(types))
        return str_equal(json_string(types), str_from(type));
    return json_exists(json_get(schema, str_from(keyword))) ||
           json_exists(json_get(schema, str_from(other)));
}

static inline void pair_instance(struct pairs *pairs, struct json root, struct json schema,
                                 unsigned depth)
{
    bool is_object = json_exists(schema) && json_type(schema) == JSON_OBJECT;
    if (depth > 0 && is_object && pair_follow(pairs, root, schema, depth - 1))
        return;
    if (depth > 0 && is_object && pair_asks_for(pairs, schema, "object", "properties", "required"))
        pair_object(pairs, root, schema, depth - 1);
    else if (depth > 0 && is_object && pair_asks_for(pairs, schema, "array", "items", "contains"))
        pair_array(pairs, root, schema, depth - 1);
    else if (is_object && pair_asks_for(pairs, schema, "string", "minLength", "pattern"))
        buffer_printf(pairs->out, "%s", pair_values[19 + pair_draw(pairs, 15)]);
    else if (is_object && pair_asks_for(pairs, schema, "integer", "minimum", "multipleOf"))
        buffer_printf(pairs->out, "%s", pair_values[3 + pair_draw(pairs, 6)]);
    else
        buffer_printf(pairs->out, "%s", pair_value(pairs));
}

#endif

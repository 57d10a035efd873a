/* values.h - random values for a schema, for the property tests of src/projection.
 *
 * Owns: guessing values along a schema's keywords; most of them are valid, the test asks the
 * validator which. Leaves to others: schemas (tests/decode/generate.h).
 */
#ifndef STRUCTURE_TEST_PROJECTION_VALUES_H
#define STRUCTURE_TEST_PROJECTION_VALUES_H

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/control.h"
#include "json/json.h"

enum { VALUES_DEPTH_MAX = 9, VALUES_ITEMS_MAX = 3 };

struct values {
    struct rng rng;
    struct json root; /* of the schema */
    struct buffer *out;
};

static inline uint32_t values_draw(struct values *values, uint32_t count)
{
    return (uint32_t)(values->rng.next(values->rng.state) >> 33) % count;
}

static inline bool values_chance(struct values *values, uint32_t percent)
{
    return values_draw(values, 100) < percent;
}

static inline void values_schema(struct values *values, struct json schema, unsigned depth);

static inline struct json values_member(struct json schema, const char *name)
{
    return json_type(schema) == JSON_OBJECT ? json_get(schema, str_from(name))
                                            : (struct json){ schema.doc, NULL };
}

static inline bool values_has(struct json schema, const char *name)
{
    return json_exists(values_member(schema, name));
}

static inline int64_t values_number(struct json schema, const char *name, int64_t otherwise)
{
    struct json value = values_member(schema, name);
    int64_t number = otherwise;
    if (!json_exists(value) || json_type(value) != JSON_NUMBER)
        return otherwise;
    struct decimal exact = json_number(value);
    if (decimal_to_int64(&exact, &number))
        return number;
    struct buffer text;
    buffer_init(&text, alloc_default(), 4096);
    json_write(value, 0, &text);
    buffer_append_byte(&text, '\0');
    number = (int64_t)strtod(text.ptr, NULL);
    buffer_release(&text);
    return number;
}

static inline struct json values_any(struct values *values, struct json array)
{
    uint32_t count = json_count(array);
    return count == 0 ? (struct json){ array.doc, NULL }
                      : json_at(array, values_draw(values, count));
}

static inline void values_anything(struct values *values)
{
    static const char *const any[] = { "1",         "\"x\"",      "null", "true",
                                       "[1,\"a\"]", "{\"k\":[]}", "-2.5", "\"{\\\"a\\\":1}\"",
                                       "{}",        "\"12\"" };
    buffer_append_str(values->out, str_from(any[values_draw(values, 10)]));
}

static inline void values_string(struct values *values, struct json schema)
{
    static const char *const samples[][2] = { { "date", "2026-02-27" },
                                              { "date-time", "2026-02-27T10:11:12Z" },
                                              { "time", "10:11:12Z" },
                                              { "email", "a@example.com" },
                                              { "uuid", "01234567-89ab-4def-8123-456789abcdef" },
                                              { "ipv4", "10.0.0.1" },
                                              { "ipv6", "::1" },
                                              { "uri", "https://example.com/a" },
                                              { "hostname", "example.com" },
                                              { "duration", "P1DT2H" },
                                              { "json-pointer", "/a/b" },
                                              { "uri-reference", "a/b" } };
    struct json format = values_member(schema, "format");
    for (size_t i = 0; json_exists(format) && i < sizeof(samples) / sizeof(samples[0]); i++) {
        if (str_equal(json_string(format), str_from(samples[i][0]))) {
            json_write_string(str_from(samples[i][1]), values->out);
            return;
        }
    }
    int64_t least = values_number(schema, "minLength", 0);
    int64_t most = values_number(schema, "maxLength", least + 4);
    int64_t len = least + (most > least ? values_draw(values, (uint32_t)(most - least) + 1) : 0);
    buffer_append_byte(values->out, '"');
    for (int64_t i = 0; i < len && i < 60; i++)
        buffer_append_byte(values->out, (char)('a' + values_draw(values, 6)));
    buffer_append_byte(values->out, '"');
}

static inline void values_of_number(struct values *values, struct json schema, bool integer)
{
    int64_t low = values_number(schema, "minimum", values_number(schema, "exclusiveMinimum", -20));
    int64_t high =
        values_number(schema, "maximum", values_number(schema, "exclusiveMaximum", low + 60));
    int64_t span = high > low ? high - low : 1;
    int64_t number =
        low + (int64_t)values_draw(values, (uint32_t)(span > 100000 ? 100000 : span) + 1);
    if (values_has(schema, "multipleOf") && values_chance(values, 80))
        number -= number % 210;
    buffer_printf(values->out, "%lld%s", (long long)number,
                  !integer && !values_has(schema, "multipleOf") && values_chance(values, 30) ? ".5"
                                                                                             : "");
}

static inline void values_array(struct values *values, struct json schema, unsigned depth)
{
    struct json prefix = values_member(schema, "prefixItems");
    struct json items = values_member(schema, "items");
    uint32_t leading = json_exists(prefix) ? json_count(prefix) : 0;
    int64_t least = values_number(schema, "minItems", 0);
    int64_t most = values_number(schema, "maxItems", least + VALUES_ITEMS_MAX);
    int64_t count = least + values_draw(values, VALUES_ITEMS_MAX + 1);
    bool is_closed = json_exists(items) && json_type(items) == JSON_FALSE;
    if (is_closed || !json_exists(items))
        count = count > leading ? leading : count;
    count = count > most ? most : count;
    buffer_append_byte(values->out, '[');
    for (int64_t i = 0; i < count; i++) {
        if (i > 0)
            buffer_append_byte(values->out, ',');
        if (i < leading)
            values_schema(values, json_at(prefix, (uint32_t)i), depth);
        else
            values_schema(values, items, depth);
    }
    buffer_append_byte(values->out, ']');
}

static inline bool values_is_required(struct json schema, struct str name)
{
    struct json required = values_member(schema, "required");
    if (!json_exists(required))
        return false;
    for (struct json at = json_first(required); json_exists(at); at = json_next(at, required)) {
        if (str_equal(json_string(at), name))
            return true;
    }
    return false;
}

static inline void values_name(struct values *values, struct str name, bool *first)
{
    if (!*first)
        buffer_append_byte(values->out, ',');
    *first = false;
    json_write_string(name, values->out);
    buffer_append_byte(values->out, ':');
}

static inline void values_object(struct values *values, struct json schema, unsigned depth)
{
    struct json properties = values_member(schema, "properties");
    struct json additional = values_member(schema, "additionalProperties");
    struct json required = values_member(schema, "required");
    bool first = true;
    uint32_t percent = depth > 6 ? 5 : 50;
    buffer_append_byte(values->out, '{');
    for (struct json at = json_exists(properties) ? json_first(properties) : properties;
         json_exists(at); at = json_next(at, properties)) {
        if (!values_is_required(schema, json_member_name(at)) && !values_chance(values, percent))
            continue;
        values_name(values, json_member_name(at), &first);
        values_schema(values, at, depth);
    }
    for (struct json at = json_exists(required) ? json_first(required) : required; json_exists(at);
         at = json_next(at, required)) {
        bool is_declared =
            json_exists(properties) && json_exists(json_get(properties, json_string(at)));
        if (is_declared)
            continue;
        values_name(values, json_string(at), &first);
        values_schema(values, additional, depth);
    }
    if (json_exists(additional) && json_type(additional) != JSON_FALSE && depth < 6) {
        for (uint32_t i = values_draw(values, 3); i > 0; i--) {
            char name[] = { 'k', (char)('0' + i), '\0' };
            values_name(values, str_from(name), &first);
            values_schema(values, additional, depth);
        }
    }
    buffer_append_byte(values->out, '}');
}

static inline void values_typed(struct values *values, struct json schema, struct str type,
                                unsigned depth)
{
    if (str_equal(type, STR("string")))
        values_string(values, schema);
    else if (str_equal(type, STR("integer")) || str_equal(type, STR("number")))
        values_of_number(values, schema, str_equal(type, STR("integer")));
    else if (str_equal(type, STR("boolean")))
        buffer_append_str(values->out, values_chance(values, 50) ? STR("true") : STR("false"));
    else if (str_equal(type, STR("null")))
        buffer_append_str(values->out, STR("null"));
    else if (str_equal(type, STR("array")))
        values_array(values, schema, depth + 1);
    else
        values_object(values, schema, depth + 1);
}

/* The alternatives of an applicator, or none. */
static inline struct json values_fork(struct values *values, struct json schema)
{
    static const char *const forks[] = { "anyOf", "oneOf", "allOf" };
    for (size_t i = 0; i < 3; i++) {
        struct json parts = values_member(schema, forks[i]);
        if (json_exists(parts))
            return values_any(values, parts);
    }
    return (struct json){ schema.doc, NULL };
}

static inline void values_schema(struct values *values, struct json schema, unsigned depth)
{
    if (!json_exists(schema)) {
        values_anything(values);
        return;
    }
    struct json ref = values_member(schema, "$ref");
    struct json list = values_member(schema, "enum");
    struct json type = values_member(schema, "type");
    if (json_type(schema) != JSON_OBJECT || depth > VALUES_DEPTH_MAX) {
        values_anything(values);
        return;
    }
    struct json fork = values_fork(values, schema);
    if (json_exists(ref)) {
        struct str pointer = json_string(ref);
        values_schema(values,
                      json_pointer_get(values->root, str_of(pointer.ptr + 1, pointer.len - 1)),
                      depth + 1);
    } else if (values_has(schema, "const")) {
        json_write(values_member(schema, "const"), 0, values->out);
    } else if (json_exists(list)) {
        json_write(values_any(values, list), 0, values->out);
    } else if (json_exists(fork) && !json_exists(type)) {
        values_schema(values, fork, depth + 1);
    } else if (json_exists(type) && json_type(type) == JSON_ARRAY) {
        values_typed(values, schema, json_string(values_any(values, type)), depth);
    } else if (json_exists(type)) {
        values_typed(values, schema, json_string(type), depth);
    } else if (values_has(schema, "properties")) {
        values_object(values, schema, depth + 1);
    } else {
        values_anything(values);
    }
}

#endif

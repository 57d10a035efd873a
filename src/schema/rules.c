/* rules.c - what the meta-schema says about the value of each keyword.
 *
 * Owns: the checks of one value that need no other keyword. Leaves to others: schemas inside the
 * value, which become nodes of their own (emit.c). Every fault names the exact place.
 */
#include "base/features.h"

#include "schema/compiler.h"
#include "schema/format_parts.h"
#include "schema/suggest.h"

/* Members of an enum or a list of names beyond this are not compared pairwise for a warning. */
enum { RULES_PAIRWISE_MAX = 64 };

static const struct rules_type {
    const char *name;
    uint8_t bits;
} rules_types[] = {
    { "null", SCHEMA_NULL },     { "boolean", SCHEMA_BOOLEAN }, { "integer", SCHEMA_INTEGER },
    { "number", SCHEMA_NUMBER }, { "string", SCHEMA_STRING },   { "array", SCHEMA_ARRAY },
    { "object", SCHEMA_OBJECT },
};

enum { RULES_TYPES = sizeof(rules_types) / sizeof(rules_types[0]) };

uint8_t compile_type_bits(struct str name)
{
    for (unsigned i = 0; i < RULES_TYPES; i++)
        if (str_equal(name, str_from(rules_types[i].name)))
            return rules_types[i].bits;
    return 0;
}

static bool rules_is_schema(const struct compiler *compiler, struct json value)
{
    enum json_type type = json_type(value);
    if (type == JSON_TRUE || type == JSON_FALSE)
        return compiler->use.dialect != DIALECT_4;
    return type == JSON_OBJECT;
}

static void rules_schema(struct compiler *compiler, const char *name, struct json value)
{
    /* Draft-04 has no boolean schemas but takes booleans for the two "additional" keywords. */
    enum json_type type = json_type(value);
    if ((type == JSON_TRUE || type == JSON_FALSE) && strncmp(name, "additional", 10) == 0)
        return;
    if (!rules_is_schema(compiler, value))
        compile_fail(compiler, value, "\"%s\" must be a schema: an object or a boolean", name);
}

/* Every item or member must be a schema. */
static void rules_schemas(struct compiler *compiler, const char *name, struct json value)
{
    for (struct json v = json_first(value); json_exists(v); v = json_next(v, value))
        if (!rules_is_schema(compiler, v)) {
            compile_fail(compiler, v, "what \"%s\" holds must be schemas: objects or booleans",
                         name);
            return;
        }
}

static void rules_schema_list(struct compiler *compiler, const char *name, struct json value)
{
    if (json_type(value) != JSON_ARRAY)
        compile_fail(compiler, value, "\"%s\" must be an array of schemas", name);
    else if (json_count(value) == 0)
        compile_fail(compiler, value, "\"%s\" must not be empty", name);
    else
        rules_schemas(compiler, name, value);
}

static void rules_schema_map(struct compiler *compiler, const char *name, struct json value)
{
    if (json_type(value) != JSON_OBJECT)
        compile_fail(compiler, value, "\"%s\" must be an object of schemas", name);
    else
        rules_schemas(compiler, name, value);
}

static void rules_items(struct compiler *compiler, const char *name, struct json value)
{
    if (json_type(value) != JSON_ARRAY) {
        rules_schema(compiler, name, value);
    } else if (compiler->use.dialect == DIALECT_2020) {
        compile_fail(compiler, value, "\"%s\" must be a schema: an object or a boolean", name);
        compile_hint(compiler, "a list of schemas is \"prefixItems\" in 2020-12");
    } else if (json_count(value) == 0) {
        compile_fail(compiler, value, "\"%s\" must not be an empty array", name);
    } else {
        rules_schemas(compiler, name, value);
    }
}

static bool rules_names_seen(struct json list, struct json item)
{
    for (struct json v = json_first(list); v.node != item.node; v = json_next(v, list))
        if (str_equal(json_string(v), json_string(item)))
            return true;
    return false;
}

/* Long lists are compared through a table of hashes; memory failure makes the check fail, not
 * pass. */
static void rules_long_names_differ(struct compiler *compiler, const char *name, struct json list)
{
    uint32_t slots = schema_slots_for(json_count(list));
    struct json *table = alloc_get(compiler->alloc, (size_t)slots * sizeof(*table));
    if (table == NULL) {
        compile_no_memory(compiler);
        return;
    }
    memset(table, 0, (size_t)slots * sizeof(*table));
    for (struct json v = json_first(list); json_exists(v); v = json_next(v, list)) {
        uint32_t at = json_key_hash(json_string(v)) & (slots - 1);
        while (json_exists(table[at]) && !str_equal(json_string(table[at]), json_string(v)))
            at = (at + 1) & (slots - 1);
        if (json_exists(table[at])) {
            compile_fail(compiler, v, "the names in \"%s\" must differ", name);
            break;
        }
        table[at] = v;
    }
    alloc_free(compiler->alloc, table, (size_t)slots * sizeof(*table));
}

static void rules_names(struct compiler *compiler, const char *name, struct json value)
{
    if (json_type(value) != JSON_ARRAY) {
        compile_fail(compiler, value, "\"%s\" must be an array of strings", name);
        return;
    }
    for (struct json v = json_first(value); json_exists(v); v = json_next(v, value))
        if (json_type(v) != JSON_STRING) {
            compile_fail(compiler, v, "\"%s\" must be an array of strings", name);
            return;
        }
    if (compiler->use.dialect == DIALECT_4 && json_count(value) == 0)
        compile_fail(compiler, value, "\"%s\" must not be empty in draft-04", name);
    if (json_count(value) > RULES_PAIRWISE_MAX) {
        rules_long_names_differ(compiler, name, value);
        return;
    }
    for (struct json v = json_first(value); json_exists(v); v = json_next(v, value))
        if (rules_names_seen(value, v)) {
            compile_fail(compiler, v, "the names in \"%s\" must differ", name);
            return;
        }
}

static void rules_names_map(struct compiler *compiler, const char *name, struct json value,
                            bool or_schema)
{
    if (json_type(value) != JSON_OBJECT) {
        compile_fail(compiler, value, "\"%s\" must be an object", name);
        return;
    }
    for (struct json v = json_first(value); json_exists(v); v = json_next(v, value)) {
        if (or_schema && rules_is_schema(compiler, v))
            continue;
        rules_names(compiler, name, v);
    }
}

static void rules_number(struct compiler *compiler, const char *name, struct json value,
                         bool positive)
{
    if (json_type(value) != JSON_NUMBER) {
        compile_fail(compiler, value, "\"%s\" must be a number", name);
        return;
    }
    struct decimal number = json_number(value);
    if (positive && (number.negative || number.digit_count == 0))
        compile_fail(compiler, value, "\"%s\" must be greater than 0", name);
}

static void rules_count(struct compiler *compiler, const char *name, struct json value)
{
    bool right = json_type(value) == JSON_NUMBER;
    if (right) {
        struct decimal number = json_number(value);
        right = !number.negative && decimal_is_integer(&number);
    }
    if (!right)
        compile_fail(compiler, value, "\"%s\" must be an integer that is not negative", name);
}

static void rules_type_name(struct compiler *compiler, struct json value)
{
    if (json_type(value) == JSON_STRING && compile_type_bits(json_string(value)) != 0)
        return;
    compile_fail(compiler, value,
                 "\"type\" must name null, boolean, integer, number, string, array or object");
    if (json_type(value) != JSON_STRING)
        return;
    struct suggestion suggestion;
    suggestion_init(&suggestion, json_string(value));
    for (unsigned i = 0; i < RULES_TYPES; i++)
        suggestion_offer(&suggestion, str_from(rules_types[i].name));
    if (suggestion_found(&suggestion))
        compile_hint(compiler, "did you mean \"%.*s\"?", (int)suggestion.best.len,
                     suggestion.best.ptr);
}

static void rules_types_value(struct compiler *compiler, struct json value)
{
    if (json_type(value) != JSON_ARRAY) {
        rules_type_name(compiler, value);
        return;
    }
    if (json_count(value) == 0)
        compile_fail(compiler, value, "\"type\" must not be an empty array");
    for (struct json v = json_first(value); json_exists(v); v = json_next(v, value)) {
        rules_type_name(compiler, v);
        if (compiler->status != STATUS_OK)
            return;
        if (rules_names_seen(value, v))
            compile_fail(compiler, v, "the names in \"type\" must differ");
    }
}

static void rules_list(struct compiler *compiler, const struct schema_keyword_row *row,
                       struct json value)
{
    if (json_type(value) != JSON_ARRAY) {
        compile_fail(compiler, value, "\"%s\" must be an array", row->name);
        return;
    }
    if (row->keyword != KEYWORD_ENUM)
        return;
    uint32_t count = json_count(value);
    if (count == 0)
        compile_warn(compiler, value, NULL, "an empty \"enum\" accepts nothing");
    if (compiler->options->warn == NULL || count > RULES_PAIRWISE_MAX)
        return;
    uint64_t budget = 100000;
    for (struct json v = json_first(value); json_exists(v); v = json_next(v, value))
        for (struct json u = json_first(value); u.node != v.node; u = json_next(u, value))
            if (json_equal(u, v, &budget))
                compile_warn(compiler, v, NULL, "\"enum\" lists the same value twice");
}

static void rules_simple(struct compiler *compiler, const char *name, struct json value, bool right,
                         const char *wanted)
{
    if (!right)
        compile_fail(compiler, value, "\"%s\" must be %s", name, wanted);
}

static void rules_vocabularies(struct compiler *compiler, struct json value)
{
    if (json_type(value) != JSON_OBJECT) {
        compile_fail(compiler, value, "\"$vocabulary\" must be an object");
        return;
    }
    for (struct json v = json_first(value); json_exists(v); v = json_next(v, value)) {
        if (json_type(v) != JSON_TRUE && json_type(v) != JSON_FALSE)
            compile_fail(compiler, v, "what \"$vocabulary\" holds must be booleans");
        else if (!format_is_uri(json_member_name(v), false, false))
            compile_fail(compiler, v, "a vocabulary is named by an absolute URI");
    }
}

void compile_check_rule(struct compiler *compiler, const struct schema_keyword_row *row,
                        struct json value)
{
    enum json_type type = json_type(value);
    bool is_boolean = type == JSON_TRUE || type == JSON_FALSE;
    switch ((enum schema_rule)row->rule) {
    case RULE_ANY: return;
    case RULE_SCHEMA: rules_schema(compiler, row->name, value); return;
    case RULE_SCHEMA_LIST: rules_schema_list(compiler, row->name, value); return;
    case RULE_SCHEMA_MAP: rules_schema_map(compiler, row->name, value); return;
    case RULE_ITEMS: rules_items(compiler, row->name, value); return;
    case RULE_DEPENDENCIES: rules_names_map(compiler, row->name, value, true); return;
    case RULE_NUMBER: rules_number(compiler, row->name, value, false); return;
    case RULE_POSITIVE_NUMBER: rules_number(compiler, row->name, value, true); return;
    case RULE_COUNT: rules_count(compiler, row->name, value); return;
    case RULE_BOOLEAN: rules_simple(compiler, row->name, value, is_boolean, "a boolean"); return;
    case RULE_EXCLUSIVE:
        if (compiler->use.dialect == DIALECT_4)
            rules_simple(compiler, row->name, value, is_boolean, "a boolean in draft-04");
        else
            rules_number(compiler, row->name, value, false);
        return;
    case RULE_STRING:
        rules_simple(compiler, row->name, value, type == JSON_STRING, "a string");
        return;
    case RULE_LIST: rules_list(compiler, row, value); return;
    case RULE_NAMES: rules_names(compiler, row->name, value); return;
    case RULE_NAMES_MAP: rules_names_map(compiler, row->name, value, false); return;
    case RULE_TYPES: rules_types_value(compiler, value); return;
    case RULE_VOCABULARIES: rules_vocabularies(compiler, value); return;
    }
}

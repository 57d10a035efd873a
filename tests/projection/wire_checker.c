/* wire_checker.c - what providers state, and the walk that checks it. See wire_checker.h. */
#include "base/features.h"

#include "wire_checker.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define ANY_DEPTH 60

/* 0 of a limit: none is stated. */
struct statement {
    const char *name;
    const char *keywords; /* with a space before and behind each */
    const char *formats;  /* the same; NULL: any */
    bool all_required, closed, object_root, no_root_union;
    bool string_enums_only, no_const_objects, no_recursion, no_ref_siblings, no_type_list;
    bool upper_types, typed_items;
    uint32_t min_items_max; /* + 1 */
    uint32_t properties, depth, optional, unions, enum_values, enum_large, enum_bytes, names;
    uint32_t items_sum;
};

#define OPENAI_FORMATS " date-time time date duration email hostname ipv4 ipv6 uuid "

static const struct statement statements[] = {
    { .name = "anthropic",
      .keywords =
          " type enum const anyOf allOf $ref $defs definitions default required "
          "additionalProperties title description format minItems pattern properties items ",
      .formats = " date-time time date duration email hostname uri ipv4 ipv6 uuid ",
      .closed = true,
      .no_const_objects = true,
      .no_recursion = true,
      .no_ref_siblings = true,
      .min_items_max = 2,
      .optional = 24,
      .unions = 16 },
    { .name = "bedrock-claude",
      .keywords =
          " type enum const anyOf allOf $ref $defs definitions default required "
          "additionalProperties title description format minItems pattern minLength maxLength "
          "properties items ",
      .formats = " date-time time date duration email hostname uri ipv4 ipv6 uuid ",
      .closed = true,
      .no_const_objects = true,
      .no_recursion = true,
      .no_ref_siblings = true,
      .min_items_max = 2,
      .optional = 24,
      .unions = 16 },
    { .name = "openai-strict",
      .keywords = " type enum const anyOf $ref $defs definitions required additionalProperties "
                  "title description format pattern multipleOf minimum maximum exclusiveMinimum "
                  "exclusiveMaximum minItems maxItems properties items ",
      .formats = OPENAI_FORMATS,
      .all_required = true,
      .closed = true,
      .object_root = true,
      .no_root_union = true,
      .no_ref_siblings = true,
      .typed_items = true,
      .properties = 5000,
      .depth = 10,
      .enum_values = 1000,
      .enum_large = 250,
      .enum_bytes = 15000,
      .names = 120000 },
    { .name = "openai-fine-tuned",
      .keywords = " type enum const anyOf $ref $defs definitions required additionalProperties "
                  "title description properties items ",
      .all_required = true,
      .closed = true,
      .object_root = true,
      .no_root_union = true,
      .no_ref_siblings = true,
      .typed_items = true,
      .properties = 5000,
      .depth = 10,
      .enum_values = 1000,
      .enum_large = 250,
      .enum_bytes = 15000,
      .names = 120000 },
    { .name = "azure-strict",
      .keywords = " type enum const anyOf $ref $defs definitions required additionalProperties "
                  "title description properties items ",
      .all_required = true,
      .closed = true,
      .object_root = true,
      .no_root_union = true,
      .no_ref_siblings = true,
      .typed_items = true,
      .properties = 100,
      .depth = 5,
      .enum_values = 500,
      .enum_large = 250,
      .enum_bytes = 7500,
      .names = 15000 },
    { .name = "gemini-json-schema",
      .keywords = " $id $defs $ref $anchor type format title description enum items prefixItems "
                  "minItems maxItems minimum maximum anyOf oneOf properties additionalProperties "
                  "required propertyOrdering ",
      .no_ref_siblings = true,
      .no_root_union = true,
      .items_sum = 960 },
    { .name = "gemini-openapi",
      .keywords =
          " type format title description nullable enum items minItems maxItems properties "
          "required minProperties maxProperties minimum maximum minLength maxLength pattern "
          "anyOf propertyOrdering default ",
      .string_enums_only = true,
      .no_type_list = true,
      .upper_types = true },
};

struct check {
    const struct statement *says;
    struct json root;
    char *out;
    bool failed;
    uint32_t properties, optional, unions, enum_values, items_sum;
    uint64_t names;
    struct json stack[ANY_DEPTH]; /* definitions that are open */
    uint32_t stack_count;
};

static void fail(struct check *check, struct json at, const char *what)
{
    struct buffer pointer;
    if (check->failed)
        return;
    check->failed = true;
    buffer_init(&pointer, alloc_default(), 4096);
    json_pointer_of(at, &pointer);
    (void)snprintf(check->out, WIRE_CHECKER_TEXT, "%.*s: %s", (int)pointer.len, pointer.ptr, what);
    buffer_release(&pointer);
}

static bool has_word(const char *words, struct str word)
{
    char wanted[80];
    (void)snprintf(wanted, sizeof(wanted), " %.*s ", (int)word.len, word.ptr);
    return strstr(words, wanted) != NULL;
}

static struct json member(struct json schema, const char *name)
{
    return json_type(schema) == JSON_OBJECT ? json_get(schema, str_from(name))
                                            : (struct json){ schema.doc, NULL };
}

static bool has(struct json schema, const char *name)
{
    return json_exists(member(schema, name));
}

static bool type_is(struct json schema, const char *name)
{
    struct json type = member(schema, "type");
    struct json at = type;
    if (!json_exists(type))
        return false;
    for (at = json_type(type) == JSON_ARRAY ? json_first(type) : type; json_exists(at);
         at = json_type(type) == JSON_ARRAY ? json_next(at, type) : (struct json){ at.doc, NULL }) {
        struct str word = json_string(at);
        if (word.len == strlen(name) && strncasecmp(word.ptr, name, word.len) == 0)
            return true;
    }
    return false;
}

/* ---- one place ---- */

static void check_keywords(struct check *check, struct json schema)
{
    for (struct json at = json_first(schema); json_exists(at); at = json_next(at, schema)) {
        if (!has_word(check->says->keywords, json_member_name(at)))
            fail(check, at, "the keyword is not taken");
    }
    if (check->says->no_ref_siblings && has(schema, "$ref") && json_count(schema) > 1)
        fail(check, schema, "keywords beside $ref");
}

static void check_type(struct check *check, struct json schema)
{
    struct json type = member(schema, "type");
    if (!json_exists(type)) {
        bool is_said = has(schema, "$ref") || has(schema, "anyOf");
        if (check->says->typed_items && !is_said)
            fail(check, schema, "a place without a type");
        return;
    }
    if (json_type(type) == JSON_ARRAY && check->says->no_type_list)
        fail(check, type, "a list of types");
    if (json_type(type) == JSON_STRING &&
        check->says->upper_types != (json_string(type).ptr[0] < 'a'))
        fail(check, type, "the letter case of the type");
}

static void check_values(struct check *check, struct json schema)
{
    struct json list = member(schema, "enum"), one = member(schema, "const");
    uint64_t bytes = 0;
    uint32_t count = 0;
    for (struct json at = json_exists(list) ? json_first(list) : list; json_exists(at);
         at = json_next(at, list)) {
        bool is_structured = json_type(at) == JSON_OBJECT || json_type(at) == JSON_ARRAY;
        count++;
        bytes += json_type(at) == JSON_STRING ? json_string(at).len : 4;
        if (is_structured)
            fail(check, at, "an object or array in enum");
        if (check->says->string_enums_only && json_type(at) != JSON_STRING)
            fail(check, at, "a value in enum that is no string");
    }
    if (json_exists(one) && check->says->no_const_objects &&
        (json_type(one) == JSON_OBJECT || json_type(one) == JSON_ARRAY))
        fail(check, one, "an object or array in const");
    if (json_exists(one))
        bytes += json_type(one) == JSON_STRING ? json_string(one).len : 4;
    if (check->says->enum_large > 0 && count > check->says->enum_large &&
        bytes > check->says->enum_bytes)
        fail(check, list, "the values of one enum are too long");
    check->enum_values += count;
    check->names += bytes;
}

static uint32_t number_of(struct json value)
{
    int64_t number = 0;
    struct decimal exact = json_number(value);
    return decimal_to_int64(&exact, &number) && number >= 0 && number < 1000000 ? (uint32_t)number
                                                                                : 1000000;
}

static void check_array(struct check *check, struct json schema)
{
    struct json least = member(schema, "minItems"), most = member(schema, "maxItems");
    if (type_is(schema, "array") && check->says->typed_items && !has(schema, "items"))
        fail(check, schema, "an array without items");
    if (json_exists(least) && check->says->min_items_max > 0 &&
        number_of(least) >= check->says->min_items_max)
        fail(check, least, "minItems is too large");
    if (json_exists(most))
        check->items_sum += number_of(most);
}

static bool list_has(struct json list, struct str name)
{
    for (struct json at = json_exists(list) ? json_first(list) : list; json_exists(at);
         at = json_next(at, list)) {
        if (str_equal(json_string(at), name))
            return true;
    }
    return false;
}

static void check_object(struct check *check, struct json schema)
{
    struct json properties = member(schema, "properties");
    struct json required = member(schema, "required");
    struct json additional = member(schema, "additionalProperties");
    if (!type_is(schema, "object"))
        return;
    if (check->says->closed && !(json_exists(additional) && json_type(additional) == JSON_FALSE))
        fail(check, schema, "an object that is not closed");
    for (struct json at = json_exists(properties) ? json_first(properties) : properties;
         json_exists(at); at = json_next(at, properties)) {
        bool is_required = list_has(required, json_member_name(at));
        struct json type = member(at, "type");
        check->properties++;
        check->names += json_member_name(at).len;
        check->optional += !is_required;
        check->unions += has(at, "anyOf") || (json_exists(type) && json_type(type) == JSON_ARRAY);
        if (check->says->all_required && !is_required)
            fail(check, at, "a property that is not required");
    }
    for (struct json at = json_exists(required) ? json_first(required) : required; json_exists(at);
         at = json_next(at, required)) {
        if (!json_exists(properties) || !json_exists(json_get(properties, json_string(at))))
            fail(check, at, "a required property that is not declared");
    }
}

/* ---- the walk ---- */

static void check_place(struct check *check, struct json schema, uint32_t depth, uint32_t levels);

static struct json target_of(const struct check *check, struct json schema)
{
    struct str pointer = json_string(member(schema, "$ref"));
    if (pointer.len == 0 || pointer.ptr[0] != '#')
        return (struct json){ schema.doc, NULL };
    return json_pointer_get(check->root, str_of(pointer.ptr + 1, pointer.len - 1));
}

/* Whether references inside of `at` lead to `target`, a few of them in a row. */
static bool leads_to(const struct check *check, struct json at, struct json target, uint32_t hops)
{
    if (json_type(at) == JSON_OBJECT && has(at, "$ref") &&
        json_type(member(at, "$ref")) == JSON_STRING) {
        struct json next = target_of(check, at);
        if (!json_exists(next) || hops == 0)
            return false;
        return next.node == target.node || leads_to(check, next, target, hops - 1);
    }
    if (json_type(at) != JSON_OBJECT && json_type(at) != JSON_ARRAY)
        return false;
    for (struct json child = json_first(at); json_exists(child); child = json_next(child, at)) {
        if (leads_to(check, child, target, hops))
            return true;
    }
    return false;
}

static void check_reference(struct check *check, struct json schema, uint32_t depth,
                            uint32_t levels)
{
    struct json target = target_of(check, schema);
    if (!json_exists(target)) {
        fail(check, schema, "a reference that leads nowhere");
        return;
    }
    for (uint32_t i = 0; i < check->stack_count; i++) {
        if (check->stack[i].node == target.node)
            return;
    }
    if (check->says->no_recursion && leads_to(check, target, target, 8)) {
        fail(check, schema, "recursion");
        return;
    }
    if (check->stack_count == ANY_DEPTH || depth == 0)
        return;
    /* Only its levels count again: the rest stands in the text once. Those of a definition that
     * leads back to itself have no end, and count from where it stands. */
    if (check->says->depth == 0 || leads_to(check, target, target, 4))
        return;
    struct check before = *check;
    check->stack[check->stack_count++] = target;
    check_place(check, target, depth - 1, levels);
    bool failed = check->failed;
    *check = before;
    check->failed = failed;
}

static void check_children(struct check *check, struct json container, uint32_t depth,
                           uint32_t levels)
{
    if (!json_exists(container))
        return;
    for (struct json at = json_first(container); json_exists(at); at = json_next(at, container))
        check_place(check, at, depth - 1, levels);
}

static void check_place(struct check *check, struct json schema, uint32_t depth, uint32_t levels)
{
    if (check->failed || depth == 0 || json_type(schema) != JSON_OBJECT)
        return;
    levels += type_is(schema, "object") || type_is(schema, "array");
    if (check->says->depth > 0 && levels > check->says->depth)
        fail(check, schema, "too many levels");
    check_keywords(check, schema);
    check_type(check, schema);
    check_values(check, schema);
    check_array(check, schema);
    check_object(check, schema);
    if (has(schema, "$ref"))
        check_reference(check, schema, depth, levels);
    check_children(check, member(schema, "properties"), depth, levels);
    check_children(check, member(schema, "anyOf"), depth, levels);
    check_children(check, member(schema, "prefixItems"), depth, levels);
    if (has(schema, "items"))
        check_place(check, member(schema, "items"), depth - 1, levels);
    if (has(schema, "additionalProperties"))
        check_place(check, member(schema, "additionalProperties"), depth - 1, levels);
    struct json format = member(schema, "format");
    if (json_exists(format) && check->says->formats != NULL &&
        !has_word(check->says->formats, json_string(format)))
        fail(check, format, "the format is not taken");
}

static void check_definitions(struct check *check, const char *name)
{
    struct json all = member(check->root, name);
    for (struct json at = json_exists(all) ? json_first(all) : all; json_exists(at);
         at = json_next(at, all)) {
        check->names += json_member_name(at).len;
        check->stack_count = 1;
        check->stack[0] = at;
        check_place(check, at, ANY_DEPTH, 0);
        check->stack_count = 0;
    }
}

static void check_sums(struct check *check)
{
    const struct statement *says = check->says;
    if (says->properties > 0 && check->properties > says->properties)
        fail(check, check->root, "too many properties");
    if (says->optional > 0 && check->optional > says->optional)
        fail(check, check->root, "too many optional properties");
    if (says->unions > 0 && check->unions > says->unions)
        fail(check, check->root, "too many properties with alternatives");
    if (says->enum_values > 0 && check->enum_values > says->enum_values)
        fail(check, check->root, "too many enum values");
    if (says->names > 0 && check->names > says->names)
        fail(check, check->root, "names and values are too long");
    if (says->items_sum > 0 && check->items_sum > says->items_sum)
        fail(check, check->root, "the sum of maxItems");
}

static const struct statement *statement_of(struct str name)
{
    for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
        if (str_equal(str_from(statements[i].name), name))
            return &statements[i];
    }
    return NULL;
}

bool wire_checker_knows(struct str rules_name)
{
    return statement_of(rules_name) != NULL;
}

const char *wire_checker_fault(struct str rules_name, struct json schema,
                               char out[WIRE_CHECKER_TEXT])
{
    struct check check = { .says = statement_of(rules_name), .root = schema, .out = out };
    if (check.says == NULL)
        return NULL;
    if (check.says->object_root && !type_is(schema, "object"))
        fail(&check, schema, "the root is no object");
    if (check.says->no_root_union && has(schema, "anyOf"))
        fail(&check, schema, "alternatives at the root");
    check.stack[check.stack_count++] = schema;
    check_place(&check, schema, ANY_DEPTH, 0);
    check_definitions(&check, "$defs");
    check_definitions(&check, "definitions");
    check_sums(&check);
    return check.failed ? out : NULL;
}

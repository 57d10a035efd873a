/* wire_rules.c - the names of wire features, and one object of "rules" of the data file read.
 *
 * Owns: that form and its faults. Leaves to others: what the features mean for a schema (shape_*.c,
 * emit_*.c) and whether a schema keeps them (check.c). Invariant: what is not named is rejected,
 * and a member that is not known is a fault, never ignored.
 */
#include "base/features.h"

#include "projection/wire_rules.h"

#include "base/limits.h"

static const char *const feature_names[WIRE_FEATURE_COUNT] = {
    [WIRE_TYPE_LIST] = "typeList",
    [WIRE_NULLABLE] = "nullable",
    [WIRE_ENUM_STRINGS] = "enumStrings",
    [WIRE_ENUM_SCALARS] = "enumScalars",
    [WIRE_ENUM_NUMBERS] = "enumNumbers",
    [WIRE_ENUM_STRUCTURED] = "enumStructured",
    [WIRE_CONST] = "const",
    [WIRE_REQUIRED_SUBSET] = "requiredSubset",
    [WIRE_ADDITIONAL_FALSE] = "additionalFalse",
    [WIRE_ADDITIONAL_SCHEMA] = "additionalSchema",
    [WIRE_PATTERN_PROPERTIES] = "patternProperties",
    [WIRE_PROPERTY_NAMES] = "propertyNames",
    [WIRE_PROPERTY_COUNTS] = "propertyCounts",
    [WIRE_PREFIX_ITEMS] = "prefixItems",
    [WIRE_MIN_ITEMS_1] = "minItems1",
    [WIRE_MIN_ITEMS] = "minItems",
    [WIRE_MAX_ITEMS] = "maxItems",
    [WIRE_UNIQUE_ITEMS] = "uniqueItems",
    [WIRE_CONTAINS] = "contains",
    [WIRE_INTEGER_BOUNDS] = "integerBounds",
    [WIRE_NUMBER_BOUNDS] = "numberBounds",
    [WIRE_EXCLUSIVE_BOUNDS] = "exclusiveBounds",
    [WIRE_MULTIPLE_OF] = "multipleOf",
    [WIRE_LENGTHS] = "lengths",
    [WIRE_PATTERN_SIMPLE] = "patternSimple",
    [WIRE_PATTERN_ANCHORED_ONLY] = "patternAnchoredOnly",
    [WIRE_PATTERN_FULL] = "patternFull",
    [WIRE_FORMATS] = "formats",
    [WIRE_FORMAT_ANY] = "formatAny",
    [WIRE_ANY_OF] = "anyOf",
    [WIRE_ONE_OF] = "oneOf",
    [WIRE_ALL_OF] = "allOf",
    [WIRE_NOT] = "not",
    [WIRE_CONDITIONAL] = "conditional",
    [WIRE_DEPENDENT] = "dependent",
    [WIRE_REF] = "ref",
    [WIRE_REF_SIBLINGS] = "refSiblings",
    [WIRE_REF_RECURSIVE] = "refRecursive",
    [WIRE_DEFAULT] = "default",
    [WIRE_TITLE] = "title",
    [WIRE_DESCRIPTION] = "description",
    [WIRE_ROOT_ANY_OF] = "rootAnyOf",
    [WIRE_ROOT_NOT_OBJECT] = "rootNotObject",
    [WIRE_EMPTY_SCHEMA] = "emptySchema",
    [WIRE_UNION_SIBLINGS] = "unionSiblings",
    [WIRE_STRING_SIBLINGS] = "stringSiblings",
};

static const struct {
    const char *name;
    size_t offset; /* in struct wire_limits */
} limit_rows[] = {
    { "properties", offsetof(struct wire_limits, properties) },
    { "depth", offsetof(struct wire_limits, depth) },
    { "optionalMembers", offsetof(struct wire_limits, optional_members) },
    { "unions", offsetof(struct wire_limits, unions) },
    { "enumValues", offsetof(struct wire_limits, enum_values) },
    { "enumBytes", offsetof(struct wire_limits, enum_bytes) },
    { "enumLarge", offsetof(struct wire_limits, enum_large) },
    { "nameBytes", offsetof(struct wire_limits, name_bytes) },
    { "itemsSum", offsetof(struct wire_limits, items_sum) },
    { "schemaBytes", offsetof(struct wire_limits, schema_bytes) },
    { "descriptionBytes", offsetof(struct wire_limits, description_bytes) },
    { "patternCount", offsetof(struct wire_limits, pattern_count) },
    { "length", offsetof(struct wire_limits, length) },
};

enum { LIMIT_ROWS = sizeof(limit_rows) / sizeof(limit_rows[0]) };

const char *wire_feature_name(enum wire_feature feature)
{
    return (unsigned)feature < WIRE_FEATURE_COUNT ? feature_names[feature] : "unknown";
}

enum wire_feature wire_feature_from(struct str name)
{
    for (unsigned i = 0; i < WIRE_FEATURE_COUNT; i++) {
        if (str_equal(name, str_from(feature_names[i])))
            return (enum wire_feature)i;
    }
    return WIRE_FEATURE_COUNT;
}

/* ---- faults ---------------------------------------------------------------------------------- */

struct rules_reader {
    struct wire_rules *rules;
    struct arena *arena;
    struct error *error;
};

static enum status rules_fault(const struct rules_reader *reader, struct json value,
                               const char *message)
{
    struct buffer pointer;
    enum status status = error_set(reader->error, STATUS_INVALID_REQUEST, "%s", message);
    buffer_init(&pointer, reader->arena->alloc, LIMIT_SCHEMA_BYTES);
    json_pointer_of(value, &pointer);
    error_at_pointer(reader->error, buffer_view(&pointer));
    buffer_release(&pointer);
    return status;
}

/* ---- members --------------------------------------------------------------------------------- */

static enum status rules_text(const struct rules_reader *reader, struct json value,
                              struct str *out_text)
{
    if (json_type(value) != JSON_STRING)
        return rules_fault(reader, value, "wire rules: a string is expected");
    *out_text = json_string(value);
    return STATUS_OK;
}

static enum status rules_flag(const struct rules_reader *reader, struct json value, bool *out_flag)
{
    if (json_type(value) != JSON_TRUE && json_type(value) != JSON_FALSE)
        return rules_fault(reader, value, "wire rules: true or false is expected");
    *out_flag = json_type(value) == JSON_TRUE;
    return STATUS_OK;
}

/* An array of features gets `support`; no feature stands in both lists. */
static enum status rules_features(const struct rules_reader *reader, struct json value,
                                  enum wire_support support)
{
    if (json_type(value) != JSON_ARRAY)
        return rules_fault(reader, value, "wire rules: an array of features is expected");
    for (struct json v = json_first(value); json_exists(v); v = json_next(v, value)) {
        enum wire_feature feature =
            json_type(v) == JSON_STRING ? wire_feature_from(json_string(v)) : WIRE_FEATURE_COUNT;
        if (feature == WIRE_FEATURE_COUNT)
            return rules_fault(reader, v, "wire rules: no such feature");
        if (reader->rules->support[feature] != WIRE_REJECTED)
            return rules_fault(reader, v, "wire rules: the feature is named twice");
        reader->rules->support[feature] = (uint8_t)support;
    }
    return STATUS_OK;
}

static enum status rules_formats(const struct rules_reader *reader, struct json value)
{
    if (json_type(value) != JSON_ARRAY)
        return rules_fault(reader, value, "wire rules: an array of formats is expected");
    uint32_t count = 0;
    struct str *formats = arena_take_array(reader->arena, json_count(value), sizeof(*formats));
    if (formats == NULL)
        return error_set(reader->error, STATUS_NO_MEMORY, "out of memory");
    for (struct json v = json_first(value); json_exists(v); v = json_next(v, value)) {
        enum status status = rules_text(reader, v, &formats[count++]);
        if (status != STATUS_OK)
            return status;
    }
    reader->rules->formats = formats;
    reader->rules->format_count = count;
    return STATUS_OK;
}

static enum status rules_limits(const struct rules_reader *reader, struct json value)
{
    if (json_type(value) != JSON_OBJECT)
        return rules_fault(reader, value, "wire rules: an object of limits is expected");
    for (struct json v = json_first(value); json_exists(v); v = json_next(v, value)) {
        unsigned row = 0;
        int64_t number = -1;
        while (row < LIMIT_ROWS && !str_equal(json_member_name(v), str_from(limit_rows[row].name)))
            row++;
        if (row == LIMIT_ROWS)
            return rules_fault(reader, v, "wire rules: no such limit");
        struct decimal decimal = { 0 };
        if (json_type(v) == JSON_NUMBER)
            decimal = json_number(v);
        if (json_type(v) != JSON_NUMBER || !decimal_to_int64(&decimal, &number) || number < 0 ||
            number >= UINT32_MAX)
            return rules_fault(reader, v, "wire rules: a limit is a number from 0 on");
        uint32_t limit = (uint32_t)number;
        memcpy((char *)&reader->rules->limits + limit_rows[row].offset, &limit, sizeof(limit));
    }
    return STATUS_OK;
}

static enum status rules_definitions(const struct rules_reader *reader, struct json value)
{
    enum status status = rules_text(reader, value, &reader->rules->definitions);
    if (status != STATUS_OK)
        return status;
    if (!str_equal(reader->rules->definitions, STR("$defs")) &&
        !str_equal(reader->rules->definitions, STR("definitions")))
        return rules_fault(reader, value, "wire rules: \"$defs\" or \"definitions\" is expected");
    return STATUS_OK;
}

static enum status rules_member(const struct rules_reader *reader, struct json value)
{
    static const char *const flag_names[] = { "strict",    "mustClose",  "writesInOrder",
                                              "foldsCase", "upperTypes", "noEmptyValues",
                                              "noClasses" };
    struct wire_rules *rules = reader->rules;
    bool *const flags[] = { &rules->is_strict,  &rules->must_close,      &rules->writes_in_order,
                            &rules->folds_case, &rules->has_upper_types, &rules->no_empty_values,
                            &rules->no_classes };
    struct str name = json_member_name(value);
    for (unsigned i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        if (str_equal(name, str_from(flag_names[i])))
            return rules_flag(reader, value, flags[i]);
    }
    if (str_equal(name, STR("date")))
        return rules_text(reader, value, &rules->date);
    if (str_equal(name, STR("source")))
        return rules_text(reader, value, &rules->source);
    if (str_equal(name, STR("enforced")))
        return rules_features(reader, value, WIRE_ENFORCED);
    if (str_equal(name, STR("accepted")))
        return rules_features(reader, value, WIRE_ACCEPTED);
    if (str_equal(name, STR("formats")))
        return rules_formats(reader, value);
    if (str_equal(name, STR("limits")))
        return rules_limits(reader, value);
    if (str_equal(name, STR("definitions")))
        return rules_definitions(reader, value);
    return rules_fault(reader, value, "wire rules: no such member");
}

enum status wire_rules_read(struct str name, struct json value, struct arena *arena,
                            struct wire_rules *out_rules, struct error *error)
{
    struct rules_reader reader = { .rules = out_rules, .arena = arena, .error = error };
    *out_rules = (struct wire_rules){ .name = name, .definitions = STR("$defs") };
    if (json_type(value) != JSON_OBJECT)
        return rules_fault(&reader, value, "wire rules: an object is expected");
    for (struct json v = json_first(value); json_exists(v); v = json_next(v, value)) {
        enum status status = rules_member(&reader, v);
        if (status != STATUS_OK)
            return status;
    }
    if (out_rules->date.len == 0 || out_rules->source.len == 0)
        return rules_fault(&reader, value, "wire rules: \"date\" and \"source\" are expected");
    if (out_rules->must_close && out_rules->support[WIRE_ADDITIONAL_FALSE] == WIRE_REJECTED)
        return rules_fault(&reader, value, "wire rules: \"mustClose\" needs \"additionalFalse\"");
    return STATUS_OK;
}

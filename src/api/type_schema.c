/* type_schema.c - the schema of a table's struct: its own, or what its fields say. See structure.h,
 * chapter 15.
 *
 * A type without a schema text becomes {"$ref": "#/$defs/NAME"} with a definition for each struct,
 * so that recursion ends. Invariant: objects are closed unless a field takes further members.
 */
#include "base/features.h"

#include "api/type_walk.h"

enum { TYPES_MAX = 1000 };

struct types {
    const struct structure_type *items[TYPES_MAX];
    size_t count;
    bool overflows;
};

static size_t types_find(struct types *types, const struct structure_type *type)
{
    size_t i = 0;
    while (i < types->count && types->items[i] != type)
        i++;
    if (i == types->count && i == TYPES_MAX)
        types->overflows = true;
    else if (i == types->count)
        types->items[types->count++] = type;
    return i;
}

static void write_enum(const struct structure_field *field, bool with_null, struct buffer *out)
{
    buffer_append_str(out, STR("{\"enum\":["));
    for (size_t i = 0; i < field->value_count; i++) {
        if (i > 0)
            buffer_append_byte(out, ',');
        json_write_string(str_from(field->values[i]), out);
    }
    buffer_append_str(out, with_null ? STR(",null]}") : STR("]}"));
}

static const char *type_word(enum structure_field_kind kind)
{
    switch (kind) {
    case STRUCTURE_FIELD_BOOL: return "boolean";
    case STRUCTURE_FIELD_INT64: return "integer";
    case STRUCTURE_FIELD_DOUBLE: return "number";
    case STRUCTURE_FIELD_STRING: return "string";
    case STRUCTURE_FIELD_ENUM:
    case STRUCTURE_FIELD_JSON:
    case STRUCTURE_FIELD_STRUCT: break;
    }
    return NULL;
}

static void write_value(struct types *types, const struct structure_field *field, bool with_null,
                        struct buffer *out)
{
    const char *word = type_word(field->kind);
    if (word != NULL && with_null)
        buffer_printf(out, "{\"type\":[\"%s\",\"null\"]}", word);
    else if (word != NULL)
        buffer_printf(out, "{\"type\":\"%s\"}", word);
    else if (field->kind == STRUCTURE_FIELD_ENUM)
        write_enum(field, with_null, out);
    else if (field->kind == STRUCTURE_FIELD_STRUCT)
        buffer_printf(out, "%s{\"$ref\":\"#/$defs/t%zu\"}%s", with_null ? "{\"anyOf\":[" : "",
                      types_find(types, field->type), with_null ? ",{\"type\":\"null\"}]}" : "");
    else
        buffer_append_str(out, STR("{}"));
}

static void write_field(struct types *types, const struct structure_field *field,
                        struct buffer *out)
{
    bool with_null = type_has_flag(field, STRUCTURE_FIELD_NULLABLE);
    if (!type_has_flag(field, STRUCTURE_FIELD_ARRAY)) {
        write_value(types, field, with_null, out);
        return;
    }
    buffer_append_str(out, with_null ? STR("{\"type\":[\"array\",\"null\"],\"items\":")
                                     : STR("{\"type\":\"array\",\"items\":"));
    write_value(types, field, false, out);
    buffer_append_byte(out, '}');
}

static void write_required(const struct structure_type *type, struct buffer *out)
{
    bool first = true;
    for (size_t i = 0; i < type->field_count; i++) {
        if (!type_has_flag(&type->fields[i], STRUCTURE_FIELD_REQUIRED))
            continue;
        buffer_append_str(out, first ? STR("") : STR(","));
        first = false;
        json_write_string(str_from(type->fields[i].name), out);
    }
}

static void write_type(struct types *types, const struct structure_type *type, struct buffer *out)
{
    const struct structure_field *further = NULL;
    bool first = true;
    if (type->is_bare) {
        write_field(types, &type->fields[0], out);
        return;
    }
    buffer_append_str(out, STR("{\"type\":\"object\",\"properties\":{"));
    for (size_t i = 0; i < type->field_count; i++) {
        const struct structure_field *field = &type->fields[i];
        if (type_has_flag(field, STRUCTURE_FIELD_FURTHER)) {
            further = field;
            continue;
        }
        buffer_append_str(out, first ? STR("") : STR(","));
        first = false;
        json_write_string(str_from(field->name), out);
        buffer_append_byte(out, ':');
        write_field(types, field, out);
    }
    buffer_append_str(out, STR("},\"required\":["));
    write_required(type, out);
    buffer_append_str(out, STR("],\"additionalProperties\":"));
    if (further == NULL)
        buffer_append_str(out, STR("false"));
    else
        write_field(types, &further->type->fields[1], out);
    buffer_append_byte(out, '}');
}

/* {"type":"object", ... of the root, "$defs": ...}: a root that is an object by itself. */
static void write_schema(const struct structure_type *type, struct types *types, struct buffer *out)
{
    write_type(types, type, out);
    size_t root = types_find(types, type); /* it may refer to itself */
    buffer_truncate(out, out->len - (out->len > 0));
    buffer_append_str(out, STR(",\"$defs\":{"));
    for (size_t i = 0; i < types->count; i++) {
        buffer_printf(out, "%s\"t%zu\":", i == 0 ? "" : ",", i);
        if (i == root)
            buffer_append_str(out, STR("{\"$ref\":\"#\"}"));
        else
            write_type(types, types->items[i], out);
    }
    buffer_append_str(out, STR("}}"));
}

enum structure_kind structure_type_schema(const struct structure_type *type,
                                          const struct structure_allocator *allocator,
                                          structure_schema **out_schema,
                                          structure_error **out_error)
{
    struct types *types;
    struct buffer text;
    struct error error = { 0 };
    enum structure_kind kind;
    error_clear(&error);
    if (type->schema != NULL)
        return structure_schema_new(type->schema, STRUCTURE_NUL, NULL, allocator, out_schema,
                                    out_error);
    types = alloc_get(alloc_default(), sizeof(*types));
    if (types == NULL)
        return api_fail(STATUS_NO_MEMORY, &error, out_error);
    types->count = 0;
    types->overflows = false;
    buffer_init(&text, alloc_default(), LIMIT_SCHEMA_BYTES);
    write_schema(type, types, &text);
    if (buffer_status(&text) != STATUS_OK || types->overflows)
        kind = api_fail(types->overflows ? STATUS_INVALID_SCHEMA : STATUS_NO_MEMORY, &error,
                        out_error);
    else
        kind = structure_schema_new(text.ptr, text.len, NULL, allocator, out_schema, out_error);
    buffer_release(&text);
    alloc_free(alloc_default(), types, sizeof(*types));
    return kind;
}

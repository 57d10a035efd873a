/* type_decode.c - JSON becomes a struct of a table. See structure.h, chapter 15.
 *
 * Owns: which JSON a field takes, and exactness: what does not fit is an error, never another
 * value. Invariants: on failure everything is given back; depth is bounded by TYPE_DEPTH_MAX, so
 * that the recursion is; a list's count is set before its items are decoded, so that it can be
 * cleared.
 */
#include "base/features.h"

#include "api/type_walk.h"

#include <math.h>
#include <stdlib.h>

enum { NUMBER_TEXT_MAX = LIMIT_JSON_DIGITS + 1 };

struct decoding {
    const struct alloc *alloc;
    struct error *error;
};

static enum status decode_type(struct decoding *decoding, const struct structure_type *type,
                               char *base, struct json value, uint32_t depth);

/* ---- failures -------------------------------------------------------------------------------- */

static enum status place(struct decoding *decoding, struct json at)
{
    struct buffer pointer;
    buffer_init(&pointer, decoding->alloc, LIMIT_JSON_BYTES);
    json_pointer_of(at, &pointer);
    if (buffer_status(&pointer) == STATUS_OK)
        error_at_pointer(decoding->error, buffer_view(&pointer));
    buffer_release(&pointer);
    return STATUS_INVALID_REQUEST;
}

static enum status refuse(struct decoding *decoding, struct json at, const char *what)
{
    (void)error_set(decoding->error, STATUS_INVALID_REQUEST, "the value %s", what);
    return place(decoding, at);
}

static enum status no_memory(struct decoding *decoding)
{
    return error_set(decoding->error, STATUS_NO_MEMORY, "out of memory");
}

/* ---- one value ------------------------------------------------------------------------------- */

static enum status decode_bool(struct decoding *decoding, char *place, struct json value)
{
    bool is_true = json_type(value) == JSON_TRUE;
    if (!is_true && json_type(value) != JSON_FALSE)
        return refuse(decoding, value, "must be true or false");
    memcpy(place, &is_true, sizeof(is_true));
    return STATUS_OK;
}

static enum status decode_int64(struct decoding *decoding, char *place, struct json value)
{
    int64_t number;
    if (json_type(value) != JSON_NUMBER)
        return refuse(decoding, value, "must be an integer");
    struct decimal exact = json_number(value);
    if (!decimal_is_integer(&exact))
        return refuse(decoding, value, "must be an integer");
    if (!decimal_to_int64(&exact, &number))
        return refuse(decoding, value, "does not fit into 64 bits");
    memcpy(place, &number, sizeof(number));
    return STATUS_OK;
}

/* strtod of the number's text: the nearest double, in the C locale's form by JSON's grammar. */
static enum status decode_double(struct decoding *decoding, char *place, struct json value)
{
    struct buffer text;
    if (json_type(value) != JSON_NUMBER)
        return refuse(decoding, value, "must be a number");
    buffer_init(&text, decoding->alloc, NUMBER_TEXT_MAX);
    json_write(value, 0, &text);
    buffer_append_byte(&text, '\0');
    enum status status = buffer_status(&text);
    double number = status == STATUS_OK ? strtod(text.ptr, NULL) : 0;
    buffer_release(&text);
    if (status != STATUS_OK)
        return no_memory(decoding);
    if (!isfinite(number))
        return refuse(decoding, value, "does not fit into a double");
    memcpy(place, &number, sizeof(number));
    return STATUS_OK;
}

static enum status keep_text(struct decoding *decoding, char *place, struct str text)
{
    char *copy = alloc_get(decoding->alloc, text.len + 1);
    if (copy == NULL)
        return no_memory(decoding);
    if (text.len > 0)
        memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    memcpy(place, &copy, sizeof(copy));
    return STATUS_OK;
}

static bool has_nul(struct str text)
{
    return text.len > 0 && memchr(text.ptr, '\0', text.len) != NULL;
}

static enum status decode_string(struct decoding *decoding, char *place, struct json value)
{
    if (json_type(value) != JSON_STRING)
        return refuse(decoding, value, "must be a string");
    if (has_nul(json_string(value)))
        return refuse(decoding, value, "holds U+0000, which a C string cannot");
    return keep_text(decoding, place, json_string(value));
}

static enum status decode_enum(struct decoding *decoding, const struct structure_field *field,
                               char *place, struct json value)
{
    for (size_t i = 0; json_type(value) == JSON_STRING && i < field->value_count; i++) {
        int number = (int)i;
        if (!str_equal(json_string(value), str_from(field->values[i])))
            continue;
        memcpy(place, &number, sizeof(number));
        return STATUS_OK;
    }
    return refuse(decoding, value, "is none of the enum");
}

static enum status decode_json(struct decoding *decoding, char *place, struct json value)
{
    struct buffer text;
    buffer_init(&text, decoding->alloc, LIMIT_JSON_BYTES);
    json_write(value, 0, &text);
    enum status status = buffer_status(&text) == STATUS_OK
                             ? keep_text(decoding, place, buffer_view(&text))
                             : no_memory(decoding);
    buffer_release(&text);
    return status;
}

static enum status decode_value(struct decoding *decoding, const struct structure_field *field,
                                char *place, struct json value, uint32_t depth)
{
    switch (field->kind) {
    case STRUCTURE_FIELD_BOOL: return decode_bool(decoding, place, value);
    case STRUCTURE_FIELD_INT64: return decode_int64(decoding, place, value);
    case STRUCTURE_FIELD_DOUBLE: return decode_double(decoding, place, value);
    case STRUCTURE_FIELD_STRING: return decode_string(decoding, place, value);
    case STRUCTURE_FIELD_ENUM: return decode_enum(decoding, field, place, value);
    case STRUCTURE_FIELD_JSON: return decode_json(decoding, place, value);
    case STRUCTURE_FIELD_STRUCT: return decode_type(decoding, field->type, place, value, depth);
    }
    return error_set(decoding->error, STATUS_INVALID_REQUEST, "the table has an unknown kind");
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* Zeroed items, already part of the struct. */
static enum status list_new(struct decoding *decoding, const struct structure_field *field,
                            char *base, uint32_t count, char **out_items)
{
    size_t size = type_value_size(field);
    size_t total = count;
    *out_items = NULL;
    if (count == 0)
        return STATUS_OK;
    char *items = count > SIZE_MAX / size ? NULL : alloc_get(decoding->alloc, total * size);
    if (items == NULL)
        return no_memory(decoding);
    memset(items, 0, total * size);
    memcpy(base + field->offset, &items, sizeof(items));
    memcpy(base + field->count_offset, &total, sizeof(total));
    *out_items = items;
    return STATUS_OK;
}

static enum status decode_array(struct decoding *decoding, const struct structure_field *field,
                                char *base, struct json value, uint32_t depth)
{
    char *items;
    size_t size = type_value_size(field);
    if (json_type(value) != JSON_ARRAY)
        return refuse(decoding, value, "must be an array");
    if (depth == 0)
        return refuse(decoding, value, "is nested too deep");
    enum status status = list_new(decoding, field, base, json_count(value), &items);
    for (struct json at = json_first(value); status == STATUS_OK && json_exists(at);
         at = json_next(at, value), items += size)
        status = decode_value(decoding, field, items, at, depth - 1);
    return status;
}

static bool is_declared(const struct structure_type *type, struct str name)
{
    for (size_t i = 0; i < type->field_count; i++) {
        if (!type_has_flag(&type->fields[i], STRUCTURE_FIELD_FURTHER) &&
            str_equal(str_from(type->fields[i].name), name))
            return true;
    }
    return false;
}

/* A name and its value into an entry, whose type has those two fields. */
static enum status decode_entry(struct decoding *decoding, const struct structure_field *field,
                                char *entry, struct json value, uint32_t depth)
{
    const struct structure_field *parts = field->type->fields;
    struct str name = json_member_name(value);
    if (has_nul(name))
        return refuse(decoding, value, "has a name with U+0000, which a C string cannot hold");
    enum status status = keep_text(decoding, entry + parts[0].offset, name);
    if (status != STATUS_OK)
        return status;
    if (type_is_list(&parts[1]))
        return decode_array(decoding, &parts[1], entry, value, depth);
    return decode_value(decoding, &parts[1], entry + parts[1].offset, value, depth);
}

static enum status decode_further(struct decoding *decoding, const struct structure_type *type,
                                  const struct structure_field *field, char *base,
                                  struct json object, uint32_t depth)
{
    char *items;
    uint32_t count = 0;
    for (struct json at = json_first(object); json_exists(at); at = json_next(at, object))
        count += !is_declared(type, json_member_name(at));
    enum status status = list_new(decoding, field, base, count, &items);
    for (struct json at = json_first(object); status == STATUS_OK && json_exists(at);
         at = json_next(at, object)) {
        if (is_declared(type, json_member_name(at)))
            continue;
        status = decode_entry(decoding, field, items, at, depth);
        items += type_value_size(field);
    }
    return status;
}

/* ---- structs --------------------------------------------------------------------------------- */

static void set_state(const struct structure_field *field, char *base,
                      enum structure_presence presence)
{
    if (type_has_state(field))
        base[field->state_offset] = (char)presence;
}

static enum status decode_pointer(struct decoding *decoding, const struct structure_field *field,
                                  char *place, struct json value, uint32_t depth)
{
    char *pointed = alloc_get(decoding->alloc, field->type->size);
    if (pointed == NULL)
        return no_memory(decoding);
    memset(pointed, 0, field->type->size);
    memcpy(place, &pointed, sizeof(pointed));
    return decode_type(decoding, field->type, pointed, value, depth);
}

static enum status decode_present(struct decoding *decoding, const struct structure_field *field,
                                  char *base, struct json value, uint32_t depth)
{
    if (json_type(value) == JSON_NULL && type_has_flag(field, STRUCTURE_FIELD_NULLABLE)) {
        set_state(field, base, STRUCTURE_NULL);
        return STATUS_OK;
    }
    set_state(field, base, STRUCTURE_PRESENT);
    if (type_is_list(field))
        return decode_array(decoding, field, base, value, depth);
    if (type_has_flag(field, STRUCTURE_FIELD_POINTER))
        return decode_pointer(decoding, field, base + field->offset, value, depth);
    return decode_value(decoding, field, base + field->offset, value, depth);
}

static enum status decode_member(struct decoding *decoding, const struct structure_type *type,
                                 const struct structure_field *field, char *base,
                                 struct json object, uint32_t depth)
{
    if (type_has_flag(field, STRUCTURE_FIELD_FURTHER))
        return decode_further(decoding, type, field, base, object, depth);
    struct json value = json_get(object, str_from(field->name));
    if (json_exists(value))
        return decode_present(decoding, field, base, value, depth);
    if (!type_has_flag(field, STRUCTURE_FIELD_REQUIRED))
        return STATUS_OK;
    (void)error_set(decoding->error, STATUS_INVALID_REQUEST, "the member \"%.60s\" is missing",
                    field->name);
    return place(decoding, object);
}

static enum status decode_type(struct decoding *decoding, const struct structure_type *type,
                               char *base, struct json value, uint32_t depth)
{
    enum status status = STATUS_OK;
    if (depth == 0)
        return refuse(decoding, value, "is nested too deep");
    if (type->is_bare)
        return decode_present(decoding, &type->fields[0], base, value, depth - 1);
    if (json_type(value) != JSON_OBJECT)
        return refuse(decoding, value, "must be an object");
    for (size_t i = 0; status == STATUS_OK && i < type->field_count; i++)
        status = decode_member(decoding, type, &type->fields[i], base, value, depth - 1);
    return status;
}

enum structure_kind structure_type_decode(const struct structure_type *type, const char *text,
                                          size_t len, const struct structure_allocator *allocator,
                                          void *value, structure_error **out_error)
{
    struct error error = { 0 };
    struct alloc alloc = api_alloc(allocator);
    struct decoding decoding = { &alloc, &error };
    struct json_doc *doc = NULL;
    error_clear(&error);
    memset(value, 0, type->size);
    enum status status = json_parse(api_text(text, len), NULL, &alloc, &doc, &error);
    if (status == STATUS_OK)
        status = decode_type(&decoding, type, value, json_doc_root(doc), TYPE_DEPTH_MAX);
    json_doc_free(doc);
    if (status == STATUS_OK)
        return STRUCTURE_OK;
    type_clear(type, &alloc, value);
    return api_fail(status, &error, out_error);
}

/* type_encode.c - a struct of a table becomes JSON; the schema that its fields say. See
 * structure.h, chapter 15.
 *
 * Invariant: what is written is JSON, or nothing is: a struct filled by hand is not trusted.
 */
#include "base/features.h"

#include "api/type_walk.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"

struct encoding {
    struct buffer *out;
    struct error *error;
};

static enum status encode_type(struct encoding *encoding, const struct structure_type *type,
                               const char *base, uint32_t depth);

static enum status refuse(struct encoding *encoding, const struct structure_field *field,
                          const char *what)
{
    return error_set(encoding->error, STATUS_INVALID_REQUEST, "the field \"%.60s\" %s",
                     field->name == NULL ? "" : field->name, what);
}

/* ---- one value ------------------------------------------------------------------------------- */

/* The shortest of 15 to 17 digits that is read as the same double. */
static enum status encode_double(struct encoding *encoding, const struct structure_field *field,
                                 const char *place)
{
    char text[40];
    double number;
    memcpy(&number, place, sizeof(number));
    if (!isfinite(number))
        return refuse(encoding, field, "is not finite");
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(text, sizeof(text), "%.*g", digits, number);
        double back = strtod(text, NULL);
        if (memcmp(&back, &number, sizeof(number)) == 0)
            break;
    }
    buffer_append_str(encoding->out, str_from(text));
    return STATUS_OK;
}

static enum status encode_text(struct encoding *encoding, const struct structure_field *field,
                               const char *place)
{
    const char *text;
    memcpy(&text, place, sizeof(text));
    if (text == NULL)
        return refuse(encoding, field, "is NULL");
    if (utf8_check(str_from(text)) != strlen(text))
        return refuse(encoding, field, "is not UTF-8");
    json_write_string(str_from(text), encoding->out);
    return STATUS_OK;
}

static enum status encode_json(struct encoding *encoding, const struct structure_field *field,
                               const char *place)
{
    const char *text;
    struct json_doc *doc = NULL;
    memcpy(&text, place, sizeof(text));
    if (text == NULL)
        return refuse(encoding, field, "is NULL");
    enum status status = json_parse(str_from(text), NULL, alloc_default(), &doc, NULL);
    if (status == STATUS_NO_MEMORY)
        return error_set(encoding->error, status, "out of memory");
    if (status != STATUS_OK)
        return refuse(encoding, field, "is no JSON text");
    json_write(json_doc_root(doc), 0, encoding->out);
    json_doc_free(doc);
    return STATUS_OK;
}

static enum status encode_enum(struct encoding *encoding, const struct structure_field *field,
                               const char *place)
{
    int number;
    memcpy(&number, place, sizeof(number));
    if (number < 0 || (size_t)number >= field->value_count)
        return refuse(encoding, field, "is none of the enum");
    json_write_string(str_from(field->values[number]), encoding->out);
    return STATUS_OK;
}

static enum status encode_value(struct encoding *encoding, const struct structure_field *field,
                                const char *place, uint32_t depth)
{
    bool is_true;
    int64_t number;
    switch (field->kind) {
    case STRUCTURE_FIELD_BOOL:
        memcpy(&is_true, place, sizeof(is_true));
        buffer_append_str(encoding->out, is_true ? STR("true") : STR("false"));
        return STATUS_OK;
    case STRUCTURE_FIELD_INT64:
        memcpy(&number, place, sizeof(number));
        buffer_printf(encoding->out, "%" PRId64, number);
        return STATUS_OK;
    case STRUCTURE_FIELD_DOUBLE: return encode_double(encoding, field, place);
    case STRUCTURE_FIELD_STRING: return encode_text(encoding, field, place);
    case STRUCTURE_FIELD_ENUM: return encode_enum(encoding, field, place);
    case STRUCTURE_FIELD_JSON: return encode_json(encoding, field, place);
    case STRUCTURE_FIELD_STRUCT: return encode_type(encoding, field->type, place, depth);
    }
    return refuse(encoding, field, "has an unknown kind");
}

/* ---- lists ----------------------------------------------------------------------------------- */

struct list {
    const char *items;
    size_t count;
};

static struct list list_of(const struct structure_field *field, const char *base)
{
    struct list list;
    memcpy(&list.items, base + field->offset, sizeof(list.items));
    memcpy(&list.count, base + field->count_offset, sizeof(list.count));
    if (list.items == NULL)
        list.count = 0;
    return list;
}

static enum status encode_array(struct encoding *encoding, const struct structure_field *field,
                                const char *base, uint32_t depth)
{
    struct list list = list_of(field, base);
    enum status status = STATUS_OK;
    if (depth == 0)
        return refuse(encoding, field, "is nested too deep");
    buffer_append_byte(encoding->out, '[');
    for (size_t i = 0; status == STATUS_OK && i < list.count; i++) {
        if (i > 0)
            buffer_append_byte(encoding->out, ',');
        status = encode_value(encoding, field, list.items + i * type_value_size(field), depth - 1);
    }
    buffer_append_byte(encoding->out, ']');
    return status;
}

static void encode_comma(struct encoding *encoding)
{
    const struct buffer *out = encoding->out;
    if (out->len > 0 && out->ptr[out->len - 1] != '{')
        buffer_append_byte(encoding->out, ',');
}

static enum status encode_further(struct encoding *encoding, const struct structure_field *field,
                                  const char *base, uint32_t depth)
{
    struct list list = list_of(field, base);
    const struct structure_field *parts = field->type->fields;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < list.count; i++) {
        const char *entry = list.items + i * field->type->size;
        encode_comma(encoding);
        status = encode_text(encoding, &parts[0], entry + parts[0].offset);
        buffer_append_byte(encoding->out, ':');
        if (status != STATUS_OK)
            return status;
        status = type_is_list(&parts[1])
                     ? encode_array(encoding, &parts[1], entry, depth)
                     : encode_value(encoding, &parts[1], entry + parts[1].offset, depth);
    }
    return status;
}

/* ---- structs --------------------------------------------------------------------------------- */

static enum structure_presence presence_of(const struct structure_field *field, const char *base)
{
    const char *pointed;
    if (type_has_flag(field, STRUCTURE_FIELD_POINTER)) {
        memcpy(&pointed, base + field->offset, sizeof(pointed));
        if (pointed != NULL)
            return STRUCTURE_PRESENT;
        return type_has_flag(field, STRUCTURE_FIELD_REQUIRED) ? STRUCTURE_NULL : STRUCTURE_ABSENT;
    }
    if (!type_has_state(field))
        return STRUCTURE_PRESENT;
    return (enum structure_presence)(unsigned char)base[field->state_offset];
}

static enum status encode_field(struct encoding *encoding, const struct structure_field *field,
                                const char *base, uint32_t depth)
{
    const char *pointed;
    if (presence_of(field, base) == STRUCTURE_NULL) {
        if (!type_has_flag(field, STRUCTURE_FIELD_NULLABLE))
            return refuse(encoding, field, "must not be null");
        buffer_append_str(encoding->out, STR("null"));
        return STATUS_OK;
    }
    if (type_is_list(field))
        return encode_array(encoding, field, base, depth);
    if (!type_has_flag(field, STRUCTURE_FIELD_POINTER))
        return encode_value(encoding, field, base + field->offset, depth);
    memcpy(&pointed, base + field->offset, sizeof(pointed));
    return encode_type(encoding, field->type, pointed, depth);
}

static enum status encode_member(struct encoding *encoding, const struct structure_field *field,
                                 const char *base, uint32_t depth)
{
    if (type_has_flag(field, STRUCTURE_FIELD_FURTHER))
        return encode_further(encoding, field, base, depth);
    if (presence_of(field, base) == STRUCTURE_ABSENT) {
        if (type_has_flag(field, STRUCTURE_FIELD_REQUIRED))
            return refuse(encoding, field, "is required and absent");
        return STATUS_OK;
    }
    encode_comma(encoding);
    json_write_string(str_from(field->name), encoding->out);
    buffer_append_byte(encoding->out, ':');
    return encode_field(encoding, field, base, depth);
}

static enum status encode_type(struct encoding *encoding, const struct structure_type *type,
                               const char *base, uint32_t depth)
{
    enum status status = STATUS_OK;
    if (depth == 0)
        return error_set(encoding->error, STATUS_INVALID_REQUEST, "structs are nested too deep");
    if (type->is_bare)
        return encode_field(encoding, &type->fields[0], base, depth - 1);
    buffer_append_byte(encoding->out, '{');
    for (size_t i = 0; status == STATUS_OK && i < type->field_count; i++)
        status = encode_member(encoding, &type->fields[i], base, depth - 1);
    buffer_append_byte(encoding->out, '}');
    return status;
}

enum structure_kind structure_type_encode(const struct structure_type *type, const void *value,
                                          char **out_text, size_t *out_len,
                                          structure_error **out_error)
{
    struct error error = { 0 };
    struct buffer text;
    struct encoding encoding = { &text, &error };
    error_clear(&error);
    buffer_init(&text, alloc_default(), LIMIT_JSON_BYTES);
    enum status status = encode_type(&encoding, type, value, TYPE_DEPTH_MAX);
    if (status == STATUS_OK)
        status = buffer_status(&text);
    char *copy = status == STATUS_OK ? alloc_get(alloc_default(), text.len + 1) : NULL;
    if (status == STATUS_OK && copy == NULL)
        status = STATUS_NO_MEMORY;
    if (status == STATUS_OK) {
        memcpy(copy, text.ptr, text.len);
        copy[text.len] = '\0';
        *out_text = copy;
        if (out_len != NULL)
            *out_len = text.len;
    }
    buffer_release(&text);
    return status == STATUS_OK ? STRUCTURE_OK : api_fail(status, &error, out_error);
}

/* type_clear.c - giving back what a struct of a table points to. See structure.h, chapter 15.
 *
 * Invariant: depth is that of the tables' data, which decoding bounds by TYPE_DEPTH_MAX.
 */
#include "base/features.h"

#include "api/type_walk.h"

size_t type_value_size(const struct structure_field *field)
{
    switch (field->kind) {
    case STRUCTURE_FIELD_BOOL: return sizeof(bool);
    case STRUCTURE_FIELD_INT64: return sizeof(int64_t);
    case STRUCTURE_FIELD_DOUBLE: return sizeof(double);
    case STRUCTURE_FIELD_STRING:
    case STRUCTURE_FIELD_JSON: return sizeof(char *);
    case STRUCTURE_FIELD_ENUM: return sizeof(int);
    case STRUCTURE_FIELD_STRUCT: return field->type->size;
    }
    return 0;
}

static void clear_text(const struct alloc *alloc, char *place)
{
    char *text;
    memcpy(&text, place, sizeof(text));
    if (text != NULL)
        alloc_free(alloc, text, strlen(text) + 1);
}

static void clear_value(const struct structure_field *field, const struct alloc *alloc, char *place)
{
    if (field->kind == STRUCTURE_FIELD_STRING || field->kind == STRUCTURE_FIELD_JSON)
        clear_text(alloc, place);
    else if (field->kind == STRUCTURE_FIELD_STRUCT)
        type_clear(field->type, alloc, place);
}

static void clear_list(const struct structure_field *field, const struct alloc *alloc, char *base)
{
    char *items;
    size_t count, size = type_value_size(field);
    memcpy(&items, base + field->offset, sizeof(items));
    memcpy(&count, base + field->count_offset, sizeof(count));
    for (size_t i = 0; items != NULL && i < count; i++)
        clear_value(field, alloc, items + i * size);
    alloc_free(alloc, items, count * size);
}

static void clear_pointer(const struct structure_field *field, const struct alloc *alloc,
                          char *place)
{
    char *value;
    memcpy(&value, place, sizeof(value));
    if (value == NULL)
        return;
    type_clear(field->type, alloc, value);
    alloc_free(alloc, value, field->type->size);
}

void type_clear(const struct structure_type *type, const struct alloc *alloc, char *value)
{
    for (size_t i = 0; i < type->field_count; i++) {
        const struct structure_field *field = &type->fields[i];
        if (type_is_list(field))
            clear_list(field, alloc, value);
        else if (type_has_flag(field, STRUCTURE_FIELD_POINTER))
            clear_pointer(field, alloc, value + field->offset);
        else
            clear_value(field, alloc, value + field->offset);
    }
    memset(value, 0, type->size);
}

void structure_type_clear(const struct structure_type *type,
                          const struct structure_allocator *allocator, void *value)
{
    struct alloc alloc = api_alloc(allocator);
    type_clear(type, &alloc, value);
}

void structure_text_free(char *text)
{
    if (text != NULL)
        alloc_free(alloc_default(), text, strlen(text) + 1);
}

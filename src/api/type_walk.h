/* type_walk.h - what decoding, encoding and clearing of structs share. */
#ifndef STRUCTURE_API_TYPE_WALK_H
#define STRUCTURE_API_TYPE_WALK_H

#include "api/api.h"
#include "base/limits.h"

enum { TYPE_DEPTH_MAX = LIMIT_JSON_DEPTH };

/* Bytes of one value of the field, without ARRAY, FURTHER and POINTER. */
size_t type_value_size(const struct structure_field *field);

static inline bool type_has_flag(const struct structure_field *field, unsigned flag)
{
    return (field->flags & flag) != 0;
}

/* The field has a presence of its own. */
static inline bool type_has_state(const struct structure_field *field)
{
    bool is_plain = type_has_flag(field, STRUCTURE_FIELD_REQUIRED) &&
                    !type_has_flag(field, STRUCTURE_FIELD_NULLABLE);
    return !is_plain && !type_has_flag(field, STRUCTURE_FIELD_FURTHER | STRUCTURE_FIELD_POINTER);
}

/* Values in a row: ARRAY, FURTHER. */
static inline bool type_is_list(const struct structure_field *field)
{
    return type_has_flag(field, STRUCTURE_FIELD_ARRAY | STRUCTURE_FIELD_FURTHER);
}

/* Gives back what value points to; all is zero then. */
void type_clear(const struct structure_type *type, const struct alloc *alloc, char *value);

#endif

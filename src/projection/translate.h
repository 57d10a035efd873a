/* translate.h - what values on the wire are told apart by. Private to src/projection. */
#ifndef STRUCTURE_PROJECTION_TRANSLATE_H
#define STRUCTURE_PROJECTION_TRANSLATE_H

#include "projection/shape.h"

/* The member of that name, or NULL. *hint: where to look first; the place behind the one found. */
const struct shape_member *translate_member(const struct shape_node *node, struct str name,
                                            uint32_t *hint);

/* The member is absent when its value on the wire is null: it need not be there, and null is no
 * value of it, or would be a text. */
bool translate_null_is_absent(const struct shape *shape, const struct shape_member *member);

/* An array of objects {key, value} and nothing else. */
bool translate_is_list(struct json value);
struct json translate_key(struct json pair);
struct json translate_value(struct json pair);

/* The part of a union that a value on the wire is a form of, or SHAPE_NO_NODE. Looks a few levels
 * deep; work is bounded. */
uint32_t translate_part(const struct shape *shape, const struct shape_node *node,
                        struct json value);

/* Appends "name": with a comma where one is due, and a comma alone. */
void translate_name(struct str name, struct buffer *out);
void translate_comma(struct buffer *out);

/* The value is an answer in the envelope's form; *out_data, *out_need: its members, or none. */
bool translate_is_envelope(const struct shape *shape, struct json value, struct json *out_data,
                           struct json *out_need);

/* The need object as the prompt asks for it: one member. */
bool translate_is_need(struct str need_name, struct json value);

#endif

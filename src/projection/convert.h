/* convert.h - from a target's value to its form on the wire. Private to src/projection. */
#ifndef STRUCTURE_PROJECTION_CONVERT_H
#define STRUCTURE_PROJECTION_CONVERT_H

#include "projection/fits.h"
#include "projection/shape.h"

/* Appends the form of a valid value at the place `node`. UNSUPPORTED: the value has members or
 * items that the shape does not know; NO_MEMORY. */
enum status convert_value(const struct shape *shape, struct fits *fits, uint32_t node,
                          struct json value, struct buffer *out);

#endif

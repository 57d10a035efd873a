/* words.h - what a keyword asks, in plain words for a model. Private to src/projection. */
#ifndef STRUCTURE_PROJECTION_WORDS_H
#define STRUCTURE_PROJECTION_WORDS_H

#include "projection/shape.h"

/* Appends a phrase such as "at least 3 items". Schemas inside are quoted as JSON, cut when long. */
void words_of_fact(const struct schema_program *program, struct shape_fact fact,
                   struct buffer *out);
/* "one of 1, 2, 3", cut when long. */
void words_of_values(const struct shape_node *node, struct buffer *out);
/* What a string with a JSON text holds. */
void words_of_text(const struct shape *shape, const struct shape_node *node, struct buffer *out);
/* Compact JSON, cut after bytes_max. */
void words_json(struct json value, size_t bytes_max, struct buffer *out);

#endif

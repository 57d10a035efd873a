/* yaml.h - YAML documents as JSON texts.
 *
 * Owns: the subset of YAML 1.2 that says what JSON can say: mappings with scalar names, sequences,
 * scalars by the core schema, anchors and aliases. Leaves to others: reading files (input.c),
 * repeated members and the limits of depth and number (the JSON parser, which reads the result).
 * Invariant: the result never grows beyond the maximum of its buffer, and a value stands in the
 * line it has in the YAML text, in the same column where there is room.
 */
#ifndef STRUCTURE_CLI_YAML_H
#define STRUCTURE_CLI_YAML_H

#include "base/buffer.h"
#include "base/status.h"

/* Appends the JSON text of the one document in yaml to *out, which is empty. fault: the status of a
 * text that is not YAML or that JSON cannot say (tags, merge keys, several documents, names that
 * are no scalars, infinity); *error has line and column. Other errors: REJECTED (the maximum of out
 * was hit), NO_MEMORY, UNSUPPORTED (built without YAML). */
enum status cli_yaml_to_json(struct str yaml, enum status fault, struct buffer *out,
                             struct error *error);

/* Appends what a plain scalar means by the core schema: null, a boolean, a number with its text
 * kept where JSON has it too, else a string. Returns NULL, or why JSON has no such value. */
const char *cli_yaml_plain(struct str text, struct buffer *out);

#endif

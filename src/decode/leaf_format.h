/* leaf_format.h - automata for the `format` of string leaves: ASCII bytes in, "can still become
 * one" out.
 *
 * Each accepts a subset of what the RFC of the format allows (no escapes, no rare forms), so that
 * whatever is complete here is valid for the validator. Private to src/decode.
 */
#ifndef STRUCTURE_DECODE_LEAF_FORMAT_H
#define STRUCTURE_DECODE_LEAF_FORMAT_H

#include "schema/program.h"

enum { FORMAT_TEXT_MAX = 64 };

struct format_at {
    uint16_t len; /* bytes so far */
    uint8_t state;
    uint8_t count; /* of the label, group or digits being written */
    uint8_t dots;
    uint8_t flags;
    char text[40]; /* the bytes so far, for the formats of bounded length */
};

/* False: the language leaves this format to the validator. */
bool format_is_followed(enum schema_format format);

/* Advances by one byte if the text can still become one of the format. */
bool format_step(enum schema_format format, struct format_at *at, unsigned char byte);
bool format_is_complete(enum schema_format format, const struct format_at *at);

/* A short text that completes; returns its length (0 when complete). */
size_t format_close(enum schema_format format, const struct format_at *at,
                    char out[FORMAT_TEXT_MAX]);

/* Every text of the format has at least so many characters. */
uint32_t format_min_length(enum schema_format format);

/* The whole text is one (by the automaton above). */
bool format_has_text(enum schema_format format, struct str text);

#endif

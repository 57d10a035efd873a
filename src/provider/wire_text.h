/* wire_text.h - writing a JSON request body member by member, with a patch over it.
 *
 * Owns: commas, well-formed strings, and the patch: the members that a model's row gives to every
 * request ("extra"), merged into what a protocol writes as RFC 7396 merges: objects member by
 * member, anything else in place of ours, null leaves ours out. A string "${schema}" in the patch
 * stands for the wire schema, so that a row can put it where its server wants it. Leaves to others:
 * which members there are. Errors are in the status of the buffer. Private to src/provider.
 */
#ifndef STRUCTURE_PROVIDER_WIRE_TEXT_H
#define STRUCTURE_PROVIDER_WIRE_TEXT_H

#include "json/json.h"

enum { WIRE_LEVELS_MAX = 12 };

struct wire {
    struct buffer *out;
    struct str schema; /* what "${schema}" stands for; empty: null */
    struct {
        struct json patch; /* the object merged into this one; may not exist */
        uint64_t met;      /* its members that were merged already, by index */
    } levels[WIRE_LEVELS_MAX];
    unsigned level;
};

/* Opens the root object; patch may be a value that does not exist. */
void wire_begin(struct wire *wire, struct buffer *out, struct json patch, struct str schema);
void wire_end(struct wire *wire);

/* Members of the open object. Those that return false write nothing, because the patch has its own
 * or wants none: what belongs inside is left out too. */
bool wire_object(struct wire *wire, struct str name);
bool wire_array(struct wire *wire, struct str name);
bool wire_text(struct wire *wire, struct str name); /* then wire_text_add and wire_text_end */
void wire_string(struct wire *wire, struct str name, struct str text);
void wire_uint(struct wire *wire, struct str name, uint64_t value);
void wire_number(struct wire *wire, struct str name, double value); /* to six decimals */
void wire_bool(struct wire *wire, struct str name, bool value);
void wire_json(struct wire *wire, struct str name, struct str json); /* JSON text, as it is */
void wire_object_end(struct wire *wire);
void wire_array_end(struct wire *wire);

/* An item of the open array that is an object; ends with wire_object_end. No patch reaches it. */
void wire_item(struct wire *wire);

/* A string in pieces. Bytes that are not UTF-8 become U+FFFD. */
void wire_text_add(struct wire *wire, struct str text);
void wire_text_end(struct wire *wire);

#endif

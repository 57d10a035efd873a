/* emit.h - a shape as the schema that goes over the wire. Private to src/projection. */
#ifndef STRUCTURE_PROJECTION_EMIT_H
#define STRUCTURE_PROJECTION_EMIT_H

#include "projection/shape.h"

struct emit_result {
    struct projection_move *moves; /* in the arena of the shape */
    uint32_t move_count;
    bool is_exact;
    unsigned forms; /* enum projection_reading bits of the forms that occur */
};

enum emit_option {
    EMIT_NOTES = 1 << 0, /* titles, descriptions and defaults of the target are kept */
    EMIT_DIRECT = 1 << 1 /* what is understood besides: the target's own form of a place, null for
                            an absent member, absence for null */
};

/* Appends the schema; options: bits of enum emit_option. Errors: NO_MEMORY, also in the buffer's
 * status. */
enum status emit_schema(struct shape *shape, unsigned options, struct buffer *out,
                        struct emit_result *out_result);

#endif

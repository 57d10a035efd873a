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

/* Appends the schema; has_notes: titles and descriptions of the target are kept. Errors: NO_MEMORY,
 * also in the buffer's status. */
enum status emit_schema(struct shape *shape, bool has_notes, struct buffer *out,
                        struct emit_result *out_result);

#endif

/* fault.h - a violation as a block for a person: what and where, the line of source with a caret, a
 * hint. */
#ifndef STRUCTURE_CLI_FAULT_H
#define STRUCTURE_CLI_FAULT_H

#include "schema/validate.h"

struct cli_fault_view {
    const char *name;     /* of the instance */
    uint32_t lines_above; /* of the file before source */
    struct str source;    /* the text that was judged */
    unsigned columns;     /* of the terminal */
    bool color;
};

/* What the caret points at: a member's name, or the value, of containers the bracket. Part of the
 * instance's source. */
struct str cli_fault_span(const struct schema_violation *violation);

/* One block for the first of count violations, or for several that are told together: members that
 * are missing in one object. Returns for how many. */
uint32_t cli_fault_append(struct buffer *out, const struct cli_fault_view *view,
                          const struct schema_violation *violations, uint32_t count);

#endif

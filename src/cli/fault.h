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

void cli_fault_append(struct buffer *out, const struct cli_fault_view *view,
                      const struct schema_violation *violation);

#endif

/* reply.h - from what a model wrote to the one JSON value that it means, or why there is none. */
#ifndef STRUCTURE_ENGINE_REPLY_H
#define STRUCTURE_ENGINE_REPLY_H

#include "engine/ledger.h"

enum { ENGINE_REPLY_MESSAGE_BYTES = 640 };

struct engine_reply_value {
    struct json_doc *doc; /* the value, owned by the caller; NULL when the reply was refused */
    uint32_t line,
        column; /* doc: where its text begins in the reply; refused: of the fault; 0 unknown */
    const char *keyword;                      /* refused: "json" or "runaway" */
    char message[ENGINE_REPLY_MESSAGE_BYTES]; /* refused: what was expected; no content of the reply
                                               */
};

/* Reads text, which may be any bytes. A text that is JSON is taken as it is; otherwise the one
 * object or array in it, and what stood around it goes to the ledger; what the ledger does not
 * allow is refused. OK (look at doc) or NO_MEMORY. */
enum status engine_reply_read(struct str text, struct engine_ledger *ledger,
                              const struct alloc *alloc, struct engine_reply_value *out_value);

#endif

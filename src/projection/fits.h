/* fits.h - whether a value fits nodes of a compiled program. Private to src/projection. */
#ifndef STRUCTURE_PROJECTION_FITS_H
#define STRUCTURE_PROJECTION_FITS_H

#include "schema/program.h"

struct judge;

/* Serves one document after the other: values of one document at a time. */
struct fits {
    const struct alloc *alloc;
    struct judge *judge;
    const struct json_doc *doc; /* whose verdicts are remembered */
    struct json_doc *null_doc;
};

enum status fits_init(struct fits *fits, const struct schema_program *program,
                      const struct alloc *alloc);
void fits_release(struct fits *fits); /* accepts a zeroed one */

/* True as well when it is not known (steps or memory used up): the validator has the last word. */
bool fits_node(struct fits *fits, uint32_t node, struct json value);
bool fits_all(struct fits *fits, const uint32_t *nodes, uint32_t count, struct json value);
/* Before a document that was judged is freed. */
void fits_forget(struct fits *fits);
struct json fits_null(const struct fits *fits); /* the value null */
/* NO_MEMORY when an answer was not known because memory was used up. */
enum status fits_status(const struct fits *fits);

#endif

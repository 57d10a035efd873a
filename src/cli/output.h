/* output.h - where data goes: stdout, or a file that appears whole or not at all.
 *
 * Owns: the descriptor, the bytes not yet written, the temporary file. Failure is sticky and told
 * at the end. Invariant: a regular file named by -o is replaced by rename after every byte was
 * written and synced; until then it is as it was.
 */
#ifndef STRUCTURE_CLI_OUTPUT_H
#define STRUCTURE_CLI_OUTPUT_H

#include "base/buffer.h"
#include "base/status.h"

struct cli_output {
    struct buffer pending;
    int fd;
    int failed_errno; /* of the first failed write; 0 while all is well */
    bool is_terminal;
    bool is_used; /* some data was appended */
    char *target; /* final name of a replaced file; NULL: written directly */
    size_t target_size;
    char *temporary;  /* its temporary neighbour */
    const char *path; /* as the person wrote it; NULL: stdout */
    const struct alloc *alloc;
};

/* path NULL or "-": stdout. Otherwise the temporary file is made now, so that a bad path is told
 * before any work. Errors: INVALID_REQUEST, NO_MEMORY. */
enum status cli_output_open(struct cli_output *out, const char *path, const struct alloc *alloc,
                            struct error *error);

void cli_output_append(struct cli_output *out, struct str text);

/* Ends the data: writes what is pending and puts the file in place; without any data the target is
 * untouched. STORE when something could not be written; quiet (an empty message) when the reader
 * closed the pipe. */
enum status cli_output_commit(struct cli_output *out, struct error *error);

/* Drops what is not written and the temporary file. Accepts a committed or discarded output. */
void cli_output_discard(struct cli_output *out);

/* Spaces a level that a document gets: 2 on a terminal, 0 (one line) otherwise. */
unsigned cli_output_indent(const struct cli_output *out);

#endif

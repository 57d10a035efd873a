/* input.h - reading what the person named: files, stdin, JSON text given in place of a file.
 *
 * Owns: opening and bounded reading, line by line where asked. Leaves to others: parsing.
 * Invariant: never more than bytes_max bytes of a text are held, and a fault names the file.
 */
#ifndef STRUCTURE_CLI_INPUT_H
#define STRUCTURE_CLI_INPUT_H

#include "base/buffer.h"
#include "base/status.h"

/* A text and the name under which messages speak of it. */
struct cli_text {
    struct buffer bytes;
    const char *name; /* borrowed: the argument, "<stdin>" or "<argument>" */
};

void cli_text_release(struct cli_text *text);

struct cli_input_limit {
    size_t bytes_max;
    const char *option; /* that raises it ("--max-size"), or NULL */
    enum status status; /* of a text beyond it */
};

/* The whole of the file at path ("-": stdin) into *out. Errors: INVALID_REQUEST (cannot be read),
 * limit->status, CANCELLED, NO_MEMORY. */
enum status cli_input_read(const char *path, const struct cli_input_limit *limit,
                           const struct alloc *alloc, struct cli_text *out, struct error *error);

/* The same for a JSON document argument: a path, "-", or the text itself when its first non-blank
 * byte is '{'. The text of a file named *.yaml or *.yml is converted (yaml.h). */
enum status cli_input_document(const char *argument, const struct cli_input_limit *limit,
                               const struct alloc *alloc, struct cli_text *out,
                               struct error *error);

/* True if the argument of a document means stdin. */
bool cli_input_is_stdin(const char *path);

/* Lines of a file. Start with cli_lines_open; cli_lines_next gives *out_more false at the end. A
 * line beyond bytes_max is skipped whole: *out_too_long. The line lies in the reader until the next
 * call or the close. */
struct cli_lines {
    int fd;
    const char *name;
    struct buffer line;
    char *chunk;
    size_t chunk_begin, chunk_end;
    uint32_t number;      /* of the line just given, from 1 */
    uint64_t bytes_read;  /* of the file so far */
    uint64_t bytes_total; /* its size; 0 when it has none */
    const struct alloc *alloc;
};
enum status cli_lines_open(struct cli_lines *lines, const char *path, size_t bytes_max,
                           const struct alloc *alloc, struct error *error);
enum status cli_lines_next(struct cli_lines *lines, struct str *out_line, bool *out_too_long,
                           bool *out_more, struct error *error);
void cli_lines_close(struct cli_lines *lines);

#endif

/* printable.h - text of unknown origin made fit for a terminal.
 *
 * Control characters, malformed bytes and the marks that reorder text become U+FFFD, one for one,
 * so that a hostile document can neither move the cursor nor misalign a caret. A tab becomes one
 * blank.
 */
#ifndef STRUCTURE_CLI_PRINTABLE_H
#define STRUCTURE_CLI_PRINTABLE_H

#include "base/buffer.h"

/* Appends at most columns_max code points of text, from code point number first on; an ellipsis
 * stands for what is cut at either end. columns_max 0: all. */
void cli_printable_append(struct buffer *out, struct str text, size_t first, size_t columns_max);

/* The last columns_max code points on one line, for progress. */
void cli_printable_append_tail(struct buffer *out, struct str text, size_t columns_max);

/* Appends a JSON text with such characters, which only its strings can hold, as escapes: the same
 * document. Controls below U+0020 are not looked at: JSON escapes them already. */
void cli_printable_append_json(struct buffer *out, struct str json);

/* Code points, malformed bytes counted one each. */
size_t cli_printable_length(struct str text);

/* Columns of a terminal that count code points from number first on take: marks that combine take
 * none, wide letters and pictures two. */
size_t cli_printable_columns(struct str text, size_t first, size_t count);

#endif

/* failure_parts.h - what the files of failures share. Private to src/provider. */
#ifndef STRUCTURE_PROVIDER_FAILURE_PARTS_H
#define STRUCTURE_PROVIDER_FAILURE_PARTS_H

#include "provider/failure.h"

/* "34.5s" in milliseconds, -1 when it is not that. */
int64_t failure_read_duration(struct str text);

/* A word of the provider: other bytes than [A-Za-z0-9_.:/[]-] end it. What looks like a key or is
 * too long for a word is left out altogether. */
void failure_copy_word(struct str word, char out[FAILURE_WORD_BYTES]);

#endif

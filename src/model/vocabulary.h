/* vocabulary.h - what each token of a model writes, as bytes.
 *
 * Owns: the bytes of all tokens, their kinds, and an index by first byte. Tokens are bytes, not
 * characters: a character may be cut between two of them. Immutable after model_vocabulary_finish.
 */
#ifndef STRUCTURE_MODEL_VOCABULARY_H
#define STRUCTURE_MODEL_VOCABULARY_H

#include <stdint.h>

#include "base/buffer.h"

enum model_token_kind {
    MODEL_TOKEN_TEXT,
    MODEL_TOKEN_END,     /* ends a reply; writes nothing */
    MODEL_TOKEN_RESERVED /* never chosen: control, unused, unknown tokens, and empty ones */
};

struct model_vocabulary {
    const struct alloc *alloc;
    uint32_t count;          /* tokens */
    uint32_t added;
    uint32_t bytes_longest;  /* of one token */
    struct buffer bytes;
    uint32_t *offsets;       /* count + 1, into bytes */
    uint8_t *kinds;          /* enum model_token_kind */
    uint32_t *by_byte;       /* text tokens ordered by first byte, then by number */
    uint32_t by_byte_first[257];
    uint32_t *ends;          /* the END tokens */
    uint32_t end_count;
};

/* For count tokens (1..MODEL_VOCABULARY_MAX), which are then added in the order of their
 * numbers. */
#define MODEL_VOCABULARY_MAX (4u * 1024 * 1024)
enum status model_vocabulary_init(struct model_vocabulary *vocabulary, uint32_t count,
                                  const struct alloc *alloc, struct error *error);
void model_vocabulary_add(struct model_vocabulary *vocabulary, enum model_token_kind kind,
                          struct str bytes);
/* Builds the index. Fails when memory ran out since init or not all tokens were added. */
enum status model_vocabulary_finish(struct model_vocabulary *vocabulary, struct error *error);
void model_vocabulary_release(struct model_vocabulary *vocabulary); /* accepts a zeroed one */

static inline struct str model_vocabulary_text(const struct model_vocabulary *vocabulary,
                                               uint32_t token)
{
    uint32_t begin = vocabulary->offsets[token];
    return str_of(vocabulary->bytes.ptr + begin, vocabulary->offsets[token + 1] - begin);
}

static inline enum model_token_kind model_vocabulary_kind(const struct model_vocabulary *vocabulary,
                                                          uint32_t token)
{
    return (enum model_token_kind)vocabulary->kinds[token];
}

#endif

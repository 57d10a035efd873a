/* vocabulary.c - collecting token bytes and indexing them by first byte (a counting sort).
 *
 * Invariant: a token is TEXT only if it writes at least one byte, so that every step of a reply
 * advances.
 */
#include "base/features.h"

#include "model/vocabulary.h"

enum { VOCABULARY_BYTES_MAX = 256 * 1024 * 1024 };

static enum status vocabulary_no_memory(struct error *error)
{
    return error_set(error, STATUS_NO_MEMORY, "no memory for the vocabulary of the model");
}

enum status model_vocabulary_init(struct model_vocabulary *vocabulary, uint32_t count,
                                  const struct alloc *alloc, struct error *error)
{
    *vocabulary = (struct model_vocabulary){ .alloc = alloc };
    buffer_init(&vocabulary->bytes, alloc, VOCABULARY_BYTES_MAX);
    if (count == 0 || count > MODEL_VOCABULARY_MAX)
        return error_set(error, STATUS_INVALID_REQUEST, "the model has a vocabulary of %u tokens",
                         (unsigned)count);
    vocabulary->count = count;
    vocabulary->offsets = alloc_get(alloc, (count + 1u) * sizeof(uint32_t));
    vocabulary->kinds = alloc_get(alloc, count);
    vocabulary->by_byte = alloc_get(alloc, count * sizeof(uint32_t));
    vocabulary->ends = alloc_get(alloc, count * sizeof(uint32_t));
    if (vocabulary->offsets == NULL || vocabulary->kinds == NULL || vocabulary->by_byte == NULL ||
        vocabulary->ends == NULL) {
        model_vocabulary_release(vocabulary);
        return vocabulary_no_memory(error);
    }
    vocabulary->offsets[0] = 0;
    return STATUS_OK;
}

void model_vocabulary_add(struct model_vocabulary *vocabulary, enum model_token_kind kind,
                          struct str bytes)
{
    if (vocabulary->added == vocabulary->count)
        return;
    uint32_t token = vocabulary->added++;
    if (kind == MODEL_TOKEN_TEXT && bytes.len == 0)
        kind = MODEL_TOKEN_RESERVED;
    vocabulary->kinds[token] = (uint8_t)kind;
    if (kind == MODEL_TOKEN_TEXT) {
        buffer_append_str(&vocabulary->bytes, bytes);
        if (bytes.len > vocabulary->bytes_longest)
            vocabulary->bytes_longest = (uint32_t)bytes.len;
    }
    if (kind == MODEL_TOKEN_END)
        vocabulary->ends[vocabulary->end_count++] = token;
    vocabulary->offsets[token + 1] = (uint32_t)vocabulary->bytes.len;
}

static unsigned vocabulary_first_byte(const struct model_vocabulary *vocabulary, uint32_t token)
{
    return (unsigned char)vocabulary->bytes.ptr[vocabulary->offsets[token]];
}

enum status model_vocabulary_finish(struct model_vocabulary *vocabulary, struct error *error)
{
    uint32_t next[256];
    uint32_t *first = vocabulary->by_byte_first;
    if (buffer_status(&vocabulary->bytes) != STATUS_OK)
        return vocabulary_no_memory(error);
    if (vocabulary->added != vocabulary->count)
        return error_set(error, STATUS_INTERNAL, "the vocabulary of the model is incomplete");
    memset(first, 0, sizeof(vocabulary->by_byte_first));
    for (uint32_t token = 0; token < vocabulary->count; token++)
        if (vocabulary->kinds[token] == MODEL_TOKEN_TEXT)
            first[vocabulary_first_byte(vocabulary, token) + 1]++;
    for (unsigned byte = 0; byte < 256; byte++) {
        first[byte + 1] += first[byte];
        next[byte] = first[byte];
    }
    for (uint32_t token = 0; token < vocabulary->count; token++)
        if (vocabulary->kinds[token] == MODEL_TOKEN_TEXT)
            vocabulary->by_byte[next[vocabulary_first_byte(vocabulary, token)]++] = token;
    return STATUS_OK;
}

void model_vocabulary_release(struct model_vocabulary *vocabulary)
{
    const struct alloc *alloc = vocabulary->alloc;
    size_t count = vocabulary->count;
    if (alloc == NULL)
        return;
    buffer_release(&vocabulary->bytes);
    alloc_free(alloc, vocabulary->offsets, (count + 1) * sizeof(uint32_t));
    alloc_free(alloc, vocabulary->kinds, count);
    alloc_free(alloc, vocabulary->by_byte, count * sizeof(uint32_t));
    alloc_free(alloc, vocabulary->ends, count * sizeof(uint32_t));
    *vocabulary = (struct model_vocabulary){ .alloc = NULL };
}

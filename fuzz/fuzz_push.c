/* fuzz_push.c - schema, instance and how it is cut: judging it while it arrives and judging it
 * whole agree, and it is never certainly invalid when it is valid.
 *
 * The first byte is the size of the chunks; a NUL ends the schema; the rest is the instance.
 */
#include "base/features.h"

#include <stdint.h>
#include <stdlib.h>

#include "schema/compile.h"
#include "schema/push.h"
#include "schema/validate.h"

enum verdict { VERDICT_NONE, VERDICT_VALID, VERDICT_INVALID };

/* NONE: no JSON, or beyond a limit. */
static enum verdict verdict_whole(const struct schema_program *program, struct str text)
{
    struct json_doc *doc = NULL;
    bool valid = false;
    if (json_parse(text, NULL, alloc_default(), &doc, NULL) != STATUS_OK)
        return VERDICT_NONE;
    enum status status =
        schema_is_valid(program, json_doc_root(doc), 0, alloc_default(), &valid, NULL);
    json_doc_free(doc);
    return status != STATUS_OK ? VERDICT_NONE : valid ? VERDICT_VALID : VERDICT_INVALID;
}

static enum verdict verdict_pushed(const struct schema_program *program, struct str text,
                                   size_t chunk, bool *out_certain)
{
    struct schema_push *push = NULL;
    struct json_doc *doc = NULL;
    bool valid = false;
    bool invalid = false;
    enum status status = schema_push_new(program, NULL, 0, alloc_default(), &push);
    for (size_t at = 0; at < text.len && status == STATUS_OK; at += chunk) {
        size_t left = text.len - at;
        status = schema_push_feed(push, str_of(text.ptr + at, left < chunk ? left : chunk),
                                  &invalid, NULL);
    }
    *out_certain = invalid;
    if (status == STATUS_OK)
        status = schema_push_finish(push, &valid, &doc, NULL);
    json_doc_free(doc);
    schema_push_free(push);
    return status != STATUS_OK ? VERDICT_NONE : valid ? VERDICT_VALID : VERDICT_INVALID;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct schema_options options = { .unknown_keywords = SCHEMA_UNKNOWN_ALLOW,
                                            .format_asserts = true };
    struct schema_program *program = NULL;
    if (size < 2)
        return 0;
    const char *text = (const char *)data + 1;
    const char *end = memchr(text, '\0', size - 1);
    if (end == NULL)
        return 0;
    struct str schema = str_of(text, (size_t)(end - text));
    struct str instance = str_of(end + 1, size - 2 - schema.len);
    if (schema_compile_text(schema, &options, alloc_default(), &program, NULL) != STATUS_OK)
        return 0;
    bool certain = false;
    enum verdict whole = verdict_whole(program, instance);
    enum verdict pushed = verdict_pushed(program, instance, (size_t)data[0] % 9 + 1, &certain);
    if (whole != pushed || (certain && whole == VERDICT_VALID))
        abort();
    schema_program_free(program);
    return 0;
}

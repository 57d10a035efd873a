/* fuzz_schema.c - laws of schemas for any bytes: schema text, a NUL or a line end, instance text.
 * Compiling ends with a program or a reason with a place; judging ends within the budget; the
 * verdict with reasons is the verdict without; an invalid instance has a reason with a pointer that
 * leads to a value; the same question gets the same answer.
 */
#include "base/features.h"

#include <stdint.h>
#include <stdlib.h>

#include "schema/compile.h"
#include "schema/reason.h"
#include "schema/typescript.h"
#include "schema/validate.h"

enum { STEPS_MAX = 200000, TEXT_BYTES_MAX = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* assert may be compiled out. */
static void require(bool condition)
{
    if (!condition)
        abort();
}

static void require_places(const struct schema_violations *violations, struct json instance)
{
    for (uint32_t i = 0; i < violations->count; i++) {
        const struct schema_violation *violation = &violations->items[i];
        require(json_exists(json_pointer_get(instance, violation->pointer)));
        require(violation->message.len > 0 && violation->keyword.len > 0 && violation->line > 0);
    }
}

static void judge(const struct schema_program *program, struct json instance)
{
    struct arena arena;
    struct buffer text;
    struct schema_violations violations = { .arena = &arena };
    bool valid = false;
    bool again = false;
    arena_init(&arena, alloc_default(), 16 * TEXT_BYTES_MAX);
    buffer_init(&text, alloc_default(), TEXT_BYTES_MAX);
    enum status status =
        schema_is_valid(program, instance, STEPS_MAX, alloc_default(), &valid, NULL);
    require(status == STATUS_OK || status == STATUS_UNSUPPORTED);
    enum status second = schema_validate(program, instance, STEPS_MAX, alloc_default(), &again,
                                         &violations, NULL);
    require(status == second);
    if (status == STATUS_OK) {
        require(valid == again && valid == (violations.count == 0));
        require_places(&violations, instance);
        schema_write_reason(&violations, true, &text);
        require(buffer_status(&text) == STATUS_OK);
    }
    buffer_release(&text);
    arena_release(&arena);
}

static void describe(const struct schema_program *program)
{
    struct buffer text;
    buffer_init(&text, alloc_default(), TEXT_BYTES_MAX);
    schema_write_typescript(program, &text);
    require(buffer_status(&text) == STATUS_OK);
    buffer_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data;
    size_t split = 0;
    while (split < size && bytes[split] != '\0' && bytes[split] != '\n')
        split++;
    struct schema_options options = { .unknown_keywords = SCHEMA_UNKNOWN_ALLOW,
                                      .format_asserts = true };
    struct schema_program *program = NULL;
    struct json_doc *doc = NULL;
    struct error error;
    error_clear(&error);
    enum status status = schema_compile_text(str_of(bytes, split), &options, alloc_default(),
                                             &program, &error);
    if (status != STATUS_OK) {
        require(status == STATUS_INVALID_SCHEMA && error.message[0] != '\0' && error.line > 0);
        return 0;
    }
    describe(program);
    size_t begin = split < size ? split + 1 : split;
    if (json_parse(str_of(bytes + begin, size - begin), NULL, alloc_default(), &doc, NULL) ==
        STATUS_OK) {
        judge(program, json_doc_root(doc));
        json_doc_free(doc);
    }
    schema_program_free(program);
    return 0;
}

/* meta_check.c - a schema against a meta-schema of the caller's.
 *
 * Owns: the check that the `$schema` of the document asks for when it names a document of the
 * library. What the built-in meta-schemas say is checked keyword by keyword (rules.c), with better
 * messages. Invariant: not recursive, because the program that judges is a bare reference in the
 * default dialect.
 */
#include "base/features.h"

#include "base/limits.h"
#include "schema/compiler.h"
#include "schema/validate.h"

enum { META_TEXT_BYTES_MAX = 64 * 1024 };

/* A schema that refers to the meta-schema. NULL when the status says why. */
static struct schema_program *meta_program(struct compiler *compiler, struct json dialect)
{
    struct schema_program *program = NULL;
    struct buffer text;
    struct error error;
    const struct schema_options options = {
        .unknown_keywords = SCHEMA_UNKNOWN_ALLOW,
        .library = compiler->options->library,
        .formats = compiler->options->formats,
        .format_count = compiler->options->format_count,
    };
    buffer_init(&text, compiler->alloc, META_TEXT_BYTES_MAX);
    buffer_append_str(&text, STR("{\"$ref\":"));
    json_write(dialect, 0, &text);
    buffer_append_byte(&text, '}');
    error_clear(&error);
    enum status status = buffer_status(&text);
    if (status == STATUS_OK)
        status =
            schema_compile_text(buffer_view(&text), &options, compiler->alloc, &program, &error);
    buffer_release(&text);
    if (status == STATUS_NO_MEMORY)
        compile_no_memory(compiler);
    else if (status != STATUS_OK)
        compile_fail(compiler, dialect, "the meta-schema is not right: %s", error.message);
    return program;
}

static void meta_refuse(struct compiler *compiler, struct json root,
                        const struct schema_violations *violations)
{
    const struct schema_violation *first = &violations->items[0];
    struct json at = json_pointer_get(root, first->pointer);
    compile_fail(compiler, json_exists(at) ? at : root, "the meta-schema says: %.*s",
                 (int)first->message.len, first->message.ptr);
    if (first->hint.len > 0)
        compile_hint(compiler, "%.*s", (int)first->hint.len, first->hint.ptr);
}

static void meta_judge(struct compiler *compiler, const struct schema_program *program,
                       struct json root)
{
    struct arena arena;
    struct error error;
    struct schema_violations violations = { .arena = &arena, .count_max = 1 };
    bool valid = false;
    arena_init(&arena, compiler->alloc, LIMIT_SCHEMA_PROGRAM_BYTES);
    error_clear(&error);
    enum status status =
        schema_validate(program, root, 0, compiler->alloc, &valid, &violations, &error);
    if (status == STATUS_NO_MEMORY)
        compile_no_memory(compiler);
    else if (status != STATUS_OK)
        compile_fail(compiler, root, "the meta-schema cannot be applied: %s", error.message);
    else if (!valid)
        meta_refuse(compiler, root, &violations);
    arena_release(&arena);
}

void compile_check_meta(struct compiler *compiler, struct json root)
{
    enum schema_dialect built_in;
    if (compiler->status != STATUS_OK || json_type(root) != JSON_OBJECT)
        return;
    struct json dialect = json_get(root, STR("$schema"));
    if (!json_exists(dialect) || schema_dialect_from(json_string(dialect), &built_in))
        return;
    struct schema_program *program = meta_program(compiler, dialect);
    if (program != NULL)
        meta_judge(compiler, program, root);
    schema_program_free(program);
}

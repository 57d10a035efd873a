/* schema.c - schema handles: compiling a text once for many validations and calls. */
#include "base/features.h"

#include "api/api.h"

structure_schema_options *structure_schema_options_new(void)
{
    structure_schema_options *options = alloc_get(alloc_default(), sizeof(*options));
    if (options != NULL) {
        *options =
            (structure_schema_options){ .options = { .unknown_keywords = SCHEMA_UNKNOWN_ERROR,
                                                     .format_asserts = true } };
    }
    return options;
}

void structure_schema_options_free(structure_schema_options *options)
{
    alloc_free(alloc_default(), options, sizeof(*options));
}

void structure_schema_options_set_unknown_keywords(structure_schema_options *options,
                                                   enum structure_unknown policy)
{
    switch (policy) {
    case STRUCTURE_UNKNOWN_ERROR: options->options.unknown_keywords = SCHEMA_UNKNOWN_ERROR; break;
    case STRUCTURE_UNKNOWN_WARN: options->options.unknown_keywords = SCHEMA_UNKNOWN_WARN; break;
    case STRUCTURE_UNKNOWN_ALLOW: options->options.unknown_keywords = SCHEMA_UNKNOWN_ALLOW; break;
    }
}

void structure_schema_options_set_format_asserts(structure_schema_options *options, int asserts)
{
    options->options.format_asserts = asserts != 0;
}

void structure_schema_options_set_object_root(structure_schema_options *options, int required)
{
    options->options.object_root = required != 0;
}

void structure_schema_options_set_dialect(structure_schema_options *options, const char *uri)
{
    options->options.dialect = str_from(uri);
}

void structure_schema_options_set_warning(structure_schema_options *options,
                                          void (*warn)(void *state, const structure_error *warning),
                                          void *state)
{
    options->warn = warn;
    options->warn_state = state;
}

static void schema_on_warning(void *state, const struct error *warning)
{
    const structure_schema_options *options = state;
    structure_error handle = { *warning };
    options->warn(options->warn_state, &handle);
}

enum structure_kind structure_schema_new(const char *text, size_t len,
                                         const structure_schema_options *options,
                                         const struct structure_allocator *allocator,
                                         structure_schema **out_schema, structure_error **out_error)
{
    struct error error = { 0 };
    struct alloc alloc = api_alloc(allocator);
    structure_schema_options copy = { .options = { .unknown_keywords = SCHEMA_UNKNOWN_ERROR,
                                                   .format_asserts = true } };
    structure_schema *schema = alloc_get(&alloc, sizeof(*schema));
    if (schema == NULL)
        return api_fail(STATUS_NO_MEMORY, &error, out_error);
    if (options != NULL)
        copy = *options;
    if (copy.warn != NULL) {
        copy.options.warn = schema_on_warning;
        copy.options.warn_state = &copy;
    }
    *schema = (structure_schema){ .alloc = alloc };
    enum status status = schema_compile_text(api_text(text, len), &copy.options, &schema->alloc,
                                             &schema->program, &error);
    if (status != STATUS_OK) {
        alloc_free(&alloc, schema, sizeof(*schema));
        return api_fail(status, &error, out_error);
    }
    *out_schema = schema;
    return STRUCTURE_OK;
}

void structure_schema_free(structure_schema *schema)
{
    if (schema == NULL)
        return;
    struct alloc alloc = schema->alloc;
    schema_program_free(schema->program);
    alloc_free(&alloc, schema, sizeof(*schema));
}

/* schema.c - schema handles: compiling once for many validations and calls, in many threads.
 *
 * Invariant: a schema borrows nothing from the options that it was compiled with.
 */
#include "base/features.h"

#include "api/api.h"

enum { SCHEMA_FORMAT_NAMES_MAX = 1024 * 1024, SCHEMA_FORMATS_MIN = 4 };

static const structure_schema_options schema_defaults = {
    .options = { .unknown_keywords = SCHEMA_UNKNOWN_ERROR, .format_asserts = true }
};

/* ---- options --------------------------------------------------------------------------------- */

structure_schema_options *structure_schema_options_new(void)
{
    structure_schema_options *options = alloc_get(alloc_default(), sizeof(*options));
    if (options != NULL) {
        *options = schema_defaults;
        buffer_init(&options->format_names, alloc_default(), SCHEMA_FORMAT_NAMES_MAX);
    }
    return options;
}

void structure_schema_options_free(structure_schema_options *options)
{
    if (options == NULL)
        return;
    buffer_release(&options->format_names);
    alloc_free(alloc_default(), options->formats,
               options->format_capacity * sizeof(*options->formats));
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

void structure_schema_options_set_resources(structure_schema_options *options,
                                            const structure_resources *resources)
{
    options->options.library = resources == NULL ? NULL : resources->library;
}

enum structure_kind
structure_schema_options_add_format(structure_schema_options *options, const char *name,
                                    int (*matches)(void *state, const char *text, size_t len),
                                    void *state)
{
    if (options->format_count == options->format_capacity) {
        uint32_t capacity =
            options->format_capacity == 0 ? SCHEMA_FORMATS_MIN : options->format_capacity * 2;
        struct api_format *grown =
            alloc_grow(alloc_default(), options->formats, options->format_capacity * sizeof(*grown),
                       capacity * sizeof(*grown));
        if (grown == NULL)
            return STRUCTURE_INTERNAL;
        options->formats = grown;
        options->format_capacity = capacity;
    }
    size_t begin = options->format_names.len;
    buffer_append(&options->format_names, name, strlen(name) + 1);
    if (buffer_status(&options->format_names) != STATUS_OK)
        return STRUCTURE_INTERNAL;
    options->formats[options->format_count++] = (struct api_format){ matches, state, begin };
    return STRUCTURE_OK;
}

/* ---- compiling ------------------------------------------------------------------------------- */

static void schema_on_warning(void *state, const struct error *warning)
{
    const structure_schema_options *options = state;
    structure_error handle = { *warning };
    options->warn(options->warn_state, &handle);
}

static bool schema_on_format(void *state, struct str text)
{
    const struct api_format *format = state;
    return format->matches(format->state, text.ptr, text.len) != 0;
}

/* Copies the formats, which the program will call, into the schema, and lists them, the last one of
 * a name first, in a block of format_count rows for the compiler. */
static enum status schema_take_formats(structure_schema *schema,
                                       const structure_schema_options *options,
                                       struct schema_custom_format **out_list)
{
    uint32_t count = options->format_count;
    *out_list = NULL;
    if (count == 0)
        return STATUS_OK;
    schema->format_count = count;
    schema->formats = alloc_get(&schema->alloc, count * sizeof(*schema->formats));
    struct schema_custom_format *list = alloc_get(&schema->alloc, count * sizeof(*list));
    *out_list = list;
    if (schema->formats == NULL || list == NULL)
        return STATUS_NO_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        struct api_format *format = &schema->formats[i];
        *format = options->formats[count - 1 - i];
        list[i] = (struct schema_custom_format){ .name = str_from(options->format_names.ptr +
                                                                  format->name_at),
                                                 .matches = schema_on_format,
                                                 .state = format };
    }
    return STATUS_OK;
}

/* From document when there is one, else from text. */
static enum status schema_make(structure_schema *schema, structure_document *document,
                               struct str text, const structure_schema_options *options,
                               struct error *error)
{
    structure_schema_options copy = options == NULL ? schema_defaults : *options;
    struct schema_custom_format *formats = NULL;
    enum status status = schema_take_formats(schema, &copy, &formats);
    if (copy.warn != NULL) {
        copy.options.warn = schema_on_warning;
        copy.options.warn_state = &copy;
    }
    copy.options.formats = formats;
    copy.options.format_count = copy.format_count;
    if (status == STATUS_OK && document != NULL)
        status =
            schema_compile(document->doc, &copy.options, &schema->alloc, &schema->program, error);
    else if (status == STATUS_OK)
        status = schema_compile_text(text, &copy.options, &schema->alloc, &schema->program, error);
    alloc_free(&schema->alloc, formats, copy.format_count * sizeof(*formats));
    return status;
}

static enum structure_kind schema_new(structure_document *document, struct str text,
                                      const structure_schema_options *options,
                                      const struct structure_allocator *allocator,
                                      structure_schema **out_schema, structure_error **out_error)
{
    struct error error = { 0 };
    struct alloc alloc = api_alloc(allocator);
    structure_schema *schema = alloc_get(&alloc, sizeof(*schema));
    if (schema == NULL)
        return api_fail(STATUS_NO_MEMORY, &error, out_error);
    *schema = (structure_schema){ .alloc = alloc };
    enum status status = schema_make(schema, document, text, options, &error);
    if (status != STATUS_OK) {
        structure_schema_free(schema);
        return api_fail(status, &error, out_error);
    }
    *out_schema = schema;
    return STRUCTURE_OK;
}

enum structure_kind structure_schema_new(const char *text, size_t len,
                                         const structure_schema_options *options,
                                         const struct structure_allocator *allocator,
                                         structure_schema **out_schema, structure_error **out_error)
{
    return schema_new(NULL, api_text(text, len), options, allocator, out_schema, out_error);
}

enum structure_kind structure_schema_from_document(structure_document *document,
                                                   const structure_schema_options *options,
                                                   const struct structure_allocator *allocator,
                                                   structure_schema **out_schema,
                                                   structure_error **out_error)
{
    enum structure_kind kind =
        schema_new(document, STR(""), options, allocator, out_schema, out_error);
    if (kind == STRUCTURE_OK) {
        document->doc = NULL; /* the program's now */
        structure_document_free(document);
    }
    return kind;
}

void structure_schema_free(structure_schema *schema)
{
    if (schema == NULL)
        return;
    struct alloc alloc = schema->alloc;
    schema_program_free(schema->program);
    alloc_free(&alloc, schema->formats, schema->format_count * sizeof(*schema->formats));
    alloc_free(&alloc, schema, sizeof(*schema));
}

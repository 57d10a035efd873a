/* document.c - documents, and the options with which instances are read and judged. */
#include "base/features.h"

#include "api/api.h"
#include "base/limits.h"

static const struct structure_validate_options document_defaults = { .json = JSON_OPTIONS_DEFAULT };

const struct structure_validate_options *
api_validate_options(const struct structure_validate_options *options)
{
    return options == NULL ? &document_defaults : options;
}

structure_validate_options *structure_validate_options_new(void)
{
    structure_validate_options *options = alloc_get(alloc_default(), sizeof(*options));
    if (options != NULL)
        *options = document_defaults;
    return options;
}

void structure_validate_options_free(structure_validate_options *options)
{
    alloc_free(alloc_default(), options, sizeof(*options));
}

void structure_validate_options_set_bytes_max(structure_validate_options *options, size_t bytes)
{
    options->json.bytes_max = bytes;
}

void structure_validate_options_set_depth_max(structure_validate_options *options, uint32_t depth)
{
    options->json.depth_max = depth;
}

void structure_validate_options_set_values_max(structure_validate_options *options, uint32_t values)
{
    options->json.nodes_max = values;
}

void structure_validate_options_set_digits_max(structure_validate_options *options, uint32_t digits)
{
    options->json.digits_max = digits;
}

void structure_validate_options_set_steps_max(structure_validate_options *options, uint64_t steps)
{
    options->steps_max = steps;
}

void structure_validate_options_set_violations_max(structure_validate_options *options,
                                                   uint32_t violations)
{
    options->violations_max = violations;
}

void structure_validate_options_set_last_duplicate(structure_validate_options *options, int last)
{
    options->json.duplicates = last != 0 ? JSON_DUPLICATES_LAST : JSON_DUPLICATES_REFUSE;
}

enum structure_kind structure_document_new(const char *text, size_t len,
                                           const structure_validate_options *options,
                                           const struct structure_allocator *allocator,
                                           structure_document **out_document,
                                           structure_error **out_error)
{
    struct error error = { 0 };
    struct alloc alloc = api_alloc(allocator);
    structure_document *document = alloc_get(&alloc, sizeof(*document));
    if (document == NULL)
        return api_fail(STATUS_NO_MEMORY, &error, out_error);
    *document = (structure_document){ .alloc = alloc };
    enum status status = json_parse(api_text(text, len), &api_validate_options(options)->json,
                                    &document->alloc, &document->doc, &error);
    if (status != STATUS_OK) {
        structure_document_free(document);
        return api_fail(status, &error, out_error);
    }
    *out_document = document;
    return STRUCTURE_OK;
}

void structure_document_free(structure_document *document)
{
    if (document == NULL)
        return;
    struct alloc alloc = document->alloc;
    json_doc_free(document->doc);
    alloc_free(&alloc, document, sizeof(*document));
}

/* validate.c - verdicts and reports on texts and documents.
 *
 * Everything that one call takes comes from the allocator of the schema.
 */
#include "base/features.h"

#include "api/api.h"

static enum status validate_parse(const structure_schema *schema, const char *text, size_t len,
                                  const struct structure_validate_options *options,
                                  struct json_doc **out_doc, struct error *error)
{
    return json_parse(api_text(text, len), &options->json, &schema->alloc, out_doc, error);
}

static enum status validate_verdict(const structure_schema *schema, const struct json_doc *doc,
                                    const struct structure_validate_options *options,
                                    int *out_valid, struct error *error)
{
    bool is_valid = false;
    enum status status = schema_is_valid(schema->program, json_doc_root(doc), options->steps_max,
                                         &schema->alloc, &is_valid, error);
    if (status == STATUS_OK)
        *out_valid = is_valid ? 1 : 0;
    return status;
}

enum structure_kind structure_is_valid(const structure_schema *schema, const char *text, size_t len,
                                       const structure_validate_options *options, int *out_valid,
                                       structure_error **out_error)
{
    struct error error = { 0 };
    struct json_doc *doc = NULL;
    options = api_validate_options(options);
    enum status status = validate_parse(schema, text, len, options, &doc, &error);
    if (status == STATUS_OK)
        status = validate_verdict(schema, doc, options, out_valid, &error);
    json_doc_free(doc);
    return status == STATUS_OK ? STRUCTURE_OK : api_fail(status, &error, out_error);
}

enum structure_kind structure_document_is_valid(const structure_schema *schema,
                                                const structure_document *document,
                                                const structure_validate_options *options,
                                                int *out_valid, structure_error **out_error)
{
    struct error error = { 0 };
    enum status status =
        validate_verdict(schema, document->doc, api_validate_options(options), out_valid, &error);
    return status == STATUS_OK ? STRUCTURE_OK : api_fail(status, &error, out_error);
}

enum structure_kind structure_validate(const structure_schema *schema, const char *text, size_t len,
                                       uint32_t violations_max, structure_report **out_report,
                                       structure_error **out_error)
{
    struct error error = { 0 };
    struct json_doc *doc = NULL;
    struct structure_validate_options options = *api_validate_options(NULL);
    options.violations_max = violations_max;
    enum status status = validate_parse(schema, text, len, &options, &doc, &error);
    if (status == STATUS_OK)
        status =
            api_report(schema, json_doc_root(doc), &options, &schema->alloc, out_report, &error);
    json_doc_free(doc);
    return status == STATUS_OK ? STRUCTURE_OK : api_fail(status, &error, out_error);
}

enum structure_kind structure_document_validate(const structure_schema *schema,
                                                const structure_document *document,
                                                const structure_validate_options *options,
                                                structure_report **out_report,
                                                structure_error **out_error)
{
    struct error error = { 0 };
    enum status status =
        api_report(schema, json_doc_root(document->doc), api_validate_options(options),
                   &schema->alloc, out_report, &error);
    return status == STATUS_OK ? STRUCTURE_OK : api_fail(status, &error, out_error);
}

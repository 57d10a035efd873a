/* stream.c - streams: texts that are judged while they arrive. */
#include "base/features.h"

#include "api/api.h"
#include "schema/push.h"

struct structure_stream {
    struct alloc alloc;
    const structure_schema *schema;
    struct structure_validate_options options;
    struct schema_push *push;
};

enum structure_kind structure_stream_new(const structure_schema *schema,
                                         const structure_validate_options *options,
                                         const struct structure_allocator *allocator,
                                         structure_stream **out_stream, structure_error **out_error)
{
    struct error error = { 0 };
    struct alloc alloc = api_alloc(allocator);
    structure_stream *stream = alloc_get(&alloc, sizeof(*stream));
    if (stream == NULL)
        return api_fail(STATUS_NO_MEMORY, &error, out_error);
    *stream = (structure_stream){ .alloc = alloc,
                                  .schema = schema,
                                  .options = *api_validate_options(options) };
    enum status status = schema_push_new(schema->program, &stream->options.json,
                                         stream->options.steps_max, &stream->alloc, &stream->push);
    if (status != STATUS_OK) {
        structure_stream_free(stream);
        return api_fail(status, &error, out_error);
    }
    *out_stream = stream;
    return STRUCTURE_OK;
}

void structure_stream_free(structure_stream *stream)
{
    if (stream == NULL)
        return;
    struct alloc alloc = stream->alloc;
    schema_push_free(stream->push);
    alloc_free(&alloc, stream, sizeof(*stream));
}

enum structure_kind structure_stream_feed(structure_stream *stream, const char *bytes, size_t len,
                                          int *out_invalid, structure_error **out_error)
{
    struct error error = { 0 };
    bool is_invalid = false;
    enum status status = schema_push_feed(stream->push, api_text(bytes, len), &is_invalid, &error);
    if (status != STATUS_OK)
        return api_fail(status, &error, out_error);
    *out_invalid = is_invalid ? 1 : 0;
    return STRUCTURE_OK;
}

const char *structure_stream_pointer(const structure_stream *stream)
{
    struct str pointer = schema_push_pointer(stream->push);
    return pointer.len == 0 ? "" : pointer.ptr;
}

enum structure_kind structure_stream_finish(structure_stream *stream, structure_report **out_report,
                                            structure_error **out_error)
{
    static const struct schema_violations none = { .count = 0 };
    struct error error = { 0 };
    struct json_doc *doc = NULL;
    bool is_valid = false;
    enum status status = schema_push_finish(stream->push, &is_valid, &doc, &error);
    if (status == STATUS_OK && is_valid)
        status = api_report_new(true, &none, &stream->alloc, out_report);
    else if (status == STATUS_OK)
        status = api_report(stream->schema, json_doc_root(doc), &stream->options, &stream->alloc,
                            out_report, &error);
    json_doc_free(doc);
    return status == STATUS_OK ? STRUCTURE_OK : api_fail(status, &error, out_error);
}

/* output.c - the specification's output forms, and annotations one by one. */
#include "base/features.h"

#include "api/api.h"
#include "schema/output.h"

enum { OUTPUT_BYTES_MAX = 1024 * 1024 * 1024, ANNOTATION_BYTES_MAX = 64 * 1024 * 1024 };

struct structure_annotations {
    struct alloc alloc;
    struct schema_trace *trace;
    struct schema_annotations *walk;
    struct buffer texts; /* of the annotation stepped to, each NUL-terminated */
    size_t at[4];        /* where each begins */
};

static enum schema_output_form output_form(enum structure_output form)
{
    switch (form) {
    case STRUCTURE_OUTPUT_FLAG: return SCHEMA_OUTPUT_FLAG;
    case STRUCTURE_OUTPUT_BASIC: return SCHEMA_OUTPUT_BASIC;
    case STRUCTURE_OUTPUT_DETAILED: return SCHEMA_OUTPUT_DETAILED;
    case STRUCTURE_OUTPUT_VERBOSE: return SCHEMA_OUTPUT_VERBOSE;
    case STRUCTURE_OUTPUT_LIST: return SCHEMA_OUTPUT_LIST;
    case STRUCTURE_OUTPUT_HIERARCHICAL: return SCHEMA_OUTPUT_HIERARCHICAL;
    }
    return SCHEMA_OUTPUT_FLAG;
}

enum structure_kind
structure_document_output(const structure_schema *schema, const structure_document *document,
                          enum structure_output form, unsigned indent,
                          const structure_validate_options *options,
                          void (*write)(void *state, const char *text, size_t len), void *state,
                          int *out_valid, structure_error **out_error)
{
    struct error error = { 0 };
    struct buffer text;
    bool is_valid = false;
    buffer_init(&text, &schema->alloc, OUTPUT_BYTES_MAX);
    enum status status = schema_output(
        schema->program, json_doc_root(document->doc), output_form(form), indent,
        api_validate_options(options)->steps_max, &schema->alloc, &text, &is_valid, &error);
    if (status == STATUS_OK) {
        write(state, text.ptr, text.len);
        if (out_valid != NULL)
            *out_valid = is_valid ? 1 : 0;
    }
    buffer_release(&text);
    return status == STATUS_OK ? STRUCTURE_OK : api_fail(status, &error, out_error);
}

struct output_place {
    char *buffer;
    size_t size;
    size_t len;
};

static void output_fill(void *state, const char *text, size_t len)
{
    struct output_place *place = state;
    place->len = len;
    if (place->size == 0)
        return;
    size_t count = len < place->size ? len : place->size - 1;
    memcpy(place->buffer, text, count);
    place->buffer[count] = '\0';
}

enum structure_kind structure_document_output_text(const structure_schema *schema,
                                                   const structure_document *document,
                                                   enum structure_output form, unsigned indent,
                                                   const structure_validate_options *options,
                                                   char *buffer, size_t size, size_t *out_len,
                                                   structure_error **out_error)
{
    struct output_place place = { buffer, size, 0 };
    enum structure_kind kind = structure_document_output(schema, document, form, indent, options,
                                                         output_fill, &place, NULL, out_error);
    if (kind == STRUCTURE_OK)
        *out_len = place.len;
    return kind;
}

/* ---- annotations ----------------------------------------------------------------------------- */

enum structure_kind structure_annotations_new(const structure_schema *schema,
                                              const structure_document *document,
                                              const structure_validate_options *options,
                                              structure_annotations **out_annotations,
                                              structure_error **out_error)
{
    struct error error = { 0 };
    structure_annotations *made = alloc_get(&schema->alloc, sizeof(*made));
    if (made == NULL)
        return api_fail(STATUS_NO_MEMORY, &error, out_error);
    *made = (structure_annotations){ .alloc = schema->alloc };
    buffer_init(&made->texts, &made->alloc, ANNOTATION_BYTES_MAX);
    enum status status = schema_trace_new(schema->program, json_doc_root(document->doc),
                                          api_validate_options(options)->steps_max, &made->alloc,
                                          &made->trace, &error);
    if (status == STATUS_OK)
        status = schema_annotations_new(made->trace, &made->walk);
    if (status != STATUS_OK) {
        structure_annotations_free(made);
        return api_fail(status, &error, out_error);
    }
    *out_annotations = made;
    return STRUCTURE_OK;
}

void structure_annotations_free(structure_annotations *annotations)
{
    if (annotations == NULL)
        return;
    struct alloc alloc = annotations->alloc;
    schema_annotations_free(annotations->walk);
    schema_trace_free(annotations->trace);
    buffer_release(&annotations->texts);
    alloc_free(&alloc, annotations, sizeof(*annotations));
}

int structure_annotations_next(structure_annotations *annotations)
{
    struct schema_annotation annotation;
    enum status status = STATUS_OK;
    if (!schema_annotations_next(annotations->walk, &annotation, &status))
        return status == STATUS_OK ? 0 : -1;
    const struct str texts[4] = { annotation.instance_location, annotation.schema_location,
                                  annotation.keyword, annotation.value };
    buffer_clear(&annotations->texts);
    for (size_t i = 0; i < 4; i++) {
        annotations->at[i] = annotations->texts.len;
        buffer_append_str(&annotations->texts, texts[i]);
        buffer_append_byte(&annotations->texts, '\0');
    }
    return buffer_status(&annotations->texts) == STATUS_OK ? 1 : -1;
}

const char *structure_annotations_instance_pointer(const structure_annotations *annotations)
{
    return annotations->texts.ptr + annotations->at[0];
}

const char *structure_annotations_schema_location(const structure_annotations *annotations)
{
    return annotations->texts.ptr + annotations->at[1];
}

const char *structure_annotations_keyword(const structure_annotations *annotations)
{
    return annotations->texts.ptr + annotations->at[2];
}

const char *structure_annotations_value(const structure_annotations *annotations)
{
    return annotations->texts.ptr + annotations->at[3];
}

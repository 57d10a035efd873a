/* resources.c - the documents that references of schemas may reach. */
#include "base/features.h"

#include "api/api.h"

structure_resources *structure_resources_new(const struct structure_allocator *allocator)
{
    struct alloc alloc = api_alloc(allocator);
    structure_resources *resources = alloc_get(&alloc, sizeof(*resources));
    if (resources == NULL)
        return NULL;
    *resources = (structure_resources){ .alloc = alloc };
    if (schema_library_new(&resources->alloc, &resources->library) != STATUS_OK) {
        structure_resources_free(resources);
        return NULL;
    }
    return resources;
}

void structure_resources_free(structure_resources *resources)
{
    if (resources == NULL)
        return;
    struct alloc alloc = resources->alloc;
    schema_library_unref(resources->library);
    alloc_free(&alloc, resources, sizeof(*resources));
}

enum structure_kind structure_resources_add(structure_resources *resources, const char *uri,
                                            structure_document *document,
                                            structure_error **out_error)
{
    struct error error = { 0 };
    enum status status =
        schema_library_add(resources->library, str_from(uri), document->doc, &error);
    if (status != STATUS_OK)
        return api_fail(status, &error, out_error);
    document->doc = NULL; /* the library's now */
    structure_document_free(document);
    return STRUCTURE_OK;
}

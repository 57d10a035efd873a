/* library.c - the documents that references of a schema may reach by URI. See library.h.
 *
 * Owns: the registered documents. Leaves to others: their parts (library_parts.c), and what they
 * mean (resource.c).
 */
#include "base/features.h"

#include "schema/library.h"

#include <stdatomic.h>

#include "base/limits.h"
#include "schema/format_parts.h"
#include "schema/library_parts.h"
#include "schema/uri.h"

struct schema_library {
    atomic_uint references;
    struct alloc alloc;
    struct vector documents; /* struct json_doc * */
    struct library_parts parts;
};

enum status schema_library_new(const struct alloc *alloc, struct schema_library **out_library)
{
    struct schema_library *library = alloc_get(alloc, sizeof(*library));
    if (library == NULL)
        return STATUS_NO_MEMORY;
    memset(library, 0, sizeof(*library));
    atomic_init(&library->references, 1);
    library->alloc = *alloc;
    library->documents.item_size = sizeof(struct json_doc *);
    library_parts_init(&library->parts, &library->alloc);
    *out_library = library;
    return STATUS_OK;
}

struct schema_library *schema_library_ref(struct schema_library *library)
{
    if (library != NULL)
        (void)atomic_fetch_add_explicit(&library->references, 1, memory_order_relaxed);
    return library;
}

void schema_library_unref(struct schema_library *library)
{
    if (library == NULL ||
        atomic_fetch_sub_explicit(&library->references, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t i = 0; i < library->documents.count; i++)
        json_doc_free(*(struct json_doc **)vector_at(&library->documents, i));
    struct alloc alloc = library->alloc;
    vector_release(&library->documents, &alloc);
    library_parts_release(&library->parts);
    alloc_free(&alloc, library, sizeof(*library));
}

/* The document's own identifier, or no bytes. */
static struct str library_own_uri(const struct json_doc *document)
{
    struct json root = json_doc_root(document);
    if (json_type(root) != JSON_OBJECT)
        return str_of(NULL, 0);
    struct json id = json_get(root, STR("$id"));
    if (!json_exists(id))
        id = json_get(root, STR("id"));
    if (!json_exists(id) || json_type(id) != JSON_STRING)
        return str_of(NULL, 0);
    return json_string(id);
}

static enum status library_refuse(struct error *error, const char *message, const char *hint)
{
    (void)error_set(error, STATUS_INVALID_SCHEMA, "%s", message);
    error_hint(error, "%s", hint);
    return STATUS_INVALID_SCHEMA;
}

static enum status library_no_memory(struct error *error)
{
    return error_set(error, STATUS_NO_MEMORY, "out of memory");
}

enum status schema_library_add(struct schema_library *library, struct str uri,
                               struct json_doc *document, struct error *error)
{
    if (uri.len == 0)
        uri = library_own_uri(document);
    uri.len = schema_uri_fragment(uri);
    if (uri.len == 0)
        return library_refuse(error, "the document has no identifier",
                              "give it a \"$id\", or register it under a URI");
    if (!format_is_uri(uri, false, true))
        return library_refuse(error, "a document can be registered under an absolute URI only",
                              "for instance https://example.com/address.json");
    if (schema_library_find(library, uri) != NULL)
        return library_refuse(error, "two documents are registered under the same URI",
                              "register one of them under another URI");
    struct json_doc **slot = vector_push(&library->documents, &library->alloc);
    if (slot == NULL)
        return library_no_memory(error);
    *slot = document;
    if (library_parts_add(&library->parts, uri, document))
        return STATUS_OK;
    library->documents.count--;
    return library_no_memory(error);
}

const struct json_doc *schema_library_find(const struct schema_library *library, struct str uri)
{
    const struct library_part *part = library_find(library, uri, true);
    return part == NULL ? NULL : part->doc;
}

const struct library_part *library_find(const struct schema_library *library, struct str uri,
                                        bool documents_only)
{
    return library == NULL ? NULL : library_parts_find(&library->parts, uri, documents_only);
}

/* library.c - the documents that references of a schema may reach by URI. See library.h.
 *
 * Owns: the registered documents, in order; they are found by the hash of their URIs.
 */
#include "base/features.h"

#include "schema/library.h"

#include <stdatomic.h>

#include "base/arena.h"
#include "base/limits.h"
#include "schema/format_parts.h"
#include "schema/library_parts.h"
#include "schema/uri.h"

struct schema_library {
    atomic_uint references;
    struct alloc alloc;
    struct arena arena; /* URIs */
    struct library_document *documents;
    uint32_t count;
    uint32_t capacity;
};

enum { LIBRARY_DOCUMENTS_MIN = 16 };

enum status schema_library_new(const struct alloc *alloc, struct schema_library **out_library)
{
    struct schema_library *library = alloc_get(alloc, sizeof(*library));
    if (library == NULL)
        return STATUS_NO_MEMORY;
    memset(library, 0, sizeof(*library));
    atomic_init(&library->references, 1);
    library->alloc = *alloc;
    arena_init(&library->arena, &library->alloc, LIMIT_SCHEMA_PROGRAM_BYTES);
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
    for (uint32_t i = 0; i < library->count; i++)
        json_doc_free(library->documents[i].doc);
    struct alloc alloc = library->alloc;
    alloc_free(&alloc, library->documents, library->capacity * sizeof(*library->documents));
    arena_release(&library->arena);
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

static bool library_grow(struct schema_library *library)
{
    if (library->count < library->capacity)
        return true;
    uint32_t capacity = library->capacity == 0 ? LIBRARY_DOCUMENTS_MIN : library->capacity * 2;
    struct library_document *documents =
        alloc_grow(&library->alloc, library->documents, library->capacity * sizeof(*documents),
                   capacity * sizeof(*documents));
    if (documents == NULL)
        return false;
    library->documents = documents;
    library->capacity = capacity;
    return true;
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
    struct str copy = arena_copy(&library->arena, uri);
    if (copy.ptr == NULL || !library_grow(library))
        return library_no_memory(error);
    library->documents[library->count++] =
        (struct library_document){ copy, json_key_hash(copy), document };
    return STATUS_OK;
}

const struct json_doc *schema_library_find(const struct schema_library *library, struct str uri)
{
    uint32_t hash = json_key_hash(uri);
    for (uint32_t i = 0; i < library->count; i++)
        if (library->documents[i].hash == hash && str_equal(library->documents[i].uri, uri))
            return library->documents[i].doc;
    return NULL;
}

uint32_t library_count(const struct schema_library *library)
{
    return library == NULL ? 0 : library->count;
}

const struct library_document *library_at(const struct schema_library *library, uint32_t index)
{
    return &library->documents[index];
}

/* resource.c - documents and resources: `$schema`, `$id`, anchors.
 *
 * Owns: the tables of resources, of their URIs and of anchors; the look-up of documents in the
 * library and among the built-in meta-schemas, which are parsed when a reference reaches them;
 * which dialect and vocabularies a resource is read by. Leaves to others: references
 * (reference.c). Invariant: nothing is fetched.
 */
#include "base/features.h"

#include "base/limits.h"
#include "schema/compiler.h"
#include "schema/format_parts.h"
#include "schema/library_parts.h"
#include "schema/meta.h"
#include "schema/uri.h"

enum { RESOURCE_META_DEPTH_MAX = 4 /* meta-schemas of meta-schemas */ };

struct compile_resource *compile_resource_at(const struct compiler *compiler, uint32_t index)
{
    return vector_at(&compiler->resources, index);
}

struct str compile_absolute(struct compiler *compiler, struct str base, struct str text)
{
    struct buffer *out = &compiler->absolute;
    buffer_clear(out);
    schema_uri_resolve(base, text, out, &compiler->merged);
    if (buffer_status(out) == STATUS_NO_MEMORY ||
        buffer_status(&compiler->merged) == STATUS_NO_MEMORY)
        compile_no_memory(compiler);
    if (buffer_status(out) != STATUS_OK || buffer_status(&compiler->merged) != STATUS_OK)
        return str_of(NULL, 0);
    return buffer_view(out);
}

/* A copy of an identifier for as long as the compilation takes. */
static struct str resource_keep(struct compiler *compiler, struct str uri, struct json at)
{
    compiler->uri_bytes += uri.len;
    if (compiler->uri_bytes > LIMIT_SCHEMA_URIS_BYTES)
        compile_fail(compiler, at, "the identifiers are longer than %u bytes together",
                     LIMIT_SCHEMA_URIS_BYTES);
    struct str copy = { NULL, 0 };
    if (compiler->status == STATUS_OK)
        copy = arena_copy(&compiler->scratch, uri);
    if (copy.ptr == NULL)
        compile_no_memory(compiler);
    return copy;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static uint32_t resource_known(const struct compiler *compiler, struct str uri)
{
    uint32_t hash = json_key_hash(uri);
    uint32_t cursor = 0;
    for (;;) {
        uint32_t item = hash_index_next(&compiler->uri_index, hash, &cursor);
        if (item == SCHEMA_NONE)
            return SCHEMA_NONE;
        const struct compile_uri *row = vector_at(&compiler->uris, item);
        if (str_equal(row->text, uri))
            return row->resource;
    }
}

static void resource_add_uri(struct compiler *compiler, struct str uri, uint32_t resource)
{
    uint32_t item = compiler->uris.count;
    struct compile_uri *row = compile_push(compiler, &compiler->uris);
    if (row == NULL)
        return;
    *row = (struct compile_uri){ uri, resource };
    if (!hash_index_add(&compiler->uri_index, compiler->alloc, json_key_hash(uri), item))
        compile_no_memory(compiler);
}

uint32_t compile_add_resource(struct compiler *compiler, struct str uri, struct json root,
                              const struct schema_dialect_use *use)
{
    uint32_t index = compiler->resources.count;
    struct compile_resource *resource = compile_push(compiler, &compiler->resources);
    if (resource == NULL)
        return SCHEMA_NONE;
    *resource = (struct compile_resource){ uri, root, *use };
    if (uri.len > 0)
        resource_add_uri(compiler, uri, index);
    return compiler->status == STATUS_OK ? index : SCHEMA_NONE;
}

static uint32_t anchor_hash(uint32_t resource, struct str name)
{
    return json_key_hash(name) ^ resource * UINT32_C(0x9E3779B1);
}

const struct compile_anchor *compile_find_anchor(const struct compiler *compiler, uint32_t resource,
                                                 struct str name)
{
    uint32_t cursor = 0;
    for (;;) {
        uint32_t item =
            hash_index_next(&compiler->anchor_index, anchor_hash(resource, name), &cursor);
        if (item == SCHEMA_NONE)
            return NULL;
        const struct compile_anchor *anchor = vector_at(&compiler->anchors, item);
        if (anchor->resource == resource && str_equal(anchor->name, name))
            return anchor;
    }
}

/* 2019-09 takes a colon and no underscore at the beginning, 2020-12 the other way round. */
static bool anchor_is_plain_name(struct str name, enum schema_dialect dialect)
{
    for (size_t i = 0; i < name.len; i++) {
        char byte = name.ptr[i];
        bool inner = format_is_digit(byte) || byte == '-' || byte == '.' || byte == '_' ||
                     (byte == ':' && dialect == DIALECT_2019);
        bool first = format_is_letter(byte) || (byte == '_' && dialect != DIALECT_2019);
        if (!first && (i == 0 || !inner))
            return false;
    }
    return name.len > 0;
}

void compile_add_anchor(struct compiler *compiler, const struct compile_anchor *anchor,
                        struct json at)
{
    const struct compile_anchor *other =
        compile_find_anchor(compiler, anchor->resource, anchor->name);
    bool is_recursive = anchor->name.ptr == NULL;
    if (!is_recursive && compiler->use.dialect >= DIALECT_2019 &&
        !anchor_is_plain_name(anchor->name, compiler->use.dialect))
        compile_fail(compiler, at, "an anchor must be a plain name, such as item-1");
    else if (other != NULL && other->schema.node != anchor->schema.node)
        compile_fail(compiler, at, "two schemas have the same anchor");
    uint32_t item = compiler->anchors.count;
    struct compile_anchor *added = compile_push(compiler, &compiler->anchors);
    if (added == NULL)
        return;
    *added = *anchor;
    if (!hash_index_add(&compiler->anchor_index, compiler->alloc,
                        anchor_hash(anchor->resource, anchor->name), item))
        compile_no_memory(compiler);
}

/* ---- documents ------------------------------------------------------------------------------- */

static uint32_t document_enter(struct compiler *compiler, struct str uri,
                               const struct json_doc *document)
{
    struct json root = json_doc_root(document);
    struct schema_dialect_use use = compiler->use_default;
    struct json dialect = { document, NULL };
    if (json_type(root) == JSON_OBJECT)
        dialect = json_get(root, STR("$schema"));
    if (json_exists(dialect) && !compile_read_dialect(compiler, dialect, &use))
        return SCHEMA_NONE;
    uint32_t resource = compile_add_resource(compiler, uri, root, &use);
    if (resource != SCHEMA_NONE)
        (void)compile_node_for(compiler, root, resource);
    return resource;
}

/* The built-in meta-schema of that URI, parsed; NULL when there is none. */
static const struct json_doc *document_built_in(struct compiler *compiler, struct str uri)
{
    for (size_t i = 0; i < meta_row_count; i++) {
        if (!str_equal(uri, str_from(meta_rows[i].uri)))
            continue;
        struct json_doc **slot = compile_push(compiler, &compiler->documents);
        if (slot == NULL)
            return NULL;
        if (json_parse(str_from(meta_rows[i].text), NULL, compiler->alloc, slot, NULL) == STATUS_OK)
            return *slot;
        compiler->documents.count--;
        compile_no_memory(compiler);
    }
    return NULL;
}

/* A document that is in the program already. */
static bool document_is_entered(const struct compiler *compiler, const struct json_doc *document)
{
    return compile_known_node(compiler, json_doc_root(document)) != SCHEMA_NONE;
}

uint32_t compile_find_resource(struct compiler *compiler, struct str uri, bool *out_loaded)
{
    const struct schema_library *library = compiler->options->library;
    *out_loaded = false;
    uint32_t known = resource_known(compiler, uri);
    if (known != SCHEMA_NONE || uri.len == 0)
        return known;
    const struct library_part *part = library_find(library, uri, true);
    const struct json_doc *document = part == NULL ? document_built_in(compiler, uri) : part->doc;
    if (document == NULL) {
        part = library_find(library, uri, false);
        document = part == NULL ? NULL : part->doc;
    }
    if (document == NULL || document_is_entered(compiler, document))
        return SCHEMA_NONE;
    if (part != NULL)
        uri = part->doc_uri;
    *out_loaded = true;
    return document_enter(compiler, resource_keep(compiler, uri, json_doc_root(document)),
                          document);
}

/* ---- dialects -------------------------------------------------------------------------------- */

static const struct json_doc *dialect_document(const struct compiler *compiler, struct str uri)
{
    uri.len = schema_uri_fragment(uri);
    const struct library_part *part = library_find(compiler->options->library, uri, true);
    return part == NULL ? NULL : part->doc;
}

/* The vocabularies that a meta-schema of the library names. */
static bool dialect_read_vocabularies(struct compiler *compiler, struct json meta, struct json at,
                                      struct schema_dialect_use *use)
{
    struct json vocabularies = json_get(meta, STR("$vocabulary"));
    if (!json_exists(vocabularies) || json_type(vocabularies) != JSON_OBJECT)
        return true;
    use->vocabularies = VOCABULARY_CORE;
    for (struct json v = json_first(vocabularies); json_exists(v); v = json_next(v, vocabularies)) {
        struct str uri = json_member_name(v);
        uint8_t bits = schema_vocabulary_from(uri, use->dialect);
        use->vocabularies |= bits;
        /* 2019-09 has one vocabulary for both meanings of "format". */
        if (use->dialect == DIALECT_2019 && json_type(v) == JSON_TRUE && bits == VOCABULARY_FORMAT)
            use->format_asserts = true;
        if (bits == 0 && json_type(v) == JSON_TRUE) {
            compile_fail(compiler, at, "the meta-schema requires an unknown vocabulary, %.*s",
                         (int)uri.len, uri.ptr);
            return false;
        }
    }
    if ((use->vocabularies & VOCABULARY_FORMAT_ASSERTION) != 0)
        use->format_asserts = true;
    return true;
}

static void dialect_refuse(struct compiler *compiler, struct json at)
{
    compile_fail(compiler, at, "\"$schema\" names a dialect that is not known");
    compile_hint(compiler, "known: %s; or register the meta-schema as a resource",
                 schema_dialect_list());
}

bool compile_read_dialect(struct compiler *compiler, struct json value,
                          struct schema_dialect_use *out_use)
{
    struct schema_dialect_use use = { DIALECT_2020, VOCABULARIES_ALL, false };
    struct json name = value;
    struct json metas[RESOURCE_META_DEPTH_MAX];
    unsigned depth = 0;
    if (json_type(value) != JSON_STRING) {
        compile_fail(compiler, value, "\"$schema\" must be a string");
        return false;
    }
    while (!schema_dialect_from(json_string(name), &use.dialect)) {
        const struct json_doc *document = dialect_document(compiler, json_string(name));
        if (document == NULL || depth == RESOURCE_META_DEPTH_MAX ||
            json_type(json_doc_root(document)) != JSON_OBJECT) {
            dialect_refuse(compiler, value);
            return false;
        }
        metas[depth++] = json_doc_root(document);
        name = json_get(metas[depth - 1], STR("$schema"));
        if (!json_exists(name) || json_type(name) != JSON_STRING)
            break; /* like the default dialect */
    }
    if (depth > 0 && !dialect_read_vocabularies(compiler, metas[0], value, &use))
        return false;
    *out_use = use;
    return true;
}

struct schema_dialect_use compile_use_of(struct compiler *compiler, struct json schema,
                                         uint32_t resource)
{
    const struct compile_resource *row = compile_resource_at(compiler, resource);
    struct schema_dialect_use use = row->use;
    if (row->root.node == schema.node)
        return use;
    struct json value = json_get(schema, STR("$schema"));
    if (!json_exists(value) || json_type(value) != JSON_STRING)
        return use;
    /* Only a resource of its own may have a dialect of its own. */
    struct json id = json_get(schema, STR("$id"));
    if (!json_exists(id))
        id = json_get(schema, STR("id"));
    if (!json_exists(id) || json_type(id) != JSON_STRING || json_string(id).len == 0 ||
        json_string(id).ptr[0] == '#') {
        compile_warn(compiler, value, "the part would need an identifier of its own",
                     "\"$schema\" has no effect here");
        return use;
    }
    (void)compile_read_dialect(compiler, value, &use);
    return use;
}

/* ---- $id ------------------------------------------------------------------------------------- */

static bool identifier_is_right(struct compiler *compiler, struct json id, struct str text,
                                struct str fragment)
{
    if (!format_is_uri(text, true, true)) {
        compile_fail(compiler, id, "an identifier must be a URI reference");
        return false;
    }
    if (fragment.len > 0 && compiler->use.dialect >= DIALECT_2019) {
        compile_fail(compiler, id, "an identifier must have no fragment");
        compile_hint(compiler, "\"$anchor\" names a place inside a resource");
        return false;
    }
    return true;
}

/* The root of a document has its resource already, perhaps under the URI of its registration. */
static uint32_t identifier_enter(struct compiler *compiler, uint32_t resource, struct json schema,
                                 struct json id, struct str plain)
{
    struct compile_resource *row = compile_resource_at(compiler, resource);
    bool is_root = row->root.node == schema.node;
    struct str uri = compile_absolute(compiler, row->uri, plain);
    if (uri.len == 0)
        compile_fail(compiler, id, "the identifier is longer than %u bytes",
                     LIMIT_SCHEMA_URI_BYTES);
    uint32_t other = resource_known(compiler, uri);
    if (other != SCHEMA_NONE && !(is_root && other == resource))
        compile_fail(compiler, id, "two schemas have the same identifier");
    uri = resource_keep(compiler, uri, id);
    if (compiler->status != STATUS_OK)
        return resource;
    if (!is_root) {
        uint32_t added = compile_add_resource(compiler, uri, schema, &compiler->use);
        return added == SCHEMA_NONE ? resource : added;
    }
    if (other == SCHEMA_NONE)
        resource_add_uri(compiler, uri, resource);
    row->uri = uri;
    return resource;
}

uint32_t compile_identify(struct compiler *compiler, uint32_t resource, struct json schema,
                          struct json id)
{
    struct str text = json_string(id);
    size_t hash = schema_uri_fragment(text);
    struct str fragment = format_from(text, hash < text.len ? hash + 1 : hash);
    struct str plain = str_of(text.ptr, hash);
    if (!identifier_is_right(compiler, id, text, fragment))
        return resource;
    if (plain.len > 0)
        resource = identifier_enter(compiler, resource, schema, id, plain);
    if (fragment.len > 0) {
        const struct compile_anchor anchor = { resource, false, fragment, schema };
        compile_add_anchor(compiler, &anchor, id);
    }
    return resource;
}

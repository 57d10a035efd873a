/* library_parts.c - see library_parts.h. One walk over the document with a stack of its own. */
#include "base/features.h"

#include "schema/library_parts.h"

#include "base/limits.h"
#include "schema/uri.h"

/* A container that is being walked. */
struct parts_step {
    struct json container;
    struct json child; /* the next one */
    struct str base;
};

struct parts_walk {
    struct library_parts *parts;
    const struct json_doc *doc;
    struct str doc_uri;
    struct vector stack; /* struct parts_step */
    struct buffer uri;
    struct buffer merged;
    bool failed;
};

void library_parts_init(struct library_parts *parts, const struct alloc *alloc)
{
    *parts = (struct library_parts){ .alloc = alloc };
    parts->rows.item_size = sizeof(struct library_part);
    arena_init(&parts->arena, alloc, LIMIT_SCHEMA_PROGRAM_BYTES);
}

void library_parts_release(struct library_parts *parts)
{
    hash_index_release(&parts->index, parts->alloc);
    vector_release(&parts->rows, parts->alloc);
    arena_release(&parts->arena);
}

const struct library_part *library_parts_find(const struct library_parts *parts, struct str uri,
                                              bool documents_only)
{
    uint32_t cursor = 0;
    uint32_t hash = json_key_hash(uri);
    for (;;) {
        uint32_t item = hash_index_next(&parts->index, hash, &cursor);
        if (item == UINT32_MAX)
            return NULL;
        if (item >= parts->rows.count)
            continue; /* taken back, but still in the index */
        const struct library_part *part = vector_at(&parts->rows, item);
        bool is_document = part->uri.ptr == part->doc_uri.ptr;
        if ((is_document || !documents_only) && str_equal(part->uri, uri))
            return part;
    }
}

/* Returns the copy that is kept. The first one is the document's. */
static struct str parts_list(struct parts_walk *walk, struct str uri)
{
    struct library_parts *parts = walk->parts;
    struct str copy = arena_copy(&parts->arena, uri);
    uint32_t item = parts->rows.count;
    struct library_part *row = copy.ptr == NULL ? NULL : vector_push(&parts->rows, parts->alloc);
    if (row == NULL || !hash_index_add(&parts->index, parts->alloc, json_key_hash(uri), item)) {
        walk->failed = true;
        return copy;
    }
    if (walk->doc_uri.ptr == NULL)
        walk->doc_uri = copy;
    *row = (struct library_part){ copy, walk->doc, walk->doc_uri };
    return copy;
}

static struct str parts_identifier(struct json object)
{
    struct json id = json_get(object, STR("$id"));
    if (!json_exists(id) || json_type(id) != JSON_STRING)
        id = json_get(object, STR("id"));
    if (!json_exists(id) || json_type(id) != JSON_STRING)
        return str_of(NULL, 0);
    struct str text = json_string(id);
    return str_of(text.ptr, schema_uri_fragment(text));
}

/* The base inside an object: its identifier, if it has one. */
static struct str parts_base(struct parts_walk *walk, struct json object, struct str base)
{
    struct str id = parts_identifier(object);
    if (id.len == 0)
        return base;
    buffer_clear(&walk->uri);
    schema_uri_resolve(base, id, &walk->uri, &walk->merged);
    walk->failed = walk->failed || buffer_status(&walk->uri) == STATUS_NO_MEMORY ||
                   buffer_status(&walk->merged) == STATUS_NO_MEMORY;
    /* One that is too long is the compiler's to refuse. */
    if (buffer_status(&walk->uri) != STATUS_OK || buffer_status(&walk->merged) != STATUS_OK)
        return base;
    return parts_list(walk, buffer_view(&walk->uri));
}

static void parts_enter(struct parts_walk *walk, struct json value, struct str base)
{
    if (json_count(value) == 0 || walk->failed)
        return;
    if (json_type(value) == JSON_OBJECT)
        base = parts_base(walk, value, base);
    struct parts_step *step = vector_push(&walk->stack, walk->parts->alloc);
    if (step == NULL)
        walk->failed = true;
    else
        *step = (struct parts_step){ value, json_first(value), base };
}

static void parts_walk(struct parts_walk *walk, struct str uri)
{
    parts_enter(walk, json_doc_root(walk->doc), parts_list(walk, uri));
    while (walk->stack.count > 0 && !walk->failed) {
        struct parts_step *step = vector_at(&walk->stack, walk->stack.count - 1);
        struct json child = step->child;
        if (!json_exists(child)) {
            walk->stack.count--;
            continue;
        }
        step->child = json_next(child, step->container);
        if (json_type(child) == JSON_OBJECT || json_type(child) == JSON_ARRAY)
            parts_enter(walk, child, step->base);
    }
}

bool library_parts_add(struct library_parts *parts, struct str uri, const struct json_doc *doc)
{
    struct parts_walk walk = { .parts = parts, .doc = doc };
    uint32_t count = parts->rows.count;
    walk.stack.item_size = sizeof(struct parts_step);
    buffer_init(&walk.uri, parts->alloc, LIMIT_SCHEMA_URI_BYTES);
    buffer_init(&walk.merged, parts->alloc, 2 * LIMIT_SCHEMA_URI_BYTES);
    parts_walk(&walk, uri);
    if (walk.failed)
        parts->rows.count = count;
    buffer_release(&walk.uri);
    buffer_release(&walk.merged);
    vector_release(&walk.stack, parts->alloc);
    return !walk.failed;
}

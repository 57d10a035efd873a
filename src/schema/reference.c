/* reference.c - `$id`, anchors and `$ref`: which schema of the document a reference names.
 *
 * Owns: the resolution of URI references (RFC 3986 section 5.2) and the tables of resources and
 * anchors. Leaves to others: loops of references (link.c). Invariant: nothing is fetched; a
 * reference that leads out of the document is a fault. Percent escapes are decoded once, in the
 * fragment only.
 */
#include "base/features.h"

#include "base/limits.h"
#include "schema/compiler.h"
#include "schema/format_parts.h"

enum { REFERENCE_URI_BYTES_MAX = 64 * 1024 };

/* Resources or anchors of one document: they are searched one after the other. */
enum { REFERENCE_TABLE_MAX = 1024 };

/* Members looked at while the pointers of all references of a document are followed. */
enum { REFERENCE_STEPS_MAX = 100 * 1000 * 1000 };

struct uri {
    struct str scheme;    /* with its colon, or no bytes */
    struct str authority; /* with its slashes, or no bytes */
    struct str path;
    struct str query; /* with its question mark, or no bytes */
};

/* ---- RFC 3986 section 5.2 -------------------------------------------------------------------- */

static struct str uri_take(struct str *text, size_t len)
{
    struct str head = str_of(text->ptr, len);
    *text = format_from(*text, len);
    return head;
}

static size_t uri_find(struct str text, const char *stops)
{
    size_t len = 0;
    while (len < text.len && (text.ptr[len] == '\0' || strchr(stops, text.ptr[len]) == NULL))
        len++;
    return len;
}

/* text has no fragment. */
static struct uri uri_split(struct str text)
{
    struct uri uri = { { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, { NULL, 0 } };
    size_t colon = uri_find(text, ":/?");
    if (colon > 0 && colon < text.len && text.ptr[colon] == ':' && format_is_letter(text.ptr[0]))
        uri.scheme = uri_take(&text, colon + 1);
    if (str_starts_with(text, STR("//")))
        uri.authority = uri_take(&text, 2 + uri_find(format_from(text, 2), "/?"));
    uri.path = uri_take(&text, uri_find(text, "?"));
    uri.query = text;
    return uri;
}

/* Removes the last segment of what out holds beyond begin. */
static void uri_pop_segment(struct buffer *out, size_t begin)
{
    size_t len = out->len;
    while (len > begin && out->ptr[len - 1] != '/')
        len--;
    buffer_truncate(out, len > begin ? len - 1 : begin);
}

/* RFC 3986 section 5.2.4. */
static void uri_append_path(struct buffer *out, struct str path)
{
    size_t begin = out->len;
    while (path.len > 0) {
        size_t len = uri_find(path.ptr[0] == '/' ? format_from(path, 1) : path, "/");
        if (path.ptr[0] == '/')
            len++;
        struct str segment = uri_take(&path, len);
        bool slash = segment.ptr[0] == '/';
        struct str name = slash ? format_from(segment, 1) : segment;
        if (str_equal(name, STR("."))) {
            if (path.len == 0 && slash)
                buffer_append_byte(out, '/');
        } else if (str_equal(name, STR(".."))) {
            uri_pop_segment(out, begin);
            if (path.len == 0 && slash)
                buffer_append_byte(out, '/');
        } else {
            buffer_append_str(out, segment);
        }
    }
}

static void uri_append_merged(struct buffer *out, const struct uri *base, struct str path,
                              struct buffer *merged)
{
    buffer_clear(merged);
    if (base->authority.len > 0 && base->path.len == 0) {
        buffer_append_byte(merged, '/');
    } else {
        size_t len = base->path.len;
        while (len > 0 && base->path.ptr[len - 1] != '/')
            len--;
        buffer_append(merged, base->path.ptr, len);
    }
    buffer_append_str(merged, path);
    uri_append_path(out, buffer_view(merged));
}

/* The reference (without fragment) against an absolute base, into out. */
static void uri_resolve(struct str base_text, struct str text, struct buffer *out,
                        struct buffer *merged)
{
    struct uri base = uri_split(base_text);
    struct uri uri = uri_split(text);
    if (uri.scheme.len > 0) {
        buffer_append_str(out, uri.scheme);
        buffer_append_str(out, uri.authority);
        uri_append_path(out, uri.path);
        buffer_append_str(out, uri.query);
        return;
    }
    buffer_append_str(out, base.scheme);
    if (uri.authority.len > 0) {
        buffer_append_str(out, uri.authority);
        uri_append_path(out, uri.path);
        buffer_append_str(out, uri.query);
        return;
    }
    buffer_append_str(out, base.authority);
    if (uri.path.len == 0) {
        buffer_append_str(out, base.path);
        buffer_append_str(out, uri.query.len > 0 ? uri.query : base.query);
        return;
    }
    if (uri.path.ptr[0] == '/')
        uri_append_path(out, uri.path);
    else
        uri_append_merged(out, &base, uri.path, merged);
    buffer_append_str(out, uri.query);
}

/* A resolved URI that lives as long as the compilation. */
static struct str reference_absolute(struct compiler *compiler, struct str base, struct str text)
{
    struct buffer out;
    struct buffer merged;
    buffer_init(&out, compiler->alloc, REFERENCE_URI_BYTES_MAX);
    buffer_init(&merged, compiler->alloc, REFERENCE_URI_BYTES_MAX);
    uri_resolve(base, text, &out, &merged);
    struct str uri = { NULL, 0 };
    if (buffer_status(&out) != STATUS_REJECTED && buffer_status(&merged) != STATUS_REJECTED)
        uri = arena_copy(&compiler->scratch, buffer_view(&out));
    if (buffer_status(&out) == STATUS_NO_MEMORY || buffer_status(&merged) == STATUS_NO_MEMORY ||
        (uri.ptr == NULL && buffer_status(&out) == STATUS_OK &&
         buffer_status(&merged) == STATUS_OK))
        compile_no_memory(compiler);
    buffer_release(&out);
    buffer_release(&merged);
    return uri;
}

/* ---- resources and anchors ------------------------------------------------------------------- */

static struct compile_resource *reference_resource(const struct compiler *compiler, uint32_t index)
{
    return vector_at(&compiler->resources, index);
}

/* The index of the resource with that URI, or SCHEMA_NONE. */
static uint32_t reference_find_resource(const struct compiler *compiler, struct str uri)
{
    for (uint32_t i = 0; i < compiler->resources.count; i++)
        if (str_equal(reference_resource(compiler, i)->uri, uri))
            return i;
    return SCHEMA_NONE;
}

static const struct compile_anchor *reference_find_anchor(const struct compiler *compiler,
                                                          uint32_t resource, struct str name)
{
    for (uint32_t i = 0; i < compiler->anchors.count; i++) {
        const struct compile_anchor *anchor = vector_at(&compiler->anchors, i);
        if (anchor->resource == resource && str_equal(anchor->name, name))
            return anchor;
    }
    return NULL;
}

static bool anchor_is_plain_name(struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char byte = name.ptr[i];
        bool inner = format_is_digit(byte) || byte == '-' || byte == '.';
        if (!format_is_letter(byte) && byte != '_' && (i == 0 || !inner))
            return false;
    }
    return name.len > 0;
}

void compile_add_anchor(struct compiler *compiler, uint32_t resource, struct str name,
                        struct json schema, struct json at)
{
    if (compiler->dialect >= DIALECT_2019 && !anchor_is_plain_name(name))
        compile_fail(compiler, at,
                     "an anchor must be a plain name: a letter or _, then letters, digits, - . _");
    else if (reference_find_anchor(compiler, resource, name) != NULL)
        compile_fail(compiler, at, "two schemas have the same anchor");
    else if (compiler->anchors.count == REFERENCE_TABLE_MAX)
        compile_fail(compiler, at, "the document has more than %d anchors", REFERENCE_TABLE_MAX);
    struct compile_anchor *anchor = compile_push(compiler, &compiler->anchors);
    if (anchor != NULL)
        *anchor = (struct compile_anchor){ .resource = resource, .name = name, .schema = schema };
}

/* The resource that a schema with this `$id` belongs to from here on. */
uint32_t compile_identify(struct compiler *compiler, uint32_t resource, struct json schema,
                          struct json id)
{
    struct str text = json_string(id);
    size_t hash = uri_find(text, "#");
    struct str fragment = format_from(text, hash < text.len ? hash + 1 : hash);
    struct str plain = str_of(text.ptr, hash);
    if (!format_is_uri(text, true, true)) {
        compile_fail(compiler, id, "an identifier must be a URI reference");
        return resource;
    }
    if (fragment.len > 0 && compiler->dialect >= DIALECT_2019) {
        compile_fail(compiler, id, "an identifier must have no fragment");
        compile_hint(compiler, "\"$anchor\" names a place inside a resource");
        return resource;
    }
    bool is_root = schema.node == json_doc_root(compiler->doc).node;
    if (plain.len > 0) {
        struct str uri =
            reference_absolute(compiler, reference_resource(compiler, resource)->uri, plain);
        if (compiler->status != STATUS_OK)
            return resource;
        if (reference_find_resource(compiler, uri) != SCHEMA_NONE)
            compile_fail(compiler, id, "two schemas have the same identifier");
        else if (is_root)
            reference_resource(compiler, 0)->uri = uri;
        else if (compiler->resources.count == REFERENCE_TABLE_MAX)
            compile_fail(compiler, id, "the document has more than %d identifiers",
                         REFERENCE_TABLE_MAX);
        if (!is_root) {
            struct compile_resource *added = compile_push(compiler, &compiler->resources);
            if (added == NULL)
                return resource;
            *added = (struct compile_resource){ .uri = uri, .root = schema };
            resource = compiler->resources.count - 1;
        }
    }
    if (fragment.len > 0)
        compile_add_anchor(compiler, resource, fragment, schema, id);
    return resource;
}

/* ---- $ref ------------------------------------------------------------------------------------ */

static int reference_hex(char byte)
{
    if (format_is_digit(byte))
        return byte - '0';
    return format_is_hex(byte) ? (byte | 0x20) - 'a' + 10 : -1;
}

/* Decodes percent escapes. False for an escape without two hexadecimal digits. */
static bool reference_decode(struct str fragment, struct buffer *out)
{
    for (size_t i = 0; i < fragment.len; i++) {
        if (fragment.ptr[i] != '%') {
            buffer_append_byte(out, fragment.ptr[i]);
            continue;
        }
        if (i + 2 >= fragment.len || !format_is_hex(fragment.ptr[i + 1]) ||
            !format_is_hex(fragment.ptr[i + 2]))
            return false;
        buffer_append_byte(out, (char)(reference_hex(fragment.ptr[i + 1]) * 16 +
                                       reference_hex(fragment.ptr[i + 2])));
        i += 2;
    }
    return true;
}

/* The value at a pointer, token by token, so that the work is counted before it is done. */
static struct json reference_at_pointer(struct compiler *compiler, struct json at,
                                        struct str pointer)
{
    while (pointer.len > 0 && json_exists(at)) {
        compiler->reference_steps += json_count(at);
        if (compiler->reference_steps > REFERENCE_STEPS_MAX) {
            compile_fail(compiler, at, "following the references takes more than %d steps",
                         REFERENCE_STEPS_MAX);
            at.node = NULL;
            break;
        }
        size_t len = 1 + uri_find(format_from(pointer, 1), "/");
        at = json_pointer_get(at, uri_take(&pointer, len));
    }
    return at;
}

/* The schema at a fragment of a resource, or a handle that does not exist. */
static struct json reference_at_fragment(struct compiler *compiler, uint32_t resource,
                                         struct str fragment)
{
    struct json target = { compiler->doc, NULL };
    struct json root = reference_resource(compiler, resource)->root;
    if (fragment.len == 0)
        return root;
    struct buffer decoded;
    buffer_init(&decoded, compiler->alloc, REFERENCE_URI_BYTES_MAX);
    if (reference_decode(fragment, &decoded) && buffer_status(&decoded) == STATUS_OK) {
        struct str text = buffer_view(&decoded);
        if (text.ptr[0] == '/') {
            target = reference_at_pointer(compiler, root, text);
        } else {
            const struct compile_anchor *anchor = reference_find_anchor(compiler, resource, text);
            if (anchor != NULL)
                target = anchor->schema;
        }
    }
    if (buffer_status(&decoded) == STATUS_NO_MEMORY)
        compile_no_memory(compiler);
    buffer_release(&decoded);
    return target;
}

/* "#" and an empty reference mean the resource itself. */
static uint32_t reference_target_resource(struct compiler *compiler, uint32_t resource,
                                          struct str plain)
{
    if (plain.len == 0)
        return resource;
    struct str uri =
        reference_absolute(compiler, reference_resource(compiler, resource)->uri, plain);
    return compiler->status == STATUS_OK ? reference_find_resource(compiler, uri) : SCHEMA_NONE;
}

void compile_resolve(struct compiler *compiler, const struct compile_reference *reference)
{
    struct str text = json_string(reference->value);
    size_t hash = uri_find(text, "#");
    struct str fragment = format_from(text, hash < text.len ? hash + 1 : hash);
    uint32_t resource =
        reference_target_resource(compiler, reference->resource, str_of(text.ptr, hash));
    if (resource == SCHEMA_NONE) {
        compile_fail(compiler, reference->value, "\"$ref\" leads out of the document");
        compile_hint(
            compiler,
            "nothing is ever fetched: put the schema under \"$defs\" and refer to it there");
        return;
    }
    struct json target = reference_at_fragment(compiler, resource, fragment);
    if (compiler->status != STATUS_OK)
        return;
    if (!json_exists(target)) {
        compile_fail(compiler, reference->value, "\"$ref\" names nothing in the document");
        return;
    }
    enum json_type type = json_type(target);
    if (type != JSON_OBJECT && type != JSON_TRUE && type != JSON_FALSE) {
        compile_fail(compiler, reference->value, "\"$ref\" names a value that is no schema");
        return;
    }
    uint32_t node = compile_node_for(compiler, target, resource);
    struct schema_op *op = vector_at(&compiler->ops, reference->op);
    op->a = node;
}

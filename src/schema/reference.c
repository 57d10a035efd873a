/* reference.c - `$ref`, `$dynamicRef`, `$recursiveRef`: which schema a reference names.
 *
 * Owns: the resolution of fragments, the memory of references already resolved, and the rows of
 * dynamic anchors. Leaves to others: resources and documents (resource.c), loops of references
 * (link.c). Invariants: percent escapes are decoded once, in the fragment only; a dynamic reference
 * that can lead to one place only becomes a plain one.
 */
#include "base/features.h"

#include <stdlib.h>

#include "base/limits.h"
#include "schema/compiler.h"
#include "schema/format_parts.h"
#include "schema/uri.h"

enum { REFERENCE_FRAGMENT_BYTES_MAX = 64 * 1024 };

/* ---- fragments ------------------------------------------------------------------------------- */

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

/* The value at a pointer. *resource becomes the one that the value lies in, because a pointer may
 * lead into a part with an identifier of its own. */
static struct json reference_at_pointer(struct compiler *compiler, struct json at,
                                        struct str pointer, uint32_t *resource)
{
    while (pointer.len > 0 && json_exists(at)) {
        size_t len = 1;
        while (len < pointer.len && pointer.ptr[len] != '/')
            len++;
        struct str token = str_of(pointer.ptr + 1, len - 1);
        if (!pointer_step(&compiler->steps, at, token, &at))
            compile_no_memory(compiler);
        uint32_t node = json_exists(at) ? compile_known_node(compiler, at) : SCHEMA_NONE;
        if (node != SCHEMA_NONE)
            *resource = compile_node_at(compiler, node)->resource;
        pointer = format_from(pointer, len);
    }
    return at;
}

/* What a fragment of a resource names: a schema or a handle that does not exist. *resource becomes
 * the one that the schema lies in; *out_anchor the anchor, if it was one. */
static struct json reference_at_fragment(struct compiler *compiler, uint32_t *resource,
                                         struct str fragment,
                                         const struct compile_anchor **out_anchor)
{
    struct json root = compile_resource_at(compiler, *resource)->root;
    struct json target = { root.doc, NULL };
    if (fragment.len == 0)
        return root;
    struct buffer decoded;
    buffer_init(&decoded, compiler->alloc, REFERENCE_FRAGMENT_BYTES_MAX);
    if (reference_decode(fragment, &decoded) && buffer_status(&decoded) == STATUS_OK) {
        struct str text = buffer_view(&decoded);
        if (text.ptr[0] == '/') {
            target = reference_at_pointer(compiler, root, text, resource);
        } else {
            *out_anchor = compile_find_anchor(compiler, *resource, text);
            if (*out_anchor != NULL)
                target = (*out_anchor)->schema;
        }
    }
    if (buffer_status(&decoded) == STATUS_NO_MEMORY)
        compile_no_memory(compiler);
    buffer_release(&decoded);
    return target;
}

/* ---- references ------------------------------------------------------------------------------ */

static const char *reference_keyword(const struct compile_reference *reference)
{
    if (reference->keyword == KEYWORD_DYNAMIC_REF)
        return "$dynamicRef";
    return reference->keyword == KEYWORD_RECURSIVE_REF ? "$recursiveRef" : "$ref";
}

/* "#" and an empty reference mean the resource itself. */
static uint32_t reference_target_resource(struct compiler *compiler, uint32_t resource,
                                          struct str plain, bool *out_loaded)
{
    *out_loaded = false;
    if (plain.len == 0)
        return resource;
    struct str uri =
        compile_absolute(compiler, compile_resource_at(compiler, resource)->uri, plain);
    return compiler->status == STATUS_OK ? compile_find_resource(compiler, uri, out_loaded)
                                         : SCHEMA_NONE;
}

static void reference_fail_resource(struct compiler *compiler,
                                    const struct compile_reference *reference, struct str plain)
{
    struct str base = compile_resource_at(compiler, reference->resource)->uri;
    struct str uri = compile_absolute(compiler, base, plain);
    compile_fail(compiler, reference->value, "\"%s\" leads to %.*s, which is not known",
                 reference_keyword(reference), (int)uri.len, uri.ptr);
    if (base.len == 0 && format_is_uri(plain, true, true) && !format_is_uri(plain, false, true))
        compile_hint(compiler, "a relative reference needs a base: give the schema an absolute "
                               "\"$id\"; then register the document as a resource");
    else
        compile_hint(compiler, "nothing is ever fetched: put the schema under \"$defs\", or "
                               "register a document as a resource under that URI (--resource "
                               "URI=FILE)");
}

static void reference_wait(struct compiler *compiler, const struct compile_reference *reference)
{
    struct compile_reference *again = compile_push(compiler, &compiler->references);
    if (again != NULL)
        *again = *reference;
}

static uint32_t reference_find_dynamic_name(const struct compiler *compiler, struct str name)
{
    uint32_t cursor = 0;
    for (;;) {
        uint32_t item = hash_index_next(&compiler->dynamic_index, json_key_hash(name), &cursor);
        if (item == SCHEMA_NONE)
            return SCHEMA_NONE;
        const struct compile_dynamic_name *row = vector_at(&compiler->dynamic_names, item);
        if (str_equal(row->name, name))
            return item;
    }
}

/* The number of a name among the anchors of dynamic references. */
static uint32_t reference_dynamic_name(struct compiler *compiler, struct str name)
{
    uint32_t item = reference_find_dynamic_name(compiler, name);
    if (item != SCHEMA_NONE)
        return item;
    item = compiler->dynamic_names.count;
    struct compile_dynamic_name *row = compile_push(compiler, &compiler->dynamic_names);
    if (row == NULL)
        return item;
    row->name = name;
    if (!hash_index_add(&compiler->dynamic_index, compiler->alloc, json_key_hash(name), item))
        compile_no_memory(compiler);
    return item;
}

static void reference_make_dynamic(struct compiler *compiler,
                                   const struct compile_reference *reference, uint32_t resource,
                                   const struct compile_anchor *anchor)
{
    if (reference->keyword == KEYWORD_REF)
        return;
    if (reference->keyword == KEYWORD_RECURSIVE_REF)
        anchor = compile_find_anchor(compiler, resource, str_of(NULL, 0));
    if (anchor == NULL || !anchor->is_dynamic)
        return;
    uint32_t name = reference_dynamic_name(compiler, anchor->name);
    struct schema_op *op = vector_at(&compiler->ops, reference->op);
    op->opcode = SCHEMA_OP_DYNAMIC_REF;
    op->b = name;
}

/* ---- resolved ones --------------------------------------------------------------------------- */

static uint32_t reference_hash(const struct compile_reference *reference)
{
    return json_key_hash(json_string(reference->value)) ^
           reference->resource * UINT32_C(0x9E3779B1);
}

/* The node that an equal reference of the same resource led to, or SCHEMA_NONE. */
static uint32_t reference_recall(const struct compiler *compiler,
                                 const struct compile_reference *reference)
{
    uint32_t cursor = 0;
    if (reference->keyword != KEYWORD_REF)
        return SCHEMA_NONE;
    for (;;) {
        uint32_t item =
            hash_index_next(&compiler->reference_index, reference_hash(reference), &cursor);
        if (item == SCHEMA_NONE)
            return SCHEMA_NONE;
        const struct compile_reference *other = vector_at(&compiler->references, item);
        if (other->resource == reference->resource &&
            str_equal(json_string(other->value), json_string(reference->value)))
            return ((const struct schema_op *)vector_at(&compiler->ops, other->op))->a;
    }
}

static void reference_remember(struct compiler *compiler, const struct compile_reference *reference,
                               uint32_t item)
{
    if (reference->keyword == KEYWORD_REF &&
        !hash_index_add(&compiler->reference_index, compiler->alloc, reference_hash(reference),
                        item))
        compile_no_memory(compiler);
}

static void reference_follow(struct compiler *compiler, const struct compile_reference *reference,
                             uint32_t resource, struct str fragment, uint32_t item)
{
    const struct compile_anchor *anchor = NULL;
    struct json target = reference_at_fragment(compiler, &resource, fragment, &anchor);
    if (compiler->status != STATUS_OK)
        return;
    if (!json_exists(target)) {
        compile_fail(compiler, reference->value, "\"%s\" names nothing in the document",
                     reference_keyword(reference));
        return;
    }
    enum json_type type = json_type(target);
    if (type != JSON_OBJECT && type != JSON_TRUE && type != JSON_FALSE) {
        compile_fail(compiler, reference->value, "\"%s\" names a value that is no schema",
                     reference_keyword(reference));
        return;
    }
    uint32_t node = compile_node_for(compiler, target, resource);
    struct schema_op *op = vector_at(&compiler->ops, reference->op);
    op->a = node;
    reference_make_dynamic(compiler, reference, resource, anchor);
    reference_remember(compiler, reference, item);
}

void compile_resolve(struct compiler *compiler, uint32_t item)
{
    struct compile_reference reference =
        *(struct compile_reference *)vector_at(&compiler->references, item);
    uint32_t known = reference_recall(compiler, &reference);
    if (known != SCHEMA_NONE) {
        struct schema_op *op = vector_at(&compiler->ops, reference.op);
        op->a = known;
        return;
    }
    struct str text = json_string(reference.value);
    size_t hash = schema_uri_fragment(text);
    struct str fragment = format_from(text, hash < text.len ? hash + 1 : hash);
    bool loaded;
    uint32_t resource =
        reference_target_resource(compiler, reference.resource, str_of(text.ptr, hash), &loaded);
    if (compiler->status != STATUS_OK)
        return;
    if (loaded)
        reference_wait(compiler, &reference);
    else if (resource == SCHEMA_NONE)
        reference_fail_resource(compiler, &reference, str_of(text.ptr, hash));
    else
        reference_follow(compiler, &reference, resource, fragment, item);
}

/* ---- dynamic anchors ------------------------------------------------------------------------- */

static int dynamic_order(const void *left, const void *right)
{
    const struct schema_dynamic_anchor *a = left;
    const struct schema_dynamic_anchor *b = right;
    if (a->resource != b->resource)
        return a->resource < b->resource ? -1 : 1;
    return (a->anchor > b->anchor) - (a->anchor < b->anchor);
}

/* A row for each dynamic anchor that some dynamic reference names. */
static void dynamic_add_rows(struct compiler *compiler)
{
    for (uint32_t i = 0; i < compiler->anchors.count; i++) {
        const struct compile_anchor *anchor = vector_at(&compiler->anchors, i);
        uint32_t item = SCHEMA_NONE;
        if (anchor->is_dynamic)
            item = reference_find_dynamic_name(compiler, anchor->name);
        if (item == SCHEMA_NONE)
            continue;
        struct schema_dynamic_anchor *row = compile_push(compiler, &compiler->dynamic_anchors);
        if (row == NULL)
            return;
        *row = (struct schema_dynamic_anchor){
            anchor->resource, item, compile_node_for(compiler, anchor->schema, anchor->resource)
        };
        ((struct compile_dynamic_name *)vector_at(&compiler->dynamic_names, item))->rows++;
    }
    if (compiler->dynamic_anchors.count > 0)
        qsort(compiler->dynamic_anchors.items, compiler->dynamic_anchors.count,
              compiler->dynamic_anchors.item_size, dynamic_order);
}

void compile_settle_dynamic(struct compiler *compiler)
{
    if (compiler->dynamic_names.count == 0)
        return;
    dynamic_add_rows(compiler);
    for (uint32_t i = 0; i < compiler->ops.count; i++) {
        struct schema_op *op = vector_at(&compiler->ops, i);
        if (op->opcode != SCHEMA_OP_DYNAMIC_REF)
            continue;
        const struct compile_dynamic_name *name = vector_at(&compiler->dynamic_names, op->b);
        if (name->rows > 1)
            continue;
        /* The anchor that it leads to statically is the only one. */
        op->opcode = SCHEMA_OP_REF;
        op->b = 0;
    }
}

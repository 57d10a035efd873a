/* compile.c - schema document → program: the work list and the scan of one schema object.
 *
 * Owns: the compilation as a whole and the refusal of unknown keywords. Leaves to others:
 * documents, dialects and identifiers (resource.c), values of keywords (rules.c), instructions
 * (emit.c), references (reference.c), tables (link.c). Invariant: every schema of the document
 * becomes one node however often it is referred to, so the work is linear in the document; nodes
 * are the work list, compiled in order, and references are resolved when no unscanned node is left.
 */
#include "base/features.h"

#include "schema/compile.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/limits.h"
#include "schema/compiler.h"

enum { LOCATION_SLOTS_MIN = 64, POINTER_BYTES_MAX = 64 * 1024 };

/* ---- faults ---------------------------------------------------------------------------------- */

void compile_no_memory(struct compiler *compiler)
{
    if (compiler->status == STATUS_OK)
        compiler->status = error_set(compiler->error, STATUS_NO_MEMORY, "out of memory");
}

/* The URI of the document that a value belongs to, or no bytes for the caller's own. */
static struct str compile_document_uri(const struct compiler *compiler, struct json at)
{
    for (uint32_t i = 0; at.doc != compiler->doc && i < compiler->uris.count; i++) {
        const struct compile_uri *uri = vector_at(&compiler->uris, i);
        if (compile_resource_at(compiler, uri->resource)->root.node == json_doc_root(at.doc).node)
            return uri->text;
    }
    return str_of(NULL, 0);
}

/* Pointer, line and column of a place in its document. */
static void compile_locate(const struct compiler *compiler, struct json at, struct error *error)
{
    struct buffer pointer;
    uint32_t line;
    uint32_t column;
    buffer_init(&pointer, compiler->alloc, POINTER_BYTES_MAX);
    json_pointer_of(at, &pointer);
    error_at_pointer(error, buffer_view(&pointer));
    buffer_release(&pointer);
    json_position(json_doc_source(at.doc), json_offset(at), &line, &column);
    error_at_line(error, line, column);
}

static void compile_say(const struct compiler *compiler, struct json at, const char *text,
                        struct error *error)
{
    struct str uri = compile_document_uri(compiler, at);
    if (uri.len > 0)
        (void)error_set(error, STATUS_INVALID_SCHEMA, "%s (in %.*s)", text, (int)uri.len, uri.ptr);
    else
        (void)error_set(error, STATUS_INVALID_SCHEMA, "%s", text);
    compile_locate(compiler, at, error);
}

void compile_fail(struct compiler *compiler, struct json at, const char *format, ...)
{
    if (compiler->status != STATUS_OK)
        return;
    compiler->status = STATUS_INVALID_SCHEMA;
    if (compiler->error == NULL)
        return;
    char text[ERROR_MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    compile_say(compiler, at, text, compiler->error);
}

void compile_hint(struct compiler *compiler, const char *format, ...)
{
    if (compiler->error == NULL)
        return;
    char text[ERROR_HINT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    error_hint(compiler->error, "%s", text);
}

static bool compile_may_warn(const struct compiler *compiler)
{
    return compiler->status == STATUS_OK && compiler->options->warn != NULL &&
           compiler->warnings < LIMIT_SCHEMA_WARNINGS;
}

void compile_warn(struct compiler *compiler, struct json at, const char *hint, const char *format,
                  ...)
{
    if (!compile_may_warn(compiler))
        return;
    struct error warning;
    error_clear(&warning);
    char text[ERROR_MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    compile_say(compiler, at, text, &warning);
    if (++compiler->warnings == LIMIT_SCHEMA_WARNINGS)
        error_hint(&warning, "there may be more warnings; no more are told");
    else if (hint != NULL)
        error_hint(&warning, "%s", hint);
    compiler->options->warn(compiler->options->warn_state, &warning);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

void *compile_push(struct compiler *compiler, struct vector *vector)
{
    if (compiler->status != STATUS_OK)
        return NULL;
    void *item = vector_push(vector, compiler->alloc);
    if (item == NULL)
        compile_no_memory(compiler);
    return item;
}

const struct schema_node *compile_node_at(const struct compiler *compiler, uint32_t index)
{
    return vector_at(&compiler->nodes, index);
}

/* The slot of a schema in the location table: its own or the empty one where it belongs. */
static uint32_t *compile_location(const struct compiler *compiler, const struct json_node *schema)
{
    uint32_t mask = compiler->location_slots - 1;
    uint32_t at = (uint32_t)(((uintptr_t)schema / 16) * UINT64_C(0x9E3779B97F4A7C15) >> 32);
    for (;; at++) {
        uint32_t *slot = &compiler->locations[at & mask];
        if (*slot == 0 || compile_node_at(compiler, *slot - 1)->schema.node == schema)
            return slot;
    }
}

static void compile_grow_locations(struct compiler *compiler)
{
    if (compiler->nodes.count < compiler->location_slots / 2)
        return;
    uint32_t *old = compiler->locations;
    uint32_t old_slots = compiler->location_slots;
    uint32_t slots = old_slots == 0 ? LOCATION_SLOTS_MIN : old_slots * 2;
    uint32_t *table = alloc_get(compiler->alloc, (size_t)slots * sizeof(*table));
    if (table == NULL) {
        compile_no_memory(compiler);
        return;
    }
    memset(table, 0, (size_t)slots * sizeof(*table));
    compiler->locations = table;
    compiler->location_slots = slots;
    for (uint32_t i = 0; i < compiler->nodes.count; i++)
        *compile_location(compiler, compile_node_at(compiler, i)->schema.node) = i + 1;
    alloc_free(compiler->alloc, old, (size_t)old_slots * sizeof(*old));
}

uint32_t compile_known_node(const struct compiler *compiler, struct json value)
{
    uint32_t slot = *compile_location(compiler, value.node);
    return slot == 0 ? SCHEMA_NONE : slot - 1;
}

uint32_t compile_node_for(struct compiler *compiler, struct json schema, uint32_t resource)
{
    compile_grow_locations(compiler);
    if (compiler->status != STATUS_OK)
        return 0;
    uint32_t *slot = compile_location(compiler, schema.node);
    if (*slot != 0)
        return *slot - 1;
    uint32_t index = compiler->nodes.count;
    struct schema_node *node = compile_push(compiler, &compiler->nodes);
    if (node == NULL)
        return 0;
    *node = (struct schema_node){ .types = SCHEMA_ANY, .resource = resource, .schema = schema };
    *slot = index + 1;
    return index;
}

/* ---- one schema object ----------------------------------------------------------------------- */

static bool compile_is_extension(struct str name)
{
    return str_starts_with(name, STR("x-"));
}

static void compile_unknown_keyword(struct compiler *compiler, struct str name, struct json value)
{
    if (compile_is_extension(name))
        return;
    enum schema_unknown policy = compiler->options->unknown_keywords;
    if (policy == SCHEMA_UNKNOWN_ALLOW)
        return;
    if (policy == SCHEMA_UNKNOWN_WARN && !compile_may_warn(compiler))
        return;
    char hint[ERROR_HINT_BYTES] = "";
    struct str near = schema_keyword_suggest(name, compiler->use.dialect);
    if (schema_keyword_find(name, compiler->use.dialect) != NULL)
        (void)snprintf(hint, sizeof(hint), "the meta-schema does not take in its vocabulary");
    else if (schema_keyword_find_any(name) != NULL)
        (void)snprintf(hint, sizeof(hint), "another dialect has it; the schema is read as %s",
                       schema_dialect_name(compiler->use.dialect));
    else if (near.len > 0)
        (void)snprintf(hint, sizeof(hint), "did you mean \"%.*s\"?", (int)near.len, near.ptr);
    else
        (void)snprintf(hint, sizeof(hint), "names of your own begin with \"x-\"");
    if (policy == SCHEMA_UNKNOWN_WARN) {
        compile_warn(compiler, value, hint, "\"%.*s\" is not a keyword of %s and has no effect",
                     (int)name.len, name.ptr, schema_dialect_name(compiler->use.dialect));
        return;
    }
    compile_fail(compiler, value, "\"%.*s\" is not a keyword of %s", (int)name.len, name.ptr,
                 schema_dialect_name(compiler->use.dialect));
    compile_hint(compiler, "%s", hint);
}

/* Before 2019-09 everything beside `$ref` is ignored, except where references may lead. */
static bool compile_is_ignored(const struct compiler *compiler, struct json schema,
                               const struct schema_keyword_row *row)
{
    if (compiler->use.dialect >= DIALECT_2019 || row->keyword == KEYWORD_REF ||
        row->keyword == KEYWORD_DEFINITIONS || row->keyword == KEYWORD_SCHEMA)
        return false;
    struct json reference = json_get(schema, STR("$ref"));
    return json_exists(reference) && json_type(reference) == JSON_STRING;
}

static void compile_scan_member(struct compiler *compiler, struct json schema, struct json value,
                                struct compile_scope *scope)
{
    struct str name = json_member_name(value);
    const struct schema_keyword_row *row = schema_keyword_find_used(name, &compiler->use);
    if (row == NULL) {
        compile_unknown_keyword(compiler, name, value);
        return;
    }
    if (compile_is_ignored(compiler, schema, row)) {
        if (row->keyword != KEYWORD_ANNOTATION)
            compile_warn(compiler, value, NULL, "\"%.*s\" has no effect beside \"$ref\" in %s",
                         (int)name.len, name.ptr, schema_dialect_name(compiler->use.dialect));
        return;
    }
    compile_check_rule(compiler, row, value);
    scope->found[row->keyword] = value;
}

static void compile_add_anchors(struct compiler *compiler, struct json schema,
                                const struct compile_scope *scope)
{
    struct json anchor = scope->found[KEYWORD_ANCHOR];
    struct json dynamic = scope->found[KEYWORD_DYNAMIC_ANCHOR];
    struct json recursive = scope->found[KEYWORD_RECURSIVE_ANCHOR];
    struct compile_anchor row = { .resource = scope->resource, .schema = schema };
    if (json_exists(anchor) && compiler->status == STATUS_OK) {
        row.name = json_string(anchor);
        compile_add_anchor(compiler, &row, anchor);
    }
    row.is_dynamic = true;
    if (json_exists(dynamic) && compiler->status == STATUS_OK) {
        row.name = json_string(dynamic);
        compile_add_anchor(compiler, &row, dynamic);
    }
    if (json_exists(recursive) && compiler->status == STATUS_OK &&
        json_type(recursive) == JSON_TRUE &&
        compile_resource_at(compiler, scope->resource)->root.node == schema.node) {
        row.name = str_of(NULL, 0);
        compile_add_anchor(compiler, &row, recursive);
    }
}

static void compile_identify_scope(struct compiler *compiler, struct json schema,
                                   struct compile_scope *scope)
{
    struct json id = scope->found[KEYWORD_ID];
    if (json_exists(id) && compiler->status == STATUS_OK)
        scope->resource = compile_identify(compiler, scope->resource, schema, id);
    compile_add_anchors(compiler, schema, scope);
    struct schema_node *node = vector_at(&compiler->nodes, scope->node);
    node->resource = scope->resource;
}

static void compile_node(struct compiler *compiler, uint32_t index)
{
    struct schema_node *node = vector_at(&compiler->nodes, index);
    struct json schema = node->schema;
    struct compile_scope scope = { .node = index, .resource = node->resource };
    enum json_type type = json_type(schema);
    compiler->use = compile_resource_at(compiler, scope.resource)->use;
    if (type == JSON_OBJECT)
        compiler->use = compile_use_of(compiler, schema, scope.resource);
    node->op_first = compiler->ops.count;
    node->dialect = (uint8_t)compiler->use.dialect;
    if (type != JSON_OBJECT) {
        node->types = type == JSON_TRUE ? SCHEMA_ANY : 0;
        return;
    }
    for (struct json v = json_first(schema); json_exists(v); v = json_next(v, schema)) {
        compile_scan_member(compiler, schema, v, &scope);
        if (compiler->status != STATUS_OK)
            return;
    }
    compile_identify_scope(compiler, schema, &scope);
    if (compiler->status != STATUS_OK)
        return;
    compile_emit(compiler, &scope);
    node = vector_at(&compiler->nodes, index);
    node->op_count = compiler->ops.count - node->op_first;
}

/* ---- the document ---------------------------------------------------------------------------- */

static void compile_choose_dialect(struct compiler *compiler, struct json root)
{
    struct str wanted = compiler->options->dialect;
    compiler->use_default = (struct schema_dialect_use){ DIALECT_2020, VOCABULARIES_ALL, false };
    if (wanted.len > 0 && !schema_dialect_from(wanted, &compiler->use_default.dialect)) {
        compile_fail(compiler, root, "the default dialect is not known");
        compile_hint(compiler, "known: %s", schema_dialect_list());
        return;
    }
    struct json value = { root.doc, NULL };
    if (json_type(root) == JSON_OBJECT)
        value = json_get(root, STR("$schema"));
    if (json_exists(value))
        (void)compile_read_dialect(compiler, value, &compiler->use_default);
}

/* Nodes first, because identifiers lie in them; references when no node is left unread. */
static void compile_work(struct compiler *compiler)
{
    uint32_t next_node = 0;
    uint32_t next_reference = 0;
    while (compiler->status == STATUS_OK) {
        if (next_node < compiler->nodes.count)
            compile_node(compiler, next_node++);
        else if (next_reference < compiler->references.count)
            compile_resolve(compiler, next_reference++);
        else
            break;
    }
    if (compiler->status == STATUS_OK)
        compile_settle_dynamic(compiler);
}

static void compile_document(struct compiler *compiler)
{
    struct json root = json_doc_root(compiler->doc);
    enum json_type type = json_type(root);
    compile_choose_dialect(compiler, root);
    if (type != JSON_OBJECT && type != JSON_TRUE && type != JSON_FALSE)
        compile_fail(compiler, root, "a schema must be an object or a boolean");
    if (compiler->status != STATUS_OK)
        return;
    uint32_t resource =
        compile_add_resource(compiler, str_of(NULL, 0), root, &compiler->use_default);
    if (resource != SCHEMA_NONE)
        (void)compile_node_for(compiler, root, resource);
    compile_work(compiler);
    compile_check_meta(compiler, root);
}

static void compile_init(struct compiler *compiler)
{
    compiler->nodes.item_size = sizeof(struct schema_node);
    compiler->documents.item_size = sizeof(struct json_doc *);
    compiler->ops.item_size = sizeof(struct schema_op);
    compiler->children.item_size = sizeof(uint32_t);
    compiler->properties.item_size = sizeof(struct schema_property);
    compiler->pattern_properties.item_size = sizeof(struct schema_pattern_property);
    compiler->patterns.item_size = sizeof(struct schema_pattern);
    compiler->names.item_size = sizeof(struct str);
    compiler->values.item_size = sizeof(struct json);
    compiler->decimals.item_size = sizeof(struct decimal);
    compiler->resources.item_size = sizeof(struct compile_resource);
    compiler->uris.item_size = sizeof(struct compile_uri);
    compiler->anchors.item_size = sizeof(struct compile_anchor);
    compiler->dynamic_names.item_size = sizeof(struct compile_dynamic_name);
    compiler->dynamic_anchors.item_size = sizeof(struct schema_dynamic_anchor);
    compiler->references.item_size = sizeof(struct compile_reference);
    compiler->regex_budget = regex_budget_default();
    pointer_steps_init(&compiler->steps, compiler->alloc);
    arena_init(&compiler->scratch, compiler->alloc, LIMIT_SCHEMA_PROGRAM_BYTES);
    buffer_init(&compiler->absolute, compiler->alloc, LIMIT_SCHEMA_URI_BYTES);
    buffer_init(&compiler->merged, compiler->alloc, 2 * LIMIT_SCHEMA_URI_BYTES);
}

/* What the program would have owned. */
static void compile_discard(struct compiler *compiler)
{
    for (uint32_t i = 0; i < compiler->patterns.count; i++) {
        const struct schema_pattern *pattern = vector_at(&compiler->patterns, i);
        regex_free(pattern->regex, compiler->alloc);
    }
    for (uint32_t i = 0; i < compiler->documents.count; i++)
        json_doc_free(*(struct json_doc **)vector_at(&compiler->documents, i));
}

static void compile_release(struct compiler *compiler)
{
    struct vector *vectors[] = {
        &compiler->documents,       &compiler->nodes,      &compiler->ops,
        &compiler->children,        &compiler->properties, &compiler->pattern_properties,
        &compiler->patterns,        &compiler->names,      &compiler->values,
        &compiler->decimals,        &compiler->resources,  &compiler->uris,
        &compiler->anchors,         &compiler->references, &compiler->dynamic_names,
        &compiler->dynamic_anchors,
    };
    struct hash_index *indices[] = {
        &compiler->uri_index,     &compiler->anchor_index,  &compiler->reference_index,
        &compiler->pattern_index, &compiler->dynamic_index,
    };
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
        vector_release(vectors[i], compiler->alloc);
    for (size_t i = 0; i < sizeof(indices) / sizeof(indices[0]); i++)
        hash_index_release(indices[i], compiler->alloc);
    alloc_free(compiler->alloc, compiler->locations,
               (size_t)compiler->location_slots * sizeof(*compiler->locations));
    pointer_steps_release(&compiler->steps);
    buffer_release(&compiler->absolute);
    buffer_release(&compiler->merged);
    arena_release(&compiler->scratch);
}

enum status schema_compile(struct json_doc *document, const struct schema_options *options,
                           const struct alloc *alloc, struct schema_program **out_program,
                           struct error *error)
{
    static const struct schema_options defaults = { .format_asserts = true };
    struct compiler compiler = {
        .alloc = alloc,
        .options = options == NULL ? &defaults : options,
        .error = error,
        .doc = document,
    };
    struct schema_program *program = NULL;
    compile_init(&compiler);
    compile_document(&compiler);
    if (compiler.status == STATUS_OK)
        program = compile_link(&compiler);
    if (compiler.status != STATUS_OK)
        compile_discard(&compiler);
    compile_release(&compiler);
    if (compiler.status == STATUS_OK)
        *out_program = program;
    return compiler.status;
}

enum status schema_compile_text(struct str text, const struct schema_options *options,
                                const struct alloc *alloc, struct schema_program **out_program,
                                struct error *error)
{
    struct json_options json_options = JSON_OPTIONS_DEFAULT;
    json_options.bytes_max = LIMIT_SCHEMA_BYTES;
    struct json_doc *document = NULL;
    enum status status = json_parse(text, &json_options, alloc, &document, error);
    if (status == STATUS_INVALID_REQUEST) {
        if (error != NULL)
            error->status = STATUS_INVALID_SCHEMA;
        return STATUS_INVALID_SCHEMA;
    }
    if (status != STATUS_OK)
        return status;
    status = schema_compile(document, options, alloc, out_program, error);
    if (status != STATUS_OK)
        json_doc_free(document);
    return status;
}

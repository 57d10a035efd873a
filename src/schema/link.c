/* link.c - from the compiler's vectors to the immutable program.
 *
 * Owns: the copy into the program's arena and the checks that need all nodes: reference loops, the
 * object root. Leaves to others: the validator's tables (tables.c). Invariant: no cycle of in-place
 * applicators is left, but such as depend on the dynamic scope, which the judge ends.
 */
#include "base/features.h"

#include "base/limits.h"
#include "schema/compiler.h"
#include "schema/fast.h"
#include "schema/library.h"

/* A node whose in-place children are being followed. */
struct link_visit {
    uint32_t node;
    uint32_t op;    /* instruction in the node */
    uint32_t child; /* of that instruction */
};

/* What is still written while the tables are built. */
struct link_parts {
    struct schema_node *nodes;
    struct schema_op *ops;
    struct schema_property *properties;
};

enum link_colour { LINK_WHITE, LINK_GREY, LINK_BLACK };

/* Memory in the program's arena; a program beyond its maximum is the schema's fault. */
static void *link_take(struct compiler *compiler, struct arena *arena, uint32_t count, size_t size)
{
    if (compiler->status != STATUS_OK)
        return NULL;
    void *items = arena_take_array(arena, count == 0 ? 1 : count, size);
    if (items != NULL)
        return items;
    if ((size_t)count * size > arena->bytes_max - arena->bytes_taken)
        compile_fail(compiler, json_doc_root(compiler->doc),
                     "the compiled schema is larger than %u bytes", LIMIT_SCHEMA_PROGRAM_BYTES);
    else
        compile_no_memory(compiler);
    return NULL;
}

static void *link_copy(struct compiler *compiler, struct arena *arena, const struct vector *vector)
{
    void *items = link_take(compiler, arena, vector->count, vector->item_size);
    if (items != NULL && vector->count > 0)
        memcpy(items, vector->items, vector->count * vector->item_size);
    return items;
}

/* The next node to follow from a visit, or SCHEMA_NONE when its children are done. */
static uint32_t link_next(const struct schema_program *program, struct link_visit *visit)
{
    const struct schema_node *node = &program->nodes[visit->node];
    while (visit->op < node->op_count) {
        uint32_t child;
        bool in_place;
        if (schema_op_child(program, &program->ops[node->op_first + visit->op], visit->child,
                            &child, &in_place) &&
            in_place) {
            visit->child++;
            if (child != SCHEMA_NONE)
                return child;
        } else {
            visit->op++;
            visit->child = 0;
        }
    }
    return SCHEMA_NONE;
}

static void link_fail_loop(struct compiler *compiler, const struct schema_program *program,
                           const struct link_visit *visit)
{
    const struct schema_node *node = &program->nodes[visit->node];
    const struct schema_op *op = &program->ops[node->op_first + visit->op];
    struct json at = json_get(node->schema, schema_op_keyword(program, visit->node, op));
    compile_fail(
        compiler, json_exists(at) ? at : node->schema,
        "the reference leads back to its own schema without consuming any of the instance");
}

/* Depth-first over in-place children with an explicit stack. */
static void link_refuse_loops_from(struct compiler *compiler, const struct schema_program *program,
                                   uint32_t start, uint8_t *colours, struct link_visit *stack)
{
    uint32_t depth = 0;
    stack[depth++] = (struct link_visit){ .node = start };
    colours[start] = LINK_GREY;
    while (depth > 0) {
        uint32_t child = link_next(program, &stack[depth - 1]);
        if (child == SCHEMA_NONE) {
            colours[stack[--depth].node] = LINK_BLACK;
        } else if (colours[child] == LINK_GREY) {
            link_fail_loop(compiler, program, &stack[depth - 1]);
            return;
        } else if (colours[child] == LINK_WHITE) {
            colours[child] = LINK_GREY;
            stack[depth++] = (struct link_visit){ .node = child };
        }
    }
}

static void link_refuse_loops(struct compiler *compiler, const struct schema_program *program)
{
    size_t stack_bytes = program->node_count * sizeof(struct link_visit);
    uint8_t *colours = alloc_get(compiler->alloc, program->node_count);
    struct link_visit *stack = alloc_get(compiler->alloc, stack_bytes);
    if (colours == NULL || stack == NULL)
        compile_no_memory(compiler);
    else
        memset(colours, LINK_WHITE, program->node_count);
    for (uint32_t i = 0; i < program->node_count && compiler->status == STATUS_OK; i++)
        if (colours[i] == LINK_WHITE)
            link_refuse_loops_from(compiler, program, i, colours, stack);
    alloc_free(compiler->alloc, colours, program->node_count);
    alloc_free(compiler->alloc, stack, stack_bytes);
}

static bool link_is_about_objects(const struct schema_program *program, uint32_t node)
{
    return (program->nodes[node].types & SCHEMA_OBJECT) != 0 &&
           (schema_node_find(program, node, SCHEMA_OP_PROPERTIES) != NULL ||
            schema_node_find(program, node, SCHEMA_OP_REQUIRED) != NULL) &&
           schema_node_find(program, node, SCHEMA_OP_TYPE) == NULL;
}

/* A root without `type` that has keywords of objects is taken to mean one. */
static void link_require_object_root(struct compiler *compiler,
                                     const struct schema_program *program,
                                     const uint8_t *narrow_types, struct schema_node *root)
{
    if (narrow_types[0] == SCHEMA_OBJECT)
        return;
    uint32_t node = 0;
    while ((narrow_types[node] & SCHEMA_OBJECT) != 0) {
        if (link_is_about_objects(program, node)) {
            root->types = SCHEMA_OBJECT;
            return;
        }
        const struct schema_op *reference = schema_node_find(program, node, SCHEMA_OP_REF);
        if (reference == NULL)
            break;
        node = reference->a; /* loops were refused before */
    }
    compile_fail(compiler, json_doc_root(compiler->doc),
                 "the root of the schema must describe an object");
    compile_hint(compiler,
                 "add \"type\": \"object\", or make the value a member of an object (--wrap-root)");
}

static void link_check(struct compiler *compiler, struct schema_program *program,
                       struct schema_internal *internal, const struct link_parts *parts)
{
    link_refuse_loops(compiler, program);
    if (compiler->status != STATUS_OK)
        return;
    if (!schema_build_tables(program, internal, parts->ops, parts->properties)) {
        compile_no_memory(compiler);
        return;
    }
    internal->fast = schema_fast_build(program, &internal->arena, compiler->alloc);
    if (internal->fast == NULL)
        compile_no_memory(compiler);
    if (compiler->options->object_root)
        link_require_object_root(compiler, program, internal->narrow_types, parts->nodes);
}

/* URIs lived in the compiler's scratch memory until now. */
static const struct schema_resource *link_resources(struct compiler *compiler, struct arena *arena)
{
    struct schema_resource *resources =
        link_take(compiler, arena, compiler->resources.count, sizeof(*resources));
    for (uint32_t i = 0; resources != NULL && i < compiler->resources.count; i++) {
        const struct compile_resource *resource = compile_resource_at(compiler, i);
        resources[i] = (struct schema_resource){ arena_copy(arena, resource->uri), resource->root };
        if (resources[i].uri.ptr == NULL)
            compile_no_memory(compiler);
    }
    return resources;
}

static const struct schema_custom_format *link_formats(struct compiler *compiler,
                                                       struct arena *arena)
{
    uint32_t count = compiler->options->format_count;
    struct schema_custom_format *formats = link_take(compiler, arena, count, sizeof(*formats));
    for (uint32_t i = 0; formats != NULL && i < count; i++) {
        formats[i] = compiler->options->formats[i];
        formats[i].name = arena_copy(arena, formats[i].name);
        if (formats[i].name.ptr == NULL)
            compile_no_memory(compiler);
    }
    return formats;
}

static void link_fill(struct compiler *compiler, struct arena *arena,
                      struct schema_program *program, struct link_parts *parts)
{
    parts->nodes = link_copy(compiler, arena, &compiler->nodes);
    parts->ops = link_copy(compiler, arena, &compiler->ops);
    parts->properties = link_copy(compiler, arena, &compiler->properties);
    *program = (struct schema_program){
        .nodes = parts->nodes,
        .node_count = compiler->nodes.count,
        .ops = parts->ops,
        .op_count = compiler->ops.count,
        .children = link_copy(compiler, arena, &compiler->children),
        .properties = parts->properties,
        .pattern_properties = link_copy(compiler, arena, &compiler->pattern_properties),
        .patterns = link_copy(compiler, arena, &compiler->patterns),
        .names = link_copy(compiler, arena, &compiler->names),
        .values = link_copy(compiler, arena, &compiler->values),
        .decimals = link_copy(compiler, arena, &compiler->decimals),
        .resources = link_resources(compiler, arena),
        .resource_count = compiler->resources.count,
        .dynamic_anchors = link_copy(compiler, arena, &compiler->dynamic_anchors),
        .dynamic_anchor_count = compiler->dynamic_anchors.count,
        .custom_formats = link_formats(compiler, arena),
        .root = json_doc_root(compiler->doc),
    };
}

struct schema_program *compile_link(struct compiler *compiler)
{
    struct arena arena;
    struct link_parts parts = { NULL, NULL, NULL };
    arena_init(&arena, compiler->alloc, LIMIT_SCHEMA_PROGRAM_BYTES);
    struct schema_program *program = link_take(compiler, &arena, 1, sizeof(*program));
    struct schema_internal *internal = link_take(compiler, &arena, 1, sizeof(*internal));
    if (compiler->status == STATUS_OK)
        link_fill(compiler, &arena, program, &parts);
    if (compiler->status == STATUS_OK) {
        *internal = (struct schema_internal){
            .alloc = compiler->alloc,
            .arena = arena,
            .doc = compiler->doc,
            .pattern_count = compiler->patterns.count,
            .documents = link_copy(compiler, &arena, &compiler->documents),
            .document_count = compiler->documents.count,
        };
        internal->arena = arena;
        program->internal = internal;
        link_check(compiler, program, internal, &parts);
        arena = internal->arena;
    }
    if (compiler->status == STATUS_OK) {
        internal->library = schema_library_ref(compiler->options->library);
        return program;
    }
    arena_release(&arena);
    return NULL;
}

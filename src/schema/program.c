/* program.c - looking at a compiled program.
 *
 * Owns: look-ups that compiler, validator and messages share, and the end of a program's life.
 * Leaves to others: building (link.c).
 */
#include "base/features.h"

#include "schema/program.h"

#include "base/hash.h"
#include "schema/compile.h"
#include "schema/internal.h"
#include "schema/library.h"
#include "regex/regex.h"

uint64_t schema_value_hash(struct json value)
{
    uint64_t seed = hash_process_seed();
    if ((schema_type_of(value) & SCHEMA_STRING) == 0)
        return json_hash(value, seed);
    struct str text = json_string(value);
    return hash_bytes(text.ptr, text.len, seed);
}

uint32_t schema_slots_for(uint32_t count)
{
    uint32_t slots = 4;
    while (slots / 2 < count && slots < UINT32_C(1) << 31)
        slots *= 2;
    return slots;
}

static bool op_child_of_run(const uint32_t *children, const struct schema_op *op, uint32_t index,
                            uint32_t *out_node)
{
    if (index >= op->b)
        return false;
    *out_node = children[op->a + index];
    return true;
}

static bool op_child_of_three(const struct schema_op *op, uint32_t index, uint32_t *out_node)
{
    if (index >= 3)
        return false;
    *out_node = index == 0 ? op->a : index == 1 ? op->b : op->c;
    return true;
}

bool schema_op_child(const struct schema_program *program, const struct schema_op *op,
                     uint32_t index, uint32_t *out_node, bool *out_in_place)
{
    *out_in_place = false;
    switch ((enum schema_opcode)op->opcode) {
    case SCHEMA_OP_ALL_OF:
    case SCHEMA_OP_ANY_OF:
    case SCHEMA_OP_ONE_OF:
        *out_in_place = true;
        return op_child_of_run(program->children, op, index, out_node);
    case SCHEMA_OP_PREFIX_ITEMS: return op_child_of_run(program->children, op, index, out_node);
    case SCHEMA_OP_REF:
    case SCHEMA_OP_DYNAMIC_REF:
    case SCHEMA_OP_NOT:
        *out_in_place = true;
        *out_node = op->a;
        return index == 0;
    case SCHEMA_OP_DEPENDENT_SCHEMA:
        *out_in_place = true;
        *out_node = op->b;
        return index == 0;
    case SCHEMA_OP_IF: *out_in_place = true; return op_child_of_three(op, index, out_node);
    case SCHEMA_OP_UNEVALUATED_ITEMS:
    case SCHEMA_OP_UNEVALUATED_PROPERTIES:
    case SCHEMA_OP_ITEMS:
    case SCHEMA_OP_CONTAINS:
    case SCHEMA_OP_ADDITIONAL:
    case SCHEMA_OP_PROPERTY_NAMES: *out_node = op->a; return index == 0;
    case SCHEMA_OP_PROPERTIES:
        if (index < op->b)
            *out_node = program->properties[op->a + index].node;
        return index < op->b;
    case SCHEMA_OP_PATTERN_PROPERTIES:
        if (index < op->b)
            *out_node = program->pattern_properties[op->a + index].node;
        return index < op->b;
    case SCHEMA_OP_TYPE:
    case SCHEMA_OP_ENUM:
    case SCHEMA_OP_MINIMUM:
    case SCHEMA_OP_MAXIMUM:
    case SCHEMA_OP_MULTIPLE_OF:
    case SCHEMA_OP_MIN_LENGTH:
    case SCHEMA_OP_MAX_LENGTH:
    case SCHEMA_OP_PATTERN:
    case SCHEMA_OP_FORMAT:
    case SCHEMA_OP_CONTENT:
    case SCHEMA_OP_MIN_ITEMS:
    case SCHEMA_OP_MAX_ITEMS:
    case SCHEMA_OP_UNIQUE_ITEMS:
    case SCHEMA_OP_REQUIRED:
    case SCHEMA_OP_MIN_PROPERTIES:
    case SCHEMA_OP_MAX_PROPERTIES:
    case SCHEMA_OP_DEPENDENT_REQUIRED: return false;
    }
    return false;
}

static bool node_has(const struct schema_program *program, uint32_t node, struct str keyword,
                     enum json_type type)
{
    struct json value = json_get(program->nodes[node].schema, keyword);
    return json_exists(value) && json_type(value) == type;
}

static bool node_has_any(const struct schema_program *program, uint32_t node, struct str keyword)
{
    return json_exists(json_get(program->nodes[node].schema, keyword));
}

struct str schema_op_keyword(const struct schema_program *program, uint32_t node,
                             const struct schema_op *op)
{
    bool exclusive = (op->flags & SCHEMA_OP_EXCLUSIVE) != 0;
    switch ((enum schema_opcode)op->opcode) {
    case SCHEMA_OP_TYPE: return STR("type");
    case SCHEMA_OP_ENUM: return (op->flags & SCHEMA_OP_IS_CONST) != 0 ? STR("const") : STR("enum");
    case SCHEMA_OP_MINIMUM:
        exclusive = exclusive && node_has(program, node, STR("exclusiveMinimum"), JSON_NUMBER);
        return exclusive ? STR("exclusiveMinimum") : STR("minimum");
    case SCHEMA_OP_MAXIMUM:
        exclusive = exclusive && node_has(program, node, STR("exclusiveMaximum"), JSON_NUMBER);
        return exclusive ? STR("exclusiveMaximum") : STR("maximum");
    case SCHEMA_OP_MULTIPLE_OF: return STR("multipleOf");
    case SCHEMA_OP_MIN_LENGTH: return STR("minLength");
    case SCHEMA_OP_MAX_LENGTH: return STR("maxLength");
    case SCHEMA_OP_PATTERN: return STR("pattern");
    case SCHEMA_OP_FORMAT: return STR("format");
    case SCHEMA_OP_PREFIX_ITEMS:
        return node_has_any(program, node, STR("prefixItems")) ? STR("prefixItems") : STR("items");
    case SCHEMA_OP_ITEMS:
        return node_has(program, node, STR("items"), JSON_ARRAY) ? STR("additionalItems")
                                                                 : STR("items");
    case SCHEMA_OP_CONTAINS: return STR("contains");
    case SCHEMA_OP_MIN_ITEMS: return STR("minItems");
    case SCHEMA_OP_MAX_ITEMS: return STR("maxItems");
    case SCHEMA_OP_UNIQUE_ITEMS: return STR("uniqueItems");
    case SCHEMA_OP_PROPERTIES: return STR("properties");
    case SCHEMA_OP_PATTERN_PROPERTIES: return STR("patternProperties");
    case SCHEMA_OP_ADDITIONAL: return STR("additionalProperties");
    case SCHEMA_OP_PROPERTY_NAMES: return STR("propertyNames");
    case SCHEMA_OP_REQUIRED: return STR("required");
    case SCHEMA_OP_MIN_PROPERTIES: return STR("minProperties");
    case SCHEMA_OP_MAX_PROPERTIES: return STR("maxProperties");
    case SCHEMA_OP_DEPENDENT_REQUIRED:
        return node_has_any(program, node, STR("dependentRequired")) ? STR("dependentRequired")
                                                                     : STR("dependencies");
    case SCHEMA_OP_DEPENDENT_SCHEMA:
        return node_has_any(program, node, STR("dependentSchemas")) ? STR("dependentSchemas")
                                                                    : STR("dependencies");
    case SCHEMA_OP_REF: return STR("$ref");
    case SCHEMA_OP_ALL_OF: return STR("allOf");
    case SCHEMA_OP_ANY_OF: return STR("anyOf");
    case SCHEMA_OP_ONE_OF: return STR("oneOf");
    case SCHEMA_OP_CONTENT:
        return node_has_any(program, node, STR("contentEncoding")) ? STR("contentEncoding")
                                                                   : STR("contentMediaType");
    case SCHEMA_OP_DYNAMIC_REF:
        return node_has_any(program, node, STR("$dynamicRef")) ? STR("$dynamicRef")
                                                               : STR("$recursiveRef");
    case SCHEMA_OP_UNEVALUATED_ITEMS: return STR("unevaluatedItems");
    case SCHEMA_OP_UNEVALUATED_PROPERTIES: return STR("unevaluatedProperties");
    case SCHEMA_OP_NOT: return STR("not");
    case SCHEMA_OP_IF: return STR("if");
    }
    return STR("");
}

const struct schema_op *schema_node_find(const struct schema_program *program, uint32_t node,
                                         enum schema_opcode opcode)
{
    const struct schema_op *ops = schema_node_ops(program, node);
    for (uint32_t i = 0; i < program->nodes[node].op_count; i++)
        if (ops[i].opcode == opcode)
            return &ops[i];
    return NULL;
}

void schema_program_free(struct schema_program *program)
{
    if (program == NULL)
        return;
    const struct schema_internal *internal = program->internal;
    const struct alloc *alloc = internal->alloc;
    for (uint32_t i = 0; i < internal->pattern_count; i++)
        regex_free(program->patterns[i].regex, alloc);
    json_doc_free(internal->doc);
    for (uint32_t i = 0; i < internal->document_count; i++)
        json_doc_free(internal->documents[i]);
    schema_library_unref(internal->library);
    struct arena arena = internal->arena;
    arena_release(&arena); /* program and internal lie in it */
}

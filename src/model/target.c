/* target.c - reading schema nodes for extraction.
 *
 * Owns: which keywords extraction looks at. Bounded by TARGET_PARTS_MAX; not recursive.
 */
#include "base/features.h"

#include "model/target.h"

static bool is_null_only(const struct schema_program *program, uint32_t node)
{
    return program->nodes[node].types == SCHEMA_NULL;
}

static void target_push(struct target *target, uint32_t node)
{
    for (unsigned i = 0; i < target->part_count; i++)
        if (target->parts[i] == node)
            return;
    if (target->part_count < TARGET_PARTS_MAX)
        target->parts[target->part_count++] = node;
}

/* An alternative with one branch besides null is that branch; others are kept to be chosen from. */
static void target_read_branches(const struct schema_program *program, const struct schema_op *op,
                                 struct target *out, bool *out_nullable)
{
    unsigned count = 0;
    uint32_t only = SCHEMA_NONE;
    for (uint32_t i = 0; i < op->b; i++) {
        uint32_t branch = program->children[op->a + i];
        if (is_null_only(program, branch)) {
            *out_nullable = true;
            continue;
        }
        only = branch;
        count++;
    }
    if (count == 1)
        target_push(out, only);
    else if (count > 1)
        out->branches = op;
}

static void target_read_op(const struct schema_program *program, const struct schema_op *op,
                           struct target *out, bool *out_nullable)
{
    switch ((enum schema_opcode)op->opcode) {
    case SCHEMA_OP_REF: target_push(out, op->a); break;
    case SCHEMA_OP_ALL_OF:
        for (uint32_t i = 0; i < op->b; i++)
            target_push(out, program->children[op->a + i]);
        break;
    case SCHEMA_OP_ANY_OF:
    case SCHEMA_OP_ONE_OF: target_read_branches(program, op, out, out_nullable); break;
    case SCHEMA_OP_ENUM: out->literals = op; break;
    case SCHEMA_OP_FORMAT: out->format = (enum schema_format)op->a; break;
    case SCHEMA_OP_TYPE:
    case SCHEMA_OP_MINIMUM:
    case SCHEMA_OP_MAXIMUM:
    case SCHEMA_OP_MULTIPLE_OF:
    case SCHEMA_OP_MIN_LENGTH:
    case SCHEMA_OP_MAX_LENGTH:
    case SCHEMA_OP_PATTERN:
    case SCHEMA_OP_PREFIX_ITEMS:
    case SCHEMA_OP_ITEMS:
    case SCHEMA_OP_CONTAINS:
    case SCHEMA_OP_MIN_ITEMS:
    case SCHEMA_OP_MAX_ITEMS:
    case SCHEMA_OP_UNIQUE_ITEMS:
    case SCHEMA_OP_PROPERTIES:
    case SCHEMA_OP_PATTERN_PROPERTIES:
    case SCHEMA_OP_ADDITIONAL:
    case SCHEMA_OP_PROPERTY_NAMES:
    case SCHEMA_OP_REQUIRED:
    case SCHEMA_OP_MIN_PROPERTIES:
    case SCHEMA_OP_MAX_PROPERTIES:
    case SCHEMA_OP_DEPENDENT_REQUIRED:
    case SCHEMA_OP_DEPENDENT_SCHEMA:
    case SCHEMA_OP_CONTENT:
    case SCHEMA_OP_DYNAMIC_REF:
    case SCHEMA_OP_UNEVALUATED_ITEMS:
    case SCHEMA_OP_UNEVALUATED_PROPERTIES:
    case SCHEMA_OP_NOT:
    case SCHEMA_OP_IF: break;
    }
}

static void target_read_words(struct json schema, struct target *out)
{
    if (!json_exists(schema) || json_type(schema) != JSON_OBJECT)
        return;
    struct json description = json_get(schema, STR("description"));
    if (out->description.len == 0 && json_exists(description) &&
        json_type(description) == JSON_STRING)
        out->description = json_string(description);
    struct json derived = json_get(schema, STR("x-derived"));
    out->is_derived = out->is_derived || (json_exists(derived) && json_type(derived) == JSON_TRUE);
}

void target_read(const struct schema_program *program, uint32_t node, struct target *out)
{
    bool nullable = false;
    *out = (struct target){ .node = node, .types = SCHEMA_ANY, .format = SCHEMA_FORMAT_UNKNOWN };
    target_push(out, node);
    for (unsigned part = 0; part < out->part_count; part++) {
        const struct schema_node *at = &program->nodes[out->parts[part]];
        for (uint32_t i = 0; i < at->op_count; i++)
            target_read_op(program, &program->ops[at->op_first + i], out, &nullable);
        out->types &= at->types | (nullable ? SCHEMA_NULL : 0u);
        target_read_words(at->schema, out);
    }
}

const struct schema_op *target_find(const struct schema_program *program,
                                    const struct target *target, enum schema_opcode opcode)
{
    for (unsigned part = 0; part < target->part_count; part++) {
        const struct schema_op *op = schema_node_find(program, target->parts[part], opcode);
        if (op != NULL)
            return op;
    }
    return NULL;
}

static bool is_required(const struct schema_program *program, const struct target *target,
                        struct str name)
{
    for (unsigned part = 0; part < target->part_count; part++) {
        const struct schema_op *op =
            schema_node_find(program, target->parts[part], SCHEMA_OP_REQUIRED);
        for (uint32_t i = 0; op != NULL && i < op->b; i++)
            if (str_equal(program->names[op->a + i], name))
                return true;
    }
    return false;
}

/* Do parts before a part have the member? */
static bool is_repeated(const struct schema_program *program, const struct target *target,
                        unsigned part, struct str name)
{
    for (unsigned i = 0; i < part; i++) {
        const struct schema_op *op =
            schema_node_find(program, target->parts[i], SCHEMA_OP_PROPERTIES);
        for (uint32_t k = 0; op != NULL && k < op->b; k++)
            if (str_equal(program->properties[op->a + k].name, name))
                return true;
    }
    return false;
}

bool target_member_at(const struct schema_program *program, const struct target *target,
                      uint32_t index, struct target_member *out)
{
    for (unsigned part = 0; part < target->part_count; part++) {
        const struct schema_op *op =
            schema_node_find(program, target->parts[part], SCHEMA_OP_PROPERTIES);
        if (op == NULL)
            continue;
        if (index < op->b) {
            const struct schema_property *property = &program->properties[op->a + index];
            *out = (struct target_member){ property->name, property->node,
                                           property->required ||
                                               is_required(program, target, property->name),
                                           is_repeated(program, target, part, property->name) };
            return true;
        }
        index -= op->b;
    }
    return false;
}

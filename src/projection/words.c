/* words.c - what a keyword asks, in plain words for a model.
 *
 * Owns: the phrases. Leaves to others: where they stand and how many fit (emit.c). Invariants: a
 * phrase is exact or quotes the schema; it is bounded.
 */
#include "base/features.h"

#include "projection/words.h"

#include <inttypes.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "schema/format.h"

enum { WORDS_SCHEMA_BYTES = 200, WORDS_VALUES_BYTES = 400, WORDS_TEXT_BYTES = 600 };

/* ---- facts ----------------------------------------------------------------------------------- */

static const char *opcode_keyword(const struct schema_op *op)
{
    switch ((enum schema_opcode)op->opcode) {
    case SCHEMA_OP_TYPE: return "type";
    case SCHEMA_OP_ENUM: return (op->flags & SCHEMA_OP_IS_CONST) != 0 ? "const" : "enum";
    case SCHEMA_OP_MINIMUM: return "minimum";
    case SCHEMA_OP_MAXIMUM: return "maximum";
    case SCHEMA_OP_MULTIPLE_OF: return "multipleOf";
    case SCHEMA_OP_MIN_LENGTH: return "minLength";
    case SCHEMA_OP_MAX_LENGTH: return "maxLength";
    case SCHEMA_OP_PATTERN: return "pattern";
    case SCHEMA_OP_FORMAT: return "format";
    case SCHEMA_OP_CONTENT: return "contentEncoding";
    case SCHEMA_OP_PREFIX_ITEMS: return "prefixItems";
    case SCHEMA_OP_ITEMS: return "items";
    case SCHEMA_OP_CONTAINS: return "contains";
    case SCHEMA_OP_MIN_ITEMS: return "minItems";
    case SCHEMA_OP_MAX_ITEMS: return "maxItems";
    case SCHEMA_OP_UNIQUE_ITEMS: return "uniqueItems";
    case SCHEMA_OP_PROPERTIES: return "properties";
    case SCHEMA_OP_PATTERN_PROPERTIES: return "patternProperties";
    case SCHEMA_OP_ADDITIONAL: return "additionalProperties";
    case SCHEMA_OP_PROPERTY_NAMES: return "propertyNames";
    case SCHEMA_OP_REQUIRED: return "required";
    case SCHEMA_OP_MIN_PROPERTIES: return "minProperties";
    case SCHEMA_OP_MAX_PROPERTIES: return "maxProperties";
    case SCHEMA_OP_DEPENDENT_REQUIRED: return "dependentRequired";
    case SCHEMA_OP_DEPENDENT_SCHEMA: return "dependentSchemas";
    case SCHEMA_OP_REF: return "$ref";
    case SCHEMA_OP_ALL_OF: return "allOf";
    case SCHEMA_OP_ANY_OF: return "anyOf";
    case SCHEMA_OP_ONE_OF: return "oneOf";
    case SCHEMA_OP_NOT: return "not";
    case SCHEMA_OP_IF: return "if";
    case SCHEMA_OP_DYNAMIC_REF: return "$dynamicRef";
    case SCHEMA_OP_UNEVALUATED_ITEMS: return "unevaluatedItems";
    case SCHEMA_OP_UNEVALUATED_PROPERTIES: return "unevaluatedProperties";
    }
    return "";
}

/* Draft-04 writes an exclusive bound as a boolean beside the bound. */
static const char *exclusive_keyword(const struct schema_op *op, struct json schema)
{
    const char *name = op->opcode == SCHEMA_OP_MINIMUM ? "exclusiveMinimum" : "exclusiveMaximum";
    struct json value = json_get(schema, str_from(name));
    return json_exists(value) && json_type(value) == JSON_NUMBER ? name : opcode_keyword(op);
}

struct str shape_fact_keyword(const struct schema_program *program, struct shape_fact fact)
{
    const struct schema_op *op = &program->ops[fact.op];
    struct json schema = program->nodes[fact.node].schema;
    if ((op->flags & SCHEMA_OP_EXCLUSIVE) != 0 && json_type(schema) == JSON_OBJECT &&
        (op->opcode == SCHEMA_OP_MINIMUM || op->opcode == SCHEMA_OP_MAXIMUM))
        return str_from(exclusive_keyword(op, schema));
    return str_from(opcode_keyword(op));
}

struct json shape_fact_value(const struct schema_program *program, struct shape_fact fact)
{
    struct json schema = program->nodes[fact.node].schema;
    if (json_type(schema) != JSON_OBJECT)
        return (struct json){ schema.doc, NULL };
    struct json value = json_get(schema, shape_fact_keyword(program, fact));
    if (!json_exists(value) && program->ops[fact.op].opcode == SCHEMA_OP_MULTIPLE_OF)
        value = json_get(schema, STR("divisibleBy"));
    return value;
}

/* ---- phrases --------------------------------------------------------------------------------- */

void words_json(struct json value, size_t bytes_max, struct buffer *out)
{
    size_t before = out->len;
    json_write(value, 0, out);
    if (buffer_status(out) != STATUS_OK || out->len - before <= bytes_max)
        return;
    struct str kept = utf8_prefix(str_of(out->ptr + before, out->len - before), bytes_max);
    buffer_truncate(out, before + kept.len);
    buffer_append_str(out, STR("\xE2\x80\xA6"));
}

static void words_schema(const struct schema_program *program, uint32_t node, struct buffer *out)
{
    words_json(program->nodes[node].schema, WORDS_SCHEMA_BYTES, out);
}

static void words_name(struct str name, struct buffer *out)
{
    json_write_string(utf8_prefix(name, WORDS_SCHEMA_BYTES), out);
}

/* The only thing that a schema asks is that members are there. */
static const struct schema_op *only_required(const struct schema_program *program, uint32_t node)
{
    const struct schema_op *required = schema_node_find(program, node, SCHEMA_OP_REQUIRED);
    const struct schema_node *row = &program->nodes[node];
    return row->op_count == 1 ? required : NULL;
}

static void words_names(const struct schema_program *program, uint32_t first, uint32_t count,
                        struct buffer *out)
{
    for (uint32_t i = 0; i < count && i < 20; i++) {
        if (i > 0)
            buffer_append_str(out, STR(", "));
        words_name(program->names[first + i], out);
    }
}

static void words_alternatives(const struct schema_program *program, const struct schema_op *op,
                               struct buffer *out)
{
    buffer_append_str(out, op->opcode == SCHEMA_OP_ONE_OF ? STR("exactly one of these is true: ")
                                                          : STR("one of these is true: "));
    for (uint32_t i = 0; i < op->b && i < 8; i++) {
        uint32_t child = program->children[op->a + i];
        const struct schema_op *required = only_required(program, child);
        if (i > 0)
            buffer_append_str(out, STR("; "));
        if (required != NULL) {
            buffer_append_str(out, STR("it has "));
            words_names(program, required->a, required->b, out);
        } else {
            buffer_append_str(out, STR("it matches "));
            words_schema(program, child, out);
        }
    }
}

static void words_condition(const struct schema_program *program, const struct schema_op *op,
                            struct buffer *out)
{
    buffer_append_str(out, STR("if it matches "));
    words_schema(program, op->a, out);
    if (op->b != SCHEMA_NONE) {
        buffer_append_str(out, STR(", then also "));
        words_schema(program, op->b, out);
    }
    if (op->c != SCHEMA_NONE) {
        buffer_append_str(out, STR(", else "));
        words_schema(program, op->c, out);
    }
}

static void words_contains(const struct schema_program *program, const struct schema_op *op,
                           struct buffer *out)
{
    buffer_printf(out, "at least %" PRIu32, op->b);
    if (op->c != SCHEMA_NONE)
        buffer_printf(out, " and at most %" PRIu32, op->c);
    buffer_append_str(out, STR(" items match "));
    words_schema(program, op->a, out);
}

static void words_count(const struct schema_op *op, const char *before, const char *what,
                        struct buffer *out)
{
    buffer_printf(out, "%s %" PRIu32 " %s%s", before, op->a, what, op->a == 1 ? "" : "s");
}

static void words_value(const char *before, struct json value, struct buffer *out)
{
    buffer_append_str(out, str_from(before));
    if (json_exists(value) && json_type(value) == JSON_STRING)
        buffer_append_str(out, utf8_prefix(json_string(value), WORDS_SCHEMA_BYTES));
    else if (json_exists(value))
        words_json(value, WORDS_SCHEMA_BYTES, out);
}

static void words_bound(const struct schema_op *op, struct json value, struct buffer *out)
{
    bool is_exclusive = (op->flags & SCHEMA_OP_EXCLUSIVE) != 0;
    if (op->opcode == SCHEMA_OP_MINIMUM)
        words_value(is_exclusive ? "greater than " : "at least ", value, out);
    else
        words_value(is_exclusive ? "less than " : "at most ", value, out);
}

static void words_of_object(const struct schema_program *program, const struct schema_op *op,
                            struct buffer *out)
{
    if (op->opcode == SCHEMA_OP_DEPENDENT_REQUIRED) {
        buffer_append_str(out, STR("with "));
        words_name(program->names[op->a], out);
        buffer_append_str(out, STR(" also "));
        words_names(program, op->b, op->c, out);
    } else {
        buffer_append_str(out, STR("with "));
        words_name(program->names[op->a], out);
        buffer_append_str(out, STR(" it also matches "));
        words_schema(program, op->b, out);
    }
}

static void words_schema_after(const struct schema_program *program, const char *before,
                               uint32_t node, struct buffer *out)
{
    buffer_append_str(out, str_from(before));
    words_schema(program, node, out);
}

void words_of_fact(const struct schema_program *program, struct shape_fact fact, struct buffer *out)
{
    const struct schema_op *op = &program->ops[fact.op];
    struct json value = shape_fact_value(program, fact);
    switch ((enum schema_opcode)op->opcode) {
    case SCHEMA_OP_MINIMUM:
    case SCHEMA_OP_MAXIMUM: words_bound(op, value, out); return;
    case SCHEMA_OP_MULTIPLE_OF: words_value("a multiple of ", value, out); return;
    case SCHEMA_OP_MIN_LENGTH: words_count(op, "at least", "character", out); return;
    case SCHEMA_OP_MAX_LENGTH: words_count(op, "at most", "character", out); return;
    case SCHEMA_OP_PATTERN: words_value("matches the pattern ", value, out); return;
    case SCHEMA_OP_FORMAT: words_value("in the format ", value, out); return;
    case SCHEMA_OP_CONTENT:
        buffer_append_str(out, (op->a & SCHEMA_CONTENT_BASE64) != 0 ? STR("base64") : STR("JSON"));
        return;
    case SCHEMA_OP_CONTAINS: words_contains(program, op, out); return;
    case SCHEMA_OP_MIN_ITEMS: words_count(op, "at least", "item", out); return;
    case SCHEMA_OP_MAX_ITEMS: words_count(op, "at most", "item", out); return;
    case SCHEMA_OP_UNIQUE_ITEMS: buffer_append_str(out, STR("all items differ")); return;
    case SCHEMA_OP_MIN_PROPERTIES: words_count(op, "at least", "member", out); return;
    case SCHEMA_OP_MAX_PROPERTIES: words_count(op, "at most", "member", out); return;
    case SCHEMA_OP_DEPENDENT_REQUIRED:
    case SCHEMA_OP_DEPENDENT_SCHEMA: words_of_object(program, op, out); return;
    case SCHEMA_OP_ANY_OF:
    case SCHEMA_OP_ONE_OF: words_alternatives(program, op, out); return;
    case SCHEMA_OP_NOT: words_schema_after(program, "must not match ", op->a, out); return;
    case SCHEMA_OP_IF: words_condition(program, op, out); return;
    case SCHEMA_OP_PROPERTY_NAMES: words_schema_after(program, "names match ", op->a, out); return;
    case SCHEMA_OP_UNEVALUATED_ITEMS:
        words_schema_after(program, "further items match ", op->a, out);
        return;
    case SCHEMA_OP_UNEVALUATED_PROPERTIES:
        words_schema_after(program, "further members match ", op->a, out);
        return;
    case SCHEMA_OP_TYPE:
    case SCHEMA_OP_ENUM:
    case SCHEMA_OP_PREFIX_ITEMS:
    case SCHEMA_OP_ITEMS:
    case SCHEMA_OP_PROPERTIES:
    case SCHEMA_OP_PATTERN_PROPERTIES:
    case SCHEMA_OP_ADDITIONAL:
    case SCHEMA_OP_REQUIRED:
    case SCHEMA_OP_REF:
    case SCHEMA_OP_ALL_OF:
    case SCHEMA_OP_DYNAMIC_REF: return;
    }
}

void words_of_values(const struct shape_node *node, struct buffer *out)
{
    size_t before = out->len;
    buffer_append_str(out, node->value_count == 1 ? STR("exactly ") : STR("one of "));
    for (uint32_t i = 0; i < node->value_count; i++) {
        if (i > 0)
            buffer_append_str(out, STR(", "));
        if (out->len - before > WORDS_VALUES_BYTES) {
            buffer_printf(out, "\xE2\x80\xA6 (%" PRIu32 " values)", node->value_count);
            return;
        }
        words_json(node->values[i], WORDS_SCHEMA_BYTES, out);
    }
}

void words_of_text(const struct shape *shape, const struct shape_node *node, struct buffer *out)
{
    buffer_append_str(out, STR("a JSON text in a string"));
    if (node->why == SHAPE_WHY_ENUM || node->node_count == 0)
        return;
    if (node->why == SHAPE_WHY_ANY) {
        buffer_append_str(out, shape->program->nodes[node->source].types == SCHEMA_OBJECT
                                   ? STR(", of an object")
                                   : STR(""));
        return;
    }
    buffer_append_str(out, STR(", of a value that matches "));
    words_json(shape->program->nodes[node->source].schema, WORDS_TEXT_BYTES, out);
}

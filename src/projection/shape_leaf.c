/* shape_leaf.c - scalars: which keywords become facts of the form, which are only said in words.
 *
 * Owns: facts of every form (bounds, lengths, counts, patterns), the values of an enum. Leaves to
 * others: whether the wire takes a fact (emit.c). Invariants: of two bounds the tighter one is the
 * fact; a value of an enum satisfies everything that applies in its place, so nothing else needs to
 * be said of it.
 */
#include "base/features.h"

#include "projection/shape_builder.h"

/* ---- facts ----------------------------------------------------------------------------------- */

static enum shape_fact_kind op_fact(const struct schema_op *op)
{
    static const uint8_t kinds[] = {
        [SCHEMA_OP_MINIMUM] = FACT_MINIMUM + 1,
        [SCHEMA_OP_MAXIMUM] = FACT_MAXIMUM + 1,
        [SCHEMA_OP_MULTIPLE_OF] = FACT_MULTIPLE_OF + 1,
        [SCHEMA_OP_MIN_LENGTH] = FACT_MIN_LENGTH + 1,
        [SCHEMA_OP_MAX_LENGTH] = FACT_MAX_LENGTH + 1,
        [SCHEMA_OP_PATTERN] = FACT_PATTERN + 1,
        [SCHEMA_OP_FORMAT] = FACT_FORMAT + 1,
        [SCHEMA_OP_MIN_ITEMS] = FACT_MIN_ITEMS + 1,
        [SCHEMA_OP_MAX_ITEMS] = FACT_MAX_ITEMS + 1,
        [SCHEMA_OP_UNIQUE_ITEMS] = FACT_UNIQUE_ITEMS + 1,
        [SCHEMA_OP_MIN_PROPERTIES] = FACT_MIN_PROPERTIES + 1,
        [SCHEMA_OP_MAX_PROPERTIES] = FACT_MAX_PROPERTIES + 1,
    };
    if (op->opcode >= sizeof(kinds) || kinds[op->opcode] == 0)
        return FACT_COUNT;
    return (enum shape_fact_kind)(kinds[op->opcode] - 1);
}

/* Below, equal, above 0: a is looser than, says the same as, is tighter than b. Only of facts that
 * can be compared: *out_known. */
static int fact_compare(const struct schema_program *program, enum shape_fact_kind kind,
                        const struct schema_op *a, const struct schema_op *b, bool *out_known)
{
    int sign = kind == FACT_MAXIMUM || kind == FACT_MAX_LENGTH || kind == FACT_MAX_ITEMS ||
                       kind == FACT_MAX_PROPERTIES
                   ? -1
                   : 1;
    *out_known = true;
    if (kind == FACT_PATTERN || kind == FACT_FORMAT) {
        *out_known = a->a == b->a;
        return 0;
    }
    if (kind > FACT_MULTIPLE_OF)
        return a->a == b->a ? 0 : a->a > b->a ? sign : -sign;
    int order = decimal_compare(&program->decimals[a->a], &program->decimals[b->a]);
    if (kind == FACT_MULTIPLE_OF) {
        *out_known = order == 0;
        return 0;
    }
    if (order != 0)
        return order > 0 ? sign : -sign;
    return (int)(a->flags & SCHEMA_OP_EXCLUSIVE) - (int)(b->flags & SCHEMA_OP_EXCLUSIVE);
}

static bool op_says_nothing(const struct schema_op *op)
{
    return op->a == 0 && (op->opcode == SCHEMA_OP_MIN_LENGTH || op->opcode == SCHEMA_OP_MIN_ITEMS ||
                          op->opcode == SCHEMA_OP_MIN_PROPERTIES);
}

/* All that applies in the place comes from its first node, so that unevaluatedProperties there sees
 * every member that the form has. */
static bool node_sees_all(struct shape_builder *builder, const struct shape_node *node)
{
    const struct schema_program *program = builder->program;
    struct conjunction all = { .types = SCHEMA_ANY };
    conjunction_add(builder, &all, node->nodes[0]);
    for (uint32_t i = 0; i < node->taken_count; i++) {
        const struct schema_op *op = &program->ops[node->taken[i]];
        for (uint32_t k = 0; k < op->b; k++)
            conjunction_add(builder, &all, program->children[op->a + k]);
    }
    for (uint32_t i = 0; i < node->node_count; i++) {
        uint32_t k = 0;
        while (k < all.count && all.nodes[k] != node->nodes[i])
            k++;
        if (k == all.count)
            return false;
    }
    return true;
}

/* Instructions that no form expresses, unless the alternatives were followed. */
static bool op_is_rest(struct shape_builder *builder, const struct shape_node *node,
                       struct shape_fact fact, const struct schema_op *op)
{
    switch ((enum schema_opcode)op->opcode) {
    case SCHEMA_OP_NOT:
    case SCHEMA_OP_CONTAINS:
    case SCHEMA_OP_CONTENT:
    case SCHEMA_OP_DEPENDENT_REQUIRED:
    case SCHEMA_OP_DEPENDENT_SCHEMA:
    case SCHEMA_OP_DYNAMIC_REF:
    case SCHEMA_OP_UNEVALUATED_ITEMS: return true;
    case SCHEMA_OP_UNEVALUATED_PROPERTIES:
        return fact.node != node->nodes[0] || !node_sees_all(builder, node);
    case SCHEMA_OP_IF: return op->b != SCHEMA_NONE || op->c != SCHEMA_NONE;
    case SCHEMA_OP_ANY_OF:
    case SCHEMA_OP_ONE_OF:
        for (uint32_t i = 0; i < node->taken_count; i++) {
            if (node->taken[i] == fact.op)
                return false;
        }
        return true;
    case SCHEMA_OP_TYPE:
    case SCHEMA_OP_ENUM:
    case SCHEMA_OP_MINIMUM:
    case SCHEMA_OP_MAXIMUM:
    case SCHEMA_OP_MULTIPLE_OF:
    case SCHEMA_OP_MIN_LENGTH:
    case SCHEMA_OP_MAX_LENGTH:
    case SCHEMA_OP_PATTERN:
    case SCHEMA_OP_FORMAT:
    case SCHEMA_OP_PREFIX_ITEMS:
    case SCHEMA_OP_ITEMS:
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
    case SCHEMA_OP_REF:
    case SCHEMA_OP_ALL_OF: return false;
    }
    return false;
}

enum { REST_MAX = 64 };

struct fact_list {
    struct shape_fact facts[FACT_COUNT];
    struct shape_fact rest[REST_MAX];
    uint32_t rest_count;
};

static void fact_list_rest(struct fact_list *list, struct shape_fact fact)
{
    if (list->rest_count < REST_MAX)
        list->rest[list->rest_count++] = fact;
}

static void fact_list_add(const struct schema_program *program, struct fact_list *list,
                          struct shape_fact fact)
{
    const struct schema_op *op = &program->ops[fact.op];
    enum shape_fact_kind kind = op_fact(op);
    if (kind == FACT_COUNT || op_says_nothing(op))
        return;
    struct shape_fact *slot = &list->facts[kind];
    if (slot->op == SCHEMA_NONE) {
        *slot = fact;
        return;
    }
    bool is_known;
    int order = fact_compare(program, kind, op, &program->ops[slot->op], &is_known);
    if (!is_known)
        fact_list_rest(list, fact);
    else if (order > 0)
        *slot = fact;
}

void builder_facts(struct shape_builder *builder, uint32_t index, uint8_t types)
{
    const struct schema_program *program = builder->program;
    struct shape_node *node = &builder->shape->nodes[index];
    struct fact_list list = { .rest_count = 0 };
    for (unsigned i = 0; i < FACT_COUNT; i++)
        list.facts[i].op = SCHEMA_NONE;
    for (uint32_t i = 0; i < node->node_count; i++) {
        const struct schema_node *row = &program->nodes[node->nodes[i]];
        for (uint32_t k = row->op_first; k < row->op_first + row->op_count; k++) {
            struct shape_fact fact = { node->nodes[i], k };
            if ((program->ops[k].types & types) == 0)
                continue;
            if (op_is_rest(builder, node, fact, &program->ops[k]))
                fact_list_rest(&list, fact);
            else
                fact_list_add(program, &list, fact);
        }
    }
    memcpy(node->facts, list.facts, sizeof(list.facts));
    struct shape_fact *rest = builder_array(builder, list.rest_count, sizeof(*rest));
    if (rest == NULL)
        return;
    memcpy(rest, list.rest, list.rest_count * sizeof(*rest));
    node->rest = rest;
    node->rest_count = list.rest_count;
}

/* ---- scalars --------------------------------------------------------------------------------- */

void builder_fill_leaf(struct shape_builder *builder, uint32_t index)
{
    switch ((enum shape_kind)builder->shape->nodes[index].kind) {
    case SHAPE_NULL: builder_facts(builder, index, SCHEMA_NULL); return;
    case SHAPE_BOOLEAN: builder_facts(builder, index, SCHEMA_BOOLEAN); return;
    case SHAPE_INTEGER:
    case SHAPE_NUMBER: builder_facts(builder, index, SCHEMA_NUMBER); return;
    case SHAPE_STRING: builder_facts(builder, index, SCHEMA_STRING); return;
    case SHAPE_OPEN:
    case SHAPE_FREE:
    case SHAPE_TEXT:
    case SHAPE_OBJECT:
    case SHAPE_PAIRS:
    case SHAPE_ARRAY:
    case SHAPE_TUPLE:
    case SHAPE_UNION: return;
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool value_is_of(enum shape_kind kind, const struct wire_rules *rules, struct json value)
{
    bool has_scalars = wire_takes(rules, WIRE_ENUM_SCALARS) || wire_takes(rules, WIRE_CONST);
    bool has_numbers = has_scalars || wire_takes(rules, WIRE_ENUM_NUMBERS);
    enum json_type type = json_type(value);
    bool is_boolean = type == JSON_TRUE || type == JSON_FALSE;
    switch (kind) {
    case SHAPE_NULL: return type == JSON_NULL;
    case SHAPE_BOOLEAN: return is_boolean;
    case SHAPE_INTEGER:
    case SHAPE_NUMBER: return type == JSON_NUMBER;
    case SHAPE_STRING: return type == JSON_STRING;
    case SHAPE_TEXT:
        return type == JSON_ARRAY || type == JSON_OBJECT || (type == JSON_NUMBER && !has_numbers) ||
               (is_boolean && !has_scalars);
    case SHAPE_OPEN:
    case SHAPE_FREE:
    case SHAPE_OBJECT:
    case SHAPE_PAIRS:
    case SHAPE_ARRAY:
    case SHAPE_TUPLE:
    case SHAPE_UNION: break;
    }
    return false;
}

static bool values_have(const struct json *values, uint32_t count, struct json value)
{
    uint64_t budget = 100000;
    for (uint32_t i = 0; i < count; i++) {
        if (json_equal(values[i], value, &budget))
            return true;
    }
    return false;
}

/* The shortest enum of the conjunction. */
static const struct schema_op *node_enum(const struct shape_builder *builder,
                                         const struct shape_node *node)
{
    const struct schema_op *shortest = NULL;
    for (struct op_cursor at = { 0 };
         op_next(builder, node->nodes, node->node_count, SCHEMA_OP_ENUM, &at);) {
        if (shortest == NULL || at.op->b < shortest->b)
            shortest = at.op;
    }
    return shortest;
}

static bool values_are_both_booleans(const struct json *values, uint32_t count)
{
    return count == 2 && json_type(values[0]) != json_type(values[1]);
}

void builder_fill_values(struct shape_builder *builder, uint32_t index)
{
    struct shape_node *node = &builder->shape->nodes[index];
    enum shape_kind kind = (enum shape_kind)node->kind;
    const struct schema_op *op = node_enum(builder, node);
    struct json *values = builder_array(builder, op->b, sizeof(*values));
    uint32_t count = 0;
    for (uint32_t i = 0; values != NULL && i < op->b; i++) {
        struct json value = builder->program->values[op->a + i];
        if (value_is_of(kind, builder->rules, value) &&
            fits_all(&builder->fits, node->nodes, node->node_count, value) &&
            (op->b > 500 || !values_have(values, count, value)))
            values[count++] = value;
    }
    if (kind == SHAPE_TEXT)
        node->why = SHAPE_WHY_ENUM;
    if (kind == SHAPE_NULL || (kind == SHAPE_BOOLEAN && values_are_both_booleans(values, count)))
        return;
    node->values = values;
    node->value_count = count;
}

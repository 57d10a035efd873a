/* shape_place.c - a place: its conjunction → alternatives → one form each.
 *
 * Owns: which anyOf and oneOf are followed (those that change the form; others are only said in
 * words), whether the alternatives of a oneOf exclude each other, the types that keywords speak of
 * where `type` is missing, values of enum. Leaves to others: the forms. Invariant: bounded by
 * BRANCHES_MAX; what is not followed leaves the place wider, never narrower.
 */
#include "base/features.h"

#include "projection/shape_builder.h"

/* ---- alternatives ---------------------------------------------------------------------------- */

static bool is_fork(const struct schema_op *op)
{
    return op->opcode == SCHEMA_OP_ANY_OF || op->opcode == SCHEMA_OP_ONE_OF;
}

/* Keywords that leave the form of a value as it is. */
static bool op_is_formless(const struct schema_op *op)
{
    return op->opcode == SCHEMA_OP_TYPE || op->opcode == SCHEMA_OP_REQUIRED ||
           op->opcode == SCHEMA_OP_NOT || op->opcode == SCHEMA_OP_IF ||
           op->opcode == SCHEMA_OP_DEPENDENT_REQUIRED || op->opcode == SCHEMA_OP_MIN_PROPERTIES ||
           op->opcode == SCHEMA_OP_MAX_PROPERTIES;
}

static bool child_is_formless(struct shape_builder *builder, uint32_t child, uint8_t types)
{
    struct conjunction all = { .types = SCHEMA_ANY };
    struct op_cursor at = { 0 };
    conjunction_add(builder, &all, child);
    if ((all.types & types) != types)
        return false;
    for (; at.item < all.count; at.item++) {
        const struct schema_node *row = &builder->program->nodes[all.nodes[at.item]];
        for (uint32_t i = 0; i < row->op_count; i++) {
            if (!op_is_formless(&builder->program->ops[row->op_first + i]))
                return false;
        }
    }
    return true;
}

static bool fork_is_followed(struct shape_builder *builder, const struct branch *branch,
                             const struct schema_op *op)
{
    for (uint32_t i = 0; i < op->b; i++) {
        uint32_t child = builder->program->children[op->a + i];
        if (!child_is_formless(builder, child, branch->all.types))
            return true;
    }
    return false;
}

static bool branch_has_taken(const struct branch *branch, uint32_t op)
{
    for (uint32_t i = 0; i < branch->taken_count; i++) {
        if (branch->taken[i] == op)
            return true;
    }
    return false;
}

static const struct schema_op *branch_fork(struct shape_builder *builder, struct branch *branch)
{
    const struct schema_program *program = builder->program;
    for (uint32_t i = 0; i < branch->all.count; i++) {
        const struct schema_node *row = &program->nodes[branch->all.nodes[i]];
        for (uint32_t k = 0; k < row->op_count; k++) {
            const struct schema_op *op = &program->ops[row->op_first + k];
            if (is_fork(op) && !branch_has_taken(branch, row->op_first + k) &&
                fork_is_followed(builder, branch, op))
                return op;
        }
    }
    return NULL;
}

/* Replaces branch `at` by one branch for each child; those that nothing satisfies go. False: there
 * would be too many. */
static bool branches_split(struct shape_builder *builder, uint32_t at, uint32_t *count,
                           const struct schema_op *op)
{
    const struct branch before = builder->branches[at];
    if (*count - 1 + op->b > BRANCHES_MAX || before.taken_count == BRANCH_TAKEN_MAX)
        return false;
    memmove(&builder->branches[at], &builder->branches[at + 1], (*count - at - 1) * sizeof(before));
    (*count)--;
    uint32_t added = 0;
    for (uint32_t i = 0; i < op->b; i++) {
        struct branch branch = before;
        branch.taken[branch.taken_count++] = (uint32_t)(op - builder->program->ops);
        conjunction_add(builder, &branch.all, builder->program->children[op->a + i]);
        if (branch.all.types == 0)
            continue;
        uint32_t to = at + added++;
        memmove(&builder->branches[to + 1], &builder->branches[to], (*count - to) * sizeof(before));
        builder->branches[to] = branch;
        (*count)++;
    }
    return true;
}

/* ---- exactly one ----------------------------------------------------------------------------- */

/* The values of an enum of a member that a conjunction requires, or NULL. */
static const struct schema_op *member_values(struct shape_builder *builder,
                                             const struct conjunction *all, struct str name)
{
    const struct schema_program *program = builder->program;
    for (struct op_cursor at = { 0 };
         op_next(builder, all->nodes, all->count, SCHEMA_OP_PROPERTIES, &at);) {
        for (uint32_t i = 0; i < at.op->b && i < 64; i++) {
            const struct schema_property *property = &program->properties[at.op->a + i];
            if (str_equal(property->name, name))
                return schema_node_find(program, property->node, SCHEMA_OP_ENUM);
        }
    }
    return NULL;
}

static bool values_differ(struct shape_builder *builder, const struct schema_op *a,
                          const struct schema_op *b)
{
    uint64_t budget = 20000;
    for (uint32_t i = 0; i < a->b; i++) {
        for (uint32_t k = 0; k < b->b; k++) {
            if (json_equal(builder->program->values[a->a + i], builder->program->values[b->a + k],
                           &budget) ||
                budget == 0)
                return false;
        }
    }
    return true;
}

/* No value satisfies both: other types, or a required member with other values. */
static bool conjunctions_differ(struct shape_builder *builder, const struct conjunction *a,
                                const struct conjunction *b)
{
    if ((a->types & b->types) == 0)
        return true;
    if ((a->types & b->types) != SCHEMA_OBJECT)
        return false;
    for (struct op_cursor at = { 0 };
         op_next(builder, a->nodes, a->count, SCHEMA_OP_REQUIRED, &at);) {
        for (uint32_t i = 0; i < at.op->b && i < 64; i++) {
            struct str name = builder->program->names[at.op->a + i];
            const struct schema_op *ours = member_values(builder, a, name);
            const struct schema_op *theirs = ours == NULL ? NULL : member_values(builder, b, name);
            if (theirs != NULL && values_differ(builder, ours, theirs))
                return true;
        }
    }
    return false;
}

/* The alternatives of a oneOf exclude each other by form: then it says no more than anyOf. */
static bool fork_excludes(struct shape_builder *builder, const struct schema_op *op)
{
    enum { EXCLUDE_MAX = 24 };
    if (op->opcode == SCHEMA_OP_ANY_OF)
        return true;
    if (op->b > EXCLUDE_MAX)
        return false;
    for (uint32_t i = 0; i + 1 < op->b; i++) {
        struct conjunction a = { .types = SCHEMA_ANY };
        conjunction_add(builder, &a, builder->program->children[op->a + i]);
        for (uint32_t k = i + 1; k < op->b; k++) {
            struct conjunction b = { .types = SCHEMA_ANY };
            conjunction_add(builder, &b, builder->program->children[op->a + k]);
            if (!conjunctions_differ(builder, &a, &b))
                return false;
        }
    }
    return true;
}

static uint32_t op_owner(const struct branch *branch, const struct schema_program *program,
                         const struct schema_op *op)
{
    uint32_t index = (uint32_t)(op - program->ops);
    for (uint32_t i = 0; i < branch->all.count; i++) {
        const struct schema_node *row = &program->nodes[branch->all.nodes[i]];
        if (index >= row->op_first && index < row->op_first + row->op_count)
            return branch->all.nodes[i];
    }
    return 0;
}

/* ---- forms ----------------------------------------------------------------------------------- */

/* Without `type` and enum, the types that the keywords speak of are meant. */
static uint8_t branch_types(const struct shape_builder *builder, const struct branch *branch)
{
    const struct schema_program *program = builder->program;
    uint8_t spoken = 0;
    if (branch->all.types != SCHEMA_ANY)
        return branch->all.types;
    for (uint32_t i = 0; i < branch->all.count; i++) {
        const struct schema_node *row = &program->nodes[branch->all.nodes[i]];
        for (uint32_t k = 0; k < row->op_count; k++) {
            const struct schema_op *op = &program->ops[row->op_first + k];
            if (op->types != SCHEMA_ANY)
                spoken |= op->types;
        }
    }
    return spoken == 0 ? SCHEMA_ANY : spoken;
}

struct place_parts {
    uint32_t items[BRANCHES_MAX];
    uint32_t count;
    bool overflows;
};

static void parts_add(struct place_parts *parts, uint32_t part)
{
    for (uint32_t i = 0; i < parts->count; i++) {
        if (parts->items[i] == part)
            return;
    }
    if (parts->count == BRANCHES_MAX)
        parts->overflows = true;
    else
        parts->items[parts->count++] = part;
}

static const uint8_t kind_types[] = {
    [SHAPE_NULL] = SCHEMA_NULL,
    [SHAPE_BOOLEAN] = SCHEMA_BOOLEAN,
    [SHAPE_INTEGER] = SCHEMA_INTEGER,
    [SHAPE_NUMBER] = SCHEMA_NUMBER,
    [SHAPE_STRING] = SCHEMA_STRING,
    [SHAPE_OBJECT] = SCHEMA_OBJECT,
    [SHAPE_PAIRS] = 0,
    [SHAPE_ARRAY] = SCHEMA_ARRAY,
};

static bool kind_is_among(enum shape_kind kind, uint8_t types)
{
    if (kind == SHAPE_NUMBER)
        return (types & SCHEMA_FRACTION) != 0;
    if (kind == SHAPE_INTEGER)
        return (types & SCHEMA_NUMBER) == SCHEMA_INTEGER;
    return (kind_types[kind] & types) != 0;
}

static uint8_t value_bit(struct json value)
{
    switch (json_type(value)) {
    case JSON_NULL: return SCHEMA_NULL;
    case JSON_FALSE:
    case JSON_TRUE: return SCHEMA_BOOLEAN;
    case JSON_STRING: return SCHEMA_STRING;
    case JSON_ARRAY: return SCHEMA_ARRAY;
    case JSON_OBJECT: return SCHEMA_OBJECT;
    case JSON_NUMBER: break;
    }
    struct decimal number = json_number(value);
    return decimal_is_integer(&number) ? SCHEMA_INTEGER : SCHEMA_FRACTION;
}

/* Types of the values of the shortest enum that all nodes take; *out_op NULL: there is no enum. */
static uint8_t branch_values(struct shape_builder *builder, const struct branch *branch,
                             const struct schema_op **out_op)
{
    uint8_t types = 0;
    *out_op = NULL;
    for (struct op_cursor at = { 0 };
         op_next(builder, branch->all.nodes, branch->all.count, SCHEMA_OP_ENUM, &at);) {
        if (*out_op == NULL || at.op->b < (*out_op)->b)
            *out_op = at.op;
    }
    for (uint32_t i = 0; *out_op != NULL && i < (*out_op)->b; i++) {
        struct json value = builder->program->values[(*out_op)->a + i];
        if (fits_all(&builder->fits, branch->all.nodes, branch->all.count, value))
            types |= value_bit(value);
    }
    return types;
}

/* Objects and arrays among the values, and what the rules take no enum of, are texts. */
static void parts_of_values(struct shape_builder *builder, const struct branch *branch,
                            uint8_t types, struct place_parts *parts)
{
    const struct wire_rules *rules = builder->rules;
    bool has_scalars = wire_takes(rules, WIRE_ENUM_SCALARS) || wire_takes(rules, WIRE_CONST);
    bool has_numbers = has_scalars || wire_takes(rules, WIRE_ENUM_NUMBERS);
    uint8_t texts = types & (SCHEMA_ARRAY | SCHEMA_OBJECT);
    if (!has_numbers)
        texts |= types & SCHEMA_NUMBER;
    if (!has_scalars)
        texts |= types & SCHEMA_BOOLEAN;
    if (texts != 0)
        parts_add(parts, builder_part(builder, branch, SHAPE_TEXT, true));
    for (unsigned kind = SHAPE_NULL; kind <= SHAPE_STRING; kind++) {
        if (kind_is_among((enum shape_kind)kind, types & (uint8_t)~texts))
            parts_add(parts, builder_part(builder, branch, (enum shape_kind)kind, true));
    }
}

static void parts_of_branch(struct shape_builder *builder, const struct branch *branch,
                            struct place_parts *parts)
{
    const struct schema_op *values;
    uint8_t types = branch_values(builder, branch, &values);
    if (values != NULL) {
        parts_of_values(builder, branch, types, parts);
        return;
    }
    types = branch_types(builder, branch);
    if (types == SCHEMA_ANY) {
        parts_add(parts, builder_part(builder, branch, SHAPE_FREE, false));
        return;
    }
    for (unsigned kind = SHAPE_NULL; kind <= SHAPE_ARRAY; kind++) {
        if (kind_is_among((enum shape_kind)kind, types))
            parts_add(parts, builder_part(builder, branch, (enum shape_kind)kind, false));
    }
}

/* ---- the place ------------------------------------------------------------------------------- */

static uint32_t place_branches(struct shape_builder *builder, uint32_t index,
                               struct shape_fact *rest, uint32_t *rest_count)
{
    const struct schema_program *program = builder->program;
    const struct shape_node *node = &builder->shape->nodes[index];
    uint32_t count = 1, at = 0;
    struct branch *first = &builder->branches[0];
    *first = (struct branch){ .all = { .count = node->node_count, .types = SCHEMA_ANY } };
    memcpy(first->all.nodes, node->nodes, node->node_count * sizeof(*node->nodes));
    for (uint32_t i = 0; i < node->node_count; i++)
        first->all.types &= program->nodes[node->nodes[i]].types;
    while (at < count) {
        struct branch *branch = &builder->branches[at];
        const struct schema_op *op = branch_fork(builder, branch);
        bool splits = op != NULL && !branch->all.overflows;
        uint32_t owner = op == NULL ? 0 : op_owner(branch, program, op);
        if (splits && branches_split(builder, at, &count, op)) {
            if (!fork_excludes(builder, op) && *rest_count < BRANCH_TAKEN_MAX)
                rest[(*rest_count)++] = (struct shape_fact){ owner, (uint32_t)(op - program->ops) };
        } else {
            at++;
        }
    }
    return count;
}

static void place_set_rest(struct shape_builder *builder, uint32_t index,
                           const struct shape_fact *rest, uint32_t count)
{
    struct shape_node *node = &builder->shape->nodes[index];
    struct shape_fact *copy = builder_array(builder, count + node->rest_count, sizeof(*copy));
    if (copy == NULL || count == 0)
        return;
    memcpy(copy, rest, count * sizeof(*copy));
    if (node->rest_count > 0)
        memcpy(copy + count, node->rest, node->rest_count * sizeof(*copy));
    node->rest = copy;
    node->rest_count += count;
}

void builder_fill_place(struct shape_builder *builder, uint32_t index)
{
    struct shape_fact rest[BRANCH_TAKEN_MAX];
    struct place_parts parts = { .count = 0 };
    uint32_t rest_count = 0;
    uint32_t count = place_branches(builder, index, rest, &rest_count);
    for (uint32_t i = 0; i < count && !builder_failed(builder); i++)
        parts_of_branch(builder, &builder->branches[i], &parts);
    if (builder_failed(builder))
        return;
    struct shape_node *node = &builder->shape->nodes[index];
    if (parts.overflows || parts.count == 0) {
        shape_make_free(builder->shape, node, parts.overflows ? SHAPE_WHY_LARGE : SHAPE_WHY_NEVER);
        return;
    }
    node->kind = SHAPE_UNION;
    node->parts = builder_array(builder, parts.count, sizeof(*node->parts));
    if (node->parts == NULL)
        return;
    memcpy(node->parts, parts.items, parts.count * sizeof(*node->parts));
    node->part_count = parts.count;
    place_set_rest(builder, index, rest, rest_count);
}

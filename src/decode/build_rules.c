/* build_rules.c - conjunction of schema nodes → disjunctive normal form → alternatives of a rule.
 *
 * Owns: rules and their keys (a rule is made once for a list of nodes, so recursion ends), the
 * expansion of $ref, allOf, anyOf, oneOf, if and the dependent keywords, and what of `not` can be
 * followed. A choice that cannot be followed is listed as a gap, never dropped in silence.
 */
#include "base/features.h"

#include "decode/build.h"

/* ---- instructions of a branch
 * ---------------------------------------------------------------------- */

const struct schema_op *branch_next(const struct builder *builder, const struct branch *branch,
                                    enum schema_opcode opcode, struct branch_cursor *cursor)
{
    const struct schema_program *program = builder->program;
    for (; cursor->node_index < branch->node_count; cursor->node_index++, cursor->op_index = 0) {
        uint32_t node = branch->nodes[cursor->node_index];
        const struct schema_op *ops = schema_node_ops(program, node);
        while (cursor->op_index < program->nodes[node].op_count) {
            const struct schema_op *op = &ops[cursor->op_index++];
            if (op->opcode == opcode) {
                cursor->node = node;
                return op;
            }
        }
    }
    return NULL;
}

static const struct schema_op *node_op(const struct schema_program *program, uint32_t node,
                                       enum schema_opcode opcode)
{
    const struct schema_op *ops = schema_node_ops(program, node);
    for (uint32_t i = 0; i < program->nodes[node].op_count; i++) {
        if (ops[i].opcode == opcode)
            return &ops[i];
    }
    return NULL;
}

/* ---- rules
 * ----------------------------------------------------------------------------------------- */

static uint32_t key_bucket(const uint32_t *nodes, uint32_t count, uint32_t flags)
{
    uint64_t hash = value_hash_add(VALUE_HASH_ARRAY, flags);
    for (uint32_t i = 0; i < count; i++)
        hash = value_hash_add(hash, nodes[i]);
    return (uint32_t)((hash ^ (hash >> 29)) % BUILD_BUCKETS);
}

static bool words_equal(const uint32_t *a, const uint32_t *b, uint32_t count)
{
    return count == 0 || memcmp(a, b, count * sizeof *a) == 0;
}

static uint32_t *words_copy(struct builder *builder, const uint32_t *words, uint32_t count)
{
    uint32_t *copy = arena_take_array(&builder->language->arena, count, sizeof *copy);
    if (copy == NULL)
        build_no_memory(builder);
    else if (count > 0)
        memcpy(copy, words, count * sizeof *copy);
    return copy;
}

uint32_t build_rule_without(struct builder *builder, const uint32_t *nodes, uint32_t count,
                            uint32_t node, uint32_t flags, const uint32_t *nots, uint32_t not_count)
{
    struct decode_language *language = builder->language;
    uint32_t bucket = key_bucket(nodes, count, flags);
    for (uint32_t i = builder->buckets[bucket]; i != RULE_NONE; i = builder->keys[i].next) {
        const struct rule_key *key = &builder->keys[i];
        if (key->count == count && key->flags == flags && key->not_count == not_count &&
            key->node == node && words_equal(key->nodes, nodes, count) &&
            words_equal(key->nots, nots, not_count * 2))
            return i;
    }
    uint32_t index = language->rule_count;
    if (index >= DECODE_RULES_MAX) {
        if (!build_failed(builder))
            builder->status =
                error_set(builder->error, STATUS_UNSUPPORTED,
                          "the schema has too many combinations of subschemas for decoding");
        return 0;
    }
    if (!build_reserve(builder, (void **)&language->rules, &language->rule_cap, index,
                       sizeof *language->rules) ||
        !build_reserve(builder, (void **)&builder->keys, &builder->key_cap, index,
                       sizeof *builder->keys))
        return 0;
    struct rule_key *key = &builder->keys[index];
    *key = (struct rule_key){ .nodes = words_copy(builder, nodes, count),
                              .count = count,
                              .flags = flags,
                              .node = node,
                              .next = builder->buckets[bucket],
                              .nots = words_copy(builder, nots, not_count * 2),
                              .not_count = not_count };
    language->rules[index] = (struct rule){ .node = node, .min_bytes = DECODE_ENDLESS };
    if (build_failed(builder))
        return 0;
    language->rule_count = index + 1;
    builder->buckets[bucket] = index;
    return index;
}

uint32_t build_rule(struct builder *builder, const uint32_t *nodes, uint32_t count, uint32_t node,
                    uint32_t flags)
{
    return build_rule_without(builder, nodes, count, node, flags, NULL, 0);
}

/* ---- expansion
 * ------------------------------------------------------------------------------------- */

static bool branch_add(struct builder *builder, struct branch *branch, uint32_t node)
{
    for (uint32_t i = 0; i < branch->node_count; i++) {
        if (branch->nodes[i] == node)
            return true;
    }
    if (branch->node_count == BRANCH_NODES_MAX) {
        builder->status = error_set(builder->error, STATUS_UNSUPPORTED,
                                    "more than %d subschemas apply to one value", BRANCH_NODES_MAX);
        return false;
    }
    branch->nodes[branch->node_count++] = node;
    branch->types &= builder->program->nodes[node].types;
    return branch->types != 0;
}

/* Values that the schema's `not` excludes when it says no more than type, enum or one required
 * name. */
static bool branch_apply_not(struct builder *builder, struct branch *branch, uint32_t node)
{
    const struct schema_program *program = builder->program;
    const struct schema_node *inner = &program->nodes[node];
    const struct schema_op *ops = schema_node_ops(program, node);
    if (inner->types == 0)
        return true;
    if (inner->op_count == 0 || (inner->op_count == 1 && ops[0].opcode == SCHEMA_OP_TYPE)) {
        branch->types &= (uint8_t)~inner->types;
        return true;
    }
    const struct schema_op *last = &ops[inner->op_count - 1];
    if (inner->op_count == 1 && last->opcode == SCHEMA_OP_ENUM &&
        branch->not_count < BRANCH_NOTS_MAX) {
        branch->nots[branch->not_count] = (uint32_t)(last - program->ops);
        branch->not_nodes[branch->not_count] = node;
        branch->not_names[branch->not_count++] = (struct str){ NULL, 0 };
        return true;
    }
    if (last->opcode == SCHEMA_OP_REQUIRED && last->b == 1 && inner->op_count == 1 &&
        branch->forbidden_count < BRANCH_NAMES_MAX) {
        branch->types &= SCHEMA_OBJECT; /* other types satisfy `required` and so fail its `not` */
        branch->forbidden[branch->forbidden_count++] = program->names[last->a];
        return true;
    }
    return false;
}

static void branch_fork(struct builder *builder, struct branch *branch, uint32_t node,
                        const struct schema_op *op)
{
    if (branch->fork_count == BRANCH_FORKS_MAX) {
        build_gap(builder, node, op);
        return;
    }
    branch->fork_nodes[branch->fork_count] = node;
    branch->forks[branch->fork_count++] = (uint32_t)(op - builder->program->ops);
}

/* False: no value satisfies the branch. */
static bool branch_visit(struct builder *builder, struct branch *branch, uint32_t node,
                         const struct schema_op *op)
{
    switch ((enum schema_opcode)op->opcode) {
    case SCHEMA_OP_REF: return branch_add(builder, branch, op->a);
    case SCHEMA_OP_ALL_OF:
        for (uint32_t i = 0; i < op->b; i++) {
            if (!branch_add(builder, branch, builder->program->children[op->a + i]))
                return false;
        }
        return true;
    case SCHEMA_OP_NOT:
        if (!branch_apply_not(builder, branch, op->a))
            build_gap(builder, node, op);
        return branch->types != 0;
    case SCHEMA_OP_IF:
        if (op->b != SCHEMA_NONE || op->c != SCHEMA_NONE)
            branch_fork(builder, branch, node, op);
        return true;
    case SCHEMA_OP_ANY_OF:
    case SCHEMA_OP_ONE_OF:
    case SCHEMA_OP_DEPENDENT_REQUIRED:
    case SCHEMA_OP_DEPENDENT_SCHEMA: branch_fork(builder, branch, node, op); return true;
    case SCHEMA_OP_CONTENT:
    case SCHEMA_OP_DYNAMIC_REF:
    case SCHEMA_OP_UNEVALUATED_ITEMS:
    case SCHEMA_OP_UNEVALUATED_PROPERTIES:
    case SCHEMA_OP_CONTAINS: build_gap(builder, node, op); return true;
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
    case SCHEMA_OP_MAX_PROPERTIES: return true;
    }
    return true;
}

/* Follows references and conjunctions until only choices are left. */
static bool branch_settle(struct builder *builder, struct branch *branch)
{
    const struct schema_program *program = builder->program;
    while (branch->node_done < branch->node_count && !build_failed(builder)) {
        uint32_t node = branch->nodes[branch->node_done++];
        const struct schema_op *ops = schema_node_ops(program, node);
        for (uint32_t i = 0; i < program->nodes[node].op_count; i++) {
            if (!branch_visit(builder, branch, node, &ops[i]))
                return false;
        }
    }
    return branch->types != 0 && !build_failed(builder);
}

/* Appends a copy of branch, or lists the choice as a gap when there are too many. */
static struct branch *branch_copy(struct builder *builder, const struct branch *branch)
{
    if (builder->branch_count == DECODE_BRANCHES_MAX)
        return NULL;
    struct branch *copy = &builder->branches[builder->branch_count++];
    *copy = *branch;
    return copy;
}

static void branch_drop_last(struct builder *builder)
{
    builder->branch_count--;
}

/* ---- are the branches of a oneOf disjoint?
 * --------------------------------------------------------- */

static bool node_requires(const struct schema_program *program, uint32_t node, struct str name)
{
    const struct schema_op *op = node_op(program, node, SCHEMA_OP_REQUIRED);
    for (uint32_t i = 0; op != NULL && i < op->b; i++) {
        if (str_equal(program->names[op->a + i], name))
            return true;
    }
    return false;
}

static const struct schema_property *node_property(const struct schema_program *program,
                                                   uint32_t node, struct str name)
{
    const struct schema_op *op = node_op(program, node, SCHEMA_OP_PROPERTIES);
    for (uint32_t i = 0; op != NULL && i < op->b; i++) {
        if (str_equal(program->properties[op->a + i].name, name))
            return &program->properties[op->a + i];
    }
    return NULL;
}

/* Follows a chain of bare references. */
static uint32_t node_target(const struct schema_program *program, uint32_t node)
{
    for (unsigned steps = 0; steps < 16; steps++) {
        const struct schema_op *ops = schema_node_ops(program, node);
        if (program->nodes[node].op_count != 1 || ops[0].opcode != SCHEMA_OP_REF)
            break;
        node = ops[0].a;
    }
    return node;
}

static bool enums_disjoint(const struct schema_program *program, const struct schema_op *a,
                           const struct schema_op *b)
{
    if ((uint64_t)a->b * b->b > 4096)
        return false;
    for (uint32_t i = 0; i < a->b; i++) {
        for (uint32_t k = 0; k < b->b; k++) {
            uint64_t budget = 10000;
            if (json_equal(program->values[a->a + i], program->values[b->a + k], &budget) ||
                budget == 0)
                return false;
        }
    }
    return true;
}

static bool nodes_disjoint(const struct schema_program *program, uint32_t a, uint32_t b)
{
    a = node_target(program, a);
    b = node_target(program, b);
    if ((program->nodes[a].types & program->nodes[b].types) == 0)
        return true;
    const struct schema_op *enum_a = node_op(program, a, SCHEMA_OP_ENUM);
    const struct schema_op *enum_b = node_op(program, b, SCHEMA_OP_ENUM);
    if (enum_a != NULL && enum_b != NULL)
        return enums_disjoint(program, enum_a, enum_b);
    const struct schema_op *properties = node_op(program, a, SCHEMA_OP_PROPERTIES);
    bool objects = (program->nodes[a].types & program->nodes[b].types) == SCHEMA_OBJECT;
    for (uint32_t i = 0; objects && properties != NULL && i < properties->b; i++) {
        const struct schema_property *mine = &program->properties[properties->a + i];
        const struct schema_property *other = node_property(program, b, mine->name);
        if (other == NULL || !node_requires(program, a, mine->name) ||
            !node_requires(program, b, mine->name))
            continue;
        uint32_t left = node_target(program, mine->node), right = node_target(program, other->node);
        enum_a = node_op(program, left, SCHEMA_OP_ENUM);
        enum_b = node_op(program, right, SCHEMA_OP_ENUM);
        if ((program->nodes[left].types & program->nodes[right].types) == 0)
            return true;
        if (enum_a != NULL && enum_b != NULL && enums_disjoint(program, enum_a, enum_b))
            return true;
    }
    return false;
}

static bool one_of_is_disjoint(const struct schema_program *program, const struct schema_op *op)
{
    if (op->b > 64)
        return false;
    for (uint32_t i = 0; i < op->b; i++) {
        for (uint32_t k = i + 1; k < op->b; k++) {
            if (!nodes_disjoint(program, program->children[op->a + i],
                                program->children[op->a + k]))
                return false;
        }
    }
    return true;
}

/* ---- choices
 * --------------------------------------------------------------------------------------- */

static void fork_children(struct builder *builder, const struct branch *branch, uint32_t node,
                          const struct schema_op *op)
{
    if (op->opcode == SCHEMA_OP_ONE_OF && !one_of_is_disjoint(builder->program, op))
        build_gap(builder, node, op);
    for (uint32_t i = 0; i < op->b; i++) {
        struct branch *copy = branch_copy(builder, branch);
        if (copy == NULL)
            return; /* fewer alternatives than the schema allows; what is written stays valid */
        if (!branch_add(builder, copy, builder->program->children[op->a + i]) ||
            !branch_settle(builder, copy))
            branch_drop_last(builder);
    }
}

/* `name` absent, or present and `then`. */
static void fork_dependent(struct builder *builder, const struct branch *branch,
                           const struct schema_op *op)
{
    struct str name = builder->program->names[op->a];
    struct branch *without = branch_copy(builder, branch);
    if (without != NULL) {
        if (without->forbidden_count == BRANCH_NAMES_MAX)
            branch_drop_last(builder);
        else
            without->forbidden[without->forbidden_count++] = name;
    }
    struct branch *with = branch_copy(builder, branch);
    if (with == NULL)
        return;
    if (op->opcode == SCHEMA_OP_DEPENDENT_SCHEMA) {
        if (!branch_add(builder, with, op->b) || !branch_settle(builder, with))
            branch_drop_last(builder);
        return;
    }
    if (with->needed_count + op->c > BRANCH_NAMES_MAX) {
        branch_drop_last(builder);
        return;
    }
    for (uint32_t i = 0; i < op->c; i++)
        with->needed[with->needed_count++] = builder->program->names[op->b + i];
}

/* The condition is {properties: {p: enum}} with or without required: [p]. */
static bool condition_member(const struct schema_program *program, uint32_t node, struct str *name,
                             uint32_t *enum_op, uint32_t *enum_node, bool *is_required)
{
    *is_required = false;
    bool found = false;
    const struct schema_op *ops = schema_node_ops(program, node);
    for (uint32_t i = 0; i < program->nodes[node].op_count; i++) {
        if (ops[i].opcode == SCHEMA_OP_REQUIRED && ops[i].b == 1) {
            *is_required = true;
            continue;
        }
        if (ops[i].opcode == SCHEMA_OP_TYPE && (ops[i].a & SCHEMA_OBJECT))
            continue;
        if (ops[i].opcode != SCHEMA_OP_PROPERTIES || ops[i].b != 1)
            return false;
        const struct schema_property *property = &program->properties[ops[i].a];
        const struct schema_op *inner = node_op(program, property->node, SCHEMA_OP_ENUM);
        bool typed = node_op(program, property->node, SCHEMA_OP_TYPE) != NULL;
        if (inner == NULL || program->nodes[property->node].op_count != (typed ? 2 : 1))
            return false;
        *name = property->name;
        *enum_node = property->node;
        *enum_op = (uint32_t)(inner - program->ops);
        found = true;
    }
    return found && (!*is_required || node_requires(program, node, *name));
}

static void fork_add(struct builder *builder, const struct branch *branch, uint32_t first,
                     uint32_t second)
{
    struct branch *copy = branch_copy(builder, branch);
    if (copy == NULL)
        return;
    if ((first != SCHEMA_NONE && !branch_add(builder, copy, first)) ||
        (second != SCHEMA_NONE && !branch_add(builder, copy, second)) ||
        !branch_settle(builder, copy))
        branch_drop_last(builder);
}

/* condition and then; or, where its opposite can be said, opposite and else; else and then at once
 * always fits. */
static void fork_if(struct builder *builder, const struct branch *branch,
                    const struct schema_op *op)
{
    const struct schema_program *program = builder->program;
    struct str name;
    uint32_t enum_op = SCHEMA_NONE;
    uint32_t enum_node = SCHEMA_NONE;
    bool is_required;
    if (!condition_member(program, op->a, &name, &enum_op, &enum_node, &is_required) ||
        branch->not_count == BRANCH_NOTS_MAX || branch->forbidden_count == BRANCH_NAMES_MAX ||
        branch->types != SCHEMA_OBJECT) {
        fork_add(builder, branch, op->a, op->b);
        fork_add(builder, branch, op->b, op->c);
        return;
    }
    fork_add(builder, branch, op->a, op->b);
    struct branch *other = branch_copy(builder, branch);
    if (other != NULL) {
        other->nots[other->not_count] = enum_op;
        other->not_nodes[other->not_count] = enum_node;
        other->not_names[other->not_count++] = name;
        if (!is_required && other->needed_count < BRANCH_NAMES_MAX)
            other->needed[other->needed_count++] = name;
        if ((op->c != SCHEMA_NONE && !branch_add(builder, other, op->c)) ||
            !branch_settle(builder, other))
            branch_drop_last(builder);
    }
    if (!is_required)
        return;
    struct branch *absent = branch_copy(builder, branch);
    if (absent == NULL)
        return;
    absent->forbidden[absent->forbidden_count++] = name;
    if ((op->c != SCHEMA_NONE && !branch_add(builder, absent, op->c)) ||
        !branch_settle(builder, absent))
        branch_drop_last(builder);
}

/* Replaces the branch at index by the branches of its next choice. */
static void branch_split(struct builder *builder, uint32_t index)
{
    struct branch whole = builder->branches[index];
    whole.fork_count--;
    const struct schema_op *op = &builder->program->ops[whole.forks[whole.fork_count]];
    uint32_t node = whole.fork_nodes[whole.fork_count];
    builder->branches[index] = builder->branches[--builder->branch_count];
    if (op->opcode == SCHEMA_OP_ANY_OF || op->opcode == SCHEMA_OP_ONE_OF)
        fork_children(builder, &whole, node, op);
    else if (op->opcode == SCHEMA_OP_IF)
        fork_if(builder, &whole, op);
    else
        fork_dependent(builder, &whole, op);
}

static void rule_expand(struct builder *builder, const struct rule_key *key)
{
    struct branch *first = &builder->branches[0];
    memset(first, 0, sizeof *first);
    first->types = (key->flags & (RULE_KEY | RULE_NEED)) ? SCHEMA_STRING : SCHEMA_ANY;
    first->flags = (uint8_t)key->flags;
    builder->branch_count = 1;
    for (uint32_t i = 0; i < key->not_count; i++) {
        first->not_nodes[i] = key->nots[2 * i];
        first->nots[i] = key->nots[2 * i + 1];
        first->not_count = i + 1;
    }
    bool alive = true;
    for (uint32_t i = 0; alive && i < key->count; i++)
        alive = branch_add(builder, first, key->nodes[i]);
    if (!alive || !branch_settle(builder, first))
        builder->branch_count = 0;
    for (uint32_t i = 0; i < builder->branch_count && !build_failed(builder);) {
        if (builder->branches[i].fork_count == 0)
            i++;
        else
            branch_split(builder, i);
    }
}

void build_rule_fill(struct builder *builder, uint32_t rule)
{
    struct decode_language *language = builder->language;
    struct rule_key key = builder->keys[rule];
    builder->rule_alt_count = 0;
    builder->literal_count = 0;
    rule_expand(builder, &key);
    uint32_t count = builder->branch_count;
    for (uint32_t i = 0; i < count && !build_failed(builder); i++) {
        const struct branch *branch = &builder->branches[i];
        build_leaves(builder, branch, key.node);
        build_array(builder, branch, key.node);
        build_object(builder, branch, key.node);
    }
    build_literals_finish(builder, key.node);
    if (build_failed(builder))
        return;
    uint32_t *alts = words_copy(builder, builder->rule_alts, builder->rule_alt_count);
    language->rules[rule].alts = alts;
    language->rules[rule].alt_count = alts == NULL ? 0 : builder->rule_alt_count;
}

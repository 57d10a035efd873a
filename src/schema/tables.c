/* tables.c - what the validator wants to know before it sees an instance.
 *
 * Owns: node flags, aliases, narrowed types, the member plans of objects, hash tables of enums,
 * tags of alternatives. Leaves to others: their use (judge.c, explain.c). Everything is linear in
 * the program, but for the narrowing, which stops after a fixed number of passes: any pass is
 * already right, later ones are sharper.
 */
#include "base/features.h"

#include "schema/compiler.h"

enum { TABLES_NARROW_PASSES = 8, TABLES_TAG_VALUES_MAX = 16 };

struct tables {
    struct schema_program *program;
    struct schema_internal *internal;
    struct schema_op *ops;
    struct schema_property *properties;
    uint8_t *flags;
    uint8_t *narrow_types;
    uint32_t *alias;
    const struct schema_plan **plans;
};

/* ---- nodes ----------------------------------------------------------------------------------- */

static const struct schema_op *tables_ops(const struct tables *tables, uint32_t node)
{
    return tables->ops + tables->program->nodes[node].op_first;
}

/* Where dynamic references look at the resources that were entered, none may be left out. */
static bool tables_is_mere_reference(const struct tables *tables, uint32_t node)
{
    const struct schema_program *program = tables->program;
    const struct schema_node *row = &program->nodes[node];
    const struct schema_op *op = tables_ops(tables, node);
    return row->op_count == 1 && row->types == SCHEMA_ANY && op->opcode == SCHEMA_OP_REF &&
           (program->dynamic_anchor_count == 0 || row->resource == program->nodes[op->a].resource);
}

/* A node with nothing but a reference judges as its target does. Every chain is walked once. */
static void tables_fill_alias(const struct tables *tables)
{
    uint32_t *alias = tables->alias;
    for (uint32_t i = 0; i < tables->program->node_count; i++)
        alias[i] = SCHEMA_NONE;
    for (uint32_t i = 0; i < tables->program->node_count; i++) {
        uint32_t end = i;
        while (alias[end] == SCHEMA_NONE && tables_is_mere_reference(tables, end))
            end = tables_ops(tables, end)->a;
        uint32_t target = alias[end] == SCHEMA_NONE ? end : alias[end];
        for (uint32_t node = i; alias[node] == SCHEMA_NONE;) {
            alias[node] = target;
            if (node != target)
                node = tables_ops(tables, node)->a;
        }
    }
}

static bool tables_is_flat_op(enum schema_opcode opcode)
{
    switch (opcode) {
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
    case SCHEMA_OP_MIN_PROPERTIES:
    case SCHEMA_OP_MAX_PROPERTIES:
    case SCHEMA_OP_DEPENDENT_REQUIRED: return true;
    case SCHEMA_OP_PREFIX_ITEMS:
    case SCHEMA_OP_ITEMS:
    case SCHEMA_OP_CONTAINS:
    case SCHEMA_OP_PROPERTIES:
    case SCHEMA_OP_PATTERN_PROPERTIES:
    case SCHEMA_OP_ADDITIONAL:
    case SCHEMA_OP_PROPERTY_NAMES:
    case SCHEMA_OP_REQUIRED:
    case SCHEMA_OP_DEPENDENT_SCHEMA:
    case SCHEMA_OP_REF:
    case SCHEMA_OP_ALL_OF:
    case SCHEMA_OP_ANY_OF:
    case SCHEMA_OP_ONE_OF:
    case SCHEMA_OP_DYNAMIC_REF:
    case SCHEMA_OP_UNEVALUATED_ITEMS:
    case SCHEMA_OP_UNEVALUATED_PROPERTIES:
    case SCHEMA_OP_NOT:
    case SCHEMA_OP_IF: return false;
    }
    return false;
}

static void tables_fill_flags(const struct tables *tables)
{
    const struct schema_program *program = tables->program;
    for (uint32_t i = 0; i < program->node_count; i++) {
        const struct schema_node *node = &program->nodes[i];
        bool flat = true;
        bool typed = true;
        for (uint32_t k = 0; k < node->op_count; k++) {
            const struct schema_op *op = &tables_ops(tables, i)[k];
            flat = flat && tables_is_flat_op((enum schema_opcode)op->opcode);
            typed = typed && op->opcode == SCHEMA_OP_TYPE && op->b == 0;
        }
        tables->flags[i] =
            (uint8_t)((flat ? SCHEMA_NODE_FLAT : 0) | (typed ? SCHEMA_NODE_TYPED : 0));
        if (node->op_count == 0 && node->types == SCHEMA_ANY)
            tables->flags[i] |= SCHEMA_NODE_TRIVIAL;
    }
}

/* Marks every node that more than one instruction leads to, aliases seen through. seen is
 * zeroed. */
static void tables_mark_shared(const struct tables *tables, uint8_t *seen)
{
    const struct schema_program *program = tables->program;
    for (uint32_t i = 0; i < program->op_count; i++) {
        uint32_t child;
        bool in_place;
        for (uint32_t k = 0; schema_op_child(program, &tables->ops[i], k, &child, &in_place); k++) {
            if (child == SCHEMA_NONE)
                continue;
            child = tables->alias[child];
            if (seen[child])
                tables->flags[child] |= SCHEMA_NODE_SHARED;
            seen[child] = 1;
        }
    }
    for (uint32_t i = 0; i < program->dynamic_anchor_count; i++)
        tables->flags[tables->alias[program->dynamic_anchors[i].node]] |= SCHEMA_NODE_SHARED;
}

/* Flags a node unless it has it; then its own children are to be visited. */
static void tables_keep(const struct tables *tables, uint32_t node, uint32_t *stack,
                        uint32_t *depth)
{
    node = tables->alias[node];
    if ((tables->flags[node] & SCHEMA_NODE_KEPT) != 0)
        return;
    tables->flags[node] |= SCHEMA_NODE_KEPT;
    stack[(*depth)++] = node;
}

static void tables_keep_children(const struct tables *tables, uint32_t node, uint32_t *stack,
                                 uint32_t *depth)
{
    const struct schema_program *program = tables->program;
    const struct schema_op *ops = tables_ops(tables, node);
    for (uint32_t i = 0; i < program->nodes[node].op_count; i++) {
        uint32_t child;
        bool in_place;
        for (uint32_t k = 0; schema_op_child(program, &ops[i], k, &child, &in_place); k++)
            if (in_place && child != SCHEMA_NONE)
                tables_keep(tables, child, stack, depth);
        for (uint32_t k = 0;
             ops[i].opcode == SCHEMA_OP_DYNAMIC_REF && k < program->dynamic_anchor_count; k++)
            if (program->dynamic_anchors[k].anchor == ops[i].b)
                tables_keep(tables, program->dynamic_anchors[k].node, stack, depth);
    }
}

/* Whoever applies to unevaluated members or items asks again for the verdicts of the subschemas in
 * the same place. */
static bool tables_fill_kept(const struct tables *tables, const struct alloc *alloc)
{
    const struct schema_program *program = tables->program;
    size_t stack_bytes = program->node_count * sizeof(uint32_t);
    uint32_t *stack = NULL;
    for (uint32_t i = 0; i < program->node_count; i++) {
        uint32_t depth = 0;
        uint32_t count = program->nodes[i].op_count;
        uint8_t last = count == 0 ? SCHEMA_OP_TYPE : tables_ops(tables, i)[count - 1].opcode;
        if (last != SCHEMA_OP_UNEVALUATED_ITEMS && last != SCHEMA_OP_UNEVALUATED_PROPERTIES)
            continue;
        if (stack == NULL)
            stack = alloc_get(alloc, stack_bytes);
        if (stack == NULL)
            return false;
        tables_keep_children(tables, i, stack, &depth);
        while (depth > 0)
            tables_keep_children(tables, stack[--depth], stack, &depth);
    }
    alloc_free(alloc, stack, stack_bytes);
    return true;
}

/* ---- types ----------------------------------------------------------------------------------- */

static uint8_t tables_op_types(const struct tables *tables, const struct schema_op *op)
{
    const uint32_t *children = tables->program->children + op->a;
    uint8_t types = SCHEMA_ANY;
    if (op->opcode == SCHEMA_OP_REF)
        return tables->narrow_types[op->a];
    if (op->opcode == SCHEMA_OP_ALL_OF)
        for (uint32_t i = 0; i < op->b; i++)
            types &= tables->narrow_types[children[i]];
    if (op->opcode == SCHEMA_OP_ANY_OF || op->opcode == SCHEMA_OP_ONE_OF) {
        types = 0;
        for (uint32_t i = 0; i < op->b; i++)
            types |= tables->narrow_types[children[i]];
    }
    return types;
}

static void tables_narrow_types(const struct tables *tables)
{
    const struct schema_program *program = tables->program;
    for (uint32_t i = 0; i < program->node_count; i++)
        tables->narrow_types[i] = program->nodes[i].types;
    bool changed = true;
    for (unsigned pass = 0; changed && pass < TABLES_NARROW_PASSES; pass++) {
        changed = false;
        for (uint32_t i = program->node_count; i-- > 0;) {
            uint8_t types = tables->narrow_types[i];
            for (uint32_t k = 0; k < program->nodes[i].op_count; k++)
                types &= tables_op_types(tables, &tables_ops(tables, i)[k]);
            changed = changed || types != tables->narrow_types[i];
            tables->narrow_types[i] = types;
        }
    }
}

/* ---- objects --------------------------------------------------------------------------------- */

static bool tables_is_plan_op(uint8_t opcode)
{
    return opcode == SCHEMA_OP_REQUIRED || opcode == SCHEMA_OP_PROPERTIES ||
           opcode == SCHEMA_OP_PATTERN_PROPERTIES || opcode == SCHEMA_OP_ADDITIONAL ||
           opcode == SCHEMA_OP_PROPERTY_NAMES;
}

/* The key of that name, added if need be; the caller has made room. */
static struct schema_key *tables_key(struct schema_plan *plan, struct schema_key *keys,
                                     uint32_t *slots, struct str name, uint32_t hash)
{
    uint32_t found = schema_plan_find(plan, name, hash);
    if (found != SCHEMA_NONE)
        return &keys[found];
    uint32_t at = hash & plan->slot_mask;
    while (slots[at] != 0)
        at = (at + 1) & plan->slot_mask;
    keys[plan->key_count] = (struct schema_key){ name, hash, SCHEMA_NONE, SCHEMA_NONE };
    slots[at] = ++plan->key_count;
    return &keys[slots[at] - 1];
}

static bool tables_fill_keys(const struct tables *tables, struct schema_plan *plan,
                             const struct schema_op *properties, const struct schema_op *required)
{
    uint32_t known = properties == NULL ? 0 : properties->b;
    uint32_t wanted = required == NULL ? 0 : required->b;
    uint32_t slot_count = schema_slots_for(known + wanted);
    struct schema_key *keys =
        arena_take_array(&tables->internal->arena, known + wanted, sizeof(*keys));
    uint32_t *slots = arena_take_array(&tables->internal->arena, slot_count, sizeof(*slots));
    if (keys == NULL || slots == NULL)
        return false;
    memset(slots, 0, slot_count * sizeof(*slots));
    plan->keys = keys;
    plan->slots = slots;
    plan->slot_mask = slot_count - 1;
    for (uint32_t i = 0; i < known; i++) {
        const struct schema_property *property = &tables->properties[properties->a + i];
        tables_key(plan, keys, slots, property->name, property->hash)->node = property->node;
    }
    for (uint32_t i = 0; i < wanted; i++) {
        struct str name = tables->program->names[required->a + i];
        struct schema_key *key = tables_key(plan, keys, slots, name, json_key_hash(name));
        if (key->required == SCHEMA_NONE)
            key->required = plan->required_count++;
    }
    for (uint32_t i = 0; i < known; i++) {
        struct schema_property *property = &tables->properties[properties->a + i];
        uint32_t key = schema_plan_find(plan, property->name, property->hash);
        property->required = key != SCHEMA_NONE && keys[key].required != SCHEMA_NONE;
    }
    return true;
}

/* The plan of a node whose instructions from `ops` on are about members; they follow each other. */
static const struct schema_plan *tables_plan(const struct tables *tables,
                                             const struct schema_op *ops, uint32_t count)
{
    struct schema_plan *plan = arena_take_zeroed(&tables->internal->arena, sizeof(*plan));
    if (plan == NULL)
        return NULL;
    plan->additional = SCHEMA_NONE;
    plan->property_names = SCHEMA_NONE;
    const struct schema_op *properties = NULL;
    const struct schema_op *required = NULL;
    while (plan->op_count < count && tables_is_plan_op(ops[plan->op_count].opcode)) {
        const struct schema_op *op = &ops[plan->op_count++];
        if (op->opcode == SCHEMA_OP_PROPERTIES)
            properties = op;
        if (op->opcode == SCHEMA_OP_REQUIRED)
            required = op;
        if (op->opcode == SCHEMA_OP_ADDITIONAL)
            plan->additional = tables->alias[op->a];
        if (op->opcode == SCHEMA_OP_PROPERTY_NAMES)
            plan->property_names = tables->alias[op->a];
        if (op->opcode == SCHEMA_OP_PATTERN_PROPERTIES) {
            plan->pattern_first = op->a;
            plan->pattern_count = op->b;
        }
    }
    if (plan->additional != SCHEMA_NONE &&
        (tables->flags[plan->additional] & SCHEMA_NODE_TRIVIAL) != 0)
        plan->additional = SCHEMA_NONE;
    return tables_fill_keys(tables, plan, properties, required) ? plan : NULL;
}

static bool tables_fill_plans(const struct tables *tables)
{
    const struct schema_program *program = tables->program;
    for (uint32_t i = 0; i < program->node_count; i++) {
        const struct schema_op *ops = tables_ops(tables, i);
        uint32_t count = program->nodes[i].op_count;
        uint32_t first = 0;
        while (first < count && !tables_is_plan_op(ops[first].opcode))
            first++;
        tables->plans[i] = NULL;
        if (first == count)
            continue;
        tables->plans[i] = tables_plan(tables, ops + first, count - first);
        if (tables->plans[i] == NULL)
            return false;
    }
    return true;
}

/* ---- enums and alternatives ------------------------------------------------------------------ */

static bool tables_fill_value_table(const struct tables *tables, const struct schema_op *op,
                                    struct schema_value_table *table)
{
    uint32_t slot_count = schema_slots_for(op->b);
    uint32_t *slots = arena_take_array(&tables->internal->arena, slot_count, sizeof(*slots));
    if (slots == NULL)
        return false;
    memset(slots, 0, slot_count * sizeof(*slots));
    for (uint32_t i = op->a; i < op->a + op->b; i++) {
        uint32_t at = (uint32_t)schema_value_hash(tables->program->values[i]) & (slot_count - 1);
        while (slots[at] != 0)
            at = (at + 1) & (slot_count - 1);
        slots[at] = i + 1;
    }
    table->slots = slots;
    table->mask = slot_count - 1;
    return true;
}

static bool tables_fill_value_tables(const struct tables *tables)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < tables->program->op_count; i++)
        if (tables->ops[i].opcode == SCHEMA_OP_ENUM && tables->ops[i].b > SCHEMA_SMALL_ENUM)
            tables->ops[i].c = count++;
    struct schema_value_table *value_tables =
        arena_take_array(&tables->internal->arena, count, sizeof(*value_tables));
    if (value_tables == NULL)
        return false;
    tables->internal->value_tables = value_tables;
    for (uint32_t i = 0; i < tables->program->op_count; i++) {
        const struct schema_op *op = &tables->ops[i];
        if (op->opcode == SCHEMA_OP_ENUM && op->b > SCHEMA_SMALL_ENUM &&
            !tables_fill_value_table(tables, op, &value_tables[op->c]))
            return false;
    }
    return true;
}

/* True if the node accepts only some scalars, and few. */
static bool tables_is_tag_value(const struct tables *tables, uint32_t node, struct schema_tag *tag)
{
    const struct schema_op *op =
        schema_node_find(tables->program, tables->alias[node], SCHEMA_OP_ENUM);
    if (op == NULL || op->b == 0 || op->b > TABLES_TAG_VALUES_MAX)
        return false;
    for (uint32_t i = 0; i < op->b; i++)
        if ((schema_type_of(tables->program->values[op->a + i]) & (SCHEMA_ARRAY | SCHEMA_OBJECT)) !=
            0)
            return false;
    tag->first = op->a;
    tag->count = op->b;
    return true;
}

/* The first member of the alternative that tells it from others, if possible a required one. */
static void tables_fill_tag(const struct tables *tables, uint32_t node, struct schema_tag *tag)
{
    const struct schema_op *op =
        schema_node_find(tables->program, tables->alias[node], SCHEMA_OP_PROPERTIES);
    for (uint32_t i = 0; op != NULL && i < op->b && !tag->required; i++) {
        const struct schema_property *property = &tables->properties[op->a + i];
        if ((tag->count > 0 && !property->required) ||
            !tables_is_tag_value(tables, property->node, tag))
            continue;
        tag->name = property->name;
        tag->hash = property->hash;
        tag->required = property->required;
    }
}

static bool tables_fill_tags(const struct tables *tables)
{
    const struct schema_program *program = tables->program;
    uint32_t count = 0;
    for (uint32_t i = 0; i < program->op_count; i++) {
        const struct schema_op *op = &tables->ops[i];
        uint8_t code = op->opcode;
        if ((code == SCHEMA_OP_ANY_OF || code == SCHEMA_OP_ONE_OF || code == SCHEMA_OP_ALL_OF ||
             code == SCHEMA_OP_PREFIX_ITEMS) &&
            op->a + op->b > count)
            count = op->a + op->b;
    }
    struct schema_tag *tags = arena_take_array(&tables->internal->arena, count, sizeof(*tags));
    if (tags == NULL)
        return false;
    memset(tags, 0, count * sizeof(*tags));
    tables->internal->tags = tags;
    for (uint32_t i = 0; i < program->op_count; i++) {
        const struct schema_op *op = &tables->ops[i];
        if (op->opcode != SCHEMA_OP_ANY_OF && op->opcode != SCHEMA_OP_ONE_OF)
            continue;
        for (uint32_t k = op->a; k < op->a + op->b; k++)
            tables_fill_tag(tables, program->children[k], &tags[k]);
    }
    return true;
}

bool schema_build_tables(struct schema_program *program, struct schema_internal *internal,
                         struct schema_op *ops, struct schema_property *properties)
{
    uint32_t count = program->node_count;
    struct tables tables = {
        .program = program,
        .internal = internal,
        .ops = ops,
        .properties = properties,
        .flags = arena_take_array(&internal->arena, count, sizeof(*tables.flags)),
        .narrow_types = arena_take_array(&internal->arena, count, sizeof(*tables.narrow_types)),
        .alias = arena_take_array(&internal->arena, count, sizeof(*tables.alias)),
        .plans = arena_take_array(&internal->arena, count, sizeof(*tables.plans)),
    };
    uint8_t *seen = arena_take_zeroed(&internal->arena, count);
    if (tables.flags == NULL || tables.narrow_types == NULL || tables.alias == NULL ||
        tables.plans == NULL || seen == NULL)
        return false;
    internal->flags = tables.flags;
    internal->narrow_types = tables.narrow_types;
    internal->alias = tables.alias;
    internal->plans = tables.plans;
    tables_fill_alias(&tables);
    tables_fill_flags(&tables);
    tables_mark_shared(&tables, seen);
    tables_narrow_types(&tables);
    return tables_fill_kept(&tables, internal->alloc) && tables_fill_plans(&tables) &&
           tables_fill_value_tables(&tables) && tables_fill_tags(&tables);
}

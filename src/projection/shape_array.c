/* shape_array.c - arrays: items, leading items, and tuples as objects where the wire has none.
 *
 * Owns: the item places. Leaves to others: counts (facts of shape_leaf.c). Invariant: items beyond
 * the leading ones that the target does not speak of count as not declared: the shape has none of
 * them where it is a tuple.
 */
#include "base/features.h"

#include "projection/shape_builder.h"

static uint32_t array_prefix_count(const struct shape_builder *builder,
                                   const struct shape_node *node)
{
    uint32_t count = 0;
    for (struct op_cursor at = { 0 };
         op_next(builder, node->nodes, node->node_count, SCHEMA_OP_PREFIX_ITEMS, &at);)
        count = at.op->b > count ? at.op->b : count;
    return count;
}

/* The place of the item at a position; beyond every prefix with position SCHEMA_NONE. */
static uint32_t array_item(struct shape_builder *builder, const uint32_t *nodes, uint32_t count,
                           uint32_t position, bool *out_is_said)
{
    struct conjunction all = { .types = SCHEMA_ANY };
    const struct schema_program *program = builder->program;
    *out_is_said = false;
    for (struct op_cursor at = { 0 };
         op_next(builder, nodes, count, SCHEMA_OP_PREFIX_ITEMS, &at);) {
        if (position < at.op->b) {
            conjunction_add(builder, &all, program->children[at.op->a + position]);
            *out_is_said = true;
        }
    }
    for (struct op_cursor at = { 0 }; op_next(builder, nodes, count, SCHEMA_OP_ITEMS, &at);) {
        if (position >= at.op->b) {
            conjunction_add(builder, &all, at.op->a);
            *out_is_said = true;
        }
    }
    return builder_place(builder, &all);
}

static struct str array_member_name(struct shape_builder *builder, uint32_t position)
{
    char digits[12];
    size_t len = 0;
    for (uint32_t rest = position + 1; rest > 0; rest /= 10)
        digits[sizeof(digits) - ++len] = (char)('0' + rest % 10);
    struct str name = arena_copy(builder->shape->arena, str_of(digits + sizeof(digits) - len, len));
    if (name.ptr == NULL)
        builder_no_memory(builder);
    return name;
}

static uint32_t array_count_fact(const struct shape_builder *builder, const struct shape_node *node,
                                 enum shape_fact_kind kind, uint32_t otherwise)
{
    uint32_t op = node->facts[kind].op;
    return op == SCHEMA_NONE ? otherwise : builder->program->ops[op].a;
}

/* The leading places; *count becomes smaller where one of them can hold nothing. */
static uint32_t *array_parts(struct shape_builder *builder, uint32_t index, uint32_t *count)
{
    uint32_t *parts = builder_array(builder, *count, sizeof(*parts));
    for (uint32_t i = 0; parts != NULL && i < *count; i++) {
        bool is_said;
        const struct shape_node *node = &builder->shape->nodes[index];
        parts[i] = array_item(builder, node->nodes, node->node_count, i, &is_said);
        if (parts[i] == SHAPE_NEVER)
            *count = i;
    }
    return parts;
}

static void array_make_tuple(struct shape_builder *builder, uint32_t index, const uint32_t *parts,
                             uint32_t count)
{
    struct shape_member *members = builder_array(builder, count, sizeof(*members));
    uint32_t least = array_count_fact(builder, &builder->shape->nodes[index], FACT_MIN_ITEMS, 0);
    for (uint32_t i = 0; members != NULL && i < count; i++) {
        members[i] = (struct shape_member){ .name = array_member_name(builder, i),
                                            .node = parts[i],
                                            .source = builder->shape->nodes[parts[i]].source,
                                            .presence = i < least ? SHAPE_REQUIRED : SHAPE_OPTIONAL,
                                            .required = i < least };
    }
    struct shape_node *node = &builder->shape->nodes[index];
    node->kind = SHAPE_TUPLE;
    node->members = members;
    node->member_count = members == NULL ? 0 : count;
    node->list_name = STR("rest");
}

static void array_plain(struct shape_builder *builder, uint32_t index, uint32_t items)
{
    struct shape_node *node = &builder->shape->nodes[index];
    node->value = items == SHAPE_NEVER ? SHAPE_NO_NODE : items;
    node->is_ended = items == SHAPE_NEVER;
}

void builder_fill_array(struct shape_builder *builder, uint32_t index)
{
    bool is_said;
    builder_facts(builder, index, SCHEMA_ARRAY);
    struct shape_node *node = &builder->shape->nodes[index];
    uint32_t count = array_prefix_count(builder, node);
    uint32_t most = array_count_fact(builder, node, FACT_MAX_ITEMS, SCHEMA_NONE);
    uint32_t items = array_item(builder, node->nodes, node->node_count, SCHEMA_NONE - 1, &is_said);
    bool is_native = wire_keeps(builder->rules, WIRE_PREFIX_ITEMS);
    if (count > SHAPE_TUPLE_MAX) {
        shape_make_free(builder->shape, &builder->shape->nodes[index], SHAPE_WHY_LARGE);
        return;
    }
    count = most < count ? most : count;
    uint32_t before = count;
    uint32_t *parts = array_parts(builder, index, &count);
    if (builder_failed(builder))
        return;
    bool ends = items == SHAPE_NEVER || most <= count || count < before;
    if (count == 0 || is_native) {
        array_plain(builder, index, ends ? SHAPE_NEVER : items);
        builder->shape->nodes[index].parts = parts;
        builder->shape->nodes[index].part_count = count;
        return;
    }
    array_make_tuple(builder, index, parts, count);
    node = &builder->shape->nodes[index];
    node->value = ends || !is_said ? SHAPE_NO_NODE : items;
    node->is_ended = ends;
}

/* order.c - members in the order of the schema.
 *
 * Owns: which subschemas apply to a value for the sake of order (references, allOf, and the
 * branches that its constants do not rule out). Leaves to others: validity, which is known. Not
 * recursive. The order is a courtesy: when the step budget is used up the rest keeps the order of
 * the reply.
 */
#include "base/features.h"

#include "engine/order.h"

#include "base/arena.h"
#include "base/limits.h"

enum {
    ORDER_NODES_MAX = 16,         /* subschemas looked at for one value */
    ORDER_STEPS_MAX = 50000000,   /* comparisons of names in one value */
    ORDER_ARENA_BYTES = 256 << 20 /* two handles a member, with the nodes that a reply may hold */
};

struct order_nodes {
    uint32_t items[ORDER_NODES_MAX];
    uint32_t count;
};

/* A container that is being written. */
struct order_frame {
    struct json container;
    struct order_nodes nodes;
    struct json *members; /* of an object, in the order of writing */
    uint32_t count, index;
    struct json item; /* of an array: the next one */
};

struct order {
    const struct schema_program *program;
    struct arena arena;
    struct buffer *out;
    uint64_t steps;
    struct order_frame frames[LIMIT_JSON_DEPTH + 1];
    uint32_t depth;
};

static bool order_charge(struct order *order, uint32_t steps)
{
    bool is_left = order->steps > steps;
    order->steps -= is_left ? steps : order->steps;
    return is_left;
}

static uint8_t type_bits(struct json value)
{
    switch (json_type(value)) {
    case JSON_OBJECT: return SCHEMA_OBJECT;
    case JSON_ARRAY: return SCHEMA_ARRAY;
    case JSON_NULL:
    case JSON_FALSE:
    case JSON_TRUE:
    case JSON_NUMBER:
    case JSON_STRING: break;
    }
    return 0;
}

/* A property that must be one string, which the value has differently: not the branch that was
 * taken. */
static bool property_rules_out(struct order *order, const struct schema_property *property,
                               struct json object)
{
    const struct schema_op *op = schema_node_find(order->program, property->node, SCHEMA_OP_ENUM);
    if (op == NULL || op->b != 1 || !order_charge(order, json_count(object)))
        return false;
    struct json constant = order->program->values[op->a];
    struct json member = json_get(object, property->name);
    return json_type(constant) == JSON_STRING && json_exists(member) &&
           (json_type(member) != JSON_STRING ||
            !str_equal(json_string(member), json_string(constant)));
}

static bool node_fits(struct order *order, uint32_t node, struct json value)
{
    if ((order->program->nodes[node].types & type_bits(value)) == 0)
        return false;
    const struct schema_op *op = schema_node_find(order->program, node, SCHEMA_OP_PROPERTIES);
    if (op == NULL || json_type(value) != JSON_OBJECT)
        return true;
    for (uint32_t i = 0; i < op->b; i++) {
        if (property_rules_out(order, &order->program->properties[op->a + i], value))
            return false;
    }
    return true;
}

static void nodes_add(struct order *order, struct order_nodes *nodes, uint32_t node,
                      struct json value)
{
    if (node == SCHEMA_NONE || nodes->count == ORDER_NODES_MAX)
        return;
    for (uint32_t i = 0; i < nodes->count; i++) {
        if (nodes->items[i] == node)
            return;
    }
    if (node_fits(order, node, value))
        nodes->items[nodes->count++] = node;
}

/* Adds the subschemas that op applies to the same value. */
static void nodes_add_in_place(struct order *order, struct order_nodes *nodes,
                               const struct schema_op *op, struct json value)
{
    if (op->opcode == SCHEMA_OP_REF)
        nodes_add(order, nodes, op->a, value);
    if (op->opcode == SCHEMA_OP_DEPENDENT_SCHEMA || op->opcode == SCHEMA_OP_IF)
        nodes_add(order, nodes, op->b, value);
    if (op->opcode == SCHEMA_OP_IF)
        nodes_add(order, nodes, op->c, value);
    if (op->opcode == SCHEMA_OP_ALL_OF || op->opcode == SCHEMA_OP_ANY_OF ||
        op->opcode == SCHEMA_OP_ONE_OF) {
        for (uint32_t i = 0; i < op->b; i++)
            nodes_add(order, nodes, order->program->children[op->a + i], value);
    }
}

static void nodes_expand(struct order *order, struct order_nodes *nodes, struct json value)
{
    for (uint32_t i = 0; i < nodes->count; i++) {
        const struct schema_node *node = &order->program->nodes[nodes->items[i]];
        for (uint32_t k = 0; k < node->op_count; k++)
            nodes_add_in_place(order, nodes, &order->program->ops[node->op_first + k], value);
    }
}

/* The subschemas of the member that a node's properties and additionalProperties give it. */
static void member_nodes(struct order *order, uint32_t node, struct json member,
                         struct order_nodes *nodes)
{
    const struct schema_program *program = order->program;
    const struct schema_op *op = schema_node_find(program, node, SCHEMA_OP_PROPERTIES);
    uint32_t hash = json_member_hash(member);
    for (uint32_t i = 0; op != NULL && i < op->b && order_charge(order, 1); i++) {
        const struct schema_property *property = &program->properties[op->a + i];
        if (property->hash == hash && str_equal(property->name, json_member_name(member))) {
            nodes_add(order, nodes, property->node, member);
            return;
        }
    }
    op = schema_node_find(program, node, SCHEMA_OP_ADDITIONAL);
    if (op != NULL)
        nodes_add(order, nodes, op->a, member);
}

static void item_nodes(struct order *order, uint32_t node, uint32_t index, struct json item,
                       struct order_nodes *nodes)
{
    const struct schema_op *op = schema_node_find(order->program, node, SCHEMA_OP_PREFIX_ITEMS);
    if (op != NULL && index < op->b)
        nodes_add(order, nodes, order->program->children[op->a + index], item);
    op = schema_node_find(order->program, node, SCHEMA_OP_ITEMS);
    if (op != NULL && index >= op->b)
        nodes_add(order, nodes, op->a, item);
}

/* Moves the member of that property from members[placed..] to members[placed]. The usual case is
 * that it stands there already. */
static bool members_place(struct order *order, struct order_frame *frame, uint32_t placed,
                          const struct schema_property *property)
{
    for (uint32_t i = placed; i < frame->count && order_charge(order, 1); i++) {
        struct json member = frame->members[i];
        if (json_member_hash(member) != property->hash ||
            !str_equal(json_member_name(member), property->name))
            continue;
        memmove(frame->members + placed + 1, frame->members + placed,
                (i - placed) * sizeof(frame->members[0]));
        frame->members[placed] = member;
        return true;
    }
    return false;
}

static enum status frame_order_members(struct order *order, struct order_frame *frame)
{
    frame->count = json_count(frame->container);
    frame->members = arena_take_array(&order->arena, frame->count, sizeof(frame->members[0]));
    if (frame->members == NULL)
        return STATUS_NO_MEMORY;
    uint32_t count = 0;
    for (struct json member = json_first(frame->container); json_exists(member);
         member = json_next(member, frame->container))
        frame->members[count++] = member;
    uint32_t placed = 0;
    for (uint32_t i = 0; i < frame->nodes.count; i++) {
        const struct schema_op *op =
            schema_node_find(order->program, frame->nodes.items[i], SCHEMA_OP_PROPERTIES);
        for (uint32_t k = 0; op != NULL && k < op->b && placed < count; k++)
            placed += members_place(order, frame, placed, &order->program->properties[op->a + k]);
    }
    return STATUS_OK;
}

/* Writes a scalar, or opens a container. */
static enum status order_value(struct order *order, struct json value,
                               const struct order_nodes *nodes)
{
    enum json_type type = json_type(value);
    if (type != JSON_OBJECT && type != JSON_ARRAY) {
        json_write(value, 0, order->out);
        return STATUS_OK;
    }
    struct order_frame *frame = &order->frames[order->depth++];
    *frame = (struct order_frame){ .container = value, .nodes = *nodes };
    nodes_expand(order, &frame->nodes, value);
    buffer_append_byte(order->out, type == JSON_OBJECT ? '{' : '[');
    if (type == JSON_OBJECT)
        return frame_order_members(order, frame);
    frame->count = json_count(value);
    frame->item = json_first(value);
    return STATUS_OK;
}

/* The next child of the innermost container, or its end. */
static enum status order_advance(struct order *order)
{
    struct order_frame *frame = &order->frames[order->depth - 1];
    bool is_object = json_type(frame->container) == JSON_OBJECT;
    if (frame->index == frame->count) {
        buffer_append_byte(order->out, is_object ? '}' : ']');
        order->depth--;
        return STATUS_OK;
    }
    if (frame->index > 0)
        buffer_append_byte(order->out, ',');
    struct json child = is_object ? frame->members[frame->index] : frame->item;
    struct order_nodes nodes = { .count = 0 };
    for (uint32_t i = 0; i < frame->nodes.count; i++) {
        if (is_object)
            member_nodes(order, frame->nodes.items[i], child, &nodes);
        else
            item_nodes(order, frame->nodes.items[i], frame->index, child, &nodes);
    }
    if (is_object) {
        json_write_string(json_member_name(child), order->out);
        buffer_append_byte(order->out, ':');
    } else {
        frame->item = json_next(child, frame->container);
    }
    frame->index++;
    return order_value(order, child, &nodes);
}

enum status engine_order_write(const struct schema_program *program, struct json value,
                               const struct alloc *alloc, struct buffer *out)
{
    struct order *order = alloc_get(alloc, sizeof(*order));
    if (order == NULL)
        return STATUS_NO_MEMORY;
    order->program = program;
    order->out = out;
    order->steps = ORDER_STEPS_MAX;
    order->depth = 0;
    arena_init(&order->arena, alloc, ORDER_ARENA_BYTES);
    struct order_nodes root = { .count = 1, .items = { 0 } };
    enum status status = order_value(order, value, &root);
    while (status == STATUS_OK && order->depth > 0)
        status = order_advance(order);
    if (status == STATUS_OK && buffer_status(out) != STATUS_OK)
        status = STATUS_NO_MEMORY;
    arena_release(&order->arena);
    alloc_free(alloc, order, sizeof(*order));
    return status;
}

/* build_container.c - the array and object alternatives of a branch.
 *
 * Owns the merging of item and member schemas over the nodes of a conjunction, the order of
 * members, and which free members an object may have. Objects are closed: a member that no schema
 * names is written only when the object is a map (additionalProperties and no properties) or when
 * minProperties asks for more.
 */
#include "base/features.h"

#include "decode/build.h"

enum { MERGE_NODES_MAX = 64 };

/* Nodes that one item or member has to satisfy, taken from all nodes of the branch. */
struct merge {
    uint32_t nodes[MERGE_NODES_MAX];
    uint32_t count;
    uint32_t node; /* the first, which describes it */
    bool refused;  /* some node says false */
};

static void merge_add(struct builder *builder, struct merge *merge, uint32_t node)
{
    if (builder->program->nodes[node].types == 0)
        merge->refused = true;
    for (uint32_t i = 0; i < merge->count; i++) {
        if (merge->nodes[i] == node)
            return;
    }
    if (merge->count == MERGE_NODES_MAX) {
        builder->status = error_set(builder->error, STATUS_UNSUPPORTED,
                                    "more than %d subschemas apply to one member", MERGE_NODES_MAX);
        return;
    }
    if (merge->count == 0)
        merge->node = node;
    merge->nodes[merge->count++] = node;
}

static uint32_t branch_rule_flags(const struct branch *branch)
{
    return branch->flags & RULE_UNGROUNDED;
}

static uint32_t merge_rule(struct builder *builder, const struct branch *branch,
                           const struct merge *merge)
{
    return build_rule(builder, merge->nodes, merge->count, merge->node, branch_rule_flags(branch));
}

/* Least of an instruction's operand a over the branch, or the greatest. */
static uint32_t branch_bound(const struct builder *builder, const struct branch *branch,
                             enum schema_opcode opcode, uint32_t start, bool greatest)
{
    struct branch_cursor cursor = { 0 };
    const struct schema_op *op;
    uint32_t bound = start;
    while ((op = branch_next(builder, branch, opcode, &cursor)) != NULL) {
        if (greatest ? op->a > bound : op->a < bound)
            bound = op->a;
    }
    return bound;
}

/* ---- arrays
 * ---------------------------------------------------------------------------------------- */

static void merge_item(struct builder *builder, const struct branch *branch, uint32_t index,
                       struct merge *merge)
{
    *merge = (struct merge){ .node = SCHEMA_NONE };
    for (uint32_t i = 0; i < branch->node_count; i++) {
        uint32_t node = branch->nodes[i];
        const struct schema_op *ops = schema_node_ops(builder->program, node);
        for (uint32_t k = 0; k < builder->program->nodes[node].op_count; k++) {
            const struct schema_op *op = &ops[k];
            if (op->opcode == SCHEMA_OP_PREFIX_ITEMS && index < op->b)
                merge_add(builder, merge, builder->program->children[op->a + index]);
            else if (op->opcode == SCHEMA_OP_ITEMS && index >= op->b)
                merge_add(builder, merge, op->a);
        }
    }
}

static uint32_t branch_prefix_count(const struct builder *builder, const struct branch *branch)
{
    struct branch_cursor cursor = { 0 };
    const struct schema_op *op;
    uint32_t count = 0;
    while ((op = branch_next(builder, branch, SCHEMA_OP_PREFIX_ITEMS, &cursor)) != NULL)
        count = op->b > count ? op->b : count;
    return count;
}

static void array_unique(struct builder *builder, const struct branch *branch,
                         struct array_alt *array)
{
    struct branch_cursor cursor = { 0 };
    const struct schema_op *op;
    while ((op = branch_next(builder, branch, SCHEMA_OP_UNIQUE_ITEMS, &cursor)) != NULL) {
        array->unique = array->min_items <= DECODE_SEEN_MAX / 2 && array->prefix_count == 0;
        array->unique_op = (uint32_t)(op - builder->program->ops);
        array->unique_node = cursor.node;
        if (!array->unique)
            build_gap(builder, cursor.node, op);
    }
}

/* Rules of the prefix; an item that nothing satisfies bounds the array there. */
static void array_prefix(struct builder *builder, const struct branch *branch,
                         struct array_alt *array)
{
    uint32_t count = branch_prefix_count(builder, branch);
    if (count > array->max_items)
        count = array->max_items;
    uint32_t *rules = arena_take_array(&builder->language->arena, count, sizeof *rules);
    if (rules == NULL) {
        build_no_memory(builder);
        return;
    }
    struct merge merge;
    for (uint32_t i = 0; i < count && !build_failed(builder); i++) {
        merge_item(builder, branch, i, &merge);
        if (merge.refused) {
            array->max_items = i;
            count = i;
            break;
        }
        rules[i] = merge_rule(builder, branch, &merge);
    }
    array->prefix = rules;
    array->prefix_count = count;
}

static bool array_has_items(const struct builder *builder, const struct branch *branch)
{
    struct branch_cursor cursor = { 0 };
    return branch_next(builder, branch, SCHEMA_OP_ITEMS, &cursor) != NULL;
}

void build_array(struct builder *builder, const struct branch *branch, uint32_t node)
{
    if (!(branch->types & SCHEMA_ARRAY) || build_failed(builder))
        return;
    struct branch_cursor cursor = { 0 };
    if (branch_next(builder, branch, SCHEMA_OP_ENUM, &cursor) != NULL)
        return;
    struct array_alt array = { .items = RULE_NONE };
    array.min_items = branch_bound(builder, branch, SCHEMA_OP_MIN_ITEMS, 0, true);
    array.max_items = branch_bound(builder, branch, SCHEMA_OP_MAX_ITEMS, SCHEMA_NONE, false);
    array_prefix(builder, branch, &array);
    array_unique(builder, branch, &array);
    struct merge merge;
    merge_item(builder, branch, array.prefix_count, &merge);
    bool open = array_has_items(builder, branch) || array.prefix_count == 0 ||
                array.min_items > array.prefix_count;
    if (merge.refused || !open) {
        if (array.max_items > array.prefix_count)
            array.max_items = array.prefix_count;
    } else if (array.max_items > array.prefix_count) {
        /* so many different items cannot be promised of the prompt's values */
        uint32_t flags =
            branch_rule_flags(branch) | (array.unique && array.min_items > 1 ? RULE_UNGROUNDED : 0);
        array.items = build_rule(builder, merge.nodes, merge.count, merge.node, flags);
    }
    uint32_t soft = builder->language->options.items_max;
    if (soft < array.prefix_count)
        soft = array.prefix_count;
    if (array.max_items > soft)
        array.max_items = array.min_items > soft ? array.min_items : soft;
    if (array.min_items > array.max_items)
        return;
    array.fresh = builder->language->options.ground != NULL && !(branch->flags & RULE_UNGROUNDED) &&
                  array.prefix_count == 0;
    struct alt *alt = build_alt(builder, ALT_ARRAY, node);
    if (alt != NULL)
        alt->of.array = array;
}

/* ---- objects
 * --------------------------------------------------------------------------------------- */

struct name_list {
    struct str *names;
    uint32_t *hashes; /* of the names, to compare first */
    uint32_t count, cap, hash_cap;
};

static bool names_have(const struct name_list *list, struct str name)
{
    uint32_t hash = json_key_hash(name);
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->hashes[i] == hash && str_equal(list->names[i], name))
            return true;
    }
    return false;
}

static void names_add(struct builder *builder, struct name_list *list, struct str name)
{
    if (names_have(list, name))
        return;
    if (list->count == DECODE_MEMBERS_MAX && !build_failed(builder))
        builder->status = error_set(builder->error, STATUS_UNSUPPORTED,
                                    "an object with more than %d members", DECODE_MEMBERS_MAX);
    if (!build_reserve(builder, (void **)&list->names, &list->cap, list->count,
                       sizeof *list->names) ||
        !build_reserve(builder, (void **)&list->hashes, &list->hash_cap, list->count,
                       sizeof *list->hashes))
        return;
    list->hashes[list->count] = json_key_hash(name);
    list->names[list->count++] = name;
}

static void names_release(struct builder *builder, struct name_list *list)
{
    const struct alloc *alloc = builder->language->alloc;
    alloc_free(alloc, list->names, list->cap * sizeof *list->names);
    alloc_free(alloc, list->hashes, list->hash_cap * sizeof *list->hashes);
}

/* Properties in the order of the schema, then required names without a property. */
static void names_collect(struct builder *builder, const struct branch *branch,
                          struct name_list *list, struct name_list *required)
{
    const struct schema_program *program = builder->program;
    struct branch_cursor cursor = { 0 };
    const struct schema_op *op;
    while ((op = branch_next(builder, branch, SCHEMA_OP_PROPERTIES, &cursor)) != NULL) {
        for (uint32_t i = 0; i < op->b; i++)
            names_add(builder, list, program->properties[op->a + i].name);
    }
    cursor = (struct branch_cursor){ 0 };
    while ((op = branch_next(builder, branch, SCHEMA_OP_REQUIRED, &cursor)) != NULL) {
        for (uint32_t i = 0; i < op->b; i++)
            names_add(builder, required, program->names[op->a + i]);
    }
    for (uint32_t i = 0; i < branch->needed_count; i++)
        names_add(builder, required, branch->needed[i]);
    for (uint32_t i = 0; i < required->count; i++)
        names_add(builder, list, required->names[i]);
}

static const struct schema_property *op_property(const struct schema_program *program,
                                                 const struct schema_op *op, struct str name)
{
    uint32_t hash = json_key_hash(name);
    for (uint32_t i = 0; i < op->b; i++) {
        const struct schema_property *property = &program->properties[op->a + i];
        if (property->hash == hash && str_equal(property->name, name))
            return property;
    }
    return NULL;
}

static void merge_member(struct builder *builder, const struct branch *branch, struct str name,
                         struct merge *merge)
{
    const struct schema_program *program = builder->program;
    *merge = (struct merge){ .node = SCHEMA_NONE };
    for (uint32_t i = 0; i < branch->node_count; i++) {
        uint32_t node = branch->nodes[i];
        const struct schema_op *ops = schema_node_ops(program, node);
        const struct schema_property *property = NULL;
        for (uint32_t k = 0; k < program->nodes[node].op_count && property == NULL; k++) {
            if (ops[k].opcode == SCHEMA_OP_PROPERTIES)
                property = op_property(program, &ops[k], name);
        }
        if (property != NULL)
            merge_add(builder, merge, property->node);
        bool patterns = schema_node_find(program, node, SCHEMA_OP_PATTERN_PROPERTIES) != NULL;
        for (uint32_t k = 0; k < program->nodes[node].op_count; k++) {
            if (ops[k].opcode != SCHEMA_OP_ADDITIONAL || property != NULL)
                continue;
            if (!patterns || program->nodes[ops[k].a].types != 0)
                merge_add(builder, merge, ops[k].a);
        }
    }
}

static void merge_additional(struct builder *builder, const struct branch *branch,
                             struct merge *merge)
{
    *merge = (struct merge){ .node = SCHEMA_NONE };
    struct branch_cursor cursor = { 0 };
    const struct schema_op *op;
    while ((op = branch_next(builder, branch, SCHEMA_OP_ADDITIONAL, &cursor)) != NULL)
        merge_add(builder, merge, op->a);
}

/* "\"name\":" in the language's arena. */
static struct str member_key(struct builder *builder, struct str name)
{
    struct buffer text;
    struct str key = { NULL, 0 };
    buffer_init(&text, builder->language->alloc, LIMIT_SCHEMA_BYTES);
    json_write_string(name, &text);
    buffer_append_byte(&text, ':');
    if (buffer_status(&text) == STATUS_OK)
        key = arena_copy(&builder->language->arena, buffer_view(&text));
    buffer_release(&text);
    if (key.ptr == NULL)
        build_no_memory(builder);
    return key;
}

static uint32_t member_rule(struct builder *builder, const struct branch *branch, struct str name,
                            const struct merge *merge)
{
    uint32_t nots[2 * BRANCH_NOTS_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < branch->not_count; i++) {
        if (branch->not_names[i].ptr == NULL || !str_equal(branch->not_names[i], name))
            continue;
        nots[2 * count] = branch->not_nodes[i];
        nots[2 * count + 1] = branch->nots[i];
        count++;
    }
    return build_rule_without(builder, merge->nodes, merge->count, merge->node,
                              branch_rule_flags(branch), nots, count);
}

static bool branch_forbids(const struct branch *branch, struct str name)
{
    for (uint32_t i = 0; i < branch->forbidden_count; i++) {
        if (str_equal(branch->forbidden[i], name))
            return true;
    }
    return false;
}

/* False: a required member cannot exist. */
static bool object_members(struct builder *builder, const struct branch *branch,
                           const struct name_list *list, const struct name_list *required,
                           struct object_alt *object)
{
    struct member *members =
        arena_take_array(&builder->language->arena, list->count, sizeof *members);
    if (members == NULL) {
        build_no_memory(builder);
        return false;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count && !build_failed(builder); i++) {
        struct str name = list->names[i];
        bool is_required = names_have(required, name);
        struct merge merge;
        merge_member(builder, branch, name, &merge);
        bool refused = merge.refused || branch_forbids(branch, name);
        if (refused && is_required)
            return false;
        /* A refused name stays in the list, without a rule, so that no free member takes it. */
        members[count++] = (struct member){
            .key = member_key(builder, name),
            .hash = value_hash_string(name),
            .rule = refused ? RULE_NONE : member_rule(builder, branch, name, &merge),
            .required = is_required,
        };
        object->required_count += is_required;
    }
    object->members = members;
    object->member_count = count;
    return !build_failed(builder);
}

static bool branch_has(const struct builder *builder, const struct branch *branch,
                       enum schema_opcode opcode)
{
    struct branch_cursor cursor = { 0 };
    return branch_next(builder, branch, opcode, &cursor) != NULL;
}

/* Names of free members: what propertyNames says of them. */
static uint32_t extra_key_rule(struct builder *builder, const struct branch *branch, bool owed)
{
    /* names that must come cannot be promised of the prompt's words, which are only so many */
    uint32_t flags = branch_rule_flags(branch) | RULE_KEY | (owed ? RULE_UNGROUNDED : 0);
    struct merge merge = { .node = SCHEMA_NONE };
    struct branch_cursor cursor = { 0 };
    const struct schema_op *op;
    while ((op = branch_next(builder, branch, SCHEMA_OP_PROPERTY_NAMES, &cursor)) != NULL)
        merge_add(builder, &merge, op->a);
    return build_rule(builder, merge.nodes, merge.count, merge.node, flags);
}

/* Members that the schema names and admits. */
static uint32_t object_named(const struct object_alt *object)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < object->member_count; i++)
        count += object->members[i].rule != RULE_NONE;
    return count;
}

static void object_extras(struct builder *builder, const struct branch *branch,
                          struct object_alt *object)
{
    struct merge merge;
    merge_additional(builder, branch, &merge);
    object->extra_rule = object->extra_key_rule = RULE_NONE;
    bool map = object->member_count == 0 && merge.count > 0 &&
               !branch_has(builder, branch, SCHEMA_OP_PROPERTIES);
    uint32_t named = object_named(object);
    uint32_t missing = object->min_members > named ? object->min_members - named : 0;
    if (merge.refused || (!map && missing == 0))
        return;
    object->extra_max = missing;
    if (map && object->extra_max < builder->language->options.items_max)
        object->extra_max = builder->language->options.items_max;
    object->extra_key_rule = extra_key_rule(builder, branch, missing > 0);
    object->extra_rule = merge_rule(builder, branch, &merge);
}

static void object_gaps(struct builder *builder, const struct branch *branch,
                        const struct object_alt *object)
{
    struct branch_cursor cursor = { 0 };
    const struct schema_op *op;
    while ((op = branch_next(builder, branch, SCHEMA_OP_PATTERN_PROPERTIES, &cursor)) != NULL)
        build_gap(builder, cursor.node, op);
    cursor = (struct branch_cursor){ 0 };
    while ((op = branch_next(builder, branch, SCHEMA_OP_PROPERTY_NAMES, &cursor)) != NULL) {
        if (object->member_count > 0)
            build_gap(builder, cursor.node, op);
    }
}

static bool object_tables(struct builder *builder, struct object_alt *object)
{
    struct arena *arena = &builder->language->arena;
    uint32_t count = object->member_count + 1;
    object->tail_bytes = arena_take_array(arena, count, sizeof *object->tail_bytes);
    object->tail_required = arena_take_array(arena, count, sizeof *object->tail_required);
    object->next_required = arena_take_array(arena, count, sizeof *object->next_required);
    if (object->tail_bytes == NULL || object->tail_required == NULL ||
        object->next_required == NULL) {
        build_no_memory(builder);
        return false;
    }
    object->tail_bytes[count - 1] = 0;
    object->tail_required[count - 1] = 0;
    object->next_required[count - 1] = object->member_count;
    for (uint32_t i = object->member_count; i-- > 0;) {
        bool is_required = object->members[i].required;
        object->tail_bytes[i] = 0;
        object->tail_required[i] = object->tail_required[i + 1] + is_required;
        object->next_required[i] = is_required ? i : object->next_required[i + 1];
    }
    return true;
}

void build_object(struct builder *builder, const struct branch *branch, uint32_t node)
{
    if (!(branch->types & SCHEMA_OBJECT) || build_failed(builder) ||
        branch_has(builder, branch, SCHEMA_OP_ENUM))
        return;
    struct object_alt object = { .extra_rule = RULE_NONE, .extra_key_rule = RULE_NONE };
    object.min_members = branch_bound(builder, branch, SCHEMA_OP_MIN_PROPERTIES, 0, true);
    object.max_members =
        branch_bound(builder, branch, SCHEMA_OP_MAX_PROPERTIES, SCHEMA_NONE, false);
    struct name_list list = { 0 }, required = { 0 };
    names_collect(builder, branch, &list, &required);
    bool possible =
        !build_failed(builder) && object_members(builder, branch, &list, &required, &object);
    names_release(builder, &list);
    names_release(builder, &required);
    if (!possible || object.required_count > object.max_members ||
        object.min_members > object.max_members)
        return;
    object_extras(builder, branch, &object);
    object_gaps(builder, branch, &object);
    if (object.min_members > object_named(&object) + (uint64_t)object.extra_max ||
        build_failed(builder) || !object_tables(builder, &object))
        return;
    struct alt *alt = build_alt(builder, ALT_OBJECT, node);
    if (alt != NULL)
        alt->of.object = object;
}

/* shape_object.c - objects: declared members, maps, and lists of pairs where the wire has no maps.
 *
 * Owns: the members of an object and what applies to each. Leaves to others: which optional members
 * are null instead of absent (fit.c). Invariants: members stand in the order of the schema; a
 * member that only `then`, `else`, a dependent schema or an alternative that is not followed speaks
 * of is optional here, so that values with it have a form; the work is bounded.
 */
#include "base/features.h"

#include "projection/shape_builder.h"

#include "base/limits.h"
#include "regex/regex.h"

enum {
    OBJECT_MENTIONS_MAX = 128, /* subschemas looked into for members that they alone declare */
    OBJECT_CHILD_PLACES = 8,
    OBJECT_WORK_MAX = 20000000 /* member × subschema tests of one schema */
};

struct object_child {
    uint32_t node;
    uint32_t next; /* or SCHEMA_NONE */
};

struct object_member {
    struct str name;
    uint32_t hash;
    uint32_t child_first;   /* nodes that apply to it */
    uint32_t mention_first; /* nodes that apply sometimes */
    uint32_t declared_by;   /* 1 + the item of the conjunction looked at last */
    bool is_declared;
    bool is_required;
};

struct object_members {
    const struct alloc *alloc;
    struct object_member *items;
    uint32_t count, capacity;
    struct object_child *children;
    uint32_t child_count, child_capacity;
    uint32_t *slots;
    uint32_t slot_count;
};

/* ---- the table of members -------------------------------------------------------------------- */

static bool members_grow(const struct alloc *alloc, void **items, uint32_t *capacity,
                         uint32_t count, size_t size)
{
    if (count < *capacity)
        return true;
    uint32_t wanted = *capacity == 0 ? 16 : *capacity * 2;
    void *grown = alloc_grow(alloc, *items, *capacity * size, wanted * size);
    if (grown == NULL)
        return false;
    *items = grown;
    *capacity = wanted;
    return true;
}

static void members_release(struct object_members *members)
{
    alloc_free(members->alloc, members->items, members->capacity * sizeof(*members->items));
    alloc_free(members->alloc, members->children,
               members->child_capacity * sizeof(*members->children));
    alloc_free(members->alloc, members->slots, members->slot_count * sizeof(*members->slots));
}

static bool members_rehash(struct object_members *members)
{
    uint32_t wanted = members->slot_count == 0 ? 32 : members->slot_count * 2;
    uint32_t *slots = alloc_get(members->alloc, wanted * sizeof(*slots));
    if (slots == NULL)
        return false;
    memset(slots, 0, wanted * sizeof(*slots));
    for (uint32_t i = 0; i < members->count; i++) {
        uint32_t at = members->items[i].hash & (wanted - 1);
        while (slots[at] != 0)
            at = (at + 1) & (wanted - 1);
        slots[at] = i + 1;
    }
    alloc_free(members->alloc, members->slots, members->slot_count * sizeof(*slots));
    members->slots = slots;
    members->slot_count = wanted;
    return true;
}

/* The member of that name, made on first use; NULL when memory is used up. */
static struct object_member *members_get(struct object_members *members, struct str name)
{
    uint32_t hash = json_key_hash(name);
    if (members->count * 2 >= members->slot_count && !members_rehash(members))
        return NULL;
    uint32_t at = hash & (members->slot_count - 1);
    for (; members->slots[at] != 0; at = (at + 1) & (members->slot_count - 1)) {
        struct object_member *member = &members->items[members->slots[at] - 1];
        if (member->hash == hash && str_equal(member->name, name))
            return member;
    }
    if (!members_grow(members->alloc, (void **)&members->items, &members->capacity, members->count,
                      sizeof(*members->items)))
        return NULL;
    members->slots[at] = members->count + 1;
    struct object_member *member = &members->items[members->count++];
    *member = (struct object_member){
        .name = name, .hash = hash, .child_first = SCHEMA_NONE, .mention_first = SCHEMA_NONE
    };
    return member;
}

static bool members_link(struct object_members *members, uint32_t *first, uint32_t node)
{
    uint32_t last = SCHEMA_NONE;
    for (uint32_t i = *first; i != SCHEMA_NONE; i = members->children[i].next) {
        if (members->children[i].node == node)
            return true;
        last = i;
    }
    if (!members_grow(members->alloc, (void **)&members->children, &members->child_capacity,
                      members->child_count, sizeof(*members->children)))
        return false;
    members->children[members->child_count] = (struct object_child){ node, SCHEMA_NONE };
    if (last == SCHEMA_NONE)
        *first = members->child_count;
    else
        members->children[last].next = members->child_count;
    members->child_count++;
    return true;
}

/* ---- who declares what ----------------------------------------------------------------------- */

static bool object_declare(struct shape_builder *builder, struct object_members *members,
                           const uint32_t *nodes, uint32_t count)
{
    const struct schema_program *program = builder->program;
    for (struct op_cursor at = { 0 }; op_next(builder, nodes, count, SCHEMA_OP_PROPERTIES, &at);) {
        for (uint32_t i = 0; i < at.op->b; i++) {
            struct object_member *member =
                members_get(members, program->properties[at.op->a + i].name);
            if (member == NULL)
                return false;
            member->is_declared = true;
        }
    }
    for (struct op_cursor at = { 0 }; op_next(builder, nodes, count, SCHEMA_OP_REQUIRED, &at);) {
        for (uint32_t i = 0; i < at.op->b; i++) {
            struct object_member *member = members_get(members, program->names[at.op->a + i]);
            if (member == NULL)
                return false;
            member->is_required = true;
            member->is_declared = true;
        }
    }
    return true;
}

/* Subschemas that apply to some values only. */
struct mentions {
    uint32_t nodes[OBJECT_MENTIONS_MAX];
    uint32_t count;
};

static void mentions_add(struct shape_builder *builder, struct mentions *mentions, uint32_t node)
{
    struct conjunction all = { .types = SCHEMA_ANY };
    if (node == SCHEMA_NONE)
        return;
    conjunction_add(builder, &all, node);
    for (uint32_t i = 0; i < all.count; i++) {
        uint32_t k = 0;
        while (k < mentions->count && mentions->nodes[k] != all.nodes[i])
            k++;
        if (k == mentions->count && k < OBJECT_MENTIONS_MAX)
            mentions->nodes[mentions->count++] = all.nodes[i];
    }
}

static void mentions_of_op(struct shape_builder *builder, struct mentions *mentions,
                           const struct schema_op *op)
{
    if (op->opcode == SCHEMA_OP_IF) {
        mentions_add(builder, mentions, op->a);
        mentions_add(builder, mentions, op->b);
        mentions_add(builder, mentions, op->c);
    } else if (op->opcode == SCHEMA_OP_DEPENDENT_SCHEMA) {
        mentions_add(builder, mentions, op->b);
    } else if (op->opcode == SCHEMA_OP_ANY_OF || op->opcode == SCHEMA_OP_ONE_OF) {
        for (uint32_t i = 0; i < op->b; i++)
            mentions_add(builder, mentions, builder->program->children[op->a + i]);
    }
}

static bool op_was_taken(const struct shape_node *node, uint32_t op)
{
    for (uint32_t i = 0; i < node->taken_count; i++) {
        if (node->taken[i] == op)
            return true;
    }
    return false;
}

static bool mentions_declare(struct shape_builder *builder, struct object_members *members,
                             const struct mentions *mentions)
{
    const struct schema_program *program = builder->program;
    for (struct op_cursor at = { 0 };
         op_next(builder, mentions->nodes, mentions->count, SCHEMA_OP_PROPERTIES, &at);) {
        for (uint32_t i = 0; i < at.op->b; i++) {
            const struct schema_property *property = &program->properties[at.op->a + i];
            struct object_member *member = members_get(members, property->name);
            if (member == NULL)
                return false;
            if (!member->is_declared &&
                !members_link(members, &member->mention_first, property->node))
                return false;
        }
    }
    for (struct op_cursor at = { 0 };
         op_next(builder, mentions->nodes, mentions->count, SCHEMA_OP_REQUIRED, &at);) {
        for (uint32_t i = 0; i < at.op->b; i++) {
            if (members_get(members, program->names[at.op->a + i]) == NULL)
                return false;
        }
    }
    return true;
}

/* Members that only conditions, dependent schemas and alternatives not followed speak of. */
static bool object_mention(struct shape_builder *builder, struct object_members *members,
                           uint32_t index)
{
    const struct schema_program *program = builder->program;
    const struct shape_node *node = &builder->shape->nodes[index];
    struct mentions mentions = { .count = 0 };
    for (uint32_t i = 0; i < node->node_count; i++) {
        const struct schema_node *row = &program->nodes[node->nodes[i]];
        for (uint32_t k = row->op_first; k < row->op_first + row->op_count; k++) {
            if (!op_was_taken(node, k))
                mentions_of_op(builder, &mentions, &program->ops[k]);
        }
    }
    for (uint32_t i = 0; i < mentions.count; i++) {
        const struct schema_node *row = &program->nodes[mentions.nodes[i]];
        for (uint32_t k = 0; k < row->op_count; k++)
            mentions_of_op(builder, &mentions, &program->ops[row->op_first + k]);
    }
    return mentions_declare(builder, members, &mentions);
}

/* ---- what applies to a member ---------------------------------------------------------------- */

static bool pattern_finds(struct shape_builder *builder, uint32_t pattern, struct str name)
{
    uint64_t steps = 100000;
    bool matches = false;
    enum status status = regex_matches(builder->program->patterns[pattern].regex, name,
                                       builder->shape->alloc, &steps, &matches);
    if (status == STATUS_NO_MEMORY)
        builder_no_memory(builder);
    return status == STATUS_OK && matches;
}

struct node_objects {
    const struct schema_op *properties, *patterns, *additional;
};

static struct node_objects node_objects_of(const struct schema_program *program, uint32_t node)
{
    return (struct node_objects){
        .properties = schema_node_find(program, node, SCHEMA_OP_PROPERTIES),
        .patterns = schema_node_find(program, node, SCHEMA_OP_PATTERN_PROPERTIES),
        .additional = schema_node_find(program, node, SCHEMA_OP_ADDITIONAL)
    };
}

static bool member_apply(struct shape_builder *builder, struct object_members *members,
                         struct object_member *member, const struct node_objects *ops,
                         uint32_t stamp)
{
    const struct schema_program *program = builder->program;
    bool is_known = member->declared_by == stamp;
    for (uint32_t i = 0; ops->patterns != NULL && i < ops->patterns->b; i++) {
        const struct schema_pattern_property *row =
            &program->pattern_properties[ops->patterns->a + i];
        if (!pattern_finds(builder, row->pattern, member->name))
            continue;
        is_known = true;
        if (!members_link(members, &member->child_first, row->node))
            return false;
    }
    return is_known || ops->additional == NULL ||
           members_link(members, &member->child_first, ops->additional->a);
}

static bool object_apply(struct shape_builder *builder, struct object_members *members,
                         uint32_t node, uint32_t stamp)
{
    const struct schema_program *program = builder->program;
    struct node_objects ops = node_objects_of(program, node);
    for (uint32_t i = 0; ops.properties != NULL && i < ops.properties->b; i++) {
        const struct schema_property *property = &program->properties[ops.properties->a + i];
        struct object_member *member = members_get(members, property->name);
        if (member == NULL || !members_link(members, &member->child_first, property->node))
            return false;
        member->declared_by = stamp;
    }
    if (ops.patterns == NULL && ops.additional == NULL)
        return true;
    for (uint32_t i = 0; i < members->count; i++) {
        builder->work += 1 + (ops.patterns == NULL ? 0 : ops.patterns->b);
        if (builder->work > OBJECT_WORK_MAX && builder->status == STATUS_OK)
            builder->status = error_set(builder->error, STATUS_UNSUPPORTED,
                                        "the schema combines too many members and patterns");
        if (builder_failed(builder) ||
            !member_apply(builder, members, &members->items[i], &ops, stamp))
            return false;
    }
    return true;
}

static uint32_t member_place(struct shape_builder *builder, const struct object_members *members,
                             const struct object_member *member)
{
    struct conjunction all = { .types = SCHEMA_ANY };
    for (uint32_t i = member->child_first; i != SCHEMA_NONE; i = members->children[i].next)
        conjunction_add(builder, &all, members->children[i].node);
    if (member->mention_first == SCHEMA_NONE)
        return builder_place(builder, &all);
    uint32_t places[OBJECT_CHILD_PLACES];
    uint32_t count = 0;
    for (uint32_t i = member->mention_first; i != SCHEMA_NONE; i = members->children[i].next) {
        struct conjunction one = all;
        if (count == OBJECT_CHILD_PLACES)
            return builder_place(builder, &all);
        conjunction_add(builder, &one, members->children[i].node);
        places[count] = builder_place(builder, &one);
        count += places[count] != SHAPE_NEVER;
    }
    return builder_any(builder, places, count);
}

static uint32_t member_source(const struct object_members *members,
                              const struct object_member *member)
{
    uint32_t first =
        member->child_first == SCHEMA_NONE ? member->mention_first : member->child_first;
    return first == SCHEMA_NONE ? SCHEMA_NONE : members->children[first].node;
}

/* Whether propertyNames of the conjunction take the name. */
static bool name_is_taken(struct shape_builder *builder, const uint32_t *nodes, uint32_t count,
                          struct str name)
{
    struct json_doc *doc = NULL;
    struct buffer text;
    struct op_cursor at = { 0 };
    bool is_taken = true;
    if (!op_next(builder, nodes, count, SCHEMA_OP_PROPERTY_NAMES, &at))
        return true;
    buffer_init(&text, builder->shape->alloc, LIMIT_JSON_BYTES);
    json_write_string(name, &text);
    if (buffer_status(&text) == STATUS_OK)
        (void)json_parse(buffer_view(&text), NULL, builder->shape->alloc, &doc, NULL);
    if (doc == NULL)
        builder_no_memory(builder);
    for (bool more = doc != NULL; more && is_taken;
         more = op_next(builder, nodes, count, SCHEMA_OP_PROPERTY_NAMES, &at))
        is_taken = fits_node(&builder->fits, at.op->a, json_doc_root(doc));
    fits_forget(&builder->fits);
    json_doc_free(doc);
    buffer_release(&text);
    return is_taken;
}

/* False: a required member can hold nothing. */
static bool object_members_set(struct shape_builder *builder, uint32_t index,
                               const struct object_members *members)
{
    uint32_t count = 0;
    struct shape_member *rows = builder_array(builder, members->count, sizeof(*rows));
    for (uint32_t i = 0; rows != NULL && i < members->count; i++) {
        const struct object_member *member = &members->items[i];
        const struct shape_node *node = &builder->shape->nodes[index];
        uint32_t place = name_is_taken(builder, node->nodes, node->node_count, member->name)
                             ? member_place(builder, members, member)
                             : SHAPE_NEVER;
        if (builder_failed(builder))
            return true;
        if (place == SHAPE_NEVER && member->is_required)
            return false;
        if (place == SHAPE_NEVER)
            continue;
        rows[count++] = (struct shape_member){ .name = member->name,
                                               .node = place,
                                               .source = member_source(members, member),
                                               .presence = member->is_required ? SHAPE_REQUIRED
                                                                               : SHAPE_OPTIONAL,
                                               .required = member->is_required };
    }
    builder->shape->nodes[index].members = rows;
    builder->shape->nodes[index].member_count = count;
    return true;
}

/* ---- maps ------------------------------------------------------------------------------------ */

struct object_map {
    uint32_t places[OBJECT_CHILD_PLACES * 2];
    uint32_t count;
    uint32_t pattern; /* the only pattern of names, or SCHEMA_NONE */
    uint32_t pattern_count;
    bool is_said;   /* the target speaks of further members */
    bool is_closed; /* and takes none but those of patterns */
    bool overflows;
};

static void map_add(struct object_map *map, uint32_t place)
{
    if (place == SHAPE_NEVER)
        return;
    if (map->count == OBJECT_CHILD_PLACES * 2)
        map->overflows = true;
    else
        map->places[map->count++] = place;
}

static void map_patterns(struct shape_builder *builder, struct object_map *map,
                         const uint32_t *nodes, uint32_t count)
{
    for (struct op_cursor at = { 0 };
         op_next(builder, nodes, count, SCHEMA_OP_PATTERN_PROPERTIES, &at);) {
        for (uint32_t i = 0; i < at.op->b; i++) {
            const struct schema_pattern_property *row =
                &builder->program->pattern_properties[at.op->a + i];
            if (builder->program->nodes[row->node].types == 0)
                continue;
            map->pattern = row->pattern;
            map->pattern_count++;
            map_add(map, builder_place_of(builder, row->node));
        }
    }
}

static struct object_map object_map_of(struct shape_builder *builder, const uint32_t *nodes,
                                       uint32_t count)
{
    struct object_map map = { .pattern = SCHEMA_NONE };
    struct conjunction all = { .types = SCHEMA_ANY };
    for (struct op_cursor at = { 0 }; op_next(builder, nodes, count, SCHEMA_OP_ADDITIONAL, &at);) {
        map.is_said = true;
        conjunction_add(builder, &all, at.op->a);
    }
    /* What nothing evaluated is what the outermost schema speaks of. */
    const struct schema_op *rest =
        schema_node_find(builder->program, nodes[0], SCHEMA_OP_UNEVALUATED_PROPERTIES);
    if (rest != NULL && !map.is_said) {
        map.is_said = true;
        conjunction_add(builder, &all, rest->a);
    }
    map.is_closed = map.is_said && all.types == 0;
    map_patterns(builder, &map, nodes, count);
    if (map.is_said && !map.is_closed)
        map_add(&map, builder_place(builder, &all));
    return map;
}

static uint32_t map_key(struct shape_builder *builder, const struct object_map *map,
                        const uint32_t *nodes, uint32_t count)
{
    struct conjunction all = { .types = SCHEMA_ANY };
    uint32_t pattern = map->pattern_count == 1 && map->count == 1 ? map->pattern : SCHEMA_NONE;
    for (struct op_cursor at = { 0 };
         op_next(builder, nodes, count, SCHEMA_OP_PROPERTY_NAMES, &at);)
        conjunction_add(builder, &all, at.op->a);
    all.types &= SCHEMA_STRING;
    if (pattern == SCHEMA_NONE && all.count > 0 && !all.overflows && all.types != 0) {
        struct branch branch = { .all = all };
        bool has_values = false;
        for (struct op_cursor at = { 0 };
             op_next(builder, all.nodes, all.count, SCHEMA_OP_ENUM, &at);)
            has_values = true;
        return builder_part(builder, &branch, SHAPE_STRING, has_values);
    }
    return builder_string(builder, pattern);
}

/* A name for the list that no member has. */
static struct str map_list_name(struct shape_builder *builder, const struct object_members *members)
{
    char name[32] = "additional";
    size_t len = strlen(name);
    for (uint32_t i = 0; i < members->count; i++) {
        if (!str_equal(members->items[i].name, str_of(name, len)) || len + 1 >= sizeof(name))
            continue;
        name[len++] = '_';
        i = UINT32_MAX;
    }
    struct str copy = arena_copy(builder->shape->arena, str_of(name, len));
    if (copy.ptr == NULL)
        builder_no_memory(builder);
    return copy;
}

static void object_set_map(struct shape_builder *builder, uint32_t index,
                           const struct object_map *map)
{
    bool is_native = wire_keeps(builder->rules, WIRE_ADDITIONAL_SCHEMA);
    const struct shape_node *before = &builder->shape->nodes[index];
    bool is_bare = before->member_count == 0 && !map->is_said && map->count == 0;
    if (is_bare && !is_native) {
        shape_make_free(builder->shape, &builder->shape->nodes[index], SHAPE_WHY_ANY);
        builder->shape->nodes[index].kind = SHAPE_TEXT;
        return;
    }
    bool has_map = map->count > 0;
    uint32_t value = !has_map         ? SHAPE_NO_NODE
                     : map->overflows ? builder_free(builder)
                                      : builder_any(builder, map->places, map->count);
    uint32_t key =
        !has_map ? SHAPE_NO_NODE : map_key(builder, map, before->nodes, before->node_count);
    struct shape_node *node = &builder->shape->nodes[index];
    node->value = value;
    node->key = key;
    if (!has_map)
        node->extra = map->is_closed ? SHAPE_EXTRA_NONE : SHAPE_EXTRA_UNSAID;
    else if (is_native)
        node->extra = SHAPE_EXTRA_MAP;
    else if (node->member_count == 0)
        node->kind = SHAPE_PAIRS;
    else
        node->extra = SHAPE_EXTRA_LIST;
}

void builder_fill_object(struct shape_builder *builder, uint32_t index)
{
    struct object_members members = { .alloc = builder->shape->alloc };
    builder_facts(builder, index, SCHEMA_OBJECT);
    if (builder_failed(builder))
        return;
    const uint32_t *nodes = builder->shape->nodes[index].nodes;
    uint32_t count = builder->shape->nodes[index].node_count;
    bool is_good =
        object_declare(builder, &members, nodes, count) && object_mention(builder, &members, index);
    for (uint32_t i = 0; is_good && i < count; i++)
        is_good = object_apply(builder, &members, nodes[i], i + 1);
    if (!is_good)
        builder_no_memory(builder);
    bool is_possible = !is_good || object_members_set(builder, index, &members);
    if (!builder_failed(builder) && is_possible) {
        struct str name = map_list_name(builder, &members);
        struct object_map map = object_map_of(builder, nodes, count);
        builder->shape->nodes[index].list_name = name;
        object_set_map(builder, index, &map);
    } else if (!builder_failed(builder)) {
        shape_make_free(builder->shape, &builder->shape->nodes[index], SHAPE_WHY_NEVER);
    }
    members_release(&members);
}

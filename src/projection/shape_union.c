/* shape_union.c - alternatives of one place.
 *
 * Owns: unions of unions made flat, and the promise that the parts of a union can be told apart on
 * the wire. Leaves to others: which alternatives there are (shape_place.c). Invariant: in a union
 * stands at most one text beside no other string, and no list of pairs beside an array.
 */
#include "base/features.h"

#include "projection/shape_builder.h"

/* ---- flat ------------------------------------------------------------------------------------ */

struct flat_parts {
    uint32_t items[BRANCHES_MAX];
    uint32_t count;
    uint32_t todo[BRANCHES_MAX * 2];
    uint32_t todo_count;
    bool overflows;
};

static void flat_open(struct flat_parts *flat, const struct shape_node *node)
{
    for (uint32_t i = node->part_count; i > 0; i--) {
        if (flat->todo_count == BRANCHES_MAX * 2) {
            flat->overflows = true;
            return;
        }
        flat->todo[flat->todo_count++] = node->parts[i - 1];
    }
}

static void flat_add(struct flat_parts *flat, uint32_t part)
{
    for (uint32_t i = 0; i < flat->count; i++) {
        if (flat->items[i] == part)
            return;
    }
    if (flat->count == BRANCHES_MAX)
        flat->overflows = true;
    else
        flat->items[flat->count++] = part;
}

static bool union_set(struct shape *shape, struct shape_node *node, const uint32_t *items,
                      uint32_t count)
{
    uint32_t *parts = arena_take_array(shape->arena, count, sizeof(*parts));
    if (parts == NULL)
        return false;
    memcpy(parts, items, count * sizeof(*parts));
    node->parts = parts;
    node->part_count = count;
    return true;
}

/* Bounded: a union that would have too many parts is free, one of a single part is an alias. */
static bool union_flatten(struct shape *shape, struct shape_node *node)
{
    struct flat_parts flat = { .count = 0 };
    flat_open(&flat, node);
    for (uint32_t steps = 0; flat.todo_count > 0 && !flat.overflows; steps++) {
        uint32_t part = flat.todo[--flat.todo_count];
        if (shape->nodes[part].kind == SHAPE_UNION)
            flat_open(&flat, &shape->nodes[part]);
        else if (shape->nodes[part].why != SHAPE_WHY_NEVER)
            flat_add(&flat, part);
        flat.overflows = flat.overflows || steps > BRANCHES_MAX * 8;
    }
    if (!flat.overflows && flat.count >= 1)
        return union_set(shape, node, flat.items, flat.count);
    shape_make_free(shape, node, flat.overflows ? SHAPE_WHY_LARGE : SHAPE_WHY_NEVER);
    return true;
}

static uint32_t union_alias(const struct shape *shape, uint32_t index)
{
    if (index < shape->count && shape->nodes[index].kind == SHAPE_UNION &&
        shape->nodes[index].part_count == 1)
        return shape->nodes[index].parts[0];
    return index;
}

/* Edges lead past aliases; optional members that nothing satisfies go. */
static void node_follow_aliases(struct shape *shape, struct shape_node *node)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < node->member_count; i++) {
        struct shape_member member = node->members[i];
        member.node = union_alias(shape, member.node);
        if (node->kind == SHAPE_TUPLE || member.required ||
            shape->nodes[member.node].why != SHAPE_WHY_NEVER)
            node->members[kept++] = member;
    }
    node->member_count = kept;
    for (uint32_t i = 0; i < node->part_count; i++)
        node->parts[i] = union_alias(shape, node->parts[i]);
    node->key = union_alias(shape, node->key);
    node->value = union_alias(shape, node->value);
}

bool shape_flatten(struct shape *shape)
{
    for (uint32_t i = 0; i < shape->count; i++) {
        if (shape->nodes[i].kind == SHAPE_UNION && !union_flatten(shape, &shape->nodes[i]))
            return false;
    }
    for (uint32_t i = 0; i < shape->count; i++) {
        if (shape->nodes[i].kind != SHAPE_UNION || shape->nodes[i].part_count > 1)
            node_follow_aliases(shape, &shape->nodes[i]);
    }
    shape->root = union_alias(shape, shape->root);
    return true;
}

/* ---- told apart ------------------------------------------------------------------------------ */

struct union_forms {
    uint32_t strings, texts, free, arrays, pairs, tuples, objects;
    uint32_t values; /* of parts with values */
    bool all_values; /* every part has some */
};

static struct union_forms union_count(const struct shape *shape, const struct shape_node *node)
{
    struct union_forms forms = { .all_values = true };
    for (uint32_t i = 0; i < node->part_count; i++) {
        const struct shape_node *part = &shape->nodes[node->parts[i]];
        forms.strings += part->kind == SHAPE_STRING;
        forms.texts += part->kind == SHAPE_TEXT;
        forms.free += part->kind == SHAPE_FREE;
        forms.arrays += part->kind == SHAPE_ARRAY;
        forms.pairs += part->kind == SHAPE_PAIRS;
        forms.tuples += part->kind == SHAPE_TUPLE;
        forms.objects += part->kind == SHAPE_OBJECT;
        forms.values += part->value_count;
        forms.all_values = forms.all_values && part->value_count > 0;
    }
    return forms;
}

/* One text for all parts: with all their values when they are counted. */
static bool union_make_text(struct shape *shape, struct shape_node *node,
                            const struct union_forms *forms)
{
    struct json *values = NULL;
    uint32_t count = 0;
    if (forms->all_values) {
        values = arena_take_array(shape->arena, forms->values, sizeof(*values));
        if (values == NULL)
            return false;
        for (uint32_t i = 0; i < node->part_count; i++) {
            const struct shape_node *part = &shape->nodes[node->parts[i]];
            for (uint32_t k = 0; k < part->value_count; k++)
                values[count++] = part->values[k];
        }
    }
    shape_make_free(shape, node, count > 0 ? SHAPE_WHY_ENUM : SHAPE_WHY_UNION);
    if (count > 0) {
        node->kind = SHAPE_TEXT;
        node->values = values;
        node->value_count = count;
    }
    return true;
}

/* A list of pairs in an object of its own, so that it is no array. */
static bool union_wrap_pairs(struct shape *shape, uint32_t index)
{
    for (uint32_t i = 0; i < shape->nodes[index].part_count; i++) {
        uint32_t part = shape->nodes[index].parts[i];
        if (shape->nodes[part].kind != SHAPE_PAIRS)
            continue;
        if (shape_push(shape) == NULL)
            return false;
        struct shape_node *copy = &shape->nodes[shape->count - 1];
        *copy = shape->nodes[part];
        copy->kind = SHAPE_OBJECT;
        copy->extra = SHAPE_EXTRA_LIST;
        copy->list_name = STR("members");
        shape->nodes[index].parts[i] = shape->count - 1;
    }
    return true;
}

/* A part that any value is valid for, with nothing left that only words could say. */
static bool union_takes_any(const struct shape *shape, const struct shape_node *node)
{
    for (uint32_t i = 0; node->rest_count == 0 && i < node->part_count; i++) {
        const struct shape_node *part = &shape->nodes[node->parts[i]];
        bool is_free = part->kind == SHAPE_FREE && part->why == SHAPE_WHY_ANY;
        for (unsigned k = 0; is_free && k < FACT_COUNT; k++)
            is_free = part->facts[k].op == SCHEMA_NONE;
        if (is_free && part->rest_count == 0)
            return true;
    }
    return false;
}

static bool place_has(const struct shape *shape, uint32_t place, enum shape_kind kind)
{
    if (place >= shape->count)
        return false;
    const struct shape_node *node = &shape->nodes[place];
    for (uint32_t i = 0; node->kind == SHAPE_UNION && i < node->part_count; i++) {
        if (shape->nodes[node->parts[i]].kind == kind)
            return true;
    }
    return node->kind == kind;
}

static bool items_have(const struct shape *shape, const struct shape_node *array,
                       enum shape_kind kind)
{
    for (uint32_t i = 0; i < array->part_count; i++) {
        if (place_has(shape, array->parts[i], kind))
            return true;
    }
    return place_has(shape, array->value, kind);
}

/* A string in a list would be a JSON text for one part, and itself for another. */
static bool union_mixes_items(const struct shape *shape, const struct shape_node *node)
{
    bool has_strings = false, has_texts = false;
    for (uint32_t i = 0; i < node->part_count; i++) {
        const struct shape_node *part = &shape->nodes[node->parts[i]];
        if (part->kind != SHAPE_ARRAY)
            continue;
        has_strings = has_strings || items_have(shape, part, SHAPE_STRING);
        has_texts = has_texts || items_have(shape, part, SHAPE_TEXT);
    }
    return has_strings && has_texts;
}

static bool union_settle(struct shape *shape, uint32_t index)
{
    struct shape_node *node = &shape->nodes[index];
    struct union_forms forms = union_count(shape, node);
    if (forms.free > 0) {
        bool takes_any = union_takes_any(shape, node);
        shape_make_free(shape, node, takes_any ? SHAPE_WHY_ANY : SHAPE_WHY_UNION);
        return true;
    }
    if (forms.texts > 0 && forms.texts + forms.strings > 1)
        return union_make_text(shape, node, &forms);
    if (forms.arrays > 1 && union_mixes_items(shape, node))
        return union_make_text(shape, node, &forms);
    if (forms.tuples > 0 && forms.tuples + forms.objects + forms.pairs > 1)
        return union_make_text(shape, node, &forms);
    return forms.pairs == 0 || forms.arrays == 0 || union_wrap_pairs(shape, index);
}

bool shape_settle(struct shape *shape)
{
    uint32_t count = shape->count;
    for (uint32_t i = 0; i < count; i++) {
        if (shape->nodes[i].kind == SHAPE_UNION && !union_settle(shape, i))
            return false;
    }
    return true;
}

/* ---- on the wire ----------------------------------------------------------------------------- */

/* A type and nothing else. */
static bool part_is_bare(const struct shape_node *part)
{
    if (!shape_is_scalar((enum shape_kind)part->kind) || part->value_count > 0 ||
        part->rest_count > 0 || part->key_pattern != SCHEMA_NONE)
        return false;
    for (unsigned i = 0; i < FACT_COUNT; i++) {
        if (part->facts[i].op != SCHEMA_NONE)
            return false;
    }
    return true;
}

struct shape_union shape_union_of(const struct shape *shape, const struct shape_node *node)
{
    struct shape_union result = { .only = SHAPE_NO_NODE, .is_bare = true };
    for (uint32_t i = 0; i < node->part_count; i++) {
        const struct shape_node *part = &shape->nodes[node->parts[i]];
        result.is_bare = result.is_bare && part_is_bare(part);
        if (part->kind == SHAPE_NULL) {
            result.has_null = true;
            continue;
        }
        result.only = node->parts[i];
        result.rest++;
    }
    if (result.rest != 1)
        result.only = SHAPE_NO_NODE;
    return result;
}

bool shape_adds_null(const struct shape *shape, const struct shape_node *node)
{
    const struct wire_rules *rules = shape->rules;
    bool is_typed = node->kind > SHAPE_TEXT && node->kind != SHAPE_UNION;
    if (node->kind == SHAPE_FREE || node->kind == SHAPE_NULL)
        return true;
    if (node->kind == SHAPE_TEXT)
        is_typed = true;
    if (!is_typed || node->is_definition)
        return false;
    if (node->value_count > 0 && !node->is_enum_cut)
        return wire_takes(rules, WIRE_NULLABLE) ||
               (wire_takes(rules, WIRE_TYPE_LIST) && wire_keeps(rules, WIRE_ENUM_SCALARS));
    return wire_takes(rules, WIRE_TYPE_LIST) || wire_takes(rules, WIRE_NULLABLE);
}

bool shape_can_null(const struct shape *shape, const struct shape_node *node)
{
    return shape_adds_null(shape, node) || wire_takes(shape->rules, WIRE_ANY_OF) ||
           (node->kind == SHAPE_UNION && shape_union_of(shape, node).is_bare &&
            wire_takes(shape->rules, WIRE_TYPE_LIST));
}

/* plan.c - the structs that a schema becomes. See plan.h.
 *
 * Owns: which C a place of the schema is. One type is a scalar; an object is a struct; what may be
 * several things is a JSON text, so that nothing is lost. Types are found again by the nodes that
 * apply to them, so that recursion of the schema ends; they are filled in the order in which they
 * were met. Invariants: bounded by PLAN_TYPES_MAX; not recursive.
 */
#include "base/features.h"

#include "codegen/plan.h"

static bool failed(const struct plan *plan)
{
    return plan->status != STATUS_OK;
}

static void no_memory(struct plan *plan)
{
    if (!failed(plan))
        plan->status = error_set(plan->error, STATUS_NO_MEMORY, "out of memory");
}

/* ---- places ---------------------------------------------------------------------------------- */

static void place_append(struct plan_place *place, uint32_t node)
{
    for (uint32_t i = 0; i < place->count; i++) {
        if (place->nodes[i] == node)
            return;
    }
    if (place->count == PLAN_PLACE_MAX)
        place->overflows = true;
    else
        place->nodes[place->count++] = node;
}

/* Adds a node and what applies with it by $ref and allOf. */
static void place_add(const struct plan *plan, struct plan_place *place, uint32_t node)
{
    const struct schema_program *program = plan->program;
    uint32_t first = place->count;
    place_append(place, node);
    for (uint32_t i = first; i < place->count; i++) {
        const struct schema_node *row = &program->nodes[place->nodes[i]];
        place->types &= row->types;
        for (uint32_t k = 0; k < row->op_count; k++) {
            const struct schema_op *op = &program->ops[row->op_first + k];
            if (op->opcode == SCHEMA_OP_REF)
                place_append(place, op->a);
            for (uint32_t c = 0; op->opcode == SCHEMA_OP_ALL_OF && c < op->b; c++)
                place_append(place, program->children[op->a + c]);
        }
    }
}

/* The next instruction of the place with that opcode. */
struct place_cursor {
    uint32_t node, index;
};

static const struct schema_op *place_next(const struct plan *plan, const struct plan_place *place,
                                          enum schema_opcode opcode, struct place_cursor *at)
{
    for (; at->node < place->count; at->node++, at->index = 0) {
        const struct schema_node *row = &plan->program->nodes[place->nodes[at->node]];
        while (at->index < row->op_count) {
            const struct schema_op *op = &plan->program->ops[row->op_first + at->index++];
            if (op->opcode == opcode)
                return op;
        }
    }
    return NULL;
}

static bool place_has(const struct plan *plan, const struct plan_place *place,
                      enum schema_opcode opcode)
{
    struct place_cursor at = { 0, 0 };
    return place_next(plan, place, opcode, &at) != NULL;
}

/* Subschemas that speak of members which the place itself may not declare. */
static bool place_declares(const struct plan *plan, const struct plan_place *place)
{
    return place_has(plan, place, SCHEMA_OP_PROPERTIES) ||
           place_has(plan, place, SCHEMA_OP_PATTERN_PROPERTIES) ||
           place_has(plan, place, SCHEMA_OP_ADDITIONAL);
}

/* anyOf and oneOf: [X, null] is X that may be null; alternatives without members of their own say
 * nothing of the form. False: the place may be several things. */
static bool place_take_forks(const struct plan *plan, struct plan_place *place, bool *is_nullable,
                             enum schema_opcode opcode)
{
    struct place_cursor at = { 0, 0 };
    const struct schema_op *op;
    while ((op = place_next(plan, place, opcode, &at)) != NULL) {
        uint32_t other = SCHEMA_NONE, others = 0, nulls = 0;
        bool declares = false;
        for (uint32_t i = 0; i < op->b; i++) {
            struct plan_place branch = { .types = SCHEMA_ANY };
            place_add(plan, &branch, plan->program->children[op->a + i]);
            if (branch.types == SCHEMA_NULL) {
                nulls++;
                continue;
            }
            other = plan->program->children[op->a + i];
            others++;
            declares = declares || place_declares(plan, &branch) || branch.overflows;
        }
        if (others == 1 && nulls > 0 && (place->types & SCHEMA_NULL) != 0) {
            *is_nullable = true;
            place_add(plan, place, other);
        } else if (others == 1 && nulls == 0) {
            place_add(plan, place, other);
        } else if (declares || place->types == SCHEMA_ANY) {
            return false;
        }
    }
    return true;
}

/* ---- kinds ----------------------------------------------------------------------------------- */

static bool has_nul(struct str text)
{
    return text.len > 0 && memchr(text.ptr, '\0', text.len) != NULL;
}

/* An enum whose values are strings (and null): constants. */
static bool field_take_enum(struct plan *plan, const struct plan_place *place,
                            struct plan_field *field)
{
    struct place_cursor at = { 0, 0 };
    const struct schema_op *op = place_next(plan, place, SCHEMA_OP_ENUM, &at);
    if (op == NULL || op->b > PLAN_ENUM_MAX)
        return false;
    struct json *values = arena_take_array(plan->arena, op->b, sizeof(*values));
    uint32_t count = 0;
    if (values == NULL) {
        no_memory(plan);
        return false;
    }
    for (uint32_t i = 0; i < op->b; i++) {
        struct json value = plan->program->values[op->a + i];
        if (json_type(value) == JSON_NULL)
            continue;
        if (json_type(value) != JSON_STRING || has_nul(json_string(value)))
            return false;
        values[count++] = value;
    }
    field->kind = PLAN_ENUM;
    field->values = values;
    field->value_count = count;
    return count > 0;
}

static int plan_struct(struct plan *plan, const struct plan_place *place, struct str parent,
                       struct str member);
static void field_set_list(struct plan *plan, struct plan_field *field,
                           const struct plan_place *place, struct str parent);

/* The kind by the types that are left without null. */
static void field_set_kind(struct plan *plan, struct plan_field *field,
                           const struct plan_place *place, struct str parent)
{
    uint8_t rest = place->types & (uint8_t)~SCHEMA_NULL;
    field->kind = PLAN_JSON;
    if (rest == SCHEMA_STRING) {
        field->kind = PLAN_STRING;
        if (!field_take_enum(plan, place, field))
            field->kind = PLAN_STRING;
    } else if (rest == SCHEMA_BOOLEAN) {
        field->kind = PLAN_BOOL;
    } else if (rest == SCHEMA_INTEGER) {
        field->kind = PLAN_INT64;
    } else if (rest != 0 && (rest & (uint8_t)~SCHEMA_NUMBER) == 0) {
        field->kind = PLAN_DOUBLE;
    } else if (rest == SCHEMA_OBJECT && !place_has(plan, place, SCHEMA_OP_ENUM)) {
        field->type = plan_struct(plan, place, parent, field->c_name);
        field->kind = field->type == PLAN_NONE ? PLAN_JSON : PLAN_STRUCT;
    } else if (rest == SCHEMA_ARRAY && !place_has(plan, place, SCHEMA_OP_ENUM)) {
        field_set_list(plan, field, place, parent);
    }
}

/* What C makes of a place. */
static void field_set(struct plan *plan, struct plan_field *field, struct plan_place *place,
                      struct str parent)
{
    bool is_nullable = false;
    field->type = PLAN_NONE;
    field->kind = PLAN_JSON;
    if (!place_take_forks(plan, place, &is_nullable, SCHEMA_OP_ANY_OF) ||
        !place_take_forks(plan, place, &is_nullable, SCHEMA_OP_ONE_OF) || place->overflows)
        return;
    bool has_null =
        is_nullable || ((place->types & SCHEMA_NULL) != 0 && place->types != SCHEMA_ANY);
    field_set_kind(plan, field, place, parent);
    /* A JSON text says null itself. */
    field->is_nullable = has_null && field->kind != PLAN_JSON;
    if (field->is_list)
        field->is_nullable = has_null;
}

/* ---- types ----------------------------------------------------------------------------------- */

static int type_new(struct plan *plan)
{
    if (plan->type_count == PLAN_TYPES_MAX || failed(plan))
        return PLAN_NONE;
    if (plan->type_count == plan->type_capacity) {
        int capacity = plan->type_capacity == 0 ? 16 : plan->type_capacity * 2;
        struct plan_type *grown =
            alloc_grow(plan->alloc, plan->types, (size_t)plan->type_capacity * sizeof(*grown),
                       (size_t)capacity * sizeof(*grown));
        if (grown == NULL) {
            no_memory(plan);
            return PLAN_NONE;
        }
        plan->types = grown;
        plan->type_capacity = capacity;
    }
    plan->types[plan->type_count] = (struct plan_type){ .source = SCHEMA_NONE };
    return plan->type_count++;
}

static bool same_place(const struct plan_place *a, const struct plan_place *b)
{
    return a->count == b->count && a->count > 0 &&
           memcmp(a->nodes, b->nodes, a->count * sizeof(*a->nodes)) == 0;
}

/* The name behind $defs or definitions of a node that is a definition, or "". */
static struct str definition_name(struct plan *plan, uint32_t node)
{
    struct buffer pointer;
    struct str name = STR("");
    buffer_init(&pointer, plan->alloc, 4096);
    json_pointer_of(plan->program->nodes[node].schema, &pointer);
    if (buffer_status(&pointer) == STATUS_OK) {
        struct str text = buffer_view(&pointer);
        size_t at = text.len;
        while (at > 0 && text.ptr[at - 1] != '/')
            at--;
        struct str before = { text.ptr, at == 0 ? 0 : at - 1 };
        bool is_definition =
            (before.len >= 6 && memcmp(before.ptr + before.len - 6, "/$defs", 6) == 0) ||
            (before.len >= 12 && memcmp(before.ptr + before.len - 12, "/definitions", 12) == 0);
        if (is_definition)
            name = plan_identifier(plan, str_of(text.ptr + at, text.len - at));
    }
    buffer_release(&pointer);
    return name;
}

/* The struct of an object, which is filled later; PLAN_NONE: there are too many. */
static int plan_struct(struct plan *plan, const struct plan_place *place, struct str parent,
                       struct str member)
{
    for (int i = 0; i < plan->type_count; i++) {
        if (same_place(&plan->types[i].place, place))
            return i;
    }
    bool is_open = !place_declares(plan, place) && !place_has(plan, place, SCHEMA_OP_REQUIRED);
    if (is_open && plan->type_count > 0)
        return PLAN_NONE; /* any object: its JSON */
    struct str definition = STR("");
    for (uint32_t i = 0; definition.len == 0 && i < place->count; i++)
        definition = definition_name(plan, place->nodes[i]);
    struct str name = plan->type_count == 0 ? plan_type_name(plan, parent, STR(""))
                      : definition.len > 0 ? plan_type_name(plan, plan->types[0].c_name, definition)
                                           : plan_type_name(plan, parent, member);
    int index = type_new(plan);
    if (index == PLAN_NONE)
        return index;
    plan->types[index].c_name = name;
    plan->types[index].place = *place;
    plan->types[index].source = place->nodes[0];
    return index;
}

static struct plan_field *fields_new(struct plan *plan, uint32_t count)
{
    struct plan_field *fields = arena_take_array(plan->arena, count, sizeof(*fields));
    if (fields == NULL) {
        no_memory(plan);
        return NULL;
    }
    memset(fields, 0, count * sizeof(*fields));
    return fields;
}

/* A struct around one value: items that are lists or may be null. */
static int bare_type(struct plan *plan, const struct plan_field *value, struct str parent,
                     struct str member)
{
    struct buffer name;
    buffer_init(&name, plan->alloc, 400);
    buffer_append_str(&name, member);
    buffer_append_str(&name, STR("_item"));
    struct str c_name = plan_type_name(plan, parent, buffer_view(&name));
    buffer_release(&name);
    int index = type_new(plan);
    struct plan_field *field = index == PLAN_NONE ? NULL : fields_new(plan, 1);
    if (field == NULL)
        return PLAN_NONE;
    *field = *value;
    field->name = STR("");
    field->c_name = STR("value");
    if (field->kind == PLAN_ENUM)
        field->enum_name = plan_type_name(plan, c_name, STR("value"));
    field->is_required = true;
    plan->types[index] = (struct plan_type){
        .c_name = c_name, .fields = field, .field_count = 1, .is_bare = true, .source = SCHEMA_NONE
    };
    return index;
}

static void field_set_list(struct plan *plan, struct plan_field *field,
                           const struct plan_place *place, struct str parent)
{
    struct plan_place items = { .types = SCHEMA_ANY };
    struct place_cursor at = { 0, 0 };
    const struct schema_op *op;
    struct plan_field item = { .c_name = field->c_name, .source = SCHEMA_NONE };
    bool has_prefix = place_has(plan, place, SCHEMA_OP_PREFIX_ITEMS);
    while ((op = place_next(plan, place, SCHEMA_OP_ITEMS, &at)) != NULL)
        place_add(plan, &items, op->a);
    item.kind = PLAN_JSON;
    item.type = PLAN_NONE;
    if (!has_prefix && items.count > 0 && plan->list_depth < PLAN_LISTS_MAX) {
        plan->list_depth++;
        field_set(plan, &item, &items, parent);
        plan->list_depth--;
    }
    if (item.is_list || item.is_nullable) {
        item.type = bare_type(plan, &item, parent, field->c_name);
        item.kind = item.type == PLAN_NONE ? PLAN_JSON : PLAN_STRUCT;
    }
    field->kind = item.kind;
    field->type = item.type;
    field->values = item.values;
    field->value_count = item.value_count;
    field->is_list = true;
}

/* ---- filling --------------------------------------------------------------------------------- */

struct members {
    struct str *names;
    struct plan_place *places;
    bool *required;
    uint32_t *sources;
    uint32_t count, capacity;
};

static uint32_t members_find(const struct members *members, struct str name)
{
    uint32_t i = 0;
    while (i < members->count && !str_equal(members->names[i], name))
        i++;
    return i;
}

static uint32_t place_property_count(const struct plan *plan, const struct plan_place *place)
{
    struct place_cursor at = { 0, 0 };
    const struct schema_op *op;
    uint32_t count = 0;
    while ((op = place_next(plan, place, SCHEMA_OP_PROPERTIES, &at)) != NULL)
        count += op->b;
    at = (struct place_cursor){ 0, 0 };
    while ((op = place_next(plan, place, SCHEMA_OP_REQUIRED, &at)) != NULL)
        count += op->b;
    return count;
}

static uint32_t members_get(struct members *members, struct str name)
{
    uint32_t index = members_find(members, name);
    if (index == members->count) {
        members->names[index] = name;
        members->places[index] = (struct plan_place){ .types = SCHEMA_ANY };
        members->required[index] = false;
        members->sources[index] = SCHEMA_NONE;
        members->count++;
    }
    return index;
}

static bool members_take(struct plan *plan, const struct plan_place *place, struct members *members)
{
    const struct schema_program *program = plan->program;
    struct place_cursor at = { 0, 0 };
    const struct schema_op *op;
    members->capacity = place_property_count(plan, place);
    members->names = arena_take_array(plan->arena, members->capacity, sizeof(*members->names));
    members->places = arena_take_array(plan->arena, members->capacity, sizeof(*members->places));
    members->required = arena_take_array(plan->arena, members->capacity, sizeof(bool));
    members->sources = arena_take_array(plan->arena, members->capacity, sizeof(uint32_t));
    if (members->names == NULL || members->places == NULL || members->required == NULL ||
        members->sources == NULL) {
        no_memory(plan);
        return false;
    }
    while ((op = place_next(plan, place, SCHEMA_OP_PROPERTIES, &at)) != NULL) {
        for (uint32_t i = 0; i < op->b; i++) {
            const struct schema_property *property = &program->properties[op->a + i];
            uint32_t index = members_get(members, property->name);
            place_add(plan, &members->places[index], property->node);
            members->sources[index] = property->node;
        }
    }
    at = (struct place_cursor){ 0, 0 };
    while ((op = place_next(plan, place, SCHEMA_OP_REQUIRED, &at)) != NULL) {
        for (uint32_t i = 0; i < op->b; i++)
            members->required[members_get(members, program->names[op->a + i])] = true;
    }
    return true;
}

/* Whether the object keeps members that it does not declare; *out_value: what applies to them. */
static bool place_further(const struct plan *plan, const struct plan_place *place,
                          struct plan_place *out_value)
{
    struct place_cursor at = { 0, 0 };
    const struct schema_op *op;
    bool is_said = false, is_any = false;
    *out_value = (struct plan_place){ .types = SCHEMA_ANY };
    while ((op = place_next(plan, place, SCHEMA_OP_ADDITIONAL, &at)) != NULL) {
        is_said = true;
        place_add(plan, out_value, op->a);
    }
    at = (struct place_cursor){ 0, 0 };
    while ((op = place_next(plan, place, SCHEMA_OP_IF, &at)) != NULL)
        is_any = true;
    is_any = is_any || place_has(plan, place, SCHEMA_OP_PATTERN_PROPERTIES) ||
             place_has(plan, place, SCHEMA_OP_DEPENDENT_SCHEMA);
    if (is_any)
        *out_value = (struct plan_place){ .types = SCHEMA_ANY };
    return is_any || (is_said && out_value->types != 0);
}

/* The entries of further members: name and value. */
static bool field_set_further(struct plan *plan, struct plan_field *field, struct plan_place *value,
                              struct str parent)
{
    struct plan_field *parts = fields_new(plan, 2);
    if (parts == NULL)
        return false;
    parts[0] = (struct plan_field){ .name = STR("name"),
                                    .c_name = STR("name"),
                                    .kind = PLAN_STRING,
                                    .is_required = true,
                                    .type = PLAN_NONE,
                                    .source = SCHEMA_NONE };
    parts[1] = (struct plan_field){
        .name = STR("value"), .c_name = field->c_name, .is_required = true, .source = SCHEMA_NONE
    };
    parts[1].kind = PLAN_JSON;
    parts[1].type = PLAN_NONE;
    if (value->count > 0)
        field_set(plan, &parts[1], value, parent);
    if (parts[1].is_nullable) {
        parts[1].type = bare_type(plan, &parts[1], parent, field->c_name);
        parts[1].kind = parts[1].type == PLAN_NONE ? PLAN_JSON : PLAN_STRUCT;
        parts[1].is_list = parts[1].is_nullable = false;
    }
    parts[1].c_name = STR("value");
    struct str c_name = plan_type_name(plan, parent, field->c_name);
    if (parts[1].kind == PLAN_ENUM)
        parts[1].enum_name = plan_type_name(plan, c_name, STR("value"));
    int index = type_new(plan);
    if (index == PLAN_NONE)
        return false;
    plan->types[index] = (struct plan_type){
        .c_name = c_name, .fields = parts, .field_count = 2, .source = SCHEMA_NONE
    };
    field->kind = PLAN_STRUCT;
    field->type = index;
    field->is_further = true;
    return true;
}

static void type_fill(struct plan *plan, int index)
{
    struct members members = { .count = 0 };
    struct plan_place further;
    struct plan_place place = plan->types[index].place;
    struct str parent = plan->types[index].c_name;
    if (!members_take(plan, &place, &members))
        return;
    struct plan_field *fields = fields_new(plan, members.count + 1);
    if (fields == NULL)
        return;
    plan->types[index].fields = fields;
    for (uint32_t i = 0; i < members.count && !failed(plan); i++) {
        struct plan_field *field = &fields[i];
        if (has_nul(members.names[i]))
            continue;
        *field = (struct plan_field){ .name = members.names[i],
                                      .is_required = members.required[i],
                                      .source = members.sources[i] };
        field->c_name =
            plan_member_name(plan, &plan->types[index], plan_identifier(plan, members.names[i]));
        field_set(plan, field, &members.places[i], parent);
        if (field->kind == PLAN_ENUM)
            field->enum_name = plan_type_name(plan, parent, field->c_name);
        plan->types[index].field_count = i + 1;
    }
    if (failed(plan) || !place_further(plan, &place, &further))
        return;
    struct plan_field *field = &fields[members.count];
    *field = (struct plan_field){ .source = SCHEMA_NONE };
    field->c_name = plan_member_name(plan, &plan->types[index], STR("further"));
    if (field_set_further(plan, field, &further, parent))
        plan->types[index].field_count = members.count + 1;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* A struct that holds another one itself comes behind it; a circle becomes a pointer. */
static void plan_order(struct plan *plan)
{
    enum { NEW, OPEN, DONE };
    size_t count = (size_t)plan->type_count;
    uint8_t *colors = alloc_get(plan->alloc, count);
    int *stack = alloc_get(plan->alloc, count * sizeof(*stack));
    uint32_t *next = alloc_get(plan->alloc, count * sizeof(*next));
    plan->order = arena_take_array(plan->arena, count, sizeof(*plan->order));
    bool is_good = colors != NULL && stack != NULL && next != NULL && plan->order != NULL;
    if (is_good)
        memset(colors, NEW, count);
    for (int root = 0; is_good && root < plan->type_count; root++) {
        size_t depth = 0;
        if (colors[root] != NEW)
            continue;
        stack[depth] = root;
        next[depth++] = 0;
        colors[root] = OPEN;
        while (depth > 0) {
            int index = stack[depth - 1];
            const struct plan_type *type = &plan->types[index];
            if (next[depth - 1] == type->field_count) {
                colors[index] = DONE;
                plan->order[plan->order_count++] = index;
                depth--;
                continue;
            }
            struct plan_field *field = &plan->types[index].fields[next[depth - 1]++];
            if (field->kind != PLAN_STRUCT || field->is_list || field->is_further)
                continue;
            if (colors[field->type] == OPEN)
                field->is_pointer = true;
            if (colors[field->type] != NEW)
                continue;
            colors[field->type] = OPEN;
            stack[depth] = field->type;
            next[depth++] = 0;
        }
    }
    if (!is_good)
        no_memory(plan);
    alloc_free(plan->alloc, colors, count);
    alloc_free(plan->alloc, stack, count * sizeof(*stack));
    alloc_free(plan->alloc, next, count * sizeof(*next));
}

enum status plan_build(struct plan *plan, struct str name)
{
    struct plan_place root = { .types = SCHEMA_ANY };
    bool is_nullable = false;
    place_add(plan, &root, 0);
    bool is_one = place_take_forks(plan, &root, &is_nullable, SCHEMA_OP_ANY_OF) &&
                  place_take_forks(plan, &root, &is_nullable, SCHEMA_OP_ONE_OF);
    if (!is_one || root.types != SCHEMA_OBJECT || root.overflows) {
        (void)error_set(
            plan->error, STATUS_UNSUPPORTED,
            "the root of the schema is not one kind of object, so no struct can hold it");
        error_hint(plan->error, "say \"type\": \"object\" at the root, and no alternatives there");
        return STATUS_UNSUPPORTED;
    }
    (void)plan_struct(plan, &root, plan_identifier(plan, name), STR(""));
    for (int i = 0; i < plan->type_count && !failed(plan); i++) {
        if (plan->types[i].place.count > 0)
            type_fill(plan, i);
    }
    if (!failed(plan) && plan->type_count == PLAN_TYPES_MAX)
        plan->status = error_set(plan->error, STATUS_UNSUPPORTED,
                                 "the schema would need more than %d structs", PLAN_TYPES_MAX);
    if (!failed(plan))
        plan_order(plan);
    return plan->status;
}

void plan_release(struct plan *plan)
{
    alloc_free(plan->alloc, plan->types, (size_t)plan->type_capacity * sizeof(*plan->types));
}

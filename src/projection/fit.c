/* fit.c - a shape made to keep the limits of its wire.
 *
 * Owns: which optional members are absent, null, or in a list; which places become texts because a
 * limit is reached; which nodes are definitions. Leaves to others: the forms themselves.
 * Invariants: places near the root are served first; every step makes the schema smaller, so that
 * it ends; no value loses its form.
 */
#include "base/features.h"

#include "projection/cycles.h"

enum { FIT_ROUNDS_MAX = 40, FIT_COUNT_MAX = 1000000, FIT_TREE_MAX = 20000, FIT_LARGE_ENUM = 8 };

struct fit {
    struct shape *shape;
    const struct wire_rules *rules;
    uint32_t depth_max; /* 0: none */
    uint32_t *order;    /* reachable nodes, breadth first */
    uint32_t order_count;
    uint32_t *post; /* the same, children before parents but for edges leading back */
    uint32_t post_count;
    bool changed;
};

/* ---- order, references, depth ---------------------------------------------------------------- */

static void fit_edge(void *state, uint32_t parent, uint32_t index, uint32_t child, bool is_back)
{
    struct fit *fit = state;
    struct shape_node *node = &fit->shape->nodes[child];
    (void)parent, (void)index;
    node->references++;
    if (is_back)
        node->is_definition = true;
}

static void fit_done(void *state, uint32_t node)
{
    struct fit *fit = state;
    fit->post[fit->post_count++] = node;
}

static void fit_breadth(struct fit *fit)
{
    struct shape *shape = fit->shape;
    for (uint32_t i = 0; i < shape->count; i++)
        shape->nodes[i].mark = 0;
    fit->order_count = 0;
    fit->order[fit->order_count++] = shape->root;
    shape->nodes[shape->root].mark = 1;
    for (uint32_t i = 0; i < fit->order_count; i++) {
        uint32_t child;
        for (uint32_t k = 0; shape_child(&shape->nodes[fit->order[i]], k, &child); k++) {
            if (child == SHAPE_NO_NODE || shape->nodes[child].mark != 0)
                continue;
            shape->nodes[child].mark = 1;
            fit->order[fit->order_count++] = child;
        }
    }
}

/* Levels of objects and arrays that a form takes itself, and the levels above a child. */
static uint32_t form_levels(const struct shape_node *node)
{
    switch ((enum shape_kind)node->kind) {
    case SHAPE_OBJECT: return shape_has_list(node) ? 3 : 1;
    case SHAPE_PAIRS: return 2;
    case SHAPE_ARRAY: return 1;
    case SHAPE_TUPLE: return node->value == SHAPE_NO_NODE ? 1 : 2;
    case SHAPE_OPEN:
    case SHAPE_FREE:
    case SHAPE_TEXT:
    case SHAPE_NULL:
    case SHAPE_BOOLEAN:
    case SHAPE_INTEGER:
    case SHAPE_NUMBER:
    case SHAPE_STRING:
    case SHAPE_UNION: break;
    }
    return 0;
}

static uint32_t child_levels(const struct shape_node *node, uint32_t index)
{
    if (node->kind == SHAPE_UNION)
        return 0;
    if (node->kind == SHAPE_PAIRS)
        return 2;
    if (index < node->member_count)
        return 1;
    if (node->kind == SHAPE_OBJECT && shape_has_list(node))
        return 3;
    return node->kind == SHAPE_TUPLE ? 2 : 1;
}

/* The longest way from the root, edges leading back left out: parents come last in `post`. */
static void fit_depths(struct fit *fit)
{
    struct shape *shape = fit->shape;
    for (uint32_t i = 0; i < fit->post_count; i++)
        shape->nodes[fit->post[i]].depth = 0;
    /* Position in `post`: a child behind its parent there is reached by an edge leading back. */
    for (uint32_t i = 0; i < fit->post_count; i++)
        shape->nodes[fit->post[i]].mark = i;
    shape->depth = 0;
    shape->nodes[shape->root].depth =
        shape->envelope >= SHAPE_EITHER || shape->envelope == SHAPE_WRAPPED ? 1 : 0;
    for (uint32_t i = fit->post_count; i-- > 0;) {
        const struct shape_node *node = &shape->nodes[fit->post[i]];
        uint32_t child, own = node->depth + form_levels(node);
        shape->depth = own > shape->depth ? own : shape->depth;
        for (uint32_t k = 0; shape_child(node, k, &child); k++) {
            if (child == SHAPE_NO_NODE || shape->nodes[child].mark > i)
                continue;
            uint32_t depth = node->depth + child_levels(node, k);
            if (depth > shape->nodes[child].depth)
                shape->nodes[child].depth = depth;
        }
    }
}

static bool fit_walk(struct fit *fit)
{
    struct shape *shape = fit->shape;
    for (uint32_t i = 0; i < shape->count; i++) {
        shape->nodes[i].references = 0;
        shape->nodes[i].is_definition = false;
        shape->nodes[i].occurrences = 0;
    }
    fit->post_count = 0;
    fit_breadth(fit);
    if (!cycles_walk(shape, fit_edge, fit_done, fit))
        return false;
    fit_depths(fit);
    return true;
}

/* ---- definitions and how often a node is written --------------------------------------------- */

static bool node_is_large(const struct shape *shape, const struct shape_node *node)
{
    if (node->kind == SHAPE_UNION)
        return !shape_union_of(shape, node).is_bare;
    if (node->kind == SHAPE_ARRAY)
        return node->part_count > 0 ||
               (node->value != SHAPE_NO_NODE && !shape_is_scalar(shape->nodes[node->value].kind));
    return node->kind >= SHAPE_OBJECT || node->value_count > FIT_LARGE_ENUM;
}

static void fit_definitions(struct fit *fit)
{
    struct shape *shape = fit->shape;
    bool takes_references = wire_takes(fit->rules, WIRE_REF);
    for (uint32_t i = 0; i < fit->order_count; i++) {
        struct shape_node *node = &shape->nodes[fit->order[i]];
        if (!takes_references)
            node->is_definition = false;
        else if (node->references > 1 && node_is_large(shape, node))
            node->is_definition = true;
    }
}

static uint32_t count_add(uint32_t a, uint64_t b)
{
    return a + b > FIT_COUNT_MAX ? FIT_COUNT_MAX : (uint32_t)(a + b);
}

/* A definition stands in the text once, the root besides where it is written itself. */
static void fit_occurrences(struct fit *fit)
{
    struct shape *shape = fit->shape;
    shape->nodes[shape->root].occurrences = 1;
    for (uint32_t i = fit->post_count; i-- > 0;) {
        struct shape_node *node = &shape->nodes[fit->post[i]];
        uint32_t child;
        if (node->is_definition)
            node->occurrences = fit->post[i] == shape->root ? 2 : 1;
        for (uint32_t k = 0; shape_child(node, k, &child); k++) {
            if (child == SHAPE_NO_NODE || shape->nodes[child].is_definition)
                continue;
            shape->nodes[child].occurrences =
                count_add(shape->nodes[child].occurrences, node->occurrences);
        }
    }
}

static uint32_t fit_tree(const struct fit *fit)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < fit->order_count; i++)
        total = count_add(total, fit->shape->nodes[fit->order[i]].occurrences);
    return total;
}

/* ---- texts in place of what is too much ------------------------------------------------------ */

static void fit_free(struct fit *fit, struct shape_node *node, enum shape_why why)
{
    shape_make_free(fit->shape, node, why);
    fit->changed = true;
}

static void fit_unions_taken(struct fit *fit)
{
    struct shape *shape = fit->shape;
    for (uint32_t i = 0; i < fit->order_count; i++) {
        struct shape_node *node = &shape->nodes[fit->order[i]];
        if (node->kind != SHAPE_UNION || wire_takes(fit->rules, WIRE_ANY_OF))
            continue;
        struct shape_union form = shape_union_of(shape, node);
        bool is_typed = form.is_bare && wire_takes(fit->rules, WIRE_TYPE_LIST);
        bool is_null = form.only != SHAPE_NO_NODE && form.has_null &&
                       shape_adds_null(shape, &shape->nodes[form.only]);
        if (!is_typed && !is_null)
            fit_free(fit, node, SHAPE_WHY_UNION);
    }
}

static void fit_depth(struct fit *fit)
{
    for (uint32_t i = 0; fit->depth_max > 0 && i < fit->order_count; i++) {
        struct shape_node *node = &fit->shape->nodes[fit->order[i]];
        if (form_levels(node) > 0 && node->depth + form_levels(node) > fit->depth_max)
            fit_free(fit, node, SHAPE_WHY_DEPTH);
    }
}

static uint32_t node_properties(const struct shape_node *node)
{
    uint32_t count = 0;
    if (node->kind == SHAPE_PAIRS)
        return 2;
    for (uint32_t i = 0; i < node->member_count; i++)
        count += node->members[i].presence != SHAPE_LISTED;
    if (node->kind == SHAPE_OBJECT && shape_has_list(node))
        count += 3;
    return count + (node->kind == SHAPE_TUPLE && node->value != SHAPE_NO_NODE);
}

static size_t node_names(const struct shape_node *node)
{
    size_t bytes = node->kind == SHAPE_PAIRS || shape_has_list(node) ? 8 + node->list_name.len : 0;
    for (uint32_t i = 0; i < node->member_count; i++) {
        if (node->members[i].presence != SHAPE_LISTED)
            bytes += node->members[i].name.len;
    }
    return bytes + (node->is_definition ? 64 : 0);
}

/* Members from `first` on that do not fit go into the list. */
static void node_list_from(struct shape_node *node, uint32_t first)
{
    for (uint32_t i = first; i < node->member_count; i++)
        node->members[i].presence = SHAPE_LISTED;
    node->is_listed_wide = true;
}

static void fit_properties(struct fit *fit)
{
    enum { LIST_PROPERTIES = 3 };
    uint32_t limit = fit->rules->limits.properties;
    uint64_t used = fit->shape->envelope == SHAPE_DIRECT    ? 0
                    : fit->shape->envelope == SHAPE_WRAPPED ? 1
                                                            : 2;
    for (uint32_t i = 0; limit > 0 && i < fit->order_count; i++) {
        struct shape_node *node = &fit->shape->nodes[fit->order[i]];
        uint64_t cost = (uint64_t)node_properties(node) * node->occurrences;
        if (cost == 0 || used + cost <= limit) {
            used += cost;
            continue;
        }
        uint64_t left = used < limit ? (limit - used) / node->occurrences : 0;
        if (node->kind == SHAPE_OBJECT && left > LIST_PROPERTIES + 1) {
            node_list_from(node, (uint32_t)left - LIST_PROPERTIES);
            fit->changed = true;
            used += (uint64_t)node_properties(node) * node->occurrences;
        } else {
            fit_free(fit, node, SHAPE_WHY_PROPERTIES);
        }
    }
}

static size_t value_bytes(struct json value)
{
    return json_end_offset(value) - json_offset(value);
}

static void fit_enums(struct fit *fit)
{
    const struct wire_limits *limits = &fit->rules->limits;
    uint64_t used = 0, used_bytes = 0;
    for (uint32_t i = 0; i < fit->order_count; i++) {
        struct shape_node *node = &fit->shape->nodes[fit->order[i]];
        uint64_t bytes = 0;
        for (uint32_t k = 0; k < node->value_count; k++)
            bytes += value_bytes(node->values[k]) + (node->kind == SHAPE_TEXT ? 2 : 0);
        uint64_t count = (uint64_t)(node->value_count + 1) * node->occurrences;
        bool is_over = limits->enum_values > 0 && used + count > limits->enum_values;
        bool is_large = limits->enum_bytes > 0 && node->value_count > limits->enum_large &&
                        bytes > limits->enum_bytes;
        bool is_long = limits->name_bytes > 0 &&
                       used_bytes + bytes * node->occurrences > limits->name_bytes / 2;
        node->is_enum_cut = node->value_count > 0 && (is_over || is_large || is_long);
        if (node->value_count == 0 || node->is_enum_cut)
            continue;
        used += count;
        used_bytes += bytes * node->occurrences;
    }
}

static void fit_names(struct fit *fit)
{
    size_t limit = fit->rules->limits.name_bytes;
    uint64_t used = 100;
    for (uint32_t i = 0; limit > 0 && i < fit->order_count; i++) {
        struct shape_node *node = &fit->shape->nodes[fit->order[i]];
        uint64_t cost = (uint64_t)node_names(node) * node->occurrences;
        for (uint32_t k = 0; k < node->value_count && !node->is_enum_cut; k++)
            cost += (uint64_t)(value_bytes(node->values[k]) + 2) * node->occurrences;
        if (cost == 0 || used + cost <= limit)
            used += cost;
        else if (node->value_count > 0)
            node->is_enum_cut = true;
        else
            fit_free(fit, node, SHAPE_WHY_NAMES);
    }
}

static void fit_items(struct fit *fit)
{
    uint32_t limit = fit->rules->limits.items_sum;
    uint64_t used = 0;
    for (uint32_t i = 0; limit > 0 && i < fit->order_count; i++) {
        struct shape_node *node = &fit->shape->nodes[fit->order[i]];
        enum shape_fact_kind kind =
            node->kind == SHAPE_PAIRS ? FACT_MAX_PROPERTIES : FACT_MAX_ITEMS;
        uint64_t most = node->is_ended ? node->part_count : 0;
        if (node->facts[kind].op != SCHEMA_NONE)
            most = fit->shape->program->ops[node->facts[kind].op].a;
        node->is_items_cut = used + most * node->occurrences > limit;
        used += node->is_items_cut ? 0 : most * node->occurrences;
    }
}

/* ---- unions and optional members ------------------------------------------------------------- */

/* A place that is written with anyOf or a list of types. */
static bool node_is_union(const struct shape_node *node)
{
    return node->kind == SHAPE_UNION;
}

static uint64_t fit_union_count(const struct fit *fit)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < fit->order_count; i++) {
        const struct shape_node *node = &fit->shape->nodes[fit->order[i]];
        count += node_is_union(node) ? node->occurrences : 0;
    }
    return count;
}

/* *left: unions that may still be used, after the places that need one. */
static void fit_unions(struct fit *fit, uint64_t *left)
{
    for (uint32_t i = 0; i < fit->order_count; i++) {
        struct shape_node *node = &fit->shape->nodes[fit->order[i]];
        if (!node_is_union(node))
            continue;
        if (node->occurrences <= *left)
            *left -= node->occurrences;
        else
            fit_free(fit, node, SHAPE_WHY_UNIONS);
    }
}

struct fit_budget {
    uint64_t optional;
    uint64_t unions;
};

/* An item that is null cannot be told from one that is absent. */
static bool null_is_ambiguous(const struct shape_node *node, const struct shape_member *member,
                              const struct shape_node *child)
{
    return node->kind == SHAPE_TUPLE && member->takes_null && child->kind != SHAPE_TEXT;
}

static void member_settle(struct fit *fit, struct shape_node *node, struct shape_member *member,
                          struct fit_budget *left)
{
    const struct shape_node *child = &fit->shape->nodes[member->node];
    bool takes_absent = wire_takes(fit->rules, WIRE_REQUIRED_SUBSET);
    bool takes_null_free =
        (child->kind == SHAPE_UNION && !child->is_definition) || child->kind == SHAPE_FREE;
    uint64_t cost = takes_null_free ? 0 : node->occurrences;
    if (member->presence == SHAPE_LISTED)
        return;
    member->presence = SHAPE_REQUIRED;
    if (member->required)
        return;
    if (takes_absent && left->optional >= node->occurrences) {
        member->presence = SHAPE_OPTIONAL;
        left->optional -= node->occurrences;
    } else if (shape_can_null(fit->shape, child) && left->unions >= cost &&
               !null_is_ambiguous(node, member, child)) {
        member->presence = SHAPE_NULLABLE;
        left->unions -= cost;
    } else if (node->kind == SHAPE_OBJECT) {
        member->presence = SHAPE_LISTED;
        node->is_listed_wide = true;
    } else {
        fit_free(fit, node, SHAPE_WHY_OPTIONAL);
    }
}

static void fit_presence(struct fit *fit, struct fit_budget *left)
{
    for (uint32_t i = 0; i < fit->order_count; i++) {
        struct shape_node *node = &fit->shape->nodes[fit->order[i]];
        bool had_list = shape_has_list(node);
        for (uint32_t k = 0; k < node->member_count; k++)
            member_settle(fit, node, &node->members[k], left);
        if (shape_has_list(node) && !had_list)
            fit->changed = true; /* the list has a depth of its own */
    }
}

/* The cheaper form of the need object that the limits leave room for. */
static void fit_envelope(struct fit *fit, struct fit_budget *left)
{
    struct shape *shape = fit->shape;
    bool takes_absent = wire_takes(fit->rules, WIRE_REQUIRED_SUBSET);
    struct shape_node text = { .kind = SHAPE_STRING };
    bool takes_null =
        shape_can_null(shape, &shape->nodes[shape->root]) && shape_can_null(shape, &text);
    if (shape->envelope < SHAPE_NULLABLES)
        return;
    if (!takes_null && !takes_absent && shape->nodes[shape->root].kind != SHAPE_TEXT)
        fit_free(fit, &shape->nodes[shape->root], SHAPE_WHY_UNION); /* a text can be null */
    bool has_room = left->unions >= fit_union_count(fit) + 2;
    shape->envelope = takes_null && (has_room || !takes_absent) ? SHAPE_NULLABLES : SHAPE_OPTIONALS;
    if (shape->envelope == SHAPE_NULLABLES)
        left->unions -= left->unions < 2 ? left->unions : 2;
    else
        left->optional -= left->optional < 2 ? left->optional : 2;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static uint64_t limit_or_none(uint32_t limit)
{
    return limit == 0 ? UINT64_MAX / 4 : limit;
}

static bool fit_round(struct fit *fit)
{
    const struct wire_limits *limits = &fit->rules->limits;
    struct fit_budget left = { limit_or_none(limits->optional_members),
                               limit_or_none(limits->unions) };
    fit->changed = false;
    if (!fit_walk(fit))
        return false;
    fit_unions_taken(fit);
    fit_depth(fit);
    if (fit->changed)
        return shape_settle(fit->shape);
    fit_definitions(fit);
    fit_occurrences(fit);
    if (fit_tree(fit) > FIT_TREE_MAX) {
        uint32_t depth = fit->shape->depth;
        fit->depth_max = depth > 12 ? depth * 3 / 4 : depth > 1 ? depth - 1 : 1;
        fit->changed = depth > 1;
        if (fit->changed)
            return true;
    }
    fit_properties(fit);
    fit_enums(fit);
    fit_names(fit);
    fit_items(fit);
    fit_envelope(fit, &left);
    fit_unions(fit, &left.unions);
    fit_presence(fit, &left);
    return !fit->changed || shape_settle(fit->shape);
}

/* ---- what the finished shape says of itself -------------------------------------------------- */

static bool node_changes(const struct shape_node *node)
{
    bool changes = node->kind == SHAPE_TEXT || node->kind == SHAPE_PAIRS ||
                   node->kind == SHAPE_TUPLE ||
                   (node->kind == SHAPE_OBJECT && shape_has_list(node));
    for (uint32_t i = 0; i < node->member_count; i++)
        changes = changes || node->members[i].presence == SHAPE_NULLABLE ||
                  (node->members[i].presence == SHAPE_OPTIONAL && !node->members[i].takes_null);
    return changes;
}

static void fit_changes(struct fit *fit)
{
    struct shape *shape = fit->shape;
    bool again = true;
    for (uint32_t i = 0; i < fit->post_count; i++)
        shape->nodes[fit->post[i]].is_changed = node_changes(&shape->nodes[fit->post[i]]);
    while (again) {
        again = false;
        for (uint32_t i = 0; i < fit->post_count; i++) {
            struct shape_node *node = &shape->nodes[fit->post[i]];
            uint32_t child;
            for (uint32_t k = 0; !node->is_changed && shape_child(node, k, &child); k++) {
                if (child != SHAPE_NO_NODE && shape->nodes[child].is_changed)
                    node->is_changed = again = true;
            }
        }
    }
}

enum status shape_fit(struct shape *shape, uint32_t depth_max, struct error *error)
{
    struct fit fit = { .shape = shape, .rules = shape->rules };
    uint32_t capacity = shape->count * 2 + 64; /* lists of pairs that are wrapped are added */
    uint32_t limit = shape->rules->limits.depth;
    fit.depth_max = depth_max != 0 && (limit == 0 || depth_max < limit) ? depth_max : limit;
    fit.order = alloc_get(shape->alloc, capacity * sizeof(*fit.order));
    fit.post = alloc_get(shape->alloc, capacity * sizeof(*fit.post));
    bool is_good = fit.order != NULL && fit.post != NULL;
    fit.changed = true;
    for (unsigned i = 0; is_good && fit.changed && i < FIT_ROUNDS_MAX; i++)
        is_good = shape->count <= capacity && fit_round(&fit);
    if (is_good && fit.changed) { /* never seen: the whole is a text */
        shape_make_free(shape, &shape->nodes[shape->root], SHAPE_WHY_LARGE);
        is_good = fit_round(&fit);
    }
    if (is_good)
        fit_changes(&fit);
    alloc_free(shape->alloc, fit.order, capacity * sizeof(*fit.order));
    alloc_free(shape->alloc, fit.post, capacity * sizeof(*fit.post));
    return is_good ? STATUS_OK : error_set(error, STATUS_NO_MEMORY, "out of memory");
}

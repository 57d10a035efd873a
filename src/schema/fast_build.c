/* fast_build.c - semantic program → quick program.
 *
 * Owns: the work list over nodes, the instructions of each class of instances, the last pass that
 * sees through calls. Leaves to others: member plans (fast_members.c), unions (fast_union.c).
 * Invariants: only nodes that the root reaches are built, each once; the work is linear in the
 * semantic program but for the tables of names, which are a small multiple of it.
 */
#include "base/features.h"

#include "schema/fast_builder.h"

#include "regex/program.h"

/* ---- growth ---------------------------------------------------------------------------------- */

void *fast_push(struct fast_builder *builder, struct vector *vector)
{
    void *item = builder->failed ? NULL : vector_push(vector, builder->alloc);
    if (item == NULL)
        builder->failed = true;
    return item;
}

void *fast_take(struct fast_builder *builder, size_t count, size_t size)
{
    void *items = builder->failed ? NULL : arena_take_array(builder->arena, count, size);
    if (items == NULL)
        builder->failed = true;
    else
        memset(items, 0, count * size);
    return items;
}

struct fast_name fast_name_of(struct fast_builder *builder, struct str text)
{
    struct fast_name name = { NULL, (uint32_t)text.len, json_key_hash(text) };
    char *copy = fast_take(builder, text.len + JSON_PADDING_BYTES, 1);
    if (copy != NULL && text.len > 0)
        memcpy(copy, text.ptr, text.len);
    name.ptr = copy;
    return name;
}

const struct fast_slot *fast_slots_for(struct fast_builder *builder, const struct fast_name *names,
                                       size_t stride, uint32_t count, uint32_t *out_mask)
{
    uint32_t size = 1;
    while (size / 4 < count)
        size *= 2;
    struct fast_slot *slots = fast_take(builder, size, sizeof(*slots));
    *out_mask = size - 1;
    if (slots == NULL)
        return NULL;
    const char *at = (const char *)names;
    for (uint32_t i = 0; i < count; i++, at += stride) {
        uint32_t hash = ((const struct fast_name *)(const void *)at)->hash;
        uint32_t slot = hash & *out_mask;
        while (slots[slot].at != 0)
            slot = (slot + 1) & *out_mask;
        slots[slot] = (struct fast_slot){ hash, i + 1 };
    }
    return slots;
}

/* ---- kinds ----------------------------------------------------------------------------------- */

#define KIND(type) ((uint16_t)(1u << (type)))
#define KIND_STRINGS                                                                               \
    (KIND(JSON_STRING) | KIND(JSON_STRING | JSON_NODE_ESCAPED) | KIND(JSON_NODE_NAME) |            \
     KIND(JSON_NODE_NAME | JSON_NODE_ESCAPED))

uint16_t fast_class_kinds(enum fast_class class)
{
    static const uint16_t kinds[FAST_CLASS_COUNT] = {
        [FAST_SCALAR] = KIND(JSON_NULL) | KIND(JSON_FALSE) | KIND(JSON_TRUE),
        [FAST_NUMBER] = KIND(JSON_NUMBER) | KIND(FAST_KIND_PLAIN),
        [FAST_STRING] = KIND_STRINGS,
        [FAST_ARRAY] = KIND(JSON_ARRAY),
        [FAST_OBJECT] = KIND(JSON_OBJECT),
    };
    return kinds[class];
}

static uint8_t class_types(enum fast_class class)
{
    static const uint8_t types[FAST_CLASS_COUNT] = {
        [FAST_SCALAR] = SCHEMA_NULL | SCHEMA_BOOLEAN,
        [FAST_NUMBER] = SCHEMA_NUMBER,
        [FAST_STRING] = SCHEMA_STRING,
        [FAST_ARRAY] = SCHEMA_ARRAY,
        [FAST_OBJECT] = SCHEMA_OBJECT,
    };
    return types[class];
}

static uint16_t kinds_of_types(uint8_t types)
{
    uint16_t kinds = 0;
    if ((types & SCHEMA_NULL) != 0)
        kinds |= KIND(JSON_NULL);
    if ((types & SCHEMA_BOOLEAN) != 0)
        kinds |= KIND(JSON_FALSE) | KIND(JSON_TRUE);
    if ((types & SCHEMA_INTEGER) != 0)
        kinds |= KIND(FAST_KIND_PLAIN) | KIND(JSON_NUMBER);
    if ((types & SCHEMA_FRACTION) != 0)
        kinds |= KIND(JSON_NUMBER);
    for (int class = FAST_STRING; class < FAST_CLASS_COUNT; class ++)
        if ((types & class_types((enum fast_class) class)) != 0)
            kinds |= fast_class_kinds((enum fast_class) class);
    return kinds;
}

uint16_t fast_accepts(const struct fast_builder *builder, uint32_t node)
{
    return kinds_of_types(builder->program->internal->narrow_types[node]);
}

bool fast_is_trivial(const struct fast_builder *builder, uint32_t node)
{
    const struct schema_internal *internal = builder->program->internal;
    return (internal->flags[internal->alias[node]] & SCHEMA_NODE_TRIVIAL) != 0;
}

uint16_t fast_accepts_at_once(const struct fast_builder *builder, uint32_t node)
{
    node = builder->program->internal->alias[node];
    uint8_t types = builder->program->internal->narrow_types[node];
    uint8_t flags = builder->program->internal->flags[node];
    if ((flags & SCHEMA_NODE_TRIVIAL) != 0)
        return FAST_ALL_KINDS;
    if ((flags & SCHEMA_NODE_TYPED) == 0)
        return 0;
    uint16_t kinds = kinds_of_types(types);
    bool takes_all_numbers = (types & SCHEMA_NUMBER) == SCHEMA_NUMBER;
    return takes_all_numbers ? kinds : (uint16_t)(kinds & ~KIND(JSON_NUMBER));
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static uint32_t node_add(struct fast_builder *builder, const struct fast_source *source)
{
    uint32_t index = builder->sources.count;
    struct fast_source *row = fast_push(builder, &builder->sources);
    if (row == NULL)
        return 0;
    *row = *source;
    return index;
}

uint32_t fast_node_for(struct fast_builder *builder, uint32_t node)
{
    node = builder->program->internal->alias[node];
    if (fast_is_trivial(builder, node))
        return 0;
    if (builder->map[node] != 0)
        return builder->map[node] - 1;
    const struct fast_source source = { { node }, 1 };
    uint32_t index = node_add(builder, &source);
    builder->map[node] = index + 1;
    return index;
}

void fast_source_add(const struct fast_builder *builder, struct fast_source *source, uint32_t node)
{
    node = builder->program->internal->alias[node];
    if (fast_is_trivial(builder, node))
        return;
    uint32_t place = source->count;
    for (uint32_t i = 0; i < source->count; i++)
        if (source->nodes[i] == node)
            return;
    /* In order, so that equal groups look alike. */
    for (; place > 0 && source->nodes[place - 1] > node; place--)
        source->nodes[place] = source->nodes[place - 1];
    source->nodes[place] = node;
    source->count++;
}

uint32_t fast_node_of(struct fast_builder *builder, const struct fast_source *source)
{
    if (source->count == 0)
        return 0;
    if (source->count == 1)
        return fast_node_for(builder, source->nodes[0]);
    for (uint32_t i = 0; i < builder->groups.count; i++) {
        uint32_t index = *(uint32_t *)vector_at(&builder->groups, i);
        const struct fast_source *group = vector_at(&builder->sources, index);
        if (group->count == source->count &&
            memcmp(group->nodes, source->nodes, source->count * sizeof(group->nodes[0])) == 0)
            return index;
    }
    uint32_t index = node_add(builder, source);
    uint32_t *group = fast_push(builder, &builder->groups);
    if (group != NULL)
        *group = index;
    return index;
}

/* ---- conjuncts ------------------------------------------------------------------------------- */

enum { CONJUNCTS_MAX = 32, PLANS_MAX = 8 };

/* Nodes that all apply to the value, each once: the sources, and what they reach by references and
 * allOf. Those that find no room are called. */
struct conjuncts {
    uint32_t nodes[CONJUNCTS_MAX];
    uint32_t count;
};

static bool conjuncts_have(const struct conjuncts *conjuncts, uint32_t node)
{
    for (uint32_t i = 0; i < conjuncts->count; i++)
        if (conjuncts->nodes[i] == node)
            return true;
    return false;
}

static void conjuncts_add(const struct fast_builder *builder, struct conjuncts *conjuncts,
                          uint32_t node)
{
    node = builder->program->internal->alias[node];
    if (conjuncts->count < CONJUNCTS_MAX && !conjuncts_have(conjuncts, node))
        conjuncts->nodes[conjuncts->count++] = node;
}

static void conjuncts_collect(const struct fast_builder *builder, const struct fast_source *source,
                              struct conjuncts *conjuncts)
{
    const struct schema_program *program = builder->program;
    for (uint32_t i = 0; i < source->count; i++)
        conjuncts_add(builder, conjuncts, source->nodes[i]);
    for (uint32_t i = 0; i < conjuncts->count; i++) {
        const struct schema_op *ops = schema_node_ops(program, conjuncts->nodes[i]);
        for (uint32_t k = 0; k < program->nodes[conjuncts->nodes[i]].op_count; k++) {
            if (ops[k].opcode == SCHEMA_OP_REF)
                conjuncts_add(builder, conjuncts, ops[k].a);
            for (uint32_t c = 0; ops[k].opcode == SCHEMA_OP_ALL_OF && c < ops[k].b; c++)
                conjuncts_add(builder, conjuncts, program->children[ops[k].a + c]);
        }
    }
}

/* One class of one node under construction. */
struct fast_scope {
    struct fast_builder *builder;
    const struct conjuncts *conjuncts;
    struct fast_node *node; /* on the caller's stack */
    enum fast_class class;
    uint32_t first;            /* instruction of the list */
    uint32_t members;          /* the instruction that waits for a plan, or SCHEMA_NONE */
    uint32_t plans[PLANS_MAX]; /* semantic nodes whose plans apply */
    uint32_t plan_count;
    struct fast_source items; /* of arrays, for all items */
    uint32_t items_at;        /* the instruction that waits for them, or SCHEMA_NONE */
};

static struct fast_op *emit(struct fast_scope *scope, enum fast_opcode code, uint32_t a, uint32_t b,
                            uint32_t c)
{
    struct fast_op *op = fast_push(scope->builder, &scope->builder->ops);
    if (op != NULL)
        *op = (struct fast_op){ (uint32_t)code, a, b, c };
    return op;
}

static void reject(struct fast_scope *scope)
{
    scope->node->accept &= (uint16_t)~fast_class_kinds(scope->class);
}

/* The list's last instruction if it has that code, so that a pair of limits becomes one. */
static struct fast_op *emit_range(struct fast_scope *scope, enum fast_opcode code)
{
    struct vector *ops = &scope->builder->ops;
    if (ops->count > scope->first) {
        struct fast_op *last = vector_at(ops, ops->count - 1);
        if (last->code == (uint32_t)code)
            return last;
    }
    return emit(scope, code, 0, SCHEMA_NONE, 0);
}

static void emit_at_least(struct fast_scope *scope, enum fast_opcode code, uint32_t least)
{
    struct fast_op *op = emit_range(scope, code);
    if (op != NULL && least > op->a)
        op->a = least;
}

static void emit_at_most(struct fast_scope *scope, enum fast_opcode code, uint32_t most)
{
    struct fast_op *op = emit_range(scope, code);
    if (op != NULL && most < op->b)
        op->b = most;
}

static void emit_bound(struct fast_scope *scope, const struct schema_op *op, enum fast_opcode code)
{
    uint32_t index = scope->builder->bounds.count;
    struct fast_bound *bound = fast_push(scope->builder, &scope->builder->bounds);
    if (bound == NULL)
        return;
    bound->exact = &scope->builder->program->decimals[op->a];
    bound->exclusive = (op->flags & SCHEMA_OP_EXCLUSIVE) != 0;
    int64_t word = 0;
    bound->fits = decimal_to_int64(bound->exact, &word) && word > INT64_MIN && word < INT64_MAX;
    if (bound->exclusive)
        word += code == FAST_MIN ? 1 : -1;
    bound->word = bound->fits ? word : 0;
    (void)emit(scope, code, index, 0, 0);
}

/* ---- enum ------------------------------------------------------------------------------------ */

static void strings_fill(struct fast_builder *builder, struct fast_string_set *set,
                         const struct json *values, uint32_t count)
{
    uint32_t size = set->places.mask + 1;
    const char **long_names = fast_take(builder, size, sizeof(*long_names));
    set->members = fast_take(builder, size, sizeof(*set->members));
    set->long_names = long_names;
    if (builder->failed)
        return;
    for (uint32_t i = 0; i < size; i++)
        set->members[i].length = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        if (json_type(values[i]) != JSON_STRING)
            continue;
        struct fast_name name = fast_name_of(builder, json_string(values[i]));
        if (builder->failed)
            return;
        uint32_t hash = fast_text_hash(name.ptr, name.len);
        uint32_t place = fast_place(&set->places, hash);
        struct fast_member *member = &set->members[place];
        *member = (struct fast_member){ .length = name.len, .tag = (uint16_t)(hash >> 16) };
        if (name.len <= FAST_HEAD_BYTES)
            fast_head(name.ptr, name.len, member->head);
        long_names[place] = name.ptr;
        set->lengths |= UINT64_C(1) << (name.len < 63 ? name.len : 63);
    }
}

/* The hashes of the different strings among the values. seen: slots, zeroed, for indices + 1. */
static uint32_t strings_hash(const struct json *values, uint32_t count, uint32_t *hashes,
                             uint32_t *seen)
{
    uint32_t mask = schema_slots_for(count) - 1;
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (json_type(values[i]) != JSON_STRING)
            continue;
        struct str text = json_string(values[i]);
        uint32_t hash = fast_text_hash(text.ptr, text.len);
        uint32_t at = hash & mask;
        while (seen[at] != 0 && !str_equal(json_string(values[seen[at] - 1]), text))
            at = (at + 1) & mask;
        if (seen[at] != 0)
            continue;
        seen[at] = i + 1;
        hashes[found++] = hash;
    }
    return found;
}

static void emit_strings(struct fast_scope *scope, const struct json *values, uint32_t count)
{
    struct fast_builder *builder = scope->builder;
    struct fast_string_set set = { .lengths = 0 };
    uint32_t slots = schema_slots_for(count);
    size_t bytes = ((size_t)count + slots) * sizeof(uint32_t);
    uint32_t *hashes = alloc_get(builder->alloc, bytes);
    if (hashes == NULL) {
        builder->failed = true;
        return;
    }
    memset(hashes, 0, bytes);
    uint32_t found = strings_hash(values, count, hashes, hashes + count);
    bool placed = fast_places_for(builder, hashes, found, &set.places);
    alloc_free(builder->alloc, hashes, bytes);
    if (placed)
        strings_fill(builder, &set, values, count);
    uint32_t index = builder->string_sets.count;
    struct fast_string_set *row = fast_push(builder, &builder->string_sets);
    if (row != NULL)
        *row = set;
    (void)emit(scope, placed ? FAST_STRINGS : FAST_LEAVE, index, 0, 0);
}

/* False when some number is not a plain integer that fits. */
static bool emit_words(struct fast_scope *scope, const struct schema_op *op)
{
    struct fast_builder *builder = scope->builder;
    const struct json *values = &builder->program->values[op->a];
    int64_t *words = fast_take(builder, op->b, sizeof(*words));
    struct fast_word_set set = { words, 0, op->a, op->b };
    for (uint32_t i = 0; words != NULL && i < op->b; i++) {
        if (json_type(values[i]) != JSON_NUMBER)
            continue;
        struct decimal number = json_number(values[i]);
        if (!decimal_to_int64(&number, &words[set.count++]))
            return false;
    }
    uint32_t index = builder->word_sets.count;
    struct fast_word_set *row = fast_push(builder, &builder->word_sets);
    if (row != NULL)
        *row = set;
    (void)emit(scope, FAST_WORDS, index, 0, 0);
    return true;
}

static void emit_enum(struct fast_scope *scope, const struct schema_op *op)
{
    const struct json *values = &scope->builder->program->values[op->a];
    uint16_t kinds = 0;
    for (uint32_t i = 0; i < op->b; i++)
        kinds |= KIND(fast_kind(values[i].node));
    uint16_t class_kinds = fast_class_kinds(scope->class);
    if ((kinds & class_kinds) == 0)
        reject(scope);
    else if (scope->class == FAST_SCALAR)
        scope->node->accept &= (uint16_t)(kinds | ~class_kinds);
    else if (scope->class == FAST_STRING)
        emit_strings(scope, values, op->b);
    else if (scope->class != FAST_NUMBER || !emit_words(scope, op))
        (void)emit(scope, FAST_VALUES, op->a, op->b, 0);
}

/* ---- other nodes ----------------------------------------------------------------------------- */

static bool takes_at_once(const struct fast_scope *scope, uint32_t node)
{
    uint16_t wanted = scope->node->accept & fast_class_kinds(scope->class);
    return (wanted & ~fast_accepts_at_once(scope->builder, node)) == 0;
}

static void emit_call(struct fast_scope *scope, uint32_t node)
{
    node = scope->builder->program->internal->alias[node];
    if (!conjuncts_have(scope->conjuncts, node) && !takes_at_once(scope, node))
        (void)emit(scope, FAST_CALL, fast_node_for(scope->builder, node), 0, 0);
}

static void emit_not(struct fast_scope *scope, const struct schema_op *op)
{
    uint32_t node = op->a;
    uint16_t wanted = scope->node->accept & fast_class_kinds(scope->class);
    if (takes_at_once(scope, node))
        reject(scope);
    else if ((wanted & fast_accepts(scope->builder, node)) != 0)
        (void)emit(scope, FAST_NOT, fast_node_for(scope->builder, node), 0, 0);
}

static void emit_if(struct fast_scope *scope, const struct schema_op *op)
{
    struct fast_builder *builder = scope->builder;
    if (op->b == SCHEMA_NONE && op->c == SCHEMA_NONE)
        return;
    uint32_t b = op->b == SCHEMA_NONE ? SCHEMA_NONE : fast_node_for(builder, op->b);
    uint32_t c = op->c == SCHEMA_NONE ? SCHEMA_NONE : fast_node_for(builder, op->c);
    (void)emit(scope, FAST_IF, fast_node_for(builder, op->a), b, c);
}

/* Only the alternatives that take the class count. */
static void emit_union(struct fast_scope *scope, const struct schema_op *op)
{
    struct fast_builder *builder = scope->builder;
    const uint32_t *branches = &builder->program->children[op->a];
    uint16_t wanted = scope->node->accept & fast_class_kinds(scope->class);
    uint16_t at_once = 0;
    uint32_t count = 0;
    uint32_t first = builder->children.count;
    uint32_t *kept = alloc_get(builder->alloc, op->b * sizeof(*kept));
    if (kept == NULL) {
        builder->failed = true;
        return;
    }
    for (uint32_t i = 0; i < op->b; i++)
        if ((fast_accepts(builder, branches[i]) & wanted) != 0) {
            at_once |= fast_accepts_at_once(builder, branches[i]);
            kept[count++] = builder->program->internal->alias[branches[i]];
        }
    bool is_any = op->opcode == SCHEMA_OP_ANY_OF;
    if (count == 0) {
        reject(scope);
    } else if (count == 1) {
        emit_call(scope, kept[0]);
    } else if (!is_any || (wanted & ~at_once) != 0) {
        for (uint32_t i = 0; i < count; i++) {
            uint32_t node = fast_node_for(builder, kept[i]);
            uint32_t *child = fast_push(builder, &builder->children);
            if (child != NULL)
                *child = node;
        }
        uint32_t filter =
            scope->class == FAST_OBJECT ? fast_filter_for(builder, kept, count) : SCHEMA_NONE;
        (void)emit(scope, is_any ? FAST_ANY_OF : FAST_ONE_OF, first, count, filter);
    }
    alloc_free(builder->alloc, kept, op->b * sizeof(*kept));
}

static void emit_prefix(struct fast_scope *scope, const struct schema_op *op)
{
    struct fast_builder *builder = scope->builder;
    uint32_t first = builder->children.count;
    for (uint32_t i = 0; i < op->b; i++) {
        uint32_t node = fast_node_for(builder, builder->program->children[op->a + i]);
        uint32_t *child = fast_push(builder, &builder->children);
        if (child != NULL)
            *child = node;
    }
    (void)emit(scope, FAST_PREFIX, first, op->b, 0);
}

static void emit_depend(struct fast_scope *scope, const struct schema_op *op)
{
    struct fast_builder *builder = scope->builder;
    const struct str *names = builder->program->names;
    uint32_t index = builder->depends.count;
    struct fast_depend depend = { fast_name_of(builder, names[op->a]), NULL, 0, SCHEMA_NONE };
    if (op->opcode == SCHEMA_OP_DEPENDENT_SCHEMA) {
        depend.node = fast_node_for(builder, op->b);
    } else {
        struct fast_name *wanted = fast_take(builder, op->c, sizeof(*wanted));
        for (uint32_t i = 0; wanted != NULL && i < op->c; i++)
            wanted[i] = fast_name_of(builder, names[op->b + i]);
        depend.wanted = wanted;
        depend.wanted_count = op->c;
    }
    struct fast_depend *row = fast_push(builder, &builder->depends);
    if (row != NULL)
        *row = depend;
    (void)emit(scope, FAST_DEPENDENT, index, 0, 0);
}

static uint32_t plan_of_node(struct fast_builder *builder, uint32_t node)
{
    if (builder->plan_map[node] == 0)
        builder->plan_map[node] = fast_plan_for(builder, &node, 1) + 1;
    return builder->plan_map[node] - 1;
}

/* Plans are gathered from all conjuncts before they become instructions. */
static void gather_plan(struct fast_scope *scope, uint32_t node)
{
    if (scope->plan_count > 0 && scope->plans[scope->plan_count - 1] == node)
        return;
    if (scope->plan_count == PLANS_MAX) {
        uint32_t plan = plan_of_node(scope->builder, node);
        (void)emit(scope, plan == SCHEMA_NONE ? FAST_LEAVE : FAST_MEMBERS, plan, 0, 0);
        return;
    }
    scope->plans[scope->plan_count++] = node;
    if (scope->members == SCHEMA_NONE) {
        scope->members = scope->builder->ops.count;
        (void)emit(scope, FAST_MEMBERS, SCHEMA_NONE, 0, 0);
    }
}

static void set_members(struct fast_scope *scope, uint32_t plan)
{
    struct fast_op *op = NULL;
    if (scope->members == SCHEMA_NONE)
        op = emit(scope, FAST_MEMBERS, plan, 0, 0);
    else if (!scope->builder->failed)
        op = vector_at(&scope->builder->ops, scope->members);
    if (op != NULL)
        *op = (struct fast_op){ plan == SCHEMA_NONE ? FAST_LEAVE : FAST_MEMBERS, plan, 0, 0 };
    scope->members = SCHEMA_NONE;
}

static void emit_plans(struct fast_scope *scope)
{
    struct fast_builder *builder = scope->builder;
    uint32_t joined = 0;
    for (uint32_t first = 0; first < scope->plan_count; first += joined) {
        uint32_t *nodes = &scope->plans[first];
        joined = builder->groups.count < FAST_GROUPS_MAX
                     ? fast_plans_join(builder, nodes, scope->plan_count - first)
                     : 1;
        set_members(scope, joined == 1 ? plan_of_node(builder, nodes[0])
                                       : fast_plan_for(builder, nodes, joined));
    }
}

/* ---- instructions ---------------------------------------------------------------------------- */

static void emit_type(struct fast_scope *scope, const struct schema_op *op)
{
    if (op->b != 0 && scope->class == FAST_NUMBER)
        (void)emit(scope, FAST_INTEGER, 0, 1, 0);
}

static void emit_minimum(struct fast_scope *scope, const struct schema_op *op)
{
    emit_bound(scope, op, FAST_MIN);
}

static void emit_maximum(struct fast_scope *scope, const struct schema_op *op)
{
    emit_bound(scope, op, FAST_MAX);
}

static void emit_multiple(struct fast_scope *scope, const struct schema_op *op)
{
    (void)emit(scope, FAST_MULTIPLE, op->a, 0, 0);
}

static void emit_min_length(struct fast_scope *scope, const struct schema_op *op)
{
    emit_at_least(scope, FAST_LENGTH, op->a);
}

static void emit_max_length(struct fast_scope *scope, const struct schema_op *op)
{
    emit_at_most(scope, FAST_LENGTH, op->a);
}

static void emit_min_count(struct fast_scope *scope, const struct schema_op *op)
{
    emit_at_least(scope, FAST_COUNT, op->a);
}

static void emit_max_count(struct fast_scope *scope, const struct schema_op *op)
{
    emit_at_most(scope, FAST_COUNT, op->a);
}

bool fast_pattern_is_trivial(const struct fast_builder *builder, uint32_t pattern)
{
    return builder->program->patterns[pattern].regex->shape == REGEX_SHAPE_ALWAYS;
}

static void emit_pattern(struct fast_scope *scope, const struct schema_op *op)
{
    if (!fast_pattern_is_trivial(scope->builder, op->a))
        (void)emit(scope, FAST_PATTERN, op->a, 0, 0);
}

static void emit_format(struct fast_scope *scope, const struct schema_op *op)
{
    if (op->a != SCHEMA_FORMAT_UNKNOWN)
        (void)emit(scope, FAST_FORMAT, op->a, 0, 0);
}

static void emit_content(struct fast_scope *scope, const struct schema_op *op)
{
    (void)emit(scope, FAST_CONTENT, op->a, 0, 0);
}

static void emit_unique(struct fast_scope *scope, const struct schema_op *op)
{
    (void)op;
    (void)emit(scope, FAST_UNIQUE, 0, 0, 0);
}

/* What several conjuncts say of all items becomes one node. */
static void emit_items(struct fast_scope *scope, const struct schema_op *op)
{
    struct fast_builder *builder = scope->builder;
    bool has_room = scope->items.count < FAST_SOURCE_NODES &&
                    (scope->items.count == 0 || builder->groups.count < FAST_GROUPS_MAX);
    if (fast_is_trivial(builder, op->a))
        return;
    if (op->b != 0 || !has_room) {
        (void)emit(scope, FAST_ITEMS, fast_node_for(builder, op->a), op->b, 0);
        return;
    }
    fast_source_add(builder, &scope->items, op->a);
    if (scope->items_at != SCHEMA_NONE)
        return;
    scope->items_at = builder->ops.count;
    (void)emit(scope, FAST_ITEMS, 0, 0, 0);
}

static void set_items(struct fast_scope *scope)
{
    uint32_t node = fast_node_of(scope->builder, &scope->items);
    if (scope->items_at != SCHEMA_NONE && !scope->builder->failed)
        ((struct fast_op *)vector_at(&scope->builder->ops, scope->items_at))->a = node;
}

static void emit_contains(struct fast_scope *scope, const struct schema_op *op)
{
    (void)emit(scope, FAST_CONTAINS, fast_node_for(scope->builder, op->a), op->b, op->c);
}

static void emit_reference(struct fast_scope *scope, const struct schema_op *op)
{
    emit_call(scope, op->a);
}

static void emit_all_of(struct fast_scope *scope, const struct schema_op *op)
{
    for (uint32_t i = 0; i < op->b; i++)
        emit_call(scope, scope->builder->program->children[op->a + i]);
}

static void emit_leave(struct fast_scope *scope, const struct schema_op *op)
{
    (void)op;
    (void)emit(scope, FAST_LEAVE, 0, 0, 0);
}

static void emit_unevaluated(struct fast_scope *scope, const struct schema_op *op)
{
    if (!fast_is_trivial(scope->builder, op->a))
        emit_leave(scope, op);
}

static void (*const emitters[])(struct fast_scope *scope, const struct schema_op *op) = {
    [SCHEMA_OP_TYPE] = emit_type,
    [SCHEMA_OP_ENUM] = emit_enum,
    [SCHEMA_OP_MINIMUM] = emit_minimum,
    [SCHEMA_OP_MAXIMUM] = emit_maximum,
    [SCHEMA_OP_MULTIPLE_OF] = emit_multiple,
    [SCHEMA_OP_MIN_LENGTH] = emit_min_length,
    [SCHEMA_OP_MAX_LENGTH] = emit_max_length,
    [SCHEMA_OP_PATTERN] = emit_pattern,
    [SCHEMA_OP_FORMAT] = emit_format,
    [SCHEMA_OP_CONTENT] = emit_content,
    [SCHEMA_OP_PREFIX_ITEMS] = emit_prefix,
    [SCHEMA_OP_ITEMS] = emit_items,
    [SCHEMA_OP_CONTAINS] = emit_contains,
    [SCHEMA_OP_MIN_ITEMS] = emit_min_count,
    [SCHEMA_OP_MAX_ITEMS] = emit_max_count,
    [SCHEMA_OP_UNIQUE_ITEMS] = emit_unique,
    [SCHEMA_OP_PROPERTIES] = NULL, /* these five: gather_plan */
    [SCHEMA_OP_PATTERN_PROPERTIES] = NULL,
    [SCHEMA_OP_ADDITIONAL] = NULL,
    [SCHEMA_OP_PROPERTY_NAMES] = NULL,
    [SCHEMA_OP_REQUIRED] = NULL,
    [SCHEMA_OP_MIN_PROPERTIES] = emit_min_count,
    [SCHEMA_OP_MAX_PROPERTIES] = emit_max_count,
    [SCHEMA_OP_DEPENDENT_REQUIRED] = emit_depend,
    [SCHEMA_OP_DEPENDENT_SCHEMA] = emit_depend,
    [SCHEMA_OP_REF] = emit_reference,
    [SCHEMA_OP_ALL_OF] = emit_all_of,
    [SCHEMA_OP_ANY_OF] = emit_union,
    [SCHEMA_OP_ONE_OF] = emit_union,
    [SCHEMA_OP_NOT] = emit_not,
    [SCHEMA_OP_IF] = emit_if,
    [SCHEMA_OP_DYNAMIC_REF] = emit_leave,
    [SCHEMA_OP_UNEVALUATED_ITEMS] = emit_unevaluated,
    [SCHEMA_OP_UNEVALUATED_PROPERTIES] = emit_unevaluated,
};

/* A number that must, or must not, be an integer. */
static void emit_number_type(struct fast_scope *scope)
{
    const struct schema_internal *internal = scope->builder->program->internal;
    uint8_t types = SCHEMA_NUMBER;
    for (uint32_t i = 0; i < scope->conjuncts->count; i++)
        types &= internal->narrow_types[scope->conjuncts->nodes[i]];
    if (types == SCHEMA_INTEGER)
        (void)emit(scope, FAST_INTEGER, 0, 0, 0);
    else if (types == SCHEMA_FRACTION)
        (void)emit(scope, FAST_FRACTION, 0, 0, 0);
    else if (types == 0)
        reject(scope);
}

static void build_conjunct(struct fast_scope *scope, uint32_t node)
{
    const struct schema_program *program = scope->builder->program;
    const struct schema_op *ops = schema_node_ops(program, node);
    uint16_t kinds = fast_class_kinds(scope->class);
    for (uint32_t i = 0; i < program->nodes[node].op_count; i++) {
        if ((ops[i].types & class_types(scope->class)) == 0 || (scope->node->accept & kinds) == 0)
            continue;
        if (emitters[ops[i].opcode] != NULL)
            emitters[ops[i].opcode](scope, &ops[i]);
        else
            gather_plan(scope, node);
    }
}

static void build_class(struct fast_scope *scope)
{
    struct fast_builder *builder = scope->builder;
    uint16_t kinds = fast_class_kinds(scope->class);
    scope->first = builder->ops.count;
    scope->members = SCHEMA_NONE;
    scope->plan_count = 0;
    scope->items.count = 0;
    scope->items_at = SCHEMA_NONE;
    if (scope->class == FAST_NUMBER)
        emit_number_type(scope);
    for (uint32_t i = 0; i < scope->conjuncts->count; i++)
        build_conjunct(scope, scope->conjuncts->nodes[i]);
    emit_plans(scope);
    set_items(scope);
    uint16_t checked = builder->ops.count > scope->first ? scope->node->accept & kinds : 0;
    if (builder->ops.count == scope->first + 1 && scope->class == FAST_NUMBER) {
        const struct fast_op *only = vector_at(&builder->ops, scope->first);
        if (only->code == FAST_INTEGER)
            checked &= (uint16_t)~KIND(FAST_KIND_PLAIN);
    }
    scope->node->check |= checked;
    scope->node->lists[scope->class] = scope->first;
    (void)emit(scope, FAST_END, 0, 0, 0);
}

static void build_node(struct fast_builder *builder, uint32_t index)
{
    const struct fast_source source = *(struct fast_source *)vector_at(&builder->sources, index);
    struct conjuncts conjuncts = { .count = 0 };
    struct fast_node node = { .accept = FAST_ALL_KINDS };
    struct fast_scope scope = { .builder = builder, .conjuncts = &conjuncts, .node = &node };
    conjuncts_collect(builder, &source, &conjuncts);
    for (uint32_t i = 0; i < conjuncts.count; i++)
        node.accept &= fast_accepts(builder, conjuncts.nodes[i]);
    for (int class = 0; class < FAST_CLASS_COUNT; class ++) {
        scope.class = (enum fast_class) class;
        if ((node.accept & fast_class_kinds(scope.class)) != 0)
            build_class(&scope);
    }
    struct fast_node *row = fast_push(builder, &builder->nodes);
    if (row != NULL)
        *row = node;
}

/* ---- the last pass --------------------------------------------------------------------------- */

/* A list that only calls another node becomes that node's list. */
static void see_through_call(const struct fast_builder *builder, struct fast_node *node,
                             enum fast_class class)
{
    uint16_t kinds = fast_class_kinds(class);
    const struct fast_op *op = vector_at(&builder->ops, node->lists[class]);
    if ((node->check & kinds) == 0 || op[0].code != FAST_CALL || op[1].code != FAST_END)
        return;
    const struct fast_node *target = vector_at(&builder->nodes, op[0].a);
    if (target == node)
        return;
    node->accept &= (uint16_t)(target->accept | ~kinds);
    node->check &= (uint16_t)((target->check & node->accept) | ~kinds);
    node->lists[class] = target->lists[class];
}

/* What a value of a member undergoes at once; where there is a rest, it is always looked at. */
static void finish_member(const struct fast_builder *builder, struct fast_member *member,
                          uint32_t node)
{
    const struct fast_node *row = vector_at(&builder->nodes, node);
    uint32_t check = member->rest == 0 ? row->check : FAST_ALL_KINDS;
    member->kinds = row->accept | check << FAST_CHECK_SHIFT;
}

static void finish_plan(const struct fast_builder *builder, struct fast_plan *plan)
{
    for (uint32_t i = 0; i <= plan->places.mask; i++)
        finish_member(builder, &plan->members[i], plan->members[i].node);
    finish_member(builder, &plan->other, 0);
    if (plan->other.rest == FAST_REST_ADDITIONAL) {
        const struct fast_node *row = vector_at(&builder->nodes, plan->additional);
        plan->other.kinds = row->accept | (uint32_t)row->check << FAST_CHECK_SHIFT;
    }
}

/* Plans without names, or with one name only, have loops of their own. */
static void finish_members(const struct fast_builder *builder, struct fast_op *op)
{
    const struct fast_plan *plan = vector_at(&builder->plans, op->a);
    if (plan->key_count == 0)
        op->code = FAST_MAP;
    else if (plan->key_count == 1 && plan->other.rest == 0)
        op->code = FAST_ONE;
}

/* Items that are short arrays of scalars are judged in one loop. */
static void finish_rows(const struct fast_builder *builder, struct fast_op *op)
{
    const struct fast_node *row = vector_at(&builder->nodes, op->a);
    const struct fast_op *inner = vector_at(&builder->ops, row->lists[FAST_ARRAY]);
    uint16_t containers = KIND(JSON_ARRAY) | KIND(JSON_OBJECT);
    struct fast_op rows = { FAST_ROWS, 0, SCHEMA_NONE, 0 };
    if (row->accept != KIND(JSON_ARRAY) || row->check == 0 || op->b != 0)
        return;
    if (inner->code == FAST_COUNT) {
        rows.a = inner->a;
        rows.b = inner->b;
        inner++;
    }
    if (inner->code != FAST_ITEMS || inner->b != 0 || inner[1].code != FAST_END)
        return;
    const struct fast_node *item = vector_at(&builder->nodes, inner->a);
    if (item->check != 0 || (item->accept & containers) != 0)
        return;
    rows.c = item->accept;
    *op = rows;
}

static void *copy_out(struct fast_builder *builder, const struct vector *vector)
{
    void *items = fast_take(builder, vector->count == 0 ? 1 : vector->count, vector->item_size);
    if (items != NULL && vector->count > 0)
        memcpy(items, vector->items, vector->count * vector->item_size);
    return items;
}

static const struct schema_fast *finish(struct fast_builder *builder, uint32_t root)
{
    if (builder->failed)
        return NULL;
    for (uint32_t i = builder->nodes.count; i-- > 0;)
        for (int class = 0; class < FAST_CLASS_COUNT; class ++)
            see_through_call(builder, vector_at(&builder->nodes, i), (enum fast_class) class);
    for (uint32_t i = 0; i < builder->plans.count; i++)
        finish_plan(builder, vector_at(&builder->plans, i));
    for (uint32_t i = 0; i < builder->ops.count; i++) {
        struct fast_op *op = vector_at(&builder->ops, i);
        if (op->code == FAST_ITEMS)
            finish_rows(builder, op);
        else if (op->code == FAST_MEMBERS)
            finish_members(builder, op);
    }
    struct schema_fast *fast = fast_take(builder, 1, sizeof(*fast));
    if (fast == NULL)
        return NULL;
    *fast = (struct schema_fast){
        .program = builder->program,
        .nodes = copy_out(builder, &builder->nodes),
        .ops = copy_out(builder, &builder->ops),
        .children = copy_out(builder, &builder->children),
        .bounds = copy_out(builder, &builder->bounds),
        .plans = copy_out(builder, &builder->plans),
        .string_sets = copy_out(builder, &builder->string_sets),
        .word_sets = copy_out(builder, &builder->word_sets),
        .depends = copy_out(builder, &builder->depends),
        .filters = copy_out(builder, &builder->filters),
        .root = root,
        .root_types = builder->program->nodes[0].types,
    };
    return builder->failed ? NULL : fast;
}

static void build_init(struct fast_builder *builder)
{
    builder->sources.item_size = sizeof(struct fast_source);
    builder->groups.item_size = sizeof(uint32_t);
    builder->nodes.item_size = sizeof(struct fast_node);
    builder->ops.item_size = sizeof(struct fast_op);
    builder->children.item_size = sizeof(uint32_t);
    builder->bounds.item_size = sizeof(struct fast_bound);
    builder->plans.item_size = sizeof(struct fast_plan);
    builder->string_sets.item_size = sizeof(struct fast_string_set);
    builder->word_sets.item_size = sizeof(struct fast_word_set);
    builder->depends.item_size = sizeof(struct fast_depend);
    builder->filters.item_size = sizeof(struct fast_filter);
}

static void build_release(struct fast_builder *builder)
{
    struct vector *vectors[] = {
        &builder->sources, &builder->nodes,  &builder->ops,         &builder->children,
        &builder->bounds,  &builder->plans,  &builder->string_sets, &builder->depends,
        &builder->filters, &builder->groups, &builder->word_sets,
    };
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
        vector_release(vectors[i], builder->alloc);
    alloc_free(builder->alloc, builder->map,
               2 * builder->program->node_count * sizeof(*builder->map));
}

/* Node 0 takes everything: all trivial nodes are one. */
static void build_trivial(struct fast_builder *builder)
{
    struct fast_source *source = fast_push(builder, &builder->sources);
    struct fast_node *node = fast_push(builder, &builder->nodes);
    struct fast_op *end = fast_push(builder, &builder->ops);
    if (end == NULL)
        return;
    source->count = 0;
    node->accept = FAST_ALL_KINDS;
    end->code = FAST_END;
}

const struct schema_fast *schema_fast_build(const struct schema_program *program,
                                            struct arena *arena, const struct alloc *alloc)
{
    struct fast_builder builder = { .program = program, .arena = arena, .alloc = alloc };
    size_t map_bytes = 2 * program->node_count * sizeof(*builder.map);
    builder.map = alloc_get(alloc, map_bytes);
    if (builder.map == NULL)
        return NULL;
    memset(builder.map, 0, map_bytes);
    builder.plan_map = builder.map + program->node_count;
    build_init(&builder);
    build_trivial(&builder);
    uint32_t root = fast_node_for(&builder, 0);
    while (builder.nodes.count < builder.sources.count && !builder.failed)
        build_node(&builder, builder.nodes.count);
    const struct schema_fast *fast = finish(&builder, root);
    build_release(&builder);
    return fast;
}

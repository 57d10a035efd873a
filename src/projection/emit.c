/* emit.c - a shape as the schema that goes over the wire.
 *
 * Owns: the tree of the text, references and definitions, null beside a type, the envelope. Leaves
 * to others: keywords and words of one place (emit_keywords.c), what keeps the limits (fit.c).
 * Invariant: tasks are on the heap, so nothing recurses; what stands in the text the rules take.
 */
#include "base/features.h"

#include "projection/emitter.h"

#include "base/limits.h"
#include "projection/pattern.h"
#include "projection/words.h"

enum emit_task_kind {
    TASK_TEXT,   /* text as it is */
    TASK_NAME,   /* "text": with a comma where one is due */
    TASK_SCHEMA, /* the schema of a node */
    TASK_BODY    /* the same, never as a reference */
};

struct emit_task {
    uint8_t kind;
    bool with_null;
    uint32_t node;
    uint32_t source; /* program node with title and description, or SCHEMA_NONE */
    uint32_t parent; /* the union it is a part of, or SHAPE_NO_NODE */
    struct str text;
};

/* ---- tasks ----------------------------------------------------------------------------------- */

static void task_push(struct emitter *emitter, struct emit_task task)
{
    if (emitter->task_count == emitter->task_capacity) {
        uint32_t wanted = emitter->task_capacity == 0 ? 64 : emitter->task_capacity * 2;
        struct emit_task *grown =
            alloc_grow(emitter->shape->alloc, emitter->tasks,
                       emitter->task_capacity * sizeof(*grown), wanted * sizeof(*grown));
        if (grown == NULL) {
            emitter->failed = true;
            return;
        }
        emitter->tasks = grown;
        emitter->task_capacity = wanted;
    }
    emitter->tasks[emitter->task_count++] = task;
}

static void push_text(struct emitter *emitter, struct str text)
{
    task_push(emitter, (struct emit_task){ .kind = TASK_TEXT, .text = text });
}

static void push_name(struct emitter *emitter, struct str name)
{
    task_push(emitter, (struct emit_task){ .kind = TASK_NAME, .text = name });
}

static void push_schema(struct emitter *emitter, uint32_t node, uint32_t source, bool with_null)
{
    task_push(emitter, (struct emit_task){ .kind = TASK_SCHEMA,
                                           .node = node,
                                           .source = source,
                                           .with_null = with_null,
                                           .parent = SHAPE_NO_NODE });
}

static const struct shape_node *emitter_node(const struct emitter *emitter, uint32_t node)
{
    return &emitter->shape->nodes[node];
}

/* ---- reasons --------------------------------------------------------------------------------- */

struct why_row {
    const char *keyword;
    const char *reason;
};

static struct why_row why_of(enum shape_why why)
{
    switch (why) {
    case SHAPE_WHY_NONE:
    case SHAPE_WHY_ANY: return (struct why_row){ "type", "any value" };
    case SHAPE_WHY_ENUM: return (struct why_row){ "enum", "values that are no strings" };
    case SHAPE_WHY_NEVER: return (struct why_row){ "type", "no value is valid" };
    case SHAPE_WHY_RECURSIVE: return (struct why_row){ "$ref", "recursive" };
    case SHAPE_WHY_UNION: return (struct why_row){ "anyOf", "alternatives not accepted" };
    case SHAPE_WHY_UNIONS: return (struct why_row){ "anyOf", "over the limit of alternatives" };
    case SHAPE_WHY_DEPTH: return (struct why_row){ "type", "over the limit of levels" };
    case SHAPE_WHY_PROPERTIES:
        return (struct why_row){ "properties", "over the limit of properties" };
    case SHAPE_WHY_NAMES: return (struct why_row){ "properties", "over the limit of names" };
    case SHAPE_WHY_BYTES: return (struct why_row){ "type", "over the limit of bytes" };
    case SHAPE_WHY_OPTIONAL:
        return (struct why_row){ "prefixItems", "over the limit of optional members" };
    case SHAPE_WHY_LARGE: break;
    }
    return (struct why_row){ "anyOf", "too many alternatives" };
}

static void emit_why(struct emitter *emitter, const struct shape_node *node)
{
    bool is_any = node->why == SHAPE_WHY_ANY && node->node_count == 0;
    struct why_row row = why_of((enum shape_why)node->why);
    size_t before = emitter->words.len;
    bool in_words = false;
    if (node->kind == SHAPE_TEXT) {
        words_of_text(emitter->shape, node, &emitter->words);
        in_words = emit_phrase_fits(emitter, before);
    }
    if (!is_any && node->why != SHAPE_WHY_ENUM &&
        !(node->why == SHAPE_WHY_ANY && node->kind == SHAPE_FREE))
        emit_move_node(emitter, node, row.keyword, row.reason, in_words);
}

/* ---- objects --------------------------------------------------------------------------------- */

static void emit_closed(struct emitter *emitter, const struct shape_node *node, bool is_wanted)
{
    if (wire_takes(emitter->rules, WIRE_ADDITIONAL_FALSE)) {
        emit_key(emitter, STR("additionalProperties"));
        buffer_append_str(emitter->out, STR("false"));
    } else if (is_wanted) {
        emit_move_node(emitter, node, "additionalProperties", "not accepted", false);
    }
}

/* Text between tasks: a closing that depends on rules only. */
static struct str closed_text(const struct emitter *emitter)
{
    return wire_takes(emitter->rules, WIRE_ADDITIONAL_FALSE)
               ? STR(",\"additionalProperties\":false}")
               : STR("}");
}

/* {"type":"array","items":{pair}} without its last brace: tasks in reverse. */
static void push_pair_schema(struct emitter *emitter, const struct shape_node *node, bool is_wide)
{
    bool upper = emitter->rules->has_upper_types;
    push_text(emitter, closed_text(emitter));
    push_text(emitter, STR("},\"required\":[\"key\",\"value\"]"));
    if (is_wide || node->value == SHAPE_NO_NODE)
        push_text(emitter, upper ? STR("{\"type\":\"STRING\"}") : STR("{\"type\":\"string\"}"));
    else
        push_schema(emitter, node->value, SCHEMA_NONE, false);
    push_name(emitter, STR("value"));
    if (is_wide || node->key == SHAPE_NO_NODE)
        push_text(emitter, upper ? STR("{\"type\":\"STRING\"}") : STR("{\"type\":\"string\"}"));
    else
        push_schema(emitter, node->key, SCHEMA_NONE, false);
    push_text(emitter, upper ? STR("{\"type\":\"OBJECT\",\"properties\":{\"key\":")
                             : STR("{\"type\":\"object\",\"properties\":{\"key\":"));
}

/* The member is always there; where nulls are taken, so is its absence. */
static bool member_is_there(const struct emitter *emitter, const struct shape_member *member)
{
    return member->presence == SHAPE_REQUIRED ||
           (member->presence == SHAPE_NULLABLE && !emitter->takes_direct);
}

static void emit_required(struct emitter *emitter, const struct shape_node *node)
{
    bool has_any = false;
    for (uint32_t i = 0; i < node->member_count; i++)
        has_any = has_any || member_is_there(emitter, &node->members[i]);
    bool has_list = shape_has_list(node) && node->kind == SHAPE_OBJECT;
    has_list = has_list || (node->kind == SHAPE_TUPLE && node->value != SHAPE_NO_NODE);
    has_list = has_list && !emitter->takes_direct;
    if (!has_any && !has_list)
        return;
    emit_key(emitter, STR("required"));
    buffer_append_byte(emitter->out, '[');
    has_any = false;
    for (uint32_t i = 0; i < node->member_count; i++) {
        const struct shape_member *member = &node->members[i];
        if (!member_is_there(emitter, member))
            continue;
        if (has_any)
            buffer_append_byte(emitter->out, ',');
        json_write_string(member->name, emitter->out);
        has_any = true;
    }
    if (has_list && has_any)
        buffer_append_byte(emitter->out, ',');
    if (has_list)
        json_write_string(node->list_name, emitter->out);
    buffer_append_byte(emitter->out, ']');
}

static void emit_pair_move(struct emitter *emitter, const struct shape_node *node)
{
    size_t before = emitter->words.len;
    emitter->forms |= PROJECTION_READ_KEY_VALUE_MAP;
    buffer_append_str(&emitter->words, node->kind == SHAPE_PAIRS
                                           ? STR("a map as a list of keys and values")
                                           : STR("\""));
    if (node->kind != SHAPE_PAIRS) {
        buffer_append_str(&emitter->words, node->list_name);
        buffer_append_str(&emitter->words,
                          node->is_listed_wide
                              ? STR("\" lists further members, values as JSON texts in strings")
                              : STR("\" lists further members by key and value"));
    }
    bool in_words = emit_phrase_fits(emitter, before);
    emit_move_node(emitter, node,
                   node->extra == SHAPE_EXTRA_LIST || node->kind == SHAPE_PAIRS
                       ? "additionalProperties"
                       : "properties",
                   node->extra == SHAPE_EXTRA_LIST || node->kind == SHAPE_PAIRS
                       ? "maps not accepted"
                       : "over the limit of optional members",
                   in_words);
}

/* What native maps leave unsaid: which names, and which values for which names. */
static void emit_map_moves(struct emitter *emitter, const struct shape_node *node)
{
    const struct schema_program *program = emitter->program;
    for (uint32_t i = 0; i < node->node_count; i++) {
        const struct schema_node *row = &program->nodes[node->nodes[i]];
        for (uint32_t k = row->op_first; k < row->op_first + row->op_count; k++) {
            uint8_t opcode = program->ops[k].opcode;
            struct shape_fact fact = { node->nodes[i], k };
            bool is_names = opcode == SCHEMA_OP_PROPERTY_NAMES &&
                            (node->extra == SHAPE_EXTRA_MAP || shape_has_list(node));
            if (is_names || opcode == SCHEMA_OP_PATTERN_PROPERTIES)
                emit_move_fact(emitter, fact, "not accepted");
        }
    }
}

/* Declared members keep to the patterns of their names by what applies to them; propertyNames of
 * an object without a map speaks of names that are all known. */
static bool object_has_patterns(const struct emitter *emitter, const struct shape_node *node)
{
    for (uint32_t i = 0; i < node->node_count; i++) {
        if (schema_node_find(emitter->program, node->nodes[i], SCHEMA_OP_PATTERN_PROPERTIES) !=
            NULL)
            return true;
    }
    return node->extra == SHAPE_EXTRA_MAP || node->extra == SHAPE_EXTRA_LIST;
}

/* Any value, and nothing about it that would have to be said. */
static bool place_is_any(const struct emitter *emitter, uint32_t index)
{
    const struct shape_node *node = emitter_node(emitter, index);
    return node->kind == SHAPE_FREE && node->node_count == 0 &&
           (node->why == SHAPE_WHY_NONE || node->why == SHAPE_WHY_ANY);
}

static void push_object_extra(struct emitter *emitter, const struct shape_node *node)
{
    if (node->extra == SHAPE_EXTRA_MAP) {
        push_text(emitter, STR("}"));
        if (place_is_any(emitter, node->value))
            push_text(emitter, STR("true"));
        else
            push_schema(emitter, node->value, SCHEMA_NONE, false);
        push_name(emitter, STR("additionalProperties"));
        return;
    }
    push_text(emitter, STR("}"));
}

/* All keywords of an object but its members. */
static void emit_object_head(struct emitter *emitter, const struct shape_node *node)
{
    bool is_closed = node->extra == SHAPE_EXTRA_NONE || node->kind == SHAPE_TUPLE;
    bool has_list = node->kind == SHAPE_OBJECT && shape_has_list(node);
    if (has_list)
        emit_pair_move(emitter, node);
    if (object_has_patterns(emitter, node))
        emit_map_moves(emitter, node);
    emit_required(emitter, node);
    if (is_closed || (has_list && !emitter->takes_direct) ||
        (emitter->rules->must_close && node->extra != SHAPE_EXTRA_MAP))
        emit_closed(emitter, node, is_closed);
    for (uint32_t i = 0; i < node->member_count; i++) {
        if (node->members[i].presence == SHAPE_NULLABLE)
            emitter->forms |= PROJECTION_READ_NULL_ABSENT;
    }
}

/* Tasks in reverse. */
static void emit_object(struct emitter *emitter, const struct shape_node *node)
{
    bool has_list = node->kind == SHAPE_OBJECT && shape_has_list(node);
    bool has_rest = node->kind == SHAPE_TUPLE && node->value != SHAPE_NO_NODE;
    push_object_extra(emitter, node);
    push_text(emitter, STR("}"));
    if (has_list) {
        push_text(emitter, STR("}"));
        push_pair_schema(emitter, node, node->is_listed_wide);
        push_text(emitter, emitter->rules->has_upper_types ? STR("{\"type\":\"ARRAY\",\"items\":")
                                                           : STR("{\"type\":\"array\",\"items\":"));
        push_name(emitter, node->list_name);
    } else if (has_rest) {
        push_text(emitter, STR("}"));
        push_schema(emitter, node->value, SCHEMA_NONE, false);
        push_text(emitter, emitter->rules->has_upper_types ? STR("{\"type\":\"ARRAY\",\"items\":")
                                                           : STR("{\"type\":\"array\",\"items\":"));
        push_name(emitter, node->list_name);
    }
    for (uint32_t i = node->member_count; i-- > 0;) {
        const struct shape_member *member = &node->members[i];
        if (member->presence == SHAPE_LISTED)
            continue;
        bool with_null = member->presence == SHAPE_NULLABLE ||
                         (emitter->takes_direct && member->presence == SHAPE_OPTIONAL);
        push_schema(emitter, member->node, member->source, with_null);
        push_name(emitter, member->name);
    }
    emit_key(emitter, STR("properties"));
    buffer_append_byte(emitter->out, '{');
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static void emit_pairs(struct emitter *emitter, const struct shape_node *node)
{
    push_text(emitter, STR("}"));
    push_pair_schema(emitter, node, false);
    push_name(emitter, STR("items"));
}

static void emit_end(struct emitter *emitter, const struct shape_node *node)
{
    uint32_t op = node->facts[FACT_MAX_ITEMS].op;
    if (!node->is_ended || (op != SCHEMA_NONE && emitter->program->ops[op].a <= node->part_count))
        return;
    if (wire_takes(emitter->rules, WIRE_MAX_ITEMS) && op == SCHEMA_NONE && !node->is_items_cut) {
        emit_key(emitter, STR("maxItems"));
        buffer_append_uint(emitter->out, node->part_count);
    } else {
        emit_move_node(emitter, node, "items", "not accepted", false);
    }
}

static void emit_array(struct emitter *emitter, const struct shape_node *node)
{
    bool upper = emitter->rules->has_upper_types;
    push_text(emitter, STR("}"));
    if (node->value == SHAPE_NO_NODE && node->part_count == 0) {
        push_text(emitter, upper ? STR("{\"type\":\"STRING\"}") : STR("{\"type\":\"string\"}"));
        push_name(emitter, STR("items"));
    } else if (node->value != SHAPE_NO_NODE &&
               (node->part_count == 0 || !place_is_any(emitter, node->value))) {
        push_schema(emitter, node->value, SCHEMA_NONE, false);
        push_name(emitter, STR("items"));
    }
    if (node->part_count == 0)
        return;
    push_text(emitter, STR("]"));
    for (uint32_t i = node->part_count; i-- > 0;) {
        push_schema(emitter, node->parts[i], SCHEMA_NONE, false);
        if (i > 0)
            push_text(emitter, STR(","));
    }
    push_text(emitter, STR("["));
    push_name(emitter, STR("prefixItems"));
}

static void emit_tuple_note(struct emitter *emitter, const struct shape_node *node)
{
    size_t before = emitter->words.len;
    emitter->forms |= PROJECTION_READ_TUPLE;
    buffer_append_str(&emitter->words, STR("an array, items as members \"1\", \"2\" and so on"));
    if (node->value != SHAPE_NO_NODE)
        buffer_append_str(&emitter->words, STR(", further ones in \"rest\""));
    bool in_words = emit_phrase_fits(emitter, before);
    for (uint32_t i = 0; i < node->member_count; i++) {
        if (!node->members[i].required) {
            emit_move_node(emitter, node, "prefixItems", "not accepted", in_words);
            return;
        }
    }
}

/* ---- unions ---------------------------------------------------------------------------------- */

static void emit_null_schema(struct emitter *emitter)
{
    push_text(emitter, emitter->rules->has_upper_types ? STR("{\"type\":\"NULL\"}")
                                                       : STR("{\"type\":\"null\"}"));
}

static const char *kind_type(enum shape_kind kind)
{
    switch (kind) {
    case SHAPE_NULL: return "null";
    case SHAPE_BOOLEAN: return "boolean";
    case SHAPE_INTEGER: return "integer";
    case SHAPE_NUMBER: return "number";
    case SHAPE_TEXT:
    case SHAPE_STRING: return "string";
    case SHAPE_PAIRS:
    case SHAPE_ARRAY: return "array";
    case SHAPE_OBJECT:
    case SHAPE_TUPLE: return "object";
    case SHAPE_OPEN:
    case SHAPE_FREE:
    case SHAPE_UNION: break;
    }
    return "";
}

static void emit_type_names(struct emitter *emitter, const struct shape_node *node, bool with_null)
{
    bool seen[SHAPE_UNION + 1] = { false };
    emit_key(emitter, STR("type"));
    buffer_append_byte(emitter->out, '[');
    for (uint32_t i = 0; i < node->part_count; i++) {
        unsigned kind = emitter_node(emitter, node->parts[i])->kind;
        if (seen[kind])
            continue;
        seen[kind] = true;
        if (emitter->out->ptr != NULL && emitter->out->ptr[emitter->out->len - 1] != '[')
            buffer_append_byte(emitter->out, ',');
        buffer_printf(emitter->out, "\"%s\"", kind_type((enum shape_kind)kind));
    }
    if (with_null && !seen[SHAPE_NULL])
        buffer_append_str(emitter->out, STR(",\"null\""));
    buffer_append_byte(emitter->out, ']');
}

/* {"anyOf":[node, null]}, of which `task` is the node without null. */
static void emit_with_null(struct emitter *emitter, struct emit_task task)
{
    push_text(emitter, STR("]}"));
    emit_null_schema(emitter);
    push_text(emitter, STR(","));
    task.with_null = false;
    task_push(emitter, task);
    buffer_append_str(emitter->out, STR("{\"anyOf\":["));
}

static void emit_union(struct emitter *emitter, const struct emit_task *task)
{
    const struct shape_node *node = emitter_node(emitter, task->node);
    struct shape_union form = shape_union_of(emitter->shape, node);
    bool with_null = task->with_null || form.has_null;
    for (uint32_t i = 0; i < node->rest_count; i++)
        emit_move_fact(emitter, node->rest[i], "alternatives may overlap");
    if (form.is_bare && wire_takes(emitter->rules, WIRE_TYPE_LIST)) {
        buffer_append_byte(emitter->out, '{');
        emit_type_names(emitter, node, task->with_null);
        emit_notes(emitter, node, task->source, NULL);
        buffer_append_byte(emitter->out, '}');
        return;
    }
    buffer_append_byte(emitter->out, '{');
    emit_notes(emitter, node, task->source, NULL);
    push_text(emitter, STR("]}"));
    if (with_null)
        emit_null_schema(emitter);
    bool is_last = !with_null;
    for (uint32_t i = node->part_count; i-- > 0;) {
        if (emitter_node(emitter, node->parts[i])->kind == SHAPE_NULL)
            continue;
        if (!is_last)
            push_text(emitter, STR(","));
        is_last = false;
        task_push(emitter, (struct emit_task){ .kind = TASK_SCHEMA,
                                               .node = node->parts[i],
                                               .source = SCHEMA_NONE,
                                               .parent = task->node });
    }
    emit_key(emitter, STR("anyOf"));
    buffer_append_byte(emitter->out, '[');
}

/* ---- one schema ------------------------------------------------------------------------------ */

static void emit_reference(struct emitter *emitter, const struct emit_task *task)
{
    const struct shape_node *node = emitter_node(emitter, task->node);
    struct buffer target;
    buffer_init(&target, emitter->shape->alloc, LIMIT_SCHEMA_URI_BYTES);
    buffer_printf(&target, "#/%.*s/%.*s", (int)emitter->rules->definitions.len,
                  emitter->rules->definitions.ptr, (int)node->definition.len, node->definition.ptr);
    emitter->failed = emitter->failed || buffer_status(&target) != STATUS_OK;
    buffer_append_byte(emitter->out, '{');
    emit_key(emitter, STR("$ref"));
    json_write_string(buffer_view(&target), emitter->out);
    buffer_release(&target);
    if (wire_takes(emitter->rules, WIRE_REF_SIBLINGS) && task->source != SCHEMA_NONE &&
        emitter->has_notes) {
        static const struct shape_node none = { .kind = SHAPE_OBJECT };
        emit_notes(emitter, &none, task->source, NULL);
    }
    buffer_append_byte(emitter->out, '}');
}

static void emit_pattern_of_key(struct emitter *emitter, const struct shape_node *node)
{
    if (node->key_pattern == SCHEMA_NONE)
        return;
    struct str source = emitter->program->patterns[node->key_pattern].source;
    if (pattern_is_taken(emitter->rules, source)) {
        emit_key(emitter, STR("pattern"));
        emit_pattern(emitter, source);
        return;
    }
    size_t before = emitter->words.len;
    buffer_append_str(&emitter->words, STR("matches the pattern "));
    buffer_append_str(&emitter->words, source);
    (void)emit_phrase_fits(emitter, before);
}

/* What a form says beside its type, values and facts; then title and description. */
static void emit_head(struct emitter *emitter, const struct emit_task *task,
                      const struct shape_node *node)
{
    enum shape_kind kind = (enum shape_kind)node->kind;
    if (kind == SHAPE_TEXT)
        emitter->forms |= PROJECTION_READ_JSON_TEXT;
    if (kind == SHAPE_TEXT || kind == SHAPE_FREE)
        emit_why(emitter, node);
    if (kind == SHAPE_STRING)
        emit_pattern_of_key(emitter, node);
    if (kind == SHAPE_TUPLE)
        emit_tuple_note(emitter, node);
    if (kind == SHAPE_PAIRS)
        emit_pair_move(emitter, node);
    if (kind == SHAPE_OBJECT || kind == SHAPE_TUPLE)
        emit_object_head(emitter, node);
    if (kind == SHAPE_ARRAY)
        emit_end(emitter, node);
    emit_notes(emitter, node, task->source,
               task->parent == SHAPE_NO_NODE ? NULL : emitter_node(emitter, task->parent));
}

/* A map or tuple in its own form is understood too. */
static void emit_both_types(struct emitter *emitter, bool with_null)
{
    emit_key(emitter, STR("type"));
    buffer_append_str(emitter->out, with_null ? STR("[\"array\",\"object\",\"null\"]")
                                              : STR("[\"array\",\"object\"]"));
}

static void emit_body(struct emitter *emitter, const struct emit_task *task)
{
    const struct shape_node *node = emitter_node(emitter, task->node);
    enum shape_kind kind = (enum shape_kind)node->kind;
    bool is_direct = emitter->takes_direct && kind == SHAPE_TEXT; /* a value without its text */
    buffer_append_byte(emitter->out, '{');
    if (emitter->takes_direct && (kind == SHAPE_PAIRS || kind == SHAPE_TUPLE))
        emit_both_types(emitter, task->with_null);
    else if (kind != SHAPE_FREE && !is_direct)
        emit_type(emitter, kind_type(kind), task->with_null && kind != SHAPE_NULL);
    if (!is_direct)
        emit_values(emitter, node, task->with_null);
    emit_facts(emitter, node);
    emit_head(emitter, task, node);
    if (kind == SHAPE_OBJECT || kind == SHAPE_TUPLE)
        emit_object(emitter, node);
    else if (kind == SHAPE_PAIRS)
        emit_pairs(emitter, node);
    else if (kind == SHAPE_ARRAY)
        emit_array(emitter, node);
    else
        buffer_append_byte(emitter->out, '}');
}

/* A union of one form and null is that form with null. */
static struct emit_task task_without_union(const struct emitter *emitter, struct emit_task task)
{
    const struct shape_node *node = emitter_node(emitter, task.node);
    if (node->kind != SHAPE_UNION || (node->is_definition && task.kind == TASK_SCHEMA) ||
        node->rest_count > 0)
        return task;
    struct shape_union form = shape_union_of(emitter->shape, node);
    if (form.only == SHAPE_NO_NODE || !form.has_null)
        return task;
    if (task.source == SCHEMA_NONE)
        task.source = node->source;
    task.kind = TASK_SCHEMA;
    task.node = form.only;
    task.with_null = true;
    return task;
}

static void emit_schema_task(struct emitter *emitter, struct emit_task task)
{
    task = task_without_union(emitter, task);
    const struct shape_node *node = emitter_node(emitter, task.node);
    bool is_reference = node->is_definition && task.kind == TASK_SCHEMA;
    bool needs_null =
        task.with_null && node->kind != SHAPE_UNION && !shape_adds_null(emitter->shape, node);
    if (needs_null || (is_reference && task.with_null))
        emit_with_null(emitter, task);
    else if (is_reference)
        emit_reference(emitter, &task);
    else if (node->kind == SHAPE_UNION)
        emit_union(emitter, &task);
    else
        emit_body(emitter, &task);
}

static void emit_run(struct emitter *emitter)
{
    while (emitter->task_count > 0 && !emitter->failed &&
           buffer_status(emitter->out) == STATUS_OK) {
        struct emit_task task = emitter->tasks[--emitter->task_count];
        switch ((enum emit_task_kind)task.kind) {
        case TASK_TEXT: buffer_append_str(emitter->out, task.text); break;
        case TASK_NAME: emit_key(emitter, task.text); break;
        case TASK_SCHEMA:
        case TASK_BODY: emit_schema_task(emitter, task); break;
        }
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void emit_need_string(struct emitter *emitter, bool with_null)
{
    const char *name = emitter->rules->has_upper_types ? "STRING" : "string";
    bool is_list = wire_takes(emitter->rules, WIRE_TYPE_LIST);
    if (!with_null)
        buffer_printf(emitter->out, "{\"type\":\"%s\"", name);
    else if (is_list)
        buffer_printf(emitter->out, "{\"type\":[\"%s\",\"null\"]", name);
    else if (wire_takes(emitter->rules, WIRE_NULLABLE))
        buffer_printf(emitter->out, "{\"type\":\"%s\",\"nullable\":true", name);
    else
        buffer_printf(emitter->out, "{\"anyOf\":[{\"type\":\"%s\"},{\"type\":\"null\"}]", name);
    if (wire_takes(emitter->rules, WIRE_DESCRIPTION)) {
        emit_key(emitter, STR("description"));
        buffer_append_str(emitter->out, with_null ? STR("\"what is missing, or null\"")
                                                  : STR("\"what is missing\""));
    }
    buffer_append_byte(emitter->out, '}');
}

static void emit_root_begin(struct emitter *emitter)
{
    buffer_append_str(emitter->out, emitter->rules->has_upper_types
                                        ? STR("{\"type\":\"OBJECT\",\"properties\":{")
                                        : STR("{\"type\":\"object\",\"properties\":{"));
}

static void emit_root_end(struct emitter *emitter, bool has_data, bool has_need)
{
    buffer_append_byte(emitter->out, '}');
    if (has_data || has_need) {
        emit_key(emitter, STR("required"));
        buffer_append_byte(emitter->out, '[');
        if (has_data)
            json_write_string(emitter->shape->data_name, emitter->out);
        if (has_data && has_need)
            buffer_append_byte(emitter->out, ',');
        if (has_need)
            json_write_string(emitter->shape->need_name, emitter->out);
        buffer_append_byte(emitter->out, ']');
    }
    buffer_append_str(emitter->out, closed_text(emitter));
}

static void emit_data(struct emitter *emitter, bool with_null)
{
    emit_key(emitter, emitter->shape->data_name);
    push_schema(emitter, emitter->shape->root, SCHEMA_NONE, with_null);
    emit_run(emitter);
}

static void emit_root(struct emitter *emitter)
{
    struct shape *shape = emitter->shape;
    bool is_nullable = shape->envelope == SHAPE_NULLABLES;
    struct emit_task body = {
        .kind = TASK_BODY, .node = shape->root, .source = SCHEMA_NONE, .parent = SHAPE_NO_NODE
    };
    switch (shape->envelope) {
    case SHAPE_DIRECT:
        task_push(emitter, body);
        emit_run(emitter);
        return;
    case SHAPE_EITHER:
        buffer_append_str(emitter->out, STR("{\"anyOf\":["));
        push_schema(emitter, shape->root, SCHEMA_NONE, false);
        emit_run(emitter);
        buffer_append_byte(emitter->out, ',');
        emit_root_begin(emitter);
        emit_key(emitter, shape->need_name);
        emit_need_string(emitter, false);
        emit_root_end(emitter, false, true);
        buffer_append_str(emitter->out, STR("]}"));
        return;
    case SHAPE_WRAPPED:
        emit_root_begin(emitter);
        emit_data(emitter, false);
        emit_root_end(emitter, true, false);
        return;
    case SHAPE_NULLABLES:
    case SHAPE_OPTIONALS:
        emit_root_begin(emitter);
        emit_data(emitter, is_nullable);
        emit_key(emitter, shape->need_name);
        emit_need_string(emitter, is_nullable);
        is_nullable = is_nullable && !emitter->takes_direct;
        emit_root_end(emitter, is_nullable, is_nullable);
        return;
    }
}

/* Behind the last keyword of the root. */
static void emit_definitions(struct emitter *emitter)
{
    struct shape *shape = emitter->shape;
    bool has_any = false;
    for (uint32_t i = 0; i < shape->count && !emitter->failed; i++) {
        if (!shape->nodes[i].is_definition || shape->nodes[i].references == 0)
            continue;
        if (!has_any) {
            buffer_truncate(emitter->out, emitter->out->len - (emitter->out->len > 0));
            emit_key(emitter, emitter->rules->definitions);
            buffer_append_byte(emitter->out, '{');
        }
        has_any = true;
        emit_key(emitter, shape->nodes[i].definition);
        task_push(emitter, (struct emit_task){ .kind = TASK_BODY,
                                               .node = i,
                                               .source = SCHEMA_NONE,
                                               .parent = SHAPE_NO_NODE });
        emit_run(emitter);
    }
    if (has_any)
        buffer_append_str(emitter->out, STR("}}"));
}

/* ---- names of definitions -------------------------------------------------------------------- */

/* The last token of the place in the schema, as far as it is made of plain letters. */
static void definition_name(struct emitter *emitter, const struct shape_node *node,
                            struct buffer *name)
{
    enum { NAME_BYTES_MAX = 40 };
    struct buffer pointer;
    buffer_init(&pointer, emitter->shape->alloc, LIMIT_SCHEMA_BYTES);
    json_pointer_of(emitter->program->nodes[node->source].schema, &pointer);
    emitter->failed = emitter->failed || buffer_status(&pointer) != STATUS_OK;
    size_t begin = pointer.len;
    while (begin > 0 && pointer.ptr[begin - 1] != '/')
        begin--;
    for (size_t i = begin; i < pointer.len && name->len < NAME_BYTES_MAX; i++) {
        char letter = pointer.ptr[i];
        bool is_plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                        (letter >= '0' && letter <= '9') || letter == '-';
        buffer_append_byte(name, is_plain ? letter : '_');
    }
    buffer_release(&pointer);
    if (name->len == 0)
        buffer_append_str(name, STR("root"));
}

static bool definition_is_known(const struct shape *shape, uint32_t before, struct str name)
{
    for (uint32_t i = 0; i < before; i++) {
        if (shape->nodes[i].is_definition && str_equal(shape->nodes[i].definition, name))
            return true;
    }
    return false;
}

static void emit_name_definitions(struct emitter *emitter)
{
    enum { NAMED_MAX = 500 };
    struct shape *shape = emitter->shape;
    uint32_t count = 0;
    for (uint32_t i = 0; i < shape->count && !emitter->failed; i++) {
        struct buffer name;
        if (!shape->nodes[i].is_definition)
            continue;
        buffer_init(&name, shape->alloc, 80);
        if (count++ < NAMED_MAX)
            definition_name(emitter, &shape->nodes[i], &name);
        if (count > NAMED_MAX || definition_is_known(shape, i, buffer_view(&name)))
            buffer_printf(&name, "_%u_", (unsigned)i);
        shape->nodes[i].definition = arena_copy(shape->arena, buffer_view(&name));
        emitter->failed = emitter->failed || buffer_status(&name) != STATUS_OK ||
                          shape->nodes[i].definition.ptr == NULL;
        buffer_release(&name);
    }
}

static enum status emit_take_moves(struct emitter *emitter, struct emit_result *result)
{
    result->moves =
        arena_take_array(emitter->shape->arena, emitter->move_count, sizeof(*result->moves));
    if (result->moves == NULL)
        return STATUS_NO_MEMORY;
    if (emitter->move_count > 0)
        memcpy(result->moves, emitter->moves, emitter->move_count * sizeof(*result->moves));
    result->move_count = emitter->move_count;
    result->is_exact = emitter->is_exact;
    result->forms = emitter->forms;
    return STATUS_OK;
}

enum status emit_schema(struct shape *shape, unsigned options, struct buffer *out,
                        struct emit_result *out_result)
{
    size_t told_bytes = shape->program->op_count / 8 + 1;
    struct emitter emitter = { .shape = shape,
                               .program = shape->program,
                               .rules = shape->rules,
                               .out = out,
                               .has_notes = (options & EMIT_NOTES) != 0,
                               .takes_direct = (options & EMIT_DIRECT) != 0,
                               .is_exact = true };
    for (uint32_t i = 0; i < shape->count; i++)
        shape->nodes[i].mark = 0;
    buffer_init(&emitter.words, shape->alloc, LIMIT_SCHEMA_BYTES);
    emitter.told = alloc_get(shape->alloc, told_bytes);
    emitter.failed = emitter.told == NULL;
    if (!emitter.failed) {
        memset(emitter.told, 0, told_bytes);
        emit_name_definitions(&emitter);
        emit_root(&emitter);
        emit_definitions(&emitter);
    }
    enum status status = emitter.failed ? STATUS_NO_MEMORY : STATUS_OK;
    if (status == STATUS_OK)
        status = emit_take_moves(&emitter, out_result);
    buffer_release(&emitter.words);
    alloc_free(shape->alloc, emitter.told, told_bytes);
    alloc_free(shape->alloc, emitter.moves, emitter.move_capacity * sizeof(*emitter.moves));
    alloc_free(shape->alloc, emitter.tasks, emitter.task_capacity * sizeof(*emitter.tasks));
    return status;
}

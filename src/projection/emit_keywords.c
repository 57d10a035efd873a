/* emit_keywords.c - the keywords of one place: those that the rules take, the others in words.
 *
 * Owns: what becomes of each fact, values, titles and descriptions, the list of moves. Leaves to
 * others: phrases (words.c), the tree (emit.c). Invariant: a keyword that the rules reject is never
 * written, and none is left out without a move.
 */
#include "base/features.h"

#include "projection/emitter.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "projection/pattern.h"
#include "projection/words.h"
#include "schema/format.h"

enum { WORDS_BYTES_MAX = 2000, DEFAULT_BYTES_MAX = 80 };

void emit_key(struct emitter *emitter, struct str name)
{
    struct str text = buffer_view(emitter->out);
    char last = text.len == 0 ? '{' : text.ptr[text.len - 1];
    if (last != '{' && last != '[')
        buffer_append_byte(emitter->out, ',');
    json_write_string(name, emitter->out);
    buffer_append_byte(emitter->out, ':');
}

/* ---- moves ----------------------------------------------------------------------------------- */

static void emit_move(struct emitter *emitter, struct json schema, struct str keyword,
                      const char *reason, bool in_words)
{
    struct buffer pointer;
    if (emitter->move_count == emitter->move_capacity) {
        uint32_t wanted = emitter->move_capacity == 0 ? 16 : emitter->move_capacity * 2;
        struct projection_move *grown =
            alloc_grow(emitter->shape->alloc, emitter->moves,
                       emitter->move_capacity * sizeof(*grown), wanted * sizeof(*grown));
        if (grown == NULL) {
            emitter->failed = true;
            return;
        }
        emitter->moves = grown;
        emitter->move_capacity = wanted;
    }
    buffer_init(&pointer, emitter->shape->alloc, WORDS_BYTES_MAX * 8);
    if (json_exists(schema))
        json_pointer_of(schema, &pointer);
    struct str copy = arena_copy(emitter->shape->arena, buffer_view(&pointer));
    emitter->failed =
        emitter->failed || buffer_status(&pointer) == STATUS_NO_MEMORY || copy.ptr == NULL;
    buffer_release(&pointer);
    emitter->moves[emitter->move_count++] = (struct projection_move){
        .pointer = copy, .keyword = keyword, .reason = str_from(reason), .in_words = in_words
    };
}

void emit_move_fact(struct emitter *emitter, struct shape_fact fact, const char *reason)
{
    unsigned char bit = (unsigned char)(1u << fact.op % 8);
    size_t before = emitter->words.len;
    emitter->is_exact = false;
    words_of_fact(emitter->program, fact, &emitter->words);
    bool in_words = emitter->words.len > before && emit_phrase_fits(emitter, before);
    if ((emitter->told[fact.op / 8] & bit) != 0)
        return;
    emitter->told[fact.op / 8] |= bit;
    emit_move(emitter, emitter->program->nodes[fact.node].schema,
              shape_fact_keyword(emitter->program, fact), reason, in_words);
}

void emit_move_node(struct emitter *emitter, const struct shape_node *node, const char *keyword,
                    const char *reason, bool in_words)
{
    struct shape_node *told = &emitter->shape->nodes[node - emitter->shape->nodes];
    emitter->is_exact = false;
    if (told->mark >= 16)
        return;
    told->mark++;
    for (uint32_t i = emitter->move_count; i-- > 0;) {
        if (emitter->moves[i].reason.ptr == reason && told->mark > 1)
            return;
    }
    emit_move(emitter, emitter->program->nodes[node->source].schema, str_from(keyword), reason,
              in_words);
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Keeps the phrase that was appended behind `before`, with "; " in front of all but the first. */
bool emit_phrase_fits(struct emitter *emitter, size_t before)
{
    size_t limit = emitter->rules->limits.description_bytes;
    size_t room = limit == 0 || limit > WORDS_BYTES_MAX ? WORDS_BYTES_MAX : limit;
    if (wire_takes(emitter->rules, WIRE_DESCRIPTION) && emitter->words.len + 4 <= room &&
        buffer_status(&emitter->words) == STATUS_OK) {
        buffer_append_str(&emitter->words, STR("; "));
        return true;
    }
    if (before <= emitter->words.len)
        buffer_truncate(&emitter->words, before);
    return false;
}

/* ---- types and values ------------------------------------------------------------------------ */

static void emit_type_name(struct emitter *emitter, const char *name)
{
    buffer_append_byte(emitter->out, '"');
    for (; *name != '\0'; name++)
        buffer_append_byte(emitter->out,
                           emitter->rules->has_upper_types ? (char)(*name - ('a' - 'A')) : *name);
    buffer_append_byte(emitter->out, '"');
}

void emit_type(struct emitter *emitter, const char *name, bool with_null)
{
    bool is_list = with_null && wire_takes(emitter->rules, WIRE_TYPE_LIST);
    emit_key(emitter, STR("type"));
    if (is_list)
        buffer_append_byte(emitter->out, '[');
    emit_type_name(emitter, name);
    if (is_list) {
        buffer_append_byte(emitter->out, ',');
        emit_type_name(emitter, "null");
        buffer_append_byte(emitter->out, ']');
    } else if (with_null) {
        emit_key(emitter, STR("nullable"));
        buffer_append_str(emitter->out, STR("true"));
    }
}

/* "" among strings; a text of it would be two quotes. */
static bool has_empty_value(const struct shape_node *node)
{
    for (uint32_t i = 0; node->kind == SHAPE_STRING && i < node->value_count; i++) {
        if (json_type(node->values[i]) == JSON_STRING && json_string(node->values[i]).len == 0)
            return true;
    }
    return false;
}

static bool values_taken(const struct emitter *emitter, const struct shape_node *node)
{
    const struct wire_rules *rules = emitter->rules;
    bool one = node->value_count == 1 && wire_takes(rules, WIRE_CONST);
    bool is_number = node->kind == SHAPE_INTEGER || node->kind == SHAPE_NUMBER;
    if (node->is_enum_cut || (rules->no_empty_values && has_empty_value(node)))
        return false;
    if (node->kind == SHAPE_STRING || node->kind == SHAPE_TEXT)
        return one || wire_takes(rules, WIRE_ENUM_STRINGS);
    return one || wire_takes(rules, WIRE_ENUM_SCALARS) ||
           (is_number && wire_takes(rules, WIRE_ENUM_NUMBERS));
}

static void emit_value(struct emitter *emitter, const struct shape_node *node, struct json value)
{
    if (node->kind != SHAPE_TEXT) {
        json_write(value, 0, emitter->out);
        return;
    }
    struct buffer text;
    buffer_init(&text, emitter->shape->alloc, LIMIT_SCHEMA_BYTES);
    json_write(value, 0, &text);
    emitter->failed = emitter->failed || buffer_status(&text) != STATUS_OK;
    json_write_string(buffer_view(&text), emitter->out);
    buffer_release(&text);
}

void emit_values(struct emitter *emitter, const struct shape_node *node, bool with_null)
{
    if (node->value_count == 0)
        return;
    if (!values_taken(emitter, node)) {
        size_t before = emitter->words.len;
        words_of_values(node, &emitter->words);
        bool in_words = emit_phrase_fits(emitter, before);
        emit_move_node(emitter, node, node->value_count == 1 ? "const" : "enum",
                       node->is_enum_cut ? "over the limit of values" : "not accepted", in_words);
        return;
    }
    bool null_in_list = with_null && wire_takes(emitter->rules, WIRE_TYPE_LIST);
    bool is_const =
        node->value_count == 1 && !null_in_list && wire_takes(emitter->rules, WIRE_CONST);
    emit_key(emitter, is_const ? STR("const") : STR("enum"));
    if (is_const) {
        emit_value(emitter, node, node->values[0]);
        return;
    }
    buffer_append_byte(emitter->out, '[');
    for (uint32_t i = 0; i < node->value_count; i++) {
        if (i > 0)
            buffer_append_byte(emitter->out, ',');
        emit_value(emitter, node, node->values[i]);
    }
    buffer_append_str(emitter->out, null_in_list ? STR(",null]") : STR("]"));
}

/* ---- facts ----------------------------------------------------------------------------------- */

static struct str format_name(const struct emitter *emitter, struct shape_fact fact)
{
    struct json value = shape_fact_value(emitter->program, fact);
    return json_exists(value) && json_type(value) == JSON_STRING ? json_string(value) : STR("");
}

static bool format_taken(const struct emitter *emitter, struct shape_fact fact)
{
    const struct wire_rules *rules = emitter->rules;
    struct str name = format_name(emitter, fact);
    if (emitter->program->ops[fact.op].a >= SCHEMA_FORMAT_CUSTOM)
        return false;
    if (wire_takes(rules, WIRE_FORMAT_ANY))
        return true;
    for (uint32_t i = 0; wire_takes(rules, WIRE_FORMATS) && i < rules->format_count; i++) {
        if (str_equal(rules->formats[i], name))
            return true;
    }
    return false;
}

static bool bound_taken(const struct emitter *emitter, const struct shape_node *node,
                        const struct schema_op *op)
{
    enum wire_feature feature =
        node->kind == SHAPE_INTEGER ? WIRE_INTEGER_BOUNDS : WIRE_NUMBER_BOUNDS;
    if ((op->flags & SCHEMA_OP_EXCLUSIVE) != 0)
        feature = WIRE_EXCLUSIVE_BOUNDS;
    return wire_takes(emitter->rules, feature);
}

static bool min_items_taken(const struct emitter *emitter, uint32_t least)
{
    return wire_takes(emitter->rules, WIRE_MIN_ITEMS) ||
           (least <= 1 && wire_takes(emitter->rules, WIRE_MIN_ITEMS_1));
}

static bool fact_taken(const struct emitter *emitter, const struct shape_node *node,
                       enum shape_fact_kind kind)
{
    const struct wire_rules *rules = emitter->rules;
    const struct schema_op *op = &emitter->program->ops[node->facts[kind].op];
    bool has_list = node->kind == SHAPE_PAIRS;
    bool is_tuple = node->kind == SHAPE_TUPLE;
    switch (kind) {
    case FACT_MINIMUM:
    case FACT_MAXIMUM: return bound_taken(emitter, node, op);
    case FACT_MULTIPLE_OF: return wire_takes(rules, WIRE_MULTIPLE_OF);
    case FACT_MIN_LENGTH:
    case FACT_MAX_LENGTH:
        return wire_takes(rules, WIRE_LENGTHS) && op->a != SCHEMA_NONE &&
               (rules->limits.length == 0 || op->a <= rules->limits.length);
    case FACT_PATTERN: return pattern_is_taken(rules, emitter->program->patterns[op->a].source);
    case FACT_FORMAT: return format_taken(emitter, node->facts[kind]);
    case FACT_MIN_ITEMS:
        return !is_tuple && op->a != SCHEMA_NONE && min_items_taken(emitter, op->a);
    case FACT_MAX_ITEMS:
        return !is_tuple && op->a != SCHEMA_NONE && !node->is_items_cut &&
               wire_takes(rules, WIRE_MAX_ITEMS);
    case FACT_UNIQUE_ITEMS:
        /* different items may have the same form: absent and null */
        return !is_tuple && !node->is_changed && wire_takes(rules, WIRE_UNIQUE_ITEMS);
    case FACT_MIN_PROPERTIES:
        if (has_list)
            return op->a != SCHEMA_NONE && min_items_taken(emitter, op->a);
        return !node->is_changed && wire_takes(rules, WIRE_PROPERTY_COUNTS);
    case FACT_MAX_PROPERTIES:
        if (has_list)
            return op->a != SCHEMA_NONE && !node->is_items_cut && wire_takes(rules, WIRE_MAX_ITEMS);
        return !node->is_changed && wire_takes(rules, WIRE_PROPERTY_COUNTS);
    case FACT_COUNT: break;
    }
    return false;
}

/* The form says it already: a tuple has as many members as it has, and so on. */
static bool fact_is_implied(const struct emitter *emitter, const struct shape_node *node,
                            enum shape_fact_kind kind)
{
    uint32_t required = 0;
    const struct schema_op *op = &emitter->program->ops[node->facts[kind].op];
    for (uint32_t i = 0; i < node->member_count; i++)
        required += node->members[i].required;
    if (kind == FACT_MIN_PROPERTIES || (kind == FACT_MIN_ITEMS && node->kind == SHAPE_TUPLE))
        return node->kind != SHAPE_PAIRS && required >= op->a;
    if (kind == FACT_MAX_ITEMS && node->kind == SHAPE_TUPLE)
        return node->value == SHAPE_NO_NODE && node->member_count <= op->a;
    return kind == FACT_MAX_PROPERTIES && node->kind == SHAPE_OBJECT &&
           node->extra == SHAPE_EXTRA_NONE && node->member_count <= op->a;
}

void emit_pattern(struct emitter *emitter, struct str pattern)
{
    struct buffer text;
    buffer_init(&text, emitter->shape->alloc, LIMIT_SCHEMA_BYTES);
    pattern_text(emitter->rules, pattern, &text);
    emitter->failed = emitter->failed || buffer_status(&text) != STATUS_OK;
    json_write_string(buffer_view(&text), emitter->out);
    buffer_release(&text);
}

static void emit_fact(struct emitter *emitter, const struct shape_node *node,
                      enum shape_fact_kind kind)
{
    struct shape_fact fact = node->facts[kind];
    const struct schema_op *op = &emitter->program->ops[fact.op];
    struct str keyword = shape_fact_keyword(emitter->program, fact);
    bool is_bound = kind == FACT_MINIMUM || kind == FACT_MAXIMUM;
    if (is_bound && (op->flags & SCHEMA_OP_EXCLUSIVE) != 0)
        keyword = kind == FACT_MINIMUM ? STR("exclusiveMinimum") : STR("exclusiveMaximum");
    if (node->kind == SHAPE_PAIRS && kind == FACT_MIN_PROPERTIES)
        keyword = STR("minItems");
    if (node->kind == SHAPE_PAIRS && kind == FACT_MAX_PROPERTIES)
        keyword = STR("maxItems");
    emit_key(emitter, keyword);
    if (kind == FACT_PATTERN)
        emit_pattern(emitter, emitter->program->patterns[op->a].source);
    else if (kind == FACT_UNIQUE_ITEMS)
        buffer_append_str(emitter->out, STR("true"));
    else if (is_bound || kind == FACT_MULTIPLE_OF || kind == FACT_FORMAT)
        json_write(shape_fact_value(emitter->program, fact), 0, emitter->out);
    else
        buffer_append_uint(emitter->out, op->a);
}

static const char *fact_reason(const struct shape_node *node, enum shape_fact_kind kind)
{
    if ((kind == FACT_MAX_ITEMS || kind == FACT_MAX_PROPERTIES) && node->is_items_cut)
        return "over the limit of items";
    return "not accepted";
}

/* Pattern, format and lengths: only one of them where the rules want it so. */
static bool fact_stands_aside(const struct emitter *emitter, enum shape_fact_kind kind,
                              unsigned *strings)
{
    unsigned group = kind == FACT_PATTERN                                 ? 1
                     : kind == FACT_FORMAT                                ? 2
                     : kind == FACT_MIN_LENGTH || kind == FACT_MAX_LENGTH ? 4
                                                                          : 0;
    if (group == 0 || wire_takes(emitter->rules, WIRE_STRING_SIBLINGS))
        return false;
    if (*strings != 0 && *strings != group)
        return true;
    *strings = group;
    return false;
}

void emit_facts(struct emitter *emitter, const struct shape_node *node)
{
    static const uint8_t order[FACT_COUNT] = {
        FACT_PATTERN,   FACT_FORMAT,       FACT_MIN_LENGTH,     FACT_MAX_LENGTH,
        FACT_MINIMUM,   FACT_MAXIMUM,      FACT_MULTIPLE_OF,    FACT_MIN_ITEMS,
        FACT_MAX_ITEMS, FACT_UNIQUE_ITEMS, FACT_MIN_PROPERTIES, FACT_MAX_PROPERTIES,
    };
    unsigned strings = 0;
    for (unsigned i = 0; i < FACT_COUNT; i++) {
        enum shape_fact_kind kind = (enum shape_fact_kind)order[i];
        if (node->facts[kind].op == SCHEMA_NONE || fact_is_implied(emitter, node, kind))
            continue;
        bool is_taken = fact_taken(emitter, node, kind);
        if (is_taken && !fact_stands_aside(emitter, kind, &strings))
            emit_fact(emitter, node, kind);
        else
            emit_move_fact(emitter, node->facts[kind],
                           is_taken ? "not beside others" : fact_reason(node, kind));
    }
    if (node->facts[FACT_MIN_ITEMS].op != SCHEMA_NONE && node->kind == SHAPE_ARRAY &&
        !fact_taken(emitter, node, FACT_MIN_ITEMS) && min_items_taken(emitter, 1)) {
        emit_key(emitter, STR("minItems"));
        buffer_append_byte(emitter->out, '1');
    }
    for (uint32_t i = 0; i < node->rest_count; i++)
        emit_move_fact(emitter, node->rest[i], "not expressed on the wire");
}

/* ---- titles, descriptions, defaults ---------------------------------------------------------- */

static struct json schema_note(const struct emitter *emitter, uint32_t node, struct str name)
{
    struct json schema = emitter->program->nodes[node].schema;
    if (json_type(schema) != JSON_OBJECT)
        return (struct json){ schema.doc, NULL };
    return json_get(schema, name);
}

static bool node_has(const struct shape_node *node, uint32_t program_node)
{
    for (uint32_t i = 0; node != NULL && i < node->node_count; i++) {
        if (node->nodes[i] == program_node)
            return true;
    }
    return false;
}

/* The place's own note first, then those of what applies to it but not to the union around it. */
static struct json place_note(const struct emitter *emitter, const struct shape_node *node,
                              uint32_t source, const struct shape_node *parent, struct str name)
{
    struct json none = { NULL, NULL };
    if (source != SCHEMA_NONE) {
        struct json note = schema_note(emitter, source, name);
        if (json_exists(note))
            return note;
    }
    for (uint32_t i = 0; i < node->node_count; i++) {
        if (node_has(parent, node->nodes[i]))
            continue;
        struct json note = schema_note(emitter, node->nodes[i], name);
        if (json_exists(note))
            return note;
    }
    return none;
}

static void emit_default(struct emitter *emitter, const struct shape_node *node, struct json value)
{
    bool is_scalar = json_type(value) != JSON_ARRAY && json_type(value) != JSON_OBJECT;
    if (!is_scalar || !shape_is_scalar((enum shape_kind)node->kind) ||
        json_end_offset(value) - json_offset(value) > DEFAULT_BYTES_MAX)
        return;
    if (wire_takes(emitter->rules, WIRE_DEFAULT)) {
        emit_key(emitter, STR("default"));
        json_write(value, 0, emitter->out);
        return;
    }
    size_t before = emitter->words.len;
    buffer_append_str(&emitter->words, STR("default "));
    json_write(value, 0, &emitter->words);
    (void)emit_phrase_fits(emitter, before);
}

/* description (phrase; phrase) */
static void emit_description(struct emitter *emitter, struct str text)
{
    size_t limit = emitter->rules->limits.description_bytes;
    struct buffer joined;
    if (emitter->words.len >= 2)
        buffer_truncate(&emitter->words, emitter->words.len - 2);
    size_t own = emitter->words.len == 0 ? 0 : emitter->words.len + 3;
    if (limit > 0 && text.len + own > limit)
        text = utf8_prefix(text, limit > own ? limit - own : 0);
    if (!wire_takes(emitter->rules, WIRE_DESCRIPTION) || text.len + emitter->words.len == 0)
        return;
    buffer_init(&joined, emitter->shape->alloc, LIMIT_SCHEMA_BYTES);
    buffer_append_str(&joined, text);
    if (text.len > 0 && emitter->words.len > 0)
        buffer_append_str(&joined, STR(" ("));
    buffer_append_str(&joined, buffer_view(&emitter->words));
    if (text.len > 0 && emitter->words.len > 0)
        buffer_append_byte(&joined, ')');
    emitter->failed = emitter->failed || buffer_status(&joined) != STATUS_OK;
    emit_key(emitter, STR("description"));
    json_write_string(buffer_view(&joined), emitter->out);
    buffer_release(&joined);
}

void emit_notes(struct emitter *emitter, const struct shape_node *node, uint32_t source,
                const struct shape_node *parent)
{
    struct json title = { NULL, NULL }, description = title, value = title;
    if (emitter->has_notes) {
        title = place_note(emitter, node, source, parent, STR("title"));
        description = place_note(emitter, node, source, parent, STR("description"));
        value = place_note(emitter, node, source, parent, STR("default"));
    }
    if (json_exists(value))
        emit_default(emitter, node, value);
    if (json_exists(title) && json_type(title) == JSON_STRING &&
        wire_takes(emitter->rules, WIRE_TITLE)) {
        emit_key(emitter, STR("title"));
        json_write_string(json_string(title), emitter->out);
    }
    bool has_text = json_exists(description) && json_type(description) == JSON_STRING;
    emit_description(emitter, has_text ? json_string(description) : STR(""));
    buffer_clear(&emitter->words);
}

/* convert.c - from a target's value to its form on the wire. See convert.h.
 *
 * Owns: the walk of a value along its shape, and the form of each place. Leaves to others: the
 * envelope (projection.c). Invariants: a value that is valid for the target and has only declared
 * members has a form; frames are on the heap, so nothing recurses.
 */
#include "base/features.h"

#include "projection/convert.h"

#include "base/limits.h"
#include "projection/translate.h"

enum convert_kind {
    CONVERT_OBJECT, /* members of the shape in order, then further ones, then the list */
    CONVERT_PAIRS,
    CONVERT_ARRAY,
    CONVERT_TUPLE /* an array as an object */
};

enum convert_phase { PHASE_DECLARED, PHASE_FURTHER, PHASE_LIST, PHASE_END };

struct convert_frame {
    uint8_t kind;
    uint8_t phase;
    bool is_open;    /* a pair is written up to its value */
    bool list_begun; /* of further members */
    uint32_t node;
    struct json container;
    struct json at;
    uint32_t position;
};

struct conversion {
    const struct shape *shape;
    struct fits *fits;
    struct buffer *out;
    struct convert_frame *frames;
    uint32_t count, capacity;
    enum status status;
};

static void convert_fail(struct conversion *conversion, enum status status)
{
    if (conversion->status == STATUS_OK)
        conversion->status = status;
}

static void convert_push(struct conversion *conversion, enum convert_kind kind, uint32_t node,
                         struct json container)
{
    if (conversion->count == conversion->capacity) {
        uint32_t wanted = conversion->capacity == 0 ? 16 : conversion->capacity * 2;
        struct convert_frame *grown =
            alloc_grow(conversion->shape->alloc, conversion->frames,
                       conversion->capacity * sizeof(*grown), wanted * sizeof(*grown));
        if (grown == NULL) {
            convert_fail(conversion, STATUS_NO_MEMORY);
            return;
        }
        conversion->frames = grown;
        conversion->capacity = wanted;
    }
    conversion->frames[conversion->count++] = (struct convert_frame){
        .kind = (uint8_t)kind, .node = node, .container = container, .at = json_first(container)
    };
}

/* ---- one value ------------------------------------------------------------------------------- */

static void write_text_of(struct conversion *conversion, struct json value)
{
    struct buffer text;
    buffer_init(&text, conversion->shape->alloc, LIMIT_JSON_BYTES);
    json_write(value, 0, &text);
    if (buffer_status(&text) != STATUS_OK)
        convert_fail(conversion, buffer_status(&text));
    json_write_string(buffer_view(&text), conversion->out);
    buffer_release(&text);
}

static bool is_integer(struct json value)
{
    struct decimal number = json_number(value);
    return decimal_is_integer(&number);
}

/* Whether the target's value is of the part's kind. */
static bool part_has_type(const struct shape_node *part, struct json value)
{
    enum json_type type = json_type(value);
    switch ((enum shape_kind)part->kind) {
    case SHAPE_OPEN: return false;
    case SHAPE_FREE:
    case SHAPE_UNION:
    case SHAPE_TEXT: return true;
    case SHAPE_NULL: return type == JSON_NULL;
    case SHAPE_BOOLEAN: return type == JSON_TRUE || type == JSON_FALSE;
    case SHAPE_INTEGER: return type == JSON_NUMBER && is_integer(value);
    case SHAPE_NUMBER: return type == JSON_NUMBER;
    case SHAPE_STRING: return type == JSON_STRING;
    case SHAPE_OBJECT:
    case SHAPE_PAIRS: return type == JSON_OBJECT;
    case SHAPE_ARRAY:
    case SHAPE_TUPLE: return type == JSON_ARRAY;
    }
    return false;
}

static bool part_has_value(const struct shape_node *part, struct json value)
{
    enum { EQUAL_STEPS = 100000 };
    for (uint32_t i = 0; i < part->value_count; i++) {
        uint64_t budget = EQUAL_STEPS;
        if (json_equal(part->values[i], value, &budget))
            return true;
    }
    return part->value_count == 0;
}

/* Every member of the value has a place: an open object may take more than its shape knows. */
static bool part_knows_members(const struct shape_node *part, struct json value)
{
    uint32_t hint = 0;
    if (part->kind != SHAPE_OBJECT || part->extra == SHAPE_EXTRA_MAP ||
        part->extra == SHAPE_EXTRA_LIST || part->is_listed_wide)
        return true;
    for (struct json at = json_first(value); json_exists(at); at = json_next(at, value)) {
        if (translate_member(part, json_member_name(at), &hint) == NULL)
            return false;
    }
    return true;
}

/* The first part that the value is valid for; texts, and objects that do not know a member, are
 * taken when there is no other. */
static uint32_t union_part(struct conversion *conversion, const struct shape_node *node,
                           struct json value)
{
    uint32_t other = SHAPE_NO_NODE;
    for (uint32_t i = 0; i < node->part_count; i++) {
        const struct shape_node *part = &conversion->shape->nodes[node->parts[i]];
        if (!part_has_type(part, value) || !part_has_value(part, value) ||
            !fits_all(conversion->fits, part->nodes, part->node_count, value))
            continue;
        if (part->kind != SHAPE_TEXT && part_knows_members(part, value))
            return node->parts[i];
        if (other == SHAPE_NO_NODE || part->kind == SHAPE_TEXT)
            other = node->parts[i];
    }
    return other;
}

static void convert_begin(struct conversion *conversion, uint32_t index, struct json value)
{
    const struct shape_node *node = &conversion->shape->nodes[index];
    if (node->kind == SHAPE_UNION) {
        index = union_part(conversion, node, value);
        if (index == SHAPE_NO_NODE) {
            convert_fail(conversion, STATUS_UNSUPPORTED);
            return;
        }
        node = &conversion->shape->nodes[index];
    }
    /* A member that only a condition speaks of may hold what the condition does not. */
    if (!part_has_type(node, value) || !part_has_value(node, value) ||
        !fits_all(conversion->fits, node->nodes, node->node_count, value)) {
        convert_fail(conversion, STATUS_UNSUPPORTED);
        return;
    }
    switch ((enum shape_kind)node->kind) {
    case SHAPE_TEXT: write_text_of(conversion, value); return;
    case SHAPE_OBJECT:
        buffer_append_byte(conversion->out, '{');
        convert_push(conversion, CONVERT_OBJECT, index, value);
        return;
    case SHAPE_PAIRS:
        buffer_append_byte(conversion->out, '[');
        convert_push(conversion, CONVERT_PAIRS, index, value);
        return;
    case SHAPE_ARRAY:
        buffer_append_byte(conversion->out, '[');
        convert_push(conversion, CONVERT_ARRAY, index, value);
        return;
    case SHAPE_TUPLE:
        buffer_append_byte(conversion->out, '{');
        convert_push(conversion, CONVERT_TUPLE, index, value);
        return;
    case SHAPE_OPEN:
    case SHAPE_FREE:
    case SHAPE_NULL:
    case SHAPE_BOOLEAN:
    case SHAPE_INTEGER:
    case SHAPE_NUMBER:
    case SHAPE_STRING:
    case SHAPE_UNION: json_write(value, 0, conversion->out); return;
    }
}

/* ---- objects --------------------------------------------------------------------------------- */

static void pair_begin(struct conversion *conversion, struct str name)
{
    translate_comma(conversion->out);
    buffer_append_str(conversion->out, STR("{\"key\":"));
    json_write_string(name, conversion->out);
    buffer_append_str(conversion->out, STR(",\"value\":"));
}

static void step_declared(struct conversion *conversion, struct convert_frame *frame,
                          const struct shape_node *node)
{
    if (frame->position == node->member_count) {
        frame->phase = PHASE_FURTHER;
        return;
    }
    const struct shape_member *member = &node->members[frame->position++];
    struct json value = json_get(frame->container, member->name);
    if (member->presence == SHAPE_LISTED ||
        (!json_exists(value) && member->presence == SHAPE_OPTIONAL))
        return;
    translate_name(member->name, conversion->out);
    bool is_null = json_exists(value) && json_type(value) == JSON_NULL;
    bool is_text = conversion->shape->nodes[member->node].kind == SHAPE_TEXT;
    if (json_exists(value) && !(is_null && member->presence == SHAPE_NULLABLE && !is_text))
        convert_begin(conversion, member->node, value);
    else if (!member->required)
        buffer_append_str(conversion->out, STR("null"));
    else
        convert_fail(conversion, STATUS_UNSUPPORTED);
}

/* Members that the shape does not declare: of a native map, or not said. */
static void step_further(struct conversion *conversion, struct convert_frame *frame,
                         const struct shape_node *node)
{
    struct json value = frame->at;
    uint32_t hint = 0;
    if (!json_exists(value) || shape_has_list(node)) {
        frame->at = json_first(frame->container);
        frame->phase = PHASE_LIST;
        return;
    }
    frame->at = json_next(value, frame->container);
    if (translate_member(node, json_member_name(value), &hint) != NULL)
        return;
    translate_name(json_member_name(value), conversion->out);
    if (node->extra == SHAPE_EXTRA_MAP)
        convert_begin(conversion, node->value, value);
    else if (conversion->shape->rules->must_close)
        convert_fail(conversion, STATUS_UNSUPPORTED);
    else
        json_write(value, 0, conversion->out);
}

static void list_begin(struct conversion *conversion, struct convert_frame *frame,
                       const struct shape_node *node)
{
    if (frame->list_begun)
        return;
    translate_name(node->list_name, conversion->out);
    buffer_append_byte(conversion->out, '[');
    frame->list_begun = true;
}

/* The list of further members, closed at the end. */
static void step_list(struct conversion *conversion, struct convert_frame *frame,
                      const struct shape_node *node)
{
    struct json value = frame->at;
    uint32_t hint = 0;
    if (frame->is_open)
        buffer_append_byte(conversion->out, '}');
    frame->is_open = false;
    if (!shape_has_list(node)) {
        frame->phase = PHASE_END;
        return;
    }
    list_begin(conversion, frame, node);
    if (!json_exists(value)) {
        buffer_append_byte(conversion->out, ']');
        frame->phase = PHASE_END;
        return;
    }
    frame->at = json_next(value, frame->container);
    const struct shape_member *member = translate_member(node, json_member_name(value), &hint);
    if (member != NULL && member->presence != SHAPE_LISTED)
        return;
    if (member == NULL && node->extra != SHAPE_EXTRA_LIST && !node->is_listed_wide) {
        convert_fail(conversion, STATUS_UNSUPPORTED);
        return;
    }
    pair_begin(conversion, json_member_name(value));
    frame->is_open = true;
    if (node->is_listed_wide)
        write_text_of(conversion, value);
    else
        convert_begin(conversion, node->value, value);
}

static void step_object(struct conversion *conversion, struct convert_frame *frame)
{
    const struct shape_node *node = &conversion->shape->nodes[frame->node];
    switch ((enum convert_phase)frame->phase) {
    case PHASE_DECLARED: step_declared(conversion, frame, node); return;
    case PHASE_FURTHER: step_further(conversion, frame, node); return;
    case PHASE_LIST: step_list(conversion, frame, node); return;
    case PHASE_END:
        buffer_append_byte(conversion->out, '}');
        conversion->count--;
        return;
    }
}

/* ---- the other containers -------------------------------------------------------------------- */

static void step_pairs(struct conversion *conversion, struct convert_frame *frame)
{
    struct json value = frame->at;
    if (frame->is_open)
        buffer_append_byte(conversion->out, '}');
    frame->is_open = json_exists(value);
    if (!json_exists(value)) {
        buffer_append_byte(conversion->out, ']');
        conversion->count--;
        return;
    }
    frame->at = json_next(value, frame->container);
    pair_begin(conversion, json_member_name(value));
    convert_begin(conversion, conversion->shape->nodes[frame->node].value, value);
}

static void step_array(struct conversion *conversion, struct convert_frame *frame)
{
    const struct shape_node *node = &conversion->shape->nodes[frame->node];
    struct json value = frame->at;
    if (!json_exists(value)) {
        buffer_append_byte(conversion->out, ']');
        conversion->count--;
        return;
    }
    frame->at = json_next(value, frame->container);
    uint32_t position = frame->position++;
    uint32_t place = position < node->part_count ? node->parts[position] : node->value;
    translate_comma(conversion->out);
    if (place == SHAPE_NO_NODE)
        json_write(value, 0, conversion->out);
    else
        convert_begin(conversion, place, value);
}

static void step_tuple(struct conversion *conversion, struct convert_frame *frame)
{
    const struct shape_node *node = &conversion->shape->nodes[frame->node];
    struct json value = frame->at;
    if (frame->position < node->member_count) {
        const struct shape_member *member = &node->members[frame->position++];
        bool exists = json_exists(value);
        if (!exists && member->presence == SHAPE_OPTIONAL)
            return;
        translate_name(member->name, conversion->out);
        if (!exists) {
            buffer_append_str(conversion->out, STR("null"));
            return;
        }
        frame->at = json_next(value, frame->container);
        convert_begin(conversion, member->node, value);
        return;
    }
    if (node->value == SHAPE_NO_NODE) {
        if (json_exists(value))
            convert_fail(conversion, STATUS_UNSUPPORTED);
        buffer_append_byte(conversion->out, '}');
        conversion->count--;
        return;
    }
    if (!frame->list_begun) {
        translate_name(node->list_name, conversion->out);
        buffer_append_byte(conversion->out, '[');
        frame->list_begun = true;
    }
    if (!json_exists(value)) {
        buffer_append_str(conversion->out, STR("]}"));
        conversion->count--;
        return;
    }
    frame->at = json_next(value, frame->container);
    translate_comma(conversion->out);
    convert_begin(conversion, node->value, value);
}

enum status convert_value(const struct shape *shape, struct fits *fits, uint32_t node,
                          struct json value, struct buffer *out)
{
    struct conversion conversion = { .shape = shape, .fits = fits, .out = out };
    convert_begin(&conversion, node, value);
    while (conversion.count > 0 && conversion.status == STATUS_OK &&
           buffer_status(out) == STATUS_OK) {
        struct convert_frame *frame = &conversion.frames[conversion.count - 1];
        switch ((enum convert_kind)frame->kind) {
        case CONVERT_OBJECT: step_object(&conversion, frame); break;
        case CONVERT_PAIRS: step_pairs(&conversion, frame); break;
        case CONVERT_ARRAY: step_array(&conversion, frame); break;
        case CONVERT_TUPLE: step_tuple(&conversion, frame); break;
        }
    }
    alloc_free(shape->alloc, conversion.frames, conversion.capacity * sizeof(*conversion.frames));
    return conversion.status != STATUS_OK ? conversion.status : buffer_status(out);
}

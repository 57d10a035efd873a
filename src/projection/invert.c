/* invert.c - from the wire's form back to the target's. See invert.h.
 *
 * Owns: the walk of a value along its shape, and what each form means. Leaves to others: the
 * envelope (projection.c), the choice among the parts of a union (translate.c). Invariants: what
 * has not the form of its place is copied as it is; nothing is dropped but null for an absent
 * member; frames are on the heap, so nothing recurses.
 */
#include "base/features.h"

#include "projection/invert.h"

#include "base/limits.h"
#include "projection/translate.h"

enum frame_kind {
    FRAME_OBJECT, /* members of an object */
    FRAME_LIST,   /* pairs of the list of further members, into the object around */
    FRAME_PAIRS,  /* pairs into an object of their own */
    FRAME_MAP,    /* an object in place of a list of pairs */
    FRAME_ARRAY,
    FRAME_TUPLE /* members "1", "2", ... into an array */
};

struct frame {
    uint8_t kind;
    uint32_t node;
    struct json container;
    struct json at; /* the next child */
    uint32_t position;
    uint32_t hint; /* of members */
};

struct inversion {
    const struct shape *shape;
    struct buffer *out;
    struct frame *frames;
    uint32_t count, capacity;
    unsigned readings;
    enum status status;
};

static void frame_push(struct inversion *inversion, enum frame_kind kind, uint32_t node,
                       struct json container)
{
    if (inversion->count == inversion->capacity) {
        uint32_t wanted = inversion->capacity == 0 ? 16 : inversion->capacity * 2;
        struct frame *grown =
            alloc_grow(inversion->shape->alloc, inversion->frames,
                       inversion->capacity * sizeof(*grown), wanted * sizeof(*grown));
        if (grown == NULL) {
            inversion->status = STATUS_NO_MEMORY;
            return;
        }
        inversion->frames = grown;
        inversion->capacity = wanted;
    }
    inversion->frames[inversion->count++] = (struct frame){
        .kind = (uint8_t)kind, .node = node, .container = container, .at = json_first(container)
    };
}

/* ---- one value ------------------------------------------------------------------------------- */

/* A JSON text in a string; another string, and what is no string, stays. */
static void write_text(struct inversion *inversion, struct json value)
{
    struct json_doc *doc = NULL;
    enum status status = STATUS_INVALID_REQUEST;
    if (json_type(value) == JSON_STRING)
        status = json_parse(json_string(value), NULL, inversion->shape->alloc, &doc, NULL);
    if (status == STATUS_NO_MEMORY)
        inversion->status = status;
    if (status != STATUS_OK) {
        json_write(value, 0, inversion->out);
        return;
    }
    inversion->readings |= PROJECTION_READ_JSON_TEXT;
    json_write(json_doc_root(doc), 0, inversion->out);
    json_doc_free(doc);
}

static bool is_absent(const struct shape *shape, const struct shape_member *member,
                      struct json value)
{
    return !json_exists(value) ||
           (json_type(value) == JSON_NULL && translate_null_is_absent(shape, member));
}

/* Members "1" to "n" without a gap, "rest" only behind all of them, and nothing else. */
static bool is_tuple(const struct shape *shape, const struct shape_node *node, struct json value)
{
    bool ended = false;
    uint32_t hint = 0;
    for (uint32_t i = 0; i < node->member_count; i++) {
        struct json item = json_get(value, node->members[i].name);
        bool absent = is_absent(shape, &node->members[i], item);
        if (!absent && ended)
            return false;
        ended = ended || absent;
    }
    for (struct json at = json_first(value); json_exists(at); at = json_next(at, value)) {
        struct str name = json_member_name(at);
        bool is_rest = node->value != SHAPE_NO_NODE && str_equal(name, node->list_name) &&
                       json_type(at) == JSON_ARRAY && (!ended || json_count(at) == 0);
        if (translate_member(node, name, &hint) == NULL && !is_rest)
            return false;
    }
    return true;
}

static void begin_container(struct inversion *inversion, enum frame_kind kind, uint32_t node,
                            struct json value)
{
    bool is_array = kind == FRAME_ARRAY || kind == FRAME_TUPLE;
    buffer_append_byte(inversion->out, is_array ? '[' : '{');
    frame_push(inversion, kind, node, value);
}

/* Writes the value, or the beginning of it and a frame for the rest. */
static void begin_value(struct inversion *inversion, uint32_t index, struct json value)
{
    const struct shape *shape = inversion->shape;
    if (index != SHAPE_NO_NODE && shape->nodes[index].kind == SHAPE_UNION &&
        shape->nodes[index].is_changed)
        index = translate_part(shape, &shape->nodes[index], value);
    if (index == SHAPE_NO_NODE || !shape->nodes[index].is_changed) {
        json_write(value, 0, inversion->out);
        return;
    }
    const struct shape_node *node = &shape->nodes[index];
    enum json_type type = json_type(value);
    if (node->kind == SHAPE_TEXT)
        write_text(inversion, value);
    else if (node->kind == SHAPE_OBJECT && type == JSON_OBJECT)
        begin_container(inversion, FRAME_OBJECT, index, value);
    else if (node->kind == SHAPE_PAIRS && translate_is_list(value))
        begin_container(inversion, FRAME_PAIRS, index, value);
    else if (node->kind == SHAPE_PAIRS && type == JSON_OBJECT)
        begin_container(inversion, FRAME_MAP, index, value);
    else if (node->kind == SHAPE_TUPLE && type == JSON_OBJECT && is_tuple(shape, node, value))
        begin_container(inversion, FRAME_TUPLE, index, value);
    else if ((node->kind == SHAPE_TUPLE || node->kind == SHAPE_ARRAY) && type == JSON_ARRAY)
        begin_container(inversion, FRAME_ARRAY, index, value);
    else
        json_write(value, 0, inversion->out);
}

/* ---- frames ---------------------------------------------------------------------------------- */

static void frame_pop(struct inversion *inversion, const char *end)
{
    buffer_append_str(inversion->out, str_from(end));
    inversion->count--;
}

static void step_object(struct inversion *inversion, struct frame *frame)
{
    const struct shape_node *node = &inversion->shape->nodes[frame->node];
    struct json value = frame->at;
    uint32_t place = node->extra == SHAPE_EXTRA_MAP ? node->value : SHAPE_NO_NODE;
    if (!json_exists(value)) {
        frame_pop(inversion, "}");
        return;
    }
    frame->at = json_next(value, frame->container);
    struct str name = json_member_name(value);
    if (shape_has_list(node) && str_equal(name, node->list_name) &&
        (translate_is_list(value) || json_type(value) == JSON_NULL)) {
        inversion->readings |= PROJECTION_READ_KEY_VALUE_MAP;
        if (json_type(value) == JSON_ARRAY)
            frame_push(inversion, FRAME_LIST, frame->node, value);
        return;
    }
    const struct shape_member *member = translate_member(node, name, &frame->hint);
    if (member != NULL && is_absent(inversion->shape, member, value)) {
        inversion->readings |= PROJECTION_READ_NULL_ABSENT;
        return;
    }
    translate_name(name, inversion->out);
    begin_value(inversion, member != NULL ? member->node : place, value);
}

/* Of the list of further members, and of a map. */
static void step_pair(struct inversion *inversion, struct frame *frame)
{
    const struct shape_node *node = &inversion->shape->nodes[frame->node];
    struct json pair = frame->at;
    bool is_list = frame->kind == FRAME_LIST;
    if (!json_exists(pair)) {
        frame_pop(inversion, is_list ? "" : "}");
        return;
    }
    frame->at = json_next(pair, frame->container);
    inversion->readings |= PROJECTION_READ_KEY_VALUE_MAP;
    translate_name(json_string(translate_key(pair)), inversion->out);
    if (is_list && node->is_listed_wide)
        write_text(inversion, translate_value(pair));
    else
        begin_value(inversion, node->value, translate_value(pair));
}

static void step_map(struct inversion *inversion, struct frame *frame)
{
    struct json value = frame->at;
    if (!json_exists(value)) {
        frame_pop(inversion, "}");
        return;
    }
    frame->at = json_next(value, frame->container);
    translate_name(json_member_name(value), inversion->out);
    begin_value(inversion, inversion->shape->nodes[frame->node].value, value);
}

/* The place of an item; a tuple's is that of its member. */
static uint32_t item_place(const struct shape_node *node, uint32_t position)
{
    if (node->kind == SHAPE_TUPLE)
        return position < node->member_count ? node->members[position].node : node->value;
    return position < node->part_count ? node->parts[position] : node->value;
}

static void step_array(struct inversion *inversion, struct frame *frame)
{
    const struct shape_node *node = &inversion->shape->nodes[frame->node];
    struct json value = frame->at;
    if (!json_exists(value)) {
        frame_pop(inversion, "]");
        return;
    }
    frame->at = json_next(value, frame->container);
    uint32_t place = item_place(node, frame->position++);
    translate_comma(inversion->out);
    begin_value(inversion, place, value);
}

static void step_tuple(struct inversion *inversion, struct frame *frame)
{
    const struct shape_node *node = &inversion->shape->nodes[frame->node];
    inversion->readings |= PROJECTION_READ_TUPLE;
    if (frame->position < node->member_count) {
        const struct shape_member *member = &node->members[frame->position++];
        struct json value = json_get(frame->container, member->name);
        if (is_absent(inversion->shape, member, value)) {
            frame->position = node->member_count;
            return;
        }
        translate_comma(inversion->out);
        begin_value(inversion, member->node, value);
        return;
    }
    struct json rest = json_get(frame->container, node->list_name);
    if (node->value == SHAPE_NO_NODE || !json_exists(rest)) {
        frame_pop(inversion, "]");
        return;
    }
    frame->kind = FRAME_ARRAY;
    frame->container = rest;
    frame->at = json_first(rest);
}

static void step(struct inversion *inversion)
{
    struct frame *frame = &inversion->frames[inversion->count - 1];
    switch ((enum frame_kind)frame->kind) {
    case FRAME_OBJECT: step_object(inversion, frame); return;
    case FRAME_LIST:
    case FRAME_PAIRS: step_pair(inversion, frame); return;
    case FRAME_MAP: step_map(inversion, frame); return;
    case FRAME_ARRAY: step_array(inversion, frame); return;
    case FRAME_TUPLE: step_tuple(inversion, frame); return;
    }
}

enum status invert_value(const struct shape *shape, uint32_t node, struct json value,
                         struct buffer *out, unsigned *readings)
{
    struct inversion inversion = { .shape = shape, .out = out };
    begin_value(&inversion, node, value);
    while (inversion.count > 0 && inversion.status == STATUS_OK && buffer_status(out) == STATUS_OK)
        step(&inversion);
    alloc_free(shape->alloc, inversion.frames, inversion.capacity * sizeof(*inversion.frames));
    *readings |= inversion.readings;
    if (inversion.status != STATUS_OK)
        return inversion.status;
    return buffer_status(out);
}

/* ---- pointers -------------------------------------------------------------------------------- */

/* The next token of a pointer, unescaped into name; false: there is none. */
static bool token_next(struct str *pointer, struct buffer *name)
{
    size_t end = 1;
    if (pointer->len == 0)
        return false;
    buffer_clear(name);
    while (end < pointer->len && pointer->ptr[end] != '/')
        end++;
    for (size_t i = 1; i < end; i++) {
        bool is_escape = pointer->ptr[i] == '~' && i + 1 < end;
        if (is_escape)
            i++;
        buffer_append_byte(name, !is_escape ? pointer->ptr[i] : pointer->ptr[i] == '1' ? '/' : '~');
    }
    *pointer = str_of(pointer->ptr + end, pointer->len - end);
    return true;
}

static bool token_index(struct str token, uint32_t *out_index)
{
    uint32_t index = 0;
    if (token.len == 0 || token.len > 9)
        return false;
    for (size_t i = 0; i < token.len; i++) {
        if (token.ptr[i] < '0' || token.ptr[i] > '9')
            return false;
        index = index * 10 + (uint32_t)(token.ptr[i] - '0');
    }
    *out_index = index;
    return true;
}

struct place {
    uint32_t node;
    struct json value;
};

/* The value of a key in a list of pairs: "/i/value". */
static bool place_in_list(struct place *place, struct json list, uint32_t node, struct str key,
                          struct buffer *out)
{
    uint32_t index = 0;
    if (!json_exists(list) || !translate_is_list(list))
        return false;
    for (struct json at = json_first(list); json_exists(at); at = json_next(at, list), index++) {
        if (!str_equal(json_string(translate_key(at)), key))
            continue;
        json_pointer_append_index(out, index);
        json_pointer_append(out, STR("value"));
        *place = (struct place){ node, translate_value(at) };
        return true;
    }
    return false;
}

static bool place_in_object(const struct shape_node *node, struct place *place, struct str token,
                            struct buffer *out)
{
    uint32_t hint = 0;
    struct json value = json_get(place->value, token);
    if (json_exists(value)) {
        const struct shape_member *member = translate_member(node, token, &hint);
        json_pointer_append(out, token);
        *place = (struct place){ member != NULL                   ? member->node
                                 : node->extra == SHAPE_EXTRA_MAP ? node->value
                                                                  : SHAPE_NO_NODE,
                                 value };
        return true;
    }
    if (!shape_has_list(node))
        return false;
    size_t before = out->len;
    json_pointer_append(out, node->list_name);
    if (place_in_list(place, json_get(place->value, node->list_name),
                      node->is_listed_wide ? SHAPE_NO_NODE : node->value, token, out))
        return true;
    buffer_truncate(out, before);
    return false;
}

static bool place_in_tuple(const struct shape_node *node, struct place *place, struct str token,
                           struct buffer *out)
{
    uint32_t index;
    if (!token_index(token, &index))
        return false;
    struct json rest = json_get(place->value, node->list_name);
    if (index < node->member_count) {
        struct json value = json_get(place->value, node->members[index].name);
        json_pointer_append(out, node->members[index].name);
        *place = (struct place){ node->members[index].node, value };
        return json_exists(value);
    }
    if (!json_exists(rest) || json_type(rest) != JSON_ARRAY)
        return false;
    json_pointer_append(out, node->list_name);
    json_pointer_append_index(out, index - node->member_count);
    *place = (struct place){ node->value, json_at(rest, index - node->member_count) };
    return json_exists(place->value);
}

/* One token further; false: it leads nowhere in the reply. */
static bool place_step(const struct shape *shape, struct place *place, struct str token,
                       struct buffer *out)
{
    uint32_t index;
    if (place->node != SHAPE_NO_NODE && shape->nodes[place->node].kind == SHAPE_UNION)
        place->node = translate_part(shape, &shape->nodes[place->node], place->value);
    const struct shape_node *node =
        place->node == SHAPE_NO_NODE ? NULL : &shape->nodes[place->node];
    if (node != NULL && node->kind == SHAPE_PAIRS && translate_is_list(place->value))
        return place_in_list(place, place->value, node->value, token, out);
    if (node != NULL && node->kind == SHAPE_TUPLE && json_type(place->value) == JSON_OBJECT)
        return place_in_tuple(node, place, token, out);
    if (node != NULL && node->kind == SHAPE_OBJECT && json_type(place->value) == JSON_OBJECT)
        return place_in_object(node, place, token, out);
    if (json_type(place->value) == JSON_ARRAY && token_index(token, &index)) {
        json_pointer_append(out, token);
        *place = (struct place){ node == NULL ? SHAPE_NO_NODE : item_place(node, index),
                                 json_at(place->value, index) };
        return json_exists(place->value);
    }
    return false;
}

void invert_pointer(const struct shape *shape, uint32_t node, struct json value, struct str pointer,
                    struct buffer *out)
{
    struct place place = { node, value };
    struct buffer token;
    struct str rest = pointer;
    buffer_init(&token, shape->alloc, LIMIT_SCHEMA_BYTES);
    while (token_next(&rest, &token)) {
        size_t before = out->len;
        bool is_text = place.node != SHAPE_NO_NODE && shape->nodes[place.node].kind == SHAPE_TEXT;
        if (is_text && json_type(place.value) == JSON_STRING)
            break; /* the place is the text as a whole */
        if (place_step(shape, &place, buffer_view(&token), out))
            continue;
        /* A member that is not there keeps its name; what follows is copied. */
        if (out->len == before)
            json_pointer_append(out, buffer_view(&token));
        buffer_append_str(out, rest);
        break;
    }
    buffer_release(&token);
}

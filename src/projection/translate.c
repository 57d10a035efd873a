/* translate.c - what values on the wire are told apart by. See translate.h.
 *
 * Owns: the choice among the parts of a union. A part is scored by its type, its values, its
 * members, LEVELS_MAX levels deep; the best one is taken, the first of equals. Invariants: work is
 * bounded by PART_WORK_MAX comparisons, beyond which whatever has the right type fits; recursion is
 * bounded by LEVELS_MAX, not by the input.
 */
#include "base/features.h"

#include "projection/translate.h"

enum {
    LEVELS_MAX = 4,
    PART_WORK_MAX = 20000,
    ITEMS_LOOKED_AT = 8,
    EQUAL_STEPS = 2000,
    SCORE_DIRECT = 0, /* not the wire's form, but the target's */
    SCORE_TYPE = 1,
    SCORE_MEMBER = 2,
    SCORE_VALUE = 16,
    SCORE_NONE = -1
};

/* ---- members and pairs ----------------------------------------------------------------------- */

const struct shape_member *translate_member(const struct shape_node *node, struct str name,
                                            uint32_t *hint)
{
    for (uint32_t i = 0; i < node->member_count; i++) {
        uint32_t at = *hint + i < node->member_count ? *hint + i : *hint + i - node->member_count;
        if (str_equal(node->members[at].name, name)) {
            *hint = at + 1 < node->member_count ? at + 1 : 0;
            return &node->members[at];
        }
    }
    return NULL;
}

bool translate_null_is_absent(const struct shape *shape, const struct shape_member *member)
{
    return !member->required &&
           (!member->takes_null || shape->nodes[member->node].kind == SHAPE_TEXT);
}

struct json translate_key(struct json pair)
{
    return json_get(pair, STR("key"));
}

struct json translate_value(struct json pair)
{
    return json_get(pair, STR("value"));
}

bool translate_is_list(struct json value)
{
    if (json_type(value) != JSON_ARRAY)
        return false;
    for (struct json at = json_first(value); json_exists(at); at = json_next(at, value)) {
        if (json_type(at) != JSON_OBJECT || json_count(at) != 2 ||
            !json_exists(translate_value(at)))
            return false;
        struct json key = translate_key(at);
        if (!json_exists(key) || json_type(key) != JSON_STRING)
            return false;
    }
    return true;
}

/* ---- text ------------------------------------------------------------------------------------ */

void translate_comma(struct buffer *out)
{
    if (out->len == 0)
        return;
    char last = out->ptr[out->len - 1];
    if (last != '{' && last != '[')
        buffer_append_byte(out, ',');
}

void translate_name(struct str name, struct buffer *out)
{
    translate_comma(out);
    json_write_string(name, out);
    buffer_append_byte(out, ':');
}

/* ---- envelopes ------------------------------------------------------------------------------- */

bool translate_is_need(struct str need_name, struct json value)
{
    return need_name.len > 0 && json_type(value) == JSON_OBJECT && json_count(value) == 1 &&
           json_exists(json_get(value, need_name));
}

bool translate_is_envelope(const struct shape *shape, struct json value, struct json *out_data,
                           struct json *out_need)
{
    bool has_need = shape->envelope >= SHAPE_NULLABLES;
    if (shape->envelope < SHAPE_NULLABLES && shape->envelope != SHAPE_WRAPPED)
        return false;
    if (json_type(value) != JSON_OBJECT || json_count(value) == 0)
        return false;
    for (struct json at = json_first(value); json_exists(at); at = json_next(at, value)) {
        struct str name = json_member_name(at);
        if (!str_equal(name, shape->data_name) && !(has_need && str_equal(name, shape->need_name)))
            return false;
    }
    *out_data = json_get(value, shape->data_name);
    *out_need = has_need ? json_get(value, shape->need_name) : (struct json){ value.doc, NULL };
    return true;
}

/* ---- the part of a union --------------------------------------------------------------------- */

struct scoring {
    const struct shape *shape;
    uint32_t work;
};

static int score_place(struct scoring *scoring, uint32_t index, struct json value, int levels);

static int score_scalar(struct scoring *scoring, const struct shape_node *node, struct json value)
{
    if (node->value_count == 0 || node->is_enum_cut)
        return SCORE_TYPE;
    for (uint32_t i = 0; i < node->value_count; i++) {
        uint64_t budget = EQUAL_STEPS;
        scoring->work++;
        if (json_equal(node->values[i], value, &budget) || scoring->work > PART_WORK_MAX)
            return node->value_count == 1 ? SCORE_VALUE * 2 : SCORE_VALUE;
    }
    return SCORE_NONE;
}

static bool member_may_be_null(const struct shape_member *member)
{
    return member->presence == SHAPE_NULLABLE || member->presence == SHAPE_OPTIONAL;
}

/* A member of the value: what it adds, or SCORE_NONE. */
static int score_member(struct scoring *scoring, const struct shape_node *node, struct json value,
                        uint32_t *hint, int levels)
{
    struct str name = json_member_name(value);
    const struct shape_member *member = translate_member(node, name, hint);
    if (shape_has_list(node) && str_equal(name, node->list_name))
        return translate_is_list(value) ? SCORE_MEMBER : SCORE_NONE;
    if (member == NULL || member->presence == SHAPE_LISTED) {
        bool is_closed = node->extra == SHAPE_EXTRA_NONE || node->kind == SHAPE_TUPLE;
        return is_closed || shape_has_list(node) ? SCORE_NONE : 0;
    }
    if (json_type(value) == JSON_NULL && member_may_be_null(member))
        return SCORE_MEMBER;
    int score = score_place(scoring, member->node, value, levels - 1);
    return score == SCORE_NONE ? SCORE_NONE : score + SCORE_MEMBER;
}

static int score_object(struct scoring *scoring, const struct shape_node *node, struct json value,
                        int levels)
{
    int total = SCORE_TYPE;
    uint32_t hint = 0, needed = 0, seen = 0;
    for (uint32_t i = 0; i < node->member_count; i++)
        needed += node->members[i].presence == SHAPE_REQUIRED;
    for (struct json at = json_first(value); json_exists(at); at = json_next(at, value)) {
        uint32_t look = hint;
        const struct shape_member *member = translate_member(node, json_member_name(at), &look);
        int score = score_member(scoring, node, at, &hint, levels);
        scoring->work++;
        if (score == SCORE_NONE)
            return SCORE_NONE;
        seen += member != NULL && member->presence == SHAPE_REQUIRED;
        total += score;
    }
    return seen == needed ? total : SCORE_NONE;
}

static int score_tuple(struct scoring *scoring, const struct shape_node *node, struct json value,
                       int levels)
{
    if (json_type(value) == JSON_ARRAY)
        return SCORE_DIRECT;
    for (struct json at = json_first(value); json_exists(at); at = json_next(at, value)) {
        uint32_t hint = 0;
        struct str name = json_member_name(at);
        const struct shape_member *member = translate_member(node, name, &hint);
        bool is_rest = node->value != SHAPE_NO_NODE && str_equal(name, node->list_name);
        if (member == NULL && !is_rest)
            return SCORE_NONE;
        if (member != NULL && json_type(at) != JSON_NULL &&
            score_place(scoring, member->node, at, levels - 1) == SCORE_NONE)
            return SCORE_NONE;
    }
    return SCORE_TYPE + SCORE_MEMBER;
}

static int score_array(struct scoring *scoring, const struct shape_node *node, struct json value,
                       int levels)
{
    uint32_t position = 0;
    int score = SCORE_TYPE;
    for (struct json at = json_first(value); json_exists(at) && position < ITEMS_LOOKED_AT;
         at = json_next(at, value), position++) {
        uint32_t place = position < node->part_count ? node->parts[position] : node->value;
        if (place == SHAPE_NO_NODE)
            score = SCORE_DIRECT; /* an item without a place: another part may have one */
        else if (score_place(scoring, place, at, levels - 1) == SCORE_NONE)
            return SCORE_NONE;
    }
    return score;
}

static int score_union(struct scoring *scoring, const struct shape_node *node, struct json value,
                       int levels)
{
    int best = SCORE_NONE;
    for (uint32_t i = 0; i < node->part_count; i++) {
        int score = score_place(scoring, node->parts[i], value, levels);
        best = score > best ? score : best;
    }
    return best;
}

static bool is_integer(struct json value)
{
    struct decimal number = json_number(value);
    return decimal_is_integer(&number);
}

/* Whether the value's type is one that the form has on the wire. */
static bool form_has_type(const struct shape_node *node, struct json value)
{
    enum json_type type = json_type(value);
    switch ((enum shape_kind)node->kind) {
    case SHAPE_OPEN: return false;
    case SHAPE_FREE:
    case SHAPE_UNION: return true;
    case SHAPE_NULL: return type == JSON_NULL;
    case SHAPE_BOOLEAN: return type == JSON_TRUE || type == JSON_FALSE;
    case SHAPE_INTEGER: return type == JSON_NUMBER && is_integer(value);
    case SHAPE_NUMBER: return type == JSON_NUMBER;
    case SHAPE_TEXT:
    case SHAPE_STRING: return type == JSON_STRING;
    case SHAPE_OBJECT: return type == JSON_OBJECT;
    case SHAPE_TUPLE: return type == JSON_OBJECT || type == JSON_ARRAY;
    case SHAPE_PAIRS: return translate_is_list(value) || type == JSON_OBJECT;
    case SHAPE_ARRAY: return type == JSON_ARRAY;
    }
    return false;
}

static int score_form(struct scoring *scoring, const struct shape_node *node, struct json value,
                      int levels)
{
    switch ((enum shape_kind)node->kind) {
    case SHAPE_OBJECT: return score_object(scoring, node, value, levels);
    case SHAPE_TUPLE: return score_tuple(scoring, node, value, levels);
    case SHAPE_ARRAY: return score_array(scoring, node, value, levels);
    case SHAPE_UNION: return score_union(scoring, node, value, levels);
    case SHAPE_BOOLEAN:
    case SHAPE_INTEGER:
    case SHAPE_NUMBER:
    case SHAPE_STRING: return score_scalar(scoring, node, value);
    case SHAPE_OPEN:
    case SHAPE_FREE:
    case SHAPE_TEXT:
    case SHAPE_NULL:
    case SHAPE_PAIRS: break;
    }
    return SCORE_TYPE;
}

static int score_place(struct scoring *scoring, uint32_t index, struct json value, int levels)
{
    const struct shape_node *node = &scoring->shape->nodes[index];
    if (!form_has_type(node, value))
        return SCORE_NONE;
    if (levels == 0 || ++scoring->work > PART_WORK_MAX)
        return SCORE_TYPE;
    return score_form(scoring, node, value, levels);
}

uint32_t translate_part(const struct shape *shape, const struct shape_node *node, struct json value)
{
    struct scoring scoring = { .shape = shape };
    uint32_t best = SHAPE_NO_NODE;
    int best_score = SCORE_NONE;
    for (uint32_t i = 0; i < node->part_count; i++) {
        int score = score_place(&scoring, node->parts[i], value, LEVELS_MAX);
        if (score > best_score) {
            best = node->parts[i];
            best_score = score;
        }
    }
    return best;
}

/* judge_flat.c - the instructions that look at one value and judge no other node.
 *
 * Owns: exact comparison, lengths, equality, uniqueness. Leaves to others: the frames (judge.c).
 * Work on large values is charged before it is done.
 */
#include "base/features.h"

#include "base/utf8.h"
#include "schema/content.h"
#include "schema/format.h"
#include "schema/judge.h"
#include "regex/regex.h"

/* Arrays up to this size are compared pairwise. */
enum { JUDGE_PAIRWISE_MAX = 8 };

/* Bytes of text that count as one step. */
enum { JUDGE_BYTES_PER_STEP = 64 };

static bool judge_unsupported(struct judge *judge, const char *what)
{
    if (judge->status == STATUS_OK)
        judge->status = error_set(judge->error, STATUS_UNSUPPORTED, "%s", what);
    return false;
}

static bool judge_charge_text(struct judge *judge, struct json value)
{
    return judge_charge(judge,
                        1 + (json_end_offset(value) - json_offset(value)) / JUDGE_BYTES_PER_STEP);
}

bool judge_equal(struct judge *judge, struct json a, struct json b)
{
    uint8_t type = schema_type_of(a);
    if (type != schema_type_of(b))
        return false;
    if (type == SCHEMA_STRING)
        return str_equal(json_string(a), json_string(b));
    if (type == SCHEMA_BOOLEAN || type == SCHEMA_NULL)
        return json_type(a) == json_type(b);
    /* A comparison that used up the budget says nothing: the charge then fails. */
    bool equal = json_equal(a, b, &judge->steps);
    return judge_charge(judge, 1) && equal;
}

/* In draft-04 an integer is a number that is written as one. */
static bool judge_type(const struct schema_op *op, struct json value)
{
    uint8_t type = schema_type_of(value);
    if ((op->a & type) == 0)
        return false;
    return op->b == 0 || type != SCHEMA_INTEGER || json_number_is_plain(value);
}

static bool judge_enum(struct judge *judge, const struct schema_op *op, struct json value)
{
    const struct json *values = judge->program->values;
    if (op->b <= SCHEMA_SMALL_ENUM) {
        for (uint32_t i = op->a; i < op->a + op->b; i++)
            if (judge_equal(judge, value, values[i]))
                return true;
        return judge_charge(judge, 1) && false;
    }
    if (!judge_charge_text(judge, value))
        return false;
    const struct schema_value_table *table = &judge->program->internal->value_tables[op->c];
    for (uint32_t at = (uint32_t)schema_value_hash(value);; at++) {
        uint32_t slot = table->slots[at & table->mask];
        if (slot == 0)
            return false;
        if (judge_equal(judge, value, values[slot - 1]))
            return true;
        if (!judge_charge(judge, 1))
            return false;
    }
}

static bool judge_minimum(const struct schema_op *op, const struct decimal *limit,
                          struct json value)
{
    struct decimal number = json_number(value);
    int order = decimal_compare(&number, limit);
    return (op->flags & SCHEMA_OP_EXCLUSIVE) != 0 ? order > 0 : order >= 0;
}

static bool judge_maximum(const struct schema_op *op, const struct decimal *limit,
                          struct json value)
{
    struct decimal number = json_number(value);
    int order = decimal_compare(&number, limit);
    return (op->flags & SCHEMA_OP_EXCLUSIVE) != 0 ? order < 0 : order <= 0;
}

static bool judge_multiple(struct judge *judge, const struct decimal *divisor, struct json value)
{
    struct decimal number = json_number(value);
    bool known;
    if (!judge_charge_text(judge, value))
        return false;
    bool multiple = decimal_is_multiple(&number, divisor, &known);
    return known ? multiple
                 : judge_unsupported(judge, "a number has too many digits for \"multipleOf\"");
}

/* Lengths are code points; bytes decide when they can. */
static bool judge_length(struct judge *judge, const struct schema_op *op, struct json value)
{
    struct str text = json_string(value);
    bool is_minimum = op->opcode == SCHEMA_OP_MIN_LENGTH;
    if (text.len < op->a)
        return !is_minimum;
    if ((text.len + UTF8_SEQUENCE_BYTES_MAX - 1) / UTF8_SEQUENCE_BYTES_MAX > op->a)
        return is_minimum;
    if (!judge_charge_text(judge, value))
        return false;
    size_t length = utf8_length(text);
    return is_minimum ? length >= op->a : length <= op->a;
}

bool judge_finds(struct judge *judge, uint32_t pattern, struct str text)
{
    const struct regex *regex = judge->program->patterns[pattern].regex;
    bool matches;
    enum status status = regex_matches(regex, text, judge->alloc, &judge->steps, &matches);
    if (status == STATUS_OK)
        return matches;
    if (status == STATUS_NO_MEMORY)
        judge->status = error_set(judge->error, STATUS_NO_MEMORY, "out of memory");
    else
        (void)judge_unsupported(judge, "a pattern needs more steps than allowed");
    return false;
}

static bool judge_pattern(struct judge *judge, const struct schema_op *op, struct json value)
{
    return judge_charge_text(judge, value) && judge_finds(judge, op->a, json_string(value));
}

/* `format: regex` is strict: what a pattern may be tolerated with is no regular expression. */
static bool judge_format(struct judge *judge, uint32_t format, struct str text)
{
    if (format >= SCHEMA_FORMAT_CUSTOM) {
        const struct schema_custom_format *custom =
            &judge->program->custom_formats[format - SCHEMA_FORMAT_CUSTOM];
        return custom->matches(custom->state, text);
    }
    if (format != SCHEMA_FORMAT_REGEX)
        return schema_format_matches((enum schema_format)format, text);
    enum status status = regex_check(text, judge->alloc, NULL);
    if (status == STATUS_NO_MEMORY)
        judge->status = error_set(judge->error, STATUS_NO_MEMORY, "out of memory");
    else if (status == STATUS_UNSUPPORTED)
        (void)judge_unsupported(judge, "a regular expression is beyond a limit");
    return status == STATUS_OK;
}

static bool judge_content(struct judge *judge, uint32_t bits, struct json value)
{
    bool matches = false;
    if (!judge_charge_text(judge, value))
        return false;
    if (schema_content_matches(bits, json_string(value), judge->alloc, &matches) != STATUS_OK)
        judge->status = error_set(judge->error, STATUS_NO_MEMORY, "out of memory");
    return matches;
}

static bool judge_dependent_required(struct judge *judge, const struct schema_op *op,
                                     struct json value)
{
    const struct str *names = judge->program->names;
    if (!json_exists(judge_member(judge, value, names[op->a])))
        return judge->status == STATUS_OK;
    for (uint32_t i = op->b; i < op->b + op->c; i++)
        if (!json_exists(judge_member(judge, value, names[i])))
            return false;
    return judge->status == STATUS_OK;
}

static bool judge_pairwise(struct judge *judge, struct json array, struct json *out_first,
                           struct json *out_second)
{
    for (struct json b = json_first(array); json_exists(b); b = json_next(b, array))
        for (struct json a = json_first(array); a.node != b.node; a = json_next(a, array))
            if (judge_equal(judge, a, b)) {
                *out_first = a;
                *out_second = b;
                return true;
            }
    return false;
}

static bool judge_reserve_items(struct judge *judge, uint32_t slots)
{
    if (judge->item_slots < slots) {
        struct judge_item *items = alloc_grow(
            judge->alloc, judge->items, judge->item_slots * sizeof(*items), slots * sizeof(*items));
        if (items == NULL) {
            judge->status = error_set(judge->error, STATUS_NO_MEMORY, "out of memory");
            return false;
        }
        judge->items = items;
        judge->item_slots = slots;
    }
    memset(judge->items, 0, slots * sizeof(*judge->items));
    return true;
}

bool judge_find_twins(struct judge *judge, struct json array, struct json *out_first,
                      struct json *out_second)
{
    uint32_t count = json_count(array);
    if (count <= JUDGE_PAIRWISE_MAX)
        return judge_charge(judge, count) && judge_pairwise(judge, array, out_first, out_second);
    uint32_t slots = schema_slots_for(count);
    if (!judge_charge(judge, count) || !judge_charge_text(judge, array) ||
        !judge_reserve_items(judge, slots))
        return false;
    for (struct json v = json_first(array); json_exists(v); v = json_next(v, array)) {
        uint32_t hash = (uint32_t)schema_value_hash(v);
        uint32_t at = hash & (slots - 1);
        for (; judge->items[at].offset != 0; at = (at + 1) & (slots - 1)) {
            struct json other = { array.doc, array.node + judge->items[at].offset };
            if (judge->items[at].hash == hash && judge_equal(judge, other, v)) {
                *out_first = other;
                *out_second = v;
                return true;
            }
            if (!judge_charge(judge, 1))
                return false;
        }
        judge->items[at] = (struct judge_item){ (uint32_t)(v.node - array.node), hash };
    }
    return false;
}

bool judge_flat_op(struct judge *judge, const struct schema_op *op, struct json value)
{
    const struct decimal *decimals = judge->program->decimals;
    struct json first;
    struct json second;
    switch ((enum schema_opcode)op->opcode) {
    case SCHEMA_OP_TYPE: return judge_type(op, value);
    case SCHEMA_OP_ENUM: return judge_enum(judge, op, value);
    case SCHEMA_OP_MINIMUM: return judge_minimum(op, &decimals[op->a], value);
    case SCHEMA_OP_MAXIMUM: return judge_maximum(op, &decimals[op->a], value);
    case SCHEMA_OP_MULTIPLE_OF: return judge_multiple(judge, &decimals[op->a], value);
    case SCHEMA_OP_MIN_LENGTH:
    case SCHEMA_OP_MAX_LENGTH: return judge_length(judge, op, value);
    case SCHEMA_OP_PATTERN: return judge_pattern(judge, op, value);
    case SCHEMA_OP_FORMAT:
        return judge_charge_text(judge, value) && judge_format(judge, op->a, json_string(value));
    case SCHEMA_OP_CONTENT: return judge_content(judge, op->a, value);
    case SCHEMA_OP_MIN_ITEMS:
    case SCHEMA_OP_MIN_PROPERTIES: return json_count(value) >= op->a;
    case SCHEMA_OP_MAX_ITEMS:
    case SCHEMA_OP_MAX_PROPERTIES: return json_count(value) <= op->a;
    case SCHEMA_OP_UNIQUE_ITEMS:
        return !judge_find_twins(judge, value, &first, &second) && judge->status == STATUS_OK;
    case SCHEMA_OP_DEPENDENT_REQUIRED: return judge_dependent_required(judge, op, value);
    case SCHEMA_OP_PREFIX_ITEMS:
    case SCHEMA_OP_ITEMS:
    case SCHEMA_OP_CONTAINS:
    case SCHEMA_OP_PROPERTIES:
    case SCHEMA_OP_PATTERN_PROPERTIES:
    case SCHEMA_OP_ADDITIONAL:
    case SCHEMA_OP_PROPERTY_NAMES:
    case SCHEMA_OP_REQUIRED:
    case SCHEMA_OP_DEPENDENT_SCHEMA:
    case SCHEMA_OP_REF:
    case SCHEMA_OP_ALL_OF:
    case SCHEMA_OP_ANY_OF:
    case SCHEMA_OP_ONE_OF:
    case SCHEMA_OP_DYNAMIC_REF:
    case SCHEMA_OP_UNEVALUATED_ITEMS:
    case SCHEMA_OP_UNEVALUATED_PROPERTIES:
    case SCHEMA_OP_NOT:
    case SCHEMA_OP_IF: break;
    }
    return judge_unsupported(judge, "internal: an instruction that is not flat");
}

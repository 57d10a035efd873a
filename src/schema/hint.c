/* hint.c - what to do about a fault, in words.
 *
 * Owns: hints, which everybody is told; notes, which say to people what the schema allows; how an
 * alternative is called. Leaves to others: which faults there are (explain.c), what is wrong
 * (message.c). Invariant: none tells a value of the instance.
 */
#include "base/features.h"

#include "schema/explain.h"
#include "schema/shorten.h"

enum { HINT_NAMES_MAX = 8, HINT_ALTERNATIVES_MAX = 6 };

static void hint_add(struct buffer *out, const char *text)
{
    buffer_append_str(out, str_from(text));
}

/* What stands between the parts of a list. */
static void hint_comma(struct buffer *out, uint32_t index)
{
    hint_add(out, index == 0 ? "" : ", ");
}

/* ---- alternatives ---------------------------------------------------------------------------- */

/* The required members, or false if none. */
static bool note_required(const struct schema_program *program, uint32_t node, struct buffer *out)
{
    const struct schema_op *op = schema_node_find(program, node, SCHEMA_OP_REQUIRED);
    if (op == NULL || op->b == 0)
        return false;
    hint_add(out, op->b == 1 ? "an object with member " : "an object with members ");
    for (uint32_t i = 0; i < op->b && i < HINT_NAMES_MAX; i++) {
        hint_comma(out, i);
        schema_append_short_string(program->names[op->a + i], out);
    }
    hint_add(out, op->b > HINT_NAMES_MAX ? ", …" : "");
    return true;
}

/* By its title, else by what it asks for. */
static void note_alternative(const struct schema_program *program, uint32_t child,
                             struct buffer *out)
{
    uint32_t node = program->internal->alias[program->children[child]];
    const struct schema_tag *tag = &program->internal->tags[child];
    struct str title = schema_title(program, program->children[child]);
    uint8_t types = program->nodes[node].types;
    if (title.len > 0) {
        schema_append_short_string(title, out);
    } else if (tag->count == 1 && tag->name.len > 0) {
        schema_append_short_string(tag->name, out);
        hint_add(out, " is ");
        schema_append_short(program->values[tag->first], out);
    } else if (!note_required(program, node, out)) {
        if (types == SCHEMA_ANY)
            hint_add(out, "a value of any type");
        else
            schema_append_types(types, out);
        hint_add(out, program->nodes[node].op_count > 1 ? " with limits" : "");
    }
}

static void note_alternatives(const struct schema_program *program, const struct schema_op *op,
                              struct buffer *out)
{
    hint_add(out, "alternatives are");
    for (uint32_t i = 0; i < op->b && i < HINT_ALTERNATIVES_MAX; i++) {
        buffer_printf(out, "%s %lu: ", i == 0 ? "" : ";", (unsigned long)i + 1);
        note_alternative(program, op->a + i, out);
    }
    if (op->b > HINT_ALTERNATIVES_MAX)
        buffer_printf(out, "; and %lu more", (unsigned long)op->b - HINT_ALTERNATIVES_MAX);
}

/* ---- members --------------------------------------------------------------------------------- */

/* The names that an object may have, in the order of the schema. */
static uint32_t note_known_names(struct json properties, struct buffer *out)
{
    uint32_t count = 0;
    for (struct json v = json_first(properties); json_exists(v); v = json_next(v, properties)) {
        if (json_type(v) == JSON_FALSE)
            continue;
        if (count++ >= HINT_NAMES_MAX)
            continue;
        hint_add(out, count == 1 ? "allowed: " : ", ");
        schema_append_short_string(json_member_name(v), out);
    }
    if (count > HINT_NAMES_MAX)
        buffer_printf(out, " and %lu more", (unsigned long)count - HINT_NAMES_MAX);
    return count;
}

static void note_members(const struct schema_program *program, uint32_t node, struct buffer *out)
{
    struct json schema = program->nodes[node].schema;
    const struct schema_plan *plan = program->internal->plans[node];
    struct json properties = json_get(schema, STR("properties"));
    uint32_t count = 0;
    if (json_exists(properties) && json_type(properties) == JSON_OBJECT)
        count = note_known_names(properties, out);
    if (count == 0 && plan->pattern_count == 0)
        hint_add(out, "no members are allowed here");
    for (uint32_t i = 0; i < plan->pattern_count && i < HINT_NAMES_MAX; i++) {
        uint32_t pattern = program->pattern_properties[plan->pattern_first + i].pattern;
        if (i > 0)
            hint_add(out, ", ");
        else
            hint_add(out, count == 0 ? "allowed: names that match " : ", names that match ");
        schema_append_short_string(program->patterns[pattern].source, out);
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool hint_is_number_text(struct str text, bool only_integers)
{
    size_t digits = 0;
    for (size_t i = 0; i < text.len; i++) {
        bool digit = text.ptr[i] >= '0' && text.ptr[i] <= '9';
        if (!digit && (text.ptr[i] != '.' || only_integers) && !(i == 0 && text.ptr[i] == '-'))
            return false;
        digits += digit;
    }
    return digits > 0;
}

/* A string where another scalar belongs is often only quoted by mistake. */
static const char *hint_unquote(struct str text, uint8_t types)
{
    bool only_integers = (types & SCHEMA_NUMBER) == SCHEMA_INTEGER;
    if ((types & SCHEMA_NUMBER) != 0 && hint_is_number_text(text, only_integers))
        return "write the number without quotes";
    if ((types & SCHEMA_BOOLEAN) != 0 &&
        (str_equal(text, STR("true")) || str_equal(text, STR("false"))))
        return "write true or false without quotes";
    if ((types & SCHEMA_NULL) != 0 && str_equal(text, STR("null")))
        return "write null without quotes";
    return "";
}

static const char *note_quote(struct json value, uint8_t types)
{
    switch ((int)json_node_type(value.node)) {
    case JSON_NUMBER:
    case JSON_TRUE:
    case JSON_FALSE:
        return (types & ~SCHEMA_NULL) == SCHEMA_STRING ? "write the value in quotes" : "";
    case JSON_STRING: return hint_unquote(json_string(value), types);
    }
    return "";
}

/* A scalar as it is written, a string without its quotes. */
static struct str note_scalar(struct json value)
{
    switch (json_type(value)) {
    case JSON_STRING: return json_string(value);
    case JSON_NUMBER: return json_number_text(value);
    case JSON_TRUE: return STR("true");
    case JSON_FALSE: return STR("false");
    case JSON_NULL: return STR("null");
    case JSON_ARRAY:
    case JSON_OBJECT: break;
    }
    return str_of("", 0);
}

/* One of the listed values but for quotes. */
static const char *note_enum(const struct schema_program *program, const struct fault *fault)
{
    if (json_node_type(fault->value.node) == JSON_NODE_NAME)
        return "";
    struct str given = note_scalar(fault->value);
    bool is_string = json_type(fault->value) == JSON_STRING;
    for (uint32_t i = 0; i < fault->op->b && i < SCHEMA_SMALL_ENUM && given.len > 0; i++) {
        struct json value = program->values[fault->op->a + i];
        if ((json_type(value) == JSON_STRING) != is_string && str_equal(note_scalar(value), given))
            return is_string ? "write the value without quotes" : "write the value in quotes";
    }
    return "";
}

static const char *note_format(uint32_t format)
{
    static const char *const shapes[] = {
        [SCHEMA_FORMAT_DATE_TIME] = "YYYY-MM-DDThh:mm:ss with Z or an offset such as +01:00",
        [SCHEMA_FORMAT_DATE] = "YYYY-MM-DD, a day that exists",
        [SCHEMA_FORMAT_TIME] = "hh:mm:ss with Z or an offset such as +01:00",
        [SCHEMA_FORMAT_DURATION] = "PnYnMnDTnHnMnS or PnW, parts that are zero left out",
        [SCHEMA_FORMAT_EMAIL] = "NAME@HOST",
        [SCHEMA_FORMAT_IDN_EMAIL] = "NAME@HOST",
        [SCHEMA_FORMAT_IPV4] = "four numbers from 0 to 255 with dots between them",
        [SCHEMA_FORMAT_URI] = "SCHEME:…, absolute",
        [SCHEMA_FORMAT_IRI] = "SCHEME:…, absolute",
        [SCHEMA_FORMAT_UUID] = "8-4-4-4-12 hexadecimal digits",
        [SCHEMA_FORMAT_JSON_POINTER] = "/NAME/NAME…, or nothing for the whole document",
        [SCHEMA_FORMAT_HOSTNAME_1123] = NULL,
    };
    return format < sizeof(shapes) / sizeof(shapes[0]) ? shapes[format] : NULL;
}

static void note_op(const struct schema_program *program, const struct fault *fault,
                    struct buffer *out)
{
    if (fault->op->opcode == SCHEMA_OP_TYPE)
        hint_add(out, note_quote(fault->value, (uint8_t)fault->op->a));
    if (fault->op->opcode == SCHEMA_OP_ENUM)
        hint_add(out, note_enum(program, fault));
    const char *shape = fault->op->opcode == SCHEMA_OP_FORMAT ? note_format(fault->op->a) : NULL;
    if (shape != NULL) {
        hint_add(out, "write it as ");
        hint_add(out, shape);
    }
}

/* What an item must be to count. */
static void note_contains(const struct schema_program *program, const struct fault *fault,
                          struct buffer *out)
{
    uint32_t node = program->internal->alias[fault->op->a];
    const struct schema_op *op = schema_node_ops(program, node);
    struct str title = schema_title(program, fault->op->a);
    if (title.len > 0) {
        hint_add(out, "an item that counts is ");
        schema_append_short_string(title, out);
    } else if (program->nodes[node].op_count == 1 && op->opcode == SCHEMA_OP_TYPE) {
        hint_add(out, "an item that counts is ");
        schema_append_types((uint8_t)op->a, out);
    } else if (program->nodes[node].op_count == 1 && op->opcode == SCHEMA_OP_ENUM && op->b == 1) {
        hint_add(out, "an item that counts is ");
        schema_append_short(program->values[op->a], out);
    }
}

void schema_fault_hint(const struct fault *fault, struct buffer *out)
{
    bool is_string = json_node_type(fault->value.node) == JSON_STRING;
    if (fault->near.len > 0) {
        hint_add(out, "did you mean ");
        schema_append_short_string(fault->near, out);
        hint_add(out, "?");
    } else if (fault->kind == FAULT_OP && fault->op->opcode == SCHEMA_OP_TYPE && is_string) {
        hint_add(out, hint_unquote(json_string(fault->value), (uint8_t)fault->op->a));
    }
}

void schema_fault_note(const struct schema_program *program, const struct fault *fault,
                       struct buffer *out)
{
    switch ((enum fault_kind)fault->kind) {
    case FAULT_OP: note_op(program, fault, out); return;
    case FAULT_UNKNOWN:
        if (fault->op->opcode == SCHEMA_OP_ADDITIONAL)
            note_members(program, fault->node, out);
        return;
    case FAULT_NO_BRANCH:
    case FAULT_TWO_BRANCHES:
        if (fault->op != NULL)
            note_alternatives(program, fault->op, out);
        return;
    case FAULT_TOO_FEW:
    case FAULT_TOO_MANY: note_contains(program, fault, out); return;
    case FAULT_NO_TYPE:
    case FAULT_TYPE: hint_add(out, note_quote(fault->value, fault->types)); return;
    case FAULT_FALSE:
    case FAULT_MISSING:
    case FAULT_DEPENDENT:
    case FAULT_EXTRA_ITEM:
    case FAULT_LEFT_ITEM:
    case FAULT_TWINS:
    case FAULT_NO_VALUE: return;
    }
}

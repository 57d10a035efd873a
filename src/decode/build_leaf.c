/* build_leaf.c - the scalar alternatives of a branch: literals, strings, numbers.
 *
 * Owns what enum, const, bounds, lengths and formats mean for the language, and the replacement of
 * a leaf by the values that the prompt contains when decoding is grounded.
 */
#include "base/features.h"

#include "base/utf8.h"
#include "decode/build.h"
#include "decode/ground_index.h"

/* ---- hashes of values
 * ------------------------------------------------------------------------------ */

uint64_t value_hash_string(struct str text)
{
    uint64_t hash = VALUE_HASH_STRING;
    for (size_t i = 0; i < text.len; i++)
        hash = value_hash_add(hash, (unsigned char)text.ptr[i]);
    return hash;
}

static uint64_t hash_text(struct str text)
{
    uint64_t hash = VALUE_HASH_OBJECT;
    for (size_t i = 0; i < text.len; i++)
        hash = value_hash_add(hash, (unsigned char)text.ptr[i]);
    return hash;
}

static uint64_t hash_value(struct json value, struct str text)
{
    if (json_type(value) == JSON_STRING)
        return value_hash_string(json_string(value));
    bool ok = false;
    uint64_t hash =
        json_type(value) == JSON_NUMBER ? number_hash_text(json_number_text(value), &ok) : 0;
    return ok ? hash : hash_text(text);
}

/* ---- literals
 * -------------------------------------------------------------------------------------- */

void build_literal(struct builder *builder, struct str text, uint64_t hash, uint32_t source)
{
    if (build_failed(builder) ||
        !build_reserve(builder, (void **)&builder->literals, &builder->literal_cap,
                       builder->literal_count, sizeof *builder->literals))
        return;
    builder->literals[builder->literal_count++] = (struct literal){ text, hash, source };
}

/* null, true or false, unless the branch's `not` excludes it. */
static void build_constant(struct builder *builder, const struct branch *branch,
                           enum json_type type, struct str text)
{
    for (uint32_t i = 0; i < branch->not_count; i++) {
        const struct schema_op *op = &builder->program->ops[branch->nots[i]];
        for (uint32_t k = 0; branch->not_names[i].ptr == NULL && k < op->b; k++) {
            if (json_type(builder->program->values[op->a + k]) == type)
                return;
        }
    }
    build_literal(builder, text, hash_text(text), SCHEMA_NONE);
}

static int literal_compare(const struct literal *a, const struct literal *b)
{
    size_t shared = a->text.len < b->text.len ? a->text.len : b->text.len;
    int order = memcmp(a->text.ptr, b->text.ptr, shared);
    if (order != 0)
        return order;
    if (a->text.len != b->text.len)
        return a->text.len < b->text.len ? -1 : 1;
    return a->source < b->source ? -1 : a->source > b->source;
}

static void literals_sift(struct literal *items, uint32_t root, uint32_t count)
{
    struct literal moved = items[root];
    for (uint32_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && literal_compare(&items[child], &items[child + 1]) < 0)
            child++;
        if (literal_compare(&moved, &items[child]) >= 0)
            break;
        items[root] = items[child];
    }
    items[root] = moved;
}

static void literals_sort(struct literal *items, uint32_t count)
{
    for (uint32_t i = count / 2; i-- > 0;)
        literals_sift(items, i, count);
    for (uint32_t end = count; end-- > 1;) {
        struct literal last = items[end];
        items[end] = items[0];
        items[0] = last;
        literals_sift(items, 0, end);
    }
}

void build_literals_finish(struct builder *builder, uint32_t node)
{
    if (build_failed(builder) || builder->literal_count == 0)
        return;
    struct literal *scratch = builder->literals;
    literals_sort(scratch, builder->literal_count);
    uint32_t count = 1;
    for (uint32_t i = 1; i < builder->literal_count; i++) {
        if (!str_equal(scratch[i].text, scratch[count - 1].text))
            scratch[count++] = scratch[i];
    }
    struct literal *items = arena_take_array(&builder->language->arena, count, sizeof *items);
    struct alt *alt = build_alt(builder, ALT_LITERALS, node);
    if (items == NULL || alt == NULL) {
        build_no_memory(builder);
        return;
    }
    memcpy(items, scratch, count * sizeof *items);
    bool numbers = false;
    for (uint32_t i = 0; i < count; i++)
        numbers |= items[i].text.ptr[0] == '-' ||
                   (items[i].text.ptr[0] >= '0' && items[i].text.ptr[0] <= '9');
    alt->of.literals = (struct literals_alt){ items, count, numbers };
}

static uint8_t value_type(struct json value)
{
    switch (json_type(value)) {
    case JSON_NULL: return SCHEMA_NULL;
    case JSON_FALSE:
    case JSON_TRUE: return SCHEMA_BOOLEAN;
    case JSON_NUMBER: {
        struct decimal number = json_number(value);
        return decimal_is_integer(&number) ? SCHEMA_INTEGER : SCHEMA_FRACTION;
    }
    case JSON_STRING: return SCHEMA_STRING;
    case JSON_ARRAY: return SCHEMA_ARRAY;
    case JSON_OBJECT: return SCHEMA_OBJECT;
    }
    return 0;
}

static bool enum_has(struct builder *builder, const struct schema_op *op, struct json value)
{
    for (uint32_t i = 0; i < op->b; i++) {
        if (json_equal(builder->program->values[op->a + i], value, &builder->compare_steps))
            return true;
    }
    return false;
}

/* The instruction admits the value; what cannot be decided here is a gap. */
static bool op_admits(struct builder *builder, uint32_t node, const struct schema_op *op,
                      struct json value)
{
    uint8_t type = value_type(value);
    if ((op->types & type) == 0)
        return true;
    enum schema_opcode opcode = (enum schema_opcode)op->opcode;
    if (opcode == SCHEMA_OP_TYPE || opcode == SCHEMA_OP_REF ||
        (opcode >= SCHEMA_OP_ALL_OF && opcode <= SCHEMA_OP_IF))
        return true;
    if (opcode == SCHEMA_OP_ENUM && builder->compare_steps > 0)
        return enum_has(builder, op, value) || builder->compare_steps == 0;
    if (opcode == SCHEMA_OP_MINIMUM || opcode == SCHEMA_OP_MAXIMUM) {
        struct decimal number = json_number(value);
        int order = decimal_compare(&number, &builder->program->decimals[op->a]);
        if (order == 0)
            return !(op->flags & SCHEMA_OP_EXCLUSIVE);
        return opcode == SCHEMA_OP_MINIMUM ? order > 0 : order < 0;
    }
    if (opcode == SCHEMA_OP_MULTIPLE_OF) {
        struct decimal number = json_number(value);
        bool known;
        return decimal_is_multiple(&number, &builder->program->decimals[op->a], &known) && known;
    }
    if (opcode == SCHEMA_OP_MIN_LENGTH)
        return utf8_length(json_string(value)) >= op->a;
    if (opcode == SCHEMA_OP_MAX_LENGTH)
        return utf8_length(json_string(value)) <= op->a;
    build_gap(builder, node, op);
    return true;
}

/* The value is of the enum `source`; all else that the branch says decides. */
static bool branch_admits(struct builder *builder, const struct branch *branch,
                          const struct schema_op *source, struct json value)
{
    const struct schema_program *program = builder->program;
    if ((value_type(value) & branch->types) == 0)
        return false;
    for (uint32_t i = 0; i < branch->node_count; i++) {
        const struct schema_op *ops = schema_node_ops(program, branch->nodes[i]);
        for (uint32_t k = 0; k < program->nodes[branch->nodes[i]].op_count; k++) {
            if (&ops[k] != source && !op_admits(builder, branch->nodes[i], &ops[k], value))
                return false;
        }
    }
    for (uint32_t i = 0; i < branch->not_count; i++) {
        if (branch->not_names[i].ptr == NULL &&
            enum_has(builder, &program->ops[branch->nots[i]], value))
            return false;
    }
    return true;
}

static void build_enum(struct builder *builder, const struct branch *branch,
                       const struct schema_op *op)
{
    struct decode_language *language = builder->language;
    for (uint32_t i = 0; i < op->b && !build_failed(builder); i++) {
        struct json value = builder->program->values[op->a + i];
        if (!branch_admits(builder, branch, op, value))
            continue;
        struct buffer text;
        buffer_init(&text, language->alloc, LIMIT_SCHEMA_BYTES);
        json_write(value, 0, &text);
        struct str copy = { NULL, 0 };
        if (buffer_status(&text) == STATUS_OK)
            copy = arena_copy(&language->arena, buffer_view(&text));
        buffer_release(&text);
        if (copy.ptr == NULL)
            build_no_memory(builder);
        else
            build_literal(builder, copy, hash_value(value, copy), SCHEMA_NONE);
    }
}

/* ---- grounding
 * ------------------------------------------------------------------------------------- */

/* Decoding is grounded and no node of the branch says "x-derived": true. */
static bool branch_is_grounded(const struct builder *builder, const struct branch *branch)
{
    if (builder->language->options.ground == NULL ||
        (branch->flags & (RULE_UNGROUNDED | RULE_NEED)))
        return false;
    for (uint32_t i = 0; i < branch->node_count; i++) {
        struct json schema = builder->program->nodes[branch->nodes[i]].schema;
        if (!json_exists(schema) || json_type(schema) != JSON_OBJECT)
            continue;
        struct json derived = json_get(schema, STR("x-derived"));
        if (json_exists(derived) && json_type(derived) == JSON_TRUE)
            return false;
    }
    return true;
}

static int format_list(enum schema_format format)
{
    switch (format) {
    case SCHEMA_FORMAT_DATE: return GROUND_DATES;
    case SCHEMA_FORMAT_TIME: return GROUND_TIMES;
    case SCHEMA_FORMAT_DATE_TIME: return GROUND_DATE_TIMES;
    case SCHEMA_FORMAT_EMAIL:
    case SCHEMA_FORMAT_IDN_EMAIL: return GROUND_EMAILS;
    case SCHEMA_FORMAT_URI:
    case SCHEMA_FORMAT_URI_REFERENCE:
    case SCHEMA_FORMAT_IRI:
    case SCHEMA_FORMAT_IRI_REFERENCE: return GROUND_URIS;
    case SCHEMA_FORMAT_UUID: return GROUND_UUIDS;
    case SCHEMA_FORMAT_IPV4:
    case SCHEMA_FORMAT_IPV6: return GROUND_ADDRESSES;
    case SCHEMA_FORMAT_DURATION:
    case SCHEMA_FORMAT_HOSTNAME:
    case SCHEMA_FORMAT_HOSTNAME_1123:
    case SCHEMA_FORMAT_IDN_HOSTNAME:
    case SCHEMA_FORMAT_JSON_POINTER:
    case SCHEMA_FORMAT_RELATIVE_JSON_POINTER:
    case SCHEMA_FORMAT_URI_TEMPLATE:
    case SCHEMA_FORMAT_REGEX:
    case SCHEMA_FORMAT_UNKNOWN: return -1;
    }
    return -1;
}

/* The prompt's values of that format that the bounds admit become literals. False: there are none.
 */
static bool ground_formats(struct builder *builder, const struct string_alt *string)
{
    int kind = format_list(string->format);
    if (kind < 0)
        return false;
    const struct ground_list *list = &builder->language->options.ground->lists[kind];
    bool found = false;
    for (uint32_t i = 0; i < list->count && !build_failed(builder); i++) {
        struct str text = list->items[i].text;
        if (!format_has_text(string->format, text) || text.len < string->min_length ||
            text.len > string->max_length)
            continue;
        char *quoted = arena_take(&builder->language->arena, text.len + 2);
        if (quoted == NULL) {
            build_no_memory(builder);
            return false;
        }
        quoted[0] = quoted[text.len + 1] = '"';
        memcpy(quoted + 1, text.ptr, text.len);
        build_literal(builder, str_of(quoted, text.len + 2), value_hash_string(text),
                      list->items[i].source);
        found = true;
    }
    return found;
}

static bool ground_numbers(struct builder *builder, const struct number_set *set)
{
    const struct ground_list *list = &builder->language->options.ground->lists[GROUND_NUMBERS];
    bool found = false;
    for (uint32_t i = 0; i < list->count; i++) {
        struct str text = list->items[i].text;
        bool ok;
        uint64_t hash = number_hash_text(text, &ok);
        if (!ok || !number_set_has_text(set, text))
            continue;
        build_literal(builder, text, hash, list->items[i].source);
        found = true;
    }
    return found;
}

/* ---- strings
 * --------------------------------------------------------------------------------------- */

static void string_bounds(const struct builder *builder, const struct branch *branch,
                          struct string_alt *string)
{
    struct branch_cursor cursor = { 0 };
    const struct schema_op *op;
    string->max_length = SCHEMA_NONE;
    while ((op = branch_next(builder, branch, SCHEMA_OP_MIN_LENGTH, &cursor)) != NULL)
        string->min_length = op->a > string->min_length ? op->a : string->min_length;
    cursor = (struct branch_cursor){ 0 };
    while ((op = branch_next(builder, branch, SCHEMA_OP_MAX_LENGTH, &cursor)) != NULL)
        string->max_length = op->a < string->max_length ? op->a : string->max_length;
}

/* The first format that the language follows; the others are gaps. */
static void string_format(struct builder *builder, const struct branch *branch,
                          struct string_alt *string)
{
    struct branch_cursor cursor = { 0 };
    const struct schema_op *op;
    while ((op = branch_next(builder, branch, SCHEMA_OP_FORMAT, &cursor)) != NULL) {
        enum schema_format format = (enum schema_format)op->a;
        if (format == SCHEMA_FORMAT_UNKNOWN || format == string->format)
            continue;
        if (string->format == SCHEMA_FORMAT_UNKNOWN && format_is_followed(format))
            string->format = format;
        else
            build_gap(builder, cursor.node, op);
    }
}

/* A length that the automaton of the format cannot promise is left to the validator. */
static void string_format_lengths(struct builder *builder, const struct branch *branch,
                                  struct string_alt *string)
{
    uint32_t least = format_min_length(string->format);
    struct branch_cursor cursor = { 0 };
    const struct schema_op *op;
    while ((op = branch_next(builder, branch, SCHEMA_OP_MIN_LENGTH, &cursor)) != NULL) {
        if (op->a > least)
            build_gap(builder, cursor.node, op);
    }
    string->min_length = 0;
}

static void string_gaps(struct builder *builder, const struct branch *branch, bool *has_pattern)
{
    struct branch_cursor cursor = { 0 };
    const struct schema_op *op;
    *has_pattern = false;
    while ((op = branch_next(builder, branch, SCHEMA_OP_PATTERN, &cursor)) != NULL) {
        build_gap(builder, cursor.node, op);
        *has_pattern = true;
    }
    for (uint32_t i = 0; i < branch->not_count; i++) {
        if (branch->not_names[i].ptr == NULL)
            build_gap(builder, branch->not_nodes[i], &builder->program->ops[branch->nots[i]]);
    }
}

static void string_soft_bounds(const struct builder *builder, const struct branch *branch,
                               struct string_alt *string)
{
    uint32_t soft = builder->language->options.string_max;
    if (branch->flags & RULE_KEY) {
        string->is_key = true;
        soft = DECODE_KEY_MAX;
        string->min_length = string->min_length == 0 ? 1 : string->min_length;
    }
    if (branch->flags & RULE_NEED) {
        soft = DECODE_NEED_MAX;
        string->min_length = 1;
    }
    if (string->format == SCHEMA_FORMAT_UNKNOWN && string->max_length > soft)
        string->max_length = string->min_length > soft ? string->min_length : soft;
}

static void build_string(struct builder *builder, const struct branch *branch, uint32_t node)
{
    struct string_alt string = { .format = SCHEMA_FORMAT_UNKNOWN };
    bool has_pattern;
    string_bounds(builder, branch, &string);
    string_format(builder, branch, &string);
    string_gaps(builder, branch, &has_pattern);
    if (string.min_length > string.max_length)
        return;
    bool grounded = branch_is_grounded(builder, branch);
    if (string.format != SCHEMA_FORMAT_UNKNOWN) {
        if (grounded && !has_pattern && ground_formats(builder, &string))
            return;
        string_format_lengths(builder, branch, &string);
        if (format_min_length(string.format) > string.max_length)
            return;
    }
    if (string.min_length > LIMIT_REPLY_BYTES)
        return;
    string_soft_bounds(builder, branch, &string);
    if (string.min_length > string.max_length)
        return;
    string.grounded = grounded && !has_pattern && string.format == SCHEMA_FORMAT_UNKNOWN;
    struct alt *alt = build_alt(builder, ALT_STRING, node);
    if (alt != NULL)
        alt->of.string = string;
}

/* ---- numbers
 * --------------------------------------------------------------------------------------- */

static void bounds_lower(struct number_bounds *bounds, const struct decimal *limit, bool exclusive)
{
    int order = bounds->has_lower ? decimal_compare(limit, &bounds->lower) : 1;
    if (order > 0 || (order == 0 && exclusive)) {
        bounds->lower = *limit;
        bounds->lower_exclusive = exclusive;
        bounds->has_lower = true;
    }
}

static void bounds_upper(struct number_bounds *bounds, const struct decimal *limit, bool exclusive)
{
    int order = bounds->has_upper ? decimal_compare(limit, &bounds->upper) : -1;
    if (order < 0 || (order == 0 && exclusive)) {
        bounds->upper = *limit;
        bounds->upper_exclusive = exclusive;
        bounds->has_upper = true;
    }
}

static void number_bounds_collect(struct builder *builder, const struct branch *branch,
                                  struct number_bounds *bounds)
{
    const struct decimal *decimals = builder->program->decimals;
    struct branch_cursor cursor = { 0 };
    const struct schema_op *op;
    while ((op = branch_next(builder, branch, SCHEMA_OP_MINIMUM, &cursor)) != NULL)
        bounds_lower(bounds, &decimals[op->a], (op->flags & SCHEMA_OP_EXCLUSIVE) != 0);
    cursor = (struct branch_cursor){ 0 };
    while ((op = branch_next(builder, branch, SCHEMA_OP_MAXIMUM, &cursor)) != NULL)
        bounds_upper(bounds, &decimals[op->a], (op->flags & SCHEMA_OP_EXCLUSIVE) != 0);
    cursor = (struct branch_cursor){ 0 };
    while ((op = branch_next(builder, branch, SCHEMA_OP_MULTIPLE_OF, &cursor)) != NULL) {
        const struct decimal *divisor = &decimals[op->a];
        bool held = bounds->divisor_count < sizeof bounds->divisors / sizeof bounds->divisors[0];
        if (held && !divisor->is_big && divisor->exponent >= -18)
            bounds->divisors[bounds->divisor_count++] = divisor;
        else
            build_gap(builder, cursor.node, op);
    }
}

static void build_number(struct builder *builder, const struct branch *branch, uint32_t node)
{
    struct number_bounds bounds = { .integers_only = (branch->types & SCHEMA_FRACTION) == 0 };
    struct number_set set;
    number_bounds_collect(builder, branch, &bounds);
    if (!number_set_from(&bounds, &set))
        return;
    for (uint32_t i = 0; i < branch->not_count; i++) {
        if (branch->not_names[i].ptr == NULL)
            build_gap(builder, branch->not_nodes[i], &builder->program->ops[branch->nots[i]]);
    }
    if (branch_is_grounded(builder, branch) && ground_numbers(builder, &set))
        return;
    struct alt *alt = build_alt(builder, ALT_NUMBER, node);
    if (alt != NULL)
        alt->of.number = set;
}

void build_leaves(struct builder *builder, const struct branch *branch, uint32_t node)
{
    struct branch_cursor cursor = { 0 };
    const struct schema_op *values = branch_next(builder, branch, SCHEMA_OP_ENUM, &cursor);
    if (values != NULL) {
        build_enum(builder, branch, values);
        return;
    }
    if (branch->types & SCHEMA_NULL)
        build_constant(builder, branch, JSON_NULL, STR("null"));
    if (branch->types & SCHEMA_BOOLEAN) {
        build_constant(builder, branch, JSON_FALSE, STR("false"));
        build_constant(builder, branch, JSON_TRUE, STR("true"));
    }
    if (branch->types & SCHEMA_STRING)
        build_string(builder, branch, node);
    if (branch->types & SCHEMA_INTEGER)
        build_number(builder, branch, node);
}

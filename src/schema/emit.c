/* emit.c - keywords of one schema object → instructions.
 *
 * Owns: the meaning of each keyword as instructions and side-table entries, in the fixed order of
 * enum schema_keyword. Leaves to others: checks of values (done before, rules.c), references
 * (reference.c). Invariant: runs in the side tables are contiguous, because making a child node
 * writes none of them.
 */
#include "base/features.h"

#include "schema/compiler.h"
#include "schema/format.h"
#include "regex/regex.h"

/* One keyword of one schema object. */
struct emit {
    struct compiler *compiler;
    const struct compile_scope *scope;
    enum schema_opcode opcode;
    uint8_t types; /* instances that the keyword speaks of */
    struct json value;
};

static struct schema_op *emit_op(struct compiler *compiler, enum schema_opcode opcode,
                                 uint8_t types)
{
    struct schema_op *op = compile_push(compiler, &compiler->ops);
    if (op != NULL)
        *op = (struct schema_op){ .opcode = (uint8_t)opcode, .types = types };
    return op;
}

static struct schema_op *emit_op_a(struct compiler *compiler, enum schema_opcode opcode,
                                   uint8_t types, uint32_t a)
{
    struct schema_op *op = emit_op(compiler, opcode, types);
    if (op != NULL)
        op->a = a;
    return op;
}

static void emit_narrow(struct compiler *compiler, const struct compile_scope *scope, uint8_t types)
{
    struct schema_node *node = vector_at(&compiler->nodes, scope->node);
    node->types &= types;
}

static uint32_t emit_node(struct compiler *compiler, const struct compile_scope *scope,
                          struct json schema)
{
    return compile_node_for(compiler, schema, scope->resource);
}

/* ---- any type -------------------------------------------------------------------------------- */

static void emit_type(const struct emit *emit)
{
    uint8_t types = 0;
    if (json_type(emit->value) == JSON_STRING)
        types = compile_type_bits(json_string(emit->value));
    else
        for (struct json v = json_first(emit->value); json_exists(v); v = json_next(v, emit->value))
            types |= compile_type_bits(json_string(v));
    emit_narrow(emit->compiler, emit->scope, types);
    struct schema_op *op = emit_op_a(emit->compiler, SCHEMA_OP_TYPE, SCHEMA_ANY, types);
    if (op != NULL && emit->compiler->use.dialect == DIALECT_4)
        op->b = (types & SCHEMA_NUMBER) == SCHEMA_INTEGER;
}

static void emit_value(struct compiler *compiler, struct json value, uint8_t *types)
{
    struct json *slot = compile_push(compiler, &compiler->values);
    if (slot == NULL)
        return;
    *slot = value;
    *types |= schema_type_of(value);
}

static void emit_const(const struct emit *emit)
{
    uint8_t types = 0;
    uint32_t first = emit->compiler->values.count;
    emit_value(emit->compiler, emit->value, &types);
    struct schema_op *op = emit_op_a(emit->compiler, SCHEMA_OP_ENUM, SCHEMA_ANY, first);
    if (op == NULL)
        return;
    op->b = 1;
    op->c = SCHEMA_NONE;
    op->flags = SCHEMA_OP_IS_CONST;
    emit_narrow(emit->compiler, emit->scope, types);
}

static void emit_enum(const struct emit *emit)
{
    uint8_t types = 0;
    uint32_t first = emit->compiler->values.count;
    for (struct json v = json_first(emit->value); json_exists(v); v = json_next(v, emit->value))
        emit_value(emit->compiler, v, &types);
    struct schema_op *op = emit_op_a(emit->compiler, SCHEMA_OP_ENUM, SCHEMA_ANY, first);
    if (op == NULL)
        return;
    op->b = emit->compiler->values.count - first;
    op->c = SCHEMA_NONE;
    emit_narrow(emit->compiler, emit->scope, types);
}

/* ---- numbers and strings --------------------------------------------------------------------- */

static void emit_decimal(struct compiler *compiler, enum schema_opcode opcode, struct json value,
                         bool exclusive)
{
    uint32_t index = compiler->decimals.count;
    struct decimal *decimal = compile_push(compiler, &compiler->decimals);
    if (decimal == NULL)
        return;
    *decimal = json_number(value);
    struct schema_op *op = emit_op_a(compiler, opcode, SCHEMA_NUMBER, index);
    if (op != NULL)
        op->flags = exclusive ? SCHEMA_OP_EXCLUSIVE : 0;
}

/* Draft-04 writes an exclusive bound as a boolean beside the bound. */
static bool emit_is_exclusive(const struct compile_scope *scope, enum schema_keyword keyword)
{
    struct json value = scope->found[keyword];
    return json_exists(value) && json_type(value) == JSON_TRUE;
}

static void emit_exclusive(const struct emit *emit)
{
    if (json_type(emit->value) == JSON_NUMBER)
        emit_decimal(emit->compiler, emit->opcode, emit->value, true);
}

static uint32_t emit_saturated(struct json value)
{
    struct decimal number = json_number(value);
    uint64_t count = decimal_to_uint64_saturated(&number);
    return count < SCHEMA_NONE ? (uint32_t)count : SCHEMA_NONE;
}

static void emit_count(const struct emit *emit)
{
    (void)emit_op_a(emit->compiler, emit->opcode, emit->types, emit_saturated(emit->value));
}

static uint32_t emit_custom_format(const struct compiler *compiler, struct str name)
{
    for (uint32_t i = 0; i < compiler->options->format_count; i++)
        if (str_equal(compiler->options->formats[i].name, name))
            return SCHEMA_FORMAT_CUSTOM + i;
    return SCHEMA_FORMAT_UNKNOWN;
}

static bool emit_asserts_format(const struct compiler *compiler)
{
    return compiler->options->format_asserts || compiler->use.format_asserts;
}

static void emit_format(const struct emit *emit)
{
    struct str name = json_string(emit->value);
    if (!emit_asserts_format(emit->compiler))
        return;
    uint32_t custom = emit_custom_format(emit->compiler, name);
    enum schema_format format = schema_format_from(name, emit->compiler->use.dialect);
    if (custom != SCHEMA_FORMAT_UNKNOWN)
        (void)emit_op_a(emit->compiler, SCHEMA_OP_FORMAT, SCHEMA_STRING, custom);
    else if (format != SCHEMA_FORMAT_UNKNOWN)
        (void)emit_op_a(emit->compiler, SCHEMA_OP_FORMAT, SCHEMA_STRING, (uint32_t)format);
}

static bool emit_value_is(struct json value, struct str text)
{
    return json_exists(value) && json_type(value) == JSON_STRING &&
           str_equal(json_string(value), text);
}

/* Draft-07 lets content be asserted, and it always is; the two keywords are one instruction. */
static void emit_content(const struct emit *emit)
{
    struct json encoding = emit->scope->found[KEYWORD_CONTENT_ENCODING];
    struct json media_type = emit->scope->found[KEYWORD_CONTENT_MEDIA_TYPE];
    bool is_second = json_exists(encoding) && emit->value.node == media_type.node;
    uint32_t bits = 0;
    if (is_second)
        return;
    if (emit_value_is(encoding, STR("base64")))
        bits |= SCHEMA_CONTENT_BASE64;
    if (emit_value_is(media_type, STR("application/json")))
        bits |= SCHEMA_CONTENT_JSON;
    /* Text in an encoding that is not known cannot be looked into. */
    if (json_exists(encoding) && (bits & SCHEMA_CONTENT_BASE64) == 0)
        bits = 0;
    if (bits != 0)
        (void)emit_op_a(emit->compiler, SCHEMA_OP_CONTENT, SCHEMA_STRING, bits);
}

static uint32_t emit_known_pattern(const struct compiler *compiler, struct str source)
{
    uint32_t cursor = 0;
    for (;;) {
        uint32_t item = hash_index_next(&compiler->pattern_index, json_key_hash(source), &cursor);
        if (item == SCHEMA_NONE)
            return SCHEMA_NONE;
        const struct schema_pattern *pattern = vector_at(&compiler->patterns, item);
        if (str_equal(pattern->source, source))
            return item;
    }
}

/* The index of a pattern in the table; equal ones are compiled once. */
static uint32_t emit_pattern_source(struct compiler *compiler, struct str source, struct json at)
{
    uint32_t index = emit_known_pattern(compiler, source);
    if (index != SCHEMA_NONE)
        return index;
    index = compiler->patterns.count;
    struct schema_pattern *pattern = compile_push(compiler, &compiler->patterns);
    if (pattern == NULL)
        return 0;
    pattern->source = source;
    if (!hash_index_add(&compiler->pattern_index, compiler->alloc, json_key_hash(source), index))
        compile_no_memory(compiler);
    struct regex_notes notes = { 0 };
    struct error error;
    error_clear(&error);
    enum status status = regex_compile(source, compiler->alloc, &compiler->regex_budget,
                                       &pattern->regex, &notes, &error);
    if (status == STATUS_NO_MEMORY)
        compile_no_memory(compiler);
    else if (status != STATUS_OK)
        compile_fail(compiler, at, "%s", error.message);
    else if (notes.tolerated_escapes)
        compile_warn(compiler, at, "write the mark without the backslash",
                     "the pattern escapes a mark that ECMA-262 does not let it escape; it is read "
                     "as that mark");
    return index;
}

static void emit_pattern(const struct emit *emit)
{
    uint32_t index = emit_pattern_source(emit->compiler, json_string(emit->value), emit->value);
    (void)emit_op_a(emit->compiler, SCHEMA_OP_PATTERN, SCHEMA_STRING, index);
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* A contiguous run of child nodes for the items of a list. */
static void emit_children(const struct emit *emit)
{
    uint32_t first = emit->compiler->children.count;
    for (struct json v = json_first(emit->value); json_exists(v); v = json_next(v, emit->value)) {
        uint32_t node = emit_node(emit->compiler, emit->scope, v);
        uint32_t *child = compile_push(emit->compiler, &emit->compiler->children);
        if (child == NULL)
            return;
        *child = node;
    }
    struct schema_op *op = emit_op_a(emit->compiler, emit->opcode, emit->types, first);
    if (op != NULL)
        op->b = json_count(emit->value);
}

static void emit_rest(struct compiler *compiler, const struct compile_scope *scope,
                      struct json schema, uint32_t begin)
{
    uint32_t node = emit_node(compiler, scope, schema);
    struct schema_op *op = emit_op_a(compiler, SCHEMA_OP_ITEMS, SCHEMA_ARRAY, node);
    if (op != NULL)
        op->b = begin;
}

static void emit_items(const struct emit *emit)
{
    if (json_type(emit->value) == JSON_ARRAY) {
        struct emit list = *emit;
        list.opcode = SCHEMA_OP_PREFIX_ITEMS;
        emit_children(&list);
        return;
    }
    struct json prefix = emit->scope->found[KEYWORD_PREFIX_ITEMS];
    emit_rest(emit->compiler, emit->scope, emit->value,
              json_exists(prefix) ? json_count(prefix) : 0);
}

static void emit_additional_items(const struct emit *emit)
{
    struct json items = emit->scope->found[KEYWORD_ITEMS];
    if (json_exists(items) && json_type(items) == JSON_ARRAY)
        emit_rest(emit->compiler, emit->scope, emit->value, json_count(items));
    else
        (void)emit_node(emit->compiler, emit->scope, emit->value);
}

static void emit_contains(const struct emit *emit)
{
    uint32_t node = emit_node(emit->compiler, emit->scope, emit->value);
    struct schema_op *op = emit_op_a(emit->compiler, SCHEMA_OP_CONTAINS, SCHEMA_ARRAY, node);
    if (op == NULL)
        return;
    struct json least = emit->scope->found[KEYWORD_MIN_CONTAINS];
    struct json most = emit->scope->found[KEYWORD_MAX_CONTAINS];
    op->b = json_exists(least) ? emit_saturated(least) : 1;
    op->c = json_exists(most) ? emit_saturated(most) : SCHEMA_NONE;
}

/* ---- objects --------------------------------------------------------------------------------- */

static void emit_properties(const struct emit *emit)
{
    uint32_t first = emit->compiler->properties.count;
    for (struct json v = json_first(emit->value); json_exists(v); v = json_next(v, emit->value)) {
        uint32_t node = emit_node(emit->compiler, emit->scope, v);
        struct schema_property *property =
            compile_push(emit->compiler, &emit->compiler->properties);
        if (property == NULL)
            return;
        struct str name = json_member_name(v);
        *property =
            (struct schema_property){ .name = name, .hash = json_key_hash(name), .node = node };
    }
    struct schema_op *op = emit_op_a(emit->compiler, SCHEMA_OP_PROPERTIES, SCHEMA_OBJECT, first);
    if (op != NULL)
        op->b = json_count(emit->value);
}

static void emit_pattern_properties(const struct emit *emit)
{
    uint32_t first = emit->compiler->pattern_properties.count;
    for (struct json v = json_first(emit->value); json_exists(v); v = json_next(v, emit->value)) {
        uint32_t pattern = emit_pattern_source(emit->compiler, json_member_name(v), v);
        uint32_t node = emit_node(emit->compiler, emit->scope, v);
        struct schema_pattern_property *row =
            compile_push(emit->compiler, &emit->compiler->pattern_properties);
        if (row == NULL)
            return;
        *row = (struct schema_pattern_property){ .pattern = pattern, .node = node };
    }
    struct schema_op *op =
        emit_op_a(emit->compiler, SCHEMA_OP_PATTERN_PROPERTIES, SCHEMA_OBJECT, first);
    if (op != NULL)
        op->b = json_count(emit->value);
}

/* The names of a list, contiguous in names[]. Returns the first. */
static uint32_t emit_names(struct compiler *compiler, struct json list)
{
    uint32_t first = compiler->names.count;
    for (struct json v = json_first(list); json_exists(v); v = json_next(v, list)) {
        struct str *name = compile_push(compiler, &compiler->names);
        if (name == NULL)
            break;
        *name = json_string(v);
    }
    return first;
}

static void emit_required(const struct emit *emit)
{
    uint32_t first = emit_names(emit->compiler, emit->value);
    struct schema_op *op = emit_op_a(emit->compiler, SCHEMA_OP_REQUIRED, SCHEMA_OBJECT, first);
    if (op != NULL)
        op->b = json_count(emit->value);
}

/* One member of dependentRequired, dependentSchemas or dependencies. */
static void emit_dependency(struct compiler *compiler, const struct compile_scope *scope,
                            struct json value)
{
    uint32_t index = compiler->names.count;
    struct str *name = compile_push(compiler, &compiler->names);
    if (name == NULL)
        return;
    *name = json_member_name(value);
    bool is_list = json_type(value) == JSON_ARRAY;
    uint32_t b = is_list ? emit_names(compiler, value) : emit_node(compiler, scope, value);
    struct schema_op *op =
        emit_op_a(compiler, is_list ? SCHEMA_OP_DEPENDENT_REQUIRED : SCHEMA_OP_DEPENDENT_SCHEMA,
                  SCHEMA_OBJECT, index);
    if (op == NULL)
        return;
    op->b = b;
    op->c = is_list ? json_count(value) : 0;
}

static void emit_dependencies(const struct emit *emit)
{
    for (struct json v = json_first(emit->value); json_exists(v); v = json_next(v, emit->value))
        emit_dependency(emit->compiler, emit->scope, v);
}

/* ---- other schemas --------------------------------------------------------------------------- */

static void emit_single(const struct emit *emit)
{
    (void)emit_op_a(emit->compiler, emit->opcode, emit->types,
                    emit_node(emit->compiler, emit->scope, emit->value));
}

static void emit_reference_of(const struct emit *emit, enum schema_keyword keyword)
{
    uint32_t index = emit->compiler->ops.count;
    if (emit_op_a(emit->compiler, SCHEMA_OP_REF, SCHEMA_ANY, SCHEMA_NONE) == NULL)
        return;
    struct compile_reference *reference = compile_push(emit->compiler, &emit->compiler->references);
    if (reference != NULL)
        *reference = (struct compile_reference){ .value = emit->value,
                                                 .op = index,
                                                 .resource = emit->scope->resource,
                                                 .keyword = (uint8_t)keyword };
}

static void emit_reference(const struct emit *emit)
{
    emit_reference_of(emit, KEYWORD_REF);
}

static void emit_dynamic_reference(const struct emit *emit)
{
    emit_reference_of(emit, KEYWORD_DYNAMIC_REF);
}

static void emit_recursive_reference(const struct emit *emit)
{
    emit_reference_of(emit, KEYWORD_RECURSIVE_REF);
}

static void emit_if(const struct emit *emit)
{
    struct json yes = emit->scope->found[KEYWORD_THEN];
    struct json no = emit->scope->found[KEYWORD_ELSE];
    uint32_t condition = emit_node(emit->compiler, emit->scope, emit->value);
    uint32_t b = json_exists(yes) ? emit_node(emit->compiler, emit->scope, yes) : SCHEMA_NONE;
    uint32_t c = json_exists(no) ? emit_node(emit->compiler, emit->scope, no) : SCHEMA_NONE;
    /* Since 2019-09 a condition alone still marks what it evaluates. */
    if (b == SCHEMA_NONE && c == SCHEMA_NONE && emit->compiler->use.dialect < DIALECT_2019)
        return;
    struct schema_op *op = emit_op_a(emit->compiler, SCHEMA_OP_IF, SCHEMA_ANY, condition);
    if (op == NULL)
        return;
    op->b = b;
    op->c = c;
}

/* Schemas that are only checked and referred to. */
static void emit_definitions(const struct emit *emit)
{
    for (struct json v = json_first(emit->value); json_exists(v); v = json_next(v, emit->value))
        (void)emit_node(emit->compiler, emit->scope, v);
}

static void emit_minimum(const struct emit *emit)
{
    emit_decimal(emit->compiler, emit->opcode, emit->value,
                 emit_is_exclusive(emit->scope, KEYWORD_EXCLUSIVE_MINIMUM));
}

static void emit_maximum(const struct emit *emit)
{
    emit_decimal(emit->compiler, emit->opcode, emit->value,
                 emit_is_exclusive(emit->scope, KEYWORD_EXCLUSIVE_MAXIMUM));
}

static void emit_multiple(const struct emit *emit)
{
    emit_decimal(emit->compiler, emit->opcode, emit->value, false);
}

static void emit_unique_items(const struct emit *emit)
{
    if (json_type(emit->value) == JSON_TRUE)
        (void)emit_op(emit->compiler, emit->opcode, emit->types);
}

static void emit_checked(const struct emit *emit)
{
    (void)emit_node(emit->compiler, emit->scope, emit->value);
}

/* How a keyword becomes instructions; keywords without a row have none of their own. */
static const struct emit_row {
    void (*emit)(const struct emit *emit);
    enum schema_opcode opcode;
    uint8_t types;
} emit_rows[KEYWORD_COUNT] = {
    [KEYWORD_TYPE] = { emit_type, SCHEMA_OP_TYPE, SCHEMA_ANY },
    [KEYWORD_CONST] = { emit_const, SCHEMA_OP_ENUM, SCHEMA_ANY },
    [KEYWORD_ENUM] = { emit_enum, SCHEMA_OP_ENUM, SCHEMA_ANY },
    [KEYWORD_MINIMUM] = { emit_minimum, SCHEMA_OP_MINIMUM, SCHEMA_NUMBER },
    [KEYWORD_EXCLUSIVE_MINIMUM] = { emit_exclusive, SCHEMA_OP_MINIMUM, SCHEMA_NUMBER },
    [KEYWORD_MAXIMUM] = { emit_maximum, SCHEMA_OP_MAXIMUM, SCHEMA_NUMBER },
    [KEYWORD_EXCLUSIVE_MAXIMUM] = { emit_exclusive, SCHEMA_OP_MAXIMUM, SCHEMA_NUMBER },
    [KEYWORD_MULTIPLE_OF] = { emit_multiple, SCHEMA_OP_MULTIPLE_OF, SCHEMA_NUMBER },
    [KEYWORD_MIN_LENGTH] = { emit_count, SCHEMA_OP_MIN_LENGTH, SCHEMA_STRING },
    [KEYWORD_MAX_LENGTH] = { emit_count, SCHEMA_OP_MAX_LENGTH, SCHEMA_STRING },
    [KEYWORD_FORMAT] = { emit_format, SCHEMA_OP_FORMAT, SCHEMA_STRING },
    [KEYWORD_PATTERN] = { emit_pattern, SCHEMA_OP_PATTERN, SCHEMA_STRING },
    [KEYWORD_MIN_ITEMS] = { emit_count, SCHEMA_OP_MIN_ITEMS, SCHEMA_ARRAY },
    [KEYWORD_MAX_ITEMS] = { emit_count, SCHEMA_OP_MAX_ITEMS, SCHEMA_ARRAY },
    [KEYWORD_MIN_PROPERTIES] = { emit_count, SCHEMA_OP_MIN_PROPERTIES, SCHEMA_OBJECT },
    [KEYWORD_MAX_PROPERTIES] = { emit_count, SCHEMA_OP_MAX_PROPERTIES, SCHEMA_OBJECT },
    [KEYWORD_REQUIRED] = { emit_required, SCHEMA_OP_REQUIRED, SCHEMA_OBJECT },
    [KEYWORD_PROPERTIES] = { emit_properties, SCHEMA_OP_PROPERTIES, SCHEMA_OBJECT },
    [KEYWORD_PATTERN_PROPERTIES] = { emit_pattern_properties, SCHEMA_OP_PATTERN_PROPERTIES,
                                     SCHEMA_OBJECT },
    [KEYWORD_ADDITIONAL_PROPERTIES] = { emit_single, SCHEMA_OP_ADDITIONAL, SCHEMA_OBJECT },
    [KEYWORD_PROPERTY_NAMES] = { emit_single, SCHEMA_OP_PROPERTY_NAMES, SCHEMA_OBJECT },
    [KEYWORD_DEPENDENT_REQUIRED] = { emit_dependencies, SCHEMA_OP_DEPENDENT_REQUIRED,
                                     SCHEMA_OBJECT },
    [KEYWORD_DEPENDENT_SCHEMAS] = { emit_dependencies, SCHEMA_OP_DEPENDENT_SCHEMA, SCHEMA_OBJECT },
    [KEYWORD_DEPENDENCIES] = { emit_dependencies, SCHEMA_OP_DEPENDENT_SCHEMA, SCHEMA_OBJECT },
    [KEYWORD_PREFIX_ITEMS] = { emit_children, SCHEMA_OP_PREFIX_ITEMS, SCHEMA_ARRAY },
    [KEYWORD_ITEMS] = { emit_items, SCHEMA_OP_ITEMS, SCHEMA_ARRAY },
    [KEYWORD_ADDITIONAL_ITEMS] = { emit_additional_items, SCHEMA_OP_ITEMS, SCHEMA_ARRAY },
    [KEYWORD_CONTAINS] = { emit_contains, SCHEMA_OP_CONTAINS, SCHEMA_ARRAY },
    [KEYWORD_UNIQUE_ITEMS] = { emit_unique_items, SCHEMA_OP_UNIQUE_ITEMS, SCHEMA_ARRAY },
    [KEYWORD_CONTENT_ENCODING] = { emit_content, SCHEMA_OP_CONTENT, SCHEMA_STRING },
    [KEYWORD_CONTENT_MEDIA_TYPE] = { emit_content, SCHEMA_OP_CONTENT, SCHEMA_STRING },
    [KEYWORD_REF] = { emit_reference, SCHEMA_OP_REF, SCHEMA_ANY },
    [KEYWORD_DYNAMIC_REF] = { emit_dynamic_reference, SCHEMA_OP_DYNAMIC_REF, SCHEMA_ANY },
    [KEYWORD_RECURSIVE_REF] = { emit_recursive_reference, SCHEMA_OP_DYNAMIC_REF, SCHEMA_ANY },
    [KEYWORD_ALL_OF] = { emit_children, SCHEMA_OP_ALL_OF, SCHEMA_ANY },
    [KEYWORD_ANY_OF] = { emit_children, SCHEMA_OP_ANY_OF, SCHEMA_ANY },
    [KEYWORD_ONE_OF] = { emit_children, SCHEMA_OP_ONE_OF, SCHEMA_ANY },
    [KEYWORD_NOT] = { emit_single, SCHEMA_OP_NOT, SCHEMA_ANY },
    [KEYWORD_IF] = { emit_if, SCHEMA_OP_IF, SCHEMA_ANY },
    [KEYWORD_UNEVALUATED_ITEMS] = { emit_single, SCHEMA_OP_UNEVALUATED_ITEMS, SCHEMA_ARRAY },
    [KEYWORD_UNEVALUATED_PROPERTIES] = { emit_single, SCHEMA_OP_UNEVALUATED_PROPERTIES,
                                         SCHEMA_OBJECT },
    /* Schemas that are only checked and referred to: no instruction. */
    [KEYWORD_THEN] = { emit_checked, SCHEMA_OP_IF, SCHEMA_ANY },
    [KEYWORD_ELSE] = { emit_checked, SCHEMA_OP_IF, SCHEMA_ANY },
    [KEYWORD_CONTENT_SCHEMA] = { emit_checked, SCHEMA_OP_REF, SCHEMA_ANY },
    [KEYWORD_DEFS] = { emit_definitions, SCHEMA_OP_REF, SCHEMA_ANY },
    [KEYWORD_DEFINITIONS] = { emit_definitions, SCHEMA_OP_REF, SCHEMA_ANY },
};

void compile_emit(struct compiler *compiler, const struct compile_scope *scope)
{
    for (int i = 0; i < KEYWORD_COUNT && compiler->status == STATUS_OK; i++) {
        const struct emit_row *row = &emit_rows[i];
        if (row->emit == NULL || !json_exists(scope->found[i]))
            continue;
        const struct emit emit = { compiler, scope, row->opcode, row->types, scope->found[i] };
        row->emit(&emit);
    }
}

/* language.c - the life of a decode language: building it, its gaps, its errors.
 *
 * Owns the builder's memory and the order of work: rules are filled breadth first from the root,
 * then the need object is added, then the sizes of shortest texts are computed (sizes.c).
 * Invariant: a language that was handed out has a finite text, and each of its states can be
 * closed.
 */
#include "base/features.h"

#include "base/checked.h"
#include "decode/build.h"

/* ---- the builder's tools
 * --------------------------------------------------------------------------- */

bool build_failed(const struct builder *builder)
{
    return builder->status != STATUS_OK;
}

void build_no_memory(struct builder *builder)
{
    if (!build_failed(builder))
        builder->status = error_set(builder->error, STATUS_NO_MEMORY, "out of memory");
}

bool build_reserve(struct builder *builder, void **array, uint32_t *cap, uint32_t count,
                   size_t size)
{
    if (build_failed(builder))
        return false;
    if (count < *cap)
        return true;
    uint32_t grown = *cap == 0 ? 16 : *cap * 2;
    size_t bytes;
    void *moved = NULL;
    if (!size_multiply_overflows(grown, size, &bytes) && grown > *cap)
        moved = alloc_grow(builder->language->alloc, *array, *cap * size, bytes);
    if (moved == NULL) {
        build_no_memory(builder);
        return false;
    }
    *array = moved;
    *cap = grown;
    return true;
}

struct alt *build_alt(struct builder *builder, enum alt_kind kind, uint32_t node)
{
    struct decode_language *language = builder->language;
    if (!build_reserve(builder, (void **)&language->alts, &language->alt_cap, language->alt_count,
                       sizeof *language->alts) ||
        !build_reserve(builder, (void **)&builder->rule_alts, &builder->rule_alt_cap,
                       builder->rule_alt_count, sizeof *builder->rule_alts))
        return NULL;
    builder->rule_alts[builder->rule_alt_count++] = language->alt_count;
    struct alt *alt = &language->alts[language->alt_count++];
    memset(alt, 0, sizeof *alt);
    alt->kind = kind;
    alt->node = node;
    alt->min_bytes = DECODE_ENDLESS;
    return alt;
}

static const char *opcode_keyword(const struct schema_op *op)
{
    switch ((enum schema_opcode)op->opcode) {
    case SCHEMA_OP_TYPE: return "type";
    case SCHEMA_OP_ENUM: return (op->flags & SCHEMA_OP_IS_CONST) ? "const" : "enum";
    case SCHEMA_OP_MINIMUM:
        return (op->flags & SCHEMA_OP_EXCLUSIVE) ? "exclusiveMinimum" : "minimum";
    case SCHEMA_OP_MAXIMUM:
        return (op->flags & SCHEMA_OP_EXCLUSIVE) ? "exclusiveMaximum" : "maximum";
    case SCHEMA_OP_MULTIPLE_OF: return "multipleOf";
    case SCHEMA_OP_MIN_LENGTH: return "minLength";
    case SCHEMA_OP_MAX_LENGTH: return "maxLength";
    case SCHEMA_OP_PATTERN: return "pattern";
    case SCHEMA_OP_FORMAT: return "format";
    case SCHEMA_OP_PREFIX_ITEMS: return "prefixItems";
    case SCHEMA_OP_ITEMS: return "items";
    case SCHEMA_OP_CONTAINS: return "contains";
    case SCHEMA_OP_MIN_ITEMS: return "minItems";
    case SCHEMA_OP_MAX_ITEMS: return "maxItems";
    case SCHEMA_OP_UNIQUE_ITEMS: return "uniqueItems";
    case SCHEMA_OP_PROPERTIES: return "properties";
    case SCHEMA_OP_PATTERN_PROPERTIES: return "patternProperties";
    case SCHEMA_OP_ADDITIONAL: return "additionalProperties";
    case SCHEMA_OP_PROPERTY_NAMES: return "propertyNames";
    case SCHEMA_OP_REQUIRED: return "required";
    case SCHEMA_OP_MIN_PROPERTIES: return "minProperties";
    case SCHEMA_OP_MAX_PROPERTIES: return "maxProperties";
    case SCHEMA_OP_DEPENDENT_REQUIRED: return "dependentRequired";
    case SCHEMA_OP_DEPENDENT_SCHEMA: return "dependentSchemas";
    case SCHEMA_OP_REF: return "$ref";
    case SCHEMA_OP_ALL_OF: return "allOf";
    case SCHEMA_OP_ANY_OF: return "anyOf";
    case SCHEMA_OP_ONE_OF: return "oneOf";
    case SCHEMA_OP_CONTENT: return "contentEncoding";
    case SCHEMA_OP_DYNAMIC_REF: return "$dynamicRef";
    case SCHEMA_OP_UNEVALUATED_ITEMS: return "unevaluatedItems";
    case SCHEMA_OP_UNEVALUATED_PROPERTIES: return "unevaluatedProperties";
    case SCHEMA_OP_NOT: return "not";
    case SCHEMA_OP_IF: return "if";
    }
    return "";
}

void build_gap(struct builder *builder, uint32_t node, const struct schema_op *op)
{
    size_t index = (size_t)(op - builder->program->ops);
    if (build_failed(builder) || (builder->gap_seen[index / 8] & (1u << index % 8)))
        return;
    builder->gap_seen[index / 8] |= (unsigned char)(1u << index % 8);
    json_pointer_of(builder->program->nodes[node].schema, &builder->gaps);
    json_pointer_append(&builder->gaps, str_from(opcode_keyword(op)));
    buffer_append_byte(&builder->gaps, '\n');
}

/* ---- errors
 * ---------------------------------------------------------------------------------------- */

static uint32_t alt_endless_child(const struct decode_language *language, const struct alt *alt)
{
    if (alt->kind == ALT_OBJECT) {
        for (uint32_t i = 0; i < alt->of.object.member_count; i++) {
            const struct member *member = &alt->of.object.members[i];
            if (member->required && language->rules[member->rule].min_bytes == DECODE_ENDLESS)
                return member->rule;
        }
    } else if (alt->kind == ALT_ARRAY) {
        const struct array_alt *array = &alt->of.array;
        for (uint32_t i = 0; i < array->prefix_count && i < array->min_items; i++) {
            if (language->rules[array->prefix[i]].min_bytes == DECODE_ENDLESS)
                return array->prefix[i];
        }
        if (array->items != RULE_NONE && language->rules[array->items].min_bytes == DECODE_ENDLESS)
            return array->items;
    }
    return RULE_NONE;
}

/* The deepest rule without a finite text on the way from the root. */
static enum status fail_endless(const struct decode_language *language, struct error *error)
{
    uint32_t rule = 0;
    uint32_t node = 0;
    for (unsigned steps = 0; steps < 64; steps++) {
        const struct rule *at = &language->rules[rule];
        node = at->node == SCHEMA_NONE ? node : at->node;
        uint32_t child = at->alt_count > 0
                             ? alt_endless_child(language, &language->alts[at->alts[0]])
                             : RULE_NONE;
        if (child == RULE_NONE || child == rule)
            break;
        rule = child;
    }
    enum status status =
        error_set(error, STATUS_UNSUPPORTED, "no value of bounded size can satisfy this subschema");
    struct buffer pointer;
    buffer_init(&pointer, language->alloc, ERROR_POINTER_BYTES * 4);
    json_pointer_of(language->program->nodes[node].schema, &pointer);
    if (buffer_status(&pointer) == STATUS_OK && error != NULL)
        error_at_pointer(error, buffer_view(&pointer));
    buffer_release(&pointer);
    return status;
}

/* ---- building
 * -------------------------------------------------------------------------------------- */

static enum status builder_init(struct builder *builder, struct decode_language *language,
                                struct error *error)
{
    memset(builder, 0, sizeof *builder);
    builder->language = language;
    builder->program = language->program;
    builder->error = error;
    builder->compare_steps = BUILD_COMPARE_STEPS;
    for (uint32_t i = 0; i < BUILD_BUCKETS; i++)
        builder->buckets[i] = RULE_NONE;
    buffer_init(&builder->gaps, language->alloc, LIMIT_SCHEMA_BYTES);
    size_t bits = language->program->op_count / 8 + 1;
    builder->branches = alloc_get(language->alloc, DECODE_BRANCHES_MAX * sizeof *builder->branches);
    builder->gap_seen = alloc_get(language->alloc, bits);
    if (builder->branches == NULL || builder->gap_seen == NULL)
        build_no_memory(builder);
    else
        memset(builder->gap_seen, 0, bits);
    return builder->status;
}

static void builder_release(struct builder *builder)
{
    const struct alloc *alloc = builder->language->alloc;
    alloc_free(alloc, builder->branches, DECODE_BRANCHES_MAX * sizeof *builder->branches);
    alloc_free(alloc, builder->gap_seen, builder->program->op_count / 8 + 1);
    alloc_free(alloc, builder->keys, builder->key_cap * sizeof *builder->keys);
    alloc_free(alloc, builder->rule_alts, builder->rule_alt_cap * sizeof *builder->rule_alts);
    alloc_free(alloc, builder->literals, builder->literal_cap * sizeof *builder->literals);
    buffer_release(&builder->gaps);
}

/* The object {"<need>": string} as one more alternative of a root of its own. */
static void build_need(struct builder *builder)
{
    struct decode_language *language = builder->language;
    language->root = 0;
    if (language->need_name.len == 0 || build_failed(builder))
        return;
    uint32_t text = build_rule(builder, NULL, 0, SCHEMA_NONE, RULE_NEED);
    build_rule_fill(builder, text);
    uint32_t root = build_rule(builder, NULL, 0, 0, RULE_NEED);
    if (build_failed(builder))
        return;
    struct branch branch = { .types = SCHEMA_OBJECT,
                             .needed = { language->need_name },
                             .needed_count = 1 };
    builder->rule_alt_count = 0;
    build_object(builder, &branch, SCHEMA_NONE);
    const struct rule *target = &language->rules[0];
    uint32_t *alts = arena_take_array(&language->arena, target->alt_count + 1, sizeof *alts);
    if (alts == NULL)
        build_no_memory(builder);
    if (build_failed(builder))
        return;
    if (target->alt_count > 0)
        memcpy(alts, target->alts, target->alt_count * sizeof *alts);
    alts[target->alt_count] = builder->rule_alts[0];
    struct member *member = arena_take(&language->arena, sizeof *member);
    if (member == NULL) {
        build_no_memory(builder);
        return;
    }
    struct object_alt *object = &language->alts[builder->rule_alts[0]].of.object;
    *member = object->members[0];
    member->rule = text;
    object->members = member;
    language->rules[root].alts = alts;
    language->rules[root].alt_count = target->alt_count + 1;
    language->root = root;
}

/* What unique and fresh mean depends on the kinds of items, known once all rules are filled: values
 * inside containers are not compared while they are written, and numbers may well repeat. */
static void build_array_differences(struct builder *builder, struct array_alt *array)
{
    struct decode_language *language = builder->language;
    if (array->items == RULE_NONE)
        return;
    const struct rule *rule = &language->rules[array->items];
    bool has_container = false, has_number = false, has_text = false;
    for (uint32_t i = 0; i < rule->alt_count; i++) {
        const struct alt *alt = &language->alts[rule->alts[i]];
        has_container |= alt->kind == ALT_ARRAY || alt->kind == ALT_OBJECT;
        has_number |=
            alt->kind == ALT_NUMBER || (alt->kind == ALT_LITERALS && alt->of.literals.numbers);
        has_text |= alt->kind == ALT_STRING ||
                    (alt->kind == ALT_LITERALS && alt->of.literals.items[0].text.ptr[0] == '"');
    }
    if (array->unique && has_container)
        build_gap(builder, array->unique_node, &builder->program->ops[array->unique_op]);
    array->fresh = array->fresh && !has_number && (has_text || has_container);
}

static void build_all(struct builder *builder)
{
    struct decode_language *language = builder->language;
    uint32_t root = 0;
    build_rule(builder, &root, 1, 0, 0);
    for (uint32_t rule = 0; rule < language->rule_count && !build_failed(builder); rule++)
        build_rule_fill(builder, rule);
    uint32_t filled = language->rule_count;
    build_need(builder);
    for (uint32_t rule = filled; rule < language->rule_count && !build_failed(builder); rule++) {
        if (language->rules[rule].alts == NULL)
            build_rule_fill(builder, rule);
    }
    for (uint32_t i = 0; i < language->alt_count && !build_failed(builder); i++) {
        if (language->alts[i].kind == ALT_ARRAY)
            build_array_differences(builder, &language->alts[i].of.array);
    }
    if (build_failed(builder))
        return;
    if (buffer_status(&builder->gaps) == STATUS_OK)
        language->gaps = arena_copy(&language->arena, buffer_view(&builder->gaps));
    if (language->gaps.ptr == NULL)
        build_no_memory(builder);
}

static void language_options(struct decode_language *language, const struct decode_options *options)
{
    if (options != NULL)
        language->options = *options;
    struct decode_options *set = &language->options;
    if (set->string_max == 0)
        set->string_max = DECODE_STRING_SOFT;
    if (set->items_max == 0)
        set->items_max = DECODE_ITEMS_SOFT;
    if (set->depth_max == 0 || set->depth_max > DECODE_DEPTH_MAX)
        set->depth_max = DECODE_DEPTH_MAX;
    language->need_name = arena_copy(&language->arena, set->need_name);
}

enum status decode_language_new(const struct schema_program *program,
                                const struct decode_options *options, const struct alloc *alloc,
                                struct decode_language **out_language, struct error *error)
{
    struct decode_language *language = alloc_get(alloc, sizeof *language);
    if (language == NULL)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    memset(language, 0, sizeof *language);
    language->alloc = alloc;
    language->program = program;
    arena_init(&language->arena, alloc, DECODE_LANGUAGE_BYTES);
    language_options(language, options);
    struct builder *builder = alloc_get(alloc, sizeof *builder);
    enum status status;
    if (builder == NULL || (language->need_name.ptr == NULL)) {
        status = error_set(error, STATUS_NO_MEMORY, "out of memory");
    } else {
        status = builder_init(builder, language, error);
        if (status == STATUS_OK)
            build_all(builder);
        status = builder->status;
        builder_release(builder);
    }
    alloc_free(alloc, builder, sizeof *builder);
    if (status == STATUS_OK) {
        language_sizes(language);
        const struct rule *target = &language->rules[0];
        if (target->min_bytes > LIMIT_REPLY_BYTES ||
            target->min_depth > language->options.depth_max)
            status = fail_endless(language, error);
    }
    if (status != STATUS_OK) {
        decode_language_free(language);
        return status;
    }
    *out_language = language;
    return STATUS_OK;
}

void decode_language_free(struct decode_language *language)
{
    if (language == NULL)
        return;
    alloc_free(language->alloc, language->rules, language->rule_cap * sizeof *language->rules);
    alloc_free(language->alloc, language->alts, language->alt_cap * sizeof *language->alts);
    arena_release(&language->arena);
    alloc_free(language->alloc, language, sizeof *language);
}

struct str decode_language_gaps(const struct decode_language *language)
{
    return language->gaps;
}

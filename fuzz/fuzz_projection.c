/* fuzz_projection.c - laws of projections for any schema and any reply: the wire schema compiles;
 * every reply has an inverse; the form of a valid value conforms to the wire schema, and
 * is no question.
 *
 * The first byte chooses rules and rung; then the schema, a line end, and the value.
 */
#include "base/features.h"

#include <stdint.h>
#include <stdlib.h>

#include "projection/projection.h"
#include "schema/compile.h"
#include "schema/validate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

/* Closed and complete (0), open with everything (1), poor (2), with small limits (3). */
static struct wire_rules rules_of(unsigned choice)
{
    struct wire_rules rules = { .name = STR("fuzz"), .definitions = STR("$defs") };
    for (unsigned i = 0; i < WIRE_FEATURE_COUNT; i++)
        rules.support[i] = choice == 1 ? WIRE_ENFORCED : WIRE_REJECTED;
    if (choice != 1) {
        rules.support[WIRE_TYPE_LIST] = WIRE_ENFORCED;
        rules.support[WIRE_ENUM_STRINGS] = WIRE_ENFORCED;
        rules.support[WIRE_ADDITIONAL_FALSE] = WIRE_ENFORCED;
        rules.support[WIRE_DESCRIPTION] = WIRE_ACCEPTED;
        rules.must_close = true;
        rules.is_strict = true;
    }
    if (choice == 0 || choice == 3) {
        rules.support[WIRE_ANY_OF] = WIRE_ENFORCED;
        rules.support[WIRE_REF] = WIRE_ENFORCED;
        rules.support[WIRE_REF_RECURSIVE] = choice == 0 ? WIRE_ENFORCED : WIRE_REJECTED;
        rules.support[WIRE_ENUM_SCALARS] = WIRE_ENFORCED;
    }
    if (choice == 3)
        rules.limits = (struct wire_limits){ .properties = 8,
                                             .depth = 3,
                                             .optional_members = 2,
                                             .unions = 2,
                                             .enum_values = 6,
                                             .name_bytes = 200,
                                             .items_sum = 20,
                                             .description_bytes = 80 };
    return rules;
}

/* NULL where no schema goes over the wire. */
static struct schema_program *compile_wire(const struct projection *projection)
{
    struct schema_program *program = NULL;
    struct schema_options options = { .unknown_keywords = SCHEMA_UNKNOWN_ALLOW };
    if (projection_schema(projection).len > 0)
        require(schema_compile_text(projection_schema(projection), &options, alloc_default(),
                                    &program, NULL) == STATUS_OK);
    return program;
}

/* What cannot be decided within the steps counts as `otherwise`. */
static bool is_valid(const struct schema_program *program, struct json value, bool otherwise)
{
    enum { STEPS = 100000 };
    bool valid = false;
    enum status status = schema_is_valid(program, value, STEPS, alloc_default(), &valid, NULL);
    return status == STATUS_OK ? valid : otherwise;
}

static void check_inverse(const struct projection *projection, struct json reply, bool is_target)
{
    struct projection_value back = { 0 };
    require(projection_invert(projection, reply, alloc_default(), &back) == STATUS_OK);
    require(!is_target || back.part == PROJECTION_TARGET);
    json_doc_free(back.doc);
}

static void check_value(const struct projection *projection, const struct schema_program *target,
                        const struct schema_program *wire, struct json value)
{
    struct buffer form;
    struct json_doc *doc = NULL;
    check_inverse(projection, value, false);
    if (!is_valid(target, value, false))
        return;
    buffer_init(&form, alloc_default(), 1 << 24);
    if (projection_convert(projection, value, &form, NULL) == STATUS_OK &&
        json_parse(buffer_view(&form), NULL, alloc_default(), &doc, NULL) == STATUS_OK) {
        require(wire == NULL || is_valid(wire, json_doc_root(doc), true));
        check_inverse(projection, json_doc_root(doc), wire != NULL);
    }
    json_doc_free(doc);
    buffer_release(&form);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct schema_program *program = NULL;
    struct projection *projection = NULL;
    struct json_doc *doc = NULL;
    struct schema_options options = { .unknown_keywords = SCHEMA_UNKNOWN_ALLOW };
    if (size < 2)
        return 0;
    const char *text = (const char *)data + 1;
    const char *end = memchr(text, '\n', size - 1);
    size_t len = end == NULL ? size - 1 : (size_t)(end - text);
    if (schema_compile_text(str_of(text, len), &options, alloc_default(), &program, NULL) !=
        STATUS_OK)
        return 0;
    struct wire_rules rules = rules_of(data[0] & 3);
    struct projection_options wanted = { .program = program,
                                         .rules = &rules,
                                         .need_name = (data[0] & 4) != 0 ? STR("_need") : STR(""),
                                         .rung = (enum projection_rung)(data[0] >> 3 & 3),
                                         .wants_watch = (data[0] & 32) != 0 };
    if (projection_new(&wanted, alloc_default(), &projection, NULL) == STATUS_OK) {
        struct schema_program *wire = compile_wire(projection);
        if (end != NULL && json_parse(str_of(end + 1, size - 2 - len), NULL, alloc_default(), &doc,
                                      NULL) == STATUS_OK)
            check_value(projection, program, wire, json_doc_root(doc));
        schema_program_free(wire);
    }
    json_doc_free(doc);
    projection_free(projection);
    schema_program_free(program);
    return 0;
}

/* watch.c - the schema of every text that may still become an answer. See watch.h.
 *
 * The shape written once more, with every constraint that a schema can say, for rules that take all
 * of them; beside it the target as it is, for whoever answers directly, and the need object. Owns:
 * those rules, and putting the three together. Invariants: what any reading of the reply could make
 * valid is valid here; formats are left to the last verdict.
 */
#include "base/features.h"

#include "projection/watch.h"

#include "base/limits.h"
#include "projection/emit.h"
#include "schema/compile.h"
#include "schema/dialect.h"
#include "schema/library.h"

#define WIRE_URI   "structure:wire"
#define TARGET_URI "structure:target"

static struct wire_rules rules_of_all(void)
{
    struct wire_rules rules = { .name = STR("all"), .definitions = STR("$defs") };
    for (unsigned i = 0; i < WIRE_FEATURE_COUNT; i++)
        rules.support[i] = WIRE_ENFORCED;
    rules.support[WIRE_NULLABLE] = WIRE_REJECTED;
    rules.support[WIRE_FORMATS] = WIRE_REJECTED;
    rules.support[WIRE_FORMAT_ANY] = WIRE_REJECTED;
    rules.support[WIRE_TITLE] = WIRE_REJECTED;
    rules.support[WIRE_DESCRIPTION] = WIRE_REJECTED;
    rules.support[WIRE_DEFAULT] = WIRE_REJECTED;
    rules.support[WIRE_PATTERN_ANCHORED_ONLY] = WIRE_REJECTED;
    return rules;
}

static enum status add_text(struct schema_library *library, const char *uri, struct str text,
                            const struct alloc *alloc)
{
    struct json_doc *doc = NULL;
    enum status status = json_parse(text, NULL, alloc, &doc, NULL);
    if (status != STATUS_OK)
        return status;
    status = schema_library_add(library, str_from(uri), doc, NULL);
    if (status != STATUS_OK)
        json_doc_free(doc);
    return status;
}

static enum status add_wire(struct shape *shape, struct schema_library *library)
{
    struct wire_rules all = rules_of_all();
    const struct wire_rules *rules = shape->rules;
    struct emit_result result;
    struct buffer text;
    buffer_init(&text, shape->alloc, LIMIT_SCHEMA_BYTES);
    shape->rules = &all;
    enum status status = emit_schema(shape, EMIT_DIRECT, &text, &result);
    shape->rules = rules;
    if (status == STATUS_OK)
        status = buffer_status(&text);
    if (status == STATUS_OK)
        status = add_text(library, WIRE_URI, buffer_view(&text), shape->alloc);
    buffer_release(&text);
    return status;
}

static enum status add_target(const struct shape *shape, struct schema_library *library)
{
    struct buffer text;
    buffer_init(&text, shape->alloc, LIMIT_SCHEMA_BYTES);
    json_write(shape->program->root, 0, &text);
    enum status status = buffer_status(&text);
    if (status == STATUS_OK)
        status = add_text(library, TARGET_URI, buffer_view(&text), shape->alloc);
    buffer_release(&text);
    return status;
}

static void write_whole(const struct shape *shape, struct buffer *out)
{
    buffer_append_str(out,
                      STR("{\"anyOf\":[{\"$ref\":\"" WIRE_URI "\"},{\"$ref\":\"" TARGET_URI "\"}"));
    if (shape->need_name.len > 0) {
        buffer_append_str(out, STR(",{\"type\":\"object\",\"required\":["));
        json_write_string(shape->need_name, out);
        buffer_append_str(out, STR("],\"additionalProperties\":false,\"properties\":{"));
        json_write_string(shape->need_name, out);
        buffer_append_str(out, STR(":{\"type\":\"string\"}}}"));
    }
    buffer_append_str(out, STR("]}"));
}

static enum status compile_whole(const struct shape *shape, struct schema_library *library,
                                 struct schema_program **out_program)
{
    struct buffer text;
    struct schema_options options = { .unknown_keywords = SCHEMA_UNKNOWN_ALLOW,
                                      .library = library };
    buffer_init(&text, shape->alloc, LIMIT_SCHEMA_BYTES);
    write_whole(shape, &text);
    enum status status = buffer_status(&text);
    if (status == STATUS_OK)
        status = schema_compile_text(buffer_view(&text), &options, shape->alloc, out_program, NULL);
    buffer_release(&text);
    return status;
}

/* The dialect that the target was compiled in is the one that its text alone says. */
static bool text_says_dialect(const struct schema_program *program)
{
    return program->nodes[0].dialect == DIALECT_2020 ||
           (json_type(program->root) == JSON_OBJECT &&
            json_exists(json_get(program->root, STR("$schema"))));
}

enum status watch_build(struct shape *shape, struct schema_program **out_program)
{
    struct schema_library *library = NULL;
    *out_program = NULL;
    if (!text_says_dialect(shape->program))
        return STATUS_OK;
    enum status status = schema_library_new(shape->alloc, &library);
    if (status == STATUS_OK)
        status = add_wire(shape, library);
    if (status == STATUS_OK)
        status = add_target(shape, library);
    if (status == STATUS_OK)
        status = compile_whole(shape, library, out_program);
    schema_library_unref(library);
    if (status != STATUS_OK)
        *out_program = NULL;
    return status == STATUS_NO_MEMORY ? status : STATUS_OK;
}

/* projection.c - the life of a projection. See projection.h.
 *
 * Owns: struct projection and what it answers. Invariant: immutable after projection_new.
 */
#include "base/features.h"

#include "projection/projection.h"

#include "base/arena.h"
#include "base/limits.h"

struct projection {
    const struct alloc *alloc;
    const struct schema_program *program;
    struct arena arena;
    struct buffer schema;
    enum projection_rung rung;
    struct str need_name;
    bool folds_case;
};

const char *projection_rung_name(enum projection_rung rung)
{
    switch (rung) {
    case PROJECTION_FULL: return "full";
    case PROJECTION_NO_BOUNDS: return "no-bounds";
    case PROJECTION_NO_UNIONS: return "no-unions";
    case PROJECTION_JSON_ONLY: return "json-only";
    case PROJECTION_RUNG_COUNT: break;
    }
    return "unknown";
}

enum status projection_new(const struct projection_options *options, const struct alloc *alloc,
                           struct projection **out_projection, struct error *error)
{
    struct projection *projection = alloc_get(alloc, sizeof(*projection));
    if (projection == NULL)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    *projection = (struct projection){ .alloc = alloc,
                                       .program = options->program,
                                       .rung = options->rung,
                                       .folds_case = options->rules->folds_case };
    arena_init(&projection->arena, alloc, LIMIT_SCHEMA_BYTES);
    buffer_init(&projection->schema, alloc, LIMIT_SCHEMA_BYTES);
    projection->need_name = arena_copy(&projection->arena, options->need_name);
    if (options->rung != PROJECTION_JSON_ONLY)
        json_write(options->program->root, 0, &projection->schema);
    if (projection->need_name.ptr == NULL || buffer_status(&projection->schema) != STATUS_OK) {
        projection_free(projection);
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    }
    *out_projection = projection;
    return STATUS_OK;
}

void projection_free(struct projection *projection)
{
    if (projection == NULL)
        return;
    buffer_release(&projection->schema);
    arena_release(&projection->arena);
    alloc_free(projection->alloc, projection, sizeof(*projection));
}

struct str projection_schema(const struct projection *projection)
{
    return buffer_view(&projection->schema);
}

bool projection_is_exact(const struct projection *projection)
{
    return projection->rung != PROJECTION_JSON_ONLY;
}

const struct projection_move *projection_moves(const struct projection *projection,
                                               uint32_t *out_count)
{
    (void)projection;
    *out_count = 0;
    return NULL;
}

enum projection_rung projection_rung(const struct projection *projection)
{
    return projection->rung;
}

bool projection_folds_case(const struct projection *projection)
{
    return projection->folds_case;
}

struct str projection_words(const struct projection *projection)
{
    (void)projection;
    return STR("");
}

enum status projection_invert(const struct projection *projection, struct json reply,
                              const struct alloc *alloc, struct projection_value *out_value)
{
    struct buffer text;
    *out_value = (struct projection_value){ .part = PROJECTION_TARGET };
    if (json_type(reply) == JSON_OBJECT && projection->need_name.len > 0 &&
        json_count(reply) == 1 && json_exists(json_get(reply, projection->need_name)))
        out_value->part = PROJECTION_NEED;
    buffer_init(&text, alloc, LIMIT_JSON_BYTES);
    json_write(reply, 0, &text);
    enum status status = buffer_status(&text);
    if (status == STATUS_OK)
        status = json_parse(buffer_view(&text), NULL, alloc, &out_value->doc, NULL);
    buffer_release(&text);
    return status;
}

void projection_pointer_to_reply(const struct projection *projection, struct json reply,
                                 struct str pointer, struct buffer *out)
{
    (void)projection, (void)reply;
    buffer_append_str(out, pointer);
}

enum status projection_convert(const struct projection *projection, struct json value,
                               struct buffer *out, struct error *error)
{
    (void)projection, (void)error;
    json_write(value, 0, out);
    return buffer_status(out);
}

const struct schema_program *projection_watch(const struct projection *projection)
{
    (void)projection;
    return NULL;
}

/* projection.c - the life of a projection: target + rules → shape → wire schema, and the way back.
 *
 * Owns: struct projection, the order of the steps, the envelope that the need object and the
 * target's value share, and the words about it. Leaves to others: the shape (shape.h), its limits
 * (fit.c), its text (emit.c), values (invert.c, convert.c), the watch (watch.c). Invariant:
 * immutable after projection_new.
 */
#include "base/features.h"

#include "projection/projection.h"

#include "base/arena.h"
#include "base/limits.h"
#include "projection/convert.h"
#include "projection/emit.h"
#include "projection/invert.h"
#include "projection/ladder.h"
#include "projection/translate.h"
#include "projection/watch.h"
#include "schema/compile.h"

enum {
    WORDS_BYTES_MAX = 4096,
    FIT_TRIES_MAX = 48,
    NESTING_MAX = 96 /* of the text; readers of JSON stop at 100 (protobuf), 128 or more */
};

struct projection {
    const struct alloc *alloc;
    const struct schema_program *program;
    struct arena arena;
    struct wire_rules rules; /* as the rung leaves them */
    struct shape shape;      /* without nodes for JSON_ONLY */
    struct emit_result report;
    struct buffer schema;
    struct buffer words;
    struct schema_program *watch; /* its own; NULL: none */
    bool watches_target;
    enum projection_rung rung;
    struct str need_name;
    bool folds_case;
};

/* ---- the envelope ---------------------------------------------------------------------------- */

static bool root_is_object(const struct shape *shape)
{
    const struct shape_node *root = &shape->nodes[shape->root];
    return root->kind == SHAPE_OBJECT || root->kind == SHAPE_TUPLE;
}

/* The target's form may stand at the root of the wire schema. */
static bool root_is_taken(const struct shape *shape)
{
    const struct shape_node *root = &shape->nodes[shape->root];
    bool takes_all = wire_takes(shape->rules, WIRE_ROOT_NOT_OBJECT);
    if (root->kind != SHAPE_UNION)
        return root_is_object(shape) || takes_all;
    for (uint32_t i = 0; i < root->part_count; i++) {
        unsigned kind = shape->nodes[root->parts[i]].kind;
        if (kind != SHAPE_OBJECT && kind != SHAPE_TUPLE && !takes_all)
            return false;
    }
    return wire_takes(shape->rules, WIRE_ROOT_ANY_OF);
}

static enum shape_envelope envelope_of(const struct shape *shape)
{
    bool takes_unions =
        wire_takes(shape->rules, WIRE_ROOT_ANY_OF) && wire_takes(shape->rules, WIRE_ANY_OF);
    if (shape->need_name.len == 0)
        return root_is_taken(shape) ? SHAPE_DIRECT : SHAPE_WRAPPED;
    if (takes_unions && root_is_taken(shape))
        return SHAPE_EITHER;
    return SHAPE_NULLABLES;
}

static bool node_declares(const struct shape_node *node, struct str name)
{
    uint32_t hint = 0;
    return translate_member(node, name, &hint) != NULL;
}

static bool root_declares(const struct shape *shape, struct str name)
{
    const struct shape_node *root = &shape->nodes[shape->root];
    for (uint32_t i = 0; root->kind == SHAPE_UNION && i < root->part_count; i++) {
        if (node_declares(&shape->nodes[root->parts[i]], name))
            return true;
    }
    return node_declares(root, name);
}

/* "data", or a longer name that the target does not have. */
static bool name_data(struct shape *shape)
{
    char name[16] = "data";
    size_t len = strlen(name);
    while (len + 1 < sizeof(name) && (root_declares(shape, str_of(name, len)) ||
                                      str_equal(shape->need_name, str_of(name, len))))
        name[len++] = '_';
    shape->data_name = arena_copy(shape->arena, str_of(name, len));
    return shape->data_name.ptr != NULL;
}

/* ---- making ---------------------------------------------------------------------------------- */

static enum status no_memory(struct error *error)
{
    return error_set(error, STATUS_NO_MEMORY, "out of memory");
}

/* Fits and writes the shape with levels up to depth_max (0: as the rules say). */
static enum status write_once(struct projection *projection, uint32_t depth_max, unsigned options,
                              struct error *error)
{
    struct shape *shape = &projection->shape;
    enum status status = shape_fit(shape, depth_max, error);
    if (status == STATUS_OK && shape->envelope == SHAPE_DIRECT && !root_is_taken(shape)) {
        shape->envelope = SHAPE_WRAPPED;
        status = shape_fit(shape, depth_max, error);
    }
    if (status == STATUS_OK && shape->envelope == SHAPE_OPTIONALS &&
        !wire_takes(shape->rules, WIRE_REQUIRED_SUBSET))
        status = error_set(error, STATUS_UNSUPPORTED,
                           "the provider takes neither null nor optional members");
    if (status != STATUS_OK)
        return status;
    buffer_clear(&projection->schema);
    status = emit_schema(shape, options, &projection->schema, &projection->report);
    return status == STATUS_NO_MEMORY ? no_memory(error) : STATUS_OK;
}

static bool is_short_enough(const struct projection *projection)
{
    uint32_t limit = projection->rules.limits.schema_bytes;
    return buffer_status(&projection->schema) == STATUS_OK &&
           (limit == 0 || projection->schema.len <= limit);
}

/* Objects and arrays around one place of the text are few enough for those who read it. */
static bool is_flat_enough(struct str text)
{
    unsigned levels = 0;
    bool in_string = false;
    for (size_t i = 0; i < text.len && levels <= NESTING_MAX; i++) {
        char c = text.ptr[i];
        if (c == '"')
            in_string = !in_string;
        else if (in_string)
            i += c == '\\';
        else if (c == '{' || c == '[')
            levels++;
        else if (c == '}' || c == ']')
            levels--;
    }
    return levels <= NESTING_MAX;
}

static bool text_is_taken(const struct projection *projection)
{
    return is_short_enough(projection) && is_flat_enough(buffer_view(&projection->schema));
}

static enum status text_is_refused(const struct projection *projection, struct error *error)
{
    if (is_short_enough(projection))
        return error_set(error, STATUS_UNSUPPORTED,
                         "the schema has more than the %u levels that a provider can read",
                         (unsigned)NESTING_MAX);
    uint32_t limit = projection->rules.limits.schema_bytes;
    return error_set(error, STATUS_UNSUPPORTED,
                     "the schema is longer than the %u bytes that the provider takes",
                     limit == 0 ? (unsigned)LIMIT_SCHEMA_BYTES : limit);
}

/* A text that is too long loses its notes first; then, and when it is too deep, its last levels. */
static enum status write_schema(struct projection *projection, struct error *error)
{
    unsigned options = EMIT_NOTES;
    enum status status = write_once(projection, 0, options, error);
    if (status == STATUS_OK && !is_short_enough(projection)) {
        options = 0;
        status = write_once(projection, 0, options, error);
    }
    for (unsigned i = 0; status == STATUS_OK && !text_is_taken(projection); i++) {
        uint32_t depth = projection->shape.depth;
        if (buffer_status(&projection->schema) == STATUS_NO_MEMORY)
            return no_memory(error);
        if (depth <= 1 || i == FIT_TRIES_MAX)
            return text_is_refused(projection, error);
        status = write_once(projection, depth > 8 ? depth * 3 / 4 : depth - 1, options, error);
    }
    return status;
}

static void write_words(struct projection *projection)
{
    const struct shape *shape = &projection->shape;
    struct buffer *out = &projection->words;
    unsigned forms = projection->report.forms;
    int data_len = (int)shape->data_name.len, need_len = (int)shape->need_name.len;
    const char *data = shape->data_name.ptr, *need = shape->need_name.ptr;
    if (shape->envelope == SHAPE_WRAPPED)
        buffer_printf(out, "Put the answer into the member \"%.*s\" of an object. ", data_len,
                      data);
    if (shape->envelope == SHAPE_NULLABLES)
        buffer_printf(
            out,
            "Put the answer into the member \"%.*s\" and null into \"%.*s\"; if something "
            "is needed first, null into \"%.*s\" and what is missing into \"%.*s\". ",
            data_len, data, need_len, need, data_len, data, need_len, need);
    if (shape->envelope == SHAPE_OPTIONALS)
        buffer_printf(
            out,
            "Put the answer into the member \"%.*s\"; if something is needed first, leave "
            "it out and put what is missing into \"%.*s\". ",
            data_len, data, need_len, need);
    if ((forms & PROJECTION_READ_NULL_ABSENT) != 0)
        buffer_append_str(out, STR("A member about which the text says nothing is null. "));
    if ((forms & PROJECTION_READ_KEY_VALUE_MAP) != 0)
        buffer_append_str(out, STR("Names that are free are written as a list of objects with "
                                   "\"key\" and \"value\". "));
    if ((forms & PROJECTION_READ_TUPLE) != 0)
        buffer_append_str(out, STR("An array with places of its own is written as an object with "
                                   "the members \"1\", \"2\" and so on. "));
    if ((forms & PROJECTION_READ_JSON_TEXT) != 0)
        buffer_append_str(out, STR("Where the description says so, a string holds a JSON text. "));
    if (out->len > 0)
        buffer_truncate(out, out->len - 1);
}

static bool target_is_watched(const struct projection *projection)
{
    const struct shape *shape = &projection->shape;
    return shape->envelope == SHAPE_DIRECT && !shape->nodes[shape->root].is_changed;
}

static enum status make_shape(struct projection *projection, struct error *error)
{
    struct shape *shape = &projection->shape;
    *shape = (struct shape){ .program = projection->program,
                             .rules = &projection->rules,
                             .alloc = projection->alloc,
                             .arena = &projection->arena,
                             .rung = projection->rung,
                             .need_name = projection->need_name };
    enum status status = shape_build(shape, error);
    if (status == STATUS_OK)
        status = shape_unroll(shape, error);
    if (status != STATUS_OK)
        return status;
    shape->envelope = envelope_of(shape);
    return name_data(shape) ? STATUS_OK : no_memory(error);
}

static enum status make_all(struct projection *projection, bool wants_watch, struct error *error)
{
    enum status status = make_shape(projection, error);
    if (status == STATUS_OK)
        status = write_schema(projection, error);
    if (status != STATUS_OK)
        return status;
    write_words(projection);
    projection->watches_target = wants_watch && target_is_watched(projection);
    if (wants_watch && !projection->watches_target &&
        watch_build(&projection->shape, &projection->watch) != STATUS_OK)
        return no_memory(error);
    return buffer_status(&projection->words) == STATUS_NO_MEMORY ? no_memory(error) : STATUS_OK;
}

enum status projection_new(const struct projection_options *options, const struct alloc *alloc,
                           struct projection **out_projection, struct error *error)
{
    struct projection *projection = alloc_get(alloc, sizeof(*projection));
    if (projection == NULL)
        return no_memory(error);
    memset(projection, 0, sizeof(*projection));
    projection->alloc = alloc;
    projection->program = options->program;
    projection->rung = options->rules == NULL ? PROJECTION_JSON_ONLY : options->rung;
    projection->folds_case = options->rules != NULL && options->rules->folds_case;
    projection->report.is_exact = false;
    arena_init(&projection->arena, alloc, LIMIT_SCHEMA_PROGRAM_BYTES);
    buffer_init(&projection->schema, alloc, LIMIT_SCHEMA_BYTES);
    buffer_init(&projection->words, alloc, WORDS_BYTES_MAX);
    projection->need_name = arena_copy(&projection->arena, options->need_name);
    enum status status = projection->need_name.ptr == NULL ? no_memory(error) : STATUS_OK;
    if (status == STATUS_OK && projection->rung != PROJECTION_JSON_ONLY) {
        projection->rules = ladder_rules(options->rules, options->rung);
        status = make_all(projection, options->wants_watch, error);
    }
    if (status != STATUS_OK) {
        projection_free(projection);
        return status;
    }
    *out_projection = projection;
    return STATUS_OK;
}

void projection_free(struct projection *projection)
{
    if (projection == NULL)
        return;
    if (projection->shape.nodes != NULL)
        shape_release(&projection->shape);
    schema_program_free(projection->watch);
    buffer_release(&projection->schema);
    buffer_release(&projection->words);
    arena_release(&projection->arena);
    alloc_free(projection->alloc, projection, sizeof(*projection));
}

/* ---- what it says ---------------------------------------------------------------------------- */

struct str projection_schema(const struct projection *projection)
{
    return buffer_view(&projection->schema);
}

bool projection_is_exact(const struct projection *projection)
{
    return projection->report.is_exact;
}

const struct projection_move *projection_moves(const struct projection *projection,
                                               uint32_t *out_count)
{
    *out_count = projection->report.move_count;
    return projection->report.moves;
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
    return buffer_view(&projection->words);
}

const struct schema_program *projection_watch(const struct projection *projection)
{
    return projection->watches_target ? projection->program : projection->watch;
}

/* ---- the way back ---------------------------------------------------------------------------- */

/* What the envelope holds: the value and its part. */
struct opened {
    struct json value;
    enum projection_part part;
    unsigned readings;
    bool is_wrapped; /* value is the member data of the reply */
};

static bool is_said(struct json value)
{
    return json_exists(value) && json_type(value) != JSON_NULL;
}

/* Something is asked, also beside data: what the model missed it may have made up. */
static bool asks(struct json need)
{
    if (json_type(need) != JSON_STRING)
        return false;
    struct str text = json_string(need);
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] > ' ')
            return true;
    }
    return false;
}

static struct opened open_envelope(const struct projection *projection, struct json reply)
{
    struct json data, need;
    const struct shape *shape = &projection->shape;
    if (shape->nodes != NULL && translate_is_envelope(shape, reply, &data, &need)) {
        if (is_said(need) && (!is_said(data) || asks(need)))
            return (struct opened){ reply, PROJECTION_NEED,
                                    json_count(reply) > 1 ? PROJECTION_READ_ENVELOPE : 0, false };
        if (json_exists(data))
            return (struct opened){ data, PROJECTION_TARGET, PROJECTION_READ_ENVELOPE, true };
    }
    bool is_need = translate_is_need(projection->need_name, reply);
    return (struct opened){ reply, is_need ? PROJECTION_NEED : PROJECTION_TARGET, 0, false };
}

static void write_need(const struct projection *projection, struct json reply, struct buffer *out)
{
    buffer_append_byte(out, '{');
    translate_name(projection->need_name, out);
    json_write(json_get(reply, projection->need_name), 0, out);
    buffer_append_byte(out, '}');
}

static enum status write_value(const struct projection *projection, const struct opened *opened,
                               struct buffer *out, unsigned *readings)
{
    const struct shape *shape = &projection->shape;
    if (opened->part == PROJECTION_NEED)
        write_need(projection, opened->value, out);
    else if (shape->nodes == NULL)
        json_write(opened->value, 0, out);
    else
        return invert_value(shape, shape->root, opened->value, out, readings);
    return buffer_status(out);
}

/* The reply itself, where what it means cannot be written: a key twice, too deep, too long. */
static enum status take_reply(struct json reply, const struct alloc *alloc,
                              struct projection_value *out_value)
{
    struct buffer text;
    buffer_init(&text, alloc, LIMIT_JSON_BYTES);
    json_write(reply, 0, &text);
    enum status status = buffer_status(&text);
    if (status == STATUS_OK)
        status = json_parse(buffer_view(&text), NULL, alloc, &out_value->doc, NULL);
    buffer_release(&text);
    out_value->part = PROJECTION_TARGET;
    out_value->readings = 0;
    return status == STATUS_OK ? STATUS_OK : STATUS_NO_MEMORY;
}

enum status projection_invert(const struct projection *projection, struct json reply,
                              const struct alloc *alloc, struct projection_value *out_value)
{
    struct buffer text;
    struct opened opened = open_envelope(projection, reply);
    *out_value = (struct projection_value){ .part = opened.part, .readings = opened.readings };
    buffer_init(&text, alloc, LIMIT_JSON_BYTES);
    enum status status = write_value(projection, &opened, &text, &out_value->readings);
    if (status == STATUS_OK)
        status = json_parse(buffer_view(&text), NULL, alloc, &out_value->doc, NULL);
    buffer_release(&text);
    if (status == STATUS_OK || status == STATUS_NO_MEMORY)
        return status;
    return take_reply(reply, alloc, out_value);
}

void projection_pointer_to_reply(const struct projection *projection, struct json reply,
                                 struct str pointer, struct buffer *out)
{
    const struct shape *shape = &projection->shape;
    struct opened opened = open_envelope(projection, reply);
    if (opened.part == PROJECTION_NEED || shape->nodes == NULL) {
        buffer_append_str(out, pointer);
        return;
    }
    if (opened.is_wrapped)
        json_pointer_append(out, shape->data_name);
    invert_pointer(shape, shape->root, opened.value, pointer, out);
}

/* ---- the way there --------------------------------------------------------------------------- */

static enum status convert_root(const struct projection *projection, struct json value,
                                struct buffer *out, struct error *error)
{
    const struct shape *shape = &projection->shape;
    struct fits fits;
    enum status status = fits_init(&fits, projection->program, projection->alloc);
    if (status != STATUS_OK)
        return no_memory(error);
    status = convert_value(shape, &fits, shape->root, value, out);
    if (status == STATUS_OK && fits_status(&fits) != STATUS_OK)
        status = STATUS_NO_MEMORY;
    fits_release(&fits);
    if (status == STATUS_UNSUPPORTED)
        return error_set(error, status, "the value has no form on the wire");
    return status == STATUS_OK ? STATUS_OK : no_memory(error);
}

enum status projection_convert(const struct projection *projection, struct json value,
                               struct buffer *out, struct error *error)
{
    const struct shape *shape = &projection->shape;
    if (shape->nodes == NULL) {
        json_write(value, 0, out);
        return buffer_status(out);
    }
    bool is_wrapped = shape->envelope == SHAPE_WRAPPED || shape->envelope >= SHAPE_NULLABLES;
    if (is_wrapped) {
        buffer_append_byte(out, '{');
        translate_name(shape->data_name, out);
    }
    enum status status = convert_root(projection, value, out, error);
    if (status != STATUS_OK || !is_wrapped)
        return status;
    if (shape->envelope == SHAPE_NULLABLES) {
        translate_name(shape->need_name, out);
        buffer_append_str(out, STR("null"));
    }
    buffer_append_byte(out, '}');
    return buffer_status(out);
}

/* mend.c - rounds of readings at the places that the validator blames, until the value is valid.
 *
 * Owns: which reading fits a violation, and writing the value with its readings applied. Leaves to
 * others: the list of readings that are allowed. Not recursive; rounds, places and depths are
 * bounded.
 */
#include "base/features.h"

#include "engine/mend.h"

#include "base/limits.h"
#include "engine/text.h"

enum {
    MEND_ROUNDS_MAX = 8,
    MEND_ARENA_BYTES = 64 << 20,
    ENCODED_DEPTH_MAX = 3,
    ENUM_VALUES_MAX = 4096
};

/* What to do with one value. */
struct mend_edit {
    const struct json_node *node;
    enum engine_reading reading;
    bool is_removed; /* with its name */
    struct str text; /* else: the JSON text in its place */
};

struct mend_round {
    const struct engine_mend *mend;
    struct arena *arena;
    struct mend_edit edits[ENGINE_LEDGER_MAX];
    uint32_t count;
    enum status status;
};

/* ---- what fits a violation
 * ---------------------------------------------------------------------------- */

static bool round_allows(const struct mend_round *round, enum engine_reading reading)
{
    return engine_ledger_allows(round->mend->ledger, reading);
}

static void round_add(struct mend_round *round, struct json value, enum engine_reading reading,
                      struct str text)
{
    struct mend_edit *edit = &round->edits[round->count++];
    *edit = (struct mend_edit){ .node = value.node, .reading = reading };
    edit->text = arena_copy(round->arena, text);
    if (edit->text.ptr == NULL)
        round->status = STATUS_NO_MEMORY;
}

/* Adds what buffer holds, and gives it back. */
static void round_add_buffer(struct mend_round *round, struct json value,
                             enum engine_reading reading, struct buffer *text)
{
    if (buffer_status(text) == STATUS_NO_MEMORY)
        round->status = STATUS_NO_MEMORY;
    else if (buffer_status(text) == STATUS_OK)
        round_add(round, value, reading, buffer_view(text));
    buffer_release(text);
}

static bool is_member(struct json value)
{
    return value.node != json_doc_root(value.doc).node &&
           json_node_type(value.node - 1) == JSON_NODE_NAME;
}

/* The violation asks for that type of value. */
static bool wants(const struct schema_violation *violation, const char *quoted_type)
{
    return str_equal(violation->keyword, STR("type")) &&
           engine_text_contains(violation->limit, str_from(quoted_type));
}

/* JSON inside a string, possibly several times. */
static bool try_encoded(struct mend_round *round, struct json value)
{
    struct str text = engine_text_trim(json_string(value));
    struct json_doc *doc = NULL, *inner = NULL;
    bool is_found = false;
    for (int depth = 0; depth < ENCODED_DEPTH_MAX && text.len > 0; depth++) {
        struct error error = { 0 };
        if (memchr("{[\"", text.ptr[0], 3) == NULL)
            break;
        enum status status = json_parse(text, NULL, round->mend->alloc, &inner, &error);
        if (status == STATUS_NO_MEMORY)
            round->status = status;
        if (status != STATUS_OK)
            break;
        json_doc_free(doc);
        doc = inner;
        struct json root = json_doc_root(doc);
        is_found = json_type(root) != JSON_STRING;
        if (is_found)
            round_add(round, value, ENGINE_READ_DOUBLE_ENCODED, json_doc_source(doc));
        if (is_found)
            break;
        text = engine_text_trim(json_string(root));
    }
    json_doc_free(doc);
    return is_found;
}

static char lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

static bool is_case_of(struct str a, struct str b)
{
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++) {
        if (lower(a.ptr[i]) != lower(b.ptr[i]))
            return false;
    }
    return true;
}

/* The one allowed word that differs in letter case only. */
static bool try_case(struct mend_round *round, struct json value,
                     const struct schema_violation *violation)
{
    struct json list = json_pointer_get(round->mend->program->root, violation->schema_pointer);
    struct json found = { NULL, NULL };
    uint32_t matches = 0, seen = 0;
    if (!json_exists(list))
        return false;
    bool is_list = json_type(list) == JSON_ARRAY;
    for (struct json word = is_list ? json_first(list) : list; json_exists(word);
         word = is_list ? json_next(word, list) : (struct json){ NULL, NULL }) {
        if (++seen > ENUM_VALUES_MAX)
            return false;
        if (json_type(word) != JSON_STRING || !is_case_of(json_string(word), json_string(value)))
            continue;
        found = word;
        matches++;
    }
    if (matches != 1)
        return false;
    struct buffer text;
    buffer_init(&text, round->mend->alloc, LIMIT_JSON_BYTES);
    json_write(found, 0, &text);
    round_add_buffer(round, value, ENGINE_READ_ENUM_CASE, &text);
    return true;
}

/* "3" where a number is wanted, "true" where a boolean is. */
static bool try_coerced_string(struct mend_round *round, struct json value,
                               const struct schema_violation *violation)
{
    struct str text = json_string(value);
    bool is_boolean = str_equal(text, STR("true")) || str_equal(text, STR("false"));
    if (is_boolean && wants(violation, "\"boolean\"")) {
        round_add(round, value, ENGINE_READ_COERCED, text);
        return true;
    }
    if (text.len == 0 || text.ptr[0] == '"' ||
        (!wants(violation, "\"number\"") && !wants(violation, "\"integer\"")))
        return false;
    struct json_doc *doc = NULL;
    struct error error = { 0 };
    enum status status = json_parse(text, NULL, round->mend->alloc, &doc, &error);
    bool is_number = status == STATUS_OK && json_type(json_doc_root(doc)) == JSON_NUMBER;
    if (status == STATUS_NO_MEMORY)
        round->status = status;
    if (is_number)
        round_add(round, value, ENGINE_READ_COERCED, json_number_text(json_doc_root(doc)));
    json_doc_free(doc);
    return is_number;
}

/* A number or boolean where a string is wanted. */
static bool try_coerced_scalar(struct mend_round *round, struct json value,
                               const struct schema_violation *violation)
{
    if (!wants(violation, "\"string\""))
        return false;
    struct buffer text;
    buffer_init(&text, round->mend->alloc, LIMIT_JSON_BYTES);
    buffer_append_byte(&text, '"');
    json_write(value, 0, &text);
    buffer_append_byte(&text, '"');
    round_add_buffer(round, value, ENGINE_READ_COERCED, &text);
    return true;
}

/* [{"key": "a", "value": 1}, ...] for {"a": 1, ...}. A name that is there twice will not parse. */
static bool try_pairs(struct mend_round *round, struct json value)
{
    struct buffer text;
    bool is_map = json_count(value) > 0;
    buffer_init(&text, round->mend->alloc, LIMIT_JSON_BYTES);
    buffer_append_byte(&text, '{');
    for (struct json pair = json_first(value); json_exists(pair) && is_map;
         pair = json_next(pair, value)) {
        bool is_pair = json_type(pair) == JSON_OBJECT && json_count(pair) == 2;
        struct json key = is_pair ? json_get(pair, STR("key")) : (struct json){ NULL, NULL };
        struct json item = is_pair ? json_get(pair, STR("value")) : key;
        is_map = json_exists(key) && json_exists(item) && json_type(key) == JSON_STRING;
        if (!is_map)
            break;
        buffer_append_str(&text, text.len > 1 ? STR(",") : STR(""));
        json_write_string(json_string(key), &text);
        buffer_append_byte(&text, ':');
        json_write(item, 0, &text);
    }
    buffer_append_byte(&text, '}');
    if (is_map)
        round_add_buffer(round, value, ENGINE_READ_KEY_VALUE_MAP, &text);
    else
        buffer_release(&text);
    return is_map;
}

/* x for [x], or [x] for x. */
static bool try_single(struct mend_round *round, struct json value,
                       const struct schema_violation *violation)
{
    bool is_array = json_type(value) == JSON_ARRAY;
    if (!str_equal(violation->keyword, STR("type")) || is_array == wants(violation, "\"array\"") ||
        (is_array && json_count(value) != 1))
        return false;
    struct buffer text;
    buffer_init(&text, round->mend->alloc, LIMIT_JSON_BYTES);
    buffer_append_str(&text, is_array ? STR("") : STR("["));
    json_write(is_array ? json_first(value) : value, 0, &text);
    buffer_append_str(&text, is_array ? STR("") : STR("]"));
    round_add_buffer(round, value, ENGINE_READ_SINGLE_ELEMENT, &text);
    return true;
}

static bool try_string(struct mend_round *round, struct json value,
                       const struct schema_violation *violation)
{
    bool is_enum =
        str_equal(violation->keyword, STR("enum")) || str_equal(violation->keyword, STR("const"));
    if (round_allows(round, ENGINE_READ_DOUBLE_ENCODED) && !is_enum &&
        !str_equal(violation->keyword, STR("pattern")) && try_encoded(round, value))
        return true;
    if (round_allows(round, ENGINE_READ_ENUM_CASE) && round->mend->folds_case && is_enum &&
        try_case(round, value, violation))
        return true;
    return round_allows(round, ENGINE_READ_COERCED) && try_coerced_string(round, value, violation);
}

static void round_read(struct mend_round *round, const struct schema_violation *violation)
{
    struct json value = violation->value;
    bool is_done = false;
    if (!json_exists(value) || violation->at_name)
        return;
    for (uint32_t i = 0; i < round->count; i++) {
        if (round->edits[i].node == value.node)
            return;
    }
    switch (json_type(value)) {
    case JSON_NULL:
        if (is_member(value) && round_allows(round, ENGINE_READ_NULL_ABSENT))
            round->edits[round->count++] = (struct mend_edit){ .node = value.node,
                                                               .reading = ENGINE_READ_NULL_ABSENT,
                                                               .is_removed = true };
        return;
    case JSON_STRING: is_done = try_string(round, value, violation); break;
    case JSON_ARRAY:
        is_done = round_allows(round, ENGINE_READ_KEY_VALUE_MAP) &&
                  str_equal(violation->keyword, STR("type")) && wants(violation, "\"object\"") &&
                  try_pairs(round, value);
        break;
    case JSON_NUMBER:
    case JSON_TRUE:
    case JSON_FALSE:
        is_done =
            round_allows(round, ENGINE_READ_COERCED) && try_coerced_scalar(round, value, violation);
        break;
    case JSON_OBJECT: break;
    }
    if (!is_done && round->status == STATUS_OK && round_allows(round, ENGINE_READ_SINGLE_ELEMENT))
        (void)try_single(round, value, violation);
}

/* ---- writing the value with its edits
 * ----------------------------------------------------------------- */

struct mend_frame {
    struct json container, next;
    bool has_any;
};

struct mend_writer {
    const struct mend_round *round;
    struct buffer *out;
    struct mend_frame frames[LIMIT_JSON_DEPTH + 2];
    uint32_t depth;
};

static const struct mend_edit *edit_of(const struct mend_round *round, struct json value)
{
    for (uint32_t i = 0; i < round->count; i++) {
        if (round->edits[i].node == value.node)
            return &round->edits[i];
    }
    return NULL;
}

static void writer_open(struct mend_writer *writer, struct json container)
{
    writer->frames[writer->depth++] =
        (struct mend_frame){ container, json_first(container), false };
    buffer_append_byte(writer->out, json_type(container) == JSON_OBJECT ? '{' : '[');
}

static void writer_value(struct mend_writer *writer, struct json value,
                         const struct mend_edit *edit)
{
    enum json_type type = json_type(value);
    if (edit != NULL)
        buffer_append_str(writer->out, edit->text);
    else if ((type == JSON_OBJECT || type == JSON_ARRAY) && writer->depth <= LIMIT_JSON_DEPTH)
        writer_open(writer, value);
    else
        json_write(value, 0, writer->out);
}

static void writer_advance(struct mend_writer *writer)
{
    struct mend_frame *frame = &writer->frames[writer->depth - 1];
    struct json value = frame->next;
    bool is_object = json_type(frame->container) == JSON_OBJECT;
    if (!json_exists(value)) {
        buffer_append_byte(writer->out, is_object ? '}' : ']');
        writer->depth--;
        return;
    }
    frame->next = json_next(value, frame->container);
    const struct mend_edit *edit = edit_of(writer->round, value);
    if (edit != NULL && edit->is_removed)
        return;
    buffer_append_str(writer->out, frame->has_any ? STR(",") : STR(""));
    frame->has_any = true;
    if (is_object) {
        json_write_string(json_member_name(value), writer->out);
        buffer_append_byte(writer->out, ':');
    }
    writer_value(writer, value, edit);
}

/* *out_doc NULL: the edits do not give JSON within its limits. */
static enum status round_apply(const struct mend_round *round, struct json value,
                               struct json_doc **out_doc)
{
    struct json_options options = JSON_OPTIONS_DEFAULT;
    struct mend_writer *writer = arena_take(round->arena, sizeof(*writer));
    struct buffer text;
    struct error error = { 0 };
    *out_doc = NULL;
    if (writer == NULL)
        return STATUS_NO_MEMORY;
    writer->round = round;
    writer->out = &text;
    writer->depth = 0;
    buffer_init(&text, round->mend->alloc, LIMIT_JSON_BYTES);
    writer_value(writer, value, edit_of(round, value));
    while (writer->depth > 0)
        writer_advance(writer);
    options.depth_max++; /* the wrapper of unwrap_root */
    options.nodes_max++;
    enum status status = buffer_status(&text);
    if (status == STATUS_OK)
        status = json_parse(buffer_view(&text), &options, round->mend->alloc, out_doc, &error);
    buffer_release(&text);
    return status == STATUS_NO_MEMORY ? status : STATUS_OK;
}

static enum status round_note(const struct mend_round *round, struct json root)
{
    struct buffer pointer;
    enum status status = STATUS_OK;
    buffer_init(&pointer, round->mend->alloc, LIMIT_JSON_BYTES);
    json_pointer_of(root, &pointer); /* an envelope around it is no part of the data */
    size_t skip = pointer.len;
    for (uint32_t i = 0; i < round->count && status == STATUS_OK; i++) {
        buffer_clear(&pointer);
        json_pointer_of((struct json){ root.doc, round->edits[i].node }, &pointer);
        status = buffer_status(&pointer);
        if (status == STATUS_OK)
            status = engine_ledger_add_value(round->mend->ledger, round->edits[i].reading,
                                             engine_text_skip(buffer_view(&pointer), skip));
    }
    buffer_release(&pointer);
    return status == STATUS_OK ? status : STATUS_NO_MEMORY;
}

/* ---- rounds
 * ------------------------------------------------------------------------------------------- */

/* One round: *out_doc is the value with its readings, NULL when there is nothing to do or it is
 * valid already (*out_valid). */
static enum status mend_round(const struct engine_mend *mend, struct json value,
                              struct arena *arena, bool *out_valid, struct json_doc **out_doc,
                              struct error *error)
{
    struct schema_violations violations = { .arena = arena, .count_max = ENGINE_LEDGER_MAX };
    struct mend_round *round = arena_take_zeroed(arena, sizeof(*round));
    *out_doc = NULL;
    if (round == NULL)
        return STATUS_NO_MEMORY;
    round->mend = mend;
    round->arena = arena;
    enum status status =
        schema_validate(mend->program, value, 0, mend->alloc, out_valid, &violations, error);
    if (status != STATUS_OK || *out_valid)
        return status;
    for (uint32_t i = 0; i < violations.count && round->status == STATUS_OK; i++)
        round_read(round, &violations.items[i]);
    if (round->status != STATUS_OK)
        return round->status;
    if (round->count == 0 || !engine_ledger_has_room(mend->ledger, round->count))
        return STATUS_OK;
    status = round_note(round, value);
    if (status == STATUS_OK)
        status = round_apply(round, value, out_doc);
    return status;
}

enum status engine_mend_value(const struct engine_mend *mend, struct json value,
                              struct json_doc **out_doc, struct error *error)
{
    struct arena arena;
    struct json_doc *doc = NULL;
    uint32_t count = mend->ledger->count;
    bool is_valid = false;
    enum status status = STATUS_OK;
    arena_init(&arena, mend->alloc, MEND_ARENA_BYTES);
    for (uint32_t round = 0; round <= MEND_ROUNDS_MAX; round++) {
        struct json_doc *next = NULL;
        status = mend_round(mend, doc == NULL ? value : json_doc_root(doc), &arena, &is_valid,
                            &next, error);
        arena_reset(&arena);
        if (status != STATUS_OK || next == NULL)
            break;
        json_doc_free(doc);
        doc = next;
    }
    arena_release(&arena);
    *out_doc = NULL;
    if (status == STATUS_OK && is_valid) {
        *out_doc = doc;
        return STATUS_OK;
    }
    mend->ledger->count = count;
    json_doc_free(doc);
    return status;
}

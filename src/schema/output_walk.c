/* output_walk.c - the paths, values and sentences of units, and the JSON text around them.
 *
 * Owns: the three locations of a unit, built step by step as the walk goes down and shortened as it
 * goes up; values of annotations; brackets, commas and indentation. Leaves to others: which units a
 * form shows (output.c, output_list.c), the wording of faults (message.c). Invariant: a walk costs
 * what it writes, but for references, each of which looks up where its target stands.
 */
#include "base/features.h"

#include "schema/output_walk.h"

enum { WALK_LEVELS_MIN = 32, WALK_BYTES_MAX = 1 << 26 };

/* ---- life cycle ------------------------------------------------------------------------------ */

void walk_init(struct walk *walk, const struct schema_trace *trace, unsigned indent,
               struct buffer *out)
{
    *walk = (struct walk){ .trace = trace, .alloc = trace->alloc, .out = out, .indent = indent };
    buffer_init(&walk->path, walk->alloc, WALK_BYTES_MAX);
    buffer_init(&walk->instance, walk->alloc, WALK_BYTES_MAX);
    buffer_init(&walk->location, walk->alloc, WALK_BYTES_MAX);
    buffer_init(&walk->scratch, walk->alloc, WALK_BYTES_MAX);
}

void walk_release(struct walk *walk)
{
    buffer_release(&walk->path);
    buffer_release(&walk->instance);
    buffer_release(&walk->location);
    buffer_release(&walk->scratch);
    alloc_free(walk->alloc, walk->levels, walk->level_capacity * sizeof(*walk->levels));
}

enum status walk_status(const struct walk *walk)
{
    const struct buffer *buffers[] = { &walk->path, &walk->instance, &walk->location,
                                       &walk->scratch, walk->out };
    enum status status = walk->status;
    for (unsigned i = 0; i < sizeof(buffers) / sizeof(buffers[0]) && status == STATUS_OK; i++)
        if (buffers[i] != NULL)
            status = buffer_status(buffers[i]);
    return status == STATUS_REJECTED ? STATUS_UNSUPPORTED : status;
}

/* ---- locations ------------------------------------------------------------------------------- */

/* RFC 3986 section 3.5: what a fragment may hold as it is. */
static bool location_is_plain(char byte)
{
    static const char marks[] = "-._~!$&'()*+,;=:@/?";
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || memchr(marks, byte, sizeof(marks) - 1) != NULL;
}

static void location_append(struct walk *walk, struct str pointer)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < pointer.len; i++) {
        unsigned char byte = (unsigned char)pointer.ptr[i];
        if (location_is_plain(pointer.ptr[i])) {
            buffer_append_byte(&walk->location, pointer.ptr[i]);
            continue;
        }
        const char escape[] = { '%', digits[byte >> 4], digits[byte & 15] };
        buffer_append(&walk->location, escape, sizeof(escape));
    }
}

static void walk_append_step(struct buffer *out, const struct trace_unit *unit)
{
    if (unit->token.ptr != NULL)
        json_pointer_append(out, unit->token);
    else if (unit->index != SCHEMA_NONE)
        json_pointer_append_index(out, unit->index);
}

/* A schema that does not stand inside the one that led to it: its resource, and the pointer there.
 */
static void location_start(struct walk *walk, uint32_t node)
{
    const struct schema_program *program = walk->trace->program;
    struct json schema = program->nodes[node].schema;
    struct json root = program->root;
    walk_top(walk)->location_begin = walk->location.len;
    if (program->resource_count > 0) {
        const struct schema_resource *resource = &program->resources[program->nodes[node].resource];
        buffer_append_str(&walk->location, resource->uri);
        root = resource->root;
    }
    buffer_append_byte(&walk->location, '#');
    buffer_clear(&walk->scratch);
    json_pointer_of(root, &walk->scratch);
    size_t begin = walk->scratch.len;
    buffer_clear(&walk->scratch);
    json_pointer_of(schema, &walk->scratch);
    struct str pointer = buffer_view(&walk->scratch);
    if (pointer.len > begin)
        location_append(walk, str_of(pointer.ptr + begin, pointer.len - begin));
}

static void location_step(struct walk *walk, const struct trace_unit *unit)
{
    buffer_clear(&walk->scratch);
    walk_append_step(&walk->scratch, unit);
    location_append(walk, buffer_view(&walk->scratch));
}

struct str walk_location(const struct walk *walk)
{
    size_t begin = walk_top(walk)->location_begin;
    return str_of(walk->location.ptr + begin, walk->location.len - begin);
}

/* ---- going down and up ----------------------------------------------------------------------- */

static void walk_step_instance(struct walk *walk, const struct trace_unit *unit,
                               const struct trace_unit *parent)
{
    struct json value = unit->instance;
    if (value.node == parent->instance.node)
        return;
    if (json_node_type(value.node) == JSON_NODE_NAME)
        json_pointer_append(&walk->instance, json_node_text(value.doc, value.node));
    else if (json_type(parent->instance) == JSON_ARRAY)
        json_pointer_append_index(&walk->instance, unit->item);
    else
        json_pointer_append(&walk->instance, json_member_name(value));
}

static bool walk_push(struct walk *walk, uint32_t unit)
{
    if (walk->level_count == walk->level_capacity) {
        uint32_t capacity = walk->level_capacity == 0 ? WALK_LEVELS_MIN : walk->level_capacity * 2;
        struct walk_level *levels =
            alloc_grow(walk->alloc, walk->levels, walk->level_capacity * sizeof(*levels),
                       capacity * sizeof(*levels));
        if (levels == NULL) {
            walk->status = STATUS_NO_MEMORY;
            return false;
        }
        walk->levels = levels;
        walk->level_capacity = capacity;
    }
    struct walk_level level = { .unit = unit };
    if (walk->level_count > 0)
        level = *walk_top(walk);
    level.unit = unit;
    level.has_children = false;
    level.path_len = walk->path.len;
    level.instance_len = walk->instance.len;
    level.location_len = walk->location.len;
    walk->levels[walk->level_count++] = level;
    return true;
}

bool walk_enter(struct walk *walk, uint32_t number)
{
    const struct trace_unit *units = walk->trace->units;
    const struct trace_unit *unit = &units[number];
    const struct schema_node *nodes = walk->trace->program->nodes;
    if (!walk_push(walk, number))
        return false;
    walk_append_step(&walk->path, unit);
    bool is_root = unit->parent == SCHEMA_NONE;
    if (!is_root)
        walk_step_instance(walk, unit, &units[unit->parent]);
    bool is_elsewhere = is_root || unit->is_reference ||
                        nodes[unit->node].resource != nodes[units[unit->parent].node].resource;
    if (is_elsewhere)
        location_start(walk, unit->node);
    else
        location_step(walk, unit);
    walk_top(walk)->is_behind_reference |= unit->is_reference;
    return walk_status(walk) == STATUS_OK;
}

void walk_leave(struct walk *walk)
{
    const struct walk_level *level = walk_top(walk);
    buffer_truncate(&walk->path, level->path_len);
    buffer_truncate(&walk->instance, level->instance_len);
    buffer_truncate(&walk->location, level->location_len);
    walk->level_count--;
}

/* ---- JSON text ------------------------------------------------------------------------------- */

static void walk_new_line(struct walk *walk)
{
    if (walk->indent == 0)
        return;
    buffer_append_byte(walk->out, '\n');
    for (unsigned i = 0; i < walk->depth * walk->indent; i++)
        buffer_append_byte(walk->out, ' ');
}

void walk_open(struct walk *walk, char bracket)
{
    buffer_append_byte(walk->out, bracket);
    walk->depth++;
    walk->is_fresh = true;
}

void walk_close(struct walk *walk, char bracket)
{
    walk->depth--;
    if (!walk->is_fresh)
        walk_new_line(walk);
    buffer_append_byte(walk->out, bracket);
    walk->is_fresh = false;
}

void walk_item(struct walk *walk)
{
    if (!walk->is_fresh)
        buffer_append_byte(walk->out, ',');
    walk->is_fresh = false;
    walk_new_line(walk);
}

void walk_key(struct walk *walk, struct str name)
{
    walk_item(walk);
    json_write_string(name, walk->out);
    buffer_append_str(walk->out, walk->indent == 0 ? STR(":") : STR(": "));
}

void walk_put_bool(struct walk *walk, const char *name, bool value)
{
    walk_key(walk, str_from(name));
    buffer_append_str(walk->out, value ? STR("true") : STR("false"));
}

void walk_put_string(struct walk *walk, const char *name, struct str value)
{
    walk_key(walk, str_from(name));
    json_write_string(value, walk->out);
}

/* ---- annotations and errors ------------------------------------------------------------------ */

/* A member that several patterns matched is named once: its units follow each other. */
static void note_names(const struct trace_unit *units, uint32_t keyword, struct buffer *out)
{
    uint32_t last = SCHEMA_NONE;
    buffer_append_byte(out, '[');
    for (uint32_t i = keyword + 1; i < units[keyword].end; i = units[i].end) {
        if (units[i].item == last)
            continue;
        if (last != SCHEMA_NONE)
            buffer_append_byte(out, ',');
        last = units[i].item;
        json_write_string(json_member_name(units[i].instance), out);
    }
    buffer_append_byte(out, ']');
}

static void note_matches(const struct trace_unit *units, uint32_t keyword, struct buffer *out)
{
    uint32_t count = 0;
    size_t begin = out->len;
    for (uint32_t i = keyword + 1; i < units[keyword].end; i = units[i].end) {
        if (!units[i].valid)
            continue;
        buffer_append_byte(out, count++ == 0 ? '[' : ',');
        buffer_append_uint(out, units[i].item);
    }
    if (count == 0) {
        buffer_append_str(out, STR("[]"));
        return;
    }
    buffer_append_byte(out, ']');
    if (count == json_count(units[keyword].instance) && buffer_status(out) == STATUS_OK) {
        buffer_truncate(out, begin);
        buffer_append_str(out, STR("true"));
    }
}

static void note_last(const struct trace_unit *units, uint32_t keyword, struct buffer *out)
{
    uint32_t applied = 0;
    for (uint32_t i = keyword + 1; i < units[keyword].end; i = units[i].end)
        applied++;
    if (applied == json_count(units[keyword].instance))
        buffer_append_str(out, STR("true"));
    else
        buffer_append_uint(out, applied - 1);
}

void walk_write_note(const struct schema_trace *trace, uint32_t unit, struct buffer *out)
{
    switch ((enum trace_note)trace->units[unit].note) {
    case TRACE_NOTE_VALUE: json_write(trace->units[unit].annotation, 0, out); return;
    case TRACE_NOTE_NAMES: note_names(trace->units, unit, out); return;
    case TRACE_NOTE_LAST: note_last(trace->units, unit, out); return;
    case TRACE_NOTE_TRUE: buffer_append_str(out, STR("true")); return;
    case TRACE_NOTE_MATCHES: note_matches(trace->units, unit, out); return;
    case TRACE_NOTE_NONE: return;
    }
}

struct str walk_message(struct walk *walk, uint32_t unit)
{
    if (walk->trace->units[unit].fault == SCHEMA_NONE)
        return STR("not every subschema accepts what it is applied to");
    buffer_clear(&walk->scratch);
    schema_fault_message(walk->trace->program, trace_fault(walk->trace, unit), &walk->scratch);
    if (buffer_status(&walk->scratch) != STATUS_OK)
        walk->status = STATUS_NO_MEMORY; /* the buffer will be used again */
    return buffer_view(&walk->scratch);
}

/* ---- trees ----------------------------------------------------------------------------------- */

void walk_show(struct walk *walk, const char *children)
{
    uint32_t above = walk_top(walk)->shown;
    if (above > 0) {
        struct walk_level *level = &walk->levels[above - 1];
        if (!level->has_children) {
            walk_key(walk, str_from(children));
            walk_open(walk, '[');
        }
        level->has_children = true;
        walk_item(walk);
    }
    walk_top(walk)->shown = walk->level_count;
    walk_open(walk, '{');
}

void walk_leave_shown(struct walk *walk)
{
    const struct walk_level *level = walk_top(walk);
    if (level->shown == walk->level_count) {
        if (level->has_children)
            walk_close(walk, ']');
        walk_close(walk, '}');
    }
    walk_leave(walk);
}

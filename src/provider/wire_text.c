/* wire_text.c - writing a JSON request body member by member, with a patch over it.
 *
 * Owns: the text. A comma is due unless the last byte opened a container or ended a name: no value
 * ends with such a byte. Invariant: what a completed run of calls wrote is one well-formed JSON
 * object without duplicate names, if the names given to one object differ.
 */
#include "base/features.h"

#include "provider/wire_text.h"

#include "base/utf8.h"

/* Members of one patch object that can be merged; those behind them replace ours. */
enum { WIRE_MET_BITS = 64 };

static const char wire_schema_place[] = "\"${schema}\"";

static void wire_separate(struct wire *wire)
{
    const struct buffer *out = wire->out;
    char last = out->len == 0 ? '{' : out->ptr[out->len - 1];
    if (last != '{' && last != '[' && last != ':')
        buffer_append_byte(wire->out, ',');
}

static void wire_open(struct wire *wire, char bracket)
{
    wire_separate(wire);
    buffer_append_byte(wire->out, bracket);
}

static void wire_push(struct wire *wire, struct json patch)
{
    if (wire->level + 1 == WIRE_LEVELS_MAX) {
        wire->out->status = STATUS_INTERNAL;
        return;
    }
    wire->level++;
    wire->levels[wire->level].patch = patch;
    wire->levels[wire->level].met = 0;
}

static void wire_name(struct wire *wire, struct str name)
{
    wire_separate(wire);
    json_write_string(name, wire->out);
    buffer_append_byte(wire->out, ':');
}

static struct json wire_patch(const struct wire *wire, struct str name)
{
    struct json patch = wire->levels[wire->level].patch;
    return json_exists(patch) ? json_get(patch, name) : patch;
}

/* Begins a member unless the patch has one of that name. */
static bool wire_member(struct wire *wire, struct str name)
{
    if (json_exists(wire_patch(wire, name)))
        return false;
    wire_name(wire, name);
    return true;
}

static uint32_t wire_member_index(struct json object, struct json member)
{
    uint32_t index = 0;
    for (struct json at = json_first(object); json_exists(at); at = json_next(at, object)) {
        if (at.node == member.node)
            break;
        index++;
    }
    return index;
}

bool wire_object(struct wire *wire, struct str name)
{
    struct json patch = wire_patch(wire, name);
    if (json_exists(patch)) {
        uint32_t index = wire_member_index(wire->levels[wire->level].patch, patch);
        if (json_type(patch) != JSON_OBJECT || index >= WIRE_MET_BITS)
            return false;
        wire->levels[wire->level].met |= UINT64_C(1) << index;
    }
    wire_name(wire, name);
    wire_open(wire, '{');
    wire_push(wire, patch);
    return true;
}

bool wire_array(struct wire *wire, struct str name)
{
    if (!wire_member(wire, name))
        return false;
    wire_open(wire, '[');
    return true;
}

void wire_array_end(struct wire *wire)
{
    buffer_append_byte(wire->out, ']');
}

void wire_item(struct wire *wire)
{
    wire_open(wire, '{');
    wire_push(wire, (struct json){ NULL, NULL });
}

/* Puts the schema in place of every "${schema}" behind begin. */
static void wire_fill_places(struct wire *wire, size_t begin)
{
    const struct str place = str_of(wire_schema_place, sizeof(wire_schema_place) - 1);
    struct buffer *out = wire->out;
    struct str value = wire->schema.len == 0 ? STR("null") : wire->schema;
    size_t at = begin;
    while (buffer_status(out) == STATUS_OK && out->len >= place.len && at <= out->len - place.len) {
        if (memcmp(out->ptr + at, place.ptr, place.len) != 0) {
            at++;
            continue;
        }
        size_t tail = out->len - at - place.len;
        if (value.len > place.len && buffer_reserve(out, value.len - place.len) == NULL)
            return;
        memmove(out->ptr + at + value.len, out->ptr + at + place.len, tail);
        memcpy(out->ptr + at, value.ptr, value.len);
        out->len = at + value.len + tail;
        out->ptr[out->len] = '\0';
        at += value.len;
    }
}

/* What the patch has besides our members. */
static void wire_rest(struct wire *wire)
{
    struct json patch = wire->levels[wire->level].patch;
    if (!json_exists(patch))
        return;
    uint32_t index = 0;
    for (struct json at = json_first(patch); json_exists(at); at = json_next(at, patch)) {
        bool is_met = index < WIRE_MET_BITS && (wire->levels[wire->level].met >> index & 1) != 0;
        index++;
        if (is_met || json_type(at) == JSON_NULL)
            continue;
        wire_name(wire, json_member_name(at));
        size_t begin = wire->out->len;
        json_write(at, 0, wire->out);
        wire_fill_places(wire, begin);
    }
}

void wire_object_end(struct wire *wire)
{
    wire_rest(wire);
    buffer_append_byte(wire->out, '}');
    if (wire->level > 0)
        wire->level--;
}

void wire_begin(struct wire *wire, struct buffer *out, struct json patch, struct str schema)
{
    bool is_object = json_exists(patch) && json_type(patch) == JSON_OBJECT;
    *wire = (struct wire){ .out = out, .schema = schema };
    if (is_object)
        wire->levels[0].patch = patch;
    buffer_append_byte(out, '{');
}

void wire_end(struct wire *wire)
{
    wire_object_end(wire);
}

bool wire_text(struct wire *wire, struct str name)
{
    if (!wire_member(wire, name))
        return false;
    buffer_append_byte(wire->out, '"');
    return true;
}

/* json_write_string quotes; what it wrote loses its quotes here, so that pieces can follow. */
static void wire_escape(struct buffer *out, struct str text)
{
    size_t begin = out->len;
    json_write_string(text, out);
    if (buffer_status(out) != STATUS_OK)
        return;
    memmove(out->ptr + begin, out->ptr + begin + 1, out->len - begin - 2);
    buffer_truncate(out, out->len - 2);
}

void wire_text_add(struct wire *wire, struct str text)
{
    while (text.len > 0) {
        size_t good = utf8_check(text);
        if (good > 0)
            wire_escape(wire->out, str_of(text.ptr, good));
        if (good == text.len)
            return;
        buffer_append_str(wire->out, STR("\xEF\xBF\xBD"));
        text = str_of(text.ptr + good + 1, text.len - good - 1);
        while (text.len > 0 && ((unsigned char)text.ptr[0] & 0xC0) == 0x80)
            text = str_of(text.ptr + 1, text.len - 1);
    }
}

void wire_text_end(struct wire *wire)
{
    buffer_append_byte(wire->out, '"');
}

void wire_string(struct wire *wire, struct str name, struct str text)
{
    if (!wire_text(wire, name))
        return;
    wire_text_add(wire, text);
    wire_text_end(wire);
}

void wire_uint(struct wire *wire, struct str name, uint64_t value)
{
    if (wire_member(wire, name))
        buffer_append_uint(wire->out, value);
}

/* Not printf's %g: its decimal point is the locale's. */
void wire_number(struct wire *wire, struct str name, double value)
{
    if (!wire_member(wire, name))
        return;
    double bounded = value > 1e6 ? 1e6 : value > 0 ? value : 0;
    uint64_t millionths = (uint64_t)(bounded * 1e6 + 0.5);
    uint64_t fraction = millionths % 1000000;
    buffer_append_uint(wire->out, millionths / 1000000);
    if (fraction == 0)
        return;
    buffer_append_byte(wire->out, '.');
    for (uint64_t unit = 100000; fraction > 0; unit /= 10) {
        buffer_append_byte(wire->out, (char)('0' + fraction / unit));
        fraction %= unit;
    }
}

void wire_bool(struct wire *wire, struct str name, bool value)
{
    if (wire_member(wire, name))
        buffer_append_str(wire->out, value ? STR("true") : STR("false"));
}

void wire_json(struct wire *wire, struct str name, struct str json)
{
    if (wire_member(wire, name))
        buffer_append_str(wire->out, json.len == 0 ? STR("null") : json);
}

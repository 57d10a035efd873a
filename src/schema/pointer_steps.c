/* pointer_steps.c - see pointer_steps.h.
 *
 * A container is indexed as a whole when a pointer first leads through it: a row for each child,
 * and one for the container itself, which says that it was done. Small ones are searched.
 */
#include "base/features.h"

#include "schema/pointer_steps.h"

#include "base/limits.h"
#include "schema/format_parts.h"

enum { STEPS_INDEXED_MIN = 16 };

struct pointer_step_row {
    const struct json_node *container;
    struct json child; /* the container itself: it is indexed */
    uint32_t place;    /* among its siblings */
};

void pointer_steps_init(struct pointer_steps *steps, const struct alloc *alloc)
{
    steps->alloc = alloc;
    steps->rows.item_size = sizeof(struct pointer_step_row);
    buffer_init(&steps->name, alloc, LIMIT_SCHEMA_BYTES);
}

void pointer_steps_release(struct pointer_steps *steps)
{
    hash_index_release(&steps->index, steps->alloc);
    vector_release(&steps->rows, steps->alloc);
    buffer_release(&steps->name);
}

static uint32_t steps_hash(const struct json_node *container, uint32_t key)
{
    return key ^ (uint32_t)(((uintptr_t)container / 16) * UINT64_C(0x9E3779B97F4A7C15) >> 32);
}

static uint32_t steps_place_key(uint32_t place)
{
    return (place + 1) * UINT32_C(0x85EBCA6B);
}

static bool steps_add(struct pointer_steps *steps, const struct json_node *container,
                      struct json child, uint32_t place, uint32_t key)
{
    uint32_t item = steps->rows.count;
    struct pointer_step_row *row = vector_push(&steps->rows, steps->alloc);
    if (row == NULL)
        return false;
    *row = (struct pointer_step_row){ container, child, place };
    return hash_index_add(&steps->index, steps->alloc, steps_hash(container, key), item);
}

static bool steps_add_children(struct pointer_steps *steps, struct json container)
{
    bool is_object = json_type(container) == JSON_OBJECT;
    uint32_t place = 0;
    for (struct json v = json_first(container); json_exists(v); v = json_next(v, container)) {
        uint32_t key = is_object ? json_member_hash(v) : steps_place_key(place);
        if (!steps_add(steps, container.node, v, place, key))
            return false;
        place++;
    }
    return steps_add(steps, container.node, container, 0, 0);
}

/* The child with that key which has the name, or, in an array, the place. */
static struct json steps_find(const struct pointer_steps *steps, struct json container,
                              uint32_t key, struct str name, uint32_t place)
{
    uint32_t cursor = 0;
    uint32_t hash = steps_hash(container.node, key);
    for (;;) {
        uint32_t item = hash_index_next(&steps->index, hash, &cursor);
        if (item == UINT32_MAX)
            return (struct json){ container.doc, NULL };
        const struct pointer_step_row *row = vector_at(&steps->rows, item);
        if (row->container != container.node || row->child.node == container.node)
            continue;
        if (json_type(container) == JSON_ARRAY ? row->place == place
                                               : str_equal(json_member_name(row->child), name))
            return row->child;
    }
}

static bool steps_is_indexed(const struct pointer_steps *steps, struct json container)
{
    uint32_t cursor = 0;
    uint32_t hash = steps_hash(container.node, 0);
    for (;;) {
        uint32_t item = hash_index_next(&steps->index, hash, &cursor);
        if (item == UINT32_MAX)
            return false;
        const struct pointer_step_row *row = vector_at(&steps->rows, item);
        if (row->child.node == container.node)
            return true;
    }
}

/* Digits without a leading zero, below limit. */
static bool token_index(struct str token, uint32_t limit, uint32_t *out_index)
{
    uint64_t index = 0;
    if (token.len == 0 || (token.ptr[0] == '0' && token.len > 1))
        return false;
    for (size_t i = 0; i < token.len; i++) {
        if (!format_is_digit(token.ptr[i]))
            return false;
        index = index * 10 + (uint64_t)(token.ptr[i] - '0');
        if (index >= limit)
            return false;
    }
    *out_index = (uint32_t)index;
    return true;
}

/* False for a '~' that begins no escape. */
static bool token_decode(struct str token, struct buffer *out)
{
    buffer_clear(out);
    for (size_t i = 0; i < token.len; i++) {
        char byte = token.ptr[i];
        if (byte == '~') {
            i++;
            if (i == token.len || (token.ptr[i] != '0' && token.ptr[i] != '1'))
                return false;
            byte = token.ptr[i] == '0' ? '~' : '/';
        }
        buffer_append_byte(out, byte);
    }
    return true;
}

/* The number of children that are searched is small. */
static struct json steps_search(struct json container, struct str name)
{
    for (struct json v = json_first(container); json_exists(v); v = json_next(v, container))
        if (str_equal(json_member_name(v), name))
            return v;
    return (struct json){ container.doc, NULL };
}

bool pointer_step(struct pointer_steps *steps, struct json at, struct str token,
                  struct json *out_child)
{
    bool is_array = json_type(at) == JSON_ARRAY;
    uint32_t place = 0;
    *out_child = (struct json){ at.doc, NULL };
    if (!is_array && json_type(at) != JSON_OBJECT)
        return true;
    if (is_array ? !token_index(token, json_count(at), &place) : !token_decode(token, &steps->name))
        return true;
    if (buffer_status(&steps->name) != STATUS_OK)
        return false;
    struct str name = buffer_view(&steps->name);
    if (json_count(at) < STEPS_INDEXED_MIN) {
        *out_child = is_array ? json_at(at, place) : steps_search(at, name);
        return true;
    }
    if (!steps_is_indexed(steps, at) && !steps_add_children(steps, at))
        return false;
    uint32_t key = is_array ? steps_place_key(place) : json_key_hash(name);
    *out_child = steps_find(steps, at, key, name, place);
    return true;
}

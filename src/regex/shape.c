/* shape.c - patterns so simple that no automaton is needed: literals, and runs of one set.
 *
 * Owns: how they are recognised. Leaves to others: how a text is searched for them (quick.h).
 * Invariant: the shape says the same as the automaton.
 */
#include "base/features.h"

#include "regex/shape.h"

#include "base/utf8.h"

/* A sequence of terms, maybe between `^` and `$`. */
struct shape {
    const struct tree *tree;
    uint32_t first; /* of the terms; 0 when there are none */
    uint32_t count;
    bool from_start;
    bool to_end;
};

/* False when the pattern is more than one sequence. */
static bool shape_of(struct shape *shape, const struct tree *tree, uint32_t root)
{
    const struct tree_node *nodes = tree->nodes;
    if (nodes[root].first != nodes[root].last)
        return false;
    *shape = (struct shape){ .tree = tree, .first = nodes[nodes[root].first].first };
    if (shape->first != 0 && nodes[shape->first].kind == TREE_START) {
        shape->from_start = true;
        shape->first = nodes[shape->first].next;
    }
    for (uint32_t i = shape->first; i != 0 && !shape->to_end; i = nodes[i].next) {
        shape->to_end = nodes[i].kind == TREE_END && nodes[i].next == 0;
        shape->count += !shape->to_end;
    }
    return true;
}

/* ---- literals -------------------------------------------------------------------------------- */

static enum status shape_literal(struct regex *regex, const struct shape *shape,
                                 const struct alloc *alloc)
{
    const struct tree_node *nodes = shape->tree->nodes;
    char bytes[UTF8_SEQUENCE_BYTES_MAX];
    uint32_t len = 0;
    uint32_t at = shape->first;
    if (shape->count == 0 || (!shape->from_start && !shape->to_end))
        return STATUS_OK;
    for (uint32_t i = 0; i < shape->count; i++, at = nodes[at].next) {
        bool is_surrogate = nodes[at].a >= 0xD800 && nodes[at].a <= 0xDFFF;
        if (nodes[at].kind != TREE_CHARACTER || is_surrogate)
            return STATUS_OK;
        len += utf8_encode(nodes[at].a, bytes);
    }
    regex->literal = alloc_get(alloc, len);
    if (regex->literal == NULL)
        return STATUS_NO_MEMORY;
    regex->literal_bytes = len;
    len = 0;
    at = shape->first;
    for (uint32_t i = 0; i < shape->count; i++, at = nodes[at].next) {
        unsigned count = utf8_encode(nodes[at].a, bytes);
        memcpy(regex->literal + len, bytes, count);
        len += count;
    }
    regex->shape = !shape->to_end      ? REGEX_SHAPE_PREFIX
                   : shape->from_start ? REGEX_SHAPE_EQUAL
                                       : REGEX_SHAPE_SUFFIX;
    return STATUS_OK;
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* What the ranges have beyond ASCII; false when that is more than a run can tell. */
static bool ranges_beyond(const struct charset_range *ranges, uint32_t count, uint8_t *out_beyond)
{
    static const struct charset_range dot[] = { { 0x80, 0x2027 }, { 0x202A, CODE_POINT_MAX } };
    uint32_t at = 0;
    while (at < count && ranges[at].last < 0x80)
        at++;
    *out_beyond = at == count ? REGEX_BEYOND_NONE : REGEX_BEYOND_ALL;
    if (at == count || (ranges[at].first <= 0x80 && ranges[at].last == CODE_POINT_MAX))
        return true;
    *out_beyond = REGEX_BEYOND_DOT;
    return count - at == 2 && ranges[at].first <= dot[0].first && ranges[at].last == dot[0].last &&
           ranges[at + 1].first == dot[1].first && ranges[at + 1].last == dot[1].last;
}

/* `^[...]{min,max}$`. */
static enum status shape_run(struct regex *regex, const struct shape *shape,
                             const struct alloc *alloc)
{
    const struct tree_node *nodes = shape->tree->nodes;
    if (shape->count != 1 || !shape->from_start || !shape->to_end)
        return STATUS_OK;
    const struct tree_node *repeat = &nodes[shape->first];
    const struct tree_node *set = repeat->kind == TREE_REPEAT ? &nodes[repeat->first] : repeat;
    uint8_t beyond;
    if (set->kind != TREE_SET || set->b == 0)
        return STATUS_OK;
    const struct charset_range *ranges = &shape->tree->ranges.ranges[set->a];
    if (!ranges_beyond(ranges, set->b, &beyond))
        return STATUS_OK;
    regex->run = alloc_get(alloc, sizeof(*regex->run));
    if (regex->run == NULL)
        return STATUS_NO_MEMORY;
    *regex->run = (struct regex_run){ .beyond = beyond, .min = 1, .max = 1 };
    for (uint32_t i = 0; i < set->b; i++)
        for (uint32_t c = ranges[i].first; c <= ranges[i].last && c < 0x80; c++)
            regex->run->members[c] = 1;
    if (beyond != REGEX_BEYOND_NONE)
        memset(&regex->run->members[0x80], 1, 0x80);
    if (repeat != set) {
        regex->run->min = repeat->a;
        regex->run->max = repeat->b;
    }
    regex->shape = REGEX_SHAPE_RUN;
    return STATUS_OK;
}

enum status shape_find(struct regex *regex, const struct tree *tree, uint32_t root,
                       const struct alloc *alloc)
{
    struct shape shape;
    if (!shape_of(&shape, tree, root))
        return STATUS_OK;
    enum status status = shape_run(regex, &shape, alloc);
    if (status == STATUS_OK && regex->run == NULL)
        status = shape_literal(regex, &shape, alloc);
    return status;
}

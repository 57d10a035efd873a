/* builder.c - instructions, alternatives and repetitions.
 *
 * Owns: the size of a program, which is estimated before anything is copied. Leaves to others: what
 * a code point is in bytes (encode.c).
 */
#include "base/features.h"

#include "regex/builder.h"

#include "base/limits.h"

enum { BUILDER_OPS_MIN = 32, BUILDER_SETS_MIN = 8 };

uint32_t builder_count(const struct builder *builder)
{
    return builder->regex == NULL ? 0 : builder->regex->op_count;
}

void builder_fail(struct builder *builder, enum status status)
{
    if (builder->status != STATUS_OK)
        return;
    builder->status = status;
    if (status == STATUS_UNSUPPORTED)
        (void)error_set(builder->error, status,
                        "the pattern is too large: beyond %u instructions once its repetitions "
                        "are written out",
                        LIMIT_REGEX_OPS);
    else
        (void)error_set(builder->error, status, "out of memory");
}

/* Room for count more instructions, and the right to write or move `writes`. */
static bool builder_reserve(struct builder *builder, uint64_t count, uint64_t writes)
{
    struct regex *regex = builder->regex;
    if (builder->status != STATUS_OK || regex == NULL)
        return false;
    if (count > LIMIT_REGEX_OPS - regex->op_count || writes > builder->writes_left) {
        builder_fail(builder, STATUS_UNSUPPORTED);
        return false;
    }
    builder->writes_left -= writes;
    uint32_t need = regex->op_count + (uint32_t)count;
    if (need <= regex->op_cap)
        return true;
    uint32_t cap = regex->op_cap < BUILDER_OPS_MIN ? BUILDER_OPS_MIN : regex->op_cap * 2;
    if (cap < need)
        cap = need;
    struct regex_op *ops =
        alloc_grow(builder->alloc, regex->ops, regex->op_cap * sizeof(*ops), cap * sizeof(*ops));
    if (ops == NULL) {
        builder_fail(builder, STATUS_NO_MEMORY);
        return false;
    }
    regex->ops = ops;
    regex->op_cap = cap;
    return true;
}

static void builder_put(struct regex *regex, enum regex_opcode opcode, int32_t x)
{
    regex->ops[regex->op_count++] = (struct regex_op){ .opcode = (uint8_t)opcode, .x = x };
}

void builder_push(struct builder *builder, enum regex_opcode opcode, int32_t x)
{
    if (builder_reserve(builder, 1, 1))
        builder_put(builder->regex, opcode, x);
}

/* ---- alternatives ---------------------------------------------------------------------------- */

/* A split before the fragment at begin; its target is x instructions on. */
static void builder_insert_split(struct regex *regex, uint32_t begin, int32_t x)
{
    memmove(&regex->ops[begin + 1], &regex->ops[begin],
            (regex->op_count - begin) * sizeof(*regex->ops));
    regex->ops[begin] = (struct regex_op){ .opcode = REGEX_SPLIT, .x = x };
    regex->op_count++;
}

void builder_alternative(struct builder *builder, uint32_t *alternative, int32_t *jumps)
{
    uint32_t len = builder_count(builder) - *alternative;
    if (!builder_reserve(builder, 2, (uint64_t)len + 2))
        return;
    struct regex *regex = builder->regex;
    builder_insert_split(regex, *alternative, (int32_t)len + 2);
    builder_put(regex, REGEX_JUMP, *jumps);
    *jumps = (int32_t)regex->op_count - 1;
    *alternative = regex->op_count;
}

void builder_join(struct builder *builder, int32_t jumps)
{
    struct regex *regex = builder->regex;
    if (builder->status != STATUS_OK || regex == NULL)
        return;
    while (jumps != BUILDER_NONE) {
        struct regex_op *jump = &regex->ops[jumps];
        int32_t before = jump->x;
        jump->x = (int32_t)regex->op_count - jumps;
        jumps = before;
    }
}

/* ---- repetition ------------------------------------------------------------------------------ */

/* A copy of len instructions; there is room. */
static void builder_copy(struct regex *regex, uint32_t from, uint32_t len)
{
    memcpy(&regex->ops[regex->op_count], &regex->ops[from], len * sizeof(*regex->ops));
    regex->op_count += len;
}

/* min copies, the last of which may follow itself. */
static void builder_repeat_unbounded(struct builder *builder, uint32_t begin, uint64_t min)
{
    uint32_t len = builder_count(builder) - begin;
    if (min > LIMIT_REGEX_OPS) {
        builder_fail(builder, STATUS_UNSUPPORTED);
        return;
    }
    uint64_t size = min == 0 ? (uint64_t)len + 2 : min * len + 1;
    if (!builder_reserve(builder, size - len, size))
        return;
    struct regex *regex = builder->regex;
    if (min == 0) {
        builder_insert_split(regex, begin, (int32_t)len + 2);
        builder_put(regex, REGEX_JUMP, -(int32_t)len - 1);
        return;
    }
    for (uint64_t i = 1; i < min; i++)
        builder_copy(regex, begin, len);
    /* A loop back to the last copy: "go on" is the way out. */
    builder_put(regex, REGEX_SPLIT, -(int32_t)len);
}

static void builder_repeat_bounded(struct builder *builder, uint32_t begin, uint64_t min,
                                   uint64_t max)
{
    uint32_t len = builder_count(builder) - begin;
    if (max > LIMIT_REGEX_OPS) {
        builder_fail(builder, STATUS_UNSUPPORTED);
        return;
    }
    uint64_t size = min * len + (max - min) * ((uint64_t)len + 1);
    if (!builder_reserve(builder, size - len, size))
        return;
    struct regex *regex = builder->regex;
    uint32_t end = begin + (uint32_t)size;
    uint32_t source = begin;
    if (min == 0) {
        builder_insert_split(regex, begin, (int32_t)size);
        source++;
    }
    for (uint64_t i = 1; i < min; i++)
        builder_copy(regex, source, len);
    for (uint64_t i = min == 0 ? 1 : min; i < max; i++) {
        builder_put(regex, REGEX_SPLIT, (int32_t)(end - regex->op_count));
        builder_copy(regex, source, len);
    }
}

void builder_repeat(struct builder *builder, uint32_t begin, uint64_t min, uint64_t max)
{
    if (builder->status != STATUS_OK || builder_count(builder) == begin)
        return;
    if (max == 0)
        builder->regex->op_count = begin;
    else if (max == BUILDER_UNBOUNDED)
        builder_repeat_unbounded(builder, begin, min);
    else
        builder_repeat_bounded(builder, begin, min, max);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static bool builder_add_set(struct builder *builder, const struct regex_set *set)
{
    struct regex *regex = builder->regex;
    if (regex->set_count == regex->set_cap) {
        uint32_t cap = regex->set_cap == 0 ? BUILDER_SETS_MIN : regex->set_cap * 2;
        struct regex_set *sets = alloc_grow(builder->alloc, regex->sets,
                                            regex->set_cap * sizeof(*sets), cap * sizeof(*sets));
        if (sets == NULL) {
            builder_fail(builder, STATUS_NO_MEMORY);
            return false;
        }
        regex->sets = sets;
        regex->set_cap = cap;
    }
    regex->sets[regex->set_count++] = *set;
    return true;
}

/* Whether the set is one range (or empty: first > last). */
static bool set_is_range(const struct regex_set *set, uint8_t *out_first, uint8_t *out_last)
{
    unsigned edges = 0;
    bool inside = false;
    *out_first = 1;
    *out_last = 0;
    for (unsigned byte = 0; byte < 256; byte++) {
        bool member = (set->bits[byte >> 6] >> (byte & 63) & 1) != 0;
        if (member && !inside) {
            edges++;
            *out_first = (uint8_t)byte;
        }
        if (member)
            *out_last = (uint8_t)byte;
        inside = member;
    }
    return edges <= 1;
}

void builder_bytes(struct builder *builder, const struct regex_set *set)
{
    if (!builder_reserve(builder, 1, 1))
        return;
    struct regex *regex = builder->regex;
    struct regex_op op = { .opcode = REGEX_RANGE };
    if (!set_is_range(set, &op.first, &op.last)) {
        if (!builder_add_set(builder, set))
            return;
        op.opcode = REGEX_SET;
        op.x = (int32_t)regex->set_count - 1;
    }
    regex->ops[regex->op_count++] = op;
}

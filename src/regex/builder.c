/* builder.c - instructions, alternatives and repetitions.
 *
 * Owns: the size of a program, which is estimated before anything is copied. Leaves to others: what
 * a code point is in bytes (encode.c).
 */
#include "base/features.h"

#include "regex/builder.h"

#include "base/limits.h"

enum { BUILDER_OPS_MIN = 32, BUILDER_SETS_MIN = 8, BUILDER_LOOKS_MIN = 4 };

uint32_t builder_count(const struct builder *builder)
{
    return builder->regex->op_count;
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
    if (builder->status != STATUS_OK)
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
    if (builder->status != STATUS_OK)
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

/* At least min copies, the last of which may follow itself. */
static void repeat_last(struct regex *regex, const struct builder_repeat *repeat, uint32_t len)
{
    for (uint32_t i = 1; i < repeat->min; i++)
        builder_copy(regex, repeat->begin, len);
    builder_put(regex, REGEX_SPLIT, -(int32_t)len);
}

/* A repetition that must be made even if it takes nothing. */
static void repeat_uncheck(struct regex *regex, uint32_t begin, uint32_t len)
{
    regex->ops[begin] = (struct regex_op){ .opcode = REGEX_JUMP, .x = 1 };
    regex->ops[begin + len - 1] = (struct regex_op){ .opcode = REGEX_JUMP, .x = 1 };
}

static void repeat_split(struct regex *regex, const struct builder_repeat *repeat, uint32_t target)
{
    builder_put(regex, REGEX_SPLIT, (int32_t)(target - regex->op_count));
    regex->ops[regex->op_count - 1].first = repeat->is_lazy;
}

/* Instructions of all repetitions. */
static uint64_t repeat_size(const struct builder_repeat *repeat, uint64_t len, bool is_last)
{
    uint64_t min = repeat->min;
    if (is_last)
        return min * len + 1;
    if (repeat->max == BUILDER_UNBOUNDED)
        return (min + 1) * len + 2;
    return min * len + (repeat->max - min) * (len + 1);
}

/* min copies, then those that may be left out: each behind a split that leads to the end, and the
 * last with a way back when there is no maximum. */
static void repeat_write(struct regex *regex, const struct builder_repeat *repeat, uint32_t len,
                         uint32_t size)
{
    uint32_t begin = repeat->begin;
    uint32_t end = begin + size;
    uint32_t source = begin;
    bool is_unbounded = repeat->max == BUILDER_UNBOUNDED;
    uint32_t optional = is_unbounded ? 1 : repeat->max - repeat->min;
    if (repeat->min == 0) {
        builder_insert_split(regex, begin, (int32_t)size);
        regex->ops[begin].first = repeat->is_lazy;
        source++;
    }
    for (uint32_t i = 1; i < repeat->min; i++)
        builder_copy(regex, source, len);
    for (uint32_t i = repeat->min == 0 ? 1 : 0; i < optional; i++) {
        repeat_split(regex, repeat, end);
        builder_copy(regex, source, len);
    }
    if (is_unbounded)
        builder_put(regex, REGEX_JUMP, -(int32_t)len - 1);
    for (uint32_t i = 0; i < repeat->min && repeat->is_checked; i++)
        repeat_uncheck(regex, begin + i * len, len);
}

void builder_repeat(struct builder *builder, struct builder_repeat repeat)
{
    struct regex *regex = builder->regex;
    uint32_t len = builder_count(builder) - repeat.begin;
    if (builder->status != STATUS_OK || len == 0)
        return;
    if (repeat.max == 0) {
        regex->op_count = repeat.begin;
        return;
    }
    bool is_last = repeat.max == BUILDER_UNBOUNDED && repeat.min > 0 && !repeat.is_checked;
    uint64_t size = repeat_size(&repeat, len, is_last);
    if (!builder_reserve(builder, size - len, size))
        return;
    if (is_last)
        repeat_last(regex, &repeat, len);
    else
        repeat_write(regex, &repeat, len, (uint32_t)size);
}

void builder_add_look(struct builder *builder, struct regex_look look)
{
    struct regex *regex = builder->regex;
    if (builder->status != STATUS_OK)
        return;
    if (regex->look_count == regex->look_cap) {
        uint32_t cap = regex->look_cap == 0 ? BUILDER_LOOKS_MIN : regex->look_cap * 2;
        struct regex_look *looks = alloc_grow(
            builder->alloc, regex->looks, regex->look_cap * sizeof(*looks), cap * sizeof(*looks));
        if (looks == NULL) {
            builder_fail(builder, STATUS_NO_MEMORY);
            return;
        }
        regex->looks = looks;
        regex->look_cap = cap;
    }
    builder_push(builder, REGEX_LOOK, (int32_t)regex->look_count);
    regex->looks[regex->look_count++] = look;
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
    struct regex_op op = { .opcode = REGEX_RANGE, .x = builder->leftwards };
    if (!set_is_range(set, &op.first, &op.last)) {
        if (!builder_add_set(builder, set))
            return;
        op.opcode = REGEX_SET;
        op.first = builder->leftwards;
        op.x = (int32_t)regex->set_count - 1;
    }
    regex->ops[regex->op_count++] = op;
}

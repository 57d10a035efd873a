/* encode.c - code points as instructions over UTF-8 bytes.
 *
 * Owns: the split of a range of code points into sequences of byte ranges, and the tree of those
 * sequences. They tell apart what is UTF-8, and may take what is not. Invariant: sequences are in
 * order, and two byte ranges at the same place behind the same prefix are equal or apart, so that a
 * prefix is written once.
 */
#include "base/features.h"

#include <assert.h>

#include "base/utf8.h"
#include "regex/builder.h"

struct sequence {
    uint8_t len;
    uint8_t first[UTF8_SEQUENCE_BYTES_MAX];
    uint8_t last[UTF8_SEQUENCE_BYTES_MAX];
};

struct encoder {
    struct builder *builder;
    struct sequence *sequences;
    size_t count;
    size_t cap;
};

enum { ENCODER_SEQUENCES_MIN = 16, ENCODER_PENDING_MAX = 16 };

static void encoder_push(struct encoder *encoder, const struct sequence *sequence)
{
    struct builder *builder = encoder->builder;
    if (builder->status != STATUS_OK)
        return;
    if (encoder->count == encoder->cap) {
        size_t cap = encoder->cap == 0 ? ENCODER_SEQUENCES_MIN : encoder->cap * 2;
        struct sequence *sequences =
            alloc_grow(builder->alloc, encoder->sequences, encoder->cap * sizeof(*sequences),
                       cap * sizeof(*sequences));
        if (sequences == NULL) {
            builder_fail(builder, STATUS_NO_MEMORY);
            return;
        }
        encoder->sequences = sequences;
        encoder->cap = cap;
    }
    encoder->sequences[encoder->count++] = *sequence;
}

/* The code points that take len bytes, and how much further the bytes could count. What lies
 * between is no UTF-8, so that it may belong to any set; the fewest sequences have it in those that
 * reach up to it. */
static const struct encoded_length {
    uint32_t first, last;
    uint32_t wide_first, wide_last;
} encoded_lengths[UTF8_SEQUENCE_BYTES_MAX] = {
    { 0, 0x7F, 0, 0x7F },
    { 0x80, 0x7FF, 0x80, 0x7FF },
    { 0x800, 0xFFFF, 0, 0xFFFF },
    { 0x10000, CODE_POINT_MAX, 0, 0x13FFFF },
};

static uint8_t encoded_byte(uint32_t value, unsigned len, unsigned at)
{
    static const uint8_t leads[UTF8_SEQUENCE_BYTES_MAX] = { 0, 0xC0, 0xE0, 0xF0 };
    uint32_t bits = value >> 6 * (len - 1 - at);
    return (uint8_t)(at == 0 ? leads[len - 1] | bits : 0x80 | (bits & 0x3F));
}

/* Where to cut a range so that its left part is closer to one sequence: the last value of that
 * part, or range.last when it is one. */
static uint32_t range_cut(struct charset_range range, unsigned len)
{
    for (unsigned shift = 6; shift <= 6 * (len - 1); shift += 6) {
        uint32_t mask = (UINT32_C(1) << shift) - 1;
        if ((range.first & ~mask) == (range.last & ~mask))
            break;
        if ((range.first & mask) != 0)
            return range.first | mask;
        if ((range.last & mask) != mask)
            return (range.last & ~mask) - 1;
    }
    return range.last;
}

/* Values that take len bytes. */
static void encoder_add_values(struct encoder *encoder, struct charset_range range, unsigned len)
{
    for (;;) {
        struct charset_range part = range;
        for (uint32_t cut; (cut = range_cut(part, len)) != part.last;)
            part.last = cut;
        struct sequence sequence = { .len = (uint8_t)len };
        for (unsigned i = 0; i < len; i++) {
            sequence.first[i] = encoded_byte(part.first, len, i);
            sequence.last[i] = encoded_byte(part.last, len, i);
        }
        encoder_push(encoder, &sequence);
        if (part.last == range.last)
            return;
        range.first = part.last + 1;
    }
}

static void encoder_add_range(struct encoder *encoder, struct charset_range range)
{
    for (unsigned len = 1; len <= UTF8_SEQUENCE_BYTES_MAX; len++) {
        const struct encoded_length *encoded = &encoded_lengths[len - 1];
        struct charset_range part = range;
        if (part.first > encoded->last || part.last < encoded->first)
            continue;
        if (part.first <= encoded->first)
            part.first = encoded->wide_first;
        if (part.last >= encoded->last)
            part.last = encoded->wide_last;
        encoder_add_values(encoder, part, len);
    }
}

/* End of the sequences that share the branch of the one at begin: those that end at this byte are
 * one branch, those with the same range at this byte another. */
static size_t branch_end(const struct encoder *encoder, size_t begin, size_t end, unsigned level)
{
    const struct sequence *s = encoder->sequences;
    assert(level < UTF8_SEQUENCE_BYTES_MAX);
    bool is_leaf = s[begin].len == level + 1;
    size_t i = begin + 1;
    while (i < end && (s[i].len == level + 1) == is_leaf &&
           (is_leaf || s[i].first[level] == s[begin].first[level]))
        i++;
    return i;
}

static void encoder_bytes(struct encoder *encoder, size_t begin, size_t end, unsigned level)
{
    struct regex_set set = { { 0 } };
    assert(level < UTF8_SEQUENCE_BYTES_MAX);
    for (size_t i = begin; i < end; i++)
        for (unsigned b = encoder->sequences[i].first[level];
             b <= encoder->sequences[i].last[level]; b++)
            set.bits[b >> 6] |= UINT64_C(1) << (b & 63);
    builder_bytes(encoder->builder, &set);
}

/* The tree of sequences[begin..end) from byte `level` on. At most four levels deep. */
static void encoder_tree(struct encoder *encoder, size_t begin, size_t end, unsigned level)
{
    struct builder *builder = encoder->builder;
    int32_t jumps = BUILDER_NONE;
    uint32_t alternative = builder_count(builder);
    for (size_t i = begin; i < end && builder->status == STATUS_OK;) {
        size_t next = branch_end(encoder, i, end, level);
        bool is_leaf = encoder->sequences[i].len == level + 1;
        encoder_bytes(encoder, i, is_leaf ? next : i + 1, level);
        if (!is_leaf)
            encoder_tree(encoder, i, next, level + 1);
        if (next < end)
            builder_alternative(builder, &alternative, &jumps);
        i = next;
    }
    builder_join(builder, jumps);
}

/* The bytes from begin to end, one sequence, in the order in which they are read. */
static void encoder_sequence(struct encoder *encoder, size_t index)
{
    const struct sequence *sequence = &encoder->sequences[index];
    for (unsigned i = sequence->len; i-- > 0;)
        encoder_bytes(encoder, index, index + 1, i);
}

/* One alternative per sequence, last byte first; the single bytes are one. */
static void encoder_leftwards(struct encoder *encoder)
{
    struct builder *builder = encoder->builder;
    int32_t jumps = BUILDER_NONE;
    uint32_t alternative = builder_count(builder);
    for (size_t i = 0; i < encoder->count && builder->status == STATUS_OK;) {
        size_t next = branch_end(encoder, i, encoder->count, 0);
        bool is_leaf = encoder->sequences[i].len == 1;
        if (is_leaf)
            encoder_bytes(encoder, i, next, 0);
        else
            encoder_sequence(encoder, i);
        i = is_leaf ? next : i + 1;
        if (i < encoder->count)
            builder_alternative(builder, &alternative, &jumps);
    }
    builder_join(builder, jumps);
}

enum { SURROGATE_FIRST = 0xD800, SURROGATE_LAST = 0xDFFF };

/* The ranges; surrogates, which no UTF-8 has, belong to what is next to them. */
static void encoder_add_ranges(struct encoder *encoder, const struct charset_range *ranges,
                               size_t count)
{
    for (size_t i = 0; i < count && encoder->builder->status == STATUS_OK; i++) {
        struct charset_range range = ranges[i];
        if (range.first >= SURROGATE_FIRST && range.first <= SURROGATE_LAST)
            range.first = SURROGATE_LAST + 1;
        if (range.last >= SURROGATE_FIRST - 1 && range.last <= SURROGATE_LAST)
            range.last = range.first < SURROGATE_FIRST ? SURROGATE_LAST : SURROGATE_FIRST - 1;
        if (range.last == SURROGATE_LAST && i + 1 < count &&
            ranges[i + 1].first <= SURROGATE_LAST + 1)
            range.last = ranges[++i].last > SURROGATE_LAST ? ranges[i].last : SURROGATE_LAST;
        if (range.first <= range.last)
            encoder_add_range(encoder, range);
    }
}

void builder_ranges(struct builder *builder, const struct charset_range *ranges, size_t count)
{
    struct encoder encoder = { .builder = builder };
    encoder_add_ranges(&encoder, ranges, count);
    if (encoder.count == 0)
        builder_bytes(builder, &(struct regex_set){ { 0 } });
    else if (builder->leftwards)
        encoder_leftwards(&encoder);
    else
        encoder_tree(&encoder, 0, encoder.count, 0);
    alloc_free(builder->alloc, encoder.sequences, encoder.cap * sizeof(*encoder.sequences));
}

void builder_code_point(struct builder *builder, uint32_t code_point)
{
    struct regex_set set = { { 0 } };
    if (code_point >= 0xD800 && code_point <= 0xDFFF) {
        builder_bytes(builder, &set);
        return;
    }
    char bytes[UTF8_SEQUENCE_BYTES_MAX];
    unsigned len = utf8_encode(code_point, bytes);
    for (unsigned i = 0; i < len; i++) {
        uint8_t byte = (uint8_t)bytes[builder->leftwards ? len - 1 - i : i];
        set = (struct regex_set){ { 0 } };
        set.bits[byte >> 6] = UINT64_C(1) << (byte & 63);
        builder_bytes(builder, &set);
    }
}

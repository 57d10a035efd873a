/* punycode.c - Unicode labels as ASCII (RFC 3492).
 *
 * Owns: the bootstring with the parameters of Punycode. Invariant: arithmetic is in 64 bits on
 * labels of at most IDNA_POINTS_MAX code points, so that no product overflows; a delta that leaves
 * the range of code points is a fault.
 */
#include "base/features.h"

#include "schema/idna.h"

enum {
    PUNY_BASE = 36,
    PUNY_TMIN = 1,
    PUNY_TMAX = 26,
    PUNY_SKEW = 38,
    PUNY_DAMP = 700,
    PUNY_BIAS = 72,
    PUNY_FIRST = 128,
    PUNY_POINT_MAX = 0x10FFFF
};

#define PUNY_DELTA_MAX (UINT64_C(1) << 32)

static uint64_t puny_adapt(uint64_t delta, unsigned count, bool is_first)
{
    uint64_t steps = 0;
    delta /= is_first ? PUNY_DAMP : 2;
    delta += delta / count;
    for (; delta > (PUNY_BASE - PUNY_TMIN) * PUNY_TMAX / 2; steps += PUNY_BASE)
        delta /= PUNY_BASE - PUNY_TMIN;
    return steps + (PUNY_BASE - PUNY_TMIN + 1) * delta / (delta + PUNY_SKEW);
}

static uint64_t puny_threshold(uint64_t k, uint64_t bias)
{
    if (k <= bias + PUNY_TMIN)
        return PUNY_TMIN;
    return k >= bias + PUNY_TMAX ? PUNY_TMAX : k - bias;
}

/* -1: no digit. */
static int puny_digit(char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0' + 26;
    byte = (char)(byte | 0x20);
    return byte >= 'a' && byte <= 'z' ? byte - 'a' : -1;
}

/* The code points before the last hyphen. Returns where the digits begin. */
static size_t puny_basic(struct str text, struct idna_label *label)
{
    size_t end = text.len;
    while (end > 0 && text.ptr[end - 1] != '-')
        end--;
    for (size_t i = 0; end > 0 && i < end - 1 && label->count < IDNA_POINTS_MAX; i++) {
        char byte = text.ptr[i];
        if (byte >= 'A' && byte <= 'Z')
            byte = (char)(byte | 0x20);
        label->points[label->count++] = (unsigned char)byte;
    }
    return end;
}

/* A variable-length integer; false for a fault. */
static bool puny_read(struct str text, size_t *at, uint64_t bias, uint64_t *out)
{
    uint64_t value = 0;
    uint64_t weight = 1;
    for (uint64_t k = PUNY_BASE;; k += PUNY_BASE) {
        int digit = *at < text.len ? puny_digit(text.ptr[(*at)++]) : -1;
        if (digit < 0)
            return false;
        value += (uint64_t)digit * weight;
        uint64_t threshold = puny_threshold(k, bias);
        if (value > PUNY_DELTA_MAX)
            return false;
        if ((uint64_t)digit < threshold)
            break;
        weight *= PUNY_BASE - threshold;
        if (weight > PUNY_DELTA_MAX)
            return false;
    }
    *out = value;
    return true;
}

bool punycode_decode(struct str text, struct idna_label *out_label)
{
    struct idna_label label = { .count = 0 };
    uint64_t point = PUNY_FIRST;
    uint64_t bias = PUNY_BIAS;
    uint64_t i = 0;
    size_t at = puny_basic(text, &label);
    while (at < text.len) {
        uint64_t delta;
        if (label.count == IDNA_POINTS_MAX || !puny_read(text, &at, bias, &delta))
            return false;
        unsigned count = label.count + 1;
        bias = puny_adapt(delta, count, i == 0 && point == PUNY_FIRST);
        i += delta;
        point += i / count;
        i %= count;
        if (point > PUNY_POINT_MAX || (point >= 0xD800 && point <= 0xDFFF))
            return false;
        for (unsigned k = label.count; k > i; k--)
            label.points[k] = label.points[k - 1];
        label.points[i++] = (uint32_t)point;
        label.count = count;
    }
    *out_label = label;
    return true;
}

static bool puny_put(char *out, size_t size, size_t *len, char byte)
{
    if (*len == size)
        return false;
    out[(*len)++] = byte;
    return true;
}

static bool puny_write(uint64_t value, uint64_t bias, char *out, size_t size, size_t *len)
{
    static const char digits[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    for (uint64_t k = PUNY_BASE;; k += PUNY_BASE) {
        uint64_t threshold = puny_threshold(k, bias);
        if (value < threshold)
            return puny_put(out, size, len, digits[value]);
        uint64_t digit = threshold + (value - threshold) % (PUNY_BASE - threshold);
        if (!puny_put(out, size, len, digits[digit]))
            return false;
        value = (value - threshold) / (PUNY_BASE - threshold);
    }
}

/* The least code point of the label that is at least floor. */
static uint64_t puny_next_point(const struct idna_label *label, uint64_t floor)
{
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < label->count; i++)
        if (label->points[i] >= floor && label->points[i] < least)
            least = label->points[i];
    return least;
}

size_t punycode_encode(const struct idna_label *label, char *out, size_t size)
{
    size_t len = 0;
    for (unsigned i = 0; i < label->count; i++)
        if (label->points[i] < PUNY_FIRST && !puny_put(out, size, &len, (char)label->points[i]))
            return 0;
    unsigned basic = (unsigned)len;
    unsigned handled = basic;
    if (basic > 0 && !puny_put(out, size, &len, '-'))
        return 0;
    uint64_t delta = 0;
    uint64_t bias = PUNY_BIAS;
    for (uint64_t point = PUNY_FIRST; handled < label->count; delta++, point++) {
        uint64_t next = puny_next_point(label, point);
        delta += (next - point) * (handled + 1);
        point = next;
        for (unsigned i = 0; i < label->count; i++) {
            delta += label->points[i] < point;
            if (label->points[i] != point)
                continue;
            if (!puny_write(delta, bias, out, size, &len))
                return 0;
            bias = puny_adapt(delta, handled + 1, handled == basic);
            delta = 0;
            handled++;
        }
    }
    return len;
}

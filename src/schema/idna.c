/* idna.c - which labels IDNA2008 allows. See idna.h.
 *
 * Owns: the rules of RFC 5891 (form of a U-label), RFC 5892 (context), RFC 5893 (Bidi) and the
 * check of normal form C. Leaves to others: the code points' properties (idna_tables.c), names and
 * their lengths (format_idn.c).
 */
#include "base/features.h"

#include "schema/idna.h"

#include <string.h>

enum { POINT_ZWNJ = 0x200C, POINT_ZWJ = 0x200D, COMBINING_VIRAMA = 9 };

const struct idna_class *idna_class_of(uint32_t code_point)
{
    size_t begin = 0;
    size_t end = idna_runs_count;
    while (end - begin > 1) {
        size_t middle = begin + (end - begin) / 2;
        if (idna_runs[middle] >> 8 <= code_point)
            begin = middle;
        else
            end = middle;
    }
    return &idna_classes[idna_runs[begin] & 0xFF];
}

/* ---- context (RFC 5892 appendix A) ----------------------------------------------------------- */

/* (L|D) T* here T* (R|D) */
static bool context_joins(const struct idna_label *label, unsigned at)
{
    unsigned before = at;
    unsigned joining = IDNA_JOINING_TRANSPARENT;
    while (before > 0 && joining == IDNA_JOINING_TRANSPARENT)
        joining = idna_class_of(label->points[--before])->joining;
    if (joining != IDNA_JOINING_LEFT && joining != IDNA_JOINING_DUAL)
        return false;
    joining = IDNA_JOINING_TRANSPARENT;
    for (unsigned after = at + 1; after < label->count && joining == IDNA_JOINING_TRANSPARENT;)
        joining = idna_class_of(label->points[after++])->joining;
    return joining == IDNA_JOINING_RIGHT || joining == IDNA_JOINING_DUAL;
}

static bool context_join_is_right(const struct idna_label *label, unsigned at)
{
    if (at > 0 && idna_class_of(label->points[at - 1])->combining == COMBINING_VIRAMA)
        return true;
    return label->points[at] == POINT_ZWNJ && context_joins(label, at);
}

static bool label_has_script(const struct idna_label *label)
{
    for (unsigned i = 0; i < label->count; i++) {
        uint8_t script = idna_class_of(label->points[i])->script;
        if (script == IDNA_SCRIPT_HIRAGANA || script == IDNA_SCRIPT_KATAKANA ||
            script == IDNA_SCRIPT_HAN)
            return true;
    }
    return false;
}

static bool label_has_point(const struct idna_label *label, uint32_t first, uint32_t last)
{
    for (unsigned i = 0; i < label->count; i++)
        if (label->points[i] >= first && label->points[i] <= last)
            return true;
    return false;
}

static bool neighbour_has_script(const struct idna_label *label, unsigned at,
                                 enum idna_script script)
{
    return at < label->count && idna_class_of(label->points[at])->script == script;
}

static bool context_other_is_right(const struct idna_label *label, unsigned at)
{
    uint32_t point = label->points[at];
    if (point == 0xB7) /* middle dot */
        return at > 0 && at + 1 < label->count && label->points[at - 1] == 'l' &&
               label->points[at + 1] == 'l';
    if (point == 0x375) /* Greek keraia */
        return neighbour_has_script(label, at + 1, IDNA_SCRIPT_GREEK);
    if (point == 0x5F3 || point == 0x5F4) /* Hebrew geresh, gershayim */
        return at > 0 && neighbour_has_script(label, at - 1, IDNA_SCRIPT_HEBREW);
    if (point == 0x30FB) /* Katakana middle dot */
        return label_has_script(label);
    if (point >= 0x660 && point <= 0x669) /* Arabic-Indic digits */
        return !label_has_point(label, 0x6F0, 0x6F9);
    return !label_has_point(label, 0x660, 0x669); /* extended Arabic-Indic digits */
}

static bool point_is_right(const struct idna_label *label, unsigned at)
{
    switch ((enum idna_property)idna_class_of(label->points[at])->property) {
    case IDNA_DISALLOWED: return false;
    case IDNA_PVALID: return true;
    case IDNA_CONTEXTJ: return context_join_is_right(label, at);
    case IDNA_CONTEXTO: return context_other_is_right(label, at);
    }
    return false;
}

/* ---- normal form C --------------------------------------------------------------------------- */

enum {
    PAIR_POINT_BITS = 21,
    HANGUL_L = 0x1100,
    HANGUL_V = 0x1161,
    HANGUL_T = 0x11A7, /* one before the first */
    HANGUL_S = 0xAC00,
    HANGUL_L_COUNT = 19,
    HANGUL_V_COUNT = 21,
    HANGUL_T_COUNT = 28,
    HANGUL_S_COUNT = HANGUL_L_COUNT * HANGUL_V_COUNT * HANGUL_T_COUNT,
    NORMAL_POINTS_MAX = IDNA_POINTS_MAX * 4 /* no code point decomposes into more */
};

#define PAIR_POINT_MASK ((UINT64_C(1) << PAIR_POINT_BITS) - 1)

/* A label on its way through the normal form. */
struct normal_text {
    uint32_t points[NORMAL_POINTS_MAX];
    unsigned count;
};

/* What the two compose to, or 0. */
static uint32_t pair_compose(uint32_t first, uint32_t second)
{
    if (first - HANGUL_L < HANGUL_L_COUNT && second - HANGUL_V < HANGUL_V_COUNT)
        return HANGUL_S +
               ((first - HANGUL_L) * HANGUL_V_COUNT + second - HANGUL_V) * HANGUL_T_COUNT;
    if (first - HANGUL_S < HANGUL_S_COUNT && (first - HANGUL_S) % HANGUL_T_COUNT == 0 &&
        second - HANGUL_T - 1 < HANGUL_T_COUNT - 1)
        return first + second - HANGUL_T;
    uint64_t pair = (uint64_t)first << PAIR_POINT_BITS | second;
    size_t begin = 0;
    size_t end = idna_pairs_count;
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (idna_pairs[middle] >> PAIR_POINT_BITS == pair)
            return (uint32_t)(idna_pairs[middle] & PAIR_POINT_MASK);
        if (idna_pairs[middle] >> PAIR_POINT_BITS < pair)
            begin = middle + 1;
        else
            end = middle;
    }
    return 0;
}

/* The pair that composes to a code point, or 0. Seldom asked for, hence not sorted for it. */
static uint64_t pair_of(uint32_t point)
{
    for (size_t i = 0; i < idna_pairs_count; i++)
        if ((idna_pairs[i] & PAIR_POINT_MASK) == point)
            return idna_pairs[i] >> PAIR_POINT_BITS;
    return 0;
}

/* Inserts a code point behind those of no greater combining class. */
static void normal_insert(struct normal_text *text, uint32_t point)
{
    unsigned combining = idna_class_of(point)->combining;
    unsigned at = text->count++;
    for (; combining > 0 && at > 0; at--) {
        if (idna_class_of(text->points[at - 1])->combining <= combining)
            break;
        text->points[at] = text->points[at - 1];
    }
    text->points[at] = point;
}

/* Hangul syllables stay composed: their letters alone are not allowed in labels. */
static void normal_decompose(const struct idna_label *label, struct normal_text *text)
{
    text->count = 0;
    for (unsigned i = 0; i < label->count; i++) {
        uint32_t tail[3];
        unsigned tail_count = 0;
        uint32_t point = label->points[i];
        for (uint64_t pair = pair_of(point); pair != 0 && tail_count < 3; pair = pair_of(point)) {
            tail[tail_count++] = (uint32_t)(pair & PAIR_POINT_MASK);
            point = (uint32_t)(pair >> PAIR_POINT_BITS);
        }
        normal_insert(text, point);
        while (tail_count > 0)
            normal_insert(text, tail[--tail_count]);
    }
}

static void normal_compose(struct normal_text *text)
{
    unsigned starter = text->count; /* none yet */
    unsigned out = 0;
    unsigned last_combining = 0;
    for (unsigned i = 0; i < text->count; i++) {
        uint32_t point = text->points[i];
        unsigned combining = idna_class_of(point)->combining;
        bool is_next = out > 0 && starter == out - 1;
        bool is_blocked = !is_next && (last_combining == 0 || last_combining >= combining);
        uint32_t composed = 0;
        if (starter < out && !is_blocked)
            composed = pair_compose(text->points[starter], point);
        if (composed != 0) {
            text->points[starter] = composed;
            continue;
        }
        if (combining == 0)
            starter = out;
        last_combining = combining;
        text->points[out++] = point;
    }
    text->count = out;
}

/* The quick check decides where it can. */
static bool label_is_normal(const struct idna_label *label)
{
    struct normal_text text;
    unsigned last_combining = 0;
    bool may_differ = false;
    for (unsigned i = 0; i < label->count; i++) {
        const struct idna_class *class = idna_class_of(label->points[i]);
        if (class->normal == IDNA_NFC_NO ||
            (class->combining != 0 && class->combining < last_combining))
            return false;
        may_differ = may_differ || class->normal == IDNA_NFC_MAYBE;
        last_combining = class->combining;
    }
    if (!may_differ)
        return true;
    normal_decompose(label, &text);
    normal_compose(&text);
    return text.count == label->count &&
           memcmp(text.points, label->points, label->count * sizeof(label->points[0])) == 0;
}

/* ---- labels ---------------------------------------------------------------------------------- */

bool idna_is_u_label(const struct idna_label *label, bool is_strict)
{
    const uint32_t *points = label->points;
    if (label->count == 0 || points[0] == '-' || points[label->count - 1] == '-')
        return false;
    if (label->count >= 4 && points[2] == '-' && points[3] == '-')
        return false;
    if (idna_class_of(points[0])->is_mark)
        return false;
    for (unsigned i = 0; i < label->count; i++)
        if (!point_is_right(label, i))
            return false;
    return !is_strict || label_is_normal(label);
}

bool idna_is_right_to_left(const struct idna_label *label)
{
    for (unsigned i = 0; i < label->count; i++) {
        uint8_t bidi = idna_class_of(label->points[i])->bidi;
        if (bidi == IDNA_BIDI_R || bidi == IDNA_BIDI_AL || bidi == IDNA_BIDI_AN)
            return true;
    }
    return false;
}

#define BIDI_BIT(class) (1u << (class))

bool idna_satisfies_bidi(const struct idna_label *label)
{
    const unsigned neutral = BIDI_BIT(IDNA_BIDI_EN) | BIDI_BIT(IDNA_BIDI_ES) |
                             BIDI_BIT(IDNA_BIDI_CS) | BIDI_BIT(IDNA_BIDI_ET) |
                             BIDI_BIT(IDNA_BIDI_ON) | BIDI_BIT(IDNA_BIDI_BN) |
                             BIDI_BIT(IDNA_BIDI_NSM);
    const unsigned right = BIDI_BIT(IDNA_BIDI_R) | BIDI_BIT(IDNA_BIDI_AL);
    const unsigned numbers = BIDI_BIT(IDNA_BIDI_EN) | BIDI_BIT(IDNA_BIDI_AN);
    unsigned first = BIDI_BIT(idna_class_of(label->points[0])->bidi);
    unsigned last = 0;
    unsigned seen = 0;
    for (unsigned i = 0; i < label->count; i++) {
        unsigned bit = BIDI_BIT(idna_class_of(label->points[i])->bidi);
        seen |= bit;
        if (bit != BIDI_BIT(IDNA_BIDI_NSM))
            last = bit;
    }
    if ((first & right) != 0)
        return (seen & ~(neutral | right | BIDI_BIT(IDNA_BIDI_AN))) == 0 &&
               (last & (right | numbers)) != 0 && (seen & numbers) != numbers;
    return (first & BIDI_BIT(IDNA_BIDI_L)) != 0 &&
           (seen & ~(neutral | BIDI_BIT(IDNA_BIDI_L))) == 0 &&
           (last & (BIDI_BIT(IDNA_BIDI_L) | BIDI_BIT(IDNA_BIDI_EN))) != 0;
}

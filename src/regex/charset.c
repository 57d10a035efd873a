/* charset.c - sets of code points.
 *
 * Owns: the meaning of the class escapes and of `\p`. Leaves to others: what the pattern's text
 * says (parse.c), UTF-8 (encode.c). Invariant: after charset_normalise ranges ascend and neither
 * overlap nor touch.
 */
#include "base/features.h"

#include "regex/charset.h"

#include "regex/unicode.h"

enum { CHARSET_RANGES_MIN = 16 };

void charset_init(struct charset *set, const struct alloc *alloc)
{
    *set = (struct charset){ .alloc = alloc };
}

void charset_release(struct charset *set)
{
    alloc_free(set->alloc, set->ranges, set->cap * sizeof(*set->ranges));
    set->ranges = NULL;
    set->count = 0;
    set->cap = 0;
}

void charset_clear(struct charset *set)
{
    set->count = 0;
    set->categories = 0;
    set->escapes = 0;
    memset(set->properties, 0, sizeof(set->properties));
    set->has_properties = false;
}

void charset_add(struct charset *set, uint32_t first, uint32_t last)
{
    if (set->failed)
        return;
    if (set->count == set->cap) {
        size_t cap = set->cap == 0 ? CHARSET_RANGES_MIN : set->cap * 2;
        struct charset_range *ranges =
            alloc_grow(set->alloc, set->ranges, set->cap * sizeof(*ranges), cap * sizeof(*ranges));
        if (ranges == NULL) {
            set->failed = true;
            return;
        }
        set->ranges = ranges;
        set->cap = cap;
    }
    set->ranges[set->count++] = (struct charset_range){ first, last };
}

/* ---- named sets ------------------------------------------------------------------------------ */

static const struct charset_range digits[] = { { '0', '9' } };
static const struct charset_range words[] = {
    { '0', '9' }, { 'A', 'Z' }, { '_', '_' }, { 'a', 'z' }
};
/* WhiteSpace and LineTerminator of ECMA-262: Zs, U+FEFF, and the controls. */
static const struct charset_range spaces[] = {
    { 0x09, 0x0D },     { 0x20, 0x20 },     { 0xA0, 0xA0 },     { 0x1680, 0x1680 },
    { 0x2000, 0x200A }, { 0x2028, 0x2029 }, { 0x202F, 0x202F }, { 0x205F, 0x205F },
    { 0x3000, 0x3000 }, { 0xFEFF, 0xFEFF },
};
static const struct charset_range line_ends[] = { { '\n', '\n' },
                                                  { '\r', '\r' },
                                                  { 0x2028, 0x2029 } };

/* The ranges, or what lies between them. */
static void charset_add_ranges(struct charset *set, const struct charset_range *ranges,
                               size_t count, bool negated)
{
    uint32_t next = 0;
    for (size_t i = 0; i < count; i++) {
        if (!negated)
            charset_add(set, ranges[i].first, ranges[i].last);
        else if (ranges[i].first > next)
            charset_add(set, next, ranges[i].first - 1);
        next = ranges[i].last + 1;
    }
    if (negated && next <= CODE_POINT_MAX)
        charset_add(set, next, CODE_POINT_MAX);
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Heap order of ranges[root..count) below root. */
static void ranges_sink(struct charset_range *ranges, size_t root, size_t count)
{
    struct charset_range moving = ranges[root];
    for (size_t child; (child = root * 2 + 1) < count; root = child) {
        if (child + 1 < count && ranges[child + 1].first > ranges[child].first)
            child++;
        if (ranges[child].first <= moving.first)
            break;
        ranges[root] = ranges[child];
    }
    ranges[root] = moving;
}

static void ranges_sort(struct charset_range *ranges, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        ranges_sink(ranges, i, count);
    for (size_t i = count; i-- > 1;) {
        struct charset_range largest = ranges[0];
        ranges[0] = ranges[i];
        ranges[i] = largest;
        ranges_sink(ranges, 0, i);
    }
}

/* The letters that fold to a letter of ASCII. */
static const struct charset_range folding_words[] = { { '0', '9' },     { 'A', 'Z' },
                                                      { '_', '_' },     { 'a', 'z' },
                                                      { 0x17F, 0x17F }, { 0x212A, 0x212A } };

static const struct escape {
    char letter;
    const struct charset_range *ranges;
    size_t count;
} escapes[] = {
    { 'd', digits, sizeof(digits) / sizeof(digits[0]) },
    { 'w', words, sizeof(words) / sizeof(words[0]) },
    { 's', spaces, sizeof(spaces) / sizeof(spaces[0]) },
    { 'w', folding_words, sizeof(folding_words) / sizeof(folding_words[0]) },
};
enum { ESCAPE_COUNT = sizeof(escapes) / sizeof(escapes[0]), ESCAPE_FOLDING_WORD = 3 };

void charset_add_escape(struct charset *set, char letter, bool ignore_case)
{
    unsigned escape = 0;
    while (escapes[escape].letter != (letter | 0x20))
        escape++;
    if (ignore_case && escapes[escape].ranges == words)
        escape = ESCAPE_FOLDING_WORD;
    bool negated = (letter & 0x20) == 0;
    set->escapes |= UINT32_C(1) << (escape * 2 + (negated ? 1 : 0));
}

/* The ranges of the escapes that were named. */
static void charset_add_escapes(struct charset *set)
{
    for (unsigned i = 0; i < ESCAPE_COUNT * 2; i++)
        if ((set->escapes >> i & 1) != 0)
            charset_add_ranges(set, escapes[i / 2].ranges, escapes[i / 2].count, i % 2 == 1);
    set->escapes = 0;
}

void charset_add_line_ends(struct charset *set, bool negated)
{
    charset_add_ranges(set, line_ends, sizeof(line_ends) / sizeof(line_ends[0]), negated);
}

/* ---- properties ------------------------------------------------------------------------------ */

/* The code points of the categories, as ranges. */
static void charset_add_categories(struct charset *set, uint32_t categories)
{
    uint32_t first = 0;
    for (size_t i = 0; categories != 0 && i < unicode_category_run_count; i++)
        for (const char *at = unicode_category_runs[i]; *at != '\0';) {
            uint32_t category = unicode_number(&at);
            uint32_t length = unicode_number(&at);
            if ((categories >> category & 1) != 0)
                charset_add(set, first, first + length - 1);
            first += length;
        }
}

/* The places of a text, each as a range of its own. */
static void places_add(struct charset *places, const char *at)
{
    for (uint32_t place = 0; *at != '\0';) {
        place += unicode_number(&at);
        charset_add(places, place, place);
    }
}

/* The edges of categories. */
static void places_add_categories(struct charset *places, uint32_t categories)
{
    struct charset own;
    charset_init(&own, places->alloc);
    charset_add_categories(&own, categories);
    for (size_t i = 0; i < own.count; i++) {
        charset_add(places, own.ranges[i].first, own.ranges[i].first);
        charset_add(places, own.ranges[i].last + 1, own.ranges[i].last + 1);
    }
    places->failed = places->failed || own.failed;
    charset_release(&own);
}

/* The edges of a property. What occurs twice cancels itself out. */
static void places_of_property(struct charset *places, unsigned property)
{
    if (property >= CHARSET_SCRIPT_FIRST) {
        unsigned number = property - CHARSET_SCRIPT_FIRST;
        places_add(places, unicode_scripts[number / 2].places);
        if (number % 2 == 1)
            places_add(places, unicode_scripts[number / 2].extensions);
        return;
    }
    for (int i = (int)property; i >= 0; i = unicode_binaries[i].other) {
        places_add(places, unicode_binaries[i].places);
        places_add_categories(places, unicode_binaries[i].categories);
    }
}

/* The code points between the odd places and the even ones, or the others. */
static void charset_add_between(struct charset *set, struct charset *places, bool negated)
{
    uint32_t next = 0;
    bool inside = negated;
    ranges_sort(places->ranges, places->count);
    for (size_t i = 0; i < places->count; i++) {
        uint32_t place = places->ranges[i].first;
        if (i + 1 < places->count && places->ranges[i + 1].first == place) {
            i++;
            continue;
        }
        if (inside && place > next)
            charset_add(set, next, place - 1);
        inside = !inside;
        next = place;
    }
    if (inside && next <= CODE_POINT_MAX)
        charset_add(set, next, CODE_POINT_MAX);
}

static void charset_add_properties(struct charset *set)
{
    for (unsigned i = 0; set->has_properties && i < 2 * CHARSET_PROPERTY_WORDS * 64; i++) {
        unsigned property = i / 2;
        if ((set->properties[i % 2][property / 64] >> (property % 64) & 1) == 0)
            continue;
        struct charset places;
        charset_init(&places, set->alloc);
        places_of_property(&places, property);
        charset_add_between(set, &places, i % 2 == 1);
        set->failed = set->failed || places.failed;
        charset_release(&places);
    }
    memset(set->properties, 0, sizeof(set->properties));
    set->has_properties = false;
}

static bool charset_name_property(struct charset *set, int property, bool negated)
{
    if (property < 0)
        return false;
    set->properties[negated ? 1 : 0][property / 64] |= UINT64_C(1) << (property % 64);
    set->has_properties = true;
    return true;
}

static bool charset_add_script(struct charset *set, struct str value, bool extensions, bool negated)
{
    int script = unicode_script_find(value);
    int property = CHARSET_SCRIPT_FIRST + script * 2 + (extensions ? 1 : 0);
    return charset_name_property(set, script < 0 ? -1 : property, negated);
}

static bool charset_add_category(struct charset *set, uint32_t mask, bool negated)
{
    set->categories |= negated && mask != 0 ? ~mask : mask;
    return mask != 0;
}

/* `\p{name}`. */
static bool charset_add_lone(struct charset *set, struct str name, bool negated)
{
    static const struct charset_range ascii = { 0, 0x7F };
    static const struct charset_range any = { 0, CODE_POINT_MAX };
    if (str_equal(name, STR("ASCII")) || str_equal(name, STR("Any"))) {
        charset_add_ranges(set, name.ptr[1] == 'S' ? &ascii : &any, 1, negated);
        return true;
    }
    if (str_equal(name, STR("Assigned")))
        return charset_add_category(set, unicode_category_mask(STR("Cn")), !negated);
    return charset_add_category(set, unicode_category_mask(name), negated) ||
           charset_name_property(set, unicode_binary_find(name), negated);
}

bool charset_add_property(struct charset *set, struct str name, struct str value, bool negated)
{
    if (value.len == 0)
        return charset_add_lone(set, name, negated);
    if (str_equal(name, STR("gc")) || str_equal(name, STR("General_Category")))
        return charset_add_category(set, unicode_category_mask(value), negated);
    if (str_equal(name, STR("sc")) || str_equal(name, STR("Script")))
        return charset_add_script(set, value, false, negated);
    if (str_equal(name, STR("scx")) || str_equal(name, STR("Script_Extensions")))
        return charset_add_script(set, value, true, negated);
    return false;
}

/* ---- algebra --------------------------------------------------------------------------------- */

void charset_normalise(struct charset *set)
{
    charset_add_escapes(set);
    charset_add_categories(set, set->categories);
    set->categories = 0;
    charset_add_properties(set);
    if (set->failed || set->count == 0)
        return;
    ranges_sort(set->ranges, set->count);
    size_t kept = 1;
    for (size_t i = 1; i < set->count; i++) {
        struct charset_range *last = &set->ranges[kept - 1];
        struct charset_range range = set->ranges[i];
        if (range.first > last->last + 1)
            set->ranges[kept++] = range;
        else if (range.last > last->last)
            last->last = range.last;
    }
    set->count = kept;
}

void charset_complement(struct charset *set)
{
    struct charset other;
    charset_init(&other, set->alloc);
    charset_add_ranges(&other, set->ranges, set->count, true);
    other.failed = other.failed || set->failed;
    charset_release(set);
    *set = other;
}

bool charset_has(const struct charset *set, uint32_t code_point)
{
    size_t low = 0;
    for (size_t high = set->count; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (set->ranges[middle].last < code_point)
            low = middle + 1;
        else
            high = middle;
    }
    return low < set->count && set->ranges[low].first <= code_point;
}

/* Adds what the members fold to, or what folds to a member. */
static void charset_fold_once(struct charset *set, bool onwards)
{
    struct unicode_fold fold = { .at = unicode_folding };
    size_t count = set->count;
    while (unicode_fold_next(&fold))
        for (uint32_t i = 0; i < fold.count; i++) {
            uint32_t from = fold.first + i * fold.step;
            uint32_t to = (uint32_t)((int32_t)from + fold.distance);
            struct charset known = { .ranges = set->ranges, .count = count };
            if (charset_has(&known, onwards ? from : to))
                charset_add(set, onwards ? to : from, onwards ? to : from);
        }
    charset_normalise(set);
}

void charset_fold(struct charset *set)
{
    charset_fold_once(set, true);
    charset_fold_once(set, false);
}

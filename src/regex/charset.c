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

static const char escape_letters[] = "dDwWsS";

void charset_add_escape(struct charset *set, char letter)
{
    set->escapes |= UINT32_C(1) << (strchr(escape_letters, letter) - escape_letters);
}

/* The ranges of the escapes that were named. */
static void charset_add_escapes(struct charset *set)
{
    static const struct {
        const struct charset_range *ranges;
        size_t count;
    } escapes[] = {
        { digits, sizeof(digits) / sizeof(digits[0]) },
        { words, sizeof(words) / sizeof(words[0]) },
        { spaces, sizeof(spaces) / sizeof(spaces[0]) },
    };
    for (size_t i = 0; escape_letters[i] != '\0'; i++)
        if ((set->escapes >> i & 1) != 0)
            charset_add_ranges(set, escapes[i / 2].ranges, escapes[i / 2].count, i % 2 == 1);
    set->escapes = 0;
}

void charset_add_dot(struct charset *set)
{
    charset_add_ranges(set, line_ends, sizeof(line_ends) / sizeof(line_ends[0]), true);
}

/* ---- properties ------------------------------------------------------------------------------ */

static uint32_t category_mask(struct str name)
{
    for (size_t i = 0; i < unicode_category_count; i++)
        if (str_equal(name, str_from(unicode_categories[i].name)))
            return unicode_categories[i].mask;
    return 0;
}

/* The code points of the categories that were named. */
static void charset_add_categories(struct charset *set)
{
    for (size_t i = 0; set->categories != 0 && i < unicode_run_count; i++) {
        if ((set->categories >> (unicode_runs[i] & 0xFF) & 1) == 0)
            continue;
        bool is_last = i + 1 == unicode_run_count;
        uint32_t last = is_last ? CODE_POINT_MAX : (unicode_runs[i + 1] >> 8) - 1;
        charset_add(set, unicode_runs[i] >> 8, last);
    }
    set->categories = 0;
}

/* The binary properties of ECMA-262 that no table is there for. */
static const char properties_missing[] =
    " AHex ASCII_Hex_Digit Alpha Alphabetic Bidi_C Bidi_Control Bidi_M Bidi_Mirrored CI CWCF CWCM"
    " CWKCF CWL CWT CWU Case_Ignorable Cased Changes_When_Casefolded Changes_When_Casemapped"
    " Changes_When_Lowercased Changes_When_NFKC_Casefolded Changes_When_Titlecased"
    " Changes_When_Uppercased DI Dash Default_Ignorable_Code_Point Dep Deprecated Dia Diacritic"
    " EBase EComp EMod EPres Emoji Emoji_Component Emoji_Modifier Emoji_Modifier_Base"
    " Emoji_Presentation Ext ExtPict Extended_Pictographic Extender Gr_Base Gr_Ext Grapheme_Base"
    " Grapheme_Extend Hex Hex_Digit IDC IDS IDSB IDST IDS_Binary_Operator IDS_Trinary_Operator"
    " ID_Continue ID_Start Ideo Ideographic Join_C Join_Control LOE Logical_Order_Exception Lower"
    " Lowercase Math NChar Noncharacter_Code_Point Pat_Syn Pat_WS Pattern_Syntax"
    " Pattern_White_Space QMark Quotation_Mark RI Radical Regional_Indicator SD STerm"
    " Sentence_Terminal Soft_Dotted Term Terminal_Punctuation UIdeo Unified_Ideograph Upper"
    " Uppercase VS Variation_Selector White_Space XIDC XIDS XID_Continue XID_Start space ";

/* Whether text is one of the words, each of which has a space before and behind. */
static bool words_have(const char *list, struct str text)
{
    for (const char *at = list; (at = strchr(at, ' ')) != NULL && at[1] != '\0';) {
        at++;
        if (strncmp(at, text.ptr, text.len) == 0 && at[text.len] == ' ')
            return true;
    }
    return false;
}

static enum charset_property property_missing(struct str name, struct str value)
{
    static const char scripts[] = " sc Script scx Script_Extensions ";
    return words_have(value.len > 0 ? scripts : properties_missing, name) ? PROPERTY_MISSING
                                                                          : PROPERTY_UNKNOWN;
}

enum charset_property charset_add_property(struct charset *set, struct str name, struct str value,
                                           bool negated)
{
    static const struct charset_range ascii = { 0, 0x7F };
    static const struct charset_range any = { 0, CODE_POINT_MAX };
    if (value.len == 0 && (str_equal(name, STR("ASCII")) || str_equal(name, STR("Any")))) {
        charset_add_ranges(set, name.ptr[1] == 'S' ? &ascii : &any, 1, negated);
        return PROPERTY_ADDED;
    }
    uint32_t mask = 0;
    if (value.len == 0)
        mask = str_equal(name, STR("Assigned")) ? ~category_mask(STR("Cn")) : category_mask(name);
    else if (str_equal(name, STR("gc")) || str_equal(name, STR("General_Category")))
        mask = category_mask(value);
    if (mask == 0)
        return property_missing(name, value);
    set->categories |= negated ? ~mask : mask;
    return PROPERTY_ADDED;
}

static uint32_t category_bit(uint32_t code_point)
{
    size_t low = 0;
    size_t high = unicode_run_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (unicode_runs[middle] >> 8 <= code_point)
            low = middle;
        else
            high = middle;
    }
    return UINT32_C(1) << (unicode_runs[low] & 0xFF);
}

bool charset_is_name(uint32_t code_point, bool begins)
{
    if (code_point == '$' || code_point == '_')
        return true;
    uint32_t mask = category_mask(STR("L")) | category_mask(STR("Nl"));
    if (!begins) {
        if (code_point == 0x200C || code_point == 0x200D)
            return true;
        mask |= category_mask(STR("Mn")) | category_mask(STR("Mc")) | category_mask(STR("Nd")) |
                category_mask(STR("Pc"));
    }
    return (category_bit(code_point) & mask) != 0;
}

/* ---- algebra --------------------------------------------------------------------------------- */

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

void charset_normalise(struct charset *set)
{
    charset_add_escapes(set);
    charset_add_categories(set);
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

void charset_drop_surrogates(struct charset *set)
{
    size_t count = set->count;
    size_t kept = 0;
    struct charset_range split = { 1, 0 };
    for (size_t i = 0; i < count; i++) {
        struct charset_range range = set->ranges[i];
        if (range.first < 0xD800 && range.last > 0xDFFF) {
            split = (struct charset_range){ 0xE000, range.last };
            range.last = 0xD7FF;
        } else if (range.first >= 0xD800 && range.first <= 0xDFFF) {
            range.first = 0xE000;
        } else if (range.last >= 0xD800 && range.last <= 0xDFFF) {
            range.last = 0xD7FF;
        }
        if (range.first <= range.last)
            set->ranges[kept++] = range;
    }
    set->count = kept;
    if (split.first <= split.last) {
        charset_add(set, split.first, split.last);
        charset_normalise(set);
    }
}

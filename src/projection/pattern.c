/* pattern.c - which patterns a wire takes.
 *
 * Owns: a scan of a pattern for what simple engines leave out. Leaves to others: whether it is a
 * pattern at all (regex/). Invariant: what is not known as simple is not simple.
 */
#include "base/features.h"

#include "projection/pattern.h"

struct pattern_scan {
    struct str text;
    size_t at;
    unsigned depth;
    uint32_t count_max; /* 0: none */
    bool in_class;
    bool is_anchored; /* ^ first, $ last, and no alternative outside of groups */
};

static bool scan_number(struct pattern_scan *scan, uint64_t *out_number)
{
    size_t begin = scan->at;
    *out_number = 0;
    while (scan->at < scan->text.len && scan->text.ptr[scan->at] >= '0' &&
           scan->text.ptr[scan->at] <= '9') {
        if (*out_number < UINT32_MAX)
            *out_number = *out_number * 10 + (uint64_t)(scan->text.ptr[scan->at] - '0');
        scan->at++;
    }
    return scan->at > begin;
}

/* {n}, {n,}, {n,m} behind the brace; large counts are not simple. */
static bool scan_count(struct pattern_scan *scan)
{
    uint64_t low, high;
    if (!scan_number(scan, &low))
        return false;
    high = low;
    if (scan->at < scan->text.len && scan->text.ptr[scan->at] == ',') {
        scan->at++;
        if (!scan_number(scan, &high))
            high = low;
    }
    if (scan->at >= scan->text.len || scan->text.ptr[scan->at] != '}')
        return false;
    scan->at++;
    return scan->count_max == 0 || (low <= scan->count_max && high <= scan->count_max);
}

static bool scan_escape(struct pattern_scan *scan)
{
    static const char simple[] = "dwsntr^$\\.*+?()[]{}|/-";
    if (scan->at >= scan->text.len)
        return false;
    char letter = scan->text.ptr[scan->at++];
    return letter != '\0' && strchr(simple, letter) != NULL;
}

static bool scan_group(struct pattern_scan *scan)
{
    scan->depth++;
    if (scan->at >= scan->text.len || scan->text.ptr[scan->at] != '?')
        return true;
    scan->at++;
    return scan->at < scan->text.len && scan->text.ptr[scan->at++] == ':';
}

static bool scan_outside(struct pattern_scan *scan, char letter)
{
    switch (letter) {
    case '[': scan->in_class = true; return true;
    case '(': return scan_group(scan);
    case ')': scan->depth -= scan->depth > 0; return true;
    case '{': return scan_count(scan);
    case '^': return scan->at == 1;
    case '$': return scan->at == scan->text.len;
    case '|': scan->is_anchored = scan->is_anchored && scan->depth > 0; return true;
    case '*':
    case '+':
    case '?':
        /* a lazy or possessive form follows */
        return scan->at >= scan->text.len ||
               (scan->text.ptr[scan->at] != '?' && scan->text.ptr[scan->at] != '+');
    default: return (unsigned char)letter < 0x80;
    }
}

static bool scan_is_simple(struct pattern_scan *scan)
{
    bool is_simple = true;
    size_t len = scan->text.len;
    scan->is_anchored = len >= 2 && scan->text.ptr[0] == '^' && scan->text.ptr[len - 1] == '$' &&
                        scan->text.ptr[len - 2] != '\\';
    while (scan->at < len) {
        char letter = scan->text.ptr[scan->at++];
        if (letter == '\\')
            is_simple = scan_escape(scan) && is_simple;
        else if (scan->in_class)
            scan->in_class = letter != ']';
        else
            is_simple = scan_outside(scan, letter) && is_simple;
    }
    return is_simple;
}

/* What \\d and \\w stand for inside of a class, or NULL. */
static const char *class_of(char letter)
{
    return letter == 'd' ? "0-9" : letter == 'w' ? "A-Za-z0-9_" : NULL;
}

/* \\s has more members than a wire that takes no classes would read in the same way. */
static bool has_odd_class(struct str pattern)
{
    for (size_t i = 0; i + 1 < pattern.len; i++) {
        if (pattern.ptr[i] != '\\')
            continue;
        if (strchr("sSDW", pattern.ptr[++i]) != NULL)
            return true;
    }
    return false;
}

void pattern_text(const struct wire_rules *rules, struct str pattern, struct buffer *out)
{
    bool in_class = false;
    for (size_t i = 0; i < pattern.len; i++) {
        char letter = pattern.ptr[i];
        bool is_escape = letter == '\\' && i + 1 < pattern.len;
        const char *members = is_escape && rules->no_classes ? class_of(pattern.ptr[i + 1]) : NULL;
        if (!is_escape)
            in_class = letter == '[' || (in_class && letter != ']');
        if (members != NULL) {
            buffer_printf(out, in_class ? "%s" : "[%s]", members);
            i++;
            continue;
        }
        buffer_append_byte(out, letter);
        if (is_escape)
            buffer_append_byte(out, pattern.ptr[++i]);
    }
}

bool pattern_is_taken(const struct wire_rules *rules, struct str pattern)
{
    struct pattern_scan scan = { .text = pattern, .count_max = rules->limits.pattern_count };
    bool is_simple = scan_is_simple(&scan);
    if (rules->no_classes && has_odd_class(pattern))
        return false;
    if (rules->support[WIRE_PATTERN_ANCHORED_ONLY] != WIRE_REJECTED && !scan.is_anchored)
        return false;
    if (rules->support[WIRE_PATTERN_FULL] != WIRE_REJECTED)
        return true;
    return is_simple && rules->support[WIRE_PATTERN_SIMPLE] != WIRE_REJECTED;
}

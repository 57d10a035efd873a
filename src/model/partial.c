/* partial.c - reads the beginning of a JSON text and closes it.
 *
 * Owns: the structure only; the parser judges the rest. Leaves to others: text before the value.
 * Invariants: nothing that stands in the text is changed; one pass; not recursive.
 */
#include "base/features.h"

#include "model/partial.h"

#include "base/utf8.h"

enum { ESCAPE_BYTES = 6, PAIR_BYTES = 12 }; /* of \\uXXXX, and of a surrogate pair */

enum partial_expect {
    EXPECT_VALUE,
    EXPECT_ITEM_OR_END,
    EXPECT_NAME_OR_END,
    EXPECT_NAME,
    EXPECT_COLON,
    EXPECT_SEPARATOR
};

struct partial_scan {
    struct str text;
    size_t at;
    size_t clean; /* behind the last complete member or item, or an opening bracket */
    enum partial_expect expect;
    char open[LIMIT_JSON_DEPTH];
    uint32_t depth;
};

static bool byte_is_space(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

static bool byte_is_scalar(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || byte == 'E' ||
           byte == '+' || byte == '-' || byte == '.';
}

/* at is on the opening quote; leaves at behind the string. False: it does not end. */
static bool scan_string(struct partial_scan *scan)
{
    scan->at++;
    while (scan->at < scan->text.len) {
        char byte = scan->text.ptr[scan->at++];
        if (byte == '"')
            return true;
        if (byte == '\\')
            scan->at++;
    }
    scan->at = scan->text.len;
    return false;
}

static void scan_end_value(struct partial_scan *scan)
{
    scan->clean = scan->at;
    scan->expect = EXPECT_SEPARATOR;
}

static bool scan_bracket(struct partial_scan *scan, char byte)
{
    bool opens = byte == '{' || byte == '[';
    if (opens && scan->depth == LIMIT_JSON_DEPTH)
        return false;
    if (!opens && (scan->depth == 0 || scan->open[scan->depth - 1] != (byte == '}' ? '{' : '[')))
        return false;
    scan->at++;
    if (!opens) {
        scan->depth--;
        scan_end_value(scan);
        return true;
    }
    scan->open[scan->depth++] = byte;
    scan->clean = scan->at;
    scan->expect = byte == '{' ? EXPECT_NAME_OR_END : EXPECT_ITEM_OR_END;
    return true;
}

static bool scan_separator(struct partial_scan *scan, char byte)
{
    if (byte == '}' || byte == ']')
        return scan_bracket(scan, byte);
    scan->at++;
    scan->expect = scan->open[scan->depth - 1] == '{' ? EXPECT_NAME : EXPECT_VALUE;
    return byte == ',';
}

/* ---- the end of the text
 * ------------------------------------------------------------------------------- */

static void append_closers(const struct partial_scan *scan, struct buffer *out)
{
    for (uint32_t i = scan->depth; i > 0; i--)
        buffer_append_byte(out, scan->open[i - 1] == '{' ? '}' : ']');
}

/* Where the string that begins at begin ends, without an escape or a character that is cut in the
 * middle. */
static size_t string_end(struct str text, size_t begin)
{
    size_t end = begin + 1 + utf8_check(str_of(text.ptr + begin + 1, text.len - begin - 1));
    for (size_t at = begin + 1; at < end;) {
        if (text.ptr[at] != '\\') {
            at++;
            continue;
        }
        bool is_unicode = at + 1 < end && text.ptr[at + 1] == 'u';
        bool is_high = is_unicode && at + 3 < end && (text.ptr[at + 2] | 0x20) == 'd' &&
                       memchr("89abAB", text.ptr[at + 3], 6) != NULL;
        size_t bytes = is_high ? PAIR_BYTES : is_unicode ? ESCAPE_BYTES : 2;
        if (at + bytes > end)
            return at;
        at += bytes;
    }
    return end;
}

static void close_string(struct partial_scan *scan, size_t begin, struct buffer *out,
                         struct model_partial *partial)
{
    bool is_name = scan->expect == EXPECT_NAME || scan->expect == EXPECT_NAME_OR_END;
    size_t end = is_name ? scan->clean : string_end(scan->text, begin);
    buffer_append(out, scan->text.ptr, end);
    if (!is_name)
        buffer_append_byte(out, '"');
    partial->tail = is_name ? MODEL_TAIL_WHOLE : MODEL_TAIL_STRING;
}

/* A number or a literal that may go on. False: it is neither. */
static bool close_scalar(struct partial_scan *scan, size_t begin, struct buffer *out,
                         struct model_partial *partial)
{
    static const char *const literals[] = { "true", "false", "null" };
    struct str run = { scan->text.ptr + begin, scan->text.len - begin };
    for (size_t i = 0; i < sizeof(literals) / sizeof(literals[0]); i++) {
        if (str_starts_with(str_from(literals[i]), run)) {
            buffer_append(out, scan->text.ptr, begin);
            buffer_append_str(out, str_from(literals[i]));
            partial->tail = MODEL_TAIL_WHOLE;
            return true;
        }
    }
    if (run.ptr[0] != '-' && (run.ptr[0] < '0' || run.ptr[0] > '9'))
        return false;
    while (run.len > 0 && (run.ptr[run.len - 1] < '0' || run.ptr[run.len - 1] > '9'))
        run.len--;
    buffer_append(out, scan->text.ptr, begin + run.len);
    buffer_append_str(out, run.len == 0 ? STR("null") : STR(""));
    partial->tail = run.len == 0 ? MODEL_TAIL_ABSENT : MODEL_TAIL_NUMBER;
    return true;
}

/* The text ended between two tokens. */
static void close_between(struct partial_scan *scan, struct buffer *out,
                          struct model_partial *partial)
{
    partial->tail = MODEL_TAIL_WHOLE;
    switch (scan->expect) {
    case EXPECT_COLON:
        buffer_append_str(out, scan->text);
        buffer_append_str(out, STR(":null"));
        partial->tail = MODEL_TAIL_ABSENT;
        return;
    case EXPECT_VALUE:
        buffer_append_str(out, scan->text);
        buffer_append_str(out, STR(" null"));
        partial->tail = MODEL_TAIL_ABSENT;
        return;
    case EXPECT_ITEM_OR_END:
    case EXPECT_NAME_OR_END:
    case EXPECT_NAME:
    case EXPECT_SEPARATOR: buffer_append(out, scan->text.ptr, scan->clean); return;
    }
}

/* ---- one token
 * ----------------------------------------------------------------------------------------- */

enum scan_step { SCAN_GOES_ON, SCAN_IS_CLOSED, SCAN_IS_BROKEN };

static enum scan_step scan_quote(struct partial_scan *scan, struct buffer *out,
                                 struct model_partial *partial)
{
    size_t begin = scan->at;
    if (scan->expect == EXPECT_COLON || scan->expect == EXPECT_SEPARATOR)
        return SCAN_IS_BROKEN;
    if (!scan_string(scan)) {
        close_string(scan, begin, out, partial);
        return SCAN_IS_CLOSED;
    }
    if (scan->expect == EXPECT_NAME || scan->expect == EXPECT_NAME_OR_END)
        scan->expect = EXPECT_COLON;
    else
        scan_end_value(scan);
    return SCAN_GOES_ON;
}

static enum scan_step scan_scalar(struct partial_scan *scan, struct buffer *out,
                                  struct model_partial *partial)
{
    size_t begin = scan->at;
    if (scan->expect != EXPECT_VALUE && scan->expect != EXPECT_ITEM_OR_END)
        return SCAN_IS_BROKEN;
    while (scan->at < scan->text.len && byte_is_scalar(scan->text.ptr[scan->at]))
        scan->at++;
    if (scan->at == begin)
        return SCAN_IS_BROKEN;
    if (scan->at == scan->text.len)
        return close_scalar(scan, begin, out, partial) ? SCAN_IS_CLOSED : SCAN_IS_BROKEN;
    scan_end_value(scan);
    return SCAN_GOES_ON;
}

static enum scan_step scan_token(struct partial_scan *scan, char byte, struct buffer *out,
                                 struct model_partial *partial)
{
    bool fits = true;
    if (byte == '"')
        return scan_quote(scan, out, partial);
    if (scan->expect == EXPECT_SEPARATOR)
        fits = scan_separator(scan, byte);
    else if (byte == ':') {
        fits = scan->expect == EXPECT_COLON;
        scan->expect = EXPECT_VALUE;
        scan->at++;
    } else if (byte == '{' || byte == '[')
        fits = (scan->expect == EXPECT_VALUE || scan->expect == EXPECT_ITEM_OR_END) &&
               scan_bracket(scan, byte);
    else if (byte == '}' || byte == ']')
        fits = (scan->expect == EXPECT_NAME_OR_END || scan->expect == EXPECT_ITEM_OR_END) &&
               scan_bracket(scan, byte);
    else
        return scan_scalar(scan, out, partial);
    return fits ? SCAN_GOES_ON : SCAN_IS_BROKEN;
}

bool model_partial_close(struct str text, struct buffer *out, struct model_partial *out_partial)
{
    struct partial_scan scan = { .text = text, .expect = EXPECT_VALUE };
    enum scan_step step = SCAN_GOES_ON;
    *out_partial = (struct model_partial){ .tail = MODEL_TAIL_WHOLE };
    if (text.len == 0 || (text.ptr[0] != '{' && text.ptr[0] != '['))
        return false;
    while (step == SCAN_GOES_ON && scan.at < text.len) {
        char byte = text.ptr[scan.at];
        if (scan.depth == 0 && scan.at > 0)
            break; /* the value is whole; what follows is not part of it */
        if (byte_is_space(byte))
            scan.at++;
        else
            step = scan_token(&scan, byte, out, out_partial);
    }
    if (step == SCAN_IS_BROKEN)
        return false;
    if (step == SCAN_GOES_ON)
        close_between(&scan, out, out_partial);
    append_closers(&scan, out);
    out_partial->open_depth = scan.depth;
    return true;
}

/* ---- what is certain
 * ----------------------------------------------------------------------------------- */

static struct json last_child(struct json container)
{
    struct json child = json_first(container), last = child;
    while (json_exists(child)) {
        last = child;
        child = json_next(child, container);
    }
    return last;
}

struct json model_partial_place(const struct model_partial *partial, struct json root)
{
    struct json place = root;
    uint32_t steps = partial->open_depth - (partial->open_depth > 0);
    steps += partial->tail != MODEL_TAIL_WHOLE;
    for (; steps > 0 && json_count(place) > 0; steps--)
        place = last_child(place);
    return place;
}

static bool is_one_of(struct str keyword, const char *const *keywords, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (str_equal(keyword, str_from(keywords[i])))
            return true;
    }
    return false;
}

/* Of a container that was open, whatever else gets into it. */
static bool stays_in_container(struct str keyword)
{
    static const char *const keywords[] = { "type",     "additionalProperties", "propertyNames",
                                            "maxItems", "maxProperties",        "uniqueItems" };
    return is_one_of(keyword, keywords, sizeof(keywords) / sizeof(keywords[0]));
}

static bool names_type(struct str limit, struct str quoted_type)
{
    for (size_t at = 0; at + quoted_type.len <= limit.len; at++) {
        if (memcmp(limit.ptr + at, quoted_type.ptr, quoted_type.len) == 0)
            return true;
    }
    return false;
}

static bool stays_in_tail(enum model_partial_tail tail, const struct schema_violation *violation)
{
    static const char *const keywords[] = { "type", "maxLength" };
    switch (tail) {
    case MODEL_TAIL_WHOLE: return true;
    case MODEL_TAIL_STRING: return is_one_of(violation->keyword, keywords, 2);
    case MODEL_TAIL_NUMBER:
        return str_equal(violation->keyword, STR("type")) &&
               !names_type(violation->limit, STR("\"number\"")) &&
               !names_type(violation->limit, STR("\"integer\""));
    case MODEL_TAIL_ABSENT: return false;
    }
    return false;
}

bool model_partial_is_open(const struct model_partial *partial, struct json root, struct json place)
{
    struct json open = root;
    for (uint32_t depth = 0; depth < partial->open_depth; depth++) {
        if (open.node == place.node)
            return true;
        if (json_count(open) == 0)
            return false;
        open = last_child(open);
    }
    return false;
}

bool model_partial_is_certain(const struct model_partial *partial, struct json root,
                              struct json place, const struct schema_violation *violation)
{
    struct json open = root;
    if (!json_exists(place))
        return false;
    if (violation->at_name)
        return true;
    for (uint32_t depth = 0; depth < partial->open_depth; depth++) {
        if (open.node == place.node)
            return stays_in_container(violation->keyword);
        if (json_count(open) == 0)
            return true;
        open = last_child(open);
    }
    return open.node != place.node || stays_in_tail(partial->tail, violation);
}

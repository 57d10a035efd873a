/* span.c - the structure of a JSON text, brackets, strings and separators only.
 *
 * Owns: the distinction between prose that holds a bracket and JSON that was begun and spoilt; an
 * inner value of spoilt JSON must never be taken for the answer. Leaves to the parser: numbers,
 * literals, escapes, UTF-8.
 */
#include "base/features.h"

#include "engine/span.h"

#include <stdint.h>

#include "base/limits.h"

enum span_expect {
    EXPECT_VALUE,
    EXPECT_ITEM_OR_END, /* after '[' */
    EXPECT_NAME_OR_END, /* after '{' */
    EXPECT_NAME,
    EXPECT_COLON,
    EXPECT_SEPARATOR /* ',' or the closing bracket */
};

struct span_scan {
    struct str text;
    size_t at;
    size_t *budget;
    enum span_expect expect;
    uint32_t depth;
    bool begun;       /* enough was read to call it JSON */
    bool reads_raw;   /* control characters may stand in strings */
    bool has_control; /* one stands there */
    char open[LIMIT_JSON_DEPTH];
};

static bool byte_is_space(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

static bool byte_is_scalar(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
           (byte >= 'A' && byte <= 'Z') || byte == '+' || byte == '-' || byte == '.';
}

/* One byte of the budget. */
static bool span_step(struct span_scan *scan)
{
    if (*scan->budget == 0)
        return false;
    --*scan->budget;
    scan->at++;
    return true;
}

/* at is on the opening quote; leaves at behind the closing one. */
static bool span_string(struct span_scan *scan)
{
    if (!span_step(scan))
        return false;
    while (scan->at < scan->text.len) {
        char byte = scan->text.ptr[scan->at];
        bool is_control = (unsigned char)byte < 0x20;
        scan->has_control = scan->has_control || is_control;
        if ((is_control && !scan->reads_raw) || !span_step(scan))
            return false;
        if (byte == '"')
            return true;
        if (byte == '\\' && !span_step(scan))
            return false;
    }
    return false;
}

/* A number or a literal: a run whose first word is one that JSON knows. */
static bool span_scalar(struct span_scan *scan)
{
    size_t begin = scan->at;
    while (scan->at < scan->text.len && byte_is_scalar(scan->text.ptr[scan->at])) {
        if (!span_step(scan))
            return false;
    }
    struct str run = { scan->text.ptr + begin, scan->at - begin };
    char first = run.len > 0 ? run.ptr[0] : '\0';
    return first == '-' || (first >= '0' && first <= '9') || str_equal(run, STR("true")) ||
           str_equal(run, STR("false")) || str_equal(run, STR("null"));
}

static bool span_open(struct span_scan *scan, char bracket)
{
    if (scan->depth == LIMIT_JSON_DEPTH) {
        scan->begun = true;
        return false;
    }
    scan->open[scan->depth++] = bracket;
    scan->expect = bracket == '{' ? EXPECT_NAME_OR_END : EXPECT_ITEM_OR_END;
    return span_step(scan);
}

static bool span_close(struct span_scan *scan, char bracket)
{
    char opening = bracket == '}' ? '{' : '[';
    if (scan->open[scan->depth - 1] != opening)
        return false;
    scan->depth--;
    scan->expect = EXPECT_SEPARATOR;
    return span_step(scan);
}

static bool span_value(struct span_scan *scan, char byte)
{
    if (byte == '{' || byte == '[')
        return span_open(scan, byte);
    scan->expect = EXPECT_SEPARATOR;
    return byte == '"' ? span_string(scan) : span_scalar(scan);
}

static bool span_name(struct span_scan *scan, char byte)
{
    scan->expect = EXPECT_COLON;
    return byte == '"' && span_string(scan);
}

static bool span_separator(struct span_scan *scan, char byte)
{
    if (byte != ',')
        return (byte == '}' || byte == ']') && span_close(scan, byte);
    scan->begun = true;
    scan->expect = scan->open[scan->depth - 1] == '{' ? EXPECT_NAME : EXPECT_VALUE;
    return span_step(scan);
}

/* Consumes one token that is not white space. False: it has no place here. */
static bool span_token(struct span_scan *scan, char byte)
{
    switch (scan->expect) {
    case EXPECT_VALUE: return span_value(scan, byte);
    case EXPECT_ITEM_OR_END: return byte == ']' ? span_close(scan, byte) : span_value(scan, byte);
    case EXPECT_NAME_OR_END: return byte == '}' ? span_close(scan, byte) : span_name(scan, byte);
    case EXPECT_NAME: return span_name(scan, byte);
    case EXPECT_COLON:
        if (byte != ':')
            return false;
        scan->begun = true;
        scan->expect = EXPECT_VALUE;
        return span_step(scan);
    case EXPECT_SEPARATOR: return span_separator(scan, byte);
    }
    return false;
}

static enum engine_span span_run(struct span_scan *scan)
{
    do {
        char byte = scan->text.ptr[scan->at];
        bool fits = byte_is_space(byte) ? span_step(scan) : span_token(scan, byte);
        if (!fits)
            return scan->begun || *scan->budget == 0 ? ENGINE_SPAN_BROKEN : ENGINE_SPAN_PROSE;
    } while (scan->depth > 0 && scan->at < scan->text.len);
    if (scan->depth > 0) /* an opening bracket with nothing behind it is prose */
        return scan->begun ? ENGINE_SPAN_BROKEN : ENGINE_SPAN_PROSE;
    return ENGINE_SPAN_VALUE;
}

enum engine_span engine_span_scan(struct str text, size_t start, bool reads_raw, size_t *budget,
                                  size_t *out_end)
{
    struct span_scan scan = { .text = text, .at = start, .budget = budget, .expect = EXPECT_VALUE };
    enum engine_span span = span_run(&scan);
    *out_end = scan.at;
    if (!reads_raw || !scan.has_control)
        return span;
    scan = (struct span_scan){
        .text = text, .at = start, .budget = budget, .expect = EXPECT_VALUE, .reads_raw = true
    };
    if (span_run(&scan) != ENGINE_SPAN_VALUE || !scan.begun)
        return span;
    *out_end = scan.at;
    return ENGINE_SPAN_RAW;
}

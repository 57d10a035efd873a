/* grounding.c - where in the prompt each leaf of the data occurs. See grounding.h.
 *
 * Owns: the walk over the leaves and the order in which matches are tried. Leaves to others:
 * matching (grounding_words.c, grounding_values.c). Invariant: start and end are code points,
 * half-open.
 */
#include "base/features.h"

#include "cli/grounding.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "cli/grounding_match.h"

enum { GROUNDING_POINTER_BYTES = 64 * 1024 };

/* Bytes looked at for one result: about a second of work at the most. */
#define GROUNDING_STEPS 50000000ull

struct grounding_level {
    struct json container;
    struct json next;
};

/* The name of the match, or NULL when the string is not in the text. */
static const char *grounding_string(struct grounding_text *text, struct str value,
                                    struct grounding_span *span)
{
    if (grounding_find_words(text, value, GROUNDING_EXACT, span))
        return "exact";
    if (grounding_find_words(text, value, GROUNDING_CASE, span))
        return "case";
    if (grounding_find_words(text, value, GROUNDING_SPACE, span))
        return "space";
    if (grounding_find_date(text, value, span))
        return "date";
    return NULL;
}

static const char *grounding_boolean(struct grounding_text *text, bool value,
                                     struct grounding_span *span)
{
    struct str literal = value ? STR("true") : STR("false");
    struct str word = value ? STR("yes") : STR("no");
    if (grounding_find_words(text, literal, GROUNDING_CASE, span) ||
        grounding_find_words(text, word, GROUNDING_CASE, span))
        return "boolean-word";
    return NULL;
}

static const char *grounding_match(struct grounding_text *text, struct json leaf,
                                   struct grounding_span *span)
{
    bool exact = false;
    switch (json_type(leaf)) {
    case JSON_STRING: return grounding_string(text, json_string(leaf), span);
    case JSON_NUMBER:
        if (!grounding_find_number(text, json_number_text(leaf), span, &exact))
            return NULL;
        return exact ? "exact" : "number";
    case JSON_TRUE: return grounding_boolean(text, true, span);
    case JSON_FALSE: return grounding_boolean(text, false, span);
    case JSON_NULL:
    case JSON_ARRAY:
    case JSON_OBJECT: break;
    }
    return NULL;
}

static void grounding_leaf_append(struct buffer *out, struct grounding_text *text, struct json leaf,
                                  struct str pointer)
{
    struct grounding_span span = { 0, 0 };
    const char *match = grounding_match(text, leaf, &span);
    buffer_append_str(out, STR("{\"pointer\":"));
    json_write_string(pointer, out);
    if (match == NULL) {
        buffer_append_str(out, STR(",\"found\":false}"));
        return;
    }
    size_t start = utf8_length(str_of(text->text.ptr, span.begin));
    size_t length = utf8_length(str_of(text->text.ptr + span.begin, span.end - span.begin));
    buffer_printf(out, ",\"found\":true,\"start\":%zu,\"end\":%zu,\"match\":\"%s\"}", start,
                  start + length, match);
}

void cli_grounding_append(struct buffer *out, struct json data, struct str prompt,
                          const struct alloc *alloc)
{
    struct grounding_level levels[LIMIT_JSON_DEPTH + 1];
    struct grounding_text text = { prompt, GROUNDING_STEPS };
    struct buffer pointer;
    size_t depth = 0;
    bool is_first = true;
    buffer_init(&pointer, alloc, GROUNDING_POINTER_BYTES);
    json_pointer_of(data, &pointer);
    size_t base = pointer.len;
    levels[0] = (struct grounding_level){ data, json_first(data) };
    buffer_append_byte(out, '[');
    for (;;) {
        struct json value = levels[depth].next;
        if (!json_exists(value)) {
            if (depth == 0)
                break;
            depth--;
            continue;
        }
        levels[depth].next = json_next(value, levels[depth].container);
        enum json_type type = json_type(value);
        if (type == JSON_OBJECT || type == JSON_ARRAY) {
            if (depth < LIMIT_JSON_DEPTH)
                levels[++depth] = (struct grounding_level){ value, json_first(value) };
            continue;
        }
        buffer_truncate(&pointer, 0);
        json_pointer_of(value, &pointer);
        if (!is_first)
            buffer_append_byte(out, ',');
        is_first = false;
        grounding_leaf_append(out, &text, value, str_of(pointer.ptr + base, pointer.len - base));
    }
    buffer_append_byte(out, ']');
    buffer_release(&pointer);
}

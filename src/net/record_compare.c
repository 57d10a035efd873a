/* record_compare.c - which requests are the same, and what differs between those that are not.
 *
 * Owns: the comparison and its words. Leaves to others: files (record_file.c). Invariants: words
 * carry names of headers and pointers, never a value; a comparison that memory cuts short is told
 * as unknown, not as a difference.
 */
#include "base/features.h"

#include "net/record_file.h"

#include <stdio.h>

enum { COMPARE_STEPS = 1 << 24, FAR = 1000000, POINTERS_MAX = 3, POINTER_BYTES = 96 };

enum status record_exchange_parse(struct record_exchange *exchange, const struct alloc *alloc)
{
    enum status status =
        json_parse(buffer_view(&exchange->request_body), NULL, alloc, &exchange->request_doc, NULL);
    return status == STATUS_NO_MEMORY ? status : STATUS_OK;
}

static bool same_text(const struct buffer *a, const struct buffer *b)
{
    return str_equal(buffer_view(a), buffer_view(b));
}

enum record_likeness record_compare(const struct record_exchange *a,
                                    const struct record_exchange *b)
{
    uint64_t budget = COMPARE_STEPS;
    if (!same_text(&a->method, &b->method) || !same_text(&a->url, &b->url))
        return RECORD_DIFFERENT;
    if (same_text(&a->request_body, &b->request_body))
        return RECORD_SAME;
    if (a->request_doc == NULL || b->request_doc == NULL)
        return RECORD_DIFFERENT;
    if (json_equal(json_doc_root(a->request_doc), json_doc_root(b->request_doc), &budget))
        return RECORD_SAME;
    return budget == 0 ? RECORD_UNKNOWN : RECORD_DIFFERENT;
}

static bool values_differ(struct json a, struct json b)
{
    uint64_t budget = COMPARE_STEPS;
    return !json_exists(a) || !json_exists(b) || !json_equal(a, b, &budget);
}

static struct json member_of(struct json container, struct json like, struct json item,
                             uint32_t index)
{
    return json_type(like) == JSON_OBJECT ? json_get(container, json_member_name(item))
                                          : json_at(container, index);
}

static void append_step(struct buffer *pointer, struct json container, struct json item,
                        uint32_t index)
{
    if (json_type(container) == JSON_OBJECT)
        json_pointer_append(pointer, json_member_name(item));
    else
        json_pointer_append_index(pointer, index);
}

static bool both_contain(struct json a, struct json b)
{
    return json_exists(a) && json_exists(b) && json_type(a) == json_type(b) &&
           (json_type(a) == JSON_OBJECT || json_type(a) == JSON_ARRAY);
}

/* Goes down the first member that differs, as far as both sides have it. */
static void descend(struct json a, struct json b, struct buffer *pointer)
{
    while (both_contain(a, b)) {
        uint32_t index = 0;
        struct json item = json_first(a), other = { NULL, NULL };
        for (; json_exists(item); item = json_next(item, a), index++) {
            other = member_of(b, a, item, index);
            if (values_differ(item, other))
                break;
        }
        if (!json_exists(item))
            return; /* b has more */
        append_step(pointer, a, item, index);
        a = item;
        b = other;
    }
}

/* ---- words ---- */

struct words {
    char *text;
    size_t len;
};

static void say(struct words *words, const char *what, struct str name)
{
    size_t room = RECORD_DIFFERENCE_BYTES - words->len;
    int len = snprintf(words->text + words->len, room, "%s%s%.*s", words->len > 0 ? ", " : "", what,
                       (int)name.len, name.len > 0 ? name.ptr : "");
    if (len > 0 && (size_t)len < room)
        words->len += (size_t)len;
    else
        words->text[words->len] = '\0';
}

static void say_pointer(struct words *words, const struct buffer *pointer)
{
    struct str view = buffer_view(pointer);
    if (buffer_status(pointer) != STATUS_OK || view.len == 0)
        say(words, "the body", STR(""));
    else
        say(words, "the body at ", view);
}

static void say_body(struct words *words, struct json a, struct json b, const struct alloc *alloc)
{
    uint32_t told = 0, index = 0;
    struct buffer pointer;
    buffer_init(&pointer, alloc, POINTER_BYTES);
    if (!both_contain(a, b)) {
        say(words, "the body", STR(""));
        return;
    }
    for (struct json item = json_first(a); json_exists(item) && told < POINTERS_MAX;
         item = json_next(item, a), index++) {
        struct json other = member_of(b, a, item, index);
        if (!values_differ(item, other))
            continue;
        buffer_clear(&pointer);
        append_step(&pointer, a, item, index);
        descend(item, other, &pointer);
        say_pointer(words, &pointer);
        told++;
    }
    index = 0;
    for (struct json item = json_first(b); json_exists(item) && told < POINTERS_MAX;
         item = json_next(item, b), index++) {
        if (json_exists(member_of(a, b, item, index)))
            continue;
        buffer_clear(&pointer);
        append_step(&pointer, b, item, index);
        say_pointer(words, &pointer);
        told++;
    }
    buffer_release(&pointer);
}

/* The next line; false at the end. */
static bool next_line(struct str *lines, struct str *out_line)
{
    if (lines->len == 0)
        return false;
    const char *end = memchr(lines->ptr, '\n', lines->len);
    size_t len = end == NULL ? lines->len : (size_t)(end - lines->ptr);
    *out_line = str_of(lines->ptr, len);
    *lines = str_of(lines->ptr + len + (end != NULL), lines->len - len - (end != NULL));
    return true;
}

static bool has_line(struct str lines, struct str wanted)
{
    struct str line;
    while (next_line(&lines, &line)) {
        if (str_equal(line, wanted))
            return true;
    }
    return false;
}

static bool has_name(struct str lines, struct str name)
{
    struct str line;
    while (next_line(&lines, &line)) {
        if (line.len > name.len && line.ptr[name.len] == ':' && str_starts_with(line, name))
            return true;
    }
    return false;
}

static void say_headers(struct words *words, struct str a, struct str b, bool only_absent)
{
    struct str lines = a, line;
    while (next_line(&lines, &line)) {
        const char *colon = memchr(line.ptr, ':', line.len);
        struct str name = str_of(line.ptr, colon == NULL ? line.len : (size_t)(colon - line.ptr));
        if (only_absent ? !has_name(b, name) : !has_line(b, line))
            say(words, "the header ", name);
    }
}

void record_difference(const struct record_exchange *a, const struct record_exchange *b,
                       const struct alloc *alloc, char what[RECORD_DIFFERENCE_BYTES])
{
    struct words words = { what, 0 };
    what[0] = '\0';
    if (!same_text(&a->method, &b->method))
        say(&words, "the method", STR(""));
    if (!same_text(&a->url, &b->url))
        say(&words, "the URL", STR(""));
    if (a->request_doc != NULL && b->request_doc != NULL)
        say_body(&words, json_doc_root(a->request_doc), json_doc_root(b->request_doc), alloc);
    else if (!same_text(&a->request_body, &b->request_body))
        say(&words, "the body", STR(""));
    say_headers(&words, buffer_view(&a->headers), buffer_view(&b->headers), false);
    say_headers(&words, buffer_view(&b->headers), buffer_view(&a->headers), true);
}

uint32_t record_distance(const struct record_exchange *a, const struct record_exchange *b)
{
    uint32_t distance = 0;
    if (!same_text(&a->method, &b->method))
        distance += 4 * (uint32_t)FAR;
    if (!same_text(&a->url, &b->url))
        distance += 2 * (uint32_t)FAR;
    if (a->request_doc == NULL || b->request_doc == NULL)
        return distance + FAR;
    struct json root_a = json_doc_root(a->request_doc), root_b = json_doc_root(b->request_doc);
    if (json_type(root_a) != JSON_OBJECT || json_type(root_b) != JSON_OBJECT)
        return distance + FAR;
    for (struct json item = json_first(root_a); json_exists(item); item = json_next(item, root_a))
        distance += values_differ(item, json_get(root_b, json_member_name(item)));
    for (struct json item = json_first(root_b); json_exists(item); item = json_next(item, root_b))
        distance += !json_exists(json_get(root_a, json_member_name(item)));
    return distance;
}

/* watch.c - looking at a reply while it is written. See watch.h. */
#include "base/features.h"

#include "provider/watch.h"

enum { BYTES_PER_TOKEN = 4 };

void watch_init(struct watch *watch, const struct schema_program *program,
                const struct alloc *alloc)
{
    *watch = (struct watch){ .push = NULL };
    model_runaway_init(&watch->runaway);
    if (program != NULL && schema_push_new(program, NULL, 0, alloc, &watch->push) != STATUS_OK)
        watch->push = NULL;
}

static void stop_judging(struct watch *watch)
{
    schema_push_free(watch->push);
    watch->push = NULL;
}

void watch_release(struct watch *watch)
{
    stop_judging(watch);
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

static bool is_certainly_invalid(struct watch *watch, struct str text)
{
    bool is_invalid = false;
    while (!watch->has_begun && text.len > 0 && is_blank(text.ptr[0]))
        text = str_of(text.ptr + 1, text.len - 1);
    if (watch->push == NULL || text.len == 0)
        return false;
    if (!watch->has_begun && text.ptr[0] != '{') {
        stop_judging(watch);
        return false;
    }
    watch->has_begun = true;
    if (schema_push_feed(watch->push, text, &is_invalid, NULL) != STATUS_OK) {
        stop_judging(watch);
        return false;
    }
    return is_invalid;
}

enum watch_verdict watch_feed(struct watch *watch, struct str text)
{
    if (is_certainly_invalid(watch, text))
        return WATCH_INVALID;
    return model_runaway_feed(&watch->runaway, text) ? WATCH_RUNAWAY : WATCH_GOES_ON;
}

uint64_t watch_tokens_of(size_t bytes)
{
    return (bytes + BYTES_PER_TOKEN - 1) / BYTES_PER_TOKEN;
}

/* Whether `"name":` stands anywhere in text: rough, and good enough for an estimate. */
static bool text_names(struct str text, struct str name)
{
    for (size_t at = 1; at + name.len + 1 < text.len; at++) {
        if (text.ptr[at - 1] == '"' && memcmp(text.ptr + at, name.ptr, name.len) == 0 &&
            text.ptr[at + name.len] == '"')
            return true;
    }
    return false;
}

uint64_t watch_saved_tokens(const struct schema_program *target, struct str text)
{
    uint32_t present = 0, absent = 0;
    struct json required = json_type(target->root) == JSON_OBJECT
                               ? json_get(target->root, STR("required"))
                               : (struct json){ NULL, NULL };
    if (!json_exists(required) || json_type(required) != JSON_ARRAY)
        return 0;
    for (struct json name = json_first(required); json_exists(name);
         name = json_next(name, required)) {
        if (json_type(name) != JSON_STRING)
            continue;
        if (text_names(text, json_string(name)))
            present++;
        else
            absent++;
    }
    return present == 0 ? 0 : watch_tokens_of(text.len) * absent / present;
}

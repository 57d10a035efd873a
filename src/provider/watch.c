/* watch.c - looking at a reply while it is written. See watch.h. */
#include "base/features.h"

#include "provider/watch.h"

#include "model/mendable.h"

enum { BYTES_PER_TOKEN = 4 };

void watch_init(struct watch *watch, const struct schema_program *program,
                const struct alloc *alloc)
{
    *watch = (struct watch){ .alloc = alloc };
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

/* A fault is certain; whether it stays one is asked again when the text has grown by half. */
static bool is_beyond_mending(struct watch *watch, struct str text)
{
    if (text.len < watch->ask_again)
        return false;
    while (text.len > 0 && text.ptr[0] != '{')
        text = str_of(text.ptr + 1, text.len - 1);
    switch (model_mendable_fault(text, schema_push_pointer(watch->push), watch->alloc)) {
    case MODEL_MENDABLE_NO: return true;
    case MODEL_MENDABLE_YES: stop_judging(watch); break;
    case MODEL_MENDABLE_LATER: watch->ask_again = text.len + text.len / 2 + 1; break;
    }
    return false;
}

static bool is_certainly_invalid(struct watch *watch, struct str text, size_t from)
{
    bool is_invalid = false;
    while (!watch->has_begun && from < text.len && is_blank(text.ptr[from]))
        from++;
    if (watch->push == NULL || from >= text.len)
        return false;
    if (!watch->has_begun && text.ptr[from] != '{') {
        stop_judging(watch);
        return false;
    }
    watch->has_begun = true;
    if (watch->ask_again > 0)
        return is_beyond_mending(watch, text);
    struct str fresh = { text.ptr + from, text.len - from };
    if (schema_push_feed(watch->push, fresh, &is_invalid, NULL) != STATUS_OK) {
        stop_judging(watch);
        return false;
    }
    return is_invalid && is_beyond_mending(watch, text);
}

enum watch_verdict watch_feed(struct watch *watch, struct str text, size_t from)
{
    struct str fresh = { text.ptr + from, text.len - from };
    if (is_certainly_invalid(watch, text, from))
        return WATCH_INVALID;
    return model_runaway_feed(&watch->runaway, fresh) ? WATCH_RUNAWAY : WATCH_GOES_ON;
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

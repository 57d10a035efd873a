/* ground_values.c - the numbers, dates and addresses that the prompt contains, as JSON would write
 * them.
 *
 * Leaves the reading of prose to src/evidence, whose facts it keeps by kind; adds what the
 * decoder's formats need beyond them: UUIDs, IP addresses, and a date with the time that stands
 * beside it.
 */
#include "base/features.h"

#include "decode/ground_index.h"
#include "decode/leaf_format.h"
#include "evidence/text.h"

enum { VALUE_WORD_MAX = 64, DATE_TIME_GAP_MAX = 24 };

struct collector {
    struct ground *ground;
    struct ground_value *items[GROUND_KINDS];
    uint32_t cap[GROUND_KINDS];
    bool failed;
};

static void collector_add(struct collector *collector, enum ground_kind kind, struct str text,
                          uint32_t begin, uint32_t end)
{
    struct ground_list *list = &collector->ground->lists[kind];
    struct arena *arena = &collector->ground->arena;
    if (collector->failed)
        return;
    if (list->count == collector->cap[kind]) {
        uint32_t cap = list->count == 0 ? 16 : list->count * 2;
        struct ground_value *grown = arena_take_array(arena, cap, sizeof *grown);
        if (grown == NULL) {
            collector->failed = true;
            return;
        }
        if (list->count > 0)
            memcpy(grown, list->items, list->count * sizeof *grown);
        collector->items[kind] = grown;
        collector->cap[kind] = cap;
        list->items = grown;
    }
    struct str copy = arena_copy(arena, text);
    collector->failed = copy.ptr == NULL;
    collector->items[kind][list->count++] = (struct ground_value){ copy, begin, end };
}

/* A clock time as the format wants it: seconds and a zone that the text does not give. */
static void add_time(struct collector *collector, const struct evidence_fact *fact)
{
    char text[16];
    if (fact->value.len != 5)
        return;
    memcpy(text, fact->value.ptr, 5);
    memcpy(text + 5, ":00Z", 4);
    collector_add(collector, GROUND_TIMES, str_of(text, 9), fact->begin, fact->end);
}

/* A date and the time of day beside it are one point in time. */
static void add_pair(struct collector *collector, const struct evidence_fact *date,
                     const struct evidence_fact *time)
{
    const struct evidence_fact *first = date->begin < time->begin ? date : time;
    const struct evidence_fact *last = first == date ? time : date;
    char text[24];
    if (date->value.len != 10 || time->value.len != 5 || last->begin < first->end ||
        last->begin - first->end > DATE_TIME_GAP_MAX)
        return;
    memcpy(text, date->value.ptr, 10);
    text[10] = 'T';
    memcpy(text + 11, time->value.ptr, 5);
    memcpy(text + 16, ":00Z", 4);
    collector_add(collector, GROUND_DATE_TIMES, str_of(text, 20), first->begin, last->end);
}

static void add_fact(struct collector *collector, const struct evidence_fact *fact)
{
    switch (fact->kind) {
    case EVIDENCE_NUMBER:
        collector_add(collector, GROUND_NUMBERS, fact->value, fact->begin, fact->end);
        break;
    case EVIDENCE_DATE:
        collector_add(collector, GROUND_DATES, fact->value, fact->begin, fact->end);
        break;
    case EVIDENCE_DATE_TIME:
        collector_add(collector, GROUND_DATE_TIMES, fact->value, fact->begin, fact->end);
        break;
    case EVIDENCE_TIME: add_time(collector, fact); break;
    case EVIDENCE_EMAIL:
        collector_add(collector, GROUND_EMAILS, fact->value, fact->begin, fact->end);
        break;
    case EVIDENCE_URI:
        collector_add(collector, GROUND_URIS, fact->value, fact->begin, fact->end);
        break;
    case EVIDENCE_CURRENCY:
    case EVIDENCE_PHONE: break;
    }
}

static void add_facts(struct collector *collector, const struct evidence_text *evidence)
{
    const struct evidence_fact *before = NULL;
    for (uint32_t i = 0; i < evidence->fact_count; i++) {
        const struct evidence_fact *fact = &evidence->facts[i];
        add_fact(collector, fact);
        bool timed = fact->kind == EVIDENCE_DATE || fact->kind == EVIDENCE_TIME;
        if (timed && before != NULL && before->kind != fact->kind)
            add_pair(collector, fact->kind == EVIDENCE_DATE ? fact : before,
                     fact->kind == EVIDENCE_TIME ? fact : before);
        before = timed ? fact : before;
    }
}

static bool is_value_byte(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == ':' || c == '.';
}

/* Words that are as a whole a UUID or an IP address; a full stop after them is not part of them. */
static void add_words(struct collector *collector)
{
    struct str prompt = collector->ground->prompt;
    for (size_t begin = 0; begin < prompt.len; begin++) {
        size_t end = begin;
        while (end < prompt.len && is_value_byte(prompt.ptr[end]))
            end++;
        size_t len = end - begin;
        while (len > 0 &&
               (prompt.ptr[begin + len - 1] == '.' || prompt.ptr[begin + len - 1] == ':'))
            len--;
        struct str word = { prompt.ptr + begin, len };
        if (len >= 7 && len <= VALUE_WORD_MAX) {
            uint32_t from = (uint32_t)begin, to = (uint32_t)(begin + len);
            if (format_has_text(SCHEMA_FORMAT_UUID, word))
                collector_add(collector, GROUND_UUIDS, word, from, to);
            else if (format_has_text(SCHEMA_FORMAT_IPV4, word) ||
                     format_has_text(SCHEMA_FORMAT_IPV6, word))
                collector_add(collector, GROUND_ADDRESSES, word, from, to);
        }
        begin = end > begin ? end - 1 : begin;
    }
}

enum status ground_collect(struct ground *ground)
{
    struct evidence_text *evidence;
    enum status status = evidence_text_new(ground->prompt, ground->alloc, &evidence, NULL);
    if (status != STATUS_OK)
        return status;
    struct collector collector = { .ground = ground };
    add_facts(&collector, evidence);
    add_words(&collector);
    evidence_text_free(evidence);
    return collector.failed ? STATUS_NO_MEMORY : STATUS_OK;
}

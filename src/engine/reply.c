/* reply.c - the reply reader: finds the one JSON value of a reply.
 *
 * Owns: which markup may stand around the value, raw control characters inside its strings, when a
 * reply is ambiguous, and the words for a reply that is not JSON. Leaves to others: the finish
 * signal (looked at before), the need object, envelopes, validation. Invariants: a text that is
 * JSON is never touched; no value is ever changed; a value inside JSON that was begun and spoilt is
 * never taken for the answer; work is linear in the reply times a constant.
 */
#include "base/features.h"

#include "engine/reply.h"

#include <stdio.h>

#include "base/limits.h"
#include "engine/markup.h"
#include "engine/span.h"
#include "engine/text.h"
#include "model/runaway.h"

enum {
    SCAN_BUDGET_FACTOR = 16, /* looks at one byte of the reply, on average */
    SCAN_BUDGET_BASE = 65536,
    COMPARE_BUDGET = 4000000,
    VALUES_MAX = 64 /* equal values in one reply; more are ambiguous */
};

/* What the search through a reply has found since the last end of reasoning. */
struct search {
    struct str text;
    const struct alloc *alloc;
    bool reads_raw; /* control characters in strings are read */
    size_t budget;
    size_t at;
    size_t value_begin, value_end; /* of doc */
    struct json_doc *doc;          /* the first value */
    bool is_raw;                   /* it holds raw control characters */
    uint32_t value_count;
    bool is_ambiguous;      /* a second, different one */
    size_t second;          /* where it begins */
    bool is_broken;         /* JSON that was begun and fails */
    size_t broken;          /* where it begins */
    bool is_in_string;      /* is_broken: an odd number of quotes since then */
    size_t reasoning_begin; /* of the first block; 0 where its beginning was not sent */
    size_t reasoning_end;   /* everything before is reasoning or its mark */
    size_t reasoning_last;  /* end of the last block behind that, where the search stands */
    bool has_reasoning;
};

static void refuse(struct engine_reply_value *value, struct str text, size_t offset,
                   const char *message)
{
    value->keyword = model_runaway_is_end_of(text) ? "runaway" : "json";
    json_position(text, offset, &value->line, &value->column);
    (void)snprintf(value->message, sizeof(value->message), "%s", message);
}

/* The parser's words without the place that it puts before them: it counted from the value's own
 * beginning. */
static const char *words_of(const struct error *error)
{
    char place[64];
    int len = snprintf(place, sizeof(place), "line %u, column %u: ", error->line, error->column);
    bool has_place = len > 0 && strncmp(error->message, place, (size_t)len) == 0;
    return has_place ? error->message + len : error->message;
}

/* The parser's complaint about text[begin..], placed in the whole text. */
static void refuse_syntax(struct engine_reply_value *value, struct str text, size_t begin,
                          const struct error *error)
{
    uint32_t line = 1, column = 1;
    json_position(text, begin, &line, &column);
    value->keyword = model_runaway_is_end_of(text) ? "runaway" : "json";
    value->line = line + (error->line > 0 ? error->line - 1 : 0);
    value->column =
        error->line <= 1 ? column + (error->column > 0 ? error->column - 1 : 0) : error->column;
    (void)snprintf(value->message, sizeof(value->message),
                   "the reply was not valid JSON at line %u, column %u: %s", value->line,
                   value->column, words_of(error));
}

/* Parses text[begin..end). A member name twice, or a limit, is refused like any other fault. */
static enum status parse_span(struct str text, size_t begin, size_t end, const struct alloc *alloc,
                              struct json_doc **out_doc, struct error *error)
{
    struct json_options options = JSON_OPTIONS_DEFAULT;
    options.bytes_max = LIMIT_REPLY_BYTES;
    error_clear(error);
    return json_parse((struct str){ text.ptr + begin, end - begin }, &options, alloc, out_doc,
                      error);
}

/* text is JSON but for member names that occur twice. */
static enum status is_duplicate(struct str text, const struct alloc *alloc, bool *out_is)
{
    struct json_options options = JSON_OPTIONS_DEFAULT;
    options.bytes_max = LIMIT_REPLY_BYTES;
    options.duplicates = JSON_DUPLICATES_LAST;
    struct json_doc *doc = NULL;
    struct error error = { 0 };
    enum status status = json_parse(text, &options, alloc, &doc, &error);
    *out_is = status == STATUS_OK;
    json_doc_free(doc);
    return status == STATUS_NO_MEMORY ? status : STATUS_OK;
}

/* Only blanks stand between the beginning of at's line and at. */
static bool is_at_line_start(struct str text, size_t from, size_t at)
{
    while (at > from && (text.ptr[at - 1] == ' ' || text.ptr[at - 1] == '\t'))
        at--;
    return at == from || text.ptr[at - 1] == '\n' || text.ptr[at - 1] == '\r';
}

static void search_forget(struct search *search, size_t reasoning_end)
{
    json_doc_free(search->doc);
    search->doc = NULL;
    search->value_count = 0;
    search->is_ambiguous = false;
    search->is_broken = false;
    search->has_reasoning = true;
    search->reasoning_begin = 0;
    search->reasoning_end = reasoning_end;
    search->reasoning_last = reasoning_end;
    search->at = reasoning_end;
}

static void search_break(struct search *search, size_t begin)
{
    if (!search->is_broken)
        search->broken = begin;
    search->is_broken = true;
    search->is_in_string = false;
    search->at = begin + 1;
}

/* A closing bracket right behind a value belongs to JSON whose beginning is lost. */
static bool is_cut_out(struct str text, size_t end)
{
    while (end < text.len && (text.ptr[end] == ' ' || text.ptr[end] == '\n' ||
                              text.ptr[end] == '\r' || text.ptr[end] == '\t'))
        end++;
    return end < text.len && (text.ptr[end] == '}' || text.ptr[end] == ']');
}

/* The value with its raw control characters escaped. */
static void escape_controls(struct str raw, struct buffer *out)
{
    bool is_in_string = false;
    for (size_t i = 0; i < raw.len; i++) {
        unsigned char byte = (unsigned char)raw.ptr[i];
        if (is_in_string && byte < 0x20 && byte != 0) {
            buffer_printf(out, "\\u%04x", byte);
            continue;
        }
        buffer_append_byte(out, (char)byte);
        if (byte == '"')
            is_in_string = !is_in_string;
        else if (byte == '\\' && is_in_string && i + 1 < raw.len)
            buffer_append_byte(out, raw.ptr[++i]); /* as it is: no escape is made up */
    }
}

static enum status parse_raw(const struct search *search, size_t begin, size_t end,
                             struct json_doc **out_doc, struct error *error)
{
    struct buffer text;
    buffer_init(&text, search->alloc, SIZE_MAX);
    escape_controls((struct str){ search->text.ptr + begin, end - begin }, &text);
    enum status status = STATUS_NO_MEMORY;
    if (buffer_status(&text) == STATUS_OK)
        status = parse_span(buffer_view(&text), 0, text.len, search->alloc, out_doc, error);
    buffer_release(&text);
    return status;
}

static enum status search_take(struct search *search, size_t begin, size_t end, bool is_raw)
{
    struct error error = { 0 };
    struct json_doc *doc = NULL;
    enum status status = is_raw ? parse_raw(search, begin, end, &doc, &error)
                                : parse_span(search->text, begin, end, search->alloc, &doc, &error);
    if (status == STATUS_NO_MEMORY)
        return status;
    if (status != STATUS_OK || is_cut_out(search->text, end)) {
        json_doc_free(doc);
        search_break(search, begin);
        search->at = end;
        return STATUS_OK;
    }
    search->at = end;
    if (search->doc == NULL) {
        search->doc = doc;
        search->is_raw = is_raw;
        search->value_begin = begin;
        search->value_end = end;
        return STATUS_OK;
    }
    uint64_t budget = COMPARE_BUDGET;
    if (++search->value_count > VALUES_MAX ||
        !json_equal(json_doc_root(search->doc), json_doc_root(doc), &budget)) {
        search->is_ambiguous = true;
        search->second = begin;
    }
    json_doc_free(doc);
    return STATUS_OK;
}

/* The bracket at search->at. */
static enum status search_bracket(struct search *search)
{
    size_t begin = search->at, end = 0;
    bool is_array = search->text.ptr[begin] == '[';
    if (search->is_broken || search->is_ambiguous ||
        (is_array && !is_at_line_start(search->text, search->reasoning_last, begin))) {
        search->at++; /* "[1]" in a sentence is prose */
        return STATUS_OK;
    }
    switch (engine_span_scan(search->text, begin, search->reads_raw, &search->budget, &end)) {
    case ENGINE_SPAN_VALUE: return search_take(search, begin, end, false);
    case ENGINE_SPAN_RAW: return search_take(search, begin, end, true);
    case ENGINE_SPAN_PROSE: search->at++; return STATUS_OK;
    case ENGINE_SPAN_BROKEN: search_break(search, begin); return STATUS_OK;
    }
    return STATUS_OK;
}

static bool byte_begins_mark(char byte)
{
    return byte == '<' || byte == '[' || byte == 'a' || byte == 'A' || byte == '\xE2';
}

/* A mark of reasoning at search->at, consumed. */
static bool search_reasoning(struct search *search)
{
    if (!byte_begins_mark(search->text.ptr[search->at]) ||
        (search->is_broken && search->is_in_string))
        return false; /* inside a string of spoilt JSON a mark is content */
    size_t end = engine_markup_reasoning_end(search->text, search->at);
    if (end > 0) {
        if (engine_text_is_blank((struct str){ search->text.ptr + search->reasoning_end,
                                               search->at - search->reasoning_end }))
            search->reasoning_end = end;
        if (!search->has_reasoning)
            search->reasoning_begin = search->at;
        search->has_reasoning = true;
        search->reasoning_last = end;
        search->at = end;
        return true;
    }
    size_t mark = engine_markup_reasoning_close(search->text, search->at);
    if (mark > 0)
        search_forget(search, search->at + mark);
    return mark > 0;
}

/* A byte that means nothing outside of a value. */
static void search_pass(struct search *search, char byte)
{
    bool is_escaped = search->at > 0 && search->text.ptr[search->at - 1] == '\\';
    if (byte == '"' && !is_escaped)
        search->is_in_string = !search->is_in_string;
    search->at++;
}

static enum status search_run(struct search *search)
{
    enum status status = STATUS_OK;
    while (status == STATUS_OK && search->at < search->text.len) {
        char byte = search->text.ptr[search->at];
        if (search_reasoning(search))
            continue;
        if (byte == '{' || byte == '[')
            status = search_bracket(search);
        else
            search_pass(search, byte);
    }
    return status;
}

static size_t offset_of(struct str text, const char *at, size_t otherwise)
{
    return at == NULL ? otherwise : (size_t)(at - text.ptr);
}

/* Writes down what stood around the value, and in it. */
static void name_surroundings(const struct search *search, struct engine_ledger *ledger)
{
    struct str text = search->text;
    size_t begin = search->reasoning_end <= search->value_begin ? search->reasoning_end : 0;
    struct str before = { text.ptr + begin, search->value_begin - begin };
    struct str after = engine_text_skip(text, search->value_end);
    if (search->has_reasoning)
        engine_ledger_add_span(ledger, ENGINE_READ_REASONING, text, search->reasoning_begin,
                               search->reasoning_last);
    const char *open = engine_markup_fence_before(&before);
    const char *close = engine_markup_fence_after(&after);
    if (open != NULL || close != NULL)
        engine_ledger_add_span(ledger, ENGINE_READ_FENCE, text,
                               offset_of(text, open, search->value_begin),
                               offset_of(text, close, search->value_end));
    before = engine_text_trim(before);
    after = engine_text_trim(after);
    if (before.len > 0)
        engine_ledger_add_span(ledger, ENGINE_READ_PROSE, text, offset_of(text, before.ptr, 0),
                               offset_of(text, before.ptr, 0) + before.len);
    if (after.len > 0)
        engine_ledger_add_span(ledger, ENGINE_READ_TRAILING_TEXT, text,
                               offset_of(text, after.ptr, 0),
                               offset_of(text, after.ptr, 0) + after.len);
    if (search->is_raw)
        engine_ledger_add_span(ledger, ENGINE_READ_CONTROL_CHARACTER, text, search->value_begin,
                               search->value_end);
}

/* The first reading of the list that the call does not allow, or NULL. */
static const struct engine_repair *first_refused(const struct engine_ledger *ledger)
{
    for (uint32_t i = 0; i < ledger->count; i++) {
        if (!engine_ledger_allows(ledger, engine_reading_from(ledger->items[i].name)))
            return &ledger->items[i];
    }
    return NULL;
}

/* The value that was found, unless what was done to find it is not allowed. */
static void accept_search(struct search *search, struct engine_ledger *ledger,
                          struct engine_reply_value *value)
{
    uint32_t count = ledger->count;
    name_surroundings(search, ledger);
    const struct engine_repair *refused = first_refused(ledger);
    if (refused != NULL) {
        refuse(value, search->text, search->value_begin, "");
        (void)snprintf(
            value->message, sizeof(value->message),
            "the reply was not one JSON value: it would need the reading \"%.*s\", which "
            "is switched off",
            (int)refused->name.len, refused->name.ptr);
        ledger->count = count;
        return;
    }
    if (!search->is_raw)
        json_position(search->text, search->value_begin, &value->line, &value->column);
    value->doc = search->doc;
    search->doc = NULL;
}

/* Says why there is no value. first is the parser's complaint about the whole text. */
static enum status refuse_search(const struct search *search, size_t first_begin,
                                 const struct error *first, struct engine_reply_value *value)
{
    struct str text = search->text;
    if (search->is_ambiguous) {
        refuse(value, text, search->second,
               "the reply held several different JSON values, expected exactly one");
        return STATUS_OK;
    }
    if (search->is_broken) {
        struct error error = { 0 };
        struct json_doc *doc = NULL;
        enum status status =
            parse_span(text, search->broken, text.len, search->alloc, &doc, &error);
        json_doc_free(doc);
        if (status == STATUS_NO_MEMORY)
            return status;
        if (status == STATUS_OK) /* a whole value, but cut out of something larger */
            refuse(value, text, search->broken,
                   "the reply was not valid JSON: a bracket has no partner");
        else
            refuse_syntax(value, text, search->broken, &error);
        return STATUS_OK;
    }
    if (search->has_reasoning) {
        refuse(value, text, search->reasoning_end,
               "the reply held no JSON value after its reasoning, expected exactly one");
        return STATUS_OK;
    }
    refuse_syntax(value, text, first_begin, first);
    return STATUS_OK;
}

/* text as a whole is not JSON. */
static enum status read_marked_up(struct str text, size_t first_begin, const struct error *first,
                                  struct engine_ledger *ledger, const struct alloc *alloc,
                                  struct engine_reply_value *value)
{
    struct search search = { .text = text,
                             .alloc = alloc,
                             .reads_raw =
                                 engine_ledger_allows(ledger, ENGINE_READ_CONTROL_CHARACTER),
                             .budget = text.len * SCAN_BUDGET_FACTOR + SCAN_BUDGET_BASE };
    enum status status = search_run(&search);
    bool is_found = search.doc != NULL && !search.is_ambiguous && !search.is_broken;
    if (status == STATUS_OK && is_found)
        accept_search(&search, ledger, value);
    else if (status == STATUS_OK)
        status = refuse_search(&search, first_begin, first, value);
    json_doc_free(search.doc);
    return status;
}

enum status engine_reply_read(struct str text, struct engine_ledger *ledger,
                              const struct alloc *alloc, struct engine_reply_value *out_value)
{
    *out_value = (struct engine_reply_value){ 0 };
    if (text.len > LIMIT_REPLY_BYTES) {
        refuse(out_value, text, 0, "");
        (void)snprintf(out_value->message, sizeof(out_value->message),
                       "the reply was longer than the limit of %u bytes", LIMIT_REPLY_BYTES);
        return STATUS_OK;
    }
    struct str trimmed = engine_text_trim(text);
    if (trimmed.len == 0) {
        refuse(out_value, text, 0, "the reply was empty, expected one JSON object");
        return STATUS_OK;
    }
    size_t begin = (size_t)(trimmed.ptr - text.ptr);
    struct error error = { 0 };
    enum status status =
        parse_span(text, begin, begin + trimmed.len, alloc, &out_value->doc, &error);
    if (status == STATUS_NO_MEMORY)
        return status;
    if (status == STATUS_OK) {
        json_position(text, begin, &out_value->line, &out_value->column);
        return STATUS_OK;
    }
    bool is_duplicated = false;
    status = is_duplicate(trimmed, alloc, &is_duplicated);
    if (status != STATUS_OK)
        return status;
    if (is_duplicated) {
        refuse_syntax(out_value, text, begin, &error);
        return STATUS_OK;
    }
    return read_marked_up(text, begin, &error, ledger, alloc, out_value);
}

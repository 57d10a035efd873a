/* fuzz_reply.c - laws of the reply reader for any bytes: there is a value or a reason, never both;
 * a text that is JSON gives exactly that value and no reading; a value that was found stands in the
 * text, byte for byte unless control characters in it were read; without leave for any reading only
 * a whole text is a value; reading the written value again gives an equal one; the beginning of a
 * value can be closed, and what it was closed to is JSON when the text before was.
 */
#include "base/features.h"

#include <stdint.h>
#include <stdlib.h>

#include "model/partial.h"
#include "engine/reply.h"
#include "engine/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* assert may be compiled out. */
static void require(bool condition)
{
    if (!condition)
        abort();
}

static struct engine_ledger ledger_of(unsigned refused)
{
    return (struct engine_ledger){ .allowed = engine_readings_of(refused, 0) };
}

static bool ledger_holds(const struct engine_ledger *ledger, enum engine_reading reading)
{
    for (uint32_t i = 0; i < ledger->count; i++) {
        if (str_equal(ledger->items[i].name, engine_reading_name(reading)))
            return true;
    }
    return false;
}

static void check_value(struct str text, const struct engine_reply_value *value,
                        const struct engine_ledger *ledger)
{
    uint64_t budget = 10000000;
    struct engine_reply_value again;
    struct engine_ledger none = ledger_of(0);
    struct buffer written;
    bool is_raw = ledger_holds(ledger, ENGINE_READ_CONTROL_CHARACTER);
    require(is_raw || (value->line > 0 && value->column > 0));
    require(is_raw || engine_text_contains(text, json_doc_source(value->doc)));
    for (uint32_t i = 0; i < ledger->count; i++)
        require(ledger->items[i].has_span &&
                ledger->items[i].span_begin <= ledger->items[i].span_end &&
                ledger->items[i].span_end <= text.len);
    buffer_init(&written, alloc_default(), SIZE_MAX);
    json_write(json_doc_root(value->doc), 0, &written);
    require(engine_reply_read(buffer_view(&written), &none, alloc_default(), &again) == STATUS_OK);
    require(again.doc != NULL && none.count == 0);
    require(json_equal(json_doc_root(value->doc), json_doc_root(again.doc), &budget) ||
            budget == 0);
    json_doc_free(again.doc);
    buffer_release(&written);
}

/* Without leave for any reading: the whole text, or nothing. */
static void check_refused(struct str text, bool is_whole)
{
    struct engine_reply_value value;
    struct engine_ledger ledger = ledger_of(UINT32_MAX);
    require(engine_reply_read(text, &ledger, alloc_default(), &value) == STATUS_OK);
    require((value.doc != NULL) == is_whole && ledger.count == 0);
    json_doc_free(value.doc);
}

/* Every beginning of a JSON container closes to JSON. */
static void check_partial(struct str whole)
{
    struct model_partial partial;
    struct buffer closed;
    size_t step = whole.len / 64 + 1;
    if (whole.len == 0 || (whole.ptr[0] != '{' && whole.ptr[0] != '['))
        return;
    buffer_init(&closed, alloc_default(), SIZE_MAX);
    for (size_t len = 1; len <= whole.len; len += step) {
        struct json_options options = JSON_OPTIONS_DEFAULT;
        struct json_doc *doc = NULL;
        struct error error = { 0 };
        options.duplicates = JSON_DUPLICATES_LAST; /* of names that are cut */
        buffer_clear(&closed);
        require(model_partial_close((struct str){ whole.ptr, len }, &closed, &partial));
        require(json_parse(buffer_view(&closed), &options, alloc_default(), &doc, &error) ==
                STATUS_OK);
        require(json_exists(model_partial_place(&partial, json_doc_root(doc))));
        json_doc_free(doc);
    }
    buffer_release(&closed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };
    struct engine_reply_value value;
    struct engine_ledger ledger = ledger_of(0);
    struct json_doc *whole = NULL;
    struct error error = { 0 };
    require(engine_reply_read(text, &ledger, alloc_default(), &value) == STATUS_OK);
    require((value.doc == NULL) == (value.keyword != NULL));
    if (json_parse(text, NULL, alloc_default(), &whole, &error) == STATUS_OK && size <= 4194304) {
        require(value.doc != NULL && ledger.count == 0);
        check_partial(text);
    }
    check_refused(text, value.doc != NULL && ledger.count == 0);
    if (value.doc != NULL)
        check_value(text, &value, &ledger);
    json_doc_free(whole);
    json_doc_free(value.doc);
    return 0;
}

/* fuzz_reply.c - laws of the reply reader for any bytes: there is a value or a reason, never both;
 * a text that is JSON gives exactly that value and no repair; a value that was found stands in the
 * text, byte for byte; reading the written value again gives an equal one.
 */
#include "base/features.h"

#include <stdint.h>
#include <stdlib.h>

#include "engine/reply.h"
#include "engine/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* assert may be compiled out. */
static void require(bool condition)
{
    if (!condition)
        abort();
}

static void check_value(struct str text, const struct engine_reply_value *value)
{
    uint64_t budget = 10000000;
    struct engine_reply_value again;
    struct buffer written;
    require(value->line > 0 && value->column > 0);
    require(engine_text_contains(text, json_doc_source(value->doc)));
    buffer_init(&written, alloc_default(), SIZE_MAX);
    json_write(json_doc_root(value->doc), 0, &written);
    require(engine_reply_read(buffer_view(&written), alloc_default(), &again) == STATUS_OK);
    require(again.doc != NULL && again.repair_count == 0);
    require(json_equal(json_doc_root(value->doc), json_doc_root(again.doc), &budget) ||
            budget == 0);
    json_doc_free(again.doc);
    buffer_release(&written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };
    struct engine_reply_value value;
    struct json_doc *whole = NULL;
    struct error error = { 0 };
    require(engine_reply_read(text, alloc_default(), &value) == STATUS_OK);
    require((value.doc == NULL) == (value.keyword != NULL));
    if (json_parse(text, NULL, alloc_default(), &whole, &error) == STATUS_OK && size <= 4194304)
        require(value.doc != NULL && value.repair_count == 0);
    if (value.doc != NULL)
        check_value(text, &value);
    json_doc_free(whole);
    json_doc_free(value.doc);
    return 0;
}

/* fuzz_record.c - laws of recordings for any bytes: what is read can be written and read again as
 * the same, is the same request as itself, and has a head where it has a body.
 */
#include "base/features.h"

#include <stdint.h>
#include <stdlib.h>

#include "net/record_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TEXT_MAX = 1 << 26 };

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void require_laws(const struct record_exchange *one)
{
    struct record_exchange two;
    struct buffer first, second;
    char what[RECORD_DIFFERENCE_BYTES];
    record_exchange_init(&two, alloc_default());
    buffer_init(&first, alloc_default(), TEXT_MAX);
    buffer_init(&second, alloc_default(), TEXT_MAX);
    record_text_write(one, alloc_default(), &first);
    require(record_text_read(buffer_view(&first), alloc_default(), &two));
    record_text_write(&two, alloc_default(), &second);
    require(str_equal(buffer_view(&first), buffer_view(&second)));
    require(str_equal(buffer_view(&one->body), buffer_view(&two.body)));
    require(record_exchange_parse(&two, alloc_default()) == STATUS_OK);
    require(record_compare(one, &two) == RECORD_SAME && record_distance(&two, &two) < 2000000);
    record_difference(one, &two, alloc_default(), what);
    require(strlen(what) < sizeof(what));
    require(one->status != 0 || (one->body.len == 0 && one->outcome != HTTP_DONE));
    buffer_release(&first);
    buffer_release(&second);
    record_exchange_release(&two);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct record_exchange exchange;
    record_exchange_init(&exchange, alloc_default());
    if (record_text_read(str_of((const char *)data, size), alloc_default(), &exchange))
        require_laws(&exchange);
    record_exchange_release(&exchange);
    return 0;
}

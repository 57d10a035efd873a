/* ledger.c - writes down readings.
 *
 * Owns: the form of an entry. Leaves to others: deciding and carrying out.
 */
#include "base/features.h"

#include "engine/ledger.h"

static struct engine_repair *ledger_take(struct engine_ledger *ledger, enum engine_reading reading)
{
    if (ledger->count == ENGINE_LEDGER_MAX)
        return NULL;
    struct engine_repair *repair = &ledger->items[ledger->count++];
    *repair = (struct engine_repair){ .name = engine_reading_name(reading),
                                      .risk = engine_risk_name(engine_reading_risk(reading)) };
    return repair;
}

static bool ledger_has(const struct engine_ledger *ledger, enum engine_reading reading)
{
    struct str name = engine_reading_name(reading);
    for (uint32_t i = 0; i < ledger->count; i++) {
        if (str_equal(ledger->items[i].name, name))
            return true;
    }
    return false;
}

void engine_ledger_add(struct engine_ledger *ledger, enum engine_reading reading)
{
    if (!ledger_has(ledger, reading))
        (void)ledger_take(ledger, reading);
}

/* Bytes that continue a code point do not count; malformed ones count as they look. */
static size_t code_points(struct str text, size_t end)
{
    size_t count = 0;
    for (size_t i = 0; i < end; i++)
        count += ((unsigned char)text.ptr[i] & 0xC0) != 0x80;
    return count;
}

void engine_ledger_add_span(struct engine_ledger *ledger, enum engine_reading reading,
                            struct str text, size_t begin, size_t end)
{
    if (ledger_has(ledger, reading))
        return;
    struct engine_repair *repair = ledger_take(ledger, reading);
    if (repair == NULL)
        return;
    repair->has_span = true;
    repair->span_begin = code_points(text, begin);
    repair->span_end = code_points(text, end);
}

enum status engine_ledger_add_value(struct engine_ledger *ledger, enum engine_reading reading,
                                    struct str pointer)
{
    struct str copy = arena_copy(ledger->arena, pointer);
    if (copy.ptr == NULL)
        return STATUS_NO_MEMORY;
    struct engine_repair *repair = ledger_take(ledger, reading);
    if (repair != NULL) {
        repair->has_pointer = true;
        repair->pointer = copy;
    }
    return STATUS_OK;
}

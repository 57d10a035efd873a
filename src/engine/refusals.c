/* refusals.c - remembers refused values.
 *
 * Owns: the list and its bounds. Leaves to others: what a model does with it. Values go to the
 * model only.
 */
#include "base/features.h"

#include "engine/refusals.h"

static bool is_known(const struct engine_refusals *refusals, struct str pointer,
                     struct str value_text)
{
    for (uint32_t i = 0; i < refusals->count; i++) {
        if (str_equal(refusals->items[i].pointer, pointer) &&
            str_equal(refusals->items[i].value_text, value_text))
            return true;
    }
    return false;
}

static enum status add_value(struct engine_refusals *refusals, struct str pointer,
                             struct str value_text, struct arena *arena)
{
    if (refusals->count == ENGINE_REFUSALS_MAX || is_known(refusals, pointer, value_text))
        return STATUS_OK;
    struct model_refusal refusal = { arena_copy(arena, pointer), arena_copy(arena, value_text) };
    if (refusal.pointer.ptr == NULL || refusal.value_text.ptr == NULL)
        return STATUS_NO_MEMORY;
    refusals->items[refusals->count++] = refusal;
    return STATUS_OK;
}

enum status engine_refusals_add(struct engine_refusals *refusals,
                                const struct schema_violations *violations, struct arena *arena)
{
    struct buffer text;
    enum status status = STATUS_OK;
    buffer_init(&text, arena->alloc, ENGINE_REFUSAL_BYTES);
    for (uint32_t i = 0; i < violations->count && status == STATUS_OK; i++) {
        const struct schema_violation *violation = &violations->items[i];
        if (!json_exists(violation->value))
            continue;
        buffer_clear(&text);
        json_write(violation->value, 0, &text);
        if (buffer_status(&text) == STATUS_NO_MEMORY)
            status = STATUS_NO_MEMORY;
        else if (buffer_status(&text) == STATUS_OK)
            status = add_value(refusals, violation->pointer, buffer_view(&text), arena);
    }
    buffer_release(&text);
    return status;
}

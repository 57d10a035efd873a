/* simulate.c - matching without a table: all places in the program at once, byte by byte.
 *
 * Owns: the step budget of such a search. Invariant: no more than the program's size is done per
 * byte.
 */
#include "base/features.h"

#include "regex/closure.h"

struct simulation {
    struct closure closure;
    uint32_t *ops; /* where the next byte is read */
    uint32_t count;
};

static void simulate_close(struct simulation *simulation, const struct closure_place *place)
{
    closure_begin(&simulation->closure);
    for (uint32_t i = 0; i < simulation->count; i++)
        closure_add(&simulation->closure, simulation->ops[i], place);
}

static void simulate_byte(struct simulation *simulation, uint8_t byte)
{
    const struct closure *closure = &simulation->closure;
    simulation->count = 0;
    for (uint32_t i = 0; i < closure->taker_count; i++)
        if (regex_op_takes(closure->regex, &closure->regex->ops[closure->takers[i]], byte))
            simulation->ops[simulation->count++] = closure->takers[i] + 1;
}

/* Whether the text has the pattern; false with the status UNSUPPORTED when the steps end. */
static enum status simulate_text(struct simulation *simulation, struct str text, uint64_t steps,
                                 bool *out_matches)
{
    struct closure *closure = &simulation->closure;
    struct closure_place place = { .at_start = true };
    for (size_t i = 0; i <= text.len && simulation->count > 0; i++) {
        place.at_end = i == text.len;
        place.word_after = !place.at_end && regex_byte_is_word((uint8_t)text.ptr[i]);
        simulate_close(simulation, &place);
        if (closure->found) {
            *out_matches = true;
            return STATUS_OK;
        }
        if (closure->steps > steps)
            return STATUS_UNSUPPORTED;
        if (!place.at_end)
            simulate_byte(simulation, (uint8_t)text.ptr[i]);
        place.at_start = false;
        place.word_before = place.word_after;
    }
    *out_matches = false;
    return STATUS_OK;
}

enum status regex_simulate(const struct regex *regex, struct str text, const struct alloc *alloc,
                           uint64_t *steps, bool *out_matches)
{
    size_t bytes = (size_t)regex->op_count * sizeof(uint32_t);
    struct simulation simulation = { 0 };
    enum status status = STATUS_NO_MEMORY;
    if (!closure_init(&simulation.closure, regex, alloc))
        return STATUS_NO_MEMORY;
    simulation.ops = alloc_get(alloc, bytes);
    if (simulation.ops == NULL)
        goto out;
    simulation.ops[0] = regex->entry;
    simulation.count = 1;
    status = simulate_text(&simulation, text, *steps, out_matches);
    uint64_t used = simulation.closure.steps;
    *steps = *steps > used ? *steps - used : 0;
out:
    alloc_free(alloc, simulation.ops, bytes);
    closure_release(&simulation.closure);
    return status;
}

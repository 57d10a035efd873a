/* simulate.c - matching without a table: all places in the program at once, byte by byte.
 *
 * Owns: the step budget of such a search, the states that a long text meets, and for every
 * lookaround the places of the text where it holds, found beforehand by a run from the side where
 * its text may end. Leaves to others: the program, written for that (WRITE_MIRRORED). Invariant: no
 * more than the program's size is done per byte.
 */
#include "base/features.h"

#include "regex/table_work.h"

/* Shorter texts do not pay for states. */
enum { SIMULATE_STATES_BYTES = 256 };

struct simulation {
    struct closure closure;
    struct str text;
    uint32_t *ops; /* where the next byte is read */
    uint32_t count;
    uint64_t *holds; /* bits: place by place, for one lookaround after another */
    size_t words;    /* per lookaround */
    size_t at;       /* the place */
};

static size_t simulation_holds_bytes(const struct simulation *simulation)
{
    return simulation->words * simulation->closure.regex->look_count * sizeof(uint64_t);
}

static bool place_is_word(const struct simulation *simulation, size_t at)
{
    return at < simulation->text.len && regex_byte_is_word((uint8_t)simulation->text.ptr[at]);
}

static int64_t simulate_look(void *context, uint32_t look, uint32_t open,
                             const struct closure_place *place)
{
    const struct simulation *simulation = context;
    size_t word = look * simulation->words + simulation->at / 64;
    bool holds = (simulation->holds[word] >> (simulation->at % 64) & 1) != 0;
    (void)place;
    return holds ? (int64_t)open : CLOSURE_BLOCKED;
}

/* What is reached at the place; from entry on too, unless it is the program's size. */
static void simulate_place(struct simulation *simulation, uint32_t entry)
{
    struct closure *closure = &simulation->closure;
    size_t at = simulation->at;
    struct closure_place place = { .at_start = at == 0,
                                   .at_end = at == simulation->text.len,
                                   .word_before = at > 0 && place_is_word(simulation, at - 1),
                                   .word_after = place_is_word(simulation, at) };
    closure_begin(closure);
    for (uint32_t i = 0; i < simulation->count; i++)
        closure_add(closure, (struct closure_thread){ simulation->ops[i], 0 }, &place);
    if (entry < closure->regex->op_count)
        closure_add(closure, (struct closure_thread){ entry, 0 }, &place);
}

static void simulate_byte(struct simulation *simulation, uint8_t byte)
{
    const struct closure *closure = &simulation->closure;
    simulation->count = 0;
    for (uint32_t i = 0; i < closure->taker_count; i++) {
        uint32_t op = closure->takers[i].op;
        if (regex_op_takes(closure->regex, &closure->regex->ops[op], byte))
            simulation->ops[simulation->count++] = op + 1;
    }
}

/* Finds the places where a lookaround holds. False when the steps end. */
static bool simulate_lookaround(struct simulation *simulation, uint32_t index, uint64_t steps)
{
    struct closure *closure = &simulation->closure;
    const struct regex_look *look = &closure->regex->looks[index];
    uint64_t *holds = simulation->holds + index * simulation->words;
    size_t len = simulation->text.len;
    simulation->count = 0;
    for (size_t i = 0; i <= len; i++) {
        simulation->at = look->is_behind ? i : len - i;
        simulate_place(simulation, look->entry);
        if (closure->steps > steps)
            return false;
        if (closure->found != look->is_negative)
            holds[simulation->at / 64] |= UINT64_C(1) << (simulation->at % 64);
        if (i < len)
            simulate_byte(simulation,
                          (uint8_t)simulation->text.ptr[look->is_behind ? i : len - 1 - i]);
    }
    return true;
}

/* From the place on, whether the text has the pattern. UNSUPPORTED when the steps end. */
static enum status simulate_text(struct simulation *simulation, uint64_t steps, bool *out_matches)
{
    struct closure *closure = &simulation->closure;
    *out_matches = false;
    for (; simulation->count > 0; simulation->at++) {
        simulate_place(simulation, closure->regex->op_count);
        if (closure->found) {
            *out_matches = true;
            return STATUS_OK;
        }
        if (closure->steps > steps)
            return STATUS_UNSUPPORTED;
        if (simulation->at == simulation->text.len)
            break;
        simulate_byte(simulation, (uint8_t)simulation->text.ptr[simulation->at]);
    }
    return STATUS_OK;
}

/* ---- states ---------------------------------------------------------------------------------- */

/* Goes from state to state, as in a table, of which the rows are made that the text needs. Returns
 * the state at which there is no room for another row, or what decides. */
static uint16_t simulate_rows(struct simulation *simulation, struct table_work *work)
{
    size_t len = simulation->text.len;
    uint16_t state = work_begin(work);
    for (; state >= REGEX_STATE_FIRST; simulation->at++) {
        uint32_t index = state - (uint32_t)REGEX_STATE_FIRST;
        if (!work->states[index].is_filled)
            work_complete(work, index);
        if (!work_goes_on(work))
            return state;
        bool is_end = simulation->at == len;
        uint32_t column = is_end ? work->columns - 1
                                 : work->classes[(uint8_t)simulation->text.ptr[simulation->at]];
        state = work->next[(size_t)index * work->columns + column];
    }
    return state;
}

/* The same for a text of some length: most meet few states again and again. When they are too many
 * the simulation goes on from the last one, and *out_decided is false. */
static enum status simulate_states(struct simulation *simulation, uint64_t steps, bool *out_decided,
                                   bool *out_matches)
{
    struct table_work work = { 0 };
    const struct regex *regex = simulation->closure.regex;
    work_init(&work, regex, simulation->closure.alloc, steps);
    uint16_t state = simulate_rows(simulation, &work);
    enum status status = work.status;
    simulation->closure.steps = work_steps(&work) + simulation->at / 16;
    *out_decided = state < REGEX_STATE_FIRST && work_goes_on(&work);
    *out_matches = state == REGEX_FOUND;
    bool is_lost = !*out_decided && state < REGEX_STATE_FIRST;
    if (status == STATUS_OK && (is_lost || simulation->closure.steps > steps))
        status = STATUS_UNSUPPORTED;
    if (status == STATUS_OK && !*out_decided) {
        const struct table_state *last = &work.states[state - REGEX_STATE_FIRST];
        simulation->count = last->count;
        memcpy(simulation->ops, &work.pool[last->first], last->count * sizeof(*simulation->ops));
    }
    work_release(&work);
    return status;
}

/* ---- the search ------------------------------------------------------------------------------ */

static enum status simulate_search(struct simulation *simulation, uint64_t steps, bool *out_matches)
{
    const struct regex *regex = simulation->closure.regex;
    for (uint32_t i = regex->look_count; i-- > 0;)
        if (!simulate_lookaround(simulation, i, steps))
            return STATUS_UNSUPPORTED;
    simulation->at = 0;
    simulation->ops[0] = regex->entry;
    simulation->count = 1;
    if (regex->look_count == 0 && simulation->text.len >= SIMULATE_STATES_BYTES) {
        bool decided;
        enum status status = simulate_states(simulation, steps, &decided, out_matches);
        if (status != STATUS_OK || decided)
            return status;
    }
    return simulate_text(simulation, steps, out_matches);
}

enum status regex_simulate(const struct regex *regex, struct str text, const struct alloc *alloc,
                           uint64_t *steps, bool *out_matches)
{
    size_t bytes = (size_t)regex->op_count * sizeof(uint32_t);
    struct simulation simulation = { .text = text, .words = text.len / 64 + 1 };
    enum status status = STATUS_NO_MEMORY;
    if (regex->look_count > *steps / (text.len + 1))
        return STATUS_UNSUPPORTED;
    if (!closure_init(&simulation.closure, regex, alloc))
        return STATUS_NO_MEMORY;
    simulation.closure.look = simulate_look;
    simulation.closure.context = &simulation;
    simulation.ops = alloc_get(alloc, bytes);
    if (regex->look_count > 0)
        simulation.holds = alloc_get(alloc, simulation_holds_bytes(&simulation));
    if (simulation.ops == NULL || (regex->look_count > 0 && simulation.holds == NULL))
        goto out;
    if (simulation.holds != NULL)
        memset(simulation.holds, 0, simulation_holds_bytes(&simulation));
    status = simulate_search(&simulation, *steps, out_matches);
    uint64_t used = simulation.closure.steps;
    *steps = *steps > used ? *steps - used : 0;
out:
    alloc_free(alloc, simulation.holds, simulation_holds_bytes(&simulation));
    alloc_free(alloc, simulation.ops, bytes);
    closure_release(&simulation.closure);
    return status;
}

/* table.c - the table of states of a pattern, built completely before the first match.
 *
 * Owns: the construction of states as sets of places in the program, within the build budget.
 * Leaves to others: lookaheads (table_looks.c), patterns that do not fit or look behind
 * (simulate.c). Invariant: a table is either complete or not there.
 */
#include "base/features.h"

#include "base/limits.h"
#include "regex/table_work.h"

enum { TABLE_SLOTS = 8192, TABLE_STATES_MIN = 16, TABLE_POOL_MIN = 256, TABLE_NESTED_MAX = 8 };

/* Threads that a word of bits holds, and columns that are compared with one another. */
enum { TABLE_SPREAD_MAX = 64, TABLE_KNOWN = 64 };

/* What is known of a state. */
enum { LIVE_NOT, LIVE, LIVE_FOUND };

_Static_assert(TABLE_SLOTS >= 2 * LIMIT_REGEX_STATES, "the hash table is at most half full");
_Static_assert(LIMIT_REGEX_STATES + REGEX_STATE_FIRST <= UINT16_MAX, "states fit the table");
_Static_assert(LIMIT_REGEX_CELLS + REGEX_STATE_FIRST <= UINT16_MAX, "so do places of rows");

/* ---- memory ---------------------------------------------------------------------------------- */

static size_t work_bit_words(const struct table_work *work)
{
    return work->regex->op_count / 64 + 1;
}

void work_charge(struct table_work *work, uint64_t steps)
{
    work->steps += steps;
    if (work->steps + work->closure.steps > work->steps_max || work->closure.is_overfull)
        work->is_full = true;
}

/* A larger array; false, and the old one stays, when memory is used up. */
static bool work_grow(struct table_work *work, void **items, size_t bytes, size_t bytes_wanted)
{
    void *grown = alloc_grow(work->alloc, *items, bytes, bytes_wanted);
    if (grown == NULL) {
        work->status = STATUS_NO_MEMORY;
        return false;
    }
    *items = grown;
    return true;
}

static size_t work_row_bytes(const struct table_work *work)
{
    return work->columns * sizeof(*work->next);
}

static void work_grow_states(struct table_work *work)
{
    uint32_t old = work->state_cap;
    uint32_t cap = old == 0 ? TABLE_STATES_MIN : old * 2;
    size_t row = work_row_bytes(work);
    void *next = work->next;
    if (!work_grow(work, &next, work->row_cap * row, cap * row))
        return;
    work->next = next;
    work->row_cap = cap;
    void *states = work->states;
    if (!work_grow(work, &states, old * sizeof(*work->states), cap * sizeof(*work->states)))
        return;
    work->states = states;
    work->state_cap = cap;
}

void work_release(struct table_work *work)
{
    const struct alloc *alloc = work->alloc;
    alloc_free(alloc, work->next, work->row_cap * work_row_bytes(work));
    alloc_free(alloc, work->states, work->state_cap * sizeof(*work->states));
    alloc_free(alloc, work->pool, work->pool_cap * sizeof(*work->pool));
    alloc_free(alloc, work->bits, work_bit_words(work) * sizeof(*work->bits));
    alloc_free(alloc, work->slots, TABLE_SLOTS * sizeof(*work->slots));
    alloc_free(alloc, work->open_sets, TABLE_OPEN_SETS_MAX * sizeof(*work->open_sets));
    closure_release(&work->closure);
}

/* The open sets of a pattern that has lookaheads; the empty one is there. */
static bool work_init_looks(struct table_work *work)
{
    work->open_sets = alloc_get(work->alloc, TABLE_OPEN_SETS_MAX * sizeof(*work->open_sets));
    if (work->open_sets == NULL)
        return false;
    work->open_sets[0] = (struct open_set){ 0 };
    work->open_set_count = 1;
    work->closure.look = work_open_look;
    work->closure.context = work;
    return true;
}

void work_init(struct table_work *work, const struct regex *regex, const struct alloc *alloc,
               uint64_t steps_max)
{
    work->alloc = alloc;
    work->regex = regex;
    work->steps_max = steps_max;
    work->bits_first = SIZE_MAX;
    work->missing = UINT32_MAX;
    size_t bit_bytes = work_bit_words(work) * sizeof(*work->bits);
    bool has_closure = closure_init(&work->closure, regex, alloc);
    work->bits = alloc_get(alloc, bit_bytes);
    work->slots = alloc_get(alloc, TABLE_SLOTS * sizeof(*work->slots));
    if (!has_closure || work->bits == NULL || work->slots == NULL ||
        (regex->look_count > 0 && !work_init_looks(work))) {
        work->status = STATUS_NO_MEMORY;
        return;
    }
    memset(work->bits, 0, bit_bytes);
    memset(work->slots, 0, TABLE_SLOTS * sizeof(*work->slots));
}

/* ---- classes of bytes ------------------------------------------------------------------------ */

static void edges_of_set(const struct regex_set *set, bool edges[257])
{
    bool before = false;
    for (unsigned byte = 0; byte < 256; byte++) {
        bool member = (set->bits[byte >> 6] >> (byte & 63) & 1) != 0;
        edges[byte] = edges[byte] || member != before;
        before = member;
    }
}

/* Runs of bytes that no instruction tells apart. */
static void work_classify(struct table_work *work)
{
    const struct regex *regex = work->regex;
    bool edges[257] = { true };
    for (uint32_t i = 0; i < regex->op_count; i++) {
        const struct regex_op *op = &regex->ops[i];
        if (op->opcode == REGEX_RANGE && op->first <= op->last) {
            edges[op->first] = true;
            edges[op->last + 1] = true;
        }
    }
    for (uint32_t i = 0; i < regex->set_count; i++)
        edges_of_set(&regex->sets[i], edges);
    if (regex->has_word)
        for (unsigned byte = 1; byte < 256; byte++)
            if (regex_byte_is_word((uint8_t)byte) != regex_byte_is_word((uint8_t)(byte - 1)))
                edges[byte] = true;
    uint32_t count = 0;
    for (unsigned byte = 0; byte < 256; byte++) {
        if (edges[byte])
            work->samples[count++] = (uint8_t)byte;
        work->classes[byte] = (uint8_t)(count - 1);
    }
    work->columns = count + 1;
}

/* ---- states ---------------------------------------------------------------------------------- */

void work_pool(struct table_work *work, uint32_t value)
{
    if (work->pool_count == work->pool_cap) {
        size_t cap = work->pool_cap == 0 ? TABLE_POOL_MIN : work->pool_cap * 2;
        void *pool = work->pool;
        if (!work_grow(work, &pool, work->pool_cap * sizeof(*work->pool),
                       cap * sizeof(*work->pool)))
            return;
        work->pool = pool;
        work->pool_cap = cap;
    }
    work->pool[work->pool_count++] = value;
}

void work_mark(struct table_work *work, uint32_t op)
{
    size_t word = op / 64;
    work->bits[word] |= UINT64_C(1) << (op % 64);
    if (word < work->bits_first)
        work->bits_first = word;
    if (word > work->bits_last)
        work->bits_last = word;
}

static bool thread_is_less(struct closure_thread a, struct closure_thread b)
{
    return a.op != b.op ? a.op < b.op : a.open < b.open;
}

void work_mark_other(struct table_work *work, struct closure_thread thread)
{
    uint32_t at = work->other_count;
    while (at > 0 && thread_is_less(thread, work->others[at - 1]))
        at--;
    bool is_known = at > 0 && !thread_is_less(work->others[at - 1], thread);
    work_charge(work, (work->other_count - at) / 4 + 1);
    if (is_known || work->is_full)
        return;
    if (work->other_count == TABLE_OTHERS_MAX) {
        work->is_full = true;
        return;
    }
    memmove(&work->others[at + 1], &work->others[at],
            (work->other_count - at) * sizeof(work->others[0]));
    work->others[at] = thread;
    work->other_count++;
}

/* The other threads, behind the instructions, without those that are there with nothing open. */
static void work_take_others(struct table_work *work, struct table_state *state)
{
    for (uint32_t i = 0; i < work->other_count; i++) {
        struct closure_thread other = work->others[i];
        if ((work->bits[other.op / 64] >> (other.op % 64) & 1) != 0)
            continue;
        work_pool(work, other.op);
        work_pool(work, other.open);
        state->other_count++;
    }
    work->other_count = 0;
}

/* The state in the making, appended to the pool. */
static struct table_state work_take(struct table_work *work)
{
    struct table_state state = { .first = (uint32_t)work->pool_count };
    size_t last = work->bits_last;
    for (size_t word = work->bits_first; word <= last; word++) {
        work_charge(work, 1);
        for (uint64_t bits = work->bits[word]; bits != 0; bits &= bits - 1)
            work_pool(work, (uint32_t)word * 64 + (uint32_t)__builtin_ctzll(bits));
    }
    state.count = (uint32_t)work->pool_count - state.first;
    work_take_others(work, &state);
    for (size_t word = work->bits_first; word <= last; word++)
        work->bits[word] = 0;
    work->bits_first = SIZE_MAX;
    work->bits_last = 0;
    return state;
}

static uint32_t state_words(const struct table_state *state)
{
    return state->count + 2 * state->other_count;
}

static bool states_equal(const struct table_work *work, const struct table_state *a,
                         const struct table_state *b)
{
    return a->count == b->count && a->other_count == b->other_count && a->at_start == b->at_start &&
           a->word_before == b->word_before &&
           memcmp(&work->pool[a->first], &work->pool[b->first],
                  state_words(a) * sizeof(*work->pool)) == 0;
}

static uint64_t state_hash(const struct table_work *work, const struct table_state *state)
{
    uint64_t hash = state->word_before ? 3 : 1;
    for (uint32_t i = 0; i < state_words(state); i++)
        hash = (hash ^ work->pool[state->first + i]) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

uint16_t work_state(struct table_work *work, bool at_start, bool word_before)
{
    struct table_state state = work_take(work);
    if (!work_goes_on(work) || state_words(&state) == 0)
        return REGEX_DEAD;
    state.at_start = at_start;
    state.word_before = word_before && work->regex->has_word;
    work_charge(work, state_words(&state));
    uint32_t slot = (uint32_t)state_hash(work, &state) % TABLE_SLOTS;
    for (; work->slots[slot] != 0; slot = (slot + 1) % TABLE_SLOTS) {
        uint16_t index = (uint16_t)(work->slots[slot] - 1);
        if (states_equal(work, &state, &work->states[index])) {
            work->pool_count = state.first;
            return (uint16_t)(index + REGEX_STATE_FIRST);
        }
    }
    if (work->state_count == LIMIT_REGEX_STATES) {
        work->is_full = true;
        return REGEX_DEAD;
    }
    if (work->state_count == work->state_cap)
        work_grow_states(work);
    if (work->status != STATUS_OK)
        return REGEX_DEAD;
    work->slots[slot] = (uint16_t)(work->state_count + 1);
    work->states[work->state_count] = state;
    return (uint16_t)(work->state_count++ + REGEX_STATE_FIRST);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void work_close(struct table_work *work, const struct table_state *state, bool word_after,
                       bool at_end)
{
    struct closure_place place = { state->at_start, at_end, state->word_before, word_after };
    struct closure *closure = &work->closure;
    closure_begin(closure);
    for (uint32_t i = 0; i < state->count; i++)
        closure_add(closure, (struct closure_thread){ work->pool[state->first + i], 0 }, &place);
    for (uint32_t i = 0; i < state->other_count && work_goes_on(work); i++) {
        const uint32_t *pair = &work->pool[state->first + state->count + 2 * i];
        closure_add(closure, (struct closure_thread){ pair[0], pair[1] }, &place);
    }
    for (uint32_t i = 0; i < closure->taker_count && work_goes_on(work); i++)
        if (closure->takers[i].open != 0)
            work_need(work, closure->takers[i].open);
    work_charge(work, 1);
}

/* Which columns a thread can go on by: a bit in each. */
static void work_spread(struct table_work *work, struct closure_thread thread, uint64_t bit)
{
    const struct regex_op *op = &work->regex->ops[thread.op];
    uint32_t first = 0;
    uint32_t last = work->columns - 2;
    if (op->opcode == REGEX_RANGE && op->first > op->last)
        return;
    if (op->opcode == REGEX_RANGE) {
        first = work->classes[op->first];
        last = work->classes[op->last];
    }
    for (uint32_t column = first; column <= last; column++)
        if (op->opcode != REGEX_SET || regex_op_takes(work->regex, op, work->samples[column]))
            work->column_takers[column] |= bit;
}

/* Where a thread gets by the bytes of a column. True when it is at the end of the pattern. */
static bool work_step_thread(struct table_work *work, struct closure_thread thread, uint32_t column)
{
    const struct regex *regex = work->regex;
    bool is_match = regex->ops[thread.op].opcode == REGEX_MATCH;
    int64_t open = 0;
    if (thread.open != 0)
        open = work_advance_open(work, thread.open, column);
    if (open == OPEN_FAILED)
        return false;
    if (is_match && open == 0)
        return true;
    uint32_t next = thread.op;
    if (!is_match)
        for (next++; regex->ops[next].opcode == REGEX_JUMP;)
            next = (uint32_t)((int32_t)next + regex->ops[next].x);
    if (open == 0)
        work_mark(work, next);
    else
        work_mark_other(work, (struct closure_thread){ next, (uint32_t)open });
    return false;
}

/* Where the bytes of a column lead from what the closure reached. */
static uint16_t work_step(struct table_work *work, uint32_t column)
{
    const struct closure *closure = &work->closure;
    const struct regex_op *ops = work->regex->ops;
    uint8_t sample = work->samples[column];
    bool found = false;
    if (closure->taker_count <= TABLE_SPREAD_MAX) {
        uint64_t bits = work->column_takers[column];
        for (; bits != 0 && work_goes_on(work); bits &= bits - 1) {
            struct closure_thread thread = closure->takers[__builtin_ctzll(bits)];
            found = work_step_thread(work, thread, column) || found;
            work->steps++;
        }
    }
    for (uint32_t i = 0; closure->taker_count > TABLE_SPREAD_MAX && i < closure->taker_count; i++) {
        struct closure_thread thread = closure->takers[i];
        if (ops[thread.op].opcode == REGEX_MATCH ||
            regex_op_takes(work->regex, &ops[thread.op], sample))
            found = work_step_thread(work, thread, column) || found;
        work->steps++;
    }
    work_charge(work, 1);
    uint16_t state = work_state(work, false, regex_byte_is_word(sample));
    return found ? REGEX_FOUND : state;
}

/* The columns of a row for which the closure holds. Those that the same threads go on by lead to
 * the same state, as long as nothing is open. */
static void work_fill_columns(struct table_work *work, uint16_t *known, uint32_t index, int word)
{
    const struct closure *closure = &work->closure;
    uint32_t columns = work->columns;
    bool is_spread = closure->taker_count <= TABLE_SPREAD_MAX;
    memset(work->column_takers, 0, (columns - 1) * sizeof(work->column_takers[0]));
    memset(known, 0, TABLE_KNOWN * sizeof(*known));
    for (uint32_t i = 0; is_spread && i < closure->taker_count; i++)
        work_spread(work, closure->takers[i], UINT64_C(1) << i);
    for (uint32_t column = 0; column + 1 < columns && work_goes_on(work); column++) {
        uint16_t *cell = &work->next[(size_t)index * columns + column];
        if (work->regex->has_word && regex_byte_is_word(work->samples[column]) != (word == 1))
            continue;
        if (closure->found) {
            *cell = REGEX_FOUND;
            continue;
        }
        uint64_t takers = work->column_takers[column];
        uint16_t *like = &known[takers * UINT64_C(0x9E3779B97F4A7C15) >> 58];
        if (is_spread && closure->other_count == 0 && *like != 0 &&
            work->column_takers[*like - 1] == takers) {
            *cell = work->next[(size_t)index * columns + *like - 1];
            continue;
        }
        *like = (uint16_t)(column + 1);
        uint16_t next = work_step(work, column);
        work->next[(size_t)index * columns + column] = next;
    }
}

/* Whether the text may end where the closure is. */
static uint16_t work_end(struct table_work *work)
{
    const struct closure *closure = &work->closure;
    bool found = closure->found;
    for (uint32_t i = 0; i < closure->taker_count && !found; i++) {
        struct closure_thread thread = closure->takers[i];
        if (thread.open != 0 && work->regex->ops[thread.op].opcode == REGEX_MATCH)
            found = work_advance_open(work, thread.open, work->columns - 1) == 0;
    }
    return found ? REGEX_FOUND : REGEX_DEAD;
}

/* The row of a state, unless work->missing comes first. Places before a word and others are told
 * apart only where that matters. */
static void work_fill(struct table_work *work, uint32_t index)
{
    uint16_t known[TABLE_KNOWN];
    uint32_t columns = work->columns;
    struct table_state state = work->states[index];
    for (int word = 0; word <= (work->regex->has_word ? 1 : 0); word++) {
        work_close(work, &state, word == 1, false);
        if (work->missing != UINT32_MAX)
            return;
        work_fill_columns(work, known, index, word);
    }
    work_close(work, &state, false, true);
    if (work->missing != UINT32_MAX || !work_goes_on(work))
        return;
    work->next[(size_t)index * columns + columns - 1] = work_end(work);
    work->states[index].is_filled = true;
}

/* The rows that are needed first belong to lookaheads inside: as deep as those are nested. */
void work_complete(struct table_work *work, uint32_t index)
{
    uint32_t stack[TABLE_NESTED_MAX];
    uint32_t count = 1;
    stack[0] = index;
    while (count > 0 && work_goes_on(work)) {
        work->missing = UINT32_MAX;
        if (!work->states[stack[count - 1]].is_filled)
            work_fill(work, stack[count - 1]);
        if (work->missing == UINT32_MAX)
            count--;
        else if (count == TABLE_NESTED_MAX)
            work->is_full = true;
        else
            stack[count++] = work->missing;
    }
}

/* ---- what cannot match any more -------------------------------------------------------------- */

/* Whether every text that goes on from a state matches. */
static bool row_is_found(const struct table_work *work, uint32_t index)
{
    const uint16_t *row = &work->next[(size_t)index * work->columns];
    uint32_t column = 0;
    while (column < work->columns && row[column] == REGEX_FOUND)
        column++;
    return column == work->columns;
}

/* Whether a state can still lead to a match, as far as known. */
static bool row_is_live(const struct table_work *work, const uint16_t *live, uint32_t index)
{
    for (uint32_t column = 0; column < work->columns; column++) {
        uint16_t next = work->next[(size_t)index * work->columns + column];
        if (next == REGEX_FOUND || (next >= REGEX_STATE_FIRST && live[next] != 0))
            return true;
    }
    return false;
}

/* Marks the states that lead somewhere: those that have found already by LIVE_FOUND. */
static void work_find_live(struct table_work *work, uint16_t *live)
{
    for (uint32_t i = 0; i < work->state_count; i++)
        live[i + REGEX_STATE_FIRST] = row_is_found(work, i) ? LIVE_FOUND : 0;
    for (bool changed = true; changed && work_goes_on(work);) {
        changed = false;
        for (uint32_t i = work->state_count; i-- > 0;) {
            if (live[i + REGEX_STATE_FIRST] != 0 || !row_is_live(work, live, i))
                continue;
            live[i + REGEX_STATE_FIRST] = LIVE;
            changed = true;
        }
        work_charge(work, (uint64_t)work->state_count * work->columns / 4);
    }
}

/* Numbers the live states that the first one leads to, that one first; order lists them. */
static uint32_t work_number(const struct table_work *work, uint16_t start, const uint16_t *live,
                            uint16_t *numbers, uint16_t *order)
{
    uint32_t count = 0;
    if (live[start] == LIVE) {
        numbers[start] = 1;
        order[count++] = start;
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t column = 0; column < work->columns; column++) {
            size_t row = order[i] - (size_t)REGEX_STATE_FIRST;
            uint16_t next = work->next[row * work->columns + column];
            if (next < REGEX_STATE_FIRST || live[next] != LIVE || numbers[next] != 0)
                continue;
            order[count++] = next;
            numbers[next] = (uint16_t)count;
        }
    return count;
}

/* Where the row of a state lies in the final table. */
static uint16_t work_place(const struct table_work *work, const uint16_t *live,
                           const uint16_t *numbers, uint16_t state)
{
    if (state < REGEX_STATE_FIRST)
        return state;
    if (live[state] == LIVE_FOUND)
        return REGEX_FOUND;
    if (numbers[state] == 0)
        return REGEX_DEAD;
    return (uint16_t)(REGEX_STATE_FIRST + (numbers[state] - 1u) * work->columns);
}

/* The table of the states that matter. None when it has too many cells. */
static void work_finish(struct table_work *work, uint16_t start, struct regex_table *out_table)
{
    uint16_t live[LIMIT_REGEX_STATES + REGEX_STATE_FIRST] = { 0 };
    uint16_t numbers[LIMIT_REGEX_STATES + REGEX_STATE_FIRST] = { 0 };
    uint16_t order[LIMIT_REGEX_STATES];
    work_find_live(work, live);
    uint32_t columns = work->columns;
    uint32_t count = start < REGEX_STATE_FIRST ? 0 : work_number(work, start, live, numbers, order);
    if (!work_goes_on(work) || count * columns > LIMIT_REGEX_CELLS)
        return;
    struct regex_table table = { .columns = columns };
    table.cell_count = count == 0 ? 1 : count * columns;
    table.next = alloc_get(work->alloc, table.cell_count * sizeof(*table.next));
    if (table.next == NULL) {
        work->status = STATUS_NO_MEMORY;
        return;
    }
    table.next[0] = REGEX_DEAD;
    table.start = work_place(work, live, numbers, start);
    memcpy(table.classes, work->classes, sizeof(table.classes));
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t column = 0; column < columns; column++) {
            size_t row = order[i] - (size_t)REGEX_STATE_FIRST;
            table.next[i * columns + column] =
                work_place(work, live, numbers, work->next[row * columns + column]);
        }
    *out_table = table;
}

uint16_t work_begin(struct table_work *work)
{
    if (work->status != STATUS_OK)
        return REGEX_DEAD;
    work_charge(work, work->regex->op_count + work->regex->set_count * UINT64_C(256));
    work_classify(work);
    work_mark(work, work->regex->entry);
    return work_state(work, true, false);
}

enum status regex_table_build(struct regex *regex, const struct alloc *alloc,
                              struct regex_budget *budget)
{
    struct table_work work = { 0 };
    uint64_t steps_max = budget->build_steps < LIMIT_REGEX_BUILD_STEPS ? budget->build_steps
                                                                       : LIMIT_REGEX_BUILD_STEPS;
    work_init(&work, regex, alloc, steps_max);
    uint16_t start = work_begin(&work);
    for (uint32_t i = 0; i < work.state_count && work_goes_on(&work); i++)
        work_complete(&work, i);
    if (work_goes_on(&work))
        work_finish(&work, start, &regex->table);
    uint64_t used = work_steps(&work);
    budget->build_steps -= used < budget->build_steps ? used : budget->build_steps;
    enum status status = work.status;
    work_release(&work);
    return status;
}

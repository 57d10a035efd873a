/* table.c - the table of states of a pattern, built completely before the first match.
 *
 * Owns: the construction of states as sets of places in the program, within the build budget.
 * Leaves to others: patterns that do not fit (simulate.c). A state is where the next byte is read,
 * before splits and assertions are followed: those depend on that byte.
 */
#include "base/features.h"

#include "base/limits.h"
#include "regex/closure.h"

struct table_state {
    uint32_t ops; /* first in the pool */
    uint32_t count;
    bool at_start;
    bool word_before;
};

enum { TABLE_SLOTS = 8192, TABLE_STATES_MIN = 16, TABLE_POOL_MIN = 256 };

struct table_work {
    struct regex_table table;
    const struct alloc *alloc;
    const struct regex *regex;
    struct closure closure;
    struct table_state *states;
    uint32_t state_cap;
    uint32_t *pool; /* the instructions of all states, ascending in each */
    size_t pool_count;
    size_t pool_cap;
    size_t bits_first; /* words of bits that may have any; none when first is beyond last */
    size_t bits_last;
    uint64_t *bits;       /* the instructions of the state in the making */
    uint16_t *slots;      /* hash table: state + 1 */
    uint8_t samples[256]; /* one byte of each class */
    uint64_t steps_max;
    uint64_t steps; /* beside those of the closure */
    bool is_full;   /* a limit was hit */
    enum status status;
};

_Static_assert(TABLE_SLOTS >= 2 * LIMIT_REGEX_STATES, "the hash table is at most half full");
_Static_assert(LIMIT_REGEX_STATES + REGEX_STATE_FIRST <= UINT16_MAX, "states fit the table");

/* ---- memory ---------------------------------------------------------------------------------- */

static size_t work_bit_words(const struct table_work *work)
{
    return work->regex->op_count / 64 + 1;
}

static bool work_goes_on(const struct table_work *work)
{
    return work->status == STATUS_OK && !work->is_full;
}

static void work_charge(struct table_work *work, uint64_t steps)
{
    work->steps += steps;
    if (work->steps + work->closure.steps > work->steps_max)
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

static size_t table_row_bytes(const struct regex_table *table)
{
    return table->columns * sizeof(*table->next);
}

static void work_grow_states(struct table_work *work)
{
    struct regex_table *table = &work->table;
    uint32_t old = table->state_cap;
    uint32_t cap = old == 0 ? TABLE_STATES_MIN : old * 2;
    void *states = work->states;
    if (!work_grow(work, &states, work->state_cap * sizeof(*work->states),
                   cap * sizeof(*work->states)))
        return;
    work->states = states;
    work->state_cap = cap;
    void *next = table->next;
    if (!work_grow(work, &next, old * table_row_bytes(table), cap * table_row_bytes(table)))
        return;
    table->next = next;
    table->state_cap = cap;
}

void regex_table_release(struct regex_table *table, const struct alloc *alloc)
{
    alloc_free(alloc, table->next, table->state_cap * table_row_bytes(table));
    *table = (struct regex_table){ 0 };
}

static void work_release(struct table_work *work)
{
    const struct alloc *alloc = work->alloc;
    regex_table_release(&work->table, alloc);
    alloc_free(alloc, work->states, work->state_cap * sizeof(*work->states));
    alloc_free(alloc, work->pool, work->pool_cap * sizeof(*work->pool));
    alloc_free(alloc, work->bits, work_bit_words(work) * sizeof(*work->bits));
    alloc_free(alloc, work->slots, TABLE_SLOTS * sizeof(*work->slots));
    closure_release(&work->closure);
}

static void work_init(struct table_work *work, const struct regex *regex, const struct alloc *alloc,
                      uint64_t steps_max)
{
    *work = (struct table_work){ .alloc = alloc, .regex = regex, .steps_max = steps_max };
    size_t bit_bytes = work_bit_words(work) * sizeof(*work->bits);
    bool has_closure = closure_init(&work->closure, regex, alloc);
    work->bits = alloc_get(alloc, bit_bytes);
    work->slots = alloc_get(alloc, TABLE_SLOTS * sizeof(*work->slots));
    if (!has_closure || work->bits == NULL || work->slots == NULL) {
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
        work->table.classes[byte] = (uint8_t)(count - 1);
    }
    work->table.columns = count + 1;
}

/* ---- states ---------------------------------------------------------------------------------- */

static void work_grow_pool(struct table_work *work)
{
    size_t cap = work->pool_cap == 0 ? TABLE_POOL_MIN : work->pool_cap * 2;
    void *pool = work->pool;
    if (!work_grow(work, &pool, work->pool_cap * sizeof(*work->pool), cap * sizeof(*work->pool)))
        return;
    work->pool = pool;
    work->pool_cap = cap;
}

static void work_mark(struct table_work *work, uint32_t op)
{
    size_t word = op / 64;
    work->bits[word] |= UINT64_C(1) << (op % 64);
    if (word < work->bits_first)
        work->bits_first = word;
    if (word > work->bits_last)
        work->bits_last = word;
}

/* The instructions in bits, appended to the pool, and none in bits any more. */
static struct table_state work_take_bits(struct table_work *work)
{
    struct table_state state = { .ops = (uint32_t)work->pool_count };
    size_t last = work->bits_last;
    for (size_t word = work->bits_first; word <= last; word++) {
        work_charge(work, 1);
        for (uint64_t bits = work->bits[word]; bits != 0; bits &= bits - 1) {
            if (work->pool_count == work->pool_cap) {
                work_grow_pool(work);
                if (work->status != STATUS_OK)
                    return state;
            }
            work->pool[work->pool_count++] = (uint32_t)word * 64 + (uint32_t)__builtin_ctzll(bits);
        }
        work->bits[word] = 0;
    }
    work->bits_first = SIZE_MAX;
    work->bits_last = 0;
    state.count = (uint32_t)work->pool_count - state.ops;
    return state;
}

static bool states_equal(const struct table_work *work, const struct table_state *a,
                         const struct table_state *b)
{
    return a->count == b->count && a->at_start == b->at_start && a->word_before == b->word_before &&
           memcmp(&work->pool[a->ops], &work->pool[b->ops], a->count * sizeof(*work->pool)) == 0;
}

static uint64_t state_hash(const struct table_work *work, const struct table_state *state)
{
    uint64_t hash = state->word_before ? 3 : 1;
    for (uint32_t i = 0; i < state->count; i++)
        hash = (hash ^ work->pool[state->ops + i]) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

/* The number of the state of the instructions in bits, a new one if need be. */
static uint16_t work_state(struct table_work *work, bool at_start, bool word_before)
{
    struct table_state state = work_take_bits(work);
    if (!work_goes_on(work) || state.count == 0)
        return REGEX_DEAD;
    state.at_start = at_start;
    state.word_before = word_before && work->regex->has_word;
    work_charge(work, state.count);
    uint32_t slot = (uint32_t)state_hash(work, &state) % TABLE_SLOTS;
    for (; work->slots[slot] != 0; slot = (slot + 1) % TABLE_SLOTS) {
        uint16_t index = (uint16_t)(work->slots[slot] - 1);
        if (states_equal(work, &state, &work->states[index])) {
            work->pool_count = state.ops;
            return (uint16_t)(index + REGEX_STATE_FIRST);
        }
    }
    struct regex_table *table = &work->table;
    if (table->state_count == LIMIT_REGEX_STATES) {
        work->is_full = true;
        return REGEX_DEAD;
    }
    if (table->state_count == table->state_cap)
        work_grow_states(work);
    if (work->status != STATUS_OK)
        return REGEX_DEAD;
    work->slots[slot] = (uint16_t)(table->state_count + 1);
    work->states[table->state_count] = state;
    return (uint16_t)(table->state_count++ + REGEX_STATE_FIRST);
}

static void work_close(struct table_work *work, const struct table_state *state, bool word_after,
                       bool at_end)
{
    struct closure_place place = { state->at_start, at_end, state->word_before, word_after };
    closure_begin(&work->closure);
    for (uint32_t i = 0; i < state->count; i++)
        closure_add(&work->closure, work->pool[state->ops + i], &place);
}

/* Where the bytes of a class lead from what the closure reached. */
static uint16_t work_step(struct table_work *work, uint8_t sample)
{
    const struct closure *closure = &work->closure;
    const struct regex *regex = work->regex;
    if (closure->found)
        return REGEX_FOUND;
    work_charge(work, closure->taker_count);
    for (uint32_t i = 0; i < closure->taker_count; i++) {
        uint32_t next = closure->takers[i] + 1;
        if (!regex_op_takes(regex, &regex->ops[next - 1], sample))
            continue;
        for (; regex->ops[next].opcode == REGEX_JUMP;)
            next = (uint32_t)((int32_t)next + regex->ops[next].x);
        work_mark(work, next);
    }
    return work_state(work, false, regex_byte_is_word(sample));
}

/* The row of a state. Places before a word and others are told apart only where that matters. */
static void work_fill(struct table_work *work, uint32_t index)
{
    bool has_word = work->regex->has_word;
    uint32_t columns = work->table.columns;
    struct table_state state = work->states[index];
    for (int word = 0; word <= (has_word ? 1 : 0); word++) {
        work_close(work, &state, word == 1, false);
        for (uint32_t column = 0; column + 1 < columns && work_goes_on(work); column++) {
            uint8_t sample = work->samples[column];
            if (has_word && regex_byte_is_word(sample) != (word == 1))
                continue;
            uint16_t next = work_step(work, sample);
            work->table.next[(size_t)index * columns + column] = next;
        }
    }
    work_close(work, &state, false, true);
    work_charge(work, 1);
    work->table.next[(size_t)index * columns + columns - 1] =
        work->closure.found ? REGEX_FOUND : REGEX_DEAD;
}

/* ---- what cannot match any more -------------------------------------------------------------- */

/* Whether a state can still lead to a match, as far as known. */
static bool row_is_live(const struct regex_table *table, const bool *live, uint32_t index)
{
    for (uint32_t column = 0; column < table->columns; column++) {
        uint16_t next = table->next[(size_t)index * table->columns + column];
        if (next == REGEX_FOUND || (next >= REGEX_STATE_FIRST && live[next - REGEX_STATE_FIRST]))
            return true;
    }
    return false;
}

/* Turns states that lead nowhere into REGEX_DEAD. Gives up without harm when it takes too long. */
static void work_prune(struct table_work *work)
{
    struct regex_table *table = &work->table;
    bool live[LIMIT_REGEX_STATES] = { false };
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = table->state_count; i-- > 0;) {
            if (live[i] || !row_is_live(table, live, i))
                continue;
            live[i] = true;
            changed = true;
        }
        work_charge(work, (uint64_t)table->state_count * table->columns / 4);
        if (work->is_full)
            return;
    }
    for (size_t i = 0; i < (size_t)table->state_count * table->columns; i++)
        if (table->next[i] >= REGEX_STATE_FIRST && !live[table->next[i] - REGEX_STATE_FIRST])
            table->next[i] = REGEX_DEAD;
    if (table->start >= REGEX_STATE_FIRST && !live[table->start - REGEX_STATE_FIRST])
        table->start = REGEX_DEAD;
}

/* Gives back what the table does not use; when that fails it stays. */
static void table_shrink(struct regex_table *table, const struct alloc *alloc)
{
    size_t row = table_row_bytes(table);
    if (table->state_count == table->state_cap)
        return;
    uint16_t *next =
        alloc_grow(alloc, table->next, table->state_cap * row, table->state_count * row);
    if (next == NULL)
        return;
    table->next = next;
    table->state_cap = table->state_count;
}

enum status regex_table_build(struct regex *regex, const struct alloc *alloc,
                              struct regex_budget *budget)
{
    struct table_work work;
    uint64_t steps_max = budget->build_steps < LIMIT_REGEX_BUILD_STEPS ? budget->build_steps
                                                                       : LIMIT_REGEX_BUILD_STEPS;
    work_init(&work, regex, alloc, steps_max);
    if (work.status == STATUS_OK) {
        work_charge(&work, regex->op_count + regex->set_count * UINT64_C(256));
        work_classify(&work);
        work.bits_first = SIZE_MAX;
        work_mark(&work, regex->entry);
        work.table.start = work_state(&work, true, false);
    }
    for (uint32_t i = 0; i < work.table.state_count && work_goes_on(&work); i++)
        work_fill(&work, i);
    if (work_goes_on(&work)) {
        work_prune(&work);
        table_shrink(&work.table, alloc);
        regex->table = work.table;
        work.table = (struct regex_table){ 0 };
    }
    uint64_t used = work.steps + work.closure.steps;
    budget->build_steps -= used < budget->build_steps ? used : budget->build_steps;
    enum status status = work.status;
    work_release(&work);
    return status;
}

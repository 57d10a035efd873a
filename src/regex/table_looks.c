/* table_looks.c - lookaheads in the table of states.
 *
 * Owns: the sets of lookaheads that are open: begun, and not decided. Leaves to others: states and
 * rows (table.c). Invariant: the pattern inside a lookahead has states of its own in the same
 * table, so that the text of an open one is known by one state; a thread is alive as long as each
 * of its open lookaheads can come true.
 */
#include "base/features.h"

#include "regex/table_work.h"

static bool sets_equal(const struct table_work *work, const struct open_set *set,
                       const uint32_t *members, uint32_t count)
{
    return set->count == count &&
           memcmp(&work->pool[set->first], members, count * sizeof(*members)) == 0;
}

/* The number of a set of ascending members. */
static int64_t open_set_number(struct table_work *work, const uint32_t *members, uint32_t count)
{
    if (count == 0)
        return 0;
    for (uint32_t i = 1; i < work->open_set_count; i++)
        if (sets_equal(work, &work->open_sets[i], members, count))
            return i;
    work_charge(work, work->open_set_count / 4);
    if (work->open_set_count == TABLE_OPEN_SETS_MAX) {
        work->is_full = true;
        return OPEN_FAILED;
    }
    struct open_set *set = &work->open_sets[work->open_set_count];
    *set = (struct open_set){ (uint32_t)work->pool_count, count };
    for (uint32_t i = 0; i < count; i++)
        work_pool(work, members[i]);
    return work->status == STATUS_OK ? (int64_t)work->open_set_count++ : OPEN_FAILED;
}

/* Adds a member, in order and once. */
static bool members_add(struct table_work *work, uint32_t *members, uint32_t *count,
                        uint32_t member)
{
    uint32_t at = 0;
    while (at < *count && members[at] < member)
        at++;
    if (at < *count && members[at] == member)
        return true;
    if (*count == TABLE_OPEN_MAX) {
        work->is_full = true;
        return false;
    }
    memmove(&members[at + 1], &members[at], (*count - at) * sizeof(*members));
    members[at] = member;
    (*count)++;
    return true;
}

int64_t work_open_look(void *context, uint32_t look, uint32_t open,
                       const struct closure_place *place)
{
    struct table_work *work = context;
    const struct regex_look *entered = &work->regex->looks[look];
    struct open_set set = work->open_sets[open];
    uint32_t members[TABLE_OPEN_MAX];
    uint32_t count = set.count;
    if (!work_goes_on(work))
        return OPEN_FAILED;
    work_mark(work, entered->entry);
    uint16_t state = work_state(work, place->at_start, place->word_before);
    if (state < REGEX_STATE_FIRST)
        return OPEN_FAILED;
    if (count > 0)
        memcpy(members, &work->pool[set.first], count * sizeof(*members));
    if (!members_add(work, members, &count, state * 2u + (entered->is_negative ? 1 : 0)))
        return OPEN_FAILED;
    return open_set_number(work, members, count);
}

void work_need(struct table_work *work, uint32_t open)
{
    const struct open_set *set = &work->open_sets[open];
    for (uint32_t i = 0; i < set->count; i++) {
        uint32_t state = work->pool[set->first + i] / 2 - REGEX_STATE_FIRST;
        if (!work->states[state].is_filled)
            work->missing = state;
    }
}

int64_t work_advance_open(struct table_work *work, uint32_t open, uint32_t column)
{
    struct open_set set = work->open_sets[open];
    uint32_t members[TABLE_OPEN_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < set.count; i++) {
        uint32_t member = work->pool[set.first + i];
        bool is_negative = member % 2 != 0;
        size_t row = member / 2 - REGEX_STATE_FIRST;
        uint16_t next = work->next[row * work->columns + column];
        if (next == (is_negative ? REGEX_FOUND : REGEX_DEAD))
            return OPEN_FAILED;
        if (next >= REGEX_STATE_FIRST &&
            !members_add(work, members, &count, next * 2u + (is_negative ? 1 : 0)))
            return OPEN_FAILED;
    }
    return open_set_number(work, members, count);
}

/* closure.c - following splits, jumps and assertions.
 *
 * Invariant: an instruction is on the stack at most once per generation, so that a stack of the
 * program's size suffices.
 */
#include "base/features.h"

#include "regex/closure.h"

static size_t closure_bytes(const struct regex *regex)
{
    return (size_t)regex->op_count * 3 * sizeof(uint32_t);
}

bool closure_init(struct closure *closure, const struct regex *regex, const struct alloc *alloc)
{
    *closure = (struct closure){ .regex = regex, .alloc = alloc };
    closure->marks = alloc_get(alloc, closure_bytes(regex));
    if (closure->marks == NULL)
        return false;
    memset(closure->marks, 0, regex->op_count * sizeof(uint32_t));
    closure->stack = closure->marks + regex->op_count;
    closure->takers = closure->stack + regex->op_count;
    return true;
}

void closure_release(struct closure *closure)
{
    alloc_free(closure->alloc, closure->marks, closure_bytes(closure->regex));
}

void closure_begin(struct closure *closure)
{
    if (++closure->generation == 0) {
        memset(closure->marks, 0, closure->regex->op_count * sizeof(uint32_t));
        closure->generation = 1;
    }
    closure->taker_count = 0;
    closure->found = false;
}

static void closure_push(struct closure *closure, uint32_t *count, uint32_t op)
{
    if (closure->marks[op] == closure->generation)
        return;
    closure->marks[op] = closure->generation;
    closure->stack[(*count)++] = op;
}

void closure_add(struct closure *closure, uint32_t first, const struct closure_place *place)
{
    uint32_t count = 0;
    closure_push(closure, &count, first);
    while (count > 0) {
        uint32_t at = closure->stack[--count];
        const struct regex_op *op = &closure->regex->ops[at];
        bool on_edge = place->word_before != place->word_after;
        closure->steps++;
        switch ((enum regex_opcode)op->opcode) {
        case REGEX_RANGE:
        case REGEX_SET: closure->takers[closure->taker_count++] = at; continue;
        case REGEX_SPLIT: closure_push(closure, &count, (uint32_t)((int32_t)at + op->x)); break;
        case REGEX_JUMP: closure_push(closure, &count, (uint32_t)((int32_t)at + op->x)); continue;
        case REGEX_START:
            if (!place->at_start)
                continue;
            break;
        case REGEX_END:
            if (!place->at_end)
                continue;
            break;
        case REGEX_WORD:
            if (!on_edge)
                continue;
            break;
        case REGEX_NOT_WORD:
            if (on_edge)
                continue;
            break;
        case REGEX_MATCH: closure->found = true; continue;
        }
        closure_push(closure, &count, at + 1);
    }
}

/* closure.c - following splits, jumps and assertions.
 *
 * Owns: the search for threads that were reached before. Leaves to others: what lookarounds mean.
 * Invariant: a thread is on the stack at most once per generation, so that a stack of the program's
 * size suffices, and of the number of threads with open lookaheads that is allowed.
 */
#include "base/features.h"

#include "regex/closure.h"

enum { CLOSURE_OTHERS_MAX = 256 };

static size_t closure_others(const struct regex *regex)
{
    return regex->look_count > 0 ? CLOSURE_OTHERS_MAX : 0;
}

static size_t closure_bytes(const struct regex *regex)
{
    size_t threads = ((size_t)regex->op_count + closure_others(regex)) * 2 + closure_others(regex);
    return threads * sizeof(struct closure_thread) + regex->op_count * sizeof(uint32_t);
}

bool closure_init(struct closure *closure, const struct regex *regex, const struct alloc *alloc)
{
    *closure = (struct closure){ .regex = regex, .alloc = alloc };
    closure->stack = alloc_get(alloc, closure_bytes(regex));
    if (closure->stack == NULL)
        return false;
    closure->takers = closure->stack + regex->op_count + closure_others(regex);
    closure->others = closure->takers + regex->op_count + closure_others(regex);
    closure->marks = (uint32_t *)(closure->others + closure_others(regex));
    memset(closure->marks, 0, regex->op_count * sizeof(uint32_t));
    return true;
}

void closure_release(struct closure *closure)
{
    alloc_free(closure->alloc, closure->stack, closure_bytes(closure->regex));
}

void closure_begin(struct closure *closure)
{
    if (++closure->generation == 0) {
        memset(closure->marks, 0, closure->regex->op_count * sizeof(uint32_t));
        closure->generation = 1;
    }
    closure->taker_count = 0;
    closure->other_count = 0;
    closure->found = false;
}

/* Whether a thread is new. What is reached with nothing open needs no thread with something open.
 */
static bool closure_mark(struct closure *closure, struct closure_thread thread)
{
    if (closure->marks[thread.op] == closure->generation)
        return false;
    if (thread.open == 0) {
        closure->marks[thread.op] = closure->generation;
        return true;
    }
    for (uint32_t i = 0; i < closure->other_count; i++)
        if (closure->others[i].op == thread.op && closure->others[i].open == thread.open)
            return false;
    closure->steps += closure->other_count / 8;
    if (closure->other_count == CLOSURE_OTHERS_MAX) {
        closure->is_overfull = true;
        return false;
    }
    closure->others[closure->other_count++] = thread;
    return true;
}

static void closure_push(struct closure *closure, uint32_t *count, struct closure_thread thread)
{
    if (closure_mark(closure, thread))
        closure->stack[(*count)++] = thread;
}

/* Whether an assertion lets a thread pass, whose open lookaheads it may change. */
static bool closure_passes(struct closure *closure, const struct regex_op *op,
                           struct closure_thread *thread, const struct closure_place *place)
{
    switch ((enum regex_opcode)op->opcode) {
    case REGEX_START: return place->at_start;
    case REGEX_END: return place->at_end;
    case REGEX_WORD: return place->word_before != place->word_after;
    case REGEX_NOT_WORD: return place->word_before == place->word_after;
    case REGEX_LOOK: break;
    case REGEX_RANGE:
    case REGEX_SET:
    case REGEX_SPLIT:
    case REGEX_JUMP:
    case REGEX_MATCH:
    case REGEX_SAVE:
    case REGEX_PROGRESS:
    case REGEX_RESET:
    case REGEX_REFERENCE: return true;
    }
    if (closure->look == NULL)
        return true;
    int64_t open = closure->look(closure->context, (uint32_t)op->x, thread->open, place);
    if (open == CLOSURE_BLOCKED)
        return false;
    thread->open = (uint32_t)open;
    return true;
}

void closure_add(struct closure *closure, struct closure_thread first,
                 const struct closure_place *place)
{
    uint32_t count = 0;
    closure_push(closure, &count, first);
    while (count > 0) {
        struct closure_thread at = closure->stack[--count];
        const struct regex_op *op = &closure->regex->ops[at.op];
        struct closure_thread next = { at.op + 1, at.open };
        struct closure_thread jump = { (uint32_t)((int32_t)at.op + op->x), at.open };
        closure->steps++;
        if (op->opcode == REGEX_RANGE || op->opcode == REGEX_SET) {
            closure->takers[closure->taker_count++] = at;
        } else if (op->opcode == REGEX_MATCH && at.open == 0) {
            closure->found = true;
        } else if (op->opcode == REGEX_MATCH) {
            closure->takers[closure->taker_count++] = at;
        } else if (op->opcode == REGEX_JUMP) {
            closure_push(closure, &count, jump);
        } else if (op->opcode == REGEX_SPLIT) {
            closure_push(closure, &count, jump);
            closure_push(closure, &count, next);
        } else if (closure_passes(closure, op, &next, place)) {
            closure_push(closure, &count, next);
        }
    }
}

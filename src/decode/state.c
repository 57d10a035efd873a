/* state.c - the public state: a small set of threads that read the same text.
 *
 * Owns the set, the fast path for the inside of free strings, forced text, and what samplers ask.
 * Invariant: at least one thread is alive after a successful feed, and each alive thread can be
 * closed.
 */
#include "base/features.h"

#include "decode/state.h"
#include "decode/thread.h"

struct decode_state {
    const struct decode_language *language;
    const struct alloc *alloc;
    uint32_t count;
    struct thread threads[DECODE_THREADS_MAX];
};

enum status decode_state_new(const struct decode_language *language, const struct alloc *alloc,
                             struct decode_state **out_state)
{
    struct decode_state *state = alloc_get(alloc, sizeof *state);
    if (state == NULL)
        return STATUS_NO_MEMORY;
    state->language = language;
    state->alloc = alloc;
    decode_state_reset(state);
    *out_state = state;
    return STATUS_OK;
}

void decode_state_free(struct decode_state *state)
{
    if (state != NULL)
        alloc_free(state->alloc, state, sizeof *state);
}

void decode_state_reset(struct decode_state *state)
{
    state->count = 1;
    thread_start(state->language, &state->threads[0]);
}

void decode_state_copy(struct decode_state *to, const struct decode_state *from)
{
    to->count = from->count;
    for (uint32_t i = 0; i < from->count; i++)
        thread_copy(&to->threads[i], &from->threads[i]);
}

/* ---- feeding
 * --------------------------------------------------------------------------------------- */

static void state_drop(struct decode_state *state, uint32_t index)
{
    state->count--;
    if (index < state->count)
        thread_copy(&state->threads[index], &state->threads[state->count]);
}

/* Readings that have become the same are followed once. */
static void state_merge(struct decode_state *state)
{
    for (uint32_t i = 0; i + 1 < state->count; i++) {
        for (uint32_t k = state->count; k-- > i + 1;) {
            if (thread_equal(&state->threads[i], &state->threads[k]))
                state_drop(state, k);
        }
    }
}

static bool state_step(struct decode_state *state, unsigned char byte)
{
    struct thread_set set = { state->language, state->threads, state->count };
    uint32_t before = state->count;
    bool alive[DECODE_THREADS_MAX];
    for (uint32_t i = 0; i < before; i++)
        alive[i] = thread_step(&set, i, byte);
    state->count = set.count;
    for (uint32_t i = before; i-- > 0;) {
        if (!alive[i])
            state_drop(state, i);
    }
    if (state->count > 1)
        state_merge(state);
    return state->count > 0;
}

/* Ordinary characters inside a free string, the commonest bytes by far. Returns how many were
 * taken. */
static size_t state_run(struct decode_state *state, struct str bytes)
{
    struct thread *thread = &state->threads[0];
    if (state->count != 1 || thread->depth == 0)
        return 0;
    struct frame *frame = thread_top(thread);
    struct string_at *at = &frame->of.string;
    if (frame->kind != FRAME_STRING || frame->phase == 0 || at->mode != STRING_FREE ||
        at->due != 0 || at->escape != 0 || thread_top_excludes(state->language, thread))
        return 0;
    uint32_t max = frame_alt(state->language, frame)->of.string.max_length;
    uint64_t hash = frame->hash;
    size_t i = 0;
    for (; i < bytes.len && at->length < max; i++, at->length++) {
        unsigned char byte = (unsigned char)bytes.ptr[i];
        if (byte <= ' ' || byte >= 0x80 || byte == '"' || byte == '\\')
            break;
        hash = value_hash_add(hash, byte);
    }
    if (i > 0) {
        at->white_run = 0;
        at->has_black = true;
        frame->hash = hash;
    }
    return i;
}

bool decode_state_feed(struct decode_state *state, struct str bytes)
{
    size_t i = 0;
    while (i < bytes.len) {
        i += state_run(state, str_of(bytes.ptr + i, bytes.len - i));
        if (i < bytes.len && !state_step(state, (unsigned char)bytes.ptr[i++]))
            return false;
    }
    return true;
}

/* ---- questions
 * ------------------------------------------------------------------------------------- */

bool decode_state_is_complete(const struct decode_state *state)
{
    for (uint32_t i = 0; i < state->count; i++) {
        if (thread_is_complete(state->language, &state->threads[i]))
            return true;
    }
    return false;
}

static const struct thread *state_nearest(const struct decode_state *state, size_t *out_bytes)
{
    const struct thread *nearest = &state->threads[0];
    *out_bytes = SIZE_MAX;
    for (uint32_t i = 0; i < state->count; i++) {
        size_t bytes = thread_closing_bytes(state->language, &state->threads[i]);
        if (bytes < *out_bytes) {
            *out_bytes = bytes;
            nearest = &state->threads[i];
        }
    }
    return nearest;
}

size_t decode_state_closing_bytes(const struct decode_state *state)
{
    size_t bytes;
    state_nearest(state, &bytes);
    return bytes;
}

void decode_state_closing(const struct decode_state *state, struct buffer *out)
{
    size_t bytes;
    thread_closing(state->language, state_nearest(state, &bytes), out);
}

bool decode_state_admits(const struct decode_state *state, struct str bytes, size_t bytes_left,
                         struct decode_state *scratch)
{
    decode_state_copy(scratch, state);
    return bytes.len > 0 && decode_state_feed(scratch, bytes) &&
           decode_state_closing_bytes(scratch) <= bytes_left;
}

/* The only byte that may come next, or -1. scratch is overwritten. */
static int state_only_byte(const struct decode_state *state, struct decode_state *scratch)
{
    int only = -1;
    if (decode_state_is_complete(state))
        return -1;
    for (int byte = 0x20; byte < 0x100; byte++) {
        decode_state_copy(scratch, state);
        if (!state_step(scratch, (unsigned char)byte))
            continue;
        if (only >= 0)
            return -1;
        only = byte;
    }
    return only;
}

/* Free text has no forced bytes; asking for each of them would be slow. */
static bool state_is_free(const struct decode_state *state)
{
    for (uint32_t i = 0; i < state->count; i++) {
        const struct thread *thread = &state->threads[i];
        if (thread->depth == 0)
            return true;
        const struct frame *frame = thread_top_const(thread);
        if (frame->kind == FRAME_NUMBER || (frame->kind == FRAME_STRING && frame->phase != 0 &&
                                            frame->of.string.mode == STRING_FREE))
            return true;
    }
    return false;
}

enum { FORCED_BYTES_MAX = 4096 };

void decode_state_forced(const struct decode_state *state, struct buffer *out)
{
    struct decode_state *at, *scratch;
    if (state_is_free(state))
        return;
    if (decode_state_new(state->language, state->alloc, &at) != STATUS_OK)
        return; /* nothing forced is always a right answer */
    if (decode_state_new(state->language, state->alloc, &scratch) == STATUS_OK) {
        decode_state_copy(at, state);
        for (int taken = 0; taken < FORCED_BYTES_MAX && !state_is_free(at); taken++) {
            int byte = state_only_byte(at, scratch);
            if (byte < 0)
                break;
            state_step(at, (unsigned char)byte);
            buffer_append_byte(out, (char)byte);
        }
        decode_state_free(scratch);
    }
    decode_state_free(at);
}

/* ---- what is being written
 * ------------------------------------------------------------------------- */

static bool literals_begin_number(const struct literals_alt *literals)
{
    for (uint32_t i = 0; i < literals->count; i++) {
        char first = literals->items[i].text.ptr[0];
        if (first != '-' && (first < '0' || first > '9'))
            return false;
    }
    return true;
}

/* What a value of the rule would be, when it can be only one thing. */
static enum decode_at rule_at(const struct decode_language *language, uint32_t rule)
{
    enum decode_at at = DECODE_AT_END;
    for (uint32_t i = 0; i < language->rules[rule].alt_count; i++) {
        const struct alt *alt = &language->alts[language->rules[rule].alts[i]];
        enum decode_at here = DECODE_AT_STRUCTURE;
        if (alt->kind == ALT_STRING)
            here = DECODE_AT_STRING_START;
        else if (alt->kind == ALT_NUMBER ||
                 (alt->kind == ALT_LITERALS && literals_begin_number(&alt->of.literals)))
            here = DECODE_AT_NUMBER_START;
        if (at != DECODE_AT_END && at != here)
            return here == DECODE_AT_STRUCTURE ? at : here;
        at = here;
    }
    return at == DECODE_AT_END ? DECODE_AT_STRUCTURE : at;
}

static enum decode_at thread_at(const struct decode_language *language, const struct thread *thread)
{
    if (thread->depth == 0)
        return DECODE_AT_END;
    const struct frame *frame = thread_top_const(thread);
    switch ((enum frame_kind)frame->kind) {
    case FRAME_VALUE: return rule_at(language, frame->index);
    case FRAME_STRING:
        return frame->phase == 0 ||
                       (frame->of.string.length == 0 && frame->of.string.of.format.len == 0)
                   ? DECODE_AT_STRING_START
                   : DECODE_AT_STRING;
    case FRAME_NUMBER: return DECODE_AT_NUMBER;
    case FRAME_LITERAL:
        return literals_begin_number(&frame_alt(language, frame)->of.literals)
                   ? DECODE_AT_NUMBER
                   : DECODE_AT_STRUCTURE;
    case FRAME_ARRAY:
    case FRAME_OBJECT: return DECODE_AT_STRUCTURE;
    }
    return DECODE_AT_STRUCTURE;
}

enum decode_at decode_state_at(const struct decode_state *state)
{
    return thread_at(state->language, &state->threads[0]);
}

uint32_t decode_state_node(const struct decode_state *state)
{
    const struct thread *thread = &state->threads[0];
    if (thread->depth == 0)
        return SCHEMA_NONE;
    const struct frame *frame = thread_top_const(thread);
    if (frame->kind == FRAME_VALUE)
        return state->language->rules[frame->index].node;
    return frame_alt(state->language, frame)->node;
}

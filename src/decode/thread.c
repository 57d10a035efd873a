/* thread.c - stepping: what a byte does to a stack of frames.
 *
 * Owns the transitions of values, literals, numbers, arrays and objects (strings are in string.c).
 * Invariant: a step succeeds only if the text can still be completed, so closing (closing.c) never
 * fails on a thread.
 */
#include "base/features.h"

#include "decode/thread.h"

/* ---- life
 * ------------------------------------------------------------------------------------------ */

void thread_start(const struct decode_language *language, struct thread *thread)
{
    thread->depth = 0;
    thread->seen_count = 0;
    thread_push_value(language, thread, language->root);
    thread_top(thread)->after = 0;
}

void thread_copy(struct thread *to, const struct thread *from)
{
    to->depth = from->depth;
    to->seen_count = from->seen_count;
    memcpy(to->frames, from->frames, from->depth * sizeof from->frames[0]);
    if (from->seen_count > 0)
        memcpy(to->seen, from->seen, from->seen_count * sizeof from->seen[0]);
}

bool thread_equal(const struct thread *a, const struct thread *b)
{
    return a->depth == b->depth && a->seen_count == b->seen_count &&
           memcmp(a->frames, b->frames, a->depth * sizeof a->frames[0]) == 0 &&
           memcmp(a->seen, b->seen, a->seen_count * sizeof a->seen[0]) == 0;
}

/* ---- what is taken
 * --------------------------------------------------------------------------------- */

static bool seen_has(const struct thread *thread, uint32_t begin, uint64_t hash)
{
    for (uint32_t i = begin; i < thread->seen_count; i++) {
        if (thread->seen[i] == hash)
            return true;
    }
    return false;
}

bool thread_top_excludes(const struct decode_language *language, const struct thread *thread)
{
    if (thread->depth < 2)
        return false;
    const struct frame *parent = &thread->frames[thread->depth - 2];
    if (parent->kind == FRAME_ARRAY)
        return parent->of.array.exclude && thread->seen_count > parent->of.array.seen_begin;
    return parent->phase == CONTAINER_EXTRA_KEY &&
           (thread->seen_count > parent->of.object.seen_begin ||
            frame_alt(language, parent)->of.object.member_count > 0);
}

bool thread_is_taken(const void *context, uint64_t hash)
{
    const struct taken *taken = context;
    const struct thread *thread = taken->thread;
    if (!thread_top_excludes(taken->language, thread))
        return false;
    const struct frame *parent = &thread->frames[thread->depth - 2];
    if (parent->kind == FRAME_ARRAY)
        return seen_has(thread, parent->of.array.seen_begin, hash);
    const struct object_alt *object = &frame_alt(taken->language, parent)->of.object;
    for (uint32_t i = 0; i < object->member_count; i++) {
        if (object->members[i].hash == hash)
            return true;
    }
    return seen_has(thread, parent->of.object.seen_begin, hash);
}

static bool top_is_taken(const struct decode_language *language, const struct thread *thread,
                         uint64_t hash)
{
    struct taken taken = { language, thread };
    return thread_is_taken(&taken, hash);
}

/* ---- pushing
 * --------------------------------------------------------------------------------------- */

static struct frame *thread_push(struct thread *thread, enum frame_kind kind, uint32_t index,
                                 uint64_t after)
{
    struct frame *frame = &thread->frames[thread->depth++];
    memset(frame, 0, sizeof *frame);
    frame->kind = (uint8_t)kind;
    frame->index = index;
    frame->after = after >= DECODE_ENDLESS ? DECODE_ENDLESS - 1 : (uint32_t)after;
    return frame;
}

void thread_push_value(const struct decode_language *language, struct thread *thread, uint32_t rule)
{
    (void)language;
    thread_push(thread, FRAME_VALUE, rule, 0);
}

static bool rule_fits(const struct decode_language *language, const struct thread *thread,
                      uint32_t rule)
{
    return rule != RULE_NONE && language->rules[rule].min_bytes != DECODE_ENDLESS &&
           thread->depth + language->rules[rule].min_depth <= language->options.depth_max;
}

static uint32_t item_rule(const struct array_alt *array, uint32_t index)
{
    return index < array->prefix_count ? array->prefix[index] : array->items;
}

/* Bytes from the end of item number count to the closing bracket. */
static uint64_t array_rest(const struct decode_language *language, const struct array_alt *array,
                           uint32_t count)
{
    uint64_t bytes = 1;
    for (; count < array->min_items && count < array->prefix_count; count++)
        bytes += 1 + (uint64_t)language->rules[array->prefix[count]].min_bytes;
    if (count < array->min_items)
        bytes +=
            (array->min_items - count) * (1 + (uint64_t)language->rules[array->items].min_bytes);
    return bytes;
}

bool array_may_end(const struct array_alt *array, const struct frame *frame)
{
    return frame->of.array.count >= array->min_items;
}

bool thread_push_item(const struct decode_language *language, struct thread *thread)
{
    struct frame *frame = thread_top(thread);
    struct array_at *at = &frame->of.array;
    const struct array_alt *array = &frame_alt(language, frame)->of.array;
    bool wanted = at->count < array->min_items;
    uint32_t rule = item_rule(array, at->count);
    bool full = thread->seen_count >= DECODE_SEEN_MAX && array->unique;
    if (at->count >= array->max_items || (!wanted && (at->stop || full)) ||
        !rule_fits(language, thread, rule))
        return false;
    at->count++;
    at->exclude = array->unique || (array->fresh && !wanted);
    uint8_t phase = frame->phase;
    frame->phase = CONTAINER_INSIDE;
    thread_push(thread, FRAME_VALUE, rule, array_rest(language, array, at->count) + frame->after);
    if (!thread_top_excludes(language, thread) || thread_value_exists(language, thread))
        return true;
    thread->depth--;
    frame->phase = phase;
    at->count--;
    return false;
}

/* Bytes from the end of a member to the closing brace when `next` is the first that may follow. */
static uint64_t object_rest(const struct object_alt *object, uint32_t next)
{
    return object->tail_bytes[next] + 1;
}

void thread_push_member(const struct decode_language *language, struct thread *thread,
                        uint32_t member)
{
    struct frame *frame = thread_top(thread);
    const struct object_alt *object = &frame_alt(language, frame)->of.object;
    frame->phase = CONTAINER_INSIDE;
    frame->of.object.next = member + 1;
    frame->of.object.written++;
    frame->hash = value_hash_add(frame->hash, object->members[member].hash);
    thread_push(thread, FRAME_VALUE, object->members[member].rule,
                object_rest(object, member + 1) + frame->after);
}

void thread_push_extra_key(const struct decode_language *language, struct thread *thread)
{
    struct frame *frame = thread_top(thread);
    const struct object_alt *object = &frame_alt(language, frame)->of.object;
    frame->phase = CONTAINER_EXTRA_KEY;
    frame->of.object.extra++;
    frame->of.object.written++;
    uint64_t value = language->rules[object->extra_rule].min_bytes;
    thread_push(thread, FRAME_VALUE, object->extra_key_rule,
                1 + value + object_rest(object, frame->of.object.next) + frame->after);
}

void thread_push_extra_value(const struct decode_language *language, struct thread *thread)
{
    struct frame *frame = thread_top(thread);
    const struct object_alt *object = &frame_alt(language, frame)->of.object;
    frame->phase = CONTAINER_INSIDE;
    thread_push(thread, FRAME_VALUE, object->extra_rule,
                object_rest(object, frame->of.object.next) + frame->after);
}

/* ---- completing
 * ------------------------------------------------------------------------------------ */

static void seen_add(struct thread *thread, uint64_t hash)
{
    if (thread->seen_count < DECODE_SEEN_MAX)
        thread->seen[thread->seen_count++] = hash;
}

void thread_pop(const struct decode_language *language, struct thread *thread)
{
    struct frame *done = thread_top(thread);
    if (done->kind == FRAME_ARRAY)
        thread->seen_count = done->of.array.seen_begin;
    else if (done->kind == FRAME_OBJECT)
        thread->seen_count = done->of.object.seen_begin;
    thread->depth--;
    if (thread->depth == 0)
        return;
    struct frame *parent = thread_top(thread);
    parent->hash = value_hash_add(parent->hash, done->hash);
    if (parent->kind == FRAME_ARRAY) {
        const struct array_alt *array = &frame_alt(language, parent)->of.array;
        parent->phase = CONTAINER_AFTER;
        if (!array->unique && !array->fresh)
            return;
        if (seen_has(thread, parent->of.array.seen_begin, done->hash))
            parent->of.array.stop = true;
        else
            seen_add(thread, done->hash);
        return;
    }
    if (parent->phase != CONTAINER_EXTRA_KEY) {
        parent->phase = CONTAINER_AFTER;
        return;
    }
    seen_add(thread, done->hash);
    parent->phase = CONTAINER_COLON;
}

/* ---- opening values
 * -------------------------------------------------------------------------------- */

bool thread_open(const struct decode_language *language, struct thread *thread, uint32_t index)
{
    struct frame *frame = thread_top(thread);
    const struct alt *alt = &language->alts[index];
    uint32_t after = frame->after;
    if (alt->min_bytes == DECODE_ENDLESS ||
        thread->depth - 1 + alt->min_depth > language->options.depth_max)
        return false;
    thread->depth--;
    switch (alt->kind) {
    case ALT_LITERALS:
        frame = thread_push(thread, FRAME_LITERAL, index, after);
        frame->of.literal.hi = alt->of.literals.count;
        return literal_shortest(language, thread, &alt->of.literals, 0, alt->of.literals.count) !=
               RULE_NONE;
    case ALT_STRING:
        thread_push(thread, FRAME_STRING, index, after);
        return string_begin(language, thread, &alt->of.string);
    case ALT_NUMBER: thread_push(thread, FRAME_NUMBER, index, after); return true;
    case ALT_ARRAY:
        frame = thread_push(thread, FRAME_ARRAY, index, after);
        frame->hash = VALUE_HASH_ARRAY;
        frame->of.array.seen_begin = thread->seen_count;
        return true;
    case ALT_OBJECT:
        frame = thread_push(thread, FRAME_OBJECT, index, after);
        frame->hash = VALUE_HASH_OBJECT;
        frame->of.object.seen_begin = thread->seen_count;
        return true;
    }
    return false;
}

/* A text of the alternative may begin with byte; a cheap test that lets some through. */
static bool alt_may_begin(const struct alt *alt, unsigned char byte)
{
    switch (alt->kind) {
    case ALT_LITERALS: return true;
    case ALT_STRING: return byte == '"';
    case ALT_NUMBER: return byte == '-' || (byte >= '0' && byte <= '9');
    case ALT_ARRAY: return byte == '[';
    case ALT_OBJECT: return byte == '{';
    }
    return false;
}

static bool open_and_step(struct thread_set *set, uint32_t index, uint32_t alt, unsigned char byte)
{
    return thread_open(set->language, &set->threads[index], alt) && thread_step(set, index, byte);
}

/* Each alternative that the byte may begin becomes a reading of its own. */
static bool step_value(struct thread_set *set, uint32_t index, unsigned char byte)
{
    const struct decode_language *language = set->language;
    const struct rule *rule = &language->rules[thread_top(&set->threads[index])->index];
    uint32_t fitting = 0, first = RULE_NONE;
    for (uint32_t i = 0; i < rule->alt_count; i++) {
        if (!alt_may_begin(&language->alts[rule->alts[i]], byte))
            continue;
        first = fitting++ == 0 ? rule->alts[i] : first;
    }
    if (fitting <= 1)
        return fitting == 1 && open_and_step(set, index, first, byte);
    struct thread base;
    thread_copy(&base, &set->threads[index]);
    bool placed = false;
    for (uint32_t i = 0; i < rule->alt_count; i++) {
        uint32_t slot = placed ? set->count : index;
        if (!alt_may_begin(&language->alts[rule->alts[i]], byte))
            continue;
        if (slot == DECODE_THREADS_MAX)
            break;
        thread_copy(&set->threads[slot], &base);
        uint32_t count = set->count;
        set->count += placed;
        if (!open_and_step(set, slot, rule->alts[i], byte))
            set->count = count;
        else
            placed = true;
    }
    return placed;
}

/* ---- leaves
 * ---------------------------------------------------------------------------------------- */

enum leaf_step { LEAF_REFUSED, LEAF_MORE, LEAF_DONE, LEAF_PASS };

/* First literal of [lo, hi) whose byte at depth is not below `byte`; shorter texts come first. */
static uint32_t literal_bound(const struct literals_alt *literals, uint32_t lo, uint32_t hi,
                              uint32_t depth, unsigned byte)
{
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        struct str text = literals->items[middle].text;
        if (text.len <= depth || (unsigned char)text.ptr[depth] < byte)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static enum leaf_step step_literal(const struct decode_language *language, struct thread *thread,
                                   unsigned char byte)
{
    struct frame *frame = thread_top(thread);
    struct literal_at *at = &frame->of.literal;
    const struct literals_alt *literals = &frame_alt(language, frame)->of.literals;
    uint32_t lo = literal_bound(literals, at->lo, at->hi, at->depth, byte);
    uint32_t hi = literal_bound(literals, lo, at->hi, at->depth, byte + 1u);
    bool excludes = thread_top_excludes(language, thread);
    if (lo < hi &&
        (!excludes || literal_shortest(language, thread, literals, lo, hi) != RULE_NONE)) {
        *at = (struct literal_at){ lo, hi, at->depth + 1 };
        frame->hash = literals->items[lo].hash;
        return hi - lo == 1 && literals->items[lo].text.len == at->depth ? LEAF_DONE : LEAF_MORE;
    }
    if (at->depth == 0 || literals->items[at->lo].text.len != at->depth)
        return LEAF_REFUSED;
    return top_is_taken(language, thread, literals->items[at->lo].hash) ? LEAF_REFUSED : LEAF_PASS;
}

static enum leaf_step step_number(const struct decode_language *language, struct thread *thread,
                                  unsigned char byte)
{
    struct frame *frame = thread_top(thread);
    struct number_at *at = &frame->of.number;
    const struct number_set *set = &frame_alt(language, frame)->of.number;
    if (number_step(set, at, byte)) {
        struct taken taken = { language, thread };
        char text[NUMBER_TEXT_MAX];
        bool excludes = thread_top_excludes(language, thread);
        bool open = !excludes || number_close(set, at, thread_is_taken, &taken, text) != SIZE_MAX;
        return open ? LEAF_MORE : LEAF_REFUSED;
    }
    frame->hash = number_hash(at);
    bool ends = number_is_complete(set, at) && !top_is_taken(language, thread, frame->hash);
    return ends ? LEAF_PASS : LEAF_REFUSED;
}

static enum leaf_step step_string(const struct decode_language *language, struct thread *thread,
                                  unsigned char byte)
{
    enum string_step step = string_step(language, thread, byte);
    if (step == STRING_MORE)
        return LEAF_MORE;
    return step == STRING_DONE ? LEAF_DONE : LEAF_REFUSED;
}

/* ---- containers
 * ------------------------------------------------------------------------------------ */

/* LEAF_PASS here means: the byte is for the frame that was pushed. */
static enum leaf_step step_array(const struct decode_language *language, struct thread *thread,
                                 unsigned char byte)
{
    struct frame *frame = thread_top(thread);
    const struct array_alt *array = &frame_alt(language, frame)->of.array;
    if (frame->phase == CONTAINER_OPEN) {
        frame->phase = CONTAINER_BEGIN;
        return byte == '[' ? LEAF_MORE : LEAF_REFUSED;
    }
    if (byte == ']')
        return array_may_end(array, frame) ? LEAF_DONE : LEAF_REFUSED;
    if (frame->phase == CONTAINER_BEGIN)
        return thread_push_item(language, thread) ? LEAF_PASS : LEAF_REFUSED;
    return byte == ',' && thread_push_item(language, thread) ? LEAF_MORE : LEAF_REFUSED;
}

bool object_may_end(const struct object_alt *object, const struct frame *frame)
{
    return object->tail_required[frame->of.object.next] == 0 &&
           frame->of.object.written >= object->min_members;
}

uint32_t object_last_candidate(const struct object_alt *object, const struct frame *frame)
{
    uint32_t last = object->next_required[frame->of.object.next];
    return last < object->member_count ? last : object->member_count - 1;
}

/* Members from `from` on that could be written at this depth. */
static uint32_t object_writable(const struct decode_language *language, const struct thread *thread,
                                const struct object_alt *object, uint32_t from)
{
    uint32_t count = 0;
    for (uint32_t i = from; i < object->member_count; i++)
        count += rule_fits(language, thread, object->members[i].rule);
    return count;
}

bool object_may_write(const struct decode_language *language, const struct thread *thread,
                      uint32_t member)
{
    const struct frame *frame = thread_top_const(thread);
    const struct object_alt *object = &frame_alt(language, frame)->of.object;
    const struct object_at *at = &frame->of.object;
    if (member < at->next || member >= object->member_count ||
        member > object->next_required[at->next] ||
        !rule_fits(language, thread, object->members[member].rule))
        return false;
    uint64_t written = at->written + 1u;
    if (written + object->tail_required[member + 1] > object->max_members)
        return false;
    if (written >= object->min_members)
        return true;
    uint32_t extras =
        rule_fits(language, thread, object->extra_rule) ? object->extra_max - at->extra : 0;
    return written + extras + object_writable(language, thread, object, member + 1) >=
           object->min_members;
}

bool object_may_extra(const struct decode_language *language, const struct thread *thread)
{
    const struct frame *frame = thread_top_const(thread);
    const struct object_alt *object = &frame_alt(language, frame)->of.object;
    const struct object_at *at = &frame->of.object;
    if (!rule_fits(language, thread, object->extra_rule) ||
        !rule_fits(language, thread, object->extra_key_rule) || at->extra >= object->extra_max ||
        object->tail_required[at->next] > 0 || at->written >= object->max_members ||
        thread->seen_count >= DECODE_SEEN_MAX)
        return false;
    struct thread probe;
    thread_copy(&probe, thread);
    thread_push_extra_key(language, &probe);
    return thread_value_exists(language, &probe);
}

static bool object_has_candidate(const struct decode_language *language,
                                 const struct thread *thread)
{
    const struct frame *frame = thread_top_const(thread);
    const struct object_alt *object = &frame_alt(language, frame)->of.object;
    if (object->member_count > 0) {
        uint32_t last = object_last_candidate(object, frame);
        for (uint32_t i = frame->of.object.next; i <= last; i++) {
            if (object_may_write(language, thread, i))
                return true;
        }
    }
    return object_may_extra(language, thread);
}

/* The quote of a name: of the schema's members, of a free member, or both readings. */
static bool step_name(struct thread_set *set, uint32_t index)
{
    const struct decode_language *language = set->language;
    struct thread *thread = &set->threads[index];
    struct frame *frame = thread_top(thread);
    const struct object_alt *object = &frame_alt(language, frame)->of.object;
    bool extra = object_may_extra(language, thread);
    uint32_t member = frame->of.object.next;
    uint32_t last = object->member_count == 0 ? 0 : object_last_candidate(object, frame);
    while (member < object->member_count && member <= last &&
           !object_may_write(language, thread, member))
        member++;
    bool named = member < object->member_count && member <= last;
    if (!named && !extra)
        return false;
    if (extra && (!named || set->count < DECODE_THREADS_MAX)) {
        uint32_t slot = named ? set->count : index;
        if (named)
            thread_copy(&set->threads[slot], thread);
        uint32_t count = set->count;
        set->count += named;
        thread_push_extra_key(language, &set->threads[slot]);
        bool taken = thread_step(set, slot, '"');
        if (!named)
            return taken;
        if (!taken)
            set->count = count;
    }
    frame->phase = CONTAINER_KEY;
    frame->of.object.member = member;
    frame->of.object.depth = 1;
    return true;
}

static bool step_key(const struct decode_language *language, struct thread *thread,
                     unsigned char byte)
{
    struct frame *frame = thread_top(thread);
    struct object_at *at = &frame->of.object;
    const struct object_alt *object = &frame_alt(language, frame)->of.object;
    struct str typed = { object->members[at->member].key.ptr, at->depth };
    uint32_t last = object_last_candidate(object, frame);
    for (uint32_t i = at->member; i <= last; i++) {
        struct str key = object->members[i].key;
        if (key.len <= at->depth || (unsigned char)key.ptr[at->depth] != byte ||
            !str_starts_with(key, typed) || !object_may_write(language, thread, i))
            continue;
        at->member = i;
        at->depth++;
        if (at->depth == key.len)
            thread_push_member(language, thread, i);
        return true;
    }
    return false;
}

static enum leaf_step step_object(struct thread_set *set, uint32_t index, unsigned char byte)
{
    const struct decode_language *language = set->language;
    struct thread *thread = &set->threads[index];
    struct frame *frame = thread_top(thread);
    const struct object_alt *object = &frame_alt(language, frame)->of.object;
    switch ((enum container_phase)frame->phase) {
    case CONTAINER_OPEN:
        frame->phase = CONTAINER_BEGIN;
        return byte == '{' ? LEAF_MORE : LEAF_REFUSED;
    case CONTAINER_BEGIN:
    case CONTAINER_AFTER:
        if (byte == '}')
            return object_may_end(object, frame) ? LEAF_DONE : LEAF_REFUSED;
        if (frame->phase == CONTAINER_BEGIN)
            return byte == '"' && step_name(set, index) ? LEAF_MORE : LEAF_REFUSED;
        if (byte != ',' || !object_has_candidate(language, thread))
            return LEAF_REFUSED;
        frame->phase = CONTAINER_NEXT;
        return LEAF_MORE;
    case CONTAINER_NEXT: return byte == '"' && step_name(set, index) ? LEAF_MORE : LEAF_REFUSED;
    case CONTAINER_KEY: return step_key(language, thread, byte) ? LEAF_MORE : LEAF_REFUSED;
    case CONTAINER_COLON:
        if (byte != ':')
            return LEAF_REFUSED;
        thread_push_extra_value(language, thread);
        return LEAF_MORE;
    case CONTAINER_INSIDE:
    case CONTAINER_EXTRA_KEY: return LEAF_REFUSED;
    }
    return LEAF_REFUSED;
}

/* ---- one byte
 * -------------------------------------------------------------------------------------- */

bool thread_step(struct thread_set *set, uint32_t index, unsigned char byte)
{
    const struct decode_language *language = set->language;
    struct thread *thread = &set->threads[index];
    while (thread->depth > 0) {
        enum leaf_step step = LEAF_REFUSED;
        enum frame_kind kind = (enum frame_kind)thread_top(thread)->kind;
        switch (kind) {
        case FRAME_VALUE: return step_value(set, index, byte);
        case FRAME_LITERAL: step = step_literal(language, thread, byte); break;
        case FRAME_STRING: step = step_string(language, thread, byte); break;
        case FRAME_NUMBER: step = step_number(language, thread, byte); break;
        case FRAME_ARRAY: step = step_array(language, thread, byte); break;
        case FRAME_OBJECT: step = step_object(set, index, byte); break;
        }
        if (step == LEAF_REFUSED)
            return false;
        bool popped = step == LEAF_DONE || (step == LEAF_PASS && kind != FRAME_ARRAY);
        if (popped)
            thread_pop(language, thread);
        if (step != LEAF_PASS)
            return true;
    }
    return false;
}

bool thread_is_complete(const struct decode_language *language, const struct thread *thread)
{
    if (thread->depth != 1)
        return thread->depth == 0;
    const struct frame *frame = thread_top_const(thread);
    const struct alt *alt = frame->kind == FRAME_VALUE ? NULL : frame_alt(language, frame);
    if (frame->kind == FRAME_NUMBER)
        return number_is_complete(&alt->of.number, &frame->of.number);
    if (frame->kind != FRAME_LITERAL || frame->of.literal.depth == 0)
        return false;
    return alt->of.literals.items[frame->of.literal.lo].text.len == frame->of.literal.depth;
}

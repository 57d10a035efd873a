/* closing.c - the shortest text that completes a thread, and its length without writing it.
 *
 * Owns the choice of the cheapest way on from every kind of frame. Lengths come from the sizes of
 * the language in constant time where they are exact; where different items or more members are
 * still owed, the text is written (to nowhere) to be counted. Invariant: one byte along the closing
 * text leaves a closing text that is at least one byte shorter.
 */
#include "base/features.h"

#include "decode/thread.h"

struct closing {
    const struct decode_language *language;
    struct buffer *out; /* may be NULL */
    size_t len;
};

static void closing_put(struct closing *closing, struct str text)
{
    if (closing->out != NULL)
        buffer_append_str(closing->out, text);
    closing->len += text.len;
}

/* ---- leaves
 * ---------------------------------------------------------------------------------------- */

uint32_t literal_shortest(const struct decode_language *language, const struct thread *thread,
                          const struct literals_alt *literals, uint32_t lo, uint32_t hi)
{
    struct taken taken = { language, thread };
    bool excludes = thread_top_excludes(language, thread);
    uint32_t best = RULE_NONE;
    for (uint32_t i = lo; i < hi; i++) {
        if (excludes && thread_is_taken(&taken, literals->items[i].hash))
            continue;
        if (best == RULE_NONE || literals->items[i].text.len < literals->items[best].text.len)
            best = i;
    }
    return best;
}

static size_t number_closing(const struct decode_language *language, const struct thread *thread,
                             char text[NUMBER_TEXT_MAX])
{
    const struct frame *frame = thread_top_const(thread);
    struct taken taken = { language, thread };
    bool excludes = thread_top_excludes(language, thread);
    return number_close(&frame_alt(language, frame)->of.number, &frame->of.number,
                        excludes ? thread_is_taken : NULL, &taken, text);
}

static size_t literal_closing(const struct decode_language *language, const struct thread *thread,
                              uint32_t *out_index)
{
    const struct frame *frame = thread_top_const(thread);
    const struct literals_alt *literals = &frame_alt(language, frame)->of.literals;
    *out_index =
        literal_shortest(language, thread, literals, frame->of.literal.lo, frame->of.literal.hi);
    return *out_index == RULE_NONE ? SIZE_MAX
                                   : literals->items[*out_index].text.len - frame->of.literal.depth;
}

/* ---- values
 * ---------------------------------------------------------------------------------------- */

/* Bytes of the alternative's shortest text here, SIZE_MAX if none is left. */
static size_t alt_closing(const struct decode_language *language, const struct thread *thread,
                          uint32_t alt)
{
    struct thread probe;
    uint32_t index;
    char text[NUMBER_TEXT_MAX];
    thread_copy(&probe, thread);
    if (!thread_open(language, &probe, alt))
        return SIZE_MAX;
    switch (language->alts[alt].kind) {
    case ALT_LITERALS: return literal_closing(language, &probe, &index);
    case ALT_STRING: return string_close(language, &probe, NULL, NULL);
    case ALT_NUMBER: return number_closing(language, &probe, text);
    case ALT_ARRAY:
    case ALT_OBJECT: return language->alts[alt].min_bytes;
    }
    return SIZE_MAX;
}

/* The alternative that closing takes for the value on top, or RULE_NONE. */
static uint32_t value_choice(const struct decode_language *language, const struct thread *thread,
                             size_t *out_bytes)
{
    const struct rule *rule = &language->rules[thread_top_const(thread)->index];
    *out_bytes = rule->min_bytes;
    if (!thread_top_excludes(language, thread))
        return rule->min_alt;
    uint32_t best = RULE_NONE;
    *out_bytes = SIZE_MAX;
    for (uint32_t i = 0; i < rule->alt_count; i++) {
        size_t bytes = alt_closing(language, thread, rule->alts[i]);
        if (bytes < *out_bytes) {
            *out_bytes = bytes;
            best = rule->alts[i];
        }
    }
    return best;
}

bool thread_value_exists(const struct decode_language *language, const struct thread *thread)
{
    size_t bytes;
    return value_choice(language, thread, &bytes) != RULE_NONE;
}

/* ---- members
 * --------------------------------------------------------------------------------------- */

static bool object_owes_more(const struct object_alt *object, const struct frame *frame)
{
    return frame->of.object.written + object->tail_required[frame->of.object.next] <
           object->min_members;
}

/* From the first byte of the key on, without a comma before it. */
static uint64_t member_cost(const struct decode_language *language, const struct object_alt *object,
                            uint32_t member)
{
    return object->members[member].key.len +
           (uint64_t)language->rules[object->members[member].rule].min_bytes +
           object->tail_bytes[member + 1] + 1;
}

/* The cheapest member that may be written and whose key begins with `typed`, or RULE_NONE. */
static uint32_t member_cheapest(const struct decode_language *language, const struct thread *thread,
                                struct str typed, uint64_t *out_cost)
{
    const struct frame *frame = thread_top_const(thread);
    const struct object_alt *object = &frame_alt(language, frame)->of.object;
    uint32_t best = RULE_NONE;
    *out_cost = UINT64_MAX;
    if (object->member_count == 0)
        return best;
    uint32_t last = object_last_candidate(object, frame);
    for (uint32_t i = frame->of.object.next; i <= last; i++) {
        if (!str_starts_with(object->members[i].key, typed) ||
            !object_may_write(language, thread, i))
            continue;
        uint64_t cost = member_cost(language, object, i);
        if (cost < *out_cost) {
            *out_cost = cost;
            best = i;
        }
    }
    return best;
}

/* The member that closing writes next; RULE_NONE: a free one. */
static uint32_t member_choice(const struct decode_language *language, const struct thread *thread,
                              struct str typed)
{
    const struct frame *frame = thread_top_const(thread);
    const struct object_alt *object = &frame_alt(language, frame)->of.object;
    uint64_t cost;
    if (!object_owes_more(object, frame))
        return member_cheapest(language, thread, typed, &cost);
    for (uint32_t i = frame->of.object.next; i < object->member_count; i++) {
        if (object_may_write(language, thread, i)) {
            if (str_starts_with(object->members[i].key, typed))
                return i;
            break;
        }
    }
    return member_cheapest(language, thread, typed, &cost);
}

/* ---- writing
 * --------------------------------------------------------------------------------------- */

static void close_number(struct closing *closing, struct thread *thread)
{
    struct frame *frame = thread_top(thread);
    char text[NUMBER_TEXT_MAX];
    size_t len = number_closing(closing->language, thread, text);
    if (len != SIZE_MAX) {
        for (size_t i = 0; i < len; i++)
            number_step(&frame_alt(closing->language, frame)->of.number, &frame->of.number,
                        (unsigned char)text[i]);
        closing_put(closing, str_of(text, len));
    }
    frame->hash = number_hash(&frame->of.number);
}

static void close_literal(struct closing *closing, struct thread *thread)
{
    struct frame *frame = thread_top(thread);
    const struct literals_alt *literals = &frame_alt(closing->language, frame)->of.literals;
    uint32_t index;
    size_t len = literal_closing(closing->language, thread, &index);
    if (len == SIZE_MAX)
        return;
    struct str text = literals->items[index].text;
    closing_put(closing, str_of(text.ptr + frame->of.literal.depth, len));
    frame->hash = literals->items[index].hash;
}

/* True when the array on top ended. */
static bool close_array(struct closing *closing, struct thread *thread)
{
    struct frame *frame = thread_top(thread);
    const struct array_alt *array = &frame_alt(closing->language, frame)->of.array;
    if (frame->phase == CONTAINER_OPEN) {
        closing_put(closing, STR("["));
        frame->phase = CONTAINER_BEGIN;
        return false;
    }
    bool first = frame->phase == CONTAINER_BEGIN;
    if (array_may_end(array, frame) || !thread_push_item(closing->language, thread)) {
        closing_put(closing, STR("]"));
        return true;
    }
    if (!first)
        closing_put(closing, STR(","));
    return false;
}

static void close_member(struct closing *closing, struct thread *thread)
{
    struct frame *frame = thread_top(thread);
    const struct object_alt *object = &frame_alt(closing->language, frame)->of.object;
    struct str typed = { NULL, 0 };
    if (frame->phase == CONTAINER_KEY)
        typed = str_of(object->members[frame->of.object.member].key.ptr, frame->of.object.depth);
    uint32_t member = member_choice(closing->language, thread, typed);
    if (member == RULE_NONE) {
        thread_push_extra_key(closing->language, thread);
        return;
    }
    struct str key = object->members[member].key;
    closing_put(closing, str_of(key.ptr + typed.len, key.len - typed.len));
    thread_push_member(closing->language, thread, member);
}

static bool close_object(struct closing *closing, struct thread *thread)
{
    struct frame *frame = thread_top(thread);
    const struct object_alt *object = &frame_alt(closing->language, frame)->of.object;
    switch ((enum container_phase)frame->phase) {
    case CONTAINER_OPEN:
        closing_put(closing, STR("{"));
        frame->phase = CONTAINER_BEGIN;
        return false;
    case CONTAINER_BEGIN:
    case CONTAINER_AFTER:
        if (object_may_end(object, frame)) {
            closing_put(closing, STR("}"));
            return true;
        }
        if (frame->phase == CONTAINER_AFTER)
            closing_put(closing, STR(","));
        close_member(closing, thread);
        return false;
    case CONTAINER_NEXT:
    case CONTAINER_KEY: close_member(closing, thread); return false;
    case CONTAINER_COLON:
        closing_put(closing, STR(":"));
        thread_push_extra_value(closing->language, thread);
        return false;
    case CONTAINER_INSIDE:
    case CONTAINER_EXTRA_KEY: return true;
    }
    return true;
}

/* Does the next thing that closes the frame on top. */
static void close_top(struct closing *closing, struct thread *thread)
{
    const struct decode_language *language = closing->language;
    struct frame *frame = thread_top(thread);
    bool done = true;
    size_t bytes;
    switch ((enum frame_kind)frame->kind) {
    case FRAME_VALUE:
        done = !thread_open(language, thread, value_choice(language, thread, &bytes));
        break;
    case FRAME_LITERAL: close_literal(closing, thread); break;
    case FRAME_STRING:
        closing->len += string_close(language, thread, closing->out, &frame->hash);
        break;
    case FRAME_NUMBER: close_number(closing, thread); break;
    case FRAME_ARRAY: done = close_array(closing, thread); break;
    case FRAME_OBJECT: done = close_object(closing, thread); break;
    }
    if (done)
        thread_pop(language, thread);
}

static size_t close_all(const struct decode_language *language, const struct thread *thread,
                        struct buffer *out)
{
    struct closing closing = { language, out, 0 };
    struct thread copy;
    thread_copy(&copy, thread);
    while (copy.depth > 0)
        close_top(&closing, &copy);
    return closing.len;
}

void thread_closing(const struct decode_language *language, const struct thread *thread,
                    struct buffer *out)
{
    close_all(language, thread, out);
}

/* ---- counting
 * -------------------------------------------------------------------------------------- */

/* The static sizes do not cover what some frame still owes. */
static bool thread_needs_writing(const struct decode_language *language,
                                 const struct thread *thread)
{
    for (uint32_t i = 0; i < thread->depth; i++) {
        const struct frame *frame = &thread->frames[i];
        if (frame->kind == FRAME_ARRAY) {
            const struct array_alt *array = &frame_alt(language, frame)->of.array;
            if (array->unique && frame->of.array.count < array->min_items)
                return true;
        } else if (frame->kind == FRAME_OBJECT &&
                   object_owes_more(&frame_alt(language, frame)->of.object, frame)) {
            return true;
        }
    }
    return false;
}

static uint64_t array_top_bytes(const struct decode_language *language, const struct frame *frame)
{
    const struct array_alt *array = &frame_alt(language, frame)->of.array;
    uint32_t count = frame->of.array.count;
    if (frame->phase == CONTAINER_OPEN)
        return frame_alt(language, frame)->min_bytes;
    uint64_t bytes = 1;
    for (uint32_t i = count; i < array->min_items; i++) {
        bool prefix = i < array->prefix_count;
        uint64_t repeat = prefix ? 1 : array->min_items - i;
        bytes +=
            repeat *
            (1 + (uint64_t)language->rules[prefix ? array->prefix[i] : array->items].min_bytes);
        if (!prefix)
            break;
    }
    return bytes - (count == 0 && array->min_items > 0);
}

static uint64_t object_top_bytes(const struct decode_language *language,
                                 const struct thread *thread)
{
    const struct frame *frame = thread_top_const(thread);
    const struct object_alt *object = &frame_alt(language, frame)->of.object;
    const struct object_at *at = &frame->of.object;
    uint64_t cost;
    switch ((enum container_phase)frame->phase) {
    case CONTAINER_OPEN: return frame_alt(language, frame)->min_bytes;
    case CONTAINER_BEGIN:
        return object->tail_bytes[at->next] + 1 - (object->tail_bytes[at->next] > 0);
    case CONTAINER_AFTER: return object->tail_bytes[at->next] + 1;
    case CONTAINER_NEXT:
        return member_cheapest(language, thread, (struct str){ NULL, 0 }, &cost) == RULE_NONE
                   ? UINT64_MAX
                   : cost;
    case CONTAINER_KEY: {
        struct str typed = { object->members[at->member].key.ptr, at->depth };
        return member_cheapest(language, thread, typed, &cost) == RULE_NONE ? UINT64_MAX
                                                                            : cost - typed.len;
    }
    case CONTAINER_COLON:
        return 1 + (uint64_t)language->rules[object->extra_rule].min_bytes +
               object->tail_bytes[at->next] + 1;
    case CONTAINER_INSIDE:
    case CONTAINER_EXTRA_KEY: return UINT64_MAX;
    }
    return UINT64_MAX;
}

size_t thread_closing_bytes(const struct decode_language *language, const struct thread *thread)
{
    if (thread->depth == 0)
        return 0;
    if (thread_needs_writing(language, thread))
        return close_all(language, thread, NULL);
    const struct frame *frame = thread_top_const(thread);
    uint64_t bytes = UINT64_MAX;
    char text[NUMBER_TEXT_MAX];
    uint32_t index;
    size_t value;
    switch ((enum frame_kind)frame->kind) {
    case FRAME_VALUE:
        bytes = value_choice(language, thread, &value) == RULE_NONE ? UINT64_MAX : value;
        break;
    case FRAME_LITERAL: bytes = literal_closing(language, thread, &index); break;
    case FRAME_STRING: bytes = string_close(language, thread, NULL, NULL); break;
    case FRAME_NUMBER: bytes = number_closing(language, thread, text); break;
    case FRAME_ARRAY: bytes = array_top_bytes(language, frame); break;
    case FRAME_OBJECT: bytes = object_top_bytes(language, thread); break;
    }
    return bytes == UINT64_MAX ? close_all(language, thread, NULL) : (size_t)(bytes + frame->after);
}

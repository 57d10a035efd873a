/* backtrack.c - matching with back-references: one way after another, as ECMA-262 describes it.
 *
 * Owns: the stack of what is to be tried or undone. Leaves to others: every pattern that an
 * automaton can match. Invariant: the steps and the stack are bounded; when either ends, so does
 * the search, without a verdict.
 */
#include "base/features.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "regex/program.h"
#include "regex/unicode.h"

enum frame_kind {
    FRAME_BRANCH, /* go on at op `index` and at this place */
    FRAME_SLOT,   /* slot `index` had this place */
    FRAME_LOOK    /* the lookaround at op `index` began here; the frame of the one around it */
};

struct frame {
    uint32_t kind; /* enum frame_kind */
    uint32_t index;
    size_t place;
    size_t around;
};

#define PLACE_NONE SIZE_MAX
enum { FRAMES_MIN = 64 };

struct search {
    const struct regex *regex;
    const struct alloc *alloc;
    struct str text;
    size_t *slots;
    struct frame *frames;
    size_t count;
    size_t cap;
    size_t look; /* frame of the lookaround that is tried, PLACE_NONE */
    uint32_t op;
    size_t at;
    uint64_t steps;
    enum status status;
};

static void search_push(struct search *search, struct frame frame)
{
    if (search->count == LIMIT_REGEX_FRAMES) {
        search->status = STATUS_UNSUPPORTED;
        return;
    }
    if (search->count == search->cap) {
        size_t cap = search->cap == 0 ? FRAMES_MIN : search->cap * 2;
        struct frame *frames = alloc_grow(search->alloc, search->frames,
                                          search->cap * sizeof(*frames), cap * sizeof(*frames));
        if (frames == NULL) {
            search->status = STATUS_NO_MEMORY;
            return;
        }
        search->frames = frames;
        search->cap = cap;
    }
    search->frames[search->count++] = frame;
}

static void search_set_slot(struct search *search, uint32_t slot, size_t place)
{
    if (search->slots[slot] == place)
        return;
    search_push(search, (struct frame){ FRAME_SLOT, slot, search->slots[slot], 0 });
    search->slots[slot] = place;
}

static bool place_is_word(struct str text, size_t at)
{
    return at < text.len && regex_byte_is_word((uint8_t)text.ptr[at]);
}

static bool search_on_edge(const struct search *search)
{
    bool before = search->at > 0 && place_is_word(search->text, search->at - 1);
    return before != place_is_word(search->text, search->at);
}

/* ---- back-references ------------------------------------------------------------------------- */

/* The code point before the place, whose bytes are returned. */
static unsigned code_point_before(struct str text, size_t at, uint32_t *out_code_point)
{
    unsigned len = 1;
    while (len < UTF8_SEQUENCE_BYTES_MAX && len < at &&
           ((uint8_t)text.ptr[at - len] & 0xC0) == 0x80)
        len++;
    return utf8_decode(text.ptr + at - len, len, out_code_point);
}

/* The group's code points, one by one, with those from the place on, or those before it. */
static bool reference_folds(struct search *search, size_t begin, size_t end, bool leftwards)
{
    struct str text = search->text;
    size_t at = search->at;
    while (begin < end) {
        uint32_t a = 0;
        uint32_t b = 0;
        if (leftwards ? at == 0 : at == text.len)
            return false;
        unsigned a_len = leftwards ? code_point_before(text, end, &a)
                                   : utf8_decode(text.ptr + begin, end - begin, &a);
        unsigned b_len = leftwards ? code_point_before(text, at, &b)
                                   : utf8_decode(text.ptr + at, text.len - at, &b);
        search->steps++;
        if (a_len == 0 || b_len == 0 || unicode_fold_of(a) != unicode_fold_of(b))
            return false;
        begin += leftwards ? 0 : a_len;
        end -= leftwards ? a_len : 0;
        at = leftwards ? at - b_len : at + b_len;
    }
    search->at = at;
    return true;
}

static bool search_reference(struct search *search, const struct regex_op *op)
{
    size_t begin = search->slots[op->x * 2];
    size_t end = search->slots[op->x * 2 + 1];
    bool leftwards = op->first != 0;
    if (begin == PLACE_NONE || end == PLACE_NONE || begin == end)
        return true;
    size_t len = end - begin;
    search->steps += len / 16;
    if (op->last != 0)
        return reference_folds(search, begin, end, leftwards);
    size_t room = leftwards ? search->at : search->text.len - search->at;
    size_t from = leftwards ? search->at - len : search->at;
    if (len > room || memcmp(search->text.ptr + begin, search->text.ptr + from, len) != 0)
        return false;
    search->at = leftwards ? from : from + len;
    return true;
}

/* ---- lookaround ------------------------------------------------------------------------------ */

static void search_enter_look(struct search *search, const struct regex_op *op)
{
    search_push(search, (struct frame){ FRAME_LOOK, search->op, search->at, search->look });
    search->look = search->count - 1;
    search->op = search->regex->looks[op->x].entry;
}

static bool frame_is_negative(const struct search *search, const struct frame *frame)
{
    return search->regex->looks[search->regex->ops[frame->index].x].is_negative;
}

/* What a lookaround looked for is there. True when the search goes on. */
static bool search_leave_look(struct search *search)
{
    size_t kept = search->look;
    struct frame look = search->frames[kept];
    bool is_negative = frame_is_negative(search, &look);
    search->look = look.around;
    search->steps += search->count - kept;
    if (is_negative) {
        for (; search->count > kept; search->count--) {
            const struct frame *frame = &search->frames[search->count - 1];
            if (frame->kind == FRAME_SLOT)
                search->slots[frame->index] = frame->place;
        }
        return false;
    }
    /* It is not tried in another way, but its groups are to be undone with what is before it. */
    for (size_t i = kept + 1; i < search->count; i++)
        if (search->frames[i].kind == FRAME_SLOT)
            search->frames[kept++] = search->frames[i];
    search->count = kept;
    search->at = look.place;
    search->op = look.index + 1;
    return true;
}

/* ---- the search ------------------------------------------------------------------------------ */

/* Goes on with what was put aside last. False when there is nothing left. */
static bool search_back(struct search *search)
{
    while (search->count > 0) {
        struct frame frame = search->frames[--search->count];
        search->steps++;
        if (frame.kind == FRAME_SLOT) {
            search->slots[frame.index] = frame.place;
            continue;
        }
        search->at = frame.place;
        search->op = frame.index;
        if (frame.kind == FRAME_BRANCH)
            return true;
        search->look = frame.around;
        search->op++;
        if (frame_is_negative(search, &frame))
            return true;
    }
    return false;
}

static bool search_take(struct search *search, const struct regex_op *op)
{
    bool leftwards = op->opcode == REGEX_RANGE ? op->x != 0 : op->first != 0;
    if (leftwards ? search->at == 0 : search->at == search->text.len)
        return false;
    size_t at = leftwards ? search->at - 1 : search->at;
    if (!regex_op_takes(search->regex, op, (uint8_t)search->text.ptr[at]))
        return false;
    search->at = leftwards ? at : at + 1;
    return true;
}

static void search_split(struct search *search, const struct regex_op *op)
{
    uint32_t next = search->op + 1;
    uint32_t jump = (uint32_t)((int32_t)search->op + op->x);
    bool prefers_jump = op->first != 0;
    search_push(search, (struct frame){ FRAME_BRANCH, prefers_jump ? next : jump, search->at, 0 });
    search->op = prefers_jump ? jump : next;
}

static void search_reset(struct search *search, const struct regex_op *op)
{
    uint32_t first = (uint32_t)op->x / REGEX_GROUPS;
    uint32_t last = (uint32_t)op->x % REGEX_GROUPS;
    search->steps += last - first;
    for (uint32_t slot = first * 2; slot < last * 2; slot++)
        search_set_slot(search, slot, PLACE_NONE);
}

/* One instruction. False when this way leads nowhere. */
static bool search_step(struct search *search)
{
    const struct regex_op *op = &search->regex->ops[search->op];
    bool goes_on = true;
    switch ((enum regex_opcode)op->opcode) {
    case REGEX_RANGE:
    case REGEX_SET: goes_on = search_take(search, op); break;
    case REGEX_SPLIT: search_split(search, op); return true;
    case REGEX_JUMP: search->op = (uint32_t)((int32_t)search->op + op->x); return true;
    case REGEX_START: goes_on = search->at == 0; break;
    case REGEX_END: goes_on = search->at == search->text.len; break;
    case REGEX_WORD: goes_on = search_on_edge(search); break;
    case REGEX_NOT_WORD: goes_on = !search_on_edge(search); break;
    case REGEX_LOOK: search_enter_look(search, op); return true;
    case REGEX_MATCH: return search_leave_look(search);
    case REGEX_SAVE: search_set_slot(search, (uint32_t)op->x, search->at); break;
    case REGEX_PROGRESS: goes_on = search->slots[op->x] != search->at; break;
    case REGEX_RESET: search_reset(search, op); break;
    case REGEX_REFERENCE: goes_on = search_reference(search, op); break;
    }
    search->op++;
    return goes_on;
}

/* Whether a match begins at the place. */
static bool search_from(struct search *search, size_t begin, uint64_t steps)
{
    search->at = begin;
    search->op = search->regex->entry;
    search->count = 0;
    search->look = PLACE_NONE;
    for (size_t i = 0; i < search->regex->slot_count; i++)
        search->slots[i] = PLACE_NONE;
    search->steps += search->regex->slot_count / 4;
    while (search->status == STATUS_OK) {
        if (search->look == PLACE_NONE && search->regex->ops[search->op].opcode == REGEX_MATCH)
            return true;
        if (++search->steps > steps)
            search->status = STATUS_UNSUPPORTED;
        else if (!search_step(search) && !search_back(search))
            return false;
    }
    return false;
}

enum status regex_backtrack(const struct regex *regex, struct str text, const struct alloc *alloc,
                            uint64_t *steps, bool *out_matches)
{
    size_t slot_bytes = regex->slot_count * sizeof(size_t);
    struct search search = { .regex = regex, .alloc = alloc, .text = text };
    bool matches = false;
    search.slots = alloc_get(alloc, slot_bytes);
    if (search.slots == NULL)
        return STATUS_NO_MEMORY;
    size_t last = regex->is_anchored ? 0 : text.len;
    for (size_t at = 0; at <= last && !matches && search.status == STATUS_OK; at++) {
        bool is_inside = at < text.len && ((uint8_t)text.ptr[at] & 0xC0) == 0x80;
        if (!is_inside)
            matches = search_from(&search, at, *steps);
    }
    *steps = *steps > search.steps ? *steps - search.steps : 0;
    alloc_free(alloc, search.frames, search.cap * sizeof(*search.frames));
    alloc_free(alloc, search.slots, slot_bytes);
    if (search.status == STATUS_OK)
        *out_matches = matches;
    return search.status;
}

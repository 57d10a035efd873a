/* equal.c - equality of values as JSON Schema defines it, and a hash that agrees with it.
 *
 * Numbers are compared by their exact value, objects without regard to order. Most equal values
 * have their members in the same order: those are decided by one walk over both node arrays. Only
 * when names differ in order, members are searched, with sorted references in large objects, so
 * that the work stays O(n log n). Neither recursion nor, for hashing, memory.
 */
#include "base/features.h"

#include "base/checked.h"
#include "base/hash.h"
#include "base/limits.h"
#include "json/member.h"

enum { MEMBERS_LINEAR_MAX = 16, EQUAL_FRAMES_MIN = 32, BYTES_PER_STEP = 64 };

enum verdict { VERDICT_EQUAL, VERDICT_DIFFERENT, VERDICT_OPEN };

/* False when the budget is used up, which leaves 0 in it. */
static bool budget_take(uint64_t *budget, uint64_t steps)
{
    if (*budget <= steps) {
        *budget = 0;
        return false;
    }
    *budget -= steps;
    return true;
}

static bool is_container(struct json value)
{
    return json_type(value) == JSON_ARRAY || json_type(value) == JSON_OBJECT;
}

/* All but the children of containers. */
static bool shallow_equal(struct json a, struct json b)
{
    if (json_type(a) != json_type(b))
        return false;
    switch (json_type(a)) {
    case JSON_NULL:
    case JSON_FALSE:
    case JSON_TRUE: return true;
    case JSON_STRING: return str_equal(json_string(a), json_string(b));
    case JSON_ARRAY:
    case JSON_OBJECT: return json_count(a) == json_count(b);
    case JSON_NUMBER: break;
    }
    if (str_equal(json_number_text(a), json_number_text(b)))
        return true;
    struct decimal left = json_number(a);
    struct decimal right = json_number(b);
    return decimal_compare(&left, &right) == 0;
}

static uint64_t shallow_steps(struct json value)
{
    return 1 + (is_container(value) ? 0 : value.node->length / BYTES_PER_STEP);
}

/* One walk over both; open when an object of b has its members in another order, or other members.
 */
static enum verdict equal_in_order(struct json a, struct json b, uint64_t *budget)
{
    const struct json_node *end = json_node_after(a.node);
    for (; a.node < end; a.node++, b.node++) {
        if (!budget_take(budget, shallow_steps(a)))
            return VERDICT_DIFFERENT;
        if (json_node_type(a.node) != JSON_NODE_NAME) {
            if (!shallow_equal(a, b))
                return VERDICT_DIFFERENT;
        } else if (!str_equal(json_node_text(a.doc, a.node), json_node_text(b.doc, b.node))) {
            return VERDICT_OPEN;
        }
    }
    return VERDICT_EQUAL;
}

/* ---- members in another order ---------------------------------------------------------------- */

struct equal_frame {
    struct json a; /* containers of the same type and count */
    struct json b;
    struct json next_a; /* the child to compare next, and where it is most likely in b */
    struct json next_b;
    struct member_ref *refs; /* of b, once a member was not where it was expected, or NULL */
};

struct equal_stack {
    const struct alloc *alloc;
    struct equal_frame *frames;
    size_t count;
    size_t cap;
};

static void equal_pop(struct equal_stack *stack)
{
    struct equal_frame *frame = &stack->frames[--stack->count];
    alloc_free(stack->alloc, frame->refs, json_count(frame->b) * sizeof(*frame->refs));
}

static bool equal_push(struct equal_stack *stack, struct json a, struct json b)
{
    if (stack->count == stack->cap) {
        size_t cap = stack->cap == 0 ? EQUAL_FRAMES_MIN : stack->cap * 2;
        size_t size = sizeof(*stack->frames);
        void *frames = alloc_grow(stack->alloc, stack->frames, stack->cap * size, cap * size);
        if (frames == NULL)
            return false;
        stack->frames = frames;
        stack->cap = cap;
    }
    stack->frames[stack->count++] =
        (struct equal_frame){ a, b, json_first(a), json_first(b), NULL };
    return true;
}

/* Looks the member up in a sorted table of the names of b. */
static bool member_search(struct equal_stack *stack, struct equal_frame *frame,
                          struct json *out_value, uint64_t *budget)
{
    uint32_t count = json_count(frame->b);
    if (frame->refs == NULL) {
        if (!budget_take(budget, (uint64_t)count * 4))
            return false;
        frame->refs = alloc_get(stack->alloc, count * sizeof(*frame->refs));
        if (frame->refs == NULL) {
            *budget = 0;
            return false;
        }
        member_refs_fill(frame->refs, frame->b);
        member_refs_sort(frame->refs, count);
    }
    const struct member_ref *ref = member_refs_find(
        frame->refs, count, json_member_name(frame->next_a), json_member_hash(frame->next_a));
    if (ref == NULL)
        return false;
    *out_value = (struct json){ frame->b.doc, frame->b.node + ref->place + 1 };
    return true;
}

/* The member of b that has the name of the next member of a. */
static bool equal_partner(struct equal_stack *stack, struct equal_frame *frame,
                          struct json *out_value, uint64_t *budget)
{
    *out_value = frame->next_b;
    if (json_type(frame->a) == JSON_ARRAY)
        return true;
    struct str name = json_member_name(frame->next_a);
    if (json_exists(frame->next_b) && str_equal(json_member_name(frame->next_b), name))
        return true;
    if (json_count(frame->b) > MEMBERS_LINEAR_MAX)
        return member_search(stack, frame, out_value, budget);
    *out_value = json_get(frame->b, name);
    return json_exists(*out_value) && budget_take(budget, json_count(frame->b));
}

/* Compares the next child of the innermost pair of containers. False when the values differ, or
 * when the budget or memory is used up. */
static bool equal_step(struct equal_stack *stack, uint64_t *budget)
{
    struct equal_frame *frame = &stack->frames[stack->count - 1];
    if (!json_exists(frame->next_a)) {
        equal_pop(stack);
        return true;
    }
    struct json a = frame->next_a;
    struct json b;
    if (!budget_take(budget, shallow_steps(a)) || !equal_partner(stack, frame, &b, budget) ||
        !shallow_equal(a, b))
        return false;
    frame->next_a = json_next(a, frame->a);
    frame->next_b = json_next(b, frame->b);
    if (is_container(a) && !equal_push(stack, a, b)) {
        *budget = 0;
        return false;
    }
    return true;
}

bool json_equal(struct json a, struct json b, uint64_t *budget)
{
    enum verdict verdict = equal_in_order(a, b, budget);
    if (verdict != VERDICT_OPEN)
        return verdict == VERDICT_EQUAL;
    struct equal_stack stack = { .alloc = &a.doc->alloc };
    bool is_equal = equal_push(&stack, a, b);
    if (!is_equal)
        *budget = 0;
    while (is_equal && stack.count > 0)
        is_equal = equal_step(&stack, budget);
    while (stack.count > 0)
        equal_pop(&stack);
    alloc_free(stack.alloc, stack.frames, stack.cap * sizeof(*stack.frames));
    return is_equal;
}

/* ---- hash ------------------------------------------------------------------------------------ */

/* Containers that are nested deeper than this below the value are told apart by type and count
 * only. */
enum { HASH_DEPTH_MAX = 64 };

struct hash_frame {
    struct json container;
    struct json next;
    uint64_t sum;
};

static uint64_t hash_two(uint64_t a, uint64_t b, uint64_t seed)
{
    const uint64_t words[2] = { a, b };
    return hash_bytes(words, sizeof(words), seed);
}

/* A leaf, or what a container shows without its children. */
static uint64_t hash_shallow(struct json value, uint64_t seed)
{
    switch (json_type(value)) {
    case JSON_NUMBER: {
        struct decimal number = json_number(value);
        return decimal_hash(&number, seed);
    }
    case JSON_STRING: {
        struct str text = json_string(value);
        return hash_bytes(text.ptr, text.len, seed ^ JSON_STRING);
    }
    case JSON_NULL:
    case JSON_FALSE:
    case JSON_TRUE:
    case JSON_ARRAY:
    case JSON_OBJECT: break;
    }
    return hash_two(json_type(value), json_count(value), seed);
}

/* Adds a child of the container: items in order, members without. */
static void hash_add(struct hash_frame *frame, struct json child, uint64_t hash, uint64_t seed)
{
    if (json_type(frame->container) == JSON_OBJECT)
        frame->sum += hash_two(json_member_hash(child), hash, seed);
    else
        frame->sum = hash_two(frame->sum, hash, seed);
}

uint64_t json_hash(struct json value, uint64_t seed)
{
    struct hash_frame frames[HASH_DEPTH_MAX];
    size_t depth = 0;
    struct json current = value;
    for (;;) {
        uint64_t hash = hash_shallow(current, seed);
        if (json_count(current) > 0 && depth < HASH_DEPTH_MAX) {
            frames[depth++] = (struct hash_frame){ current, json_first(current), hash };
            current = json_first(current);
            continue;
        }
        for (;;) {
            if (depth == 0)
                return hash;
            struct hash_frame *frame = &frames[depth - 1];
            hash_add(frame, frame->next, hash, seed);
            frame->next = json_next(frame->next, frame->container);
            if (json_exists(frame->next)) {
                current = frame->next;
                break;
            }
            hash = frame->sum;
            depth--;
        }
    }
}

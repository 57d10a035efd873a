/* push.c - judging a text while it arrives: the walk over what a chunk has brought. See push.h.
 *
 * Owns: the levels, one for each open container, and when a value begins and ends. Leaves to
 * others: what the schema asks of it (push_task.c), the last verdict (validate.c). Invariant: each
 * node of the document is passed once, so that work grows with the text whatever the chunks are.
 */
#include "base/features.h"

#include "schema/push.h"

#include "base/limits.h"
#include "schema/push_task.h"
#include "schema/validate.h"

enum {
    PUSH_STEPS_PER_BYTE = 64,
    PUSH_STEPS_FIRST = 65536,
    PUSH_ITEMS_MIN = 16,
    PUSH_POINTER_BYTES = 64 * 1024
};

/* ---- life cycle ------------------------------------------------------------------------------ */

bool push_reserve(struct schema_push *push, void **items, uint32_t count, uint32_t *capacity,
                  size_t size)
{
    if (count < *capacity)
        return true;
    uint32_t wanted = *capacity == 0 ? PUSH_ITEMS_MIN : *capacity * 2;
    void *grown = alloc_grow(&push->alloc, *items, *capacity * size, wanted * size);
    if (grown == NULL) {
        push->status = STATUS_NO_MEMORY;
        return false;
    }
    *items = grown;
    *capacity = wanted;
    return true;
}

/* Level 0, whose only child is the root value with its one task. */
static bool push_start(struct schema_push *push)
{
    if (!push_reserve(push, (void **)&push->levels, 0, &push->level_capacity,
                      sizeof(*push->levels)) ||
        !push_reserve(push, (void **)&push->branches, 0, &push->branch_capacity,
                      sizeof(*push->branches)))
        return false;
    push->levels[push->level_count++] =
        (struct push_level){ .container = JSON_PARTIAL_NONE, .is_begun = true };
    push->branches[push->branch_count++] = (struct push_branch){ .is_dead = false };
    return push_add_task(push, 0, 0, 0);
}

enum status schema_push_new(const struct schema_program *program, const struct json_options *json,
                            uint64_t steps_max, const struct alloc *alloc,
                            struct schema_push **out_push)
{
    struct schema_push *push = alloc_get(alloc, sizeof(*push));
    if (push == NULL)
        return STATUS_NO_MEMORY;
    *push = (struct schema_push){ .alloc = *alloc, .program = program, .steps_max = steps_max };
    push->is_early = json == NULL || json->duplicates == JSON_DUPLICATES_REFUSE;
    buffer_init(&push->pointer, &push->alloc, PUSH_POINTER_BYTES);
    judge_init(&push->judge, program, PUSH_STEPS_FIRST, &push->alloc, NULL);
    if (json_parser_new(json, &push->alloc, &push->parser) != STATUS_OK || !push_start(push)) {
        schema_push_free(push);
        return STATUS_NO_MEMORY;
    }
    *out_push = push;
    return STATUS_OK;
}

void schema_push_free(struct schema_push *push)
{
    if (push == NULL)
        return;
    struct alloc alloc = push->alloc;
    judge_release(&push->judge);
    json_parser_free(push->parser);
    buffer_release(&push->pointer);
    alloc_free(&alloc, push->levels, push->level_capacity * sizeof(*push->levels));
    alloc_free(&alloc, push->tasks, push->task_capacity * sizeof(*push->tasks));
    alloc_free(&alloc, push->branches, push->branch_capacity * sizeof(*push->branches));
    alloc_free(&alloc, push->groups, push->group_capacity * sizeof(*push->groups));
    alloc_free(&alloc, push->opened, push->opened_capacity * sizeof(*push->opened));
    alloc_free(&alloc, push, sizeof(*push));
}

/* ---- the walk -------------------------------------------------------------------------------- */

static struct json push_node(const struct schema_push *push, uint32_t number)
{
    return (struct json){ push->text.doc, push->text.doc->nodes + number };
}

/* The child in progress is done with. */
static void level_next(struct schema_push *push, uint32_t cursor)
{
    struct push_level *level = push_top(push);
    push->task_count = level->task_first + level->task_count;
    level->cursor = cursor;
    level->child++;
    level->is_begun = false;
}

/* The child in progress is the open container of that number. */
static bool level_open(struct schema_push *push, uint32_t container)
{
    const struct push_level *outer = push_top(push);
    bool is_object = json_type(push_node(push, container)) == JSON_OBJECT;
    struct push_level level = { .container = container,
                                .cursor = container + 1,
                                .task_first = outer->task_first + outer->task_count,
                                .branch_count = push->branch_count,
                                .group_count = push->group_count,
                                .is_object = is_object };
    if (!push_reserve(push, (void **)&push->levels, push->level_count, &push->level_capacity,
                      sizeof(*push->levels)))
        return false;
    push->levels[push->level_count++] = level;
    push_open_tasks(push, is_object ? SCHEMA_OBJECT : SCHEMA_ARRAY);
    return push->status == STATUS_OK;
}

/* The tasks of the child in progress are made once: a member's when its name is there. */
static void level_begin_child(struct schema_push *push)
{
    struct push_level *level = push_top(push);
    if (level->is_begun)
        return;
    level->is_begun = true;
    if (level->is_object)
        push_begin_member(push, push_node(push, level->cursor));
    else
        push_begin_item(push);
}

/* Passes the children of the innermost level that lie before the node number end; stops at the one
 * that is the open container `open`. True when it came to that. */
static bool level_pass(struct schema_push *push, uint32_t end, uint32_t open)
{
    while (push_top(push)->cursor < end && !push->is_invalid) {
        level_begin_child(push);
        uint32_t value = push_top(push)->cursor + (push_top(push)->is_object ? 1 : 0);
        if (value == open)
            return true;
        if (value >= end)
            break; /* its name is there, its value is not */
        if (push->is_invalid)
            break;
        struct json child = push_node(push, value);
        push_judge_child(push, child);
        push_judge_twins(push, child);
        if (push->level_count == 1)
            push->is_judged = push->judge.status == STATUS_OK &&
                              (push->program->nodes[0].types & schema_type_of(child)) != 0;
        if (!push->is_invalid)
            level_next(push, (uint32_t)(json_node_after(child.node) - push->text.doc->nodes));
    }
    return false;
}

/* Ends the innermost level, whose container is complete. */
static void level_close(struct schema_push *push)
{
    struct push_level level = *push_top(push);
    struct json container = push_node(push, level.container);
    uint32_t end = level.container + container.node->aux;
    (void)level_pass(push, end, JSON_PARTIAL_NONE);
    if (push->is_invalid)
        return;
    push_judge_level(push, container);
    if (push->is_invalid)
        return;
    push->level_count--;
    push->branch_count = level.branch_count;
    push->group_count = level.group_count;
    push_judge_twins(push, container);
    if (!push->is_invalid)
        level_next(push, end);
}

/* ---- the value that is not complete ---------------------------------------------------------- */

static uint8_t token_types(char byte)
{
    switch (byte) {
    case '"': return SCHEMA_STRING;
    case 't':
    case 'f': return SCHEMA_BOOLEAN;
    case 'n': return SCHEMA_NULL;
    default: return byte == '-' || (byte >= '0' && byte <= '9') ? SCHEMA_NUMBER : SCHEMA_ANY;
    }
}

/* Code points of a string so far, at the least: an escape counts when its last byte is there, the
 * second half of a pair not at all. */
static void token_count(struct schema_push *push)
{
    struct str token = push->text.token;
    for (; push->token_scanned < token.len; push->token_scanned++) {
        const unsigned char byte = (unsigned char)token.ptr[push->token_scanned];
        const char *before = token.ptr + push->token_scanned - 1;
        if (push->escape_left == 0) {
            push->escape_left = byte == '\\' ? 1 : 0;
            push->is_low = false;
            push->token_points += byte != '\\' && (byte & 0xC0) != 0x80;
            continue;
        }
        push->escape_left--;
        if (*before == '\\' && push->escape_left == 0 && byte == 'u')
            push->escape_left = 4;
        else if (push->escape_left == 2)
            push->is_low = (before[0] == 'd' || before[0] == 'D') &&
                           ((byte | 0x20) >= 'c' && (byte | 0x20) <= 'f');
        push->token_points += push->escape_left == 0 && !push->is_low;
    }
}

static void push_look_at_token(struct schema_push *push)
{
    struct str token = push->text.token;
    level_begin_child(push);
    if (push->is_invalid)
        return;
    push_expect_types(push, token_types(token.ptr[0]));
    if (token.ptr[0] != '"' || push->is_invalid)
        return;
    size_t offset = (size_t)(token.ptr - push->text.doc->text);
    if (push->token_offset != offset || push->token_scanned == 0) {
        push->token_offset = offset;
        push->token_scanned = 1;
        push->token_points = 0;
        push->escape_left = 0;
    }
    token_count(push);
    push_expect_length(push, push->token_points);
}

/* ---- feeding --------------------------------------------------------------------------------- */

/* The innermost container that was open before this chunk and still is. Those that the chunk has
 * opened go to push->opened, from inside outwards, as the parser links them. */
static uint32_t push_kept(struct schema_push *push)
{
    uint32_t kept = push->text.container;
    push->opened_count = 0;
    while (kept != JSON_PARTIAL_NONE && kept >= push->nodes_seen) {
        if (!push_reserve(push, (void **)&push->opened, push->opened_count, &push->opened_capacity,
                          sizeof(*push->opened)))
            break;
        push->opened[push->opened_count++] = kept;
        kept = json_partial_outer(&push->text, kept);
    }
    return kept;
}

static void push_walk(struct schema_push *push)
{
    uint32_t kept = push_kept(push);
    while (push->status == STATUS_OK && !push->is_invalid && push_top(push)->container != kept)
        level_close(push);
    while (push->status == STATUS_OK && !push->is_invalid) {
        uint32_t left = push->opened_count;
        uint32_t open = left > 0 ? push->opened[left - 1] : JSON_PARTIAL_NONE;
        if (!level_pass(push, push->text.node_count, open) || !level_open(push, open))
            break;
        push->opened_count--;
    }
    if (push->status == STATUS_OK && !push->is_invalid && push->text.token.len > 0)
        push_look_at_token(push);
    push->nodes_seen = push->text.node_count;
}

/* Nodes may have moved, so nothing that the judge remembers of them holds any more. */
static void push_renew_judge(struct schema_push *push, size_t bytes)
{
    struct judge *judge = &push->judge;
    uint64_t steps = judge->steps + (uint64_t)bytes * PUSH_STEPS_PER_BYTE;
    judge_forget_verdicts(judge);
    if (judge->status == STATUS_UNSUPPORTED)
        judge->status = STATUS_OK;
    judge->steps = steps < LIMIT_VALIDATE_STEPS ? steps : LIMIT_VALIDATE_STEPS;
    judge->remember_below = judge->steps;
}

enum status schema_push_feed(struct schema_push *push, struct str chunk, bool *out_invalid,
                             struct error *error)
{
    enum status status = json_parser_feed(push->parser, chunk, error);
    if (status != STATUS_OK)
        return status;
    if (push->is_early && !push->is_invalid && push->status == STATUS_OK) {
        push_renew_judge(push, chunk.len);
        json_parser_look(push->parser, &push->text);
        if (push->text.doc != NULL)
            push_walk(push);
        if (push->judge.status == STATUS_NO_MEMORY)
            push->status = STATUS_NO_MEMORY;
    }
    if (push->status != STATUS_OK)
        return error_set(error, push->status, "out of memory");
    *out_invalid = push->is_invalid;
    return STATUS_OK;
}

enum status schema_push_finish(struct schema_push *push, bool *out_valid, struct json_doc **out_doc,
                               struct error *error)
{
    struct json_doc *doc = NULL;
    bool valid = push->is_judged && !push->is_invalid;
    enum status status = push->status;
    if (status != STATUS_OK)
        return error_set(error, status, "out of memory");
    status = json_parser_finish(push->parser, &doc, error);
    if (status == STATUS_OK && !push->is_judged && !push->is_invalid)
        status = schema_is_valid(push->program, json_doc_root(doc), push->steps_max, &push->alloc,
                                 &valid, error);
    if (status != STATUS_OK) {
        json_doc_free(doc);
        return status;
    }
    *out_doc = doc;
    *out_valid = valid;
    return STATUS_OK;
}

struct str schema_push_pointer(const struct schema_push *push)
{
    return buffer_view(&push->pointer);
}

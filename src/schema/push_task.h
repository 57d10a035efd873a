/* push_task.h - what the schema still asks of the values that are open. Private to push*.c.
 *
 * A task is a node applied to one value that is open, or that comes next. Tasks of one branch hold
 * together: when one fails the branch is dead. Branches of one group are alternatives: when the
 * last one is dead so is the branch that asked for the group. Branch 0 is the text itself.
 *
 * Invariant: a task that is left out (for want of room or steps) can only make a verdict come
 * later.
 */
#ifndef STRUCTURE_SCHEMA_PUSH_TASK_H
#define STRUCTURE_SCHEMA_PUSH_TASK_H

#include "base/buffer.h"
#include "json/partial.h"
#include "schema/judge.h"
#include "schema/push.h"

struct push_task {
    uint32_t node;  /* no alias */
    uint32_t scope; /* inside the node once its value is open, before that around it */
    uint32_t branch;
    uint32_t children_max; /* of the value, once it is open */
    bool is_unique;        /* its items must differ */
};

struct push_branch {
    uint32_t group; /* unused in branch 0 */
    bool is_dead;
};

struct push_group {
    uint32_t owner; /* branch */
    uint32_t alive; /* branches */
};

/* An open container. Level 0 stands around the root value. The tasks of the child in progress
 * follow those of the innermost level. */
struct push_level {
    uint32_t container; /* its node's number; JSON_PARTIAL_NONE in level 0 */
    uint32_t cursor;    /* of the child in progress: its name, else its value */
    uint32_t child;     /* its index */
    uint32_t task_first;
    uint32_t task_count;
    uint32_t branch_count; /* before the level */
    uint32_t group_count;
    bool is_object;
    bool is_begun;  /* the child's tasks are there */
    bool is_unique; /* some task has uniqueItems */
};

struct schema_push {
    struct alloc alloc;
    const struct schema_program *program;
    struct json_parser *parser;
    struct judge judge;
    uint64_t steps_max; /* of the last verdict */
    bool is_early;      /* verdicts before the end are possible */
    bool is_invalid;    /* certainly */
    bool is_judged;     /* the root value as a whole, and it is valid */
    enum status status; /* sticky: NO_MEMORY */
    struct json_partial text;
    uint32_t nodes_seen; /* node_count of the last view */

    struct push_level *levels;
    uint32_t level_count;
    uint32_t level_capacity;
    struct push_task *tasks;
    uint32_t task_count;
    uint32_t task_capacity;
    struct push_branch *branches;
    uint32_t branch_count;
    uint32_t branch_capacity;
    struct push_group *groups;
    uint32_t group_count;
    uint32_t group_capacity;

    uint32_t *opened; /* containers that the chunk has opened, from inside outwards */
    uint32_t opened_count;
    uint32_t opened_capacity;

    size_t token_offset;  /* of the string in progress */
    size_t token_scanned; /* its bytes whose code points are counted */
    uint32_t token_points;
    unsigned escape_left; /* bytes of the escape in progress that are not scanned */
    bool is_low;          /* that escape is the second half of a pair */

    struct buffer pointer;
};

static inline struct push_level *push_top(struct schema_push *push)
{
    return &push->levels[push->level_count - 1];
}

/* Tasks of the innermost level whose value has just been opened; value has that type bit. */
void push_open_tasks(struct schema_push *push, uint8_t bit);
/* Tasks of the next child of the innermost level. */
void push_begin_item(struct schema_push *push);
void push_begin_member(struct schema_push *push, struct json name);
/* The child in progress can only become a value of these types. */
void push_expect_types(struct schema_push *push, uint8_t types);
/* The child in progress is a string of at least that many code points. */
void push_expect_length(struct schema_push *push, uint32_t points);
/* The child in progress, complete. */
void push_judge_child(struct schema_push *push, struct json value);
/* The same, against the items before it where they must differ. */
void push_judge_twins(struct schema_push *push, struct json value);
/* The container of the innermost level, complete and with every child judged. */
void push_judge_level(struct schema_push *push, struct json value);

/* Room for one more item of an array, or false with the status. */
bool push_reserve(struct schema_push *push, void **items, uint32_t count, uint32_t *capacity,
                  size_t size);

bool push_add_task(struct schema_push *push, uint32_t node, uint32_t scope, uint32_t branch);

#endif

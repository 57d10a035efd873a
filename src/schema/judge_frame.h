/* judge_frame.h - what the files of the judge ask of each other. Private to judge*.c. */
#ifndef STRUCTURE_SCHEMA_JUDGE_FRAME_H
#define STRUCTURE_SCHEMA_JUDGE_FRAME_H

#include "schema/judge.h"

/* PENDING: the frame waits for another one, and is entered again at the same instruction. */
enum outcome { OUTCOME_INVALID, OUTCOME_VALID, OUTCOME_PENDING, OUTCOME_FAILED };

/* Marks are two words, how many children have none yet and the number of the collection, and a bit
 * for each child. */
enum { JUDGE_WORD_BITS = 64, JUDGE_MARKS_HEAD = 2 };

/* The node's type bits were tested before its instructions, so most `type` have nothing to add. */
static inline bool judge_is_tested(const struct schema_op *op)
{
    return op->opcode == SCHEMA_OP_TYPE && op->b == 0;
}

/* judge.c */
void judge_no_memory(struct judge *judge);
bool judge_exceeds(struct judge *judge, const char *what, int limit); /* false */

/* Doubles an array of items. NULL when memory is used up. */
void *judge_grow(struct judge *judge, void *items, uint32_t *capacity, uint32_t minimum,
                 size_t size);

/* The verdict if it takes no frame, else PENDING. node is no alias; scope is that inside it. */
enum outcome judge_now(struct judge *judge, uint32_t scope, uint32_t node, struct json value);

/* The verdict of another node: at once, or when the frame is entered again. */
enum outcome frame_child(struct judge *judge, struct judge_frame *frame, uint32_t node,
                         struct json value);

/* Zeroed words for that many bits at frame->word_first, until the frame ends. */
bool frame_reserve_words(struct judge *judge, struct judge_frame *frame, uint32_t bits);

static inline void frame_start(struct judge_frame *frame)
{
    if (frame->started)
        return;
    frame->started = true;
    frame->at = json_first(frame->value);
}

/* judge_memory.c */
bool judge_remembers(const struct judge *judge, uint32_t node);
enum outcome judge_recall(const struct judge *judge, uint32_t scope, uint32_t node,
                          struct json value);
void judge_remember(struct judge *judge, uint32_t scope, uint32_t node, struct json value,
                    bool valid);

/* False if that collection came to the node before. */
bool judge_visits_first(struct judge *judge, uint32_t scope, uint32_t node, struct json value,
                        uint32_t collection);
void judge_release_verdicts(struct judge *judge);

/* judge_apply.c: an instruction that judges other nodes. */
enum outcome frame_apply(struct judge *judge, struct judge_frame *frame);

/* judge_marks.c: which children of its value a node evaluates. */
bool frame_start_marks(struct judge *judge, struct judge_frame *frame);
enum outcome frame_unevaluated(struct judge *judge, struct judge_frame *frame);
enum outcome frame_collect(struct judge *judge, struct judge_frame *frame);

#endif

/* judge.h - the machine that says whether an instance value satisfies a node. Private to
 * src/schema.
 *
 * Owns: its frames, its memory of verdicts and its step budget. One judge serves one instance and
 * one call; judge_value may be asked again and again, and remembers. Not recursive: frames live on
 * the heap.
 *
 * A scope is a number for what the schema resources entered so far mean to dynamic references; 0 is
 * the scope in which nothing was entered. Whoever walks a program beside the judge keeps the scope
 * of each node it is in: judge_enter gives that of the next.
 */
#ifndef STRUCTURE_SCHEMA_JUDGE_H
#define STRUCTURE_SCHEMA_JUDGE_H

#include "base/status.h"
#include "schema/internal.h"

struct judge_verdict;

enum { JUDGE_FRAMES_INLINE = 8 };

/* One node applied to one instance value, with the place where it goes on. A frame that collects
 * marks which children of the value the node evaluates, in the words that `marks` points to. */
struct judge_frame {
    struct json value;
    struct json at; /* member or item in progress */
    const struct schema_op *op;
    const struct schema_op *end;
    uint64_t seen; /* required members that were seen, when they are few */
    uint32_t node;
    uint32_t index; /* child, item or pattern in progress */
    uint32_t count; /* of what was found valid; of required members not seen yet */
    uint32_t key;   /* of the member in progress */
    uint32_t word_first;
    uint32_t scope;
    uint32_t marks;
    uint8_t bit; /* type of the value */
    uint8_t phase;
    bool started;
    bool waiting;
    bool collects;
};

/* A frame asked for by the frame on top. */
struct judge_request {
    struct json value;
    uint32_t node;
    uint32_t scope;
    uint32_t marks;
    bool collects;
    bool skips_unevaluated; /* leaves out the last instructions, which apply to the rest */
};

/* An item of an array whose items are to differ. */
struct judge_item {
    uint32_t offset; /* nodes behind the array; 0: empty */
    uint32_t hash;
};

struct judge {
    const struct schema_program *program;
    const struct alloc *alloc;
    struct error *error;
    enum status status; /* sticky: NO_MEMORY or UNSUPPORTED */
    uint64_t steps;     /* left */
    uint64_t steps_max;
    uint64_t remember_below; /* verdicts of shared nodes are remembered once fewer steps are left */
    bool remembers_all;      /* of every node, from the first step on */

    struct judge_frame *frames;
    uint32_t frame_count;
    uint32_t frame_capacity;
    struct judge_request pending;
    bool result; /* of the frame that ended last */

    uint64_t *words; /* bits of frames: required members when they are many, marks */
    uint32_t word_count;
    uint32_t word_capacity;

    struct judge_verdict *verdicts; /* open addressing on (instance value, node, scope) */
    uint32_t verdict_count;
    uint32_t verdict_slots;
    uint32_t collections; /* so far */

    uint32_t *scope_words; /* judge_scope.c; NULL as long as nothing was entered */
    uint32_t scope_anchors;
    uint32_t scope_count;
    uint32_t scope_capacity; /* words */

    struct judge_item *items; /* table for uniqueItems */
    uint32_t item_slots;

    struct judge_frame inline_frames[JUDGE_FRAMES_INLINE]; /* as many as most instances need */

    size_t farthest; /* greatest offset of an instance value that failed; reset by the caller */
};

/* steps_max 0: the default. error may be NULL. */
void judge_init(struct judge *judge, const struct schema_program *program, uint64_t steps_max,
                const struct alloc *alloc, struct error *error);
void judge_release(struct judge *judge);

/* Remember every verdict from now on. */
void judge_remember_all(struct judge *judge);

/* Drops all verdicts, for a document whose nodes have moved. Scopes and the budget stay. */
void judge_forget_verdicts(struct judge *judge);

/* False also when the status is not OK. judge_value is judge_value_in of scope 0. */
bool judge_value(struct judge *judge, uint32_t node, struct json value);
bool judge_value_in(struct judge *judge, uint32_t scope, uint32_t node, struct json value);

/* The scope inside the node, when the schema that leads there is in `scope`. */
uint32_t judge_enter(struct judge *judge, uint32_t scope, uint32_t node);

/* The node that a dynamic reference leads to. */
uint32_t judge_dynamic_target(const struct judge *judge, uint32_t scope,
                              const struct schema_op *op);

/* Sets the bit of each child (member or item, by number) that the node evaluates in value, leaving
 * out its own unevaluatedItems and unevaluatedProperties; every other keyword of the node accepts
 * the value. `scope` is that inside the node. bits has room for all children and is zeroed. */
void judge_evaluated(struct judge *judge, uint32_t scope, uint32_t node, struct json value,
                     uint64_t *bits);

/* One instruction that judges no other node (its types include the value's). False also on
 * failure. */
bool judge_flat_op(struct judge *judge, const struct schema_op *op, struct json value);

/* Takes steps from the budget; when it is used up the status becomes UNSUPPORTED. */
bool judge_charge(struct judge *judge, uint64_t steps);

/* What an alternative's tag says of a value. */
enum judge_tag { JUDGE_TAG_NONE, JUDGE_TAG_FITS, JUDGE_TAG_DIFFERS };
enum judge_tag judge_tag_of(struct judge *judge, const struct schema_tag *tag, struct json value);

/* The member of that name; steps are charged. */
struct json judge_member(struct judge *judge, struct json object, struct str name);

/* Whether the pattern of that index is found in text; false with a status when that is not known.
 */
bool judge_finds(struct judge *judge, uint32_t pattern, struct str text);

/* Equality of an instance value or member name with another value. */
bool judge_equal(struct judge *judge, struct json a, struct json b);

/* Items with the same value: true and both when there are such. */
bool judge_find_twins(struct judge *judge, struct json array, struct json *out_first,
                      struct json *out_second);

#endif

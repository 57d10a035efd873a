/* tree.h - a pattern as it was read. Private to src/regex.
 *
 * Owns: the nodes. Node 0 is nobody's child. A tree that is muted keeps nothing: its pattern is
 * only checked. Failure is sticky, as in base/buffer.h.
 */
#ifndef STRUCTURE_REGEX_TREE_H
#define STRUCTURE_REGEX_TREE_H

#include "base/status.h"
#include "regex/charset.h"

enum tree_kind {
    TREE_ALTERNATIVES, /* of sequences */
    TREE_SEQUENCE,
    TREE_REPEAT,    /* the child, min to max times; min_capture..max_capture - 1 are inside */
    TREE_CAPTURE,   /* the child, as group a */
    TREE_LOOK,      /* lookahead, lookbehind */
    TREE_CHARACTER, /* the code point a */
    TREE_SET,       /* a code point of ranges a to a + b */
    TREE_REFERENCE, /* to group a */
    TREE_START,
    TREE_END,
    TREE_WORD,
    TREE_NOT_WORD
};

#define TREE_UNBOUNDED UINT32_MAX

struct tree_node {
    uint8_t kind; /* enum tree_kind */
    bool is_lazy;
    bool is_negative;
    bool is_behind;
    bool ignore_case;
    uint32_t first, last; /* children */
    uint32_t next, previous;
    uint32_t a, b; /* of repetitions: min and max */
    uint32_t min_capture, max_capture;
};

struct tree {
    const struct alloc *alloc;
    struct tree_node *nodes;
    uint32_t count;
    uint32_t cap;
    struct charset ranges; /* of all sets, one after another */
    uint32_t captures;     /* groups, from 1 on; 0 is the whole match */
    bool is_muted;
    bool has_word;
    bool has_look;
    bool has_lookbehind;
    bool has_reference;
    enum status status; /* OK, NO_MEMORY, or UNSUPPORTED: too many ranges */
};

void tree_init(struct tree *tree, const struct alloc *alloc, bool is_muted);
void tree_release(struct tree *tree);

/* A new node without place; 0 when muted or failed. */
uint32_t tree_add(struct tree *tree, enum tree_kind kind);
void tree_append(struct tree *tree, uint32_t parent, uint32_t child);

/* Makes the last child of parent the only child of wrapper, which takes its place. */
void tree_wrap_last(struct tree *tree, uint32_t parent, uint32_t wrapper);

/* A new set, or character if it has one member only. The charset must be normalised. */
uint32_t tree_add_set(struct tree *tree, const struct charset *set);

#endif

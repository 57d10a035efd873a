/* tree.c - building the tree of a pattern.
 *
 * Owns: the lists of children. Leaves to others: what is read (parse.c), what becomes of it
 * (write.c). Invariant: parents and children are linked both ways.
 */
#include "base/features.h"

#include "regex/tree.h"

#include "base/limits.h"

enum { TREE_NODES_MIN = 16 };

void tree_init(struct tree *tree, const struct alloc *alloc, bool is_muted)
{
    *tree = (struct tree){ .alloc = alloc, .is_muted = is_muted, .count = 1, .captures = 1 };
    charset_init(&tree->ranges, alloc);
}

void tree_release(struct tree *tree)
{
    alloc_free(tree->alloc, tree->nodes, tree->cap * sizeof(*tree->nodes));
    charset_release(&tree->ranges);
}

static bool tree_is_quiet(const struct tree *tree)
{
    return tree->is_muted || tree->status != STATUS_OK;
}

uint32_t tree_add(struct tree *tree, enum tree_kind kind)
{
    if (tree_is_quiet(tree))
        return 0;
    if (tree->count >= tree->cap) {
        uint32_t cap = tree->cap == 0 ? TREE_NODES_MIN : tree->cap * 2;
        struct tree_node *nodes =
            alloc_grow(tree->alloc, tree->nodes, tree->cap * sizeof(*nodes), cap * sizeof(*nodes));
        if (nodes == NULL) {
            tree->status = STATUS_NO_MEMORY;
            return 0;
        }
        tree->nodes = nodes;
        tree->cap = cap;
    }
    tree->nodes[tree->count] = (struct tree_node){ .kind = (uint8_t)kind };
    return tree->count++;
}

void tree_append(struct tree *tree, uint32_t parent, uint32_t child)
{
    if (tree_is_quiet(tree) || child == 0)
        return;
    struct tree_node *node = &tree->nodes[parent];
    tree->nodes[child].previous = node->last;
    if (node->last == 0)
        node->first = child;
    else
        tree->nodes[node->last].next = child;
    node->last = child;
}

void tree_wrap_last(struct tree *tree, uint32_t parent, uint32_t wrapper)
{
    if (tree_is_quiet(tree) || tree->nodes[parent].last == 0)
        return;
    struct tree_node *node = &tree->nodes[parent];
    uint32_t child = node->last;
    uint32_t before = tree->nodes[child].previous;
    node->last = before;
    if (before == 0)
        node->first = 0;
    else
        tree->nodes[before].next = 0;
    tree->nodes[child].previous = 0;
    tree_append(tree, wrapper, child);
    tree_append(tree, parent, wrapper);
}

uint32_t tree_add_set(struct tree *tree, const struct charset *set)
{
    if (set->failed && tree->status == STATUS_OK)
        tree->status = STATUS_NO_MEMORY;
    bool is_character = set->count == 1 && set->ranges[0].first == set->ranges[0].last;
    uint32_t index = tree_add(tree, is_character ? TREE_CHARACTER : TREE_SET);
    if (index == 0)
        return 0;
    struct tree_node *node = &tree->nodes[index];
    node->a = is_character ? set->ranges[0].first : (uint32_t)tree->ranges.count;
    node->b = (uint32_t)set->count;
    if (is_character)
        return index;
    if (set->count > LIMIT_REGEX_RANGES - tree->ranges.count) {
        tree->status = STATUS_UNSUPPORTED;
        return 0;
    }
    for (size_t i = 0; i < set->count; i++)
        charset_add(&tree->ranges, set->ranges[i].first, set->ranges[i].last);
    if (tree->ranges.failed)
        tree->status = STATUS_NO_MEMORY;
    return index;
}

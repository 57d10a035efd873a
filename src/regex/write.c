/* write.c - from the tree of a pattern to a program.
 *
 * Owns: the walk of the tree, direction by direction. Leaves to others: single instructions and
 * repetitions (builder.c), UTF-8 (encode.c). Invariant: a lookaround's instructions lie behind
 * those of the pattern and of what encloses it, and are written once.
 */
#include "base/features.h"

#include "regex/write.h"

#include "base/limits.h"

struct write_frame {
    uint32_t node;
    uint32_t child; /* the next one; 0 when all are written */
    uint32_t begin; /* its first instruction */
    uint32_t alternative;
    int32_t jumps;
};

struct writer {
    struct builder *builder;
    const struct tree *tree;
    enum write_mode mode;
    struct write_frame *frames;
    uint32_t count;
    uint32_t cap;
};

enum { WRITER_FRAMES_MIN = 32 };

static const struct tree_node *writer_node(const struct writer *writer, uint32_t node)
{
    return &writer->tree->nodes[node];
}

static void writer_push(struct writer *writer, uint32_t node)
{
    struct builder *builder = writer->builder;
    if (writer->count == writer->cap) {
        uint32_t cap = writer->cap == 0 ? WRITER_FRAMES_MIN : writer->cap * 2;
        struct write_frame *frames = alloc_grow(
            builder->alloc, writer->frames, writer->cap * sizeof(*frames), cap * sizeof(*frames));
        if (frames == NULL) {
            builder_fail(builder, STATUS_NO_MEMORY);
            return;
        }
        writer->frames = frames;
        writer->cap = cap;
    }
    const struct tree_node *at = writer_node(writer, node);
    bool is_reversed = at->kind == TREE_SEQUENCE && builder->leftwards;
    uint32_t begin = builder_count(builder);
    writer->frames[writer->count++] =
        (struct write_frame){ node, is_reversed ? at->last : at->first, begin, begin,
                              BUILDER_NONE };
}

/* ---- groups and loops of programs that backtrack --------------------------------------------- */

static void write_capture_edge(struct writer *writer, const struct tree_node *node, bool at_begin)
{
    struct builder *builder = writer->builder;
    if (writer->mode == WRITE_CAPTURES)
        builder_push(builder, REGEX_SAVE,
                     (int32_t)(node->a * 2 + (at_begin == builder->leftwards ? 1 : 0)));
}

/* A loop has a slot of its own, behind those of the groups. */
static void write_loop_begin(struct writer *writer, const struct tree_node *node)
{
    struct builder *builder = writer->builder;
    if (writer->mode != WRITE_CAPTURES)
        return;
    builder_push(builder, REGEX_SAVE, (int32_t)builder->regex->slot_count++);
    if (node->min_capture < node->max_capture)
        builder_push(builder, REGEX_RESET,
                     (int32_t)(node->min_capture * REGEX_GROUPS + node->max_capture));
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static void write_reference(struct builder *builder, const struct tree_node *node)
{
    builder_push(builder, REGEX_REFERENCE, (int32_t)node->a);
    if (builder->status != STATUS_OK)
        return;
    struct regex_op *op = &builder->regex->ops[builder->regex->op_count - 1];
    op->first = builder->leftwards;
    op->last = node->ignore_case;
}

/* A node with children begins, one without is written. */
static void write_enter(struct writer *writer, uint32_t index)
{
    struct builder *builder = writer->builder;
    const struct tree_node *node = writer_node(writer, index);
    const struct charset_range *ranges = writer->tree->ranges.ranges;
    switch ((enum tree_kind)node->kind) {
    case TREE_ALTERNATIVES:
    case TREE_SEQUENCE: writer_push(writer, index); return;
    case TREE_REPEAT:
        writer_push(writer, index);
        write_loop_begin(writer, node);
        return;
    case TREE_CAPTURE:
        writer_push(writer, index);
        write_capture_edge(writer, node, true);
        return;
    case TREE_LOOK:
        builder_add_look(builder, (struct regex_look){ .is_negative = node->is_negative,
                                                       .is_behind = node->is_behind,
                                                       .node = index });
        return;
    case TREE_CHARACTER: builder_code_point(builder, node->a); return;
    case TREE_SET: builder_ranges(builder, node->b == 0 ? NULL : &ranges[node->a], node->b); return;
    case TREE_REFERENCE: write_reference(builder, node); return;
    case TREE_START: builder_push(builder, REGEX_START, 0); return;
    case TREE_END: builder_push(builder, REGEX_END, 0); return;
    case TREE_WORD: builder_push(builder, REGEX_WORD, 0); return;
    case TREE_NOT_WORD: builder_push(builder, REGEX_NOT_WORD, 0); return;
    }
}

static void write_repeat(struct writer *writer, const struct tree_node *node, uint32_t begin)
{
    struct builder *builder = writer->builder;
    bool is_checked = writer->mode == WRITE_CAPTURES;
    if (is_checked && builder->status == STATUS_OK) {
        /* Loops inside have taken slots since: which one is this loop's stands in the program. */
        builder_push(builder, REGEX_PROGRESS, builder->regex->ops[begin].x);
    }
    builder_repeat(builder,
                   (struct builder_repeat){ begin, node->a, node->b, node->is_lazy, is_checked });
}

/* The children of the frame's node are written. */
static void write_leave(struct writer *writer, const struct write_frame *frame)
{
    const struct tree_node *node = writer_node(writer, frame->node);
    if (node->kind == TREE_ALTERNATIVES)
        builder_join(writer->builder, frame->jumps);
    else if (node->kind == TREE_REPEAT)
        write_repeat(writer, node, frame->begin);
    else if (node->kind == TREE_CAPTURE)
        write_capture_edge(writer, node, false);
}

static void write_body(struct writer *writer, uint32_t root, bool leftwards)
{
    struct builder *builder = writer->builder;
    builder->leftwards = leftwards;
    writer->count = 0;
    write_enter(writer, root);
    while (writer->count > 0 && builder->status == STATUS_OK) {
        struct write_frame *frame = &writer->frames[writer->count - 1];
        uint32_t child = frame->child;
        if (child == 0) {
            struct write_frame done = *frame;
            writer->count--;
            write_leave(writer, &done);
            continue;
        }
        const struct tree_node *node = writer_node(writer, frame->node);
        bool is_reversed = node->kind == TREE_SEQUENCE && leftwards;
        if (node->kind == TREE_ALTERNATIVES && child != node->first)
            builder_alternative(builder, &frame->alternative, &frame->jumps);
        frame->child =
            is_reversed ? writer_node(writer, child)->previous : writer_node(writer, child)->next;
        write_enter(writer, child);
    }
    builder_push(builder, REGEX_MATCH, 0);
}

/* Any text, before the pattern begins. A match must not begin inside a code point, where only
 * assertions can hold: if there are none that might, any byte will do. */
static void write_search(struct writer *writer)
{
    static const struct charset_range any = { 0, CODE_POINT_MAX };
    struct builder *builder = writer->builder;
    struct builder_repeat repeat = { builder_count(builder), 0, BUILDER_UNBOUNDED, false, false };
    if (writer->tree->has_word || writer->tree->has_look)
        builder_ranges(builder, &any, 1);
    else
        builder_bytes(builder,
                      &(struct regex_set){ { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX } });
    builder_repeat(builder, repeat);
}

void write_program(struct builder *builder, const struct tree *tree, uint32_t root,
                   enum write_mode mode)
{
    struct regex *regex = builder->regex;
    struct writer writer = { .builder = builder, .tree = tree, .mode = mode };
    regex->has_word = tree->has_word;
    regex->slot_count = tree->captures * 2;
    if (mode != WRITE_CAPTURES)
        write_search(&writer);
    regex->entry = builder_count(builder);
    write_body(&writer, root, false);
    for (uint32_t i = 0; i < regex->look_count && builder->status == STATUS_OK; i++) {
        struct regex_look *look = &regex->looks[i];
        bool leftwards = look->is_behind != (mode == WRITE_MIRRORED);
        look->entry = builder_count(builder);
        write_body(&writer, writer_node(&writer, look->node)->first, leftwards);
    }
    alloc_free(builder->alloc, writer.frames, writer.cap * sizeof(*writer.frames));
}

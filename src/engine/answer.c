/* answer.c - copies what a projection says of itself.
 *
 * Invariant: the report holds pointers, keywords and reasons, no values.
 */
#include "base/features.h"

#include "engine/answer.h"

static bool same_moves(const struct engine_projection_report *report,
                       const struct projection_move *moves, uint32_t count)
{
    if (report->move_count != count)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct projection_move *a = &report->moves[i], *b = &moves[i];
        if (!str_equal(a->pointer, b->pointer) || !str_equal(a->keyword, b->keyword) ||
            !str_equal(a->reason, b->reason) || a->in_words != b->in_words)
            return false;
    }
    return true;
}

enum status engine_answer_report(const struct model_reply *reply, struct arena *arena,
                                 struct engine_projection_report *out_report)
{
    out_report->exists = reply->projection != NULL;
    out_report->is_strict = reply->was_strict;
    if (reply->projection == NULL)
        return STATUS_OK;
    uint32_t count = 0;
    const struct projection_move *moves = projection_moves(reply->projection, &count);
    out_report->rung = projection_rung(reply->projection);
    if (same_moves(out_report, moves, count))
        return STATUS_OK; /* iterations of a call are asked alike */
    struct projection_move *copies = arena_take_array(arena, count, sizeof(*copies));
    if (copies == NULL)
        return STATUS_NO_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        copies[i] = (struct projection_move){ .pointer = arena_copy(arena, moves[i].pointer),
                                              .keyword = arena_copy(arena, moves[i].keyword),
                                              .reason = arena_copy(arena, moves[i].reason),
                                              .in_words = moves[i].in_words };
        if (copies[i].pointer.ptr == NULL || copies[i].keyword.ptr == NULL ||
            copies[i].reason.ptr == NULL)
            return STATUS_NO_MEMORY;
    }
    out_report->moves = copies;
    out_report->move_count = count;
    return STATUS_OK;
}

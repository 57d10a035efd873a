/* conversation.c - conversations that the caller holds, and their answers as values and structs.
 *
 * Leaves to others: the call (call.c), structs (type_decode.c). Invariant: turns are copies.
 */
#include "base/features.h"

#include "api/api_extract.h"
#include "base/limits.h"

static bool turns_grow(structure_request *request)
{
    if (request->turn_count < request->turn_capacity)
        return true;
    uint32_t capacity = request->turn_capacity == 0 ? 8 : request->turn_capacity * 2;
    struct api_turn *grown =
        alloc_grow(&request->alloc, request->turns, request->turn_capacity * sizeof(*grown),
                   capacity * sizeof(*grown));
    if (grown == NULL)
        return false;
    request->turns = grown;
    request->turn_capacity = capacity;
    return true;
}

static enum model_role role_of(enum structure_role role)
{
    switch (role) {
    case STRUCTURE_ROLE_SYSTEM: return MODEL_ROLE_SYSTEM;
    case STRUCTURE_ROLE_USER: return MODEL_ROLE_USER;
    case STRUCTURE_ROLE_ASSISTANT: return MODEL_ROLE_ASSISTANT;
    }
    return MODEL_ROLE_USER;
}

enum structure_kind structure_request_add_turn(structure_request *request, enum structure_role role,
                                               const char *text, size_t len)
{
    struct str turn = api_text(text, len);
    struct buffer *texts = &request->turn_texts;
    if (request->turn_count == LIMIT_TURNS_MAX || turn.len > texts->max - texts->len)
        return STRUCTURE_INVALID_REQUEST;
    size_t begin = texts->len;
    if (!turns_grow(request))
        return STRUCTURE_INTERNAL;
    buffer_append_str(texts, turn);
    if (buffer_status(texts) != STATUS_OK)
        return STRUCTURE_INTERNAL;
    request->turns[request->turn_count++] = (struct api_turn){ role_of(role), begin, turn.len };
    return STRUCTURE_OK;
}

void structure_request_clear_turns(structure_request *request)
{
    buffer_clear(&request->turn_texts);
    request->turn_count = 0;
}

enum structure_kind structure_complete_json(structure_model *model,
                                            const structure_request *request,
                                            const structure_cancel *cancel,
                                            structure_result **out_result,
                                            structure_error **out_error)
{
    return api_call(model, request, ENGINE_POLICY_ONCE, cancel, out_result, out_error);
}

enum structure_kind structure_complete_as(structure_model *model, const structure_request *request,
                                          const structure_cancel *cancel,
                                          const struct structure_type *type, void *value,
                                          structure_error **out_error)
{
    structure_result *result = NULL;
    size_t len = 0;
    memset(value, 0, type->size);
    enum structure_kind kind = structure_complete_json(model, request, cancel, &result, out_error);
    if (kind != STRUCTURE_OK)
        return kind;
    const char *data = structure_result_data(result, &len);
    kind = structure_type_decode(type, data, len, NULL, value, out_error);
    structure_result_free(result);
    return kind;
}

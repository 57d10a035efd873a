/* call.h - private to src/engine: the state of one call. */
#ifndef STRUCTURE_ENGINE_CALL_H
#define STRUCTURE_ENGINE_CALL_H

#include "engine/attempt.h"
#include "engine/conversation.h"
#include "engine/refusals.h"
#include "engine/request.h"

enum {
    ENGINE_CALL_ARENA_BYTES =
        256 << 20, /* prompt, schema and ten refused replies, each at its limit */
    ENGINE_WARNINGS_MAX = 16,
    ENGINE_ONCE_LOOPS = 2
};

enum engine_call_state { ENGINE_CALL_ASKING, ENGINE_CALL_DONE, ENGINE_CALL_FAILED };

struct engine_call {
    const struct alloc *alloc;
    enum engine_call_state state;
    struct engine_request request;
    struct model_info info;
    uint64_t call_id;
    uint32_t loops_max;
    uint32_t tokens_max;
    bool was_cut; /* a reply was cut, and one with a higher limit was asked for */
    char need_name_bytes[ENGINE_NEED_NAME_BYTES];
    struct str need_name;   /* empty: no need object */
    struct str source_text; /* the prompt, or the caller's turns one after the other */
    struct arena arena;     /* of everything that lives as long as the call */
    struct engine_conversation conversation;
    struct engine_attempt attempts[2]; /* the current one and the one before */
    uint32_t attempt_index;
    struct engine_refusals refusals;
    struct str reply_before; /* text of the refused reply before, in the arena */
    bool has_reply_before;
    struct json_doc *data; /* of the result, members in the order of the schema */
    struct str warnings[ENGINE_WARNINGS_MAX];
    struct engine_result result;
    struct error error;
};

#endif

/* api_extract.h - the handles of models, requests and calls, which a library that only validates
 * does without.
 */
#ifndef STRUCTURE_API_API_EXTRACT_H
#define STRUCTURE_API_API_EXTRACT_H

#include "api/api.h"
#include "base/control.h"
#include "engine/engine.h"
#include "model/local.h"

struct structure_model_options {
    struct model_local_options options;
};

struct structure_model {
    struct alloc alloc;
    struct arena arena; /* of name */
    struct model model;
    struct model_info info;
    const char *name;
    uint64_t call_count;
};

struct structure_request {
    struct alloc alloc;
    struct buffer prompt;
    struct buffer instructions;
    struct engine_request request; /* without the texts */
    int64_t model_timeout_ms;
    int64_t deadline_ms;
    void (*progress)(void *state, const char *piece, size_t len);
    void *progress_state;
};

struct structure_cancel {
    struct cancel cancel;
};

struct structure_result {
    struct alloc alloc;
    enum structure_status status;
    struct buffer data;
    struct buffer need;
    struct buffer json;
    structure_report *report; /* STALE, else NULL */
    uint32_t iterations;
    uint32_t model_calls;
    struct model_usage usage;
};

#endif

/* api.h - what the files behind the public header share: the handles, and how failures leave.
 *
 * A handle keeps the allocator that it was made with, at an address that outlives what it owns.
 */
#ifndef STRUCTURE_API_API_H
#define STRUCTURE_API_API_H

#include "base/alloc.h"
#include "base/arena.h"
#include "base/control.h"
#include "base/status.h"
#include "engine/engine.h"
#include "model/local.h"
#include "schema/compile.h"
#include "schema/validate.h"
#include "structure.h"

struct structure_error {
    struct error error;
};

struct structure_schema_options {
    struct schema_options options;
    void (*warn)(void *state, const structure_error *warning);
    void *warn_state;
};

struct structure_schema {
    struct alloc alloc;
    struct schema_program *program;
};

struct structure_report {
    struct alloc alloc;
    struct arena arena;
    struct schema_violation *items; /* all texts NUL-terminated */
    uint32_t count;
    bool is_valid;
    bool has_more;
};

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

/* A NUL-terminated text, or one of len bytes. */
struct str api_text(const char *text, size_t len);

/* The allocator of the caller, or malloc. */
struct alloc api_alloc(const struct structure_allocator *allocator);

enum structure_kind api_kind(enum status status);

/* Hands *error out (out_error may be NULL); the failure's status is error->status, else `status`.
 */
enum structure_kind api_fail(enum status status, const struct error *error,
                             structure_error **out_error);

/* Copies violations. NO_MEMORY leaves *out_report alone. */
enum status api_report_new(bool is_valid, const struct schema_violations *violations,
                           const struct alloc *alloc, structure_report **out_report);

#endif

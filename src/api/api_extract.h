/* api_extract.h - the handles of models, requests and calls, which a library that only validates
 * does without.
 */
#ifndef STRUCTURE_API_API_EXTRACT_H
#define STRUCTURE_API_API_EXTRACT_H

#include "api/api.h"
#include "base/control.h"
#include "engine/engine.h"
#include "model/local.h"
#include "provider/provider.h"

/* The texts of the options of a provider's model, NUL-terminated by the buffers. */
struct api_provider_texts {
    struct buffer base_url, key, ca_file, catalogue, record_folder, replay_folder;
};

struct structure_model_options {
    struct model_local_options options;
    struct api_provider_texts texts;
    bool no_stream;
    void (*trace)(void *state, const char *line);
    void *trace_state;
};

struct structure_model {
    struct alloc alloc;
    struct arena arena; /* of name */
    struct model model;
    struct model_info info;
    const char *name;
    struct catalogue *catalogue; /* NULL: a model file whose name needed none */
    bool is_provider;
    uint64_t call_count;
};

/* What name means: a provider's model, opened into model->model, or *out_path of a model file
 * (empty: the default one). options may be NULL. */
enum status api_model_resolve(structure_model *model, const char *name,
                              const structure_model_options *options, struct str *out_path,
                              struct error *error);

/* A turn of a conversation that the caller holds; its text is turn_texts[begin, begin + len). */
struct api_turn {
    enum model_role role;
    size_t begin, len;
};

struct structure_request {
    struct alloc alloc;
    struct buffer prompt;
    struct buffer instructions;
    struct buffer turn_texts;
    struct api_turn *turns;
    uint32_t turn_count, turn_capacity;
    struct engine_request request; /* without the texts */
    int64_t model_timeout_ms;      /* negative: the default of that kind of model */
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

/* One call with a policy: structure_extract and structure_complete_json. */
enum structure_kind api_call(structure_model *model, const structure_request *request,
                             enum engine_policy policy, const structure_cancel *cancel,
                             structure_result **out_result, structure_error **out_error);

#endif

/* structure.h - free text and a JSON Schema in, one valid JSON object or a precise reason out.
 *
 * This header is the whole public interface of libstructure. It compiles as C99, C11 and C++.
 *
 * Chapters: 1 conventions, 2 version, 3 kinds and errors, 4 memory, 5 schemas, 6 validation,
 * 7 models, 8 requests, 9 calls, 10 results.
 *
 * The shortest program is examples/extract.c.
 */
#ifndef STRUCTURE_H
#define STRUCTURE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 1. conventions ----------------------------------------------------------------------------
 *
 * Handles.  Every type below without visible members is opaque, made by a function of its chapter
 *   and given back by the matching ..._free, which accepts NULL.
 *
 * Texts in.  A pointer and a length in bytes; STRUCTURE_NUL as length means NUL-terminated. UTF-8,
 *   copied unless the function says otherwise.
 *
 * Texts out.  NUL-terminated UTF-8, owned by the handle they came from and valid until it is freed.
 *   Never NULL unless the function says so.
 *
 * Failure.  Fallible functions return enum structure_kind; STRUCTURE_OK is 0. Outputs are written
 *   only on success. The last parameter, structure_error **, may be NULL; on failure it receives an
 *   error that the caller frees.
 *
 * Threads.  A schema is immutable: any number of threads may use it at once. A model serves one
 *   call at a time. Everything else belongs to one thread at a time, but structure_cancel_request
 *   may be called from any thread and from a signal handler. Callbacks run on the calling thread.
 *   The library prints nothing and installs no signal handler.
 *
 * Privacy.  Messages carry JSON Pointers, keywords and limits, never values of prompts, replies or
 *   instances.
 *
 * ABI.  Within one SOVERSION functions are only added, enumerators keep their numbers, and no
 *   structure of this header changes. Options are set by functions, so that new ones need no new
 *   layout.
 */

#if defined(__GNUC__)
#define STRUCTURE_API __attribute__((visibility("default")))
#else
#define STRUCTURE_API
#endif

/* As a length: the text is NUL-terminated. */
#define STRUCTURE_NUL ((size_t)-1)

typedef struct structure_error structure_error;
typedef struct structure_schema structure_schema;
typedef struct structure_schema_options structure_schema_options;
typedef struct structure_report structure_report;
typedef struct structure_model structure_model;
typedef struct structure_model_options structure_model_options;
typedef struct structure_request structure_request;
typedef struct structure_cancel structure_cancel;
typedef struct structure_result structure_result;

/* ---- 2. version ------------------------------------------------------------------------------ */

/* Of this header. */
#define STRUCTURE_VERSION_MAJOR 0
#define STRUCTURE_VERSION_MINOR 1
#define STRUCTURE_VERSION_PATCH 0
#define STRUCTURE_VERSION       "0.1.0"
#define STRUCTURE_VERSION_NUMBER                                                                   \
    (STRUCTURE_VERSION_MAJOR * 10000 + STRUCTURE_VERSION_MINOR * 100 + STRUCTURE_VERSION_PATCH)

/* Of the library that runs: "0.1.0", and as STRUCTURE_VERSION_NUMBER. */
STRUCTURE_API const char *structure_version(void);
STRUCTURE_API int structure_version_number(void);

/* Version of the linked libllama, or NULL when the library was built without local models. */
STRUCTURE_API const char *structure_version_llama(void);

/* ---- 3. kinds and errors --------------------------------------------------------------------- */

/* The closed set of failures. The numbers are the exit codes of the command-line program. */
enum structure_kind {
    STRUCTURE_OK = 0,
    STRUCTURE_INVALID_REQUEST = 2, /* blank prompt, out of range, not UTF-8, not JSON */
    STRUCTURE_INVALID_SCHEMA = 3,  /* the schema cannot be honoured; no model was called */
    STRUCTURE_UNKNOWN_SCHEMA = 4,  /* no such name */
    STRUCTURE_NOT_CONFIGURED = 5,  /* no model, no key */
    STRUCTURE_UNSUPPORTED = 6,     /* beyond the model's abilities, or a step budget used up */
    STRUCTURE_REJECTED = 7,          /* the provider refused: refusal, filter, output limit */
    STRUCTURE_TRANSIENT = 8,         /* try later */
    STRUCTURE_TRANSPORT = 9,         /* the answer did not survive the way */
    STRUCTURE_SCHEMA_VIOLATION = 11, /* policy "once": still not conforming after the repair */
    STRUCTURE_DEADLINE = 12,         /* the time of the call, or of one model call, is over */
    STRUCTURE_STORE = 13,            /* a store failed */
    STRUCTURE_INTERNAL = 70,         /* out of memory, or a bug */
    STRUCTURE_CANCELLED = 130        /* by structure_cancel_request */
};

/* "invalid-request" and so on, as every surface of the product spells it. Static. */
STRUCTURE_API const char *structure_kind_name(enum structure_kind kind);

STRUCTURE_API void structure_error_free(structure_error *error);
STRUCTURE_API enum structure_kind structure_error_kind(const structure_error *error);
/* What and where, one line. */
STRUCTURE_API const char *structure_error_message(const structure_error *error);
/* The next step, or "". */
STRUCTURE_API const char *structure_error_hint(const structure_error *error);
/* JSON Pointer (RFC 6901) of the place; "" is the root, NULL: the error has none. */
STRUCTURE_API const char *structure_error_pointer(const structure_error *error);
/* 1-based, the column in code points; 0 when unknown. */
STRUCTURE_API uint32_t structure_error_line(const structure_error *error);
STRUCTURE_API uint32_t structure_error_column(const structure_error *error);
/* When to try again, in milliseconds; -1 when unknown. */
STRUCTURE_API int64_t structure_error_retry_after_ms(const structure_error *error);

/* ---- 4. memory ------------------------------------------------------------------------------- */

/* A heap of the caller. resize: ptr NULL allocates, size_new 0 frees and returns NULL, otherwise
 * resizes; size_old is the size given before. NULL means failure and leaves ptr untouched.
 * Alignment as malloc. It must be thread-safe if handles made with it are used by several threads,
 * and must outlive them. */
struct structure_allocator {
    void *(*resize)(void *state, void *ptr, size_t size_old, size_t size_new);
    void *state;
};

/* Wherever a function takes an allocator, NULL means malloc. Errors are always malloc'ed. */

/* ---- 5. schemas ------------------------------------------------------------------------------ */

enum structure_unknown {
    STRUCTURE_UNKNOWN_ERROR = 0,
    STRUCTURE_UNKNOWN_WARN = 1,
    STRUCTURE_UNKNOWN_ALLOW = 2
};

/* NULL when out of memory. Defaults: unknown keywords are errors, `format` is asserted, any root,
 * dialect 2020-12 where $schema is absent. */
STRUCTURE_API structure_schema_options *structure_schema_options_new(void);
STRUCTURE_API void structure_schema_options_free(structure_schema_options *options);
STRUCTURE_API void structure_schema_options_set_unknown_keywords(structure_schema_options *options,
                                                                 enum structure_unknown policy);
/* 0: `format` is an annotation. */
STRUCTURE_API void structure_schema_options_set_format_asserts(structure_schema_options *options,
                                                               int asserts);
/* 1: refuse a root that does not describe an object, as structure_extract needs. */
STRUCTURE_API void structure_schema_options_set_object_root(structure_schema_options *options,
                                                            int required);
/* A dialect URI; the text must outlive the options. */
STRUCTURE_API void structure_schema_options_set_dialect(structure_schema_options *options,
                                                        const char *uri);
/* Called for each tolerated fault while compiling; the error is borrowed for the call. */
STRUCTURE_API void
structure_schema_options_set_warning(structure_schema_options *options,
                                     void (*warn)(void *state, const structure_error *warning),
                                     void *state);

/* Compiles a JSON Schema. options NULL: the defaults. No network is used. STRUCTURE_INVALID_SCHEMA
 * names the pointer, line and column. */
STRUCTURE_API enum structure_kind structure_schema_new(const char *text, size_t len,
                                                       const structure_schema_options *options,
                                                       const struct structure_allocator *allocator,
                                                       structure_schema **out_schema,
                                                       structure_error **out_error);
/* No request that uses it may be alive; reports and results may. */
STRUCTURE_API void structure_schema_free(structure_schema *schema);

/* ---- 6. validation --------------------------------------------------------------------------- */

/* Judges one JSON text. STRUCTURE_OK: *out_report holds the verdict. STRUCTURE_INVALID_REQUEST: the
 * text is no JSON or beyond a limit (16 MiB, depth 128, 1,000,000 values, 10,000 digits).
 * STRUCTURE_UNSUPPORTED: the step budget was used up, so that there is no verdict. violations_max
 * 0: 20. */
STRUCTURE_API enum structure_kind structure_validate(const structure_schema *schema,
                                                     const char *text, size_t len,
                                                     uint32_t violations_max,
                                                     structure_report **out_report,
                                                     structure_error **out_error);
STRUCTURE_API void structure_report_free(structure_report *report);

/* 1 or 0. */
STRUCTURE_API int structure_report_is_valid(const structure_report *report);
/* Violations in the report: 0 if and only if valid. */
STRUCTURE_API uint32_t structure_report_count(const structure_report *report);
/* 1: there were more than violations_max. */
STRUCTURE_API int structure_report_has_more(const structure_report *report);

/* One violation, index < count. Pointers are RFC 6901; keyword is that of the schema, or "json";
 * message says what must hold, without the value; hint may be "". Lines as in chapter 3. */
STRUCTURE_API const char *structure_report_pointer(const structure_report *report, uint32_t index);
STRUCTURE_API const char *structure_report_keyword(const structure_report *report, uint32_t index);
STRUCTURE_API const char *structure_report_message(const structure_report *report, uint32_t index);
STRUCTURE_API const char *structure_report_hint(const structure_report *report, uint32_t index);
STRUCTURE_API const char *structure_report_schema_pointer(const structure_report *report,
                                                          uint32_t index);
STRUCTURE_API uint32_t structure_report_line(const structure_report *report, uint32_t index);
STRUCTURE_API uint32_t structure_report_column(const structure_report *report, uint32_t index);

/* ---- 7. models ------------------------------------------------------------------------------- */

/* NULL when out of memory. Defaults: the processors available, at most 8; the model's own context,
 * at most 8192 tokens. */
STRUCTURE_API structure_model_options *structure_model_options_new(void);
STRUCTURE_API void structure_model_options_free(structure_model_options *options);
STRUCTURE_API void structure_model_options_set_threads(structure_model_options *options,
                                                       uint32_t threads);
STRUCTURE_API void structure_model_options_set_context_max(structure_model_options *options,
                                                           uint32_t tokens);

/* Loads a model file (GGUF) into this process. path NULL: the default model of the user's data
 * folder. STRUCTURE_NOT_CONFIGURED: the default model is absent, or the library was built without
 * local models (the hint says what to do). STRUCTURE_INVALID_REQUEST: no such file, not a GGUF
 * file, cannot be loaded. */
STRUCTURE_API enum structure_kind structure_model_open(const char *path,
                                                       const structure_model_options *options,
                                                       const struct structure_allocator *allocator,
                                                       structure_model **out_model,
                                                       structure_error **out_error);
STRUCTURE_API void structure_model_free(structure_model *model);

/* "local/SmolLM2-135M-Instruct". */
STRUCTURE_API const char *structure_model_name(const structure_model *model);
/* 0 when unknown. */
STRUCTURE_API uint64_t structure_model_parameter_count(const structure_model *model);
STRUCTURE_API uint32_t structure_model_context_tokens(const structure_model *model);

/* ---- 8. requests ----------------------------------------------------------------------------- */

enum structure_grounded {
    STRUCTURE_GROUNDED_AUTO = 0,
    STRUCTURE_GROUNDED_ON = 1,
    STRUCTURE_GROUNDED_OFF = 2
};

/* A request for objects of schema, which must outlive it. It may be used for many calls; values are
 * checked when a call begins. NULL when out of memory. */
STRUCTURE_API structure_request *structure_request_new(const structure_schema *schema,
                                                       const struct structure_allocator *allocator);
STRUCTURE_API void structure_request_free(structure_request *request);

/* The text to read, required, at most 16 MiB; and extra rules for the model. STRUCTURE_INTERNAL
 * when out of memory; the former text is then kept. */
STRUCTURE_API enum structure_kind structure_request_set_prompt(structure_request *request,
                                                               const char *text, size_t len);
STRUCTURE_API enum structure_kind structure_request_set_instructions(structure_request *request,
                                                                     const char *text, size_t len);
/* Iterations, 1 to 10, default 3. */
STRUCTURE_API void structure_request_set_loops_max(structure_request *request, uint32_t loops);
/* Output tokens of one reply, default 1024. */
STRUCTURE_API void structure_request_set_tokens_max(structure_request *request, uint32_t tokens);
/* Time for one model call, default 120,000 ms, and for the whole call, default none. 0: none. */
STRUCTURE_API void structure_request_set_model_timeout_ms(structure_request *request,
                                                          int64_t timeout_ms);
STRUCTURE_API void structure_request_set_deadline_ms(structure_request *request,
                                                     int64_t deadline_ms);
/* Negative (default): the model's own, which is 0 for local models. */
STRUCTURE_API void structure_request_set_temperature(structure_request *request,
                                                     double temperature);
STRUCTURE_API void structure_request_set_seed(structure_request *request, uint64_t seed);
/* Whether strings and numbers may only come from the prompt's own words. AUTO: on under one billion
 * parameters. */
STRUCTURE_API void structure_request_set_grounded(structure_request *request,
                                                  enum structure_grounded grounded);
/* 1: one repair at most and no way for the model to ask back; what still does not conform is
 * STRUCTURE_SCHEMA_VIOLATION. */
STRUCTURE_API void structure_request_set_once(structure_request *request, int once);
/* 0: take a model that cannot enforce the schema while it writes. Default 1. */
STRUCTURE_API void structure_request_set_strict(structure_request *request, int strict);
/* Called on the calling thread with each piece of a reply as it is written, for progress only: what
 * is written may still be refused. The piece is not NUL-terminated and may end in a code point. */
STRUCTURE_API void structure_request_set_progress(structure_request *request,
                                                  void (*progress)(void *state, const char *piece,
                                                                   size_t len),
                                                  void *state);

/* ---- 9. calls -------------------------------------------------------------------------------- */

/* The wish to stop, shared by the thread that waits and the one that has lost patience. */
STRUCTURE_API structure_cancel *structure_cancel_new(void);
STRUCTURE_API void structure_cancel_free(structure_cancel *cancel);
/* From any thread or signal handler; the call ends with STRUCTURE_CANCELLED within one token. Stays
 * requested until structure_cancel_reset. */
STRUCTURE_API void structure_cancel_request(structure_cancel *cancel);
STRUCTURE_API void structure_cancel_reset(structure_cancel *cancel);

/* Runs one call to its end; blocks. cancel may be NULL. STRUCTURE_OK: *out_result, whatever its
 * status. Otherwise the call failed and there is no result. */
STRUCTURE_API enum structure_kind structure_extract(structure_model *model,
                                                    const structure_request *request,
                                                    const structure_cancel *cancel,
                                                    structure_result **out_result,
                                                    structure_error **out_error);

/* ---- 10. results ----------------------------------------------------------------------------- */

enum structure_status {
    STRUCTURE_STATUS_OK = 0,              /* structure_result_data */
    STRUCTURE_STATUS_NEED_MORE_INPUT = 1, /* structure_result_need */
    STRUCTURE_STATUS_STALE = 2            /* structure_result_report */
};

STRUCTURE_API void structure_result_free(structure_result *result);
STRUCTURE_API enum structure_status structure_result_status(const structure_result *result);

/* The object as JSON on one line, members in the schema's order, numbers as the model wrote them.
 * NULL unless the status is OK. *out_len (may be NULL): bytes. */
STRUCTURE_API const char *structure_result_data(const structure_result *result, size_t *out_len);
/* What is missing, in words to relay. NULL unless the status is NEED_MORE_INPUT. */
STRUCTURE_API const char *structure_result_need(const structure_result *result);
/* The violations of the last iteration, owned by the result. NULL unless the status is STALE. */
STRUCTURE_API const structure_report *structure_result_report(const structure_result *result);
/* The whole result as one JSON document on one line: status, data, need, errors, iterations, usage
 * and more. */
STRUCTURE_API const char *structure_result_json(const structure_result *result, size_t *out_len);

STRUCTURE_API uint32_t structure_result_iterations(const structure_result *result);
/* Over all model calls. */
STRUCTURE_API uint32_t structure_result_model_calls(const structure_result *result);
STRUCTURE_API uint64_t structure_result_input_tokens(const structure_result *result);
STRUCTURE_API uint64_t structure_result_output_tokens(const structure_result *result);

#ifdef __cplusplus
}
#endif

#endif

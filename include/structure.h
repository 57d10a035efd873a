/* structure.h - free text and a JSON Schema in, one valid JSON object or a precise reason out; and
 * a JSON Schema validator for any other use.
 *
 * This header is the whole public interface of libstructure. It compiles as C99, C11 and C++.
 *
 * Chapters: 1 conventions, 2 version, 3 kinds and errors, 4 memory, 5 documents, 6 schemas,
 * 7 validation, 8 streams, 9 output forms and annotations; 10 models, 11 requests, 12 calls,
 * 13 results, 14 conversations of the caller; 15 values in C structs. A library built with
 * STRUCTURE_ONLY_VALIDATE has chapters 1 to 9 and 15.
 *
 * The shortest programs are examples/validate.c and examples/extract.c.
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
 * Threads.  A schema and a document are immutable: any number of threads may use one at once,
 * without locks. A model serves one call at a time. Everything else belongs to one thread at a
 * time, but structure_cancel_request may be called from any thread and from a signal handler.
 * Callbacks run on the calling thread. The library prints nothing and installs no signal handler.
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
typedef struct structure_document structure_document;
typedef struct structure_validate_options structure_validate_options;
typedef struct structure_resources structure_resources;
typedef struct structure_schema structure_schema;
typedef struct structure_schema_options structure_schema_options;
typedef struct structure_report structure_report;
typedef struct structure_stream structure_stream;
typedef struct structure_annotations structure_annotations;
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
/* Version of the linked libcurl and what it brings, or NULL when the library was built without
 * providers over a network. */
STRUCTURE_API const char *structure_version_http(void);

/* ---- 3. kinds and errors --------------------------------------------------------------------- */

/* The closed set of failures. The numbers are the exit codes of the command-line program. */
enum structure_kind {
    STRUCTURE_OK = 0,
    STRUCTURE_INVALID_REQUEST = 2,   /* blank prompt, out of range, not UTF-8, not JSON */
    STRUCTURE_INVALID_SCHEMA = 3,    /* the schema cannot be honoured; no model was called */
    STRUCTURE_UNKNOWN_SCHEMA = 4,    /* no such name */
    STRUCTURE_NOT_CONFIGURED = 5,    /* no model, no key */
    STRUCTURE_UNSUPPORTED = 6,       /* beyond the model's abilities, or a step budget used up */
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

/* ---- 5. documents ---------------------------------------------------------------------------- */

/* How instances are read and judged: limits, which bound memory and time on hostile input, and what
 * is reported. The defaults suit texts from a network. NULL when out of memory. */
STRUCTURE_API structure_validate_options *structure_validate_options_new(void);
STRUCTURE_API void structure_validate_options_free(structure_validate_options *options);
/* Bytes of a text, default 16 MiB, at most 4 GiB. */
STRUCTURE_API void structure_validate_options_set_bytes_max(structure_validate_options *options,
                                                            size_t bytes);
/* Arrays and objects inside each other, default 128. */
STRUCTURE_API void structure_validate_options_set_depth_max(structure_validate_options *options,
                                                            uint32_t depth);
/* Values of a text, default 1,000,000. */
STRUCTURE_API void structure_validate_options_set_values_max(structure_validate_options *options,
                                                             uint32_t values);
/* Bytes of one number, default 10,000. */
STRUCTURE_API void structure_validate_options_set_digits_max(structure_validate_options *options,
                                                             uint32_t digits);
/* Work of one verdict, default 200,000,000; about one step for each keyword applied to a value. */
STRUCTURE_API void structure_validate_options_set_steps_max(structure_validate_options *options,
                                                            uint64_t steps);
/* Violations of one report, default 20. */
STRUCTURE_API void
structure_validate_options_set_violations_max(structure_validate_options *options,
                                              uint32_t violations);
/* 1: of two members of one name the last counts. 0 (default): such a text is refused. */
STRUCTURE_API void
structure_validate_options_set_last_duplicate(structure_validate_options *options, int last);

/* Parses a JSON text (RFC 8259), which is copied. The document can be judged any number of times,
 * or become a schema or a resource. options NULL: the defaults. STRUCTURE_INVALID_REQUEST: the text
 * is no JSON or beyond a limit; the error has line and column. */
STRUCTURE_API enum structure_kind
structure_document_new(const char *text, size_t len, const structure_validate_options *options,
                       const struct structure_allocator *allocator,
                       structure_document **out_document, structure_error **out_error);
STRUCTURE_API void structure_document_free(structure_document *document);

/* ---- 6. schemas ------------------------------------------------------------------------------ */

/* Documents that the references of a schema may reach by URI. Nothing is ever fetched; the
 * meta-schemas of all dialects are always there. NULL when out of memory. */
STRUCTURE_API structure_resources *
structure_resources_new(const struct structure_allocator *allocator);
STRUCTURE_API void structure_resources_free(structure_resources *resources);
/* Registers a document under an absolute URI, or with uri NULL under its own `$id`. On success the
 * resources own the document. STRUCTURE_INVALID_SCHEMA: no absolute URI, or one that is taken. Add
 * everything before the first schema is compiled with them. */
STRUCTURE_API enum structure_kind structure_resources_add(structure_resources *resources,
                                                          const char *uri,
                                                          structure_document *document,
                                                          structure_error **out_error);

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

/* Schemas compiled with these options may refer to the resources, and keep what they need of them:
 * the resources may be freed afterwards, but not before. NULL: none. */
STRUCTURE_API void structure_schema_options_set_resources(structure_schema_options *options,
                                                          const structure_resources *resources);
/* Adds a value of `format`, or replaces a built-in one. matches returns 1 or 0 for a string of len
 * bytes of UTF-8; it is called by every thread that validates, and it and its state must outlive
 * the schemas. The name is copied. STRUCTURE_INTERNAL: out of memory. */
STRUCTURE_API enum structure_kind
structure_schema_options_add_format(structure_schema_options *options, const char *name,
                                    int (*matches)(void *state, const char *text, size_t len),
                                    void *state);

/* Compiles a JSON Schema: an object, true or false. options NULL: the defaults. No network is used.
 * STRUCTURE_INVALID_SCHEMA names the pointer, line and column. */
STRUCTURE_API enum structure_kind structure_schema_new(const char *text, size_t len,
                                                       const structure_schema_options *options,
                                                       const struct structure_allocator *allocator,
                                                       structure_schema **out_schema,
                                                       structure_error **out_error);
/* The same from a document, which the schema owns on success. */
STRUCTURE_API enum structure_kind
structure_schema_from_document(structure_document *document,
                               const structure_schema_options *options,
                               const struct structure_allocator *allocator,
                               structure_schema **out_schema, structure_error **out_error);
/* No request, stream or annotations that use it may be alive; reports and results may. */
STRUCTURE_API void structure_schema_free(structure_schema *schema);

/* ---- 7. validation --------------------------------------------------------------------------- */

/* The verdict alone, as fast as it goes: *out_valid is 1 or 0. options NULL: the defaults.
 * STRUCTURE_INVALID_REQUEST: the text is no JSON or beyond a limit. STRUCTURE_UNSUPPORTED: the
 * steps are used up, so that there is no verdict. */
STRUCTURE_API enum structure_kind structure_is_valid(const structure_schema *schema,
                                                     const char *text, size_t len,
                                                     const structure_validate_options *options,
                                                     int *out_valid, structure_error **out_error);
STRUCTURE_API enum structure_kind
structure_document_is_valid(const structure_schema *schema, const structure_document *document,
                            const structure_validate_options *options, int *out_valid,
                            structure_error **out_error);

/* The verdict, and what is wrong. STRUCTURE_OK: *out_report holds both. The text is judged with the
 * default limits; violations_max 0: 20. Errors as above. */
STRUCTURE_API enum structure_kind structure_validate(const structure_schema *schema,
                                                     const char *text, size_t len,
                                                     uint32_t violations_max,
                                                     structure_report **out_report,
                                                     structure_error **out_error);
STRUCTURE_API enum structure_kind
structure_document_validate(const structure_schema *schema, const structure_document *document,
                            const structure_validate_options *options,
                            structure_report **out_report, structure_error **out_error);
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
/* What the violation is about, each "" where there is none: the alternative that was meant, the
 * title or description of the violated schema, the URI of the resource that the schema pointer lies
 * in. */
STRUCTURE_API const char *structure_report_context(const structure_report *report, uint32_t index);
STRUCTURE_API const char *structure_report_title(const structure_report *report, uint32_t index);
STRUCTURE_API const char *structure_report_schema_uri(const structure_report *report,
                                                      uint32_t index);
STRUCTURE_API uint32_t structure_report_line(const structure_report *report, uint32_t index);
STRUCTURE_API uint32_t structure_report_column(const structure_report *report, uint32_t index);

/* ---- 8. streams ------------------------------------------------------------------------------ */

/* Judges a text while it arrives. The schema must outlive the stream. options NULL: the defaults.
 */
STRUCTURE_API enum structure_kind structure_stream_new(const structure_schema *schema,
                                                       const structure_validate_options *options,
                                                       const struct structure_allocator *allocator,
                                                       structure_stream **out_stream,
                                                       structure_error **out_error);
STRUCTURE_API void structure_stream_free(structure_stream *stream);
/* Takes the next bytes, cut anywhere. *out_invalid becomes 1 as soon as it is certain that no
 * continuation of the text is valid, and stays 1: a reader may stop there, or go on to the end for
 * a report. STRUCTURE_INVALID_REQUEST: the text is no JSON; the stream is then over. */
STRUCTURE_API enum structure_kind structure_stream_feed(structure_stream *stream, const char *bytes,
                                                        size_t len, int *out_invalid,
                                                        structure_error **out_error);
/* JSON Pointer of the value that made it certain; "" also as long as nothing is. Valid until the
 * next call. */
STRUCTURE_API const char *structure_stream_pointer(const structure_stream *stream);
/* Ends the text. The report is the one that the whole text would get; only
 * structure_stream_pointer and structure_stream_free may follow. */
STRUCTURE_API enum structure_kind structure_stream_finish(structure_stream *stream,
                                                          structure_report **out_report,
                                                          structure_error **out_error);

/* ---- 9. output forms and annotations --------------------------------------------------------- */

/* The forms of JSON Schema's output: the first four by core 2019-09 and 2020-12, the last two by
 * the newer output specification. */
enum structure_output {
    STRUCTURE_OUTPUT_FLAG = 0,
    STRUCTURE_OUTPUT_BASIC = 1,
    STRUCTURE_OUTPUT_DETAILED = 2,
    STRUCTURE_OUTPUT_VERBOSE = 3,
    STRUCTURE_OUTPUT_LIST = 4,
    STRUCTURE_OUTPUT_HIERARCHICAL = 5
};

/* Judges document and gives one JSON object of that form, without a line end, to write: once, all
 * of it. indent: spaces a level, 0 for one line. out_valid may be NULL. STRUCTURE_UNSUPPORTED:
 * steps or output are beyond their limits. */
STRUCTURE_API enum structure_kind
structure_document_output(const structure_schema *schema, const structure_document *document,
                          enum structure_output form, unsigned indent,
                          const structure_validate_options *options,
                          void (*write)(void *state, const char *text, size_t len), void *state,
                          int *out_valid, structure_error **out_error);
/* The same into a buffer of size bytes, cut where it ends, always NUL-terminated unless size is 0.
 * *out_len: bytes of the whole output, so that out_len >= size says that it was cut. */
STRUCTURE_API enum structure_kind
structure_document_output_text(const structure_schema *schema, const structure_document *document,
                               enum structure_output form, unsigned indent,
                               const structure_validate_options *options, char *buffer, size_t size,
                               size_t *out_len, structure_error **out_error);

/* The annotations that a valid document gets: title, description, default, format, unknown keywords
 * and so on, one by one. An invalid document has none. Schema and document must outlive the walk.
 */
STRUCTURE_API enum structure_kind
structure_annotations_new(const structure_schema *schema, const structure_document *document,
                          const structure_validate_options *options,
                          structure_annotations **out_annotations, structure_error **out_error);
STRUCTURE_API void structure_annotations_free(structure_annotations *annotations);
/* Steps to the next annotation, at first to the first: 1, or 0 at the end, or -1 out of memory. */
STRUCTURE_API int structure_annotations_next(structure_annotations *annotations);
/* Of the annotation stepped to, valid until the next step: JSON Pointer of the instance value; the
 * subschema as URI with a JSON Pointer fragment; the keyword; its value as JSON text. */
STRUCTURE_API const char *
structure_annotations_instance_pointer(const structure_annotations *annotations);
STRUCTURE_API const char *
structure_annotations_schema_location(const structure_annotations *annotations);
STRUCTURE_API const char *structure_annotations_keyword(const structure_annotations *annotations);
STRUCTURE_API const char *structure_annotations_value(const structure_annotations *annotations);

/* ---- 10. models ------------------------------------------------------------------------------ */

/* A model is a file that is loaded into this process, or one of a provider behind a network. The
 * providers, what their models can do and what an own configuration adds: docs/providers.md.
 */

/* NULL when out of memory. Defaults: the processors available, at most 8; the model's own context,
 * at most 8192 tokens; of a provider what is named at each function. */
STRUCTURE_API structure_model_options *structure_model_options_new(void);
/* Overwrites the key. */
STRUCTURE_API void structure_model_options_free(structure_model_options *options);

/* ... of a model file */
STRUCTURE_API void structure_model_options_set_threads(structure_model_options *options,
                                                       uint32_t threads);
STRUCTURE_API void structure_model_options_set_context_max(structure_model_options *options,
                                                           uint32_t tokens);

/* ... of a provider. A text replaces the former one; STRUCTURE_INTERNAL: out of memory,
 * STRUCTURE_INVALID_REQUEST: longer than 64 KiB (a catalogue: 4 MiB). */

/* Where the provider is. Default: its variable in the environment ("OPENAI_BASE_URL"), else the
 * usual place. */
STRUCTURE_API enum structure_kind
structure_model_options_set_base_url(structure_model_options *options, const char *text,
                                     size_t len);
/* Default: the provider's variable in the environment ("OPENAI_API_KEY"). The key goes to the base
 * URL and nowhere else: not into messages, traces or records. */
STRUCTURE_API enum structure_kind structure_model_options_set_key(structure_model_options *options,
                                                                  const char *text, size_t len);
/* File of the certificates that are trusted, in place of the system's. */
STRUCTURE_API enum structure_kind
structure_model_options_set_ca_file(structure_model_options *options, const char *text, size_t len);
/* A JSON object with "providers", "rules" and "aliases" over the built-in ones, checked when a
 * model is opened. */
STRUCTURE_API enum structure_kind
structure_model_options_set_catalogue(structure_model_options *options, const char *text,
                                      size_t len);
/* Stores every model call in that folder, the prompt with it and the key left out; or answers from
 * such a folder, without a network and without a key. */
STRUCTURE_API enum structure_kind
structure_model_options_set_record_folder(structure_model_options *options, const char *text,
                                          size_t len);
STRUCTURE_API enum structure_kind
structure_model_options_set_replay_folder(structure_model_options *options, const char *text,
                                          size_t len);
/* 0: the reply is asked for as a whole. Default 1: as it is written, where the model can, so that
 * one which cannot become valid is stopped. */
STRUCTURE_API void structure_model_options_set_stream(structure_model_options *options, int stream);
/* One line for each step of a model call (attempt, wait, simpler form of the schema, early stop),
 * without content and keys; on the thread of the call. */
STRUCTURE_API void structure_model_options_set_trace(structure_model_options *options,
                                                     void (*trace)(void *state, const char *line),
                                                     void *state);

/* Opens a model. name NULL or "local": the default model of the user's data folder;
 * "provider/model"
 * ("anthropic/claude-haiku-4-5"), a provider alone (its default model) or an alias of the
 * catalogue; else the path of a model file (GGUF). options may be NULL. Nothing is sent to a
 * provider yet. STRUCTURE_NOT_CONFIGURED: the default model is absent, no such provider, no key, no
 * base URL; STRUCTURE_UNSUPPORTED: the library was built without providers (a model file without
 * local models is STRUCTURE_NOT_CONFIGURED); STRUCTURE_INVALID_REQUEST: no such file, not a GGUF
 * file, cannot be loaded, the base URL is none, the catalogue is not of that form. The hint says
 * what to do. */
STRUCTURE_API enum structure_kind structure_model_open(const char *name,
                                                       const structure_model_options *options,
                                                       const struct structure_allocator *allocator,
                                                       structure_model **out_model,
                                                       structure_error **out_error);
STRUCTURE_API void structure_model_free(structure_model *model);

/* "local/SmolLM2-135M-Instruct", "openai/gpt-5-mini". */
STRUCTURE_API const char *structure_model_name(const structure_model *model);
/* 0 when unknown. */
STRUCTURE_API uint64_t structure_model_parameter_count(const structure_model *model);
STRUCTURE_API uint32_t structure_model_context_tokens(const structure_model *model);

/* ---- 11. requests ---------------------------------------------------------------------------- */

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
/* Time for one model call, default 120,000 ms for a model file and 30,000 ms for a provider's, and
 * for the whole call, default none. 0: none. */
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

/* ---- 12. calls ------------------------------------------------------------------------------- */

/* The wish to stop, shared by the thread that waits and the one that has lost patience. */
STRUCTURE_API structure_cancel *structure_cancel_new(void);
STRUCTURE_API void structure_cancel_free(structure_cancel *cancel);
/* From any thread or signal handler; the call ends with STRUCTURE_CANCELLED within one token,
 * or within 100 ms while a provider is waited for. Stays requested until structure_cancel_reset. */
STRUCTURE_API void structure_cancel_request(structure_cancel *cancel);
STRUCTURE_API void structure_cancel_reset(structure_cancel *cancel);

/* Runs one call to its end; blocks. cancel may be NULL. STRUCTURE_OK: *out_result, whatever its
 * status. Otherwise the call failed and there is no result. */
STRUCTURE_API enum structure_kind structure_extract(structure_model *model,
                                                    const structure_request *request,
                                                    const structure_cancel *cancel,
                                                    structure_result **out_result,
                                                    structure_error **out_error);

/* ---- 13. results ----------------------------------------------------------------------------- */

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

/* ---- 14. conversations of the caller -----------------------------------------------------------
 *
 * complete_json: the caller holds the conversation, the answer is a value or an error. There is one
 * repair and no way for the model to ask back.
 */

enum structure_role {
    STRUCTURE_ROLE_SYSTEM = 0,
    STRUCTURE_ROLE_USER = 1,
    STRUCTURE_ROLE_ASSISTANT = 2
};

/* Appends a turn, which counts in place of a prompt; at most 256, the last one the user's when a
 * call begins. The text is copied, at most 16 MiB. STRUCTURE_INTERNAL: out of memory;
 * STRUCTURE_INVALID_REQUEST: too many. */
STRUCTURE_API enum structure_kind structure_request_add_turn(structure_request *request,
                                                             enum structure_role role,
                                                             const char *text, size_t len);
STRUCTURE_API void structure_request_clear_turns(structure_request *request);

/* As structure_extract with structure_request_set_once. On STRUCTURE_OK the result's status is OK
 * and structure_result_data the value; STRUCTURE_SCHEMA_VIOLATION: still not conforming after the
 * repair. */
STRUCTURE_API enum structure_kind structure_complete_json(structure_model *model,
                                                          const structure_request *request,
                                                          const structure_cancel *cancel,
                                                          structure_result **out_result,
                                                          structure_error **out_error);

/* ---- 15. values in C structs -------------------------------------------------------------------
 *
 * A table describes a C struct: its JSON Schema, how JSON becomes such a struct, and back. Tables
 * are static data, written by hand or by `structure codegen` (docs/codegen.md). They are trusted:
 * offsets are not checked. Functions may be called from any thread.
 *
 * A struct belongs to the caller; what it points to is allocated by structure_type_decode and given
 * back by structure_type_clear with the same allocator (NULL: malloc).
 */

/* What a field is in C, and which JSON it takes. */
enum structure_field_kind {
    STRUCTURE_FIELD_BOOL = 0,   /* bool */
    STRUCTURE_FIELD_INT64 = 1,  /* int64_t; a number that is a whole one */
    STRUCTURE_FIELD_DOUBLE = 2, /* double: the nearest one */
    STRUCTURE_FIELD_STRING = 3, /* char *, NUL-terminated */
    STRUCTURE_FIELD_ENUM = 4,   /* int: the place in `values` of the string */
    STRUCTURE_FIELD_JSON = 5,   /* char *: any value, as compact JSON text */
    STRUCTURE_FIELD_STRUCT = 6  /* the struct of `type` */
};

enum structure_field_flags {
    STRUCTURE_FIELD_REQUIRED = 1, /* the member must be there */
    STRUCTURE_FIELD_NULLABLE = 2, /* it may be null */
    STRUCTURE_FIELD_ARRAY = 4,    /* T *, and a size_t at count_offset */
    STRUCTURE_FIELD_POINTER = 8,  /* T *, NULL when absent or null (STRUCT only): recursion */
    STRUCTURE_FIELD_FURTHER = 16  /* all members that no other field has: an array of structs whose
                                     first field is the name (STRING) and second the value */
};

/* Of a member that need not be there, or may be null: an unsigned char at state_offset. */
enum structure_presence { STRUCTURE_ABSENT = 0, STRUCTURE_PRESENT = 1, STRUCTURE_NULL = 2 };

struct structure_type;

struct structure_field {
    const char *name; /* of the member */
    enum structure_field_kind kind;
    unsigned flags;
    size_t offset;
    size_t count_offset;               /* ARRAY, FURTHER */
    size_t state_offset;               /* when not REQUIRED, or NULLABLE */
    const struct structure_type *type; /* STRUCT */
    const char *const *values;         /* ENUM */
    size_t value_count;
};

/* A bare type has one field, and its JSON is that field's: items of arrays inside arrays. */
struct structure_type {
    const char *name;
    size_t size;
    const struct structure_field *fields;
    size_t field_count;
    int is_bare;
    const char *schema; /* JSON Schema of it as text; NULL: that of the fields */
};

/* JSON becomes a struct. Every pointer of *value is overwritten; on failure it is all zero.
 * Members that the table does not have are left out. STRUCTURE_INVALID_REQUEST: the text is no
 * JSON, a member is missing or of another type, a number does not fit, a string holds U+0000, which
 * a C string cannot; the error has the pointer. This checks the table's types only: validate first
 * where the text is not trusted. */
STRUCTURE_API enum structure_kind structure_type_decode(const struct structure_type *type,
                                                        const char *text, size_t len,
                                                        const struct structure_allocator *allocator,
                                                        void *value, structure_error **out_error);

/* A struct becomes compact JSON, NUL-terminated, given back by structure_text_free.
 * STRUCTURE_INVALID_REQUEST: a string is not UTF-8 or NULL, a number is not finite, an enum is out
 * of range, a JSON text is none, structs are nested deeper than 128. */
STRUCTURE_API enum structure_kind structure_type_encode(const struct structure_type *type,
                                                        const void *value, char **out_text,
                                                        size_t *out_len,
                                                        structure_error **out_error);
STRUCTURE_API void structure_text_free(char *text); /* accepts NULL */

/* Gives back what the struct points to and makes it all zero; not the struct itself. */
STRUCTURE_API void structure_type_clear(const struct structure_type *type,
                                        const struct structure_allocator *allocator, void *value);

/* The schema of the type, compiled. */
STRUCTURE_API enum structure_kind structure_type_schema(const struct structure_type *type,
                                                        const struct structure_allocator *allocator,
                                                        structure_schema **out_schema,
                                                        structure_error **out_error);

/* complete_as: as structure_complete_json with a request for the type's schema
 * (structure_type_schema), decoded into *value with malloc. Not in a library that only validates.
 */
STRUCTURE_API enum structure_kind structure_complete_as(structure_model *model,
                                                        const structure_request *request,
                                                        const structure_cancel *cancel,
                                                        const struct structure_type *type,
                                                        void *value, structure_error **out_error);

#ifdef __cplusplus
}
#endif

#endif

/* api.h - what the files behind the public header share: the handles, and how failures leave.
 *
 * A handle keeps the allocator that it was made with, at an address that outlives what it owns.
 */
#ifndef STRUCTURE_API_API_H
#define STRUCTURE_API_API_H

#include "base/alloc.h"
#include "base/arena.h"
#include "base/status.h"
#include "schema/compile.h"
#include "schema/library.h"
#include "schema/validate.h"
#include "structure.h"

struct structure_error {
    struct error error;
};

struct structure_validate_options {
    struct json_options json;
    uint64_t steps_max;      /* 0: the default */
    uint32_t violations_max; /* 0: the default */
};

struct structure_document {
    struct alloc alloc;
    struct json_doc *doc;
};

struct structure_resources {
    struct alloc alloc;
    struct schema_library *library;
};

/* A format of the caller's, behind struct schema_custom_format. */
struct api_format {
    int (*matches)(void *state, const char *text, size_t len);
    void *state;
    size_t name_at; /* in the options' format_names */
};

struct structure_schema_options {
    struct schema_options options; /* without formats */
    struct buffer format_names;    /* NUL-terminated, one after the other */
    struct api_format *formats;
    uint32_t format_count;
    uint32_t format_capacity;
    void (*warn)(void *state, const structure_error *warning);
    void *warn_state;
};

struct structure_schema {
    struct alloc alloc;
    struct schema_program *program;
    struct api_format *formats; /* that the program calls */
    uint32_t format_count;
};

struct structure_report {
    struct alloc alloc;
    struct arena arena;
    struct schema_violation *items; /* all texts NUL-terminated */
    uint32_t count;
    bool is_valid;
    bool has_more;
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

/* The caller's options, or the defaults. */
const struct structure_validate_options *
api_validate_options(const struct structure_validate_options *options);

/* Judges a value and makes the report. */
enum status api_report(const structure_schema *schema, struct json instance,
                       const struct structure_validate_options *options, const struct alloc *alloc,
                       structure_report **out_report, struct error *error);

/* Copies violations. NO_MEMORY leaves *out_report alone. */
enum status api_report_new(bool is_valid, const struct schema_violations *violations,
                           const struct alloc *alloc, structure_report **out_report);

#endif

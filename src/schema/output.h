/* output.h - what happened at every keyword, in the forms that the specification lays down.
 *
 * A trace (trace.h) is an exhaustive run of a program over an instance. From it come the output
 * forms of 2019-09 and 2020-12 (core section 12: flag, basic, detailed, verbose), those of the
 * newer output specification (list, hierarchical), and the annotations one by one.
 *
 * The trace borrows program and instance: both must outlive it. Thread rule: one thread at a time.
 */
#ifndef STRUCTURE_SCHEMA_OUTPUT_H
#define STRUCTURE_SCHEMA_OUTPUT_H

#include "schema/program.h"

enum schema_output_form {
    SCHEMA_OUTPUT_FLAG,        /* {"valid": true} */
    SCHEMA_OUTPUT_BASIC,       /* one flat list of errors or of annotations */
    SCHEMA_OUTPUT_DETAILED,    /* the tree of what decided, without nodes that add nothing */
    SCHEMA_OUTPUT_VERBOSE,     /* the whole tree */
    SCHEMA_OUTPUT_LIST,        /* one flat list of subschemas with their errors and annotations */
    SCHEMA_OUTPUT_HIERARCHICAL /* the same as a tree */
};

/* "flag", "basic", ...; false for another name. */
bool schema_output_form_from(struct str name, enum schema_output_form *out_form);
const char *schema_output_form_name(enum schema_output_form form);

struct schema_trace;

/* Runs the whole program, also where the verdict is certain already. steps_max 0:
 * LIMIT_VALIDATE_STEPS. UNSUPPORTED: the steps or LIMIT_TRACE_UNITS are used up; NO_MEMORY. */
enum status schema_trace_new(const struct schema_program *program, struct json instance,
                             uint64_t steps_max, const struct alloc *alloc,
                             struct schema_trace **out_trace, struct error *error);
void schema_trace_free(struct schema_trace *trace); /* accepts NULL */

/* The same verdict as schema_is_valid. */
bool schema_trace_is_valid(const struct schema_trace *trace);

/* Appends one JSON object without a line end; indent as in json_write. UNSUPPORTED: out has reached
 * its maximum; NO_MEMORY. */
enum status schema_output_write(const struct schema_trace *trace, enum schema_output_form form,
                                unsigned indent, struct buffer *out, struct error *error);

/* Both in one; FLAG takes no trace. */
enum status schema_output(const struct schema_program *program, struct json instance,
                          enum schema_output_form form, unsigned indent, uint64_t steps_max,
                          const struct alloc *alloc, struct buffer *out, bool *out_valid,
                          struct error *error);

/* ---- annotations ----------------------------------------------------------------------------- */

struct schema_annotation {
    struct str instance_location; /* RFC 6901 */
    struct str schema_location;   /* of the subschema: its resource's URI, "#", a pointer */
    struct str keyword;
    struct str value; /* JSON text */
};

struct schema_annotations; /* a walk over the annotations of one trace */

enum status schema_annotations_new(const struct schema_trace *trace,
                                   struct schema_annotations **out_walk);
/* The next annotation, in the order of evaluation; false at the end, which an invalid instance
 * reaches at once, or when *out_status is no longer OK. Its strings last until the next call. */
bool schema_annotations_next(struct schema_annotations *walk, struct schema_annotation *out,
                             enum status *out_status);
void schema_annotations_free(struct schema_annotations *walk); /* accepts NULL */

#endif

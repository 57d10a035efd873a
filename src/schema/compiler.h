/* compiler.h - the state of one compilation and what its files ask of each other. Private to
 * src/schema.
 *
 * Failure is sticky: the first fault fills the error and sets `status`; everything that follows
 * does nothing.
 */
#ifndef STRUCTURE_SCHEMA_COMPILER_H
#define STRUCTURE_SCHEMA_COMPILER_H

#include "base/arena.h"
#include "regex/regex.h"
#include "schema/compile.h"
#include "schema/dialect.h"
#include "schema/internal.h"
#include "schema/vector.h"

/* A schema resource: the document itself or a subschema with an `$id`. */
struct compile_resource {
    struct str uri; /* absolute where the document says so, no fragment */
    struct json root;
};

struct compile_anchor {
    uint32_t resource;
    struct str name;
    struct json schema;
};

/* A reference that waits for all resources to be known. */
struct compile_reference {
    struct json value; /* the `$ref` string */
    uint32_t op;       /* its instruction */
    uint32_t resource; /* of the schema that holds it */
};

struct compiler {
    const struct alloc *alloc;
    const struct schema_options *options;
    struct error *error;
    enum status status;
    enum schema_dialect dialect;
    struct json_doc *doc;
    struct arena scratch;             /* resolved URIs */
    struct vector nodes;              /* struct schema_node */
    struct vector node_resources;     /* uint32_t, parallel to nodes */
    struct vector ops;                /* struct schema_op */
    struct vector children;           /* uint32_t */
    struct vector properties;         /* struct schema_property */
    struct vector pattern_properties; /* struct schema_pattern_property */
    struct vector patterns;           /* struct schema_pattern */
    struct vector names;              /* struct str */
    struct vector values;             /* struct json */
    struct vector decimals;           /* struct decimal */
    struct vector resources;          /* struct compile_resource */
    struct vector anchors;            /* struct compile_anchor */
    struct vector references;         /* struct compile_reference */
    struct regex_budget regex_budget; /* of all patterns */
    uint64_t reference_steps;         /* taken to follow them */
    uint32_t *locations;              /* hash table: schema in the document → node + 1 */
    uint32_t location_slots;
};

/* The keywords of one schema object. */
struct compile_scope {
    uint32_t node;
    uint32_t resource;
    struct json found[KEYWORD_COUNT];
};

/* compile.c */
void *compile_push(struct compiler *compiler, struct vector *vector);
uint32_t compile_node_for(struct compiler *compiler, struct json schema, uint32_t resource);
/* Fails with INVALID_SCHEMA at a place of the schema document. */
void compile_fail(struct compiler *compiler, struct json at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void compile_hint(struct compiler *compiler, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void compile_no_memory(struct compiler *compiler);
void compile_warn(struct compiler *compiler, struct json at, const char *hint, const char *format,
                  ...) __attribute__((format(printf, 4, 5)));

/* rules.c: the value of a keyword against the meta-schema. */
void compile_check_rule(struct compiler *compiler, const struct schema_keyword_row *row,
                        struct json value);
/* The bits of a type name; 0 for an unknown one. */
uint8_t compile_type_bits(struct str name);

/* emit.c: the instructions of one schema object. */
void compile_emit(struct compiler *compiler, const struct compile_scope *scope);

/* reference.c: `$id`, anchors and `$ref`. */
uint32_t compile_identify(struct compiler *compiler, uint32_t resource, struct json schema,
                          struct json id);
void compile_add_anchor(struct compiler *compiler, uint32_t resource, struct str name,
                        struct json schema, struct json at);
void compile_resolve(struct compiler *compiler, const struct compile_reference *reference);

/* link.c: the finished program, with its checks. NULL when the status says why. */
struct schema_program *compile_link(struct compiler *compiler);

/* tables.c: what the validator wants to know beforehand. False when memory is used up. */
bool schema_build_tables(struct schema_program *program, struct schema_internal *internal,
                         struct schema_op *ops, struct schema_property *properties);

#endif

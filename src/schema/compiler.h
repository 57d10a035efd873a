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
#include "schema/hash_index.h"
#include "schema/internal.h"
#include "schema/pointer_steps.h"
#include "schema/vector.h"

/* A schema resource: a document, or a subschema with an `$id`. */
struct compile_resource {
    struct str uri; /* absolute where the document says so, no fragment */
    struct json root;
    struct schema_dialect_use use;
};

/* A resource may have several: where it was registered, and what it calls itself. */
struct compile_uri {
    struct str text;
    uint32_t resource;
};

struct compile_anchor {
    uint32_t resource;
    bool is_dynamic;
    struct str name; /* no bytes: $recursiveAnchor */
    struct json schema;
};

/* A reference that waits for all resources to be known. */
struct compile_reference {
    struct json value; /* the keyword's string */
    uint32_t op;       /* its instruction, SCHEMA_OP_REF until the target says otherwise */
    uint32_t resource; /* of the schema that holds it */
    uint8_t keyword;   /* KEYWORD_REF, KEYWORD_DYNAMIC_REF or KEYWORD_RECURSIVE_REF */
};

/* An anchor that dynamic references name, and how many schemas have it. */
struct compile_dynamic_name {
    struct str name;
    uint32_t rows;
};

struct compiler {
    const struct alloc *alloc;
    const struct schema_options *options;
    struct error *error;
    enum status status;
    struct schema_dialect_use use;         /* of the schema object that is being read */
    struct schema_dialect_use use_default; /* where a document does not say */
    struct json_doc *doc;                  /* the caller's */
    struct vector documents;               /* struct json_doc *: built-in ones that were reached */
    struct arena scratch;                  /* URIs of resources */
    size_t uri_bytes;                      /* of them together */
    struct buffer absolute;                /* the URI that was resolved last */
    struct buffer merged;
    struct vector nodes;              /* struct schema_node */
    struct vector ops;                /* struct schema_op */
    struct vector children;           /* uint32_t */
    struct vector properties;         /* struct schema_property */
    struct vector pattern_properties; /* struct schema_pattern_property */
    struct vector patterns;           /* struct schema_pattern */
    struct vector names;              /* struct str */
    struct vector values;             /* struct json */
    struct vector decimals;           /* struct decimal */
    struct vector resources;          /* struct compile_resource */
    struct vector uris;               /* struct compile_uri */
    struct vector anchors;            /* struct compile_anchor */
    struct vector references;         /* struct compile_reference */
    struct vector dynamic_names;      /* struct compile_dynamic_name */
    struct vector dynamic_anchors;    /* struct schema_dynamic_anchor */
    struct hash_index uri_index;
    struct hash_index anchor_index;
    struct hash_index reference_index; /* resolved ones */
    struct hash_index pattern_index;
    struct hash_index dynamic_index; /* dynamic_names */
    struct pointer_steps steps;
    uint32_t warnings;                /* told so far */
    struct regex_budget regex_budget; /* of all patterns */
    uint32_t *locations;              /* hash table: schema in a document → node + 1 */
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
const struct schema_node *compile_node_at(const struct compiler *compiler, uint32_t index);
uint32_t compile_node_for(struct compiler *compiler, struct json schema, uint32_t resource);
/* The node of a value that is known as a schema, or SCHEMA_NONE. */
uint32_t compile_known_node(const struct compiler *compiler, struct json value);
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

/* meta_check.c: the document against the meta-schema of its own that `$schema` names. */
void compile_check_meta(struct compiler *compiler, struct json root);

/* emit.c: the instructions of one schema object. */
void compile_emit(struct compiler *compiler, const struct compile_scope *scope);

/* resource.c: documents, `$schema`, `$id`, anchors. */
struct compile_resource *compile_resource_at(const struct compiler *compiler, uint32_t index);
/* An absolute URI, good until the next call; no bytes when it is too long. text has no fragment. */
struct str compile_absolute(struct compiler *compiler, struct str base, struct str text);
/* SCHEMA_NONE when memory is used up. uri may have no bytes. */
uint32_t compile_add_resource(struct compiler *compiler, struct str uri, struct json root,
                              const struct schema_dialect_use *use);
/* The resource with that absolute URI. A document of the library or a built-in one is brought in;
 * *out_loaded then says that its schemas have to be read first. SCHEMA_NONE: there is none. */
uint32_t compile_find_resource(struct compiler *compiler, struct str uri, bool *out_loaded);
/* How the schema object is to be read: like its resource, or as its own `$schema` says. */
struct schema_dialect_use compile_use_of(struct compiler *compiler, struct json schema,
                                         uint32_t resource);
/* What a `$schema` names. */
bool compile_read_dialect(struct compiler *compiler, struct json value,
                          struct schema_dialect_use *out_use);
/* The resource that a schema with this `$id` belongs to from here on. */
uint32_t compile_identify(struct compiler *compiler, uint32_t resource, struct json schema,
                          struct json id);
void compile_add_anchor(struct compiler *compiler, const struct compile_anchor *anchor,
                        struct json at);
const struct compile_anchor *compile_find_anchor(const struct compiler *compiler, uint32_t resource,
                                                 struct str name);

/* reference.c: `$ref` and its dynamic relatives. */
void compile_resolve(struct compiler *compiler, uint32_t item); /* number in references */
/* When all references are resolved: the rows of dynamic anchors. */
void compile_settle_dynamic(struct compiler *compiler);

/* link.c: the finished program, with its checks. NULL when the status says why. */
struct schema_program *compile_link(struct compiler *compiler);

/* tables.c: what the validator wants to know beforehand. False when memory is used up. */
bool schema_build_tables(struct schema_program *program, struct schema_internal *internal,
                         struct schema_op *ops, struct schema_property *properties);

#endif

/* plan.h - the structs that a schema becomes, before any text. Private to src/codegen. */
#ifndef STRUCTURE_CODEGEN_PLAN_H
#define STRUCTURE_CODEGEN_PLAN_H

#include "base/arena.h"
#include "codegen/codegen.h"

enum {
    PLAN_TYPES_MAX = 4000,
    PLAN_PLACE_MAX = 32, /* nodes that apply to one place */
    PLAN_ENUM_MAX = 500, /* values that become constants; more are a string */
    PLAN_LISTS_MAX = 8,  /* arrays inside arrays; deeper ones are JSON */
    PLAN_NONE = -1
};

/* As enum structure_field_kind. */
enum plan_kind {
    PLAN_BOOL,
    PLAN_INT64,
    PLAN_DOUBLE,
    PLAN_STRING,
    PLAN_ENUM,
    PLAN_JSON,
    PLAN_STRUCT
};

/* All nodes of the program that apply to a place. */
struct plan_place {
    uint32_t nodes[PLAN_PLACE_MAX];
    uint32_t count;
    uint8_t types;
    bool overflows;
};

struct plan_field {
    struct str name;   /* of the member; empty in a bare type */
    struct str c_name; /* unique in the struct */
    enum plan_kind kind;
    bool is_required, is_nullable, is_list, is_pointer, is_further;
    int type;                  /* STRUCT */
    const struct json *values; /* ENUM: strings */
    uint32_t value_count;
    struct str enum_name; /* ENUM: of the C enum */
    uint32_t source;      /* program node for its comment, or SCHEMA_NONE */
};

struct plan_type {
    struct str c_name;
    struct plan_place place; /* of the object; empty for bare types and entries */
    struct plan_field *fields;
    uint32_t field_count;
    bool is_bare;
    uint32_t source;
};

struct plan {
    const struct schema_program *program;
    const struct alloc *alloc;
    struct arena *arena;
    struct plan_type *types; /* the first is the root */
    int type_count, type_capacity;
    uint32_t list_depth; /* arrays around the place that is looked at */
    int *order;          /* types so that what a struct holds comes before it */
    int order_count;
    struct error *error;
    enum status status; /* sticky */
};

/* plan->program, alloc, arena and error are set. */
enum status plan_build(struct plan *plan, struct str name);
void plan_release(struct plan *plan);

/* A C identifier of the text, which is kept in the arena. */
struct str plan_identifier(struct plan *plan, struct str text);
/* base, or with _2, _3, ... when a field of the type has it already (its count and presence too).
 */
struct str plan_member_name(struct plan *plan, const struct plan_type *type, struct str base);
/* prefix and suffix with '_' between, unique among structs and enums. */
struct str plan_type_name(struct plan *plan, struct str prefix, struct str suffix);

#endif

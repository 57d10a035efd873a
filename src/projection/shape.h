/* shape.h - the shape of answers: what a schema admits, place by place, in forms that a wire takes.
 *
 * Private to src/projection. A shape is a graph of nodes. A node stands for a conjunction of nodes
 * of the program (references, allOf and chosen alternatives are gone) and has one form: a scalar
 * type, an object, a list of pairs, an array, a tuple, a union of such, or a place that is free.
 * shape_*.c build it from the program, fit.c makes it keep the limits; the rest of the module only
 * reads it: emit.c writes it for the wire, watch.c for the push validator, invert.c and convert.c
 * translate values.
 *
 * Invariants: every value that the program admits and that has only declared members (projection.h)
 * is admitted by the shape; nodes refer to nodes of the same shape; a union has two or more parts,
 * none of which is a union.
 */
#ifndef STRUCTURE_PROJECTION_SHAPE_H
#define STRUCTURE_PROJECTION_SHAPE_H

#include "base/arena.h"
#include "projection/projection.h"

enum shape_kind {
    SHAPE_OPEN, /* not filled yet; never after building */
    SHAPE_FREE, /* {}: any value */
    SHAPE_TEXT, /* a string that holds a JSON text */
    SHAPE_NULL,
    SHAPE_BOOLEAN,
    SHAPE_INTEGER,
    SHAPE_NUMBER,
    SHAPE_STRING,
    SHAPE_OBJECT,
    SHAPE_PAIRS, /* a map as an array of {key, value} */
    SHAPE_ARRAY,
    SHAPE_TUPLE, /* an array as an object with the members "1", "2", ... */
    SHAPE_UNION
};

/* Why a place is a text, or free though the target is not. */
enum shape_why {
    SHAPE_WHY_NONE,
    SHAPE_WHY_ANY, /* the target takes any value, or any object */
    SHAPE_WHY_ENUM,
    SHAPE_WHY_NEVER, /* no value is valid */
    SHAPE_WHY_RECURSIVE,
    SHAPE_WHY_UNION,
    SHAPE_WHY_UNIONS,
    SHAPE_WHY_DEPTH,
    SHAPE_WHY_PROPERTIES,
    SHAPE_WHY_NAMES,
    SHAPE_WHY_BYTES,
    SHAPE_WHY_OPTIONAL,
    SHAPE_WHY_LARGE /* more alternatives or subschemas than are followed */
};

enum shape_presence {
    SHAPE_REQUIRED,
    SHAPE_OPTIONAL,
    SHAPE_NULLABLE, /* always there; null when absent */
    SHAPE_LISTED    /* in the list of further members */
};

/* What an object may hold beside its members. */
enum shape_extra {
    SHAPE_EXTRA_UNSAID, /* the target does not say */
    SHAPE_EXTRA_NONE,
    SHAPE_EXTRA_MAP,  /* members with values of `value` */
    SHAPE_EXTRA_LIST, /* the same as a list of pairs, the member list_name */
};

/* Keywords of a form, at most one instruction each; others are only said in words. */
enum shape_fact_kind {
    FACT_MINIMUM,
    FACT_MAXIMUM,
    FACT_MULTIPLE_OF,
    FACT_MIN_LENGTH,
    FACT_MAX_LENGTH,
    FACT_PATTERN,
    FACT_FORMAT,
    FACT_MIN_ITEMS,
    FACT_MAX_ITEMS,
    FACT_UNIQUE_ITEMS,
    FACT_MIN_PROPERTIES,
    FACT_MAX_PROPERTIES,
    FACT_COUNT
};

struct shape_fact {
    uint32_t node;
    uint32_t op; /* ops[] index; SCHEMA_NONE: no such fact */
};

struct shape_member {
    struct str name;
    uint32_t node;
    uint32_t source; /* program node whose title and description the member has */
    uint8_t presence;
    bool required;   /* by the target */
    bool takes_null; /* the target takes null there */
};

struct shape_node {
    uint8_t kind;
    uint8_t why;
    uint8_t extra;
    bool is_listed_wide; /* the list of further members holds JSON texts */
    bool is_changed;     /* values here or below differ between target and wire */
    bool is_definition;
    bool is_enum_cut;  /* more values than the wire takes: in words */
    bool is_items_cut; /* maxItems is over a limit: in words */
    bool is_ended;     /* ARRAY, TUPLE: no items beyond the parts */
    uint32_t source;   /* program node for its pointer */
    const uint32_t *nodes;
    uint32_t node_count;
    const uint32_t *taken; /* ops[] indices of alternatives that were followed */
    uint32_t taken_count;
    struct shape_fact facts[FACT_COUNT];
    const struct shape_fact *rest; /* in words only */
    uint32_t rest_count;
    const struct json *values; /* enum; NULL: none */
    uint32_t value_count;
    struct shape_member *members; /* OBJECT, TUPLE */
    uint32_t member_count;
    uint32_t key;          /* PAIRS, OBJECT with a map */
    uint32_t value;        /* the same; items of ARRAY, further items of TUPLE; or SHAPE_NO_NODE */
    uint32_t *parts;       /* UNION; leading items of ARRAY */
    uint32_t part_count;   /* UNION, ARRAY */
    struct str list_name;  /* OBJECT, TUPLE */
    uint32_t key_pattern;  /* STRING as a key: patterns[] index or SCHEMA_NONE */
    struct str definition; /* its name when is_definition */
    /* found by fit.c */
    uint32_t references;
    uint32_t depth;
    uint32_t occurrences; /* in the text of the wire schema */
    uint32_t mark;
};

#define SHAPE_NO_NODE UINT32_MAX
#define SHAPE_NEVER   (UINT32_MAX - 1) /* in place of a node: no value is valid */

/* How the target's value and the need object share the root. */
enum shape_envelope {
    SHAPE_DIRECT,    /* the target alone */
    SHAPE_WRAPPED,   /* {data}: the target alone, which is no object */
    SHAPE_EITHER,    /* anyOf at the root */
    SHAPE_NULLABLES, /* {data: ... or null, need: string or null} */
    SHAPE_OPTIONALS  /* the same with members left out */
};

struct shape {
    const struct schema_program *program;
    const struct wire_rules *rules; /* as the rung leaves them */
    const struct alloc *alloc;
    struct arena *arena;
    struct shape_node *nodes;
    uint32_t count;
    uint32_t capacity;
    uint32_t root;
    enum projection_rung rung;
    struct str need_name; /* empty: no need object */
    struct str data_name; /* of the member that holds the target's value in an envelope */
    enum shape_envelope envelope;
    uint32_t depth; /* levels of the wire schema, found by shape_fit */
};

/* The rules take the keyword at all; the keyword can stand for a form that values need. */
static inline bool wire_takes(const struct wire_rules *rules, enum wire_feature feature)
{
    return rules->support[feature] != WIRE_REJECTED;
}

static inline bool wire_keeps(const struct wire_rules *rules, enum wire_feature feature)
{
    return rules->support[feature] == WIRE_ENFORCED ||
           (rules->support[feature] == WIRE_ACCEPTED && !rules->is_strict);
}

static inline bool shape_is_scalar(enum shape_kind kind)
{
    return kind >= SHAPE_NULL && kind <= SHAPE_STRING;
}

static inline bool shape_is_text(enum shape_kind kind)
{
    return kind == SHAPE_STRING || kind == SHAPE_TEXT;
}

/* Nodes that a node leads to, by number from 0; false: no more. SHAPE_NO_NODE stands for one that
 * is left out. */
bool shape_child(const struct shape_node *node, uint32_t index, uint32_t *out_child);

/* Builds the shape of the program's root. shape->program, rules, alloc, arena and rung are set.
 * NO_MEMORY; UNSUPPORTED. shape_release frees the nodes, the rest lies in the arena. */
enum status shape_build(struct shape *shape, struct error *error);
void shape_release(struct shape *shape);

/* An empty node at the end; NULL when memory is used up. Pointers to nodes are lost. */
struct shape_node *shape_push(struct shape *shape);

/* Makes a place a string with a JSON text, or a free place where the rules take one. */
void shape_make_free(const struct shape *shape, struct shape_node *node, enum shape_why why);

/* Unions of unions become one; forms that could be taken for each other in one union are told
 * apart, or the place becomes a text. False: memory is used up. */
bool shape_flatten(struct shape *shape);
bool shape_settle(struct shape *shape);

/* Recursion is unrolled where the wire takes none. */
enum status shape_unroll(struct shape *shape, struct error *error);
/* Limits: the presence of optional members, texts in place of what is too deep or too much,
 * definitions, the envelope. depth_max 0: that of the rules. May be called again with less. */
enum status shape_fit(struct shape *shape, uint32_t depth_max, struct error *error);
/* Whether null can be added to a node's schema without an alternative, and at all. */
bool shape_adds_null(const struct shape *shape, const struct shape_node *node);
bool shape_can_null(const struct shape *shape, const struct shape_node *node);
/* What a union is on the wire. */
struct shape_union {
    uint32_t rest; /* parts that are not null */
    uint32_t only; /* that part, when there is one */
    bool has_null;
    bool is_bare; /* a list of types says it all */
};
struct shape_union shape_union_of(const struct shape *shape, const struct shape_node *node);

/* The object has a list of further members. */
static inline bool shape_has_list(const struct shape_node *node)
{
    return node->extra == SHAPE_EXTRA_LIST || node->is_listed_wide;
}

/* The value of a fact's keyword in the schema, and its name. */
struct json shape_fact_value(const struct schema_program *program, struct shape_fact fact);
struct str shape_fact_keyword(const struct schema_program *program, struct shape_fact fact);

#endif

/* program.h - a compiled JSON Schema: the flat form that the validator, the decoder and the prompt
 * read.
 *
 * The compiler (compile.h) turns a schema document into one array of nodes, one node a distinct
 * subschema, and one array of 16-byte instructions; a node names its run of instructions.
 * Everything else (children, properties, constants, decimals) lies in side tables that instructions
 * index. The program owns all of it, keeps the schema document, and is immutable: it may be shared
 * between threads and between calls.
 *
 * References are resolved to node indices at compile time; a chain of references that consumes no
 * instance was refused there. Node 0 is the root.
 */
#ifndef STRUCTURE_SCHEMA_PROGRAM_H
#define STRUCTURE_SCHEMA_PROGRAM_H

#include <stdint.h>

#include "base/decimal.h"
#include "json/json.h"

struct regex; /* regex/regex.h */

/* Types of instances as bits; a number is INTEGER when its exact value is one (1.0 is). */
enum schema_type_bit {
    SCHEMA_NULL = 1 << 0,
    SCHEMA_BOOLEAN = 1 << 1,
    SCHEMA_INTEGER = 1 << 2,
    SCHEMA_FRACTION = 1 << 3, /* a number that is no integer */
    SCHEMA_STRING = 1 << 4,
    SCHEMA_ARRAY = 1 << 5,
    SCHEMA_OBJECT = 1 << 6,
    SCHEMA_ANY = 127
};
#define SCHEMA_NUMBER (SCHEMA_INTEGER | SCHEMA_FRACTION)

enum schema_format {
    SCHEMA_FORMAT_UNKNOWN, /* an annotation, always satisfied */
    SCHEMA_FORMAT_DATE_TIME,
    SCHEMA_FORMAT_DATE,
    SCHEMA_FORMAT_TIME,
    SCHEMA_FORMAT_DURATION,
    SCHEMA_FORMAT_EMAIL,
    SCHEMA_FORMAT_HOSTNAME,
    SCHEMA_FORMAT_IPV4,
    SCHEMA_FORMAT_IPV6,
    SCHEMA_FORMAT_URI,
    SCHEMA_FORMAT_URI_REFERENCE,
    SCHEMA_FORMAT_UUID,
    SCHEMA_FORMAT_JSON_POINTER,
    SCHEMA_FORMAT_RELATIVE_JSON_POINTER,
    SCHEMA_FORMAT_URI_TEMPLATE,
    SCHEMA_FORMAT_REGEX,
    SCHEMA_FORMAT_IDN_EMAIL,
    SCHEMA_FORMAT_IDN_HOSTNAME,
    SCHEMA_FORMAT_IRI,
    SCHEMA_FORMAT_IRI_REFERENCE,
    SCHEMA_FORMAT_HOSTNAME_1123 /* what draft-04 and draft-06 call hostname */
};

/* From here on: custom_formats[format - SCHEMA_FORMAT_CUSTOM]. */
#define SCHEMA_FORMAT_CUSTOM 64u

/* What contentEncoding and contentMediaType ask of a string. */
enum schema_content { SCHEMA_CONTENT_BASE64 = 1, SCHEMA_CONTENT_JSON = 2 };

/* A format of the caller's. matches must be pure and safe in any thread. */
struct schema_custom_format {
    struct str name;
    bool (*matches)(void *state, struct str text);
    void *state;
};

#define SCHEMA_NONE UINT32_MAX /* no node, no limit, no index */

/* An instruction applies only to instances whose type bit is in `types`. Operands a, b, c by
 * opcode. */
enum schema_opcode {
    SCHEMA_OP_TYPE,    /* a: admissible type bits; b: 1 when an integer must be written as one */
    SCHEMA_OP_ENUM,    /* a: first in values[], b: count (const is an enum of one, flag IS_CONST) */
    SCHEMA_OP_MINIMUM, /* a: decimals[] index; flag EXCLUSIVE */
    SCHEMA_OP_MAXIMUM, /* a: decimals[] index; flag EXCLUSIVE */
    SCHEMA_OP_MULTIPLE_OF, /* a: decimals[] index */
    SCHEMA_OP_MIN_LENGTH,  /* a: code points (saturated at SCHEMA_NONE) */
    SCHEMA_OP_MAX_LENGTH,  /* a */
    SCHEMA_OP_PATTERN,     /* a: patterns[] index */
    SCHEMA_OP_FORMAT,  /* a: enum schema_format, or SCHEMA_FORMAT_CUSTOM + custom_formats[] index */
    SCHEMA_OP_CONTENT, /* a: enum schema_content bits; asserted by draft-07 only */
    SCHEMA_OP_PREFIX_ITEMS, /* a: first in children[], b: count */
    SCHEMA_OP_ITEMS,        /* a: node, b: first index it applies to */
    SCHEMA_OP_CONTAINS,     /* a: node, b: at least (minContains, 1), c: at most or SCHEMA_NONE */
    SCHEMA_OP_MIN_ITEMS,    /* a */
    SCHEMA_OP_MAX_ITEMS,    /* a */
    SCHEMA_OP_UNIQUE_ITEMS,
    SCHEMA_OP_PROPERTIES, /* a: first in properties[], b: count, sorted as in the schema document */
    SCHEMA_OP_PATTERN_PROPERTIES, /* a: first in pattern_properties[], b: count */
    SCHEMA_OP_ADDITIONAL,         /* a: node for members that neither of the two above evaluated */
    SCHEMA_OP_PROPERTY_NAMES,     /* a: node */
    SCHEMA_OP_REQUIRED,           /* a: first in names[], b: count */
    SCHEMA_OP_MIN_PROPERTIES,     /* a */
    SCHEMA_OP_MAX_PROPERTIES,     /* a */
    SCHEMA_OP_DEPENDENT_REQUIRED, /* a: name index in names[], b: first in names[], c: count */
    SCHEMA_OP_DEPENDENT_SCHEMA,   /* a: name index in names[], b: node */
    SCHEMA_OP_REF,                /* a: node */
    SCHEMA_OP_ALL_OF,             /* a: first in children[], b: count */
    SCHEMA_OP_ANY_OF,             /* a, b as above */
    SCHEMA_OP_ONE_OF,             /* a, b as above */
    SCHEMA_OP_NOT,                /* a: node */
    SCHEMA_OP_IF,                 /* a: if, b: then or SCHEMA_NONE, c: else or SCHEMA_NONE */
    /* $dynamicRef, $recursiveRef whose target depends on the dynamic scope. a: the node it leads
     * to where the scope has no row; b: anchor, which rows of dynamic_anchors[] carry. */
    SCHEMA_OP_DYNAMIC_REF,
    /* Last in their node, because they apply to what nothing else in it evaluated. */
    SCHEMA_OP_UNEVALUATED_ITEMS,     /* a: node */
    SCHEMA_OP_UNEVALUATED_PROPERTIES /* a: node */
};

enum schema_op_flag { SCHEMA_OP_EXCLUSIVE = 1, SCHEMA_OP_IS_CONST = 2 };

struct schema_op {
    uint8_t opcode; /* enum schema_opcode */
    uint8_t types;  /* type bits it applies to */
    uint16_t flags;
    uint32_t a, b, c;
};

struct schema_node {
    uint8_t types;     /* other instances are invalid: `type` and what follows; 0: false schema */
    uint8_t dialect;   /* enum schema_dialect of its resource (dialect.h) */
    uint32_t op_first; /* in ops[]; SCHEMA_OP_TYPE comes first when present */
    uint32_t op_count;
    uint32_t resource;  /* resources[] index: entering another one extends the dynamic scope */
    struct json schema; /* the subschema in the document: an object, true or false */
};

struct schema_property {
    struct str name;
    uint32_t hash; /* json_key_hash(name) */
    uint32_t node;
    bool required; /* named by `required` of the same node */
};

struct schema_pattern_property {
    uint32_t pattern; /* patterns[] index */
    uint32_t node;
};

struct schema_pattern {
    struct str source; /* as written in the schema */
    struct regex *regex;
};

/* A schema resource: a document, or a subschema with an identifier of its own. */
struct schema_resource {
    struct str uri; /* absolute where the schema says so, without fragment */
    struct json root;
};

/* Where an anchor leads while its resource is in the dynamic scope; sorted by resource, anchor. */
struct schema_dynamic_anchor {
    uint32_t resource;
    uint32_t anchor; /* the same number for the same name; one number for $recursiveAnchor */
    uint32_t node;
};

struct schema_program {
    const struct schema_node *nodes;
    uint32_t node_count;
    const struct schema_op *ops;
    uint32_t op_count;
    const uint32_t *children;
    const struct schema_property *properties;
    const struct schema_pattern_property *pattern_properties;
    const struct schema_pattern *patterns;
    const struct str *names;
    const struct json *values; /* enum and const members, in the schema document */
    const struct decimal *decimals;
    const struct schema_resource *resources; /* 0: the schema document */
    uint32_t resource_count;
    const struct schema_dynamic_anchor *dynamic_anchors;
    uint32_t dynamic_anchor_count;
    const struct schema_custom_format *custom_formats;
    struct json root;                       /* the schema document */
    const struct schema_internal *internal; /* validator's own tables; private to src/schema */
};

static inline const struct schema_op *schema_node_ops(const struct schema_program *program,
                                                      uint32_t node)
{
    return program->ops + program->nodes[node].op_first;
}

/* The first instruction with that opcode in a node, or NULL. */
const struct schema_op *schema_node_find(const struct schema_program *program, uint32_t node,
                                         enum schema_opcode opcode);

#endif

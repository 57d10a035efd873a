/* internal.h - the validator's own tables behind a program. Private to src/schema.
 *
 * Built once by link.c, read-only afterwards. Everything lies in the program's arena.
 */
#ifndef STRUCTURE_SCHEMA_INTERNAL_H
#define STRUCTURE_SCHEMA_INTERNAL_H

#include "base/arena.h"
#include "schema/program.h"

enum schema_node_flag {
    SCHEMA_NODE_TRIVIAL = 1, /* accepts everything */
    SCHEMA_NODE_FLAT = 2,    /* judged without judging other nodes */
    SCHEMA_NODE_SHARED = 4,  /* reached over several edges: worth remembering its verdicts */
    SCHEMA_NODE_TYPED = 8,   /* says no more than which types it takes */
    SCHEMA_NODE_KEPT = 16    /* its verdicts are asked for twice: remembered from the start */
};

/* A member name that a node knows, by `properties` or by `required`. */
struct schema_key {
    struct str name;
    uint32_t hash;     /* json_key_hash(name) */
    uint32_t node;     /* SCHEMA_NONE: only required */
    uint32_t required; /* number among the required names, or SCHEMA_NONE */
};

/* All that one pass over the members of an object judges for one node. */
struct schema_plan {
    const struct schema_key *keys;
    uint32_t key_count;
    const uint32_t *slots; /* open-addressing table of key numbers + 1; 0 is empty */
    uint32_t slot_mask;
    uint32_t required_count;
    uint32_t pattern_first; /* in pattern_properties[] */
    uint32_t pattern_count;
    uint32_t additional;     /* node or SCHEMA_NONE */
    uint32_t property_names; /* node or SCHEMA_NONE */
    uint32_t op_count;       /* instructions that the plan stands for, beginning with the first */
};

/* Hash table over the values of a large enum; an op's c is its index. */
struct schema_value_table {
    const uint32_t *slots; /* value index + 1; 0 is empty */
    uint32_t mask;
};

/* A cheap test that an alternative implies: the member `name` is one of values[first..], where
 * it is there; and it is there where it is required. */
struct schema_tag {
    struct str name;
    uint32_t hash;
    uint32_t first;
    uint32_t count; /* 0: no such test */
    bool required;
};

struct schema_fast;    /* fast.h */
struct schema_library; /* library.h */

struct schema_internal {
    const struct alloc *alloc;
    struct arena arena;
    struct json_doc *doc;
    struct json_doc *const *documents; /* built-in ones that references reach */
    uint32_t document_count;
    struct schema_library *library; /* a reference of the program's, or NULL */
    uint32_t pattern_count;
    const uint8_t *flags;        /* of nodes */
    const uint8_t *narrow_types; /* of nodes: types that references and alternatives leave */
    const uint32_t *alias; /* of nodes: the node that judges alike; itself if no mere `$ref` */
    const struct schema_plan *const *plans; /* of nodes, or NULL */
    const struct schema_value_table *value_tables;
    const struct schema_tag *tags;  /* of children[] */
    const struct schema_fast *fast; /* the quick program; NULL: only the judge judges */
};

enum { SCHEMA_SMALL_ENUM = 8 }; /* values up to which an enum is compared one by one */

/* The type bit of an instance value or of a member name. */
static inline uint8_t schema_type_of(struct json value)
{
    static const uint8_t bits[] = {
        [JSON_NULL] = SCHEMA_NULL,     [JSON_FALSE] = SCHEMA_BOOLEAN,
        [JSON_TRUE] = SCHEMA_BOOLEAN,  [JSON_NUMBER] = SCHEMA_INTEGER,
        [JSON_STRING] = SCHEMA_STRING, [JSON_ARRAY] = SCHEMA_ARRAY,
        [JSON_OBJECT] = SCHEMA_OBJECT, [JSON_NODE_NAME] = SCHEMA_STRING,
    };
    uint32_t type = json_node_type(value.node);
    if (type != JSON_NUMBER || json_number_is_plain(value))
        return bits[type];
    struct decimal number = json_number(value);
    return decimal_is_integer(&number) ? SCHEMA_INTEGER : SCHEMA_FRACTION;
}

/* Equal values have equal hashes; a member name hashes like the string. */
uint64_t schema_value_hash(struct json value);

/* Slots of a table for count entries: a power of two, at most half full. */
uint32_t schema_slots_for(uint32_t count);

/* The number of the key in the plan, or SCHEMA_NONE. */
static inline uint32_t schema_plan_find(const struct schema_plan *plan, struct str name,
                                        uint32_t hash)
{
    for (uint32_t at = hash;; at++) {
        uint32_t slot = plan->slots[at & plan->slot_mask];
        if (slot == 0)
            return SCHEMA_NONE;
        const struct schema_key *key = &plan->keys[slot - 1];
        if (key->hash == hash && str_equal(key->name, name))
            return slot - 1;
    }
}

/* The index-th node that an instruction refers to (SCHEMA_NONE for a part left out); false when
 * there are no more. *out_in_place: it judges the same instance value. */
bool schema_op_child(const struct schema_program *program, const struct schema_op *op,
                     uint32_t index, uint32_t *out_node, bool *out_in_place);

/* The keyword that an instruction stands for, and its value in the schema document. */
struct str schema_op_keyword(const struct schema_program *program, uint32_t node,
                             const struct schema_op *op);

#endif

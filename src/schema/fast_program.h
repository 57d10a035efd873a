/* fast_program.h - the layout of the quick program. Private to src/schema/fast*.c.
 *
 * A node is one subschema. What it says of an instance is sorted by the instance's class, so that
 * keywords of other types cost nothing: `accept` and `check` hold a bit for each kind (the low four
 * bits of a node's tag: the type, and whether a number is written as an integer); an instance
 * without its accept bit is invalid, one without its check bit needs no more than that, and for the
 * rest the list of its class is run. Indices into side tables are 32-bit; names are
 * copied with readable bytes behind them, so that comparisons load whole words.
 */
#ifndef STRUCTURE_SCHEMA_FAST_PROGRAM_H
#define STRUCTURE_SCHEMA_FAST_PROGRAM_H

#include "base/hash.h"
#include "base/wide.h"
#include "schema/fast.h"

enum fast_class {
    FAST_SCALAR, /* null, false, true */
    FAST_NUMBER,
    FAST_STRING, /* and member names */
    FAST_ARRAY,
    FAST_OBJECT,
    FAST_CLASS_COUNT
};

/* Kinds of instances. A string has two, by whether it is written with escapes. */
enum { FAST_KINDS = 16, FAST_KIND_PLAIN = JSON_NUMBER | JSON_NODE_INTEGER };

static inline unsigned fast_kind(const struct json_node *node)
{
    return node->tag & (FAST_KINDS - 1);
}

static inline enum fast_class fast_class_of(unsigned kind)
{
    static const uint8_t classes[FAST_KINDS] = {
        [JSON_NULL] = FAST_SCALAR,
        [JSON_FALSE] = FAST_SCALAR,
        [JSON_TRUE] = FAST_SCALAR,
        [JSON_NUMBER] = FAST_NUMBER,
        [FAST_KIND_PLAIN] = FAST_NUMBER,
        [JSON_STRING] = FAST_STRING,
        [JSON_STRING | JSON_NODE_ESCAPED] = FAST_STRING,
        [JSON_NODE_NAME] = FAST_STRING,
        [JSON_NODE_NAME | JSON_NODE_ESCAPED] = FAST_STRING,
        [JSON_ARRAY] = FAST_ARRAY,
        [JSON_OBJECT] = FAST_OBJECT,
    };
    return (enum fast_class)classes[kind];
}

struct fast_node {
    uint16_t accept;
    uint16_t check;
    uint32_t lists[FAST_CLASS_COUNT]; /* first instruction in ops[] */
};

enum fast_opcode {
    FAST_END,
    FAST_SKIP, /* nothing left of it */
    FAST_FAIL,
    FAST_LEAVE,   /* for the judge */
    FAST_INTEGER, /* b: 1 when it must be written as one */
    FAST_FRACTION,
    FAST_MIN, /* a: bounds[] index */
    FAST_MAX,
    FAST_MULTIPLE, /* a: decimals[] index of the semantic program */
    FAST_LENGTH,   /* a: at least, b: at most code points */
    FAST_PATTERN,  /* a: patterns[] index */
    FAST_FORMAT,   /* a: enum schema_format and above */
    FAST_CONTENT,  /* a: bits */
    FAST_STRINGS,  /* a: string_sets[] index */
    FAST_WORDS,    /* a: word_sets[] index */
    FAST_VALUES,   /* a: first in values[] of the semantic program, b: count */
    FAST_COUNT,    /* a: at least, b: at most items or members */
    FAST_ITEMS,    /* a: node, b: first index it applies to */
    FAST_ROWS,     /* items are arrays of scalars. a, b: as of COUNT, c: the kinds of the scalars */
    FAST_PREFIX,   /* a: first in children[], b: count */
    FAST_CONTAINS, /* a: node, b: at least, c: at most */
    FAST_UNIQUE,
    FAST_MEMBERS,   /* a: plans[] index */
    FAST_ONE,       /* the same of one name and nothing else */
    FAST_MAP,       /* the same without names */
    FAST_DEPENDENT, /* a: depends[] index */
    FAST_CALL,      /* a: node */
    FAST_ANY_OF,    /* a: first in children[], b: count, c: filters[] index or SCHEMA_NONE */
    FAST_ONE_OF,
    FAST_NOT, /* a: node */
    FAST_IF   /* a, b, c: nodes; b, c may be SCHEMA_NONE */
};

struct fast_op {
    uint32_t code;
    uint32_t a, b, c;
};

/* A limit of numbers. */
struct fast_bound {
    int64_t word; /* where it is an integer that fits: the inclusive bound */
    bool fits;
    bool exclusive;
    const struct decimal *exact;
};

struct fast_name {
    const char *ptr; /* JSON_PADDING_BYTES readable behind it */
    uint32_t len;
    uint32_t hash; /* json_key_hash */
};

/* Open addressing, at most a quarter full; `at` is the index of the row + 1, 0 is empty. */
struct fast_slot {
    uint32_t hash;
    uint32_t at;
};

/* What a member undergoes beside its property. */
enum { FAST_REST_PATTERNS = 1, FAST_REST_ADDITIONAL = 2, FAST_REST_NAMES = 4 };

/* A member that a plan names: half a cache line. kinds holds the accept bits of its node and, from
 * bit 16 on, its check bits, all of them when there is a rest. */
struct fast_member {
    uint64_t head[2]; /* the first FAST_HEAD_BYTES of the name, zeros behind them */
    uint32_t length;  /* UINT32_MAX: no member has this place */
    uint32_t node;
    uint32_t kinds;
    uint16_t tag;     /* high half of the name's hash */
    uint8_t required; /* 0 or 1 */
    uint8_t rest;
};

/* kinds >> kind & FAST_BOTH is FAST_AT_ONCE where a value needs no more than its kind. */
enum { FAST_BOTH = 0x10001, FAST_AT_ONCE = 1, FAST_CHECK_SHIFT = 16 };

enum { FAST_HEAD_BYTES = 16 };

struct fast_pattern {
    const struct regex *regex;
    uint32_t node;
    bool matches_all;
};

/* Where a name with a hash lies in a table: found without a search, because the moves were chosen
 * so that no two names of the table share a place. */
struct fast_places {
    const uint8_t *moves;
    uint32_t move_mask;
    uint32_t mask;
    uint32_t shift;
};

static inline uint32_t fast_place(const struct fast_places *places, uint32_t hash)
{
    return ((hash >> places->shift) + places->moves[hash & places->move_mask]) & places->mask;
}

/* One pass over the members of an object. */
struct fast_plan {
    struct fast_places places;
    struct fast_member *members; /* written to only while the program is built */
    const char *const
        *long_names; /* by place: names longer than a head; NULL when there are none */
    uint32_t key_count;
    uint32_t required_count;
    uint32_t only_hash;       /* of the name, when there is one */
    struct fast_member other; /* stands for names that are not in the table */
    uint32_t additional;      /* node or SCHEMA_NONE */
    uint32_t names;           /* node for member names, or SCHEMA_NONE */
    uint32_t pattern_count;
    const struct fast_pattern *patterns;
};

/* Strings that an enum lists: a table as of a plan, by fast_text_hash. */
struct fast_string_set {
    uint64_t lengths; /* bit min(length, 63) of each */
    struct fast_places places;
    struct fast_member *members; /* only their names count */
    const char *const *long_names;
};

/* Integers that an enum lists: nothing else of its numbers. */
struct fast_word_set {
    const int64_t *words;
    uint32_t count;
    uint32_t value_first; /* the enum, for numbers that are written in other ways */
    uint32_t value_count;
};

/* dependentRequired, dependentSchemas: what the presence of a member asks for. */
struct fast_depend {
    struct fast_name name;
    const struct fast_name *wanted;
    uint32_t wanted_count;
    uint32_t node; /* or SCHEMA_NONE */
};

enum { FAST_FILTER_BRANCHES = 64 };

/* What one member says of the branches of a union: those that are still possible. */
struct fast_filter_key {
    struct fast_name name;
    uint64_t by_kind[FAST_KINDS]; /* of the value */
    uint64_t required_by;
    uint32_t value_first; /* in values[] of the filter: what some branches list */
    uint32_t value_count;
    uint64_t other_strings; /* branches that take a string not listed */
    uint64_t other_numbers; /* branches that take an integer not listed */
    uint32_t required_bit;  /* number among the required keys, or SCHEMA_NONE */
};

/* Integers that are written as such are equal when their texts are; "-0" is not looked for. */
struct fast_filter_value {
    struct fast_name name;
    uint64_t branches;
    bool is_number;
};

struct fast_filter {
    const struct fast_slot *slots;
    uint32_t slot_mask;
    const struct fast_filter_key *keys;
    const struct fast_filter_value *values;
    uint64_t all;
    uint64_t open;                 /* branches that take members with other names */
    uint64_t required;             /* bits of the required keys */
    const uint32_t *required_keys; /* key of each such bit */
};

struct schema_fast {
    const struct schema_program *program;
    const struct fast_node *nodes;
    const struct fast_op *ops;
    const uint32_t *children;
    const struct fast_bound *bounds;
    const struct fast_plan *plans;
    const struct fast_string_set *string_sets;
    const struct fast_word_set *word_sets;
    const struct fast_depend *depends;
    const struct fast_filter *filters;
    uint32_t root;
    uint8_t root_types; /* of the semantic root, when it was built */
};

/* The masked words of a text of up to FAST_HEAD_BYTES, which has that many readable bytes. */
static inline void fast_head(const char *text, size_t length, uint64_t out_words[2])
{
    static const unsigned char masks[2 * FAST_HEAD_BYTES] = {
        255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    };
    uint64_t mask[2];
    memcpy(out_words, text, 2 * sizeof(out_words[0]));
    memcpy(mask, masks + FAST_HEAD_BYTES - length, sizeof(mask));
    out_words[0] &= mask[0];
    out_words[1] &= mask[1];
}

/* Not keyed: whoever makes a schema may make strings collide, and then has no table. */
static inline uint32_t fast_text_hash(const char *text, size_t length)
{
    uint64_t words[2] = { 0, 0 };
    uint64_t more = 0;
    if (length <= FAST_HEAD_BYTES)
        fast_head(text, length, words);
    else
        more = hash_bytes(text, length, FAST_HEAD_BYTES);
    struct wide product =
        wide_multiply(words[0] ^ UINT64_C(0x9E3779B97F4A7C15) ^ more,
                      words[1] ^ UINT64_C(0xD6E8FEB86659FD93) ^ (uint64_t)length << 32);
    uint64_t folded = product.high ^ product.low;
    return (uint32_t)(folded ^ folded >> 32);
}

/* Bytes of two names of the same length; both have JSON_PADDING_BYTES readable behind them. */
static inline bool fast_same_bytes(const char *a, const char *b, uint32_t len)
{
    static const unsigned char masks[32] = {
        255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    };
    if (len > 16)
        return memcmp(a, b, len) == 0;
    uint64_t left[2];
    uint64_t right[2];
    uint64_t mask[2];
    memcpy(left, a, sizeof(left));
    memcpy(right, b, sizeof(right));
    memcpy(mask, masks + 16 - len, sizeof(mask));
    return (((left[0] ^ right[0]) & mask[0]) | ((left[1] ^ right[1]) & mask[1])) == 0;
}

#endif

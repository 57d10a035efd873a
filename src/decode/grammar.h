/* grammar.h - the language in the form that states run on: rules, each a set of alternatives.
 *
 * A rule stands for a conjunction of schema nodes; its alternatives are the disjunctive normal form
 * of that conjunction, split by kind of value. Everything lives in the language's arena. Private to
 * src/decode.
 */
#ifndef STRUCTURE_DECODE_GRAMMAR_H
#define STRUCTURE_DECODE_GRAMMAR_H

#include "base/arena.h"
#include "decode/language.h"
#include "decode/leaf_format.h"
#include "decode/number.h"

enum {
    DECODE_STRING_SOFT = 240,   /* code points of a string without maxLength */
    DECODE_ITEMS_SOFT = 16,     /* items of an array without maxItems */
    DECODE_NEED_MAX = 200,      /* code points of the need text */
    DECODE_KEY_MAX = 64,        /* code points of a member name that no schema names */
    DECODE_DEPTH_MAX = 60,      /* frames of a thread */
    DECODE_THREADS_MAX = 16,    /* readings of a text that are followed at once */
    DECODE_SEEN_MAX = 96,       /* items and free names that a thread remembers */
    DECODE_WHITE_RUN_MAX = 2,   /* blanks or escaped line ends in a row */
    DECODE_FILLERS_MAX = 3,     /* bytes that make a closing text differ from those before */
    DECODE_BRANCHES_MAX = 64,   /* alternatives of one rule before splitting by kind */
    DECODE_MEMBERS_MAX = 10000, /* names of one object */
    DECODE_RULES_MAX = 50000
};
#define DECODE_LANGUAGE_BYTES (256u * 1024 * 1024)
#define DECODE_ENDLESS        UINT32_MAX /* no finite text */
#define RULE_NONE             UINT32_MAX

enum alt_kind { ALT_LITERALS, ALT_STRING, ALT_NUMBER, ALT_ARRAY, ALT_OBJECT };

struct literal {
    struct str text; /* compact JSON */
    uint64_t hash;   /* of the value, comparable with the hash of a written one */
    uint32_t source; /* offset in the prompt, or SCHEMA_NONE */
};

struct literals_alt {
    const struct literal *items; /* sorted by text */
    uint32_t count;
    bool numbers; /* some of them are numbers, which have no end of their own */
};

struct string_alt {
    uint32_t min_length, max_length; /* code points */
    enum schema_format format;       /* SCHEMA_FORMAT_UNKNOWN: none */
    bool grounded;
    bool is_key;
};

struct array_alt {
    const uint32_t *prefix; /* rules of the first items */
    uint32_t prefix_count;
    uint32_t items; /* rule of the others, RULE_NONE: no others */
    uint32_t min_items, max_items;
    bool unique;                     /* scalar items differ */
    uint32_t unique_op, unique_node; /* where the schema says so */
    bool fresh;                      /* grounded: items differ while the prompt has something new */
};

struct member {
    struct str key; /* "\"name\":" */
    uint64_t hash;  /* of the name, comparable with the hash of a written key */
    uint32_t rule;
    bool required;
};

struct object_alt {
    const struct member *members;
    uint32_t member_count;
    uint32_t required_count;
    uint32_t min_members, max_members;
    uint32_t extra_rule, extra_key_rule; /* free members; RULE_NONE: closed */
    uint32_t extra_max;
    uint64_t *tail_bytes;    /* [i]: of the required members from i on, each with its comma */
    uint32_t *tail_required; /* [i]: count of them */
    uint32_t *next_required; /* [i]: first required member at or after i, or member_count */
};

struct alt {
    enum alt_kind kind;
    uint32_t node;      /* schema node that it stands for */
    uint32_t min_bytes; /* of its shortest text, DECODE_ENDLESS: none */
    uint32_t min_depth; /* frames that this text needs */
    union {
        struct literals_alt literals;
        struct string_alt string;
        struct number_set number;
        struct array_alt array;
        struct object_alt object;
    } of;
};

struct rule {
    const uint32_t *alts;
    uint32_t alt_count;
    uint32_t node;
    uint32_t min_bytes, min_depth; /* of the alternative with the shortest text */
    uint32_t min_alt;
};

struct decode_language {
    const struct alloc *alloc;
    struct arena arena;
    const struct schema_program *program;
    struct decode_options options;
    struct rule *rules;
    uint32_t rule_count, rule_cap;
    struct alt *alts;
    uint32_t alt_count, alt_cap;
    uint32_t root; /* rule of the whole text */
    struct str need_name;
    struct str gaps;
};

/* Hashes of values as states compute them while writing: strings byte by byte (decoded), numbers by
 * value, containers from the hashes of their parts. */
#define VALUE_HASH_STRING 0xcbf29ce484222325u
#define VALUE_HASH_ARRAY  0x84222325cbf29ce4u
#define VALUE_HASH_OBJECT 0x9ce484222325cbf2u
static inline uint64_t value_hash_add(uint64_t hash, uint64_t word)
{
    return (hash ^ word) * 0x100000001b3u;
}

uint64_t value_hash_string(struct str text);
/* Of a JSON scalar or container given as value; matches what a state computes for the same value.
 */
uint64_t value_hash_json(struct json value);

#endif

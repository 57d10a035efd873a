/* build.h - what the parts of the language builder share: branches of a rule, growing tables, gaps.
 *
 * Private to src/decode. build_rules.c turns a conjunction of nodes into branches, build_leaf.c and
 * build_container.c turn a branch into alternatives, language.c owns the whole and its sizes.
 */
#ifndef STRUCTURE_DECODE_BUILD_H
#define STRUCTURE_DECODE_BUILD_H

#include "decode/grammar.h"

enum { BRANCH_NODES_MAX = 96, BRANCH_FORKS_MAX = 32, BRANCH_NAMES_MAX = 16, BRANCH_NOTS_MAX = 8 };

enum rule_flag {
    RULE_UNGROUNDED = 1, /* leaves below are free */
    RULE_KEY = 2,        /* a member name: strings only */
    RULE_NEED = 4        /* the text of the need object */
};

/* One conjunction without disjunctions left. */
struct branch {
    uint32_t nodes[BRANCH_NODES_MAX];
    uint32_t node_count, node_done;
    uint32_t forks[BRANCH_FORKS_MAX]; /* instructions that offer a choice, not yet taken */
    uint32_t fork_nodes[BRANCH_FORKS_MAX];
    uint32_t fork_count;
    struct str forbidden[BRANCH_NAMES_MAX];
    uint32_t forbidden_count;
    struct str needed[BRANCH_NAMES_MAX];
    uint32_t needed_count;
    uint32_t nots[BRANCH_NOTS_MAX]; /* enum instructions whose values are excluded */
    uint32_t not_nodes[BRANCH_NOTS_MAX];
    struct str not_names[BRANCH_NOTS_MAX]; /* of the member that they exclude values of; ptr NULL:
                                              the value itself */
    uint32_t not_count;
    uint8_t types;
    uint8_t flags; /* enum rule_flag */
};

struct rule_key {
    const uint32_t *nodes;
    uint32_t count;
    uint32_t flags;
    uint32_t node;
    uint32_t next;        /* same bucket */
    const uint32_t *nots; /* pairs of node and enum instruction */
    uint32_t not_count;
};

enum { BUILD_BUCKETS = 4096, BUILD_COMPARE_STEPS = 20000000 };

struct builder {
    struct decode_language *language;
    const struct schema_program *program;
    struct rule_key *keys; /* one a rule */
    uint32_t key_cap;
    uint32_t buckets[BUILD_BUCKETS];
    struct branch *branches; /* scratch, DECODE_BRANCHES_MAX of them */
    uint32_t branch_count;
    uint32_t *rule_alts; /* scratch: alternatives of the rule being built */
    uint32_t rule_alt_count, rule_alt_cap;
    struct literal *literals; /* scratch of the rule being built */
    uint32_t literal_count, literal_cap;
    uint64_t compare_steps;  /* of comparing values of enums, left */
    unsigned char *gap_seen; /* one bit an instruction */
    struct buffer gaps;
    struct error *error;
    enum status status; /* sticky */
};

bool build_failed(const struct builder *builder);
void build_no_memory(struct builder *builder);
/* Grows *array to hold `count` + 1 elements. */
bool build_reserve(struct builder *builder, void **array, uint32_t *cap, uint32_t count,
                   size_t size);

/* The rule of a conjunction; made on first use and filled later. */
uint32_t build_rule(struct builder *builder, const uint32_t *nodes, uint32_t count, uint32_t node,
                    uint32_t flags);
uint32_t build_rule_without(struct builder *builder, const uint32_t *nodes, uint32_t count,
                            uint32_t node, uint32_t flags, const uint32_t *nots,
                            uint32_t not_count);
void build_rule_fill(struct builder *builder, uint32_t rule);

/* Adds an alternative to the rule being filled; NULL when memory is out. */
struct alt *build_alt(struct builder *builder, enum alt_kind kind, uint32_t node);
void build_gap(struct builder *builder, uint32_t node, const struct schema_op *op);

void build_leaves(struct builder *builder, const struct branch *branch, uint32_t node);
void build_literal(struct builder *builder, struct str text, uint64_t hash, uint32_t source);
/* Sorts the literals gathered for the rule and makes an alternative of them. */
void build_literals_finish(struct builder *builder, uint32_t node);
void build_array(struct builder *builder, const struct branch *branch, uint32_t node);
void build_object(struct builder *builder, const struct branch *branch, uint32_t node);

/* Iterates over the instructions of a branch that have that opcode. */
struct branch_cursor {
    uint32_t node_index, op_index;
    uint32_t node;
};
const struct schema_op *branch_next(const struct builder *builder, const struct branch *branch,
                                    enum schema_opcode opcode, struct branch_cursor *cursor);

/* Sizes of the shortest texts by fixpoint. */
void language_sizes(struct decode_language *language);

#endif

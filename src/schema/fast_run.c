/* fast_run.c - runs the quick program over an instance.
 *
 * Owns: the run loop and its fuel. Leaves to others: equality and formats (json, format.c), large
 * `uniqueItems` (fast_unique.c). Invariants: calls nest at most FAST_DEPTH_MAX deep, whatever the
 * schema and the instance are; every loop over an instance takes fuel first; a verdict that cannot
 * be reached within them is unknown, never a guess.
 */
#include "base/features.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "regex/quick.h"
#include "schema/content.h"
#include "schema/fast_run.h"
#include "schema/format.h"

#define LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define NOINLINE            __attribute__((noinline)) /* keeps the frames of the others small */

/* A level takes some 350 bytes of stack. Texts of the default depth stay below the maximum. */
enum { FAST_DEPTH_MAX = 160, FAST_FUEL_PER_NODE = 32, FAST_FUEL_MIN = 4096, FAST_TEXT_STEP = 64 };

static enum fast_verdict run_list(struct fast_run *run, uint32_t list,
                                  const struct json_node *value, unsigned depth);

static inline enum fast_verdict verdict_of(bool valid)
{
    return valid ? FAST_VALID : FAST_INVALID;
}

static inline enum fast_verdict run_node(struct fast_run *run, uint32_t node,
                                         const struct json_node *value, unsigned depth)
{
    const struct fast_node *row = &run->fast->nodes[node];
    unsigned kind = fast_kind(value);
    if ((row->accept >> kind & 1) == 0)
        return FAST_INVALID;
    if ((row->check >> kind & 1) == 0)
        return FAST_VALID;
    return run_list(run, row->lists[fast_class_of(kind)], value, depth + 1);
}

static inline const struct json_node *node_after(const struct json_node *node)
{
    return node + (json_node_type(node) >= JSON_ARRAY ? node->aux : 1);
}

static inline uint32_t node_count(const struct json_node *container)
{
    return container->tag >> JSON_NODE_COUNT_SHIFT;
}

static inline struct json run_value(const struct fast_run *run, const struct json_node *node)
{
    return (struct json){ run->doc, node };
}

static inline uint32_t run_hash(const struct fast_run *run, const struct json_node *name)
{
    if ((name->tag & JSON_NODE_ESCAPED) == 0)
        return name->aux;
    return json_key_hash(json_node_text(run->doc, name));
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* The value of an integer of at most 18 digits, written as one. */
static inline bool number_word(const struct fast_run *run, const struct json_node *value,
                               int64_t *out_word)
{
    if ((value->tag & JSON_NODE_INTEGER) == 0 || value->length > 18)
        return false;
    const char *at = run->doc->text + value->offset;
    const char *end = at + value->length;
    bool negative = *at == '-';
    int64_t word = 0;
    for (at += negative; at < end; at++)
        word = word * 10 + (*at - '0');
    *out_word = negative ? -word : word;
    return true;
}

static NOINLINE bool run_bound(const struct fast_run *run, const struct fast_op *op,
                               const struct json_node *value)
{
    const struct fast_bound *bound = &run->fast->bounds[op->a];
    bool is_minimum = op->code == FAST_MIN;
    int64_t word;
    if (bound->fits && number_word(run, value, &word))
        return is_minimum ? word >= bound->word : word <= bound->word;
    struct decimal number = json_number(run_value(run, value));
    int order = decimal_compare(&number, bound->exact);
    if (order == 0)
        return !bound->exclusive;
    return is_minimum ? order > 0 : order < 0;
}

static NOINLINE bool run_is_integer(const struct fast_run *run, const struct fast_op *op,
                                    const struct json_node *value)
{
    if ((value->tag & JSON_NODE_INTEGER) != 0)
        return op->code == FAST_INTEGER;
    struct decimal number = json_number(run_value(run, value));
    bool is_integer = decimal_is_integer(&number) && op->b == 0;
    return op->code == FAST_INTEGER ? is_integer : !decimal_is_integer(&number);
}

static NOINLINE enum fast_verdict run_multiple(const struct fast_run *run, const struct fast_op *op,
                                               const struct json_node *value)
{
    struct decimal number = json_number(run_value(run, value));
    bool known;
    bool multiple = decimal_is_multiple(&number, &run->fast->program->decimals[op->a], &known);
    return known ? verdict_of(multiple) : FAST_UNKNOWN;
}

/* Whether the text, of at most FAST_HEAD_BYTES, is what a table's head holds. */
static inline bool head_is(const uint64_t head[2], const char *text, uint32_t length)
{
    uint64_t words[2];
    fast_head(text, length, words);
    return ((words[0] ^ head[0]) | (words[1] ^ head[1])) == 0;
}

/* ---- strings --------------------------------------------------------------------------------- */

static bool run_charge_text(struct fast_run *run, struct str text)
{
    return fast_charge(run, text.len / FAST_TEXT_STEP);
}

static NOINLINE enum fast_verdict run_length(struct fast_run *run, const struct fast_op *op,
                                             struct str text)
{
    size_t least = (text.len + UTF8_SEQUENCE_BYTES_MAX - 1) / UTF8_SEQUENCE_BYTES_MAX;
    if (least >= op->a && text.len <= op->b)
        return FAST_VALID;
    if (text.len < op->a || least > op->b)
        return FAST_INVALID;
    if (!run_charge_text(run, text))
        return FAST_UNKNOWN;
    size_t length = utf8_length(text);
    return verdict_of(length >= op->a && length <= op->b);
}

static enum fast_verdict run_regex(struct fast_run *run, const struct regex *regex, struct str text)
{
    if (!run_charge_text(run, text))
        return FAST_UNKNOWN;
    int quick = regex_quick_matches(regex, text);
    if (quick != REGEX_QUICK_UNKNOWN)
        return verdict_of(quick == REGEX_QUICK_YES);
    uint64_t steps = run->fuel * FAST_TEXT_STEP;
    uint64_t before = steps;
    bool matches;
    if (regex_matches(regex, text, run->alloc, &steps, &matches) != STATUS_OK)
        return FAST_UNKNOWN;
    return fast_charge(run, (before - steps) / FAST_TEXT_STEP) ? verdict_of(matches) : FAST_UNKNOWN;
}

static NOINLINE enum fast_verdict run_pattern(struct fast_run *run, const struct fast_op *op,
                                              struct str text)
{
    return run_regex(run, run->fast->program->patterns[op->a].regex, text);
}

static enum fast_verdict run_is_regex(const struct fast_run *run, struct str text)
{
    enum status status = regex_check(text, run->alloc, NULL);
    if (status == STATUS_OK)
        return FAST_VALID;
    return status == STATUS_INVALID_SCHEMA ? FAST_INVALID : FAST_UNKNOWN;
}

static NOINLINE enum fast_verdict run_format(struct fast_run *run, const struct fast_op *op,
                                             struct str text)
{
    if (!run_charge_text(run, text))
        return FAST_UNKNOWN;
    if (op->a == SCHEMA_FORMAT_REGEX)
        return run_is_regex(run, text);
    if (op->a < SCHEMA_FORMAT_CUSTOM)
        return verdict_of(schema_format_matches((enum schema_format)op->a, text));
    const struct schema_custom_format *format =
        &run->fast->program->custom_formats[op->a - SCHEMA_FORMAT_CUSTOM];
    return verdict_of(format->matches(format->state, text));
}

static NOINLINE enum fast_verdict run_content(struct fast_run *run, const struct fast_op *op,
                                              struct str text)
{
    bool matches;
    if (!run_charge_text(run, text) ||
        schema_content_matches(op->a, text, run->alloc, &matches) != STATUS_OK)
        return FAST_UNKNOWN;
    return verdict_of(matches);
}

static NOINLINE bool run_strings(const struct fast_run *run, const struct fast_op *op,
                                 struct str text)
{
    const struct fast_string_set *set = &run->fast->string_sets[op->a];
    unsigned length_bit = text.len < 63 ? (unsigned)text.len : 63;
    if ((set->lengths >> length_bit & 1) == 0)
        return false;
    uint32_t hash = fast_text_hash(text.ptr, text.len);
    uint32_t place = fast_place(&set->places, hash);
    const struct fast_member *member = &set->members[place];
    if (member->length != text.len || member->tag != hash >> 16)
        return false;
    if (text.len <= FAST_HEAD_BYTES)
        return head_is(member->head, text.ptr, (uint32_t)text.len);
    return memcmp(set->long_names[place], text.ptr, text.len) == 0;
}

/* ---- any value ------------------------------------------------------------------------------- */

static NOINLINE enum fast_verdict run_values(struct fast_run *run, const struct fast_op *op,
                                             const struct json_node *value)
{
    const struct json *values = &run->fast->program->values[op->a];
    for (uint32_t i = 0; i < op->b; i++) {
        if (!fast_charge(run, 1))
            return FAST_UNKNOWN;
        if (fast_class_of(fast_kind(values[i].node)) != fast_class_of(fast_kind(value)))
            continue;
        uint64_t budget = run->fuel;
        bool equal = json_equal(run_value(run, value), values[i], &budget);
        if (budget == 0)
            return FAST_UNKNOWN;
        run->fuel = budget;
        if (equal)
            return FAST_VALID;
    }
    return FAST_INVALID;
}

static NOINLINE enum fast_verdict run_words(struct fast_run *run, const struct fast_op *op,
                                            const struct json_node *value)
{
    const struct fast_word_set *set = &run->fast->word_sets[op->a];
    struct fast_op values = { FAST_VALUES, set->value_first, set->value_count, 0 };
    int64_t word;
    if (!fast_charge(run, set->count / 8))
        return FAST_UNKNOWN;
    if (!number_word(run, value, &word))
        return run_values(run, &values, value);
    for (uint32_t i = 0; i < set->count; i++)
        if (set->words[i] == word)
            return FAST_VALID;
    return FAST_INVALID;
}

/* ---- objects --------------------------------------------------------------------------------- */

/* The member of that name, or the one that stands for all others. */
static inline const struct fast_member *
plan_find(const struct fast_run *run, const struct fast_plan *plan, const struct json_node *name)
{
    uint32_t hash = name->aux;
    uint32_t length = name->length;
    const char *text = run->doc->text + name->offset;
    if (UNLIKELY((name->tag & JSON_NODE_ESCAPED) != 0)) {
        struct str decoded = json_node_text(run->doc, name);
        hash = json_key_hash(decoded);
        length = (uint32_t)decoded.len;
        text = decoded.ptr;
    }
    const struct fast_member *member = &plan->members[fast_place(&plan->places, hash)];
    if (member->length != length || member->tag != hash >> 16)
        return &plan->other;
    if (LIKELY(length <= FAST_HEAD_BYTES))
        return head_is(member->head, text, length) ? member : &plan->other;
    const char *wanted = plan->long_names[member - plan->members];
    return memcmp(text, wanted, length) == 0 ? member : &plan->other;
}

/* The patterns over one member. *out_matched: one of them took it. */
static enum fast_verdict run_patterns(struct fast_run *run, const struct fast_plan *plan,
                                      const struct json_node *name, unsigned depth,
                                      bool *out_matched)
{
    struct str text = json_node_text(run->doc, name);
    for (uint32_t i = 0; i < plan->pattern_count; i++) {
        const struct fast_pattern *pattern = &plan->patterns[i];
        enum fast_verdict verdict =
            pattern->matches_all ? FAST_VALID : run_regex(run, pattern->regex, text);
        if (verdict == FAST_UNKNOWN)
            return verdict;
        if (verdict == FAST_INVALID)
            continue;
        *out_matched = true;
        verdict = run_node(run, pattern->node, name + 1, depth);
        if (verdict != FAST_VALID)
            return verdict;
    }
    return FAST_VALID;
}

/* What a member undergoes beside its property: names, patterns, and what is additional. */
static enum fast_verdict run_member_rest(struct fast_run *run, const struct fast_plan *plan,
                                         uint32_t rest, const struct json_node *name,
                                         unsigned depth)
{
    bool matched = (rest & FAST_REST_ADDITIONAL) == 0;
    enum fast_verdict verdict = FAST_VALID;
    if ((rest & FAST_REST_NAMES) != 0)
        verdict = run_node(run, plan->names, name, depth);
    if (verdict == FAST_VALID && (rest & FAST_REST_PATTERNS) != 0)
        verdict = run_patterns(run, plan, name, depth, &matched);
    if (verdict != FAST_VALID || matched)
        return verdict;
    return run_node(run, plan->additional, name + 1, depth);
}

/* A member whose kind does not decide. */
static enum fast_verdict run_member(struct fast_run *run, const struct fast_plan *plan,
                                    const struct fast_member *member, const struct json_node *name,
                                    unsigned depth)
{
    enum fast_verdict verdict = run_node(run, member->node, name + 1, depth);
    if (verdict != FAST_VALID || member->rest == 0)
        return verdict;
    return run_member_rest(run, plan, member->rest, name, depth);
}

static inline bool kinds_decide(uint32_t kinds, const struct json_node *value)
{
    return (kinds >> fast_kind(value) & FAST_BOTH) == FAST_AT_ONCE;
}

static NOINLINE enum fast_verdict run_members(struct fast_run *run, const struct fast_plan *plan,
                                              const struct json_node *object, unsigned depth)
{
    uint32_t left = node_count(object);
    uint32_t required = plan->required_count;
    if (left < required)
        return FAST_INVALID;
    if (!fast_charge(run, left))
        return FAST_UNKNOWN;
    for (const struct json_node *name = object + 1; left > 0; left--) {
        const struct json_node *value = name + 1;
        const struct fast_member *member = plan_find(run, plan, name);
        required -= member->required;
        if (!kinds_decide(member->kinds, value)) {
            enum fast_verdict verdict = run_member(run, plan, member, name, depth);
            if (verdict != FAST_VALID)
                return verdict;
        }
        name = node_after(value);
    }
    return verdict_of(required == 0);
}

/* Until the one member that matters is seen. */
static NOINLINE enum fast_verdict run_one(struct fast_run *run, const struct fast_plan *plan,
                                          const struct json_node *object, unsigned depth)
{
    uint32_t left = node_count(object);
    uint32_t wanted = plan->only_hash;
    if (!fast_charge(run, left))
        return FAST_UNKNOWN;
    for (const struct json_node *name = object + 1; left > 0; left--) {
        if (UNLIKELY(name->aux == wanted || (name->tag & JSON_NODE_ESCAPED) != 0)) {
            const struct fast_member *member = plan_find(run, plan, name);
            if (member != &plan->other)
                return kinds_decide(member->kinds, name + 1)
                           ? FAST_VALID
                           : run_node(run, member->node, name + 1, depth);
        }
        name = node_after(name + 1);
    }
    return verdict_of(plan->required_count == 0);
}

static NOINLINE enum fast_verdict run_map(struct fast_run *run, const struct fast_plan *plan,
                                          const struct json_node *object, unsigned depth)
{
    const struct json_node *name = object + 1;
    if (!fast_charge(run, node_count(object)))
        return FAST_UNKNOWN;
    for (uint32_t left = node_count(object); left > 0; left--) {
        if (!kinds_decide(plan->other.kinds, name + 1)) {
            enum fast_verdict verdict = run_member_rest(run, plan, plan->other.rest, name, depth);
            if (verdict != FAST_VALID)
                return verdict;
        }
        name = node_after(name + 1);
    }
    return FAST_VALID;
}

/* The member of that name, or NULL. The caller has charged for it. */
static const struct json_node *run_find(const struct fast_run *run, const struct fast_name *name,
                                        const struct json_node *object)
{
    const struct json_node *at = object + 1;
    for (uint32_t i = node_count(object); i > 0; i--) {
        if (run_hash(run, at) == name->hash) {
            struct str text = json_node_text(run->doc, at);
            if (text.len == name->len && fast_same_bytes(text.ptr, name->ptr, name->len))
                return at;
        }
        at = node_after(at + 1);
    }
    return NULL;
}

static NOINLINE enum fast_verdict run_depend(struct fast_run *run, const struct fast_op *op,
                                             const struct json_node *object, unsigned depth)
{
    const struct fast_depend *depend = &run->fast->depends[op->a];
    if (!fast_charge(run, (1 + depend->wanted_count) * (uint64_t)node_count(object) / 4))
        return FAST_UNKNOWN;
    if (run_find(run, &depend->name, object) == NULL)
        return FAST_VALID;
    for (uint32_t i = 0; i < depend->wanted_count; i++)
        if (run_find(run, &depend->wanted[i], object) == NULL)
            return FAST_INVALID;
    return depend->node == SCHEMA_NONE ? FAST_VALID : run_node(run, depend->node, object, depth);
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static NOINLINE enum fast_verdict run_items(struct fast_run *run, const struct fast_op *op,
                                            const struct json_node *array, unsigned depth)
{
    const struct fast_node *row = &run->fast->nodes[op->a];
    uint32_t count = node_count(array);
    const struct json_node *item = array + 1;
    if (!fast_charge(run, count))
        return FAST_UNKNOWN;
    for (uint32_t i = 0; i < op->b && i < count; i++)
        item = node_after(item);
    for (uint32_t i = op->b; i < count; i++) {
        unsigned kind = fast_kind(item);
        if ((row->accept >> kind & 1) == 0)
            return FAST_INVALID;
        if ((row->check >> kind & 1) != 0) {
            enum fast_verdict verdict =
                run_list(run, row->lists[fast_class_of(kind)], item, depth + 1);
            if (verdict != FAST_VALID)
                return verdict;
        }
        item = node_after(item);
    }
    return FAST_VALID;
}

/* Every item is an array of scalars. */
static NOINLINE enum fast_verdict run_rows(struct fast_run *run, const struct fast_op *op,
                                           const struct json_node *array)
{
    const struct json_node *end = array + array->aux;
    const struct json_node *item = array + 1;
    uint32_t refused = ~op->c;
    uint32_t least = op->a;
    uint32_t most = op->b;
    if (!fast_charge(run, array->aux / 2))
        return FAST_UNKNOWN;
    while (item < end) {
        uint32_t count = node_count(item);
        uint32_t kinds = 0;
        if (json_node_type(item) != JSON_ARRAY || count < least || count > most)
            return FAST_INVALID;
        item++;
        if (count >= 2) { /* most rows are points */
            kinds = UINT32_C(1) << fast_kind(item) | UINT32_C(1) << fast_kind(item + 1);
            item += 2;
            count -= 2;
        }
        for (; count > 0 && (kinds & refused) == 0; count--, item++)
            kinds |= UINT32_C(1) << fast_kind(item);
        if ((kinds & refused) != 0)
            return FAST_INVALID;
    }
    return FAST_VALID;
}

static NOINLINE enum fast_verdict run_prefix(struct fast_run *run, const struct fast_op *op,
                                             const struct json_node *array, unsigned depth)
{
    uint32_t count = node_count(array);
    const struct json_node *item = array + 1;
    if (!fast_charge(run, op->b))
        return FAST_UNKNOWN;
    for (uint32_t i = 0; i < op->b && i < count; i++) {
        enum fast_verdict verdict = run_node(run, run->fast->children[op->a + i], item, depth);
        if (verdict != FAST_VALID)
            return verdict;
        item = node_after(item);
    }
    return FAST_VALID;
}

static NOINLINE enum fast_verdict run_contains(struct fast_run *run, const struct fast_op *op,
                                               const struct json_node *array, unsigned depth)
{
    uint32_t count = node_count(array);
    uint32_t found = 0;
    const struct json_node *item = array + 1;
    if (!fast_charge(run, count))
        return FAST_UNKNOWN;
    for (uint32_t i = 0; i < count && (found < op->b || op->c != SCHEMA_NONE); i++) {
        enum fast_verdict verdict = run_node(run, op->a, item, depth);
        if (verdict == FAST_UNKNOWN)
            return verdict;
        found += verdict == FAST_VALID;
        if (found > op->c)
            return FAST_INVALID;
        item = node_after(item);
    }
    return verdict_of(found >= op->b);
}

/* ---- alternatives ---------------------------------------------------------------------------- */

static const struct fast_filter_key *filter_find(const struct fast_run *run,
                                                 const struct fast_filter *filter,
                                                 const struct json_node *name)
{
    uint32_t hash = run_hash(run, name);
    for (uint32_t at = hash;; at++) {
        const struct fast_slot *slot = &filter->slots[at & filter->slot_mask];
        if (slot->at == 0)
            return NULL;
        if (slot->hash != hash)
            continue;
        const struct fast_filter_key *key = &filter->keys[slot->at - 1];
        struct str text = json_node_text(run->doc, name);
        if (key->name.len == text.len && fast_same_bytes(key->name.ptr, text.ptr, key->name.len))
            return key;
    }
}

/* The branches that a string or a plain integer leaves. */
static uint64_t filter_value(const struct fast_run *run, const struct fast_filter *filter,
                             const struct fast_filter_key *key, const struct json_node *node)
{
    const struct fast_filter_value *value = &filter->values[key->value_first];
    bool is_number = json_node_type(node) == JSON_NUMBER;
    struct str text =
        is_number ? json_number_text(run_value(run, node)) : json_node_text(run->doc, node);
    if (is_number && text.ptr[0] == '-' && text.len == 2 && text.ptr[1] == '0')
        return UINT64_MAX;
    for (uint32_t i = 0; i < key->value_count; i++, value++)
        if (value->name.len == text.len && value->is_number == is_number &&
            fast_same_bytes(value->name.ptr, text.ptr, value->name.len))
            return value->branches;
    return is_number ? key->other_numbers : key->other_strings;
}

/* The branches that one look at the members leaves. */
static uint64_t filter_branches(const struct fast_run *run, const struct fast_filter *filter,
                                const struct json_node *object)
{
    uint64_t branches = filter->all;
    uint64_t missing = filter->required;
    const struct json_node *name = object + 1;
    for (uint32_t i = node_count(object); i > 0 && branches != 0; i--) {
        const struct fast_filter_key *key = filter_find(run, filter, name);
        if (key == NULL) {
            branches &= filter->open;
        } else {
            unsigned kind = fast_kind(name + 1);
            branches &= key->by_kind[kind];
            if (key->value_count > 0 &&
                (kind == FAST_KIND_PLAIN || fast_class_of(kind) == FAST_STRING))
                branches &= filter_value(run, filter, key, name + 1);
            if (key->required_bit != SCHEMA_NONE)
                missing &= ~(UINT64_C(1) << key->required_bit);
        }
        name = node_after(name + 1);
    }
    for (; missing != 0 && branches != 0; missing &= missing - 1)
        branches &= ~filter->keys[filter->required_keys[__builtin_ctzll(missing)]].required_by;
    return branches;
}

static enum fast_verdict run_filtered(struct fast_run *run, const struct fast_op *op,
                                      const struct json_node *object, unsigned depth)
{
    if (!fast_charge(run, node_count(object)))
        return FAST_UNKNOWN;
    uint64_t branches = filter_branches(run, &run->fast->filters[op->c], object);
    uint32_t found = 0;
    for (; branches != 0; branches &= branches - 1) {
        uint32_t branch = (uint32_t)__builtin_ctzll(branches);
        enum fast_verdict verdict =
            run_node(run, run->fast->children[op->a + branch], object, depth);
        if (verdict == FAST_UNKNOWN || (verdict == FAST_VALID && op->code == FAST_ANY_OF))
            return verdict;
        found += verdict == FAST_VALID;
        if (found > 1)
            return FAST_INVALID;
    }
    return verdict_of(found == 1);
}

static NOINLINE enum fast_verdict run_union(struct fast_run *run, const struct fast_op *op,
                                            const struct json_node *value, unsigned depth)
{
    uint32_t found = 0;
    if (op->c != SCHEMA_NONE)
        return run_filtered(run, op, value, depth);
    if (!fast_charge(run, op->b))
        return FAST_UNKNOWN;
    for (uint32_t i = 0; i < op->b; i++) {
        enum fast_verdict verdict = run_node(run, run->fast->children[op->a + i], value, depth);
        if (verdict == FAST_UNKNOWN || (verdict == FAST_VALID && op->code == FAST_ANY_OF))
            return verdict;
        found += verdict == FAST_VALID;
        if (found > 1)
            return FAST_INVALID;
    }
    return verdict_of(found == 1);
}

static NOINLINE enum fast_verdict run_not(struct fast_run *run, const struct fast_op *op,
                                          const struct json_node *value, unsigned depth)
{
    enum fast_verdict verdict = run_node(run, op->a, value, depth);
    return verdict == FAST_UNKNOWN ? verdict : verdict_of(verdict == FAST_INVALID);
}

static NOINLINE enum fast_verdict run_if(struct fast_run *run, const struct fast_op *op,
                                         const struct json_node *value, unsigned depth)
{
    enum fast_verdict verdict = run_node(run, op->a, value, depth);
    if (verdict == FAST_UNKNOWN)
        return verdict;
    uint32_t next = verdict == FAST_VALID ? op->b : op->c;
    return next == SCHEMA_NONE ? FAST_VALID : run_node(run, next, value, depth);
}

/* ---- the loop -------------------------------------------------------------------------------- */

static enum fast_verdict run_op(struct fast_run *run, const struct fast_op *op,
                                const struct json_node *value, unsigned depth)
{
    switch ((enum fast_opcode)op->code) {
    case FAST_END:
    case FAST_SKIP: return FAST_VALID;
    case FAST_FAIL: return FAST_INVALID;
    case FAST_LEAVE: return FAST_UNKNOWN;
    case FAST_INTEGER:
    case FAST_FRACTION: return verdict_of(run_is_integer(run, op, value));
    case FAST_MIN:
    case FAST_MAX: return verdict_of(run_bound(run, op, value));
    case FAST_MULTIPLE: return run_multiple(run, op, value);
    case FAST_LENGTH: return run_length(run, op, json_node_text(run->doc, value));
    case FAST_PATTERN: return run_pattern(run, op, json_node_text(run->doc, value));
    case FAST_FORMAT: return run_format(run, op, json_node_text(run->doc, value));
    case FAST_CONTENT: return run_content(run, op, json_node_text(run->doc, value));
    case FAST_STRINGS: return verdict_of(run_strings(run, op, json_node_text(run->doc, value)));
    case FAST_WORDS: return run_words(run, op, value);
    case FAST_VALUES: return run_values(run, op, value);
    case FAST_COUNT: return verdict_of(node_count(value) >= op->a && node_count(value) <= op->b);
    case FAST_ITEMS: return run_items(run, op, value, depth);
    case FAST_ROWS: return run_rows(run, op, value);
    case FAST_PREFIX: return run_prefix(run, op, value, depth);
    case FAST_CONTAINS: return run_contains(run, op, value, depth);
    case FAST_UNIQUE: return fast_run_unique(run, value);
    case FAST_MEMBERS: return run_members(run, &run->fast->plans[op->a], value, depth);
    case FAST_ONE: return run_one(run, &run->fast->plans[op->a], value, depth);
    case FAST_MAP: return run_map(run, &run->fast->plans[op->a], value, depth);
    case FAST_DEPENDENT: return run_depend(run, op, value, depth);
    case FAST_CALL: return run_node(run, op->a, value, depth);
    case FAST_ANY_OF:
    case FAST_ONE_OF: return run_union(run, op, value, depth);
    case FAST_NOT: return run_not(run, op, value, depth);
    case FAST_IF: return run_if(run, op, value, depth);
    }
    return FAST_UNKNOWN;
}

static NOINLINE enum fast_verdict run_list(struct fast_run *run, uint32_t list,
                                           const struct json_node *value, unsigned depth)
{
    const struct fast_op *op = &run->fast->ops[list];
    if (depth > FAST_DEPTH_MAX)
        return FAST_UNKNOWN;
    while (op[1].code != FAST_END) {
        enum fast_verdict verdict = run_op(run, op++, value, depth);
        if (verdict != FAST_VALID)
            return verdict;
    }
    /* Most lists have one instruction, most often one of these: it becomes a jump. */
    if (op->code == FAST_MEMBERS)
        return run_members(run, &run->fast->plans[op->a], value, depth);
    if (op->code == FAST_ITEMS)
        return node_count(value) == 0 ? FAST_VALID : run_items(run, op, value, depth);
    return run_op(run, op, value, depth);
}

/* A root without `type` may have been narrowed to objects after the build. */
static NOINLINE bool root_is_narrowed(const struct schema_fast *fast, struct json instance)
{
    return (fast->program->nodes[0].types & schema_type_of(instance)) == 0;
}

enum fast_verdict schema_fast_run(const struct schema_fast *fast, struct json instance,
                                  const struct alloc *alloc)
{
    const struct json_node *root = instance.node;
    if (fast == NULL)
        return FAST_UNKNOWN;
    if (UNLIKELY(fast->program->nodes[0].types != fast->root_types) &&
        root_is_narrowed(fast, instance))
        return FAST_INVALID;
    uint32_t nodes = json_node_type(root) >= JSON_ARRAY ? root->aux : 1;
    struct fast_run run;
    run.fast = fast;
    run.doc = instance.doc;
    run.alloc = alloc;
    run.fuel = FAST_FUEL_MIN + (uint64_t)FAST_FUEL_PER_NODE * nodes;
    return run_node(&run, fast->root, root, 0);
}

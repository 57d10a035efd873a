/* explain_choice.c - which of several alternatives the author of an instance meant.
 *
 * Owns: the ranking of alternatives none of which accepts the value, and what is said when none is
 * likelier than the others. Leaves to others: the faults of the one that is chosen (explain.c). An
 * alternative is likelier when it takes the type, when the member that tells alternatives apart
 * says so, when it knows more of the members, and when it failed further on.
 */
#include "base/features.h"

#include "schema/explain_walk.h"
#include "schema/suggest.h"

/* How likely an alternative is what the author meant; compared from the first field to the last. */
struct explain_rank {
    bool takes_type;
    int tag; /* 2: the member that tells alternatives apart says so; 0: it says otherwise */
    int64_t
        shape; /* members known, less those unknown where unknown ones are not allowed or missing */
    size_t farthest; /* where in the instance it failed */
};

/* The key that a name was probably meant to be and that the object does not have, or SCHEMA_NONE.
 */
static uint32_t explain_near_key(struct explain *explain, const struct schema_plan *plan,
                                 struct json object, struct json member)
{
    struct suggestion suggestion;
    uint32_t key = SCHEMA_NONE;
    suggestion_init(&suggestion, json_member_name(member));
    if (explain->trials == EXPLAIN_TRIALS_MAX || plan->key_count > EXPLAIN_CANDIDATES_MAX)
        return key;
    explain->trials++;
    for (uint32_t i = 0; i < plan->key_count; i++) {
        unsigned distance = suggestion.distance;
        suggestion_offer(&suggestion, plan->keys[i].name);
        if (suggestion.distance < distance)
            key = i;
    }
    if (key != SCHEMA_NONE && json_exists(json_get(object, plan->keys[key].name)))
        key = SCHEMA_NONE;
    return key;
}

static int64_t explain_shape(struct explain *explain, uint32_t node, struct json value)
{
    const struct schema_plan *plan = explain->program->internal->plans[node];
    if (plan == NULL || json_type(value) != JSON_OBJECT)
        return 0;
    bool is_closed = plan->additional != SCHEMA_NONE && explain_is_false(explain, plan->additional);
    int64_t shape = 0;
    uint32_t required = 0;
    for (struct json v = json_first(value); json_exists(v); v = json_next(v, value)) {
        uint32_t key = SCHEMA_NONE;
        if (plan->key_count > 0 && judge_charge(explain->judge, 1))
            key = schema_plan_find(plan, json_member_name(v), json_member_hash(v));
        if (key == SCHEMA_NONE && is_closed)
            key = explain_near_key(explain, plan, value, v);
        if (key != SCHEMA_NONE) {
            shape++;
            required += plan->keys[key].required != SCHEMA_NONE;
        } else if (is_closed) {
            shape--;
        }
    }
    return shape - ((int64_t)plan->required_count - required);
}

/* An optional member with several values is more likely wrong itself than a sign of another
 * alternative. */
static bool explain_tells_apart(const struct schema_tag *tag)
{
    return tag->required || tag->count == 1;
}

static struct explain_rank explain_rank(struct explain *explain, uint32_t child, struct json value)
{
    const struct schema_internal *internal = explain->program->internal;
    uint32_t node = internal->alias[explain->program->children[child]];
    struct explain_rank rank = { .takes_type =
                                     (internal->narrow_types[node] & schema_type_of(value)) != 0 };
    if (!rank.takes_type)
        return rank;
    enum judge_tag tag = judge_tag_of(explain->judge, &internal->tags[child], value);
    rank.tag = tag == JUDGE_TAG_FITS ? 2 : 1;
    if (tag == JUDGE_TAG_DIFFERS && explain_tells_apart(&internal->tags[child]))
        rank.tag = 0;
    rank.shape = explain_shape(explain, node, value);
    explain->judge->farthest = 0;
    (void)explain_judge(explain, node, value);
    rank.farthest = explain->judge->farthest;
    return rank;
}

static int explain_compare(const struct explain_rank *a, const struct explain_rank *b)
{
    if (a->takes_type != b->takes_type)
        return a->takes_type ? 1 : -1;
    if (a->tag != b->tag)
        return a->tag > b->tag ? 1 : -1;
    if (a->shape != b->shape)
        return a->shape > b->shape ? 1 : -1;
    if (a->farthest != b->farthest)
        return a->farthest > b->farthest ? 1 : -1;
    return 0;
}

/* What the alternatives have in common when none is likelier than the others. */
static void explain_no_branch(struct explain *explain, uint32_t node, const struct schema_op *op,
                              struct json value)
{
    const struct schema_internal *internal = explain->program->internal;
    uint8_t types = 0;
    bool all_values = true;
    for (uint32_t i = op->a; i < op->a + op->b; i++) {
        uint32_t child = internal->alias[explain->program->children[i]];
        types |= internal->narrow_types[child];
        all_values =
            all_values && schema_node_find(explain->program, child, SCHEMA_OP_ENUM) != NULL;
    }
    enum fault_kind kind = FAULT_NO_BRANCH;
    if (all_values)
        kind = FAULT_NO_VALUE;
    else if ((types & schema_type_of(value)) == 0 && types != 0)
        kind = FAULT_NO_TYPE;
    explain_add(explain, kind, node, op, value)->types = types;
}

/* The value of a string member by which alternatives are told apart that was probably meant. */
static struct str explain_near_tag(struct explain *explain, const struct schema_op *op,
                                   struct json member)
{
    const struct schema_program *program = explain->program;
    struct suggestion suggestion = { .best = { NULL, 0 } };
    uint32_t candidates = 0;
    if (json_type(member) != JSON_STRING || explain->suggestions == EXPLAIN_SUGGESTIONS_MAX)
        return suggestion.best;
    explain->suggestions++;
    suggestion_init(&suggestion, json_string(member));
    for (uint32_t i = op->a; i < op->a + op->b; i++) {
        const struct schema_tag *tag = &program->internal->tags[i];
        for (uint32_t k = tag->first; k < tag->first + tag->count; k++)
            if (json_type(program->values[k]) == JSON_STRING &&
                candidates++ < EXPLAIN_CANDIDATES_MAX)
                suggestion_offer(&suggestion, json_string(program->values[k]));
    }
    return suggestion.best;
}

/* When every alternative names the same member with other values, that member is at fault. */
static bool explain_tag_fault(struct explain *explain, uint32_t node, const struct schema_op *op,
                              struct json value)
{
    const struct schema_tag *tags = explain->program->internal->tags;
    const struct schema_tag *first = NULL;
    if (json_type(value) != JSON_OBJECT)
        return false;
    for (uint32_t i = op->a; i < op->a + op->b; i++) {
        if ((explain->program->internal->narrow_types[explain->program->children[i]] &
             SCHEMA_OBJECT) == 0)
            continue;
        if (judge_tag_of(explain->judge, &tags[i], value) != JUDGE_TAG_DIFFERS ||
            !explain_tells_apart(&tags[i]))
            return false;
        if (first != NULL && !str_equal(first->name, tags[i].name))
            return false;
        first = &tags[i];
    }
    if (first == NULL)
        return false;
    struct json member = judge_member(explain->judge, value, first->name);
    struct fault *fault = json_exists(member)
                              ? explain_add(explain, FAULT_NO_VALUE, node, op, member)
                              : explain_add(explain, FAULT_MISSING, node, op, value);
    fault->name = first->name;
    if (json_exists(member))
        fault->near = explain_near_tag(explain, op, member);
    return true;
}

/* The faults of one alternative, which are told as such. */
static void explain_take(struct explain *explain, uint32_t node, const struct schema_op *op,
                         uint32_t child, struct json value)
{
    const struct fault_choice choice = { op, node, child - op->a };
    explain_push(explain, explain->program->children[child], value, &choice);
}

/* None of the alternatives fits: the likeliest one's faults, or one for all. */
static void explain_choose(struct explain *explain, uint32_t node, const struct schema_op *op,
                           struct json value)
{
    if (explain_tag_fault(explain, node, op, value))
        return;
    struct explain_rank best = { .takes_type = false };
    uint32_t best_child = SCHEMA_NONE;
    uint32_t ties = 0;
    for (uint32_t i = op->a; i < op->a + op->b; i++) {
        struct explain_rank rank = explain_rank(explain, i, value);
        if (!rank.takes_type)
            continue;
        int order = best_child == SCHEMA_NONE ? 1 : explain_compare(&rank, &best);
        ties = order > 0 ? 1 : ties + (order == 0);
        if (order > 0) {
            best = rank;
            best_child = i;
        }
    }
    if (best_child == SCHEMA_NONE || (ties > 1 && best.farthest <= json_offset(value)))
        explain_no_branch(explain, node, op, value);
    else
        explain_take(explain, node, op, best_child, value);
}

void explain_alternatives(struct explain *explain, uint32_t node, const struct schema_op *op,
                          struct json value)
{
    uint32_t valid = 0;
    uint32_t places[2] = { 0, 0 };
    for (uint32_t i = 0; i < op->b && valid < 2; i++) {
        if (explain_judge(explain, explain->program->children[op->a + i], value))
            places[valid++] = i;
    }
    if (valid == 0) {
        explain_choose(explain, node, op, value);
    } else if (valid == 2 && op->opcode == SCHEMA_OP_ONE_OF) {
        struct fault *fault = explain_add(explain, FAULT_TWO_BRANCHES, node, op, value);
        fault->first = places[0];
        fault->second = places[1];
    }
}

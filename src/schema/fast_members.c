/* fast_members.c - the plan of an object: what one pass over its members looks at.
 *
 * Owns: the table of member names of one node, and which patterns match a name that is known
 * beforehand. Reads the member plan that tables.c made.
 */
#include "base/features.h"

#include "schema/fast_builder.h"

#include "regex/program.h"

/* Steps that trying patterns on a known name may take; beyond them they are tried at run time. */
enum { PLAN_PATTERN_STEPS = 4096 };

static bool plan_name_has_patterns(const struct fast_builder *builder,
                                   const struct schema_plan *source, struct str name)
{
    for (uint32_t i = 0; i < source->pattern_count; i++) {
        uint32_t pattern = builder->program->pattern_properties[source->pattern_first + i].pattern;
        uint64_t steps = PLAN_PATTERN_STEPS;
        bool matches = true;
        if (regex_matches(builder->program->patterns[pattern].regex, name, builder->alloc, &steps,
                          &matches) != STATUS_OK ||
            matches)
            return true;
    }
    return false;
}

static struct fast_key *plan_keys(struct fast_builder *builder, const struct schema_plan *source)
{
    struct fast_key *keys = fast_take(builder, source->key_count, sizeof(*keys));
    for (uint32_t i = 0; keys != NULL && i < source->key_count; i++) {
        const struct schema_key *key = &source->keys[i];
        keys[i] = (struct fast_key){
            .name = fast_name_of(builder, key->name),
            .node = key->node == SCHEMA_NONE ? SCHEMA_NONE : fast_node_for(builder, key->node),
            .accept = FAST_ALL_KINDS,
            .required = key->required != SCHEMA_NONE,
            .has_patterns = plan_name_has_patterns(builder, source, key->name),
        };
    }
    return keys;
}

static struct fast_pattern *plan_patterns(struct fast_builder *builder,
                                          const struct schema_plan *source)
{
    struct fast_pattern *patterns = fast_take(builder, source->pattern_count, sizeof(*patterns));
    for (uint32_t i = 0; patterns != NULL && i < source->pattern_count; i++) {
        const struct schema_pattern_property *row =
            &builder->program->pattern_properties[source->pattern_first + i];
        const struct regex *regex = builder->program->patterns[row->pattern].regex;
        patterns[i] = (struct fast_pattern){ regex, fast_node_for(builder, row->node),
                                             regex->table.start == REGEX_FOUND };
    }
    return patterns;
}

uint32_t fast_plan_for(struct fast_builder *builder, uint32_t node)
{
    const struct schema_plan *source = builder->program->internal->plans[node];
    struct fast_plan plan = {
        .key_count = source->key_count,
        .required_count = source->required_count,
        .pattern_count = source->pattern_count,
        .additional = SCHEMA_NONE,
        .additional_accept = FAST_ALL_KINDS,
        .names = SCHEMA_NONE,
    };
    plan.keys = plan_keys(builder, source);
    plan.patterns = plan_patterns(builder, source);
    if (plan.keys != NULL)
        plan.slots = fast_slots_for(builder, &plan.keys->name, sizeof(*plan.keys), plan.key_count,
                                    &plan.slot_mask);
    if (source->additional != SCHEMA_NONE && !fast_is_trivial(builder, source->additional))
        plan.additional = fast_node_for(builder, source->additional);
    if (source->property_names != SCHEMA_NONE && !fast_is_trivial(builder, source->property_names))
        plan.names = fast_node_for(builder, source->property_names);
    uint32_t index = builder->plans.count;
    struct fast_plan *row = fast_push(builder, &builder->plans);
    if (row != NULL)
        *row = plan;
    return index;
}

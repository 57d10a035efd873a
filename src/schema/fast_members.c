/* fast_members.c - the plan of an object: what one pass over its members looks at.
 *
 * Owns: the table of the member names that a node knows, and which patterns match a name that is
 * known beforehand. Reads the member plans that tables.c made. Several of them become one where at
 * most one has patterns, additional members or names to judge: `properties` beside a reference
 * costs one pass. Invariant: names of a document's object differ, so that required members are
 * counted, not marked.
 */
#include "base/features.h"

#include "schema/fast_builder.h"

#include "regex/regex.h"

enum {
    PLAN_PATTERN_STEPS = 4096, /* to try patterns on a known name; beyond them at run time */
    PLAN_MERGED_KEYS_MAX = 256
};

/* A member name of the plans that become one. */
struct plan_key {
    struct str name;
    uint32_t hash;
    struct fast_source source; /* what its value must satisfy */
    bool required;
    uint8_t rest;
};

static bool plan_name_has_patterns(const struct fast_builder *builder,
                                   const struct schema_plan *plan, struct str name)
{
    for (uint32_t i = 0; i < plan->pattern_count; i++) {
        uint32_t pattern = builder->program->pattern_properties[plan->pattern_first + i].pattern;
        uint64_t steps = PLAN_PATTERN_STEPS;
        bool matches = true;
        if (regex_matches(builder->program->patterns[pattern].regex, name, builder->alloc, &steps,
                          &matches) != STATUS_OK ||
            matches)
            return true;
    }
    return false;
}

static bool plan_is_plain(const struct schema_plan *plan)
{
    return plan->pattern_count == 0 && plan->additional == SCHEMA_NONE &&
           plan->property_names == SCHEMA_NONE;
}

/* ---- keys ------------------------------------------------------------------------------------ */

static struct plan_key *plan_key_find(struct plan_key *keys, uint32_t count, struct str name,
                                      uint32_t hash)
{
    for (uint32_t i = 0; i < count; i++)
        if (keys[i].hash == hash && str_equal(keys[i].name, name))
            return &keys[i];
    return NULL;
}

/* Adds a plan's keys to those of the first one, which alone says what happens to other names. */
static uint32_t plan_add_keys(struct fast_builder *builder, const struct schema_plan *first,
                              const struct schema_plan *plan, struct plan_key *keys, uint32_t count)
{
    for (uint32_t i = 0; i < plan->key_count; i++) {
        const struct schema_key *from = &plan->keys[i];
        struct plan_key *key = NULL;
        if (plan != first)
            key = plan_key_find(keys, count, from->name, from->hash);
        if (key == NULL) {
            key = &keys[count++];
            *key = (struct plan_key){ .name = from->name, .hash = from->hash };
            if (plan_name_has_patterns(builder, first, from->name))
                key->rest |= FAST_REST_PATTERNS;
            if (plan != first || from->node == SCHEMA_NONE)
                key->rest |= FAST_REST_ADDITIONAL;
        }
        key->required = key->required || from->required != SCHEMA_NONE;
        if (from->node != SCHEMA_NONE)
            fast_source_add(builder, &key->source, from->node);
    }
    return count;
}

static void plan_set_member(struct fast_builder *builder, struct fast_plan *plan,
                            const char **long_names, const struct plan_key *key)
{
    uint32_t place = fast_place(&plan->places, key->hash);
    struct fast_member *member = &plan->members[place];
    size_t head = key->name.len < FAST_HEAD_BYTES ? key->name.len : FAST_HEAD_BYTES;
    *member = (struct fast_member){
        .length = (uint32_t)key->name.len,
        .node = fast_node_of(builder, &key->source),
        .tag = (uint16_t)(key->hash >> 16),
        .required = key->required,
        .rest = (key->rest | FAST_REST_NAMES) & plan->other.rest,
    };
    if (head > 0)
        memcpy(member->head, key->name.ptr, head);
    if (key->name.len > FAST_HEAD_BYTES)
        long_names[place] = fast_name_of(builder, key->name).ptr;
    plan->required_count += key->required;
}

/* False when the names cannot be told apart by their hashes, or memory is used up. */
static bool plan_fill(struct fast_builder *builder, struct fast_plan *plan,
                      const struct plan_key *keys, uint32_t count)
{
    size_t bytes = (count + 1) * sizeof(uint32_t);
    uint32_t *hashes = alloc_get(builder->alloc, bytes);
    bool has_long = false;
    if (hashes == NULL) {
        builder->failed = true;
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        hashes[i] = keys[i].hash;
        has_long = has_long || keys[i].name.len > FAST_HEAD_BYTES;
    }
    bool placed = fast_places_for(builder, hashes, count, &plan->places);
    alloc_free(builder->alloc, hashes, bytes);
    if (!placed)
        return false;
    uint32_t size = plan->places.mask + 1;
    plan->members = fast_take(builder, size, sizeof(*plan->members));
    const char **long_names = has_long ? fast_take(builder, size, sizeof(*long_names)) : NULL;
    if (builder->failed)
        return false;
    plan->long_names = long_names;
    for (uint32_t i = 0; i < size; i++)
        plan->members[i].length = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++)
        plan_set_member(builder, plan, long_names, &keys[i]);
    plan->key_count = count;
    plan->only_hash = count > 0 ? keys[0].hash : 0;
    return !builder->failed;
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void plan_patterns(struct fast_builder *builder, struct fast_plan *plan,
                          const struct schema_plan *source)
{
    struct fast_pattern *patterns = fast_take(builder, source->pattern_count, sizeof(*patterns));
    for (uint32_t i = 0; patterns != NULL && i < source->pattern_count; i++) {
        const struct schema_pattern_property *row =
            &builder->program->pattern_properties[source->pattern_first + i];
        patterns[i] = (struct fast_pattern){ builder->program->patterns[row->pattern].regex,
                                             fast_node_for(builder, row->node),
                                             fast_pattern_is_trivial(builder, row->pattern) };
    }
    plan->patterns = patterns;
    plan->pattern_count = source->pattern_count;
}

static void plan_set_rest(struct fast_builder *builder, struct fast_plan *plan,
                          const struct schema_plan *source)
{
    plan->additional = SCHEMA_NONE;
    plan->names = SCHEMA_NONE;
    plan_patterns(builder, plan, source);
    if (source->pattern_count > 0)
        plan->other.rest |= FAST_REST_PATTERNS;
    if (source->additional != SCHEMA_NONE && !fast_is_trivial(builder, source->additional)) {
        plan->additional = fast_node_for(builder, source->additional);
        plan->other.rest |= FAST_REST_ADDITIONAL;
    }
    if (source->property_names != SCHEMA_NONE &&
        !fast_is_trivial(builder, source->property_names)) {
        plan->names = fast_node_for(builder, source->property_names);
        plan->other.rest |= FAST_REST_NAMES;
    }
}

/* ---- plans ----------------------------------------------------------------------------------- */

uint32_t fast_plan_for(struct fast_builder *builder, const uint32_t *nodes, uint32_t node_count)
{
    const struct schema_plan *const *sources = builder->program->internal->plans;
    struct fast_plan plan = { .key_count = 0 };
    uint32_t key_max = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < node_count; i++)
        key_max += sources[nodes[i]]->key_count;
    size_t bytes = (key_max + 1) * sizeof(struct plan_key);
    struct plan_key *keys = alloc_get(builder->alloc, bytes);
    if (keys == NULL) {
        builder->failed = true;
        return SCHEMA_NONE;
    }
    for (uint32_t i = 0; i < node_count; i++)
        count = plan_add_keys(builder, sources[nodes[0]], sources[nodes[i]], keys, count);
    plan_set_rest(builder, &plan, sources[nodes[0]]);
    bool filled = plan_fill(builder, &plan, keys, count);
    alloc_free(builder->alloc, keys, bytes);
    uint32_t index = builder->plans.count;
    struct fast_plan *row = filled ? fast_push(builder, &builder->plans) : NULL;
    if (row == NULL)
        return SCHEMA_NONE;
    *row = plan;
    return index;
}

/* Values of a key in too many plans cannot become one node. */
static bool plans_have_room(const struct schema_plan *const *sources, const uint32_t *nodes,
                            uint32_t count, const struct schema_plan *plan)
{
    for (uint32_t i = 0; i < plan->key_count; i++) {
        uint32_t found = 1;
        for (uint32_t k = 0; k < count; k++)
            found += schema_plan_find(sources[nodes[k]], plan->keys[i].name, plan->keys[i].hash) !=
                     SCHEMA_NONE;
        if (found > FAST_SOURCE_NODES)
            return false;
    }
    return true;
}

uint32_t fast_plans_join(const struct fast_builder *builder, uint32_t *nodes, uint32_t count)
{
    const struct schema_plan *const *sources = builder->program->internal->plans;
    uint32_t keys = sources[nodes[0]]->key_count;
    uint32_t joined = 1;
    for (uint32_t i = 1; i < count; i++) {
        uint32_t node = nodes[i];
        const struct schema_plan *plan = sources[node];
        bool is_plain = plan_is_plain(plan);
        if ((!is_plain && !plan_is_plain(sources[nodes[0]])) ||
            keys + plan->key_count > PLAN_MERGED_KEYS_MAX ||
            !plans_have_room(sources, nodes, joined, plan))
            continue;
        keys += plan->key_count;
        nodes[i] = nodes[joined];
        nodes[joined++] = node;
        if (!is_plain) {
            nodes[joined - 1] = nodes[0];
            nodes[0] = node;
        }
    }
    return joined;
}

/* sizes.c - bytes and depth of the shortest text of every rule and alternative, by least fixpoint.
 *
 * Starts with "endless" everywhere and lowers until nothing changes; a recursion that cannot end
 * stays endless. Depths are those of the texts that the byte counts chose, which is why they come
 * second.
 */
#include "base/features.h"

#include "decode/build.h"
#include "decode/ground_index.h"

#define SIZE_TOO_LARGE (1u << 30)

static uint32_t size_clamp(uint64_t bytes)
{
    return bytes >= SIZE_TOO_LARGE ? DECODE_ENDLESS : (uint32_t)bytes;
}

static uint32_t literals_bytes(const struct literals_alt *literals)
{
    size_t least = SIZE_MAX;
    for (uint32_t i = 0; i < literals->count; i++)
        least = literals->items[i].text.len < least ? literals->items[i].text.len : least;
    return size_clamp(least);
}

static uint32_t string_bytes(const struct decode_language *language,
                             const struct string_alt *string)
{
    const struct ground *ground = language->options.ground;
    uint32_t start, bytes;
    if (string->grounded) {
        struct ground_wish wish = { .hi = ground->start_count,
                                    .hash = VALUE_HASH_STRING,
                                    .min_length = string->min_length,
                                    .max_length = string->max_length };
        if (ground_find(ground, &wish, ground->shortest, &start, &bytes))
            return 2 + ground_escaped_bytes(ground, start, 0, bytes);
    }
    if (string->format != SCHEMA_FORMAT_UNKNOWN)
        return 2 + format_min_length(string->format);
    return size_clamp(2 + (uint64_t)string->min_length);
}

static uint32_t leaf_bytes(const struct decode_language *language, const struct alt *alt)
{
    if (alt->kind == ALT_LITERALS)
        return literals_bytes(&alt->of.literals);
    if (alt->kind == ALT_STRING)
        return string_bytes(language, &alt->of.string);
    struct number_at start = { .phase = NUMBER_START };
    char text[NUMBER_TEXT_MAX];
    return size_clamp(number_close(&alt->of.number, &start, NULL, NULL, text));
}

/* Different values that the rule has at least, as far as arrays of unique items need to know. */
static uint32_t rule_distinct(const struct decode_language *language, uint32_t rule)
{
    uint32_t distinct = 0;
    for (uint32_t i = 0; i < language->rules[rule].alt_count; i++) {
        const struct alt *alt = &language->alts[language->rules[rule].alts[i]];
        uint32_t count = UINT32_MAX;
        if (alt->kind == ALT_LITERALS)
            count = alt->of.literals.count;
        else if (alt->kind == ALT_NUMBER)
            count = number_set_count(&alt->of.number);
        else if (alt->kind == ALT_STRING && alt->of.string.max_length == 0)
            count = 1;
        distinct = count > distinct ? count : distinct;
    }
    return distinct;
}

struct taken_list {
    uint64_t hashes[DECODE_SEEN_MAX];
    uint32_t count;
};

static bool taken_has(const void *context, uint64_t hash)
{
    const struct taken_list *taken = context;
    for (uint32_t i = 0; i < taken->count; i++) {
        if (taken->hashes[i] == hash)
            return true;
    }
    return false;
}

/* Sum of the `count` shortest literals. */
static uint64_t literals_distinct_bytes(const struct literals_alt *literals, uint32_t count)
{
    uint64_t bytes = 0;
    size_t floor = 0;
    while (count > 0) {
        size_t next = SIZE_MAX;
        uint32_t same = 0;
        for (uint32_t i = 0; i < literals->count; i++) {
            size_t len = literals->items[i].text.len;
            if (len <= floor || len > next)
                continue;
            same = len == next ? same + 1 : 1;
            next = len;
        }
        if (next == SIZE_MAX)
            return DECODE_ENDLESS;
        same = same > count ? count : same;
        bytes += (uint64_t)next * same;
        count -= same;
        floor = next;
    }
    return bytes;
}

static uint64_t numbers_distinct_bytes(const struct number_set *set, uint32_t count)
{
    struct taken_list taken = { .count = 0 };
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct number_at start = { .phase = NUMBER_START };
        char text[NUMBER_TEXT_MAX];
        size_t len = number_close(set, &start, taken_has, &taken, text);
        bool ok = false;
        if (len == SIZE_MAX)
            return DECODE_ENDLESS;
        taken.hashes[taken.count++] = number_hash_text(str_of(text, len), &ok);
        bytes += len;
    }
    return bytes;
}

/* An upper bound of what `count` different values of the rule take when each is chosen as short as
 * it can be. */
static uint64_t rule_distinct_bytes(const struct decode_language *language, uint32_t rule,
                                    uint32_t count)
{
    uint64_t least = DECODE_ENDLESS;
    for (uint32_t i = 0; i < language->rules[rule].alt_count; i++) {
        const struct alt *alt = &language->alts[language->rules[rule].alts[i]];
        uint64_t bytes = DECODE_ENDLESS;
        if (alt->min_bytes == DECODE_ENDLESS)
            continue;
        if (alt->kind == ALT_LITERALS)
            bytes = literals_distinct_bytes(&alt->of.literals, count);
        else if (alt->kind == ALT_NUMBER)
            bytes = numbers_distinct_bytes(&alt->of.number, count);
        else if (alt->kind == ALT_STRING && alt->of.string.max_length > 0)
            bytes = (uint64_t)count * (alt->min_bytes + (uint64_t)DECODE_FILLERS_MAX);
        else if (alt->kind != ALT_STRING)
            bytes = (uint64_t)count * alt->min_bytes;
        least = bytes < least ? bytes : least;
    }
    return least;
}

static uint32_t array_item_rule(const struct array_alt *array, uint32_t index)
{
    return index < array->prefix_count ? array->prefix[index] : array->items;
}

static uint32_t array_bytes(const struct decode_language *language, const struct array_alt *array,
                            uint32_t *depth)
{
    uint64_t bytes = 2;
    for (uint32_t i = 0; i < array->min_items; i++) {
        uint32_t rule = array_item_rule(array, i);
        if (rule == RULE_NONE || language->rules[rule].min_bytes == DECODE_ENDLESS)
            return DECODE_ENDLESS;
        uint64_t count = i < array->prefix_count ? 1 : array->min_items - i;
        bytes += count * ((uint64_t)language->rules[rule].min_bytes + 1) - (i == 0);
        *depth =
            language->rules[rule].min_depth > *depth ? language->rules[rule].min_depth : *depth;
        if (count > 1 || bytes >= SIZE_TOO_LARGE)
            break;
    }
    if (!array->unique || array->min_items < 2)
        return size_clamp(bytes);
    if (rule_distinct(language, array->items) < array->min_items)
        return DECODE_ENDLESS;
    return size_clamp(rule_distinct_bytes(language, array->items, array->min_items) +
                      array->min_items + 1);
}

static uint64_t member_bytes(const struct decode_language *language, const struct member *member)
{
    uint32_t value =
        member->rule == RULE_NONE ? DECODE_ENDLESS : language->rules[member->rule].min_bytes;
    return value == DECODE_ENDLESS ? DECODE_ENDLESS : member->key.len + (uint64_t)value + 1;
}

static uint64_t extra_bytes(const struct decode_language *language, const struct object_alt *object)
{
    if (object->extra_rule == RULE_NONE)
        return DECODE_ENDLESS;
    uint64_t key = language->rules[object->extra_key_rule].min_bytes;
    uint64_t value = language->rules[object->extra_rule].min_bytes;
    return key == DECODE_ENDLESS || value == DECODE_ENDLESS ? DECODE_ENDLESS : key + value + 2;
}

/* Optional and free members that minProperties still asks for. Not the least sum, but an upper
 * bound of what the closing text writes, which takes the first ones that exist. */
static uint64_t object_filling(const struct decode_language *language,
                               const struct object_alt *object, uint32_t *depth)
{
    uint64_t bytes = 0;
    uint32_t missing = object->min_members > object->required_count
                           ? object->min_members - object->required_count
                           : 0;
    for (uint32_t i = 0; i < object->member_count && missing > 0; i++) {
        const struct member *member = &object->members[i];
        uint64_t size = member_bytes(language, member);
        if (member->required || size == DECODE_ENDLESS)
            continue;
        bytes += size;
        missing--;
        *depth = language->rules[member->rule].min_depth > *depth
                     ? language->rules[member->rule].min_depth
                     : *depth;
    }
    if (missing == 0)
        return bytes;
    uint64_t extra = extra_bytes(language, object);
    if (extra == DECODE_ENDLESS || missing > object->extra_max ||
        rule_distinct(language, object->extra_key_rule) < missing + (uint64_t)object->member_count)
        return DECODE_ENDLESS;
    uint32_t below = language->rules[object->extra_rule].min_depth;
    *depth = below > *depth ? below : *depth;
    return bytes + missing * (extra + DECODE_FILLERS_MAX);
}

static uint32_t object_bytes(const struct decode_language *language, struct object_alt *object,
                             uint32_t *depth)
{
    for (uint32_t i = object->member_count; i-- > 0;) {
        const struct member *member = &object->members[i];
        object->tail_bytes[i] = object->tail_bytes[i + 1];
        if (!member->required)
            continue;
        uint64_t size = member_bytes(language, member);
        if (size == DECODE_ENDLESS)
            return DECODE_ENDLESS;
        object->tail_bytes[i] += size;
        *depth = language->rules[member->rule].min_depth > *depth
                     ? language->rules[member->rule].min_depth
                     : *depth;
    }
    uint64_t filling = object_filling(language, object, depth);
    if (filling == DECODE_ENDLESS)
        return DECODE_ENDLESS;
    uint64_t inner = object->tail_bytes[0] + filling;
    return size_clamp(2 + inner - (inner > 0));
}

static void alt_size(const struct decode_language *language, struct alt *alt)
{
    uint32_t depth = 0;
    if (alt->kind == ALT_ARRAY)
        alt->min_bytes = array_bytes(language, &alt->of.array, &depth);
    else if (alt->kind == ALT_OBJECT)
        alt->min_bytes = object_bytes(language, &alt->of.object, &depth);
    else
        return;
    alt->min_depth = depth + 1;
}

static bool rule_size(const struct decode_language *language, struct rule *rule)
{
    uint32_t bytes = DECODE_ENDLESS, best = 0;
    for (uint32_t i = 0; i < rule->alt_count; i++) {
        const struct alt *alt = &language->alts[rule->alts[i]];
        if (alt->min_bytes < bytes) {
            bytes = alt->min_bytes;
            best = rule->alts[i];
        }
    }
    uint32_t depth = bytes == DECODE_ENDLESS ? 0 : language->alts[best].min_depth;
    bool changed = bytes != rule->min_bytes || depth != rule->min_depth;
    rule->min_bytes = bytes;
    rule->min_alt = best;
    rule->min_depth = depth;
    return changed;
}

void language_sizes(struct decode_language *language)
{
    for (uint32_t i = 0; i < language->alt_count; i++) {
        struct alt *alt = &language->alts[i];
        if (alt->kind == ALT_ARRAY || alt->kind == ALT_OBJECT)
            continue;
        alt->min_bytes = leaf_bytes(language, alt);
        alt->min_depth = 1;
    }
    /* Children have higher numbers than the rule that first names them, so one pass downwards does
     * most. */
    bool changed = true;
    for (uint32_t pass = 0; changed && pass <= language->rule_count + 1; pass++) {
        changed = false;
        for (uint32_t i = language->rule_count; i-- > 0;) {
            struct rule *rule = &language->rules[i];
            for (uint32_t k = 0; k < rule->alt_count; k++)
                alt_size(language, &language->alts[rule->alts[k]]);
            changed |= rule_size(language, rule);
        }
    }
}

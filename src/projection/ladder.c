/* ladder.c - the rules that a rung leaves: simpler forms for a provider that blames the schema.
 *
 * Owns: what each rung gives up. Leaves to others: when a rung is taken (provider/exchange.h).
 */
#include "base/features.h"

#include "projection/ladder.h"

static const uint8_t bounds[] = {
    WIRE_PROPERTY_NAMES, WIRE_PROPERTY_COUNTS,  WIRE_MIN_ITEMS_1, WIRE_MIN_ITEMS,
    WIRE_MAX_ITEMS,      WIRE_UNIQUE_ITEMS,     WIRE_CONTAINS,    WIRE_INTEGER_BOUNDS,
    WIRE_NUMBER_BOUNDS,  WIRE_EXCLUSIVE_BOUNDS, WIRE_MULTIPLE_OF, WIRE_LENGTHS,
    WIRE_PATTERN_SIMPLE, WIRE_PATTERN_FULL,     WIRE_FORMATS,     WIRE_FORMAT_ANY,
};

static const uint8_t unions[] = {
    WIRE_ANY_OF, WIRE_ONE_OF,       WIRE_ALL_OF,        WIRE_NOT,         WIRE_CONDITIONAL,
    WIRE_REF,    WIRE_REF_SIBLINGS, WIRE_REF_RECURSIVE, WIRE_ROOT_ANY_OF,
};

static void give_up(struct wire_rules *rules, const uint8_t *features, size_t count)
{
    for (size_t i = 0; i < count; i++)
        rules->support[features[i]] = WIRE_REJECTED;
}

struct wire_rules ladder_rules(const struct wire_rules *rules, enum projection_rung rung)
{
    struct wire_rules left = *rules;
    if (rung >= PROJECTION_NO_BOUNDS)
        give_up(&left, bounds, sizeof(bounds));
    if (rung >= PROJECTION_NO_UNIONS)
        give_up(&left, unions, sizeof(unions));
    return left;
}

const char *projection_rung_name(enum projection_rung rung)
{
    switch (rung) {
    case PROJECTION_FULL: return "full";
    case PROJECTION_NO_BOUNDS: return "no-bounds";
    case PROJECTION_NO_UNIONS: return "no-unions";
    case PROJECTION_JSON_ONLY: return "json-only";
    case PROJECTION_RUNG_COUNT: break;
    }
    return "unknown";
}

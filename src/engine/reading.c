/* reading.c - the table of readings.
 *
 * Invariant: what is of risk MEANING is never allowed without the caller's leave.
 */
#include "base/features.h"

#include "engine/reading.h"

struct reading_row {
    struct str name;
    enum engine_risk risk;
};

static const struct reading_row rows[ENGINE_READING_COUNT] = {
    [ENGINE_READ_FENCE] = { { "fence", 5 }, ENGINE_RISK_NONE },
    [ENGINE_READ_PROSE] = { { "prose", 5 }, ENGINE_RISK_LOW },
    [ENGINE_READ_TRAILING_TEXT] = { { "trailing-text", 13 }, ENGINE_RISK_LOW },
    [ENGINE_READ_REASONING] = { { "reasoning", 9 }, ENGINE_RISK_NONE },
    [ENGINE_READ_TOOL_ARGUMENTS] = { { "tool-arguments", 14 }, ENGINE_RISK_NONE },
    [ENGINE_READ_CONTROL_CHARACTER] = { { "control-character", 17 }, ENGINE_RISK_LOW },
    [ENGINE_READ_ENVELOPE] = { { "envelope", 8 }, ENGINE_RISK_LOW },
    [ENGINE_READ_DOUBLE_ENCODED] = { { "double-encoded", 14 }, ENGINE_RISK_LOW },
    [ENGINE_READ_NULL_ABSENT] = { { "null-absent", 11 }, ENGINE_RISK_LOW },
    [ENGINE_READ_KEY_VALUE_MAP] = { { "key-value-map", 13 }, ENGINE_RISK_LOW },
    [ENGINE_READ_TUPLE] = { { "tuple", 5 }, ENGINE_RISK_LOW },
    [ENGINE_READ_ENUM_CASE] = { { "enum-case", 9 }, ENGINE_RISK_LOW },
    [ENGINE_READ_SINGLE_ELEMENT] = { { "single-element", 14 }, ENGINE_RISK_MEANING },
    [ENGINE_READ_COERCED] = { { "coerced", 7 }, ENGINE_RISK_MEANING },
    [ENGINE_READ_REASONING_CHANNEL] = { { "reasoning-channel", 17 }, ENGINE_RISK_MEANING },
};

struct str engine_reading_name(enum engine_reading reading)
{
    return rows[reading].name;
}

enum engine_reading engine_reading_from(struct str name)
{
    unsigned reading = 0;
    while (reading < ENGINE_READING_COUNT && !str_equal(rows[reading].name, name))
        reading++;
    return (enum engine_reading)reading;
}

enum engine_risk engine_reading_risk(enum engine_reading reading)
{
    return rows[reading].risk;
}

struct str engine_risk_name(enum engine_risk risk)
{
    switch (risk) {
    case ENGINE_RISK_NONE: return STR("none");
    case ENGINE_RISK_LOW: return STR("low");
    case ENGINE_RISK_MEANING: return STR("meaning");
    }
    return STR("meaning");
}

unsigned engine_readings_of(unsigned refused, unsigned allowed)
{
    unsigned readings = 0;
    for (unsigned reading = 0; reading < ENGINE_READING_COUNT; reading++) {
        unsigned bit = 1u << reading;
        bool is_on =
            rows[reading].risk == ENGINE_RISK_MEANING ? (allowed & bit) != 0 : (refused & bit) == 0;
        readings |= is_on ? bit : 0;
    }
    return readings;
}

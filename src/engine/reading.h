/* reading.h - the ledger of readings: what may be done to a reply before it is judged.
 *
 * Owns: their names, their risks, and which of them are allowed. Leaves to others: carrying them
 * out (reply.c for the text, mend.c for values, projection for the form that was asked for).
 */
#ifndef STRUCTURE_ENGINE_READING_H
#define STRUCTURE_ENGINE_READING_H

#include "base/str.h"

enum engine_reading {
    ENGINE_READ_FENCE,             /* a markdown fence around the value, or half of one */
    ENGINE_READ_PROSE,             /* text before the value */
    ENGINE_READ_TRAILING_TEXT,     /* text behind it */
    ENGINE_READ_REASONING,         /* reasoning in its marks */
    ENGINE_READ_TOOL_ARGUMENTS,    /* the value came as the arguments of a tool call */
    ENGINE_READ_CONTROL_CHARACTER, /* raw line breaks and the like in a string */
    ENGINE_READ_ENVELOPE,          /* one member around the value */
    ENGINE_READ_DOUBLE_ENCODED,    /* JSON in a string where an object or array is wanted */
    ENGINE_READ_NULL_ABSENT,       /* null for an optional member that must not be null */
    ENGINE_READ_KEY_VALUE_MAP,     /* a list of pairs where a map is wanted */
    ENGINE_READ_TUPLE,             /* an object with members "1", "2", ... for a list */
    ENGINE_READ_ENUM_CASE,         /* another letter case of the one allowed word */
    /* Below: only by the caller's leave. */
    ENGINE_READ_SINGLE_ELEMENT,    /* [x] for x, x for [x] */
    ENGINE_READ_COERCED,           /* "3" for 3, 3 for "3", "true" for true */
    ENGINE_READ_REASONING_CHANNEL, /* the answer stood in the reasoning, and nothing elsewhere */
    ENGINE_READING_COUNT
};

enum engine_risk {
    ENGINE_RISK_NONE,   /* marks around the value */
    ENGINE_RISK_LOW,    /* no other value can have been meant */
    ENGINE_RISK_MEANING /* another value than the one that stands there */
};

struct str engine_reading_name(enum engine_reading reading); /* "fence", ... */
/* ENGINE_READING_COUNT: unknown. */
enum engine_reading engine_reading_from(struct str name);
enum engine_risk engine_reading_risk(enum engine_reading reading);
struct str engine_risk_name(enum engine_risk risk); /* "none", "low", "meaning" */

/* A set of readings: bit 1 << reading. */
static inline unsigned engine_reading_bit(enum engine_reading reading)
{
    return 1u << reading;
}

/* Those that are allowed when the caller refused some and gave leave for others. */
unsigned engine_readings_of(unsigned refused, unsigned allowed);

#endif

/* wire_rules.h - what a provider takes of JSON Schema and enforces; data, not code.
 *
 * One set of rules is a JSON object of data/providers.json ("rules"), with a date and a source. A
 * keyword that the rules do not name is WIRE_REJECTED: what is not known is not sent.
 */
#ifndef STRUCTURE_PROJECTION_WIRE_RULES_H
#define STRUCTURE_PROJECTION_WIRE_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "json/json.h"

enum wire_support {
    WIRE_REJECTED, /* the provider answers with an error, or it is not known: is never sent */
    WIRE_ACCEPTED, /* may be sent, is not enforced */
    WIRE_ENFORCED
};

/* What rules speak of: rows of the matrix in the order of the data file's documentation. */
enum wire_feature {
    WIRE_TYPE_LIST, /* "type": ["string", "null"] */
    WIRE_NULLABLE,  /* "nullable": true (OpenAPI), in place of a list */
    WIRE_ENUM_STRINGS,
    WIRE_ENUM_SCALARS,    /* numbers, booleans and null */
    WIRE_ENUM_NUMBERS,    /* numbers only, where WIRE_ENUM_SCALARS is not */
    WIRE_ENUM_STRUCTURED, /* objects and arrays */
    WIRE_CONST,
    WIRE_REQUIRED_SUBSET, /* optional members; else every property must be required */
    WIRE_ADDITIONAL_FALSE,
    WIRE_ADDITIONAL_SCHEMA, /* true or a schema: maps */
    WIRE_PATTERN_PROPERTIES,
    WIRE_PROPERTY_NAMES,
    WIRE_PROPERTY_COUNTS, /* minProperties, maxProperties */
    WIRE_PREFIX_ITEMS,
    WIRE_MIN_ITEMS_1, /* minItems 0 or 1 */
    WIRE_MIN_ITEMS,   /* larger */
    WIRE_MAX_ITEMS,
    WIRE_UNIQUE_ITEMS,
    WIRE_CONTAINS,
    WIRE_INTEGER_BOUNDS, /* minimum, maximum of integers */
    WIRE_NUMBER_BOUNDS,  /* ... of numbers */
    WIRE_EXCLUSIVE_BOUNDS,
    WIRE_MULTIPLE_OF,
    WIRE_LENGTHS,               /* minLength, maxLength */
    WIRE_PATTERN_SIMPLE,        /* no look-around, back-reference or word boundary, small counts */
    WIRE_PATTERN_ANCHORED_ONLY, /* a pattern must begin with ^ and end with $ (ENFORCED: so) */
    WIRE_PATTERN_FULL,
    WIRE_FORMATS, /* those in wire_rules.formats */
    WIRE_FORMAT_ANY,
    WIRE_ANY_OF,
    WIRE_ONE_OF,
    WIRE_ALL_OF,
    WIRE_NOT,
    WIRE_CONDITIONAL,  /* if, then, else */
    WIRE_DEPENDENT,    /* dependentRequired, dependentSchemas */
    WIRE_REF,          /* local, to $defs */
    WIRE_REF_SIBLINGS, /* other keywords beside $ref */
    WIRE_REF_RECURSIVE,
    WIRE_DEFAULT,
    WIRE_TITLE,
    WIRE_DESCRIPTION,
    WIRE_ROOT_ANY_OF,
    WIRE_ROOT_NOT_OBJECT,
    WIRE_EMPTY_SCHEMA,    /* a place without any type: {} or true */
    WIRE_UNION_SIBLINGS,  /* keywords beside anyOf are kept (else pushed into the branches) */
    WIRE_STRING_SIBLINGS, /* pattern, format and lengths may stand together, else one of them */
    WIRE_FEATURE_COUNT
};

/* 0: no limit known. Counted over the whole wire schema. */
struct wire_limits {
    uint32_t properties;       /* in total */
    uint32_t depth;            /* levels of objects and arrays */
    uint32_t optional_members; /* properties that are not required, in total */
    uint32_t unions;           /* properties with anyOf or a list of types, in total */
    uint32_t enum_values;      /* in total */
    uint32_t enum_bytes;       /* characters of one string enum with more than enum_large values */
    uint32_t enum_large;
    uint32_t name_bytes;   /* characters of all names, definitions, enum values and constants */
    uint32_t items_sum;    /* sum of all maxItems */
    uint32_t schema_bytes; /* of the whole text */
    uint32_t description_bytes; /* of one description */
    uint32_t pattern_count;     /* largest {n,m} inside a pattern */
    uint32_t length;            /* largest minLength and maxLength */
};

struct wire_rules {
    struct str name; /* "openai-strict" */
    struct str date; /* "2026-11-30" */
    struct str source;
    uint8_t support[WIRE_FEATURE_COUNT]; /* enum wire_support */
    struct wire_limits limits;
    const struct str *formats; /* of WIRE_FORMATS */
    uint32_t format_count;
    bool is_strict;         /* the provider enforces what it accepts as WIRE_ENFORCED */
    bool must_close;        /* additionalProperties: false on every object */
    bool writes_in_order;   /* replies have members in the order of the wire schema */
    bool folds_case;        /* letter case of enum and const is not guaranteed */
    bool no_empty_values;   /* "" inside of an enum is refused */
    bool no_classes;        /* \\d and \\w in patterns are to be written out */
    struct str definitions; /* "$defs", or "definitions" */
    bool has_upper_types;   /* "STRING" for "string" (OpenAPI dialect of Gemini) */
};

/* "typeList", "enumStrings", ...: the names of the data file, and back (WIRE_FEATURE_COUNT:
 * unknown). */
const char *wire_feature_name(enum wire_feature feature);
enum wire_feature wire_feature_from(struct str name);

/* Reads one object of "rules"; texts are views into value's document, arrays go to arena.
 * INVALID_REQUEST with pointer when it is not of that form; NO_MEMORY. */
enum status wire_rules_read(struct str name, struct json value, struct arena *arena,
                            struct wire_rules *out_rules, struct error *error);

#endif

/* projection.h - the schema that goes over the wire, and the way back.
 *
 * Target program + wire rules → a wire schema that those rules allow, an inverse from replies to
 * values of the target, and a report of what was moved into words. Two steps: first the *shape*
 * changes (envelope for the need object, absent as null, maps as lists of pairs, tuples, roots),
 * keeping every constraint; then what the rules do not take is *reduced*, and said in the
 * description. What the shape admits after the inverse is exactly what the target admits; what the
 * wire schema admits may be more, and the validator has the last word.
 *
 * Invariants: every valid value of the target has a wire form; the wire schema keeps the rules it
 * was made for; nothing depends on a provider's name. Not recursive. A projection is immutable and
 * may be shared between threads.
 */
#ifndef STRUCTURE_PROJECTION_PROJECTION_H
#define STRUCTURE_PROJECTION_PROJECTION_H

#include "projection/wire_rules.h"
#include "schema/program.h"

/* The ladder: simpler forms for a provider that blames the schema. */
enum projection_rung {
    PROJECTION_FULL,      /* all that the rules allow */
    PROJECTION_NO_BOUNDS, /* without bounds, lengths, counts, patterns and formats */
    PROJECTION_NO_UNIONS, /* besides, without unions and references: those places are free */
    PROJECTION_JSON_ONLY, /* no schema on the wire but "a JSON object"; the schema in words */
    PROJECTION_RUNG_COUNT
};

const char *projection_rung_name(enum projection_rung rung); /* "full", "no-bounds", ... */

struct projection_options {
    const struct schema_program *program; /* borrowed for the life of the projection */
    const struct wire_rules *rules;       /* borrowed for the call; NULL: those of JSON_ONLY */
    struct str need_name;                 /* empty: no need object */
    enum projection_rung rung;
    bool wants_watch; /* projection_watch will be asked */
};

/* One thing that the wire schema does not say as the target does. */
struct projection_move {
    struct str pointer; /* of the subschema in the target schema */
    struct str keyword;
    struct str reason; /* "not accepted", "over the limit of 24 optional members", "recursive" */
    bool in_words;     /* it is said in a description instead */
};

struct projection;

/* Errors: UNSUPPORTED when the target cannot be brought into any form that the rules allow at that
 * rung (the message names the rule), NO_MEMORY. */
enum status projection_new(const struct projection_options *options, const struct alloc *alloc,
                           struct projection **out_projection, struct error *error);
void projection_free(struct projection *projection); /* accepts NULL */

/* The schema for the wire, compact JSON text owned by the projection; empty with JSON_ONLY. */
struct str projection_schema(const struct projection *projection);
/* Whether nothing but annotations were moved: what conforms to the wire schema is valid. */
bool projection_is_exact(const struct projection *projection);
const struct projection_move *projection_moves(const struct projection *projection,
                                               uint32_t *out_count);
enum projection_rung projection_rung(const struct projection *projection);
/* The rules say that the letter case of enum and const is not guaranteed. */
bool projection_folds_case(const struct projection *projection);

/* What the model must know of the shape in words, for the prompt: empty, or sentences such as "Put
 * the object into the member \"data\" ..."; owned by the projection. */
struct str projection_words(const struct projection *projection);

/* ---- the way back ---- */

enum projection_part {
    PROJECTION_TARGET, /* a value for the target */
    PROJECTION_NEED    /* the need object, unwrapped: {"<need_name>": "..."} */
};

/* Names of what the inverse did, as the ledger of spec section 10 has them. */
enum projection_reading {
    PROJECTION_READ_ENVELOPE = 1 << 0,      /* "envelope" */
    PROJECTION_READ_NULL_ABSENT = 1 << 1,   /* "null-absent" */
    PROJECTION_READ_KEY_VALUE_MAP = 1 << 2, /* "key-value-map" */
    PROJECTION_READ_JSON_TEXT = 1 << 3,     /* "json-text": a JSON text in a string */
    PROJECTION_READ_TUPLE = 1 << 4,         /* "tuple": an object with the members "1", "2", ... */
};

struct projection_value {
    struct json_doc *doc; /* the caller's */
    enum projection_part part;
    unsigned readings; /* enum projection_reading bits that changed something */
};

/* From a reply (a JSON value) to the value it means. A reply that has not the wire's shape is taken
 * as it is, where it has not: whoever answers directly is understood too. Never fails on the
 * content: what is odd stays and is for the validator. NO_MEMORY. */
enum status projection_invert(const struct projection *projection, struct json reply,
                              const struct alloc *alloc, struct projection_value *out_value);

/* The same step by step for a pointer of the target's value: where it is in the reply. Appended. */
void projection_pointer_to_reply(const struct projection *projection, struct json reply,
                                 struct str pointer, struct buffer *out);

/* A valid value of the target in the form of the wire schema (tests; examples in prompts).
 * Appended as compact JSON. UNSUPPORTED: the value is not valid for the target. */
enum status projection_convert(const struct projection *projection, struct json value,
                               struct buffer *out, struct error *error);

/* The schema of every text that may still become a valid answer: the shape with all constraints,
 * or the target itself, or the need object. For the push validator that aborts early. Owned by the
 * projection; NULL when it was not wanted or could not be made (then nothing is aborted early). */
const struct schema_program *projection_watch(const struct projection *projection);

#endif

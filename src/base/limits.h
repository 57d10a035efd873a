/* limits.h - every budget of the product: name, unit, reason. The test that hits each is named
 * beside it.
 *
 * Limits that a caller may change are defaults here and fields of the options of the function that
 * applies them; the others are constants.
 */
#ifndef STRUCTURE_BASE_LIMITS_H
#define STRUCTURE_BASE_LIMITS_H

/* JSON text (tests/json/test_limits.c) */
#define LIMIT_JSON_BYTES (16u * 1024 * 1024)           /* one instance or reply, bytes */
#define LIMIT_JSON_LOCAL_BYTES (256u * 1024 * 1024)    /* a local file of `validate`, bytes */
#define LIMIT_JSON_DEPTH 128u                          /* nesting levels of arrays and objects */
#define LIMIT_JSON_NODES 1000000u                      /* values, member names not counted */
#define LIMIT_JSON_LOCAL_NODES 16000000u
#define LIMIT_JSON_DIGITS 10000u                       /* digits of one number, bytes of its text */

/* Schemas (tests/schema/test_limits.c) */
#define LIMIT_SCHEMA_BYTES (4u * 1024 * 1024)
#define LIMIT_SCHEMA_PROGRAM_BYTES (256u * 1024 * 1024)
#define LIMIT_SCHEMA_URI_BYTES (8u * 1024)             /* one identifier, made absolute */
#define LIMIT_SCHEMA_URIS_BYTES (16u * 1024 * 1024)    /* ... of all resources of a schema */
#define LIMIT_SCHEMA_WARNINGS 100u                     /* told while one schema is compiled */

/* Patterns (tests/regex/test_limits.c) */
#define LIMIT_REGEX_BYTES (256u * 1024)                /* one pattern */
#define LIMIT_REGEX_DEPTH 1000u                        /* groups inside groups */
#define LIMIT_REGEX_NAMES 200u                         /* group names and references to them */
#define LIMIT_REGEX_OPS 300000u                        /* instructions of one pattern */
#define LIMIT_REGEX_WRITES 4000000u                    /* ... of all patterns of a schema */
#define LIMIT_REGEX_STATES 4096u                       /* of a table; larger ones are simulated */
#define LIMIT_REGEX_BUILD_STEPS 2000000u               /* building the table of one pattern */
#define LIMIT_REGEX_BUILD_STEPS_ALL 40000000u          /* ... of all patterns of a schema */
#define LIMIT_REGEX_STEPS 20000000u                    /* one search without a table */
#define LIMIT_REGEX_CELLS 65000u                       /* of a table; larger ones are simulated */
#define LIMIT_REGEX_RANGES 500000u                     /* of the classes of one pattern */
#define LIMIT_REGEX_CAPTURES 1000u                     /* groups, where back-references are */
#define LIMIT_REGEX_FRAMES 500000u                     /* what one such search may put aside */

/* Validation: work units, about one per instruction applied to one instance value. */
#define LIMIT_VALIDATE_STEPS 200000000ull
#define LIMIT_TRACE_UNITS    1000000u /* keywords and schemas applied, 80 bytes each */
#define LIMIT_VIOLATIONS     20u /* reported per instance unless asked otherwise */

/* Engine (tests/engine/test_limits.c) */
#define LIMIT_LOOPS_MAX 10u
#define LIMIT_LOOPS_DEFAULT 3u
#define LIMIT_REPLY_BYTES (4u * 1024 * 1024)
#define LIMIT_TOKENS_DEFAULT 1024u                     /* output tokens of one reply */
#define LIMIT_TURNS_MAX 256u                           /* of a conversation that the caller holds */
#define LIMIT_LOCAL_CALL_MS            120000 /* the same in this process: a busy machine is slow */
#define LIMIT_MODEL_CALL_MS            30000 /* one model call; see docs for local models */
#define LIMIT_CONNECT_MS               10000 /* name, connection and TLS of one request */
#define LIMIT_FIRST_BYTE_MS            60000 /* of a reply */
#define LIMIT_IDLE_MS                  60000 /* between two bytes: models think in silence */
#define LIMIT_PROMPT_BYTES (16u * 1024 * 1024)
#define LIMIT_REASON_COUNT 20u                         /* violations named in one reason */
#define LIMIT_REASON_BYTES 4096u
#define LIMIT_REASON_VALUE_CODE_POINTS 60u

#endif

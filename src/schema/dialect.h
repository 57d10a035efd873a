/* dialect.h - which keywords a dialect of JSON Schema has, as data. Private to src/schema. */
#ifndef STRUCTURE_SCHEMA_DIALECT_H
#define STRUCTURE_SCHEMA_DIALECT_H

#include <stdint.h>

#include "base/str.h"

enum schema_dialect {
    DIALECT_4 = 1 << 0,
    DIALECT_6 = 1 << 1,
    DIALECT_7 = 1 << 2,
    DIALECT_2019 = 1 << 3,
    DIALECT_2020 = 1 << 4
};

/* In the order in which a node's instructions are laid out: cheap ones first, keywords of
 * objects that one pass over the members judges next to each other, references and alternatives,
 * then what applies to the members and items that nothing before evaluated. */
enum schema_keyword {
    KEYWORD_TYPE,
    KEYWORD_CONST,
    KEYWORD_ENUM,
    KEYWORD_MINIMUM,
    KEYWORD_EXCLUSIVE_MINIMUM,
    KEYWORD_MAXIMUM,
    KEYWORD_EXCLUSIVE_MAXIMUM,
    KEYWORD_MULTIPLE_OF,
    KEYWORD_MIN_LENGTH,
    KEYWORD_MAX_LENGTH,
    KEYWORD_FORMAT,
    KEYWORD_PATTERN,
    KEYWORD_MIN_ITEMS,
    KEYWORD_MAX_ITEMS,
    KEYWORD_MIN_PROPERTIES,
    KEYWORD_MAX_PROPERTIES,
    KEYWORD_REQUIRED,
    KEYWORD_PROPERTIES,
    KEYWORD_PATTERN_PROPERTIES,
    KEYWORD_ADDITIONAL_PROPERTIES,
    KEYWORD_PROPERTY_NAMES,
    KEYWORD_DEPENDENT_REQUIRED,
    KEYWORD_DEPENDENT_SCHEMAS,
    KEYWORD_DEPENDENCIES,
    KEYWORD_PREFIX_ITEMS,
    KEYWORD_ITEMS,
    KEYWORD_ADDITIONAL_ITEMS,
    KEYWORD_CONTAINS,
    KEYWORD_UNIQUE_ITEMS,
    KEYWORD_CONTENT_ENCODING,
    KEYWORD_CONTENT_MEDIA_TYPE,
    KEYWORD_REF,
    KEYWORD_DYNAMIC_REF,
    KEYWORD_RECURSIVE_REF,
    KEYWORD_ALL_OF,
    KEYWORD_ANY_OF,
    KEYWORD_ONE_OF,
    KEYWORD_NOT,
    KEYWORD_IF,
    KEYWORD_UNEVALUATED_ITEMS,
    KEYWORD_UNEVALUATED_PROPERTIES,
    /* No instruction of their own. */
    KEYWORD_THEN,
    KEYWORD_ELSE,
    KEYWORD_MIN_CONTAINS,
    KEYWORD_MAX_CONTAINS,
    KEYWORD_DEFS,
    KEYWORD_DEFINITIONS,
    KEYWORD_CONTENT_SCHEMA,
    KEYWORD_ID,
    KEYWORD_ANCHOR,
    KEYWORD_DYNAMIC_ANCHOR,
    KEYWORD_RECURSIVE_ANCHOR,
    KEYWORD_SCHEMA,
    KEYWORD_ANNOTATION, /* every keyword that says nothing about validity */
    KEYWORD_COUNT
};

/* What the meta-schema asks of a keyword's value. */
enum schema_rule {
    RULE_ANY,
    RULE_SCHEMA,
    RULE_SCHEMA_LIST, /* not empty */
    RULE_SCHEMA_MAP,
    RULE_ITEMS,        /* a schema, before 2020-12 also a list of them */
    RULE_DEPENDENCIES, /* name → schema or list of names */
    RULE_NUMBER,
    RULE_POSITIVE_NUMBER,
    RULE_COUNT, /* an integer ≥ 0 */
    RULE_BOOLEAN,
    RULE_EXCLUSIVE, /* a number; in draft-04 a boolean */
    RULE_STRING,
    RULE_LIST,
    RULE_NAMES,     /* different strings */
    RULE_NAMES_MAP, /* name → different strings */
    RULE_TYPES,
    RULE_VOCABULARIES /* URI → boolean */
};

/* What a meta-schema may leave out, since 2019-09. */
enum schema_vocabulary {
    VOCABULARY_CORE = 1 << 0,
    VOCABULARY_APPLICATOR = 1 << 1,
    VOCABULARY_UNEVALUATED = 1 << 2,
    VOCABULARY_VALIDATION = 1 << 3,
    VOCABULARY_META_DATA = 1 << 4,
    VOCABULARY_FORMAT = 1 << 5,
    VOCABULARY_FORMAT_ASSERTION = 1 << 6,
    VOCABULARY_CONTENT = 1 << 7
};

/* How one resource is read. */
struct schema_dialect_use {
    enum schema_dialect dialect;
    uint8_t vocabularies; /* bits of enum schema_vocabulary; all of them before 2019-09 */
    bool format_asserts;  /* its meta-schema says so, whatever the options are */
};

enum { VOCABULARIES_ALL = 255 & ~VOCABULARY_FORMAT_ASSERTION };

struct schema_keyword_row {
    const char *name;
    uint8_t keyword;      /* enum schema_keyword */
    uint8_t rule;         /* enum schema_rule */
    uint8_t dialects;     /* bits of enum schema_dialect */
    uint8_t vocabularies; /* a bit of enum schema_vocabulary */
};

/* The row of a keyword that the dialect has, as it is used, or NULL. */
const struct schema_keyword_row *schema_keyword_find_used(struct str name,
                                                          const struct schema_dialect_use *use);

/* The same with all vocabularies. */
const struct schema_keyword_row *schema_keyword_find(struct str name, enum schema_dialect dialect);

/* The row of the same name in any dialect, or NULL. */
const struct schema_keyword_row *schema_keyword_find_any(struct str name);

/* The keyword of the dialect that name is a misspelling of, or no bytes. */
struct str schema_keyword_suggest(struct str name, enum schema_dialect dialect);

/* False for a URI that names no supported dialect. An empty fragment makes no difference. */
bool schema_dialect_from(struct str uri, enum schema_dialect *out_dialect);
const char *schema_dialect_name(enum schema_dialect dialect);

/* The bits of a vocabulary of the dialect by its URI; 0 for an unknown one. */
uint8_t schema_vocabulary_from(struct str uri, enum schema_dialect dialect);

/* The supported ones, for a message. */
const char *schema_dialect_list(void);

#endif

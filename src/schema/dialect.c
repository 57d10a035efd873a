/* dialect.c - the vocabularies of draft-04 to 2020-12 as one table.
 *
 * Owns: names, dialects and value rules of all keywords. Leaves to others: what a keyword does
 * (compile.c). Invariant: the table is sorted by name (byte order), so that look-up is a binary
 * search.
 */
#include "base/features.h"

#include "schema/dialect.h"

#include "schema/suggest.h"

#define FROM_2020 DIALECT_2020
#define FROM_2019 (DIALECT_2019 | FROM_2020)
#define FROM_7    (DIALECT_7 | FROM_2019)
#define FROM_6    (DIALECT_6 | FROM_7)
#define FROM_4    (DIALECT_4 | FROM_6)

static const struct schema_keyword_row keyword_rows[] = {
    { "$anchor", KEYWORD_ANCHOR, RULE_STRING, FROM_2019, VOCABULARY_CORE },
    { "$comment", KEYWORD_ANNOTATION, RULE_STRING, FROM_7, VOCABULARY_CORE },
    { "$defs", KEYWORD_DEFS, RULE_SCHEMA_MAP, FROM_2019, VOCABULARY_CORE },
    { "$dynamicAnchor", KEYWORD_DYNAMIC_ANCHOR, RULE_STRING, DIALECT_2020, VOCABULARY_CORE },
    { "$dynamicRef", KEYWORD_DYNAMIC_REF, RULE_STRING, DIALECT_2020, VOCABULARY_CORE },
    { "$id", KEYWORD_ID, RULE_STRING, FROM_6, VOCABULARY_CORE },
    { "$recursiveAnchor", KEYWORD_RECURSIVE_ANCHOR, RULE_BOOLEAN, DIALECT_2019, VOCABULARY_CORE },
    { "$recursiveRef", KEYWORD_RECURSIVE_REF, RULE_STRING, DIALECT_2019, VOCABULARY_CORE },
    { "$ref", KEYWORD_REF, RULE_STRING, FROM_4, VOCABULARY_CORE },
    { "$schema", KEYWORD_SCHEMA, RULE_STRING, FROM_4, VOCABULARY_CORE },
    { "$vocabulary", KEYWORD_ANNOTATION, RULE_VOCABULARIES, FROM_2019, VOCABULARY_CORE },
    { "additionalItems", KEYWORD_ADDITIONAL_ITEMS, RULE_SCHEMA, FROM_4 & ~DIALECT_2020,
      VOCABULARY_APPLICATOR },
    { "additionalProperties", KEYWORD_ADDITIONAL_PROPERTIES, RULE_SCHEMA, FROM_4,
      VOCABULARY_APPLICATOR },
    { "allOf", KEYWORD_ALL_OF, RULE_SCHEMA_LIST, FROM_4, VOCABULARY_APPLICATOR },
    { "anyOf", KEYWORD_ANY_OF, RULE_SCHEMA_LIST, FROM_4, VOCABULARY_APPLICATOR },
    { "const", KEYWORD_CONST, RULE_ANY, FROM_6, VOCABULARY_VALIDATION },
    { "contains", KEYWORD_CONTAINS, RULE_SCHEMA, FROM_6, VOCABULARY_APPLICATOR },
    /* Draft-07 lets content be asserted; 2019-09 made it an annotation. */
    { "contentEncoding", KEYWORD_ANNOTATION, RULE_STRING, FROM_2019, VOCABULARY_CONTENT },
    { "contentEncoding", KEYWORD_CONTENT_ENCODING, RULE_STRING, DIALECT_7, VOCABULARY_CONTENT },
    { "contentMediaType", KEYWORD_ANNOTATION, RULE_STRING, FROM_2019, VOCABULARY_CONTENT },
    { "contentMediaType", KEYWORD_CONTENT_MEDIA_TYPE, RULE_STRING, DIALECT_7, VOCABULARY_CONTENT },
    { "contentSchema", KEYWORD_CONTENT_SCHEMA, RULE_SCHEMA, FROM_2019, VOCABULARY_CONTENT },
    { "default", KEYWORD_ANNOTATION, RULE_ANY, FROM_4, VOCABULARY_META_DATA },
    { "definitions", KEYWORD_DEFINITIONS, RULE_SCHEMA_MAP, FROM_4, VOCABULARY_CORE },
    { "dependencies", KEYWORD_DEPENDENCIES, RULE_DEPENDENCIES, FROM_4, VOCABULARY_APPLICATOR },
    { "dependentRequired", KEYWORD_DEPENDENT_REQUIRED, RULE_NAMES_MAP, FROM_2019,
      VOCABULARY_VALIDATION },
    { "dependentSchemas", KEYWORD_DEPENDENT_SCHEMAS, RULE_SCHEMA_MAP, FROM_2019,
      VOCABULARY_APPLICATOR },
    { "deprecated", KEYWORD_ANNOTATION, RULE_BOOLEAN, FROM_2019, VOCABULARY_META_DATA },
    { "description", KEYWORD_ANNOTATION, RULE_STRING, FROM_4, VOCABULARY_META_DATA },
    { "else", KEYWORD_ELSE, RULE_SCHEMA, FROM_7, VOCABULARY_APPLICATOR },
    { "enum", KEYWORD_ENUM, RULE_LIST, FROM_4, VOCABULARY_VALIDATION },
    { "examples", KEYWORD_ANNOTATION, RULE_LIST, FROM_6, VOCABULARY_META_DATA },
    { "exclusiveMaximum", KEYWORD_EXCLUSIVE_MAXIMUM, RULE_EXCLUSIVE, FROM_4,
      VOCABULARY_VALIDATION },
    { "exclusiveMinimum", KEYWORD_EXCLUSIVE_MINIMUM, RULE_EXCLUSIVE, FROM_4,
      VOCABULARY_VALIDATION },
    { "format", KEYWORD_FORMAT, RULE_STRING, FROM_4, VOCABULARY_FORMAT },
    { "id", KEYWORD_ID, RULE_STRING, DIALECT_4, VOCABULARY_CORE },
    { "if", KEYWORD_IF, RULE_SCHEMA, FROM_7, VOCABULARY_APPLICATOR },
    { "items", KEYWORD_ITEMS, RULE_ITEMS, FROM_4, VOCABULARY_APPLICATOR },
    { "maxContains", KEYWORD_MAX_CONTAINS, RULE_COUNT, FROM_2019, VOCABULARY_VALIDATION },
    { "maxItems", KEYWORD_MAX_ITEMS, RULE_COUNT, FROM_4, VOCABULARY_VALIDATION },
    { "maxLength", KEYWORD_MAX_LENGTH, RULE_COUNT, FROM_4, VOCABULARY_VALIDATION },
    { "maxProperties", KEYWORD_MAX_PROPERTIES, RULE_COUNT, FROM_4, VOCABULARY_VALIDATION },
    { "maximum", KEYWORD_MAXIMUM, RULE_NUMBER, FROM_4, VOCABULARY_VALIDATION },
    { "minContains", KEYWORD_MIN_CONTAINS, RULE_COUNT, FROM_2019, VOCABULARY_VALIDATION },
    { "minItems", KEYWORD_MIN_ITEMS, RULE_COUNT, FROM_4, VOCABULARY_VALIDATION },
    { "minLength", KEYWORD_MIN_LENGTH, RULE_COUNT, FROM_4, VOCABULARY_VALIDATION },
    { "minProperties", KEYWORD_MIN_PROPERTIES, RULE_COUNT, FROM_4, VOCABULARY_VALIDATION },
    { "minimum", KEYWORD_MINIMUM, RULE_NUMBER, FROM_4, VOCABULARY_VALIDATION },
    { "multipleOf", KEYWORD_MULTIPLE_OF, RULE_POSITIVE_NUMBER, FROM_4, VOCABULARY_VALIDATION },
    { "not", KEYWORD_NOT, RULE_SCHEMA, FROM_4, VOCABULARY_APPLICATOR },
    { "oneOf", KEYWORD_ONE_OF, RULE_SCHEMA_LIST, FROM_4, VOCABULARY_APPLICATOR },
    { "pattern", KEYWORD_PATTERN, RULE_STRING, FROM_4, VOCABULARY_VALIDATION },
    { "patternProperties", KEYWORD_PATTERN_PROPERTIES, RULE_SCHEMA_MAP, FROM_4,
      VOCABULARY_APPLICATOR },
    { "prefixItems", KEYWORD_PREFIX_ITEMS, RULE_SCHEMA_LIST, FROM_2020, VOCABULARY_APPLICATOR },
    { "properties", KEYWORD_PROPERTIES, RULE_SCHEMA_MAP, FROM_4, VOCABULARY_APPLICATOR },
    { "propertyNames", KEYWORD_PROPERTY_NAMES, RULE_SCHEMA, FROM_6, VOCABULARY_APPLICATOR },
    { "readOnly", KEYWORD_ANNOTATION, RULE_BOOLEAN, FROM_7, VOCABULARY_META_DATA },
    { "required", KEYWORD_REQUIRED, RULE_NAMES, FROM_4, VOCABULARY_VALIDATION },
    { "then", KEYWORD_THEN, RULE_SCHEMA, FROM_7, VOCABULARY_APPLICATOR },
    { "title", KEYWORD_ANNOTATION, RULE_STRING, FROM_4, VOCABULARY_META_DATA },
    { "type", KEYWORD_TYPE, RULE_TYPES, FROM_4, VOCABULARY_VALIDATION },
    { "unevaluatedItems", KEYWORD_UNEVALUATED_ITEMS, RULE_SCHEMA, FROM_2019,
      VOCABULARY_UNEVALUATED },
    { "unevaluatedProperties", KEYWORD_UNEVALUATED_PROPERTIES, RULE_SCHEMA, FROM_2019,
      VOCABULARY_UNEVALUATED },
    { "uniqueItems", KEYWORD_UNIQUE_ITEMS, RULE_BOOLEAN, FROM_4, VOCABULARY_VALIDATION },
    { "writeOnly", KEYWORD_ANNOTATION, RULE_BOOLEAN, FROM_7, VOCABULARY_META_DATA },
};

enum { KEYWORD_ROWS = sizeof(keyword_rows) / sizeof(keyword_rows[0]) };

static const struct dialect_row {
    enum schema_dialect dialect;
    const char *name;
    const char *uri; /* without scheme and fragment */
} dialect_rows[] = {
    { DIALECT_2020, "2020-12", "json-schema.org/draft/2020-12/schema" },
    { DIALECT_2019, "2019-09", "json-schema.org/draft/2019-09/schema" },
    { DIALECT_7, "draft-07", "json-schema.org/draft-07/schema" },
    { DIALECT_6, "draft-06", "json-schema.org/draft-06/schema" },
    { DIALECT_4, "draft-04", "json-schema.org/draft-04/schema" },
};

enum { DIALECT_ROWS = sizeof(dialect_rows) / sizeof(dialect_rows[0]) };

static int keyword_compare(struct str name, const char *row_name)
{
    size_t len = strlen(row_name);
    int order = memcmp(name.ptr == NULL ? "" : name.ptr, row_name, name.len < len ? name.len : len);
    if (order != 0)
        return order;
    return name.len < len ? -1 : name.len > len;
}

/* The first row of that name, or NULL. */
const struct schema_keyword_row *schema_keyword_find_any(struct str name)
{
    unsigned begin = 0;
    unsigned end = KEYWORD_ROWS;
    while (begin < end) {
        unsigned middle = (begin + end) / 2;
        if (keyword_compare(name, keyword_rows[middle].name) <= 0)
            end = middle;
        else
            begin = middle + 1;
    }
    if (begin == KEYWORD_ROWS || keyword_compare(name, keyword_rows[begin].name) != 0)
        return NULL;
    return &keyword_rows[begin];
}

const struct schema_keyword_row *schema_keyword_find_used(struct str name,
                                                          const struct schema_dialect_use *use)
{
    const struct schema_keyword_row *row = schema_keyword_find_any(name);
    if (row == NULL)
        return NULL;
    const struct schema_keyword_row *end = keyword_rows + KEYWORD_ROWS;
    for (; row < end && keyword_compare(name, row->name) == 0; row++)
        if ((row->dialects & use->dialect) != 0 && (row->vocabularies & use->vocabularies) != 0)
            return row;
    return NULL;
}

const struct schema_keyword_row *schema_keyword_find(struct str name, enum schema_dialect dialect)
{
    struct schema_dialect_use use = { dialect, VOCABULARIES_ALL, false };
    return schema_keyword_find_used(name, &use);
}

struct str schema_keyword_suggest(struct str name, enum schema_dialect dialect)
{
    struct suggestion suggestion;
    suggestion_init(&suggestion, name);
    for (unsigned i = 0; i < KEYWORD_ROWS; i++)
        if ((keyword_rows[i].dialects & dialect) != 0)
            suggestion_offer(&suggestion, str_from(keyword_rows[i].name));
    return suggestion.best;
}

bool schema_dialect_from(struct str uri, enum schema_dialect *out_dialect)
{
    if (uri.len > 0 && uri.ptr[uri.len - 1] == '#')
        uri.len--;
    if (str_starts_with(uri, STR("https://")))
        uri = str_of(uri.ptr + 8, uri.len - 8);
    else if (str_starts_with(uri, STR("http://")))
        uri = str_of(uri.ptr + 7, uri.len - 7);
    for (unsigned i = 0; i < DIALECT_ROWS; i++) {
        if (str_equal(uri, str_from(dialect_rows[i].uri))) {
            *out_dialect = dialect_rows[i].dialect;
            return true;
        }
    }
    return false;
}

/* ---- vocabularies ---------------------------------------------------------------------------- */

static const struct vocabulary_row {
    enum schema_dialect dialect;
    uint8_t vocabulary; /* enum schema_vocabulary */
    const char *uri;
} vocabulary_rows[] = {
    { DIALECT_2019, VOCABULARY_CORE, "https://json-schema.org/draft/2019-09/vocab/core" },
    { DIALECT_2019, VOCABULARY_APPLICATOR | VOCABULARY_UNEVALUATED,
      "https://json-schema.org/draft/2019-09/vocab/applicator" },
    { DIALECT_2019, VOCABULARY_VALIDATION,
      "https://json-schema.org/draft/2019-09/vocab/validation" },
    { DIALECT_2019, VOCABULARY_META_DATA, "https://json-schema.org/draft/2019-09/vocab/meta-data" },
    { DIALECT_2019, VOCABULARY_FORMAT, "https://json-schema.org/draft/2019-09/vocab/format" },
    { DIALECT_2019, VOCABULARY_CONTENT, "https://json-schema.org/draft/2019-09/vocab/content" },
    { DIALECT_2020, VOCABULARY_CORE, "https://json-schema.org/draft/2020-12/vocab/core" },
    { DIALECT_2020, VOCABULARY_APPLICATOR,
      "https://json-schema.org/draft/2020-12/vocab/applicator" },
    { DIALECT_2020, VOCABULARY_UNEVALUATED,
      "https://json-schema.org/draft/2020-12/vocab/unevaluated" },
    { DIALECT_2020, VOCABULARY_VALIDATION,
      "https://json-schema.org/draft/2020-12/vocab/validation" },
    { DIALECT_2020, VOCABULARY_META_DATA, "https://json-schema.org/draft/2020-12/vocab/meta-data" },
    { DIALECT_2020, VOCABULARY_FORMAT,
      "https://json-schema.org/draft/2020-12/vocab/format-annotation" },
    { DIALECT_2020, VOCABULARY_FORMAT | VOCABULARY_FORMAT_ASSERTION,
      "https://json-schema.org/draft/2020-12/vocab/format-assertion" },
    { DIALECT_2020, VOCABULARY_CONTENT, "https://json-schema.org/draft/2020-12/vocab/content" },
};

uint8_t schema_vocabulary_from(struct str uri, enum schema_dialect dialect)
{
    for (size_t i = 0; i < sizeof(vocabulary_rows) / sizeof(vocabulary_rows[0]); i++)
        if (vocabulary_rows[i].dialect == dialect &&
            str_equal(uri, str_from(vocabulary_rows[i].uri)))
            return vocabulary_rows[i].vocabulary;
    return 0;
}

const char *schema_dialect_name(enum schema_dialect dialect)
{
    for (unsigned i = 0; i < DIALECT_ROWS; i++)
        if (dialect_rows[i].dialect == dialect)
            return dialect_rows[i].name;
    return "";
}

const char *schema_dialect_list(void)
{
    return "https://json-schema.org/draft/2020-12/schema, "
           "https://json-schema.org/draft/2019-09/schema, "
           "http://json-schema.org/draft-07/schema#, draft-06, draft-04";
}

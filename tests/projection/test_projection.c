/* test_projection.c - forms of wire schemas one by one: what is written for a schema and a set of
 * rules, what replies mean, what is reported; every allocation failing; hostile schemas.
 *
 * The rules are made here, so that a change of data/providers.json changes nothing in these tables;
 * test_property.c plays the sets of that file.
 */
#include "base/features.h"

#include "test.h"

#include "base/buffer.h"
#include "projection/projection.h"
#include "schema/compile.h"
#include "test_alloc.h"

enum { TEXT_BYTES_MAX = 1 << 24 };

/* Closed: every object closed, every member required. */
#define CLOSED                                                                                     \
    "{\"date\":\"d\",\"source\":\"s\",\"strict\":true,\"mustClose\":true,\"enforced\":["           \
    "\"typeList\",\"enumStrings\",\"enumScalars\",\"enumNumbers\",\"const\",\"additionalFalse\","  \
    "\"minItems1\",\"minItems\",\"maxItems\",\"integerBounds\",\"numberBounds\",\"anyOf\","        \
    "\"ref\",\"refRecursive\"],\"accepted\":[\"description\"]"
/* Poor: strings in enums, closed objects, unions, and nothing else. */
#define POOR                                                                                       \
    "{\"date\":\"d\",\"source\":\"s\",\"strict\":true,\"mustClose\":true,\"enforced\":["           \
    "\"enumStrings\",\"additionalFalse\",\"anyOf\"],\"accepted\":[\"description\"]"
/* Open: optional members, maps, any root. */
#define OPEN                                                                                       \
    "{\"date\":\"d\",\"source\":\"s\",\"enforced\":[\"typeList\",\"enumStrings\","                 \
    "\"enumScalars\",\"const\",\"requiredSubset\",\"additionalFalse\",\"additionalSchema\","       \
    "\"prefixItems\",\"integerBounds\",\"lengths\",\"patternFull\",\"anyOf\",\"ref\","             \
    "\"refRecursive\",\"description\",\"rootAnyOf\",\"rootNotObject\",\"emptySchema\","            \
    "\"unionSiblings\",\"stringSiblings\"]"

static struct schema_program *compile(const struct alloc *alloc, struct str text)
{
    struct schema_program *program = NULL;
    struct schema_options options = { .unknown_keywords = SCHEMA_UNKNOWN_ALLOW,
                                      .format_asserts = true };
    enum status status = schema_compile_text(text, &options, alloc, &program, NULL);
    if (status != STATUS_OK)
        assert_int_equal(status, STATUS_NO_MEMORY);
    return program;
}

static struct json_doc *parse(struct str text)
{
    struct json_doc *doc = NULL;
    assert_int_equal(json_parse(text, NULL, alloc_default(), &doc, NULL), STATUS_OK);
    return doc;
}

/* A target, rules that were read, and their projection. */
struct subject {
    struct arena arena;
    struct json_doc *rules_doc;
    struct wire_rules rules;
    struct schema_program *target;
    struct projection *projection;
};

static enum status subject_open(struct subject *subject, const char *rules, const char *target,
                                const char *need, enum projection_rung rung, struct error *error)
{
    memset(subject, 0, sizeof(*subject));
    arena_init(&subject->arena, alloc_default(), 1 << 20);
    if (rules != NULL) {
        subject->rules_doc = parse(str_from(rules));
        assert_int_equal(wire_rules_read(STR("test"), json_doc_root(subject->rules_doc),
                                         &subject->arena, &subject->rules, NULL),
                         STATUS_OK);
    }
    subject->target = compile(alloc_default(), str_from(target));
    assert_non_null(subject->target);
    struct projection_options options = { .program = subject->target,
                                          .rules = rules == NULL ? NULL : &subject->rules,
                                          .need_name = str_from(need),
                                          .rung = rung,
                                          .wants_watch = true };
    return projection_new(&options, alloc_default(), &subject->projection, error);
}

static void subject_close(struct subject *subject)
{
    projection_free(subject->projection);
    schema_program_free(subject->target);
    json_doc_free(subject->rules_doc);
    arena_release(&subject->arena);
}

static void assert_text(const char *what, struct str text, const char *expected)
{
    struct str wanted = str_from(expected); /* NULL: none */
    if (str_equal(text, wanted))
        return;
    print_error("%s\n  is       %.*s\n  expected %.*s\n", what, (int)text.len,
                text.ptr == NULL ? "" : text.ptr, (int)wanted.len,
                wanted.ptr == NULL ? "" : wanted.ptr);
    fail();
}

/* ---- what is written, and what replies mean -------------------------------------------------- */

struct exchange {
    const char *reply;
    const char *value;
    unsigned readings;
    enum projection_part part;
};

struct form {
    const char *name;
    const char *rules;
    const char *target;
    const char *need;
    enum projection_rung rung;
    bool is_exact;
    const char *wire;
    struct exchange exchanges[4];
};

enum {
    ENVELOPE = PROJECTION_READ_ENVELOPE,
    ABSENT = PROJECTION_READ_NULL_ABSENT,
    MAP = PROJECTION_READ_KEY_VALUE_MAP,
    TEXT = PROJECTION_READ_JSON_TEXT,
    TUPLE = PROJECTION_READ_TUPLE
};

static const struct form forms[] = {
    { "a plain object",
      CLOSED "}",
      "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}},\"required\":[\"a\"],"
      "\"additionalProperties\":false}",
      "",
      PROJECTION_FULL,
      true,
      "{\"type\":\"object\",\"required\":[\"a\"],\"additionalProperties\":false,\"properties\":{"
      "\"a\":{\"type\":\"integer\"}}}",
      {
          { "{\"a\":1}", "{\"a\":1}", 0, PROJECTION_TARGET },
      } },
    { "an optional member is required and nullable",
      CLOSED "}",
      "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{\"type\":"
      "\"integer\"}},\"required\":[\"a\"],\"additionalProperties\":false}",
      "",
      PROJECTION_FULL,
      true,
      "{\"type\":\"object\",\"required\":[\"a\",\"b\"],\"additionalProperties\":false,"
      "\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{\"type\":[\"integer\",\"null\"]}}}",
      {
          { "{\"a\":\"x\",\"b\":null}", "{\"a\":\"x\"}", ABSENT, PROJECTION_TARGET },
          { "{\"a\":\"x\",\"b\":2}", "{\"a\":\"x\",\"b\":2}", 0, PROJECTION_TARGET },
          { "{\"a\":\"x\"}", "{\"a\":\"x\"}", 0, PROJECTION_TARGET },
          { "{\"a\":null,\"b\":null}", "{\"a\":null}", ABSENT, PROJECTION_TARGET },
      } },
    { "an optional member that takes null keeps it",
      CLOSED "}",
      "{\"type\":\"object\",\"properties\":{\"b\":{\"type\":[\"integer\",\"null\"]}},"
      "\"additionalProperties\":false}",
      "",
      PROJECTION_FULL,
      true,
      "{\"type\":\"object\",\"required\":[\"b\"],\"additionalProperties\":false,\"properties\":{"
      "\"b\":{\"type\":[\"integer\",\"null\"]}}}",
      {
          { "{\"b\":null}", "{\"b\":null}", 0, PROJECTION_TARGET },
          { "{\"b\":1}", "{\"b\":1}", 0, PROJECTION_TARGET },
      } },
    { "without lists of types null is an alternative",
      POOR "}",
      "{\"type\":\"object\",\"properties\":{\"b\":{\"type\":\"integer\"}},\"additionalProperties\":"
      "false}",
      "",
      PROJECTION_FULL,
      true,
      "{\"type\":\"object\",\"required\":[\"b\"],\"additionalProperties\":false,\"properties\":{"
      "\"b\":{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"null\"}]}}}",
      {
          { "{\"b\":null}", "{}", ABSENT, PROJECTION_TARGET },
      } },
    { "optional members stay so",
      OPEN "}",
      "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{\"type\":"
      "\"integer\",\"minimum\":1}},\"required\":[\"a\"],\"additionalProperties\":false}",
      "",
      PROJECTION_FULL,
      true,
      "{\"type\":\"object\",\"required\":[\"a\"],\"additionalProperties\":false,\"properties\":{"
      "\"a\":{\"type\":\"string\"},\"b\":{\"type\":\"integer\",\"minimum\":1}}}",
      {
          { "{\"a\":\"x\",\"b\":null}", "{\"a\":\"x\"}", ABSENT, PROJECTION_TARGET },
          { "{\"a\":\"x\"}", "{\"a\":\"x\"}", 0, PROJECTION_TARGET },
      } },
    { "a question shares the root as nullable members",
      CLOSED "}",
      "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}},\"required\":[\"a\"],"
      "\"additionalProperties\":false}",
      "_need",
      PROJECTION_FULL,
      true,
      "{\"type\":\"object\",\"properties\":{\"data\":{\"type\":[\"object\",\"null\"],\"required\":["
      "\"a\"],\"additionalProperties\":false,\"properties\":{\"a\":{\"type\":\"integer\"}}},\"_"
      "need\":{\"type\":[\"string\",\"null\"],\"description\":\"what is missing, or "
      "null\"}},\"required\":[\"data\",\"_need\"],\"additionalProperties\":false}",
      {
          { "{\"data\":{\"a\":1},\"_need\":null}", "{\"a\":1}", ENVELOPE, PROJECTION_TARGET },
          { "{\"data\":null,\"_need\":\"what?\"}", "{\"_need\":\"what?\"}", ENVELOPE,
            PROJECTION_NEED },
          { "{\"a\":1}", "{\"a\":1}", 0, PROJECTION_TARGET },
          { "{\"_need\":\"what?\"}", "{\"_need\":\"what?\"}", 0, PROJECTION_NEED },
      } },
    { "a question is an alternative of the root",
      OPEN "}",
      "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}},\"required\":[\"a\"],"
      "\"additionalProperties\":false}",
      "_need",
      PROJECTION_FULL,
      true,
      "{\"anyOf\":[{\"type\":\"object\",\"required\":[\"a\"],\"additionalProperties\":false,"
      "\"properties\":{\"a\":{\"type\":\"integer\"}}},{\"type\":\"object\",\"properties\":{\"_"
      "need\":{\"type\":\"string\",\"description\":\"what is "
      "missing\"}},\"required\":[\"_need\"],\"additionalProperties\":false}]}",
      {
          { "{\"a\":1}", "{\"a\":1}", 0, PROJECTION_TARGET },
          { "{\"_need\":\"what?\"}", "{\"_need\":\"what?\"}", 0, PROJECTION_NEED },
      } },
    { "a target with the member data",
      CLOSED "}",
      "{\"type\":\"object\",\"properties\":{\"data\":{\"type\":\"integer\"}},\"required\":["
      "\"data\"],\"additionalProperties\":false}",
      "_need",
      PROJECTION_FULL,
      true,
      "{\"type\":\"object\",\"properties\":{\"data_\":{\"type\":[\"object\",\"null\"],\"required\":"
      "[\"data\"],\"additionalProperties\":false,\"properties\":{\"data\":{\"type\":\"integer\"}}},"
      "\"_need\":{\"type\":[\"string\",\"null\"],\"description\":\"what is missing, or "
      "null\"}},\"required\":[\"data_\",\"_need\"],\"additionalProperties\":false}",
      {
          { "{\"data_\":{\"data\":1},\"_need\":null}", "{\"data\":1}", ENVELOPE,
            PROJECTION_TARGET },
          { "{\"data\":1}", "{\"data\":1}", 0, PROJECTION_TARGET },
      } },
    { "a root that is no object",
      CLOSED "}",
      "{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}",
      "",
      PROJECTION_FULL,
      true,
      "{\"type\":\"object\",\"properties\":{\"data\":{\"type\":\"array\",\"items\":{\"type\":"
      "\"integer\"}}},\"required\":[\"data\"],\"additionalProperties\":false}",
      {
          { "{\"data\":[1,2]}", "[1,2]", ENVELOPE, PROJECTION_TARGET },
          { "[1]", "[1]", 0, PROJECTION_TARGET },
      } },
    { "a root that is no object, where it is taken",
      OPEN "}",
      "{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}",
      "",
      PROJECTION_FULL,
      true,
      "{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}",
      {
          { "[1,2]", "[1,2]", 0, PROJECTION_TARGET },
      } },
    { "a map is a list of pairs",
      CLOSED "}",
      "{\"type\":\"object\",\"properties\":{\"m\":{\"type\":\"object\",\"additionalProperties\":{"
      "\"type\":\"number\"}}},\"required\":[\"m\"],\"additionalProperties\":false}",
      "",
      PROJECTION_FULL,
      false,
      "{\"type\":\"object\",\"required\":[\"m\"],\"additionalProperties\":false,\"properties\":{"
      "\"m\":{\"type\":\"array\",\"description\":\"a map as a list of keys and "
      "values\",\"items\":{\"type\":\"object\",\"properties\":{\"key\":{\"type\":\"string\"},"
      "\"value\":{\"type\":\"number\"}},\"required\":[\"key\",\"value\"],\"additionalProperties\":"
      "false}}}}",
      {
          { "{\"m\":[{\"key\":\"x\",\"value\":1.5}]}", "{\"m\":{\"x\":1.5}}", MAP,
            PROJECTION_TARGET },
          { "{\"m\":{\"x\":1}}", "{\"m\":{\"x\":1}}", 0, PROJECTION_TARGET },
          { "{\"m\":[]}", "{\"m\":{}}", 0, PROJECTION_TARGET },
          { "{\"m\":[{\"key\":\"x\",\"value\":1},{\"key\":\"x\",\"value\":2}]}",
            "{\"m\":[{\"key\":\"x\",\"value\":1},{\"key\":\"x\",\"value\":2}]}", 0,
            PROJECTION_TARGET },
      } },
    { "a map beside members",
      CLOSED "}",
      "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}},\"required\":[\"a\"],"
      "\"additionalProperties\":{\"type\":\"boolean\"}}",
      "",
      PROJECTION_FULL,
      false,
      "{\"type\":\"object\",\"required\":[\"a\",\"additional\"],\"additionalProperties\":false,"
      "\"description\":\"\\\"additional\\\" lists further members by key and "
      "value\",\"properties\":{\"a\":{\"type\":\"integer\"},\"additional\":{\"type\":\"array\","
      "\"items\":{\"type\":\"object\",\"properties\":{\"key\":{\"type\":\"string\"},\"value\":{"
      "\"type\":\"boolean\"}},\"required\":[\"key\",\"value\"],\"additionalProperties\":false}}}}",
      {
          { "{\"a\":1,\"additional\":[{\"key\":\"x\",\"value\":true}]}", "{\"a\":1,\"x\":true}",
            MAP, PROJECTION_TARGET },
          { "{\"a\":1,\"x\":true}", "{\"a\":1,\"x\":true}", 0, PROJECTION_TARGET },
      } },
    { "a map stays",
      OPEN "}",
      "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"number\"}}",
      "",
      PROJECTION_FULL,
      true,
      "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":{\"type\":\"number\"}}",
      {
          { "{\"x\":1.5}", "{\"x\":1.5}", 0, PROJECTION_TARGET },
      } },
    { "a tuple is an object",
      CLOSED "}",
      "{\"type\":\"object\",\"properties\":{\"t\":{\"type\":\"array\",\"prefixItems\":[{\"type\":"
      "\"string\"},{\"type\":\"integer\"}],\"items\":false,\"minItems\":2}},\"required\":[\"t\"],"
      "\"additionalProperties\":false}",
      "",
      PROJECTION_FULL,
      true,
      "{\"type\":\"object\",\"required\":[\"t\"],\"additionalProperties\":false,\"properties\":{"
      "\"t\":{\"type\":\"object\",\"required\":[\"1\",\"2\"],\"additionalProperties\":false,"
      "\"description\":\"an array, items as members \\\"1\\\", \\\"2\\\" and so "
      "on\",\"properties\":{\"1\":{\"type\":\"string\"},\"2\":{\"type\":\"integer\"}}}}}",
      {
          { "{\"t\":{\"1\":\"a\",\"2\":5}}", "{\"t\":[\"a\",5]}", TUPLE, PROJECTION_TARGET },
          { "{\"t\":[\"a\",5]}", "{\"t\":[\"a\",5]}", 0, PROJECTION_TARGET },
          { "{\"t\":{\"2\":5}}", "{\"t\":{\"2\":5}}", 0, PROJECTION_TARGET },
      } },
    { "a tuple with further items",
      CLOSED "}",
      "{\"type\":\"object\",\"properties\":{\"t\":{\"type\":\"array\",\"prefixItems\":[{\"type\":"
      "\"string\"}],\"items\":{\"type\":\"boolean\"},\"minItems\":1}},\"required\":[\"t\"],"
      "\"additionalProperties\":false}",
      "",
      PROJECTION_FULL,
      true,
      "{\"type\":\"object\",\"required\":[\"t\"],\"additionalProperties\":false,\"properties\":{"
      "\"t\":{\"type\":\"object\",\"required\":[\"1\",\"rest\"],\"additionalProperties\":false,"
      "\"description\":\"an array, items as members \\\"1\\\", \\\"2\\\" and so on, further ones "
      "in "
      "\\\"rest\\\"\",\"properties\":{\"1\":{\"type\":\"string\"},\"rest\":{\"type\":\"array\","
      "\"items\":{\"type\":\"boolean\"}}}}}}",
      {
          { "{\"t\":{\"1\":\"a\",\"rest\":[true,false]}}", "{\"t\":[\"a\",true,false]}", TUPLE,
            PROJECTION_TARGET },
          { "{\"t\":{\"1\":\"a\",\"rest\":[]}}", "{\"t\":[\"a\"]}", TUPLE, PROJECTION_TARGET },
      } },
    { "any value is a text",
      CLOSED "}",
      "{\"type\":\"object\",\"properties\":{\"v\":true},\"required\":[\"v\"],"
      "\"additionalProperties\":false}",
      "",
      PROJECTION_FULL,
      true,
      "{\"type\":\"object\",\"required\":[\"v\"],\"additionalProperties\":false,\"properties\":{"
      "\"v\":{\"type\":\"string\",\"description\":\"a JSON text in a string\"}}}",
      {
          { "{\"v\":\"{\\\"x\\\":1}\"}", "{\"v\":{\"x\":1}}", TEXT, PROJECTION_TARGET },
          { "{\"v\":\"\\\"x\\\"\"}", "{\"v\":\"x\"}", TEXT, PROJECTION_TARGET },
          { "{\"v\":\"no text\"}", "{\"v\":\"no text\"}", 0, PROJECTION_TARGET },
          { "{\"v\":5}", "{\"v\":5}", 0, PROJECTION_TARGET },
      } },
    { "recursion is taken",
      CLOSED "}",
      "{\"type\":\"object\",\"properties\":{\"v\":{\"type\":\"integer\"},\"next\":{\"$ref\":\"#\"}}"
      ",\"required\":[\"v\"],\"additionalProperties\":false}",
      "",
      PROJECTION_FULL,
      true,
      "{\"type\":\"object\",\"required\":[\"v\",\"next\"],\"additionalProperties\":false,"
      "\"properties\":{\"v\":{\"type\":\"integer\"},\"next\":{\"anyOf\":[{\"$ref\":\"#/$defs/"
      "root\"},{\"type\":\"null\"}]}},\"$defs\":{\"root\":{\"type\":\"object\",\"required\":[\"v\","
      "\"next\"],\"additionalProperties\":false,\"properties\":{\"v\":{\"type\":\"integer\"},"
      "\"next\":{\"anyOf\":[{\"$ref\":\"#/$defs/root\"},{\"type\":\"null\"}]}}}}}",
      {
          { "{\"v\":1,\"next\":{\"v\":2,\"next\":null}}", "{\"v\":1,\"next\":{\"v\":2}}", ABSENT,
            PROJECTION_TARGET },
      } },
    { "recursion is unrolled",
      POOR "}",
      "{\"type\":\"object\",\"properties\":{\"n\":{\"$ref\":\"#\"}},\"additionalProperties\":"
      "false}",
      "",
      PROJECTION_FULL,
      false,
      "{\"type\":\"object\",\"required\":[\"n\"],\"additionalProperties\":false,\"properties\":{"
      "\"n\":{\"anyOf\":[{\"type\":\"object\",\"required\":[\"n\"],\"additionalProperties\":false,"
      "\"properties\":{\"n\":{\"anyOf\":[{\"type\":\"string\",\"description\":\"a JSON text in a "
      "string, of a value that matches "
      "{\\\"type\\\":\\\"object\\\",\\\"properties\\\":{\\\"n\\\":{\\\"$ref\\\":\\\"#\\\"}},"
      "\\\"additionalProperties\\\":false}\"},{\"type\":\"null\"}]}}},{\"type\":\"null\"}]}}}",
      {
          { "{\"n\":null}", "{}", ABSENT, PROJECTION_TARGET },
      } },
    { "a constant is an enum of one",
      POOR "}",
      "{\"type\":\"object\",\"properties\":{\"k\":{\"const\":\"x\"}},\"required\":[\"k\"],"
      "\"additionalProperties\":false}",
      "",
      PROJECTION_FULL,
      true,
      "{\"type\":\"object\",\"required\":[\"k\"],\"additionalProperties\":false,\"properties\":{"
      "\"k\":{\"type\":\"string\",\"enum\":[\"x\"]}}}",
      {
          { "{\"k\":\"x\"}", "{\"k\":\"x\"}", 0, PROJECTION_TARGET },
      } },
    { "a number of an enum is a text where only strings are taken",
      POOR "}",
      "{\"type\":\"object\",\"properties\":{\"k\":{\"enum\":[1,\"1\",null]}},\"required\":[\"k\"],"
      "\"additionalProperties\":false}",
      "",
      PROJECTION_FULL,
      false,
      "{\"type\":\"object\",\"required\":[\"k\"],\"additionalProperties\":false,\"properties\":{"
      "\"k\":{\"type\":\"string\",\"description\":\"a JSON text in a string, of a value that "
      "matches {\\\"enum\\\":[1,\\\"1\\\",null]}\"}}}",
      {
          { "{\"k\":\"1\"}", "{\"k\":1}", TEXT, PROJECTION_TARGET },
          { "{\"k\":\"\\\"1\\\"\"}", "{\"k\":\"1\"}", TEXT, PROJECTION_TARGET },
          { "{\"k\":\"null\"}", "{\"k\":null}", TEXT, PROJECTION_TARGET },
      } },
    { "an enum of numbers, as texts",
      POOR "}",
      "{\"type\":\"object\",\"properties\":{\"k\":{\"enum\":[1,2.5]}},\"required\":[\"k\"],"
      "\"additionalProperties\":false}",
      "",
      PROJECTION_FULL,
      true,
      "{\"type\":\"object\",\"required\":[\"k\"],\"additionalProperties\":false,\"properties\":{"
      "\"k\":{\"type\":\"string\",\"enum\":[\"1\",\"2.5\"],\"description\":\"a JSON text in a "
      "string\"}}}",
      {
          { "{\"k\":\"2.5\"}", "{\"k\":2.5}", TEXT, PROJECTION_TARGET },
          { "{\"k\":1}", "{\"k\":1}", 0, PROJECTION_TARGET },
          { "{\"k\":\"3\"}", "{\"k\":3}", TEXT, PROJECTION_TARGET },
      } },
    { "an optional text may be absent",
      CLOSED "}",
      "{\"type\":\"object\",\"properties\":{\"v\":true},\"additionalProperties\":false}",
      "",
      PROJECTION_FULL,
      true,
      "{\"type\":\"object\",\"required\":[\"v\"],\"additionalProperties\":false,\"properties\":{"
      "\"v\":{\"type\":[\"string\",\"null\"],\"description\":\"a JSON text in a string\"}}}",
      {
          { "{\"v\":null}", "{}", ABSENT, PROJECTION_TARGET },
          { "{\"v\":\"null\"}", "{\"v\":null}", TEXT, PROJECTION_TARGET },
          { "{\"v\":\"1\"}", "{\"v\":1}", TEXT, PROJECTION_TARGET },
      } },
    { "a discriminated union with names in another order",
      OPEN "}",
      "{\"type\":\"object\",\"properties\":{\"n\":{\"anyOf\":[{\"type\":\"object\",\"properties\":{"
      "\"k\":{\"const\":\"a\"},\"m\":{\"type\":\"integer\"}},\"required\":[\"k\"],"
      "\"additionalProperties\":false},{\"type\":\"array\",\"items\":{\"type\":\"null\"}}]}},"
      "\"required\":[\"n\"]}",
      "",
      PROJECTION_FULL,
      true,
      "{\"type\":\"object\",\"required\":[\"n\"],\"properties\":{\"n\":{\"anyOf\":[{\"type\":"
      "\"object\",\"required\":[\"k\"],\"additionalProperties\":false,\"properties\":{\"k\":{"
      "\"type\":\"string\",\"const\":\"a\"},\"m\":{\"type\":\"integer\"}}},{\"type\":\"array\","
      "\"items\":{\"type\":\"null\"}}]}}}",
      {
          { "{\"n\":[null]}", "{\"n\":[null]}", 0, PROJECTION_TARGET },
          { "{\"n\":{\"m\":1,\"k\":\"a\"},\"z\":1}", "{\"n\":{\"m\":1,\"k\":\"a\"},\"z\":1}", 0,
            PROJECTION_TARGET },
      } },
    { "further members that only words speak of",
      OPEN "}",
      "{\"type\":\"object\",\"additionalProperties\":{\"not\":{\"type\":\"object\"}}}",
      "",
      PROJECTION_FULL,
      false,
      "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":{\"description\":\"must not "
      "match {\\\"type\\\":\\\"object\\\"}\"}}",
      {
          { "{\"x\":1}", "{\"x\":1}", 0, PROJECTION_TARGET },
      } },
    { "lists of strings beside lists of texts",
      CLOSED "}",
      "{\"type\":\"object\",\"properties\":{\"l\":{\"anyOf\":[{\"type\":\"array\",\"items\":{"
      "\"type\":\"string\"},\"maxItems\":1},{\"type\":\"array\",\"items\":{}}]}},\"required\":["
      "\"l\"],\"additionalProperties\":false}",
      "",
      PROJECTION_FULL,
      false,
      "{\"type\":\"object\",\"required\":[\"l\"],\"additionalProperties\":false,\"properties\":{"
      "\"l\":{\"type\":\"string\",\"description\":\"a JSON text in a string, of a value that "
      "matches "
      "{\\\"anyOf\\\":[{\\\"type\\\":\\\"array\\\",\\\"items\\\":{\\\"type\\\":\\\"string\\\"},"
      "\\\"maxItems\\\":1},{\\\"type\\\":\\\"array\\\",\\\"items\\\":{}}]}\"}}}",
      {
          { "{\"l\":\"[\\\"1\\\",1]\"}", "{\"l\":[\"1\",1]}", TEXT, PROJECTION_TARGET },
      } },
    { "a list is read by the part of lists",
      CLOSED "}",
      "{\"type\":\"object\",\"properties\":{\"l\":{\"anyOf\":[{\"type\":\"array\",\"prefixItems\":["
      "{\"type\":\"boolean\"}],\"items\":false,\"minItems\":1},{\"type\":\"array\",\"items\":{},"
      "\"maxItems\":5}]}},\"required\":[\"l\"],\"additionalProperties\":false}",
      "",
      PROJECTION_FULL,
      true,
      "{\"type\":\"object\",\"required\":[\"l\"],\"additionalProperties\":false,\"properties\":{"
      "\"l\":{\"anyOf\":[{\"type\":\"object\",\"required\":[\"1\"],\"additionalProperties\":false,"
      "\"description\":\"an array, items as members \\\"1\\\", \\\"2\\\" and so "
      "on\",\"properties\":{\"1\":{\"type\":\"boolean\"}}},{\"type\":\"array\",\"maxItems\":5,"
      "\"items\":{\"type\":\"string\",\"description\":\"a JSON text in a string\"}}]}}}",
      {
          { "{\"l\":[\"1\",\"\\\"1\\\"\"]}", "{\"l\":[1,\"1\"]}", TEXT, PROJECTION_TARGET },
          { "{\"l\":{\"1\":true}}", "{\"l\":[true]}", TUPLE, PROJECTION_TARGET },
      } },
    { "an object as a constant",
      CLOSED "}",
      "{\"type\":\"object\",\"properties\":{\"k\":{\"const\":{\"a\":[1]}}},\"required\":[\"k\"],"
      "\"additionalProperties\":false}",
      "",
      PROJECTION_FULL,
      true,
      "{\"type\":\"object\",\"required\":[\"k\"],\"additionalProperties\":false,\"properties\":{"
      "\"k\":{\"type\":\"string\",\"const\":\"{\\\"a\\\":[1]}\",\"description\":\"a JSON text in a "
      "string\"}}}",
      {
          { "{\"k\":\"{\\\"a\\\":[1]}\"}", "{\"k\":{\"a\":[1]}}", TEXT, PROJECTION_TARGET },
      } },
    { "bounds stay",
      CLOSED "}",
      "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":"
      "9}},\"required\":[\"n\"],\"additionalProperties\":false}",
      "",
      PROJECTION_FULL,
      true,
      "{\"type\":\"object\",\"required\":[\"n\"],\"additionalProperties\":false,\"properties\":{"
      "\"n\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":9}}}",
      { { NULL, NULL, 0, PROJECTION_TARGET } } },
    { "bounds go with the first step down",
      CLOSED "}",
      "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":"
      "9}},\"required\":[\"n\"],\"additionalProperties\":false}",
      "",
      PROJECTION_NO_BOUNDS,
      false,
      "{\"type\":\"object\",\"required\":[\"n\"],\"additionalProperties\":false,\"properties\":{"
      "\"n\":{\"type\":\"integer\",\"description\":\"at least 1; at most 9\"}}}",
      { { NULL, NULL, 0, PROJECTION_TARGET } } },
    { "unions go with the second",
      CLOSED "}",
      "{\"type\":\"object\",\"properties\":{\"n\":{\"anyOf\":[{\"type\":\"object\",\"properties\":{"
      "\"a\":{\"type\":\"integer\"}},\"required\":[\"a\"],\"additionalProperties\":false},{"
      "\"type\":\"string\"}]}},\"required\":[\"n\"],\"additionalProperties\":false}",
      "",
      PROJECTION_NO_UNIONS,
      false,
      "{\"type\":\"object\",\"required\":[\"n\"],\"additionalProperties\":false,\"properties\":{"
      "\"n\":{\"type\":\"string\",\"description\":\"a JSON text in a string, of a value that "
      "matches "
      "{\\\"anyOf\\\":[{\\\"type\\\":\\\"object\\\",\\\"properties\\\":{\\\"a\\\":{\\\"type\\\":"
      "\\\"integer\\\"}},\\\"required\\\":[\\\"a\\\"],\\\"additionalProperties\\\":false},{"
      "\\\"type\\\":\\\"string\\\"}]}\"}}}",
      {
          { "{\"n\":\"{\\\"a\\\":1}\"}", "{\"n\":{\"a\":1}}", TEXT, PROJECTION_TARGET },
      } },
    { "the schema goes with the third",
      CLOSED "}",
      "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}}}",
      "_need",
      PROJECTION_JSON_ONLY,
      false,
      "",
      {
          { "{\"n\":1}", "{\"n\":1}", 0, PROJECTION_TARGET },
          { "{\"_need\":\"what?\"}", "{\"_need\":\"what?\"}", 0, PROJECTION_NEED },
          { "{\"n\":null}", "{\"n\":null}", 0, PROJECTION_TARGET },
      } },
    { "without rules there is no schema",
      NULL,
      "{\"type\":\"integer\"}",
      "",
      PROJECTION_FULL,
      false,
      "",
      {
          { "5", "5", 0, PROJECTION_TARGET },
      } },
    { "oneOf of objects that exclude each other",
      CLOSED "}",
      "{\"type\":\"object\",\"properties\":{\"n\":{\"oneOf\":[{\"type\":\"object\",\"properties\":{"
      "\"k\":{\"const\":\"a\"},\"x\":{\"type\":\"integer\"}},\"required\":[\"k\",\"x\"],"
      "\"additionalProperties\":false},{\"type\":\"object\",\"properties\":{\"k\":{\"const\":\"b\"}"
      "},\"required\":[\"k\"],\"additionalProperties\":false}]}},\"required\":[\"n\"],"
      "\"additionalProperties\":false}",
      "",
      PROJECTION_FULL,
      true,
      "{\"type\":\"object\",\"required\":[\"n\"],\"additionalProperties\":false,\"properties\":{"
      "\"n\":{\"anyOf\":[{\"type\":\"object\",\"required\":[\"k\",\"x\"],\"additionalProperties\":"
      "false,\"properties\":{\"k\":{\"type\":\"string\",\"const\":\"a\"},\"x\":{\"type\":"
      "\"integer\"}}},{\"type\":\"object\",\"required\":[\"k\"],\"additionalProperties\":false,"
      "\"properties\":{\"k\":{\"type\":\"string\",\"const\":\"b\"}}}]}}}",
      {
          { "{\"n\":{\"k\":\"a\",\"x\":1}}", "{\"n\":{\"k\":\"a\",\"x\":1}}", 0,
            PROJECTION_TARGET },
      } },
    { "oneOf that may overlap",
      CLOSED "}",
      "{\"type\":\"object\",\"properties\":{\"n\":{\"oneOf\":[{\"type\":\"integer\",\"minimum\":0},"
      "{\"type\":\"integer\",\"maximum\":5}]}},\"required\":[\"n\"],\"additionalProperties\":"
      "false}",
      "",
      PROJECTION_FULL,
      false,
      "{\"type\":\"object\",\"required\":[\"n\"],\"additionalProperties\":false,\"properties\":{"
      "\"n\":{\"description\":\"exactly one of these is true: it matches "
      "{\\\"type\\\":\\\"integer\\\",\\\"minimum\\\":0}; it matches "
      "{\\\"type\\\":\\\"integer\\\",\\\"maximum\\\":5}\",\"anyOf\":[{\"type\":\"integer\","
      "\"minimum\":0},{\"type\":\"integer\",\"maximum\":5}]}}}",
      { { NULL, NULL, 0, PROJECTION_TARGET } } },
    { "what stands beside a reference applies too",
      CLOSED "}",
      "{\"$defs\":{\"d\":{\"type\":\"integer\",\"minimum\":1}},\"type\":\"object\",\"properties\":{"
      "\"n\":{\"$ref\":\"#/$defs/"
      "d\",\"maximum\":5}},\"required\":[\"n\"],\"additionalProperties\":false}",
      "",
      PROJECTION_FULL,
      true,
      "{\"type\":\"object\",\"required\":[\"n\"],\"additionalProperties\":false,\"properties\":{"
      "\"n\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":5}}}",
      { { NULL, NULL, 0, PROJECTION_TARGET } } },
    { "allOf is one object",
      CLOSED "}",
      "{\"allOf\":[{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}},\"required\":"
      "[\"a\"]},{\"properties\":{\"b\":{\"type\":\"string\"}},\"required\":[\"b\"]}]}",
      "",
      PROJECTION_FULL,
      true,
      "{\"type\":\"object\",\"required\":[\"a\",\"b\"],\"additionalProperties\":false,"
      "\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"type\":\"string\"}}}",
      {
          { "{\"a\":1,\"b\":\"x\"}", "{\"a\":1,\"b\":\"x\"}", 0, PROJECTION_TARGET },
      } },
    { "names that JSON escapes",
      CLOSED "}",
      "{\"type\":\"object\",\"properties\":{\"a\\\"/"
      "~\":{\"type\":\"integer\"}},\"required\":[\"a\\\"/~\"],\"additionalProperties\":false}",
      "",
      PROJECTION_FULL,
      true,
      "{\"type\":\"object\",\"required\":[\"a\\\"/"
      "~\"],\"additionalProperties\":false,\"properties\":{\"a\\\"/~\":{\"type\":\"integer\"}}}",
      {
          { "{\"a\\\"/~\":1}", "{\"a\\\"/~\":1}", 0, PROJECTION_TARGET },
      } },
    { "a pattern in words",
      POOR "}",
      "{\"type\":\"object\",\"properties\":{\"s\":{\"type\":\"string\",\"pattern\":\"^a+$\"}},"
      "\"required\":[\"s\"],\"additionalProperties\":false}",
      "",
      PROJECTION_FULL,
      false,
      "{\"type\":\"object\",\"required\":[\"s\"],\"additionalProperties\":false,\"properties\":{"
      "\"s\":{\"type\":\"string\",\"description\":\"matches the pattern ^a+$\"}}}",
      { { NULL, NULL, 0, PROJECTION_TARGET } } },
    { "too deep is a text",
      CLOSED ",\"limits\":{\"depth\":2}}",
      "{\"type\":\"object\",\"properties\":{\"o\":{\"type\":\"object\",\"properties\":{\"p\":{"
      "\"type\":\"object\",\"properties\":{\"q\":{\"type\":\"integer\"}},\"required\":[\"q\"],"
      "\"additionalProperties\":false}},\"required\":[\"p\"],\"additionalProperties\":false}},"
      "\"required\":[\"o\"],\"additionalProperties\":false}",
      "",
      PROJECTION_FULL,
      false,
      "{\"type\":\"object\",\"required\":[\"o\"],\"additionalProperties\":false,\"properties\":{"
      "\"o\":{\"type\":\"object\",\"required\":[\"p\"],\"additionalProperties\":false,"
      "\"properties\":{\"p\":{\"type\":\"string\",\"description\":\"a JSON text in a string, of a "
      "value that matches "
      "{\\\"type\\\":\\\"object\\\",\\\"properties\\\":{\\\"q\\\":{\\\"type\\\":\\\"integer\\\"}},"
      "\\\"required\\\":[\\\"q\\\"],\\\"additionalProperties\\\":false}\"}}}}}",
      {
          { "{\"o\":{\"p\":\"{\\\"q\\\":1}\"}}", "{\"o\":{\"p\":{\"q\":1}}}", TEXT,
            PROJECTION_TARGET },
      } },
    { "no value at all",
      CLOSED "}",
      "false",
      "",
      PROJECTION_FULL,
      false,
      "{\"type\":\"object\",\"properties\":{\"data\":{\"type\":\"string\",\"description\":\"a JSON "
      "text in a string\"}},\"required\":[\"data\"],\"additionalProperties\":false}",
      {
          { "{\"data\":\"1\"}", "1", ENVELOPE | TEXT, PROJECTION_TARGET },
      } },

};

static void check_exchange(const struct form *form, const struct projection *projection,
                           const struct exchange *exchange)
{
    struct projection_value back = { 0 };
    struct buffer text;
    struct json_doc *reply = parse(str_from(exchange->reply));
    buffer_init(&text, alloc_default(), TEXT_BYTES_MAX);
    assert_int_equal(projection_invert(projection, json_doc_root(reply), alloc_default(), &back),
                     STATUS_OK);
    json_write(json_doc_root(back.doc), 0, &text);
    assert_text(form->name, buffer_view(&text), exchange->value);
    assert_int_equal(back.part, exchange->part);
    assert_int_equal(back.readings, exchange->readings);
    buffer_release(&text);
    json_doc_free(back.doc);
    json_doc_free(reply);
}

static void check_form(const struct form *form)
{
    struct subject subject;
    struct error error = { 0 };
    if (subject_open(&subject, form->rules, form->target, form->need, form->rung, &error) !=
        STATUS_OK)
        fail_msg("%s: %s", form->name, error.message);
    assert_text(form->name, projection_schema(subject.projection), form->wire);
    if (projection_is_exact(subject.projection) != form->is_exact)
        fail_msg("%s: exact is %d", form->name, !form->is_exact);
    for (size_t i = 0; i < 4 && form->exchanges[i].reply != NULL; i++)
        check_exchange(form, subject.projection, &form->exchanges[i]);
    subject_close(&subject);
}

static void test_forms(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        check_form(&forms[i]);
}

/* ---- what is reported ------------------------------------------------------------------------ */

static const struct projection_move *find_move(const struct projection *projection,
                                               const char *keyword)
{
    uint32_t count = 0;
    const struct projection_move *moves = projection_moves(projection, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (str_equal(moves[i].keyword, str_from(keyword)))
            return &moves[i];
    }
    return NULL;
}

static const struct {
    const char *rules, *target, *keyword, *pointer, *reason; /* keyword NULL: no moves */
    enum projection_rung rung;
    bool in_words;
} reports[] = {
    { OPEN "}", "{\"type\":\"integer\",\"minimum\":1}", NULL, "", "", PROJECTION_FULL, false },
    { CLOSED "}",
      "{\"type\":\"object\",\"properties\":{\"m\":{\"type\":\"object\",\"additionalProperties\":{"
      "\"type\":\"number\"}}},\"required\":[\"m\"],\"additionalProperties\":false}",
      "additionalProperties", "/properties/m", "maps not accepted", PROJECTION_FULL, true },
    { CLOSED "}",
      "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}},\"required\":[\"a\"],"
      "\"additionalProperties\":{\"type\":\"boolean\"}}",
      "additionalProperties", "", "maps not accepted", PROJECTION_FULL, true },
    { POOR "}",
      "{\"type\":\"object\",\"properties\":{\"n\":{\"$ref\":\"#\"}},\"additionalProperties\":"
      "false}",
      "$ref", "", "recursive", PROJECTION_FULL, true },
    { POOR "}",
      "{\"type\":\"object\",\"properties\":{\"k\":{\"enum\":[1,\"1\",null]}},\"required\":[\"k\"],"
      "\"additionalProperties\":false}",
      "anyOf", "/properties/k", "alternatives not accepted", PROJECTION_FULL, true },
    { OPEN "}", "{\"type\":\"object\",\"additionalProperties\":{\"not\":{\"type\":\"object\"}}}",
      "not", "/additionalProperties", "not expressed on the wire", PROJECTION_FULL, true },
    { CLOSED "}",
      "{\"type\":\"object\",\"properties\":{\"l\":{\"anyOf\":[{\"type\":\"array\",\"items\":{"
      "\"type\":\"string\"},\"maxItems\":1},{\"type\":\"array\",\"items\":{}}]}},\"required\":["
      "\"l\"],\"additionalProperties\":false}",
      "anyOf", "/properties/l", "alternatives not accepted", PROJECTION_FULL, true },
    { CLOSED "}",
      "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":"
      "9}},\"required\":[\"n\"],\"additionalProperties\":false}",
      "minimum", "/properties/n", "not accepted", PROJECTION_NO_BOUNDS, true },
    { CLOSED "}",
      "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":"
      "9}},\"required\":[\"n\"],\"additionalProperties\":false}",
      "maximum", "/properties/n", "not accepted", PROJECTION_NO_BOUNDS, true },
    { CLOSED "}",
      "{\"type\":\"object\",\"properties\":{\"n\":{\"anyOf\":[{\"type\":\"object\",\"properties\":{"
      "\"a\":{\"type\":\"integer\"}},\"required\":[\"a\"],\"additionalProperties\":false},{"
      "\"type\":\"string\"}]}},\"required\":[\"n\"],\"additionalProperties\":false}",
      "anyOf", "/properties/n", "alternatives not accepted", PROJECTION_NO_UNIONS, true },
    { CLOSED "}",
      "{\"type\":\"object\",\"properties\":{\"n\":{\"oneOf\":[{\"type\":\"integer\",\"minimum\":0},"
      "{\"type\":\"integer\",\"maximum\":5}]}},\"required\":[\"n\"],\"additionalProperties\":"
      "false}",
      "oneOf", "/properties/n", "alternatives may overlap", PROJECTION_FULL, true },
    { POOR "}",
      "{\"type\":\"object\",\"properties\":{\"s\":{\"type\":\"string\",\"pattern\":\"^a+$\"}},"
      "\"required\":[\"s\"],\"additionalProperties\":false}",
      "pattern", "/properties/s", "not accepted", PROJECTION_FULL, true },
    { CLOSED ",\"limits\":{\"depth\":2}}",
      "{\"type\":\"object\",\"properties\":{\"o\":{\"type\":\"object\",\"properties\":{\"p\":{"
      "\"type\":\"object\",\"properties\":{\"q\":{\"type\":\"integer\"}},\"required\":[\"q\"],"
      "\"additionalProperties\":false}},\"required\":[\"p\"],\"additionalProperties\":false}},"
      "\"required\":[\"o\"],\"additionalProperties\":false}",
      "type", "/properties/o/properties/p", "over the limit of levels", PROJECTION_FULL, true },
    { CLOSED "}", "false", "type", "", "no value is valid", PROJECTION_FULL, true },
};

static void test_moves(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
        struct subject subject;
        uint32_t count = 0;
        assert_int_equal(
            subject_open(&subject, reports[i].rules, reports[i].target, "", reports[i].rung, NULL),
            STATUS_OK);
        if (reports[i].keyword == NULL) {
            projection_moves(subject.projection, &count);
            assert_int_equal(count, 0);
        } else {
            const struct projection_move *move = find_move(subject.projection, reports[i].keyword);
            assert_non_null(move);
            assert_text("pointer", move->pointer, reports[i].pointer);
            assert_text("reason", move->reason, reports[i].reason);
            assert_int_equal(move->in_words, reports[i].in_words);
            assert_false(projection_is_exact(subject.projection));
        }
        subject_close(&subject);
    }
}

static bool says(struct str words, const char *part)
{
    size_t len = strlen(part);
    for (size_t at = 0; at + len <= words.len; at++) {
        if (memcmp(words.ptr + at, part, len) == 0)
            return true;
    }
    return false;
}

static void test_words(void **state)
{
    (void)state;
    struct subject subject;
    assert_int_equal(
        subject_open(&subject, CLOSED "}", "{\"type\":\"array\"}", "_need", PROJECTION_FULL, NULL),
        STATUS_OK);
    struct str words = projection_words(subject.projection);
    assert_true(says(words, "\"data\""));
    assert_true(says(words, "\"_need\""));
    assert_int_not_equal(words.ptr[words.len - 1], ' ');
    subject_close(&subject);
    assert_int_equal(subject_open(&subject, CLOSED "}",
                                  "{\"type\":\"object\",\"additionalProperties\":false}", "",
                                  PROJECTION_FULL, NULL),
                     STATUS_OK);
    assert_int_equal(projection_words(subject.projection).len, 0);
    subject_close(&subject);
}

static void test_pointers(void **state)
{
    static const char target[] =
        "{\"type\":\"object\",\"properties\":{\"m\":{\"type\":\"object\",\"additionalProperties\":"
        "{\"type\":\"integer\"}},\"t\":{\"type\":\"array\",\"prefixItems\":[{\"type\":\"string\"},"
        "{\"type\":\"integer\"}],\"items\":{\"type\":\"boolean\"},\"minItems\":2}},"
        "\"required\":[\"m\",\"t\"],\"additionalProperties\":{\"type\":\"integer\"}}";
    static const char reply[] =
        "{\"data\":{\"m\":[{\"key\":\"x\",\"value\":1},{\"key\":\"y/z\",\"value\":2}],"
        "\"t\":{\"1\":\"a\",\"2\":5,\"rest\":[true,false]},"
        "\"additional\":[{\"key\":\"f\",\"value\":3}]},\"_need\":null}";
    static const struct {
        const char *value, *reply;
    } rows[] = {
        { "", "/data" },
        { "/m", "/data/m" },
        { "/m/x", "/data/m/0/value" },
        { "/m/y~1z", "/data/m/1/value" },
        { "/t/0", "/data/t/1" },
        { "/t/1", "/data/t/2" },
        { "/t/3", "/data/t/rest/1" },
        { "/f", "/data/additional/0/value" },
    };
    (void)state;
    struct subject subject;
    struct json_doc *doc = parse(str_from(reply));
    assert_int_equal(subject_open(&subject, CLOSED "}", target, "_need", PROJECTION_FULL, NULL),
                     STATUS_OK);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct buffer out;
        buffer_init(&out, alloc_default(), TEXT_BYTES_MAX);
        projection_pointer_to_reply(subject.projection, json_doc_root(doc), str_from(rows[i].value),
                                    &out);
        assert_text(rows[i].value, buffer_view(&out), rows[i].reply);
        assert_true(json_exists(json_pointer_get(json_doc_root(doc), str_from(rows[i].reply))));
        buffer_release(&out);
    }
    json_doc_free(doc);
    subject_close(&subject);
}

static void test_unsupported(void **state)
{
    (void)state;
    struct subject subject;
    struct error error = { 0 };
    assert_int_equal(
        subject_open(&subject, CLOSED ",\"limits\":{\"schemaBytes\":40}}",
                     "{\"type\":\"object\",\"properties\":{\"a_long_name_that_stays\":"
                     "{\"type\":\"integer\"}},\"required\":[\"a_long_name_that_stays\"]}",
                     "", PROJECTION_FULL, &error),
        STATUS_UNSUPPORTED);
    assert_non_null(strstr(error.message, "40 bytes"));
    assert_null(subject.projection);
    subject_close(&subject);
}

/* ---- memory ---------------------------------------------------------------------------------- */

struct memory_case {
    const struct wire_rules *rules;
    const struct schema_program *target;
    struct json value;
    const char *need;
};

static void project_once(struct test_alloc *test, void *context)
{
    const struct memory_case *one = context;
    struct projection *projection = NULL;
    struct projection_value back = { 0 };
    struct buffer wire;
    struct json_doc *doc = NULL;
    struct projection_options options = { .program = one->target,
                                          .rules = one->rules,
                                          .need_name = str_from(one->need),
                                          .rung = PROJECTION_FULL,
                                          .wants_watch = true };
    buffer_init(&wire, &test->alloc, TEXT_BYTES_MAX);
    enum status status = projection_new(&options, &test->alloc, &projection, NULL);
    if (status == STATUS_OK)
        status = projection_convert(projection, one->value, &wire, NULL);
    if (status == STATUS_OK)
        status = json_parse(buffer_view(&wire), NULL, &test->alloc, &doc, NULL);
    if (status == STATUS_OK)
        status = projection_invert(projection, json_doc_root(doc), &test->alloc, &back);
    if (status == STATUS_OK) {
        uint64_t budget = 10000;
        assert_true(json_equal(json_doc_root(back.doc), one->value, &budget));
    } else {
        assert_int_equal(status, STATUS_NO_MEMORY);
        assert_true(test->failures > 0);
    }
    json_doc_free(back.doc);
    json_doc_free(doc);
    buffer_release(&wire);
    projection_free(projection);
}

static void test_memory(void **state)
{
    static const char target[] =
        "{\"$defs\":{\"n\":{\"type\":\"object\",\"properties\":{\"v\":{\"enum\":[1,\"a\",{\"b\":2}]"
        "},\"l\":{\"$ref\":\"#/$defs/n\"}},\"additionalProperties\":false}},\"type\":\"object\","
        "\"properties\":{\"n\":{\"$ref\":\"#/$defs/n\"},\"m\":{\"type\":\"object\","
        "\"patternProperties\":{\"^x\":{\"anyOf\":[{\"type\":\"string\",\"pattern\":\"^a\"},"
        "{\"type\":\"array\",\"prefixItems\":[{\"type\":\"integer\"}],\"items\":false}]}},"
        "\"additionalProperties\":false},\"any\":{}},\"required\":[\"n\"],"
        "\"additionalProperties\":{\"type\":\"number\"}}";
    static const char value[] = "{\"n\":{\"v\":{\"b\":2},\"l\":{\"v\":1}},\"m\":{\"x1\":\"ab\","
                                "\"x2\":[7]},\"any\":[null],\"f\":2.5}";
    static const char *const rules[] = { CLOSED "}", POOR "}", OPEN "}" };
    (void)state;
    struct schema_program *program = compile(alloc_default(), str_from(target));
    struct json_doc *doc = parse(str_from(value));
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        struct arena arena;
        struct wire_rules read;
        struct json_doc *rules_doc = parse(str_from(rules[i]));
        arena_init(&arena, alloc_default(), 1 << 20);
        assert_int_equal(
            wire_rules_read(STR("test"), json_doc_root(rules_doc), &arena, &read, NULL), STATUS_OK);
        struct memory_case one = { &read, program, json_doc_root(doc), i % 2 == 0 ? "_need" : "" };
        test_alloc_failures(project_once, &one);
        arena_release(&arena);
        json_doc_free(rules_doc);
    }
    json_doc_free(doc);
    schema_program_free(program);
}

/* ---- hostile schemas: an end within a budget, and a text that can be read -------------------- */

/* Part number i of a schema; the last one gets i == count - 1. */
typedef void write_part(struct buffer *out, uint32_t i, uint32_t count);

static void part_union(struct buffer *out, uint32_t i, uint32_t count)
{
    (void)count;
    buffer_printf(
        out, "{\"type\":\"object\",\"properties\":{\"k\":{\"const\":%u}},\"required\":[\"k\"]}",
        (unsigned)i);
}

static void part_property(struct buffer *out, uint32_t i, uint32_t count)
{
    (void)count;
    buffer_printf(out, "\"p%u\":{\"type\":\"integer\"}", (unsigned)i);
}

static void part_mutual(struct buffer *out, uint32_t i, uint32_t count)
{
    buffer_printf(out,
                  "\"d%u\":{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#/$defs/d%u\"},"
                  "\"b\":{\"$ref\":\"#/$defs/d%u\"},\"c\":{\"anyOf\":[{\"$ref\":\"#/$defs/d%u\"},"
                  "{\"$ref\":\"#/$defs/d%u\"}]}}}",
                  (unsigned)i, (unsigned)((i + 1) % count), (unsigned)((i * 7 + 3) % count),
                  (unsigned)((i * 3 + 1) % count), (unsigned)((i + 5) % count));
}

/* Two alternatives a level, at each of them: 2^count if it were multiplied out. */
static void part_forks(struct buffer *out, uint32_t i, uint32_t count)
{
    (void)count;
    buffer_printf(out,
                  "{\"anyOf\":[{\"properties\":{\"p%u\":{\"type\":\"integer\"}}},"
                  "{\"properties\":{\"p%u\":{\"type\":\"string\"}}}]}",
                  (unsigned)i, (unsigned)i);
}

static void part_value(struct buffer *out, uint32_t i, uint32_t count)
{
    (void)count;
    buffer_printf(out, "{\"v\":%u}", (unsigned)i);
}

/* Each level adds to the one below: all apply to one value. */
static void part_levels(struct buffer *out, uint32_t i, uint32_t count)
{
    buffer_printf(out, "\"d%u\":{\"properties\":{\"q%u\":{}}", (unsigned)i, (unsigned)i);
    if (i + 1 < count)
        buffer_printf(out, ",\"allOf\":[{\"$ref\":\"#/$defs/d%u\"}]", (unsigned)i + 1);
    buffer_append_byte(out, '}');
}

static const struct {
    const char *name, *before, *after;
    write_part *part;
    uint32_t count;
} hostiles[] = {
    { "unions", "{\"anyOf\":[", "]}", part_union, 5000 },
    { "exclusive unions", "{\"oneOf\":[", "]}", part_union, 5000 },
    { "forks", "{\"type\":\"object\",\"allOf\":[", "]}", part_forks, 2000 },
    { "properties of a closed object", "{\"type\":\"object\",\"properties\":{",
      "},\"additionalProperties\":false}", part_property, 100000 },
    { "mutual recursion", "{\"$ref\":\"#/$defs/d0\",\"$defs\":{", "}}", part_mutual, 2000 },
    { "levels of allOf", "{\"$ref\":\"#/$defs/d0\",\"$defs\":{", "}}", part_levels, 2000 },
    { "values", "{\"enum\":[", "]}", part_value, 50000 },
    { "dynamic references",
      "{\"$id\":\"https://x.example/a\",\"$dynamicAnchor\":\"m\",\"type\":\"object\","
      "\"properties\":{",
      ",\"c\":{\"type\":\"array\",\"items\":{\"$dynamicRef\":\"#m\"}}}}", part_property, 100 },
};

static void write_hostile(size_t which, struct buffer *out)
{
    buffer_append_str(out, str_from(hostiles[which].before));
    for (uint32_t i = 0; i < hostiles[which].count; i++) {
        if (i > 0)
            buffer_append_byte(out, ',');
        hostiles[which].part(out, i, hostiles[which].count);
    }
    buffer_append_str(out, str_from(hostiles[which].after));
}

static void project_hostile(const char *name, const struct schema_program *target,
                            const char *rules, enum projection_rung rung)
{
    enum { PEAK_BYTES_MAX = 256 << 20 };
    struct test_alloc test;
    struct arena arena;
    struct wire_rules read;
    struct projection *projection = NULL;
    struct error error = { 0 };
    struct json_doc *doc = parse(str_from(rules));
    test_alloc_init(&test);
    arena_init(&arena, alloc_default(), 1 << 20);
    assert_int_equal(wire_rules_read(STR("test"), json_doc_root(doc), &arena, &read, NULL),
                     STATUS_OK);
    struct projection_options options = { target, &read, STR("_need"), rung, true };
    enum status status = projection_new(&options, &test.alloc, &projection, &error);
    if (status != STATUS_OK)
        fail_msg("%s: %s", name, error.message);
    struct schema_program *wire = compile(alloc_default(), projection_schema(projection));
    assert_non_null(wire);
    schema_program_free(wire);
    projection_free(projection);
    if (test.bytes_peak > PEAK_BYTES_MAX)
        fail_msg("%s: %zu bytes", name, test.bytes_peak);
    test_alloc_assert_empty(&test);
    arena_release(&arena);
    json_doc_free(doc);
}

static void test_hostile(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(hostiles) / sizeof(hostiles[0]); i++) {
        struct buffer text;
        buffer_init(&text, alloc_default(), TEXT_BYTES_MAX);
        write_hostile(i, &text);
        struct schema_program *target = compile(alloc_default(), buffer_view(&text));
        assert_non_null(target);
        project_hostile(hostiles[i].name, target, CLOSED "}", PROJECTION_FULL);
        project_hostile(hostiles[i].name, target, POOR "}", PROJECTION_FULL);
        project_hostile(hostiles[i].name, target, OPEN "}", PROJECTION_NO_UNIONS);
        schema_program_free(target);
        buffer_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),       cmocka_unit_test(test_moves),
        cmocka_unit_test(test_words),       cmocka_unit_test(test_pointers),
        cmocka_unit_test(test_unsupported), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_hostile),
    };
    return cmocka_run_group_tests_name("projection", tests, NULL, NULL);
}

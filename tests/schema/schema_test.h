/* schema_test.h - what the tests of this folder share: compiling and judging texts with assertions.
 */
#ifndef STRUCTURE_SCHEMA_TEST_H
#define STRUCTURE_SCHEMA_TEST_H

#include "test.h"

#include <stdio.h>

#include "base/arena.h"
#include "schema/compile.h"
#include "schema/reason.h"
#include "schema/validate.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { TEST_ARENA_BYTES = 1 << 24, TEST_TEXT_BYTES = 1 << 20 };

static inline struct schema_program *compile_text(const char *text)
{
    struct schema_program *program = NULL;
    struct error error;
    error_clear(&error);
    enum status status =
        schema_compile_text(str_from(text), NULL, alloc_default(), &program, &error);
    if (status != STATUS_OK)
        fail_msg("%s: %s at %s", text, error.message, error.pointer);
    return program;
}

static inline struct json_doc *parse_text(struct str text)
{
    struct json_doc *doc = NULL;
    struct error error;
    error_clear(&error);
    if (json_parse(text, NULL, alloc_default(), &doc, &error) != STATUS_OK)
        fail_msg("%.*s: %s", (int)text.len, text.ptr, error.message);
    return doc;
}

/* Both questions must get the same answer; an invalid instance must have a reason. */
static inline bool judge_root(const struct schema_program *program, struct json instance)
{
    bool valid = false;
    bool explained = false;
    struct arena arena;
    struct schema_violations violations = { .arena = &arena };
    arena_init(&arena, alloc_default(), TEST_ARENA_BYTES);
    assert_int_equal(schema_is_valid(program, instance, 0, alloc_default(), &valid, NULL), 0);
    assert_int_equal(
        schema_validate(program, instance, 0, alloc_default(), &explained, &violations, NULL), 0);
    assert_int_equal(valid, explained);
    assert_int_equal(valid, violations.count == 0);
    arena_release(&arena);
    return valid;
}

static inline bool judge_text(const struct schema_program *program, const char *text)
{
    struct json_doc *doc = parse_text(str_from(text));
    bool valid = judge_root(program, json_doc_root(doc));
    json_doc_free(doc);
    return valid;
}

#endif

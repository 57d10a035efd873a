/* json_test.h - what the tests of this folder share: parsing with an assertion, and the comparison
 * of what two parses came to.
 */
#ifndef STRUCTURE_JSON_TEST_H
#define STRUCTURE_JSON_TEST_H

#include "test.h"

#include <stdio.h>

#include "json/json.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A result is a document or an error. */
struct outcome {
    enum status status;
    struct json_doc *doc; /* NULL on failure */
    struct error error;
};

static inline struct outcome parse_whole(struct str text, const struct json_options *options,
                                         const struct alloc *alloc)
{
    struct outcome outcome = { .doc = NULL };
    outcome.status = json_parse(text, options, alloc, &outcome.doc, &outcome.error);
    return outcome;
}

/* Feeds text in pieces: the first of first bytes, the others of step bytes. */
static inline struct outcome parse_pieces(struct str text, size_t first, size_t step,
                                          const struct json_options *options,
                                          const struct alloc *alloc)
{
    struct outcome outcome = { .doc = NULL };
    struct json_parser *parser = NULL;
    outcome.status = json_parser_new(options, alloc, &parser);
    size_t at = 0;
    size_t piece = first;
    while (outcome.status == STATUS_OK && at < text.len) {
        piece = piece < text.len - at ? piece : text.len - at;
        outcome.status = json_parser_feed(parser, str_of(text.ptr + at, piece), &outcome.error);
        at += piece;
        piece = step;
    }
    if (outcome.status == STATUS_OK)
        outcome.status = json_parser_finish(parser, &outcome.doc, &outcome.error);
    json_parser_free(parser);
    return outcome;
}

static inline void outcome_release(struct outcome *outcome)
{
    json_doc_free(outcome->doc);
    outcome->doc = NULL;
}

static inline void assert_same_doc(const struct json_doc *a, const struct json_doc *b)
{
    assert_int_equal(a->text_len, b->text_len);
    assert_memory_equal(a->text, b->text, a->text_len);
    assert_int_equal(a->node_count, b->node_count);
    for (size_t i = 0; i < a->node_count; i++) {
        assert_memory_equal(&a->nodes[i], &b->nodes[i], sizeof(a->nodes[i]));
        uint32_t type = json_node_type(&a->nodes[i]);
        if (type == JSON_STRING || type == JSON_NODE_NAME)
            assert_true(
                str_equal(json_node_text(a, &a->nodes[i]), json_node_text(b, &b->nodes[i])));
    }
}

static inline void assert_same_outcome(const struct outcome *a, const struct outcome *b)
{
    assert_int_equal(a->status, b->status);
    if (a->status == STATUS_OK) {
        assert_same_doc(a->doc, b->doc);
        return;
    }
    assert_string_equal(a->error.message, b->error.message);
    assert_string_equal(a->error.hint, b->error.hint);
    assert_int_equal(a->error.line, b->error.line);
    assert_int_equal(a->error.column, b->error.column);
}

static inline struct json_doc *parse_ok(struct str text)
{
    struct outcome outcome = parse_whole(text, NULL, alloc_default());
    if (outcome.status != STATUS_OK)
        print_error("%s\n", outcome.error.message);
    assert_int_equal(outcome.status, STATUS_OK);
    return outcome.doc;
}

static inline void assert_str(struct str actual, struct str expected)
{
    assert_int_equal(actual.len, expected.len);
    assert_memory_equal(actual.ptr, expected.ptr, expected.len);
}

#endif

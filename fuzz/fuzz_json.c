/* fuzz_json.c - laws of the JSON parser and writer for any bytes:
 * a text in pieces gives the document or the error of the whole; what is written parses to an equal
 * value and is written alike; the pointer of every value leads to it; removing repeated members
 * refuses no text that is accepted with them refused.
 *
 * The first byte chooses how the rest is cut.
 */
#include "base/features.h"

#include <stdint.h>
#include <stdlib.h>

#include "json/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* assert may be compiled out. */
static void require(bool condition)
{
    if (!condition)
        abort();
}

static enum status parse_pieces(struct str text, size_t step, const struct json_options *options,
                                struct json_doc **out_doc, struct error *error)
{
    struct json_parser *parser = NULL;
    enum status status = json_parser_new(options, alloc_default(), &parser);
    for (size_t at = 0; status == STATUS_OK && at < text.len; at += step) {
        size_t len = step < text.len - at ? step : text.len - at;
        status = json_parser_feed(parser, str_of(text.ptr + at, len), error);
    }
    if (status == STATUS_OK)
        status = json_parser_finish(parser, out_doc, error);
    json_parser_free(parser);
    return status;
}

static void require_same_doc(const struct json_doc *a, const struct json_doc *b)
{
    require(a->node_count == b->node_count);
    require(memcmp(a->nodes, b->nodes, a->node_count * sizeof(a->nodes[0])) == 0);
    for (size_t i = 0; i < a->node_count; i++) {
        uint32_t type = json_node_type(&a->nodes[i]);
        if (type == JSON_STRING || type == JSON_NODE_NAME)
            require(str_equal(json_node_text(a, &a->nodes[i]), json_node_text(b, &b->nodes[i])));
    }
}

static void check_pointers(const struct json_doc *doc)
{
    struct buffer pointer;
    size_t stride = 1 + doc->node_count / 50;
    buffer_init(&pointer, alloc_default(), SIZE_MAX);
    for (size_t i = 0; i < doc->node_count; i += stride) {
        if (json_node_type(&doc->nodes[i]) == JSON_NODE_NAME)
            continue;
        buffer_clear(&pointer);
        json_pointer_of((struct json){ doc, &doc->nodes[i] }, &pointer);
        require(json_pointer_get(json_doc_root(doc), buffer_view(&pointer)).node == &doc->nodes[i]);
    }
    buffer_release(&pointer);
}

static void check_writing(const struct json_doc *doc, const struct json_options *options,
                          unsigned indent)
{
    struct buffer first;
    struct buffer second;
    struct json_doc *again = NULL;
    uint64_t budget = UINT64_MAX;
    buffer_init(&first, alloc_default(), SIZE_MAX);
    buffer_init(&second, alloc_default(), SIZE_MAX);
    json_write(json_doc_root(doc), indent, &first);
    require(json_parse(buffer_view(&first), options, alloc_default(), &again, NULL) == STATUS_OK);
    require(json_equal(json_doc_root(doc), json_doc_root(again), &budget));
    require(json_hash(json_doc_root(doc), 1) == json_hash(json_doc_root(again), 1));
    json_write(json_doc_root(again), indent, &second);
    require(str_equal(buffer_view(&first), buffer_view(&second)));
    json_doc_free(again);
    buffer_release(&first);
    buffer_release(&second);
}

static enum status check_text(struct str text, size_t step, const struct json_options *options)
{
    struct error whole_error = { .status = STATUS_OK };
    struct error pieces_error = { .status = STATUS_OK };
    struct json_doc *whole = NULL;
    struct json_doc *pieces = NULL;
    enum status status = json_parse(text, options, alloc_default(), &whole, &whole_error);
    require(parse_pieces(text, step, options, &pieces, &pieces_error) == status);
    if (status == STATUS_OK) {
        require_same_doc(whole, pieces);
        check_pointers(whole);
        check_writing(whole, options, 0);
        check_writing(whole, options, 2);
    } else {
        require(strcmp(whole_error.message, pieces_error.message) == 0);
        require(whole_error.line == pieces_error.line && whole_error.column == pieces_error.column);
    }
    json_doc_free(whole);
    json_doc_free(pieces);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Indentation must not meet a limit that the text has not met. */
    struct json_options options = JSON_OPTIONS_DEFAULT;
    if (size == 0)
        return 0;
    struct str text = str_of((const char *)data + 1, size - 1);
    size_t step = 1 + data[0] % 32;
    enum status strict = check_text(text, step, &options);
    options.duplicates = JSON_DUPLICATES_LAST;
    enum status lenient = check_text(text, step, &options);
    require(strict != STATUS_OK || lenient == STATUS_OK);
    options.depth_max = 3;
    options.nodes_max = 10;
    options.digits_max = 6;
    options.bytes_max = 1000;
    struct json_doc *whole = NULL;
    struct json_doc *pieces = NULL;
    struct error whole_error = { .status = STATUS_OK };
    struct error pieces_error = { .status = STATUS_OK };
    enum status status = json_parse(text, &options, alloc_default(), &whole, &whole_error);
    require(parse_pieces(text, step, &options, &pieces, &pieces_error) == status);
    require(strcmp(whole_error.message, pieces_error.message) == 0);
    json_doc_free(whole);
    json_doc_free(pieces);
    return 0;
}

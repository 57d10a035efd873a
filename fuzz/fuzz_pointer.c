/* fuzz_pointer.c - laws of JSON Pointers and URI references: the input is a document or a base URI,
 * a line end, and a pointer or a reference.
 *
 * Owns: the laws. A value that a pointer leads to has a pointer that leads to it; a reference
 * resolved against a base with a scheme has a scheme, is resolved for good, is no longer than both
 * together, and keeps its fragment out. Leaves to others: what is right (tests/json, tests/schema).
 */
#include "base/features.h"

#include <stdint.h>
#include <stdlib.h>

#include "json/json.h"
#include "schema/uri.h"

enum { TEXT_BYTES_MAX = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* assert may be compiled out. */
static void require(bool condition)
{
    if (!condition)
        abort();
}

static void check_pointer(struct str text, struct str pointer)
{
    struct json_doc *doc = NULL;
    struct buffer written;
    if (json_parse(text, NULL, alloc_default(), &doc, NULL) != STATUS_OK)
        return;
    struct json root = json_doc_root(doc);
    struct json value = json_pointer_get(root, pointer);
    if (json_exists(value)) {
        buffer_init(&written, alloc_default(), TEXT_BYTES_MAX);
        json_pointer_of(value, &written);
        require(buffer_status(&written) == STATUS_OK);
        require(json_pointer_get(root, buffer_view(&written)).node == value.node);
        buffer_release(&written);
    }
    json_doc_free(doc);
}

static bool has_scheme(struct str text)
{
    size_t len = 0;
    while (len < text.len && text.ptr[len] != ':' && text.ptr[len] != '/' && text.ptr[len] != '?')
        len++;
    char first = text.len == 0 ? '\0' : (char)(text.ptr[0] | 0x20);
    return first >= 'a' && first <= 'z' && len < text.len && text.ptr[len] == ':';
}

static void resolve(struct str base, struct str reference, struct buffer *out)
{
    struct buffer scratch;
    buffer_init(&scratch, alloc_default(), TEXT_BYTES_MAX);
    buffer_init(out, alloc_default(), TEXT_BYTES_MAX);
    schema_uri_resolve(base, reference, out, &scratch);
    require(buffer_status(out) == STATUS_OK && buffer_status(&scratch) == STATUS_OK);
    buffer_release(&scratch);
}

static void check_reference(struct str base_text, struct str reference)
{
    struct buffer base;
    struct buffer once;
    struct buffer again;
    base_text.len = schema_uri_fragment(base_text);
    reference.len = schema_uri_fragment(reference);
    resolve(base_text, base_text, &base);
    resolve(buffer_view(&base), reference, &once);
    require(once.len <= base.len + reference.len + 1);
    if (has_scheme(base_text)) {
        resolve(buffer_view(&base), buffer_view(&once), &again);
        require(has_scheme(buffer_view(&once)));
        require(str_equal(buffer_view(&once), buffer_view(&again)));
        buffer_release(&again);
    }
    buffer_release(&once);
    buffer_release(&base);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data;
    size_t split = 0;
    if (size > TEXT_BYTES_MAX / 2)
        return 0;
    while (split < size && bytes[split] != '\n')
        split++;
    size_t begin = split < size ? split + 1 : split;
    struct str second = str_of(bytes + begin, size - begin);
    check_pointer(str_of(bytes, split), second);
    check_reference(str_of(bytes, split), second);
    return 0;
}

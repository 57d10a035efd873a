/* mendable.c - looks at the value at fault in the closed beginning of a reply.
 *
 * Invariant: in doubt (no memory, no JSON, no such value) the reply goes on.
 */
#include "base/features.h"

#include "model/mendable.h"

#include "model/partial.h"

/* What a string must hold to be read as JSON, or the beginning of it. */
static enum model_mendable of_string(struct str text, bool is_open)
{
    size_t at = 0;
    while (at < text.len && memchr(" \n\r\t", text.ptr[at], 4) != NULL)
        at++;
    if (at == text.len)
        return is_open ? MODEL_MENDABLE_LATER : MODEL_MENDABLE_NO;
    return memchr("{[\"", text.ptr[at], 3) != NULL ? MODEL_MENDABLE_YES : MODEL_MENDABLE_NO;
}

/* A list of pairs may stand for a map. */
static enum model_mendable of_array(struct json array, bool is_open)
{
    struct json item = json_first(array);
    if (!json_exists(item) || (json_type(item) == JSON_OBJECT && json_count(item) == 0))
        return is_open ? MODEL_MENDABLE_LATER : MODEL_MENDABLE_NO;
    bool is_pair = json_type(item) == JSON_OBJECT && (json_exists(json_get(item, STR("key"))) ||
                                                      json_exists(json_get(item, STR("value"))));
    return is_pair ? MODEL_MENDABLE_YES : MODEL_MENDABLE_NO;
}

static enum model_mendable of_value(const struct model_partial *partial, struct json root,
                                    struct str pointer)
{
    struct json value = json_pointer_get(root, pointer);
    struct json last = model_partial_place(partial, root);
    if (!json_exists(value))
        return MODEL_MENDABLE_YES;
    bool is_last = last.node >= value.node && last.node < json_node_after(value.node);
    bool is_open = is_last && (partial->open_depth > 0 || partial->tail != MODEL_TAIL_WHOLE);
    /* Only one member so far, and the fault is in it or is its name: an envelope perhaps. */
    if (json_type(root) == JSON_OBJECT && json_count(root) == 1 && pointer.len > 0 &&
        memchr(pointer.ptr + 1, '/', pointer.len - 1) == NULL)
        return partial->open_depth > 0 ? MODEL_MENDABLE_LATER : MODEL_MENDABLE_YES;
    switch (json_type(value)) {
    case JSON_NULL:
        return is_open && partial->tail == MODEL_TAIL_ABSENT ? MODEL_MENDABLE_LATER
                                                             : MODEL_MENDABLE_YES;
    case JSON_STRING: return of_string(json_string(value), is_open);
    case JSON_ARRAY: return of_array(value, is_open);
    case JSON_FALSE:
    case JSON_TRUE:
    case JSON_NUMBER:
    case JSON_OBJECT: break;
    }
    return MODEL_MENDABLE_NO;
}

enum model_mendable model_mendable_fault(struct str text, struct str pointer,
                                         const struct alloc *alloc)
{
    struct model_partial partial;
    struct buffer closed;
    struct json_doc *doc = NULL;
    struct error error = { 0 };
    enum model_mendable mendable = MODEL_MENDABLE_YES;
    buffer_init(&closed, alloc, LIMIT_JSON_BYTES);
    if (model_partial_close(text, &closed, &partial) && buffer_status(&closed) == STATUS_OK &&
        json_parse(buffer_view(&closed), NULL, alloc, &doc, &error) == STATUS_OK)
        mendable = of_value(&partial, json_doc_root(doc), pointer);
    json_doc_free(doc);
    buffer_release(&closed);
    return mendable;
}

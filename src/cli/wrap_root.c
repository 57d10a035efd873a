/* wrap_root.c - --wrap-root: a schema of any root as the property "value" of an object. See
 * wrap_root.h.
 *
 * Owns: copying the text of the schema with two kinds of change, references from the root and the
 * name of the root's $schema. Leaves to others: what schemas mean. Invariant: every byte that is
 * not changed is copied.
 */
#include "base/features.h"

#include "cli/wrap_root.h"

#include "base/limits.h"
#include "json/json.h"

struct wrap_level {
    struct json container;
    struct json next;   /* child to visit */
    bool holds_schemas; /* an object whose member names are the author's: properties, $defs, ... */
};

struct wrap {
    struct str source;
    size_t copied; /* bytes of source already in out */
    struct buffer *out;
};

static bool wrap_name_is_one_of(struct str name, const char *const *names)
{
    for (; *names != NULL; names++) {
        if (str_equal(name, str_from(*names)))
            return true;
    }
    return false;
}

static void wrap_replace(struct wrap *wrap, size_t begin, size_t end, const char *by)
{
    buffer_append(wrap->out, wrap->source.ptr + wrap->copied, begin - wrap->copied);
    buffer_append_str(wrap->out, str_from(by));
    wrap->copied = end;
}

/* "#" and "#/..." count from the root; "#name" and other URIs do not. */
static void wrap_reference(struct wrap *wrap, struct json value)
{
    struct str text = json_string(value);
    if (text.len > 0 && text.ptr[0] == '#' && (text.len == 1 || text.ptr[1] == '/')) {
        size_t begin = json_offset(value) + 1;
        if (wrap->source.ptr[begin] ==
            '#') /* else written as an escape: left alone, refused when it is compiled */
            wrap_replace(wrap, begin, begin + 1, "#/properties/value");
    }
}

/* The root's "$schema" becomes an annotation here; the new root has it. */
static void wrap_dialect(struct wrap *wrap, struct json value)
{
    struct str name = json_member_name(value);
    if (name.ptr >= wrap->source.ptr && name.ptr < wrap->source.ptr + wrap->source.len) {
        size_t begin = (size_t)(name.ptr - wrap->source.ptr);
        wrap_replace(wrap, begin, begin + name.len, "x-schema");
    }
}

/* Visits every subschema in document order. Values under enum and the like are data and left alone.
 */
static void wrap_walk(struct wrap *wrap, struct json root)
{
    static const char *const of_schemas[] = { "properties",  "patternProperties", "$defs",
                                              "definitions", "dependentSchemas",  "dependencies",
                                              NULL };
    static const char *const of_data[] = { "enum", "const", "default", "examples", NULL };
    struct wrap_level levels[LIMIT_JSON_DEPTH + 1];
    size_t depth = 0;
    if (json_type(root) != JSON_OBJECT)
        return;
    levels[0] = (struct wrap_level){ root, json_first(root), false };
    for (;;) {
        struct wrap_level *level = &levels[depth];
        if (!json_exists(level->next)) {
            if (depth == 0)
                return;
            depth--;
            continue;
        }
        struct json value = level->next;
        level->next = json_next(value, level->container);
        bool is_keyword = json_type(level->container) == JSON_OBJECT && !level->holds_schemas;
        struct str name =
            json_type(level->container) == JSON_OBJECT ? json_member_name(value) : STR("");
        enum json_type type = json_type(value);
        if (is_keyword && type == JSON_STRING && str_equal(name, STR("$ref")))
            wrap_reference(wrap, value);
        else if (is_keyword && depth == 0 && str_equal(name, STR("$schema")))
            wrap_dialect(wrap, value);
        bool is_data =
            is_keyword && (wrap_name_is_one_of(name, of_data) || str_starts_with(name, STR("x-")));
        if ((type == JSON_OBJECT || type == JSON_ARRAY) && !is_data && depth < LIMIT_JSON_DEPTH)
            levels[++depth] =
                (struct wrap_level){ value, json_first(value),
                                     is_keyword && wrap_name_is_one_of(name, of_schemas) };
    }
}

enum status cli_wrap_root(struct str schema, const struct alloc *alloc, struct buffer *out,
                          struct error *error)
{
    struct json_doc *document = NULL;
    enum status status = json_parse(schema, NULL, alloc, &document, error);
    if (status != STATUS_OK) {
        if (status == STATUS_INVALID_REQUEST && error != NULL)
            error->status = STATUS_INVALID_SCHEMA;
        return status == STATUS_INVALID_REQUEST ? STATUS_INVALID_SCHEMA : status;
    }
    struct json root = json_doc_root(document);
    struct wrap wrap = { json_doc_source(document), 0, out };
    struct json dialect = json_type(root) == JSON_OBJECT ? json_get(root, STR("$schema"))
                                                         : (struct json){ NULL, NULL };
    buffer_append_byte(out, '{');
    if (json_exists(dialect)) {
        buffer_append_str(out, STR("\"$schema\":"));
        json_write(dialect, 0, out);
        buffer_append_byte(out, ',');
    }
    buffer_append_str(
        out, STR("\"type\":\"object\",\"required\":[\"value\"],\"additionalProperties\":false,"
                 "\"properties\":{\"value\":"));
    wrap_walk(&wrap, root);
    buffer_append(out, wrap.source.ptr + wrap.copied, wrap.source.len - wrap.copied);
    buffer_append_str(out, STR("}}"));
    json_doc_free(document);
    if (buffer_status(out) != STATUS_OK)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    return STATUS_OK;
}

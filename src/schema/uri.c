/* uri.c - URI references against a base (RFC 3986 section 5.2).
 *
 * Owns: splitting and resolution. Leaves to others: whether a text is a URI reference at all
 * (format_uri.c). Invariant: the text is only split and joined; no escape is decoded.
 */
#include "base/features.h"

#include "schema/uri.h"

#include "schema/format_parts.h"

struct uri {
    struct str scheme;    /* with its colon, or no bytes */
    struct str authority; /* with its slashes, or no bytes */
    struct str path;
    struct str query; /* with its question mark, or no bytes */
};

static struct str uri_take(struct str *text, size_t len)
{
    struct str head = str_of(text->ptr, len);
    *text = format_from(*text, len);
    return head;
}

/* The length of text before the first of the stops. */
static size_t uri_find(struct str text, const char *stops)
{
    size_t len = text.len;
    for (; *stops != '\0' && len > 0; stops++) {
        const char *found = memchr(text.ptr, *stops, len);
        if (found != NULL)
            len = (size_t)(found - text.ptr);
    }
    return len;
}

/* text has no fragment. */
static struct uri uri_split(struct str text)
{
    struct uri uri = { { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, { NULL, 0 } };
    size_t colon = uri_find(text, ":/?");
    if (colon > 0 && colon < text.len && text.ptr[colon] == ':' && format_is_letter(text.ptr[0]))
        uri.scheme = uri_take(&text, colon + 1);
    if (str_starts_with(text, STR("//")))
        uri.authority = uri_take(&text, 2 + uri_find(format_from(text, 2), "/?"));
    uri.path = uri_take(&text, uri_find(text, "?"));
    uri.query = text;
    return uri;
}

/* Removes the last segment of what out holds beyond begin. */
static void uri_pop_segment(struct buffer *out, size_t begin)
{
    size_t len = out->len;
    while (len > begin && out->ptr[len - 1] != '/')
        len--;
    buffer_truncate(out, len > begin ? len - 1 : begin);
}

/* RFC 3986 section 5.2.4. */
static void uri_append_path(struct buffer *out, struct str path)
{
    size_t begin = out->len;
    while (path.len > 0) {
        size_t len = uri_find(path.ptr[0] == '/' ? format_from(path, 1) : path, "/");
        if (path.ptr[0] == '/')
            len++;
        struct str segment = uri_take(&path, len);
        bool slash = segment.ptr[0] == '/';
        struct str name = slash ? format_from(segment, 1) : segment;
        if (str_equal(name, STR("."))) {
            if (path.len == 0 && slash)
                buffer_append_byte(out, '/');
        } else if (str_equal(name, STR(".."))) {
            uri_pop_segment(out, begin);
            if (path.len == 0 && slash)
                buffer_append_byte(out, '/');
        } else {
            buffer_append_str(out, segment);
        }
    }
}

static void uri_append_merged(struct buffer *out, const struct uri *base, struct str path,
                              struct buffer *merged)
{
    buffer_clear(merged);
    if (base->authority.len > 0 && base->path.len == 0) {
        buffer_append_byte(merged, '/');
    } else {
        size_t len = base->path.len;
        while (len > 0 && base->path.ptr[len - 1] != '/')
            len--;
        buffer_append(merged, base->path.ptr, len);
    }
    buffer_append_str(merged, path);
    uri_append_path(out, buffer_view(merged));
}

void schema_uri_resolve(struct str base_text, struct str text, struct buffer *out,
                        struct buffer *merged)
{
    struct uri base = uri_split(base_text);
    struct uri uri = uri_split(text);
    if (uri.scheme.len > 0) {
        buffer_append_str(out, uri.scheme);
        buffer_append_str(out, uri.authority);
        uri_append_path(out, uri.path);
        buffer_append_str(out, uri.query);
        return;
    }
    buffer_append_str(out, base.scheme);
    if (uri.authority.len > 0) {
        buffer_append_str(out, uri.authority);
        uri_append_path(out, uri.path);
        buffer_append_str(out, uri.query);
        return;
    }
    buffer_append_str(out, base.authority);
    if (uri.path.len == 0) {
        buffer_append_str(out, base.path);
        buffer_append_str(out, uri.query.len > 0 ? uri.query : base.query);
        return;
    }
    if (uri.path.ptr[0] == '/')
        uri_append_path(out, uri.path);
    else
        uri_append_merged(out, &base, uri.path, merged);
    buffer_append_str(out, uri.query);
}

size_t schema_uri_fragment(struct str text)
{
    return uri_find(text, "#");
}

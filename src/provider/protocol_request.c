/* protocol_request.c - URL and headers of a request, the same for all protocols.
 *
 * Owns: the path with its "{model}" and "{method}", header lines, the key. Leaves to others: the
 * body (one file a protocol). Invariants: the key stands in one header alone, marked as secret, and
 * in no copy outlives the request; no header holds a control character.
 */
#include "base/features.h"

#include "provider/protocol_parts.h"

#include <strings.h>

enum {
    REQUEST_URL_BYTES = 8 * 1024,
    REQUEST_HEADER_BYTES = 16 * 1024,
    REQUEST_BODY_BYTES = 6 * LIMIT_PROMPT_BYTES /* escapes take up to six bytes for one */
};

const struct protocol_ops *protocol_of(enum provider_protocol protocol)
{
    switch (protocol) {
    case PROVIDER_ANTHROPIC: return &protocol_anthropic;
    case PROVIDER_RESPONSES: return &protocol_responses;
    case PROVIDER_CHAT: return &protocol_chat;
    case PROVIDER_GEMINI: return &protocol_gemini;
    }
    return &protocol_chat;
}

void protocol_request_init(struct protocol_request *request, const struct alloc *alloc)
{
    memset(request, 0, sizeof(*request));
    buffer_init(&request->url, alloc, REQUEST_URL_BYTES);
    buffer_init(&request->body, alloc, REQUEST_BODY_BYTES);
    buffer_init(&request->text, alloc, REQUEST_HEADER_BYTES);
}

void protocol_request_release(struct protocol_request *request)
{
    /* Written through a volatile pointer: it may not be optimised away. */
    volatile char *secret = request->text.ptr;
    for (size_t i = 0; i < request->text.len; i++)
        secret[i] = 0;
    buffer_release(&request->url);
    buffer_release(&request->body);
    buffer_release(&request->text);
    request->header_count = 0;
}

static bool url_byte_is_plain(char byte)
{
    bool is_letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
    return is_letter || (byte >= '0' && byte <= '9') || strchr("-._~:@", byte) != NULL;
}

static void url_append_segment(struct buffer *url, struct str text)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        if (byte != 0 && url_byte_is_plain(text.ptr[i])) {
            buffer_append_byte(url, text.ptr[i]);
            continue;
        }
        const char escape[] = { '%', digits[byte >> 4], digits[byte & 15] };
        buffer_append(url, escape, sizeof(escape));
    }
}

static void url_write(const struct protocol_call *call, struct buffer *url)
{
    const struct protocol_ops *ops = protocol_of(call->provider->protocol);
    const struct str model_place = STR("{model}");
    const struct str method_place = STR("{method}");
    struct str base = call->base_url;
    struct str path = call->provider->path.len > 0 ? call->provider->path : ops->path;
    while (base.len > 0 && base.ptr[base.len - 1] == '/')
        base.len--;
    buffer_append_str(url, base);
    if (path.ptr[0] != '/')
        buffer_append_byte(url, '/');
    while (path.len > 0) {
        size_t taken = 1;
        if (str_starts_with(path, model_place)) {
            url_append_segment(url, call->model);
            taken = model_place.len;
        } else if (str_starts_with(path, method_place)) {
            buffer_append_str(url, call->is_streamed ? ops->method_streamed : ops->method);
            taken = method_place.len;
        } else {
            buffer_append_byte(url, path.ptr[0]);
        }
        path = str_of(path.ptr + taken, path.len - taken);
    }
}

static bool name_equal(struct str a, struct str b)
{
    return a.len == b.len && strncasecmp(a.ptr, b.ptr, a.len) == 0;
}

static bool text_fits_header(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        if ((byte < ' ' && byte != '\t') || byte == 0x7F)
            return false;
    }
    return true;
}

/* The first of a name stays. */
static void header_add(struct protocol_request *request, struct str name, struct str value,
                       bool is_secret)
{
    for (uint32_t i = 0; i < request->header_count; i++) {
        if (name_equal(request->headers[i].name, name))
            return;
    }
    bool fits = name.len > 0 && text_fits_header(name) && text_fits_header(value);
    if (!fits || request->header_count == PROTOCOL_HEADERS_MAX) {
        request->text.status = STATUS_INVALID_REQUEST;
        return;
    }
    request->headers[request->header_count++] = (struct http_header){ name, value, is_secret };
}

/* The only text that is made: room for all of it is taken at once, so that no growth leaves a copy
 * of the key behind. */
static void header_add_key(const struct protocol_call *call, struct protocol_request *request)
{
    const struct str bearer = STR("Bearer ");
    struct str name = call->provider->key_header;
    struct str value = call->key;
    if (call->key.len == 0 || name.len == 0)
        return;
    if (name_equal(name, STR("authorization"))) {
        if (buffer_reserve(&request->text, bearer.len + call->key.len) == NULL)
            return;
        buffer_append_str(&request->text, bearer);
        buffer_append_str(&request->text, call->key);
        value = buffer_view(&request->text);
    }
    header_add(request, name, value, true);
}

void protocol_write(const struct protocol_call *call, struct protocol_request *request)
{
    buffer_clear(&request->url);
    buffer_clear(&request->body);
    buffer_clear(&request->text);
    request->header_count = 0;
    header_add_key(call, request);
    struct json more = call->provider->headers;
    if (protocol_is(more, JSON_OBJECT)) {
        for (struct json at = json_first(more); json_exists(at); at = json_next(at, more)) {
            if (json_type(at) == JSON_STRING)
                header_add(request, json_member_name(at), json_string(at), false);
        }
    }
    header_add(request, STR("content-type"), STR("application/json"), false);
    header_add(request, STR("accept"),
               call->is_streamed ? STR("text/event-stream") : STR("application/json"), false);
    url_write(call, &request->url);
    protocol_of(call->provider->protocol)->write(call, &request->body);
}

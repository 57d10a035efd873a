/* exchange_describe.c - what would be sent, as one JSON document, for --dry-run.
 *
 * Owns: that document. Invariant: the value of a secret header is never in it.
 */
#include "base/features.h"

#include "provider/exchange_parts.h"

static void write_member(struct buffer *out, const char *name, struct str value)
{
    buffer_printf(out, "\"%s\":", name);
    json_write_string(value, out);
}

static void write_headers(const struct http_request *http, struct buffer *out)
{
    buffer_append_str(out, STR("\"headers\":{"));
    for (uint32_t i = 0; i < http->header_count; i++) {
        if (i > 0)
            buffer_append_byte(out, ',');
        json_write_string(http->headers[i].name, out);
        buffer_append_byte(out, ':');
        json_write_string(http->headers[i].is_secret ? STR("(secret)") : http->headers[i].value,
                          out);
    }
    buffer_append_byte(out, '}');
}

static void write_projection(const struct exchange *exchange, struct buffer *out)
{
    uint32_t count = 0;
    const struct projection_move *moves = projection_moves(exchange->projection, &count);
    buffer_printf(out, "\"projection\":{\"strict\":%s,\"rung\":%u,\"form\":\"%s\",\"moved\":[",
                  exchange->plan.is_strict ? "true" : "false", (unsigned)exchange->plan.rung,
                  projection_rung_name(exchange->plan.rung));
    for (uint32_t i = 0; i < count; i++) {
        buffer_append_str(out, i > 0 ? STR(",{") : STR("{"));
        write_member(out, "pointer", moves[i].pointer);
        buffer_append_byte(out, ',');
        write_member(out, "keyword", moves[i].keyword);
        buffer_append_byte(out, ',');
        write_member(out, "reason", moves[i].reason);
        buffer_printf(out, ",\"inWords\":%s}", moves[i].in_words ? "true" : "false");
    }
    buffer_append_str(out, STR("]}"));
}

enum status exchange_describe(const struct exchange_options *options,
                              const struct model_request *request, const struct alloc *alloc,
                              struct buffer *out, struct error *error)
{
    struct model_reply reply = { .finish = MODEL_FINISH_UNKNOWN };
    struct exchange *exchange = NULL;
    enum status status =
        exchange_new(options, request, 0, INT64_MAX, &reply, alloc, &exchange, error);
    if (status != STATUS_OK)
        return status;
    buffer_append_byte(out, '{');
    write_member(out, "provider", options->provider->id);
    buffer_append_byte(out, ',');
    write_member(out, "model", options->model);
    buffer_append_byte(out, ',');
    write_member(out, "mechanism", str_from(provider_mechanism_name(exchange->plan.mechanism)));
    buffer_append_byte(out, ',');
    write_member(out, "method", exchange->http.method);
    buffer_append_byte(out, ',');
    write_member(out, "url", exchange->http.url);
    buffer_append_byte(out, ',');
    write_headers(&exchange->http, out);
    buffer_append_str(out, STR(",\"body\":"));
    buffer_append_str(out, exchange->http.body);
    buffer_append_byte(out, ',');
    write_projection(exchange, out);
    buffer_append_byte(out, '}');
    exchange_free(exchange);
    return buffer_status(out) == STATUS_OK ? STATUS_OK
                                           : error_set(error, STATUS_NO_MEMORY, "out of memory");
}

/* fuzz_protocol.c - laws of the readers of providers' replies for any bytes: a body in pieces is
 * read as the whole; a reply is complete or has a failure, never both; a text is UTF-8 and bounded.
 *
 * The first byte chooses the protocol, whether a stream was asked for, the status and the pieces.
 */
#include "base/features.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "provider/protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TEXT_MAX = 4096 };

static void require(bool condition)
{
    if (!condition)
        abort();
}

struct outcome {
    bool is_complete;
    enum status kind;
    struct buffer text;
};

static void read_body(const struct protocol_call *call, int http_status, struct str body,
                      size_t step, struct outcome *out)
{
    struct protocol_reader reader;
    struct provider_failure failure;
    const struct http_head head = { http_status, NULL, 0 };
    const struct http_end end = { .outcome = HTTP_DONE, .was_sent = true, .detail = "" };
    bool goes_on = true;
    require(protocol_reader_init(&reader, call, TEXT_MAX, alloc_default()) == STATUS_OK);
    protocol_reader_head(&reader, &head);
    for (size_t at = 0; at < body.len && goes_on; at += step) {
        size_t len = step < body.len - at ? step : body.len - at;
        goes_on = protocol_reader_body(&reader, str_of(body.ptr + at, len));
    }
    protocol_reader_end(&reader, &end, &failure);
    require(reader.reply.is_complete == (failure.kind == STATUS_OK));
    require(reader.reply.text.len <= TEXT_MAX);
    require(utf8_check(buffer_view(&reader.reply.text)) == reader.reply.text.len);
    out->is_complete = reader.reply.is_complete;
    out->kind = failure.kind;
    buffer_init(&out->text, alloc_default(), TEXT_MAX + 1);
    if (out->is_complete)
        buffer_append_str(&out->text, buffer_view(&reader.reply.text));
    protocol_reader_release(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int statuses[] = { 200, 200, 200, 400, 429, 500, 307, 204 };
    const enum provider_protocol protocols[] = { PROVIDER_ANTHROPIC, PROVIDER_RESPONSES,
                                                 PROVIDER_CHAT, PROVIDER_GEMINI };
    struct outcome whole, pieces;
    if (size < 2)
        return 0;
    const struct provider_row row = { .id = STR("p"), .protocol = protocols[data[0] % 4] };
    const struct provider_model model = { .pattern = STR("*") };
    const struct protocol_call call = { .provider = &row,
                                        .model_row = &model,
                                        .model = STR("m"),
                                        .base_url = STR("http://host"),
                                        .mechanism = PROVIDER_BY_SCHEMA,
                                        .schema = STR("{}"),
                                        .schema_name = STR("answer"),
                                        .temperature = -1,
                                        .is_streamed = (data[0] & 4) != 0 };
    int status = statuses[data[0] >> 3 & 7];
    struct str body = { (const char *)data + 2, size - 2 };
    read_body(&call, status, body, body.len + 1, &whole);
    read_body(&call, status, body, data[1] % 23 + 1u, &pieces);
    require(whole.is_complete == pieces.is_complete && whole.kind == pieces.kind);
    require(str_equal(buffer_view(&whole.text), buffer_view(&pieces.text)));
    buffer_release(&whole.text);
    buffer_release(&pieces.text);
    return 0;
}

/* wire_test.c - the product's side of the tests over sockets. See wire_test.h. */
#include "base/features.h"

#include "wire_test.h"

#include <stdio.h>

#include "engine/text.h"

enum { TRACE_BYTES_MAX = 16 << 20 };

static void trace_line(void *state, const char *line)
{
    struct buffer *trace = state;
    buffer_append_str(trace, str_from(line));
    buffer_append_byte(trace, '\n');
}

static struct schema_program *compile(void)
{
    struct schema_program *program = NULL;
    struct error error = { 0 };
    struct schema_options options = { .object_root = true, .format_asserts = true };
    assert_int_equal(
        schema_compile_text(STR(WIRE_SCHEMA), &options, alloc_default(), &program, &error),
        STATUS_OK);
    return program;
}

static void open_model(struct wire_client *client, struct str base_url,
                       const struct wire_setting *setting)
{
    struct error error = { 0 };
    struct retry_policy retry = { setting->attempts, setting->retry_base_ms,
                                  4 * setting->retry_base_ms };
    struct json none = { NULL, NULL };
    client->program = compile();
    buffer_init(&client->trace, alloc_default(), TRACE_BYTES_MAX);
    assert_int_equal(catalogue_open(none, alloc_default(), &client->catalogue, &error), STATUS_OK);
    struct provider_options options = { .catalogue = client->catalogue,
                                        .base_url = base_url,
                                        .http = &client->http,
                                        .key = STR(WIRE_MARKER_KEY),
                                        .retry = &retry,
                                        .rng = setting->rng,
                                        .no_stream = !setting->is_streamed,
                                        .connect_ms = 10 * setting->silence_ms,
                                        .first_byte_ms = setting->silence_ms,
                                        .idle_ms = setting->silence_ms,
                                        .trace = trace_line,
                                        .trace_state = &client->trace };
    assert_int_equal(catalogue_resolve(client->catalogue,
                                       str_from(wire_model_name(setting->protocol)),
                                       &options.provider, &options.model, &error),
                     STATUS_OK);
    enum status status = provider_open(&options, alloc_default(), &client->model, &error);
    if (status != STATUS_OK)
        print_error("%s\n", error.message);
    assert_int_equal(status, STATUS_OK);
}

void wire_client_open(struct wire_client *client, const struct fault_server *server,
                      const struct wire_setting *setting)
{
    char url[FAULT_URL_BYTES];
    struct error error = { 0 };
    *client = (struct wire_client){ .program = NULL };
    assert_int_equal(http_curl_new(NULL, alloc_default(), &client->http, &error), STATUS_OK);
    open_model(client, str_from(fault_server_url(server, wire_base_path(setting->protocol), url)),
               setting);
}

void wire_client_open_over(struct wire_client *client, const struct http_client *http,
                           const struct wire_setting *setting)
{
    char url[FAULT_URL_BYTES];
    (void)snprintf(url, sizeof(url), "http://simulated%s", wire_base_path(setting->protocol));
    *client = (struct wire_client){ .http = *http };
    open_model(client, str_from(url), setting);
}

void wire_client_close(struct wire_client *client)
{
    wire_assert_private(buffer_view(&client->trace), "trace");
    model_free(&client->model);
    http_client_free(&client->http);
    schema_program_free(client->program);
    catalogue_free(client->catalogue);
    buffer_release(&client->trace);
}

struct engine_request wire_request(const struct wire_client *client, struct str prompt)
{
    return (struct engine_request){ .prompt = prompt,
                                    .program = client->program,
                                    .schema_origin = STR("inline"),
                                    .temperature = -1,
                                    .require_strict = false };
}

void wire_assert_private(struct str text, const char *where)
{
    static const char *const markers[] = { WIRE_MARKER, WIRE_MARKER_KEY, WIRE_MARKER_TEXT };
    for (size_t i = 0; i < sizeof(markers) / sizeof(markers[0]); i++) {
        if (engine_text_contains(text, str_from(markers[i])))
            fail_msg("%s holds %s", where, markers[i]);
    }
}

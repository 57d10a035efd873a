/* command_version.c - `structure version`: version, build options, versions of linked libraries. */
#include "base/features.h"

#include "cli/cli.h"
#include "cli/report.h"
#include "json/json.h"
#include "structure.h"

enum { VERSION_BYTES_MAX = 4096 };

#if defined(__clang__)
#define VERSION_COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define VERSION_COMPILER "gcc " __VERSION__
#else
#define VERSION_COMPILER "unknown"
#endif

struct version_parts {
    const char *llama; /* NULL: without local models */
    const char *http;  /* NULL: without providers over a network */
    bool only_validates;
};

static void version_json(struct buffer *text, const struct version_parts *parts)
{
    buffer_printf(text, "{\"version\":\"%s\",\"compiler\":", structure_version());
    json_write_string(STR(VERSION_COMPILER), text);
    buffer_printf(text, ",\"onlyValidates\":%s,\"localModels\":%s,\"providers\":%s,\"libraries\":{",
                  parts->only_validates ? "true" : "false", parts->llama == NULL ? "false" : "true",
                  parts->http == NULL ? "false" : "true");
    if (parts->llama != NULL) {
        buffer_append_str(text, STR("\"libllama\":"));
        json_write_string(str_from(parts->llama), text);
    }
    if (parts->http != NULL) {
        buffer_append_str(text, parts->llama != NULL ? STR(",\"http\":") : STR("\"http\":"));
        json_write_string(str_from(parts->http), text);
    }
    buffer_append_str(text, STR("}}\n"));
}

static void version_words(struct buffer *text, const struct version_parts *parts)
{
    buffer_printf(text, "structure %s\n", structure_version());
    buffer_printf(text, "compiler: %s\n", VERSION_COMPILER);
    if (parts->only_validates) {
        buffer_append_str(text, STR("this build only validates\n"));
        return;
    }
    if (parts->llama == NULL)
        buffer_append_str(text, STR("local models: no (built without libllama)\n"));
    else
        buffer_printf(text, "local models: yes (libllama %s)\n", parts->llama);
    if (parts->http == NULL)
        buffer_append_str(text, STR("providers: no (built without libcurl and libuv)\n"));
    else
        buffer_printf(text, "providers: yes (%s)\n", parts->http);
}

static int version_run(struct cli *cli, const void *options, const struct cli_operands *operands)
{
    (void)options;
    struct error error = { 0 };
    if (operands->count > 0) {
        (void)error_set(&error, STATUS_INVALID_REQUEST, "version takes no operand");
        return cli_fail(cli, NULL, &error);
    }
    struct buffer text;
    buffer_init(&text, cli->alloc, VERSION_BYTES_MAX);
    struct version_parts parts = { structure_version_llama(), structure_version_http(),
                                   !STRUCTURE_HAVE_EXTRACT };
    if (cli->json)
        version_json(&text, &parts);
    else
        version_words(&text, &parts);
    cli_output_append(&cli->out, buffer_view(&text));
    buffer_release(&text);
    return CLI_EXIT_OK;
}

const struct command command_version = {
    .name = "version",
    .usage = "",
    .summary = "Show version, build options and the versions of linked libraries.",
    .run = version_run,
};
